"""What is estimated from few human scores and many of a judge: systems and pairs of them, as tables and plain data."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from touchstone.base.tables import Cell, Column, Table, number, p_text
from touchstone.core.comparison import ALPHA
from touchstone.core.ranking import RANKING, rank_cell
from touchstone.core.resampling import interval_heading, interval_text, level_text
from touchstone.judge.pairing import Paired
from touchstone.stats.prediction_powered import Estimate, Population
from touchstone.stats.ranks import rank_ranges, significance_ranks


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
    def side(estimate: Estimate) -> dict[str, object]:
        return {name: _finite(getattr(estimate, name)) for name in ("value", "low", "high")}

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
    strata: str | None = None

    @property
    def measure(self) -> str:
        """The name of the measure."""
        return self.paired.measure.name

    @property
    def signature(self) -> Mapping[str, str]:
        """What the numbers depend on."""
        how = self.paired.resampling
        drawn = f" in strata by {self.strata}" if self.strata else ""
        return {
            **self.paired.signature,
            "intervals": f"{level_text(how.level)} t over {how.over}{drawn}, {self.population}",
        }

    @cached_property
    def ranks(self) -> list[list[str]]:
        """Systems that share a rank, best first: each differs significantly from all systems of lower ranks."""
        differ = {frozenset((entry.a, entry.b)): entry.significant for entry in self.pairs}
        return significance_ranks([entry.system for entry in self.systems], lambda a, b: differ[frozenset((a, b))])

    @cached_property
    def rank_ranges(self) -> dict[str, tuple[int, int]]:
        """The lowest and the highest rank that each system may have, from its significant differences."""
        sign = -1 if self.paired.measure.lower_is_better else 1
        real = [entry for entry in self.pairs if entry.significant]
        won = {(one.a, one.b) if sign * one.both.value > 0 else (one.b, one.a) for one in real}
        return rank_ranges([entry.system for entry in self.systems], won)

    def system(self, name: str) -> Estimated:
        """Return the estimates of one system."""
        return next(entry for entry in self.systems if entry.system == name)

    def table(self) -> Table:
        """Return the systems, best first: human only, judge only and both side by side."""
        rows: list[list[Cell]] = [
            [
                rank_cell(self.rank_ranges[entry.system]),
                entry.system,
                *self._cells(entry.human, entry.judge, entry.both),
                entry.labels,
                _count(entry.both),
            ]
            for entry in self.systems
        ]
        columns = [Column("rank", "right"), Column("system"), *self._columns("human labels", "effective")]
        starts = np.cumsum([0, *map(len, self.ranks)])[1:-1]
        return Table(columns, rows, title=self.measure, rules=set(starts.tolist()))

    def pairs_table(self) -> Table:
        """Return every pair with its difference in three ways, its test, and the probability that the first leads."""
        rows: list[list[Cell]] = []
        for entry in self.pairs:
            chances = p_text(entry.p), p_text(entry.p_adjusted), number(entry.ahead, 3)
            sides = self._cells(entry.human, entry.judge, entry.both)
            rows.append([f"{entry.a} – {entry.b}", *sides, *chances, _count(entry.both)])
        columns = [Column("pair"), *self._columns("p", "p (holm)", "first ahead", "effective")]
        bold = {(row, len(columns) - 3) for row, entry in enumerate(self.pairs) if entry.significant}
        return Table(columns, rows, bold=bold)

    def sample_table(self) -> Table:
        """Return how much of each system people scored: items, and clusters where items belong together."""
        paired, clusters = self.paired, self.paired.clusters
        rows: list[list[Cell]] = []
        for entry in self.systems:
            judged, scored = paired.judged(entry.system), paired.labelled(entry.system)
            row: list[Cell] = [entry.system, int(judged.sum()), int(scored.sum()), f"{scored.sum() / judged.sum():.0%}"]
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
        level = interval_heading(self.paired.resampling.level)
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
            "both: human only, corrected by the judge's scores of the items that people did not score",
            "judge only: no interval, because the judge's scores do not show their own error",
            "effective: how many human labels would give the same precision without the judge",
            *([f"p: t tests of both, adjusted over {pairs:,} pair{'s' * (pairs > 1)} by Holm"] if pairs else []),
            *([RANKING] if len(self.systems) > 2 else []),
            *(["first ahead: the probability that the first system is better"] if pairs else []),
            f"estimates are about {about}",
            *([f"strata: people scored a random sample of each {self.strata}"] if self.strata else []),
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
            "rank_ranges": {system: list(ends) for system, ends in self.rank_ranges.items()},
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


def all_notes(estimates: Sequence[Estimates]) -> list[str]:
    """Return the notes on estimates under several measures: one that is not on all of them names its measure."""
    every = [set(estimated.notes) for estimated in estimates]
    return list(
        dict.fromkeys(
            note if all(note in own for own in every) else f"{estimated.measure}: {note}"
            for estimated in estimates
            for note in estimated.notes
        )
    )


def _count(estimate: Estimate) -> Cell:
    return None if np.isnan(estimate.effective) else round(estimate.effective)


def _finite(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None
