"""The lexicon of substitutions: which word or phrase may take the place of another, with which label, and where.

The lists are plain files: reading.py reads them, docs/nli_lists.md describes them.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from itertools import permutations
from types import MappingProxyType

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError, nearest
from touchstone.base.files import Source
from touchstone.base.signature import content_digest
from touchstone.systems.challenge.conditions import PARTS, Frame
from touchstone.text import Sentence, Tokeniser

POS = ("noun", "verb", "adj", "adv", "prep", "num", "name")
PHRASE = "phrase"
COUNTABLE = ("", "count", "mass", "both", "singular", "plural")

LABELS = MappingProxyType(
    {
        "synonym": "entailment",
        "hypernym": "entailment",
        "antonym": "contradiction",
        "co_hyponym": "contradiction",
    }
)
"""The relations of a replacement to the word that it replaces, and the label that each intends."""

_TAGS = MappingProxyType(
    {
        "noun": frozenset(("NN", "NNS")),
        "verb": frozenset(PARTS["VERB"]),
        "adj": frozenset((*PARTS["ADJ"], "NNP")),
        "adv": frozenset((*PARTS["ADV"], "IN", "RP")),
        "prep": frozenset((*PARTS["PREP"], "RB")),
        "num": frozenset(PARTS["NUM"]),
        "name": frozenset((*PARTS["NAME"], "JJ", "NN")),
    }
)
_PARTICIPLES = frozenset(("VBN", "VBG"))


@dataclass(frozen=True)
class Entry:
    """A word or phrase of a list: its tokens, which of them inflects, and what it is.

    *countable* says how a noun is used: count, mass, both, or only in the singular or in the plural.
    """

    words: tuple[str, ...]
    pos: str
    head: int
    countable: str = ""
    fixed: bool = False

    @classmethod
    def parse(cls, text: str, pos: str, countable: str = "", *, fixed: bool = False) -> "Entry":
        """Return the entry that *text* writes; ``*`` marks the word that inflects, where it is not the usual one.

        The usual one is the first word of a verb and the last of anything else.

        >>> Entry.parse("piece* of furniture", "noun", "count").head, Entry.parse("electric guitar", "noun").head
        (0, 1)
        """
        parts = [(form, part.endswith("*")) for part in text.split() for form in forms_of(part.removesuffix("*"))]
        marked = [index for index, (_, mark) in enumerate(parts) if mark]
        head = marked[0] if marked else 0 if pos == "verb" else len(parts) - 1
        return cls(tuple(form for form, _ in parts), pos, head, countable, fixed)

    @cached_property
    def key(self) -> tuple[str, str]:
        """The words in lower case, and the part of speech: what makes two entries the same word."""
        return " ".join(self.words).lower(), self.pos

    @cached_property
    def text(self) -> str:
        """The words as they are written."""
        return " ".join(self.words).replace(" - ", "-")

    @property
    def inflects(self) -> bool:
        """Whether the head takes other forms: nouns and verbs that are not fixed, adjectives that are compared."""
        return self.pos in ("noun", "verb", "adj", "adv") and not self.fixed

    def matches(self, sentence: Sentence, start: int) -> bool:
        """Tell whether the entry begins at the token *start* of a *sentence*, in any of its forms."""
        if start + len(self.words) > len(sentence):
            return False
        for token, (word, capital, inflects) in enumerate(self._tokens, start):
            if capital:
                if sentence.forms[token] != word:
                    return False
            elif sentence.lowered[2 * token] != word and not (inflects and sentence.lowered[2 * token + 1] == word):
                return False
        return self._has_tag(sentence, start + self.head)

    @cached_property
    def _tokens(self) -> tuple[tuple[str, bool, bool], ...]:
        """Each word, whether it has a capital, and whether other forms of it are the same word."""
        forms = (self.pos == PHRASE or (self.inflects and index == self.head) for index in range(len(self.words)))
        return tuple((word, word != word.lower(), inflects) for word, inflects in zip(self.words, forms, strict=True))

    def _has_tag(self, sentence: Sentence, token: int) -> bool:
        tag = sentence.tags[token]
        if self.pos == "adj" and tag in _PARTICIPLES:
            return sentence.parsed and sentence.relations[token] == "amod"
        if self.countable in ("singular", "mass", "plural"):
            return tag in (("NNS",) if self.countable == "plural" else ("NN", "JJ"))
        return self.pos == PHRASE or tag in _TAGS[self.pos] or (len(self.words) > 1 and self.pos in ("prep", "adv"))


@cache
def _tokeniser() -> Tokeniser:
    return Tokeniser()


def forms_of(text: str) -> list[str]:
    """Return the tokens of a text, without their offsets."""
    return _tokeniser().forms(text)


@dataclass(frozen=True)
class Origin:
    """The list, file and line in which an entry is written."""

    list: str
    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


@dataclass(frozen=True)
class Proposal:
    """What WordNet says about a line that it proposed, and whether a person has *reviewed* and approved it."""

    reviewed: bool
    senses: tuple[str, str]
    path: str


@dataclass(frozen=True)
class Substitution:
    """A *source* that a *target* may replace, the relation between them, and the frames that must all hold.

    *determiners* has what the determiner in front becomes (`the` to `a`; an empty text is no determiner); one that is
    not named stays. *when* says for which referent the two exclude each other. *proposal* is there if WordNet proposed
    the line.
    """

    source: Entry
    target: Entry
    relation: str
    frames: tuple[Frame, ...]
    origin: Origin
    group: str = ""
    when: str = ""
    determiners: tuple[tuple[str, str], ...] = ()
    proposal: Proposal | None = None

    @property
    def label(self) -> str:
        """The label that the replacement intends."""
        return LABELS[self.relation]


@dataclass(frozen=True)
class Member:
    """One word of a group, with its own conditions."""

    entry: Entry
    frame: Frame
    origin: Origin


@dataclass(frozen=True)
class Group:
    """Words of which any two exclude each other; *when* says for which referent."""

    name: str
    when: str
    members: tuple[Member, ...]

    def substitutions(self) -> Iterator[Substitution]:
        """Yield each member with each other member; the conditions of both have to hold."""
        for source, target in permutations(self.members, 2):
            frames = tuple(dict.fromkeys((source.frame, target.frame)))
            words = source.entry, target.entry
            yield Substitution(*words, "co_hyponym", frames, source.origin, group=self.name, when=self.when)


@dataclass(frozen=True)
class Match:
    """An entry that stands in a sentence, as the tokens ``start:end``, and what may replace it there."""

    start: int
    end: int
    entry: Entry
    substitutions: tuple[Substitution, ...]


@dataclass(frozen=True)
class Lexicon:
    """All lists: pairs, groups, and phrases inside which nothing is replaced.

    >>> from touchstone.systems.challenge.reading import read_lexicon
    >>> lexicon = read_lexicon()
    >>> [(s.target.text, s.relation) for s in lexicon.substitutions("couch") if s.origin.list == "synonyms"]
    [('sofa', 'synonym')]
    """

    pairs: tuple[Substitution, ...]
    groups: tuple[Group, ...]
    phrases: tuple[Entry, ...]
    sources: tuple[Source, ...] = ()

    def __getstate__(self) -> dict[str, object]:
        """Return what the lists say, without indexes, for another process: it has other objects."""
        return {name: getattr(self, name) for name in ("pairs", "groups", "phrases", "sources")}

    def substitutions(self, text: str, pos: str | None = None) -> tuple[Substitution, ...]:
        """Return what may replace a word or phrase, each with the conditions of its line.

        Parameters
        ----------
        text
            The word or phrase as the lists write it: a lemma, or the form of an entry that does not inflect.
        pos
            One part of speech; any if None.
        """
        words = " ".join(forms_of(text)).lower()
        kinds = POS if pos is None else (pos,)
        return tuple(substitution for kind in kinds for substitution in self._by_source.get((words, kind), ()))

    def matches(self, sentence: Sentence) -> tuple[Match, ...]:
        """Return the entries that stand in a *sentence*, from left to right; the longest at each token wins.

        Nothing inside a longer entry or a phrase is an entry of its own, but the nouns inside a longer verb are.
        """
        matches: list[Match] = []
        taken = nouns = 0
        for start in range(len(sentence)):
            if start < taken:
                continue
            entries = self._at(sentence, start)
            entries = [entry for entry in entries if start >= nouns or entry.pos == "noun"]
            longest = max((len(entry.words) for entry in entries), default=0)
            entries = [entry for entry in entries if len(entry.words) == longest]
            for entry in entries:
                choice = self._choice(entry, sentence, start)
                if choice:
                    matches.append(Match(start, start + longest, entry, choice))
            # Up to `taken` nothing begins; up to `nouns` only nouns do, such as those inside a verb of several words.
            if any(entry.pos != "verb" for entry in entries):
                taken = start + longest
            elif entries:
                nouns = max(nouns, start + longest)
        return tuple(matches)

    def number(self, substitution: Substitution) -> int:
        """Return the index of one of the substitutions of this lexicon in `all`."""
        return self._numbers[id(substitution)]

    def only(self, lists: Sequence[str]) -> "Lexicon":
        """Return the lexicon with these *lists* alone; phrases still block what is inside them."""
        for name in lists:
            if name not in self.lists:
                hint = f"the lists are {', '.join(self.lists)}"
                near = nearest(name, self.lists)
                raise TouchstoneError("no such list", value=name, near=near, code=Code.UNKNOWN_NAME, hint=hint)
        pairs = tuple(pair for pair in self.pairs if pair.origin.list in lists)
        groups = tuple(group for group in self.groups if group.members[0].origin.list in lists)
        return replace(self, pairs=pairs, groups=groups)

    @cached_property
    def lists(self) -> tuple[str, ...]:
        """The names of the lists."""
        origins = (*(pair.origin for pair in self.pairs), *(group.members[0].origin for group in self.groups))
        return tuple(sorted({origin.list for origin in origins}))

    @property
    def signature(self) -> str:
        """A digest of what the lists hold."""
        return content_digest(file=[source.stem for source in self.sources], text=[s.digest for s in self.sources])

    @cached_property
    def all(self) -> tuple[Substitution, ...]:
        """All substitutions: the pairs, then those of the groups."""
        return (*self.pairs, *(substitution for group in self.groups for substitution in group.substitutions()))

    @cached_property
    def _numbers(self) -> Mapping[int, int]:
        return {id(substitution): number for number, substitution in enumerate(self.all)}

    @cached_property
    def _by_source(self) -> Mapping[tuple[str, str], tuple[Substitution, ...]]:
        by_source: dict[tuple[str, str], list[Substitution]] = defaultdict(list)
        for substitution in self.all:
            by_source[substitution.source.key].append(substitution)
        return {key: tuple(substitutions) for key, substitutions in by_source.items()}

    @cached_property
    def _sources(self) -> Mapping[tuple[str, str], tuple[Entry, ...]]:
        """The entries of each word: one for each countability that the lists give it."""
        return {
            key: tuple(dict.fromkeys(substitution.source for substitution in same))
            for key, same in self._by_source.items()
        }

    @cached_property
    def _by_first(self) -> Mapping[str, tuple[Entry, ...]]:
        """Every entry by its first word."""
        sources = (source for same in self._sources.values() for source in same)
        by_first: dict[str, list[Entry]] = defaultdict(list)
        for entry in dict.fromkeys((*sources, *self.phrases)):
            by_first[entry.words[0].lower()].append(entry)
        return {word: tuple(same) for word, same in by_first.items()}

    def _at(self, sentence: Sentence, start: int) -> list[Entry]:
        """Return one entry for each word that begins at a token, by form or lemma."""
        keys = dict.fromkeys(sentence.lowered[2 * start : 2 * start + 2])
        entries = [entry for key in keys for entry in self._by_first.get(key, ()) if entry.matches(sentence, start)]
        return list({entry.key: entry for entry in entries}.values())

    def _choice(self, entry: Entry, sentence: Sentence, start: int) -> tuple[Substitution, ...]:
        """Return the substitutions of a word whose source stands here in this number."""
        same, sources = self._by_source.get(entry.key, ()), self._sources.get(entry.key, ())
        fitting = [source for source in sources if source.matches(sentence, start)]
        if len(fitting) == len(sources):
            return same
        return tuple(substitution for substitution in same if substitution.source in fitting)
