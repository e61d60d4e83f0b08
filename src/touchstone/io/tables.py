"""A table of any tool: columns of cells by name; every row keeps its line."""

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pyarrow as pa

from touchstone.base.codes import Code
from touchstone.base.errors import Fault, TouchstoneError, nearest, refuse
from touchstone.base.files import Source
from touchstone.base.ids import Ids
from touchstone.io.cells import DECIMAL_COMMA, cell_text, is_empty, is_infinite, no_column, parse_number

Columns = dict[str, list[Any]]


def refuse_absent_columns(chosen: Iterable[str], sources: Iterable[Source]) -> None:
    """Refuse a choice of a column, ``ROLE=NAME``, that nothing read has: it would be ignored.

    Parameters
    ----------
    chosen
        The choices.
    sources
        The files or objects that were read.
    """
    columns = list(dict.fromkeys(column for source in sources for column in source.columns))
    hint = f"the columns are {', '.join(columns)}" if columns else "no input is a table with named columns"
    for choice in chosen:
        name = str(choice).partition("=")[2]
        if name.lower() not in {column.lower() for column in columns}:
            near = nearest(name, columns)
            raise TouchstoneError("no table has this column", value=name, near=near, code=Code.NO_COLUMN, hint=hint)


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

    def fault(self, what: str, row: int, value: str | None = None, code: Code = Code.BAD_CELL) -> Fault:
        """Return a fault of a row, with its line."""
        return Fault(what, self.source.name, self.lines[row], value, code=code)

    def name(self, *names: str, required: bool = True) -> str | None:
        """Return the name of the column that has one of the *names*, in any case.

        Parameters
        ----------
        names
            Names that mean the same, the preferred one first.
        required
            Whether to refuse a table without such a column; else the answer is None.
        """
        # Reversed, so that the first of two columns that differ in case only is taken; an exact name comes before both.
        lowered = {name.lower(): name for name in reversed(self.columns)}
        for name in names:
            if name in self.columns:
                return name
            if name.lower() in lowered:
                return lowered[name.lower()]
        if required:
            raise no_column(names[0], list(self.columns), self.source.name)
        return None

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
            raise TouchstoneError(what, file=self.source.name, code=Code.AMBIGUOUS, hint=hint)

    def texts(self, name: str) -> list[str | None]:
        """Return the cells of a column as text without surrounding blanks; None if a cell is empty."""
        return [
            (cell.strip() or None) if type(cell) is str else None if is_empty(cell) else cell_text(cell)
            for cell in self._cells(name)
        ]

    def ids(self, *names: str) -> Ids:
        """Return the ids of the rows with their lines; refuse empty ones.

        Parameters
        ----------
        names
            Names that the column of ids may have, the preferred one first.
        """
        cells = self.texts(str(self.name(*names)))
        empty = [row for row, cell in enumerate(cells) if cell is None]
        faults = [self.fault(f"no {names[0]}", row, code=Code.MISSING_ID) for row in empty]
        refuse(faults, f"every row needs a value in the column {names[0]}")
        return Ids(self.source.name, cells, self.lines)  # type: ignore[arg-type]

    def _cells(self, name: str) -> list[Any]:
        """Return the cells of a column by its exact name, else in any case; refuse a column that there is not."""
        return self.columns[name] if name in self.columns else self.columns[str(self.name(name))]

    def numbers(self, name: str) -> list[float]:
        """Return the cells of a column as numbers, nan where a cell is empty; refuse what is no finite number."""
        values, faults = [], []
        for row, cell in enumerate(self._cells(name)):
            value = self.number(cell)
            if value is None:
                what = "has a decimal comma" if DECIMAL_COMMA.fullmatch(str(cell)) else "is not a finite number"
                faults.append(self.fault(f"{name} {what}", row, str(cell)))
            else:
                values.append(value)
        refuse(faults, "leave a cell empty where there is no value")
        what = f"{name} may have a point between thousands"
        refuse(
            [self.fault(what, row, cell) for row, cell in _thousands(self._cells(name))],
            "all other numbers are whole: write 1200 for a thousand and two hundred, or 1.2 for a decimal point",
        )
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
        return odd[0] if 0 < len(odd) < numbers or (odd and all(is_infinite(cells[row]) for row in odd)) else None


THOUSANDS = re.compile(r"[1-9]\d{0,2}(?:\.\d{3})+")
"""A number of more than 999 as many countries write it, or one with three decimals."""


