"""The log-linear ranker: p(candidate | target, sentence) is proportional to exp(weights · features)."""

from collections.abc import Mapping, Sequence

import numpy as np
from scipy.optimize import minimize

from touchstone.core.ragged import Floats, Ints, Ragged
from touchstone.tasks.lexsub.systems.candidates import Candidate
from touchstone.tasks.lexsub.systems.ranking import Scores
from touchstone.tasks.lexsub.systems.resources import Resources
from touchstone.tasks.lexsub.systems.targets import Target


class LogLinear:
    """Weighted features; what each adds to a score is its reason."""

    def __init__(self, weights: Mapping[str, float], resources: Resources) -> None:
        self._features = resources.features(weights)
        self._weights = np.array(list(weights.values()))
        self._resources = resources

    @property
    def signature(self) -> str:
        """The features with their weights, and the resources behind them."""
        names = self._features.names
        said = " ".join(f"{name}={weight:.4g}" for name, weight in zip(names, self._weights, strict=True))
        return f"log-linear ({said}) over {self._resources.signature(names)}"

    def rank(self, target: Target, candidates: Sequence[Candidate]) -> Scores:
        """Return the scores of *candidates* and what each feature adds to them."""
        parts = self._features.table(target, candidates) * self._weights
        return Scores(parts.sum(1), dict(zip(self._features.names, parts.T, strict=True)))


def fit(tables: Sequence[Floats], golds: Sequence[Floats], penalty: float) -> Floats:
    """Return the weights that make what people said most likely.

    They minimise the mean over items of −Σ g ln p, with g the share of people who gave a candidate and p the softmax
    of weights · features over the item's candidates, plus *penalty* times the squared length of the weights. Items
    none of whose candidates anybody gave say nothing.

    >>> table = np.array([[1.0], [-1.0]])
    >>> fit([table, table], [np.array([3.0, 0.0]), np.array([1.0, 0.0])], 0.1).round(2).tolist()
    [1.06]
    """
    kept = [(table, gold / gold.sum()) for table, gold in zip(tables, golds, strict=True) if gold.sum() > 0]
    rows = Ragged.from_sizes(np.array([len(gold) for _, gold in kept]), np.concatenate([gold for _, gold in kept]))
    features = np.concatenate([table for table, _ in kept])

    def loss(weights: Floats) -> tuple[float, Floats]:
        logs = _log_softmax(features @ weights, rows)
        gradient = features.T @ (np.exp(logs) - rows.values) / len(kept)
        value = -float(rows.values @ logs) / len(kept) + penalty * float(weights @ weights)
        return value, gradient + 2 * penalty * weights

    found = minimize(loss, np.zeros(features.shape[1]), jac=True, method="L-BFGS-B")
    return np.asarray(found.x, np.float64)


def _log_softmax(scores: Floats, rows: Ragged[np.float64]) -> Floats:
    """Return the logarithms of the softmax of each row of scores."""
    starts: Ints = rows.offsets[:-1]
    shifted = scores - np.maximum.reduceat(scores, starts)[rows.row]
    return np.asarray(shifted - np.log(np.add.reduceat(np.exp(shifted), starts))[rows.row], np.float64)
