"""BLEU, chrF and TER through sacrebleu, and BLEU as mteval-v11b gives it.

The statistics of each segment are sacrebleu's (the edits of TER are counted by our own loops, where numba is installed,
with the same result); a value comes from their sum by its formula, written for arrays, so that
a thousand resamples cost one call. Values equal sacrebleu's to the last digit, on its scale of 0 to 100; only
``bleu(v11b)`` has the scale of mteval, 0 to 1. References are pooled; where one is absent, the others are used.
"""

from collections.abc import Mapping, Sequence
from functools import cache, partial
from math import exp, log
from string import ascii_lowercase, ascii_uppercase
from typing import TYPE_CHECKING, Any

import numpy as np

from touchstone.core.compiling import is_compiled
from touchstone.core.errors import TouchstoneError
from touchstone.core.ragged import Bools, Floats, Interner, Ints, StringLists
from touchstone.stats.records import Fold
from touchstone.tasks.mt import ter
from touchstone.tasks.mt.model import MEASURES, Joined, MtMeasure, Texts

if TYPE_CHECKING:
    from sacrebleu.metrics.base import Metric

ORDERS = 4
"""BLEU's n-grams: one to four words."""

CHARACTERS = 6
"""chrF's n-grams: one to six characters."""

MOST_WORDS = 100_000
"""Words of a translation and its reference up to which TER is computed: they take up to six seconds."""

MOST_CELLS = 1_000_000
"""Words of a translation times words of a reference up to which sacrebleu's own TER is called, where numba is not
installed. With a thousand words on each side it takes half a minute; with ten thousand it had not ended after 200 s."""

_LOG_OF_ZERO = -9999999999
"""What sacrebleu uses as the logarithm of a precision of 0."""

_ASCII_LOWER = str.maketrans(ascii_uppercase, ascii_lowercase)


def bleu_score(sums: Floats, *, smooth: bool = True, effective: bool = False, scale: float = 1.0) -> Floats:
    """Fold (system length, reference length, matches and n-grams of each order, counted) into BLEU.

    With *smooth* and *effective* it is sentence BLEU.

    Parameters
    ----------
    sums
        Summed records.
    smooth
        Whether the k-th order without a match counts as 1 / 2^k matches, as NIST does.
    effective
        Whether to leave out the orders for which a segment is too short.
    scale
        What to divide the value by.

    >>> value = bleu_score(np.array([7, 7, 6, 4, 2, 1, 7, 6, 5, 4, 1.0])).item()
    >>> round(value, 9) == round(100 * (6 / 7 * 4 / 6 * 2 / 5 * 1 / 4) ** (1 / 4), 9)
    True
    """
    rows = sums.reshape(-1, sums.shape[-1])
    precisions, present = _precisions(rows[:, 2 : 2 + ORDERS], rows[:, 2 + ORDERS : -1], smooth)
    orders = np.maximum(present.sum(axis=1), 1) if effective else np.full(len(rows), ORDERS)
    lengths = rows[:, :2].tolist()
    values = [
        _brevity(system, reference) * exp(sum(map(_log, own[:order])) / order) / scale
        for (system, reference), own, order in zip(lengths, precisions.tolist(), orders.tolist(), strict=True)
    ]
    matched = rows[:, 2 : 2 + ORDERS].any(axis=1)
    return np.where(rows[:, -1] > 0, np.where(matched, values, 0.0), np.nan).reshape(sums.shape[:-1])


