"""Vectors counted from a text of the user's own: which words stand near which, weighted, in few dimensions.

Positive pointwise mutual information of words within five of each other, and its leading singular vectors
(Levy, Goldberg and Dagan 2015: context distributions smoothed by the power 0.75).
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from scipy.sparse import coo_array, csr_array

from touchstone.core.errors import TouchstoneError
from touchstone.core.ragged import Ints
from touchstone.io.text import lines, read_text
from touchstone.tasks.lexsub.systems.vectors import Matrix, Vectors
from touchstone.text import Tokeniser

WINDOW = 5
WIDTH = 100
LEAST = 3
"""Occurrences below which a word's company says too little."""
_SMOOTHING = 0.75
_SPARE, _ROUNDS = 10, 4


def count_vectors(path: str | Path, encoding: str = "utf-8") -> Vectors:
    """Return vectors of the words that a text, one sentence or paragraph to a line, has at least `LEAST` times."""
    text, source = read_text(path, encoding)
    sentences = list(_tokens(text))
    counts = Counter(word for sentence in sentences for word in sentence)
    words = [word for word, count in counts.most_common() if count >= LEAST]
    if len(words) < 3:
        raise TouchstoneError(
            f"{len(words)} words occur {LEAST} times or more", file=source.name, hint="give a larger text"
        )
    rows = _reduced(_information(_together(sentences, words)))
    return Vectors(words, rows, f"co-occurrence {source}")


def _tokens(text: str) -> Iterator[list[str]]:
    tokeniser = Tokeniser()
    for _, line in lines(text):
        yield [form.lower() for form in tokeniser.tokenise(line).forms if any(map(str.isalpha, form))]


def _together(sentences: Sequence[Sequence[str]], words: Sequence[str]) -> csr_array:
    """Return how often each word stands near each other one."""
    number = {word: place for place, word in enumerate(words)}
    flat, sentence_of = _flat(sentences, number)
    left: list[Ints] = []
    right: list[Ints] = []
    for distance in range(1, WINDOW + 1):
        near = sentence_of[:-distance] == sentence_of[distance:]
        left.append(flat[:-distance][near])
        right.append(flat[distance:][near])
    a, b = np.concatenate(left), np.concatenate(right)
    pairs = (np.concatenate([a, b]), np.concatenate([b, a]))
    return csr_array(coo_array((np.ones(len(pairs[0])), pairs), shape=(len(words), len(words))))


def _flat(sentences: Sequence[Sequence[str]], number: dict[str, int]) -> tuple[Ints, Ints]:
    known = [[number[word] for word in sentence if word in number] for sentence in sentences]
    flat = np.array([place for sentence in known for place in sentence], np.int64)
    return flat, np.repeat(np.arange(len(known)), [len(sentence) for sentence in known])


def _information(counts: csr_array) -> csr_array:
    """Return the positive pointwise mutual information of words and their company."""
    table = counts.tocoo()
    of_word = np.asarray(counts.sum(1)).ravel()
    of_company = np.asarray(counts.sum(0)).ravel() ** _SMOOTHING
    chance = of_word[table.row] * of_company[table.col] / of_company.sum()
    values = np.maximum(0.0, np.log(table.data / chance))
    return csr_array(coo_array((values, (table.row, table.col)), shape=counts.shape))


def _reduced(table: csr_array) -> Matrix:
    """Return the leading left singular vectors, each scaled by the root of its value.

    Found in a sampled subspace (Halko, Martinsson and Tropp 2011), with a seed, so that they are the same every time.
    """
    width = min(WIDTH, table.shape[0])
    sample = np.random.default_rng(0).normal(size=(table.shape[1], min(table.shape[1], width + _SPARE)))
    basis = np.linalg.qr(table @ sample)[0]
    for _ in range(_ROUNDS):
        basis = np.linalg.qr(table @ np.linalg.qr(table.T @ basis)[0])[0]
    left, sizes, _ = np.linalg.svd(basis.T @ table, full_matrices=False)
    return np.asarray((basis @ left * np.sqrt(sizes))[:, :width], np.float32)
