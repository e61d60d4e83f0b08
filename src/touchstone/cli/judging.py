"""The verbs ``estimate``, ``judge`` and ``plan`` of every task: few human scores and many of a judge."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from touchstone.base.console import remark, working
from touchstone.base.errors import TouchstoneError
from touchstone.base.options import Count, Seed
from touchstone.cli.options import Confidence, OutputOptions
from touchstone.cli.output import show_finding
from touchstone.cli.parameters import As

if TYPE_CHECKING:
    from touchstone.base.ids import Policy
    from touchstone.core.about import About
    from touchstone.core.inputs import Inputs
    from touchstone.core.task import Task
    from touchstone.judge.paired import Paired
    from touchstone.show.finding import Finding


def judged_arguments(about: "About") -> dict[str, As | None]:
    """Return the arguments that name the two sides: gold, judge and, where the task has them, runs."""
    options = As(about.options)
    if about.judged_in_tables:
        human = As(Path, "Human scores of some items: a table with system, item, value.", "HUMAN", required=True)
        judge_help = (
            "The judge's scores of all items: a table with the same ids. Without it, HUMAN contains both, in the "
            "columns human and judge or those of --measure HUMAN=JUDGE."
        )
        return {"gold": human, "judge": As(Path, judge_help, "JUDGE"), "runs": None, "task_options": options}
    many = _carries_runs(about)
    gold_help = f"What people said about some items. {about.gold_help}"
    judge_help = "The judge's answers to all items, in any format of the gold. Repeatable."
    return {
        "gold": As(list[Path] if many else Path, gold_help, "FILE" if many else "GOLD", required=True),
        "judge": As(
            list[Path],
            judge_help + " By default the last FILE." * many,
            "FILE",
            required=not many,
            is_option=True,
        ),
        "runs": None if many else As(list[str], about.run_help, "[NAME=]RUN"),
        "task_options": options,
    }


def _carries_runs(about: "About") -> bool:
    """Return whether the files of people hold gold and runs at once, so that any number of them may be given."""
    return about.runs_in_gold and not about.judged_in_tables


def judged_example(about: "About") -> str:
    """Return the arguments that the help of such a command shows."""
    if about.judged_in_tables:
        return "human.csv judge.csv"
    return "annotated/ auto/" if _carries_runs(about) else f"{about.example} --judge FILE"


@dataclass(frozen=True)
class Sides:
    """What the three verbs read: files of people and of the judge, runs, and how they are scored."""

    gold: Any
    judge: Any
    runs: Any
    measures: Sequence[str]
    task_options: Any
    policy: "Policy"
    cluster: str | None = None
    seed: int = 0
    jobs: int | None = None
    level: float = 0.95

    def __post_init__(self) -> None:
        """Take the last file as the judge's, where none is named."""
        if not self.judge and not isinstance(self.gold, Path):
            if len(self.gold) < 2:
                hint = "give the human files, then the judge's: annotated/ auto/; or give the judge's with --judge"
                raise TouchstoneError("there is no judge", value=str(self.gold[0]), hint=hint)
            object.__setattr__(self, "judge", self.gold[-1:])
            object.__setattr__(self, "gold", self.gold[:-1])

    def notes(self) -> list[str]:
        """Return a note where both sides have the same file, which makes any judge look perfect."""
        if not self.judge:
            return []
        people, machine = ({path.resolve() for path in _listed(side)} for side in (self.gold, self.judge))
        return ["the human file and the judge's file are the same: give the judge's file"] if people == machine else []


def read_pairs(task: "Task[Any, Any, Any]", sides: Sides) -> "list[Paired]":
    """Return the scores of both sides under each measure."""
    from touchstone.core.resampling import Resampling
    from touchstone.judge.pairing import Details, pair

    gold, judge, measures, details = sides.gold, sides.judge, sides.measures, Details()
    task_options = sides.task_options
    with working("reading both sides"):
        if task.judging.has_tables:  # several people may have scored an output
            gold, judge, task_options, measures, details = task.judging.read_sides(gold, judge, task_options, measures)
        machine = _read_judge(task, judge, sides.runs, task_options, sides.judge or sides.gold)
        separate_runs = machine.runs[len(machine.gold.runs) :]  # read once, as the judge knows all of their items
        with naming("people's", sides.gold):
            human = task.read(gold, separate_runs, **vars(task_options))
        runs_in_gold = human.runs[: len(human.runs) - len(separate_runs)]
        moved = [task.judging.rebase_run(run, machine.gold, human.gold) for run in separate_runs]
        human = replace(human, runs=[*runs_in_gold, *moved])
    with working("scoring"):
        how = Resampling(seed=sides.seed, cluster=sides.cluster, level=sides.level)
        pairs = pair(
            task, human, machine, measures, details=details, resampling=how, policy=sides.policy, jobs=sides.jobs
        )
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
    try:
        yield
    except TouchstoneError as error:
        if any(fault.file for fault in error.faults):
            raise
        names = ", ".join(map(str, _listed(files)))
        raise TouchstoneError.of(
            [replace(fault, file=names) for fault in error.faults], _side_hint(side, error.hint)
        ) from None


