"""How many human labels an interval or a test needs, with and without a judge that scores all items.

With n labels of N items, the difference estimator at its best weight has the variance σ²(1 - ρ²)/n + σ²ρ²/N, where σ²
is the variance of a label and ρ its correlation with the judge (PPI++; Angelopoulos, Duchi & Zrnic 2023, with n of the
N items labelled); without the judge it has σ²/n. An estimate about these N items and no others has 1/n - 1/N in the
place of 1/n, and no second term. A pilot tells σ² and ρ.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import stdtrit

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.base.ragged import Bools, Floats, Ints
from touchstone.stats.bootstrap import resampled_sums
from touchstone.stats.intervals import FEWEST_CLUSTERS
from touchstone.stats.prediction_powered import Influences, Population
from touchstone.stats.records import folded

MOST_LABELS = 10_000_000
"""Labels that nobody gives: more are not counted."""

DRAWS = 1000

ROUNDING = 1e-12


@dataclass(frozen=True)
class Spread:
    """How the labels of a pilot scatter: the *variance* of one label, and what the judge leaves of it (*residual*).

    Both count clusters: the variance of a mean of n labels is *variance* / n. *drawn* has (variance, residual) in
    resamples of the pilot, a row for each.
    """

    labels: int
    clusters: int
    variance: float
    residual: float
    correlation: float
    drawn: Floats


def pilot_spread(both: Influences, *, draws: int = DRAWS, seed: int = 0, over: str = "items") -> Spread:
    """Return how the labels of a pilot scatter, with and without the judge.

    Parameters
    ----------
    both
        The value of people and of the judge, with the influence of each cluster.
    draws, seed
        Resamples of the clusters, and their seed.
    over
        What clusters are called in errors.

    Examples
    --------
    >>> from touchstone.stats import mean, mean_records
    >>> from touchstone.stats.prediction_powered import influences
    >>> scores = mean_records(np.arange(10.0))
    >>> found = pilot_spread(influences(scores, scores, mean), draws=10)
    >>> round(found.variance, 3), round(found.residual, 9), round(found.correlation, 9)  # 10/9 of 33/4
    (9.167, 0.0, 1.0)
    """
    scored = both.shares > 0
    a, b = both.by_human[scored], both.by_judge[scored]
    if len(a) < FEWEST_CLUSTERS:
        what = f"a pilot of {len(a)} {over.removesuffix('s') if len(a) == 1 else over} cannot show how scores vary"
        hint = f"give people at least {FEWEST_CLUSTERS} {over} to score"
        raise TouchstoneError(what, code=Code.TOO_FEW, hint=hint)
    scale = max(float(np.abs(b).max()), np.finfo(np.float64).tiny)  # influences of the judge may be on any scale
    b = b / scale
    squares = np.column_stack([a, b, a * a, b * b, a * b, np.ones(len(a))])
    variance, residual, correlation = folded(_variances, squares.sum(axis=0)).tolist()
    drawn = folded(_variances, resampled_sums(squares, draws=draws, seed=seed))[:, :2]
    n = both.labels
    correlation = np.nan if both.constant else correlation
    return Spread(n, len(a), n * variance, n * residual, correlation, n * drawn)


def _variances(sums: Floats) -> Floats:
    """Fold sums over clusters into the variance of the value, that with the judge, and the correlation of both.

    The columns are the influences a of people and b of the judge, a², b², ab, and 1. A judge that goes against people
    is not used. Its weight is fitted on the pilot itself, which costs a degree of freedom.
    """
    a, b, aa, bb, ab, n = np.moveaxis(sums, -1, 0)
    human, judge, both = aa - a * a / n, bb - b * b / n, ab - a * b / n
    varying = (judge > ROUNDING * bb) & (human > 0)
    rho = np.where(varying, np.clip(both / np.sqrt(np.maximum(human * judge, 0)), -1, 1), 0.0)
    left = np.minimum(1, (1 - np.maximum(rho, 0) ** 2) * (n - 1) / (n - 2))
    variance = np.maximum(human, 0) * n / (n - 1)
    return np.stack([variance, variance * left, rho], axis=-1)


def fewest_labels(per_cluster: float, strata: int = 1) -> int:
    """Return the fewest labels that show how scores vary, where a cluster has *per_cluster* of them: two a stratum."""
    return max(2, int(np.ceil(max(FEWEST_CLUSTERS, 2 * strata if strata > 1 else 0) * per_cluster)))


def labels_needed(
    variance: Floats,
    residual: Floats,
    items: int,
    target: float,
    tails: Sequence[float],
    *,
    per_cluster: float = 1.0,
    population: Population = "source",
    strata: int = 1,
) -> Floats:
    """Return the smallest number of labels with Σ t(tail) · standard error ≤ *target*; inf where *items* are too few.

    Parameters
    ----------
    variance, residual
        Of a label, without the judge and with it; where both are equal, the number of items sets no limit.
    items
        How many items the judge scored.
    target
        The width of an interval, or the difference to be found.
    tails
        The probabilities whose t quantiles add up: (0.975, 0.975) for the width of a 95 % interval; (0.975, 0.8) for a
        test at 0.05 with a power of 0.8.
    per_cluster
        Labels to a cluster.
    population
        What the estimate is about: see `influences`.
    strata
        How many strata labels are drawn from, the same share of each; each has a mean of its own.

    Examples
    --------
    >>> alone, joined = np.array([0.25, 0.25]), np.array([0.25, 0.05])  # shares near one half, a judge with ρ² = 0.8
    >>> labels_needed(alone, joined, 5_000, 0.1, (0.975, 0.975)).tolist()
    [387.0, 85.0]
    """
    variance, residual = np.broadcast_arrays(np.asarray(variance, float), np.asarray(residual, float))
    fewest = fewest_labels(per_cluster, strata)

    limited = (residual < variance) | (population == "set")

    def enough(labels: Ints) -> Bools:
        of_all = np.where(limited, variance - residual if population == "source" else -residual, 0.0)
        spread = np.maximum(residual / labels + of_all / items, 0.0)
        degrees = np.maximum(labels / per_cluster - strata, 1)
        return np.asarray(sum(stdtrit(degrees, tail) for tail in tails) * np.sqrt(spread) <= target)

    most = np.where(limited, max(items, fewest), MOST_LABELS)
    low, high = np.full(variance.shape, fewest - 1), most.copy()  # low is too few, high is enough or the end
    # Bisection for all variances at once; t falls as labels grow, so more are enough where fewer are.
    while (high - low > 1).any():
        middle = (low + high) // 2
        reached = enough(np.maximum(middle, 1))
        high = np.where(reached & (middle >= fewest), middle, high)  # others may still search where one has found
        low = np.where(reached, low, middle)
    return np.where(enough(high), high, np.inf)
