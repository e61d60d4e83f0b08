"""The verdict that opens a report: two or three sentences made from the numbers."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite

from touchstone.base.notes import find_note
from touchstone.base.tables import counted, listed, number
from touchstone.core.comparison import Comparison, best_first
from touchstone.core.comparison_notes import NO_CHANCE
from touchstone.core.pairs import Pair
from touchstone.core.ranking import ranks_sentence
from touchstone.core.resampling import interval_heading
from touchstone.core.results import Results, Row
from touchstone.show.plots import decimals_for


def verdict(results: Results, comparisons: Sequence[Comparison], measure: str) -> list[str]:
    """Return two sentences: who is ahead under a *measure* and by how much, and how the others compare.

    A third one names the measures under which the two best systems compare otherwise.

    Parameters
    ----------
    results
        Values of all systems over all items.
    comparisons
        The comparisons that were made; none of a single system.
    measure
        The measure of the verdict.
    """
    rows = ordered_rows(results, measure)
    decimals = decimals_for([row.value for row in rows])
    comparison = next((each for each in comparisons if each.measure == measure), None)
    if comparison is not None:
        words = _Words(comparison, decimals)
        others = "; ".join(filter(None, [words.others(), _other_leaders(results, rows[0])]))
        return [words.leader(), f"{others}.", *_other_measures(comparison, comparisons)]
    best = rows[0]
    ends = f" (interval {number(best.low, decimals)} to {number(best.high, decimals)})" if isfinite(best.low) else ""
    value = f"{number(best.value, decimals)}{ends}"
    if len(rows) == 1:
        return [f"{best.system} scores {value} under {measure} on {counted(best.n, 'item')}."]
    return [
        f"{best.system} scores highest under {measure}: {value}.",
        f"{len(rows)} systems are too many to be tested here.",
    ]


def ordered_rows(results: Results, measure: str) -> list[Row]:
    """Return the values of all systems under a *measure*, best first; baselines follow the systems."""
    return sorted(best_first(results, results.measure(measure)), key=lambda row: row.system in results.baselines)


def _other_leaders(results: Results, leader: Row) -> str:
    """Return which measures put another system first."""
    others: dict[str, list[str]] = {}
    for measure in results.measures:
        best = ordered_rows(results, measure.name)[0]
        if best.system != leader.system:
            others.setdefault(best.system, []).append(measure.name)
    if not others:
        return "all measures put the same system first" if len(results.measures) > 1 else ""
    return ", ".join(
        f"{listed(names, 4)} put{'s' * (len(names) == 1)} {system} first" for system, names in others.items()
    )


def _other_measures(comparison: Comparison, comparisons: Sequence[Comparison]) -> list[str]:
    """Return under which other measures the difference of the two best systems is not as under the first."""
    best, second, *_ = comparison.systems
    main = _pair_of(comparison, best, second)
    measures_by_statement: dict[str, list[str]] = {}
    for other in comparisons:
        pair = _pair_of(other, best, second)
        if other.measure == comparison.measure or pair is None or main is None or not isfinite(pair.difference):
            continue
        gap = pair.starting_with(best).difference * (-1 if other.scored.lower_is_better else 1)
        significance = "significantly" if pair.significant else "but not significantly"
        if gap < 0:
            measures_by_statement.setdefault(f"{second} is ahead, {significance}", []).append(other.measure)
        elif pair.significant != main.significant:
            outcome = "is significant" if pair.significant else "is not significant"
            measures_by_statement.setdefault(f"the difference of {best} and {second} {outcome}", []).append(
                other.measure
            )
    parts = [f"under {listed(names, 4)} {statement}" for statement, names in measures_by_statement.items()]
    text = "; ".join(parts)
    return [f"{text[:1].upper()}{text[1:]}."] if parts else []


def _pair_of(comparison: Comparison, a: str, b: str) -> Pair | None:
    return next((pair for pair in comparison.pairs if pair.names == {a, b}), None)


@dataclass(frozen=True)
class _Words:
    """A comparison in words, its numbers with so many *decimals*."""

    comparison: Comparison
    decimals: int

    def leader(self) -> str:
        """Return how the best system compares with the next, and with all that it cannot be told apart from."""
        best, second, *_ = self.comparison.systems
        pair = self.comparison.pair(best, second)
        if self.hopeless:
            value, gap = self.size(self.comparison.standings[0].value), self.size(abs(pair.difference))
            return f"{best} scores highest under {self.comparison.measure} ({value}), {gap} ahead of {second}."
        leader = self.comparison.leader
        if leader.tied_with == [second] and len(self.comparison.standings) == 2:
            return f"{best} and {second} cannot be told apart: {best} is ahead by {self.gap(pair)}."
        if leader.ahead_of == [second]:
            return f"{best} is ahead of {second} by {self.gap(pair)}."
        nearest = (leader.tied_with or leader.ahead_of)[0]
        return f"{leader.sentence}: the difference from {nearest} is {self.gap(self.comparison.pair(best, nearest))}."

    def others(self) -> str:
        """Return how the systems below the best compare with each other."""
        names = self.comparison.systems
        if self.hopeless:
            return f"{self.hopeless[:1].upper()}{self.hopeless[1:]}"
        if len(names) == 2:
            pair = self.comparison.pair(*names)
            items = counted(pair.wins + pair.ties + pair.losses, "item")
            return (
                f"{names[0]} is better on {pair.wins:,} of {items}, worse on {pair.losses:,} and equal on {pair.ties:,}"
            )
        if len(names) == 3:
            pair = self.comparison.pair(*names[1:])
            if pair.significant:
                return f"{names[1]} is ahead of {names[2]} by {self.gap(pair)}"
            return f"{names[1]} and {names[2]} cannot be told apart ({_chance(pair)})"
        ranks = self.comparison.ranks
        groups = (
            f"The {len(names)} systems form {len(ranks)} groups, each significantly better than all below it, "
            f"from {listed(ranks[0])} down to {listed(ranks[-1])}"
        )
        if len(ranks) == len(names):
            return groups
        possible = ranks_sentence(self.comparison.rank_ranges)
        return possible if len(ranks) == 1 else f"{groups}. {possible}"

    @property
    def hopeless(self) -> str | None:
        """The note that no difference could be significant, if there is one."""
        return find_note(self.comparison.notes, NO_CHANCE)

    def gap(self, pair: Pair) -> str:
        """Return the size of a difference with its interval and p; the words around it say the sign."""
        ends = sorted((pair.low, pair.high) if pair.difference >= 0 else (-pair.low, -pair.high))
        level = interval_heading(self.comparison.results.resampling.level)
        inside = [f"{level} {self.size(ends[0])} to {self.size(ends[1])}"] if isfinite(ends[0]) else []
        size = self.size(abs(pair.difference))
        return f"{size} of {self.comparison.measure} ({'; '.join([*inside, _chance(pair)])})"

    def size(self, value: float) -> str:
        return number(value, self.decimals).replace("-", "−")


def _chance(pair: Pair) -> str:
    if not isfinite(pair.p_adjusted):
        return "not tested"
    text = "p < 0.001" if pair.p_adjusted < 0.001 else f"p = {number(pair.p_adjusted)}"
    return text.replace(" ", "\N{NO-BREAK SPACE}")
