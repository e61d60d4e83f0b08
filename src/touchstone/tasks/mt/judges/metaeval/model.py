"""The results of a meta-evaluation: correlations of metrics with judges, tests between metrics, scores of systems."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from math import nan

import numpy as np

from touchstone.base.errors import TouchstoneError, nearest
from touchstone.base.ragged import Floats
from touchstone.base.tables import Table
from touchstone.core.resampling import interval_text
from touchstone.stats import percentile
from touchstone.tasks.mt.judges import finite
from touchstone.tasks.mt.judges.metaeval.conventions import SwapTest
from touchstone.tasks.mt.judges.metaeval.joining import Scope
from touchstone.tasks.mt.judges.metaeval.segments import Ties
from touchstone.tasks.mt.judges.metaeval.testing import MetricPair


@dataclass(frozen=True)
class Finding:
    """How well a *measure* agrees with judges under one *statistic*: in a group, or the mean over groups (None).

    *value* is nan where it is undefined, and *reason* says why. *n* counts systems, pairs of judgements, or scores.
    """

    measure: str
    statistic: str
    criterion: str
    group: str | None
    value: float
    low: float = nan
    high: float = nan
    n: int = 0
    reason: str | None = None

    def with_interval(self, replicates: Floats, level: float) -> "Finding":
        """Return the finding with the interval of its values in resamples; without a reason where it has a value."""
        known = bool(np.isfinite(self.value))
        ends = percentile(replicates if known else np.full(1, np.nan), level)
        return replace(self, low=ends.low, high=ends.high, reason=None if known else self.reason)

    @property
    def interval(self) -> str:
        """The interval as tables show it."""
        return interval_text(self.low, self.high)


@dataclass(frozen=True)
class Standing:
    """One system: its value for judges with an interval, and its score under each metric; None for a reference."""

    group: str
    system: str
    human: float
    low: float
    high: float
    judgements: int
    scores: Mapping[str, float | None]


@dataclass(frozen=True)
class WmtFindings:
    """The statistics of WMT's metrics task, its tests between metrics (PERM-BOTH), and the ranks that these give."""

    findings: tuple[Finding, ...] = ()
    tests: tuple[SwapTest, ...] = ()
    ranks: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    """For each statistic, the rank of each metric: metrics of one rank form a cluster."""


@dataclass(frozen=True, eq=False)
class Criterion:
    """All findings under one criterion of judges.

    *similarity* has, for systems and for segments, the correlation of each metric with each other one.
    """

    name: str
    rule: str
    groups: tuple[str, ...]
    findings: tuple[Finding, ...]
    tests: tuple[MetricPair, ...]
    standings: tuple[Standing, ...]
    epsilons: Mapping[tuple[str, str], tuple[float, ...]]
    similarity: Mapping[str, Floats] = field(repr=False)
    lower_is_better: bool = False
    """Whether a lower value of a system is better for judges, as with penalties."""
    wmt: WmtFindings = field(default_factory=WmtFindings)

    @property
    def scored(self) -> tuple[Standing, ...]:
        """The systems that metrics score."""
        return tuple(one for one in self.standings if None not in one.scores.values())

    @property
    def statistics(self) -> tuple[str, ...]:
        """The statistics in their order."""
        return tuple(dict.fromkeys(one.statistic for one in (*self.findings, *self.wmt.findings)))

    def finding(self, measure: str, statistic: str, group: str | None = None) -> Finding:
        """Return one finding; without a group the mean over groups."""
        for one in (*self.findings, *self.wmt.findings):
            if (one.measure, one.statistic, one.group) == (measure, statistic, group):
                return one
        raise TouchstoneError(
            f"no {statistic} of {measure} in {group or 'the mean of groups'}",
            near=nearest(statistic, self.statistics),
            hint=f"the statistics are {', '.join(self.statistics)}",
        )

    def test(self, a: str, b: str, statistic: str) -> MetricPair:
        """Return the test of two metrics, in the order in which they were given."""
        for one in self.tests:
            if (one.a, one.b, one.statistic) == (a, b, statistic):
                return one
        raise TouchstoneError(f"no test of {a} against {b} under {statistic}", hint="name them as they were given")


@dataclass(frozen=True, eq=False)
class Meta:
    """Metrics compared with judges, under each criterion that judges used."""

    measures: tuple[str, ...]
    lower_is_better: frozenset[str]
    criteria: tuple[Criterion, ...]
    scope: Scope
    ties: Ties
    level: float
    signature: Mapping[str, str]
    notes: Sequence[str] = ()
    remarks: Sequence[str] = ()
    """The notes of the scorings."""

    def criterion(self, name: str) -> Criterion:
        """Return the findings under one criterion."""
        for one in self.criteria:
            if one.name == name:
                return one
        known = [one.name for one in self.criteria]
        raise TouchstoneError("no such criterion", value=name, near=nearest(name, known), hint=f"known: {known}")

    def tables(self) -> list[Table]:
        """Return every table: systems, segments, the criteria side by side, and tests between metrics."""
        from touchstone.tasks.mt.judges.metaeval.tables import meta_tables

        return meta_tables(self)

    def to_dict(self) -> dict[str, object]:
        """Return signature, findings, tests and systems, ready for JSON; what has no value is None."""
        tests = [_ready(one) | {"significant": one.significant} for each in self.criteria for one in each.tests]
        systems = [{"criterion": each.name, **_ready(one)} for each in self.criteria for one in each.standings]
        results = [_ready(one) for each in self.criteria for one in (*each.findings, *each.wmt.findings)]
        swaps = [{"criterion": each.name, **_ready(one)} for each in self.criteria for one in each.wmt.tests]
        ranks = [
            {"criterion": each.name, "statistic": statistic, "measure": measure, "rank": rank}
            for each in self.criteria
            for statistic, found in each.wmt.ranks.items()
            for measure, rank in found.items()
        ]
        return {
            "signature": dict(self.signature),
            "results": results,
            "tests": tests,
            "systems": systems,
            "perm_both": swaps,
            "clusters": ranks,
        }

    def __repr__(self) -> str:
        return "\n\n".join(table.to_text() for table in self.tables())

    def _repr_html_(self) -> str:
        return "".join(table.to_html() for table in self.tables())


def _ready(one: Finding | MetricPair | Standing | SwapTest) -> dict[str, object]:
    return {key: finite(value) for key, value in asdict(one).items()}
