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

from touchstone.base.errors import Fault, TouchstoneError, nearest
from touchstone.base.ids import Ids, Policy, join_ids
from touchstone.base.options import TableOptions, option
from touchstone.base.ragged import Bools, Floats, Ints
from touchstone.base.signature import content_digest, plain_value
from touchstone.base.spelling import setting
from touchstone.base.tables import Cell, Column, Table, counted
from touchstone.core.doubts import Doubt
from touchstone.core.formulas import Steps, written
from touchstone.core.measures import Measure, Measures, parse_name
from touchstone.core.registry import find_task, task_names
from touchstone.core.results import RECORD, Results
from touchstone.core.task import Explanation, Inputs, PathLike, Rows, Task, item_place
from touchstone.io.annotations import ANNOTATOR, ITEM, SYSTEM, gather, is_long
from touchstone.io.cells import listed, parse_number
from touchstone.io.reading import read_table
from touchstone.io.runs import RunFiles, run_files
from touchstone.io.tables import Role, TableFile
from touchstone.io.writing import write_table
from touchstone.stats.records import mean, mean_records
from touchstone.tasks.items.doubts import doubts_about, summary_rows
from touchstone.tasks.items.prompts import PROMPT, check_prompts, with_items
from touchstone.tasks.items.scales import column_doubts
from touchstone.tasks.items.texts import chosen_values, holds_any, labels_of, mapping_hint, unscored, worth
from touchstone.tasks.items.tools import ToolTable, read_files

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
    value: tuple[str, ...] = option(
        (), "What a text is worth, such as good=1. Repeatable.", metavar="TEXT=NUMBER", sign=None
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
        notes += [f"{name} is left out: {REFUSED}" for name in left if f"{_owner(name)}:{name}" not in kept]
        return [*notes, *summary_rows(self.ids)]

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
        if colon and task in task_names() and ":" not in own:
            measure = find_task(task).measures.find(own)
            record = partial(_folded_record, name=name)
            return replace(measure, name=f"{task}:{measure.name}", record=record, bounded=False)
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
    remarks: list[str] = []
    if isinstance(paths[0], str | Path):
        given = _read_files(run_files([str(path) for path in paths]), options, remarks)
    else:
        given = [("the table", read_table(rows_of(paths[0], remarks), roles=ROLES))]
    return _gold_of(given, options, remarks)


def _read_files(runs: Sequence[RunFiles], options: Options, remarks: list[str]) -> list[tuple[str, TableFile]]:
    """Return the table of each file with the name of its system; a named column is all the scores of its system."""
    if all(files.column is None for files in runs):
        return read_files(runs, options.encoding, ROLES)
    tables = []
    chosen = {(str(files.path), files.column) for files in runs if files.column is not None}
    shared = {files.column for files in runs}
    one_table = len({str(files.path) for files in runs}) == 1  # then row n is the same item for all systems
    measure = VALUE if one_table or len(shared) > 1 else str(runs[0].column)
    for files in runs:
        for name, file in read_files([files], options.encoding, ROLES):
            if files.column is None:
                tables.append((name, file))
                continue
            others = {column for path, column in chosen if path == str(files.path)}
            scores = _scores_of(file, files.column, options, remarks, numbered=one_table)
            kept = {name: cells for name, cells in scores.columns.items() if name not in others}
            columns = {
                **kept,
                SYSTEM.name: [name] * len(scores),
                measure: scores.columns[str(scores.name(files.column))],
            }
            tables.append((name, ToolTable(file.source, columns, scores.lines, measures=frozenset([measure]))))
    return tables


def _scores_of(file: TableFile, column: str, options: Options, remarks: list[str], *, numbered: bool) -> TableFile:
    """Return a table whose named column holds the scores of one system, an item to a row."""
    file = replace(file, worth=worth(options.value))
    roles = file.roles(ROLES, options.column)
    if isinstance(file, ToolTable) or "system" in roles:
        what = "the systems are named in a column" if "system" in roles else "the file holds the results of a tool"
        hint = f"leave out :{column}; choose a column of scores with {setting('measure', column)}"
        raise TouchstoneError(f"no single column can be read: {what}", file=file.source.name, value=column, hint=hint)
    named = str(file.name(column))
    if named in roles.values():
        role = next(role for role, own in roles.items() if own == named)
        raise TouchstoneError(f"is the column of the {role}, not of scores", file=file.source.name, value=named)
    file.numbers(named)  # refuses texts, with their lines
    if "item" not in roles and numbered:
        return replace(file, columns={"item": list(map(str, range(1, len(file) + 1))), **file.columns})
    if "item" not in roles:
        file.require(ITEM)
    return _averaged(file, options.column, remarks, [named])


def _gold_of(given: Sequence[tuple[str, TableFile]], options: Options, remarks: list[str]) -> GoldSet:
    """Return the gold of tables, each with the name of its system where it holds one; add to *remarks* how."""
    values = worth(options.value)
    given = [(name, replace(file, worth=values)) for name, file in given]
    for _, file in given:
        _check_header(file, options)
    given = with_items(given, ROLES, options.column, remarks)
    check_prompts(given, ROLES, options.column)
    _check_texts(given, options)
    given = [(name, _averaged(file, options.column, remarks)) for name, file in given]
    alone = len(given) == 1
    runs = [run for name, file in given for run in _runs(name, file, options, remarks, alone=alone)]
    merged: dict[str, Run] = {}
    for run in runs:
        merged[run.name] = _appended(merged[run.name], run) if run.name in merged else run
    files = [file for _, file in given]
    fields = _fields(files, options.column)
    remarks += [] if alone and "system" not in files[0].roles(ROLES, options.column) else _unscored(files, fields)
    return GoldSet(files, list(merged.values()), fields, remarks)


def _unscored(files: Sequence[TableFile], fields: Mapping[str, object]) -> list[str]:
    """Return a note on columns of texts that differ between systems and may be scores in words."""
    notes = []
    for file in (file for file in files if not isinstance(file, ToolTable)):
        named = {name for role in ROLES for name in role.names}
        others = [name for name in file.columns if name not in fields and name.lower() not in named]
        notes += unscored(file, [name for name in others if not file.is_numeric(name)])
    return notes


def _check_header(file: TableFile, options: Options) -> None:
    """Refuse a table whose first row seems to be data: a number, and a text that its column repeats."""
    names = list(file.columns)
    if isinstance(file, ToolTable) or file.roles(ROLES, options.column):
        return
    repeated = [name for name in names if parse_number(name) is None and name in file.columns[name]]
    if repeated and any(parse_number(name) is not None for name in names):
        what = f"the columns would be called {', '.join(names)}: is the line with the names missing?"
        raise TouchstoneError(what, file=file.source.name, hint="write the names of the columns above the rows")


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
    asked = chosen_values(options.value)
    faults: list[Fault] = []
    readable = []
    for name, file in given:
        roles = file.roles(ROLES, options.column)
        wanted = _wide_columns(file, options) if wide else list(file.columns)
        cells = dict(file.columns)
        for column in () if isinstance(file, ToolTable) else wanted:
            numeric = bool(options.system_column) or file.odd_cell(column) is not None
            numeric = numeric or holds_any(file, column, asked)
            if column in roles.values() or column in fields or not numeric:
                continue
            try:
                file.numbers(column)
            except TouchstoneError as error:
                faults += error.faults
                cells[column] = [None if file.number(cell) is None else cell for cell in file.columns[column]]
        readable.append((name, replace(file, columns=cells)))
    if faults:
        ways = f"choose the columns that are systems with {setting('system-column', 'NAME')}" if wide else "remove it"
        text = setting("value", "TEXT=NUMBER")
        hint = f"leave a cell empty where there is no value, or say what a text is worth: {text}; "
        hint += f"where the whole column holds no scores, {ways}"
        refused = TouchstoneError.of(faults, hint)
        with suppress(TouchstoneError):  # there may be no number left
            refused.readable = _gold_of(readable, options, [])
        raise refused


def _wide_columns(file: TableFile, options: Options) -> list[str]:
    """Return the columns of a wide table that may be systems: those that the user chose, or all."""
    return [str(file.name(column)) for column in options.system_column] or list(file.columns)


def _averaged(
    file: TableFile, chosen: Sequence[str], remarks: list[str], scores: Sequence[str] | None = None
) -> TableFile:
    """Return a table of annotations with a row for each item and the mean over annotators; others as they are.

    *scores* names the columns of scores; by default all columns of numbers.
    """
    roles = file.roles(ROLES, chosen)
    keys = [roles[name] for name in ("system", "item") if name in roles]
    if isinstance(file, ToolTable) or "item" not in roles or not is_long(file, keys, roles.get("annotator")):
        return file
    numeric = [name for name in scores or file.columns if name not in roles.values() and file.is_numeric(name)]
    means = average(file, keys, roles["annotator"], numeric)
    empty = {name: sum(map(isnan, file.numbers(name))) for name in numeric}
    told = [f"{name} (empty cells, which are left out: {n:,})" if n else name for name, n in empty.items()]
    merged = f"{len(file):,} rows become {len(means):,}"
    remarks.append(
        f"{file.source.stem}: the mean over annotators is the value of an item ({merged}): {', '.join(told)}"
    )
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
    means = {name: [_mean(map(file.number, cells)) for cells in found.columns[name]] for name in numeric}
    return replace(found, columns={**found.columns, **means})


def _mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None and not isnan(value)]
    return sum(known) / len(known) if known else None


