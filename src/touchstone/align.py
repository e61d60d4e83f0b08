"""Gold and answers, joined by id: identity before arithmetic.

What is unknown or stands twice is refused with its place and the nearest valid id; nothing is cut to the
shorter side in silence.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from touchstone.errors import SHOWN, Fault, TouchstoneError, nearest
from touchstone.ragged import Ints

Unknown = Literal["error", "ignore"]
Duplicates = Literal["error", "first"]


@dataclass(frozen=True)
class Ids:
    """The ids of a file in order, each with the line (or key path) at which it stands."""

    file: str
    ids: Sequence[str]
    lines: Sequence[int | str]

    def rows(self, duplicates: Duplicates = "error", hint: str = "remove one of them") -> dict[str, int]:
        """Return the first row of each id; refuse ids that stand twice unless *duplicates* is 'first'.

        >>> Ids("a.oot", ["1", "2", "1"], [1, 2, 3]).rows()
        Traceback (most recent call last):
        touchstone.errors.TouchstoneError: a.oot:3: this id stands at 1 already: "1"
           remove one of them
        """
        first: dict[str, int] = {}
        for row, name in enumerate(self.ids):
            first.setdefault(name, row)
        if len(first) < len(self.ids) and duplicates == "error":
            faults = [
                Fault(f"this id stands at {self.lines[first[name]]} already", self.file, self.lines[row], name)
                for row, name in enumerate(self.ids)
                if first[name] != row
            ]
            raise TouchstoneError.of(faults, hint)
        return first


def align(
    gold: Sequence[str],
    answers: Ids,
    *,
    unknown: Unknown = "error",
    duplicates: Duplicates = "error",
    known: Collection[str] = (),
) -> Ints:
    """Return, for each id of the *gold*, the row of *answers* that has it, or -1.

    Ids that are in neither *gold* nor *known* (items that exist but have no gold) are refused, unless *unknown*
    is 'ignore'.

    >>> align(["301", "302"], Ids("a.oot", ["302"], [1])).tolist()
    [-1, 0]
    >>> align(["301", "302"], Ids("a.oot", ["3O2"], [7]))
    Traceback (most recent call last):
    touchstone.errors.TouchstoneError: a.oot:7: unknown item: "3O2"; nearest valid id "302"
       the gold has 2 items and answers must use their ids; leave out unknown ones with --unknown ignore
    """
    rows = answers.rows(duplicates, "remove one of them, or keep the first of each with --duplicates first")
    strangers = rows.keys() - set(gold) - set(known)
    if strangers and unknown == "error":
        raise _unknown(strangers, gold, answers)
    return np.array([rows.get(name, -1) for name in gold], np.int64)


def _unknown(strangers: Collection[str], gold: Sequence[str], answers: Ids) -> TouchstoneError:
    rows = [row for row, name in enumerate(answers.ids) if name in strangers]
    faults = [
        Fault(
            "unknown item",
            answers.file,
            answers.lines[row],
            answers.ids[row],
            nearest(answers.ids[row], gold) if shown < SHOWN else None,
            "id",
        )
        for shown, row in enumerate(rows)
    ]
    return TouchstoneError.of(
        faults,
        f"the gold has {len(gold):,} items and answers must use their ids; "
        "leave out unknown ones with --unknown ignore",
    )
