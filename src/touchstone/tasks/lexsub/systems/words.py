"""English words in isolation: how common they are, how they are inflected, and which follow each other on the web.

Needs `wordfreq`, `lemminflect` and `wordsegment` (the extra ``systems``).
"""

from functools import cache, lru_cache
from math import log

from touchstone.core.errors import needs
from touchstone.lexicon.relation import Pos

_RAREST_FREQUENCY = 1e-9
"""The frequency of an unlisted word: one in a thousand million, below the rarest listed one."""

_FORMS: dict[Pos, tuple[str, ...]] = {
    "n": ("NN", "NNS"),
    "v": ("VB", "VBZ", "VBG", "VBD", "VBN", "VBP"),
    "a": ("JJ", "JJR", "JJS"),
    "r": ("RB", "RBR", "RBS"),
}
_PROPER = {"NNP": "NN", "NNPS": "NNS"}
_BASE = frozenset(("NN", "VB", "VBP", "JJ", "RB"))
_DEGREES = {"R": "more", "S": "most"}

_WEB_WORDS = 1_024_908_267_229
"""Words in the corpus of Brants and Franz (2006), as its makers give them."""
_WEB_PRIOR = 2e6
"""Occurrences by which counts are smoothed with the frequency of the second word; chosen on trial from 2e5 and 2e6."""
_WEB_RAREST = 100.0
"""The count of an unlisted word: the list ends at about a hundred times that."""


def check_installed() -> None:
    """Name the extra, before any file is read, where a package that all systems need is missing."""
    with needs("systems"):
        import lemminflect
        import wordfreq
        import wordsegment
    del lemminflect, wordfreq, wordsegment


@lru_cache(maxsize=1 << 17)
def frequency(word: str) -> float:
    """Return the share of English words that are this one (0 to 1); of a phrase, that of its words together."""
    with needs("systems"):
        from wordfreq import word_frequency
    return max(float(word_frequency(word, "en")), _RAREST_FREQUENCY)


@lru_cache(maxsize=1 << 17)
def log_frequency(word: str) -> float:
    """Return the natural logarithm of `frequency`.

    >>> log_frequency("the") > log_frequency("puzzle") > log_frequency("xyzzyq")
    True
    """
    return log(frequency(word))


def form_of(tag: str, form: str, lemma: str, pos: Pos) -> str:
    """Return the Penn tag of a form of a lemma: *tag* where it fits the part of speech, else one that gives *form*.

    >>> form_of("NNP", "Match", "match", "n"), form_of("NN", "running", "run", "v")
    ('NN', 'VBG')
    """
    plain = _PROPER.get(tag, tag)
    if plain in _FORMS[pos]:
        return plain
    return next((tag for tag in _FORMS[pos] if form.lower() in _inflections(lemma, tag)), _FORMS[pos][0])


@lru_cache(maxsize=1 << 17)
def inflected(phrase: str, tag: str) -> str:
    """Return a lemma in the form that a Penn tag names: the first word of a verb phrase changes, else the last.

    >>> inflected("give up", "VBD"), inflected("car park", "NNS"), inflected("intelligent", "JJS")
    ('gave up', 'car parks', 'most intelligent')
    """
    if tag in _BASE:
        return phrase
    words = phrase.split(" ")
    if tag[:2] in ("JJ", "RB"):
        forms = _inflections(phrase, tag) if len(words) == 1 else ()
        return forms[0] if forms else f"{_DEGREES[tag[-1]]} {phrase}"
    place = 0 if tag.startswith("V") else -1
    words[place] = next(iter(_inflections(words[place], tag, guess=True)), words[place])
    return " ".join(words)


@lru_cache(maxsize=1 << 17)
def _inflections(word: str, tag: str, *, guess: bool = False) -> tuple[str, ...]:
    """Return the forms that the inflection table lists; with *guess* by rules where it lists none."""
    with needs("systems"):
        from lemminflect import getInflection
    forms: tuple[str, ...] = getInflection(word, tag, inflect_oov=guess)
    return forms


def web_information(first: str, second: str) -> float:
    """Return ln p(second | first) / p(second) on the web: above 0 where *first* makes *second* more probable.

    The counts are Google's (Brants and Franz 2006), as the package `wordsegment` contains them. They know pairs of
    words that a small trigram model has never seen.

    >>> web_information("heavy", "rain") > web_information("strong", "rain")
    True
    """
    words, pairs = _web_counts()
    chance = max(words.get(second, 0.0), _WEB_RAREST) / _WEB_WORDS
    together = pairs.get(f"{first} {second}", 0.0) + _WEB_PRIOR * chance
    return log(together / ((words.get(first, 0.0) + _WEB_PRIOR) * chance))


@cache
def _web_counts() -> tuple[dict[str, float], dict[str, float]]:
    with needs("systems"):
        import wordsegment
    wordsegment.load()
    return wordsegment.UNIGRAMS, wordsegment.BIGRAMS
