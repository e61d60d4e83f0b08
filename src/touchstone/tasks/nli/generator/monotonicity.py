"""Labels of sentence pairs by monotonicity: what changed, how the words are related, and the polarity of the place.

This is how polarity is tested on published sets; it gives no label where the change, the relation or the place is
unclear.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import tee

import numpy as np

from touchstone.core.ragged import Ragged
from touchstone.lexicon import Lexicon, wordnet
from touchstone.tasks.nli.generator.polarity import Place, Polarities, Relation
from touchstone.tasks.nli.labels import Label
from touchstone.text import Analyser, Sentence, english

_DETERMINERS = frozenset(("a", "the", "some", "any"))
_MODIFIERS = frozenset("amod nmod acl advmod obl advcl compound nummod appos conj case punct cc mark flat det".split())
_POS = {"NN": "n", "VB": "v", "JJ": "a", "RB": "r"}


@dataclass(frozen=True)
class Judgement:
    """The label of a pair, None where it is refused, and what it was decided on.

    *relation* is that of the new words to the replaced ones; *reason* is a sentence part for people.
    """

    label: Label | None
    reason: str
    relation: Relation | None = None
    place: Place | None = None


@dataclass(frozen=True)
class _Span:
    """Tokens *start* to *end*, counted from 0, of a parsed sentence."""

    sentence: Sentence
    start: int
    end: int

    @property
    def head(self) -> int:
        """The token, counted from 0, that the others depend on."""
        tops = [n for n in range(self.start, self.end) if not self.start < self.sentence.heads[n] <= self.end]
        return tops[0]

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
            return self._added_or_removed(old, new)
        relation = self._relation(old, new)
        place = Polarities(premise).at(old.start, old.end)
        if relation is None:
            return Judgement(None, "unrelated words", None, place)
        return Judgement(place.label(relation), place.reason, relation, place)

    def _added_or_removed(self, old: _Span, new: _Span) -> Judgement:
        span = new if old.empty else old
        disjunct = _modifier(span)
        if disjunct is None:
            return Judgement(None, "not a modifier")
        place = Polarities(span.sentence).at(span.start, span.end)
        relation: Relation = "general" if new.empty != disjunct else "specific"
        return Judgement(place.label(relation), place.reason, relation, place)

    def _relation(self, old: _Span, new: _Span) -> Relation | None:
        """Return what the new words are to the old ones."""
        tags = old.sentence.tags[old.head][:2], new.sentence.tags[new.head][:2]
        pos = _POS.get(tags[0]) or _POS.get(tags[1])
        if pos is None:
            return None
        (first, narrowed), (second, narrower) = self._known(old, pos), self._known(new, pos)
        if not first or not second or (narrowed and narrower):
            return None
        found = self._lexical(first, second, pos)
        if narrowed:
            return "general" if found in ("synonym", "general") else None
        if narrower:
            return "specific" if found in ("synonym", "specific") else None
        return found

    def _known(self, span: _Span, pos: str) -> tuple[tuple[str, ...], bool]:
        """Return the lemmas of the longest end of a phrase that the lexicon has, and whether words were left out."""
        for start in range(span.start, span.end):
            lemmas = self._lexicon.lemmas(" ".join(span.sentence.forms[start : span.end]), pos)
            if lemmas:
                return lemmas, start > span.start
        return (), False

    def _lexical(self, first: Sequence[str], second: Sequence[str], pos: str) -> Relation | None:
        if set(first) & set(second):
            return "synonym"
        senses = [
            list(dict.fromkeys(synset.id for lemma in lemmas for synset in self._lexicon.word(lemma).synsets(pos)))
            for lemmas in (first, second)
        ]
        rows = Ragged.of(senses, np.int64)
        found = self._lexicon.sense_relations(rows, np.array([0]), np.array([1]))
        up, down = int(found.up[0]), int(found.down[0])
        if found.synonym[0]:
            return "synonym"
        if up > 0 or down > 0:
            return None if up == down else "general" if up > 0 and (down < 0 or up < down) else "specific"
        return "exclusion"


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

    >>> [found] = judge_pairs([("Nobody fed an animal.", "Nobody fed a dog.")])
    >>> found.label, found.relation, found.reason
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
    keys = [[_key(sentence, token) for token in range(len(sentence))] for sentence in (premise, hypothesis)]
    for kind, start, end, new, new_end in SequenceMatcher(None, *keys, autojunk=False).get_opcodes():
        if kind != "equal":
            yield _Span(premise, start, end).trimmed(), _Span(hypothesis, new, new_end).trimmed()


def _modifier(span: _Span) -> bool | None:
    """Return whether a span is a disjunct, which makes more general, or a modifier, which narrows; None: neither."""
    sentence, inside = span.sentence, range(span.start + 1, span.end + 1)
    tops = [token for token in inside if sentence.heads[token - 1] not in inside]
    relations = {sentence.relations[token - 1].partition(":")[0] for token in tops}
    if not relations <= _MODIFIERS:
        return None
    words = {sentence.lemmas[token - 1].lower() for token in inside}
    if words & {"but", "nor", "not"}:
        return None
    return "or" in words