def rows_of(given: object, remarks: list[str]) -> object:
    """Return an object as a table: a mapping from systems to their values or tables becomes rows.

    Parameters
    ----------
    given
        The object.
    remarks
        Takes a sentence where nothing but the order of the rows tells which item a row is.
    """
    if not isinstance(given, Mapping) or {str(name).lower() for name in given} & {*SYSTEM.names, *ITEM.names}:
        return given
    if all(isinstance(values, Mapping) for values in given.values()):
        return [{"system": s, "item": i, VALUE: value} for s, values in given.items() for i, value in values.items()]
    if not all(isinstance(own, list | tuple) or hasattr(own, "__array__") for own in given.values()):
        return given
    tables = {str(name): read_table(own, name=str(name), value=VALUE, roles=ROLES) for name, own in given.items()}
    bare = [own for own in tables.values() if not own.name(*KEYS, required=False)]
    if any(own.numbers_of_rows is None for own in tables.values()):
        for own in bare:
            own.check_order()
    framed = [name for name, own in given.items() if hasattr(own, "columns")]  # a plain list has but its order
    told = any(own.reordered for own in bare) or (all(own.columns.keys() == {VALUE} for own in bare) and not framed)
    ordered = bool(bare) and not told
    remarks += ["no ids, so the rows of the tables are joined in their order"] if ordered else []
    return [row for name, own in tables.items() for row in _rows_of(name, own)]


