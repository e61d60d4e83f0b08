"""The value of one pair, or of all pairs, under each measure of inference, as arithmetic with its numbers."""

import numpy as np

from touchstone.base.ragged import Floats
from touchstone.core.formulas import Steps, added, quotient, written
from touchstone.tasks.nli.joining import Joined


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
