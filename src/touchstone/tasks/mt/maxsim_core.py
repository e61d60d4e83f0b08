"""MAXSIM's matchings for all segments at once: words and relations become numbers, compiled code counts.

The first run on a machine compiles that code, which takes some seconds; later runs find it on disk.
"""

from collections.abc import Sequence
from functools import cache
from types import ModuleType

import numpy as np
import numpy.typing as npt

from touchstone.core.errors import TouchstoneError
from touchstone.core.ragged import Interner, Ints, StringLists
from touchstone.tasks.mt.compiling import compiling_aloud
from touchstone.tasks.mt.maxsim_synonyms import Numbering, sharing
from touchstone.tasks.mt.maxsim_triples import Triple
from touchstone.tasks.mt.maxsim_words import Words

MOST_CELLS = 1 << 30
"""Pairs of words of one segment and its reference that are held at once: a gigabyte, 32,000 words on either side."""

LONGEST_ORDER = 9
"""What a cell of the compiled matching has room for, with much to spare."""


def count_ngrams(left: Words, right: Words, order: int, *, identity: bool) -> Ints:
    """Return for each segment and n = 1 … *order*: exact links, lemma links, and 2n times the soft weight.

    >>> from touchstone.tasks.mt.maxsim_words import words_of
    >>> from touchstone.tasks.mt.model import Texts
    >>> one, other = (words_of(Texts([text])) for text in ("The car stopped.", "The automobile stopped."))
    >>> count_ngrams(one, other, 2, identity=True).tolist()
    [[[2, 0, 2], [0, 0, 8]]]
    """
    _check_sizes(left, right)
    lemmas, tags, table = Numbering(), Interner(), sharing()
    sides = []
    for side in (left, right):
        of_lemmas, of_tags = lemmas.of(side.lemmas.words), np.array([tags[name] for name in side.tags.words], np.int64)
        sides += [side.lemmas.codes.offsets, _taken(of_lemmas, side.lemmas), _taken(of_tags, side.tags)]
    counts: Ints = _kernels().count_ngrams(order, identity, *sides, table.offsets, table.values)
    return counts


def weigh_triples(left: Sequence[Sequence[Triple]], right: Sequence[Sequence[Triple]], *, identity: bool) -> Ints:
    """Return 3 times the weight of the best matching of the triples of each segment.

    >>> weigh_triples([[Triple("dog", "subj", "bite")]], [[Triple("man", "subj", "bite")]], identity=False).tolist()
    [2]
    """
    lemmas, types, table = Numbering(), Interner(), sharing()
    sides: list[object] = []
    for side in (left, right):
        triples = [triple for row in side for triple in row]
        columns = np.empty((len(triples), 3), np.int32)
        columns[:, 0] = lemmas.of([triple.child for triple in triples])
        columns[:, 1] = [types[triple.type] for triple in triples]
        columns[:, 2] = lemmas.of([triple.parent for triple in triples])
        sides += [np.cumsum([0, *map(len, side)], dtype=np.int64), columns]
    weights: Ints = _kernels().weigh_triples(identity, *sides, table.offsets, table.values)
    return weights


def _taken(numbers: Ints, column: StringLists) -> npt.NDArray[np.int32]:
    return numbers.astype(np.int32)[column.codes.values]


def _check_sizes(left: Words, right: Words) -> None:
    cells = left.forms.codes.sizes * right.forms.codes.sizes
    if np.max(cells, initial=0) > MOST_CELLS:
        row = int(cells.argmax())
        sizes = f"{left.forms.codes.sizes[row]:,} words beside {right.forms.codes.sizes[row]:,}"
        raise TouchstoneError(
            "a segment is too long to be matched", value=f"segment {row + 1}: {sizes}", hint="split it into sentences"
        )


@cache
def _kernels() -> ModuleType:
    """Return the compiled functions, ready to run."""
    with compiling_aloud():
        from touchstone.tasks.mt import maxsim_kernels as kernels

        none, no_ends = np.empty(0, np.int32), np.zeros(1, np.int64)
        kernels.count_ngrams(1, False, no_ends, none, none, no_ends, none, none, no_ends, none)
        kernels.weigh_triples(False, no_ends, none.reshape(0, 3), no_ends, none.reshape(0, 3), no_ends, none)
    return kernels
