"""Tests of two systems on the same items: whether their difference could be chance.

The records of system A and system B stand row by row for the same items; a test needs nothing else.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.special import bdtr

from touchstone.core.errors import TouchstoneError
from touchstone.core.ragged import Floats, Ints
from touchstone.stats.bootstrap import (
    BLOCK,
    ROWS,
    Interval,
    affordable_draws,
    generator,
    percentile,
    resampled_sums,
)
from touchstone.stats.records import Fold, cluster_records, folded

ROUNDING = 1e-9
"""Differences closer than this share of the values are equal: sums of a million numbers are exact to about 1e-13."""


@dataclass(frozen=True)
class Test:
    """The difference A - B, and the chance p of one at least as large (either way) if the systems were equal.

    *draws* is the number of assignments or resamples made, which may be fewer than asked for where there are very
    many items; *exact* says that these were all there are.
    """

    difference: float
    p: float
    draws: int
    exact: bool
    method: str
    __test__: ClassVar[bool] = False  # not a test for pytest, wherever it is imported


def permutation_test(
    a: Floats, b: Floats, fold: Fold, *, draws: int = 10_000, seed: int = 0, clusters: Ints | None = None
) -> Test:
    """Test by swapping the two systems' records of an item (or of a whole cluster) at random.

    p = (1 + #{abs(d*) ≥ abs(d)}) / (1 + draws) (Noreen 1989, approximate randomisation). Where no more than *draws*
    assignments exist, all are made and p is the share that is as large. Items on which the systems have equal
    records are not swapped, since that changes nothing. Assignments without a value are left out.

    >>> from touchstone.stats import mean, mean_records
    >>> right, wrong = mean_records(np.ones(5)), mean_records(np.zeros(5))
    >>> permutation_test(right, wrong, mean)
    Test(difference=1.0, p=0.0625, draws=32, exact=True, method='permutation')
    """
    return permutation_tests([a, b], [(0, 1)], fold, draws=draws, seed=seed, clusters=clusters)[0]


def permutation_tests(
    systems: Sequence[Floats],
    pairs: Sequence[tuple[int, int]],
    fold: Fold,
    *,
    draws: int = 10_000,
    seed: int = 0,
    clusters: Ints | None = None,
) -> list[Test]:
    """Return the `permutation_test` of each of the *pairs* of *systems*, which are given by their places.

    All pairs share one set of random swaps: what a swap moves from A to B is linear in the records, so it is found
    for each system once, however many pairs there are.

    >>> from touchstone.stats import mean, mean_records
    >>> scores = [mean_records(np.full(5, value)) for value in (1.0, 0.5, 0.0)]
    >>> [test.difference for test in permutation_tests(scores, [(0, 1), (0, 2)], mean)]
    [0.5, 1.0]
    """
    units = _units(systems, clusters)
    wide = max(1, units[0].shape[1])
    sums: Floats | None = None
    tests = []
    for a, b in pairs:
        swappable = np.flatnonzero((units[a] != units[b]).any(axis=1))
        totals = units[a].sum(axis=0), units[b].sum(axis=0)
        exact = 2 ** min(len(swappable), 62) <= draws
        if exact:
            moved = _moved((units[a] - units[b])[swappable], _all_flips(len(swappable)), 2 ** len(swappable))
        else:
            if sums is None:
                made = affordable_draws(len(units[0]), draws)
                sums = _moved(np.hstack(units), _random_flips(len(units[0]), made, seed), made)
            moved = sums[:, a * wide : (a + 1) * wide] - sums[:, b * wide : (b + 1) * wide]
        differences = folded(fold, totals[0] - moved) - folded(fold, totals[1] + moved)
        tests.append(_test(*totals, fold, differences, exact, "permutation"))
    return tests


def paired_bootstrap(
    a: Floats, b: Floats, fold: Fold, *, draws: int = 10_000, seed: int = 0, clusters: Ints | None = None
) -> Test:
    """Test by drawing items with replacement, the same ones for both systems.

    The resampled differences d* scatter around the observed d; shifted to 0 they show what equal systems would give
    (Efron & Tibshirani 1993, 16.4; Berg-Kirkpatrick et al. 2012): p = (1 + #{abs(d* - d) ≥ abs(d)}) / (1 + draws).

    >>> from touchstone.stats import mean, mean_records
    >>> same = mean_records(np.array([0.2, 0.4, 0.9]))
    >>> paired_bootstrap(same, same, mean, draws=99)
    Test(difference=0.0, p=1.0, draws=99, exact=False, method='paired bootstrap')
    """
    return paired_bootstraps([a, b], [(0, 1)], fold, draws=draws, seed=seed, clusters=clusters)[0]


def paired_bootstraps(
    systems: Sequence[Floats],
    pairs: Sequence[tuple[int, int]],
    fold: Fold,
    *,
    draws: int = 10_000,
    seed: int = 0,
    clusters: Ints | None = None,
) -> list[Test]:
    """Return the `paired_bootstrap` of each of the *pairs* of *systems*, all drawn once on the same items."""
    units = _units(systems, clusters)
    made = affordable_draws(len(units[0]), draws)
    drawn = [folded(fold, resampled_sums(records, draws=made, seed=seed)) for records in units]
    totals = [records.sum(axis=0) for records in units]
    tests = []
    for a, b in pairs:
        observed = float(folded(fold, totals[a]) - folded(fold, totals[b]))
        # One unit, drawn again, is always itself: that says nothing of others.
        moved = drawn[a] - drawn[b] - observed if len(units[0]) > 1 else np.full(made, np.nan)
        tests.append(_test(totals[a], totals[b], fold, moved, False, "paired bootstrap"))
    return tests


def mcnemar(only_a: int, only_b: int) -> float:
    """Return the exact two-sided p of McNemar's test: of the items that one system alone gets right, A has *only_a*.

    Twice the smaller binomial tail with chance 1/2, at most 1 (McNemar 1947). Items are taken as independent.

    >>> round(mcnemar(1, 5), 5), mcnemar(0, 0)
    (0.21875, 1.0)
    """
    if min(only_a, only_b) < 0:
        raise TouchstoneError(f"{min(only_a, only_b)} items counted", hint="give counts of items, 0 or more")
    return float(min(1.0, 2 * bdtr(min(only_a, only_b), only_a + only_b, 0.5)))


def difference_interval(
    a: Floats,
    b: Floats,
    fold: Fold,
    *,
    draws: int = 1000,
    seed: int = 0,
    clusters: Ints | None = None,
    level: float = 0.95,
) -> Interval:
    """Return the percentile interval of the difference A - B, both systems resampled on the same items.

    >>> from touchstone.stats import mean, mean_records
    >>> found = difference_interval(mean_records(np.full(9, 0.75)), mean_records(np.full(9, 0.5)), mean)
    >>> found.low, found.high
    (0.25, 0.25)
    """
    units = _units([a, b], clusters)
    made = affordable_draws(len(units[0]), draws)
    drawn = [folded(fold, resampled_sums(records, draws=made, seed=seed)) for records in units]
    return percentile(drawn[0] - drawn[1], level)


def _units(systems: Sequence[Floats], clusters: Ints | None) -> list[Floats]:
    """Return the systems' records by unit, after a look that they stand side by side."""
    for records in systems[1:]:
        if np.shape(records) != np.shape(systems[0]):
            raise TouchstoneError(
                f"records of two systems differ in shape: {np.shape(systems[0])} and {np.shape(records)}",
                hint="compare systems on the same items with the same measure",
            )
    return [cluster_records(records, clusters) for records in systems]


def _moved(records: Floats, flips: Iterable[tuple[slice, slice, Floats]], draws: int) -> Floats:
    """Return, for each draw, the sum of the records that it swaps."""
    moved = np.zeros((draws, records.shape[1]))
    for rows, block, swaps in flips:
        moved[rows] += swaps @ records[block]
    return moved


def _all_flips(n: int) -> Iterator[tuple[slice, slice, Floats]]:
    """Yield every assignment of *n* swaps, one to a row."""
    for first in range(0, 2**n, ROWS):
        numbers = np.arange(first, min(first + ROWS, 2**n))
        yield slice(first, first + len(numbers)), slice(0, n), (numbers[:, None] >> np.arange(n) & 1).astype(float)


def _random_flips(n: int, draws: int, seed: int) -> Iterator[tuple[slice, slice, Floats]]:
    """Yield random swaps of *n* units: some draws, some units, and 1 where the unit is swapped."""
    random = generator(seed)
    for start in range(0, n, BLOCK):
        size = min(BLOCK, n - start)
        for first in range(0, draws, ROWS):
            rows = min(ROWS, draws - first)
            bytes_ = random.integers(0, 256, (rows, -(-size // 8)), np.uint8)
            swaps = np.unpackbits(bytes_, axis=1, count=size).astype(np.float64)
            yield slice(first, first + rows), slice(start, start + size), swaps


def _test(a: Floats, b: Floats, fold: Fold, differences: Floats, exact: bool, method: str) -> Test:
    """Return the test of the totals *a* and *b* against *differences* that equal systems would give."""
    values = folded(fold, a), folded(fold, b)
    observed = float(values[0] - values[1])
    least = abs(observed) - ROUNDING * float(np.max(np.abs(values)))
    finite = differences[np.isfinite(differences)]
    larger = int(np.count_nonzero(np.abs(finite) >= least))
    own = 0 if exact else 1  # the observed assignment itself, which random draws need not contain
    p = (own + larger) / (own + len(finite)) if np.isfinite(observed) and len(finite) else np.nan
    return Test(observed, p, len(differences), exact, method)
