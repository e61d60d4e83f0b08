"""The operators of English that change or block inference, and the words that each has in its scope.

An operator's argument keeps the direction of inference (sign 1), reverses it (-1) or stops it (0). The table of
signs follows the literature on monotonicity: Barwise and Cooper 1981 and van Benthem 1986 for quantifiers, Ladusaw 1979
for negation, conditionals, comparatives and "before", Karttunen 1971 for implicative verbs.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import prod

from touchstone.tasks.nli.generator import operator_words as words
from touchstone.tasks.nli.generator.tree import CLAUSES, SUBJECTS, Reach, Tokens, Tree


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


def find_scopes(tree: Tree) -> list[Scope]:
    """Return the arguments of all operators of a sentence."""
    scopes = [
        scope
        for token in range(1, tree.size + 1)
        for rule in _RULES
        for scope in rule(tree, token)
        if scope.tokens
    ]
    scopes += [scope for token in range(1, tree.size + 1) for scope in _dependent(tree, token, scopes)]
    everything = frozenset(range(1, tree.size + 1))
    if "?" in tree.words[-2:]:
        scopes.append(Scope("?", tree.size, "question", 0, everything))
    if tree.doubtful:
        scopes.append(Scope("tree", tree.doubtful, "doubtful parse", 0, everything))
    return scopes


def sign_at(scopes: list[Scope], token: int) -> int:
    """Return the product of the signs of the arguments that hold *token*."""
    return prod(scope.sign for scope in scopes if token in scope.tokens)


def _flip(tree: Tree, at: int, argument: str, reach: Reach) -> Iterator[Scope]:
    """Yield the scope of a negative operator, and where it may reach, which blocks."""
    yield Scope(tree.words[at], at, argument, -1, reach.inside)
    yield Scope(tree.words[at], at, f"perhaps {argument}", 0, reach.unsure)


def _quantifier(
    tree: Tree, at: int, name: str, restrictor: int, scope: int, noun: int | None = None
) -> Iterator[Scope]:
    """Yield the restrictor and the scope of the quantifier at token *at*, of *noun* if that is not its own."""
    noun = noun or tree.noun(at)
    reach = tree.scope(noun, at)
    yield Scope(name, at, "restrictor", restrictor, tree.phrase(noun) - {at}, firm=restrictor == 1)
    yield Scope(name, at, "scope", scope, reach.inside, firm=scope == 1)
    yield Scope(name, at, "perhaps scope", max(scope, 0), reach.unsure)


def _negation(tree: Tree, at: int) -> Iterator[Scope]:
    """Negative adverbs: not, never, hardly … and "no longer"."""
    word, head = tree.words[at], tree.heads[at]
    if word == "no" and tree.word(at + 1) in ("longer", "more") and tree.tags[at] == "RB" and tree.word(at + 2) != "than":
        head = tree.heads[at + 1] if tree.heads[at] == at + 1 else head
    elif word == "yet" and tree.word(at + 1) == "to":
        head = tree.heads[at + 1]
    elif word not in words.NEGATORS or tree.word(at + 1) in words.ONLY | {"just", "more", "less", "fewer"} or not head:
        return
    elif word not in ("not", "n't") and not _constituent(tree, at):
        head = tree.governor(head)
    if tree.predicate(head) and not _constituent(tree, at):
        yield from _flip(tree, at, "scope", tree.clause(head, at))
    else:
        noun = tree.noun(at + 1 if _constituent(tree, at) else head)
        contrast = any(tree.coordinator(child) == "but" for child in tree.among(noun, "conj"))
        reach = tree.scope(noun, at)
        yield Scope(word, at, "restrictor", 0 if contrast else -1, tree.phrase(noun) - {at})
        if not contrast:
            yield from _flip(tree, at, "scope", reach)


def _constituent(tree: Tree, at: int) -> bool:
    """Return whether a negator belongs to a quantifier right after it: not every, not a single, hardly any."""
    after = at + 1
    if tree.word(after) not in words.NEGATABLE and tree.tags[after : after + 1] != ("CD",):
        return False
    noun = tree.noun(after)
    subject = tree.relations[noun] in SUBJECTS and at < tree.heads[noun]
    return (subject or tree.heads[at] in (after, noun)) and not tree.predicate(noun)


def _neither(tree: Tree, at: int) -> Iterator[Scope]:
    """Negative coordination: neither … nor; "nor" alone negates its own conjunct."""
    head = tree.heads[at]
    if tree.words[at] == "neither" and tree.relations[at] in ("cc", "advmod"):
        if tree.predicate(head):
            reach = tree.clause(head, at)
            conjuncts = tree.covered(tree.among(head, "conj"))
            yield from _flip(tree, at, "scope", Reach(reach.inside | conjuncts, reach.unsure - conjuncts))
        else:
            yield from _quantifier(tree, at, "neither", -1, -1, head)
    elif tree.words[at] == "nor" and "neither" not in tree.words[:at]:
        yield Scope("nor", at, "conjunct", -1, tree.subtree(head) - tree.subtree(at))


def _no(tree: Tree, at: int) -> Iterator[Scope]:
    """Negative quantifiers: no, neither, nobody, nothing, none; few, little."""
    word, relation = tree.words[at], tree.relations[at]
    negative = (
        (word in ("no", "neither") and relation == "det")
        or (word == "no" and relation == "advmod" and tree.word(at + 1) not in words.COMPARED)
        or (word == "neither" and relation not in ("cc", "advmod"))
        or word in words.NEGATIVE_NOUNS
        or (word == "few" and tree.word(at - 1) not in words.FEW_IS_SOME_AFTER)
        or (word == "little" and _little(tree, at))
    )
    if not negative or _bound(tree, at + 1) is not None:
        return
    noun = tree.noun(at)
    if word == "no" and tree.relations[noun] == "obl" and tree.words[noun] in words.FROZEN:
        yield from _flip(tree, at, "scope", tree.clause(tree.heads[noun], at))
    elif tree.lemmas[noun] not in words.UNCLEAR_NAMES:
        yield from _quantifier(tree, at, word, -1, -1)


def _little(tree: Tree, at: int) -> bool:
    """Return whether "little" is a quantity: alone, or before a singular noun that has no article."""
    if tree.word(at - 1) in words.FEW_IS_SOME_AFTER:
        return False
    noun = tree.noun(at)
    return noun == at or (tree.tags[noun] == "NN" and not tree.among(noun, "det") and tree.relations[at] == "amod")


def _universal(tree: Tree, at: int) -> Iterator[Scope]:
    """Universal quantifiers; before a negation their restrictor is unclear, and after "almost"."""
    word, noun = tree.words[at], tree.noun(at)
    if word not in words.UNIVERSAL or tree.relations[at] in ("advmod", "fixed") or tree.before(at, "at"):
        return
    denied = tree.relations[noun] in SUBJECTS and any(
        tree.lemmas[child] == "not" and at < child for child in tree.among(tree.heads[noun], "advmod")
    )
    whole = word == "all" and tree.tags[noun] == "NN" and tree.words[noun] in words.WHOLE
    unclear = denied or whole or tree.word(at - 1) in words.EXACT or tree.word(at + 1) == "but"
    yield from _quantifier(tree, at, word, 0 if unclear else -1, 1)


def _number(tree: Tree, at: int) -> Iterator[Scope]:
    """Numbers and shares with bounds: at most five, fewer than half, exactly two, more than ten percent."""
    share = tree.lemmas[at] in words.SHARES and bool(tree.among(at, "nmod") or tree.relations[at] in ("det", "amod"))
    if tree.tags[at] != "CD" and not share and tree.words[at] not in ("a", "few", "one"):
        return
    bound = _bound(tree, at)
    if share:
        number = next((child for child in tree.among(at, "nummod", "det", "amod") if _bound(tree, child) is not None), at)
        name, sign = _bound(tree, number) or (tree.words[at], 1)
        yield from _quantifier(tree, at, name, 0, sign)
    elif bound is not None and tree.lemmas[tree.noun(at)] not in words.SHARES:
        name, sign = bound
        yield from _quantifier(tree, at, name, sign, sign)


def _bound(tree: Tree, at: int) -> tuple[str, int] | None:
    """Return the bound before a number and its sign, None where there is none."""
    for bound, sign in words.BOUNDS.items():
        if tree.before(at, *bound):
            return " ".join(bound), sign
    return None


def _most(tree: Tree, at: int) -> Iterator[Scope]:
    """Most, superlatives and what is unique: the restrictor gives no inference."""
    word, relation, noun = tree.words[at], tree.relations[at], tree.noun(at)
    quantifier = word == "most" and not tree.before(at, "the") and relation not in ("advmod", "fixed")
    if word == "most" and tree.before(at, "at"):
        return
    if quantifier:
        yield from _quantifier(tree, at, "most", 0, 1)
    elif tree.tags[at] in ("JJS", "RBS") and not tree.before(at, "at"):
        own = tree.phrase(noun) if noun != at else tree.subtree(at) - tree.covered(tree.among(at, *SUBJECTS))
        yield Scope(word, at, "superlative", 0, own)
    elif relation == "amod" and (word in words.UNIQUE or word in words.PRIVATIVE):
        yield Scope(word, at, "modified noun", 0, tree.phrase(noun))
    elif relation in ("amod", "det") and word in ("more", "less", "fewer", "enough") and tree.tags[noun][:2] == "NN":
        yield Scope(word, at, "compared amount", 0, tree.phrase(noun))
    elif tree.lemmas[at] in words.COUNTS and "the" in (tree.words[child] for child in tree.among(at, "det")):
        yield Scope(word, at, "counted", 0, tree.covered(tree.among(at, "nmod")))


def _only(tree: Tree, at: int) -> Iterator[Scope]:
    """Only, and "almost" before a verb: nothing follows from what they modify."""
    word, head = tree.words[at], tree.heads[at]
    if tree.relations[at] != "advmod" or word not in words.ONLY | {"almost", "nearly"}:
        return
    if word not in words.ONLY and not tree.predicate(head):
        return
    noun = tree.noun(at)
    nominal = not tree.predicate(noun)
    reach = tree.scope(noun, at) if nominal else tree.clause(head if tree.predicate(head) else noun, at)
    yield Scope(word, at, "scope", 0, reach.inside | reach.unsure | (tree.phrase(noun) if nominal else frozenset()))


def _subordinate(tree: Tree, at: int) -> Iterator[Scope]:
    """Conditions, "before" clauses, "without", comparisons, indirect questions."""
    word, relation, head = tree.words[at], tree.relations[at], tree.heads[at]
    if relation not in ("mark", "case", "advmod", "cc", "fixed", "nsubj", "obj", "det", "advcl"):
        return
    phrase = tree.complement(at)
    clause = tree.relations[head]
    if word in words.EVER:
        yield Scope(word, at, "free relative", -1, phrase if relation in ("mark", "advmod", "det") else tree.subtree(at))
    elif word == "without" and relation in ("case", "mark", "advmod"):
        yield Scope(word, at, "complement", -1, phrase)
    elif word in ("rather", "instead") and relation in ("cc", "case", "mark") and tree.word(at + 1) in ("than", "of"):
        yield Scope(f"{word} {tree.word(at + 1)}", at, "complement", -1, phrase)
    elif word == "than" and relation in ("case", "mark"):
        yield from _than(tree, at)
    elif word == "but" and (tree.tags[at] == "IN" or clause == "nmod"):
        yield Scope(word, at, "exception", 0, phrase)
    elif relation == "mark":
        yield from _marked(tree, at)
    elif relation == "case" and (word in words.EXCEPT or word in words.UNCLEAR_PREPOSITIONS):
        yield Scope(word, at, "complement", 0, phrase)
    elif tree.tags[at] in ("WP", "WRB", "WDT", "WP$") and clause == "ccomp":
        yield Scope(word, at, "indirect question", 0, phrase)
    elif word == "when" and clause == "advcl" and not _past(tree, head):
        yield Scope(word, at, "time", 0, phrase)


def _marked(tree: Tree, at: int) -> Iterator[Scope]:
    word, head = tree.words[at], tree.heads[at]
    phrase = tree.complement(at)
    if tree.relations[head] in ("ccomp", "xcomp", "csubj") and word in ("if", "whether"):
        yield Scope(word, at, "indirect question", 0, phrase)
    elif word in words.CONDITIONAL:
        unclear = tree.word(at - 1) in ("even", "only", "as") or (word == "if" and tree.word(at + 1) == "not")
        yield Scope(word, at, "antecedent", 0 if unclear else -1, phrase)
    elif word == "before":
        yield Scope(word, at, "time", -1, phrase)
    elif word == "as" and tree.before(at, "as", "long"):
        yield Scope("as long as", at, "antecedent", -1, phrase)
    elif word in words.BLOCKING_MARKERS:
        yield Scope(word, at, "clause", 0, phrase)


def _than(tree: Tree, at: int) -> Iterator[Scope]:
    """The standard of a comparison; with less and fewer, and "no more … than", it is unclear."""
    head = tree.heads[at]
    unclear = {"less", "fewer", "other", "no", "sooner"} & set(tree.words[max(1, at - 6) : at])
    yield Scope("than", at, "standard", 0 if unclear else -1, tree.subtree(head) - {at})


def _past(tree: Tree, clause: int) -> bool:
    return any(tree.tags[token] == "VBD" for token in (clause, *tree.among(clause, "aux", "cop")))


def _inverted(tree: Tree, at: int) -> Iterator[Scope]:
    """Conditions without a subordinator: had he seen …, provided you own …"""
    if tree.words[at] in words.CONDITIONAL and tree.relations[at] == "advcl":
        beside = [child for child in tree.among(tree.heads[at], "advcl") if child > at and not tree.marker(child)]
        yield Scope(tree.words[at], at, "antecedent", -1, tree.covered([at, *beside]) - {at})
    opening = at == 1 and tree.words[at] in ("had", "should", "were") and "," in tree.words
    if opening and tree.relations[at] in ("aux", "cop") and tree.relations[2] in ("nsubj", "det"):
        yield Scope(tree.words[at], at, "antecedent", -1, tree.clause(tree.heads[at], at).inside)


def _negative_predicate(tree: Tree, at: int) -> Iterator[Scope]:
    """Verbs, adjectives and nouns that deny their complement: refuse to, doubt that, unable to, lack of."""
    lemma, tag = tree.lemmas[at], tree.tags[at]
    clauses = [child for child in tree.children[at] if tree.relations[child] in CLAUSES and child > at]
    if lemma in words.UNCLEAR_NAMES and tree.before(at, "no"):
        yield Scope(f"no {lemma}", at, "complement", 0, tree.subtree(at) - {at})
    elif tag[:2] == "VB":
        particles = [tree.words[child] for child in tree.among(at, "compound") if tree.tags[child] == "RP"]
        for child in tree.children[at]:
            sign = _verb_sign(tree, " ".join([lemma, *particles]), child)
            if sign < 1:
                yield Scope(tree.words[at], at, "complement", sign, tree.subtree(child))
    elif tag[:2] == "JJ" or tree.relations[at] == "xcomp":
        less = any(tree.words[child] == "less" for child in tree.among(at, "advmod"))
        sign = -1 if lemma in words.NEGATIVE_ADJECTIVES else 0 if less or lemma in words.UNCLEAR_ADJECTIVES else 1
        phrases = [child for child in tree.among(at, "obl") if tree.marker(child) in ("of", "from")]
        if sign < 1 and tree.relations[at] != "amod":
            yield Scope(tree.words[at], at, "complement", sign, tree.covered(clauses + phrases))
        if any(tree.words[child] == "too" and child < at for child in tree.among(at, "advmod")):
            infinitives = [child for child in clauses if tree.marker(child) in ("to", "for")]
            yield Scope("too", at, "complement", -1, tree.covered(infinitives))
    elif lemma in words.NEGATIVE_NAMES or lemma in words.UNCLEAR_NAMES:
        sign = -1 if lemma in words.NEGATIVE_NAMES else 0
        phrases = [child for child in tree.among(at, "nmod") if tree.marker(child) in ("of", "on", "about")]
        yield Scope(tree.words[at], at, "complement", sign, tree.covered(clauses + phrases))


def _verb_sign(tree: Tree, lemma: str, child: int) -> int:
    """Return the sign that a verb gives to one of its dependents."""
    relation, marker = tree.relations[child], tree.marker(child)
    if marker == "from" and lemma in words.PREVENTING:
        return -1
    if lemma == "prefer" and relation == "obl" and marker == "to":
        return 0
    if relation in ("obj", "iobj"):
        return -1 if lemma in words.LACKING else 0 if lemma in words.UNCLEAR_OBJECT else 1
    if relation not in ("xcomp", "ccomp") or (marker == "to" and lemma in words.NEGATIVE_WITH_GERUND):
        return 1
    if lemma == "forget" and marker != "to":
        return 1
    return -1 if lemma in words.NEGATIVE_VERBS else 0 if lemma in words.UNCLEAR_ATTITUDES else 1


def _weak(tree: Tree, at: int) -> Iterator[Scope]:
    """What keeps the direction but asserts nothing: modals, attitudes, some, sometimes, or."""
    word, relation, head = tree.words[at], tree.relations[at], tree.heads[at]
    if relation == "aux" and word in words.MODALS or word in words.SOMETIMES and relation == "advmod" and head:
        reach = tree.clause(head, at)
        yield Scope(word, at, "scope", 1, reach.inside | reach.unsure)
    elif tree.lemmas[at] in words.ATTITUDES and tree.tags[at][:2] == "VB":
        yield Scope(word, at, "complement", 1, tree.covered(tree.among(at, "xcomp", "ccomp", "obj")))
    elif word in words.EXISTENTIAL and relation not in ("advmod", "fixed"):
        noun = tree.noun(at)
        yield Scope(word, at, "restrictor and scope", 1, tree.phrase(noun) | tree.scope(noun, at).inside)
    elif word == "or" and relation == "cc":
        yield Scope(word, at, "disjunct", 1, tree.subtree(tree.heads[head]))


def _generic(tree: Tree, at: int) -> Iterator[Scope]:
    """Bare plurals about kinds: subjects of the simple present, objects of liking."""
    if tree.tags[at] != "NNS" or tree.among(at, "det", "nummod") or _possessed(tree, at):
        return
    head, relation = tree.heads[at], tree.relations[at]
    if any(tree.words[child] in words.EXISTENTIAL | {"few"} for child in tree.among(at, "amod")):
        return
    if relation == "nsubj" and not tree.among(head, "expl") and _simple_present(tree, head):
        yield Scope("bare plural", at, "kind", 0, tree.phrase(at))
        yield Scope("bare plural", at, "scope", 1, tree.clause(head, at, shared=True).inside - tree.phrase(at))
    negated = any(tree.lemmas[child] in words.NEGATORS for child in tree.among(head, "advmod"))
    if relation == "obj" and tree.lemmas[head] in words.LIKING and not negated:
        yield Scope("bare plural", at, "kind", 0, tree.phrase(at))


def _possessed(tree: Tree, noun: int) -> bool:
    return any(tree.tags[child] == "PRP$" or tree.among(child, "case") and tree.words[tree.among(child, "case")[0]] in ("'s", "'") for child in tree.among(noun, "nmod"))


def _simple_present(tree: Tree, head: int) -> bool:
    verbs = [head, *tree.among(head, "aux", "cop")]
    finite = any(tree.tags[verb] in ("VBP", "VBZ") for verb in verbs)
    return finite and tree.tags[head] not in ("VBG", "VBN")


def _dependent(tree: Tree, at: int, scopes: list[Scope]) -> Iterator[Scope]:
    """Operators that depend on others: "any" is universal where nothing licenses it; what is known is presupposed."""
    word = tree.words[at]
    if word in words.ANY and all(at not in scope.tokens or scope.sign == 1 for scope in scopes):
        yield from _quantifier(tree, at, word, -1, 1)
    elif tree.lemmas[at] in words.FACTIVE and tree.tags[at][:2] == "VB" and sign_at(scopes, at) < 1:
        yield Scope(word, at, "presupposed", 0, tree.covered(tree.among(at, "ccomp")))
    elif tree.lemmas[at] == "help" and sign_at(scopes, at) < 1:
        gerunds = [child for child in tree.among(at, "xcomp", "ccomp", "advcl") if tree.tags[child] == "VBG"]
        yield Scope("cannot help", at, "complement", -1, tree.covered(gerunds))


_RULES: tuple[Callable[[Tree, int], Iterator[Scope]], ...] = (
    _negation,
    _neither,
    _no,
    _universal,
    _number,
    _most,
    _only,
    _subordinate,
    _inverted,
    _negative_predicate,
    _weak,
    _generic,
)
