"""Scoring, once for every task: inputs are joined, items become records, records become results.

A scoring in memory is one shard: `join_runs` joins the runs, `score_piece` makes the records of some items or of all,
`with_items` makes results of records. Shards are made and read by the same three functions.

Work is passed as arguments: a `Scoring` is a small picklable description that maps joined runs to records, wherever it
runs. Slow tasks are scored in blocks of items, all systems of a block together, so that whatever belongs to the gold
of a block is computed once for all systems and then dropped.
"""

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from touchstone import __version__
from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError, refuse_repeated
from touchstone.base.ids import Policy
from touchstone.base.notes import warning
from touchstone.base.options import changed_options
from touchstone.base.ragged import Floats
from touchstone.base.spelling import setting
from touchstone.base.workers import Engine, cores, run_pieces, start_method, succeeded
from touchstone.core.clustering import clustered
from touchstone.core.doubts import doubt_names
from touchstone.core.measures import Measure, measure_signatures
from touchstone.core.registry import find_task
from touchstone.core.resampling import Resampling
from touchstone.core.results import CompactRecords, Results, SystemRecords

if TYPE_CHECKING:
    from touchstone.core.inputs import Inputs
    from touchstone.core.task import Task

Progress = Callable[[int, int], None]
"""Is told how many items are scored, and how many there are: those of all systems together."""

LARGE = 10_000
"""Items of all systems together from which processes pay: some seconds of work under slow measures."""

WORTH = 2.0
"""Seconds of work left from which processes pay, whatever the number of items."""

STEP = 100
"""Items in the smallest blocks. Blocks begin at multiples of it whatever the number of processes, so that what a task
keeps of so many neighbours, such as the analyses on disk of `touchstone.text.cache`, serves any other number."""


@dataclass(frozen=True)
class Scoring:
    """A picklable description of a scoring: the name of the task, and the names of its measures."""

    task: str
    measures: tuple[str, ...]

    def __call__(self, joined: Sequence[Any]) -> list[CompactRecords]:
        """Return the records of each of the *joined* runs."""
        return records_of(find_task(self.task).measures.find_all(self.measures), joined)


def records_of(measures: Iterable[Measure[Any]], joined: Sequence[Any]) -> list[CompactRecords]:
    """Return the records of each of the *joined* runs under each of the *measures*."""
    measures = list(measures)
    shared = {measure.name: measure.joint_records(joined) for measure in measures if measure.joint is not None}

    def records(run_index: int, measure: Measure[Any]) -> Floats:
        return shared[measure.name][run_index] if measure.name in shared else measure.item_records(joined[run_index])

    # One system after the other: records take several times the memory until they are compact.
    every = range(len(joined))
    return [CompactRecords({measure.name: records(run_index, measure) for measure in measures}) for run_index in every]


def score_inputs(
    task: "Task[Any, Any, Any]",
    inputs: "Inputs[Any, Any]",
    measures: Iterable[str],
    *,
    by: str | None,
    resampling: Resampling,
    policy: Policy,
    engine: Engine | None = None,
    progress: Progress | None = None,
) -> Results:
    """Return the results of scoring *inputs* under *measures*; `Task.score` explains the parameters."""
    measure_names = list(measures)
    policy = task.settled(policy)
    work = join_runs(task, inputs, measure_names, policy)
    supplied = task.supplied_scores(inputs, policy)
    scored_measures = work.refined(task)
    _check_names(scored_measures, [measure for measure, _ in supplied])
    systems = score_piece(task, work.scoring, work.systems, work.all_items(), engine, progress)
    if supplied:
        scored_measures += [measure for measure, _ in supplied]
        systems = [
            system.with_records({measure.name: rows[system.system] for measure, rows in supplied}) for system in systems
        ]
    parts = work.parts(by) if by is not None and by not in inputs.gold.items.column_names else []
    empty_results = Results(
        task=task.name,
        measures=scored_measures,
        systems=(),
        items_known=inputs.gold.items,
        signature=inputs_signature(task, inputs, scored_measures, policy),
        resampling=resampling,
        by=None if parts else by,
        asked=canonical_names(task, measure_names, inputs),
        baselines=work.baselines,
        compared=task.compared,
        inputs=inputs,
        as_failures=partial(scored_as_failures, task, policy) if policy.missing == "skip" else None,
        scoring_task=task,
        task_options=inputs.options,
    )
    results = with_items(task, empty_results, inputs.gold.items, systems)
    if parts:
        of_parts = {}
        for value, piece in parts:
            part_systems = score_piece(task, work.scoring, work.systems, piece, engine)
            of_parts[value] = with_items(task, empty_results, inputs.gold.items, part_systems)
        results = replace(results, by=by, of_parts=of_parts)
    notes = [
        *input_notes(task, inputs, work.joined),
        *(note for measure, _ in supplied for note in measure.notes),
        *task.notes(inputs, work.joined, results),
        *results.notes,
    ]
    signature = {**results.signature, **interval_signature(results.resampling, by)}
    return replace(results, signature=signature, notes=list(dict.fromkeys(notes)))


