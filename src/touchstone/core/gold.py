"""Human answers as a weighted multiset: what an answer earns, and the most that could have been earned.

Every score of Touchstone that carries a paper is credit earned over that optimum. `Gold` holds the answers to
one item, for people; `Golds` the answers to many items as arrays, for speed.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate

import numpy as np

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.base.ragged import Bools, Floats, Ints, Ragged, add_up


@dataclass(frozen=True)
class Gold:
    """Answers that people gave to one item, each with the number of people who gave it.

    Examples
    --------
    >>> happy = Gold({"glad": 3, "merry": 3, "sunny": 2, "jovial": 1, "cheerful": 1})
    >>> happy.credit(["sunny", "grim"]), happy.optimum(2), happy.mode
    (2, 6, None)
    """

    weights: Mapping[str, float]

    def __post_init__(self) -> None:
        wrong = next((a for a, weight in self.weights.items() if not 0 <= weight < float("inf")), None)
        if wrong is not None:
            raise TouchstoneError("a weight must be a finite number of at least 0", value=wrong, code=Code.OUT_OF_RANGE)

    def credit(self, answers: Iterable[str]) -> float:
        """Return the summed weight of the distinct *answers* that people gave."""
        return sum(self.weights.get(answer, 0) for answer in set(answers))

    def optimum(self, n: int | None = None) -> float:
        """Return the most credit that *n* answers can earn, the sum of the n largest weights; all by default."""
        best = self._best_sums
        return best[-1 if n is None else min(n, len(best) - 1)]

    @property
    def mode(self) -> str | None:
        """The only answer with the largest weight; None if several answers have it, or there are no answers."""
        heaviest = [answer for answer, weight in self.weights.items() if weight == self.optimum(1)]
        return heaviest[0] if len(heaviest) == 1 else None

    @cached_property
    def _best_sums(self) -> tuple[float, ...]:
        return tuple(accumulate(sorted(self.weights.values(), reverse=True), initial=0))


@dataclass(frozen=True)
class Golds:
    """The golds of many items: row i of *answers* (distinct integer keys) weighs row i of *weights*."""

    answers: Ragged[np.int64]
    weights: Ragged[np.float64]

    def __len__(self) -> int:
        return len(self.answers)

    @classmethod
    def merged(cls, answers: Ragged[np.int64], weights: Ragged[np.float64]) -> "Golds":
        """Return golds in which answers that occur twice in a row are one, and their weights are added.

        >>> golds = Golds.merged(Ragged.of([[7, 5, 7]], np.int64), Ragged.of([[2, 1, 1]]))
        >>> golds.answers.values.tolist(), golds.weights.values.tolist()
        ([5, 7], [1.0, 3.0])
        """
        pairs = _pair(answers.row, answers.values)
        distinct, inverse = np.unique(pairs, return_inverse=True)
        rows, keys = distinct >> 32, distinct & 0xFFFFFFFF
        sizes = np.bincount(rows, minlength=len(answers))
        summed = add_up(inverse, weights.values, len(distinct))
        return cls(Ragged.from_sizes(sizes, keys), Ragged.from_sizes(sizes, summed))

    def keep(self, mask: Bools) -> "Golds":
        """Return the golds with only the answers whose flag in the *mask* is set."""
        return Golds(self.answers.keep(mask), self.weights.keep(mask))

    def take(self, rows: Ints) -> "Golds":
        """Return the golds of the items in the given *rows*, in that order."""
        return Golds(self.answers.take(rows), self.weights.take(rows))

    def part(self, rows: slice) -> "Golds":
        """Return the golds of some neighbouring items, without copying them."""
        return Golds(self.answers.part(rows), self.weights.part(rows))

    @cached_property
    def ideal(self) -> Ragged[np.float64]:
        """The weights of each item, heaviest first."""
        order = np.lexsort((-self.weights.values, self.weights.row))
        return Ragged(self.weights.offsets, self.weights.values[order])

    def optimum(self, n: int | Ints | None = None) -> Floats:
        """Return, for each item, the most credit that *n* answers can earn.

        Parameters
        ----------
        n
            How many answers are allowed: one number, or a number for each item. All answers of the gold by default.

        Examples
        --------
        >>> golds = Golds(Ragged.of([[1, 2], [1, 2]], np.int64), Ragged.of([[1, 3], [4, 2]]))
        >>> golds.optimum(1).tolist(), golds.optimum(np.array([2, 1])).tolist()
        ([3.0, 4.0], [4.0, 4.0])
        """
        return self.ideal.sums(first=n)

    def optima(self, depth: int) -> Floats:
        """Return `optimum(1)` to `optimum(depth)`, an item to a row."""
        return np.cumsum(self.ideal.head(depth), axis=1)

    @cached_property
    def mode(self) -> Ints:
        """The key of each item's one heaviest answer; -1 where there is none."""
        heaviest = self.weights.values == self.optimum(1)[self.weights.row]
        alone = np.bincount(self.weights.row[heaviest], minlength=len(self)) == 1
        modes = np.full(len(self), -1, np.int64)
        modes[self.answers.row[heaviest]] = self.answers.values[heaviest]
        return np.where(alone, modes, -1)

    def weigh(self, answers: Ragged[np.int64]) -> Ragged[np.float64]:
        """Return the weight that each of a system's *answers* has in the gold of its item, 0 if none."""
        weights = np.zeros(len(answers.values))
        for rows in answers.blocks():
            gold, block_answers = self.part(rows), answers.part(rows)
            gold_keys = _pair(gold.answers.row, gold.answers.values)
            if not len(gold_keys):
                continue
            order = np.argsort(gold_keys, kind="stable")
            answer_keys = _pair(block_answers.row, block_answers.values)
            positions = order[np.minimum(np.searchsorted(gold_keys, answer_keys, sorter=order), len(gold_keys) - 1)]
            here = slice(answers.offsets[rows.start], answers.offsets[rows.stop])
            weights[here] = np.where(gold_keys[positions] == answer_keys, gold.weights.values[positions], 0.0)
        return Ragged(answers.offsets, weights)


