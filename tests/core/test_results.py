"""Results: values with intervals, groups, per-item scores, and what they look like."""

import json
import math
import pickle
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import csv, parquet

import touchstone
from touchstone import TouchstoneError, lexsub
from touchstone.base.codes import Code
from touchstone.core.measures import Measure
from touchstone.core.resampling import Resampling
from touchstone.core.result_tables import interval_notes
from touchstone.core.results import CompactRecords, Items, Results, SystemRecords
from touchstone.io.writing import write_table
from touchstone.stats import mean, mean_records

EXAMPLES = Path(touchstone.__file__).parent / "examples" / "lexsub"
NAMES = ["els07.best_mode.R", "best1", "P(k=1)", "R", "F(k=1)", "rank@10"]


@pytest.fixture(scope="module")
def gold():
    return lexsub.read_gold(EXAMPLES / "demo.gold", source=EXAMPLES / "demo.xml")


@pytest.fixture(scope="module")
def runs():
    return lexsub.read_runs([EXAMPLES / name for name in ("careful.best", "careful.oot", "eager.oot", "frequent.oot")])


@pytest.fixture(scope="module")
def results(gold, runs):
    return lexsub.score(gold, runs, NAMES)


def scored(folder, gold, answers, measures=("R",), **options):
    """Score one system on a gold, both given as text."""
    (folder / "g.gold").write_text(gold)
    (folder / "s.oot").write_text(answers)
    return lexsub.score(lexsub.read_gold(folder / "g.gold"), lexsub.read_run(folder / "s.oot"), measures, **options)


# --- values, groups and intervals ------------------------------------------------------------------------------------


def test_json_has_the_signature_and_a_row_for_each_value(results, gold):
    whole = json.loads(results.to_json())
    with_mode = sum(gold[name].gold.mode is not None for name in gold.ids)
    assert list(whole) == ["title", "signature", "rows", "sentences", "notes", "warnings"]
    assert len(whole["rows"]) == 3 * len(NAMES)
    for row in whole["rows"]:
        assert list(row) == ["kind", "system", "measure", "group", "value", "low", "high", "n"]
        assert row["group"] is None
        assert 0 <= row["low"] <= row["value"] <= row["high"] <= 1
        assert row["n"] == (with_mode if "mode" in row["measure"] else 36)


def test_json_is_json_also_where_there_is_no_interval(gold, runs):
    plain = lexsub.score(gold, runs, ["R"], resampling=Resampling("none"))
    rows = json.loads(plain.to_json(), parse_constant=lambda text: pytest.fail(f"{text} is not JSON"))["rows"]
    assert [(row["low"], row["high"]) for row in rows] == [(None, None)] * 3


def test_groups_come_in_the_order_of_the_paper_and_the_whole_after_them(gold, runs):
    rows = [row for row in lexsub.score(gold, runs, ["R"], by="pos").rows if row.system == "eager"]
    assert [row.group for row in rows] == ["n", "a", "v", "r", None]
    assert sum(row.n for row in rows[:-1]) == rows[-1].n == len(gold)


def test_the_whole_is_over_items_and_not_the_mean_of_the_groups(tmp_path):
    """Nouns 1 and 1 and 1, verbs 0: over items 3/4, the mean of the groups would be 1/2."""
    gold = "".join(f"w.n {n} :: a 2;\n" for n in (1, 2, 3)) + "w.v 4 :: a 2;\n"
    answers = "".join(f"w.n {n} ::: a\n" for n in (1, 2, 3))
    rows = scored(tmp_path, gold, answers, by="pos", resampling=Resampling("none")).rows
    assert [(row.group, row.value, row.n) for row in rows] == [("n", 1, 3), ("v", 0, 1), (None, 3 / 4, 4)]


def test_f_is_made_afresh_in_each_group(tmp_path):
    """Item 1: P 1, R 1/2; item 2: P 1/2, R 1. Alone F is 2/3 each; together P and R are 3/4 and so is F."""
    gold, answers = "w.n 1 :: a 2;b 2;\nw.v 2 :: a 2;\n", "w.n 1 ::: a\nw.v 2 ::: a;x;y\n"
    rows = scored(tmp_path, gold, answers, ["F"], by="pos", resampling=Resampling("none")).rows
    assert [row.value for row in rows] == pytest.approx([2 / 3, 2 / 3, 3 / 4])