@dataclass(frozen=True, eq=False)
class Piece:
    """Some items, or all, with the joined runs cut to them: what is scored at a time, in memory or as a shard."""

    items: pa.Table
    joined: Sequence[Any]
    facts: Sequence[pa.Table]


@dataclass(frozen=True, eq=False)
class JoinedRuns:
    """Inputs whose runs are joined with the gold.

    *systems* names the runs and then the baselines. *measures* are those that are shown; *scoring* computes their
    records and those of further ones.
    """

    inputs: "Inputs[Any, Any]"
    systems: Sequence[str]
    joined: Sequence[Any]
    measures: tuple[str, ...]
    scoring: Scoring

    @property
    def baselines(self) -> list[str]:
        """The systems that the task adds for comparison."""
        return list(self.systems[len(self.inputs.runs) :])

    def refined(self, task: "Task[Any, Any, Any]") -> list[Measure[Any]]:
        """Return the measures that are shown, with what only the inputs tell of them."""
        return [task.refine(measure, self.inputs) for measure in task.measures.find_all(self.measures)]

    def parts(self, field: str) -> list[tuple[str, Piece]]:
        """Return the values of a field of parts of items, each with all items, cut to the parts that have it."""
        by_run = [run.parts(field) for run in self.joined]
        joined = {value: [parts[value] for parts in by_run] for value in by_run[0]}
        return [
            (value, Piece(self.inputs.gold.items, runs, [run.facts for run in runs])) for value, runs in joined.items()
        ]

    def all_items(self) -> Piece:
        """Return all items as one piece."""
        return Piece(self.inputs.gold.items, self.joined, [joined_run.facts for joined_run in self.joined])

    def piece(self, task: "Task[Any, Any, Any]", first: int, rows: int) -> Piece:
        """Return some items, from the *first* on, as a piece."""
        cut = self.joined if task.block is None else task.part(self.joined, slice(first, first + rows))
        facts = [joined_run.facts.slice(first, rows) for joined_run in self.joined]
        return Piece(self.inputs.gold.items.slice(first, rows), cut, facts)


def join_runs(
    task: "Task[Any, Any, Any]",
    inputs: "Inputs[Any, Any]",
    measures: Sequence[str],
    policy: Policy,
    *,
    baselines: bool = True,
) -> JoinedRuns:
    """Join all runs with the gold, and choose what is computed.

    Parameters
    ----------
    task, inputs, measures
        What is scored, under which measures.
    policy
        The settled policy.
    baselines
        Whether to add those of the task.
    """
    chosen = task.chosen(measures, inputs)
    runs = [*inputs.runs, *(task.baselines(inputs) if baselines else ())]
    joined = [task.join(inputs.gold, run, policy, inputs.options) for run in runs]
    scoring = Scoring(task.name, tuple(dict.fromkeys([*chosen, *task.extra_measures])))
    return JoinedRuns(inputs, [run.name for run in runs], joined, chosen, scoring)


