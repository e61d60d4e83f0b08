"""Conditions, comparisons and other subordinate clauses; verbs, adjectives and nouns with clauses as complements.

Each function yields the arguments of the operator at one token, none where the token is no operator of that kind.
"""

from collections.abc import Iterator

from touchstone.systems.challenge.polarity import words
from touchstone.systems.challenge.polarity.scopes import Scope
from touchstone.systems.challenge.polarity.tree import CLAUSES, Tree


def find_subordinate(tree: Tree, at: int) -> Iterator[Scope]:
    """Yield conditions, "before" clauses, "without", comparisons, indirect questions."""
    word, relation, head = tree.words[at], tree.relations[at], tree.heads[at]
    if relation not in ("mark", "case", "advmod", "cc", "fixed", "nsubj", "obj", "det", "advcl"):
        return
    phrase = tree.complement(at)
    clause = tree.relations[head]
    if word in words.EVER:
        yield Scope(
            word, at, "free relative", -1, phrase if relation in ("mark", "advmod", "det") else tree.subtree(at)
        )
    elif word == "without" and relation in ("case", "mark", "advmod"):
        yield Scope(word, at, "complement", -1, phrase)
    elif word in ("rather", "instead") and relation in ("cc", "case", "mark") and tree.word(at + 1) in ("than", "of"):
        yield Scope(f"{word} {tree.word(at + 1)}", at, "complement", -1, phrase)
    elif word == "than" and relation in ("case", "mark"):
        yield from _than(tree, at)
    elif word == "but" and (tree.tags[at] == "IN" or clause == "nmod"):
        yield Scope(word, at, "exception", 0, phrase)
    elif relation == "mark" and word != "as":
        yield from _marked(tree, at)
    elif tree.before(at, "as", "long") and word == "as":
        yield Scope("as long as", at, "antecedent", -1, phrase)
    elif relation in ("case", "mark") and word == "as" and "as" in tree.words[max(1, at - 4) : at]:
        yield Scope("as … as", at, "standard", 0, phrase)
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
    elif word in words.BLOCKING_MARKERS or (word == "in" and tree.word(at + 1) == "case"):
        yield Scope(word, at, "clause", 0, phrase)


def _than(tree: Tree, at: int) -> Iterator[Scope]:
    """Yield the standard of a comparison; with less and fewer, and "no more … than", it is unclear."""
    head = tree.heads[at]
    unclear = {"less", "fewer", "other", "no", "sooner"} & set(tree.words[max(1, at - 6) : at])
    yield Scope("than", at, "standard", 0 if unclear else -1, tree.subtree(head) - {at})


def _past(tree: Tree, clause: int) -> bool:
    return any(tree.tags[token] == "VBD" for token in (clause, *tree.among(clause, "aux", "cop")))


def find_inverted(tree: Tree, at: int) -> Iterator[Scope]:
    """Yield conditions without a subordinator: "had he seen", "provided you own"."""
    if tree.words[at] in words.CONDITIONAL and tree.relations[at] == "advcl":
        beside = [child for child in tree.among(tree.heads[at], "advcl") if child > at and not tree.marker(child)]
        yield Scope(tree.words[at], at, "antecedent", -1, tree.covered([at, *beside]) - {at})
    opening = at == 1 and tree.words[at] in ("had", "should", "were") and "," in tree.words
    if opening and tree.relations[at] in ("aux", "cop") and tree.relations[2] in ("nsubj", "det"):
        yield Scope(tree.words[at], at, "antecedent", -1, tree.clause(tree.heads[at], at).inside)


def find_negative_predicate(tree: Tree, at: int) -> Iterator[Scope]:
    """Yield complements of verbs, adjectives and nouns that deny them: refuse to, doubt that, unable to, lack of."""
    lemma, tag = tree.lemmas[at], tree.tags[at]
    clauses = [child for child in tree.children[at] if tree.relations[child] in CLAUSES and child > at]
    if tree.before(at, "no") and lemma in words.UNCLEAR_NAMES | words.FUTILE:
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
    if lemma in words.BANNING and tree.among(tree.heads[child], "aux") and tree.tags[tree.heads[child]] == "VBN":
        return -1 if relation == "nsubj" or (relation == "obl" and marker != "by") else 1
    if lemma == "prefer" and relation == "obl" and marker == "to":
        return 0
    if relation in ("obj", "iobj"):
        return -1 if lemma in words.LACKING else 0 if lemma in words.UNCLEAR_OBJECT else 1
    if relation not in ("xcomp", "ccomp") or (marker == "to" and lemma in words.NEGATIVE_WITH_GERUND):
        return 1
    if lemma == "forget" and marker != "to":
        return 1
    return -1 if lemma in words.NEGATIVE_VERBS else 0 if lemma in words.UNCLEAR_ATTITUDES else 1


def find_weak(tree: Tree, at: int) -> Iterator[Scope]:
    """Yield what keeps the direction but asserts nothing: modals, attitudes, some, sometimes, or."""
    word, relation, head = tree.words[at], tree.relations[at], tree.heads[at]
    if (relation == "aux" and word in words.MODALS) or (relation == "advmod" and word in words.SOMETIMES):
        reach = tree.clause(head, at)
        yield Scope(word, at, "scope", 1, reach.inside | reach.unsure)
    elif tree.lemmas[at] in words.ATTITUDES and tree.tags[at][:2] == "VB":
        yield Scope(word, at, "complement", 1, tree.covered(tree.among(at, "xcomp", "ccomp", "obj")))
    elif word in words.EXISTENTIAL and relation not in ("advmod", "fixed"):
        noun = tree.noun(at)
        yield Scope(word, at, "restrictor and scope", 1, tree.phrase(noun) | tree.scope(noun, at).inside)
    elif word == "or" and relation == "cc":
        yield Scope(word, at, "disjunct", 1, tree.subtree(tree.heads[head]))
