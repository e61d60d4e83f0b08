"""Intervals of values and differences, against closed forms and scipy."""

import numpy as np
import pytest
import scipy.stats
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.core.measures import Measure
from touchstone.core.resampling import Resampling, difference_intervals
from touchstone.stats import (
    cluster_records,
    folded,
    intervals,
    jackknife,
    mean,
    mean_records,
    percentile,
    resampled_sums,
)
from touchstone.stats.intervals import bca

SKEWED = np.random.default_rng(11).exponential(size=60)
VALUES = arrays(np.float64, st.integers(1, 30), elements=st.floats(-100, 100))


def interval(records, fold, *, method="jackknife", draws=1000, clusters=None, **options):
    """The interval over clusters, with the draws that a bootstrap needs."""
    sums = cluster_records(records, clusters)
    drawn = None if method == "jackknife" else folded(fold, resampled_sums(sums, draws=draws))
    return intervals.interval(sums, fold, method=method, replicates=drawn, **options)


def difference_interval(x, y):
    """The interval of the difference of two means over the same items."""
    systems = [mean_records(x), mean_records(y)]
    (ends,) = difference_intervals(systems, [(0, 1)], Measure("mean", mean_records, mean), Resampling(), None)
    return ends


def f_of_averages(sums):
    """F of average precision and average recall, from (P, R, counted)."""
    precision, recall = sums[..., 0] / sums[..., 2], sums[..., 1] / sums[..., 2]
    return 2 * precision * recall / (precision + recall)


def test_the_interval_of_a_share_is_that_of_its_binomial_distribution():
    records = mean_records(np.repeat([1.0, 0.0], [120, 280]))
    found = interval(records, mean, method="percentile", draws=20_000)
    expected = scipy.stats.binom(400, 0.3).ppf([0.025, 0.975]) / 400
    assert (found.low, found.high) == pytest.approx(tuple(expected), abs=1 / 400)


def test_clusters_of_one_item_are_items():
    records = mean_records(SKEWED)
    assert interval(records, mean, clusters=np.arange(60)) == interval(records, mean)


def test_items_that_move_together_give_a_wider_interval_when_clustered():
    """Five copies of each item carry no more information than one: the interval is that of the 60 items."""
    copies, clusters = mean_records(np.repeat(SKEWED, 5)), np.repeat(np.arange(60), 5)
    clustered, single = interval(copies, mean, clusters=clusters), interval(mean_records(SKEWED), mean)
    assert (clustered.low, clustered.high) == pytest.approx((single.low, single.high))
    assert interval(copies, mean).high < clustered.high


@pytest.mark.parametrize("method", ["percentile", "BCa"])
def test_both_intervals_equal_those_of_scipy_from_the_same_replicates(method):
    level = 0.9
    theirs = scipy.stats.bootstrap(
        (SKEWED,), np.mean, method=method, n_resamples=999, confidence_level=level, random_state=0
    )
    replicates = theirs.bootstrap_distribution
    left_out = jackknife(mean_records(SKEWED), mean)
    ours = percentile(replicates, level) if method == "percentile" else bca(replicates, SKEWED.mean(), left_out, level)
    assert (ours.low, ours.high) == pytest.approx(tuple(theirs.confidence_interval), rel=1e-9)


@pytest.mark.parametrize("method", ["percentile", "bca"])
def test_both_intervals_agree_with_scipy_from_draws_of_our_own(method):
    theirs = scipy.stats.bootstrap((SKEWED,), np.mean, method=method, n_resamples=20_000, random_state=0)
    ours = interval(mean_records(SKEWED), mean, method=method, draws=20_000)
    width = ours.high - ours.low
    assert (ours.low, ours.high) == pytest.approx(tuple(theirs.confidence_interval), abs=0.03 * width)


def test_bca_follows_the_skew_of_the_items():
    """The items have a long upper tail, so the corrected interval lies higher than the plain one."""
    plain, corrected = (interval(mean_records(SKEWED), mean, method=m, draws=5000) for m in ("percentile", "bca"))
    assert corrected.low > plain.low
    assert corrected.high > plain.high


