"""What makes scores look like a mistake: mixed scales, stray values, codes for missing values, one value only."""

import numpy as np

from touchstone.base.notes import warning
from touchstone.base.ragged import Floats
from touchstone.core.doubts import Doubt
from touchstone.core.names import is_no_system, is_summary, lower_is_usual

FEWEST = 6
"""Scores from which two scales in one column, or one value for all items, are no chance."""

PERCENT = 100.0

RATING = 5.0
"""The end of the smallest usual rating scale; scores that reach it are no fractions."""

STRAY = 0.1
"""The largest share of values beyond a scale that are strays; more of them are another scale."""

MOST_COMPARED = 12
"""Systems up to which a column is compared with what can be computed from the others."""

FEWEST_COMPUTED = 20
"""Items on which scores that equal a sum, a difference or an extreme of other systems' scores are no chance."""

DIGITS = 0.0051
"""How far a mean that was rounded to two decimals may be from the exact one."""

NO_SYSTEM = "remove it, or choose the columns of systems"

FEWEST_BESIDE = 20
"""Ratings from which one far beyond them is a slip of the keyboard rather than a wide scale."""

SENTINELS = (-1.0, -9.0, -99.0, -999.0, -9999.0)
"""Numbers that stand for a missing value in many data sets."""

FEWEST_BESIDE_CODE = 10
"""Values from which a repeated negative number among them tells anything."""

RARE = 0.15
"""The share of -1 beside 0 and 1 up to which it stands for a missing value; more often it is a loss beside ties and
wins."""


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
    if not lower_is_usual(measure):  # times and counts of errors have no upper end
        mixed += [doubt for name, own in known.items() for doubt in _strays(name, measure, own)]
    return mixed or [
        *(_summaries(known) or _derived(measure, values)),
        *_scales(measure, known),
        *_constant(measure, known),
    ]


def _is_share(values: Floats) -> bool:
    return bool(values.min() >= 0 and values.max() <= 1 and values.max() > 0)


def _is_percentage(values: Floats) -> bool:
    return bool(values.min() >= 0 and 10 < values.max() <= PERCENT)


def _scales(measure: str, values: dict[str, Floats]) -> list[Doubt]:
    """Return a doubt for each system with percentages or ratings where another one has fractions."""
    shares = {name: own for name, own in values.items() if _is_share(own)}
    doubts = []
    for name, own in values.items():
        if name in shares:
            continue
        like = next((one for one, other in shares.items() if _other_scale(measure, own, other)), None)
        if like is not None:
            other = shares[like]
            spans = f"from {own.min():g} to {own.max():g}, and that of {like} from {other.min():g} to {other.max():g}"
            cause = "give all systems the same scale, percentages or fractions, and no columns that are no systems"
            doubts.append(Doubt(name, f"{measure} is {spans}", cause))
    return doubts


def _other_scale(measure: str, values: Floats, shares: Floats) -> bool:
    """Return whether values are percentages of about the same size as shares, or ratings beside fractions."""
    if _is_percentage(values) and 1 / 4 <= values.mean() / PERCENT / shares.mean() <= 4:
        return True
    if lower_is_usual(measure) or not np.any((shares > 0) & (shares < 1)):
        return False
    rated = values.min() >= 0 and np.median(values) > 1 and RATING <= values.max() <= PERCENT
    marks = np.allclose(values * 10, np.round(values * 10))  # people give at most one decimal; sums have more
    return bool(rated and marks and 1 / 4 <= values.mean() / values.max() / shares.mean() <= 4)


def _summaries(values: dict[str, Floats]) -> list[Doubt]:
    """Return a doubt for each system whose name is that of a summary or of a field, such as ``mean`` beside systems."""
    named = {name: "a summary of the others" for name in values if is_summary(name)}
    named |= {name: "a column that describes the items or the scores" for name in values if is_no_system(name)}
    if len(values) - len(named) < 2:
        return []
    return [Doubt(name, f"is counted as a system, but looks like {what}", NO_SYSTEM) for name, what in named.items()]


