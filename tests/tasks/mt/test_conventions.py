"""WMT's conventions, each against a slow version that is written as its paper says it, on data with ties and blanks."""

from itertools import combinations

import numpy as np
import pyarrow as pa
import pytest
from scipy import stats as scipy_stats
from tests.tasks.mt.judging import Entry, collect

from touchstone.base.files import Source
from touchstone.core.measures import Measure
from touchstone.core.resampling import Resampling
from touchstone.core.results import Results, SystemRecords
from touchstone.stats import mean, mean_records
from touchstone.tasks.mt.judges.metaeval import meta
from touchstone.tasks.mt.judges.metaeval.conventions import (
    agreements,
    by_segment_records,
    metric_ranks,
    normal_p_values,
    pair_p_values,
    pooled_accuracy,
    soft_accuracy,
    system_pairs,
)
from touchstone.tasks.mt.judges.metaeval.levels import Settings
from touchstone.tasks.mt.judges.metaeval.preferences import mean_preferences
from touchstone.tasks.mt.judges.metaeval.wmt import perm_both

SEEDS = range(8)
SEGMENTS, SYSTEMS = 12, 5


def scores(seed, blanks=0.2):
    """Return what judges and a metric give translations: whole numbers, so that many are equal; nan where blank."""
    random = np.random.default_rng(seed)
    human = random.integers(0, 4, (SEGMENTS, SYSTEMS)).astype(float)
    metric = human + random.integers(-3, 4, human.shape)
    human[random.random(human.shape) < blanks] = np.nan
    return human, metric


def literal_accuracy_with_ties(pairs, epsilon):
    right = [
        abs(metric) <= epsilon if human == 0 else abs(metric) > epsilon and (metric > 0) == (human > 0)
        for human, metric in pairs
    ]
    return float(np.mean(right))


def literal_pairs(human, metric):
    """Return the differences of all pairs of translations that judges scored."""
    known = [(h, m) for h, m in zip(human, metric, strict=True) if not np.isnan(h)]
    return [(a[0] - b[0], a[1] - b[1]) for a, b in combinations(known, 2)]


@pytest.mark.parametrize("seed", SEEDS)
def test_pairwise_accuracy_is_the_share_of_pairs_in_the_same_order(seed):
    random = np.random.default_rng(seed)
    human, metric = random.integers(0, 4, (2, 7)).astype(float)
    alike = [np.sign(human[i] - human[j]) == np.sign(metric[i] - metric[j]) for i, j in combinations(range(7), 2)]
    right, pairs = agreements(metric, human)
    assert (right, pairs) == (sum(alike), 21)
    # Without ties it is Kendall's tau on another scale.
    human, metric = random.permutation(7), random.permutation(7)
    right, pairs = agreements(metric.astype(float), human.astype(float))
    assert 2 * right / pairs - 1 == pytest.approx(scipy_stats.kendalltau(human, metric).statistic)


def literal_p(differences, permutations, seed):
    """Thompson et al. 2024: the share of random signs whose sum is at least the sum that was seen."""
    random = np.random.default_rng(seed)
    seen, reached, made = sum(differences), 0, 0
    while made < permutations:
        size = min(250, permutations - made)
        for signs in random.integers(0, 2, (size, len(differences))) * 2 - 1:
            reached += sum(s * d for s, d in zip(signs, differences, strict=True)) >= seen - 1e-9
        made += size
    return reached / permutations


@pytest.mark.parametrize("seed", SEEDS)
def test_soft_pairwise_accuracy_is_the_literal_one(seed):
    human, metric = scores(seed)
    known = ~np.isnan(human)
    values = []
    for i, j in combinations(range(SYSTEMS), 2):
        both = known[:, i] & known[:, j]
        sides = [np.where(both, side[:, i] - side[:, j], 0.0) for side in (human, metric)]
        values.append([literal_p(side.tolist(), 300, 4) for side in sides])
    wanted = 1 - np.mean([abs(h - m) for h, m in values])
    p = [pair_p_values(system_pairs(side, known), 300, 4) for side in (human, metric)]
    assert soft_accuracy(*p).item() == pytest.approx(wanted, abs=1e-12)


