"""Synonyms of any language from a file, instead of WordNet: a set of words on each line, with tabs between them."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from touchstone.base.errors import Fault, TouchstoneError
from touchstone.base.files import Source
from touchstone.base.ragged import Interner, Ragged
from touchstone.io.text import lines, read_text


@dataclass(frozen=True, eq=False)
class Thesaurus:
    """Sets of synonyms. Two lemmas are synonyms where the words of their sets meet, as in MAXSIM with WordNet.

    >>> thesaurus = Thesaurus(Source("de.tsv", "0"), (("auto", "wagen"), ("wagen", "karre"), ("haus", "heim")))
    >>> thesaurus.sharing(["auto", "karre", "heim"]).sizes.tolist()
    [2, 2, 1]
    """

    source: Source
    sets: tuple[tuple[str, ...], ...] = field(repr=False)

    def __getstate__(self) -> dict[str, object]:
        return {"source": self.source, "sets": self.sets}  # the table of pairs is made again in another process

    def sharing(self, lemmas: Sequence[str]) -> "Ragged[np.int32]":
        """Return for each lemma the places, among *lemmas*, of its synonyms, itself among them where it is listed."""
        numbers, meeting = self._table
        codes = np.array([numbers.get(lemma, -1) for lemma in lemmas], np.int64)
        listed = np.flatnonzero(codes >= 0)
        rows: list[np.ndarray[tuple[int], np.dtype[np.int32]]] = [np.empty(0, np.int32)] * len(lemmas)
        some = meeting[codes[listed]][:, codes[listed]].tocsr()
        some.sort_indices()
        for row, at in enumerate(listed.tolist()):
            partners = some.indices[some.indptr[row] : some.indptr[row + 1]]
            rows[at] = listed[partners].astype(np.int32)
        return Ragged.of(rows, np.int32)

    @cached_property
    def _table(self) -> tuple[Interner, Any]:  # (the second is a sparse matrix)
        """Return the number of each word, and which two words have sets that meet."""
        from scipy.sparse import csr_array

        numbers = Interner()
        rows = [[numbers[word] for word in synonyms] for synonyms in self.sets]
        sets = Ragged.of(rows, np.int64)
        listed = csr_array((np.ones(len(sets.values), np.int32), sets.values, sets.offsets), (len(sets), len(numbers)))
        together = listed.T @ listed
        return numbers, (together @ together.T).tocsr()


def read_synonyms(path: str | Path) -> Thesaurus:
    """Read sets of synonyms, in lower case; refuse a line with fewer than two words."""
    text, source = read_text(path)
    sets, faults = [], []
    for line, content in lines(text):
        words = tuple(dict.fromkeys(word.strip().lower() for word in content.split("\t") if word.strip()))
        sets.append(words)
        if len(words) < 2:
            faults.append(Fault("fewer than two words", source.name, line, content))
    if faults:
        raise TouchstoneError.of(faults, "a line has a set of synonyms, with tabs between the words")
    return Thesaurus(source, tuple(sets))
