"""Mixed models by REML: a published example, arithmetic, statsmodels, and a slow literal version."""

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import minimize
from statsmodels.formula.api import mixedlm

from touchstone import TouchstoneError
from touchstone.stats.anova import analyse_variance
from touchstone.stats.comparisons import fisher_lsd, tukey_hsd
from touchstone.stats.mixed import fit_mixed

# Dyestuff: yield of five preparations of each of six batches (Davies and Goldsmith 1972, Table 6.3).
DYESTUFF = {
    "A": [1545, 1440, 1440, 1520, 1580],
    "B": [1540, 1555, 1490, 1560, 1495],
    "C": [1595, 1550, 1605, 1510, 1560],
    "D": [1445, 1440, 1595, 1465, 1545],
    "E": [1595, 1630, 1515, 1635, 1625],
    "F": [1520, 1455, 1450, 1480, 1445],
}


def balanced(seed=3, sets=6, peers=4, spread=1.0):
    """One score of each peer in each set."""
    random = np.random.default_rng(seed)
    codes = np.indices((sets, peers)).reshape(2, -1)
    values = spread * random.normal(size=sets)[codes[0]] + 0.5 * codes[1] + random.normal(size=codes.shape[1])
    return {"score": values, "set": [f"s{one}" for one in codes[0]], "peer": [f"p{one}" for one in codes[1]]}


def unbalanced(seed=5):
    """Sets in topics, peers with gaps, and a rating that goes with the peers."""
    random = np.random.default_rng(seed)
    sets, peers = np.indices((12, 5)).reshape(2, -1)
    kept = random.random(60) < 0.8
    sets, peers = sets[kept], peers[kept]
    topics, ratings = sets // 3, (peers + random.integers(0, 3, len(peers))) % 3
    values = 2 * random.normal(size=4)[topics] + random.normal(size=12)[sets] + 0.4 * peers
    values += random.normal(size=len(peers))
    return {"score": values, "set": sets, "topic": topics, "peer": peers, "rating": ratings}


def test_the_dyestuff_example_gives_the_published_figures():
    """lme4's documentation prints variances 1764 and 2451, and 1527.50 ± 19.38 (Bates et al. 2015)."""
    values = [float(one) for batch in DYESTUFF.values() for one in batch]
    table = {"yield": values, "batch": [name for name in DYESTUFF for _ in range(5)]}
    model = fit_mixed(table, "yield", [], ["batch"])
    batch, residual = model.components
    assert (batch.variance, residual.variance) == (pytest.approx(1764.05), pytest.approx(2451.25))
    assert model.coefficients == pytest.approx([1527.5])
    assert model.covariance[0, 0] ** 0.5 == pytest.approx(19.38, abs=0.005)
    assert model.effects == ()
    assert model.formula == "yield ~ 1 + (1 | batch)"


def test_a_balanced_design_gives_the_mean_squares_of_the_analysis_of_variance():
    table = balanced()
    model, fixed = fit_mixed(table, "score", ["peer"], ["set"]), analyse_variance(table, "score", ["set", "peer"])
    between = fixed.effect("set").sum_of_squares / fixed.effect("set").df
    variances = [one.variance for one in model.components]
    assert variances == pytest.approx([(between - fixed.mse) / 4, fixed.mse], rel=1e-6)
    (peer,) = model.effects
    assert (peer.df, peer.error_df, peer.f, peer.p) == pytest.approx(
        (3, 15, fixed.effect("peer").f, fixed.effect("peer").p), rel=1e-6
    )


@pytest.mark.parametrize(("name", "test"), [("Tukey HSD", tukey_hsd), ("Fisher LSD", fisher_lsd)])
def test_a_balanced_design_compares_levels_as_the_fixed_model_does_with_wider_intervals_of_means(name, test):
    """A difference of two peers has no variance of sets in it; a mean has: its interval holds for other sets too."""
    table = balanced(spread=3.0)
    mixed = fit_mixed(table, "score", ["peer"], ["set"]).compare("peer", name)
    fixed = test(analyse_variance(table, "score", ["set", "peer"]), "peer")
    assert mixed.levels == fixed.levels
    assert mixed.means == pytest.approx(fixed.means)
    assert mixed.p == pytest.approx(fixed.p, rel=1e-4)
    assert mixed.differ.tolist() == fixed.differ.tolist()
    assert np.all(mixed.high - mixed.low > 1.5 * (fixed.high - fixed.low))
    assert mixed.signature.startswith(f"{name} after score ~ peer + (1 | set); REML, df by Satterthwaite")


