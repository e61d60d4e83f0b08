"""Sentences in a text: good enough for news, by marks, capitals and a list of abbreviations."""

import re

_END = re.compile(r"""[.!?…]+["'”’)\]]*(?=\s+(?P<next>["'“‘(\[]*\S))|\n\s*\n""")
_WORD_BEFORE = re.compile(r"(\S+)$")

_TITLES = frozenset(
    f"{word}."
    for word in (
        *("mr", "mrs", "ms", "dr", "prof", "sen", "rep", "gov", "gen", "col", "lt", "sgt", "capt", "adm", "maj"),
        *("hon", "rev", "st", "mt", "ft", "messrs", "no", "nos", "vs", "v", "fig", "figs", "sec", "ch", "pp", "p"),
        *("vol", "ed", "eds", "cf", "e.g", "i.e", "al", "approx", "est", "jan", "feb", "mar", "apr", "jun", "jul"),
        *("aug", "sep", "sept", "oct", "nov", "dec"),
    )
)
"""Abbreviations that a name or a number follows: they end no sentence."""
_INITIAL = re.compile(r"(?:[A-Z]\.)+$")


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
    """Return whether the mark ends a sentence, from the word it ends and the letter that follows."""
    following = end["next"].lstrip("\"'“‘([")[:1]
    if following.islower():
        return False
    if not end[0].startswith(".") or end[0].startswith(".."):
        return True
    before = _WORD_BEFORE.search(text, max(start, end.start() - 40), end.start() + 1)
    word = before[1].lstrip("\"'“‘([") if before else "."
    return word.lower() not in _TITLES and not (_INITIAL.match(word) and following.isupper())


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    piece = text[start:end]
    return start + len(piece) - len(piece.lstrip()), end - (len(piece) - len(piece.rstrip()))