KEYS = (*ITEM.names, *PROMPT.names)
"""Columns that tell which item a row is."""


def _rows_of(system: str, table: TableFile) -> list[dict[str, Any]]:
    """Return the rows of the table of one system; without a column of items they are numbered."""
    item = table.roles(ROLES).get("item")
    if item is None and table.name(*PROMPT.names, required=False):
        table = replace(table, columns={**table.columns, SYSTEM.name: [system] * len(table)})
        return [dict(zip(table.columns, row, strict=True)) for row in zip(*table.columns.values(), strict=True)]
    ids = table.ids(item).ids if item else _numbered(table)
    others = {name: cells for name, cells in table.columns.items() if name != item}
    return [{"system": system, "item": ids[row], **{name: cells[row] for name, cells in others.items()}}
            for row in range(len(table))]  # fmt: skip


def _numbered(table: TableFile) -> list[str]:
    """Return the numbers of the rows of a table without ids; an index of pandas has those before rows were moved."""
    return list(map(str, table.numbers_of_rows or range(1, len(table) + 1)))


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
            f"{setting('system-column')} chooses among the columns of a table with a column for each system", hint=hint
        )
    known = _wide_columns(file, options) if wide else list(file.columns)
    numeric = [column for column in known if column not in (system, item) and file.is_numeric(column)]
    if not numeric:
        labels = {name: texts for name in known if name not in (system, item) and (texts := labels_of(file, name))}
        every = sorted({text for texts in labels.values() for text in texts})
        hint = f"{listed(labels)}: {mapping_hint(every)}" if labels else "an item needs at least one value"
        raise TouchstoneError("no column of numbers", file=file.source.name, hint=hint)
    if item is None and (system is not None or not alone):
        file.require(ITEM)
    ids = _numbered(file) if item is None else list(file.ids(item).ids)
    worded = _worded(file, numeric, options) if wide else []
    numeric = [column for column in numeric if column not in worded]
    values = {column: np.array(file.numbers(column)) for column in numeric}
    if wide:
        if worded:
            beside = f"{file.source.stem}: texts beside columns of numbers are fields of the items: {listed(worded)}"
            remarks.append(f"{beside}; if they are systems, say so with {setting('system-column', 'NAME')}")
        if len(numeric) > 1 and not options.system_column:
            systems_named = ", ".join(numeric)
            if all(parse_number(column) is not None for column in numeric):
                hint = "write the names of the columns above the rows"
                what = f"the systems would be called {systems_named}: is the line with the names missing?"
                raise TouchstoneError(what, file=file.source.name, hint=hint)
            remark = f"{file.source.stem}: no column of systems, so each column of numbers is a system: {systems_named}"
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


