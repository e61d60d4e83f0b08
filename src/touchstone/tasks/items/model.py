"""The items of tables of scores, and the values of each system; and which columns are measures of another task."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from importlib.metadata import entry_points
from typing import Any

import numpy as np
import pyarrow as pa

from touchstone.base.errors import TouchstoneError
from touchstone.base.files import Source
from touchstone.base.ids import Ids
from touchstone.base.notes import Note, count_note
from touchstone.base.ragged import Bools, Floats
from touchstone.base.signature import content_digest, number_or_text
from touchstone.base.tables import counted
from touchstone.core import inputs
from touchstone.core.measures import Measure, parse_name
from touchstone.core.names import LEFT_OUT
from touchstone.core.registry import GROUP, find_task
from touchstone.core.results import RECORD
from touchstone.core.summaries import summary_rows
from touchstone.io.annotations import ANNOTATOR, ITEM, SYSTEM
from touchstone.io.schema import Rows, Schema
from touchstone.io.tables import TableFile
from touchstone.tasks.items.doubts import epochs_in_ids, exchanged, numbered_differently
from touchstone.tasks.items.logs import ToolTable

SCHEMA = Schema(SYSTEM, ITEM, ANNOTATOR)
"""Tables of scores; all other columns are scores, fields of the items, or systems."""

Named = Sequence[tuple[str, Rows]]
"""Tables, each with the name of its system where it holds one."""

VALUE = "value"
"""The measure of a wide table, whose columns are systems."""

REFUSED = "its value is not the mean of its item values, and the table has no records to compute it from"

NO_MEANS = {
    **dict.fromkeys(("F", "els07.", "swords."), "lexsub"),
    **dict.fromkeys(("accuracy@", "ece", "macro_f1"), "nli"),
    **dict.fromkeys(("bleu", "chrf", "meteor", "ter"), "mt"),
}
"""Measures of our tasks whose value is not a mean of item values, or whose answers decide which items count, each with
its task; ``els07.`` stands for all that begin so."""


@dataclass(frozen=True, eq=False, repr=False)
class Run(inputs.Run):
    """The values of one system: a column for each measure, and the rows' items with their lines."""

    name: str
    file: TableFile
    ids: Ids
    columns: dict[str, Floats]

    @property
    def sources(self) -> Sequence[Source]:
        """The table that was read."""
        return (self.file.source,)

    @property
    def places(self) -> Ids:
        """The items of the rows."""
        return self.ids

    @property
    def scores(self) -> Mapping[str, Floats]:
        """The values of the rows by column."""
        return self.columns

    @property
    def signature(self) -> str:
        """The digest of items and values."""
        return content_digest(item=self.ids.ids, **self.columns)

    def __repr__(self) -> str:
        return str(self)

    def __str__(self) -> str:
        return f"{self.name}: values of {counted(len(self.ids.ids), 'item')} ({self.file.source})"


