"""On which outputs the judge gives more than people do: by system and by every field of the outputs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from touchstone.base.ragged import Bools, Floats
from touchstone.base.tables import Cell, Column, Table, number, p_text
from touchstone.core.pairs import ALPHA
from touchstone.core.resampling import Resampling, interval_heading, interval_text
from touchstone.judge.checks import interval_notes, judge_check
from touchstone.judge.paired import Paired
from touchstone.show.finding import Finding, Statement
from touchstone.show.page import Block, Figure, Section, TableBlock
from touchstone.show.svg import Svg
from touchstone.stats import holm, interval, mean, mean_records
from touchstone.stats.judge import Contrast, contrast
from touchstone.stats.records import cluster_records

SYSTEM = "system"

FEW_VALUES = 5
"""Up to so many different numbers are levels of a field; more are cut into thirds."""

MOST_LEVELS = 20
"""A field with more levels is not a category."""

LISTED = 5
"""Levels that a sentence names; the table has all."""

ROUNDING = 1e-9
"""A bias below this is 0: scores that were rescaled to the mean of people's differ from it by rounding alone."""


@dataclass(frozen=True)
class Bias:
    """Judge score minus human score on one level of a field, and how that differs from the other levels.

    The overall bias has the field None: its interval is that of *bias*, and there is no rest.
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


@dataclass(frozen=True, eq=False, repr=False)
class Biases(Finding):
    """The *overall* bias, and that on each of the *levels* of all fields, compared with the rest."""

    measure: str
    overall: Bias
    levels: Sequence[Bias]
    lower_is_better: bool
    resampling: Resampling
    notes: Sequence[str] = ()

    def statement(self) -> Statement:
        """Return the bias over all outputs and on each level."""
        about = {"kind": "bias", "measure": self.measure}
        rows = [
            {**about, **vars(entry), "bias": entry.bias, "significant": entry.significant}
            for entry in (self.overall, *self.levels)
        ]
        sentences = [*self._overall_sentences(), *self._sentences_on_levels()]
        return Statement("Bias", [self.table()], rows, sentences, self.notes, sections=self._sections)

    def table(self) -> Table:
        """Return how much more than people the judge gives, level by level, each level against the rest."""
        overall = self.overall
        level = interval_heading(self.resampling.level)
        heads = ["n", "people", "judge", "bias", "against the rest", level, "p (holm)"]
        rows: list[list[Cell]] = [
            ["", overall.level, overall.n, overall.human, overall.judge, overall.bias, "", "", ""],
        ]
        rules, before = set(), None
        for entry in self.levels:
            heading = entry.field if entry.field != before else ""
            rules |= {len(rows)} if heading else set()
            before = entry.field
            sizes = entry.n, entry.human, entry.judge, entry.bias, number(entry.against_rest)
            p = "" if np.isnan(entry.p) else p_text(entry.p_adjusted)
            rows.append([heading, entry.level, *sizes, interval_text(entry.low, entry.high), p])
        bold = {(row, len(heads) + 1) for row, entry in enumerate(self.levels, 1) if entry.significant}
        columns = [Column("field"), Column("level"), *(Column(head, "right") for head in heads)]
        return Table(columns, rows, f"{self.measure}: bias", self._table_notes(), bold, rules)

    def _table_notes(self) -> list[str]:
        ends = interval_text(self.overall.low, self.overall.high) or self.overall.note
        notes = [f"bias: judge minus people; over all outputs {number(self.overall.bias)} ({ends})"]
        if self.levels:
            method = f"jackknife t over {self.resampling.over}, p adjusted over {len(self.levels):,} levels by Holm"
            notes.append(f"against the rest: bias on this level minus bias on all others; {method}")
        return [*notes, *interval_notes([level.note for level in self.levels], self.resampling.over)]

    def _overall_sentences(self) -> list[str]:
        """Return how much more or less than people the judge gives; nothing where it is 0, as after rescaling."""
        overall = self.overall
        if not abs(overall.bias) > ROUNDING:
            return []
        higher = overall.bias > 0
        ends = interval_text(*((overall.low, overall.high) if higher else (-overall.high, -overall.low)))
        chance = ", which may be chance" if overall.low <= 0 <= overall.high else ""
        size = f"{number(abs(overall.bias))}{f' ({ends})' if ends else ''}"
        return [f"over all outputs it scores {size} {'higher' if higher else 'lower'} than people{chance}"]

    def _sentences_on_levels(self) -> list[str]:
        tested = [level for level in self.levels if not np.isnan(level.p)]
        biased = sorted((level for level in tested if level.significant), key=lambda level: -abs(level.against_rest))
        if not tested:
            return []
        if not biased:
            fields = ", ".join(dict.fromkeys(str(level.field) for level in tested))
            return [f"no bias by {fields} is significant ({len(tested):,} levels, Holm)"]
        more, less = ("underrates", "favours") if self.lower_is_better else ("favours", "underrates")
        others = f" and {len(biased) - LISTED} more" if len(biased) > LISTED else ""
        ways = [
            f"{more if gap > 0 else less} {level.field} {level.level} by {number(abs(gap))}"
            for level in biased[:LISTED]
            for gap in [level.against_rest]
        ]
        return [f"compared with the rest, it {', '.join(ways)}{others}"]

    def _sections(self) -> list[Section]:
        caption = (
            "Judge score minus human score on each level, minus the same on all other levels of the field. Points to "
            "the right of the line mean that the judge favours the level."
        )
        drawn: list[Block] = [Figure(self.figure(), caption)] if self.levels else []
        return [Section("Bias", "bias", [*drawn, TableBlock(self.table())])]

    def figure(self) -> Svg:
        """Return how far the judge favours each level over the rest: dots with whiskers, a line at no bias."""
        from touchstone.show.figures import Estimate, intervals

        estimates = [
            Estimate(f"{level.field}: {level.level}", level.against_rest, level.low, level.high)
            for level in self.levels
        ]
        return intervals(estimates, "Bias against the rest", "judge − people, against the rest", line=0.0)


@judge_check
def bias(outputs: Paired) -> Biases:
    """Return the bias over all outputs, then that of each level against the rest, with p adjusted over all levels.

    Parameters
    ----------
    outputs
        The outputs that both scored.
    """
    how = outputs.resampling
    error = outputs.judge_values - outputs.human_values
    ends = interval(cluster_records(mean_records(error), outputs.units), mean, level=how.level, over=how.over)
    everywhere = np.ones(len(error), np.bool_)
    overall = _bias(None, "all outputs", outputs, everywhere, Contrast(np.nan, ends.low, ends.high, np.nan, ends.note))
    members, left_out = output_levels(outputs)
    levels = [
        _bias(*key, outputs, member, contrast(error, member, outputs.units, level=how.level, over=how.over))
        for key, member in members.items()
    ]
    adjusted = holm([level.p for level in levels]).tolist()
    levels = [replace(level, p_adjusted=p) for level, p in zip(levels, adjusted, strict=True)]
    return Biases(outputs.measure.name, overall, levels, outputs.measure.lower_is_better, how, left_out)


def _bias(field: str | None, level: str, outputs: Paired, member: Bools, ends: Contrast) -> Bias:
    means = float(outputs.human_values[member].mean()), float(outputs.judge_values[member].mean())
    return Bias(field, level, int(member.sum()), *means, ends.value, ends.low, ends.high, ends.p, note=ends.note)


Levels = Mapping[tuple[str, str], Bools]


def output_levels(outputs: Paired) -> tuple[Levels, list[str]]:
    """Return which outputs have which level of which field, the system first; and a note on fields left out.

    Parameters
    ----------
    outputs
        The outputs; their facts are the fields.
    """
    levels: dict[tuple[str, str], Bools] = {}
    if len(outputs.systems) > 1:
        levels = {(SYSTEM, name): outputs.system == system_index for system_index, name in enumerate(outputs.systems)}
    left_out = []
    for name, cells in outputs.facts.items():
        members = field_levels(cells)
        if len(members) > MOST_LEVELS:
            left_out.append(f"{name} ({len(members):,})")
        elif len(members) > 1:
            levels |= {(name, level): member for level, member in members.items()}
    note = f"fields with more than {MOST_LEVELS} values, for which no bias is shown: {', '.join(left_out)}"
    return {key: member for key, member in levels.items() if member.any()}, [note] if left_out else []


def field_levels(cells: Sequence[str | None]) -> dict[str, Bools]:
    """Return which rows have each level of a field: its values, or thirds of many different numbers.

    Parameters
    ----------
    cells
        The value of the field in each row; None where there is none.

    Examples
    --------
    >>> {level: member.tolist() for level, member in field_levels(["b", "a", "b"]).items()}
    {'a': [False, True, False], 'b': [True, False, True]}
    >>> list(field_levels(list(map(str, range(9)))))
    ['0 to 2', '3 to 5', '6 to 8']
    """
    values = numbers_of(cells)
    if values is None:
        texts = np.array(["" if cell is None else cell for cell in cells])
        return {level: texts == level for level in sorted(set(texts.tolist()) - {""})}
    distinct = np.unique(values[~np.isnan(values)])
    if len(distinct) <= FEW_VALUES:
        return {f"{value:g}": values == value for value in distinct.tolist()}
    edges = np.unique(np.nanquantile(values, [1 / 3, 2 / 3]))
    # A row without a number is in no third.
    third = np.where(np.isnan(values), -1, np.searchsorted(edges, values, side="left"))
    members = [third == interval_index for interval_index in range(len(edges) + 1) if (third == interval_index).any()]
    return {f"{values[member].min():.6g} to {values[member].max():.6g}": member for member in members}


def numbers_of(cells: Sequence[str | None]) -> Floats | None:
    """Return the numbers of a field, nan where there is none; None if a cell holds something else.

    Parameters
    ----------
    cells
        The value of the field in each row.
    """
    try:
        values = np.array([np.nan if cell is None else float(cell) for cell in cells])
    except ValueError:
        return None
    return None if np.isnan(values).all() else values
