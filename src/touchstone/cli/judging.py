"""``touchstone items judge`` and ``plan``: how good a judge is beside people, and how many labels people must give."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from touchstone.cli.options import MeasureNames, OutputOptions, PolicyOptions, Report, with_options
from touchstone.cli.output import show, working, write_report
from touchstone.tasks.items import Options

if TYPE_CHECKING:
    from touchstone.core.pairing import Paired
    from touchstone.tasks.items.answers import OutputTable

Human = Annotated[
    Path,
    typer.Argument(metavar="HUMAN", help="What people gave some items: system, item, score; annotator, if several."),
]
Judge = Annotated[Path, typer.Argument(metavar="JUDGE", help="What the judge gave all items: system, item, score.")]
Cluster = Annotated[
    str | None, typer.Option(metavar="FIELD", help="Items with the same value belong together; item: each by itself.")
]
Draws = Annotated[int, typer.Option(min=20, help="Draws of the bootstrap.")]
Seed = Annotated[int, typer.Option(min=0, help="Seed of all draws.")]


def add_commands(app: typer.Typer) -> None:
    """Add the two commands to the group of the task ``items``."""
    commands: tuple[Callable[..., None], ...] = (judge, plan)
    for command in commands:
        app.command(command.__name__)(with_options(command))


def judge(
    human: Human,
    judge: Judge,
    *,
    measure: MeasureNames = None,
    report: Report = None,
    cluster: Cluster = None,
    draws: Draws = 1000,
    seed: Seed = 0,
    own: Options,
    policy: PolicyOptions,
    output: OutputOptions,
) -> None:
    """Show how good a judge is: agreement with people, bias, calibration, and whether it ranks systems otherwise.

    Example: touchstone items judge human.csv judge.csv --report judge.html
    """
    from touchstone.core.judging import assess
    from touchstone.core.judging_tables import sentences, tables, to_dict
    from touchstone.io.writing import check_outputs
    from touchstone.tasks.items.answers import output_fields

    check_outputs([human, judge], report, output.out)
    people, machine, paired = _read(human, judge, measure, cluster, (draws, seed), own, policy, output)
    with working("comparing the judge with people", output):
        found = assess(paired, people.answers_to(paired.measure.name), output_fields(people, machine))
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


def plan(
    human: Human,
    judge: Judge,
    *,
    width: Annotated[float | None, typer.Option(metavar="W", help="Width of intervals, from end to end.")] = None,
    difference: Annotated[float | None, typer.Option(metavar="D", help="Difference of systems to be found.")] = None,
    between: Annotated[
        tuple[str, str] | None, typer.Option(metavar="A B", help="Two systems to be told apart.")
    ] = None,
    target: Annotated[float, typer.Option(help="Power that is enough.")] = 0.8,
    measure: MeasureNames = None,
    population: Annotated[
        Literal["source", "set"], typer.Option(help="What estimates are about: other such items, or these alone.")
    ] = "source",
    cluster: Cluster = None,
    seed: Seed = 0,
    own: Options,
    policy: PolicyOptions,
    output: OutputOptions,
) -> None:
    """Show how many human labels an interval or a comparison needs, with and without the judge, from a pilot.

    Example: touchstone items plan human.csv judge.csv --width 0.04
    """
    from touchstone.core.errors import TouchstoneError
    from touchstone.core.planning import plan_difference, plan_width
    from touchstone.io.writing import check_outputs

    check_outputs([human, judge], output.out)
    if (width is not None and difference is not None) or (width is None and difference is None and between is None):
        hint = "give one of --width W, --difference D, --between A B (which goes with either)"
        raise TouchstoneError("a plan is for one wish: a width or a difference", hint=hint)
    *_, paired = _read(human, judge, measure, cluster, (1000, seed), own, policy, output)
    if width is not None:
        found = plan_width(paired, width, between, population=population)
    else:
        found = plan_difference(paired, difference, between, power=target, population=population)
    show(output, found.tables(), found.to_dict, signature=found.signature, notes=found.notes)


def _read(
    human: Path,
    judge: Path,
    measure: list[str] | None,
    cluster: str | None,
    draws: tuple[int, int],
    own: Options,
    policy: PolicyOptions,
    output: OutputOptions,
) -> tuple["OutputTable", "OutputTable", "Paired"]:
    """Return both tables, and the scores of the outputs that both have under the measure asked for."""
    from touchstone.core.pairing import paired_tables
    from touchstone.core.resampling import Resampling
    from touchstone.tasks.items.answers import check_outputs_judged, plain_options, read_outputs

    with working(f"reading {human} and {judge}", output):
        people, machine = read_outputs(human, own), read_outputs(judge, own)
        if policy.unknown == "error":
            check_outputs_judged(people, machine)
        found = paired_tables(
            people.given,
            machine.given,
            measure or (),
            resampling=Resampling(draws=draws[0], seed=draws[1], cluster=cluster),
            policy=policy.policy(),
            **vars(plain_options(own)),
        )
    return people, machine, _one(found, measure)


def _one(found: list["Paired"], asked: list[str] | None) -> "Paired":
    """Return the scores under one measure: the first, with a note that names the others."""
    from touchstone.core.outputs import scored_apart

    first, *others = [one for one in found if asked or scored_apart(one)] or found
    if not others:
        return first
    names = ", ".join(one.measure.name for one in others)
    note = f"the measure is {first.measure.name}; choose another with --measure: {names}"
    return replace(first, notes=[note, *first.notes])
