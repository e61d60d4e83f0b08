"""The tasks that people can annotate for."""

from touchstone.annotate.tasks.base import Task
from touchstone.annotate.tasks.lexsub import LexsubTask
from touchstone.annotate.tasks.mt import MtTask
from touchstone.annotate.tasks.nli import NliTask
from touchstone.annotate.tasks.pyramid import PyramidTask

TASKS: dict[str, Task] = {task.name: task for task in (PyramidTask(), NliTask(), LexsubTask(), MtTask())}
