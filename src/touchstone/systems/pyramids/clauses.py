"""Clauses: what content units are made of in model summaries, and what supports them in a peer.

A clause is the root of a sentence or a coordinated or subordinate predicate, with its dependents but without the
clauses below it.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from typing import NamedTuple

from touchstone.systems.pyramids.views import CONTENT, parse_summary
from touchstone.text import Sentence

Span = tuple[int, int]
"""Where some words of a text begin and end, in characters."""

CLAUSES = frozenset(("acl", "advcl", "ccomp", "conj", "csubj", "parataxis", "root"))
PREDICATES = frozenset(("VERB", "AUX", "ADJ"))
"""What a coordinated word must be to begin a clause: nouns in a list do not."""


class Clause(NamedTuple):
    """A clause: its spans in the text, its content words, and the number of its sentence."""

    spans: tuple[Span, ...]
    words: Counter[str]
    sentence: int


def clauses(text: str, offset: int = 0) -> list[Clause]:
    """Return the clauses of *text* that have content words; *offset* is added to their spans.

    >>> text = "The court fined the firm because it had lied."
    >>> [[text[start:end] for start, end in clause.spans] for clause in clauses(text)]
    [['The court fined the firm'], ['because it had lied']]
    """
    return clauses_of(parse_summary(text), offset)


def clauses_of(sentences: Sequence[Sentence], offset: int = 0) -> list[Clause]:
    """Return the clauses of analysed sentences that have content words."""
    return [clause for number, sentence in enumerate(sentences) for clause in _clauses(sentence, number, offset)]


def _clauses(sentence: Sentence, number: int, offset: int) -> Iterator[Clause]:
    heads = [_head(sentence, token) for token in range(len(sentence))]
    for head in dict.fromkeys(heads):
        tokens = [token for token, token_head in enumerate(heads) if token_head == head]
        words = Counter(sentence.lemmas[token].lower() for token in tokens if sentence.upos[token] in CONTENT)
        if words:
            start = offset + sentence.offset
            runs = [run for run in map(partial(_trimmed, sentence), _runs(tokens)) if run]
            spans = tuple((start + sentence.starts[run[0]], start + sentence.ends[run[-1]]) for run in runs)
            yield Clause(spans, words, number)


def _head(sentence: Sentence, token: int) -> int:
    """Return the head of the clause that a token belongs to."""
    # Heads are counted from 1; that of the root is 0.
    while sentence.heads[token] and not _begins_clause(sentence, token):
        token = sentence.heads[token] - 1
    return token


def _begins_clause(sentence: Sentence, token: int) -> bool:
    relation = sentence.relations[token].partition(":")[0]
    return relation in CLAUSES and (relation != "conj" or sentence.upos[token] in PREDICATES)


def _runs(tokens: Sequence[int]) -> list[list[int]]:
    """Return *tokens* as runs of neighbours."""
    runs: list[list[int]] = []
    for token in tokens:
        if runs and token == runs[-1][-1] + 1:
            runs[-1].append(token)
        else:
            runs.append([token])
    return runs


def _trimmed(sentence: Sentence, run: list[int]) -> list[int]:
    """Return a run without punctuation at its ends."""
    words = [number for number, token in enumerate(run) if sentence.upos[token] != "PUNCT"]
    return run[words[0] : words[-1] + 1] if words else []