def test_p_of_pairs_is_that_of_all_signs_and_the_normal_one_is_near():
    random = np.random.default_rng(1)
    differences = random.normal(0.1, 1, (60, 3))
    exact = [
        scipy_stats.permutation_test(
            (side,), np.mean, permutation_type="samples", alternative="greater", n_resamples=20_000, random_state=1
        ).pvalue
        for side in differences.T
    ]
    assert pair_p_values(differences, 20_000, 0) == pytest.approx(exact, abs=0.015)
    near = normal_p_values(differences.sum(axis=0), (differences**2).sum(axis=0))
    assert near == pytest.approx(exact, abs=0.02)
    assert normal_p_values(np.zeros(1), np.zeros(1)).tolist() == pair_p_values(np.zeros((5, 1))).tolist() == [1.0]


@pytest.mark.parametrize("seed", SEEDS)
def test_accuracy_with_ties_by_segment_is_the_literal_one(seed):
    human, metric = scores(seed)
    rows = [pairs for row in range(SEGMENTS) if (pairs := literal_pairs(human[row], metric[row]))]
    candidates = {0.0, *(abs(m) for pairs in rows for _, m in pairs)}
    best = max(np.mean([literal_accuracy_with_ties(pairs, epsilon) for pairs in rows]) for epsilon in candidates)
    records, epsilon = by_segment_records(metric, mean_preferences(human))
    value = records[:, 0].sum() / records[:, 1].sum()
    assert value == pytest.approx(best, abs=1e-12)
    assert value == pytest.approx(np.mean([literal_accuracy_with_ties(pairs, epsilon) for pairs in rows]), abs=1e-12)


@pytest.mark.parametrize("seed", SEEDS)
def test_pooled_accuracy_with_ties_is_the_literal_one(seed):
    human, metric = scores(seed)
    rows, columns = np.nonzero(~np.isnan(human))
    human, metric = human[rows, columns], metric[rows, columns] * 0.1
    pairs = literal_pairs(human, metric)
    candidates = {0.0, *(abs(m) for _, m in pairs)}
    found = pooled_accuracy(metric, human, rows, SEGMENTS)
    assert found.value == pytest.approx(max(literal_accuracy_with_ties(pairs, e + 1e-12) for e in candidates))
    assert found.pairs.sum() == len(pairs)
    # A draw that has every cluster once is the value itself; twice each, pairs between clusters count four times.
    assert found.drawn(np.ones((1, SEGMENTS)))[0] == pytest.approx(found.value)
    between, within = (
        [(human[i] - human[j], metric[i] - metric[j]) for i, j in combinations(range(len(rows)), 2) if test(i, j)]
        for test in (lambda i, j: rows[i] != rows[j], lambda i, j: rows[i] == rows[j])
    )
    epsilon = max(found.epsilon, 1e-12)
    right = [literal_accuracy_with_ties(some, epsilon) * len(some) for some in (between, within)]
    twice = (4 * right[0] + 2 * right[1]) / (4 * len(between) + 2 * len(within))
    assert found.drawn(np.full((1, SEGMENTS), 2.0))[0] == pytest.approx(twice)


def literal_perm_both(a, b, value, swaps, seed):
    """Deutsch et al. 2021: standardise, swap every cell by itself, count differences at least as large."""
    random = np.random.default_rng(seed)
    a, b = ((side - np.nanmean(side)) / np.nanstd(side) for side in (a, b))
    seen, reached = value([a]) - value([b]), 0
    for _ in range(swaps):
        mask = random.integers(0, 2, a.shape).astype(bool)
        one, other = a.copy(), b.copy()
        for cell in np.ndindex(a.shape):
            if not mask[cell]:
                one[cell], other[cell] = b[cell], a[cell]
        reached += value([one]) - value([other]) >= seen - 1e-12
    return seen, (1 + reached) / (1 + swaps)


