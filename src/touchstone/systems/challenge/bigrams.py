"""The filter of bigrams: what a replacement makes with its neighbours, against what it breaks.

The idea is that of Glockner, Shwartz and Goldberg (2018), who keep counts of at least 10 in Wikipedia. A relative score
suits any table, whatever its size and its smallest count.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from math import log10
from pathlib import Path
from typing import ClassVar

from touchstone.base.codes import Code
from touchstone.base.errors import Fault, TouchstoneError, needs
from touchstone.io.text import lines, read_text
from touchstone.systems.challenge.filters import Outcome
from touchstone.systems.challenge.forms import Edited
from touchstone.systems.challenge.lexicon import Match, Substitution
from touchstone.tasks.nli.model import Span
from touchstone.text import Sentence

WORDSEGMENT = "wordsegment"
"""The name of the table that the package of this name has."""
BIGRAM_SCORE = -1.5
"""The least score: no new bigram is more than about thirty times rarer than the old one.

docs/nli_generate.md says how it was chosen."""
_CONTENT = frozenset(("noun", "verb", "adj"))
_EXAMPLE = "write for example: red wine, a tab, 8033"
_LEFT, _RIGHT = re.compile(r"(\w[\w'’-]*)\s+\Z"), re.compile(r"\s+(\w[\w'’-]*)")


@dataclass(frozen=True)
class Bigrams:
    """The bigrams that a replacement makes with its neighbours must not be much rarer than those it breaks.

    The score is the smaller one, of the two sides, of log10((new + k) / (old + k)), where *new* and *old* are the
    counts of the bigrams and *k* is the smallest count of the table. Where the table lacks the new bigram, the counts
    of the new and of the old word take their place, since absence proves little. Edges and punctuation make no bigram.
    Only nouns, verbs and adjectives are scored.

    Parameters
    ----------
    pairs
        The count of each two words with a blank between them, in lower case.
    words
        The count of each word.
    source
        What the counts come from.
    least
        The least score that is kept.
    """

    pairs: Mapping[str, float] = field(repr=False)
    words: Mapping[str, float] = field(repr=False)
    source: str
    least: float = BIGRAM_SCORE
    name: ClassVar[str] = "bigrams"

    @property
    def signature(self) -> str:
        """The table and the threshold."""
        return f"{self.source} >= {self.least:g}"

    @cached_property
    def smallest(self) -> float:
        """The smallest count of a bigram."""
        return min(self.pairs.values())

    def judge(self, sentence: Sentence, match: Match, substitution: Substitution, edited: Edited) -> Outcome:  # noqa: ARG002
        """Refuse a replacement with a score below the least."""
        source, target = substitution.source, substitution.target
        if source.pos not in _CONTENT:
            return Outcome()
        old, new = _sides(sentence.text, edited.replaced), _sides(edited.text, edited.replacement)
        # The last word of a verb of several words is a particle, whose count says nothing of the verb.
        sides = 1 if source.pos == "verb" and max(len(source.words), len(target.words)) > 1 else 2
        scores = [
            (self._score(before, after), after[0])
            for before, after in zip(old[:sides], new[:sides], strict=True)
            if before and after
        ]
        if not scores:
            return Outcome()
        score, bigram = min(scores)
        if score < self.least:
            return Outcome("rare bigram", f"{bigram} ({score:.2f})")
        return Outcome(facts={"bigram_score": round(score, 3)})

    def _score(self, old: tuple[str, str], new: tuple[str, str]) -> float:
        """Return the score of one side, from its old and its new bigram, each with its word of the entry."""
        k = self.smallest
        counts = [self.pairs.get(bigram, 0.0) for bigram, _ in (new, old)]
        if not counts[0]:
            counts = [self.words.get(word, 0.0) for _, word in (new, old)]
        return log10((counts[0] + k) / (counts[1] + k))


def _sides(text: str, span: Span) -> tuple[tuple[str, str] | None, tuple[str, str] | None]:
    """Return the bigrams of a span with its left and its right neighbour, each with the word of the span in it."""
    left, right = _LEFT.search(text[: span.start].lower()), _RIGHT.match(text[span.end :].lower())
    words = span.text.lower().split()
    first, last = words[0], words[-1]
    return (f"{left[1]} {first}", first) if left else None, (f"{last} {right[1]}", last) if right else None


def read_bigrams(table: str | Path, least: float = BIGRAM_SCORE) -> Bigrams:
    """Return the bigrams of a table, or those of the package ``wordsegment``.

    Parameters
    ----------
    table
        A file with two words, a tab and a count per line. Lines with one word give counts of words; where there are
        none, a word counts as often as the bigrams that it is first or second in, whichever are more.
    least
        The least score that is kept.
    """
    if str(table) == WORDSEGMENT:
        with needs("systems"):
            import wordsegment
        wordsegment.load()
        return Bigrams(wordsegment.BIGRAMS, wordsegment.UNIGRAMS, WORDSEGMENT, least)
    text, source = read_text(table)
    counts: dict[str, float] = {}
    faults = []
    for number, line in lines(text):
        words, _, count = line.lower().partition("\t")
        key = " ".join(words.split())
        if key in counts:
            faults.append(Fault("duplicate line", source.name, number, key, code=Code.DUPLICATE_NAME))
        elif not 1 <= len(key.split()) <= 2 or not count.strip().isdecimal() or int(count) < 1:
            faults.append(Fault("not two words, a tab and a count", source.name, number, line, code=Code.BAD_CELL))
        else:
            counts[key] = int(count)
    if faults:
        raise TouchstoneError.of(faults, _EXAMPLE)
    pairs = {key: count for key, count in counts.items() if " " in key}
    if not pairs:
        raise TouchstoneError("no bigram in this table", file=source.name, code=Code.EMPTY, hint=_EXAMPLE)
    words_alone = {key: count for key, count in counts.items() if " " not in key}
    return Bigrams(pairs, words_alone or _marginals(pairs), str(source), least)


def _marginals(pairs: Mapping[str, float]) -> dict[str, float]:
    sums: tuple[dict[str, float], dict[str, float]] = {}, {}
    for key, count in pairs.items():
        for side, word in zip(sums, key.split(), strict=True):
            side[word] = side.get(word, 0.0) + count
    return {word: max(side.get(word, 0.0) for side in sums) for word in {**sums[0], **sums[1]}}
