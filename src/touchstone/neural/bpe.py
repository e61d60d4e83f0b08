"""Byte-level byte-pair encoding, as GPT-2 and its followers cut text into the pieces that a network knows."""

from collections.abc import Iterable, Sequence
from functools import cache
from itertools import pairwise

import regex

_DIGIT = regex.compile(r"\p{N}")
_WORD = regex.compile(r"'(?:s|t|re|ve|m|ll|d)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+")


class BytePairs:
    """Cuts texts into pieces: words by a pattern, each digit alone, then the learnt merges in their order.

    >>> pairs = BytePairs(["a", "b", "ab", "Ġ", "Ġab"], [("a", "b"), ("Ġ", "ab")])
    >>> pairs.encode("ab ab")
    [2, 4]
    """

    def __init__(self, pieces: Sequence[str], merges: Iterable[tuple[str, str]]) -> None:
        self._numbers = {piece: number for number, piece in enumerate(pieces)}
        self._ranks = {pair: rank for rank, pair in enumerate(merges)}
        self._known: dict[str, list[int]] = {}

    def encode(self, text: str) -> list[int]:
        """Return the numbers of the pieces of *text*; bytes that no piece covers are left out."""
        return [number for word in _words(text) for number in self._encoded(word)]

    def _encoded(self, word: str) -> list[int]:
        found = self._known.get(word)
        if found is None:
            pieces = self._merged([_visible()[byte] for byte in word.encode()])
            found = [self._numbers[piece] for piece in pieces if piece in self._numbers]
            self._known[word] = found
        return found

    def _merged(self, pieces: list[str]) -> list[str]:
        """Join the pair of the lowest rank again and again, every time it occurs."""
        while len(pieces) > 1:
            pairs = list(pairwise(pieces))
            best = min(pairs, key=lambda pair: self._ranks.get(pair, len(self._ranks)))
            if best not in self._ranks:
                break
            pieces = _joined(pieces, best)
        return pieces


def _joined(pieces: list[str], pair: tuple[str, str]) -> list[str]:
    out: list[str] = []
    place = 0
    while place < len(pieces):
        both = tuple(pieces[place : place + 2]) == pair
        out.append(pair[0] + pair[1] if both else pieces[place])
        place += 2 if both else 1
    return out


def _words(text: str) -> list[str]:
    """Return the words that are encoded apart; a digit stands alone, as the SmolLM models have it."""
    spans, end = [], 0
    for digit in _DIGIT.finditer(text):
        spans += [text[end : digit.start()], digit[0]]
        end = digit.end()
    spans.append(text[end:])
    return [word for span in spans for word in _WORD.findall(span)]


@cache
def _visible() -> dict[int, str]:
    """Return a printable character for every byte, as GPT-2 writes bytes in its vocabulary."""
    plain = [*range(ord("!"), ord("~") + 1), *range(ord("¡"), ord("¬") + 1), *range(ord("®"), ord("ÿ") + 1)]
    shifted = [byte for byte in range(256) if byte not in plain]
    return {byte: chr(byte) for byte in plain} | {byte: chr(256 + place) for place, byte in enumerate(shifted)}
