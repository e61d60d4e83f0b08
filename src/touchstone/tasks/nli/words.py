"""The words that an edit is about, as WordNet knows them: collocations, words without prepositions, their senses."""

from collections.abc import Sequence
from functools import cached_property
from itertools import chain

import numpy as np

from touchstone.base.ragged import Ragged
from touchstone.lexicon import Lexicon, SenseRelations
from touchstone.tasks.nli.edits import Edit
from touchstone.tasks.nli.readings import Reading

STRIPPED = frozenset(("from", "to", "of", "away", "the", "at", "in"))
"""What a phrase loses at its ends: "far away from" becomes far."""

Words = tuple[str, str]
"""The replaced word, and its replacement."""


class Dictionary:
    """A lexicon under one reading: which forms it knows, with which senses; each form is looked up once."""

    def __init__(self, lexicon: Lexicon, reading: Reading) -> None:
        self.lexicon = lexicon
        self.reading = reading
        self._senses: dict[str, tuple[int, ...]] = {}

    def senses(self, form: str) -> tuple[int, ...]:
        """Return the synsets of *form* and of every base it could have, part of speech by part of speech."""
        if form not in self._senses:
            self._senses[form] = self._looked_up(form)
        return self._senses[form]

    def words(self, edit: Edit) -> Words:
        """Return the words that *edit* is about: of a collocation all of it, of a phrase what WordNet knows."""
        first, second = self._collocation(edit) or (edit.replaced, edit.replacement)
        return self._stripped(first), self._stripped(second)

    def relations(self, pairs: Sequence[Words]) -> SenseRelations:
        """Return the relations between the words of each pair, over all senses that the reading allows."""
        forms = list(dict.fromkeys(chain.from_iterable(pairs)))
        index_of = {form: number for number, form in enumerate(forms)}
        rows = Ragged.of([self.senses(form) for form in forms], np.int64)
        first, second = (np.array([index_of[pair[side]] for pair in pairs], np.int64) for side in (0, 1))
        return self.lexicon.sense_relations(rows, first, second, instances=self.reading.instances)

    def _looked_up(self, form: str) -> tuple[int, ...]:
        synset_ids = {
            pos: [
                synset.id
                for lemma in self.lexicon.possible_lemmas(form, pos)
                for synset in self.lexicon.word(lemma).synsets(pos)
            ]
            for pos in self.reading.parts_of_speech
        }
        if self.reading.senses != "all":
            synset_ids = {pos: ids[:1] for pos, ids in synset_ids.items()}
        every = dict.fromkeys(chain.from_iterable(synset_ids.values()))
        return tuple(every)[: 1 if self.reading.senses == "first" else None]

    def _has_senses(self, tokens: Sequence[str]) -> bool:
        return bool(tokens) and bool(self.senses(" ".join(tokens)))

    def _collocation(self, edit: Edit) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
        """Return both sides with the shared words beside them, those after tried first, where WordNet has both so."""
        if not (edit.replaced and edit.replacement):
            return None
        for n in range(self.reading.reach, 0, -1):
            after = tuple(edit.premise[edit.end : edit.end + n])
            sides = (*edit.replaced, *after), (*edit.replacement, *after)
            if after == tuple(edit.hypothesis[edit.new_end : edit.new_end + n]) and all(map(self._has_senses, sides)):
                return sides
        for n in range(min(self.reading.reach, edit.start, edit.new_start), 0, -1):
            before = tuple(edit.premise[edit.start - n : edit.start])
            sides = (*before, *edit.replaced), (*before, *edit.replacement)
            same = before == tuple(edit.hypothesis[edit.new_start - n : edit.new_start])
            if same and all(map(self._has_senses, sides)):
                return sides
        return None

    def _stripped(self, tokens: Sequence[str]) -> str:
        how = self.reading.strip
        if how == "never" or (how == "unknown" and self._has_senses(tokens)):
            return " ".join(tokens)
        start, end = 0, len(tokens)
        while end - start > 1 and tokens[end - 1] in STRIPPED:
            end -= 1
        while end - start > 1 and tokens[start] in STRIPPED:
            start += 1
        return " ".join(tokens[start:end])

    @cached_property
    def signature(self) -> str:
        """What answers depend on: the lexicon and the reading."""
        return f"{self.lexicon.signature}, reading {self.reading.name}"
