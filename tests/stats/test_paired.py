"""Paired tests, against enumeration by hand and scipy."""

from itertools import product

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.stats import bootstrap, mean, mean_records, paired, paired_bootstraps, permutation_test

RANDOM = np.random.default_rng(5)


def paired_bootstrap(a, b, fold, **options):
    return paired_bootstraps([a, b], [(0, 1)], fold, **options)[0]


TESTS = [permutation_test, paired_bootstrap]


def systems(n, gain=0.0, seed=7):
    """Give per-item values of two systems, the first better by *gain* on average."""
    random = np.random.default_rng(seed)
    b = random.random(n)
    return b + gain + random.normal(scale=0.3, size=n), b


def mean_difference(x, y):
    return np.mean(x) - np.mean(y)


def f_of_averages(sums):
    precision, recall = sums[..., 0] / sums[..., 2], sums[..., 1] / sums[..., 2]
    return 2 * precision * recall / (precision + recall)


def share_as_large(a, b, fold, clusters):
    """Enumerate every swap of whole clusters in plain Python."""
    labels = sorted(set(clusters))
    observed = abs(fold(a.sum(axis=0)) - fold(b.sum(axis=0)))
    larger = 0
    for swaps in product([False, True], repeat=len(labels)):
        swapped = np.array([swaps[labels.index(label)] for label in clusters])[:, None]
        mine, theirs = np.where(swapped, b, a).sum(axis=0), np.where(swapped, a, b).sum(axis=0)
        larger += abs(fold(mine) - fold(theirs)) >= observed - 1e-12
    return larger / 2 ** len(labels)


@pytest.mark.parametrize("seed", range(5))
def test_the_exact_permutation_test_equals_that_of_scipy(seed):
    x, y = systems(9, gain=0.1, seed=seed)
    theirs = scipy.stats.permutation_test((x, y), mean_difference, permutation_type="samples", n_resamples=np.inf)
    ours = permutation_test(mean_records(x), mean_records(y), mean)
    assert ours.exact
    assert ours.draws == 2**9
    assert ours.p == pytest.approx(theirs.pvalue, rel=1e-12)
    assert ours.difference == pytest.approx(theirs.statistic)


def test_the_random_permutation_test_agrees_with_that_of_scipy():
    x, y = systems(80, gain=0.1)
    theirs = scipy.stats.permutation_test(
        (x, y), mean_difference, permutation_type="samples", n_resamples=9999, random_state=0
    )
    ours = permutation_test(mean_records(x), mean_records(y), mean)
    assert not ours.exact
    assert 0.02 < ours.p < 0.5
    assert ours.p == pytest.approx(theirs.pvalue, abs=0.02)


@pytest.mark.parametrize("clusters", [np.arange(6), np.array([3, 3, 1, 2, 2, 2])])
def test_a_measure_that_is_no_mean_is_tested_exactly_with_and_without_clusters(clusters):
    a, b = RANDOM.random((6, 3)), RANDOM.random((6, 3))
    a[:, 2] = b[:, 2] = 1.0
    ours = permutation_test(a, b, f_of_averages, clusters=clusters)
    assert ours.exact
    assert ours.p == share_as_large(a, b, f_of_averages, clusters.tolist())


def test_random_swaps_come_near_the_exact_p():
    x, y = systems(13, gain=0.1)
    exact = permutation_test(mean_records(x), mean_records(y), mean, draws=2**13)
    drawn = permutation_test(mean_records(x), mean_records(y), mean, draws=2**13 - 1)
    assert (exact.exact, drawn.exact) == (True, False)
    assert drawn.p == pytest.approx(exact.p, abs=0.02)


def test_differences_equal_but_for_rounding_count_as_large():
    """All ten differences are one tenth: only the two assignments without a mixture reach the observed one."""
    y = np.arange(10) / 10
    ours = permutation_test(mean_records(y + 0.1), mean_records(y), mean)
    assert ours.p == 2 / 2**10


@pytest.mark.parametrize("draws", [99, 10_000])
def test_a_difference_of_zero_has_p_1(draws):
    """Half of the 12 items are won and half lost; in the second pair no swap changes the value of either system."""
    won, lost = mean_records(np.array([1.0, 0.0] * 6)), mean_records(np.array([0.0, 1.0] * 6))
    assert permutation_test(won, lost, mean, draws=draws).p == 1
    beside = (
        np.column_stack([won[:, 0], np.arange(12.0), won[:, 1]]),
        np.column_stack([won[:, 0], np.ones(12), won[:, 1]]),
    )
    assert permutation_test(*beside, lambda sums: sums[..., 2] * 0 + 0.25, draws=draws).p == 1


def test_ties_in_a_random_permutation_test_count_half():
    """Of 20 items 11 are won and 9 lost: more uneven are splits from 12 to 8 on, as uneven those of 11 and 9."""
    x = np.repeat([0.7, 0.1], [11, 9])
    y = np.repeat([0.1, 0.7], [11, 9])
    p = 1 - scipy.stats.binom(20, 0.5).pmf(10) - scipy.stats.binom(20, 0.5).pmf(11)
    assert permutation_test(mean_records(x), mean_records(y), mean).p == pytest.approx(p, abs=0.015)


def test_items_on_which_the_systems_agree_do_not_change_the_exact_test():
    x, y = systems(8, gain=0.2)
    alone = permutation_test(mean_records(x), mean_records(y), mean)
    same = np.full(100, 0.5)
    among = permutation_test(mean_records(np.append(x, same)), mean_records(np.append(y, same)), mean)
    assert among.exact
    assert among.p == alone.p


