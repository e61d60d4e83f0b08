"""Systems of substitution: candidates are found, ranked and made distinct, and a boundary is drawn.

A ranker gets a target in its sentence and its candidates, and gives a score for each candidate.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import sha256
from math import log
from typing import Protocol

import numpy as np

from touchstone import __version__
from touchstone.base.ragged import Floats
from touchstone.lexicon import wordnet
from touchstone.lexicon.relation import Pos
from touchstone.neural.fitting import Rows
from touchstone.systems.substitution.candidates import THESAURUS_PATHS, Candidate, find_candidates
from touchstone.systems.substitution.config import Config
from touchstone.systems.substitution.neural import PARTS, Fitter, cloze_of
from touchstone.systems.substitution.resources import Resources
from touchstone.systems.substitution.rings import shipped_rings
from touchstone.systems.substitution.targets import Target
from touchstone.tasks.lexsub.model import key

LIST = 10
"""The length of a list of answers, where there are so many candidates: what the task asks for."""


@dataclass(frozen=True)
class Scores:
    """A score for each candidate, the higher the better, in natural logarithms up to a constant.

    *reasons* are what each named part adds to the scores, for people; a ranker without parts gives none.
    """

    values: Floats
    reasons: Mapping[str, Floats] = field(default_factory=dict)


class Ranker(Protocol):
    """Anything that orders candidates for a target."""

    @property
    def signature(self) -> str:
        """What the scores depend on: features, weights, resources and their digests."""

    def rank(self, target: Target, candidates: Sequence[Candidate]) -> Scores:
        """Return the scores of *candidates*, of which there is at least one, in their order."""


class LogLinear:
    """Orders candidates by weighted features: p(candidate | target, sentence) ∝ exp(weights · features).

    Parameters
    ----------
    weights
        The weight of each feature, by its name; see `touchstone.systems.substitution.features`.
    resources
        What the features are computed from.
    """

    def __init__(self, weights: Mapping[str, float], resources: Resources) -> None:
        self._features, self._resources = resources.features(weights), resources
        self._weights = np.array(list(weights.values()))

    @property
    def signature(self) -> str:
        """The features with their weights, and the resources behind them."""
        names = self._features.names
        weights = _format_weights(dict(zip(names, self._weights.tolist(), strict=True)))
        return f"log-linear ({weights}) over {self._resources.signature(names)}"

    def rank(self, target: Target, candidates: Sequence[Candidate]) -> Scores:
        """Return the scores of *candidates* and what each feature adds to them."""
        parts = self._features.table(target, candidates) * self._weights
        return Scores(parts.sum(1), dict(zip(self._features.names, parts.T, strict=True)))


class Reranker:
    """Orders the best candidates of another ranker by weighted `PARTS`; the others follow in their old order.

    Parameters
    ----------
    first
        The other ranker.
    weights
        The weight of each of `PARTS`.
    keep
        How many of the best candidates are ordered again.
    fitter
        Computes how well words fit a place, such as `Networks`.
    """

    def __init__(self, first: Ranker, weights: Mapping[str, float], keep: int, fitter: Fitter) -> None:
        self._first, self._weights, self._keep, self._fitter = first, weights, keep, fitter

    @property
    def signature(self) -> str:
        """The first ranker, the weights and the networks."""
        weights = _format_weights(self._weights)
        return f"the best {self._keep} of {self._first.signature}; then ({weights}) by {self._fitter.signature}"

    def rank(self, target: Target, candidates: Sequence[Candidate]) -> Scores:
        """Return the scores of *candidates*, and for the best what each part adds to them."""
        before = self._first.rank(target, candidates).values
        best = best_indices(before, self._keep)
        fits = self._fitter.fits(cloze_of(target, [candidates[index].word for index in best]))
        added = parts_table(before[best], fits) * np.array([self._weights[name] for name in PARTS])
        reasons = {name: np.zeros(len(candidates)) for name in PARTS}
        for name, column in zip(PARTS, added.T, strict=True):
            reasons[name][best] = column
        return Scores(scores_of_all(before, best, added.sum(1)), reasons)


def best_indices(values: Floats, keep: int) -> list[int]:
    """Return the indices of the *keep* greatest values, the greatest first; of equal values the earlier first."""
    order: list[int] = np.argsort(-values, kind="stable").tolist()
    return order[:keep]


def scores_of_all(before: Floats, best: list[int], totals: Floats) -> Floats:
    """Return a score for every candidate: *totals* for the best, less than any of them for the others.

    Parameters
    ----------
    before
        The scores of all candidates by the first ranker, whose order the others keep.
    best
        The indices of the best candidates, the best first.
    totals
        The new scores of the best.
    """
    # The others keep their distances to the last of the best, and so stay at or below the lowest new score.
    values: Floats = totals.min() + before - before[best[-1]]
    values[best] = totals
    return values


def parts_table(first: Floats, fits: Rows) -> Floats:
    """Return the `PARTS` of each candidate, every column with mean 0 and deviation 1, or 0 where all are equal."""
    table = np.column_stack([first, fits.astype(np.float64)])
    spread = table.std(axis=0)
    # A column whose values are all equal is divided by infinity: it says nothing about the order.
    standardised: Floats = (table - table.mean(axis=0)) / np.where(spread > 1e-9, spread, np.inf)
    return standardised


def _format_weights(weights: Mapping[str, float]) -> str:
    """Return how many weights there are and the digest of their names and values; their file lists them."""
    listed = " ".join(f"{name}={weight!r}" for name, weight in weights.items())
    return f"{len(weights)} weights #{sha256(listed.encode()).hexdigest()[:12]}"


@dataclass(frozen=True)
class Ranking:
    """The candidates for a target, their scores, and their indices best first; no word twice, however it is spelt."""

    target: Target
    candidates: Sequence[Candidate]
    scores: Scores
    order: Sequence[int]

    @classmethod
    def of(cls, target: Target, candidates: Sequence[Candidate], scores: Scores) -> "Ranking":
        """Return the candidates of *target* in the order of their *scores*."""
        first: dict[str, int] = {}
        for index in np.argsort(-scores.values, kind="stable").tolist():
            # Two spellings of one word are one answer; the better of them stays.
            first.setdefault(key(candidates[index].word), index)
        return cls(target, candidates, scores, list(first.values()))

    @property
    def words(self) -> list[str]:
        """The candidates' words, best first."""
        return [self.candidates[index].word for index in self.order]

    @property
    def values(self) -> Floats:
        """Their scores, best first."""
        return self.scores.values[list(self.order)]

    def cut(self, threshold: float) -> int:
        """Return how many of the list the system vouches for: see `cut`."""
        return cut(self.values, threshold)


