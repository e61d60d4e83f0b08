"""Intervals: where a value, or the difference of two, would lie on other items of the same kind.

The default needs no draws. With the value computed without each of n clusters in turn (the jackknife; Efron &
Tibshirani 1993, chapter 11), its standard error is sqrt((n - 1)/n Σ (v_i - mean v)²), and the interval reaches
t(n - 1) standard errors to either side. A value is not symmetric, so it gets one of two corrections: Wilson's where
the measure lies between 0 and 1, Hall's (1992) for skewness elsewhere. ``docs/statistics.md`` has the coverages.

Bootstrap intervals are the other choice: Efron & Tibshirani, chapters 13 (percentile) and 14 (BCa).
"""

from dataclasses import dataclass, replace
from functools import partial
from typing import Literal

import numpy as np
from scipy.special import ndtr, ndtri, stdtrit

from touchstone.base.ragged import Floats
from touchstone.stats.bootstrap import BLOCK
from touchstone.stats.checks import check_share
from touchstone.stats.records import Fold, folded, mean

Method = Literal["jackknife", "percentile", "bca"]

FEWEST_CLUSTERS = 5
"""Fewer carry no interval: with three, 95 % intervals held the true value in 83 to 100 % of simulations."""

FEW_CLUSTERS = 20
"""Up to so many clusters, a note calls intervals rough: they hold the true value less often than they claim."""

ROUNDING = 1e-13
"""Values without one cluster that differ by no more than this share are equal: they differ by rounding alone."""

Shape = Literal["bounded", "free", "difference"]
"""What an interval looks like: Wilson's, between 0 and 1; corrected for skewness; or symmetric."""

Limits = tuple[float, float] | None
"""Between which numbers the items of a mean lie, where that is known."""


@dataclass(frozen=True)
class Interval:
    """Where a value lies with the given *level* of confidence, and how that was computed.

    *draws* is 0 where nothing was drawn. Where the data cannot carry an interval, both ends are nan and *note* says
    why; where it is only rough, *note* says so too.
    """

    low: float
    high: float
    level: float
    method: str
    draws: int
    note: str | None = None


def interval(
    records: Floats,
    fold: Fold,
    *,
    method: Method = "jackknife",
    level: float = 0.95,
    bounded: bool = False,
    over: str = "items",
    replicates: Floats | None = None,
) -> Interval:
    """Return the interval of ``fold(records.sum(axis=0))``.

    Parameters
    ----------
    records
        A row of numbers for each cluster: see `cluster_records`.
    fold
        The function of their sum that is the value.
    method
        "jackknife", or a bootstrap, "percentile" or "bca".
    level
        The confidence.
    bounded
        Whether the value of every item lies between 0 and 1.
    over
        What the clusters are called in notes.
    replicates
        The values that a bootstrap has drawn.

    Examples
    --------
    >>> from touchstone.stats import mean, mean_records
    >>> half = interval(mean_records(np.array([0.0, 1.0] * 50)), mean, bounded=True)
    >>> round(half.low, 2), round(half.high, 2)
    (0.4, 0.6)
    """
    value = float(folded(fold, records.sum(axis=0)))
    return jackknife_interval(
        value,
        jackknife(records, fold)[records.any(axis=1)],
        replicates,
        method=method,
        shape="bounded" if bounded and 0 < value < 1 else "free",
        limits=(0.0, 1.0) if bounded and fold is mean else None,
        level=level,
        over=over,
    )


