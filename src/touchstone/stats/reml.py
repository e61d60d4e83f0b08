"""Restricted maximum likelihood (REML) of the variances of random factors, from products of columns alone.

The model is y = Xb + Z₁u₁ + … + e, where the effects u of a random factor have the variance σ₁², … and e has σ². All is
computed from the products of the columns of Z, X and y with each other, so that no matrix has a row for each row of the
table. Formulas: Searle, Casella and McCulloch, Variance Components (1992), chapter 6.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.base.ragged import Floats, Ints
from touchstone.stats.anova import DEPENDENT, explained
from touchstone.stats.checks import exact_fit
from touchstone.stats.factors import Factor, Observations

NOTHING = 1e-9
"""A variance of less than this share of the residual's is none."""


@dataclass(frozen=True, eq=False)
class Products:
    """The products of the columns of Z, X and y with each other; *owner* is the random factor of each column of Z.

    y is the response in units of its standard deviation, *unit*, from its mean, *center*.
    """

    matrix: Floats
    owner: Ints
    p: int
    rows: int
    unit: float
    center: float

    @classmethod
    def of(cls, data: Observations, random: Sequence[Factor]) -> "Products":
        """Return the products; refuse fixed factors that determine each other, and what no variance can be told of."""
        z = [(factor.codes[:, None] == np.arange(len(factor.levels))).astype(np.float64) for factor in random]
        x = np.column_stack([np.ones(len(data.values)), *(factor.design for factor in data.factors)])
        unit, center = float(data.values.std()), float(data.values.mean())
        columns = np.column_stack([*z, x, (data.values - center) / unit])
        owner = np.repeat(np.arange(len(random)), [len(factor.levels) for factor in random])
        made = cls(columns.T @ columns, owner, x.shape[1], len(x), unit, center)
        _check_design(data, random, made, np.linalg.matrix_rank(x))
        return made

    @property
    def q(self) -> int:
        """The number of columns of Z."""
        return len(self.owner)

    @property
    def free(self) -> int:
        """The rows that the fixed effects leave over."""
        return self.rows - self.p

    def weighted(self, ratios: Floats) -> tuple[Floats, float]:
        """Return all products with V⁻¹ between them, and log |V|, where V = I + Σ ratio ZZ'.

        V⁻¹ = I - ZS (I + SZ'ZS)⁻¹ SZ', with S the roots of the ratios (Woodbury).
        """
        roots = np.sqrt(ratios)[self.owner]
        inner = np.eye(self.q) + roots[:, None] * self.matrix[: self.q, : self.q] * roots
        side = roots[:, None] * self.matrix[: self.q]
        return self.matrix - side.T @ np.linalg.solve(inner, side), float(np.linalg.slogdet(inner)[1])

    def projected(self, ratios: Floats) -> tuple[Floats, Floats, float]:
        """Return the products of Z and y with P between them, those of all with V⁻¹, and log |V| + log |X'V⁻¹X|.

        P = V⁻¹ - V⁻¹X (X'V⁻¹X)⁻¹ X'V⁻¹.
        """
        weighted, log_v = self.weighted(ratios)
        fixed = slice(self.q, self.q + self.p)
        other_columns = np.r_[: self.q, self.q + self.p]
        side = weighted[fixed][:, other_columns]
        left = weighted[np.ix_(other_columns, other_columns)] - side.T @ np.linalg.solve(weighted[fixed, fixed], side)
        return left, weighted, log_v + float(np.linalg.slogdet(weighted[fixed, fixed])[1])

    def deviance(self, ratios: Floats) -> tuple[float, Floats]:
        """Return -2 log of the restricted likelihood but for a constant, σ² at its best, and its slope."""
        left, _, logs = self.projected(ratios)
        squares = float(left[-1, -1])
        traces = np.bincount(self.owner, left.diagonal()[:-1])
        gained = np.bincount(self.owner, left[:-1, -1] ** 2)
        return logs + self.free * np.log(squares), traces - self.free * gained / squares

    def information(self, left: Floats, variances: Floats) -> Floats:
        """Return the expected information on the variances, I_ij = tr(P V_i P V_j) / 2, the residual at the end.

        Parameters
        ----------
        left
            The products of Z with P between them, P in the units of the response.
        variances
            The variances of the random factors, and of the residual.
        """
        k = int(self.owner[-1]) + 1
        member = (self.owner == np.arange(k)[:, None]).astype(np.float64)
        squared = member @ left**2 @ member.T  # tr(P V_i P V_j) of two random factors
        traces = member @ left.diagonal()
        # With the residual, from PVP = P: tr(P V_i P) and tr(PP).
        beside = (traces - squared @ variances[:-1]) / variances[-1]
        alone = (self.free - variances[:-1] @ traces) / variances[-1]
        residual_information = (alone - variances[:-1] @ beside) / variances[-1]
        return np.block([[squared, beside[:, None]], [beside, np.array([[residual_information]])]]) / 2


def _check_design(data: Observations, random: Sequence[Factor], products: Products, rank: int) -> None:
    formula = " + ".join(factor.name for factor in (*data.factors, *random))
    if products.free < 1 or rank < products.p:
        cause = "a fixed factor is determined by the others" if rank < products.p else "the rows leave nothing over"
        what = f"the mixed model cannot be fitted: {cause}"
        hint = "leave a factor out, or name it among the random ones"
        raise TouchstoneError(what, value=formula, code=Code.UNSUPPORTED, hint=hint)
    start = np.r_[np.zeros(len(random)), 1.0]
    left, _, _ = products.projected(start[:-1])
    information = products.information(left[:-1, :-1], start)
    order = [len(random), *range(len(random))]  # the residual first, then one random factor after another
    scale = np.sqrt(np.maximum(information.diagonal(), DEPENDENT))
    information = information / scale[:, None] / scale
    for size in range(2, len(order) + 1):
        if np.linalg.eigvalsh(information[np.ix_(order[:size], order[:size])])[0] < DEPENDENT**0.5:
            name = random[order[size - 1]].name
            what = f"the variance of {name} cannot be told from that of the other factors and the error"
            hint = "a random factor needs several rows of a level, and other levels than the other factors determine"
            raise TouchstoneError(what, value=formula, code=Code.UNSUPPORTED, hint=hint)


def best_ratios(products: Products) -> Floats:
    """Return the variances of the random factors over that of the residual, where the deviance is least."""
    count = int(products.owner[-1]) + 1
    by_all, _ = explained(products.matrix[:-1, :-1], products.matrix[:-1, -1])
    if products.matrix[-1, -1] - by_all < DEPENDENT * products.rows:
        raise exact_fit()

    def scaled(logs: Floats) -> tuple[float, Floats]:
        # By log(1 + ratio), so that steps are small at 0 and in proportion where sets vary much more than the error.
        value, slopes = products.deviance(np.expm1(logs))
        return value, slopes * np.exp(logs)

    best = minimize(
        scaled,
        np.full(count, np.log(2.0)),
        jac=True,
        method="L-BFGS-B",
        bounds=[(0.0, None)] * count,
        options={"ftol": 1e-15, "gtol": 1e-9, "maxiter": 1000},
    )
    return np.where(np.expm1(best.x) > NOTHING, np.expm1(best.x), 0.0)
