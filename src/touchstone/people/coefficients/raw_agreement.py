"""Raw agreement: how often two annotators give the same label."""

import numpy as np

from touchstone.base.ragged import Floats
from touchstone.people.coefficient import Terms, coefficient
from touchstone.people.ratings import Ratings


@coefficient()
def raw_agreement(ratings: Ratings) -> Terms:
    """Share of equal labels among all pairs of labels of one item.

    P = Σ_i (equal pairs of item i) / Σ_i (pairs of item i); with n labels of each item, the mean over items of
    (Σ_j n_ij² - n) / (n (n - 1)), where n_ij of them are j (Fleiss 1971).
    """
    return Terms(ratings.pairs, _share, ratings.pairs[:, 1] > 0, "there is nothing to compare")


def _share(sums: Floats) -> Floats:
    return np.asarray(sums[..., 0] / sums[..., 1])
