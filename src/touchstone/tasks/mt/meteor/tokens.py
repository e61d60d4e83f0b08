"""METEOR's tokens: punctuation split off and kept, quotes and dashes made alike, words in lower case.

The rules are those that METEOR 1.5 applies to English (its option ``-norm``). Each is one pass over the line from left
to right: what one match has taken, the next cannot look at, and scores agree with METEOR's only if this is kept.
"""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import chain
from string import ascii_uppercase

LETTERS = "A-Za-zŸÀ-ÖØ-öø-žЀ-ԧꙀ-ꙮ꙾-ꚗᴀ-ᵿ"
"""Latin letters to U+017E, and Cyrillic: no other letter is part of a word."""

_RULES = tuple(
    (re.compile(pattern), replacement)
    for pattern, replacement in (
        (rf"[^0-9{LETTERS} \t\n\v\f\r.'`,\-‘’]", r" \g<0> "),
        (r"\.{2,}", r" \g<0> "),
        (r"([^0-9]),([^0-9])", r"\1 , \2"),
        (r"([0-9]),([^0-9])", r"\1 , \2"),
        (r"([^0-9]),([0-9])", r"\1 , \2"),
        (r"[`‘’]", "'"),
        (r"[“”]|''", ' " '),
        ("–|--", "-"),
        (rf"([0-9{LETTERS}.])-([0-9{LETTERS}])", r"\1 \2"),
        (rf"([^{LETTERS}])'([^{LETTERS}])", r"\1 ' \2"),
        (rf"([^0-9{LETTERS}])'([{LETTERS}])", r"\1 ' \2"),
        (rf"([{LETTERS}])'([^{LETTERS}])", r"\1 ' \2"),
        (rf"([{LETTERS}])'([{LETTERS}])", r"\1 '\2"),
        (r"([0-9])'(s)", r"\1 '\2"),
    )
)
_ORDINARY = re.compile(r"[0-9A-Za-z]+")
_LETTER = re.compile(f"[{LETTERS}]")
_ENDS = re.compile(r"[ \t\n\r\f]+")
_MEETING = re.compile(r"[`‘’',][ \t\n\v\f\r]+[`‘’',]")
_SPACES = re.compile(r"[\u00a0\u2000-\u200a\u202f\u205f\u3000]")
"""Spaces that the rules take for tokens; U+200B is none of them and stays a token."""

_TITLES = """
Adj Adm Adv Asst Bart Bldg Brig Bros Capt Cmdr Col Comdr Con Corp Cpl DR Dr Drs Ens Gen Gov Hon Hosp Hr Insp Lt MM MR
MRS MS Maj Messrs Mlle Mme Mr Mrs Ms Msgr Nos Nr Op Ord Pfc Ph Prof Pvt Rep Reps Res Rev Rt Sen Sens Sfc Sgt Sr St Supt
Surg e.g i.e rev v vs
"""
_ABBREVIATIONS = frozenset((*ascii_uppercase, *_TITLES.split()))
"""What keeps its dot before any word: initials and titles, as Moses's tokeniser of 2011 lists them for English."""

_BEFORE_NUMBERS = frozenset(("No", "Art", "pp"))
"""What keeps its dot before a number."""

LOWER, DIGIT, OTHER = range(3)
"""What the next word begins with: a dot that ends a word depends on it."""


Piece = tuple[int, tuple[tuple[str, ...], ...]]
"""What a piece of text begins with, and its tokens before a word that begins with each of these."""


def tokens(text: str) -> list[str]:
    """Return the tokens of a text.

    The rules look at one character on each side, so each piece between blanks is split on its own, and pieces are
    remembered. There are two exceptions: the dot at the end of a piece depends on the next word, and a line with
    commas or apostrophes on both sides of a blank is split as a whole.

    >>> tokens("Mr. Black's U.S.-based shop isn't open, “Sorry...”")
    ['mr.', 'black', "'s", 'us', 'based', 'shop', 'isn', "'t", 'open', ',', '"', 'sorry', '...', '"']
    """
    if _MEETING.search(text):
        return split_line(text)
    text_tokens: list[str] = []
    before: tuple[tuple[str, ...], ...] = ((), (), ())
    for piece in text.split(" "):
        if piece:
            start, split = _piece(piece)
            text_tokens += before[start]
            before = split
    text_tokens += before[OTHER]
    return text_tokens


def split_line(text: str) -> list[str]:
    """Return the tokens of a text, without splitting it into pieces first.

    >>> split_line("no. 5 is no. No?") == tokens("no. 5 is no. No?")
    True
    """
    return _tokens(_words(text), OTHER)


@lru_cache(1 << 17)
def _piece(piece: str) -> Piece:
    words = _words(piece)
    split = tuple(tuple(_tokens(words, last)) for last in (LOWER, DIGIT, OTHER))
    return (_start(words[0]) if words else OTHER), split


def _words(text: str) -> list[str]:
    """Return the words of a text, with the dots that end them."""
    if _ORDINARY.fullmatch(text):
        return [text]
    text = f" {text} "
    for rule, replacement in _RULES:
        text = rule.sub(replacement, text)
    return [word for word in _ENDS.split(text) if word]


def _tokens(words: Sequence[str], last: int) -> list[str]:
    """Return the tokens of words before one of the kind *last*."""
    following = chain(map(_start, words[1:]), (last,))
    return [token for word, after in zip(words, following, strict=False) for token in _finished(word, after)]


def _start(word: str) -> int:
    first = word[:1]
    return LOWER if "a" <= first <= "z" else DIGIT if "0" <= first <= "9" else OTHER


def _finished(word: str, following: int) -> Iterator[str]:
    """Yield a word in lower case, with or without the dot that ends it, or the dot as a token of its own."""
    if word.endswith(".") and word.strip("."):
        stem = word[:-1]
        if "." in stem and _LETTER.search(stem):
            word = word.replace(".", "")
        elif stem not in _ABBREVIATIONS and following != LOWER and (stem not in _BEFORE_NUMBERS or following != DIGIT):
            yield stem.lower()
            word = "."
    if not _SPACES.fullmatch(word):
        yield word.lower()