def _derived(measure: str, values: dict[str, Floats]) -> list[Doubt]:
    """Return a doubt where the scores of a system are computed from those of the others, such as their mean."""
    if not 3 <= len(values) <= MOST_COMPARED:
        return []
    for name in reversed(values):
        others = np.array([own for other, own in values.items() if other != name])
        places = np.isfinite(others).all(axis=0) & np.isfinite(values[name])
        own, others = values[name][places], others[:, places]
        if len(own) < FEWEST_COMPUTED or any(np.array_equal(own, other) for other in others) or np.ptp(own) == 0:
            continue
        digits = DIGITS if np.ptp(own) > 10 * DIGITS else 0.0
        made = {
            "mean": others.mean(axis=0),
            "sum": others.sum(axis=0),
            "highest": others.max(axis=0),
            "lowest": others.min(axis=0),
            **{
                f"difference between {first} and {second}": values[first][places] - values[second][places]
                for first in values
                for second in values
                if name not in (first, second) and first != second
            },
        }
        for what, computed in made.items():
            if np.allclose(own, computed, rtol=1e-9, atol=digits):
                of = "" if what.startswith("difference") else " of the other systems"
                return [Doubt(name, f"its {measure} is the {what}{of} on every item", NO_SYSTEM, stops=False)]
    return []


def _mixed(name: str, measure: str, values: Floats) -> list[Doubt]:
    """Return a doubt where a system has fractions and percentages: both are frequent, and nothing is between them."""
    low, high = values[(values >= 0) & (values <= 1)], values[(values >= 10) & (values <= PERCENT)]
    apart = len(low) + len(high) == len(values) and min(len(low), len(high)) >= max(2, 0.1 * len(values))
    if not apart or not np.any((low > 0) & (low < 1)):
        return []
    what = f"{measure} is at most 1 for {len(low):,} items and at least {high.min():g} for {len(high):,}"
    return [Doubt(name, what, "percentages and fractions may be mixed: give all items the same scale")]


def _strays(name: str, measure: str, values: Floats) -> list[Doubt]:
    """Return a doubt where a few values are far beyond fractions or ratings, such as 87 or 999 among them."""
    far = values >= 10
    count, usual = int(far.sum()), values[~far]
    if not 0 < count <= STRAY * len(values) or usual.min() < 0 or values[far].min() < 4 * usual.max():
        return []
    fractions = usual.max() <= 1 and np.any((usual > 0) & (usual < 1))
    ratings = len(values) >= FEWEST_BESIDE and 1 < usual.max() <= 10 and np.all(usual == np.round(usual))
    if not (fractions or ratings):
        return []
    listed = ", ".join(f"{value:g}" for value in np.unique(values[far])[:3])
    what = f"{measure} is {listed} for {count:,} of {len(values):,} items, and at most {usual.max():g} for the others"
    return [Doubt(name, what, "correct it; leave the cell empty if it means that there is no value", stops=False)]


def _constant(measure: str, values: dict[str, Floats]) -> list[Doubt]:
    """Return a doubt where all scores of all systems are equal, unless every item is right."""
    distinct = {float(value) for own in values.values() for value in (own.min(), own.max())}
    if len(values) < 2 or len(distinct) > 1 or distinct <= {1.0, PERCENT}:
        return []
    name, items = next(iter(values)), max(map(len, values.values()))
    what = f"{measure} is {distinct.pop():g} for all {items:,} items of all {len(values):,} systems"
    return [Doubt(name, what, "the column may be filled with a default or a mean", stops=False)]


def missing_codes(measure: str, values: Floats) -> list[str]:
    """Return a warning where one negative number stands among numbers that are never negative otherwise.

    Parameters
    ----------
    measure
        The name of the column, for messages.
    values
        The values of all systems; nan where there is none.
    """
    values = values[~np.isnan(values)]
    least = values.min(initial=0.0)
    odd = values == least
    if len(values) < FEWEST_BESIDE_CODE or least not in SENTINELS or odd.all() or values[~odd].min() < 0:
        return []
    usual = np.unique(values[~odd])
    votes = least == -1 and set(usual.tolist()) <= {0.0, 1.0} and (len(usual) < 2 or odd.mean() > RARE)
    if votes or (odd.mean() > 0.5 and len(usual) < 3):
        return []
    what = f"{odd.sum():,} of {len(values):,} values of {measure} are {least:g}, and no other value is negative"
    return [warning(f"{what}: if {least:g} means that there is no value, leave these cells empty")]
