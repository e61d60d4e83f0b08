"""The verb ``estimate`` of every task, and how verbs read human scores of some items beside a judge's of all."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from touchstone.cli.options import Jobs, OutputOptions, PolicyOptions, paths, with_options
from touchstone.cli.output import remark, show, tables_dict, working

if TYPE_CHECKING:
    from touchstone.core.pairing import Paired
    from touchstone.core.task import Inputs, Task

TABLES = "items"
"""The task whose two sides are tables of scores; in all others the judge is a second gold."""

Cluster = Annotated[
    str | None,
    typer.Option(metavar="FIELD", help="Items with the same value belong together; item: each by itself."),
]
PairedMeasures = Annotated[
    list[str] | None,
    typer.Option(
        "--measure", "-m", metavar="NAME", help="A measure; HUMAN=JUDGE where the judge has another name. Repeatable."
    ),
]


PopulationChoice = Annotated[
    Literal["source", "set"],
    typer.Option(help="Whether estimates are about other items from the same source or about this set alone."),
]


@dataclass(frozen=True)
class NextOptions:
    """Which items people should get next."""

    next: Annotated[
        int | None,
        typer.Option(min=1, metavar="N", help="Choose N more items for people, with probabilities; -o names the file."),
    ] = None
    strategy: Annotated[
        Literal["uniform", "stratified", "uncertain"],
        typer.Option(help="How to choose them: all alike, by strata, or where the judge is probably wrong."),
    ] = "uniform"
    strata: Annotated[
        str | None, typer.Option(metavar="FIELD", help="The strata; by default tenths of the judge's scores.")
    ] = None
    seed: Annotated[int, typer.Option(min=0, help="Seed of all draws.")] = 0
    asked: Annotated[
        Path | None, typer.Option(metavar="ask.csv", help="The items that --next chose, where people have scored them.")
    ] = None


def judged_command(task: "Task[Any, Any, Any]", function: Any) -> Any:  # noqa: ANN401 (a command)
    """Return a command with the arguments of both sides: *gold*, *judge* and, where the task has them, *runs*."""
    import inspect

    given = inspect.signature(function).parameters
    kinds: dict[str, Any] = _sides(task)
    first = [name for name in ("gold", "judge", "runs") if name in kinds]
    order = [*first, *(name for name in given if name not in ("gold", "judge", "runs"))]
    function.__signature__ = inspect.Signature(
        [given[name].replace(kind=inspect.Parameter.KEYWORD_ONLY) for name in order]
    )
    return with_options(function, **kinds, own=task.options)


def _sides(task: "Task[Any, Any, Any]") -> dict[str, Any]:
    """Return the types of the arguments that name the two sides."""
    if task.name == TABLES:
        human = typer.Argument(
            metavar="HUMAN", help="What people said of some items: a table with system, item, value."
        )
        judge = typer.Argument(metavar="JUDGE", help="What the judge said of all items: a table with the same ids.")
        return {"gold": Annotated[Path, human], "judge": Annotated[Path, judge]}
    many = task.read_run is None
    gold = typer.Argument(metavar="FILE" if many else "GOLD", help=f"What people said of some items. {task.gold_help}")
    judge = typer.Option(
        "--judge", metavar="FILE", help="What the judge said of all items, in any form that the gold has. Repeatable."
    )
    sides = {"gold": Annotated[list[Path] if many else Path, gold], "judge": Annotated[list[Path], judge]}
    runs = typer.Argument(metavar="[NAME=]RUN", help=task.run_help)
    return sides if many else {**sides, "runs": Annotated[list[str] | None, runs]}


def judged_example(task: "Task[Any, Any, Any]") -> str:
    """Return the arguments that the help of such a command shows."""
    return "human.csv judge.csv" if task.name == TABLES else f"{task.example} --judge FILE"


def read_sides(
    task: "Task[Any, Any, Any]",
    gold: Any,  # noqa: ANN401
    judge: Any,  # noqa: ANN401
    runs: Any,  # noqa: ANN401
    own: Any,  # noqa: ANN401
    output: OutputOptions,
) -> "tuple[Inputs[Any, Any], Inputs[Any, Any]]":
    """Return the inputs of people and of the judge; runs are read once, as the judge knows all of their items."""
    with working("reading both sides", output):
        if task.name == TABLES and isinstance(gold, Path):  # several people may have scored an output
            from touchstone.tasks.items.answers import plain_options, read_outputs

            gold, own = read_outputs(gold, own).given, plain_options(own)
        machine = task.read(list(judge) if isinstance(judge, tuple) else judge, runs or (), **vars(own))
        given = machine.runs[len(task.carried(machine.gold)) :]
        return task.read(gold, given, **vars(own)), machine


def estimate(task: "Task[Any, Any, Any]") -> Any:  # noqa: ANN401 (a command)
    """Return the command that joins human and judge scores."""

    def command(
        gold: Any,  # noqa: ANN401
        judge: Any,  # noqa: ANN401
        runs: Any = None,  # noqa: ANN401
        *,
        measure: PairedMeasures = None,
        population: PopulationChoice = "source",
        cluster: Cluster = None,
        jobs: Jobs = None,
        own: Any,  # noqa: ANN401
        policy: PolicyOptions,
        choice: NextOptions,
        output: OutputOptions,
    ) -> None:
        """Estimate systems and differences from few human scores and many of a judge: human only, judge only, both."""
        from touchstone.cli.verbs import option_files
        from touchstone.core import estimating
        from touchstone.core.asking import with_probabilities
        from touchstone.io.writing import check_outputs

        inputs = paths(gold, judge, option_files(own, runs), choice.asked)
        check_outputs(inputs, None if choice.next else output.out, table=output.out if choice.next else None)
        pairs = _paired(task, gold, judge, runs, measure or (), cluster, jobs, own, policy, output)
        if choice.asked:
            pairs = [with_probabilities(paired, choice.asked) for paired in pairs]
        if choice.next:
            _write_next(pairs[0], choice, output)
            return
        found = [estimating.estimate(paired, population=population) for paired in pairs]
        show(
            output,
            [table for one in found for table in one.tables()],
            lambda: {
                "signature": dict(found[0].signature),
                "estimates": [{k: v for k, v in one.to_dict().items() if k != "signature"} for one in found],
            },
            signature=found[0].signature,
            sentences=[*found[0].sentences, ""],
            notes=dict.fromkeys(note for one in found for note in one.notes),
        )

    return judged_command(task, command)


def _write_next(paired: "Paired", choice: NextOptions, output: OutputOptions) -> None:
    """Choose the next items for people and write their table."""
    from touchstone.core.asking import ask_next
    from touchstone.core.tables import Column, Table
    from touchstone.io.writing import write_table

    table = ask_next(paired, choice.next or 0, choice.strategy, strata=choice.strata, seed=choice.seed)
    if output.out:
        write_table(output.out, table)
        earlier = table.num_rows - (choice.next or 0)
        remark([f"{output.out}: {choice.next:,} items to score next; {earlier:,} have human scores"], output)
        return
    columns = [Column("item"), Column("probability", "right"), Column("strategy")]
    shown = [Table(columns, [list(row.values()) for row in table.to_pylist()])]
    show(output, shown, lambda: tables_dict(shown, paired.signature), notes=paired.notes)


def _paired(
    task: "Task[Any, Any, Any]",
    gold: Any,  # noqa: ANN401
    judge: Any,  # noqa: ANN401
    runs: Any,  # noqa: ANN401
    measures: Any,  # noqa: ANN401
    cluster: str | None,
    jobs: int | None,
    own: Any,  # noqa: ANN401
    policy: PolicyOptions,
    output: OutputOptions,
) -> "list[Paired]":
    """Read both sides and pair their records under each measure."""
    from touchstone.core.pairing import pair
    from touchstone.core.resampling import Resampling

    human, machine = read_sides(task, gold, judge, runs, own, output)
    with working("scoring", output):
        how = Resampling(cluster=cluster)
        return pair(task, human, machine, measures, resampling=how, policy=policy.policy(), jobs=jobs)
