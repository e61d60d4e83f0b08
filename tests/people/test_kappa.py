"""Kappas and AC1, against their definitions, published examples, statsmodels and nltk."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from nltk.metrics.agreement import AnnotationTask
from statsmodels.stats.inter_rater import aggregate_raters, cohens_kappa, fleiss_kappa
from tests.people.lists import alpha_of, cohen_of, fleiss_of

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.people.ratings import Ratings

# The worked example of Wikipedia's article on Fleiss' kappa: 10 subjects, 14 raters, 5 categories, kappa .210.
SUBJECTS = [
    [0, 0, 0, 0, 14],
    [0, 2, 6, 4, 2],
    [0, 0, 3, 5, 6],
    [0, 3, 9, 2, 0],
    [2, 2, 8, 1, 1],
    [7, 7, 0, 0, 0],
    [3, 2, 6, 3, 0],
    [2, 5, 3, 2, 2],
    [6, 5, 2, 1, 0],
    [0, 2, 2, 3, 7],
]
LABELLED = st.lists(st.lists(st.sampled_from("CEN"), min_size=3, max_size=3), min_size=1, max_size=30)


def spelled(row):
    """The labels of a row of counts, one for each person."""
    return [label for label, count in enumerate(row, 1) for _ in range(count)]


def values(found):
    return {name: one.value for name, one in found.items()}


def test_cohens_own_form_comes_out_by_hand():
    """20 yes-yes, 5 yes-no, 10 no-yes, 15 no-no: P = .7, P_e = .5·.6 + .5·.4 = .5, kappa .4; AC1 with p = .55."""
    found = values(cohen_of("y" * 25 + "n" * 25, "y" * 20 + "n" * 5 + "y" * 10 + "n" * 15))
    chance = 2 * 0.55 * 0.45
    assert found == pytest.approx(
        {
            "kappa": 0.4,
            "kappa.n": 0.4,
            "kappa.y": 0.4,
            "raw_agreement": 0.7,
            "ac1": (0.7 - chance) / (1 - chance),
            "f1.n": 2 * 15 / (20 + 25),
            "f1.y": 2 * 20 / (30 + 25),
        }
    )


@given(st.lists(st.tuples(st.sampled_from("CEN"), st.sampled_from("CEN")), min_size=2, max_size=40))
def test_cohens_kappa_is_that_of_nltk_and_each_labels_that_of_label_or_not(pairs):
    first, second = zip(*pairs, strict=True)
    found = cohen_of(first, second, draws=10)
    entries = [(who, str(i), label) for i, pair in enumerate(pairs) for who, label in zip("ab", pair, strict=True)]
    if found["kappa"].reason is None:
        assert found["kappa"].value == pytest.approx(AnnotationTask(entries).kappa(), abs=1e-12)
    for label in set(first) | set(second):
        either_way = cohen_of([x == label for x in first], [x == label for x in second], draws=10)
        assert found[f"kappa.{label}"].value == pytest.approx(either_way["kappa"].value, nan_ok=True)


def test_cohens_kappa_is_that_of_statsmodels():
    random = np.random.default_rng(0)
    first = random.integers(0, 4, 200)
    second = np.where(random.random(200) < 0.6, first, random.integers(0, 4, 200))
    table = np.zeros((4, 4))
    np.add.at(table, (first, second), 1)
    assert cohen_of(first.tolist(), second.tolist())["kappa"].value == pytest.approx(cohens_kappa(table).kappa)


@given(LABELLED)
def test_fleiss_kappa_is_that_of_statsmodels(rows):
    table, _ = aggregate_raters(np.array(rows))
    found = fleiss_of(rows, draws=10)
    if found["kappa"].reason is None:
        assert found["kappa"].value == pytest.approx(fleiss_kappa(table), abs=1e-12)


@given(LABELLED)
def test_fleiss_kappa_is_the_mean_of_the_labels_kappas_weighted_by_p_and_not_p(rows):
    """Fleiss (1971), equation 19."""
    found = fleiss_of(rows, draws=10)
    if found["kappa"].reason:
        return
    shares = {
        label: np.mean([x == label for row in rows for x in row]) for label in sorted({x for r in rows for x in r})
    }
    weights = np.array([share * (1 - share) for share in shares.values()])
    kappas = np.array([found[f"kappa.{label}"].value for label in shares])
    assert (weights * kappas).sum() / weights.sum() == pytest.approx(found["kappa"].value)


@given(LABELLED)
def test_each_labels_kappa_is_that_of_the_label_against_all_others(rows):
    found = fleiss_of(rows, labels="CEN", draws=10)
    for label in "CEN":
        merged = fleiss_of([[x == label for x in row] for row in rows], draws=10)
        assert found[f"kappa.{label}"].value == pytest.approx(merged["kappa"].value, nan_ok=True)


def test_a_published_example_comes_out_as_published():
    found = fleiss_of(map(spelled, SUBJECTS))
    assert found["raw_agreement"].value == pytest.approx(0.378, abs=0.0005)
    assert found["kappa"].value == pytest.approx(0.210, abs=0.0005)


def test_fleiss_by_hand():
    """CCC and CCN: p = (5/6, 1/6); 1 of 3 pairs differs in the second, so P = 2/3, P_e = 26/36, kappa -.2."""
    found = values(fleiss_of([[*"CCC"], [*"CCN"]]))
    assert found["raw_agreement"] == pytest.approx(2 / 3)
    assert found["kappa"] == pytest.approx((2 / 3 - 26 / 36) / (1 - 26 / 36))
    assert found["ac1"] == pytest.approx((2 / 3 - 10 / 36) / (1 - 10 / 36))


def test_labels_that_nobody_gave_count_in_ac1_when_named():
    chance = (5 / 36 + 5 / 36 + 0) / 2
    found = fleiss_of([[*"CCC"], [*"CCN"]], labels=["C", "E", "N"])
    assert found["ac1"].value == pytest.approx((2 / 3 - chance) / (1 - chance))
    assert found["kappa.E"].reason == "the label E was given always or never"


def test_where_one_label_rules_kappa_is_near_zero_and_ac1_is_not():
    found = values(fleiss_of([[*"CCC"]] * 97 + [[*"CCN"]] * 3))
    assert abs(found["kappa"]) < 0.02
    assert found["ac1"] > 0.97


def test_one_label_for_all_has_no_kappa_but_full_agreement():
    found = fleiss_of([[*"CCC"], [*"CCC"]], labels=["C", "E"])
    assert np.isnan(found["kappa"].value)
    assert found["kappa"].reason == "only one label was given, so that chance alone gives full agreement"
    assert found["raw_agreement"].value == found["ac1"].value == 1
    assert fleiss_of([[*"CC"]])["ac1"].reason == "there is only one label to give"


def test_rows_with_another_number_of_labels_are_left_out_and_counted():
    found = fleiss_of([["C", "C", "E"], ["E", "E", "E"], ["C", "E", None], ["C"]])
    assert (found["kappa"].units, found["kappa"].left_out, found["kappa"].answers) == (2, 2, 6)
    assert values(found) == pytest.approx(values(fleiss_of([[*"CCE"], [*"EEE"]])))


def test_units_that_one_person_left_open_are_left_out_of_cohens_kappa():
    found = cohen_of(["y", "n", None, "y"], ["y", "n", "n", None], unit="sentence")["kappa"]
    assert (found.value, found.units, found.left_out, found.unit) == (1, 2, 2, "sentence")


def test_two_people_by_fleiss_are_as_close_as_by_alpha_when_units_are_many():
    """With n = 2, alpha = 1 - (1 - kappa)(N n - 1)/(N n): the correction for small samples."""
    rows = [["y", "y"], ["n", "n"], ["y", "n"]] * 20
    kappa, alpha = fleiss_of(rows)["kappa"].value, alpha_of(rows).value
    assert alpha == pytest.approx(1 - (1 - kappa) * 119 / 120)


def test_intervals_contain_the_value_and_clusters_widen_them():
    rows = [*map(spelled, SUBJECTS)] * 4
    alone = fleiss_of(rows)["kappa"].interval
    clustered = fleiss_of(rows, clusters=np.tile(np.arange(10), 4))["kappa"].interval
    assert alone.low < fleiss_of(rows)["kappa"].value < alone.high
    assert clustered.high - clustered.low == pytest.approx(2 * (alone.high - alone.low), rel=0.15)


@pytest.mark.parametrize(
    ("call", "code", "value"),
    [
        (lambda: cohen_of([None], ["y"]), Code.TOO_FEW, None),
        (lambda: fleiss_of([]), Code.TOO_FEW, None),
        (lambda: fleiss_of(["CCC", "CCN"]), Code.BAD_CELL, "CCC"),
        (lambda: fleiss_of(pd.DataFrame({"ana": ["C"], "ben": ["C"]})), Code.UNKNOWN_FORMAT, None),
        (lambda: Ratings.of([["y", "y"], ["n"]], ["ana", "ben"]), Code.MISMATCH, "['n']"),
        (lambda: fleiss_of([["C"], ["E"]]), Code.TOO_FEW, None),
        (
            lambda: fleiss_of([["neutrl", "neutral"]], labels=["neutral", "entailment"]),
            Code.UNKNOWN_NAME,
            "neutrl",
        ),
    ],
)
def test_bad_input_is_refused(call, code, value):
    with pytest.raises(TouchstoneError) as error:
        call()
    assert (error.value.code, error.value.faults[0].value) == (code, value)


def test_both_coefficients_make_1000_draws_by_default():
    assert cohen_of("yynnyn", "yynnnn")["kappa"].interval.draws == 1000
    assert fleiss_of([[*"CCC"], [*"CCN"], [*"EEE"], [*"EEN"]])["kappa"].interval.draws == 1000
