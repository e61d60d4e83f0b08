"""Whether the differences between peers hold within each group of document sets (the paper's section 6 asks it).

Groups are the disjoint ones of the comparison of sets, where there are such; otherwise the sets are cut by difficulty.
"""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import partial

import numpy as np
import scipy

from touchstone.base.errors import TouchstoneError
from touchstone.base.tables import Cell, Column, Table, number, p_text
from touchstone.show.finding import Finding, Statement, kind_rows
from touchstone.stats.anova import Anova, Effect, analyse_variance
from touchstone.stats.comparisons import Comparisons
from touchstone.stats.groups import disjoint_groups
from touchstone.tasks.pyramid.means import TESTS, differing_pairs
from touchstone.tasks.pyramid.scores import ScoreTable

BANDS = ("hard", "middling", "easy")
"""Groups of about equal size, where sets have no disjoint ones."""


@dataclass(frozen=True)
class SetGroup:
    """A group of document sets, and what becomes within it of the pairs of peers that differ over all sets.

    *same* pairs have the same direction, *turned* ones the other. *found* of them are significant within the group and
    *extra* pairs are that do not differ over all sets; both are None if the rows leave no error to test with. *tau*
    compares the order of peers with that over all other sets.
    """

    name: str
    sets: tuple[str, ...]
    mean: float
    same: int
    turned: int
    found: int | None
    extra: int | None
    tau: float


@dataclass(frozen=True, repr=False)
class Within(Finding):
    """The groups, the pairs of peers that differ over all sets, and the test of peers by groups."""

    groups: tuple[SetGroup, ...]
    pairs: int
    formed: str
    tested: str
    interaction: Effect | None

    def table(self) -> Table:
        """Return a row for each group."""
        heads = ("sets", "mean", "same direction", "turned", "significant", "other pairs", "τ with other sets")
        rows: list[list[Cell]] = [
            [g.name, len(g.sets), number(g.mean, 4), g.same, g.turned, g.found, g.extra, number(g.tau)]
            for g in self.groups
        ]
        members = [f"{group.name}: {', '.join(group.sets)}" for group in self.groups]
        return Table(
            [Column("group of sets"), *(Column(head, "right") for head in heads)],
            rows,
            f"Peers within groups of document sets: {self.pairs:,} pairs differ over all sets",
            (self.formed, *members, self._tested(), f"within a group: {self.tested}"),
        )

    def statement(self) -> Statement:
        """Return the groups, and the test of peers by groups."""
        rows = [
            *kind_rows("within", [{"pairs": self.pairs, "formed": self.formed, "tested": self.tested}]),
            *kind_rows("set_group", map(_group_row, self.groups)),
        ]
        if self.interaction:
            effect = self.interaction
            rows += kind_rows("interaction", [{"df": effect.df, "f": effect.f, "p": effect.p}])
        return Statement("Peers within groups of document sets", [self.table()], rows)

    def _tested(self) -> str:
        if self.interaction is None:
            return "peers by groups cannot be tested: the rows leave no error"
        effect = self.interaction
        return (
            f"do peers differ otherwise in one group than in another? F = {number(effect.f)} ({effect.df} df), "
            f"p = {p_text(effect.p)}; a large p is no evidence that they do not"
        )


def _group_row(group: SetGroup) -> dict[str, object]:
    row = asdict(group)
    return {"name": row.pop("name"), "members": row.pop("sets"), **row}


def within_groups(table: ScoreTable, dependent: str, sets: Comparisons, peers: Comparisons) -> Within | None:
    """Return what becomes of the differences of *peers* within each group of *sets*; None if there is one group."""
    grouped, formed = _grouped(sets)
    if len(grouped) < 2:
        return None
    differing = differing_pairs(peers)
    test = partial(TESTS[peers.test], alpha=peers.alpha)
    groups = tuple(_group(name, members, table, dependent, differing, test) for name, members in grouped)
    tested = f"{peers.test} after {dependent} ~ {table.sets} + {table.peers}, α = {peers.alpha:g}"
    return Within(groups, len(differing), formed, tested, _interaction(table, dependent, grouped))


