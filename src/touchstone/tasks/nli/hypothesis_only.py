"""Whether labels can be guessed from the hypotheses alone, which would make a set easy for the wrong reason.

A naive Bayes classifier over the words of the hypothesis labels each pair after it has seen the pairs of other premises
(the check of Poliak et al. 2018, with a simpler classifier).
"""

import hashlib
from collections import Counter
from collections.abc import Sequence
from math import log, sqrt

from touchstone.base.tables import Cell, Column, Table
from touchstone.tasks.nli.edits import tokens
from touchstone.tasks.nli.labels import LABELS, Label
from touchstone.tasks.nli.model import GoldSet, Pair, Run

NAME = "hypothesis_only"
PARTS = 5
WORDS_PER_LABEL = 8
"""Words that the table names for each label."""
RARE = 5
"""Pairs that a word needs to be named."""


def hypothesis_only(pairs: GoldSet) -> Run:
    """Return the labels that naive Bayes gives, each learnt from pairs of other premises.

    Parameters
    ----------
    pairs
        Pairs with gold labels. A hash of the premise says in which of five parts a pair is; each part is labelled by
        what was learnt from the other four.
    """
    parts = [_part(pair.premise) for pair in pairs.pairs]
    labels = [""] * len(pairs)
    for part in range(PARTS):
        learnt = _NaiveBayes(
            [pair for pair, part_of_pair in zip(pairs.pairs, parts, strict=True) if part_of_pair != part]
        )
        for row, pair in enumerate(pairs.pairs):
            if parts[row] == part:
                labels[row] = learnt.label(pair)
    return Run(NAME, pairs.source, pairs.ids, labels, pairs.lines)


def telling_words(pairs: GoldSet) -> Table:
    """Return, for each label, the words of hypotheses that go with it beyond its share of the pairs.

    They are ordered by z = (p - p0) / sqrt(p0 (1 - p0) / n), where p is the label's share of the n pairs with the word
    and p0 its share of all pairs (Gardner et al. 2021).
    """
    golds = Counter(pair.gold for pair in pairs.pairs if pair.gold)
    counts = Counter((word, pair.gold) for pair in pairs.pairs if pair.gold for word in _words(pair))
    n: Counter[str] = Counter()
    for (word, _), count in counts.items():
        n[word] += count
    rows: list[list[Cell]] = []
    rules = set()
    for label in (gold for gold in LABELS if 0 < golds[gold] < golds.total()):
        base_rate = golds[label] / golds.total()
        scores = {
            word: (counts[word, label] / n[word] - base_rate) / sqrt(base_rate * (1 - base_rate) / n[word])
            for word in n
            if n[word] >= RARE
        }
        best = sorted(scores, key=lambda word: (-scores[word], word))[:WORDS_PER_LABEL]
        rules.add(len(rows))
        rows += [
            [label if not rank else "", word, n[word], f"{counts[word, label] / n[word]:.0%}", f"{scores[word]:.1f}"]
            for rank, word in enumerate(best)
        ]
    heads = ("pairs with it", "with the label", "z")
    columns = [Column("label"), Column("word"), *(Column(head, "right") for head in heads)]
    return Table(columns, rows, rules=rules - {0})


class _NaiveBayes:
    """Gives each hypothesis the label with the largest P(label) times the product of P(word | label) over its words."""

    def __init__(self, pairs: Sequence[Pair]) -> None:
        golds = Counter(pair.gold for pair in pairs if pair.gold)
        self._prior = {label: log(golds[label] / golds.total()) for label in LABELS if golds[label]}
        counts: dict[str, Counter[str]] = {label: Counter() for label in LABELS}
        for pair in pairs:
            if pair.gold:
                counts[pair.gold].update(_words(pair))
        size = len(set().union(*counts.values())) + 1  # one more for a word that was not seen
        self._new = {label: -log(counts[label].total() + size) for label in self._prior}
        self._words = {
            label: {word: log(count + 1) + self._new[label] for word, count in counts[label].items()}
            for label in self._prior
        }

    def label(self, pair: Pair) -> str:
        """Return the likeliest label; the usual order of labels decides ties, and where nothing was learnt."""
        return max(self._prior, key=lambda label: self._likelihood(label, _words(pair)), default=LABELS[0])

    def _likelihood(self, label: Label, words: Sequence[str]) -> float:
        log_likelihoods, new = self._words[label], self._new[label]
        return self._prior[label] + sum(log_likelihoods.get(word, new) for word in words)


def _words(pair: Pair) -> list[str]:
    """Return the distinct words of the hypothesis."""
    return sorted({token for token in tokens(pair.hypothesis) if token[0].isalnum()})


def _part(premise: str) -> int:
    # All pairs of a premise are in one part, so that no premise is both learnt from and tested on.
    return hashlib.sha256(premise.encode("utf-8", "surrogatepass")).digest()[0] % PARTS
