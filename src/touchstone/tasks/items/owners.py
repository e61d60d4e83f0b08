"""Columns named after a measure of another task, whose values may not be averaged."""

from collections.abc import Iterator
from functools import cache
from importlib.metadata import entry_points
from typing import Any

from touchstone.base.errors import TouchstoneError
from touchstone.core.measures import Measure, parse_name
from touchstone.core.registry import GROUP, find_task

REFUSED = "its value is not the mean of its item values, and the table has no records to compute it from"

NO_MEANS = ("F", "accuracy@", "bleu", "chrf", "ece", "macro_f1", "meteor", "ter")
"""Measures of our tasks whose value is not a mean of item values, or whose answers decide which items count."""
NO_MEANS_OF = ("els07.", "swords.")
"""How the names of whole families of such measures begin."""


@cache
def _tasks_with(family: str, *, parameters: bool) -> list[str]:
    """Return the tasks that may have such a measure: importing all to ask them takes long, and few columns are one.

    All are asked about a name with *parameters*. Tasks of other packages are asked always, and so is a task to which
    another package adds a measure of this name.
    """
    ours = parameters or family in NO_MEANS or family.startswith(NO_MEANS_OF)
    extended = {point.group for point in entry_points(name=family)}
    return [
        point.name
        for point in entry_points(group=GROUP)
        if point.name != "items"
        and (ours or not point.value.startswith("touchstone.tasks.") or f"touchstone.measures.{point.name}" in extended)
    ]


def _known_as(name: str) -> Iterator[tuple[str, Measure[Any]]]:
    """Yield the measures of tasks that a column is called after, letter by letter, each with its task."""
    if ":" in name:  # would import a module that a table names
        return
    family = parse_name(name)[0]
    for task in _tasks_with(family, parameters="(" in name):
        try:
            measure = find_task(task).measures.find(name)
        except TouchstoneError:
            continue
        if measure.name.startswith(family):  # a column TER is not the measure ter
            yield task, measure


def owner_of(name: str) -> str | None:
    """Return the task that has a measure of this name whose value is not a mean of item values."""
    return next((task for task, measure in _known_as(name) if not measure.averages), None)


def has_own_items(name: str) -> bool:
    """Return whether a column is a measure of a task whose answers decide which items count, such as els07.oot.P."""
    return next((measure.own_items for _, measure in _known_as(name)), False)
