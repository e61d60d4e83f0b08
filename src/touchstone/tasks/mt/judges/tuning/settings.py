"""Settings of MAXSIM, and scores under any of them, computed from the parts of one scoring."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import gcd

import numpy as np

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.base.ragged import Bools, Floats
from touchstone.core.measures import Measure, ratio
from touchstone.tasks.mt.judges.metaeval.joining import JoinedGroup
from touchstone.tasks.mt.model import Joined

ALPHAS = tuple(step / 10 for step in range(11))
"""From precision alone to recall alone."""

MOST = 2
"""The weight of a term is a whole number up to this: each may count nothing, once or twice."""

DEFAULT_ALPHA = 0.9
"""The alpha of a MAXSIM whose name gives none."""

SAME = 1e-9
"""How far scores computed from parts may be from those of the measure, by rounding."""


@dataclass(frozen=True)
class Setting:
    """One setting: alpha, and a whole number for each term."""

    alpha: float
    weights: tuple[int, ...]


def all_settings(n_terms: int) -> list[Setting]:
    """Return every alpha with all weights that are not multiples of each other.

    >>> len(all_settings(3)), len({setting.weights for setting in all_settings(3)})
    (209, 19)
    """
    weights = [term_weights for term_weights in product(range(MOST + 1), repeat=n_terms) if gcd(*term_weights) == 1]
    return [Setting(alpha, term_weights) for alpha in ALPHAS for term_weights in weights]


@dataclass(frozen=True, eq=False)
class Terms:
    """The parts of a MAXSIM in one group, segments x systems x terms: weight matched, items of each side."""

    names: tuple[str, ...]
    matched: Floats
    system: Floats
    reference: Floats
    absent: Bools
    """Where a term is left out of the mean: neither side has relations."""
    counted: Bools

    @classmethod
    def of(cls, part: JoinedGroup, measure: Measure[Joined]) -> "Terms":
        """Return the parts of a measure in one group; refuse a measure that is not made of them."""
        if measure.parts is None:
            raise TouchstoneError("this measure does not show its parts", value=measure.name, code=Code.UNSUPPORTED)
        every = [measure.parts(system.records[measure.name]) for system in part.results.systems]
        names = tuple(dict.fromkeys(name.split(".")[0] for name in every[0] if name.endswith(".system")))
        terms = cls(
            names,
            matched=_stack(every, names, ("exact", "lemma", "soft")),
            system=_stack(every, names, ("system",)),
            reference=_stack(every, names, ("reference",)),
            absent=_stack(every, names, ("neither",)) > 0,
            counted=~np.isnan(part.values(measure)),
        )
        match = re.search(r"alpha=([\d.]+)", measure.name)
        setting = Setting(float(match[1]) if match else DEFAULT_ALPHA, (1,) * len(names))
        if not np.allclose(terms.values(setting), part.values(measure), atol=SAME, equal_nan=True):
            hint = "tune against one reference, with the default order, absent, norel and distance"
            what = "the scores of this measure are not made of its parts alone"
            raise TouchstoneError(what, value=measure.name, code=Code.UNSUPPORTED, hint=hint)
        return terms

    def values(self, setting: Setting) -> Floats:
        """Return the scores under a setting: the weighted mean of m / (alpha r + (1 - alpha) s), 0 where m is 0."""
        below = setting.alpha * self.reference + (1 - setting.alpha) * self.system
        f = np.where(self.matched > 0, ratio(self.matched, below), 0.0)
        weights = np.where(self.absent, 0.0, np.array(setting.weights, np.float64))
        scores = np.nan_to_num(ratio((f * weights).sum(axis=-1), weights.sum(axis=-1)))
        return np.where(self.counted, scores, np.nan)


def _stack(every: Sequence[Mapping[str, Floats]], names: Sequence[str], parts: Sequence[str]) -> Floats:
    """Return the sum of *parts* of each term as segments x systems x terms; a part that a term lacks is 0."""
    rows = len(next(iter(every[0].values())))
    none = np.zeros(rows)
    columns = [
        [sum((system_parts.get(f"{name}.{part}", none) for part in parts), none) for name in names]
        for system_parts in every
    ]
    return np.moveaxis(np.array(columns), 2, 0)
