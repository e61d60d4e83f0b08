"""What WordNet proposes for words of premises that no list covers, as a list for a reviewer.

The rules are conservative: the sense meant dominates for both words, nouns are concrete, words are common. Even so a
good part of the lines is wrong, so that none is used before a person has approved it, unless the user asks for it.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError, needs
from touchstone.base.tables import Cell, Column, Table
from touchstone.lexicon import Relation, Synset, wordnet
from touchstone.lexicon.paths import Path as Steps
from touchstone.systems.challenge.candidates import LONGEST_PREMISE, Candidate, Generator, Premise
from touchstone.systems.challenge.checking import conflicts
from touchstone.systems.challenge.conditions import Frame
from touchstone.systems.challenge.filters import Compounds
from touchstone.systems.challenge.forms import listed_forms
from touchstone.systems.challenge.lexicon import Entry, Lexicon, Origin, Proposal, Substitution
from touchstone.systems.challenge.reading import PROPOSED, REVIEWED
from touchstone.systems.challenge.senses import WORDNET_POS, Glosses, Vectors, description, dominant
from touchstone.tasks.nli.baseline import relation_path
from touchstone.text import english

NAME = "wordnet"
"""The name of the list of what WordNet proposes, where it is used without a file."""
CONCRETE = frozenset(
    f"noun.{name}"
    for name in (
        *("animal", "artifact", "food", "person", "plant"),
        *("body", "substance", "object", "location", "phenomenon"),
    )
)
"""The lexicographer files whose nouns are concrete."""
DEEPEST_GENERAL = 6
"""The least depth of a hypernym, and of the parent of two co-hyponyms: more general words are stilted."""
ZIPF = 3.0
"""The least Zipf frequency: one in a million words."""
COSINE, ANTONYM_COSINE, TOLERANCE = 0.45, 0.40, 0.001
"""The least cosine of two words, and of antonyms; vectors may have half precision."""
TOO_CLOSE = 0.8
"""The cosine above which two co-hyponyms are taken for the same thing."""
_WRITTEN = {"synonym": "synonym", "hypernym": "kind_of", "antonym": "antonym", "co_hyponym": "excludes"}
_POS = {letter: pos for pos, letter in WORDNET_POS.items()}
_TAGS = {"NN": "noun", "NNS": "noun", "VB": "verb", "JJ": "adj"}
_LIGHT = frozenset(("be", "do", "get", "have", "other", "same", "such"))
"""Words that are mostly grammar, whatever WordNet says of their senses."""
_RARE_PLURAL = 1.3
"""The difference of Zipf frequencies from which a plural is too rare for a noun that is counted."""
_ALWAYS_COUNTED = frozenset(("noun.person", "noun.animal"))
_COLUMNS = (REVIEWED, "from", "to", "relation", "pos", "countable", *PROPOSED[1:])


@dataclass(frozen=True)
class Proposed:
    """A substitution that WordNet proposes, how often it applies in the premises, and one of these pairs."""

    substitution: Substitution
    times: int
    example: Candidate


@dataclass(frozen=True)
class Proposer:
    """Proposes substitutions.

    Parameters
    ----------
    lexicon
        The lists; words that they cover get no proposal.
    relations
        The relations that are wanted; all if empty.
    vectors
        Word vectors for the limits of the cosine; no limits if None.
    glosses
        Glosses for the descriptions of senses; empty if there are none.
    """

    lexicon: Lexicon
    relations: frozenset[str] = frozenset()
    vectors: Vectors | None = None
    glosses: Glosses = field(default_factory=dict)

    def propose(self, premises: Sequence[Premise]) -> list[Proposed]:
        """Return what applies in *premises*, the most frequent first."""
        words = self._uncovered(premises)
        lines = [line for word, pos in sorted(words) for line in self._lines(word, pos)]
        numbered = [replace(line, origin=replace(line.origin, line=n)) for n, line in enumerate(lines, 1)]
        lexicon = Lexicon(self._consistent(numbered), (), self.lexicon.phrases)
        candidates = Generator(lexicon, filters=(Compounds(),)).find(premises).candidates
        times = Counter(candidate.substitution for candidate in candidates)
        # Of the candidates of a substitution, the last one stays: that with the shortest premise.
        by_length = sorted(candidates, key=lambda candidate: -len(candidate.premise.text))
        examples = {candidate.substitution: candidate for candidate in by_length}
        ordered = sorted(times, key=lambda number: (-times[number], lexicon.all[number].origin.line))
        return [Proposed(lexicon.all[number], times[number], examples[number]) for number in ordered]

    def _uncovered(self, premises: Sequence[Premise]) -> set[tuple[str, str]]:
        """Return the lemmas of *premises*, each with its part of speech, that no list replaces."""
        texts = [premise.text for premise in premises if len(premise.text.split()) <= LONGEST_PREMISE]
        tagged_lemmas = {
            (lemma.lower(), _TAGS[tag if tag.startswith("NN") else tag[:2]])
            for sentence in english().tag(texts)
            for lemma, tag in zip(sentence.lemmas, sentence.tags, strict=True)
            if tag in _TAGS or tag[:2] in ("VB", "JJ")
        }
        return {(word, pos) for word, pos in tagged_lemmas if not self.lexicon.substitutions(word, pos)}

    def _lines(self, word: str, pos: str) -> Iterator[Substitution]:
        """Yield the substitutions of a word."""
        sense = _usable(word, WORDNET_POS[pos])
        if sense is None:
            return
        proposed_words = {word}
        for relation, target, other in _related(word, sense):
            may_propose = other not in proposed_words and (not self.relations or relation in self.relations)
            if may_propose and _usable(other, sense.pos) == target and self._near(word, other, relation):
                proposed_words.add(other)
                yield self._line(word, sense, other, target, relation)

    def _near(self, word: str, other: str, relation: str) -> bool:
        """Tell whether two words are different enough and, where there are vectors, close enough for a relation."""
        if relation != "synonym" and (word in other or other in word):
            return False
        if relation == "co_hyponym" and not _unlike(word, other):
            return False
        if self.vectors is None:
            return True
        cosine = self.vectors.cosine(word.split(), other.split())
        least = ANTONYM_COSINE if relation == "antonym" else COSINE
        if cosine is None or cosine < least - TOLERANCE:
            return False
        return relation != "co_hyponym" or cosine <= TOO_CLOSE

    def _line(self, word: str, sense: Synset, other: str, target: Synset, relation: str) -> Substitution:
        pos = _POS[sense.pos]
        source, replacement = (
            Entry.parse(text, pos, _countable(text, synset.file) if pos == "noun" else "")
            for text, synset in ((word, sense), (other, target))
        )
        senses = f"{sense} ({description(sense, self.glosses)})", f"{target} ({description(target, self.glosses)})"
        path = relation_path(relation, (sense,), (target,), edges=1 if relation == "co_hyponym" else None)
        return Substitution(
            source,
            replacement,
            relation,
            (Frame.parse("", "", "", {}),),
            Origin(NAME, str(wordnet().signature), 0),
            proposal=Proposal(False, senses, _written(path)),
        )

    def _consistent(self, lines: Sequence[Substitution]) -> tuple[Substitution, ...]:
        """Return the lines without those that contradict the lists or each other."""
        # Again after each removal: of several lines that contradict a list, one search reports only some.
        consistent = tuple(lines)
        while True:
            wrong = {
                pair
                for involved in conflicts(replace(self.lexicon, pairs=(*self.lexicon.pairs, *consistent)))
                for pair in involved
                if pair.proposal and pair.origin.list == NAME
            }
            if not wrong:
                return consistent
            consistent = tuple(line for line in consistent if line not in wrong)


def with_proposals(lexicon: Lexicon, proposed: Sequence[Proposed]) -> Lexicon:
    """Return a *lexicon* to which the proposed substitutions are added, though nobody has reviewed them."""
    return replace(lexicon, pairs=(*lexicon.pairs, *(proposal.substitution for proposal in proposed)))


def format_proposals(proposed: Sequence[Proposed], premises: str) -> str:
    """Return a list for a reviewer, in the format of the lists.

    Parameters
    ----------
    proposed
        The result of `Proposer.propose`.
    premises
        The name of the premises.
    """
    if not proposed:
        hint = "the lists cover all words that WordNet has a proposal for; add premises or relations"
        raise TouchstoneError("WordNet proposes nothing for these premises", file=premises, code=Code.EMPTY, hint=hint)
    head = (
        f"# What {wordnet().signature} proposes for {premises}. Write yes or no in the column reviewed, and correct",
        "# countable, determiner, before, after and without where needed: docs/nli_lists.md describes the columns.",
    )
    rows = (_cells(proposal) for proposal in proposed)
    body = ("\t".join(" ".join(row[name].split()) for name in _COLUMNS) for row in rows)
    return "".join(f"{line}\n" for line in (*head, "\t".join(_COLUMNS), *body))


def proposals_table(proposed: Sequence[Proposed]) -> Table:
    """Return the number of proposed lines by relation, and how often they apply."""
    rows: list[list[Cell]] = []
    for relation in (*_WRITTEN, "all"):
        mine = [proposal for proposal in proposed if relation in ("all", proposal.substitution.relation)]
        if mine:
            words = len({proposal.substitution.source.key for proposal in mine})
            rows.append([relation, len(mine), words, sum(proposal.times for proposal in mine)])
    columns = [Column("relation"), *(Column(head, "right") for head in ("lines", "words", "times"))]
    return Table(columns, rows, rules={len(rows) - 1})


def _cells(proposal: Proposed) -> Mapping[str, str]:
    line, example = proposal.substitution, proposal.example
    source, target = line.source, line.target
    assert line.proposal is not None
    return {
        REVIEWED: "",
        "from": source.text,
        "to": target.text,
        "relation": _WRITTEN[line.relation],
        "pos": source.pos,
        "countable": source.countable
        if source.countable == target.countable
        else f"{source.countable}>{target.countable}",
        "from_sense": line.proposal.senses[0],
        "to_sense": line.proposal.senses[1],
        "path": line.proposal.path,
        "times": str(proposal.times),
        "example": f"{example.premise.text} → {example.hypothesis}",
    }


@lru_cache(maxsize=1 << 16)
def _usable(word: str, pos: str) -> Synset | None:
    """Return the dominant sense of a common word if it has this part of speech and, as a noun, is concrete.

    Phrases are not in a table of words, so that nothing says whether they are common: they are left out.
    """
    if not word.isalpha() or word in _LIGHT:
        return None
    sense = dominant(wordnet().word(word))
    if sense is None or sense.pos != pos or (pos == "n" and sense.file not in CONCRETE) or _zipf(word) < ZIPF:
        return None
    named = any(written.lower() == word and written != word for written in sense.words)
    return None if named else sense


def _related(word: str, sense: Synset) -> Iterator[tuple[str, Synset, str]]:
    """Yield the relation, the sense and the lemma of what may replace a word, the closest relation first."""
    yield from (("synonym", sense, lemma) for lemma in sense.lemmas)
    for opposite in sense.related(Relation.ANTONYM):
        yield from (("antonym", opposite, lemma) for lemma in opposite.lemmas if lemma in _antonyms(word))
    for above in sense.ancestors(instances=False):
        if above.depth >= DEEPEST_GENERAL:
            yield from (("hypernym", above, lemma) for lemma in above.lemmas)
    if sense.pos == "n":
        for sister in sense.sisters():
            if _are_distinct(sense, sister):
                yield from (("co_hyponym", sister, lemma) for lemma in sister.lemmas)


def _are_distinct(sense: Synset, sister: Synset) -> bool:
    """Tell whether two co-hyponyms have a parent that is specific, no lemma in common and no link of similarity."""
    shared = set(sense.hypernyms(instances=False)) & set(sister.hypernyms(instances=False))
    return (
        any(parent.depth >= DEEPEST_GENERAL for parent in shared)
        and not set(sense.lemmas) & set(sister.lemmas)
        and sister not in sense.related(Relation.SIMILAR)
    )


@lru_cache(maxsize=1 << 16)
def _unlike(word: str, other: str) -> bool:
    """Tell whether neither word is above the other in any of their senses."""
    first_word, second_word = wordnet().word(word), wordnet().word(other)
    senses, others = first_word.synsets("n"), second_word.synsets("n")
    return not (set(senses) & {*second_word.hypernyms(), *others} or set(others) & set(first_word.hypernyms()))


@lru_cache(maxsize=1 << 14)
def _antonyms(word: str) -> tuple[str, ...]:
    return wordnet().word(word).antonyms()


@lru_cache(maxsize=1 << 16)
def _zipf(word: str) -> float:
    with needs("systems"):
        from wordfreq import zipf_frequency
    return float(zipf_frequency(word, "en"))


def _countable(word: str, file: str) -> str:
    """Return how a noun is probably used, for the reviewer to correct: by its plural, and how rare that is."""
    if word.endswith("s") and wordnet().morph(word, "n"):
        return "plural"
    plurals = listed_forms(word, "NNS")
    if file in _ALWAYS_COUNTED or word not in plurals:
        return "count"
    return "mass" if plurals[0] == word or _zipf(word) - _zipf(plurals[0]) >= _RARE_PLURAL else "both"


def _written(path: Steps) -> str:
    return "".join(f"{f' –{step.relation.label}→ ' if step.relation else ''}{step.synset}" for step in path)
