"""What looks wrong in a table of scores although it can be read: each doubt is a warning that names the cause."""

from collections.abc import Sequence

import numpy as np

from touchstone.base.errors import visible
from touchstone.base.notes import warning
from touchstone.base.ragged import Floats
from touchstone.tasks.items.names import is_summary, lower_is_usual

SENTINELS = (-1.0, -9.0, -99.0, -999.0, -9999.0)
"""Numbers that stand for a missing value in many data sets."""

FEWEST = 10
"""Values from which a repeated negative number among them tells anything."""

RARE = 0.15
"""The share of -1 beside 0 and 1 up to which it stands for a missing value; more often it is a loss beside ties and
wins."""


def summary_rows(items: Sequence[str]) -> list[str]:
    """Return a warning where ids of items are names of summaries, such as ``mean``.

    >>> summary_rows(["q1", "q2", "Mean"])
    ["warning: 'Mean' is counted as an item, but looks like a summary of the others: remove the row"]
    """
    rows = [repr(visible(name)) for name in items if is_summary(name)]
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
    if not lower_is_better and lower_is_usual(measure):
        remarks.append(f"{measure}: higher is better; if lower is better, say so with --lower-is-better {measure}")
    return remarks


def _sentinels(measure: str, values: Floats) -> list[str]:
    """Return a warning where one negative number stands among numbers that are never negative otherwise."""
    least = values.min(initial=0.0)
    odd = values == least
    if len(values) < FEWEST or least not in SENTINELS or odd.all() or values[~odd].min() < 0:
        return []
    usual = np.unique(values[~odd])
    votes = least == -1 and set(usual.tolist()) <= {0.0, 1.0} and (len(usual) < 2 or odd.mean() > RARE)
    if votes or (odd.mean() > 0.5 and len(usual) < 3):
        return []
    what = f"{odd.sum():,} of {len(values):,} values of {measure} are {least:g}, and no other value is negative"
    return [warning(f"{what}: if {least:g} means that there is no value, leave these cells empty")]
