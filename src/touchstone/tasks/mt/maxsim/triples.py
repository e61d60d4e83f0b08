"""What MAXSIM matches beside n-grams: triples of child lemma, type and parent lemma.

Relations (Chan and Ng 2008, section 4.2) are the subjects and objects of the basic Universal Dependencies tree. The
parent is the head as the tree has it: the lexical verb, in copular clauses the predicate noun or adjective. Roles
(the paper's future work) are arguments of predicates, by the lemma of their head.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from touchstone.tasks.mt.model import Role, Texts
from touchstone.tasks.mt.roles import roles_of
from touchstone.tasks.mt.words import is_word, lemmas_of, word_places, words_of
from touchstone.text import Sentence

TYPES = {"nsubj": "subj", "csubj": "subj", "obj": "obj", "iobj": "obj"}
"""The relations that count, with all their subtypes. Not counted: expl, obl, nmod, ccomp, xcomp, conj."""

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


def triples_of(texts: Texts, kind: str) -> list[tuple[Triple, ...]]:
    """Return the relations (*kind* ``d``) or the roles (``r``) of every segment, computed once.

    >>> [relations] = triples_of(Texts(["The men found it."]), "d")
    >>> [str(relation) for relation in relations]
    ['man ←subj− find', 'it ←obj− find']
    """
    return texts.once(("maxsim triples", kind), _relations if kind == "d" else _roles)


def _relations(texts: Texts) -> list[tuple[Triple, ...]]:
    return [tuple(_related(sentence, lemmas_of(sentence, texts))) for sentence in texts.parsed()]


def _related(sentence: Sentence, lemmas: list[str]) -> Iterator[Triple]:
    """Yield the subjects and objects whose child and parent are words."""
    places = word_places(sentence)
    for child, parent in sentence.dependents(*TYPES):
        kind = TYPES[sentence.relations[child - 1].partition(":")[0]]
        if parent and all(is_word(sentence.forms[token - 1]) for token in (child, parent)):
            covered = (places[child - 1], places[parent - 1])
            yield Triple(lemmas[child - 1], kind, lemmas[parent - 1], covered)


def _roles(texts: Texts) -> list[tuple[Triple, ...]]:
    if texts.roles is not None:
        return _given_roles(texts)
    return [tuple(map(_triple, roles)) for roles in roles_of(texts)]


def _triple(role: Role) -> Triple:
    head, others = role.places[role.at : role.at + 1], (*role.places[: role.at], *role.places[role.at + 1 :])
    return Triple(role.head, role.type, role.predicate, (*head, *others))


def _given_roles(texts: Texts) -> list[tuple[Triple, ...]]:
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
    wanted = [word for word in role.words if is_word(word)]
    size = len(wanted)
    start = next((at for at in range(len(forms) - size + 1) if forms[at : at + size] == wanted), None)
    found = start is not None and role.head in wanted
    return replace(
        role,
        head=lemmas.get(role.head, role.head),
        predicate=lemmas.get(role.predicate, role.predicate),
        places=tuple(range(start, start + size)) if start is not None and found else (),
        at=wanted.index(role.head) if found else 0,
    )
