"""Which words a model knows, and the vectors that it starts from."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import numpy as np
import numpy.typing as npt

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.base.signature import content_digest
from touchstone.systems.inference.texts import Numbers, Texts
from touchstone.text.vectors import WordVectors, read_word_vectors

Matrix = npt.NDArray[np.float32]

PADDING, UNKNOWN, BEGIN, END = range(4)
"""The first rows of every model: after a sentence, for any other word, and the marks of its begin and end."""

LEAST = 2
"""How often a word without a vector must occur in training to have a row of its own; rarer ones train `UNKNOWN`."""


@dataclass(frozen=True)
class Vocabulary:
    """The rows of a model: marks, the words *own* that have no vector but are trained, the words *known* with vectors.

    *source* is the signature of the file of vectors, *width* the numbers in a row.
    """

    own: Sequence[str]
    known: Sequence[str]
    source: str
    width: int

    @property
    def trained(self) -> int:
        """How many rows come before those with vectors: the marks, and the words of its own."""
        return END + 1 + len(self.own)

    @cached_property
    def digest(self) -> str:
        """The digest of all words in their order, and of the vectors."""
        about = [*_digests(self.source), str(self.width)]
        return content_digest(own=list(self.own), known=list(self.known), source=about)

    @cached_property
    def _rows(self) -> dict[str, int]:
        return {word: row for row, word in enumerate((*self.own, *self.known), END + 1)}

    def rows(self, forms: Sequence[str]) -> Numbers:
        """Return the row of each form; the empty form is padding.

        >>> Vocabulary(["a"], ["dog"], "made up", 3).rows(["", "dog", "a", "cat"]).tolist()
        [0, 5, 4, 1]
        """
        rows = [self._rows.get(form, UNKNOWN) for form in forms]
        return np.array([PADDING if not form else row for form, row in zip(forms, rows, strict=True)], np.int32)

    def with_more(self, more: WordVectors) -> "tuple[Vocabulary, Matrix]":
        """Return the vocabulary with further words from the file of its vectors, and the vectors of these."""
        if _digests(more.signature) != _digests(self.source):
            hint = f"the model was trained with {self.source}"
            what = "not the word vectors of the model"
            raise TouchstoneError(what, value=more.signature, code=Code.MISMATCH, hint=hint)
        new = [row for row, word in enumerate(more.words) if word not in self._rows]
        words = [*self.known, *(more.words[row] for row in new)]
        return replace(self, known=words), np.asarray(more.rows[new], np.float32).reshape(len(new), self.width)


def _digests(signature: str) -> list[str]:
    """Return the digests in the signature of files, whatever their names."""
    return [part.rpartition("#")[2] for part in signature.split()]


def read_vectors(path: str | Path, words: Sequence[str]) -> WordVectors:
    """Read the vectors of those *words* that a file has."""
    hint = "give GloVe's text, an .npy array or a .safetensors file with vocab.txt beside it"
    return read_word_vectors(path, words, hint=hint)


def trained_words(training: Texts, words_with_vectors: Collection[str]) -> list[str]:
    """Return the words without a vector that are frequent enough in training, the most frequent first."""
    form_numbers = np.concatenate([training.premise.values, training.hypothesis.values])
    counts = np.bincount(form_numbers, minlength=len(training.forms))
    with_vectors = set(words_with_vectors)
    frequent = {
        form: int(count)
        for form, count in zip(training.forms, counts, strict=True)
        if count >= LEAST and form and form not in with_vectors
    }
    return sorted(frequent, key=lambda form: (-frequent[form], form))


def make_vocabulary(training: Texts, vectors: WordVectors) -> Vocabulary:
    """Return the words of the vectors, and those without one that are frequent enough in training."""
    words = list(vectors.words)
    return Vocabulary(trained_words(training, words), words, vectors.signature, vectors.rows.shape[1])
