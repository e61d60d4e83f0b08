"""Human and judge scores of the same systems, joined by id: people scored some items, a judge scored all of them.

A judge is anything that scores every item: a model, a metric, a second gold that was made automatically. Both sides are
results of the same task, so every measure that a task can score can be joined. Everything that cannot be joined is
refused with its file and line, as far as the task keeps them.
"""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from touchstone.base.errors import SHOWN, Fault, TouchstoneError, nearest
from touchstone.base.ids import STRICT, Ids, Policy
from touchstone.base.notes import WARNING, Note, is_warning, warning, warnings_of
from touchstone.base.ragged import Floats, Ints
from touchstone.base.spelling import setting
from touchstone.core.clustering import ITEM
from touchstone.core.inputs import Inputs
from touchstone.core.measures import Measure
from touchstone.core.names import LEFT_OUT
from touchstone.core.resampling import Resampling
from touchstone.core.results import Results, SystemRecords
from touchstone.core.task import Task
from touchstone.judge.doubts import doubts_about
from touchstone.judge.paired import OutputKey, Paired
from touchstone.judge.probabilities import PROBABILITY, item_probabilities, probabilities

LARGEST = 1e12
"""A float has fifteen digits, and tables show three decimals."""

SIDES = {"annotator", "gold", "human", "humans", "judge", "llm", "machine", "metric", "people", "score", "value"}
"""Columns of tables without systems: names of the side, not of what was scored."""

COPIED = 20
"""Items from which equal scores of people and of the judge are no chance, if the scores differ between items."""


@dataclass(frozen=True, eq=False)
class Details:
    """What tables say of single outputs beside their scores.

    Parameters
    ----------
    answers
        By measure, the scores that single people gave an output.
    facts
        By name, what is known of an output, such as its length.
    empty
        By measure, how many answers of people are empty.
    doubts
        By measure, the warnings about the people who answered.
    """

    answers: Mapping[str, Mapping[OutputKey, Sequence[float]]] = field(default_factory=dict)
    facts: Mapping[str, Mapping[OutputKey, str]] = field(default_factory=dict)
    empty: Mapping[str, int] = field(default_factory=dict)
    doubts: Mapping[str, Sequence[str]] = field(default_factory=dict)


