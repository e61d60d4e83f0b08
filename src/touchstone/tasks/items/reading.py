"""Tables of scores, read from files in any format or of a tool, folders of them, or Python objects."""

from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from touchstone.base.codes import Code
from touchstone.base.errors import Faults, TouchstoneError
from touchstone.base.ranges import Range
from touchstone.base.spelling import setting
from touchstone.io.annotations import ANNOTATOR, ITEM, SYSTEM, is_long, repeated_annotations
from touchstone.io.cells import parse_number
from touchstone.io.reading import read_rows
from touchstone.io.runs import RunFiles, run_files
from touchstone.io.schema import Rows
from touchstone.io.tables import TableFile
from touchstone.tasks.items.about import Options
from touchstone.tasks.items.averaging import DUPLICATE_HINT, averaged
from touchstone.tasks.items.logs import ToolTable
from touchstone.tasks.items.model import SCHEMA, VALUE, GoldSet, Named, Run
from touchstone.tasks.items.objects import named_files, rows_of
from touchstone.tasks.items.prompts import check_prompts, moved_texts, with_items
from touchstone.tasks.items.systems import appended, item_fields, runs_of, wide_columns
from touchstone.tasks.items.tools import read_files
from touchstone.tasks.items.values import chosen_values, declared_ranges, holds_any, require_range, unscored, worth


def read_gold(paths: Sequence[Any], options: Options) -> GoldSet:
    """Read tables of values: files in any format or of a tool that `tools` knows, folders of them, or an object.

    Parameters
    ----------
    paths
        Files or folders, a mapping from systems to their files, or one Python object with the scores.
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
    files = [str(path) for path in paths] if isinstance(paths[0], str | Path) else named_files(paths[0])
    if files:
        named_tables = _read_files(run_files(files), options, remarks)
    else:
        named_tables = [("the table", read_rows(rows_of(paths[0], remarks), SCHEMA, options))]
    return _gold_of(named_tables, options, remarks)


def _read_files(runs: Sequence[RunFiles], options: Options, remarks: list[str]) -> Named:
    """Return the table of each file with the name of its system; a named column is all the scores of its system."""
    if all(files.column is None for files in runs):
        return read_files(runs, SCHEMA, options)
    tables = []
    chosen = {(str(files.path), files.column) for files in runs if files.column is not None}
    shared = {files.column for files in runs}
    single_file = len({str(files.path) for files in runs}) == 1  # then row n is the same item for all systems
    measure = VALUE if single_file or len(shared) > 1 else str(runs[0].column)
    for files in runs:
        for name, rows in read_files([files], SCHEMA, options):
            if files.column is None:
                tables.append((name, rows))
                continue
            others = {column for path, column in chosen if path == str(files.path)}
            scores = _scores_of(rows, files.column, options, remarks, numbered=single_file)
            other_columns = {name: cells for name, cells in scores.columns.items() if name not in others}
            columns = {
                **other_columns,
                SYSTEM.role: [name] * len(scores),
                measure: scores.columns[str(scores.name(files.column))],
            }
            table = ToolTable(scores.source, columns, scores.lines, measures=frozenset([measure]))
            tables.append((name, SCHEMA.bind(table, options.column)))
    return tables


def _scores_of(rows: Rows, column: str, options: Options, remarks: list[str], *, numbered: bool) -> TableFile:
    """Return a table whose named column holds the scores of one system, an item to a row."""
    rows.check()
    file, roles = replace(rows.table, worth=worth(options.value)), rows.columns
    if isinstance(file, ToolTable) or "system" in roles:
        what = "the systems are named in a column" if "system" in roles else "the file holds the results of a tool"
        hint = f"leave out :{column}; choose a column of scores with {setting('measure', column)}"
        what = f"no single column can be read: {what}"
        raise TouchstoneError(what, file=file.source.name, value=column, code=Code.OPTION_UNUSED, hint=hint)
    named = str(file.name(column))
    if named in roles.values():
        role = next(role for role, role_column in roles.items() if role_column == named)
        what = f"is the column of the {role}, not of scores"
        raise TouchstoneError(what, file=file.source.name, value=named, code=Code.BAD_VALUE)
    file.numbers(named)  # refuses texts, with their lines
    ranges = declared_ranges(options.range)
    if named in ranges or VALUE in ranges:
        require_range(file, {named: ranges.get(named) or ranges[VALUE]})
    if "item" not in roles and numbered:
        return replace(file, columns={"item": list(map(str, range(1, len(file) + 1))), **file.columns})
    if "item" not in roles:
        rows.require(ITEM.role)
    return averaged(replace(rows, table=file), remarks, [named]).table if ANNOTATOR.role in rows.columns else file


def _gold_of(named_tables: Named, options: Options, remarks: list[str]) -> GoldSet:
    """Return the gold of tables, each with the name of its system where it holds one; add to *remarks* how."""
    values = worth(options.value)
    named_tables = [(name, replace(rows, table=replace(rows.table, worth=values))) for name, rows in named_tables]
    for _, rows in named_tables:
        _check_header(rows)
    named_tables = with_items(named_tables, remarks)
    check_prompts(named_tables)
    _check_cells(named_tables, options)
    return _build(named_tables, options, remarks)


def _build(named_tables: Named, options: Options, remarks: list[str]) -> GoldSet:
    """Return the gold of tables whose cells are checked."""
    named_tables = [
        (name, averaged(rows, remarks) if ANNOTATOR.role in rows.columns else rows) for name, rows in named_tables
    ]
    alone = len(named_tables) == 1
    runs = [run for name, rows in named_tables for run in runs_of(name, rows, options, remarks, alone=alone)]
    merged: dict[str, Run] = {}
    for run in runs:
        merged[run.name] = appended(merged[run.name], run) if run.name in merged else run
    fields = item_fields([rows for _, rows in named_tables])
    files = [rows.table for _, rows in named_tables]
    remarks += [] if alone and "system" not in named_tables[0][1].columns else _unscored(files, fields)
    remarks += moved_texts(named_tables, fields)
    return GoldSet(files, list(merged.values()), fields, remarks)


def _unscored(files: Sequence[TableFile], fields: Mapping[str, object]) -> list[str]:
    """Return a note on columns of texts that differ between systems and may be scores in words."""
    notes = []
    for file in (file for file in files if not isinstance(file, ToolTable)):
        others = [name for name in file.columns if name not in fields and not SCHEMA.has(name)]
        notes += unscored(file, [name for name in others if not file.is_numeric(name)])
    return notes


def _ranges(rows: Rows, options: Options, *, alone: bool) -> dict[str, Range]:
    """Return the ranges that the user declared for columns; that of `VALUE` is the range of each system's column."""
    ranges = declared_ranges(options.range)
    file, roles = rows.table, rows.columns
    columns = {name: ranges[name] for name in file.columns if name in ranges}
    if VALUE in ranges and alone and SYSTEM.role not in roles:
        systems = [name for name in wide_columns(file, options) if file.is_numeric(name)]
        columns |= {name: ranges[VALUE] for name in systems if name not in roles.values()}
    return columns


