"""Many comparisons at once: p-values adjusted so that chance does not pick the winners.

A p-value that is nan (nothing to compare) stays nan and does not count as a comparison.
"""

from collections.abc import Callable, Sequence

import numpy as np

from touchstone.core.errors import TouchstoneError
from touchstone.core.ragged import Floats


def holm(p: Sequence[float] | Floats) -> Floats:
    """Return p-values adjusted for the chance of even one false difference (Holm 1979), in the order given.

    The i-th smallest of m becomes max over j ≤ i of (m - j + 1) p_j, at most 1.

    >>> holm([0.01, 0.04, 0.03]).tolist()
    [0.03, 0.06, 0.06]
    """
    return _adjusted(p, lambda ranked, rank: np.maximum.accumulate((len(ranked) - rank + 1) * ranked))


def benjamini_hochberg(p: Sequence[float] | Floats) -> Floats:
    """Return p-values adjusted for the share of false differences (Benjamini & Hochberg 1995), in the order given.

    The i-th smallest of m becomes min over j ≥ i of m p_j / j, at most 1.

    >>> benjamini_hochberg([0.01, 0.04, 0.02]).tolist()
    [0.03, 0.04, 0.03]
    """
    return _adjusted(p, lambda ranked, rank: np.minimum.accumulate((len(ranked) * ranked / rank)[::-1])[::-1])


def _adjusted(p: Sequence[float] | Floats, adjust: Callable[[Floats, Floats], Floats]) -> Floats:
    """Return *adjust* of the p-values that are numbers, smallest first with their ranks from 1, put back in order."""
    given = np.asarray(p, np.float64)
    wrong = given[(given < 0) | (given > 1)]
    if len(wrong):
        raise TouchstoneError(f"p-value {wrong[0]} is not between 0 and 1", hint="give probabilities")
    order = np.argsort(given, kind="stable")[: np.count_nonzero(~np.isnan(given))]
    adjusted = np.full(len(given), np.nan)
    adjusted[order] = np.minimum(adjust(given[order], np.arange(1.0, len(order) + 1)), 1.0)
    return adjusted
