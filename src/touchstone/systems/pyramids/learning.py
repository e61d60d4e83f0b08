"""A sum of curves: logistic regression in which each feature has a curve of its own.

p = 1 / (1 + exp(-(b + f_1(x_1) + … + f_K(x_K)))), where f_k is piecewise linear with bends at quantiles of the rows
that it was fitted to (an additive model). It is fitted by penalised likelihood; targets may lie between 0 and 1, as the
share of readers who found a unit does. Fitting needs SciPy, predicting NumPy alone; the model is a short JSON object.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.base.ragged import Floats
from touchstone.io.jsonl import Json

QUANTILES = (0.2, 0.4, 0.6, 0.8)
"""Where curves bend."""

DIGITS = 6
"""Digits that a model file keeps of each number."""


@dataclass(frozen=True)
class Curves:
    """A fitted sum of curves.

    Parameters
    ----------
    names
        The names of the features.
    knots
        Where the curve of each feature bends: quantiles by features.
    weights
        The slope of each feature, and how much the slope changes at each bend: bends + 1 by features.
    bias
        b, the constant.

    Examples
    --------
    >>> rise = Curves(("x",), np.array([[0.5]]), np.array([[0.0], [4.0]]), -1.0)
    >>> rise.probability(np.array([[0.0], [0.5], [1.0]])).round(3).tolist()
    [0.269, 0.269, 0.731]
    """

    names: tuple[str, ...]
    knots: Floats
    weights: Floats
    bias: float

    def probability(self, rows: Floats) -> Floats:
        """Return p of each row of features."""
        logit = self.bias + rows @ self.weights[0]
        for knot, weight in zip(self.knots, self.weights[1:], strict=True):
            logit = logit + np.maximum(rows - knot, 0) @ weight
        return np.asarray(1 / (1 + np.exp(-logit)))

    def to_json(self) -> dict[str, Json]:
        """Return the model as an object for a file."""
        return {
            "features": list(self.names),
            "knots": _rounded(self.knots),
            "weights": _rounded(self.weights),
            "bias": float(f"{self.bias:.{DIGITS}g}"),
        }

    @classmethod
    def from_json(cls, value: Mapping[str, Json], names: Sequence[str], file: str) -> "Curves":
        """Return the model that a file has; refuse one of other features, or with numbers that do not fit."""
        hint = "make the model again with touchstone pyramid train"
        if value.get("features") != list(names):
            raise TouchstoneError("the model was made for other features", file=file, code=Code.MISMATCH, hint=hint)
        try:
            knots, weights = (np.array(value[key], np.float64) for key in ("knots", "weights"))
            bias = float(str(value["bias"]))
            fits = knots.shape == (len(weights) - 1, len(names)) and weights.shape[1:] == (len(names),)
        except (KeyError, TypeError, ValueError):
            fits = False
        if not fits or not (np.isfinite(knots).all() and np.isfinite(weights).all() and np.isfinite(bias)):
            what = "the numbers of the model do not fit together"
            raise TouchstoneError(what, file=file, code=Code.UNREADABLE, hint=hint)
        return cls(tuple(names), knots, weights, bias)


def _rounded(rows: Floats) -> list[Json]:
    return [[float(f"{number:.{DIGITS}g}") for number in row] for row in rows]


def fit_curves(names: Sequence[str], rows: Floats, targets: Floats, penalty: float) -> Curves:
    """Fit a sum of curves to rows of features.

    Parameters
    ----------
    names
        The names of the features.
    rows, targets
        The features of each decision, and its target from 0 to 1.
    penalty
        What half the squared length of the standardised weights costs, against the mean log likelihood.

    Examples
    --------
    >>> rows = np.linspace(0, 1, 101)[:, None]
    >>> model = fit_curves(["x"], rows, (rows[:, 0] > 0.5).astype(float), 0.001)
    >>> (model.probability(rows) > 0.5).sum()
    np.int64(50)
    """
    from scipy.optimize import minimize

    if not len(rows) or targets.min() == targets.max():
        what = "there is nothing to learn from: all decisions are the same"
        raise TouchstoneError(what, code=Code.TOO_FEW, hint="give summaries that express some units and not others")
    knots = np.quantile(rows, QUANTILES, axis=0)
    bent = np.concatenate([rows, *(np.maximum(rows - knot, 0) for knot in knots)], axis=1)
    mean, scale = bent.mean(axis=0), bent.std(axis=0)
    scale[scale < 1e-6] = np.inf  # a curve that the rows do not show stays flat
    bent = (bent - mean) / scale

    def loss(weights: Floats) -> tuple[float, Floats]:
        logit = bent @ weights[1:] + weights[0]
        likelihood = np.mean(np.logaddexp(0, logit) - targets * logit)
        slope = (1 / (1 + np.exp(-logit)) - targets) / len(targets)
        cost = likelihood + penalty / 2 * weights[1:] @ weights[1:]
        return float(cost), np.concatenate([[slope.sum()], bent.T @ slope + penalty * weights[1:]])

    fitted = minimize(loss, np.zeros(bent.shape[1] + 1), jac=True, method="L-BFGS-B", options={"maxiter": 300}).x
    # Back from standardised features to the features as they are.
    weights = fitted[1:] / scale
    return Curves(tuple(names), knots, weights.reshape(-1, rows.shape[1]), float(fitted[0] - mean @ weights))
