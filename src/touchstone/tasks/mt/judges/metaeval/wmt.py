"""WMT's conventions on joined judgements: values with intervals, PERM-BOTH between metrics, and the clusters it gives.

PERM-BOTH (Deutsch et al. 2021, "A Statistical Analysis of Summarization Evaluation Metrics Using Resampling Methods")
standardises two metrics and swaps their scores of each translation at random: of every system and every segment by
itself. p is that of the hypothesis that one metric is better; it is not corrected for the number of metrics.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np

from touchstone.base.ragged import Floats
from touchstone.core.measures import Measure
from touchstone.core.resampling import Resampling
from touchstone.stats import affordable_draws, folded, mean, resampled_sums
from touchstone.stats.bootstrap import generator, resampled_counts
from touchstone.tasks.mt.judges.metaeval.conventions import (
    CHECKED,
    CLEARLY,
    HARDLY,
    SWAPS,
    SwapTest,
    agreements,
    by_segment_records,
    can_pool,
    metric_ranks,
    normal_p_values,
    pair_p_values,
    pooled_accuracy,
    soft_accuracy,
    system_pairs,
)
from touchstone.tasks.mt.judges.metaeval.joining import JoinedGroup, JoinedJudgements
from touchstone.tasks.mt.judges.metaeval.model import MetricAgreement, WmtAgreements
from touchstone.tasks.mt.judges.metaeval.segments import gaps
from touchstone.tasks.mt.judges.metaeval.testing import is_mean
from touchstone.tasks.mt.model import Joined

ACCURACY, SPA, BY_SEGMENT, POOLED = "pairwise_accuracy", "spa", "acc_eq.by_segment", "acc_eq.pooled"
TESTED = (ACCURACY, SPA, BY_SEGMENT)

NO_SEGMENTS = "only scores of systems are known"
RANKED = "judges ranked translations and did not score them"

STEPS = 4096
"""Steps of ε inside PERM-BOTH, which looks for the best ε again after each swap."""

Tables = Sequence[Floats]
"""Scores of each group: segments x judged systems, nan where one does not count."""

Value = Callable[[Tables], float]


@dataclass(eq=False)
class _Evaluated:
    """What is computed of all metrics."""

    draws: int
    level: float
    seed: int
    agreements: list[MetricAgreement] = field(default_factory=list)

    def add(
        self, of: tuple[str, str, str], group: str | None, value: float, drawn: Floats, n: int, reason: str | None
    ) -> None:
        """Keep a value with its interval."""
        agreement = MetricAgreement(*of, group, value, n=n, reason=reason)
        self.agreements.append(agreement.with_interval(drawn if len(drawn) else np.full(1, np.nan), self.level))


def wmt_agreements(
    joined: JoinedJudgements, measures: Sequence[Measure[Joined]], how: Resampling, swaps: int = SWAPS
) -> WmtAgreements:
    """Return all statistics of WMT's task for every metric, the tests between metrics, and their ranks."""
    draws = affordable_draws(joined.n_clusters, how.draws) if how.method != "none" else 0
    evaluated = _Evaluated(draws, how.level, how.seed)
    for measure in measures:
        _pairwise(evaluated, joined, measure)
        _soft(evaluated, joined, measure)
        _by_segment(evaluated, joined, measure)
        _pooled(evaluated, joined, measure)
    tests = _tests(joined, measures, evaluated.agreements, how.seed, swaps) if swaps else []
    return WmtAgreements(tuple(evaluated.agreements), tuple(tests), _ranks(evaluated.agreements, tests))


def _tables(joined: JoinedJudgements, measure: Measure[Joined]) -> list[Floats]:
    values_and_cells = [part.judged_values(measure) for part in joined.parts]
    return [np.where(cells, values, np.nan) for values, cells in values_and_cells]


