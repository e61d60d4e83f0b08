"""One table of runs: each run of a model on each test set, scored pair by pair.

A model has several runs where it was trained with several seeds, and is under several conditions where it was given
different numbers of pairs. Drops, learning curves and repair are folds of this table.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from touchstone.base.ragged import Floats
from touchstone.core.resampling import Resampling
from touchstone.core.results import Records, Results, SystemRecords
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
    """A row of the table: what a run of a model gave on a test set."""

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
class RunTable:
    """Runs of models on test sets.

    Parameters
    ----------
    rows
        The runs, with those of one condition together.
    single
        The results of all runs on each test set.
    """

    rows: Sequence[ModelRun]
    single: Mapping[str, Results] = field(repr=False)

    @property
    def conditions(self) -> list[Condition]:
        """The models under each condition, in the order of the rows."""
        return list(dict.fromkeys(row.condition for row in self.rows))

    @property
    def models(self) -> list[str]:
        """The models, in the order of the rows."""
        return list(dict.fromkeys(row.model for row in self.rows))

    @property
    def resampling(self) -> Resampling:
        """How the intervals are computed."""
        return next(iter(self.single.values())).resampling

    @cached_property
    def _runs(self) -> dict[tuple[Condition, str], list[Run]]:
        runs: dict[tuple[Condition, str], list[Run]] = {}
        for row in self.rows:
            runs.setdefault((row.condition, row.test), []).append(row.run)
        return runs

    def runs(self, model: str, size: int | None, test: str) -> list[Run]:
        """Return the runs of a model under one condition on a test set.

        Parameters
        ----------
        model, size, test
            The model, the number of pairs that it was given, and the name of the test set.
        """
        return self._runs[Condition(model, size), test]

    def values(self, condition: Condition, test: str, measure: str) -> Floats:
        """Return the value of each run of a model under one condition.

        Parameters
        ----------
        condition, test, measure
            The model with its number of pairs, the name of the test set, and the measure.
        """
        return np.array([self.single[test].row(run.name, measure).value for run in self.runs(*condition, test)])

    @cached_property
    def means(self) -> dict[str, Results]:
        """The results on each test set with a system for each condition: the records of its runs, averaged.

        An accuracy is then the mean of the runs' accuracies, and its interval is over premises, with all runs of a
        premise together.
        """
        return {test: self._mean(test, results) for test, results in self.single.items()}

    def _mean(self, test: str, results: Results) -> Results:
        by_name = {system.system: system for system in results.systems}
        systems = []
        for condition in self.conditions:
            runs = [by_name[run.name] for run in self.runs(*condition, test)]
            records = {name: np.mean([run.records[name] for run in runs], axis=0) for name in runs[0].records}
            facts = runs[0].facts if len(runs) == 1 else pa.table({"runs": [len(runs)] * len(results)})
            systems.append(SystemRecords(str(condition), Records(records), facts))
        return replace(results, systems=systems)

    def points(self, measures: Iterable[str]) -> list[Point]:
        """Return every mean, by test set, then by condition.

        Parameters
        ----------
        measures
            The names of the measures.
        """
        names = list(measures)
        return [self._point(c, test, name) for test in self.single for c in self.conditions for name in names]

    def _point(self, condition: Condition, test: str, measure: str) -> Point:
        mean, each = self.means[test].row(str(condition), measure), self.values(condition, test, measure)
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


def score_runs(golds: Mapping[str, GoldSet], runs: Iterable[ModelRun], resampling: Resampling) -> RunTable:
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
    rows = list(runs)
    order = list(dict.fromkeys(row.condition for row in rows))
    rows.sort(key=lambda row: order.index(row.condition))
    single = {}
    for test, gold in golds.items():
        scored = TASK.score(gold, [row.run for row in rows if row.test == test], ["accuracy"], resampling=resampling)
        systems = [system for system in scored.systems if system.system != MAJORITY]
        single[test] = replace(scored, systems=systems, notes=())
    return RunTable(rows, single)