@pytest.mark.parametrize("seed", SEEDS)
def test_perm_both_swaps_every_translation_by_itself(seed):
    human, metric = scores(seed)
    other = np.where(np.isnan(human), np.nan, np.random.default_rng(seed + 100).integers(0, 9, human.shape))
    metric = np.where(np.isnan(human), np.nan, metric)
    known = ~np.isnan(human)

    def pearson(tables):
        return float(np.corrcoef(tables[0][known], human[known])[0, 1])

    difference, p, draws = perm_both([metric], [other], pearson, swaps=90, seed=3)
    wanted = literal_perm_both(metric, other, pearson, 90, 3)
    assert (difference, p) == pytest.approx(wanted, abs=1e-9)
    assert draws == 90


def test_perm_both_stops_early_where_p_is_clear_and_rejects_about_one_in_twenty_of_equal_metrics():
    random = np.random.default_rng(5)
    rejected = 0
    for trial in range(120):
        human = random.normal(size=(30, 4))
        metrics = [human + random.normal(0, 1, human.shape) for _ in range(2)]

        def pearson(tables, human=human):
            return float(np.corrcoef(tables[0].ravel(), human.ravel())[0, 1])

        _, p, draws = perm_both([metrics[0]], [metrics[1]], pearson, swaps=200, seed=trial)
        assert draws in (100, 200)
        rejected += p < 0.05
    assert 0 < rejected <= 14  # 6 are expected; 15 or more have a chance below .002


def test_ranks_begin_anew_with_the_first_metric_that_is_worse_than_one_of_its_cluster():
    order = ["a", "b", "c", "d"]
    p = dict.fromkeys(combinations(order, 2), 0.5)
    assert metric_ranks(order, p) == {"a": 1, "b": 1, "c": 1, "d": 1}
    p["a", "c"] = 0.04
    assert metric_ranks(order, p) == {"a": 1, "b": 1, "c": 2, "d": 2}
    # d is worse than a, but a stands in another cluster.
    p["a", "d"] = 0.01
    assert metric_ranks(order, p)["d"] == 2
    p["c", "d"] = 0.01
    assert metric_ranks(order, p)["d"] == 3


def results_of(metrics, documents=None):
    """Return results of the systems s0, s1, … under some metrics: arrays of segments x systems."""
    names = {name: Measure(name, mean_records, mean) for name in metrics}
    systems = [
        SystemRecords(f"s{place}", {name: mean_records(one[:, place]) for name, one in metrics.items()}, pa.table({}))
        for place in range(SYSTEMS)
    ]
    known = {"id": [str(row) for row in range(SEGMENTS)]} | ({"document": documents} if documents else {})
    return Results("mt", list(names.values()), systems, pa.table(known), {"touchstone": "0", "systems": "s"})


def judgements_of(human, scale="score", reference=None):
    cells = [(row, f"s{column}", human[row, column]) for row, column in zip(*np.nonzero(~np.isnan(human)), strict=True)]
    cells += [(row, "ref", value) for row, value in enumerate(reference or ())]
    entries = [
        Entry((), None, str(row), "J", system, value, line) for line, (row, system, value) in enumerate(cells, 2)
    ]
    return collect("mqm", scale, Source("judged.tsv", "0"), entries)


QUICK = Settings(resampling=Resampling(draws=50, cluster="segment"), swaps=100)


