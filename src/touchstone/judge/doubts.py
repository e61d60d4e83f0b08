"""What makes two tables of scores look like a mistake: values filled in, and scores of other outputs."""

import numpy as np
from scipy.special import ndtri

from touchstone.base.notes import warning
from touchstone.base.ragged import Bools, Floats, Ints
from touchstone.judge.paired import Paired

FEWEST = 5
"""Scores of one value from which they may stand for no score."""

FILLED = 10
"""Scores from which those that were filled in by a script are told; fewer may be equal by chance."""

SHARE = 0.2
"""The share of human scores from which one value that no person can have given may be a mean that was filled in."""

OUTPUTS = 50
"""Outputs from which a judge that does not follow people at all is doubted; of fewer, useful judges may not either."""

CHANCE, CLEAR = 0.05, 1e-5
"""The level at which scores go together no more than by chance, and that at which others clearly do."""


def doubts_about(paired: Paired) -> list[str]:
    """Return warnings about the scores of both sides; `pair` adds them to its notes."""
    human, judge = paired.human_values, paired.judge_values
    both = np.isfinite(human) & np.isfinite(judge)
    filled = [*_no_scores(human, judge), *_no_scores(judge, human, "the judge's"), *_filled(human[both], judge[both])]
    return [warning(text) for text in filled or _other_outputs(paired, both)]


def _no_scores(side: Floats, other: Floats, owner: str = "people's") -> list[str]:
    """Return a sentence where one side has many zeros, and both sides are on a scale from 1.

    >>> _no_scores(np.array([3.0, 0, 0, 4, 0, 0, 0]), np.array([3.1, 2.0, 1.5]))
    ["5 of people's 7 scores are 0, and all others of both sides are 1 or more: does 0 stand for no score?"]
    """
    scores, others = side[np.isfinite(side)], other[np.isfinite(other)]
    zeros = int(np.count_nonzero(scores == 0))
    if zeros < FEWEST or zeros == len(scores) or scores[scores != 0].min() < 1 or (others.size and others.min() < 1):
        return []
    what = f"{zeros:,} of {owner} {len(scores):,} scores are 0"
    return [f"{what}, and all others of both sides are 1 or more: does 0 stand for no score?"]


def _filled(human: Floats, judge: Floats) -> list[str]:
    """Return a sentence where people's whole numbers stand beside scores that no person can have given.

    Means of up to four people are fractions of twelve.
    """
    odd = np.abs(human * 12 - np.rint(human * 12)) > 1e-6
    if np.count_nonzero(odd) < FILLED or np.count_nonzero(~odd) < FEWEST:
        return []
    copied = int(np.count_nonzero(human[odd] == judge[odd]))
    if copied > 0.9 * np.count_nonzero(odd):
        return [f"{copied:,} human scores are those of the judge: leave out what people did not score"]
    values, counts = np.unique(human[odd], return_counts=True)
    most = int(counts.max())
    if most < max(FILLED, SHARE * len(human)):
        return []
    value = values[counts.argmax()]
    return [f"{most:,} of people's {len(human):,} scores are {value:g}: leave out what people did not score"]


def _other_outputs(paired: Paired, both: Bools) -> list[str]:
    """Return a sentence where the judge's scores do not follow people's, and what they follow instead if it is seen."""
    human, judge = (_within(paired, side, both) for side in (paired.human_values, paired.judge_values))
    if np.count_nonzero(both) < OUTPUTS or not judge.any() or abs(_together(human, judge)) > -ndtri(CHANCE):
        return []  # a judge that gives one score is told elsewhere, and so is one that goes against people
    for moved in (1, -1):
        if _together(human, _moved(paired, judge, moved)) > -ndtri(CLEAR):
            return [
                "people's scores go with the judge's of the item before or after: are the rows of one side shifted?"
            ]
    exchanged = _exchanged(paired, human, judge)
    if exchanged:
        return [exchanged]
    if all(item.isdigit() for item in paired.items):
        cause = "they may be of other outputs with the same ids, or the judge is of no use"
        return [f"the judge's scores follow people's no more than by chance: {cause}"]
    return []


def _within(paired: Paired, side: Floats, both: Bools) -> Floats:
    """Return scores less the mean of their system; 0 where one side has none."""
    systems = len(paired.systems)
    counts = np.maximum(np.bincount(paired.system[both], minlength=systems), 1)
    means = np.bincount(paired.system[both], side[both], systems) / counts
    return np.where(both, np.nan_to_num(side) - means[paired.system], 0.0)


def _together(first: Floats, second: Floats) -> float:
    """Return how many standard errors the correlation of two columns is above 0 (Fisher's z)."""
    # `_within` gives 0 where a side has no score.
    used = (first != 0) & (second != 0)
    x, y = first[used], second[used]
    size = float(np.sqrt((x @ x) * (y @ y)))
    r = float(np.clip(x @ y / size, -0.999999, 0.999999)) if size else 0.0
    return float(np.arctanh(r) * np.sqrt(max(len(x) - 3, 0)))


def _moved(paired: Paired, judge: Floats, places: int) -> Floats:
    """Return the judge's scores of the items some places further, in each system."""
    moved = np.zeros_like(judge)
    for system in range(len(paired.systems)):
        rows: Ints = np.flatnonzero(paired.system == system)
        moved[rows] = np.roll(judge[rows], places)
    return moved


def _exchanged(paired: Paired, human: Floats, judge: Floats) -> str | None:
    """Return a sentence where people's scores of two systems go with the judge's of the other one."""
    rows = {name: np.flatnonzero(paired.system == index) for index, name in enumerate(paired.systems)}
    clear = -ndtri(CLEAR)
    for index, a in enumerate(paired.systems):
        for b in paired.systems[index + 1 :]:
            if len(rows[a]) != len(rows[b]):
                continue
            crossed = [
                _together(human[rows[human_name]], judge[rows[judge_name]])
                for human_name, judge_name in ((a, b), (b, a))
            ]
            if min(crossed) > clear:
                statement = f"people's scores of {a} and {b} go with the judge's of the other one"
                return f"{statement}: are their names exchanged?"
    return None
