"""The measures of inference: accuracy, credit by annotators' votes, macro-F1, recall of each label, and calibration.

The prediction ``other`` is never right, and it counts in every denominator. Accuracy says little where one label is
common, so it is always scored together with macro-F1 and the recalls. Where systems give probabilities, calibration
says whether these can be believed.
"""

from collections.abc import Callable
from functools import partial

import numpy as np

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.base.ragged import Bools, Floats, Ints
from touchstone.base.ranges import SHARE, Range
from touchstone.core.formulas import Steps, added, quotient, written
from touchstone.core.gold import Earned
from touchstone.core.measures import Measure, Measures, ratio, whole_number
from touchstone.stats.records import Fold, mean, mean_records
from touchstone.tasks.nli.joining import Joined
from touchstone.tasks.nli.labels import LABELS, TWO_LABELS


def share_steps(joined: Joined, index: int, *, votes: bool) -> Steps:
    """Return credit / optimum(1) of one pair: by the gold label, or by the annotators of each label."""
    earned = joined.earned_votes if votes else joined.earned
    [credit], [most] = (part[index : index + 1].tolist() for part in (earned.credit(), earned.golds.optimum(1)))
    by = "annotators who gave this label / annotators who gave the most frequent one"
    words = by if votes else "credit / optimum(1), where only the gold label earns credit"
    return Steps(words, quotient(written(credit), written(most)))


def macro_f1_steps(sums: Floats) -> Steps:
    """Return the mean over the gold's labels of 2 right / (gold + predicted), from summed records."""
    right, gold, predicted = np.split(sums[:-1], 3)
    labels = [index for index, count in enumerate(gold.tolist()) if count]
    terms = [f"2 × {written(right[index])}/({written(gold[index])} + {written(predicted[index])})" for index in labels]
    words = "mean over the gold's labels of 2 right / (gold + predicted)"
    return Steps(words, quotient(f"({' + '.join(terms)})", str(len(labels))))


def recall_steps(sums: Floats) -> Steps:
    """Return right / pairs of a gold label, from summed records."""
    return Steps("right / pairs with this gold label", quotient(written(sums[0]), written(sums[-1])))


def brier_steps(joined: Joined, index: int) -> Steps:
    """Return the squared distance of the probabilities of one pair from its gold label."""
    shares = [] if joined.shares is None else joined.shares[index].tolist()
    gold = joined.gold[index]
    terms = [f"({written(share)} − 1)^2" if n == gold else f"{written(share)}^2" for n, share in enumerate(shares)]
    return Steps("squared distance of the probabilities from the gold label", added(terms))


def ece_steps(sums: Floats) -> Steps:
    """Return the expected calibration error from summed records: bins with a pair in them."""
    confidence, right = np.split(sums[:-1], 2)
    terms = [
        f"|{written(hits)} − {written(total)}|"
        for hits, total in zip(right.tolist(), confidence.tolist(), strict=True)
        if total
    ]
    words = "sum over bins of |right − summed confidence| / pairs"
    return Steps(words, quotient(added(terms), written(sums[-1])))


def covered_steps(value: float) -> Steps:
    """Return whether one of the most confident pairs is right."""
    return Steps("right (1) or wrong (0), among the most confident pairs", written(value))


MEASURES: Measures[Joined] = Measures("nli", sources={"ece": "guo-2017", "brier": "brier-1950"})

DEFAULT_MEASURES = ("accuracy", "macro_f1", *(f"recall.{label}" for label in LABELS))
"""The measures that are scored where none is asked for, and together with accuracy."""

CALIBRATION = ("ece", "brier")
"""The measures that are scored beside the usual ones where every system gives probabilities."""


def measures_for(labels: tuple[str, ...]) -> list[str]:
    """Return the measures that are scored where none is asked for: with the recall of each of *labels*."""
    return ["accuracy", "macro_f1", *(f"recall.{label}" for label in labels)]


def _share_record(earned: Earned, counted: Bools) -> Floats:
    """Return the records of credit / optimum(1) over the pairs that count."""
    return mean_records(np.where(counted, ratio(earned.credit(), earned.golds.optimum(1)), np.nan))


def _accuracy_record(joined: Joined) -> Floats:
    return _share_record(joined.earned, joined.counted)


def _votes_record(joined: Joined) -> Floats:
    return _share_record(joined.earned_votes, joined.counted)


def _macro_f1_record(joined: Joined) -> Floats:
    """Return for each pair and label: right, in the gold, predicted; then whether the pair counts."""
    labels, counted = np.arange(len(joined.labels)), joined.counted[:, None]
    gold, predicted = joined.gold[:, None] == labels, joined.predicted[:, None] == labels
    return np.hstack([gold & predicted & counted, gold & counted, predicted & counted, counted]).astype(np.float64)


def macro_f1(sums: Floats) -> Floats:
    """Fold (right, gold, predicted for each label, counted) into the mean F1 of the labels that the gold has.

    >>> macro_f1(np.array([7164.0, 0, 0, 7164, 982, 47, 8193, 0, 0, 8193])).round(3).item()  # always contradiction
    0.311
    """
    right, gold, predicted = np.split(sums[..., :-1], 3, axis=-1)
    each = np.where(gold > 0, ratio(2 * right, gold + predicted), 0.0)
    return ratio(each.sum(axis=-1), (gold > 0).sum(axis=-1).astype(np.float64))


