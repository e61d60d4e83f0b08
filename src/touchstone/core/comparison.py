"""Systems side by side: who is better, by how much, and whether the difference is real."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, product
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import numpy as np

from touchstone.base.errors import TouchstoneError, nearest
from touchstone.base.notes import Note, warning
from touchstone.base.ragged import Floats
from touchstone.base.spelling import setting
from touchstone.base.tables import Cell, Column, Table, number, p_text
from touchstone.core.measures import Measure
from touchstone.core.ranking import RANKING, RULE, Leader, leader, rank_cell
from touchstone.core.resampling import difference_intervals, interval_heading, interval_text
from touchstone.core.results import (
    SKIP_COLUMNS,
    Results,
    Row,
    SystemRecords,
    combined,
    skip_cells,
)
from touchstone.show.finding import Finding, Statement, kind_rows, table_rows
from touchstone.stats import (
    PAIRED_TESTS,
    Test,
    benjamini_hochberg,
    compact_letters,
    draws_for,
    folded,
    holm,
    rank_ranges,
    significance_ranks,
)

if TYPE_CHECKING:
    from touchstone.show.page import Page

ALPHA = 0.05
"""Differences with an adjusted p below this are called significant."""

Correction = Literal["holm", "bh"]


@dataclass(frozen=True)
class Pair:
    """System *a* against system *b*: the difference a - b, its interval and test, and on how many items a is better.

    All of it is over the *n* items that count for both systems.
    """

    a: str
    b: str
    difference: float
    low: float
    high: float
    p: float
    p_adjusted: float
    effect: float
    wins: int
    ties: int
    losses: int
    n: int
    equal: bool = False
    """Whether both systems have the same record of every item: they may be one file under two names."""

    @property
    def significant(self) -> bool:
        """Whether the difference survives the correction for all pairs."""
        return self.p_adjusted < ALPHA

    def to_dict(self) -> dict[str, object]:
        """Return the pair as names and values; *equal* only where it is."""
        values = {name: value for name, value in vars(self).items() if name != "equal" or self.equal}
        return {**values, "significant": self.significant}


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

    @cached_property
    def ranks(self) -> list[list[str]]:
        """Groups of systems, best first: each system differs significantly from all systems of lower groups."""
        differ = {frozenset((pair.a, pair.b)): pair.significant for pair in self.pairs}
        return significance_ranks([row.system for row in self.standings], lambda a, b: differ[frozenset((a, b))])

    @cached_property
    def won(self) -> set[tuple[str, str]]:
        """The pairs of systems that differ significantly, the better system first."""
        sign = -1 if self.results.measure(self.measure).lower_is_better else 1
        real = [pair for pair in self.pairs if pair.significant]
        return {(pair.a, pair.b) if sign * pair.difference > 0 else (pair.b, pair.a) for pair in real}

    @cached_property
    def rank_ranges(self) -> dict[str, tuple[int, int]]:
        """The lowest and the highest rank that each system may have, from its significant differences."""
        return rank_ranges([row.system for row in self.standings], self.won)

    @property
    def leader(self) -> Leader:
        """What is known of the best system compared with each other one."""
        return leader([row.system for row in self.standings], self.won)

    @property
    def headline(self) -> str:
        """The measure, and what is known of the best system compared with each other one, in a sentence."""
        return f"{self.measure}: {self.leader.sentence}"

    @cached_property
    def letters(self) -> dict[str, str]:
        """The letters of each system: two share one exactly when they do not differ significantly (Piepho 2004)."""
        differ = {frozenset((pair.a, pair.b)): pair.significant for pair in self.pairs}
        return compact_letters([row.system for row in self.standings], lambda a, b: differ[frozenset((a, b))])

    def table(self) -> Table:
        """Return the systems in order, with the ranks that each may have; the title says what is known of the best."""
        level = self._interval_heading
        ranks = {system: rank_cell(ends) for system, ends in self.rank_ranges.items()}
        rows: list[list[Cell]] = [
            [
                *(ranks.get(row.system, "–"), row.system, row.value, *([row.interval] if level else []), row.n),
                *(skip_cells(row) if self._skipping else []),
            ]
            for row in (*self.standings, *self.baselines)
        ]
        starts = np.cumsum([len(rank) for rank in self.ranks])
        names = [self.measure, *level, "n", *(SKIP_COLUMNS if self._skipping else ())]
        columns = [Column("rank", "right"), Column("system"), *(Column(name, "right") for name in names)]
        rules = {*starts.tolist()} - {len(rows)}
        notes = [RANKING, *([RULE] if len(self.ranks) > 1 else [])] if len(self.standings) > 2 else []
        notes += self.results.under([self.measure]).skip_notes if self._skipping else []
        return Table(columns, rows, self.headline, rules=rules, notes=notes)

    def pairs_table(self) -> Table:
        """Return every pair with its difference, test and counts."""
        level = self._interval_heading
        names = ["difference", *level, "p", f"p ({self.correction})", "effect", "wins", "ties", "losses"]
        names += ["if failed"] if self.failed else []
        rows: list[list[Cell]] = []
        every = [*self.pairs, *self.baseline_pairs]
        for pair in every:
            sizes = number(pair.difference), *([interval_text(pair.low, pair.high)] if level else [])
            chances = p_text(pair.p), p_text(pair.p_adjusted), number(pair.effect, 2)
            rows.append([f"{pair.a} – {pair.b}", *sizes, *chances, pair.wins, pair.ties, pair.losses])
            rows[-1] += [number(self.failed.difference(pair.a, pair.b))] if self.failed else []
        bold = {(row, names.index("p") + 2) for row, pair in enumerate(every) if pair.significant}
        return Table(
            [Column("pair"), *(Column(name, "right") for name in names)],
            rows,
            bold=bold,
            rules={len(self.pairs)} - {len(rows)},
            notes=[self.note, *self.notes],
        )

    def difference(self, a: str, b: str) -> float:
        """Return the difference a - b.

        Parameters
        ----------
        a, b
            Two systems that were compared, in any order.
        """
        pair = next(pair for pair in (*self.pairs, *self.baseline_pairs) if {pair.a, pair.b} == {a, b})
        return pair.difference if pair.a == a else -pair.difference

    @property
    def _skipping(self) -> bool:
        return any(row.skipped for row in (*self.standings, *self.baselines))

    @property
    def _interval_heading(self) -> list[str]:
        how = self.results.resampling
        return [] if how.method == "none" else [interval_heading(how.level)]

    @property
    def note(self) -> str:
        """How the tests and intervals were made, in a sentence."""
        counted = {row.n for row in self.standings}
        how = "jackknife t" if self.results.resampling.method == "jackknife" else "percentile bootstrap"
        return "; ".join(
            [
                self.test,
                f"p adjusted over {len(self.pairs):,} pair{'s' * (len(self.pairs) > 1)} "
                f"by {CORRECTION_NAMES[self.correction]}",
                *self._baseline_notes,
                *([f"intervals of differences are {how}"] if self._interval_heading else []),
                "effect is Cohen's d of the paired differences",
                "wins, ties and losses count items",
                *(["lower is better"] if self.results.measure(self.measure).lower_is_better else []),
                *([self._shared_note] if len(counted) > 1 else []),
            ]
        )

    @property
    def _shared_note(self) -> str:
        """Which items pairs are compared on, where not all items count for all systems."""
        if self.results.measure(self.measure).own_items:
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


CORRECTIONS = {"holm": holm, "bh": benjamini_hochberg}
CORRECTION_NAMES = {"holm": "Holm", "bh": "Benjamini-Hochberg"}

T = TypeVar("T")


def _chosen(choices: Mapping[str, T], name: str, what: str) -> T:
    if name not in choices:
        raise TouchstoneError(
            f"unknown {what}", value=name, near=nearest(name, choices), hint=f"known: {', '.join(choices)}"
        )
    return choices[name]


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
    if isinstance(measure, list | tuple | set):
        hint = "compare once for each: [touchstone.compare(results, name) for name in …]"
        raise TouchstoneError(f"a comparison has one measure, not {len(measure)}", hint=hint)
    all_results = combined(results)
    if len(all_results.systems) < 2:
        raise TouchstoneError("a comparison needs two systems", hint="give another run")
    scored = all_results.measure(measure or _default_measure(all_results))
    if not scored.of_items:
        hint = "a comparison needs scores of single items"
        raise TouchstoneError("this measure has scores of whole systems only", value=scored.name, hint=hint)
    ordered = best_first(all_results, scored)
    by_name = {system.system: system for system in all_results.systems}
    standings = [row for row in ordered if row.system not in all_results.baselines]
    standings = standings if len(standings) > 1 else ordered
    baselines = [row for row in ordered if row not in standings]
    systems = [by_name[row.system] for row in (*standings, *baselines)]
    records = [system.records[scored.name] for system in systems]
    paired = all_results.pairing(scored)
    pairs = list(combinations(range(len(standings)), 2))
    family = len(pairs)
    pairs += product(range(len(standings)), range(len(standings), len(systems)))
    if not scored.own_items:
        records, owners, pairs = _shared_items(records, pairs, grouped=all_results.resampling.groups is not None)
        systems = [systems[owner] for owner in owners]
    test = "bootstrap" if scored.joint else test  # records that systems share cannot be swapped between them
    paired_test, adjust = _chosen(PAIRED_TESTS, test, "test"), _chosen(CORRECTIONS, correction, "correction")
    seed, clusters = all_results.resampling.seed, all_results.clusters
    draws = draws_for(len(pairs)) if draws is None else draws
    tests = paired_test.run(records, pairs, scored.fold, draws=draws, seed=seed, clusters=clusters)
    # A pair without an item that counts for both is not tested.
    p = [
        outcome.p if (records[a][:, -1] * records[b][:, -1]).any() else np.nan
        for (a, b), outcome in zip(pairs, tests, strict=True)
    ]
    spans = [system.spans.get(scored.name) for system in systems]
    intervals = difference_intervals(records, pairs, scored, all_results.resampling, clusters, spans)
    adjusted_p = [*adjust(p[:family]).tolist(), *(adjust(p[family:]).tolist() if baselines else ())]
    compared = []
    for (a, b), outcome, chance, adjusted, ends in zip(pairs, tests, p, adjusted_p, intervals, strict=True):
        count, effect = paired(systems[a].system, systems[b].system)
        n = int(records[a][records[b][:, -1] > 0, -1].sum())
        compared.append(
            Pair(
                systems[a].system,
                systems[b].system,
                outcome.difference,
                ends.low,
                ends.high,
                chance,
                adjusted,
                effect,
                count.wins,
                count.ties,
                count.losses,
                n,
                equal=bool(n and not count.wins and not count.losses and np.array_equal(records[a], records[b])),
            )
        )
    notes = [*dict.fromkeys(row.note for row in ordered if row.note)]
    notes += [note for note in dict.fromkeys(ends.note for ends in intervals) if note and note not in notes]
    notes += _hopeless(tests[:family], correction, all_results)
    notes += _equal_notes(compared[:family], scored, by_name)
    failed = None
    if all_results.failed and scored.failure_known and not scored.supplied and any(row.skipped for row in ordered):
        failed = compare(all_results.failed, scored.name, test=test, correction=correction, draws=draws)
        notes += lost_wins(scored, compared, ordered, failed)
    return Comparison(
        scored.name,
        all_results,
        standings,
        compared[:family],
        correction,
        _describe(tests, all_results),
        notes,
        baselines,
        compared[family:],
        failed,
    )


def lost_wins(scored: Measure[Any], pairs: Sequence[Pair], rows: Sequence[Row], failed: Comparison) -> list[str]:
    """Return a warning on each significant win that would be none if the skipped items were failures.

    Parameters
    ----------
    scored
        The measure.
    pairs
        The pairs of systems, on the items that both answer.
    rows
        The values of the systems.
    failed
        The comparison with the skipped items as failures.
    """
    skipping = {row.system: row.skipped_share for row in rows if row.skipped}
    bounds = {frozenset((pair.a, pair.b)): pair for pair in (*failed.pairs, *failed.baseline_pairs)}
    warned = []
    for pair in (pair for pair in pairs if pair.significant):
        ahead, behind = (pair.a, pair.b) if (pair.difference < 0) == scored.lower_is_better else (pair.b, pair.a)
        gain = failed.difference(ahead, behind) * (-1 if scored.lower_is_better else 1)
        significant = bounds[frozenset((ahead, behind))].significant
        if significant and gain > 0:
            continue
        shares = " and ".join(f"{name} skips {skipping[name]}" for name in (ahead, behind) if name in skipping)
        outcome = f"ahead by {number(gain)}" if gain >= 0 else f"behind by {number(-gain)}"
        warned.append(
            warning(
                f"{scored.name}: {ahead} is ahead of {behind} by {number(abs(pair.difference))} on the {pair.n:,} "
                f"items that both answer, but {shares} of its items; if these were failures, {ahead} would be "
                f"{outcome}{'' if significant else ', not significantly'}"
            )
        )
    return warned


DUPLICATE_QUESTION = "are they one file or column under two names?"
"""What explains most systems that are equal on every item."""


def equal_sides(measure: str, pair: Pair) -> str:
    """Return a sentence on two systems that are equal on every item: the comparison says nothing."""
    return f"{measure}: {pair.a} and {pair.b} are equal on every item ({pair.n:,})"


def _equal_notes(pairs: Sequence[Pair], scored: Measure[Any], systems: Mapping[str, SystemRecords]) -> list[str]:
    """Return a note on each pair that is equal on every item: a warning where they are equal under all measures."""
    notes = []
    for pair in (pair for pair in pairs if pair.equal):
        a, b = systems[pair.a].records, systems[pair.b].records
        same = all(np.array_equal(a[name], b[name]) for name in a.keys() & b.keys() - {scored.name})
        note = equal_sides(scored.name, pair)
        notes.append(warning(f"{note}; {DUPLICATE_QUESTION}") if same else note)
    return notes


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
    records = {system.system: system.records[measure.name] for system in results.systems}
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


def _shared_items(
    records: Sequence[Floats], pairs: Sequence[tuple[int, int]], *, grouped: bool
) -> tuple[list[Floats], list[int], list[tuple[int, int]]]:
    """Return records in which both systems of each pair have the same items, so that each is compared on these alone.

    They come with the system that each belongs to and the new positions of the pairs. A record of zeros does not count.
    """
    counted = [record[:, -1] > 0 for record in records]
    if grouped and any((record[:, -1] != records[0][:, -1]).any() for record in records):
        what = "systems are compared on the same items only, and some items count for one system alone"
        hint = f"groups of clusters hold sums of items: score missing ones 0 with {setting('missing', 'zero')}"
        raise TouchstoneError(what, hint=hint)
    held, owners, new_pairs = list(records), list(range(len(records))), []
    restricted_positions: dict[tuple[int, bytes], int] = {}
    for pair in pairs:
        both = counted[pair[0]] & counted[pair[1]]
        positions = []
        for system in pair:
            position = system
            if (both != counted[system]).any():
                position = restricted_positions.setdefault((system, both.tobytes()), len(held))
            if position == len(held):
                held.append(np.where(both[:, None], records[system], 0.0))
                owners.append(system)
            positions.append(position)
        new_pairs.append((positions[0], positions[1]))
    return held, owners, new_pairs


def _default_measure(results: Results) -> str:
    """Return the measure that the task compares by default, or the first that was scored."""
    names = [measure.name for measure in results.measures]
    if not names:
        raise TouchstoneError("these results share no measure", hint="score all systems under the same measure")
    return next((name for name in results.compared if name in names), names[0])


def _describe(tests: Sequence[Test], results: Results) -> str:
    """Return which test was made, over how many clusters, with how many draws."""
    exact = all(test.exact for test in tests)
    made = max((test.draws for test in tests if not test.exact), default=0)
    exact_wording = "all assignments" if any(test.draws for test in tests) else "exact"
    draws = exact_wording if exact else f"{made:,} draws, seed {results.resampling.seed}"
    kind = tests[0].method.removeprefix("paired ")
    return f"paired {kind} test over {_clusters(results)}, {draws}"


def _clusters(results: Results) -> str:
    n = len(results) if results.clusters is None else len(np.unique(results.clusters))
    return results.resampling.counted(n)


NO_CHANCE = "no difference can be significant"
"""The code of the note that no difference could be significant, however large, and how it begins."""


def _hopeless(tests: Sequence[Test], correction: Correction, results: Results) -> list[str]:
    """Return a note where no difference could be significant, however large: too few draws or clusters."""
    smallest = [test.smallest_p for test in tests if np.isfinite(test.smallest_p)]
    if not smallest or min(smallest) * (len(smallest) if correction == "holm" else 1) < ALPHA:
        return []
    pairs = f"{len(smallest):,} pair{'s' * (len(smallest) > 1)}"
    if all(test.exact for test in tests):
        # With all n clusters unequal there are 2^n assignments, and p is at least 2^(1 - n).
        clusters = len(results) if results.clusters is None else len(np.unique(results.clusters))
        if 2.0 ** (1 - clusters) * len(smallest) < ALPHA:
            return [Note(f"{NO_CHANCE}: the systems differ on too few of {_clusters(results)}", NO_CHANCE)]
        few = _clusters(results)
        enough = next(n for n in range(clusters, 100) if 2.0 ** (1 - n) * len(smallest) < ALPHA)
        least = f"which need{'s' * (len(smallest) == 1)} at least {enough}"
        return [
            Note(
                f"{NO_CHANCE}: {few} {'is' if few.startswith('1 ') else 'are'} too few for {pairs}, {least}", NO_CHANCE
            )
        ]
    needed = int(np.ceil(len(smallest) / ALPHA))
    made = max(test.draws for test in tests)
    return [Note(f"{NO_CHANCE}: {made:,} draws are too few for {pairs}, which need at least {needed:,}", NO_CHANCE)]
