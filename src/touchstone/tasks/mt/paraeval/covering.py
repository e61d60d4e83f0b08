"""ParaEval's two steps on whole texts: phrases that are paraphrases, longest first, then single words.

Zhou et al. (2006) leave open which of several phrases is taken and how words are linked. Our reading: phrases by the
length of the reference phrase, then of the system phrase, long ones first, then by where they begin; words by the
matching with the most links.
"""

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from touchstone.base.ragged import Bools, Ints, Ragged, StringLists
from touchstone.core.matching import Bytes, Lists, Matchings, equal, match_all, related
from touchstone.tasks.mt.meteor.words import WordPairs, tokens_of
from touchstone.tasks.mt.paraeval.table import LONGEST, Table
from touchstone.tasks.mt.synonyms import rows_meeting
from touchstone.tasks.mt.texts import Texts
from touchstone.tasks.mt.words import has_letter


@dataclass(frozen=True)
class Phrase:
    """A phrase of a text that the table lists: where it begins, how many words it has, its number in the table."""

    start: int
    size: int
    number: int

    @property
    def places(self) -> range:
        """The places of its words."""
        return range(self.start, self.start + self.size)


@dataclass(frozen=True)
class PhraseLink:
    """A phrase of the system linked to one of the reference."""

    system: Phrase
    reference: Phrase


@dataclass(frozen=True)
class Covered:
    """How two sides cover each other.

    Attributes
    ----------
    vocabulary
        The distinct words of both sides, by number.
    system, reference
        The words of each segment, by number.
    phrases
        The links of phrases of each segment.
    words
        The matchings of the words that no linked phrase covers.
    """

    vocabulary: tuple[str, ...]
    system: Lists
    reference: Lists
    phrases: Sequence[Sequence[PhraseLink]]
    words: Matchings

    @property
    def by_words(self) -> Ints:
        """How many words of each segment are linked one by one."""
        return self.words.totals[:, -1].astype(np.int64)

    @property
    def by_phrases(self) -> tuple[Ints, Ints]:
        """How many words of each segment linked phrases cover, of the system and of the reference."""
        return (
            np.array([sum(link.system.size for link in links) for links in self.phrases], np.int64),
            np.array([sum(link.reference.size for link in links) for links in self.phrases], np.int64),
        )


def words(texts: Texts) -> StringLists:
    """Return the tokens with a letter or a digit of each segment, computed once."""
    return texts.once("paraeval", lambda texts: tokens_of(texts).keep(tokens_of(texts).flags(has_letter)))


def phrases(texts: Texts, table: Table) -> list[list[Phrase]]:
    """Return the phrases of each segment that the table lists, computed once."""
    return texts.once(("paraeval", table), lambda texts: _listed(words(texts), table))


def _listed(texts: StringLists, table: Table) -> list[list[Phrase]]:
    lists = texts.codes
    numbers = table.words.find_all(list(texts.words))[lists.values]
    by_segment: list[list[Phrase]] = [[] for _ in range(len(lists))]
    ends = lists.offsets[1:][lists.row]
    for size in range(1, LONGEST + 1):
        starts = np.flatnonzero(np.arange(len(numbers)) + size <= ends)
        windows = numbers[starts[:, None] + np.arange(size)]
        inside = (windows >= 0).all(axis=1)
        spans = Ragged.from_sizes(np.full(int(inside.sum()), size), windows[inside].ravel())
        listed = table.find(spans)
        hits = zip(starts[inside][listed >= 0].tolist(), listed[listed >= 0].tolist(), strict=True)
        for start, number in hits:
            row = int(lists.row[start])
            by_segment[row].append(Phrase(start - int(lists.offsets[row]), size, number))
    return by_segment


def cover(system: Texts, reference: Texts, table: Table | None, *, synonyms: bool) -> Covered:
    """Link the phrases that are paraphrases, then the other words.

    Parameters
    ----------
    system, reference
        The texts of both sides.
    table
        The table of paraphrases, None if only words are linked.
    synonyms
        Whether words that share a synset are linked too, not only equal words.
    """
    pairs = WordPairs.of(system, reference)
    lettered = np.array([has_letter(word) for word in pairs.words], np.bool_)
    left, right = (side.keep(lettered[side.values]) for side in (pairs.system, pairs.reference))
    links: list[list[PhraseLink]] = [[] for _ in range(len(left))]
    if table is not None:
        sides = phrases(system, table), phrases(reference, table)
        ours, theirs = (
            np.unique(Ragged.of([[phrase.number for phrase in row] for row in side], np.int64).values) for side in sides
        )
        paraphrases = table.paraphrases(theirs, among=ours)
        links = [list(link_phrases(*segment_phrases, paraphrases)) for segment_phrases in zip(*sides, strict=True)]
    free_left = left.keep(~_in_phrases(left, [[link.system for link in row] for row in links]))
    free_right = right.keep(~_in_phrases(right, [[link.reference for link in row] for row in links]))
    sharing = rows_meeting(pairs.synsets) if synonyms else None

    def similarity(rows: Lists, columns: Lists) -> Bytes:
        same = equal(rows, columns)
        return same if sharing is None else same | related(rows, columns, sharing)

    return Covered(pairs.words, left, right, links, match_all(free_left, free_right, similarity=similarity))


def link_phrases(
    system: Sequence[Phrase], reference: Sequence[Phrase], paraphrases: Mapping[int, set[int]]
) -> Iterator[PhraseLink]:
    """Yield the links of one segment, no word in two of them."""
    by_number: dict[int, deque[Phrase]] = {}
    for phrase in system:
        by_number.setdefault(phrase.number, deque()).append(phrase)
    meeting = [
        (phrase, by_size)
        for phrase in reference
        if (by_size := _partners(paraphrases.get(phrase.number, set()), by_number))
    ]
    taken_left, taken_right = set[int](), set[int]()
    for size in range(LONGEST, 0, -1):
        for other in range(LONGEST, 0, -1):
            for phrase, by_size in meeting:
                if phrase.size == size and other in by_size and taken_right.isdisjoint(phrase.places):
                    # Long phrases come first, so a word that one covers is lost to shorter ones.
                    partner = _first_free(by_size[other], taken_left)
                    if partner is not None:
                        taken_left.update(partner.places)
                        taken_right.update(phrase.places)
                        yield PhraseLink(partner, phrase)


def _partners(paraphrases: set[int], by_number: Mapping[int, deque[Phrase]]) -> dict[int, list[deque[Phrase]]]:
    """Return the phrases of the system that are among the paraphrases of a phrase of the reference, by size."""
    by_size: dict[int, list[deque[Phrase]]] = {}
    for number in sorted(paraphrases & by_number.keys()):
        by_size.setdefault(by_number[number][0].size, []).append(by_number[number])
    return by_size


def _first_free(rows: Sequence[deque[Phrase]], taken: set[int]) -> Phrase | None:
    """Return the first phrase with no word taken; phrases with taken words at the front of a row are dropped."""
    for row in rows:
        while row and not taken.isdisjoint(row[0].places):
            row.popleft()
    return min((row[0] for row in rows if row), key=lambda phrase: phrase.start, default=None)


def _in_phrases(side: Lists, phrases: Sequence[Sequence[Phrase]]) -> Bools:
    covered = np.zeros(len(side.values), np.bool_)
    for start, row in zip(side.offsets[:-1].tolist(), phrases, strict=True):
        for phrase in row:
            covered[start + phrase.start : start + phrase.start + phrase.size] = True
    return covered
