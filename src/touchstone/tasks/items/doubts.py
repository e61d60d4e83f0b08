"""What looks wrong in a table of scores although it can be read: each doubt is a warning that names the cause."""

import re
from collections.abc import Sequence

import numpy as np

from touchstone.base.errors import visible
from touchstone.base.notes import warning
from touchstone.base.ragged import Floats

SUMMARIES = {
    "all",
    "average",
    "avg",
    "macro",
    "mean",
    "median",
    "micro",
    "overall",
    "sd",
    "std",
    "stdev",
    "sum",
    "total",
}
"""Ids of rows below a table that summarise it, and are no items."""

SENTINELS = (-1.0, -9.0, -99.0, -999.0, -9999.0)
"""Numbers that stand for a missing value in many data sets."""

LOWER = {
    *("cer", "cost", "distance", "duration", "error", "errors", "err", "latency", "loss", "mae", "mistakes", "mse"),
    *("perplexity", "ppl", "rmse", "runtime", "seconds", "ter", "violations", "wer"),
}
"""Words in the name of a measure that say that lower is better, as it is with errors and times."""


FEWEST = 10
"""Values from which a repeated negative number among them tells anything."""


def summary_rows(items: Sequence[str]) -> list[str]:
    """Return a warning where ids of items are names of summaries, such as ``mean``.

    >>> summary_rows(["q1", "q2", "Mean"])
    ["warning: 'Mean' is counted as an item, but looks like a summary of the others: remove the row"]
    """
    rows = [repr(visible(name)) for name in items if name.strip().casefold() in SUMMARIES]
    if not rows or len(rows) == len(items):
        return []
    which = f"{rows[0]} is counted as an item, but looks" if len(rows) == 1 else f"{', '.join(rows)} look"
    return [warning(f"{which} like a summary of the others: remove the row{'s' * (len(rows) > 1)}")]


def doubts_about(measure: str, values: Floats, *, lower_is_better: bool) -> list[str]:
    """Return the warnings and notes about the values of a measure, those of all systems together.

    Parameters
    ----------
    measure
        The name of the measure.
    values
        The values; nan where there is none.
    lower_is_better
        Whether the user said so.
    """
    remarks = _sentinels(measure, values[~np.isnan(values)])
    if not lower_is_better and set(re.split(r"[^a-z]+", measure.casefold())) & LOWER:
        remarks.append(f"{measure}: higher is better; if lower is better, say so with --lower-is-better {measure}")
    return remarks


def _sentinels(measure: str, values: Floats) -> list[str]:
    """Return a warning where one negative number stands among numbers that are never negative otherwise."""
    least = values.min(initial=0.0)
    odd = values == least
    if len(values) < FEWEST or least not in SENTINELS or odd.mean() > 0.5 or values[~odd].min() < 0:
        return []
    what = f"{odd.sum():,} of {len(values):,} values of {measure} are {least:g}, and no other value is negative"
    return [warning(f"{what}: if {least:g} means that there is no value, leave these cells empty")]
