"""Tables that only lexical substitution has: the layout of the task, and where the order of answers matters."""

from dataclasses import dataclass
from itertools import combinations
from math import isnan
from typing import Any

import numpy as np

from touchstone.core.errors import TouchstoneError
from touchstone.core.measures import Measure
from touchstone.core.ragged import Floats
from touchstone.core.results import Results, Row, SystemRecords
from touchstone.core.tables import Cell, Column, Table
from touchstone.stats import signed_differences
from touchstone.tasks.lexsub.compat import OFFICIAL
from touchstone.tasks.lexsub.measures import OOT
from touchstone.tasks.lexsub.official import percent


def task_table(results: Results) -> Table:
    """Return the els07 rows as the task laid them out: in percent, two decimals, half up; without groups."""
    if results.by:
        raise TouchstoneError("the task's layout has no groups", hint="leave out --by or --style els07")
    names = ("total", "attempted", "P", "R", "with mode", "attempted", "mode P", "mode R")
    columns = [Column("system"), Column("view"), *(Column(name, "right") for name in names)]
    found = {(row.system, row.measure): row for row in results.rows if row.group is None}
    rows: list[list[Cell]] = []
    for system in results.systems:
        for view in ("best", "oot"):
            for suffix in ("", OFFICIAL):
                wanted = [f"els07.{view}{mode}.{which}{suffix}" for mode in ("", "_mode") for which in "RP"]
                cells = [found.get((system.system, name)) for name in wanted]
                if all(cells):
                    rows.append([system.system, view + suffix, *_percents([cell for cell in cells if cell])])
    if not rows:
        hint = "score with --measure els07 or --compat els07"
        raise TouchstoneError("there are no els07 figures to lay out in the style of the task", hint=hint)
    return Table(columns, rows)


def _percents(cells: list[Row]) -> list[Cell]:
    recall, precision, mode_recall, mode_precision = cells
    return [
        *(str(recall.n), str(precision.n), *map(_percent, (precision, recall))),
        *(str(mode_recall.n), str(mode_precision.n), *map(_percent, (mode_precision, mode_recall))),
    ]


def _percent(row: Row) -> Cell:
    return None if isnan(row.value) else percent(row.value)


@dataclass(frozen=True)
class OrderCounts:
    """On how many items only the order of the answers parts two systems (paper, section 8)."""

    a: str
    b: str
    same_recall_other_rank: int
    same_recall: int
    ten_or_fewer: int
    items: int


def order_counts(results: Results) -> list[OrderCounts]:
    """Return the counts for each pair of systems; none where the results lack ``R`` or ``rank@10``."""
    if not {"R", f"rank@{OOT}"} <= {measure.name for measure in results.measures}:
        return []
    recall, rank = results.measure("R"), results.measure(f"rank@{OOT}")
    counts = []
    for a, b in combinations(results.systems, 2):
        same = _gaps(recall, a, b) == 0
        other = _gaps(rank, a, b) != 0
        most = np.maximum(a.facts.column("n_ranked").to_numpy(), b.facts.column("n_ranked").to_numpy())
        found = int((same & other).sum()), int(same.sum()), int((most <= OOT).sum())
        counts.append(OrderCounts(a.system, b.system, *found, len(results)))
    return counts


def _gaps(measure: Measure[Any], a: SystemRecords, b: SystemRecords) -> Floats:
    return signed_differences(*(measure.values(one.records[measure.name]) for one in (a, b)))


def order_table(results: Results) -> Table | None:
    """Return `order_counts` as a table, None where there are none."""
    counts = order_counts(results)
    heads = (f"equal R, other rank@{OOT}", "equal R", f"{OOT} candidates or fewer", "items")
    rows: list[list[Cell]] = [
        [f"{one.a} – {one.b}", one.same_recall_other_rank, one.same_recall, one.ten_or_fewer, one.items]
        for one in counts
    ]
    title = "Items on which only the order of the answers parts two systems"
    return Table([Column("pair"), *(Column(head, "right") for head in heads)], rows, title=title) if rows else None
