"""Any table of per-item values, made by any tool: systems compared item by item.

A long table has a row for each system and item (``system, item, value…``), a wide one a row for each item and a column
for each system. A table with a column of annotators may have a row for each annotation: their mean is the value of the
item. Several files without a column of systems hold one system each. Where a task exported records (sums
that fold into F or BLEU), they are folded as the task folds them.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from math import isnan
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from touchstone.core.errors import Fault, TouchstoneError, nearest
from touchstone.core.joining import Ids, Policy, join_ids
from touchstone.core.measures import Measure, Measures, parse_name
from touchstone.core.options import TableOptions, option
from touchstone.core.ragged import Bools, Floats, Ints
from touchstone.core.results import RECORD
from touchstone.core.signature import content_digest, plain_value
from touchstone.core.tables import Cell, Column, Table, counted
from touchstone.core.task import TASKS, Explanation, Inputs, PathLike, Rows, Task, find_task, item_place
from touchstone.io.annotations import ANNOTATOR, ITEM, gather, is_long
from touchstone.io.runs import run_files
from touchstone.io.tables import Role, TableFile, parse_number, read_table
from touchstone.io.writing import write_table
from touchstone.stats.records import mean, mean_records
from touchstone.tasks.items.tools import ToolTable, read_files

SYSTEM = Role("system", ("system", "model", "peer", "method", "system_id", "model_name"))
ROLES = (SYSTEM, ITEM, ANNOTATOR)

VALUE = "value"
"""The measure of a wide table, whose columns are systems."""

APART = 100
"""Systems seldom differ by such a factor; a score and a time in milliseconds, or a length in tokens, usually do."""


@dataclass(frozen=True)
class Options(TableOptions):
    """How tables are read, and which measures are better the less they are."""

    lower_is_better: tuple[str, ...] = option((), "A measure where lower is better. Repeatable.", metavar="NAME")
    system_column: tuple[str, ...] = option(
        (), "A column that is a system, in a table with a column for each. Repeatable.", metavar="NAME", sign=None
    )


@dataclass(frozen=True, eq=False, repr=False)
class Run:
    """The values of one system: a column for each measure, and the rows' items with their lines."""

    name: str
    file: TableFile
    ids: Ids
    columns: dict[str, Floats]

    @property
    def signature(self) -> str:
        """The digest of items and values."""
        return content_digest(item=self.ids.ids, **self.columns)

    def __repr__(self) -> str:
        return str(self)

    def __str__(self) -> str:
        return f"{self.name}: values of {counted(len(self.ids.ids), 'item')} ({self.file.source})"


@dataclass(frozen=True, eq=False, repr=False)
class GoldSet:
    """The items of some tables and the systems that have values for them."""

    files: Sequence[TableFile]
    runs: Sequence[Run]
    fields: dict[str, dict[str, str]]
    remarks: Sequence[str] = ()

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
        places = {item: place for place, item in enumerate(self.ids)}
        known = {name: np.zeros(len(places), np.bool_) for run in self.runs for name in run.columns}
        for run in self.runs:
            rows = np.array([places[item] for item in run.ids.ids], np.int64)
            for name, values in run.columns.items():
                known[name][rows[~np.isnan(values)]] = True
        return known

    @property
    def signature(self) -> dict[str, str]:
        """The digest of the items and their fields, and how many items and systems there are."""
        fields = {f"field {name}": [plain_value(of.get(i)) for i in self.ids] for name, of in self.fields.items()}
        items, systems = len(self.ids), len(self.runs)
        size = f"{items} item{'s' * (items != 1)}, {systems} system{'s' * (systems != 1)}"
        return {"gold": content_digest(item=self.ids, **fields), "items": size}

    @property
    def notes(self) -> list[str]:
        """What the readers of tools noted, and columns that are compared only on request, and why."""
        kept = usual_measures(self)
        left = [name for name in self.runs[0].columns if ":" not in name and name not in kept and _owner(name)]
        notes = [note for file in self.files if isinstance(file, ToolTable) for note in file.notes]
        for name in kept:
            if name in self.runs[0].columns and (absent := int((~self.valued[name]).sum())):
                which = "" if name == VALUE else f" of {name}"
                notes.append(f"items without a value{which} in any system, which do not count: {absent:,}")
        return [*notes, *(f"{name} is left out: {REFUSED}" for name in left if f"{_owner(name)}:{name}" not in kept)]

    def __repr__(self) -> str:
        return str(self)

    def __str__(self) -> str:
        return f"{', '.join(str(file.source) for file in self.files)}: {counted(len(self.ids), 'item')}"


