"""Long tables of annotations: a row for what one annotator said about one item, gathered into a row for each item."""

from collections.abc import Sequence
from dataclasses import replace

from touchstone.base.codes import Code
from touchstone.base.errors import Fault
from touchstone.io.cells import is_empty
from touchstone.io.schema import Field
from touchstone.io.tables import Columns, TableFile

ANNOTATOR = Field(
    "annotator",
    (
        *("annotator", "annotator_id", "annotator_name", "worker", "worker_id", "workerid", "rater", "rater_id"),
        *("reader", "coder", "labeler", "evaluator", "completed_by", "user", "user_id", "username"),
    ),
)
"""The column of annotators, as tools for annotation call it."""

SYSTEM = Field("system", ("system", "model", "peer", "method", "system_id", "model_name"))
"""The column of systems, as tables of scores call it."""

ITEM = Field(
    "item",
    (
        *("item", "id", "item_id", "segment", "question", "example", "sample"),
        *("example_id", "sample_id", "question_id", "segment_id", "seg_id", "doc_id", "qid", "uid", "idx", "index"),
    ),
)
"""The column of items, as tables of scores and of annotations call it."""


def is_long(table: TableFile, keys: Sequence[str], annotator: str | None) -> bool:
    """Return whether a table has a row for each annotation: a column of annotators, and items that repeat.

    Parameters
    ----------
    table
        The table.
    keys
        The columns that tell items apart.
    annotator
        The column of annotators; None if there is none.
    """
    return annotator is not None and bool(keys) and len(set(_items(table, keys))) < len(table)


def gather(
    table: TableFile, keys: Sequence[str], annotator: str, values: Sequence[str], same: Sequence[str] = ()
) -> tuple[TableFile, list[Fault]]:
    """Return a long table with a row for each item, and what is wrong with single rows.

    A cell of *values* is then the list of what annotators gave. Other columns keep what all rows of an item share.

    Parameters
    ----------
    table
        A row for each annotation.
    keys
        The columns that tell items apart.
    annotator
        The column of annotators.
    values
        The columns that annotators filled.
    same
        Columns that must have one value for each item, such as its text.

    Examples
    --------
    >>> from touchstone.io.objects import table_of
    >>> rows = [("1", "ana", "yes"), ("1", "ben", "no"), ("2", "ana", "no")]
    >>> table = table_of([dict(zip(("id", "annotator", "label"), row)) for row in rows])
    >>> gathered, faults = gather(table, ["id"], "annotator", ["label"])
    >>> gathered.columns, faults
    ({'id': ['1', '2'], 'label': [['yes', 'no'], ['no']]}, [])
    """
    faults = repeated_annotations(table, keys, annotator)
    # A dictionary keeps the order in which items first occur, which is that of the gathered rows.
    rows: dict[tuple[str | None, ...], list[int]] = {}
    for row, item in enumerate(_items(table, keys)):
        rows.setdefault(item, []).append(row)
    columns: Columns = {}
    for name, cells in table.columns.items():
        filled = [[row for row in item_rows if not is_empty(cells[row])] for item_rows in rows.values()]
        if name in values:
            columns[name] = [[cells[row] for row in item_rows] for item_rows in filled]
        elif name != annotator:
            differing = {
                item_rows[0]: row for item_rows in filled for row in item_rows[1:] if cells[row] != cells[item_rows[0]]
            }
            shared = [
                cells[item_rows[0]] if item_rows and item_rows[0] not in differing else None for item_rows in filled
            ]
            columns |= {name: shared} if any(cell is not None for cell in shared) else {}
            if name in same:
                what = f"another {name} than in the rows above"
                faults += [table.fault(what, row, code=Code.MISMATCH) for row in differing.values()]
    return replace(table, columns=columns, lines=[table.lines[item_rows[0]] for item_rows in rows.values()]), faults


def repeated_annotations(table: TableFile, keys: Sequence[str], annotator: str) -> list[Fault]:
    """Return a fault for each row without an annotator, and for each second row of one annotator.

    Parameters
    ----------
    table, annotator
        As in `gather`.
    keys
        The columns that differ between two rows of one annotator.
    """
    faults = []
    first_rows: dict[tuple[object, ...], int] = {}
    for row, (item, who) in enumerate(zip(_items(table, keys), table.texts(annotator), strict=True)):
        first = first_rows.setdefault((item, who), row)
        if who is None:
            faults.append(table.fault(f"no {annotator}", row, code=Code.MISSING_ID))
        elif first != row:
            what = f"a second row of annotator {who} (first on line {table.lines[first]})"
            faults.append(table.fault(what, row, " ".join(map(str, item)), Code.DUPLICATE_ID))
    return faults


def empty_annotations(table: TableFile, value: str) -> list[Fault]:
    """Return a fault for each row without a *value*.

    Parameters
    ----------
    table
        A row for each annotation.
    value
        The column that annotators filled.
    """
    empty = [row for row, cell in enumerate(table.columns[value]) if is_empty(cell)]
    return [table.fault(f"no {value}; leave out the row", row) for row in empty]


def _items(table: TableFile, keys: Sequence[str]) -> list[tuple[str | None, ...]]:
    return list(zip(*(table.texts(key) for key in keys), strict=True))
