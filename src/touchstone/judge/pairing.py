"""Human and judge scores of the same systems, side by side: people scored some items, a judge scored all of them.

A judge is anything that scores every item: a model, a metric, a second gold that was made automatically. Both sides are
results of the same task, so every measure that a task can score can be paired.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa

from touchstone.base.errors import Fault, TouchstoneError, nearest
from touchstone.base.ids import STRICT, Ids, Policy
from touchstone.base.notes import WARNING, is_warning, warning
from touchstone.base.ragged import Bools, Floats, Ints
from touchstone.base.spelling import setting
from touchstone.core.measures import Measure
from touchstone.core.registry import find_task
from touchstone.core.resampling import Resampling
from touchstone.core.results import Results, SystemRecords
from touchstone.core.scoring import ITEM
from touchstone.core.task import Inputs, Task
from touchstone.judge.paired import Paired
from touchstone.judge.pairing_checks import (
    PROBABILITY,
    as_judge,
    check_outputs_judged,
    check_sizes,
    check_systems_judged,
    empty_scores,
    gold_name,
    output_lines,
    places,
    probabilities,
)
from touchstone.judge.pairing_measures import judging_task, measure_pairs, same_names, split_name, usual_pairs

__all__ = ["Paired", "judge_alone", "pair", "paired_tables"]


def paired_tables(
    human: object,
    judge: object,
    measures: Iterable[str] = (),
    *,
    resampling: Resampling = Resampling(),  # noqa: B008 (immutable)
    policy: Policy = STRICT,
    **options: object,
) -> list[Paired]:
    """Read two tables of the task ``items``, human scores of some items and judge scores of all, and pair them.

    Parameters
    ----------
    human, judge
        Files or Python objects: tables with columns for the system, the item, and the score under each measure.
    measures, resampling, policy
        As in `pair`.
    options
        The options of the task ``items``, by name.

    Examples
    --------
    >>> human = [{"system": "a", "item": "1", "rating": 1.0}, {"system": "a", "item": "2", "rating": 0.0}]
    >>> judge = [{"system": "a", "item": str(item), "score": item / 4} for item in range(1, 5)]
    >>> [paired] = paired_tables(human, judge)
    >>> paired.measure.name, paired.human_values("a").tolist(), paired.judge_values("a").tolist()
    ('rating', [1.0, 0.0, nan, nan], [0.25, 0.5, 0.75, 1.0])
    """
    task = find_task("items")
    return pair(
        task,
        task.read(human, **options),
        task.read(judge, **options),
        measures,
        resampling=resampling,
        policy=policy,
    )


def pair(
    task: Task[Any, Any, Any],
    human: Inputs[Any, Any],
    judge: Inputs[Any, Any],
    measures: Iterable[str] = (),
    *,
    resampling: Resampling = Resampling(),  # noqa: B008 (immutable)
    policy: Policy = STRICT,
    jobs: int | None = None,
) -> list[Paired]:
    """Score the same systems against what people said about some items and what a judge said about all.

    Parameters
    ----------
    task
        The task that scores both.
    human, judge
        The inputs of either side, as `Task.read` gives them.
    measures
        Names of measures; ``HUMAN=JUDGE`` where a measure has another name on the judge's side. By default those that
        both sides score, or the only one of each side.
    resampling
        The level of intervals, and the field of items that belong together.
    policy
        What happens to ids that do not match: ``unknown`` is about human items that the judge lacks.
    jobs
        The number of processes.
    """
    asked = [split_name(name) for name in measures or usual_pairs(task, judge)]
    tables = task.read_run is None  # tables hold what was scored and no more
    chances = probabilities(human)
    human = replace(human, runs=[run for run in human.runs if run.name != PROBABILITY])
    check_systems_judged(human, judge)
    check_outputs_judged(human, judge, policy, tables=tables)
    people = _human_results(task, human, [own for own, _ in asked], policy, jobs)
    wanted = [other for _, other in asked] or (same_names(people, judge) if tables else [])
    machine = _judge_results(task, judge, wanted, policy, jobs)
    if not tables:
        machine = _mark_notes(machine, {*people.notes, *human.remarks, *judge.remarks})
    if resampling.cluster is None and task.cluster in {*_names(people), *_names(machine)}:
        resampling = replace(resampling, cluster=task.cluster)
    sides = measure_pairs(task, people, machine, asked)
    check_sizes(human, [own.name for own, _ in sides])
    check_sizes(judge, [other.name for _, other in sides])
    own_lines = output_lines(human) if tables else None
    lines = own_lines or dict.fromkeys((run.name for run in human.runs), places(human))
    # Notes on the runs of people are those of the judge's side, except in tables, where both sides have runs.
    merged = [f"people: {name}: {text}" for name, ids in (own_lines or {}).items() for text in ids.dropped()]
    pairs = []
    for own, other in sides:
        paired = _paired(people, machine, (own, other), resampling, policy, chances, lines, tables=tables)
        empty = empty_scores(human, own.name, "people") + empty_scores(judge, other.name, "the judge")
        pairs.append(replace(paired, notes=[*paired.notes, *merged, *empty]))
    return pairs


def _human_results(
    task: Task[Any, Any, Any], human: Inputs[Any, Any], measures: Sequence[str], policy: Policy, jobs: int | None
) -> Results:
    """Return what people's side scores, with the notes on their gold; the judge's side has the notes on runs."""
    missing = "skip" if task.read_run is None else policy.missing
    people = _scored(task, human, measures, replace(policy, missing=missing, unknown="ignore"), jobs)
    people = replace(people, notes=[*human.remarks, *human.gold.notes])
    return _without_bare(people, sorted(getattr(human.gold, "bare", ())))


def _judge_results(
    task: Task[Any, Any, Any], judge: Inputs[Any, Any], measures: Sequence[str], policy: Policy, jobs: int | None
) -> Results:
    """Return what the judge's side scores; errors say that the judge is the gold there."""
    tables = task.read_run is None
    strict = replace(policy, missing=policy.missing or ("skip" if tables else None))
    try:
        results = _scored(judging_task(task), judge, measures, strict, jobs)
    except TouchstoneError as error:
        raise (error if tables else as_judge(error, gold_name(judge))) from None
    used = tuple(f"{measure.name} is left out: " for measure in results.measures)
    return replace(results, notes=[note for note in results.notes if not note.startswith(used)])