@dataclass(frozen=True, eq=False)
class Joined:
    """The values of one system in the order of the items; nan where there is none or the item does not count.

    *lacking* has an error for each column that may not be scored under the policy, as items have no value there.
    """

    columns: dict[str, Floats]
    facts: pa.Table
    notes: Sequence[str]
    lacking: dict[str, TouchstoneError] = field(default_factory=dict)

    def check(self, name: str) -> None:
        """Refuse a column where the policy does."""
        if name in self.lacking:
            raise self.lacking[name]


REFUSED = "its value is not the mean of its item values, and the table has no records to compute it from"


class ColumnMeasures(Measures[Joined]):
    """A measure for every column: the mean of its values, or ``TASK:NAME``, folded as that task folds its records."""

    @property
    def names(self) -> list[str]:
        """Examples, for help; the measures are the columns of the table."""
        return [VALUE]

    def find_all(self, names: Iterable[str]) -> tuple[Measure[Joined], ...]:
        """Return the measures of all columns, each once; the name of a column may have commas in it."""
        return tuple({measure.name: measure for measure in map(self.find, names)}.values())

    def find(self, name: str) -> Measure[Joined]:
        """Return the measure of a column."""
        task, colon, own = name.partition(":")
        if colon and task in TASKS and ":" not in own:
            measure = find_task(task).measures.find(own)
            return replace(measure, name=f"{task}:{measure.name}", record=partial(_folded_record, name=name))
        about = f"the mean of {name} over items"
        return Measure(name, partial(_mean_record, name=name), mean, about, own_items=_has_own_items(name))


def _mean_record(joined: Joined, name: str) -> Floats:
    joined.check(name)
    return mean_records(joined.columns[name])


def _folded_record(joined: Joined, name: str) -> Floats:
    width = sum(column.startswith(f"{RECORD}{name}:") for column in joined.columns)
    joined.check(f"{RECORD}{name}:0")
    records = np.column_stack([joined.columns[f"{RECORD}{name}:{place}"] for place in range(width)])
    return np.nan_to_num(records)


def read_gold(paths: Sequence[Any], options: Options) -> GoldSet:
    """Read tables of values: files in any format or of a tool that `tools` knows, folders of them, or an object.

    Parameters
    ----------
    paths
        Files or folders, or one Python object with the scores.
    options
        Which columns are chosen, and the encoding of text files.

    Examples
    --------
    >>> from touchstone import items
    >>> gold = items.read_gold([{"a": {"q1": 1.0, "q2": 0.5}}], items.Options())
    >>> gold.ids
    ['q1', 'q2']
    """
    if isinstance(paths[0], str | Path):
        given = read_files(run_files([str(path) for path in paths]), options.encoding, ROLES)
    else:
        given = [("the table", read_table(_rows(paths[0]), roles=ROLES))]
    return _gold_of(given, options)


def _gold_of(given: Sequence[tuple[str, TableFile]], options: Options) -> GoldSet:
    """Return the gold of tables, each with the name of its system where it holds one."""
    _check_texts(given, options)
    remarks: list[str] = []
    given = [(name, _averaged(file, options.column, remarks)) for name, file in given]
    alone = len(given) == 1
    runs = [run for name, file in given for run in _runs(name, file, options, remarks, alone=alone)]
    merged: dict[str, Run] = {}
    for run in runs:
        merged[run.name] = _appended(merged[run.name], run) if run.name in merged else run
    files = [file for _, file in given]
    return GoldSet(files, list(merged.values()), _fields(files, options.column), remarks)


