"""Systems side by side: who is better, by how much, and whether the difference is real."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import Any, Literal, TypeVar

import numpy as np

from touchstone.core.errors import TouchstoneError, nearest
from touchstone.core.measures import Measure
from touchstone.core.ragged import Floats
from touchstone.core.resampling import interval_text
from touchstone.core.results import Results, Row, combined
from touchstone.core.tables import Cell, Column, Table, number, p_text
from touchstone.stats import (
    Interval,
    Test,
    affordable_draws,
    benjamini_hochberg,
    cluster_records,
    folded,
    holm,
    paired_bootstraps,
    paired_effect,
    percentile,
    permutation_tests,
    resampled_sums,
    significance_clusters,
    wins,
)

ALPHA = 0.05
"""Differences with an adjusted p below this are called significant."""

Correction = Literal["holm", "bh"]
Method = Literal["permutation", "bootstrap"]


@dataclass(frozen=True)
class Pair:
    """System *a* against system *b*: the difference a - b, its interval and test, and on how many items a is better."""

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

    @property
    def significant(self) -> bool:
        """Whether the difference survives the correction for all pairs."""
        return self.p_adjusted < ALPHA


@dataclass(frozen=True, eq=False)
class Comparison:
    """All pairs of systems under one measure, best system first."""

    measure: str
    results: Results
    standings: Sequence[Row]
    pairs: Sequence[Pair]
    correction: Correction
    test: str

    @cached_property
    def clusters(self) -> list[list[str]]:
        """Systems in clusters: each system of a cluster differs significantly from all of the clusters below."""
        differ = {frozenset((pair.a, pair.b)): pair.significant for pair in self.pairs}
        return significance_clusters([row.system for row in self.standings], lambda a, b: differ[frozenset((a, b))])

    def table(self) -> Table:
        """Return the systems in order, cut into clusters."""
        level = self._interval_heading
        cluster_of = {system: n for n, cluster in enumerate(self.clusters, 1) for system in cluster}
        rows: list[list[Cell]] = [
            [cluster_of[row.system], row.system, row.value, *([row.interval] if level else []), row.n]
            for row in self.standings
        ]
        starts = np.cumsum([0, *map(len, self.clusters)])[1:-1]
        names = [self.measure, *level, "n"]
        columns = [Column("cluster", "right"), Column("system"), *(Column(name, "right") for name in names)]
        return Table(columns, rows, rules=set(starts.tolist()))

    def pairs_table(self) -> Table:
        """Return every pair with its difference, test and counts."""
        level = self._interval_heading
        names = ["difference", *level, "p", f"p ({self.correction})", "effect", "wins", "ties", "losses"]
        rows: list[list[Cell]] = []
        for pair in self.pairs:
            sizes = number(pair.difference), *([interval_text(pair.low, pair.high)] if level else [])
            chances = p_text(pair.p), p_text(pair.p_adjusted), number(pair.effect, 2)
            rows.append([f"{pair.a} – {pair.b}", *sizes, *chances, pair.wins, pair.ties, pair.losses])
        bold = {(row, names.index("p") + 2) for row, pair in enumerate(self.pairs) if pair.significant}
        return Table([Column("pair"), *(Column(name, "right") for name in names)], rows, bold=bold, notes=[self.note])

    @property
    def _interval_heading(self) -> list[str]:
        how = self.results.resampling
        return [] if how.method == "none" else [f"{how.level:.0%} interval"]

    @property
    def note(self) -> str:
        """How the tests were made, in a sentence."""
        counted = {row.n for row in self.standings}
        unlike = "; n differs, so some systems are counted on other items" if len(counted) > 1 else ""
        return (
            f"{self.test}; p adjusted over {len(self.pairs)} pair{'s' * (len(self.pairs) > 1)} "
            f"by {CORRECTION_NAMES[self.correction]}; "
            f"{'intervals of differences are percentile bootstrap; ' if self._interval_heading else ''}"
            "effect is Cohen's d of the paired differences; wins, ties and losses count items"
            f"{'; lower is better' if self.results.measure(self.measure).lower_is_better else ''}"
            f"{unlike}"
        )

    def to_dict(self) -> dict[str, object]:
        """Return signature, standings and pairs, ready for JSON."""
        rows = [_json_ready(vars(row)) for row in self.standings]
        pairs = [_json_ready({**vars(pair), "significant": pair.significant}) for pair in self.pairs]
        return {
            "signature": {**self.results.signature, "test": self.test, "correction": self.correction},
            "measure": self.measure,
            "results": rows,
            "clusters": self.clusters,
            "pairs": pairs,
        }

    def to_json(self) -> str:
        """Return signature, standings and pairs as one JSON object."""
        return json.dumps(self.to_dict(), ensure_ascii=False, indent=2)

    def __repr__(self) -> str:
        return f"{self.table().to_text()}\n\n{self.pairs_table().to_text()}"

    def _repr_html_(self) -> str:
        return self.table().to_html() + self.pairs_table().to_html()


TESTS = {"permutation": permutation_tests, "bootstrap": paired_bootstraps}
CORRECTIONS = {"holm": holm, "bh": benjamini_hochberg}
CORRECTION_NAMES = {"holm": "Holm", "bh": "Benjamini-Hochberg"}

T = TypeVar("T")


def _chosen(known: Mapping[str, T], name: str, what: str) -> T:
    if name not in known:
        raise TouchstoneError(
            f"unknown {what}", value=name, near=nearest(name, known), hint=f"known: {', '.join(known)}"
        )
    return known[name]


def compare(
    results: Results | Sequence[Results],
    measure: str,
    *,
    test: Method = "permutation",
    correction: Correction = "holm",
    draws: int = 10_000,
) -> Comparison:
    """Compare all pairs of systems under a *measure*, item by item.

    The systems come from one `Results` or from several on the same items. Tests and intervals draw or swap the
    units of the first result's resampling (items, or the field that it names).
    """
    whole = combined(results)
    if len(whole.systems) < 2:
        raise TouchstoneError("a comparison needs two systems", hint="give the answers of another one")
    found = whole.measure(measure)
    rows = [row for row in whole.rows if row.measure == found.name and row.group is None]
    standings = sorted(rows, key=lambda row: row.value if found.lower_is_better else -row.value)
    systems = sorted(whole.systems, key=lambda system: [row.system for row in standings].index(system.system))
    records = [system.records[found.name] for system in systems]
    places = list(combinations(range(len(systems)), 2))
    run = _chosen(TESTS, test, "test")
    seed, units = whole.resampling.seed, whole.clusters
    tests = run(records, places, found.fold, draws=draws, seed=seed, clusters=units)
    adjusted = _chosen(CORRECTIONS, correction, "correction")([one.p for one in tests])
    intervals = _difference_intervals(records, places, found, whole)
    pairs = []
    for (a, b), one, p_adjusted, ends in zip(places, tests, adjusted.tolist(), intervals, strict=True):
        if not (records[a][:, -1] * records[b][:, -1]).any():
            one = replace(one, p=np.nan)
        values = found.values(records[a]), found.values(records[b])
        effect, count = paired_effect(*values), wins(*(values[::-1] if found.lower_is_better else values))
        names = systems[a].system, systems[b].system
        counts = count.wins, count.ties, count.losses
        pairs.append(Pair(*names, one.difference, ends.low, ends.high, one.p, p_adjusted, effect, *counts))
    return Comparison(found.name, whole, standings, pairs, correction, _describe(tests, whole))


def _difference_intervals(
    records: list[Floats], places: list[tuple[int, int]], measure: Measure[Any], whole: Results
) -> list[Interval]:
    """Return the interval of each difference, all systems drawn on the same items."""
    how = whole.resampling
    if how.method == "none":
        return [Interval(np.nan, np.nan, how.level, how.method, 0)] * len(places)
    units = cluster_records(np.hstack(records), whole.clusters)
    sums = resampled_sums(units, draws=affordable_draws(len(units), how.draws), seed=how.seed)
    replicates = [folded(measure.fold, part) for part in np.split(sums, len(records), axis=1)]
    return [percentile(replicates[a] - replicates[b], how.level) for a, b in places]


def _describe(tests: Sequence[Test], results: Results) -> str:
    exact = all(one.exact for one in tests)
    draws = "all assignments" if exact else f"{max(one.draws for one in tests):,} draws"
    how, kind = results.resampling, tests[0].method.removeprefix("paired ")
    return f"paired {kind} test over {how.over}, {draws}, seed {how.seed}"


def _json_ready(values: Mapping[str, object]) -> dict[str, object]:
    return {
        key: None if isinstance(value, float) and not np.isfinite(value) else value for key, value in values.items()
    }
