"""Metrics held against judges: every statistic by hand, ties, calibration, intervals, tests, and what is refused."""

import json

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats as scipy_stats
from tests.tasks.mt.judging import Entry, collect
from training.mt_rankings import compare_segments

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.base.files import Source
from touchstone.core.measures import Measure
from touchstone.core.resampling import Resampling
from touchstone.core.results import Results, SystemRecords
from touchstone.stats import folded, mean, mean_records
from touchstone.tasks.mt.judges.metaeval import meta
from touchstone.tasks.mt.judges.metaeval.human import cell_means, mean_scores, win_shares
from touchstone.tasks.mt.judges.metaeval.levels import Settings
from touchstone.tasks.mt.judges.metaeval.preferences import Preferences
from touchstone.tasks.mt.judges.metaeval.segments import STATISTICS, calibrate, fold_of, segment_records
from touchstone.tasks.mt.judges.metaeval.systems import coefficients

SOURCE = Source("judged.csv", "0")
QUICK = Resampling(draws=50, cluster="segment")


def said(rows, n_segments, n_systems):
    """Return preferences from (segment, first, second, sign)."""
    segment, first, second, sign = (np.array(column, np.int64) for column in zip(*rows, strict=True))
    return Preferences(segment, first, second, sign, n_segments, n_systems)


def agreed(values, pairs, how="all"):
    """Return the counts C, D, T, right with ties, all pairs; and every statistic of them."""
    sums = segment_records(values, pairs, calibrate(values, pairs, how)).sum(axis=0)
    return sums.tolist(), {name: float(folded(fold_of(name), sums)) for name in STATISTICS}


def judged(rows, scale="rank", criterion="rank"):
    """Return judgements from (group, segment, judge, system, value)."""
    entries = [
        Entry((str(group), segment, judge), group, segment, judge, system, float(value), line)
        for line, (group, segment, judge, system, value) in enumerate(rows, 2)
    ]
    return collect(criterion, scale, SOURCE, entries)


def scored(values, measures=("metric",), lower=()):
    """Return results of systems a, b, c, … from arrays (segments x systems), one for each measure."""
    n_segments, n_systems = values[0].shape
    systems = [
        SystemRecords(
            "abcdefgh"[place],
            {name: mean_records(one[:, place]) for name, one in zip(measures, values, strict=True)},
            pa.table({}),
        )
        for place in range(n_systems)
    ]
    known = pa.table({"id": [str(row) for row in range(1, n_segments + 1)]})
    found = [Measure(name, mean_records, mean, lower_is_better=name in lower) for name in measures]
    return Results("mt", found, systems, known, {"touchstone": "0", "systems": "s"})


def ranking(orders, group=None):
    """Return a ballot for each segment: the systems in the order of their ranks."""
    return judged(
        [
            (group, str(row), "J", system, rank)
            for row, order in enumerate(orders, 1)
            for rank, system in enumerate(order, 1)
        ]
    )


def test_tau_follows_its_rule_for_ties():
    pairs = said([(0, 0, 1, 1), (0, 0, 2, 1), (0, 1, 2, -1), (1, 0, 1, 1), (1, 0, 2, 0)], 2, 3)
    values = np.array([[0.9, 0.5, 0.9], [0.3, 0.4, 0.4]])
    counts, taus = agreed(values, pairs, how="none")
    assert counts == [2, 1, 1, 2, 5]
    assert taus == {"discordant": 0, "skip": 1 / 3, "zero": 1 / 4, "acc_eq": 2 / 5}


def test_rounding_does_not_tell_translations_apart():
    pairs = said([(0, 0, 1, 1)], 1, 2)
    assert agreed(np.array([[0.1 + 0.2, 0.3]]), pairs)[0][:3] == [0, 0, 1]


def test_calibration_takes_the_smallest_difference_that_makes_most_pairs_right():
    pairs = said([(0, 0, 1, 0), (1, 0, 1, 0), (2, 0, 1, 1), (3, 0, 1, 1)], 4, 2)
    values = np.array([[0.5, 0.4], [0.3, 0.5], [0.9, 0.6], [0.9, 0.5]])
    assert calibrate(values, pairs, "all").epsilons == (pytest.approx(0.2),)
    assert agreed(values, pairs, how="all")[1]["acc_eq"] == 1
    assert agreed(values, pairs, how="none")[1]["acc_eq"] == 1 / 2


