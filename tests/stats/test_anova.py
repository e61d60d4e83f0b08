"""Analysis of variance, against arithmetic and statsmodels."""

import numpy as np
import pandas as pd
import pytest
import scipy.stats
from statsmodels.formula.api import ols
from statsmodels.stats.anova import anova_lm

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.stats.anova import analyse_variance, explained


def unbalanced(n=120, seed=1):
    """Rows in which cells are missing and factors go together."""
    random = np.random.default_rng(seed)
    set_, peer = random.integers(0, 5, n), random.integers(0, 4, n)
    content = np.clip(peer + random.integers(-1, 2, n), 0, 3)
    score = 0.1 * set_ + 0.05 * peer + random.normal(0, 0.1, n)
    return {"score": score, "set": set_, "peer": peer, "content": content}


TABLE = {name: column.tolist() for name, column in unbalanced().items()}
FACTORS = ["set", "peer", "content"]


@pytest.mark.parametrize("kind", ["I", "II", "III"])
def test_every_type_equals_that_of_statsmodels(kind):
    model = analyse_variance(TABLE, "score", FACTORS, type=kind)
    fitted = ols("score ~ C(set) + C(peer) + C(content)", pd.DataFrame(TABLE)).fit()
    official = anova_lm(fitted, typ=["I", "II", "III"].index(kind) + 1)
    names = ["C(set)", "C(peer)", "C(content)"]
    for effect, name in zip(model.effects, names, strict=True):
        row = official.loc[name]
        assert effect.df == row["df"]
        assert (effect.sum_of_squares, effect.f, effect.p) == pytest.approx((row["sum_sq"], row["F"], row["PR(>F)"]))
    assert model.residual_df == fitted.df_resid
    assert model.mse == pytest.approx(fitted.mse_resid)


def test_one_factor_is_the_textbooks_f_test():
    groups = [6.0, 8, 4, 5, 3, 4], [8.0, 12, 9, 11, 6, 8], [13.0, 9, 11, 8, 7, 12]
    table = {"score": np.concatenate(groups).tolist(), "group": ["a"] * 6 + ["b"] * 6 + ["c"] * 6}
    official = scipy.stats.f_oneway(*groups)
    (effect,) = analyse_variance(table, "score", ["group"]).effects
    assert (effect.df, effect.f, effect.p) == pytest.approx((2, official.statistic, official.pvalue))


def test_a_balanced_design_adds_up_by_hand():
    """Two sets, two peers, two rows each: the sums of squares of the means, and of what they leave."""
    table = {"score": [1, 2, 3, 4, 5, 6, 9, 10], "set": list("aaaabbbb"), "peer": list("xxyyxxyy")}
    model = analyse_variance(table, "score", ["set", "peer"])
    assert model.effect("set").sum_of_squares == pytest.approx(8 * 2.5**2)
    assert model.effect("peer").sum_of_squares == pytest.approx(8 * 1.5**2)
    assert model.residual_sum_of_squares == pytest.approx(72 - 50 - 18)
    assert (model.residual_df, model.formula) == (5, "score ~ set + peer")


def test_types_agree_where_the_design_is_balanced():
    table = {"score": [1, 2, 3, 5, 5, 8], "set": list("aabbcc"), "peer": list("xyxyxy")}
    first, second = (analyse_variance(table, "score", ["set", "peer"], type=kind) for kind in ("I", "II"))
    for a, b in zip(first.effects, second.effects, strict=True):
        assert (a.f, a.p) == pytest.approx((b.f, b.p))


def test_the_order_of_factors_matters_to_type_one_alone():
    there, back = (analyse_variance(TABLE, "score", order).effect("peer").f for order in (FACTORS, FACTORS[::-1]))
    assert there == pytest.approx(back)
    there, back = (
        analyse_variance(TABLE, "score", order, type="I").effect("peer").f for order in (FACTORS, FACTORS[::-1])
    )
    assert there != pytest.approx(back)


