"""Linear mixed models: fixed factors beside random ones, fitted by restricted maximum likelihood (REML).

Random document sets stand for all sets that could have been drawn: the mean of a level gets an interval that holds for
other sets too, and what the sets explain counts as variance and not as levels to be compared. `touchstone.stats.reml`
finds the variances.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.base.ragged import Floats
from touchstone.base.tables import Cell, Column, Table, number, p_text
from touchstone.stats.comparisons import Comparisons, TestName, compare_estimates, even_levels
from touchstone.stats.factors import Columns, Factor, Observations, observe
from touchstone.stats.reml import Products, best_ratios

CONFIDENCE = 0.95
"""The confidence of the intervals of variances."""


@dataclass(frozen=True)
class Component:
    """The variance of a random factor, or of the residual, with an interval; *share* of the sum of all.

    The interval is None if the variance is estimated as 0, or with less than one degree of freedom.
    """

    name: str
    levels: int
    variance: float
    share: float
    low: float | None
    high: float | None


@dataclass(frozen=True)
class FixedEffect:
    """The test of a fixed factor: F with *df* of its own and *error_df* by Satterthwaite's approximation."""

    factor: str
    df: int
    error_df: float
    f: float
    p: float


@dataclass(frozen=True, eq=False)
class MixedModel:
    """A fitted model.

    Parameters
    ----------
    data
        The response and the fixed factors.
    random
        The random factors.
    variances
        Their variances, and that of the residual at the end.
    coefficients, covariance
        The fixed effects (the mean of the first levels, then each other level beside the first) and their covariance.
    slopes
        How the covariance changes with each of the variances.
    uncertainty
        The covariance of the estimated variances; 0 for those that are estimated as 0.
    """

    data: Observations
    random: tuple[Factor, ...]
    variances: Floats
    coefficients: Floats
    covariance: Floats
    slopes: Floats
    uncertainty: Floats

    @property
    def formula(self) -> str:
        """The model in the usual notation."""
        fixed = [factor.name for factor in self.data.factors] or ["1"]
        return f"{self.data.response} ~ {' + '.join([*fixed, *(f'(1 | {factor.name})' for factor in self.random)])}"

    @property
    def error(self) -> str:
        """What differences are compared with."""
        return "REML, df by Satterthwaite"

    @cached_property
    def components(self) -> tuple[Component, ...]:
        """The variances; the interval of one treats it as a multiple of χ² with 2 variance² / uncertainty df.

        SAS gives such intervals too (Satterthwaite 1946); with less than one df they would say nothing.
        """
        sizes = [(factor.name, len(factor.levels)) for factor in self.random] + [("residual", len(self.data.values))]
        tails = (1 + CONFIDENCE) / 2, (1 - CONFIDENCE) / 2
        components = []
        for component_index, (name, levels) in enumerate(sizes):
            variance, spread = (
                float(self.variances[component_index]),
                float(self.uncertainty[component_index, component_index]),
            )
            df = 2 * variance**2 / spread if spread else 0.0
            low, high = (df * variance / float(scipy.stats.chi2.ppf(tail, df)) if df >= 1 else None for tail in tails)
            components.append(Component(name, levels, variance, variance / float(self.variances.sum()), low, high))
        return tuple(components)

    @cached_property
    def effects(self) -> tuple[FixedEffect, ...]:
        """The tests of the fixed factors, each beside all others."""
        starts = np.cumsum([1, *(factor.design.shape[1] for factor in self.data.factors)])
        rows = np.eye(len(self.coefficients))
        return tuple(
            self._effect(factor.name, rows[start:end])
            for factor, start, end in zip(self.data.factors, starts[:-1], starts[1:], strict=True)
        )

    def compare(self, factor: str, test: TestName = "Tukey HSD", *, alpha: float = 0.05) -> Comparisons:
        """Return all pairs of levels of a fixed factor, by the means that the model predicts (least-squares means)."""
        level_design = even_levels(self.data.factors, self.data.factor(factor))
        k = len(level_design)
        pairs = (level_design[:, None] - level_design).reshape(k * k, -1)
        pairs[:: k + 1] = level_design  # a level and itself: the df of its own mean
        df = self.degrees(pairs).reshape(k, k)
        means, covariance = level_design @ self.coefficients, level_design @ self.covariance @ level_design.T
        return compare_estimates(test, self, self.data.factor(factor), "least-squares", alpha, means, covariance, df)

    def degrees(self, contrasts: Floats) -> Floats:
        """Return the df of the error of each row of *contrasts* of the coefficients, by Satterthwaite's approximation.

        df = 2 v² / var(v), with v the variance of the contrast and var(v) from the uncertainty of the variances.
        """
        variance = np.einsum("ij,jk,ik->i", contrasts, self.covariance, contrasts)
        slopes = np.einsum("ij,njk,ik->in", contrasts, self.slopes, contrasts)
        return np.asarray(2 * variance**2 / np.einsum("in,nm,im->i", slopes, self.uncertainty, slopes))

    def components_table(self) -> Table:
        """Return the variances as a table."""
        rows: list[list[Cell]] = [
            [
                component.name,
                component.levels,
                number(component.variance, 6),
                number(component.variance**0.5, 4),
                number(component.share),
                _range(component),
            ]
            for component in self.components
        ]
        heads = ("levels", "variance", "standard deviation", "share", f"{CONFIDENCE:.0%} interval of the variance")
        zero = [component.name for component in self.components if not component.variance]
        none = [f"estimated as 0, so that the model is as if it were not there: {', '.join(zero)}"] if zero else []
        vague = [component.name for component in self.components if component.variance and component.low is None]
        none += [f"too few levels for an interval of the variance: {', '.join(vague)}"] if vague else []
        dropped = f"; {self.data.dropped:,} with an empty cell dropped" if self.data.dropped else ""
        return Table(
            [Column("component"), *(Column(head, "right") for head in heads)],
            rows,
            f"Mixed model: components of variance, {self.formula}",
            (f"{len(self.data.values):,} rows{dropped}; restricted maximum likelihood", *none),
        )

    def effects_table(self) -> Table:
        """Return the tests of the fixed factors as a table."""
        rows: list[list[Cell]] = [
            [effect.factor, effect.df, number(effect.error_df, 1), number(effect.f), p_text(effect.p)]
            for effect in self.effects
        ]
        return Table(
            [Column("factor"), *(Column(head, "right") for head in ("df", "error df", "F", "p"))],
            rows,
            f"Mixed model: fixed factors, {self.formula}",
            ("each factor beside all others; error df by Satterthwaite's approximation",),
        )

    def _effect(self, name: str, contrasts: Floats) -> FixedEffect:
        """Return the joint test of *contrasts*; the error df joins those along the axes of their covariance.

        Fai and Cornelius (1996): F of independent t values has the mean E/q, E the sum of df / (df - 2).
        """
        values, axes = np.linalg.eigh(contrasts @ self.covariance @ contrasts.T)
        q = len(values)
        f = float(((axes.T @ (contrasts @ self.coefficients)) ** 2 / values).sum() / q)
        df = self.degrees(axes.T @ contrasts)
        expected = float((df[df > 2] / (df[df > 2] - 2)).sum())
        if q == 1 or np.ptp(df) <= 1e-9 * df.max():
            error_df = float(df[0])
        else:
            error_df = 2 * expected / (expected - q) if expected > q else np.nan
        return FixedEffect(name, q, error_df, f, float(scipy.stats.f.sf(f, q, error_df)))


