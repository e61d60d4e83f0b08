"""Models that were trained or tuned on different numbers of pairs, on several test sets: values and changes."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from touchstone.base.tables import Cell, Column, Table, number, p_text
from touchstone.core.comparison import compare
from touchstone.core.resampling import Resampling, interval_heading
from touchstone.show.finding import Finding, Statement, kind_rows
from touchstone.systems.inference.runs import Condition, ModelRun, ModelRuns, Point, score_runs
from touchstone.tasks.nli.model import GoldSet

MEASURES = ("accuracy", "macro_f1")


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


@dataclass(frozen=True, eq=False, repr=False)
class Experiment(Finding):
    """Models under several conditions on several test sets; *along* says what their sizes count."""

    title: str
    along: str
    runs: ModelRuns = field(repr=False)
    notes: Sequence[str] = ()

    @property
    def level(self) -> float:
        """The confidence level of all intervals."""
        return self.runs.resampling.level

    @property
    def signature(self) -> dict[str, str]:
        """What the figures depend on."""
        return self.runs.signature

    @cached_property
    def points(self) -> list[Point]:
        """Every mean, with its interval and the range of the runs."""
        return self.runs.points(MEASURES)

    @cached_property
    def changes(self) -> list[Change]:
        """What each size changes in accuracy against the smallest, with paired tests over premises."""
        changes = []
        for model in self.runs.models:
            sizes = {
                str(condition): condition.size for condition in self._conditions(model) if condition.size is not None
            }
            smallest = min(sizes.values())
            for test, results in self.runs.means.items():
                systems = [system for system in results.systems if system.system in sizes]
                for pair in compare(replace(results, systems=systems), "accuracy").pairs if len(systems) > 1 else ():
                    # A pair has the order of the systems; a change is always from the smaller size to the larger.
                    small, large = sorted((pair.a, pair.b), key=lambda name: sizes[name])
                    if sizes[small] == smallest:
                        sign = 1 if pair.a == large else -1
                        low, high = sorted((sign * pair.low, sign * pair.high))
                        changes.append(
                            Change(model, test, sizes[large], sign * pair.difference, low, high, pair.p_adjusted)
                        )
        models = self.runs.models
        return sorted(changes, key=lambda change: (models.index(change.model), change.test, change.size))

    def _conditions(self, model: str) -> list[Condition]:
        return [condition for condition in self.runs.methods if condition.model == model]

    def sentences(self) -> list[str]:
        """Return what the largest size changes in the accuracy of two models at most, on the last test set."""
        test = list(self.runs.single)[-1]
        last = {change.model: change for change in self.changes if change.test == test}
        heading = interval_heading(self.level)
        return [
            f"From {min(condition.size or 0 for condition in self._conditions(model)):,} to "
            f"{change.size:,} {self.along}, the accuracy of {model} on {test} changes by {change.difference:+.3f} "
            f"({heading} {number(change.low)} to {number(change.high)}; p = {number(change.p)})."
            for model, change in list(last.items())[:2]
        ]

    def table(self) -> Table:
        """Return the accuracy and the macro-F1 of each model under each condition on each test set."""
        interval = interval_heading(self.level)
        heads = (self.along, "runs", "accuracy", interval, "range", "macro_f1", interval)
        models = self.runs.models
        rows: list[list[Cell]] = []
        rules = set()
        pairs = zip(self.points[::2], self.points[1::2], strict=True)
        for accuracy, f1 in sorted(pairs, key=lambda both: (models.index(both[0].model), both[0].test)):
            if not rows or rows[-1][:2] != [accuracy.model, accuracy.test]:
                rules.add(len(rows))
            span = f"{number(accuracy.least)} to {number(accuracy.most)}" if accuracy.runs > 1 else None
            ends = [f"{number(point.low)}–{number(point.high)}" for point in (accuracy, f1)]
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
                *(change.model, change.test, change.size, f"{change.difference:+.3f}"),
                *(f"{number(change.low)} to {number(change.high)}", p_text(change.p)),
            ]
            for change in self.changes
        ]
        columns = [Column("model"), Column("test set"), *(Column(head, "right") for head in heads)]
        notes = ["change of accuracy against the smallest number of pairs; paired permutation test over premises"]
        return Table(columns, rows, notes=notes)

    def statement(self) -> Statement:
        """Return values and changes; the report draws the values over the number of pairs."""
        from touchstone.systems.inference.report import experiment_sections

        return Statement(
            self.title,
            [self.table(), self.changes_table()],
            [*self.runs.value_rows(MEASURES), *kind_rows("change", map(vars, self.changes))],
            self.sentences(),
            self.notes,
            self.signature,
            subtitle=f"{', '.join(self.runs.models)} on {', '.join(self.runs.single)}",
            sections=lambda: experiment_sections(self),
        )


def experiment(
    title: str,
    along: str,
    golds: Mapping[str, GoldSet],
    runs: Iterable[ModelRun],
    *,
    resampling: Resampling = Resampling(),  # noqa: B008 (immutable)
    notes: Sequence[str] = (),
) -> Experiment:
    """Score the runs of models under several conditions.

    Parameters
    ----------
    title
        What was tried: the title of the report.
    along
        What the sizes count, such as training pairs.
    golds
        The test sets by name.
    runs
        What each run of a model gave on each test set, such as one run for each seed; names of runs differ.
    resampling
        How intervals and tests are computed.
    notes
        Sentences about how the runs were made.
    """
    return Experiment(title, along, score_runs(golds, runs, resampling), notes)
