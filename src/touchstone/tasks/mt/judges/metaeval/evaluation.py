"""What is computed of metrics under one criterion: statistics in each group and over all, with intervals.

All intervals come from the same draws of source segments, the clusters of the joined judgements.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import isfinite, nan
from typing import NamedTuple

import numpy as np

from touchstone.base.ragged import Floats
from touchstone.core.resampling import Resampling
from touchstone.stats import affordable_draws, percentile, resampled_sums
from touchstone.stats.bootstrap import resampled_counts
from touchstone.tasks.mt.judges.metaeval.joining import JoinedGroup, JoinedJudgements
from touchstone.tasks.mt.judges.metaeval.model import MetricAgreement

NO_DRAWS: Floats = np.zeros(0)


class Value(NamedTuple):
    """A statistic of a metric, in each draw too; how many things it counts; and why it is nan, where it is."""

    value: float = nan
    drawn: Floats = NO_DRAWS
    n: int = 0
    reason: str | None = None

    @classmethod
    def mean(cls, groups: Sequence["Value"]) -> "Value":
        """Return the mean over groups, with the first reason; without draws where a group has none."""
        all_drawn = len({len(group.drawn) for group in groups}) == 1
        drawn = np.mean([group.drawn for group in groups], axis=0) if all_drawn else NO_DRAWS
        reason = next((group.reason for group in groups if group.reason), None)
        return cls(float(np.mean([group.value for group in groups])), drawn, sum(group.n for group in groups), reason)


@dataclass(eq=False)
class Evaluation:
    """The agreements of all metrics with the *joined* judgements, and how their intervals are computed."""

    joined: JoinedJudgements
    how: Resampling
    agreements: list[MetricAgreement] = field(default_factory=list)
    replicates: dict[tuple[str, str], Floats] = field(default_factory=dict)
    """The value over all groups in each draw, by metric and statistic."""

    @cached_property
    def draws(self) -> int:
        """How often the clusters are drawn."""
        return affordable_draws(self.joined.n_clusters, self.how.draws) if self.how.method != "none" else 0

    def sums(self, part: JoinedGroup, records: Floats) -> Floats:
        """Return the sums of a group's records of segments over the clusters of each draw: draws x what a record has.

        Groups have the same draws.
        """
        if not self.draws:
            return np.zeros((0, *records.shape[1:]))
        flat = part.by_cluster(records, self.joined.n_clusters)
        return resampled_sums(flat, draws=self.draws, seed=self.how.seed).reshape(self.draws, *records.shape[1:])

    def add(self, measure: str, statistic: str, groups: Sequence[Value], overall: Value | None = None) -> None:
        """Keep a statistic of a metric in each group, and over all: the mean where nothing else is given."""
        overall = overall or Value.mean(groups)
        names: list[str | None] = [*(part.name for part in self.joined.parts), None]
        for name, (value, drawn, n, reason) in zip(names, [*groups, overall], strict=True):
            defined = isfinite(value)
            ends = percentile(drawn if defined else NO_DRAWS, self.how.level)
            of = measure, statistic, self.joined.criterion, name
            self.agreements.append(MetricAgreement(*of, value, ends.low, ends.high, n, None if defined else reason))
        self.replicates[measure, statistic] = overall.drawn


def counts_of_draws(n_clusters: int, draws: int, seed: int) -> Floats:
    """Return how often each draw has each cluster: draws x clusters."""
    counts = np.zeros((draws, n_clusters))
    for rows, clusters, drawn in resampled_counts(n_clusters, draws, seed):
        counts[rows, clusters] = drawn
    return counts
