"""Word vectors of a system: found where users keep them, or counted from a text, and compared by direction.

Vectors are compared without what all of them share: the mean and the three directions of greatest variance are
removed (Mu and Viswanath 2018, "All-but-the-Top").
"""

import os
from collections import Counter
from collections.abc import Sequence
from functools import cache, lru_cache
from pathlib import Path

import numpy as np
import numpy.typing as npt
from scipy.sparse import coo_array, csr_array

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.base.ragged import Ragged
from touchstone.base.spelling import setting
from touchstone.io.text import lines, read_text
from touchstone.lexicon import wordnet
from touchstone.lexicon.relation import Pos
from touchstone.text import Tokeniser, english
from touchstone.text.vectors import VOCABULARY, Matrix, read_word_vectors

VARIABLE = "TOUCHSTONE_VECTORS"

_COMMON = 50_000
"""Rows from which the shared directions are computed: the first, most frequent words of published files."""
_NEIGHBOURS_AMONG = 40_000
"""Words among which neighbours are looked for; rarer ones have poor vectors."""
_FEWEST = 1_000
"""With fewer words, shared directions cannot be distinguished from meaning, and nothing is removed."""
_SHARED_DIRECTIONS = 3
_WIDTH_PER_DIRECTION = 30
"""At most one direction is removed per so many columns: short vectors cannot spare three."""

WINDOW = 5
WIDTH = 100
LEAST = 3
"""A word that occurs less often has no vector."""
_SMOOTHING = 0.75
_OVERSAMPLING, _ITERATIONS = 10, 4


def _how_to_get() -> str:
    return (
        f"give a text file as GloVe's (glove.6B.100d.txt), or an .npy array with {VOCABULARY} beside it; "
        f"without {setting('vectors')} and {VARIABLE} the vectors of the package are used; "
        f"{setting('corpus', 'TEXT')} counts vectors from a text of yours"
    )


class Vectors:
    """Unit vectors of words and phrases, with what all words share removed.

    ``vectors.of(phrase)`` is the unit vector of a word, or of the words of a phrase together.

    Parameters
    ----------
    words
        The word of each row, the most frequent first.
    rows
        The numbers of each word.
    signature
        The name and digest of where they came from.

    Examples
    --------
    >>> few = Vectors(["hot", "cold"], np.array([[1, 0], [0, 1]], np.float32), "made up")
    >>> "hot" in few, "tepid" in few, few.of("tepid").tolist()
    (True, False, [0.0, 0.0])
    """

    def __init__(self, words: Sequence[str], rows: npt.NDArray[np.floating | np.int8], signature: str) -> None:
        self.signature = signature
        self._rows = rows
        self._row_of_word = {word: row for row, word in enumerate(words)}
        self._mean, self._shared = _shared(rows[:_COMMON])
        self.of = lru_cache(maxsize=1 << 16)(self._vector)
        self._lemmas = cache(self._listed)

    @property
    def width(self) -> int:
        """How many numbers a vector has."""
        return int(self._rows.shape[1])

    def __contains__(self, word: object) -> bool:
        return word in self._row_of_word

    def stacked(self, phrases: Sequence[str]) -> Matrix:
        """Return the vectors of several phrases, a row for each."""
        return np.stack([self.of(phrase) for phrase in phrases]) if phrases else np.zeros((0, self.width), np.float32)

    def neighbours(self, word: str, pos: Pos, most: int) -> list[str]:
        """Return the lemmas of a part of speech that are nearest to a word, among the most frequent words."""
        if word not in self._row_of_word or most < 1:
            return []
        words, rows = self._lemmas(pos)
        # One more than asked, since the word itself is the nearest of all.
        order = np.argsort(-(rows @ self.of(word)), kind="stable")[: most + 1].tolist()
        return [words[row] for row in order if words[row] != word][:most]

    def _listed(self, pos: Pos) -> tuple[list[str], Matrix]:
        """Return the lemmas of a part of speech among the most frequent words, and their vectors."""
        common, lexicon = list(self._row_of_word)[:_NEIGHBOURS_AMONG], wordnet()
        words = [word for word in common if word.isalpha() and word in lexicon.lemmas(word, pos)[:1]]
        return words, self.stacked(words)

    def _vector(self, phrase: str) -> Matrix:
        """Return the unit vector of a word, or of the words of a phrase together; zeros where none is known."""
        parts = [phrase] if phrase in self._row_of_word else phrase.replace("-", " ").split()
        part_rows = [self._row_of_word[part] for part in parts if part in self._row_of_word]
        if not part_rows:
            return np.zeros(self.width, np.float32)
        rows = unit(np.asarray(self._rows[part_rows], np.float32)) - self._mean
        shared = np.asarray(rows @ self._shared @ self._shared.T, np.float32)
        return unit(np.asarray(unit(rows - shared).sum(0), np.float32))


def unit(rows: Matrix) -> Matrix:
    """Return vectors of length one; zeros stay zeros.

    >>> unit(np.array([[3, 4], [0, 0]], np.float32)).round(1).tolist()
    [[0.6000000238418579, 0.800000011920929], [0.0, 0.0]]
    """
    sizes = np.linalg.norm(rows, axis=-1, keepdims=True)
    return np.asarray(rows / np.where(sizes > 0, sizes, 1), np.float32)


