"""Which few items tell systems apart: subsets of items, each analysed by itself, beside the analysis of all.

The model is response ~ items + systems. What it needs of an item adds up over items, so that a subset costs one
small eigenvalue problem and no pass over the rows.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb

import numpy as np

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError, no_such_system
from touchstone.base.ragged import Bools, Floats, Ints
from touchstone.base.tables import Column, Table, number
from touchstone.stats.anova import ROUNDING, explained
from touchstone.stats.bootstrap import check_draws, generator
from touchstone.stats.comparisons import check_alpha, critical_q
from touchstone.stats.factors import Columns, Factor, observe
from touchstone.stats.intervals import Interval, percentile

OPTIMISTIC = "the best subset was picked on the same data that it is judged by: it is optimistic"

SIZES = 12
"""How many sizes of subsets are tried unless told otherwise, from 2 items to all but one."""

Pair = tuple[str, str]
"""The names of two systems."""


@dataclass(frozen=True)
class SubsetSize:
    """Subsets of one size: the share of the wanted pairs that each finds, and the pairs it finds that all items do not.

    *found* is the mean share and *spread* holds 95 % of them; *extra* is a mean number of pairs. *best* is the
    subset that finds most, has fewest extra pairs, and shows the largest differences; *exhaustive* says that all
    subsets of the size were tried.
    """

    size: int
    subsets: int
    exhaustive: bool
    found: float
    spread: Interval
    extra: float
    best: tuple[str, ...]
    best_found: float
    best_extra: int


@dataclass(frozen=True)
class SubsetPower:
    """Subsets of growing size against all *n_items*: *wanted* pairs of systems, and those that differ over all."""

    items: str
    systems: str
    formula: str
    alpha: float
    n_items: int
    wanted: tuple[Pair, ...]
    differing: tuple[Pair, ...]
    sizes: tuple[SubsetSize, ...]

    def to_table(self) -> Table:
        """Return a row for each size, and the warning that the best subset needs."""
        heads = (
            "size",
            "subsets",
            "found",
            "in 95% of them",
            "extra",
            "best subset",
            "it finds",
            "its extra",
        )
        words = ("best subset",)
        return Table(
            columns=[Column(head, "left" if head in words else "right") for head in heads],
            rows=[_row(size) for size in self.sizes],
            title=f"Subsets of {self.items}: Tukey HSD after {self.formula}, α = {self.alpha:g}",
            notes=(
                f"pairs of {self.systems} wanted: {len(self.wanted):,}; "
                f"differing over all {self.n_items:,} {self.items}: {len(self.differing):,}",
                f"size: how many {self.items}; found: share of the wanted pairs; extra: other pairs called different",
                OPTIMISTIC,
            ),
        )


def subset_power(
    table: Columns,
    response: str,
    *,
    items: str,
    systems: str,
    between: Pair | None = None,
    sizes: Sequence[int] | None = None,
    subsets: int = 500,
    alpha: float = 0.05,
    seed: int = 0,
) -> SubsetPower:
    """Return how many of the differing pairs of *systems* subsets of the *items* find, for *sizes* from 2 upwards.

    *subsets* are drawn without replacement for each size, or all made where there are no more than that. Each is
    analysed as response ~ items + systems and its pairs compared by Tukey's HSD. The wanted pairs are those that
    differ over all items, or the one *between* two systems.

    >>> table = {
    ...     "score": [1, 2, 6, 2, 2, 7, 3, 4, 8, 2, 4, 7],
    ...     "set": [name for name in "stuv" for _ in range(3)],
    ...     "peer": list("xyz") * 4,
    ... }
    >>> found = subset_power(table, "score", items="set", systems="peer")
    >>> found.differing, [(row.size, row.subsets, round(row.found, 3)) for row in found.sizes]
    ((('z', 'y'), ('z', 'x')), [(2, 6, 0.75), (3, 4, 1.0)])
    """
    check_alpha(alpha)
    check_draws(subsets)
    data = observe(table, response, [items, systems])
    parts = _Parts.of(data.values, *data.factors)
    differing = parts.compared(np.ones((1, parts.n_items), np.bool_), alpha).differ[0]
    target_pairs = differing if between is None else _is_pair(parts, between)
    return SubsetPower(
        items,
        systems,
        f"{response} ~ {items} + {systems}",
        alpha,
        parts.n_items,
        parts.pairs(target_pairs),
        parts.pairs(differing),
        tuple(
            _sized(parts.compared(chosen, alpha), parts.items, chosen, target_pairs, differing)
            for chosen in _chosen(parts.n_items, _checked_sizes(sizes, parts.n_items), subsets, seed)
        ),
    )


@dataclass(frozen=True, eq=False)
class _Compared:
    """For each subset and each pair of systems: the studentised difference, and whether it is significant."""

    q: Floats
    differ: Bools


@dataclass(frozen=True, eq=False)
class _Parts:
    """What each item adds to the model, the system with the highest mean first.

    With an item's mean taken out, systems remain: m rows of each of k systems make a Gram matrix diag(m) - m m' / n,
    a right side and a sum of squares, and these add up over items.
    """

    items: tuple[str, ...]
    systems: tuple[str, ...]
    counts: Floats
    sums: Floats
    gram: Floats
    right: Floats
    squares: Floats

    @classmethod
    def of(cls, values: Floats, item: Factor, system: Factor) -> "_Parts":
        centred = values - values.mean()
        averages = np.bincount(system.codes, centred) / np.bincount(system.codes)
        order = np.argsort(-averages, kind="stable")
        cells = item.codes, np.argsort(order)[system.codes]
        counts, sums = np.zeros((2, len(item.levels), len(order)))
        np.add.at(counts, cells, 1.0)
        np.add.at(sums, cells, centred)
        n, total = counts.sum(axis=1), sums.sum(axis=1)
        return cls(
            item.levels,
            tuple(system.levels[system_index] for system_index in order),
            counts,
            sums,
            gram=np.eye(len(order)) * counts[:, None, :] - counts[:, :, None] * counts[:, None, :] / n[:, None, None],
            right=sums - counts * (total / n)[:, None],
            squares=np.bincount(item.codes, centred**2) - total**2 / n,
        )

    @property
    def n_items(self) -> int:
        return len(self.items)

    def pairs(self, flags: Bools) -> tuple[Pair, ...]:
        """Return the flagged pairs of systems, the higher first."""
        both = zip(flags, combinations(self.systems, 2), strict=True)
        return tuple(pair for flag, pair in both if flag)

    def compared(self, chosen: Bools, alpha: float) -> _Compared:
        """Return Tukey's comparisons within each row of *chosen* items."""
        weights = chosen.astype(np.float64)
        counts, sums, right = weights @ self.counts, weights @ self.sums, weights @ self.right
        by_systems, rank = explained(np.tensordot(weights, self.gram, 1), right)
        squares = weights @ self.squares
        left_over = squares - by_systems
        # Each item of a subset has a mean of its own, which costs a degree of freedom.
        df = (counts.sum(axis=1) - weights.sum(axis=1) - rank).astype(np.int64)
        left, below = np.triu_indices(len(self.systems), 1)
        with np.errstate(divide="ignore", invalid="ignore"):
            mse = np.where(left_over > ROUNDING * squares, left_over, 0.0) / np.maximum(df, 0)
            means = sums / counts
            scale = np.sqrt(mse[:, None] / 2 * (1 / counts[:, left] + 1 / counts[:, below]))
            q = np.abs(means[:, left] - means[:, below]) / scale
        least = _critical(alpha, (counts > 0).sum(axis=1), df)
        return _Compared(q, np.isfinite(q) & (q >= least[:, None]))


