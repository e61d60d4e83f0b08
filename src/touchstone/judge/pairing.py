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

from touchstone.base.codes import Code
from touchstone.base.errors import SHOWN, Fault, TouchstoneError, nearest
from touchstone.base.ids import STRICT, Ids, Policy
from touchstone.base.notes import WARNING, Note, is_warning, warning, warnings_of
from touchstone.base.spelling import setting
from touchstone.core.clustering import ITEM
from touchstone.core.inputs import Inputs
from touchstone.core.measures import Measure
from touchstone.core.names import LEFT_OUT
from touchstone.core.resampling import Resampling
from touchstone.core.results import Results
from touchstone.core.task import Task
from touchstone.judge.doubts import doubts_about
from touchstone.judge.joining import Sides, counted_records, long_table
from touchstone.judge.paired import OutputKey, Paired
from touchstone.judge.probabilities import PROBABILITY, probabilities

LARGEST = 1e12
"""A float has fifteen digits, and tables show three decimals."""


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
    name_pairs = [split_name(name) for name in measures or task.judging.measures(task, judge.gold)]
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
    fields = {*people.items_known.column_names, *machine.items_known.column_names}
    if resampling.cluster is None and task.cluster in fields:
        resampling = replace(resampling, cluster=task.cluster)
    measure_pairs = _measure_pairs(task, people, machine, name_pairs)
    _check_sizes(human, [measure.name for measure, _ in measure_pairs])
    _check_sizes(judge, [measure.name for _, measure in measure_pairs])
    output_lines = _output_lines(human) if tables else None
    lines = output_lines or dict.fromkeys((run.name for run in human.runs), human.gold.places)
    sides = Sides(people, machine, resampling, policy, chances, lines, tables)
    # Notes on the runs of people are those of the judge's side, except in tables, where both sides have runs.
    merged = [f"people: {name}: {text}" for name, ids in (output_lines or {}).items() for text in ids.dropped()]
    pairs = []
    for ours, theirs in measure_pairs:
        joined = sides.joined(ours, theirs)
        doubts = [*details.doubts.get(ours.name, ()), *doubts_about(joined)]
        empty = _empty_scores(human, judge, ours.name, theirs.name, details.empty.get(ours.name, 0))
        pairs.append(_with_details(replace(joined, notes=[*joined.notes, *doubts, *merged, *empty]), details))
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
    names = [split_name(name)[1] for name in measures or task.judging.measures(task, judge.gold)]
    scored = _judge_results(task, judge, names, (), policy, jobs)
    measure, fields = scored.measures[0], scored.items_known
    records = [system.records[measure.name] for system in scored.systems]
    systems = [system.system for system in scored.systems]
    machine = counted_records(np.concatenate(records), tables=task.runs_in_gold)
    signature = {**scored.signature, "measures": measure.name}
    nothing = np.full_like(machine, np.nan)
    return long_table(measure, systems, nothing, machine, fields, Resampling("none"), signature=signature)


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
    # Human items that the judge lacks were refused before, or are left out by choice.
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

    def marked(note: str) -> str:
        text = f"with the judge as gold: {note.removeprefix(WARNING)}"
        return warning(text) if is_warning(note) else text

    return replace(results, notes=[note if note in shared else marked(note) for note in results.notes])


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


def _scored(
    task: Task[Any, Any, Any], inputs: Inputs[Any, Any], measures: Sequence[str], policy: Policy, jobs: int | None
) -> Results:
    """Return the results of one side, without baselines."""
    without_intervals = Resampling("none", cluster=ITEM)
    results = task.score(inputs, measures=measures, resampling=without_intervals, policy=policy, jobs=jobs)
    names = {run.name for run in inputs.runs}
    return replace(results, systems=[system for system in results.systems if system.system in names])


def _check_sizes(inputs: Inputs[Any, Any], measures: Sequence[str]) -> None:
    """Refuse scores of a table that are too large to be summed."""
    what = f"is larger than {LARGEST:g}"
    faults = [
        Fault(f"{name} {what}", run.places.file, run.places.lines[row], f"{values[row]:g}", code=Code.OUT_OF_RANGE)
        for run in inputs.runs
        for name in measures
        if name in run.scores
        for values in [run.scores[name]]
        for row in np.flatnonzero(np.abs(values) > LARGEST).tolist()
    ]
    if faults:
        raise TouchstoneError.of(faults, "use smaller numbers, such as their logarithms")


def _empty_scores(
    human: Inputs[Any, Any], judge: Inputs[Any, Any], ours: str, theirs: str, unanswered: int
) -> list[str]:
    """Return notes on the rows of tables that have no score, and on answers of people without any."""
    notes = []
    for inputs, measure, side in ((human, ours, "people"), (judge, theirs, "the judge")):
        empty = sum(int(np.isnan(run.scores[measure]).sum()) for run in inputs.runs if measure in run.scores)
        if empty:
            notes.append(f"rows of {side} without a score ({measure}), which are left out: {empty:,}")
    if unanswered:
        notes.append(f"answers of people without a score ({ours}), which are left out: {unanswered:,}")
    return notes


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
        faults.append(Fault(what, file, line, run.name, nearest(run.name, judge_runs), code=Code.UNKNOWN_NAME))
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
                # Near ids take time to find: only for the faults that are printed, and not where files are swapped.
                misspelt = item not in every and len(faults) < SHOWN and len(judge_items) >= len(human_items)
                near = nearest(item, judge_items) if misspelt else None
                near = None if near in ids.first else near  # both sides have that one, so it is not this one misspelt
                line = ids.lines[row] or None
                faults.append(Fault(what, ids.file or None, line, item, near, "id", Code.UNKNOWN_ID))
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
            code=Code.OPTION_NEEDED,
            hint=f"choose one of each with {setting('measure', 'HUMAN=JUDGE')}; human: {names[0]}; judge: {names[1]}",
        )
    return shared


def _measures_named(task: Task[Any, Any, Any], results: Results, name: str) -> list[Measure[Any]]:
    """Return the measures of that name: several where it is the name of a group."""
    scored = [measure.name for measure in results.measures]
    named = [measure.name for measure in task.measures.find_all([name]) if measure.name in scored]
    return [results.measure(measure_name) for measure_name in named or [name]]
