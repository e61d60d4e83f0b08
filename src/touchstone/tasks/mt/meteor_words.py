"""Texts as METEOR sees them: tokens as numbers, with the stem and the synsets of each distinct one looked up once."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from threading import Lock

import numpy as np

from touchstone.core.ragged import Interner, Ints, Ragged
from touchstone.lexicon import wordnet
from touchstone.tasks.mt.meteor_stems import stem
from touchstone.tasks.mt.meteor_synonyms import synset_offsets
from touchstone.tasks.mt.meteor_tokens import Tokeniser
from touchstone.tasks.mt.model import Texts

EXACT, STEM, SYNONYM = range(3)
"""The modules: equal words, unequal words with equal stems, unequal words whose synsets meet."""

MODULES = ("exact", "stem", "synonym")
NONE = -1


@dataclass(frozen=True)
class Tables:
    """What the modules look at: the number of each word's stem, and the synsets of each word in ascending order."""

    stems: Ints
    synsets: Ragged[np.int64]


class Vocabulary:
    """The words met so far, by number; everything that is asked about a word is worked out once.

    >>> words = Vocabulary()
    >>> words.numbers(["the cats", "The Cat"]).values.tolist(), [words[number] for number in range(3)]
    ([0, 1, 0, 2], ['the', 'cats', 'cat'])
    >>> words.tables().stems.tolist()
    [0, 1, 1]
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._split = Tokeniser()
        self._known = Interner()
        self._words: list[str] = []
        self._stems = Interner()
        self._tables = Tables(np.empty(0, np.int64), Ragged.of([], np.int64))

    def __getitem__(self, number: int) -> str:
        return self._listed()[number]

    def numbers(self, texts: Iterable[str]) -> Ragged[np.int64]:
        """Return the tokens of each text by number."""
        with self._lock:
            known = self._known
            return Ragged.of(([known[token] for token in self._split(text)] for text in texts), np.int64)

    def tables(self) -> Tables:
        """Return the stems and synsets of all words met so far."""
        with self._lock:
            done = len(self._tables.stems)
            new = self._listed()[done:]
            if new:
                stems = np.array([self._stems[stem(word)] for word in new], np.int64)
                synsets = synset_offsets(new, wordnet())
                self._tables = Tables(np.append(self._tables.stems, stems), _below(self._tables.synsets, synsets))
            return self._tables

    def _listed(self) -> list[str]:
        """Return the known words in the order of their numbers."""
        if len(self._words) < len(self._known):
            self._words = list(self._known)
        return self._words


@cache
def vocabulary() -> Vocabulary:
    """Return the vocabulary that all texts of a process share."""
    return Vocabulary()


def numbered(texts: Texts) -> Ragged[np.int64]:
    """Return the tokens of each segment by number; an absent segment has none."""
    return texts.once("meteor", lambda given: vocabulary().numbers(given.present))


def _below(first: Ragged[np.int64], second: Ragged[np.int64]) -> Ragged[np.int64]:
    """Return the rows of both, one after the other."""
    offsets = np.append(first.offsets, second.offsets[1:] + first.offsets[-1])
    return Ragged(offsets, np.append(first.values, second.values))
