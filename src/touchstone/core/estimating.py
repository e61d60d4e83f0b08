"""Estimates from few human scores and many of a judge: human only, judge only, and both joined.

The human scores decide; the judge only makes the interval narrower. `touchstone.stats.prediction_powered` has the
formulas.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations

import numpy as np

from touchstone.core.comparison import ALPHA
from touchstone.core.errors import TouchstoneError
from touchstone.core.outputs import against_people
from touchstone.core.pairing import Paired, pair, paired_tables
from touchstone.core.ragged import Floats
from touchstone.core.resampling import interval_text, is_bounded
from touchstone.core.tables import Cell, Column, Table, number, p_text
from touchstone.stats.intervals import FEWEST_CLUSTERS
from touchstone.stats.paired import holm
from touchstone.stats.prediction_powered import Estimate, Influences, Population, human_only, influences, joined
from touchstone.stats.ranks import significance_ranks
from touchstone.stats.records import mean, mean_records
from touchstone.stats.rescaling import on_another_scale, rescaled

__all__ = ["Estimated", "Estimates", "PairEstimate", "Paired", "estimate", "pair", "paired_tables"]


@dataclass(frozen=True)
class Estimated:
    """One value in three ways: from *human* scores only, from the *judge* only, and from *both*."""

    system: str
    human: Estimate
    judge: float
    both: Estimate
    labels: int

    def to_dict(self) -> dict[str, object]:
        """Return the three values, ready for JSON."""
        return {"system": self.system, **_sides(self.human, self.judge, self.both, self.labels)}


@dataclass(frozen=True)
class PairEstimate:
    """The difference of system *a* and system *b* in three ways, tested on *both*.

    *ahead* is the probability that a is better than b.
    """

    a: str
    b: str
    human: Estimate
    judge: float
    both: Estimate
    labels: int
    p: float
    p_adjusted: float
    ahead: float

    @property
    def significant(self) -> bool:
        """Whether the difference survives the correction for all pairs."""
        return self.p_adjusted < ALPHA

    def to_dict(self) -> dict[str, object]:
        """Return the three differences and the test, ready for JSON."""
        test = {name: _finite(getattr(self, name)) for name in ("p", "p_adjusted", "ahead")}
        sides = _sides(self.human, self.judge, self.both, self.labels)
        return {"a": self.a, "b": self.b, **sides, **test, "significant": self.significant}


def _sides(human: Estimate, judge: float, both: Estimate, labels: int) -> dict[str, object]:
    def side(one: Estimate) -> dict[str, object]:
        return {name: _finite(getattr(one, name)) for name in ("value", "low", "high")}

    return {
        "human": side(human),
        "judge": {"value": _finite(judge)},
        "both": {**side(both), "weight": both.weight, "effective": _finite(both.effective)},
        "labels": labels,
    }


@dataclass(frozen=True, eq=False)
class Estimates:
    """All systems and all pairs of them under one measure, best system first."""

    paired: Paired
    population: Population
    systems: Sequence[Estimated]
    pairs: Sequence[PairEstimate]
    notes: Sequence[str] = ()

    @property
    def measure(self) -> str:
        """The name of the measure."""
        return self.paired.measure.name

    @property
    def signature(self) -> Mapping[str, str]:
        """What the numbers depend on."""
        how = self.paired.resampling
        return {**self.paired.signature, "intervals": f"{how.level:.0%} t over {how.over}, {self.population}"}

    @cached_property
    def ranks(self) -> list[list[str]]:
        """Systems that share a rank, best first: each differs significantly from all systems of lower ranks."""
        differ = {frozenset((one.a, one.b)): one.significant for one in self.pairs}
        return significance_ranks([one.system for one in self.systems], lambda a, b: differ[frozenset((a, b))])

    def system(self, name: str) -> Estimated:
        """Return the estimates of one system."""
        return next(one for one in self.systems if one.system == name)

    def table(self) -> Table:
        """Return the systems, best first: human only, judge only and both side by side."""
        rank_of = {system: place for place, rank in enumerate(self.ranks, 1) for system in rank}
        rows: list[list[Cell]] = [
            [
                rank_of[one.system],
                one.system,
                *self._cells(one.human, one.judge, one.both),
                one.labels,
                _count(one.both),
            ]
            for one in self.systems
        ]
        columns = [Column("rank", "right"), Column("system"), *self._columns("human labels", "effective")]
        starts = np.cumsum([0, *map(len, self.ranks)])[1:-1]
        return Table(columns, rows, title=self.measure, rules=set(starts.tolist()))

    def pairs_table(self) -> Table:
        """Return every pair with its difference in three ways, its test, and the probability that the first leads."""
        rows: list[list[Cell]] = []
        for one in self.pairs:
            chances = p_text(one.p), p_text(one.p_adjusted), number(one.ahead, 3)
            sides = self._cells(one.human, one.judge, one.both)
            rows.append([f"{one.a} – {one.b}", *sides, *chances, _count(one.both)])
        columns = [Column("pair"), *self._columns("p", "p (holm)", "first ahead", "effective")]
        bold = {(row, len(columns) - 3) for row, one in enumerate(self.pairs) if one.significant}
        return Table(columns, rows, bold=bold)

    def sample_table(self) -> Table:
        """Return how much of each system people scored: items, and clusters where items belong together."""
        paired, clusters = self.paired, self.paired.clusters
        rows: list[list[Cell]] = []
        for one in self.systems:
            judged, scored = paired.judged(one.system), paired.labelled(one.system)
            row: list[Cell] = [one.system, int(judged.sum()), int(scored.sum()), f"{scored.sum() / judged.sum():.0%}"]
            if clusters is not None:
                row += [len(np.unique(clusters[judged])), len(np.unique(clusters[scored]))]
            rows.append(row)
        heads = ["items of the judge", "items of people", "share"]
        if clusters is not None:
            heads += [f"{paired.resampling.over} of the judge", f"{paired.resampling.over} of people"]
        return Table([Column("system"), *(Column(head, "right") for head in heads)], rows, f"{self.measure}: sample")

    def tables(self) -> list[Table]:
        """Return the table of systems and, where there are several, that of pairs."""
        return [self.table(), *([self.pairs_table()] if self.pairs else [])]

    def _columns(self, *more: str) -> list[Column]:
        level = f"{self.paired.resampling.level:.0%} interval"
        return [Column(name, "right") for name in ("human only", level, "judge only", "both", level, *more)]

    def _cells(self, human: Estimate, judge: float, both: Estimate) -> list[Cell]:
        return [
            human.value,
            interval_text(human.low, human.high),
            judge,
            both.value,
            interval_text(both.low, both.high),
        ]

    @property
    def sentences(self) -> list[str]:
        """What the columns mean, and what the estimates are about."""
        n, pairs = len(self.paired), len(self.pairs)
        alone = f"these {n:,} items"
        about = f"{alone} and no others" if self.population == "set" else "other items from the same source"
        return [
            "both: human only, moved by what the judge says of the items that people did not score",
            "judge only: without an interval, as the judge's scores do not tell how far they are off",
            "effective: the human labels that would tell as much without the judge",
            *([f"p: t tests of both, adjusted over {pairs:,} pair{'s' * (pairs > 1)} by Holm"] if pairs else []),
            *(["first ahead: the probability that the first system is better"] if pairs else []),
            f"estimates are about {about}",
        ]

    def to_dict(self) -> dict[str, object]:
        """Return signature, systems, pairs and notes, ready for JSON."""
        return {
            "signature": dict(self.signature),
            "measure": self.measure,
            "population": self.population,
            "items": len(self.paired),
            "systems": [one.to_dict() for one in self.systems],
            "ranks": self.ranks,
            "pairs": [one.to_dict() for one in self.pairs],
            "notes": list(self.notes),
        }

    def to_json(self) -> str:
        """Return signature, systems, pairs and notes as one JSON object."""
        return json.dumps(self.to_dict(), ensure_ascii=False, indent=2)

    def __repr__(self) -> str:
        return "\n\n".join([*(table.to_text() for table in self.tables()), "\n".join(self.sentences)])

    def _repr_html_(self) -> str:
        return "".join(table.to_html() for table in self.tables())


def estimate(paired: Paired, *, population: Population = "source") -> Estimates:
    """Estimate each system and each difference: human only, judge only, and both.

    Parameters
    ----------
    paired
        Human and judge records of the same systems: from `pair` or `paired_tables`.
    population
        What the estimates are about: "source", other items of the same kind, as all intervals of Touchstone are;
        "set", the items at hand and no others, of which people scored a random sample: of clusters, where they scored
        whole ones, else of items.

    >>> judge = [{"system": s, "item": i, "score": (i * (7 + j)) % 10} for j, s in enumerate("ab") for i in range(90)]
    >>> human = [{**row, "score": row["score"] + row["item"] % 2} for row in judge if row["item"] < 30]
    >>> [paired] = paired_tables(human, judge)
    >>> found = estimate(paired)
    >>> [(one.system, one.judge, round(one.both.value, 1), one.both.effective > 60) for one in found.systems]
    [('a', 4.5, 5.0, True), ('b', 4.0, 4.5, True)]
    """
    against = against_people(paired)
    paired, notes = (paired, against) if against else _on_one_scale(paired)
    if population == "set" and not _whole_clusters(paired):  # single items were drawn, so single items vary
        paired = replace(paired, clusters=None, resampling=replace(paired.resampling, cluster=None))
    parts = {
        name: influences(
            paired.human[name],
            paired.judge[name],
            paired.measure.fold,
            clusters=paired.clusters,
            probability=paired.probability,
            population=population,
        )
        for name in paired.systems
    }
    if max(part.labels for part in parts.values()) < FEWEST:
        what = "one human score" if any(part.labels for part in parts.values()) else "no human score"
        hint = "people must score at least 5 items of each system, better 20"
        file, line = paired.first_place()
        raise TouchstoneError(f"{what} cannot show how far the judge is off", file=file, line=line, hint=hint)
    bounded = {name: is_bounded(paired.measure, _known(paired.human[name])) for name in parts}
    shares = paired.measure.fold is mean and all(bounded.values())
    systems = [_system(paired, name, part, bounded=bounded[name]) for name, part in parts.items()]
    sign = 1 if paired.measure.lower_is_better else -1
    systems.sort(key=lambda one: (np.isnan(one.both.value), sign * one.both.value))
    order = [one.system for one in systems]
    pairs = _pairs(paired, {name: parts[name] for name in order}, (-1.0, 1.0) if shares else None)
    return Estimates(
        paired, population, systems, pairs, [*paired.notes, *notes, *_remarks(paired, parts, systems, pairs)]
    )


def all_notes(found: Sequence[Estimates]) -> list[str]:
    """Return the notes on estimates under several measures: one that is not on all of them names its measure."""
    every = [set(one.notes) for one in found]
    return list(
        dict.fromkeys(
            note if all(note in own for own in every) else f"{one.measure}: {note}"
            for one in found
            for note in one.notes
        )
    )


FEWEST = 2
"""Human scores of one system that an estimate needs."""


def _whole_clusters(paired: Paired) -> bool:
    """Return whether people scored all items of each cluster that they scored any of, in every system."""
    if paired.clusters is None:
        return True
    for name in paired.systems:
        scored, judged = paired.labelled(name), paired.judged(name)
        touched = np.isin(paired.clusters, paired.clusters[scored])
        if not np.array_equal(scored[touched], judged[touched]):
            return False
    return True


def _known(records: Floats) -> Floats:
    return records[np.isfinite(records[:, 0])]


def _system(paired: Paired, name: str, part: Influences, *, bounded: bool) -> Estimated:
    limits = (0.0, 1.0) if bounded and paired.measure.fold is mean else None
    how = paired.resampling
    human, both = (
        _possible(
            make(part, shape="bounded" if bounded else "free", limits=limits, level=how.level, over=how.over),
            paired.human_values(name),
        )
        for make in (human_only, joined)
    )
    return Estimated(name, human, part.judge_all, _capped(both, paired, name), part.labels)


def _capped(one: Estimate, paired: Paired, *systems: str) -> Estimate:
    """Return the estimate with as many effective human scores as there are at least, and as there are items at most.

    They are a ratio of two variances, of which few scores tell either only roughly.
    """
    scored, items = (
        int(np.all([side(name) for name in systems], axis=0).sum()) for side in (paired.labelled, paired.judged)
    )
    return replace(one, effective=float(np.clip(one.effective, scored, items)))


def _possible(one: Estimate, values: Floats) -> Estimate:
    """Return the estimate without a lower end below 0 where no human score is below 0."""
    return replace(one, low=0.0) if one.low < 0 <= one.high and not (values < 0).any() else one


def _pairs(paired: Paired, parts: Mapping[str, Influences], limits: tuple[float, float] | None) -> list[PairEstimate]:
    """Return the difference of each pair of systems, tested, with Holm's correction."""
    how = paired.resampling
    names = list(combinations(parts, 2))
    differences = [parts[a] - parts[b] for a, b in names]
    sides = [
        tuple(
            make(one, shape="difference", limits=limits, level=how.level, over=how.over)
            for make in (human_only, joined)
        )
        for one in differences
    ]
    adjusted = holm([both.p for _, both in sides]).tolist()
    return [
        PairEstimate(
            a,
            b,
            human,
            difference.judge_all,
            _capped(both, paired, a, b),
            difference.labels,
            both.p,
            p_adjusted,
            1 - both.positive if paired.measure.lower_is_better else both.positive,
        )
        for (a, b), difference, (human, both), p_adjusted in zip(names, differences, sides, adjusted, strict=True)
    ]


