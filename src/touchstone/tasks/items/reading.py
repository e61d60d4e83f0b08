"""Tables of scores, read from files in any format or of a tool, folders of them, or Python objects."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from touchstone.base.errors import Fault, TouchstoneError
from touchstone.base.spelling import setting
from touchstone.io.annotations import ITEM, SYSTEM
from touchstone.io.cells import parse_number
from touchstone.io.reading import read_table
from touchstone.io.runs import RunFiles, run_files
from touchstone.io.tables import TableFile
from touchstone.tasks.items.averaging import averaged
from touchstone.tasks.items.model import ROLES, VALUE, GoldSet, Options, Run
from touchstone.tasks.items.objects import named_files, rows_of
from touchstone.tasks.items.prompts import check_prompts, moved_texts, with_items
from touchstone.tasks.items.ranges import declared_ranges, require_range
from touchstone.tasks.items.systems import appended, item_fields, runs_of, wide_columns
from touchstone.tasks.items.texts import chosen_values, holds_any, unscored, worth
from touchstone.tasks.items.tools import ToolTable, read_files


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
        given = _read_files(run_files(files), options, remarks)
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
                SYSTEM.role: [name] * len(scores),
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
    ranges = declared_ranges(options.range)
    if named in ranges or VALUE in ranges:
        require_range(file, {named: ranges.get(named) or ranges[VALUE]})
    if "item" not in roles and numbered:
        return replace(file, columns={"item": list(map(str, range(1, len(file) + 1))), **file.columns})
    if "item" not in roles:
        file.require(ITEM)
    return averaged(file, options.column, remarks, [named])


def _gold_of(given: Sequence[tuple[str, TableFile]], options: Options, remarks: list[str]) -> GoldSet:
    """Return the gold of tables, each with the name of its system where it holds one; add to *remarks* how."""
    values = worth(options.value)
    given = [(name, replace(file, worth=values)) for name, file in given]
    for _, file in given:
        _check_header(file, options)
    given = with_items(given, ROLES, options.column, remarks)
    check_prompts(given, ROLES, options.column)
    _check_texts(given, options)
    _check_ranges(given, options)
    given = [(name, averaged(file, options.column, remarks)) for name, file in given]
    alone = len(given) == 1
    runs = [run for name, file in given for run in runs_of(name, file, options, remarks, alone=alone)]
    merged: dict[str, Run] = {}
    for run in runs:
        merged[run.name] = appended(merged[run.name], run) if run.name in merged else run
    files = [file for _, file in given]
    fields = item_fields(files, options.column)
    remarks += [] if alone and "system" not in files[0].roles(ROLES, options.column) else _unscored(files, fields)
    remarks += moved_texts(given, ROLES, options.column, fields)
    return GoldSet(files, list(merged.values()), fields, remarks)


def _unscored(files: Sequence[TableFile], fields: Mapping[str, object]) -> list[str]:
    """Return a note on columns of texts that differ between systems and may be scores in words."""
    notes = []
    for file in (file for file in files if not isinstance(file, ToolTable)):
        named = {name for role in ROLES for name in role.names}
        others = [name for name in file.columns if name not in fields and name.lower() not in named]
        notes += unscored(file, [name for name in others if not file.is_numeric(name)])
    return notes


def _check_ranges(given: Sequence[tuple[str, TableFile]], options: Options) -> None:
    """Refuse values outside the ranges that the user declared; that of `VALUE` is the range of each system's column."""
    ranges = declared_ranges(options.range)
    for _, file in given:
        columns = {name: ranges[name] for name in file.columns if name in ranges}
        if VALUE in ranges and len(given) == 1 and "system" not in file.roles(ROLES, options.column):
            systems = [name for name in wide_columns(file, options) if file.is_numeric(name)]
            roles = file.roles(ROLES, options.column).values()
            columns |= {name: ranges[VALUE] for name in systems if name not in roles}
        require_range(file, columns)


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
    fields = item_fields(files, options.column) if several else {}
    asked = chosen_values(options.value)
    faults: list[Fault] = []
    readable = []
    for name, file in given:
        roles = file.roles(ROLES, options.column)
        wanted = wide_columns(file, options) if wide else list(file.columns)
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
