"""Where a pyramid may not be finished: units that may say the same, and units that may say two things.

The guidelines of 2006 ask annotators to look for both. Nothing here is done, only shown, likeliest first.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import log

from touchstone.annotate.pyramid.constraints import touched
from touchstone.annotate.pyramid.document import Entry, PyramidDocument
from touchstone.tasks.pyramid.tokens import TOKEN

SHOWN = 20
"""As many as somebody goes through in one sitting."""


@dataclass(frozen=True)
class MergeCandidate:
    """Two units of weight 1 from different summaries, and how alike their labels are, from 0 to 1."""

    first: str
    second: str
    similarity: float


@dataclass(frozen=True)
class SplitCandidate:
    """A unit of weight 2 or more, and how many words its contributors have on average."""

    uid: str
    words: float


def merge_candidates(document: PyramidDocument, most: int = SHOWN) -> list[MergeCandidate]:
    """Return pairs of units of weight 1 with similar labels, the most similar first.

    Similarity is 2 Σ shared / Σ all over the words of the two labels, each weighing log(1 + units / units with it), so
    that words that stand everywhere count little. Two units of one summary are no pair: merging them adds no weight.
    """
    single = [unit for unit in document.units if unit.weight == 1]
    labels = {unit.uid: Counter(label_words(unit.label)) for unit in document.units}
    with_word = Counter(word for words in labels.values() for word in words)
    weights = {word: log(1 + len(labels) / times) for word, times in with_word.items()}
    total = {uid: sum(weights[word] * times for word, times in words.items()) for uid, words in labels.items()}
    found = []
    for one, other in combinations(single, 2):
        shared = labels[one.uid] & labels[other.uid]
        if shared and not _summaries(document, one) & _summaries(document, other):
            alike = sum(weights[word] * times for word, times in shared.items())
            found.append(MergeCandidate(one.uid, other.uid, 2 * alike / (total[one.uid] + total[other.uid])))
    return sorted(found, key=lambda pair: -pair.similarity)[:most]


def split_candidates(document: PyramidDocument, most: int = SHOWN) -> list[SplitCandidate]:
    """Return units of weight 2 or more with contributors longer than those of such units on average, longest first."""
    shared = [unit for unit in document.units if unit.weight >= 2]
    lengths = {unit.uid: [len(label_words(mark.label)) for mark in unit.contributors] for unit in shared}
    every = [length for counts in lengths.values() for length in counts]
    average = _mean(every) if every else 0.0
    found = [SplitCandidate(uid, _mean(counts)) for uid, counts in lengths.items() if _mean(counts) > average]
    return sorted(found, key=lambda unit: -unit.words)[:most]


def label_words(label: str) -> list[str]:
    """Return the words of a label, whatever their case.

    >>> label_words("Cats...sleep. A LOT")
    ['cats', 'sleep', 'a', 'lot']
    """
    return [match[0].casefold() for match in TOKEN.finditer(label)]


def _mean(counts: Sequence[int]) -> float:
    return sum(counts) / len(counts)


def _summaries(document: PyramidDocument, unit: Entry) -> set[int]:
    return {place for mark in unit.contributors for place in touched(mark.parts, document.summaries)}
