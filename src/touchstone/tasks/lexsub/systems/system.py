"""A substitution system: candidates are found, ranked and made distinct, and a boundary is drawn."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import log

import numpy as np

from touchstone import __version__
from touchstone.core.ragged import Floats
from touchstone.tasks.lexsub.keys import key
from touchstone.tasks.lexsub.systems.candidates import Candidate, find_candidates
from touchstone.tasks.lexsub.systems.config import Config
from touchstone.tasks.lexsub.systems.ranking import LogLinear, Ranker, Reranker, Scores
from touchstone.tasks.lexsub.systems.resources import Resources
from touchstone.tasks.lexsub.systems.targets import Target

LIST = 10
"""The length of a list of answers, where there are so many candidates: what the task asks for."""


@dataclass(frozen=True)
class Ranking:
    """The candidates for a target, their scores, and their places best first; no word twice, however it is spelt."""

    target: Target
    candidates: Sequence[Candidate]
    scores: Scores
    order: Sequence[int]

    @classmethod
    def of(cls, target: Target, candidates: Sequence[Candidate], scores: Scores) -> "Ranking":
        """Return the candidates of *target* in the order of their *scores*."""
        first: dict[str, int] = {}
        for place in np.argsort(-scores.values, kind="stable").tolist():
            first.setdefault(key(candidates[place].word), place)
        return cls(target, candidates, scores, list(first.values()))

    @property
    def words(self) -> list[str]:
        """The candidates' words, best first."""
        return [self.candidates[place].word for place in self.order]

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
        self._ranker = ranker or _ranker(config, resources)

    @property
    def signature(self) -> str:
        """All that the answers depend on: version, configuration, features, resources and their digests."""
        return f"touchstone {__version__}, {self.config.signature}: {self._ranker.signature}"

    def ranking(self, target: Target) -> Ranking:
        """Return the candidates for a target in their order."""
        candidates = self._candidates(target.lemma, target.pos)
        if not candidates:
            return Ranking(target, candidates, Scores(np.zeros(0)), ())
        return Ranking.of(target, candidates, self._ranker.rank(target, candidates))


def candidates_of(config: Config, resources: Resources) -> Callable[[str, str], tuple[Candidate, ...]]:
    """Return a function from lemma and part of speech to candidates, from WordNet and from the user's thesaurus.

    The same word gives the same object.
    """

    @lru_cache(maxsize=4096)
    def candidates(lemma: str, pos: str) -> tuple[Candidate, ...]:
        more = resources.thesaurus.synonyms(lemma, pos) if resources.thesaurus else ()
        return find_candidates(resources.lexicon, lemma, pos, config.level, twice=config.twice, more=more)

    return candidates


def _ranker(config: Config, resources: Resources) -> Ranker:
    first = LogLinear(config.weights, resources)
    return Reranker(first, config.rerank, config.keep, resources.networks) if config.rerank else first
