"""What looks wrong in a table of scores although it can be read: each doubt is a warning that names the cause."""

import re
from collections.abc import Mapping, Sequence

from touchstone.base.notes import warning
from touchstone.base.ragged import Floats
from touchstone.base.spelling import setting
from touchstone.core.names import suggests_higher_is_better, suggests_lower_is_better
from touchstone.core.scales import missing_codes

MANY_SYSTEMS, TIMES = 10, 5
"""Systems, and how many times as many as items, from which the columns of both may be exchanged."""

FEWEST_ITEMS = 5
"""Items from which ids that end in the number of a run are no chance."""

_EPOCH = re.compile(
    r"(.+?)[\W_]*(?:attempt|epoch|iteration|repeat|repetition|run|seed|trial|try)[\W_]?\d+", re.IGNORECASE
)
"""An id that ends in the number of a run of the item."""


def exchanged(items: int, systems: int) -> list[str]:
    """Return a warning where there are many systems with values for a few items.

    >>> exchanged(2, 40)
    ['warning: 40 systems have values for 2 items: are the systems and the items exchanged?']
    """
    if systems < max(MANY_SYSTEMS, TIMES * items):
        return []
    item_count = f"{items:,} item{'s' * (items != 1)}"
    return [warning(f"{systems:,} systems have values for {item_count}: are the systems and the items exchanged?")]


def numbered_differently(ids: Mapping[str, Sequence[str]]) -> list[str]:
    """Return a warning where the items of one system are numbered from 0 and those of another from 1, or the like.

    Parameters
    ----------
    ids
        The ids of the items of each system.

    Examples
    --------
    >>> numbered_differently({"a": ["0", "1", "2"], "b": ["1", "2", "3"]})
    ['warning: the items of a are numbered from 0 to 2 and those of b from 1 to 3: number n may be another item']
    """
    spans = {name: span for name, system_ids in ids.items() if (span := _span(system_ids)) is not None}
    if len(spans) < len(ids) or not spans:
        return []
    (first, (low, high)), *others = spans.items()
    for name, (begin, end) in others:
        if abs(begin - low) == 1 and begin - low == end - high:
            what = f"the items of {first} are numbered from {low} to {high} and those of {name} from {begin} to {end}"
            return [warning(f"{what}: number n may be another item")]
    return []


def epochs_in_ids(ids: Sequence[str]) -> list[str]:
    """Return a warning where ids name runs of the same items.

    >>> epochs_in_ids([f"q{n}_run{k}" for n in range(10) for k in (1, 2)])[0].partition(":")[2]
    ' the 20 items are 10 in several runs, such as q0_run1: runs of an item are no items of their own; give their mean'
    """
    matches = [_EPOCH.fullmatch(name) for name in ids[:1]] and [_EPOCH.fullmatch(name) for name in ids]
    items = {match[1] for match in matches if match}
    if not all(matches) or not FEWEST_ITEMS <= len(items) <= len(ids) / 2:
        return []
    what = f"the {len(ids):,} items are {len(items):,} in several runs, such as {ids[0]}"
    return [warning(f"{what}: runs of an item are no items of their own; give their mean")]


def _span(ids: Sequence[str]) -> tuple[int, int] | None:
    """Return the ends of ids that number items without a gap; None for others."""
    if not ids or not all(name.isdecimal() for name in ids):
        return None
    numbers = {int(name) for name in ids}
    low, high = min(numbers), max(numbers)
    return (low, high) if len(numbers) == high - low + 1 > 2 else None


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
    if not lower_is_better and suggests_lower_is_better(measure):
        option = setting("lower-is-better", measure)
        remarks.append(warning(f"{measure}: higher is better; if lower is better, say so with {option}"))
    if lower_is_better and suggests_higher_is_better(measure):
        option = setting("lower-is-better", measure)
        what = f"{measure}: the name says that higher is better, but {option} ranks the lowest values first"
        remarks.append(warning(what))
    return remarks