def test_an_unknown_part_of_speech_is_a_group_of_its_own(tmp_path):
    gold = "w 1 :: a 2;\nw.x 2 :: a 2;\nw.n 3 :: a 2;\n"
    rows = scored(tmp_path, gold, "w 1 ::: a\n", by="pos").rows
    assert [(row.group, row.n) for row in rows] == [("n", 1), ("?", 2), (None, 3)]


def test_items_can_be_grouped_by_target(tmp_path):
    gold = "b.n 1 :: a 2;\na.n 2 :: a 2;\nb.v 3 :: a 2;\n"
    rows = scored(tmp_path, gold, "b.n 1 ::: a\n", by="target").rows
    assert {row.group: row.n for row in rows} == {"a": 1, "b": 2, None: 3}


def test_another_field_is_refused_with_the_nearest(gold, runs):
    with pytest.raises(TouchstoneError, match='"target"'):
        _ = lexsub.score(gold, runs, ["R"], by="targt").rows


def test_one_value_can_be_asked_for(results):
    row = results.row("eager", "R")
    assert (row.system, row.measure, row.group, row.n) == ("eager", "R", None, 36)
    with pytest.raises(TouchstoneError):
        results.row("eager", "gap")
    with pytest.raises(TouchstoneError) as error:
        results.measure("rank@1")
    fault = error.value.faults[0]
    assert (fault.code, fault.near) == (Code.UNKNOWN_NAME, "rank@10")


def test_intervals_are_the_same_twice_and_other_with_another_seed(gold, runs):
    def ends(seed):
        how = Resampling("percentile", seed=seed)
        return [(row.low, row.high) for row in lexsub.score(gold, runs, NAMES, resampling=how).rows]

    assert ends(0) == ends(0)
    assert ends(0) != ends(1)


def test_more_confidence_is_a_wider_interval(gold, runs):
    widths = []
    for level in (0.5, 0.8, 0.95):
        row = lexsub.score(gold, runs, ["rank@10"], resampling=Resampling(level=level)).rows[0]
        widths.append(row.high - row.low)
    assert widths == sorted(widths)
    assert widths[0] < widths[2]


def test_the_interval_of_a_ratio_is_of_the_ratio(tmp_path):
    """P over attempted items: every attempted item scores 1, so that P has the bound of ten items that never vary."""
    gold = "".join(f"w.n {n} :: a 2;\n" for n in range(1, 21))
    answers = "".join(f"w.n {n} ::: a\n" for n in range(1, 21, 2))
    results = scored(tmp_path, gold, answers, ["els07.oot.P", "els07.oot.R"], resampling=Resampling(cluster="item"))
    precision, recall = results.rows
    assert (precision.value, precision.high, precision.n) == (1, 1, 10)
    assert precision.low == pytest.approx(10 / (10 + 2.262157**2))  # Wilson, with t of 9 degrees of freedom
    assert recall.value == 1 / 2
    assert recall.low < 1 / 2 < recall.high


def test_a_set_without_an_item_that_counts_has_the_value_that_its_measure_gives(tmp_path):
    """Precision over attempted items is 0 where none is attempted (els07), and undefined in the paper's own sense."""
    gold, answers = "w.n 1 :: a 2;\nw.v 2 :: a 2;\n", "w.n 1 ::: a\n"
    attempted = scored(tmp_path, gold, answers, ["els07.oot.P"], by="pos")
    assert [(row.group, row.value, row.n) for row in attempted.rows] == [("n", 1, 1), ("v", 0, 0), (None, 1, 1)]
    (precision,) = attempted.measures
    undefined = replace(attempted, measures=[replace(precision, empty=np.nan)])
    assert np.isnan(undefined.row("s", "els07.oot.P", "v").value)


