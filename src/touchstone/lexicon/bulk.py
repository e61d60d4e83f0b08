"""Relations between the words of many pairs, computed for all pairs at once."""

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import numpy.typing as npt

from touchstone.base.ragged import Bools, Ints, Ragged
from touchstone.lexicon.relation import UPWARD, Relation

if TYPE_CHECKING:
    from touchstone.lexicon.tables import Ids, Tables

Small: TypeAlias = npt.NDArray[np.int16]

NONE = -1
"""In a column of numbers: no such relation."""

_PAIRS_PER_BLOCK = 1 << 13
"""Bounds the memory of a join to some tens of megabytes, whatever the number of pairs."""


@dataclass(frozen=True)
class SenseRelations:
    """Columns, a place for each pair (a, b), over all senses of both; numbers are -1 where there is no relation.

    *opposition*: a word of a sense of a and one of b are antonyms, directly (0), after one similar-to step on
    either side (1) or on both (2). *up*: the fewest edges, at least 1, from a up to b, its hypernym; *down*: from
    b up to a. *common*: the smallest d such that both have an ancestor in common 1 to d edges above each;
    *total*: the fewest edges from a up to such an ancestor and down to b; *deepest*: the depth of the lowest.
    """

    synonym: Bools
    similar: Bools
    also_see: Bools
    opposition: Small
    up: Small
    down: Small
    common: Small
    total: Small
    deepest: Small

    def co_hyponym(self, edges: int) -> Bools:
        """Return whether a and b have an ancestor in common, 1 to *edges* edges above each."""
        return (self.common > 0) & (self.common <= edges)


@dataclass(frozen=True)
class Relations(SenseRelations):
    """`SenseRelations` of lemmas; *same*: a and b are one lemma; *antonym*: these two words are antonyms."""

    same: Bools
    antonym: Bools


def share_synonym(tables: "Tables", a: Ints, b: Ints) -> Bools:
    """Return whether two lemmas have a synonym (or themselves) in common; a lemma of -1 has none.

    MAXSIM's Syn (Chan and Ng 2008, section 4.1.1). The arrays of lemma numbers *a* and *b* are broadcast together, so
    a column against a row gives the whole matrix.

    >>> from touchstone.lexicon import wordnet
    >>> left, right = wordnet().lemma_ids(["run", "car"]), wordnet().lemma_ids(["leave", "auto", "the"])
    >>> wordnet().share_synonym(left[:, None], right).tolist()
    [[True, False, False], [False, True, False]]
    """
    from scipy.sparse import csr_array

    lemmas, first, second = _numbered(a, b)
    words = tables.lemmas_in(tables.synsets(lemmas))
    ones = np.ones(len(words.values), np.int32)
    table = csr_array((ones, words.values, words.offsets), shape=(len(lemmas), tables.lemma_count))
    # l and l' share a word w exactly where both are in the row of w, so one sparse product answers every pair.
    meeting = (table @ table.T).tocoo()
    pairs = np.sort(meeting.row.astype(np.int64) * len(lemmas) + meeting.col)
    return _among(first * len(lemmas) + second, pairs)


def relations(tables: "Tables", a: Ints, b: Ints, *, instances: bool = True) -> Relations:
    """Return the relations of the lemmas a[i] and b[i], over all their senses.

    *instances* counts instance hypernyms as hypernyms.

    >>> from touchstone.lexicon import wordnet
    >>> related = wordnet().relations(wordnet().lemma_ids(["dog", "wet"]), wordnet().lemma_ids(["animal", "dry"]))
    >>> related.up.tolist(), related.antonym.tolist()
    ([2, -1], [False, True])
    """
    first, second = np.broadcast_arrays(np.asarray(a, np.int64).ravel(), np.asarray(b, np.int64).ravel())
    lemmas, first_rows, second_rows = _numbered(first, second)
    senses = sense_relations(tables, tables.synsets(lemmas), first_rows, second_rows, instances=instances)
    antonyms = tables.lemma_links(Relation.ANTONYM)
    pairs = np.sort(antonyms.row * tables.lemma_count + antonyms.values)
    present = (first >= 0) & (second >= 0)
    return Relations(
        **{field.name: getattr(senses, field.name) for field in fields(senses)},
        same=present & (first == second),
        antonym=present & _among(first * tables.lemma_count + second, pairs),
    )


def sense_relations(tables: "Tables", rows: "Ids", a: Ints, b: Ints, *, instances: bool = True) -> SenseRelations:
    """Return the relations of the rows of synsets a[i] and b[i] of *rows* (see `synsets`, `synset_ids`).

    A row may hold any synsets: all senses of a lemma, its first, those of several forms of one word.
    """
    paired = _Paired(tables, rows, instances=instances)
    starts = range(0, max(len(a), 1), _PAIRS_PER_BLOCK)
    parts = [paired.relations(a[at : at + _PAIRS_PER_BLOCK], b[at : at + _PAIRS_PER_BLOCK]) for at in starts]
    return SenseRelations(
        *(np.concatenate([getattr(part, field.name) for part in parts]) for field in fields(SenseRelations))
    )


