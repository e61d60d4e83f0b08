"""Few human scores joined with many of a judge: arithmetic, and what must hold whatever the judge is."""

from dataclasses import replace

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.core.measures import harmonic_mean
from touchstone.stats import cluster_records, interval, mean, mean_records
from touchstone.stats.prediction_powered import (
    Influences,
    _variance,
    human_only,
    influences,
    joined,
    published_weight,
    tuned_weight,
)

RANDOM = np.random.default_rng(3)
HUMAN = RANDOM.normal(3, 1, 200)
JUDGE = HUMAN + RANDOM.normal(0.4, 0.5, 200)
CLUSTERS = np.arange(200) // 4


def some(records, n):
    """Records of the first *n* items; people did not score the others."""
    return np.where(np.arange(len(records))[:, None] < n, records, np.nan)


def both(human=HUMAN, judge=JUDGE, n=40, **options):
    return influences(some(mean_records(human), n), mean_records(judge), mean, **options)


def width(estimate):
    return estimate.high - estimate.low


def test_the_joined_mean_is_people_moved_by_weight_times_what_the_judge_knows_of_the_rest():
    human, judge = np.array([1.0, 2, 3, 4, 5, 6]), np.array([2.0, 2, 4, 4, 6, 6, 6, 6, 6, 6, 6, 6])
    part = influences(some(mean_records(np.tile(human, 2)), 6), mean_records(judge), mean)
    weight = np.cov(human, judge[:6])[0, 1] / np.var(judge[:6], ddof=1)  # the slope of a regression
    assert tuned_weight(part) == pytest.approx(weight)
    assert part.value(weight) == pytest.approx(3.5 + weight * (5 - 4))


@pytest.mark.parametrize("clusters", [None, CLUSTERS])
@pytest.mark.parametrize(("values", "bounded"), [(HUMAN, False), (HUMAN > 3.5, True)])
def test_human_only_is_what_a_scoring_of_the_human_items_gives(values, bounded, clusters):
    records = mean_records(values.astype(float))
    scored = cluster_records(records[:40], None if clusters is None else clusters[:40])
    expected = interval(scored, mean, bounded=bounded)
    found = human_only(
        influences(some(records, 40), mean_records(JUDGE), mean, clusters=clusters),
        shape="bounded" if bounded else "free",
        limits=(0.0, 1.0) if bounded else None,
    )
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high))
    assert found.value == pytest.approx(values[:40].mean())


def test_human_only_of_a_fold_is_what_a_scoring_gives():
    records = np.column_stack([RANDOM.random(200), RANDOM.random(200), np.ones(200)])
    expected = interval(records[:40], harmonic_mean, bounded=True)
    found = human_only(influences(some(records, 40), records, harmonic_mean), shape="bounded")
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high))


def test_a_fold_that_is_a_mean_in_other_words_gives_the_same():
    records = np.column_stack([2 * HUMAN, np.full(200, 2.0)])
    judged = np.column_stack([2 * JUDGE, np.full(200, 2.0)])
    part = influences(some(records, 40), judged, lambda sums: sums[..., 0] / sums[..., 1])
    assert joined(part).low == pytest.approx(joined(both()).low)


def test_an_item_that_does_not_count_for_people_leaves_labels_and_clusters():
    records = mean_records(HUMAN)
    records[3] = 0
    part = influences(some(records, 40), mean_records(JUDGE), mean)
    assert (part.labels, part.clusters) == (39, 39)


@pytest.mark.parametrize(("factor", "shift"), [(1, 5), (100, 0), (0.01, -3)])
def test_units_of_the_judge_do_not_matter(factor, shift):
    found, plain = joined(both(judge=factor * JUDGE + shift)), joined(both())
    assert (found.value, found.low, found.high) == pytest.approx((plain.value, plain.low, plain.high))


@pytest.mark.parametrize("judge", [np.ones(200), -JUDGE, RANDOM.permutation(JUDGE)])
def test_a_judge_that_does_not_help_leaves_human_only(judge):
    part = both(judge=judge)
    assert joined(part) == human_only(part)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10_000), st.integers(5, 60), st.floats(-1, 1))
def test_both_is_never_wider_than_human_only(seed, n, along):
    random = np.random.default_rng(seed)
    human = random.normal(size=100)
    part = both(human, along * human + random.normal(size=100), n)
    assert width(joined(part)) <= width(human_only(part))


@pytest.mark.parametrize("away", [0.0, 0.3, -1.0])
def test_a_cluster_that_tunes_the_weight_counts_as_if_it_had_not(away):
    """The error is that of a jackknife in which the weight is tuned anew without each item."""
    part = both()
    known = part.judge + away  # what the judge says of all items, as an exact number
    part = replace(part, judge_all=known, by_all=np.zeros(200))
    left = [both(*(np.delete(side, one) for side in (HUMAN, JUDGE)), 39) for one in range(40)]
    anew = np.array([one.human + tuned_weight(one) * (known - one.judge) for one in left])
    jackknifed = np.sqrt(39 / 40 * np.sum((anew - anew.mean()) ** 2))
    assert np.sqrt(np.sum(part.tuned_moves(tuned_weight(part)) ** 2)) == pytest.approx(jackknifed, rel=0.03)


def test_a_judge_that_is_off_by_the_same_everywhere_is_corrected():
    exact = both(judge=HUMAN + 7)
    assert joined(exact).value == pytest.approx(HUMAN.mean())
    assert exact.judge_all == pytest.approx(HUMAN.mean() + 7)


