"""A judge beside people: the same coefficients on the same outputs, bias against the rest, bins and pairs."""

from itertools import pairwise

import numpy as np
import pytest
import scipy
from tests.people.lists import alpha_of

from touchstone.stats.judge import calibration, contrast, judge_agreement, pair_accuracy


def answered(random, n, most=4, fewest=1):
    """Random answers of several people to n outputs, and scores of a judge that are near them."""
    truth = random.normal(size=n)
    answers = [truth[row] + random.normal(size=random.integers(fewest, most + 1)) for row in range(n)]
    return answers, truth + random.normal(size=n)


@pytest.mark.parametrize("seed", range(3))
def test_alpha_is_krippendorffs_of_the_answers_and_of_all_pairs_of_judge_and_answer(seed):
    answers, judge = answered(np.random.default_rng(seed), 40)
    alpha = judge_agreement(answers, judge, np.arange(40))[0]
    several = [row for row in range(40) if len(answers[row]) > 1]
    people = alpha_of([answers[row].tolist() for row in several], "interval")
    pairs = [[float(judge[row]), float(answer)] for row in several for answer in answers[row]]
    assert alpha.people_value == pytest.approx(people.value, abs=1e-12)
    assert alpha.judge_value == pytest.approx(alpha_of(pairs, "interval").value, abs=1e-12)
    assert alpha.outputs == len(several)


def test_judge_and_each_answer_are_correlated_with_the_mean_of_the_other_answers():
    answers = [np.array([1.0, 2.0]), np.array([4.0, 3.0, 5.0]), np.array([2.0, 2.0]), np.array([9.0])]
    judge = np.array([1.0, 5.0, 2.0, 7.0])
    _, pearson, spearman = judge_agreement(answers, judge, np.arange(4))
    own, others, judged = [1, 2, 4, 3, 5, 2, 2], [2, 1, 4, 4.5, 3.5, 2, 2], [1, 1, 5, 5, 5, 2, 2]
    assert pearson.people_value == pytest.approx(scipy.stats.pearsonr(own, others).statistic)
    assert pearson.judge_value == pytest.approx(scipy.stats.pearsonr(judged, others).statistic)
    assert spearman.judge_value == pytest.approx(scipy.stats.spearmanr(judged, others).statistic)
    assert pearson.difference_value == pearson.judge_value - pearson.people_value


def test_without_a_second_answer_nothing_is_said_of_people():
    random = np.random.default_rng(0)
    human = random.normal(size=(30, 1))
    judge = human[:, 0] + random.normal(size=30)
    for found in judge_agreement(list(human), judge, np.arange(30)):
        assert np.isfinite([found.judge_value, found.judge.low, found.judge.high]).all()
        assert np.isnan([found.people_value, found.people.low, found.difference_value, found.difference.high]).all()
    pearson = judge_agreement(list(human), judge, np.arange(30))[1]
    assert pearson.judge_value == pytest.approx(scipy.stats.pearsonr(judge, human[:, 0]).statistic)


def test_a_judge_that_is_one_more_person_agrees_as_people_do():
    random = np.random.default_rng(1)
    truth = random.normal(size=400)
    people = truth[:, None] + random.normal(size=(400, 3))
    judge = truth + random.normal(size=400)
    for found in judge_agreement(list(people), judge, np.arange(400)):
        assert found.difference.low < 0 < found.difference.high


def test_outputs_of_a_cluster_are_drawn_together():
    random = np.random.default_rng(2)
    answers, judge = answered(random, 20, fewest=2)
    once = judge_agreement(answers, judge, np.arange(20))[1]
    thrice = judge_agreement(answers * 3, np.tile(judge, 3), np.tile(np.arange(20), 3))[1]
    assert thrice.judge.low == pytest.approx(once.judge.low)
    assert thrice.judge.high == pytest.approx(once.judge.high)


def test_a_constant_judge_has_no_correlation():
    random = np.random.default_rng(3)
    answers, _ = answered(random, 20, fewest=2)
    alpha, pearson, spearman = judge_agreement(answers, np.full(20, 0.5), np.arange(20))
    assert np.isfinite(alpha.judge_value)
    assert np.isnan([pearson.judge_value, spearman.judge_value]).all()
    assert np.isfinite(pearson.people_value)


def coverage(runs, seed, items=30):
    """How often intervals hold the agreement of 3 systems' outputs for each of some items, 2 people and the judge."""
    random = np.random.default_rng(seed)

    def drawn(n, clusters):
        truth = 0.7 * random.normal(size=(n, 1)) + 0.8 * random.normal(size=(n, 3))
        people = np.round(truth[..., None] + 0.6 * random.normal(size=(n, 3, 2)))
        judge = 0.8 * truth + 0.5 * random.normal(size=(n, 3))
        return judge_agreement(list(people.reshape(-1, 2)), judge.ravel(), (np.arange(n) % clusters).repeat(3))

    truth, held = drawn(20_000, clusters=5), np.zeros((3, 3))  # of the truth no interval is wanted
    for _ in range(runs):
        for row, (true, found) in enumerate(zip(truth, drawn(items, clusters=items), strict=True)):
            for column, side in enumerate(("judge", "people", "difference")):
                ends = getattr(found, side)
                held[row, column] += ends.low <= getattr(true, f"{side}_value") <= ends.high
    return held / runs


