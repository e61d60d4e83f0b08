"""Heads form a tree with one root, and no other such tree scores more."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from touchstone.text.trees import best_tree, decode


def is_tree(heads):
    if sum(head == 0 for head in heads) != 1:
        return False
    for word in range(1, len(heads) + 1):
        seen = set()
        while word and word not in seen:
            seen.add(word)
            word = heads[word - 1]
        if word:
            return False
    return True


def total(scores, heads):
    return sum(scores[word, head] for word, head in enumerate(heads))


def best_by_trying_all(scores):
    size = len(scores)
    return max(total(scores, heads) for heads in product(range(size + 1), repeat=size) if is_tree(heads))


matrices = st.integers(1, 5).flatmap(
    lambda n: st.lists(st.lists(st.integers(-50, 50), min_size=n + 1, max_size=n + 1), min_size=n, max_size=n)
)


@given(matrices)
def test_the_decoded_heads_are_a_tree(rows):
    assert is_tree(decode(np.array([rows], np.float32))[0].tolist())


@given(matrices)
def test_no_tree_scores_more_when_the_root_is_not_disputed(rows):
    scores = np.array(rows, np.float32)
    scores[1:, 0] = -1000
    heads = decode(scores[None].copy())[0].tolist()
    assert total(scores, heads) == best_by_trying_all(scores)


def test_a_cycle_is_broken_where_it_costs_least():
    scores = np.array([[5, -99, 10], [3, 10, -99]], np.float32)
    assert best_tree(scores).tolist() == [0, 1]


def test_of_two_roots_the_cheaper_change_stays():
    scores = np.array([[9, -99, 1], [9, 8, -99]], np.float32)
    assert best_tree(scores).tolist() == [0, 1]


@pytest.mark.parametrize("size", [1, 2, 64, 400])
def test_scores_that_say_nothing_still_give_a_tree(size):
    assert is_tree(decode(np.zeros((1, size, size + 1), np.float32))[0].tolist())


def test_what_has_more_cycles_than_any_sentence_still_becomes_a_tree():
    places = np.arange(200)
    scores = np.zeros((200, 201), np.float32)
    scores[:, 1:] = -np.abs(places[:, None] - places[None]) - 1000 * (places[:, None] == places[None])
    scores[:, 0] = -500 - places
    heads = decode(scores[None])[0].tolist()
    assert is_tree(heads)
    assert heads[0] == 0
