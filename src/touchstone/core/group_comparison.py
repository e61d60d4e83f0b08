"""Systems compared within each group of items, with one correction over all pairs of all groups."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import comb

from touchstone.base.errors import TouchstoneError
from touchstone.base.notes import find_note, warning, warnings_of
from touchstone.base.signature import Signature
from touchstone.base.spelling import setting
from touchstone.base.tables import Cell, Column, Table, number, p_text
from touchstone.core.comparison import (
    CORRECTION_NAMES,
    CORRECTIONS,
    NO_CHANCE,
    Comparison,
    Correction,
    Pair,
    compare,
    lost_wins,
    rank_rows,
)
from touchstone.core.resampling import interval_heading, interval_text
from touchstone.core.results import Results, combined
from touchstone.show.finding import Finding, Statement, kind_rows
from touchstone.stats import draws_for, rank_ranges


@dataclass(frozen=True, eq=False, repr=False)
class GroupComparison(Finding):
    """The pairs of systems within each group of items, under one measure.

    *pairs* has them by group; their adjusted p are adjusted over all groups together, and the order of the systems is
    that of all items. *names* are the names of the groups as tables show them, *sizes* the numbers of their items;
    *failed* has the comparisons of groups with the items that systems skipped as failures, where some skipped any.
    """

    measure: str
    by: str
    pairs: Mapping[str, Sequence[Pair]]
    sizes: Mapping[str, int]
    names: Mapping[str, str]
    correction: Correction
    level: float | None = 0.95
    """The level of the intervals; None where there are none."""
    notes: Sequence[str] = ()
    lower_is_better: bool = False
    signature: Signature = field(default_factory=dict)
    failed: Mapping[str, Comparison] = field(default_factory=dict)

    def difference_if_failed(self, group: str, pair: Pair) -> float:
        """Return the difference of a pair in a group if the skipped items were failures."""
        return self.failed[group].difference(pair.a, pair.b) if group in self.failed else pair.difference

    def won(self, group: str) -> set[tuple[str, str]]:
        """Return the pairs of systems that differ significantly in a group, the better system first."""
        sign = -1 if self.lower_is_better else 1
        real = [pair for pair in self.pairs[group] if pair.significant]
        return {(pair.a, pair.b) if sign * pair.difference > 0 else (pair.b, pair.a) for pair in real}

    def rank_ranges(self, group: str) -> dict[str, tuple[int, int]]:
        """Return the lowest and the highest rank that each system may have in a group."""
        systems = dict.fromkeys(name for pair in self.pairs[group] for name in (pair.a, pair.b))
        return rank_ranges(list(systems), self.won(group))

    def table(self) -> Table:
        """Return every pair of every group with its difference and test."""
        every = [(group, pair) for group, pairs in self.pairs.items() for pair in pairs]
        ends = [] if self.level is None else [interval_heading(self.level)]
        heads = ["difference", *ends, "p", f"p ({self.correction})", "wins", "ties", "losses"]
        heads += ["if failed"] if self.failed else []
        columns = [Column(self.by), Column("n", "right"), Column("pair"), *(Column(name, "right") for name in heads)]
        rows: list[list[Cell]] = []
        rules: set[int] = set()
        for row_index, (group, pair) in enumerate(every):
            first = pair is self.pairs[group][0]
            rules |= {row_index} if first and len(self.pairs[group]) > 1 else set()
            start: list[Cell] = [self.names.get(group, group), self.sizes[group]] if first else ["", ""]
            sizes = number(pair.difference), *([interval_text(pair.low, pair.high)] if ends else [])
            chances = p_text(pair.p), p_text(pair.p_adjusted)
            bound = [number(self.difference_if_failed(group, pair))] if self.failed else []
            rows.append([*start, f"{pair.a} – {pair.b}", *sizes, *chances, pair.wins, pair.ties, pair.losses, *bound])
        bold = {(row, heads.index("p") + 4) for row, (_, pair) in enumerate(every) if pair.significant}
        return Table(
            columns, rows, title=f"{self.measure} by {self.by}", bold=bold, rules=rules, notes=[self.note, *self.notes]
        )

    @property
    def note(self) -> str:
        """Over how many pairs p was adjusted, in a sentence."""
        count = sum(map(len, self.pairs.values()))
        return f"p adjusted over {count:,} pairs of {len(self.pairs):,} groups by {CORRECTION_NAMES[self.correction]}"

    def statement(self) -> Statement:
        """Return every pair of every group, and the ranks within groups."""
        rows: list[dict[str, object]] = []
        for group, pairs in self.pairs.items():
            about = {"measure": self.measure, "group": group}
            rows.append({"kind": "group", **about, "by": self.by, "n": self.sizes[group]})
            rows += rank_rows(self.rank_ranges(group), about, {})
            rows += kind_rows("pair", ({**about, **pair.to_dict()} for pair in pairs))
            failed = self.failed[group].pairs if group in self.failed else ()
            rows += kind_rows("pair_if_failed", ({**about, **pair.to_dict()} for pair in failed))
        title = f"{self.measure} by {self.by}"
        return Statement(title, [self.table()], rows, notes=self.notes, signature=self.signature)


def compare_groups(
    results: Results | Sequence[Results],
    measure: str | None = None,
    *,
    test: str = "permutation",
    correction: Correction = "holm",
    draws: int | None = None,
) -> GroupComparison:
    """Compare all pairs of systems within each group of items; baselines of the task are left out.

    Parameters
    ----------
    results
        Two systems or more, scored with groups: ``score(…, by=FIELD)``.
    measure, test, correction
        As in `touchstone.core.comparison.compare`; the correction is over all pairs of all groups.
    draws
        How many swaps or resamples a test makes; by default as many as the number of all pairs needs.

    Examples
    --------
    >>> import touchstone
    >>> gold = {str(number): ("neutral" if number % 2 else "entailment") for number in range(8)}
    >>> runs = {"a": gold, "b": dict.fromkeys(gold, "neutral")}
    >>> comparison = compare_groups(touchstone.nli.score(gold, runs, ["accuracy"], by="gold"))
    >>> [(group, pair.difference) for group, pairs in comparison.pairs.items() for pair in pairs]
    [('entailment', 1.0), ('neutral', 0.0)]
    """
    all_results = combined(results)
    if all_results.by is None:
        raise TouchstoneError("these results have no groups", hint=f"score with {setting('by', 'FIELD')}")
    if all_results.resampling.groups:
        raise TouchstoneError("groups cannot be compared where items were summed", hint=f"leave out {setting('by')}")
    parts = all_results.by_group()
    families = len(parts) * comb(len(all_results.systems) - len(all_results.baselines), 2)
    draws = draws_for(max(1, families)) if draws is None else draws
    comparisons = {
        group: compare(part, measure, test=test, correction=correction, draws=draws) for group, part in parts.items()
    }
    name = next(iter(comparisons.values())).measure
    order = _order(all_results, name)
    pairs = [(group, _oriented(pair, order)) for group, comparison in comparisons.items() for pair in comparison.pairs]
    pairs.sort(key=lambda entry: (list(parts).index(entry[0]), order.index(entry[1].a), order.index(entry[1].b)))
    adjusted = CORRECTIONS[correction]([pair.p for _, pair in pairs]).tolist()
    by_group: dict[str, list[Pair]] = {group: [] for group in parts}
    for (group, pair), p in zip(pairs, adjusted, strict=True):
        by_group[group].append(replace(pair, p_adjusted=p))
    sizes = {group: len(part) for group, part in parts.items()}
    level = None if all_results.resampling.method == "none" else all_results.resampling.level
    lower = all_results.measure(name).lower_is_better
    failed = {group: comparison.failed for group, comparison in comparisons.items() if comparison.failed}
    notes = _notes(comparisons)
    for group, bound in failed.items():
        lost = lost_wins(all_results.measure(name), by_group[group], comparisons[group].standings, bound)
        notes += [warning(f"{all_results.group_names.get(group, group)}: {text}") for text in warnings_of(lost)]
    tests = "; ".join(dict.fromkeys(comparison.test for comparison in comparisons.values()))
    signature = {**all_results.signature, "test": tests, "correction": correction}
    names = all_results.group_names
    return GroupComparison(
        name, all_results.by, by_group, sizes, names, correction, level, notes, lower, signature, failed
    )


def _order(results: Results, measure: str) -> list[str]:
    """Return the systems in the order of their values over all items, best first."""
    sign = 1 if results.measure(measure).lower_is_better else -1
    rows = [row for row in results.rows if row.measure == measure and row.group is None]
    return [row.system for row in sorted(rows, key=lambda row: sign * row.value)]


def _oriented(pair: Pair, order: Sequence[str]) -> Pair:
    """Return a pair with the system first that is better over all items: differences of groups then have one sign."""
    if order.index(pair.a) < order.index(pair.b):
        return pair
    return replace(
        pair,
        a=pair.b,
        b=pair.a,
        difference=-pair.difference,
        low=-pair.high,
        high=-pair.low,
        effect=-pair.effect,
        wins=pair.losses,
        losses=pair.wins,
    )


def _notes(comparisons: Mapping[str, Comparison]) -> list[str]:
    few = sum(find_note(comparison.notes, NO_CHANCE) is not None for comparison in comparisons.values())
    return (
        [f"groups in which {NO_CHANCE}, for too few items or clusters: {few:,} of {len(comparisons):,}"] if few else []
    )
