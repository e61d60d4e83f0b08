"""Negation, quantifiers, numbers, superlatives and generic plurals.

Each function yields the arguments of the operator at one token, none where the token is no operator of that kind.
"""

from collections.abc import Iterator

from touchstone.systems.challenge.polarity import words
from touchstone.systems.challenge.polarity.scopes import Scope, flip, quantifier
from touchstone.systems.challenge.polarity.tree import SUBJECTS, Reach, Tree


def find_negation(tree: Tree, at: int) -> Iterator[Scope]:
    """Yield the scope of negative adverbs: not, never, hardly … and "no longer"."""
    word, head = tree.words[at], tree.heads[at]
    if (
        word == "no"
        and tree.word(at + 1) in ("longer", "more")
        and tree.tags[at] == "RB"
        and tree.word(at + 2) != "than"
    ):
        head = tree.heads[at + 1] if tree.heads[at] == at + 1 else head
    elif word == "yet" and tree.word(at + 1) == "to":
        head = tree.heads[at + 1]
    elif word not in words.NEGATORS or tree.word(at + 1) in words.ONLY | {"just", "more", "less", "fewer"} or not head:
        return
    elif word not in ("not", "n't") and not _constituent(tree, at):
        head = tree.governor(head)
    if tree.predicate(head) and not _constituent(tree, at):
        yield from flip(tree, at, "scope", tree.clause(head, at))
    else:
        noun = tree.noun(at + 1 if _constituent(tree, at) else head)
        contrast = any(tree.coordinator(child) == "but" for child in tree.among(noun, "conj"))
        reach = tree.scope(noun, at)
        yield Scope(word, at, "restrictor", 0 if contrast else -1, tree.phrase(noun) - {at})
        if not contrast:
            yield from flip(tree, at, "scope", reach)


def _constituent(tree: Tree, at: int) -> bool:
    """Return whether a negator belongs to a quantifier right after it: not every, not a single, hardly any."""
    after = at + 1
    if tree.word(after) not in words.NEGATABLE and tree.tags[after : after + 1] != ("CD",):
        return False
    noun = tree.noun(after)
    subject = tree.relations[noun] in SUBJECTS and at < tree.heads[noun]
    return (subject or tree.heads[at] in (after, noun)) and not tree.predicate(noun)


def find_neither(tree: Tree, at: int) -> Iterator[Scope]:
    """Yield negative coordination: neither … nor; "nor" alone negates its own conjunct."""
    head = tree.heads[at]
    if tree.words[at] == "neither" and tree.relations[at] in ("cc", "advmod"):
        if tree.predicate(head):
            reach = tree.clause(head, at)
            conjuncts = tree.covered(tree.among(head, "conj"))
            yield from flip(tree, at, "scope", Reach(reach.inside | conjuncts, reach.unsure - conjuncts))
        else:
            yield from quantifier(tree, at, "neither", -1, -1, head)
            other_conjuncts = tree.covered(tree.among(head, "conj")) - tree.phrase(head)
            yield Scope("neither", at, "conjunct", -1, other_conjuncts)
    elif tree.words[at] == "nor" and "neither" not in tree.words[:at]:
        yield Scope("nor", at, "conjunct", -1, tree.subtree(head) - tree.subtree(at))


def find_negative_quantifier(tree: Tree, at: int) -> Iterator[Scope]:
    """Yield the arguments of negative quantifiers: no, neither, nobody, nothing, none; few, little."""
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
        yield from flip(tree, at, "scope", tree.clause(tree.heads[noun], at))
    elif tree.lemmas[noun] not in words.UNCLEAR_NAMES | words.FUTILE:
        yield from quantifier(tree, at, word, -1, -1)


def _little(tree: Tree, at: int) -> bool:
    """Return whether "little" is a quantity: alone, after "very" and its like, or before a mass noun."""
    if tree.word(at - 1) in words.FEW_IS_SOME_AFTER:
        return False
    noun = tree.noun(at)
    return noun == at or tree.lemmas[noun] in words.MASS or tree.word(at - 1) in ("very", "too", "so", "how")


def find_universal(tree: Tree, at: int) -> Iterator[Scope]:
    """Yield the arguments of universal quantifiers; the restrictor is unclear before "not" and after "almost"."""
    word = tree.words[at]
    if word not in words.UNIVERSAL or tree.relations[at] in ("advmod", "fixed") or tree.before(at, "at"):
        return
    noun = tree.noun(at)
    if word == "each" and tree.word(at + 1) in ("other", "others"):
        return
    denied = tree.relations[noun] in SUBJECTS and any(
        tree.lemmas[child] == "not" and at < child for child in tree.among(tree.heads[noun], "advmod")
    )
    # "All day" is one whole day, and "all black clothing" is black all over.
    undivided = word == "all" and noun != at and tree.tags[noun] not in ("NNS", "NNPS", "PRP", "DT")
    unclear = denied or undivided or tree.word(at - 1) in words.EXACT or tree.word(at + 1) == "but"
    yield from quantifier(tree, at, word, 0 if unclear else -1, 1)


