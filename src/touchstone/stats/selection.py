"""Whether the items that people scored may be a random sample, as far as a judge's scores of all items can tell.

A draw that depends on the judge's score shows: the ranks of the drawn items are lower, higher, more or less extreme
than those of random draws of as many. All columns (systems, each with its ranks and their distances from the middle)
are drawn together, and the largest of their deviations is compared with the largest of each draw (Westfall & Young
1993). So the rate of false alarms is that of all columns together, whatever the distribution of the scores.
"""

from math import comb

import numpy as np
from scipy.stats import norm, rankdata

from touchstone.base.ragged import Bools, Floats, Ints
from touchstone.stats.bootstrap import generator
from touchstone.stats.records import means_of_columns

RATE = 0.005
"""The chance at which a random sample is taken for another, over all columns together."""

DRAWS = 1999
"""Random draws: up to nine of them may deviate as much as a sample that is suspected."""

FEWEST_DRAWS = 399
"""Draws where items are very many: none or one of them may deviate as much."""

CELLS = 1e8
"""Numbers that are added up in all draws together; takes about a second."""

CLEAR = 2.0
"""Standard deviations below which no sample is suspected, and none is drawn."""


def rank_columns(scores: Floats) -> Floats:
    """Return for each column its ranks about 0, then their distances from the middle; 0 where there is no score.

    Parameters
    ----------
    scores
        A row for each item and a column for each system; nan where there is no score.

    Examples
    --------
    >>> rank_columns(np.array([[0.1], [0.2], [9.0], [np.nan]])).round(2).tolist()
    [[-1.0, 0.33], [0.0, -0.67], [1.0, 0.33], [0.0, 0.0]]
    """
    scored = np.isfinite(scores)
    # Items without a score rank last, where they change no rank of the others, and get 0 in the end.
    ranks = rankdata(np.where(scored, scores, np.inf), axis=0)
    columns = [ranks - means_of_columns(ranks, scored)]
    columns.append(np.abs(columns[0]) - means_of_columns(np.abs(columns[0]), scored))
    return np.where(np.hstack([scored, scored]), np.hstack(columns), 0.0)


def deviations(columns: Floats, taken: Bools, groups: Ints) -> Floats:
    """Return by how many standard deviations of random draws each column's sum over the units *taken* is off.

    Draws are simple random samples from each group, of as many units as were taken of it. A column has 0 where its sum
    cannot vary.

    Parameters
    ----------
    columns
        A row for each unit.
    taken
        Which units were taken, for each column.
    groups
        The group of each unit, from 0.

    Examples
    --------
    >>> deviations(np.array([[-1.0], [0.0], [1.0]]), np.array([[True], [False], [False]]), np.zeros(3, int)).round(3)
    array([-1.225])
    """
    centred, error = _standardised(columns, taken, groups)
    return np.asarray((centred * taken).sum(axis=0) / error)


def chance_of_draw(columns: Floats, taken: Bools, groups: Ints) -> float:
    """Return the share of random draws in which some column is off as much as the one that is off most.

    It is 1 where none is off by two standard deviations. Otherwise draws end as soon as the share is clearly above
    `RATE`.

    Parameters
    ----------
    columns, taken, groups
        As for `deviations`; columns of a unit are drawn together.

    Examples
    --------
    >>> scores = rank_columns(np.arange(40.0)[:, None])
    >>> lowest = np.arange(40) < 8
    >>> chance_of_draw(scores, np.column_stack([lowest, lowest]), np.zeros(40, int))
    0.0005
    """
    centred, error = _standardised(columns, taken, groups)
    observed = float(np.abs((centred * taken).sum(axis=0) / error).max(initial=0.0))
    if observed < CLEAR:
        return 1.0
    # Only units that were taken need others in their place: the rest add nothing to the sums.
    rows = np.flatnonzero(taken.any(axis=1))
    pattern = taken[rows] / error
    draws = int(np.clip(CELLS / max(pattern.size, 1), FEWEST_DRAWS, DRAWS))
    allowed, as_large = RATE * (draws + 1), 1
    random, order = generator(0), np.argsort(groups, kind="stable")
    for done in range(1, draws + 1):
        if groups.any():
            drawn = np.empty(len(groups), np.int64)
            drawn[order] = order[np.lexsort((random.random(len(groups)), groups[order]))]
            drawn = drawn[rows]
        else:
            drawn = random.choice(len(groups), len(rows), replace=False)
        # Less a billionth: a draw of the same units adds up in another order.
        as_large += float(np.abs((pattern * centred[drawn]).sum(axis=0)).max()) >= observed * (1 - 1e-9)
        if as_large > 2 * allowed:
            return as_large / (done + 1)
    return as_large / (draws + 1)


def _standardised(columns: Floats, taken: Bools, groups: Ints) -> tuple[Floats, Floats]:
    """Return the columns about the mean of each group, and the standard deviation of each sum over a random draw."""
    sizes = np.bincount(groups).astype(np.float64)
    means, sums = np.zeros((len(sizes), columns.shape[1])), np.zeros((len(sizes), columns.shape[1]))
    np.add.at(means, groups, columns)
    np.add.at(sums, groups, taken)
    centred = columns - (means / sizes[:, None])[groups]
    spread = np.zeros_like(means)
    np.add.at(spread, groups, centred**2)
    drawn = sums * (sizes[:, None] - sums) / (sizes * np.maximum(sizes - 1, 1))[:, None]
    error = np.sqrt((drawn * spread).sum(axis=0))
    return centred, np.where(error > 0, error, np.inf)


def chance_of_block(taken: Bools) -> float:
    """Return the chance that as many units drawn at random stand side by side; 1 where those taken do not.

    >>> chance_of_block(np.arange(20) < 3), chance_of_block(np.arange(20) % 2 == 0)
    (0.015789473684210527, 1.0)
    """
    places = np.flatnonzero(taken)
    n, k = len(taken), len(places)
    if not k or places[-1] - places[0] + 1 != k:
        return 1.0
    return min(1.0, (n - k + 1) / comb(n, k))


def chance_of_trend(ranks: Floats) -> float:
    """Return p of a rank correlation of each column with the order of the rows, over all columns (Bonferroni).

    >>> chance_of_trend(rank_columns(np.arange(30.0)[:, None])[:, :1]) < 1e-6
    True
    """
    centred_row = np.arange(len(ranks)) - (len(ranks) - 1) / 2
    size = np.sqrt((centred_row**2).sum() * (ranks**2).sum(axis=0))
    z = (centred_row[:, None] * ranks).sum(axis=0) / np.where(size > 0, size, np.inf) * np.sqrt(max(len(ranks) - 1, 1))
    return float(min(1.0, 2 * norm.sf(np.abs(z).max(initial=0.0)) * ranks.shape[1]))
