"""MAXSIM explained: the matchings of one segment, with their links, order by order."""

import re
from collections.abc import Sequence

from touchstone.core.errors import TouchstoneError
from touchstone.core.matching import Matching
from touchstone.tasks.mt.maxsim_matching import Gram, grams, match_grams, match_triples
from touchstone.tasks.mt.maxsim_records import record
from touchstone.tasks.mt.maxsim_triples import KINDS, Triple, triples_of
from touchstone.tasks.mt.maxsim_variant import Variant
from touchstone.tasks.mt.maxsim_words import words_of
from touchstone.tasks.mt.model import Compared, Explanation, Layer

_ORDERS = ("words", "bigrams", "trigrams")
_ONE_OPTIMUM = "the total weight is unique; where several matchings reach it, one of them is shown"


def explain(measure: str, compared: Compared, row: int) -> Explanation:
    """Return the links behind the score of one segment against the first reference.

    >>> from touchstone.tasks.mt.model import Texts
    >>> pair = Compared(Texts(["the car stopped"]), (Texts(["the automobile stopped"]),))
    >>> words = explain("maxsim(n)", pair, 0).layers[0]
    >>> [(words.left[link.left], words.right[link.right], link.stage) for link in words.matching.links]
    [('the/DT', 'the/DT', 'exact'), ('stop/VBD', 'stop/VBD', 'exact'), ('car/NN', 'automobile/NN', 'similar')]
    """
    variant = _variant(measure)
    sides = compared.hypotheses.only(row), compared.references[0].only(row)
    words = [words_of(side) for side in sides]
    layers = [
        _ngram_layer(variant, n, *((side.lemmas[0], side.tags[0]) for side in words))
        for n in range(1, variant.order + 1)
    ]
    for kind in variant.kinds:
        triples = [triples_of(side, kind)[0] for side in sides]
        sizes = len(words[0].forms[0]), len(words[1].forms[0])
        layers.append(_triple_layer(variant, kind, triples[0], triples[1], sizes))
    value = float(record(variant, Compared(sides[0], (sides[1],)))[0, 0])
    shown = (tuple(words[0].forms[0]), tuple(words[1].forms[0]))
    return Explanation(variant.name, "", "", *shown, tuple(layers), value, _notes(variant, layers))


def _variant(measure: str) -> Variant:
    found = re.fullmatch(r"maxsim\(([^()]*)\)", measure)
    if found is None:
        raise TouchstoneError("not a measure of maxsim", value=measure)
    what, *others = found[1].split(",")
    return Variant.of(what, **dict(other.split("=", 1) for other in others))


Tagged = tuple[Sequence[str], Sequence[str]]
"""Lemmas and tags of a sentence."""


def _ngram_layer(variant: Variant, n: int, left: Tagged, right: Tagged) -> Layer:
    one, other = grams(*left, n), grams(*right, n)
    found = match_grams(one, other, identity=variant.identity, distance=variant.distance)
    name = _ORDERS[n - 1] if n <= len(_ORDERS) else f"{n}-grams"
    places = (tuple(tuple(range(start, start + n)) for start in range(len(side))) for side in (one, other))
    return _layer(variant, name, tuple(map(_written, one)), tuple(map(_written, other)), found, *places)


def _triple_layer(
    variant: Variant, kind: str, left: Sequence[Triple], right: Sequence[Triple], sizes: tuple[int, int]
) -> Layer:
    found = match_triples(left, right, identity=variant.identity, distance=variant.distance, sizes=sizes)
    places = (tuple(triple.places for triple in side) for side in (left, right))
    return _layer(variant, KINDS[kind], tuple(map(str, left)), tuple(map(str, right)), found, *places)


def _layer(
    variant: Variant,
    name: str,
    left: tuple[str, ...],
    right: tuple[str, ...],
    found: Matching,
    left_places: tuple[tuple[int, ...], ...],
    right_places: tuple[tuple[int, ...], ...],
) -> Layer:
    f = found.f(variant.alpha)
    return Layer(name, left, right, found, found.precision, found.recall, f, left_places, right_places)


def _written(gram: Gram) -> str:
    return " ".join(f"{lemma}/{tag}" for lemma, tag in zip(gram.lemmas, gram.tags, strict=True))


def _notes(variant: Variant, layers: Sequence[Layer]) -> tuple[str, ...]:
    """Return what the links alone do not say: which terms are averaged, and that other optima may exist."""
    empty = [layer.name for layer in layers[variant.order :] if not (layer.left or layer.right)]
    left_out = [f"no {name} on either side: the term is left out" for name in empty]
    return (_ONE_OPTIMUM, *left_out)
