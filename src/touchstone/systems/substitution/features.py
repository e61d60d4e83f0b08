"""Features of a candidate: numbers about the word itself, and about the word in the sentence.

About the word itself (Jabbari's systems take these from the lexical resource): the order of senses, how a path leads to
it, how common it is. In the sentence: the language model (`lm`) and the bag of words around the target (``bow``), which
is the sum of the unit vectors of content words, each weighted by a / (a + p), p its frequency (Arora, Liang and Ma
2017), so that common words count little. All but the ways, the synonym rings and the frame are standardised over the
candidates of an item, so that weights mean the same for every item.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from math import log, log1p
from typing import NamedTuple

import numpy as np

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError, nearest
from touchstone.base.ragged import Floats
from touchstone.lexicon import wordnet
from touchstone.systems.substitution.candidates import NO_SENSE, TWO_STEPS, Candidate, Way
from touchstone.systems.substitution.frames import construction, lacks
from touchstone.systems.substitution.language_models import LanguageModel, SentenceScores
from touchstone.systems.substitution.rings import shipped_rings
from touchstone.systems.substitution.targets import Target
from touchstone.systems.substitution.vectors import Vectors, unit
from touchstone.systems.substitution.words import frequency, log_frequency
from touchstone.text.meanings import meanings
from touchstone.text.vectors import Matrix

SENSES = ("sense.order", "sense.prior", "sense.own")
WORDS = ("word.frequency", "word.tagged", "word.length", "word.phrase", "word.contains", "word.meaning")
WAYS = tuple(f"way.{way.name.lower()}" for way in Way)
VERBS = "frame.verb"
RINGS = ("ring.member", "ring.first", "ring.twice")
BOW = ("bow.wide", "bow.near", "bow.target", "bow.ring")
LM = ("lm.left", "lm.right", "lm.word", "lm.frame")
FRAME = "lm.frame"
OF_ITSELF = (*SENSES, *WORDS, *WAYS, *RINGS, VERBS)
NAMES = (*OF_ITSELF, *BOW, *LM)

NEAR, WIDE = 3, 10
"""Tokens on either side that the near and the wide bag of words contain; the specification's has ten."""
_BOW_SMOOTHING = 1e-3
_CONTENT = ("N", "V", "J", "R")
"""The first letters of the tags of content words."""

_HALF_A_COUNT = 0.5
"""Added to every count of a sense: the texts behind WordNet are small, and most senses never occur in them."""
_FLOOR = 0.02
"""Added to the share of senses that lead to a candidate: none may be known to."""
_SECOND_STEP = 0.3
"""How much of a sense's share a path of two steps keeps; chosen on trial from 0.1, 0.2, 0.3, 0.5 and 1."""
_SHARE_UNKNOWN = 0.3
"""The share of a candidate's uses in the sense that led to it, where no synset did."""
_FRAME_SLACK = 2.0
"""How much less a candidate may go with the word after it than the target does, in natural logarithms, at no cost."""
_FRAME_SHARE = 0.5
"""How much of what is beyond counts where the target is no verb."""
_RING_SCALE = 5.0
"""Brings the differences between cosines of rings, about a fifth, to the size of standardised features."""
_MOST_TARGETS = 512
"""Targets whose candidates' own features are kept."""


def check_features(names: Iterable[str], file: str | None = None) -> None:
    """Refuse a feature that does not exist."""
    for name in names:
        if name not in NAMES:
            what = "no such feature"
            raise TouchstoneError(what, file=file, value=name, near=nearest(name, NAMES), code=Code.UNKNOWN_NAME)


class _Uses(NamedTuple):
    """How a lemma is used as a part of speech: the share of each sense, by its synset, and how often it was tagged."""

    shares: Mapping[int, float]
    tagged: int


