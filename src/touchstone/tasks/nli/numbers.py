"""Numbers in words and figures: seven, 7, twenty-one, 7th, three hundred and fifth."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from types import MappingProxyType

_ONES = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_TEENS = ("thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen")
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_SCALES = MappingProxyType({"hundred": 100, "thousand": 1_000, "million": 1_000_000, "billion": 1_000_000_000})
_IRREGULAR = {
    "one": "first",
    "two": "second",
    "three": "third",
    "five": "fifth",
    "eight": "eighth",
    "nine": "ninth",
    "twelve": "twelfth",
}
_CARDINALS = {word: value for value, word in enumerate((*_ONES, *_TEENS))} | {
    word: value for value, word in zip(range(20, 100, 10), _TENS, strict=True)
}
_BETWEEN = frozenset(("-", "and", ","))
_FIGURES = re.compile(r"([0-9]{1,15})(st|nd|rd|th)?")


def _ordinal(word: str) -> str:
    return _IRREGULAR.get(word) or (word[:-1] + "ieth" if word.endswith("ty") else word + "th")


_ORDINALS = {_ordinal(word): word for word in (*_CARDINALS, *_SCALES)}


@dataclass(frozen=True)
class Number:
    """A value, and whether it counts (seven) or ranks (seventh)."""

    value: int
    ordinal: bool


def parse_number(tokens: Sequence[str]) -> Number | None:
    """Return the number that lower-case *tokens* write, None if they write none.

    >>> parse_number(["twenty", "-", "first"]), parse_number(["7th"])
    (Number(value=21, ordinal=True), Number(value=7, ordinal=True))
    >>> parse_number(["two", "hundred", "and", "five"]), parse_number(["five", "dogs"])
    (Number(value=205, ordinal=False), None)
    """
    words = [token for token in tokens if token not in _BETWEEN]
    if not words:
        return None
    *heads, last = words
    figures = _FIGURES.fullmatch(last)
    ordinal = last in _ORDINALS or bool(figures and figures[2])
    cardinal = _ORDINALS.get(last) or (figures[1] if figures else last)
    value = _value([*heads, cardinal])
    return None if value is None else Number(value, ordinal)


def number_word(value: int, *, ordinal: bool = False) -> str:
    """Return a whole number below a hundred in words.

    >>> number_word(7), number_word(30, ordinal=True), number_word(82, ordinal=True)
    ('seven', 'thirtieth', 'eighty-second')
    """
    if value > 20 and value % 10:
        return f"{number_word(value // 10 * 10)}-{number_word(value % 10, ordinal=ordinal)}"
    word = (*_ONES, *_TEENS)[value] if value < 20 else _TENS[value // 10 - 2]
    return _ordinal(word) if ordinal else word


def _value(words: Sequence[str]) -> int | None:
    """Return the value of cardinal words: parts add up, a scale multiplies what is before it."""
    total = part = 0
    for word in words:
        if word in _SCALES:
            part = max(part, 1) * _SCALES[word]
            if _SCALES[word] >= 1_000:
                total, part = total + part, 0
        elif word in _CARDINALS:
            part += _CARDINALS[word]
        elif re.fullmatch("[0-9]{1,15}", word):
            part += int(word)
        else:
            return None
    return total + part
