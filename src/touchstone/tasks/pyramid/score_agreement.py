"""Whether two readings of the same summaries give them the same scores: what matters most (Passonneau 2006)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypedDict

import numpy as np

from touchstone.core.resampling import Resampling, interval_text
from touchstone.core.tables import Cell, Column, Table, number
from touchstone.stats.correlation import Correlation, CorrelationName, correlate
from touchstone.tasks.pyramid.joining import UnitCounts
from touchstone.tasks.pyramid.measures import modified

Pairs = Sequence[tuple[UnitCounts, UnitCounts]]
"""Summaries, each as the first and the second person read it."""

NAMES: tuple[CorrelationName, ...] = ("pearson", "spearman", "kendall")

FEWEST = 3
"""Two points always lie on a line."""


class Draws(TypedDict):
    """How statistics draw."""

    draws: int
    seed: int
    level: float


def drawn(resampling: Resampling) -> Draws:
    """Return what statistics need of *resampling*."""
    return {"draws": resampling.draws, "seed": resampling.seed, "level": resampling.level}


@dataclass(frozen=True)
class Scores:
    """What two readings score the same summaries: their modified scores, and how these go together."""

    names: tuple[str, ...]
    first: tuple[float, ...]
    second: tuple[float, ...]
    correlations: tuple[Correlation, ...]

    @property
    def gaps(self) -> list[float]:
        """How far apart the two scores of each summary are."""
        return [abs(a - b) for a, b in zip(self.first, self.second, strict=True)]


def score_agreement(pairs: Pairs, resampling: Resampling) -> Scores:
    """Return the modified scores that two readings give the same summaries, and their correlations."""
    first, second = (tuple(map(modified, side)) for side in zip(*pairs, strict=True))
    several = len({one.set for one, _ in pairs}) > 1
    names = tuple(f"{one.set}, {one.system}" if several else one.system for one, _ in pairs)
    correlations = tuple(correlate(first, second, name, **drawn(resampling)) for name in NAMES)
    return Scores(names, first, second, correlations)


def scores_table(scores: Scores, readers: tuple[str, str]) -> Table:
    """Return the correlations, the mean of each reader, and the summary on which they are farthest apart."""
    widest = int(np.argmax(scores.gaps))
    rows: list[list[Cell]] = [
        [one.name, one.value, interval_text(one.interval.low, one.interval.high)] for one in scores.correlations
    ]
    rows += [
        [f"mean, {name}", number(float(np.mean(side)), 4), ""]
        for name, side in zip(readers, (scores.first, scores.second), strict=True)
    ]
    rows.append([f"largest gap ({scores.names[widest]})", number(scores.gaps[widest], 4), ""])
    columns = (Column("pyramid.modified"), Column("value", "right"), Column("95% interval", "right"))
    notes = [f"{one.name}: undefined, {one.reason}" for one in scores.correlations if one.reason]
    return Table(columns, rows, f"Do the two give the same scores? {len(scores.names):,} summaries", notes, rules={3})
