"""The way through WordNet that decided a pair: the steps of the very relation that was found.

Unlike `touchstone.lexicon.paths`, which looks for the shortest way of any kind.
"""

from collections.abc import Iterable, Mapping, Sequence

from touchstone.lexicon import Relation, Step, Synset
from touchstone.lexicon.relation import DOWNWARD, UPWARD

Way = tuple[Step, ...]
Trail = Mapping[Synset, Way]
"""How each synset was first reached from the senses of a word."""

CLUSTER = (Relation.SIMILAR, Relation.ALSO_SEE)
"""What joins an adjective to the head of its cluster, or to one nearby."""

_TURNED = dict(zip((*UPWARD, *DOWNWARD), (*DOWNWARD, *UPWARD), strict=True))


def way(relation: str, first: Sequence[Synset], second: Sequence[Synset], *, edges: int | None = None) -> Way:
    """Return the steps from a sense of the first word to one of the second that make up *relation*.

    *edges* is how far above each word a shared hypernym may stand.

    >>> from touchstone.lexicon import wordnet
    >>> guitar, banjo = (wordnet().word(word).synsets("n") for word in ("guitar", "banjo"))
    >>> [str(step.synset) for step in way("co_hyponym", guitar, banjo, edges=3)]
    ['guitar.n.01', 'stringed_instrument.n.01', 'banjo.n.01']
    """
    if relation == "synonym":
        return _synonym_way(first, second)
    if relation == "antonym":
        return _opposed(_trail(first, (Relation.SIMILAR,), 1), _trail(second, (Relation.SIMILAR,), 1))
    if relation == "hypernym":
        return _met(_trail(first, UPWARD), _trail(second))
    if relation == "hyponym":
        return _met(_trail(first), _trail(second, UPWARD))
    if relation == "co_hyponym":
        return _met(_trail(first, UPWARD, edges), _trail(second, UPWARD, edges), apart=True)
    left, right = _trail(first, CLUSTER, 1), _trail(second, CLUSTER, 1)
    return _opposed(left, right) if relation == "opposed_cluster" else _met(left, right)


def _synonym_way(first: Sequence[Synset], second: Sequence[Synset]) -> Way:
    here, there = _trail(first), _trail(second)
    return (
        _met(here, there)
        or _met(_trail(first, (Relation.SIMILAR,), 1), there)
        or _met(_trail(first, (Relation.ALSO_SEE,), 1), there)
        or _met(here, _trail(second, (Relation.ALSO_SEE,), 1))
    )


def _trail(starts: Iterable[Synset], relations: Sequence[Relation] = (), edges: int | None = None) -> Trail:
    """Return the way to each synset that *relations* lead to in at most *edges* steps, the starts included."""
    trail: dict[Synset, Way] = {synset: (Step(synset, None),) for synset in starts}
    level, distance = list(trail), 0
    while level and relations and distance != edges:
        reached: dict[Synset, Way] = {}
        for synset in level:
            for relation in relations:
                for target in synset.related(relation):
                    if target not in trail:
                        reached.setdefault(target, (*trail[synset], Step(target, relation)))
        trail |= reached
        level, distance = list(reached), distance + 1
    return trail


def _met(left: Trail, right: Trail, *, apart: bool = False) -> Way:
    """Return the shortest way that goes out on one trail and back on the other; *apart*: a step at least on each."""
    ways = [
        (left[synset], right[synset])
        for synset in left
        if synset in right and not (apart and 1 in (len(left[synset]), len(right[synset])))
    ]
    out, back = min(ways, key=lambda both: (max(map(len, both)), sum(map(len, both))), default=((), ()))
    return (*out, *_backwards(back))


def _opposed(left: Trail, right: Trail) -> Way:
    """Return the shortest way that leaves one trail over an antonym onto the other."""
    ways = [
        (*out, Step(target, Relation.ANTONYM), *_backwards(right[target]))
        for synset, out in left.items()
        for target in synset.related(Relation.ANTONYM)
        if target in right
    ]
    return min(ways, key=len, default=())


def _backwards(steps: Way) -> Way:
    """Return the steps after the end of a way back to its start, against the arrows."""
    return tuple(
        Step(before.synset, _TURNED.get(after.relation, after.relation))
        for before, after in zip(steps[-2::-1], steps[:0:-1], strict=True)
        if after.relation is not None
    )
