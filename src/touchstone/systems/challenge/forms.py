"""The form of a replacement: its inflection, the determiner in front of it, capitals, and the edited sentence.

The sentence is edited in place: only the replaced words and the determiner right before them change.
"""

from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType

from touchstone.base.errors import needs
from touchstone.systems.challenge.articles import article
from touchstone.systems.challenge.lexicon import Entry, Match, Substitution
from touchstone.tasks.nli.model import Span
from touchstone.text import Sentence

_PLURAL_TAGS = frozenset(("NNS", "NNPS"))
_BASE_TAGS = frozenset(("NN", "VB", "VBP", "JJ", "RB"))
_SUPERLATIVES = frozenset(("JJS", "RBS"))
_DEGREES = _SUPERLATIVES | {"JJR", "RBR"}
_IRREGULAR = MappingProxyType(
    {
        ("lie", "VBD"): "lay",
        ("lie", "VBN"): "lain",
        ("hang", "VBD"): "hung",
        ("hang", "VBN"): "hung",
        ("fly", "VBD"): "flew",
        ("ring", "VBD"): "rang",
        ("shine", "VBD"): "shone",
        ("wake", "VBN"): "woken",
        ("quarrel", "VBD"): "quarreled",
        ("quarrel", "VBN"): "quarreled",
        ("quarrel", "VBG"): "quarreling",
        ("person", "NNS"): "people",
        ("congressman", "NNS"): "congressmen",
        ("fish", "NNS"): "fish",
        ("goldfish", "NNS"): "goldfish",
        ("salmon", "NNS"): "salmon",
        ("tuna", "NNS"): "tuna",
        ("flamingo", "NNS"): "flamingos",
        ("tuba", "NNS"): "tubas",
        ("vodka", "NNS"): "vodkas",
    }
)
"""Everyday American forms, where the inflection table has another one first or none."""

_COMPARING = frozenset(("more", "most", "less", "least"))
_DETERMINERS = frozenset(("DT", "PDT", "PRP$", "POS", "WP$", "WDT"))
_INDEFINITE = frozenset(("a", "an"))
_ARTICLES = _INDEFINITE | {"the"}
_SINGULAR_DETERMINERS = frozenset(
    ("a", "an", "another", "each", "every", "one", "this", "that", "either", "neither", "much")
)
_PLURAL_DETERMINERS = frozenset(("these", "those", "many", "few", "several", "both", "various", "numerous", "multiple"))
_NOT_OF_MASS = _PLURAL_DETERMINERS | (_SINGULAR_DETERMINERS - {"this", "that", "much"})
_OF_MASS = frozenset(("some", "any", "much", "more", "most", "all", "enough", "less", "little", "no"))
"""Determiners with which a mass noun stands, and a singular noun does not."""
_FINITE = frozenset(("VB", "VBD", "VBP", "VBZ"))
_MODIFIERS = frozenset(("amod", "compound", "nummod", "advmod"))
_COUNTED = frozenset(("count", "singular"))
_UNCOUNTED = frozenset(("mass", "both", "plural"))


class NoForm(Exception):  # noqa: N818 (it never leaves the generator: it becomes a counted reason)
    """Why a replacement has no form in this sentence."""


@dataclass(frozen=True)
class Edited:
    """A sentence with one replacement: its text, and the replaced words and their replacement with their offsets."""

    text: str
    replaced: Span
    replacement: Span


def check_installed() -> None:
    """Name the extra, before any file is read, where the package that inflects is missing."""
    with needs("systems"):
        import lemminflect
    del lemminflect


def edit(sentence: Sentence, match: Match, substitution: Substitution) -> Edited:
    """Return a *sentence* with the entry of a *match* replaced; raise `NoForm` where the sentence does not take it.

    Parameters
    ----------
    sentence
        A parsed sentence.
    match
        Where the source of the substitution stands.
    substitution
        What replaces it.
    """
    _check_capitals(sentence, match)
    source, target = substitution.source, substitution.target
    if target.pos in ("adj", "adv") and _COMPARING.intersection(sentence.forms[max(match.start - 1, 0) : match.start]):
        raise NoForm("a comparison")
    form = inflect(target, sentence.tags[match.start + source.head], source.pos)
    determiner = match.start - 1 if match.start and sentence.tags[match.start - 1] == "DT" else None
    old = sentence.forms[determiner].lower() if determiner is not None else ""
    new = old
    if source.pos == target.pos == "noun":
        new = _Phrase(sentence, match, substitution).determiner(old)
    # The article is chosen last, by the sound of the form in its place.
    if new in _INDEFINITE:
        new = article(form)
    return _written(sentence, match, form, determiner if new != old else None, "" if new == old else new)