def _pairwise(evaluated: _Evaluated, joined: JoinedJudgements, measure: Measure[Joined]) -> None:
    """Add pairwise accuracy: in each group, and with the pairs of all groups pooled."""
    of, counts, drawn = (measure.name, ACCURACY, joined.criterion), [], []
    sign = -1.0 if measure.lower_is_better else 1.0
    for part in joined.parts:
        human = part.human.totals[part.systems]
        counts.append(agreements(part.totals(measure), human))
        metric_draws = sign * folded(measure.fold, _sums(part, part.records(measure), joined, evaluated))
        human_draws = folded(part.human.fold, _sums(part, part.human.rows[:, part.systems], joined, evaluated))
        drawn.append(agreements(metric_draws, human_draws))
        shares = drawn[-1][:, 0] / drawn[-1][:, 1]
        value = float(counts[-1][0] / counts[-1][1])
        evaluated.add(of, part.name, value, shares, int(counts[-1][1]), None)
    total, all_drawn = np.sum(counts, axis=0), np.sum(drawn, axis=0)
    value = float(total[0] / total[1])
    evaluated.add(of, None, value, all_drawn[:, 0] / all_drawn[:, 1], int(total[1]), None)


def _sums(part: JoinedGroup, records: Floats, joined: JoinedJudgements, evaluated: _Evaluated) -> Floats:
    """Return the sums of records over the clusters of each draw: draws x systems x numbers."""
    if not evaluated.draws:
        return np.zeros((0, *records.shape[1:]))
    flat = part.by_cluster(records, joined.n_clusters)
    return resampled_sums(flat, draws=evaluated.draws, seed=evaluated.seed).reshape(-1, *records.shape[1:])


def _soft(evaluated: _Evaluated, joined: JoinedJudgements, measure: Measure[Joined]) -> None:
    """Add soft pairwise accuracy; its draws use the normal approximation of p."""
    of, values, drawn, pairs = (measure.name, SPA, joined.criterion), [], [], 0
    reason = RANKED if joined.parts[0].cells is None else None if measure.of_items else NO_SEGMENTS
    for part, metric in zip(joined.parts, _tables(joined, measure), strict=True):
        value, replicates, n = float("nan"), np.zeros(0), 0
        if reason is None:
            human, metric_pairs = _differences(part, metric)
            value = float(soft_accuracy(pair_p_values(human), pair_p_values(metric_pairs)))
            replicates, n = _soft_draws(part, human, metric_pairs, joined, evaluated), human.shape[1]
        values.append(value)
        drawn.append(replicates)
        pairs += n
        evaluated.add(of, part.name, value, replicates, n, reason)
    evaluated.add(of, None, float(np.mean(values)), np.mean(drawn, axis=0), pairs, reason)


def _differences(part: JoinedGroup, metric: Floats) -> tuple[Floats, Floats]:
    """Return the differences of pairs of systems, for judges and for a metric, where both know both systems."""
    human = _human_cells(part)
    both = ~np.isnan(human + metric)
    return system_pairs(human, both), system_pairs(metric, both)


def _human_cells(part: JoinedGroup) -> Floats:
    return part.cells[:, part.systems] if part.cells is not None else np.zeros((0, 0))


def _soft_draws(
    part: JoinedGroup, human: Floats, metric: Floats, joined: JoinedJudgements, evaluated: _Evaluated
) -> Floats:
    if not evaluated.draws:
        return np.zeros(0)
    records = np.stack([human, human**2, metric, metric**2], axis=-1)
    sums = np.moveaxis(_sums(part, records, joined, evaluated), -1, 0)
    return soft_accuracy(normal_p_values(sums[0], sums[1]), normal_p_values(sums[2], sums[3]))


def _by_segment(evaluated: _Evaluated, joined: JoinedJudgements, measure: Measure[Joined]) -> None:
    """Add accuracy with ties by segment; ε stays that of all data in the draws."""
    of, values, drawn, total = (measure.name, BY_SEGMENT, joined.criterion), [], [], 0
    reason = None if measure.of_items else NO_SEGMENTS
    for part in joined.parts:
        value, replicates, n = float("nan"), np.zeros(0), 0
        if reason is None:
            records, _ = by_segment_records(part.values(measure), part.preferences)
            value, n = float(folded(mean, records.sum(axis=0))), int(records[:, 1].sum())
            replicates = folded(mean, _sums(part, records, joined, evaluated))
        values.append(value)
        drawn.append(replicates)
        total += n
        evaluated.add(of, part.name, value, replicates, n, reason)
    evaluated.add(of, None, float(np.mean(values)), np.mean(drawn, axis=0), total, reason)


