"""Human scores drawn from strata: arithmetic, a slow version, and whether the variance is that of repeated draws."""

import numpy as np
import pytest
from scipy.special import stdtrit

from touchstone.stats import mean, mean_records
from touchstone.stats.prediction_powered import human_only, influences, joined, tuned_weight
from touchstone.stats.strata import stratified_influences

RANDOM = np.random.default_rng(11)
STRATA = np.repeat(np.arange(8), [6, 12] * 4)
PLACES = np.arange(72)  # strata are multiples of six items long
LEVEL = 3 * STRATA
HUMAN = LEVEL + RANDOM.gamma(2.0, size=72)
JUDGE = 0.5 * HUMAN - 2 * LEVEL + RANDOM.normal(0, 0.4, 72)
"""The judge is right about the items of a stratum, and wrong about strata."""


def drawn(seed, share=2):
    """Return whether each item is in a random sample of one of *share* items in each stratum."""
    order = np.lexsort((np.random.default_rng(seed).random(len(STRATA)), STRATA))  # strata one after another
    return np.isin(np.arange(len(STRATA)), order[PLACES % share == 0])


def both(scored, human=HUMAN, judge=JUDGE, strata=STRATA, **options):
    people = np.where(scored[:, None], mean_records(human), np.nan)
    return stratified_influences(people, mean_records(judge), strata, **options)


def test_human_scores_of_strata_in_numbers():
    # Strata of 6 and 4 items; people scored 3 and 2 of them: 1, 2, 6 (mean 3, variance 7) and 10, 14 (12, 8).
    human = np.array([1.0, 2, 6, 0, 0, 0, 10, 14, 0, 0])
    scored = np.array([1, 1, 1, 0, 0, 0, 1, 1, 0, 0], bool)
    found = human_only(both(scored, human, human, np.repeat([4, 9], [6, 4])), shape="difference")
    assert found.value == pytest.approx(0.6 * 3 + 0.4 * 12)
    assert np.isnan(found.low)
    assert found.note == "no interval: 5 items in 2 strata cannot show how values vary"
    # One more score in each, 3 and 12, leaves both means and makes the variances 14 / 3 and 4.
    human[[3, 8]], scored[[3, 8]] = (3, 12), True
    parts = np.array([0.36 * (1 - 4 / 6) * (14 / 3) / 4, 0.16 * (1 - 3 / 4) * 4 / 3])
    found = human_only(both(scored, human, human, np.repeat([4, 9], [6, 4])), shape="difference")
    assert found.error**2 == pytest.approx(parts.sum())
    assert found.df == 7 - 2
    assert found.high == pytest.approx(found.value + stdtrit(5, 0.975) * found.error)
    # Where the second stratum varies ten times as much, its two degrees of freedom are nearly all that count.
    human[6:], parts[1] = 10 * human[6:], 100 * parts[1]
    found = human_only(both(scored, human, human, np.repeat([4, 9], [6, 4])), shape="difference")
    assert found.df == pytest.approx(parts.sum() ** 2 / (parts[0] ** 2 / 5 + parts[1] ** 2 / 4) - 2)
    assert 2 < found.df < 2.5


@pytest.mark.parametrize("share", [2, 3])
def test_estimates_are_those_of_a_literal_version(share):
    scored = drawn(5, share)
    part = both(scored)
    rows, squares, products = [], 0.0, 0.0
    for own in np.unique(STRATA):
        items = np.flatnonzero(own == STRATA)
        seen = [item for item in items if scored[item]]
        size, left = len(items) / len(STRATA) / len(seen), np.sqrt(1 - len(seen) / len(items))
        for item in seen:
            y, x = HUMAN[item] - HUMAN[seen].mean(), JUDGE[item] - JUDGE[seen].mean()
            rows.append((own, len(seen), size * left * y, size * left * x))
            squares, products = squares + (size * left * x) ** 2, products + (size * left) ** 2 * x * y
    weight, shares = products / squares, np.bincount(STRATA) / len(STRATA)
    assert tuned_weight(part) == pytest.approx(weight)
    people, machine = (
        sum(share * side[scored & (own == STRATA)].mean() for own, share in enumerate(shares))
        for side in (HUMAN, JUDGE)
    )
    n, moved = len(rows), JUDGE.mean() - machine
    moves = [
        (own, (y - weight * x) * (1 + moved * x / squares) / (1 - 1 / n) / (1 - m / (m - 1) * x * x / squares))
        for own, m, y, x in rows
    ]
    variance = 0.0
    for own in np.unique(STRATA):
        mine = [move for stratum, move in moves if stratum == own]
        variance += (1 - 1 / n) * len(mine) * np.var(mine, ddof=1)
    found = joined(part, shape="difference")
    assert found.value == pytest.approx(people + weight * moved)
    assert found.error**2 == pytest.approx(variance)
    alone = human_only(part, shape="difference")
    assert alone.value == pytest.approx(people)
    assert alone.error**2 == pytest.approx(sum(m / (m - 1) * y**2 for _, m, y, _ in rows))
    assert found.high - found.low < alone.high - alone.low
    assert found.df <= n - 8 - 1


