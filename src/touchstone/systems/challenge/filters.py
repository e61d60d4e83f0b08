"""Filters of generated pairs: words that a system knows, the sense by context vectors, compounds of WordNet.

Each looks at one replacement, refuses it with a reason, or says what it found, for the provenance of the pair.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, NamedTuple, Protocol

from touchstone.base.codes import Code
from touchstone.base.errors import Fault, TouchstoneError
from touchstone.io.jsonl import Json
from touchstone.io.text import lines, read_text
from touchstone.lexicon import Synset, wordnet
from touchstone.systems.challenge.forms import Edited
from touchstone.systems.challenge.lexicon import Match, Substitution, forms_of
from touchstone.systems.challenge.senses import WORDNET_POS, SenseVectors, Vectors
from touchstone.text import Sentence

LONGEST_COMPOUND = 4
"""Words of the compounds of WordNet that are looked for around a word."""
COMMON_SENSE = 0.1
"""The share of the sense counts of a word from which a sense is common."""
SENSE_MARGIN = 0.15
"""By how much the cosine of another sense has to be larger. With less, most refusals are wrong."""
_CONTENT_TAGS = ("NN", "VB", "JJ", "RB")


class Outcome(NamedTuple):
    """What a filter says: why it refuses a replacement (empty: it does not), a detail, and facts for provenance."""

    reason: str = ""
    detail: str = ""
    facts: Mapping[str, Json] = {}


class Filter(Protocol):
    """Refuses replacements."""

    @property
    def name(self) -> str:
        """What the filter is called in a signature."""

    @property
    def signature(self) -> str:
        """What the filter knows, and its settings."""

    def judge(self, sentence: Sentence, match: Match, substitution: Substitution, edited: Edited) -> Outcome:
        """Return what the filter says about a replacement.

        Parameters
        ----------
        sentence
            The sentence before the replacement.
        match
            Where the replaced entry is.
        substitution
            What replaces it, and why.
        edited
            The sentence after the replacement.
        """


@dataclass(frozen=True)
class KnownWords:
    """Each token of the replacement must be a training word, and have a vector, where these are given."""

    vocabulary: frozenset[str] | None
    vectors: Vectors | None
    source: str = ""
    name: ClassVar[str] = "vocabulary"

    @property
    def signature(self) -> str:
        """The files."""
        return " ".join(filter(None, (self.source, self.vectors.signature if self.vectors else "")))

    def judge(self, sentence: Sentence, match: Match, substitution: Substitution, edited: Edited) -> Outcome:  # noqa: ARG002
        """Refuse a replacement with an unknown token."""
        for token in forms_of(edited.replacement.text):
            if self.vocabulary is not None and not {token, token.lower()} & self.vocabulary:
                return Outcome("not a training word", token)
            if self.vectors is not None and token not in self.vectors:
                return Outcome("no vector", token)
        return Outcome()


def read_vocabulary(path: str | Path) -> tuple[frozenset[str], str]:
    """Return the words of a file, one per line, and its name and digest; what follows a tab is not read."""
    text, source = read_text(path)
    words = [(number, line.partition("\t")[0].strip()) for number, line in lines(text)]
    faults = [
        Fault("not one word", source.name, number, word, code=Code.BAD_CELL)
        for number, word in words
        if len(word.split()) != 1
    ]
    if faults:
        raise TouchstoneError.of(faults, "give one word per line; a count may follow after a tab")
    return frozenset(word for _, word in words), str(source)


@dataclass(frozen=True)
class Senses:
    """The context of a word must not fit another common sense of it clearly better than the one meant.

    The sense meant is the one that a proposal names, and of a line of a list the most common one. Only senses with at
    least a tenth of the sense counts of the word compete. docs/nli_generate.md says how much this helps.
    """

    vectors: SenseVectors
    name: ClassVar[str] = "senses"

    @property
    def signature(self) -> str:
        """The vectors and the descriptions of senses."""
        return self.vectors.signature

    def judge(self, sentence: Sentence, match: Match, substitution: Substitution, edited: Edited) -> Outcome:  # noqa: ARG002
        """Refuse a replacement where the context fits another sense better."""
        meant, *others = self._senses(substitution) or (None,)
        if meant is None or not others:
            return Outcome()
        tokens = (*range(match.start), *range(match.end, len(sentence)))
        context = [sentence.forms[token] for token in tokens if sentence.tags[token].startswith(_CONTENT_TAGS)]
        meant_fit, *fits = self.vectors.fit((meant, *others), context)
        other_fits = [(fit, sense.name) for fit, sense in zip(fits, others, strict=True) if fit is not None]
        if meant_fit is None or not other_fits:
            return Outcome()
        fit, best = max(other_fits)
        if fit > meant_fit + SENSE_MARGIN:
            return Outcome("another sense fits the context better", f"{best}, not {meant}")
        return Outcome(facts={"sense": meant.name, "sense_margin": round(meant_fit - fit, 3)})

    def _senses(self, substitution: Substitution) -> tuple[Synset, ...]:
        """Return the sense meant, and the other common ones."""
        source, proposal = substitution.source, substitution.proposal
        if source.pos not in WORDNET_POS:
            return ()
        word = wordnet().word(source.text)
        senses, counts = word.synsets(WORDNET_POS[source.pos]), word.counts(WORDNET_POS[source.pos])
        named = wordnet().find_named(proposal.senses[0].partition(" ")[0]) if proposal else None
        meant = named or next(iter(senses), None)
        if meant is None:
            return ()
        least = COMMON_SENSE * sum(counts)
        common = (sense for sense, count in zip(senses, counts, strict=True) if count and count >= least)
        return meant, *(sense for sense in common if sense != meant)


@dataclass(frozen=True)
class Compounds:
    """A word that WordNet proposed is not replaced inside a longer entry of WordNet: dog in hot dog."""

    name: ClassVar[str] = "compounds"

    @property
    def signature(self) -> str:
        """Which WordNet."""
        return str(wordnet().signature)

    def judge(self, sentence: Sentence, match: Match, substitution: Substitution, edited: Edited) -> Outcome:  # noqa: ARG002
        """Refuse a replacement inside a compound."""
        if substitution.proposal is None:
            return Outcome()
        # Every span of up to so many tokens that holds the match.
        for start in range(max(0, match.end - LONGEST_COMPOUND), match.start + 1):
            for end in range(match.end, min(len(sentence), start + LONGEST_COMPOUND) + 1):
                if end - start > match.end - match.start and (compound := _compound(sentence, start, end)):
                    return Outcome("inside a compound", compound)
        return Outcome()


def _compound(sentence: Sentence, start: int, end: int) -> str:
    """Return the tokens ``start:end`` as WordNet lists them, with the first or the last as a lemma; else nothing."""
    forms = [form.lower() for form in sentence.forms[start:end]]
    first, last = sentence.lemmas[start].lower(), sentence.lemmas[end - 1].lower()
    spellings = (" ".join(words) for words in (forms, [*forms[:-1], last], [first, *forms[1:]]))
    return next((text for text in spellings if text in wordnet()), "")
