"""Gold and answers, joined by id: identity before arithmetic.

What is unknown or stands twice is refused with its place and the nearest valid id; nothing is cut to the
shorter side in silence.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np

from touchstone.core.errors import SHOWN, Fault, TouchstoneError, nearest
from touchstone.core.ragged import Ints

LOOKED_AT = 1_000_000
"""Ids looked at for suggestions: about three seconds."""

Unknown = Literal["error", "ignore"]
Duplicates = Literal["error", "first"]


@dataclass(frozen=True)
class Ids:
    """The ids of a file in order, each with the line (or key path) at which it stands."""

    file: str
    ids: Sequence[str]
    lines: Sequence[int | str]

    @cached_property
    def first(self) -> dict[str, int]:
        """The first row of each id."""
        rows: dict[str, int] = {}
        for row, name in enumerate(self.ids):
            rows.setdefault(name, row)
        return rows

    def repeated(self) -> list[Fault]:
        """Return a fault for each id that stands a second time.

        >>> print(*Ids("a.oot", ["1", "2", "1"], [1, 2, 3]).repeated())
        a.oot:3: this id stands at 1 already: "1"
        """
        if len(self.first) == len(self.ids):
            return []
        return [
            Fault(f"this id stands at {self.lines[self.first[name]]} already", self.file, self.lines[row], name)
            for row, name in enumerate(self.ids)
            if self.first[name] != row
        ]

    def rows(self) -> dict[str, int]:
        """Return the row of each id; refuse ids that stand twice."""
        repeated = self.repeated()
        if repeated:
            raise TouchstoneError.of(repeated, "remove one of them")
        return self.first


@dataclass(frozen=True)
class Alignment:
    """For each id of the gold the row of the answers that has it, or -1; and what is wrong with the answers' ids."""

    rows: Ints
    faults: tuple[Fault, ...] = ()
    hints: tuple[str, ...] = ()


def align(
    gold: Sequence[str],
    answers: Ids,
    *,
    unknown: Unknown = "error",
    duplicates: Duplicates = "error",
    known: Collection[str] = (),
) -> Ints:
    """Return, for each id of the *gold*, the row of *answers* that has it, or -1; raise where `find_rows` has faults.

    >>> align(["301", "302"], Ids("a.oot", ["302"], [1])).tolist()
    [-1, 0]
    >>> align(["301", "302"], Ids("a.oot", ["3O2"], [7]))
    Traceback (most recent call last):
    touchstone.core.errors.TouchstoneError: a.oot:7: unknown item: "3O2"; nearest valid id "302"
       the gold has 2 items and answers must use their ids; leave out unknown ones with --unknown ignore
    """
    found = find_rows(gold, answers, unknown=unknown, duplicates=duplicates, known=known)
    if found.faults:
        raise TouchstoneError.of(found.faults, "; ".join(found.hints))
    return found.rows


def find_rows(
    gold: Sequence[str],
    answers: Ids,
    *,
    unknown: Unknown = "error",
    duplicates: Duplicates = "error",
    known: Collection[str] = (),
) -> Alignment:
    """Join *answers* to the *gold* by id and return all faults instead of raising them.

    Ids that are in neither *gold* nor *known* (items that exist but have no gold) are faults, unless *unknown* is
    'ignore'; ids that stand twice are, unless *duplicates* is 'first'.
    """
    faults, hints = [], []
    strangers = answers.first.keys() - set(gold) - set(known)
    if strangers and unknown == "error":
        faults += _unknown(strangers, gold, answers)
        hints.append(
            f"the gold has {len(gold):,} items and answers must use their ids; "
            "leave out unknown ones with --unknown ignore"
        )
    repeated = answers.repeated() if duplicates == "error" else []
    if repeated:
        faults += repeated
        hints.append("of ids that stand twice remove one, or keep the first with --duplicates first")
    rows = np.array([answers.first.get(name, -1) for name in gold], np.int64)
    return Alignment(rows, tuple(faults), tuple(hints))


def _unknown(strangers: Collection[str], gold: Sequence[str], answers: Ids) -> list[Fault]:
    rows = [row for row, name in enumerate(answers.ids) if name in strangers]
    suggested = min(SHOWN, max(1, LOOKED_AT // max(1, len(gold))))
    return [
        Fault(
            "unknown item",
            answers.file,
            answers.lines[row],
            answers.ids[row],
            nearest(answers.ids[row], gold) if shown < suggested else None,
            "id",
        )
        for shown, row in enumerate(rows)
    ]
