"""Which levels of a factor differ, after a model of the scores: Tukey's HSD, and Fisher's LSD under its own name.

Both use the error and df of the fitted model; a one-way test on the same rows is another test.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import comb
from typing import Literal, Protocol

import numpy as np
import scipy
from scipy.optimize import brentq
from scipy.special import chdtri, gammaln, ndtr

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError, nearest
from touchstone.base.ragged import Bools, Floats, Ints
from touchstone.stats.anova import Anova
from touchstone.stats.checks import check_share, exact_fit
from touchstone.stats.factors import Factor, Observations

Means = Literal["raw", "least-squares"]
TestName = Literal["Tukey HSD", "Fisher LSD"]


class Model(Protocol):
    """A fitted model, as far as comparisons after it name it."""

    @property
    def data(self) -> Observations:
        """The response and the factors that may be compared."""

    @property
    def formula(self) -> str:
        """The model in the usual notation."""

    @property
    def error(self) -> str:
        """What differences are compared with."""


@dataclass(frozen=True, eq=False)
class Comparisons:
    """All pairs of levels of a factor, the level with the highest mean first.

    *scale* is the unit of the studentised difference *q* of each pair, sqrt(MSE/2 (1/n_i + 1/n_j)) for raw means; *df*
    are the degrees of freedom of the error of each pair, on the diagonal of each mean. *low* and *high* bound each mean
    with confidence 1 - alpha, from the model's error.
    """

    test: TestName
    factor: str
    model: Model
    means_of: Means
    alpha: float
    levels: tuple[str, ...]
    means: Floats
    counts: Ints
    low: Floats
    high: Floats
    scale: Floats
    df: Floats

    @property
    def q(self) -> Floats:
        """The studentised difference of each pair."""
        return np.asarray(np.abs(self.means[:, None] - self.means) / self.scale)

    @cached_property
    def differ(self) -> Bools:
        """Whether each pair differs significantly."""
        alike = np.ptp(self._pair_df) <= 1e-9 * self._pair_df.max()
        return np.asarray(self.q >= self.critical_q if alike else self.p <= self.alpha)

    @property
    def n_differing(self) -> int:
        """How many pairs differ significantly."""
        return int(np.triu(self.differ, 1).sum())

    @property
    def n_pairs(self) -> int:
        """How many pairs of levels there are."""
        return comb(len(self.levels), 2)

    @property
    def estimates(self) -> list[tuple[str, int, float, float, float]]:
        """Each level with its size, its mean, and the low and high end of its interval."""
        columns = (self.counts, self.means, self.low, self.high)
        return list(zip(self.levels, *(column.tolist() for column in columns), strict=True))

    @cached_property
    def critical_q(self) -> float:
        """The studentised difference that is significant; with the smallest df where they differ between pairs."""
        return critical_q(self.test, self.alpha, len(self.levels), float(self._pair_df.min()))

    @property
    def critical_difference(self) -> Floats:
        """The smallest significant difference of each pair, infinite for a level and itself."""
        return self.critical_q * self.scale

    @cached_property
    def p(self) -> Floats:
        """The p-value of each pair, made when asked for: the studentised range takes milliseconds a piece."""
        pairs = np.triu_indices(len(self.levels), 1)
        p = np.ones_like(self.q)
        p[pairs] = _p_values(self.test, self.q[pairs], len(self.levels), self._pair_df)
        return np.asarray(np.minimum(p, p.T))

    @property
    def _pair_df(self) -> Floats:
        return np.asarray(self.df[np.triu_indices(len(self.levels), 1)])

    @property
    def signature(self) -> str:
        """The line that stands under every display: test, model, error, alpha, means."""
        return f"{self.test} after {self.model.formula}; {self.model.error}, α = {self.alpha:g}; {self.means_of} means"

    def position(self, level: str) -> int:
        """Return where *level* stands among the levels, from 0 for the highest mean."""
        if level not in self.levels:
            near, hint = nearest(level, self.levels), f"a level of {self.factor} is wanted"
            raise TouchstoneError("no such level", value=level, near=near, code=Code.UNKNOWN_NAME, hint=hint)
        return self.levels.index(level)

    def different(self, a: str, b: str) -> bool:
        """Return whether the levels *a* and *b* differ significantly."""
        return bool(self.differ[self.position(a), self.position(b)])

    def above(self, level: str) -> tuple[str, ...]:
        """Return the levels that are significantly above *level*, the highest first."""
        position = self.position(level)
        return tuple(
            other for other, differs in zip(self.levels[:position], self.differ[position], strict=False) if differs
        )


def tukey_hsd(model: Anova, factor: str, *, alpha: float = 0.05, means: Means = "raw") -> Comparisons:
    """Return all pairs of levels of *factor* by Tukey's HSD, Tukey-Kramer where levels differ in size.

    q_ij = |m_i - m_j| / sqrt(MSE/2 (1/n_i + 1/n_j)), p from the studentised range for all levels and the residual
    df of the model. m are raw means; with ``means="least-squares"`` they are what the model says of each level when
    all other levels are equally common.

    >>> from touchstone.stats.anova import analyse_variance
    >>> table = {"score": [1, 2, 3, 6, 7, 8, 7, 8, 9], "peer": list("aaabbbccc")}
    >>> comparisons = tukey_hsd(analyse_variance(table, "score", ["peer"]), "peer")
    >>> comparisons.levels, comparisons.n_differing, round(float(comparisons.p[0, 1]), 4)
    (('c', 'b', 'a'), 2, 0.4827)
    """
    return _compared("Tukey HSD", model, factor, alpha, means)


def fisher_lsd(model: Anova, factor: str, *, alpha: float = 0.05, means: Means = "raw") -> Comparisons:
    """Return all pairs of levels of *factor* by unadjusted t tests with the model's error (Fisher's LSD).

    With many levels some pairs will differ by chance: this is no HSD, and is never called that.

    >>> from touchstone.stats.anova import analyse_variance
    >>> table = {"score": [1, 2, 3, 6, 7, 8, 7, 8, 9], "peer": list("aaabbbccc")}
    >>> comparisons = fisher_lsd(analyse_variance(table, "score", ["peer"]), "peer")
    >>> round(float(comparisons.p[0, 1]), 4), round(float(comparisons.critical_difference[0, 1]), 4)
    (0.2666, 1.9979)
    """
    return _compared("Fisher LSD", model, factor, alpha, means)


@lru_cache(maxsize=4096)  # a tenth of a second to find, and subsets of one size ask for the same again and again
def critical_q(test: TestName, alpha: float, k: int, df: float) -> float:
    """Return the studentised difference of k means that is significant at *alpha* with *df* of error.

    >>> round(critical_q("Tukey HSD", 0.05, 3, 10), 3), round(critical_q("Fisher LSD", 0.05, 3, 10), 3)
    (3.877, 3.151)
    """
    if test == "Tukey HSD":
        highest = 1.0
        while studentised_range(np.array([highest]), k, df)[0] > alpha:
            highest *= 2
        return float(brentq(lambda q: studentised_range(np.array([q]), k, df)[0] - alpha, 0.0, highest, xtol=1e-10))
    return float(np.sqrt(2) * scipy.stats.t.isf(alpha / 2, df))


NODES, WEIGHTS = np.polynomial.legendre.leggauss(128)


def studentised_range(q: Floats, k: int, df: float) -> Floats:
    """Return the probability that the range of *k* means, studentised with *df* of error, is above each *q*.

    With s the estimated over the true standard deviation, P(range > q s) is averaged over s. P(range < w) is
    k ∫ φ(z) (Φ(z) - Φ(z - w))^(k-1) dz, where z is the largest mean. Both integrals by Gauss and Legendre. It equals
    ``scipy.stats.studentized_range.sf`` to ten decimals, and takes a hundredth of its time.

    >>> studentised_range(np.array([3.877]), 3, 10).round(3).tolist()
    [0.05]
    """
    z = 8 * NODES
    largest = 8 * WEIGHTS * np.exp(-(z**2) / 2) / np.sqrt(2 * np.pi)
    # s outside these ends has less probability than the digits of a result show.
    low, high = np.sqrt(np.array([chdtri(df, 1 - 1e-15), chdtri(df, 1e-15)]) / df)
    s = (high + low) / 2 + (high - low) / 2 * NODES
    density = np.log(2) + df / 2 * np.log(df / 2) - gammaln(df / 2) + (df - 1) * np.log(s) - df * s**2 / 2
    shares = (high - low) / 2 * WEIGHTS * np.exp(density)
    inside = [k * (ndtr(z) - ndtr(z - q_value * s[:, None])) ** (k - 1) @ largest for q_value in q.tolist()]
    return np.asarray(np.clip((1 - np.array(inside)).reshape(len(q), -1) @ shares, 0.0, 1.0))


def check_alpha(alpha: float) -> None:
    """Refuse an *alpha* that is no probability of error."""
    check_share("alpha", alpha, "a usual one is 0.05")


def _p_values(test: TestName, q: Floats, k: int, df: Floats) -> Floats:
    if test == "Fisher LSD":
        return np.asarray(2 * scipy.stats.t.sf(q / np.sqrt(2), df))
    p = np.empty_like(q)
    for error_df in np.unique(df):
        p[df == error_df] = studentised_range(q[df == error_df], k, float(error_df))
    return p


def _compared(test: TestName, model: Anova, factor: str, alpha: float, means_of: Means) -> Comparisons:
    levels = model.data.factor(factor)
    if model.mse == 0:
        raise exact_fit()
    estimates, covariance = _raw_means(model, levels) if means_of == "raw" else _least_squares_means(model, levels)
    df = np.full(covariance.shape, float(model.residual_df))
    return compare_estimates(test, model, levels, means_of, alpha, estimates, model.mse * covariance, df)


def compare_estimates(
    test: TestName,
    model: Model,
    factor: Factor,
    means_of: Means,
    alpha: float,
    estimates: Floats,
    covariance: Floats,
    df: Floats,
) -> Comparisons:
    """Return the comparisons of estimated means of the levels of a factor.

    Parameters
    ----------
    test, model, factor, means_of, alpha
        As in `Comparisons`.
    estimates, covariance
        The means in the order of the levels of the factor, and their covariance.
    df
        The degrees of freedom of the error of each pair, on the diagonal that of each mean.
    """
    check_alpha(alpha)
    order = np.lexsort([np.arange(len(estimates)), -estimates])
    means, variances = estimates[order], covariance.diagonal()[order]
    of_differences = variances[:, None] + variances - 2 * covariance[np.ix_(order, order)]
    np.fill_diagonal(of_differences, np.inf)  # a level does not differ from itself
    half = np.sqrt(variances) * scipy.stats.t.isf(alpha / 2, df.diagonal()[order])
    return Comparisons(
        test,
        factor.name,
        model,
        means_of,
        alpha,
        levels=tuple(factor.levels[level_code] for level_code in order),
        means=means,
        counts=np.bincount(factor.codes)[order],
        low=means - half,
        high=means + half,
        scale=np.sqrt(of_differences / 2),
        df=df[np.ix_(order, order)],
    )


def _raw_means(model: Anova, factor: Factor) -> tuple[Floats, Floats]:
    """Return the mean of the rows of each level, and the covariance of these means in units of the MSE."""
    counts = np.bincount(factor.codes)
    return np.bincount(factor.codes, model.data.values) / counts, np.diag(1 / counts)


def _least_squares_means(model: Anova, factor: Factor) -> tuple[Floats, Floats]:
    """Return what the model predicts for each level, the levels of the other factors equally common."""
    data = model.data
    design = np.column_stack([np.ones(len(data.values)), *(other.design for other in data.factors)])
    if design.shape[1] > len(data.values) - model.residual_df:
        raise TouchstoneError(
            "least-squares means cannot be estimated: a factor is determined by the others",
            value=model.formula,
            code=Code.UNSUPPORTED,
            hint="leave that factor out, or compare raw means",
        )
    level_design = even_levels(data.factors, factor)
    inverse = np.linalg.inv(design.T @ design)
    return level_design @ (inverse @ (design.T @ data.values)), level_design @ inverse @ level_design.T


def even_levels(factors: Sequence[Factor], factor: Factor) -> Floats:
    """Return, for each level of a factor, the row of a design in which the levels of all others are equally common.

    >>> from touchstone.stats.factors import observe
    >>> seen = observe({"score": [1, 2, 3], "set": list("abb"), "peer": list("xyx")}, "score", ["set", "peer"])
    >>> even_levels(seen.factors, seen.factors[1]).tolist()
    [[1.0, 0.5, 0.0], [1.0, 0.5, 1.0]]
    """
    k = len(factor.levels)
    even = [np.full((k, len(other.levels) - 1), 1 / len(other.levels)) for other in factors]
    even[list(factors).index(factor)] = np.eye(k)[:, 1:]
    return np.column_stack([np.ones(k), *even])