def find_bound(tree: Tree, at: int) -> Iterator[Scope]:
    """Yield numbers and shares with bounds: at most five, fewer than half, exactly two, more than ten percent."""
    share = tree.lemmas[at] in words.SHARES and any(tree.marker(child) == "of" for child in tree.among(at, "nmod"))
    share = share or (tree.words[at] == "half" and tree.relations[at] in ("det", "amod"))
    vague = tree.words[at] == "a" and tree.word(at + 1) in ("few", "dozen", "hundred", "third", "quarter")
    if tree.tags[at] != "CD" and not share and not vague:
        return
    bound = _bound(tree, at)
    if share:
        number = next(
            (child for child in tree.among(at, "nummod", "det", "amod") if _bound(tree, child) is not None), at
        )
        name, sign = _bound(tree, number) or (tree.words[at], 1)
        yield from quantifier(tree, at, name, 0, sign)
    elif bound is not None and tree.lemmas[tree.noun(at)] not in words.SHARES:
        name, sign = bound
        yield from quantifier(tree, at, name, sign, sign)


def _bound(tree: Tree, at: int) -> tuple[str, int] | None:
    """Return the bound before a number and its sign, None if there is none, or a preposition: around two trees."""
    for bound, sign in words.BOUNDS.items():
        if tree.before(at, *bound):
            is_preposition = bound[0] in words.PLACES and tree.relations[tree.noun(at)] in ("obl", "nmod")
            return None if is_preposition else (" ".join(bound), sign)
    return None


def find_superlative(tree: Tree, at: int) -> Iterator[Scope]:
    """Yield most, superlatives and what is unique: the restrictor gives no inference."""
    word, relation, noun = tree.words[at], tree.relations[at], tree.noun(at)
    if word == "most" and tree.before(at, "at"):
        return
    if word == "most" and not tree.before(at, "the") and relation not in ("advmod", "fixed"):
        yield from quantifier(tree, at, "most", 0, 1)
    elif tree.tags[at] in ("JJS", "RBS") and not tree.before(at, "at"):
        tokens = tree.phrase(noun) if noun != at else tree.subtree(at) - tree.covered(tree.among(at, *SUBJECTS))
        yield Scope(word, at, "superlative", 0, tokens)
    elif relation == "amod" and (word in words.UNIQUE or word in words.PRIVATIVE):
        yield Scope(word, at, "modified noun", 0, tree.phrase(noun))
    elif relation in ("amod", "det") and word in ("more", "less", "fewer", "enough") and tree.tags[noun][:2] == "NN":
        yield Scope(word, at, "compared amount", 0, tree.phrase(noun))
    elif tree.lemmas[at] in words.COUNTS and "the" in (tree.words[child] for child in tree.among(at, "det")):
        yield Scope(word, at, "counted", 0, tree.covered(tree.among(at, "nmod")))


def find_only(tree: Tree, at: int) -> Iterator[Scope]:
    """Yield the scope of "only", and of "almost" before a verb: nothing follows from what they modify."""
    word, head = tree.words[at], tree.heads[at]
    if tree.relations[at] != "advmod" or word not in words.ONLY | {"almost", "nearly"}:
        return
    if word not in words.ONLY and not tree.predicate(head):
        return
    noun = tree.noun(at)
    nominal = not tree.predicate(noun)
    reach = tree.scope(noun, at) if nominal else tree.clause(head if tree.predicate(head) else noun, at)
    yield Scope(word, at, "scope", 0, reach.inside | reach.unsure | (tree.phrase(noun) if nominal else frozenset()))


def find_generic(tree: Tree, at: int) -> Iterator[Scope]:
    """Yield bare plurals about kinds: subjects of the simple present, objects of liking."""
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
    owners = tree.among(noun, "nmod")
    return any(
        tree.tags[owner] == "PRP$" or "POS" in map(tree.tags.__getitem__, tree.among(owner, "case")) for owner in owners
    )


def _simple_present(tree: Tree, head: int) -> bool:
    verbs = [head, *tree.among(head, "aux", "cop")]
    finite = any(tree.tags[verb] in ("VBP", "VBZ") for verb in verbs)
    return finite and tree.tags[head] not in ("VBG", "VBN")
