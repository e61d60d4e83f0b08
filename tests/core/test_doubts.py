"""Doubts that tell a mistake from a weak system: what they ask for beside a sign test."""

import numpy as np

from touchstone.core.doubts import doubt_labels, doubt_order


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


def test_items_that_are_wrong_in_both_readings_are_no_evidence_for_exchanged_labels():
    gold = np.array([0, 1, 0, 1, 0, 2, 2, 2])
    given = np.array([1, 0, 1, 0, 1, 0, 1, 0])  # 5 are right once the first two labels are exchanged, 3 never
    assert not doubt_labels("mine", gold, given, ["yes", "no", "maybe"], flag="label")
    longer = doubt_labels("mine", np.tile(gold, 2), np.tile(given, 2), ["yes", "no", "maybe"], flag="label")
    assert "10 would be if its yes meant no and its no meant yes" in longer[0].what


def test_gold_that_repeats_itself_is_no_evidence_for_a_shift():
    near = lifted(0.4, 12)

    def repeated(moved):
        return near(1) if moved == 2 else near(moved)

    assert not doubt_order("mine", repeated, item="pair", what="labels")
