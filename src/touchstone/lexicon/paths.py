"""The path between two words: a pointer, or up to a hypernym they share and down again, or any pointers."""

from collections.abc import Iterable, Mapping, Sequence, Set
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
"""Followed where no hypernym is shared, the closest in meaning first; of two paths as short, the earlier is taken."""

_REVERSED = dict(zip((*UPWARD, *DOWNWARD), (*DOWNWARD, *UPWARD), strict=True))


@dataclass(frozen=True)
class Meeting:
    """A synset above both of two words, and the edges up to it from each; 0 where it is a sense of that word."""

    synset: Synset
    from_first: int
    from_second: int


@dataclass(frozen=True)
class Step:
    """A synset on a path, and the relation that led to it; None at the start."""

    synset: Synset
    relation: Relation | None

    @property
    def name(self) -> str:
        """The name of the synset."""
        return self.synset.name

    @property
    def words(self) -> Sequence[str]:
        """The words of the synset."""
        return self.synset.words

    @property
    def link(self) -> str:
        """The relation in words; empty at the start."""
        return self.relation.label if self.relation else ""

    @property
    def descent(self) -> int:
        """1 where the relation leads to a more specific synset, -1 to a more general one, 0 elsewhere."""
        return -1 if self.relation in UPWARD else int(self.relation in DOWNWARD)


Path = tuple[Step, ...]
Trail = Mapping[Synset, Path]
"""The path by which each synset was first reached."""


def common_hypernyms(first: Word, second: Word, edges: int | None = None) -> tuple[Meeting, ...]:
    """Return the synsets above both words, at most *edges* above each; the nearest first.

    >>> from touchstone.lexicon import wordnet
    >>> lexicon = wordnet()
    >>> nearest = lexicon.common_hypernyms("dog", "cat", 2)[0]
    >>> nearest.synset.name, nearest.from_first, nearest.from_second
    ('carnivore.n.01', 2, 2)
    """
    # The first union puts the words' own synsets in front, the second gives them the distance 0.
    left, right = (
        senses | word.hypernyms(edges) | senses
        for word in (first, second)
        for senses in [dict.fromkeys(word.synsets(), 0)]
    )
    meetings = [Meeting(synset, left[synset], right[synset]) for synset in left if synset in right]
    return tuple(sorted(meetings, key=lambda at: (max(at.from_first, at.from_second), at.from_first + at.from_second)))


def path_between(first: Sequence[Word], second: Sequence[Word]) -> Path:
    """Return the fewest steps from a sense of one word to a sense of the other, both ends included.

    A pointer that joins them is the path; else it leads through a hypernym that both have, where there is one; else
    along any pointers. Of paths as short the one between the more common senses is taken. It is empty where the words
    are not connected.

    Parameters
    ----------
    first, second
        The words that each of the two may be, such as leaf and leave for leaves.

    Examples
    --------
    >>> from touchstone.lexicon import wordnet
    >>> [step.synset.name for step in wordnet().path("dog", "cat")]
    ['dog.n.01', 'canine.n.02', 'carnivore.n.01', 'feline.n.01', 'cat.n.01']
    >>> [step.relation.label for step in wordnet().path("wet", "dry") if step.relation]
    ['antonym']
    """
    starts, ends = _most_frequent_first(first), _most_frequent_first(second)
    if not ends:
        return ()
    return _along(starts, ends, edges=1) or _through_hypernym(starts, ends) or _along(starts, ends, edges=None)


def trail(
    starts: Iterable[Synset],
    relations: Sequence[Relation] = (),
    edges: int | None = None,
    stop: Set[Synset] = frozenset(),
) -> Trail:
    """Return the path to each synset that is reached, breadth first; the starts are reached too.

    Parameters
    ----------
    starts
        Where the paths begin.
    relations
        The pointers to follow; of two that lead to a synset, the earlier is taken.
    edges
        The most steps of a path; any number by default.
    stop
        Ends the search as soon as one of these synsets is reached.
    """
    paths: dict[Synset, Path] = {synset: (Step(synset, None),) for synset in starts}
    level, distance = list(paths), 0
    while level and relations and distance != edges and stop.isdisjoint(level):
        reached: dict[Synset, Path] = {}
        for synset in level:
            for relation in relations:
                for target in synset.related(relation):
                    if target not in paths:
                        reached.setdefault(target, (*paths[synset], Step(target, relation)))
        paths |= reached
        level, distance = list(reached), distance + 1
    return paths


def backwards(path: Path) -> Path:
    """Return the steps after the end of a path back to its start, against the pointers."""
    return tuple(
        Step(before.synset, _REVERSED.get(after.relation, after.relation))
        for before, after in zip(path[-2::-1], path[:0:-1], strict=True)
        if after.relation is not None
    )


def _most_frequent_first(words: Sequence[Word]) -> list[Synset]:
    counts = {s: count for word in words for s, count in zip(word.synsets(), word.counts(), strict=True)}
    return sorted(counts, key=lambda synset: -counts[synset])


def _along(starts: list[Synset], ends: list[Synset], edges: int | None) -> Path:
    """Return the shortest path along any pointers, of at most *edges* edges."""
    reached = trail(starts, _ANY, edges, stop=set(ends))
    paths = [reached[end] for end in ends if end in reached]
    return min(paths, key=lambda path: (len(path), starts.index(path[0].synset)), default=())


def _through_hypernym(starts: list[Synset], ends: list[Synset]) -> Path:
    """Return the shortest path up to a hypernym of both, and down; of equally short ones that of frequent senses."""
    up, down = trail(starts, UPWARD), trail(ends, UPWARD)
    paths = [(up[synset], down[synset]) for synset in up if synset in down]
    out, back = min(
        paths,
        key=lambda both: (
            len(both[0]) + len(both[1]),
            starts.index(both[0][0].synset) + ends.index(both[1][0].synset),
        ),
        default=((), ()),
    )
    return (*out, *backwards(back))