def score_piece(
    task: "Task[Any, Any, Any]",
    scoring: Scoring,
    systems: Sequence[str],
    piece: Piece,
    engine: Engine | None = None,
    progress: Progress | None = None,
) -> list[SystemRecords]:
    """Return the records of each system on the items of a piece.

    Parameters
    ----------
    task, scoring, systems
        The task, its measures, and the names of the systems.
    piece
        The items with the joined runs.
    engine, progress
        As in `records_in_blocks`.
    """
    n = piece.items.num_rows
    records = records_in_blocks(task, scoring, piece.joined, n, engine, progress)
    _check_lengths(records, n)
    return [SystemRecords(*part) for part in zip(systems, records, piece.facts, strict=True)]


def with_items(
    task: "Task[Any, Any, Any]", results: Results, items: pa.Table, systems: Sequence[SystemRecords]
) -> Results:
    """Return results with the records of all items; groups, clusters and the number of draws follow from the items.

    Parameters
    ----------
    task, results
        The task, and results without records.
    items, systems
        The items, and the records of each system on them.
    """
    by = results.by
    resampling, notes = clustered(task, items, results.resampling)
    notes = [*results.notes, *notes, *(_same_groups(items, by) if by else ())]
    if resampling.draws < results.resampling.draws:
        made, requested = resampling.draws, results.resampling.draws
        notes.append(f"intervals use {made:,} draws instead of {requested:,}: there are many items")
    groups = task.group_names(items, by) if by else {}
    return replace(results, systems=systems, items_known=items, resampling=resampling, group_names=groups, notes=notes)


def _same_groups(items: pa.Table, by: str) -> list[str]:
    """Return a warning where groups differ in case or blanks only."""
    if by not in items.column_names:
        return []
    spellings: dict[str, list[str]] = {}
    for name in items.column(by).cast(pa.string()).unique().drop_null().to_pylist():
        spellings.setdefault(" ".join(name.split()).casefold(), []).append(name)
    twins = [names for names in spellings.values() if len(names) > 1]
    examples = "; ".join(" and ".join(map(repr, names)) for names in twins[:3])
    return [warning(f"groups of {by} that differ only in case or blanks: {examples}")] if twins else []


def scored_as_failures(task: "Task[Any, Any, Any]", policy: Policy, results: Results) -> Results | None:
    """Return results in which the items that systems skipped are failures; None where none was skipped.

    Parameters
    ----------
    task, policy
        What *results* were scored with.
    results
        Results with their inputs, or a part of them.
    """
    inputs: Any = results.inputs
    skipping = [measure for measure in results.measures if not measure.own_items]
    everything = all((system.records[m.name][:, -1] > 0).all() for system in results.systems for m in skipping)
    if everything or inputs is None:
        return None
    runs = {run.name: run for run in (*inputs.runs, *task.baselines(inputs))}
    joined = [task.join_failed(inputs.gold, runs[system.system], policy, inputs.options) for system in results.systems]
    scoring = Scoring(task.name, tuple(measure.name for measure in skipping if not measure.supplied))
    records = records_in_blocks(task, scoring, joined, len(results))
    systems = [
        system.with_records({**_all_counted(system, results), **failed_records})
        for system, failed_records in zip(results.systems, records, strict=True)
    ]
    changed = any(
        (new.records[measure.name][:, -1] != old.records[measure.name][:, -1]).any()
        for new, old in zip(systems, results.systems, strict=True)
        for measure in skipping
    )
    failure = task.failure or f"as with {setting('missing', 'zero')}"
    return replace(results, systems=systems, as_failures=None, notes=[failure]) if changed else None