def cut(scores: Floats, threshold: float) -> int:
    """Return how many of *scores*, best first, have a softmax weight of at least *threshold* times the first's.

    Jabbari, Hepple and Guthrie (2010, section 7) call drawing this boundary the core of the task.

    >>> cut(np.array([2.0, 1.9, 0.5, -1.0]), 0.2)
    3
    """
    return int((scores >= scores[0] + log(threshold)).sum()) if len(scores) else 0


class System:
    """A configuration with its resources.

    Parameters
    ----------
    config
        Which candidates there are, the weights, the boundary.
    resources
        What the configuration's features are computed from.
    ranker
        Orders the candidates in place of the configuration's weights.
    """

    def __init__(self, config: Config, resources: Resources, ranker: Ranker | None = None) -> None:
        self.config, self.resources = config, resources
        self._candidates = candidates_of(config, resources)
        self._ranker: Ranker = ranker or LogLinear(config.weights, resources)
        if config.rerank and not ranker:
            self._ranker = Reranker(self._ranker, config.rerank, config.keep, resources.networks)

    @property
    def signature(self) -> str:
        """All that the answers depend on: version, configuration, features, resources and their digests."""
        return f"touchstone {__version__}, {self.config.signature}: {self._ranker.signature}"

    def ranking(self, target: Target, pool: Sequence[str] | None = None) -> Ranking:
        """Return the candidates for a target in their order; with a *pool*, its words instead of the system's own."""
        candidates = self._candidates(target.lemma, target.pos)
        if pool is not None:
            # Reversed, so that of candidates with the same key the nearest stays.
            paths_by_key = {key(candidate.word): candidate.paths for candidate in reversed(candidates)}
            candidates = tuple(Candidate(word, paths_by_key.get(key(word), THESAURUS_PATHS)) for word in pool)
        if not candidates:
            return Ranking(target, candidates, Scores(np.zeros(0)), ())
        return Ranking.of(target, candidates, self._ranker.rank(target, candidates))


def candidates_of(config: Config, resources: Resources) -> Callable[[str, Pos], tuple[Candidate, ...]]:
    """Return a function from lemma and part of speech to candidates: of WordNet, rings, vectors and a thesaurus.

    The same word gives the same object.
    """

    @lru_cache(maxsize=4096)
    def candidates(lemma: str, pos: Pos) -> tuple[Candidate, ...]:
        more = resources.thesaurus.synonyms(lemma, pos) if resources.thesaurus else ()
        near = resources.vectors.neighbours(lemma, pos, config.neighbours) if config.neighbours else ()
        ring = shipped_rings().mates(lemma, pos)
        return find_candidates(wordnet(), lemma, pos, config.level, twice=config.twice, ring=ring, more=more, near=near)

    return candidates
