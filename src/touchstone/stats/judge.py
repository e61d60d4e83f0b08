"""How far a judge's scores can stand in for people's: agreement, bias, calibration, pairs, from arrays alone.

A judge is a model or a metric. An output is what one system gave for one item; people and the judge scored the same
outputs. Outputs of a cluster (those of one item, or of items that belong together) are resampled as a whole.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations, pairwise

import numpy as np
from scipy.special import stdtr, stdtrit

from touchstone.base.ragged import Bools, Floats, Ints
from touchstone.stats.correlation import CorrelationName, resampled_correlations
from touchstone.stats.effects import signed_differences
from touchstone.stats.intervals import (
    FEWEST_CLUSTERS,
    Interval,
    interval,
    jackknife,
    jackknife_interval,
    rough_note,
    standard_error,
)
from touchstone.stats.records import cluster_records, folded, mean, mean_records

FEWEST_GROUPS, MOST_GROUPS, CELLS = 50, 500, 10_000_000
"""More clusters are put together in groups, each of which the jackknife of agreement leaves out once: so many that
groups times answers are no more than the last number, some seconds of work."""

BINS = 10
"""Bins of a calibration curve at most; each has at least `PER_BIN` outputs on average."""

PER_BIN = 20

ROUNDING = 1e-12


@dataclass(frozen=True)
class Coefficient:
    """Agreement of the judge with people beside that among people, on the same outputs.

    The *difference* is judge less people. Without a second answer to any output, what concerns people is nan.
    """

    name: str
    judge: Interval
    judge_value: float
    people: Interval
    people_value: float
    difference: Interval
    outputs: int

    @property
    def difference_value(self) -> float:
        """How much better the judge agrees with people than one of them does with the others."""
        return self.judge_value - self.people_value


def judge_agreement(
    answers: Sequence[Floats], judge: Floats, clusters: Ints, *, level: float = 0.95, over: str = "items"
) -> list[Coefficient]:
    """Return Krippendorff's alpha and two correlations of the *judge* with people, and of people among themselves.

    Where outputs have two answers or more, only these outputs count. Alpha (interval distance) of the judge is that
    of all pairs of the judge and one answer; of people, that of all answers. A correlation is with the mean of the
    answers of the others: of the judge's score, and of the answer left out. So judge and people meet the same outputs
    and the same targets. Intervals are jackknife t over clusters, of a coefficient on Fisher's scale, artanh.

    Parameters
    ----------
    answers
        The scores that people gave each output.
    judge
        The score of the judge, on the scale of people.
    clusters
        The cluster of each output.
    level, over
        The confidence of the intervals, and what the clusters are called.

    Examples
    --------
    >>> answers = [np.array([1.0, 1.0]), np.array([2.0, 2.0]), np.array([1.0, 2.0]), np.array([3.0, 3.0])]
    >>> alpha, *_ = judge_agreement(answers, np.array([1.0, 2.0, 2.0, 2.0]), np.arange(4))
    >>> alpha.name, round(alpha.people_value, 3), round(alpha.judge_value, 3)
    ('alpha', 0.821, 0.563)
    """
    sizes = np.array([len(output_answers) for output_answers in answers])
    people = bool((sizes > 1).any())
    compared_rows = np.flatnonzero(sizes > 1) if people else np.arange(len(sizes))
    points = _points([answers[row] for row in compared_rows.tolist()], judge[compared_rows])
    most = int(np.clip(CELLS // len(points.answer), FEWEST_GROUPS, MOST_GROUPS))
    group = np.unique(clusters[compared_rows], return_inverse=True)[1][points.output] % most
    n = int(group.max()) + 1
    times = np.vstack([np.ones((1, n)), 1 - np.eye(n)])  # all groups, then all but one
    results = []
    for name in ("alpha", "pearson", "spearman"):
        ours = _coefficients(name, points, group, times, judge=True)
        theirs = _coefficients(name, points, group, times, judge=False) if people else np.full(n + 1, np.nan)
        ends = [_fisher(side, level, over) for side in (ours, theirs)]
        differences = ours - theirs
        difference = jackknife_interval(
            float(differences[0]), differences[1:], shape="difference", level=level, over=over
        )
        results.append(
            Coefficient(name, ends[0], float(ours[0]), ends[1], float(theirs[0]), difference, len(compared_rows))
        )
    return results


def _fisher(values: Floats, level: float, over: str) -> Interval:
    """Return the interval of a coefficient from its value and what it is without each group of clusters."""
    # A coefficient of 1 is infinite on this scale, and has no interval.
    with np.errstate(divide="ignore", invalid="ignore"):
        scaled = np.arctanh(values)
    ends = jackknife_interval(float(scaled[0]), scaled[1:], shape="difference", level=level, over=over)
    return replace(ends, low=float(np.tanh(ends.low)), high=float(np.tanh(ends.high)))


@dataclass(frozen=True)
class _Points:
    """A point for each answer: its output, the answer, the mean of the others', the judge; its disagreement."""

    output: Ints
    answer: Floats
    others: Floats
    judge: Floats
    disagreement: Floats