def _check_texts(given: Sequence[tuple[str, TableFile]], options: Options) -> None:
    """Refuse cells that are no numbers in columns of numbers: without them a system or a measure would be lost.

    A column with one value for each item, whatever the system, is a field of the items and may hold texts. Without the
    cells that are refused, the rest of the tables can be checked.
    """
    files = [file for _, file in given]
    systems = files[0].roles(ROLES, options.column).get("system")
    wide = len(files) == 1 and systems is None
    several = len(files) > 1 or (systems is not None and len({*files[0].texts(systems)}) > 1)
    fields = _fields(files, options.column) if several else {}
    faults: list[Fault] = []
    readable = []
    for name, file in given:
        roles = file.roles(ROLES, options.column)
        wanted = _wide_columns(file, options) if wide else list(file.columns)
        cells = dict(file.columns)
        for column in () if isinstance(file, ToolTable) else wanted:
            numeric = bool(options.system_column) or file.odd_cell(column) is not None
            if column in roles.values() or column in fields or not numeric:
                continue
            try:
                file.numbers(column)
            except TouchstoneError as error:
                faults += error.faults
                cells[column] = [None if parse_number(cell) is None else cell for cell in file.columns[column]]
        readable.append((name, replace(file, columns=cells)))
    if faults:
        ways = "choose the columns that are systems with --system-column NAME" if wide else "remove it"
        hint = f"leave a cell empty where there is no value; where the whole column holds no scores, {ways}"
        refused = TouchstoneError.of(faults, hint)
        with suppress(TouchstoneError):  # there may be no number left
            refused.readable = _gold_of(readable, options)
        raise refused


def _wide_columns(file: TableFile, options: Options) -> list[str]:
    """Return the columns of a wide table that may be systems: those that the user chose, or all."""
    return [str(file.name(column)) for column in options.system_column] or list(file.columns)


def _averaged(file: TableFile, chosen: Sequence[str], remarks: list[str]) -> TableFile:
    """Return a table of annotations with a row for each item and the mean over annotators; others as they are."""
    roles = file.roles(ROLES, chosen)
    keys = [roles[name] for name in ("system", "item") if name in roles]
    if isinstance(file, ToolTable) or "item" not in roles or not is_long(file, keys, roles.get("annotator")):
        return file
    numeric = [name for name in file.columns if name not in roles.values() and file.is_numeric(name)]
    means = average(file, keys, roles["annotator"], numeric)
    empty = {name: sum(map(isnan, file.numbers(name))) for name in numeric}
    told = [f"{name} (empty cells, which are left out: {n:,})" if n else name for name, n in empty.items()]
    remarks.append(f"{file.source.stem}: the mean over annotators is the value of an item: {', '.join(told)}")
    return means


def average(file: TableFile, keys: Sequence[str], annotator: str, numeric: Sequence[str]) -> TableFile:
    """Return a table of annotations with a row for each item; refuse two rows of one annotator.

    Parameters
    ----------
    file
        The table.
    keys
        The columns of items, and of systems if there is one.
    annotator
        The column of annotators.
    numeric
        The columns of numbers, of which the mean over annotators is taken; empty cells are left out.
    """
    found, faults = gather(file, keys, annotator, numeric)
    if faults:
        raise TouchstoneError.of(faults, "keep one of two rows of an annotator for an item")
    means = {name: [_mean(cells) for cells in found.columns[name]] for name in numeric}
    return replace(found, columns={**found.columns, **means})


def _mean(cells: Sequence[object]) -> float | None:
    known = [value for cell in cells if (value := parse_number(cell)) is not None and not isnan(value)]
    return sum(known) / len(known) if known else None


def _rows(given: object) -> object:
    """Return an object as a table: a mapping from systems to their values or tables becomes rows."""
    if not isinstance(given, Mapping) or {str(name).lower() for name in given} & {*SYSTEM.names, *ITEM.names}:
        return given
    if all(isinstance(values, Mapping) for values in given.values()):
        return [{"system": s, "item": i, VALUE: value} for s, values in given.items() for i, value in values.items()]
    if not all(isinstance(own, list | tuple) or hasattr(own, "__array__") for own in given.values()):
        return given
    tables = {str(name): read_table(own, name=str(name), value=VALUE, roles=ROLES) for name, own in given.items()}
    return [row for name, own in tables.items() for row in _rows_of(name, own)]


def _rows_of(system: str, table: TableFile) -> list[dict[str, Any]]:
    """Return the rows of the table of one system; without a column of items they are numbered."""
    item = table.roles(ROLES).get("item")
    if item is None:
        table.check_order()
    ids = table.ids(item).ids if item else [str(row) for row in range(1, len(table) + 1)]
    others = {name: cells for name, cells in table.columns.items() if name != item}
    return [{"system": system, "item": ids[row], **{name: cells[row] for name, cells in others.items()}}
            for row in range(len(table))]  # fmt: skip


