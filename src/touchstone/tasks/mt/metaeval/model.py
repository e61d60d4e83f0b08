"""What a meta-evaluation finds: correlations of each metric with judges, tests between metrics, scores of systems."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field

import numpy as np

from touchstone.core.errors import TouchstoneError, nearest
from touchstone.core.ragged import Floats
from touchstone.core.resampling import interval_text
from touchstone.core.tables import Table
from touchstone.tasks.mt.metaeval.segments import Ties
from touchstone.tasks.mt.metaeval.systems import Scope
from touchstone.tasks.mt.metaeval.testing import MetricPair


@dataclass(frozen=True)
class Finding:
    """How near a *measure* is to judges under one *statistic*: in a group, or the mean over groups (None).

    *value* is nan where it is undefined, and *reason* says why. *n* counts systems, pairs of judgements, or scores.
    """

    measure: str
    statistic: str
    criterion: str
    group: str | None
    value: float
    low: float
    high: float
    n: int
    reason: str | None = None

    @property
    def interval(self) -> str:
        """The interval as tables show it."""
        return interval_text(self.low, self.high)


@dataclass(frozen=True)
class Standing:
    """One system as judges see it, with the interval of their value, and as each metric does."""

    group: str
    system: str
    human: float
    low: float
    high: float
    judgements: int
    scores: Mapping[str, float]


@dataclass(frozen=True, eq=False)
class Criterion:
    """All findings under one criterion of judges.

    *likeness* has, for systems and for segments, the correlation of each metric with each other one.
    """

    name: str
    rule: str
    groups: tuple[str, ...]
    findings: tuple[Finding, ...]
    tests: tuple[MetricPair, ...]
    standings: tuple[Standing, ...]
    epsilons: Mapping[tuple[str, str], tuple[float, ...]]
    likeness: Mapping[str, Floats] = field(repr=False)

    @property
    def statistics(self) -> tuple[str, ...]:
        """The statistics in their order."""
        return tuple(dict.fromkeys(one.statistic for one in self.findings))

    def finding(self, measure: str, statistic: str, group: str | None = None) -> Finding:
        """Return one finding; without a group the mean over groups."""
        for one in self.findings:
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
    """Metrics held against judges: one `Criterion` for each thing that was asked of them."""

    measures: tuple[str, ...]
    lower_is_better: frozenset[str]
    criteria: tuple[Criterion, ...]
    scope: Scope
    ties: Ties
    level: float
    signature: Mapping[str, str]
    notes: Sequence[str] = ()
    remarks: Sequence[str] = ()
    """What was said of the texts and of scores of systems when they were scored."""

    def criterion(self, name: str) -> Criterion:
        """Return what was found under one criterion."""
        for one in self.criteria:
            if one.name == name:
                return one
        known = [one.name for one in self.criteria]
        raise TouchstoneError("no such criterion", value=name, near=nearest(name, known), hint=f"known: {known}")

    def tables(self) -> list[Table]:
        """Return every table: systems, segments, the criteria side by side, and tests between metrics."""
        from touchstone.tasks.mt.metaeval.tables import meta_tables

        return meta_tables(self)

    def to_json(self) -> str:
        """Return signature, findings, tests and standings as one JSON object; what has no value is null."""
        found = {
            "signature": dict(self.signature),
            "results": [_ready(one) for criterion in self.criteria for one in criterion.findings],
            "tests": [
                _ready(one) | {"significant": one.significant} for criterion in self.criteria for one in criterion.tests
            ],
            "systems": [
                {"criterion": criterion.name, **_ready(one)}
                for criterion in self.criteria
                for one in criterion.standings
            ],
        }
        return json.dumps(found, ensure_ascii=False, indent=2)

    def __repr__(self) -> str:
        return "\n\n".join(table.to_text() for table in self.tables())

    def _repr_html_(self) -> str:
        return "".join(table.to_html() for table in self.tables())


def _ready(one: Finding | MetricPair | Standing) -> dict[str, object]:
    return {
        key: None if isinstance(value, float) and not np.isfinite(value) else value
        for key, value in asdict(one).items()
    }
