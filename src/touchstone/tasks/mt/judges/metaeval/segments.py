"""Segment level: whether a metric prefers the translation that a judge prefers.

Every statistic is a fold of five counts for each segment (`segment_records`), so bootstrap and swaps over segments cost
a matrix product. All systems, judgements and scores of a segment move together.
"""

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.base.ragged import Floats, Ints, add_up
from touchstone.stats import Fold
from touchstone.tasks.mt.judges.metaeval.preferences import TIE, Preferences
from touchstone.tasks.mt.model import check_choice

Ties = Literal["discordant", "skip", "zero"]
Statistic = Literal["discordant", "skip", "zero", "acc_eq"]
Calibrate = Literal["none", "all", "split"]

STATISTICS: tuple[Statistic, ...] = get_args(Statistic)

COUNTS = 5
"""Concordant, discordant, tied by the metric; right, ties included; all pairs."""


@dataclass(frozen=True)
class Calibration:
    """The largest difference that is a tie of the metric; one for each half, where halves were used."""

    epsilons: tuple[float, ...]
    split: int = 0
    """The first segment of the second half."""

    def of(self, segment: Ints) -> Floats:
        """Return the ε of each segment."""
        first, last = self.epsilons[0], self.epsilons[-1]
        return np.where(segment < self.split, first, last)


def segment_records(values: Floats, preferred: Preferences, calibration: Calibration | None = None) -> Floats:
    """Return the counts of each segment: C, D, T, right with ties, all pairs.

    C, D and T count the pairs where judges see a difference: the metric agrees, disagrees, or sees none
    (abs(difference) ≤ 1e-12). A pair is right with ties if metric and judges agree, ties included, where the metric
    ties at abs(difference) ≤ ε of *calibration*. A pair without both scores (nan) does not count.

    Parameters
    ----------
    values
        The scores of the metric: segments x systems.
    preferred
        The preferences of judges.
    calibration
        ε; 0 by default.

    Examples
    --------
    >>> preferred = Preferences(*(np.array(x) for x in ([0, 0, 0], [0, 0, 1], [1, 2, 2], [1, 0, -1])), 1, 3)
    >>> segment_records(np.array([[0.5, 0.5, 0.9]]), preferred).tolist()
    [[1.0, 0.0, 1.0, 1.0, 3.0]]
    """
    gap = gaps(values, preferred)
    scored = ~np.isnan(gap)
    decided = scored & (preferred.sign != 0)
    alike = np.sign(gap) == preferred.sign
    least = (calibration or Calibration((0.0,))).of(preferred.segment)
    right = scored & np.where(np.abs(gap) <= least, preferred.sign == 0, alike)
    flags = (decided & alike, decided & (gap != 0) & ~alike, decided & (gap == 0), right, scored)
    return np.stack(
        [add_up(preferred.segment, flag.astype(np.float64), preferred.n_segments) for flag in flags], axis=1
    )


def fold_of(statistic: Statistic) -> Fold:
    """Return the fold of the counts: a Kendall-like tau under a rule for ties of the metric, or accuracy with ties.

    With n = C + D + T: ``discordant`` (C - D - T)/n, the rule of WMT 2012; ``skip`` (C - D)/(C + D); ``zero``
    (C - D)/n. ``acc_eq`` (Deutsch et al. 2023) is the share of all pairs, ties of judges included, that are right.

    >>> counts = np.array([6.0, 2.0, 2.0, 6.0, 10.0])
    >>> [fold_of(name)(counts).item() for name in STATISTICS]
    [0.2, 0.5, 0.4, 0.6]
    """
    check_choice("unknown statistic", statistic, STATISTICS)

    def fold(sums: Floats) -> Floats:
        agree, differ, tied, right, pairs = np.moveaxis(sums, -1, 0)
        above = {"discordant": agree - differ - tied, "acc_eq": right}.get(statistic, agree - differ)
        below = {"skip": agree + differ, "acc_eq": pairs}.get(statistic, agree + differ + tied)
        return np.asarray(above / below)

    return fold


def averaged(fold: Fold, width: int = COUNTS) -> Fold:
    """Return the fold of the counts of several groups side by side: the mean of their values."""

    def mean(sums: Floats) -> Floats:
        return np.asarray(fold(sums.reshape(*sums.shape[:-1], sums.shape[-1] // width, width)).mean(axis=-1))

    return mean


def calibrate(values: Floats, preferred: Preferences, how: Calibrate = "all") -> Calibration:
    """Return the ε that makes accuracy with ties highest, among 0 and the differences seen; the smallest of equals.

    ``none`` is ε = 0. ``split`` uses, for each half of the segments, the ε that is best on the other half.

    >>> preferred = Preferences(*(np.array(x) for x in ([0, 1, 2], [0, 0, 0], [1, 1, 1], [0, 1, 0])), 3, 2)
    >>> calibrate(np.array([[0.5, 0.25], [1.0, 0.0], [0.25, 0.25]]), preferred).epsilons
    (0.25,)
    """
    gap = gaps(values, preferred)
    if how == "none":
        return Calibration((0.0,))
    if how == "all":
        return Calibration((best_epsilon(gap, preferred.sign),))
    check_choice("unknown calibration", how, get_args(Calibrate))
    middle = int(np.median(np.unique(preferred.segment))) + 1 if len(preferred) else 0
    first = preferred.segment < middle
    halves = (best_epsilon(gap[half], preferred.sign[half]) for half in (~first, first))
    return Calibration(tuple(halves), middle)


def gaps(values: Floats, preferred: Preferences) -> Floats:
    """Return how much higher the metric scores the first system of each pair; 0 where there is no difference."""
    if np.isinf(values).any():
        hint = "give finite numbers, nan where a segment does not count"
        raise TouchstoneError("a score is infinite", code=Code.NOT_FINITE, hint=hint)
    gap = values[preferred.segment, preferred.first] - values[preferred.segment, preferred.second]
    return np.where(np.abs(gap) <= TIE, 0.0, gap)


def best_epsilon(gap: Floats, sign: Ints, weight: Floats | None = None) -> float:
    """Return the ε of most right pairs: raising it past a pair gains a tie of judges and loses a concordant pair.

    Parameters
    ----------
    gap, sign
        How much higher the metric scores the first of each pair, and what judges say about it; nan does not count.
    weight
        What each pair counts; 1 by default.
    """
    scored = ~np.isnan(gap)
    size, sign, gap = np.abs(gap[scored]), sign[scored], gap[scored]
    order = np.argsort(size, kind="stable")
    change = np.where(sign == 0, 1.0, -1.0 * (np.sign(gap) == sign))
    change = (change if weight is None else change * weight[scored])[order]
    size = size[order]
    last = np.flatnonzero(np.append(size[1:] != size[:-1], np.ones(min(len(size), 1), np.bool_)))
    candidates = np.concatenate([[0.0], size[last]])
    # At 0 the pairs that the metric ties are ties already, whatever the other differences are.
    gained = np.concatenate([[change[size == 0].sum()], np.cumsum(change)[last]])
    # Sums of weights that are equal but for rounding must not decide: the smallest ε of equals is taken.
    return float(candidates[np.argmax(gained >= gained.max() - 1e-9)])
