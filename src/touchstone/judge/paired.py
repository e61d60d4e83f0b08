"""The records of people and of a judge side by side, under one measure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa

from touchstone.base.errors import TouchstoneError
from touchstone.base.ids import Ids
from touchstone.base.ragged import Bools, Floats, Ints
from touchstone.base.signature import Signature
from touchstone.core.measures import Measure
from touchstone.core.resampling import Resampling


@dataclass(frozen=True, eq=False, repr=False)
class Paired:
    """The records of some systems on the same items, from people and from a judge, under one measure.

    Parameters
    ----------
    measure
        The measure; its ``fold`` maps sums of records to values.
    systems
        The names of the systems that both have.
    items
        The ids of all items that the judge scored: the rows of everything else.
    human, judge
        By system, an (items, k) array of records; a row of nan where there is no score.
    clusters
        The cluster of each item, as a code; None if items are independent.
    probability
        The probability with which each item was given to people, nan where that is not known; None for a plain sample.
    fields
        What else is known of each item: a row for each, with its ``id``.
    resampling
        The level of intervals and the name of the clusters.
    signature, notes
        What the numbers depend on, and what a reader of them should know.
    lines
        By system, the items that people scored with their file and lines, as far as they are known.
    unjudged
        How many human scores were left out because the judge has none beside them.
    """

    measure: Measure[Any]
    systems: tuple[str, ...]
    items: tuple[str, ...]
    human: Mapping[str, Floats]
    judge: Mapping[str, Floats]
    clusters: Ints | None
    probability: Floats | None
    fields: pa.Table
    resampling: Resampling
    signature: Signature
    notes: Sequence[str] = ()
    lines: Mapping[str, Ids] = field(default_factory=dict)
    unjudged: int = 0

    def __len__(self) -> int:
        return len(self.items)

    def __repr__(self) -> str:
        scored = {name: int(self.labelled(name).sum()) for name in self.systems}
        return f"Paired({self.measure.name!r}, items={len(self):,}, human scores={scored})"

    def labelled(self, system: str) -> Bools:
        """Return which items people scored for a system."""
        return np.asarray(np.isfinite(self.human[system][:, 0]))

    def judged(self, system: str) -> Bools:
        """Return which items the judge scored for a system."""
        return np.asarray(np.isfinite(self.judge[system][:, 0]))

    def first_place(self) -> tuple[str | None, int | str | None]:
        """Return the file and the line of the first human score, as far as they are known."""
        known = [(ids.file, line) for ids in self.lines.values() for line in ids.lines[:1] if line]
        return min(known, key=lambda place: str(place[1]).zfill(9)) if known else (None, None)

    def too_few(self, what: str, hint: str) -> TouchstoneError:
        """Return the error for too few scores, at the first human one; the hint names the judge where it lacks some."""
        file, line = self.first_place()
        if self.unjudged:
            hint = f"{self.unjudged:,} further human scores have no score of the judge: let it score these items too"
        return TouchstoneError(what, file=file, line=line, hint=hint)

    def human_values(self, system: str) -> Floats:
        """Return the value of each item as people scored it; nan where they did not."""
        return self._values(self.human[system])

    def judge_values(self, system: str) -> Floats:
        """Return the value of each item as the judge scored it; nan where it did not."""
        return self._values(self.judge[system])

    def _values(self, records: Floats) -> Floats:
        known = np.isfinite(records[:, 0])
        values = np.full(len(records), np.nan)
        values[known] = self.measure.values(records[known])
        return values
