"""Scoring in shards: each worker writes the records of its shard; results are folds over the files of all shards."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pyarrow as pa

from touchstone.base.codes import Code
from touchstone.base.errors import Fault, TouchstoneError, unknown_name
from touchstone.base.ids import Policy
from touchstone.base.notes import Note, add_notes
from touchstone.base.options import build_options
from touchstone.base.spelling import setting
from touchstone.base.workers import Engine, Failure, run_pieces
from touchstone.core.inputs import Inputs
from touchstone.core.measures import measure_signatures
from touchstone.core.registry import find_task
from touchstone.core.resampling import Resampling
from touchstone.core.results import Results
from touchstone.core.scoring import (
    Progress,
    Scoring,
    input_notes,
    interval_signature,
    join_runs,
    score_piece,
    with_items,
)
from touchstone.core.task import Task
from touchstone.engine.folder import Folder, content_key
from touchstone.engine.identity import check_unique
from touchstone.engine.planning import Plan, Request, ShardInput, make_plan, manifest_of
from touchstone.engine.records import ShardFile, ShardRecords, shard_files, systems_of_shards
from touchstone.engine.reducing import MANY, reduced
from touchstone.io.schema import Schema
from touchstone.io.tables import TableFile

OFTEN = 100
"""Failures up to which each is written at once; then one in so many, since the file of all is written whole."""


@dataclass(frozen=True)
class ShardScoring:
    """A picklable description of the scoring of shards: what a worker makes of a `ShardInput`.

    Where the inputs were read whole, *measures* and *scored* have all that are shown and all that are computed, and
    *names* the systems; else each shard chooses from the *measures* asked for.
    """

    task: str
    folder: Path
    measures: tuple[str, ...]
    policy: Policy
    options: Mapping[str, Any]
    cluster: str | None
    scored: tuple[str, ...] = ()
    names: tuple[str, ...] = ()

    def __call__(self, shard_input: ShardInput) -> int:
        """Score a shard, write its records, and return how many items it has."""
        if shard_input.error is not None:
            raise shard_input.error
        task = find_task(self.task)
        notes: Sequence[str] = ()
        if shard_input.piece is not None:
            piece, scoring = shard_input.piece, Scoring(self.task, self.scored)
            names, measures = self.names, self.measures
        else:
            inputs = task.read(*_tables(task, shard_input, self.options), **self.options)
            work = join_runs(task, inputs, self.measures, self.policy, baselines=False)
            piece, names, measures, scoring = work.all_items(), tuple(work.systems), work.measures, work.scoring
            notes = input_notes(task, inputs, work.joined)
        systems = score_piece(task, scoring, names, piece, Engine())
        shard_records = ShardRecords(piece.items, systems, measures, notes)
        shard_records.write(Folder(self.folder).shard(shard_input.shard.key), self.cluster)
        return int(piece.items.num_rows)


def _tables(
    task: Task[Any, Any, Any], shard_input: ShardInput, options: Mapping[str, Any]
) -> tuple[TableFile, dict[str, TableFile]]:
    """Return the tables of a shard, all with ids; refuse runs whose rows are not those of the gold."""
    assert task.shard_rows is not None
    assert shard_input.gold is not None
    encoding = options.get("encoding", "utf-8")
    gold = shard_input.gold.table(task.shard_rows.gold_line, encoding)
    gold, ids = _with_ids(task, gold, options, [f"{shard_input.prefix}{row}" for row in gold.lines])
    runs = {}
    for name, chunk in shard_input.runs.items():
        table, run_ids = _with_ids(task, chunk.table(task.shard_rows.run_line, encoding), options, ids)
        if run_ids != ids:
            raise _other_order(table, run_ids, ids)
        runs[name] = table
    return gold, runs


def _with_ids(
    task: Task[Any, Any, Any], table: TableFile, options: Mapping[str, Any], default_ids: list[str]
) -> tuple[TableFile, list[str]]:
    """Return a table that has a column of ids, and the ids; *default_ids* where the table has none."""
    assert task.shard_rows is not None
    role = task.shard_rows.id
    chosen = [text for text in options.get("column", ()) if text.startswith(f"{role.role}=")]
    column = Schema(role).bind(table, chosen).columns.get(role.role)
    if column is not None:
        return table, [str(text) for text in table.texts(column)]
    return replace(table, columns={role.names[0]: list(default_ids), **table.columns}), default_ids


def _other_order(table: TableFile, run_ids: Sequence[str], ids: Sequence[str]) -> TouchstoneError:
    row = next(row for row, (a, b) in enumerate(zip(run_ids, ids, strict=True)) if a != b)
    fault = Fault(f"row {table.lines[row]:,} of the gold has the id {ids[row]!r}", table.source.name,
                  table.lines[row], run_ids[row], kind="id", code=Code.MISMATCH)  # fmt: skip
    hint = (
        "files that are read in shards have the items of the gold in its order: sort both by id, "
        "or score without shards, which joins rows of any order in memory"
    )
    return TouchstoneError.of([fault], hint)


@dataclass(frozen=True)
class Outcome:
    """What a run in shards did: how many shards it *made*, how many were already done, and what failed."""

    folder: Path
    made: int
    already_done: int
    failures: Mapping[str, str] = field(default_factory=dict)
    notes: Sequence[str] = ()


def score_in_shards(
    request: Request,
    out: str | Path,
    engine: Engine = Engine(),  # noqa: B008 (immutable)
    *,
    cluster: str | None = None,
    progress: Progress | None = None,
) -> Outcome:
    """Score a request in shards; what the folder has already is not done again.

    Parameters
    ----------
    request
        The task, its inputs, measures and options.
    out
        The folder of the shards.
    engine
        Where shards are scored.
    cluster
        The field whose items belong together, where it is not the task's.
    progress
        Is told how many rows are done, of how many.
    """
    folder = Folder(Path(out))
    task = request.task
    with folder.writing():
        plan = make_plan(request)
        folder.start(plan.shards, manifest_of(plan))
        already_done = sum(folder.is_done(shard.key) for shard in plan.shards)
        work = ShardScoring(
            task.name,
            folder.path.absolute(),
            tuple(plan.measures if plan.joined_runs else request.measures),
            task.settled(request.policy),
            dict(request.options),
            cluster or task.cluster,
            plan.joined_runs.scoring.measures if plan.joined_runs else (),
            tuple(plan.joined_runs.systems) if plan.joined_runs else (),
        )
        failures = _run(plan, folder, work, engine, progress)
    made = sum(folder.is_done(shard.key) for shard in plan.shards) - already_done
    return Outcome(folder.path, made, already_done, failures, plan.notes)


def _run(
    plan: Plan, folder: Folder, work: Callable[[ShardInput], int], engine: Engine, progress: Progress | None
) -> dict[str, str]:
    """Run the pieces that are left, and return what failed."""
    failures = dict(plan.failures)
    folder.fail(failures)
    left = [shard for shard in plan.shards if not folder.is_done(shard.key)]
    total = sum(shard.rows for shard in plan.shards)
    done = total - sum(shard.rows for shard in left)
    for number, outcome in run_pieces(work, plan.inputs(left), engine):
        shard = left[number]
        if isinstance(outcome, Failure):
            failures[shard.file if shard.rows == total else shard.location] = str(outcome)
            if len(failures) < OFTEN or len(failures) % OFTEN == 0:
                folder.fail(failures)
        done += shard.rows
        if progress is not None:
            progress(done, total)
    folder.fail(failures)
    return failures


def read_results(
    out: str | Path | Sequence[str | Path],
    *,
    by: str | None = None,
    resampling: Resampling = Resampling(),  # noqa: B008 (immutable)
    measures: Sequence[str] = (),
    many: int = MANY,
) -> Results:
    """Return the results of a folder of shards, from records alone.

    Parameters
    ----------
    out
        The folder, or several of the same task, measures and systems that hold different items.
    by
        A field of the items to group them by.
    resampling
        How intervals and tests are computed.
    measures
        Those to show, of those that were scored; all by default.
    many
        Items from which on clusters are put into groups, so that memory does not grow with the items.
    """
    folders = [Folder(Path(path)) for path in ([out] if isinstance(out, str | Path) else out)]
    for folder in folders:
        _check_complete(folder)
    manifest = _joined_manifest(folders)
    check_unique(folders)
    task, files = find_task(manifest["task"]), list(shard_files(folders))
    n = sum(map(len, files))
    template = _template(task, manifest, files, measures)
    template = replace(template, resampling=resampling, by=by)
    results = _reduced(task, template, files) if n >= many else _small(task, template, files)
    of_shards = add_notes([[Note(**note) for note in file.about["notes"]] for file in files], n)
    notes = [*manifest["notes"], *of_shards, *results.notes, *_skip_note(results, manifest["policy"], n)]
    signature = {**template.signature, **interval_signature(results.resampling, by)}
    return replace(results, signature=signature, notes=notes)


LAST = ("measures", "metrics", "policy")
"""What a signature ends with, before the intervals: in shards too, where the measures may be chosen later."""


def _template(
    task: Task[Any, Any, Any], manifest: Mapping[str, Any], files: Sequence[ShardFile], measures: Sequence[str]
) -> Results:
    """Return results without records, under some of the measures or all; refuse one that was not scored."""
    scored = files[0].about["measures"]
    names = list(task.scoring(measures).measures) if measures else scored
    options: object = build_options(task.options, _tuples(manifest["options"]))
    for name in names:
        if name not in files[0].about["scored"]:
            hint = f"the shards have {', '.join(scored)}"
            raise unknown_name("not scored under this measure", name, scored, hint=hint)
    nothing: Any = None  # measures are refined by the options alone
    chosen = [task.refine(measure, Inputs(nothing, (), options)) for measure in task.measures.find_all(names)]
    signature = {**manifest["signature"], "measures": ", ".join(map(task.measures.signed, names))}
    signature |= measure_signatures(chosen)
    return Results(
        task=task.name,
        measures=chosen,
        systems=(),
        items_known=pa.table({}),
        signature=dict(sorted(signature.items(), key=lambda part: LAST.index(part[0]) if part[0] in LAST else -1)),
        asked=manifest["asked"],
        baselines=manifest["baselines"],
        compared=task.compared,
        scoring_task=task,
        task_options=options,
    )


def _skip_note(results: Results, policy: Sequence[str], n: int) -> list[str]:
    """Return a note where systems skip items: shards do not hold what failures would score."""
    measures = [measure.name for measure in results.measures if not measure.own_items]
    counts = [system.records[name][:, -1].sum() for system in results.systems for name in measures]
    if policy[0] != "skip" or not counts or min(counts) == n:
        return []
    again = setting("missing", "zero")
    return [
        f"items that a system skips are left out; to see its values if they were failures, score again with {again}"
    ]


def _joined_manifest(folders: Sequence[Folder]) -> dict[str, Any]:
    """Return the manifest of several folders as one; refuse folders that were not made in the same way."""
    first, *others = [folder.manifest() for folder in folders]
    for folder, other in zip(folders[1:], others, strict=True):
        for what in ("touchstone", "task", "options", "policy", "measures", "asked"):
            if other[what] != first[what]:
                difference = f"{folders[0].path} has {first[what]}, and this {other[what]}"
                reason = f"made in another way: another {what} ({difference})"
                raise TouchstoneError(reason, file=str(folder.path), code=Code.MISMATCH)
    noted = [[Note(**note) for note in manifest["notes"]] for manifest in (first, *others)]
    items = sum(shard.rows for folder in folders for shard in folder.shards())
    joined = {**first, "notes": add_notes(noted, items)}
    if not others:
        return joined
    manifests = [first, *others]
    signature = dict(first["signature"])
    for name in ("gold", "items", "systems"):
        digest = content_key([manifest["signature"].get(name) for manifest in manifests])[:12]
        signature[name] = f"{len(manifests)} folders#{digest}"
    return {**joined, "signature": signature}


def _small(task: Task[Any, Any, Any], template: Results, files: Sequence[ShardFile]) -> Results:
    """Return results with the records of every item."""
    fields = list(dict.fromkeys(name for file in files for name in file.fields()))
    items = pa.concat_tables([file.items(fields) for file in files], promote_options="permissive")
    items = items.unify_dictionaries().combine_chunks()
    return with_items(task, template, items, systems_of_shards(files, files[0].about["scored"]))


def _reduced(task: Task[Any, Any, Any], template: Results, files: Sequence[ShardFile]) -> Results:
    """Return results with sums over groups of clusters."""
    fields = files[0].fields()
    requested_cluster = template.resampling.cluster
    default_cluster = task.cluster if task.cluster in fields else None
    cluster = {None: default_cluster, "item": None}.get(requested_cluster, requested_cluster)
    if cluster is not None and cluster not in fields:
        raise unknown_name("items have no such field", cluster, fields)
    return reduced(replace(template, resampling=replace(template.resampling, cluster=cluster)), files)


def _check_complete(folder: Folder) -> None:
    status = folder.status()
    if status.done == status.shards and not status.failures:
        return
    what = f"{status.done:,} of {status.shards:,} shards are done, so there are no scores yet"
    if status.failures:
        what += f"; failed: {len(status.failures):,}"
    hint = "run the same command again: it does the rest"
    raise TouchstoneError(what, file=str(folder.path), code=Code.FAILED, hint=hint)


def _tuples(options: Mapping[str, Any]) -> dict[str, Any]:
    return {name: tuple(value) if isinstance(value, list) else value for name, value in options.items()}
