"""Items that a system skips: their share beside every value, and what the values were if they were failures."""

import json
import pickle

import numpy as np
import pytest

from touchstone import Policy, compare, gate, items, lexsub, mt, nli, pyramid
from touchstone.base.notes import warnings_of
from touchstone.core.group_comparison import compare_groups
from touchstone.core.resampling import Resampling

SKIP = Policy(missing="skip")
IDS = [str(n) for n in range(1, 9)]
PLAIN = Resampling("none")


def presence(system, names):
    return [
        {"set": n, "system": system, "unit": unit, "weight": weight, "models": 2, "present": int(unit != "c")}
        for n in names
        for unit, weight in (("a", 2), ("b", 1), ("c", 1))
    ]


def inputs(task, names):
    """Return gold and two systems of a task: *a* answers all items, *b* those of *names*."""
    if task is items:
        return {"a": dict.fromkeys(IDS, 0.5), "b": {n: float(int(n) % 2) for n in names}}, ()
    if task is pyramid:
        return [*presence("a", IDS), *presence("b", names)], ()
    gold, right, wrong = {
        nli: ("neutral", "neutral", "entailment"),
        lexsub: ({"glad": 2, "merry": 1}, ["glad"], ["merry"]),
        mt: ("the cat sat on the mat", "the cat sat on a mat", "the cat sat"),
    }[task]
    runs = {"a": {n: right if int(n) % 2 else wrong for n in IDS}, "b": dict.fromkeys(names, right)}
    return dict.fromkeys(IDS, gold), runs


TASKS = {items: "value", pyramid: "pyramid.modified", nli: "accuracy", lexsub: "best1", mt: "chrf"}


@pytest.fixture(params=TASKS, ids=lambda task: task.TASK.name)
def task(request):
    return request.param


def test_every_table_shows_the_share_of_skipped_items_and_a_bound(task):
    name = TASKS[task]
    skipped = task.score(*inputs(task, IDS[:5]), [name], policy=SKIP, resampling=PLAIN)
    zero = task.score(*inputs(task, IDS[:5]), [name], policy=Policy(missing="zero"), resampling=PLAIN)
    row = skipped.row("b", name)
    assert (row.n, row.skipped, row.skipped_share) == (5, 3, "37.5%")
    assert row.if_failed == zero.row("b", name).value
    assert (skipped.row("a", name).skipped, skipped.row("a", name).if_failed) == (0, None)
    comparison = compare(skipped, name)
    for shown in (skipped.table(), comparison.table()):
        assert [column.header for column in shown.columns][-2:] == ["skipped", "if failed"]
        assert any("37.5%" in cells for cells in shown.rows)
    assert comparison.pairs[0].n == 5
    difference = compare(zero, name).difference("a", "b")
    assert comparison.failed.difference("a", "b") == difference
    rows = json.loads(skipped.to_json())["rows"]
    assert {row["system"]: row["skipped"] for row in rows if "skipped" in row} == {"b": 3}


@pytest.mark.filterwarnings("ignore::touchstone.TouchstoneWarning")
def test_items_are_counted_under_measures_whose_records_hold_more_than_a_mean():
    results = mt.score(*inputs(mt, IDS[:5]), ["bleu"], policy=SKIP, resampling=PLAIN)
    assert (results.row("b", "bleu").n, results.row("b", "bleu").skipped) == (5, 3)


def test_tables_of_groups_have_a_row_of_skipped_items_only_where_a_system_skips_some():
    gold = [{"id": n, "label": "neutral", "genre": "x" if int(n) < 5 else "y"} for n in IDS]
    runs = {"a": dict.fromkeys(IDS, "neutral"), "b": dict.fromkeys(IDS[:5], "neutral")}
    table = nli.score(gold, runs, ["accuracy"], by="genre", policy=SKIP, resampling=PLAIN).table()
    assert [row[1] for row in table.rows[:5]] == ["x", "y", "", "all", ""]
    assert ["skipped" in str(row) for row in table.rows[:5]] == [False, False, True, False, True]


def test_no_table_mentions_skipped_items_where_there_are_none(task):
    name = TASKS[task]
    results = task.score(*inputs(task, IDS), [name], policy=SKIP, resampling=PLAIN)
    strict = task.score(*inputs(task, IDS), [name], resampling=PLAIN)
    assert results.failed is None
    assert results.table().to_text() == strict.table().to_text()
    assert compare(results, name).table().to_text() == compare(strict, name).table().to_text()
    assert results.to_dict()["rows"] == strict.to_dict()["rows"]


def test_a_system_does_not_win_silently_by_skipping_its_failures():
    """A system that skips 60 % of its failures wins often; each win that its failures would undo has a warning."""
    chance = np.random.default_rng(8)
    silent = warned = 0
    for _ in range(40):
        right = chance.random((2, 100)) < 0.6
        skipped = ~right[1] & (chance.random(100) < 0.6)
        scores = {
            "old": dict(enumerate(right[0].astype(float).tolist())),
            "new": {n: float(right[1][n]) for n in range(100) if not skipped[n]},
        }
        comparison = compare(items.score(scores, policy=SKIP))
        pair, bound = comparison.pairs[0], comparison.failed.pairs[0]
        if pair.significant and pair.a == "new":
            honest = bound.significant and bound.a == "new"
            [*warnings] = [note for note in comparison.notes if "new is ahead of old" in note]
            assert len(warnings) == (not honest)
            silent += honest
            warned += not honest
    assert warned > 10 > silent


