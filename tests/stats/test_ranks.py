"""Clusters and letters, against their definitions."""

from itertools import combinations, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from touchstone.stats import compact_letters, significance_ranks

BOTH = pytest.mark.parametrize("group", [significance_ranks, compact_letters])


def apart(*pairs):
    """Differ on the given pairs, written best system first, and on no other."""
    return lambda better, worse: better + worse in pairs


@st.composite
def comparisons(draw):
    """Give systems in order, and any pattern of significant differences between them."""
    order = "abcdefg"[: draw(st.integers(0, 7))]
    pairs = [better + worse for better, worse in combinations(order, 2)]
    return order, apart(*(draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else []))


def test_one_pair_that_does_not_differ_holds_a_cluster_together():
    """a and d do not differ, so nothing is cut between them, though b and c differ from everything."""
    differ = apart("ab", "ac", "bc", "bd", "cd", "ae", "be", "ce", "de")
    assert significance_ranks("abcde", differ) == [["a", "b", "c", "d"], ["e"]]


def test_systems_that_all_differ_stand_alone_and_ones_that_never_do_stand_together():
    assert significance_ranks("abc", lambda *_: True) == [["a"], ["b"], ["c"]]
    assert significance_ranks("abc", lambda *_: False) == [["a", "b", "c"]]
    assert compact_letters("abc", lambda *_: True) == {"a": "a", "b": "b", "c": "c"}
    assert compact_letters("abc", lambda *_: False) == {"a": "a", "b": "a", "c": "a"}


@given(comparisons())
def test_a_boundary_lies_exactly_where_all_above_differ_from_all_below(case):
    order, differ = case
    clusters = significance_ranks(order, differ)
    assert [system for cluster in clusters for system in cluster] == list(order)
    starts = {order.index(cluster[0]) for cluster in clusters} - {0}
    cuts = {i for i in range(1, len(order)) if all(differ(a, b) for a, b in product(order[:i], order[i:]))}
    assert starts == cuts


@given(comparisons())
def test_two_systems_share_a_letter_exactly_when_they_do_not_differ(case):
    order, differ = case
    letters = compact_letters(order, differ)
    assert list(letters) == list(order)
    for better, worse in combinations(order, 2):
        assert bool(set(letters[better]) & set(letters[worse])) != differ(better, worse)


@given(comparisons())
def test_no_letter_says_only_what_another_says(case):
    order, differ = case
    letters = compact_letters(order, differ)
    holders = [{s for s in order if letter in letters[s]} for letter in set("".join(letters.values()))]
    assert not any(one <= other for one, other in product(holders, repeat=2) if one is not other)


def test_a_chain_of_systems_shares_letters_link_by_link():
    differ = apart("ac", "ad", "bd")
    assert compact_letters("abcd", differ) == {"a": "a", "b": "ab", "c": "bc", "d": "c"}


def test_letters_do_not_run_out():
    systems = [f"system {n}" for n in range(54)]
    letters = compact_letters(systems, lambda *_: True)
    assert [letters[systems[n]] for n in (0, 25, 26, 51, 52, 53)] == ["a", "z", "A", "Z", "a1", "b1"]


@BOTH
def test_no_systems_are_no_trouble(group):
    assert not group([], lambda *_: True)
