"""Any table of per-item scores: forms, exported records, and what is refused."""

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import touchstone
from touchstone import TouchstoneError, compare, gate, items, mt
from touchstone.base.codes import Code
from touchstone.base.ids import Policy
from touchstone.core.measures import parse_name
from touchstone.core.registry import find_task, task_names
from touchstone.core.resampling import Resampling
from touchstone.io.writing import write_table
from touchstone.tasks.items.model import NO_MEANS

LONG = """system,item,document,score,errors
a,1,x,0.5,3
a,2,x,0.7,2
a,3,y,0.1,5
b,1,x,0.4,3
b,2,x,0.9,1
b,3,y,0.2,4
"""
WIDE = "item,a,b\n1,0.5,0.4\n2,0.7,0.9\n3,0.1,0.2\n"
PLAIN = Resampling("none")
EXAMPLES = Path(touchstone.__file__).parent / "examples"
DIRECTION = pytest.mark.filterwarnings("ignore:errors. higher is better:touchstone.TouchstoneWarning")


@pytest.fixture
def written(tmp_path):
    def write(name, text):
        (tmp_path / name).write_text(text)
        return tmp_path / name

    return write


def values(results):
    return {(row.system, row.measure): row.value for row in results.rows}


# --- forms of tables -------------------------------------------------------------------------------------------------


@DIRECTION
def test_a_long_table_has_a_row_for_each_system_and_item(written):
    found = values(items.score(written("t.csv", LONG), resampling=PLAIN))
    assert found["a", "score"] == pytest.approx((0.5 + 0.7 + 0.1) / 3)
    assert found["b", "errors"] == (3 + 1 + 4) / 3


@pytest.mark.parametrize("path", [str, Path])
def test_a_mapping_from_systems_to_files_reads_the_files(written, path):
    files = {name: path(written(f"{name}.csv", f"item,score\n1,{name == 'x'}\n2,0.5\n")) for name in "xy"}
    assert values(items.score(files, resampling=PLAIN)) == {("x", "score"): 0.75, ("y", "score"): 0.25}
    [paired] = touchstone.paired_tables(files, files)
    assert list(paired.systems) == ["x", "y"]


def test_a_mapping_with_a_file_that_there_is_not_is_refused_by_its_name(written):
    with pytest.raises(TouchstoneError, match=r"none\.csv"):
        items.score({"x": written("x.csv", WIDE), "y": "none.csv"})


def test_a_wide_table_has_a_column_for_each_system(written):
    found = values(items.score(written("t.csv", WIDE), resampling=PLAIN))
    assert set(found) == {("a", "value"), ("b", "value")}
    assert found["b", "value"] == pytest.approx((0.4 + 0.9 + 0.2) / 3)


def test_a_wide_table_needs_no_column_of_items(written):
    assert len(items.score(written("t.csv", "a,b\n1,2\n3,4\n"), resampling=PLAIN)) == 2


def test_several_files_without_a_column_of_systems_hold_one_system_each(written):
    paths = [written("a.csv", "item,score\n1,0.5\n2,1\n"), written("b.tsv", "item\tscore\n2\t0\n1\t0.5\n")]
    assert values(items.score(paths, resampling=PLAIN)) == {("a", "score"): 3 / 4, ("b", "score"): 1 / 4}
    named = items.score([f"mine={paths[0]}", f"theirs={paths[1]}"], resampling=PLAIN)
    assert [system.system for system in named.systems] == ["mine", "theirs"]


def test_one_system_may_come_in_several_files(written):
    head = "system,item,score\n"
    paths = [written("1.csv", head + "a,1,1\n"), written("2.csv", head + "a,2,0\nb,1,1\nb,2,1\n")]
    assert values(items.score(paths, resampling=PLAIN)) == {("a", "score"): 1 / 2, ("b", "score"): 1}


# --- empty cells -----------------------------------------------------------------------------------------------------

GAPS = "item,old,new\n1,1,0.5\n2,1,\n3,0,NaN\n4,0.5,0\n5,,1\n"


def test_an_empty_cell_is_a_missing_item(written):
    with pytest.raises(TouchstoneError, match=r"t\.csv:6: 'old' has no value for this item: \"5\"\n.*: old 1, new 2; "):
        items.score(written("t.csv", GAPS))
    skipped = items.score(written("t.csv", GAPS), policy=Policy("skip"), resampling=PLAIN)
    assert values(skipped) == {("old", "value"): 2.5 / 4, ("new", "value"): 1.5 / 3}
    assert [row.n for row in skipped.rows] == [4, 3]
    zero = items.score(written("t.csv", GAPS), policy=Policy("zero"), resampling=PLAIN)
    assert values(zero) == {("old", "value"): 2.5 / 5, ("new", "value"): 1.5 / 5}