@pytest.mark.parametrize("seed", SEEDS)
def test_every_coefficient_is_that_of_scipy_on_scores_with_ties_and_blanks(seed):
    human, metric = scores(seed)
    (found,) = meta(judgements_of(human), results_of({"metric": metric}), QUICK).criteria
    known = ~np.isnan(human)
    averages = [np.nanmean(np.where(known, side, np.nan), axis=0) for side in (human, metric)]
    functions = {"pearson": scipy_stats.pearsonr, "spearman": scipy_stats.spearmanr, "kendall": scipy_stats.kendalltau}
    for name, function in functions.items():

        def of(x, y, function=function):
            constant = len(x) < 3 or len(set(x)) == 1 or len(set(y)) == 1
            return np.nan if constant else function(x, y).statistic

        assert found.agreement("metric", name, "all").value == pytest.approx(of(*averages))
        assert found.agreement("metric", f"{name}.pooled", "all").value == pytest.approx(
            of(human[known], metric[known])
        )
        rows = [of(h[k], m[k]) for h, m, k in zip(human, metric, known, strict=True)]
        assert found.agreement("metric", f"{name}.by_segment", "all").value == pytest.approx(np.nanmean(rows))
        columns = [of(h[k], m[k]) for h, m, k in zip(human.T, metric.T, known.T, strict=True)]
        assert found.agreement("metric", f"{name}.by_system", "all").value == pytest.approx(np.nanmean(columns))
    right, pairs = agreements(averages[1], averages[0])
    assert found.agreement("metric", "pairwise_accuracy", "all").value == right / pairs
    differences = [pair_p_values(system_pairs(side, known)) for side in (human, metric)]
    assert found.agreement("metric", "spa", "all").value == pytest.approx(soft_accuracy(*differences).item())


def test_systems_have_their_penalties_and_a_reference_has_one_without_scores():
    human, metric = scores(1)
    judged = judgements_of(human, "penalty", reference=[0.5] * SEGMENTS)
    settings = Settings(resampling=QUICK.resampling, swaps=100, without=("ref",))
    found = meta(judged, results_of({"metric": -metric}), settings)
    systems = {row["system"]: row for row in found.to_dict()["rows"] if row["kind"] == "system"}
    means = dict(zip((f"s{n}" for n in range(SYSTEMS)), np.nanmean(human, axis=0), strict=True))
    assert {name: one["human"] for name, one in systems.items()} == pytest.approx({**means, "ref": 0.5})
    assert all(one["low"] <= one["human"] <= one["high"] for one in systems.values())
    assert systems["ref"]["scores"] == {"metric": None}
    order = [one.system for one in found.criteria[0].standings]
    assert order == sorted(order, key=lambda name: systems[name]["human"])  # the least penalty first
    # Scores and penalties are the same judgements: nothing but the sign of what is shown changes.
    plain = meta(judgements_of(-human), results_of({"metric": -metric}), QUICK).criteria[0]
    for name in ("pearson", "tau.discordant", "acc_eq", "spa", "acc_eq.pooled"):
        one, other = (each.agreement("metric", name, "all") for each in (found.criteria[0], plain))
        assert (one.value, one.low, one.high) == pytest.approx((other.value, other.low, other.high))


def test_documents_are_drawn_as_a_whole_where_they_are_asked_for():
    human, metric = scores(2)
    documents = [f"d{row // 4}" for row in range(SEGMENTS)]
    by_segment, by_document = (
        meta(
            judgements_of(human),
            results_of({"metric": metric}, documents),
            Settings(resampling=Resampling(draws=200, cluster=cluster), swaps=100),
        ).criteria[0]
        for cluster in ("segment", "document")
    )
    for name in ("spearman", "acc_eq", "acc_eq.by_segment", "acc_eq.pooled", "spa", "pearson.pooled"):
        one, other = (each.agreement("metric", name, "all") for each in (by_segment, by_document))
        assert one.value == pytest.approx(other.value)
        assert (one.low, one.high) != (other.low, other.high)


def test_equal_metrics_share_a_rank_and_a_useless_one_has_the_next():
    random = np.random.default_rng(0)
    human = random.normal(size=(SEGMENTS, SYSTEMS))
    good = human + random.normal(0, 0.05, human.shape)
    metrics = {"good": good, "same": good.copy(), "useless": random.normal(size=human.shape)}
    found = meta(judgements_of(human), results_of(metrics), QUICK).criteria[0].wmt
    assert found.ranks["acc_eq.by_segment"] == {"good": 1, "same": 1, "useless": 2}
    assert {(one.a, one.b) for one in found.tests if one.statistic == "spa"} >= {("good", "useless")}
