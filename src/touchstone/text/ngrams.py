"""A small n-gram model of English that comes with the package: what follows a word, or two, in a sentence.

It was distilled from a larger model by `training.build_ngrams`. After a context that it has, a listed word has its
stored probability, and the others share what is left in proportion to the shorter context (Katz 1987). A word that it
does not have at all has none.
"""

from collections.abc import Sequence
from functools import cache, cached_property, lru_cache
from math import log
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from touchstone.lexicon.container import open_container

BEGIN, END = "<s>", "</s>"
"""The words that mark the ends of a sentence."""
STEP = 0.05
"""What a stored step is worth, as a natural logarithm."""
FILE = Path(__file__).with_name("english.ngrams")


class Ngrams:
    """Probabilities of words after one or two others."""

    order = 3

    def __init__(self, path: Path) -> None:
        container = open_container(path)
        self._arrays = container.arrays
        self.signature = f"{path.name}#{container.digest[:12]}"
        unigram = np.maximum(self._arrays["unigram"], _LEAST_CHANCE)
        self._unigram = np.log(unigram / unigram.sum())
        # The candidates for a place share its context, and the places of a word its candidates.
        self._list = lru_cache(maxsize=1 << 12)(self._compute_list)
        self._weight = lru_cache(maxsize=1 << 15)(self._compute_weight)
        self._pair_weight = lru_cache(maxsize=1 << 15)(self._compute_pair_weight)

    def __contains__(self, word: str) -> bool:
        return word in self._numbers

    def score(self, grams: Sequence[Sequence[str]]) -> NDArray[np.float64]:
        """Return ln p(last word | the words before it) of each gram; nan where the last word is unknown."""
        return np.array([self._score(gram) for gram in grams], np.float64)

    def _score(self, gram: Sequence[str]) -> float:
        last = self._numbers.get(gram[-1])
        if last is None:
            return float("nan")
        first, second = ([None, None, *map(self._numbers.get, gram[-self.order : -1])])[-2:]
        if first is not None and second is not None:
            return self._after_pair(first, second, last)
        return self._after_word(second, last)

    def _after_pair(self, first: int, second: int, word: int) -> float:
        pair_index = self._pairs.get(first * len(self._numbers) + second)
        if pair_index is None:
            return self._after_word(second, word)
        listed = self._list("pair", pair_index).get(word)
        if listed is not None:
            return listed
        weight, most = self._pair_weight(pair_index, second)
        return min(weight + self._after_word(second, word), most)

    def _after_word(self, before: int | None, word: int) -> float:
        if before is None:
            return float(self._unigram[word])
        listed = self._list("single", before).get(word)
        if listed is not None:
            return listed
        weight, most = self._weight(before)
        return min(weight + float(self._unigram[word]), most)

    def _compute_list(self, name: str, row: int) -> dict[int, float]:
        """Return the logarithm of the probability of each word that is listed after a context."""
        words, chances = self._row(name, row)
        return dict(zip(words.tolist(), np.log(chances).tolist(), strict=True))

    def _row(self, name: str, row: int) -> tuple[NDArray[np.uint16], NDArray[np.float64]]:
        start, end = self._arrays[f"{name} offsets"][row : row + 2].tolist()
        return self._arrays[f"{name} words"][start:end], np.exp(-STEP * self._arrays[f"{name} logs"][start:end])

    def _compute_weight(self, before: int) -> tuple[float, float]:
        """Return the logarithm of the factor for words that are not listed after a word, and the most that one has."""
        words, chances = self._row("single", before)
        return _left(float(chances.sum()), float(np.exp(self._unigram[words]).sum())), _least(chances)

    def _compute_pair_weight(self, pair_index: int, second: int) -> tuple[float, float]:
        words, chances = self._row("pair", pair_index)
        shorter = sum(np.exp(self._after_word(second, word)) for word in words.tolist())
        return _left(float(chances.sum()), float(shorter)), _least(chances)

    @cached_property
    def _numbers(self) -> dict[str, int]:
        words = self._arrays["words"].tobytes().decode().split("\n")
        return {word: number for number, word in enumerate(words)}

    @cached_property
    def _pairs(self) -> dict[int, int]:
        return {int(pair): index for index, pair in enumerate(self._arrays["pairs"].tolist())}


_LEAST_CHANCE = 1e-9
_LEAST_LEFT = 0.01
"""What words that are not listed share at least: a context never excludes a word."""


def _least(chances: NDArray[np.float64]) -> float:
    """Return the logarithm of the least listed probability: a word that is not listed has less."""
    return log(float(chances.min())) if len(chances) else 0.0


def _left(listed: float, shorter: float) -> float:
    return log(max(1 - listed, _LEAST_LEFT) / max(1 - shorter, _LEAST_LEFT))


@cache
def ngrams() -> Ngrams:
    """Return the n-gram model that comes with the package, opened once in a process.

    >>> model = ngrams()
    >>> told, said = model.score([("told", "him"), ("said", "him")])
    >>> bool(told > said)
    True
    """
    return Ngrams(FILE)
