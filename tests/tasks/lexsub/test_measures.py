"""Properties that every measure of lexical substitution has."""

import json

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from touchstone.base.files import Source
from touchstone.base.ids import Policy
from touchstone.core.gold import Gold
from touchstone.lexsub import ELS07, MEASURES, Joined, Options, join, value
from touchstone.tasks.lexsub.formats import jsonl

MEASURED = [
    *ELS07,
    *("best", "best1", "P(k=1)", "P(k=mean)", "P(k=2.5)", "R", "F(k=1)", "F(k=mean)", "rank@10", "rank@3"),
    *("P.set", "R.set", "gap", "gap.nomwe", "p@1", "p@3", "r@10", "mrr"),
]
OF_SETS = ["els07.best.P", "els07.best.R", "best", "P(k=1)", "P(k=mean)", "R", "F(k=1)", "F(k=mean)", "P.set", "R.set"]
"""These do not look at the order of the answers."""

GOLD_WORDS = [*"abcdef", "a b", "c d"]
WORDS = [*GOLD_WORDS, *"ghijklmnop", "g h"]
GOLDS = st.dictionaries(st.sampled_from(GOLD_WORDS), st.integers(1, 6), min_size=1).map(Gold)
WEIGHTED = st.dictionaries(st.sampled_from(GOLD_WORDS), st.floats(0.01, 100), min_size=1).map(Gold)
ANSWERS = st.lists(st.sampled_from(WORDS), max_size=14, unique=True)
NAMES = st.sampled_from(MEASURED)


def bulk(items: list[tuple[Gold, list[str]]]) -> Joined:
    """Many items joined at once, all three views the same list."""
    source = Source("items.jsonl", "")
    golds = [{"id": str(n), "target": "t", "gold": gold.weights} for n, (gold, _) in enumerate(items)]
    runs = [{"id": str(n), "answers": answers, "best": answers} for n, (_, answers) in enumerate(items)]
    gold, run = ("\n".join(map(json.dumps, records)) for records in (golds, runs))
    return join(jsonl.read_gold(gold, source, 0), jsonl.read_run(run, source), Policy("zero"), Options())


def ideal(gold: Gold) -> list[str]:
    return sorted(gold.weights, key=lambda answer: -gold.weights[answer])


def counted(number: float) -> float:
    """An item that a measure leaves out (no mode, no gold left) has no value: nan."""
    assume(not np.isnan(number))
    return number


@given(NAMES, GOLDS | WEIGHTED, ANSWERS)
def test_every_value_is_a_fraction_from_0_to_1(name, gold, answers):
    assert -1e-12 <= counted(value(name, gold, answers)) <= 1 + 1e-12


@given(GOLDS)
@pytest.mark.parametrize("name", ["rank@10", "gap", "best1", "R", "P(k=1)", "P(k=mean)", "F(k=1)", "P.set", "R.set"])
def test_the_gold_in_its_ideal_order_scores_one(name, gold):
    assert value(name, gold, ideal(gold)) == 1


@given(WEIGHTED)
@pytest.mark.parametrize("name", ["rank@10", "gap", "best1", "R", "r@10", "mrr", "p@1", "els07.oot.R"])
def test_the_gold_in_its_ideal_order_scores_one_whatever_the_weights(name, gold):
    assert value(name, gold, ideal(gold)) == pytest.approx(1, abs=1e-12)


@given(GOLDS, st.randoms())
@pytest.mark.parametrize("name", ["rank@10", "gap", "mrr", "p@3", "best1", "els07.oot.R"])
def test_no_order_of_the_gold_scores_more_than_the_ideal_one(name, gold, random):
    answers = random.sample(list(gold.weights), len(gold.weights))
    assert value(name, gold, answers) <= value(name, gold, ideal(gold)) + 1e-12


@given(st.sampled_from(OF_SETS), GOLDS, ANSWERS, st.randoms())
def test_measures_of_sets_do_not_look_at_the_order(name, gold, answers, random):
    shuffled = random.sample(answers, len(answers))
    assert counted(value(name, gold, answers)) == pytest.approx(value(name, gold, shuffled), abs=1e-12)


@given(GOLDS, ANSWERS, st.randoms())
def test_a_list_of_ten_at_most_has_one_oot_and_one_r_in_every_order(gold, answers, random):
    """R equals els07.oot item by item for lists of at most ten."""
    few = answers[:10]
    shuffled = random.sample(few, len(few))
    assert value("els07.oot.R", gold, few) == value("R", gold, few) == value("els07.oot.R", gold, shuffled)
    assert value("r@10", gold, few) == value("r@10", gold, shuffled) == value("R.set", gold, few)


@given(NAMES, GOLDS | WEIGHTED, ANSWERS, st.data())
def test_a_right_answer_in_the_place_of_a_wrong_one_never_scores_less(name, gold, answers, data):
    wrong = [place for place, answer in enumerate(answers) if answer not in gold.weights]
    missing = [answer for answer in gold.weights if answer not in answers]
    assume(wrong and missing)
    place, answer = data.draw(st.sampled_from(wrong)), data.draw(st.sampled_from(missing))
    better = [*answers[:place], answer, *answers[place + 1 :]]
    assert counted(value(name, gold, better)) >= value(name, gold, answers) - 1e-12


