"""Tables of Python objects: data frames, Arrow tables, datasets, rows, columns, and mappings from ids to values."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pyarrow as pa

from touchstone.base.codes import Code
from touchstone.base.errors import Fault, TouchstoneError, refuse
from touchstone.base.files import Source
from touchstone.io.cells import cell_text, is_empty
from touchstone.io.formats.arrow import arrow_table
from touchstone.io.schema import Field
from touchstone.io.tables import Columns, TableFile, check_column_names, make_table

UNORDERED = (str, bytes, bytearray, set, frozenset)
"""What can be iterated over, and holds no rows in an order."""

LONGEST_NUMBER = 10_000
"""Bits of a whole number that can still be written as text."""

DEEPEST = 10
"""How often lists in a cell may be nested."""

SHIFTED, FEWEST_SHIFTED, SHIFTED_COLUMNS = 0.1, 3, 3
"""The largest share of shifted rows, their least number, and the columns of a table from which they are looked for."""


def table_of(data: object, *, name: str = "the table", value: str = "value", roles: Sequence[Field] = ()) -> TableFile:
    """Return a Python object as a table; its rows are numbered from 1.

    Parameters
    ----------
    data
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
    if isinstance(data, TableFile):
        return data
    return _checked_cells(_object_table(data, name, value, roles))


def _object_table(data: object, name: str, value: str, roles: Sequence[Field]) -> TableFile:
    source = Source(name, "")
    if hasattr(data, "collect"):
        what = f"{name}: a {type(data).__name__} has no rows yet"
        raise TouchstoneError(what, code=Code.UNKNOWN_FORMAT, hint="collect it first")
    if isinstance(data, pa.Table | pa.RecordBatch):
        return arrow_table(pa.table(data), source)
    if isinstance(data, Mapping):
        if data and all(hasattr(table, "columns") or hasattr(table, "column_names") for table in data.values()):
            what = f"{name}: several tables ({', '.join(map(str, data))})"
            raise TouchstoneError(what, code=Code.AMBIGUOUS, hint="give one of them")
        return make_table(value_columns(data, source, value, roles), source)
    if isinstance(getattr(data, "columns", None), Iterable) or hasattr(data, "column_names"):
        return _frame_table(data, source, roles)
    if hasattr(data, "reset_index") and hasattr(data, "to_frame"):
        return _series_table(data, source, value, roles)
    listed = column_cells(data) if isinstance(data, Iterable) and not isinstance(data, UNORDERED) else None
    if isinstance(listed, list):
        return make_table(value_columns(listed, source, value, roles), source)
    hint = "give a file, a data frame, an Arrow table, a list of rows, or a mapping from ids to values"
    what = f"{name}: a {type(data).__name__} cannot be read as a table"
    raise TouchstoneError(what, code=Code.UNKNOWN_FORMAT, hint=hint)


def _checked_cells(table: TableFile) -> TableFile:
    """Return a table of a Python object with plain cells; refuse what no file could hold."""
    faults: list[Fault] = []
    for name, cells in table.columns.items():
        for row, cell in enumerate(cells):
            if type(cell) is str:
                wrong = not cell.isascii() and not _is_text(cell)
            elif isinstance(cell, int):
                wrong = cell.bit_length() > LONGEST_NUMBER
            elif isinstance(cell, list | tuple | dict):
                wrong = _is_too_nested(cell)
            else:
                wrong = False
                if type(cell).__module__ == "numpy" and hasattr(cell, "item") and getattr(cell, "ndim", 1) == 0:
                    cells[row] = cell.item()
            if wrong:
                what = f"{name} is not a text, a number or a list of normal size"
                faults.append(table.fault(what, row))
    refuse(faults)
    _refuse_shifted(table)
    return table


def _refuse_shifted(table: TableFile) -> None:
    """Refuse rows that a comma without quotes has shifted into the last, otherwise empty column of numbers.

    The last cell of each then has a usual number of the column before, where its own number is beyond all others.
    """
    if len(table.columns) < SHIFTED_COLUMNS:
        return
    before, last = list(table.columns.values())[-2:]
    filled = [row for row, cell in enumerate(last) if not is_empty(cell)]
    if not FEWEST_SHIFTED <= len(filled) <= SHIFTED * len(last):
        return
    others = [before[row] for row in range(len(before)) if is_empty(last[row])]
    if not all(isinstance(cell, int | float) for cell in [*before, *(last[row] for row in filled)]):
        return
    low, high = min(others), max(others)
    if all(low <= last[row] <= high and not low <= before[row] <= high for row in filled):
        what = f"the cells of {len(filled):,} rows may be shifted: only they have a number in {list(table.columns)[-1]}"
        hint = "put text with a comma in double quotes where the table was written"
        raise TouchstoneError(what, file=table.source.name, line=table.lines[filled[0]], code=Code.BAD_CELL, hint=hint)


def _is_too_nested(cell: object) -> bool:
    """Return whether lists and mappings are nested more than a few times, or hold what `_checked_cells` refuses."""
    level = [cell]
    for _ in range(DEEPEST):
        nested = [part for part in level if isinstance(part, list | tuple | dict)]
        if not nested:
            return False
        level = [element for part in nested for element in (part.values() if isinstance(part, dict) else part)]
        if any(isinstance(element, int) and element.bit_length() > LONGEST_NUMBER for element in level):
            return True
    return True


def _is_text(cell: str) -> bool:
    try:
        cell.encode()
    except UnicodeEncodeError:
        return False
    return True


