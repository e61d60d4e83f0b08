"""How many of a ranked list to stand behind: those whose softmax weight is a fair share of the first one's.

Jabbari, Hepple and Guthrie (2010, section 7) call drawing this boundary the core of the task.
"""

from collections.abc import Sequence
from math import log

import numpy as np

from touchstone.core.ragged import Floats

THRESHOLDS = tuple(n / 100 for n in range(2, 101, 2))


def cut(scores: Floats, threshold: float) -> int:
    """Return how many of *scores*, best first, have a softmax weight of at least *threshold* times the first's.

    >>> cut(np.array([2.0, 1.9, 0.5, -1.0]), 0.2)
    3
    """
    return int((scores >= scores[0] + log(threshold)).sum()) if len(scores) else 0


def choose_threshold(scores: Sequence[Floats], earned: Sequence[Floats], totals: Sequence[float]) -> float:
    """Return the threshold of the greatest F(k=1): the harmonic mean of mean P and mean R over items.

    *scores* are those of each item's list, best first; *earned* the weights that people gave to each answer of it, and
    *totals* what they gave in all.
    """
    return max(THRESHOLDS, key=lambda one: f_value([cut(row, one) for row in scores], earned, totals))


def choose_fixed(earned: Sequence[Floats], totals: Sequence[float], most: int = 20) -> int:
    """Return the one number of answers to every item that has the greatest F(k=1): what a boundary must beat."""
    return max(range(1, most + 1), key=lambda n: f_value([n] * len(earned), earned, totals))


def f_value(cuts: Sequence[int], earned: Sequence[Floats], totals: Sequence[float]) -> float:
    """Return F(k=1) of lists cut after the given numbers of answers.

    >>> f_value([2], [np.array([3.0, 0.0, 1.0])], [4.0])
    0.75
    """
    credit = np.array([row[:n].sum() for row, n in zip(earned, cuts, strict=True)])
    wrong = np.array([(row[:n] == 0).sum() for row, n in zip(earned, cuts, strict=True)])
    precision = np.where(credit > 0, credit / np.maximum(credit + wrong, 1), 0).mean()
    recall = (credit / np.array(totals)).mean()
    return float(2 * precision * recall / (precision + recall)) if precision + recall else 0.0