def _thousands(cells: Sequence[Any]) -> list[tuple[int, str]]:
    """Return the rows and texts of cells such as ``1.200`` among whole numbers of usually three digits or more.

    >>> _thousands(["950", "1.200", "870"]), _thousands(["0.125", "1.200"]), _thousands(["1", "1.125", "2"])
    ([(1, '1.200')], [], [])
    """
    pointed = [(row, cell.strip()) for row, cell in enumerate(cells) if type(cell) is str and "." in cell]
    if not pointed or not all(THOUSANDS.fullmatch(cell) for _, cell in pointed):
        return []
    digit_counts = sorted(len(cell.strip()) for cell in cells if type(cell) is str and cell.strip().isdigit())
    return pointed if digit_counts and digit_counts[len(digit_counts) // 2] >= len("100") else []


def no_rows(source: Source, hint: str | None = None) -> TouchstoneError:
    """Return the error of a table without rows."""
    return TouchstoneError("no row in the table", file=source.name, code=Code.EMPTY, hint=hint)


def check_column_names(names: Iterable[str], source: Source) -> None:
    """Refuse two columns of one name, and more columns than a table has."""
    counts = Counter(names)
    if len(counts) > MOST_COLUMNS:
        what = f"{len(counts):,} columns; a table has {MOST_COLUMNS:,} at most"
        raise TouchstoneError(what, file=source.name, code=Code.TOO_LARGE)
    twice = next((name for name, count in counts.items() if count > 1), None)
    if twice is not None:
        what = "two columns with the same name"
        raise TouchstoneError(what, file=source.name, value=twice, code=Code.DUPLICATE_COLUMN)


MOST_COLUMNS = 10_000

INDEX = re.compile(r"Unnamed: \d+")
"""What pandas calls a column without a name."""

UNSPLIT = re.compile(r"[;|\t]")
"""Separators that are left in the name of a column where a table was read with another separator."""


def row_table(rows: Sequence[tuple[int, list[Any]]], source: Source, wrong: list[Fault] | None = None) -> TableFile:
    """Return the table of rows of cells, the first of which has the names of the columns.

    A separator at the end of every line makes a column without a name; it is left out where it holds nothing. So is the
    index that pandas writes first.

    Parameters
    ----------
    rows
        The rows with their lines.
    source
        The file.
    wrong
        Takes the faults of single rows, which are then left out; without it they refuse the table.
    """
    (line, head), *body = rows
    # pandas writes its index as a first column without a name that counts the rows from 0.
    nameless = [column_index for column_index, name in enumerate(head) if not name]
    if nameless[:1] == [0] and len(head) > 1 and [str(row[0]) for _, row in body] == [str(n) for n in range(len(body))]:
        head, body = head[1:], [(number, row[1:]) for number, row in body]
        nameless = [column_index for column_index, name in enumerate(head) if not name]
    filled = any(
        column_index < len(row) and not is_empty(row[column_index]) for column_index in nameless for _, row in body
    )
    faults = []
    if filled or len(nameless) == len(head):
        faults.append(Fault("a column without a name", source.name, line, code=Code.NO_COLUMN))
    twice = sorted(name for name, count in Counter(head).items() if name and count > 1)
    what = "two columns with the same name"
    faults += [Fault(what, source.name, line, name, code=Code.DUPLICATE_COLUMN) for name in twice]
    ragged = [
        Fault(f"{len(row)} cells under {len(head)} columns", source.name, number, code=Code.BAD_CELL)
        for number, row in body
        if len(row) != len(head)
    ]
    if faults or (ragged and (wrong is None or len(ragged) == len(body))):
        raise TouchstoneError.of([*faults, *ragged])
    if wrong is not None and ragged:
        wrong += ragged
        body = [(number, row) for number, row in body if len(row) == len(head)]
    columns: Columns = {name: [row[column_index] for _, row in body] for column_index, name in enumerate(head) if name}
    return make_table(columns, source, [number for number, _ in body])


def make_table(
    columns: Columns,
    source: Source,
    numbers: Sequence[int] | None = None,
    categories: Mapping[str, Sequence[str]] | None = None,
) -> TableFile:
    """Return a table of columns; refuse one without rows, or with the names of several columns in one.

    Parameters
    ----------
    columns
        The cells by column.
    source
        Where they are from.
    numbers
        The lines of the rows; by default they are numbered from 1.
    categories
        The names behind the whole numbers of a column.
    """
    columns = {name: cells for name, cells in columns.items() if not _is_index(name, cells)} or columns
    if not any(columns.values()):
        raise no_rows(source)
    joined = next((name for name in columns if len(columns) <= 2 and len(UNSPLIT.split(name)) > 2), None)
    if joined is not None:
        separator = repr(UNSPLIT.findall(joined)[0])
        hint = f"its cells are separated by {separator}; in pandas: read_csv(…, sep={separator})"
        what = "one column has the names of several"
        raise TouchstoneError(what, file=source.name, value=joined, code=Code.UNREADABLE, hint=hint)
    rows = numbers if numbers is not None else range(1, len(next(iter(columns.values()))) + 1)
    table = TableFile(replace(source, columns=tuple(columns)), columns, rows, categories or {})
    faults = [table.fault("the header again", row, ", ".join(columns)) for row in _header_rows(columns)]
    refuse(faults, "remove these rows: tables were put together with their headers")
    return table


def _is_index(name: str, cells: Sequence[Any]) -> bool:
    """Return whether a column is the index of a data frame that was written and read again: whole numbers, no name."""
    return bool(INDEX.fullmatch(name)) and all(str(cell).isdecimal() for cell in cells)


def _header_rows(columns: Columns) -> list[int]:
    """Return the rows that repeat the names of the columns.

    >>> _header_rows({"item": ["q1", "item"], "value": ["1", "value"]})
    [1]
    """
    first, *others = columns.items()
    candidates = [row for row, cell in enumerate(first[1]) if cell == first[0]]
    return [row for row in candidates if others and all(cells[row] == name for name, cells in others)]


def repeated_strings(values: Sequence[str | None]) -> pa.Array:
    """Return an Arrow column of strings that repeat themselves, each distinct one held once."""
    return pa.array(values, pa.string()).dictionary_encode()
