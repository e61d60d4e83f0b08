"""Text with a row on each line: cells separated by commas, semicolons or tabs."""

import csv
import re
from collections.abc import Sequence
from dataclasses import replace
from io import StringIO
from typing import Any

import pyarrow as pa
from pyarrow import csv as arrow_csv

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.base.files import Source
from touchstone.io.cells import DECIMAL_COMMA, parse_number, unquoted
from touchstone.io.formats import Format, Reading
from touchstone.io.tables import Columns, TableFile, make_table, no_rows, row_table
from touchstone.io.text import lines

BLANK_LINE = re.compile(r"\n[^\S\n]*(?:\n|\Z)")

LARGE = 100_000
"""Characters from which Arrow splits the rows."""

SHIFTED = 0.2
"""The largest share of rows that a comma without quotes has shifted; more have a column that is used."""


def read_delimited(text: str, reading: Reading) -> TableFile:
    """Return the table of a text with a row on each line: tabs separate cells if the first line has any, else commas.

    Semicolons separate them if the first line has semicolons and no comma.
    """
    source, headless, wrong = reading.source, reading.headless, reading.faults
    first_line = text.lstrip("\n").partition("\n")[0]
    tabs = "\t" in first_line or reading.suffix == ".tsv"
    delimiter = "\t" if tabs else ";" if ";" in first_line and "," not in first_line else ","
    head_line, _, body_text = text.partition("\n")
    first = head_line.removesuffix("\r").split(delimiter)
    named = headless([name.strip() for name in first]) if headless else None
    if named is None and head_line.strip() and not body_text.strip() and len({*first}) == len(first):
        hint = "the first line was taken as the header: write the names of the columns above the rows"
        raise no_rows(source, hint)
    start = 1 if named else 2
    columns = _unquoted_columns(text, named or [name.strip() for name in first], delimiter, skipped=start - 1)
    if columns is not None:
        return _checked(make_table(columns, source, range(start, len(next(iter(columns.values()))) + start)))
    rows = _split_rows(text, source, delimiter)
    if not rows:
        raise no_rows(source)
    line, head = rows[0][0], [name.strip() for name in rows[0][1]]
    named = headless(head) if headless else None
    body = rows if named else rows[1:]
    table = _checked(row_table([(line, list(named or head)), *body], source, wrong))
    if delimiter != ";":
        return table
    return replace(table, columns={name: _with_points(cells) for name, cells in table.columns.items()})


def _checked(table: TableFile) -> TableFile:
    """Return a table; refuse rows that a comma without quotes has shifted into the last, otherwise empty column.

    In them a number begins with the blank after that comma, as none of the other rows does.
    """
    *columns, last = table.columns.values() if table.columns else [[]]
    filled = {row for row, cell in enumerate(last) if cell and cell.strip()}
    if not 0 < len(filled) <= SHIFTED * len(last):
        return table
    for cells in columns:
        blank = {row for row, cell in enumerate(cells) if cell and cell[0] == " "}
        if blank == filled and all(parse_number(cell) is not None for cell in cells):
            row, name = min(filled), list(table.columns)[-1]
            what = (
                f"the cells of {len(filled):,} rows may be shifted: a number begins with a blank, and {name} is filled"
            )
            hint = "put text with a comma in double quotes"
            raise TouchstoneError(what, file=table.source.name, line=table.lines[row], code=Code.BAD_CELL, hint=hint)
    return table


def _with_points(cells: list[Any]) -> list[Any]:
    """Return a column of a table with semicolons with decimal points where all its numbers have decimal commas.

    A point beside decimal commas may separate thousands, so such a column stays as it is, and is no column of numbers.
    """
    commas = [bool(DECIMAL_COMMA.fullmatch(cell)) for cell in cells]
    unambiguous = all(
        comma or not cell.strip() or (parse_number(cell) is not None and "." not in cell)
        for comma, cell in zip(commas, cells, strict=True)
    )
    return [cell.replace(",", ".") for cell in cells] if any(commas) and unambiguous else cells


