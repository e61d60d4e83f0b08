"""Learning the weights of `blend` from human rankings, and seeing how they do on languages they were not learned from.

Every pair of translations that a judge told apart is an example: the better one should have the higher value. The
weights are those of the least mean logistic loss over these pairs, none below 0, every language pair counting alike.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from training.mt_rankings import Group, pairs_where

from touchstone.core.ragged import Bools, Floats, Ints
from touchstone.tasks.mt.blend import LAYERS, blended, layer_values
from touchstone.tasks.mt.judges.metaeval.preferences import Preferences
from touchstone.tasks.mt.judges.metaeval.segments import fold_of, segment_records

RESTRAINT = 1e-4
"""Times the squared weights: keeps layers that say almost the same from weighing one all and the other nothing."""


@dataclass(frozen=True, eq=False)
class Ranked:
    """What judges said of the systems of one language pair, beside what every layer says.

    *layers* stands segments x systems x layers, the share of known words last; nan where no judge looked.
    """

    said: Preferences
    layers: Floats

    def values(self, weights: Floats) -> Floats:
        """Return the value of every translation under *weights*."""
        return blended(self.layers, weights)


@dataclass(frozen=True)
class Design:
    """Which layers are weighted, and whether words that nobody knows count against a translation."""

    layers: tuple[str, ...] = LAYERS
    known: bool = True

    def __str__(self) -> str:
        return " + ".join(self.layers) + (", known" if self.known else "")

    @property
    def used(self) -> Bools:
        """Which of the layers, and last whether known words, have a weight."""
        return np.array([*(name in self.layers for name in LAYERS), self.known])


DESIGNS = tuple(
    Design(layers, known)
    for size in range(1, len(LAYERS) + 1)
    for layers in combinations(LAYERS, size)
    for known in (False, True)
)
"""All that can be made of the layers."""


def ranked(group: Group) -> Ranked:
    """Return the layers of all translations that were judged."""
    return Ranked(group.preferences, group.judged(layer_values))


def learn(groups: Sequence[Ranked], used: Bools | None = None) -> Floats:
    """Return the weights of the layers, which sum to 1, and the power of known words; 0 for what is not *used*."""
    from scipy.optimize import minimize

    used = np.ones(groups[0].layers.shape[-1], np.bool_) if used is None else used
    examples = [_Examples.of(group) for group in groups]

    def loss(x: Floats) -> tuple[float, Floats]:
        each = [one.loss(x) for one in examples]
        value = float(np.mean([value for value, _ in each])) + RESTRAINT * float(x @ x)
        return value, np.mean([slope for _, slope in each], axis=0) + 2 * RESTRAINT * x

    bounds = [(0.0, None if one else 0.0) for one in used]
    found = minimize(loss, np.where(used, 3.0, 0.0), jac=True, method="L-BFGS-B", bounds=bounds).x
    # Layers that tell nothing all come out at 0; as they must have some weight, it is the same for all.
    layers = found[:-1] if found[:-1].any() else used[:-1].astype(np.float64)
    return np.append(layers / layers.sum(), found[-1])


@dataclass(frozen=True, eq=False)
class _Examples:
    """Translations as rows of layers and the logarithm of the share of known words; which is better than which."""

    layers: Floats
    known: Floats
    better: Ints
    worse: Ints

    @classmethod
    def of(cls, group: Ranked) -> "_Examples":
        said = pairs_where(group.said, group.said.sign != 0)
        cells = [said.segment * said.n_systems + side for side in (said.first, said.second)]
        judged, places = np.unique(np.concatenate(cells), return_inverse=True)
        first, second = np.split(places, 2)
        flat = group.layers.reshape(-1, group.layers.shape[-1])[judged]
        # A translation of which no word is known is as bad as can be, and its logarithm should stay a number.
        known = np.log(np.maximum(flat[:, -1], 1e-9))
        ahead = said.sign > 0
        return cls(flat[:, :-1], known, np.where(ahead, first, second), np.where(ahead, second, first))

    def loss(self, x: Floats) -> tuple[float, Floats]:
        """Return the mean of log(1 + exp(worse - better)) and its slope."""
        factor = np.exp(x[-1] * self.known)
        values = (self.layers @ x[:-1]) * factor
        ahead = values[self.better] - values[self.worse]
        pull = -1 / (1 + np.exp(ahead)) / len(ahead)
        slope = np.bincount(self.better, pull, len(values)) - np.bincount(self.worse, pull, len(values))
        by_layer = (slope * factor) @ self.layers
        return float(np.logaddexp(0, -ahead).mean()), np.append(by_layer, (slope * values * self.known).sum())


def tau(values: Floats, said: Preferences) -> float:
    """Return the segment-level tau of WMT 2012: (C - D - T) / n."""
    return float(fold_of("discordant")(segment_records(values, said).sum(axis=0)))


def choose(groups: Sequence[Ranked]) -> Design:
    """Return the design whose weights, learned on all groups but one, do best on that one, on average over groups."""

    def held_out(design: Design) -> float:
        tested = each_left_out(groups)
        return float(np.mean([tau(group.values(learn(others, design.used)), group.said) for group, others in tested]))

    return max(DESIGNS, key=held_out)


def each_left_out(groups: Sequence[Ranked]) -> list[tuple[Ranked, list[Ranked]]]:
    """Return every group beside all the others."""
    return [(group, [other for other in groups if other is not group]) for group in groups]