@given(NAMES, GOLDS | WEIGHTED, ANSWERS, st.data())
def test_a_heavier_answer_in_the_place_of_a_lighter_one_never_scores_less(name, gold, answers, data):
    """Where the mode is at stake the heavier answer may be the mode, the lighter one never."""
    right = [place for place, answer in enumerate(answers) if answer in gold.weights]
    assume(right)
    place = data.draw(st.sampled_from(right))
    heavier = [a for a, w in gold.weights.items() if a not in answers and w > gold.weights[answers[place]]]
    assume(heavier)
    assume(name != "gap.nomwe")
    better = [*answers[:place], data.draw(st.sampled_from(heavier)), *answers[place + 1 :]]
    assert counted(value(name, gold, better)) >= value(name, gold, answers) - 1e-12


@given(GOLDS, ANSWERS, st.sampled_from(["rank@10", "gap", "R", "r@10", "mrr", "p@3", "els07.oot.R", "R.set"]))
def test_one_more_answer_at_the_end_never_costs_a_ranked_list_or_a_recall(gold, answers, name):
    for length in range(len(answers)):
        assert value(name, gold, answers[: length + 1]) >= value(name, gold, answers[:length]) - 1e-12


@given(GOLDS, ANSWERS)
def test_a_wrong_answer_more_costs_precision_and_the_more_the_dearer_k_is(gold, answers):
    assume(gold.credit(answers))
    for k in ("0.5", "1", "mean", "3"):
        assert value(f"P(k={k})", gold, [*answers, "wrong"]) < value(f"P(k={k})", gold, answers)
    prices = [value(f"P(k={k})", gold, [*answers, "wrong"]) for k in ("0", "0.5", "1", "2", "4")]
    assert prices[0] == 1
    assert prices == sorted(prices, reverse=True)


@given(GOLDS, ANSWERS)
def test_credit_may_be_scaled_without_a_change_where_k_is_the_mean(gold, answers):
    """Ten times as many annotators who say the same change no measure but P with a fixed k."""
    tenfold = Gold({answer: 10 * weight for answer, weight in gold.weights.items()})
    for name in ("P(k=mean)", "F(k=mean)", "R", "best", "best1", "rank@10", "gap", "els07.best.R", "els07.oot.R"):
        assert value(name, tenfold, answers) == pytest.approx(value(name, gold, answers), abs=1e-12)


@given(GOLDS)
@pytest.mark.parametrize("name", [name for name in MEASURED if not name.startswith("els07") and name != "gap.nomwe"])
def test_no_answer_scores_zero(name, gold):
    assert value(name, gold, []) == 0


@given(GOLDS)
def test_no_answer_is_not_attempted_and_counts_for_recall_alone(gold):
    assert np.isnan(value("els07.best.P", gold, []))
    assert np.isnan(value("els07.oot.P", gold, []))
    assert value("els07.best.R", gold, []) == value("els07.oot.R", gold, []) == 0


@given(GOLDS, ANSWERS)
def test_an_item_without_a_mode_does_not_count_for_the_mode_rows(gold, answers):
    for row in ("best_mode", "oot_mode"):
        assert np.isnan(value(f"els07.{row}.R", gold, answers)) == (gold.mode is None)
    if gold.mode is not None:
        assert value("els07.best_mode.R", gold, answers) == (answers[:1] == [gold.mode])
        assert value("els07.oot_mode.R", gold, answers) == (gold.mode in answers[:10])


@given(GOLDS, ANSWERS)
def test_answers_beyond_the_tenth_do_not_count_where_ten_are_looked_at(gold, answers):
    for name in ("els07.oot.R", "rank@10", "r@10"):
        assert value(name, gold, answers) == value(name, gold, answers[:10])


@given(GOLDS, ANSWERS)
def test_gap_without_multiwords_is_gap_of_what_is_left(gold, answers):
    single = Gold({answer: weight for answer, weight in gold.weights.items() if " " not in answer})
    found = value("gap.nomwe", gold, answers)
    if single.weights:
        assert found == pytest.approx(value("gap", single, [a for a in answers if " " not in a]), abs=1e-12)
    else:
        assert np.isnan(found)


@given(NAMES, st.lists(st.tuples(GOLDS | WEIGHTED, ANSWERS), min_size=1, max_size=8))
def test_many_items_in_one_batch_score_what_each_scores_alone_to_the_last_bit(name, items):
    measure = MEASURES.find(name)
    together = measure.values(measure.record(bulk(items)))
    alone = [value(name, gold, answers) for gold, answers in items]
    np.testing.assert_array_equal(together, np.array(alone))


@given(NAMES, st.lists(st.tuples(GOLDS, ANSWERS), min_size=1, max_size=8))
def test_a_record_is_finite_and_says_in_its_last_number_whether_the_item_counts(name, items):
    measure = MEASURES.find(name)
    records = measure.record(bulk(items))
    assert np.isfinite(records).all()
    assert set(records[:, -1].tolist()) <= {0.0, 1.0}
    np.testing.assert_array_equal(np.isnan(measure.values(records)), records[:, -1] == 0)


@given(st.lists(st.tuples(GOLDS, ANSWERS), min_size=1, max_size=8))
def test_f_is_the_harmonic_mean_of_the_two_averages(items):
    p = np.mean([value("P", gold, answers) for gold, answers in items])
    r = np.mean([value("R", gold, answers) for gold, answers in items])
    measure = MEASURES.find("F")
    expected = 2 * p * r / (p + r) if p + r else 0
    assert float(measure.fold(measure.record(bulk(items)).sum(axis=0))) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("name", ELS07)
def test_precision_is_0_where_nothing_was_attempted_and_recall_undefined_where_nothing_counts(name):
    empty = MEASURES.find(name).empty
    assert empty == 0 if name.endswith(".P") else np.isnan(empty)
