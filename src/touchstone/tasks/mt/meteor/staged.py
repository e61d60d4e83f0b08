"""METEOR's alignment as its first paper describes it (Banerjee and Lavie 2005, section 2.1), one stage after the other.

A stage links words that no earlier stage has linked: equal words, then words with equal stems, then synonyms. Of all
ways to make the most links it takes one with the fewest crossings, those with links of earlier stages included. The
paper does not say how such a way is found. Here paths over the reference words are compared, from left to right; the
`BEAM` best are kept, which finds the fewest crossings but where a sentence has very many ways.
"""

from bisect import bisect_left
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from heapq import merge
from itertools import combinations
from operator import itemgetter

import numpy as np

from touchstone.base.ragged import Ints
from touchstone.tasks.mt.meteor.words import EXACT, NONE, STEM, SYNONYM, WordPairs

BEAM = 40
"""How many paths are kept after each reference word, as many as METEOR's own search keeps."""

MOST_KINDS = 10
"""Up to how many kinds of system words a group is looked at as a whole; a line of thousands of words may have more."""

Kinds = Mapping[int, int]
"""Places of words, as bits of a number, for each kind of word: equal words, or words with equal stems."""

Edges = Mapping[int, tuple[int, ...]]
"""The kinds of system words that a kind of reference words may be linked to."""

Links = tuple["Links", int, int] | None
"""Links of a stage: all but the last, and the system word and the reference word of the last."""

Path = tuple[int, int, int, Links]
"""Links given up, crossings, the system words linked so far as bits, and the links of the stage."""

_worth = itemgetter(0, 1)


def align(pairs: WordPairs) -> tuple[Ints, Ints]:
    """Align each system text with the reference beside it.

    Returns, for each reference word, the place of its system word and the stage that linked them, -1 for none.
    """
    system, reference = pairs.system, pairs.reference
    places, modules = np.full((2, len(reference.values)), NONE, np.int64)
    for pair in range(len(reference)):
        (a, b), (start, end) = system.offsets[pair : pair + 2], reference.offsets[pair : pair + 2]
        aligned = _aligned(system.values[a:b].tolist(), reference.values[start:end].tolist(), pairs)
        for j, (i, stage) in aligned.items():
            places[start + j], modules[start + j] = i, stage
    return places, modules


def _aligned(system: Sequence[int], reference: Sequence[int], pairs: WordPairs) -> dict[int, tuple[int, int]]:
    """Return the system word and the stage of each linked reference word."""
    linked: dict[int, tuple[int, int]] = {}
    for stage in (EXACT, STEM, SYNONYM):
        taken = {i for i, _ in linked.values()}
        left = _kinds(system, taken, stage, pairs)
        right = _kinds(reference, linked.keys(), stage, pairs)
        edges = _synonyms(left, right, pairs) if stage == SYNONYM else {kind: (kind,) for kind in right if kind in left}
        earlier_links = {j: i for j, (i, _) in linked.items()}
        linked |= {j: (i, stage) for i, j in _fewest_crossings(earlier_links, left, right, edges, len(reference))}
    return linked


def _kinds(words: Sequence[int], taken: Container[int], stage: int, pairs: WordPairs) -> dict[int, int]:
    """Return the places of the words of each kind that no stage has linked."""
    kinds: dict[int, int] = {}
    for position, word in enumerate(words):
        if position not in taken:
            kind = int(pairs.stems[word]) if stage == STEM else word
            kinds[kind] = kinds.get(kind, 0) | 1 << position
    return kinds


def _synonyms(left: Kinds, right: Kinds, pairs: WordPairs) -> Edges:
    """Return the kinds of system words that share a synset with each kind of reference words."""
    having: dict[int, list[int]] = {}
    for kind in left:
        for synset in _synsets(kind, pairs):
            having.setdefault(synset, []).append(kind)
    sharing = {kind: {other for synset in _synsets(kind, pairs) for other in having.get(synset, ())} for kind in right}
    # In the order of the system's words, not of their numbers: numbers depend on the other segments.
    return {kind: tuple(other for other in left if other in others) for kind, others in sharing.items() if others}


def _synsets(word: int, pairs: WordPairs) -> list[int]:
    first, last = pairs.synsets.offsets[word : word + 2]
    synsets: list[int] = pairs.synsets.values[first:last].tolist()
    return synsets


@dataclass(frozen=True)
class _Group:
    """Kinds of words that can be linked to each other and to no others: a connected part of the candidates."""

    left: Kinds
    right: Kinds
    edges: Edges

    @cached_property
    def words(self) -> int:
        """The places of all its system words."""
        return sum(self.left.values())

    @cached_property
    def places(self) -> dict[int, list[int]]:
        """The places of the system words of each kind."""
        return {kind: list(_places(words)) for kind, words in self.left.items()}

    @cached_property
    def most(self) -> int:
        """The most links that it allows."""
        return self._most_left(0, -1)

    def still_most(self, used: int, j: int) -> bool:
        """Return whether a path that linked the *used* system words can make the most links, after reference word j."""
        if len(self.left) > MOST_KINDS:
            return True
        return (self.words & used).bit_count() + self._most_left(used, j) == self.most

    def _most_left(self, used: int, j: int) -> int:
        """Return the most links that the words after those linked and after reference word *j* allow."""
        left = tuple(_after(places, (places & used).bit_length()).bit_count() for places in self.left.values())
        right = tuple(_after(places, j + 1).bit_count() for places in self.right.values())
        return _most_links(left, right, self._neighbours)

    @cached_property
    def _neighbours(self) -> tuple[frozenset[int], ...]:
        """For each kind of system words, in order, the places of the kinds of reference words that it may link to."""
        return tuple(
            frozenset(index for index, kind in enumerate(self.right) if other in self.edges[kind])
            for other in self.left
        )


