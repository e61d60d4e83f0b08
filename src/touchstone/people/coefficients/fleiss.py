"""Fleiss' kappa: a fixed number of labels for each item, whoever gave them."""

import numpy as np

from touchstone.base.ragged import Floats
from touchstone.people.coefficient import Terms, coefficient
from touchstone.people.ratings import Ratings


@coefficient()
def fleiss(ratings: Ratings) -> Terms:
    """Fleiss' kappa of n labels for each item: (P - P_e) / (1 - P_e), P_e = Σ_j p_j².

    With n_ij of the n labels of item i being j, N items and p_j = Σ_i n_ij / (N n): P is the mean of
    (Σ_j n_ij² - n) / (n (n - 1)) (Fleiss 1971). For one label j it is
    1 - Σ_i n_ij (n - n_ij) / (N n (n - 1) p_j (1 - p_j)). n is the most frequent number of labels; items with another
    are left out.
    """
    n = ratings.modal_size
    compared = ratings.sizes == n
    counts = ratings.counts
    unequal = (counts * (n - counts)).sum(axis=1)  # ordered pairs of labels that differ
    sizes = np.broadcast_to([n, n * (n - 1)], (len(counts), 2))

    def fold(sums: Floats) -> Floats:
        shares = sums[..., :-3] / sums[..., -2:-1]
        agreed = 1 - sums[..., -3] / sums[..., -1]
        expected = (shares**2).sum(axis=-1)
        return np.asarray((agreed - expected) / (1 - expected))

    return Terms(np.column_stack([counts, unequal, sizes]), fold, compared)
