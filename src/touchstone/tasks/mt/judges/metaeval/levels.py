"""One criterion: each metric at the level of systems and of segments, then metrics against each other.

All intervals come from the same draws of source segments; metrics are evaluated one after the other, so that memory
does not grow with their number.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from touchstone.base.ragged import Floats
from touchstone.core.measures import Measure
from touchstone.core.resampling import Resampling
from touchstone.stats import CorrelationName, affordable_draws, folded, percentile, resampled_sums
from touchstone.tasks.mt.judges.judgements import Judgements
from touchstone.tasks.mt.judges.metaeval.human import WinRule
from touchstone.tasks.mt.judges.metaeval.joining import JoinedGroup, JoinedJudgements, Scope, sign
from touchstone.tasks.mt.judges.metaeval.model import Criterion, MetricAgreement, Standing
from touchstone.tasks.mt.judges.metaeval.rated import rating_agreements
from touchstone.tasks.mt.judges.metaeval.segments import (
    STATISTICS,
    Calibrate,
    Statistic,
    Ties,
    averaged,
    calibrate,
    fold_of,
    segment_records,
)
from touchstone.tasks.mt.judges.metaeval.systems import COEFFICIENTS, coefficients, correlation
from touchstone.tasks.mt.judges.metaeval.testing import MetricPair, by_segment, metric_pairs, system_tests
from touchstone.tasks.mt.judges.metaeval.wmt import NO_SEGMENTS, wmt_agreements
from touchstone.tasks.mt.judges.metaeval.wmt import SWAPS as WMT_SWAPS
from touchstone.tasks.mt.model import Joined

SWAPS = 10_000
"""Random swaps of a test between metrics: enough for p to stay small when it is adjusted over many pairs of them."""


@dataclass(frozen=True)
class Settings:
    """How metrics are compared with judges.

    Parameters
    ----------
    segments
        The segments that scores of systems cover: those that judges saw of a system, or all.
    ties
        What a tie of the metric counts at segment level.
    how
        How accuracy with ties chooses the differences that are ties.
    wins
        How wins and losses become the value of a system.
    by_judge
        Whether to standardise the scores of each judge.
    resampling
        How intervals are computed.
    swaps
        Random swaps of each test between metrics.
    without
        Judged systems that metrics do not score: the reference, and those that are left out.
    """

    segments: Scope = "judged"
    ties: Ties = "discordant"
    how: Calibrate = "all"
    wins: WinRule = "wins"
    by_judge: bool = False
    resampling: Resampling = field(default_factory=lambda: Resampling("percentile", cluster="segment"))
    swaps: int = SWAPS
    without: tuple[str, ...] = ()


@dataclass(eq=False)
class _Evaluation:
    """What is known about each metric before metrics are compared, under the draws of one criterion."""

    draws: int
    level: float
    agreements: list[MetricAgreement] = field(default_factory=list)
    replicates: dict[tuple[str, str], Floats] = field(default_factory=dict)
    records: dict[str, Floats] = field(default_factory=dict)
    epsilons: dict[tuple[str, str], tuple[float, ...]] = field(default_factory=dict)
    scores: dict[str, list[Floats]] = field(default_factory=dict)

    def add(self, agreement: MetricAgreement, replicates: Floats) -> None:
        """Keep an agreement with the interval of its *replicates*; those of the mean over groups are kept for tests."""
        self.agreements.append(agreement.with_interval(replicates, self.level))
        if agreement.group is None:
            self.replicates[agreement.measure, agreement.statistic] = replicates


def evaluate_criterion(
    joined: JoinedJudgements, judged: Judgements, measures: Sequence[Measure[Joined]], settings: Settings
) -> Criterion:
    """Compare every metric with the judgements of one criterion, then metrics with each other."""
    how = settings.resampling
    draws = affordable_draws(joined.n_clusters, how.draws) if how.method != "none" else 0
    evaluation = _Evaluation(draws, how.level)
    human = [_drawn(part.human.rows[:, part.systems], part, joined, draws, how.seed) for part in joined.parts]
    drawn = [folded(part.human.fold, sums) for part, sums in zip(joined.parts, human, strict=True)]
    for measure in measures:
        _system_level(evaluation, joined, measure, drawn, how.seed)
        _segment_level(evaluation, joined, measure, settings)
        if judged.scale != "rank":
            evaluation.agreements += rating_agreements(joined, measure, how)
    return Criterion(
        joined.criterion,
        joined.rule,
        tuple(part.name for part in joined.parts),
        tuple(evaluation.agreements),
        tuple(_tests(evaluation, joined, measures, settings)),
        tuple(_standings(joined, evaluation, drawn)),
        evaluation.epsilons,
        _similarities(joined, measures),
        joined.parts[0].human.lower_is_better,
        wmt_agreements(joined, measures, how, min(settings.swaps, WMT_SWAPS)),
    )


def _drawn(records: Floats, part: JoinedGroup, joined: JoinedJudgements, draws: int, seed: int) -> Floats:
    """Return the sums of records over the segments of each draw: draws x systems x numbers."""
    if not draws:
        return np.zeros((0, *records.shape[1:]))
    sums = resampled_sums(part.by_cluster(records, joined.n_clusters), draws=draws, seed=seed)
    return sums.reshape(draws, *records.shape[1:])


def _system_level(
    evaluation: _Evaluation, joined: JoinedJudgements, measure: Measure[Joined], human: Sequence[Floats], seed: int
) -> None:
    """Add the correlations of a metric over systems, in each group and on average."""
    scores = [part.totals(measure) for part in joined.parts]
    drawn = [
        sign(measure) * folded(measure.fold, _drawn(part.records(measure), part, joined, evaluation.draws, seed))
        for part in joined.parts
    ]
    evaluation.scores[measure.name] = [sign(measure) * score for score in scores]
    for name in COEFFICIENTS:
        of = measure.name, name, joined.criterion
        values, replicates, first_reason = [], [], None
        for part, score, metric_drawn, human_drawn in zip(joined.parts, scores, drawn, human, strict=True):
            value, reason = correlation(score, part.human.totals[part.systems], name)
            values.append(value)
            replicates.append(coefficients(metric_drawn, human_drawn, name))
            evaluation.add(MetricAgreement(*of, part.name, value, n=len(score), reason=reason), replicates[-1])
            first_reason = first_reason or (f"{part.name}: {reason}" if reason else None)
        count = sum(len(score) for score in scores)
        evaluation.add(
            MetricAgreement(*of, None, float(np.mean(values)), n=count, reason=first_reason),
            np.mean(replicates, axis=0),
        )


def _segment_level(
    evaluation: _Evaluation, joined: JoinedJudgements, measure: Measure[Joined], settings: Settings
) -> None:
    """Add the statistics of pairs of translations, in each group and on average."""
    counts = []
    for part in joined.parts:
        values = part.values(measure)
        calibration = calibrate(values, part.preferences, settings.how)
        evaluation.epsilons[measure.name, part.name] = calibration.epsilons
        counts.append(part.by_cluster(segment_records(values, part.preferences, calibration), joined.n_clusters))
    records = np.hstack(counts)
    evaluation.records[measure.name] = records
    seed, width = settings.resampling.seed, records.shape[1]
    sums = resampled_sums(records, draws=evaluation.draws, seed=seed) if evaluation.draws else np.zeros((0, width))
    for statistic in STATISTICS:
        fold, of, pairs = fold_of(statistic), (measure.name, statistic_name(statistic), joined.criterion), []
        for part, part_counts, drawn in zip(joined.parts, counts, np.split(sums, len(counts), axis=1), strict=True):
            total = part_counts.sum(axis=0)
            pairs.append(int(total[-1] if statistic == "acc_eq" else total[:3].sum()))
            value = float(folded(fold, total))
            reason = "there are no pairs" if measure.of_items else NO_SEGMENTS
            evaluation.add(MetricAgreement(*of, part.name, value, n=pairs[-1], reason=reason), folded(fold, drawn))
        mean = averaged(fold)
        value = float(folded(mean, records.sum(axis=0)))
        evaluation.add(MetricAgreement(*of, None, value, n=sum(pairs)), folded(mean, sums))


def statistic_name(statistic: str) -> str:
    """Return the name of a statistic of segments in agreements: every rule for ties is a tau."""
    return statistic if statistic == "acc_eq" else f"tau.{statistic}"


def _tests(
    evaluation: _Evaluation, joined: JoinedJudgements, measures: Sequence[Measure[Joined]], settings: Settings
) -> list[MetricPair]:
    """Test all pairs of metrics: Spearman over systems, tau under the rule for ties, accuracy with ties."""
    how, pairs = settings.resampling, []
    tests_by_statistic = {"spearman": system_tests(joined, measures, "spearman", draws=settings.swaps, seed=how.seed)}
    statistics: tuple[Statistic, ...] = (settings.ties, "acc_eq")
    records = {measure.name: evaluation.records[measure.name] for measure in measures if measure.of_items}
    for statistic in statistics:
        fold = averaged(fold_of(statistic))
        tests_by_statistic[statistic_name(statistic)] = by_segment(records, fold, draws=settings.swaps, seed=how.seed)
    for name, tests in tests_by_statistic.items():
        replicates = {measure.name: evaluation.replicates[measure.name, name] for measure in measures}
        pairs += metric_pairs(joined.criterion, name, replicates, tests, how.level)
    return pairs


def _standings(joined: JoinedJudgements, evaluation: _Evaluation, drawn: Sequence[Floats]) -> list[Standing]:
    """Return the systems of each group, the best for judges first; those that metrics do not score among them."""
    standings = []
    for group, part in enumerate(joined.parts):
        sign = -1.0 if part.human.lower_is_better else 1.0
        placed = part.covered[:, part.systems].sum(axis=0)
        by_value = []
        for column, human in enumerate(part.human.totals[part.systems].tolist()):
            ends = percentile(sign * drawn[group][:, column], evaluation.level)
            scores: dict[str, float | None] = {
                name: float(by_group[group][column]) for name, by_group in evaluation.scores.items()
            }
            values = sign * human, ends.low, ends.high, int(placed[column])
            by_value.append((human, Standing(part.name, part.names[column], *values, scores)))
        for name, human_values in part.unscored.items():
            value = float(human_values.totals[0])
            sums = _drawn(human_values.rows, part, joined, evaluation.draws, 0)
            ends = percentile(sign * folded(human_values.fold, sums)[:, 0], evaluation.level)
            values = sign * value, ends.low, ends.high, int(human_values.rows[:, 0, -1].sum())
            by_value.append((value, Standing(part.name, name, *values, dict.fromkeys(evaluation.scores))))
        standings += [standing for _, standing in sorted(by_value, key=lambda pair: -pair[0])]
    return standings


def _similarities(joined: JoinedJudgements, measures: Sequence[Measure[Joined]]) -> dict[str, Floats]:
    """Return how similar metrics are: Spearman's rho of scores of systems, Pearson's r of scores of segments."""
    systems, segments = [], []
    for part in joined.parts:
        systems.append(_square(np.stack([part.totals(measure) for measure in measures]), "spearman"))
        values = np.stack([part.values(measure)[part.covered] for measure in measures])
        segments.append(_square(values, "pearson"))
    return {"systems": np.mean(systems, axis=0), "segments": np.mean(segments, axis=0)}


def _square(rows: Floats, name: CorrelationName) -> Floats:
    """Return the correlation of each row with each other one, over the columns where both have a value; else nan."""
    present = ~np.isnan(rows)
    correlations = np.full((len(rows), len(rows)), np.nan)
    for a, b in np.ndindex(correlations.shape):
        both = present[a] & present[b]
        correlations[a, b] = coefficients(rows[a, both], rows[b, both], name) if both.sum() > 1 else np.nan
    return correlations
