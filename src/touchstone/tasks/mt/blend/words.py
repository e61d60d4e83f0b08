"""Words as `blend` matches them: how much each weighs, whether it is English, how similar two are; their matching.

A word weighs (8 - z) / 8, where z is its Zipf frequency in English (wordfreq: 7.7 for "the", 0 for a word never seen),
so rare words weigh most. Two words are similar by 1 for equal forms, 0.9 for equal stems, 0.8 for a synset in common,
and 0.9 d where d, the Dice coefficient of their letter pairs and triples, is above 0.4. The greatest of these counts,
times 0.8 where the tags differ. These five are round numbers, not fitted.

Words of equal form and tag are linked first, left to right; such a link weighs what its words weigh. Any other link
weighs similarity times the mean weight of its words, and the total is the greatest possible.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from touchstone.base.errors import needs
from touchstone.base.ragged import Bools, Floats, Ints, Ragged, add_up
from touchstone.core.matching import Lists, Matchings, cells, match_all
from touchstone.lexicon import wordnet
from touchstone.tasks.mt.blend.ngrams import code
from touchstone.tasks.mt.meteor.stems import stem
from touchstone.tasks.mt.words import has_letter
from touchstone.text import Sentence

if TYPE_CHECKING:
    from scipy.sparse import csr_array

    Table = csr_array[np.int32, tuple[int, int]]

SAME_STEM, SAME_SYNSET, ALIKE = 0.9, 0.8, 0.9
LEAST_ALIKE = 0.4
OTHER_TAG = 0.8

HIGHEST = 8.0
"""The Zipf frequency of one word in ten; no word of English reaches it."""

_REMEMBERED = 1 << 16
"""How many forms have their frequency, letters and stem cached."""


class Word(NamedTuple):
    """A word as it is matched: its form in lower case and its tag."""

    form: str
    tag: str


def words_of(sentence: Sentence) -> list[Word]:
    """Return the words of a sentence: its tokens with a letter or digit."""
    return [
        Word(form.lower(), tag) for form, tag in zip(sentence.forms, sentence.tags, strict=True) if has_letter(form)
    ]


def information(form: str) -> float:
    """Return the weight of a word: (8 - Zipf frequency) / 8.

    >>> information("the") < 0.05 < 0.5 < information("reconnaissance"), information("vzdělání")
    (True, 1.0)
    """
    return max(HIGHEST - _zipf(form), 0.0) / HIGHEST


def is_english(form: str) -> bool:
    """Return whether a word is English; what has no letter, such as a number, belongs to every language.

    >>> is_english("education"), is_english("vzdělání"), is_english("1,234.5")
    (True, False, True)
    """
    return _zipf(form) > 0 or not any(map(str.isalpha, form))


@lru_cache(_REMEMBERED)
def _zipf(form: str) -> float:
    """Return log10 of a word's frequency in a thousand million words of English, 0 if it never occurs."""
    with needs("mt"):
        from wordfreq import zipf_frequency

    return float(zipf_frequency(form, "en"))


@lru_cache(_REMEMBERED)
def _letters(form: str) -> tuple[int, ...]:
    """Return the letter pairs and triples of a word, its edges marked, as numbers of 31 bits in ascending order."""
    edged = f"^{form}$"
    grams = {edged[at : at + n] for n in (2, 3) for at in range(len(edged) - n + 1)}
    return tuple(sorted({code(gram) >> 1 for gram in grams}))


@lru_cache(_REMEMBERED)
def _stem_code(form: str) -> int:
    return code(stem(form))


@dataclass(frozen=True, eq=False)
class Types:
    """Distinct words and what their similarity depends on: codes of form, tag and stem, letters and synsets."""

    form: Ints
    tag: Ints
    stem: Ints
    weight: Floats
    english: Bools
    letters: "Table"
    synsets: "Table"

    @classmethod
    def of(cls, words: Sequence[Word]) -> "Types":
        """Return the types of *words*, which are distinct."""
        forms = [word.form for word in words]
        return cls(
            form=np.array([*map(code, forms)], np.int64),
            tag=np.array([code(word.tag) for word in words], np.int64),
            stem=np.array([*map(_stem_code, forms)], np.int64),
            weight=np.array([*map(information, forms)], np.float64),
            english=np.array([*map(is_english, forms)], np.bool_),
            letters=_table(Ragged.of(map(_letters, forms), np.int64), 1 << 31),
            synsets=_table(wordnet().synset_ids(forms), wordnet().synset_count),
        )


