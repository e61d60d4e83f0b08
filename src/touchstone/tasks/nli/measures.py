"""The measures of inference: accuracy, credit by readers' votes, macro-F1, and the recall of each label.

The prediction ``other`` is never right, and it counts in every denominator. Accuracy says little where one label is
common, so it is always scored together with macro-F1 and the recalls.
"""

from collections.abc import Callable
from functools import partial

import numpy as np

from touchstone.core.gold import Earned
from touchstone.core.measures import Measure, Measures, ratio
from touchstone.core.ragged import Bools, Floats
from touchstone.stats.records import Fold, mean, mean_records
from touchstone.tasks.nli.joining import Joined
from touchstone.tasks.nli.model import LABELS

MEASURES: Measures[Joined] = Measures("nli")

DEFAULT_MEASURES = ("accuracy", "macro_f1", *(f"recall.{label}" for label in LABELS))
"""The measures that are scored where none is asked for, and together with accuracy."""


def _share_record(earned: Earned, counted: Bools) -> Floats:
    """Return the records of credit / optimum(1) over the pairs that count."""
    return mean_records(np.where(counted, ratio(earned.credit(), earned.golds.optimum(1)), np.nan))


def _accuracy_record(joined: Joined) -> Floats:
    return _share_record(joined.earned, joined.counted)


def _votes_record(joined: Joined) -> Floats:
    return _share_record(joined.earned_votes, joined.counted)


def _macro_f1_record(joined: Joined) -> Floats:
    """Return for each pair and label: right, in the gold, predicted; then whether the pair counts."""
    labels, counted = np.arange(len(LABELS)), joined.counted[:, None]
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


def _recall_record(joined: Joined, label: int) -> Floats:
    right = joined.gold == joined.predicted
    return mean_records(np.where(joined.counted & (joined.gold == label), right, np.nan))


def _add(name: str, record: Callable[[Joined], Floats], summary: str, fold: Fold = mean) -> None:
    MEASURES.add(name, lambda: Measure(name, record, fold, summary))


_add("accuracy", _accuracy_record, "right / pairs with gold")
_add("votes", _votes_record, "readers who gave the system's label / readers who gave the commonest label; mean")
_add("macro_f1", _macro_f1_record, "mean over the labels in the gold of 2 right / (gold + predicted)", macro_f1)
for _place, _label in enumerate(LABELS):
    _add(f"recall.{_label}", partial(_recall_record, label=_place), f"right / pairs whose gold is {_label}")
