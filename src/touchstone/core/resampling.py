"""Intervals of measures: how they are computed, over which clusters of items, and what is said where there are none."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, Literal, get_args

import numpy as np

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError, unknown_name
from touchstone.base.ragged import Floats, Ints
from touchstone.base.tables import number, number_beside
from touchstone.core.measures import Measure
from touchstone.stats import (
    Interval,
    affordable_draws,
    cluster_records,
    folded,
    interval,
    jackknife,
    jackknife_interval,
    mean,
    resampled_sums,
)

BLOCK = 1 << 16
"""Items whose values are looked at together: bounds the memory."""

AT_A_TIME = 32
"""Measures of systems that are resampled together: bounds the memory, whatever the number of systems."""

Method = Literal["jackknife", "percentile", "bca", "none"]

Span = tuple[float, float]
"""The least and the greatest value of an item, where records are sums of several items."""

Part = tuple[Measure[Any], Floats, Span | None]
"""A measure, the records of a system, and the span of its items; None if each record is one item."""


@dataclass(frozen=True)
class Resampling:
    """How intervals are computed, and which items form clusters in tests and intervals.

    Parameters
    ----------
    method
        "jackknife", a t interval from the value without each cluster; "percentile" or "bca", a bootstrap; "none".
    draws, seed
        The number of bootstrap draws, and the seed of all draws, including those of tests.
    level
        The confidence level of intervals.
    cluster
        The field of the items that defines clusters: items with the same value are drawn, left out and swapped
        together. None for single items.
    groups
        If there are very many clusters, the number of groups to which they were assigned at random: groups are then
        drawn, left out and swapped as a whole.
    """

    method: Method = "jackknife"
    draws: int = 1000
    seed: int = 0
    level: float = 0.95
    cluster: str | None = None
    groups: int | None = None

    def __post_init__(self) -> None:
        methods = get_args(Method)
        if self.method not in methods:
            raise unknown_name("unknown method of interval", self.method, methods)
        if not 0 < self.level < 1:
            hint = "a 95 % interval has the level 0.95"
            raise TouchstoneError(f"level {self.level:g} is not between 0 and 1", code=Code.OUT_OF_RANGE, hint=hint)

    def affordable(self, items: int) -> "Resampling":
        """Return the same, with fewer draws where there are too many *items* for all; the jackknife has none."""
        return self if self.method == "jackknife" else replace(self, draws=affordable_draws(items, self.draws))

    def bootstrap(self) -> "Resampling":
        """Return the same with a percentile bootstrap in place of the jackknife, as agreement and correlations have."""
        return replace(self, method="percentile") if self.method == "jackknife" else self

    def __str__(self) -> str:
        if self.method == "none":
            return "none"
        grouped = f"{self.groups:,} " if self.groups else ""
        if self.method == "jackknife":
            return f"{level_text(self.level)} jackknife t over {grouped}{self.over}"
        drawn = f"{grouped}{self.over}, {self.draws:,} draws, seed {self.seed}"
        return f"{level_text(self.level)} {self.method} bootstrap over {drawn}"

    @property
    def over(self) -> str:
        """What is drawn, in words.

        Examples
        --------
        >>> Resampling(cluster="target").over, Resampling().over, Resampling(cluster="species").over
        ('targets', 'items', 'values of species')
        >>> str(Resampling(cluster="target", groups=1000))
        '95% jackknife t over 1,000 groups of targets'
        """
        name = self.cluster or "item"
        several = f"values of {name}" if name.endswith("s") else f"{name}s"
        return f"groups of {several}" if self.groups else several

    def counted(self, n: int) -> str:
        """Return how many clusters there are, in words.

        Examples
        --------
        >>> Resampling(cluster="target").counted(201), Resampling().counted(1)
        ('201 targets', '1 item')
        """
        return f"{n:,} {self.over if n != 1 else self.cluster or 'item'}"


Bootstrap = Resampling
"""A resampling whose intervals always come from random draws, as those of correlations do."""


def intervals(parts: Iterable[Part], resampling: Resampling, clusters: Ints | None) -> Iterator[Interval]:
    """Yield the interval of each part, a measure and the records of a system; all parts are of the same items.

    Parameters
    ----------
    parts
        Measures, each with the records that it is computed from.
    resampling
        How intervals are computed.
    clusters
        The cluster of each item, or None.
    """
    method = resampling.method
    remaining_parts = iter(parts)
    if method == "none":
        yield from (Interval(np.nan, np.nan, resampling.level, method, 0) for _ in remaining_parts)
        return
    # A bootstrap draws for several parts at once; the jackknife takes one after the other, and holds no other.
    while some := list(islice(remaining_parts, 1 if method == "jackknife" else AT_A_TIME)):
        sums = [cluster_records(records, clusters) for _, records, _ in some]
        ends = [
            interval(
                part,
                measure.fold,
                method=method,
                level=resampling.level,
                bounded=is_bounded(measure, records, span),
                over=resampling.over,
                replicates=None if drawn is None else folded(measure.fold, drawn),
            )
            for (measure, records, span), part, drawn in zip(some, sums, _replicates(sums, resampling), strict=True)
        ]
        ends = [_possible(each, *part) for each, part in zip(ends, some, strict=True)]
        del some, sums  # before the next ones are made
        yield from map(_same_everywhere, ends)


def difference_intervals(
    systems: Sequence[Floats],
    pairs: Sequence[tuple[int, int]],
    measure: Measure[Any],
    resampling: Resampling,
    clusters: Ints | None,
    spans: Sequence[Span | None] | None = None,
) -> list[Interval]:
    """Return the interval of the difference of each pair of systems; a bootstrap draws all on the same items.

    Parameters
    ----------
    systems
        The records of each system under the measure.
    pairs
        The positions of the two systems of each pair.
    measure, resampling, clusters
        As in `intervals`. Under "bca" these are percentile intervals too.
    spans
        The span of each system's items, where its records are sums of several.
    """
    how = resampling
    if how.method == "none":
        return [Interval(np.nan, np.nan, how.level, how.method, 0)] * len(pairs)
    sums = [cluster_records(records, clusters) for records in systems]
    drawn = [None if part is None else folded(measure.fold, part) for part in _replicates(sums, how)]
    values = [float(folded(measure.fold, part.sum(axis=0))) for part in sums]
    left_out = [jackknife(part, measure.fold) for part in sums]
    counted = [part.any(axis=1) for part in sums]
    records_and_spans = zip(systems, spans or [None] * len(systems), strict=True)
    bounded = [is_bounded(measure, records, span) for records, span in records_and_spans]
    pair_intervals = []
    for a, b in pairs:
        first, second = drawn[a], drawn[b]
        ends = jackknife_interval(
            values[a] - values[b],
            (left_out[a] - left_out[b])[counted[a] | counted[b]],
            None if first is None or second is None else first - second,
            method="jackknife" if how.method == "jackknife" else "percentile",
            shape="difference",
            limits=(-1.0, 1.0) if measure.fold is mean and all(bounded) else None,
            level=how.level,
            over=how.over,
        )
        if bounded[a] and bounded[b]:  # two values between 0 and 1 differ by 1 at most
            ends = replace(ends, low=max(ends.low, -1.0), high=min(ends.high, 1.0))
        pair_intervals.append(_same_everywhere(ends))
    return pair_intervals


def is_bounded(measure: Measure[Any], records: Floats, span: Span | None = None) -> bool:
    """Return whether the value of every item lies between 0 and 1, as those of a share or an F do."""
    if span is not None:
        return 0 <= span[0] <= span[1] <= 1
    counted = False
    for at in range(0, len(records), BLOCK):
        values = folded(measure.values, records[at : at + BLOCK])
        values = values[np.isfinite(values)]
        if len(values) and not (values.min() >= 0 and values.max() <= 1):
            return False
        counted = counted or bool(len(values))
    return counted


def _replicates(sums: Sequence[Floats], resampling: Resampling) -> Sequence[Floats | None]:
    """Return the resampled sums of each part, all drawn on the same clusters; None for the jackknife."""
    if resampling.method == "jackknife":
        return [None] * len(sums)
    draws = affordable_draws(len(sums[0]), resampling.draws)
    drawn = resampled_sums(np.hstack(sums), draws=draws, seed=resampling.seed)
    return np.split(drawn, np.cumsum([part.shape[1] for part in sums])[:-1], axis=1)


def _possible(ends: Interval, measure: Measure[Any], records: Floats, span: Span | None) -> Interval:
    """Return the interval without values below 0 where no item has such a value."""
    if not ends.low < 0:
        return ends
    negative = span[0] < 0 if span is not None else bool((folded(measure.values, records) < 0).any())
    return ends if negative or ends.high < 0 else replace(ends, low=0.0)


def _same_everywhere(ends: Interval) -> Interval:
    """Return the interval without the last digits of its ends, which depend on the order in which a machine adds."""
    return replace(ends, low=float(f"{ends.low:.12g}"), high=float(f"{ends.high:.12g}"))


def level_text(level: float) -> str:
    """Return a confidence level as a percentage, with as many digits as it has: .999 is not certainty.

    >>> level_text(0.95), level_text(0.999)
    ('95%', '99.9%')
    """
    return f"{100 * level:.10g}%"


def interval_heading(level: float) -> str:
    """Return what an interval of a confidence level is called in headings and sentences.

    >>> interval_heading(0.9)
    '90% interval'
    """
    return f"{level_text(level)} interval"


def interval_text(low: float, high: float, *, beside: float | None = None) -> str:
    """Return an interval as tables show it; nothing where there is none.

    Parameters
    ----------
    low, high
        Its ends.
    beside
        A number that the ends are compared with: they have as many decimals as tell them from it.

    >>> interval_text(0.25, 0.5), interval_text(-0.5, -0.25)
    ('0.250–0.500', '-0.500 to -0.250')
    """
    between = " to " if high < 0 else "–"  # a dash before a minus sign is hard to read
    ends = [number(end) if beside is None else number_beside(end, beside) for end in (low, high)]
    return "" if np.isnan(low) else between.join(ends)
