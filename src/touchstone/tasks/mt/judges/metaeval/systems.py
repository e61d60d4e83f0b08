"""System level: correlation of scores of systems, by a metric and by judges, for many resamples at once.

Each coefficient is the cosine of two vectors: of the values minus their mean (Pearson), of the ranks minus their mean
(Spearman), of the signs of all differences (Kendall's tau-b).
"""

import numpy as np
import scipy

from touchstone.base.ragged import Floats
from touchstone.stats import CorrelationName, correlate
from touchstone.stats.correlation import ROUNDING

COEFFICIENTS: tuple[CorrelationName, ...] = ("spearman", "pearson", "kendall")


def coefficients(x: Floats, y: Floats, name: CorrelationName) -> Floats:
    """Return the correlation of each row of *x* with its row of *y*; nan where one is constant or lacks a number.

    >>> coefficients(np.array([[1.0, 2.0, 3.0], [1.0, 1.0, 1.0]]), np.array([2.0, 3.0, 7.0]), "spearman").tolist()
    [1.0, nan]
    """
    a, b = (_direction(values, name) for values in (x, y))
    with np.errstate(divide="ignore", invalid="ignore"):
        cosine = (a * b).sum(axis=-1) / np.sqrt((a**2).sum(axis=-1) * (b**2).sum(axis=-1))
    return np.asarray(np.clip(cosine, -1.0, 1.0))


def _direction(values: Floats, name: CorrelationName) -> Floats:
    values = _without_rounding(np.asarray(values, np.float64))
    if name == "kendall":
        left, right = np.triu_indices(values.shape[-1], 1)
        return np.sign(values[..., left] - values[..., right])
    if name == "spearman":
        values = scipy.stats.rankdata(values, axis=-1, nan_policy="propagate")
    return np.asarray(values - values.mean(axis=-1, keepdims=True))


def _without_rounding(values: Floats) -> Floats:
    """Return *values*, with rows that are constant up to rounding made exactly constant."""
    first = values[..., :1]
    constant = np.ptp(values, axis=-1, keepdims=True) <= ROUNDING * np.abs(values).max(axis=-1, keepdims=True)
    return np.where(constant, first, values)


def correlation(metric: Floats, human: Floats, name: CorrelationName) -> tuple[float, str | None]:
    """Return one correlation over systems; nan and a reason where the scores of one side are all equal."""
    estimate = correlate(metric, human, name, draws=1)
    if estimate.reason is None:
        return estimate.value, None
    who = "the metric gives" if estimate.reason.startswith("the first") else "the judges give"
    return estimate.value, f"{who} all systems the same score"
