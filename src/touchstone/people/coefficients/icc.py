"""Intraclass correlations of numbers: Shrout & Fleiss (1979), Psychological Bulletin 86, in all of their six forms.

Of N items with k numbers each, MSR is the mean square between items, MSC that between annotators, MSW that within
items, MSE the residual one.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from touchstone.base.ragged import Floats, add_up
from touchstone.people.coefficient import Terms, coefficient
from touchstone.people.ratings import Ratings


class MeanSquares(NamedTuple):
    """Mean squares of k numbers of each of n items: between *items*, between *annotators*, and *residual*."""

    k: int
    n: Floats
    items: Floats
    residual: Floats
    annotators: Floats


CONSTANT = "the numbers of all items are the same"


@coefficient("numbers")
def icc1(ratings: Ratings) -> Terms:
    """ICC(1,1) of one number, where each item has annotators of its own: (MSR - MSW) / (MSR + (k - 1) MSW).

    k is the most frequent number of labels; items with another are left out.
    """
    return _of_any(ratings, lambda m: (m.items - m.residual) / (m.items + (m.k - 1) * m.residual))


@coefficient("numbers")
def icc1k(ratings: Ratings) -> Terms:
    """ICC(1,k) of the mean of k numbers, where each item has annotators of its own: (MSR - MSW) / MSR."""
    return _of_any(ratings, lambda m: (m.items - m.residual) / m.items)


@coefficient("numbers")
def icc2(ratings: Ratings) -> Terms:
    """ICC(2,1) of one number, the annotators a sample: (MSR - MSE) / (MSR + (k - 1) MSE + k (MSC - MSE) / N).

    It is lower where some annotators give higher numbers than others. Items that not all annotators labelled are left
    out.
    """

    def formula(m: MeanSquares) -> Floats:
        return (m.items - m.residual) / (m.items + (m.k - 1) * m.residual + m.k * (m.annotators - m.residual) / m.n)

    return _of_all(ratings, formula)


@coefficient("numbers")
def icc2k(ratings: Ratings) -> Terms:
    """ICC(2,k) of the mean of k annotators, who are a sample: (MSR - MSE) / (MSR + (MSC - MSE) / N)."""
    return _of_all(ratings, lambda m: (m.items - m.residual) / (m.items + (m.annotators - m.residual) / m.n))


@coefficient("numbers")
def icc3(ratings: Ratings) -> Terms:
    """ICC(3,1) of one number of these annotators and no others: (MSR - MSE) / (MSR + (k - 1) MSE).

    It is the same where an annotator gives higher numbers throughout.
    """
    return _of_all(ratings, lambda m: (m.items - m.residual) / (m.items + (m.k - 1) * m.residual))


@coefficient("numbers")
def icc3k(ratings: Ratings) -> Terms:
    """ICC(3,k) of the mean of these k annotators and no others: (MSR - MSE) / MSR."""
    return _of_all(ratings, lambda m: (m.items - m.residual) / m.items)


def _of_any(ratings: Ratings, formula: Callable[[MeanSquares], Floats]) -> Terms:
    """Return the terms of a formula of MSR and MSW, the residual one."""
    k, numbers = ratings.modal_size, _centred(ratings)
    compared = np.asarray(ratings.sizes == k)
    totals, squares = (add_up(ratings.item, part, len(compared)) for part in (numbers, numbers**2))

    def fold(sums: Floats) -> Floats:
        total, square, of_items, n = np.moveaxis(sums, -1, 0)
        between = (of_items / k - total**2 / (n * k)) / (n - 1)
        within = (square - of_items / k) / (n * (k - 1))
        return formula(MeanSquares(k, n, between, within, within))

    return Terms(np.column_stack([totals, squares, totals**2, compared]), fold, compared, CONSTANT)


def _of_all(ratings: Ratings, formula: Callable[[MeanSquares], Floats]) -> Terms:
    """Return the terms of a formula of MSR, MSC and MSE, the residual one."""
    k, columns = len(ratings.annotators), ratings.columns
    compared = np.asarray((columns >= 0).all(axis=1), np.bool_)
    table = np.where(compared[:, None], (ratings.values - np.median(ratings.values))[columns], 0.0)
    totals = table.sum(axis=1)

    def fold(sums: Floats) -> Floats:
        of_annotators, (square, of_items, n) = sums[..., :k], np.moveaxis(sums[..., k:], -1, 0)
        mean_square = of_annotators.sum(axis=-1) ** 2 / (n * k)
        items = of_items / k - mean_square
        annotators = (of_annotators**2).sum(axis=-1) / n - mean_square
        residual = (square - mean_square - items - annotators) / ((n - 1) * (k - 1))
        return formula(MeanSquares(k, n, items / (n - 1), residual, annotators / (k - 1)))

    records = np.column_stack([table, (table**2).sum(axis=1), totals**2, compared])
    undefined = CONSTANT if compared.any() else "no item has a label of every annotator"
    return Terms(records, fold, compared, undefined)


def _centred(ratings: Ratings) -> Floats:
    """Return the number of each entry, minus the median: squares of large numbers lose digits."""
    return np.asarray((ratings.values - np.median(ratings.values))[ratings.label])
