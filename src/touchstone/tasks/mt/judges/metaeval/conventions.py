"""The statistics by which WMT's metrics task compares metrics with judges, under the task's own names.

=====================  ==============================================================================================
pairwise_accuracy      share of pairs of systems that metric and judges order alike (Kocmi et al. 2021)
spa                    soft pairwise accuracy: 1 - mean |p of judges - p of the metric| over pairs of systems, p that of
                       a one-sided paired permutation test of the two systems (Thompson et al. 2024)
acc_eq.by_segment      accuracy with ties of the pairs of each segment, mean over segments (Deutsch et al. 2023)
acc_eq.pooled          the same over all pairs of translations, whatever their segments
=====================  ==============================================================================================

Both accuracies with ties use the ε that is best on the data. Over several language pairs, pairs of systems are pooled
for pairwise accuracy; of the others the plain mean is taken.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr

from touchstone.base.compiling import compiled, is_compiled
from touchstone.base.ragged import Bools, Floats, Ints, add_up
from touchstone.core.measures import ratio
from touchstone.stats.bootstrap import generator
from touchstone.tasks.mt.judges.metaeval.preferences import TIE, Preferences
from touchstone.tasks.mt.judges.metaeval.segments import best_epsilon, gaps

PERMUTATIONS = 1000
"""Permutations behind each p of soft pairwise accuracy, as in Thompson et al. (2024)."""

MOST_TRANSLATIONS = 30_000
"""Translations up to which all pairs of them are compared: 450 million pairs take about 5 s for each metric."""

_BINS = 1 << 20
"""Steps from 0 to the largest difference in which ε is looked for, among all pairs of translations."""


def agreements(metric: Floats, human: Floats) -> Floats:
    """Return how many pairs of systems both sides order alike, and how many pairs there are: (..., 2).

    A pair that both sides tie is ordered alike.

    Parameters
    ----------
    metric, human
        Scores of the same systems, more is better: (..., systems).

    Examples
    --------
    >>> agreements(np.array([3.0, 2.0, 1.0]), np.array([9.0, 1.0, 5.0])).tolist()
    [2.0, 3.0]
    """
    a, b = np.triu_indices(metric.shape[-1], 1)
    signs = [np.sign(_rounded(side[..., a] - side[..., b])) for side in (metric, human)]
    alike = (signs[0] == signs[1]).sum(axis=-1)
    return np.stack([alike, np.full_like(alike, len(a))], axis=-1).astype(np.float64)


def _rounded(gap: Floats) -> Floats:
    return np.where(np.abs(gap) <= TIE, 0.0, gap)


def system_pairs(values: Floats, counted: Bools) -> Floats:
    """Return how much more the first system of each pair has: segments x pairs, 0 where a system has no score."""
    a, b = np.triu_indices(values.shape[1], 1)
    both = counted[:, a] & counted[:, b]
    return np.where(both, np.where(counted, values, 0.0)[:, a] - np.where(counted, values, 0.0)[:, b], 0.0)


def pair_p_values(differences: Floats, permutations: int = PERMUTATIONS, seed: int = 0) -> Floats:
    """Return, for each pair of systems, p of the hypothesis that the first is better.

    It is the share of random signs of the segments' differences whose sum is at least the observed one.

    Parameters
    ----------
    differences
        Segments x pairs of systems.
    permutations, seed
        How many signs are drawn for each segment, the same for all pairs, and their seed.
    """
    observed = differences.sum(axis=0)
    # A draw may have the observed signs, and rounding must not make its sum smaller.
    slack = 1e-9 * np.abs(differences).sum(axis=0)
    random, reached = generator(seed), np.zeros(differences.shape[1])
    for first in range(0, permutations, 250):
        signs = random.integers(0, 2, (min(250, permutations - first), len(differences))) * 2.0 - 1.0
        reached += (signs @ differences >= observed - slack).sum(axis=0)
    return reached / permutations


def normal_p_values(sums: Floats, squares: Floats) -> Floats:
    """Return the same p by the normal approximation, from sums of differences and of their squares; 1 if all are 0."""
    differing = squares > 0
    return np.where(differing, ndtr(-sums / np.sqrt(np.where(differing, squares, 1.0))), 1.0)


def soft_accuracy(human_p: Floats, metric_p: Floats) -> Floats:
    """Return 1 less the mean over pairs of how far two p are apart.

    >>> soft_accuracy(np.array([0.0, 0.5]), np.array([0.5, 0.5])).item()
    0.75
    """
    return np.asarray(1.0 - np.abs(human_p - metric_p).mean(axis=-1))


def by_segment_records(values: Floats, preferred: Preferences) -> tuple[Floats, float]:
    """Return for each segment the share of its pairs that are right with ties, and 1 if it has pairs; and ε.

    Parameters
    ----------
    values
        The scores of the metric: segments x systems.
    preferred
        The preferences of judges.

    Examples
    --------
    >>> preferred = Preferences(*(np.array(x) for x in ([0, 0, 1], [0, 0, 0], [1, 2, 1], [0, 1, 1])), 2, 3)
    >>> records, epsilon = by_segment_records(np.array([[0.5, 0.25, 0.0], [1.0, 0.0, 0.0]]), preferred)
    >>> records.tolist(), epsilon
    ([[1.0, 1.0], [1.0, 1.0]], 0.25)
    """
    gap = gaps(values, preferred)
    scored = ~np.isnan(gap)
    pairs = add_up(preferred.segment, scored.astype(np.float64), preferred.n_segments)
    weight = np.where(scored, 1 / np.maximum(pairs[preferred.segment], 1), 0.0)
    epsilon = best_epsilon(gap, preferred.sign, weight)
    right = scored & np.where(np.abs(gap) <= epsilon, preferred.sign == 0, np.sign(gap) == preferred.sign)
    shares = add_up(preferred.segment, right * weight, preferred.n_segments)
    return np.stack([shares, (pairs > 0).astype(np.float64)], axis=1), epsilon


@dataclass(frozen=True, eq=False)
class PooledAccuracy:
    """Accuracy with ties over all pairs of translations, with ε, and the pairs between any two clusters.

    *right* and *pairs* (clusters x clusters) count the pairs between two clusters above the diagonal, and those within
    a cluster on it.
    """

    value: float
    epsilon: float
    right: Floats
    pairs: Floats

    def drawn(self, counts: Floats) -> Floats:
        """Return the value of each draw, from how often it has each cluster; copies of a cluster make no pairs."""
        right, pairs = (self._sums(counts, matrix) for matrix in (self.right, self.pairs))
        return ratio(right, pairs)

    @staticmethod
    def _sums(counts: Floats, matrix: Floats) -> Floats:
        between = np.triu(matrix, 1)
        return np.asarray(((counts @ between) * counts).sum(axis=1) + counts @ np.diag(matrix))


def pooled_accuracy(metric: Floats, human: Floats, cluster: Ints, n_clusters: int) -> PooledAccuracy:
    """Return accuracy with ties over all pairs of translations.

    Parameters
    ----------
    metric, human
        Scores of the same translations.
    cluster, n_clusters
        The cluster of each translation, and how many there are.

    Examples
    --------
    >>> metric, human = np.array([0.1, 0.2, 0.9]), np.array([1.0, 1.0, 2.0])
    >>> pooled = pooled_accuracy(metric, human, np.array([0, 0, 1]), 2)
    >>> pooled.value, pooled.epsilon
    (1.0, 0.1)
    """
    right, pairs = np.zeros((n_clusters, n_clusters)), np.zeros((n_clusters, n_clusters))
    spread = float(np.ptp(metric)) if len(metric) else 0.0
    change, largest = np.zeros(_BINS + 1, np.int64), np.zeros(_BINS + 1)
    # What a higher ε gains, step by step; the step where most was gained says how far ε goes.
    _count_changes(metric, human, _BINS / spread if spread > 0 else 0.0, change, largest)
    gained = np.cumsum(change[1:])
    best = int(np.argmax(gained)) if len(gained) else 0
    epsilon = float(largest[best + 1]) if gained[best] > 0 else 0.0
    _count_right(metric, human, epsilon, cluster, right, pairs)
    total = pairs.sum()
    return PooledAccuracy(float(right.sum() / total) if total else float("nan"), epsilon, right, pairs)


@compiled
def _count_changes(metric: Floats, human: Floats, scale: float, change: Ints, largest: Floats) -> None:
    """Count what a higher ε gains at each step: a tie of judges is won, a pair in the right order is lost.

    The first step is for pairs that the metric ties already.
    """
    for i in range(len(metric)):
        for j in range(i + 1, len(metric)):
            metric_gap, human_gap = metric[i] - metric[j], human[i] - human[j]
            size = abs(metric_gap)
            # Steps begin above TIE: what is no further apart is a tie at ε = 0.
            step = 0 if size <= TIE else 1 + min(int(size * scale), len(change) - 2)
            largest[step] = max(largest[step], size)
            if abs(human_gap) <= TIE:
                change[step] += 1
            elif step > 0 and (metric_gap > 0) == (human_gap > 0):
                change[step] -= 1


@compiled
def _count_right(metric: Floats, human: Floats, epsilon: float, cluster: Ints, right: Floats, pairs: Floats) -> None:
    """Count the pairs that are right with ties at ε, between any two clusters."""
    for i in range(len(metric)):
        for j in range(i + 1, len(metric)):
            metric_gap, human_gap = metric[i] - metric[j], human[i] - human[j]
            a, b = min(cluster[i], cluster[j]), max(cluster[i], cluster[j])
            tied = abs(metric_gap) <= max(epsilon, TIE)
            if abs(human_gap) <= TIE:
                right[a, b] += tied
            elif not tied and (metric_gap > 0) == (human_gap > 0):
                right[a, b] += 1
            pairs[a, b] += 1


def can_pool(translations: int) -> str | None:
    """Return why all pairs of so many translations are not compared; None if they are."""
    if translations > MOST_TRANSLATIONS:
        return f"{translations:,} translations have too many pairs"
    return None if is_compiled(_count_right) or translations < 500 else "all pairs of translations need numba"


@dataclass(frozen=True)
class SwapTest:
    """Metric *a* against metric *b* by PERM-BOTH: a - b, and p of the hypothesis that a is better."""

    a: str
    b: str
    statistic: str
    difference: float
    p: float
    draws: int
    swapped: str


SWAPS, CHECKED = 1000, 100
"""Swaps of PERM-BOTH, and how many are made before it may stop: as WMT's task does."""

CLEARLY, HARDLY = 0.02, 0.5
"""p below and above which PERM-BOTH stops, as WMT's task does."""


def metric_ranks(order: Sequence[str], better: "dict[tuple[str, str], float]", alpha: float = 0.05) -> dict[str, int]:
    """Return the rank of each metric, clusters of metrics that share one being told apart by tests.

    From the best metric down, metrics have rank 1 until one is significantly worse than any seen since the rank began;
    it has the next rank, and so on (Freitag et al. 2022, section 5.3).

    Parameters
    ----------
    order
        The metrics, the best first.
    better
        p of the hypothesis that the first metric is better than the second.
    alpha
        The p below which a metric is worse.

    Examples
    --------
    >>> p = {("x", "y"): 0.3, ("x", "z"): 0.01, ("y", "z"): 0.2}
    >>> metric_ranks(["x", "y", "z"], p)
    {'x': 1, 'y': 1, 'z': 2}
    """
    ranks: dict[str, int] = {}
    rank, cluster = 1, list[str]()
    for name in order:
        if any(better[above, name] < alpha for above in cluster):
            rank, cluster = rank + 1, []
        ranks[name] = rank
        cluster.append(name)
    return ranks