@pytest.mark.parametrize(("policy", "outcome"), [("skip", "are left out"), ("zero", "score 0")])
def test_a_note_counts_the_empty_cells_of_every_system(written, policy, outcome):
    notes = items.score(written("t.csv", GAPS), policy=Policy(policy), resampling=PLAIN).notes
    assert f"old: items without a value, which {outcome} (of 5): 1" in notes
    assert f"new: items without a value, which {outcome} (of 5): 2" in notes


def test_validate_names_the_empty_cells_of_every_system(written):
    found = items.validate(written("t.csv", GAPS)).faults
    assert [(fault.line, fault.what) for fault in found] == [
        (6, "'old' has no value for this item"),
        (3, "'new' has no value for this item"),
        (4, "'new' has no value for this item"),
    ]
    assert items.validate(written("t.csv", GAPS), policy=Policy("skip")).faults == []


def test_a_measure_that_applies_to_no_system_of_an_item_does_not_count_there(written):
    text = "system,item,score,style\na,1,1,2\na,2,1,\nb,1,0,1\nb,2,1,\n"
    results = items.score(written("t.csv", text), resampling=PLAIN)
    assert [row.n for row in results.rows] == [2, 1, 2, 1]
    assert "items without a value of style in any system, which do not count: 1" in results.notes


def test_empty_cells_of_a_column_that_is_not_scored_do_not_matter(written):
    text = "system,item,score,style\na,1,1,2\na,2,1,\nb,1,0,1\nb,2,1,3\n"
    assert [row.n for row in items.score(written("t.csv", text), measures=["score"], resampling=PLAIN).rows] == [2, 2]
    with pytest.raises(TouchstoneError) as error:
        items.score(written("t.csv", text))
    assert error.value.code == Code.MISSING_ID
    assert items.explain(written("t.csv", text), item="1").tables[-1].rows == [["a", 1.0, 2.0], ["b", 0.0, 1.0]]


def test_empty_cells_do_not_open_a_gate(written):
    """New is worse on each item that it has, and has none of the hardest."""
    rows = [(n, 0.9 if n < 53 else 0.1, 0.85 if n < 53 else "") for n in range(80)]
    path = written("hard.csv", "item,old,new\n" + "".join(f"{n},{old},{new}\n" for n, old, new in rows))
    comparison = compare(items.score(path, policy=Policy("skip")))
    assert comparison.pairs[0].difference == pytest.approx((1 if comparison.pairs[0].a == "old" else -1) * 0.05)
    assert not gate(comparison, "new", margin=0.02).passed


# --- what is measured ------------------------------------------------------------------------------------------------


@DIRECTION
def test_less_is_better_where_the_user_says_so(written):
    path = written("t.csv", LONG)
    worse = compare(items.score(path, resampling=PLAIN), "errors")
    better = compare(items.score(path, resampling=PLAIN, lower_is_better=("errors",)), "errors")
    assert [row.system for row in worse.standings] == ["a", "b"]
    assert [row.system for row in better.standings] == ["b", "a"]


@DIRECTION
def test_items_are_clustered_and_grouped_by_columns_that_do_not_depend_on_the_system(written):
    path = written("t.csv", LONG)
    results = items.score(path, measures=["score"], by="document", resampling=Resampling(draws=50, cluster="document"))
    assert "over documents" in results.signature["intervals"]
    assert {row.group for row in results.rows} == {"x", "y", None}
    with pytest.raises(TouchstoneError, match="no such field"):
        _ = items.score(path, by="score").rows


def test_a_column_in_which_systems_never_differ_is_compared_only_when_asked_for(written):
    path = written("t.csv", "system,item,length,score\na,1,3,1\nb,1,3,0\n")
    assert [m.name for m in items.score(path, resampling=PLAIN).measures] == ["score"]
    assert [m.name for m in items.score(path, measures=["length"], resampling=PLAIN).measures] == ["length"]


def test_an_unknown_column_is_refused_with_the_nearest(written):
    with pytest.raises(TouchstoneError, match='"scores"; nearest valid name "score"'):
        items.score(written("t.csv", LONG), measures=["scores"])


def test_a_measure_that_is_no_mean_is_refused_by_name_without_its_records(written):
    path = written("t.csv", "system,item,bleu,score\na,1,20,1\nb,1,30,0\n")
    with pytest.raises(TouchstoneError) as caught:
        items.score(path, measures=["bleu"])
    assert caught.value.code == Code.UNSUPPORTED
    assert '"bleu"' in str(caught.value)
    results = items.score(path, resampling=PLAIN)
    assert [m.name for m in results.measures] == ["score"]
    assert any("bleu is left out" in note for note in results.notes)


