"""The task ``items``: how its tables are read, joined, scored and explained."""

from collections.abc import Sequence
from math import isnan
from typing import Any

import numpy as np
import pyarrow as pa

from touchstone.base.ids import Policy
from touchstone.core.doubts import Doubt
from touchstone.core.explanation import Explanation
from touchstone.core.inputs import Inputs
from touchstone.core.measures import Measure
from touchstone.core.results import Results
from touchstone.core.scales import column_doubts
from touchstone.core.task import Judging, PathLike, ShardRows, Task
from touchstone.io.annotations import ITEM
from touchstone.io.reading import read_table
from touchstone.io.tables import refuse_absent_columns
from touchstone.io.writing import write_table
from touchstone.tasks.items.about import ABOUT, Options
from touchstone.tasks.items.doubts import doubts_about
from touchstone.tasks.items.joining import join, join_failed
from touchstone.tasks.items.measures import MEASURES, explain_item, judge_measures, refine, select
from touchstone.tasks.items.model import VALUE, GoldSet, Joined, Run, default_measures
from touchstone.tasks.items.reading import read_gold


class ItemsJudging(Judging[GoldSet, Run]):
    """Scores of people and of a judge in one table or two."""

    has_tables = True

    def read_sides(self, human: Any, judge: Any, options: Options, measures: Sequence[str]) -> Sequence[Any]:  # noqa: ANN401
        """Return what `touchstone.tasks.items.answers.read_sides` does, which most commands do not need."""
        from touchstone.tasks.items.answers import read_sides

        return read_sides(human, judge, options, measures)

    def judge_task(self, task: Task[Any, Any, Any], human_names: Sequence[str]) -> "JudgeItems":
        """Return the task that chooses columns by those of people's table."""
        return JudgeItems(human_names)


class Items(Task[GoldSet, Run, Joined]):
    """Any table of per-item scores, made by any tool."""

    about = ABOUT
    measures = MEASURES
    default = (VALUE,)
    failure = "the worst value that the table has"
    shard_rows = ShardRows(ITEM)
    judging = ItemsJudging()

    def read_gold(self, sources: Sequence[Any], options: Options) -> GoldSet:
        """Read tables of scores."""
        return read_gold(sources, options)

    def join(self, gold: GoldSet, run: Run, policy: Policy, options: Options) -> Joined:
        """Put the values of a system in the order of the items."""
        return join(gold, run, policy, options)

    def join_failed(self, gold: GoldSet, run: Run, policy: Policy, options: Options) -> Joined:
        """Give items that a system lacks the worst value of the table."""
        return join_failed(gold, run, policy, options)

    def select(self, names: Sequence[str], inputs: Inputs[GoldSet, Run]) -> Sequence[str]:
        """Return the columns to score."""
        return select(names, inputs)

    def refine(self, measure: Measure[Joined], inputs: Inputs[GoldSet, Run]) -> Measure[Joined]:
        """Return the measure with the direction and the range that the options declare."""
        return refine(measure, inputs)

    def doubts(self, inputs: Inputs[GoldSet, Run], joined: Sequence[tuple[Run, Joined]]) -> list[Doubt]:
        """Return what is unlikely about the columns that are scored where none is asked for."""
        gold, every = inputs.gold, {run.name: joined_run.columns for run, joined_run in joined}
        return [
            doubt
            for name in default_measures(gold)
            for doubt in column_doubts(
                name, {run: columns[name] for run, columns in every.items() if name in columns}, gold.ids
            )
        ]

    def notes(self, inputs: Inputs[GoldSet, Run], joined: Sequence[Joined], results: Results) -> list[str]:
        """Return the warnings about the columns that are scored."""
        scored = [measure for measure in results.measures if all(measure.name in run.columns for run in joined)]
        values = {measure.name: np.concatenate([run.columns[measure.name] for run in joined]) for measure in scored}
        return [
            text
            for measure in scored
            for text in doubts_about(measure.name, values[measure.name], lower_is_better=measure.lower_is_better)
        ]

    def explain_item(self, inputs: Inputs[GoldSet, Run], item: str, measure: str | None, policy: Policy) -> Explanation:
        """Show the values of an item, in the order of the systems."""
        return explain_item(inputs, item, measure, policy)

    def convert_file(self, source: PathLike, target: PathLike, options: Options) -> str:
        """Write a table in another format, by the suffix of *target*."""
        file = read_table(source, options.encoding)
        refuse_absent_columns(options.column, [file.source])
        numeric = {name for name in file.columns if name.lower() not in ITEM.names and file.is_numeric(name)}
        columns = {
            name: pa.array([None if isnan(x) else x for x in file.numbers(name)])
            if name in numeric
            else file.texts(name)
            for name in file.columns
        }
        write_table(target, pa.table(columns))
        return f"{len(file):,} rows"


class JudgeItems(Items):
    """The table of a judge, whose columns are chosen by those of people's table."""

    def __init__(self, human_names: Sequence[str]) -> None:
        self.human_names = human_names

    def select(self, names: Sequence[str], inputs: Inputs[GoldSet, Run]) -> Sequence[str]:
        """Return the columns of the judge's scores."""
        return judge_measures(names, self.human_names, inputs)


TASK = Items()
