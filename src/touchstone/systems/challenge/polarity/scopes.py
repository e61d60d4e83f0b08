"""An argument of an operator, with the tokens that it holds."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import prod

from touchstone.systems.challenge.polarity.tree import Reach, Tokens, Tree


@dataclass(frozen=True)
class Scope:
    """An argument of an operator.

    Attributes
    ----------
    operator
        The operator as it is written, in lower case.
    at
        Its token, counted from 1.
    argument
        Which argument: restrictor, scope, complement, antecedent …
    sign
        1: inference goes the same way inside as outside; -1: the other way; 0: neither way.
    tokens
        The tokens of the argument.
    firm
        Whether a statement in it is asserted: only then does an excluding word contradict it.
    """

    operator: str
    at: int
    argument: str
    sign: int
    tokens: Tokens
    firm: bool = False


def sign_at(scopes: Iterable[Scope], token: int) -> int:
    """Return the product of the signs of the arguments that hold *token*."""
    return prod(scope.sign for scope in scopes if token in scope.tokens)


def flip(tree: Tree, at: int, argument: str, reach: Reach) -> Iterator[Scope]:
    """Yield the scope of a negative operator, and where it may reach, which blocks."""
    yield Scope(tree.words[at], at, argument, -1, reach.inside)
    yield Scope(tree.words[at], at, f"perhaps {argument}", 0, reach.unsure)


def quantifier(tree: Tree, at: int, name: str, restrictor: int, scope: int, noun: int | None = None) -> Iterator[Scope]:
    """Yield the restrictor and the scope of the quantifier at token *at*, of *noun* if that is not its own."""
    noun = noun or tree.noun(at)
    reach = tree.scope(noun, at)
    yield Scope(name, at, "restrictor", restrictor, tree.phrase(noun) - {at}, firm=restrictor == 1)
    yield Scope(name, at, "scope", scope, reach.inside, firm=scope == 1)
    yield Scope(name, at, "perhaps scope", max(scope, 0), reach.unsure)
