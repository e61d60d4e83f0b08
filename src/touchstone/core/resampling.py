"""How sure a figure is: intervals by drawing items again, the same ones for every system and measure."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from touchstone.core.errors import TouchstoneError, nearest
from touchstone.core.measures import Measure
from touchstone.core.ragged import Floats, Ints
from touchstone.core.tables import number
from touchstone.stats import affordable_draws, bca, cluster_records, folded, jackknife, percentile, resampled_sums

AT_A_TIME = 32
"""Measures of systems that are resampled together: bounds the memory, whatever the number of systems."""


@dataclass(frozen=True)
class Resampling:
    """How intervals are found: by drawing items, or the values of a field (*cluster*) that several items share."""

    method: Literal["percentile", "bca", "none"] = "percentile"
    draws: int = 1000
    seed: int = 0
    level: float = 0.95
    cluster: str | None = None

    def __post_init__(self) -> None:
        known = ("percentile", "bca", "none")
        if self.method not in known:
            raise TouchstoneError("unknown method of interval", value=self.method, near=nearest(self.method, known))

    def affordable(self, items: int) -> "Resampling":
        """Return the same with no more draws than so many *items* allow in good time."""
        return replace(self, draws=affordable_draws(items, self.draws))

    def __str__(self) -> str:
        if self.method == "none":
            return "none"
        return f"{self.level:.0%} {self.method} bootstrap over {self.over}, {self.draws:,} draws, seed {self.seed}"

    @property
    def over(self) -> str:
        """What is drawn, in words."""
        name = self.cluster or "item"
        return f"values of {name}" if name.endswith("s") else f"{name}s"


def intervals(
    parts: Sequence[tuple[Measure[Any], Floats]], resampling: Resampling, clusters: Ints | None
) -> Iterator[tuple[float, float]]:
    """Yield the ends of the interval of each part; the same items are drawn for all of them."""
    if resampling.method == "none":
        yield from [(np.nan, np.nan)] * len(parts)
        return
    for at in range(0, len(parts), AT_A_TIME):
        some = parts[at : at + AT_A_TIME]
        units = cluster_records(np.hstack([records for _, records in some]), clusters)
        sums = resampled_sums(units, draws=affordable_draws(len(units), resampling.draws), seed=resampling.seed)
        start = 0
        for measure, records in some:
            columns = slice(start, start := start + records.shape[1])
            yield _ends(measure, units[:, columns], folded(measure.fold, sums[:, columns]), resampling)


def _ends(measure: Measure[Any], units: Floats, replicates: Floats, resampling: Resampling) -> tuple[float, float]:
    if resampling.method == "percentile":
        found = percentile(replicates, resampling.level)
    else:
        value = float(folded(measure.fold, units.sum(axis=0)))
        found = bca(replicates, value, jackknife(units, measure.fold), resampling.level)
    return _same_everywhere(found.low), _same_everywhere(found.high)


def _same_everywhere(value: float) -> float:
    """Return *value* without its last digits, which depend on the order in which a machine adds."""
    return float(f"{value:.12g}")


def interval_text(low: float, high: float) -> str:
    """Return an interval as tables show it; nothing where there is none.

    >>> interval_text(0.25, 0.5), interval_text(-0.5, -0.25)
    ('0.250–0.500', '-0.500 to -0.250')
    """
    between = " to " if high < 0 else "–"  # a dash before a minus sign is hard to read
    return "" if np.isnan(low) else f"{number(low)}{between}{number(high)}"
