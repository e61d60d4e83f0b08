"""What docs/pyramid_auto.md claims of automatic pyramids, on DUC 2006 and REALSumm.

`benchmarks/results/pyramid_auto.json` has the figures of record, by ``python -m benchmarks pyramid_auto``. Its
baselines by the rouge-score package are those that the specification of the task knows from elsewhere: on DUC 2006
ROUGE-1 .912 and .552, ROUGE-2 .918 and .592 (system and summary r), on REALSumm .911 and .529, .964 and .456.
"""

import json
from pathlib import Path

import numpy as np
import pytest
from benchmarks.pyramid_auto import CASES, RESULTS, duc_sets, page_tables, realsumm_sets, saved
from benchmarks.pyramid_claims import stored_odds, unseen

from touchstone.neural.packages import CAUSAL, installed
from touchstone.systems.pyramids import Evaluation, Matcher, open_network
from touchstone.systems.pyramids.evaluating import SOFT

PAGE = Path(__file__).parents[2] / "docs" / "pyramid_auto.md"


@pytest.fixture(scope="module")
def results():
    return json.loads(RESULTS.read_text("utf-8"))


@pytest.mark.parametrize(
    "name",
    [data + end for data in ("realsumm", "duc2006", "duc2006_frozen") for end in ("", "_encoder", "_claims")],
)
def test_summary_correlations_are_above_the_best_lexical_baseline(results, name):
    least = -0.01 if name == "duc2006_frozen_claims" else 0  # the page says that this lead is not certain
    assert results[name]["above_best_baseline"][1] > least


def test_the_correlations_that_were_aimed_at(results):
    names = ("duc2006", "duc2006_claims", "realsumm", "realsumm_claims")
    reached = [results[name]["methods"][SOFT]["summary_r"][0] for name in names]
    assert min(reached[:2]) >= 0.65
    assert reached[2] >= 0.565, "without a network the aim of .60 is not reached, and the page says so"
    assert reached[3] >= 0.60


def test_what_networks_add_to_the_correlation_of_single_summaries(results):
    def r(name):
        return results[name]["methods"][SOFT]["summary_r"][0]

    names = ("realsumm", "duc2006", "duc2006_frozen")
    gains = {end: [r(name + end) - r(name) for name in names] for end in ("_encoder", "_claims")}
    assert gains["_encoder"] == pytest.approx([0.012, 0.008, 0.022], abs=0.0005)
    assert gains["_claims"] == pytest.approx([0.037, 0.017, -0.008], abs=0.001)


def test_more_than_half_of_the_annotations_are_saved_on_duc_and_four_of_ten_on_realsumm(results):
    for name, case in results["estimates"].items():
        for size, one in case["stratified"].items():
            assert one["saved_both"] > max(one["saved_strata_alone"], one["saved_machine_alone"])
            least = SAVED[name] if int(size) <= 100 or name == "REALSumm, folds" else 0.37
            assert least <= one["saved_both"] < least + 0.05, (name, size)


def test_a_narrower_interval_saves_what_its_width_would_need():
    # 40 of 440 items; 1/n - 1/440 is a quarter at n = 40 / (1/4 + 3/4 * 40/440) = 125.7, fewer by the quantile of t.
    assert saved(40, 440, 1.0) == 0
    assert 0.65 < saved(40, 440, 0.5) < 1 - 40 / 125.7


def test_probabilities_are_calibrated_on_data_like_that_of_training(results):
    assert results["duc2006"]["calibration_error"] < 0.02
    assert results["realsumm"]["calibration_error"] < 0.03


def test_rouge_has_the_values_that_are_known_from_elsewhere(results):
    known = {
        ("duc2006", "rouge-score 1"): (0.912, 0.552),
        ("duc2006", "rouge-score 2"): (0.918, 0.592),
        ("realsumm", "rouge-score 1"): (0.911, 0.529),
        ("realsumm", "rouge-score 2"): (0.964, 0.456),
    }
    for (data, method), (system, summary) in known.items():
        own = results[data]["methods"][method]
        assert own["system_r"][0] == pytest.approx(system, abs=0.0015)
        assert own["summary_r"][0] == pytest.approx(summary, abs=0.0015)


