"""ARPA files: back-off n-grams as text, held as a trie of sorted arrays.

An n-gram is known by the row of its beginning (all but the last word) among those one shorter, and its last word; so
an order is one sorted array of numbers, whatever its length, and many n-grams are looked up together.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import log
from pathlib import Path

import numpy as np

from touchstone.core.errors import TouchstoneError
from touchstone.core.ragged import Bools, Floats, Ints
from touchstone.io.text import Source, lines, read_text

_COUNT = re.compile(r"ngram\s+(?P<order>[0-9]{1,2})\s*=\s*(?P<count>[0-9]{1,12})")
_SECTION = re.compile(r"\\(?P<order>[0-9]{1,2})-grams:")
_LN_10 = log(10)
_NONE = -1


@dataclass(frozen=True)
class _Order:
    """The n-grams of one length, sorted by key: row of the beginning times number of words, plus the last word."""

    keys: Ints
    probabilities: Floats
    backoffs: Floats


@dataclass(frozen=True)
class ArpaModel:
    """A back-off model; probabilities are natural logarithms."""

    source: Source
    words: dict[str, int]
    orders: tuple[_Order, ...]

    @property
    def signature(self) -> str:
        """The name and digest of the file."""
        return str(self.source)

    @property
    def order(self) -> int:
        """The length of its longest n-grams."""
        return len(self.orders)

    def score(self, grams: Sequence[Sequence[str]]) -> Floats:
        """Return ln p(last | before) of each gram: p of the longest n-gram listed, times the back-offs to it."""
        ids = self._numbered(grams)
        found = np.full(len(ids), np.nan)
        penalty = np.zeros(len(ids))
        open_still = ids[:, -1] != _NONE
        for length in range(self.order, 0, -1):
            rows = np.where(open_still, self._rows(ids[:, self.order - length :]), _NONE)
            hit = rows != _NONE
            found[hit] = penalty[hit] + self.orders[length - 1].probabilities[rows[hit]]
            open_still &= ~hit
            if length > 1:
                context = self._rows(ids[:, self.order - length : -1])
                back = open_still & (context != _NONE)
                penalty[back] += self.orders[length - 2].backoffs[context[back]]
        return found

    def _numbered(self, grams: Sequence[Sequence[str]]) -> Ints:
        """Return the numbers of the last words of each gram, to the right; -1 fills up and stands for the unknown."""
        ids = np.full((len(grams), self.order), _NONE, np.int64)
        for row, gram in enumerate(grams):
            last = [self.words.get(word, _NONE) for word in gram[-self.order :]]
            ids[row, self.order - len(last) :] = last
        return ids

    def _rows(self, ids: Ints) -> Ints:
        """Return the row of each n-gram in its order, -1 where it is not listed."""
        rows = ids[:, 0]
        for place in range(1, ids.shape[1]):
            rows = _found(self.orders[place].keys, rows, ids[:, place], len(self.words))
        return rows


def read_arpa(path: str | Path, encoding: str = "utf-8") -> ArpaModel:
    """Read an ARPA file, also ``.gz``; what does not add up is refused with its line."""
    text, source = read_text(path, encoding)
    reader = _Reader(source.name, lines(text))
    counts = reader.counts()
    words: dict[str, int] = {}
    orders: list[_Order] = []
    for length, count in enumerate(counts, 1):
        orders.append(reader.section(length, count, last=length == len(counts), words=words, shorter=orders))
    reader.end()
    return ArpaModel(source, words, tuple(orders))


class _Reader:
    """Goes through the lines of a file; each step says what it wants and where it did not find it."""

    def __init__(self, file: str, rows: Iterator[tuple[int, str]]) -> None:
        self._file, self._rows, self._line = file, rows, 0
        self._pending = ""

    def counts(self) -> list[int]:
        """Return how many n-grams of each length the file announces."""
        for line in self._following():
            if line == "\\data\\":
                break
        else:
            raise self._fault("not an ARPA file: it has no line '\\data\\'")
        found: list[int] = []
        for line in self._following():
            count = _COUNT.fullmatch(line)
            if not count:
                self._pending = line
                break
            if int(count["order"]) != len(found) + 1:
                raise self._fault("n-gram counts out of order", line)
            found.append(int(count["count"]))
        if not found or not found[0]:
            raise self._fault("no counts of n-grams after '\\data\\'")
        return found

    def section(
        self, length: int, count: int, *, last: bool, words: dict[str, int], shorter: Sequence[_Order]
    ) -> _Order:
        """Return the n-grams of one length, which must be as many as announced."""
        heading = _SECTION.fullmatch(self._pending)
        if not heading or int(heading["order"]) != length:
            raise self._fault(f"'\\{length}-grams:' should stand here", self._pending)
        grams = np.empty((count, length), np.int64)
        numbers = np.zeros((count, 2))
        seen = 0
        self._pending = ""
        for line in self._following():
            if line.startswith("\\"):
                self._pending = line
                break
            if seen == count:
                raise self._fault(f"more than the {count:,} {length}-grams that the head of the file announces")
            self._entry(line, length, last, words, grams[seen], numbers[seen])
            seen += 1
        if seen != count:
            raise self._fault(f"{seen:,} {length}-grams, where the head of the file announces {count:,}")
        return self._order(grams, numbers, words, shorter)

    def end(self) -> None:
        """Require that the file ends as such files do: otherwise its tail may be lost."""
        if self._pending != "\\end\\":
            raise self._fault("the file does not end with '\\end\\'", self._pending or None)

    def _entry(self, line: str, length: int, last: bool, words: dict[str, int], gram: Ints, numbers: Floats) -> None:
        fields = line.split()
        if len(fields) - 1 not in ((length,) if last else (length, length + 1)):
            raise self._fault(f"not a probability and {length} words", line)
        try:
            numbers[:] = float(fields[0]), float(fields[length + 1]) if len(fields) > length + 1 else 0.0
        except ValueError:
            raise self._fault("not a number", line) from None
        if not numbers[0] <= 0 or np.isinf(numbers[1]) or np.isnan(numbers[1]):
            raise self._fault("not the logarithm of a probability", line)
        if length == 1:
            if fields[1] in words:
                raise self._fault("a word that is listed twice", fields[1])
            words[fields[1]] = len(words)
        try:
            gram[:] = [words[word] for word in fields[1 : length + 1]]
        except KeyError as error:
            raise self._fault("a word that is not among the 1-grams", str(error.args[0])) from None

    def _order(self, grams: Ints, numbers: Floats, words: dict[str, int], shorter: Sequence[_Order]) -> _Order:
        rows = grams[:, 0]
        for place in range(1, grams.shape[1] - 1):
            rows = _found(shorter[place].keys, rows, grams[:, place], len(words))
        if (rows == _NONE).any():
            raise self._fault(f"a {grams.shape[1]}-gram whose beginning is not listed above it")
        keys = rows * len(words) + grams[:, -1] if grams.shape[1] > 1 else rows
        sorting = np.argsort(keys, kind="stable")
        keys = keys[sorting]
        if (keys[1:] == keys[:-1]).any():
            raise self._fault(f"a {grams.shape[1]}-gram that is listed twice")
        return _Order(keys, numbers[sorting, 0] * _LN_10, numbers[sorting, 1] * _LN_10)

    def _following(self) -> Iterator[str]:
        for number, line in self._rows:
            self._line = number
            yield line.strip()

    def _fault(self, what: str, value: str | None = None) -> TouchstoneError:
        hint = "the file is damaged or not in ARPA form; make or fetch it again"
        return TouchstoneError(what, file=self._file, line=self._line or None, value=value, hint=hint)


def _found(keys: Ints, beginnings: Ints, words: Ints, count: int) -> Ints:
    """Return the row of each pair of a beginning and a word among sorted *keys*, -1 where it is not there."""
    wanted = beginnings * count + words
    known: Bools = (beginnings != _NONE) & (words != _NONE)
    if not len(keys):
        return np.full(len(wanted), _NONE, np.int64)
    place = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    return np.where(known & (keys[place] == wanted), place, _NONE)
