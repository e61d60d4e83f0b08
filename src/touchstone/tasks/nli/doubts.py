"""What makes a run of inference look like a mistake: exchanged labels, a shift by a row, a copy of the gold."""

from collections.abc import Sequence

import numpy as np

from touchstone.base.ragged import Floats
from touchstone.core.doubts import Doubt, doubt_copy, doubt_labels, doubt_order
from touchstone.core.task import Inputs
from touchstone.tasks.nli.joining import Joined
from touchstone.tasks.nli.model import GoldSet, Run

FEWEST = 20
"""Pairs from which only right labels are no chance; a perfect system of few pairs is possible."""

REMEDY = "say what each label of the run means with --label VALUE=LABEL"


def doubts(inputs: Inputs[GoldSet, Run], joined: Sequence[tuple[Run, Joined]]) -> list[Doubt]:  # noqa: ARG001 (as in all tasks)
    """Return what is unlikely about each run."""
    return [doubt for run, one in joined for doubt in _doubts(run.name, one)]


def _doubts(system: str, joined: Joined) -> list[Doubt]:
    answered = np.array([label is not None for label in joined.given], np.bool_)
    gold, given = joined.gold[answered], joined.predicted[answered]
    unlikely = doubt_labels(system, gold, given, joined.labels, remedy=REMEDY)
    if unlikely or not len(gold):
        return unlikely

    def right(moved: int) -> Floats:
        return np.asarray(np.roll(gold, -moved) == given, np.float64)

    neighbours = {"previous pair": right(-1), "next pair": right(1)}
    copied = "the run may be a copy of the gold"
    return [
        *(doubt_order(system, right(0), neighbours, what="labels") if len(np.unique(given)) > 1 else []),
        *doubt_copy(system, int(right(0).sum()), len(gold), "the gold", copied, fewest=FEWEST, share=1.0),
    ]
