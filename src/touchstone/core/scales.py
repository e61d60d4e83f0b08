"""What makes scores look like a mistake: mixed scales, stray values, codes for missing values, one value only."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import permutations

import numpy as np

from touchstone.base.notes import warning
from touchstone.base.ragged import Floats
from touchstone.core.doubts import Doubt
from touchstone.core.names import is_no_system, is_summary
from touchstone.core.scores import Scores, first_doubts
from touchstone.core.sequences import sequence_doubts

PERCENT = 100.0

RATING = 5.0
"""The end of the smallest usual rating scale; scores that reach it are no fractions."""

RATINGS = (RATING, 7.0, 10.0)
"""The ends of the usual rating scales."""

ENDS = (1.0, 10.0, PERCENT)
"""Ends of scales, beyond which a few values are strays: of fractions, of the widest ratings, and of percentages."""

FAR = 4
"""How many times as far as all others a stray value is."""

EVEN = 1 / 3
"""The least median of scores as a share of their maximum from which a value far beyond them is odd: times and counts
with a heavy tail, where it is not, have less."""

HIGH = 0.6
"""The least median of ratings, as a share of the highest, beside percentages; percentages of a weak system are low."""

STEP = 0.05
"""What constant scores that someone gives are multiples of; means are next to never."""

NINES = (99.0, 999.0, 9999.0)
"""Numbers that stand for a missing value where all others are much smaller."""

CODED = 0.5
"""The largest share of values that are such a number."""

CLOSE = 0.25
"""How much two shares of right answers, or two scores of one scale, may differ to be taken for the same measure."""

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

FEWEST_ZEROS, CODED_RATINGS = 3, 0.2
"""Zeros of one system, and their largest share, that may stand for missing ratings where all others are from 1."""

SENTINELS = (-1.0, -9.0, -99.0, -999.0, -9999.0)
"""Numbers that stand for a missing value in many data sets."""

FEWEST_BESIDE_CODE = 10
"""Values from which a repeated negative number among them tells anything."""

RARE = 0.15
"""The share of -1 beside 0 and 1 up to which it stands for a missing value; more often it is a loss beside ties and
wins."""


def column_doubts(measure: str, values: Mapping[str, Floats], ids: Sequence[str] = ()) -> list[Doubt]:
    """Return what is unlikely about the scores of systems under one measure.

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
    >>> shares, percentages = np.array([0.2, 0.9, 1.0, 0.4, 0.5, 0.7]), np.array([30.0, 80, 95, 41, 52, 66])
    >>> [str(doubt).partition(";")[0] for doubt in column_doubts("value", {"a": shares, "b": percentages})]
    ['b: value is from 30 to 95, and that of a from 0.2 to 1']
    """
    scores = Scores(measure, values, ids)
    # Within one column first: what is mixed there makes every comparison of columns meaningless.
    mixed = [*_mixed(scores), *_strays(scores), *_zeros(scores)]
    if mixed:
        return mixed
    scales = [*first_doubts(scores, _summaries, _derived, _rounded), *_scales(scores)]
    return scales + first_doubts(scores, _constant, sequence_doubts)


def _is_share(values: Floats) -> bool:
    return bool(values.min() >= 0 and values.max() <= 1 and values.max() > 0)


def _is_percentage(values: Floats) -> bool:
    return bool(values.min() >= 0 and 10 < values.max() <= PERCENT)


def _scales(scores: Scores) -> list[Doubt]:
    """Return a doubt for each system whose scores are on another scale than those of another system."""
    doubts = []
    for name, values in scores.observed.items():
        like = next((other for other in scores.observed if _other_scale(scores, values, scores.observed[other])), None)
        cause = "give all systems the same scale, percentages or fractions, and no columns that are no systems"
        if like is None and not scores.may_be_errors and _negated(name, scores.observed):
            like = next(other for other in scores.observed if other != name)
            cause = "give all systems the same scale, where higher is better, and no columns that are no systems"
        if like is not None:
            ends, other_ends = (f"from {side.min():g} to {side.max():g}" for side in (values, scores.observed[like]))
            doubts.append(scores.doubt(name, f"is {ends}, and that of {like} {other_ends}", cause, stops=True))
    return doubts


def _other_scale(scores: Scores, values: Floats, other: Floats) -> bool:
    """Return whether values are on another scale than those of another system, which has the usual one."""
    if _is_share(other) and not _is_share(values) and _beside_shares(scores, values, other):
        return True
    if scores.may_be_errors or min(len(values), len(other)) < FEWEST_COMPUTED:
        return False
    return _percent_beside_ratings(values, other) or _hundredths(values, other) or _without_points(values, other)


def _negated(name: str, values: dict[str, Floats]) -> bool:
    """Return whether no score of a system is above 0, and none of the others below; right, tied and wrong may be so."""
    scores, others = values[name], [other for system, other in values.items() if system != name]
    if not others or len(scores) < FEWEST_COMPUTED or scores.max() > 0 or min(other.min() for other in others) < 0:
        return False
    return all(len(np.unique(side)) > 3 for side in (scores, *others))


def _beside_shares(scores: Scores, values: Floats, shares: Floats) -> bool:
    """Return whether values are percentages, ratings or the numbers 1 and 2 beside shares."""
    if _is_percentage(values) and 1 / 4 <= values.mean() / PERCENT / shares.mean() <= 4:
        return True
    if scores.may_be_errors:
        return False
    if not np.any((shares > 0) & (shares < 1)):
        numbered = set(values.tolist()) == {1.0, 2.0} and len(values) >= FEWEST_COMPUTED
        return bool(numbered and abs(values.mean() - 1 - shares.mean()) <= CLOSE)
    if _is_percentage(values) and values.min() > 10 and values.max() > PERCENT / 2 and shares.mean() >= 0.1:
        return True
    rated = values.min() >= 0 and np.median(values) > 1 and RATING <= values.max() <= PERCENT
    marks = np.allclose(values * 10, np.round(values * 10))  # people give at most one decimal; sums have more
    return bool(rated and marks and 1 / 4 <= values.mean() / values.max() / shares.mean() <= 4)


def _percent_beside_ratings(values: Floats, ratings: Floats) -> bool:
    """Return whether values are percentages beside ratings from 1."""
    end = ratings.max()
    rated = end in RATINGS and ratings.min() >= 1 and np.array_equal(ratings * 2, np.round(ratings * 2))
    if not rated or len(np.unique(ratings)) < 3:
        return False
    if _is_percentage(values) and values.min() > end and values.max() > PERCENT / 2:
        return True  # each score of one system is above all of the other
    if np.median(ratings) < HIGH * end:
        return False
    return bool(_is_percentage(values) and np.median(values) >= FAR * end and values.max() > PERCENT / 2)


def _hundredths(values: Floats, other: Floats) -> bool:
    """Return whether values are a hundredth of scores like those of another system, which are fractions."""
    if not (_is_share(values) and _is_share(other)) or values.max() > 1 / PERCENT or other.max() < 0.5:
        return False
    return bool(0.5 <= values.mean() * PERCENT / other.mean() <= 2 and np.median(values) >= EVEN * values.max())


def _without_points(values: Floats, other: Floats) -> bool:
    """Return whether values are percentages that lost their decimal points, beside others with one decimal."""
    tens = 10 if np.array_equal(other, np.round(other)) else 1  # a lost ".0" makes tens
    without_point = np.array_equal(values / tens, np.round(values / tens)) and PERCENT < values.max() <= 10 * PERCENT
    if not (without_point and _is_percentage(other) and np.allclose(other * 10, np.round(other * 10))):
        return False
    return bool(values.min() >= 0 and 5 <= np.median(values) / np.median(other) <= 20)


def _zeros(scores: Scores) -> list[Doubt]:
    """Return a doubt where one system alone has zeros among ratings from 1, and no rating between 0 and 2."""
    having = [name for name, values in scores.observed.items() if (values == 0).any()]
    every = np.concatenate([*scores.observed.values(), [0.0]])
    rated = every.max() in RATINGS[:2] and np.array_equal(every * 2, np.round(every * 2))
    if scores.may_be_errors or len(scores.observed) < 2 or len(having) != 1 or not rated:
        return []
    [name], values = having, scores.observed[having[0]]
    zeros, above = int((values == 0).sum()), values[values > 0]
    others = np.concatenate([other for other_name, other in scores.observed.items() if other_name != name])
    few = FEWEST_ZEROS <= zeros <= CODED_RATINGS * len(values) and len(values) >= FEWEST_COMPUTED
    if not few or above.min() < 2 or others.min() < 1 or len(np.unique(above)) < 3:
        return []
    what = f"is 0 for {zeros:,} of {len(values):,} items, and from {min(above.min(), others.min()):g} for all others"
    return [scores.doubt(name, what, "leave the cell empty if 0 means that there is no rating")]


def _summaries(scores: Scores) -> list[Doubt]:
    """Return a doubt for each system that is a field by its name, or a summary such as ``mean`` by name and values."""
    names = list(scores.observed)
    named = {name: "a summary of the others" for name in names if is_summary(name) and _sums_up(name, scores.values)}
    named |= {name: "a column that describes the items or the scores" for name in names if is_no_system(name)}
    if len(names) - len(named) < 2:
        return []
    return [Doubt(name, f"is counted as a system, but looks like {what}", NO_SYSTEM) for name, what in named.items()]


def _sums_up(name: str, values: Mapping[str, Floats]) -> bool:
    """Return whether the scores of a system may be computed from those of all others, which are no summaries."""
    systems = [scores for other, scores in values.items() if not is_summary(other)]
    if len(systems) < 2:
        return False
    others = np.array(systems)
    places = np.isfinite(values[name]) & np.isfinite(others).all(axis=0)
    scores, others = values[name][places], others[:, places]
    if not len(scores):
        return False
    spread = [others.std(axis=0), others.std(axis=0, ddof=1)]
    made = [others.mean(axis=0), np.median(others, axis=0), others.sum(axis=0), others.max(axis=0), others.min(axis=0)]
    return any(np.allclose(scores, computed, rtol=1e-9, atol=DIGITS) for computed in made + spread)


def _rounded(scores: Scores) -> list[Doubt]:
    """Return a doubt where the scores of a system are those of another one, rounded."""
    if len(scores.values) > MOST_COMPARED:
        return []
    for name, values in scores.values.items():
        finite = values[np.isfinite(values)]
        decimals = next((n for n in range(4) if np.allclose(finite, np.round(finite, n), atol=1e-12)), None)
        if decimals is None or len(np.unique(finite)) < FEWEST_COMPUTED / 2:
            continue
        for other, finer in scores.values.items():
            added = values - finer
            added = added[np.isfinite(added)]
            half = 0.5 * 10.0**-decimals + 1e-9
            # Rounding goes up and down; a system that is ahead by the same everywhere is another one.
            if len(added) >= FEWEST_COMPUTED and -half <= added.min() < 0 < added.max() <= half:
                what = f"its {scores.measure} is that of {other}, rounded, on every item"
                return [Doubt(name, what, "one system may be given under two names", stops=False)]
    return []


def _derived(scores: Scores) -> list[Doubt]:
    """Return a doubt where the scores of a system are computed from those of the others, such as their mean."""
    if not 3 <= len(scores.values) <= MOST_COMPARED:
        return []
    for name in reversed(scores.names):
        others = {other: values for other, values in scores.values.items() if other != name}
        places = np.isfinite(list(others.values())).all(axis=0) & np.isfinite(scores.values[name])
        values, others = scores.values[name][places], {other: each[places] for other, each in others.items()}
        copied = any(np.array_equal(values, other) for other in others.values())
        if len(values) < FEWEST_COMPUTED or copied or np.ptp(values) == 0:
            continue
        digits = DIGITS if np.ptp(values) > 10 * DIGITS else 0.0
        for what, computed in _computed(others):
            if np.allclose(values, computed, rtol=1e-9, atol=digits):
                return [Doubt(name, f"its {scores.measure} is the {what} on every item", NO_SYSTEM, stops=False)]
    return []


def _computed(others: Mapping[str, Floats]) -> Iterator[tuple[str, Floats]]:
    """Yield what a script may compute from the scores of systems, in words and as numbers."""
    table = np.array(list(others.values()))
    for what, computed in (
        ("mean", table.mean(axis=0)),
        ("sum", table.sum(axis=0)),
        ("highest", table.max(axis=0)),
        ("lowest", table.min(axis=0)),
    ):
        yield f"{what} of the other systems", computed
    for first, second in permutations(others, 2):
        yield f"difference between {first} and {second}", others[first] - others[second]


def _mixed(scores: Scores) -> list[Doubt]:
    """Return a doubt where a system has fractions and percentages: both are frequent, and nothing is between them."""
    doubts = []
    for name, values in scores.observed.items():
        low, high = values[(values >= 0) & (values <= 1)], values[(values >= 10) & (values <= PERCENT)]
        two_groups = len(low) + len(high) == len(values) and min(len(low), len(high)) >= max(2, 0.1 * len(values))
        if two_groups and np.any((low > 0) & (low < 1)):
            what = f"is at most 1 for {len(low):,} items and at least {high.min():g} for {len(high):,}"
            cause = "percentages and fractions may be mixed: give all items the same scale"
            doubts.append(scores.doubt(name, what, cause, stops=True))
    return doubts


def _strays(scores: Scores) -> list[Doubt]:
    """Return a doubt where a few values are far beyond fractions, ratings or percentages, such as 87 or 999."""
    if scores.may_be_errors:  # times and counts of errors have no upper end
        return []
    doubts = []
    cause = "correct it; leave the cell empty if it means that there is no value"
    for name, values in scores.observed.items():
        end = next((end for end in ENDS if _has_strays(values, end)), None)
        if end is not None:
            far = values > end
            listed = ", ".join(f"{value:g}" for value in np.unique(values[far])[:3])
            what = f"is {listed} for {int(far.sum()):,} of {len(values):,} items, and at most {values[~far].max():g}"
            doubts.append(scores.doubt(name, f"{what} for the others", cause))
    return doubts


def _has_strays(values: Floats, end: float) -> bool:
    """Return whether a few values are far beyond the end of a scale, on which all others are."""
    far = values > end
    count, within = int(far.sum()), values[~far]
    if not 0 < count < len(values) or within.min() < 0 or values[far].min() < FAR * within.max():
        return False
    even = len(values) >= FEWEST_BESIDE and np.median(within) >= EVEN * within.max()
    beyond = values[far].min() >= 10 or (even and values[far].min() >= FAR)
    fractions = end == 1 and np.any((within > 0) & (within < 1)) and beyond
    ratings = even and within.max() > 1 and np.allclose(within * 10, np.round(within * 10))
    most = CODED if np.isin(values[far], NINES).all() else STRAY
    return bool((fractions or ratings) and count <= most * len(values))


def _constant(scores: Scores) -> list[Doubt]:
    """Return a doubt where all scores of each system are equal, unless every item is right, or wrong."""
    if len(scores.observed) < 2 or any(values.min() < values.max() for values in scores.observed.values()):
        return []
    distinct = {name: float(values[0]) for name, values in scores.observed.items()}
    on_steps = any(abs(value / STEP - round(value / STEP)) < 1e-9 for value in distinct.values())
    several = len({*distinct.values()}) > 1
    if (several and on_steps) or {*distinct.values()} <= {1.0, PERCENT}:
        return []
    name, items = next(iter(distinct)), max(map(len, scores.observed.values()))
    what = f"is {distinct[name]:g} for all {items:,} items of all {len(distinct):,} systems"
    if several:
        examples = ", ".join(f"{value:g} for all of {system}" for system, value in list(distinct.items())[:3])
        what = f"is the same for all {items:,} items of each system ({examples})"
    return [scores.doubt(name, what, "the column may be filled with a default or a mean")]


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
    other_values = np.unique(values[~odd])
    votes = least == -1 and set(other_values.tolist()) <= {0.0, 1.0} and (len(other_values) < 2 or odd.mean() > RARE)
    if votes or (odd.mean() > 0.5 and len(other_values) < 3):
        return []
    what = f"{odd.sum():,} of {len(values):,} values of {measure} are {least:g}, and no other value is negative"
    return [warning(f"{what}: if {least:g} means that there is no value, leave these cells empty")]
