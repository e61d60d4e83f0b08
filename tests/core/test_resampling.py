"""Intervals of measures and of differences: which method an interval names, and what it is drawn over."""

import numpy as np
import pytest

from touchstone.core.measures import Measure
from touchstone.core.resampling import Resampling, difference_intervals
from touchstone.stats import mean, mean_records

SHARE = Measure("share", lambda joined: joined, mean, "a share")
A, B = (mean_records(np.array(values)) for values in ([1.0, 0, 1, 1, 0, 1], [0.0, 0, 1, 0, 0, 1]))


@pytest.mark.parametrize(
    ("asked", "made", "draws"),
    [("jackknife", "jackknife", 0), ("percentile", "percentile", 50), ("bca", "percentile", 50), ("none", "none", 0)],
)
def test_the_interval_of_a_difference_names_its_method_and_draws(asked, made, draws):
    (ends,) = difference_intervals([A, B], [(0, 1)], SHARE, Resampling(asked, draws=50), None)
    assert (ends.method, ends.draws) == (made, draws)