def _mark_notes(results: Results, shared: Collection[str]) -> Results:
    """Return the results of the judge's side with notes that say so, except those that both sides share."""
    marked = [note if note in shared else _of_judge(note) for note in results.notes]
    return replace(results, notes=marked)


def _of_judge(note: str) -> str:
    """Return a note that is about the judge's side; a warning stays one."""
    said = f"with the judge as gold: {note.removeprefix(WARNING)}"
    return warning(said) if is_warning(note) else said


def judge_alone(
    task: Task[Any, Any, Any],
    judge: Inputs[Any, Any],
    measures: Iterable[str] = (),
    *,
    policy: Policy = STRICT,
    jobs: int | None = None,
) -> Paired:
    """Return the scores of a judge before people gave any, for a first draw of items.

    Parameters
    ----------
    task, judge, measures, policy, jobs
        As in `pair`; of several measures the first.
    """
    wanted = [split_name(name)[1] for name in measures or usual_pairs(task, judge)]
    tables = task.read_run is None
    strict = replace(policy, missing=policy.missing or ("skip" if tables else None))
    scored = _scored(judging_task(task), judge, wanted, strict, jobs)
    measure, items = scored.measures[0], scored.items_known.column("id").to_pylist()
    records = {system.system: system.records[measure.name] for system in scored.systems}
    records = {name: np.where(own[:, -1:] > 0, own, np.nan) if tables else own for name, own in records.items()}
    nothing = {name: np.full_like(own, np.nan) for name, own in records.items()}
    known = scored.items_known
    signature = {**scored.signature, "measures": measure.name}
    plain = Resampling("none")
    return Paired(measure, tuple(records), tuple(items), nothing, records, None, None, known, plain, signature)