@pytest.mark.parametrize("test", TESTS)
def test_identical_systems_give_p_of_one(test):
    records = mean_records(RANDOM.random(40))
    found = test(records, records.copy(), mean, draws=200)
    assert (found.difference, found.p) == (0.0, 1.0)


@pytest.mark.parametrize("test", TESTS)
def test_a_clear_difference_gives_the_smallest_p_that_the_draws_allow(test):
    x, y = systems(200, gain=1.0)
    assert test(mean_records(x), mean_records(y), mean, draws=999).p == 1 / 1000


@pytest.mark.parametrize("test", TESTS)
def test_equal_systems_are_told_apart_as_often_as_the_level_says(test):
    """Of 400 pairs of equal systems about 5 % have p ≤ 0.05: 20, with a standard deviation of 4.4."""
    found = [
        test(mean_records(x), mean_records(y), mean, draws=199).p
        for x, y in (systems(40, seed=seed) for seed in range(400))
    ]
    assert 7 <= np.count_nonzero(np.array(found) <= 0.05) <= 33


def test_the_paired_bootstrap_comes_near_the_normal_test_of_many_differences():
    x, y = systems(500, gain=0.02)
    normal = 2 * scipy.stats.norm.sf(abs(np.mean(x - y)) / (np.std(x - y) / np.sqrt(500)))
    found = paired_bootstrap(mean_records(x), mean_records(y), mean)
    assert 0.05 < found.p < 0.5
    assert found.p == pytest.approx(normal, abs=0.02)


@pytest.mark.parametrize("test", TESTS)
def test_clusters_of_one_item_are_items(test):
    a, b = map(mean_records, systems(30, gain=0.1))
    assert test(a, b, mean, draws=500, clusters=np.arange(30)) == test(a, b, mean, draws=500)


def test_copies_of_items_are_no_evidence_when_clustered():
    x, y = systems(8, gain=0.1)
    copies = permutation_test(
        mean_records(np.repeat(x, 5)), mean_records(np.repeat(y, 5)), mean, clusters=np.repeat(np.arange(8), 5)
    )
    assert copies.p == permutation_test(mean_records(x), mean_records(y), mean).p


@pytest.mark.parametrize("test", TESTS)
def test_a_test_over_more_items_than_a_block_uses_them_all(test, monkeypatch):
    """The systems differ in the last items alone, far beyond the first block."""
    monkeypatch.setattr("touchstone.stats.paired.BLOCK", 8)
    monkeypatch.setattr("touchstone.stats.bootstrap.BLOCK", 8)
    b = RANDOM.random(100)
    a = b + np.repeat([0.0, 0.1], [50, 50]) * (1 + RANDOM.random(100))
    assert test(mean_records(a), mean_records(b), mean, draws=500).p == 1 / 501


def test_a_test_says_that_it_made_fewer_draws(monkeypatch):
    monkeypatch.setattr(bootstrap, "CLUSTER_DRAWS", 20_000)
    a, b = map(mean_records, systems(100))
    assert [test(a, b, mean).draws for test in TESTS] == [200, 200]


@pytest.mark.parametrize("test", TESTS)
@pytest.mark.parametrize("n", [0, 3])
def test_where_nothing_counts_there_is_no_p(test, n):
    found = test(np.zeros((n, 2)), np.zeros((n, 2)), mean, draws=20)
    assert np.isnan(found.difference)
    assert np.isnan(found.p)


def test_assignments_without_a_value_are_left_out():
    """A and B count on one item each: half of the four assignments leave one of them nothing."""
    a, b = mean_records(np.array([0.9, np.nan])), mean_records(np.array([np.nan, 0.1]))
    found = permutation_test(a, b, mean)
    assert (found.p, found.draws) == (1.0, 4)


@settings(max_examples=40, deadline=None)
@given(arrays(np.float64, st.tuples(st.integers(2, 12), st.just(2)), elements=st.floats(0, 1)), st.integers(0, 9))
@pytest.mark.parametrize("test", TESTS)
def test_p_is_a_probability_above_zero_and_the_same_for_b_against_a(test, values, seed):
    a, b = mean_records(values[:, 0]), mean_records(values[:, 1])
    forth, back = test(a, b, mean, draws=50, seed=seed), test(b, a, mean, draws=50, seed=seed)
    assert 0 < forth.p <= 1
    assert forth.p == back.p
    assert forth.difference == -back.difference


@pytest.mark.parametrize("test", TESTS)
def test_systems_on_different_items_are_refused(test):
    with pytest.raises(TouchstoneError) as error:
        test(np.zeros((3, 2)), np.zeros((4, 2)), mean)
    assert error.value.code == Code.MISMATCH


@pytest.mark.parametrize("test", TESTS)
def test_no_draws_are_refused(test):
    with pytest.raises(TouchstoneError) as error:
        test(np.zeros((3, 2)), np.ones((3, 2)), mean, draws=0)
    assert error.value.code == Code.OUT_OF_RANGE


def test_two_systems_that_score_nothing_do_not_differ_by_the_bootstrap():
    nothing = mean_records(np.zeros(6))
    assert paired_bootstrap(nothing, nothing, mean, draws=99).p == 1.0


@pytest.mark.parametrize("draws", [3, 4, 10])
def test_as_many_swaps_are_drawn_as_are_asked_for(draws, monkeypatch):
    monkeypatch.setitem(paired._swapped_sums.__globals__, "BATCH", 4)
    assert sum(len(sums) for sums in paired._swapped_sums(np.ones((5, 2)), draws, seed=0)) == draws