def _pooled(evaluated: _Evaluated, joined: JoinedJudgements, measure: Measure[Joined]) -> None:
    """Add accuracy with ties over all pairs of translations."""
    of, values, drawn, total = (measure.name, POOLED, joined.criterion), [], [], 0
    reason_for_all = RANKED if joined.parts[0].cells is None else None if measure.of_items else NO_SEGMENTS
    first_reason = reason_for_all
    for part, metric in zip(joined.parts, _tables(joined, measure), strict=True):
        value, replicates, n, reason = float("nan"), np.zeros(0), 0, reason_for_all
        if reason is None:
            rows, columns = np.nonzero(~np.isnan(_human_cells(part) + metric))
            reason, n = can_pool(len(rows)), len(rows) * (len(rows) - 1) // 2
        if reason is None:
            scores = metric[rows, columns], _human_cells(part)[rows, columns]
            accuracy = pooled_accuracy(*scores, part.clusters[rows], joined.n_clusters)
            value, replicates = accuracy.value, _drawn(accuracy.drawn, joined, evaluated)
        values.append(value)
        drawn.append(replicates)
        total, first_reason = total + n, first_reason or reason
        evaluated.add(of, part.name, value, replicates, n, reason)
    mean_drawn = np.mean(drawn, axis=0) if len({len(group_drawn) for group_drawn in drawn}) == 1 else np.zeros(0)
    evaluated.add(of, None, float(np.mean(values)), mean_drawn, total, first_reason)


def _drawn(function: Callable[[Floats], Floats], joined: JoinedJudgements, evaluated: _Evaluated) -> Floats:
    """Return a function of how often each cluster is drawn, for all draws."""
    if not evaluated.draws:
        return np.zeros(0)
    counts = np.zeros((evaluated.draws, joined.n_clusters))
    for rows, block, some in resampled_counts(joined.n_clusters, evaluated.draws, evaluated.seed):
        counts[rows, block] = some
    return function(counts)


def _tests(
    joined: JoinedJudgements,
    measures: Sequence[Measure[Joined]],
    agreements: Sequence[MetricAgreement],
    seed: int,
    swaps: int,
) -> list[SwapTest]:
    """Test all pairs of metrics by PERM-BOTH, the better one first."""
    means = {
        (agreement.measure, agreement.statistic): agreement.value for agreement in agreements if agreement.group is None
    }
    tests = []
    for statistic in TESTED:
        comparable = [measure for measure in measures if np.isfinite(means[measure.name, statistic])]
        for pair in combinations(comparable, 2):
            a, b = sorted(pair, key=lambda measure: -means[measure.name, statistic])
            cells = statistic != ACCURACY or (is_mean(joined, a) and is_mean(joined, b))
            first, second = (_tables(joined, each) if cells else _totals(joined, each) for each in (a, b))
            difference, p, draws = perm_both(first, second, _statistic(statistic, joined), swaps, seed)
            swapped = "translations" if cells else "systems"
            tests.append(SwapTest(a.name, b.name, statistic, difference, p, draws, swapped))
    return tests


def _totals(joined: JoinedJudgements, measure: Measure[Joined]) -> list[Floats]:
    return [part.totals(measure)[None, :] for part in joined.parts]


def _statistic(name: str, joined: JoinedJudgements) -> Value:
    """Return the function from scores of a metric to a statistic, averaged over groups."""
    if name == ACCURACY:
        human = [part.human.totals[part.systems] for part in joined.parts]

        def accuracy(tables: Tables) -> float:
            averages = [np.nanmean(table, axis=0) for table in tables]
            counts = [agreements(metric, judges) for metric, judges in zip(averages, human, strict=True)]
            alike, pairs = np.sum(counts, axis=0)
            return float(alike / pairs)

        return accuracy
    if name == SPA:
        return lambda tables: float(np.mean([_soft_value(*pair) for pair in zip(joined.parts, tables, strict=True)]))
    return lambda tables: float(np.mean([_calibrated_share(*pair) for pair in zip(joined.parts, tables, strict=True)]))


