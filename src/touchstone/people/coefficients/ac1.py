"""Gwet's AC1, which stays near raw agreement where one label is much more frequent than the others."""

import numpy as np

from touchstone.base.ragged import Floats
from touchstone.people.coefficient import Terms, coefficient
from touchstone.people.ratings import Ratings


@coefficient()
def ac1(ratings: Ratings) -> Terms:
    """Gwet's AC1, for any number of labels of an item: (P - P_e) / (1 - P_e), P_e = Σ_j π_j (1 - π_j) / (q - 1).

    P is the mean of (Σ_j n_ij² - n_i) / (n_i (n_i - 1)) over items with two or more labels, π_j that of n_ij / n_i over
    all items with a label; q is the number of labels that could be given (Gwet 2008).
    """
    counts, sizes, q = ratings.counts, ratings.sizes[:, None], len(ratings.labels)
    labelled, compared = ratings.sizes > 0, ratings.sizes > 1
    shares = counts / np.maximum(sizes, 1)
    agreed = (counts * (counts - 1)).sum(axis=1) / np.maximum(ratings.sizes * (ratings.sizes - 1), 1)

    def fold(sums: Floats) -> Floats:
        agreed = sums[..., -2] / sums[..., -1]
        mean_shares = sums[..., :q] / sums[..., q : q + 1]
        expected = (mean_shares * (1 - mean_shares)).sum(axis=-1) / (q - 1)
        return np.asarray((agreed - expected) / (1 - expected))

    records = np.column_stack([shares, labelled, agreed, compared])
    return Terms(records, fold, compared, "there is only one label to give", drawn=labelled)
