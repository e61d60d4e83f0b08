"""Tables of any tool, from files and from Python objects, read strictly; every row keeps its line.

The content tells the format: Parquet, Arrow, JSON, JSON lines, TSV or CSV, each also packed with gzip. A task names the
columns that it needs as roles; each role has the names that people give such a column.
"""

import ast
import csv
import json
import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from io import StringIO
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyarrow import csv as arrow_csv

from touchstone.base.errors import Fault, TouchstoneError, nearest
from touchstone.base.files import Source, read_bytes
from touchstone.base.ids import Ids
from touchstone.base.spelling import setting
from touchstone.io.jsonl import parse_json, parse_objects
from touchstone.io.text import decode, lines

Columns = dict[str, list[Any]]


@dataclass(frozen=True)
class Role:
    """What a column is for: its name in ``--column NAME=…``, and what such columns are called, the likeliest first.

    Columns are found in any case.
    """

    name: str
    names: tuple[str, ...]


Headless = Callable[[Sequence[str]], Sequence[str] | None]
"""For the first row of a table: the names of the columns where this row is data, None if it is the header."""


@dataclass(frozen=True, eq=False)
class TableFile:
    """The columns of a table by name, all of one length; *lines* has the line, or the number, of each row.

    Cells of CSV and TSV are text, those of other formats what they hold; None if there is nothing.
    """

    source: Source
    columns: Columns
    lines: Sequence[int]
    categories: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """The names behind the whole numbers of a column, where the format holds them."""
    reordered: bool = False
    """Whether the index of a data frame says that rows were left out or put into another order."""
    numbers_of_rows: Sequence[int] | None = None
    """The numbers of the rows from 1, as the index of a data frame or series has them; None where nothing has them."""

    worth: Mapping[str, float] = field(default_factory=dict)
    """The numbers that texts stand for, such as pass and fail, in small letters; a task says which."""

    def __len__(self) -> int:
        return len(self.lines)

    def number(self, cell: object) -> float | None:
        """Return a cell as a number, nan where it is empty; None if it is none and stands for none."""
        if self.worth and isinstance(cell, str) and (text := cell.strip().casefold()) in self.worth:
            return self.worth[text]
        return parse_number(cell)

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
            if name in self.columns:
                return name
            if name.lower() in lowered:
                return lowered[name.lower()]
        if required:
            hint = f"the columns are {listed(self.columns)}"
            near = nearest(wanted[0], self.columns)
            raise TouchstoneError(f"no column {wanted[0]!r}", file=self.source.name, near=near, hint=hint)
        return None

    def require(self, *roles: Role) -> str:
        """Return the column of the first of some *roles*; refuse a table that lacks any, and say how to choose them."""
        missing = [role.name for role in roles if self.name(*role.names, required=False) is None]
        if missing:
            *first, last = map(repr, missing)
            what = f"no columns {', '.join(first)} and {last}" if first else f"no column {last}"
            choice = setting("column", *(f"{name}=NAME" for name in missing))
            hint = f"the columns are {listed(self.columns)}; choose {'them' if first else 'one'} with {choice}"
            near = None if first else nearest(missing[0], self.columns)
            raise TouchstoneError(what, file=self.source.name, near=near, hint=hint)
        return str(self.name(*roles[0].names))

    def roles(self, roles: Iterable[Role], chosen: Sequence[str] = ()) -> dict[str, str]:
        """Return the column of each role that the table has one for.

        Parameters
        ----------
        roles
            The roles that the task knows.
        chosen
            The user's own choices, ``ROLE=NAME``; one that names a column of another table is passed over where
            this table has a usual column for the role.
        """
        known = {role.name: role for role in roles}
        columns = {name: self.name(*role.names, required=False) for name, role in known.items()}
        for text in chosen:
            role, equals, column = str(text).partition("=")
            if not equals or role not in known:
                hint = f"give ROLE=NAME, where ROLE is one of {', '.join(known)}"
                raise TouchstoneError("no such role", value=str(text), near=nearest(role, known), hint=hint)
            present = self.name(column, required=False)
            if present is None and columns[role] is None:
                self.name(column)
            columns[role] = present or columns[role]
        return {role: column for role, column in columns.items() if column is not None}

    def remarks(self, columns: Mapping[str, str], roles: Iterable[Role]) -> list[str]:
        """Return a sentence on the *columns* that were chosen for *roles*, in a list; none where all are the usual."""
        usual = {role.name: (role.name, *role.names[:1]) for role in roles}
        chosen = [f"{role} is the column {name}" for role, name in columns.items() if name.lower() not in usual[role]]
        return [f"{self.source.stem}: {', '.join(chosen)}"] if chosen else []

    def take(self, rows: Sequence[int]) -> "TableFile":
        """Return some rows of the table, in the order given."""
        columns = {name: [cells[row] for row in rows] for name, cells in self.columns.items()}
        return replace(self, columns=columns, lines=[self.lines[row] for row in rows])

    def check_order(self) -> None:
        """Refuse a table without ids whose rows are not all there, or not in their order: number n may be any row."""
        if self.reordered:
            hint = (
                'call rename_axis("id") if the index holds the ids of the gold, or reset_index(drop=True) if row n '
                "belongs to row n of the gold"
            )
            what = "no ids, and the index says that rows were left out or put into another order"
            raise TouchstoneError(what, file=self.source.name, hint=hint)

    def texts(self, name: str) -> list[str | None]:
        """Return the cells of a column as text without surrounding blanks; None if a cell is empty."""
        return [
            (cell.strip() or None) if type(cell) is str else None if is_empty(cell) else _text(cell)
            for cell in self._cells(name)
        ]

    def ids(self, *wanted: str) -> Ids:
        """Return the ids of the rows with their lines; refuse empty ones.

        Parameters
        ----------
        wanted
            Names that the column of ids may have, the preferred one first.
        """
        cells = self.texts(str(self.name(*wanted)))
        if None in cells:
            faults = [
                Fault(f"no {wanted[0]}", self.source.name, line)
                for cell, line in zip(cells, self.lines, strict=True)
                if cell is None
            ]
            raise TouchstoneError.of(faults, f"every row needs a value in the column {wanted[0]}")
        return Ids(self.source.name, cells, self.lines)  # type: ignore[arg-type]

    def _cells(self, name: str) -> list[Any]:
        """Return the cells of a column by its exact name, else in any case; refuse a column that there is not."""
        return self.columns[name] if name in self.columns else self.columns[str(self.name(name))]

    def numbers(self, name: str) -> list[float]:
        """Return the cells of a column as numbers, nan where a cell is empty; refuse what is no finite number."""
        values, faults = [], []
        for cell, line in zip(self._cells(name), self.lines, strict=True):
            value = self.number(cell)
            if value is None:
                what = "has a decimal comma" if _DECIMAL_COMMA.fullmatch(str(cell)) else "is not a finite number"
                faults.append(Fault(f"{name} {what}", self.source.name, line, str(cell)))
            else:
                values.append(value)
        if faults:
            raise TouchstoneError.of(faults, "leave a cell empty where there is no value")
        return values

    def is_numeric(self, name: str) -> bool:
        """Return whether every cell of a column is a number or empty, and at least one is a number."""
        values = [self.number(cell) for cell in self.columns[name]]
        return None not in values and not all(value is not None and math.isnan(value) for value in values)

    def odd_cell(self, name: str) -> int | None:
        """Return the row of the first cell of a column that is no number, where most cells are numbers; else None.

        A column of numbers stays one where many of them are infinite.
        """
        cells = self.columns[name]
        values = [self.number(cell) for cell in cells]
        odd = [row for row, value in enumerate(values) if value is None]
        numbers = sum(value is not None and not math.isnan(value) for value in values)
        return odd[0] if 0 < len(odd) < numbers or (odd and all(_is_infinite(cells[row]) for row in odd)) else None


