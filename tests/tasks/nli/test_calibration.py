"""Calibration: how far probabilities can be believed. Expected values are arithmetic on the definitions."""

import math

import numpy as np
import pytest

from touchstone import TouchstoneError, nli
from touchstone.base.codes import Code
from touchstone.core.resampling import Resampling

QUICK = Resampling("none")

GOLD = {"1": "entailment", "2": "neutral", "3": "contradiction", "4": "entailment"}
SHARES = {  # entailment, neutral, contradiction
    "1": [0.7, 0.2, 0.1],
    "2": [0.6, 0.3, 0.1],
    "3": [0.05, 0.0, 0.95],
    "4": [0.62, 0.28, 0.1],
}
BY_LABEL = {
    name: dict(zip(("entailment", "neutral", "contradiction"), shares, strict=True)) for name, shares in SHARES.items()
}
ROWS = [{"id": name, "probabilities": shares} for name, shares in BY_LABEL.items()]


def value(measure, systems=None, **options):
    return nli.score(GOLD, {"a": systems or ROWS}, [measure], resampling=QUICK, **options).row("a", measure).value


def test_ece_is_the_mean_distance_of_accuracy_and_confidence_over_bins():
    # Bins of a tenth: (.5, .6] has pair 2 (wrong), (.6, .7] pairs 1 and 4 (right), (.9, 1] pair 3 (right).
    assert value("ece") == pytest.approx((1 * abs(0 - 0.6) + 2 * abs(1 - (0.7 + 0.62) / 2) + 1 * abs(1 - 0.95)) / 4)
    # One bin: |3/4 - mean confidence|.
    assert value("ece(bins=1)") == pytest.approx(abs(3 / 4 - (0.7 + 0.6 + 0.95 + 0.62) / 4))


def test_brier_is_the_squared_distance_from_the_gold_label_summed_over_labels():
    squares = [
        0.3**2 + 0.2**2 + 0.1**2,
        0.6**2 + 0.7**2 + 0.1**2,
        0.05**2 + 0.0 + 0.05**2,
        0.38**2 + 0.28**2 + 0.1**2,
    ]
    assert value("brier") == pytest.approx(math.fsum(squares) / 4)


def test_accuracy_at_coverage_counts_the_most_confident_pairs():
    assert value("accuracy@75") == 1  # pairs 3, 1 and 4
    assert value("accuracy@100") == 3 / 4
    assert value("accuracy@1") == 1


def test_with_two_labels_the_rest_is_one_label():
    # Of pair 2 the rest has .4 and the gold is the rest: (0 - .6)² + (1 - .4)².
    squares = [2 * 0.3**2, 2 * 0.6**2, 2 * 0.05**2, 2 * 0.38**2]
    assert value("brier", labels="two") == pytest.approx(math.fsum(squares) / 4)


@pytest.mark.parametrize(
    "systems",
    [
        ROWS,
        [{"id": name, "probs": shares} for name, shares in SHARES.items()],
        [{"id": name, **shares} for name, shares in BY_LABEL.items()],
        [{"id": name, **{f"p_{label}": share for label, share in shares.items()}} for name, shares in BY_LABEL.items()],
        [{"id": n, "probabilities": s, "label": max(s, key=s.get)} for n, s in BY_LABEL.items()],
    ],
    ids=["by label", "a list in the usual order", "a column for each label", "p_LABEL", "with the label"],
)
def test_probabilities_come_by_label_as_a_list_or_as_columns(systems):
    assert value("ece", systems) == value("ece")


def test_a_list_in_another_order_needs_to_be_explained():
    turned = [{"id": name, "probs": shares[::-1]} for name, shares in SHARES.items()]
    order = ["0=contradiction", "1=neutral", "2=entailment"]
    assert value("ece", turned, label=order) == value("ece")


def test_calibration_is_scored_beside_the_usual_where_every_system_gives_probabilities():
    both = nli.score(GOLD, {"a": ROWS, "b": ROWS}, resampling=QUICK)
    assert [measure.name for measure in both.measures][-2:] == ["ece(bins=10)", "brier"]
    one = nli.score(GOLD, {"a": ROWS, "b": GOLD}, resampling=QUICK)
    assert "brier" not in [measure.name for measure in one.measures]
    with pytest.raises(TouchstoneError) as error:
        nli.score(GOLD, {"a": ROWS, "b": GOLD}, ["brier"])
    assert error.value.code == Code.UNSUPPORTED
    assert error.value.faults[0].value == "b"


def test_the_majority_class_is_as_confident_as_its_label_is_common():
    results = nli.score(GOLD, {"a": ROWS}, ["brier"], resampling=QUICK)
    shares = {"entailment": 2 / 4, "neutral": 1 / 4, "contradiction": 1 / 4}
    squares = [sum((shares[label] - (label == gold)) ** 2 for label in shares) for gold in GOLD.values()]
    assert results.row("majority_class", "brier").value == pytest.approx(math.fsum(squares) / 4)


def test_reliability_has_confidence_accuracy_and_an_interval_for_each_bin():
    generator = np.random.default_rng(7)
    gold, rows = {}, []
    for n in range(400):
        share = float(generator.uniform(0.5, 1))
        gold[str(n)] = "entailment" if generator.random() < share else "neutral"
        rows.append({"id": str(n), "probabilities": {"entailment": share, "neutral": 1 - share}})
    results = nli.score(gold, {"a": rows}, ["ece"])
    bins = [each for each in nli.reliability(results, 5) if each.system == "a"]
    assert sum(each.n for each in bins) == 400
    assert all(each.start < each.confidence <= each.end for each in bins)
    assert all(each.low <= each.accuracy <= each.high for each in bins)
    # The probabilities are those that the gold was drawn with, so most intervals hold the confidence.
    assert sum(each.low <= each.confidence <= each.high for each in bins) >= len(bins) - 1
    by_hand = sum(each.n * abs(each.accuracy - each.confidence) for each in bins) / 400
    assert nli.score(gold, {"a": rows}, ["ece(bins=5)"]).row("a", "ece(bins=5)").value == pytest.approx(by_hand)


def test_reliability_needs_probabilities():
    with pytest.raises(TouchstoneError) as error:
        nli.reliability(nli.score(GOLD, {"a": GOLD}, resampling=QUICK))
    assert error.value.code == Code.UNSUPPORTED