def _soft_value(part: JoinedGroup, metric: Floats) -> float:
    human, pairs = _differences(part, metric)
    sides = [normal_p_values(side.sum(axis=0), (side**2).sum(axis=0)) for side in (human, pairs)]
    return float(soft_accuracy(*sides))


def _calibrated_share(part: JoinedGroup, metric: Floats) -> float:
    """Return accuracy with ties by segment under the best ε, which is looked for in steps."""
    values = np.full(part.covered.shape, np.nan)
    values[:, part.systems] = metric
    preferred = part.preferences
    gap = gaps(values, preferred)
    scored = np.flatnonzero(~np.isnan(gap))
    gap, sign, segment = gap[scored], preferred.sign[scored], preferred.segment[scored]
    pairs = np.bincount(segment, minlength=preferred.n_segments)
    weight = 1 / pairs[segment]
    concordant = np.sign(gap) == sign
    change = np.where(sign == 0, weight, np.where(concordant, -weight, 0.0))
    size = np.abs(gap)
    # The tiny number is for scores that are all equal: their differences are 0, and stay at step 0.
    step = np.ceil(size * (STEPS / max(float(size.max(initial=0.0)), 1e-300))).astype(np.int64)
    gained = np.cumsum(np.bincount(step, change, STEPS + 1))
    right = float((weight * (concordant & (sign != 0))).sum()) + float(gained.max())
    return right / int((pairs > 0).sum())


def perm_both(a: Tables, b: Tables, value: Value, swaps: int = SWAPS, seed: int = 0) -> tuple[float, float, int]:
    """Return the difference of two metrics in a statistic, p that the first is better, and how many swaps were made.

    Both are standardised; then the two scores of each cell change places at random. p is (1 + swaps with at least the
    same difference)/(1 + swaps). As in WMT's task, swapping stops early where p is clearly small or large.

    Parameters
    ----------
    a, b
        The scores of each metric: a table for each group, nan where a cell does not count.
    value
        The statistic of such scores.
    swaps, seed
        The most swaps, and the seed of all draws.
    """
    random = generator(seed)
    first, second = ([_standardised(table) for table in tables] for tables in (a, b))
    observed = value(first) - value(second)
    reached = made = 0
    for made in range(1, swaps + 1):
        masks = [random.integers(0, 2, table.shape).astype(np.bool_) for table in first]
        sides = list(zip(masks, first, second, strict=True))
        swapped = value([np.where(mask, x, y) for mask, x, y in sides])
        reached += swapped - value([np.where(mask, y, x) for mask, x, y in sides]) >= observed - 1e-12
        if made % CHECKED == 0 and not CLEARLY <= reached / made <= HARDLY:
            break
    return observed, (1 + reached) / (1 + made), made


def _standardised(table: Floats) -> Floats:
    spread = float(np.nanstd(table))
    return np.asarray((table - np.nanmean(table)) / (spread if spread > 0 else 1.0))


def _ranks(agreements: Sequence[MetricAgreement], tests: Sequence[SwapTest]) -> dict[str, dict[str, int]]:
    """Return the ranks of metrics under each statistic that was tested."""
    ranks = {}
    for statistic in TESTED:
        values = {
            agreement.measure: agreement.value
            for agreement in agreements
            if agreement.statistic == statistic and agreement.group is None and np.isfinite(agreement.value)
        }
        p = {(test.a, test.b): test.p for test in tests if test.statistic == statistic}
        order = sorted(values, key=lambda name: -values[name])
        # Where two values are equal, the test was made in the order of the metrics.
        better = {(a, b): p.get((a, b), 1.0) for a, b in combinations(order, 2)}
        if p or len(order) == 1:
            ranks[statistic] = metric_ranks(order, better)
    return ranks
