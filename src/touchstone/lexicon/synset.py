"""A synset for people: what it is called, what it contains, where its pointers lead."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from touchstone.lexicon.relation import DOWNWARD, LEXICOGRAPHER_FILES, UPWARD, Pos, Relation
from touchstone.lexicon.tables import row

if TYPE_CHECKING:
    from touchstone.lexicon.lexicon import Lexicon


@dataclass(frozen=True)
class Synset:
    """A meaning, and the words that have it.

    >>> from touchstone.lexicon import wordnet
    >>> dog = wordnet().synset("dog.n.01")
    >>> dog.words, dog.file, dog.depth
    (('dog', 'domestic dog', 'Canis familiaris'), 'noun.animal', 8)
    >>> [synset.name for synset in dog.hypernyms()]
    ['canine.n.02', 'domestic_animal.n.01']
    """

    lexicon: "Lexicon"
    id: int

    def __repr__(self) -> str:
        return f"Synset({self.name!r})"

    def __str__(self) -> str:
        return self.name

    @cached_property
    def name(self) -> str:
        """Its first word, part of speech, and which sense of that word it is: ``dog.n.01``."""
        first = int(self.lexicon.words.values[self.lexicon.words.offsets[self.id]])
        senses = [synset for synset in row(self.lexicon.senses, first) if self.lexicon.pos(synset) == self.pos]
        return f"{self.lexicon.lemma(first).replace(' ', '_')}.{self.pos}.{senses.index(self.id) + 1:02}"

    @property
    def pos(self) -> Pos:
        """One of n, v, a, r; a satellite adjective is an adjective."""
        return self.lexicon.pos(self.id)

    @property
    def satellite(self) -> bool:
        """Whether it is an adjective in the cluster of another."""
        return bool(self.lexicon.satellite[self.id])

    @property
    def number(self) -> int:
        """Princeton's byte offset, which identifies it among the synsets of its part of speech."""
        return int(self.lexicon.synset_numbers[self.id])

    @property
    def key(self) -> str:
        """Number and part of speech, as other tools write them: ``02084071-n``."""
        return f"{self.number:08}-{self.pos}"

    @property
    def file(self) -> str:
        """The lexicographer class: ``noun.animal``."""
        return LEXICOGRAPHER_FILES[int(self.lexicon.synset_files[self.id])]

    @property
    def words(self) -> tuple[str, ...]:
        """Its words as they are written."""
        return tuple(self.lexicon.spelling(word) for word in self.word_ids)

    @property
    def lemmas(self) -> tuple[str, ...]:
        """Its words in lower case, each once."""
        return tuple(dict.fromkeys(self.lexicon.lemma(lemma) for lemma in row(self.lexicon.words, self.id)))

    @property
    def word_ids(self) -> range:
        """The numbers of its words."""
        ends = self.lexicon.words.offsets
        return range(int(ends[self.id]), int(ends[self.id + 1]))

    @property
    def depth(self) -> int:
        """The edges up to the nearest synset that has nothing above it, instance links included."""
        return int(self.lexicon.depths[self.id])

    def related(self, *relations: Relation) -> tuple["Synset", ...]:
        """Return the synsets that *relations* lead to, from it or from one of its words."""
        targets = (target for relation in relations for target in row(self.lexicon.links(relation), self.id))
        return tuple(Synset(self.lexicon, target) for target in dict.fromkeys(targets))

    def hypernyms(self, *, instances: bool = True) -> tuple["Synset", ...]:
        """Return the synsets one edge above it."""
        return self.related(*UPWARD[: 2 if instances else 1])

    def hyponyms(self, *, instances: bool = True) -> tuple["Synset", ...]:
        """Return the synsets one edge below it."""
        return self.related(*DOWNWARD[: 2 if instances else 1])

    def ancestors(self, edges: int | None = None, *, instances: bool = True) -> dict["Synset", int]:
        """Return the synsets above it, at most *edges* away, with the fewest edges up to each.

        >>> from touchstone.lexicon import wordnet
        >>> {str(above): edges for above, edges in wordnet().synset("puppy.n.01").ancestors(2).items()}
        {'pup.n.01': 1, 'dog.n.01': 1, 'young_mammal.n.01': 2, 'canine.n.02': 2, 'domestic_animal.n.01': 2}
        """
        return spread([self], UPWARD[: 2 if instances else 1], edges)

    def descendants(self, edges: int | None = None, *, instances: bool = True) -> dict["Synset", int]:
        """Return the synsets below it, at most *edges* away, with the fewest edges down to each."""
        return spread([self], DOWNWARD[: 2 if instances else 1], edges)

    def sisters(self) -> tuple["Synset", ...]:
        """Return its co-hyponyms: the other synsets right below a synset right above it."""
        return tuple(child for child in onward(self.hypernyms(), *DOWNWARD) if child != self)

    def cluster(self) -> tuple["Synset", ...]:
        """Return the adjectives around one head: the head, and every synset similar to it.

        >>> from touchstone.lexicon import wordnet
        >>> cluster = wordnet().synset("scorching.a.01").cluster()
        >>> cluster[0].name, wordnet().synset("sultry.a.02") in cluster
        ('hot.a.01', True)
        """
        heads = self.related(Relation.SIMILAR) if self.satellite else (self,)
        members = (member for head in heads for member in (head, *head.related(Relation.SIMILAR)))
        return tuple(dict.fromkeys(members))


def onward(synsets: Iterable[Synset], *relations: Relation) -> tuple[Synset, ...]:
    """Return the synsets that *relations* lead to from any of *synsets*, each once."""
    return tuple(dict.fromkeys(target for synset in synsets for target in synset.related(*relations)))


def spread(start: Iterable[Synset], relations: Iterable[Relation], edges: int | None) -> dict[Synset, int]:
    """Return what *relations* lead to from *start* in 1 to *edges* steps, with the fewest steps to each."""
    reached: dict[Synset, int] = {}
    level, distance = list(start), 0
    while level and (edges is None or distance < edges):
        distance += 1
        level = [synset for synset in onward(level, *relations) if synset not in reached]
        reached.update(dict.fromkeys(level, distance))
    return reached
