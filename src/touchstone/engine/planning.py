"""What is to be scored, cut into shards: inputs that are read whole, or large files that are read in chunks.

Up to `MANY` rows, and in formats that have no chunks, inputs are read and joined as without an engine, and the joined
items are cut. Larger files are streamed: row n of a run is the item of row n of the gold, which their ids must confirm.
"""

import glob
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from touchstone import __version__
from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.base.ids import Policy
from touchstone.base.notes import Note
from touchstone.base.options import build_options
from touchstone.base.spelling import setting
from touchstone.base.workers import start_method
from touchstone.core.scoring import (
    STEP,
    JoinedRuns,
    Piece,
    canonical_names,
    input_notes,
    inputs_signature,
    join_runs,
    records_of,
    scoring_signature,
)
from touchstone.core.task import Task
from touchstone.engine.chunks import BLOCK, Chunk, FileScan, file_kind, scan
from touchstone.engine.folder import Shard, content_key
from touchstone.engine.reducing import MANY
from touchstone.io.runs import RunFiles, parse_run, run_files

LARGEST = 20_000
"""Items of a shard at most: bounds the memory of a worker."""

FEWEST = 50
"""Shards at least, where there are enough items: a killed run loses little, and workers end at about the same time."""


@dataclass(frozen=True)
class Request:
    """What is asked for: the task, the inputs as the command line gives them, measures, policy and options."""

    task: Task[Any, Any, Any]
    gold: Any
    runs: Any = ()
    measures: Sequence[str] = ()
    policy: Policy = field(default_factory=Policy)
    options: Mapping[str, Any] = field(default_factory=dict)
    shard_rows: int | None = None
    streamed: bool | None = None

    @property
    def sources(self) -> list[Path]:
        """The files, folders and patterns of the gold."""
        paths = self.gold if isinstance(self.gold, list | tuple) else [self.gold]
        return [Path(path) for path in paths]


@dataclass(frozen=True)
class ShardInput:
    """A shard with what a worker needs to score it: a piece of the joined runs, or chunks of files."""

    shard: Shard
    piece: Piece | None = None
    gold: Chunk | None = None
    runs: Mapping[str, Chunk] = field(default_factory=dict)
    prefix: str = ""
    error: TouchstoneError | None = None
    """Why the rows of the shard could not be read."""


@dataclass(frozen=True)
class Plan:
    """All shards of a request, and what their records depend on.

    *canonical_names* has the canonical name of each requested measure; it is empty where only the shards tell them.
    """

    request: Request
    shards: Sequence[Shard]
    signature: Mapping[str, str]
    failures: Mapping[str, str] = field(default_factory=dict)
    notes: Sequence[str] = ()
    canonical_names: Mapping[str, str] = field(default_factory=dict)
    measures: Sequence[str] = ()
    joined_runs: JoinedRuns | None = None
    files: Sequence["Files"] = ()

    def inputs(self, left: Sequence[Shard]) -> Iterator[ShardInput]:
        """Yield what the shards that are *left* to do are made from."""
        if self.joined_runs is not None:
            yield from _pieces(self.request.task, self.joined_runs, left)
            return
        by_file: dict[str, list[Shard]] = {}
        for shard in left:
            by_file.setdefault(shard.file, []).append(shard)
        for files in self.files:
            yield from files.inputs(by_file.get(str(files.gold.path), []), several=len(self.files) > 1)


def _pieces(task: Task[Any, Any, Any], joined_runs: JoinedRuns, left: Sequence[Shard]) -> Iterator[ShardInput]:
    """Yield joined runs, cut to the items of each shard."""
    # A custom measure may load what does not survive a fork.
    has_custom_measures = any(":" in name for name in joined_runs.scoring.measures)
    if task.block is not None and left and start_method() == "fork" and not has_custom_measures:
        records_of(task.measures.find_all(joined_runs.scoring.measures), joined_runs.piece(task, 0, 1).joined)
    for shard in left:
        yield ShardInput(shard, joined_runs.piece(task, shard.first, shard.rows))


