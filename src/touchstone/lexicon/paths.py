"""The way between two words: a pointer, or up to a hypernym they share and down again, or any pointers."""

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass

from touchstone.lexicon.relation import DOWNWARD, UPWARD, Relation
from touchstone.lexicon.synset import Synset
from touchstone.lexicon.word import Word

_ANY = (
    Relation.ANTONYM,
    Relation.SIMILAR,
    *UPWARD,
    *DOWNWARD,
    Relation.VERB_GROUP,
    Relation.ENTAILMENT,
    Relation.CAUSE,
    Relation.ALSO_SEE,
    Relation.ATTRIBUTE,
    Relation.PERTAINYM,
    Relation.PARTICIPLE,
    Relation.DERIVATION,
)
"""Followed where no hypernym is shared, the closest in meaning first; of two ways as short, the earlier is taken."""

Synsets = tuple[Synset, ...]
Trail = Mapping[Synset, tuple[Synset | None, Relation | None]]
"""How each synset was reached: from where, by what."""


@dataclass(frozen=True)
class Meeting:
    """A synset above both of two words, and the edges up to it from each; 0 where it is a sense of that word."""

    synset: Synset
    from_first: int
    from_second: int


@dataclass(frozen=True)
class Step:
    """A synset on a way, and the relation that led to it; None at the start."""

    synset: Synset
    relation: Relation | None


def common_hypernyms(
    first: Word, second: Word, edges: int | None = None, *, instances: bool = True
) -> tuple[Meeting, ...]:
    """Return the synsets above both words, at most *edges* above each; the nearest first.

    >>> from touchstone.lexicon import wordnet
    >>> lexicon = wordnet()
    >>> nearest = lexicon.common_hypernyms("dog", "cat", 2)[0]
    >>> nearest.synset.name, nearest.from_first, nearest.from_second
    ('carnivore.n.01', 2, 2)
    """
    left, right = (
        dict.fromkeys(word.synsets(), 0) | _farther(word, edges, instances=instances) for word in (first, second)
    )
    met = [Meeting(synset, left[synset], right[synset]) for synset in left if synset in right]
    return tuple(sorted(met, key=lambda one: (max(one.from_first, one.from_second), one.from_first + one.from_second)))


def _farther(word: Word, edges: int | None, *, instances: bool) -> dict[Synset, int]:
    own = set(word.synsets())
    return {up: far for up, far in word.hypernyms(edges, instances=instances).items() if up not in own}


def path_between(first: Sequence[Word], second: Sequence[Word]) -> tuple[Step, ...]:
    """Return the fewest steps from a sense of one word to a sense of the other, both ends included.

    Each is given as the words it may be, such as leaf and leave for leaves. A pointer that joins them is the
    way; else it leads through a hypernym that both have, where there is one;
    else along any pointers. Of ways as short the one between the more common senses is taken. It is empty where
    the words are not connected.

    >>> from touchstone.lexicon import wordnet
    >>> [step.synset.name for step in wordnet().path("dog", "cat")]
    ['dog.n.01', 'canine.n.02', 'carnivore.n.01', 'feline.n.01', 'cat.n.01']
    >>> [step.relation.label for step in wordnet().path("wet", "dry") if step.relation]
    ['antonym']
    """
    starts, ends = _commonest_first(first), _commonest_first(second)
    if not starts or not ends:
        return ()
    return _along(starts, ends, edges=1) or _through_hypernym(starts, ends) or _along(starts, ends, edges=None)


def _commonest_first(words: Sequence[Word]) -> Synsets:
    counts = {s: count for word in words for s, count in zip(word.synsets(), word.counts(), strict=True)}
    return tuple(sorted(counts, key=lambda synset: -counts[synset]))


def _along(starts: Synsets, ends: Synsets, edges: int | None) -> tuple[Step, ...]:
    """Return the shortest way along any pointers, of at most *edges* edges."""
    trail = _trail(starts, _ANY, edges, stop=set(ends))
    ways = [_walk(trail, end) for end in ends if end in trail]
    return min(ways, key=lambda way: (len(way), _rank(starts, way)), default=())


def _through_hypernym(starts: Synsets, ends: Synsets) -> tuple[Step, ...]:
    """Return the shortest way up to a hypernym of both, and down."""
    up, down = _trail(starts, UPWARD), _trail(ends, UPWARD)
    ways = [(_walk(up, synset), _walk(down, synset)) for synset in up if synset in down]
    shortest = min(
        ways, key=lambda way: (len(way[0]) + len(way[1]), _rank(starts, way[0]) + _rank(ends, way[1])), default=((), ())
    )
    return _up_and_down(*shortest)


def _rank(senses: Synsets, way: tuple[Step, ...]) -> int:
    """Return which of the senses of its word, the most common first, a way starts from."""
    return senses.index(way[0].synset)


def _trail(
    starts: Synsets, relations: tuple[Relation, ...], edges: int | None = None, stop: Set[Synset] = frozenset()
) -> Trail:
    """Return how each synset is first reached, breadth first, no further than *edges* or the first of *stop*."""
    trail: dict[Synset, tuple[Synset | None, Relation | None]] = dict.fromkeys(starts, (None, None))
    level, distance = list(trail), 0
    while level and distance != edges and stop.isdisjoint(level):
        reached = _next_level(level, relations, trail)
        trail |= reached
        level, distance = list(reached), distance + 1
    return trail


def _next_level(level: list[Synset], relations: tuple[Relation, ...], known: Trail) -> Trail:
    reached: dict[Synset, tuple[Synset | None, Relation | None]] = {}
    for synset in level:
        for relation in relations:
            for target in synset.related(relation):
                if target not in known:
                    reached.setdefault(target, (synset, relation))
    return reached


def _walk(trail: Trail, end: Synset) -> tuple[Step, ...]:
    """Return the steps that led to *end*, from the start on."""
    steps: list[Step] = []
    at: Synset | None = end
    while at is not None:
        before, relation = trail[at]
        steps.append(Step(at, relation))
        at = before
    return tuple(reversed(steps))


def _up_and_down(up: tuple[Step, ...], down: tuple[Step, ...]) -> tuple[Step, ...]:
    """Return the way up to the end of both walks and, against the arrows, down to the start of the second."""
    turned = dict(zip(UPWARD, DOWNWARD, strict=True))
    fall = [
        Step(below.synset, turned[above.relation])
        for below, above in zip(down[-2::-1], down[:0:-1], strict=True)
        if above.relation is not None
    ]
    return (*up, *fall)
