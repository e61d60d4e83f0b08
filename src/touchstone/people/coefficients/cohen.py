"""Cohen's kappa of two annotators, its weighted forms for ordered labels, and their means over pairs of annotators."""

from itertools import combinations

import numpy as np

from touchstone.base.ragged import Floats
from touchstone.people.coefficient import CONSTANT_LABELS, Terms, coefficient, refuse_large
from touchstone.people.ratings import Ratings
from touchstone.stats.intervals import FEWEST_CLUSTERS


@coefficient()
def cohen(ratings: Ratings) -> Terms:
    """Cohen's kappa: (P - P_e) / (1 - P_e), P_e = Σ_j r_j c_j over two annotators' shares of label j (Cohen 1960).

    Of more than two annotators it is the mean over the pairs of them that share five items.
    """
    return _weighted(ratings, 1 - np.eye(len(ratings.labels)))


@coefficient("numbers")
def cohen_linear(ratings: Ratings) -> Terms:
    """Cohen's kappa with linear weights: 1 - Σ_jk |j - k| o_jk / Σ_jk |j - k| r_j c_k (Cohen 1968).

    o_jk is the share of items to which the first of two annotators gave j and the second k, r_j and c_k are their
    shares of the labels. Labels are apart as numbers, or by their places in an order.
    """
    return _weighted(ratings, np.abs(ratings.values[:, None] - ratings.values))


@coefficient("numbers")
def cohen_quadratic(ratings: Ratings) -> Terms:
    """Cohen's kappa with quadratic weights: 1 - Σ_jk (j - k)² o_jk / Σ_jk (j - k)² r_j c_k (Cohen 1968).

    The terms are those of `cohen_linear`.
    """
    return _weighted(ratings, (ratings.values[:, None] - ratings.values) ** 2)


def _weighted(ratings: Ratings, weights: Floats) -> Terms:
    """Return the terms of 1 - observed / expected disagreement, the mean over pairs of annotators.

    The records of a pair are the labels of the first and of the second, how far these are apart, and whether there are
    both.
    """
    columns, k = ratings.columns, len(ratings.labels)
    labelled = columns >= 0
    several = columns.shape[1] > 2
    pairs = [
        (a, b, both)
        for a, b in combinations(range(columns.shape[1]), 2)
        if (both := labelled[:, a] & labelled[:, b]).sum() >= (FEWEST_CLUSTERS if several else 1)
    ]
    what = f"{k:,} labels of {len(ratings.annotators):,} annotators are too many for kappas of pairs"
    refuse_large(len(columns) * len(pairs) * (2 * k + 2), what, "take alpha, or fewer annotators")
    parts: list[Floats] = [np.zeros((len(columns), 0))]
    for a, b, both in pairs:
        labels = [(columns[:, [side]] == np.arange(k)) & both[:, None] for side in (a, b)]
        distances = np.where(both, weights[columns[:, a], columns[:, b]], 0.0)
        parts.append(np.column_stack([*labels, distances, both]))

    def fold(sums: Floats) -> Floats:
        each = sums.reshape(*sums.shape[:-1], len(pairs), 2 * k + 2)
        n = each[..., -1]
        expected = ((each[..., :k] @ weights) * each[..., k:-2]).sum(axis=-1) / n
        kappas = 1 - each[..., -2] / expected
        defined = np.isfinite(kappas)
        return np.asarray(np.where(defined, kappas, 0.0).sum(axis=-1) / defined.sum(axis=-1))

    compared = (ratings.sizes > 1) & bool(pairs)
    undefined = f"no two annotators share {FEWEST_CLUSTERS} items, or nobody varies" if several else CONSTANT_LABELS
    return Terms(np.hstack(parts), fold, compared, undefined)
