"""The systems of a table: of a long one, of a wide one, or the one system of a file."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.base.ids import Ids
from touchstone.base.notes import warning
from touchstone.base.ragged import Floats
from touchstone.base.spelling import setting
from touchstone.io.annotations import ITEM
from touchstone.io.cells import listed, parse_number
from touchstone.io.schema import Rows
from touchstone.io.tables import TableFile
from touchstone.tasks.items.about import Options
from touchstone.tasks.items.logs import ToolTable
from touchstone.tasks.items.model import VALUE, Run
from touchstone.tasks.items.objects import numbered
from touchstone.tasks.items.values import chosen_values, holds_any, labels_of, mapping_hint


def runs_of(name: str, rows: Rows, options: Options, remarks: list[str], *, alone: bool) -> list[Run]:
    """Return the systems of a table: of a long one, of a wide one, or the one system of a file among several.

    *remarks* takes a sentence on a wide table, which may hold columns that are no systems.
    """
    file, system, item = rows.table, rows.columns.get("system"), rows.columns.get("item")
    wide = system is None and alone
    if options.system_column and not wide:
        reason = "the systems have a column of their own" if system else "each file is a system"
        what = f"{setting('system-column')} chooses among the columns of a table with a column for each system"
        raise TouchstoneError(what, code=Code.OPTION_UNUSED, hint=f"leave it out: {reason}")
    candidates = wide_columns(file, options) if wide else list(file.columns)
    numeric = _number_columns(file, [column for column in candidates if column not in (system, item)])
    if item is None and (system is not None or not alone):
        rows.require(ITEM.role)
    ids = numbered(file) if item is None else list(file.ids(item).ids)
    if wide:
        return _wide_runs(file, numeric, ids, options, remarks)
    values = {column: np.array(file.numbers(column)) for column in numeric}
    systems = [name] * len(file) if system is None else list(file.ids(system).ids)
    places_of: dict[str, list[int]] = {}
    for row, system_name in enumerate(systems):
        places_of.setdefault(system_name, []).append(row)
    return [
        Run(
            system_name,
            file,
            Ids(file.source.name, [ids[row] for row in places], [file.lines[row] for row in places]),
            {column: values[column][places] for column in numeric},
        )
        for system_name, places in places_of.items()
    ]


def _number_columns(file: TableFile, candidates: Sequence[str]) -> list[str]:
    """Return the columns of numbers among the candidates; refuse a table without any, and say what its texts are."""
    numeric = [column for column in candidates if file.is_numeric(column)]
    if not numeric:
        labels = {name: texts for name in candidates if (texts := labels_of(file, name))}
        every = sorted({text for texts in labels.values() for text in texts})
        hint = f"{listed(labels)}: {mapping_hint(every)}" if labels else "an item needs at least one value"
        raise TouchstoneError("no column of numbers", file=file.source.name, code=Code.NO_COLUMN, hint=hint)
    return numeric


def _wide_runs(
    file: TableFile, numeric: Sequence[str], ids: Sequence[str], options: Options, remarks: list[str]
) -> list[Run]:
    """Return a system for each column of numbers of a wide table; say which columns were taken as systems."""
    stem, worded = file.source.stem, _worded(file, numeric, options)
    numeric = [column for column in numeric if column not in worded]
    values = {column: np.array(file.numbers(column)) for column in numeric}
    if worded:
        beside = f"{stem}: texts beside columns of numbers are fields of the items: {listed(worded)}"
        remarks.append(f"{beside}; if they are systems, say so with {setting('system-column', 'NAME')}")
    if len(numeric) > 1 and not options.system_column:
        systems = ", ".join(numeric)
        if all(parse_number(column) is not None for column in numeric):
            hint = "write the names of the columns above the rows"
            what = f"the systems would be called {systems}: is the line with the names missing?"
            raise TouchstoneError(what, file=file.source.name, code=Code.UNREADABLE, hint=hint)
        remarks.append(f"{stem}: no column of systems, so each column of numbers is a system: {systems}")
        remarks += [*_renamed(numeric), *_scale_remark(file, values)]
    return [Run(column, file, Ids(file.source.name, ids, file.lines), {VALUE: values[column]}) for column in numeric]


def wide_columns(file: TableFile, options: Options) -> list[str]:
    """Return the columns of a wide table that may be systems: those that the user chose, or all."""
    return [str(file.name(column)) for column in options.system_column] or list(file.columns)


def _worded(file: TableFile, numeric: Sequence[str], options: Options) -> list[str]:
    """Return the columns of a wide table that hold verdicts in words while others hold numbers.

    Beside columns of numbers, yes and no are rather a field of the items than a system, unless the user says more.
    """
    if options.system_column or isinstance(file, ToolTable):
        return []
    without_worth = replace(file, worth={})
    words = [name for name in numeric if not without_worth.is_numeric(name) and without_worth.odd_cell(name) is None]
    words = [name for name in words if not holds_any(file, name, chosen_values(options.value))]
    return words if len(words) < len(numeric) else []


MAX_SCALE_RATIO = 100
"""Systems seldom differ by such a factor; a score and a time in milliseconds, or a length in tokens, usually do."""


def _scale_remark(file: TableFile, values: Mapping[str, Floats]) -> list[str]:
    """Return a remark where the columns of a wide table differ so much in scale that some are hardly systems."""
    sizes = {name: float(np.nanmean(np.abs(column_values))) for name, column_values in values.items()}
    least, most = min(sizes, key=sizes.__getitem__), max(sizes, key=sizes.__getitem__)
    if sizes[most] <= MAX_SCALE_RATIO * sizes[least] or sizes[least] == 0:
        return []
    ends = f"{least} (mean size {sizes[least]:.3g}) and {most} ({sizes[most]:.3g})"
    what = f"{ends} differ in scale by more than a factor of {MAX_SCALE_RATIO}, so some columns may be no systems"
    return [f"{file.source.stem}: {what}: choose those that are with {setting('system-column', 'NAME')}"]


def appended(run: Run, more: Run) -> Run:
    """Return the rows of a system from two files as one run."""
    if run.columns.keys() != more.columns.keys():
        what = f"{run.name!r} has other columns here than in {run.file.source.name}"
        hint = "give tables with the same columns"
        raise TouchstoneError(what, file=more.file.source.name, code=Code.MISMATCH, hint=hint)
    ids = Ids(more.ids.file, [*run.ids.ids, *more.ids.ids], [*run.ids.lines, *more.ids.lines])
    columns = {name: np.concatenate([values, more.columns[name]]) for name, values in run.columns.items()}
    return replace(run, ids=ids, columns=columns)


def item_fields(tables: Sequence[Rows]) -> dict[str, dict[str, str]]:
    """Return, by name, the columns that have one value for each item, whatever the system: value by item."""
    fields: dict[str, dict[str, str]] = {}
    varying: set[str] = set()
    for rows in tables:
        file = rows.table
        ids = rows.values("item") if "item" in rows.columns else numbered(file)
        skipped = {rows.columns.get("system"), rows.columns.get("item")}
        for column in file.columns.keys() - skipped - varying:
            value_by_item = fields.setdefault(column, {})
            for name, cell in zip(ids, file.texts(column), strict=True):
                if name is not None and cell is not None and value_by_item.setdefault(name, cell) != cell:
                    varying.add(column)
    return {
        column: fields[column] for rows in tables for column in rows.table.columns if column in fields.keys() - varying
    }


def _renamed(columns: Sequence[str]) -> list[str]:
    """Return a warning for each column that pandas renamed since two had one name.

    >>> _renamed(["old", "old.1", "gpt-4", "gpt-4.1"])
    ["warning: the columns 'old' and 'old.1' may have had one name, which pandas changed: rename the systems"]
    """
    pairs = [(column.removesuffix(".1"), column) for column in columns if column.endswith(".1")]
    return [
        warning(f"the columns {first!r} and {second!r} may have had one name, which pandas changed: rename the systems")
        for first, second in pairs
        if first in columns and not first[-1:].isdigit()
    ]
