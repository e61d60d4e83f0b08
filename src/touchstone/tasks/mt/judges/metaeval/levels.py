"""One criterion: each metric at the level of systems and of segments, then metrics against each other.

Metrics are evaluated one after the other, so that memory does not grow with their number.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from touchstone.base.ragged import Floats
from touchstone.core.measures import Measure
from touchstone.core.resampling import Resampling
from touchstone.stats import CorrelationName, folded, percentile
from touchstone.tasks.mt.judges.judgements import Judgements
from touchstone.tasks.mt.judges.metaeval.evaluation import Evaluation, Value
from touchstone.tasks.mt.judges.metaeval.human import WinRule
from touchstone.tasks.mt.judges.metaeval.joining import JoinedJudgements, Scope, sign
from touchstone.tasks.mt.judges.metaeval.model import Criterion, Standing
from touchstone.tasks.mt.judges.metaeval.rated import add_rating_agreements
from touchstone.tasks.mt.judges.metaeval.segments import (
    STATISTICS,
    Calibrate,
    Calibration,
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


def evaluate_criterion(
    joined: JoinedJudgements, judged: Judgements, measures: Sequence[Measure[Joined]], settings: Settings
) -> Criterion:
    """Compare every metric with the judgements of one criterion, then metrics with each other."""
    how = settings.resampling
    evaluation = Evaluation(joined, how)
    drawn = [folded(part.human.fold, evaluation.sums(part, part.human.rows[:, part.systems])) for part in joined.parts]
    records: dict[str, Floats] = {}
    epsilons: dict[tuple[str, str], tuple[float, ...]] = {}
    for measure in measures:
        _system_level(evaluation, measure, drawn)
        calibrations = [calibrate(part.values(measure), part.preferences, settings.how) for part in joined.parts]
        for part, calibration in zip(joined.parts, calibrations, strict=True):
            epsilons[measure.name, part.name] = calibration.epsilons
        records[measure.name] = _segment_level(evaluation, measure, calibrations)
        if judged.scale != "rank":
            add_rating_agreements(evaluation, measure)
    return Criterion(
        joined.criterion,
        joined.rule,
        tuple(part.name for part in joined.parts),
        tuple(evaluation.agreements),
        tuple(_tests(evaluation, measures, records, settings)),
        tuple(_standings(evaluation, measures, drawn)),
        epsilons,
        _similarities(joined, measures),
        joined.parts[0].human.lower_is_better,
        wmt_agreements(joined, measures, how, min(settings.swaps, WMT_SWAPS)),
    )


def _system_level(evaluation: Evaluation, measure: Measure[Joined], human: Sequence[Floats]) -> None:
    """Add the correlations of a metric over systems; *human* are the judges' values in each draw."""
    parts = evaluation.joined.parts
    scores = [part.totals(measure) for part in parts]
    drawn = [sign(measure) * folded(measure.fold, evaluation.sums(part, part.records(measure))) for part in parts]
    for name in COEFFICIENTS:
        groups = []
        for part, score, metric_drawn, human_drawn in zip(parts, scores, drawn, human, strict=True):
            value, reason = correlation(score, part.human.totals[part.systems], name)
            groups.append(Value(value, coefficients(metric_drawn, human_drawn, name), len(score), reason))
        named = [
            group._replace(reason=group.reason and f"{part.name}: {group.reason}")
            for part, group in zip(parts, groups, strict=True)
        ]
        evaluation.add(measure.name, name, groups, Value.mean(named))


def _segment_level(evaluation: Evaluation, measure: Measure[Joined], calibrations: Sequence[Calibration]) -> Floats:
    """Add the statistics of pairs of translations; return the counts of each cluster, the groups side by side."""
    joined = evaluation.joined
    counts = [
        segment_records(part.values(measure), part.preferences, calibration)
        for part, calibration in zip(joined.parts, calibrations, strict=True)
    ]
    drawn = [evaluation.sums(part, part_counts) for part, part_counts in zip(joined.parts, counts, strict=True)]
    reason = "there are no pairs" if measure.of_items else NO_SEGMENTS
    for statistic in STATISTICS:
        fold, groups = fold_of(statistic), []
        for part_counts, sums in zip(counts, drawn, strict=True):
            total = part_counts.sum(axis=0)
            pairs = int(total[-1] if statistic == "acc_eq" else total[:3].sum())
            groups.append(Value(float(folded(fold, total)), folded(fold, sums), pairs, reason))
        evaluation.add(measure.name, statistic_name(statistic), groups, Value.mean(groups)._replace(reason=None))
    parts = zip(joined.parts, counts, strict=True)
    return np.hstack([part.by_cluster(part_counts, joined.n_clusters) for part, part_counts in parts])


def statistic_name(statistic: str) -> str:
    """Return the name of a statistic of segments in agreements: every rule for ties is a tau."""
    return statistic if statistic == "acc_eq" else f"tau.{statistic}"


def _tests(
    evaluation: Evaluation, measures: Sequence[Measure[Joined]], records: Mapping[str, Floats], settings: Settings
) -> list[MetricPair]:
    """Test all pairs of metrics: Spearman over systems, tau under the rule for ties, accuracy with ties."""
    joined, how, pairs = evaluation.joined, settings.resampling, []
    tests_by_statistic = {"spearman": system_tests(joined, measures, "spearman", draws=settings.swaps, seed=how.seed)}
    statistics: tuple[Statistic, ...] = (settings.ties, "acc_eq")
    of_segments = {measure.name: records[measure.name] for measure in measures if measure.of_items}
    for statistic in statistics:
        fold = averaged(fold_of(statistic))
        tests = by_segment(of_segments, fold, draws=settings.swaps, seed=how.seed)
        tests_by_statistic[statistic_name(statistic)] = tests
    for name, tests in tests_by_statistic.items():
        replicates = {measure.name: evaluation.replicates[measure.name, name] for measure in measures}
        pairs += metric_pairs(joined.criterion, name, replicates, tests, how.level)
    return pairs


def _standings(evaluation: Evaluation, measures: Sequence[Measure[Joined]], drawn: Sequence[Floats]) -> list[Standing]:
    """Return the systems of each group, the best for judges first; those that metrics do not score among them.

    *drawn* are the judges' values in each draw.
    """
    standings = []
    for part, part_drawn in zip(evaluation.joined.parts, drawn, strict=True):
        human_sign = -1.0 if part.human.lower_is_better else 1.0
        totals = {measure.name: (sign(measure) * part.totals(measure)).tolist() for measure in measures}
        scores: list[dict[str, float | None]] = [
            {name: values[column] for name, values in totals.items()} for column in range(len(part.names))
        ]
        segments = part.covered[:, part.systems].sum(axis=0).tolist()
        human = part.human.totals[part.systems].tolist()
        rows = list(zip(part.names, human, part_drawn.T, segments, scores, strict=True))
        # A reference may have judgements and no scores: it stands among the systems.
        for name, unscored in part.unscored.items():
            sums, judged = evaluation.sums(part, unscored.rows), int(unscored.rows[:, 0, -1].sum())
            replicates = folded(unscored.fold, sums)[:, 0]
            rows.append((name, float(unscored.totals[0]), replicates, judged, dict.fromkeys(totals)))
        for name, value, replicates, judged, system_scores in sorted(rows, key=lambda row: -row[1]):
            ends = percentile(human_sign * replicates, evaluation.how.level)
            standings.append(Standing(part.name, name, human_sign * value, ends.low, ends.high, judged, system_scores))
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
