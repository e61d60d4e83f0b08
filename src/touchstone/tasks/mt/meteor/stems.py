"""Snowball's English stems (Porter2) as they were when METEOR 1.5 was built.

Source: the description of the algorithm at snowballstem.org, without what later releases added (the endings of
``-ologist``, the exceptions for ``inter-``, ``organ-``, ``univers-`` and the like). Releases change stems, and a score
must not change with the version of a library.
"""

import re
from collections.abc import Callable, Sequence

_VOWELS = "aeiouy"
_EXCEPTIONS = {
    "skis": "ski",
    "skies": "sky",
    "dying": "die",
    "lying": "lie",
    "tying": "tie",
    "idly": "idl",
    "gently": "gentl",
    "ugly": "ugli",
    "early": "earli",
    "only": "onli",
    "singly": "singl",
    **{word: word for word in ("sky", "news", "howe", "atlas", "cosmos", "bias", "andes")},
}
_INVARIANT = frozenset(("inning", "outing", "canning", "herring", "earring", "proceed", "exceed", "succeed"))
"""Words that stay as they are once a plural ending is gone."""

_REGION = re.compile(f"[{_VOWELS}][^{_VOWELS}]")
_LONG_START = re.compile("gener|commun|arsen")
_SHORT_END = re.compile(f"(?:[^{_VOWELS}][{_VOWELS}][^{_VOWELS}wxY]|^[{_VOWELS}][^{_VOWELS}])$")
_VOWEL = re.compile(f"[{_VOWELS}]")
_DOUBLE = re.compile(r"(?:bb|dd|ff|gg|mm|nn|pp|rr|tt)$")

Endings = Sequence[tuple[str, str]]


def _longest_first(endings: str) -> Endings:
    """Return endings and what replaces them, from a list like ``enci:ence izer:ize``."""
    pairs = (ending.split(":") for ending in endings.split())
    return sorted(((old, new) for old, new in pairs), key=lambda pair: -len(pair[0]))


_SECOND = _longest_first(
    "tional:tion enci:ence anci:ance abli:able entli:ent izer:ize ization:ize ational:ate ation:ate ator:ate alism:al "
    "aliti:al alli:al fulness:ful ousli:ous ousness:ous iveness:ive iviti:ive biliti:ble bli:ble ogi:og fulli:ful "
    "lessli:less li:"
)
_THIRD = _longest_first("tional:tion ational:ate alize:al icate:ic iciti:ic ical:ic ful: ness: ative:")
_FOURTH = _longest_first(
    "al: ance: ence: er: ic: able: ible: ant: ement: ment: ent: ism: ate: iti: ous: ive: ize: ion:"
)


def stem(word: str) -> str:
    """Return the stem of a word in lower case.

    >>> [stem(word) for word in ("generously", "dying", "psychologists", "international", "added", "news")]
    ['generous', 'die', 'psychologist', 'intern', 'ad', 'news']
    """
    if word in _EXCEPTIONS or len(word) < 3:
        return _EXCEPTIONS.get(word, word)
    word = _marked(word.removeprefix("'"))
    start = _LONG_START.match(word)
    first = start.end() if start else _region(word, 0)
    second = _region(word, first)
    word = _without_plural(_without_possessive(word))
    if word in _INVARIANT:
        return word
    word = _with_i(_without_tense(word, first))
    word = _replaced(word, _SECOND, lambda old, base: len(base) >= first and _second_fits(old, base))
    word = _replaced(word, _THIRD, lambda old, base: len(base) >= (second if old == "ative" else first))
    word = _replaced(word, _FOURTH, lambda old, base: len(base) >= second and (old != "ion" or base[-1:] in ("s", "t")))
    return _fifth(word, first, second).lower()


def _marked(word: str) -> str:
    """Return the word with each y that is a consonant as Y: at its start and after a vowel."""
    for i in range(len(word)):
        if word[i] == "y" and (i == 0 or word[i - 1] in _VOWELS):
            word = f"{word[:i]}Y{word[i + 1 :]}"
    return word


def _region(word: str, start: int) -> int:
    """Return where the part of a word after its first consonant after a vowel begins, looking from *start*."""
    match = _REGION.search(word, start)
    return match.end() if match else len(word)


def _without_possessive(word: str) -> str:
    return next((word.removesuffix(ending) for ending in ("'s'", "'s", "'") if word.endswith(ending)), word)


def _without_plural(word: str) -> str:
    if word.endswith("sses"):
        return word[:-2]
    if word.endswith(("ied", "ies")):
        return word[:-2] if len(word) > 4 else word[:-1]
    if word.endswith("s") and not word.endswith(("us", "ss")) and _VOWEL.search(word[:-2]):
        return word[:-1]
    return word


def _without_tense(word: str, first: int) -> str:
    for ending in ("eedly", "eed"):
        if word.endswith(ending):
            return word.removesuffix(ending) + "ee" if len(word) - len(ending) >= first else word
    for ending in ("ingly", "edly", "ing", "ed"):
        if word.endswith(ending):
            base = word.removesuffix(ending)
            return _repaired(base, first) if _VOWEL.search(base) else word
    return word


def _repaired(word: str, first: int) -> str:
    """Return a word that lost ``-ed`` or ``-ing`` with the e that went with it, or without a doubled consonant."""
    if word.endswith(("at", "bl", "iz")):
        return word + "e"
    if _DOUBLE.search(word):
        return word[:-1]
    return word + "e" if first >= len(word) and _SHORT_END.search(word) else word


def _with_i(word: str) -> str:
    return word[:-1] + "i" if len(word) > 2 and word[-1] in "yY" and word[-2] not in _VOWELS else word


def _replaced(word: str, endings: Endings, allowed: Callable[[str, str], bool]) -> str:
    """Return the word with its longest ending replaced, if that is *allowed* for the ending and what is before it."""
    for old, new in endings:
        if word.endswith(old):
            base = word.removesuffix(old)
            return base + new if allowed(old, base) else word
    return word


def _second_fits(old: str, base: str) -> bool:
    return base.endswith("l") if old == "ogi" else old != "li" or base.endswith(tuple("cdeghkmnrt"))


def _fifth(word: str, first: int, second: int) -> str:
    base = word[:-1]
    if word.endswith("e") and (len(base) >= second or (len(base) >= first and not _SHORT_END.search(base))):
        return base
    return base if word.endswith("ll") and len(base) >= second else word
