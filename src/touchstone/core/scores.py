"""The scores of systems under one measure, and the form of the rules that look for mistakes in them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from touchstone.base.ragged import Floats
from touchstone.core.doubts import Doubt
from touchstone.core.names import suggests_lower_is_better

FEWEST = 6
"""Scores from which two scales in one column, or one value for all items, are no chance."""


@dataclass(frozen=True)
class Scores:
    """The scores of systems on the same items under one measure.

    Parameters
    ----------
    measure
        The name of the column, for messages.
    values
        The scores of each system, nan where there is none.
    ids
        The ids of the items; without them, a sorted column is no doubt.
    """

    measure: str
    values: Mapping[str, Floats]
    ids: Sequence[str] = ()

    @property
    def names(self) -> list[str]:
        """The systems."""
        return list(self.values)

    @cached_property
    def observed(self) -> dict[str, Floats]:
        """The scores of each system without gaps, of systems that have enough of them."""
        observed = {name: scores[~np.isnan(scores)] for name, scores in self.values.items()}
        return {name: scores for name, scores in observed.items() if len(scores) >= FEWEST}

    @cached_property
    def complete(self) -> Floats:
        """The scores of the items that all systems have, a system to a row."""
        table = np.array(list(self.values.values()))
        return np.asarray(table[:, np.isfinite(table).all(axis=0)])

    @cached_property
    def may_be_errors(self) -> bool:
        """Whether the measure may count errors or time: lower is better, and there is no upper end."""
        return suggests_lower_is_better(self.measure)

    def doubt(self, system: str, what: str, cause: str, *, stops: bool = False) -> Doubt:
        """Return a doubt about the scores of a system, in a sentence that begins with the measure."""
        return Doubt(system, f"{self.measure} {what}", cause, stops)


Rule = Callable[[Scores], list[Doubt]]
"""Returns the doubts about one kind of mistake; none where it finds nothing."""


def first_doubts(scores: Scores, *rules: Rule) -> list[Doubt]:
    """Return the doubts of the first rule that has any: what it finds explains what later ones would find."""
    return next(filter(None, (rule(scores) for rule in rules)), [])
