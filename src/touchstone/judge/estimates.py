"""What is estimated from few human scores and many of a judge: systems and pairs of them, under one measure or more."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import isfinite

import numpy as np

from touchstone.base.tables import Cell, Column, Table, counted, number, p_text
from touchstone.core.pairs import ALPHA
from touchstone.core.ranking import RANKING, rank_cell
from touchstone.core.resampling import interval_heading, interval_text, level_text
from touchstone.judge.paired import Paired
from touchstone.show import figures
from touchstone.show.finding import Finding, Statement
from touchstone.show.page import Block, Figure, Paragraph, Section, TableBlock
from touchstone.show.plots import decimals_for
from touchstone.stats.prediction_powered import Estimate, Population
from touchstone.stats.ranks import rank_ranges, significance_ranks

TITLE = "Few human scores, many of a judge"

WAYS = ("human only", "both")


@dataclass(frozen=True)
class Estimated:
    """One value in three ways: from *human* scores only, from the *judge* only, and from *both*."""

    system: str
    human: Estimate
    judge: float
    both: Estimate
    labels: int


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


def _sides(entry: Estimated | PairEstimate) -> dict[str, object]:
    human, both = ({"value": side.value, "low": side.low, "high": side.high} for side in (entry.human, entry.both))
    return {
        "human": human,
        "judge": {"value": entry.judge},
        "both": {**both, "weight": entry.both.weight, "effective": entry.both.effective},
        "labels": entry.labels,
    }


@dataclass(frozen=True, eq=False, repr=False)
class Estimates(Finding):
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
        won = {(pair.a, pair.b) if sign * pair.both.value > 0 else (pair.b, pair.a) for pair in real}
        return rank_ranges([entry.system for entry in self.systems], won)

    def system(self, name: str) -> Estimated:
        """Return the estimates of one system."""
        return next(entry for entry in self.systems if entry.system == name)

    def table(self) -> Table:
        """Return the systems, best first: human only, judge only and both side by side."""
        ranks = self.rank_ranges
        rows: list[list[Cell]] = [
            [rank_cell(ranks[entry.system]), entry.system, *self._cells(entry), entry.labels, _count(entry.both)]
            for entry in self.systems
        ]
        columns = [Column("rank", "right"), Column("system"), *self._columns("human labels", "effective")]
        # A line separates systems that do not share a rank.
        starts = np.cumsum([0, *map(len, self.ranks)])[1:-1]
        return Table(columns, rows, title=self.measure, rules=set(starts.tolist()))

    def pairs_table(self) -> Table:
        """Return every pair with its difference in three ways, its test, and the probability that the first leads."""
        rows: list[list[Cell]] = []
        for entry in self.pairs:
            chances = p_text(entry.p), p_text(entry.p_adjusted), number(entry.ahead, 3)
            rows.append([f"{entry.a} – {entry.b}", *self._cells(entry), *chances, _count(entry.both)])
        columns = [Column("pair"), *self._columns("p", "p (holm)", "first ahead", "effective")]
        bold = {(row, len(columns) - 3) for row, entry in enumerate(self.pairs) if entry.significant}
        return Table(columns, rows, bold=bold)

    def sample_table(self) -> Table:
        """Return how much of each system people scored: items, and clusters where items belong together."""
        paired, clusters = self.paired, self.paired.clusters
        rows: list[list[Cell]] = []
        for entry in self.systems:
            scores = paired.of(entry.system)
            judged, scored = scores.judged, scores.labelled
            row: list[Cell] = [entry.system, int(judged.sum()), int(scored.sum()), f"{scored.sum() / judged.sum():.0%}"]
            if clusters is not None:
                row += [len(np.unique(scores.units[judged])), len(np.unique(scores.units[scored]))]
            rows.append(row)
        heads = ["items of the judge", "items of people", "share"]
        if clusters is not None:
            heads += [f"{paired.resampling.over} of the judge", f"{paired.resampling.over} of people"]
        return Table([Column("system"), *(Column(head, "right") for head in heads)], rows, f"{self.measure}: sample")

    def _columns(self, *more: str) -> list[Column]:
        level = interval_heading(self.paired.resampling.level)
        return [Column(name, "right") for name in ("human only", level, "judge only", "both", level, *more)]

    def _cells(self, entry: Estimated | PairEstimate) -> list[Cell]:
        human, both = entry.human, entry.both
        ends = [interval_text(side.low, side.high) for side in (human, both)]
        return [human.value, ends[0], entry.judge, both.value, ends[1]]

    @property
    def reading(self) -> list[str]:
        """What the columns mean, and what the estimates are about."""
        n, pairs = len(self.paired.items), len(self.pairs)
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

    @property
    def sentences(self) -> list[str]:
        """Who is ahead by both kinds of scores, and how many human labels the judge's scores are worth."""
        best, *others = (system.system for system in self.systems)
        pair = next((pair for pair in self.pairs if {pair.a, pair.b} == {best, *others[:1]}), None)
        both = pair.both if pair else self.systems[0].both
        sign = -1 if pair and both.value < 0 else 1
        decimals = decimals_for(system.both.value for system in self.systems)
        # Seen from the other system, the ends change places.
        value, low, high = (number(sign * end, decimals) for end in (both.value, *(both.low, both.high)[::sign]))
        chance = f"; p = {number(pair.p_adjusted)}" if pair else ""
        size = f"{value} of {self.measure} ({interval_heading(self.paired.resampling.level)} {low} to {high}{chance})"
        if pair is None:
            outcome = f"{best} scores {size}"
        elif pair.significant:
            outcome = f"{best} is ahead of {others[0]} by {size}"
        else:
            outcome = f"{best} and {others[0]} cannot be told apart: {best} is ahead by {size}"
        labels = _range(system.labels for system in self.systems)
        worth = _range(round(system.both.effective) for system in self.systems if isfinite(system.both.effective))
        gain = f"With the judge, the {labels} human labels of a system tell as much as {worth} without it."
        return [f"{outcome}, by human and judge scores together.", *([gain] if worth else [])]

    def statement(self) -> Statement:
        """Return who is ahead, the systems and the pairs; below the tables, what their columns mean."""
        *tables, last = [self.table(), *([self.pairs_table()] if self.pairs else [])]
        return Statement(
            TITLE,
            [*tables, replace(last, notes=self.reading)],
            self._rows(),
            self.sentences,
            self.notes,
            self.signature,
            subtitle=_subtitle([self]),
            sections=lambda: _sections([self]),
        )

    def _rows(self) -> list[dict[str, object]]:
        """Return the sample, the systems and the pairs for machines."""
        about: dict[str, object] = {"measure": self.measure, "population": self.population}
        ranks = {system: rank for rank, group in enumerate(self.ranks, 1) for system in group}
        sample = {"kind": "sample", **about, "strata": self.strata, "items": len(self.paired.items)}
        systems = [
            {
                "kind": "estimate",
                **about,
                "system": entry.system,
                "rank": ranks[entry.system],
                "rank_range": self.rank_ranges[entry.system],
                **_sides(entry),
            }
            for entry in self.systems
        ]
        pairs = [
            {
                "kind": "pair",
                **about,
                "a": entry.a,
                "b": entry.b,
                **_sides(entry),
                "p": entry.p,
                "p_adjusted": entry.p_adjusted,
                "ahead": entry.ahead,
                "significant": entry.significant,
            }
            for entry in self.pairs
        ]
        return [sample, *systems, *pairs]

    def joined(self, others: Sequence[Finding]) -> Finding:
        """Return these estimates and those under other measures as one.

        Parameters
        ----------
        others
            Estimates of the same systems.
        """
        estimates = [each for each in others if isinstance(each, Estimates)]
        return estimates_statement([self, *estimates]) if len(estimates) == len(others) else super().joined(others)


