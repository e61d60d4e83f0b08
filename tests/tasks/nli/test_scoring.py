"""Scores of labels: other is never right, the majority class stands beside, what is missing is settled aloud."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from touchstone import TouchstoneError
from touchstone.base.codes import Code
from touchstone.base.ids import Policy
from touchstone.core.comparison import compare
from touchstone.core.resampling import Resampling
from touchstone.nli import (
    DEFAULT_MEASURES,
    LABELS,
    MAJORITY,
    MEASURES,
    OTHER,
    TASK,
    Joined,
    Pair,
    drop_results,
    join,
    majority,
    score,
)
from touchstone.stats.paired import mcnemar

QUICK = Resampling("none")
GOLD = {"1": "contradiction", "2": "contradiction", "3": "entailment", "4": "neutral"}


@pytest.fixture
def gold(gold_of):
    return gold_of(
        [Pair(name, f"premise {name[0]}", f"hypothesis {name}", label, category="c") for name, label in GOLD.items()]
    )


def values(results, system):
    return {row.measure: row.value for row in results.rows if row.system == system and row.group is None}


def test_the_gold_scores_one(gold, run_of):
    assert set(values(score(gold, run_of(GOLD), resampling=QUICK), "mine").values()) == {1}


def test_every_measure_is_what_its_formula_says(gold, run_of):
    found = values(score(gold, run_of(GOLD | {"2": "entailment", "4": "other"}), resampling=QUICK), "mine")
    assert found["accuracy"] == 2 / 4
    assert found["macro_f1"] == pytest.approx((2 * 1 / (2 + 1) + 2 * 1 / (1 + 2) + 0) / 3)
    assert [found[f"recall.{label}"] for label in LABELS] == [1 / 2, 1, 0]


def test_macro_f1_is_over_the_labels_that_the_gold_has(gold_of, run_of):
    """Nobody gave neutral: a system that predicts it loses the pair, but there is no F1 of neutral to average."""
    labels = {"1": "contradiction", "2": "contradiction", "3": "entailment"}
    gold = gold_of([Pair(name, f"premise {name}", f"hypothesis {name}", label) for name, label in labels.items()])
    perfect, wrong = (run_of(labels), run_of(labels | {"1": "neutral"}, "other_system"))
    results = score(gold, [perfect, wrong], ["macro_f1"], resampling=QUICK)
    assert values(results, "mine")["macro_f1"] == 1
    assert values(results, "other_system")["macro_f1"] == pytest.approx((2 * 1 / (2 + 1) + 1) / 2)


def test_the_majority_class_stands_in_every_result_and_systems_below_are_flagged(gold, run_of):
    results = score(gold, run_of(dict.fromkeys(GOLD, "neutral")), resampling=QUICK)
    assert values(results, MAJORITY)["accuracy"] == 2 / 4
    assert "mine: accuracy 0.250 is below that of the majority class, 0.500" in results.notes


def test_other_is_counted_aloud(gold, run_of):
    results = score(gold, run_of(GOLD | {"1": "other"}), resampling=QUICK)
    assert "mine: predictions of other, which are never right: 1" in results.notes
    assert results.row("mine", "accuracy").n == 4


def test_accuracy_is_never_scored_alone(gold, run_of):
    assert [m.name for m in score(gold, run_of(GOLD), ["accuracy"], resampling=QUICK).measures] == list(
        DEFAULT_MEASURES
    )
    assert [m.name for m in score(gold, run_of(GOLD), ["macro_f1"], resampling=QUICK).measures] == ["macro_f1"]


def test_a_missing_prediction_is_refused_or_settled_as_asked(gold, run_of):
    part = {name: label for name, label in GOLD.items() if name != "1"}
    with pytest.raises(TouchstoneError, match="no prediction for this pair") as caught:
        score(gold, run_of(part))
    assert 'policy=touchstone.Policy(missing="zero")' in str(caught.value)
    zero = score(gold, run_of(part), resampling=QUICK, policy=Policy("zero"))
    skip = score(gold, run_of(part), resampling=QUICK, policy=Policy("skip"))
    assert (zero.row("mine", "accuracy").value, zero.row("mine", "accuracy").n) == (3 / 4, 4)
    assert (skip.row("mine", "accuracy").value, skip.row("mine", "accuracy").n) == (1, 3)
    assert "mine: pairs without a prediction, which are left out (of 4): 1 (id 1)" in skip.notes


def test_predictions_for_another_set_are_refused_with_the_nearest_id(gold, run_of):
    with pytest.raises(TouchstoneError, match='unknown item: "1x"; nearest valid id "1"'):
        score(gold, run_of(GOLD | {"1x": "neutral"}))
    ignored = score(gold, run_of(GOLD | {"1x": "neutral"}), resampling=QUICK, policy=Policy(unknown="ignore"))
    assert [note for note in ignored.notes if "ignored" in note] == [
        "mine: ids that the gold does not have, which are ignored: 1"
    ]
    assert ignored.row("mine", "accuracy").n == 4


def test_a_duplicate_id_among_predictions_is_refused_unless_the_first_is_asked_for(gold, run_of):
    run = run_of(GOLD)
    twice = replace(run, ids=[*run.ids, "1"], labels=[*run.labels, "neutral"], lines=[*run.lines, 5])
    with pytest.raises(TouchstoneError, match=r'mine\.jsonl:5: duplicate id \(first seen on line 1\): "1"'):
        score(gold, twice)
    assert twice.label("1") == "contradiction"
    first = score(gold, twice, resampling=QUICK, policy=Policy(duplicates="first"))
    assert first.row("mine", "accuracy").value == 1


def test_pairs_without_gold_are_not_scored_and_counted_aloud(gold_of, run_of):
    gold = gold_of([Pair("1", "a", "b", "neutral"), Pair("2", "a", "c")])
    results = score(gold, run_of({"1": "neutral", "2": "neutral"}), resampling=QUICK)
    assert len(results) == 1
    assert "pairs: pairs without a gold label, which are not scored: 1" in results.notes


def test_odd_pairs_are_counted_aloud(gold_of, run_of):
    pairs = [
        Pair("1", "a", "a", "neutral"),
        Pair("2", "a", "b", "neutral", ("entailment", "entailment", "neutral")),
        Pair("3", "a", "b", "entailment"),
    ]
    notes = score(gold_of(pairs), run_of(dict.fromkeys("123", "neutral")), resampling=QUICK).notes
    assert [note.removeprefix("pairs: ") for note in notes[:4]] == [
        "pairs whose gold label is not the annotators' majority: 1",
        "pairs whose premise and hypothesis are the same: 1",
        "pairs that repeat an earlier one: 1",
        "pairs of sentences with two gold labels: 1",
    ]


def test_a_set_without_gold_or_systems_cannot_be_scored(gold_of, run_of):
    with pytest.raises(TouchstoneError) as error:
        score(gold_of([Pair("1", "a", "b")]), run_of({"1": "neutral"}))
    assert error.value.code == Code.UNSUPPORTED
    with pytest.raises(TouchstoneError, match="no run to score"):
        score(gold_of([Pair("1", "a", "b", "neutral")]), [])


def test_systems_need_names_of_their_own(gold, run_of):
    with pytest.raises(TouchstoneError, match="two systems have the same name"):
        score(gold, [run_of(GOLD), run_of(GOLD)])
    with pytest.raises(TouchstoneError, match='two systems have the same name: "majority_class"'):
        score(gold, run_of(GOLD, MAJORITY))


@pytest.fixture
def ten_premises(gold_of, run_of):
    """Ten premises of ten pairs each: the run labels all pairs of five premises right, all of the others wrong."""
    pairs = [Pair(str(n), f"premise {n % 10}", f"h {n}", "neutral") for n in range(100)]
    return gold_of(pairs), run_of({pair.id: "neutral" if int(pair.id) % 2 else "entailment" for pair in pairs})


def test_pairs_that_share_a_premise_are_resampled_together_by_default(ten_premises):
    """Ten draws with p = 1/2 have a standard deviation of sqrt(1/40) = 0.158: the interval is about 1/2 +- 0.31."""
    results = score(*ten_premises, resampling=Resampling("percentile"))
    row = results.row("mine", "accuracy")
    assert (row.low, row.value, row.high) == (pytest.approx(0.2, abs=0.05), 1 / 2, pytest.approx(0.8, abs=0.05))
    assert len(set(results.clusters.tolist())) == 10
    assert "over premises" in results.signature["intervals"]


def test_single_pairs_are_resampled_where_the_cluster_is_the_item(ten_premises):
    """One hundred draws with p = 1/2 have a standard deviation of 1/20: the interval is about 1/2 +- 0.1."""
    results = score(*ten_premises, resampling=Resampling("percentile", cluster="item"))
    row = results.row("mine", "accuracy")
    assert (row.low, row.value, row.high) == (pytest.approx(0.4, abs=0.03), 1 / 2, pytest.approx(0.6, abs=0.03))
    assert results.clusters is None
    assert "over items" in results.signature["intervals"]


def test_single_pairs_are_resampled_where_no_premise_repeats(gold, run_of):
    distinct = replace(gold, pairs=[replace(pair, premise=f"premise {n}") for n, pair in enumerate(gold.pairs)])
    assert score(distinct, run_of(GOLD)).clusters is None


def test_groups_are_in_the_papers_order_with_the_counts_of_their_gold_labels(gold_of, run_of):
    pairs = [
        Pair(n, n, "h", label, category=c) for n, label, c in [("1", "entailment", "b"), ("2", "contradiction", "a")]
    ]
    results = score(gold_of(pairs), run_of(dict.fromkeys("12", "neutral")), by="category", resampling=QUICK)
    assert [row.group for row in results.rows if row.system == "mine" and row.measure == "accuracy"] == ["a", "b", None]
    _, labels = TASK.tables(results, None)
    assert labels.rows == [["a", 1, 0, 0], ["b", 0, 1, 0]]


def test_only_results_with_groups_have_a_table_of_gold_labels(gold, run_of):
    assert len(TASK.tables(score(gold, run_of(GOLD), resampling=QUICK), None)) == 1


def test_the_items_say_what_was_replaced_and_predicted(gold, run_of):
    table = score(gold, run_of(GOLD), resampling=QUICK).items.to_arrow()
    first = table.to_pylist()[0]
    expected = {"id": "1", "gold": "contradiction", "prediction": "contradiction", "right": True, "system": "mine"}
    assert {key: first[key] for key in expected} == expected
    assert (first["replaced"], first["replacement"], first["premise"]) == ("premise", "hypothesis", "premise 1")


def test_mcnemar_stands_beside_the_test_by_premise(gold, run_of):
    found = compare(score(gold, run_of(GOLD)), "accuracy")
    (table,) = TASK.comparison_tables(found)
    row = table.rows[0]
    assert row[:3] == ["mine – majority_class", 2, 0]
    assert mcnemar(2, 0) == 2 * 0.5**2
    assert row[3] == "0.5000"
    assert TASK.comparison_tables(compare(score(gold, run_of(GOLD)), "macro_f1")) == []


def test_the_majority_class_has_no_rank_and_its_pairs_are_a_family_of_their_own(gold, run_of):
    worse = run_of(GOLD | {"1": "neutral", "2": "neutral"}, "worse")
    found = compare(score(gold, [run_of(GOLD), worse]), "accuracy")
    assert [row.system for row in found.standings] == ["mine", "worse"]
    assert [(pair.a, pair.b) for pair in found.pairs] == [("mine", "worse")]
    assert [(pair.a, pair.b) for pair in found.baseline_pairs] == [("mine", MAJORITY), ("worse", MAJORITY)]
    # All assignments of two unequal items: p is 2 / 2^2 for each. One pair of systems; two pairs with the baseline.
    assert [pair.p_adjusted for pair in (*found.pairs, *found.baseline_pairs)] == [1 / 2, 1, 1]
    assert [row[:2] for row in found.table().rows][-1] == ["–", MAJORITY]
    assert found.letters.keys() == {"mine", "worse"}
    values = [row for row in found.to_dict()["rows"] if row["kind"] == "value"]
    assert [row["system"] for row in values if row["baseline"]] == [MAJORITY]


def test_a_single_system_is_compared_with_the_majority_class(gold, run_of):
    found = compare(score(gold, run_of(GOLD)), "accuracy")
    assert [row.system for row in found.standings] == ["mine", MAJORITY]
    assert (found.baselines, found.baseline_pairs) == ([], [])


def test_results_scored_apart_share_the_majority_class(gold, run_of):
    runs = [run_of(GOLD), run_of(GOLD | {"1": "neutral"}, "other_system")]
    apart = compare([score(gold, run) for run in runs], "accuracy")
    together = compare(score(gold, runs), "accuracy")
    assert list(map(str, apart.baseline_pairs)) == list(map(str, together.baseline_pairs))
    assert apart.table() == together.table()


def test_the_drop_is_challenge_minus_original(gold, run_of):
    easy, hard = score(gold, run_of(GOLD)), score(gold, run_of(GOLD | {"1": "neutral", "2": "neutral"}))
    assert drop_results(easy, hard).row("mine", "drop").value == 1 / 2 - 1
    with pytest.raises(TouchstoneError, match="no system was scored on both sets"):
        drop_results(easy, replace(hard, systems=[]))


@pytest.mark.parametrize(
    ("labels", "gold"),
    [
        (["neutral"] * 2 + ["entailment"], "neutral"),
        (["neutral", "entailment"], None),
        (["neutral"] * 2 + ["entailment", "contradiction"], None),
        ([], None),
    ],
)
def test_a_majority_is_more_than_half(labels, gold):
    assert majority(labels) == gold


codes = st.lists(st.tuples(st.integers(0, 2), st.integers(-1, 2)), min_size=1)


@given(codes, st.randoms(use_true_random=False))
def test_measures_stay_between_0_and_1_whatever_the_order(pairs, random):
    shuffled = random.sample(pairs, len(pairs))
    for measure in MEASURES.find_all(DEFAULT_MEASURES):
        a, b = (_value(measure, some) for some in (pairs, shuffled))
        assert np.isnan(a) == np.isnan(b)
        assert np.isnan(a) or (0 <= a <= 1 and a == b)


@given(codes)
def test_one_more_right_label_never_scores_less_accuracy(pairs):
    accuracy = MEASURES.find("accuracy")
    improved = [(pairs[0][0], pairs[0][0]), *pairs[1:]]
    assert _value(accuracy, improved) >= _value(accuracy, pairs)


@given(codes)
def test_accuracy_by_credit_over_optimum_is_plain_counting(pairs):
    right = sum(gold == predicted for gold, predicted in pairs)
    assert _value(MEASURES.find("accuracy"), pairs) == pytest.approx(right / len(pairs))


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(-1, 2), st.booleans()), min_size=1))
def test_pairs_that_do_not_count_are_in_no_denominator(rows):
    joined = replace(_joined([row[:2] for row in rows]), counted=np.array([row[2] for row in rows]))
    counted = [(gold, predicted) for gold, predicted, counts in rows if counts]
    for measure in MEASURES.find_all([*DEFAULT_MEASURES, "votes"]):
        sums = measure.record(joined).sum(axis=0)
        if counted:
            assert sums.tolist() == measure.record(_joined(counted)).sum(axis=0).tolist()
        else:
            assert not sums.any()


def _joined(pairs):
    """Return gold and predictions, given as places in `LABELS` (-1: other), as a join of them."""
    golds = [Pair(str(n), "p", f"h {n}", LABELS[gold]) for n, (gold, _) in enumerate(pairs)]
    labels = [LABELS[predicted] if predicted >= 0 else OTHER for _, predicted in pairs]
    return Joined(golds, labels, np.ones(len(pairs), np.bool_))


def _value(measure, pairs):
    return float(measure.fold(measure.record(_joined(pairs)).sum(axis=0)))


VOTES = {  # the labels of the readers of each pair
    "1": ("contradiction", "contradiction", "contradiction"),
    "2": ("contradiction", "contradiction", "neutral"),
    "3": ("entailment", "entailment", "neutral", "neutral", "entailment"),
    "4": (),
}


@pytest.fixture
def voted(gold_of):
    return gold_of([Pair(name, f"p {name}", "h", GOLD[name], labels) for name, labels in VOTES.items()])


def test_votes_give_a_label_the_share_of_the_readers_of_the_commonest_label(voted, run_of):
    """Credit / optimum(1): 3/3 for unanimity, 1/2 for one reader against two, 2/3 for two against three."""
    run = run_of({"1": "contradiction", "2": "neutral", "3": "neutral", "4": "neutral"})
    results = score(voted, run, ["votes"], resampling=QUICK)
    column = results.items.to_arrow().to_pydict()
    mine = [value for system, value in zip(column["system"], column["votes"], strict=True) if system == "mine"]
    assert mine == [3 / 3, 1 / 2, 2 / 3, 1 / 1]
    assert results.row("mine", "votes").value == pytest.approx((1 + 1 / 2 + 2 / 3 + 1) / 4)


def test_votes_give_nothing_for_a_label_that_no_reader_gave_nor_for_other(voted, run_of):
    run = run_of({"1": "neutral", "2": "entailment", "3": "other", "4": "contradiction"})
    assert score(voted, run, ["votes"], resampling=QUICK).row("mine", "votes").value == 0


def test_votes_are_one_for_the_label_of_most_readers_and_equal_accuracy_where_no_reader_is_known(gold, voted, run_of):
    assert score(voted, run_of(GOLD), ["votes"], resampling=QUICK).row("mine", "votes").value == 1
    found = values(score(gold, run_of(GOLD | {"1": "neutral"}), ["accuracy", "votes"], resampling=QUICK), "mine")
    assert found["votes"] == found["accuracy"] == 3 / 4


def test_votes_follow_the_readers_where_the_gold_differs_from_them(gold_of, run_of):
    """A gold label that one reader of three gave earns 1/2; the label of the other two earns 1."""
    gold = gold_of([Pair("1", "p", "h", "neutral", ("neutral", "entailment", "entailment"))])
    for label, credit in (("neutral", 1 / 2), ("entailment", 2 / 2)):
        assert score(gold, run_of({"1": label}), ["votes"], resampling=QUICK).row("mine", "votes").value == credit


def test_a_join_has_a_row_for_each_pair_with_gold_and_says_what_it_lacks(gold_of, run_of):
    gold = gold_of([Pair("1", "a", "b", "neutral"), Pair("2", "a", "c"), Pair("3", "a", "d", "entailment")])
    joined = join(gold, run_of({"3": "other"}), Policy("skip"), None)
    assert [pair.id for pair in joined.pairs] == ["1", "3"]
    assert (joined.given, joined.gold.tolist(), joined.predicted.tolist()) == ([None, OTHER], [2, 1], [-1, -1])
    assert joined.counted.tolist() == [False, True]
    assert joined.facts.to_pylist() == [{"prediction": None, "right": None}, {"prediction": OTHER, "right": False}]
    assert joined.notes == [
        "mine: pairs without a prediction, which are left out (of 2): 1 (id 1)",
        "mine: predictions of other, which are never right: 1",
    ]


def test_pairs_are_grouped_by_a_field_of_the_sets_own(gold_of, run_of):
    """MultiNLI has genres, other sets heuristics: whatever short field a set has can group its pairs."""
    genres = {"1": "fiction", "2": "travel", "3": "travel"}
    pairs = [
        Pair(n, f"p{n}", "h", "neutral", rest={"genre": genre, "tree": "( x " * 40}) for n, genre in genres.items()
    ]
    results = score(
        gold_of(pairs), run_of({"1": "neutral", "2": "neutral", "3": "entailment"}), by="genre", resampling=QUICK
    )
    values = {row.group: row.value for row in results.rows if row.system != MAJORITY and row.measure == "accuracy"}
    assert values == {"fiction": 1, "travel": 1 / 2, None: 2 / 3}
    assert "tree" not in results.items_known.column_names
