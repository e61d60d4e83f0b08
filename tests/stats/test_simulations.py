"""Coverage of the default intervals and rejections of the default test, on simulated data in the shape of each task.

`make soak` makes 5,000 simulations of every shape with 20, 40 and 200 clusters and prints the table that
``docs/statistics.md`` shows; `make test` makes a few hundred with 20.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from zlib import crc32

import numpy as np
import pytest

from touchstone.base.ragged import Floats, Ints
from touchstone.core.measures import Measure, harmonic_mean
from touchstone.core.resampling import Resampling, difference_intervals, intervals
from touchstone.stats import Fold, cluster_records, mean, mean_records, permutation_tests
from touchstone.tasks.nli.measures import macro_f1

LONG, SHORT = 5000, 400
TRUTH = 100_000
"""Clusters from which the true value is computed: 500 times as many as the most in a simulation."""


@dataclass(frozen=True)
class Shape:
    """How the items of a task vary: clusters of *sizes*, and records made from what makes an item easy for a system.

    *spreads* are the standard deviations of an item's easiness: of its cluster for all systems, of the cluster for
    each system, of the item for all systems, and of the item for each system. From *fewest* clusters on, values
    differ enough for coverage and rejections to come near their levels.
    """

    sizes: tuple[int, int]
    spreads: tuple[float, float, float, float]
    gain: float
    records: Callable[[np.random.Generator, Floats], Floats]
    fold: Fold
    fewest: int = 20

    def draw(self, random: np.random.Generator, n: int, gain: float) -> tuple[list[Floats], Ints]:
        """Return the records of two systems, the first better by *gain*, and the cluster of each item."""
        low, high = self.sizes
        clusters = np.repeat(np.arange(n), random.integers(low, high + 1, n))
        shared, own, item, alone = self.spreads
        easiness = random.normal(0, shared, n)[clusters] + random.normal(0, item, len(clusters))
        of_system = random.normal(0, own, (2, n))[:, clusters] + random.normal(0, alone, (2, len(clusters)))
        both = easiness + of_system + np.array([[gain], [0.0]])
        return list(self.records(random, both)), clusters

    @cache  # noqa: B019 (shapes live as long as the module)
    def truth(self, clusters: int) -> Floats:
        """Return the values of the two systems over very many clusters."""
        random = np.random.default_rng(1)
        totals = [np.sum(self.draw(random, 5000, self.gain)[0], axis=1) for _ in range(clusters // 5000)]
        return np.array([float(self.fold(total)) for total in np.sum(totals, axis=0)])


def share(easiness: Floats) -> Floats:
    return 1 / (1 + np.exp(-easiness))


def means(values: Floats) -> Floats:
    return np.stack([mean_records(one) for one in values])


def credit(random: np.random.Generator, easiness: Floats) -> Floats:
    """Lexical substitution: credit between 0 and 1, two fifths of it 0."""
    return np.clip(0.1 + 0.3 * easiness, 0, 1)


def precision_and_recall(random: np.random.Generator, easiness: Floats) -> Floats:
    earned = credit(random, easiness)
    precision = np.clip(earned * random.uniform(0.7, 1.4, earned.shape), 0, 1)
    recall = earned * random.uniform(0.4, 0.8, earned.shape)
    return np.stack([precision, recall, np.ones(earned.shape)], axis=-1)


def right(random: np.random.Generator, easiness: Floats) -> Floats:
    return random.random(easiness.shape) < share(1.2 + easiness)


def labels(random: np.random.Generator, easiness: Floats) -> Floats:
    """Inference: three labels of which half, three and two tenths are gold; a wrong label is any other."""
    gold = np.broadcast_to(random.choice(3, easiness.shape[1], p=[0.5, 0.3, 0.2]), easiness.shape)
    wrong = (gold + random.integers(1, 3, easiness.shape)) % 3
    predicted = np.where(right(random, easiness), gold, wrong)
    is_gold, is_predicted = gold[..., None] == np.arange(3), predicted[..., None] == np.arange(3)
    counted = np.ones((*easiness.shape, 1))
    return np.concatenate([is_gold & is_predicted, is_gold, is_predicted, counted], axis=-1).astype(np.float64)


def matches(random: np.random.Generator, easiness: Floats) -> Floats:
    """Translation: n-grams matched and made for n from 1 to 4, the two lengths, counted."""
    reference = np.broadcast_to(random.integers(8, 45, easiness.shape[1]).astype(np.float64), easiness.shape)
    length = np.maximum(4, np.round(reference * random.normal(0.98, 0.1, easiness.shape)))
    made = np.stack([length - order for order in range(4)], axis=-1)
    matched = np.round(made * share(np.array([0.6, -0.4, -1.1, -1.7]) + easiness[..., None]))
    rest = np.stack([length, reference, np.ones(easiness.shape)], axis=-1)
    return np.concatenate([matched, made, rest], axis=-1)


def bleu(sums: Floats) -> Floats:
    """Fold the records of `matches` as BLEU does: 100 BP exp(mean log precision)."""
    precisions = np.log(sums[..., :4] / sums[..., 4:8]).mean(axis=-1)
    return np.asarray(100 * np.exp(precisions + np.minimum(0, 1 - sums[..., 9] / sums[..., 8])))


SHAPES = {
    "lexsub mean": Shape((7, 12), (0.5, 0.25, 0.6, 0.6), 0.2, lambda r, e: means(credit(r, e)), mean),
    "lexsub F": Shape((7, 12), (0.5, 0.25, 0.6, 0.6), 0.2, precision_and_recall, harmonic_mean),
    "nli accuracy": Shape((1, 8), (0.8, 0.4, 0.6, 0.3), 0.3, lambda r, e: means(right(r, e)), mean),
    "nli macro-F1": Shape((1, 8), (0.8, 0.4, 0.6, 0.3), 0.3, labels, macro_f1),
    "mt mean": Shape((5, 40), (0.4, 0.2, 0.4, 0.4), 0.1, lambda r, e: means(share(e - 0.5)), mean),
    "mt BLEU": Shape((5, 40), (0.4, 0.2, 0.4, 0.4), 0.1, matches, bleu),
    "pyramid": Shape((1, 1), (0.08, 0, 0, 0.1), 0.05, lambda r, e: means(0.3 + e), mean),
    "items, normal": Shape((1, 1), (5, 0, 0, 8), 2, lambda r, e: means(50 + e), mean),
    "items, exponential": Shape((1, 1), (0, 0, 0, 0), 0.2, lambda r, e: means(e + r.exponential(1, e.shape)), mean),
    "items, 0 or 1": Shape((1, 1), (0.8, 0, 0, 0.5), 0.3, lambda r, e: means(right(r, e)), mean, fewest=40),
}


def coverage(name: str, n: int, simulations: int, truth: Floats) -> tuple[float, float]:
    """Return how often the default intervals hold the true value, and the true difference."""
    shape, random = SHAPES[name], np.random.default_rng([crc32(name.encode()), n])  # no two shapes share their draws
    measure = Measure("simulated", lambda records: records, shape.fold)
    held = np.zeros(2)
    for _ in range(simulations):
        systems, clusters = shape.draw(random, n, shape.gain)
        (value,) = intervals([(measure, systems[0], None)], Resampling(), clusters)
        (difference,) = difference_intervals(systems, [(0, 1)], measure, Resampling(), clusters)
        held += value.low <= truth[0] <= value.high, difference.low <= truth[0] - truth[1] <= difference.high
    return held[0] / simulations, held[1] / simulations


def rejection(name: str, n: int, simulations: int, draws: int = 10_000) -> float:
    """Return how often the default test parts two systems that are equal; a hundred pairs share the same swaps."""
    shape, random = SHAPES[name], np.random.default_rng([crc32(name.encode()), n])  # no two shapes share their draws
    p: list[float] = []
    for _ in range(simulations // 100):
        systems = []
        for _ in range(100):
            both, clusters = shape.draw(random, n, gain=0.0)
            systems += [cluster_records(records, clusters) for records in both]
        pairs = [(place, place + 1) for place in range(0, 200, 2)]
        p += [test.p for test in permutation_tests(systems, pairs, shape.fold, draws=draws)]
    return float(np.mean(np.array(p) <= 0.05))


@pytest.mark.soak
@pytest.mark.parametrize("n", [20, 40, 200])
@pytest.mark.parametrize("name", SHAPES)
def test_intervals_hold_the_truth_in_93_to_97_of_100_simulations(name, n):
    """The exception is a share of 20 single items: its 21 possible values make coverage jump with the true share.

    Computed from the binomial distribution it is between 0.956 and 0.984 for shares from 0.5 to 0.95. None of the
    other methods stays between 0.93 and 0.97 at all of these either, and most fall below 0.93 at some.
    """
    shape = SHAPES[name]
    value, difference = coverage(name, n, LONG, shape.truth(TRUTH))
    print(f"\n{name}, {n} clusters: value {value:.3f}, difference {difference:.3f}")  # noqa: T201
    assert 0.93 <= value <= (0.97 if n >= shape.fewest else 0.98)
    assert 0.93 <= difference <= 0.97


@pytest.mark.soak
@pytest.mark.parametrize("n", [20, 40, 200])
@pytest.mark.parametrize("name", SHAPES)
def test_equal_systems_are_told_apart_in_4_to_6_of_100_simulations(name, n):
    """Values of 0 or 1 in 20 items leave too few assignments to come near 0.05: there the test rejects less."""
    rejected = rejection(name, n, LONG)
    print(f"\n{name}, {n} clusters: rejected {rejected:.3f}")  # noqa: T201
    assert (0.04 if n >= SHAPES[name].fewest else 0.02) <= rejected <= 0.06


@pytest.mark.parametrize("name", SHAPES)
def test_intervals_of_20_clusters_hold_the_truth(name):
    """Of 400 simulations 95 % are 380, with a standard deviation of 4.4."""
    shape = SHAPES[name]
    value, difference = coverage(name, 20, SHORT, shape.truth(20_000))
    assert 0.91 <= value <= 0.985
    assert 0.91 <= difference <= 0.985


@pytest.mark.parametrize("name", SHAPES)
def test_equal_systems_are_told_apart_as_often_as_the_level_says(name):
    """Of 400 simulations 5 % are 20, with a standard deviation of 4.4."""
    assert 0.01 <= rejection(name, 20, SHORT, draws=2000) <= 0.09
