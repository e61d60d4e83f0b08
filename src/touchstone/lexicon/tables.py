"""WordNet by number: lemmas, synsets and words are integers, and every question is about many of them at once.

A *lemma* is a string in lower case, whatever its parts of speech. A *word* here is one place in one synset: a
lemma in one of its meanings, with its own spelling and its own pointers (antonyms, derivations).
"""

from bisect import bisect_left
from collections.abc import Sequence
from functools import cache, cached_property

import numpy as np
import numpy.typing as npt

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.base.ragged import Ints, Ragged
from touchstone.lexicon.container import Array, Container
from touchstone.lexicon.dictionary import MARKERS, normalised_form
from touchstone.lexicon.relation import PARTS_OF_SPEECH, RELATIONS, UPWARD, Pos, Relation, checked_pos
from touchstone.lexicon.strings import Strings

_UNKNOWN = -1

_CODES = {pos: code for code, pos in enumerate(PARTS_OF_SPEECH)}

Ids = Ragged[np.int64]
"""A row of numbers for each thing asked about."""


class Numbers(dict[str, int]):
    """The number of a lemma by any form of writing it, -1 where there is none: what was asked before, at first.

    After a thousand different forms all lemmas of one word are added, which takes 30 ms and 9 MB. Threads may share it:
    none removes anything, and all add the same.
    """

    FEW, MOST, LONGEST = 1_000, 1 << 17, 100
    """Forms after which the lemmas are added, forms that are kept with them, characters of a form that is kept."""

    def __init__(self, strings: Strings) -> None:
        super().__init__()
        self._strings = strings
        self._has_words = False

    def __missing__(self, form: str) -> int:
        text = normalised_form(form)
        is_loaded = self._has_words and " " not in text
        lemma_id = self.get(text, -1) if is_loaded else self._strings.find(text)
        # Other forms are looked up each time: a text of endless new words must not fill the memory.
        if len(self) < self.MOST and len(form) <= self.LONGEST:
            self[form] = lemma_id
        if not self._has_words and len(self) >= self.FEW:
            self.update(self._strings.words())
            self._has_words = True
        return lemma_id


