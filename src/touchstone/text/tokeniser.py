"""The Penn Treebank's tokens, each with its place in the text.

Source: the conventions of the treebank (Marcus, Santorini and Marcinkiewicz 1993; its tokeniser script). Marks stand
apart, except a comma or colon before a digit; only the full stop that ends the text is a token of its own; clitics
('s, 'll, n't) and a few fused words (cannot, gonna) are cut; double quotes become `` or ''.
"""

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

_APART = r"""\.\.\.|--|``|''|["?!;@#$%&()\[\]{}<>]|[:,](?!\d)"""
_INSIDE = re.compile(_APART)
_AT_END = re.compile(_APART + r"""|(?<!\.)\.(?=[\])}>"']*$)""")
_CHUNK = re.compile(r"\S+")
_QUOTES = ('"', "''")
_OPENERS = "([{<"

_CURLY = re.compile("(?<=\\w)\u2019(?=\\w)")
"""An apostrophe as typesetters write it; between letters it can be nothing else."""

_FUSED = re.compile(
    r"\b(?:(can)not|(d)'ye|(gim)me|(gon)na|(got)ta|(lem)me|(more)'n)\b|\b(wan)na$|^('t)(?:is|was)\b", re.IGNORECASE
)
_SHORT_CLITICS = ("'s", "'S", "'m", "'M", "'d", "'D", "'")
_LONG_CLITICS = ("'ll", "'LL", "'re", "'RE", "'ve", "'VE", "n't", "N'T")

_REMEMBERED = 64
"""Letters of a chunk worth remembering; longer ones hardly come back."""
_MOST = 1 << 17
"""Chunks remembered before all are forgotten: some tens of megabytes."""


class Piece(NamedTuple):
    """A token within a chunk between blanks."""

    form: str
    start: int
    end: int


class Tokens(NamedTuple):
    """The tokens of a text and where each starts and ends in it."""

    text: str
    forms: tuple[str, ...]
    starts: tuple[int, ...]
    ends: tuple[int, ...]


class Tokeniser:
    r"""Cuts texts into tokens and remembers the chunks it has seen; threads may share one.

    >>> Tokeniser().tokenise("He said, \"I can't.\"").forms
    ('He', 'said', ',', '``', 'I', 'ca', "n't", '.', "''")
    """

    def __init__(self) -> None:
        self._seen: dict[str, tuple[Piece, ...]] = {}
        self._inside: dict[str, tuple[str, ...]] = {}
        self._at_end: dict[str, tuple[str, ...]] = {}

    def tokenise(self, text: str) -> Tokens:
        """Return the tokens of *text*; ``text[start:end]`` is what stands under each."""
        forms: list[str] = []
        starts: list[int] = []
        ends: list[int] = []
        chunks = list(_CHUNK.finditer(text))
        for chunk in chunks[:-1]:
            base = chunk.start()
            for form, start, end in self._pieces(chunk[0]):
                forms.append(form)
                starts.append(base + start)
                ends.append(base + end)
        for chunk in chunks[-1:]:
            for form, start, end in _cut(chunk[0], _AT_END):
                forms.append(form)
                starts.append(chunk.start() + start)
                ends.append(chunk.start() + end)
        return Tokens(text, tuple(forms), tuple(starts), tuple(ends))

    def forms(self, text: str) -> list[str]:
        """Return the forms of the tokens without their places, for whoever reads much text.

        >>> Tokeniser().forms("The dog's 1,000 toys.")
        ['The', 'dog', "'s", '1,000', 'toys', '.']
        """
        found: list[str] = []
        chunks = text.split()
        for chunk in chunks[:-1]:
            found += self._inside.get(chunk) or _learnt(chunk, _INSIDE, self._inside)
        for chunk in chunks[-1:]:
            found += self._at_end.get(chunk) or _learnt(chunk, _AT_END, self._at_end)
        return found

    def _pieces(self, chunk: str) -> tuple[Piece, ...]:
        found = self._seen.get(chunk)
        if found is None:
            found = tuple(_cut(chunk, _INSIDE))
            if len(chunk) <= _REMEMBERED:
                if len(self._seen) >= _MOST:
                    self._seen.clear()
                self._seen[chunk] = found
        return found


def tokenise(text: str) -> Tokens:
    """Return the tokens of one text.

    >>> tokenise("The dog's 1,000 toys cost $5.").forms
    ('The', 'dog', "'s", '1,000', 'toys', 'cost', '$', '5', '.')
    """
    return Tokeniser().tokenise(text)


def _learnt(chunk: str, apart: re.Pattern[str], known: dict[str, tuple[str, ...]]) -> tuple[str, ...]:
    """Return the forms of the tokens of a chunk, and remember them."""
    whole = chunk.isalnum() and not _FUSED.search(chunk)
    forms = (chunk,) if whole else tuple(piece.form for piece in _cut(chunk, apart))
    if len(chunk) <= _REMEMBERED:
        if len(known) >= _MOST:
            known.clear()
        known[chunk] = forms
    return forms


def _cut(chunk: str, apart: re.Pattern[str]) -> Iterator[Piece]:
    chunk = _CURLY.sub("'", chunk)
    place = 0
    for mark in apart.finditer(chunk):
        yield from _words(chunk, place, mark.start())
        yield Piece(_mark(chunk, mark), mark.start(), mark.end())
        place = mark.end()
    yield from _words(chunk, place, len(chunk))


def _mark(chunk: str, mark: re.Match[str]) -> str:
    """Return how the treebank writes a mark: a quote opens at the start of a chunk and after a bracket."""
    if mark[0] not in _QUOTES:
        return mark[0]
    opens = mark.start() == 0 or chunk[mark.start() - 1] in _OPENERS
    return "``" if opens else "''"


def _words(chunk: str, start: int, end: int) -> Iterator[Piece]:
    """Yield the words of a stretch without marks: its clitics cut from the end, then what is fused."""
    if start == end:
        return
    short = _before_clitic(chunk, start, end, _SHORT_CLITICS)
    long = _before_clitic(chunk, start, short, _LONG_CLITICS)
    cuts = {start, long, short, end}
    for fused in _FUSED.finditer(chunk[start:long]):
        cuts |= {start + fused.start(), start + fused.end(fused.lastindex or 0), start + fused.end()}
    bounds = sorted(cuts)
    for one, other in pairwise(bounds):
        yield Piece(chunk[one:other], one, other)


def _before_clitic(chunk: str, start: int, end: int, clitics: tuple[str, ...]) -> int:
    """Return where the clitic of a stretch begins, *end* where it has none; a word must stand before it."""
    for clitic in clitics:
        place = end - len(clitic)
        if place > start and chunk.endswith(clitic, start, end) and chunk[place - 1] != "'":
            return place
    return end