def test_a_win_that_failures_would_not_undo_has_no_warning():
    scores = {"old": dict.fromkeys(range(60), 0.0), "new": dict.fromkeys(range(55), 1.0)}
    comparison = compare(items.score(scores, policy=SKIP))
    assert comparison.pairs[0].significant
    assert not [note for note in comparison.notes if note.startswith("warning")]


def test_a_gate_that_skipped_failures_would_fail_says_so():
    scores = {"old": dict.fromkeys(range(60), 1.0), "new": dict.fromkeys(range(30), 1.0) | {30: 0.0}}
    comparison = compare(items.score(scores, policy=SKIP))
    outcome = gate(comparison, "new")
    assert outcome.passed
    [bound] = [
        text for text in outcome.warnings if text.startswith("the gate would fail if skipped items were failures")
    ]
    assert "new is significantly worse than old, by 0.500" in bound
    whole = {"old": dict.fromkeys(range(60), 1.0), "new": dict.fromkeys(range(59), 1.0) | {59: 0.0}}
    assert not gate(compare(items.score(whole, policy=SKIP)), "new").warnings


def test_where_lower_is_better_the_worst_value_is_the_highest():
    scores = {"a": {"1": 3.0, "2": 5.0, "3": 4.0}, "b": {"1": 2.0, "2": 2.0}}
    results = items.score(scores, policy=SKIP, lower_is_better="value", resampling=PLAIN)
    assert results.row("b", "value").if_failed == 3.0
    assert "the worst value that the table has" in results.table().to_text()


def test_groups_and_several_scorings_show_what_was_skipped():
    rows = [{"system": s, "item": n, "kind": "odd" if int(n) % 2 else "even", "score": 1.0}
            for s, names in (("a", IDS), ("b", IDS[:5])) for n in names]  # fmt: skip
    grouped = items.score(rows, by="kind", policy=SKIP, resampling=PLAIN)
    assert grouped.row("b", "score", "even").skipped == 2
    assert "skipped 50.0%, if failed 1.000" in grouped.table().to_text()
    gold, runs = inputs(nli, IDS[:5])
    alone = [nli.score(gold, {name: run}, ["accuracy"], policy=SKIP, resampling=PLAIN) for name, run in runs.items()]
    comparison = compare(alone, "accuracy")
    assert [row.skipped for row in comparison.standings] == [3, 0]
    assert comparison.failed.difference("a", "b") == pytest.approx(4 / 8 - 5 / 8)


def test_comparisons_of_groups_have_the_bound_and_warn_of_wins_that_failures_would_undo():
    rows = [{"system": s, "item": f"{kind}{n}", "kind": kind, "score": 0.0 if s == "a" and n % 4 == 1 else 1.0}
            for s in "ab" for kind in ("x", "y") for n in range(40) if s == "a" or kind == "y" or n % 2]  # fmt: skip
    found = compare_groups(items.score(rows, by="kind", policy=SKIP, resampling=PLAIN))
    [x], [y] = found.pairs["x"], found.pairs["y"]
    assert (x.a, x.difference, y.difference) == ("b", 10 / 20, 10 / 40)
    assert [found.difference_if_failed(*one) for one in (("x", x), ("y", y))] == [20 / 40 - 30 / 40, 10 / 40]
    assert [str(row[-1]) for row in found.table().rows] == ["-0.250", "0.250"]
    assert [row["difference"] for row in found.to_dict()["rows"] if row["kind"] == "pair_if_failed"] == [0.25]
    [warned] = warnings_of(found.notes)
    assert warned.startswith("x: score: b is ahead of a by 0.500 on the 20 items that both answer, but b skips 50.0%")
    full = [row for row in rows if row["kind"] == "y"]
    found = compare_groups(items.score(full, by="kind", policy=SKIP, resampling=PLAIN))
    assert (found.table().columns[-1].header, warnings_of(found.notes)) == ("losses", [])


def test_a_measure_whose_failures_have_no_known_score_says_so(tmp_path):
    gold, runs = inputs(mt, IDS[:5])
    exported = mt.score(gold, {"a": runs["a"]}, ["bleu"]).items.to_arrow().to_pylist()
    short = [{**row, "system": "b"} for row in exported[:5]]
    results = items.score([*exported, *short], policy=SKIP, resampling=PLAIN)
    assert (results.row("b", "mt:bleu").skipped, results.row("b", "mt:bleu").if_failed) == (3, None)
    assert "no bound is known for mt:bleu" in results.table().to_text()
    assert compare(results, "mt:bleu").failed is None


def test_the_bound_names_the_policy_as_the_reader_writes_it():
    results = nli.score(*inputs(nli, IDS[:5]), ["accuracy"], policy=SKIP, resampling=PLAIN)
    assert 'as with policy=touchstone.Policy(missing="zero")' in results.table().to_text()


def test_results_that_skip_items_survive_a_pickle():
    results = nli.score(*inputs(nli, IDS[:5]), ["accuracy"], policy=SKIP, resampling=PLAIN)
    again = pickle.loads(pickle.dumps(results))
    assert again.row("b", "accuracy").skipped == 3
