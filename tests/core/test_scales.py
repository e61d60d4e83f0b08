"""Doubts about columns of scores: strays, scales and rows that summarise others."""

import numpy as np
import pytest

from touchstone.core.scales import column_doubts

DRAWS = np.random.default_rng(3)
SYSTEMS = {name: DRAWS.uniform(0.1, 0.9, 30) for name in ("gpt", "bert", "t5")}


def causes(measure, values):
    return [(doubt.system, doubt.cause) for doubt in column_doubts(measure, values)]


def test_a_far_value_among_fractions_is_a_stray_but_not_among_times():
    stray = {**SYSTEMS, "bert": np.append(SYSTEMS["bert"][1:], 999.0)}
    [(system, cause)] = causes("score", stray)
    assert (system, cause.partition(";")[0]) == ("bert", "correct it")
    assert not causes("seconds", stray)


def test_counts_that_are_mostly_0_and_1_may_go_far():
    hits = np.append(np.tile([0.0, 1.0], 15)[1:], 12.0)
    assert not causes("hits", {"gpt": hits, "bert": hits[::-1] + 0.0, "t5": np.roll(hits, 3)})


def test_fractions_beside_ratings_are_on_another_scale():
    ratings = np.tile([1.0, 2, 3, 4, 5], 6)
    assert [name for name, _ in causes("score", {"gpt": SYSTEMS["gpt"], "bert": ratings})] == ["bert"]


SUMMARIES = {
    "mean": lambda others: others.mean(axis=0),
    "median": lambda others: np.median(others, axis=0),
    "sum": lambda others: others.sum(axis=0),
    "max": lambda others: others.max(axis=0),
    "min": lambda others: others.min(axis=0),
    "std": lambda others: others.std(axis=0),
    "stddev": lambda others: others.std(axis=0, ddof=1),
}


@pytest.mark.parametrize("name", SUMMARIES)
def test_a_system_that_summarises_all_others_by_name_and_values_is_none(name):
    computed = SUMMARIES[name](np.array(list(SYSTEMS.values())))
    assert [system for system, _ in causes("score", {**SYSTEMS, name: computed})] == [name]


@pytest.mark.parametrize("name", ["max", "mini"])
def test_a_system_with_the_name_of_a_summary_and_scores_of_its_own_is_a_system(name):
    assert not causes("score", {**SYSTEMS, name: DRAWS.uniform(0.1, 0.9, 30)})


def test_the_only_other_system_cannot_be_summarised():
    assert not causes("score", {"gpt": SYSTEMS["gpt"], "max": SYSTEMS["gpt"] + 0.0, "bert": SYSTEMS["bert"]})


def test_a_far_value_among_ratings_with_one_decimal_is_a_stray():
    ratings = np.tile([1.0, 2.5, 3.5, 4.0, 5.0], 6)
    [(system, cause)] = causes("score", {"gpt": ratings, "bert": np.append(ratings[1:], 44.0)})
    assert (system, cause.partition(";")[0]) == ("bert", "correct it")


def test_a_constant_score_of_each_system_is_doubted_unless_somebody_gave_it():
    assert not causes("score", {"gpt": np.full(30, 0.7), "bert": np.full(30, 0.65)})
    assert causes("score", {"gpt": np.full(30, 0.7133), "bert": np.full(30, 0.6481)})


def test_a_system_that_is_ahead_by_the_same_everywhere_is_not_another_one_rounded():
    scores = np.arange(30) * 7 % 10 / 10
    assert not causes("score", {"gpt": scores + 3.0, "bert": scores + 2.95})
    exact = np.random.default_rng(6).uniform(1, 5, 30)
    assert [name for name, _ in causes("score", {"gpt": exact, "bert": np.round(exact, 1)})] == ["bert"]
