"""Tables with a row for each annotation: the mean over annotators is the value of an item."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from math import isnan

import numpy as np

from touchstone.base.errors import refuse
from touchstone.base.ragged import Ints
from touchstone.core.names import suggests_lower_is_better
from touchstone.io.annotations import ANNOTATOR, gather, is_long
from touchstone.io.schema import Rows
from touchstone.io.tables import TableFile
from touchstone.people.doubts import doubts_about_ratings
from touchstone.stats.records import Records, mean_records
from touchstone.tasks.items.logs import ToolTable

DUPLICATE_HINT = "keep one of two rows of an annotator for an item"


def averaged(rows: Rows, remarks: list[str], scores: Sequence[str] | None = None) -> Rows:
    """Return a table with a column of annotators with a row for each item and the mean over annotators.

    *scores* names the columns of scores; by default all columns of numbers.
    """
    file, roles = rows.table, rows.columns
    keys = [roles[name] for name in ("system", "item") if name in roles]
    if isinstance(file, ToolTable) or "item" not in roles or not is_long(file, keys, roles["annotator"]):
        return rows
    numeric = [name for name in scores or file.columns if name not in roles.values() and file.is_numeric(name)]
    means = average(file, keys, roles["annotator"], numeric)
    empty = {name: sum(map(isnan, file.numbers(name))) for name in numeric}
    descriptions = [f"{name} (empty cells, which are left out: {n:,})" if n else name for name, n in empty.items()]
    merged = f"{len(file):,} rows become {len(means):,}"
    remarks.append(
        f"{file.source.stem}: the mean over annotators is the value of an item ({merged}): {', '.join(descriptions)}"
    )
    remarks += dict.fromkeys(
        doubt for name in numeric for doubt in annotator_doubts(file, keys, roles["annotator"], name)
    )
    return replace(rows, table=means, columns={role: name for role, name in roles.items() if role != ANNOTATOR.role})


def annotator_doubts(file: TableFile, keys: Sequence[str], annotator: str, column: str) -> list[str]:
    """Return the warnings about annotators in a column of scores: one that differs between those of an item.

    Parameters
    ----------
    file, keys, annotator
        As in `average`.
    column
        The column of scores.
    """
    people = {name: index for index, name in enumerate(dict.fromkeys(file.texts(annotator)))}
    outputs: dict[tuple[object, ...], list[float | None]] = {}
    ids = zip(*map(file.texts, keys), strict=True)
    for output, person, number in zip(ids, file.texts(annotator), file.numbers(column), strict=True):
        outputs.setdefault(output, [None] * len(people))[people[person]] = None if isnan(number) else number
    differ = any(len({*labels} - {None}) > 1 for labels in outputs.values())
    if not differ or suggests_lower_is_better(column):  # times differ from person to person
        return []
    return doubts_about_ratings([str(name) for name in people], list(outputs.values()))


def average(file: TableFile, keys: Sequence[str], annotator: str, numeric: Sequence[str]) -> TableFile:
    """Return a table of annotations with a row for each item; refuse two rows of one annotator.

    Parameters
    ----------
    file
        The table.
    keys
        The columns of items, and of systems if there is one.
    annotator
        The column of annotators.
    numeric
        The columns of numbers, of which the mean over annotators is taken; empty cells are left out.
    """
    item_table, faults = gather(file, keys, annotator, numeric)
    refuse(faults, DUPLICATE_HINT)
    item, person = _codes(zip(*map(file.texts, keys), strict=True)), _codes(file.texts(annotator))
    observed = {name: Records(mean_records(np.array(file.numbers(name))), item, annotator=person) for name in numeric}
    means = {
        name: [value if counted else None for value, counted in records.of_items().tolist()]
        for name, records in observed.items()
    }
    return replace(item_table, columns={**item_table.columns, **means})


def _codes(values: Iterable[object]) -> Ints:
    """Return which distinct value each is, in the order of their first occurrences."""
    numbers: dict[object, int] = {}
    return np.array([numbers.setdefault(value, len(numbers)) for value in values], np.int64)
