"""What makes a run of inference look like a mistake: exchanged labels, rows in another order, a copy of the gold."""

from collections.abc import Sequence

import numpy as np
from scipy.special import bdtrc

from touchstone.base.ragged import Floats, Ints
from touchstone.core.doubts import Doubt, doubt_copy, doubt_labels, doubt_order
from touchstone.core.inputs import Inputs
from touchstone.tasks.nli.formats.pairs import GOLD, SENTENCES
from touchstone.tasks.nli.joining import Joined
from touchstone.tasks.nli.model import GoldSet, Run

FEWEST = 20
"""Pairs from which only right labels are no chance; a perfect system of few pairs is possible."""

OTHER_SET = 50
"""Pairs from which a run that agrees only by chance may belong to another set; of fewer, weak systems often do."""

GOLD_LABELS = {"label", "gold", "gold_label"}
"""What columns of gold labels are called, and seldom those of predictions."""

CHANCE = 0.05
"""The level of the one-sided test that labels agree with the gold more often than by chance."""


def doubts(inputs: Inputs[GoldSet, Run], joined: Sequence[tuple[Run, Joined]]) -> list[Doubt]:
    """Return what is unlikely about each run."""
    exchanged = [doubt for run, _ in joined for doubt in _exchanged(inputs.gold, run)]
    return exchanged + [doubt for run, one in joined for doubt in _doubts(run.name, one) or _by_chance(run, one)]


def _exchanged(gold: GoldSet, run: Run) -> list[Doubt]:
    """Return a doubt where a run has the sentences and a column that is named like gold, and the gold has neither."""
    columns = {name.lower() for name in run.source.columns}
    sentences = all(columns.intersection(map(str.lower, field.names)) for field in GOLD.only(*SENTENCES).fields)
    if any(pair.premise for pair in gold.pairs) or not sentences or not columns & GOLD_LABELS:
        return []
    what = "has the sentences, which the gold lacks"
    return [Doubt(run.name, what, "give the gold first and the runs after it", stops=False)]


def _answered(joined: Joined) -> tuple[Ints, Ints]:
    """Return the gold and the given label of each pair that has an answer."""
    answered = np.fromiter((label is not None for label in joined.given), np.bool_, len(joined.given))
    return joined.gold[answered], joined.predicted[answered]


def is_chance(joined: Joined) -> bool:
    """Return whether the labels of a run agree with the gold no more often than labels in a random order would."""
    gold, given = _answered(joined)
    if len(gold) < FEWEST or len(np.unique(given)) < 2 or len(np.unique(gold)) < 2:
        return False
    expected = sum(float((gold == place).mean() * (given == place).mean()) for place in range(len(joined.labels)))
    right = int((gold == given).sum())
    return not right or bool(bdtrc(right - 1, len(gold), expected) > CHANCE)


def _by_chance(run: Run, joined: Joined) -> list[Doubt]:
    """Return a doubt where the labels fit the gold no better than in a random order."""
    if len(joined.gold) < (0 if run.in_gold_order else OTHER_SET) or not is_chance(joined):
        return []
    if run.in_gold_order:
        what = "its labels, which have no ids, agree with the gold no more than by chance"
        return [Doubt(run.name, what, "its rows may be in another order, or of another test set", stops=False)]
    if not all(item.isdigit() for item in run.ids):
        return []  # another test set has other ids unless they are plain numbers
    what = "its labels agree with the gold no more than by chance"
    return [Doubt(run.name, what, "it may belong to another test set with the same ids", stops=False)]


def _doubts(system: str, joined: Joined) -> list[Doubt]:
    gold, given = _answered(joined)
    unlikely = doubt_labels(system, gold, given, joined.labels, flag="label")
    if unlikely or not len(gold):
        return unlikely

    def right(moved: int) -> Floats:
        return np.asarray(np.roll(gold, -moved) == given, np.float64)

    copied = "the run may be a copy of the gold"
    return [
        *(doubt_order(system, right, item="pair", what="labels") if len(np.unique(given)) > 1 else []),
        *doubt_copy(system, int(right(0).sum()), len(gold), "the gold", copied, fewest=FEWEST, share=1.0),
    ]
