"""What makes scores look as if a script had put them there: row numbers, sums, sorted, filled and repeated columns."""

import re
from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from touchstone.base.ragged import Floats
from touchstone.core.doubts import Doubt
from touchstone.core.names import suggests_lower_is_better

FEWEST = 20
"""Items from which an order or a repetition of scores is no chance."""

DISTINCT = 10
"""Different scores from which equal or sorted ones are no chance; right and wrong often come in blocks."""

LONG, SHORT = 10, 3
"""Neighbouring items with the same score that look filled, where the scores of others repeat at most *SHORT* times."""

RARE = 0.1
"""The largest share of the other items that have the score of the filled ones."""

AGAINST = -0.5
"""The correlation of two systems from which one may be reversed: what is hard for one is rarely easy for another."""

CHANCE = -3.9
"""The standard score of a correlation below which it is no chance, 5 in 100,000 (Fisher's transformation)."""

ALIKE = 1.64
"""The standard score of a correlation above which scores belong together, at the level .05."""

ROUNDED = 0.02
"""How far the sums of shares that were rounded may differ, as a share of the range of scores."""

MOST_COMPARED = 12
"""Systems up to which each is compared with each other one."""

TIMES = (2, 3)
"""How often a whole table may be repeated."""

_NUMBER = re.compile(r"\d+")


def sequence_doubts(measure: str, values: dict[str, Floats], ids: Sequence[str]) -> list[Doubt]:
    """Return what no evaluation gives among the scores of systems under one measure.

    Parameters
    ----------
    measure
        The name of the column, for messages.
    values
        The scores of each system on the same items, nan where there is none.
    ids
        The ids of the items; without them, a sorted column is no doubt.

    Examples
    --------
    >>> scores = {"a": np.arange(1.0, 41), "b": np.random.default_rng(1).random(40)}
    >>> print(*sequence_doubts("value", scores, ()))
    a: value is each number from 1 to 40 once; row numbers and ranks are no scores
    """
    table = np.array(list(values.values()))
    table = table[:, np.isfinite(table).all(axis=0)]
    if table.shape[1] < FEWEST:
        return []
    names = list(values)
    doubts = [_filled(name, measure, values[name]) for name in names]
    growing = list[Doubt]()
    if not suggests_lower_is_better(measure):  # ranks and times may be numbered and grow
        doubts += [_numbered(name, measure, values[name]) for name in names]
        growing = _growing(names, table, measure)
    return (
        [doubt for doubt in doubts if doubt]
        or growing
        or _repeated(names, table)
        or _unlike(names, table, measure, ids)
    )


def _in_order(ids: Sequence[str]) -> bool:
    """Return whether ids are in the order of their numbers or letters, so that no score has sorted the items.

    >>> [_in_order(ids) for ids in (["q8", "q9", "q10"], ["a", "b"], ["q2", "q1"], [])]
    [True, True, False, False]
    """
    numbers = (tuple(map(int, _NUMBER.findall(name))) for name in ids)
    return bool(ids) and (
        all(first < second for first, second in pairwise(numbers)) or all(a < b for a, b in pairwise(ids))
    )


def _numbered(name: str, measure: str, values: Floats) -> Doubt | None:
    """Return a doubt where scores are the numbers from 0 or 1, each once."""
    finite = values[np.isfinite(values)]
    if len(finite) < FEWEST or finite.min() not in (0, 1) or finite.max() - finite.min() + 1 != len(finite):
        return None
    finite = np.sort(finite)
    if not np.array_equal(finite, finite[0] + np.arange(len(finite))):
        return None
    what = f"{measure} is each number from {finite[0]:g} to {finite[-1]:g} once"
    return Doubt(name, what, "row numbers and ranks are no scores", stops=False)