def test_split_calibration_judges_no_half_by_its_own_choice():
    pairs = said([(0, 0, 1, 0), (1, 0, 1, 0), (2, 0, 1, 1), (3, 0, 1, 1)], 4, 2)
    values = np.array([[0.5, 0.4], [0.5, 0.4], [0.9, 0.8], [0.9, 0.8]])
    # The first half alone would take 0.1 and the second 0; each gets the other's, and all four are wrong.
    assert [round(one, 9) for one in calibrate(values, pairs, "split").epsilons] == [0.0, 0.1]
    assert agreed(values, pairs, how="split")[1]["acc_eq"] == 0


@given(st.data())
def test_no_threshold_does_better_than_the_calibrated_one(data):
    gaps = data.draw(st.lists(st.sampled_from([-3.0, -2.0, -1.0, 0.0, 1.0, 2.0, 3.0]), min_size=1, max_size=12))
    signs = data.draw(st.lists(st.sampled_from([-1, 0, 1]), min_size=len(gaps), max_size=len(gaps)))
    pairs = said([(row, 0, 1, sign) for row, sign in enumerate(signs)], len(gaps), 2)
    values = np.column_stack([gaps, np.zeros(len(gaps))])
    best = max(
        np.mean(
            [
                (abs(gap) <= epsilon and sign == 0) or (abs(gap) > epsilon and np.sign(gap) == sign)
                for gap, sign in zip(gaps, signs, strict=True)
            ]
        )
        for epsilon in [0.0, *map(abs, gaps)]
    )
    assert agreed(values, pairs)[1]["acc_eq"] == pytest.approx(best)


@given(arrays(np.float64, (5, 4), elements=st.floats(0, 1)), st.integers(0, 10**6))
def test_a_metric_and_its_opposite_have_opposite_taus_where_ties_are_left_out(values, seed):
    random = np.random.default_rng(seed)
    rows = [(row, a, b, int(random.integers(-1, 2))) for row in range(5) for a in range(4) for b in range(a + 1, 4)]
    pairs = said(rows, 5, 4)
    (counts, taus), (others, opposite) = (agreed(sign * values, pairs, how="none") for sign in (1, -1))
    assert taus["zero"] == pytest.approx(-opposite["zero"], nan_ok=True)
    assert counts[0] == others[1]


def test_a_pair_without_both_scores_does_not_count():
    pairs = said([(0, 0, 1, 1), (1, 0, 1, 1)], 2, 2)
    assert agreed(np.array([[0.9, 0.1], [np.nan, 0.1]]), pairs)[0][-1] == 1


def test_win_shares_leave_ties_out_or_count_them_as_asked():
    pairs = said([(0, 0, 1, 1), (0, 0, 2, 0), (0, 1, 2, -1), (1, 0, 1, -1)], 2, 3)
    assert win_shares(pairs).totals.tolist() == [1 / 2, 1 / 3, 1]
    assert win_shares(pairs, "wins_or_ties").totals.tolist() == [2 / 3, 1 / 3, 1]
    assert win_shares(pairs, "wins_all").totals.tolist() == [1 / 3, 1 / 3, 1 / 2]


def test_scores_by_judge_forgive_a_severe_one():
    rows = [
        (None, "1", "mild", "a", 5),
        (None, "2", "mild", "b", 3),
        (None, "1", "severe", "b", 1),
        (None, "2", "severe", "c", 3),
    ]
    given = judged(rows, "score", "adequacy")
    plain, fair = (
        mean_scores(cell_means(given, None, ["a", "b", "c"], ["1", "2"], by_judge=by_judge)).totals
        for by_judge in (False, True)
    )
    assert plain.tolist() == [5, 2, 3]
    assert fair.tolist() == [1, -1, 1]


@given(arrays(np.float64, (3, 6), elements=st.integers(-5, 5)), arrays(np.float64, 6, elements=st.integers(-5, 5)))
def test_correlations_of_many_rows_are_those_of_scipy_row_by_row(rows, human):
    functions = {
        "pearson": scipy_stats.pearsonr,
        "spearman": scipy_stats.spearmanr,
        "kendall": scipy_stats.kendalltau,
    }
    for name, function in functions.items():
        found = coefficients(rows, human, name)
        for row, value in zip(rows, found, strict=True):
            if np.ptp(row) == 0 or np.ptp(human) == 0:
                assert np.isnan(value)
            else:
                assert value == pytest.approx(function(row, human).statistic, abs=1e-12)


