"""Long tables of annotations: a row for what one annotator said about one item, gathered into a row for each item."""

from collections.abc import Sequence
from dataclasses import replace

from touchstone.core.errors import Fault
from touchstone.io.tables import Columns, Role, TableFile, is_empty

ANNOTATOR = Role(
    "annotator",
    (
        *("annotator", "annotator_id", "annotator_name", "worker", "worker_id", "workerid", "rater", "rater_id"),
        *("reader", "coder", "labeler", "evaluator", "completed_by", "user", "user_id", "username"),
    ),
)
"""The column of annotators, as tools for annotation call it."""


def is_long(table: TableFile, keys: Sequence[str], annotator: str | None) -> bool:
    """Return whether a table has a row for each annotation: a column of annotators, and items that repeat.

    Parameters
    ----------
    table
        The table.
    keys
        The columns that tell items apart.
    annotator
        The column of annotators; None where there is none.
    """
    return annotator is not None and bool(keys) and len(set(_items(table, keys))) < len(table)


def gather(
    table: TableFile,
    keys: Sequence[str],
    annotator: str,
    values: Sequence[str],
    faults: list[Fault],
    same: Sequence[str] = (),
) -> TableFile:
    """Return a long table with a row for each item; a cell of *values* is then the list of what annotators gave.

    Other columns keep the one value that they have for an item, and are left out where an item has several.

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
    faults
        Takes what is wrong with single rows: no annotator, no value, or an annotator for the second time.
    same
        Columns that must have one value for each item, such as its text.

    Examples
    --------
    >>> from touchstone.io.tables import table_of
    >>> rows = [("1", "ana", "yes"), ("1", "ben", "no"), ("2", "ana", "no")]
    >>> table = table_of([dict(zip(("id", "annotator", "label"), row)) for row in rows])
    >>> gather(table, ["id"], "annotator", ["label"], []).columns
    {'id': ['1', '2'], 'label': [['yes', 'no'], ['no']]}
    """
    items = _items(table, keys)
    faults += annotation_faults(table, keys, annotator, values)
    rows: dict[tuple[str | None, ...], list[int]] = {}
    for row, item in enumerate(items):
        rows.setdefault(item, []).append(row)
    columns: Columns = {}
    for name, cells in table.columns.items():
        filled = [[row for row in own if not is_empty(cells[row])] for own in rows.values()]
        if name in values:
            columns[name] = [[cells[row] for row in own] for own in filled]
        elif name != annotator:
            other = [row for own in filled for row in own[1:] if cells[row] != cells[own[0]]]
            if name in same:
                what = f"another {name} than in the first row of this item"
                faults += [Fault(what, table.source.name, table.lines[row]) for row in other]
            if name in same or not other:
                columns[name] = [cells[own[0]] if own else None for own in filled]
    return replace(table, columns=columns, lines=[table.lines[own[0]] for own in rows.values()])


def _items(table: TableFile, keys: Sequence[str]) -> list[tuple[str | None, ...]]:
    return list(zip(*(table.texts(key) for key in keys), strict=True))


def annotation_faults(table: TableFile, keys: Sequence[str], annotator: str, values: Sequence[str]) -> list[Fault]:
    """Return what is wrong with single rows: no annotator, no value, or an annotator for the second time.

    Parameters
    ----------
    table, annotator, values
        As in `gather`.
    keys
        The columns that differ between two rows of one annotator.
    """
    faults = []
    seen: dict[tuple[object, ...], int] = {}
    what = " or ".join(values)
    for row, (item, who) in enumerate(zip(_items(table, keys), table.texts(annotator), strict=True)):
        place = table.source.name, table.lines[row]
        if who is None:
            faults.append(Fault(f"no {annotator}", *place))
            continue
        if values and all(is_empty(table.columns[name][row]) for name in values):
            faults.append(Fault(f"no {what} of annotator {who}; leave out the row", *place))
        first = seen.setdefault((item, who), row)
        if first != row:
            what_again = f"a second row of annotator {who} (first on line {table.lines[first]})"
            faults.append(Fault(what_again, *place, " ".join(map(str, item)), kind="id"))
    return faults
