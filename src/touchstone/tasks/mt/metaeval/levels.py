"""One criterion worked through: each metric at the level of systems and of segments, then metrics against each other.

All figures come from the same draws of source segments; a metric is worked through at a time, so that memory does not
grow with the number of metrics.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from touchstone.core.measures import Measure
from touchstone.core.ragged import Floats
from touchstone.core.resampling import Resampling
from touchstone.stats import affordable_draws, folded, percentile, resampled_sums
from touchstone.tasks.mt.judging import Judgements
from touchstone.tasks.mt.metaeval.ground import Ground, Part
from touchstone.tasks.mt.metaeval.human import WinRule
from touchstone.tasks.mt.metaeval.likeness import likenesses
from touchstone.tasks.mt.metaeval.model import Criterion, Finding, Standing
from touchstone.tasks.mt.metaeval.rated import rating_findings
from touchstone.tasks.mt.metaeval.segments import (
    STATISTICS,
    Calibrate,
    Statistic,
    Ties,
    averaged,
    calibrate,
    fold_of,
    segment_records,
)
from touchstone.tasks.mt.metaeval.systems import COEFFICIENTS, Scope, coefficients, correlation
from touchstone.tasks.mt.metaeval.testing import MetricPair, by_segment, metric_pairs, system_tests, totals
from touchstone.tasks.mt.model import Compared

SWAPS = 10_000
"""Random swaps of a test between metrics: enough for p to stay small when it is adjusted over many pairs of them."""


@dataclass(frozen=True)
class Settings:
    """How metrics are held against judges.

    *segments* are those that a metric's score of a system covers: the ones that judges saw of it, or all. *ties*
    says what a tie of the metric counts at segment level, *how* from which difference on accuracy with ties sees one.
    *wins* makes values of systems out of ranks; *by_judge* standardises scores by judge.
    """

    segments: Scope = "judged"
    ties: Ties = "discordant"
    how: Calibrate = "all"
    wins: WinRule = "wins"
    by_judge: bool = False
    resampling: Resampling = field(default_factory=lambda: Resampling(cluster="segment"))
    swaps: int = SWAPS


@dataclass(eq=False)
class _Work:
    """What is found of each metric before metrics are compared, under the draws of one criterion."""

    criterion: str
    draws: int
    level: float
    findings: list[Finding] = field(default_factory=list)
    replicates: dict[tuple[str, str], Floats] = field(default_factory=dict)
    records: dict[str, Floats] = field(default_factory=dict)
    epsilons: dict[tuple[str, str], tuple[float, ...]] = field(default_factory=dict)
    scores: dict[str, list[Floats]] = field(default_factory=dict)

    def add(
        self,
        measure: str,
        statistic: str,
        group: str | None,
        value: float,
        replicates: Floats,
        n: int,
        reason: str | None = None,
    ) -> None:
        """Keep a value with the interval of its *replicates*; those of the mean over groups serve comparisons."""
        ends = percentile(replicates if np.isfinite(value) else np.full(1, np.nan), self.level)
        found = Finding(measure, statistic, self.criterion, group, value, ends.low, ends.high, n, reason)
        self.findings.append(found)
        if group is None:
            self.replicates[measure, statistic] = replicates


def work_through(
    ground: Ground, judged: Judgements, measures: Sequence[Measure[Compared]], settings: Settings
) -> Criterion:
    """Hold every metric against the judgements of one criterion, then metrics against each other."""
    how = settings.resampling
    draws = affordable_draws(ground.n_units, how.draws) if how.method != "none" else 0
    work = _Work(ground.criterion, draws, how.level)
    human = [_drawn(part.human.records[:, part.systems], part, ground, draws, how.seed) for part in ground.parts]
    drawn = [folded(part.human.fold, sums) for part, sums in zip(ground.parts, human, strict=True)]
    for measure in measures:
        _system_level(work, ground, measure, drawn, how.seed)
        _segment_level(work, ground, measure, settings)
        if judged.scale == "score":
            work.findings += rating_findings(ground, measure, how)
    return Criterion(
        ground.criterion,
        ground.rule,
        tuple(part.name for part in ground.parts),
        tuple(work.findings),
        tuple(_tests(work, ground, measures, settings)),
        tuple(_standings(ground, work, drawn, measures)),
        work.epsilons,
        likenesses(ground, measures),
    )


def _drawn(records: Floats, part: Part, ground: Ground, draws: int, seed: int) -> Floats:
    """Return the sums of records over the segments of each draw: draws x systems x numbers."""
    if not draws:
        return np.zeros((0, *records.shape[1:]))
    sums = resampled_sums(part.by_unit(records, ground.n_units), draws=draws, seed=seed)
    return sums.reshape(draws, *records.shape[1:])


def _system_level(work: _Work, ground: Ground, measure: Measure[Compared], human: Sequence[Floats], seed: int) -> None:
    """Find the correlations of a metric over systems, in each group and on average."""
    sign = -1.0 if measure.lower_is_better else 1.0
    scores = [totals(part, measure) for part in ground.parts]
    drawn = [
        sign * folded(measure.fold, _drawn(part.records(measure), part, ground, work.draws, seed))
        for part in ground.parts
    ]
    work.scores[measure.name] = [sign * score for score in scores]
    for name in COEFFICIENTS:
        values, replicates, why = [], [], None
        for part, score, own, theirs in zip(ground.parts, scores, drawn, human, strict=True):
            value, reason = correlation(score, part.human.totals[part.systems], name)
            values.append(value)
            replicates.append(coefficients(own, theirs, name))
            work.add(measure.name, name, part.name, value, replicates[-1], len(score), reason)
            why = why or (f"{part.name}: {reason}" if reason else None)
        count = sum(len(score) for score in scores)
        work.add(measure.name, name, None, float(np.mean(values)), np.mean(replicates, axis=0), count, why)


def _segment_level(work: _Work, ground: Ground, measure: Measure[Compared], settings: Settings) -> None:
    """Find the statistics of pairs of translations, in each group and on average."""
    counts = []
    for part in ground.parts:
        values = part.values(measure)
        calibration = calibrate(values, part.said, settings.how)
        work.epsilons[measure.name, part.name] = calibration.epsilons
        counts.append(part.by_unit(segment_records(values, part.said, calibration), ground.n_units))
    records = np.hstack(counts)
    work.records[measure.name] = records
    seed, width = settings.resampling.seed, records.shape[1]
    sums = resampled_sums(records, draws=work.draws, seed=seed) if work.draws else np.zeros((0, width))
    for statistic in STATISTICS:
        fold, name, pairs = fold_of(statistic), statistic_name(statistic), []
        for part, own, drawn in zip(ground.parts, counts, np.split(sums, len(counts), axis=1), strict=True):
            total = own.sum(axis=0)
            value = float(folded(fold, total))
            pairs.append(int(total[-1] if statistic == "acc_eq" else total[:3].sum()))
            reason = None if np.isfinite(value) else "there is no pair to judge it by"
            work.add(measure.name, name, part.name, value, folded(fold, drawn), pairs[-1], reason)
        mean = averaged(fold)
        value = float(folded(mean, records.sum(axis=0)))
        work.add(measure.name, name, None, value, folded(mean, sums), sum(pairs))


def statistic_name(statistic: str) -> str:
    """Return what findings call a statistic of segments: every rule for ties is a tau."""
    return statistic if statistic == "acc_eq" else f"tau.{statistic}"


def _tests(work: _Work, ground: Ground, measures: Sequence[Measure[Compared]], settings: Settings) -> list[MetricPair]:
    """Test all pairs of metrics: Spearman over systems, tau under the rule for ties, accuracy with ties."""
    how, found = settings.resampling, []
    systems = system_tests(ground, measures, "spearman", draws=settings.swaps, seed=how.seed)
    wanted = {"spearman": systems}
    statistics: tuple[Statistic, ...] = (settings.ties, "acc_eq")
    for statistic in statistics:
        fold = averaged(fold_of(statistic))
        wanted[statistic_name(statistic)] = by_segment(work.records, fold, draws=settings.swaps, seed=how.seed)
    for name, tests in wanted.items():
        replicates = {measure.name: work.replicates[measure.name, name] for measure in measures}
        found += metric_pairs(ground.criterion, name, replicates, tests, how.level)
    return found


def _standings(
    ground: Ground,
    work: _Work,
    drawn: Sequence[Floats],
    measures: Sequence[Measure[Compared]],
) -> list[Standing]:
    """Return the systems of each group, the best for judges first."""
    found = []
    for place, part in enumerate(ground.parts):
        human = part.human.totals[part.systems]
        placed = part.covered[:, part.systems].sum(axis=0)
        for column in np.argsort(-human, kind="stable").tolist():
            ends = percentile(drawn[place][:, column], work.level)
            scores = {measure.name: float(work.scores[measure.name][place][column]) for measure in measures}
            value, n = float(human[column]), int(placed[column])
            found.append(Standing(part.name, part.names[column], value, ends.low, ends.high, n, scores))
    return found
