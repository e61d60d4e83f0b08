"""Views of a sentence: sets of keys, such as its lemmas, that a statement and a summary may share."""

from collections.abc import Callable, Hashable, Iterable, Sequence
from itertools import pairwise

import numpy as np
from scipy.sparse import csr_array

from touchstone.base.ragged import Floats, Ints
from touchstone.text import Sentence, english

CONTENT = frozenset(("ADJ", "ADV", "NOUN", "NUM", "PROPN", "VERB"))
STEM, RUN, NEAR, CLIMB = 5, 4, 3, 3
"""Letters of a stem and of a run, content words within which two make a pair, function words between head and word."""

POWERS = {"": 1, "³": 3}
"""The names and the powers of the weight log(1 + n / df)."""

WINDOWS = ("sentence", "two", "all")
"""Parts of a summary: each sentence, each two neighbours, the whole."""

Keys = Sequence[Hashable]


def tokens(sentence: Sentence) -> list[int]:
    """Return the indices of the tokens that have a letter or a digit."""
    return [token for token, form in enumerate(sentence.forms) if any(map(str.isalnum, form))]


def content(sentence: Sentence) -> list[int]:
    """Return the indices of nouns, names, verbs, adjectives, adverbs and numbers."""
    return [token for token in tokens(sentence) if sentence.upos[token] in CONTENT]


def _lemmas(sentence: Sentence, token_indices: Iterable[int]) -> list[str]:
    return [sentence.lemmas[token].lower() for token in token_indices]


def _forms(sentence: Sentence) -> list[str]:
    return [sentence.forms[token].lower() for token in tokens(sentence)]


def words(sentence: Sentence) -> list[str]:
    """Return the lemmas of the content words."""
    return _lemmas(sentence, content(sentence))


def _stems(sentence: Sentence) -> list[str]:
    return [word[:STEM] for word in words(sentence)]


def _letters(sentence: Sentence) -> list[str]:
    text = f" {' '.join(_forms(sentence))} "
    return [text[start : start + RUN] for start in range(len(text) - RUN + 1)]


def _pairs(sentence: Sentence) -> list[tuple[str, str]]:
    content_words = words(sentence)
    return [
        (left, right)
        for index, left in enumerate(content_words)
        for right in content_words[index + 1 : index + 1 + NEAR]
    ]


def _relations(sentence: Sentence) -> list[tuple[str, str]]:
    """Return each content word below the content word that it depends on; function words between are skipped."""
    content_tokens = content(sentence)
    content_set = set(content_tokens)
    links = []
    for token in content_tokens:
        head = sentence.heads[token] - 1
        for _ in range(CLIMB):
            head = sentence.heads[head] - 1 if head >= 0 and head not in content_set else head
        if head in content_set:
            links.append((sentence.lemmas[head].lower(), sentence.lemmas[token].lower()))
    return links


def names(sentence: Sentence) -> list[str]:
    """Return the words of names, as they are written."""
    return [sentence.forms[token].lower() for token in tokens(sentence) if sentence.upos[token] == "PROPN"]


def numbers(sentence: Sentence) -> list[str]:
    """Return numbers, in digits or in words."""
    number_tokens = (
        token
        for token in tokens(sentence)
        if sentence.upos[token] == "NUM" or any(map(str.isdigit, sentence.forms[token]))
    )
    return [sentence.forms[token].lower() for token in number_tokens]


View = Callable[[Sentence], Keys]

VIEWS: dict[str, tuple[View, View]] = {
    "words": (words, words),
    "stems": (_stems, _stems),
    "letters": (_letters, _letters),
    "pairs": (_pairs, _pairs),
    "relations": (_relations, _relations),
    "synonyms": (words, words),
    "names": (names, _forms),
    "numbers": (numbers, _forms),
}
"""The keys of a statement, and those of a summary that can meet them: a name is found whatever its tag there."""

OPTIONAL = frozenset(("names", "numbers"))
"""Views whose recall is 1 where a statement has no key: nothing is missing."""


def parse_summary(text: str) -> list[Sentence]:
    """Return the sentences of a summary; a line is not a sentence, and places stay those of *text*."""
    return list(english().parse([text.replace("\n", " ")]))


def row_shares(weights: Floats, row: Ints, column: Ints, shape: tuple[int, int]) -> csr_array:
    """Return a matrix of *weights*, each at its row and column; each row is divided by its sum."""
    total = np.bincount(row, weights, minlength=shape[0])
    return csr_array((weights / total[row], (row, column)), shape=shape)


def windows(rows: Floats) -> list[Floats]:
    """Return the largest values in each of the `WINDOWS`: each row, each two neighbours, all rows."""
    two = np.array([np.maximum(left, right) for left, right in pairwise(rows)]) if len(rows) > 1 else rows
    return [rows, two, rows.max(axis=0, keepdims=True)]
