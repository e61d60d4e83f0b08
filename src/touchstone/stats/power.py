"""How many items it takes to tell two systems apart: power of the paired t test, by resampling what was seen.

Power at the observed difference is no evidence of no difference; so the difference and its interval are shown with it.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.base.ragged import Floats, Ints
from touchstone.base.tables import Column, Table, number
from touchstone.stats.bootstrap import ROWS, affordable_draws, generator
from touchstone.stats.checks import check_share
from touchstone.stats.comparisons import check_alpha
from touchstone.stats.intervals import Interval, jackknife, jackknife_interval
from touchstone.stats.records import mean, mean_records

BEYOND, FARTHEST = 5, 500
"""The curve ends at this many times the items that there are, if that is no more than the second number."""

FEWEST_ITEMS = 3
"""Two differences cannot show how differences scatter."""

NO_SPREAD = 1e-6
"""A spread of differences below this share of their size is the rounding of running sums: one item drawn throughout."""

TABLE_SIZES = (2, 3, 5, 8, 10, 15, 20, 30, 40, 60, 80, 100)
"""Numbers of items that the table shows."""

TEST = "paired t"


@dataclass(frozen=True, eq=False)
class PowerCurve:
    """The chance of a significant difference with the sign of the full data, for 2, 3, … items drawn.

    *enough* is the smallest number of items with power of at least *target*; None if the curve does not reach it.
    Numbers of items above *n_items* are extrapolations.
    """

    difference: float
    interval: Interval
    n_items: int
    sizes: Ints
    power: Floats
    enough: int | None
    target: float
    alpha: float
    draws: int

    def to_table(self) -> Table:
        """Return the power for some numbers of items, with what it was computed from."""
        sizes = [size for size in TABLE_SIZES if size <= self.sizes[-1]]
        rows = [
            (size, number(float(self.power[size - 2])), "extrapolated" if size > self.n_items else "") for size in sizes
        ]
        columns = (Column("items", "right"), Column("power", "right"), Column(""))
        return Table(columns, rows, f"Power, {TEST}, α = {self.alpha:g}", (self._difference_note(), self._reached()))

    def _difference_note(self) -> str:
        low, high = number(self.interval.low, 4), number(self.interval.high, 4)
        return (
            f"difference {number(self.difference, 4)} ({low} to {high}) over {self.n_items:,} items; "
            f"{self.draws:,} draws; power at the observed difference is not evidence of no difference"
        )

    def _reached(self) -> str:
        if self.enough is None:
            return f"power {self.target:g} is not reached with up to {self.sizes[-1]:,} items"
        beyond = ", more than there are" if self.enough > self.n_items else ""
        return f"power {self.target:g} needs {self.enough:,} items{beyond}"


def power_curve(
    a: Sequence[float] | Floats,
    b: Sequence[float] | Floats,
    *,
    target: float = 0.8,
    alpha: float = 0.05,
    draws: int = 10_000,
    seed: int = 0,
) -> PowerCurve:
    """Return the power to tell systems *a* and *b* apart with m = 2, 3, … items, from their scores of the same items.

    For each m: the share of *draws* of m items with replacement in which the paired t test is significant at *alpha*
    with the sign that the difference has in the full data. One item drawn m times shows no spread, and counts as not
    significant. Items without a score of both are left out.

    >>> a, b = [0.30, 0.42, 0.35, 0.51, 0.44, 0.38], [0.21, 0.30, 0.33, 0.40, 0.36, 0.25]
    >>> curve = power_curve(a, b, draws=2000)
    >>> round(curve.difference, 4), curve.enough
    (0.0917, 4)
    """
    check_alpha(alpha)
    check_share("power", target, "a usual value is 0.8")
    pairs = _paired_scores(a, b)
    differences = pairs[0] - pairs[1]
    sizes = np.arange(2, max(len(differences), min(BEYOND * len(differences), FARTHEST)) + 1)
    made = affordable_draws(len(sizes), draws)
    power = _significant(differences, sizes, alpha, made, seed) / made
    reached = np.flatnonzero(power >= target)
    records = [mean_records(scores) for scores in pairs]
    values, left_out = [mean(part.sum(axis=0)) for part in records], [jackknife(part, mean) for part in records]
    return PowerCurve(
        difference=float(differences.mean()),
        interval=jackknife_interval(
            float(values[0] - values[1]), left_out[0] - left_out[1], shape="difference", level=1 - alpha
        ),
        n_items=len(differences),
        sizes=sizes,
        power=power,
        enough=int(sizes[reached[0]]) if len(reached) else None,
        target=target,
        alpha=alpha,
        draws=made,
    )


def _paired_scores(a: Sequence[float] | Floats, b: Sequence[float] | Floats) -> Floats:
    pairs = np.array([a, b], np.float64)
    pairs = pairs[:, np.isfinite(pairs).all(axis=0)]
    if pairs.shape[1] < FEWEST_ITEMS:
        what, hint = f"{pairs.shape[1]} items have a score of both systems", f"give at least {FEWEST_ITEMS}"
        raise TouchstoneError(what, code=Code.TOO_FEW, hint=hint)
    differences = pairs[0] - pairs[1]
    if differences.std() <= NO_SPREAD * np.abs(differences).max():
        what, hint = "the two systems differ by the same amount on every item", "the paired t test needs a spread"
        raise TouchstoneError(what, code=Code.UNSUPPORTED, hint=hint)
    return pairs


def _significant(differences: Floats, sizes: Ints, alpha: float, draws: int, seed: int) -> Ints:
    """Return in how many draws of each size the difference is significant with the sign of all *differences*.

    The first m items of a draw are a draw of m items: running sums serve all sizes at once.
    """
    random = generator(seed)
    least = scipy.stats.t.isf(alpha / 2, sizes - 1)
    signed = differences * np.sign(differences.mean())
    smallest = NO_SPREAD * np.abs(differences).max()
    counts = np.zeros(len(sizes), np.int64)
    for first in range(0, draws, ROWS):
        drawn = signed[random.integers(0, len(signed), (min(ROWS, draws - first), int(sizes[-1])))]
        means = np.cumsum(drawn, axis=1)[:, 1:] / sizes
        squares = np.cumsum(drawn**2, axis=1)[:, 1:]
        spread = np.sqrt(np.maximum(squares - sizes * means**2, 0) / (sizes - 1))
        counts += ((means * np.sqrt(sizes) > least * spread) & (spread > smallest)).sum(axis=0)
    return counts
