"""Text cut into the pieces that a network knows, and sequences of pieces put together in batches."""

import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, lru_cache
from itertools import pairwise

import numpy as np
import regex
from numpy.typing import NDArray

_DIGIT = regex.compile(r"\p{N}")
_WORD = regex.compile(r"'(?:s|t|re|ve|m|ll|d)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+")
_IDEOGRAPHS = r"\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0002a6df\U0002a700-\U0002ceaf\U0002f800-\U0002fa1f"
_ALONE = rf"\p{{P}}$+<=>^`|~{_IDEOGRAPHS}"
"""Characters that are words of their own for BERT: punctuation, and the ideographs of Chinese and Japanese."""
_BASIC = regex.compile(rf"[{_ALONE}]|[^\s{_ALONE}]+")
_LONGEST = 100
"""Characters of a word that WordPiece cuts into pieces; a longer one is unknown, as in the original."""
_MOST_WORDS = 1 << 17
"""Words whose pieces are kept."""


_BEFORE = regex.compile(r"\s+([,.;:!?%)\]}]|n't\b|'(?:s|re|ve|ll|d|m)\b|'(?=\s|$))")
_AFTER = regex.compile(r"([(\[{$])\s+")


def prose(text: str) -> str:
    """Return a text of separated tokens as it is written in print.

    >>> prose("He did n't , it 's said ( or sung )")
    "He didn't, it's said (or sung)"
    """
    return _AFTER.sub(r"\1", _BEFORE.sub(r"\1", text))


class BytePairs:
    """Byte-level byte-pair encoding as in GPT-2: words by a pattern, each digit alone, then merges in their order.

    Parameters
    ----------
    pieces
        The vocabulary, in the order of its numbers.
    merges
        Pairs of pieces that are joined, the first first.

    Examples
    --------
    >>> pairs = BytePairs(["a", "b", "ab", "Ġ", "Ġab"], [("a", "b"), ("Ġ", "ab")])
    >>> pairs.encode("ab ab")
    [2, 4]
    """

    def __init__(self, pieces: Sequence[str], merges: Iterable[tuple[str, str]]) -> None:
        self._numbers = {piece: number for number, piece in enumerate(pieces)}
        self._ranks = {pair: rank for rank, pair in enumerate(merges)}
        self._encoded = lru_cache(maxsize=_MOST_WORDS)(self._encode_word)

    def encode(self, text: str) -> list[int]:
        """Return the numbers of the pieces of *text*; bytes that no piece covers are left out."""
        return [number for word in _words(text) for number in self._encoded(word)]

    def _encode_word(self, word: str) -> list[int]:
        pieces = self._merged([_bytes_to_unicode()[byte] for byte in word.encode()])
        return [self._numbers[piece] for piece in pieces if piece in self._numbers]

    def _merged(self, pieces: list[str]) -> list[str]:
        """Join the pair of the lowest rank again and again, every time it occurs."""
        while len(pieces) > 1:
            pairs = list(pairwise(pieces))
            best = min(pairs, key=lambda pair: self._ranks.get(pair, len(self._ranks)))
            if best not in self._ranks:
                break
            # All occurrences at once, as the merges were learnt.
            pieces = _joined(pieces, best)
        return pieces


def _joined(pieces: list[str], pair: tuple[str, str]) -> list[str]:
    out: list[str] = []
    position = 0
    while position < len(pieces):
        both = tuple(pieces[position : position + 2]) == pair
        out.append(pair[0] + pair[1] if both else pieces[position])
        position += 2 if both else 1
    return out


def _words(text: str) -> list[str]:
    """Return the words that are encoded apart; a digit is a word of its own, as in the SmolLM models."""
    spans, end = [], 0
    for digit in _DIGIT.finditer(text):
        spans += [text[end : digit.start()], digit[0]]
        end = digit.end()
    spans.append(text[end:])
    return [word for span in spans for word in _WORD.findall(span)]


@cache
def _bytes_to_unicode() -> dict[int, str]:
    """Return a printable character for every byte, as GPT-2 writes bytes in its vocabulary."""
    printable = [*range(ord("!"), ord("~") + 1), *range(ord("¡"), ord("¬") + 1), *range(ord("®"), ord("ÿ") + 1)]
    shifted = [byte for byte in range(256) if byte not in printable]
    return {byte: chr(byte) for byte in printable} | {byte: chr(256 + index) for index, byte in enumerate(shifted)}


class WordPieces:
    """WordPiece as in BERT: lower-cased words, the longest known piece first, with the place of each in the text.

    *pieces* is the vocabulary, in the order of its numbers.

    >>> pieces = WordPieces(["[UNK]", "[CLS]", "[SEP]", "play", "##ing", "!"])
    >>> pieces.encode("Playing!")
    ([3, 4, 5], [0, 4, 7])
    """

    def __init__(self, pieces: Sequence[str]) -> None:
        self._numbers = {piece: number for number, piece in enumerate(pieces)}
        self.unknown, self.first, self.last = (self._numbers[name] for name in ("[UNK]", "[CLS]", "[SEP]"))
        self._encoded = lru_cache(maxsize=_MOST_WORDS)(lambda word: self._cut(_normalised(word)))

    def encode(self, text: str) -> tuple[list[int], list[int]]:
        """Return the numbers of the pieces of *text* and where each starts in it."""
        numbers, starts = [], []
        for word in _BASIC.finditer(text):
            for number, offset in self._encoded(word[0]):
                numbers.append(number)
                starts.append(word.start() + offset)
        return numbers, starts

    def _cut(self, word: str) -> list[tuple[int, int]]:
        if len(word) > _LONGEST:
            return [(self.unknown, 0)]
        pieces: list[tuple[int, int]] = []
        start = 0
        while start < len(word):
            mark = "##" if start else ""
            ends = range(len(word), start, -1)
            end = next((end for end in ends if mark + word[start:end] in self._numbers), None)
            if end is None:
                return [(self.unknown, 0)]
            pieces.append((self._numbers[mark + word[start:end]], start))
            start = end
        return pieces


def _normalised(word: str) -> str:
    """Return a word in lower case without accents and without marks that are not seen or stand for nothing."""
    parts = unicodedata.normalize("NFD", word.lower().replace("\ufffd", ""))
    return "".join(c for c in parts if unicodedata.category(c) not in {"Mn", "Cc", "Cf"})


def by_length(sequences: Sequence[Sequence[int]], most: int) -> Iterator[tuple[list[int], NDArray[np.int64]]]:
    """Yield which sequences go together, and their numbers padded with 0; sequences of like length share a batch.

    Parameters
    ----------
    sequences
        Numbers of pieces.
    most
        About how many numbers a batch has, padding included.

    Examples
    --------
    >>> [(indices, padded.tolist()) for indices, padded in by_length([[7], [1, 2], [3, 4]], most=4)]
    [([1, 2], [[1, 2], [3, 4]]), ([0], [[7]])]
    """
    order = sorted(range(len(sequences)), key=lambda index: -len(sequences[index]))
    start = 0
    while start < len(order):
        width = max(1, len(sequences[order[start]]))
        indices = order[start : start + max(1, most // width)]
        padded = np.zeros((len(indices), width), np.int64)
        for row, index in enumerate(indices):
            padded[row, : len(sequences[index])] = sequences[index]
        yield indices, padded
        start += len(indices)