def _without_bare(people: Results, rows: Sequence[int]) -> Results:
    """Return the results of people without items that have no gold: a blank line of references."""
    if not rows:
        return people
    blank = np.isin(np.arange(len(people.items_known)), rows)[:, None]
    systems = [
        replace(one, records={name: np.where(blank, np.nan, own) for name, own in one.records.items()})
        for one in people.systems
    ]
    note = f"human items without a reference, which count as not scored: {len(rows):,}"
    kept = [one for one in people.notes if not one.startswith("segments without a reference")]
    return replace(people, systems=systems, notes=[*kept, note])


def _names(results: Results) -> list[str]:
    return list(results.items_known.column_names)


def _scored(
    task: Task[Any, Any, Any], inputs: Inputs[Any, Any], measures: Sequence[str], policy: Policy, jobs: int | None
) -> Results:
    """Return the results of one side, without baselines."""
    plain = Resampling("none", cluster=ITEM)
    results = task.score(inputs, measures=measures, resampling=plain, policy=policy, jobs=jobs)
    names = {run.name for run in inputs.runs}
    return replace(results, systems=[system for system in results.systems if system.system in names])


def _paired(
    human: Results,
    judge: Results,
    measures: tuple[Measure[Any], Measure[Any]],
    resampling: Resampling,
    policy: Policy,
    chances: Mapping[str, float] | None,
    lines: Mapping[str, Ids],
    *,
    tables: bool,
) -> Paired:
    """Return the records of both sides in the order of the judge's items."""
    items = judge.items_known.column("id").to_pylist()
    rows = _rows(human.items_known.column("id").to_pylist(), items)
    lacking = int((rows < 0).sum())
    notes = [f"human items without a score of the judge, which are left out: {lacking:,}"] if lacking else []
    people, machine, without_judge = {}, {}, 0
    systems, left_out = _shared_systems(human, judge)
    notes += left_out
    for name, (own, other) in systems.items():
        sides = own.records[measures[0].name], other.records[measures[1].name]
        # In a table a record of zeros is a score that is not there; under a gold it is an item that does not count.
        first, second = (np.where(one[:, -1:] > 0, one, np.nan) if tables else one for one in sides)
        people[name] = np.full((len(items), first.shape[1]), np.nan)
        people[name][rows[rows >= 0]] = first[rows >= 0]
        machine[name] = second
        unjudged = np.isfinite(people[name][:, 0]) & np.isnan(second[:, 0])
        notes += _without_judge(name, [items[row] for row in np.flatnonzero(unjudged)], policy, lines[name])
        people[name][unjudged] = np.nan
        notes += _same_scores(name, people[name], second)
        without_judge += int(unjudged.sum() + np.isfinite(first[rows < 0, 0]).sum())
    fields = _fields(human.items_known, judge.items_known, rows)
    scored = np.any([np.isfinite(records[:, 0]) for records in people.values()], axis=0)
    probability = _probability(chances, items, scored, lines) if chances is not None else None
    clusters, resampling, more = _clusters(fields, resampling)
    names = list(dict.fromkeys(measure.name for measure in measures))
    signature = {**judge.signature, "measures": "=".join(names)}
    signature |= {f"human {key}": human.signature[key] for key in ("gold", "items", *(["systems"] if tables else []))}
    return Paired(
        measures[0],
        tuple(people),
        tuple(items),
        people,
        machine,
        clusters,
        probability,
        fields,
        resampling,
        signature,
        list(dict.fromkeys([*human.notes, *judge.notes, *notes, *more])),
        lines,
        without_judge,
    )


def _rows(human: Sequence[str], judge: Sequence[str]) -> Ints:
    """Return the place of each human item among those of the judge, -1 for none."""
    place = {item: row for row, item in enumerate(judge)}
    return np.array([place.get(item, -1) for item in human], np.int64)


def _without_judge(system: str, items: Sequence[str], policy: Policy, lines: Ids) -> list[str]:
    """Return a note on human scores beside which the judge's is empty, or refuse them, as the policy says."""
    if items and policy.unknown == "error":
        hint = f"{len(items):,} human items of {system} have none; leave them out with {setting('unknown', 'ignore')}"
        what = f"the judge has no score of {system!r} for this item"
        places = [lines.lines[lines.first[item]] or None for item in items]
        faults = [Fault(what, lines.file or None, line, item) for item, line in zip(items, places, strict=True)]
        raise TouchstoneError.of(faults, hint)
    left_out = f"human items of {system} without a score of the judge, which are left out: {len(items):,}"
    return [left_out] if items else []


