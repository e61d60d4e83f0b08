"""Correlations and their intervals, against scipy."""

import warnings

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.stats import correlate, correlation
from touchstone.stats.bootstrap import resampled_counts
from touchstone.stats.correlation import resampled_correlations
from touchstone.stats.kendall import concordances

SCIPY = {"pearson": scipy.stats.pearsonr, "spearman": scipy.stats.spearmanr, "kendall": scipy.stats.kendalltau}
EACH = pytest.mark.parametrize("name", SCIPY)
RANDOM = np.random.default_rng(2)
X = RANDOM.integers(0, 9, 40).astype(float)
Y = X + RANDOM.integers(0, 9, 40)


@EACH
def test_value_and_p_are_those_of_scipy(name):
    found, official = correlate(X, Y, name), SCIPY[name](X, Y)
    assert (found.value, found.p) == pytest.approx((official.statistic, official.pvalue))
    assert (found.name, found.n, found.left_out, found.reason) == (name, 40, 0, None)


def of_scipy(x, y, cluster, times, name):
    """Return scipy's correlation of the points of each draw, each repeated as often as it is drawn."""
    drawn = [np.repeat(np.arange(len(x)), row[cluster]) for row in times]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # where a list is constant
        return [SCIPY[name](x[points], y[points]).statistic if len(points) > 2 else np.nan for points in drawn]


@EACH
@pytest.mark.parametrize("n", [40, 700])
def test_resamples_have_the_correlation_that_scipy_gives_their_points(name, n):
    drawn = np.random.default_rng(n)
    x = drawn.integers(0, n // 4, n).astype(float)
    y = x + drawn.integers(0, n // 4, n)
    times = np.concatenate([counts for _, _, counts in resampled_counts(n, 50, seed=1)]).astype(int)
    found = resampled_correlations(x, y, np.arange(n), times, name)
    assert found == pytest.approx(of_scipy(x, y, np.arange(n), times, name), rel=1e-13)


@EACH
@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(0, 4)), min_size=1, max_size=12),
    st.lists(st.lists(st.integers(0, 3), min_size=5, max_size=5), min_size=1, max_size=4),
)
def test_clusters_are_drawn_as_a_whole_and_few_or_constant_points_have_no_correlation(name, points, times):
    x, y, cluster = np.array(points).T
    x, y, times = x.astype(float), y.astype(float), np.array(times)
    expected = of_scipy(x, y, cluster, times, name)
    for most in (correlation.FEW_POINTS, 0):  # the second is the way of many points
        with pytest.MonkeyPatch.context() as changed:
            changed.setattr(correlation, "FEW_POINTS", most)
            found = resampled_correlations(x, y, cluster, times, name)
            assert found == pytest.approx(expected, nan_ok=True)


def test_taus_are_scipys_to_the_last_digit_also_without_numba(monkeypatch):
    drawn = np.random.default_rng(3)
    x, y = drawn.integers(0, 90, 600).astype(float), drawn.normal(size=600)
    times = np.concatenate([counts for _, _, counts in resampled_counts(600, 20, seed=1)]).astype(int)
    expected = of_scipy(x, y, np.arange(600), times, "kendall")
    for loops in (concordances.dispatcher, concordances):
        monkeypatch.setattr(correlation, "is_compiled", lambda _, loops=loops: loops is not concordances)
        monkeypatch.setattr(correlation, "concordances", loops)
        assert resampled_correlations(x, y, np.arange(600), times, "kendall").tolist() == expected
    monkeypatch.setattr(correlation, "FEW_POINTS", 600)
    assert resampled_correlations(x, y, np.arange(600), times, "kendall").tolist() == expected


def test_a_draw_that_differs_by_rounding_alone_has_no_correlation():
    x, y, times = np.array([0.1 + 0.2, 0.3, 0.3, 5]), np.array([1.0, 2, 3, 4]), np.array([[1, 1, 1, 0], [1, 1, 1, 1]])
    for name in ("pearson", "spearman"):
        assert np.isnan(resampled_correlations(x, y, np.arange(4), times, name)).tolist() == [True, False]


@EACH
def test_the_interval_has_the_quantiles_of_a_plain_bootstrap(name):
    plain = scipy.stats.bootstrap(
        (X, Y),
        lambda x, y: SCIPY[name](x, y).statistic,
        paired=True,
        vectorized=False,
        n_resamples=1000,
        method="percentile",
        rng=0,
    ).confidence_interval
    found = correlate(X, Y, name, draws=1000).interval
    assert (found.low, found.high) == pytest.approx(tuple(plain), abs=0.05)


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=3, max_size=20))
def test_intervals_lie_within_one_and_constant_lists_have_a_reason(points):
    x, y = zip(*points, strict=True)
    for name in SCIPY:
        found = correlate(x, y, name, draws=20)
        if found.reason:
            assert len(set(x)) == 1 or len(set(y)) == 1
            assert np.isnan([found.value, found.p, found.interval.low]).all()
        elif len(points) < 5:
            assert np.isnan([found.interval.low, found.interval.high]).all()
            assert found.note == f"no interval: it needs at least 5 independent units, and there are {len(points)}"
        else:
            assert -1 <= found.interval.low <= found.interval.high <= 1


def test_a_list_that_differs_by_rounding_alone_is_constant():
    found = correlate([0.1 + 0.2, 0.3, 0.3, 0.3], [1, 2, 3, 4])
    assert found.reason == "the first list is constant"
    assert correlate([1, 2, 3], [5, 5, 5], "kendall").reason == "the second list is constant"


def test_points_that_lack_a_number_are_left_out_and_counted():
    found = correlate([1, 2, np.nan, 4, 3], [2, 4, 9, np.nan, 6])
    assert (round(found.value, 12), found.n, found.left_out) == (1, 3, 2)


def test_many_points_are_drawn_in_blocks():
    x = RANDOM.normal(size=9000)
    found = correlate(x, x + RANDOM.normal(size=9000), "spearman", draws=100)
    assert found.interval.low < found.value < found.interval.high
    assert found.interval.high - found.interval.low < 0.05


@pytest.mark.parametrize(
    ("call", "code", "value"),
    [
        (lambda: correlate([1, 2], [1, 2]), Code.TOO_FEW, None),
        (lambda: correlate([1, 2, np.nan], [1, 2, 3]), Code.TOO_FEW, None),
        (lambda: correlate([1, 2, 3], [1, 2]), Code.MISMATCH, None),
        (lambda: correlate([1, 2, np.inf], [1, 2, 3]), Code.NOT_FINITE, None),
        (lambda: correlate([1, 2, 3], [1, 2, 3], "spearmen"), Code.UNKNOWN_NAME, "spearmen"),
    ],
)
def test_bad_input_is_refused(call, code, value):
    with pytest.raises(TouchstoneError) as error:
        call()
    assert (error.value.code, error.value.faults[0].value) == (code, value)


def test_a_correlation_makes_1000_draws_by_default():
    assert correlate([1, 2, 3, 4, 5], [1, 2, 3, 5, 4]).interval.draws == 1000
