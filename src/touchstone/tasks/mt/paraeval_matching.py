"""ParaEval's two steps on whole texts: phrases that are paraphrases, longest first, then single words.

Zhou et al. (2006) leave open which of several phrases is taken and how words are linked. Read here: phrases by the
length of the reference phrase, then of the system phrase, long ones first, then by where they begin; words by one
assignment with the most links.
"""

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from types import ModuleType

import numpy as np

from touchstone.core.ragged import Bools, Ints, Ragged
from touchstone.tasks.mt.compiling import compiling_aloud
from touchstone.tasks.mt.meteor_words import NONE, numbered, vocabulary
from touchstone.tasks.mt.model import Texts
from touchstone.tasks.mt.paraeval_table import LONGEST, Table, words_of

Words = Ragged[np.int64]


@dataclass(frozen=True)
class Phrase:
    """A phrase of a text that the table lists: where it begins, how many words it has, its number in the table."""

    start: int
    size: int
    number: int


@dataclass(frozen=True)
class PhraseLink:
    """A phrase of the system linked to one of the reference."""

    system: Phrase
    reference: Phrase


@dataclass(frozen=True)
class Covered:
    """How two sides are covered: links of phrases for each segment, and the system word of each reference word.

    *places* holds, for each reference word, the place of the system word linked to it singly, -1 for none.
    """

    system: Words
    reference: Words
    phrases: Sequence[Sequence[PhraseLink]]
    places: Ints

    @property
    def by_words(self) -> Ints:
        """How many words of each segment are linked singly."""
        return np.bincount(self.reference.row[self.places != NONE], minlength=len(self.reference))

    @property
    def by_phrases(self) -> tuple[Ints, Ints]:
        """How many words of each segment linked phrases cover, of the system and of the reference."""
        return (
            np.array([sum(link.system.size for link in links) for links in self.phrases], np.int64),
            np.array([sum(link.reference.size for link in links) for links in self.phrases], np.int64),
        )


def words(texts: Texts) -> Words:
    """Return the tokens with a letter or a digit of each segment, by number."""
    return texts.once("paraeval", lambda given: _with_letters(numbered(given)))


def _with_letters(tokens: Words) -> Words:
    distinct, place = np.unique(tokens.values, return_inverse=True)
    lettered = np.array([bool(words_of([vocabulary()[number]])) for number in distinct.tolist()], np.bool_)
    return tokens.keep(lettered[place] if len(distinct) else np.empty(0, np.bool_))


def phrases(texts: Texts, table: Table) -> list[list[Phrase]]:
    """Return the phrases of each segment that the table lists."""
    return texts.once(("paraeval", table), lambda given: _listed(words(given), table))


def _listed(texts: Words, table: Table) -> list[list[Phrase]]:
    distinct, place = np.unique(texts.values, return_inverse=True)
    known = table.words.find_all([vocabulary()[number] for number in distinct.tolist()])
    numbers = known[place] if len(distinct) else texts.values
    found: list[list[Phrase]] = [[] for _ in range(len(texts))]
    ends = texts.offsets[1:][texts.row]
    for size in range(1, LONGEST + 1):
        starts = np.flatnonzero(np.arange(len(numbers)) + size <= ends)
        windows = numbers[starts[:, None] + np.arange(size)]
        inside = (windows >= 0).all(axis=1)
        spans = Ragged.from_sizes(np.full(int(inside.sum()), size), windows[inside].ravel())
        listed = table.find(spans)
        hits = zip(starts[inside][listed >= 0].tolist(), listed[listed >= 0].tolist(), strict=True)
        for start, number in hits:
            row = int(texts.row[start])
            found[row].append(Phrase(start - int(texts.offsets[row]), size, number))
    return found


def cover(system: Texts, reference: Texts, table: Table | None, *, synonyms: bool) -> Covered:
    """Link the phrases that are paraphrases, if there is a table, and then the words that are equal or *synonyms*."""
    left, right = words(system), words(reference)
    links: list[list[PhraseLink]] = [[] for _ in range(len(left))]
    if table is not None:
        sides = zip(phrases(system, table), phrases(reference, table), strict=True)
        links = [list(link_phrases(one, other, table)) for one, other in sides]
    return Covered(left, right, links, _word_links(left, right, links, synonyms))


