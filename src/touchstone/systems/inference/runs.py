"""The table of runs of inference models: each run of a model on each test set, scored pair by pair.

A model has several runs where it was trained with several seeds, and is under several conditions where it was given
different numbers of pairs. Drops, learning curves and repair are folds of this table.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from touchstone.base.ragged import Floats
from touchstone.core.resampling import Resampling
from touchstone.core.results import CompactRecords, Results, SystemRecords
from touchstone.systems.runs import RunRow, RunTable
from touchstone.tasks.nli.model import GoldSet, Run
from touchstone.tasks.nli.task import MAJORITY, TASK


class Condition(NamedTuple):
    """A model, and the number of pairs that it was given; None where that number does not vary.

    >>> str(Condition("esim", 500)), str(Condition("esim", None))
    ('esim 500', 'esim')
    """

    model: str
    size: int | None

    def __str__(self) -> str:
        return self.model if self.size is None else f"{self.model} {self.size}"


class ModelRun(NamedTuple):
    """What a run of a model gave on a test set, before it is scored."""

    model: str
    size: int | None
    test: str
    run: Run

    @property
    def condition(self) -> Condition:
        """The model with the number of pairs."""
        return Condition(self.model, self.size)


@dataclass(frozen=True)
class Point:
    """The mean of a model's runs under one condition, with its interval, and the range of the runs."""

    model: str
    size: int | None
    test: str
    measure: str
    value: float
    low: float
    high: float
    runs: int
    least: float
    most: float


@dataclass(frozen=True, eq=False)
class ModelRuns(RunTable[Condition]):
    """Runs of models on test sets, with a record for each pair under each measure.

    Parameters
    ----------
    rows
        The runs, with those of one condition together.
    single
        The results of all runs on each test set.
    """

    single: Mapping[str, Results] = field(repr=False)

    @property
    def models(self) -> list[str]:
        """The models, in the order of the rows."""
        return list(dict.fromkeys(condition.model for condition in self.methods))

    @property
    def resampling(self) -> Resampling:
        """How the intervals are computed."""
        return next(iter(self.single.values())).resampling

    def run_values(self, condition: Condition, test: str, measure: str) -> Floats:
        """Return the value of each run of a model under one condition.

        Parameters
        ----------
        condition, test, measure
            The model with its number of pairs, the name of the test set, and the measure.
        """
        return np.array([self.single[test].row(row.run, measure).value for row in self.runs(condition, test)])

    @cached_property
    def means(self) -> dict[str, Results]:
        """The results on each test set with a system for each condition: the records of its runs, averaged.

        An accuracy is then the mean of the runs' accuracies, and its interval is over premises, with all runs of a
        premise together.
        """
        return {test: self._mean(test, results) for test, results in self.single.items()}

    def _mean(self, test: str, results: Results) -> Results:
        facts = {system.system: system.facts for system in results.systems}
        systems = []
        for condition in self.methods:
            runs = self.runs(condition, test)
            records = CompactRecords({name: self.mean(condition, test, name) for name in runs[0].values})
            counts = pa.table({"runs": [len(runs)] * len(results)})
            # A mean of several runs has no facts such as labels, which belong to one run.
            systems.append(SystemRecords(str(condition), records, facts[runs[0].run] if len(runs) == 1 else counts))
        return replace(results, systems=systems)

    def points(self, measures: Iterable[str]) -> list[Point]:
        """Return every mean, by test set, then by condition.

        Parameters
        ----------
        measures
            The names of the measures.
        """
        names = list(measures)
        return [self._point(c, test, name) for test in self.single for c in self.methods for name in names]

    def _point(self, condition: Condition, test: str, measure: str) -> Point:
        mean, each = self.means[test].row(str(condition), measure), self.run_values(condition, test, measure)
        value, low, high = mean.value, mean.low, mean.high
        return Point(*condition, test, measure, value, low, high, len(each), float(each.min()), float(each.max()))

    def value_rows(self, measures: Iterable[str]) -> list[dict[str, object]]:
        """Return the points as rows of a finding, each with the number of pairs that count.

        Parameters
        ----------
        measures
            The names of the measures.
        """
        rows = []
        for point in self.points(measures):
            about = {name: value for name, value in vars(point).items() if name != "size" or value is not None}
            condition = Condition(point.model, point.size)
            n = self.means[point.test].row(str(condition), point.measure).n
            rows.append({"kind": "value", **about, "n": n})
        return rows

    @property
    def signature(self) -> dict[str, str]:
        """What the values depend on: all runs, and the gold of each test set."""
        first = next(iter(self.single.values())).signature
        golds = {f"gold of {test}": results.signature["gold"] for test, results in self.single.items()}
        systems = "; ".join(results.signature.get("systems", "") for results in self.single.values())
        shared = {key: value for key, value in first.items() if key not in ("gold", "items")}
        return {**shared, **golds, "systems": systems}


def score_runs(golds: Mapping[str, GoldSet], runs: Iterable[ModelRun], resampling: Resampling) -> ModelRuns:
    """Score runs on test sets.

    Parameters
    ----------
    golds
        The test sets by name.
    runs
        What the runs gave; those on one test set differ in name.
    resampling
        How intervals are computed.
    """
    model_runs = list(runs)
    order = list(dict.fromkeys(model_run.condition for model_run in model_runs))
    model_runs.sort(key=lambda model_run: order.index(model_run.condition))
    single, records = {}, {}
    for test, gold in golds.items():
        scored = TASK.score(
            gold,
            [model_run.run for model_run in model_runs if model_run.test == test],
            ["accuracy"],
            resampling=resampling,
        )
        systems = [system for system in scored.systems if system.system != MAJORITY]
        single[test] = replace(scored, systems=systems, notes=())
        records.update({(test, system.system): system.records for system in systems})
    rows = [
        RunRow(model_run.condition, model_run.test, model_run.run.name, records[model_run.test, model_run.run.name])
        for model_run in model_runs
    ]
    return ModelRuns(rows, single)