def _runs(name: str, file: TableFile, options: Options, remarks: list[str], *, alone: bool) -> list[Run]:
    """Return the systems of a table: of a long one, of a wide one, or the one system of a file among several.

    *remarks* takes a sentence on a wide table, which may hold columns that are no systems.
    """
    columns = file.roles(ROLES, options.column)
    system, item = columns.get("system"), columns.get("item")
    wide = system is None and alone
    if options.system_column and not wide:
        hint = (
            "leave it out: the systems have a column of their own" if system else "leave it out: each file is a system"
        )
        raise TouchstoneError(
            "--system-column chooses among the columns of a table with a column for each system", hint=hint
        )
    known = _wide_columns(file, options) if wide else list(file.columns)
    numeric = [column for column in known if column not in (system, item) and file.is_numeric(column)]
    if not numeric:
        raise TouchstoneError("no column of numbers", file=file.source.name, hint="an item needs at least one value")
    if item is None and (system is not None or not alone):
        file.require(ITEM)
    ids = [str(row) for row in range(1, len(file) + 1)] if item is None else list(file.ids(item).ids)
    values = {column: np.array(file.numbers(column)) for column in numeric}
    if wide:
        if len(numeric) > 1 and not options.system_column:
            listed = ", ".join(numeric)
            if all(parse_number(column) is not None for column in numeric):
                hint = "write the names of the columns above the rows"
                what = f"the systems would be called {listed}: is the line with the names missing?"
                raise TouchstoneError(what, file=file.source.name, hint=hint)
            remark = f"{file.source.stem}: no column of systems, so each column of numbers is a system: {listed}"
            remarks.append(remark)
            remarks += _scale_remark(file, values)
        return [
            Run(column, file, Ids(file.source.name, ids, file.lines), {VALUE: values[column]}) for column in numeric
        ]
    systems = [name] * len(file) if system is None else list(file.ids(system).ids)
    rows: dict[str, list[int]] = {}
    for row, own in enumerate(systems):
        rows.setdefault(own, []).append(row)
    return [
        Run(
            own,
            file,
            Ids(file.source.name, [ids[row] for row in places], [file.lines[row] for row in places]),
            {column: values[column][places] for column in numeric},
        )
        for own, places in rows.items()
    ]


def _scale_remark(file: TableFile, values: Mapping[str, Floats]) -> list[str]:
    """Return a remark where the columns of a wide table differ so much in scale that some are hardly systems."""
    sizes = {name: float(np.nanmean(np.abs(own))) for name, own in values.items()}
    least, most = min(sizes, key=sizes.__getitem__), max(sizes, key=sizes.__getitem__)
    if sizes[most] <= APART * sizes[least] or sizes[least] == 0:
        return []
    ends = f"{least} (mean size {sizes[least]:.3g}) and {most} ({sizes[most]:.3g})"
    what = f"{ends} differ in scale by more than a factor of {APART}, so some columns may be no systems"
    return [f"{file.source.stem}: {what}: choose those that are with --system-column NAME"]


def _appended(run: Run, more: Run) -> Run:
    """Return the rows of a system from two files as one run."""
    if run.columns.keys() != more.columns.keys():
        what = f"{run.name!r} has other columns here than in {run.file.source.name}"
        raise TouchstoneError(what, file=more.file.source.name, hint="give tables with the same columns")
    ids = Ids(more.ids.file, [*run.ids.ids, *more.ids.ids], [*run.ids.lines, *more.ids.lines])
    columns = {name: np.concatenate([values, more.columns[name]]) for name, values in run.columns.items()}
    return replace(run, ids=ids, columns=columns)


def _fields(files: Sequence[TableFile], chosen: Sequence[str]) -> dict[str, dict[str, str]]:
    """Return, by name, the columns that have one value for each item, whatever the system: value by item."""
    fields: dict[str, dict[str, str]] = {}
    varying: set[str] = set()
    for file in files:
        columns = file.roles(ROLES, chosen)
        item = columns.get("item")
        ids = file.texts(item) if item else [str(row) for row in range(1, len(file) + 1)]
        skipped = {columns.get("system"), columns.get("item")}
        for column in file.columns.keys() - skipped - varying:
            known = fields.setdefault(column, {})
            for name, cell in zip(ids, file.texts(column), strict=True):
                if name is not None and cell is not None and known.setdefault(name, cell) != cell:
                    varying.add(column)
    return {column: fields[column] for file in files for column in file.columns if column in fields.keys() - varying}


