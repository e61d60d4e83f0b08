"""WordPiece: how BERT and its kin cut lower-cased text into the pieces that a network knows."""

import unicodedata
from collections.abc import Sequence

import regex

_BASIC = regex.compile(r"[\p{P}$+<=>^`|~]|[^\s\p{P}$+<=>^`|~]+")
_LONGEST = 100
"""Characters of a word that is still cut into pieces; a longer one is unknown, as in the original."""


class WordPieces:
    """Cuts texts into pieces, the longest known piece first, with the place of each in the text.

    >>> pieces = WordPieces(["[UNK]", "[CLS]", "[SEP]", "play", "##ing", "!"])
    >>> pieces.encode("Playing!")
    ([3, 4, 5], [0, 4, 7])
    """

    def __init__(self, pieces: Sequence[str]) -> None:
        self._numbers = {piece: number for number, piece in enumerate(pieces)}
        self.unknown, self.first, self.last = (self._numbers[name] for name in ("[UNK]", "[CLS]", "[SEP]"))
        self._known: dict[str, list[tuple[int, int]]] = {}

    def encode(self, text: str) -> tuple[list[int], list[int]]:
        """Return the numbers of the pieces of *text* and where each starts in it."""
        numbers, starts = [], []
        for word in _BASIC.finditer(text):
            for number, offset in self._encoded(word[0]):
                numbers.append(number)
                starts.append(word.start() + offset)
        return numbers, starts

    def _encoded(self, word: str) -> list[tuple[int, int]]:
        if word not in self._known:
            self._known[word] = self._cut(_plain(word))
        return self._known[word]

    def _cut(self, word: str) -> list[tuple[int, int]]:
        found: list[tuple[int, int]] = []
        start = 0
        while start < len(word) <= _LONGEST:
            mark = "##" if start else ""
            ends = range(len(word), start, -1)
            end = next((end for end in ends if mark + word[start:end] in self._numbers), None)
            if end is None:
                return [(self.unknown, 0)]
            found.append((self._numbers[mark + word[start:end]], start))
            start = end
        return [(self.unknown, 0)] if len(word) > _LONGEST else found


def _plain(word: str) -> str:
    """Return a word in lower case without accents and without marks that are not seen."""
    parts = unicodedata.normalize("NFD", word.lower())
    return "".join(c for c in parts if unicodedata.category(c) not in {"Mn", "Cc", "Cf"})