def test_notes_on_intervals_stand_below_the_table_and_count_those_of_groups(tmp_path):
    gold = "".join(f"w{n}.{'n' if n else 'v'} {n} :: a 2;b 1;\n" for n in range(12))
    answers = "".join(f"w{n}.n {n} ::: {'ab'[n % 2]}\n" for n in range(12))
    assert scored(tmp_path, gold, answers, ["R"]).table().notes == ["with only 12 items, intervals are rough"]
    assert scored(tmp_path, gold, answers, ["R"], by="pos").table().notes == [
        "below each value: its 95% interval",
        "with only 12 items, intervals are rough",
        "values of groups without an interval, for too few items or no variation: 1",
        "values of groups with a rough interval, for few items: 1",
    ]


@pytest.mark.filterwarnings("ignore:.*may have been cut off:touchstone.TouchstoneWarning")
def test_one_cluster_carries_no_interval(tmp_path):
    """All items share one target word: nothing shows how target words vary."""
    gold = "".join(f"w.n {n} :: a 2;\n" for n in range(1, 11))
    answers = "".join(f"w.n {n} ::: a\n" for n in range(1, 6))
    by_item = scored(tmp_path, gold, answers, resampling=Resampling(cluster="item")).rows[0]
    results = scored(tmp_path, gold, answers, resampling=Resampling(cluster="target"))
    by_target = results.rows[0]
    assert by_item.low < by_item.value < by_item.high
    assert np.isnan([by_target.low, by_target.high]).all()
    assert by_target.interval == ""
    assert results.table().notes == ["no interval: 1 target cannot show how values vary"]


@pytest.mark.filterwarnings("ignore:.*may have been cut off:touchstone.TouchstoneWarning")
def test_items_that_share_a_word_and_a_fate_have_a_wider_interval_by_word(tmp_path):
    """Ten words of ten sentences, each word all right or all wrong: there are ten independent draws, not a hundred."""
    gold = "".join(f"w{n // 10}.n {n} :: a 2;\n" for n in range(100))
    answers = "".join(f"w{n // 10}.n {n} ::: a\n" for n in range(50))
    item, target = (
        scored(tmp_path, gold, answers, resampling=Resampling(cluster=unit)).rows[0] for unit in ("item", "target")
    )
    assert (target.high - target.low) > 2 * (item.high - item.low)


def test_bca_and_percentile_are_two_intervals_of_one_value(gold, runs):
    plain, corrected = (
        lexsub.score(gold, runs, ["rank@10"], resampling=Resampling(method)).rows[0] for method in ("percentile", "bca")
    )
    assert plain.value == corrected.value
    assert (plain.low, plain.high) != (corrected.low, corrected.high)
    assert corrected.low < corrected.value < corrected.high


def test_fewer_draws_than_asked_for_are_said(gold, runs, monkeypatch):
    """Where a thousand draws would take minutes fewer are made, and said so."""
    monkeypatch.setattr("touchstone.stats.bootstrap.CLUSTER_DRAWS", 100 * len(gold))
    results = lexsub.score(gold, runs, ["R"], resampling=Resampling("percentile", cluster="item"))
    assert results.rows
    said = " ".join([results.signature["intervals"], *results.notes])
    assert "100 draws" in said


# --- items -----------------------------------------------------------------------------------------------------------


def test_items_are_wide_a_row_for_each_system_and_item(results, gold):
    table = results.items.to_arrow()
    assert len(results.items) == table.num_rows == 3 * len(gold)
    expected = ["system", "id", "target", "pos", "W", "m", "mode", "n_best", "n_ranked", "n_set", "attempted"]
    assert [name for name in table.column_names if name in expected] == expected
    assert [name for name in table.column_names if name in NAMES] == NAMES
    assert table.column("system").to_pylist() == [s for s in ("careful", "eager", "frequent") for _ in range(len(gold))]


def test_the_mean_of_the_items_is_the_value_but_for_f(results):
    frame = results.items.to_pandas()
    for row in results.rows:
        mean = frame[frame.system == row.system][row.measure].mean()
        if row.measure.startswith("F"):
            assert mean != pytest.approx(row.value)
        else:
            assert mean == pytest.approx(row.value)


