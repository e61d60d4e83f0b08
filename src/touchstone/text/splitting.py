"""Sentences in a text: by marks, what stands around them, and a list of abbreviations.

A mark ends a sentence unless the word before it is an abbreviation or the number of a list, or the text goes on after a
quotation. Closing quotes and brackets, references such as [12] and smileys belong to the sentence before them.
"""

import re

_CLOSERS = "\"'”’)\\]"
_OPENERS = "\"'“‘(\\["
_END = re.compile(
    # Marks, and what still belongs to the sentence: quotes and brackets, references, a smiley.
    rf"(?<![.!?…])[.!?…]++[{_CLOSERS}]*+(?:\s?\[\d+\])*+(?:\s*[:;=]-?[)(DP](?!\w))?"
    rf"(?=\s+(?P<next>[{_OPENERS}*•\-]*\s?\S+))|\n\s*\n"
)
_WORD_BEFORE = re.compile(r"(\S+)$")
_LIST_NUMBER = re.compile(r"\W{0,4}(?:\d{1,2}|[A-Za-z])\.$")
"""The number of an item in a list, where nothing else comes before it."""

_TITLES = frozenset(
    f"{word}."
    for word in (
        *("mr", "mrs", "ms", "dr", "prof", "sen", "rep", "gov", "gen", "col", "lt", "sgt", "capt", "adm", "maj"),
        *("hon", "rev", "st", "mt", "ft", "messrs", "no", "nos", "vs", "v", "fig", "figs", "sec", "ch", "pp", "p"),
        *("vol", "ed", "eds", "cf", "e.g", "i.e", "al", "approx", "est", "jan", "feb", "mar", "apr", "jun", "jul"),
        *("aug", "sep", "sept", "oct", "nov", "dec", "mon", "tue", "tues", "wed", "thur", "thurs", "fri", "attn"),
        *("ext", "ph", "mob", "tel", "fax", "b", "d", "c", "ca"),
    )
)
"""Abbreviations that a name or a number follows: they end no sentence."""
_INITIALS = re.compile(r"(?:[A-Za-z]\.)+$|(?:inc|corp|co|ltd|jr|sr|etc)\.$", re.IGNORECASE)
_STARTERS = frozenset(
    (
        *("the", "it", "he", "she", "they", "we", "i", "this", "that", "these", "those", "there", "a", "an", "his"),
        *("her", "their", "our", "my", "your", "you", "but", "and", "or", "so", "if", "when", "while", "as", "at"),
        *("in", "on", "for", "from", "however", "after", "before", "although", "because", "what", "who", "how"),
        *("why", "please"),
    )
)
"""Words that seldom follow an abbreviation within a sentence, unless they are part of a name."""


def split_sentences(text: str) -> tuple[tuple[int, int], ...]:
    """Return where each sentence of *text* starts and ends, without the blanks around it.

    >>> text = "Mr. Smith left at 3 p.m. on Monday. He was U.S. citizen no. 7! Why?"
    >>> [text[start:end] for start, end in split_sentences(text)]
    ['Mr. Smith left at 3 p.m. on Monday.', 'He was U.S. citizen no. 7!', 'Why?']
    """
    bounds, start = [], 0
    for end in _END.finditer(text):
        if not end["next"] or _ends(text, start, end):
            bounds.append((start, end.end()))
            start = end.end()
    bounds.append((start, len(text)))
    return tuple(span for span in (_trimmed(text, *bound) for bound in bounds) if span[0] < span[1])


def _ends(text: str, start: int, end: re.Match[str]) -> bool:
    """Return whether the mark ends a sentence, from the word it ends and the word that follows."""
    following = end["next"].lstrip("\"'“‘([*•- ")
    mark = end[0]
    quoted = mark[-1:] in "\"'”’" and len(mark) > 1
    # A quotation or an ellipsis before a small letter is inside a sentence.
    if following[:1].islower() and (quoted or mark.startswith(("..", "…"))):
        return False
    # All other marks end one; only a single full stop may belong to an abbreviation.
    if not mark.startswith(".") or mark.startswith(".."):
        return True
    before = _WORD_BEFORE.search(text, max(start, end.start() - 40), end.start() + 1)
    word = before[1].lstrip("\"'“‘([") if before else "."
    if word.lower() in _TITLES or _LIST_NUMBER.match(text[start : min(start + 8, end.start() + 1)]):
        return False
    if _INITIALS.match(word):
        return following[:1].isupper() and re.split(r"\W", following.lower(), maxsplit=1)[0] in _STARTERS
    return True


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    piece = text[start:end]
    return start + len(piece) - len(piece.lstrip()), end - (len(piece) - len(piece.rstrip()))
