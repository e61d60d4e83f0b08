"""Agreement of two scores over sets of items: correlation within a set, over the means of systems, and of their order.

Intervals resample sets (Efron & Tibshirani 1993, chapter 13): a set holds the outputs of all systems for one input, so
its scores move together.
"""

from typing import NamedTuple

import numpy as np
import scipy

from touchstone.base.ragged import Floats, Ints

CONSTANT = 1e-12
"""Products of two lists' deviations below this are those of a list that does not vary."""


class SetValue(NamedTuple):
    """A value and the ends of its 95 % interval over draws of sets."""

    value: float
    low: float
    high: float


def drawn_sets(n: int, draws: int, seed: int = 0) -> Ints:
    """Return which of *n* sets each draw has: a row of n sets, drawn with replacement.

    >>> drawn_sets(3, 2).shape, int(drawn_sets(3, 100).max())
    ((2, 3), 2)
    """
    return np.random.default_rng(seed).integers(n, size=(draws, n))


def mean_of_sets(values: Floats, drawn: Ints) -> SetValue:
    """Return the mean of a value of each set, with its interval; sets without a value (nan) do not count.

    >>> mean_of_sets(np.array([0.5, 0.7, np.nan]), np.array([[0, 1, 2], [0, 0, 2]])).value
    0.6
    """
    return SetValue(float(np.nanmean(values)), *_ends(np.nanmean(values[drawn], axis=1)))


def pearson_of_means(first: Floats, second: Floats, drawn: Ints) -> SetValue:
    """Return Pearson's r over the means of systems, with its interval.

    Both have a row for each system and a column for each set, nan where the system has no score there.

    >>> scores = np.array([[1.0, 2.0], [2.0, 3.0], [3.0, 5.0]])
    >>> pearson_of_means(scores, 2 * scores, drawn_sets(2, 20)).value
    1.0
    """
    each = [pearson(np.nanmean(first[:, draw], axis=1), np.nanmean(second[:, draw], axis=1)) for draw in drawn]
    value = pearson(np.nanmean(first, axis=1), np.nanmean(second, axis=1))
    return SetValue(value, *_ends(np.array(each)))


def order_of_means(first: Floats, second: Floats) -> tuple[float, float]:
    """Return Kendall's tau-b over the means of systems, and the share of pairs that differ in *first* in its order.

    >>> tau, share = order_of_means(np.array([[1.0], [2.0], [3.0]]), np.array([[1.0], [3.0], [2.0]]))
    >>> round(tau, 12), round(share, 12)
    (0.333333333333, 0.666666666667)
    """
    sides = np.nanmean(first, axis=1), np.nanmean(second, axis=1)
    upper = np.triu_indices(len(sides[0]), 1)
    real, other = (np.sign(side[:, None] - side[None, :])[upper] for side in sides)
    share = float(np.mean(real[real != 0] == other[real != 0])) if (real != 0).any() else float("nan")
    return float(scipy.stats.kendalltau(*sides).statistic), share


def pearson(x: Floats, y: Floats) -> float:
    """Return Pearson's r of two lists; nan where one of them is constant.

    >>> pearson(np.array([1.0, 2.0, 3.0]), np.array([2.0, 4.0, 6.0]))
    1.0
    """
    a, b = x - x.mean(), y - y.mean()
    scale = float(np.sqrt((a @ a) * (b @ b)))
    return float(a @ b) / scale if scale > CONSTANT else float("nan")


def _ends(replicates: Floats) -> tuple[float, float]:
    low, high = np.nanpercentile(replicates, [2.5, 97.5])
    return float(low), float(high)
