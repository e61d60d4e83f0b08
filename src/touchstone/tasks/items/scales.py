"""What makes scores look like a mistake: percentages beside fractions, and a column with one value only."""

import numpy as np

from touchstone.base.ragged import Floats
from touchstone.core.doubts import Doubt

FEWEST = 6
"""Scores from which two scales in one column, or one value for all items, are no chance."""

PERCENT = 100.0


def column_doubts(measure: str, values: dict[str, Floats]) -> list[Doubt]:
    """Return what is unlikely about the scores of systems under one measure.

    Parameters
    ----------
    measure
        The name of the column, for messages.
    values
        The scores of each system, nan where there is none.

    Examples
    --------
    >>> shares, percentages = np.array([0.2, 0.9, 1.0, 0.4, 0.5, 0.7]), np.array([30.0, 80, 95, 41, 52, 66])
    >>> [str(doubt).partition(";")[0] for doubt in column_doubts("value", {"a": shares, "b": percentages})]
    ['b: value is from 30 to 95, and that of a from 0.2 to 1']
    """
    known = {name: own[~np.isnan(own)] for name, own in values.items()}
    known = {name: own for name, own in known.items() if len(own) >= FEWEST}
    mixed = [doubt for name, own in known.items() for doubt in _mixed(name, measure, own)]
    return mixed or [*_scales(measure, known), *_constant(measure, known)]


def _is_share(values: Floats) -> bool:
    return bool(values.min() >= 0 and values.max() <= 1 and values.max() > 0)


def _is_percentage(values: Floats) -> bool:
    return bool(values.min() >= 0 and 10 < values.max() <= PERCENT)


def _scales(measure: str, values: dict[str, Floats]) -> list[Doubt]:
    """Return a doubt for each system with percentages where another one has fractions of about the same size."""
    shares = {name: own for name, own in values.items() if _is_share(own)}
    doubts = []
    for name, own in values.items():
        if name in shares or not _is_percentage(own):
            continue
        like = next((one for one, other in shares.items() if 1 / 4 <= own.mean() / PERCENT / other.mean() <= 4), None)
        if like is not None:
            other = shares[like]
            spans = f"from {own.min():g} to {own.max():g}, and that of {like} from {other.min():g} to {other.max():g}"
            cause = "give all systems the same scale, percentages or fractions, and no columns that are no systems"
            doubts.append(Doubt(name, f"{measure} is {spans}", cause))
    return doubts


def _mixed(name: str, measure: str, values: Floats) -> list[Doubt]:
    """Return a doubt where a system has fractions and percentages: both are frequent, and nothing is between them."""
    low, high = values[(values >= 0) & (values <= 1)], values[(values >= 10) & (values <= PERCENT)]
    apart = len(low) + len(high) == len(values) and min(len(low), len(high)) >= max(2, 0.1 * len(values))
    if not apart or not np.any((low > 0) & (low < 1)):
        return []
    what = f"{measure} is at most 1 for {len(low):,} items and at least {high.min():g} for {len(high):,}"
    return [Doubt(name, what, "percentages and fractions may be mixed: give all items the same scale")]


def _constant(measure: str, values: dict[str, Floats]) -> list[Doubt]:
    """Return a doubt where all scores of all systems are equal, unless every item is right."""
    distinct = {float(value) for own in values.values() for value in (own.min(), own.max())}
    if len(values) < 2 or len(distinct) > 1 or distinct <= {1.0, PERCENT}:
        return []
    name, items = next(iter(values)), max(map(len, values.values()))
    what = f"{measure} is {distinct.pop():g} for all {items:,} items of all {len(values):,} systems"
    return [Doubt(name, what, "the column may be filled with a default or a mean", stops=False)]
