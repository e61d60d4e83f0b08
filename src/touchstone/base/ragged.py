"""Lists of different lengths in flat arrays, so that a million short lists cost two allocations."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Generic, TypeVar

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]
Number = TypeVar("Number", bound=np.generic)

AT_A_TIME = 1 << 17
"""Rows that are sorted at a time: bounds the memory, whatever the number of rows."""


def add_up(groups: npt.NDArray[np.integer[Any]], values: Floats, n: int) -> Floats:
    """Return, for each of *n* groups, the sum of the values that belong to it, added in their order.

    >>> add_up(np.array([1, 0, 1]), np.array([1.0, 5.0, 2.0]), 3).tolist()
    [5.0, 3.0, 0.0]
    """
    return np.asarray(np.bincount(groups, weights=values, minlength=n), np.float64)


@dataclass(frozen=True)
class Ragged(Generic[Number]):
    """Row i is ``values[offsets[i]:offsets[i + 1]]``.

    >>> lists = Ragged.of([[3.0, 1.0], [], [2.0]])
    >>> lists.sizes.tolist(), lists.sums().tolist(), lists.sums(first=1).tolist()
    ([2, 0, 1], [4.0, 0.0, 2.0], [3.0, 0.0, 2.0])
    """

    offsets: Ints
    values: npt.NDArray[Number]

    @classmethod
    def of(cls, rows: Iterable[Iterable[Any]], dtype: type[Number] = np.float64) -> "Ragged[Number]":  # type: ignore[assignment]
        """Return *rows*, which may be any iterables of numbers, as one ragged array."""
        lists = [list(row) for row in rows]
        sizes = [len(row) for row in lists]
        return cls.from_sizes(np.array(sizes, np.int64), np.array([x for row in lists for x in row], dtype))

    @classmethod
    def from_sizes(cls, sizes: npt.NDArray[np.integer[Any]], values: npt.NDArray[Number]) -> "Ragged[Number]":
        """Return the rows of the given *sizes*, filled from *values* in order."""
        return cls(np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)]), values)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @property
    def sizes(self) -> Ints:
        """The length of each row."""
        return np.diff(self.offsets)

    @cached_property
    def row(self) -> Ints:
        """The row that each value stands in."""
        return np.repeat(np.arange(len(self)), self.sizes)

    @property
    def position(self) -> Ints:
        """The position of each value in its row, from 0."""
        return np.arange(len(self.values)) - self.offsets[:-1][self.row]

    def sums(self, first: int | Ints | None = None) -> Floats:
        """Return the sum of each row; a row's sum depends on that row alone.

        Parameters
        ----------
        first
            How many values of a row are summed, from its start: one number, or a number for each row. All by default.

        Examples
        --------
        >>> Ragged.of([[3.0, 1.0], [2.0, 5.0]]).sums(first=np.array([2, 1])).tolist()
        [4.0, 2.0]
        """
        values = self.values.astype(np.float64)
        if first is not None:
            limits = first if isinstance(first, int) else first[self.row]
            values = np.where(self.position < limits, values, 0.0)
        return add_up(self.row, values, len(self))

    def head(self, width: int) -> Floats:
        """Return the first *width* values of every row as a matrix, short rows padded with 0.

        >>> Ragged.of([[3.0, 1.0], [], [2.0]]).head(2).tolist()
        [[3.0, 1.0], [0.0, 0.0], [2.0, 0.0]]
        """
        matrix = np.zeros((len(self), width))
        position = self.position
        inside = position < width
        matrix[self.row[inside], position[inside]] = self.values[inside]
        return matrix

    def running(self) -> "Ragged[np.float64]":
        """Return the running sums of each row.

        >>> Ragged.of([[3.0, 1.0], [2.0]]).running().values.tolist()
        [3.0, 4.0, 2.0]
        """
        sums = self.values.astype(np.float64)
        starts, sizes = self.offsets[:-1], self.sizes
        longest_first = np.argsort(-sizes, kind="stable")
        falling = -sizes[longest_first]
        for position in range(1, int(sizes.max(initial=0))):
            live = longest_first[: np.searchsorted(falling, -position)]
            sums[starts[live] + position] += sums[starts[live] + position - 1]
        return Ragged(self.offsets, sums)

    def keep(self, mask: Bools) -> "Ragged[Number]":
        """Return the rows with only the values that *mask* selects, which has a flag for each value."""
        if mask.all():
            return self
        return Ragged.from_sizes(np.bincount(self.row[mask], minlength=len(self)), self.values[mask])

    def distinct(self) -> "Ragged[Number]":
        """Return the rows, of whole numbers below 2**32, with each value once, where it stood first.

        >>> Ragged.of([[4, 2, 4], [4]], np.int64).distinct().values.tolist()
        [4, 2, 4]
        """
        is_first = np.ones(len(self.values), np.bool_)
        for rows in self.blocks():
            part = self.part(rows)
            pairs = part.row << 32 | part.values.astype(np.int64)
            order = np.argsort(pairs, kind="stable")
            ordered = pairs[order]
            is_first[self.offsets[rows.start] + order[1:][ordered[1:] == ordered[:-1]]] = False
        return self.keep(is_first)

    def first(self, n: int | Ints) -> "Ragged[Number]":
        """Return the first *n* values of each row: one number, or a number for each row.

        >>> Ragged.of([[3.0, 1.0], [], [2.0]]).first(1).values.tolist()
        [3.0, 2.0]
        """
        sizes = np.minimum(self.sizes, n)
        if np.array_equal(sizes, self.sizes):
            return self
        cut = Ragged.from_sizes(sizes, np.empty(int(sizes.sum()), np.int8))
        return Ragged(cut.offsets, self.values[np.repeat(self.offsets[:-1], sizes) + cut.position])

    def part(self, rows: slice) -> "Ragged[Number]":
        """Return some neighbouring *rows*, without copying their values."""
        offsets = self.offsets[rows.start : rows.stop + 1]
        return Ragged(offsets - offsets[0], self.values[offsets[0] : offsets[-1]])

    def blocks(self) -> Iterator[slice]:
        """Yield slices of neighbouring rows that together are all rows."""
        for start in range(0, len(self), AT_A_TIME):
            yield slice(start, min(start + AT_A_TIME, len(self)))

    def take(self, rows: npt.NDArray[np.integer[Any]]) -> "Ragged[Number]":
        """Return the given *rows* in that order; -1 gives an empty row.

        >>> Ragged.of([[3.0, 1.0], [2.0]]).take(np.array([1, -1, 0])).sizes.tolist()
        [1, 0, 2]
        """
        if len(rows) == len(self) and np.array_equal(rows, np.arange(len(rows))):
            return self
        present = rows >= 0
        sizes = np.where(present, self.sizes[rows] if len(self) else 0, 0)
        starts = np.where(present, self.offsets[:-1][rows] if len(self) else 0, 0)
        taken = Ragged.from_sizes(sizes, np.empty(int(sizes.sum()), np.int8))
        return Ragged(taken.offsets, self.values[np.repeat(starts, sizes) + taken.position])


class Interner(dict[str, int]):
    """A number for each distinct string, in order of first sight.

    >>> seen = Interner()
    >>> [seen[word] for word in "a rose is a rose".split()]
    [0, 1, 2, 0, 1]
    """

    def __missing__(self, string: str) -> int:
        self[string] = number = len(self)
        return number


@dataclass(frozen=True)
class StringLists:
    """A list of strings for each of many items; every distinct string is held, and cleaned, once.

    >>> lists = StringLists.of([["Glad", "merry"], [], ["glad"]]).map(str.lower)
    >>> lists.words, lists[0], lists.codes.sizes.tolist()
    (('glad', 'merry'), ('glad', 'merry'), [2, 0, 1])
    """

    words: tuple[str, ...]
    codes: Ragged[np.int64]

    @classmethod
    def of(cls, rows: Iterable[Iterable[str]]) -> "StringLists":
        """Return *rows* of strings as one columnar value."""
        interner, flat, sizes = Interner(), list[str](), list[int]()
        for row in rows:
            before = len(flat)
            flat += row
            sizes.append(len(flat) - before)
        numbers = np.fromiter(map(interner.__getitem__, flat), np.int64, len(flat))
        return cls(tuple(interner), Ragged.from_sizes(np.array(sizes, np.int64), numbers))

    def __len__(self) -> int:
        return len(self.codes)

    def __getitem__(self, row: int) -> tuple[str, ...]:
        begin, end = self.codes.offsets[row : row + 2]
        return tuple(self.words[code] for code in self.codes.values[begin:end])

    def map(self, change: Callable[[str], str]) -> "StringLists":
        """Return the lists with *change* applied to every string, once for each distinct one."""
        interner = Interner()
        renumbered = np.array([interner[change(word)] for word in self.words], np.int64)
        return StringLists(tuple(interner), Ragged(self.codes.offsets, renumbered[self.codes.values]))

    def flags(self, test: Callable[[str], bool]) -> Bools:
        """Return *test* of every string in every list, asked once for each distinct one."""
        return np.array([test(word) for word in self.words], np.bool_)[self.codes.values]

    def keep(self, mask: Bools) -> "StringLists":
        """Return the lists with only the strings that *mask* selects, which has a flag for each."""
        return StringLists(self.words, self.codes.keep(mask))

    def take(self, rows: npt.NDArray[np.integer[Any]]) -> "StringLists":
        """Return the given *rows* in that order; -1 gives an empty list."""
        return StringLists(self.words, self.codes.take(rows))

    def first(self, n: int | Ints) -> "StringLists":
        """Return the first *n* strings of each list: one number, or a number for each list."""
        return StringLists(self.words, self.codes.first(n))

    def numbered(self, interner: Interner) -> Ragged[np.int64]:
        """Return the lists as numbers of *interner*, which learns the strings that it does not know."""
        numbers = np.array([interner[word] for word in self.words], np.int64)
        return Ragged(self.codes.offsets, numbers[self.codes.values])
