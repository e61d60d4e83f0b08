"""Adjusted p-values, against arithmetic, statsmodels and scipy."""

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.stats import benjamini_hochberg, holm

BOTH = pytest.mark.parametrize("adjust", [holm, benjamini_hochberg])
PROBABILITIES = st.lists(st.floats(0, 1), min_size=1, max_size=12)


def test_holm_gives_the_values_computed_by_hand():
    assert holm([0.01, 0.2, 0.02, 0.011]) == pytest.approx([4 * 0.01, 0.2, 2 * 0.02, max(0.04, 3 * 0.011)])


def test_benjamini_hochberg_gives_the_values_computed_by_hand():
    expected = [4 / 2 * 0.011, 0.2, 4 / 3 * 0.02, 4 / 2 * 0.011]
    assert benjamini_hochberg([0.01, 0.2, 0.02, 0.011]) == pytest.approx(expected)


@settings(max_examples=10, deadline=None)
@given(PROBABILITIES)
def test_both_equal_statsmodels_and_scipy(p):
    assert holm(p) == pytest.approx(multipletests(p, method="holm")[1])
    assert benjamini_hochberg(p) == pytest.approx(multipletests(p, method="fdr_bh")[1])
    assert benjamini_hochberg(p) == pytest.approx(scipy.stats.false_discovery_control(p))


@BOTH
def test_a_missing_p_value_stays_missing_and_is_no_comparison(adjust):
    adjusted = adjust([0.03, np.nan, 0.01])
    assert np.isnan(adjusted[1])
    assert adjusted[[0, 2]].tolist() == adjust([0.03, 0.01]).tolist()


@BOTH
def test_no_comparisons_give_no_p_values(adjust):
    assert adjust([]).tolist() == []
    assert np.isnan(adjust([np.nan])).all()


@BOTH
def test_one_comparison_needs_no_adjustment(adjust):
    assert adjust([0.04]).tolist() == [0.04]


@BOTH
@given(p=PROBABILITIES, random=st.randoms())
def test_the_order_of_the_comparisons_does_not_matter(adjust, p, random):
    order = list(range(len(p)))
    random.shuffle(order)
    assert adjust([p[i] for i in order]).tolist() == adjust(p)[order].tolist()


@BOTH
@given(p=PROBABILITIES)
def test_adjusting_keeps_the_ranking_and_never_makes_a_p_value_smaller(adjust, p):
    adjusted = adjust(p)
    assert (np.diff(adjusted[np.argsort(p)]) >= 0).all()
    assert (adjusted >= np.array(p) * (1 - 1e-12)).all()
    assert (adjusted <= 1).all()


@BOTH
@pytest.mark.parametrize("wrong", [-0.1, 1.5])
def test_numbers_that_are_no_probabilities_are_refused(adjust, wrong):
    with pytest.raises(TouchstoneError) as error:
        adjust([0.5, wrong])
    assert error.value.code == Code.OUT_OF_RANGE
