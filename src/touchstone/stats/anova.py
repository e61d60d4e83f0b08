"""Analysis of variance: which factors move a score, in a linear model without interactions.

Fitted by least squares on dummy-coded factors, any number of which may be unbalanced, nested or with missing cells.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
import scipy

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.base.ragged import Floats, Ints
from touchstone.base.tables import Column, Table, number, p_text
from touchstone.stats.checks import check_choice
from touchstone.stats.factors import Columns, Observations, observe

AnovaType = Literal["I", "II", "III"]

DEPENDENT = 1e-11
"""A direction of the design with less than this share of the longest one's squared length depends on the others."""

ROUNDING = 1e-12
"""A sum of squares below this share of the total is rounding."""


@dataclass(frozen=True)
class Effect:
    """One row of the table: what a factor explains. F and p are nan where nothing of it is left to explain (df 0)."""

    factor: str
    df: int
    sum_of_squares: float
    f: float
    p: float


@dataclass(frozen=True, eq=False)
class Anova:
    """A fitted model: its effects in the order of the factors, and what they leave unexplained."""

    type: AnovaType
    effects: tuple[Effect, ...]
    residual_df: int
    residual_sum_of_squares: float
    data: Observations

    @property
    def mse(self) -> float:
        """The residual mean square."""
        return self.residual_sum_of_squares / self.residual_df

    @property
    def error(self) -> str:
        """What differences are compared with."""
        return f"residual df {self.residual_df:,}, MSE {self.mse:.5g}"

    @property
    def formula(self) -> str:
        """The model in the usual notation."""
        return f"{self.data.response} ~ {' + '.join(factor.name for factor in self.data.factors)}"

    def effect(self, factor: str) -> Effect:
        """Return the row of *factor*."""
        return next(effect for effect in self.effects if effect.factor == factor)

    def to_table(self) -> Table:
        """Return the table of effects, with its type in the heading and dropped rows in a note."""
        heads = ("factor", "df", "sum of squares", "mean square", "F", "p")
        effects = [_table_row(effect) for effect in self.effects]
        left = number(self.residual_sum_of_squares, 4), number(self.mse, 6)
        return Table(
            columns=[Column(head, "right" if column_index else "left") for column_index, head in enumerate(heads)],
            rows=[*effects, ("residual", self.residual_df, *left, None, None)],
            title=f"Analysis of variance, type {self.type}: {self.formula}",
            notes=(_rows_note(self.data), *_nothing_left_note(self.effects)),
            rules={len(effects)},
        )


def analyse_variance(
    table: Columns,
    response: str,
    factors: Sequence[str],
    *,
    type: AnovaType = "II",  # noqa: A002 - the word that every reader of such a table knows
) -> Anova:
    """Return the analysis of variance of *response* by *factors*, which are all categorical.

    A factor's sum of squares is what the residual sum of squares gains without it: beside the factors named before
    it (type I), or beside all others (types II and III, the same where there are no interactions).
    F = (sum of squares / df) / MSE with the residual mean square of the whole model.

    >>> table = {"score": [1, 2, 3, 5, 5, 8], "set": list("aabbcc"), "peer": list("xyxyxy")}
    >>> model = analyse_variance(table, "score", ["set", "peer"])
    >>> [(effect.factor, effect.df, round(effect.f, 9)) for effect in model.effects], model.residual_df
    ([('set', 2, 25.0), ('peer', 1, 12.0)], 2)
    """
    check_choice("type of analysis", str(type), get_args(AnovaType))
    data = observe(table, response, factors)
    design = _Design.of(data)
    rss, df = full_model = design.residual(range(len(factors)))
    if df < 1:
        raise TouchstoneError(
            f"{len(data.values):,} rows leave nothing over to estimate the error from",
            value=f"{response} ~ {' + '.join(factors)}",
            code=Code.UNSUPPORTED,
            hint="name fewer factors or give more rows",
        )
    effects = []
    for factor_index, name in enumerate(factors):
        beside = [
            other for other in range(len(factors)) if other < factor_index or (type != "I" and other != factor_index)
        ]
        within = design.residual([*beside, factor_index]) if type == "I" else full_model
        effects.append(_effect(name, design.residual(beside), within, full_model, design.total))
    return Anova(type, tuple(effects), df, rss, data)


@dataclass(frozen=True, eq=False)
class _Design:
    """The products of the factors' columns, centred and of length 1, with each other and with the response."""

    gram: Floats
    right: Floats
    total: float
    rows: int
    owner: Ints

    @classmethod
    def of(cls, data: Observations) -> "_Design":
        columns = np.column_stack([factor.design for factor in data.factors])
        columns -= columns.mean(axis=0)
        columns /= np.sqrt((columns**2).sum(axis=0))
        response = data.values - data.values.mean()
        owner = np.repeat(np.arange(len(data.factors)), [factor.design.shape[1] for factor in data.factors])
        return cls(columns.T @ columns, columns.T @ response, float(response @ response), len(response), owner)

    def residual(self, places: Collection[int]) -> tuple[float, int]:
        """Return the residual sum of squares and df of the model with the factors at *places*."""
        chosen = np.flatnonzero(np.isin(self.owner, list(places)))
        sum_of_squares, df = explained(self.gram[np.ix_(chosen, chosen)], self.right[chosen])
        left = self.total - float(sum_of_squares)
        return (left if left > ROUNDING * self.total else 0.0), self.rows - 1 - int(df)


def explained(gram: Floats, right: Floats) -> tuple[Floats, Ints]:
    """Return the sum of squares r' G⁺ r that columns explain, and its df, from their products G and r.

    Columns that depend on others add nothing. Works on stacks of models.

    >>> sum_of_squares, df = explained(np.array([[2.0, 2.0], [2.0, 2.0]]), np.array([3.0, 3.0]))
    >>> round(float(sum_of_squares), 9), int(df)
    (4.5, 1)
    """
    values, axes = np.linalg.eigh(gram)
    independent = values > DEPENDENT * values.max(axis=-1, keepdims=True, initial=0.0)
    along = (np.swapaxes(axes, -1, -2) @ right[..., None])[..., 0] ** 2
    return np.where(independent, along / np.where(independent, values, 1.0), 0.0).sum(axis=-1), independent.sum(axis=-1)


def _effect(
    name: str, without: tuple[float, int], within: tuple[float, int], model: tuple[float, int], total: float
) -> Effect:
    """Return what the step from the model *without* the factor to the one *within* explains."""
    df = without[1] - within[1]
    gained = max(without[0] - within[0], 0.0) if df else 0.0
    gained = gained if gained > ROUNDING * total else 0.0
    with np.errstate(divide="ignore", invalid="ignore"):
        f = float(np.divide(gained / df, model[0] / model[1])) if df else np.nan
    return Effect(name, df, gained, f, float(scipy.stats.f.sf(f, df, model[1])) if df else np.nan)


def _table_row(effect: Effect) -> tuple[str | int, ...]:
    square = number(effect.sum_of_squares / effect.df, 6) if effect.df else number(None)
    return effect.factor, effect.df, number(effect.sum_of_squares, 4), square, number(effect.f), p_text(effect.p)


def _rows_note(data: Observations) -> str:
    dropped = f"; {data.dropped:,} with an empty cell dropped" if data.dropped else ""
    return f"{len(data.values):,} rows{dropped}"


def _nothing_left_note(effects: Sequence[Effect]) -> list[str]:
    empty = [effect.factor for effect in effects if not effect.df]
    return [f"determined by the factors beside it, so that nothing can be said: {', '.join(empty)}"] if empty else []
