"""Columns named after a measure of another task, whose values may not be averaged."""

from collections.abc import Iterator
from typing import Any

from touchstone.base.errors import TouchstoneError
from touchstone.core.measures import Measure, parse_name
from touchstone.core.registry import find_task, task_names

REFUSED = "its value is not the mean of its item values, and the table has no records to compute it from"


def _known_as(name: str) -> Iterator[tuple[str, Measure[Any]]]:
    """Yield the measures of tasks that a column is called after, letter by letter, each with its task."""
    if ":" in name:  # would import a module that a table names
        return
    for task in task_names():
        if task == "items":
            continue
        try:
            measure = find_task(task).measures.find(name)
        except TouchstoneError:
            continue
        if measure.name.startswith(parse_name(name)[0]):  # a column TER is not the measure ter
            yield task, measure


def owner_of(name: str) -> str | None:
    """Return the task that has a measure of this name whose value is not a mean of item values."""
    return next((task for task, measure in _known_as(name) if not measure.averages), None)


def has_own_items(name: str) -> bool:
    """Return whether a column is a measure of a task whose answers decide which items count, such as els07.oot.P."""
    return next((measure.own_items for _, measure in _known_as(name)), False)