def _filled(name: str, measure: str, values: Floats) -> Doubt | None:
    """Return a doubt where many neighbouring items have the same score, neither the lowest nor the highest one."""
    finite = values[np.isfinite(values)]
    if len(finite) < FEWEST:
        return None
    starts = np.flatnonzero(np.append(True, np.diff(finite) != 0))
    lengths = np.diff(np.append(starts, len(finite)))
    longest = int(np.argmax(lengths))
    value, length = finite[starts[longest]], int(lengths[longest])
    elsewhere = (finite == value).sum() - length
    if length < LONG or value in (finite.min(), finite.max()) or np.sort(lengths)[-2] > SHORT:
        return None
    if elsewhere > RARE * (len(finite) - length) or len(np.unique(finite)) < DISTINCT or _direction(finite):
        return None
    what = f"{measure} is {value:g} for {length:,} items in a row"
    return Doubt(name, what, "missing values may be filled with the one before them, or with a default", stops=False)


def _direction(values: Floats) -> int:
    """Return 1 for scores that never fall from item to item, -1 for those that never rise; 0 for others.

    Few different scores, in whatever order, have no direction.
    """
    steps = np.diff(values)
    direction = int(np.all(steps >= 0)) - int(np.all(steps <= 0))
    return direction if direction and len(np.unique(values)) >= DISTINCT else 0


def _growing(names: list[str], table: Floats, measure: str) -> list[Doubt]:
    """Return a doubt where the scores of all systems, which differ, rise or fall along the rows."""
    directions = {_direction(scores) for scores in table}
    if len(names) < 2 or directions not in ({1}, {-1}) or np.all(table == table[0]):
        return []
    what = f"{measure} never {'falls' if directions == {1} else 'rises'} along the rows, for any system"
    return [Doubt(names[0], what, "the values may be running sums, or each column sorted by itself", stops=False)]


def _repeated(names: list[str], table: Floats) -> list[Doubt]:
    """Return a doubt where the items are the same twice or three times over, by the scores of all systems."""
    items = table.shape[1]
    for times in TIMES:
        block_size = items // times
        parts = np.split(table[:, : times * block_size], times, axis=1)
        if items % times or block_size < FEWEST or not all(np.array_equal(part, parts[0]) for part in parts[1:]):
            continue
        if len(np.unique(parts[0], axis=1).T) >= block_size / 2:  # scores of few values may well repeat
            what = f"the scores of the first {block_size:,} items come {times} times, for all systems"
            return [Doubt(names[0], what, "items may be there again under other ids: keep each once", stops=False)]
    return []


def _unlike(names: list[str], table: Floats, measure: str, ids: Sequence[str]) -> list[Doubt]:
    """Return a doubt where the scores of a system go against those of all others, or are sorted by themselves."""
    moving = [row for row in range(len(names)) if np.ptp(table[row])]
    if not 2 <= len(moving) <= MOST_COMPARED:
        return []
    names, table = [names[row] for row in moving], table[moving]
    links = np.atleast_2d(np.corrcoef(table))
    np.fill_diagonal(links, np.nan)
    scores = np.arctanh(np.clip(links, -1 + 1e-12, 1 - 1e-12)) * np.sqrt(table.shape[1] - 3)
    shared = np.ptp(table.sum(axis=0)) <= ROUNDED * np.ptp(table)  # one's gain is the others' loss, as in preferences
    doubts = []
    for row in reversed(range(len(names))):
        other = names[0] if row else names[1]
        if np.nanmax(scores[row]) < ALIKE and _direction(table[row]) and _in_order(ids):
            what = f"{measure} is sorted along the rows, and does not go with that of {other}"
            doubts.append(Doubt(names[row], what, "the column may be sorted by itself", stops=False))
        elif not shared and np.nanmax(links[row]) <= AGAINST and np.nanmax(scores[row]) < CHANCE:
            what = f"{measure} goes against that of {other}: their correlation is {np.nanmax(links[row]):.2f}"
            cause = "one of them may be an error rate or a probability of being wrong: higher must be better for both"
            return [Doubt(names[row], what, cause, stops=False)]
    return doubts