def _listed(files: Any) -> list[Path]:  # noqa: ANN401 (one file, or several)
    return [files] if isinstance(files, Path) else list(files)


def _side_hint(side: str, hint: str | None) -> str:
    return "; ".join([*([hint] if hint else []), f"this is {side} side"])


def nothing_yet(task: "Task[Any, Any, Any]", gold: Any, encoding: str) -> bool:  # noqa: ANN401
    """Return whether people have scored nothing yet: their files are empty, or a table has its header alone."""
    from touchstone.base.files import read_bytes
    from touchstone.io.text import decode

    files = [path for path in _listed(gold) if path.is_file()]
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


@dataclass(frozen=True)
class NextOptions:
    """Which items people should get next.

    Parameters
    ----------
    next : N
        Choose N more items for people to score, with probabilities, and write them to -o FILE. If there are no human
        scores yet, give an empty file for them.
    strategy
        How to choose them: uniformly (the default), by strata, or where the judge may be wrong.
    strata : FIELD
        The field of the strata. With --next: draw the same share of each; by default of each tenth of the judge's
        scores. Without --next: the strata of the sample; needs --population set.
    seed
        Seed of the random draws.
    asked : ask.csv
        The file that --next wrote, after people have scored its items.
    """

    next: Count | None = None
    strategy: Literal["uniform", "stratified", "uncertain"] | None = None
    strata: str | None = None
    seed: Seed = 0
    asked: Path | None = None

    def check(self, report: Path | None) -> None:
        """Refuse options that would do nothing."""
        if self.strategy and not self.next:
            raise TouchstoneError("--strategy is for --next", hint="say how many items to choose with --next N")
        if self.next and report:
            raise TouchstoneError("--next chooses items and has no report", hint="leave out --next or --report")


def estimate(
    task: "Task[Any, Any, Any]",
    gold: Any,  # noqa: ANN401 (one file, or several)
    judge: Any = (),  # noqa: ANN401
    runs: Sequence[str] = (),
    *,
    measure: Sequence[str] = (),
    population: Literal["source", "set"] = "source",
    cluster: str | None = None,
    confidence: Confidence = 0.95,
    jobs: Count | None = None,
    task_options: Any,  # noqa: ANN401 (the options of a task)
    policy: "Policy",
    choice: NextOptions,
    output: OutputOptions,
) -> None:
    """Estimate systems and differences from a few human scores and many scores of a judge.

    Parameters
    ----------
    measure : -m NAME
        A measure; HUMAN=JUDGE if the judge's column has another name. Repeatable.
    population
        Whether estimates are about other items from the same source or only about this set.
    cluster : FIELD
        Treat items with the same value of this field as one cluster; item: no clusters.
    confidence : LEVEL
        Confidence level of intervals; .95 means that 95% of them contain the true value.
    jobs
        Number of processes; for large inputs one per core by default.
    """
    from touchstone.io.writing import check_table_suffix
    from touchstone.judge import estimating
    from touchstone.judge.asking import with_probabilities
    from touchstone.judge.estimates import estimates_statement

    choice.check(output.report)
    sides = Sides(gold, judge, runs, measure, task_options, policy, cluster, jobs=jobs, level=confidence)
    if choice.next and output.out:
        check_table_suffix(output.out)
    if choice.next and sides.judge and nothing_yet(task, sides.gold, task_options.encoding):
        _write_next(_first_draw(task, sides), choice, output)
        return
    pairs = read_pairs(task, sides)
    if choice.asked:
        pairs = [with_probabilities(paired, choice.asked) for paired in pairs]
    if choice.next:
        _write_next(pairs[0], choice, output)
        return
    estimates = [estimating.estimate(paired, population=population, strata=choice.strata) for paired in pairs]
    show_finding(output, estimates_statement(estimates))


def _write_next(paired: "Paired", choice: NextOptions, output: OutputOptions) -> None:
    """Choose the next items for people and write their table."""
    from touchstone.io.writing import write_table
    from touchstone.judge.asking import ask_next

    strategy = choice.strategy or "uniform"
    items = ask_next(paired, choice.next or 0, strategy, strata=choice.strata, seed=choice.seed)
    if output.out:
        write_table(output.out, items.table)
        earlier = items.table.num_rows - items.chosen
        remark([f"{output.out}: {items.chosen:,} items to score next; {earlier:,} have human scores"])
        return
    show_finding(output, items)


