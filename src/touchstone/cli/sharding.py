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
    from touchstone.core.results import Results
    from touchstone.core.task import Task


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

    def usual(self) -> "Engine":
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

    def shards(self, gold: Any, runs: Any, output: OutputOptions) -> list[Path]:  # noqa: ANN401 (arguments)
        """Return the folder of shards that --out names beside --engine, or the folders that are all the arguments."""
        from touchstone.base.errors import TouchstoneError
        from touchstone.engine.folder import is_folder

        if self.engine is not None and output.out is not None:
            return [output.out]
        if self.shard_rows is not None:
            hint = "add --engine and --out FOLDER, the folder of the shards"
            raise TouchstoneError("--shard-rows without shards", value=str(self.shard_rows), hint=hint)
        given = [Path(path) for path in [*(gold if isinstance(gold, list | tuple) else [gold]), *(runs or ())]]
        return given if all(map(is_folder, given)) else []


@dataclass(frozen=True)
class MapOptions(EngineOptions):
    """Where work runs that makes an output item by item, and what it keeps."""

    parts: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER", help="A folder for finished parts; the same command continues an interrupted run."
        ),
    ] = None


def score_shards(
    task: "Task[Any, Any, Any]",
    folders: Sequence[Path],
    gold: Any,  # noqa: ANN401 (arguments)
    runs: Any,  # noqa: ANN401
    measures: Sequence[str],
    own: Any,  # noqa: ANN401 (the options of a task)
    *,
    by: str | None = None,
    engine: ShardOptions,
    policy: PolicyOptions,
    intervals: IntervalOptions,
    output: OutputOptions,
) -> "Results":
    """Score what is left in a folder of shards, and return the results from the records of all shards and folders.

    Where shards failed, each gets a sentence, and the exit code is 3.
    """
    from touchstone.base.errors import PartialError, TouchstoneError
    from touchstone.engine import Request, read_results, score_in_shards

    chosen = engine.chosen()
    if engine.engine is not None and output.out is not None and chosen is not None:
        request = Request(task, gold, runs, measures, policy.policy(), vars(own), engine.shard_rows)
        with working("scoring", output) as progress:
            done = score_in_shards(request, folders[0], chosen, cluster=_field(intervals.cluster), progress=progress)
        if done.failures:
            raise PartialError(done.failures)
        remark([f"{folders[0]}: shards scored: {done.made:,}, already done: {done.kept:,}"], output)
    found = read_results(folders, by=by, resampling=intervals.resampling(), measures=measures)
    if found.task != task.name:
        raise TouchstoneError(f"contains shards of {found.task}, not of {task.name}", file=str(folders[0]))
    return found


def _field(cluster: str | None) -> str | None:
    return None if cluster == "item" else cluster


def folder_command(task: str, verb: str, folders: Sequence[Path], options: Mapping[str, object]) -> list[str]:
    """Return the command that makes numbers again from the records of folders.

    Parameters
    ----------
    task, verb, folders
        What stands before the options.
    options
        Values by flag; None if it was not given.
    """
    words = [task, verb, *map(str, folders), "--json"]
    for flag, value in options.items():
        for one in value if isinstance(value, list | tuple) else [value]:
            words += [] if one is None else [f"--{flag}", str(one)]
    return words


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
