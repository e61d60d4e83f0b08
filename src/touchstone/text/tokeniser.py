"""The Penn Treebank's tokens, each with its place in the text.

Source: the conventions of the treebank (Marcus, Santorini and Marcinkiewicz 1993; its tokeniser script). Marks stand
apart, except a comma or colon before a digit; only the full stop that ends the text is a token of its own; clitics
('s, 'll, n't) and a few fused words (cannot, gonna) are cut; double quotes become `` or ''.
"""

import re
from collections.abc import Callable, Iterator
from functools import partial
from itertools import pairwise
from typing import NamedTuple, TypeVar

from touchstone.text.sentence import Tokens

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

_LONGEST_KEPT = 64
"""Letters of a chunk whose tokens are kept; longer ones hardly come back."""
_MOST_KEPT = 1 << 17
"""Chunks kept before all are dropped: some tens of megabytes."""

Value = TypeVar("Value")


class Piece(NamedTuple):
    """A token within a chunk between blanks."""

    form: str
    start: int
    end: int


class _Kept(dict[str, Value]):
    """Values by chunk, computed when they are first asked for; a plain dictionary look-up afterwards."""

    def __init__(self, compute: Callable[[str], Value]) -> None:
        self._compute = compute

    def __missing__(self, chunk: str) -> Value:
        value = self._compute(chunk)
        if len(chunk) <= _LONGEST_KEPT:
            if len(self) >= _MOST_KEPT:
                self.clear()
            self[chunk] = value
        return value


class Tokeniser:
    r"""Cuts texts into tokens and keeps those of the chunks it has seen; threads may share one.

    >>> Tokeniser().tokenise("He said, \"I can't.\"").forms
    ('He', 'said', ',', '``', 'I', 'ca', "n't", '.', "''")
    """

    def __init__(self) -> None:
        self._pieces = _Kept(partial(_cut, apart=_INSIDE))
        self._inside = _Kept(partial(_forms, apart=_INSIDE))
        self._at_end = _Kept(partial(_forms, apart=_AT_END))

    def tokenise(self, text: str) -> Tokens:
        """Return the tokens of *text*; ``text[start:end]`` is the text under each."""
        forms: list[str] = []
        starts: list[int] = []
        ends: list[int] = []
        chunks = list(_CHUNK.finditer(text))
        for place, chunk in enumerate(chunks, 1):
            base = chunk.start()
            for form, start, end in self._pieces[chunk[0]] if place < len(chunks) else _cut(chunk[0], _AT_END):
                forms.append(form)
                starts.append(base + start)
                ends.append(base + end)
        return Tokens(text, tuple(forms), tuple(starts), tuple(ends))

    def forms(self, text: str) -> list[str]:
        """Return the forms of the tokens of *text* without their places, which is faster.

        >>> Tokeniser().forms("The dog's 1,000 toys.")
        ['The', 'dog', "'s", '1,000', 'toys', '.']
        """
        forms: list[str] = []
        chunks = text.split()
        for chunk in chunks[:-1]:
            forms += self._inside[chunk]
        for chunk in chunks[-1:]:
            forms += self._at_end[chunk]
        return forms


def _forms(chunk: str, apart: re.Pattern[str]) -> tuple[str, ...]:
    if chunk.isalnum() and not _FUSED.search(chunk):
        return (chunk,)
    return tuple(piece.form for piece in _cut(chunk, apart))


def _cut(chunk: str, apart: re.Pattern[str]) -> list[Piece]:
    """Return the tokens of a chunk; *apart* matches the marks that are tokens of their own."""
    chunk = _CURLY.sub("'", chunk)
    pieces: list[Piece] = []
    place = 0
    for mark in apart.finditer(chunk):
        pieces += _words(chunk, place, mark.start())
        pieces.append(Piece(_mark(chunk, mark), mark.start(), mark.end()))
        place = mark.end()
    return [*pieces, *_words(chunk, place, len(chunk))]


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
    for begin, stop in pairwise(sorted(cuts)):
        yield Piece(chunk[begin:stop], begin, stop)


def _before_clitic(chunk: str, start: int, end: int, clitics: tuple[str, ...]) -> int:
    """Return where the clitic of a stretch begins, *end* where it has none; there must be a word before it."""
    for clitic in clitics:
        place = end - len(clitic)
        if place > start and chunk.endswith(clitic, start, end) and chunk[place - 1] != "'":
            return place
    return end
