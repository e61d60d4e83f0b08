"""Candidates in the form of the word they stand for: *game* for *match*, so *games* for *matches*."""

from functools import lru_cache

import lemminflect

from touchstone.lexicon.relation import Pos

_FORMS: dict[Pos, tuple[str, ...]] = {
    "n": ("NN", "NNS"),
    "v": ("VB", "VBZ", "VBG", "VBD", "VBN", "VBP"),
    "a": ("JJ", "JJR", "JJS"),
    "r": ("RB", "RBR", "RBS"),
}
_PROPER = {"NNP": "NN", "NNPS": "NNS"}
_BASE = frozenset(("NN", "VB", "VBP", "JJ", "RB"))
_DEGREES = {"R": "more", "S": "most"}


def form_of(tag: str, form: str, lemma: str, pos: Pos) -> str:
    """Return the Penn tag of a form of *lemma*: *tag* where it fits the part of speech, else one that gives the form.

    >>> form_of("NNP", "Match", "match", "n"), form_of("NN", "running", "run", "v")
    ('NN', 'VBG')
    """
    plain = _PROPER.get(tag, tag)
    if plain in _FORMS[pos]:
        return plain
    wanted = form.lower()
    return next((one for one in _FORMS[pos] if wanted in _inflections(lemma, one)), _FORMS[pos][0])


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
    words[place] = next(iter(lemminflect.getInflection(words[place], tag)), words[place])
    return " ".join(words)


@lru_cache(maxsize=1 << 17)
def _inflections(word: str, tag: str) -> tuple[str, ...]:
    """Return the forms that the inflection table lists."""
    found: tuple[str, ...] = lemminflect.getInflection(word, tag, inflect_oov=False)
    return found
