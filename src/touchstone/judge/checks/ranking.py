"""Systems ranked by people and by the judge on the same outputs, and the pairs that the judge reverses."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from touchstone.base.notes import WARNING, warning
from touchstone.base.ragged import Floats, Ints
from touchstone.base.tables import Cell, Column, Table, number
from touchstone.core.comparison import Comparison, compare
from touchstone.core.resampling import Resampling, interval_heading, interval_text
from touchstone.core.results import Results, Row, SystemRecords
from touchstone.judge.checks import FEWEST, judge_check
from touchstone.judge.paired import Paired
from touchstone.show.finding import Finding, Statement, kind_rows
from touchstone.show.page import Figure, Section, TableBlock

LISTED = 20
"""Pairs of systems that change places and are listed in a table."""


@dataclass(frozen=True)
class Swap:
    """Two systems that the judge ranks the other way round than people, *a* being the better one for people."""

    a: str
    b: str
    human: float
    human_interval: tuple[float, float]
    judge: float
    judge_interval: tuple[float, float]
    significant: bool
    """Whether people tell the two apart, after the correction for all pairs."""


@dataclass(frozen=True, eq=False, repr=False)
class Ranking(Finding):
    """Systems compared *by_people* and *by_judge*; *ranked_on* says on which items, if systems have different ones."""

    measure: str
    by_people: Comparison
    by_judge: Comparison
    resampling: Resampling
    ranked_on: str | None = None

    @property
    def swaps(self) -> list[Swap]:
        """The pairs of systems that change places."""
        judged = {frozenset((pair.a, pair.b)): pair for pair in self.by_judge.pairs}
        swaps = []
        for pair in self.by_people.pairs:
            other = judged[frozenset((pair.a, pair.b))]
            # The judge's pair may name the two systems in the other order.
            sign = 1 if other.a == pair.a else -1
            if pair.difference * sign * other.difference < 0:
                ends = (other.low, other.high) if sign > 0 else (-other.high, -other.low)
                people_difference = pair.difference, (pair.low, pair.high)
                swaps.append(Swap(pair.a, pair.b, *people_difference, sign * other.difference, ends, pair.significant))
        return swaps

    def statement(self) -> Statement:
        """Return the systems by people and by the judge, and the pairs that change places."""
        sides = (("people", self.by_people), ("judge", self.by_judge))
        standings = [
            {"measure": self.measure, "by": side, **_standing(row)}
            for side, comparison in sides
            for row in comparison.standings
        ]
        swaps = [{"measure": self.measure, **_swap(swap)} for swap in self.swaps]
        return Statement(
            "Ranking",
            self._tables(),
            [*kind_rows("ranking", standings), *kind_rows("swap", swaps)],
            [self._reversed_pairs()],
            [self.ranked_on] if self.ranked_on else [],
            {
                "test": f"people: {self.by_people.test}; judge: {self.by_judge.test}",
                "correction": self.by_people.correction,
            },
            sections=self._sections,
        )

    def _tables(self) -> list[Table]:
        return [self.table(), *([self.swaps_table()] if self.swaps else [])]

    def table(self) -> Table:
        """Return the systems in the order of people, with their rank for people and for the judge."""
        people, judge = _value_ranks(self.by_people), _value_ranks(self.by_judge)
        judged = {row.system: row for row in self.by_judge.standings}
        level = interval_heading(self.resampling.level)
        rows: list[list[Cell]] = []
        for row in self.by_people.standings:
            other, ranks = judged[row.system], (people[row.system], judge[row.system])
            rows.append([*ranks, row.system, row.value, row.interval, other.value, other.interval, row.n])
        bold = {(row, 1) for row, cells in enumerate(rows) if cells[0] != cells[1]}
        heads = ["people", level, "judge", level, "outputs"]
        ranked_on = [self.ranked_on.removeprefix(WARNING)] if self.ranked_on else []
        columns = [Column("by people", "right"), Column("by judge", "right"), Column("system"), *_right(heads)]
        return Table(columns, rows, f"{self.measure}: ranking", [self._reversed_pairs(), *ranked_on], bold)

    def swaps_table(self) -> Table:
        """Return the pairs of systems that the judge ranks the other way round."""
        level = interval_heading(self.resampling.level)
        swaps = sorted(self.swaps, key=lambda swap: (not swap.significant, -abs(swap.human)))
        rows: list[list[Cell]] = [
            [
                f"{swap.a} – {swap.b}",
                number(swap.human),
                interval_text(*swap.human_interval),
                number(swap.judge),
                interval_text(*swap.judge_interval),
                "yes" if swap.significant else "no",
            ]
            for swap in swaps[:LISTED]
        ]
        columns = [Column("pair"), *_right(["people", level, "judge", level]), Column("significant for people")]
        bold = {(row, 5) for row, swap in enumerate(swaps[:LISTED]) if swap.significant}
        notes = ["differences are the first system minus the second; significant: after Holm over all pairs"]
        notes += [f"… and {len(swaps) - LISTED:,} more, among the rows of this result"] if len(swaps) > LISTED else []
        return Table(columns, rows, f"{self.measure}: pairs that the judge reverses", notes, bold)

    def _reversed_pairs(self) -> str:
        """Return how many pairs of systems the judge reverses, and how many of those that differ for people."""
        pairs, swaps = self.by_people.pairs, self.swaps
        differing, wrong = sum(pair.significant for pair in pairs), sum(swap.significant for swap in swaps)
        all_pairs = f"the judge reverses {len(swaps):,} of {len(pairs):,} pairs of systems"
        if not differing:
            return f"{all_pairs}; none differs significantly for people"
        return f"{all_pairs}, {wrong:,} of {differing:,} among those that differ significantly for people"

    def _sections(self) -> list[Section]:
        from touchstone.show.clouds import Cloud, Dot, clouds

        judged = {row.system: row.value for row in self.by_judge.standings}
        rows = self.by_people.standings
        dots = [Dot(row.system, judged[row.system], row.value, row.low, row.high) for row in rows]
        drawn = clouds([Cloud(f"{len(dots)} systems", dots)], "judge", "people", "Systems by people and by the judge")
        caption = "A dot for each system; the line through it is the interval of people's value."
        return [Section("Ranking", "ranking", [Figure(drawn, caption), *map(TableBlock, self._tables())])]


@judge_check
def ranking(outputs: Paired) -> Ranking | None:
    """Return the systems compared by people and by the judge; None where there is one system.

    Values of different items do not say which system is better, so all values, ranks and pairs are over the items that
    all systems share, where these are enough to say anything.

    Parameters
    ----------
    outputs
        The outputs that both scored.
    """
    systems, rows = np.unique(outputs.system), np.unique(outputs.item)
    if len(systems) < 2:
        return None
    counted = np.isfinite(outputs.grid(outputs.human_values))
    shared = rows[counted[np.ix_(rows, systems)].all(axis=1)]
    ranked_on = None
    if not outputs.measure.own_items and len(shared) < len(rows):
        ranked_on = _ranked_on(len(shared), len(rows))
        rows = shared if len(shared) >= FEWEST else rows
    people, judge = (_compared(outputs, records, rows, systems) for records in (outputs.human, outputs.judge))
    return Ranking(outputs.measure.name, people, judge, outputs.resampling, ranked_on)


def _ranked_on(shared: int, every: int) -> str:
    """Return on which items systems that have different ones are ranked; a warning where they share too few."""
    if shared >= FEWEST:
        what = f"values, ranks and pairs are over the {shared:,} items that all of them share"
        return f"systems have different items, so {what}, of {every:,} items of any system"
    few = f"systems have different items and share only {shared:,} item{'s' * (shared != 1)}"
    return warning(
        f"{few}, so each value and rank is over the system's own outputs, which may be easier or harder, and each pair "
        "over the items of both systems: let people and the judge score the same items of all systems"
    )


def _compared(outputs: Paired, records: Floats, rows: Ints, systems: Ints) -> Comparison:
    """Return the systems compared by the records of one side on some items, in the order of their values there."""
    measure, how = outputs.measure, outputs.resampling
    items: dict[str, list[str]] = {"id": [outputs.items[row] for row in rows.tolist()]}
    if outputs.clusters is not None and how.cluster is not None:
        items[how.cluster] = [str(code) for code in outputs.item_units[rows].tolist()]
    scored = []
    for system_index in systems.tolist():
        of_system = outputs.system == system_index
        every = np.zeros((len(outputs.items), records.shape[1]))  # a record of zeros does not count
        every[outputs.item[of_system]] = records[of_system]
        scored.append(SystemRecords(outputs.systems[system_index], {measure.name: every[rows]}, pa.table({})))
    results = Results("judge", [measure], scored, pa.table(items), dict(outputs.signature), how)
    comparison = compare(results, measure.name)
    sign = 1 if measure.lower_is_better else -1
    standings = sorted(comparison.standings, key=lambda row: (np.isnan(row.value), sign * row.value))
    return replace(comparison, standings=standings)


def _value_ranks(comparison: Comparison) -> dict[str, int]:
    """Return the rank of each system by its value; equal values share one."""
    rows = comparison.standings
    first = {row.value: rank for rank, row in reversed(list(enumerate(rows, 1)))}
    return {row.system: first[row.value] for row in rows}


def _standing(row: Row) -> Mapping[str, object]:
    return {"system": row.system, "value": row.value, "low": row.low, "high": row.high, "n": row.n}


def _swap(swap: Swap) -> Mapping[str, object]:
    sides = {
        name: {"difference": value, "low": ends[0], "high": ends[1]}
        for name, value, ends in (
            ("people", swap.human, swap.human_interval),
            ("judge", swap.judge, swap.judge_interval),
        )
    }
    return {"a": swap.a, "b": swap.b, **sides, "told_apart": swap.significant}


def _right(heads: Sequence[str]) -> list[Column]:
    return [Column(head, "right") for head in heads]
