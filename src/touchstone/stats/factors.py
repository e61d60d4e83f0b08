"""Columns of a table as factors of a linear model: their levels, and the columns of the design that they make."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite

import numpy as np

from touchstone.base.codes import Code
from touchstone.base.errors import Fault, TouchstoneError, nearest
from touchstone.base.ragged import Bools, Floats, Ints
from touchstone.stats.distances import is_missing

Columns = Mapping[str, Sequence[object]]
"""A table by the names of its columns, which are all of one length. None, nan and blank text are missing."""


@dataclass(frozen=True, eq=False)
class Factor:
    """What a column says of each row: one of its *levels*, by number.

    *design* holds the columns that stand for it in the model: 0 or 1 for each level but the first.
    """

    name: str
    levels: tuple[str, ...]
    codes: Ints
    design: Floats


@dataclass(frozen=True, eq=False)
class Observations:
    """The rows of a table that are whole: a response and its factors; *dropped* rows lack one of them."""

    response: str
    values: Floats
    factors: tuple[Factor, ...]
    dropped: int

    def factor(self, name: str) -> Factor:
        """Return the factor called *name*."""
        return next(factor for factor in self.factors if factor.name == name)


def observe(table: Columns, response: str, factors: Sequence[str]) -> Observations:
    """Return the *response* and the *factors* of the rows where all are present.

    >>> data = observe({"score": [0.1, 0.2, None], "peer": [10, 9, 9]}, "score", ["peer"])
    >>> data.factors[0].levels, data.factors[0].codes.tolist(), data.dropped
    (('9', '10'), [1, 0], 1)
    """
    _check_names(table, response, factors)
    chosen = {name: list(table[name]) for name in (response, *factors)}
    complete = _complete_rows(chosen)
    complete_columns = {
        name: [cell for cell, keep in zip(cells, complete, strict=True) if keep] for name, cells in chosen.items()
    }
    made = tuple(_factor(name, complete_columns[name]) for name in factors)
    values = _numbers(response, complete_columns[response])
    if np.ptp(values) == 0:
        what, hint = "the response is the same in all rows", "there is nothing to explain"
        raise TouchstoneError(what, value=response, code=Code.UNSUPPORTED, hint=hint)
    return Observations(response, values, made, len(complete) - int(complete.sum()))


def _check_names(table: Columns, response: str, factors: Sequence[str]) -> None:
    if not factors:
        hint = "name the columns that may explain the response"
        raise TouchstoneError("no factors named", code=Code.OPTION_NEEDED, hint=hint)
    if len({response, *factors}) <= len(factors):
        twice = next(name for name in (response, *factors) if [response, *factors].count(name) > 1)
        hint = "name each column once"
        raise TouchstoneError("column named twice", value=twice, code=Code.DUPLICATE_COLUMN, hint=hint)
    unknown = [name for name in (response, *factors) if name not in table]
    if unknown:
        faults = [
            Fault("unknown column", value=name, near=nearest(name, table), code=Code.NO_COLUMN) for name in unknown
        ]
        raise TouchstoneError.of(faults, hint=f"the table has {', '.join(table)}")
    lengths = {name: len(table[name]) for name in (response, *factors)}
    if len(set(lengths.values())) > 1:
        length_list = ", ".join(f"{name} {length:,}" for name, length in lengths.items())
        what, hint = f"columns differ in length: {length_list}", "give every column a cell for each row"
        raise TouchstoneError(what, code=Code.MISMATCH, hint=hint)


def _complete_rows(columns: Columns) -> Bools:
    present = [[not (is_missing(cell) or str(cell).strip() == "") for cell in cells] for cells in columns.values()]
    complete = np.all(present, axis=0)
    if not np.any(complete):
        raise TouchstoneError("no row has all of the columns filled", value=", ".join(columns), code=Code.EMPTY)
    return np.asarray(complete)


def _numbers(name: str, cells: Sequence[object]) -> Floats:
    numbers = [_number(cell) for cell in cells]
    faults = [
        Fault(f"{name} is not a finite number", value=str(cell), code=Code.BAD_CELL)
        for cell, number in zip(cells, numbers, strict=True)
        if number is None
    ]
    if faults:
        raise TouchstoneError.of(faults, hint="leave a cell empty where a number is missing")
    return np.array(numbers, np.float64)


def _number(cell: object) -> float | None:
    try:
        number = float(str(cell))
    except ValueError:
        return None
    return number if isfinite(number) else None


def _factor(name: str, cells: Sequence[object]) -> Factor:
    texts = [_level(cell) for cell in cells]
    levels = sorted(set(texts), key=_level_order)
    if len(levels) == 1:
        what, value = "a factor has one level in all rows", f"{name} = {levels[0]}"
        raise TouchstoneError(what, value=value, code=Code.UNSUPPORTED, hint="leave it out")
    numbers = {level: number for number, level in enumerate(levels)}
    codes = np.array([numbers[text] for text in texts], np.int64)
    return Factor(name, tuple(levels), codes, (codes[:, None] == np.arange(1, len(levels))).astype(np.float64))


def _level(cell: object) -> str:
    """Return *cell* as it is named; a whole number has no decimals, so that 3.0 beside a gap is the 3 that it was."""
    return str(int(cell)) if isinstance(cell, float) and cell.is_integer() else str(cell)


def _level_order(level: str) -> tuple[bool, float, str]:
    number = _number(level)
    return number is None, number or 0.0, level
