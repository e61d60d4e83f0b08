"""System level: correlation of scores of systems, by a metric and by judges, for many resamples at once.

Each coefficient is the cosine of two vectors: of the values minus their mean (Pearson), of the ranks minus their mean
(Spearman), of the signs of all differences (Kendall's tau-b).
"""

from typing import Literal, get_args

import numpy as np
import scipy

from touchstone.core.errors import TouchstoneError
from touchstone.core.ragged import Bools, Floats
from touchstone.stats import CorrelationName, Fold, correlate

FEWEST_SYSTEMS = 3
"""Two systems always lie on a line."""

ROUNDING = 1e-12
"""Scores that differ by less than this share of their size are equal."""

COEFFICIENTS: tuple[CorrelationName, ...] = ("spearman", "pearson", "kendall")
Scope = Literal["judged", "all"]
SCOPES: tuple[Scope, ...] = get_args(Scope)


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
    found = correlate(metric, human, name, draws=1)
    if found.reason is None:
        return found.value, None
    who = "the metric gives" if found.reason.startswith("the first") else "the judges give"
    return found.value, f"{who} all systems the same score"


def check_systems(group: str, judged: Bools) -> None:
    """Refuse a group with fewer than three judged systems."""
    if judged.sum() < FEWEST_SYSTEMS:
        raise TouchstoneError(
            f"{int(judged.sum())} judged systems are too few to correlate",
            value=group,
            hint="give at least three systems that judges scored, or ranked above or below another; "
            "blanks and ties do not count",
        )


def against(human: tuple[Floats, ...], name: CorrelationName, values: Fold) -> Fold:
    """Return the fold of sums of the systems of all groups into the mean correlation with the *human* values.

    *values* turns the sums into (..., systems), where the systems of each group follow those of the one before.
    """
    ends = np.cumsum([len(one) for one in human])[:-1]

    def fold(sums: Floats) -> Floats:
        parts = np.split(values(sums), ends, axis=-1)
        found = [coefficients(part, one, name) for part, one in zip(parts, human, strict=True)]
        return np.asarray(np.mean(found, axis=0))

    return fold