COPIED = 20
"""Items from which equal scores of people and of the judge are no chance, if the scores differ between items."""


def _same_scores(system: str, people: Floats, machine: Floats) -> list[str]:
    """Return a warning where the judge gives every item the very score that people gave it."""
    both = np.isfinite(people[:, 0]) & np.isfinite(machine[:, 0])
    first, second = people[both], machine[both]
    if len(first) < COPIED or not np.array_equal(first, second) or np.ptp(first[:, 0]) == 0:
        return []
    what = f"{system}: the judge's scores equal those of people on all {len(first):,} items"
    return [warning(f"{what}: is one file given for both sides?")]


def _shared_systems(human: Results, judge: Results) -> tuple[dict[str, tuple[SystemRecords, SystemRecords]], list[str]]:
    """Return the systems that people scored, and a note on others; the only one of each side, whatever its name."""
    people = {system.system: system for system in human.systems}
    machine = {system.system: system for system in judge.systems}
    if len(people) == len(machine) == 1:
        (name, own), other = next(iter(people.items())), next(iter(machine.values()))
        differ = f"people scored {name}, the judge {other.system}: they are taken for the same system"
        return {name: (own, other)}, [differ] if other.system != name else []
    unseen = [name for name in machine if name not in people]
    notes = [f"systems without human scores, which are left out: {', '.join(unseen)}"] if unseen else []
    return {name: (own, machine[name]) for name, own in people.items()}, notes


def _fields(human: pa.Table, judge: pa.Table, rows: Ints) -> pa.Table:
    """Return the fields of the judge's items, and those that only the human items have."""
    more = [name for name in human.column_names if name not in judge.column_names]
    place = np.full(judge.num_rows, -1)
    place[rows[rows >= 0]] = np.flatnonzero(rows >= 0)
    taken = human.select(more).take(pa.array(place, mask=place < 0))
    return pa.table(
        {**{name: judge.column(name) for name in judge.column_names}, **{name: taken.column(name) for name in more}}
    )


def _clusters(fields: pa.Table, resampling: Resampling) -> tuple[Ints | None, Resampling, list[str]]:
    """Return the cluster of each item; an item without a value of the field is a cluster of its own."""
    name = resampling.cluster
    if name in (None, ITEM):
        return None, replace(resampling, cluster=None), []
    known = [one for one in fields.column_names if one != "id"]
    if name not in known:
        near, hint = (
            nearest(str(name), known),
            f"known: {', '.join(known) or 'none; the items have no further columns'}",
        )
        raise TouchstoneError("items have no such field", value=name, near=near, hint=hint)
    column = fields.column(name).combine_chunks().cast(pa.string()).dictionary_encode()
    codes = column.indices.fill_null(-1).to_numpy().astype(np.int64)
    alone = codes < 0
    codes[alone] = len(column.dictionary) + np.arange(np.count_nonzero(alone))
    if len(np.unique(codes)) == len(codes):
        return None, replace(resampling, cluster=None), []
    note = f"items whose {name} is not known, each taken by itself: {np.count_nonzero(alone):,}"
    return codes, resampling, [note] if alone.any() else []


def _probability(chances: Mapping[str, float], items: Sequence[str], scored: Bools, lines: Mapping[str, Ids]) -> Floats:
    """Return the inclusion probability of each item; refuse items that people scored and that have none."""
    probability = np.array([chances.get(item, np.nan) for item in items])
    lacking = [items[row] for row in np.flatnonzero(scored & np.isnan(probability)).tolist()]
    if lacking:
        known = next(ids for ids in lines.values() if lacking[0] in ids.first)
        line = known.lines[known.first[lacking[0]]] or None
        hint = "the column probability is the probability that an item was given to people: fill it in for all items"
        what = f"human items have no inclusion probability ({len(lacking):,} of them), such as"
        raise TouchstoneError(what, file=known.file or None, line=line, value=lacking[0], kind="id", hint=hint)
    return probability
