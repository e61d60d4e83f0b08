"""The tasks that are installed, each found by its name and imported when it is asked for.

A package registers a task as an entry point of the group ``touchstone.tasks``, as Touchstone's own tasks are.
"""

from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import TYPE_CHECKING, Any

from touchstone.base.errors import unknown_name

if TYPE_CHECKING:
    from touchstone.core.task import Task

GROUP = "touchstone.tasks"


@cache
def _registered() -> dict[str, EntryPoint]:
    return {point.name: point for point in entry_points(group=GROUP)}


def task_names() -> tuple[str, ...]:
    """Return the names of all installed tasks, without importing them."""
    return tuple(_registered())


@cache
def find_task(name: str) -> "Task[Any, Any, Any]":
    """Return the task of that *name*; refuse unknown ones with the nearest known.

    >>> find_task("nli").title
    'Inference'
    """
    if name not in _registered():
        raise unknown_name("unknown task", name, task_names())
    task: Task[Any, Any, Any] = _registered()[name].load()
    return task
