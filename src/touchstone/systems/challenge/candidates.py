"""Candidate pairs: every replacement that the lists allow in a premise, its label by polarity, its form.

What is refused is counted with the reason.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import groupby
from typing import NamedTuple

from touchstone.io.jsonl import Json
from touchstone.systems.challenge.conditions import Context, words_at
from touchstone.systems.challenge.filters import Filter
from touchstone.systems.challenge.forms import NoForm, edit
from touchstone.systems.challenge.lexicon import Entry, Lexicon, Match, Substitution
from touchstone.systems.challenge.polarity import Polarities, Polarity, Position, Relation
from touchstone.systems.challenge.polarity.tree import head_of
from touchstone.tasks.nli.labels import Label
from touchstone.tasks.nli.model import Span
from touchstone.text import Analyser, Sentence, english

LONGEST_PREMISE = 100
"""Words of a premise; the trees of longer texts are not reliable."""
SHORTEST_PREMISE = 3
"""Words of a premise; shorter ones describe no event."""

HYPONYM = "hyponym"
_DIRECTIONS: dict[str, Relation] = {
    "synonym": "synonym",
    "hypernym": "general",
    HYPONYM: "specific",
    "antonym": "exclusion",
    "co_hyponym": "exclusion",
}
_UNREPEATED = frozenset(("noun", "verb", "adj", "num", "name"))
"""Parts of speech whose replacement must not be in the premise already."""
_CONTENT = 4
"""Letters that a word of a phrase has unless it is a preposition or an article."""
_BEFORE_INSTRUCTION = 2
"""Tokens that may stand before the verb of an instruction: "Please sit", "Now, sit"."""
_NAMES = frozenset(("NNP", "NNPS"))
_DEFINITE = frozenset(("the", "this", "that", "these", "those"))


class Premise(NamedTuple):
    """A premise and its line in the file that it came from."""

    text: str
    line: int


class Candidate(NamedTuple):
    """A pair that may be part of the output: the premise, the hypothesis, the edit and its origin.

    *substitution* is its number in the lexicon: most candidates are sent between processes and then not chosen.
    *words* are the replaced entry and its replacement, as the lists write them; *reason* is that of the *polarity*.
    """

    premise: Premise
    hypothesis: str
    replaced: Span
    replacement: Span
    label: Label
    relation: str
    words: tuple[str, str]
    substitution: int
    tag: str
    polarity: Polarity
    reason: str
    facts: Mapping[str, Json] | None = None
    """What the filters found."""


@dataclass(frozen=True)
class Rejection:
    """A replacement that was refused: the *reason* is one of few, the *detail* says what decided."""

    premise: Premise
    reason: str
    detail: str = ""
    replaced: str = ""
    replacement: str = ""
    relation: str = ""
    list: str = ""


@dataclass
class SearchResult:
    """What was found in some premises; *rejections* is empty where only their numbers are wanted."""

    candidates: list[Candidate] = field(default_factory=list)
    reasons: Counter[str] = field(default_factory=Counter)
    rejections: list[Rejection] = field(default_factory=list)

    def add(self, other: "SearchResult") -> None:
        """Add what was found in further premises."""
        self.candidates += other.candidates
        self.reasons += other.reasons
        self.rejections += other.rejections


class _Refused(Exception):  # noqa: N818 (it becomes a counted reason)
    """A replacement that a check refuses."""

    def __init__(self, reason: str, detail: str = "") -> None:
        super().__init__(reason)
        self.reason, self.detail = reason, detail


@dataclass(frozen=True)
class Generator:
    """Finds the candidates of premises.

    Parameters
    ----------
    lexicon
        The lists of substitutions.
    relations, lists
        The relations and the lists to use: a replacement has one of these relations, or is from one of these
        lists. All are used if both are empty.
    neutral
        Whether pairs with the label neutral are wanted: more specific words, and more general ones under negation.
    listed
        Whether rejections are listed, or only counted.
    filters
        What else has to accept a replacement.
    """

    lexicon: Lexicon
    relations: frozenset[str] = frozenset()
    lists: frozenset[str] = field(default=frozenset(), kw_only=True)
    neutral: bool = False
    listed: bool = False
    filters: tuple[Filter, ...] = ()

    def find(self, premises: Sequence[Premise], analyser: Analyser | None = None) -> SearchResult:
        """Return the candidates of *premises*, in order.

        Parameters
        ----------
        premises
            Distinct premises.
        analyser
            What parses them; the embedded analyser if None.
        """
        result = SearchResult()
        usable = []
        for premise in premises:
            problem = _problem(premise.text)
            if problem:
                self._refuse(result, Rejection(premise, problem))
            else:
                usable.append(premise)
        sentences = (analyser or english()).parse(premise.text for premise in usable)
        for segment, group in groupby(sentences, key=lambda sentence: sentence.segment):
            self._search(usable[segment], list(group), result)
        return result

    def _search(self, premise: Premise, sentences: Sequence[Sentence], result: SearchResult) -> None:
        """Add the candidates of one premise; of equal hypotheses the first, none where their labels differ."""
        words = Counter(word for sentence in sentences for word in _distinct_words(sentence))
        distinct: dict[str, Candidate] = {}
        ambiguous: set[str] = set()
        spots = [spot for sentence in sentences for spot in _spots(sentence, self.lexicon, words)]
        if not spots:
            self._refuse(result, Rejection(premise, "no word of the lists"))
        for spot in spots:
            for substitution in spot.match.substitutions:
                if not self._is_enabled(substitution):
                    continue
                try:
                    candidate = self._candidate(premise, spot, substitution)
                except _Refused as refused:
                    self._refuse(result, spot.rejection(premise, substitution, refused))
                    continue
                # Two edits may make the same sentence. If their labels differ, neither pair can be used.
                first = distinct.setdefault(candidate.hypothesis, candidate)
                if first.label != candidate.label:
                    ambiguous.add(candidate.hypothesis)
                if first is not candidate:
                    self._refuse(result, spot.rejection(premise, substitution, _Refused("the same pair twice")))
        result.reasons["the same pair with two labels"] += len(ambiguous)
        result.candidates += (candidate for candidate in distinct.values() if candidate.hypothesis not in ambiguous)

    def _candidate(self, premise: Premise, spot: "_Spot", substitution: Substitution) -> Candidate:
        """Return the pair that a substitution makes; raise `_Refused` where a check fails."""
        condition = spot.refusal(substitution)
        if condition is not None:
            raise _Refused("a condition of the list", condition)
        spot.check(substitution, self.lexicon)
        label = spot.label(substitution)
        if label == "neutral" and not self.neutral:
            raise _Refused("neutral", spot.position.reason)
        try:
            edited = edit(spot.sentence, spot.match, substitution)
        except NoForm as problem:
            raise _Refused("no form that fits", str(problem)) from None
        facts: dict[str, Json] = {}
        for filter_ in self.filters:
            outcome = filter_.judge(spot.sentence, spot.match, substitution, edited)
            if outcome.reason:
                raise _Refused(outcome.reason, outcome.detail)
            facts |= outcome.facts
        offset = spot.sentence.offset
        return Candidate(
            premise,
            premise.text[:offset] + edited.text + premise.text[offset + len(spot.sentence.text) :],
            edited.replaced.moved(offset),
            edited.replacement.moved(offset),
            label,
            substitution.relation,
            (substitution.source.text, substitution.target.text),
            self.lexicon.number(substitution),
            spot.sentence.tags[spot.match.start + substitution.source.head],
            spot.position.polarity,
            spot.position.reason,
            facts or None,
        )

    def _is_enabled(self, substitution: Substitution) -> bool:
        if not self.relations and not self.lists:
            return True
        return substitution.relation in self.relations or substitution.origin.list in self.lists

    def _refuse(self, result: SearchResult, rejection: Rejection) -> None:
        result.reasons[rejection.reason] += 1
        if self.listed:
            result.rejections.append(rejection)


def with_hyponyms(lexicon: Lexicon) -> Lexicon:
    """Return a *lexicon* in which kinds also go the way back, from the general noun to the specific one.

    Only nouns that are used alike: with the same countability, and without a change of the determiner. What WordNet
    proposed goes one way.
    """
    back = [
        replace(pair, source=pair.target, target=pair.source, relation=HYPONYM)
        for pair in lexicon.pairs
        if (pair.relation, pair.source.pos, pair.determiners) == ("hypernym", "noun", ())
        and pair.source.countable == pair.target.countable
        and pair.proposal is None
    ]
    return replace(lexicon, pairs=(*lexicon.pairs, *back))


def _kind(entry: Entry) -> str:
    """Return what an entry is called whatever its number: people are persons."""
    return "person" if entry.text == "people" else entry.key[0]


def _needs_object(substitution: Substitution) -> bool:
    """Tell whether the list says what a verb has after it, or that it has no object; a passive has it in front."""
    after = [frame.after for frame in substitution.frames]
    return any(
        condition.required.words or "OBJECT" in condition.required.names | condition.refused.names
        for condition in after
    )


def _problem(text: str) -> str | None:
    """Return why a premise is not used at all."""
    words = len(text.split())
    if words < SHORTEST_PREMISE:
        return "premise too short"
    return "premise too long" if words > LONGEST_PREMISE else None


def _distinct_words(sentence: Sentence) -> Iterator[str]:
    """Yield the form of each token, and its lemma where that is another word."""
    for form, lemma in zip(sentence.lowered[::2], sentence.lowered[1::2], strict=True):
        yield form
        if lemma != form:
            yield lemma


def _spots(sentence: Sentence, lexicon: Lexicon, words: Counter[str]) -> Iterator["_Spot"]:
    matches = lexicon.matches(sentence) if not _instructs(sentence) else ()
    if matches:
        polarities = Polarities(sentence)
        for match in matches:
            position = _position(polarities, sentence, match)
            yield _Spot(sentence, match, words, position, Context.of(sentence, match.start, match.end))


def _position(polarities: Polarities, sentence: Sentence, match: Match) -> Position:
    """Return the position of a match; an entry that is a full name is judged like any other word."""
    position = polarities.at(match.start, match.end)
    named = position.literal and position.scopes[-1].operator == "name"
    beside = (*sentence.tags[max(match.start - 1, 0) : match.start], *sentence.tags[match.end : match.end + 1])
    is_name_entry = any(word != word.lower() for word in match.entry.words) and not _NAMES.intersection(beside)
    return (polarities.around(match.start, match.end) or position) if named and is_name_entry else position


def _instructs(sentence: Sentence) -> bool:
    """Tell whether a sentence tells somebody to do something, and so describes no event: "Sit down again"."""
    root = sentence.heads.index(0) if 0 in sentence.heads else 0
    if sentence.tags[root] != "VB" or root > _BEFORE_INSTRUCTION:
        return False
    return not any(
        head == root + 1 and relation.startswith(("nsubj", "aux", "cop", "mark"))
        for head, relation in zip(sentence.heads, sentence.relations, strict=True)
    )


@dataclass(frozen=True)
class _Spot:
    """An entry in a sentence, with all that decides what may replace it; *words* counts the words of the premise."""

    sentence: Sentence
    match: Match
    words: Counter[str]
    position: Position
    context: Context
    refusals: dict[int, str | None] = field(default_factory=dict)
    """Why each frame that was tried refuses the entry, by the id of the frame."""

    @cached_property
    def head(self) -> int:
        """The token, from 0, that the other tokens of the entry depend on."""
        return head_of(self.sentence, self.match.start, self.match.end)

    def rejection(self, premise: Premise, substitution: Substitution, refused: _Refused) -> Rejection:
        """Return a refused replacement with its reason."""
        sentence, match = self.sentence, self.match
        replaced = sentence.text[sentence.starts[match.start] : sentence.ends[match.end - 1]]
        target, relation, name = substitution.target.text, substitution.relation, substitution.origin.list
        return Rejection(premise, refused.reason, refused.detail, replaced, target, relation, name)

    def refusal(self, substitution: Substitution) -> str | None:
        """Return the condition of the list that does not hold; each frame, of which lists share many, is tried once."""
        pos, refusals = self.match.entry.pos, self.refusals
        for frame in substitution.frames:
            if id(frame) not in refusals:
                refusals[id(frame)] = frame.refusal(self.context, pos)
            if refusals[id(frame)] is not None:
                return refusals[id(frame)]
        return None

    def check(self, substitution: Substitution, lexicon: Lexicon) -> None:
        """Refuse words that the premise has already, and members of some coordinations."""
        source, target = substitution.source, substitution.target
        new = [word.lower() for word in target.words if len(word) >= _CONTENT or len(target.words) == 1]
        if target.pos in _UNREPEATED and any(self._elsewhere(word) for word in new):
            raise _Refused("the replacement is in the premise already")
        if source.pos == "noun" and self._elsewhere(source.words[source.head].lower()):
            raise _Refused("the replaced word is in the premise twice")
        if source.pos == "noun" and substitution.relation != "synonym" and self._of_unasked(substitution):
            raise _Refused("a noun with of")
        if source.pos == "verb" and self.sentence.relations[self.head] in ("amod", "compound"):
            raise _Refused("a verb as an adjective")
        if source.pos == "verb" and self._passive() and _needs_object(substitution):
            raise _Refused("a verb in the passive")
        if source.pos == "adj" and self.sentence.relations[self.head] != "amod" and self._has("det"):
            raise _Refused("an adjective as a noun")
        joined = self.joined
        if joined and any(self.sentence.lemmas[token] == "or" for token in self._coordinators(joined)):
            raise _Refused("a choice with or")
        if joined and substitution.relation == "hypernym":
            others = {word for token in joined for word in words_at(self.sentence, token)}
            if _kind(target) in {
                _kind(alternative.target) for word in others for alternative in lexicon.substitutions(word)
            }:
                raise _Refused("joined to another word of the same kind")

    def label(self, substitution: Substitution) -> Label:
        """Return the label by the polarity of the position; refuse what has none."""
        if self.position.literal:
            raise _Refused(f"in a {self.position.scopes[-1].operator}")
        direction = _DIRECTIONS[substitution.relation]
        label = self.position.label(direction)
        if label is None:
            raise _Refused("no label by polarity", self.position.reason)
        if direction in ("general", "specific") and self.position.polarity == "downward" and self._definite():
            raise _Refused("a definite phrase under negation", self.position.reason)
        return label

    def _elsewhere(self, word: str) -> bool:
        inside = sum(word in words_at(self.sentence, token) for token in range(self.match.start, self.match.end))
        return self.words[word] > inside

    def _passive(self) -> bool:
        """Tell whether the entry is a passive: "was thrown", or a participle without "have" as in "a ball thrown"."""
        participle = self.sentence.tags[self.head] == "VBN" and not self._has("aux")
        return participle or self._has("aux:pass", "nsubj:pass")

    def _has(self, *relations: str) -> bool:
        """Tell whether a token depends on the entry by one of some relations."""
        return any(
            up == self.head + 1 and relation in relations
            for up, relation in zip(self.sentence.heads, self.sentence.relations, strict=True)
        )

    def _of_unasked(self, substitution: Substitution) -> bool:
        """Tell whether "of" follows, and the list does not ask for it: "the bridge of his nose" is no bridge."""
        after = self.sentence.forms[self.match.end : self.match.end + 1]
        return after == ("of",) and not any("of" in frame.after.required.words for frame in substitution.frames)

    @cached_property
    def joined(self) -> list[int]:
        """The tokens that are coordinated with the entry."""
        sentence, head = self.sentence, self.head
        # All conjuncts depend on the first member of a coordination.
        first = sentence.heads[head] - 1 if sentence.relations[head] == "conj" else head
        others = [n for n, up in enumerate(sentence.heads) if up == first + 1 and sentence.relations[n] == "conj"]
        return [token for token in (first, *others) if token != head] if others else []

    def _coordinators(self, joined: Iterable[int]) -> Iterator[int]:
        members = {self.head, *joined}
        return (
            token
            for token, up in enumerate(self.sentence.heads)
            if up - 1 in members and self.sentence.relations[token] == "cc"
        )

    def _definite(self) -> bool:
        """Tell whether the entry is in a definite phrase, whose referent a reader takes to be the same."""
        sentence, head = self.sentence, self.head
        return any(
            sentence.heads[token] == head + 1
            and (sentence.forms[token].lower() in _DEFINITE or sentence.relations[token] == "nmod:poss")
            for token in range(len(sentence))
        )
