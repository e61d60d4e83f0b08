"""The tasks that people can annotate for, each in the application's words."""

from touchstone.annotate.tasks.lexsub import Lexsub
from touchstone.annotate.tasks.mt import Mt
from touchstone.annotate.tasks.nli import Nli
from touchstone.annotate.tasks.protocol import Task
from touchstone.annotate.tasks.pyramid import PyramidTask

TASKS: dict[str, Task] = {task.name: task for task in (PyramidTask(), Nli(), Lexsub(), Mt())}

__all__ = ["TASKS", "Task"]
