"""The tasks that are installed, each found by its name and imported when it is asked for.

A package registers a task as an entry point of the group ``touchstone.tasks``, as Touchstone's own tasks are.
"""

from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import TYPE_CHECKING, Any

from touchstone.base.errors import unknown_name

if TYPE_CHECKING:
    from touchstone.core.about import About
    from touchstone.core.task import Task

ABOUT = "touchstone.about"
"""The group of entry points that say what is known of a task before it is imported, where a package has them."""

GROUP = "touchstone.tasks"


@cache
def _registered() -> dict[str, EntryPoint]:
    return {point.name: point for point in entry_points(group=GROUP)}


def task_names() -> tuple[str, ...]:
    """Return the names of all installed tasks, without importing them."""
    return tuple(_registered())


@cache
def describe_task(name: str) -> "About":
    """Return what is known of a task before it is imported; a task that has no such entry point is imported.

    >>> describe_task("nli").title
    'Inference'
    """
    from touchstone.core.about import About

    described: dict[str, EntryPoint] = {point.name: point for point in entry_points(group=ABOUT)}
    if name in described:
        about: About = described[name].load()
        return about
    task = find_task(name)
    return About(
        name=task.name,
        title=task.title,
        summary=task.summary,
        gold_help=task.gold_help,
        run_help=task.run_help,
        example=task.example,
        options=task.options,
        convert_options=task.convert_options,
        runs_in_gold=task.runs_in_gold,
        judged_in_tables=task.judging.has_tables,
        converts=task.converts,
    )


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
