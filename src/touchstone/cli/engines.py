"""Where scorings run: engine settings from a file, shards in a folder, and the command ``touchstone status``."""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from touchstone.base.codes import Code
from touchstone.base.console import remark, working
from touchstone.base.errors import TouchstoneError, nearest
from touchstone.base.options import build_options
from touchstone.cli.options import EngineOptions, EngineSettings, IntervalOptions, OutputOptions

if TYPE_CHECKING:
    from touchstone.base.ids import Policy
    from touchstone.core.inputs import Inputs
    from touchstone.core.results import Results
    from touchstone.core.task import Task
    from touchstone.engine import Request
    from touchstone.show.finding import Finding

NAMED = {"engine": "name"}
"""Keys of the file of settings that are other words than the fields."""


def read_settings(path: Path) -> EngineSettings:
    """Return the settings of a file: engine, jobs, address, shard_rows; refuse unknown keys and values.

    Parameters
    ----------
    path
        A TOML file.
    """
    from touchstone.io.text import read_text

    text, source = read_text(path)
    try:
        document = tomllib.loads(text)
    except ValueError as error:
        raise TouchstoneError(f"is not TOML ({error})", file=source.name, code=Code.UNREADABLE) from None
    keys = ["engine", *(field.name for field in fields(EngineSettings) if field.name != "name")]
    for key, value in document.items():
        if key not in keys:
            hint, near = f"known: {', '.join(keys)}", nearest(key, keys)
            raise TouchstoneError(
                "unknown setting", file=source.name, value=key, near=near, code=Code.UNKNOWN_NAME, hint=hint
            )
        fits = type(value) is int and value > 0 if key in ("jobs", "shard_rows") else isinstance(value, str)
        if not fits:
            wanted = "a whole number above 0" if key in ("jobs", "shard_rows") else "a text"
            raise TouchstoneError(f"{key} must be {wanted}", file=source.name, value=str(value), code=Code.BAD_VALUE)
    return build_options(EngineSettings, {NAMED.get(key, key): value for key, value in document.items()})


def locate_records(
    engine: EngineOptions,
    gold: Any,  # noqa: ANN401 (arguments)
    runs: Sequence[str],
    output: OutputOptions,
) -> "RecordLocation":
    """Return where the records of a scoring are: in memory, or in folders of shards, which have no report.

    These are the folder that --out names beside --engine, or the folders that are all the arguments.
    """
    from touchstone.engine.folder import is_folder

    made = engine.engine is not None and output.out is not None
    settings = engine.settings()
    if settings.shard_rows is not None and not made:
        hint = "add --out FOLDER, the folder of the shards"
        value = str(settings.shard_rows)
        raise TouchstoneError("shard_rows without shards", value=value, code=Code.OPTION_UNUSED, hint=hint)
    argument_paths = [Path(path) for path in [*(gold if isinstance(gold, tuple) else [gold]), *runs]]
    folders = [output.out] if made and output.out else argument_paths if all(map(is_folder, argument_paths)) else []
    if folders and output.report is not None:
        what, hint = (
            "a report shows the inputs, and shards hold records only",
            "leave out --report, or score without shards",
        )
        raise TouchstoneError(what, code=Code.OPTION_UNUSED, hint=hint)
    return RecordLocation(engine, folders, made=made)


@dataclass(frozen=True)
class RecordLocation:
    """Where the records of a scoring are: in memory, or in *folders* of shards, one of which is *made* now."""

    engine: EngineOptions
    folders: Sequence[Path]
    made: bool

    def score(
        self,
        task: "Task[Any, Any, Any]",
        gold: Any,  # noqa: ANN401 (arguments)
        runs: Sequence[str],
        measures: Sequence[str],
        task_options: Any,  # noqa: ANN401 (the options of a task)
        *,
        by: str | None,
        policy: "Policy",
        intervals: IntervalOptions,
    ) -> "Results":
        """Score in memory, or what is left in a folder of shards; return the results from the records of all items."""
        resampling = intervals.build()
        if not self.folders:
            inputs = read_inputs(task, gold, runs, task_options)
            with working("scoring") as progress:
                return task.score(
                    inputs, measures=measures, by=by, resampling=resampling, policy=policy,
                    engine=self.engine.build(), progress=progress,
                )  # fmt: skip
        from touchstone.engine import Request, read_results

        if self.made:
            rows = self.engine.settings().shard_rows
            request = Request(task, gold, runs, measures, policy, vars(task_options), rows)
            self._score_shards(request, intervals.cluster)
        results = read_results(self.folders, by=by, resampling=resampling, measures=measures)
        if results.task != task.name:
            what, file = f"contains shards of {results.task}, not of {task.name}", str(self.folders[0])
            raise TouchstoneError(what, file=file, code=Code.MISMATCH)
        return results

    def _score_shards(self, request: "Request", cluster: str | None) -> None:
        """Score what is left; where shards failed, each gets a sentence, and the exit code is 3."""
        from touchstone.base.errors import PartialError
        from touchstone.base.workers import Engine
        from touchstone.engine import score_in_shards

        folder, field = self.folders[0], None if cluster == "item" else cluster
        with working("scoring") as progress:
            done = score_in_shards(request, folder, self.engine.build() or Engine(), cluster=field, progress=progress)
        if done.failures:
            raise PartialError(done.failures)
        remark([f"{folder}: shards scored: {done.made:,}, already done: {done.already_done:,}"])

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
    runs: Sequence[str],
    task_options: Any,  # noqa: ANN401 (the options of a task)
) -> "Inputs[Any, Any]":
    """Return the inputs of a command."""
    with working(f"reading {gold if isinstance(gold, Path) else f'{len(gold)} inputs'}"):
        return task.read(list(gold) if isinstance(gold, tuple) else gold, runs, **vars(task_options))


def status(folder: Path) -> "Finding":
    """Show the progress of a run in shards: shards done, failed and left, the rate, and the time left.

    Example: touchstone status scores/

    Parameters
    ----------
    folder : FOLDER
        The folder given with --out.
    """
    from touchstone.engine import Folder

    return Folder(folder).status()
