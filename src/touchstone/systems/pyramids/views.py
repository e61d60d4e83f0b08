"""Views of a sentence: sets of keys, such as its lemmas, that a statement and a summary may share."""

from collections.abc import Callable, Hashable, Iterable, Sequence
from itertools import pairwise

import numpy as np

from touchstone.base.ragged import Floats
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
    """Return the places of the tokens that have a letter or a digit."""
    return [place for place, form in enumerate(sentence.forms) if any(map(str.isalnum, form))]


def content(sentence: Sentence) -> list[int]:
    """Return the places of nouns, names, verbs, adjectives, adverbs and numbers."""
    return [place for place in tokens(sentence) if sentence.upos[place] in CONTENT]


def _lemmas(sentence: Sentence, places: Iterable[int]) -> list[str]:
    return [sentence.lemmas[place].lower() for place in places]


def _forms(sentence: Sentence) -> list[str]:
    return [sentence.forms[place].lower() for place in tokens(sentence)]


def words(sentence: Sentence) -> list[str]:
    """Return the lemmas of the content words."""
    return _lemmas(sentence, content(sentence))


def _stems(sentence: Sentence) -> list[str]:
    return [word[:STEM] for word in words(sentence)]


def _letters(sentence: Sentence) -> list[str]:
    text = f" {' '.join(_forms(sentence))} "
    return [text[place : place + RUN] for place in range(len(text) - RUN + 1)]


def _pairs(sentence: Sentence) -> list[tuple[str, str]]:
    own = words(sentence)
    return [(one, other) for place, one in enumerate(own) for other in own[place + 1 : place + 1 + NEAR]]


def _relations(sentence: Sentence) -> list[tuple[str, str]]:
    """Return each content word below the content word that it depends on; function words between are skipped."""
    places = content(sentence)
    known = set(places)
    links = []
    for place in places:
        head = sentence.heads[place] - 1
        for _ in range(CLIMB):
            head = sentence.heads[head] - 1 if head >= 0 and head not in known else head
        if head in known:
            links.append((sentence.lemmas[head].lower(), sentence.lemmas[place].lower()))
    return links


def names(sentence: Sentence) -> list[str]:
    """Return the words of names, as they are written."""
    return [sentence.forms[place].lower() for place in tokens(sentence) if sentence.upos[place] == "PROPN"]


def numbers(sentence: Sentence) -> list[str]:
    """Return numbers, in digits or in words."""
    places = (
        one for one in tokens(sentence) if sentence.upos[one] == "NUM" or any(map(str.isdigit, sentence.forms[one]))
    )
    return [sentence.forms[place].lower() for place in places]


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


def windows(rows: Floats) -> list[Floats]:
    """Return the largest values in each of the `WINDOWS`: each row, each two neighbours, all rows."""
    two = np.array([np.maximum(one, other) for one, other in pairwise(rows)]) if len(rows) > 1 else rows
    return [rows, two, rows.max(axis=0, keepdims=True)]
