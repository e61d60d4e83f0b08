"""MAXSIM explained: the matchings of one segment, with their links, order by order."""

from collections.abc import Sequence

from touchstone.core.matching import Matching
from touchstone.tasks.mt.maxsim.matching import match_ngrams, match_triples
from touchstone.tasks.mt.maxsim.records import record
from touchstone.tasks.mt.maxsim.triples import KINDS, triples_of
from touchstone.tasks.mt.maxsim.variant import Variant
from touchstone.tasks.mt.model import TIED_MATCHINGS, Explanation, Items, Joined, Layer
from touchstone.tasks.mt.synonyms import Thesaurus
from touchstone.tasks.mt.texts import Texts
from touchstone.tasks.mt.words import Words, words_of

_ORDERS = ("words", "bigrams", "trigrams")


def explain(variant: Variant, compared: Joined) -> Explanation:
    """Return the links behind the score of one translation against its reference.

    >>> from touchstone.tasks.mt.texts import Texts
    >>> pair = Joined(Texts(["the car stopped"]), (Texts(["the automobile stopped"]),))
    >>> words = explain(Variant(), pair).layers[0]
    >>> [(words.left[link.left], words.right[link.right], link.stage) for link in words.matching.links]
    [('the/DT', 'the/DT', 'exact'), ('stop/VBD', 'stop/VBD', 'exact'), ('car/NN', 'automobile/NN', 'similar')]
    """
    sides = compared.hypotheses, compared.references[0]
    words = words_of(sides[0], parsed=variant.parsed), words_of(sides[1], parsed=variant.parsed)
    ngrams = match_ngrams(*words, variant.order, **variant.soft, thesaurus=compared.thesaurus)
    layers = [_ngram_layer(variant, n, words, matchings[0]) for n, matchings in enumerate(ngrams, 1)]
    layers += [_triple_layer(variant, kind, sides, words, compared.thesaurus) for kind in variant.kinds]
    value = float(record(variant, compared)[0, 0])
    forms = words[0].forms[0], words[1].forms[0]
    return Explanation(*forms, tuple(layers), value, _notes(variant, layers))


def _ngram_layer(variant: Variant, n: int, words: tuple[Words, Words], matching: Matching) -> Layer:
    name = _ORDERS[n - 1] if n <= len(_ORDERS) else f"{n}-grams"
    left, right = (_ngrams([*map("/".join, zip(side.lemmas[0], side.tags[0], strict=True))], n) for side in words)
    return Layer.of(name, left, right, matching, matching.f(variant.alpha))


def _ngrams(words: Sequence[str], n: int) -> Items:
    starts = range(len(words) - n + 1)
    return [(" ".join(words[start : start + n]), tuple(range(start, start + n))) for start in starts]


def _triple_layer(
    variant: Variant,
    kind: str,
    sides: tuple[Texts, Texts],
    words: tuple[Words, Words],
    thesaurus: Thesaurus | None,
) -> Layer:
    left, right = triples_of(sides[0], kind), triples_of(sides[1], kind)
    sizes = words[0].forms.codes.sizes, words[1].forms.codes.sizes
    matchings = match_triples(left, right, **variant.soft, sizes=sizes, thesaurus=thesaurus)
    items, other_items = ([(str(triple), triple.places) for triple in side[0]] for side in (left, right))
    return Layer.of(KINDS[kind], items, other_items, matchings[0], matchings[0].f(variant.alpha))


def _notes(variant: Variant, layers: Sequence[Layer]) -> tuple[str, ...]:
    """Return what the links alone do not say: which terms are averaged, and that other optima may exist."""
    empty = [layer.name for layer in layers[variant.order :] if not (layer.left or layer.right)]
    left_out = [f"no {name} on either side: the term is left out" for name in empty]
    return (TIED_MATCHINGS, *left_out)
