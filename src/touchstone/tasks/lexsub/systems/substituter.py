"""Substitutes for a word in a sentence, for people and for files."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

import numpy as np

from touchstone.core.errors import TouchstoneError
from touchstone.core.ragged import StringLists
from touchstone.io.text import Source
from touchstone.tasks.lexsub.model import Answers, Run, Sentence
from touchstone.tasks.lexsub.systems.candidates import Candidate
from touchstone.tasks.lexsub.systems.config import Config, read_config, shipped_config
from touchstone.tasks.lexsub.systems.inflection import inflected
from touchstone.tasks.lexsub.systems.neural import Fitter
from touchstone.tasks.lexsub.systems.ranking import Ranker
from touchstone.tasks.lexsub.systems.resources import Resources
from touchstone.tasks.lexsub.systems.system import LIST, Ranking, System
from touchstone.tasks.lexsub.systems.targets import Span, Target, Wanted, find_span, find_targets


@dataclass(frozen=True)
class Suggestion:
    """A substitute: its lemma, its form in the sentence, its score, and why it stands where it stands."""

    word: str
    form: str
    score: float
    candidate: Candidate
    reasons: Mapping[str, float]
    """What each feature adds to the score."""


@dataclass(frozen=True)
class Suggestions:
    """The substitutes for a target, best first; the system stands behind the first *cut* of them."""

    target: Target
    ranked: tuple[Suggestion, ...]
    cut: int

    def __iter__(self) -> Iterator[Suggestion]:
        return iter(self.ranked)

    def __len__(self) -> int:
        return len(self.ranked)

    @property
    def words(self) -> tuple[str, ...]:
        """The substitutes alone."""
        return tuple(suggestion.word for suggestion in self.ranked)


class Substituter:
    """Finds substitutes by one of the systems ``bow``, ``lm``, ``cmlc`` and ``neural``, or by a configuration.

    *vectors*, *corpus*, *model* and *thesaurus* are files, see `Resources`; *networks* read the sentence for
    ``neural``; *ranker* replaces the system's own way to order candidates.
    """

    def __init__(
        self,
        system: str = "cmlc",
        *,
        config: Config | str | Path | None = None,
        vectors: str | Path | None = None,
        corpus: str | Path | None = None,
        model: str | Path | None = None,
        thesaurus: str | Path | None = None,
        networks: Fitter | None = None,
        ranker: Ranker | None = None,
    ) -> None:
        if not isinstance(config, Config):
            config = shipped_config(system) if config is None else read_config(config)
        self.config = config
        self.resources = Resources(vectors, corpus, model, thesaurus, networks)
        self._system = System(config, self.resources, ranker)

    @property
    def signature(self) -> str:
        """All that the answers depend on: version, configuration, features, resources and their digests."""
        return self._system.signature

    def suggest(self, text: str, target: str | Span, *, pos: str | None = None) -> Suggestions:
        """Return substitutes for a word of *text*: the word itself, or the characters where it begins and ends."""
        span = find_span(text, target) if isinstance(target, str) else target
        [found] = self._targets([Wanted(text, span, pos)])
        return self._suggestions(self._system.ranking(found))

    def run(self, sentences: Iterable[Sentence], *, boundary: bool = False) -> Run:
        """Return the answers to sentences as a run: ten to each, and with *boundary* how many it stands behind."""
        return as_run(self.config.system, self.signature, self.rankings(sentences), self.threshold(boundary))

    def rankings(self, sentences: Iterable[Sentence]) -> Iterator[tuple[Sentence, Ranking]]:
        """Yield sentences with the ranking of their candidates; many sentences are analysed together."""
        asked = list(sentences)
        targets = self._targets(map(wanted_of, asked))
        yield from zip(asked, map(self._system.ranking, targets), strict=True)

    def threshold(self, boundary: bool) -> float | None:
        """Return the threshold of the boundary where one is wanted."""
        return self.config.threshold if boundary else None

    def _targets(self, wanted: Iterable[Wanted]) -> Iterator[Target]:
        return find_targets(wanted, self.resources.analyser, self.resources.lexicon)

    def _suggestions(self, ranking: Ranking) -> Suggestions:
        best = ranking.cut(self.config.threshold)
        return Suggestions(
            ranking.target,
            tuple(_suggestion(ranking, place) for place in ranking.order[: max(LIST, best)]),
            best,
        )


def as_run(
    system: str, signature: str, found: Iterable[tuple[Sentence, Ranking]], threshold: float | None = None
) -> Run:
    """Return rankings as a run of *system*; with a *threshold* it says how many of each list it stands behind."""
    rows = list(found)
    if not rows:
        raise TouchstoneError("no sentence to find substitutes in")
    cuts = [-1 if threshold is None else ranking.cut(threshold) for _, ranking in rows]
    lists = StringLists.of(ranking.words[: max(LIST, end)] for (_, ranking), end in zip(rows, cuts, strict=True))
    source = Source(system, sha256(signature.encode()).hexdigest())
    ids, targets, pos = ([getattr(one, name) for one, _ in rows] for name in ("id", "target", "pos"))
    columns = (ids, range(1, len(ids) + 1), targets, pos, lists, np.array(cuts, np.int64))
    return Run(system, (source,), ranked=Answers(source, *columns))


def wanted_of(sentence: Sentence) -> Wanted:
    """Return a sentence of a file as a text and the place of its target."""
    context = sentence.context
    left = f"{context.left} " if context.left else ""
    text = f"{left}{context.head} {context.right}".rstrip()
    return Wanted(text, (len(left), len(left) + len(context.head)), sentence.pos, sentence.target)


def _suggestion(ranking: Ranking, place: int) -> Suggestion:
    candidate = ranking.candidates[place]
    return Suggestion(
        candidate.word,
        inflected(candidate.word, ranking.target.tag),
        float(ranking.scores.values[place]),
        candidate,
        {name: float(part[place]) for name, part in ranking.scores.reasons.items()},
    )
