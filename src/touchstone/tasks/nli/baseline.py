"""What a lexicon alone achieves: the paper's WordNet rule, and stronger lexical rules; each label with its reason.

`wordnet_baseline` is a reconstruction fitted to the paper's figures. `lexical_rules` was designed after seeing the
errors on the challenge set: its figures there are upper estimates, and belong beside those on other data.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property

import numpy as np

from touchstone import __version__
from touchstone.base.ragged import Bools
from touchstone.base.tables import Column, Table
from touchstone.io.jsonl import Json
from touchstone.lexicon import Lexicon, Relation, SenseRelations, Step, Synset, wordnet
from touchstone.lexicon.paths import Path, Trail, backwards, trail
from touchstone.lexicon.relation import UPWARD
from touchstone.show.finding import Finding, Statement, kind_rows
from touchstone.tasks.nli.edits import Edit, find_edit
from touchstone.tasks.nli.model import OTHER, GoldSet, Label, Run
from touchstone.tasks.nli.readings import DEFAULT, MEANS, Reading
from touchstone.tasks.nli.words import Dictionary, Words

Edits = Sequence[Edit | None]

CLUSTER = (Relation.SIMILAR, Relation.ALSO_SEE)
"""The links from an adjective to the head of its cluster, or to one nearby."""


@dataclass(frozen=True)
class Decision:
    """Why a pair of words has its label: the rule that decided, and the senses whose relation it found."""

    words: Words
    label: str
    rule: str
    senses: tuple[tuple[Synset, ...], tuple[Synset, ...]] = ((), ())
    edges: int | None = None

    @property
    def because(self) -> str:
        """The rule that decided, as people write it."""
        return "co-hyponym" if self.rule == "co_hyponym" else self.rule.replace("_", " ")

    @cached_property
    def way(self) -> tuple[Step, ...]:
        """The steps in the lexicon that the rule found; none where it looked at the words alone."""
        return relation_path(self.rule, *self.senses, edges=self.edges) if all(self.senses) else ()

    @property
    def path(self) -> str:
        """The steps as a line of text."""
        parts = [f"{'' if step.relation is None else f' –{step.relation.label}→ '}{step.synset}" for step in self.way]
        return "".join(parts)


@dataclass(frozen=True)
class RuleCount:
    """How many *pairs* a rule decided and the *label* that it gave; *share* of those with gold are *right*."""

    rule: str
    label: str
    pairs: int
    right: int
    share: float | None


@dataclass(frozen=True, eq=False, repr=False)
class Baseline(Finding):
    """The label that a rule gives to each pair, and why; *decisions* are in the order of the pairs."""

    name: str
    pairs: GoldSet
    decisions: Sequence[Decision]
    engine: str
    """What was looked up, and how."""

    @cached_property
    def rules(self) -> list[RuleCount]:
        """Every rule with the label that it gave, the one that decided most pairs first."""
        counts: dict[tuple[str, str], list[int]] = {}
        for pair, decision in zip(self.pairs.pairs, self.decisions, strict=True):
            numbers = counts.setdefault((decision.because, decision.label), [0, 0, 0])
            for column, more in enumerate((1, pair.gold == decision.label, pair.gold is not None)):
                numbers[column] += more
        return [
            RuleCount(rule, label, n, right, right / with_gold if with_gold else None)
            for (rule, label), (n, right, with_gold) in sorted(counts.items(), key=lambda count: -count[1][0])
        ]

    def table(self) -> Table:
        """Return how many pairs each rule decided, the label it gave, and how often that is the gold label."""
        rows = [list(vars(rule).values()) for rule in self.rules]
        heads = ("pairs", "right", "share")
        return Table([Column("rule"), Column("label"), *(Column(head, "right") for head in heads)], rows)

    def statement(self) -> Statement:
        """Return how many pairs each rule decided."""
        return Statement(
            f"Baseline {self.name}",
            [self.table()],
            kind_rows("rule", map(asdict, self.rules)),
            signature={
                "touchstone": __version__,
                "task": "nli baseline",
                **self.pairs.signature,
                "engine": self.engine,
            },
        )

    @property
    def run(self) -> Run:
        """The labels, as those of a system."""
        labels = [decision.label for decision in self.decisions]
        return Run(self.name, self.pairs.source, self.pairs.ids, labels, self.pairs.lines)

    def objects(self) -> Iterator[dict[str, Json]]:
        """Yield the predictions as JSON, each with the words, the rule and the path behind it."""
        for name, decision in zip(self.pairs.ids, self.decisions, strict=True):
            yield {
                "id": name,
                "label": decision.label,
                "replaced": decision.words[0],
                "replacement": decision.words[1],
                "rule": decision.rule,
                "path": decision.path,
            }


def wordnet_baseline(pairs: GoldSet, reading: Reading = DEFAULT, *, lexicon: Lexicon | None = None) -> Baseline:
    """Label each pair by the WordNet relation between the replaced word and the new one (paper, section 4.1).

    The first relation of the reading's order that holds decides: synonym and hypernym give entailment, hyponym
    neutral, antonym and co-hyponym contradiction; where none holds the label is other.

    Parameters
    ----------
    pairs
        The pairs; each should differ in one place.
    reading
        How words are looked up, and which relations count, in which order.
    lexicon
        The lexicon; the WordNet that is shipped by default.

    Examples
    --------
    >>> from touchstone import nli
    >>> gold = nli.read_gold([
    ...     {"id": "1", "premise": "A dog runs.", "hypothesis": "An animal runs.", "label": "entailment"},
    ...     {"id": "2", "premise": "A dog runs.", "hypothesis": "A cat runs.", "label": "contradiction"},
    ... ])
    >>> baseline = nli.wordnet_baseline(gold)
    >>> [decision.label for decision in baseline.decisions]
    ['entailment', 'contradiction']
    >>> baseline
    rule        label          pairs  right  share
    ──────────────────────────────────────────────
    hypernym    entailment         1      1  1.000
    co-hyponym  contradiction      1      1  1.000
    """
    dictionary = Dictionary(lexicon or wordnet(), reading)
    edits = [find_edit(pair, hyphens=reading.hyphens) for pair in pairs.pairs]
    decisions = decide(dictionary, edits, lambda words: decided_by_wordnet(dictionary, words))
    return Baseline(f"wordnet_{reading.name}", pairs, decisions, dictionary.signature)


def decide(dictionary: Dictionary, edits: Edits, by: Callable[[list[Words]], list[Decision]]) -> list[Decision]:
    """Return a decision for each edit; the same words are decided once."""
    words = [dictionary.words(edit) if edit else ("", "") for edit in edits]
    distinct = list(dict.fromkeys(words))
    decision_of = dict(zip(distinct, by(distinct), strict=True))
    return [
        decision_of[pair] if edit else Decision(pair, OTHER, "no difference")
        for pair, edit in zip(words, edits, strict=True)
    ]


def decided_by_wordnet(dictionary: Dictionary, words: Sequence[Words]) -> list[Decision]:
    """Return what the dictionary's reading decides for each pair of words."""
    reading = dictionary.reading
    relations = dictionary.relations(words)
    holds = [_holds(relation, reading, relations) for relation in reading.order]
    # The first relation in the order of the reading decides, if several hold.
    first = np.select(holds, [np.full(len(words), index) for index in range(len(holds))], -1)
    return [
        decision(dictionary, pair, MEANS[reading.order[index]], reading.order[index], reading.edges)
        if index >= 0
        else Decision(pair, OTHER, "no relation")
        for pair, index in zip(words, first.tolist(), strict=True)
    ]


