"""The words that MAXSIM and the overlap of roles compare: tokens with a letter or digit, with lemma and tag.

The analyser gives tokens and Penn tags of the text as written. The lemma is the base form that Princeton's morph gives
for the part of speech of the tag, or else the form in lower case; analyses read from a file bring their own lemmas.
Tokens without letter or digit are dropped last, so n-grams span punctuation.
"""

from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import accumulate

import numpy as np

from touchstone.base.ragged import Interner, Ints, Ragged, StringLists
from touchstone.lexicon import wordnet
from touchstone.tasks.mt.texts import Texts
from touchstone.text import English, Sentence
from touchstone.text.sentence import Columns

_CLASSES = (("N", "n"), ("V", "v"), ("J", "a"), ("RB", "r"))
_PARTS_OF_SPEECH = ("", *(pos for _, pos in _CLASSES))
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


def words_of(texts: Texts, *, parsed: bool = False) -> Words:
    """Return the words of *texts*, computed once.

    Parameters
    ----------
    texts
        The texts.
    parsed
        Whether the tags are those of the parser, where trees are needed anyway, or of the fast path.

    Examples
    --------
    >>> words = words_of(Texts(["The men (two) found it."]))
    >>> words.lemmas[0], words.tags[0]
    (('the', 'man', 'two', 'find', 'it'), ('DT', 'NNS', 'CD', 'VBD', 'PRP'))
    """
    return texts.once(("maxsim words", parsed), partial(_words, parsed=parsed))


def base_form(form: str, tag: str) -> str:
    """Return the lemma of *form* as a word of the part of speech of its *tag*.

    >>> base_form("found", "VBD"), base_form("Men", "NNS"), base_form("better", "RBR"), base_form("CAN", "MD")
    ('find', 'man', 'well', 'can')
    """
    return _base_form(form, _part_of_speech(tag))


@lru_cache(maxsize=1 << 10)
def _part_of_speech(tag: str) -> str:
    """Return the letter of WordNet for a tag, an empty one where WordNet has no such words."""
    return next((pos for start, pos in _CLASSES if tag.startswith(start)), "")


@lru_cache(maxsize=1 << 17)
def _base_form(form: str, pos: str) -> str:
    bases = wordnet().morph(form, pos) if pos else ()
    return bases[0] if bases else form.lower()


def lemmas_of(sentence: Sentence, texts: Texts) -> list[str]:
    """Return the lemmas of all tokens of a sentence of *texts*."""
    if isinstance(texts.analyser, English):
        return list(map(base_form, sentence.forms, sentence.tags))
    return [lemma.lower() for lemma in sentence.lemmas]


def is_word(form: str) -> bool:
    """Return whether a token has a letter or a digit and is not a bracket in Penn Treebank style.

    >>> is_word("n't"), is_word("--"), is_word("_"), is_word("-LRB-")
    (True, False, False, False)
    """
    return form.isalnum() or (form not in _BRACKETS and has_letter(form))


def has_letter(token: str) -> bool:
    """Return whether a token has a letter or a digit."""
    return any(map(str.isalnum, token))


def word_places(sentence: Sentence) -> list[int]:
    """Return the place of each token among those that are words, or of the word before it."""
    return [count - 1 for count in accumulate(map(is_word, sentence.forms))]


def lemmas_at(texts: Texts, columns: Columns, tokens: Ints) -> tuple[tuple[str, ...], Ints]:
    """Return the distinct lemmas of some *tokens*, and the number of the lemma of each.

    Parameters
    ----------
    texts, columns
        The texts, and their analysis.
    tokens
        The places of the tokens among all tokens of the columns.

    Examples
    --------
    >>> texts = Texts(["The men sang.", "Men sing"])
    >>> lemmas, numbers = lemmas_at(texts, texts.columns(), np.array([1, 2, 4, 5]))
    >>> lemmas, numbers.tolist()
    (('man', 'sing'), [0, 1, 0, 1])
    """
    if not isinstance(texts.analyser, English):
        sentences = texts.tagged() if columns.heads is None else texts.parsed()
        lemmas = StringLists.of(sentence.lemmas for sentence in sentences).map(str.lower)
        return lemmas.words, lemmas.codes.values[tokens]
    forms, tags = columns.forms, columns.tags
    classes = np.array([_PARTS_OF_SPEECH.index(_part_of_speech(tag)) for tag in tags.words], np.int64)
    count = len(_PARTS_OF_SPEECH)
    pairs = forms.codes.values[tokens] * count + classes[tags.codes.values[tokens]]
    # Each distinct pair of form and part of speech is looked up once; a table finds them faster than sorting.
    number = np.zeros(len(forms.words) * count, np.int64)
    number[pairs] = 1
    distinct = np.flatnonzero(number)
    chosen = map(forms.words.__getitem__, (distinct // count).tolist())
    parts_of_speech = map(_PARTS_OF_SPEECH.__getitem__, (distinct % count).tolist())
    lemma_numbers = Interner()
    number[distinct] = [lemma_numbers[lemma] for lemma in map(_base_form, chosen, parts_of_speech)]
    return tuple(lemma_numbers), number[pairs]


def _words(texts: Texts, *, parsed: bool) -> Words:
    columns = texts.columns(parsed=parsed)
    word_flags = columns.forms.flags(is_word)
    forms, tags = columns.forms.keep(word_flags), columns.tags.keep(word_flags)
    lemmas, numbers = lemmas_at(texts, columns, np.flatnonzero(word_flags))
    return Words(forms, StringLists(lemmas, Ragged(forms.codes.offsets, numbers)), tags)
