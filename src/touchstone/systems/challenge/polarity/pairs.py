"""Labels of sentence pairs by monotonicity: what changed, how the words are related, and the polarity of the position.

This is how polarity is tested on published sets; it gives no label where the change, the relation or the position is
unclear.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import tee
from typing import Literal, NamedTuple

from touchstone.lexicon import Lexicon, Synset, wordnet
from touchstone.lexicon.relation import UPWARD
from touchstone.lexicon.synset import onward, spread
from touchstone.systems.challenge.polarity.positions import Polarities, Position, Relation
from touchstone.systems.challenge.polarity.tree import head_of
from touchstone.tasks.nli.labels import Label
from touchstone.text import Analyser, Sentence, english

_DETERMINERS = frozenset(("a", "the", "some", "any"))
_MODIFIERS = frozenset(
    ("amod", "nmod", "acl", "advmod", "obl", "advcl", "compound", "nummod", "appos", "conj", "flat", "det")
) | {"case", "mark", "cc", "punct"}
Unrelated = Literal["unrelated"]
_NEAR = 2
"""The edges up to which a less frequent sense is trusted."""
_SPECIFIC_DEPTH = 6
"""The depth from which a synset of WordNet is specific enough to relate two words."""
_POS = {"NN": "n", "VB": "v", "JJ": "a", "RB": "r"}


@dataclass(frozen=True)
class Judgement:
    """The label of a pair, None if it is refused, and what it was decided on.

    *relation* is that of the new words to the replaced ones; *reason* is a sentence part for people.
    """

    label: Label | None
    reason: str
    relation: Relation | None = None
    position: Position | None = None


@dataclass(frozen=True)
class _Span:
    """Tokens *start* to *end*, counted from 0, of a parsed sentence."""

    sentence: Sentence
    start: int
    end: int

    @property
    def head(self) -> int:
        """The token, counted from 0, that the others depend on."""
        return head_of(self.sentence, self.start, self.end)

    @property
    def empty(self) -> bool:
        return self.start >= self.end

    def trimmed(self) -> "_Span":
        """Without determiners and punctuation at its ends."""
        start, end = self.start, self.end
        while start < end and _key(self.sentence, start) in _DETERMINERS:
            start += 1
        while start < end and not self.sentence.forms[end - 1][-1].isalnum():
            end -= 1
        return _Span(self.sentence, start, end)


class Judge:
    """Labels pairs of parsed sentences that differ in one place.

    Parameters
    ----------
    lexicon
        Where the relations of words come from; the embedded WordNet if None.
    """

    def __init__(self, lexicon: Lexicon | None = None) -> None:
        self._lexicon = lexicon or wordnet()

    def judge(self, premise: Sentence, hypothesis: Sentence) -> Judgement:
        """Return the label of a pair."""
        changes = [change for change in _changes(premise, hypothesis) if not (change[0].empty and change[1].empty)]
        if len(changes) != 1:
            return Judgement(None, f"{len(changes)} changes")
        old, new = changes[0]
        if old.empty or new.empty:
            return _judge_modifier(old, new)
        position = Polarities(premise).at(old.start, old.end)
        relation = self._relation(old, new)
        if relation == "unrelated":
            label: Label | None = "neutral" if position.polarity == "upward" else None
            return Judgement(label, f"unrelated words, {position.reason}", None, position)
        if relation is None:
            return Judgement(None, "words of unknown relation", None, position)
        return Judgement(position.label(relation), position.reason, relation, position)

    def _relation(self, old: _Span, new: _Span) -> Relation | Unrelated | None:
        """Return what the new words are to the old ones, by their heads and by which side has modifiers."""
        tags = old.sentence.tags[old.head][:2], new.sentence.tags[new.head][:2]
        pos = _POS.get(tags[0]) or _POS.get(tags[1])
        if pos is None:
            return None
        (first, narrowed), (second, narrower) = self._longest_lemma(old, pos), self._longest_lemma(new, pos)
        if not first or not second:
            return None
        head_relation = self._lexical(first, second, pos)
        if narrowed or narrower:
            compatible = ("unrelated", *([] if narrower else ["general"]), *([] if narrowed else ["specific"]))
            same: Relation | None = None if narrowed and narrower else "general" if narrowed else "specific"
            return same if head_relation == "synonym" else head_relation if head_relation in compatible else None
        return head_relation

    def _longest_lemma(self, span: _Span, pos: str) -> tuple[str, bool]:
        """Return the lemma of the longest end of a phrase that the lexicon has, and whether words were left out."""
        for start in range(span.start, span.end):
            lemmas = self._lexicon.lemmas(" ".join(span.sentence.forms[start : span.end]), pos)
            if lemmas:
                return lemmas[0], start > span.start
        return "", False

    def _lexical(self, first: str, second: str, pos: str) -> Relation | Unrelated | None:
        """Return the relation of two words; None if it holds for rare senses only, both ways or not clearly."""
        old, new = (self._lexicon.word(word).synsets(pos) for word in (first, second))
        shared = [min(old.index(synset), new.index(synset)) for synset in old if synset in new]
        if shared:
            return "synonym" if min(shared) <= 1 else None
        general, specific = _kind_of(old, new), _kind_of(new, old)
        if min(general, specific) < _NO_KIND:
            rare = min(general, specific).rare or general == specific
            return None if rare else "general" if general < specific else "specific"
        # An everyday word such as "clothes" is often beside the ancestors of what it names, not among them.
        above = spread(old, UPWARD, None)
        beside = any(above.get(parent, 0) > 1 and parent.depth >= _SPECIFIC_DEPTH for parent in onward(new, *UPWARD))
        return None if beside else "unrelated"


class _Kind(NamedTuple):
    """That a word is a kind of another: only in *rare* senses or not, and how many edges up."""

    rare: bool
    edges: int


_NO_KIND = _Kind(True, 1_000)


def _kind_of(lower: Sequence[Synset], upper: Sequence[Synset]) -> _Kind:
    """Return how the word with the senses *lower* is a kind of that with the senses *upper*, or `_NO_KIND`.

    Senses are in order of frequency. Up to two edges, one of the two senses must be among the first two of its word;
    further up, that of the lower word must be its first.
    """
    ranks = {synset: rank for rank, synset in enumerate(upper)}
    kinds = (
        _Kind(rank > 0 if edges > _NEAR else min(rank, ranks[above]) > 1, edges)
        for rank, synset in enumerate(lower)
        for above, edges in synset.ancestors().items()
        if above in ranks
    )
    return min(kinds, default=_NO_KIND)


def _judge_modifier(old: _Span, new: _Span) -> Judgement:
    """Return the label of a pair in which a modifier or conjunct was added or removed."""
    span = new if old.empty else old
    widens = _widens(span)
    polarities = Polarities(span.sentence)
    position = polarities.around(span.start, span.end)
    if widens is None or position is None:
        return Judgement(None, "not a modifier")
    relation: Relation = "general" if new.empty != widens else "specific"
    return Judgement(position.label(relation), position.reason, relation, position)


def judge_pairs(
    pairs: Iterable[tuple[str, str]], *, analyser: Analyser | None = None, lexicon: Lexicon | None = None
) -> Iterator[Judgement]:
    """Yield a judgement for each pair of a premise and a hypothesis.

    Parameters
    ----------
    pairs
        Premise and hypothesis, one sentence each.
    analyser
        What parses them; the embedded analyser if None.
    lexicon
        Where the relations of words come from; the embedded WordNet if None.

    Examples
    --------
    >>> [judgement] = judge_pairs([("Nobody fed an animal.", "Nobody fed a dog.")])
    >>> judgement.label, judgement.relation, judgement.reason
    ('entailment', 'specific', "scope of 'nobody'")
    """
    analyser, judge = analyser or english(), Judge(lexicon)
    first, second = tee(pairs)
    premises = analyser.parse((premise for premise, _ in first), split=False)
    hypotheses = analyser.parse((hypothesis for _, hypothesis in second), split=False)
    yield from map(judge.judge, premises, hypotheses)


def _key(sentence: Sentence, token: int) -> str:
    lemma = sentence.lemmas[token].lower()
    return "a" if lemma == "an" else lemma


def _changes(premise: Sentence, hypothesis: Sentence) -> Iterator[tuple[_Span, _Span]]:
    """Yield the spans in which two sentences differ, compared by lemma, without determiners and final periods."""
    before, after = ([_key(text, token) for token in range(len(text))] for text in (premise, hypothesis))
    # Without autojunk, which leaves out frequent words of long texts.
    for kind, start, end, new, new_end in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if kind != "equal":
            yield _Span(premise, start, end).trimmed(), _Span(hypothesis, new, new_end).trimmed()


def _widens(span: _Span) -> bool | None:
    """Return whether a span widens what is said, as a disjunct does, or narrows it, as a modifier; None: neither."""
    sentence, inside = span.sentence, range(span.start + 1, span.end + 1)
    tops = [token for token in inside if sentence.heads[token - 1] not in inside]
    relations = {sentence.relations[token - 1].partition(":")[0] for token in tops}
    words = {sentence.lemmas[token - 1].lower() for token in inside}
    # "All boys and girls" are the boys or the girls: the conjunction of nouns has no one direction.
    nouns = any(sentence.relations[token - 1] == "conj" and sentence.tags[token - 1][:2] == "NN" for token in tops)
    if not relations <= _MODIFIERS or words & {"but", "nor", "not"} or (nouns and "or" not in words):
        return None
    return "or" in words
