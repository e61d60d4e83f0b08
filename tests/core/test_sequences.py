"""Doubts about the order and the repetition of the scores of systems."""

import numpy as np
import pytest

from touchstone.core.scores import Scores
from touchstone.core.sequences import sequence_doubts

IDS = [f"q{number}" for number in range(60)]


def test_items_that_come_twice_are_told_by_scores_of_many_values_only():
    random = np.random.default_rng(1)
    once = {name: random.random(30) for name in ("a", "b")}
    [doubt] = sequence_doubts(Scores("score", {name: np.tile(own, 2) for name, own in once.items()}, IDS))
    assert doubt.what == "the scores of the first 30 items come 2 times, for all systems"
    # 12 of 30 pairs of scores are different ones: ratings may well repeat.
    few = {name: np.append(own[:12], own[:12].repeat(2)[:18]) for name, own in once.items()}
    assert not sequence_doubts(Scores("score", {name: np.tile(own, 2) for name, own in few.items()}, IDS))


@pytest.mark.parametrize(("correlation", "doubted"), [(0.37, True), (0.383, False)])
def test_a_sorted_column_is_doubted_where_it_goes_with_no_other_at_the_level_05(correlation, doubted):
    """Fisher's z of 20 items is 1.60 and 1.66."""
    rising = np.arange(20.0) / 20
    rest = np.random.default_rng(2).random(20)
    rest -= np.polyval(np.polyfit(rising, rest, 1), rising)
    other = correlation * (rising - rising.mean()) / rising.std() + (1 - correlation**2) ** 0.5 * rest / rest.std()
    doubts = sequence_doubts(Scores("score", {"a": rising, "b": other / 10 + 0.5}, IDS[:20]))
    assert [doubt.cause for doubt in doubts] == ["the column may be sorted by itself"] * doubted
