"""What MAXSIM matches beside n-grams: triples of child lemma, type and parent lemma.

Relations (Chan and Ng 2008, section 4.2) are the subjects and objects of the basic Universal Dependencies tree. The
parent is the head as the tree has it: the lexical verb, in copular clauses the predicate noun or adjective. Roles
(the paper's future work) are arguments of predicates, by the lemma of their head.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from touchstone.base.ragged import Floats, Ragged, StringLists
from touchstone.tasks.mt.roles import roles_of
from touchstone.tasks.mt.texts import Role, Texts, trees_of
from touchstone.tasks.mt.words import is_word, lemmas_at, words_of

TYPES = {"nsubj": "subj", "csubj": "subj", "obj": "obj", "iobj": "obj"}
"""The relations that count, with all their subtypes. Not counted: expl, obl, nmod, ccomp, xcomp, conj."""

_NAMES = ("subj", "obj")

KINDS = {"d": "relations", "r": "roles"}
"""The letters of a measure's name and what they stand for."""


class Triple(NamedTuple):
    """A relation or role of a child to its parent; *places* are the words that it covers, the child's first."""

    child: str
    type: str
    parent: str
    places: tuple[int, ...] = ()

    def __str__(self) -> str:
        return f"{self.child} ←{self.type}− {self.parent}"


@dataclass(frozen=True)
class Triples:
    """The triples of every segment: three columns of the same shape, and a row of places for each triple.

    >>> triples = Triples.of([[Triple("dog", "subj", "bite", (1, 2))], []])
    >>> triples.children.words, triples[0][0].places, len(triples)
    (('dog',), (1, 2), 2)
    """

    children: StringLists
    types: StringLists
    parents: StringLists
    places: Ragged[np.int64]

    @classmethod
    def of(cls, rows: Sequence[Sequence[Triple]]) -> "Triples":
        """Return the triples of *rows*, a list for each segment, as columns."""
        return cls(
            StringLists.of([triple.child for triple in row] for row in rows),
            StringLists.of([triple.type for triple in row] for row in rows),
            StringLists.of([triple.parent for triple in row] for row in rows),
            Ragged.of((triple.places for row in rows for triple in row), np.int64),
        )

    def __len__(self) -> int:
        return len(self.children)

    def __getitem__(self, row: int) -> tuple[Triple, ...]:
        """Return the triples of one segment."""
        first, last = self.children.codes.offsets[row : row + 2].tolist()
        ends = self.places.offsets
        places = (tuple(self.places.values[ends[n] : ends[n + 1]].tolist()) for n in range(first, last))
        return tuple(map(Triple, self.children[row], self.types[row], self.parents[row], places))

    def __iter__(self) -> Iterator[tuple[Triple, ...]]:
        return (self[row] for row in range(len(self)))

    @property
    def child_places(self) -> Floats:
        """The place of each child among the words of its segment; nan where a file of roles has none."""
        has_places, places = self.places.sizes > 0, np.full(len(self.places), np.nan)
        places[has_places] = self.places.values[self.places.offsets[:-1][has_places]]
        return places


def triples_of(texts: Texts, kind: str) -> Triples:
    """Return the relations (*kind* ``d``) or the roles (``r``) of every segment, computed once.

    >>> [relations] = triples_of(Texts(["The men found it."]), "d")
    >>> [str(relation) for relation in relations]
    ['man ←subj− find', 'it ←obj− find']
    """
    return texts.once(("maxsim triples", kind), _relations if kind == "d" else _roles)


def _relations(texts: Texts) -> Triples:
    """Return the subjects and objects whose child and parent are words."""
    columns = texts.columns(parsed=True)
    heads, relations = trees_of(columns)
    counted = [TYPES.get(name.partition(":")[0], "") for name in relations.words]
    types = np.array([_NAMES.index(name) if name else -1 for name in counted], np.int64)[relations.codes.values]
    edges = np.flatnonzero((types >= 0) & (heads.values > 0))
    rows, starts = heads.row[edges], columns.forms.codes.offsets
    children, parents = starts[rows] + heads.position[edges], starts[rows] + heads.values[edges] - 1
    words = columns.forms.flags(is_word)
    # Punctuation may have a relation in a tree, but no place among words.
    between_words = words[children] & words[parents]
    edges, rows, ends = (
        edges[between_words],
        rows[between_words],
        np.stack([children[between_words], parents[between_words]], axis=1),
    )
    lemmas, numbers = lemmas_at(texts, columns, ends.ravel())
    before = np.concatenate([[0], np.cumsum(words)])
    places = (before[ends] - before[starts[rows]][:, None]).ravel()
    offsets = Ragged.from_sizes(np.bincount(rows, minlength=len(texts)), rows).offsets
    return Triples(
        StringLists(lemmas, Ragged(offsets, numbers[::2])),
        StringLists(_NAMES, Ragged(offsets, types[edges])),
        StringLists(lemmas, Ragged(offsets, numbers[1::2])),
        Ragged(np.arange(0, len(places) + 1, 2), places),
    )


def _roles(texts: Texts) -> Triples:
    if texts.roles is not None:
        return Triples.of(_roles_of_file(texts))
    return Triples.of([tuple(map(_triple, roles)) for roles in roles_of(texts)])


def _triple(role: Role) -> Triple:
    head, others = role.places[role.at : role.at + 1], (*role.places[: role.at], *role.places[role.at + 1 :])
    return Triple(role.head, role.type, role.predicate, (*head, *others))


def _roles_of_file(texts: Texts) -> list[tuple[Triple, ...]]:
    """Return the roles of a file, with the lemmas and the places of their words in the segment."""
    words = words_of(texts)
    triples = []
    for row, roles in enumerate(roles_of(texts)):
        forms = [form.lower() for form in words.forms[row]]
        lemmas = dict(zip(reversed(forms), reversed(words.lemmas[row]), strict=True))
        triples.append(tuple(_triple(_placed(role, forms, lemmas)) for role in roles))
    return triples


def _placed(role: Role, forms: Sequence[str], lemmas: Mapping[str, str]) -> Role:
    """Return a role with the lemmas of its head and predicate, and the place where its words stand together."""
    words = [word for word in role.words if is_word(word)]
    size = len(words)
    start = next((at for at in range(len(forms) - size + 1) if forms[at : at + size] == words), None)
    is_located = start is not None and role.head in words
    return replace(
        role,
        head=lemmas.get(role.head, role.head),
        predicate=lemmas.get(role.predicate, role.predicate),
        places=tuple(range(start, start + size)) if start is not None and is_located else (),
        at=words.index(role.head) if is_located else 0,
    )