def test_a_column_name_never_imports_a_module(written, tmp_path, monkeypatch):
    (tmp_path / "evil.py").write_text("raise SystemExit('imported')")
    monkeypatch.chdir(tmp_path)
    path = written("t.csv", "system,item,evil:measure,record:mt:evil:measure:0\na,1,1,1\nb,1,0,1\n")
    assert [m.name for m in items.score(path, measures=["evil:measure"], resampling=PLAIN).measures] == ["evil:measure"]


# --- what other tasks exported ---------------------------------------------------------------------------------------

INPUTS = {
    "lexsub": ("demo.gold", ["careful.oot", "eager.oot", "frequent.oot"], ["rank@10", "R", "P(k=mean)"], ["F(k=1)"]),
    "mt": ("refA.en", ["de-en"], ["maxsim(n)"], ["bleu", "chrf", "ter", "meteor(classic)"]),
    "nli": ("gold.jsonl", ["overlap.jsonl", "careful.jsonl"], ["accuracy", "recall.entailment"], ["macro_f1"]),
    "pyramid": (None, ["eve.T01.M.60.A.heron.pan", "eve.T01.M.60.A.magpie.pan"], ["pyramid.modified"], []),
}


@pytest.mark.parametrize("suffix", ["csv", "jsonl", "parquet"])
@pytest.mark.parametrize("name", INPUTS)
def test_the_items_of_every_task_give_the_same_comparison_digit_for_digit(name, suffix, tmp_path):
    task = find_task(name)
    gold, runs, means, folded = INPUTS[name]
    folder = EXAMPLES / name
    given = ([folder / run for run in runs],) if gold is None else (folder / gold, [folder / run for run in runs])
    own = task.score(*given, measures=[*means, *folded], resampling=Resampling(draws=200))
    path = tmp_path / f"items.{suffix}"
    write_table(path, own.items.to_arrow())
    cluster = own.resampling.cluster or "item"
    asked = [*means, *(f"{name}:{measure}" for measure in folded)]
    again = items.score(path, measures=asked, resampling=Resampling(draws=200, cluster=cluster))
    assert len(again.systems) == len(own.systems)
    again = replace(again, baselines=own.baselines)  # a table does not say which systems are baselines
    for mine, theirs in zip(asked, [*means, *folded], strict=True):
        ours, exported = (_comparison(compare(results, m)) for results, m in ((own, theirs), (again, mine)))
        assert exported == ours


def _comparison(comparison):
    rows = [row for row in comparison.to_dict()["rows"] if row["kind"] in ("value", "rank", "pair")]
    return json.dumps([{key: value for key, value in row.items() if key != "measure"} for row in rows])


# --- the other verbs -------------------------------------------------------------------------------------------------


def test_explain_shows_the_item_in_all_systems_best_first(written):
    fields, table = items.explain(written("t.csv", LONG), item="2").tables
    assert ("document", "x") in list(map(tuple, fields.rows))
    assert table.rows == [["b", 0.9, 1.0], ["a", 0.7, 2.0]]
    with pytest.raises(TouchstoneError, match='no such item: "2x"; nearest valid id "2"'):
        items.explain(written("t.csv", LONG), item="2x")


def test_validate_names_the_ids_behind_a_cell_that_is_no_number(written):
    text = "system,item,score\na,1,0.5\na,2,high\na,2,0.5\nb,1,0.4\nb,2,0.1\nb,3,0.4\n"
    problems = items.validate(written("scores.csv", text))
    assert [(fault.line, fault.what.split(" (")[0]) for fault in problems.faults] == [
        (3, "score is not a finite number"),
        (4, "duplicate id"),
        (None, "'a' has no row for this item"),
    ]
    assert problems.warnings == []


def test_validate_names_missing_and_duplicate_items(written):
    problems = items.validate(written("t.csv", LONG + "b,3,y,0.2,4\na,4,y,1,1\n"))
    said = " ".join(map(str, problems.faults))
    assert "duplicate id" in said
    assert "'b' has no row for this item" in said


def test_missing_rows_follow_the_policy(written):
    path = written("t.csv", "system,item,score\na,1,1\na,2,1\nb,1,1\n")
    found = {how: values(items.score(path, policy=Policy(how), resampling=PLAIN)) for how in ("zero", "skip")}
    assert found["zero"]["b", "score"] == 1 / 2
    assert found["skip"]["b", "score"] == 1
    with pytest.raises(TouchstoneError, match="1 of 2 items have none"):
        items.score(path)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("system,score\na,1\n", "no column 'item'"),
        ("system,item\na,1\n", "no column of numbers"),
        ("system,item,score\n,1,1\n", "no system"),
        ("system,item,score\na,,1\n", "no item"),
    ],
)
def test_a_table_that_says_too_little_is_refused(written, text, said):
    with pytest.raises(TouchstoneError, match=said):
        items.score(written("t.csv", text))


