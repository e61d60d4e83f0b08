"""The F1 of one label: how often annotators who give it meet somebody else who does."""

import numpy as np

from touchstone.base.ragged import Floats
from touchstone.people.coefficient import Terms, coefficient
from touchstone.people.ratings import Ratings


@coefficient("one label")
def f1(ratings: Ratings) -> Terms:
    """F1 of a label: Σ_i n_i (n_i - 1) / Σ_i n_i (m_i - 1), where n_i of the m_i labels of item i are it.

    Of two annotators it is 2 both / (first + second), the F1 of either against the other; of more it is known as
    specific agreement (Cicchetti & Feinstein 1990).
    """
    n, compared = ratings.counts[:, 0], ratings.sizes > 1
    records = np.column_stack([n * (n - 1), n * (ratings.sizes - 1)])

    def fold(sums: Floats) -> Floats:
        return np.asarray(sums[..., 0] / sums[..., 1])

    return Terms(records, fold, compared, f"nobody gave the label {ratings.labels[0]}")
