"""The operators of English that change or block inference, and the words that each has in its scope.

An operator's argument keeps the direction of inference (sign 1), reverses it (-1) or stops it (0). The table of
signs follows the literature on monotonicity: Barwise and Cooper 1981 and van Benthem 1986 for quantifiers, Ladusaw 1979
for negation, conditionals, comparatives and "before", Karttunen 1971 for implicative verbs.
"""

from collections.abc import Callable, Iterator

from touchstone.systems.challenge.polarity import clauses, quantifiers, words
from touchstone.systems.challenge.polarity.scopes import Scope, quantifier, sign_at
from touchstone.systems.challenge.polarity.tree import Tree

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
