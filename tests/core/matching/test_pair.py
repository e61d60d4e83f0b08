"""Matching: one to one, identity first, the greatest total; what it must never do is depend on luck."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.core.gold import Gold
from touchstone.core.matching import Matcher, Matching, match, pairwise

WEIGHTS = arrays(
    np.float64, st.tuples(st.integers(1, 6), st.integers(1, 6)), elements=st.sampled_from([0, 0.25, 0.5, 1])
)
WORDS = st.lists(st.sampled_from("abcd"), max_size=8)


def by_weights(weights: np.ndarray) -> Matching:
    return match(
        range(len(weights)), range(weights.shape[1]), similarity=lambda rows, columns: weights[np.ix_(rows, columns)]
    )


@given(WEIGHTS)
def test_no_other_matching_weighs_more(weights):
    """Against all assignments of the shorter side to the longer one."""
    short, long = sorted(weights.shape)
    table = weights if weights.shape[0] == short else weights.T
    best = max(sum(table[i, j] for i, j in enumerate(order)) for order in permutations(range(long), short))
    assert by_weights(weights).weight == best


@given(WEIGHTS)
def test_an_item_has_one_link_at_most_and_no_link_is_without_weight(weights):
    links = by_weights(weights).links
    for places in ([link.left for link in links], [link.right for link in links]):
        assert len(places) == len(set(places))
    assert all(link.weight > 0 for link in links)


@given(WEIGHTS, st.floats(0, 1))
def test_f_lies_between_precision_and_recall_and_sides_swap(weights, alpha):
    found, turned = by_weights(weights), by_weights(weights.T)
    assert min(found.precision, found.recall) - 1e-12 <= found.f(alpha) <= max(found.precision, found.recall) + 1e-12
    assert (found.precision, found.recall) == (turned.recall, turned.precision)


@given(st.sets(st.sampled_from("abcdefgh")), st.sets(st.sampled_from("abcdefgh"), min_size=1))
def test_with_identity_alone_the_weight_is_the_credit_and_recall_is_credit_over_optimum(system, human):
    gold = Gold(dict.fromkeys(human, 1))
    found = match(sorted(system), sorted(human), stages={"same": str})
    assert found.weight == gold.credit(system)
    assert found.recall == (gold.credit(system) / gold.optimum() if system else 0)


@given(WORDS, WORDS)
def test_repeated_items_are_matched_copy_by_copy(left, right):
    found = match(left, right, stages={"same": str})
    assert found.weight == sum(min(left.count(letter), right.count(letter)) for letter in "abcd")


def test_a_stage_takes_the_first_free_item_from_the_left_and_later_stages_what_is_left():
    found = match(["A", "a", "b"], ["a", "A", "A"], stages={"exact": str, "case": str.lower})
    assert [(link.left, link.right, link.stage) for link in found.links] == [(0, 1, "exact"), (1, 0, "exact")]
    found = match(["A", "A", "b"], ["a", "A", "B"], stages={"exact": str, "case": str.lower})
    assert [(link.left, link.right, link.stage) for link in found.links] == [
        (0, 1, "exact"),
        (1, 0, "case"),
        (2, 2, "case"),
    ]


@pytest.mark.parametrize("weight", [1.5, -0.1, float("nan"), float("inf")])
def test_a_similarity_outside_0_to_1_is_refused(weight):
    with pytest.raises(TouchstoneError) as error:
        match("a", "b", similarity=pairwise(lambda a, b: weight))
    assert error.value.code == Code.OUT_OF_RANGE


def test_an_alpha_outside_0_to_1_is_refused():
    with pytest.raises(TouchstoneError) as error:
        match("a", "a", stages={"same": str}).f(alpha=2)
    assert error.value.code == Code.OUT_OF_RANGE


@pytest.mark.parametrize(("left", "right"), [("", "ab"), ("ab", ""), ("", "")])
def test_an_empty_side_matches_nothing_and_scores_0(left, right):
    found = match(left, right, stages={"same": str}, similarity=pairwise(lambda a, b: 1.0))
    assert (found.links, found.precision, found.recall, found.f()) == ((), 0, 0, 0)


def test_a_matcher_of_ones_own_takes_ten_lines():
    near = pairwise(lambda a, b: len(set(a) & set(b)) / len(set(a) | set(b)))
    by_letters = Matcher(items=str.split, stages={"same": str.lower}, similarity=near)
    found = by_letters("The cats slept", "the cat sleeps")
    assert found.weight == pytest.approx(1 + 3 / 4 + 4 / 5)
