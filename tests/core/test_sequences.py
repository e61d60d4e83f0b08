"""Doubts about the order and the repetition of the scores of systems."""

import numpy as np

from touchstone.core.sequences import sequence_doubts

IDS = [f"q{number}" for number in range(60)]


def test_items_that_come_twice_are_told_by_scores_of_many_values_only():
    random = np.random.default_rng(1)
    once = {name: random.random(30) for name in ("a", "b")}
    [doubt] = sequence_doubts("score", {name: np.tile(own, 2) for name, own in once.items()}, IDS)
    assert doubt.what == "the scores of the first 30 items come 2 times, for all systems"
    # 12 of 30 pairs of scores are different ones: ratings may well repeat.
    few = {name: np.append(own[:12], own[:12].repeat(2)[:18]) for name, own in once.items()}
    assert not sequence_doubts("score", {name: np.tile(own, 2) for name, own in few.items()}, IDS)