def jackknife_interval(
    value: float,
    left_out: Floats,
    replicates: Floats | None = None,
    *,
    method: Method = "jackknife",
    shape: Shape = "free",
    limits: Limits = None,
    level: float = 0.95,
    over: str = "items",
) -> Interval:
    """Return the interval of a *value* from what it is without each cluster.

    Where n clusters all have the same value, the share of clusters unlike them is at most t² / (n + t²), Wilson's
    bound for none of n. Those may lie anywhere between the *limits*; without limits there is no interval.

    Parameters
    ----------
    left_out
        The value without each cluster that counts.
    replicates
        The values that a bootstrap drew, where *method* is one.
    shape, limits
        How the interval looks, and what is known of the items: see `Shape` and `Limits`.
    level, over
        The confidence, and what the clusters are called in notes.

    Examples
    --------
    >>> all_right = jackknife_interval(1.0, np.ones(36), limits=(0.0, 1.0))
    >>> round(all_right.low, 3), all_right.high  # 36 / (36 + 2.03²)
    (0.897, 1.0)
    >>> jackknife_interval(27.5, np.array([27.0, 28.0])).note
    'no interval: 2 items cannot show how values vary'
    """
    n, draws = len(left_out), 0 if replicates is None else len(replicates)
    t = float(stdtrit(max(n - 1, 1), _tails(level)[1]))
    missing = partial(Interval, np.nan, np.nan, level, method, draws)
    if not np.isfinite(value):
        return missing()
    if n < FEWEST_CLUSTERS:
        return missing(too_few_note(n, over))
    if not np.isfinite(left_out).all():
        return missing(f"no interval: the value is undefined without one of {n:,} {over}")
    # All clusters agree, so the standard error is 0: an interval from it would claim to be exact.
    if np.ptp(left_out) <= ROUNDING * max(1.0, np.abs(left_out).max()):
        if limits is None:
            return missing(f"no interval: all {n:,} {over} have the same value")
        low, high = same_value_ends(value, t**2 / (n + t**2), limits)
    elif replicates is not None:
        drawn = bca(replicates, value, left_out, level) if method == "bca" else percentile(replicates, level)
        low, high = drawn.low, drawn.high
    else:
        error = standard_error(left_out)
        reach = skewed_reach(t, left_out) if shape == "free" else np.array([-t, t])
        low, high = wilson_ends(value, error, t) if shape == "bounded" else (value + reach * error).tolist()
    return Interval(low, high, level, method, draws, rough_note(n, over))


def too_few_note(clusters: int, over: str) -> str:
    """Return the note of so few *clusters*, called *over*, that there is no interval.

    >>> too_few_note(1, "targets")
    'no interval: 1 target cannot show how values vary'
    """
    return f"no interval: {clusters} {over.removesuffix('s') if clusters == 1 else over} cannot show how values vary"


def same_value_ends(value: float, unlike: float, limits: tuple[float, float]) -> tuple[float, float]:
    """Return the ends where all clusters have one value, and a share *unlike* of others lies between the *limits*."""
    return value - unlike * (value - limits[0]), value + unlike * (limits[1] - value)


def rough_note(clusters: int, over: str, lost: int = 0) -> str | None:
    """Return a note where so few *clusters*, called *over*, give a rough interval.

    The means of strata take *lost* of them.

    >>> rough_note(9, "targets")
    'with only 9 targets, intervals are rough'
    """
    return f"with only {clusters} {over}, intervals are rough" if clusters - lost <= FEW_CLUSTERS else None


def percentile(replicates: Floats, level: float = 0.95) -> Interval:
    """Return the interval between the (1 - level)/2 and (1 + level)/2 quantiles of the *replicates*.

    Replicates that are not finite are left out; where none is finite, the ends are nan.

    >>> percentile(np.arange(101.0), level=0.5)
    Interval(low=25.0, high=75.0, level=0.5, method='percentile', draws=101, note=None)
    """
    low, high = _quantiles(replicates, np.array(_tails(level)))
    return Interval(low, high, level, "percentile", len(replicates))


def percentile_of_clusters(replicates: Floats, level: float, clusters: int) -> Interval:
    """Return the percentile interval of values drawn from *clusters*; none, with a note, where these are too few.

    >>> percentile_of_clusters(np.arange(101.0), 0.5, 3).note
    'no interval: it needs at least 5 independent units, and there are 3'
    """
    ends = percentile(replicates, level)
    if clusters >= FEWEST_CLUSTERS:
        return ends
    counted = "there is 1" if clusters == 1 else f"there are {clusters}"
    note = f"no interval: it needs at least {FEWEST_CLUSTERS} independent units, and {counted}"
    return replace(ends, low=np.nan, high=np.nan, note=note)


