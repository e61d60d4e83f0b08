"""What looks wrong in a table of scores although it can be read: each doubt is a warning that names the cause."""

from touchstone.base.ragged import Floats
from touchstone.core.names import lower_is_usual
from touchstone.core.scales import missing_codes


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
    remarks = missing_codes(measure, values)
    if not lower_is_better and lower_is_usual(measure):
        remarks.append(f"{measure}: higher is better; if lower is better, say so with --lower-is-better {measure}")
    return remarks