def decision(dictionary: Dictionary, words: Words, label: Label, rule: str, edges: int | None = None) -> Decision:
    """Return a decision that a relation of the senses of *words* made."""
    first, second = (tuple(Synset(dictionary.lexicon, sense) for sense in dictionary.senses(word)) for word in words)
    return Decision(words, label, rule, (first, second), edges)


def _holds(relation: str, reading: Reading, relations: SenseRelations) -> Bools:
    """Return for which pairs of words *relation* holds."""
    if relation == "antonym":
        return (relations.opposition >= 0) & (relations.opposition <= reading.steps)
    if relation == "synonym":
        return relations.synonym | (reading.similar & relations.similar) | (reading.also_see & relations.also_see)
    if relation == "co_hyponym":
        near = relations.common > 0 if reading.edges is None else relations.co_hyponym(reading.edges)
        return near if reading.total is None else near & (relations.total <= reading.total)
    distance = relations.up if relation == "hypernym" else relations.down
    limit = reading.hypernym_edges
    return (distance > 0) if limit is None else (distance > 0) & (distance <= limit)


def relation_path(
    relation: str, first: Sequence[Synset], second: Sequence[Synset], *, edges: int | None = None
) -> Path:
    """Return the steps from a sense of the first word to one of the second that make up a relation.

    Unlike `touchstone.lexicon.paths.path_between`, which looks for the shortest path of any kind.

    Parameters
    ----------
    relation
        The rule that decided: one of `MEANS`, ``opposed_cluster`` or ``shared_cluster``.
    first, second
        The senses of each word.
    edges
        How far above each word a shared hypernym may be; any distance by default.

    Examples
    --------
    >>> from touchstone.lexicon import wordnet
    >>> guitar, banjo = (wordnet().word(word).synsets("n") for word in ("guitar", "banjo"))
    >>> [str(step.synset) for step in relation_path("co_hyponym", guitar, banjo, edges=3)]
    ['guitar.n.01', 'stringed_instrument.n.01', 'banjo.n.01']
    """
    if relation == "synonym":
        return _synonym_path(first, second)
    if relation == "antonym":
        return _opposed(trail(first, (Relation.SIMILAR,), 1), trail(second, (Relation.SIMILAR,), 1))
    if relation == "hypernym":
        return _shortest_joining_path(trail(first, UPWARD), trail(second))
    if relation == "hyponym":
        return _shortest_joining_path(trail(first), trail(second, UPWARD))
    if relation == "co_hyponym":
        return _shortest_joining_path(trail(first, UPWARD, edges), trail(second, UPWARD, edges), both_sides_move=True)
    left, right = trail(first, CLUSTER, 1), trail(second, CLUSTER, 1)
    return _opposed(left, right) if relation == "opposed_cluster" else _shortest_joining_path(left, right)


