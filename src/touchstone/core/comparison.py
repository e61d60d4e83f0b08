"""Systems side by side: who is better, by how much, and whether the difference is real."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, product
from typing import TYPE_CHECKING, Any

import numpy as np

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.base.tables import Column, Table, number
from touchstone.core.combining import combined
from touchstone.core.comparison_notes import comparison_notes, lost_wins
from touchstone.core.measures import Measure
from touchstone.core.pair_tests import CORRECTION_NAMES, Correction, compare_pairs
from touchstone.core.pairs import Pair, pair_columns, significant_wins
from touchstone.core.ranking import RANKING, RULE, Leader, leader, rank_cell
from touchstone.core.result_tables import row_columns, skip_notes
from touchstone.core.results import Results, Row
from touchstone.show.finding import Finding, Statement, kind_rows, table_rows
from touchstone.stats import Test, compact_letters, folded, rank_ranges, significance_ranks

if TYPE_CHECKING:
    from touchstone.show.page import Page


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(Finding):
    """All pairs of systems under one measure, best system first.

    *baselines* of the task have no rank. *baseline_pairs* compares each system with them. Their p are adjusted
    separately, so that baselines do not reduce the power of the comparison of systems. *failed* is the same comparison
    with the items that systems skipped as failures; None where none was skipped, or where no bound is known.

    Examples
    --------
    >>> import touchstone
    >>> results = touchstone.items.score({"a": {"q1": 1, "q2": 1}, "b": {"q1": 0.5, "q2": 0}})
    >>> touchstone.compare(results).to_pandas("pair")[["a", "b", "difference", "wins"]].to_numpy().tolist()
    [['a', 'b', 0.75, 2]]
    """

    measure: str
    results: Results
    standings: Sequence[Row]
    pairs: Sequence[Pair]
    correction: Correction
    test: str
    notes: Sequence[str] = ()
    baselines: Sequence[Row] = ()
    baseline_pairs: Sequence[Pair] = ()
    failed: "Comparison | None" = None

    @property
    def scored(self) -> Measure[Any]:
        """The measure itself."""
        return self.results.measure(self.measure)

    @property
    def systems(self) -> list[str]:
        """The names of the systems that are ranked, best first."""
        return [row.system for row in self.standings]

    @cached_property
    def _by_names(self) -> dict[frozenset[str], Pair]:
        return {pair.names: pair for pair in (*self.pairs, *self.baseline_pairs)}

    def pair(self, a: str, b: str) -> Pair:
        """Return the pair of two systems that were compared, with *a* first.

        Parameters
        ----------
        a, b
            The names of the systems.
        """
        return self._by_names[frozenset((a, b))].starting_with(a)

    def _differ(self, a: str, b: str) -> bool:
        return self._by_names[frozenset((a, b))].significant

    @cached_property
    def ranks(self) -> list[list[str]]:
        """Groups of systems, best first: each system differs significantly from all systems of lower groups."""
        return significance_ranks(self.systems, self._differ)

    @cached_property
    def won(self) -> set[tuple[str, str]]:
        """The pairs of systems that differ significantly, the better system first."""
        return significant_wins(self.pairs, lower_is_better=self.scored.lower_is_better)

    @cached_property
    def rank_ranges(self) -> dict[str, tuple[int, int]]:
        """The lowest and the highest rank that each system may have, from its significant differences."""
        return rank_ranges(self.systems, self.won)

    @property
    def leader(self) -> Leader:
        """What is known of the best system compared with each other one."""
        return leader(self.systems, self.won)

    @property
    def headline(self) -> str:
        """The measure, and what is known of the best system compared with each other one, in a sentence."""
        return f"{self.measure}: {self.leader.sentence}"

    @cached_property
    def letters(self) -> dict[str, str]:
        """The letters of each system: two share one exactly when they do not differ significantly (Piepho 2004)."""
        return compact_letters(self.systems, self._differ)

    def table(self) -> Table:
        """Return the systems in order, with the ranks that each may have; the title says what is known of the best."""
        listed = [*self.standings, *self.baselines]
        ranks = {system: rank_cell(ends) for system, ends in self.rank_ranges.items()}
        columns = row_columns(listed, self.results.resampling, self.measure)
        starts = np.cumsum([len(rank) for rank in self.ranks])
        notes = [RANKING, *([RULE] if len(self.ranks) > 1 else [])] if len(self.standings) > 2 else []
        if any(row.skipped for row in listed):
            notes += skip_notes(self.results.under([self.measure]))
        return Table(
            [Column("rank", "right"), *(column for column, _ in columns)],
            [[ranks.get(row.system, "–"), *(cell(row) for _, cell in columns)] for row in listed],
            self.headline,
            rules={*starts.tolist()} - {len(listed)},
            notes=notes,
        )

    def pairs_table(self) -> Table:
        """Return every pair with its difference, test and counts."""
        how = self.results.resampling
        columns = {**pair_columns(self.correction, None if how.method == "none" else how.level)}
        if self.failed:
            failed = self.failed
            columns["if failed"] = lambda pair: number(failed.difference(pair.a, pair.b))
        every = [*self.pairs, *self.baseline_pairs]
        adjusted = 1 + list(columns).index(f"p ({self.correction})")
        return Table(
            [Column("pair"), *(Column(name, "right") for name in columns)],
            [[f"{pair.a} – {pair.b}", *(cell(pair) for cell in columns.values())] for pair in every],
            bold={(row, adjusted) for row, pair in enumerate(every) if pair.significant},
            rules={len(self.pairs)} - {len(every)},
            notes=[self.note, *self.notes],
        )

    def difference(self, a: str, b: str) -> float:
        """Return the difference a - b.

        Parameters
        ----------
        a, b
            Two systems that were compared, in any order.
        """
        return self.pair(a, b).difference

    @property
    def note(self) -> str:
        """How the tests and intervals were made, in a sentence."""
        counted = {row.n for row in self.standings}
        method = self.results.resampling.method
        how = "jackknife t" if method == "jackknife" else "percentile bootstrap"
        return "; ".join(
            [
                self.test,
                f"p adjusted over {len(self.pairs):,} pair{'s' * (len(self.pairs) > 1)} "
                f"by {CORRECTION_NAMES[self.correction]}",
                *self._baseline_notes,
                *([f"intervals of differences are {how}"] if method != "none" else []),
                "effect is Cohen's d of the paired differences",
                "wins, ties and losses count items",
                *(["lower is better"] if self.scored.lower_is_better else []),
                *([self._shared_note] if len(counted) > 1 else []),
            ]
        )

    @property
    def _shared_note(self) -> str:
        """Which items pairs are compared on, where not all items count for all systems."""
        if self.scored.own_items:
            return "n differs, since each system's answers decide which items count"
        sizes = sorted({pair.n for pair in (*self.pairs, *self.baseline_pairs)})
        some = f"{sizes[0]:,}" if len(sizes) == 1 else f"{sizes[0]:,} to {sizes[-1]:,}"
        shared = f"each pair is compared on the items that count for both systems: {some} of {len(self.results):,}"
        return f"{shared}; systems are ordered by these differences, not by values of different items"

    @property
    def _baseline_notes(self) -> list[str]:
        names = ", ".join(row.system for row in self.baselines)
        pairs = f"p of the {len(self.baseline_pairs):,} pairs with a baseline ({names}) is adjusted separately"
        return [pairs, "baselines have no rank"] if names else []

    @property
    def signature(self) -> dict[str, str]:
        """What values and pairs depend on: the signature of the results, the test and the correction."""
        return {**self.results.signature, "test": self.test, "correction": self.correction}

    def statement(self) -> Statement:
        """Return the systems in order, every pair, and the tables that the task adds."""
        tables = self.task_tables()
        rows = [*self.rows(), *(row for table in tables for row in table_rows("table", table, title=table.title))]
        return Statement(
            self.results.title,
            [self.table(), self.pairs_table(), *tables],
            rows,
            notes=list(dict.fromkeys([*self.notes, *self.results.notes])),
            signature=self.signature,
        )

    def task_tables(self) -> Sequence[Table]:
        """Return the tables that the task adds."""
        task = self.results.scoring_task
        return () if task is None else task.comparison_tables(self)

    def rows(self) -> list[dict[str, object]]:
        """Return what is known of the best system, then values, ranks and pairs, for machines."""
        about = {"measure": self.measure, "group": None}
        baselines = {row.system for row in self.baselines}
        tiers = {system: tier for tier, systems in enumerate(self.ranks, 1) for system in systems}
        rows: list[dict[str, object]] = [
            {"kind": "leader", **about, **self.leader.to_dict(), "headline": self.headline},
            *kind_rows(
                "value",
                ({**row.to_dict(), "baseline": row.system in baselines} for row in (*self.standings, *self.baselines)),
            ),
            *rank_rows(self.rank_ranges, about, tiers),
        ]
        failed = self.failed.pairs if self.failed else ()
        kinds = {"pair": self.pairs, "baseline_pair": self.baseline_pairs, "pair_if_failed": failed}
        for kind, pairs in kinds.items():
            rows += kind_rows(kind, ({**about, **pair.to_dict()} for pair in pairs))
        return rows

    def joined(self, others: Sequence[Finding]) -> Finding:
        """Return this comparison and *others* of the same results, comparisons of groups, and gates, as one finding."""
        from touchstone.core.comparisons import joined

        return joined(self, others)

    def page(self) -> "Page":
        """Return the report of the results and of this comparison."""
        from touchstone.core.report.results import scores_page

        return scores_page(self.results, [self])


def compare(
    results: Results | Sequence[Results],
    measure: str | None = None,
    *,
    test: str = "permutation",
    correction: Correction = "holm",
    draws: int | None = None,
) -> Comparison:
    """Compare all pairs of systems under a *measure*, item by item.

    Tests and intervals use the clusters of the first result. A baseline that the task adds, such as the majority class,
    has no rank, unless there is only one system to compare it with.

    Parameters
    ----------
    results
        Two systems or more: from one scoring, or from several on the same items.
    measure
        The name of a measure that all results have; by default the first that the task compares.
    test
        A name in `stats.PAIRED_TESTS`: "permutation" swaps the systems' records of a cluster, "bootstrap" draws
        clusters again.
    correction
        How p is adjusted for the number of pairs: "holm", or "bh" (Benjamini-Hochberg).
    draws
        The number of swaps or resamples of a test; by default 10,000, and more if there are more than 200 pairs,
        because p cannot be smaller than 1 / (draws + 1).

    Examples
    --------
    >>> import touchstone
    >>> results = touchstone.items.score({"a": {"q1": 1, "q2": 1, "q3": 0.5}, "b": {"q1": 0.5, "q2": 0, "q3": 0.5}})
    >>> comparison = touchstone.compare(results, "value")
    >>> pair = comparison.pairs[0]
    >>> pair.a, pair.b, pair.difference, pair.wins, pair.significant
    ('a', 'b', 0.5, 2, False)
    """
    all_results = combined(results)
    scored = _compared_measure(all_results, measure)
    ordered = best_first(all_results, scored)
    standings, baselines = _with_ranks(ordered, all_results.baselines)
    families = _families(standings, baselines)
    compared = compare_pairs(all_results, scored, families, test=test, correction=correction, draws=draws)
    notes = comparison_notes(all_results, scored, ordered, compared, correction)
    failed = None
    if all_results.failed and scored.failure_known and not scored.supplied and any(row.skipped for row in ordered):
        failed = compare(all_results.failed, scored.name, test=test, correction=correction, draws=draws)
        notes += lost_wins(scored, [*compared.families[0], *compared.families[1]], ordered, failed)
    return Comparison(
        measure=scored.name,
        results=all_results,
        standings=standings,
        pairs=compared.families[0],
        correction=correction,
        test=_describe([test for tests in compared.tests for test in tests], all_results),
        notes=notes,
        baselines=baselines,
        baseline_pairs=compared.families[1],
        failed=failed,
    )


def _compared_measure(results: Results, name: object) -> Measure[Any]:
    """Return the measure to compare: the one of this name, the task's, or the first; refuse what has no pairs."""
    if isinstance(name, list | tuple | set):
        hint = "compare once for each: [touchstone.compare(results, name) for name in …]"
        raise TouchstoneError(f"a comparison has one measure, not {len(name)}", code=Code.BAD_VALUE, hint=hint)
    if len(results.systems) < 2:
        raise TouchstoneError("a comparison needs two systems", code=Code.TOO_FEW, hint="give another run")
    if not results.measures and not name:
        hint = "score all systems under the same measure"
        raise TouchstoneError("these results share no measure", code=Code.MISMATCH, hint=hint)
    scored = results.measure(str(name or results.compared_measures[0]))
    if not scored.of_items:
        what, hint = "this measure has scores of whole systems only", "a comparison needs scores of single items"
        raise TouchstoneError(what, value=scored.name, code=Code.UNSUPPORTED, hint=hint)
    return scored