def ancestors(tables: "Tables", rows: "Ids", *, instances: bool = True) -> "tuple[Ids, Ids]":
    """Return the synsets above those of each row, and the fewest edges, at least 1, up to each."""
    links = UPWARD if instances else UPWARD[:1]
    size = np.int64(tables.synset_count)
    level, edges = rows, 0
    reached = np.empty(0, np.int64)
    keys_by_level, distances = [reached], [reached]
    while len(level.values):
        edges += 1
        above = tables.step(level, *links)
        keys = above.row * size + above.values
        # Levels grow by one edge, so a synset that was reached before was nearer there.
        fresh = ~_among(keys, reached)
        level = above.keep(fresh)
        keys_by_level.append(keys[fresh])
        distances.append(np.full(int(fresh.sum()), edges))
        reached = np.sort(np.concatenate(keys_by_level))
    keys = np.concatenate(keys_by_level)
    order = np.argsort(keys)
    sizes = np.bincount(keys // size, minlength=len(rows))
    nodes: Ids = Ragged.from_sizes(sizes, keys[order] % size)
    return nodes, Ragged(nodes.offsets, np.concatenate(distances)[order])


class _Paired:
    """The senses of each row and what they lead to, every row sorted, ready to be joined pair by pair."""

    def __init__(self, tables: "Tables", rows: "Ids", *, instances: bool) -> None:
        similar = tables.step(rows, Relation.SIMILAR)
        self.tables = tables
        self.senses, self.similar = _ordered(rows), _ordered(similar)
        self.also_see = _ordered(tables.step(rows, Relation.ALSO_SEE))
        self.opposite = _ordered(tables.step(rows, Relation.ANTONYM))
        self.opposite_of_similar = _ordered(tables.step(similar, Relation.ANTONYM))
        self.above, self.edges = ancestors(tables, rows, instances=instances)

    def relations(self, a: Ints, b: Ints) -> SenseRelations:
        senses, similar = self.senses, self.similar
        direct = self._meet(self.opposite, a, senses, b)
        either = self._meet(self.opposite_of_similar, a, senses, b) | self._meet(self.opposite, a, similar, b)
        both = self._meet(self.opposite_of_similar, a, similar, b)
        return SenseRelations(
            self._meet(senses, a, senses, b),
            self._meet(similar, a, senses, b),
            self._meet(self.also_see, a, senses, b) | self._meet(senses, a, self.also_see, b),
            np.select([direct, either, both], [0, 1, 2], NONE).astype(np.int16),
            self._edges_up(a, b),
            self._edges_up(b, a),
            *self._common(a, b),
        )

    def _meet(self, left: "Ids", a: Ints, right: "Ids", b: Ints) -> Bools:
        pair, _, _ = self._join(left.take(a), right.take(b))
        return np.bincount(pair, minlength=len(a)) > 0

    def _edges_up(self, a: Ints, b: Ints) -> Small:
        """Return the fewest edges from a sense of a up to one of b."""
        pair, above, _ = self._join(self.above.take(a), self.senses.take(b))
        return _extreme(np.minimum, pair, self.edges.take(a).values[above], len(a))

    def _common(self, a: Ints, b: Ints) -> tuple[Small, Small, Small]:
        above = self.above.take(a)
        pair, left, right = self._join(above, self.above.take(b))
        up, down = self.edges.take(a).values[left], self.edges.take(b).values[right]
        return (
            _extreme(np.minimum, pair, np.maximum(up, down), len(a)),
            _extreme(np.minimum, pair, up + down, len(a)),
            _extreme(np.maximum, pair, self.tables.depths[above.values[left]].astype(np.int64), len(a)),
        )

    def _join(self, left: "Ids", right: "Ids") -> tuple[Ints, Ints, Ints]:
        """Return row, place on the left and place on the right of each value that a row has on both sides."""
        size = np.int64(self.tables.synset_count)
        left_keys, right_keys = left.row * size + left.values, right.row * size + right.values
        # Rows are sorted and hold each value once, so the keys of the left are sorted too.
        left_positions = np.searchsorted(left_keys, right_keys)
        right_positions = np.flatnonzero(_among(right_keys, left_keys))
        return right.row[right_positions], left_positions[right_positions], right_positions


def _numbered(a: Ints, b: Ints) -> tuple[Ints, Ints, Ints]:
    """Return the different lemmas of both arrays, and each array as indices of these."""
    left, right = np.asarray(a, np.int64), np.asarray(b, np.int64)
    lemmas = np.unique(np.concatenate([np.unique(left), np.unique(right)]))
    return lemmas, np.searchsorted(lemmas, left), np.searchsorted(lemmas, right)


def _ordered(rows: "Ids") -> "Ids":
    return Ragged(rows.offsets, rows.values[np.lexsort((rows.values, rows.row))])


def _among(keys: Ints, sorted_keys: Ints) -> Bools:
    """Return whether each key is among the *sorted_keys*."""
    if not len(sorted_keys):
        return np.zeros(np.shape(keys), bool)
    is_member: Bools = sorted_keys[np.minimum(np.searchsorted(sorted_keys, keys), len(sorted_keys) - 1)] == keys
    return is_member


def _extreme(reduction: np.ufunc, pair: Ints, numbers: Ints, count: int) -> Small:
    """Return the least or greatest of the numbers of each pair, -1 where it has none."""
    most = np.iinfo(np.int64).max
    best = np.full(count, most if reduction is np.minimum else NONE, np.int64)
    reduction.at(best, pair, numbers)
    return np.where(best == most, NONE, best).astype(np.int16)