_DECIMAL_COMMA = re.compile(r"\s*[-+]?\d+,\d+\s*")


def listed(names: Iterable[str], most: int = 30) -> str:
    """Return names in a line; of many the first ones, and how many more there are."""
    known = list(names)
    return ", ".join(known[:most]) + (f" and {len(known) - most:,} more" if len(known) > most else "")


def is_empty(cell: object) -> bool:
    """Return whether a cell holds nothing: None, nan, what pandas has in their place, or blank text."""
    if isinstance(cell, str):
        return not cell.strip()
    return (
        cell is None or (isinstance(cell, float) and math.isnan(cell)) or type(cell).__name__ in ("NAType", "NaTType")
    )


def _text(cell: object) -> str:
    """Return a cell as text; a whole number has no decimals, whatever made it a float."""
    return str(int(cell)) if isinstance(cell, float) and cell.is_integer() else str(cell).strip()


NUMBER = re.compile(r"[\s\d.eE+-]*", re.ASCII)
WORDS: Mapping[str, float] = {
    "true": 1.0,
    "false": 0.0,
    **dict.fromkeys(("nan", "na", "n/a", "null", "none"), math.nan),
}
"""What tools write into columns of numbers."""


def parse_number(cell: object) -> float | None:
    """Return a cell as a number, nan where it is empty; None if it is no finite number.

    >>> parse_number("0.5"), parse_number(True), parse_number("false"), parse_number("high")
    (0.5, 1.0, 0.0, None)
    """
    cell = WORDS.get(cell.strip().lower(), cell) if isinstance(cell, str) else cell
    if is_empty(cell):
        return math.nan
    if isinstance(cell, bytes | bytearray | memoryview) or (isinstance(cell, str) and not NUMBER.fullmatch(cell)):
        return None
    try:
        value = float(cell)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        return None
    return value if math.isfinite(value) else None