def estimates_statement(estimates: Sequence[Estimates]) -> Statement:
    """Return estimates under one or more measures as one statement; the first measure says who is ahead.

    Parameters
    ----------
    estimates
        The estimates of the same systems under different measures.
    """
    first, *others = estimates
    if not others:
        return first.statement()
    return Statement(
        TITLE,
        sentences=first.sentences,
        notes=_joint_notes(estimates),
        signature=first.signature,
        parts=[replace(entry.statement(), title=entry.measure) for entry in estimates],
        subtitle=_subtitle(estimates),
        sections=lambda: _sections(estimates),
    )


def _joint_notes(estimates: Sequence[Estimates]) -> list[str]:
    """Return the notes on estimates under several measures: one that is not on all of them names its measure."""
    every = [set(estimated.notes) for estimated in estimates]
    return list(
        dict.fromkeys(
            note if all(note in measure_notes for measure_notes in every) else f"{estimated.measure}: {note}"
            for estimated in estimates
            for note in estimated.notes
        )
    )


def _subtitle(estimates: Sequence[Estimates]) -> str:
    return f"{', '.join(entry.measure for entry in estimates)} of {counted(len(estimates[0].systems), 'system')}"


def _range(counts: Iterable[int]) -> str:
    ordered = sorted(counts)
    return " to ".join(f"{end:,}" for end in dict.fromkeys((ordered[0], ordered[-1]))) if ordered else ""


def _count(estimate: Estimate) -> Cell:
    return None if np.isnan(estimate.effective) else round(estimate.effective)


def _sections(estimates: Sequence[Estimates]) -> list[Section]:
    """Return the sections of the report: of each measure the systems and the pairs; the sample; what columns mean.

    Parameters
    ----------
    estimates
        The estimates under each measure.
    """
    sections = [section for index, entry in enumerate(estimates) for section in _measure_sections(entry, index)]
    samples = [entry.sample_table() for entry in estimates]
    # Measures of the same items have the same sample, which is shown once.
    differing = [table for n, table in enumerate(samples) if table.rows not in [before.rows for before in samples[:n]]]
    text = "How many items the judge scored of each system, and how many of them people scored too."
    sections.append(Section("Sample", "sample", [Paragraph(text), *map(TableBlock, differing)]))
    explanations = dict.fromkeys(line for entry in estimates for line in entry.reading)
    return [*sections, Section("How to read this", "reading", [_paragraph(line) for line in explanations])]


def _measure_sections(entry: Estimates, index: int) -> list[Section]:
    """Return the sections of one measure."""
    drawn = figures.intervals(
        [
            figures.Estimate(f"{system.system}, {way}", side.value, side.low, side.high)
            for system in entry.systems
            for way, side in zip(WAYS, (system.human, system.both), strict=True)
        ],
        f"{entry.measure} by people alone and by both",
    )
    systems: list[Block] = [Figure(drawn, "Each system by people alone, and by both."), TableBlock(entry.table())]
    sections = [Section(f"Systems: {entry.measure}", f"systems-{index}", systems)]
    if entry.pairs:
        sections.append(Section(f"Pairs: {entry.measure}", f"pairs-{index}", [TableBlock(entry.pairs_table())]))
    return sections


def _paragraph(sentence: str) -> Paragraph:
    return Paragraph(f"{sentence if sentence.startswith('p:') else sentence[:1].upper() + sentence[1:]}.")
