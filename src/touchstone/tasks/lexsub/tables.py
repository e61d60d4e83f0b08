"""Tables that only lexical substitution has: the layout of the task, and where the order of answers matters."""

from collections.abc import Sequence
from itertools import combinations
from math import isnan

import numpy as np

from touchstone.core.comparison import Comparison
from touchstone.core.errors import TouchstoneError
from touchstone.core.ragged import Bools
from touchstone.core.results import Results, Row, SystemRecords
from touchstone.core.tables import Cell, Column, Table
from touchstone.stats import signed_differences
from touchstone.tasks.lexsub.joining import Options
from touchstone.tasks.lexsub.measures import MEASURES, OFFICIAL
from touchstone.tasks.lexsub.model import OOT
from touchstone.tasks.lexsub.official import percent

ORDER = ("R", f"rank@{OOT}")
"""The measures that `order_table` needs: the same credit whatever the order, and credit that depends on the order."""


def score_tables(results: Results, options: Options) -> list[Table]:
    """Return the table of a scoring, in the layout of the task where the options ask for it."""
    return [task_table(results) if options.style == "els07" else results.table()]


def task_table(results: Results) -> Table:
    """Return the els07 values in the layout of the task: in percent, two decimals, half up; without groups."""
    if results.by:
        raise TouchstoneError("the task's layout has no groups", hint="leave out --by or --style els07")
    names = ("total", "attempted", "P", "R", "with mode", "attempted", "mode P", "mode R")
    columns = [Column("system"), Column("view"), *(Column(name, "right") for name in names)]
    values = {(row.system, row.measure): row for row in results.rows if row.group is None}
    rows: list[list[Cell]] = []
    for system in results.systems:
        for view in ("best", "oot"):
            for suffix in ("", OFFICIAL):
                wanted = [f"els07.{view}{mode}.{which}{suffix}" for mode in ("", "_mode") for which in "RP"]
                cells = [values.get((system.system, name)) for name in wanted]
                if all(cells):
                    rows.append([system.system, view + suffix, *_percents([cell for cell in cells if cell])])
    if not rows:
        hint = "score with --measure els07 or --compat els07"
        raise TouchstoneError("there are no els07 figures for the layout of the task", hint=hint)
    return Table(columns, rows)


def _percents(cells: list[Row]) -> list[Cell]:
    recall, precision, mode_recall, mode_precision = cells
    return [
        *(str(recall.n), str(precision.n), *map(_percent, (precision, recall))),
        *(str(mode_recall.n), str(mode_precision.n), *map(_percent, (mode_precision, mode_recall))),
    ]


def _percent(row: Row) -> Cell:
    return None if isnan(row.value) else percent(row.value)


def order_table(results: Results) -> Table:
    """Return, for each pair of systems, the number of items where only the order of the answers differs.

    That is the case of the paper's section 8: the same recall, and another rank score.
    """
    heads = (f"equal R, different rank@{OOT}", "equal R", f"both give {OOT} answers or fewer", "items")
    rows: list[list[Cell]] = []
    for a, b in combinations(results.systems, 2):
        same_recall, same_rank = (_equal(name, a, b) for name in ORDER)
        most = np.maximum(*(system.facts.column("n_ranked").to_numpy() for system in (a, b)))
        counts = (same_recall & ~same_rank).sum(), same_recall.sum(), (most <= OOT).sum()
        rows.append([f"{a.system} – {b.system}", *map(int, counts), len(results)])
    title = "Items where two systems give the same answers in a different order"
    return Table([Column("pair"), *(Column(head, "right") for head in heads)], rows, title=title)


def _equal(name: str, a: SystemRecords, b: SystemRecords) -> Bools:
    """Return on which items two systems have the same value, up to rounding."""
    measure = MEASURES.find(name)
    return np.asarray(signed_differences(*(measure.values(system.records[name]) for system in (a, b))) == 0)


def comparison_tables(comparison: Comparison) -> Sequence[Table]:
    """Return `order_table`, where the results have the records that it needs."""
    systems = comparison.results.systems
    return [order_table(comparison.results)] if all(name in s.records for s in systems for name in ORDER) else []
