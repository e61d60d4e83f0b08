"""WMT's conventions on joined judgements: values with intervals, PERM-BOTH between metrics, and the clusters it gives.

PERM-BOTH (Deutsch et al. 2021, "A Statistical Analysis of Summarization Evaluation Metrics Using Resampling Methods")
standardises two metrics and swaps their scores of each translation at random: of every system and every segment by
itself. p is that of the hypothesis that one metric is better; it is not corrected for the number of metrics.
"""

from collections.abc import Callable, Sequence
from itertools import combinations

import numpy as np

from touchstone.base.ragged import Floats
from touchstone.core.measures import Measure
from touchstone.core.resampling import Resampling
from touchstone.stats import folded, mean
from touchstone.stats.bootstrap import generator
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
from touchstone.tasks.mt.judges.metaeval.evaluation import Evaluation, Value, counts_of_draws
from touchstone.tasks.mt.judges.metaeval.joining import JoinedGroup, JoinedJudgements, sign
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

Statistic = Callable[[Tables], float]


def wmt_agreements(
    joined: JoinedJudgements, measures: Sequence[Measure[Joined]], how: Resampling, swaps: int = SWAPS
) -> WmtAgreements:
    """Return all statistics of WMT's task for every metric, the tests between metrics, and their ranks."""
    evaluation = Evaluation(joined, how)
    for measure in measures:
        _add_pairwise(evaluation, measure)
        for statistic, value in ((SPA, _soft), (BY_SEGMENT, _by_segment), (POOLED, _pooled)):
            evaluation.add(measure.name, statistic, [value(evaluation, part, measure) for part in joined.parts])
    tests = _tests(joined, measures, evaluation.agreements, how.seed, swaps) if swaps else []
    return WmtAgreements(tuple(evaluation.agreements), tuple(tests), _ranks(evaluation.agreements, tests))


def _table(part: JoinedGroup, measure: Measure[Joined]) -> Floats:
    values, cells = part.judged_values(measure)
    return np.where(cells, values, np.nan)


def _add_pairwise(evaluation: Evaluation, measure: Measure[Joined]) -> None:
    """Add pairwise accuracy: in each group, and with the pairs of all groups pooled."""
    counts, drawn = [], []
    for part in evaluation.joined.parts:
        counts.append(agreements(part.totals(measure), part.human.totals[part.systems]))
        metric_draws = sign(measure) * folded(measure.fold, evaluation.sums(part, part.records(measure)))
        human_draws = folded(part.human.fold, evaluation.sums(part, part.human.rows[:, part.systems]))
        drawn.append(agreements(metric_draws, human_draws))
    groups = [_share(*both) for both in zip(counts, drawn, strict=True)]
    evaluation.add(measure.name, ACCURACY, groups, _share(np.sum(counts, axis=0), np.sum(drawn, axis=0)))


def _share(counts: Floats, drawn: Floats) -> Value:
    return Value(float(counts[0] / counts[1]), drawn[:, 0] / drawn[:, 1], int(counts[1]))


def _soft(evaluation: Evaluation, part: JoinedGroup, measure: Measure[Joined]) -> Value:
    """Return soft pairwise accuracy; its draws use the normal approximation of p."""
    if part.cells is None or not measure.of_items:
        return Value(reason=RANKED if part.cells is None else NO_SEGMENTS)
    human, metric = _differences(part, _table(part, measure))
    value = float(soft_accuracy(pair_p_values(human), pair_p_values(metric)))
    records = np.stack([human, human**2, metric, metric**2], axis=-1)
    sums = np.moveaxis(evaluation.sums(part, records), -1, 0)
    drawn = soft_accuracy(normal_p_values(sums[0], sums[1]), normal_p_values(sums[2], sums[3]))
    return Value(value, drawn, human.shape[1])


def _differences(part: JoinedGroup, metric: Floats) -> tuple[Floats, Floats]:
    """Return the differences of pairs of systems, for judges and for a metric, where both know both systems."""
    human = _human_cells(part)
    both = ~np.isnan(human + metric)
    return system_pairs(human, both), system_pairs(metric, both)


def _human_cells(part: JoinedGroup) -> Floats:
    return part.cells[:, part.systems] if part.cells is not None else np.zeros((0, 0))


def _by_segment(evaluation: Evaluation, part: JoinedGroup, measure: Measure[Joined]) -> Value:
    """Return accuracy with ties by segment; ε stays that of all data in the draws."""
    if not measure.of_items:
        return Value(reason=NO_SEGMENTS)
    records, _ = by_segment_records(part.values(measure), part.preferences)
    total = records.sum(axis=0)
    return Value(float(folded(mean, total)), folded(mean, evaluation.sums(part, records)), int(total[1]))


def _pooled(evaluation: Evaluation, part: JoinedGroup, measure: Measure[Joined]) -> Value:
    """Return accuracy with ties over all pairs of translations."""
    if part.cells is None or not measure.of_items:
        return Value(reason=RANKED if part.cells is None else NO_SEGMENTS)
    metric, human, n_clusters = _table(part, measure), _human_cells(part), evaluation.joined.n_clusters
    rows, columns = np.nonzero(~np.isnan(human + metric))
    n, reason = len(rows) * (len(rows) - 1) // 2, can_pool(len(rows))
    if reason:
        return Value(n=n, reason=reason)
    accuracy = pooled_accuracy(metric[rows, columns], human[rows, columns], part.clusters[rows], n_clusters)
    drawn = accuracy.drawn(counts_of_draws(n_clusters, evaluation.draws, evaluation.how.seed))
    return Value(accuracy.value, drawn, n)


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
            first, second = (
                [_table(part, metric) if cells else part.totals(metric)[None, :] for part in joined.parts]
                for metric in (a, b)
            )
            difference, p, draws = perm_both(first, second, _statistic(statistic, joined), swaps, seed)
            swapped = "translations" if cells else "systems"
            tests.append(SwapTest(a.name, b.name, statistic, difference, p, draws, swapped))
    return tests


def _statistic(name: str, joined: JoinedJudgements) -> Statistic:
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


def perm_both(a: Tables, b: Tables, value: Statistic, swaps: int = SWAPS, seed: int = 0) -> tuple[float, float, int]:
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