def test_bca_without_bias_or_acceleration_is_the_percentile_interval():
    replicates, symmetric = np.arange(1001.0), np.array([-1.0, 0.0, 1.0])
    corrected, plain = bca(replicates, 500.0, symmetric), percentile(replicates)
    assert (corrected.low, corrected.high) == pytest.approx((plain.low, plain.high))


def test_bca_stays_among_the_replicates_where_the_value_lies_outside_them():
    found = bca(np.arange(100.0), -1.0, np.array([0.0, 0.0, 9.0]))
    assert 0 <= found.low <= found.high <= 99


def test_the_jackknife_leaves_out_one_item():
    records = np.array([[0.5, 1.0, 1.0], [0.25, 0.5, 1.0], [1.0, 0.5, 1.0]])
    averages = [(0.625, 0.5), (0.75, 0.75), (0.375, 0.75)]
    assert jackknife(records, f_of_averages) == pytest.approx([2 * p * r / (p + r) for p, r in averages])


def test_replicates_without_a_value_are_left_out():
    replicates = np.array([np.nan, *range(101), np.inf])
    assert percentile(replicates, 0.5).low == 25
    assert percentile(replicates, 0.5).draws == 103
    jackknifed = np.array([49.0, 50.0, 51.0, np.nan])
    assert bca(replicates, 50.0, jackknifed, 0.5).low == pytest.approx(25)


@pytest.mark.parametrize("method", ["jackknife", "percentile", "bca"])
@pytest.mark.parametrize("records", [np.zeros((0, 2)), np.zeros((4, 2))])
def test_where_nothing_counts_there_is_no_interval(method, records):
    ends = interval(records, mean, method=method, draws=10)
    assert np.isnan([ends.low, ends.high]).all()


@settings(max_examples=40, deadline=None)
@given(VALUES, st.sampled_from(["percentile", "bca"]), st.floats(0.01, 0.99))
def test_a_bootstrap_interval_of_a_mean_is_ordered_and_lies_among_the_items(values, method, level):
    assume(len(values) > 4 and np.ptp(values) > 1e-6)
    ends = interval(mean_records(values), mean, method=method, draws=60, level=level)
    slack = 1e-9 * (1 + np.abs(values).max())
    assert values.min() - slack <= ends.low <= ends.high <= values.max() + slack


# --- the default -----------------------------------------------------------------------------------------------------


def test_without_skewness_the_interval_of_a_mean_is_that_of_the_t_distribution():
    values = np.array([1.0, 2.0, 4.0, 5.0, 7.0, 8.0])
    ends = interval(mean_records(values), mean, level=0.9)
    theirs = scipy.stats.t.interval(0.9, 5, values.mean(), scipy.stats.sem(values))
    assert (ends.low, ends.high) == pytest.approx(theirs)


def test_skewed_items_move_the_interval_by_halls_cubic():
    """T + a T² / 3 + a² T³ / 27 + a / 6 at the ends is t and -t, with a the skewness over sqrt(n) (Hall 1992)."""
    ends = interval(mean_records(SKEWED), mean)
    a = scipy.stats.skew(SKEWED) / np.sqrt(60)
    studentised = (SKEWED.mean() - np.array([ends.low, ends.high])) / scipy.stats.sem(SKEWED)
    cubic = studentised + a * studentised**2 / 3 + a**2 * studentised**3 / 27 + a / 6
    t = scipy.stats.t.ppf(0.975, 59)
    assert cubic == pytest.approx([t, -t])


def test_the_interval_of_a_share_of_items_is_wilsons():
    """With t in place of z, and n - 1 in place of n, which a standard error from 400 items makes of it."""
    ends = interval(mean_records(np.repeat([1.0, 0.0], [380, 20])), mean, bounded=True)
    theirs = scipy.stats.binomtest(380, 400).proportion_ci(method="wilson")
    assert (ends.low, ends.high) == pytest.approx((theirs.low, theirs.high), abs=0.0005)