class Features:
    """Computes features of the candidates of an item; those of a word itself are computed once.

    Parameters
    ----------
    names
        Which features, of `NAMES`.
    vectors
        Needed by the features ``bow.*``.
    model
        Needed by the features ``lm.*``.
    """

    def __init__(
        self, names: Sequence[str], vectors: Vectors | None = None, model: LanguageModel | None = None
    ) -> None:
        check_features(names)
        self.names = tuple(names)
        self._vectors = vectors
        self._sentences = SentenceScores(model) if model else None
        self._uses = lru_cache(maxsize=1 << 16)(_uses)
        self._cache: dict[int, tuple[Sequence[Candidate], dict[str, Floats], Matrix | None]] = {}

    def table(self, target: Target, candidates: Sequence[Candidate]) -> Floats:
        """Return a row for each candidate, a column for each of `names`."""
        columns, rows = self._of_itself(target, candidates)
        used = construction(target)
        # New dictionaries, never updates: the columns of the words themselves are cached.
        columns = columns | {VERBS: _column(-lacks(target, candidate.word, used) for candidate in candidates)}
        if rows is not None and self._vectors:
            columns = columns | _standardised(bow_features(target, rows, self._vectors))
            columns = columns | {"bow.ring": ring_context(target, candidates, self._vectors)}
        if self._sentences:
            scores = self._sentences.features(target, [of.word for of in candidates])
            columns = columns | _standardised(scores) | {FRAME: _frame_cost(scores[FRAME], target.pos)}
        return np.stack([columns[name] for name in self.names], 1)

    def _of_itself(self, target: Target, candidates: Sequence[Candidate]) -> tuple[dict[str, Floats], Matrix | None]:
        # The same word gives the same object (`candidates_of`), so its id is the key; the reference kept beside the
        # columns keeps Python from giving that id to another object.
        cached = self._cache.get(id(candidates))
        if cached is None or cached[0] is not candidates:
            columns = (
                _standardised(self._word_features(target, candidates)) | _ways(candidates) | _rings(target, candidates)
            )
            rows = self._vectors.stacked([candidate.word for candidate in candidates]) if self._vectors else None
            if len(self._cache) >= _MOST_TARGETS:
                self._cache.clear()
            cached = self._cache[id(candidates)] = (candidates, columns, rows)
        return cached[1:]

    def _word_features(self, target: Target, candidates: Sequence[Candidate]) -> dict[str, Floats]:
        shares = list(self._uses(target.lemma, target.pos).shares.values())
        words = [candidate.word for candidate in candidates]
        return {
            "sense.order": -np.log1p(np.arange(len(words))),
            "sense.prior": _column(log(_share(candidate, shares) + _FLOOR) for candidate in candidates),
            "sense.own": _column(
                log(self._uses(candidate.word, target.pos).shares.get(candidate.paths[0].synset, _SHARE_UNKNOWN))
                for candidate in candidates
            ),
            "word.frequency": _column(min(map(log_frequency, word.split())) for word in words),
            "word.tagged": _column(log1p(self._uses(word, target.pos).tagged) for word in words),
            "word.length": _column(map(len, words)),
            "word.phrase": _column(" " in word for word in words),
            "word.contains": _column(target.lemma in word.replace("-", " ").split() for word in words),
            "word.meaning": _column(float(meanings().of(word) @ meanings().of(target.lemma)) for word in words),
        }


def _uses(lemma: str, pos: str) -> _Uses:
    word = wordnet().word(lemma)
    counts = word.counts(pos)
    total = sum(counts) + _HALF_A_COUNT * len(counts)
    shares = {
        synset.id: (count + _HALF_A_COUNT) / total for synset, count in zip(word.synsets(pos), counts, strict=True)
    }
    return _Uses(shares, sum(counts))


def _share(candidate: Candidate, shares: Sequence[float]) -> float:
    """Return how often the target has a sense that leads to the candidate; a path of two steps counts for less."""
    best: dict[int, float] = {}
    for path in candidate.paths:
        if path.sense != NO_SENSE:
            share = shares[path.sense] * (_SECOND_STEP if path.way in TWO_STEPS else 1)
            best[path.sense] = max(best.get(path.sense, 0.0), share)
    return sum(best.values())


