"""One-to-one matching of two lists of items: those that are the same first, then the greatest total similarity.

Where a person's answer need not be met word for word, credit is the weight of the best matching between what a system
gave and what people gave (Chan and Ng 2008, MAXSIM, section 4). With identity alone, and no item twice, that weight is
the credit of `touchstone.core.gold`.
"""

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

import numpy as np

from touchstone.core.errors import TouchstoneError
from touchstone.core.ragged import Floats

Item = TypeVar("Item")
Text = TypeVar("Text")

Key = Callable[[Item], Hashable]
"""What must be equal for two items to be the same at a stage."""

Similarity = Callable[[Sequence[Item], Sequence[Item]], Floats]
"""The similarity, from 0 to 1, of each of some items (rows) with each of others (columns)."""

SIMILAR = "similar"
"""The stage of links that similarity made."""


@dataclass(frozen=True)
class Link:
    """Two items that belong together: their places, the weight of the link, and the stage that made it."""

    left: int
    right: int
    weight: float
    stage: str


@dataclass(frozen=True)
class Matching:
    """The links between a list of *left* and a list of *right* items; no item has two."""

    links: tuple[Link, ...]
    left: int
    right: int

    @property
    def weight(self) -> float:
        """The total weight of the links."""
        return float(sum(link.weight for link in self.links))

    @property
    def precision(self) -> float:
        """Weight / number of left items, 0 where there are none."""
        return self.f(alpha=0)

    @property
    def recall(self) -> float:
        """Weight / number of right items, 0 where there are none."""
        return self.f(alpha=1)

    def f(self, alpha: float = 0.5) -> float:
        """Return PR / (alpha P + (1 - alpha) R) = weight / (alpha right + (1 - alpha) left), 0 where a side is empty.

        >>> Matching((Link(0, 0, 1.0, "same"),), left=2, right=4).f(alpha=0.5) == 1 / 3
        True
        """
        if not 0 <= alpha <= 1:
            raise TouchstoneError(f"alpha is {alpha}, not between 0 and 1", hint="0 is precision, 1 is recall")
        both = self.left and self.right
        return self.weight / (alpha * self.right + (1 - alpha) * self.left) if both else 0.0


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

    >>> near = pairwise(lambda a, b: 0.5 if a[0] == b[0] else 0)
    >>> found = match(["the", "cat", "lay"], ["a", "cat", "lies"], stages={"same": str}, similarity=near)
    >>> [(link.left, link.right, link.weight, link.stage) for link in found.links]
    [(1, 1, 1.0, 'same'), (2, 2, 0.5, 'similar')]
    """
    free_left, free_right = list(range(len(left))), list(range(len(right)))
    links: list[Link] = []
    for stage, key in (stages or {}).items():
        links += _same(left, right, free_left, free_right, stage, key)
        free_left = _without(free_left, {link.left for link in links})
        free_right = _without(free_right, {link.right for link in links})
    if similarity is not None and free_left and free_right:
        weights = _checked(similarity([left[i] for i in free_left], [right[j] for j in free_right]))
        links += _best(weights, free_left, free_right)
    return Matching(tuple(links), len(left), len(right))


def pairwise(similarity: Callable[[Item, Item], float]) -> Similarity[Item]:
    """Return a similarity of lists from a *similarity* of two items."""

    def of_lists(left: Sequence[Item], right: Sequence[Item]) -> Floats:
        return np.array([[similarity(a, b) for b in right] for a in left], np.float64).reshape(len(left), len(right))

    return of_lists


@dataclass(frozen=True)
class Matcher(Generic[Text, Item]):
    """A way to match two texts: what their items are, when two are the same, and how similar others are.

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


def _same(
    left: Sequence[Item], right: Sequence[Item], free_left: list[int], free_right: list[int], stage: str, key: Key[Item]
) -> Iterator[Link]:
    """Yield the links of a stage: the first free right item for each left item in order."""
    waiting: dict[Hashable, list[int]] = {}
    for j in reversed(free_right):
        waiting.setdefault(key(right[j]), []).append(j)
    for i in free_left:
        same = waiting.get(key(left[i]))
        if same:
            yield Link(i, same.pop(), 1.0, stage)


def _best(weights: Floats, free_left: list[int], free_right: list[int]) -> list[Link]:
    from scipy.optimize import linear_sum_assignment

    rows, columns = linear_sum_assignment(weights, maximize=True)
    chosen = zip(rows.tolist(), columns.tolist(), weights[rows, columns].tolist(), strict=True)
    return [Link(free_left[i], free_right[j], weight, SIMILAR) for i, j, weight in chosen if weight > 0]


def _checked(weights: Floats) -> Floats:
    weights = np.asarray(weights, np.float64)
    if not (np.isfinite(weights) & (weights >= 0) & (weights <= 1)).all():
        raise TouchstoneError("a similarity is not a number from 0 to 1", hint="scale it before matching")
    return weights


def _without(places: list[int], taken: set[int]) -> list[int]:
    return [place for place in places if place not in taken]
