"""A word in its sentence, as a ranker gets it: analysed, with the place of the target, its lemma and its form."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError, nearest
from touchstone.base.spelling import setting
from touchstone.lexicon import wordnet
from touchstone.lexicon.relation import Pos, checked_pos
from touchstone.systems.substitution.words import form_of
from touchstone.text import Sentence as Analysed
from touchstone.text import english
from touchstone.text.inflection import BASE_TAGS

_POS_OF_TAG: dict[str, Pos] = {"N": "n", "V": "v", "J": "a", "R": "r"}
_CLITIC = re.compile(r"n't|'\w*", re.IGNORECASE)

Span = tuple[int, int]

_WORDS = (
    "the this that these those his her their our your my you he she they we him them us me of to and or if with from "
    "for what which who when where because while than would could should since until into its t s don didn isn doesn "
    "ll ve re how during without although myself"
)
_FUNCTION_WORDS = frozenset(_WORDS.split())
"""Common English words that WordNet does not list."""
_LISTED_WORDS = 10
"""Unknown words that an error shows."""
_FEWEST_WORDS = 3
"""In a shorter text the language cannot be told."""

LONGEST = 5_000
"""Characters of a text: a page, far more than a sentence; analysing more would only take time."""


@dataclass(frozen=True)
class MarkedText:
    """A text with its target marked by the characters that it spans; *lemma* and *pos* where they are known."""

    text: str
    span: Span
    pos: str | None = None
    lemma: str | None = None


@dataclass(frozen=True)
class Target:
    """The word to be replaced: ``sentence.forms[first:last + 1]`` is the word in the text.

    *tag* is the Penn tag whose form a substitute takes.
    """

    sentence: Analysed
    first: int
    last: int
    lemma: str
    pos: Pos
    tag: str

    @property
    def span(self) -> Span:
        """Where it begins and ends in the text, in characters."""
        return self.sentence.starts[self.first], self.sentence.ends[self.last]

    @property
    def words_of_target(self) -> list[str]:
        """Its own words, in lower case."""
        return [form.lower() for form in self.sentence.forms[self.first : self.last + 1]]

    def words(self, count: int) -> tuple[list[str], list[str]]:
        """Return up to *count* words before it and after it, in lower case, without marks, clitics joined on."""
        left = _as_words(self.sentence.forms[: self.first])
        # Marks and clitics give no word of their own: three tokens for each word are enough, and few.
        right = _as_words(self.sentence.forms[self.last + 1 : self.last + 1 + 3 * count])
        return left[max(0, len(left) - count) :], right[:count]


def find_targets(texts: Iterable[MarkedText]) -> Iterator[Target]:
    """Yield the analysed target of each text; its analysis does not depend on the other texts."""
    marked_texts = list(texts)
    for marked in marked_texts:
        _check_span(marked)
    for marked, sentence in zip(
        marked_texts, english().parse([marked.text for marked in marked_texts], split=False), strict=True
    ):
        yield _target(marked, sentence)


def find_span(text: str, word: str, at: int | None = None) -> Span:
    """Return where *word* begins and ends in *text* as a whole word; of several, the one at character *at*.

    >>> find_span("They lost the match", "match")
    (14, 19)
    """
    if not word.strip():
        raise TouchstoneError("no word is asked about", code=Code.BAD_VALUE)
    starts = [match.start() for match in re.finditer(rf"(?<!\w){re.escape(word)}(?!\w)", text, re.IGNORECASE)]
    if not starts:
        near = nearest(word, re.findall(r"[\w'-]+", text))
        hint = "write the word as it is in the sentence, in the same form"
        what = "the word is not in the sentence"
        raise TouchstoneError(what, value=word, near=near, kind="word", code=Code.UNKNOWN_NAME, hint=hint)
    begins = f"it begins at {', '.join(map(str, starts))}"
    if at is None and len(starts) > 1:
        what = f"the word occurs {len(starts)} times in the sentence"
        hint = f"{begins}; choose one with {setting('at', str(starts[0]))}"
        raise TouchstoneError(what, value=word, code=Code.AMBIGUOUS, hint=hint)
    if at is not None and at not in starts:
        what = f"the word does not begin at character {at}"
        raise TouchstoneError(what, value=word, code=Code.BAD_VALUE, hint=begins)
    start = starts[0] if at is None else at
    return start, start + len(word)


def check_language(text: str) -> None:
    """Refuse a text of which WordNet and the common function words know less than half.

    >>> check_language("They lost the match")
    """
    words = [word.lower() for word in re.findall(r"[^\W\d_]+", text)]
    in_lexicon = [word in _FUNCTION_WORDS or bool(wordnet().lemmas(word)) for word in words]
    if len(words) >= _FEWEST_WORDS and sum(in_lexicon) < len(words) / 2:
        unknown = [word for word, is_listed in zip(words, in_lexicon, strict=True) if not is_listed]
        hint = f"only English is supported; unknown words: {', '.join(unknown[:_LISTED_WORDS])}"
        what = "the sentence does not seem to be English"
        raise TouchstoneError(what, value=text[:60], code=Code.UNSUPPORTED, hint=hint)


def _check_span(marked: MarkedText) -> None:
    start, end = marked.span
    if not 0 <= start < end <= len(marked.text):
        what = f"characters {start} to {end} are not in the sentence, which has {len(marked.text)}"
        raise TouchstoneError(what, value=marked.text, code=Code.OUT_OF_RANGE)
    if not marked.text[start:end].strip():
        what = f"there is no word at characters {start} to {end}"
        raise TouchstoneError(what, value=marked.text, code=Code.BAD_VALUE)
    if len(marked.text) > LONGEST:
        what = f"the text has {len(marked.text):,} characters; at most {LONGEST:,} are read"
        hint = "give the sentence of the word alone"
        raise TouchstoneError(what, value=marked.text[start:end], code=Code.TOO_LARGE, hint=hint)
    checked_pos(marked.pos)


def _target(marked: MarkedText, sentence: Analysed) -> Target:
    start, end = marked.span
    inside = [n for n in range(len(sentence)) if sentence.starts[n] < end and sentence.ends[n] > start]
    first, last = inside[0], inside[-1]
    form, tag = marked.text[start:end].strip(), sentence.tags[last]
    pos = checked_pos(marked.pos) or _pos_of(form, tag)
    lemma = _lemma(form, tag, pos, marked.lemma)
    return Target(sentence, first, last, lemma, pos, form_of(tag, form, lemma, pos))


def _lemma(form: str, tag: str, pos: Pos, data_lemma: str | None) -> str:
    """Return the lemma of a form: the one that the data give where it is a lemma and another word than the form.

    Data that give the form itself (SWORDS), or an inflected word, are lemmatised here: *found* as a past form is
    *find*.
    """
    named, lowered = (data_lemma or form).replace("_", " ").lower(), form.lower()
    if wordnet().listed(named, pos) and (named != lowered or tag in BASE_TAGS):
        return named
    return wordnet().base_form(named, pos).lower()


def _pos_of(form: str, tag: str) -> Pos:
    """Return the part of speech that the tag names, or else one in which the lexicon lists the word."""
    # RP, a particle, starts like the adverbs' tags.
    if tag[:1] in _POS_OF_TAG and tag != "RP":
        return _POS_OF_TAG[tag[:1]]
    listed_pos = next((pos for pos in _POS_OF_TAG.values() if wordnet().lemmas(form, pos)), None)
    if listed_pos is None:
        what = "not known as a noun, a verb, an adjective or an adverb"
        hint = f"choose such a word, check its spelling, or name its part of speech, {setting('pos')}: n, v, a or r"
        raise TouchstoneError(what, value=form, code=Code.UNKNOWN_NAME, hint=hint)
    return listed_pos


def _as_words(forms: Iterable[str]) -> list[str]:
    """Return the words of tokens as a language model of speech has them.

    >>> _as_words(["He", "did", "n't", ",", "``", "Tom", "'s", "dog", "did"])
    ['he', "didn't", "tom's", 'dog', 'did']
    """
    words: list[str] = []
    for form in forms:
        if words and _CLITIC.fullmatch(form) and form != "''":
            words[-1] += form.lower()
        elif any(map(str.isalnum, form)):
            words.append(form.lower())
    return words