def test_a_metric_that_orders_as_judges_do_has_correlation_one_at_every_level():
    orders = ["abc", "abc", "abd", "bcd", "acd"]
    values = np.tile([0.9, 0.6, 0.4, 0.1], (5, 1))
    found = meta(ranking(orders), scored([values]), Settings(resampling=QUICK)).criteria[0]
    for statistic in ("spearman", "kendall", "tau.discordant", "tau.skip", "tau.zero", "acc_eq"):
        one = found.agreement("metric", statistic, "all")
        assert (one.value, one.reason) == (pytest.approx(1), None)
    assert [one.system for one in found.standings] == list("abcd")


def test_a_metric_of_errors_is_negated():
    orders = ["abc", "abc", "abc"]
    errors = np.tile([0.1, 0.4, 0.9], (3, 1))
    results = scored([errors, -errors], ("ter", "other"), lower=("ter",))
    found = meta(ranking(orders), results, Settings(resampling=QUICK))
    assert found.criteria[0].agreement("ter", "spearman", "all").value == pytest.approx(1)
    assert found.criteria[0].agreement("ter", "tau.discordant", "all").value == 1
    assert found.criteria[0].agreement("other", "tau.discordant", "all").value == 1
    assert found.criteria[0].standings[0].scores["ter"] == pytest.approx(0.1)


def test_judged_covers_the_segments_on_which_a_system_was_placed_and_all_covers_every_one():
    orders = ["abc", "ab"]
    values = np.array([[0.9, 0.6, 0.4], [0.5, 0.4, 1.0], [0.0, 0.0, 1.0]])
    for scope, wanted in (("judged", [0.7, 0.5, 0.4]), ("all", [1.4 / 3, 1 / 3, 2.4 / 3])):
        found = meta(ranking(orders), scored([values]), Settings(segments=scope, resampling=QUICK))
        assert [one.scores["metric"] for one in found.criteria[0].standings] == pytest.approx(wanted)


def test_constant_scores_have_no_correlation_but_a_reason():
    found = meta(ranking(["abc", "abc"]), scored([np.full((2, 3), 0.3)]), Settings(resampling=QUICK))
    one = found.criteria[0].agreement("metric", "spearman", "all")
    assert np.isnan(one.value)
    assert one.reason == "the metric gives all systems the same score"
    assert found.criteria[0].agreement("metric", "tau.discordant", "all").value == -1
    assert json.loads(found.to_json())["rows"][0]["value"] is None
    assert "the metric gives all systems the same score" in found.statement().tables[0].to_text()


def test_two_systems_are_refused():
    with pytest.raises(TouchstoneError) as refused:
        meta(ranking(["ab", "ab"]), scored([np.random.default_rng(0).random((2, 2))]))
    assert refused.value.code == Code.TOO_FEW


def test_judges_who_tell_no_systems_apart_are_refused_with_what_is_wanted():
    ties = judged([(None, "1", "J", system, 1) for system in "abc"])
    with pytest.raises(TouchstoneError) as refused:
        meta(ties, scored([np.array([[0.9, 0.6, 0.4]])]))
    assert refused.value.code == Code.TOO_FEW
    assert "blanks and ties do not count" in refused.value.hint


def test_a_system_without_judgements_is_left_out_with_a_note():
    found = meta(ranking(["abc"]), scored([np.array([[0.9, 0.6, 0.4, 0.2]])]), Settings(resampling=QUICK))
    assert [one.system for one in found.criteria[0].standings] == list("abc")
    assert any("no judge ranked d above or below another" in note for note in found.notes)


def test_groups_are_averaged_plainly_whatever_their_size():
    first, second = ranking(["abc"] * 3, "cs-en"), ranking(["cba"], "de-en")
    rows = [
        (judgement.groups[0], judgement.segments[segment], "J", judgement.systems[system], value)
        for judgement in (first, second)
        for segment, system, value in zip(judgement.segment, judgement.system, judgement.value, strict=True)
    ]
    values = np.tile([0.9, 0.6, 0.4], (3, 1))
    results = {"cs-en": scored([values]), "de-en": scored([values])}
    found = meta(judged(rows), results, Settings(resampling=QUICK)).criteria[0]
    for statistic in ("spearman", "tau.discordant"):
        parts = [found.agreement("metric", statistic, group).value for group in ("cs-en", "de-en")]
        assert parts == pytest.approx([1, -1])
        assert found.agreement("metric", statistic).value == pytest.approx(0)