@dataclass(frozen=True, eq=False, repr=False)
class GoldSet(inputs.GoldSet):
    """The items of some tables and the systems that have values for them."""

    files: Sequence[TableFile]
    runs: Sequence[Run] = field()
    fields: dict[str, dict[str, str]]
    remarks: Sequence[str] = ()

    @property
    def sources(self) -> Sequence[Source]:
        """The tables that were read."""
        return [file.source for file in self.files]

    def number_cells(self, name: str) -> Mapping[str, object] | None:
        """Return the cells of a field; a cell that is no number is refused with its line."""
        for file in self.files:
            if name in file.columns:
                file.numbers(name)
        return super().number_cells(name)

    @cached_property
    def ids(self) -> list[str]:
        """The ids of all items, in the order of their first rows."""
        return list(dict.fromkeys(name for run in self.runs for name in run.ids.ids))

    @cached_property
    def items(self) -> pa.Table:
        """The id of each item, and the fields whose value does not depend on the system."""
        columns = {name: pa.array([of.get(item) for item in self.ids]) for name, of in self.fields.items()}
        return pa.table({"id": pa.array(self.ids, pa.string()), **columns})

    @cached_property
    def valued(self) -> dict[str, Bools]:
        """Which items have a value in any system, by column: its measure does not apply to the others."""
        places = {item: row for row, item in enumerate(self.ids)}
        has_value = {name: np.zeros(len(places), np.bool_) for run in self.runs for name in run.columns}
        for run in self.runs:
            rows = np.array([places[item] for item in run.ids.ids], np.int64)
            for name, values in run.columns.items():
                has_value[name][rows[~np.isnan(values)]] = True
        return has_value

    @property
    def signature(self) -> dict[str, str]:
        """The digest of the items and their fields, and how many items and systems there are."""
        fields = {f"field {name}": [number_or_text(of.get(i)) for i in self.ids] for name, of in self.fields.items()}
        items, systems = len(self.ids), len(self.runs)
        size = f"{items} item{'s' * (items != 1)}, {systems} system{'s' * (systems != 1)}"
        return {"gold": content_digest(item=self.ids, **fields), "items": size}

    @property
    def notes(self) -> list[str]:
        """What the readers of tools noted, and columns that are compared only on request, and why."""
        compared = default_measures(self)
        left = [name for name in self.runs[0].columns if ":" not in name and name not in compared and owner_of(name)]
        notes = [note for file in self.files if isinstance(file, ToolTable) for note in file.notes]
        for name in compared:
            if name in self.runs[0].columns and (absent := int((~self.valued[name]).sum())):
                of_column = "" if name == VALUE else f" of {name}"
                notes.append(count_note(f"items without a value{of_column} in any system, which do not count", absent))
        unused = [name for name in left if f"{owner_of(name)}:{name}" not in compared]
        notes += [Note(f"{name} is left out: {REFUSED}", LEFT_OUT.format(name)) for name in unused]
        notes += exchanged(len(self.ids), len(self.runs))
        notes += numbered_differently({run.name: run.ids.ids for run in self.runs})
        notes += epochs_in_ids(self.ids)
        if len(self.ids) > 1:  # else a row has no others to summarise
            notes += summary_rows(self.ids, self._scores)
        return notes

    @property
    def _scores(self) -> list[Floats]:
        """The values of each system in the columns that are scored, in the order of the items."""
        places = {item: row for row, item in enumerate(self.ids)}
        columns = []
        for run in self.runs:
            rows = [places[item] for item in run.ids.ids]
            for name in default_measures(self):
                if name in run.columns:
                    columns.append(np.full(len(places), np.nan))
                    columns[-1][rows] = run.columns[name]
        return columns

    def __repr__(self) -> str:
        return str(self)

    def __str__(self) -> str:
        return f"{', '.join(str(file.source) for file in self.files)}: {counted(len(self.ids), 'item')}"


@cache
def _tasks_with(family: str, *, parameters: bool) -> list[str]:
    """Return the tasks that may have such a measure: importing all to ask them takes long, and few columns are one.

    All are asked about the *parameters* of a measure that is a mean without them. Tasks of other packages are asked
    always, and so is a task to which another package adds a measure of this name.
    """
    owner = NO_MEANS.get(family) or NO_MEANS.get(f"{family.partition('.')[0]}.")
    every = parameters and owner is None
    extended = {point.group for point in entry_points(name=family)}
    return [
        point.name
        for point in entry_points(group=GROUP)
        if point.name != "items"
        and (
            every
            or point.name == owner
            or not point.value.startswith("touchstone.tasks.")
            or f"touchstone.measures.{point.name}" in extended
        )
    ]


def _task_measures_named(name: str) -> Iterator[tuple[str, Measure[Any]]]:
    """Yield the measures of tasks that a column is called after, letter by letter, each with its task."""
    if ":" in name:  # would import a module that a table names
        return
    family = parse_name(name)[0]
    for task in _tasks_with(family, parameters="(" in name):
        try:
            measure = find_task(task).measures.find(name)
        except TouchstoneError:
            continue
        if measure.name.startswith(family):  # a column TER is not the measure ter
            yield task, measure


def owner_of(name: str) -> str | None:
    """Return the task that has a measure of this name whose value is not a mean of item values."""
    return next((task for task, measure in _task_measures_named(name) if not measure.averages), None)


def answers_decide_items(name: str) -> bool:
    """Return whether a column is a measure of a task whose answers decide which items count, such as els07.oot.P."""
    return next((measure.own_items for _, measure in _task_measures_named(name)), False)


def default_measures(gold: GoldSet) -> list[str]:
    """Return the measures that are scored where none is asked for: columns in which at least two systems differ."""
    first, *others = gold.runs
    shared = [name for name in first.columns if all(name in run.columns for run in others)]
    folded = list(
        dict.fromkeys(name.removeprefix(RECORD).rpartition(":")[0] for name in shared if name.startswith(RECORD))
    )
    mean_columns = [name for name in shared if not name.startswith(RECORD) and not owner_of(name)]
    differing = [name for name in mean_columns if not others or name not in gold.fields]
    return [*(differing or mean_columns), *folded]


@dataclass(frozen=True, eq=False)
class Joined(inputs.Joined):
    """The values of one system in the order of the items; nan where there is none or the item does not count.

    *lacking* has an error for each column that may not be scored under the policy, as items have no value there.
    """

    columns: dict[str, Floats]
    facts: pa.Table
    notes: Sequence[str] = field()
    lacking: dict[str, TouchstoneError] = field(default_factory=dict)

    def check(self, name: str) -> None:
        """Refuse a column where the policy does."""
        if name in self.lacking:
            raise self.lacking[name]
