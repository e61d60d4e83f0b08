"""From scores of heads to a tree: the best head of every word, repaired where that gives no tree.

Repair: Chu and Liu 1965, Edmonds 1967: the tree of greatest total score.
"""

import numpy as np
import numpy.typing as npt

from touchstone.base.ragged import Bools, Ints
from touchstone.text.arithmetic import Matrix

Scores = npt.NDArray[np.float64]

_NEVER = -1e12
_ROOTS_TRIED = 3
_CYCLES = 30
"""Bounds of the work on what is no sentence, such as a thousand quotes; sentences have a few cycles and roots."""


def decode(scores: Matrix) -> Ints:
    """Return the heads of sentences of one length n, from scores (sentences, n words, n + 1 heads, the root first).

    >>> decode(np.array([[[1, 0, 5], [2, 9, 0]]], np.float32)).tolist()
    [[0, 1]]
    """
    size = scores.shape[1]
    words = np.arange(size)
    scores[:, words, words + 1] = -np.inf
    heads: Ints = scores.argmax(2)
    for sentence in np.flatnonzero(~_are_trees(heads)):
        heads[sentence] = best_tree(scores[sentence])
    return heads


def _are_trees(heads: Ints) -> Bools:
    """Return for each row of heads whether it has one root and no cycle: from every word a way leads to the root."""
    rows, size = heads.shape
    above = np.concatenate([np.zeros((rows, 1), np.int64), heads], 1)
    for _ in range(size.bit_length()):
        above = np.take_along_axis(above, above, 1)
    trees: Bools = (above == 0).all(1) & ((heads == 0).sum(1) == 1)
    return trees


def best_tree(scores: Matrix) -> Ints:
    """Return the heads of the tree of greatest total score, with one word on the root.

    Where the best tree hangs several words on the root, each of the likeliest in turn is left there alone, and the
    best of these trees is taken. What has more cycles than any sentence gets a good tree instead of the best.

    >>> best_tree(np.array([[1, -9, 8, 0], [0, 9, -9, 0], [0, 2, 1, -9]], np.float32)).tolist()
    [0, 1, 1]
    """
    size = len(scores)
    square = np.full((size + 1, size + 1), _NEVER)
    square[1:] = np.maximum(scores, _NEVER)
    heads = _edmonds(square)
    roots = np.flatnonzero(heads[1:] == 0) + 1 if heads is not None else np.zeros(0, np.int64)
    if len(roots) > 1:
        likely = roots[np.argsort(-square[roots, 0], kind="stable")][:_ROOTS_TRIED]
        trees = [tree for root in likely.tolist() if (tree := _edmonds(_rooted(square, root))) is not None]
        words = np.arange(size + 1)
        heads = max(trees, key=lambda tree: float(square[words, tree][1:].sum()), default=None)
    return (_grown(square) if heads is None else heads)[1:]


def _grown(scores: Scores) -> Ints:
    """Return a good tree, not always the best, in few steps: the best root, then again and again the best next arc."""
    heads = np.zeros(len(scores), np.int64)
    newest = int(scores[1:, 0].argmax()) + 1
    best = np.full(len(scores), -np.inf)
    waiting = np.ones(len(scores), np.bool_)
    waiting[[0, newest]] = False
    while waiting.any():
        nearer = waiting & (scores[:, newest] > best)
        heads[nearer], best[nearer] = newest, scores[nearer, newest]
        newest = int(np.where(waiting, best, -np.inf).argmax())
        waiting[newest] = False
    return heads


def _rooted(scores: Scores, root: int) -> Scores:
    """Return the scores with no word but *root* on the root."""
    changed = scores.copy()
    changed[:, 0] = _NEVER
    changed[root] = _NEVER
    changed[root, 0] = 0.0
    return changed


def _edmonds(scores: Scores, cycles: int = _CYCLES) -> Ints | None:
    """Return the head of each node in the best tree rooted in node 0, None after so many *cycles*.

    ``scores[word, head]``; a cycle is made one node, whose best way in breaks it.
    """
    heads: Ints = scores.argmax(1)
    heads[0] = 0
    cycle = _cycle(heads)
    if cycle is None:
        return heads
    outside = np.flatnonzero(~cycle)
    inside = np.flatnonzero(cycle)
    gains = scores[inside] - scores[inside, heads[inside]][:, None]
    small, entered, left = _contracted(scores, gains, outside, inside)
    small_heads = _edmonds(small, cycles - 1) if cycles else None
    if small_heads is None:
        return None
    way_in = small_heads[len(outside)]
    heads[inside[entered[way_in]]] = outside[way_in]
    # The last node of the small tree is the cycle: a word that depends on it depends on its best exit.
    heads[outside] = np.where(small_heads[:-1] < len(outside), np.append(outside, 0)[small_heads[:-1]], left)
    heads[0] = 0
    return heads


def _contracted(scores: Scores, gains: Scores, outside: Ints, inside: Ints) -> tuple[Scores, Ints, Ints]:
    """Return the scores with the cycle as one last node; its best entry from, and exit to, each node outside."""
    size = len(outside)
    small = np.full((size + 1, size + 1), _NEVER)
    small[:size, :size] = scores[np.ix_(outside, outside)]
    entered = gains[:, outside].argmax(0)
    small[size, :size] = gains[entered, outside]
    leaving = scores[np.ix_(outside, inside)]
    exits = leaving.argmax(1)
    small[:size, size] = leaving[np.arange(size), exits]
    return small, entered, inside[exits]


def _cycle(heads: Ints) -> Bools | None:
    """Return which nodes are on a cycle, the first that is found; None if there is none."""
    colour = np.zeros(len(heads), np.int64)
    colour[0] = -1
    above = heads.tolist()
    for start in range(1, len(above)):
        node = start
        while colour[node] == 0:
            colour[node] = start
            node = above[node]
        if colour[node] == start:
            on_cycle = np.zeros(len(heads), np.bool_)
            while not on_cycle[node]:
                on_cycle[node] = True
                node = above[node]
            return on_cycle
    return None
