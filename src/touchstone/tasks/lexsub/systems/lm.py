"""The sentence with a candidate in place, as an n-gram language model sees it.

``lm.left`` is ln p of the candidate's words after the words before them, ``lm.right`` that of the words after the
candidate, as far as its n-grams reach; ``lm.word`` is ln p of the candidate's words alone, which tells how much of
the rest is mere frequency. A word that the model does not know has its frequency in English instead of a floor.
``lm.before`` and ``lm.after`` are what bigrams of the web say of the candidate and its two neighbours.
"""

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from touchstone.core.ragged import Floats, Ragged
from touchstone.tasks.lexsub.systems.language_models import BEGIN, END, LanguageModel
from touchstone.tasks.lexsub.systems.targets import Target
from touchstone.tasks.lexsub.systems.words import inflected, log_frequency, web_information

Gram = tuple[str, ...]


class SentenceScores:
    """Scores candidates in their sentences by one language model."""

    def __init__(self, model: LanguageModel) -> None:
        self.model = model
        self._word = lru_cache(maxsize=1 << 17)(lambda word: self._scored([(word,)])[0])
        self._forms = lru_cache(maxsize=1 << 17)(self._split)

    def features(self, target: Target, phrases: Sequence[str]) -> dict[str, Floats]:
        """Return the features of each candidate for *target*."""
        reach = self.model.order - 1
        before, after = target.words(reach)
        left = [BEGIN, *before] if len(before) < reach else before
        right = [*after, END] if len(after) < reach else after
        words = [self._forms(phrase, target.tag) for phrase in phrases]
        grams = [_grams(with_article(left, own[0]), own, right, reach) for own in words]
        flat = np.array(self._scored([gram for row in grams for gram in row]))
        scores = Ragged.from_sizes(np.array([len(row) for row in grams], np.int64), flat)
        own_words = np.array([len(own) for own in words], np.int64)[scores.row]
        at_left = scores.place < own_words
        return {
            "lm.left": scores.keep(at_left).sums(),
            "lm.right": scores.keep(~at_left).sums(),
            "lm.word": np.array([sum(map(self._word, own)) for own in words]),
            "lm.before": np.array([_web(with_article(before, own[0])[-1:], own[:1]) for own in words]),
            "lm.after": np.array([_web(own[-1:], after[:1]) for own in words]),
        }

    def _scored(self, grams: Sequence[Gram]) -> list[float]:
        scores = self.model.score(grams)
        for place in np.flatnonzero(np.isnan(scores)).tolist():
            scores[place] = log_frequency(grams[place][-1])
        values: list[float] = scores.tolist()
        return values

    def _split(self, phrase: str, tag: str) -> Gram:
        """Return the words of a candidate in the form of the target, split at hyphens that the model does not know."""
        words = inflected(phrase, tag).split()
        split = [[word] if "-" not in word or self._known(word) else word.split("-") for word in words]
        return tuple(part for parts in split for part in parts if part) or (phrase,)

    def _known(self, word: str) -> bool:
        return not np.isnan(self.model.score([(word,)])[0])


def with_article(left: list[str], word: str) -> list[str]:
    """Return the words on the left with *a* or *an* as the next word wants it.

    >>> with_article(["was", "a"], "intelligent"), with_article(["an"], "quick")
    (['was', 'an'], ['a'])
    """
    if left and left[-1] in ("a", "an"):
        return [*left[:-1], "an" if word[:1] in "aeiou" else "a"]
    return left


def _web(first: Sequence[str], second: Sequence[str]) -> float:
    """Return what a word says of the next one; nothing where the sentence ends between them."""
    return web_information(first[0], second[0]) if first and second else 0.0


def _grams(left: list[str], words: Gram, right: list[str], reach: int) -> list[Gram]:
    """Return each word of a candidate and of what follows it, with the words before it that a model can see."""
    sequence = (*left, *words, *right)
    return [sequence[max(0, place - reach) : place + 1] for place in range(len(left), len(sequence))]
