"""Human judgements of translations, in one form for rankings and scores: an entry for each system on each ballot.

A ballot is what a judge saw side by side, so its systems can be compared in pairs: a row of ranks, or the scores that
one judge gave to one segment.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeVar

import numpy as np

from touchstone.core.ragged import Floats, Ints
from touchstone.io.text import Source

Scale = Literal["rank", "score"]
"""Whether 1 is best (ranks), or more is better (scores)."""


Name = TypeVar("Name")


class Entry(NamedTuple):
    """One system on one ballot as a file gives it; *value* is nan where the judge left it blank."""

    ballot: tuple[str, ...]
    group: str | None
    segment: str
    judge: str
    system: str
    value: float
    line: int
    span: str = ""


@dataclass(frozen=True, eq=False)
class Judgements:
    """All entries under one *criterion*: names, and for each entry which of them it has.

    *segment* holds the id of a segment as a test set gives it; for files of lines that is the number of the line,
    from 1. A *group* is a language pair, None where the file has but one and does not name it. A *span* is the
    constituent that was judged, the same for all where whole segments were.
    """

    criterion: str
    scale: Scale
    source: Source
    groups: tuple[str | None, ...]
    segments: tuple[str, ...]
    judges: tuple[str, ...]
    systems: tuple[str, ...]
    ballot: Ints
    group: Ints
    segment: Ints
    judge: Ints
    system: Ints
    value: Floats
    line: Ints
    span: Ints

    def __len__(self) -> int:
        return len(self.value)

    @property
    def blanks(self) -> int:
        """How many entries a judge left blank."""
        return int(np.isnan(self.value).sum())

    @property
    def goodness(self) -> Floats:
        """The values so that more is better: ranks are negated; nan where blank."""
        return -self.value if self.scale == "rank" else self.value

    def of_group(self, name: str | None) -> Ints:
        """Return the places of the entries of a group; none where the file does not have it."""
        return np.flatnonzero(self.group == self.groups.index(name)) if name in self.groups else np.zeros(0, np.int64)


def collect(criterion: str, scale: Scale, source: Source, entries: Sequence[Entry]) -> Judgements:
    """Return *entries* as arrays; names are in the order of their first entries.

    >>> source = Source("a.csv", "0")
    >>> rows = [Entry(("1",), "cs-en", "7", "J1", name, rank, 2) for name, rank in (("x", 1.0), ("y", 2.0))]
    >>> found = collect("rank", "rank", source, rows)
    >>> found.systems, found.goodness.tolist()
    (('x', 'y'), [-1.0, -2.0])
    """
    groups, group = _coded([entry.group for entry in entries])
    segments, segment = _coded([entry.segment for entry in entries])
    judges, judge = _coded([entry.judge for entry in entries])
    systems, system = _coded([entry.system for entry in entries])
    ballot, span = _coded([entry.ballot for entry in entries])[1], _coded([entry.span for entry in entries])[1]
    value = np.array([entry.value for entry in entries], np.float64)
    line = np.array([entry.line for entry in entries], np.int64)
    names, codes = (groups, segments, judges, systems), (ballot, group, segment, judge, system)
    return Judgements(criterion, scale, source, *names, *codes, value, line, span)


def _coded(column: Sequence[Name]) -> tuple[tuple[Name, ...], Ints]:
    """Return the distinct names of a column in the order of their first entries, and the number of each entry."""
    numbers: dict[Name, int] = {}
    codes = [numbers.setdefault(value, len(numbers)) for value in column]
    return tuple(numbers), np.array(codes, np.int64)


def places_in(known: Sequence[str], names: Sequence[str]) -> Ints:
    """Return the place of each of *names* among those that are *known*, -1 where it is not one of them.

    >>> places_in(["x", "y"], ["y", "z"]).tolist()
    [1, -1]
    """
    places = {name: place for place, name in enumerate(known)}
    return np.array([places.get(name, -1) for name in names], np.int64)