def _unquoted_columns(text: str, names: Sequence[str], delimiter: str, skipped: int) -> Columns | None:
    """Return the columns of a large table where every line is a row and nothing is quoted; None for any other.

    Arrow splits such a table in a tenth of the time. Cells with the same text share one string.
    """
    body = text.removesuffix("\n")
    well_named = len(names) > 1 and all(names) and len(set(names)) == len(names)
    if len(text) < LARGE or not well_named or '"' in text or BLANK_LINE.search(body):
        return None
    try:
        table = arrow_csv.read_csv(
            pa.BufferReader(body.encode()),
            arrow_csv.ReadOptions(use_threads=False, column_names=names, skip_rows=skipped),
            arrow_csv.ParseOptions(delimiter=delimiter, quote_char=False),
            arrow_csv.ConvertOptions(column_types=dict.fromkeys(names, pa.string()), strings_can_be_null=False),
        )
    except pa.ArrowInvalid:  # which the slower way explains with its line
        return None
    columns = {name: _shared_texts(table.column(name)) for name in names}
    del table
    pa.default_memory_pool().release_unused()  # what Arrow keeps would count for the rest of the work
    return columns


def _shared_texts(column: pa.ChunkedArray) -> list[str]:
    """Return the cells of a column; where texts repeat, each is held once."""
    sample = column[:1000]
    if 2 * len(sample.unique()) > len(sample):
        return list(column.to_pylist())
    encoded = column.combine_chunks().dictionary_encode()
    texts = encoded.dictionary.to_pylist()
    return [texts[text_index] for text_index in encoded.indices.to_numpy()]


def _split_rows(text: str, source: Source, delimiter: str) -> list[tuple[int, list[str]]]:
    """Return the rows with their lines.

    Corpora have stray quotes in TSV: there a line is a row, unless only quoted tabs and line ends make equal rows.
    Quotes around a cell are a writer's where the whole header has them, or where quotes inside are doubled.
    """
    if '"' not in text:
        return [(number, line.split(delimiter)) for number, line in lines(text)]
    line_rows: list[tuple[int, list[str]]] = []
    first = text.lstrip("\n").partition("\n")[0].removesuffix("\r").split(delimiter)
    if delimiter == "\t":
        clean = _enclosed if all(len(cell) > 1 and cell[0] == cell[-1] == '"' for cell in first) else unquoted
        line_rows = [(number, [clean(cell) for cell in line.split("\t")]) for number, line in lines(text)]
        if len({len(row) for _, row in line_rows}) == 1:
            return line_rows
    csv.field_size_limit(2**31 - 1)  # a cell may be as long as a line
    reader = csv.reader(StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        rows = [(reader.line_num, row) for row in reader if len(row) > 1 or (row and row[0].strip())]
    except csv.Error as error:
        if line_rows:
            return line_rows
        what = f"cannot be read as a table ({error})"
        raise TouchstoneError(what, file=source.name, line=reader.line_num, code=Code.UNREADABLE) from None
    for line, row in rows:
        if any("\n" in cell for cell in row):
            _refuse_rows_in_a_cell(line, row, len(rows[0][1]), source, delimiter)
    return rows


def _refuse_rows_in_a_cell(line: int, row: list[str], width: int, source: Source, delimiter: str) -> None:
    """Refuse a row that is several without its quotes, each with a number in the same column."""
    inside = [text.split(delimiter) for text in delimiter.join(row).split("\n")]
    if width > 1 and all(len(cells) == width for cells in inside):
        columns = zip(*inside, strict=True)
        if any(all(cell.strip() and parse_number(cell) is not None for cell in cells) for cells in columns):
            what = f"a quote opens here and closes on line {line:,}, so that {len(inside):,} rows are read as one"
            hint = "remove the quotes, or put the whole cell in quotes and double those inside"
            raise TouchstoneError(what, file=source.name, line=line - len(inside) + 1, code=Code.BAD_CELL, hint=hint)


def _enclosed(field: str) -> str:
    """Return a field of a table in which every field is quoted."""
    quoted = len(field) > 1 and field[0] == field[-1] == '"'
    return field[1:-1].replace('""', '"') if quoted else field


FORMATS = [Format((".csv", ".tsv"), read_delimited, recognise=None)]
