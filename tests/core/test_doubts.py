"""Doubts that tell a mistake from a weak system: what they ask for beside a sign test."""

import numpy as np

from touchstone.core.doubts import doubt_order


def lifted(gain, part):
    """Return how well answers match, where the last *part* of 60 items match the next item's gold better by *gain*."""
    better = np.arange(60) >= 60 - part

    def match(moved):
        return np.where(better & (moved == 1), 0.4 + gain, 0.4) if moved in (0, 1) else np.full(60, 0.1)

    return match


def test_a_part_is_shifted_only_if_it_matches_its_neighbours_by_far_better():
    [doubt] = doubt_order("mine", lifted(0.4, 12), item="pair", what="labels")
    assert doubt.what == "its labels match the gold of the next pair better than their own, on the last 12 of 60 items"
    assert not doubt_order("mine", lifted(0.05, 12), item="pair", what="labels")