def join(gold: GoldSet, run: Run, policy: Policy, options: Options) -> Joined:
    """Return the values of a system in the order of the items.

    An empty cell of an item that another system has a value for is missing, as a row that is not there.
    """
    ids = join_ids(gold.ids, run.ids, policy, missing=f"{run.name!r} has no row for this item").check()
    present = ids.rows >= 0
    columns, notes, lacking = {}, ids.note(run.name), {}
    for name, values in run.columns.items():
        placed = np.where(present, values[ids.rows], np.nan)
        absent = np.isnan(placed) & gold.valued[name]
        empty = absent & present
        if ids.missing == "zero":
            if absent.any() and name in options.lower_is_better:
                what = f"{run.name}: a missing item cannot score 0 under {name}, where lower is better"
                raise TouchstoneError(what, hint="leave such items out with --missing skip, or fill in a value")
            placed = np.where(absent, 0.0, placed)
        if empty.any() and not _has_own_items(name):
            if ids.missing == "error":
                lacking[name] = _empty_cells(gold, run, name, np.flatnonzero(empty))
            elif not name.startswith(RECORD):
                which = "a value" if name == VALUE else f"a value of {name}"
                outcome = "score 0" if ids.missing == "zero" else "are left out"
                notes.append(f"{run.name}: items without {which}, which {outcome} (of {len(empty):,}): {empty.sum():,}")
        columns[name] = placed
    return Joined(columns, pa.table({"row": pa.array(ids.rows)}).select([]), notes, lacking)


def _empty_cells(gold: GoldSet, run: Run, name: str, places: Ints) -> TouchstoneError:
    """Return the error of a system without values for the items at some *places*; its hint counts all systems'."""
    items = [gold.ids[place] for place in places.tolist()]
    which = "value" if name == VALUE else name
    faults = [
        Fault(f"{run.name!r} has no {which} for this item", run.ids.file, run.ids.lines[run.ids.first[item]], item,
              kind="id")
        for item in items
    ]  # fmt: skip
    valued = dict(zip(gold.ids, gold.valued[name].tolist(), strict=True))
    counts = {
        own.name: sum(valued[own.ids.ids[row]] for row in np.flatnonzero(np.isnan(own.columns[name])).tolist())
        for own in gold.runs
        if name in own.columns
    }
    empty = ", ".join(f"{system} {count:,}" for system, count in counts.items() if count)
    hint = f"empty cells (of {len(gold.ids):,} items): {empty}; score them 0 with --missing zero, or leave them out "
    hint += "with --missing skip"
    return TouchstoneError.of(faults, hint)


def examine(inputs: Inputs[GoldSet, Run], joined: Joined) -> None:
    """Refuse empty cells of the columns that are scored where none is asked for."""
    for name in usual_measures(inputs.gold):
        joined.check(name if name in joined.columns else f"{RECORD}{name}:0")


def usual_measures(gold: GoldSet) -> list[str]:
    """Return the measures that are scored where none is asked for: columns in which at least two systems differ."""
    first, *others = gold.runs
    shared = [name for name in first.columns if all(name in run.columns for run in others)]
    folded = list(
        dict.fromkeys(name.removeprefix(RECORD).rpartition(":")[0] for name in shared if name.startswith(RECORD))
    )
    plain = [name for name in shared if not name.startswith(RECORD) and not _owner(name)]
    differing = [name for name in plain if not others or name not in gold.fields]
    return [*(differing or plain), *folded]


def select(names: Sequence[str], inputs: Inputs[GoldSet, Run]) -> list[str]:
    """Return the columns asked for; refuse unknown ones, and those that are no mean and have no records."""
    usual = usual_measures(inputs.gold)
    first, *others = inputs.runs
    other = next((run for run in others if not names and not usual and not run.columns.keys() & first.columns), None)
    if other:
        columns = "; ".join(f"{run.name}: {', '.join(run.columns)}" for run in (first, other))
        raise TouchstoneError(f"{first.name!r} and {other.name!r} have no column of numbers in common", hint=columns)
    if not names and not usual:
        what = "; ".join(inputs.gold.notes) or "no two systems differ"
        raise TouchstoneError(f"no measure to score: {what}", hint="name a column with --measure NAME")
    chosen = []
    for name in names or usual:
        owner = _owner(name)
        folded = next((one for one in (name, f"{owner}:{name}") if f"{RECORD}{one}:0" in inputs.runs[0].columns), None)
        if folded is None and owner:
            hint = f"score with touchstone {owner} score --items, which exports records; or rename the column"
            raise TouchstoneError(f"cannot be averaged: {REFUSED}", value=name, hint=hint)
        for run in inputs.runs:
            if folded is None and name not in run.columns:
                known = list(run.columns)
                raise TouchstoneError(
                    f"{run.name!r} has no column of numbers with this name",
                    value=name,
                    near=nearest(name, known),
                    hint=f"columns: {', '.join(usual)}",
                )
        chosen.append(folded or name)
    return chosen