def _on_one_scale(paired: Paired) -> tuple[Paired, list[str]]:
    """Return the judge's scores on the scale of people, and a note, where they are on another; only means have one."""
    if not paired.measure.is_mean:
        return paired, []
    human = np.concatenate([paired.human_values(name) for name in paired.systems])
    judge = np.concatenate([paired.judge_values(name) for name in paired.systems])
    codes = np.tile(np.arange(len(paired)) if paired.clusters is None else paired.clusters, len(paired.systems))
    if len(np.unique(codes[np.isfinite(human)])) < FEWEST_CLUSTERS or not on_another_scale(human, judge):
        return paired, []
    values = np.split(rescaled(human, judge, codes), len(paired.systems))
    records = dict(zip(paired.systems, map(mean_records, values), strict=True))
    for name, own in records.items():
        own[~paired.judged(name)] = np.nan
    ranges = [f"{np.nanmin(side) + 0.0:g} to {np.nanmax(side) + 0.0:g}" for side in (judge, human)]  # no -0
    note = (
        f"the judge's scores ({ranges[0]}) are on another scale than people's ({ranges[1]}): they are rescaled by a "
        "rising curve fitted on the human items, in five parts, so that no item rescales itself"
    )
    return replace(paired, judge=records), [note]


def _remarks(
    paired: Paired,
    parts: Mapping[str, Influences],
    systems: Sequence[Estimated],
    pairs: Sequence[PairEstimate],
) -> list[str]:
    """Return notes on judges that do not help, on rough intervals and on missing ones."""
    notes = [one.both.note for one in systems if one.both.note] + [one.both.note for one in pairs if one.both.note]
    complete = [one.system for one in systems if not (paired.judged(one.system) & ~paired.labelled(one.system)).any()]
    constant = [one.system for one in systems if not parts[one.system].by_judge.any()]
    told = {*complete, *constant}
    useless = [one.system for one in systems if one.both.weight == 0 and one.system not in told]
    if complete:
        notes.append(f"{_listed(complete)}: people scored all that the judge scored, so it has nothing to add")
    if constant:
        notes.append(f"{_listed(constant)}: the judge gives all human items the same score, so it cannot help")
    if useless:
        notes.append(f"{_listed(useless)}: the judge does not make the interval narrower, so both is human only")
    return list(dict.fromkeys(notes))


def _listed(names: Sequence[str]) -> str:
    return f"{', '.join(names[:3])}{' …' * (len(names) > 3)}"


def _count(one: Estimate) -> Cell:
    return None if np.isnan(one.effective) else round(one.effective)


def _finite(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None
