"""The two steps of matching without numba: what `kernel` compiles, with a dictionary and SciPy's assignment.

Both modules have the same functions with the same results; a pair of lists at a time, these are fast enough.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from touchstone.base.ragged import Bools, Ints

Numbers = npt.NDArray[np.integer[Any]]
NONE = -1


def link_equal(
    left_ends: Ints, left_keys: Numbers, right_ends: Ints, right_keys: Numbers, partners: Ints, taken: Bools
) -> None:
    """Give each free left item, in order, the first free right item with an equal key; see `kernel.link_equal`."""
    for pair in range(len(left_ends) - 1):
        start, end = int(right_ends[pair]), int(right_ends[pair + 1])
        waiting: dict[tuple[int, ...], list[int]] = {}
        for j in range(end - 1, start - 1, -1):
            if not taken[j]:
                waiting.setdefault(tuple(right_keys[j].tolist()), []).append(j)
        for i in range(left_ends[pair], left_ends[pair + 1]):
            same = waiting.get(tuple(left_keys[i].tolist())) if partners[i] == NONE else None
            if same:
                j = same.pop()
                partners[i], taken[j] = j - start, True


def assign(left_ends: Ints, right_ends: Ints, cells: npt.NDArray[Any]) -> Ints:
    """Return the right item of each left item for the greatest total weight of each pair; see `kernel.assign`."""
    from scipy.optimize import linear_sum_assignment

    partners = np.full(left_ends[-1] - left_ends[0], NONE, np.int64)
    done = 0
    for first, rows, columns in zip(left_ends - left_ends[0], np.diff(left_ends), np.diff(right_ends), strict=False):
        weights = cells[done : done + rows * columns].reshape(rows, columns)
        done += rows * columns
        if weights.any():
            i, j = linear_sum_assignment(weights, maximize=True)
            partners[first + i] = np.where(weights[i, j] > 0, j, NONE)
    return partners
