"""Scoring: when it is worth starting processes, and how items are cut into blocks for them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from touchstone import items, mt
from touchstone.core import scoring
from touchstone.core.resampling import Resampling
from touchstone.core.scoring import STEP, Scoring, _slices


def test_processes_start_from_ten_thousand_items_one_for_each_core(monkeypatch):
    monkeypatch.setattr(scoring, "start_method", lambda: "fork")
    monkeypatch.setattr(scoring, "cores", lambda: 3)
    assert (scoring._default_jobs(9_999), scoring._default_jobs(10_000)) == (1, 3)
    monkeypatch.setattr(scoring, "start_method", lambda: "spawn")
    assert scoring._default_jobs(10_000) == 1


@given(st.integers(0, 20_000), st.sampled_from([100, 500, 1000]), st.integers(1, 40))
def test_blocks_are_all_items_in_order_and_begin_where_those_of_other_processes_may(n, block, jobs):
    slices = _slices(n, block, jobs)
    assert [row for rows in slices for row in range(rows.start, rows.stop)] == list(range(n))
    assert all(0 < rows.stop - rows.start <= block for rows in slices)
    if n >= STEP * jobs:
        assert all(rows.start % STEP == 0 for rows in slices)


@given(st.integers(1, 20_000), st.integers(2, 16))
def test_processes_that_take_the_next_block_end_within_a_small_block_of_each_other(n, jobs):
    busy = [0] * jobs
    for rows in _slices(n, 500, jobs):
        busy[busy.index(min(busy))] += rows.stop - rows.start
    assert max(busy) - min(busy) <= STEP


TEXTS = [f"Dog number {n} saw the {n % 7} cats near the river." for n in range(4 * STEP + 50)]
pytestmark = pytest.mark.filterwarnings("ignore::touchstone.TouchstoneWarning")  # y is in another order
SYSTEMS = {"x": [text.replace("saw", "met") for text in TEXTS], "y": TEXTS[::-1]}


def records(jobs, told=None, systems=SYSTEMS):
    found = mt.score(TEXTS, systems, ["maxsim(n)", "chrf"], resampling=Resampling("none"), jobs=jobs, progress=told)
    return [np.hstack([*system.records.values()]).tolist() for system in found.systems]


@pytest.fixture(scope="module")
def expected():
    """Give the records that this process makes alone."""
    return records(1)


def test_records_are_the_same_whatever_the_number_of_processes_and_whoever_chose_it(expected, monkeypatch):
    started, steps = [], []
    assert [records(jobs) for jobs in (2, 3)] == [expected] * 2
    run_pieces = scoring.run_pieces
    monkeypatch.setattr(scoring, "cores", lambda: 2)
    monkeypatch.setattr(scoring, "start_method", lambda: "fork")
    monkeypatch.setattr(scoring, "run_pieces", lambda *given: started.append(given[-1].jobs) or run_pieces(*given))
    for worth, processes in ((3600.0, []), (0.0, [2])):  # pieces in this process are not sent anywhere
        monkeypatch.setattr(scoring, "WORTH", worth)
        assert records(None, lambda *step: steps.append(step)) == expected
        assert started == processes
        assert steps[-1] == (2 * len(TEXTS), 2 * len(TEXTS))


def test_few_items_are_not_worth_a_trial(monkeypatch):
    monkeypatch.setattr(scoring, "cores", lambda: 2)
    monkeypatch.setattr(scoring, "_tried", lambda _: pytest.fail("tried"))
    some = {name: texts[: 2 * STEP] for name, texts in SYSTEMS.items()}
    mt.score(TEXTS[: 2 * STEP], some, ["chrf"], resampling=Resampling("none"))


def test_measures_of_the_users_own_are_not_loaded_before_processes_are_forked(monkeypatch):
    monkeypatch.setattr(scoring, "start_method", lambda: "fork")
    assert scoring._may_load(Scoring("mt", ("maxsim(n)", "chrf")))
    assert not scoring._may_load(Scoring("mt", ("maxsim(n)", "mine:metric")))
    monkeypatch.setattr(scoring, "start_method", lambda: "spawn")
    assert not scoring._may_load(Scoring("mt", ("maxsim(n)",)))


def test_another_number_of_processes_finds_the_analyses_that_were_kept(expected, tmp_path, monkeypatch):
    monkeypatch.setenv("TOUCHSTONE_CACHE", str(tmp_path))
    assert records(2) == expected
    kept = sorted(tmp_path.rglob("*.columns"))
    # Three texts of 450 segments, of which the last 50 are a file too.
    assert len(kept) == 3 * 5
    assert [records(jobs) for jobs in (1, 3)] == [expected] * 2
    assert sorted(tmp_path.rglob("*.columns")) == kept


def test_items_that_share_the_cluster_of_a_task_are_named_in_a_note_unless_a_cluster_is_chosen():
    rows = [
        {"system": system, "item": n, "premise": premise, "value": n % 2 if system == "a" else n % 3}
        for system in "ab"
        for n, premise in enumerate("xxyyzz")
    ]
    note = (
        "items are treated as independent, although some share a premise: use "
        'resampling=touchstone.Resampling(cluster="premise"), or resampling=touchstone.Resampling(cluster="item") '
        "if they are independent"
    )
    assert note in items.score(rows).notes
    for chosen in ("premise", "item"):
        assert items.score(rows, resampling=Resampling(cluster=chosen)).notes == []
    alone = [{**row, "premise": row["item"]} for row in rows]
    assert items.score(alone).notes == []
