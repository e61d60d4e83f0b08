"""Krippendorff's alpha: any number of labels of an item, any distance of labels.

Krippendorff (2019), Content Analysis, chapter 12; Passonneau (2006) for sets.
"""

from collections.abc import Hashable
from typing import TYPE_CHECKING

import numpy as np
import scipy

from touchstone.base.ragged import Floats, Ints
from touchstone.people.coefficient import Terms, coefficient, refuse_large
from touchstone.people.ratings import Ratings
from touchstone.stats.distances import distance_rows, moments, ordinal_distances
from touchstone.stats.records import Fold

if TYPE_CHECKING:
    Counts = scipy.sparse.csr_array[np.float64, tuple[int, int]]

ROUNDING = 1e-12
"""Disagreement below this share of the sums that it is the difference of is none."""


@coefficient()
def alpha(ratings: Ratings) -> Terms:
    """Krippendorff's alpha, 1 - D_o / D_e, by the distance of the labels.

    D_o = (1/N) Σ_items Σ_{a≠b} d(a, b) / (m - 1) for an item of m labels, D_e = Σ_{a≠b} d(a, b) / (N (N - 1)) over
    all N labels, both over ordered pairs of entries. An item with fewer than two labels is left out. Undefined where
    all labels are equal. The ordinal distance depends on how often each label was given, and is computed for each
    resample.
    """
    compared = ratings.sizes > 1
    paired = ratings.where(compared)
    distinct, code = np.unique(paired.label, return_inverse=True)  # labels of the items that count
    shape = len(compared), len(distinct)
    counts = scipy.sparse.csr_array((np.ones(len(code)), (paired.item, code)), shape=shape)
    labels = [ratings.labels[number] for number in distinct.tolist()]
    others = np.maximum(paired.sizes - 1, 1)  # 1 where an item is left out: there is nothing to divide
    fold: Fold = _ordinal_alpha
    if ratings.distance == "ordinal":
        records = _coincidences(counts, np.argsort(ratings.values[distinct]), others)
    else:
        bags, form, within = _bags(counts, labels, ratings)
        records, fold = np.column_stack([bags, within / others, paired.sizes]), _alpha(form)
    undefined = "all answers are the same, so that no disagreement could be expected"
    return Terms(records, fold, compared, undefined, distance=ratings.distance)


def _bags(counts: "Counts", labels: list[Hashable], ratings: Ratings) -> tuple[Floats, Floats, Floats]:
    """Return a vector g for each item, the form F, and g @ F @ g: distances between bags of labels sum to g @ F @ h.

    A bag's vector is the sum of its items' vectors, so that a resample never meets a label again. The dimensions are
    the distinct labels, or the items where those are fewer; three moments do for the interval distance.
    """
    n, distinct = counts.shape
    if ratings.distance == "interval":
        points, form = moments(labels)
        bags = np.asarray(counts @ points)
        return bags, form, ((bags @ form) * bags).sum(axis=1)
    what = f"{n:,} {ratings.unit}s with {distinct:,} distinct labels are too many to compare all at once"
    refuse_large(n * min(n, distinct), what, f"compute agreement for parts of the {ratings.unit}s")
    blocks = distance_rows(labels, ratings.distance)
    if distinct <= n:
        form = np.vstack(list(blocks))
        return counts.toarray(), form, np.asarray(counts.multiply(counts @ form).sum(axis=1))  # type: ignore[call-overload]
    form = np.asarray(counts @ np.hstack([np.asarray(counts @ block.T) for block in blocks]).T)
    # A bag counts items here: the bag of a resample says how often each item was drawn.
    return np.eye(n), form, form.diagonal()


def _alpha(form: Floats) -> Fold:
    """Return the fold of (vector of the labels, observed disagreement, number of labels)."""
    k = len(form)

    def fold(sums: Floats) -> Floats:
        bag, observed, n = sums[..., :k], sums[..., k], sums[..., k + 1]
        expected = ((bag @ form) * bag).sum(axis=-1)
        least = ROUNDING * n * np.abs(bag).max(axis=-1)
        return np.asarray(1 - (n - 1) * observed / np.where(expected > least, expected, np.nan))

    return fold


def _coincidences(counts: "Counts", order: Ints, others: Ints) -> Floats:
    """Return a record for each item: how often each two labels meet in it, Σ_{a≠b} 1 / (m - 1), by rising label."""
    n, distinct = counts.shape
    hint = "take the interval distance, or compute agreement for parts of the items"
    refuse_large(n * distinct**2, f"{distinct:,} distinct labels are too many for the ordinal distance", hint)
    dense = counts.toarray()[:, order]
    pairs = dense[:, :, None] * dense[:, None, :]
    pairs[:, np.arange(distinct), np.arange(distinct)] -= dense
    return np.asarray((pairs / others[:, None, None]).reshape(n, -1))


def _ordinal_alpha(sums: Floats) -> Floats:
    """Fold summed coincidences o into 1 - (N - 1) Σ o_ck d_ck / Σ n_c n_k d_ck, with n_c = Σ_k o_ck."""
    k = round(sums.shape[-1] ** 0.5)
    together = sums.reshape(*sums.shape[:-1], k, k)
    counts = together.sum(axis=-1)
    distances = ordinal_distances(counts)
    expected = (counts[..., :, None] * counts[..., None, :] * distances).sum(axis=(-1, -2))
    observed = (together * distances).sum(axis=(-1, -2))
    return np.asarray(1 - (counts.sum(axis=-1) - 1) * observed / np.where(expected > 0, expected, np.nan))
