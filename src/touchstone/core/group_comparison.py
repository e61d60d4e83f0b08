"""Systems compared within each group of items, with one correction over all pairs of all groups."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import comb

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.base.notes import find_note, warning, warnings_of
from touchstone.base.signature import Signature
from touchstone.base.spelling import setting
from touchstone.base.tables import Cell, Column, Table, number
from touchstone.core.combining import combined
from touchstone.core.comparison import Comparison, compare, rank_rows
from touchstone.core.comparison_notes import NO_CHANCE, lost_wins
from touchstone.core.pair_tests import CORRECTION_NAMES, CORRECTIONS, Correction
from touchstone.core.pairs import Pair, pair_columns, significant_wins
from touchstone.core.results import Results
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
        return significant_wins(self.pairs[group], lower_is_better=self.lower_is_better)

    def rank_ranges(self, group: str) -> dict[str, tuple[int, int]]:
        """Return the lowest and the highest rank that each system may have in a group."""
        systems = dict.fromkeys(name for pair in self.pairs[group] for name in (pair.a, pair.b))
        return rank_ranges(list(systems), self.won(group))

    def table(self) -> Table:
        """Return every pair of every group with its difference and test."""
        columns = {**pair_columns(self.correction, self.level)}
        del columns["effect"]
        heads = [*columns, *(["if failed"] if self.failed else [])]
        rows: list[list[Cell]] = []
        bold: set[tuple[int, int]] = set()
        rules: set[int] = set()
        for group, pairs in self.pairs.items():
            rules |= {len(rows)} if len(pairs) > 1 else set()
            start: list[Cell] = [self.names.get(group, group), self.sizes[group]]
            for pair in pairs:
                bold |= {(len(rows), 3 + heads.index(f"p ({self.correction})"))} if pair.significant else set()
                bound = [number(self.difference_if_failed(group, pair))] if self.failed else []
                rows.append([*start, f"{pair.a} – {pair.b}", *(cell(pair) for cell in columns.values()), *bound])
                start = ["", ""]
        return Table(
            [Column(self.by), Column("n", "right"), Column("pair"), *(Column(name, "right") for name in heads)],
            rows,
            title=f"{self.measure} by {self.by}",
            bold=bold,
            rules=rules,
            notes=[self.note, *self.notes],
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
        hint = f"score with {setting('by', 'FIELD')}"
        raise TouchstoneError("these results have no groups", code=Code.OPTION_NEEDED, hint=hint)
    if all_results.resampling.groups:
        what, hint = "groups cannot be compared where items were summed", f"leave out {setting('by')}"
        raise TouchstoneError(what, code=Code.UNSUPPORTED, hint=hint)
    parts = all_results.by_group()
    tested = len(parts) * comb(len(all_results.systems) - len(all_results.baselines), 2)
    # p is adjusted over the pairs of all groups, so the draws must allow that many tests.
    draws = draws_for(max(1, tested)) if draws is None else draws
    comparisons = {
        group: compare(part, measure, test=test, correction=correction, draws=draws) for group, part in parts.items()
    }
    scored = all_results.measure(next(iter(comparisons.values())).measure)
    pairs = _adjusted_pairs(comparisons, _order(all_results, scored.name), correction)
    tests = "; ".join(dict.fromkeys(comparison.test for comparison in comparisons.values()))
    how = all_results.resampling
    return GroupComparison(
        measure=scored.name,
        by=all_results.by,
        pairs=pairs,
        sizes={group: len(part) for group, part in parts.items()},
        names=all_results.group_names,
        correction=correction,
        level=None if how.method == "none" else how.level,
        notes=_notes(all_results, comparisons, pairs),
        lower_is_better=scored.lower_is_better,
        signature={**all_results.signature, "test": tests, "correction": correction},
        failed={group: comparison.failed for group, comparison in comparisons.items() if comparison.failed},
    )


def _adjusted_pairs(
    comparisons: Mapping[str, Comparison], order: Sequence[str], correction: Correction
) -> dict[str, list[Pair]]:
    """Return the pairs of each group with p adjusted over all groups.

    The system that is better over all items is the first, so that the differences of groups have one sign.
    """
    by_group = {}
    for group, comparison in comparisons.items():
        pairs = [pair.starting_with(min(pair.names, key=order.index)) for pair in comparison.pairs]
        by_group[group] = sorted(pairs, key=lambda pair: (order.index(pair.a), order.index(pair.b)))
    adjusted = iter(CORRECTIONS[correction]([pair.p for pairs in by_group.values() for pair in pairs]).tolist())
    return {group: [replace(pair, p_adjusted=next(adjusted)) for pair in pairs] for group, pairs in by_group.items()}


def _order(results: Results, measure: str) -> list[str]:
    """Return the systems in the order of their values over all items, best first."""
    sign = 1 if results.measure(measure).lower_is_better else -1
    rows = [row for row in results.rows if row.measure == measure and row.group is None]
    return [row.system for row in sorted(rows, key=lambda row: sign * row.value)]


def _notes(results: Results, comparisons: Mapping[str, Comparison], pairs: Mapping[str, Sequence[Pair]]) -> list[str]:
    """Return how many groups can have no significant difference, and the wins that skipped items decide."""
    few = sum(find_note(comparison.notes, NO_CHANCE) is not None for comparison in comparisons.values())
    what = f"groups in which {NO_CHANCE}, for too few items or clusters: {few:,} of {len(comparisons):,}"
    notes = [what] if few else []
    for group, comparison in comparisons.items():
        if comparison.failed:
            lost = lost_wins(comparison.scored, pairs[group], comparison.standings, comparison.failed)
            notes += [warning(f"{results.group_names.get(group, group)}: {text}") for text in warnings_of(lost)]
    return notes
