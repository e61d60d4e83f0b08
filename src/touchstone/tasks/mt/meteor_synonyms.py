"""METEOR's synonyms: words are synonyms where the synsets of theirs or of their base forms meet.

METEOR knows a synset by its byte offset alone, so a noun and a verb whose offsets happen to be equal are synonyms too;
and it takes base forms by rules of its own, which look at no part of speech.
"""

from collections.abc import Sequence
from itertools import chain

import numpy as np

from touchstone.core.ragged import Ragged
from touchstone.lexicon import Lexicon

_ENDINGS = (
    # nouns
    *(
        ("s", ""),
        ("ses", "s"),
        ("xes", "x"),
        ("zes", "z"),
        ("ches", "ch"),
        ("shes", "sh"),
        ("men", "man"),
        ("ies", "y"),
    ),
    # verbs
    *(("s", ""), ("ies", "y"), ("es", "e"), ("es", ""), ("ed", "e"), ("ed", ""), ("ing", "e"), ("ing", "")),
    # adjectives
    *(("er", ""), ("est", ""), ("er", "e"), ("est", "e")),
)


def synset_offsets(words: Sequence[str], lexicon: Lexicon) -> Ragged[np.int64]:
    """Return the offsets of the synsets of each word and of its base forms, each once, in ascending order.

    The base forms are all that the exception lists name or, for a word in none of them, the first by rule that is a
    word of WordNet.

    >>> from touchstone.lexicon import wordnet
    >>> offsets = synset_offsets(["cars", "auto", "the"], wordnet())
    >>> offsets.sizes.tolist(), sorted({*offsets.values[:5]} & {*offsets.values[5:]}) == [2958343]
    ([5, 1, 0], True)
    """
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
    found = Ragged.from_sizes(np.array([*map(len, forms)], np.int64), lexicon.lemma_ids([*chain(*forms)]))
    by_rule = found.place > np.array([*map(len, irregular)], np.int64)[found.row]
    tried = np.cumsum(by_rule & (found.values >= 0))
    before = np.concatenate([[0], tried])[found.offsets[:-1]]
    return found.keep(~by_rule | (tried - before[found.row] == 1))


def _by_rule(word: str) -> list[str]:
    if len(word) <= 2 or word.endswith("ss"):
        return []
    return [word.removesuffix(old) + new for old, new in _ENDINGS if word.endswith(old)]
