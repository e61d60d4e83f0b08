"""A judge's scores on the scale of people: fitted on human items, and never on the item itself."""

import numpy as np
import pytest

from touchstone.stats import mean, mean_records
from touchstone.stats.prediction_powered import human_only, influences, joined
from touchstone.stats.rescaling import goes_against, on_another_scale, rescaled

RANDOM = np.random.default_rng(6)
JUDGE = RANDOM.normal(size=100)


@pytest.mark.parametrize(
    ("human", "judge", "another"),
    [
        ([0, 1], [0.05, 0.97], False),
        ([2, 5], [1, 5], False),
        ([0, 1], [0, 100], True),
        ([1, 5], [0, 1], True),
        ([-25, 0], [30, 80], True),
        ([1, 1], [0, 100], False),  # a constant has no scale
    ],
)
def test_a_scale_is_another_where_ranges_have_little_in_common(human, judge, another):
    assert on_another_scale(np.array(human, float), np.array(judge, float)) is another


def test_a_line_is_found_between_the_points_that_people_scored():
    human = np.where(np.arange(100) < 60, 3 * JUDGE + 1, np.nan)
    inner = np.abs(JUDGE) < 1
    assert rescaled(human, JUDGE, np.arange(100))[inner] == pytest.approx((3 * JUDGE + 1)[inner], abs=0.5)


def test_the_curve_never_falls():
    human = np.where(np.arange(100) < 60, -JUDGE, np.nan)
    inside = np.argsort(JUDGE[60:])
    assert (np.diff(rescaled(human, JUDGE, np.arange(100))[60:][inside]) >= 0).all()


@pytest.mark.parametrize(("slope", "against"), [(-1, True), (-0.1, False), (1, False)])
def test_a_judge_goes_against_people_where_it_falls_more_than_by_chance(slope, against):
    """The correlations are -.9, -.2 and .9 over 20 items, of which -.44 is significant."""
    human = np.arange(20.0)
    judge = slope * human + 2.6 * np.tile([1, -1, -1, 1], 5)
    assert goes_against(human, judge, np.zeros(20, int), np.arange(20)) is against


def test_a_judge_that_favours_the_worse_system_does_not_go_against_people():
    human = np.arange(20.0)
    judge, systems = np.where(human < 10, human + 50, human), np.repeat([0, 1], 10)
    assert not goes_against(human, judge, systems, np.tile(np.arange(10), 2))
    assert goes_against(human, judge, np.zeros(20, int), np.arange(20))


@pytest.mark.parametrize("clusters", [np.arange(100), np.arange(100) // 4])
def test_a_human_score_has_no_share_in_what_rescales_its_cluster(clusters):
    human = np.where(np.arange(100) < 60, JUDGE + RANDOM.normal(size=100), np.nan)
    other = human.copy()
    other[7] += 100
    mine = clusters == clusters[7]
    before, after = rescaled(human, JUDGE, clusters), rescaled(other, JUDGE, clusters)
    assert after[mine] == pytest.approx(before[mine])
    assert not np.allclose(after[~mine], before[~mine])


def coverage(n: int, simulations: int) -> tuple[float, float]:
    """Return how often both holds the true mean with a judge on an exponential scale, and its width."""
    random, found = np.random.default_rng(n), []
    for _ in range(simulations):
        human = random.normal(size=max(240, 3 * n))
        judge = np.exp(2 * (0.85 * human + 0.53 * random.normal(size=len(human))))
        seen = np.where(np.arange(len(human)) < n, human, np.nan)
        records = np.where(np.isfinite(seen)[:, None], mean_records(human), np.nan)
        part = influences(records, mean_records(rescaled(seen, judge, np.arange(len(human)))), mean)
        people, both = human_only(part), joined(part)
        found.append([both.low <= 0 <= both.high, (both.high - both.low) / (people.high - people.low)])
    held, width = np.mean(found, axis=0)
    return float(held), float(width)


@pytest.mark.soak
@pytest.mark.parametrize("n", [20, 50, 200])
def test_estimates_with_a_rescaled_judge_hold_the_truth_in_93_to_97_of_100_simulations(n):
    held, width = coverage(n, 2000)
    print(f"\nrescaled, {n}: {held:.3f}, width {width:.2f}")  # noqa: T201
    assert 0.93 <= held <= 0.97
    assert width < 0.85


def test_estimates_with_a_rescaled_judge_hold_the_truth():
    """Of 200 simulations 95 % are 190, with a standard deviation of 3.1."""
    held, width = coverage(50, 200)
    assert held >= 0.9
    assert width < 0.85


def test_with_fewer_than_five_clusters_nothing_is_said_against_a_judge():
    scores = np.arange(8.0)
    assert not goes_against(scores, -scores, np.zeros(8, int), np.arange(8) // 2)
    assert goes_against(scores, -scores, np.zeros(8, int), np.arange(8))
