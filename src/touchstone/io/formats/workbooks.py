"""Workbooks of Excel and OpenDocument spreadsheets: the rows of their one sheet that holds any."""

import zipfile
from datetime import date, time, timedelta
from io import BytesIO
from typing import Any

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError, incomplete, needs
from touchstone.base.files import DENSEST, SUSPICIOUS
from touchstone.io.formats import Format, Reading
from touchstone.io.tables import TableFile, no_rows, row_table

ZIP = b"PK\x03\x04"


def is_workbook(raw: bytes, suffix: str) -> bool:
    """Return whether a file is a workbook: a zip file with a folder of sheets."""
    return raw.startswith(ZIP) and (suffix == ".xlsx" or b"xl/workbook.xml" in raw)


def is_spreadsheet(raw: bytes, suffix: str) -> bool:
    """Return whether a file is an OpenDocument spreadsheet, whose first member says so; it is not packed."""
    return raw.startswith(ZIP) and (suffix == ".ods" or b"opendocument.spreadsheet" in raw[:100])


def read_workbook(raw: bytes, reading: Reading) -> TableFile:
    """Return the table of a workbook, whose first row has the names of the columns.

    Several sheets with rows are refused: which one is meant cannot be seen. Formulas have the values that were stored.
    """
    with needs("excel"):
        from python_calamine import CalamineError, CalamineWorkbook
    source = reading.source
    _check_size(raw, reading)
    try:
        with CalamineWorkbook.from_filelike(BytesIO(raw)) as book:
            names = book.sheet_names
            sheets = {name: book.get_sheet_by_name(name).to_python(skip_empty_area=False) for name in names}
    except (CalamineError, ValueError, OSError):
        raise incomplete(_kind(raw, reading.suffix), source.name) from None
    rows = {
        name: [row for row in enumerate(cells, 1) if any(cell != "" for cell in row[1])]
        for name, cells in sheets.items()
    }
    filled = {name: each for name, each in rows.items() if each}
    if len(filled) > 1:
        hint = "save the sheet that is meant as a workbook of its own, or as CSV"
        what = f"has several sheets with rows: {', '.join(filled)}"
        raise TouchstoneError(what, file=source.name, code=Code.AMBIGUOUS, hint=hint)
    if not filled or len(next(iter(filled.values()))) == 1:
        raise no_rows(source)
    (line, head), *body = next(iter(filled.values()))
    named = (line, [str(_cell_value(cell) or "").strip() for cell in head])
    return row_table([named, *((number, list(map(_cell_value, row))) for number, row in body)], source, reading.faults)


def _kind(raw: bytes, suffix: str) -> str:
    return "OpenDocument spreadsheet" if is_spreadsheet(raw, suffix) else "Excel workbook"


def _check_size(raw: bytes, reading: Reading) -> None:
    """Refuse a workbook that would fill the memory."""
    try:
        with zipfile.ZipFile(BytesIO(raw)) as archive:
            size = sum(info.file_size for info in archive.infolist())
    except (zipfile.BadZipFile, OSError, ValueError):
        raise incomplete(_kind(raw, reading.suffix), reading.source.name) from None
    if size > SUSPICIOUS and size > DENSEST * len(raw):
        what = f"unpacks to more than {DENSEST} times its size"
        raise TouchstoneError(what, file=reading.source.name, code=Code.TOO_LARGE)


def _cell_value(cell: Any) -> Any:  # noqa: ANN401 (a cell of any type)
    """Return a cell as other formats hold it: nothing as None, dates and times as text, whole numbers as such."""
    if isinstance(cell, str):
        return cell or None
    if isinstance(cell, float) and cell.is_integer():
        return int(cell)
    if isinstance(cell, date | time):
        return cell.isoformat()
    return str(cell) if isinstance(cell, timedelta) else cell


FORMATS = [
    Format((".xlsx",), read_workbook, is_workbook, binary=True),
    Format((".ods",), read_workbook, is_spreadsheet, binary=True),
]