def _synonym_path(first: Sequence[Synset], second: Sequence[Synset]) -> Path:
    here, there = trail(first), trail(second)
    return (
        _shortest_joining_path(here, there)
        or _shortest_joining_path(trail(first, (Relation.SIMILAR,), 1), there)
        or _shortest_joining_path(trail(first, (Relation.ALSO_SEE,), 1), there)
        or _shortest_joining_path(here, trail(second, (Relation.ALSO_SEE,), 1))
    )


def _shortest_joining_path(left: Trail, right: Trail, *, both_sides_move: bool = False) -> Path:
    """Return the shortest path out on one trail and back on the other, with a step on each if *both_sides_move*."""
    paths = [
        (left[synset], right[synset])
        for synset in left
        if synset in right and not (both_sides_move and 1 in (len(left[synset]), len(right[synset])))
    ]
    out, back = min(paths, key=lambda both: (max(map(len, both)), sum(map(len, both))), default=((), ()))
    return (*out, *backwards(back))


def _opposed(left: Trail, right: Trail) -> Path:
    """Return the shortest path that leaves one trail over an antonym onto the other."""
    paths = [
        (*out, Step(target, Relation.ANTONYM), *backwards(right[target]))
        for synset, out in left.items()
        for target in synset.related(Relation.ANTONYM)
        if target in right
    ]
    return min(paths, key=len, default=())
