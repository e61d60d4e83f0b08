"""Effect sizes and wins."""

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.stats import paired_effect, wins
from touchstone.stats.effects import WinTieLoss

PAIRS = st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=2, max_size=20).map(np.array)


def test_the_effect_is_the_mean_difference_in_standard_deviations():
    """Differences 1, 2 and 6: mean 3, variance ((2² + 1² + 3²) / 2)."""
    assert paired_effect(np.array([1.0, 2.0, 6.0]), np.zeros(3)) == pytest.approx(3 / np.sqrt(7))


def test_the_effect_is_the_paired_t_over_the_root_of_the_number_of_items():
    a, b = np.random.default_rng(2).random((2, 40))
    assert paired_effect(a, b) == pytest.approx(scipy.stats.ttest_rel(a, b).statistic / np.sqrt(40))


def test_items_that_one_system_lacks_are_left_out():
    a, b = np.array([1.0, 2.0, 6.0, np.nan, 5.0]), np.array([0.0, 0.0, 0.0, 1.0, np.nan])
    assert paired_effect(a, b) == pytest.approx(3 / np.sqrt(7))
    assert wins(a, b) == WinTieLoss(3, 0, 0)


def test_systems_equal_but_for_rounding_have_no_effect_and_tie():
    a, b = np.full(4, 0.1 + 0.2), np.full(4, 0.3)
    assert paired_effect(a, b) == 0.0
    assert wins(a, b) == WinTieLoss(0, 4, 0)


def test_the_same_difference_everywhere_is_an_effect_without_bound():
    b = np.arange(10) / 10
    assert paired_effect(b + 0.1, b) == np.inf
    assert paired_effect(b, b + 0.1) == -np.inf


@pytest.mark.parametrize("n", [0, 1])
def test_fewer_than_two_items_have_no_effect_size(n):
    assert np.isnan(paired_effect(np.ones(n), np.zeros(n)))


@given(PAIRS)
def test_exchanging_the_systems_turns_the_sign_and_the_wins(pairs):
    a, b = pairs.T
    there, back = wins(a, b), wins(b, a)
    assert paired_effect(a, b) == -paired_effect(b, a)
    assert (there.wins, there.ties, there.losses) == (back.losses, back.ties, back.wins)
    assert there.wins + there.ties + there.losses == len(a)


@pytest.mark.parametrize("compare", [wins, paired_effect])
def test_values_of_different_items_are_refused(compare):
    with pytest.raises(TouchstoneError) as error:
        compare(np.zeros(3), np.zeros(2))
    assert error.value.code == Code.MISMATCH
