"""Scores of summaries by shared words alone, which nothing is learnt for: what an automatic pyramid must beat.

ROUGE (Lin 2004) as recall, averaged over model summaries, words in lower case and not stemmed; where there is no model
summary, the statements of the units stand for one. Recall of units weighs a word by how few sentences have it.
"""

from collections import Counter
from collections.abc import Callable, Sequence

import numpy as np
import regex

from touchstone.base.ragged import Floats
from touchstone.systems.pyramids.examples import DecidedSet
from touchstone.systems.pyramids.features import StatedUnits
from touchstone.systems.pyramids.views import parse_summary, words

_WORD = regex.compile(r"[\p{L}\p{N}]+")


def _tokens(text: str) -> list[str]:
    return [word.lower() for word in _WORD.findall(text)]


def rouge(given: Sequence[str], wanted: Sequence[str], n: int) -> float:
    """Return ROUGE-n recall of tokens.

    >>> rouge("the cat sat".split(), "the cat sat down".split(), 2) == 2 / 3
    True
    """
    first, second = (Counter(zip(*(side[start:] for start in range(n)), strict=False)) for side in (given, wanted))
    return (first & second).total() / max(second.total(), 1)


def rouge_l(given: Sequence[str], wanted: Sequence[str]) -> float:
    """Return ROUGE-L recall of tokens: the length of the longest common subsequence over that of *wanted*.

    The subsequence is counted in the bits of one integer (Hyyrö 2004).

    >>> rouge_l("the cat sat on it".split(), "the dog sat down on it".split()) == 4 / 6
    True
    """
    places: dict[str, int] = {}
    for place, word in enumerate(wanted):
        places[word] = places.get(word, 0) | 1 << place
    whole = (1 << len(wanted)) - 1
    row = whole
    for word in given:
        matched = row & places.get(word, 0)
        row = (row + matched | row - matched) & whole
    return (len(wanted) - row.bit_count()) / max(len(wanted), 1)


def _rouges(measure: Callable[[Sequence[str], Sequence[str]], float]) -> Callable[[DecidedSet], Floats]:
    def scores(decided: DecidedSet) -> Floats:
        models = decided.models or [" ".join(text for unit in decided.statements for text in unit)]
        wanted = [_tokens(model) for model in models]
        return np.array([np.mean([measure(_tokens(text), one) for one in wanted]) for text in decided.texts])

    return scores


def unit_recall(decided: DecidedSet, *, whole: bool) -> Floats:
    """Return the summed credit of units, each times its recall in the best sentence of a summary, or in the *whole*."""
    units = StatedUnits(decided.statements)
    peers = [parse_summary(text) for text in decided.texts]
    bags = [set(words(sentence)) for sentences in [units.sentences, *peers] for sentence in sentences]
    frequency = Counter(word for bag in bags for word in bag)
    view = units.views["words"]
    weight = np.array([np.log1p(len(bags) / max(frequency[str(key)], 1)) for key in view.keys] or [0.0])
    total = np.maximum(np.bincount(view.row, weight[view.column], minlength=len(units.sentences)), 1e-9)
    scores = []
    for sentences in peers:
        present = view.present([words(one) for one in sentences])
        present = present.max(axis=0, keepdims=True) if whole else present
        parts = [np.bincount(view.row, weight[view.column] * row[view.column], len(total)) for row in present]
        recall = np.max([part / total for part in parts], axis=0)
        scores.append(units.of_units(recall[:, None])[:, 0] @ decided.credit)
    return np.array(scores)


BASELINES: dict[str, Callable[[DecidedSet], Floats]] = {
    "ROUGE-1": _rouges(lambda given, wanted: rouge(given, wanted, 1)),
    "ROUGE-2": _rouges(lambda given, wanted: rouge(given, wanted, 2)),
    "ROUGE-L": _rouges(rouge_l),
    "idf recall, sentence": lambda decided: unit_recall(decided, whole=False),
    "idf recall, summary": lambda decided: unit_recall(decided, whole=True),
}
"""The score of each peer of a document set, by the name of the baseline."""