def bca(replicates: Floats, value: float, jackknifed: Floats, level: float = 0.95) -> Interval:
    """Return the bias-corrected and accelerated interval (Efron 1987; Efron & Tibshirani 1993, 14.3).

    The quantiles are Φ(z0 + (z0 + z) / (1 - a (z0 + z))) for z = Φ⁻¹ of the two tails. The bias z0 is Φ⁻¹ of the
    share of *replicates* below *value*, ties half, kept half a draw away from 0 and 1; the acceleration a is
    Σ d³ / 6 (Σ d²)^1.5 with d the mean of the *jackknifed* values minus each, and 0 where they are all equal.

    >>> round(bca(np.arange(101.0), 50.0, np.array([49.0, 50.0, 51.0]), level=0.9).low, 9)
    5.0
    """
    tails = ndtri(_tails(level))
    finite = replicates[np.isfinite(replicates)]
    if not len(finite) or not np.isfinite(value):
        return Interval(np.nan, np.nan, level, "bca", len(replicates))
    below = (np.mean(finite < value) + np.mean(finite <= value)) / 2
    least = 0.5 / len(finite)
    bias = ndtri(np.clip(below, least, 1 - least))
    shifted = bias + tails
    finite_jackknifed = jackknifed[np.isfinite(jackknifed)]
    acceleration = (
        _skewness(finite_jackknifed) / (6 * np.sqrt(len(finite_jackknifed))) if len(finite_jackknifed) else 0.0
    )
    # Past its pole the formula would turn round and put the upper end below the lower one.
    stretch = np.maximum(1 - acceleration * shifted, np.finfo(np.float64).tiny)
    low, high = _quantiles(finite, ndtr(bias + shifted / stretch))
    return Interval(low, high, level, "bca", len(replicates))


def jackknife(records: Floats, fold: Fold) -> Floats:
    """Return the value without each item (or cluster) in turn: fold(total - record).

    >>> from touchstone.stats import mean, mean_records
    >>> jackknife(mean_records(np.array([1.0, 2.0, 6.0])), mean).tolist()
    [4.0, 3.5, 1.5]
    """
    total = records.sum(axis=0)
    # In blocks: a fold may need far more memory than the records that it gets.
    starts = range(0, len(records), BLOCK)
    return np.concatenate([np.zeros(0), *(folded(fold, total - records[at : at + BLOCK]) for at in starts)])


def standard_error(jackknifed: Floats) -> float:
    """Return the standard error of a value from what it is without each cluster.

    For a mean, as of 1, 2 and 6, this is sd / sqrt(n):

    >>> round(standard_error(np.array([4.0, 3.5, 1.5])), 4), round(float(np.std([1, 2, 6], ddof=1)) / 3**0.5, 4)
    (1.5275, 1.5275)
    """
    n = len(jackknifed)
    return float(np.sqrt((n - 1) / n * np.sum((jackknifed - jackknifed.mean()) ** 2)))


def wilson_ends(value: float, error: float, t: float) -> tuple[float, float]:
    """Return Wilson's (1927) interval of a share from as many items as give this standard *error*.

    Those are v (1 - v) / error², so that the usual z² / n is t² error² / v (1 - v).
    """
    spread = (t * error) ** 2 / (value * (1 - value))
    centre = (value + spread / 2) / (1 + spread)
    reach = np.sqrt((t * error) ** 2 + spread**2 / 4) / (1 + spread)
    return float(centre - reach), float(centre + reach)


def skewed_reach(t: float, left_out: Floats) -> Floats:
    """Return how many standard errors below and above the value an interval ends, given the skewness of the clusters.

    Hall (1992), On the Removal of Skewness by Transformation: T + a T² / 3 + a² T³ / 27 + a / 6 is nearly as t, with
    a the skewness over sqrt(n); solved for T that is 3 (cbrt(1 + a (t - a / 6)) - 1) / a.
    """
    a = _skewness(left_out) / np.sqrt(len(left_out))
    # The lower end lies where T has its upper quantile.
    quantiles = np.array([t, -t])
    if abs(a) < 1e-6:  # the limit, where the formula would divide by nothing
        return -quantiles
    return np.asarray(-3 * (np.cbrt(1 + a * (quantiles - a / 6)) - 1) / a)


def _skewness(left_out: Floats) -> float:
    """Return the skewness of clusters: they lie opposite to what is left without them."""
    away = left_out.mean() - left_out
    spread = float(np.mean(away**2)) ** 1.5
    return float(np.mean(away**3)) / spread if spread > 0 else 0.0


def _tails(level: float) -> tuple[float, float]:
    check_share("level", level, "a 95 % interval has the level 0.95")
    return (1 - level) / 2, (1 + level) / 2


def _quantiles(replicates: Floats, shares: Floats) -> tuple[float, float]:
    finite = replicates[np.isfinite(replicates)]
    low, high = np.quantile(finite, shares) if len(finite) else (np.nan, np.nan)
    return float(low), float(high)
