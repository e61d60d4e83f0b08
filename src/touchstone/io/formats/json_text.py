"""JSON: a list of rows, a mapping of columns or of ids, or an object on each line."""

from touchstone.base.codes import Code
from touchstone.base.errors import Fault, TouchstoneError
from touchstone.base.files import Source
from touchstone.io.formats import Format, Reading
from touchstone.io.jsonl import parse_json, parse_objects
from touchstone.io.objects import value_columns
from touchstone.io.tables import MOST_COLUMNS, Columns, TableFile, make_table

MAX_INTERNED = 10_000
"""Distinct short texts of a file that are held once; a file with more of them has few that repeat."""


def read_json(text: str, reading: Reading) -> TableFile:
    """Return the table of one JSON value: a list of rows or of values, or a mapping of columns or of ids."""
    value = parse_json(text, file=reading.source.name)
    return make_table(value_columns(value, reading.source, reading.value, reading.roles), reading.source)


def read_json_lines(text: str, reading: Reading) -> TableFile:
    """Return the table of a text with an object on each line; a row has no cell where its object lacks a key."""
    source, wrong = reading.source, reading.faults
    faults: list[Fault] = []
    columns: Columns = {}
    numbers: list[int] = []
    interned: dict[str, str] = {}  # short texts that repeat, such as labels, each held once
    for number, row in parse_objects(text, file=source.name, faults=faults):
        for name, cell in row.items():
            if name not in columns:
                columns[name] = [None] * len(numbers)
                if len(columns) > MOST_COLUMNS // 10:
                    _check_rows(columns, source, number)
            cells = columns[name]
            cells.append(cells[-1] if cells and cell == cells[-1] and type(cell) is str else _interned(cell, interned))
        numbers.append(number)
        for cells in columns.values():
            if len(cells) < len(numbers):
                cells.append(None)
    if faults and (wrong is None or not numbers):
        raise TouchstoneError.of(faults)
    if wrong is not None:
        wrong += faults
    return make_table(columns, source, numbers)


def _check_rows(columns: Columns, source: Source, line: int) -> None:
    """Refuse rows that have ever other keys: they are no rows of one table."""
    filled = sum(sum(cell is not None for cell in cells) for cells in columns.values())
    if filled < sum(map(len, columns.values())) / 10:
        what = f"rows have {len(columns):,} different keys, of which each has few"
        hint = "give rows that have the same keys"
        raise TouchstoneError(what, file=source.name, line=line, code=Code.TOO_LARGE, hint=hint)


def _interned(cell: object, interned: dict[str, str]) -> object:
    """Return a cell in which texts that are *interned* are the same objects as before; few are kept."""
    if type(cell) is list:
        return [interned.get(each, each) if type(each) is str else each for each in cell]
    if type(cell) is not str:
        return cell
    return interned.setdefault(cell, cell) if len(interned) < MAX_INTERNED else interned.get(cell, cell)


def _is_value(text: str, suffix: str) -> bool:
    start = text.lstrip()[:1]
    return start == "[" or (start == "{" and suffix == ".json")


FORMATS = [
    Format((".json",), read_json, _is_value),
    Format(
        (".jsonl", ".ndjson"),
        read_json_lines,
        lambda text, suffix: text.lstrip()[:1] == "{" and suffix != ".json",
        chunks="jsonl",
    ),
]
