"""The judge's scores on the scale of people, and a judge whose scores fall as theirs rise."""

from dataclasses import replace

import numpy as np

from touchstone.base.notes import warning
from touchstone.base.ragged import Floats
from touchstone.base.tables import number
from touchstone.judge.paired import Paired
from touchstone.stats.intervals import FEWEST_CLUSTERS
from touchstone.stats.records import mean_records
from touchstone.stats.rescaling import goes_against, on_another_scale, rescaled

STRAY = 0.1
"""The share of people's scores up to which those outside the judge's scale may be typing errors."""


def against_people(paired: Paired) -> list[str]:
    """Return a warning where the judge's scores fall as people's rise: its sign is never changed automatically."""
    what = (
        "the judge's scores fall as human scores rise, so the judge is not used: if low is good on one side and high "
        "on the other, change the sign of one side"
    )
    against = goes_against(paired.human_values, paired.judge_values, paired.system, paired.units)
    return [warning(what)] if against else []


def comparable_scores(paired: Paired) -> tuple[Paired, list[str]]:
    """Return the scores with the judge's on the scale of people, and notes on what was rescaled.

    Only means have a scale. A judge that goes against people is left as it is, with a note: a rising curve would only
    hide it.
    """
    against = against_people(paired)
    if against or not paired.measure.is_mean:
        return paired, against
    human, judge, units = paired.human_values, paired.judge_values, paired.units
    if len(np.unique(units[np.isfinite(human)])) < FEWEST_CLUSTERS or not on_another_scale(human, judge):
        return paired, []
    records = mean_records(rescaled(human, judge, units))
    records[~paired.judged] = np.nan
    ranges = [f"{np.nanmin(side) + 0.0:g} to {np.nanmax(side) + 0.0:g}" for side in (judge, human)]  # no -0
    note = (
        f"the judge's scores ({ranges[0]}) are on another scale than people's ({ranges[1]}): they are rescaled by a "
        "monotone curve fitted on the human items, in five parts, so that no item is rescaled by itself"
    )
    return replace(paired, judge=records), [note, *_strays(human, judge)]


def _strays(human: Floats, judge: Floats) -> list[str]:
    """Return a warning where few of people's scores lie far outside the judge's scale, and all others within it.

    >>> _strays(np.array([1.0, 4.0, 55.0, 5.0, 2.0, 3.0, 1.0, 2.0, 4.0, 3.0]), np.array([1.0, 5.0]))
    ["warning: 1 of people's 10 scores is far outside the judge's scale (1 to 5), such as 55: is it a typing error?"]
    """
    scores, low, high = human[np.isfinite(human)], float(np.nanmin(judge)), float(np.nanmax(judge))
    far = scores[(scores > 2 * high - low) | (scores < 2 * low - high)]
    within = np.count_nonzero((scores >= low) & (scores <= high))
    if not len(far) or len(far) > STRAY * len(scores) or within + len(far) < len(scores):
        return []
    scale = f"far outside the judge's scale ({low:g} to {high:g}), such as {far[0]:g}"
    question = "is it a typing error" if len(far) == 1 else "are they typing errors"
    return [
        warning(
            f"{len(far):,} of people's {len(scores):,} scores {'is' if len(far) == 1 else 'are'} {scale}: {question}?"
        )
    ]


def equated(human: Floats, judge: Floats) -> tuple[Floats, list[str]]:
    """Return the judge's scores on the scale of people, and a note where they were on another one.

    They then get the mean and the standard deviation of people's (linear equating; Kolen & Brennan 2014, section 2.2),
    which keeps their order and how far they agree. Scores between 0 and 1 on both sides are on one scale.

    Parameters
    ----------
    human, judge
        The scores of the same outputs.

    Examples
    --------
    >>> equated(np.array([0.0, 1.0, 0.5]), np.array([10.0, 90.0, 50.0]))[0].round(9).tolist()
    [0.0, 1.0, 0.5]
    """
    sides = (human.min(), human.max()), (judge.min(), judge.max())
    if all(low >= 0 and high <= 1 for low, high in sides) or not on_another_scale(human, judge):
        return judge, []
    slope = human.std() / judge.std()
    people, machine = (f"{number(float(low))} to {number(float(high))}" for low, high in sides)
    note = (
        f"the judge's scores ({machine}) are on another scale than people's ({people}): they are rescaled to the mean "
        f"and the standard deviation of people's ({number(float(human.mean() - slope * judge.mean()))} + "
        f"{slope:.4g} × score), fitted on these {len(human):,} outputs, so that the bias over all of them is 0"
    )
    return np.asarray(human.mean() + slope * (judge - judge.mean())), [note]