def _is_infinite(cell: object) -> bool:
    try:
        return math.isinf(float(cell))  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        return False


def read_table(
    given: object,
    encoding: str = "utf-8",
    *,
    name: str = "the table",
    value: str = "value",
    roles: Sequence[Role] = (),
    headless: Headless | None = None,
    faults: list[Fault] | None = None,
) -> TableFile:
    """Read a table; refuse unnamed and repeated columns, and rows with too many or too few cells.

    Parameters
    ----------
    given
        A path (``-`` is standard input), or a Python object: `table_of` says which.
    encoding
        The encoding of text files.
    name
        What messages call a Python object.
    value
        The column of a list of values, or of a mapping from ids to values.
    roles
        The columns that the task knows; a mapping from such names to lists holds columns, else its keys are ids.
    headless
        Recognises text files without a header.
    faults
        Takes the faults of single rows, which are then left out; without it they refuse the table.
    """
    if isinstance(given, str | Path):
        raw, source = read_bytes(given)
        return parse_table(raw, source, encoding, value=value, roles=roles, headless=headless, faults=faults)
    return table_of(given, name=name, value=value, roles=roles)


def parse_table(
    raw: bytes,
    source: Source,
    encoding: str = "utf-8",
    *,
    value: str = "value",
    roles: Sequence[Role] = (),
    headless: Headless | None = None,
    faults: list[Fault] | None = None,
) -> TableFile:
    """Return the table in the bytes of a file; `read_table` explains what is refused."""
    if raw.startswith(b"PAR1"):
        return _parquet(raw, source)
    if raw.startswith((b"ARROW1", b"\xff\xff\xff\xff")):
        return _arrow(raw, source)
    text = decode(raw, source.name, encoding)
    source = replace(source, encoding=encoding)
    start = text.lstrip()[:1]
    if start == "[" or (start == "{" and Path(source.name.removesuffix(".gz")).suffix == ".json"):
        return _table(_json_columns(parse_json(text, file=source.name), source, value, roles), source)
    if start == "{":
        return _jsonl(text, source, faults)
    first = text.lstrip("\n").partition("\n")[0]
    tabs = "\t" in first or Path(source.name.removesuffix(".gz")).suffix == ".tsv"
    delimiter = "\t" if tabs else ";" if ";" in first and "," not in first else ","
    return _delimited(text, source, delimiter, headless, faults)


def table_of(given: object, *, name: str = "the table", value: str = "value", roles: Sequence[Role] = ()) -> TableFile:
    """Return a Python object as a table; its rows are numbered from 1.

    Parameters
    ----------
    given
        A data frame of pandas or polars, an Arrow table, a Hugging Face dataset, a list of mappings (rows), a mapping
        from names to columns, a mapping from ids to values or to rows, or a list of values. A series of pandas is a
        mapping from its index to its values, unless its index only numbers the rows.
    name
        What messages call it.
    value, roles
        As in `read_table`.

    Examples
    --------
    >>> table_of({"1": "neutral", "2": "entailment"}, value="label").columns
    {'id': ['1', '2'], 'label': ['neutral', 'entailment']}
    """
    if isinstance(given, TableFile):
        return given
    return _checked_cells(_of_object(given, name, value, roles))


