"""Permutation tests of whether one metric agrees better with judges than another.

The scores of both are standardised, then swapped at random: by segment (segment level; system level where both are
means of segments) or by system (scores pooled over segments, such as those of BLEU), which has little power.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from touchstone.base.ragged import Floats
from touchstone.core.measures import Measure, ratio
from touchstone.stats import CorrelationName, Fold, Test, holm, mean, percentile, permutation_tests
from touchstone.tasks.mt.judges.metaeval.joining import JoinedJudgements
from touchstone.tasks.mt.judges.metaeval.systems import coefficients
from touchstone.tasks.mt.model import Joined

LITTLE_POWER = "scores pooled over segments are tested by swapping systems; with few systems the test has little power"


@dataclass(frozen=True)
class MetricPair:
    """Metric *a* against metric *b* under one statistic, averaged over groups: a - b, interval, and test."""

    a: str
    b: str
    statistic: str
    criterion: str
    difference: float
    low: float
    high: float
    p: float
    p_adjusted: float
    swapped: str

    @property
    def significant(self) -> bool:
        """Whether the difference survives the correction for all pairs."""
        return self.p_adjusted < 0.05


def metric_pairs(
    criterion: str,
    statistic: str,
    replicates: Mapping[str, Floats],
    tests: Mapping[tuple[str, str], tuple[Test, str]],
    level: float,
) -> list[MetricPair]:
    """Return all pairs of metrics with differences, intervals and p, adjusted over the pairs by Holm."""
    adjusted = holm([test.p for test, _ in tests.values()])
    pairs = []
    for ((a, b), (test, swapped)), p_adjusted in zip(tests.items(), adjusted, strict=True):
        ends = percentile(replicates[a] - replicates[b], level)
        comparison = test.difference, ends.low, ends.high, test.p, float(p_adjusted)
        pairs.append(MetricPair(a, b, statistic, criterion, *comparison, swapped))
    return pairs


def by_segment(
    records: Mapping[str, Floats], fold: Fold, *, draws: int, seed: int
) -> dict[tuple[str, str], tuple[Test, str]]:
    """Test all pairs of metrics by swapping whole segments; *records* are of clusters."""
    pairs = list(combinations(range(len(records)), 2))
    tests = permutation_tests(list(records.values()), pairs, fold, draws=draws, seed=seed) if pairs else []
    names = list(records)
    return {(names[a], names[b]): (test, "segments") for (a, b), test in zip(pairs, tests, strict=True)}


def system_tests(
    joined: JoinedJudgements, measures: Sequence[Measure[Joined]], name: CorrelationName, *, draws: int, seed: int
) -> dict[tuple[str, str], tuple[Test, str]]:
    """Test all pairs of metrics at system level: by segment where both are means of segments, else by system."""
    human = tuple(part.human.totals[part.systems] for part in joined.parts)
    clusters = {measure.name: standardised_sums(joined, measure) for measure in measures if is_mean(joined, measure)}
    # Where both metrics are means of segments, swapping segments has far more power than swapping systems.
    segments = by_segment(clusters, against(human, name, _means_of_pairs), draws=draws, seed=seed)
    scores = {measure.name: standardised_totals(joined, measure) for measure in measures}
    systems = by_segment(scores, against(human, name, np.asarray), draws=draws, seed=seed)
    return {pair: segments.get(pair) or (test, "systems") for pair, (test, _) in systems.items()}


def is_mean(joined: JoinedJudgements, measure: Measure[Joined]) -> bool:
    """Return whether a metric's score of a system is the mean of its scores of segments."""
    for part in joined.parts:
        values, cells = part.judged_values(measure)
        average = ratio(np.where(cells, values, 0.0).sum(axis=0), cells.sum(axis=0).astype(np.float64))
        if not np.allclose(part.totals(measure), average, rtol=1e-9, atol=1e-12):
            return False
    return True


def standardised_sums(joined: JoinedJudgements, measure: Measure[Joined]) -> Floats:
    """Return, for each cluster and system, the standardised score of the metric and whether it counts."""
    records = []
    for part in joined.parts:
        values, cells = part.judged_values(measure)
        level, spread = values[cells].mean(), values[cells].std() or 1.0
        scores = np.where(cells, (values - level) / spread, 0.0)
        records.append(part.by_cluster(np.stack([scores, cells.astype(np.float64)], axis=-1), joined.n_clusters))
    return np.hstack(records)


def _means_of_pairs(sums: Floats) -> Floats:
    """Return the mean of each system from (score, counted) pairs side by side."""
    return mean(sums.reshape(*sums.shape[:-1], -1, 2))


def standardised_totals(joined: JoinedJudgements, measure: Measure[Joined]) -> Floats:
    """Return a metric's standardised scores of systems as records: a row for each system, a column of its own."""
    scores = [part.totals(measure) for part in joined.parts]
    return np.diag(np.concatenate([(values - values.mean()) / (values.std() or 1.0) for values in scores]))


def against(human: tuple[Floats, ...], name: CorrelationName, values: Fold) -> Fold:
    """Return the fold of sums of the systems of all groups into the mean correlation with the *human* values.

    *values* turns the sums into (..., systems), where the systems of each group follow those of the one before.
    """
    ends = np.cumsum([len(group_values) for group_values in human])[:-1]

    def fold(sums: Floats) -> Floats:
        parts = np.split(values(sums), ends, axis=-1)
        return np.asarray(
            np.mean(
                [coefficients(part, group_values, name) for part, group_values in zip(parts, human, strict=True)],
                axis=0,
            )
        )

    return fold
