"""A word or a path between two words as plain data: what `touchstone lexicon` prints and writes as JSON."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from touchstone.io.jsonl import Json
from touchstone.lexicon.paths import Step
from touchstone.lexicon.relation import Relation
from touchstone.lexicon.synset import Synset
from touchstone.lexicon.tables import row
from touchstone.lexicon.word import Word

if TYPE_CHECKING:
    from touchstone.lexicon.lexicon import Lexicon

_BETWEEN_WORDS = (Relation.ANTONYM, Relation.DERIVATION, Relation.PERTAINYM, Relation.PARTICIPLE)
"""Relations of a word, not of its synonyms: shown for the word that was asked about alone."""


def describe_word(word: Word) -> dict[str, Json]:
    """Return the senses of a word, each with its count, its words and what its relations lead to.

    >>> from touchstone.lexicon import wordnet
    >>> sense = describe_word(wordnet().word("dampish"))["senses"][0]
    >>> sense["synset"], sense["words"], sense["relations"]["similar"]
    ('damp.a.01', ['damp', 'dampish', 'moist'], ['wet.a.01'])
    """
    senses: list[Json] = [
        {
            "synset": synset.name,
            "key": synset.key,
            "pos": synset.pos,
            "file": synset.file,
            "count": count,
            "words": list(synset.words),
            "relations": _relations(word, synset),
        }
        for synset, count in zip(word.synsets(), word.counts(), strict=True)
    ]
    return {"lemma": word.text, "senses": senses}


def describe_synset(synset: Synset) -> dict[str, Json]:
    """Return one sense as `describe_word` does, under its first word.

    >>> from touchstone.lexicon import wordnet
    >>> [sense["words"] for sense in describe_synset(wordnet().synset("dog.n.03"))["senses"]]
    [['dog']]
    """
    whole = describe_word(synset.lexicon.word(synset.lemmas[0]))
    senses = whole["senses"]
    assert isinstance(senses, list)
    return {**whole, "senses": [one for one in senses if isinstance(one, dict) and one["key"] == synset.key]}


def describe_path(steps: Sequence[Step]) -> list[Json]:
    """Return the synsets of a way, each with its words and the relation that led to it."""
    return [
        {
            "relation": step.relation.label if step.relation else None,
            "synset": step.synset.name,
            "key": step.synset.key,
            "words": list(step.synset.words),
        }
        for step in steps
    ]


def _relations(word: Word, synset: Synset) -> Json:
    found: dict[str, Json] = {}
    for relation in Relation:
        targets = (
            _words(word, synset, relation)
            if relation in _BETWEEN_WORDS
            else [target.name for target in synset.related(relation)]
        )
        if targets:
            found[relation.label] = list[Json](targets)
    return found


def _words(word: Word, synset: Synset, relation: Relation) -> list[str]:
    """Return the words that *relation* leads to from this word in this sense, each with its synset."""
    lexicon: Lexicon = word.lexicon
    targets = (
        target
        for place in synset.word_ids
        if lexicon.words.values[place] == word.id
        for target in row(lexicon.word_links(relation), place)
    )
    return [
        f"{lexicon.spelling(target)} ({Synset(lexicon, lexicon.synset_of(target)).name})"
        for target in dict.fromkeys(targets)
    ]