def _check_header(rows: Rows) -> None:
    """Refuse a table whose first row seems to be data: a number, and a text that its column repeats."""
    file = rows.table
    names = list(file.columns)
    if isinstance(file, ToolTable) or rows.columns:
        return
    repeated = [name for name in names if parse_number(name) is None and name in file.columns[name]]
    if repeated and any(parse_number(name) is not None for name in names):
        what = f"the columns would be called {', '.join(names)}: is the line with the names missing?"
        hint = "write the names of the columns above the rows"
        raise TouchstoneError(what, file=file.source.name, code=Code.UNREADABLE, hint=hint)


def _check_cells(named_tables: Named, options: Options) -> None:
    """Refuse tables with all that is wrong with their rows: without a cell, a system or a measure would be lost.

    The error has the tables without these rows and cells, so that the rest of them can be checked.
    """
    faults, readable = Faults(), []
    scores = _score_columns(named_tables, options)
    for (name, rows), columns in zip(named_tables, scores, strict=True):
        file, cells = rows.table, dict(rows.table.columns)
        faults.add(rows.faults)
        for column in columns:
            try:
                file.numbers(column)
            except TouchstoneError as error:
                faults.add(error.faults, _text_hint(wide=len(named_tables) == 1 and SYSTEM.role not in rows.columns))
                cells[column] = [None if file.number(cell) is None else cell for cell in file.columns[column]]
        with faults.collect():
            require_range(file, _ranges(rows, options, alone=len(named_tables) == 1))
        valid_rows = _check_ids(rows, faults, alone=len(named_tables) == 1)
        readable.append((name, replace(rows, table=replace(file, columns=cells).take(valid_rows), faults=[])))
    if faults:
        refused = faults.error()
        with suppress(TouchstoneError):  # there may be no number left
            refused.readable = _build(readable, options, [])
        raise refused


def _check_ids(rows: Rows, faults: Faults, *, alone: bool) -> list[int]:
    """Return the rows that have a system and an item of their own; add what is wrong with the others to *faults*."""
    file, roles = rows.table, rows.columns
    if ITEM.role not in roles and (SYSTEM.role in roles or not alone):
        with faults.collect():
            rows.require(ITEM.role)
    keys = [roles[role] for role in (SYSTEM.role, ITEM.role) if role in roles]
    for key in keys:
        with faults.collect():
            file.ids(key)
    person = roles.get(ANNOTATOR.role)
    if ITEM.role in roles and person is not None and not isinstance(file, ToolTable) and is_long(file, keys, person):
        faults.add(repeated_annotations(file, keys, person), DUPLICATE_HINT)
    ids = [file.texts(key) for key in keys]
    return [row for row in range(len(file)) if all(texts[row] is not None for texts in ids)]


def _score_columns(named_tables: Named, options: Options) -> list[list[str]]:
    """Return the columns of each table that hold scores, as most of their cells are numbers.

    A column with one value for each item, whatever the system, is a field of the items and may hold texts.
    """
    first = named_tables[0][1]
    wide = len(named_tables) == 1 and SYSTEM.role not in first.columns
    several = len(named_tables) > 1 or (SYSTEM.role in first.columns and len({*first.values(SYSTEM.role)}) > 1)
    several = several and all(ITEM.role in rows.columns for _, rows in named_tables)
    fields = item_fields([rows for _, rows in named_tables]) if several else {}
    value_words = chosen_values(options.value)
    return [
        [
            column
            for column in (wide_columns(rows.table, options) if wide else rows.table.columns)
            if column not in rows.columns.values()
            and column not in fields
            and _is_score(rows, column, options, value_words)
        ]
        if not isinstance(rows.table, ToolTable)
        else []
        for _, rows in named_tables
    ]


def _is_score(rows: Rows, column: str, options: Options, value_words: Collection[str]) -> bool:
    odd = bool(options.system_column) or rows.table.odd_cell(column) is not None
    return odd or holds_any(rows.table, column, value_words)


def _text_hint(*, wide: bool) -> str:
    """Return what to do about texts among numbers."""
    ways = f"choose the columns that are systems with {setting('system-column', 'NAME')}" if wide else "remove it"
    hint = f"leave a cell empty where there is no value, or say what a text is worth: {setting('value', 'TEXT=NUMBER')}"
    return f"{hint}; where the whole column holds no scores, {ways}"