@lru_cache(1 << 16)
def _most_links(left: tuple[int, ...], right: tuple[int, ...], neighbours: tuple[frozenset[int], ...]) -> int:
    """Return the most links between kinds of words, of which there are so many: Koenig's theorem over kinds.

    >>> _most_links((2, 1), (1, 1), (frozenset([0]), frozenset([0, 1])))
    2
    """
    if len(left) == len(right) == 1:
        return min(left[0], right[0])
    ways = (subset for size in range(len(left) + 1) for subset in combinations(range(len(left)), size))
    return min(
        sum(left) - sum(left[kind] for kind in subset) + sum(right[kind] for kind in _joint(neighbours, subset))
        for subset in ways
    )


def _joint(neighbours: Sequence[frozenset[int]], kinds: Sequence[int]) -> frozenset[int]:
    return frozenset().union(*(neighbours[kind] for kind in kinds))


def _groups(left: Kinds, right: Kinds, edges: Edges) -> dict[int, _Group]:
    """Return the group of each kind of reference words."""
    groups: dict[int, _Group] = {}
    reached_by: dict[int, list[int]] = {}
    for kind, others in edges.items():
        for other in others:
            reached_by.setdefault(other, []).append(kind)
    for kind in edges:
        if kind not in groups:
            rights, lefts = _reached(kind, edges, reached_by)
            group = _Group(
                {member: left[member] for member in lefts},
                {member: right[member] for member in rights},
                {member: edges[member] for member in rights},
            )
            groups |= dict.fromkeys(rights, group)
    return groups


def _reached(start: int, edges: Edges, reached_by: Mapping[int, Sequence[int]]) -> tuple[list[int], list[int]]:
    rights, lefts, waiting = {start: None}, dict[int, None](), [start]
    while waiting:
        for other in edges[waiting.pop()]:
            if other not in lefts:
                lefts[other] = None
                new = [kind for kind in reached_by[other] if kind not in rights]
                rights |= dict.fromkeys(new)
                waiting += new
    return list(rights), list(lefts)


def _fewest_crossings(
    earlier_links: Mapping[int, int], left: Kinds, right: Kinds, edges: Edges, length: int
) -> Iterator[tuple[int, int]]:
    """Yield the new links of a stage as system and reference words; *earlier_links* are those of earlier stages."""
    kind_at = {position: kind for kind in edges for position in _places(right[kind])}
    groups = _groups(left, right, edges)
    paths: list[Path] = [(0, 0, 0, None)]
    for j in range(length):
        if j in earlier_links:
            paths = [_linked(path, earlier_links[j], None) for path in paths]
        elif j in kind_at:
            kind = kind_at[j]
            paths = _best(row for path in paths for row in _branches(path, j, kind, groups[kind]))
    links = min(paths, key=_worth)[3]
    while links is not None:
        yield links[1:]
        links = links[0]


def _branches(path: Path, j: int, kind: int, group: _Group) -> Iterator[Iterable[Path]]:
    """Yield what a path may become at reference word *j*, in rows of which each begins with the best.

    That is every link that still allows the most links, and none if that does.
    """
    if group.still_most(path[2], j):
        lost = len(group.left) > MOST_KINDS
        yield ((path[0] + lost, *path[1:]),)
    for other in group.edges[kind]:
        yield (_linked(path, i, j) for i in _first_of_equals(path[2], j, other, group))


def _first_of_equals(used: int, j: int, kind: int, group: _Group) -> Iterator[int]:
    """Yield the system words of one kind that a path may link to reference word *j*, those that cross least first.

    Equal words are linked in order, as a crossing of theirs can be undone. Of equal words with no linked word between
    them, the first is as good as any: only a later link can come between them, and it would cross that of the others.
    """
    words = group.places[kind]
    first = bisect_left(words, (group.left[kind] & used).bit_length())
    last = bisect_left(words, True, first, key=lambda i: not group.still_most(used | 1 << i, j)) - 1
    while last >= first:
        before = (used & (1 << words[last]) - 1).bit_length()
        at = bisect_left(words, before, first)
        yield words[at]
        last = at - 1


def _linked(path: Path, i: int, j: int | None) -> Path:
    """Return a path with one more link, which crosses those of system words further on; kept where *j* is given."""
    lost, crossings, used, links = path
    return lost, crossings + (used >> i).bit_count(), used | 1 << i, links if j is None else (links, i, j)


def _best(rows: Iterable[Iterable[Path]]) -> list[Path]:
    """Return the best of what the paths may become, one path for each set of linked system words."""
    by_linked_words: dict[int, Path] = {}
    for path in merge(*rows, key=_worth):
        by_linked_words.setdefault(path[2], path)
        if len(by_linked_words) == BEAM:
            break
    return list(by_linked_words.values())


def _after(places: int, start: int) -> int:
    """Return the places from *start* on."""
    return places >> start << start


def _places(bits: int) -> Iterator[int]:
    while bits:
        low = bits & -bits
        yield low.bit_length() - 1
        bits ^= low
