"""KIM's knowledge: five numbers that say how WordNet relates two words (Chen et al. 2018, section 3.1).

r(x, y) = [1 - n/8 where y is an ancestor of x, n <= 7 edges above it ; the same with x and y exchanged ;
1 where different senses of them have the same parent ; 1 where they are antonyms ; 1 where they share a synset].
A word that WordNet has is its own synonym, and nothing else to itself.
"""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias
from zipfile import BadZipFile

import numpy as np
import numpy.typing as npt
from scipy.sparse import coo_array, csr_array

from touchstone import __version__
from touchstone.base.errors import TouchstoneError
from touchstone.base.ragged import Ints, Ragged
from touchstone.base.signature import content_digest
from touchstone.io.writing import make_folder, replacing
from touchstone.lexicon import Lexicon, Relation, wordnet
from touchstone.lexicon.relation import UPWARD
from touchstone.lexicon.tables import beside
from touchstone.systems.inference.texts import Texts
from touchstone.text.cache import cache_folder

RELATIONS = ("hypernym", "hyponym", "same parent", "antonym", "synonym")
EDGES = 8
"""Edges at which an ancestor no longer counts; features are stored in as many parts of 1."""

_PAIRS_PER_BLOCK = 1 << 14
"""Bounds the memory that looking for forms which meet takes."""

_MOST_CACHED = 32
"""Tables in the user's folder for caches; the oldest are deleted."""

Features = npt.NDArray[np.uint8]
Sparse: TypeAlias = Any
"""A sparse array of SciPy."""


@dataclass(frozen=True, eq=False)
class RelationTable:
    """The related pairs of *size* forms: sorted *keys*, first * size + second, and their *features* in eighths."""

    size: int
    keys: Ints
    features: Features

    def of_pairs(self, keys: Ints) -> "RelationTable":
        """Return the table with only the pairs of these *keys*."""
        in_pairs = np.isin(self.keys, keys, assume_unique=True)
        return RelationTable(self.size, self.keys[in_pairs], self.features[in_pairs])

    def relation(self, first: int, second: int) -> list[float]:
        """Return the five numbers of two forms."""
        row = int(np.searchsorted(self.keys, key := first * self.size + second))
        is_related = row < len(self.keys) and self.keys[row] == key
        return (self.features[row] / EDGES).tolist() if is_related else [0.0] * len(RELATIONS)


def relation_table(forms: Sequence[str], *, instances: bool = False, lexicon: Lexicon | None = None) -> RelationTable:
    """Return the relations of all pairs of *forms*, over all lemmas that each can be a form of, and all their senses.

    Parameters
    ----------
    forms
        Different tokens in lower case, some perhaps empty.
    instances
        Whether instance hypernyms (Mars, planet) count as hypernyms; the published table has none.
    lexicon
        WordNet 3.0 by default.

    Examples
    --------
    >>> table = relation_table(["", "dogs", "animal", "happy", "unhappy"])
    >>> table.relation(1, 2), table.relation(2, 1), table.relation(3, 4)
    ([0.75, 0.0, 0.0, 0.0, 0.0], [0.0, 0.75, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0, 0.0])
    """
    lexicon = lexicon or wordnet()
    listed = _pattern(_lemmas(lexicon, forms), lexicon.lemma_count)
    senses = _ones(listed @ _pattern(lexicon.senses, lexicon.synset_count))
    upward = UPWARD if instances else UPWARD[:1]
    parents = _ones(_pattern(beside(*map(lexicon.links, upward)), lexicon.synset_count))
    antonyms = _pattern(lexicon.lemma_links(Relation.ANTONYM), lexicon.lemma_count)
    up = _ancestors(senses, parents)
    related = (up, up.T, _same_parent(senses, parents), listed @ antonyms @ listed.T, senses @ senses.T)
    return RelationTable(len(forms), *_columns(related, len(forms)))


