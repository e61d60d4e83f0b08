"""Drawing clusters with replacement: the sums of records that other items of the same kind might have given.

Efron & Tibshirani (1993), An Introduction to the Bootstrap. A cluster is one item, or items that belong together.
"""

from collections.abc import Iterator

import numpy as np

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.base.ragged import Floats, Ints
from touchstone.stats.records import cluster_records

BLOCK = 4096
"""Items counted at a time: the counts of one draw stay in the first cache (32 KiB)."""

ROWS = 256
"""Draws counted at a time: with `BLOCK`, four arrays of 8 MiB whatever the numbers of items and draws."""

CLUSTER_DRAWS = 2_000_000_000
"""Clusters times draws that are worth waiting for: 1,000 draws of a million take 8 s on one core (AMD EPYC)."""

FEWEST = 100
"""Draws that are made however many clusters there are: with fewer, a 95 % interval is little but its extremes."""


def resampled_sums(records: Floats, *, draws: int = 1000, seed: int = 0) -> Floats:
    """Return, for each draw, the sum of as many records as there are, drawn with replacement: (draws, k).

    The draws depend on the number of clusters, *draws* and *seed* alone: two systems resampled with the same three
    are drawn on the same items.

    Parameters
    ----------
    records
        A row of k numbers for each cluster: see `cluster_records`.
    draws, seed
        How often to draw, and the seed of the draws.

    Examples
    --------
    >>> resampled_sums(np.ones((5, 2)), draws=3).tolist()
    [[5.0, 5.0], [5.0, 5.0], [5.0, 5.0]]
    """
    check_draws(draws)
    units = cluster_records(records)
    nothing = np.zeros((0 if len(units) else draws, units.shape[1]))
    return np.concatenate([nothing, *resampled_batches(units, draws, seed)])


def resampled_batches(units: Floats, draws: int, seed: int) -> Iterator[Floats]:
    """Yield the sums of `resampled_sums`, some draws at a time, from the records of clusters."""
    sums = np.zeros((0, units.shape[1]))
    for _, block, counts in resampled_counts(len(units), draws, seed):
        drawn = counts @ units[block]
        sums = drawn if block.start == 0 else sums + drawn
        if block.stop == len(units):
            yield sums


def resampled_counts(n: int, draws: int, seed: int) -> Iterator[tuple[slice, slice, Floats]]:
    """Yield how often each of *n* clusters is drawn: some draws, some clusters, and their counts as a matrix.

    The draws of n clusters are split over blocks of clusters by one multinomial draw, then made within each block.
    That is the same distribution as n draws from all clusters, in memory that does not grow with n.
    """
    if not n:
        return
    random = generator(seed)
    starts = np.arange(0, n, BLOCK)
    sizes = np.minimum(BLOCK, n - starts)
    for first in range(0, draws, ROWS):
        rows = slice(first, min(first + ROWS, draws))
        split = random.multinomial(n, sizes / n, size=rows.stop - rows.start)
        for start, size, drawn in zip(starts.tolist(), sizes.tolist(), split.T, strict=True):
            yield rows, slice(start, start + size), _counts(random, size, drawn)


def affordable_draws(n_clusters: int, draws: int) -> int:
    """Return *draws*, or fewer where drawing *n_clusters* so often would take minutes.

    >>> affordable_draws(1_000_000, 1000), affordable_draws(10_000_000, 1000), affordable_draws(10**9, 1000)
    (1000, 200, 100)
    """
    check_draws(draws)
    return min(draws, max(FEWEST, CLUSTER_DRAWS // max(n_clusters, 1)))


def generator(seed: int) -> np.random.Generator:
    """Return the random generator of every draw."""
    if seed < 0:
        hint = "give 0 or a positive whole number"
        raise TouchstoneError(f"seed {seed} is below 0", code=Code.OUT_OF_RANGE, hint=hint)
    return np.random.default_rng(seed)


def check_draws(draws: int) -> None:
    """Refuse a number of *draws* below one."""
    if draws < 1:
        raise TouchstoneError(f"{draws} draws asked for", code=Code.OUT_OF_RANGE, hint="ask for at least one draw")


def _counts(random: np.random.Generator, size: int, drawn: Ints) -> Floats:
    """Return how often each of *size* clusters is drawn in each row, where row i draws ``drawn[i]`` times."""
    cells = np.repeat(np.arange(len(drawn)) * size, drawn)
    cells += random.integers(0, size, len(cells))
    counts = np.bincount(cells, minlength=len(drawn) * size)
    return counts.reshape(len(drawn), size).astype(np.float64)