def _of_object(given: object, name: str, value: str, roles: Sequence[Role]) -> TableFile:
    source = Source(name, "")
    if hasattr(given, "collect"):
        raise TouchstoneError(f"{name}: a {type(given).__name__} has no rows yet", hint="collect it first")
    if isinstance(given, pa.Table | pa.RecordBatch):
        return _of_arrow(pa.table(given), source)
    if isinstance(given, Mapping):
        if given and all(hasattr(table, "columns") or hasattr(table, "column_names") for table in given.values()):
            raise TouchstoneError(f"{name}: several tables ({', '.join(map(str, given))})", hint="give one of them")
        return _table(_json_columns(given, source, value, roles), source)
    if isinstance(getattr(given, "columns", None), Iterable) or hasattr(given, "column_names"):
        return _of_frame(given, source, roles)
    if hasattr(given, "reset_index") and hasattr(given, "to_frame"):
        return _of_series(given, source, value, roles)
    listed = _cells_of(given) if isinstance(given, Iterable) and not isinstance(given, UNORDERED) else None
    if isinstance(listed, list):
        return _table(_json_columns(listed, source, value, roles), source)
    hint = "give a file, a data frame, an Arrow table, a list of rows, or a mapping from ids to values"
    raise TouchstoneError(f"{name}: a {type(given).__name__} cannot be read as a table", hint=hint)


UNORDERED = (str, bytes, bytearray, set, frozenset)
"""What can be iterated over, and holds no rows in an order."""

LONGEST_NUMBER = 10_000
"""Bits of a whole number that can still be written as text."""


def _checked_cells(table: TableFile) -> TableFile:
    """Return a table of a Python object with plain cells; refuse what no file could hold."""
    faults: list[Fault] = []
    for name, cells in table.columns.items():
        for place, cell in enumerate(cells):
            if type(cell) is str:
                wrong = not cell.isascii() and not _is_text(cell)
            elif isinstance(cell, int):
                wrong = cell.bit_length() > LONGEST_NUMBER
            elif isinstance(cell, list | tuple | dict):
                wrong = _is_deep(cell)
            else:
                wrong = False
                if type(cell).__module__ == "numpy" and hasattr(cell, "item") and getattr(cell, "ndim", 1) == 0:
                    cells[place] = cell.item()
            if wrong:
                what = f"{name} is not a text, a number or a list of normal size"
                faults.append(Fault(what, table.source.name, table.lines[place]))
    if faults:
        raise TouchstoneError.of(faults)
    return table


def _is_deep(cell: object) -> bool:
    """Return whether lists and mappings are nested more than a few times, or hold what `_checked_cells` refuses."""
    level = [cell]
    for _ in range(DEEPEST):
        nested = [part for part in level if isinstance(part, list | tuple | dict)]
        if not nested:
            return False
        level = [one for part in nested for one in (part.values() if isinstance(part, dict) else part)]
        if any(isinstance(one, int) and one.bit_length() > LONGEST_NUMBER for one in level):
            return True
    return True


DEEPEST = 10
"""How often lists in a cell may be nested."""


def _is_text(cell: str) -> bool:
    try:
        cell.encode()
    except UnicodeEncodeError:
        return False
    return True


def _of_frame(frame: Any, source: Source, roles: Sequence[Role]) -> TableFile:  # noqa: ANN401 (pandas, polars, datasets)
    """Return the columns of a data frame; those of a Hugging Face dataset with the names of their classes.

    An index of pandas that has a name is a column; one without a name holds ids unless it numbers the rows.
    """
    reordered, numbered = False, None
    if hasattr(frame, "reset_index"):
        ids = {"id", *(name.lower() for role in roles if "id" in role.names for name in role.names)}
        if any(name is not None for name in frame.index.names):
            frame = frame.reset_index([n for n, name in enumerate(frame.index.names) if name not in frame.columns])
        elif not _numbers_rows(frame.index) and not ids & {str(name).lower() for name in frame.columns}:
            frame = frame.rename_axis("id").reset_index()
        else:
            reordered, numbered = frame.index.tolist() != list(range(len(frame))), _row_numbers(frame.index)
    names = list(getattr(frame, "column_names", None) or frame.columns)
    _check_names(map(str, names), source)
    features = getattr(frame, "features", None) or {}
    categories = {str(name): list(known) for name in features if (known := getattr(features[name], "names", None))}
    columns = {str(name): _cells_of(frame[name]) for name in names}
    table = _table(columns, source, categories=categories)
    return replace(table, reordered=reordered, numbers_of_rows=numbered)


def _of_series(series: Any, source: Source, value: str, roles: Sequence[Role]) -> TableFile:  # noqa: ANN401 (of pandas)
    """Return a series of pandas: its index holds ids, unless it has no name and numbers the rows."""
    index = series.index
    if index.nlevels > 1:
        return _of_frame(series.to_frame(value), source, roles)
    if index.names != [None] or not _numbers_rows(index):
        return _table({"id": index.tolist(), value: _cells_of(series)}, source)
    table = _table(_listed_columns(_cells_of(series), source, value), source)
    reordered = index.tolist() != list(range(len(table)))
    return replace(table, reordered=reordered, numbers_of_rows=_row_numbers(index))