def _ways(candidates: Sequence[Candidate]) -> dict[str, Floats]:
    nearest_way = np.array([candidate.way for candidate in candidates])
    return {name: (nearest_way == way).astype(np.float64) for name, way in zip(WAYS, Way, strict=True)}


def _frame_cost(less: Floats, pos: str) -> Floats:
    """Return the cost of going less well with the word after it: for verbs the square, which rules a wrong frame out.

    Other words are not so strict: a *story about* may be a *tale about*, which the model does not list.
    """
    beyond = np.minimum(less + _FRAME_SLACK, 0)
    return np.asarray(-(beyond**2) if pos == "v" else _FRAME_SHARE * beyond, np.float64)


def _rings(target: Target, candidates: Sequence[Candidate]) -> dict[str, Floats]:
    ring_evidence = [shipped_rings().evidence(target.lemma, target.pos, candidate.word) for candidate in candidates]
    return {
        "ring.member": _column(of.member for of in ring_evidence),
        "ring.first": _column(of.first for of in ring_evidence),
        "ring.twice": _column(log1p(of.twice) for of in ring_evidence),
    }


def _standardised(columns: dict[str, Floats]) -> dict[str, Floats]:
    """Return columns with mean 0 and deviation 1; one whose values are all equal carries nothing and becomes 0."""
    return {
        name: (values - values.mean()) / spread if (spread := values.std()) > 1e-9 else np.zeros(len(values))
        for name, values in columns.items()
    }


def _column(values: Iterable[float]) -> Floats:
    return np.fromiter(values, np.float64)


def bow_features(target: Target, rows: Matrix, vectors: Vectors) -> dict[str, Floats]:
    """Return the cosines of candidates with the wide bag of words, the near one and the target.

    Parameters
    ----------
    target
        The word in its sentence.
    rows
        The vector of each candidate.
    vectors
        The vectors of the other words.
    """
    return {
        "bow.wide": _cosines(rows, _bag(target, WIDE, vectors)),
        "bow.near": _cosines(rows, _bag(target, NEAR, vectors)),
        "bow.target": _cosines(rows, vectors.of(target.lemma)),
    }


def ring_context(target: Target, candidates: Sequence[Candidate], vectors: Vectors) -> Floats:
    """Return how much nearer the wide bag of words is to the best ring of a candidate than to those of the others.

    The direction of a ring is that of its members without the target. Candidates outside the target's rings have 0.
    """
    bag, best = _bag(target, WIDE, vectors), dict[str, float]()
    for ring in shipped_rings().of(target.lemma, target.pos):
        others = [word for word in ring if word != target.lemma]
        cosine = float(unit(vectors.stacked(others).sum(0)) @ bag)
        best |= {word: max(best.get(word, -1.0), cosine) for word in others}
    values = np.array([best.get(candidate.word, np.nan) for candidate in candidates])
    inside = ~np.isnan(values)
    mean = values[inside].mean() if inside.any() else 0.0
    return np.asarray(np.where(inside, (values - mean) * _RING_SCALE, 0.0), np.float64)


def _bag(target: Target, reach: int, vectors: Vectors) -> Matrix:
    """Return the direction of the content words within *reach* tokens of the target."""
    sentence, total = target.sentence, np.zeros(vectors.width, np.float32)
    for token in range(max(0, target.first - reach), min(len(sentence), target.last + reach + 1)):
        word = sentence.forms[token].lower()
        if not target.first <= token <= target.last and sentence.tags[token].startswith(_CONTENT):
            total += _bow_weight(word) * vectors.of(word)
    return unit(total)


def _cosines(rows: Matrix, direction: Matrix) -> Floats:
    # A product by rows, so that a candidate's cosine does not depend on the others in its batch.
    return np.asarray((rows * direction).sum(1), np.float64)


@lru_cache(maxsize=1 << 16)
def _bow_weight(word: str) -> float:
    return _BOW_SMOOTHING / (_BOW_SMOOTHING + frequency(word))
