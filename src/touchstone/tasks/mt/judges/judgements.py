"""Human judgements of translations, in one form for rankings, scores and penalties: an entry per system and ballot.

A ballot is what a judge saw side by side: a row of ranks, or the scores that one judge gave to one segment.
"""

import re
from array import array
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Generic, Literal, TypeVar

import numpy as np

from touchstone.base.files import Source
from touchstone.base.ragged import Floats, Ints

Scale = Literal["rank", "score", "penalty"]
"""Whether 1 is best (ranks), more is better (scores), or less is better (penalties)."""

REFERENCE_NAME = re.compile(r"ref(?:erence)?[-._ ]?([a-z]?)", re.IGNORECASE)
"""What files call the references that were judged beside systems."""


def reference_key(system: str) -> str:
    """Return what tells references apart, whatever a file calls them; the name itself for any other system.

    >>> [reference_key(name) for name in ("ref", "ref-A", "ref.A", "refB", "Nemo")]
    ['refA', 'refA', 'refA', 'refB', 'Nemo']
    """
    match = REFERENCE_NAME.fullmatch(system)
    return f"ref{(match[1] or 'a').upper()}" if match else system


@dataclass(frozen=True, eq=False)
class Outputs:
    """The texts in a file of judgements: translations by system, in the order of *segments*; None if there is none.

    *documents* and *sources* are those of the segments, where the file has them.
    """

    segments: tuple[str, ...]
    texts: dict[str, list[str | None]]
    documents: tuple[str, ...] | None = None
    sources: tuple[str, ...] | None = None


@dataclass(frozen=True, eq=False, repr=False)
class Judgements:
    """All entries under one *criterion*: names, and for each entry which of them it has.

    *segment* holds the id of a segment as a test set gives it; for files of lines that is the number of the line,
    from 1. A *group* is a language pair, None if the file has but one and does not name it. A *span* is the
    constituent that was judged, the same for all where whole segments were. *outputs* are the texts that the file
    holds; *how* says what a value is, for signatures; *notes* are what a reader should know of the file.
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
    outputs: Outputs | None = None
    how: str = ""
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.value)

    def __repr__(self) -> str:
        sizes = f"segments={len(self.segments):,}, judges={len(self.judges):,}, systems={len(self.systems):,}"
        return f"Judgements({self.criterion!r}, {self.scale!r}, entries={len(self):,}, {sizes})"

    @property
    def blanks(self) -> int:
        """How many entries a judge left blank."""
        return int(np.isnan(self.value).sum())

    @property
    def goodness(self) -> Floats:
        """The values so that more is better: ranks and penalties are negated; nan where blank."""
        return self.value if self.scale == "score" else -self.value

    def of_group(self, name: str | None) -> Ints:
        """Return the places of the entries of a group; none where the file does not have it."""
        return np.flatnonzero(self.group == self.groups.index(name)) if name in self.groups else np.zeros(0, np.int64)


Name = TypeVar("Name")


class Codes(dict[Name, int], Generic[Name]):
    """A number for each distinct name, in the order of first sight."""

    def __missing__(self, name: Name) -> int:
        self[name] = number = len(self)
        return number


def _numbers() -> "array[int]":
    return array("q")


@dataclass(eq=False)
class EntryColumns:
    """Entries as they are read, in columns of numbers: millions take some tens of megabytes.

    Segments are told apart by group and document too, since some files number them within their documents. Their
    names are the file's own where these are distinct in a group, and else ``DOCUMENT:NUMBER``.
    """

    groups: Codes[str | None] = field(default_factory=Codes)
    segments: Codes[tuple[str, str]] = field(default_factory=Codes)
    judges: Codes[str] = field(default_factory=Codes)
    systems: Codes[str] = field(default_factory=Codes)
    labels: Codes[object] = field(default_factory=Codes)
    spans: Codes[str] = field(default_factory=Codes)
    group: "array[int]" = field(default_factory=_numbers)
    segment: "array[int]" = field(default_factory=_numbers)
    judge: "array[int]" = field(default_factory=_numbers)
    system: "array[int]" = field(default_factory=_numbers)
    label: "array[int]" = field(default_factory=_numbers)
    span: "array[int]" = field(default_factory=_numbers)
    line: "array[int]" = field(default_factory=_numbers)
    value: "array[float]" = field(default_factory=lambda: array("d"))

    def __len__(self) -> int:
        return len(self.value)

    def add(
        self,
        segment: str,
        system: str,
        judge: str,
        value: float,
        line: int,
        *,
        group: str | None = None,
        document: str = "",
        label: object = "",
        span: str = "",
    ) -> None:
        """Add one entry; *label* tells ballots of a judge on a segment apart."""
        self.group.append(self.groups[group])
        self.segment.append(self.segments[document, segment])
        self.judge.append(self.judges[judge])
        self.system.append(self.systems[system])
        self.label.append(self.labels[label])
        self.span.append(self.spans[span])
        self.line.append(line)
        self.value.append(value)

    @property
    def segment_names(self) -> tuple[str, ...]:
        """The names of the segments, in the order of their numbers."""
        pairs = np.unique(np.stack([_ints(self.group), _ints(self.segment)]), axis=1)
        listed = list(self.segments)
        distinct = len({(group, listed[segment][1]) for group, segment in pairs.T.tolist()}) == pairs.shape[1]
        return tuple(name if distinct else f"{document}:{name}" for document, name in listed)

    def key(self, *columns: "array[int] | Ints") -> Ints:
        """Return a number for each entry, the same for entries that are equal in all *columns*."""
        keys = np.zeros(len(self), np.int64)
        for column in columns:
            numbers = np.frombuffer(column, np.int64)
            # Numbered anew after each column, so that the products stay small.
            keys = np.unique(keys * (int(numbers.max(initial=0)) + 1) + numbers, return_inverse=True)[1]
        return keys

    def judgements(self, criterion: str, scale: Scale, source: Source) -> Judgements:
        """Return the entries under one criterion."""
        by_name: Codes[str] = Codes()
        segment = np.array([by_name[name] for name in self.segment_names], np.int64)[_ints(self.segment)]
        names = tuple(self.groups), tuple(by_name), tuple(self.judges), tuple(self.systems)
        ballot = self.key(self.group, segment, self.judge, self.span, self.label)
        codes = ballot, _ints(self.group), segment, _ints(self.judge), _ints(self.system)
        value = np.frombuffer(self.value, np.float64).copy()
        return Judgements(criterion, scale, source, *names, *codes, value, _ints(self.line), _ints(self.span))


def _ints(column: "array[int]") -> Ints:
    return np.frombuffer(column, np.int64).copy()


def places_in(order: Sequence[str], names: Sequence[str]) -> Ints:
    """Return the place of each of *names* in *order*, -1 where it is not there.

    A reference is found under any of its names, such as ``ref`` and ``ref-A``.

    >>> places_in(["x", "ref-A"], ["ref", "z"]).tolist()
    [1, -1]
    """
    places = {reference_key(name): position for position, name in reversed([*enumerate(order)])}
    places |= {name: position for position, name in reversed([*enumerate(order)])}
    return np.array([places.get(name, places.get(reference_key(name), -1)) for name in names], np.int64)