def test_wilsons_interval_stays_between_0_and_1_where_the_t_interval_does_not():
    records = mean_records(np.repeat([1.0, 0.0], [29, 1]))
    free, bounded = (interval(records, mean, bounded=is_bounded) for is_bounded in (False, True))
    assert 0 < bounded.low < 29 / 30 < bounded.high < 1
    assert free.high > 1 or free.low < bounded.low


@pytest.mark.parametrize("method", ["jackknife", "percentile", "bca"])
@pytest.mark.parametrize("value", [0.0, 1.0])
def test_a_share_without_variation_has_wilsons_bound_over_clusters(method, value):
    """None of n: the upper bound is t² / (n + t²); ten items in each of 30 targets are 30."""
    records, clusters = mean_records(np.full(300, value)), np.repeat(np.arange(30), 10)
    ends = interval(records, mean, method=method, bounded=True, clusters=clusters, draws=50)
    t = scipy.stats.t.ppf(0.975, 29)
    unlike = t**2 / (30 + t**2)
    assert (ends.low, ends.high) == pytest.approx((0, unlike) if value == 0 else (1 - unlike, 1))
    assert ends.note is None


@pytest.mark.parametrize("method", ["jackknife", "percentile", "bca"])
def test_a_measure_without_limits_and_without_variation_has_a_sentence_instead(method):
    ends = interval(mean_records(np.full(20, 27.5)), mean, method=method, draws=50)
    assert np.isnan([ends.low, ends.high]).all()
    assert ends.note == "no interval: all 20 items have the same value"


def test_an_f_without_variation_has_a_sentence_too():
    """Its items lie between 0 and 1, but it is no mean of them."""
    ends = interval(np.ones((20, 3)), f_of_averages, bounded=True)
    assert ends.note == "no interval: all 20 items have the same value"


@pytest.mark.parametrize(("n", "said"), [(1, "1 target cannot"), (4, "4 targets cannot")])
def test_fewer_than_five_clusters_carry_no_interval(n, said):
    records, clusters = mean_records(np.arange(10.0)), np.arange(10) % n
    ends = interval(records, mean, clusters=clusters, over="targets")
    assert np.isnan([ends.low, ends.high]).all()
    assert ends.note is not None
    assert said in ends.note


@pytest.mark.parametrize(("n", "note"), [(20, "with only 20 items, intervals are rough"), (21, None)])
def test_up_to_20_clusters_carry_an_interval_roughly(n, note):
    ends = interval(mean_records(SKEWED[:n]), mean)
    assert ends.low < SKEWED[:n].mean() < ends.high
    assert ends.note == note


def test_a_value_that_rests_on_one_cluster_has_no_interval():
    """The second column, below the line, is 0 but for the first item."""
    records = np.column_stack([np.ones(30), np.arange(30) == 0]).astype(float)
    assert interval(records, mean).note == "no interval: the value is undefined without one of 30 items"


def test_items_that_do_not_count_make_no_clusters():
    values = np.append(SKEWED[:25], np.full(100, np.nan))
    assert interval(mean_records(values), mean) == interval(mean_records(SKEWED[:25]), mean)


def test_the_interval_of_a_difference_is_the_t_interval_of_the_differences():
    x, y = SKEWED, np.roll(SKEWED, 7) / 2
    ends = difference_interval(x, y)
    theirs = scipy.stats.t.interval(0.95, 59, np.mean(x - y), scipy.stats.sem(x - y))
    assert (ends.low, ends.high) == pytest.approx(theirs)


def test_systems_that_never_differ_have_a_difference_up_to_wilsons_bound():
    """Of n items none differs, so at most a share t² / (n + t²) of others does, and by 1 at most."""
    same = np.array([0.0, 0.5, 1.0] * 10)
    ends = difference_interval(same, same)
    t = scipy.stats.t.ppf(0.975, 29)
    assert (ends.low, ends.high) == pytest.approx((-(t**2) / (30 + t**2), t**2 / (30 + t**2)))
    assert difference_interval(2 * same, 2 * same).note == "no interval: all 30 items have the same value"


def test_a_difference_that_is_always_the_same_has_an_interval_with_a_width():
    ends = difference_interval(np.full(40, 0.75), np.full(40, 0.5))
    assert -1 < ends.low < 0.25 < ends.high < 1