def test_intervals_of_agreement_mostly_hold_the_truth():
    shares = coverage(150, seed=0)
    assert shares.min() > 0.88
    assert shares.max() < 1


@pytest.mark.soak
def test_intervals_of_agreement_hold_the_truth_in_95_of_100_cases():
    shares = coverage(4_000, seed=1)
    print(f"coverage of agreement, 30 items: {shares.min():.3f} to {shares.max():.3f}")  # noqa: T201 (a figure of the soak run)
    assert shares.min() > 0.93
    assert shares.max() < 0.97


def test_a_contrast_is_the_mean_of_members_less_the_mean_of_the_rest():
    values, member = np.array([1.0, 5.0, 2.0, 4.0, 3.0, 9.0] * 3), np.array([True, False] * 9)
    found = contrast(values, member, np.arange(18))
    assert found.value == (1 + 2 + 3) / 3 - (5 + 4 + 9) / 3
    assert found.low < found.value < found.high
    assert found.note == "with only 9 items, intervals are rough"


def test_a_side_with_few_clusters_carries_no_interval():
    found = contrast(np.arange(20.0), np.arange(20) < 4, np.arange(20), over="documents")
    assert found.note == "no interval: 4 documents cannot show how values vary"
    assert np.isnan([found.low, found.high, found.p]).all()


def rejections(runs, random, *, crossed):
    """The share of runs in which a level without bias is found to have one, at 0.05."""
    found = 0
    for _ in range(runs):
        if crossed:  # 5 systems on each of 40 items, whose errors go together
            errors = (random.normal(size=(40, 1)) + random.standard_t(5, size=(40, 5))).ravel()
            member, clusters = np.tile(np.arange(5) == 0, 40), np.repeat(np.arange(40), 5)
        else:  # a category of 12 of 80 items
            errors, member, clusters = random.exponential(size=80), np.arange(80) < 12, np.arange(80)
        found += contrast(errors, member, clusters).p < 0.05
    return found / runs


@pytest.mark.parametrize("crossed", [True, False])
def test_a_level_without_bias_is_rarely_found_to_have_one(crossed):
    assert 0.02 < rejections(600, np.random.default_rng(4), crossed=crossed) < 0.085


@pytest.mark.soak
@pytest.mark.parametrize("crossed", [True, False])
def test_a_level_without_bias_is_found_to_have_one_in_five_of_a_hundred_cases(crossed):
    share = rejections(10_000, np.random.default_rng(5), crossed=crossed)
    print(f"rejections without bias, {crossed=}: {share:.3f}")  # noqa: T201 (a figure of the soak run)
    assert 0.035 < share < 0.075


def test_each_score_of_a_judge_that_has_few_is_a_bin():
    bins = calibration(np.array([0.0, 1.0, 1.0, 1.0, 0.0]), np.array([0.0, 0.0, 1.0, 1.0, 1.0]), np.arange(5))
    assert [(one.judge, one.human, one.n) for one in bins] == [(0.0, 1 / 2, 2), (1.0, 2 / 3, 3)]


def test_bins_have_about_equal_sizes_and_hold_every_output():
    random = np.random.default_rng(6)
    judge = random.normal(size=95)
    bins = calibration(judge + 1, judge, np.arange(95))
    assert [one.n for one in bins] == pytest.approx([95 / 4] * 4, abs=1)
    assert sum(one.n for one in bins) == 95
    assert all(one.human == pytest.approx(one.judge + 1) for one in bins)
    assert all(a.highest < b.lowest for a, b in pairwise(bins))


def test_a_pair_is_right_in_the_order_of_people_and_half_right_for_a_tie_of_the_judge():
    human = np.array([[1.0, 2.0, np.nan], [1.0, 1.0, 3.0], [5.0, 1.0, 2.0]])
    judge = np.array([[0.0, 1.0, 9.0], [4.0, 2.0, 4.0], [3.0, 2.0, 1.0]])
    whole, *parts = pair_accuracy(human, judge, np.arange(3))
    # right: 1 < 2, 1 < 3, 5 > 1, 5 > 2; a tie: 1 < 3; wrong: 1 < 2
    assert (whole.pairs, whole.ties, whole.value) == (6, 1, 4.5 / 6)
    assert sum(part.pairs for part in parts) == 6
    assert parts[0].least == 1
    assert parts[-1].most == 4


def test_there_are_no_pairs_where_people_tell_nothing_apart():
    assert pair_accuracy(np.ones((3, 2)), np.zeros((3, 2)), np.arange(3)) == []
    assert pair_accuracy(np.ones((3, 1)), np.zeros((3, 1)), np.arange(3)) == []


def test_pairs_are_cut_at_the_thirds_of_how_far_people_tell_outputs_apart():
    human = np.column_stack([np.zeros(9), np.arange(1.0, 10)])
    _, *thirds = pair_accuracy(human, human, np.arange(9))
    assert [(third.least, third.most, third.pairs) for third in thirds] == [(1, 3, 3), (4, 6, 3), (7, 9, 3)]
