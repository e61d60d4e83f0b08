"""Judging the judge: how far the scores of a model or a metric can stand in for those of people.

Everything here is about outputs that both scored, an output being what one system gave for one item.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pyarrow as pa

from touchstone.base.notes import announce, warning
from touchstone.base.ragged import Bools, Ints
from touchstone.base.signature import Signature, content_digest, plain_value
from touchstone.core.comparison import ALPHA, Comparison, compare
from touchstone.core.resampling import Resampling
from touchstone.core.results import Results, SystemRecords
from touchstone.judge.outputs import FEWEST, Levels, Outputs, Place, output_levels, shared_outputs
from touchstone.judge.pairing import Paired
from touchstone.judge.sampling import sample_warnings
from touchstone.stats import holm, interval, mean, mean_records
from touchstone.stats.judge import (
    Accuracy,
    Bin,
    Coefficient,
    Contrast,
    calibration,
    contrast,
    judge_agreement,
    pair_accuracy,
)
from touchstone.stats.records import cluster_records


@dataclass(frozen=True)
class Bias:
    """Judge less people on the outputs of one level of a field, and how that differs from the rest.

    The whole has the field None: its interval is that of *bias*, and there is no rest.
    """

    field: str | None
    level: str
    n: int
    human: float
    judge: float
    against_rest: float
    low: float
    high: float
    p: float
    p_adjusted: float = np.nan
    note: str | None = None

    @property
    def bias(self) -> float:
        """How much more the judge gives than people do."""
        return self.judge - self.human

    @property
    def significant(self) -> bool:
        """Whether the judge treats this level otherwise than the rest, after the correction for all levels."""
        return self.p_adjusted < ALPHA


@dataclass(frozen=True)
class Swap:
    """Two systems that the judge ranks the other way round than people, *a* being the better one for people."""

    a: str
    b: str
    human: float
    human_interval: tuple[float, float]
    judge: float
    judge_interval: tuple[float, float]
    told_apart: bool
    """Whether people tell the two apart, after the correction for all pairs."""


@dataclass(frozen=True, eq=False, repr=False)
class Judging:
    """What can be said about a judge under one measure; `touchstone.judge.assessing_tables.tables` shows it."""

    measure: str
    outputs: int
    systems: int
    lower_is_better: bool
    annotators: bool
    agreement: Sequence[Coefficient]
    biases: Sequence[Bias]
    calibration: Sequence[Bin]
    pairs: Sequence[Accuracy]
    by_people: Comparison | None
    by_judge: Comparison | None
    resampling: Resampling
    signature: Signature = field(default_factory=dict, repr=False)
    notes: Sequence[str] = ()
    ranked_on: str | None = None
    """On which items systems are ranked, where they have different ones."""

    def __repr__(self) -> str:
        found = ", ".join(f"{one.name} {one.judge_value:.3f}" for one in self.agreement)
        return f"Judging({self.measure!r}, outputs={self.outputs:,}, systems={self.systems}: {found})"

    @property
    def swaps(self) -> list[Swap]:
        """The pairs of systems that change places."""
        if self.by_people is None or self.by_judge is None:  # one system
            return []
        judged = {frozenset((pair.a, pair.b)): pair for pair in self.by_judge.pairs}
        swaps = []
        for pair in self.by_people.pairs:
            other = judged[frozenset((pair.a, pair.b))]
            sign = 1 if other.a == pair.a else -1
            if pair.difference * sign * other.difference < 0:
                ends = (other.low, other.high) if sign > 0 else (-other.high, -other.low)
                own = pair.difference, (pair.low, pair.high)
                swaps.append(Swap(pair.a, pair.b, *own, sign * other.difference, ends, pair.significant))
        return swaps


def assess(
    paired: Paired,
    answers: Mapping[Place, Sequence[float]] | None = None,
    fields: Mapping[str, Mapping[Place, str]] | None = None,
) -> Judging:
    """Return how good the judge is on the outputs that people scored too.

    Parameters
    ----------
    paired
        Scores of people and of the judge.
    answers
        The scores that single people gave an output, where several did; the score of *paired* is their mean.
    fields
        What is known of single outputs, such as their length, beside the fields of items.

    Examples
    --------
    >>> import touchstone
    >>> judge = [{"system": s, "item": i, "score": (i * (7 + j)) % 10} for j, s in enumerate("ab") for i in range(90)]
    >>> human = [{**row, "score": row["score"] + row["item"] % 2} for row in judge if row["item"] < 30]
    >>> [paired] = touchstone.paired_tables(human, judge)
    >>> touchstone.assess(paired)
    Judging('score', outputs=60, systems=2: alpha 0.971, pearson 0.986, spearman 0.987)
    """
    outputs = shared_outputs(paired, answers or {}, fields or {})
    how = paired.resampling
    level, over = how.level, how.over
    (people, judge), ranked_on = _rankings(paired, outputs)
    grid = np.full((2, len(paired), len(paired.systems)), np.nan)
    grid[:, outputs.item, outputs.system] = outputs.human, outputs.judge
    clusters = np.arange(len(paired)) if paired.clusters is None else paired.clusters
    levels, left_out = output_levels(outputs, paired.systems)
    told = [*paired.notes, *sample_warnings(paired), *outputs.notes, *left_out, *([ranked_on] if ranked_on else [])]
    announce(told)
    return Judging(
        measure=paired.measure.name,
        outputs=len(outputs.human),
        systems=len(np.unique(outputs.system)),
        lower_is_better=paired.measure.lower_is_better,
        annotators=any(len(own) > 1 for own in outputs.answers),
        agreement=judge_agreement(outputs.answers, outputs.judge, outputs.clusters, level=level, over=over),
        biases=_biases(outputs, levels, how),
        calibration=calibration(outputs.human, outputs.judge, outputs.clusters, level=level, over=over),
        pairs=pair_accuracy(grid[0], grid[1], clusters, level=level, over=over),
        by_people=people,
        by_judge=judge,
        resampling=how,
        signature={**paired.signature, **_digests(outputs), "intervals": str(how), **_tests(people, judge)},
        notes=told,
        ranked_on=ranked_on,
    )


def _tests(people: Comparison | None, judge: Comparison | None) -> dict[str, str]:
    """Return the tests of the two rankings; nothing for one system."""
    if people is None or judge is None:
        return {}
    return {"test": f"people: {people.test}; judge: {judge.test}", "correction": people.correction}


def _digests(outputs: Outputs) -> dict[str, str]:
    """Return digests of what the signature of the scores does not cover: single answers, and facts of outputs."""
    fields = {name: list(map(plain_value, cells)) for name, cells in outputs.fields.items()}
    return {
        "answers": content_digest(answers=[own.tolist() for own in outputs.answers]),
        "fields": content_digest(**fields),
    }


def _biases(outputs: Outputs, levels: Levels, how: Resampling) -> list[Bias]:
    """Return the bias over all outputs, then that of each level against the rest, with p adjusted over all levels."""
    error, clusters = outputs.judge - outputs.human, outputs.clusters
    whole = interval(cluster_records(mean_records(error), clusters), mean, level=how.level, over=how.over)
    ends = Contrast(np.nan, whole.low, whole.high, np.nan, whole.note)
    biases = [_bias(None, "all outputs", outputs, np.ones(len(error), np.bool_), ends)]
    for (name, level), member in levels.items():
        ends = contrast(error, member, clusters, level=how.level, over=how.over)
        biases.append(_bias(name, level, outputs, member, ends))
    adjusted = [np.nan, *holm([bias.p for bias in biases[1:]]).tolist()]
    return [replace(bias, p_adjusted=p) for bias, p in zip(biases, adjusted, strict=True)]


def _bias(name: str | None, level: str, outputs: Outputs, member: Bools, ends: Contrast) -> Bias:
    means = float(outputs.human[member].mean()), float(outputs.judge[member].mean())
    return Bias(name, level, int(member.sum()), *means, ends.value, ends.low, ends.high, ends.p, note=ends.note)


Rankings = tuple[Comparison | None, Comparison | None]


def _rankings(paired: Paired, outputs: Outputs) -> tuple[Rankings, str | None]:
    """Return the systems compared by people and by the judge, and on which items where systems have different ones.

    Values of different items do not say which system is better, so all values, ranks and pairs are over the items that
    all systems share, where these are enough to say anything.
    """
    systems = np.unique(outputs.system)
    if len(systems) < 2:
        return (None, None), None
    counted = np.zeros((len(paired), len(paired.systems)), np.bool_)
    counted[outputs.item, outputs.system] = True
    rows = np.unique(outputs.item)
    shared = rows[counted[np.ix_(rows, systems)].all(axis=1)]
    if paired.measure.own_items or len(shared) == len(rows):
        return _compared(paired, rows, systems, counted), None
    if len(shared) >= FEWEST:
        what = f"values, ranks and pairs are over the {len(shared):,} items that all of them share"
        ranked_on = f"systems have different items, so {what}, of {len(rows):,} items of any system"
        return _compared(paired, shared, systems, counted), ranked_on
    few = f"systems have different items and share only {len(shared):,} item{'s' * (len(shared) != 1)}"
    ranked_on = warning(
        f"{few}, so each value and rank is over the system's own outputs, which may be easier or harder, and each pair "
        "over the items of both systems: let people and the judge score the same items of all systems"
    )
    return _compared(paired, rows, systems, counted), ranked_on


def _compared(paired: Paired, rows: Ints, systems: Ints, counted: Bools) -> Rankings:
    """Return the systems compared by people and by the judge on some items, in the order of their values there."""
    known = {"id": [paired.items[row] for row in rows.tolist()]}
    if paired.clusters is not None and paired.resampling.cluster is not None:
        known[paired.resampling.cluster] = [str(code) for code in paired.clusters[rows].tolist()]
    sign = 1 if paired.measure.lower_is_better else -1
    comparisons = []
    for side in (paired.human, paired.judge):
        records = {
            paired.systems[place]: np.where(counted[rows, place, None], side[paired.systems[place]][rows], 0.0)
            for place in systems.tolist()
        }
        scored = [SystemRecords(name, {paired.measure.name: own}, pa.table({})) for name, own in records.items()]
        signature = dict(paired.signature)
        results = Results("judge", [paired.measure], scored, pa.table(known), signature, paired.resampling)
        comparison = compare(results, paired.measure.name)
        standings = sorted(comparison.standings, key=lambda row: (np.isnan(row.value), sign * row.value))
        comparisons.append(replace(comparison, standings=standings))
    return comparisons[0], comparisons[1]
