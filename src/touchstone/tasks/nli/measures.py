"""The measures of inference: accuracy, the F1 of every label, and how much of each label is found.

``other`` is a prediction like any: never right, always in the denominator. Accuracy alone says little where one label
rules, so it is never scored without the rest.
"""

from dataclasses import dataclass

import numpy as np

from touchstone.core.measures import Measure, Measures, ratio
from touchstone.core.ragged import Bools, Floats, Ints
from touchstone.stats.records import mean, mean_records
from touchstone.tasks.nli.model import LABELS


@dataclass(frozen=True)
class Judged:
    """Gold labels and predictions as places in `LABELS`; a prediction that is none of them is -1.

    *counted* says which pairs count: an unanswered one may be left out.
    """

    gold: Ints
    predicted: Ints
    counted: Bools

    @property
    def right(self) -> Bools:
        """Whether each prediction is the gold label."""
        return np.asarray(self.gold == self.predicted)


MEASURES: Measures[Judged] = Measures("nli")

ALL = ("accuracy", "macro_f1", *(f"recall.{label}" for label in LABELS))
"""What is scored where nothing else is asked for; whoever asks for accuracy gets all of it."""


def _accuracy() -> Measure[Judged]:
    def record(judged: Judged) -> Floats:
        return mean_records(np.where(judged.counted, judged.right, np.nan))

    return Measure("accuracy", record, mean, "right / pairs with gold")


def _macro_f1() -> Measure[Judged]:
    def record(judged: Judged) -> Floats:
        labels = np.arange(len(LABELS))
        gold, predicted = judged.gold[:, None] == labels, judged.predicted[:, None] == labels
        counted = judged.counted[:, None]
        return np.hstack([gold & predicted & counted, gold & counted, predicted & counted, counted]).astype(np.float64)

    return Measure("macro_f1", record, macro_f1, "mean over the labels in the gold of 2 right / (gold + predicted)")


def macro_f1(sums: Floats) -> Floats:
    """Fold (right, gold, predicted for each label, counted) into the mean F1 of the labels that the gold has.

    >>> macro_f1(np.array([7164.0, 0, 0, 7164, 982, 47, 8193, 0, 0, 8193])).round(3).item()  # always contradiction
    0.311
    """
    right, gold, predicted = np.split(sums[..., :-1], 3, axis=-1)
    each = np.where(gold > 0, ratio(2 * right, gold + predicted), 0.0)
    return ratio(each.sum(axis=-1), (gold > 0).sum(axis=-1).astype(np.float64))


def _recall(place: int) -> Measure[Judged]:
    def record(judged: Judged) -> Floats:
        return mean_records(np.where(judged.counted & (judged.gold == place), judged.right, np.nan))

    label = LABELS[place]
    return Measure(f"recall.{label}", record, mean, f"right / pairs whose gold is {label}")


MEASURES.add("accuracy", _accuracy)
MEASURES.add("macro_f1", _macro_f1)
for _place, _label in enumerate(LABELS):
    MEASURES.add(f"recall.{_label}", lambda place=_place: _recall(place))
