"""English words in isolation: how common they are, and which tag names the form of one."""

from functools import cache, lru_cache
from math import log

from touchstone.lexicon.relation import Pos
from touchstone.text import english
from touchstone.text.inflection import inflected

_FORMS: dict[Pos, tuple[str, ...]] = {
    "n": ("NN", "NNS"),
    "v": ("VB", "VBZ", "VBG", "VBD", "VBN", "VBP"),
    "a": ("JJ", "JJR", "JJS"),
    "r": ("RB", "RBR", "RBS"),
}
_PROPER = {"NNP": "NN", "NNPS": "NNS"}

_ZIPF_SHARE, _ZIPF_SHIFT = 0.1, 2.7
"""The share of English of the word of rank r (from 1) is about 0.1 / (r + 2.7) (Mandelbrot 1953)."""
_RAREST_FREQUENCY = 1e-7
"""The frequency of a word that is not among the common ones: below the rarest of them."""


@lru_cache(maxsize=1 << 17)
def frequency(word: str) -> float:
    """Return about which share of English words are this one (0 to 1), from its rank among the common words."""
    rank = _ranks().get(word.lower())
    return _RAREST_FREQUENCY if rank is None else _ZIPF_SHARE / (rank + 1 + _ZIPF_SHIFT)


@lru_cache(maxsize=1 << 17)
def log_frequency(word: str) -> float:
    """Return the natural logarithm of `frequency`.

    >>> log_frequency("the") > log_frequency("puzzle") > log_frequency("xyzzyq")
    True
    """
    return log(frequency(word))


@cache
def _ranks() -> dict[str, int]:
    return {word: rank for rank, word in enumerate(english().common_words)}


def form_of(tag: str, form: str, lemma: str, pos: Pos) -> str:
    """Return the Penn tag of a form of a lemma: *tag* where it fits the part of speech, else one that gives *form*.

    >>> form_of("NNP", "Match", "match", "n"), form_of("NN", "running", "run", "v")
    ('NN', 'VBG')
    """
    common_tag = _PROPER.get(tag, tag)
    if common_tag in _FORMS[pos]:
        return common_tag
    return next((tag for tag in _FORMS[pos] if form.lower() == inflected(lemma, tag)), _FORMS[pos][0])