@pytest.mark.parametrize(
    ("groups", "wanted"),
    [
        (("cs-em",), 'no judgement of this language pair: "cs-em"; nearest valid name "cs-en"'),
        (("cs-en", "xx"), '"xx"'),
    ],
)
def test_a_folder_that_no_judgement_names_is_refused(groups, wanted):
    results = {name: scored([np.random.default_rng(0).random((1, 3))]) for name in groups}
    with pytest.raises(TouchstoneError) as caught:
        meta(ranking(["abc"], "cs-en"), results)
    assert wanted in str(caught.value)


def test_judgements_without_groups_are_of_one_group_alone():
    results = {name: scored([np.random.default_rng(0).random((1, 3))]) for name in ("cs-en", "de-en")}
    with pytest.raises(TouchstoneError) as refused:
        meta(ranking(["abc"]), results)
    assert refused.value.code == Code.AMBIGUOUS


def noisy(n=120, seed=0):
    """Return rankings of four systems by a hidden value, and metrics that see it through much and little noise."""
    random = np.random.default_rng(seed)
    hidden = random.normal(size=(n, 4)) + np.array([0.9, 0.6, 0.3, 0.0])
    orders = ["".join("abcd"[place] for place in np.argsort(-row)) for row in hidden]
    near, far = (hidden + noise * random.normal(size=hidden.shape) for noise in (0.3, 3.0))
    return ranking(orders), scored([near, far], ("near", "far"))


def test_a_metric_that_is_truly_nearer_is_found_so_and_the_interval_agrees():
    found = meta(*noisy(), Settings(resampling=Resampling(draws=200, cluster="segment"))).criteria[0]
    test = found.test("near", "far", "tau.discordant")
    assert test.low > 0
    assert test.difference > 0.3
    assert test.p == 1 / 10_001
    assert test.significant


def test_a_metric_does_not_differ_from_itself():
    human, results = noisy()
    values = results.systems[0].records["near"]
    twin = scored([np.stack([s.records["near"][:, 0] for s in results.systems], axis=1)] * 2, ("near", "twin"))
    assert len(values) == 120
    for statistic in ("spearman", "tau.discordant", "acc_eq"):
        test = meta(human, twin, Settings(resampling=QUICK)).criteria[0].test("near", "twin", statistic)
        assert (test.difference, test.p, test.low, test.high) == (0, 1, 0, 0)


def test_means_of_segments_are_swapped_by_segment_and_pooled_scores_by_system():
    human, results = noisy()

    def fold(sums):
        return np.sqrt(np.abs(sums[..., 0])) / sums[..., 1]

    pooled = Measure("far", mean_records, fold, item_values=mean)
    changed = Results("mt", [results.measures[0], pooled], results.systems, results.items_known, results.signature)
    by_segment = meta(human, results, Settings(resampling=QUICK))
    by_system = meta(human, changed, Settings(resampling=QUICK))
    assert by_segment.criteria[0].test("near", "far", "spearman").swapped == "segments"
    assert by_system.criteria[0].test("near", "far", "spearman").swapped == "systems"
    assert any("little power" in note for note in by_system.notes)
    assert not any("little power" in note for note in by_segment.notes)


def test_the_interval_widens_as_segments_grow_few():
    widths = []
    for n in (20, 200):
        one = meta(*noisy(n), Settings(resampling=Resampling(draws=200, cluster="segment"))).criteria[0]
        found = one.agreement("far", "tau.discordant", "all")
        assert found.low <= found.value <= found.high
        widths.append(found.high - found.low)
    assert widths[0] > 2 * widths[1]


def test_the_same_seed_gives_the_same_figures():
    first, second = (meta(*noisy(), Settings(resampling=QUICK)).to_dict() for _ in range(2))
    assert first == second


