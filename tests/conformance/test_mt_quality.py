"""What docs/mt_quality.md says of blend: how far it is ahead of chrF and METEOR on ranks of 2012 and on MQM of 2021.

The figures were measured by training/evaluate_mt_blend.py, whose folds share no system, segment or reference.
"""

import numpy as np
import pytest
from training.evaluate_mt_blend import (
    PAIRS,
    TED,
    Judged,
    blended,
    learn,
    name_halves,
    read_groups,
    strict_folds,
    strict_pairs,
)
from training.mt_rankings import compare_segments

from touchstone.tasks.mt.judges.metaeval.preferences import Preferences

# Rival: how far blend is ahead under each rule on WMT 2012 (mean of the three pairs) and on TED.
AHEAD = {
    "chrf": ((0.0838, 0.0828, 0.0354), (0.0085, 0.0061, 0.0009)),
    "meteor(classic)": ((0.1242, 0.0840, 0.0431), (0.0658, 0.0096, -0.0006)),
    "meteor(tuned)": ((0.1231, 0.0829, 0.0426), (0.0658, 0.0096, 0.0006)),
}
RULES = ("discordant", "skip", "acc_eq")


@pytest.mark.soak
def test_blend_is_ahead_by_what_the_docs_say_and_learning_brings_nothing(data):
    groups = read_groups(data("wmt12").parent, None)
    for rival, figures in AHEAD.items():
        for pairs, wanted in zip((PAIRS, (TED,)), figures, strict=True):
            said = [groups[pair].preferences for pair in pairs]
            own = [blended(groups[pair].layers) for pair in pairs]
            found = compare_segments(own, [groups[pair].scores[rival] for pair in pairs], said, swaps=1)
            assert [found[rule].difference for rule in RULES] == pytest.approx(wanted, abs=1e-4), (rival, pairs)
    chrf = compare_segments([blended(groups[TED].layers)], [groups[TED].scores["chrf"]], [groups[TED].preferences])
    assert chrf["discordant"].low < 0 < chrf["discordant"].high  # not for certain

    values, weights = strict_folds(groups, known=True)
    assert np.mean(weights, axis=0)[:3] == pytest.approx([0.30, 0.40, 0.30], abs=0.01)
    learned, equal = [values[pair] for pair in PAIRS], [blended(groups[pair].layers) for pair in PAIRS]
    found = compare_segments(learned, equal, strict_pairs(groups), swaps=1)["discordant"]
    assert found.difference == pytest.approx(0.0031, abs=1e-4)
    assert found.low < 0 < found.high


def group(seed, tells, names=("x", "y")):
    """Return comparisons of two systems that follow the layer *tells* and no other."""
    n = 300
    layers = np.random.default_rng(seed).uniform(0.1, 1, (n, 2, 4))
    ahead = np.sign(layers[:, 0, tells] - layers[:, 1, tells]).astype(np.int64)
    said = Preferences(np.arange(n), np.zeros(n, np.int64), np.ones(n, np.int64), ahead, n, 2)
    return Judged(said, names, layers, {})


@pytest.mark.parametrize("tells", [0, 1, 2])
def test_the_layer_that_tells_good_from_bad_gets_the_weight(tells):
    weights = learn([group(1, tells), group(2, tells)], known=True)
    assert weights[:-1].sum() == pytest.approx(1)
    assert weights[tells] > 0.9
    assert learn([group(1, 3)], known=True)[-1] > 10 * learn([group(1, tells)], known=True)[-1]


def test_a_fold_learns_from_no_system_segment_or_pair_that_it_is_tested_on():
    seen = group(1, 0, ("x", "y"))
    kept = seen.only(np.array([1, 1]), slice(0, 100))
    assert len(kept.preferences) == 100
    assert len(seen.only(np.array([1, 0]), slice(0, 300)).preferences) == 0
    halves = name_halves({pair: group(1, 0, ("jhu-heiro", "JHU-hiero")) for pair in PAIRS})
    assert list(halves) == ["jhu-hiero"]  # one system under two spellings
