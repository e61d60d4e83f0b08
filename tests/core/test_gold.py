"""Gold: credit earned and the best that could have been earned, for one item and for many."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from touchstone.base.ragged import Ragged
from touchstone.core.gold import Earned, Gold, Golds

HAPPY = Gold({"glad": 3, "merry": 3, "sunny": 2, "jovial": 1, "cheerful": 1})

WEIGHTS = st.integers(1, 9)
GOLDS = st.dictionaries(st.sampled_from("abcdefgh"), WEIGHTS, min_size=1)
ANSWERS = st.lists(st.sampled_from("abcdefghijklm"), max_size=12)


def columns(golds: list[dict[str, int]]) -> Golds:
    keys = [[ord(answer) for answer in gold] for gold in golds]
    return Golds(Ragged.of(keys, np.int64), Ragged.of([gold.values() for gold in golds]))


def codes(answers: list[list[str]]) -> Ragged:
    return Ragged.of([[ord(a) for a in dict.fromkeys(row)] for row in answers], np.int64)


def test_credit_counts_each_distinct_answer_once():
    assert HAPPY.credit(["glad", "glad", "sunny", "grim"]) == 3 + 2
    assert HAPPY.credit([]) == 0


def test_the_optimum_is_the_sum_of_the_heaviest_and_stops_growing_with_the_last():
    assert [HAPPY.optimum(n) for n in range(7)] == [0, 3, 6, 8, 9, 10, 10]
    assert HAPPY.optimum() == 10


def test_the_mode_is_the_one_heaviest_answer_wherever_it_stands():
    assert HAPPY.mode is None
    assert Gold({"jovial": 1, "glad": 2}).mode == "glad"
    assert Gold({"glad": 1}).mode == "glad"
    assert Gold({}).mode is None


@given(GOLDS, ANSWERS)
def test_no_answers_earn_more_than_the_optimum_of_their_number(weights, answers):
    gold = Gold(weights)
    assert 0 <= gold.credit(answers) <= gold.optimum(len(set(answers))) <= gold.optimum()


@given(st.lists(GOLDS, min_size=1, max_size=6), st.integers(0, 9))
def test_many_golds_have_the_optima_and_modes_of_each(weights, n):
    golds, singles = columns(weights), [Gold(one) for one in weights]
    assert golds.optimum(n).tolist() == [gold.optimum(n) for gold in singles]
    assert golds.optimum().tolist() == [gold.optimum() for gold in singles]
    assert golds.optima(10).tolist() == [[gold.optimum(r) for r in range(1, 11)] for gold in singles]
    assert golds.mode.tolist() == [-1 if gold.mode is None else ord(gold.mode) for gold in singles]


@given(st.lists(st.tuples(GOLDS, ANSWERS), min_size=1, max_size=6))
def test_many_items_earn_what_each_earns_alone(items):
    golds = columns([weights for weights, _ in items])
    earned = Earned.by(golds, codes([answers for _, answers in items]))
    for row, (weights, answers) in enumerate(items):
        gold, distinct = Gold(weights), list(dict.fromkeys(answers))
        alone = Earned.of(gold, answers)
        assert earned.credit()[row] == alone.credit()[0] == gold.credit(answers)
        assert earned.credit(3)[row] == gold.credit(distinct[:3])
        assert earned.credits(10)[row].tolist() == [gold.credit(distinct[:r]) for r in range(1, 11)]
        assert earned.hits()[row] == alone.hits()[0] == len(set(answers) & set(weights))
        assert earned.wrong[row] == alone.wrong[0] == len(set(answers) - set(weights))
        assert earned.attempted[row] == bool(answers)


@given(st.lists(st.lists(st.tuples(st.integers(0, 4), WEIGHTS), max_size=8), max_size=5))
def test_entries_with_equal_keys_become_one_with_their_weights_added(entries):
    keys = Ragged.of([[key for key, _ in row] for row in entries], np.int64)
    merged = Golds.merged(keys, Ragged.of([[weight for _, weight in row] for row in entries]))
    for row, pairs in enumerate(entries):
        begin, end = merged.answers.offsets[row : row + 2]
        found = dict(zip(merged.answers.values[begin:end].tolist(), merged.weights.values[begin:end], strict=True))
        assert len(found) == end - begin
        assert found == {key: sum(w for k, w in pairs if k == key) for key in {key for key, _ in pairs}}


def test_a_split_entry_gains_the_mode_that_typing_had_taken():
    """garden 2, yard 2, garden 1: three people said garden."""
    merged = Golds.merged(Ragged.of([[7, 5, 7]], np.int64), Ragged.of([[2, 2, 1]]))
    assert merged.mode.tolist() == [7]


def test_the_same_key_in_two_items_is_two_answers():
    golds = Golds.merged(Ragged.of([[1], [1]], np.int64), Ragged.of([[2], [5]]))
    assert golds.weigh(Ragged.of([[1], [1]], np.int64)).values.tolist() == [2, 5]


def test_an_answer_to_one_item_earns_nothing_from_another():
    golds = columns([{"a": 3}, {"b": 2}])
    assert Earned.by(golds, codes([["b"], ["a"]])).credit().tolist() == [0, 0]


def test_items_without_gold_have_no_optimum_and_no_mode():
    golds = Golds(Ragged.of([[], [1]], np.int64), Ragged.of([[], [2.0]]))
    assert golds.optimum().tolist() == [0, 2]
    assert golds.mode.tolist() == [-1, 1]
    assert Earned.by(golds, codes([["a"], ["a"]])).credit().tolist() == [0, 0]


def test_no_gold_at_all_gives_every_answer_nothing():
    golds = Golds(Ragged.of([[]], np.int64), Ragged.of([[]]))
    assert golds.weigh(Ragged.of([[1, 2]], np.int64)).values.tolist() == [0, 0]


def test_dropping_answers_from_the_gold_lowers_its_optimum():
    golds = columns([{"a": 3, "b": 1}, {"c": 2}])
    assert golds.keep(golds.answers.values != ord("a")).optimum().tolist() == [1, 2]


def test_weights_may_be_any_positive_number():
    gold = Gold({"glad": 0.25, "merry": 0.5})
    assert gold.credit(["glad"]) / gold.optimum() == pytest.approx(float(Fraction(1, 3)))
    assert gold.mode == "merry"


@given(st.lists(st.tuples(GOLDS, ANSWERS, st.integers(0, 9)), min_size=1, max_size=6))
def test_the_number_of_answers_allowed_may_differ_from_item_to_item(items):
    """A pyramid allows each document set as many units as its model summaries have on average."""
    golds = columns([weights for weights, _, _ in items])
    earned = Earned.by(golds, codes([answers for _, answers, _ in items]))
    allowed = np.array([n for _, _, n in items])
    assert golds.optimum(allowed).tolist() == [Gold(weights).optimum(n) for weights, _, n in items]
    firsts = [(Gold(weights), list(dict.fromkeys(answers))[:n]) for weights, answers, n in items]
    assert earned.credit(allowed).tolist() == [gold.credit(first) for gold, first in firsts]
    assert earned.hits(allowed).tolist() == [len(set(first) & set(gold.weights)) for gold, first in firsts]


def test_a_label_earns_the_readers_who_gave_it():
    """Votes of inference: the label's readers over those of the commonest label."""
    golds = columns([{"e": 2, "n": 1}, {"c": 3}])
    earned = Earned.by(golds, codes([["n"], ["c"]]))
    assert (earned.credit(1) / golds.optimum(1)).tolist() == [1 / 2, 1]


@given(st.lists(st.tuples(GOLDS, ANSWERS), min_size=1, max_size=9), st.data())
def test_neighbouring_items_earn_alone_what_they_earn_among_others(items, data):
    start = data.draw(st.integers(0, len(items)))
    rows = slice(start, data.draw(st.integers(start, len(items))))
    earned = Earned.by(columns([weights for weights, _ in items]), codes([answers for _, answers in items]))
    part = earned.part(rows)
    assert part.credit().tolist() == earned.credit()[rows].tolist()
    assert part.golds.optimum(2).tolist() == earned.golds.optimum(2)[rows].tolist()


def test_many_items_are_weighed_in_blocks_and_earn_the_same(monkeypatch):
    golds, answers = columns([{"a": 3, "b": 1}, {"c": 2}, {"a": 1}] * 3), codes([["b", "a"], ["a"], ["a"]] * 3)
    whole = Earned.by(golds, answers.distinct()).gains.values.tolist()
    monkeypatch.setattr("touchstone.base.ragged.AT_A_TIME", 2)
    assert Earned.by(golds, answers.distinct()).gains.values.tolist() == whole == [1, 3, 0, 1] * 3