def link_phrases(system: Sequence[Phrase], reference: Sequence[Phrase], table: Table) -> Iterator[PhraseLink]:
    """Yield the links of one segment, no word in two of them."""
    by_number: dict[int, deque[Phrase]] = {}
    for phrase in system:
        by_number.setdefault(phrase.number, deque()).append(phrase)
    meeting = [(phrase, by_size) for phrase in reference if (by_size := _partners(phrase, by_number, table))]
    taken_left, taken_right = set[int](), set[int]()
    for size in range(LONGEST, 0, -1):
        for other in range(LONGEST, 0, -1):
            for phrase, by_size in meeting:
                if phrase.size == size and other in by_size and _free(phrase, taken_right):
                    partner = _first_free(by_size[other], taken_left)
                    if partner is not None:
                        taken_left |= _span(partner)
                        taken_right |= _span(phrase)
                        yield PhraseLink(partner, phrase)


def _partners(phrase: Phrase, by_number: Mapping[int, deque[Phrase]], table: Table) -> dict[int, list[deque[Phrase]]]:
    """Return the phrases of the system that a phrase of the reference may be linked to, by their size."""
    found: dict[int, list[deque[Phrase]]] = {}
    for number in sorted(table.paraphrases(phrase.number) & by_number.keys()):
        found.setdefault(by_number[number][0].size, []).append(by_number[number])
    return found


def _first_free(rows: Sequence[deque[Phrase]], taken: set[int]) -> Phrase | None:
    """Return the phrase that begins first of those with no word taken; what is taken at the front of a row goes."""
    for row in rows:
        while row and not _free(row[0], taken):
            row.popleft()
    return min((row[0] for row in rows if row), key=lambda phrase: phrase.start, default=None)


def _span(phrase: Phrase) -> set[int]:
    return set(range(phrase.start, phrase.start + phrase.size))


def _free(phrase: Phrase, taken: set[int]) -> bool:
    return taken.isdisjoint(range(phrase.start, phrase.start + phrase.size))


def _word_links(left: Words, right: Words, links: Sequence[Sequence[PhraseLink]], synonyms: bool) -> Ints:
    """Return the place of the system word linked to each reference word that no phrase covers, -1 for none."""
    free_left = ~_in_phrases(left, [[link.system for link in row] for row in links])
    free_right = ~_in_phrases(right, [[link.reference for link in row] for row in links])
    one, other = left.keep(free_left), right.keep(free_right)
    tables = vocabulary().tables()
    synsets = tables.synsets if synonyms else Ragged(np.zeros_like(tables.synsets.offsets), np.empty(0, np.int64))
    kinds = np.arange(len(tables.stems))
    found: Ints = _kernel().most_links(
        one.values, one.offsets, other.values, other.offsets, kinds, synsets.offsets, synsets.values
    )
    places = np.full(len(right.values), NONE)
    among_free = np.where(found == NONE, 0, found + one.offsets[:-1][other.row])
    linked = left.place[free_left][among_free] if len(one.values) else found
    places[free_right] = np.where(found == NONE, NONE, linked)
    return places


def _in_phrases(side: Words, phrases: Sequence[Sequence[Phrase]]) -> Bools:
    covered = np.zeros(len(side.values), np.bool_)
    for start, row in zip(side.offsets[:-1].tolist(), phrases, strict=True):
        for phrase in row:
            covered[start + phrase.start : start + phrase.start + phrase.size] = True
    return covered


@cache
def _kernel() -> ModuleType:
    """Return the compiled functions, compiled."""
    with compiling_aloud():
        from touchstone.tasks.mt import paraeval_kernel

        none, ends = np.empty(0, np.int64), np.zeros(1, np.int64)
        paraeval_kernel.most_links(none, ends, none, ends, none, ends, none)
    return paraeval_kernel