def test_the_human_ceiling_is_that_of_the_specification(results):
    assert results["ceiling"] == {"f1": pytest.approx(0.873, abs=5e-4), "score_r": pytest.approx(0.915, abs=5e-4)}


def test_intervals_of_estimates_hold_the_truth(results):
    for case in results["estimates"].values():
        for size, one in case["samples"].items():
            assert 0.93 <= one["coverage_both"] <= 0.97, size
        for size, one in case["stratified"].items():
            assert min(one["coverage_both"], one["coverage_human_only"]) >= 0.93, size
            assert max(one["coverage_both"], one["coverage_human_only"]) <= 0.97, size
            assert abs(one["bias"]) < 3


def test_the_page_shows_the_figures_of_record(results):
    page = PAGE.read_text("utf-8")
    for title, table in page_tables(results).items():
        assert f"<!-- {title} -->\n\n{table.to_markdown().strip()}\n" in page, title


def test_the_shipped_model_gives_the_figures_of_record_on_four_sets(data):
    # Measured with the benchmark, on every fifth set of DUC 2006.
    sets = duc_sets(data("duc2006").parent)[0][::5]
    matcher = Matcher()
    found = Evaluation(sets, [matcher.curves.probability(one.rows) for one in sets], "frozen")
    assert np.nanmean(found.summary_r[SOFT]) == pytest.approx(FOUR_SETS[0], abs=0.002)
    assert found.auc == pytest.approx(FOUR_SETS[1], abs=0.002)


def test_the_shipped_reader_gives_the_stored_log_odds(data):
    # Stored from a GPU with weights of sixteen bits; here they have eight. Two summaries of the first set of DUC 2006.
    pytest.importorskip("torch", reason="the extra neural is not installed")
    if installed(CAUSAL) is None:
        pytest.skip(f"the package {CAUSAL}, which carries the weights, is not installed")
    sets, _ = duc_sets(data("duc2006").parent)
    statements = [text for unit in sets[0].statements for text in unit][:24]
    stored = stored_odds("duc2006", sets)[0][:2, :24]
    reader = open_network("smollm2")
    own = np.array([reader.log_odds(text, statements) for text in sets[0].texts[:2]])
    assert np.corrcoef(own.ravel(), stored.ravel())[0, 1] > 0.98
    assert np.abs(own - stored).mean() < 0.25


def test_each_document_is_read_by_a_network_that_saw_neither_its_fold_nor_the_one_that_is_predicted(data):
    sets, folds = realsumm_sets(data("realsumm").parent)
    both, own = unseen(sets, folds, 3), unseen(sets, folds)
    for place in (0, 25, 45, 99):
        one, fold = sets[place], int(folds[place])
        name = str(fold) if fold == 3 else "_".join(map(str, sorted((fold, 3))))
        left_out = [other for other, number in enumerate(folds) if str(number) in name.split("_")]
        stored = stored_odds(name, [sets[other] for other in left_out])[left_out.index(place)]
        statements = [text for unit in one.statements for text in unit]
        assert (both[place].encoder.log_odds(one.texts[0], statements) == stored[0]).all()
        if fold != 3:
            assert (own[place].encoder.log_odds(one.texts[0], statements) != stored[0]).any()


FOUR_SETS = (0.696, 0.864)
SAVED = {"DUC 2006, folds": 0.525, "DUC 2006, frozen model": 0.495, "REALSumm, folds": 0.4}
"""What the page says that strata and the machine save at least; half of all summaries of DUC leave less to save."""


@pytest.mark.soak
@pytest.mark.parametrize("name", sorted(json.loads(RESULTS.read_text("utf-8"))))
def test_the_figures_of_record_are_what_the_benchmark_gives(data, results, name):
    def close(one, other):
        if isinstance(one, dict):
            return one.keys() == other.keys() and all(close(one[key], other[key]) for key in one)
        if isinstance(one, list):
            return len(one) == len(other) and all(map(close, one, other))
        return one == pytest.approx(other, abs=0.01, rel=0.02) if isinstance(one, float) else one == other

    assert close(CASES[name](data("duc2006").parent), results[name])
