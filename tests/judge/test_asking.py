"""The table of items to ask people for, and what it does to an estimate that is made with it."""

import numpy as np
import pytest

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.io.writing import write_table
from touchstone.judge.asking import _strata, ask_next, drawn_items, with_probabilities
from touchstone.tasks.items.answers import paired_tables

ITEMS = [str(item) for item in range(60)]


def paired(judged=ITEMS[:20]):
    """Return two systems that a judge scored on 60 items and people on some."""
    rows = [{"system": system, "item": item, "part": str(int(item) % 3)} for system in "ab" for item in ITEMS]
    scores = [{**row, "score": int(row["item"]) % 7 + (row["system"] == "b")} for row in rows]
    people = [{**row, "score": row["score"] + int(row["item"]) % 2} for row in scores if row["item"] in judged]
    [both] = paired_tables(people, scores, ["score"])
    return both


@pytest.mark.parametrize("strategy", ["uniform", "stratified", "uncertain"])
def test_new_items_come_first_and_earlier_ones_get_their_new_probability(strategy):
    asked = ask_next(paired(), 10, strategy).table.to_pydict()
    assert asked["strategy"] == [strategy] * 10 + ["earlier"] * 20
    assert set(asked["item"][:10]) <= set(ITEMS[20:])
    assert asked["item"][10:] == ITEMS[:20]
    assert asked["probability"][10:] == pytest.approx([0.5] * 20)
    if strategy != "uncertain":
        assert asked["probability"][:10] == pytest.approx([0.5] * 10)


def test_strata_are_the_values_of_a_field_or_tenths_of_the_judges_scores():
    both = paired(ITEMS[:3])
    chosen = ask_next(both, 9, "stratified", strata="part").table.column("item").to_pylist()[:9]
    parts = [int(item) % 3 for item in chosen]
    assert [parts.count(part) for part in range(3)] == [3, 3, 3]
    scores = [int(item) % 7 for item in ask_next(both, 19, "stratified").table.column("item").to_pylist()[:19]]
    assert 6 <= sum(score < 3 for score in scores) <= 9


def test_the_same_seed_asks_for_the_same_items():
    first, again, other = (ask_next(paired(), 10, seed=seed).table.column("item").to_pylist() for seed in (1, 1, 2))
    assert first == again != other


def test_the_probabilities_come_back_from_the_file(tmp_path):
    write_table(tmp_path / "ask.csv", ask_next(paired(), 10, "uncertain").table)
    asked = drawn_items(tmp_path / "ask.csv")
    assert len(asked.ids) == 10
    answered = paired([*ITEMS[:20], *asked.ids])
    weighted = with_probabilities(answered, tmp_path / "ask.csv")
    assert np.count_nonzero(np.isfinite(weighted.of("a").probability)) == 30
    assert not weighted.notes
    assert weighted.signature["asked"].startswith("ask.csv#")
    assert "10" in with_probabilities(paired(), tmp_path / "ask.csv").notes[-1]


def test_files_that_do_not_fit_are_refused_with_a_sentence(tmp_path):
    (tmp_path / "ask.csv").write_text("item,probability,strategy\n0,0.5,uniform\n6O,0.5,uniform\n")
    with pytest.raises(TouchstoneError, match=r'ask.csv:3: unknown item: "6O"'):
        with_probabilities(paired(), tmp_path / "ask.csv")
    (tmp_path / "ask.csv").write_text("item,probability,strategy\n0,0.5,uniform\n")
    with pytest.raises(TouchstoneError) as error:
        with_probabilities(paired(), tmp_path / "ask.csv")
    assert error.value.code == Code.MISSING_ID
    rows = "".join(f"{item},1.5,uniform\n" for item in ITEMS[:20])
    (tmp_path / "ask.csv").write_text(f"item,probability,strategy\n{rows}")
    with pytest.raises(TouchstoneError) as error:
        with_probabilities(paired(), tmp_path / "ask.csv")
    assert error.value.code == Code.OUT_OF_RANGE
    assert (error.value.faults[0].line, error.value.faults[0].value) == (2, "1.5")
    (tmp_path / "ask.csv").write_text("item,probability,strategy\n0,half,uniform\n,0.5,uniform\n2,0.5\n")
    with pytest.raises(TouchstoneError) as caught:
        with_probabilities(paired(), tmp_path / "ask.csv")
    told = ["2: probability is not a finite number", "3: no item", "4: 2 cells under 3 columns"]
    assert [f"{fault.line}: {fault.what}" for fault in caught.value.faults] == told
    with pytest.raises(TouchstoneError, match=r"no columns 'item' and 'probability'\n   the columns are strategy$"):
        with_probabilities(paired(), [{"strategy": "uniform"}])
    with pytest.raises(TouchstoneError) as caught:
        ask_next(paired(), 5, "stratified", strata="prt")
    assert caught.value.code == Code.UNKNOWN_NAME
    assert caught.value.faults[0].value == "prt"
    assert 'nearest valid name "part"' in str(caught.value)
    with pytest.raises(TouchstoneError) as error:
        ask_next(paired(), 5, strata="part")
    assert error.value.code == Code.OPTION_UNUSED


def test_without_a_field_strata_are_ten_groups_of_the_judges_scores_from_low_to_high():
    judge = np.random.default_rng(4).random((40, 2))
    codes = _strata(paired(), judge, None)
    assert np.bincount(codes).tolist() == [4] * 10
    assert np.all(np.diff(codes[np.argsort(judge.mean(axis=1))]) >= 0)
