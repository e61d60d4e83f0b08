"""The results of a meta-evaluation: correlations of metrics with judges, tests between metrics, scores of systems."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from math import nan
from typing import TYPE_CHECKING

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError, nearest
from touchstone.base.ragged import Floats
from touchstone.base.tables import counted
from touchstone.core.resampling import interval_text
from touchstone.show.finding import Finding, Statement, kind_rows
from touchstone.tasks.mt.judges.metaeval.conventions import SwapTest
from touchstone.tasks.mt.judges.metaeval.joining import Scope
from touchstone.tasks.mt.judges.metaeval.segments import Ties
from touchstone.tasks.mt.judges.metaeval.tables import best_metrics, meta_tables
from touchstone.tasks.mt.judges.metaeval.testing import MetricPair

if TYPE_CHECKING:
    from touchstone.show.page import Section


@dataclass(frozen=True)
class MetricAgreement:
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
class WmtAgreements:
    """The statistics of WMT's metrics task, its tests between metrics (PERM-BOTH), and the ranks that these give."""

    agreements: tuple[MetricAgreement, ...] = ()
    tests: tuple[SwapTest, ...] = ()
    ranks: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    """For each statistic, the rank of each metric: metrics of one rank form a cluster."""


@dataclass(frozen=True, eq=False)
class Criterion:
    """All agreements under one criterion of judges.

    *similarity* has, for systems and for segments, the correlation of each metric with each other one.
    """

    name: str
    rule: str
    groups: tuple[str, ...]
    agreements: tuple[MetricAgreement, ...]
    tests: tuple[MetricPair, ...]
    standings: tuple[Standing, ...]
    epsilons: Mapping[tuple[str, str], tuple[float, ...]]
    similarity: Mapping[str, Floats] = field(repr=False)
    lower_is_better: bool = False
    """Whether a lower value of a system is better for judges, as with penalties."""
    wmt: WmtAgreements = field(default_factory=WmtAgreements)

    @property
    def scored(self) -> tuple[Standing, ...]:
        """The systems that metrics score."""
        return tuple(standing for standing in self.standings if None not in standing.scores.values())

    @property
    def overall_group(self) -> str | None:
        """The group that stands for all: None, their average, where there are several; else the only one."""
        return None if len(self.groups) > 1 else self.groups[0]

    @property
    def statistics(self) -> tuple[str, ...]:
        """The statistics in their order."""
        return tuple(dict.fromkeys(agreement.statistic for agreement in (*self.agreements, *self.wmt.agreements)))

    def agreement(self, measure: str, statistic: str, group: str | None = None) -> MetricAgreement:
        """Return one agreement; without a group the mean over groups."""
        for agreement in (*self.agreements, *self.wmt.agreements):
            if (agreement.measure, agreement.statistic, agreement.group) == (measure, statistic, group):
                return agreement
        what = f"no {statistic} of {measure} in {group or 'the mean of groups'}"
        hint = f"the statistics are {', '.join(self.statistics)}"
        raise TouchstoneError(what, near=nearest(statistic, self.statistics), code=Code.UNKNOWN_NAME, hint=hint)

    def test(self, a: str, b: str, statistic: str) -> MetricPair:
        """Return the test of two metrics, in the order in which they were given."""
        for test in self.tests:
            if (test.a, test.b, test.statistic) == (a, b, statistic):
                return test
        what = f"no test of {a} against {b} under {statistic}"
        raise TouchstoneError(what, code=Code.UNKNOWN_NAME, hint="name them as they were given")


@dataclass(frozen=True, eq=False, repr=False)
class Meta(Finding):
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
        """Return the agreements under one criterion."""
        criteria = {criterion.name: criterion for criterion in self.criteria}
        if name not in criteria:
            hint = f"the criteria are {', '.join(criteria)}"
            what = "no such criterion"
            raise TouchstoneError(what, value=name, near=nearest(name, criteria), code=Code.UNKNOWN_NAME, hint=hint)
        return criteria[name]

    def statement(self) -> Statement:
        """Return systems, segments, the criteria side by side, and tests between metrics."""
        return Statement(
            "Metrics and human judgements",
            meta_tables(self),
            [row for criterion in self.criteria for row in _rows(criterion)],
            best_metrics(self),
            self.notes,
            self.signature,
            subtitle=f"{counted(len(self.measures), 'metric')} on {', '.join(self.criteria[0].groups)}",
            sections=self._sections,
        )

    def _sections(self) -> "Sequence[Section]":
        from touchstone.tasks.mt.judges.report import meta_sections

        return meta_sections(self)


def _rows(criterion: Criterion) -> list[dict[str, object]]:
    """Return agreements, tests, systems, and the tests and ranks of WMT."""
    about = {"criterion": criterion.name}
    clusters = (
        {**about, "statistic": statistic, "measure": measure, "rank": rank}
        for statistic, ranks in criterion.wmt.ranks.items()
        for measure, rank in ranks.items()
    )
    return [
        *kind_rows("agreement", map(asdict, (*criterion.agreements, *criterion.wmt.agreements))),
        *kind_rows("test", ({**asdict(test), "significant": test.significant} for test in criterion.tests)),
        *kind_rows("system", ({**about, **asdict(standing)} for standing in criterion.standings)),
        *kind_rows("perm_both", ({**about, **asdict(test)} for test in criterion.wmt.tests)),
        *kind_rows("cluster", clusters),
    ]