def test_an_item_that_does_not_count_is_null(results, gold):
    for row in results.items.to_arrow().to_pylist():
        assert (row["mode"] is None) == (row["els07.best_mode.R"] is None)
        assert row["R"] is not None


def test_items_of_an_unanswered_item_are_zero_and_not_attempted(results):
    rows = {row["id"]: row for row in results.items.to_arrow().to_pylist() if row["system"] == "frequent"}
    assert (rows["19"]["attempted"], rows["19"]["n_ranked"], rows["19"]["R"]) == (False, 0, 0)
    assert rows["1"]["attempted"] is True


@pytest.mark.parametrize("suffix", ["jsonl", "csv", "parquet"])
def test_items_are_written_and_read_back_with_every_number(results, tmp_path, suffix):
    path = tmp_path / f"items.{suffix}"
    write_table(path, results.items.to_arrow())
    if suffix == "jsonl":
        found = [json.loads(line) for line in path.read_text().splitlines()]
    else:
        options = csv.ConvertOptions(column_types={"id": "string"}, strings_can_be_null=True)
        table = csv.read_csv(path, convert_options=options) if suffix == "csv" else parquet.read_table(path)
        found = table.to_pylist()
    assert found == results.items.to_arrow().to_pylist()


def test_items_are_the_same_in_pandas_polars_and_arrow(results):
    arrow, pandas, polars = (getattr(results.items, f"to_{kind}")() for kind in ("arrow", "pandas", "polars"))
    assert list(pandas.columns) == polars.columns == arrow.column_names
    for name in NAMES:
        np.testing.assert_array_equal(pandas[name].to_numpy(), arrow.column(name).to_pandas().to_numpy())
        assert polars[name].to_list() == arrow.column(name).to_pylist()
    assert polars["id"].to_list() == pandas["id"].tolist() == arrow.column("id").to_pylist()


def test_scoring_in_blocks_changes_nothing(gold, runs, results, monkeypatch):
    monkeypatch.setattr("touchstone.base.ragged.AT_A_TIME", 5)
    sliced = type("Blocks", (type(lexsub.TASK),), {"block": 7})().score(pickle.loads(pickle.dumps(gold)), runs, NAMES)
    assert sliced.rows == results.rows
    assert sliced.items.to_arrow().to_pylist() == results.items.to_arrow().to_pylist()


# --- tables, notebooks, pickles --------------------------------------------------------------------------------------


def test_results_are_shown_as_a_table_with_intervals_in_a_notebook(results):
    html = results._repr_html_()
    assert html.count("<table") == 1
    assert "95% interval" in html
    assert "rank@10" in repr(results)
    row = results.row("eager", "R")
    assert f"{row.value:.3f}" in repr(results)


def test_a_hostile_name_is_no_markup_in_a_notebook(gold, runs):
    hostile = replace(runs[0], name="<script>alert(1)</script>")
    assert "<script>" not in lexsub.score(gold, hostile, ["R"])._repr_html_()


def test_tables_also_come_as_markdown_and_latex(gold, runs, results):
    grouped = lexsub.score(gold, runs, ["R"], by="pos").table()
    assert "| nouns |" in grouped.to_markdown()
    assert r"\begin{tabular}" in results.table().to_latex()


def test_two_systems_of_one_name_are_refused(gold, runs):
    with pytest.raises(TouchstoneError) as error:
        lexsub.score(gold, [runs[0], runs[0]])
    assert error.value.code == Code.DUPLICATE_NAME


def test_no_system_is_refused(gold):
    with pytest.raises(TouchstoneError) as error:
        lexsub.score(gold, [])
    assert error.value.code == Code.EMPTY


def test_results_survive_a_pickle(results):
    """A long scoring is kept, or sent to another process, and compared there."""
    again = pickle.loads(pickle.dumps(results))
    assert again.rows == results.rows
    assert again.to_json() == results.to_json()


def test_gold_and_runs_survive_a_pickle(gold, runs, results):
    again = lexsub.score(pickle.loads(pickle.dumps(gold)), pickle.loads(pickle.dumps(runs)), NAMES)
    assert again.to_json() == results.to_json()


