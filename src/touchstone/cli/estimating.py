"""The verb ``estimate`` of every task, and how verbs read human scores of some items beside a judge's of all."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from touchstone.cli.options import Jobs, OutputOptions, PolicyOptions, Report, paths, with_options
from touchstone.cli.output import remark, show_finding, working

if TYPE_CHECKING:
    from touchstone.core.inputs import Inputs
    from touchstone.core.task import Task
    from touchstone.judge.paired import Paired

Cluster = Annotated[
    str | None,
    typer.Option(
        metavar="FIELD", help="Treat items with the same value of this field as one cluster; item: no clusters."
    ),
]
PairedMeasures = Annotated[
    list[str] | None,
    typer.Option(
        "--measure",
        "-m",
        metavar="NAME",
        help="A measure; HUMAN=JUDGE if the judge's column has another name. Repeatable.",
    ),
]


Confidence = Annotated[
    float,
    typer.Option(
        min=0.5, max=0.999, help="Confidence level of intervals; .95 means that 95% of them contain the true value."
    ),
]

PopulationChoice = Annotated[
    Literal["source", "set"],
    typer.Option(help="Whether estimates are about other items from the same source or only about this set."),
]


@dataclass(frozen=True)
class NextOptions:
    """Which items people should get next."""

    next: Annotated[
        int | None,
        typer.Option(
            min=1,
            metavar="N",
            help="Choose N more items for people to score, with probabilities, and write them to -o FILE. If there "
            "are no human scores yet, give an empty file for them.",
        ),
    ] = None
    strategy: Annotated[
        Literal["uniform", "stratified", "uncertain"] | None,
        typer.Option(help="How to choose them: uniformly (the default), by strata, or where the judge may be wrong."),
    ] = None
    strata: Annotated[
        str | None,
        typer.Option(
            metavar="FIELD",
            help="The field of the strata. With --next: draw the same share of each; by default of each tenth of the "
            "judge's scores. Without --next: the strata of the sample; needs --population set.",
        ),
    ] = None
    seed: Annotated[int, typer.Option(min=0, help="Seed of the random draws.")] = 0
    selection: Annotated[
        Path | None,
        typer.Option(
            "--asked", metavar="ask.csv", help="The file that --next wrote, after people have scored its items."
        ),
    ] = None

    def check(self, report: Path | None) -> None:
        """Refuse options that would do nothing."""
        from touchstone.base.errors import TouchstoneError

        if self.strategy and not self.next:
            raise TouchstoneError("--strategy is for --next", hint="say how many items to choose with --next N")
        if self.next and report:
            raise TouchstoneError("--next chooses items and has no report", hint="leave out --next or --report")


def judged_command(task: "Task[Any, Any, Any]", function: Any) -> Any:  # noqa: ANN401 (a command)
    """Return a command with the arguments of both sides: *gold*, *judge* and, where the task has them, *runs*."""
    import inspect

    function_parameters = inspect.signature(function).parameters
    kinds: dict[str, Any] = _sides(task)
    first = [name for name in ("gold", "judge", "runs") if name in kinds]
    order = [*first, *(name for name in function_parameters if name not in ("gold", "judge", "runs"))]
    parameters = {name: function_parameters[name].replace(kind=inspect.Parameter.KEYWORD_ONLY) for name in order}
    if task.runs_in_gold:
        parameters["judge"] = parameters["judge"].replace(default=None)  # the last FILE, or in one table with people's
    function.__signature__ = inspect.Signature(list(parameters.values()))
    return with_options(function, **kinds, task_options=task.options)


def _carries_runs(task: "Task[Any, Any, Any]") -> bool:
    """Return whether the files of people hold gold and runs at once, so that any number of them may be given."""
    return task.runs_in_gold and not task.judging.has_tables


def _sides(task: "Task[Any, Any, Any]") -> dict[str, Any]:
    """Return the types of the arguments that name the two sides."""
    if task.judging.has_tables:
        human = typer.Argument(metavar="HUMAN", help="Human scores of some items: a table with system, item, value.")
        judge = typer.Argument(
            metavar="JUDGE",
            help="The judge's scores of all items: a table with the same ids. Without it, HUMAN contains both, in the "
            "columns human and judge or those of --measure HUMAN=JUDGE.",
        )
        return {"gold": Annotated[Path, human], "judge": Annotated[Path | None, judge]}
    many = _carries_runs(task)
    gold = typer.Argument(
        metavar="FILE" if many else "GOLD", help=f"What people said about some items. {task.gold_help}"
    )
    last = " By default the last FILE." if many else ""
    judge = typer.Option(
        "--judge",
        metavar="FILE",
        help=f"The judge's answers to all items, in any format of the gold. Repeatable.{last}",
    )
    judges = list[Path] | None if many else list[Path]
    sides: dict[str, Any] = {
        "gold": Annotated[list[Path] if many else Path, gold],
        "judge": Annotated[judges, judge],
    }
    runs = typer.Argument(metavar="[NAME=]RUN", help=task.run_help)
    return sides if many else {**sides, "runs": Annotated[list[str] | None, runs]}


def judged_example(task: "Task[Any, Any, Any]") -> str:
    """Return the arguments that the help of such a command shows."""
    if task.judging.has_tables:
        return "human.csv judge.csv"
    return "annotated/ auto/" if _carries_runs(task) else f"{task.example} --judge FILE"


@dataclass(frozen=True)
class Sides:
    """What the three verbs read: files of people and of the judge, runs, and how they are scored."""

    gold: Any
    judge: Any
    runs: Any
    measures: Sequence[str]
    task_options: Any
    policy: PolicyOptions
    cluster: str | None = None
    seed: int = 0
    jobs: int | None = None
    level: float = 0.95

    def __post_init__(self) -> None:
        """Take the last file as the judge's, where none is named."""
        if self.judge is None and not isinstance(self.gold, Path):
            if len(self.gold) < 2:
                from touchstone.base.errors import TouchstoneError

                hint = "give the human files, then the judge's: annotated/ auto/; or give the judge's with --judge"
                raise TouchstoneError("there is no judge", value=str(self.gold[0]), hint=hint)
            object.__setattr__(self, "judge", self.gold[-1:])
            object.__setattr__(self, "gold", self.gold[:-1])

    def inputs(self, *more: Path | None) -> list[Path]:
        """Return all files that are read, for outputs to stay off."""
        from touchstone.cli.verbs import option_files

        return paths(self.gold, self.judge, option_files(self.task_options, self.runs), *more)

    def notes(self) -> list[str]:
        """Return a note where both sides have the same file, which makes any judge look perfect."""
        if self.judge is None:
            return []
        people, machine = ({path.resolve() for path in paths(side)} for side in (self.gold, self.judge))
        return ["the human file and the judge's file are the same: give the judge's file"] if people == machine else []


