"""The senses of words in WordNet: which one dominates, what it is described by, and which one a context fits.

WordNet ships without its glosses. Princeton's dictionary files, where a user has them, add these.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from types import MappingProxyType

import numpy as np

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.io.text import read_text
from touchstone.lexicon import Synset, Word, wordnet
from touchstone.text.vectors import Matrix, WordVectors, read_word_vectors

DOMINANCE = 0.5
"""The share of a word's sense counts that its dominant sense has at least."""
_FIRST, _OTHER = 0.5, 0.1
"""What is added to the counts of the first sense of a part of speech, and of the others."""

WORDNET_POS = MappingProxyType({"noun": "n", "verb": "v", "adj": "a", "adv": "r"})
"""WordNet's letters for the parts of speech of the lists."""

_EXAMPLES = re.compile(r'; ?"')
_WORD = re.compile(r"[a-z][a-z'-]+")
_FUNCTION = frozenset(
    (
        *("a", "an", "the", "of", "in", "on", "at", "to", "from", "by", "for", "with", "as", "into", "than"),
        *("and", "or", "not", "is", "are", "be", "being", "having", "used", "made", "that", "which", "who", "whose"),
        *("it", "its", "their", "his", "her", "this", "such", "any", "some", "one", "other", "also", "very", "more"),
        *("most", "especially", "usually", "often", "etc"),
    )
)
"""Words of glosses that say nothing of the sense."""

Glosses = Mapping[str, str]
"""The gloss of a synset by its key, such as 02084071-n."""


def dominant(word: Word) -> Synset | None:
    """Return the sense that has at least half of the sense counts of a *word*, all parts of speech together.

    The first sense of each part of speech counts 0.5 more, each other one 0.1 more.

    >>> from touchstone.lexicon import wordnet
    >>> dominant(wordnet().word("guitar")), dominant(wordnet().word("light"))
    (Synset('guitar.n.01'), None)
    """
    weights: list[tuple[Synset, float]] = []
    for pos in WORDNET_POS.values():
        senses = zip(word.synsets(pos), word.counts(pos), strict=True)
        weights += [(sense, count + (_OTHER if rank else _FIRST)) for rank, (sense, count) in enumerate(senses)]
    total = sum(weight for _, weight in weights)
    return next((sense for sense, weight in weights if weight >= DOMINANCE * total), None)


def read_glosses(folder: str | Path) -> Glosses:
    """Return the glosses of Princeton's dictionary files ``data.noun``, ``data.verb``, ``data.adj`` and ``data.adv``.

    Parameters
    ----------
    folder
        The folder of the files of WordNet 3.0. Examples after the gloss are left out.
    """
    glosses: dict[str, str] = {}
    for name, letter in WORDNET_POS.items():
        text, _ = read_text(Path(folder) / f"data.{name}")
        for line in text.split("\n"):
            if line[:8].isdigit() and " | " in line:
                gloss = _EXAMPLES.split(line.partition(" | ")[2])[0].strip()
                glosses[f"{line[:8]}-{letter}"] = gloss
    if not glosses:
        hint = "give the folder dict of WordNet 3.0"
        raise TouchstoneError("no gloss in these dictionary files", file=str(folder), code=Code.EMPTY, hint=hint)
    return glosses


def description(synset: Synset, glosses: Glosses) -> str:
    """Return what a *synset* means: its words, and its gloss or else the words above it.

    >>> from touchstone.lexicon import wordnet
    >>> description(wordnet().synset("guitar.n.01"), {})
    'guitar; a kind of stringed instrument'
    """
    words = ", ".join(synset.words)
    gloss = glosses.get(synset.key)
    above = ", ".join(parent.words[0] for parent in synset.hypernyms())
    return f"{words}; {gloss}" if gloss else f"{words}; a kind of {above}" if above else words


class Vectors:
    """Word vectors of the user: which words have one, and how close two sets of words are."""

    def __init__(self, vectors: WordVectors) -> None:
        self._rows, self.signature = vectors.rows, vectors.signature
        self._row_of_word = {word: row for row, word in enumerate(vectors.words)}

    @classmethod
    def read(cls, path: str | Path) -> "Vectors":
        """Return the vectors of a file: see `touchstone.text.vectors`."""
        return cls(read_word_vectors(path, hint="give an .npy array with vocab.txt beside it, or GloVe's text"))

    def __contains__(self, word: object) -> bool:
        return isinstance(word, str) and (word in self._row_of_word or word.lower() in self._row_of_word)

    def mean(self, words: Iterable[str]) -> Matrix | None:
        """Return the mean vector of the *words* that have one, in unit length; None if there is none."""
        word_rows = [self._row_of_word.get(word, self._row_of_word.get(word.lower(), -1)) for word in words]
        rows = [row for row in word_rows if row >= 0]
        if not rows:
            return None
        mean = np.asarray(self._rows[rows], np.float32).mean(0)
        size = float(np.linalg.norm(mean))
        return mean / np.float32(size) if size else None

    def cosine(self, first: Sequence[str], second: Sequence[str]) -> float | None:
        """Return the cosine of the mean vectors of two sets of words; None if one of them has no vector."""
        first_mean, second_mean = self.mean(first), self.mean(second)
        return None if first_mean is None or second_mean is None else float(first_mean @ second_mean)


class SenseVectors:
    """Which sense of a word a context fits, by the mean vectors of the context and of each sense's description.

    A sense is described by its own words, those right above it and, if there are glosses, its gloss.
    """

    def __init__(self, vectors: Vectors, glosses: Glosses) -> None:
        self._vectors, self._glosses = vectors, glosses
        self._vector_cache: dict[Synset, Matrix | None] = {}

    @cached_property
    def signature(self) -> str:
        """Which vectors, and whether there are glosses."""
        return f"{self._vectors.signature} {wordnet().signature}" + (" with glosses" if self._glosses else "")

    def fit(self, senses: Sequence[Synset], context: Sequence[str]) -> list[float | None]:
        """Return the cosine of the *context* with each of the *senses*; None if a vector is missing."""
        around = self._vectors.mean(content_words(context))
        vectors = [self._vector(sense) for sense in senses]
        return [None if around is None or vector is None else float(around @ vector) for vector in vectors]

    def _vector(self, sense: Synset) -> Matrix | None:
        if sense not in self._vector_cache:
            texts = (*sense.words, *(word for above in sense.hypernyms() for word in above.words))
            words = _WORD.findall(" ".join((*texts, self._glosses.get(sense.key, ""))).lower())
            self._vector_cache[sense] = self._vectors.mean(content_words(words))
        return self._vector_cache[sense]


def content_words(words: Iterable[str]) -> list[str]:
    """Return the *words* in lower case without function words."""
    return [word for word in (form.lower() for form in words) if word not in _FUNCTION]
