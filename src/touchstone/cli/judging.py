"""The verbs ``judge`` and ``plan`` of every task: how good a judge is, and how many labels people must give."""

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from touchstone.cli.estimating import TABLES, Cluster, PairedMeasures, PopulationChoice, judged_command, read_sides
from touchstone.cli.options import Jobs, OutputOptions, PolicyOptions, Report, paths
from touchstone.cli.output import show, working, write_report

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from touchstone.core.outputs import Place
    from touchstone.core.pairing import Paired
    from touchstone.core.task import Task

    Answers = Mapping[Place, Sequence[float]]
    Fields = Mapping[str, Mapping[Place, str]]

Seed = Annotated[int, typer.Option(min=0, help="Seed of all draws.")]


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
        own: Any,  # noqa: ANN401
        policy: PolicyOptions,
        output: OutputOptions,
    ) -> None:
        """Show how good a judge is: agreement with people, bias, calibration, pairs, and a ranking beside theirs."""
        from touchstone.cli.verbs import option_files
        from touchstone.core.judging import assess
        from touchstone.core.judging_tables import sentences, tables, to_dict
        from touchstone.core.resampling import Resampling
        from touchstone.io.writing import check_outputs

        check_outputs(paths(gold, judge, option_files(own, runs)), report, output.out)
        how = Resampling(seed=seed, cluster=cluster)
        paired, answers, fields = _read(task, (gold, judge, runs), measure or (), how, jobs, own, policy, output)
        with working("comparing the judge with people", output):
            found = assess(paired, answers, fields)
        if report:
            from touchstone.report.judging import judging_page

            if write_report(report, lambda: judging_page(found), output):
                return
        show(
            output,
            tables(found),
            lambda: to_dict(found),
            signature=found.signature,
            sentences=sentences(found),
            notes=found.notes,
        )

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
            float | None, typer.Option(metavar="D", help="Difference of systems to be found.")
        ] = None,
        between: Annotated[
            tuple[str, str] | None, typer.Option(metavar="A B", help="Two systems to be told apart.")
        ] = None,
        target: Annotated[float, typer.Option(help="Power that is enough.")] = 0.8,
        measure: PairedMeasures = None,
        population: PopulationChoice = "source",
        cluster: Cluster = None,
        seed: Seed = 0,
        jobs: Jobs = None,
        own: Any,  # noqa: ANN401
        policy: PolicyOptions,
        output: OutputOptions,
    ) -> None:
        """Show how many human labels an interval or a comparison needs, with and without the judge, from a pilot."""
        from touchstone.cli.verbs import option_files
        from touchstone.core.errors import TouchstoneError
        from touchstone.core.planning import plan_difference, plan_width
        from touchstone.core.resampling import Resampling
        from touchstone.io.writing import check_outputs

        check_outputs(paths(gold, judge, option_files(own, runs)), output.out)
        if (width is None and difference is None and between is None) or (width is not None and difference is not None):
            hint = "give one of --width W and --difference D, or two systems with --between A B"
            raise TouchstoneError("a plan is for one wish: a width or a difference", hint=hint)
        how = Resampling(seed=seed, cluster=cluster)
        paired, *_ = _read(task, (gold, judge, runs), measure or (), how, jobs, own, policy, output)
        if width is not None:
            found = plan_width(paired, width, between, population=population)
        else:
            found = plan_difference(paired, difference, between, power=target, population=population)
        show(output, found.tables(), found.to_dict, signature=found.signature, notes=found.notes)

    return judged_command(task, command)


def _read(
    task: "Task[Any, Any, Any]",
    sides: tuple[Any, Any, Any],
    measures: "Sequence[str]",
    how: Any,  # noqa: ANN401 (a resampling)
    jobs: int | None,
    own: Any,  # noqa: ANN401
    policy: PolicyOptions,
    output: OutputOptions,
) -> "tuple[Paired, Answers, Fields]":
    """Return the scores of both sides under one measure; from tables also the answers of people and further columns."""
    from touchstone.core.pairing import pair

    gold, judge, runs = sides
    tables = None
    if task.name == TABLES:
        from touchstone.tasks.items.answers import check_outputs_judged, output_fields, plain_options, read_outputs

        tables = read_outputs(gold, own), read_outputs(judge, own)
        if policy.unknown == "error":
            check_outputs_judged(*tables)
        (gold, judge), own = (table.given for table in tables), plain_options(own)
    human, machine = read_sides(task, gold, judge, runs, own, output)
    with working("scoring", output):
        found = pair(task, human, machine, measures, resampling=how, policy=policy.policy(), jobs=jobs)
    paired = _one(found, measures)
    if tables is None:
        return paired, {}, {}
    return paired, tables[0].answers_to(paired.measure.name), output_fields(*tables)


def _one(found: "list[Paired]", asked: "Sequence[str]") -> "Paired":
    """Return the scores under one measure: the first, with a note that names the others."""
    from touchstone.core.outputs import scored_apart

    first, *others = [one for one in found if asked or scored_apart(one)] or found
    if not others:
        return first
    names = ", ".join(one.measure.name for one in others)
    note = f"the measure is {first.measure.name}; choose another with --measure: {names}"
    return replace(first, notes=[note, *first.notes])