def test_p_values_are_adjusted_over_all_pairs_of_metrics():
    human, results = noisy()
    values = [np.stack([s.records[name][:, 0] for s in results.systems], axis=1) for name in ("near", "far")]
    three = scored([*values, values[0] ** 3], ("near", "far", "cubed"))
    tests = [
        t for t in meta(human, three, Settings(resampling=QUICK)).criteria[0].tests if t.statistic == "tau.discordant"
    ]
    assert len(tests) == 3
    assert min(t.p_adjusted for t in tests) == pytest.approx(3 * min(t.p for t in tests))


def test_two_arrays_of_scores_are_compared_under_every_rule_at_once():
    pairs = said([(row, 0, 1, 1) for row in range(40)], 40, 2)
    right = np.column_stack([np.ones(40), np.zeros(40)])
    wrong = np.where(np.arange(40)[:, None] < 10, -right, right)
    found = compare_segments([right], [wrong], [pairs], draws=200)
    for statistic in ("discordant", "skip", "zero"):
        assert (found[statistic].a, found[statistic].b) == (1, pytest.approx(0.5))
        assert found[statistic].low > 0
    assert found["acc_eq"].difference == pytest.approx(0.25)
    assert found["discordant"].p < 0.01


def test_scores_of_judges_are_correlated_pooled_by_segment_and_by_system():
    human = np.array([[5.0, 3.0, 1.0], [4.0, 3.0, 2.0], [5.0, 4.0, 2.0], [4.0, 1.0, 2.0]])
    metric = np.array([[0.9, 0.5, 0.2], [0.6, 0.5, 0.7], [0.8, 0.6, 0.1], [0.7, 0.2, 0.3]])
    rows = [(None, str(r + 1), "J", "abc"[c], human[r, c]) for r in range(4) for c in range(3)]
    found = meta(judged(rows, "score", "adequacy"), scored([metric]), Settings(resampling=QUICK)).criteria[0]
    pooled = scipy_stats.pearsonr(metric.ravel(), human.ravel()).statistic
    by_segment = np.mean([scipy_stats.spearmanr(a, b).statistic for a, b in zip(metric, human, strict=True)])
    by_system = np.mean([scipy_stats.kendalltau(a, b).statistic for a, b in zip(metric.T, human.T, strict=True)])
    assert found.agreement("metric", "pearson.pooled", "all").value == pytest.approx(pooled)
    assert found.agreement("metric", "spearman.by_segment", "all").value == pytest.approx(by_segment)
    assert found.agreement("metric", "kendall.by_system", "all").value == pytest.approx(by_system)
    assert found.rule == "mean score"
    assert found.agreement("metric", "pearson.pooled", "all").low < pooled < 1


def test_several_criteria_stand_side_by_side_with_their_average():
    rows = [(None, str(r), "J", s, v) for r in range(1, 4) for s, v in zip("abc", (5, 3, 1), strict=True)]
    turned = [(group, segment, judge, system, -value) for group, segment, judge, system, value in rows]
    human = [judged(rows, "score", "adequacy"), judged(turned, "score", "fluency")]
    found = meta(human, scored([np.tile([0.9, 0.5, 0.1], (3, 1))]), Settings(resampling=QUICK))
    table = found.statement().tables[0]
    assert [column.header for column in table.columns] == ["metric", "adequacy", "fluency", "average"]
    assert list(table.rows[0][1:]) == pytest.approx([1, -1, 0])


def test_one_criterion_twice_is_refused():
    with pytest.raises(TouchstoneError) as refused:
        meta([ranking(["abc"])] * 2, scored([np.random.default_rng(0).random((1, 3))]))
    assert refused.value.code == Code.DUPLICATE_NAME


def test_the_tables_take_every_form():
    found = meta(*noisy(), Settings(resampling=QUICK))
    tables = found.statement().tables
    for table in tables:
        assert table.to_markdown().startswith("**")
        assert r"\begin{tabular}" in table.to_latex()
        assert "<table" in table.to_html()
    assert "ties of the metric count as discordant" in tables[1].to_text()


def test_without_intervals_values_stand_alone():
    found = meta(*noisy(), Settings(resampling=Resampling("none")))
    one = found.criteria[0].agreement("near", "spearman", "all")
    assert np.isfinite(one.value)
    assert np.isnan(one.low)
    assert len(found.statement().tables[0].rows) == 2
