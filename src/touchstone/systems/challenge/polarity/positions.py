"""The direction of inference at a position in a sentence, from its dependency tree, and the label that follows from it.

In an *upward* position a word may be replaced by a more general one and the sentence stays true; in a *downward*
position by a more specific one. In a *non-monotone* position neither holds. The polarity of a position is the product
of the signs of all arguments of operators that hold it, so two negations give an upward position.

An operator's argument keeps the direction of inference (sign 1), reverses it (-1) or stops it (0). The table of
signs follows the literature on monotonicity: Barwise and Cooper 1981 and van Benthem 1986 for quantifiers, Ladusaw 1979
for negation, conditionals, comparatives and "before", Karttunen 1971 for implicative verbs.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from touchstone.systems.challenge.polarity import clauses, quantifiers, words
from touchstone.systems.challenge.polarity.scopes import Scope, quantifier, sign_at
from touchstone.systems.challenge.polarity.tree import Tree, head_of
from touchstone.tasks.nli.labels import Label
from touchstone.text import Sentence

Polarity = Literal["upward", "downward", "non-monotone"]
Relation = Literal["synonym", "general", "specific", "exclusion"]
"""What the new word is, compared with the replaced one."""

_NAMES: dict[int, Polarity] = {1: "upward", -1: "downward", 0: "non-monotone"}
_LABELS: dict[tuple[Polarity, Relation], Label] = {
    ("upward", "general"): "entailment",
    ("upward", "specific"): "neutral",
    ("downward", "general"): "neutral",
    ("downward", "specific"): "entailment",
}

_RULES: tuple[Callable[[Tree, int], Iterator[Scope]], ...] = (
    quantifiers.find_negation,
    quantifiers.find_neither,
    quantifiers.find_negative_quantifier,
    quantifiers.find_universal,
    quantifiers.find_bound,
    quantifiers.find_superlative,
    quantifiers.find_only,
    quantifiers.find_generic,
    clauses.find_subordinate,
    clauses.find_inverted,
    clauses.find_negative_predicate,
    clauses.find_weak,
)


@dataclass(frozen=True)
class Position:
    """A position in a sentence: its polarity, and the arguments of operators that hold it.

    *literal*: it is in a quotation or a name, where no word may be replaced, not even by a synonym.
    """

    polarity: Polarity
    scopes: tuple[Scope, ...] = ()
    literal: bool = False

    @property
    def firm(self) -> bool:
        """Whether what is said there is asserted, so that an excluding word contradicts it."""
        return self.polarity == "upward" and all(scope.firm for scope in self.scopes)

    @cached_property
    def reason(self) -> str:
        """The operators and their arguments that decided, the first first; "asserted" where there is none."""
        parts = [f"{scope.argument} of {scope.operator!r}" for scope in self.scopes if scope.sign < 1 or not scope.firm]
        return ", ".join(parts) or "asserted"

    def label(self, relation: Relation) -> Label | None:
        """Return the label of the pair in which the word here is replaced, None if the pair is refused.

        >>> Position("downward").label("specific"), Position("downward").label("exclusion")
        ('entailment', None)
        """
        if self.literal:
            return None
        if relation == "synonym":
            return "entailment"
        if relation == "exclusion":
            return "contradiction" if self.firm else None
        return _LABELS.get((self.polarity, relation))


class Polarities:
    """The polarity of every position in a parsed sentence; the operators are found once.

    >>> from touchstone.text import english
    >>> [sentence] = english().parse(["No man in the park fed a dog."])
    >>> polarities = Polarities(sentence)
    >>> polarities.at(1, 2).polarity, polarities.at(7, 8).reason
    ('downward', "scope of 'no'")
    """

    def __init__(self, sentence: Sentence) -> None:
        self._sentence, self._tree = sentence, Tree(sentence)
        self.scopes = find_scopes(self._tree)

    def at(self, start: int, end: int) -> Position:
        """Return the position of the tokens *start* to *end*, counted from 0, the end not included."""
        tree, span = self._tree, range(start + 1, end + 1)
        head = head_of(self._sentence, start, end) + 1
        holding = tuple(scope for scope in self.scopes if head in scope.tokens)
        # Quotations and names first: whatever the operators say, no word in them may be replaced.
        if any(token in tree.quoted for token in span):
            quotation = Scope("quotation", head, "words", 0, frozenset(span))
            return Position("non-monotone", (*holding, quotation), literal=True)
        if any(tree.tags[token] in ("NNP", "NNPS") for token in (*span, *self._named(head))):
            return Position("non-monotone", (*holding, Scope("name", head, "words", 0, frozenset(span))), literal=True)
        operators_inside = tuple(
            scope for scope in self.scopes if scope.at in span and scope.sign < 1 and head not in scope.tokens
        )
        return Position(_NAMES[0 if operators_inside else sign_at(holding, head)], holding + operators_inside)

    def around(self, start: int, end: int) -> Position | None:
        """Return the position of a whole modifier: operators inside it do not count, such as "without" in a phrase.

        None if an operator inside it reaches outside, so that it cannot be removed like a modifier.
        """
        span = range(start + 1, end + 1)
        inner = {scope.at for scope in self.scopes if scope.at in span}
        if any(scope.at in inner and scope.sign < 1 and not scope.tokens <= set(span) for scope in self.scopes):
            return None
        head = head_of(self._sentence, start, end) + 1
        holding = tuple(scope for scope in self.scopes if head in scope.tokens and scope.at not in inner)
        return Position(_NAMES[sign_at(holding, head)], holding)

    def _named(self, head: int) -> tuple[int, ...]:
        """Return the token whose name *head* is part of."""
        part = self._tree.relations[head] in ("compound", "flat")
        return (self._tree.heads[head],) if part else ()


def find_scopes(tree: Tree) -> list[Scope]:
    """Return the arguments of all operators of a sentence."""
    scopes = [
        scope for token in range(1, tree.size + 1) for rule in _RULES for scope in rule(tree, token) if scope.tokens
    ]
    # These depend on the scopes of all other operators, so they come after them.
    scopes += [scope for token in range(1, tree.size + 1) for scope in _dependent(tree, token, scopes)]
    everything = frozenset(range(1, tree.size + 1))
    if "?" in tree.words[-2:]:
        scopes.append(Scope("?", tree.size, "question", 0, everything))
    if tree.doubtful:
        scopes.append(Scope("tree", tree.doubtful, "doubtful parse", 0, everything))
    return scopes


def _dependent(tree: Tree, at: int, scopes: list[Scope]) -> Iterator[Scope]:
    """Yield arguments that depend on the other operators.

    "Any" is universal where nothing negative licenses it, what is not known is presupposed, "cannot help" asserts.
    """
    word = tree.words[at]
    if word in words.ANY and all(at not in scope.tokens or scope.sign == 1 for scope in scopes):
        yield from quantifier(tree, at, word, -1, 1)
    elif tree.lemmas[at] in words.FACTIVE and tree.tags[at][:2] == "VB" and sign_at(scopes, at) < 1:
        yield Scope(word, at, "presupposed", 0, tree.covered(tree.among(at, "ccomp")))
    elif tree.lemmas[at] == "help" and sign_at(scopes, at) < 1:
        gerunds = [child for child in tree.among(at, "xcomp", "ccomp", "advcl") if tree.tags[child] == "VBG"]
        yield Scope("cannot help", at, "complement", -1, tree.covered(gerunds))
