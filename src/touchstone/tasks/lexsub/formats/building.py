"""What all readers of lexical substitution share: checks of fields, and the gold set that they return."""

import math
import re
from collections.abc import Sequence

import numpy as np

from touchstone.base.errors import Fault, TouchstoneError
from touchstone.base.files import Source
from touchstone.base.ids import Ids
from touchstone.base.ragged import Ragged, StringLists
from touchstone.base.spelling import setting
from touchstone.tasks.lexsub.model import Context, GoldSet, Judgements

NO_CUT = -1
"""The cut of a list whose system gave no boundary."""

MAX_WEIGHT = 1e300
"""Sums of such weights stay finite."""

_NUMBER = re.compile(r"[0-9]{1,15}(\.[0-9]{0,40})?")


def parse_weight(text: str) -> float | None:
    """Return the weight that *text* writes, or None if it is no positive number.

    >>> parse_weight("3"), parse_weight("0.5"), parse_weight("0"), parse_weight("many")
    (3.0, 0.5, None, None)
    """
    return checked_weight(float(text)) if _NUMBER.fullmatch(text) else None


def checked_weight(value: object) -> float | None:
    """Return *value* as a weight, or None if it is no positive, finite number."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if 0 < value <= MAX_WEIGHT and math.isfinite(value) else None


def gold_set(
    source: Source,
    *,
    ids: Sequence[str],
    targets: Sequence[str],
    pos: Sequence[str | None],
    answers: StringLists,
    weights: Ragged[np.float64],
    lines: Sequence[int | str],
    form: str,
    min_responses: float | None,
    contexts: Sequence[Context | None] = (),
    faults: Sequence[Fault] = (),
    remarks: Sequence[str] = (),
    judgements: Judgements | None = None,
    complete: bool = True,
) -> GoldSet:
    """Return the gold set of a file's columns; raise all *faults*, and those of repeated ids.

    What could be read goes with the error, so that ``validate`` can check the ids of runs.

    Parameters
    ----------
    source
        The file.
    ids, targets, pos, answers, weights, lines, contexts
        The columns, with a row for each item; `GoldSet` explains them.
    form
        The name of the format.
    min_responses
        The least summed weight of an item that is kept; 1 by default.
    faults
        What could not be read.
    remarks
        How a table was read.
    judgements
        The labelled pool of each item.
    complete
        Whether every item of the file is in the columns: False where the id of one could not be read.
    """
    least = 1 if min_responses is None else min_responses
    kept = weights.sums() >= least
    gold = GoldSet(
        source,
        ids,
        targets,
        pos,
        answers,
        weights,
        kept,
        lines,
        contexts,
        form,
        remarks=remarks,
        judgements=judgements,
        complete=complete,
    )
    faults = [*faults, *Ids(source.name, ids, lines).repeated()]
    if not faults and kept.any():
        return gold
    if faults:
        error = TouchstoneError.of(faults)
    elif not ids:
        error = TouchstoneError("has no item", file=source.name, hint="give a file with at least one item")
    else:
        hint = f"an item is kept if its weights sum to at least {least:g}; lower it with {setting('min-responses')}"
        error = TouchstoneError("no item with enough human answers", file=source.name, hint=hint)
    error.readable = gold
    raise error
