"""Correlation of two lists of numbers, with a bootstrap interval: Pearson's r, Spearman's rho, Kendall's tau-b."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
import scipy

from touchstone.core.errors import TouchstoneError, nearest
from touchstone.core.ragged import Floats
from touchstone.stats.bootstrap import affordable_draws, resampled_counts
from touchstone.stats.intervals import Interval, percentile

CorrelationName = Literal["pearson", "spearman", "kendall"]

FEWEST_POINTS = 3
"""Two points always lie on a line."""

KENDALL_COST = 50
"""What a point costs in Kendall's tau beside one in a sum: 1,000 draws of 40,000 points take half a minute."""


ROUNDING = 1e-12
"""Numbers that differ by less than this share of their size are equal: a list of them is constant."""


@dataclass(frozen=True)
class Correlation:
    """A correlation over *n* points, its interval, and the chance *p* of one as far from 0 if there were none.

    *value* is nan where it is undefined, and *reason* says why; *left_out* points lacked one of the numbers.
    """

    name: CorrelationName
    value: float
    interval: Interval
    p: float
    n: int
    left_out: int
    reason: str | None = None


def correlate(
    x: Sequence[float] | Floats,
    y: Sequence[float] | Floats,
    name: CorrelationName = "pearson",
    *,
    draws: int = 1000,
    seed: int = 0,
    level: float = 0.95,
) -> Correlation:
    """Return the correlation of *x* and *y*, the bootstrap interval over points, and p.

    Value and p are scipy's; ties get average ranks, Kendall's is tau-b. Points without one of the numbers (nan) are
    left out. Fewer than three are refused; where one side is constant the correlation is undefined.

    >>> result = correlate([1, 2, 3, 4, 5], [1, 2, 3, 5, 4], "spearman")
    >>> round(result.value, 12), result.n, result.reason
    (0.9, 5, None)
    """
    points = _paired_points(x, y)
    statistic, resampled = _method(name)
    n, left_out = points.shape[1], len(x) - points.shape[1]
    constant = [side for side, values in zip(("first", "second"), points, strict=True) if _constant(values)]
    if constant:
        unknown = percentile(np.full(draws, np.nan), level)
        return Correlation(name, np.nan, unknown, np.nan, n, left_out, f"the {constant[0]} list is constant")
    value, p = statistic(*points)
    made = affordable_draws(n * (KENDALL_COST if name == "kendall" else 1), draws)
    with np.errstate(divide="ignore", invalid="ignore"):
        replicates = np.concatenate([resampled(counts, *points) for counts in _resamples(n, made, seed)])
    return Correlation(name, float(value), percentile(replicates, level), float(p), n, left_out)


def _paired_points(x: Sequence[float] | Floats, y: Sequence[float] | Floats) -> Floats:
    a, b = np.asarray(x, np.float64), np.asarray(y, np.float64)
    if a.shape != b.shape or a.ndim != 1:
        raise TouchstoneError(f"{a.size:,} numbers beside {b.size:,}", hint="correlate two lists of the same length")
    if np.isinf(a).any() or np.isinf(b).any():
        raise TouchstoneError("a number is infinite", hint="give finite numbers, nan where one is missing")
    both = ~(np.isnan(a) | np.isnan(b))
    if np.count_nonzero(both) < FEWEST_POINTS:
        raise TouchstoneError(
            f"{np.count_nonzero(both)} points are too few to correlate", hint="give at least three with both numbers"
        )
    return np.stack([a[both], b[both]])


def _constant(values: Floats) -> bool:
    return bool(np.ptp(values) <= ROUNDING * np.abs(values).max())


def _resamples(n: int, draws: int, seed: int) -> Iterator[Floats]:
    """Yield how often each of *n* points is drawn, for some draws at a time."""
    counts = np.zeros((0, n))
    for rows, block, drawn in resampled_counts(n, draws, seed):
        if block.start == 0:
            counts = np.empty((rows.stop - rows.start, n))
        counts[:, block] = drawn
        if block.stop == n:
            yield counts


Statistic = Callable[[Floats, Floats], tuple[float, float]]
Resampled = Callable[[Floats, Floats, Floats], Floats]


def _method(name: str) -> tuple[Statistic, Resampled]:
    """Return scipy's function of two lists, and that of the number of times each point is drawn and the lists."""
    methods: dict[str, tuple[Statistic, Resampled]] = {
        "pearson": (scipy.stats.pearsonr, _weighted),
        "spearman": (
            scipy.stats.spearmanr,
            lambda counts, x, y: _weighted(counts, _ranks(counts, x), _ranks(counts, y)),
        ),
        "kendall": (scipy.stats.kendalltau, _kendalls),
    }
    if name not in methods:
        known = get_args(CorrelationName)
        raise TouchstoneError(
            "unknown correlation", value=name, near=nearest(name, known), hint=f"choose one of {', '.join(known)}"
        )
    return methods[name]


def _weighted(counts: Floats, x: Floats, y: Floats) -> Floats:
    """Return Pearson's r for each row of *counts*; x and y may differ from row to row."""
    n = counts.sum(axis=1, keepdims=True)
    dx, dy = (values - (counts * values).sum(axis=1, keepdims=True) / n for values in (x, y))
    drawn = counts > 0
    varied = [np.abs(d * drawn).max(axis=1) > ROUNDING * np.abs(values).max() for d, values in ((dx, x), (dy, y))]
    r = (counts * dx * dy).sum(axis=1) / np.sqrt((counts * dx**2).sum(axis=1) * (counts * dy**2).sum(axis=1))
    return np.where(varied[0] & varied[1], np.clip(r, -1, 1), np.nan)


def _ranks(counts: Floats, x: Floats) -> Floats:
    """Return the average rank of each point among those drawn: all below it, and half of its equals."""
    distinct, place = np.unique(x, return_inverse=True)
    drawn = np.zeros((len(counts), len(distinct)))
    np.add.at(drawn.T, place, counts.T)
    return np.asarray((np.cumsum(drawn, axis=1) - (drawn - 1) / 2)[:, place])


def _kendalls(counts: Floats, x: Floats, y: Floats) -> Floats:
    chosen = (np.repeat(np.arange(len(x)), row) for row in counts.astype(np.int64))
    return np.array([scipy.stats.kendalltau(x[points], y[points]).statistic for points in chosen])