Pairs = set[tuple[str, str]]
Test = Callable[[Anova, str], Comparisons]
Grouped = list[tuple[str, tuple[str, ...]]]


def _grouped(sets: Comparisons) -> tuple[Grouped, str]:
    """Return the groups, the hardest first, and how they were formed."""
    disjoint = disjoint_groups(sets)
    if disjoint is not None:
        named = [(f"group {position}", group.levels) for position, group in enumerate(disjoint, 1)]
        return named, f"groups are those that {sets.test} tells apart, the hardest first"
    hardest = sets.levels[::-1]
    cut = np.array_split(np.arange(len(hardest)), min(len(BANDS), len(hardest) // 2))
    names = BANDS if len(cut) == len(BANDS) else (BANDS[0], BANDS[-1])
    bands = [(name, tuple(hardest[index] for index in places)) for name, places in zip(names, cut, strict=False)]
    return bands, f"{sets.test} gives no disjoint groups of sets, so they are cut by their mean score"


def _group(
    name: str, members: tuple[str, ...], table: ScoreTable, dependent: str, differing_over_all: Pairs, test: Test
) -> SetGroup:
    belongs = [str(cell) in members for cell in table.columns[table.sets]]
    inside = table.rows([row for row, here in enumerate(belongs) if here])
    outside = table.rows([row for row, here in enumerate(belongs) if not here])
    means, others = _means(inside, dependent), _means(outside, dependent)
    signs = [float(np.sign(means[a] - means[b])) for a, b in differing_over_all if a in means and b in means]
    differing = _differing(inside, dependent, test)
    return SetGroup(
        name,
        members,
        float(np.nanmean(inside.numbers(dependent))),
        same=signs.count(1.0),
        turned=signs.count(-1.0),
        found=None if differing is None else len(differing & differing_over_all),
        extra=None if differing is None else len(differing - differing_over_all),
        tau=_tau(means, others),
    )


def _differing(table: ScoreTable, dependent: str, test: Test) -> Pairs | None:
    """Return the pairs of peers, the higher first, that differ in the rows of *table*; None if no error is left."""
    try:
        compared = test(analyse_variance(table.columns, dependent, [table.sets, table.peers]), table.peers)
    except TouchstoneError:
        return None
    return differing_pairs(compared)


def _means(table: ScoreTable, dependent: str) -> dict[str, float]:
    """Return the mean of each peer that has a score."""
    scores: dict[str, list[float]] = {}
    for peer, score in zip(table.columns[table.peers], table.numbers(dependent).tolist(), strict=True):
        if not np.isnan(score):
            scores.setdefault(str(peer), []).append(score)
    return {peer: float(np.mean(values)) for peer, values in scores.items()}


def _tau(means: dict[str, float], others: dict[str, float]) -> float:
    both = sorted(means.keys() & others.keys())
    if len(both) < 3:
        return float("nan")
    return float(scipy.stats.kendalltau([means[peer] for peer in both], [others[peer] for peer in both]).statistic)


def _interaction(table: ScoreTable, dependent: str, grouped: Sequence[tuple[str, tuple[str, ...]]]) -> Effect | None:
    """Return what peers of each group explain beside sets and peers; None if no error is left."""
    of_set = {member: name for name, members in grouped for member in members}
    pairs = zip(table.columns[table.sets], table.columns[table.peers], strict=True)
    name = f"{table.peers} by group"
    columns = {
        **table.columns,
        name: [f"{peer} in {of_set.get(str(document_set), '')}" for document_set, peer in pairs],
    }
    try:
        # Type I, in this order: what peers by groups add once sets and peers are in the model.
        effect = analyse_variance(columns, dependent, [table.sets, table.peers, name], type="I").effect(name)
    except TouchstoneError:
        return None
    return effect if effect.df else None