def _recall_record(joined: Joined, label: str) -> Floats:
    right = joined.gold == joined.predicted
    # -1 codes a missing label; -2, which nothing has, makes the recall of a label that the gold cannot have undefined.
    has_label = joined.gold == (joined.labels.index(label) if label in joined.labels else -2)
    return mean_records(np.where(joined.counted & has_label, right, np.nan))


def _shares(joined: Joined) -> tuple[Floats, Bools]:
    """Return the probabilities, and which pairs count and have them; refuse a system that gives none."""
    if joined.shares is None:
        hint = "give a column of probabilities, or leave out the measures of calibration (ece, brier, accuracy@)"
        raise TouchstoneError("a system without probabilities", value=joined.system, code=Code.UNSUPPORTED, hint=hint)
    return joined.shares, joined.counted & ~np.isnan(joined.shares[:, 0])


def _brier_record(joined: Joined) -> Floats:
    """Return the squared distance of the probabilities from the gold label, summed over labels (Brier 1950)."""
    shares, counted = _shares(joined)
    truth = joined.gold[:, None] == np.arange(len(joined.labels))
    return mean_records(np.where(counted, ((shares - truth) ** 2).sum(axis=1), np.nan))


def confidence_bins(confidence: Floats, bins: int) -> Ints:
    """Return the bin of each confidence, -1 for nan: bin b has those in (b / bins, (b + 1) / bins].

    >>> confidence_bins(np.array([0.5, 0.51, 1.0, np.nan]), 10).tolist()
    [4, 5, 9, -1]
    """
    edges = np.arange(1, bins) / bins
    # Bins are open on the left and closed on the right, as in Guo et al. (2017).
    return np.where(np.isnan(confidence), -1, np.searchsorted(edges, np.nan_to_num(confidence), "left"))


def _ece_record(joined: Joined, bins: int) -> Floats:
    """Return for each pair and bin: confidence and rightness if the pair is in the bin; then whether it counts."""
    shares, counted = _shares(joined)
    confidence = np.where(counted, shares.max(axis=1), np.nan)
    inside = confidence_bins(confidence, bins)[:, None] == np.arange(bins)
    right = (joined.gold == joined.predicted)[:, None]
    return np.hstack([inside * np.nan_to_num(confidence)[:, None], inside & right, counted[:, None]]).astype(np.float64)


def ece(sums: Floats) -> Floats:
    """Fold (confidence and rightness of each bin, counted) into the expected calibration error (Naeini et al. 2015).

    The sum over bins of n_b / n · |accuracy_b - confidence_b|, which is Σ_b |right_b - confidence_b| / n.

    >>> round(float(ece(np.array([0.6, 0.9 + 0.8, 1.0, 1.0, 3.0]))), 6)  # |1 - .6| + |1 - 1.7|, over 3 pairs
    0.366667
    """
    confidence, right = np.split(sums[..., :-1], 2, axis=-1)
    return ratio(np.abs(right - confidence).sum(axis=-1), sums[..., -1])


def _coverage_record(joined: Joined, percent: int) -> Floats:
    """Return whether each of the most confident pairs is right; pairs as confident as the last one are all taken."""
    shares, counted = _shares(joined)
    confidence = np.where(counted, shares.max(axis=1), -1.0)
    taken = int(np.ceil(counted.sum() * percent / 100))
    # Pairs that are as confident as the last one are taken too: no order among them would be fair.
    least = np.sort(confidence)[::-1][taken - 1] if taken else np.inf
    return mean_records(np.where(counted & (confidence >= least), joined.gold == joined.predicted, np.nan))


def _calibrated(bins: str = "10") -> Measure[Joined]:
    n = whole_number(bins, "the number of bins")
    about = f"mean over pairs of |accuracy - confidence| of their bin, of {n} equal bins of confidence"
    record = partial(_ece_record, bins=n)
    return Measure(f"ece(bins={n})", record, ece, about, range=SHARE, lower_is_better=True, formula=ece_steps)


def _covered(percent: str) -> Measure[Joined]:
    n = whole_number(percent, "a coverage in percent", 100)
    about = f"accuracy on the {n} % of the pairs that the system is most confident about"
    return Measure(f"accuracy@{n}", partial(_coverage_record, percent=n), mean, about, range=SHARE, own_items=True)


def _brier() -> Measure[Joined]:
    about = "squared distance of the probabilities from the gold label, summed over labels; mean"
    return Measure("brier", _brier_record, mean, about, range=Range(0, 2), lower_is_better=True)


def _add(
    name: str,
    record: Callable[[Joined], Floats],
    summary: str,
    fold: Fold = mean,
    formula: Callable[[Floats], Steps] | None = None,
) -> None:
    MEASURES.add(name, lambda: Measure(name, record, fold, summary, range=SHARE, formula=formula))


_add("accuracy", _accuracy_record, "right / pairs with gold")
_add(
    "votes", _votes_record, "annotators who gave the system's label / annotators who gave the most frequent label; mean"
)
_add(
    "macro_f1",
    _macro_f1_record,
    "mean over the labels in the gold of 2 right / (gold + predicted)",
    macro_f1,
    macro_f1_steps,
)
for _label in (*LABELS, TWO_LABELS[1]):
    _add(f"recall.{_label}", partial(_recall_record, label=_label), f"right / pairs whose gold is {_label}")
MEASURES.add("ece", _calibrated, "ece(bins=10)")
MEASURES.add("brier", _brier)
MEASURES.add("accuracy@", _covered, "accuracy@80")
