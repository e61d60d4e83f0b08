"""Models that were trained or tuned on different numbers of pairs, on several test sets: values, changes, tables."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from touchstone.base.tables import Cell, Column, Table, number, p_text
from touchstone.core.comparison import compare
from touchstone.core.resampling import Resampling, interval_heading
from touchstone.core.results import Results
from touchstone.systems.inference.drops import mean_of_runs
from touchstone.tasks.nli.model import GoldSet, Run
from touchstone.tasks.nli.task import MAJORITY, TASK

Condition = tuple[str, int]
"""A model, and the number of pairs that it was given."""

MEASURES = ("accuracy", "macro_f1")


@dataclass(frozen=True)
class Point:
    """The mean of the runs of a model under one condition, with its interval, and the range of the runs."""

    model: str
    size: int
    test: str
    measure: str
    value: float
    low: float
    high: float
    runs: int
    least: float
    most: float


@dataclass(frozen=True)
class Change:
    """What a number of pairs changes in a model's accuracy on a test set, against the smallest number."""

    model: str
    test: str
    size: int
    difference: float
    low: float
    high: float
    p: float
    """Adjusted by Holm over all pairs of sizes of this model and test set."""


@dataclass(frozen=True, eq=False)
class Experiment:
    """Models under several conditions on several test sets; *along* says what their sizes count."""

    along: str
    runs: Mapping[Condition, Mapping[str, Sequence[Run]]] = field(repr=False)
    single: Mapping[str, Results] = field(repr=False)
    notes: Sequence[str] = ()

    @property
    def models(self) -> list[str]:
        """The models in the order given."""
        return list(dict.fromkeys(model for model, _ in self.runs))

    @property
    def level(self) -> float:
        """The confidence level of all intervals."""
        return next(iter(self.single.values())).resampling.level

    @cached_property
    def results(self) -> dict[str, Results]:
        """On each test set a system for each condition: the mean of its runs."""
        return {
            test: mean_of_runs(
                results, {_name(*which): [run.name for run in runs[test]] for which, runs in self.runs.items()}
            )
            for test, results in self.single.items()
        }

    @cached_property
    def points(self) -> list[Point]:
        """Every mean, with its interval and the range of the runs."""
        points = []
        for test, results in self.results.items():
            for model, size in self.runs:
                for measure in MEASURES:
                    row = results.row(_name(model, size), measure)
                    names = [run.name for run in self.runs[model, size][test]]
                    each = [self.single[test].row(name, measure).value for name in names]
                    ends = (row.value, row.low, row.high)
                    points.append(Point(model, size, test, measure, *ends, len(each), min(each), max(each)))
        return points

    @cached_property
    def changes(self) -> list[Change]:
        """What each size changes in accuracy against the smallest, with paired tests over premises."""
        changes = []
        for model in self.models:
            sizes = sorted(size for name, size in self.runs if name == model)
            names = {_name(model, size): size for size in sizes}
            for test, results in self.results.items():
                own = [system for system in results.systems if system.system in names]
                for pair in compare(replace(results, systems=own), "accuracy").pairs if len(own) > 1 else ():
                    small, large = sorted((pair.a, pair.b), key=lambda name: names[name])
                    if names[small] == sizes[0]:
                        sign = 1 if pair.a == large else -1
                        low, high = sorted((sign * pair.low, sign * pair.high))
                        changes.append(
                            Change(model, test, names[large], sign * pair.difference, low, high, pair.p_adjusted)
                        )
        return sorted(changes, key=lambda change: (self.models.index(change.model), change.test, change.size))

    @property
    def signature(self) -> dict[str, str]:
        """What the figures depend on."""
        first = next(iter(self.single.values()))
        golds = {f"gold of {test}": results.signature["gold"] for test, results in self.single.items()}
        systems = {"systems": "; ".join(results.signature.get("systems", "") for results in self.single.values())}
        return {
            **{key: one for key, one in first.signature.items() if key not in ("gold", "items")},
            **golds,
            **systems,
        }

    def table(self) -> Table:
        """Return the accuracy and the macro-F1 of each model under each condition on each test set."""
        interval = interval_heading(self.level)
        heads = (self.along, "runs", "accuracy", interval, "range", "macro_f1", interval)
        rows: list[list[Cell]] = []
        rules = set()
        pairs = zip(self.points[::2], self.points[1::2], strict=True)
        for accuracy, f1 in sorted(pairs, key=lambda both: (self.models.index(both[0].model), both[0].test)):
            if not rows or rows[-1][:2] != [accuracy.model, accuracy.test]:
                rules.add(len(rows))
            span = f"{number(accuracy.least)} to {number(accuracy.most)}" if accuracy.runs > 1 else None
            ends = [f"{number(one.low)}–{number(one.high)}" for one in (accuracy, f1)]
            cells: list[Cell] = [accuracy.size, accuracy.runs, accuracy.value, ends[0], span, f1.value, ends[1]]
            rows.append([accuracy.model, accuracy.test, *cells])
        columns = [Column("model"), Column("test set"), *(Column(head, "right") for head in heads)]
        notes = ["the mean of the runs; its interval is over premises, the range over runs"]
        return Table(columns, rows, rules=rules - {0}, notes=notes)

    def changes_table(self) -> Table:
        """Return what each number of pairs changes."""
        heads = (self.along, "change", interval_heading(self.level), "p (holm)")
        rows: list[list[Cell]] = [
            [
                *(one.model, one.test, one.size, f"{one.difference:+.3f}"),
                *(f"{number(one.low)} to {number(one.high)}", p_text(one.p)),
            ]
            for one in self.changes
        ]
        columns = [Column("model"), Column("test set"), *(Column(head, "right") for head in heads)]
        notes = ["change of accuracy against the smallest number of pairs; paired permutation test over premises"]
        return Table(columns, rows, notes=notes)

    def to_dict(self) -> dict[str, object]:
        """Return all figures, ready for JSON."""
        return {
            "signature": self.signature,
            "results": [vars(one) for one in self.points],
            "changes": [vars(one) for one in self.changes],
        }


def _name(model: str, size: int) -> str:
    return f"{model} {size}"


def experiment(
    along: str,
    golds: Mapping[str, GoldSet],
    runs: Mapping[Condition, Mapping[str, Sequence[Run]]],
    *,
    resampling: Resampling = Resampling(),  # noqa: B008 (immutable)
    notes: Sequence[str] = (),
) -> Experiment:
    """Score the runs of models under several conditions.

    Parameters
    ----------
    along
        What the sizes count, such as training pairs.
    golds
        The test sets by name.
    runs
        For each model and size the runs on each test set, such as one for each seed; names of runs differ.
    resampling
        How intervals and tests are computed.
    notes
        Sentences about how the runs were made.
    """
    single = {}
    for test, gold in golds.items():
        given = [run for found in runs.values() for run in found[test]]
        scored = TASK.score(gold, given, ["accuracy"], resampling=resampling)
        single[test] = replace(scored, systems=[one for one in scored.systems if one.system != MAJORITY], notes=())
    return Experiment(along, runs, single, notes)