def _precisions(matches: Floats, totals: Floats, smooth: bool) -> tuple[Floats, Bools]:
    """Return the precision of each order in percent, and whether there are n-grams of that order."""
    present = totals > 0
    missed = present & (matches == 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        precisions = np.where(present, 100 * matches / totals, 0.0)
        if smooth:
            precisions = np.where(missed, 100 / (2.0 ** np.cumsum(missed, axis=1) * totals), precisions)
    return precisions, present


def _brevity(system: float, reference: float) -> float:
    if system >= reference:
        return 1.0
    return exp(1 - reference / system) if system > 0 else 0.0


def _log(precision: float) -> float:
    # Not the logarithm of numpy: on some machines its last digit differs from the one that sacrebleu calls.
    return log(precision) if precision else _LOG_OF_ZERO


def chrf_score(sums: Floats) -> Floats:
    """Fold (system n-grams, reference n-grams, matches of each order, counted) into chrF2.

    Precision and recall are averaged over the orders that both sides have; F weighs recall four times.
    """
    statistics = sums[..., :-1].reshape(*sums.shape[:-1], CHARACTERS, 3)
    system, reference, matches = np.moveaxis(statistics, -1, 0)
    present = (system > 0) & (reference > 0)
    orders = present.sum(axis=-1)
    with np.errstate(divide="ignore", invalid="ignore"):
        precision = _added(np.where(present, matches / system, 0.0)) / orders
        recall = _added(np.where(present, matches / reference, 0.0)) / orders
        value = 100 * (5 * precision * recall / (4 * precision + recall))
    return np.where(sums[..., -1] > 0, np.where(precision + recall > 0, value, 0.0), np.nan)


def _added(values: Floats) -> Floats:
    """Return the sums along the last axis, added from first to last as sacrebleu adds."""
    return np.asarray(np.add.accumulate(values, axis=-1)[..., -1])


def ter_score(sums: Floats) -> Floats:
    """Fold (edits, mean length of the references, counted) into TER: 100 edits / length.

    Without any reference word it is 100 where something was translated, else 0.
    """
    edits, length = sums[..., 0], sums[..., 1]
    with np.errstate(divide="ignore", invalid="ignore"):
        value = 100 * np.where(length > 0, edits / length, edits > 0)
    return np.where(sums[..., -1] > 0, value, np.nan)


def _metric(name: str) -> "Metric":
    """Return the metric of sacrebleu."""
    from sacrebleu.metrics.bleu import BLEU
    from sacrebleu.metrics.chrf import CHRF
    from sacrebleu.metrics.ter import TER

    class V11b(BLEU):
        """BLEU of mteval-v11b: A to Z in lower case, the length of the shortest reference."""

        def _preprocess_segment(self, sent: str) -> str:
            return super()._preprocess_segment(sent.translate(_ASCII_LOWER))

        def _get_closest_ref_len(self, hyp_len: int, ref_lens: list[int]) -> int:  # noqa: ARG002
            return min(ref_lens)

    if name == "bleu(v11b)":
        return V11b(force=True, smooth_method="none")
    return BLEU(force=True) if name == "bleu" else CHRF() if name == "chrf" else TER()


_FOLDS: Mapping[str, tuple[Fold, str]] = {
    "bleu": (
        bleu_score,
        "n-gram precision with a brevity penalty; of a segment: sentence BLEU with effective order",
    ),
    "bleu(v11b)": (
        partial(bleu_score, smooth=False, scale=100.0),
        "BLEU of mteval-v11b: lower-cased, unsmoothed, shortest reference, from 0 to 1",
    ),
    "chrf": (chrf_score, "F of character n-grams, recall weighed twice"),
    "ter": (ter_score, "edits to reach a reference / its length"),
}
"""The fold of the statistics of each metric, and what it measures."""


@cache
def _signature(name: str) -> str:
    """Return sacrebleu's own signature of a metric, without the number of references, which ours has."""
    metric: Any = _metric(name)
    metric.num_refs = 1
    signature = metric.get_signature()
    signature.update("nrefs", None)
    if name != "bleu(v11b)":
        return f"sacrebleu {signature}"
    signature.update("case", "ascii-lc")
    return f"sacrebleu reflen:shortest|{signature}"


def _record(joined: Joined, name: str) -> Floats:
    """Return the statistics of each segment, as sacrebleu collects them, and whether it counts."""
    others = joined.references[1:]
    metric = joined.references[0].once(("sacrebleu", name, others), partial(_prepared, others=others, name=name))
    if name == "ter":
        statistics = _ter_statistics(joined, metric)
    else:
        statistics = np.array(metric._extract_corpus_statistics(joined.hypotheses.present, None), np.float64)
    records = np.column_stack([statistics, np.ones(len(statistics))])
    return np.where(joined.counted[:, None], records, 0.0)


def _ter_statistics(joined: Joined, metric: "Metric") -> Floats:
    """Return the fewest edits to a reference of each segment, and the mean length of its references."""

    def references_of(_: Texts) -> tuple[StringLists, Ints]:
        rows = [info["ref_words"] for info in metric._ref_cache or ()]
        segment = np.repeat(np.arange(len(rows)), [len(row) for row in rows])
        return StringLists.of(words for row in rows for words in row), segment

    def words_of(texts: Texts) -> StringLists:
        return StringLists.of(metric._preprocess_segment(text).split() for text in texts.present)

    # A row for each reference of each segment, and the number of the segment.
    references, segment = joined.references[0].once(("ter", joined.references[1:]), references_of)
    numbers = Interner()
    right = references.numbered(numbers)
    left = joined.hypotheses.once("ter", words_of).numbered(numbers).take(segment)
    cells = left.sizes * right.sizes
    crowded = left.sizes + right.sizes > MOST_WORDS if is_compiled(ter.edits) else cells > MOST_CELLS
    if crowded.any():
        _refuse(joined.hypotheses.first + segment, left.sizes, right.sizes, int(crowded.argmax()))
    if not is_compiled(ter.edits) or not len(segment):
        return np.array(metric._extract_corpus_statistics(joined.hypotheses.present, None), np.float64)
    edits = ter.edits(left.values, left.offsets, right.values, right.offsets)
    starts = np.flatnonzero(np.diff(segment, prepend=-1))
    fewest, length = np.minimum.reduceat(edits, starts), np.add.reduceat(right.sizes, starts)
    return np.column_stack([fewest, length / np.bincount(segment)])


def _refuse(segment: Ints, left: Ints, right: Ints, pair: int) -> None:
    """Refuse a segment on which the search for shifts would take minutes or more."""
    raise TouchstoneError(
        "a segment is too long for ter and its search for shifts",
        value=f"segment {segment[pair]:,}: {left[pair]:,} words beside {right[pair]:,}",
        hint="split it into sentences, or score without ter",
    )


def _prepared(first: Texts, others: Sequence[Texts], name: str) -> "Metric":
    """Return the metric with the references analysed; a segment without any has an empty one."""
    metric = _metric(name)
    bare = [all(text is None for text in row) for row in zip(first, *others, strict=True)]
    filled = ["" if empty else text for text, empty in zip(first, bare, strict=True)]
    references: Any = [filled, *others]
    metric._ref_cache = metric._cache_references(references)
    return metric


def _measure(name: str) -> MtMeasure:
    fold, summary = _FOLDS[name]
    return MtMeasure(
        name=name,
        record=partial(_record, name=name),
        fold=fold,
        summary=summary,
        item_values=partial(bleu_score, effective=True) if name == "bleu" else None,
        lower_is_better=name == "ter",
        signature=_signature(name),
    )


def _bleu_measure(variant: str = "") -> MtMeasure:
    if variant not in ("", "v11b"):
        raise TouchstoneError("unknown variant of bleu", value=variant, hint="write bleu or bleu(v11b)")
    return _measure(f"bleu({variant})" if variant else "bleu")


MEASURES.add("bleu", _bleu_measure)
MEASURES.add("chrf", partial(_measure, "chrf"))
MEASURES.add("ter", partial(_measure, "ter"))