def _worded(file: TableFile, numeric: Sequence[str], options: Options) -> list[str]:
    """Return the columns of a wide table that hold verdicts in words while others hold numbers.

    Beside columns of numbers, yes and no are rather a field of the items than a system, unless the user says more.
    """
    if options.system_column or isinstance(file, ToolTable):
        return []
    plain = replace(file, worth={})
    words = [name for name in numeric if not plain.is_numeric(name) and plain.odd_cell(name) is None]
    words = [name for name in words if not holds_any(file, name, chosen_values(options.value))]
    return words if len(words) < len(numeric) else []


def _scale_remark(file: TableFile, values: Mapping[str, Floats]) -> list[str]:
    """Return a remark where the columns of a wide table differ so much in scale that some are hardly systems."""
    sizes = {name: float(np.nanmean(np.abs(own))) for name, own in values.items()}
    least, most = min(sizes, key=sizes.__getitem__), max(sizes, key=sizes.__getitem__)
    if sizes[most] <= APART * sizes[least] or sizes[least] == 0:
        return []
    ends = f"{least} (mean size {sizes[least]:.3g}) and {most} ({sizes[most]:.3g})"
    what = f"{ends} differ in scale by more than a factor of {APART}, so some columns may be no systems"
    return [f"{file.source.stem}: {what}: choose those that are with {setting('system-column', 'NAME')}"]


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
        ids = file.texts(item) if item else _numbered(file)
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
                raise TouchstoneError(
                    what, hint=f"leave such items out with {setting('missing', 'skip')}, or fill in a value"
                )
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


def join_failed(gold: GoldSet, run: Run, policy: Policy, options: Options) -> Joined:
    """Return the values of a system, where each item that it lacks has the worst value that any system has.

    A column declares no range, so 0 may be a good value; no value is worse than the worst of the table. Records that a
    task folds have no worst value.
    """
    joined = join(gold, run, replace(policy, missing="skip"), options)
    columns = {}
    for name, values in joined.columns.items():
        known = np.concatenate([one.columns[name] for one in gold.runs if name in one.columns])
        lower = name in options.lower_is_better
        worst = 1.0 if name.startswith(RECORD) else np.nanmax(known) if lower else np.nanmin(known)
        absent = np.isnan(values) & gold.valued[name]
        columns[name] = np.where(absent, worst, values) if absent.any() else values
    return replace(joined, columns=columns)


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
    hint = f"empty cells (of {len(gold.ids):,} items): {empty}; score them 0 with {setting('missing', 'zero')}, "
    hint += f"or leave them out with {setting('missing', 'skip')}"
    return TouchstoneError.of(faults, hint)


def examine(inputs: Inputs[GoldSet, Run], joined: Joined) -> None:
    """Refuse empty cells of the columns that are scored where none is asked for."""
    for name in usual_measures(inputs.gold):
        joined.check(name if name in joined.columns else f"{RECORD}{name}:0")


def doubts(inputs: Inputs[GoldSet, Run], joined: Sequence[tuple[Run, Joined]]) -> list[Doubt]:
    """Return what is unlikely about the columns that are scored where none is asked for."""
    every = {run.name: one.columns for run, one in joined}
    return [
        doubt
        for name in usual_measures(inputs.gold)
        for doubt in column_doubts(name, {run: own[name] for run, own in every.items() if name in own})
    ]


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
        raise TouchstoneError(f"no measure to score: {what}", hint=f"name a column with {setting('measure', 'NAME')}")
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
                labels = labels_of(run.file, name) if name in run.file.columns else []
                raise TouchstoneError(
                    f"{run.name!r} has no column of numbers with this name",
                    value=name,
                    near=nearest(name, known),
                    hint=mapping_hint(labels) if labels else f"columns: {', '.join(usual)}",
                )
        chosen.append(folded or name)
    return chosen


def judge_measures(names: Sequence[str], human_names: Sequence[str], inputs: Inputs[GoldSet, Run]) -> Sequence[str]:
    """Return the columns of a judge's scores: those asked for, else those that people's table has too.

    A judge's scores are averaged, so they may be the item values of any metric, such as chrF. Elsewhere such a column
    is refused, because the metric of a whole set is not the mean over its items.
    """
    shared = [name for name in inputs.runs[0].columns if all(name in run.columns for run in inputs.runs)]
    if not names:
        for file in inputs.gold.files:
            for name in human_names:
                if name in file.columns and file.odd_cell(name) is not None:
                    file.numbers(name)  # refuses the cells that are no numbers, with their lines
        names = [name for name in human_names if name in shared]
    try:
        return select(names, inputs)
    except TouchstoneError:
        if names and set(names) <= set(shared):
            return names
        if not names and len(shared) == 1:
            return shared
        raise


