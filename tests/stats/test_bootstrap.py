"""Bootstrap intervals, against closed forms and scipy."""

import tracemalloc

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from touchstone.core.errors import TouchstoneError
from touchstone.stats import (
    affordable_draws,
    bca,
    bootstrap,
    interval,
    jackknife,
    mean,
    mean_records,
    percentile,
    resampled_sums,
)

SKEWED = np.random.default_rng(11).exponential(size=60)
VALUES = arrays(np.float64, st.integers(1, 30), elements=st.floats(-100, 100))


def f_of_averages(sums):
    """F of average precision and average recall, from (P, R, counted)."""
    precision, recall = sums[..., 0] / sums[..., 2], sums[..., 1] / sums[..., 2]
    return 2 * precision * recall / (precision + recall)


def test_resampled_means_scatter_as_the_closed_form_says():
    """A resampled mean has the mean of the items and their variance over n, exactly."""
    means = mean(resampled_sums(mean_records(SKEWED), draws=20_000))
    assert means.mean() == pytest.approx(SKEWED.mean(), rel=0.005)
    assert means.std() == pytest.approx(SKEWED.std() / np.sqrt(60), rel=0.02)


def test_the_interval_of_a_share_is_that_of_its_binomial_distribution():
    records = mean_records(np.repeat([1.0, 0.0], [120, 280]))
    found = interval(records, mean, draws=20_000)
    expected = scipy.stats.binom(400, 0.3).ppf([0.025, 0.975]) / 400
    assert (found.low, found.high) == pytest.approx(tuple(expected), abs=1 / 400)


def test_blocks_of_items_are_drawn_as_if_there_were_none(monkeypatch):
    """Counts of n draws from n items are multinomial: variance 1 - 1/n, covariance -1/n within and across blocks."""
    monkeypatch.setattr(bootstrap, "BLOCK", 2)
    monkeypatch.setattr(bootstrap, "ROWS", 1000)
    counts = resampled_sums(np.eye(5), draws=40_000)
    assert (counts.sum(axis=1) == 5).all()
    assert np.cov(counts.T, bias=True) == pytest.approx(np.eye(5) - 1 / 5, abs=0.02)
    assert np.mean(counts == 0, axis=0) == pytest.approx(np.full(5, (1 - 1 / 5) ** 5), abs=0.01)


def test_every_draw_takes_as_many_items_as_there_are_across_blocks():
    n = 2 * bootstrap.BLOCK + 7
    sums = resampled_sums(np.ones((n, 1)), draws=bootstrap.ROWS + 3)
    assert (sums == n).all()


@pytest.mark.parametrize("n", [1, 3, bootstrap.BLOCK, bootstrap.BLOCK + 1])
def test_the_same_seed_gives_the_same_draws_and_another_seed_others(n):
    records = np.arange(2.0 * n).reshape(n, 2)
    first = resampled_sums(records, draws=20, seed=4)
    assert np.array_equal(first, resampled_sums(records, draws=20, seed=4))
    assert n == 1 or not np.array_equal(first, resampled_sums(records, draws=20, seed=5))


def test_the_draws_of_a_seed_are_those_of_numpys_generator():
    """``np.random.default_rng(0).integers(0, 5, 5)`` is 4 3 2 1 1."""
    assert resampled_sums(np.eye(5), draws=1, seed=0).tolist() == [[0, 2, 1, 1, 1]]


def test_columns_are_resampled_together_and_as_in_another_array_of_the_same_length():
    wide = np.random.default_rng(3).random((50, 4))
    both = resampled_sums(wide, draws=30)
    assert both[:, 2:] == pytest.approx(resampled_sums(wide[:, 2:], draws=30))


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


def test_the_jackknife_leaves_out_one_item_or_one_cluster():
    records = np.array([[0.5, 1.0, 1.0], [0.25, 0.5, 1.0], [1.0, 0.5, 1.0]])
    averages = [(0.625, 0.5), (0.75, 0.75), (0.375, 0.75)]
    assert jackknife(records, f_of_averages) == pytest.approx([2 * p * r / (p + r) for p, r in averages])
    assert jackknife(records, f_of_averages, clusters=np.array([1, 1, 2])) == pytest.approx([2 / 3, 0.5])


def test_replicates_without_a_value_are_left_out():
    replicates = np.array([np.nan, *range(101), np.inf])
    assert percentile(replicates, 0.5).low == 25
    assert percentile(replicates, 0.5).draws == 103
    jackknifed = np.array([49.0, 50.0, 51.0, np.nan])
    assert bca(replicates, 50.0, jackknifed, 0.5).low == pytest.approx(25)


@pytest.mark.parametrize("method", ["percentile", "bca"])
@pytest.mark.parametrize("records", [np.zeros((0, 2)), np.zeros((4, 2))])
def test_where_nothing_counts_there_is_no_interval(method, records):
    found = interval(records, mean, method=method, draws=10)
    assert np.isnan([found.low, found.high]).all()


@pytest.mark.parametrize("method", ["percentile", "bca"])
def test_equal_items_leave_no_doubt(method):
    found = interval(mean_records(np.ones(20)), mean, method=method, draws=50)
    assert (found.low, found.high) == (1.0, 1.0)


@settings(max_examples=40, deadline=None)
@given(VALUES, st.sampled_from(["percentile", "bca"]), st.floats(0.01, 0.99))
def test_an_interval_of_a_mean_is_ordered_and_lies_among_the_items(values, method, level):
    found = interval(mean_records(values), mean, method=method, draws=60, level=level)
    slack = 1e-9 * (1 + np.abs(values).max())
    assert values.min() - slack <= found.low <= found.high <= values.max() + slack


@settings(max_examples=40, deadline=None)
@given(VALUES, st.floats(0.05, 0.9))
def test_more_confidence_never_gives_a_narrower_interval(values, level):
    replicates = mean(resampled_sums(mean_records(values), draws=60))
    less, more = percentile(replicates, level), percentile(replicates, level + 0.05)
    assert more.low <= less.low
    assert less.high <= more.high


def test_draws_are_kept_for_a_million_items_and_fewer_beyond():
    assert affordable_draws(1_000_000, 1000) == 1000
    assert affordable_draws(4_000_000, 1000) == 500
    assert affordable_draws(10**10, 1000) == 100
    assert affordable_draws(10**10, 50) == 50
    assert affordable_draws(0, 1000) == 1000


def test_an_interval_says_that_it_made_fewer_draws(monkeypatch):
    monkeypatch.setattr(bootstrap, "UNIT_DRAWS", 12_000)
    assert interval(mean_records(SKEWED), mean, draws=1000).draws == 200


def test_many_items_are_resampled_in_little_memory():
    """The counts of all items and draws would take 200,000 x 300 x 8 bytes = 480 MB."""
    records = np.ones((200_000, 12))
    tracemalloc.start()
    sums = resampled_sums(records, draws=300)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert (sums == 200_000).all()
    assert peak < 64 * 2**20


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"draws": 0}, "0 draws asked for"),
        ({"seed": -1}, "seed -1 is below 0"),
        ({"level": 95}, "level 95 is not between 0 and 1"),
        ({"method": "bcaa"}, 'unknown method of interval: "bcaa"; nearest valid name "bca"'),
    ],
)
def test_requests_that_make_no_sense_are_refused(options, said):
    with pytest.raises(TouchstoneError) as refusal:
        interval(mean_records(SKEWED), mean, **options)
    assert str(refusal.value).startswith(said)


def test_resampling_refuses_no_draws():
    with pytest.raises(TouchstoneError, match="-1 draws asked for"):
        resampled_sums(np.ones((2, 1)), draws=-1)