@dataclass(frozen=True)
class Files:
    """A file of the gold and the files of the runs that have the same rows."""

    gold: FileScan
    runs: Mapping[str, FileScan]

    def shards(self, settings: Mapping[str, object], rows: int) -> list[Shard]:
        """Return the shards of these files; their keys are digests of the settings and of their content."""
        shards = []
        for first in range(0, self.gold.rows, rows):
            part = range(first, min(first + rows, self.gold.rows))
            digests = [self.gold.digest_of(part), *([name, run.digest_of(part)] for name, run in self.runs.items())]
            key = content_key(dict(settings), self.gold.path.stem, first, digests)
            shards.append(Shard(key, str(self.gold.path), first, len(part)))
        return shards

    def inputs(self, left: Sequence[Shard], *, several: bool) -> Iterator[ShardInput]:
        """Yield the chunks of each shard; where there are *several* files, rows without ids are numbered in each."""
        row_ranges = [range(shard.first, shard.first + shard.rows) for shard in left]
        streams = {name: run.chunks(row_ranges) for name, run in self.runs.items()}
        prefix = f"{self.gold.path.stem}/" if several else ""
        golds = self.gold.chunks(row_ranges)
        error: TouchstoneError | None = None
        for shard in left:
            try:
                chunks = [next(golds), *map(next, streams.values())] if error is None else []
            except TouchstoneError as unreadable:
                error = unreadable  # nor can the rest of the file be read
            if error is not None:
                yield ShardInput(shard, error=error)
                continue
            yield ShardInput(shard, gold=chunks[0], runs=dict(zip(streams, chunks[1:], strict=True)), prefix=prefix)


def make_plan(request: Request) -> Plan:
    """Return the plan of a request: streamed where the files are large and can be, else read whole."""
    shard_rows = request.task.shard_rows
    refused = [name for name in shard_rows.refused_options if request.options.get(name)] if shard_rows else []
    if refused:
        what = f"{setting(refused[0])} has no place where files are read in shards"
        raise TouchstoneError(what, code=Code.OPTION_UNUSED, hint="score at once instead of in shards")
    parts = _parts(request)
    if parts is None or request.streamed is False or (request.streamed is None and _are_few(parts[0])):
        return _in_memory_plan(request)
    scanned, failures = _scanned(*parts)
    if not scanned:
        raise next(iter(failures.values()))
    return _streamed_plan(request, scanned, {path: str(error) for path, error in failures.items()}, len(parts[0]))


def _are_few(gold: Sequence[Path]) -> bool:
    """Return whether the gold is one file with few rows, which is read whole."""
    return len(gold) == 1 and scan(gold[0]).rows <= MANY


