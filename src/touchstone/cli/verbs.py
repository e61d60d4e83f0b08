"""The verbs of every task, written once: score, compare, explain, validate, convert."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from touchstone.base.console import remark, working
from touchstone.base.errors import TouchstoneError, nearest
from touchstone.base.options import Figure, ItemTable, NewFile, PaperKit
from touchstone.cli.commands import make_command
from touchstone.cli.engines import locate_records, read_inputs
from touchstone.cli.groups import Maker, first_line
from touchstone.cli.judging import estimate, judge, judged_arguments, judged_example, plan
from touchstone.cli.options import EngineOptions, IntervalOptions, OutputOptions
from touchstone.cli.output import show_finding
from touchstone.cli.parameters import As
from touchstone.core.registry import find_task

if TYPE_CHECKING:
    from touchstone.base.ids import Policy
    from touchstone.core.about import About
    from touchstone.core.results import Results
    from touchstone.core.task import Task
    from touchstone.show.finding import Finding


def verbs_of(about: "About") -> dict[str, Maker]:
    """Return what makes the verbs of a task; a task's own commands stand beside them."""
    verbs = [score, compare, explain, validate, *([convert] if about.converts else []), estimate, judge, plan]
    return {verb.__name__: _maker(about, verb) for verb in verbs}


def _maker(about: "About", verb: Any) -> Maker:  # noqa: ANN401 (a function)
    summary = first_line(verb.__doc__ or "")

    def make(name: str) -> click.Command:
        judged = verb in (estimate, judge, plan)
        special = judged_arguments(about) if judged else _arguments(about)
        if verb is convert:
            special = {"task_options": As(about.convert_options or about.options)}
        help_text = f"{summary}\n\nExample: touchstone {about.name} {name} {_example(about, name)}"
        return make_command(verb, name, bound={"task": partial(find_task, about.name)}, special=special, help=help_text)

    return Maker(summary, make)


def _example(about: "About", verb: str) -> str:
    if verb in ("estimate", "judge", "plan"):
        return judged_example(about) + " --width 0.1" * (verb == "plan")
    if verb == "convert":
        return "IN OUT"
    return f"{about.example or ('FILE' if about.runs_in_gold else 'GOLD NAME=RUN')}{' --item ID' * (verb == 'explain')}"


def _arguments(about: "About") -> dict[str, As | None]:
    """Return the arguments GOLD and RUN; where the gold carries the runs, several GOLD and no RUN."""
    several = about.runs_in_gold
    return {
        "gold": As(list[Path] if several else Path, about.gold_help, "FILE" if several else "GOLD", required=True),
        "runs": None if several else As(list[str], about.run_help, "[NAME=]RUN"),
        "task_options": As(about.options),
    }


def score(
    task: "Task[Any, Any, Any]",
    gold: Any,  # noqa: ANN401 (one file, or several)
    runs: Sequence[str] = (),
    *,
    measure: Sequence[str] = (),
    by: str | None = None,
    items: ItemTable = None,
    task_options: Any,  # noqa: ANN401 (the options of a task)
    engine: EngineOptions,
    policy: "Policy",
    intervals: IntervalOptions,
    output: OutputOptions,
) -> None:
    """Score runs against the gold: values with intervals.

    Parameters
    ----------
    measure : -m NAME
        A measure. Repeatable.
    by : FIELD
        Group the items by a field.
    items : FILE
        Write the values of every item: .jsonl .csv .parquet.
    """
    from touchstone.io.writing import write_table

    where = locate_records(engine, gold, runs, output)
    results = where.score(task, gold, runs, measure, task_options, by=by, policy=policy, intervals=intervals)
    results.statement()  # refuses what has no table before a file is written
    if items:
        write_table(items, results.items.to_arrow())
    repeated = where.command([task.name, "score"], {"measure": measure, "by": by, **_interval_flags(intervals)})
    show_finding(output, results, to_file=not where.made, command=repeated)