def inflect(entry: Entry, tag: str, pos: str | None = None) -> str:
    """Return an *entry* in the form that a Penn tag names; raise `NoForm` where it has none.

    Parameters
    ----------
    entry
        The replacement.
    tag
        The tag of the word that is replaced.
    pos
        The part of speech of the replaced entry; another one than that of *entry* gives the base form.

    Examples
    --------
    >>> inflect(Entry.parse("put on", "verb"), "VBG"), inflect(Entry.parse("fire engine", "noun", "count"), "NNS")
    ('putting on', 'fire engines')
    """
    words = list(entry.words)
    if entry.inflects and pos in (None, entry.pos):
        words[entry.head] = _inflected_head(entry, tag)
    # The tokeniser splits hyphens and clitics off; in a text they are joined.
    return " ".join(words).replace(" - ", "-").replace(" '", "'")


def _inflected_head(entry: Entry, tag: str) -> str:
    word = entry.words[entry.head]
    if entry.pos == "noun":
        inflects = tag in _PLURAL_TAGS and entry.countable not in ("mass", "singular", "plural")
        return _form(word, "NNS") if inflects else word
    if entry.pos == "verb":
        return _form(word, tag)
    if tag in _DEGREES:
        return _compared(entry.text, tag)
    return word


@lru_cache(maxsize=1 << 14)
def _form(word: str, tag: str) -> str:
    if word == "be" and tag in ("VBP", "VBD"):
        raise NoForm("several forms")
    if tag in _BASE_TAGS:
        return word
    forms = (
        (_IRREGULAR[word, tag],)
        if (word, tag) in _IRREGULAR
        else listed_forms(word, tag) or listed_forms(word, tag, True)
    )
    if not forms:
        raise NoForm("no form")
    return forms[0]


@lru_cache(maxsize=1 << 14)
def _compared(word: str, tag: str) -> str:
    """Return a comparative that the table lists, or a superlative; "a more elderly man" is no English."""
    forms = listed_forms(word, tag) if " " not in word else ()
    if not forms and tag not in _SUPERLATIVES:
        raise NoForm("no comparative form")
    return forms[0] if forms else f"most {word}"


def listed_forms(word: str, tag: str, guess: bool = False) -> tuple[str, ...]:
    """Return the forms of a word that the inflection table has; with *guess*, by rule where it has none."""
    with needs("systems"):
        from lemminflect import getInflection
    forms: tuple[str, ...] = getInflection(word, tag, inflect_oov=guess)
    return forms