def _all_counted(system: SystemRecords, results: Results) -> dict[str, Floats]:
    """Return the records of scores made elsewhere with all items counted; what a skipped one scores is not known."""
    supplied = [measure.name for measure in results.measures if measure.supplied and not measure.own_items]
    return {
        name: np.column_stack([records[:, :-1], np.ones(len(records))])
        for name in supplied
        for records in [system.records[name]]
    }


def input_notes(task: "Task[Any, Any, Any]", inputs: "Inputs[Any, Any]", joined: Sequence[Any]) -> list[str]:
    """Return the notes on gold and runs, each once; doubts about runs are warnings.

    Parameters
    ----------
    task, inputs
        What is scored.
    joined
        The joined runs; those of baselines may follow.
    """
    doubts = [*task.doubts(inputs, list(zip(inputs.runs, joined, strict=False)))]
    if not task.runs_in_gold:
        doubts += doubt_names([run.name for run in inputs.runs])
    notes = [*inputs.remarks, *inputs.gold.notes, *(note for joined_run in joined for note in joined_run.notes)]
    return list(dict.fromkeys([*(doubt.note for doubt in doubts), *notes]))


def _check_lengths(records: Sequence[CompactRecords], n: int) -> None:
    for records_by_measure in records:
        short = next((name for name, rows in records_by_measure.items() if len(rows) != n), None)
        if short is not None:
            raise TouchstoneError("this measure gives no record for every item", value=short, code=Code.MISMATCH)


def _check_names(measures: Sequence[Measure[Any]], supplied: Sequence[Measure[Any]]) -> None:
    """Refuse scores made elsewhere under a name that is taken."""
    names = [measure.name for measure in (*measures, *supplied)]
    refuse_repeated(names, "two measures have the same name", "give the scores another name")


def canonical_names(task: "Task[Any, Any, Any]", names: Sequence[str], inputs: "Inputs[Any, Any]") -> dict[str, str]:
    """Return the canonical name of each measure by the name that it was asked for."""
    canonical = {name: task.chosen([name], inputs) for name in names if name}
    return {name: chosen[0] for name, chosen in canonical.items() if len(chosen) == 1}


def scoring_signature(
    task: "Task[Any, Any, Any]",
    gold: Mapping[str, str],
    systems: str,
    options: object,
    measures: Sequence[Measure[Any]],
    policy: Policy,
) -> dict[str, str]:
    """Return all that records depend on: the same signature means the same records.

    Parameters
    ----------
    task, options, measures, policy
        What is scored, and how.
    gold, systems
        The signatures of the gold and of the runs.
    """
    return {
        "touchstone": __version__,
        "task": task.name,
        **gold,
        **changed_options(options),
        "systems": systems,
        "measures": ", ".join(task.measures.signed(measure.name) for measure in measures),
        **measure_signatures(measures),
        "policy": str(policy),
    }


def interval_signature(resampling: Resampling, by: str | None = None) -> dict[str, str]:
    """Return what intervals and values of groups depend on beside the records."""
    return {**({"by": by} if by else {}), "intervals": f"{resampling}; numpy {np.__version__}"}


def inputs_signature(
    task: "Task[Any, Any, Any]", inputs: "Inputs[Any, Any]", measures: Sequence[Measure[Any]], policy: Policy
) -> dict[str, str]:
    """Return the `scoring_signature` of inputs that were read."""
    systems = ", ".join(run.signature for run in inputs.runs)
    return scoring_signature(task, inputs.gold.signature, systems, inputs.options, measures, policy)