def _row_numbers(index: Any) -> list[int] | None:  # noqa: ANN401 (of pandas)
    """Return the numbers of rows from 1 that an index holds; None where two rows have one number."""
    numbers = [int(number) + 1 for number in index] if _numbers_rows(index) else []
    return numbers if numbers and len(set(numbers)) == len(numbers) and min(numbers) > 0 else None


def with_index(gold: Any, systems: Any) -> tuple[Any, Any]:  # noqa: ANN401 (of pandas)
    """Return gold and systems, of which objects of pandas are in the order of the gold, a data frame of pandas.

    Rows without ids are joined in their order. A series or data frame that has the index of the gold in another order
    belongs to it by that index, as everywhere in pandas. If all runs have the index of the gold, their order is right,
    whatever the index is.

    Parameters
    ----------
    gold
        Gold as the user gave it.
    systems
        The systems as the user gave them.
    """
    known: Any = getattr(gold, "index", None)
    if not isinstance(systems, Mapping) or not hasattr(known, "nlevels") or not _unnamed(known):
        return gold, systems
    same = {name for name, run in systems.items() if _has_rows_of(run, known)}
    for name in same:
        if not systems[name].index.equals(known) and not known.is_unique:
            what = f"{name}: its index has the rows of the gold in another order, and numbers occur twice in it"
            hint = "put both in one order, and call reset_index(drop=True); or give the run ids: rename_axis('id')"
            raise TouchstoneError(what, hint=hint)
    ordered = {
        name: run if name not in same or run.index.equals(known) else run.loc[known] for name, run in systems.items()
    }
    if len(same) < len(systems):
        return gold, ordered
    return gold.reset_index(drop=True), {name: run.reset_index(drop=True) for name, run in ordered.items()}


def _has_rows_of(run: Any, known: Any) -> bool:  # noqa: ANN401 (of pandas)
    """Return whether a series or data frame has an index with the same numbers of rows, in any order."""
    index: Any = getattr(run, "index", None)
    fits = hasattr(run, "loc") and hasattr(index, "nlevels") and _unnamed(index) and len(index) == len(known)
    return bool(fits and index.sort_values().equals(known.sort_values()))


def _unnamed(index: Any) -> bool:  # noqa: ANN401 (of pandas)
    return bool(list(index.names) == [None]) and _numbers_rows(index)


def _numbers_rows(index: Any) -> bool:  # noqa: ANN401 (of pandas)
    """Return whether an index without a name holds whole numbers, as pandas numbers the rows of a frame."""
    return index.nlevels == 1 and index.dtype.kind in "iu"


def _check_names(names: Iterable[str], source: Source) -> None:
    """Refuse two columns of one name, and more columns than a table has."""
    counts = Counter(names)
    if len(counts) > MOST_COLUMNS:
        raise TouchstoneError(f"{len(counts):,} columns; a table has {MOST_COLUMNS:,} at most", file=source.name)
    twice = next((name for name, count in counts.items() if count > 1), None)
    if twice is not None:
        raise TouchstoneError("two columns with the same name", file=source.name, value=twice)


MOST_COLUMNS = 10_000


def _cells_of(column: Any) -> list[Any]:  # noqa: ANN401 (a column of any library)
    return (
        column.tolist()
        if hasattr(column, "tolist")
        else column.to_list()
        if hasattr(column, "to_list")
        else list(column)
    )


def _json_columns(given: Any, source: Source, value: str, roles: Sequence[Role]) -> Columns:  # noqa: ANN401 (as in JSON)
    """Return the columns of a mapping or a list."""
    if not isinstance(given, Mapping):
        return _listed_columns(given if isinstance(given, list) else [given], source, value)
    known = {value, *(name.lower() for role in roles for name in role.names)}
    cells = list(given.values())
    if all(isinstance(row, Mapping) for row in cells) and any(
        str(name).lower() in known for row in cells for name in row
    ):
        other = next((name for name, row in given.items() if "id" in row and _text(row["id"]) != _text(name)), None)
        if other is not None:
            raise TouchstoneError("a row has another id than its key", file=source.name, value=str(other))
        return _listed_columns([{**row, "id": _text(name)} for name, row in given.items()], source, value)
    if not (given and all(map(_is_column, given.values())) and any(str(name).lower() in known for name in given)):
        return {"id": [_text(name) for name in given], value: list(given.values())}
    _check_names(map(str, given), source)
    columns = {str(name): _cells_of(cells) for name, cells in given.items()}
    sizes = {name: len(cells) for name, cells in columns.items()}
    if len(set(sizes.values())) > 1:
        counts = ", ".join(f"{name} {size:,}" for name, size in sizes.items())
        raise TouchstoneError(f"the columns have different lengths: {counts}", file=source.name)
    return columns


