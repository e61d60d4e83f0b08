"""The next items for people: probabilities that hold, totals that stay unbiased, more items where the judge errs."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.stats.sampling import UNIFORM_SHARE, draw_next, proportional, residual_sizes, systematic

DRAWS = 2000


@settings(max_examples=50)
@given(st.lists(st.floats(0.01, 100), min_size=1, max_size=30), st.floats(0.01, 0.99))
def test_probabilities_are_proportional_to_sizes_unless_they_reach_one(sizes, share):
    sizes = np.array(sizes)
    found = proportional(sizes, share * len(sizes))
    assert found.sum() == pytest.approx(share * len(sizes))
    assert found.max() <= 1
    free = found < 1
    assert found[free] / sizes[free] == pytest.approx((found[free] / sizes[free])[:1].repeat(free.sum()))


def test_items_are_drawn_as_often_as_their_probabilities_say():
    wanted = np.array([0.1, 0.3, 0.6, 0.9, 1.0, 0.45, 0.65])
    drawn = np.zeros(len(wanted))
    for seed in range(DRAWS):
        places = systematic(wanted, seed)
        assert len(set(places.tolist())) == 4
        drawn[places] += 1
    assert drawn / DRAWS == pytest.approx(wanted, abs=4 * np.sqrt(0.25 / DRAWS))


def test_two_uniform_draws_are_one_uniform_draw():
    first = draw_next(5, np.zeros(40, bool))
    assert first.probability[first.chosen] == pytest.approx(5 / 40)
    judged = np.isfinite(first.probability)
    second = draw_next(7, judged, earlier=first.probability, seed=1)
    assert np.count_nonzero(np.isfinite(second.probability)) == 12
    assert not judged[second.chosen].any()
    assert second.probability[np.isfinite(second.probability)] == pytest.approx(12 / 40)


def test_a_draw_of_all_items_knows_the_total():
    first = draw_next(3, np.zeros(9, bool), sizes=np.arange(1.0, 10))
    last = draw_next(6, np.isfinite(first.probability), earlier=first.probability, sizes=np.arange(9.0))
    assert last.probability == pytest.approx(np.ones(9))


def test_the_weighted_total_is_unbiased_after_draws_that_depend_on_what_was_seen():
    values = np.array([1.0, 0, 2, 9, 4, 1, 7, 3, 0, 5, 6, 2])
    totals = []
    for seed in range(DRAWS):
        sample = draw_next(3, np.zeros(12, bool), seed=3 * seed)
        for wave in (1, 2):
            judged = np.isfinite(sample.probability)
            seen = values[judged].mean()
            sizes = np.abs(np.arange(12) - seen)  # an odd choice, but one that depends on the values
            sample = draw_next(2, judged, earlier=sample.probability, sizes=sizes, seed=3 * seed + wave)
        judged = np.isfinite(sample.probability)
        totals.append((values[judged] / sample.probability[judged]).sum())
    error = np.std(totals) / np.sqrt(DRAWS)
    assert np.mean(totals) == pytest.approx(values.sum(), abs=4 * error)
    assert error < 0.01 * values.sum()


def test_each_stratum_gets_its_share():
    strata = np.repeat([0, 1, 2], [50, 30, 20])
    for seed in range(20):
        chosen = draw_next(25, np.zeros(100, bool), strata=strata, seed=seed).chosen
        counts = np.bincount(strata[chosen])
        assert all(abs(count - share) < 1 for count, share in zip(counts, (12.5, 7.5, 5), strict=True))


def test_more_items_are_drawn_where_the_judge_errs_and_none_is_left_out():
    random = np.random.default_rng(0)
    judge = random.random((1000, 1))
    human = judge + np.where(judge > 0.8, 0.5, 0.05) * random.normal(size=(1000, 1))
    judged = np.arange(1000) < 100
    sizes = residual_sizes(np.where(judged[:, None], human, np.nan), judge)
    unsure = judge[:, 0] > 0.8
    assert sizes[unsure].mean() > 2 * sizes[~unsure].mean()
    chosen = np.concatenate([draw_next(100, judged, sizes=sizes, seed=seed).chosen for seed in range(30)])
    assert unsure[chosen].mean() > 1.5 * unsure.mean()
    least = np.nanmin(draw_next(100, judged, sizes=sizes).probability)
    assert least >= UNIFORM_SHARE * 200 / 1000


def test_systems_that_disagree_tell_where_the_judge_errs():
    random = np.random.default_rng(1)
    hard = random.random((600, 1)) < 0.3
    judge = random.normal(size=(600, 4)) * np.where(hard, 2.0, 0.5)
    human = judge + random.normal(size=(600, 4)) * np.where(hard, 1.0, 0.1)
    sizes = residual_sizes(np.where(np.arange(600)[:, None] < 60, human, np.nan), judge)
    assert sizes[hard[:, 0]].mean() > 2 * sizes[~hard[:, 0]].mean()


@pytest.mark.parametrize("judge", [np.ones((30, 1)), np.arange(30.0)[:, None]], ids=["constant", "perfect"])
def test_a_constant_judge_and_a_perfect_one_leave_all_items_alike(judge):
    human = np.where(np.arange(30)[:, None] < 20, np.arange(30.0)[:, None], np.nan)
    assert residual_sizes(human, judge) == pytest.approx(1.0)


def test_what_cannot_be_drawn_is_refused_with_a_sentence():
    with pytest.raises(TouchstoneError) as error:
        draw_next(5, np.zeros(4, bool))
    assert error.value.code == Code.TOO_FEW
    with pytest.raises(TouchstoneError) as error:
        draw_next(1, np.array([True, False]), earlier=np.array([0.0, np.nan]))
    assert error.value.code == Code.OUT_OF_RANGE
    with pytest.raises(TouchstoneError) as error:
        residual_sizes(np.array([[1.0], [2.0], [np.nan]]), np.ones((3, 1)))
    assert error.value.code == Code.TOO_FEW