def pair(
    task: Task[Any, Any, Any],
    human: Inputs[Any, Any],
    judge: Inputs[Any, Any],
    measures: Iterable[str] = (),
    *,
    details: Details = Details(),
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
    details
        What is known of single outputs.
    resampling
        The level of intervals, and the field of items that belong together.
    policy
        What happens to ids that do not match: ``unknown`` is about human items that the judge lacks.
    jobs
        The number of processes.
    """
    name_pairs = [split_name(name) for name in measures or _default_pairs(task, judge)]
    tables = task.runs_in_gold  # tables hold what was scored and no more
    chances = probabilities(human)
    human = replace(human, runs=[run for run in human.runs if run.name != PROBABILITY])
    _check_systems_judged(human, judge)
    _check_outputs_judged(human, judge, policy, tables=tables)
    people = _human_results(task, human, [name for name, _ in name_pairs], policy, jobs)
    human_names = [measure.name for measure in people.measures if measure.name != PROBABILITY]
    machine = _judge_results(task, judge, [name for _, name in name_pairs], human_names, policy, jobs)
    if not tables:
        machine = _mark_notes(machine, {*people.notes, *human.remarks, *judge.remarks})
    if resampling.cluster is None and task.cluster in {*_names(people), *_names(machine)}:
        resampling = replace(resampling, cluster=task.cluster)
    sides = _measure_pairs(task, people, machine, name_pairs)
    _check_sizes(human, [measure.name for measure, _ in sides])
    _check_sizes(judge, [measure.name for _, measure in sides])
    output_lines = _output_lines(human) if tables else None
    lines = output_lines or dict.fromkeys((run.name for run in human.runs), human.gold.places)
    # Notes on the runs of people are those of the judge's side, except in tables, where both sides have runs.
    merged = [f"people: {name}: {text}" for name, ids in (output_lines or {}).items() for text in ids.dropped()]
    pairs = []
    for ours, theirs in sides:
        joined = _join(people, machine, (ours, theirs), resampling, policy, chances, lines, tables=tables)
        joined = replace(joined, notes=[*joined.notes, *details.doubts.get(ours.name, ()), *doubts_about(joined)])
        empty = _empty_scores(human, ours.name, "people") + _empty_scores(judge, theirs.name, "the judge")
        if unanswered := details.empty.get(ours.name):
            empty.append(f"answers of people without a score ({ours.name}), which are left out: {unanswered:,}")
        pairs.append(_with_details(replace(joined, notes=[*joined.notes, *merged, *empty]), details))
    return pairs


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
    names = [split_name(name)[1] for name in measures or _default_pairs(task, judge)]
    tables = task.runs_in_gold
    strict = replace(policy, missing=policy.missing or ("skip" if tables else None))
    scored = _scored(task.judging.judge_task(task, ()), judge, names, strict, jobs)
    measure, fields = scored.measures[0], scored.items_known
    records = [system.records[measure.name] for system in scored.systems]
    systems = [system.system for system in scored.systems]
    machine = _counted(np.concatenate(records), tables=tables)
    signature = {**scored.signature, "measures": measure.name}
    nothing = np.full_like(machine, np.nan)
    return _long_table(measure, systems, nothing, machine, fields, Resampling("none"), signature=signature)


def split_name(name: str) -> tuple[str, str]:
    """Return the names of a measure on both sides, from ``HUMAN=JUDGE`` or one name; ``P(k=1)`` is one name.

    >>> split_name("rating=score"), split_name("P(k=1)")
    (('rating', 'score'), ('P(k=1)', 'P(k=1)'))
    """
    human, *judge = re.split(r"=(?![^()]*\))", name, maxsplit=1)
    return human, judge[0] if judge else human


def judge_differs(paired: Paired) -> bool:
    """Return whether the judge gives any output another score than people; else the column is a fact, not a score."""
    return bool((np.abs(paired.human_values - paired.judge_values) > 0).any())


def _long_table(
    measure: Measure[Any],
    systems: Sequence[str],
    human: Floats,
    judge: Floats,
    fields: pa.Table,
    resampling: Resampling,
    **more: Any,  # noqa: ANN401 (the other columns)
) -> Paired:
    """Return the records of systems one after the other as a table, with the fields of their items in each row."""
    items, count = fields.num_rows, len(systems)
    item = np.tile(np.arange(items), count)
    return Paired(
        measure,
        tuple(systems),
        tuple(fields.column("id").to_pylist()),
        np.repeat(np.arange(count), items),
        item,
        human,
        judge,
        fields.take(pa.array(item)),
        resampling=resampling,
        **more,
    )


def _with_details(paired: Paired, details: Details) -> Paired:
    """Return the table with what is known of single outputs; without single answers, the answer is the score."""
    outputs = [(paired.systems[s], paired.items[i]) for s, i in zip(paired.system, paired.item, strict=True)]
    facts = {name: [of.get(output) for output in outputs] for name, of in details.facts.items()}
    answers = details.answers.get(paired.measure.name)
    if answers is None:
        return replace(paired, facts=facts)
    scores = paired.human_values.tolist()
    single = [np.array(answers.get(output, [score])) for output, score in zip(outputs, scores, strict=True)]
    return replace(paired, facts=facts, answers=single)


def _human_results(
    task: Task[Any, Any, Any], human: Inputs[Any, Any], measures: Sequence[str], policy: Policy, jobs: int | None
) -> Results:
    """Return what people's side scores, with the notes on their gold; the judge's side has the notes on runs."""
    tables = task.runs_in_gold  # elsewhere the judge's side has the warnings about the runs
    missing = "skip" if tables else policy.missing
    people = _scored(task, human, measures, replace(policy, missing=missing, unknown="ignore"), jobs)
    run_warnings = (
        [warning(f"people: {note.removeprefix(WARNING)}") for note in warnings_of(people.notes)] if tables else []
    )
    people = replace(people, notes=[*human.remarks, *task.judging.human_notes(human.gold), *run_warnings])
    return _without_rows(people, task.judging.rows_without_gold(human.gold))


def _judge_results(
    task: Task[Any, Any, Any],
    judge: Inputs[Any, Any],
    measures: Sequence[str],
    human_names: Sequence[str],
    policy: Policy,
    jobs: int | None,
) -> Results:
    """Return what the judge's side scores; errors say that the judge is the gold there."""
    tables = task.runs_in_gold
    strict = replace(policy, missing=policy.missing or ("skip" if tables else None))
    try:
        results = _scored(task.judging.judge_task(task, human_names), judge, measures, strict, jobs)
    except TouchstoneError as error:
        raise (error if tables else as_judge(error, judge.gold.places.file)) from None
    used = {LEFT_OUT.format(measure.name) for measure in results.measures}
    return replace(results, notes=[note for note in results.notes if Note.of_text(note).code not in used])


def _mark_notes(results: Results, shared: Collection[str]) -> Results:
    """Return the results of the judge's side with notes that say so, except those that both sides share."""
    marked = [note if note in shared else _of_judge(note) for note in results.notes]
    return replace(results, notes=marked)


def _of_judge(note: str) -> str:
    """Return a note that is about the judge's side; a warning stays one."""
    text = f"with the judge as gold: {note.removeprefix(WARNING)}"
    return warning(text) if is_warning(note) else text


def _without_rows(people: Results, rows: Sequence[int]) -> Results:
    """Return the results of people without items that have no gold: a blank line of references."""
    if not rows:
        return people
    blank = np.isin(np.arange(len(people.items_known)), rows)[:, None]
    systems = [
        replace(system, records={name: np.where(blank, np.nan, records) for name, records in system.records.items()})
        for system in people.systems
    ]
    note = f"human items without a reference, which count as not scored: {len(rows):,}"
    return replace(people, systems=systems, notes=[*people.notes, note])


def _names(results: Results) -> list[str]:
    return list(results.items_known.column_names)


def _scored(
    task: Task[Any, Any, Any], inputs: Inputs[Any, Any], measures: Sequence[str], policy: Policy, jobs: int | None
) -> Results:
    """Return the results of one side, without baselines."""
    without_intervals = Resampling("none", cluster=ITEM)
    results = task.score(inputs, measures=measures, resampling=without_intervals, policy=policy, jobs=jobs)
    names = {run.name for run in inputs.runs}
    return replace(results, systems=[system for system in results.systems if system.system in names])


def _counted(records: Floats, *, tables: bool) -> Floats:
    """Return records where a score that is not there is nan.

    In a table a record of zeros is a score that is not there; under a gold it is an item that does not count.
    """
    return np.where(records[:, -1:] > 0, records, np.nan) if tables else records


def _join(
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
    """Return the records of both sides as one table, in the order of the judge's items."""
    items = judge.items_known.column("id").to_pylist()
    rows = _rows(human.items_known.column("id").to_pylist(), items)
    lacking = int((rows < 0).sum())
    notes = [f"human items without a score of the judge, which are left out: {lacking:,}"] if lacking else []
    people, machine, without_judge = [], [], 0
    systems, left_out = _shared_systems(human, judge)
    notes += left_out
    for name, (human_system, judge_system) in systems.items():
        first = _counted(human_system.records[measures[0].name], tables=tables)
        second = _counted(judge_system.records[measures[1].name], tables=tables)
        placed = np.full((len(items), first.shape[1]), np.nan)
        placed[rows[rows >= 0]] = first[rows >= 0]
        unjudged = np.isfinite(placed[:, 0]) & np.isnan(second[:, 0])
        notes += _without_judge(name, [items[row] for row in np.flatnonzero(unjudged)], policy, lines[name])
        placed[unjudged] = np.nan
        notes += _same_scores(name, placed, second)
        without_judge += int(unjudged.sum() + np.isfinite(first[rows < 0, 0]).sum())
        people.append(placed)
        machine.append(second)
    fields = _fields(human.items_known, judge.items_known, rows)
    scored = np.any([np.isfinite(records[:, 0]) for records in people], axis=0)
    probability = item_probabilities(chances, items, scored, lines) if chances is not None else None
    clusters, resampling, more = _clusters(fields, resampling, judge_fields=judge.items_known.column_names)
    names = list(dict.fromkeys(measure.name for measure in measures))
    signature = {**judge.signature, "measures": "=".join(names)}
    signature |= {f"human {key}": human.signature[key] for key in ("gold", "items", *(["systems"] if tables else []))}
    joined = _long_table(
        measures[0],
        list(systems),
        np.concatenate(people),
        np.concatenate(machine),
        fields,
        resampling,
        signature=signature,
        notes=list(dict.fromkeys([*human.notes, *judge.notes, *notes, *more])),
        lines=lines,
        unjudged=without_judge,
    )
    item = joined.item
    return replace(
        joined,
        clusters=None if clusters is None else clusters[item],
        probability=None if probability is None else probability[item],
    )


def _rows(human: Sequence[str], judge: Sequence[str]) -> Ints:
    """Return the row of each human item among those of the judge, -1 for none."""
    row_of = {item: row for row, item in enumerate(judge)}
    return np.array([row_of.get(item, -1) for item in human], np.int64)


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


def _same_scores(system: str, people: Floats, machine: Floats) -> list[str]:
    """Return a warning where the judge gives every item the very score that people gave it."""
    both = np.isfinite(people[:, 0]) & np.isfinite(machine[:, 0])
    first, second = people[both], machine[both]
    if len(first) < COPIED or not np.array_equal(first, second) or np.ptp(first[:, 0]) == 0:
        return []
    what = f"{system}: the judge's scores equal those of people on all {len(first):,} items"
    return [warning(f"{what}: is one file given for both sides?")]


def _shared_systems(human: Results, judge: Results) -> tuple[dict[str, tuple[SystemRecords, SystemRecords]], list[str]]:
    """Return the systems that people scored, a note on others, and a warning where the only ones have two names."""
    people = {system.system: system for system in human.systems}
    machine = {system.system: system for system in judge.systems}
    if len(people) == len(machine) == 1:
        (name, human_system), other = next(iter(people.items())), next(iter(machine.values()))
        differ = f"people scored {name}, the judge {other.system}: they are taken for the same system"
        note = warning(differ) if {name.lower(), other.system.lower()}.isdisjoint(SIDES) else differ
        return {name: (human_system, other)}, [note] if other.system != name else []
    unseen = [name for name in machine if name not in people]
    notes = [f"systems without human scores, which are left out: {', '.join(unseen)}"] if unseen else []
    return {name: (human_system, machine[name]) for name, human_system in people.items()}, notes


def _fields(human: pa.Table, judge: pa.Table, rows: Ints) -> pa.Table:
    """Return the fields of the judge's items, and those that only the human items have."""
    more = [name for name in human.column_names if name not in judge.column_names]
    human_rows = np.full(judge.num_rows, -1)
    human_rows[rows[rows >= 0]] = np.flatnonzero(rows >= 0)
    taken = human.select(more).take(pa.array(human_rows, mask=human_rows < 0))
    return pa.table(
        {**{name: judge.column(name) for name in judge.column_names}, **{name: taken.column(name) for name in more}}
    )


def _clusters(
    fields: pa.Table, resampling: Resampling, judge_fields: Collection[str]
) -> tuple[Ints | None, Resampling, list[str]]:
    """Return the cluster of each item; an item without a value of the field is a cluster of its own.

    That is a warning where the field is one of *judge_fields*, so that its empty cells are those of a table.
    """
    name = resampling.cluster
    if name in (None, ITEM):
        return None, replace(resampling, cluster=None), []
    columns = [column for column in fields.column_names if column != "id"]
    if name not in columns:
        near, hint = (
            nearest(str(name), columns),
            f"known: {', '.join(columns) or 'none; the items have no further columns'}",
        )
        raise TouchstoneError("items have no such field", value=name, near=near, hint=hint)
    cells = fields.column(name).combine_chunks().cast(pa.string())
    column = pc.if_else(pc.equal(cells, ""), pa.scalar(None, pa.string()), cells).dictionary_encode()
    codes = column.indices.fill_null(-1).to_numpy().astype(np.int64)
    alone = codes < 0
    count = np.count_nonzero(alone)
    codes[alone] = len(column.dictionary) + np.arange(np.count_nonzero(alone))
    notes = [f"items whose {name} is not known, each taken by itself: {count:,}"] if count else []
    if name in judge_fields and 0 < count < len(codes):
        cause = "merged cells of a spreadsheet have a value in their first row only"
        what = f"{count:,} of {len(codes):,} items have no {name}, and count by themselves"
        notes = [warning(f"{what}: fill it in ({cause})")]
    if len(np.unique(codes)) == len(codes):
        return None, replace(resampling, cluster=None), notes if name in judge_fields else []
    return codes, resampling, notes


def _check_sizes(inputs: Inputs[Any, Any], measures: Sequence[str]) -> None:
    """Refuse scores of a table that are too large to be summed."""
    faults = [
        Fault(
            f"{name} is larger than {LARGEST:g}", run.places.file, run.places.lines[row], f"{run.scores[name][row]:g}"
        )
        for run in inputs.runs
        for name in measures
        if name in run.scores
        for values in [run.scores[name]]
        for row in np.flatnonzero(np.abs(values) > LARGEST).tolist()
    ]
    if faults:
        raise TouchstoneError.of(faults, "use smaller numbers, such as their logarithms")


def _empty_scores(inputs: Inputs[Any, Any], measure: str, side: str) -> list[str]:
    """Return a note on the rows of a table that have no score."""
    columns = [run.scores[measure] for run in inputs.runs if measure in run.scores]
    empty = sum(int(np.isnan(values).sum()) for values in columns)
    return [f"rows of {side} without a score ({measure}), which are left out: {empty:,}"] if empty else []


def _output_lines(inputs: Inputs[Any, Any]) -> dict[str, Ids] | None:
    """Return the items of each system with their lines; None if the runs keep none, as those of a gold's files."""
    lines_by_system = {run.name: run.places for run in inputs.runs if run.places is not None}
    return lines_by_system if len(lines_by_system) == len(inputs.runs) else None


def _check_systems_judged(human: Inputs[Any, Any], judge: Inputs[Any, Any]) -> None:
    """Refuse systems that people scored and the judge did not; the only one of each side may have any name."""
    judge_runs = {run.name: run for run in judge.runs}
    lacking = [run for run in human.runs if run.name not in judge_runs]
    if not lacking or len(human.runs) == len(judge.runs) == 1:
        return
    faults = []
    for run in lacking:
        ids = (_output_lines(human) or {}).get(run.name)
        file, line = (ids.file, ids.lines[0]) if ids else (None, None)
        what = "the judge has no scores of this system"
        faults.append(Fault(what, file, line, run.name, nearest(run.name, judge_runs)))
    hint = f"the judge has: {', '.join(judge_runs)}"
    files = f"; give each file of the judge with its own {setting('judge')}, or give a folder"
    raise TouchstoneError.of(faults, hint + files * (_output_lines(human) is None))


def _check_outputs_judged(human: Inputs[Any, Any], judge: Inputs[Any, Any], policy: Policy, *, tables: bool) -> None:
    """Refuse outputs, or items of a gold, that people scored and the judge did not, unless they are to be left out.

    Parameters
    ----------
    human, judge
        The inputs of both sides.
    policy
        Whether what the judge lacks is refused; where it has nothing at all that people scored, it always is.
    tables
        Whether the files of each side carry runs of their own.
    """
    judge_items = judge.gold.items.column("id").to_pylist()
    scored, judge_lines = (_output_lines(side) if tables else None for side in (human, judge))
    if scored is not None and judge_lines is not None:
        alone = next(iter(judge_lines)) if len(scored) == len(judge_lines) == 1 else None
        judged = {name: set(ids.ids) for name, ids in judge_lines.items()}
        expected = [(name, ids, judged[alone or name]) for name, ids in scored.items()]
    else:
        expected = [("", human.gold.places, set(judge_items))]
    faults: list[Fault] = []
    every = {*judge_items, *judge.gold.all_ids}
    outputs, human_items = (
        sum(len(ids.ids) for _, ids, _ in expected),
        {item for _, ids, _ in expected for item in ids.ids},
    )
    for name, ids, has in expected:
        what = f"the judge has no score of {name!r} for this item" if name else "the judge does not score this item"
        for row, item in enumerate(ids.ids):
            if item not in has:
                misspelt = item not in every and len(faults) < SHOWN and len(judge_items) >= len(human_items)
                near = nearest(item, judge_items) if misspelt else None
                near = None if near in ids.first else near  # both sides have that one, so it is not this one misspelt
                faults.append(Fault(what, ids.file or None, ids.lines[row] or None, item, near, "id"))
    if faults and (policy.unknown == "error" or len(faults) == outputs):
        hint = f"{len(faults):,} of {outputs:,} have none; leave them out with {setting('unknown', 'ignore')}"
        hint = "the judge scored nothing that people scored" if len(faults) == outputs else hint
        raise TouchstoneError.of(faults, "; ".join([hint, *_too_small(set(judge_items), human_items)]))


def _too_small(judge: set[str], people: set[str]) -> list[str]:
    """Return why a judge with fewer items than people is refused; nothing where it has more."""
    if len(judge) >= len(people):
        return []
    fewer = f"the judge has fewer items ({len(judge):,}) than people ({len(people):,})"
    return [f"{fewer}: are the two swapped?" if judge < people else f"{fewer}, but it should score all items"]


def as_judge(error: TouchstoneError, judge: str) -> TouchstoneError:
    """Return an error of the judge's side whose hint says so: there the judge takes the place of the gold.

    >>> error = TouchstoneError("unknown item", file="a.jsonl", hint="the gold has 10 items")
    >>> print(as_judge(error, "labels.jsonl"))
    a.jsonl: unknown item
       the gold has 10 items; here the gold is what the judge says, labels.jsonl
    """
    explanation = f"here the gold is what the judge says{f', {judge}' if judge else ''}"
    return TouchstoneError.of(error.faults, f"{error.hint}; {explanation}" if error.hint else explanation)


def _default_pairs(task: Task[Any, Any, Any], judge: Inputs[Any, Any]) -> Sequence[str]:
    """Return the measures that are paired where none is asked for."""
    return task.judging.measures(task, judge.gold)


def _measure_pairs(
    task: Task[Any, Any, Any], human: Results, judge: Results, name_pairs: Sequence[Sequence[str]]
) -> list[tuple[Measure[Any], Measure[Any]]]:
    """Return the measures that belong together: those asked for, those of the same name, or the only ones."""
    if name_pairs:
        groups = [
            (_measures_named(task, human, ours), _measures_named(task, judge, theirs)) for ours, theirs in name_pairs
        ]
        return [pair for ours, theirs in groups for pair in zip(ours, theirs, strict=True)]
    human = replace(human, measures=[measure for measure in human.measures if measure.name != PROBABILITY])
    judge_measures = {measure.name: measure for measure in judge.measures}
    shared = [(measure, judge_measures[measure.name]) for measure in human.measures if measure.name in judge_measures]
    if not shared and len(human.measures) == len(judge.measures) == 1:
        return [(human.measures[0], judge.measures[0])]
    if not shared:
        names = [", ".join(measure.name for measure in side.measures) for side in (human, judge)]
        raise TouchstoneError(
            "people and judge have no measure in common",
            hint=f"choose one of each with {setting('measure', 'HUMAN=JUDGE')}; human: {names[0]}; judge: {names[1]}",
        )
    return shared


def _measures_named(task: Task[Any, Any, Any], results: Results, name: str) -> list[Measure[Any]]:
    """Return the measures of that name: several where it is the name of a group."""
    scored = [measure.name for measure in results.measures]
    named = [measure.name for measure in task.measures.find_all([name]) if measure.name in scored]
    return [results.measure(measure_name) for measure_name in named or [name]]
