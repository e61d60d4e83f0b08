"""The probabilities with which people got the items: read from tables and golds, checked, and joined by id."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from touchstone.base.codes import Code
from touchstone.base.errors import Fault, TouchstoneError
from touchstone.base.ids import Ids
from touchstone.base.ragged import Bools, Floats
from touchstone.core.inputs import Inputs
from touchstone.io.cells import parse_number

PROBABILITY = "probability"
"""The field of the human items that holds their inclusion probabilities, where people did not get a plain sample."""


def probabilities(human: Inputs[Any, Any]) -> dict[str, float] | None:
    """Return the inclusion probability of each item that has one; None if there is no such column.

    Parameters
    ----------
    human
        The inputs of people's side.
    """
    runs = human.runs
    columns = [(run.places, run.scores[PROBABILITY]) for run in runs if PROBABILITY in run.scores]
    # In a table with a column for each system, that of the probabilities is read as one.
    columns += [(run.places, values) for run in runs if run.name == PROBABILITY for values in run.scores.values()]
    if columns:
        return checked_probabilities(columns)
    cells = human.gold.number_cells(PROBABILITY)
    return None if cells is None else checked_probabilities([_numbers(human.gold.places, cells)])


def checked_probabilities(columns: Iterable[tuple[Ids, Sequence[float] | Floats]]) -> dict[str, float]:
    """Return the probability of each item; refuse what is none, and two different ones of an item.

    Parameters
    ----------
    columns
        The items of some rows, and the probability in each row; nan where a cell is empty.

    Examples
    --------
    >>> checked_probabilities([(Ids("human.csv", ["1", "2", "1"], [2, 3, 4]), [0.5, 0.2, 0.5])])
    {'1': 0.5, '2': 0.2}
    """
    first_by_item: dict[str, tuple[float, int | str]] = {}
    faults = []
    for ids, values in columns:
        for item, line, value in zip(ids.ids, ids.lines, map(float, values), strict=True):
            if np.isnan(value):
                continue
            first, first_line = first_by_item.setdefault(item, (value, line))
            if not 0 < value <= 1:
                what, code = "no inclusion probability above 0 and at most 1", Code.OUT_OF_RANGE
            elif value != first:
                what = f"another inclusion probability than on line {first_line}, where it is {first:g}"
                code = Code.MISMATCH
            else:
                continue
            faults.append(Fault(what, ids.file or None, line, f"{value:g}", code=code))
    if faults:
        hint = (
            "the column probability is the probability that an item was given to people, for all systems at once; "
            "leave it out for a simple random sample"
        )
        raise TouchstoneError.of(faults, hint)
    return {item: value for item, (value, _) in first_by_item.items()}


def item_probabilities(
    chances: Mapping[str, float], items: Sequence[str], scored: Bools, lines: Mapping[str, Ids]
) -> Floats:
    """Return the inclusion probability of each item; refuse items that people scored and that have none.

    Parameters
    ----------
    chances
        The probabilities by item.
    items, scored
        The items, and which of them people scored.
    lines
        By system, the items that people scored with their lines.
    """
    probability = np.array([chances.get(item, np.nan) for item in items])
    lacking = [items[row] for row in np.flatnonzero(scored & np.isnan(probability)).tolist()]
    if lacking:
        system_ids = next(ids for ids in lines.values() if lacking[0] in ids.first)
        line = system_ids.lines[system_ids.first[lacking[0]]] or None
        hint = "the column probability is the probability that an item was given to people: fill it in for all items"
        what = f"human items have no inclusion probability ({len(lacking):,} of them), such as"
        file = system_ids.file or None
        raise TouchstoneError(what, file=file, line=line, value=lacking[0], kind="id", code=Code.BAD_CELL, hint=hint)
    return probability


def _numbers(ids: Ids, cells: Mapping[str, object]) -> tuple[Ids, list[float]]:
    """Return the items with their cells as numbers; refuse what is none."""
    values, what = [parse_number(cells[item]) for item in ids.ids], f"{PROBABILITY} is not a finite number"
    faults = [
        Fault(what, ids.file or None, line or None, str(cells[item]), code=Code.BAD_CELL)
        for item, line, value in zip(ids.ids, ids.lines, values, strict=True)
        if value is None
    ]
    if faults:
        raise TouchstoneError.of(faults)
    return ids, [value for value in values if value is not None]
