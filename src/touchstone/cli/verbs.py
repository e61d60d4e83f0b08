"""The verbs of every task, written once: score, compare, explain, validate, convert.

For few human scores and many of a judge there are three more: estimate, judge, plan.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from touchstone.cli.estimating import estimate, judged_example
from touchstone.cli.groups import group_app
from touchstone.cli.judging import judge, plan
from touchstone.cli.options import (
    Drawing,
    IntervalOptions,
    Items,
    MeasureNames,
    OutputOptions,
    Paper,
    PolicyOptions,
    Report,
    paths,
    with_options,
)
from touchstone.cli.output import remark, show_finding, working
from touchstone.cli.sharding import ShardOptions, read_inputs

if TYPE_CHECKING:
    from touchstone.core.results import Results
    from touchstone.core.task import Task

By = Annotated[str | None, typer.Option(metavar="FIELD", help="Group the items by a field.")]


def task_app(task: "Task[Any, Any, Any]") -> typer.Typer:
    """Return the command group of a task, with the verbs; a task's own commands are added to it."""
    app = group_app(task.summary)
    verbs = [score, compare, explain, validate, *([convert] if task.converts else []), estimate, judge, plan]
    for verb in verbs:
        command = verb(task)
        app.command(verb.__name__, help=_help(command, task, verb.__name__))(command)
    return app


def _help(command: Any, task: "Task[Any, Any, Any]", verb: str) -> str:  # noqa: ANN401 (a command)
    more = {"explain": " --item ID", "compare": "", "convert": ""}.get(verb, "")
    default_arguments = "FILE" if task.runs_in_gold else "GOLD NAME=RUN"
    example = "IN OUT" if verb == "convert" else f"{task.example or default_arguments}{more}"
    if verb in ("estimate", "judge", "plan"):
        example = judged_example(task) + " --width 0.1" * (verb == "plan")
    return f"{command.__doc__.strip()}\n\nExample: touchstone {task.name} {verb} {example}"


def _arguments(task: "Task[Any, Any, Any]") -> dict[str, Any]:
    """Return the types of the arguments GOLD and RUN; where the gold carries the runs, several GOLD and no RUN."""
    name = "FILE" if task.runs_in_gold else "GOLD"
    gold = typer.Argument(metavar=name, help=task.gold_help)
    runs = typer.Argument(metavar="[NAME=]RUN", help=task.run_help)
    if task.runs_in_gold:
        return {"gold": Annotated[list[Path], gold]}
    return {"gold": Annotated[Path, gold], "runs": Annotated[list[str] | None, runs]}


def _command(task: "Task[Any, Any, Any]", function: Any) -> Any:  # noqa: ANN401 (a command)
    """Return a command with the arguments and options of a task; without RUN where the gold carries the runs."""
    import inspect

    if task.runs_in_gold:
        parameters = [p for p in inspect.signature(function).parameters.values() if p.name != "runs"]
        function.__signature__ = inspect.Signature(parameters)
    return with_options(function, **_arguments(task), task_options=task.options)


def option_files(task_options: Any, runs: Any = ()) -> list[Path]:  # noqa: ANN401
    """Return the files of runs and of a task's options, for outputs to stay off."""
    from touchstone.io.runs import run_path

    values = [
        part for value in vars(task_options).values() for part in (value if isinstance(value, tuple) else [value])
    ]
    files = [*(runs or ()), *(value for value in values if isinstance(value, str | Path))]
    return [run_path(str(file)) for file in files]


def score(task: "Task[Any, Any, Any]") -> Any:  # noqa: ANN401 (a command)
    """Return the command that scores runs."""

    def command(
        gold: Any,  # noqa: ANN401
        runs: Any = None,  # noqa: ANN401
        *,
        measure: MeasureNames = None,
        by: By = None,
        items: Items = None,
        report: Report = None,
        task_options: Any,  # noqa: ANN401
        engine: ShardOptions,
        policy: PolicyOptions,
        intervals: IntervalOptions,
        output: OutputOptions,
    ) -> None:
        """Score runs against the gold: values with intervals."""
        from touchstone.io.writing import check_outputs, write_table

        where = engine.locate_records(gold, runs, output, report)
        check_outputs(paths(gold, option_files(task_options, runs)), report, where.file, table=items)
        results = where.score(task, gold, runs, measure or (), task_options, by=by, policy=policy, intervals=intervals)
        results.statement()  # refuses what has no table before a file is written
        if items:
            write_table(items, results.items.to_arrow())
        again = {"measure": measure, "by": by, **_interval_flags(intervals)}
        show_finding(
            output, results, report=report, to_file=where.to_file, command=where.command([task.name, "score"], again)
        )

    return _command(task, command)