@dataclass(frozen=True)
class Earned:
    """What the answers of a system earn, item by item, in the system's own order.

    Measures are written in these words: credit, optimum, hits, wrong. An answer must occur once in its row.

    >>> earned = Earned.of(Gold({"glad": 3, "merry": 2}), ["sad", "glad"])
    >>> earned.credit().tolist(), earned.golds.optimum(1).tolist(), earned.wrong.tolist()
    ([3.0], [3.0], [1.0])
    """

    golds: Golds
    answers: Ragged[np.int64]
    gains: Ragged[np.float64]

    @classmethod
    def by(cls, golds: Golds, answers: Ragged[np.int64]) -> "Earned":
        """Return what *answers* earn by *golds*."""
        return cls(golds, answers, golds.weigh(answers))

    @classmethod
    def of(cls, gold: Gold, answers: Sequence[str]) -> "Earned":
        """Return what the *answers* to one item earn: a bulk of one."""
        keys: dict[str, int] = {}
        weights = {keys.setdefault(answer, len(keys)): weight for answer, weight in gold.weights.items()}
        ranked = [keys.setdefault(answer, len(keys)) for answer in dict.fromkeys(answers)]
        golds = Golds(Ragged.of([weights], np.int64), Ragged.of([weights.values()]))
        return cls.by(golds, Ragged.of([ranked], np.int64))

    def part(self, rows: slice) -> "Earned":
        """Return what the answers to some neighbouring items earn, without copying them."""
        return Earned(self.golds.part(rows), self.answers.part(rows), self.gains.part(rows))

    @property
    def size(self) -> Ints:
        """How many answers each item has."""
        return self.gains.sizes

    @property
    def attempted(self) -> Bools:
        """Whether an item has any answer."""
        return self.size > 0

    def credit(self, n: int | Ints | None = None) -> Floats:
        """Return the credit of each item's first *n* answers (one number, or one for each item); of all by default."""
        return self.gains.sums(first=n)

    def credits(self, depth: int) -> Floats:
        """Return `credit(1)` to `credit(depth)`, an item to a row."""
        return np.cumsum(self.gains.head(depth), axis=1)

    @cached_property
    def hit(self) -> Ragged[np.bool_]:
        """Whether each answer is in the gold."""
        return Ragged(self.gains.offsets, self.gains.values > 0)

    def hits(self, n: int | Ints | None = None) -> Floats:
        """Return how many of each item's first *n* answers (one number, or one for each item) are in the gold."""
        return self.hit.sums(first=n)

    @property
    def wrong(self) -> Floats:
        """How many answers are not in the gold."""
        return self.size - self.hits()


def _pair(rows: Ints, keys: Ints) -> Ints:
    """Return row and key as one sortable number; keys stay below 2**32."""
    return (rows << 32) | keys
