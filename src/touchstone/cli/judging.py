"""The verbs ``judge`` and ``plan`` of every task: how good a judge is, and how many labels people must give."""

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from touchstone.cli.estimating import Cluster, PairedMeasures, PopulationChoice, Sides, judged_command, read_pairs
from touchstone.cli.options import Jobs, OutputOptions, PolicyOptions, Report
from touchstone.cli.output import show_finding, working

if TYPE_CHECKING:
    from collections.abc import Sequence

    from touchstone.core.task import Task
    from touchstone.judge.paired import Paired

Seed = Annotated[int, typer.Option(min=0, help="Seed of the random draws.")]


def judge(task: "Task[Any, Any, Any]") -> Any:  # noqa: ANN401 (a command)
    """Return the command that shows how good a judge is."""

    def command(
        gold: Any,  # noqa: ANN401
        judge: Any,  # noqa: ANN401
        runs: Any = None,  # noqa: ANN401
        *,
        measure: PairedMeasures = None,
        report: Report = None,
        cluster: Cluster = None,
        seed: Seed = 0,
        jobs: Jobs = None,
        task_options: Any,  # noqa: ANN401
        policy: PolicyOptions,
        output: OutputOptions,
    ) -> None:
        """Show how good a judge is: agreement with people, bias, calibration, pairs of outputs, system ranking."""
        from touchstone.io.writing import check_outputs
        from touchstone.judge.assessing import assess

        sides = Sides(gold, judge, runs, measure or (), task_options, policy, cluster, seed, jobs)
        check_outputs(sides.inputs(), report, output.out)
        paired = _first_measure(read_pairs(task, sides, output), sides.measures)
        with working("comparing the judge with people", output):
            judging = assess(paired)
        show_finding(output, judging, report=report)

    return judged_command(task, command)


def plan(task: "Task[Any, Any, Any]") -> Any:  # noqa: ANN401 (a command)
    """Return the command that says how many labels people must give."""

    def command(
        gold: Any,  # noqa: ANN401
        judge: Any,  # noqa: ANN401
        runs: Any = None,  # noqa: ANN401
        *,
        width: Annotated[float | None, typer.Option(metavar="W", help="Width of intervals, from end to end.")] = None,
        difference: Annotated[
            float | None, typer.Option(metavar="D", help="A difference between systems that the test should detect.")
        ] = None,
        between: Annotated[
            tuple[str, str] | None, typer.Option(metavar="A B", help="Two systems that the test should separate.")
        ] = None,
        target: Annotated[float | None, typer.Option(help="Required power; 0.8 by default.")] = None,
        minutes_per_item: Annotated[
            float | None,
            typer.Option(metavar="MINUTES", help="Minutes that a person needs for a label; adds the hours of work."),
        ] = None,
        measure: PairedMeasures = None,
        population: PopulationChoice = "source",
        strata: Annotated[
            str | None,
            typer.Option(
                metavar="FIELD",
                help="The field of the strata; people score the same share of each. Needs --population set.",
            ),
        ] = None,
        cluster: Cluster = None,
        seed: Seed = 0,
        jobs: Jobs = None,
        task_options: Any,  # noqa: ANN401
        policy: PolicyOptions,
        output: OutputOptions,
    ) -> None:
        """Show how many human labels an interval or a test needs, with and without the judge, based on a pilot."""
        from touchstone.base.errors import TouchstoneError
        from touchstone.io.writing import check_outputs
        from touchstone.judge.planning import POWER, plan_difference, plan_width

        sides = Sides(gold, judge, runs, measure or (), task_options, policy, cluster, seed, jobs)
        check_outputs(sides.inputs(), output.out)
        if (width is None and difference is None and between is None) or (width is not None and difference is not None):
            hint = "give one of --width W and --difference D, or two systems with --between A B"
            raise TouchstoneError("a plan has one goal: a width or a difference", hint=hint)
        if width is not None and target is not None:
            raise TouchstoneError(
                "--target is the power of a test, not of a width", hint="leave out --target, or give --difference D"
            )
        paired = _first_measure(read_pairs(task, sides, output), sides.measures)
        if width is not None:
            planned = plan_width(paired, width, between, population=population, strata=strata)
        else:
            power = POWER if target is None else target
            planned = plan_difference(paired, difference, between, power=power, population=population, strata=strata)
        show_finding(output, replace(planned, minutes=minutes_per_item))

    return judged_command(task, command)


def _first_measure(pairs: "list[Paired]", measure_names: "Sequence[str]") -> "Paired":
    """Return the scores under one measure: the first, with a note that names the others."""
    from touchstone.judge.pairing import judge_differs

    first, *others = [paired for paired in pairs if measure_names or judge_differs(paired)] or pairs
    if not others:
        return first
    names = ", ".join(paired.measure.name for paired in others)
    note = f"the measure is {first.measure.name}; choose another with --measure: {names}"
    return replace(first, notes=[note, *first.notes])