def read_pairs(task: "Task[Any, Any, Any]", sides: Sides, output: OutputOptions) -> "list[Paired]":
    """Return the scores of both sides under each measure."""
    from touchstone.core.resampling import Resampling
    from touchstone.judge.pairing import Details, pair

    gold, judge, measures, details = sides.gold, sides.judge, sides.measures, Details()
    task_options = sides.task_options
    with working("reading both sides", output):
        if task.judging.has_tables:  # several people may have scored an output
            gold, judge, task_options, measures, details = task.judging.read_sides(gold, judge, task_options, measures)
        machine = _read_judge(task, judge, sides.runs, task_options, sides.judge or sides.gold)
        separate_runs = machine.runs[len(machine.gold.runs) :]  # read once, as the judge knows all of their items
        with naming("people's", sides.gold):
            human = task.read(gold, separate_runs, **vars(task_options))
        runs_in_gold = human.runs[: len(human.runs) - len(separate_runs)]
        moved = [task.judging.rebase_run(run, machine.gold, human.gold) for run in separate_runs]
        human = replace(human, runs=[*runs_in_gold, *moved])
    with working("scoring", output):
        how = Resampling(seed=sides.seed, cluster=sides.cluster, level=sides.level)
        policy = sides.policy.policy()
        pairs = pair(task, human, machine, measures, details=details, resampling=how, policy=policy, jobs=sides.jobs)
    return [replace(paired, notes=[*sides.notes(), *paired.notes]) for paired in pairs]


def _read_judge(
    task: "Task[Any, Any, Any]",
    judge: Any,  # noqa: ANN401
    runs: Any,  # noqa: ANN401
    task_options: Any,  # noqa: ANN401
    files: Any = None,  # noqa: ANN401
) -> "Inputs[Any, Any]":
    """Return what the judge's side gives; *files* name it in errors, where it was read already."""
    with naming("the judge's", files or judge):
        return task.read(list(judge) if isinstance(judge, tuple) else judge, runs or (), **vars(task_options))