class _Phrase:
    """The noun phrase around a replaced noun: which determiners and numbers stand there, and whether it agrees."""

    def __init__(self, sentence: Sentence, match: Match, substitution: Substitution) -> None:
        self._sentence, self._match = sentence, match
        self._substitution = substitution
        self._head = match.start + substitution.source.head
        before = [token for token in range(match.start) if sentence.heads[token] == self._head + 1]
        adjacent = match.start - 1
        if adjacent >= 0 and adjacent not in before and sentence.tags[adjacent] in (*_DETERMINERS, "CD"):
            before.append(adjacent)
        self._before, self._words = before, {sentence.forms[token].lower() for token in before}
        self._plural = sentence.tags[self._head] in _PLURAL_TAGS
        countable = substitution.target.countable
        self._becomes_plural = countable == "plural" or (self._plural and countable not in ("singular", "mass"))

    def determiner(self, adjacent: str) -> str:
        """Return what the *adjacent* determiner becomes; raise `NoForm` where number or countability do not fit."""
        changes = dict(self._substitution.determiners)
        old = "a" if adjacent in _INDEFINITE else adjacent
        new = adjacent
        if not old and self._sentence.tags[max(self._match.start - 1, 0)] in _FINITE and self._before:
            raise NoForm("a verb inside the phrase")
        without_determiner = not any(self._determines(token) for token in self._before)
        if (old or without_determiner) and old in changes and not (changes[old] == "a" and self._becomes_plural):
            if not old and self._modified():
                raise NoForm("no determiner before the modifiers")
            new = changes[old]
        self._check_words(self._words - {adjacent} | {new})
        self._check_source(without_determiner=without_determiner)
        self._check_singular(without_determiner=without_determiner and (not new or new in _OF_MASS))
        self._check_agreement()
        return new

    def _determines(self, token: int) -> bool:
        sentence = self._sentence
        if sentence.forms[token].lower() in _OF_MASS:
            return False
        return sentence.tags[token] in _DETERMINERS or sentence.relations[token] in ("det", "nmod:poss")

    def _modified(self) -> bool:
        adjacent = self._match.start - 1
        return adjacent in self._before and self._sentence.relations[adjacent] in _MODIFIERS

    def _check_words(self, words: set[str]) -> None:
        numbers = {self._sentence.forms[token].lower() for token in self._before if self._sentence.tags[token] == "CD"}
        if self._plural and words & {"a", "an", "one"}:
            raise NoForm("the premise itself does not agree")
        several = numbers - {"one", "1"} or words & _PLURAL_DETERMINERS
        if self._substitution.target.countable == "mass":
            if numbers or words & _NOT_OF_MASS:
                raise NoForm("a mass noun after a determiner of one or several")
        elif self._becomes_plural != self._plural and (
            words & _SINGULAR_DETERMINERS if self._becomes_plural else several
        ):
            raise NoForm("the number does not fit the determiner")

    def _check_source(self, *, without_determiner: bool) -> None:
        """Refuse a noun that is not used as the list means it: a volleyball is no game, in costume is no costume."""
        sentence, source = self._sentence, self._substitution.source.countable
        if source == "mass" and self._words & _NOT_OF_MASS:
            raise NoForm("a mass noun that is counted")
        without_determiner = (
            without_determiner
            and source in _COUNTED
            and not self._plural
            and not (self._modified() and _headline(sentence))
        )
        if without_determiner and sentence.relations[self._head].startswith(("obl", "nmod")):
            raise NoForm("a noun without a determiner after a preposition")

    def _check_singular(self, *, without_determiner: bool) -> None:
        source, target = self._substitution.source.countable, self._substitution.target.countable
        if (
            without_determiner
            and not self._becomes_plural
            and target in _COUNTED
            and (source in _UNCOUNTED or self._plural)
        ):
            raise NoForm("a singular noun without a determiner")

    def _check_agreement(self) -> None:
        """Refuse a change of number where a verb or a relative clause has to agree."""
        if self._becomes_plural == self._plural:
            return
        sentence = self._sentence
        dependents = {sentence.relations[n] for n, head in enumerate(sentence.heads) if head == self._head + 1}
        if sentence.relations[self._head].startswith(("nsubj", "conj")) or dependents & {"acl:relcl", "cop"}:
            raise NoForm("the verb would have to agree")


def _headline(sentence: Sentence) -> bool:
    """Tell whether a sentence leaves out articles, as headlines and some captions do."""
    return not _ARTICLES.intersection(form.lower() for form in sentence.forms)


def _check_capitals(sentence: Sentence, match: Match) -> None:
    """Refuse words with capitals that neither the lists nor the start of a sentence give."""
    for token in range(match.start, match.end):
        form, word = sentence.forms[token], match.entry.words[token - match.start]
        if word == word.lower() and form != form.lower() and (token > 0 or form[1:] != form[1:].lower()):
            raise NoForm("capitals")


def _written(sentence: Sentence, match: Match, form: str, determiner: int | None, new: str) -> Edited:
    """Return the sentence with *form* in its place; *determiner* is the token that becomes *new*, None if none is.

    A *new* determiner without an old one is put before the form.
    """
    start, end = sentence.starts[match.start], sentence.ends[match.end - 1]
    first = match.start if determiner is None else determiner
    begin = sentence.starts[first]
    lead = f"{new} " if new else ""
    put = lead + form
    if first == 0 and sentence.forms[0][0].isupper():
        put = put[0].upper() + put[1:]
    text = sentence.text[:begin] + put + sentence.text[end:]
    form_start = begin + len(lead)
    return Edited(
        text,
        Span(sentence.text[start:end], start, end),
        Span(put[len(lead) :], form_start, form_start + len(form)),
    )