@DIRECTION
def test_tables_are_converted_by_suffix(written, tmp_path):
    items.TASK.convert(written("t.csv", LONG), tmp_path / "t.parquet")
    both = [values(items.score(tmp_path / name, resampling=PLAIN)) for name in ("t.csv", "t.parquet")]
    assert both[0] == both[1]


def test_a_large_table_is_scored_in_one_pass(written):
    rows = np.random.default_rng(0).random(2000)
    text = "item,a,b\n" + "".join(f"{n},{x:.6f},{1 - x:.6f}\n" for n, x in enumerate(rows))
    results = items.score(written("t.csv", text), resampling=PLAIN)
    assert values(results)["a", "value"] + values(results)["b", "value"] == pytest.approx(1)


@pytest.mark.parametrize(
    "systems",
    [
        {"a": [1, 0, 1], "b": [1, 1, 1]},
        {"a": np.array([1, 0, 1]), "b": np.array([1, 1, 1])},
        {"a": pd.Series([1, 0, 1], index=list("xyz")), "b": pd.Series([1, 1, 1], index=list("zyx"))},
        {who: pd.DataFrame({"id": list("xyz"), "value": own}) for who, own in {"a": [1, 0, 1], "b": [1, 1, 1]}.items()},
    ],
)
def test_systems_are_a_mapping_to_lists_series_or_data_frames(systems):
    found = items.score(systems)
    assert [found.row(name, "value").value for name in "ab"] == [2 / 3, 1]


def test_a_measure_that_is_a_mean_is_compared_from_a_table_without_records():
    texts = ["the cat sat on the mat", "it rained all day long"]
    results = mt.score(texts, {"a": texts, "b": ["a cat sat", "it rains"]}, ["maxsim(n)", "bleu"])
    frame = results.items.to_pandas()
    again = items.score(frame)
    assert again.row("b", "maxsim(n)").value == results.row("b", "maxsim(n)").value
    assert touchstone.compare(again, "bleu").measure == "mt:bleu"
    plain = frame[[name for name in frame.columns if not name.startswith("record:")]]
    assert [note.partition(":")[0] for note in items.score(plain).notes] == ["bleu is left out"]


def test_a_comparison_of_several_measures_is_refused_in_a_sentence():
    with pytest.raises(TouchstoneError, match="a comparison has one measure, not 2"):
        touchstone.compare(items.score({"a": [1, 0], "b": [1, 1]}), ["value", "other"])


# --- columns named after measures of other tasks ---------------------------------------------------------------------


def test_the_measures_whose_value_is_no_mean_of_items_are_known_without_importing_their_tasks():
    for task in set(task_names()) - {"items"}:
        registry = find_task(task).measures
        for measure in map(registry.find, registry.names):
            if not measure.averages or measure.own_items:
                family = parse_name(measure.name)[0]
                listed = family if family in NO_MEANS else f"{family.partition('.')[0]}."
                assert NO_MEANS.get(listed) == task, measure.name


def test_columns_of_other_names_import_no_other_task():
    code = (
        "import sys; from touchstone.tasks.items.model import owner_of, answers_decide_items; "
        "print(owner_of('score'), owner_of('my bleu'), answers_decide_items('points@5')); "
        "print(*(name for name in sys.modules if name.startswith('touchstone.tasks.') and '.items' not in name)); "
        "print(owner_of('bleu'), owner_of('TER'), owner_of('maxsim(n)'), answers_decide_items('els07.oot.P'))"
    )
    run = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert run.stdout == "None None False\n\nmt None None True\n"


@pytest.mark.parametrize(("column", "task"), [("bleu", "mt"), ("macro_f1", "nli"), ("els07.oot.P", "lexsub")])
def test_a_column_named_after_a_measure_imports_the_task_of_that_measure_only(column, task):
    code = (
        "import sys, touchstone; "
        f"row = {{'item': 1, '{column}': 0.5, 'value': 0.25}}; "
        "scores = [{**row, 'system': name, 'value': len(name)} for name in ('a', 'bc')]; "
        "touchstone.compare(touchstone.items.score(scores), 'value'); "
        "print({name.split('.')[2] for name in sys.modules if name.startswith('touchstone.tasks.')} - {'items'})"
    )
    run = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert run.stdout == f"{{{task!r}}}\n"