def test_no_value_is_ever_nan_in_json(tmp_path):
    """No item has a mode: there is no mode row to average, and JSON has no word for that but null or 0."""
    results = scored(tmp_path, "w.n 1 :: a 1;b 1;\n", "w.n 1 ::: a\n", ["els07.oot_mode.R", "els07.oot_mode.P"])
    assert "NaN" not in results.to_json()
    rows = json.loads(results.to_json())["rows"]
    assert [row["n"] for row in rows] == [0, 0]
    assert all(row["value"] in (None, 0) or math.isfinite(row["value"]) for row in rows)


@pytest.mark.parametrize(("constant", "names"), [(3, "a s, b s, c s"), (4, "a s, b s, c s …")])
def test_a_note_names_three_values_and_says_that_there_are_more(constant, names):
    """The same record for all 30 items, without limits, carries no interval; another measure does."""
    measures = [Measure(name, lambda joined: joined, mean) for name in "abcde"]
    values = [np.full(30, 7.0)] * constant + [np.arange(30.0)] * (5 - constant)
    records = {measure.name: mean_records(column) for measure, column in zip(measures, values, strict=True)}
    system, items = SystemRecords("s", records, pa.table({})), pa.table({"id": [str(n) for n in range(30)]})
    (note,) = interval_notes(Results("items", measures, [system], items, {}))
    assert note == f"no interval: all 30 items have the same value: {names}"


@pytest.mark.parametrize(("lower", "order"), [(False, ["high", "low"]), (True, ["low", "high"])])
def test_the_table_has_the_best_system_of_a_measure_first(lower, order):
    measure = Measure("a", lambda joined: joined, mean, lower_is_better=lower)
    values = {"low": np.arange(9.0), "high": np.arange(9.0) + 1}
    systems = [SystemRecords(name, {"a": mean_records(column)}, pa.table({})) for name, column in values.items()]
    items = pa.table({"id": [str(n) for n in range(9)]})
    assert [row[1] for row in Results("items", [measure], systems, items, {}).table().rows] == order


def test_the_best_value_of_each_measure_is_bold_where_there_are_several_systems(results, gold, runs):
    systems, measures = len(results.systems), len(results.measures)
    assert results.table().bold == {(systems * place, 2) for place in range(measures)}
    assert lexsub.score(gold, runs[:1], NAMES).table().bold == set()


def test_records_give_back_the_numbers_that_they_hold(monkeypatch):
    counts, reals = np.array([[1.0, 0.0, 255.0], [0.0, 3.0, 1.0]]), np.array([[0.5, 1.0], [2.0, 300.0]])
    monkeypatch.setitem(CompactRecords.__init__.__globals__, "LARGE", 1)
    held = CompactRecords({"counts": counts, "reals": reals})
    assert list(held) == ["counts", "reals"]
    for name, given in (("counts", counts), ("reals", reals)):
        assert held[name].dtype == np.float64
        assert np.array_equal(held[name], given)
    assert held._held["counts"].dtype == np.uint8
    assert held._held["reals"] is reals


def test_a_family_names_its_measure_only_where_it_has_one(gold, runs):
    assert lexsub.score(gold, runs, ["F"]).measure("F").name == "F(k=1)"
    with pytest.raises(TouchstoneError) as error:
        lexsub.score(gold, runs, ["F(k=1)", "F(k=2)"]).measure("F")
    assert error.value.code == Code.UNKNOWN_NAME


def test_items_are_shown_with_long_texts_cut_and_empty_cells_left_empty():
    rows = Items(pa.table({"text": ["x" * 500, None, "short"], "value": [0.25, None, 1.0]})).__repr__().splitlines()
    assert any("x…" in row and "x" * 500 not in row for row in rows)
    assert not any("None" in row for row in rows)


def test_items_are_shown_without_a_gap_as_long_as_it_would_hide_one_row():
    eleven, twelve = (repr(Items(pa.table({"value": np.arange(float(n))}))) for n in (11, 12))
    assert "…" not in eleven
    assert "…" in twelve