@pytest.mark.parametrize("shape", ["free", "difference"])
def test_one_stratum_gives_the_estimate_without_strata(shape):
    scored = drawn(2)
    people = np.where(scored[:, None], mean_records(HUMAN), np.nan)
    plain = influences(people, mean_records(JUDGE), mean, population="set")
    part = both(scored, strata=np.full(len(HUMAN), 7))
    for make in (human_only, joined):
        one, other = (make(side, shape=shape) for side in (part, plain))
        for name in ("value", "low", "high", "error", "df", "weight", "effective"):
            assert getattr(one, name) == pytest.approx(getattr(other, name), rel=1e-9), name


def test_clusters_of_equal_size_inside_strata_count_as_their_means():
    scored, twice = drawn(3), np.repeat(np.arange(len(HUMAN)), 2)
    apart = np.tile([-0.5, 0.5], len(HUMAN))
    part = both(scored[twice], HUMAN[twice] + apart, JUDGE[twice] - apart, STRATA[twice], clusters=twice)
    for make in (human_only, joined):
        one, other = make(part, shape="difference"), make(both(scored), shape="difference")
        assert (one.value, one.error, one.df) == pytest.approx((other.value, other.error, other.df))


def test_a_stratum_that_people_scored_in_full_adds_no_variance():
    scored = drawn(4) | (STRATA == 2)
    part = both(scored)
    assert not part.by_human[STRATA == 2].any()
    others = both(scored[STRATA != 2], HUMAN[STRATA != 2], JUDGE[STRATA != 2], STRATA[STRATA != 2])
    for make in (human_only, joined):
        one, other = make(part, shape="difference"), make(others, shape="difference")
        assert one.value == pytest.approx((other.value * 66 + HUMAN[STRATA == 2].sum()) / 72)
        assert one.df == pytest.approx(other.df)
    alone = [human_only(side, shape="difference").error for side in (part, others)]
    assert alone[0] == pytest.approx(alone[1] * 66 / 72)


def test_the_variance_is_that_of_repeated_draws():
    # Of each set of 6 or 12 items a third is scored: 2 or 4. Without the correction for few items of a stratum the
    # ratio would be 2/3, without that for the finite set 3/2; with the variance between strata, far more.
    parts = [both(drawn(seed, 3)) for seed in range(400)]
    found = [[make(part) for make in (human_only, joined)] for part in parts]
    for side in zip(*found, strict=True):
        values, errors = np.array([(each.value, each.error) for each in side]).T
        assert abs(values.mean() - HUMAN.mean()) < 4 * values.std() / 20
        assert 0.85 < np.mean(errors**2) / values.var() < 1.25
        assert 0.92 < np.mean([each.low <= HUMAN.mean() <= each.high for each in side]) < 0.985
    widths = [np.mean([each.high - each.low for each in side]) for side in zip(*found, strict=True)]
    assert widths[1] < 0.7 * widths[0]


def test_scores_of_few_values_are_discrete_in_strata_too():
    strata, random = np.repeat([0, 1], 30), np.random.default_rng(5)
    fine, coarse = random.random(60), random.integers(0, 2, 60).astype(float)
    found = [stratified_influences(mean_records(own), mean_records(own), strata).discrete for own in (fine, coarse)]
    assert found == [0, 1]
