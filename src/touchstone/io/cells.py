"""Cells of tables: what is empty, which texts are numbers, lists inside a cell; and columns that are missing."""

import ast
import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError, nearest

NUMBER = re.compile(r"[\s\d.eE+-]*", re.ASCII)

WORDS: Mapping[str, float] = {
    "true": 1.0,
    "false": 0.0,
    **dict.fromkeys(("nan", "na", "n/a", "null", "none"), math.nan),
}
"""What tools write into columns of numbers."""

DECIMAL_COMMA = re.compile(r"\s*[-+]?\d+,\d+\s*")


def listed(names: Iterable[str], most: int = 30) -> str:
    """Return names in a line; of many the first ones, and how many more there are."""
    name_list = list(names)
    return ", ".join(name_list[:most]) + (f" and {len(name_list) - most:,} more" if len(name_list) > most else "")


def no_column(name: str, columns: Sequence[str], file: str) -> TouchstoneError:
    """Return the error of a column that a table does not have.

    >>> print(no_column("lable", ["id", "label"], "gold.csv"))
    gold.csv: no column 'lable'; nearest valid name "label"
       the columns are id, label
    """
    hint = f"the columns are {listed(columns)}" if columns else "it is not a table with named columns"
    near = nearest(name, columns)
    return TouchstoneError(f"no column {name!r}", file=file, near=near, code=Code.NO_COLUMN, hint=hint)


def is_empty(cell: object) -> bool:
    """Return whether a cell holds nothing: None, nan, what pandas has in their place, or blank text."""
    if isinstance(cell, str):
        return not cell.strip()
    return (
        cell is None or (isinstance(cell, float) and math.isnan(cell)) or type(cell).__name__ in ("NAType", "NaTType")
    )


def cell_text(cell: object) -> str:
    """Return a cell as text; a whole number has no decimals, whatever made it a float."""
    return str(int(cell)) if isinstance(cell, float) and cell.is_integer() else str(cell).strip()


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


def is_decimal(text: str) -> bool:
    """Return whether a text is written as a number, which may be too large to be finite.

    >>> is_decimal("1e3"), is_decimal("1e999"), is_decimal("E"), is_decimal("nan")
    (True, True, False, False)
    """
    try:
        float(text)
    except ValueError:
        return False
    return bool(NUMBER.fullmatch(text))


def is_infinite(cell: object) -> bool:
    """Return whether a cell is an infinite number."""
    try:
        return math.isinf(float(cell))  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        return False


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


def unquoted(field: str) -> str:
    """Return a field without the quotes that a writer put around it, which doubled those inside; others are text.

    >>> unquoted('"a ""b"" c"'), unquoted('the "b"'), unquoted('"Yes," she said, "no."')
    ('a "b" c', 'the "b"', '"Yes," she said, "no."')
    """
    inner = field[1:-1]
    written = len(field) > 1 and field[0] == field[-1] == '"' and '""' in inner and '"' not in inner.replace('""', "")
    return inner.replace('""', '"') if written else field
