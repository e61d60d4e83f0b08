"""A word for people: its senses, and the words and synsets related to it."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from touchstone.lexicon.relation import DOWNWARD, UPWARD, Relation
from touchstone.lexicon.synset import Synset, onward, spread
from touchstone.lexicon.tables import row

if TYPE_CHECKING:
    from touchstone.lexicon.lexicon import Lexicon


@dataclass(frozen=True)
class Word:
    """A lemma and its number, -1 where the lexicon does not list it: then every answer is empty.

    >>> from touchstone.lexicon import wordnet
    >>> wordnet().word("car").synonyms()[:4]
    ('auto', 'automobile', 'machine', 'motorcar')
    >>> wordnet().word("wet").antonyms(), wordnet().word("xyzzy").synonyms()
    (('dry',), ())
    """

    lexicon: "Lexicon"
    text: str
    id: int

    def __repr__(self) -> str:
        return f"Word({self.text!r})"

    def __str__(self) -> str:
        return self.text

    def __bool__(self) -> bool:
        return self.id >= 0

    def synsets(self, pos: str | None = None) -> tuple[Synset, ...]:
        """Return its senses: nouns, verbs, adjectives, adverbs, the most common first in each."""
        return self.lexicon.synsets_of(self.id, pos)

    def counts(self, pos: str | None = None) -> tuple[int, ...]:
        """Return how often each of its senses was tagged in the texts behind WordNet.

        >>> from touchstone.lexicon import wordnet
        >>> wordnet().word("dog").counts("n")[:2]
        (42, 0)
        """
        return tuple(self.lexicon.sense_counts[self.lexicon.sense_places(self.id, pos)].tolist())

    def synonyms(self, pos: str | None = None) -> tuple[str, ...]:
        """Return the other lemmas of its synsets, in the order of its senses."""
        return self._others(lemma for synset in self.synsets(pos) for lemma in synset.lemmas)

    def hypernyms(self, edges: int | None = None, *, instances: bool = True) -> dict[Synset, int]:
        """Return the synsets above any of its senses, at most *edges* away, with the fewest edges to each.

        >>> from touchstone.lexicon import wordnet
        >>> [synset.name for synset in wordnet().word("oak").hypernyms(1)]
        ['wood.n.01', 'tree.n.01']
        """
        return spread(self.synsets(), UPWARD[: 2 if instances else 1], edges)

    def hyponyms(self, edges: int | None = None, *, instances: bool = True) -> dict[Synset, int]:
        """Return the synsets below any of its senses, at most *edges* away, with the fewest edges to each."""
        return spread(self.synsets(), DOWNWARD[: 2 if instances else 1], edges)

    def co_hyponyms(self) -> tuple[Synset, ...]:
        """Return the synsets that have a parent in common with one of its senses, its own senses left out."""
        senses = self.synsets()
        return tuple(sister for sister in onward(onward(senses, *UPWARD), *DOWNWARD) if sister not in senses)

    def antonyms(self, pos: str | None = None) -> tuple[str, ...]:
        """Return the lemmas that are antonyms of this very word; see `opposites` for those of its synonyms."""
        return self.related_words(Relation.ANTONYM, pos=pos)

    def opposites(self, pos: str | None = None) -> dict[Synset, int]:
        """Return the synsets opposed to one of its senses, with the number of similar-to steps that takes.

        0: a word of the sense has an antonym in that synset; 1: it takes one similar-to step on either side;
        2: one on each.

        >>> from touchstone.lexicon import wordnet
        >>> found = wordnet().word("scorching").opposites()
        >>> {synset.name: steps for synset, steps in found.items() if synset.name in ("cold.a.01", "arctic.a.02")}
        {'cold.a.01': 1, 'arctic.a.02': 2}
        """
        senses = self.synsets(pos)
        direct, across = onward(senses, Relation.ANTONYM), onward(onward(senses, Relation.SIMILAR), Relation.ANTONYM)
        either, both = (*across, *onward(direct, Relation.SIMILAR)), onward(across, Relation.SIMILAR)
        steps_by_synset: dict[Synset, int] = {}
        for steps, reached in enumerate((direct, either, both)):
            for synset in reached:
                steps_by_synset.setdefault(synset, steps)
        return steps_by_synset

    def related(self, *relations: Relation, pos: str | None = None) -> tuple[Synset, ...]:
        """Return the synsets that *relations* lead to from any of its senses.

        >>> from touchstone.lexicon import Relation, wordnet
        >>> wordnet().word("snore").related(Relation.ENTAILMENT)
        (Synset('sleep.v.01'),)
        """
        return onward(self.synsets(pos), *relations)

    def related_words(self, *relations: Relation, pos: str | None = None) -> tuple[str, ...]:
        """Return the lemmas that *relations* between words lead to from this very word.

        >>> from touchstone.lexicon import Relation, wordnet
        >>> wordnet().word("decide").related_words(Relation.DERIVATION)
        ('decisive', 'decision', 'deciding')
        """
        lexicon, lemmas = self.lexicon, self.lexicon.words.values
        word_ids = [
            word_id for synset in self.synsets(pos) for word_id in synset.word_ids if lemmas[word_id] == self.id
        ]
        return self._others(
            lexicon.lemma(int(lemmas[target]))
            for word_id in word_ids
            for relation in relations
            for target in row(lexicon.word_links(relation), word_id)
        )

    def _others(self, lemmas: Iterator[str]) -> tuple[str, ...]:
        return tuple(lemma for lemma in dict.fromkeys(lemmas) if lemma != self.text)
