"""The tables of results: a row for each value, or for each group with a column for each system."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from touchstone.base.tables import Cell, Column, Table, number
from touchstone.core.resampling import Resampling, interval_heading

if TYPE_CHECKING:
    from touchstone.core.results import Results, Row


def row_columns(
    rows: "Sequence[Row]", how: Resampling, value: str = "value"
) -> "list[tuple[Column, Callable[[Row], Cell]]]":
    """Return the columns of a table of values, each with what it says about a row of the results.

    Parameters
    ----------
    rows
        The rows, whose skipped items have columns if there are any.
    how
        How intervals were made, which have a column unless there are none.
    value
        The heading of the values.
    """
    columns: list[tuple[Column, Callable[[Row], Cell]]] = [
        (Column("system"), lambda row: row.system),
        (Column(value, "right"), lambda row: row.value),
        (Column(interval_heading(how.level), "right"), lambda row: row.interval),
        (Column("n", "right"), lambda row: row.n),
        (Column("skipped", "right"), lambda row: row.skipped_share),
        (Column("if failed", "right"), lambda row: row.if_failed if row.skipped else row.value),
    ]
    if how.method == "none":
        del columns[2]
    return columns if any(row.skipped for row in rows) else columns[:-2]


def ungrouped_table(results: "Results") -> Table:
    """Return a row for each system under each measure, the best first."""
    columns = row_columns(results.rows, results.resampling)
    rows: list[list[Cell]] = []
    bold, rules = set(), set()
    for measure in results.measures:
        sign = 1 if measure.lower_is_better else -1
        block = sorted((row for row in results.rows if row.measure == measure.name), key=lambda row: sign * row.value)
        rules |= {len(rows)} if len(results.systems) > 1 else set()
        bold |= {(len(rows), 2)} if len(block) > 1 else set()
        names = [measure.name, *[""] * len(block)]
        rows += [[name, *(cell(row) for _, cell in columns)] for name, row in zip(names, block, strict=False)]
    heads = [Column("measure"), *(column for column, _ in columns)]
    return Table(heads, rows, notes=[*interval_notes(results), *skip_notes(results)], bold=bold, rules=rules)


def grouped_table(results: "Results") -> Table:
    """Return a row for each measure and group, a column for each system, intervals below the values."""
    groups = list(dict.fromkeys(row.group for row in results.rows))
    columns = [Column("measure"), Column(str(results.by)), Column("n", "right")]
    columns += [Column(system.system, "right") for system in results.systems]
    cells = {(row.measure, row.system, row.group): row for row in results.rows}
    rows: list[list[Cell]] = []
    rules = set()
    for measure in results.measures:
        rules.add(len(rows))
        for group_index, group in enumerate(groups):
            values = [cells[measure.name, system.system, group] for system in results.systems]
            name = results.group_names.get(group, group) if group else "all"
            counted = max(row.n for row in values)
            rows.append([measure.name if group_index == 0 else "", name, counted, *(row.value for row in values)])
            if any(row.interval for row in values):
                rows.append(["", "", "", *(row.interval for row in values)])
            if any(row.skipped for row in values):
                skip_texts = [f"skipped {row.skipped_share}, if failed {number(row.if_failed)}" for row in values]
                rows.append(
                    ["", "", "", *(text if row.skipped else "" for text, row in zip(skip_texts, values, strict=True))]
                )
    below = [f"below each value: its {interval_heading(results.resampling.level)}"] if any(
        row.interval for row in results.rows
    ) else []  # fmt: skip
    return Table(columns, rows, rules=rules, notes=[*below, *interval_notes(results), *skip_notes(results)])


def skip_notes(results: "Results") -> list[str]:
    """Return what the columns on skipped items mean, in a list; empty where no item was skipped."""
    if results.failed is None:
        return []
    unknown = [measure.name for measure in results.measures if not measure.failure_known or measure.supplied]
    none = f"; no bound is known for {', '.join(unknown)}" if unknown else ""
    return [
        "skipped: the share of items without an answer, which are left out; "
        f"if failed: the value if these items were failures ({', '.join(results.failed.notes)}){none}"
    ]


def interval_notes(results: "Results") -> list[str]:
    """Return sentences on missing and rough intervals: each names values over all items, and counts those of groups."""
    noted = [row for row in results.rows if row.note]
    about: dict[str, list[str]] = {}
    for row in noted:
        if row.group is None:
            about.setdefault(row.note or "", []).append(f"{row.measure} {row.system}")
    every = len(results.systems) * len(results.measures)
    notes = [
        note if len(names) == every else f"{note}: {', '.join(names[:3])}{' …' * (len(names) > 3)}"
        for note, names in about.items()
    ]
    missing = [bool(np.isnan(row.low)) for row in noted if row.group is not None]
    over = results.resampling.over
    if any(missing):
        notes.append(f"values of groups without an interval, for too few {over} or no variation: {sum(missing):,}")
    if not all(missing):
        notes.append(f"values of groups with a rough interval, for few {over}: {missing.count(False):,}")
    return notes