def _critical(alpha: float, k: Ints, df: Ints) -> Floats:
    """Return the critical q of each subset; never reached where fewer than two systems, or no error, are left."""
    cases, case_index = np.unique(np.stack([k, df], axis=1), axis=0, return_inverse=True)
    least = [
        critical_q("Tukey HSD", alpha, *case) if case[0] > 1 and case[1] > 0 else np.inf for case in cases.tolist()
    ]
    return np.array(least)[case_index]


def _chosen(n: int, sizes: Sequence[int], subsets: int, seed: int) -> Iterator[Bools]:
    """Yield, for each size, subsets of *n* items as flags: all there are, or as many as asked for, drawn."""
    random = generator(seed)
    for size in sizes:
        if comb(n, size) <= subsets:
            places = np.array(list(combinations(range(n), size)))
        else:
            places = np.argsort(random.random((subsets, n)), axis=1)[:, :size]
        chosen = np.zeros((len(places), n), np.bool_)
        np.put_along_axis(chosen, places, True, axis=1)
        yield chosen


def _sized(
    compared: _Compared, items: Sequence[str], chosen: Bools, target_pairs: Bools, differing: Bools
) -> SubsetSize:
    with np.errstate(invalid="ignore"):
        shares = compared.differ[:, target_pairs].sum(axis=1) / target_pairs.sum()
    extra = compared.differ[:, ~differing].sum(axis=1)
    clarity = np.where(np.isfinite(compared.q), compared.q, 0.0)[:, target_pairs].sum(axis=1)
    best = int(np.lexsort([-clarity, extra, -shares])[0])
    size = int(chosen[0].sum())
    return SubsetSize(
        size=size,
        subsets=len(chosen),
        exhaustive=len(chosen) == comb(len(items), size),
        found=float(shares.mean()),
        spread=percentile(shares),
        extra=float(extra.mean()),
        best=tuple(items[item_index] for item_index in np.flatnonzero(chosen[best]).tolist()),
        best_found=float(shares[best]),
        best_extra=int(extra[best]),
    )


def _is_pair(parts: _Parts, between: Pair) -> Bools:
    for name in between:
        if name not in parts.systems:
            raise no_such_system(name, parts.systems)
    if between[0] == between[1]:
        what, hint = "a system does not differ from itself", "name two systems"
        raise TouchstoneError(what, value=between[0], code=Code.BAD_VALUE, hint=hint)
    return np.array([set(pair) == set(between) for pair in combinations(parts.systems, 2)])


def _checked_sizes(sizes: Sequence[int] | None, n: int) -> Sequence[int]:
    if n < 3:
        raise TouchstoneError(f"{n} items have no subsets to compare", code=Code.TOO_FEW, hint="give at least three")
    if sizes is None:
        return sorted(set(np.geomspace(2, n - 1, SIZES).round().astype(int).tolist()))
    return sizes


def _row(row: SubsetSize) -> tuple[str | int, ...]:
    spread = f"{number(row.spread.low)}–{number(row.spread.high)}"
    subsets = f"all {row.subsets:,}" if row.exhaustive else f"{row.subsets:,}"
    judged = number(row.best_found), row.best_extra
    return row.size, subsets, number(row.found), spread, number(row.extra, 1), ", ".join(row.best), *judged
