"""Which indefinite article a word takes, by its sound: an hour, a university, an SUV, an 8-year-old."""

import re
import unicodedata

_FIRST = re.compile(r"[^\W_]+")
_NUMBER = re.compile(r"\d[\d,]*")
_VOWELS = frozenset("aeiou")
_VOWEL_LETTERS = frozenset("AEFHILMNORSX")
"""Letters whose names start with a vowel."""
_SILENT_H = ("hour", "honest", "honor", "honour", "heir", "herbal", "herbs")
_LIKE_YOU = (
    *("eu", "ewe", "uni", "unani", "use", "usi", "usu", "usa", "uti", "ute", "uto", "ura", "uri", "uro", "uru", "uku"),
    *("ukr", "ubi", "uga", "uvu"),
)
"""How words start that are spelt with a vowel and spoken with the consonant of "you"."""
_UN = ("unin", "unim", "unident", "unideal")
"""Words with the prefix un- that look like these."""
_LIKE_WON = frozenset(("one", "ones", "oneself", "once", "ouija"))
_ACRONYMS = frozenset(
    (
        *("AIDS", "DARPA", "FIFA", "HUD", "JPEG", "LAN", "LEGO", "MIDI", "NASA", "NATO", "OPEC", "OSHA", "PETA", "PIN"),
        *("RAM", "RIM", "ROM", "SARS", "SIM", "SWAT", "WASP", "YOLO"),
    )
)
"""Initialisms that are read as words."""
_LONGEST_INITIALISM = 4
"""Letters; longer words in capitals are words."""
_EIGHTEEN = ("11", "18")
_YEAR = 4
"""Digits of a year, which is read as two numbers: an 1850s house."""


def article(text: str) -> str:
    """Return the indefinite article in front of *text*.

    >>> [article(text) for text in ("hour", "university", "SUV", "NASA", "8-year-old", "one-way street", "X-ray")]
    ['an', 'a', 'an', 'a', 'an', 'a', 'an']
    """
    first_match = _FIRST.search(unicodedata.normalize("NFKC", text))
    if first_match is None:
        return "a"
    word = first_match.group()
    if word[0].isdigit():
        return _before_number(text[first_match.start() :])
    if word.isupper() and len(word) <= _LONGEST_INITIALISM and word not in _ACRONYMS:
        return "an" if word[0] in _VOWEL_LETTERS else "a"
    return "an" if _starts_with_vowel(unicodedata.normalize("NFD", word).lower()) else "a"


def _starts_with_vowel(word: str) -> bool:
    if word.startswith(_SILENT_H) or word == "herb":
        return True
    if word in _LIKE_WON or (word.startswith(_LIKE_YOU) and not word.startswith(_UN)):
        return False
    return word[0] in _VOWELS


def _before_number(text: str) -> str:
    """Return the article of a number: eight, eleven and eighteen start with a vowel."""
    number = _NUMBER.match(text)
    digits = number.group().rstrip(",") if number else ""
    digits_only = digits.replace(",", "")
    # Eleven and eighteen by themselves or before thousands: 11,000, but not 110 or 1,100.
    teen = digits_only.startswith(_EIGHTEEN) and (
        len(digits_only) % 3 == 2 or (len(digits_only) == _YEAR and "," not in digits)
    )
    return "an" if digits_only.startswith("8") or teen else "a"