def compare(task: "Task[Any, Any, Any]") -> Any:  # noqa: ANN401 (a command)
    """Return the command that compares systems."""

    def command(
        gold: Any,  # noqa: ANN401
        runs: Any = None,  # noqa: ANN401
        *,
        measure: MeasureNames = None,
        by: Annotated[
            str | None, typer.Option(metavar="FIELD", help="Compare within the groups of a field too.")
        ] = None,
        paired_test: Annotated[
            str, typer.Option(metavar="TEST", help="The paired test, such as permutation or bootstrap.")
        ] = "permutation",
        correction: Annotated[Literal["holm", "bh"], typer.Option(help="Correction of p over all pairs.")] = "holm",
        fail_if_worse: Annotated[
            str | None,
            typer.Option(metavar="NAME", help="Exit with 1 if this system is significantly worse than another."),
        ] = None,
        margin: Annotated[
            list[str] | None,
            typer.Option(
                metavar="[NAME=]LOSS",
                help="With --fail-if-worse: exit with 1 unless the data rule out a larger loss. "
                "Repeatable, with the names of measures.",
            ),
        ] = None,
        report: Report = None,
        paper: Paper = None,
        task_options: Any,  # noqa: ANN401
        engine: ShardOptions,
        policy: PolicyOptions,
        intervals: IntervalOptions,
        output: OutputOptions,
    ) -> None:
        """Compare all pairs of systems on the same items: differences, intervals, paired tests, ranks."""
        from touchstone.core.comparison import compare as compare_systems
        from touchstone.core.comparisons import Comparisons
        from touchstone.core.gating import gate
        from touchstone.core.group_comparison import compare_groups
        from touchstone.io.writing import check_outputs

        _check_gate(fail_if_worse, margin or (), intervals)
        where = engine.locate_records(gold, runs, output, report)
        names = measure or task.compared
        check_outputs(paths(gold, option_files(task_options, runs)), report, where.file, paper)
        results = where.score(task, gold, runs, names, task_options, by=by, policy=policy, intervals=intervals)
        _check_two(task, gold, results)
        with working(f"comparing {len(results.systems)} systems on {len(results):,} items", output):
            compared = _compared(task, results, names)
            margins = _margins(fail_if_worse, margin or (), results, compared, named=bool(names))
            comparisons = [compare_systems(results, name, test=paired_test, correction=correction) for name in compared]
            groups = [
                compare_groups(results, name, test=paired_test, correction=correction)
                for name in (compared if by else ())
            ]
            gates = [
                gate(comparison, fail_if_worse, margin=margins[comparison.measure])
                for comparison in comparisons
                if fail_if_worse is not None and comparison.measure in margins
            ]
            finding = Comparisons(comparisons, groups, gates)
        if paper:
            from touchstone.core.report.paper import write_paper

            write_paper(comparisons, paper, gates=gates)
            remark([f"the paper kit is in {paper}"], output)
        again = {"measure": names, "by": by, "paired-test": paired_test, "correction": correction}
        repeated = where.command([task.name, "compare"], again | _interval_flags(intervals))
        show_finding(output, finding, report=report, to_file=where.to_file, command=repeated)

    return _command(task, command)


def _check_two(task: "Task[Any, Any, Any]", gold: Any, results: "Results") -> None:  # noqa: ANN401 (an argument)
    """Refuse a single system; the first file was the gold, which is easily overlooked."""
    from touchstone.base.errors import TouchstoneError

    if len(results.systems) > 1:
        return
    hint = "give the answers of another one"
    if not task.runs_in_gold and isinstance(gold, Path):
        kind = (task.shard_rows.gold_line if task.shard_rows else None) or "gold"
        hint = f"{gold} was read as the {kind}, and {results.systems[0].system} is the only run: give the {kind} first"
    raise TouchstoneError("a comparison needs two systems", hint=hint)


def _check_gate(system: str | None, margins: Sequence[str], intervals: IntervalOptions) -> None:
    from touchstone.base.errors import TouchstoneError

    if margins and system is None:
        raise TouchstoneError("--margin belongs to --fail-if-worse", hint="add --fail-if-worse NAME")
    if margins and intervals.intervals == "none":
        raise TouchstoneError("--margin needs intervals", hint="leave out --intervals none")