@dataclass(frozen=True, eq=False)
class Words:
    """The words of many segments, as numbers of their *types*."""

    places: "Ragged[np.int64]"
    types: Types

    @classmethod
    def of(cls, segments: Sequence[Sequence[Word]]) -> "Words":
        """Return the words of *segments*."""
        numbers: dict[Word, int] = {}
        places = [numbers.setdefault(word, len(numbers)) for segment in segments for word in segment]
        sizes = np.array([len(segment) for segment in segments], np.int64)
        return cls(Ragged.from_sizes(sizes, np.array(places, np.int64)), Types.of(list(numbers)))

    @property
    def weights(self) -> Floats:
        """The weight of every word."""
        return self.types.weight[self.places.values]

    @property
    def totals(self) -> Floats:
        """The summed weight of the words of each segment."""
        return add_up(self.places.row, self.weights, len(self.places))


def similarities(left: Types, right: Types, i: Ints, j: Ints) -> Floats:
    """Return how similar the words *i* of the left types are to the words *j* of the right ones, pair by pair.

    >>> words = Types.of([Word("car", "NN"), Word("auto", "NN"), Word("drives", "VBZ"), Word("drive", "NN")])
    >>> similarities(words, words, np.array([0, 0, 2]), np.array([1, 2, 3])).tolist() == [0.8, 0.0, 0.9 * 0.8]
    True
    """
    distinct, inverse = np.unique(i << 32 | j, return_inverse=True)
    a, b = distinct >> 32, distinct & 0xFFFFFFFF
    sizes = left.letters.indptr[a + 1] - left.letters.indptr[a] + right.letters.indptr[b + 1] - right.letters.indptr[b]
    alike = 2 * _common(left.letters, right.letters, a, b) / sizes
    # The greatest of four kinds of similarity counts, and a different tag takes a fifth of it.
    best = np.where(alike > LEAST_ALIKE, ALIKE * alike, 0.0)
    best = np.maximum(best, SAME_SYNSET * (_common(left.synsets, right.synsets, a, b) > 0))
    best = np.maximum(best, SAME_STEM * (left.stem[a] == right.stem[b]))
    best = np.maximum(best, left.form[a] == right.form[b])
    similarity = best * np.where(left.tag[a] == right.tag[b], 1.0, OTHER_TAG)
    return np.asarray(similarity[inverse], np.float64)


def _common(left: "Table", right: "Table", a: Ints, b: Ints) -> Ints:
    """Return how many columns row a[k] of *left* and row b[k] of *right* have in common, for every k."""
    return np.asarray(left[a].multiply(right[b]).sum(axis=1)).ravel()


def _table(rows: "Ragged[np.int64]", width: int) -> "Table":
    """Return rows of numbers as a table with ones in these columns."""
    from scipy.sparse import csr_array

    table = csr_array((np.ones(len(rows.values), np.int32), rows.values, rows.offsets), shape=(len(rows), width))
    table.sort_indices()
    return table


EXACT = "exact"


def match_words(left: Words, right: Words) -> Matchings:
    """Match the words of each segment with those of the same segment on the other side, by weighted similarity.

    >>> cars, the, automobile = Word("cars", "NNS"), Word("the", "DT"), Word("automobile", "NN")
    >>> matching = match_words(Words.of([[cars, the]]), Words.of([[the, automobile]]))[0]
    >>> [(link.left, link.right, link.stage) for link in matching.links]
    [(1, 0, 'exact'), (0, 1, 'similar')]
    """

    def similarity(rows: Lists, columns: Lists) -> Floats:
        i, j = cells(rows, columns)
        return similarities(left.types, right.types, i, j) * (left.types.weight[i] + right.types.weight[j]) / 2

    keys = [(side.types.form << 32 | side.types.tag)[side.places.values] for side in (left, right)]
    matchings = match_all(left.places, right.places, stages={EXACT: (keys[0], keys[1])}, similarity=similarity)
    return replace(matchings, steps=np.where(matchings.stages == 0, left.weights, matchings.steps))
