"""Labels for an interval or a test: the formula, its smallest solution, and that a plan keeps its promise."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import stdtrit

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.stats import mean, mean_records
from touchstone.stats.labels import _variances, labels_needed, pilot_spread
from touchstone.stats.prediction_powered import influences, joined

WIDTH = (0.975, 0.975)


def scored(human, judge, labelled, clusters=None):
    """The influences of a pilot in which people scored some of the items."""
    records = mean_records(human)
    records[~labelled] = np.nan
    return influences(records, mean_records(judge), mean, clusters=clusters)


def test_the_spread_of_a_pilot_is_the_sample_variance_and_that_of_the_regression_on_the_judge():
    random = np.random.default_rng(0)
    judge = random.normal(size=300)
    human = 2 * judge + random.normal(size=300)
    labelled = np.arange(300) < 40
    found = pilot_spread(scored(human, judge, labelled), draws=20)
    y, x = human[:40], judge[:40]
    slope, start = np.polyfit(x, y, 1)
    assert found.variance == pytest.approx(np.var(y, ddof=1))
    assert found.residual == pytest.approx(np.sum((y - start - slope * x) ** 2) / (40 - 2))
    assert found.correlation == pytest.approx(np.corrcoef(x, y)[0, 1])
    assert (found.labels, found.clusters) == (40, 40)


def test_labels_of_a_cluster_count_for_less():
    random = np.random.default_rng(1)
    clusters = np.repeat(np.arange(30), 4)
    human = np.repeat(random.normal(size=30), 4)
    alone = pilot_spread(scored(human, human, np.ones(120, bool)), draws=20)
    together = pilot_spread(scored(human, human, np.ones(120, bool), clusters), draws=20)
    assert together.variance == pytest.approx(4 * alone.variance, rel=0.05)
    assert together.clusters == 30


@pytest.mark.parametrize("judge", [np.zeros(50), -np.arange(50.0)], ids=["constant", "turned round"])
def test_a_judge_that_does_not_follow_people_leaves_the_whole_variance(judge):
    found = pilot_spread(scored(np.arange(50.0), judge, np.arange(50) < 30), draws=20)
    assert found.residual == found.variance


def test_a_tiny_pilot_is_refused():
    with pytest.raises(TouchstoneError) as error:
        pilot_spread(scored(np.arange(9.0), np.arange(9.0), np.arange(9) < 4))
    assert error.value.code == Code.TOO_FEW


@given(st.floats(0.01, 4.0), st.floats(0.0, 1.0), st.integers(5, 5_000), st.floats(0.02, 2.0), st.floats(1.0, 6.0))
def test_the_number_is_the_smallest_that_is_enough(variance, left, items, target, per_cluster):
    residual = variance * left
    [needed] = labels_needed([variance], [residual], items, target, WIDTH, per_cluster=per_cluster)

    def width(n):
        spread = residual / n + (variance - residual) / items if residual < variance else variance / n
        return 2 * stdtrit(max(n / per_cluster - 1, 1), 0.975) * np.sqrt(spread)

    if np.isinf(needed):
        assert width(items) > target
    else:
        assert width(needed) <= target
        assert needed <= np.ceil(5 * per_cluster) or width(needed - 1) > target


def test_one_that_needs_the_fewest_labels_keeps_them_while_others_are_searched_for():
    """The search goes on for the second; five clusters are the fewest."""
    found = labels_needed(np.array([1e-9, 1.0]), np.array([1e-10, 1.0]), 12, 0.5, WIDTH)
    assert found[0] == 5


def test_a_judge_never_asks_for_more_labels_than_there_are_items():
    needed = labels_needed([1.0], [0.5], 100, 0.1, WIDTH)
    assert needed.tolist() == [np.inf]
    assert labels_needed([1.0], [1.0], 100, 0.1, WIDTH)[0] == pytest.approx(4 * 1.96**2 / 0.01, rel=0.01)


def test_a_test_needs_the_labels_of_the_usual_formula():
    """(1.96 + 0.8416)² σ² / d²: Cohen (1988), for a paired difference with a known σ."""
    [needed] = labels_needed([1.0], [1.0], 100, 0.2, (0.975, 0.8))
    assert needed == pytest.approx((1.96 + 0.8416) ** 2 / 0.04, abs=3)


def test_with_the_planned_labels_the_joined_interval_has_the_planned_width():
    random = np.random.default_rng(2)
    judge = random.normal(size=2_000)
    human = judge + 0.75 * random.normal(size=2_000)
    pilot = scored(human, judge, np.arange(2_000) < 200)
    spread = pilot_spread(pilot, draws=20)
    [needed] = labels_needed([spread.variance], [spread.residual], 2_000, 0.25, WIDTH)
    widths = []
    for _ in range(20):
        labelled = np.zeros(2_000, bool)
        labelled[random.permutation(2_000)[: int(needed)]] = True
        both = joined(scored(human, judge, labelled))
        widths.append(both.high - both.low)
    assert np.mean(widths) == pytest.approx(0.25, rel=0.12)
    assert needed < 0.6 * labels_needed([spread.variance], [spread.variance], 2_000, 0.25, WIDTH)[0]


def test_variances_are_about_the_mean_of_the_clusters_that_were_drawn():
    a, b = np.array([1.0, 2, 4, 9]), np.array([2.0, 3, 5, 7])
    sums = np.column_stack([a, b, a * a, b * b, a * b, np.ones(4)]).sum(axis=0)
    variance, residual, correlation = _variances(sums)
    rho = np.corrcoef(a, b)[0, 1]
    assert variance == pytest.approx(4 * np.var(a, ddof=1))
    assert correlation == pytest.approx(rho)
    assert residual == pytest.approx(4 * np.var(a, ddof=1) * (1 - rho**2) * 3 / 2)
