"""What people do at first contact: exports as tools write them, misspelt names, ids under other names."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

from touchstone import TouchstoneError, nli
from touchstone.base.ids import Policy
from touchstone.core.resampling import Resampling

QUICK = Resampling("none")
GOLD = "id,premise,hypothesis,label\nx1,A dog,A cat,neutral\nx2,A dog,A cow,entailment\nx3,A dog,A pig,neutral\n"


def accuracy(gold, run, **options):
    return nli.score(gold, {"a": run}, resampling=QUICK, **options).row("a", "accuracy").value


def test_a_run_that_also_has_the_gold_is_scored_by_its_prediction(file):
    run = file("a.csv", "id,label,prediction\nx1,neutral,neutral\nx2,entailment,neutral\nx3,neutral,neutral\n")
    assert accuracy(file("g.csv", GOLD), run) == 2 / 3
    assert accuracy(run, run, column=["gold=label"]) == 2 / 3
    assert accuracy(run, run, column={"prediction": "label"}) == 1


def test_a_misspelt_column_is_refused_though_a_usual_one_is_there(file):
    run = {"x1": "neutral", "x2": "neutral", "x3": "neutral"}
    with pytest.raises(TouchstoneError, match='no table has this column: "lable"; nearest valid name "label"'):
        nli.score(file("g.csv", GOLD), {"a": run}, column=["label=lable"])


def test_ids_under_an_unknown_name_are_not_passed_over(file):
    shuffled = file("a.csv", "uuid,label\nx3,neutral\nx1,neutral\nx2,entailment\n")
    with pytest.raises(TouchstoneError, match="no column 'id'"):
        accuracy(file("g.csv", GOLD), shuffled)
    assert accuracy(file("g.csv", GOLD), shuffled, column=["id=uuid"]) == 1


def test_labels_alone_are_joined_in_order_and_that_is_said(file):
    results = nli.score(file("g.csv", GOLD), {"a": ["neutral", "entailment", "neutral"]}, resampling=QUICK)
    assert results.row("a", "accuracy").value == 1
    assert "a: no ids, so predictions are joined in the order of the pairs" in results.notes


def test_a_blank_id_is_refused(file):
    with pytest.raises(TouchstoneError, match="an id must be a string that is not empty"):
        nli.read_gold(file("g.csv", GOLD.replace("x2", "")))


def test_an_empty_prediction_is_a_missing_one_and_every_line_is_named(file):
    run = file("a.csv", "id,label\nx1,neutral\nx2,\nx3,\n")
    with pytest.raises(TouchstoneError, match="2 of 3 items have none") as refused:
        accuracy(file("g.csv", GOLD), run)
    assert len(refused.value.faults) == 2
    assert accuracy(file("g.csv", GOLD), run, policy=Policy("zero")) == 1 / 3
    wrong = file("b.csv", "id,label\nx1,maybe\nx2,maybe\nx3,neutral\n")
    with pytest.raises(TouchstoneError, match="unknown label") as refused:
        accuracy(file("g.csv", GOLD), wrong)
    assert [fault.line for fault in refused.value.faults] == [2, 3]


def test_an_index_with_a_name_is_a_column_and_the_index_that_pandas_writes_is_none(tmp_path, file):
    frame = pd.read_csv(file("g.csv", GOLD))
    run = pd.DataFrame({"id": ["x3", "x1", "x2"], "label": ["neutral", "neutral", "entailment"]})
    assert accuracy(frame.set_index("id"), run.set_index("id")) == 1
    run.to_csv(tmp_path / "run.csv")
    frame.to_csv(tmp_path / "gold.csv")
    assert accuracy(tmp_path / "gold.csv", tmp_path / "run.csv") == 1


@pytest.mark.parametrize("labels", [np.array([1, 0, 1]), [1.0, 0.0, 1.0], ["1.0", "0.0", "1.0"], pd.Series([1, 0, 1])])
def test_numbers_are_labels_in_any_form(file, labels):
    assert accuracy(file("g.csv", GOLD), list(labels), label=["1=neutral", "0=entailment"]) == 1


def test_a_row_without_probabilities_is_missing_not_the_first_label():
    gold = {"1": "contradiction", "2": "entailment"}
    run = [{"id": "1", "probabilities": {}}, {"id": "2", "probabilities": {"entailment": 1}}]
    with pytest.raises(TouchstoneError, match="no prediction for this pair"):
        accuracy(gold, run)


def test_lists_of_probabilities_are_a_run():
    gold = ["entailment", "neutral"]
    assert accuracy(gold, [[0.7, 0.2, 0.1], [0.1, 0.8, 0.1]]) == 1
    assert accuracy(gold, np.array([[0.7, 0.2, 0.1], [0.1, 0.8, 0.1]])) == 1


def test_a_field_that_there_is_not_is_refused_where_pairs_are_grouped(file):
    with pytest.raises(TouchstoneError, match="items have no such field"):
        nli.TASK.tables(nli.score(file("g.csv", GOLD), {"a": ["neutral"] * 3}, by="nofield"), None)


def test_no_common_id_is_refused_though_unknown_ones_are_ignored(file):
    with pytest.raises(TouchstoneError, match="none of its ids is in the gold"):
        accuracy(file("g.csv", GOLD), {"7": "neutral"}, policy=Policy("skip", "ignore"))


@pytest.mark.parametrize(
    ("gold", "said"),
    [
        ({"neutral", "entailment"}, "a set cannot be read as a table"),
        ([{"id": 10**5000, "label": "neutral"}], "id is not a text, a number or a list of normal size"),
        ([{"id": "\ud800", "label": "neutral"}], "is not a text"),
        ({"1": {"id": "2", "label": "neutral"}}, "another id than its key"),
        ([{"id": "1", 1: "a", "1": "b", "label": "neutral"}], "two columns with the same name"),
        (pl.LazyFrame({"id": ["1"], "label": ["neutral"]}), "collect it first"),
        (np.array(5), "cannot be read as a table"),
    ],
)
def test_objects_that_hold_no_table_get_a_sentence(gold, said):
    with pytest.raises(TouchstoneError, match=said):
        nli.score(gold, {"a": {"1": "neutral"}})


def test_options_and_measures_may_be_single_texts(file):
    assert accuracy(file("g.csv", GOLD), {"x1": "n", "x2": "e", "x3": "n"}, column="id=id") == 1
    results = nli.score(file("g.csv", GOLD), {"a": ["neutral"] * 3}, "macro_f1", resampling=QUICK)
    assert [measure.name for measure in results.measures] == ["macro_f1"]


def test_a_file_that_unpacks_to_nothing_but_blanks_is_refused(tmp_path):
    import gzip

    path = tmp_path / "bomb.csv.gz"
    path.write_bytes(gzip.compress(b"id,label\n1,neutral\n" + b"\n" * (1 << 26)))
    with pytest.raises(TouchstoneError, match="unpacks to more than 200 times its size"):
        nli.read_gold(path)


def test_a_series_is_joined_by_its_index():
    gold = pd.DataFrame({"id": list("abc"), "label": ["neutral", "entailment", "contradiction"]})
    shuffled = gold.set_index("id")["label"].loc[["c", "a", "b"]]
    assert nli.score(gold, {"bert": shuffled}, ["accuracy"]).row("bert", "accuracy").value == 1
    numbered = gold["label"].loc[[2, 0, 1]]  # the index of the gold in another order
    assert nli.score(gold, {"bert": numbered}, ["accuracy"]).row("bert", "accuracy").value == 1


LABELS_ALONE = "item,annotator,label\n" + "".join(
    f"q{n},{who},{label}\n"
    for n, labels in enumerate(["eee", "een", "nnn", "ccc", "ccn", "eee", "cce"])
    for who, label in zip(("Ana B.", "ben", "eva"), labels, strict=True)
)


def test_without_premises_each_pair_is_a_cluster_of_its_own(file):
    kappa = nli.agreement(nli.read_gold(file("long.csv", LABELS_ALONE))).coefficients["kappa"]
    assert kappa.interval.low < kappa.value < kappa.interval.high


@pytest.mark.parametrize("suffix", ["jsonl", "csv", "tsv"])
def test_labels_without_sentences_are_converted_to_gold_with_the_names_of_annotators(file, tmp_path, suffix):
    source, target = file("long.csv", LABELS_ALONE), tmp_path / f"gold.{suffix}"
    assert "7 pairs" in nli.convert(source, target)
    assert "Ana B." in target.read_text("utf-8")
    assert "premise" not in target.read_text("utf-8")
    run = {f"q{n}": "entailment" for n in range(7)}
    expected = nli.score(source, {"a": run}, resampling=QUICK)
    assert nli.score(target, {"a": run}, resampling=QUICK).rows == expected.rows
    again = tmp_path / "again.jsonl"
    nli.convert(target, again)
    assert "Ana B." in again.read_text("utf-8")
    first, second = (nli.agreement(nli.read_gold(path)).coefficients["kappa"] for path in (again, source))
    assert first == second
