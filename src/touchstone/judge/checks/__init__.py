"""What the outputs that people scored too show about a judge: each module of this folder has one check.

A check takes the table of these outputs and returns a finding, or None where they cannot show anything. All modules are
imported when a judge is assessed, so a new check needs a file of its own and nothing else.
"""

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from pkgutil import iter_modules

from touchstone.base.tables import number
from touchstone.judge.paired import Paired
from touchstone.show.finding import Finding
from touchstone.stats.intervals import Interval

Check = Callable[[Paired], Finding | None]

FEWEST = 5
"""Outputs that say anything of a judge."""

_CHECKS: dict[str, Check] = {}


def judge_check(function: Check) -> Check:
    """Register a check of judges under the name of its function, by which `touchstone.assess` has its finding.

    Parameters
    ----------
    function
        Takes the outputs that both scored, the judge on the scale of people; returns what they show, or None.

    Examples
    --------
    >>> "bias" in all_checks()
    True
    """
    _CHECKS[function.__name__] = function
    return function


def all_checks() -> Mapping[str, Check]:
    """Return the checks by name, in the order of the names of their modules."""
    # Importing a module registers its check.
    for module in sorted(module.name for module in iter_modules(__path__)):
        import_module(f"{__name__}.{module}")
    return dict(sorted(_CHECKS.items(), key=lambda entry: entry[1].__module__))


def estimate_row(value: float, ends: Interval) -> dict[str, object]:
    """Return a value with its interval for machines.

    Parameters
    ----------
    value, ends
        The value, and its interval.
    """
    return {"value": value, "low": ends.low, "high": ends.high}


def interval_notes(notes: Sequence[str | None], over: str) -> list[str]:
    """Return how many intervals are missing or rough, in a sentence each.

    Parameters
    ----------
    notes
        The note of each interval; None where there is none.
    over
        What the intervals are computed over, such as items.
    """
    remarks = [note for note in notes if note]
    missing = sum(note.startswith("no interval") for note in remarks)
    rough = len(remarks) - missing
    lines = [f"rows without an interval, for too few {over} or no variation: {missing:,}"] if missing else []
    return [*lines, *([f"rows with a rough interval, for few {over}: {rough:,}"] if rough else [])]


def span(low: float, high: float) -> str:
    """Return a range of scores in words.

    Parameters
    ----------
    low, high
        Its ends.

    Examples
    --------
    >>> span(0.5, 1.0), span(2.0, 2.0)
    ('0.500 – 1.000', '2.000')
    """
    return number(low) if low == high else f"{number(low)} – {number(high)}"
