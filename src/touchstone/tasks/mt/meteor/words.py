"""Words as METEOR compares them: tokens as numbers, with the stem and the synsets of each distinct word."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain

import numpy as np

from touchstone.base.ragged import Interner, Ints, Ragged, StringLists
from touchstone.lexicon import Lexicon, wordnet
from touchstone.lexicon.morphology import ENDINGS
from touchstone.tasks.mt.meteor.stems import stem
from touchstone.tasks.mt.meteor.tokens import tokens
from touchstone.tasks.mt.texts import Texts

EXACT, STEM, SYNONYM = range(3)
"""The modules: equal words, unequal words with equal stems, unequal words with a synset in common."""

MODULES = ("exact", "stem", "synonym")
NONE = -1

_stem = lru_cache(1 << 17)(stem)


@dataclass(frozen=True, eq=False)
class WordPairs:
    """The texts of a system beside those of a reference, as numbers of words, and what the modules look at.

    Attributes
    ----------
    words
        The distinct words of both sides, by number.
    system, reference
        The words of each segment.
    stems
        For each distinct word a number that stands for its stem.
    synsets
        For each distinct word its synsets, in ascending order.

    Examples
    --------
    >>> pairs = WordPairs.of(Texts(["the cats"]), Texts(["The Cat"]))
    >>> pairs.words, pairs.system.values.tolist(), pairs.stems.tolist()
    (('the', 'cat', 'cats'), [0, 2], [0, 1, 1])
    """

    words: tuple[str, ...]
    system: Ragged[np.int64]
    reference: Ragged[np.int64]
    stems: Ints
    synsets: Ragged[np.int64]

    @classmethod
    def of(cls, system: Texts, reference: Texts) -> "WordPairs":
        """Return the words of a system's texts beside those of a reference; computed once."""
        return system.once(("meteor", reference), lambda texts: cls._of(texts, reference))

    @classmethod
    def _of(cls, system: Texts, reference: Texts) -> "WordPairs":
        numbers, stems = Interner(), Interner()
        right = tokens_of(reference).numbered(numbers)
        n_reference_words = len(numbers)
        left = tokens_of(system).numbered(numbers)
        words = tuple(numbers)
        # The synsets of the reference's words are looked up once for all systems.
        synsets = reference.once("meteor synsets", lambda texts: synset_offsets(tokens_of(texts).words))
        others = synset_offsets(words[n_reference_words:])
        offsets = np.append(synsets.offsets, others.offsets[1:] + synsets.offsets[-1])
        return cls(
            words,
            left,
            right,
            np.array([stems[_stem(word)] for word in words], np.int64),
            Ragged(offsets, np.append(synsets.values, others.values)),
        )


def tokens_of(texts: Texts) -> StringLists:
    """Return the tokens of each segment, computed once; an absent segment has none."""
    return texts.once("meteor", lambda texts: StringLists.of(map(tokens, texts.present)))


def synset_offsets(words: Sequence[str]) -> Ragged[np.int64]:
    """Return the offsets of the synsets of each word and of its base forms, each once, in ascending order.

    The base forms are all that the exception lists name or, for a word in none of them, the first by rule that is a
    word of WordNet.

    METEOR knows a synset by its byte offset alone, so a noun and a verb whose offsets happen to be equal are synonyms
    too; and its rules for base forms look at no part of speech.

    >>> offsets = synset_offsets(["cars", "auto", "the"])
    >>> offsets.sizes.tolist(), sorted({*offsets.values[:5]} & {*offsets.values[5:]}) == [2958343]
    ([5, 1, 0], True)
    """
    lexicon = wordnet()
    lemmas = _lemmas(words, lexicon)
    senses = lexicon.synsets(lemmas.values)
    offsets = lexicon.synset_numbers[senses.values].astype(np.int64)
    pairs = np.unique(lemmas.row[senses.row] << 32 | offsets)
    return Ragged.from_sizes(np.bincount(pairs >> 32, minlength=len(words)), pairs & 0xFFFFFFFF)


def _lemmas(words: Sequence[str], lexicon: Lexicon) -> Ragged[np.int64]:
    """Return the numbers of the lemmas of each word: its own and those of its bases; -1 where WordNet lists none."""
    irregular = [lexicon.irregular(word) for word in words]
    regular = [[] if bases else _by_rule(word) for word, bases in zip(words, irregular, strict=True)]
    forms = [[word, *bases, *ruled] for word, bases, ruled in zip(words, irregular, regular, strict=True)]
    ids = Ragged.from_sizes(np.array([*map(len, forms)], np.int64), lexicon.lemma_ids([*chain(*forms)]))
    by_rule = ids.position > np.array([*map(len, irregular)], np.int64)[ids.row]
    tried = np.cumsum(by_rule & (ids.values >= 0))
    before = np.concatenate([[0], tried])[ids.offsets[:-1]]
    return ids.keep(~by_rule | (tried - before[ids.row] == 1))


def _by_rule(word: str) -> list[str]:
    if len(word) <= 2 or word.endswith("ss"):
        return []
    return [word.removesuffix(old) + new for pos in ENDINGS for old, new in ENDINGS[pos] if word.endswith(old)]
