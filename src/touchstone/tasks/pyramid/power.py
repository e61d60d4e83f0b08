"""How many document sets tell peers apart, and which few do it best: the question that the paper leaves open."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

import numpy as np

from touchstone import __version__
from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError, nearest
from touchstone.base.ragged import Floats
from touchstone.base.tables import Column, Table, counted, number
from touchstone.core.resampling import interval_heading
from touchstone.show.finding import Finding, Statement, kind_rows
from touchstone.stats.factors import observe
from touchstone.stats.power import TEST, PowerCurve, power_curve
from touchstone.stats.subsets import OPTIMISTIC, SubsetPower, subset_power
from touchstone.tasks.pyramid.scores import ScoreTable

if TYPE_CHECKING:
    from touchstone.show.page import Section

Pair = tuple[str, str]


@dataclass(frozen=True, eq=False, repr=False)
class Power(Finding):
    """The curve of two peers, if two were named, and subsets of document sets beside all of them."""

    table: ScoreTable
    peers: Pair | None
    curve: PowerCurve | None
    subsets: SubsetPower
    draws: int
    tried: int
    """How many subsets of each size were tried."""
    seed: int

    @property
    def notes(self) -> tuple[str, ...]:
        """How the table was read."""
        return self.table.notes

    @property
    def signature(self) -> dict[str, str]:
        """What the numbers depend on."""
        return {
            "touchstone": __version__,
            "task": "pyramid power",
            "table": str(self.table.source),
            "sets": str(self.subsets.n_items),
            "peers": " – ".join(self.peers) if self.peers else "all that differ",
            **({"target": f"{self.curve.target:g}"} if self.curve else {}),
            "curve": f"paired t, alpha {self.subsets.alpha:g}, {self.draws:,} draws, seed {self.seed}",
            "subsets": f"Tukey HSD after {self.subsets.formula}, {self.tried:,} of each size, seed {self.seed}",
            "numpy": np.__version__,
        }

    def curve_table(self) -> Table:
        """Return the curve of the two peers at some numbers of sets."""
        if not (self.curve and self.peers):
            raise TouchstoneError("there is no curve without two peers", code=Code.OPTION_NEEDED, hint="name two peers")
        table = self.curve.to_table()
        title = f"Peers {self.peers[0]} and {self.peers[1]}: {table.title[0].lower()}{table.title[1:]}"
        notes = [note.replace(" items", " document sets") for note in table.notes]
        return Table((Column("sets", "right"), *table.columns[1:]), table.rows, title, notes)

    def statement(self) -> Statement:
        """Return the curve, where there is one, and the subsets."""
        pair = f"peers {self.peers[0]} and {self.peers[1]}" if self.peers else "all peers that differ"
        return Statement(
            "Power of a pyramid evaluation",
            [*([self.curve_table()] if self.curve else []), self.subsets.to_table()],
            [*(_curve_rows(self.curve) if self.curve else []), *_subset_rows(self.subsets)],
            self.sentences,
            [*self.notes, OPTIMISTIC],
            self.signature,
            subtitle=pair,
            sections=self._sections,
        )

    def _sections(self) -> "Sequence[Section]":
        from touchstone.tasks.pyramid.analysis_report import power_sections

        return power_sections(self)

    @property
    def sentences(self) -> list[str]:
        """How far two peers differ and how many sets show it; of all peers, what half of the sets find."""
        if self.curve and self.peers:
            curve, ends = self.curve, self.curve.interval
            interval = f"{interval_heading(ends.level)} {number(ends.low)} to {number(ends.high)}"
            difference = f"{number(curve.difference)} ({interval}) over {counted(curve.n_items, 'document set')}"
            needed = self.curve_table().notes[1]
            return [f"Peer {self.peers[0]} − peer {self.peers[1]}: {difference}.", f"{needed[:1].upper()}{needed[1:]}."]
        subsets = self.subsets
        pairs = counted(len(subsets.differing), "pair")
        sentences = [f"All {counted(subsets.n_items, 'document set')} tell {pairs} of peers apart."]
        half = min(subsets.sizes, key=lambda size: abs(size.size - subsets.n_items / 2), default=None)
        if half and subsets.wanted:
            sentences.append(f"{half.size:,} of the sets find a share of {number(half.found)} of them on average.")
        return sentences


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
            what = "a peer does not differ from itself"
            raise TouchstoneError(what, value=peers[0], code=Code.BAD_VALUE, hint="name two peers")
        curve = power_curve(first, second, target=target, alpha=alpha, draws=draws, seed=seed)
    columns, sets, systems = used.columns, used.sets, used.peers
    sampled = subset_power(
        columns, dependent, items=sets, systems=systems, between=peers, subsets=subsets, alpha=alpha, seed=seed
    )
    return Power(used, peers, curve, sampled, draws, subsets, seed)


def _scores(table: ScoreTable, peer: str, dependent: str) -> Floats:
    """Return what a peer scores on every set, nan where it has no score."""
    data = observe(table.columns, dependent, [table.sets, table.peers])
    sets, peers = data.factors
    if peer not in peers.levels:
        what = "no such peer"
        hint = f"there are {', '.join(peers.levels)}"
        raise TouchstoneError(what, value=peer, near=nearest(peer, peers.levels), code=Code.UNKNOWN_NAME, hint=hint)
    of_peer = peers.codes == peers.levels.index(peer)
    scores = np.full(len(sets.levels), np.nan)
    scores[sets.codes[of_peer]] = data.values[of_peer]
    return scores


def _curve_rows(curve: PowerCurve) -> list[dict[str, object]]:
    """Return the difference of the peers with the number of sets that is enough, then the power by number of sets."""
    interval = {"low": curve.interval.low, "high": curve.interval.high}
    required = {"sets": curve.n_items, "target": curve.target, "enough": curve.enough, "test": TEST}
    sizes = zip(curve.sizes.tolist(), curve.power.tolist(), strict=True)
    return [
        *kind_rows("curve", [{"difference": curve.difference, **interval, **required}]),
        *kind_rows(
            "power", ({"sets": size, "power": power, "extrapolated": size > curve.n_items} for size, power in sizes)
        ),
    ]


def _subset_rows(subsets: SubsetPower) -> list[dict[str, object]]:
    """Return the pairs of peers that subsets are to find, the pairs that differ over all sets, and every size."""
    pairs = {"wanted_pair": subsets.wanted, "differing_pair": subsets.differing}
    return [
        *(row for kind, named in pairs.items() for row in kind_rows(kind, ({"a": a, "b": b} for a, b in named))),
        *kind_rows("subset_size", map(asdict, subsets.sizes)),
    ]
