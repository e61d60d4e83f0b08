"""Correlation of two lists of numbers, with a bootstrap interval: Pearson's r, Spearman's rho, Kendall's tau-b."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
import scipy

from touchstone.base.codes import Code
from touchstone.base.compiling import is_compiled
from touchstone.base.errors import TouchstoneError
from touchstone.base.ragged import Bools, Floats, Ints
from touchstone.stats.bootstrap import affordable_draws, resampled_counts
from touchstone.stats.checks import check_choice
from touchstone.stats.intervals import Interval, percentile, percentile_of_clusters
from touchstone.stats.kendall import concordances

CorrelationName = Literal["pearson", "spearman", "kendall"]

FEWEST_POINTS = 3
"""Two points always lie on a line."""

KENDALL_COST = 50
"""What a point costs in Kendall's tau beside one in a sum, without numba: 1,000 draws of 40,000 points take half a
minute."""

FEW_POINTS = 500
"""Points up to which Kendall's tau compares all pairs by a matrix product, before compiled code would be loaded."""

_CELLS = 1 << 18
"""Draws times points that are computed together: some megabytes at a time."""

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

    @property
    def note(self) -> str | None:
        """Why there is no value, or no interval; None if there are both."""
        return f"undefined, {self.reason}" if self.reason else self.interval.note


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
    statistic = _statistic(name)
    n, left_out = points.shape[1], len(x) - points.shape[1]
    constant = [side for side, values in zip(("first", "second"), points, strict=True) if _constant(values)]
    if constant:
        unknown = percentile(np.full(draws, np.nan), level)
        return Correlation(name, np.nan, unknown, np.nan, n, left_out, f"the {constant[0]} list is constant")
    value, p = statistic(*points)
    made = affordable_draws(n * (KENDALL_COST if name == "kendall" else 1), draws)
    drawn = _resamples(n, made, seed)
    replicates = [resampled_correlations(points[0], points[1], np.arange(n), times, name) for times in drawn]
    ends = percentile_of_clusters(np.concatenate(replicates), level, n)
    return Correlation(name, float(value), ends, float(p), n, left_out)


def _paired_points(x: Sequence[float] | Floats, y: Sequence[float] | Floats) -> Floats:
    a, b = np.asarray(x, np.float64), np.asarray(y, np.float64)
    if a.shape != b.shape or a.ndim != 1:
        what, hint = f"{a.size:,} numbers beside {b.size:,}", "correlate two lists of the same length"
        raise TouchstoneError(what, code=Code.MISMATCH, hint=hint)
    if np.isinf(a).any() or np.isinf(b).any():
        hint = "give finite numbers, nan where one is missing"
        raise TouchstoneError("a number is infinite", code=Code.NOT_FINITE, hint=hint)
    both = ~(np.isnan(a) | np.isnan(b))
    if np.count_nonzero(both) < FEWEST_POINTS:
        what = f"{np.count_nonzero(both)} points are too few to correlate"
        raise TouchstoneError(what, code=Code.TOO_FEW, hint="give at least three with both numbers")
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


def _statistic(name: str) -> Statistic:
    """Return scipy's function of two lists."""
    methods: dict[str, Statistic] = {
        "pearson": scipy.stats.pearsonr,
        "spearman": scipy.stats.spearmanr,
        "kendall": scipy.stats.kendalltau,
    }
    check_choice("correlation", name, get_args(CorrelationName))
    return methods[name]


