"""Tables of any tool: CSV, TSV, JSONL and Parquet, read strictly, every cell with its line.

The suffix tells the format; a file without a known one is JSONL if it starts with a brace, else TSV if its first line
has a tab, else CSV.
"""

import csv
import math
from collections.abc import Sequence
from dataclasses import dataclass
from io import StringIO
from pathlib import Path

import pyarrow as pa

from touchstone.core.errors import Fault, TouchstoneError, nearest
from touchstone.core.joining import Ids
from touchstone.io.jsonl import parse_objects
from touchstone.io.text import Source, decode, read_bytes

DELIMITERS = {".csv": ",", ".tsv": "\t"}


@dataclass(frozen=True, eq=False)
class TableFile:
    """The columns of a file by name, all of one length; *lines* has the line of each row.

    Cells of CSV and TSV are text, those of JSONL and Parquet what the file holds; None where there is nothing.
    """

    source: Source
    columns: dict[str, list[object]]
    lines: Sequence[int]

    def __len__(self) -> int:
        return len(self.lines)

    def name(self, *wanted: str, required: bool = True) -> str | None:
        """Return the name of the column that has one of the *wanted* names, in any case.

        Parameters
        ----------
        wanted
            Names that mean the same, the preferred one first.
        required
            Whether to refuse a table without such a column; else the answer is None.
        """
        lowered = {name.lower(): name for name in reversed(self.columns)}
        for name in wanted:
            if name.lower() in lowered:
                return lowered[name.lower()]
        if not required:
            return None
        near = nearest(wanted[0], self.columns)
        hint = f"the columns are {', '.join(self.columns)}"
        raise TouchstoneError(f"no column {wanted[0]!r}", file=self.source.name, near=near, hint=hint)

    def texts(self, name: str) -> list[str | None]:
        """Return the cells of a column as text without surrounding blanks; None where a cell is empty."""
        return [None if is_empty(cell) else str(cell).strip() for cell in self._cells(name)]

    def ids(self, *wanted: str) -> Ids:
        """Return the ids of the rows with their lines; refuse empty ones.

        Parameters
        ----------
        wanted
            Names that the column of ids may have, the preferred one first.
        """
        cells = self.texts(str(self.name(*wanted)))
        faults = [
            Fault(f"no {wanted[0]}", self.source.name, line)
            for cell, line in zip(cells, self.lines, strict=True)
            if not cell
        ]
        if faults:
            raise TouchstoneError.of(faults, f"every row needs a value in the column {wanted[0]}")
        return Ids(self.source.name, [str(cell) for cell in cells], self.lines)

    def _cells(self, name: str) -> list[object]:
        """Return the cells of a column by its exact name, else in any case; refuse a column that there is not."""
        return self.columns[name] if name in self.columns else self.columns[str(self.name(name))]

    def numbers(self, name: str) -> list[float]:
        """Return the cells of a column as numbers, nan where a cell is empty; refuse what is no finite number."""
        values, faults = [], []
        for cell, line in zip(self._cells(name), self.lines, strict=True):
            value = parse_number(cell)
            if value is None:
                faults.append(Fault(f"{name} is not a finite number", self.source.name, line, str(cell)))
            else:
                values.append(value)
        if faults:
            raise TouchstoneError.of(faults, "leave a cell empty where there is no value")
        return values

    def is_numeric(self, name: str) -> bool:
        """Return whether every cell of a column is a number or empty, and at least one is a number."""
        values = [parse_number(cell) for cell in self.columns[name]]
        return None not in values and not all(value is not None and math.isnan(value) for value in values)


def is_empty(cell: object) -> bool:
    """Return whether a cell holds nothing: None, nan or blank text."""
    return (
        cell is None or (isinstance(cell, float) and math.isnan(cell)) or (isinstance(cell, str) and not cell.strip())
    )


def parse_number(cell: object) -> float | None:
    """Return a cell as a number, nan where it is empty; None where it is no finite number.

    >>> parse_number("0.5"), parse_number(True), parse_number("high")
    (0.5, 1.0, None)
    """
    if is_empty(cell):
        return math.nan
    try:
        value = float(cell)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return None
    return value if math.isfinite(value) else None


def read_table(path: str | Path, encoding: str = "utf-8") -> TableFile:
    """Read a table; refuse unnamed and repeated columns, and rows with too many or too few cells.

    Parameters
    ----------
    path
        A .csv, .tsv, .jsonl or .parquet file, also with .gz; ``-`` is standard input.
    encoding
        The encoding of text files.
    """
    return parse_table(*read_bytes(path), encoding)


def parse_table(raw: bytes, source: Source, encoding: str = "utf-8") -> TableFile:
    """Return the table in the bytes of a file; `read_table` explains what is refused."""
    suffix = Path(source.name.removesuffix(".gz")).suffix
    if suffix == ".parquet" or raw.startswith(b"PAR1"):
        return _parquet(raw, source)
    text = decode(raw, source.name, encoding)
    source = Source(source.name, source.digest, source.path, encoding)
    if suffix in (".jsonl", ".ndjson") or text.lstrip().startswith("{"):
        return _jsonl(text, source)
    return _delimited(text, source, DELIMITERS.get(suffix) or ("\t" if "\t" in text.split("\n", 1)[0] else ","))


def _parquet(raw: bytes, source: Source) -> TableFile:
    from pyarrow import parquet

    try:
        table = parquet.read_table(pa.BufferReader(raw))
    except (pa.ArrowException, OSError):
        raise TouchstoneError("is not a Parquet file", file=source.name) from None
    return _table(table.to_pydict(), source, range(1, table.num_rows + 1))


def _jsonl(text: str, source: Source) -> TableFile:
    faults: list[Fault] = []
    numbered = list(parse_objects(text, file=source.name, faults=faults))
    if faults:
        raise TouchstoneError.of(faults)
    names = dict.fromkeys(name for _, row in numbered for name in row)
    columns: dict[str, list[object]] = {name: [row.get(name) for _, row in numbered] for name in names}
    return _table(columns, source, [number for number, _ in numbered])


def _delimited(text: str, source: Source, delimiter: str) -> TableFile:
    reader = csv.reader(StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        rows = [(reader.line_num, row) for row in reader if len(row) > 1 or (row and row[0].strip())]
    except csv.Error as error:
        raise TouchstoneError(f"cannot be read as a table ({error})", file=source.name, line=reader.line_num) from None
    if not rows:
        raise TouchstoneError("no row in the table", file=source.name)
    (_, head), *body = rows
    head = [name.strip() for name in head]
    # A comma at the end of every line makes a column without a name; it is left out where it holds nothing.
    nameless = [place for place, name in enumerate(head) if not name]
    filled = any(place < len(row) and row[place].strip() for place in nameless for _, row in body)
    faults = [Fault("a column without a name", source.name, 1)] if filled or len(nameless) == len(head) else []
    names = {name for name in head if name and head.count(name) > 1}
    faults += [Fault("two columns with the same name", source.name, 1, name) for name in sorted(names)]
    faults += [
        Fault(f"{len(row)} cells under {len(head)} columns", source.name, line)
        for line, row in body
        if len(row) != len(head)
    ]
    if faults:
        raise TouchstoneError.of(faults)
    columns: dict[str, list[object]] = {
        name: [row[place] for _, row in body] for place, name in enumerate(head) if name
    }
    return _table(columns, source, [line for line, _ in body])


def _table(columns: dict[str, list[object]], source: Source, lines: Sequence[int]) -> TableFile:
    if not lines:
        raise TouchstoneError("no row in the table", file=source.name)
    return TableFile(source, columns, lines)