def refine(measure: Measure[Joined], inputs: Inputs[GoldSet, Run]) -> Measure[Joined]:
    """Return the measure with the direction that the options say it has."""
    lower = measure.lower_is_better or measure.name in inputs.options.lower_is_better
    return replace(measure, lower_is_better=lower)


def _known_as(name: str) -> Iterator[tuple[str, Measure[Any]]]:
    """Yield the measures of tasks that a column is called after, letter by letter, each with its task."""
    if ":" in name:  # would import a module that a table names
        return
    for task in TASKS[:-1]:
        try:
            measure = find_task(task).measures.find(name)
        except TouchstoneError:
            continue
        if measure.name.startswith(parse_name(name)[0]):  # a column TER is not the measure ter
            yield task, measure


def _owner(name: str) -> str | None:
    """Return the task that has a measure of this name whose value is not a mean of item values."""
    return next((task for task, measure in _known_as(name) if not measure.averages), None)


def _has_own_items(name: str) -> bool:
    """Return whether a column is a measure of a task whose answers decide which items count, such as els07.oot.P."""
    return next((measure.own_items for _, measure in _known_as(name)), False)


def explain_item(inputs: Inputs[GoldSet, Run], item: str, measure: str | None, policy: Policy) -> Explanation:
    """Show one item: its fields, and the values of every system, best first."""
    gold, place = inputs.gold, item_place(inputs.gold, item)
    names = select([measure] if measure else (), inputs)
    each = {run.name: join(gold, run, policy, inputs.options) for run in inputs.runs}
    joined = {name: replace(one, lacking={}) for name, one in each.items()}  # one item is shown, whatever others lack
    measures = [TASK.measures.find(name) for name in names]
    values = {run: [float(m.values(m.record(one))[place]) for m in measures] for run, one in joined.items()}
    sign = 1 if refine(measures[0], inputs).lower_is_better else -1
    order = sorted(values, key=lambda run: np.inf if isnan(values[run][0]) else sign * values[run][0])
    rows: list[list[Cell]] = [[run, *values[run]] for run in order]
    columns = [Column("system"), *(Column(m.name, "right") for m in measures)]
    fields = {name: of[item] for name, of in gold.fields.items() if item in of}
    facts = Table([Column("field"), Column(VALUE)], list(fields.items()))
    return Explanation(item, f"item {item}", [*([facts] if fields else []), Table(columns, rows)])


def convert_table(source: PathLike, target: PathLike, options: Options) -> str:
    """Write a table in another format, by the suffix of *target*."""
    file = read_table(source, options.encoding)
    numeric = {name for name in file.columns if name.lower() not in ITEM.names and file.is_numeric(name)}
    columns = {
        name: pa.array([None if isnan(x) else x for x in file.numbers(name)]) if name in numeric else file.texts(name)
        for name in file.columns
    }
    write_table(target, pa.table(columns))
    return f"{len(file):,} rows"


TASK: Task[GoldSet, Run, Joined] = Task(
    name="items",
    title="Items",
    summary="Any table of per-item scores, made by any tool.",
    measures=ColumnMeasures("items"),
    default=(VALUE,),
    options=Options,
    read_gold=read_gold,
    rows=Rows(ITEM),
    carried=lambda gold: gold.runs,
    join=join,
    select=select,
    refine=refine,
    explain_item=explain_item,
    examine=examine,
    converter=convert_table,
    gold_help="Tables (.csv .tsv .jsonl .parquet: system, item, value…; or a column for each system), result files of "
    "inspect_ai, lm_eval, COMET or sacrebleu, or folders.",
    example="scores.csv",
)

score, explain, validate, convert = TASK.score, TASK.explain, TASK.validate, TASK.convert

__all__ = ["TASK", "GoldSet", "Joined", "Options", "Run", "convert", "explain", "read_gold", "score", "validate"]