def records_in_blocks(
    task: "Task[Any, Any, Any]",
    scoring: Scoring,
    joined: Sequence[Any],
    n: int,
    engine: Engine | None = None,
    progress: Progress | None = None,
) -> list[CompactRecords]:
    """Return the records of each joined run, computed in blocks of items where the task has blocks.

    Parameters
    ----------
    task, scoring, joined
        The task, its measures, and the joined runs of *n* items.
    n
        The number of items.
    engine
        Where blocks are scored; by default one process for each core where the work is large.
    progress
        Is told how many items are scored.
    """
    if task.block is None:
        records = records_of(task.measures.find_all(scoring.measures), joined)
        _tell(progress, n * len(joined), n * len(joined))
        return records
    cut, measures = task.part, task.measures.find_all(scoring.measures)
    parts: list[list[CompactRecords]] = []
    jobs = 1 if engine is not None and engine.name == "in-process" else engine.jobs or cores() if engine else None
    if jobs is None and task.parallel and 3 * STEP <= n < LARGE / len(joined) and _may_load(scoring) and cores() > 1:
        parts, seconds = _tried(lambda rows: records_of(measures, cut(joined, rows)))
        jobs = cores() if seconds * (n / STEP - len(parts)) > WORTH else 1
    done = len(parts) * STEP
    jobs = jobs or (_default_jobs(n * len(joined)) if task.parallel else 1)
    slices = _slices(n, task.block, jobs, done)
    jobs = min(jobs, len(slices))
    if engine is None or engine.name != "ray":
        engine = Engine("processes", jobs) if jobs > 1 else None
    if jobs > 1 and not parts and _may_load(scoring):
        records_of(measures, cut(joined, slice(0, 1)))
    blocks = (cut(joined, rows) for rows in slices)
    block_records: dict[int, list[CompactRecords]] = {}
    scored: Iterable[tuple[int, list[CompactRecords]]]
    if engine is None:
        scored = ((block_index, records_of(measures, block)) for block_index, block in enumerate(blocks))
    else:
        scored = ((block_index, succeeded(outcome)) for block_index, outcome in run_pieces(scoring, blocks, engine))
    for block_index, records in scored:
        block_records[block_index] = records
        done += slices[block_index].stop - slices[block_index].start
        _tell(progress, done * len(joined), n * len(joined))
    parts += [block_records[block_index] for block_index in range(len(slices))]
    return [
        CompactRecords({name: np.concatenate([part[system][name] for part in parts]) for name in scoring.measures})
        for system in range(len(joined))
    ]


def _slices(n: int, block: int, jobs: int, start: int = 0) -> list[slice]:
    """Return the blocks of *n* items from *start* on: of the task's size, or of those that suit the processes.

    For several processes blocks become smaller, down to `STEP`, the fewer items are left, so that all processes end at
    about the same time.

    >>> _slices(10, 8, 1), _slices(10, 8, 3)
    ([slice(0, 8, None), slice(8, 10, None)], [slice(0, 4, None), slice(4, 8, None), slice(8, 10, None)])
    >>> [rows.stop - rows.start for rows in _slices(1250, 500, 2)]
    [300, 200, 100, 100, 100, 100, 100, 100, 100, 50]
    """
    step = max(1, min(STEP, -(-(n - start) // jobs)))
    slices = []
    while start < n:
        fair = (n - start) // (2 * jobs) // step * step
        size = min(block, max(fair, step)) if jobs > 1 else block
        slices.append(slice(start, min(start + size, n)))
        start += size
    return slices


def _default_jobs(n: int) -> int:
    """Return one process for each core where the work is large and forking is safe, else one."""
    return 1 if n < LARGE or start_method() != "fork" else cores()


def _may_load(scoring: Scoring) -> bool:
    """Return whether what measures need can be loaded once, here, before processes are forked, which then share it.

    A user's own measure may load what does not survive that, such as threads or a graphics device.
    """
    return start_method() == "fork" and not any(":" in name for name in scoring.measures)


def _tried(score: Callable[[slice], list[CompactRecords]]) -> tuple[list[list[CompactRecords]], float]:
    """Return the records of the first two blocks of `STEP` items, and the seconds of the second one.

    The first also loads what the measures need, which processes that are forked later share.
    """
    first = score(slice(0, STEP))
    began = time.perf_counter()
    return [first, score(slice(STEP, 2 * STEP))], time.perf_counter() - began


def _tell(progress: Progress | None, done: int, total: int) -> None:
    if progress is not None:
        progress(done, total)
