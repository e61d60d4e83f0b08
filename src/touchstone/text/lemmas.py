"""Lemmas: WordNet's morphology under the part of speech that the tag names, and a table for closed classes.

A form whose tag says that it is not inflected (NN, VB, JJ, RB) and that WordNet lists is its own lemma: "data" is not
"datum". What WordNet does not hold (pronouns, clitics, determiners) follows the lemmas of the English Universal
Dependencies treebanks.
"""

from functools import lru_cache

from touchstone.lexicon import Lexicon
from touchstone.text.features import LONGEST, normalised

_POS = {"NN": "n", "VB": "v", "JJ": "a", "RB": "r"}
"""Tags of uninflected forms, which are also the first two letters of the others."""
_AS_WRITTEN = frozenset(("NNP", "CD", "FW", "ADD", "GW", "LS", "AFX", "SYM", "NFP"))

_BE = dict.fromkeys(("'s", "s", "'m", "m", "'re", "re", "r", "ai"), "be")
_VERBS = _BE | {"'ve": "have", "ve": "have", "'d": "have", "gon": "go", "got": "get", "wan": "want"}
_MODALS = {"'ll": "will", "ll": "will", "ca": "can", "wo": "will", "sha": "shall", "'d": "would", "d": "would"}
_PRONOUNS = {"i": "I", "me": "I", "us": "we", "'s": "we", "him": "he", "her": "she", "them": "they", "'em": "they"}
_TABLES = {
    **dict.fromkeys(("VB", "VBD", "VBG", "VBN", "VBP", "VBZ"), _VERBS),
    "MD": _MODALS,
    "PRP": _PRONOUNS,
    "DT": {"an": "a", "these": "this", "those": "that"},
    "RB": {"n't": "not", "nt": "not", "not": "not"},
    "TO": {"na": "to", "ta": "to"},
}
"""Closed classes: tag, form in lower case, lemma."""


class Lemmatiser:
    """Lemmas by form and tag, each pair is looked up once; threads may share one.

    >>> from touchstone.lexicon import wordnet
    >>> pairs = ("mice", "NNS"), ("was", "VBD"), ("ca", "MD"), ("Paris", "NNP"), ("German", "JJ")
    >>> [Lemmatiser(wordnet()).lemma(*pair) for pair in pairs]
    ['mouse', 'be', 'can', 'Paris', 'German']
    """

    def __init__(self, lexicon: Lexicon) -> None:
        self._lexicon = lexicon
        self._lemma = lru_cache(maxsize=1 << 17)(self._find_lemma)

    def lemma(self, form: str, tag: str) -> str:
        """Return the lemma of *form* as it is used under the Penn tag *tag*."""
        return form if len(form) > LONGEST else self._lemma(form, tag)

    def _find_lemma(self, form: str, tag: str) -> str:
        if tag in _AS_WRITTEN:
            return form
        if tag == "POS":
            return "'s"
        word = normalised(form)
        lowered = word.lower()
        listed = _TABLES.get(tag, {}).get(lowered)
        if listed is not None:
            return listed
        if tag == "NNPS":
            return _singular_name(word, self._lexicon.base_form(word, "n"))
        pos = _POS.get(tag[:2])
        return self._inflected(word, lowered, tag, pos) if pos else lowered

    def _inflected(self, word: str, lowered: str, tag: str, pos: str) -> str:
        lexicon = self._lexicon
        if tag in _POS and lexicon.listed(lowered, pos):
            base = lowered
        elif tag in ("RBR", "RBS") and lowered.endswith(("er", "est")) and lexicon.base_form(lowered, "r") == lowered:
            base = lexicon.base_form(lowered, "a")
        else:
            base = lexicon.base_form(lowered, pos)
        if tag == "NNS" and base == lowered and not lexicon.listed(lowered, "n"):
            base = _without_s(lowered)
        return self._capitals(word, base, pos) if word[:1].isupper() else base

    def _capitals(self, word: str, base: str, pos: str) -> str:
        """Return *base* in the capitals that WordNet writes it with; an unknown word in capitals keeps them."""
        senses = self._lexicon.word(base).synsets(pos)
        if not senses:
            return word if word.isupper() and len(word) > 1 else base
        return next((written for written in senses[0].words if written.lower() == base), base)


def _singular_name(name: str, base: str) -> str:
    """Return the singular of a name in the plural: WordNet's base where it has one, else without its s.

    >>> _singular_name("States", "state"), _singular_name("Windsors", "windsors"), _singular_name("Swiss", "swiss")
    ('State', 'Windsor', 'Swiss')
    """
    return _without_s(name) if base == name.lower() else base[:1].upper() + base[1:]


def _without_s(word: str) -> str:
    """Return a plural that WordNet does not list without its s; "ss" and short words are no plurals."""
    return word if word.endswith("ss") or len(word) <= 3 else word.removesuffix("s")