def _is_column(cells: object) -> bool:
    return isinstance(cells, list | tuple) or (hasattr(cells, "__array__") or hasattr(cells, "to_list"))


def _listed_columns(rows: list[Any], source: Source, value: str) -> Columns:
    """Return the columns of a list of mappings, or the one column of a list of values."""
    if not any(isinstance(row, Mapping) for row in rows):
        return {value: rows}
    faults = [
        Fault("not a mapping from names to cells", source.name, number, repr(row))
        for number, row in enumerate(rows, 1)
        if not isinstance(row, Mapping)
    ]
    if faults:
        raise TouchstoneError.of(faults)
    names = dict.fromkeys(name for row in rows for name in row)
    _check_names(map(str, names), source)
    return {str(name): [row.get(name) for row in rows] for name in names}


def _parquet(raw: bytes, source: Source) -> TableFile:
    from pyarrow import parquet

    try:
        table = parquet.read_table(pa.BufferReader(raw))
    except MemoryError:
        raise
    except (pa.ArrowException, OSError):
        raise TouchstoneError("is not a complete Parquet file", file=source.name) from None
    return _of_arrow(table, source)


def _arrow(raw: bytes, source: Source) -> TableFile:
    try:
        buffer = pa.BufferReader(raw)
        opened = pa.ipc.open_file(buffer) if raw.startswith(b"ARROW1") else pa.ipc.open_stream(buffer)
        table = opened.read_all()
        table.validate(full=True)  # a damaged file may point anywhere
    except MemoryError:
        raise
    except (pa.ArrowException, OSError, UnicodeDecodeError):
        raise TouchstoneError("is not a complete Arrow file", file=source.name) from None
    return _of_arrow(table, source)


def _of_arrow(table: pa.Table, source: Source) -> TableFile:
    """Return the columns of an Arrow table; Hugging Face keeps the names of classes in its metadata."""
    try:
        names = table.column_names
    except UnicodeDecodeError:
        raise TouchstoneError("has a column whose name is not UTF-8", file=source.name) from None
    _check_names(names, source)
    try:
        columns = {name: table.column(name).to_pylist() for name in table.column_names}
        features = json.loads((table.schema.metadata or {}).get(b"huggingface", b"{}"))["info"]["features"]
        categories = {name: list(known["names"]) for name, known in features.items() if known.get("names")}
    except (KeyError, TypeError, AttributeError, ValueError, pa.ArrowException) as error:
        if isinstance(error, pa.ArrowException | UnicodeDecodeError):
            raise TouchstoneError("contains values that cannot be read", file=source.name) from None
        categories = {}
    return _table(columns, source, categories=categories)


def _jsonl(text: str, source: Source, wrong: list[Fault] | None) -> TableFile:
    faults: list[Fault] = []
    columns: Columns = {}
    numbers: list[int] = []
    known: dict[str, str] = {}  # short texts that repeat, such as labels, each held once
    for number, row in parse_objects(text, file=source.name, faults=faults):
        for name, cell in row.items():
            if name not in columns:
                columns[name] = [None] * len(numbers)
                if len(columns) > MOST_COLUMNS // 10:
                    _check_rows(columns, source, number)
            cells = columns[name]
            cells.append(cells[-1] if cells and cell == cells[-1] and type(cell) is str else _held_once(cell, known))
        numbers.append(number)
        for cells in columns.values():
            if len(cells) < len(numbers):
                cells.append(None)
    if faults and (wrong is None or not numbers):
        raise TouchstoneError.of(faults)
    if wrong is not None:
        wrong += faults
    return _table(columns, source, numbers)


def _check_rows(columns: Columns, source: Source, line: int) -> None:
    """Refuse rows that have ever other keys: they are no rows of one table."""
    filled = sum(sum(cell is not None for cell in cells) for cells in columns.values())
    if filled < sum(map(len, columns.values())) / 10:
        what = f"rows have {len(columns):,} different keys, of which each has few"
        raise TouchstoneError(what, file=source.name, line=line, hint="give rows that have the same keys")


