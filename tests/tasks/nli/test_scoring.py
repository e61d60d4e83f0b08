"""Scores of labels: other is never right, the majority class stands beside, what is missing is settled aloud."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from touchstone import TouchstoneError
from touchstone.core.comparison import compare
from touchstone.core.resampling import Resampling
from touchstone.stats.paired import mcnemar
from touchstone.tasks.nli import (
    LABELS,
    MAJORITY,
    MEASURES,
    Pair,
    Policy,
    drop_table,
    group_table,
    majority,
    score,
    score_table,
)
from touchstone.tasks.nli.measures import ALL, Judged
from touchstone.tasks.nli.tables import discordant_table

QUICK = Resampling("none", cluster="premise")
GOLD = {"1": "contradiction", "2": "contradiction", "3": "entailment", "4": "neutral"}


@pytest.fixture
def gold(pair_set):
    return pair_set(
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


def test_the_majority_class_stands_in_every_result_and_systems_below_are_flagged(gold, run_of):
    results = score(gold, run_of(dict.fromkeys(GOLD, "neutral")), resampling=QUICK)
    assert values(results, MAJORITY)["accuracy"] == 2 / 4
    assert "mine: accuracy 25.0% is below that of the majority class, 50.0%" in results.notes
    assert score_table(results).notes == ["below the majority class: mine"]


def test_other_is_counted_aloud(gold, run_of):
    results = score(gold, run_of(GOLD | {"1": "other"}), resampling=QUICK)
    assert "mine: predictions of other, which are never right: 1" in results.notes
    assert score_table(results).rows[0][-2:] == [1, 4]


def test_accuracy_is_never_scored_alone(gold, run_of):
    assert [m.name for m in score(gold, run_of(GOLD), ["accuracy"], resampling=QUICK).measures] == list(ALL)
    assert [m.name for m in score(gold, run_of(GOLD), ["macro_f1"], resampling=QUICK).measures] == ["macro_f1"]


def test_a_missing_prediction_is_refused_or_settled_as_asked(gold, run_of):
    part = {name: label for name, label in GOLD.items() if name != "1"}
    with pytest.raises(TouchstoneError, match="no prediction for this pair") as caught:
        score(gold, run_of(part))
    assert "--missing zero" in str(caught.value)
    zero = score(gold, run_of(part), resampling=QUICK, policy=Policy("zero"))
    skip = score(gold, run_of(part), resampling=QUICK, policy=Policy("skip"))
    assert (zero.row("mine", "accuracy").value, zero.row("mine", "accuracy").n) == (3 / 4, 4)
    assert (skip.row("mine", "accuracy").value, skip.row("mine", "accuracy").n) == (1, 3)
    assert "mine: pairs without a prediction, which are left out (of 4): 1" in skip.notes


def test_predictions_for_another_set_are_refused_with_the_nearest_id(gold, run_of):
    with pytest.raises(TouchstoneError, match='unknown item: "1x"; nearest valid id "1"'):
        score(gold, run_of(GOLD | {"1x": "neutral"}))


def test_an_id_that_stands_twice_among_predictions_is_refused(gold, run_of):
    run = run_of(GOLD)
    twice = type(run)(run.system, run.source, [*run.ids, "1"], [*run.labels, "neutral"], [*run.lines, 5])
    with pytest.raises(TouchstoneError, match=r'mine\.jsonl:5: this id stands at 1 already: "1"'):
        score(gold, twice)
    assert twice.label("1") == "contradiction"


def test_pairs_without_gold_are_not_scored_and_counted_aloud(pair_set, run_of):
    gold = pair_set([Pair("1", "a", "b", "neutral"), Pair("2", "a", "c")])
    results = score(gold, run_of({"1": "neutral", "2": "neutral"}), resampling=QUICK)
    assert len(results) == 1
    assert "pairs: pairs without a gold label, which are not scored: 1" in results.notes


def test_odd_pairs_are_counted_aloud(pair_set, run_of):
    pairs = [
        Pair("1", "a", "a", "neutral"),
        Pair("2", "a", "b", "neutral", ("entailment", "entailment", "neutral")),
        Pair("3", "a", "b", "entailment"),
    ]
    notes = score(pair_set(pairs), run_of(dict.fromkeys("123", "neutral")), resampling=QUICK).notes
    assert [note.removeprefix("pairs: ") for note in notes[:4]] == [
        "pairs whose gold label is not the readers' majority: 1",
        "pairs whose premise and hypothesis are the same: 1",
        "pairs that repeat an earlier one: 1",
        "pairs of sentences with two gold labels: 1",
    ]


def test_a_set_without_gold_or_systems_cannot_be_scored(pair_set, run_of):
    with pytest.raises(TouchstoneError, match="no pair has a gold label"):
        score(pair_set([Pair("1", "a", "b")]), run_of({"1": "neutral"}))
    with pytest.raises(TouchstoneError, match="no system to score"):
        score(pair_set([Pair("1", "a", "b", "neutral")]), [])


def test_systems_need_names_of_their_own(gold, run_of):
    with pytest.raises(TouchstoneError, match="two systems have the same name"):
        score(gold, [run_of(GOLD), run_of(GOLD)])
    with pytest.raises(TouchstoneError, match="that of the majority class"):
        score(gold, run_of(GOLD, MAJORITY))


def test_premises_are_drawn_as_wholes(pair_set, run_of):
    """Two premises of fifty pairs each, one all right, one all wrong: a resample has both, or one of them twice."""
    pairs = [Pair(str(n), "ab"[n % 2], f"h {n}", "neutral") for n in range(100)]
    run = run_of({pair.id: "neutral" if pair.premise == "a" else "entailment" for pair in pairs})
    row = score(pair_set(pairs), run).row("mine", "accuracy")
    assert (row.low, row.value, row.high) == (0, 1 / 2, 1)


def test_groups_stand_in_rows_with_their_gold_labels(pair_set, run_of):
    pairs = [
        Pair(n, n, "h", label, category=c) for n, label, c in [("1", "entailment", "b"), ("2", "contradiction", "a")]
    ]
    table = group_table(score(pair_set(pairs), run_of(dict.fromkeys("12", "neutral")), by="category", resampling=QUICK))
    assert [row[:3] for row in table.rows] == [["a", 1, "1/0/0"], ["b", 1, "0/1/0"], ["all", 2, "1/1/0"]]


def test_only_results_with_groups_have_a_group_table(gold, run_of):
    with pytest.raises(TouchstoneError, match="no groups"):
        group_table(score(gold, run_of(GOLD), resampling=QUICK))


def test_the_items_say_what_was_replaced_and_predicted(gold, run_of):
    table = score(gold, run_of(GOLD), resampling=QUICK).items.to_arrow()
    first = table.to_pylist()[0]
    expected = {"id": "1", "gold": "contradiction", "prediction": "contradiction", "right": True, "system": "mine"}
    assert {key: first[key] for key in expected} == expected
    assert (first["replaced"], first["replacement"], first["premise"]) == ("premise", "hypothesis", "premise 1")


def test_mcnemar_stands_beside_the_test_by_premise(gold, run_of):
    found = compare(score(gold, run_of(GOLD)), "accuracy")
    row = discordant_table(found).rows[0]
    assert row[:3] == ["mine – majority_class", 2, 0]
    assert mcnemar(2, 0) == 2 * 0.5**2
    assert row[3] == "0.5000"


def test_the_drop_is_challenge_minus_original(gold, run_of):
    easy, hard = score(gold, run_of(GOLD)), score(gold, run_of(GOLD | {"1": "neutral", "2": "neutral"}))
    row = drop_table(easy, hard).rows[0]
    assert row[:4] == ["mine", "100.0", "50.0", "-50.0"]
    with pytest.raises(TouchstoneError, match="no system was scored on both sets"):
        drop_table(easy, replace(hard, systems=[]))


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
    for measure in MEASURES.find_all(ALL):
        a, b = (_value(measure, some) for some in (pairs, shuffled))
        assert np.isnan(a) == np.isnan(b)
        assert np.isnan(a) or (0 <= a <= 1 and a == b)


@given(codes)
def test_one_more_right_label_never_scores_less_accuracy(pairs):
    accuracy = MEASURES.find("accuracy")
    mended = [(pairs[0][0], pairs[0][0]), *pairs[1:]]
    assert _value(accuracy, mended) >= _value(accuracy, pairs)


def _value(measure, pairs):
    gold, predicted = (np.array(column) for column in zip(*pairs, strict=True))
    judged = Judged(gold, predicted, np.ones(len(pairs), np.bool_))
    return float(measure.fold(measure.record(judged).sum(axis=0)))


def test_pairs_are_grouped_by_a_field_of_the_sets_own(pair_set, run_of):
    """MultiNLI has genres, other sets heuristics: whatever short field a set has can group its pairs."""
    genres = {"1": "fiction", "2": "travel", "3": "travel"}
    pairs = [
        Pair(n, f"p{n}", "h", "neutral", rest={"genre": genre, "tree": "( x " * 40}) for n, genre in genres.items()
    ]
    results = score(
        pair_set(pairs), run_of({"1": "neutral", "2": "neutral", "3": "entailment"}), by="genre", resampling=QUICK
    )
    values = {row.group: row.value for row in results.rows if row.system != MAJORITY and row.measure == "accuracy"}
    assert values == {"fiction": 1, "travel": 1 / 2, None: 2 / 3}
    assert "tree" not in results.items_known.column_names