def test_a_factor_that_others_determine_has_no_degrees_of_freedom_and_says_so():
    """Each set has one annotator: beside the sets, the annotator explains nothing."""
    table = TABLE | {"annotator": [value // 2 for value in TABLE["set"]]}
    model = analyse_variance(table, "score", ["set", "peer", "annotator"])
    effect = model.effect("annotator")
    assert (effect.df, effect.sum_of_squares) == (0, 0)
    assert np.isnan([effect.f, effect.p]).all()
    without = analyse_variance(TABLE, "score", ["set", "peer"])
    assert (model.residual_df, model.mse) == pytest.approx((without.residual_df, without.mse))
    assert "nothing can be said: annotator" in model.to_table().to_text()


def test_rows_with_empty_cells_are_dropped_aloud():
    cells = {name: [*column[:-3], None, "", float("nan")] for name, column in TABLE.items()}
    model = analyse_variance(cells, "score", ["set", "peer"])
    whole = analyse_variance({name: column[:-3] for name, column in TABLE.items()}, "score", ["set", "peer"])
    assert model.mse == pytest.approx(whole.mse)
    assert model.data.dropped == 3
    assert "117 rows; 3 with an empty cell dropped" in model.to_table().to_text()


def test_numbers_may_be_written_as_text_and_levels_sort_as_numbers():
    table = {"score": ["0.1", "0.2", "0.4", "0.3"], "peer": ["10", "9", "10", "9"]}
    model = analyse_variance(table, "score", ["peer"])
    assert model.data.factor("peer").levels == ("9", "10")
    assert model.effect("peer").sum_of_squares == pytest.approx(0)


def test_whole_numbers_that_a_gap_made_decimal_keep_their_names():
    assert analyse_variance({"score": [1, 2, 4, 3.5], "peer": [1.0, 2.0, 1.0, 2.0]}, "score", ["peer"]).data.factor(
        "peer"
    ).levels == ("1", "2")


def test_the_type_stands_in_the_heading():
    text = analyse_variance(TABLE, "score", FACTORS).to_table().to_text()
    assert text.startswith("Analysis of variance, type II: score ~ set + peer + content")


def test_a_model_that_fits_every_row_has_infinite_f():
    table = {"score": [1, 1, 2, 2], "peer": list("aabb")}
    effect = analyse_variance(table, "score", ["peer"]).effect("peer")
    assert (effect.f, effect.p) == (np.inf, 0)


@pytest.mark.parametrize(
    ("change", "code", "value"),
    [
        ({"factors": []}, Code.OPTION_NEEDED, None),
        ({"factors": ["sett"]}, Code.NO_COLUMN, "sett"),
        ({"response": "scores"}, Code.NO_COLUMN, "scores"),
        ({"factors": ["set", "set"]}, Code.DUPLICATE_COLUMN, "set"),
        ({"factors": ["score"]}, Code.DUPLICATE_COLUMN, "score"),
        ({"type": "IV"}, Code.UNKNOWN_NAME, "IV"),
        ({"table": TABLE | {"score": ["high"] * 120}}, Code.BAD_CELL, "high"),
        ({"table": TABLE | {"score": ["inf"] * 120}}, Code.BAD_CELL, "inf"),
        ({"table": TABLE | {"score": [0.5] * 120}}, Code.UNSUPPORTED, "score"),
        ({"table": TABLE | {"score": [0.5]}}, Code.MISMATCH, None),
        ({"table": TABLE | {"set": [""] * 120}}, Code.EMPTY, "score, set, peer"),
        ({"table": TABLE | {"set": ["a"] * 120}}, Code.UNSUPPORTED, "set = a"),
        ({"table": TABLE | {"set": list(range(120))}}, Code.UNSUPPORTED, "score ~ set + peer"),
    ],
)
def test_bad_input_is_refused(change, code, value):
    call = {"table": TABLE, "response": "score", "factors": ["set", "peer"]} | change
    with pytest.raises(TouchstoneError) as error:
        analyse_variance(**call)
    assert (error.value.code, error.value.faults[0].value) == (code, value)


def test_one_degree_of_freedom_is_enough_to_estimate_the_error():
    """Three rows of two groups leave 3 - 2 = 1: the rows 1 and 3 are 2 apart, so the error is 2."""
    model = analyse_variance({"score": [1.0, 3.0, 8.0], "peer": list("xxy")}, "score", ["peer"])
    assert (model.residual_df, model.mse) == (1, pytest.approx(2.0))


def test_a_direction_far_shorter_than_the_longest_explains_nothing():
    """The second eigenvalue is a 10⁻¹³th of the first, so only 10⁴ · 10⁴ / 10⁴ of the first is explained."""
    sum_of_squares, df = explained(np.diag([1e4, 1e-9]), np.array([1e4, 1e-9]))
    assert (float(sum_of_squares), int(df)) == (pytest.approx(1e4, rel=1e-14), 1)


def test_the_table_has_sums_of_squares_with_four_decimals_and_their_mean_with_six():
    """Groups of 1, 3 and of 8: the means 2 and 8 are 4 below and 2 · 2 above 4, so the factor explains 2 · 4 + 16."""
    model = analyse_variance({"score": [1.0, 3.0, 8.0], "peer": list("xxy")}, "score", ["peer"])
    assert model.to_table().rows[0][:4] == ("peer", 1, "24.0000", "24.000000")
