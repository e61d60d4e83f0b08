"""Tests of two systems on the same items: whether their difference could be chance.

The records of system A and system B stand row by row for the same items; a test needs nothing else. With many
comparisons p-values are adjusted, so that chance does not pick the winners; a p-value that is nan (nothing to
compare) stays nan and does not count as a comparison.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.special import bdtr

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.base.ragged import Floats, Ints
from touchstone.stats.bootstrap import BLOCK, ROWS, affordable_draws, check_draws, generator, resampled_batches
from touchstone.stats.records import Fold, folded, paired_cluster_records

ROUNDING = 1e-9
"""Differences closer than this share of the values are equal: sums of a million numbers are exact to about 1e-13."""

DRAWS, DRAWS_PER_PAIR = 10_000, 50
"""Draws of a test, and at least so many for each pair that is tested: the smallest p, times the pairs, is 0.02."""

BATCH = 8 * ROWS
"""Draws whose sums are held at a time, for all systems."""


def draws_for(pairs: int) -> int:
    """Return how many draws the tests of this number of *pairs* need, so that p times the pairs can be well below 0.05.

    >>> draws_for(3), draws_for(780)
    (10000, 39000)
    """
    return max(DRAWS, DRAWS_PER_PAIR * pairs)


@dataclass(frozen=True)
class Test:
    """The difference A - B, and the chance p of one at least as large (in either direction) if the systems were equal.

    *draws* is the number of assignments or resamples made, which may be fewer than requested if there are very
    many items, and 0 where p is computed without any; *exact* says that these were all there are, or that none is
    needed. *smallest_p* is the smallest p that these items can give.
    """

    difference: float
    p: float
    draws: int
    exact: bool
    method: str
    smallest_p: float
    __test__: ClassVar[bool] = False  # not a test for pytest, wherever it is imported


def permutation_test(
    a: Floats, b: Floats, fold: Fold, *, draws: int = DRAWS, seed: int = 0, clusters: Ints | None = None
) -> Test:
    """Test by swapping the two systems' records of an item (or of a whole cluster) at random.

    p = (1 + #{abs(d*) > abs(d)} + #{abs(d*) = abs(d)} / 2) / (1 + draws) (Noreen 1989, approximate randomisation).
    Ties count half: with whole, a test of values that are 0 or 1 would reject equal systems in two to three of 100
    cases at the level 0.05 (compare the mid-p test of McNemar; Fagerland, Lydersen & Laake 2013). Where no more than
    *draws* assignments exist, all are made, and the observed one and its mirror image count whole. A difference of 0
    has p = 1: no assignment has a smaller one. Items on which the systems have equal records are not swapped, since
    that changes nothing. Assignments without a value are left out.

    Parameters
    ----------
    a, b
        The records of the two systems, row by row for the same items.
    fold
        The function of the sum of records that is the value of a system.
    draws, seed
        How many assignments to draw, and the seed of the draws.
    clusters
        The cluster of each item, whose items are swapped together.

    Examples
    --------
    >>> from touchstone.stats import mean, mean_records
    >>> right, wrong = mean_records(np.ones(5)), mean_records(np.zeros(5))
    >>> permutation_test(right, wrong, mean)
    Test(difference=1.0, p=0.0625, draws=32, exact=True, method='permutation', smallest_p=0.0625)
    """
    return permutation_tests([a, b], [(0, 1)], fold, draws=draws, seed=seed, clusters=clusters)[0]


def permutation_tests(
    systems: Sequence[Floats],
    pairs: Sequence[tuple[int, int]],
    fold: Fold,
    *,
    draws: int = DRAWS,
    seed: int = 0,
    clusters: Ints | None = None,
) -> list[Test]:
    """Return the `permutation_test` of each of the *pairs* of *systems*, which are given by their positions.

    All pairs share one set of random swaps: what a swap moves from A to B is linear in the records, so it is computed
    for each system once, however many pairs there are. The draws come in batches, so that memory does not grow with
    them.

    >>> from touchstone.stats import mean, mean_records
    >>> scores = [mean_records(np.full(5, value)) for value in (1.0, 0.5, 0.0)]
    >>> [test.difference for test in permutation_tests(scores, [(0, 1), (0, 2)], mean)]
    [0.5, 1.0]
    """
    check_draws(draws)
    units = paired_cluster_records(systems, clusters)
    made = affordable_draws(len(units[0]), draws)
    tallies, drawn = [], []
    for a, b in pairs:
        tally = _Tally(units[a].sum(axis=0), units[b].sum(axis=0), fold)
        swappable = np.flatnonzero((units[a] != units[b]).any(axis=1))
        tallies.append(tally)
        # 62: the number of assignments of a large set would have thousands of digits.
        if 2 ** min(len(swappable), 62) > draws:
            drawn.append((tally, a, b))
            continue
        differences = (units[a] - units[b])[swappable]
        for swaps in _all_swaps(len(swappable)):
            tally.count(swaps @ differences)
        tally.exact = True
    if drawn:
        # Columns that several systems share, such as the number of items, are summed once.
        columns: dict[bytes, int] = {}
        places = [[columns.setdefault(column.tobytes(), len(columns)) for column in records.T] for records in units]
        distinct = np.stack([np.frombuffer(column) for column in columns], axis=1)
        for sums in _swapped_sums(distinct, made, seed):
            by_system = [sums[:, columns_of] for columns_of in places]
            for tally, a, b in drawn:
                tally.count(by_system[a] - by_system[b])
    return [tally.test() for tally in tallies]


class _Tally:
    """How many swaps give a difference larger than the observed one, or equal to it."""

    def __init__(self, a: Floats, b: Floats, fold: Fold) -> None:
        self.a, self.b, self.fold = a, b, fold
        values = folded(fold, a), folded(fold, b)
        self.observed = float(values[0] - values[1])
        self.tolerance = ROUNDING * float(np.max(np.abs(values)))
        self.draws = self.finite = self.larger = self.equal = 0
        self.exact = False

    def count(self, moved: Floats) -> None:
        """Count swaps, each given by the sum of what it moves from A to B."""
        sizes = np.abs(folded(self.fold, self.a - moved) - folded(self.fold, self.b + moved)) - abs(self.observed)
        self.draws += len(sizes)
        self.finite += int(np.count_nonzero(np.isfinite(sizes)))
        # What differs by rounding alone is a tie, which counts half in the end.
        larger = int(np.count_nonzero(sizes > self.tolerance))
        self.equal += int(np.count_nonzero(sizes >= -self.tolerance)) - larger
        self.larger += larger

    def test(self) -> Test:
        """Return the test. The observed assignment and, where all were made, its mirror image count whole."""
        observed_count = min(2, self.finite) if self.exact else 1
        equal, finite = (self.equal - observed_count, self.finite) if self.exact else (self.equal, 1 + self.finite)
        defined = np.isfinite(self.observed) and self.finite > 0
        share = 1.0 if abs(self.observed) <= self.tolerance else 0.5  # all are at least as large as nothing
        p = (observed_count + self.larger + share * equal) / finite if defined else np.nan
        return Test(
            self.observed, p, self.draws, self.exact, "permutation", observed_count / finite if defined else np.nan
        )


def paired_bootstraps(
    systems: Sequence[Floats],
    pairs: Sequence[tuple[int, int]],
    fold: Fold,
    *,
    draws: int = DRAWS,
    seed: int = 0,
    clusters: Ints | None = None,
) -> list[Test]:
    """Test each of the *pairs* of *systems* by drawing items with replacement, the same ones for all systems.

    The resampled differences d* scatter around the observed d; shifted to 0 they show what equal systems would give
    (Efron & Tibshirani 1993, 16.4; Berg-Kirkpatrick et al. 2012): p = (1 + #{abs(d* - d) ≥ abs(d)}) / (1 + draws).
    Parameters are those of `permutation_tests`.

    >>> from touchstone.stats import mean, mean_records
    >>> same = mean_records(np.array([0.2, 0.4, 0.9]))
    >>> paired_bootstraps([same, same], [(0, 1)], mean, draws=99)[0].p
    1.0
    """
    units = paired_cluster_records(systems, clusters)
    made = affordable_draws(len(units[0]), draws)
    drawn = np.full((len(units), made), np.nan)
    if len(units[0]) > 1:  # one cluster, drawn again, is always itself: that says nothing of others
        at = 0
        for sums in resampled_batches(np.hstack(units), made, seed):
            for values, part in zip(drawn, np.split(sums, len(units), axis=1), strict=True):
                values[at : at + len(sums)] = folded(fold, part)
            at += len(sums)
    observed = np.array([float(folded(fold, records.sum(axis=0))) for records in units])
    tests = []
    for a, b in pairs:
        difference = float(observed[a] - observed[b])
        least = abs(difference) - ROUNDING * float(np.max(np.abs(observed[[a, b]])))
        deviations = np.abs(drawn[a] - drawn[b] - difference)
        finite = int(np.count_nonzero(np.isfinite(deviations)))
        larger = int(np.count_nonzero(deviations >= least))
        p = (1 + larger) / (1 + finite) if np.isfinite(difference) and finite else np.nan
        tests.append(Test(difference, p, made, False, "paired bootstrap", 1 / (1 + finite)))
    return tests


@dataclass(frozen=True)
class PairedTest:
    """A test of pairs of systems: a function of the form of `permutation_tests`, and the key of its source."""

    run: Callable[..., list[Test]]
    source: str


PAIRED_TESTS = {
    "permutation": PairedTest(permutation_tests, "noreen-1989"),
    "bootstrap": PairedTest(paired_bootstraps, "efron-tibshirani-1993"),
}
"""The tests that comparisons choose from, by the name that `Test.method` ends with."""


def mcnemar(only_a: int, only_b: int) -> float:
    """Return the exact two-sided p of McNemar's test: of the items that one system alone gets right, A has *only_a*.

    Twice the smaller binomial tail with chance 1/2, at most 1 (McNemar 1947). Items are taken as independent.

    >>> round(mcnemar(1, 5), 5), mcnemar(0, 0)
    (0.21875, 1.0)
    """
    if min(only_a, only_b) < 0:
        hint = "give counts of items, 0 or more"
        raise TouchstoneError(f"{min(only_a, only_b)} items counted", code=Code.OUT_OF_RANGE, hint=hint)
    return float(min(1.0, 2 * bdtr(min(only_a, only_b), only_a + only_b, 0.5)))


def holm(p: Sequence[float] | Floats) -> Floats:
    """Return p-values adjusted for the chance of even one false difference (Holm 1979), in the order given.

    The i-th smallest of m becomes max over j ≤ i of (m - j + 1) p_j, at most 1.

    >>> holm([0.01, 0.04, 0.03]).tolist()
    [0.03, 0.06, 0.06]
    """
    return _adjusted(p, lambda ranked, rank: np.maximum.accumulate((len(ranked) - rank + 1) * ranked))


def benjamini_hochberg(p: Sequence[float] | Floats) -> Floats:
    """Return p-values adjusted for the share of false differences (Benjamini & Hochberg 1995), in the order given.

    The i-th smallest of m becomes min over j ≥ i of m p_j / j, at most 1.

    >>> benjamini_hochberg([0.01, 0.04, 0.02]).tolist()
    [0.03, 0.04, 0.03]
    """
    return _adjusted(p, lambda ranked, rank: np.minimum.accumulate((len(ranked) * ranked / rank)[::-1])[::-1])


def _all_swaps(n: int) -> Iterator[Floats]:
    """Yield every assignment of *n* swaps, some rows at a time: 1 where a cluster is swapped."""
    for first in range(0, 2**n, BATCH):
        numbers = np.arange(first, min(first + BATCH, 2**n))
        yield (numbers[:, None] >> np.arange(n) & 1).astype(np.float64)


def _swapped_sums(records: Floats, draws: int, seed: int) -> Iterator[Floats]:
    """Yield, for some random draws at a time, the sum of the records that each draw swaps."""
    random = generator(seed)
    n = len(records)
    for first in range(0, draws, BATCH):
        sums = np.zeros((min(BATCH, draws - first), records.shape[1]))
        for start in range(0, len(sums), ROWS):
            rows = sums[start : start + ROWS]
            for at in range(0, n, BLOCK):
                size = min(BLOCK, n - at)
                # A bit says whether a cluster is swapped, so a random byte serves eight clusters.
                bits = random.integers(0, 256, (len(rows), -(-size // 8)), np.uint8)
                rows += np.unpackbits(bits, axis=1, count=size).astype(np.float64) @ records[at : at + size]
        yield sums


def _adjusted(p: Sequence[float] | Floats, adjust: Callable[[Floats, Floats], Floats]) -> Floats:
    """Return *adjust* of the p-values that are numbers, smallest first with their ranks from 1, put back in order."""
    p_values = np.asarray(p, np.float64)
    wrong = p_values[(p_values < 0) | (p_values > 1)]
    if len(wrong):
        what = f"p-value {wrong[0]} is not between 0 and 1"
        raise TouchstoneError(what, code=Code.OUT_OF_RANGE, hint="give probabilities")
    order = np.argsort(p_values, kind="stable")[: np.count_nonzero(~np.isnan(p_values))]
    adjusted = np.full(len(p_values), np.nan)
    adjusted[order] = np.minimum(adjust(p_values[order], np.arange(1.0, len(order) + 1)), 1.0)
    return adjusted
