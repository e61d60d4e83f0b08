"""What a coefficient of agreement is: a function from ratings to records and a fold, and how its interval is made."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from math import isfinite
from typing import Literal

import numpy as np

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.base.ragged import Bools, Floats
from touchstone.core.resampling import Resampling
from touchstone.people.ratings import Ratings
from touchstone.stats.bootstrap import affordable_draws, resampled_sums
from touchstone.stats.intervals import Interval, percentile_of_clusters
from touchstone.stats.records import Fold, cluster_records, folded

CELLS = 64_000_000
"""Numbers in the largest table that is made (512 MB)."""

CONSTANT_LABELS = "only one label was given, so that chance alone gives full agreement"

Suits = Literal["labels", "numbers", "sets", "one label"]
"""What a coefficient is for: any labels, numbers, sets, or one label beside all others."""


@dataclass(frozen=True)
class Agreement:
    """A coefficient of agreement, its interval over items, and what it was computed from.

    *value* is nan where the coefficient is undefined, and *reason* says why. *units* are the items that were used,
    with *answers* in all; *left_out* could not be. *unit* is what an item is called.
    """

    name: str
    distance: str
    unit: str
    value: float
    interval: Interval
    units: int
    answers: int
    left_out: int
    reason: str | None = None

    @property
    def note(self) -> str | None:
        """Why there is no value, or no interval; None if there are both."""
        return f"undefined, {self.reason}" if self.reason else self.interval.note


@dataclass(frozen=True, eq=False)
class Terms:
    """What a coefficient is computed from.

    Parameters
    ----------
    records
        A row of numbers for each item.
    fold
        The function from sums of records to the value; see `touchstone.stats.records`.
    compared
        The items that count.
    undefined
        Why there is no value where there is none.
    drawn
        The items that are resampled; by default those that are compared.
    answers
        How many labels were compared; by default those of the items that count.
    distance
        How far labels are apart.
    """

    records: Floats
    fold: Fold
    compared: Bools
    undefined: str = CONSTANT_LABELS
    drawn: Bools | None = None
    answers: int | None = None
    distance: str = "nominal"


@dataclass(frozen=True, eq=False)
class Coefficient:
    """A coefficient under its name, which is that of its function."""

    function: Callable[[Ratings], Terms]
    suits: Suits = "labels"

    @property
    def name(self) -> str:
        """The name."""
        return self.function.__name__

    def __call__(self, ratings: Ratings) -> Terms:
        """Return what the coefficient of *ratings* is computed from."""
        return self.function(ratings)


def coefficient(suits: Suits = "labels") -> Callable[[Callable[[Ratings], Terms]], Coefficient]:
    """Make a function a coefficient of agreement.

    Parameters
    ----------
    suits
        What it is for.

    Examples
    --------
    >>> @coefficient()
    ... def full_agreement(ratings):
    ...     '''Share of items whose labels are all equal.'''
    ...     compared = ratings.sizes > 1
    ...     equal = ratings.counts.max(axis=1) == ratings.sizes
    ...     return Terms(np.column_stack([equal, compared]), lambda sums: sums[..., 0] / sums[..., 1], compared)
    >>> ratings = Ratings.of([["a", "a"], ["a", "b"], ["b", "b"], ["a", "a"]])
    >>> estimate(full_agreement.name, ratings, full_agreement(ratings)).value
    0.75
    """
    return lambda function: Coefficient(function, suits)


def estimate(
    name: str,
    ratings: Ratings,
    terms: Terms,
    resampling: Resampling = Resampling(),  # noqa: B008 (immutable)
) -> Agreement:
    """Return the value of a coefficient with its percentile interval over items, or over clusters of items.

    Parameters
    ----------
    name
        Its name.
    ratings
        The ratings that it is of.
    terms
        What it is computed from.
    resampling
        How the interval is made; all coefficients of the same items meet the same resamples.
    """
    used = int(terms.compared.sum())
    answers = int(ratings.sizes[terms.compared].sum()) if terms.answers is None else terms.answers
    drawn = terms.compared if terms.drawn is None else terms.drawn
    level = resampling.level
    if not used:
        nothing = Interval(np.nan, np.nan, level, "percentile", 0)
        counts = 0, answers, len(ratings.items)
        return Agreement(name, terms.distance, ratings.unit, np.nan, nothing, *counts, terms.undefined)
    records = cluster_records(terms.records[drawn], None if ratings.clusters is None else ratings.clusters[drawn])
    sums = resampled_sums(records, draws=affordable_draws(len(records), resampling.draws), seed=resampling.seed)
    value, replicates = float(folded(terms.fold, records.sum(axis=0))), folded(terms.fold, sums)
    # Resamples of an undefined coefficient may have values, but no interval of it.
    if not isfinite(value):
        replicates = np.full(len(sums), np.nan)
    return Agreement(
        name,
        terms.distance,
        ratings.unit,
        value,
        percentile_of_clusters(replicates, level, len(records)),
        used,
        answers,
        len(ratings.items) - used,
        None if isfinite(value) else terms.undefined,
    )


def undefined(agreement: Agreement, reason: str) -> Agreement:
    """Return a coefficient without value and interval, for a reason.

    Parameters
    ----------
    agreement
        The coefficient.
    reason
        Why it has no value.
    """
    interval = replace(agreement.interval, low=np.nan, high=np.nan)
    return replace(agreement, value=np.nan, interval=interval, reason=reason)


def refuse_large(cells: int, what: str, hint: str) -> None:
    """Refuse a table that would not fit into memory.

    Parameters
    ----------
    cells
        How many numbers the table would have.
    what, hint
        What is wrong, and what to do about it.
    """
    if cells > CELLS:
        raise TouchstoneError(what, code=Code.TOO_LARGE, hint=hint)


Coefficients = Mapping[str, Agreement]
"""Coefficients of the same labels, by name."""