def _held_once(cell: object, known: dict[str, str]) -> object:
    """Return a cell in which texts that are *known* are the same objects as before; few are kept."""
    if type(cell) is list:
        return [known.get(each, each) if type(each) is str else each for each in cell]
    if type(cell) is not str:
        return cell
    return known.setdefault(cell, cell) if len(known) < KNOWN_TEXTS else known.get(cell, cell)


KNOWN_TEXTS = 10_000


def _delimited(
    text: str, source: Source, delimiter: str, headless: Headless | None, wrong: list[Fault] | None
) -> TableFile:
    head_line, _, body_text = text.partition("\n")
    first = head_line.removesuffix("\r").split(delimiter)
    named = headless([name.strip() for name in first]) if headless else None
    if named is None and head_line.strip() and not body_text.strip() and len({*first}) == len(first):
        hint = "the first line was taken as the header: write the names of the columns above the rows"
        raise TouchstoneError("no row in the table", file=source.name, hint=hint)
    table = _plain_columns(text, named or [name.strip() for name in first], delimiter, skipped=0 if named else 1)
    if table is not None:
        return _table(table, source, range(1 if named else 2, len(next(iter(table.values()))) + (1 if named else 2)))
    rows = _split_rows(text, source, delimiter)
    if not rows:
        raise TouchstoneError("no row in the table", file=source.name)
    (line, first), *body = rows
    head = [name.strip() for name in first]
    named = headless(head) if headless else None
    if named is not None:
        head, body = list(named), rows
    # A comma at the end of every line makes a column without a name; it is left out where it holds nothing. So is the
    # index that pandas writes first.
    nameless = [place for place, name in enumerate(head) if not name]
    if nameless[:1] == [0] and len(head) > 1 and [row[0] for _, row in body] == [str(n) for n in range(len(body))]:
        head, body = head[1:], [(number, row[1:]) for number, row in body]
        nameless = [place for place, name in enumerate(head) if not name]
    filled = any(place < len(row) and row[place].strip() for place in nameless for _, row in body)
    faults = [Fault("a column without a name", source.name, line)] if filled or len(nameless) == len(head) else []
    names = {name for name, count in Counter(head).items() if name and count > 1}
    faults += [Fault("two columns with the same name", source.name, line, name) for name in sorted(names)]
    ragged = [
        Fault(f"{len(row)} cells under {len(head)} columns", source.name, number)
        for number, row in body
        if len(row) != len(head)
    ]
    if faults or (ragged and (wrong is None or len(ragged) == len(body))):
        raise TouchstoneError.of([*faults, *ragged])
    if wrong is not None and ragged:
        wrong += ragged
        body = [(number, row) for number, row in body if len(row) == len(head)]
    columns: Columns = {name: [row[place] for _, row in body] for place, name in enumerate(head) if name}
    if delimiter == ";":
        columns = {name: _with_points(cells) for name, cells in columns.items()}
    return _table(columns, source, [number for number, _ in body])


def _with_points(cells: list[Any]) -> list[Any]:
    """Return a column of a table with semicolons with decimal points where all its numbers have decimal commas."""
    commas = [bool(_DECIMAL_COMMA.fullmatch(cell)) for cell in cells]
    plain = all(
        comma or not cell.strip() or parse_number(cell) is not None for comma, cell in zip(commas, cells, strict=True)
    )
    return [cell.replace(",", ".") for cell in cells] if any(commas) and plain else cells


def parse_list(cell: object) -> object:
    """Return the list that a text holds, as JSON or as Python writes it; any other cell as it is.

    >>> parse_list('["a", "b"]'), parse_list("['a', 'b']"), parse_list("[a]")
    (['a', 'b'], ['a', 'b'], '[a]')
    """
    if not (isinstance(cell, str) and cell.strip().startswith("[") and cell.strip().endswith("]")):
        return cell
    for read in (json.loads, ast.literal_eval):
        try:
            listed = read(cell.strip())
        except (ValueError, SyntaxError, RecursionError, MemoryError):
            continue
        if isinstance(listed, list):
            return listed
    return cell


BLANK_LINE = re.compile(r"\n[^\S\n]*(?:\n|\Z)")