def test_the_influence_of_a_difference_is_the_difference_of_influences():
    a, b = both(), both(human=HUMAN[::-1], judge=JUDGE[::-1])
    direct = both(human=HUMAN - HUMAN[::-1], judge=JUDGE - JUDGE[::-1])
    assert joined(a - b, shape="difference").low == pytest.approx(joined(direct, shape="difference").low)
    assert tuned_weight(a - b) == pytest.approx(tuned_weight(direct))


def test_systems_that_people_scored_on_other_items_differ_as_two_samples_do():
    records, other = mean_records(HUMAN), mean_records(JUDGE)
    late = np.where(np.arange(200)[:, None] >= 160, records, np.nan)
    a, b = influences(some(records, 40), other, mean), influences(late, other, mean)
    error = human_only(a - b, shape="difference").error
    assert error == pytest.approx(np.hypot(HUMAN[:40].std(ddof=1), HUMAN[160:].std(ddof=1)) / 40**0.5, rel=1e-6)


def test_equal_probabilities_count_as_none():
    found, plain = joined(both(probability=np.full(200, 0.2))), joined(both())
    assert (found.value, found.low) == pytest.approx((plain.value, plain.low))


def test_an_item_with_half_the_chance_counts_twice():
    human, chance = np.array([0.0, 1, 2, 3, 4, 5, 6, 7]), np.array([0.5] * 4 + [0.25] * 4)
    part = influences(mean_records(human), mean_records(human), mean, probability=chance)
    assert part.human == pytest.approx((0 + 1 + 2 + 3 + 2 * (4 + 5 + 6 + 7)) / 12)
    assert part.clusters == pytest.approx(12**2 / (4 + 4 * 4))


def test_in_a_finite_set_a_share_that_was_scored_leaves_the_rest_of_the_variance():
    source, one_fifth = human_only(both()), human_only(both(population="set"))
    assert one_fifth.error == pytest.approx(source.error * (1 - 40 / 200) ** 0.5)


def test_a_set_that_people_scored_as_a_whole_has_no_error():
    found = joined(both(n=200, population="set"))
    assert (found.low, found.value, found.high) == pytest.approx((HUMAN.mean(),) * 3)


def test_a_perfect_judge_of_everything_is_worth_all_items():
    same = np.tile(HUMAN[:40], 5)  # what people did not score varies as what they scored
    assert joined(both(same, same)).effective == pytest.approx(200, rel=0.03)


def test_effective_labels_of_human_only_are_the_labels():
    assert human_only(both()).effective == 40
    assert human_only(both(population="set")).effective == pytest.approx(40)


def test_a_judge_that_is_always_right_on_a_few_yes_or_no_items_gets_one_disagreement():
    truth = (HUMAN > 3.5).astype(float)
    part = both(truth, truth, n=30, population="set")
    furthest = max(truth[:30].mean(), 1 - truth[:30].mean()) / 30
    assert joined(part, shape="bounded").error == pytest.approx(furthest * (1 - 30 / 200) ** 0.5)


@pytest.mark.parametrize("n", [0, 1, 4])
def test_fewer_than_five_items_carry_no_interval(n):
    found = joined(both(n=n))
    assert np.isnan(found.low)
    assert n == 0 or "cannot show how values vary" in found.note


def test_equal_human_scores_have_wilsons_bound_where_scores_have_limits():
    part = both(human=np.ones(200), n=36)
    assert joined(part, shape="bounded", limits=(0.0, 1.0)).low == pytest.approx(36 / (36 + 2.0301**2), abs=1e-4)
    assert joined(part).note == "no interval: all 36 items have the same value"


def test_a_human_item_without_a_judge_is_refused():
    judge = mean_records(JUDGE)
    judge[7] = np.nan
    with pytest.raises(TouchstoneError) as error:
        influences(some(mean_records(HUMAN), 40), judge, mean)
    assert error.value.code == Code.MISSING_ID


def test_the_published_weight_stays_between_0_and_1():
    part = both(judge=JUDGE / 100)
    assert published_weight(part) == pytest.approx(200 / 160)  # λ = 1 over 160 other items of 200
    assert published_weight(both(judge=-JUDGE)) == 0


def test_the_p_of_a_difference_is_that_of_the_t_distribution_on_both_sides():
    found = human_only(both(human=HUMAN - 2.9), shape="difference")
    assert found.p == pytest.approx(scipy.stats.ttest_1samp(HUMAN[:40] - 2.9, 0).pvalue)
    assert np.isnan(replace(found, error=0.0).p)


def test_the_degrees_of_freedom_join_those_of_people_and_of_the_judge_as_satterthwaite_does():
    part = both()
    moves = part.tuned_moves(0.5)
    variance, df = _variance(part, moves, 0.5)
    rest = np.sum(moves[40:] ** 2) * 160 / 159
    assert df == pytest.approx(variance**2 / ((variance - rest) ** 2 / (40 - 2) + rest**2 / 159))


def test_influences_made_by_hand_have_no_strata_no_finite_set_and_no_discrete_scores():
    moves = np.array([-1.0, 0.5, 1.5, -2.0, 1.0])
    nothing = np.zeros(5)
    part = Influences(3.0, 3.0, 3.0, moves / 5, nothing, nothing, np.full(5, 0.2), 0.2, 5, 5.0)
    assert (part.sampled, part.discrete, part.strata) == (0.0, 0, None)
    assert human_only(part, shape="difference").error == pytest.approx(np.sqrt(np.sum(moves**2) / 4 / 5))


def test_without_a_human_score_no_item_weighs_anything():
    part = influences(np.full((6, 2), np.nan), mean_records(np.arange(6.0)), mean)
    assert (part.labels, part.largest) == (0, 0.0)
