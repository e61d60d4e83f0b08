"""A dependency tree with the questions that scope asks: subtrees, noun phrases, and what a clause puts in scope."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.text import Sentence

Where = Literal["inside", "unsure", "outside"]
Tokens = frozenset[int]
"""Numbers of tokens, from 1, as in CoNLL-U."""

SUBJECTS = frozenset(("nsubj", "csubj"))
CLAUSES = frozenset(("ccomp", "xcomp", "csubj", "advcl", "acl"))
_MODIFIERS = frozenset(("det", "amod", "nummod", "nmod", "acl", "compound", "flat", "fixed", "appos", "conj", "case"))
_ASIDE = frozenset(("parataxis", "discourse", "vocative", "dislocated", "punct", "cc"))
_MOVABLE = SUBJECTS | {"obl", "advcl", "advmod", "obj", "iobj", "expl", "mark"}
"""Dependents of a verb that are outside the scope of an operator to their right."""
_NEVER_VERBS = frozenset(
    ("advmod", "amod", "nmod", "obl", "obj", "iobj", "det", "nummod", "compound", "flat", "vocative", "case")
)
"""Relations that a finite verb has only where the parse is wrong."""
_WIDE = frozenset(
    ("if", "unless", "although", "though", "since", "as", "while", "when", "whereas", "whenever", "once", "provided")
)
"""Subordinators whose clause is outside the scope of an operator in the main clause."""
_UNSURE = frozenset(("because", "until", "till", "so"))
"""Subordinators whose clause may be inside or outside that scope: "not because …"."""


@dataclass(frozen=True)
class Reach:
    """The tokens that an operator has in its scope, and those that it may have."""

    inside: Tokens = frozenset()
    unsure: Tokens = frozenset()


def head_of(sentence: Sentence, start: int, end: int) -> int:
    """Return the token among ``start:end``, counted from 0, that the others of them depend on."""
    return next((token for token in range(start, end) if not start < sentence.heads[token] <= end), start)


class Tree:
    """A parsed sentence; tokens are numbered from 1, and lists have an unused entry for 0."""

    def __init__(self, sentence: Sentence) -> None:
        if not sentence.parsed:
            hint = "analyse it with parse, not tag"
            raise TouchstoneError("the sentence has no tree", value=sentence.text, code=Code.BAD_VALUE, hint=hint)
        self.size = len(sentence)
        self.words = ("", *(form.lower().replace("’", "'") for form in sentence.forms))
        self.lemmas = ("", *sentence.lemmas)
        self.tags = ("", *sentence.tags)
        self.heads = (0, *sentence.heads)
        self.relations = ("", *(relation.partition(":")[0] for relation in sentence.relations))
        self.children: list[list[int]] = [[] for _ in range(self.size + 1)]
        for token in range(1, self.size + 1):
            self.children[self.heads[token]].append(token)
        self._subtrees: dict[int, Tokens] = {}

    def word(self, token: int) -> str:
        """Return the form in lower case; empty outside the sentence."""
        return self.words[token] if 0 < token <= self.size else ""

    def before(self, token: int, *words: str) -> bool:
        """Return whether *words* stand right before *token*."""
        start = token - len(words)
        return start > 0 and self.words[start:token] == words

    def among(self, token: int, *relations: str) -> list[int]:
        """Return the dependents of *token* with one of the *relations*."""
        return [child for child in self.children[token] if self.relations[child] in relations]

    def subtree(self, token: int) -> Tokens:
        """Return *token* and all that depends on it."""
        if token not in self._subtrees:
            tokens = [token]
            # The list grows while it is read: a walk through the tree without recursion.
            for member in tokens:
                tokens.extend(self.children[member])
            self._subtrees[token] = frozenset(tokens)
        return self._subtrees[token]

    def covered(self, tokens: list[int]) -> Tokens:
        """Return the union of the subtrees of *tokens*."""
        return frozenset[int]().union(*map(self.subtree, tokens))

    def marker(self, clause: int) -> str:
        """Return the subordinator or preposition of a clause or phrase, empty where there is none."""
        markers = [child for child in self.children[clause] if self.relations[child] in ("mark", "case")]
        wh = [child for child in self.among(clause, "advmod") if self.tags[child] == "WRB"]
        return self.words[(markers or wh or [0])[0]]

    def coordinator(self, conjunct: int) -> str:
        """Return the conjunction of a conjunct; that of the next where commas separate them."""
        later = [other for other in self.among(self.heads[conjunct], "conj") if other >= conjunct]
        coordinators = [word for other in later for word in self.among(other, "cc")]
        return self.words[coordinators[0]] if coordinators else ""

    def noun(self, token: int) -> int:
        """Return the noun that a determiner, number or adjective belongs to; itself where it stands alone."""
        while self.relations[token] in ("det", "amod", "nummod", "advmod", "fixed") and self.heads[token]:
            token = self.heads[token]
        return token

    def phrase(self, noun: int) -> Tokens:
        """Return a noun with its modifiers, without the clause where it is a predicate."""
        kinds = _MODIFIERS if self.predicate(noun) else _MODIFIERS | {"advmod"}
        members = [child for child in self.children[noun] if self.relations[child] in kinds]
        separate = [child for child in members if self._is_separate(child)]
        return frozenset((noun,)) | self.covered([child for child in members if child not in separate])

    def _is_separate(self, child: int) -> bool:
        """Return whether a conjunct has its own determiner or subject, so that those of the first do not reach it."""
        return self.relations[child] == "conj" and bool(self.among(child, "det", *SUBJECTS))

    def complement(self, at: int) -> Tokens:
        """Return the phrase or clause of a preposition or subordinator, without conjuncts that have their own."""
        head = self.heads[at]
        separate = [child for child in self.among(head, "conj") if self.marker(child)]
        return self.subtree(head) - self.covered(separate) - {at}

    def predicate(self, token: int) -> bool:
        """Return whether *token* is the head of a clause."""
        relation = self.relations[token]
        clausal = relation == "root" or relation in CLAUSES or relation == "parataxis" or self.tags[token][:2] == "VB"
        return clausal or bool(self.among(token, "cop", *SUBJECTS))

    def clause(self, head: int, at: int, *, shared: bool = False) -> Reach:
        """Return what an operator at token *at* has in scope in the clause of *head*.

        Subjects and fronted phrases to the left of the operator are outside, as are clauses with their own subject
        or after "but", asides, and adverbial clauses of condition, concession and time.

        Parameters
        ----------
        head
            The predicate of the clause.
        at
            The operator.
        shared
            Whether coordinated predicates share the phrase that the operator is in: the subject.
        """
        children_by_scope: dict[Where, list[int]] = {"inside": [], "unsure": [], "outside": []}
        for child in self.children[head]:
            children_by_scope[self._where(child, at, shared=shared)].append(child)
        return Reach(
            frozenset((head,)) | self.covered(children_by_scope["inside"]), self.covered(children_by_scope["unsure"])
        )

    def _where(self, child: int, at: int, *, shared: bool) -> Where:
        relation = self.relations[child]
        if relation in _ASIDE or (relation in _MOVABLE and max(self.subtree(child)) < at):
            return "outside"
        if relation == "advcl":
            marker = self.marker(child)
            return "outside" if marker in _WIDE else "unsure" if marker in _UNSURE else "inside"
        if relation != "conj":
            return "inside"
        coordinator = self.coordinator(child)
        if self.among(child, *SUBJECTS) or coordinator in ("but", "yet", "nor"):
            return "outside"
        verbal = self.tags[child][:2] == "VB" or self.among(child, "cop")
        return "inside" if shared or coordinator == "or" or not verbal else "unsure"

    def governor(self, token: int) -> int:
        """Return the predicate of the clause that *token* is in."""
        while self.heads[token] and not self.predicate(token):
            token = self.heads[token]
        return token

    def scope(self, noun: int, at: int) -> Reach:
        """Return what a quantifier at token *at* of a noun phrase has in scope outside that phrase.

        In "no boy and no girl" the first quantifier has the clause; where they differ nothing is sure.
        """
        if self.relations[noun] == "conj" and not self.predicate(noun):
            while self.relations[noun] == "conj":
                noun = self.heads[noun]
            first = [self.words[child] for child in self.among(noun, "det")]
            reach = self.scope(noun, at)
            return Reach() if self.words[at] in first else Reach(unsure=reach.inside | reach.unsure)
        relation, head = self.relations[noun], self.heads[noun]
        phrase_tokens = self.phrase(noun) | self.covered(self.among(noun, "conj") if not self.predicate(noun) else [])
        if relation in SUBJECTS:
            reach = self.clause(head, at, shared=at < head)
        elif relation in ("obj", "iobj") or (relation == "obl" and self._like_object(noun)):
            reach = self.clause(head, at)
        elif relation == "obl" and self.marker(noun) != "with":
            reach = Reach(unsure=self.clause(head, at).inside)
        elif self.predicate(noun):
            reach = self.clause(noun, at)
        else:
            return Reach()
        return Reach(reach.inside - phrase_tokens, reach.unsure - phrase_tokens)

    def _like_object(self, noun: int) -> bool:
        """Return whether an oblique is an agent, or an object whose "at most" was taken for a preposition."""
        case = next(iter(self.among(noun, "case")), 0)
        return self.words[case] == "by" or (self.words[case] == "at" and self.word(case + 1) in ("most", "least"))

    @cached_property
    def doubtful(self) -> int:
        """The first finite verb that depends on another word as no verb does, 0 where there is none."""
        verbs = (token for token in range(1, self.size + 1) if self.tags[token] in ("VBD", "VBP", "VBZ"))
        return next((token for token in verbs if self.relations[token] in _NEVER_VERBS), 0)

    @cached_property
    def quoted(self) -> Tokens:
        """The tokens between quotation marks."""
        return frozenset(self._between_quotes())

    def _between_quotes(self) -> Iterator[int]:
        inside = False
        for token in range(1, self.size + 1):
            if self.words[token] in ('"', "“", "”", "``", "''", "«", "»"):
                inside = not inside
            elif inside:
                yield token
