"""Drawing with replacement, against closed forms."""

import tracemalloc

import numpy as np
import pytest

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.stats import affordable_draws, bootstrap, mean, mean_records, resampled_sums

SKEWED = np.random.default_rng(11).exponential(size=60)


def test_resampled_means_scatter_as_the_closed_form_says():
    """A resampled mean has the mean of the items and their variance over n, exactly."""
    means = mean(resampled_sums(mean_records(SKEWED), draws=20_000))
    assert means.mean() == pytest.approx(SKEWED.mean(), rel=0.005)
    assert means.std() == pytest.approx(SKEWED.std() / np.sqrt(60), rel=0.02)


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


def test_draws_are_kept_for_a_million_items_and_fewer_beyond():
    assert affordable_draws(1_000_000, 1000) == 1000
    assert affordable_draws(4_000_000, 1000) == 500
    assert affordable_draws(10**10, 1000) == 100
    assert affordable_draws(10**10, 50) == 50
    assert affordable_draws(0, 1000) == 1000


def test_many_items_are_resampled_in_little_memory():
    """The counts of all items and draws would take 200,000 x 300 x 8 bytes = 480 MB."""
    records = np.ones((200_000, 12))
    tracemalloc.start()
    sums = resampled_sums(records, draws=300)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert (sums == 200_000).all()
    assert peak < 64 * 2**20


def test_resampling_refuses_no_draws():
    with pytest.raises(TouchstoneError) as error:
        resampled_sums(np.ones((2, 1)), draws=-1)
    assert error.value.code == Code.OUT_OF_RANGE


def test_the_usual_seed_is_zero():
    records = mean_records(np.arange(9.0))
    assert np.array_equal(resampled_sums(records, draws=20), resampled_sums(records, draws=20, seed=0))
