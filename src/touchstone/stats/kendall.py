"""Kendall's tau of weighted points, compiled."""

import numpy as np

from touchstone.base.compiling import compiled, compiled_part
from touchstone.base.ragged import Floats, Ints


@compiled
def concordances(times: Floats, x: Ints, y: Ints, values: int) -> Floats:
    """Return concordant less discordant pairs for each row of *times*, how often each point counts.

    Knight (1966), with a tree of sums in place of a sorted list: n log n steps for n points.

    Parameters
    ----------
    times
        A row for each draw, a column for each point.
    x, y
        The ranks of the points, from 0; the points are in the order of x.
    values
        The number of different ranks of y.
    """
    surplus = np.zeros(len(times))
    # Entry k of the tree (Fenwick 1994) is the sum over the last (k & -k) ranks up to k, which counts from 1.
    tree = np.zeros(values + 1)
    for draw in range(len(times)):
        tree[:] = 0
        added, first = 0.0, 0
        while first < len(x):
            # Points with equal x: compare each with those before, then add all.
            last = first
            while last < len(x) and x[last] == x[first]:
                if times[draw, last] > 0:
                    below, up_to = _sum(tree, y[last]), _sum(tree, y[last] + 1)
                    surplus[draw] += times[draw, last] * (below - (added - up_to))
                last += 1
            for point in range(first, last):
                if times[draw, point] > 0:
                    added += times[draw, point]
                    k = y[point] + 1
                    while k <= values:
                        tree[k] += times[draw, point]
                        k += k & -k
            first = last
    return surplus


@compiled_part
def _sum(tree: Floats, count: int) -> float:
    """Return the sum over the first *count* ranks."""
    total = 0.0
    while count > 0:
        total += tree[count]
        count -= count & -count
    return total
