"""Agreement on any labels: published examples with their sources, and the package krippendorff."""

import krippendorff
import numpy as np
import pandas as pd
import pytest

import touchstone

# Krippendorff (2011), Computing Krippendorff's Alpha-Reliability, section C: four observers, twelve units.
OBSERVERS = {
    "A": [1, 2, 3, 3, 2, 1, 4, 1, 2, None, None, None],
    "B": [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, None, 3],
    "C": [None, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, None],
    "D": [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, None],
}

# The worked example of Wikipedia's article on Fleiss' kappa: 10 subjects, 14 raters, 5 categories, kappa .210.
SUBJECTS = ["5" * 14, "22333333444455", "33344444555555", "22233333333344", "11223333333345", "1" * 7 + "2" * 7,
            "11122333333444", "11222223334455", "11111122222334", "22334445555555"]  # fmt: skip


@pytest.mark.parametrize(("distance", "printed"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849)])
def test_krippendorffs_own_example_comes_out_as_printed(distance, printed):
    found = touchstone.agreement(pd.DataFrame(OBSERVERS), distance).coefficients["alpha"]
    assert found.value == pytest.approx(printed, abs=0.0005)
    assert (found.units, found.answers) == (11, 40)


def test_the_worked_example_of_fleiss_kappa_comes_out():
    found = touchstone.agreement([list(subject) for subject in SUBJECTS], "nominal").coefficients
    assert found["fleiss"].value == pytest.approx(0.210, abs=0.0005)
    assert found["raw_agreement"].value == pytest.approx(0.378, abs=0.0005)


def test_cohens_kappa_of_two_grant_readers():
    """Wikipedia, Cohen's kappa: 20 yes-yes, 5 yes-no, 10 no-yes, 15 no-no give kappa .40."""
    first, second = ["y"] * 25 + ["n"] * 25, ["y"] * 20 + ["n"] * 5 + ["y"] * 10 + ["n"] * 15
    assert touchstone.agreement({"A": first, "B": second}).coefficients["cohen"].value == pytest.approx(0.4)


@pytest.mark.parametrize("distance", ["nominal", "ordinal", "interval"])
@pytest.mark.parametrize("seed", range(5))
def test_alpha_equals_that_of_the_package_krippendorff(distance, seed):
    random = np.random.default_rng(seed)
    truth = random.integers(1, 6, 60)[:, None]
    rated = np.clip(truth + random.integers(-1, 2, (60, 5)), 1, 5).astype(float)
    rated[random.random(rated.shape) < 0.3] = np.nan
    frame = pd.DataFrame(rated, columns=list("abcde"))
    official = krippendorff.alpha(reliability_data=rated.T, level_of_measurement=distance)
    assert touchstone.agreement(frame, distance).coefficients["alpha"].value == pytest.approx(official, abs=1e-12)


# Shrout & Fleiss (1979), Intraclass Correlations: Uses in Assessing Rater Reliability, tables 2 and 4.
TARGETS = [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]
PRINTED = {"icc1": 0.17, "icc2": 0.29, "icc3": 0.71, "icc1k": 0.44, "icc2k": 0.62, "icc3k": 0.91}


def test_the_six_intraclass_correlations_of_shrout_and_fleiss_come_out_as_printed():
    found = touchstone.agreement(TARGETS, "interval", coefficients=list(PRINTED)).coefficients
    assert {name: round(found[name].value, 2) for name in PRINTED} == PRINTED
