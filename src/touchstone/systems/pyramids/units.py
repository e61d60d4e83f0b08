"""Content units proposed from model summaries: clauses that say the same in two summaries or more.

Words are compared by lemma; a word in df of the n clauses weighs log(1 + n / df).
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import log

from touchstone.core.matching import match, pairwise
from touchstone.systems.pyramids.clauses import Clause, Span, clauses
from touchstone.tasks.pyramid.model import Contributor, Part, Pyramid, Unit

NOTE = "automatic"
"""The comment on a unit that a machine proposed."""

SIMILARITY, DRAFT_SIMILARITY = 0.4, 0.3
"""The smallest similarity (Dice, weighted) of two clauses of a unit, where most proposals should be right, and where F1
counts; both were chosen on every other document set of DUC 2006."""


@dataclass(frozen=True)
class Proposal:
    """A content unit that some spans of a text may express.

    Parameters
    ----------
    uid
        The unit of the pyramid; None for a new unit.
    label
        The label of the unit.
    contributors
        The spans of each contributor: one for each summary in a new unit, one in a peer.
    score
        How sure the model is, from 0 to 1.
    """

    uid: str | None
    label: str
    contributors: tuple[tuple[Span, ...], ...]
    score: float


Pieces = Callable[[str, int], list[Clause]]


def draft(pyramid: Pyramid, similarity: float = DRAFT_SIMILARITY, pieces: Pieces = clauses) -> Pyramid:
    """Return a pyramid with proposed units: clauses that several summaries share, then each other clause alone.

    The weight of a unit is the number of summaries that share it. Units are numbered from the heaviest; a comment marks
    each as automatic.

    Parameters
    ----------
    pyramid
        The model summaries; units that it has already are dropped.
    similarity
        The smallest similarity of two clauses of a unit.
    pieces
        Cuts a text, which starts at an offset, into what units are made of.
    """
    shared = propose_units(pyramid, similarity, pieces)
    taken = {spans for proposal in shared for spans in proposal.contributors}
    alone = [
        Proposal(None, _label(pyramid.text, [clause]), (clause.spans,), 0.0)
        for summary in pyramid.summaries
        for clause in pieces(pyramid.text[summary.start : summary.end], summary.start)
        if clause.spans not in taken
    ]
    ordered = sorted(shared, key=lambda proposal: -len(proposal.contributors)) + alone
    units = [
        Unit(
            str(number),
            proposal.label,
            tuple(contributor(pyramid.text, spans) for spans in proposal.contributors),
            NOTE,
        )
        for number, proposal in enumerate(ordered, 1)
    ]
    return replace(pyramid, units=tuple(units))


def contributor(text: str, spans: Sequence[Span], comment: str | None = None) -> Contributor:
    """Return the words of a text that state a unit."""
    parts = tuple(Part(text[start:end], start, end) for start, end in spans)
    return Contributor("...".join(part.label for part in parts), parts, comment)


def propose_units(pyramid: Pyramid, similarity: float = SIMILARITY, pieces: Pieces = clauses) -> list[Proposal]:
    """Return groups of clauses from different summaries that are similar, each as a unit."""
    summaries = [pieces(pyramid.text[summary.start : summary.end], summary.start) for summary in pyramid.summaries]
    weights = _Weights(clause.words for summary in summaries for clause in summary)
    alike = pairwise(weights.similarity)
    links = [
        (link.weight, (first, link.left), (second, link.right))
        for (first, left), (second, right) in combinations(enumerate(summaries), 2)
        for link in match(left, right, similarity=alike).links
        if link.weight >= similarity
    ]
    groups = [([summaries[summary][clause] for summary, clause in group], score) for group, score in _groups(links)]
    proposals = [
        Proposal(None, _label(pyramid.text, group), tuple(clause.spans for clause in group), score)
        for group, score in groups
    ]
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

    def similarity(self, first: Clause, second: Clause) -> float:
        """Return twice the shared weight over that of both clauses (Dice)."""
        together = self.total(first.words) + self.total(second.words)
        return 2 * self.total(first.words & second.words) / together if together else 0.0


ClauseKey = tuple[int, int]
"""The numbers of a summary and of a clause in it."""


def _groups(links: Sequence[tuple[float, ClauseKey, ClauseKey]]) -> list[tuple[list[ClauseKey], float]]:
    """Return groups of linked clauses, at most one of each summary, with the mean weight of their links.

    The strongest links come first; one that would bring two clauses of a summary together is left out.
    """
    group: dict[ClauseKey, list[ClauseKey]] = {}
    weights: dict[ClauseKey, list[float]] = {}
    for weight, left_clause, right_clause in sorted(links, key=lambda link: -link[0]):
        left, right = group.get(left_clause, [left_clause]), group.get(right_clause, [right_clause])
        if left is not right and {summary for summary, _ in left} & {summary for summary, _ in right}:
            continue
        joined = left if left is right else sorted([*left, *right])
        link_weights = [weight, *weights.pop(left[0], []), *(weights.pop(right[0], []) if left is not right else [])]
        # A group is known by its first clause.
        weights[joined[0]] = link_weights
        group.update(dict.fromkeys(joined, joined))
    return [(group[first], sum(link_weights) / len(link_weights)) for first, link_weights in weights.items()]


def _label(text: str, group: Sequence[Clause]) -> str:
    """Return the words of the shortest clause as the label of a unit."""
    shortest = min(group, key=lambda clause: sum(end - start for start, end in clause.spans))
    return " ".join(" ".join(text[start:end].split()) for start, end in shortest.spans)
