"""Tukey's HSD and Fisher's LSD, against statsmodels and scipy."""

import numpy as np
import pandas as pd
import pytest
import scipy.stats
from statsmodels.formula.api import ols
from statsmodels.stats.multicomp import pairwise_tukeyhsd

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.stats.anova import analyse_variance
from touchstone.stats.comparisons import critical_q, fisher_lsd, studentised_range, tukey_hsd

BOTH = pytest.mark.parametrize("test", [tukey_hsd, fisher_lsd])
RANDOM = np.random.default_rng(8)
SIZES = (9, 14, 6, 11)
GROUPS = [RANDOM.normal(mean, 1, size) for mean, size in zip((0, 0.4, 1.3, 2), SIZES, strict=True)]
TABLE = {
    "score": np.concatenate(GROUPS).tolist(),
    "peer": [name for name, size in zip("abcd", SIZES, strict=True) for _ in range(size)],
    "set": [str(place % 3) for place in range(sum(SIZES))],
    "length": RANDOM.integers(0, 2, sum(SIZES)).tolist(),
}
ONE_WAY = analyse_variance(TABLE, "score", ["peer"])
MODEL = analyse_variance(TABLE, "score", ["set", "peer", "length"])


def in_order(found, matrix):
    """A matrix by level, in the alphabet's order."""
    order = [found.levels.index(level) for level in "abcd"]
    return matrix[np.ix_(order, order)]


def test_one_way_p_values_equal_those_of_statsmodels():
    official = pairwise_tukeyhsd(TABLE["score"], TABLE["peer"])
    found = tukey_hsd(ONE_WAY, "peer")
    assert in_order(found, found.p)[np.triu_indices(4, 1)] == pytest.approx(official.pvalues, abs=1e-6)
    assert in_order(found, found.differ)[np.triu_indices(4, 1)].tolist() == official.reject.tolist()
    assert found.critical_q == pytest.approx(official.q_crit, abs=1e-4)


def test_one_way_p_values_equal_those_of_scipy():
    found = tukey_hsd(ONE_WAY, "peer")
    assert in_order(found, found.p) == pytest.approx(scipy.stats.tukey_hsd(*GROUPS).pvalue, abs=1e-9)


def test_after_a_model_its_own_error_counts():
    found = tukey_hsd(MODEL, "peer")
    a, b = found.levels.index("a"), found.levels.index("c")
    difference = abs(GROUPS[0].mean() - GROUPS[2].mean())
    q = difference / np.sqrt(MODEL.mse / 2 * (1 / 9 + 1 / 6))
    assert found.q[a, b] == pytest.approx(q)
    assert found.p[a, b] == pytest.approx(scipy.stats.studentized_range.sf(q, 4, MODEL.residual_df))


def test_lsd_is_the_t_test_with_the_models_error():
    found = fisher_lsd(ONE_WAY, "peer")
    t = (GROUPS[0].mean() - GROUPS[1].mean()) / np.sqrt(ONE_WAY.mse * (1 / 9 + 1 / 14))
    assert in_order(found, found.p)[0, 1] == pytest.approx(2 * scipy.stats.t.sf(abs(t), ONE_WAY.residual_df))
    assert found.test == "Fisher LSD"


@BOTH
def test_a_pair_differs_exactly_when_its_p_is_small_and_its_difference_is_critical(test):
    found = test(MODEL, "peer")
    gaps = np.abs(found.means[:, None] - found.means)
    assert (found.differ == (found.p <= found.alpha)).all()
    assert (found.differ == (gaps >= found.critical_difference)).all()
    assert found.n_differing == found.differ.sum() / 2
    assert not found.differ.diagonal().any()
    assert (found.p.diagonal() == 1).all()


def test_hsd_never_finds_what_lsd_does_not():
    assert not (tukey_hsd(MODEL, "peer").differ & ~fisher_lsd(MODEL, "peer").differ).any()


