"""Matching of one pair of lists of any items, under functions of the user's choice."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

import numpy as np

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.base.ragged import Floats, Ragged
from touchstone.core.matching.bulk import Lists, match_all
from touchstone.core.matching.model import Matching

Item = TypeVar("Item")
Text = TypeVar("Text")

Key = Callable[[Item], Hashable]
"""What must be equal for two items to be the same at a stage."""

Similarity = Callable[[Sequence[Item], Sequence[Item]], Floats]
"""The similarity, from 0 to 1, of each of some items (rows) with each of others (columns)."""


def match(
    left: Sequence[Item],
    right: Sequence[Item],
    *,
    stages: Mapping[str, Key[Item]] | None = None,
    similarity: Similarity[Item] | None = None,
) -> Matching:
    """Match items one to one: stage by stage those with equal keys, the rest by greatest total *similarity*.

    At a stage each left item, in order, takes the first free right item with an equal key; such links weigh 1. The
    total weight is unique; where several matchings reach it, one of them is given. Links of weight 0 are none.

    Parameters
    ----------
    left, right
        The items of both sides.
    stages
        For each stage, by name and in order, what must be equal for two items to be linked.
    similarity
        The similarity of two lists of items as a matrix of numbers from 0 to 1; it is asked for the items that no
        stage has linked. None if only equal items are linked.

    Examples
    --------
    >>> near = pairwise(lambda a, b: 0.5 if a[0] == b[0] else 0)
    >>> found = match(["the", "cat", "lay"], ["a", "cat", "lies"], stages={"same": str}, similarity=near)
    >>> [(link.left, link.right, link.weight, link.stage) for link in found.links]
    [(1, 1, 1.0, 'same'), (2, 2, 0.5, 'similar')]
    """

    def weights(rows: Lists, columns: Lists) -> Floats:
        assert similarity is not None
        some, others = [left[i] for i in rows.values], [right[j] for j in columns.values]
        return _checked(similarity(some, others)).ravel()

    numbers: dict[Hashable, int] = {}
    keys = {
        stage: (
            np.array([numbers.setdefault(key(item), len(numbers)) for item in left], np.int64),
            np.array([numbers.setdefault(key(item), len(numbers)) for item in right], np.int64),
        )
        for stage, key in (stages or {}).items()
    }
    left_list, right_list = (Ragged(np.array([0, len(side)]), np.arange(len(side))) for side in (left, right))
    return match_all(left_list, right_list, stages=keys, similarity=similarity and weights, compiled=False)[0]


def pairwise(similarity: Callable[[Item, Item], float]) -> Similarity[Item]:
    """Return a similarity of lists from a *similarity* of two items."""

    def of_lists(left: Sequence[Item], right: Sequence[Item]) -> Floats:
        return np.array([[similarity(a, b) for b in right] for a in left], np.float64).reshape(len(left), len(right))

    return of_lists


@dataclass(frozen=True)
class Matcher(Generic[Text, Item]):
    """A way to match two texts: what their items are, when two are the same, and how similar others are.

    Parameters
    ----------
    items
        Returns the items of a text.
    stages, similarity
        As in `match`.

    Examples
    --------
    >>> half = pairwise(lambda a, b: 0.5 * (a.lower() == b.lower()))
    >>> Matcher(items=list, stages={"same": str}, similarity=half)("Tone", "note").weight
    3.5
    """

    items: Callable[[Text], Sequence[Item]]
    stages: Mapping[str, Key[Item]] = field(default_factory=dict)
    similarity: Similarity[Item] | None = None

    def __call__(self, left: Text, right: Text) -> Matching:
        """Return the matching of the items of two texts."""
        return match(self.items(left), self.items(right), stages=self.stages, similarity=self.similarity)


def _checked(weights: Floats) -> Floats:
    weights = np.asarray(weights, np.float64)
    if not (np.isfinite(weights) & (weights >= 0) & (weights <= 1)).all():
        what = "a similarity is not a number from 0 to 1"
        raise TouchstoneError(what, code=Code.OUT_OF_RANGE, hint="scale it before matching")
    return weights
