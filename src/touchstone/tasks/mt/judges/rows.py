"""Rows of a file of judgements, one after the other: a file of millions of rows is never in memory as a whole."""

import csv
import re
from collections.abc import Iterator
from itertools import chain
from math import isfinite
from pathlib import Path

from touchstone.base.codes import Code
from touchstone.base.errors import Fault, TouchstoneError
from touchstone.base.files import UTF8, Source
from touchstone.base.signature import content_digest
from touchstone.io.formats import binary_format, suffix_of, text_format
from touchstone.io.reading import read_table
from touchstone.io.text import LineStream

Row = tuple[int, list[str]]
"""The line of a row, and its cells without blanks around them."""


class RowStream:
    """The rows of a table whose columns are separated by tabs, commas or blanks.

    Tabs and blanks separate wherever they stand; only a table with commas may quote its cells. *first* are the cells
    of the first row. *json* says that the file holds JSON lines, which `lines` gives. `source` is whole when all rows
    have been read. *faults* are what was wrong so far.
    """

    def __init__(self, path: str | Path, encoding: str = UTF8) -> None:
        self.faults: list[Fault] = []
        self._stream = LineStream(path, encoding)
        self._lines = iter(self._read())
        blank = 0
        begin = next(self._lines, "")
        while not begin.strip():
            blank, begin = blank + 1, next(self._lines)
        self.json = begin.lstrip().startswith("{")
        self.delimiter = "\t" if "\t" in begin else "," if "," in begin else None
        self.lines: Iterator[tuple[int, str]] = enumerate(chain([begin], self._lines), blank + 1)
        self._skipped = blank
        self._rows = iter(()) if self.json else self._cells()
        self.first_line, self.first = (0, []) if self.json else next(self._rows)

    @property
    def source(self) -> Source:
        """The file; its digest is known when all rows have been read."""
        return self._stream.source

    def rows(self, *, headless: bool = False) -> Iterator[Row]:
        """Yield the rows under the header, or all of a table without one; those of another width are faults."""
        rows = chain([(self.first_line, self.first)], self._rows) if headless else self._rows
        width = len(self.first)
        for line, cells in rows:
            if len(cells) == width:
                yield line, cells
            else:
                self.fault(f"{len(cells)} cells under {width} columns", line)

    def fault(self, what: str, line: int | None, value: str | None = None, *, code: Code = Code.BAD_CELL) -> None:
        """Keep what is wrong with a line, so that the file is refused once, with all of it."""
        self.faults.append(Fault(what, self.source.name, line, value, code=code))

    def check(self, hint: str | None = None) -> None:
        """Refuse a file with faults."""
        if self.faults:
            raise TouchstoneError.of(self.faults, hint)

    def _read(self) -> Iterator[str]:
        """Yield the lines; commands have no option for the encoding of judgements, so no hint names one."""
        try:
            yield from self._stream
        except TouchstoneError as error:
            if error.hint and "encoding" in error.hint:
                error.hint = f"judgements are read as {self._stream.encoding}: convert the file"
            raise

    def _cells(self) -> Iterator[Row]:
        if self.delimiter == ",":
            csv.field_size_limit(2**31 - 1)  # a cell may be as long as a line
            reader = csv.reader((line for _, line in self.lines), strict=True)
            try:
                for cells in reader:
                    if any(map(str.strip, cells)):
                        yield reader.line_num + self._skipped, [cell.strip() for cell in cells]
            except csv.Error as error:
                raise TouchstoneError(f"is no table ({error})", file=self.source.name, code=Code.UNREADABLE) from None
            return
        for number, line in self.lines:
            if line and not line.isspace():
                yield number, [cell.strip() for cell in line.split(self.delimiter)]


def is_number(cell: str) -> bool:
    """Return whether a cell holds a finite number, or None instead of one.

    >>> is_number("-1.5"), is_number("None"), is_number("system"), is_number("1e999")
    (True, True, False, False)
    """
    written = re.fullmatch(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?", cell, re.ASCII) is not None
    return cell == "None" or (written and isfinite(float(cell)))


class TableStream(RowStream):
    """The rows of a table that is read as a whole, with the cells as text would have them."""

    def __init__(self, file_or_object: object) -> None:
        self.faults = []
        table = read_table(file_or_object, name="the judgements")
        self.json, self.first_line, self.first = False, 0, list(table.columns)
        cells = [[text or "" for text in table.texts(name)] for name in table.columns]
        self._rows = iter([(line, list(row)) for line, *row in zip(table.lines, *cells, strict=True)])
        self._source = table.source
        if not table.source.digest:
            digest = content_digest(**dict(zip(table.columns, cells, strict=True)))
            self._source = Source(table.source.name, digest.removeprefix("#"))

    @property
    def source(self) -> Source:
        """The file; of a Python object its name, and the digest of its cells."""
        return self._source


def open_rows(file_or_object: object, encoding: str = UTF8) -> RowStream:
    """Return the rows of a file or an object; text with a row on each line is read row by row, others as a whole."""
    if isinstance(file_or_object, str | Path) and not _needs_table_reader(Path(file_or_object)):
        return RowStream(file_or_object, encoding)
    return TableStream(file_or_object)


def _needs_table_reader(path: Path) -> bool:
    try:
        if not path.is_file():  # standard input or a pipe, which can be read but once
            return False
        with path.open("rb") as file:
            raw, suffix = file.read(8), suffix_of(path)
        # A format of text that recognises an empty one goes by its suffix: its lines need not be rows.
        return binary_format(raw, suffix) is not None or text_format("", suffix).recognise is not None
    except (OSError, ValueError):  # whoever reads it says why it cannot be read
        return False