def _points(answers: Sequence[Floats], judge: Floats) -> _Points:
    sizes = np.array(list(map(len, answers)))
    output = np.repeat(np.arange(len(sizes)), sizes)
    answer = np.concatenate(answers)
    centre = np.median(answer)
    answer, judged = answer - centre, judge[output] - centre  # squares of large numbers would lose the differences
    total, squares = np.bincount(output, answer)[output], np.bincount(output, answer**2)[output]
    several = np.maximum(sizes - 1, 1)[output]
    others = np.where(sizes[output] > 1, (total - answer) / several, answer)
    disagreement = (sizes[output] * answer**2 - 2 * answer * total + squares) / several  # Σ (own - other)² / (m - 1)
    return _Points(output, answer, others, judged, disagreement)


def _coefficients(name: str, points: _Points, group: Ints, times: Floats, *, judge: bool) -> Floats:
    """Return a coefficient of the judge or of people for each row of *times*, how often each group counts."""
    if name != "alpha":
        kind: CorrelationName = "pearson" if name == "pearson" else "spearman"
        return resampled_correlations(points.judge if judge else points.answer, points.others, group, times, kind)
    answer, other = points.answer, points.judge
    if judge:  # each answer makes a unit of two: itself and the judge
        columns = [answer + other, answer**2 + other**2, np.full(len(answer), 2.0), 2 * (answer - other) ** 2]
    else:
        columns = [answer, answer**2, np.ones(len(answer)), points.disagreement]
    return folded(alpha_fold, times @ cluster_records(np.column_stack(columns), group))


def alpha_fold(sums: Floats) -> Floats:
    """Return alpha with the interval distance from (Σx, Σx², number of answers, observed disagreement).

    1 - (N - 1) D / Σ_{a≠b} (a - b)², where the last sum is 2 (N Σx² - (Σx)²); see `people.coefficients.alpha`.

    >>> alpha_fold(np.array([3.0, 5.0, 4.0, 0.0])).tolist()  # two units, (0, 0) and (1, 2) less their disagreement
    1.0
    """
    total, squares, n, observed = (sums[..., column] for column in range(4))
    expected = 2 * (n * squares - total**2)
    return np.asarray(1 - (n - 1) * observed / np.where(expected > ROUNDING * n * squares, expected, np.nan))


@dataclass(frozen=True)
class Contrast:
    """The mean of some outputs less that of the rest: its interval and p; a *note* where there are none."""

    value: float
    low: float
    high: float
    p: float
    note: str | None = None


def contrast(values: Floats, member: Bools, clusters: Ints, *, level: float = 0.95, over: str = "items") -> Contrast:
    """Return the mean of the *values* of members less the mean of the others, tested against 0.

    The standard error is a jackknife over clusters, which may hold members and others. Its degrees of freedom are the
    clusters of the smaller side less one: where sides share no cluster, the careful choice for two samples.

    Parameters
    ----------
    values, member, clusters
        For each output its value, whether it is a member, and its cluster.
    level, over
        The confidence, and what the clusters are called.

    Examples
    --------
    >>> found = contrast(np.array([1.0, 2.0, 3.0, 2.0, 1.0] * 4), np.arange(20) < 10, np.arange(20))
    >>> found.value, found.p
    (0.0, 1.0)
    """
    is_member = member.astype(np.float64)
    columns = [values * is_member, is_member, values * (1 - is_member), 1 - is_member]
    sums = cluster_records(np.column_stack(columns), clusters)
    value = float(folded(_difference, sums.sum(axis=0)))
    smaller = int(np.count_nonzero(sums[:, [1, 3]], axis=0).min())
    if smaller < FEWEST_CLUSTERS:
        return Contrast(value, np.nan, np.nan, np.nan, f"no interval: {smaller} {over} cannot show how values vary")
    error = standard_error(jackknife(sums, _difference))
    if not error > ROUNDING * max(1.0, abs(value)):
        return Contrast(value, np.nan, np.nan, np.nan, "no interval: all outputs have the same value")
    reach = float(stdtrit(smaller - 1, (1 + level) / 2)) * error
    p = 2 * float(stdtr(smaller - 1, -abs(value) / error))
    return Contrast(value, value - reach, value + reach, p, rough_note(smaller, over))


def _difference(sums: Floats) -> Floats:
    return np.asarray(sums[..., 0] / sums[..., 1] - sums[..., 2] / sums[..., 3])


