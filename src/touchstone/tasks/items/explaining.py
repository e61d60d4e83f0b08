"""One item: its fields, and the values of every system."""

from dataclasses import replace
from math import isnan

import numpy as np

from touchstone.base.ids import Policy
from touchstone.base.ragged import Floats
from touchstone.base.tables import Cell, Column, Table
from touchstone.core.explanation import Explanation
from touchstone.core.formulas import Steps, written
from touchstone.core.inputs import Inputs, item_place
from touchstone.core.measures import Measure
from touchstone.tasks.items.joining import join
from touchstone.tasks.items.measures import MEASURES, refine, select
from touchstone.tasks.items.model import VALUE, GoldSet, Joined, Run


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
