"""Records: what a measure keeps of each item, so that no interval or test looks at the text again.

A measure gives an item k numbers, its sufficient statistics; n items make an (n, k) array. A `Fold` maps sums of
records to the value of the measure, so a resample or a swap of items costs one matrix product and one fold.
An item that does not count has a record of zeros. Where an item was observed several times, in repeated runs or by
several annotators, `Records` has a row for each observation.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.base.ragged import Bools, Floats, Ints

Fold = Callable[[Floats], Floats]
"""Sums of records, shape (..., k), to values, shape (...); nan where nothing counts."""


@dataclass(frozen=True, eq=False)
class Records:
    """The records of one system under one measure, with what varies between them.

    Parameters
    ----------
    rows
        A row for each observation; its last number says whether it counts.
    item
        The number of each row's item, of which each has a row at least; None if row i is item i.
    run
        The number of each row's run, where a system was run several times.
    annotator
        The number of each row's annotator, where a row is what one annotator gave.

    Examples
    --------
    >>> rows = mean_records(np.array([1.0, 0.5, np.nan, 0.25]))
    >>> Records(rows, item=np.array([0, 0, 1, 1]), annotator=np.array([0, 1, 0, 1])).of_items().tolist()
    [[0.75, 1.0], [0.25, 1.0]]
    """

    rows: Floats
    item: Ints | None = None
    run: Ints | None = None
    annotator: Ints | None = None

    def of_items(self) -> Floats:
        """Return a record for each item: the mean of its rows that count; zeros where none counts."""
        if self.item is None:
            return self.rows
        n = int(self.item.max(initial=-1)) + 1
        counted = self.rows[:, -1] > 0
        item = self.item[counted]
        sizes = np.maximum(np.bincount(item, minlength=n), 1)
        return np.stack([np.bincount(item, column, n) / sizes for column in self.rows[counted].T], axis=1)


@dataclass(frozen=True, eq=False)
class JointRecords:
    """Records of items for all systems at once, and the fold of their sums into the value of each system.

    *rows* has an entry for each item, of any shape; *fold* maps such an entry, or a sum of several, to a value for each
    system.

    Examples
    --------
    >>> wins = np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]])  # of two systems, in three votes
    >>> JointRecords(wins, lambda sums: sums / sums.sum(axis=-1, keepdims=True)).totals.round(2).tolist()
    [0.67, 0.33]
    """

    rows: Floats
    fold: Fold

    @property
    def totals(self) -> Floats:
        """The value of each system over all items; nan where it is not known."""
        return folded(self.fold, self.rows.sum(axis=0))


def own_records(shared: Floats, systems: int) -> list[Floats]:
    """Return the records of each of some *systems*: those that all share, and which system it is.

    Parameters
    ----------
    shared
        A row for each item; its last number says whether the item counts.
    systems
        How many systems there are.

    Examples
    --------
    >>> votes = np.array([[1.0, 0.0, 1.0], [0.0, 1.0, 1.0], [1.0, 0.0, 1.0], [0.0, 0.0, 0.0]])
    >>> shares = lambda sums: sums[..., :2] / sums[..., 2:]
    >>> [own_value(rows.sum(axis=0), fold=shares).round(2).item() for rows in own_records(votes, 2)]
    [0.67, 0.33]
    """
    counted = shared[:, -1:]
    return [np.hstack([shared[:, :-1], system_index * counted, counted]) for system_index in range(systems)]


def own_value(sums: Floats, *, fold: Fold) -> Floats:
    """Return the value of the system that `own_records` are of.

    Parameters
    ----------
    sums
        Its records, or their sums.
    fold
        Maps sums of the records that systems share to a value for each system.
    """
    counted = sums[..., -1]
    values = folded(fold, np.concatenate([sums[..., :-2], counted[..., None]], axis=-1))
    # Summed over items that count, the number of the system has become a multiple of itself.
    system_index = np.rint(sums[..., -2] / np.where(counted > 0, counted, 1)).astype(np.int64)
    return np.asarray(np.take_along_axis(values, system_index[..., None], axis=-1)[..., 0])


def mean_records(values: Floats) -> Floats:
    """Return the records (value, counted) of a mean; a value that is not finite does not count.

    >>> mean_records(np.array([0.5, np.nan])).tolist()
    [[0.5, 1.0], [0.0, 0.0]]
    """
    counted = np.isfinite(values)
    return np.stack([np.where(counted, values, 0.0), counted.astype(np.float64)], axis=1)


def mean(sums: Floats) -> Floats:
    """Return the mean of the items that count: the fold of `mean_records`.

    >>> mean(np.array([[3.0, 4.0], [0.0, 0.0]])).tolist()
    [0.75, nan]
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(sums[..., 0] / sums[..., 1])


