"""How many document sets tell peers apart, and which few do it best: the question that the paper leaves open."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass

import numpy as np

from touchstone import __version__
from touchstone.base.errors import TouchstoneError, nearest
from touchstone.base.ragged import Floats
from touchstone.base.tables import Column, Table
from touchstone.stats.factors import observe
from touchstone.stats.power import TEST, PowerCurve, power_curve
from touchstone.stats.subsets import OPTIMISTIC, SubsetPower, subset_power
from touchstone.tasks.pyramid.scores import ScoreTable, finite

Pair = tuple[str, str]


@dataclass(frozen=True, eq=False)
class Power:
    """The curve of two peers, if two were named, and subsets of document sets beside all of them."""

    peers: Pair | None
    curve: PowerCurve | None
    subsets: SubsetPower
    signature: Mapping[str, str]
    notes: tuple[str, ...]

    def tables(self) -> list[Table]:
        """Return the curve at some numbers of sets, and the subsets."""
        tables = [self.subsets.to_table()]
        if self.curve and self.peers:
            table = self.curve.to_table()
            title = f"Peers {self.peers[0]} and {self.peers[1]}: {table.title[0].lower()}{table.title[1:]}"
            notes = [note.replace(" items", " document sets") for note in table.notes]
            tables.insert(0, Table((Column("sets", "right"), *table.columns[1:]), table.rows, title, notes))
        return tables

    def to_dict(self) -> dict[str, object]:
        """Return signature, curve and subsets, ready for JSON."""
        return {
            "signature": dict(self.signature),
            "peers": self.peers,
            "curve": _curve(self.curve) if self.curve else None,
            "subsets": {
                "wanted": self.subsets.wanted,
                "differing": self.subsets.differing,
                "remark": OPTIMISTIC,
                "sizes": [finite(asdict(size)) for size in self.subsets.sizes],
            },
            "notes": list(self.notes),
        }

    def __repr__(self) -> str:
        return "\n\n".join(table.to_text() for table in self.tables())


def power_of(
    table: ScoreTable,
    peers: Pair | None = None,
    dependent: str = "score",
    *,
    target: float = 0.8,
    alpha: float = 0.05,
    draws: int = 10_000,
    subsets: int = 500,
    seed: int = 0,
) -> Power:
    """Return how many document sets tell two *peers* apart, and which few sets do it best.

    Without *peers* the subsets are judged by all pairs of peers that differ over all sets. Several annotators of a
    summary count as one, their mean.

    Parameters
    ----------
    table
        The scores (see `score_table` and `read_scores`).
    peers
        The two peers.
    dependent
        The column of scores.
    target
        The power to reach: the probability of a significant difference, if there is one.
    alpha
        The level of significance.
    draws
        The number of draws for each number of sets.
    subsets
        The number of subsets of sets that are tried.
    seed
        The seed of both.

    Examples
    --------
    >>> scores = {"set": [*"AABBCCDDEE"], "peer": [*"12"] * 5, "score": [2, 6, 3, 7, 2, 5, 3, 8, 2, 7]}
    >>> power_of(ScoreTable.of(scores), ("1", "2"), draws=200, subsets=20).curve.enough <= 5
    True
    """
    used = table.averaged(dependent)
    curve = None
    if peers is not None:
        first, second = (_scores(used, peer, dependent) for peer in peers)
        if peers[0] == peers[1]:
            raise TouchstoneError("a peer does not differ from itself", value=peers[0], hint="name two peers")
        curve = power_curve(first, second, target=target, alpha=alpha, draws=draws, seed=seed)
    sampled = subset_power(
        used.columns,
        dependent,
        items=used.sets,
        systems=used.peers,
        between=peers,
        subsets=subsets,
        alpha=alpha,
        seed=seed,
    )
    return Power(peers, curve, sampled, _signature(used, sampled, curve, peers, draws, subsets, seed), used.notes)


def _scores(table: ScoreTable, peer: str, dependent: str) -> Floats:
    """Return what a peer scores on every set, nan where it has no score."""
    data = observe(table.columns, dependent, [table.sets, table.peers])
    sets, peers = data.factors
    if peer not in peers.levels:
        raise TouchstoneError(
            "no such peer", value=peer, near=nearest(peer, peers.levels), hint=f"there are {', '.join(peers.levels)}"
        )
    own = peers.codes == peers.levels.index(peer)
    scores = np.full(len(sets.levels), np.nan)
    scores[sets.codes[own]] = data.values[own]
    return scores


def _curve(curve: PowerCurve) -> dict[str, object]:
    return {
        "difference": curve.difference,
        "low": curve.interval.low,
        "high": curve.interval.high,
        "sets": curve.n_items,
        "target": curve.target,
        "enough": curve.enough,
        "test": TEST,
        "power": [
            {"sets": size, "power": power, "extrapolated": size > curve.n_items}
            for size, power in zip(curve.sizes.tolist(), curve.power.tolist(), strict=True)
        ],
    }


def _signature(
    table: ScoreTable,
    sampled: SubsetPower,
    curve: PowerCurve | None,
    peers: tuple[str, str] | None,
    draws: int,
    subsets: int,
    seed: int,
) -> dict[str, str]:
    return {
        "touchstone": __version__,
        "task": "pyramid power",
        "table": str(table.source),
        "sets": str(sampled.n_items),
        "peers": " – ".join(peers) if peers else "all that differ",
        **({"target": f"{curve.target:g}"} if curve else {}),
        "curve": f"paired t, alpha {sampled.alpha:g}, {draws:,} draws, seed {seed}",
        "subsets": f"Tukey HSD after {sampled.formula}, {subsets:,} of each size, seed {seed}",
        "numpy": np.__version__,
    }
