"""Scott's pi over all pairs of labels, the kappa of WMT, and the agreement that chance would give."""

import numpy as np

from touchstone.base.ragged import Floats
from touchstone.people.coefficient import Terms, coefficient
from touchstone.people.ratings import Ratings


@coefficient()
def scott(ratings: Ratings) -> Terms:
    """Agreement beyond chance over all pairs of labels: (P - P_e) / (1 - P_e), also among labels of one annotator.

    P is the raw agreement, P_e = Σ_j p_j² over the shares p_j of the labels, of all that were given (Scott 1955). Where
    labels depend on the order of two systems, they are split evenly over both orders: better and worse together have
    the chance (p_better + p_worse)² / 2 (Callison-Burch et al. 2012, Findings of WMT 2012).
    """
    return _terms(ratings, beyond=True)


@coefficient()
def chance(ratings: Ratings) -> Terms:
    """Share of equal labels that chance would give: P_e = Σ_j p_j², as in `scott`."""
    return _terms(ratings, beyond=False)


def _terms(ratings: Ratings, *, beyond: bool) -> Terms:
    mirrored = np.array(ratings.mirrored or [False] * len(ratings.labels), np.bool_)

    def fold(sums: Floats) -> Floats:
        agreed = sums[..., 0] / sums[..., 1]
        shares = sums[..., 2:] / sums[..., 2:].sum(axis=-1, keepdims=True)
        expected = (shares[..., ~mirrored] ** 2).sum(axis=-1) + shares[..., mirrored].sum(axis=-1) ** 2 / 2
        return np.asarray((agreed - expected) / (1 - expected) if beyond else expected)

    records = np.hstack([ratings.pairs, ratings.counts])
    return Terms(records, fold, ratings.pairs[:, 1] > 0, drawn=np.ones(len(records), np.bool_))