def compare(
    task: "Task[Any, Any, Any]",
    gold: Any,  # noqa: ANN401 (one file, or several)
    runs: Sequence[str] = (),
    *,
    measure: Sequence[str] = (),
    by: str | None = None,
    paired_test: str = "permutation",
    correction: Literal["holm", "bh"] = "holm",
    fail_if_worse: str | None = None,
    margin: Sequence[str] = (),
    paper: PaperKit = None,
    task_options: Any,  # noqa: ANN401 (the options of a task)
    engine: EngineOptions,
    policy: "Policy",
    intervals: IntervalOptions,
    output: OutputOptions,
) -> None:
    """Compare all pairs of systems on the same items: differences, intervals, paired tests, ranks.

    Parameters
    ----------
    measure : -m NAME
        A measure. Repeatable.
    by : FIELD
        Compare within the groups of a field too.
    paired_test : TEST
        The paired test, such as permutation or bootstrap.
    correction
        Correction of p over all pairs.
    fail_if_worse : NAME
        Exit with 1 if this system is significantly worse than another.
    margin : [NAME=]LOSS
        With --fail-if-worse: exit with 1 unless the data rule out a larger loss. Repeatable, with the names of
        measures.
    paper : FOLDER
        Write the table, a methods paragraph and references for a paper.
    """
    from touchstone.core.comparison import compare as compare_systems
    from touchstone.core.comparisons import Comparisons
    from touchstone.core.gating import gate
    from touchstone.core.group_comparison import compare_groups
    from touchstone.core.report.paper import write_paper

    _check_gate(fail_if_worse, margin, intervals)
    where = locate_records(engine, gold, runs, output)
    names = measure or task.compared
    results = where.score(task, gold, runs, names, task_options, by=by, policy=policy, intervals=intervals)
    _check_two(task, gold, results)
    with working(f"comparing {len(results.systems)} systems on {len(results):,} items"):
        compared = _compared(task, results, names)
        margins = _margins(fail_if_worse, margin, results, compared, named=bool(names))
        comparisons = [compare_systems(results, name, test=paired_test, correction=correction) for name in compared]
        grouped = compared if by else ()
        groups = [compare_groups(results, name, test=paired_test, correction=correction) for name in grouped]
        gates = [
            gate(comparison, fail_if_worse, margin=margins[comparison.measure])
            for comparison in comparisons
            if fail_if_worse is not None and comparison.measure in margins
        ]
    if paper:
        write_paper(comparisons, paper, gates=gates)
        remark([f"the paper kit is in {paper}"])
    options = {"measure": names, "by": by, "paired-test": paired_test, "correction": correction}
    repeated = where.command([task.name, "compare"], options | _interval_flags(intervals))
    show_finding(output, Comparisons(comparisons, groups, gates), to_file=not where.made, command=repeated)


def _check_two(task: "Task[Any, Any, Any]", gold: Any, results: "Results") -> None:  # noqa: ANN401 (an argument)
    """Refuse a single system; the first file was the gold, which is easily overlooked."""
    if len(results.systems) > 1:
        return
    hint = "give the answers of another one"
    if not task.runs_in_gold and isinstance(gold, Path):
        kind = (task.shard_rows.gold_line if task.shard_rows else None) or "gold"
        hint = f"{gold} was read as the {kind}, and {results.systems[0].system} is the only run: give the {kind} first"
    raise TouchstoneError("a comparison needs two systems", hint=hint)


def _check_gate(system: str | None, margins: Sequence[str], intervals: IntervalOptions) -> None:
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


def explain(
    task: "Task[Any, Any, Any]",
    gold: Any,  # noqa: ANN401 (one file, or several)
    runs: Sequence[str] = (),
    *,
    item: str | None = None,
    measure: Sequence[str] = (),
    svg: Figure = None,
    task_options: Any,  # noqa: ANN401 (the options of a task)
    policy: "Policy",
) -> "Finding":
    """Show why one item has its values, in all runs.

    Parameters
    ----------
    item : ID
        The id of the item; required if there are several.
    measure : -m NAME
        A measure. Repeatable.
    svg : FILE.svg
        Draw the item.
    """
    explanation = task.explain(read_inputs(task, gold, runs, task_options), item=item, measure=measure, policy=policy)
    if svg:
        from touchstone.core.report.results import draw
        from touchstone.io.writing import write_text

        write_text(svg, draw(explanation))
    return explanation


def validate(
    task: "Task[Any, Any, Any]",
    gold: Any,  # noqa: ANN401 (one file, or several)
    runs: Sequence[str] = (),
    *,
    strict: bool = False,
    json: bool = False,
    task_options: Any,  # noqa: ANN401 (the options of a task)
    policy: "Policy",
) -> None:
    """List every problem of the inputs, with line numbers; the exit code is 2 if they cannot be scored.

    Parameters
    ----------
    strict
        Exit with 2 for warnings too.
    json
        Print one JSON object.
    """
    problems = task.validate(gold, runs, policy=policy, **vars(task_options))
    show_finding(OutputOptions(json=json), problems)
    if problems.faults or (strict and problems.warnings):
        raise click.exceptions.Exit(2)


def convert(
    task: "Task[Any, Any, Any]",
    input_file: Path,
    written: NewFile,
    *,
    task_options: Any,  # noqa: ANN401 (the options of a task)
) -> None:
    """Convert gold or a run to another format; the suffix of OUT determines the format.

    Parameters
    ----------
    input_file : IN
        Gold or a run, in any format that is read.
    written : OUT
        The file to write; its suffix determines the format.
    """
    remark([f"{written}: {task.convert(input_file, written, **vars(task_options))}"], always=True)


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
