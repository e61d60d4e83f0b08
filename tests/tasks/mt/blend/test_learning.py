"""Learning the weights of blend: what tells good from bad weighs, what does not weighs nothing."""

import numpy as np
import pytest
from training.mt_blend_weights import DESIGNS, Design, Ranked, choose, each_left_out, learn, ranked, tau
from training.mt_rankings import Group

from touchstone.tasks.mt.judges.metaeval.preferences import Preferences
from touchstone.tasks.mt.model import Texts


def group(seed, tells):
    """Return rankings of two systems that follow the layer *tells* and no other."""
    n = 300
    layers = np.random.default_rng(seed).uniform(0.1, 1, (n, 2, 5))
    ahead = np.sign(layers[:, 0, tells] - layers[:, 1, tells]).astype(np.int64)
    place = np.arange(n)
    said = Preferences(place, np.zeros(n, np.int64), np.ones(n, np.int64), ahead, n, 2)
    return Ranked(said, layers)


@pytest.mark.parametrize("tells", [0, 1, 2, 3])
def test_the_layer_that_tells_good_from_bad_gets_the_weight(tells):
    weights = learn([group(1, tells), group(2, tells)])
    assert weights[:-1].sum() == pytest.approx(1)
    assert weights[:-1].argmax() == tells
    assert weights[tells] > 0.9
    assert (weights >= 0).all()


def test_known_words_get_a_power_where_they_tell_and_none_where_they_do_not():
    assert learn([group(1, 4)])[-1] > 10 * learn([group(1, 0)])[-1]


def test_what_is_not_used_weighs_nothing():
    weights = learn([group(1, 0)], Design(("characters", "tags"), known=False).used)
    assert weights[[0, 3, 4]].tolist() == [0, 0, 0]


def test_the_design_that_does_best_on_what_was_left_out_is_chosen():
    assert choose([group(seed, 1) for seed in (1, 2)]) == Design(("characters",), known=False)


def test_every_design_is_tried_once():
    assert len(DESIGNS) == len(set(DESIGNS)) == 2 * (2**4 - 1)


def test_each_group_is_left_out_in_turn():
    groups = [group(seed, 0) for seed in range(3)]
    assert [(one, others) for one, others in each_left_out(groups)] == [
        (groups[0], groups[1:]),
        (groups[1], [groups[0], groups[2]]),
        (groups[2], groups[:2]),
    ]


def test_tau_counts_ties_of_the_measure_as_discordant():
    said = group(1, 0).said
    assert tau(np.ones((300, 2)), said) == -1


def test_layers_are_worked_out_where_a_judge_looked_and_nowhere_else():
    said = Preferences(*(np.array([n]) for n in (1, 0, 1, 1)), n_segments=2, n_systems=3)
    texts = Texts(["a dog", "a cat"])
    found = ranked(Group(texts, (texts, texts, texts), said)).layers
    assert np.isnan(found[0]).all()
    assert found[1, :2].tolist() == [[1] * 5] * 2
    assert np.isnan(found[1, 2]).all()
