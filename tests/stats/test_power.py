"""Power by resampling, against all draws that there are and the noncentral t distribution."""

from itertools import product

import numpy as np
import pytest
import scipy.stats

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.stats.power import power_curve

RANDOM = np.random.default_rng(4)
B = RANDOM.normal(0.3, 0.1, 20)
A = B + RANDOM.normal(0.05, 0.08, 20)


def power_at(curve, size):
    (power,) = curve.power[curve.sizes == size]
    return power


@pytest.mark.parametrize("size", [2, 3, 4, 5])
def test_power_is_the_share_of_all_draws_with_a_significant_paired_test(size):
    """Every draw of a few from five items, each tested by scipy; one item alone shows no spread."""
    a, b = A[:5], B[:5] - 0.02
    draws = [list(items) for items in product(range(5), repeat=size)]
    tests = [scipy.stats.ttest_rel(a[items], b[items]) for items in draws if len(set(items)) > 1]
    expected = sum(test.pvalue < 0.05 and test.statistic > 0 for test in tests) / len(draws)
    assert power_at(power_curve(a, b, draws=40_000), size) == pytest.approx(expected, abs=0.01)


def test_many_differences_that_look_normal_have_the_power_of_the_noncentral_t():
    differences = scipy.stats.norm.ppf((np.arange(400) + 0.5) / 400) + 0.5
    found = power_at(power_curve(differences, np.zeros(400)), 30)
    effect = differences.mean() / differences.std()
    expected = scipy.stats.nct.sf(scipy.stats.t.isf(0.025, 29), 29, effect * np.sqrt(30))
    assert found == pytest.approx(expected, abs=0.015)


def test_enough_is_the_first_size_that_reaches_the_target():
    curve = power_curve(A, B, target=0.7)
    assert power_at(curve, curve.enough) >= 0.7
    assert (curve.power[: curve.enough - 2] < 0.7).all()


def test_sizes_beyond_the_data_are_marked():
    curve = power_curve(A, B)
    assert (curve.sizes[0], curve.sizes[-1], curve.n_items) == (2, 100, 20)
    rows = {row[0]: row[2] for row in curve.to_table().rows}
    assert (rows[20], rows[30]) == ("", "extrapolated")


def test_equal_systems_are_never_told_apart_and_the_interval_says_how_little_is_known():
    noise = np.tile([-0.1, 0.1, -0.05, 0.05], 5)
    curve = power_curve(B + noise, B)
    assert curve.enough is None
    assert curve.power.max() < 0.1
    assert curve.interval.low < 0 < curve.interval.high
    assert "is not reached with up to 100 items" in curve.to_table().to_text()
    assert "not evidence of no difference" in curve.to_table().to_text()


def test_the_worse_system_first_gives_the_same_power():
    forth, back = power_curve(A, B), power_curve(B, A)
    assert (forth.power == back.power).all()
    assert forth.difference == -back.difference


def test_one_item_drawn_twice_shows_no_spread_and_counts_for_nothing():
    """Of two draws from three items a third is one item twice; the others differ too much to be significant."""
    assert power_at(power_curve([0.1, 0.5, 0.9], [0.0, 0.0, 0.0]), 2) == 0


def test_items_without_both_scores_are_left_out():
    gap = power_curve([*A, np.nan, 0.3], [*B, 0.2, np.nan])
    assert gap.n_items == 20
    assert (gap.power == power_curve(A, B).power).all()


def test_the_same_seed_gives_the_same_curve():
    assert (power_curve(A, B, seed=3).power == power_curve(A, B, seed=3).power).all()
    assert (power_curve(A, B, seed=3).power != power_curve(A, B, seed=4).power).any()


@pytest.mark.parametrize(
    ("call", "code", "value"),
    [
        (lambda: power_curve([1, 2], [1, 3]), Code.TOO_FEW, None),
        (lambda: power_curve([1, 2, 3], [0, 1, 2]), Code.UNSUPPORTED, None),
        (lambda: power_curve([0.3, 0.4, 0.6], [0.1, 0.2, 0.4]), Code.UNSUPPORTED, None),
        (lambda: power_curve(A, B, target=80), Code.OUT_OF_RANGE, None),
        (lambda: power_curve(A, B, alpha=0), Code.OUT_OF_RANGE, None),
        (lambda: power_curve(A, B, draws=0), Code.OUT_OF_RANGE, None),
        (lambda: power_curve(A, B, seed=-1), Code.OUT_OF_RANGE, None),
    ],
)
def test_bad_input_is_refused(call, code, value):
    with pytest.raises(TouchstoneError) as error:
        call()
    assert (error.value.code, error.value.faults[0].value) == (code, value)


@pytest.mark.parametrize("size", [1e-3, 1.0, 1e3])
def test_a_spread_is_judged_by_the_size_of_the_differences(size):
    """A spread of a ten-millionth of the differences is rounding; one of a ten-thousandth is not, in any unit."""
    scatter = np.tile([-1.0, 1.0], 10) * size
    with pytest.raises(TouchstoneError) as error:
        power_curve(size + 1e-7 * scatter, np.zeros(20))
    assert error.value.code == Code.UNSUPPORTED
    assert power_curve(size + 1e-4 * scatter, np.zeros(20), draws=10).difference == pytest.approx(size)


def test_the_table_has_the_usual_sizes_up_to_the_last_one_of_the_curve():
    assert [row[0] for row in power_curve(A, B).to_table().rows] == [2, 3, 5, 8, 10, 15, 20, 30, 40, 60, 80, 100]
    assert [row[0] for row in power_curve(A[:12], B[:12]).to_table().rows] == [2, 3, 5, 8, 10, 15, 20, 30, 40, 60]


def test_a_difference_that_every_draw_finds_has_the_power_1():
    """The differences 1 and 1.01 are a hundred times their spread: 100 items find them in every draw."""
    assert power_at(power_curve(np.tile([1.0, 1.01], 10), np.zeros(20), draws=50), 100) == 1
