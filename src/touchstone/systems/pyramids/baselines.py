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


def rouge(tokens: Sequence[str], reference: Sequence[str], n: int) -> float:
    """Return ROUGE-n recall of tokens.

    >>> rouge("the cat sat".split(), "the cat sat down".split(), 2) == 2 / 3
    True
    """
    first, second = (Counter(zip(*(side[start:] for start in range(n)), strict=False)) for side in (tokens, reference))
    return (first & second).total() / max(second.total(), 1)


def rouge_l(tokens: Sequence[str], reference: Sequence[str]) -> float:
    """Return ROUGE-L recall of tokens: the length of the longest common subsequence over that of *reference*.

    The subsequence is counted in the bits of one integer (Hyyrö 2004).

    >>> rouge_l("the cat sat on it".split(), "the dog sat down on it".split()) == 4 / 6
    True
    """
    bits_of_word: dict[str, int] = {}
    for index, word in enumerate(reference):
        bits_of_word[word] = bits_of_word.get(word, 0) | 1 << index
    all_bits = (1 << len(reference)) - 1
    row = all_bits
    for word in tokens:
        # Hyyrö's step: each 0 in the row marks a word of the reference with which the subsequence grows.
        matched = row & bits_of_word.get(word, 0)
        row = (row + matched | row - matched) & all_bits
    return (len(reference) - row.bit_count()) / max(len(reference), 1)


def _rouges(measure: Callable[[Sequence[str], Sequence[str]], float]) -> Callable[[DecidedSet], Floats]:
    def scores(decided: DecidedSet) -> Floats:
        models = decided.models or [" ".join(text for unit in decided.statements for text in unit)]
        references = [_tokens(model) for model in models]
        return np.array(
            [np.mean([measure(_tokens(text), reference) for reference in references]) for text in decided.texts]
        )

    return scores


def unit_recall(decided: DecidedSet, *, merged: bool) -> Floats:
    """Return the summed credit of units, each times its recall: in the best sentence, or in all sentences *merged*."""
    units = StatedUnits(decided.statements)
    peers = [parse_summary(text) for text in decided.texts]
    bags = [set(words(sentence)) for sentences in [units.sentences, *peers] for sentence in sentences]
    frequency = Counter(word for bag in bags for word in bag)
    view = units.views["words"]
    weight = np.array([np.log1p(len(bags) / max(frequency[str(key)], 1)) for key in view.keys] or [0.0])
    total = np.maximum(np.bincount(view.row, weight[view.column], minlength=len(units.sentences)), 1e-9)
    scores = []
    for sentences in peers:
        present = view.present([words(sentence) for sentence in sentences])
        present = present.max(axis=0, keepdims=True) if merged else present
        parts = [np.bincount(view.row, weight[view.column] * row[view.column], len(total)) for row in present]
        recall = np.max([part / total for part in parts], axis=0)
        scores.append(units.of_units(recall[:, None])[:, 0] @ decided.credit)
    return np.array(scores)


BASELINES: dict[str, Callable[[DecidedSet], Floats]] = {
    "ROUGE-1": _rouges(lambda tokens, reference: rouge(tokens, reference, 1)),
    "ROUGE-2": _rouges(lambda tokens, reference: rouge(tokens, reference, 2)),
    "ROUGE-L": _rouges(rouge_l),
    "idf recall, sentence": lambda decided: unit_recall(decided, merged=False),
    "idf recall, summary": lambda decided: unit_recall(decided, merged=True),
}
"""The score of each peer of a document set, by the name of the baseline."""