def shard_size(items: int, requested: int | None, step: int) -> int:
    """Return the items of each shard: as many as are asked for, else by the number of items; a multiple of *step*.

    >>> shard_size(3_003, None, 100), shard_size(10_000_000, None, 1000)
    (100, 20000)
    """
    size = requested or min(LARGEST, max(step, items // FEWEST))
    return -(-size // step) * step


def _in_memory_plan(request: Request) -> Plan:
    task, policy = request.task, request.task.settled(request.policy)
    inputs = task.read(request.gold, request.runs or (), **request.options)
    work = join_runs(task, inputs, request.measures, policy)
    signature = inputs_signature(task, inputs, work.refined(task), policy)
    n = inputs.gold.items.num_rows
    size = shard_size(n, request.shard_rows, STEP if request.shard_rows is None else 1) if task.block else max(n, 1)
    gold_file = str(request.sources[0])
    keyed = {**signature, "scored": list(work.scoring.measures), "runs": list(work.systems)}
    shards = [
        Shard(content_key(keyed, first, min(first + size, n)), gold_file, first, min(size, n - first))
        for first in range(0, max(n, 1), size)
    ]
    return Plan(
        request,
        shards,
        signature,
        notes=input_notes(task, inputs, work.joined),
        canonical_names=canonical_names(task, request.measures, inputs),
        measures=work.measures,
        joined_runs=work,
    )


def _streamed_plan(request: Request, files: Sequence[Files], failures: Mapping[str, str], parts: int) -> Plan:
    task, policy = request.task, request.task.settled(request.policy)
    options: object = build_options(task.options, request.options)
    names = list(files[0].runs)
    measures = request.measures  # each shard chooses from them
    settings = scoring_signature(
        task, {}, ", ".join(names), options, task.measures.find_all(measures or task.default), policy
    )
    # As asked for: which measures that are is known only when a shard has read its part of the gold.
    settings["measures"] = ", ".join(measures)
    settings["options"] = repr(options)
    rows = sum(each.gold.rows for each in files)
    expected = parts * max(each.gold.rows for each in files)  # the same when a file that failed is mended
    size = shard_size(expected, request.shard_rows, BLOCK)
    shards = [shard for each in files for shard in each.shards(settings, size)]
    gold = {"gold": _signed([each.gold for each in files]), "items": f"{rows} rows"}
    systems = ", ".join(f"{name} {_signed([each.runs[name] for each in files])}" for name in names)
    signature = scoring_signature(task, gold, systems, options, (), policy)
    del signature["measures"]  # the shards tell them
    notes = [f"read in shards of {size:,} rows: row n of a run is the item of row n of the gold"]
    if task.has_baselines:
        notes.append("baselines that need the whole gold are left out, since the gold is streamed")
    return Plan(request, shards, signature, failures, notes, files=files)


def _signed(scans: Sequence[FileScan]) -> str:
    first = scans[0].path.name if len(scans) == 1 else f"{len(scans)} files"
    return f"{first}#{content_key([each.digest for each in scans])[:12]}"


def _parts(request: Request) -> tuple[list[Path], dict[str, list[Path]]] | None:
    """Return the files of the gold and of each run; None if they cannot be read in chunks."""
    task = request.task
    options: object = build_options(task.options, request.options)
    if task.shard_rows is None or _names_files(options) or len(request.sources) != 1:
        return None
    if task.runs_in_gold and request.sources[0].is_dir():
        return None  # each file of the folder is a system
    gold = _members(request.sources[0])
    expanded_runs = _runs(request)
    if any(files.column is not None for files in expanded_runs):
        return None  # streams take the same columns from all files
    runs = {files.name: [Path(path) for path in files.paths] for files in expanded_runs}
    kinds = {file_kind(path) for path in gold}, {file_kind(path) for paths in runs.values() for path in paths}
    if None in kinds[0] | kinds[1] or any(str(path) == "-" for path in gold):
        return None
    has_unsupported_lines = ("lines" in kinds[0] and task.shard_rows.gold_line is None) or (
        "lines" in kinds[1] and not task.shard_rows.run_line
    )
    return None if has_unsupported_lines or (not task.runs_in_gold and not runs) else (gold, runs)


def _runs(request: Request) -> list[RunFiles]:
    """Return the files of each run; a pattern such as ``'part-*.parquet'`` stands for the files that it fits."""
    run_arguments: list[str] = []
    for text in request.runs or ():
        name, path = parse_run(text)
        start = "" if name is None else f"{name}="
        run_arguments += [f"{start}{file}" for file in _expanded(path)]
    return run_files(run_arguments, request.task.joint_suffixes)


def _members(path: Path) -> list[Path]:
    """Return the files of a folder or a pattern in the order of their names; a file is returned as it is."""
    if path.is_dir():
        return sorted(file for file in path.iterdir() if not file.name.startswith("."))
    return _expanded(path)


def _expanded(path: Path) -> list[Path]:
    matches = [] if path.exists() else sorted(glob.glob(str(path)))  # noqa: PTH207 (a pattern may have a root)
    return [Path(name) for name in matches] or [path]


def _names_files(options: object) -> bool:
    """Return whether options name files, which hold something for every item and would have to be cut too."""
    values = [entry for value in vars(options).values() for entry in (value if isinstance(value, tuple) else [value])]
    return any(
        isinstance(value, Path) or (isinstance(value, str) and "=" in value and _is_file(value)) for value in values
    )


def _is_file(text: str) -> bool:
    return any(part and Path(part).exists() for part in (text, text.partition("=")[2]))


def _scanned(
    gold: Sequence[Path], runs: Mapping[str, Sequence[Path]]
) -> tuple[list[Files], dict[str, TouchstoneError]]:
    """Scan all files; return the errors of those that cannot be read, or differ in their numbers of rows."""
    for name, paths in runs.items():
        if len(paths) != len(gold):
            what = f"{len(paths)} files for the {len(gold)} files of the gold"
            hint = "a run has a file for each file of the gold, in the same order"
            raise TouchstoneError(what, value=name, code=Code.MISMATCH, hint=hint)
    readable: list[Files] = []
    failures: dict[str, TouchstoneError] = {}
    for file_index, path in enumerate(gold):
        try:
            files = Files(scan(path), {name: scan(paths[file_index]) for name, paths in runs.items()})
            _check_rows(files)
            readable.append(files)
        except TouchstoneError as error:
            failures[str(path)] = error
    return readable, failures


def _check_rows(files: Files) -> None:
    for run in files.runs.values():
        if run.rows != files.gold.rows:
            what = f"{run.rows:,} rows where {files.gold.path.name} has {files.gold.rows:,}"
            hint = "row n of a run is the item of row n of the gold; only without shards may a run have another order"
            raise TouchstoneError(what, file=str(run.path), code=Code.MISMATCH, hint=hint)


def manifest_of(plan: Plan) -> dict[str, object]:
    """Return what results are made from, beside the shards."""
    request = plan.request
    options = {name: _json_value(value) for name, value in request.options.items()}
    policy = request.task.settled(request.policy)
    return {
        "touchstone": __version__,
        "task": request.task.name,
        "options": options,
        "policy": [policy.missing, policy.unknown, policy.duplicates],
        "signature": dict(plan.signature),
        "asked": dict(plan.canonical_names),
        "measures": list(plan.measures),
        "baselines": plan.joined_runs.baselines if plan.joined_runs else [],
        "notes": [Note.of_text(note).to_dict() for note in plan.notes],
        "streamed": plan.joined_runs is None,
    }


def _json_value(value: Any) -> Any:  # noqa: ANN401 (the value of any option)
    if isinstance(value, Iterable) and not isinstance(value, str):
        return [_json_value(element) for element in value]
    return str(value) if isinstance(value, Path) else value
