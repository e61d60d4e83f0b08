"""The task ``items``: how its tables are read, joined, scored and explained."""

from collections.abc import Sequence
from math import isnan
from typing import Any

import numpy as np
import pyarrow as pa

from touchstone.core.doubts import Doubt
from touchstone.core.results import RECORD, Results
from touchstone.core.scales import column_doubts
from touchstone.core.task import Inputs, PathLike, Rows, Task
from touchstone.io.annotations import ITEM
from touchstone.io.reading import read_table
from touchstone.io.tables import refuse_absent_columns
from touchstone.io.writing import write_table
from touchstone.tasks.items.doubts import doubts_about
from touchstone.tasks.items.explaining import explain_item
from touchstone.tasks.items.joining import join, join_failed
from touchstone.tasks.items.measures import MEASURES, judge_measures, refine, select
from touchstone.tasks.items.model import VALUE, GoldSet, Joined, Options, Run, usual_measures
from touchstone.tasks.items.reading import read_gold


def examine(inputs: Inputs[GoldSet, Run], joined: Joined) -> None:
    """Refuse empty cells of the columns that are scored where none is asked for."""
    for name in usual_measures(inputs.gold):
        joined.check(name if name in joined.columns else f"{RECORD}{name}:0")


def doubts(inputs: Inputs[GoldSet, Run], joined: Sequence[tuple[Run, Joined]]) -> list[Doubt]:
    """Return what is unlikely about the columns that are scored where none is asked for."""
    every = {run.name: one.columns for run, one in joined}
    return [
        doubt
        for name in usual_measures(inputs.gold)
        for doubt in column_doubts(name, {run: own[name] for run, own in every.items() if name in own})
    ]


def score_remarks(inputs: Inputs[GoldSet, Run], joined: Sequence[Joined], results: Results) -> list[str]:  # noqa: ARG001
    """Return the warnings about the columns that are scored."""
    scored = [measure for measure in results.measures if all(measure.name in run.columns for run in joined)]
    values = {measure.name: np.concatenate([run.columns[measure.name] for run in joined]) for measure in scored}
    return [
        text
        for measure in scored
        for text in doubts_about(measure.name, values[measure.name], lower_is_better=measure.lower_is_better)
    ]


def convert_table(source: PathLike, target: PathLike, options: Options) -> str:
    """Write a table in another format, by the suffix of *target*."""
    file = read_table(source, options.encoding)
    refuse_absent_columns(options.column, [file.source])
    numeric = {name for name in file.columns if name.lower() not in ITEM.names and file.is_numeric(name)}
    columns = {
        name: pa.array([None if isnan(x) else x for x in file.numbers(name)]) if name in numeric else file.texts(name)
        for name in file.columns
    }
    write_table(target, pa.table(columns))
    return f"{len(file):,} rows"


def judged_tables(human: Any, judge: Any, options: Options, measures: Sequence[str]) -> Sequence[Any]:  # noqa: ANN401
    """Return what `touchstone.tasks.items.answers.read_sides` does, which most commands do not need."""
    from touchstone.tasks.items.answers import read_sides

    return read_sides(human, judge, options, measures)


TASK: Task[GoldSet, Run, Joined] = Task(
    name="items",
    title="Items",
    summary="Any table of per-item scores, made by any tool.",
    measures=MEASURES,
    default=(VALUE,),
    options=Options,
    read_gold=read_gold,
    rows=Rows(ITEM),
    carried=lambda gold: gold.runs,
    join=join,
    failed=join_failed,
    failure="the worst value that the table has",
    judged_tables=judged_tables,
    judge_measures=judge_measures,
    select=select,
    refine=refine,
    remarks=score_remarks,
    explain_item=explain_item,
    examine=examine,
    doubts=doubts,
    converter=convert_table,
    gold_help="Tables (.csv .tsv .jsonl .parquet: system, item, value…; or a column for each system), result files of "
    "inspect_ai, lm_eval, COMET or sacrebleu, or folders. FILE:COLUMN is one system, a column of a table.",
    example="scores.csv",
)
