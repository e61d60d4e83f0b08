"""What makes scores look as if a script had put them there: row numbers, sums, sorted, filled and repeated columns."""

import re
from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from touchstone.base.ragged import Floats
from touchstone.core.doubts import Doubt
from touchstone.core.scores import Scores, first_doubts

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


def sequence_doubts(scores: Scores) -> list[Doubt]:
    """Return what no evaluation gives among the scores of systems under one measure.

    Parameters
    ----------
    scores
        The scores; there are no doubts about few.

    Examples
    --------
    >>> columns = {"a": np.arange(1.0, 41), "b": np.random.default_rng(1).random(40)}
    >>> print(*sequence_doubts(Scores("value", columns)))
    a: value is each number from 1 to 40 once; row numbers and ranks are no scores
    """
    shortest = min(map(len, scores.observed.values()), default=0)
    if shortest < FEWEST or scores.complete.shape[1] < FEWEST:
        return []
    return first_doubts(scores, _filled_or_numbered, _growing, _repeated, _unlike)


def _in_order(ids: Sequence[str]) -> bool:
    """Return whether ids are in the order of their numbers or letters, so that no score has sorted the items.

    >>> [_in_order(ids) for ids in (["q8", "q9", "q10"], ["a", "b"], ["q2", "q1"], [])]
    [True, True, False, False]
    """
    numbers = (tuple(map(int, _NUMBER.findall(name))) for name in ids)
    return bool(ids) and (
        all(first < second for first, second in pairwise(numbers)) or all(a < b for a, b in pairwise(ids))
    )


def _filled_or_numbered(scores: Scores) -> list[Doubt]:
    """Return the doubts about single columns: a column may be filled and another one numbered."""
    filled = {name: _filled(values) for name, values in scores.observed.items()}
    cause = "missing values may be filled with the one before them, or with a default"
    doubts = [scores.doubt(name, what, cause) for name, what in filled.items() if what]
    if scores.may_be_errors:  # ranks and times may be numbered
        return doubts
    numbered = {name: _numbered(values) for name, values in scores.observed.items()}
    cause = "row numbers and ranks are no scores"
    return doubts + [scores.doubt(name, what, cause) for name, what in numbered.items() if what]


def _numbered(values: Floats) -> str | None:
    """Return in words that scores are the numbers from 0 or 1, each once; else None."""
    ordered = np.sort(values)
    if ordered[0] not in (0, 1) or not np.array_equal(ordered, ordered[0] + np.arange(len(ordered))):
        return None
    return f"is each number from {ordered[0]:g} to {ordered[-1]:g} once"


def _filled(values: Floats) -> str | None:
    """Return in words that many neighbouring items have the same score, neither the lowest nor the highest one."""
    starts = np.flatnonzero(np.append(True, np.diff(values) != 0))
    lengths = np.diff(np.append(starts, len(values)))
    longest = int(np.argmax(lengths))
    value, length = values[starts[longest]], int(lengths[longest])
    elsewhere = (values == value).sum() - length
    if length < LONG or value in (values.min(), values.max()) or np.sort(lengths)[-2] > SHORT:
        return None
    if elsewhere > RARE * (len(values) - length) or len(np.unique(values)) < DISTINCT or _direction(values):
        return None
    return f"is {value:g} for {length:,} items in a row"


def _direction(values: Floats) -> int:
    """Return 1 for scores that never fall from item to item, -1 for those that never rise; 0 for others.

    Few different scores, in whatever order, have no direction.
    """
    steps = np.diff(values)
    direction = int(np.all(steps >= 0)) - int(np.all(steps <= 0))
    return direction if direction and len(np.unique(values)) >= DISTINCT else 0


def _growing(scores: Scores) -> list[Doubt]:
    """Return a doubt where the scores of all systems, which differ, rise or fall along the rows."""
    table = scores.complete
    directions = {_direction(values) for values in table}
    # Ranks and times may grow.
    if scores.may_be_errors or len(table) < 2 or directions not in ({1}, {-1}) or np.all(table == table[0]):
        return []
    what = f"never {'falls' if directions == {1} else 'rises'} along the rows, for any system"
    return [scores.doubt(scores.names[0], what, "the values may be running sums, or each column sorted by itself")]


def _repeated(scores: Scores) -> list[Doubt]:
    """Return a doubt where the items are the same twice or three times over, by the scores of all systems."""
    table = scores.complete
    items = table.shape[1]
    for times in TIMES:
        block_size = items // times
        parts = np.split(table[:, : times * block_size], times, axis=1)
        if items % times or block_size < FEWEST or not all(np.array_equal(part, parts[0]) for part in parts[1:]):
            continue
        if len(np.unique(parts[0], axis=1).T) >= block_size / 2:  # scores of few values may well repeat
            what = f"the scores of the first {block_size:,} items come {times} times, for all systems"
            cause = "items may be there again under other ids: keep each once"
            return [Doubt(scores.names[0], what, cause, stops=False)]
    return []


def _unlike(scores: Scores) -> list[Doubt]:
    """Return a doubt where the scores of a system go against those of all others, or are sorted by themselves."""
    moving = [row for row, values in enumerate(scores.complete) if np.ptp(values)]
    if not 2 <= len(moving) <= MOST_COMPARED:
        return []
    names, table = [scores.names[row] for row in moving], scores.complete[moving]
    links = np.atleast_2d(np.corrcoef(table))
    np.fill_diagonal(links, np.nan)
    standard = np.arctanh(np.clip(links, -1 + 1e-12, 1 - 1e-12)) * np.sqrt(table.shape[1] - 3)
    shared = np.ptp(table.sum(axis=0)) <= ROUNDED * np.ptp(table)  # one's gain is the others' loss, as in preferences
    doubts = []
    for row in reversed(range(len(names))):
        other = names[0] if row else names[1]
        if np.nanmax(standard[row]) < ALIKE and _direction(table[row]) and _in_order(scores.ids):
            what = f"is sorted along the rows, and does not go with that of {other}"
            doubts.append(scores.doubt(names[row], what, "the column may be sorted by itself"))
        elif not shared and np.nanmax(links[row]) <= AGAINST and np.nanmax(standard[row]) < CHANCE:
            what = f"goes against that of {other}: their correlation is {np.nanmax(links[row]):.2f}"
            cause = "one of them may be an error rate or a probability of being wrong: higher must be better for both"
            return [scores.doubt(names[row], what, cause)]
    return doubts
