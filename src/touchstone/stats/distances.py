"""How far apart answers are: labels, numbers or sets."""

from collections.abc import Callable, Iterator, Sequence, Set
from math import isfinite
from typing import Literal, get_args

import numpy as np

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.base.ragged import Floats, Ragged
from touchstone.stats.checks import check_choice

DistanceName = Literal["nominal", "ordinal", "interval", "jaccard", "dice", "masi"]

ROWS, PRODUCT_ROWS = 16, 512
"""Rows of a distance matrix made at a time: beside 4,000 columns, temporaries of 512 kB that stay in the cache.

Matrix products are made for more rows at once: many small ones would wait for each other's threads.
"""


def distance_rows(answers: Sequence[object], distance: DistanceName) -> Iterator[Floats]:
    """Give the distances of *answers*, which are distinct, to all of them: some rows at a time, in order.

    >>> np.vstack(list(distance_rows(["C", "E", "N"], "nominal"))).tolist()
    [[0.0, 1.0, 1.0], [1.0, 0.0, 1.0], [1.0, 1.0, 0.0]]
    """
    check_choice("distance", distance, get_args(DistanceName))
    if distance == "nominal":
        return _nominal_rows(len(answers))
    return _set_rows(answers, distance)


def moments(answers: Sequence[object]) -> tuple[Floats, Floats]:
    """Return a vector (1, x, x²) for each number x, and the form F: (a - b)² = vector a @ F @ vector b.

    The numbers are shifted and scaled first, which changes no ratio of distances.

    >>> points, form = moments([1, 3, 5])
    >>> (points @ form @ points.T).tolist()
    [[0.0, 1.0, 4.0], [1.0, 0.0, 1.0], [4.0, 1.0, 0.0]]
    """
    values = numbers(answers, "the interval distance needs finite numbers as answers")
    values -= np.median(values)
    values /= max(np.abs(values).max(), np.finfo(np.float64).tiny)
    return np.stack([np.ones_like(values), values, values**2], axis=1), np.array([[0, 0, 1], [0, -2, 0], [1, 0, 0.0]])


def ordinal_distances(counts: Floats) -> Floats:
    """Return the distances of ordered answers, (Σ_{g=c}^k n_g - (n_c + n_k) / 2)², for the *counts* n in their order.

    Two answers are as far apart as there are answers between them (Krippendorff 2019, section 12.3.3).

    >>> ordinal_distances(np.array([2.0, 4.0, 2.0])).tolist()
    [[0.0, 9.0, 36.0], [9.0, 0.0, 9.0], [36.0, 9.0, 0.0]]
    """
    middles = np.cumsum(counts, axis=-1) - counts / 2
    return np.asarray((middles[..., :, None] - middles[..., None, :]) ** 2)


def numbers(answers: Sequence[object], hint: str) -> Floats:
    """Return answers as numbers; refuse any other, with a *hint*."""
    for answer in answers:
        if not (isinstance(answer, int | float | np.integer | np.floating) and isfinite(answer)):
            raise TouchstoneError("not a number", value=str(answer), code=Code.BAD_CELL, hint=hint)
    return np.array([float(answer) for answer in answers])  # type: ignore[arg-type]


def is_missing(answer: object) -> bool:
    """Return whether *answer* stands for no answer: None, or a float that is not a number.

    >>> is_missing(None), is_missing(float("nan")), is_missing(""), is_missing(0)
    (True, True, False, False)
    """
    return answer is None or (isinstance(answer, float | np.floating) and bool(np.isnan(answer)))


def _nominal_rows(n: int) -> Iterator[Floats]:
    for at in range(0, n, ROWS):
        yield 1 - np.eye(min(ROWS, n - at), n, at)


def _set_rows(answers: Sequence[object], name: DistanceName) -> Iterator[Floats]:
    members = _membership(answers, name)
    sizes = members.sum(axis=1).astype(np.float64)
    for at in range(0, len(sizes), ROWS):
        if at % PRODUCT_ROWS == 0:
            products = members[at : at + PRODUCT_ROWS] @ members.T
        shared = products[at % PRODUCT_ROWS :][:ROWS].astype(np.float64)
        block = 1 - _SIMILARITY[name](shared, sizes[at : at + ROWS, None], sizes)
        np.fill_diagonal(block[:, at:], 0.0)  # nowhere else are two distinct sets equal
        yield block


def _membership(answers: Sequence[object], name: str) -> "np.ndarray[tuple[int, int], np.dtype[np.float32]]":
    """Return which element belongs to which set; single precision counts exactly up to 2 to the 24th."""
    numbers: dict[object, int] = {}
    sets = [_set(answer, name) for answer in answers]
    rows = Ragged.of([[numbers.setdefault(x, len(numbers)) for x in elements] for elements in sets], np.int64)
    members = np.zeros((len(answers), len(numbers)), np.float32)
    members[rows.row, rows.values] = 1
    return members


def _set(answer: object, name: str) -> Set[object]:
    if isinstance(answer, Set):
        return answer
    hint = f"the distance {name} needs sets as answers"
    raise TouchstoneError("not a set", value=str(answer), code=Code.BAD_CELL, hint=hint)


def _jaccard(shared: Floats, a: Floats, b: Floats) -> Floats:
    # Two empty sets are the only ones without a union; they are equal, which is settled elsewhere.
    return np.asarray(shared / np.maximum(a + b - shared, 1))


def _dice(shared: Floats, a: Floats, b: Floats) -> Floats:
    return np.asarray(2 * shared / np.maximum(a + b, 1))


def _masi(shared: Floats, a: Floats, b: Floats) -> Floats:
    contained = shared == np.minimum(a, b)
    return np.asarray(_jaccard(shared, a, b) * np.where(contained, 2 / 3, 1 / 3))


_SIMILARITY: dict[str, Callable[[Floats, Floats, Floats], Floats]] = {
    "jaccard": _jaccard,
    "dice": _dice,
    "masi": _masi,
}
"""The similarity of two unequal sets, from the number of shared elements and the two sizes.

The distances are 1 - J (Jaccard), 1 - 2|a∩b| / (|a| + |b|) (Dice) and 1 - J M (MASI), with J = |a∩b| / |a∪b|; M is 1
for equal sets, 2/3 where one contains the other, 1/3 where they overlap, 0 where they do not (Passonneau 2006).
"""