@settings(max_examples=60, deadline=None)
@given(arrays(np.float64, st.integers(5, 30), elements=st.sampled_from([0.0, 0.25, 1.0])))
def test_an_interval_of_bounded_items_lies_between_0_and_1_and_holds_the_value(values):
    ends = interval(mean_records(values), mean, bounded=True)
    assert -1e-12 <= ends.low <= values.mean() + 1e-12
    assert values.mean() - 1e-12 <= ends.high <= 1 + 1e-12
    assert ends.low < ends.high


@settings(max_examples=40, deadline=None)
@given(VALUES, st.floats(0.05, 0.9))
def test_more_confidence_never_gives_a_narrower_interval(values, level):
    replicates = mean(resampled_sums(mean_records(values), draws=60))
    less, more = percentile(replicates, level), percentile(replicates, level + 0.05)
    assert more.low <= less.low
    assert less.high <= more.high


def test_bca_keeps_the_bias_half_a_draw_away_from_a_value_that_no_replicate_reaches():
    """All 100 replicates lie above the value: z0 is the normal quantile of 0.5 / 100; there is no acceleration."""
    z0, z = scipy.stats.norm.ppf(0.5 / 100), scipy.stats.norm.ppf([0.025, 0.975])
    expected = np.quantile(np.arange(100.0), scipy.stats.norm.cdf(2 * z0 + z))
    found = bca(np.arange(100.0), -1.0, np.array([-1.0, 0.0, 1.0]))
    assert (found.low, found.high) == pytest.approx(tuple(expected), rel=1e-9)


def test_bca_counts_half_of_the_replicates_that_equal_the_value_as_below_it():
    """2 of 8 replicates are below 1 and 4 equal it: the share below is 4 / 8, so there is no bias."""
    replicates = np.array([0.0, 0.0, 1.0, 1.0, 1.0, 1.0, 2.0, 2.5])
    corrected, plain = bca(replicates, 1.0, np.array([-1.0, 0.0, 1.0])), percentile(replicates)
    assert (corrected.low, corrected.high) == pytest.approx((plain.low, plain.high))


def test_bca_has_no_acceleration_where_every_value_without_a_cluster_is_the_same():
    corrected, plain = bca(np.arange(101.0), 50.0, np.ones(3)), percentile(np.arange(101.0))
    assert (corrected.low, corrected.high) == pytest.approx((plain.low, plain.high))


@pytest.mark.parametrize("level", [0.0, 1.0, 1.5])
def test_a_level_that_is_no_share_between_0_and_1_is_refused(level):
    with pytest.raises(TouchstoneError) as error:
        percentile(np.arange(9.0), level)
    assert error.value.code == Code.OUT_OF_RANGE


@pytest.mark.parametrize(("replicates", "value"), [([np.nan, np.nan], 0.5), ([0.1, 0.2], np.nan)])
def test_bca_gives_no_interval_without_a_value_or_without_draws(replicates, value):
    ends = intervals.bca(np.array(replicates), value, np.array([0.4, 0.5, 0.6]), level=0.95)
    assert np.isnan([ends.low, ends.high]).all()


@pytest.mark.parametrize(
    ("items", "inside", "outside"), [(10, 0.950, 0.875), (20, 0.944, 0.857), (40, 0.939, 0.848), (100, 0.936, 0.844)]
)
def test_the_coverage_of_shares_is_what_the_page_on_statistics_says(items, inside, outside):
    """Computed from the binomial distribution, for shares from 0.5 to 0.95 and above."""
    ends = []
    for right in range(items + 1):
        found = interval(mean_records((np.arange(items) < right).astype(float)), mean, bounded=True)
        ends.append((found.low, found.high))
    low, high = np.array(ends).T
    for shares, expected in ((np.linspace(0.5, 0.95, 451), inside), (np.linspace(0.95, 0.9999, 500), outside)):
        chances = scipy.stats.binom.pmf(np.arange(items + 1), items, shares[:, None])
        covered = ((low <= shares[:, None]) & (shares[:, None] <= high)) * chances
        assert round(float(covered.sum(axis=1).min()), 3) == expected