class Tables:
    """The arrays of a lexicon file and the relations between their numbers; nothing in it ever changes.

    ``links(relation)`` is, for each synset, those that the relation leads to, from it or from one of its words;
    ``word_links(relation)`` is, for each word, the words that it leads to. Both are computed once.
    """

    def __init__(self, container: Container) -> None:
        arrays = container.arrays
        self._arrays = arrays
        self._strings = Strings(arrays, "lemma")
        self._numbers = Numbers(self._strings)
        self._spellings = Strings(arrays, "spelling")
        self._spelled = arrays["spelled_words"].data
        self._sense_ends, self._sense_synsets = arrays["sense_ends"].data, arrays["sense_synsets"].data
        self._synset_pos = arrays["synset_pos"].data
        self.senses: Ids = Ragged(arrays["sense_ends"], arrays["sense_synsets"])
        """The synsets of each lemma."""
        self.sense_counts: Array = arrays["sense_counts"]
        """How often each sense was tagged in the texts behind WordNet; one for each value of `senses`."""
        self.words: Ids = Ragged(arrays["word_ends"], arrays["word_lemmas"])
        """The lemmas of each synset."""
        self.synset_pos: npt.NDArray[np.uint8] = arrays["synset_pos"]
        """The part of speech of each synset: 0 n, 1 v, 2 a, 3 r."""
        self.synset_numbers: Array = arrays["synset_numbers"]
        """What identifies each synset among those of its part of speech: Princeton's byte offset."""
        self.synset_files: npt.NDArray[np.uint8] = arrays["synset_files"]
        """The lexicographer class of each synset, a number in `LEXICOGRAPHER_FILES`."""
        self.satellite: npt.NDArray[np.uint8] = arrays["synset_satellite"]
        """1 for each adjective that is satellite to a head, else 0."""
        self.lemma_count = len(self.senses)
        """How many different lemmas there are, whatever their parts of speech."""
        self.synset_count = len(self.words)
        """How many synsets there are."""
        self.links = cache(self._synset_links)
        self.word_links = cache(self._word_links)

    def lemma_id(self, form: str) -> int:
        """Return the number of a lemma, -1 where there is none; case, blanks and underscores do not matter."""
        return self._numbers[form]

    def lemma_ids(self, forms: Sequence[str]) -> Ints:
        """Return the number of each lemma, -1 where there is none."""
        return self._strings.find_all([normalised_form(form) for form in forms])

    def lemma(self, lemma_id: int) -> str:
        """Return the lemma of that number: lower case, words separated by blanks."""
        return self._strings[lemma_id]

    def spelling(self, word: int) -> str:
        """Return a word as it is written, capitals included."""
        index = bisect_left(self._spelled, word)
        if index < len(self._spelled) and self._spelled[index] == word:
            return self._spellings[index]
        return self.lemma(int(self.words.values[word]))

    def marker(self, word: int) -> str:
        """Return where an adjective may stand: ``p`` predicate, ``a`` before, ``ip`` after its noun, or nothing."""
        return MARKERS[int(self._arrays["word_markers"][word])]

    def synset_of(self, word: int) -> int:
        """Return the synset that contains a word."""
        return int(np.searchsorted(self.words.offsets, word, side="right")) - 1

    def pos(self, synset: int) -> Pos:
        """Return the part of speech of a synset; a satellite adjective is an adjective."""
        return PARTS_OF_SPEECH[int(self.synset_pos[synset])]

    def find_synset(self, pos: str, number: int) -> int:
        """Return the synset with that part of speech and number (byte offset), -1 where there is none."""
        first, last = np.searchsorted(self.synset_pos, self._code(pos) + np.array([0, 1]))
        index = int(first) + int(np.searchsorted(self.synset_numbers[first:last], number))
        return index if index < last and self.synset_numbers[index] == number else -1

    def synsets(self, lemma_ids: Ints, pos: str | None = None) -> Ids:
        """Return the synsets of each lemma, most common first in each part of speech; -1 has none."""
        if np.max(lemma_ids, initial=-1) >= self.lemma_count:
            what = f"no such lemma: there are {self.lemma_count:,}, numbered from 0"
            raise TouchstoneError(what, code=Code.UNKNOWN_ID)
        rows = self.senses.take(lemma_ids)
        return rows if pos is None else rows.keep(self.synset_pos[rows.values] == self._code(pos))

    def sense_places(self, lemma_id: int, pos: str | None = None) -> list[int]:
        """Return where the senses of one lemma are among the values of `senses`; -1 has none."""
        code = None if pos is None else self._code(pos)
        if lemma_id < 0:
            return []
        sense_indices = range(self._sense_ends[lemma_id], self._sense_ends[lemma_id + 1])
        if code is None:
            return list(sense_indices)
        return [
            sense_index for sense_index in sense_indices if self._synset_pos[self._sense_synsets[sense_index]] == code
        ]

    def lemmas_in(self, rows: Ids) -> Ids:
        """Return the lemmas in the synsets of each row, each once, in order."""
        return self._onward(rows, self.words)

    def synonyms(self, lemma_ids: Ints, pos: str | None = None) -> Ids:
        """Return the other lemmas in the synsets of each lemma, in the order of its senses."""
        together = self.lemmas_in(self.synsets(lemma_ids, pos))
        return together.keep(together.values != np.asarray(lemma_ids)[together.row])

    def step(self, rows: Ids, *relations: Relation) -> Ids:
        """Return the synsets that *relations* lead to from the synsets of each row, each once.

        Pointers between words count as pointers between their synsets.
        """
        parts = [self._onward(rows, self.links(relation)) for relation in relations]
        return parts[0] if len(parts) == 1 else beside(*parts).distinct()

    def lemma_links(self, relation: Relation) -> Ids:
        """Return, for each lemma, the lemmas that *relation* between words leads to, each once."""
        links = self.word_links(relation)
        lemmas = self.words.values.astype(np.int64)
        return _grouped(lemmas[links.row], lemmas[links.values], self.lemma_count).distinct()

    @cached_property
    def depths(self) -> npt.NDArray[np.int32]:
        """The edges from each synset up to the nearest synset that has nothing above it.

        Where hypernyms run in a circle with nothing above it, the first synset of the circle counts as the top.
        """
        up = beside(*(self.links(relation) for relation in UPWARD))
        down = _grouped(up.values, up.row, len(up))
        depths = np.full(self.synset_count, _UNKNOWN, np.int32)
        level, depth = np.flatnonzero(up.sizes == 0), 0
        while len(level):
            depths[level] = depth
            below = np.unique(down.take(level).values)
            level, depth = below[depths[below] == _UNKNOWN], depth + 1
            # No synset at the top leads to those that are left: they hang below a circle.
            if not len(level):
                level, depth = np.flatnonzero(depths == _UNKNOWN)[:1], 0
        return depths

    def _onward(self, rows: Ids, table: Ids) -> Ids:
        """Return what *table* has for the values of each row, each once, in order."""
        targets = table.take(rows.values)
        return Ragged.from_sizes(np.bincount(rows.row[targets.row], minlength=len(rows)), targets.values).distinct()

    def _synset_links(self, relation: Relation) -> Ids:
        """Return, for each synset, those that *relation* leads to, from it or from one of its words."""
        has_relation = self._arrays["pointer_relations"] == RELATIONS.index(relation)
        sizes = np.bincount(self._pointer_rows[has_relation], minlength=self.synset_count)
        table = Ragged.from_sizes(sizes, self._arrays["pointer_targets"][has_relation].astype(np.int64))
        return table.distinct()

    def _word_links(self, relation: Relation) -> Ids:
        """Return, for each word, the words that *relation* leads to."""
        arrays, starts = self._arrays, self.words.offsets[:-1].astype(np.int64)
        has_relation = (arrays["pointer_relations"] == RELATIONS.index(relation)) & (arrays["pointer_from"] > 0)
        sources = starts[self._pointer_rows[has_relation]] + arrays["pointer_from"][has_relation] - 1
        targets = starts[arrays["pointer_targets"][has_relation]] + arrays["pointer_to"][has_relation] - 1
        return _grouped(sources, targets, len(self.words.values))

    @cached_property
    def _pointer_rows(self) -> npt.NDArray[np.int32]:
        sizes = np.diff(self._arrays["pointer_ends"])
        return np.repeat(np.arange(self.synset_count, dtype=np.int32), sizes)

    @staticmethod
    def _code(pos: str) -> int:
        return _CODES[checked_pos(pos)]


def row(rows: Ids, number: int) -> list[int]:
    """Return one row as a list.

    >>> row(Ragged.of([[3, 1], [2]], np.int64), 0)
    [3, 1]
    """
    values: list[int] = rows.values[rows.offsets[number] : rows.offsets[number + 1]].tolist()
    return values


def beside(*parts: Ids) -> Ids:
    """Return rows that hold the values of the same rows of all *parts*, one part after the other.

    >>> beside(Ragged.of([[1], [2]], np.int64), Ragged.of([[3], []], np.int64)).values.tolist()
    [1, 3, 2]
    """
    rows = np.concatenate([part.row for part in parts])
    values = np.concatenate([part.values for part in parts]).astype(np.int64)
    return _grouped(rows, values, len(parts[0]))


def _grouped(rows: Ints, values: Ints, count: int) -> Ids:
    """Return *count* rows of the values that *rows* assigns to each, in their order."""
    return Ragged.from_sizes(np.bincount(rows, minlength=count), values[np.argsort(rows, kind="stable")])