def _frame_table(frame: Any, source: Source, roles: Sequence[Field]) -> TableFile:  # noqa: ANN401 (pandas, polars, datasets)
    """Return the columns of a data frame; those of a Hugging Face dataset with the names of their classes.

    An index of pandas that has a name is a column; one without a name holds ids unless it numbers the rows.
    """
    # A filtered or sorted frame keeps the numbers of its rows, which row n of the gold would then not have.
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
    check_column_names(map(str, names), source)
    features = getattr(frame, "features", None) or {}
    categories = {str(name): list(classes) for name in features if (classes := getattr(features[name], "names", None))}
    columns = {str(name): column_cells(frame[name]) for name in names}
    table = make_table(columns, source, categories=categories)
    return replace(table, reordered=reordered, numbers_of_rows=numbered)


def _series_table(series: Any, source: Source, value: str, roles: Sequence[Field]) -> TableFile:  # noqa: ANN401 (of pandas)
    """Return a series of pandas: its index holds ids, unless it has no name and numbers the rows."""
    index = series.index
    if index.nlevels > 1:
        return _frame_table(series.to_frame(value), source, roles)
    if index.names != [None] or not _numbers_rows(index):
        return make_table({"id": index.tolist(), value: column_cells(series)}, source)
    table = make_table(row_columns(column_cells(series), source, value), source)
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
    gold_index: Any = getattr(gold, "index", None)
    if not isinstance(systems, Mapping) or not hasattr(gold_index, "nlevels") or not _unnamed(gold_index):
        return gold, systems
    same = {name for name, run in systems.items() if _has_rows_of(run, gold_index)}
    for name in same:
        if not systems[name].index.equals(gold_index) and not gold_index.is_unique:
            what = f"{name}: its index has the rows of the gold in another order, and numbers occur twice in it"
            hint = "put both in one order, and call reset_index(drop=True); or give the run ids: rename_axis('id')"
            raise TouchstoneError(what, code=Code.DUPLICATE_ID, hint=hint)
    ordered = {
        name: run if name not in same or run.index.equals(gold_index) else run.loc[gold_index]
        for name, run in systems.items()
    }
    if len(same) < len(systems):
        return gold, ordered
    return gold.reset_index(drop=True), {name: run.reset_index(drop=True) for name, run in ordered.items()}


def _has_rows_of(run: Any, gold_index: Any) -> bool:  # noqa: ANN401 (of pandas)
    """Return whether a series or data frame has an index with the same numbers of rows, in any order."""
    index: Any = getattr(run, "index", None)
    fits = hasattr(run, "loc") and hasattr(index, "nlevels") and _unnamed(index) and len(index) == len(gold_index)
    return bool(fits and index.sort_values().equals(gold_index.sort_values()))


def _unnamed(index: Any) -> bool:  # noqa: ANN401 (of pandas)
    return bool(list(index.names) == [None]) and _numbers_rows(index)


def _numbers_rows(index: Any) -> bool:  # noqa: ANN401 (of pandas)
    """Return whether an index without a name holds whole numbers, as pandas numbers the rows of a frame."""
    return index.nlevels == 1 and index.dtype.kind in "iu"


def column_cells(column: Any) -> list[Any]:  # noqa: ANN401 (a column of any library)
    """Return the cells of a column."""
    return (
        column.tolist()
        if hasattr(column, "tolist")
        else column.to_list()
        if hasattr(column, "to_list")
        else list(column)
    )


def value_columns(data: Any, source: Source, value: str, roles: Sequence[Field]) -> Columns:  # noqa: ANN401 (as in JSON)
    """Return the columns of a mapping or a list."""
    if not isinstance(data, Mapping):
        return row_columns(data if isinstance(data, list) else [data], source, value)
    cells = list(data.values())
    if all(isinstance(row, Mapping) for row in cells) and any(
        _is_role_name(name, value, roles) for row in cells for name in row
    ):
        other = next(
            (name for name, row in data.items() if "id" in row and cell_text(row["id"]) != cell_text(name)), None
        )
        if other is not None:
            what = "a row has another id than its key"
            raise TouchstoneError(what, file=source.name, value=str(other), code=Code.MISMATCH)
        return row_columns([{**row, "id": cell_text(name)} for name, row in data.items()], source, value)
    if not (data and all(map(_is_column, data.values())) and any(_is_role_name(name, value, roles) for name in data)):
        return {"id": [cell_text(name) for name in data], value: list(data.values())}
    check_column_names(map(str, data), source)
    columns = {str(name): column_cells(cells) for name, cells in data.items()}
    sizes = {name: len(cells) for name, cells in columns.items()}
    if len(set(sizes.values())) > 1:
        counts = ", ".join(f"{name} {size:,}" for name, size in sizes.items())
        raise TouchstoneError(f"the columns have different lengths: {counts}", file=source.name, code=Code.MISMATCH)
    return columns


def _is_role_name(name: object, value: str, roles: Sequence[Field]) -> bool:
    return str(name).lower() == value or any(role.number(str(name)) is not None for role in roles)


def _is_column(cells: object) -> bool:
    return isinstance(cells, list | tuple) or (hasattr(cells, "__array__") or hasattr(cells, "to_list"))


def row_columns(rows: list[Any], source: Source, value: str) -> Columns:
    """Return the columns of a list of mappings, or the one column of a list of values."""
    if not any(isinstance(row, Mapping) for row in rows):
        return {value: rows}
    faults = [
        Fault("not a mapping from names to cells", source.name, number, repr(row), code=Code.BAD_CELL)
        for number, row in enumerate(rows, 1)
        if not isinstance(row, Mapping)
    ]
    refuse(faults)
    names = dict.fromkeys(name for row in rows for name in row)
    check_column_names(map(str, names), source)
    return {str(name): [row.get(name) for row in rows] for name in names}