def test_levels_stand_from_the_highest_mean_down_with_their_sizes():
    found = tukey_hsd(MODEL, "peer")
    means = {name: group.mean() for name, group in zip("abcd", GROUPS, strict=True)}
    assert list(found.levels) == sorted(means, key=means.get, reverse=True)
    assert found.means == pytest.approx(sorted(means.values(), reverse=True))
    assert dict(zip(found.levels, found.counts.tolist(), strict=True)) == dict(zip("abcd", SIZES, strict=True))


def test_intervals_of_one_way_means_are_those_of_statsmodels():
    """A model without an intercept has the means as its coefficients."""
    fitted = ols("score ~ C(peer) - 1", pd.DataFrame(TABLE)).fit()
    found = tukey_hsd(ONE_WAY, "peer")
    official = fitted.conf_int().loc[[f"C(peer)[{level}]" for level in found.levels]].to_numpy()
    assert np.stack([found.low, found.high], axis=1) == pytest.approx(official)


def test_least_squares_means_are_predictions_at_even_shares_of_the_other_levels():
    found = tukey_hsd(MODEL, "peer", means="least-squares")
    fitted = ols("score ~ C(set) + C(peer) + C(length)", pd.DataFrame(TABLE)).fit()
    for level, mean in zip(found.levels, found.means, strict=True):
        even = pd.DataFrame({"set": list("012012"), "peer": [level] * 6, "length": [0, 0, 0, 1, 1, 1]})
        assert mean == pytest.approx(fitted.predict(even).mean())
    t = fitted.t_test("C(peer)[T.b] - C(peer)[T.c] = 0")
    b, c = found.levels.index("b"), found.levels.index("c")
    assert found.q[b, c] == pytest.approx(abs(t.tvalue.item()) * np.sqrt(2))
    assert found.signature.endswith("least-squares means")


def test_least_squares_means_are_raw_means_where_the_design_is_balanced():
    table = {"score": [1, 2, 3, 5, 5, 8], "set": list("aabbcc"), "peer": list("xyxyxy")}
    model = analyse_variance(table, "score", ["set", "peer"])
    raw, adjusted = (tukey_hsd(model, "set", means=means) for means in ("raw", "least-squares"))
    assert adjusted.means == pytest.approx(raw.means)
    assert adjusted.p == pytest.approx(raw.p)


def test_the_signature_names_test_model_df_mse_and_alpha():
    assert tukey_hsd(ONE_WAY, "peer", alpha=0.01).signature == (
        f"Tukey HSD after score ~ peer; residual df 36, MSE {ONE_WAY.mse:.5g}, α = 0.01; raw means"
    )


@pytest.mark.parametrize(
    ("call", "code", "value"),
    [
        (lambda: tukey_hsd(MODEL, "peer", alpha=5), Code.OUT_OF_RANGE, None),
        (lambda: tukey_hsd(MODEL, "peer").different("a", "e"), Code.UNKNOWN_NAME, "e"),
        (
            lambda: tukey_hsd(analyse_variance({"y": [1, 1, 2, 2], "x": list("aabb")}, "y", ["x"]), "x"),
            Code.UNSUPPORTED,
            None,
        ),
        (
            lambda: tukey_hsd(
                analyse_variance(TABLE | {"copy": TABLE["set"]}, "score", ["set", "copy", "peer"]),
                "peer",
                means="least-squares",
            ),
            Code.UNSUPPORTED,
            "score ~ set + copy + peer",
        ),
    ],
)
def test_bad_input_is_refused(call, code, value):
    with pytest.raises(TouchstoneError) as error:
        call()
    assert (error.value.code, error.value.faults[0].value) == (code, value)


@pytest.mark.parametrize("df", [1, 2, 5, 20, 371, 10_000])
@pytest.mark.parametrize("k", [2, 3, 22])
def test_the_studentised_range_is_scipys(k, df):
    q = np.array([0.0, 0.5, 2.0, 3.5, 6.0, 12.0])
    assert studentised_range(q, k, df) == pytest.approx(scipy.stats.studentized_range.sf(q, k, df), abs=1e-10)
    assert critical_q("Tukey HSD", 0.05, k, df) == pytest.approx(
        scipy.stats.studentized_range.isf(0.05, k, df), rel=1e-4 if df == 1 else 1e-6
    )