def resampled_correlations(x: Floats, y: Floats, cluster: Ints, times: Floats | Ints, name: CorrelationName) -> Floats:
    """Return the correlation of *x* and *y* in each draw; nan where one side is constant or fewer than three are drawn.

    Parameters
    ----------
    x, y
        The numbers of each point.
    cluster
        The cluster of each point, as a column of *times*.
    times
        How often each cluster is drawn: a row for each draw.
    name
        The correlation.

    Examples
    --------
    >>> x, y, times = np.array([1.0, 2.0, 3.0]), np.array([2.0, 1.0, 3.0]), np.array([[1.0, 1.0, 1.0], [1.0, 2.0, 0.0]])
    >>> resampled_correlations(x, y, np.arange(3), times, "spearman").round(12).tolist()
    [0.5, -1.0]
    """
    correlations = np.full(len(times), np.nan)
    height = max(_CELLS // max(len(x), 1), 1)
    for start in range(0, len(times) if len(x) else 0, height):
        rows = slice(start, start + height)
        drawn = times[rows][:, cluster].astype(np.float64)
        with np.errstate(divide="ignore", invalid="ignore"):
            values = _COEFFICIENTS[name](drawn, x, y)
        correlations[rows] = np.where(drawn.sum(axis=1) >= FEWEST_POINTS, values, np.nan)
    return correlations


def _pearson(times: Floats, x: Floats, y: Floats) -> Floats:
    return np.where(_varied(times, x) & _varied(times, y), _cosine(times, x, y), np.nan)


def _spearman(times: Floats, x: Floats, y: Floats) -> Floats:
    ranks = _cosine(times, _ranks(times, x), _ranks(times, y))
    return np.where(_varied(times, x) & _varied(times, y), ranks, np.nan)


def _cosine(times: Floats, x: Floats, y: Floats) -> Floats:
    """Return Pearson's r for each row of *times*; x and y may differ from row to row."""
    n = times.sum(axis=1)
    dx, dy = (values - (_products(times, np.broadcast_to(values, times.shape)) / n)[:, None] for values in (x, y))
    tx, ty = times * dx, times * dy
    return np.asarray(np.clip(_products(tx, dy) / np.sqrt(_products(tx, dx) * _products(ty, dy)), -1, 1))


def _products(a: Floats, b: Floats) -> Floats:
    """Return the product of each row of *a* with its row of *b*."""
    return np.asarray(np.einsum("ij,ij->i", a, b))


def _varied(times: Floats, x: Floats) -> Bools:
    """Return in which rows the points that are drawn differ by more than rounding."""
    order = np.argsort(x)
    drawn = times[:, order] > 0
    lowest, highest = x[order][drawn.argmax(axis=1)], x[order][len(x) - 1 - drawn[:, ::-1].argmax(axis=1)]
    return np.asarray(highest - lowest > ROUNDING * np.maximum(np.abs(lowest), np.abs(highest)))


def _ranks(times: Floats, x: Floats) -> Floats:
    """Return the average rank of each point among those drawn: all below it, and half of its equals."""
    drawn, value_index = _drawn_values(times, x)
    # Equals share the middle of their ranks, which end where the count of all up to them does.
    return np.asarray((np.cumsum(drawn, axis=1) - (drawn - 1) / 2)[:, value_index])


def _drawn_values(times: Floats, x: Floats) -> tuple[Floats, Ints]:
    """Return how often each distinct value is drawn, in ascending order, and the place of each point among them."""
    order = np.argsort(x, kind="stable")
    first = np.concatenate([[True], np.diff(x[order]) > 0])
    value_index = np.empty(len(x), np.int64)
    value_index[order] = np.cumsum(first) - 1
    return np.add.reduceat(times[:, order], np.flatnonzero(first), axis=1), value_index


def _kendall(times: Floats, x: Floats, y: Floats) -> Floats:
    """Return tau-b: concordant less discordant pairs, over the root of the pairs without ties of x times those of y."""
    many = len(x) > FEW_POINTS
    if many and not is_compiled(concordances):
        chosen = (np.repeat(np.arange(len(x)), row) for row in times.astype(np.int64))
        return np.array([scipy.stats.kendalltau(x[points], y[points]).statistic for points in chosen])
    (of_x, x_index), (of_y, y_index) = _drawn_values(times, x), _drawn_values(times, y)
    if many:
        order = np.argsort(x_index, kind="stable")
        more = concordances(times[:, order], x_index[order], y_index[order], of_y.shape[1])
    else:
        signs = np.sign(x_index[:, None] - x_index) * np.sign(y_index[:, None] - y_index)
        more = (times @ signs.astype(np.float64) * times).sum(axis=1) / 2
    pairs, tied_x, tied_y = ((n * (n - 1)).sum(axis=1) / 2 for n in (times.sum(axis=1, keepdims=True), of_x, of_y))
    # In the order in which scipy divides, so that the last digit is the same.
    return np.asarray(np.clip(more / np.sqrt(pairs - tied_x) / np.sqrt(pairs - tied_y), -1, 1))


_COEFFICIENTS: dict[CorrelationName, Callable[[Floats, Floats, Floats], Floats]] = {
    "pearson": _pearson,
    "spearman": _spearman,
    "kendall": _kendall,
}
"""From how often each point is drawn, a row for each draw, and the points."""
