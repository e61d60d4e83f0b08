"""The records of MAXSIM: for each segment its score and the counts behind it, as means over its references."""

from collections.abc import Mapping, Sequence

import numpy as np

from touchstone.core.ragged import Floats, Ints
from touchstone.tasks.mt.maxsim_core import count_ngrams, weigh_triples
from touchstone.tasks.mt.maxsim_matching import grams, match_grams, match_triples
from touchstone.tasks.mt.maxsim_triples import Triple, triples_of
from touchstone.tasks.mt.maxsim_variant import Variant
from touchstone.tasks.mt.maxsim_words import Words, words_of
from touchstone.tasks.mt.model import Compared, Texts

NGRAM_PARTS = ("exact", "lemma", "soft", "system", "reference", "P", "R", "F")
TRIPLE_PARTS = ("soft", "system", "reference", "P", "R", "F", "neither", "one_side")


Triples = Sequence[Sequence[Triple]]


def columns(variant: Variant) -> list[str]:
    """Return the names of the columns of a record between the score and the count.

    >>> columns(Variant("n+d", order=1))[6:10]
    ['1.R', '1.F', 'd.soft', 'd.system']
    """
    of_orders = [f"{n}.{part}" for n in range(1, variant.order + 1) for part in NGRAM_PARTS]
    return of_orders + [f"{kind}.{part}" for kind in variant.kinds for part in TRIPLE_PARTS]


def record(variant: Variant, compared: Compared) -> Floats:
    """Return score, `columns` and 1 for each segment that counts; each is the mean over the references present."""
    found = np.zeros((len(compared), len(columns(variant)) + 2))
    present = np.zeros(len(compared))
    for reference in compared.references:
        here = np.array([text is not None for text in reference.segments], np.bool_)
        found[:, :-1] += np.where(here[:, None], _against(variant, compared.hypotheses, reference), 0.0)
        present += here
    found /= np.maximum(present, 1)[:, None]
    found[:, -1] = 1
    found[~compared.counted] = 0
    return found


def parts(variant: Variant, records: Floats) -> Mapping[str, Floats]:
    """Return the `columns` of records by name."""
    return {name: records[:, place] for place, name in enumerate(columns(variant), 1)}


def _against(variant: Variant, hypotheses: Texts, reference: Texts) -> Floats:
    """Return the score and the columns of all segments against one reference."""
    ngrams = _of_ngrams(variant, words_of(hypotheses), words_of(reference))
    triples = [_of_triples(variant, kind, hypotheses, reference) for kind in variant.kinds]
    f, counts = ngrams[:, :, -1], ngrams[:, :, 3:5]
    terms = f.sum(axis=1)
    number = (counts > 0).any(axis=2).sum(axis=1) if variant.absent == "drop" else np.full(len(f), variant.order)
    for triple in triples:
        left_out = triple[:, -2] > 0 if variant.norel == "both" else triple[:, -2:].any(axis=1)
        terms += triple[:, 5]
        number = number + ~left_out
    score = terms / np.maximum(number, 1)
    return np.hstack([score[:, None], ngrams.reshape(len(f), -1), *triples])


def _of_ngrams(variant: Variant, left: Words, right: Words) -> Floats:
    """Return `NGRAM_PARTS` for each segment and order."""
    n = np.arange(1, variant.order + 1)
    if variant.distance:
        counts = np.array([_placed_ngrams(variant, left, right, row) for row in range(len(left))])
        counts = counts.reshape(len(left), variant.order, 3)
    else:
        counts = count_ngrams(left, right, variant.order, identity=variant.identity) / [1, 1, 2]
        counts[:, :, 2] /= n
    system, reference = (np.maximum(side.forms.codes.sizes[:, None] - n + 1, 0) for side in (left, right))
    shares = _precision_recall_f(counts.sum(axis=2), system, reference, variant.alpha)
    return np.dstack([counts, system, reference, *shares])


def _placed_ngrams(variant: Variant, left: Words, right: Words, row: int) -> list[list[float]]:
    """Return the weights of the three stages of one segment for each order, where positions weigh the links."""
    found = []
    for n in range(1, variant.order + 1):
        one, other = (grams(side.lemmas[row], side.tags[row], n) for side in (left, right))
        links = match_grams(one, other, identity=variant.identity, distance=variant.distance).links
        stages = ("exact", "lemma", "similar")
        found.append([sum(link.weight for link in links if link.stage == stage) for stage in stages])
    return found


def _of_triples(variant: Variant, kind: str, hypotheses: Texts, reference: Texts) -> Floats:
    """Return `TRIPLE_PARTS` for each segment."""
    left, right = triples_of(hypotheses, kind), triples_of(reference, kind)
    if variant.distance:
        weights = np.array(_placed_triples(variant, left, right, words_of(hypotheses), words_of(reference)))
    else:
        weights = weigh_triples(left, right, identity=variant.identity) / 3
    system, given = (np.array([len(row) for row in side], np.int64) for side in (left, right))
    shares = _precision_recall_f(weights, system, given, variant.alpha)
    neither, one_side = (system + given == 0), (system == 0) ^ (given == 0)
    return np.stack([weights, system, given, *shares, neither, one_side], axis=1)


def _placed_triples(variant: Variant, left: Triples, right: Triples, one: Words, other: Words) -> list[float]:
    """Return the weights of the matchings of all segments, where positions weigh the links."""
    sizes = zip(one.forms.codes.sizes.tolist(), other.forms.codes.sizes.tolist(), strict=True)
    return [
        match_triples(some, others, identity=variant.identity, distance=variant.distance, sizes=words).weight
        for some, others, words in zip(left, right, sizes, strict=True)
    ]


def _precision_recall_f(matched: Floats, system: Ints, reference: Ints, alpha: float) -> tuple[Floats, Floats, Floats]:
    """Return m/s, m/r and m / (alpha r + (1 - alpha) s), 0 where a side is empty."""
    both = (system > 0) & (reference > 0)
    precision, recall, f = (
        np.divide(matched, below, out=np.zeros(matched.shape), where=both)
        for below in (system, reference, alpha * reference + (1 - alpha) * system)
    )
    return precision, recall, f