def _margins(
    system: str | None, margin_texts: Sequence[str], results: "Results", measures: Sequence[str], *, named: bool
) -> dict[str, float | None]:
    """Return the measures that decide, each with its margin if it has one.

    Refuse a gate over several measures where one margin cannot suit all, or where nobody chose them.
    """
    from touchstone.base.errors import TouchstoneError, nearest

    every, example = ", ".join(measures), " ".join(f"--margin {name}=LOSS" for name in measures)
    chosen: dict[str, float | None] = {}
    for text in margin_texts:
        name, equals, loss = text.rpartition("=")
        if not equals and len(measures) > 1:
            what = f"--margin is in units of one measure, and there are several: {every}"
            raise TouchstoneError(what, hint=f"give each its own: {example}")
        measures_by_name = {**{measure_name: measure_name for measure_name in measures}, **results.asked}
        if equals and measures_by_name.get(name) not in measures:
            raise TouchstoneError("--margin for a measure that is not compared", value=name,
                                  near=nearest(name, measures), hint=f"compared: {every}")  # fmt: skip
        measure = measures_by_name[name] if equals else measures[0]
        if measure in chosen:
            raise TouchstoneError("two margins for one measure", value=measure, hint="give one --margin for each")
        try:
            chosen[measure] = float(loss)
        except ValueError:
            raise TouchstoneError(
                "a margin is a number, or NAME=NUMBER", value=text, hint=f"such as {example}"
            ) from None
    if chosen and named and len(chosen) < len(measures):
        without = ", ".join(name for name in measures if name not in chosen)
        raise TouchstoneError(f"measures without a margin: {without}", hint=f"give each its own: {example}")
    if system is not None and not chosen and not named and len(measures) > 1:
        hint = "choose those that decide with --measure; name those where lower is better with --lower-is-better"
        raise TouchstoneError(f"--fail-if-worse with several columns of scores: {every}", hint=hint)
    return chosen or dict.fromkeys(measures)


def explain(task: "Task[Any, Any, Any]") -> Any:  # noqa: ANN401 (a command)
    """Return the command that explains one item."""

    def command(
        gold: Any,  # noqa: ANN401
        runs: Any = None,  # noqa: ANN401
        *,
        item: Annotated[
            str | None, typer.Option(metavar="ID", help="The id of the item; required if there are several.")
        ] = None,
        measure: MeasureNames = None,
        svg: Drawing = None,
        report: Report = None,
        task_options: Any,  # noqa: ANN401
        policy: PolicyOptions,
        output: OutputOptions,
    ) -> None:
        """Show why one item has its values, in all runs."""
        from touchstone.io.writing import check_outputs, write_text

        check_outputs(paths(gold, option_files(task_options, runs)), svg, report, output.out)
        inputs = read_inputs(task, gold, runs, task_options, output)
        explanation = task.explain(inputs, item=item, measure=measure, policy=policy.policy())
        if svg:
            from touchstone.core.report.results import draw

            write_text(svg, draw(explanation))
        show_finding(output, explanation, report=report)

    return _command(task, command)


def validate(task: "Task[Any, Any, Any]") -> Any:  # noqa: ANN401 (a command)
    """Return the command that lists problems."""

    def command(
        gold: Any,  # noqa: ANN401
        runs: Any = None,  # noqa: ANN401
        *,
        task_options: Any,  # noqa: ANN401
        policy: PolicyOptions,
        strict: Annotated[bool, typer.Option("--strict", help="Exit with 2 for warnings too.")] = False,
        as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    ) -> None:
        """List every problem of the inputs, with line numbers; the exit code is 2 if they cannot be scored."""
        problems = task.validate(gold, runs or (), policy=policy.policy(), **vars(task_options))
        show_finding(OutputOptions(json=as_json), problems)
        if problems.faults or (strict and problems.warnings):
            raise typer.Exit(2)

    return _command(task, command)


def convert(task: "Task[Any, Any, Any]") -> Any:  # noqa: ANN401 (a command)
    """Return the command that writes a file in another format."""

    def command(
        input_file: Annotated[Path, typer.Argument(metavar="IN", help="Gold or a run, in any format that is read.")],
        written: Annotated[
            Path, typer.Argument(metavar="OUT", help="The file to write; its suffix determines the format.")
        ],
        *,
        task_options: Any,  # noqa: ANN401
    ) -> None:
        """Convert gold or a run to another format; the suffix of OUT determines the format."""
        from touchstone.io.writing import check_outputs

        check_outputs([input_file], written)
        remark([f"{written}: {task.convert(input_file, written, **vars(task_options))}"])

    return with_options(command, task_options=task.convert_options or task.options)


def _interval_flags(intervals: IntervalOptions) -> dict[str, object]:
    defaults = IntervalOptions()
    return {name: value for name, value in vars(intervals).items() if value != getattr(defaults, name)}


def _compared(task: "Task[Any, Any, Any]", results: "Results", names: Any) -> list[str]:  # noqa: ANN401
    """Return the measures to compare: those asked for, without what a task scores beside them."""
    if not names:
        return [measure.name for measure in results.measures]
    scored = [measure.name for measure in results.measures]
    selected = []
    for name in names:
        made = [measure.name for measure in task.measures.find_all([name]) if measure.name in scored]
        selected += made or [results.measure(name).name]
    supplied = [measure.name for measure in results.measures if measure.supplied]
    return list(dict.fromkeys([*selected, *supplied]))
