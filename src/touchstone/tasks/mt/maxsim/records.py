"""The records of MAXSIM: the score of each segment and the counts behind it, as means over its references."""

from collections.abc import Mapping
from functools import partial

import numpy as np

from touchstone.base.ragged import Floats, Ints
from touchstone.core.formulas import Steps
from touchstone.tasks.mt.formulas import maxsim_steps
from touchstone.tasks.mt.maxsim.matching import match_ngrams, match_triples
from touchstone.tasks.mt.maxsim.triples import triples_of
from touchstone.tasks.mt.maxsim.variant import Variant
from touchstone.tasks.mt.model import Joined, MtMeasure
from touchstone.tasks.mt.synonyms import Thesaurus
from touchstone.tasks.mt.texts import Texts
from touchstone.tasks.mt.words import Words, words_of

NGRAM_PARTS = ("exact", "lemma", "soft", "system", "reference", "P", "R", "F")
TRIPLE_PARTS = ("soft", "system", "reference", "P", "R", "F", "neither", "one_side")


def columns(variant: Variant) -> list[str]:
    """Return the names of the columns of a record between the score and the count.

    >>> columns(Variant("n+d", order=1))[6:10]
    ['1.R', '1.F', 'd.soft', 'd.system']
    """
    of_orders = [f"{n}.{part}" for n in range(1, variant.order + 1) for part in NGRAM_PARTS]
    return of_orders + [f"{kind}.{part}" for kind in variant.kinds for part in TRIPLE_PARTS]


def record(variant: Variant, compared: Joined) -> Floats:
    """Return the score, the `columns` and 1 for each segment that counts: means over the references present."""
    width = len(columns(variant)) + 2
    return compared.mean_records(width, partial(_against, variant, compared.hypotheses, compared.thesaurus))


def parts(variant: Variant, records: Floats) -> Mapping[str, Floats]:
    """Return the `columns` of records by name."""
    return MtMeasure.columns(records, columns(variant), first=1)


def steps(variant: Variant, record: Floats) -> Steps:
    """Return how the score of a segment comes about, from its record with one reference."""
    column = {name: float(values[0]) for name, values in parts(variant, record[None, :]).items()}
    terms = []
    for n in range(1, variant.order + 1):
        sides = column[f"{n}.system"], column[f"{n}.reference"]
        if variant.absent != "drop" or any(sides):
            terms.append((sum(column[f"{n}.{stage}"] for stage in NGRAM_PARTS[:3]), *sides))
    for kind in variant.kinds:
        left_out = column[f"{kind}.neither"] + (column[f"{kind}.one_side"] if variant.norel == "any" else 0)
        if not left_out:
            terms.append((column[f"{kind}.soft"], column[f"{kind}.system"], column[f"{kind}.reference"]))
    return maxsim_steps(terms, alpha=variant.alpha, count=max(len(terms), 1))


def _against(variant: Variant, hypotheses: Texts, thesaurus: Thesaurus | None, reference: Texts) -> Floats:
    """Return the score and the columns of all segments against one reference."""
    left, right = (words_of(side, parsed=variant.parsed) for side in (hypotheses, reference))
    ngrams = _ngram_columns(variant, left, right, thesaurus)
    triples = [_triple_columns(variant, kind, hypotheses, reference, thesaurus) for kind in variant.kinds]
    f, counts = ngrams[:, :, -1], ngrams[:, :, 3:5]
    # The mean over terms; which terms count depends on how the paper is read (see `Variant`).
    total = f.sum(axis=1)
    terms = (counts > 0).any(axis=2).sum(axis=1) if variant.absent == "drop" else np.full(len(f), variant.order)
    for triple in triples:
        left_out = triple[:, -2] > 0 if variant.norel == "both" else triple[:, -2:].any(axis=1)
        total += triple[:, 5]
        terms = terms + ~left_out
    score = total / np.maximum(terms, 1)
    return np.hstack([score[:, None], ngrams.reshape(len(f), -1), *triples])


def _ngram_columns(variant: Variant, left: Words, right: Words, thesaurus: Thesaurus | None) -> Floats:
    """Return `NGRAM_PARTS` for each segment and order."""
    n = np.arange(1, variant.order + 1)
    matchings = match_ngrams(left, right, variant.order, **variant.soft, thesaurus=thesaurus)
    weights = np.stack([matching.totals for matching in matchings], axis=1)
    system, reference = (np.maximum(side.forms.codes.sizes[:, None] - n + 1, 0) for side in (left, right))
    shares = _precision_recall_f(weights.sum(axis=2), system, reference, variant.alpha)
    return np.dstack([weights, system, reference, *shares])


def _triple_columns(
    variant: Variant, kind: str, hypotheses: Texts, reference: Texts, thesaurus: Thesaurus | None
) -> Floats:
    """Return `TRIPLE_PARTS` for each segment."""
    left, right = (words_of(side, parsed=variant.parsed) for side in (hypotheses, reference))
    sizes = left.forms.codes.sizes, right.forms.codes.sizes
    sides = triples_of(hypotheses, kind), triples_of(reference, kind)
    matchings = match_triples(*sides, **variant.soft, sizes=sizes, thesaurus=thesaurus)
    weights, system_sizes, reference_sizes = matchings.totals[:, -1], matchings.left.sizes, matchings.right.sizes
    shares = _precision_recall_f(weights, system_sizes, reference_sizes, variant.alpha)
    neither, unpaired = (system_sizes + reference_sizes == 0), (system_sizes == 0) ^ (reference_sizes == 0)
    return np.stack([weights, system_sizes, reference_sizes, *shares, neither, unpaired], axis=1)


def _precision_recall_f(matched: Floats, system: Ints, reference: Ints, alpha: float) -> tuple[Floats, Floats, Floats]:
    """Return m/s, m/r and m / (alpha r + (1 - alpha) s), 0 where a side is empty."""
    both = (system > 0) & (reference > 0)
    precision, recall, f = (
        np.divide(matched, below, out=np.zeros(matched.shape), where=both)
        for below in (system, reference, alpha * reference + (1 - alpha) * system)
    )
    return precision, recall, f
