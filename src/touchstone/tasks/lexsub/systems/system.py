"""A system put together: candidates found, ranked, made distinct, and a boundary drawn."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from touchstone import __version__
from touchstone.core.ragged import Floats
from touchstone.tasks.lexsub.keys import key
from touchstone.tasks.lexsub.systems.boundary import cut
from touchstone.tasks.lexsub.systems.candidates import Candidate
from touchstone.tasks.lexsub.systems.config import Config
from touchstone.tasks.lexsub.systems.generating import Generator
from touchstone.tasks.lexsub.systems.loglinear import LogLinear
from touchstone.tasks.lexsub.systems.neural import Reranker
from touchstone.tasks.lexsub.systems.ranking import Ranker, Scores
from touchstone.tasks.lexsub.systems.resources import Resources
from touchstone.tasks.lexsub.systems.targets import Target

LIST = 10
"""Answers that a list has at least, where there are so many candidates: what the task asks for."""


@dataclass(frozen=True)
class Ranking:
    """The candidates for a target, their scores, and their places best first; no word twice, however spelt."""

    target: Target
    candidates: Sequence[Candidate]
    scores: Scores
    order: Sequence[int]

    @classmethod
    def of(cls, target: Target, candidates: Sequence[Candidate], scores: Scores) -> "Ranking":
        """Return candidates in the order of their scores."""
        return cls(target, candidates, scores, _distinct(candidates, scores.values))

    @property
    def words(self) -> list[str]:
        """The candidates' words, best first."""
        return [self.candidates[place].word for place in self.order]

    @property
    def values(self) -> Floats:
        """Their scores, best first."""
        return self.scores.values[list(self.order)]

    def cut(self, threshold: float) -> int:
        """Return how many of them are worth standing behind."""
        return cut(self.values, threshold)


class System:
    """A configuration over resources; *ranker* replaces the configuration's own way to order candidates."""

    def __init__(self, config: Config, resources: Resources, ranker: Ranker | None = None) -> None:
        self.config, self.resources = config, resources
        self._generator = Generator(config, resources)
        self._ranker = ranker or _ranker(config, resources)

    @property
    def signature(self) -> str:
        """All that the answers depend on: version, configuration, features, resources and their digests."""
        return f"touchstone {__version__}, {self.config.signature}: {self._ranker.signature}"

    def ranking(self, target: Target) -> Ranking:
        """Return the candidates for a target in their order."""
        candidates = self._generator.candidates(target)
        if not candidates:
            return Ranking(target, candidates, Scores(np.zeros(0)), ())
        return Ranking.of(target, candidates, self._ranker.rank(target, candidates))


def _ranker(config: Config, resources: Resources) -> Ranker:
    first = LogLinear(config.weights, resources)
    return Reranker(first, config.rerank, config.keep, resources.networks) if config.rerank else first


def _distinct(candidates: Sequence[Candidate], values: Floats) -> list[int]:
    """Return the places best first, without those whose word is, but for its spelling, one that stands before."""
    first: dict[str, int] = {}
    for place in np.argsort(-values, kind="stable").tolist():
        first.setdefault(key(candidates[place].word), place)
    return list(first.values())