def test_variances_and_coefficients_equal_those_of_statsmodels():
    table = unbalanced()
    model = fit_mixed(table, "score", ["peer", "rating"], ["topic", "set"])
    frame = pd.DataFrame(table).assign(all=1)
    parts = {"set": "0 + C(set)", "topic": "0 + C(topic)"}
    theirs = mixedlm("score ~ C(peer) + C(rating)", frame, groups="all", vc_formula=parts).fit(method="powell")
    by_name = {one.name: one.variance for one in model.components}
    assert by_name["set"] == pytest.approx(theirs.vcomp[0], rel=0.01)
    assert by_name["topic"] == pytest.approx(theirs.vcomp[1], rel=0.01)
    assert by_name["residual"] == pytest.approx(theirs.scale, rel=0.01)
    assert model.coefficients == pytest.approx(theirs.fe_params.to_numpy(), abs=1e-3)


class Literal:
    """The textbook's formulas with a row and a column for each row of the table, minimised by Nelder and Mead."""

    def __init__(self, table, fixed, random):
        dummies = [np.equal.outer(np.asarray(table[name]), np.unique(table[name])[1:]) for name in fixed]
        self.y = np.asarray(table["score"], float)
        self.x = np.column_stack([np.ones(len(self.y)), *dummies]).astype(float)
        self.parts = [np.equal.outer(np.asarray(table[name]), np.asarray(table[name])) * 1.0 for name in random]
        self.parts.append(np.eye(len(self.y)))
        best = minimize(
            self.deviance,
            np.zeros(len(self.parts)),
            method="Nelder-Mead",
            options={"xatol": 1e-9, "fatol": 1e-12, "maxiter": 5000},
        )
        self.variances = np.exp(best.x)

    def matrices(self, variances):
        inverse = np.linalg.inv(sum(one * part for one, part in zip(variances, self.parts, strict=True)))
        covariance = np.linalg.inv(self.x.T @ inverse @ self.x)
        return inverse, covariance, inverse - inverse @ self.x @ covariance @ self.x.T @ inverse

    def deviance(self, logs):
        inverse, covariance, p = self.matrices(np.exp(logs))
        return -np.linalg.slogdet(inverse)[1] - np.linalg.slogdet(covariance)[1] + self.y @ p @ self.y

    def degrees(self, contrast):
        """2 v² / var(v), the slopes of v by small steps and the information by traces."""
        *_, p = self.matrices(self.variances)
        known = np.array([[np.trace(p @ a @ p @ b) / 2 for b in self.parts] for a in self.parts])
        steps = 1e-5 * np.diag(self.variances)
        spread = [
            (
                contrast @ self.matrices(self.variances + step)[1] @ contrast
                - contrast @ self.matrices(self.variances - step)[1] @ contrast
            )
            / (2 * step.max())
            for step in steps
        ]
        value = contrast @ self.matrices(self.variances)[1] @ contrast
        return 2 * value**2 / (spread @ np.linalg.inv(known) @ spread)


def test_variances_covariance_and_degrees_of_freedom_equal_the_literal_formulas():
    table = unbalanced()
    literal = Literal(table, ["peer", "rating"], ["topic", "set"])
    model = fit_mixed(table, "score", ["peer", "rating"], ["topic", "set"])
    assert model.variances == pytest.approx(literal.variances, rel=1e-4)
    assert model.covariance == pytest.approx(literal.matrices(literal.variances)[1], rel=1e-3, abs=1e-6)
    contrasts = np.eye(7)[:6] - np.eye(7)[1:]
    assert model.degrees(contrasts) == pytest.approx([literal.degrees(one) for one in contrasts], rel=1e-3)


def test_the_joint_test_of_two_contrasts_joins_their_degrees_of_freedom():
    """Fai and Cornelius (1996): E = Σ df/(df-2) along the axes of the covariance, error df = 2E/(E-q)."""
    model = fit_mixed(unbalanced(), "score", ["rating", "peer"], ["topic", "set"])
    rating = model.effects[0]
    values, axes = np.linalg.eigh(model.covariance[1:3, 1:3])
    along = np.column_stack([np.zeros((2, 1)), axes.T, np.zeros((2, 4))])
    df = model.degrees(along)
    expected = (df / (df - 2)).sum()
    assert rating.error_df == pytest.approx(2 * expected / (expected - 2))
    assert rating.f == pytest.approx(((along @ model.coefficients) ** 2 / values).sum() / 2)


def test_a_variance_of_zero_leaves_the_model_without_the_factor():
    """Each set has the same mean, so that sets vary less than the error allows."""
    table = {"score": [1, 5, 2, 4, 3, 3.0, 4, 2], "set": list("aabbccdd"), "peer": list("xyxyxyxy")}
    model = fit_mixed(table, "score", ["peer"], ["set"])
    fixed = analyse_variance(table, "score", ["peer"])
    sets, residual = model.components
    assert (sets.variance, sets.low, sets.high) == (0, None, None)
    assert residual.variance == pytest.approx(fixed.mse)
    assert model.effects[0].p == pytest.approx(fixed.effect("peer").p)
    assert model.effects[0].error_df == pytest.approx(6)
    assert "estimated as 0" in " ".join(model.components_table().notes)