def find_vectors(path: str | Path | None) -> Path | None:
    """Return the user's file of vectors: *path*, or what `VARIABLE` names; None if there is neither."""
    named = path or os.environ.get(VARIABLE)
    if named is None:
        return None
    return _file_in(Path(named)) if Path(named).is_dir() else Path(named)


def shipped_vectors() -> Vectors:
    """Return the vectors that come with the package: GloVe's of the 60,000 most frequent words, in eight bits."""
    analyser = english()
    return Vectors(analyser.common_words, analyser.word_vectors, "of the analyser")


def read_vectors(path: str | Path) -> Vectors:
    """Read the vectors of a file; see `touchstone.text.vectors` for the forms."""
    return Vectors(*read_word_vectors(path, hint=_how_to_get()))


def _shared(rows: npt.NDArray[np.floating | np.int8]) -> tuple[Matrix, Matrix]:
    """Return the mean of unit vectors and the directions in which they vary most."""
    units = unit(np.asarray(rows, np.float32))
    mean = np.asarray(units.mean(0) if len(units) >= _FEWEST else np.zeros(units.shape[1]), np.float32)
    count = min(_SHARED_DIRECTIONS, units.shape[1] // _WIDTH_PER_DIRECTION) if len(units) >= _FEWEST else 0
    centred = units - mean
    # Eigenvalues come in ascending order, so the directions of greatest variance are the last columns.
    directions = np.linalg.eigh(centred.T @ centred)[1][:, ::-1][:, :count]
    return mean, np.asarray(directions, np.float32)


def _file_in(folder: Path) -> Path:
    files = sorted(path for path in folder.iterdir() if path.suffix == ".npy" or path.name.startswith("glove"))
    if len(files) != 1:
        what = f"{len(files)} files of vectors in this folder"
        raise TouchstoneError(what, file=str(folder), code=Code.AMBIGUOUS, hint="name the file")
    return files[0]


def count_vectors(path: str | Path, encoding: str = "utf-8") -> Vectors:
    """Return vectors of the words of a text, counted from which words occur near which.

    They are the leading singular vectors of positive pointwise mutual information of words within `WINDOW` of each
    other (Levy, Goldberg and Dagan 2015: context distributions smoothed by the power 0.75).

    Parameters
    ----------
    path
        A text with one sentence or paragraph per line. Words that occur fewer than `LEAST` times have no vector.
    encoding
        The encoding of the text.
    """
    text, source = read_text(path, encoding)
    tokenise = Tokeniser().forms
    sentences = [[form.lower() for form in tokenise(line) if any(map(str.isalpha, form))] for _, line in lines(text)]
    counts = Counter(word for sentence in sentences for word in sentence)
    words = [word for word, count in counts.most_common() if count >= LEAST]
    if len(words) < 3:
        what = f"{len(words)} words occur {LEAST} times or more"
        raise TouchstoneError(what, file=source.name, code=Code.TOO_FEW, hint="give a larger text")
    return Vectors(words, _reduced(_information(_cooccurrences(sentences, words))), f"co-occurrence {source}")


def _cooccurrences(sentences: Sequence[Sequence[str]], words: Sequence[str]) -> csr_array:
    """Return how often each word occurs near each other one."""
    number = {word: index for index, word in enumerate(words)}
    numbered = Ragged.of([[number[word] for word in sentence if word in number] for sentence in sentences], np.int64)
    # Words so far apart in the whole text are near each other only inside one sentence.
    near = [numbered.row[:-distance] == numbered.row[distance:] for distance in range(1, WINDOW + 1)]
    left = np.concatenate([numbered.values[: -n - 1][same] for n, same in enumerate(near)])
    right = np.concatenate([numbered.values[n + 1 :][same] for n, same in enumerate(near)])
    pairs = (np.concatenate([left, right]), np.concatenate([right, left]))
    return csr_array(coo_array((np.ones(len(pairs[0])), pairs), shape=(len(words), len(words))))


def _information(counts: csr_array) -> csr_array:
    """Return the positive pointwise mutual information of words and their contexts."""
    table = counts.tocoo()
    of_word = np.asarray(counts.sum(1)).ravel()
    of_context = np.asarray(counts.sum(0)).ravel() ** _SMOOTHING
    chance = of_word[table.row] * of_context[table.col] / of_context.sum()
    values = np.maximum(0.0, np.log(table.data / chance))
    return csr_array(coo_array((values, (table.row, table.col)), shape=counts.shape))


def _reduced(table: csr_array) -> Matrix:
    """Return the leading left singular vectors, each scaled by the root of its value.

    Found in a sampled subspace (Halko, Martinsson and Tropp 2011), with a seed, so that they are the same every time.
    """
    width = min(WIDTH, table.shape[0])
    sample = np.random.default_rng(0).normal(size=(table.shape[1], min(table.shape[1], width + _OVERSAMPLING)))
    basis = np.linalg.qr(table @ sample)[0]
    # Each pass brings the basis nearer to the leading vectors; QR keeps its columns from becoming parallel.
    for _ in range(_ITERATIONS):
        basis = np.linalg.qr(table @ np.linalg.qr(table.T @ basis)[0])[0]
    left, sizes, _ = np.linalg.svd(basis.T @ table, full_matrices=False)
    return np.asarray((basis @ left * np.sqrt(sizes))[:, :width], np.float32)
