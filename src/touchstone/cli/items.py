"""``touchstone items``: the verbs over any table of per-item scores."""

from touchstone.cli.verbs import task_app
from touchstone.tasks.items import TASK

app = task_app(TASK)