def _first_draw(task: "Task[Any, Any, Any]", sides: Sides) -> "Paired":
    """Return the scores of the judge, where people gave none yet."""
    from touchstone.judge.pairing import judge_alone

    with working("scoring"):
        machine = _read_judge(task, sides.judge, sides.runs, sides.task_options)
        return judge_alone(task, machine, sides.measures, policy=sides.policy, jobs=sides.jobs)


def judge(
    task: "Task[Any, Any, Any]",
    gold: Any,  # noqa: ANN401 (one file, or several)
    judge: Any = (),  # noqa: ANN401
    runs: Sequence[str] = (),
    *,
    measure: Sequence[str] = (),
    cluster: str | None = None,
    confidence: Confidence = 0.95,
    seed: Seed = 0,
    jobs: Count | None = None,
    task_options: Any,  # noqa: ANN401 (the options of a task)
    policy: "Policy",
) -> "Finding":
    """Show how good a judge is: agreement with people, bias, calibration, pairs of outputs, system ranking.

    Parameters
    ----------
    measure : -m NAME
        A measure; HUMAN=JUDGE if the judge's column has another name. Repeatable.
    cluster : FIELD
        Treat items with the same value of this field as one cluster; item: no clusters.
    confidence : LEVEL
        Confidence level of intervals; .95 means that 95% of them contain the true value.
    seed
        Seed of the random draws.
    jobs
        Number of processes; for large inputs one per core by default.
    """
    from touchstone.judge.assessing import assess

    sides = Sides(gold, judge, runs, measure, task_options, policy, cluster, seed, jobs, confidence)
    paired = _first_measure(read_pairs(task, sides), measure)
    with working("comparing the judge with people"):
        return assess(paired)


def plan(
    task: "Task[Any, Any, Any]",
    gold: Any,  # noqa: ANN401 (one file, or several)
    judge: Any = (),  # noqa: ANN401
    runs: Sequence[str] = (),
    *,
    width: float | None = None,
    difference: float | None = None,
    between: tuple[str, str] | None = None,
    target: float | None = None,
    minutes_per_item: float | None = None,
    measure: Sequence[str] = (),
    population: Literal["source", "set"] = "source",
    strata: str | None = None,
    cluster: str | None = None,
    confidence: Confidence = 0.95,
    seed: Seed = 0,
    jobs: Count | None = None,
    task_options: Any,  # noqa: ANN401 (the options of a task)
    policy: "Policy",
) -> "Finding":
    """Show how many human labels an interval or a test needs, with and without the judge, based on a pilot.

    Parameters
    ----------
    width : W
        Width of intervals, from end to end.
    difference : D
        A difference between systems that the test should detect.
    between : A B
        Two systems that the test should separate.
    target
        Required power; 0.8 by default.
    minutes_per_item : MINUTES
        Minutes that a person needs for a label; adds the hours of work.
    measure : -m NAME
        A measure; HUMAN=JUDGE if the judge's column has another name. Repeatable.
    population
        Whether estimates are about other items from the same source or only about this set.
    strata : FIELD
        The field of the strata; people score the same share of each. Needs --population set.
    cluster : FIELD
        Treat items with the same value of this field as one cluster; item: no clusters.
    confidence : LEVEL
        Confidence level of intervals; .95 means that 95% of them contain the true value.
    seed
        Seed of the random draws.
    jobs
        Number of processes; for large inputs one per core by default.
    """
    from touchstone.judge.planning import POWER, plan_difference, plan_width

    if (width is None and difference is None and between is None) or (width is not None and difference is not None):
        hint = "give one of --width W and --difference D, or two systems with --between A B"
        raise TouchstoneError("a plan has one goal: a width or a difference", hint=hint)
    if width is not None and target is not None:
        hint = "leave out --target, or give --difference D"
        raise TouchstoneError("--target is the power of a test, not of a width", hint=hint)
    sides = Sides(gold, judge, runs, measure, task_options, policy, cluster, seed, jobs, confidence)
    paired = _first_measure(read_pairs(task, sides), measure)
    if width is not None:
        planned = plan_width(paired, width, between, population=population, strata=strata)
    else:
        power = POWER if target is None else target
        planned = plan_difference(paired, difference, between, power=power, population=population, strata=strata)
    return replace(planned, minutes=minutes_per_item)


def _first_measure(pairs: "list[Paired]", measure_names: "Sequence[str]") -> "Paired":
    """Return the scores under one measure: the first, with a note that names the others."""
    from touchstone.judge.pairing import judge_differs

    first, *others = [paired for paired in pairs if measure_names or judge_differs(paired)] or pairs
    if not others:
        return first
    names = ", ".join(paired.measure.name for paired in others)
    note = f"the measure is {first.measure.name}; choose another with --measure: {names}"
    return replace(first, notes=[note, *first.notes])