@contextmanager
def naming(side: str, files: Any) -> Iterator[None]:  # noqa: ANN401
    """Name the files of a side in errors that name none, such as that of files without a system."""
    from touchstone.base.errors import TouchstoneError

    try:
        yield
    except TouchstoneError as error:
        if any(fault.file for fault in error.faults):
            raise
        names = ", ".join(map(str, paths(files)))
        raise TouchstoneError.of(
            [replace(fault, file=names) for fault in error.faults], _side_hint(side, error.hint)
        ) from None


def _side_hint(side: str, hint: str | None) -> str:
    return "; ".join([*([hint] if hint else []), f"this is {side} side"])


def nothing_yet(task: "Task[Any, Any, Any]", gold: Any, encoding: str) -> bool:  # noqa: ANN401
    """Return whether people have scored nothing yet: their files are empty, or a table has its header alone."""
    from touchstone.base.errors import TouchstoneError
    from touchstone.base.files import read_bytes
    from touchstone.io.text import decode

    files = [path for path in paths(gold) if path.is_file()]
    for path in files:
        raw = read_bytes(path)[0]
        if raw.strip() and not task.judging.has_tables:
            return False
        try:
            text = decode(raw, str(path), encoding).strip() if raw.strip() else ""
        except TouchstoneError:  # which reading will explain
            return False
        if "\n" in text or text.startswith(("{", "[")):
            return False
    return bool(files)


def estimate(task: "Task[Any, Any, Any]") -> Any:  # noqa: ANN401 (a command)
    """Return the command that joins human and judge scores."""

    def command(
        gold: Any,  # noqa: ANN401
        judge: Any,  # noqa: ANN401
        runs: Any = None,  # noqa: ANN401
        *,
        measure: PairedMeasures = None,
        report: Report = None,
        population: PopulationChoice = "source",
        cluster: Cluster = None,
        confidence: Confidence = 0.95,
        jobs: Jobs = None,
        task_options: Any,  # noqa: ANN401
        policy: PolicyOptions,
        choice: NextOptions,
        output: OutputOptions,
    ) -> None:
        """Estimate systems and differences from a few human scores and many scores of a judge."""
        from touchstone.io.writing import check_outputs
        from touchstone.judge import estimating
        from touchstone.judge.asking import with_probabilities
        from touchstone.judge.estimates import estimates_statement

        choice.check(report)
        sides = Sides(gold, judge, runs, measure or (), task_options, policy, cluster, jobs=jobs, level=confidence)
        table = output.out if choice.next else None
        check_outputs(sides.inputs(choice.selection), report, None if table else output.out, table=table)
        if choice.next and sides.judge and nothing_yet(task, sides.gold, task_options.encoding):
            _write_next(_first_draw(task, sides, output), choice, output)
            return
        pairs = read_pairs(task, sides, output)
        if choice.selection:
            pairs = [with_probabilities(paired, choice.selection) for paired in pairs]
        if choice.next:
            _write_next(pairs[0], choice, output)
            return
        estimates = [estimating.estimate(paired, population=population, strata=choice.strata) for paired in pairs]
        show_finding(output, estimates_statement(estimates), report=report)

    return judged_command(task, command)


def _write_next(paired: "Paired", choice: NextOptions, output: OutputOptions) -> None:
    """Choose the next items for people and write their table."""
    from touchstone.io.writing import write_table
    from touchstone.judge.asking import ask_next

    strategy = choice.strategy or "uniform"
    items = ask_next(paired, choice.next or 0, strategy, strata=choice.strata, seed=choice.seed)
    if output.out:
        write_table(output.out, items.table)
        earlier = items.table.num_rows - items.chosen
        remark([f"{output.out}: {items.chosen:,} items to score next; {earlier:,} have human scores"], output)
        return
    show_finding(output, items)


def _first_draw(task: "Task[Any, Any, Any]", sides: Sides, output: OutputOptions) -> "Paired":
    """Return the scores of the judge, where people gave none yet."""
    from touchstone.judge.pairing import judge_alone

    with working("scoring", output):
        machine = _read_judge(task, sides.judge, sides.runs, sides.task_options)
        return judge_alone(task, machine, sides.measures, policy=sides.policy.policy(), jobs=sides.jobs)
