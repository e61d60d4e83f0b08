"""Rows of scores that summarise the others, such as their mean: told by their names, or by their values."""

import re
from collections.abc import Sequence

import numpy as np

from touchstone.base.errors import visible
from touchstone.base.notes import warning
from touchstone.base.ragged import Bools, Floats
from touchstone.core.names import SUMMARIES, is_summary, name_words

AMBIGUOUS = {
    *("all", "average", "max", "maximum", "mean", "media", "median", "min", "minimum", "overall", "std", "sum"),
    "total",
}
"""Names of summaries that may also be functions of a benchmark, or words of a lexicon."""

LONGEST = 4
"""Words up to which an id with the name of a summary is one; a longer one is a question."""

FEWEST = 5
"""Other rows from which a row that equals their mean may be no chance."""

DIGITS = 0.0051
"""How far a summary that was rounded to two decimals may be from the exact one."""

CHANCE = 1e-4
"""The expected number of rows that equal the mean of the others by chance, below which one is a summary."""

CANDIDATES = 100
"""Rows near the mean that are looked at; where more are near it, that is no evidence."""

LARGEST_SET = 100
"""Tries up to which shares of right ones are known as such; their mean may well be one of them."""

MOST_DECIMALS = 9
"""Decimals after which numbers are compared no further."""

_IN_BRACKETS = re.compile(r"\([^)]*\)")

_DIGIT = re.compile(r"\d")


def summary_rows(names: Sequence[str], values: Sequence[Floats] = ()) -> list[str]:
    """Return a warning where rows are summaries of the others, such as ``mean``.

    A name is enough where all other ids are numbered; a function or a word called *max* has no values of a summary.
    Values are enough where they equal the mean of the others to more decimals than chance explains.

    Parameters
    ----------
    names
        The ids of items.
    values
        Scores of the rows in some columns, nan where there is none; nothing where rows have labels.

    Examples
    --------
    >>> summary_rows(["q1", "q2", "Mean"])
    ["warning: 'Mean' is counted as an item, but looks like a summary of the others: remove the row"]
    >>> summary_rows(["abs", "sort", "max"], [np.array([1.0, 0, 1])])
    []
    >>> [len(summary_rows("abcdef", [np.array([0.25, 0.7, 0.4, 0.1, 0.83, last])])) for last in (0.456, 0.46)]
    [1, 0]
    """
    called = np.array([_has_summary(name_words(name)) for name in names], np.bool_)
    named = [row for row in np.flatnonzero(called).tolist() if _by_name(row, names, values, called)]
    rows = named or _means(values)
    if not rows or len(rows) == len(names):
        return []
    listed = ", ".join(repr(visible(names[row])) for row in rows)
    subject = f"{listed} is counted as an item, but looks" if len(rows) == 1 else f"{listed} look"
    return [warning(f"{subject} like a summary of the others: remove the row{'s' * (len(rows) > 1)}")]


def _has_summary(words: Sequence[str]) -> bool:
    return len(words) <= LONGEST and not SUMMARIES.isdisjoint(words)


def _by_name(row: int, names: Sequence[str], values: Sequence[Floats], called: Bools) -> bool:
    """Return whether a row with the name of a summary is one: ids have another form, or its values are computed."""
    others = [_is_numbered(name) for name, odd in zip(names, called.tolist(), strict=True) if not odd]
    if not _is_numbered(names[row]) and others and all(others):
        return True
    if not is_summary(names[row]):
        return False
    computed = [_is_computed(column[row], column[~called]) for column in values if np.isfinite(column[row])]
    return not AMBIGUOUS & {*name_words(names[row])} or (bool(computed) and all(computed))


def _is_numbered(name: str) -> bool:
    return bool(_DIGIT.search(_IN_BRACKETS.sub("", name)))


def _is_computed(value: float, others: Floats) -> bool:
    """Return whether a value is the mean, the sum or the standard deviation of others that differ."""
    others = others[np.isfinite(others)]
    if len(others) < FEWEST or np.ptp(others) == 0:
        return False
    made = [others.mean(), others.sum(), others.std(), others.std(ddof=1)]
    return bool(np.isclose(value, made, rtol=1e-9, atol=DIGITS).any())


def _means(values: Sequence[Floats]) -> list[int]:
    """Return the row that equals the mean of the others in all columns, where that is no chance."""
    table = np.array([column for column in values if np.isfinite(column).sum() > FEWEST])
    if not len(table):
        return []
    finite = np.isfinite(table)
    counts, sums = finite.sum(axis=1, keepdims=True), np.nansum(table, axis=1, keepdims=True)
    away = np.abs(table - (sums - table) / (counts - 1))
    near = np.flatnonzero(finite.any(axis=0) & ((away <= DIGITS) | ~finite).all(axis=0)).tolist()
    return [row for row in near if len(near) <= CANDIDATES and _is_mean(row, table, away[:, row])][:1]


def _is_mean(row: int, table: Floats, away: Floats) -> bool:
    """Return whether a row equals the mean of the others to all its decimals, and more of them than chance explains."""
    expected, finer = float(table.shape[1]), False
    for column, distance in zip(table, away.tolist(), strict=True):
        if not np.isfinite(column[row]):
            continue
        decimals = _decimals(column[row])
        others = np.delete(column, row)
        others = others[np.isfinite(others)]
        step = _step(others)
        # A share of few tries may well be the mean of such shares; a value that no share has may not.
        unit = step if step and abs(column[row] / step - round(column[row] / step)) < 1e-6 else 10.0**-decimals
        if distance > 0.5001 * unit + 1e-9 * abs(column[row]):
            return False
        expected *= min(1.0, unit / others.std()) if np.ptp(others) else 1.0
        finer |= decimals > 2 and bool(np.allclose(others * 100, np.round(others * 100), atol=1e-7))
    return finer or expected < CHANCE


def _step(values: Floats) -> float | None:
    """Return the largest 1 / q, of whole numbers q, that all values are multiples of, such as shares of seven tries.

    >>> _step(np.array([0.0, 1 / 3, 2 / 3, 1 / 2])), _step(np.array([0.1, 0.6567]))
    (0.16666666666666666, None)
    """
    distinct = np.unique(values)
    # A few values rule out most q; those that are left are compared with all values.
    for q in range(1, LARGEST_SET + 1):
        if all(np.allclose(part * q, np.round(part * q), atol=1e-6) for part in (distinct[:5], distinct)):
            return 1 / q
    return None


def _decimals(value: float) -> int:
    """Return how many decimals a number has.

    >>> [_decimals(value) for value in (3.0, 0.65, 0.6567, 2 / 3)]
    [0, 2, 4, 9]
    """
    return next((n for n in range(MOST_DECIMALS) if abs(value - round(value, n)) < 1e-10), MOST_DECIMALS)