def _with_ranks(ordered: Sequence[Row], baselines: Sequence[str]) -> tuple[list[Row], list[Row]]:
    """Return the rows that are ranked, and those of baselines; a single system is ranked among the baselines."""
    standings = [row for row in ordered if row.system not in baselines]
    if len(standings) < 2:
        return list(ordered), []
    return standings, [row for row in ordered if row.system in baselines]


def _families(standings: Sequence[Row], baselines: Sequence[Row]) -> list[list[tuple[str, str]]]:
    """Return all pairs of ranked systems, and those of ranked systems with baselines, which are adjusted separately."""
    ranked, unranked = ([row.system for row in rows] for rows in (standings, baselines))
    return [list(combinations(ranked, 2)), list(product(ranked, unranked))]


def best_first(results: Results, measure: Measure[Any]) -> list[Row]:
    """Return the values of all systems over all items, the best first; those that are not known stand last.

    Where some items count for some systems alone, values are of different items. The order is then that of the mean
    difference to the other systems, each on the items that count for both; for the same items that is the same order.

    Parameters
    ----------
    results, measure
        The scores, and one of their measures.
    """
    sign = 1 if measure.lower_is_better else -1
    rows = [row for row in results.rows if row.measure == measure.name and row.group is None]
    ordered = sorted(rows, key=lambda row: sign * row.value if np.isfinite(row.value) else np.inf)
    records = {name: system.records[measure.name] for name, system in results.by_name.items()}
    counted = {name: rows[:, -1] > 0 for name, rows in records.items()}
    first = counted[rows[0].system]
    if measure.own_items or all((mask == first).all() for mask in counted.values()):
        return ordered

    def ahead(row: Row) -> float:
        differences = []
        for other in rows:
            both = counted[row.system] & counted[other.system]
            if other is not row and both.any():
                ends = (folded(measure.fold, records[side.system][both].sum(axis=0)) for side in (row, other))
                differences.append(float(next(ends) - next(ends)))
        return float(np.mean(differences)) if differences else np.nan

    gains = {row.system: ahead(row) for row in rows}
    return sorted(ordered, key=lambda row: np.inf if np.isnan(gains[row.system]) else sign * gains[row.system])


def _describe(tests: Sequence[Test], results: Results) -> str:
    """Return which test was made, over how many clusters, with how many draws."""
    exact = all(test.exact for test in tests)
    made = max((test.draws for test in tests if not test.exact), default=0)
    exact_wording = "all assignments" if any(test.draws for test in tests) else "exact"
    draws = exact_wording if exact else f"{made:,} draws, seed {results.resampling.seed}"
    kind = tests[0].method.removeprefix("paired ")
    return f"paired {kind} test over {results.clusters_in_words}, {draws}"


def rank_rows(
    ranges: Mapping[str, tuple[int, int]], about: Mapping[str, object], tiers: Mapping[str, int]
) -> list[dict[str, object]]:
    """Return the ranks that each system may have as rows for machines.

    Parameters
    ----------
    ranges
        The lowest and the highest rank of each system.
    about
        The measure and the group.
    tiers
        The place of each system among the groups that differ significantly from all lower ones, where that is known.
    """
    return kind_rows(
        "rank",
        (
            {**about, "system": system, "low": low, "high": high, "tier": tiers.get(system)}
            for system, (low, high) in ranges.items()
        ),
    )