def mean_value(sums: Floats) -> Floats:
    """Fold records that begin with the value of an item and end with 1 if it counts into the mean value.

    >>> mean_value(np.array([[1.5, 7.0, 3.0], [0.0, 0.0, 0.0]])).tolist()
    [0.5, nan]
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(sums[..., 0] / sums[..., -1])


def means_of_columns(values: Floats, counted: Bools) -> Floats:
    """Return the mean of the *counted* values of each column; 0 where none counts.

    >>> means_of_columns(np.array([[1.0, 2.0], [3.0, np.nan]]), np.array([[True, False], [True, False]])).tolist()
    [2.0, 0.0]
    """
    return np.asarray(np.where(counted, values, 0.0).sum(axis=0) / np.maximum(counted.sum(axis=0), 1))


def cluster_codes(n: int, clusters: Ints | None) -> Ints:
    """Return the number of the cluster of each of *n* items, from 0; each item is one where *clusters* is None."""
    return np.arange(n) if clusters is None else np.unique(clusters, return_inverse=True)[1]


def folded(fold: Fold, sums: Floats) -> Floats:
    """Return ``fold(sums)``; dividing by nothing gives nan or inf without a warning.

    >>> folded(lambda sums: sums[..., 0] / sums[..., 1], np.zeros((1, 2))).tolist()
    [nan]
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(fold(sums), np.float64)


def cluster_records(records: Floats, clusters: Ints | None = None) -> Floats:
    """Return the records that are drawn or swapped as one: an item's own, or the sums of each cluster.

    Clusters stand in the order of their labels.

    >>> cluster_records(np.array([[1.0], [2.0], [4.0]]), np.array([7, 3, 7])).tolist()
    [[2.0], [5.0]]
    """
    records = _checked(records)
    if clusters is None:
        return records
    if np.shape(clusters) != (len(records),):
        what = f"{np.size(clusters):,} cluster labels for {len(records):,} items"
        raise TouchstoneError(what, code=Code.MISMATCH, hint="give each item one label")
    labels, cluster_index = np.unique(clusters, return_inverse=True)
    columns = [np.bincount(cluster_index, column, len(labels)) for column in records.T]
    return np.stack(columns, axis=1) if columns else np.zeros((len(labels), 0))


def paired_cluster_records(systems: Sequence[Floats], clusters: Ints | None = None) -> list[Floats]:
    """Return the `cluster_records` of *systems* on the same items; refuse systems whose records do not match."""
    for records in systems[1:]:
        if np.shape(records) != np.shape(systems[0]):
            what = f"records of two systems differ in shape: {np.shape(systems[0])} and {np.shape(records)}"
            hint = "compare systems on the same items with the same measure"
            raise TouchstoneError(what, code=Code.MISMATCH, hint=hint)
    return [cluster_records(records, clusters) for records in systems]


def _checked(records: Floats) -> Floats:
    records = np.asarray(records, np.float64)
    if records.ndim != 2:
        what, hint = f"records have {records.ndim} dimensions, not 2", "give an array with a row of numbers per item"
        raise TouchstoneError(what, code=Code.BAD_VALUE, hint=hint)
    finite = np.isfinite(records).all(axis=1)
    if not finite.all():
        what = f"record {int(np.argmin(finite))} has a number that is not finite"
        raise TouchstoneError(what, code=Code.NOT_FINITE, hint="give zeros to an item that does not count")
    return records
