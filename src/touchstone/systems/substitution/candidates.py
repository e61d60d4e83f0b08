"""Candidates for the place of a word, from WordNet, each with the paths that lead to it.

Levels (the specification's names): WN1 has the members of the target's synsets; WN2 adds what is above a noun or
verb, verb groups and see-also, and for adjectives what is similar; WN3 adds what is below, and a second step of
similar-to; WN4 adds sisters and a second step up. Adverbs gain, from WN2 on, the adverbs of the adjective they
derive from and of its neighbours. Beside the levels, *twice* adds the synonyms of synonyms, in any of their senses.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import IntEnum

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.lexicon import Lexicon, Relation, Synset
from touchstone.lexicon.relation import DOWNWARD, UPWARD
from touchstone.lexicon.synset import onward
from touchstone.systems.substitution.words import frequency

LEVELS = (1, 2, 3, 4)


class Way(IntEnum):
    """How a candidate is reached from a sense of the target, nearest first."""

    SYNONYM = 0
    HYPERNYM = 1
    SIMILAR = 2
    ALSO_SEE = 3
    GROUP = 4
    DERIVED = 5
    HYPONYM = 6
    SIMILAR_TWICE = 7
    SISTER = 8
    ABOVE_TWICE = 9
    SYNONYM_TWICE = 10
    RING = 11
    THESAURUS = 12
    NEIGHBOUR = 13

    @property
    def label(self) -> str:
        """The name as people read it.

        >>> Way.ALSO_SEE.label
        'also see'
        """
        return self.name.lower().replace("_", " ")


TWO_STEPS = frozenset((Way.SIMILAR_TWICE, Way.SISTER, Way.ABOVE_TWICE, Way.SYNONYM_TWICE))
NO_SENSE = -1
"""Where a path begins at no sense of the target: it goes through another word, or a thesaurus."""


@dataclass(frozen=True)
class Path:
    """One way to a candidate: from which sense of the target (0 is the most frequent), how, and to which synset."""

    sense: int
    way: Way
    synset: int
    """The number of the synset that holds the candidate; -1 where no synset does."""


THESAURUS_PATHS = (Path(NO_SENSE, Way.THESAURUS, -1),)
"""The path of a word that a thesaurus or a pool gives."""


@dataclass(frozen=True)
class Candidate:
    """A word or phrase that could replace the target, and every path that leads to it, the nearest first.

    >>> from touchstone.lexicon import wordnet
    >>> first = find_candidates(wordnet(), "match", "n", level=2)[0]
    >>> first.word, first.way.label, first.sense
    ('lucifer', 'synonym', 0)
    """

    word: str
    paths: tuple[Path, ...]

    @property
    def way(self) -> Way:
        """The way of its nearest path."""
        return self.paths[0].way

    @property
    def sense(self) -> int:
        """The sense of the target that its nearest path begins at, counted from 0; -1 where it begins at none."""
        return self.paths[0].sense


def find_candidates(
    lexicon: Lexicon,
    lemma: str,
    pos: str,
    level: int,
    *,
    twice: bool = False,
    ring: Iterable[str] = (),
    more: Iterable[str] = (),
    near: Iterable[str] = (),
) -> tuple[Candidate, ...]:
    """Return the candidates for a word, in the order of `Way` and of its senses.

    They are in lower case, words separated by blanks, each once and in its most frequent spelling, without the target
    itself, other spellings of it, and words of opposite meaning.

    Parameters
    ----------
    lexicon
        Where the relations come from.
    lemma, pos
        The word, and its part of speech: n, v, a or r.
    level
        How far the relations are followed, 1 to 4: see the module.
    twice
        Whether synonyms of synonyms are candidates too.
    ring
        Further candidates, from synonym rings.
    more
        Further candidates, from a thesaurus.
    near
        Further candidates, near in vectors, the nearest first.
    """
    if level not in LEVELS:
        hint = "use 1, 2, 3 or 4"
        raise TouchstoneError("no such level of candidates", value=str(level), code=Code.BAD_VALUE, hint=hint)
    search = _Search(lexicon, pos, level)
    word_paths = list(search.paths(lemma))
    # Reversed, so that of several senses of a synonym the first, the most frequent, is the one that stays.
    if twice:
        word_paths += search.twice({word: path.sense for word, path in reversed(word_paths) if path.way is Way.SYNONYM})
    word_paths += ((word, Path(NO_SENSE, Way.RING, -1)) for word in ring)
    word_paths += ((word, path) for word in more for path in THESAURUS_PATHS)
    word_paths += ((word, Path(NO_SENSE, Way.NEIGHBOUR, -1)) for word in near)
    target_spelling, opposite = spelling(lemma), lexicon.word(lemma).antonyms(pos)
    far = {word for synset in lexicon.word(lemma).opposites(pos) for word in synset.lemmas}
    # The nearest paths come first; vectors do not tell opposites apart, so a neighbour may not be a distant one either.
    paths: dict[str, dict[Path, None]] = {}
    frequent_spelling: dict[str, str] = {}
    for word, path in sorted(word_paths, key=lambda pair: (pair[1].way, pair[1].sense)):
        american = _american(word.replace("-", " "))
        if (
            word not in opposite
            and spelling(word) != target_spelling
            and not (path.way is Way.NEIGHBOUR and word in far)
        ):
            paths.setdefault(american, {})[path] = None
            frequent_spelling[american] = max(frequent_spelling.get(american, word), word, key=frequency)
    return tuple(Candidate(frequent_spelling[american], tuple(ways)) for american, ways in paths.items())


_SPELLINGS = (("isation", "ization"), ("yse", "yze"), ("our", "or"), ("ogue", "og"), ("ae", "e"), ("ll", "l"))


def spelling(word: str) -> str:
    """Return what American and British spellings, hyphens and blanks of a word have in common.

    >>> spelling("realise") == spelling("realize"), spelling("co-operate") == spelling("cooperate")
    (True, True)
    """
    return _american(re.sub("[ '’-]", "", word))


def _american(word: str) -> str:
    # The result need not be a word; it only has to be the same for both spellings, so every "ll" becomes "l".
    for british, american in _SPELLINGS:
        word = word.replace(british, american)
    word = re.sub(r"is(e|ed|es|ing)\b", r"iz\1", word)
    return re.sub(r"([bct])re\b", r"\1er", word)


Steps = tuple[tuple[Relation, ...], ...]
"""The relations that may be followed at each step."""

_SIMILAR, _ALSO_SEE = (Relation.SIMILAR,), (Relation.ALSO_SEE,)
_UP, _DOWN = (Relation.HYPERNYM,), (Relation.HYPONYM,)
_REACHED: Mapping[str, tuple[tuple[int, Way, Steps], ...]] = {
    "n": (
        (2, Way.HYPERNYM, (UPWARD,)),
        (3, Way.HYPONYM, (DOWNWARD,)),
        (3, Way.ALSO_SEE, (_ALSO_SEE,)),
        (4, Way.SISTER, (_UP, _DOWN)),
        (4, Way.ABOVE_TWICE, (_UP, _UP)),
    ),
    "v": (
        (2, Way.HYPERNYM, (_UP,)),
        (2, Way.GROUP, ((Relation.VERB_GROUP,),)),
        (2, Way.ALSO_SEE, (_ALSO_SEE,)),
        (3, Way.HYPONYM, (_DOWN,)),
        (4, Way.SISTER, (_UP, _DOWN)),
        (4, Way.ABOVE_TWICE, (_UP, _UP)),
    ),
    "a": (
        (2, Way.SIMILAR, (_SIMILAR,)),
        (2, Way.ALSO_SEE, (_ALSO_SEE,)),
        (3, Way.SIMILAR_TWICE, (_SIMILAR, _SIMILAR)),
    ),
    "r": (),
}
"""What is reached from a sense, by part of speech: the level at which it becomes a candidate, and the steps to it."""


@dataclass(frozen=True)
class _Search:
    lexicon: Lexicon
    pos: str
    level: int

    def paths(self, lemma: str) -> Iterator[tuple[str, Path]]:
        for sense, synset in enumerate(self._senses(lemma)):
            for way, reached in self._reached(synset):
                yield from ((word, Path(sense, way, reached.id)) for word in reached.lemmas)
        if self.pos == "r" and self.level > 1:
            yield from self._derived(lemma)

    def twice(self, synonyms: Mapping[str, int]) -> Iterator[tuple[str, Path]]:
        """Yield the synonyms of synonyms, each with the most frequent sense of the target that it has."""
        for synonym, sense in synonyms.items():
            for synset in self._senses(synonym):
                yield from ((word, Path(sense, Way.SYNONYM_TWICE, synset.id)) for word in synset.lemmas)

    def _senses(self, lemma: str) -> tuple[Synset, ...]:
        return self.lexicon.word(lemma).synsets(self.pos)

    def _reached(self, synset: Synset) -> Iterator[tuple[Way, Synset]]:
        """Yield the synsets that this level reaches from one sense."""
        yield Way.SYNONYM, synset
        for level, way, steps in _REACHED[self.pos]:
            if level <= self.level:
                reached: tuple[Synset, ...] = (synset,)
                for relations in steps:
                    reached = onward(reached, *relations)
                yield from ((way, to) for to in reached if to != synset)

    def _derived(self, lemma: str) -> Iterator[tuple[str, Path]]:
        """Yield the adverbs of the adjectives around the one that an adverb derives from."""
        for adjective in self.lexicon.word(lemma).related_words(Relation.PERTAINYM, pos="r"):
            for synset in self.lexicon.word(adjective).synsets("a"):
                for near in (synset, *synset.related(Relation.SIMILAR)):
                    for word in near.lemmas:
                        yield from ((adverb, Path(NO_SENSE, Way.DERIVED, -1)) for adverb in self._adverbs(word))

    def _adverbs(self, adjective: str) -> Iterator[str]:
        """Yield the adverbs in -ly that WordNet lists of an adjective."""
        # happy: happily, gentle: gently, basic: basically; a spelling that WordNet does not list is left out.
        stem = adjective.removesuffix("y") + "i" if adjective.endswith("y") else adjective
        spelt = (f"{stem}ly", f"{adjective.removesuffix('le')}ly", f"{adjective}ally")
        yield from (adverb for adverb in dict.fromkeys(spelt) if self.lexicon.listed(adverb, "r"))
