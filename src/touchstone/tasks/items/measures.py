"""A measure for each column: the mean of its values, or records folded as their task does; and one item under all."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial
from math import isnan

import numpy as np

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError, nearest
from touchstone.base.ids import Policy
from touchstone.base.ragged import Floats
from touchstone.base.spelling import setting
from touchstone.base.tables import Cell, Column, Table
from touchstone.core.explanation import Explanation
from touchstone.core.formulas import Steps, written
from touchstone.core.inputs import Inputs, item_place
from touchstone.core.measures import Measure, Measures
from touchstone.core.registry import find_task, task_names
from touchstone.core.results import RECORD
from touchstone.stats.records import mean, mean_records
from touchstone.tasks.items.joining import join
from touchstone.tasks.items.model import (
    REFUSED,
    VALUE,
    GoldSet,
    Joined,
    Run,
    answers_decide_items,
    default_measures,
    owner_of,
)
from touchstone.tasks.items.values import declared_ranges, labels_of, mapping_hint, require_columns


class ColumnMeasures(Measures[Joined]):
    """A measure for every column: the mean of its values, or ``TASK:NAME``, folded as that task folds its records."""

    @property
    def names(self) -> list[str]:
        """Examples, for help; the measures are the columns of the table."""
        return [VALUE]

    def find_all(self, names: Iterable[str]) -> tuple[Measure[Joined], ...]:
        """Return the measures of all columns, each once; the name of a column may have commas in it."""
        return tuple({measure.name: measure for measure in map(self.find, names)}.values())

    def find(self, name: str) -> Measure[Joined]:
        """Return the measure of a column."""
        task, colon, measure_name = name.partition(":")
        if colon and task in task_names() and ":" not in measure_name:
            measure = find_task(task).measures.find(measure_name)
            record = partial(_folded_record, name=name)
            return replace(measure, name=f"{task}:{measure.name}", record=record, failure_known=False)
        about = f"the mean of {name} over items"
        return Measure(name, partial(_mean_record, name=name), mean, about, own_items=answers_decide_items(name))


def _mean_record(joined: Joined, name: str) -> Floats:
    joined.check(name)
    return mean_records(joined.columns[name])


def _folded_record(joined: Joined, name: str) -> Floats:
    width = sum(column.startswith(f"{RECORD}{name}:") for column in joined.columns)
    joined.check(f"{RECORD}{name}:0")
    records = np.column_stack([joined.columns[f"{RECORD}{name}:{index}"] for index in range(width)])
    return np.nan_to_num(records)


MEASURES = ColumnMeasures("items")


def select(names: Sequence[str], inputs: Inputs[GoldSet, Run]) -> list[str]:
    """Return the columns asked for; refuse unknown ones, and those that are no mean and have no records."""
    default_names = default_measures(inputs.gold)
    require_columns(declared_ranges(inputs.options.range), {name for run in inputs.runs for name in run.columns})
    if names or default_names:
        return [_scored_column(name, inputs.runs, default_names) for name in names or default_names]
    first, *others = inputs.runs
    other = next((run for run in others if not run.columns.keys() & first.columns), None)
    if other:
        columns = "; ".join(f"{run.name}: {', '.join(run.columns)}" for run in (first, other))
        what = f"{first.name!r} and {other.name!r} have no column of numbers in common"
        raise TouchstoneError(what, code=Code.MISMATCH, hint=columns)
    what = f"no measure to score: {'; '.join(inputs.gold.notes) or 'no two systems differ'}"
    raise TouchstoneError(what, code=Code.OPTION_NEEDED, hint=f"name a column with {setting('measure', 'NAME')}")


def _scored_column(name: str, runs: Sequence[Run], default_names: Sequence[str]) -> str:
    """Return a column as its measure is called; refuse one that a run lacks, or no mean that has no records."""
    owner = owner_of(name)
    for candidate in (name, f"{owner}:{name}"):
        if f"{RECORD}{candidate}:0" in runs[0].columns:
            return candidate
    if owner:
        hint = f"give the items that touchstone {owner} exports with their records, or rename the column"
        raise TouchstoneError(f"cannot be averaged: {REFUSED}", value=name, code=Code.UNSUPPORTED, hint=hint)
    run = next((run for run in runs if name not in run.columns), None)
    if run is not None:
        labels = labels_of(run.file, name) if name in run.file.columns else []
        what, near = f"{run.name!r} has no column of numbers with this name", nearest(name, list(run.columns))
        hint = mapping_hint(labels) if labels else f"columns: {', '.join(default_names)}"
        raise TouchstoneError(what, value=name, near=near, code=Code.UNKNOWN_NAME, hint=hint)
    return name


def judge_measures(names: Sequence[str], human_names: Sequence[str], inputs: Inputs[GoldSet, Run]) -> Sequence[str]:
    """Return the columns of a judge's scores: those asked for, else those that people's table has too.

    A judge's scores are averaged, so they may be the item values of any metric, such as chrF. Elsewhere such a column
    is refused, because the metric of a whole set is not the mean over its items.
    """
    shared = [name for name in inputs.runs[0].columns if all(name in run.columns for run in inputs.runs)]
    if not names:
        for file in inputs.gold.files:
            for name in human_names:
                if name in file.columns and file.odd_cell(name) is not None:
                    file.numbers(name)  # refuses the cells that are no numbers, with their lines
        names = [name for name in human_names if name in shared]
    try:
        return select(names, inputs)
    except TouchstoneError:
        if names and set(names) <= set(shared):
            return names
        if not names and len(shared) == 1:
            return shared
        raise


def refine(measure: Measure[Joined], inputs: Inputs[GoldSet, Run]) -> Measure[Joined]:
    """Return the measure with the direction and the range that the options say it has."""
    lower = measure.lower_is_better or measure.name in inputs.options.lower_is_better
    declared = declared_ranges(inputs.options.range).get(measure.name, measure.range)
    return replace(measure, lower_is_better=lower, range=declared)


def _steps(measure: Measure[Joined], record: Floats, value: float) -> Steps:
    """Return how a value comes about: by the formula of the task that wrote its records, or as it was read."""
    return measure.formula(record) if measure.formula else Steps("the number in the table", written(value))


def explain_item(inputs: Inputs[GoldSet, Run], item: str, measure: str | None, policy: Policy) -> Explanation:
    """Show one item: its fields, and the values of every system, best first."""
    gold, item_index = inputs.gold, item_place(inputs.gold, item)
    names = select([measure] if measure else (), inputs)
    each = {run.name: join(gold, run, policy, inputs.options) for run in inputs.runs}
    joined = {
        name: replace(joined_run, lacking={}) for name, joined_run in each.items()
    }  # one item is shown, whatever others lack
    measures = [MEASURES.find(name) for name in names]
    records = {run: [m.item_records(joined_run)[item_index] for m in measures] for run, joined_run in joined.items()}
    values = {
        run: [float(m.values(row)) for m, row in zip(measures, rows, strict=True)] for run, rows in records.items()
    }
    sign = 1 if refine(measures[0], inputs).lower_is_better else -1
    order = sorted(values, key=lambda run: np.inf if isnan(values[run][0]) else sign * values[run][0])
    rows: list[list[Cell]] = [[run, *values[run]] for run in order]
    columns = [Column("system"), *(Column(m.name, "right") for m in measures)]
    fields = {name: of[item] for name, of in gold.fields.items() if item in of}
    facts = Table([Column("field"), Column(VALUE)], list(fields.items()))
    formulas = [
        _steps(m, record, value).of(run, m.name, value)
        for run in order
        for m, record, value in zip(measures, records[run], values[run], strict=True)
    ]
    tables = [*([facts] if fields else []), Table(columns, rows)]
    return Explanation(item, f"item {item}", tables, formulas=formulas)
