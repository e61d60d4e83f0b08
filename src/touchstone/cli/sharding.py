"""Scoring with an engine, for the verbs of every task; and ``touchstone status``: how far a run in shards is."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from touchstone.cli.options import IntervalOptions, OutputOptions, PolicyOptions, with_options
from touchstone.cli.output import remark, show_finding, working

if TYPE_CHECKING:
    from touchstone.base.workers import Engine
    from touchstone.core.inputs import Inputs
    from touchstone.core.results import Results
    from touchstone.core.task import Task
    from touchstone.engine import Request


@dataclass(frozen=True)
class EngineOptions:
    """Where work runs."""

    engine: Annotated[
        Literal["in-process", "processes", "ray"] | None,
        typer.Option(
            help="Where the work runs. With it, --out is a folder of shards, and the same command continues an "
            "interrupted run."
        ),
    ] = None
    jobs: Annotated[
        int | None, typer.Option(min=1, help="Number of processes; for large inputs one per core by default.")
    ] = None
    ray_address: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS",
            help="Address of a Ray cluster; auto: the one on this machine. By default a local Ray is started.",
        ),
    ] = None

    def chosen(self) -> "Engine | None":
        """Return the engine that is asked for; None leaves it to the work."""
        from touchstone.base.workers import Engine, engine_for

        if self.engine is None and self.ray_address is None:
            return engine_for(self.jobs)
        return Engine(self.engine or "in-process", self.jobs, self.ray_address)

    def chosen_or_default(self) -> "Engine":
        """Return the engine that is asked for; this process where none is."""
        from touchstone.base.workers import Engine

        return self.chosen() or Engine()


@dataclass(frozen=True)
class ShardOptions(EngineOptions):
    """Where scoring runs, and in how large shards."""

    shard_rows: Annotated[
        int | None,
        typer.Option(min=1, metavar="N", help="Number of items in a shard; smaller shards need less memory."),
    ] = None

    def locate_records(self, gold: Any, runs: Any, output: OutputOptions, report: Path | None) -> "RecordLocation":  # noqa: ANN401 (arguments)
        """Return where the records of a scoring are: in memory, or in folders of shards, which have no report.

        These are the folder that --out names beside --engine, or the folders that are all the arguments.
        """
        from touchstone.base.errors import TouchstoneError
        from touchstone.engine.folder import is_folder

        made = self.engine is not None and output.out is not None
        if self.shard_rows is not None and not made:
            hint = "add --engine and --out FOLDER, the folder of the shards"
            raise TouchstoneError("--shard-rows without shards", value=str(self.shard_rows), hint=hint)
        argument_paths = [Path(path) for path in [*(gold if isinstance(gold, list | tuple) else [gold]), *(runs or ())]]
        folders = [output.out] if made and output.out else argument_paths if all(map(is_folder, argument_paths)) else []
        if folders and report is not None:
            hint = "leave out --report, or score without shards"
            raise TouchstoneError("a report shows the inputs, and shards hold records only", hint=hint)
        return RecordLocation(self, output, folders, made=made)


@dataclass(frozen=True)
class MapOptions(EngineOptions):
    """Where work runs that makes an output item by item, and what it keeps."""

    parts: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER", help="A folder for finished parts; the same command continues an interrupted run."
        ),
    ] = None


@dataclass(frozen=True)
class RecordLocation:
    """Where the records of a scoring are: in memory, or in *folders* of shards, one of which is *made* now."""

    engine: ShardOptions
    output: OutputOptions
    folders: Sequence[Path]
    made: bool

    @property
    def to_file(self) -> bool:
        """Whether --out names the file of the output: else it is the folder of the shards."""
        return not self.made

    @property
    def file(self) -> Path | None:
        """The file of the output."""
        return self.output.out if self.to_file else None

    def score(
        self,
        task: "Task[Any, Any, Any]",
        gold: Any,  # noqa: ANN401 (arguments)
        runs: Any,  # noqa: ANN401
        measures: Sequence[str],
        task_options: Any,  # noqa: ANN401 (the options of a task)
        *,
        by: str | None,
        policy: PolicyOptions,
        intervals: IntervalOptions,
    ) -> "Results":
        """Score in memory, or what is left in a folder of shards; return the results from the records of all items."""
        if not self.folders:
            inputs = read_inputs(task, gold, runs, task_options, self.output)
            with working("scoring", self.output) as progress:
                return task.score(
                    inputs, measures=measures, by=by, resampling=intervals.resampling(), policy=policy.policy(),
                    engine=self.engine.chosen(), progress=progress,
                )  # fmt: skip
        from touchstone.base.errors import TouchstoneError
        from touchstone.engine import Request, read_results

        if self.made:
            request = Request(task, gold, runs, measures, policy.policy(), vars(task_options), self.engine.shard_rows)
            self._score_shards(request, intervals.cluster)
        results = read_results(self.folders, by=by, resampling=intervals.resampling(), measures=measures)
        if results.task != task.name:
            raise TouchstoneError(f"contains shards of {results.task}, not of {task.name}", file=str(self.folders[0]))
        return results

    def _score_shards(self, request: "Request", cluster: str | None) -> None:
        """Score what is left; where shards failed, each gets a sentence, and the exit code is 3."""
        from touchstone.base.errors import PartialError
        from touchstone.engine import score_in_shards

        folder, field = self.folders[0], None if cluster == "item" else cluster
        with working("scoring", self.output) as progress:
            done = score_in_shards(request, folder, self.engine.chosen_or_default(), cluster=field, progress=progress)
        if done.failures:
            raise PartialError(done.failures)
        remark([f"{folder}: shards scored: {done.made:,}, already done: {done.already_done:,}"], self.output)

    def command(self, verb: Sequence[str], options: Mapping[str, object]) -> list[str] | None:
        """Return the command that makes numbers again from the records of folders; None where they are in memory.

        Parameters
        ----------
        verb, options
            The task and its verb, and values by flag; None if it was not given.
        """
        if not self.folders:
            return None
        words = [*verb, *map(str, self.folders), "--json"]
        for flag, value in options.items():
            for element in value if isinstance(value, list | tuple) else [value]:
                words += [] if element is None else [f"--{flag}", str(element)]
        return words


def read_inputs(
    task: "Task[Any, Any, Any]",
    gold: Any,  # noqa: ANN401 (arguments)
    runs: Any,  # noqa: ANN401
    task_options: Any,  # noqa: ANN401 (the options of a task)
    output: OutputOptions,
) -> "Inputs[Any, Any]":
    """Return the inputs of a command."""
    with working(f"reading {gold if isinstance(gold, Path) else f'{len(gold)} inputs'}", output):
        return task.read(gold, runs or (), **vars(task_options))


@with_options
def status(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="The folder given with --out.")],
    *,
    output: OutputOptions,
) -> None:
    """Show the progress of a run in shards: shards done, failed and left, the rate, and the time left.

    Example: touchstone status scores/
    """
    from touchstone.engine import Folder

    show_finding(output, Folder(folder).status())
