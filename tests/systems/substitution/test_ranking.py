"""Features, the log-linear ranker and the boundary."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from touchstone import TouchstoneError
from touchstone.lexicon import wordnet
from touchstone.systems.substitution.candidates import Way, find_candidates
from touchstone.systems.substitution.features import NAMES, OF_ITSELF, Features, check_features
from touchstone.systems.substitution.ranking import LogLinear, cut
from touchstone.systems.substitution.resources import Resources
from touchstone.systems.substitution.targets import MarkedText, find_targets
from touchstone.systems.substitution.training import choose_fixed, choose_threshold, f_value, fit


def target(text="They lost the match", word="match", pos="n"):
    start = text.index(word)
    [found] = find_targets([MarkedText(text, (start, start + len(word)), pos, word)])
    return found


def table(names, candidates, **resources):
    return Features(names, **resources).table(target(), candidates)


CANDIDATES = find_candidates(wordnet(), "match", "n", 3, twice=True)


def test_features_are_standardised_over_the_candidates_but_ways_are_flags():
    names = [name for name in OF_ITSELF if name.startswith(("sense.", "word."))]
    found = table(names, CANDIDATES)
    assert found.mean(0) == pytest.approx(np.zeros(len(names)), abs=1e-9)
    assert found.std(0) == pytest.approx(np.ones(len(names)))
    ways = table([name for name in OF_ITSELF if name.startswith("way.")], CANDIDATES)
    assert set(ways.ravel()) == {0.0, 1.0}
    assert ways.sum(1).tolist() == [1.0] * len(CANDIDATES)


def test_a_feature_that_tells_nothing_is_zero():
    assert table(["word.phrase", "sense.order"], CANDIDATES[:1]).tolist() == [[0.0, 0.0]]


def test_a_phrase_that_contains_the_target_and_a_commoner_sense_are_told_apart():
    found = dict(zip([c.word for c in CANDIDATES], table(["word.contains", "sense.prior"], CANDIDATES), strict=True))
    contains = [word for word, row in found.items() if row[0] > 0]
    assert all("match" in word.split() for word in contains)
    # match.n: the fire-lighting sense is the commonest in the counts behind WordNet, a spouse is a rare one
    assert found["lucifer"][1] > found["catch"][1]


def test_an_unknown_feature_is_refused_with_the_nearest():
    with pytest.raises(TouchstoneError, match=r'nearest valid name "sense\.order"'):
        check_features(["sense.ordr"])


def test_scores_are_the_sum_of_their_reasons():
    ranker = LogLinear({"sense.order": 0.7, "word.frequency": -0.2}, Resources())
    found = ranker.rank(target(), CANDIDATES)
    assert found.values == pytest.approx(sum(found.reasons.values()))
    assert list(found.reasons) == ["sense.order", "word.frequency"]
    assert "2 weights #" in ranker.signature
    other = LogLinear({"sense.order": 0.8, "word.frequency": -0.2}, Resources())
    assert other.signature != ranker.signature
    assert "WordNet 3.0#" in ranker.signature


def test_weights_follow_what_people_said_and_the_penalty_holds_them_back():
    good = np.array([[1.0, 0.3], [-1.0, 0.1], [0.0, -0.4]])
    gold = np.array([3.0, 0.0, 1.0])
    free, held = fit([good] * 5, [gold] * 5, 0.001), fit([good] * 5, [gold] * 5, 1.0)
    assert free[0] > held[0] > 0
    assert np.linalg.norm(held) < np.linalg.norm(free)


def test_the_fit_is_where_the_gradient_vanishes():
    chance = np.random.default_rng(1)
    tables = [chance.normal(size=(n, 3)) for n in (4, 7, 5)]
    golds = [chance.integers(0, 3, n).astype(float) + np.eye(n)[0] for n in (4, 7, 5)]
    weights = fit(tables, golds, 0.05)
    gradient = 2 * 0.05 * weights
    for rows, gold in zip(tables, golds, strict=True):
        p = np.exp(rows @ weights) / np.exp(rows @ weights).sum()
        gradient += rows.T @ (p - gold / gold.sum()) / 3
    assert gradient == pytest.approx(np.zeros(3), abs=1e-4)


def test_items_that_nobody_answered_from_the_candidates_say_nothing():
    rows, gold = np.array([[1.0], [0.0]]), np.array([1.0, 0.0])
    assert fit([rows, rows], [gold, gold * 0], 0.1) == pytest.approx(fit([rows], [gold], 0.1))


def test_the_boundary_keeps_answers_whose_weight_is_a_fair_share_of_the_first():
    scores = np.log([0.5, 0.25, 0.12, 0.1, 0.03])
    assert cut(scores, 0.5) == 2
    assert cut(scores, 0.2) == 4
    assert cut(scores, 1.0) == 1
    assert cut(np.zeros(0), 0.5) == 0


@given(arrays(float, st.integers(1, 20), elements=st.floats(-50, 50)), st.floats(0.01, 1), st.floats(0.01, 1))
def test_a_higher_threshold_never_keeps_more_and_one_answer_is_always_kept(scores, one, other):
    best_first = -np.sort(-scores)
    low, high = sorted((one, other))
    assert 1 <= cut(best_first, high) <= cut(best_first, low) <= len(best_first)


def test_f_is_of_averages():
    # item 1 keeps both (P 3/4, R 3/4); item 2 keeps a wrong one (P 0, R 0): averages 3/8 and 3/8
    assert f_value([2, 1], [np.array([3.0, 0.0]), np.array([0.0, 2.0])], [4.0, 2.0]) == pytest.approx(3 / 8)


def test_threshold_and_fixed_number_are_those_of_the_greatest_f():
    scores = [np.log([0.6, 0.5, 0.1]), np.log([0.9, 0.1, 0.05])]
    earned = [np.array([2.0, 2.0, 0.0]), np.array([3.0, 0.0, 0.0])]
    chosen = choose_threshold(scores, earned, [4.0, 3.0])
    assert [cut(row, chosen) for row in scores] == [2, 1]
    assert f_value([2, 1], earned, [4.0, 3.0]) == 1.0
    assert choose_fixed([np.array([1.0, 0.0, 0.0])] * 3, [1.0] * 3) == 1


def test_every_way_has_a_feature():
    assert all(f"way.{way.name.lower()}" in NAMES for way in Way)