def cached_relations(texts: Sequence[Texts], *, instances: bool) -> RelationTable:
    """Return the relations between the two sides of the pairs of *texts*, which share their forms.

    They are kept in the user's folder for caches (see `touchstone.text.cache`), so that further runs find them there.
    """
    lexicon = wordnet()
    # With the version, since another one may compute relations in another way.
    about = content_digest(
        texts=[part.digest for part in texts], lexicon=[str(lexicon.signature), str(instances), __version__]
    )
    base = cache_folder()
    cache_file = base and base.with_name("relations") / f"{about.removeprefix('#')}.npz"
    size = len(texts[0].forms)
    if cache_file and cache_file.exists():
        with suppress(OSError, ValueError, KeyError, BadZipFile), np.load(cache_file, allow_pickle=False) as arrays:
            return RelationTable(size, arrays["keys"], arrays["features"])
    table = relation_table(texts[0].forms, instances=instances).of_pairs(meeting_forms(texts))
    if cache_file:
        with suppress(TouchstoneError):  # a cache that cannot be written is no fault
            make_folder(cache_file.parent)
            with replacing(cache_file) as beside, beside.open("wb") as file:
                np.savez(file, keys=table.keys, features=table.features)
            _forget_oldest(cache_file.parent)
    return table


def _forget_oldest(folder: Path) -> None:
    with suppress(OSError):
        for old in sorted(folder.glob("*.npz"), key=lambda file: file.stat().st_mtime)[:-_MOST_CACHED]:
            old.unlink()


def meeting_forms(texts: Sequence[Texts]) -> Ints:
    """Return the sorted keys of the forms that stand in the premise and in the hypothesis of one pair."""
    keys = [np.empty(0, np.int64)]
    for part in texts:
        for at in range(0, len(part), _PAIRS_PER_BLOCK):
            rows = np.arange(at, min(at + _PAIRS_PER_BLOCK, len(part)))
            premise, hypothesis = part.premise.take(rows), part.hypothesis.take(rows)
            # Each token of a premise is followed by all tokens of its hypothesis.
            times = hypothesis.sizes[premise.row]
            first = np.repeat(premise.values.astype(np.int64), times)
            starts = np.repeat(hypothesis.offsets[premise.row] - np.cumsum(times) + times, times)
            second = hypothesis.values[starts + np.arange(len(first))]
            keys.append(np.unique(first * len(part.forms) + second))
        keys = [np.unique(np.concatenate(keys))]
    return keys[0]


def _lemmas(lexicon: Lexicon, forms: Sequence[str]) -> Ragged[np.int64]:
    """Return the lemmas that each form can be a form of; single words only."""
    rows = [lexicon.lemmas(form) if form else () for form in forms]
    sizes = np.array([len(row) for row in rows], np.int64)
    return Ragged.from_sizes(sizes, lexicon.lemma_ids([lemma for row in rows for lemma in row]))


def _pattern(rows: Ragged[np.int64], columns: int) -> Sparse:
    ones = np.ones(len(rows.values), np.int32)
    return csr_array((ones, rows.values, rows.offsets), shape=(len(rows), columns))


def _ones(matrix: Sparse) -> Sparse:
    """Return the matrix with 1 where it is not zero."""
    matrix.sum_duplicates()
    matrix.data = np.ones(len(matrix.data), np.int32)
    return matrix


def _ancestors(senses: Sparse, parents: Sparse) -> Sparse:
    """Return 8 - n where a sense of the column's form is n edges, at most 7, above one of the row's; the fewest."""
    nearest = csr_array((senses.shape[0], senses.shape[0]), dtype=np.int32)
    above = senses
    for edges in range(1, EDGES):
        above = _ones(above @ parents)
        nearest = nearest.maximum(_ones(above @ senses.T) * (EDGES - edges))
    return nearest


def _same_parent(senses: Sparse, parents: Sparse) -> Sparse:
    """Return how many pairs of different senses of two forms share a direct parent."""
    above = senses @ parents
    # Of all pairs of senses under one parent, those of a sense with itself are taken away again.
    count = parents.sum(axis=1)
    itself = senses.multiply(count[None, :]).tocsr() @ senses.T
    left = above @ above.T - itself
    left.eliminate_zeros()
    return left


def _columns(matrices: Sequence[Sparse], size: int) -> tuple[Ints, Features]:
    """Return the sorted keys of all pairs that are related, and their features in eighths."""
    parts = [coo_array(matrix) for matrix in matrices]
    pairs = [part.row.astype(np.int64) * size + part.col for part in parts]
    keys = np.unique(np.concatenate(pairs))
    features = np.zeros((len(keys), len(RELATIONS)), np.uint8)
    for column, (part, pair) in enumerate(zip(parts, pairs, strict=True)):
        features[np.searchsorted(keys, pair), column] = part.data if column < 2 else EDGES
    itself = keys // size == keys % size
    features[itself, :-1] = 0
    return keys, features