def _range(component: Component) -> str:
    return (
        ""
        if component.low is None or component.high is None
        else f"{number(component.low, 6)}–{number(component.high, 6)}"
    )


def fit_mixed(table: Columns, response: str, fixed: Sequence[str], random: Sequence[str]) -> MixedModel:
    """Return the mixed model of *response* by *fixed* and *random* factors, which are all categorical.

    Parameters
    ----------
    table
        The columns by name.
    response
        The column of numbers to be explained.
    fixed
        Factors whose levels are compared; there may be none.
    random
        Factors whose levels are a sample, such as document sets, topics, or groups of peers; nested or crossed.

    Examples
    --------
    >>> table = {"score": [1, 2, 3, 5, 5, 8], "set": list("aabbcc"), "peer": list("xyxyxy")}
    >>> model = fit_mixed(table, "score", ["peer"], ["set"])
    >>> [(one.name, round(one.variance, 6)) for one in model.components]
    [('set', 6.0), ('residual', 0.5)]
    >>> [(one.factor, round(one.f, 6), round(one.error_df, 6)) for one in model.effects]
    [('peer', 12.0, 2.0)]
    """
    if not random:
        hint = "name one, such as the column of document sets"
        raise TouchstoneError("no random factor named", code=Code.OPTION_NEEDED, hint=hint)
    data = observe(table, response, [*fixed, *random])
    drawn = data.factors[len(fixed) :]
    fixed_data = Observations(response, data.values, data.factors[: len(fixed)], data.dropped)
    return _fitted(fixed_data, drawn, Products.of(fixed_data, drawn))


def _fitted(data: Observations, random: tuple[Factor, ...], products: Products) -> MixedModel:
    ratios = best_ratios(products)
    left, weighted, _ = products.projected(ratios)
    fixed, y = slice(products.q, products.q + products.p), products.q + products.p
    residual = float(left[-1, -1]) / products.free
    variances = np.append(ratios, 1.0) * residual
    inverse = np.linalg.inv(weighted[fixed, fixed])
    covariance = np.asarray(residual * inverse, np.float64)
    sides = weighted[fixed, : products.q] / residual  # X'V⁻¹Z
    crossed = np.array([side @ side.T for side in (sides[:, products.owner == k] for k in range(len(random)))])
    # X'V⁻¹V⁻¹X of the residual, from V⁻¹ = V⁻¹VV⁻¹.
    residual_crossed = (weighted[fixed, fixed] / residual - np.einsum("n,nij->ij", variances[:-1], crossed)) / residual
    slopes = covariance @ np.concatenate([crossed, residual_crossed[None]]) @ covariance
    information = products.information(left[:-1, :-1] / residual, variances)
    inner = np.flatnonzero(variances > 0)
    uncertainty = np.zeros_like(information)
    uncertainty[np.ix_(inner, inner)] = np.linalg.inv(information[np.ix_(inner, inner)])
    unit = products.unit
    coefficients = np.asarray(inverse @ weighted[fixed, y] * unit, np.float64)
    coefficients[0] += products.center
    return MixedModel(
        data,
        random,
        variances * unit**2,
        coefficients,
        covariance * unit**2,
        slopes,
        uncertainty * unit**4,
    )
