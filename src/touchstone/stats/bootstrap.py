"""Bootstrap intervals: how far a value would move if other items of the same kind had been drawn.

Efron & Tibshirani (1993), An Introduction to the Bootstrap, chapters 13 (percentile) and 14 (BCa).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.special import ndtr, ndtri

from touchstone.core.errors import TouchstoneError, nearest
from touchstone.core.ragged import Floats, Ints
from touchstone.stats.records import Fold, cluster_records, folded

Method = Literal["percentile", "bca"]

BLOCK = 4096
"""Items counted at a time: the counts of one draw stay in the first cache (32 KiB)."""

ROWS = 256
"""Draws counted at a time: with `BLOCK`, four arrays of 8 MiB whatever the numbers of items and draws."""

UNIT_DRAWS = 2_000_000_000
"""Units times draws that are worth waiting for: 1,000 draws of a million units take 8 s on one core (AMD EPYC)."""

FEWEST = 100
"""Draws that are made however many units there are: with fewer, a 95 % interval is little but its extremes."""


@dataclass(frozen=True)
class Interval:
    """Where a value lies with the given *level* of confidence, and how that was found."""

    low: float
    high: float
    level: float
    method: str
    draws: int


def interval(
    records: Floats,
    fold: Fold,
    *,
    method: Method = "percentile",
    draws: int = 1000,
    seed: int = 0,
    clusters: Ints | None = None,
    level: float = 0.95,
) -> Interval:
    """Return the bootstrap interval of ``fold(records.sum(axis=0))``.

    Fewer draws are made where *draws* would take minutes (`affordable_draws`); the interval says how many.

    >>> from touchstone.stats import mean, mean_records
    >>> found = interval(mean_records(np.array([0.0, 1.0] * 50)), mean)
    >>> round(found.low, 2), round(found.high, 2), found.draws
    (0.4, 0.6, 1000)
    """
    check_method(method)
    units = cluster_records(records, clusters)
    replicates = folded(fold, resampled_sums(units, draws=affordable_draws(len(units), draws), seed=seed))
    if method == "percentile":
        return percentile(replicates, level)
    return bca(replicates, float(folded(fold, units.sum(axis=0))), jackknife(units, fold), level)


def percentile(replicates: Floats, level: float = 0.95) -> Interval:
    """Return the interval between the (1 - level)/2 and (1 + level)/2 quantiles of the *replicates*.

    Replicates that are not finite are left out; where none is finite, the ends are nan.

    >>> percentile(np.arange(101.0), level=0.5)
    Interval(low=25.0, high=75.0, level=0.5, method='percentile', draws=101)
    """
    low, high = _quantiles(replicates, np.array(_tails(level)))
    return Interval(low, high, level, "percentile", len(replicates))


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
    stretch = np.maximum(1 - _acceleration(jackknifed) * shifted, np.finfo(np.float64).tiny)
    low, high = _quantiles(finite, ndtr(bias + shifted / stretch))
    return Interval(low, high, level, "bca", len(replicates))


def jackknife(records: Floats, fold: Fold, *, clusters: Ints | None = None) -> Floats:
    """Return the value without each item (or cluster) in turn: fold(total - record).

    >>> from touchstone.stats import mean, mean_records
    >>> jackknife(mean_records(np.array([1.0, 2.0, 6.0])), mean).tolist()
    [4.0, 3.5, 1.5]
    """
    units = cluster_records(records, clusters)
    total = units.sum(axis=0)
    starts = range(0, len(units), BLOCK)
    return np.concatenate([np.zeros(0), *(folded(fold, total - units[at : at + BLOCK]) for at in starts)])


def resampled_sums(records: Floats, *, draws: int = 1000, seed: int = 0, clusters: Ints | None = None) -> Floats:
    """Return, for each draw, the sum of as many records as there are, drawn with replacement: (draws, k).

    With *clusters* the records of each are added up first, and clusters are drawn. The draws depend on the number
    of units, *draws* and *seed* alone: two systems resampled with the same three meet the same items.

    >>> resampled_sums(np.ones((5, 2)), draws=3).tolist()
    [[5.0, 5.0], [5.0, 5.0], [5.0, 5.0]]
    """
    check_draws(draws)
    units = cluster_records(records, clusters)
    sums = np.zeros((draws, units.shape[1]))
    for rows, block, counts in resampled_counts(len(units), draws, seed):
        sums[rows] += counts @ units[block]
    return sums


def resampled_counts(n: int, draws: int, seed: int) -> Iterator[tuple[slice, slice, Floats]]:
    """Yield how often each of *n* units is drawn: some draws, some units, and their counts as a matrix.

    The draws of n units are split over blocks of units by one multinomial draw, then made within each block.
    That is the same distribution as n draws from all units, in memory that does not grow with n.
    """
    if not n:
        return
    random = generator(seed)
    starts = np.arange(0, n, BLOCK)
    sizes = np.minimum(BLOCK, n - starts)
    for first in range(0, draws, ROWS):
        rows = slice(first, min(first + ROWS, draws))
        split = random.multinomial(n, sizes / n, size=rows.stop - rows.start)
        for start, size, drawn in zip(starts.tolist(), sizes.tolist(), split.T, strict=True):
            yield rows, slice(start, start + size), _counts(random, size, drawn)


def affordable_draws(n_units: int, draws: int) -> int:
    """Return *draws*, or fewer where drawing *n_units* so often would take minutes.

    >>> affordable_draws(1_000_000, 1000), affordable_draws(10_000_000, 1000), affordable_draws(10**9, 1000)
    (1000, 200, 100)
    """
    check_draws(draws)
    return min(draws, max(FEWEST, UNIT_DRAWS // max(n_units, 1)))


def generator(seed: int) -> np.random.Generator:
    """Return the source of chance that every draw here comes from."""
    if seed < 0:
        raise TouchstoneError(f"seed {seed} is below 0", hint="give 0 or a positive whole number")
    return np.random.default_rng(seed)


def check_draws(draws: int) -> None:
    """Refuse a number of *draws* from which nothing can be said."""
    if draws < 1:
        raise TouchstoneError(f"{draws} draws asked for", hint="ask for at least one draw")


def check_method(method: str) -> None:
    """Refuse a *method* of interval that is not known."""
    known = ("percentile", "bca")
    if method not in known:
        raise TouchstoneError(
            "unknown method of interval",
            value=method,
            near=nearest(method, known),
            hint=f"choose one of {', '.join(known)}",
        )


def _counts(random: np.random.Generator, size: int, drawn: Ints) -> Floats:
    """Return how often each of *size* units is drawn in each row, where row i draws ``drawn[i]`` times."""
    cells = np.repeat(np.arange(len(drawn)) * size, drawn)
    cells += random.integers(0, size, len(cells))
    counts = np.bincount(cells, minlength=len(drawn) * size)
    return counts.reshape(len(drawn), size).astype(np.float64)


def _tails(level: float) -> tuple[float, float]:
    if not 0 < level < 1:
        raise TouchstoneError(f"level {level} is not between 0 and 1", hint="a 95 % interval has the level 0.95")
    return (1 - level) / 2, (1 + level) / 2


def _quantiles(replicates: Floats, shares: Floats) -> tuple[float, float]:
    finite = replicates[np.isfinite(replicates)]
    low, high = np.quantile(finite, shares) if len(finite) else (np.nan, np.nan)
    return float(low), float(high)


def _acceleration(jackknifed: Floats) -> float:
    finite = jackknifed[np.isfinite(jackknifed)]
    if not len(finite):
        return 0.0
    away = finite.mean() - finite
    spread = float(np.sum(away**2)) ** 1.5
    return float(np.sum(away**3)) / (6 * spread) if spread > 0 else 0.0
