"""How large a difference is, item by item: beside a p-value, which only says that there is one."""

from dataclasses import dataclass

import numpy as np

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.base.ragged import Floats

RELATIVE, ABSOLUTE = 1e-9, 1e-12
"""Scores of an item that are closer than this are equal: they were computed in another order, not earned."""


@dataclass(frozen=True)
class WinTieLoss:
    """On how many items a system scores more than another, the same, and less."""

    wins: int
    ties: int
    losses: int


def wins(a_values: Floats, b_values: Floats) -> WinTieLoss:
    """Return on how many items A scores more than B, the same, and less; items that one lacks are left out.

    >>> wins(np.array([0.5, 0.1 + 0.2, 0.0, np.nan]), np.array([0.2, 0.3, 1.0, 1.0]))
    WinTieLoss(wins=1, ties=1, losses=1)
    """
    differences = _differences(a_values, b_values)
    above, below = int(np.count_nonzero(differences > 0)), int(np.count_nonzero(differences < 0))
    return WinTieLoss(above, len(differences) - above - below, below)


def paired_effect(a_values: Floats, b_values: Floats) -> float:
    """Return Cohen's d_z = mean(A - B) / sd(A - B), over the items that both systems have (Cohen 1988, section 2.3.5).

    0 where all differences are 0, plus or minus infinity where they are all the same but not 0, nan for fewer than
    two items.

    >>> paired_effect(np.array([1.0, 2.0, 3.0]), np.array([0.0, 0.0, 0.0]))
    2.0
    """
    differences = _differences(a_values, b_values)
    if len(differences) < 2:
        return np.nan
    average, spread = float(differences.mean()), float(differences.std(ddof=1))
    # A spread of rounding alone would make d_z a random large number.
    if spread > RELATIVE * abs(average):
        return average / spread
    return float(np.copysign(np.inf, average)) if average else 0.0


def signed_differences(a_values: Floats, b_values: Floats) -> Floats:
    """Return A - B of every item, exactly 0 where they differ by rounding alone, nan where one of them has no value.

    >>> signed_differences(np.array([0.1 + 0.2, np.nan]), np.array([0.3, 1.0])).tolist()
    [0.0, nan]
    """
    a, b = np.asarray(a_values, np.float64), np.asarray(b_values, np.float64)
    if a.shape != b.shape:
        what, hint = f"{a.size:,} values of one system and {b.size:,} of the other", "compare systems on the same items"
        raise TouchstoneError(what, code=Code.MISMATCH, hint=hint)
    both = np.isfinite(a) & np.isfinite(b)
    gaps = np.subtract(a, b, out=np.full(a.shape, np.nan), where=both)
    return np.where(both & np.isclose(a, b, rtol=RELATIVE, atol=ABSOLUTE), 0.0, gaps)


def _differences(a_values: Floats, b_values: Floats) -> Floats:
    gaps = signed_differences(a_values, b_values)
    return gaps[~np.isnan(gaps)]
