"""Proposals from shared content words: clauses that say the same in two summaries, and what a unit says in a peer.

A clause is the root of a sentence or a coordinated or subordinate predicate, with its dependents but without the
clauses below it. Words are compared by lemma; a word in df of the n clauses at hand weighs log(1 + n / df).
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import combinations
from math import log
from typing import NamedTuple

from touchstone.core.matching import match, pairwise
from touchstone.tasks.pyramid.automatic.proposing import Proposal, Span
from touchstone.tasks.pyramid.model import NO_UNIT, Pyramid, Unit
from touchstone.text import Sentence, english

CONTENT = frozenset(("ADJ", "ADV", "NOUN", "NUM", "PROPN", "VERB"))
CLAUSES = frozenset(("acl", "advcl", "ccomp", "conj", "csubj", "parataxis", "root"))
PREDICATES = frozenset(("VERB", "AUX", "ADJ"))
"""What a coordinated word must be to begin a clause: nouns in a list do not."""

UNIT_SIMILARITY = 0.4
MATCH_RECALL = 0.6
"""Both were chosen on every other document set of DUC 2006; `tests/conformance` has the figures on the rest."""


class Clause(NamedTuple):
    """A clause: its spans in the text, its content words, and the number of its sentence."""

    spans: tuple[Span, ...]
    words: Counter[str]
    sentence: int


class Lexical:
    """Proposes by shared words; nothing is learnt but the two thresholds.

    Parameters
    ----------
    similarity
        The smallest similarity (Dice, weighted) of two clauses that are proposed as contributors of one unit.
    recall
        The smallest share of a unit's words, weighted, that a proposed expression of it has.
    """

    def __init__(self, similarity: float = UNIT_SIMILARITY, recall: float = MATCH_RECALL) -> None:
        self.similarity, self.recall = similarity, recall

    @property
    def signature(self) -> str:
        """The name of the model, its thresholds and the analyser."""
        return f"lexical|similarity={self.similarity}|recall={self.recall}|{english().signature}"

    def units(self, pyramid: Pyramid) -> list[Proposal]:
        """Return groups of clauses from different summaries that are similar, each as a unit."""
        summaries = [clauses(pyramid.text[one.start : one.end], one.start) for one in pyramid.summaries]
        weights = _Weights(clause.words for summary in summaries for clause in summary)
        similarity = pairwise(weights.similarity)
        links = [
            (link.weight, (first, link.left), (second, link.right))
            for (first, left), (second, right) in combinations(enumerate(summaries), 2)
            for link in match(left, right, similarity=similarity).links
            if link.weight >= self.similarity
        ]
        groups = [([summaries[one][place] for one, place in group], score) for group, score in _groups(links)]
        proposals = [
            Proposal(None, _label(pyramid.text, group), tuple(clause.spans for clause in group), score)
            for group, score in groups
        ]
        return sorted(proposals, key=lambda proposal: -proposal.score)

    def matches(self, pyramid: Pyramid, text: str) -> list[Proposal]:
        """Return the units whose words, those of the label or of a contributor, are mostly in a sentence of *text*."""
        units = [unit for unit in pyramid.units if unit.uid != NO_UNIT]
        statements = [_statements(unit) for unit in units]
        peer = list(_by_sentence(clauses(text)))
        weights = _Weights([words for own in statements for words in own] + [words for _, words in peer])
        proposals = []
        for unit, own in zip(units, statements, strict=True):
            scores = [max((weights.recall(words, sentence) for words in own), default=0.0) for _, sentence in peer]
            score = max(scores, default=0.0)
            if score >= self.recall:
                group, _ = peer[scores.index(score)]
                spans = _narrowed(group, own, weights)
                proposals.append(Proposal(unit.uid, unit.label, (spans,), score))
        return sorted(proposals, key=lambda proposal: -proposal.score)


class _Weights:
    """The weights of words by how many of some texts they are in."""

    def __init__(self, texts: Iterable[Counter[str]]) -> None:
        rows = list(texts)
        counts = Counter(word for row in rows for word in row)
        self._unseen = log(1 + len(rows))
        self._weights = {word: log(1 + len(rows) / count) for word, count in counts.items()}

    def total(self, words: Counter[str]) -> float:
        return sum(self._weights.get(word, self._unseen) * times for word, times in words.items())

    def similarity(self, one: Clause, other: Clause) -> float:
        """Return twice the shared weight over that of both clauses (Dice)."""
        together = self.total(one.words) + self.total(other.words)
        return 2 * self.total(one.words & other.words) / together if together else 0.0

    def recall(self, wanted: Counter[str], given: Counter[str]) -> float:
        total = self.total(wanted)
        return self.total(wanted & given) / total if total else 0.0


def clauses(text: str, offset: int = 0) -> list[Clause]:
    """Return the clauses of *text* that have content words; *offset* is added to their spans.

    >>> text = "The court fined the firm because it had lied."
    >>> [[text[start:end] for start, end in clause.spans] for clause in clauses(text)]
    [['The court fined the firm'], ['because it had lied']]
    """
    parsed = enumerate(english().parse([text.replace("\n", " ")]))
    return [clause for number, sentence in parsed for clause in _clauses(sentence, number, offset)]


def _clauses(sentence: Sentence, number: int, offset: int) -> Iterator[Clause]:
    heads = [_head(sentence, place) for place in range(len(sentence))]
    for head in dict.fromkeys(heads):
        places = [place for place, own in enumerate(heads) if own == head]
        words = Counter(sentence.lemmas[place].lower() for place in places if sentence.upos[place] in CONTENT)
        if words:
            start = offset + sentence.offset
            runs = [run for run in map(partial(_trimmed, sentence), _runs(places)) if run]
            spans = tuple((start + sentence.starts[run[0]], start + sentence.ends[run[-1]]) for run in runs)
            yield Clause(spans, words, number)


def _head(sentence: Sentence, place: int) -> int:
    """Return the place of the head of the clause that a token belongs to."""
    while sentence.heads[place] and not _begins_clause(sentence, place):
        place = sentence.heads[place] - 1
    return place


def _begins_clause(sentence: Sentence, place: int) -> bool:
    relation = sentence.relations[place].partition(":")[0]
    return relation in CLAUSES and (relation != "conj" or sentence.upos[place] in PREDICATES)


def _runs(places: Sequence[int]) -> list[list[int]]:
    """Return *places* as runs of neighbours."""
    runs: list[list[int]] = []
    for place in places:
        if runs and place == runs[-1][-1] + 1:
            runs[-1].append(place)
        else:
            runs.append([place])
    return runs


def _trimmed(sentence: Sentence, run: list[int]) -> list[int]:
    """Return a run without punctuation at its ends."""
    words = [number for number, place in enumerate(run) if sentence.upos[place] != "PUNCT"]
    return run[words[0] : words[-1] + 1] if words else []


Place = tuple[int, int]


def _groups(links: Sequence[tuple[float, Place, Place]]) -> list[tuple[list[Place], float]]:
    """Return groups of linked clauses, at most one of each summary, with the mean weight of their links.

    The strongest links come first; one that would bring two clauses of a summary together is left out.
    """
    group: dict[Place, list[Place]] = {}
    weights: dict[Place, list[float]] = {}
    for weight, one, other in sorted(links, key=lambda link: -link[0]):
        left, right = group.get(one, [one]), group.get(other, [other])
        if left is not right and {summary for summary, _ in left} & {summary for summary, _ in right}:
            continue
        joined = left if left is right else sorted([*left, *right])
        own = [weight, *weights.pop(left[0], []), *(weights.pop(right[0], []) if left is not right else [])]
        weights[joined[0]] = own
        group.update(dict.fromkeys(joined, joined))
    return [(group[first], sum(own) / len(own)) for first, own in weights.items()]


def _label(text: str, group: Sequence[Clause]) -> str:
    """Return the words of the shortest clause as the label of a unit."""
    shortest = min(group, key=lambda clause: sum(end - start for start, end in clause.spans))
    return " ".join(" ".join(text[start:end].split()) for start, end in shortest.spans)


def _statements(unit: Unit) -> list[Counter[str]]:
    """Return the content words of the label of a unit and of each of its contributors."""
    texts = [unit.label, *(" ".join(part.label for part in one.in_order) for one in unit.contributors)]
    rows = [Counter[str]() for _ in texts]
    for sentence in english().tag(texts, split=False):
        words = zip(sentence.lemmas, sentence.upos, strict=True)
        rows[sentence.segment].update(lemma.lower() for lemma, upos in words if upos in CONTENT)
    return [row for row in rows if row]


def _by_sentence(rows: Sequence[Clause]) -> Iterator[tuple[list[Clause], Counter[str]]]:
    """Yield the clauses of each sentence, and their words together."""
    for number in dict.fromkeys(clause.sentence for clause in rows):
        group = [clause for clause in rows if clause.sentence == number]
        yield group, sum((clause.words for clause in group), Counter[str]())


def _narrowed(group: Sequence[Clause], statements: Sequence[Counter[str]], weights: _Weights) -> tuple[Span, ...]:
    """Return the spans of the clauses of a sentence that share words with the unit."""
    wanted = Counter(word for words in statements for word in words)
    sharing = [clause for clause in group if weights.total(clause.words & wanted)] or list(group)
    return tuple(sorted(span for clause in sharing for span in clause.spans))