def test_the_interval_of_the_residual_variance_is_that_of_its_chi_square():
    """15 df: 15 s² over the points .975 and .025 of χ², 27.488 and 6.262 in any table."""
    residual = fit_mixed(balanced(), "score", ["peer"], ["set"]).components[-1]
    assert residual.low == pytest.approx(15 * residual.variance / 27.488, rel=1e-4)
    assert residual.high == pytest.approx(15 * residual.variance / 6.262, rel=1e-4)


def test_two_sets_that_hardly_differ_have_no_interval_of_their_variance():
    table = {"score": [1, 2, 3.0, 2, 3, 4.0, 4.2], "set": list("aaabbbb")}
    sets, residual = fit_mixed(table, "score", [], ["set"]).components
    assert sets.variance > 0
    assert (sets.low, sets.high) == (None, None)
    assert residual.low < residual.variance < residual.high
    assert "too few levels" in " ".join(fit_mixed(table, "score", [], ["set"]).components_table().notes)


@pytest.mark.parametrize("spread", [1e-4, 1.0, 1e4])
def test_sets_that_vary_much_more_or_less_than_the_error_are_fitted_too(spread):
    """The mean squares again, whatever the unit of the scores is."""
    table = balanced(spread=spread)
    scaled = table | {"score": 1e6 * table["score"]}
    fixed = analyse_variance(table, "score", ["set", "peer"])
    between = max(fixed.effect("set").sum_of_squares / fixed.effect("set").df - fixed.mse, 0.0) / 4
    model = fit_mixed(scaled, "score", ["peer"], ["set"])
    if between:
        assert model.variances / 1e12 == pytest.approx([between, fixed.mse], rel=1e-4)
    assert model.effects[0].f == pytest.approx(fit_mixed(table, "score", ["peer"], ["set"]).effects[0].f)


GROUPS = {**balanced(), "group": ["x" if peer in ("p0", "p1") else "y" for peer in balanced()["peer"]]}


ADDED = [0.7 * int(one[1]) + float(peer[1]) for one, peer in zip(GROUPS["set"], GROUPS["peer"], strict=True)]


@pytest.mark.parametrize(
    ("fixed", "random", "change", "sentence"),
    [
        (["peer"], [], {}, "no random factor named"),
        (["peer"], ["peer"], {}, "column named twice"),
        (["peer"], ["topc"], {}, "unknown column"),
        (["peer"], ["group"], {}, "the variance of group cannot be told"),
        (["peer"], ["row"], {"row": range(24)}, "the variance of row cannot be told"),
        (["peer"], ["set", "again"], {"again": GROUPS["set"]}, "the variance of again cannot be told"),
        (["peer", "group"], ["set"], {}, "a fixed factor is determined by the others"),
        (["row"], ["set"], {"row": range(24)}, "the rows leave nothing over"),
        (["peer"], ["set"], {"score": [float(peer[1]) for peer in GROUPS["peer"]]}, "fits every row exactly"),
        (["peer"], ["set"], {"score": ADDED}, "fits every row exactly"),
    ],
)
def test_models_that_the_rows_cannot_tell_are_refused_with_a_sentence(fixed, random, change, sentence):
    with pytest.raises(TouchstoneError, match=sentence):
        fit_mixed(GROUPS | change, "score", fixed, random)


def _simulate(draws, seed=11):
    """How often peers that do not differ are found to, and how often the mean of one is in its interval."""
    random = np.random.default_rng(seed)
    sets, peers = np.indices((12, 4)).reshape(2, -1)
    rejected = covered = 0
    for _ in range(draws):
        kept = random.random(48) < 0.8
        values = random.normal(size=12)[sets] + random.normal(size=48)
        table = {"score": values[kept], "set": sets[kept], "peer": peers[kept]}
        model = fit_mixed(table, "score", ["peer"], ["set"])
        rejected += model.effects[0].p < 0.05
        means = model.compare("peer")
        place = means.position("0")
        covered += means.low[place] < 0 < means.high[place]
    return rejected / draws, covered / draws


def test_tests_and_intervals_keep_their_promise():
    """With 200 draws a share of .05 has a standard error of .015."""
    rejected, covered = _simulate(200)
    assert rejected < 0.1
    assert covered > 0.9


@pytest.mark.soak
def test_tests_and_intervals_keep_their_promise_in_many_draws():
    rejected, covered = _simulate(4000)
    assert 0.04 <= rejected <= 0.06
    assert 0.93 <= covered <= 0.97
