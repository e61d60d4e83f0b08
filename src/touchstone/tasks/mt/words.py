"""The words that MAXSIM and the overlap of roles compare: tokens with a letter or digit, with lemma and tag.

The analyser gives tokens and Penn tags of the text as written. The lemma is the base form that Princeton's morph gives
for the part of speech of the tag, or else the form in lower case; analyses read from a file bring their own lemmas.
Tokens without letter or digit are dropped last, so n-grams span punctuation.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate

import numpy as np

from touchstone.core.ragged import Ragged, StringLists
from touchstone.lexicon import wordnet
from touchstone.tasks.mt.model import Texts
from touchstone.text import English, Sentence

_CLASSES = (("N", "n"), ("V", "v"), ("J", "a"), ("RB", "r"))
_BRACKETS = frozenset(("-LRB-", "-RRB-", "-LSB-", "-RSB-", "-LCB-", "-RCB-"))
"""Brackets as the Penn Treebank writes them: letters, but not words."""


@dataclass(frozen=True)
class Words:
    """The words of every segment: forms, lemmas and tags in columns of the same shape."""

    forms: StringLists
    lemmas: StringLists
    tags: StringLists

    def __len__(self) -> int:
        return len(self.forms)


def words_of(texts: Texts) -> Words:
    """Return the words of *texts*, computed once.

    >>> words = words_of(Texts(["The men (two) found it."]))
    >>> words.lemmas[0], words.tags[0]
    (('the', 'man', 'two', 'find', 'it'), ('DT', 'NNS', 'CD', 'VBD', 'PRP'))
    """
    return texts.once("maxsim words", _words)


@lru_cache(maxsize=1 << 17)
def base_form(form: str, tag: str) -> str:
    """Return the lemma of *form* as a word of the part of speech of its *tag*.

    >>> base_form("found", "VBD"), base_form("Men", "NNS"), base_form("better", "RBR"), base_form("CAN", "MD")
    ('find', 'man', 'well', 'can')
    """
    pos = next((pos for start, pos in _CLASSES if tag.startswith(start)), None)
    bases = wordnet().morph(form, pos) if pos else ()
    return bases[0] if bases else form.lower()


def lemmas_of(sentence: Sentence, texts: Texts) -> list[str]:
    """Return the lemmas of all tokens of a sentence of *texts*."""
    if isinstance(texts.analyser, English):
        return list(map(base_form, sentence.forms, sentence.tags))
    return [lemma.lower() for lemma in sentence.lemmas]


@lru_cache(maxsize=1 << 17)
def is_word(form: str) -> bool:
    """Return whether a token has a letter or a digit and is not a bracket in Penn Treebank style.

    >>> is_word("n't"), is_word("--"), is_word("_"), is_word("-LRB-")
    (True, False, False, False)
    """
    return form not in _BRACKETS and has_letter(form)


def has_letter(token: str) -> bool:
    """Return whether a token has a letter or a digit."""
    return any(map(str.isalnum, token))


def word_places(sentence: Sentence) -> list[int]:
    """Return the place of each token among those that are words, or of the word before it."""
    return [count - 1 for count in accumulate(map(is_word, sentence.forms))]


def _words(texts: Texts) -> Words:
    analyser = texts.analyser
    if isinstance(analyser, English):
        columns = analyser.columns(texts.present)
        forms, tags = columns.forms, columns.tags
        lemmas = _together(base_form, forms, tags)
    else:
        forms, tags, lemmas = (
            StringLists.of(getattr(sentence, name) for sentence in texts.tagged())
            for name in ("forms", "tags", "lemmas")
        )
        lemmas = lemmas.map(str.lower)
    kept = forms.flags(is_word)
    return Words(forms.keep(kept), lemmas.keep(kept), tags.keep(kept))


def _together(change: Callable[[str, str], str], one: StringLists, other: StringLists) -> StringLists:
    """Return *change* of the strings at the same places of two columns, computed once for each distinct pair."""
    pairs = one.codes.values * len(other.words) + other.codes.values
    distinct, place = np.unique(pairs, return_inverse=True)
    firsts, seconds = np.divmod(distinct, len(other.words))
    made = [change(one.words[a], other.words[b]) for a, b in zip(firsts.tolist(), seconds.tolist(), strict=True)]
    return StringLists(tuple(made), Ragged(one.codes.offsets, place)).map(str)
