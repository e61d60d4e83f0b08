"""One long table of scores: a row for each output, with the scores of people and of a judge under one measure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
import pyarrow as pa

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError, nearest
from touchstone.base.ids import Ids
from touchstone.base.ragged import Bools, Floats, Ints
from touchstone.base.signature import Signature
from touchstone.core.measures import Measure
from touchstone.core.resampling import Resampling

Array = TypeVar("Array", Ints, Floats)

OutputKey = tuple[str, str]
"""A system and an item: the name of an output."""


@dataclass(frozen=True, eq=False, repr=False)
class Paired:
    """Scores of outputs by people and by a judge; an output is what one system gave for one item.

    The table is long: its columns have a row for each output, the systems one after the other. As `pair` makes it, each
    system has a row for every item, in the same order, so that systems can be subtracted.

    Parameters
    ----------
    measure
        The measure; its ``fold`` maps sums of records to values.
    systems, items
        The names of the systems that both sides have, and the ids of all items that the judge scored.
    system, item
        The system and the item of each output, by their place in *systems* and *items*.
    human, judge
        The records of each output, (outputs, k); a row of nan where there is no score.
    fields
        What is known of the item of each output.
    clusters
        The cluster of each output's item, as a code; None if items are independent.
    probability
        The probability with which the item was given to people, nan where that is not known; None for a plain sample.
    facts
        What is known of single outputs, such as their length, beside the fields of their items.
    answers
        The scores that single people gave each output, whose mean is its human score; None where nobody kept them.
    resampling
        The level of intervals and the name of the clusters.
    signature, notes
        What the numbers depend on, and what a reader of them should know.
    lines
        By system, the items that people scored with their file and lines, as far as they are known.
    unjudged
        How many human scores were left out because the judge has none beside them.
    equated
        The judge's values on the scale of people, where its records are on another scale.
    """

    measure: Measure[Any]
    systems: tuple[str, ...]
    items: tuple[str, ...]
    system: Ints
    item: Ints
    human: Floats
    judge: Floats
    fields: pa.Table
    clusters: Ints | None = None
    probability: Floats | None = None
    facts: Mapping[str, Sequence[str | None]] = field(default_factory=dict)
    answers: Sequence[Floats] | None = None
    resampling: Resampling = Resampling("none")  # noqa: RUF009 (immutable)
    signature: Signature = field(default_factory=dict)
    notes: Sequence[str] = ()
    lines: Mapping[str, Ids] = field(default_factory=dict)
    unjudged: int = 0
    equated: Floats | None = None

    def __len__(self) -> int:
        return len(self.item)

    def __repr__(self) -> str:
        scored = {name: int(self.of(name).labelled.sum()) for name in self.systems}
        return f"Paired({self.measure.name!r}, items={len(self.items):,}, human scores={scored})"

    def where(self, rows: Bools) -> "Paired":
        """Return the outputs of some rows."""
        places = np.flatnonzero(rows)
        return replace(
            self,
            system=self.system[places],
            item=self.item[places],
            human=self.human[places],
            judge=self.judge[places],
            fields=self.fields.take(pa.array(places)),
            clusters=None if self.clusters is None else self.clusters[places],
            probability=None if self.probability is None else self.probability[places],
            facts={name: [cells[row] for row in places.tolist()] for name, cells in self.facts.items()},
            answers=None if self.answers is None else [self.answers[row] for row in places.tolist()],
            equated=None if self.equated is None else self.equated[places],
        )

    def of(self, system: str) -> "Paired":
        """Return the outputs of one system."""
        return self.where(self.system == self.systems.index(system))

    @cached_property
    def labelled(self) -> Bools:
        """Which outputs people scored."""
        return np.asarray(np.isfinite(self.human[:, 0]))

    @cached_property
    def judged(self) -> Bools:
        """Which outputs the judge scored."""
        return np.asarray(np.isfinite(self.judge[:, 0]))

    @cached_property
    def human_values(self) -> Floats:
        """The value of each output as people scored it; nan where they did not."""
        return self._values(self.human)

    @cached_property
    def judge_values(self) -> Floats:
        """The value of each output as the judge scored it, on the scale of people; nan where it did not."""
        return self._values(self.judge) if self.equated is None else self.equated

    def _values(self, records: Floats) -> Floats:
        scored = np.isfinite(records[:, 0])
        values = np.full(len(records), np.nan)
        values[scored] = self.measure.values(records[scored])
        return values

    @property
    def single_answers(self) -> Sequence[Floats]:
        """The scores that single people gave each output; where nobody kept them, its one score."""
        return [np.array([score]) for score in self.human_values.tolist()] if self.answers is None else self.answers

    @property
    def units(self) -> Ints:
        """What varies as a whole when outputs are resampled: the cluster of each output, or its item."""
        return self.item if self.clusters is None else self.clusters

    @property
    def item_units(self) -> Ints:
        """The cluster of each item, or its place where items are independent; an item without outputs has none, -1."""
        units = np.full(len(self.items), -1)
        units[self.item] = self.units
        return units

    def by_item(self, column: Array) -> Array:
        """Return the part of a column that has a row for each item, where all systems have the same in it."""
        return column[: len(self.items)]

    def grid(self, values: Floats) -> Floats:
        """Return values of outputs as an array of items by systems, nan where there is no output."""
        cells = np.full((len(self.items), len(self.systems)), np.nan)
        cells[self.item, self.system] = values
        return cells

    def too_few(self, what: str, hint: str) -> TouchstoneError:
        """Return the error for too few scores, at the first human one; the hint names the judge where it lacks some."""
        locations = [(ids.file, line) for ids in self.lines.values() for line in ids.lines[:1] if line]
        file, line = min(locations, key=lambda location: str(location[1]).zfill(9)) if locations else (None, None)
        if self.unjudged:
            hint = f"{self.unjudged:,} further human scores have no score of the judge: let it score these items too"
        return TouchstoneError(what, file=file, line=line, code=Code.TOO_FEW, hint=hint)


def unknown_field(name: str, fields: pa.Table) -> TouchstoneError:
    """Return the error of a *name* that no field of the items has."""
    names = [column for column in fields.column_names if column != "id"]
    hint = f"known: {', '.join(names) or 'none; the items have no further columns'}"
    near = nearest(name, names)
    return TouchstoneError("items have no such field", value=name, near=near, code=Code.UNKNOWN_NAME, hint=hint)