@dataclass(frozen=True)
class Bin:
    """Outputs whose scores by the judge lie between two numbers: their mean by the judge, and by people."""

    lowest: float
    highest: float
    n: int
    judge: float
    human: float
    interval: Interval


def calibration(human: Floats, judge: Floats, clusters: Ints, *, level: float = 0.95, over: str = "items") -> list[Bin]:
    """Return the mean score by people of outputs that the judge scores alike, in bins of about equal size.

    Where the judge uses few different scores, each is a bin.

    Parameters
    ----------
    human, judge, clusters
        For each output the two scores, and its cluster.
    level, over
        The confidence of the intervals, and what the clusters are called.

    Examples
    --------
    >>> bins = calibration(np.array([0.0, 1.0, 1.0, 1.0]), np.array([0.2, 0.2, 0.9, 0.9]), np.arange(4))
    >>> [(one.judge, one.human, one.n) for one in bins]
    [(0.2, 0.5, 2), (0.9, 1.0, 2)]
    """
    distinct = np.unique(judge)
    bounded = bool(human.min() >= 0 and human.max() <= 1)
    if len(distinct) <= BINS:
        bin_numbers = np.searchsorted(distinct, judge)
    else:
        bin_count = int(np.clip(len(judge) // PER_BIN, 2, BINS))
        edges = np.unique(np.quantile(judge, np.arange(1, bin_count) / bin_count))
        bin_numbers = np.searchsorted(edges, judge, side="left")
    bins = []
    for bin_number in np.unique(bin_numbers):
        in_bin = bin_numbers == bin_number
        records = cluster_records(mean_records(human[in_bin]), clusters[in_bin])
        value = float(human[in_bin].mean())
        ends = jackknife_interval(
            value,
            jackknife(records, mean),
            shape="bounded" if bounded and 0 < value < 1 else "difference",  # few clusters show no skewness
            limits=(0.0, 1.0) if bounded else None,
            level=level,
            over=over,
        )
        lowest, highest = float(judge[in_bin].min()), float(judge[in_bin].max())
        bins.append(Bin(lowest, highest, int(in_bin.sum()), float(judge[in_bin].mean()), value, ends))
    return bins


@dataclass(frozen=True)
class Accuracy:
    """How often the judge orders two outputs for one item as people do, of the pairs that people tell apart.

    *least* and *most* bound by how much people tell them apart; a tie of the judge counts half.
    """

    least: float
    most: float
    pairs: int
    ties: int
    value: float
    interval: Interval


def pair_accuracy(
    human: Floats, judge: Floats, clusters: Ints, *, level: float = 0.95, over: str = "items"
) -> list[Accuracy]:
    """Return the accuracy on all pairs of outputs for one item, then by thirds of how far people tell them apart.

    Parameters
    ----------
    human, judge
        Scores by item and system, nan where there is none.
    clusters
        The cluster of each item.
    level, over
        The confidence of the intervals, and what the clusters are called.

    Examples
    --------
    >>> human, judge = np.array([[1.0, 2.0], [3.0, 1.0]]), np.array([[5.0, 7.0], [4.0, 4.0]])
    >>> [(one.pairs, one.ties, one.value) for one in pair_accuracy(human, judge, np.arange(2))][0]
    (2, 1, 0.75)
    """
    both = [(_column(human, a, b), _column(judge, a, b)) for a, b in combinations(range(human.shape[1]), 2)]
    items = [np.flatnonzero(np.nan_to_num(human_differences) != 0) for human_differences, _ in both]
    if not sum(map(len, items)):
        return []
    human_differences = np.concatenate([scores[rows] for (scores, _), rows in zip(both, items, strict=True)])
    judged = np.concatenate([scores[rows] for (_, scores), rows in zip(both, items, strict=True)])
    pair_clusters = clusters[np.concatenate(items)]
    right = np.where(judged == 0, 0.5, np.sign(judged) == np.sign(human_differences))
    size = np.abs(human_differences)
    parts = [np.ones(len(size), np.bool_)]
    edges = np.unique([size.min(), *np.quantile(size, [1 / 3, 2 / 3]), size.max()])
    # From -1, so that the first third holds the smallest difference too.
    thirds = [(size > low) & (size <= high) for low, high in pairwise([-1.0, *edges[1:]])]
    thirds = [third for third in thirds if third.any()]
    parts += thirds if len(thirds) > 1 else []
    results = []
    for part in parts:
        ends = interval(
            cluster_records(mean_records(right[part]), pair_clusters[part]), mean, level=level, bounded=True, over=over
        )
        counts = int(part.sum()), int((judged[part] == 0).sum())
        results.append(
            Accuracy(float(size[part].min()), float(size[part].max()), *counts, float(right[part].mean()), ends)
        )
    return results


def _column(scores: Floats, a: int, b: int) -> Floats:
    return signed_differences(scores[:, a], scores[:, b])
