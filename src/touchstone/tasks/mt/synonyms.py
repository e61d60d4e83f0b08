"""Synonyms of any language from a file, instead of WordNet: a set of words on each line, with tabs between them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from touchstone.base.codes import Code
from touchstone.base.errors import Fault, TouchstoneError
from touchstone.base.files import Source
from touchstone.base.ragged import Ragged
from touchstone.io.text import lines, read_text


@dataclass(frozen=True, eq=False)
class Thesaurus:
    """Sets of synonyms. Two lemmas are synonyms where the words of their sets meet, as in MAXSIM with WordNet.

    >>> thesaurus = Thesaurus(Source("de.tsv", "0"), (("auto", "wagen"), ("wagen", "karre"), ("haus", "heim")))
    >>> thesaurus.numbers["karre"], thesaurus.sharing.sizes.tolist()
    (2, [3, 3, 3, 2, 2])
    """

    source: Source
    sets: tuple[tuple[str, ...], ...] = field(repr=False)

    def __getstate__(self) -> dict[str, object]:
        return {"source": self.source, "sets": self.sets}  # the table of pairs is made again in another process

    @cached_property
    def numbers(self) -> Mapping[str, int]:
        """The number of each word."""
        return {word: number for number, word in enumerate(dict.fromkeys(chain(*self.sets)))}

    @cached_property
    def sharing(self) -> "Ragged[np.int32]":
        """For each word the words whose sets meet its own, itself among them."""
        sets_of_words: list[list[int]] = [[] for _ in self.numbers]
        for number, synonyms in enumerate(self.sets):
            for word in synonyms:
                sets_of_words[self.numbers[word]].append(number)
        # Words of one set are synonyms, and so are words that have a synonym in common.
        return rows_meeting(rows_meeting(Ragged.of(sets_of_words, np.int64)))


def read_synonyms(path: str | Path) -> Thesaurus:
    """Read sets of synonyms, in lower case; refuse a line with fewer than two words."""
    text, source = read_text(path)
    sets, faults = [], []
    for line, content in lines(text):
        words = tuple(dict.fromkeys(word.strip().lower() for word in content.split("\t") if word.strip()))
        sets.append(words)
        if len(words) < 2:
            faults.append(Fault("fewer than two words", source.name, line, content, code=Code.BAD_CELL))
    if faults:
        raise TouchstoneError.of(faults, "a line has a set of synonyms, with tabs between the words")
    return Thesaurus(source, tuple(sets))


def rows_meeting(rows: Ragged[Any]) -> "Ragged[np.int32]":
    """Return for each row the rows that have a value in common with it, in ascending order.

    >>> rows_meeting(Ragged.of([[7, 5], [9], [5], []], np.int64)).values.tolist()
    [0, 2, 1, 0, 2]
    """
    from scipy.sparse import csr_array

    values, column = np.unique(rows.values, return_inverse=True)
    listed = csr_array((np.ones(len(column), np.int32), column, rows.offsets), (len(rows), len(values)))
    # Two rows share a value exactly where both are in its column, so one sparse product answers every pair.
    meeting = (listed @ listed.T).tocsr()
    meeting.sort_indices()
    return Ragged(meeting.indptr.astype(np.int64), meeting.indices.astype(np.int32))
