"""Any table of per-item values, made by any tool: systems compared item by item.

A long table has a row for each system and item (``system, item, value…``), a wide one a row for each item and a column
for each system. A table with a column of annotators may have a row for each annotation: their mean is the value of the
item. Several files without a column of systems hold one system each. Where a task exported records (sums
that fold into F or BLEU), they are folded as the task folds them.
"""

from touchstone.tasks.items.about import Options
from touchstone.tasks.items.model import GoldSet, Joined, Run
from touchstone.tasks.items.reading import read_gold
from touchstone.tasks.items.task import TASK

score, explain, validate, convert = TASK.score, TASK.explain, TASK.validate, TASK.convert

__all__ = ["TASK", "GoldSet", "Joined", "Options", "Run", "convert", "explain", "read_gold", "score", "validate"]