def refine(measure: Measure[Joined], inputs: Inputs[GoldSet, Run]) -> Measure[Joined]:
    """Return the measure with the direction that the options say it has."""
    lower = measure.lower_is_better or measure.name in inputs.options.lower_is_better
    return replace(measure, lower_is_better=lower)


def _known_as(name: str) -> Iterator[tuple[str, Measure[Any]]]:
    """Yield the measures of tasks that a column is called after, letter by letter, each with its task."""
    if ":" in name:  # would import a module that a table names
        return
    for task in task_names():
        if task == TASK.name:
            continue
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


def score_remarks(inputs: Inputs[GoldSet, Run], joined: Sequence[Joined], results: Results) -> list[str]:  # noqa: ARG001
    """Return the warnings about the columns that are scored."""
    scored = [measure for measure in results.measures if all(measure.name in run.columns for run in joined)]
    values = {measure.name: np.concatenate([run.columns[measure.name] for run in joined]) for measure in scored}
    return [
        text
        for measure in scored
        for text in doubts_about(measure.name, values[measure.name], lower_is_better=measure.lower_is_better)
    ]


def _steps(measure: Measure[Joined], record: Floats, value: float) -> Steps:
    """Return how a value comes about: by the formula of the task that wrote its records, or as it was read."""
    return measure.formula(record) if measure.formula else Steps("the number in the table", written(value))


def explain_item(inputs: Inputs[GoldSet, Run], item: str, measure: str | None, policy: Policy) -> Explanation:
    """Show one item: its fields, and the values of every system, best first."""
    gold, place = inputs.gold, item_place(inputs.gold, item)
    names = select([measure] if measure else (), inputs)
    each = {run.name: join(gold, run, policy, inputs.options) for run in inputs.runs}
    joined = {name: replace(one, lacking={}) for name, one in each.items()}  # one item is shown, whatever others lack
    measures = [TASK.measures.find(name) for name in names]
    records = {run: [m.record(one)[place] for m in measures] for run, one in joined.items()}
    values = {
        run: [float(m.values(row)) for m, row in zip(measures, rows, strict=True)] for run, rows in records.items()
    }
    sign = 1 if refine(measures[0], inputs).lower_is_better else -1
    order = sorted(values, key=lambda run: np.inf if isnan(values[run][0]) else sign * values[run][0])
    rows: list[list[Cell]] = [[run, *values[run]] for run in order]
    columns = [Column("system"), *(Column(m.name, "right") for m in measures)]
    fields = {name: of[item] for name, of in gold.fields.items() if item in of}
    facts = Table([Column("field"), Column(VALUE)], list(fields.items()))
    formulas = [
        _steps(m, record, value).of(run, m.name, value)
        for run in order
        for m, record, value in zip(measures, records[run], values[run], strict=True)
    ]
    tables = [*([facts] if fields else []), Table(columns, rows)]
    return Explanation(item, f"item {item}", tables, formulas=formulas)


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


def judged_tables(human: Any, judge: Any, options: Options, measures: Sequence[str]) -> Sequence[Any]:  # noqa: ANN401
    """Return what `touchstone.tasks.items.answers.read_sides` does, which most commands do not need."""
    from touchstone.tasks.items.answers import read_sides

    return read_sides(human, judge, options, measures)


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
    failed=join_failed,
    failure="the worst value that the table has",
    judged_tables=judged_tables,
    judge_measures=judge_measures,
    select=select,
    refine=refine,
    remarks=score_remarks,
    explain_item=explain_item,
    examine=examine,
    doubts=doubts,
    converter=convert_table,
    gold_help="Tables (.csv .tsv .jsonl .parquet: system, item, value…; or a column for each system), result files of "
    "inspect_ai, lm_eval, COMET or sacrebleu, or folders. FILE:COLUMN is one system, a column of a table.",
    example="scores.csv",
)

score, explain, validate, convert = TASK.score, TASK.explain, TASK.validate, TASK.convert

__all__ = ["TASK", "GoldSet", "Joined", "Options", "Run", "convert", "explain", "read_gold", "score", "validate"]
