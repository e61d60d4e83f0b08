"""Agreement over sets is that of scipy and NumPy, and its intervals resample sets."""

import numpy as np
import pytest
import scipy

from touchstone.stats.sets import drawn_sets, mean_of_sets, order_of_means, pearson, pearson_of_means

RANDOM = np.random.default_rng(5)
PEOPLE = RANDOM.normal(size=(6, 4))
MACHINE = PEOPLE + RANDOM.normal(size=(6, 4))
DRAWN = drawn_sets(4, 200, seed=1)


def test_pearson_is_scipys_and_nan_where_a_list_is_constant():
    assert pearson(PEOPLE[:, 0], MACHINE[:, 0]) == pytest.approx(scipy.stats.pearsonr(PEOPLE[:, 0], MACHINE[:, 0])[0])
    assert np.isnan(pearson(np.full(6, 0.1), MACHINE[:, 0]))


def test_a_mean_is_of_the_sets_that_have_a_value_and_its_ends_are_quantiles_of_drawn_means():
    values = np.array([0.2, 0.4, np.nan, 0.9, 0.6, 0.3, np.nan, 0.6])
    drawn = drawn_sets(8, 200)
    value, low, high = mean_of_sets(values, drawn)
    assert value == pytest.approx(0.5)
    assert (low, high) == pytest.approx(np.nanpercentile([np.nanmean(values[draw]) for draw in drawn], [2.5, 97.5]))


def test_the_correlation_of_means_draws_the_same_sets_on_both_sides():
    value, low, high = pearson_of_means(PEOPLE, MACHINE, DRAWN)
    assert value == pytest.approx(np.corrcoef(PEOPLE.mean(axis=1), MACHINE.mean(axis=1))[0, 1])
    assert low < value < high
    same = pearson_of_means(PEOPLE, 3 * PEOPLE, DRAWN)
    assert same == pytest.approx((1, 1, 1))


def test_a_system_without_a_score_in_a_set_has_the_mean_of_the_others():
    gaps = MACHINE.copy()
    gaps[0, 1:] = np.nan
    means = np.array([gaps[0, 0], *MACHINE[1:].mean(axis=1)])
    every = np.tile(np.arange(4), (5, 1))
    assert pearson_of_means(PEOPLE, gaps, every).value == pytest.approx(np.corrcoef(PEOPLE.mean(axis=1), means)[0, 1])


def test_the_order_of_systems_leaves_out_pairs_that_people_hold_equal():
    people, machine = np.array([[1.0], [1.0], [2.0], [3.0]]), np.array([[1.0], [2.0], [4.0], [3.0]])
    tau, share = order_of_means(people, machine)
    assert tau == pytest.approx(scipy.stats.kendalltau(people[:, 0], machine[:, 0]).statistic)
    assert share == 4 / 5