def _plain_columns(text: str, names: Sequence[str], delimiter: str, skipped: int) -> Columns | None:
    """Return the columns of a large table where every line is a row and nothing is quoted; None for any other.

    Arrow splits such a table in a tenth of the time. Cells with the same text share one string.
    """
    whole = text.removesuffix("\n")
    usual = len(names) > 1 and all(names) and len(set(names)) == len(names)
    if len(text) < LARGE or not usual or '"' in text or BLANK_LINE.search(whole):
        return None
    try:
        table = arrow_csv.read_csv(
            pa.BufferReader(whole.encode()),
            arrow_csv.ReadOptions(use_threads=False, column_names=names, skip_rows=skipped),
            arrow_csv.ParseOptions(delimiter=delimiter, quote_char=False),
            arrow_csv.ConvertOptions(column_types=dict.fromkeys(names, pa.string()), strings_can_be_null=False),
        )
    except pa.ArrowInvalid:  # which the slower way explains with its line
        return None
    columns = {name: _shared(table.column(name)) for name in names}
    del table
    pa.default_memory_pool().release_unused()  # what Arrow keeps would count for the rest of the work
    return columns


LARGE = 100_000
"""Characters from which Arrow splits the rows."""


def _shared(column: pa.ChunkedArray) -> list[str]:
    """Return the cells of a column; where texts repeat, each is held once."""
    sample = column[:1000]
    if 2 * len(sample.unique()) > len(sample):
        return list(column.to_pylist())
    encoded = column.combine_chunks().dictionary_encode()
    texts = encoded.dictionary.to_pylist()
    return [texts[place] for place in encoded.indices.to_numpy()]


def _split_rows(text: str, source: Source, delimiter: str) -> list[tuple[int, list[str]]]:
    """Return the rows with their lines.

    Corpora have stray quotes in TSV: there a line is a row, unless only quoted tabs and line ends make equal rows.
    Quotes around a cell are a writer's where the whole header has them, or where quotes inside are doubled.
    """
    if '"' not in text:
        return [(number, line.split(delimiter)) for number, line in lines(text)]
    plain: list[tuple[int, list[str]]] = []
    first = text.lstrip("\n").partition("\n")[0].removesuffix("\r").split(delimiter)
    if delimiter == "\t":
        clean = _enclosed if all(len(cell) > 1 and cell[0] == cell[-1] == '"' for cell in first) else unquoted
        plain = [(number, [clean(cell) for cell in line.split("\t")]) for number, line in lines(text)]
        if len({len(row) for _, row in plain}) == 1:
            return plain
    csv.field_size_limit(2**31 - 1)  # a cell may be as long as a line
    reader = csv.reader(StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        return [(reader.line_num, row) for row in reader if len(row) > 1 or (row and row[0].strip())]
    except csv.Error as error:
        if plain:
            return plain
        raise TouchstoneError(f"cannot be read as a table ({error})", file=source.name, line=reader.line_num) from None


def _enclosed(field: str) -> str:
    """Return a field of a table in which every field is quoted."""
    quoted = len(field) > 1 and field[0] == field[-1] == '"'
    return field[1:-1].replace('""', '"') if quoted else field


def unquoted(field: str) -> str:
    """Return a field without the quotes that a writer put around it, which doubled those inside; others are text.

    >>> unquoted('"a ""b"" c"'), unquoted('the "b"'), unquoted('"Yes," she said, "no."')
    ('a "b" c', 'the "b"', '"Yes," she said, "no."')
    """
    inner = field[1:-1]
    written = len(field) > 1 and field[0] == field[-1] == '"' and '""' in inner and '"' not in inner.replace('""', "")
    return inner.replace('""', '"') if written else field


UNSPLIT = re.compile(r"[;|\t]")
"""Separators that are left in the name of a column where a table was read with another separator."""


def _table(
    columns: Columns,
    source: Source,
    numbers: Sequence[int] | None = None,
    categories: Mapping[str, Sequence[str]] | None = None,
) -> TableFile:
    if not any(columns.values()):
        raise TouchstoneError("no row in the table", file=source.name)
    joined = next((name for name in columns if len(columns) <= 2 and len(UNSPLIT.split(name)) > 2), None)
    if joined is not None:
        separator = repr(UNSPLIT.findall(joined)[0])
        hint = f"its cells are separated by {separator}; in pandas: read_csv(…, sep={separator})"
        raise TouchstoneError("one column has the names of several", file=source.name, value=joined, hint=hint)
    rows = numbers if numbers is not None else range(1, len(next(iter(columns.values()))) + 1)
    return TableFile(replace(source, columns=tuple(columns)), columns, rows, categories or {})
