"""Human and judge scores of the same systems, side by side: people scored some items, a judge scored all of them.

A judge is anything that scores every item: a model, a metric, a second gold that was made automatically. Both sides are
results of the same task, so every measure that a task can score can be paired.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa

from touchstone.core.errors import Fault, TouchstoneError, nearest
from touchstone.core.joining import STRICT, Policy
from touchstone.core.measures import Measure
from touchstone.core.ragged import Bools, Floats, Ints
from touchstone.core.resampling import Resampling
from touchstone.core.results import Results, SystemRecords
from touchstone.core.scoring import ITEM
from touchstone.core.signature import Signature, plain_value
from touchstone.core.task import Inputs, Task, find_task

PROBABILITY = "probability"
"""The field of the human items that holds their inclusion probabilities, where people did not get a plain sample."""


@dataclass(frozen=True, eq=False)
class Paired:
    """The records of some systems on the same items, from people and from a judge, under one measure.

    Parameters
    ----------
    measure
        The measure; its ``fold`` maps sums of records to values.
    systems
        The names of the systems that both have.
    items
        The ids of all items that the judge scored: the rows of everything else.
    human, judge
        By system, an (items, k) array of records; a row of nan where there is no score.
    clusters
        The cluster of each item, as a code; None where items are independent.
    probability
        The probability with which each item was given to people, nan where that is not known; None for a plain sample.
    fields
        What else is known of each item: a row for each, with its ``id``.
    resampling
        The level of intervals and the name of the clusters.
    signature, notes
        What the numbers depend on, and what a reader of them should know.
    """

    measure: Measure[Any]
    systems: tuple[str, ...]
    items: tuple[str, ...]
    human: Mapping[str, Floats]
    judge: Mapping[str, Floats]
    clusters: Ints | None
    probability: Floats | None
    fields: pa.Table
    resampling: Resampling
    signature: Signature
    notes: Sequence[str] = ()

    def __len__(self) -> int:
        return len(self.items)

    def labelled(self, system: str) -> Bools:
        """Return which items people scored for a system."""
        return np.asarray(np.isfinite(self.human[system][:, 0]))

    def judged(self, system: str) -> Bools:
        """Return which items the judge scored for a system."""
        return np.asarray(np.isfinite(self.judge[system][:, 0]))

    def human_values(self, system: str) -> Floats:
        """Return the value of each item as people scored it; nan where they did not."""
        return self._values(self.human[system])

    def judge_values(self, system: str) -> Floats:
        """Return the value of each item as the judge scored it; nan where it did not."""
        return self._values(self.judge[system])

    def _values(self, records: Floats) -> Floats:
        known = np.isfinite(records[:, 0])
        values = np.full(len(records), np.nan)
        values[known] = self.measure.values(records[known])
        return values


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
        Files, or objects that hold tables: columns for the system, the item, and a score under each measure.
    measures, resampling, policy
        As in `pair`.
    options
        The options of the task ``items``, by name.

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
    """Score the same systems against what people said of some items and what a judge said of all.

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
    asked = [_sides(name) for name in measures or task.compared]
    tables = task.read_run is None  # tables hold what was scored and no more
    _check_probability(human)
    human = replace(human, runs=[run for run in human.runs if run.name != PROBABILITY])
    strict = replace(policy, missing=policy.missing or ("skip" if tables else None))
    partial = replace(policy, missing="skip" if tables else policy.missing, unknown="ignore")
    people = _scored(task, human, [own for own, _ in asked], partial, jobs)
    people = replace(people, notes=[*human.remarks, *human.gold.notes])  # of runs the judge's side tells more
    wanted = [other for _, other in asked] or (_same_names(people, judge) if tables else [])
    machine = _scored(task, judge, wanted, strict, jobs)
    if resampling.cluster is None and task.cluster in {*_names(people), *_names(machine)}:
        resampling = replace(resampling, cluster=task.cluster)
    pairs = _measure_pairs(task, people, machine, asked)
    return [_paired(people, machine, one, resampling, policy, tables=tables) for one in pairs]


def _sides(name: str) -> tuple[str, str]:
    """Return the names of a measure on both sides, from ``HUMAN=JUDGE`` or one name; ``P(k=1)`` is one name.

    >>> _sides("rating=score"), _sides("P(k=1)")
    (('rating', 'score'), ('P(k=1)', 'P(k=1)'))
    """
    human, *judge = re.split(r"=(?![^()]*\))", name, maxsplit=1)
    return human, judge[0] if judge else human


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


def _same_names(people: Results, judge: Inputs[Any, Any]) -> list[str]:
    """Return the columns that people's and the judge's tables share, also constant ones; refuse what is no number."""
    names = [measure.name for measure in people.measures if measure.name != PROBABILITY]
    for file in getattr(judge.gold, "files", ()):
        for name in names:
            if name in file.columns and file.odd_cell(name) is not None:
                file.numbers(name)
    return [name for name in names if all(name in getattr(run, "columns", ()) for run in judge.runs)]


def _measure_pairs(
    task: Task[Any, Any, Any], human: Results, judge: Results, asked: Sequence[Sequence[str]]
) -> list[tuple[Measure[Any], Measure[Any]]]:
    """Return the measures that belong together: those asked for, those of the same name, or the only ones."""
    if asked:
        sides = [(_found(task, human, own), _found(task, judge, other)) for own, other in asked]
        return [pair for own, other in sides for pair in zip(own, other, strict=True)]
    human = replace(human, measures=[measure for measure in human.measures if measure.name != PROBABILITY])
    known = {measure.name: measure for measure in judge.measures}
    shared = [(measure, known[measure.name]) for measure in human.measures if measure.name in known]
    if not shared and len(human.measures) == len(judge.measures) == 1:
        return [(human.measures[0], judge.measures[0])]
    if not shared:
        names = [", ".join(measure.name for measure in side.measures) for side in (human, judge)]
        raise TouchstoneError(
            "people and judge have no measure in common",
            hint=f"choose one of each with --measure HUMAN=JUDGE; human: {names[0]}; judge: {names[1]}",
        )
    return shared


def _found(task: Task[Any, Any, Any], results: Results, name: str) -> list[Measure[Any]]:
    """Return the measures of that name: several where it is the name of a group."""
    scored = [measure.name for measure in results.measures]
    named = [measure.name for measure in task.measures.find_all([name]) if measure.name in scored]
    return [results.measure(one) for one in named or [name]]


def _paired(
    human: Results,
    judge: Results,
    measures: tuple[Measure[Any], Measure[Any]],
    resampling: Resampling,
    policy: Policy,
    *,
    tables: bool,
) -> Paired:
    """Return the records of both sides in the order of the judge's items."""
    items = judge.items_known.column("id").to_pylist()
    rows, notes = _rows(human.items_known.column("id").to_pylist(), items, policy)
    people, machine = {}, {}
    systems, left_out = _shared_systems(human, judge)
    notes += left_out
    for name, (own, other) in systems.items():
        sides = own.records[measures[0].name], other.records[measures[1].name]
        # In a table a record of zeros is a score that is not there; under a gold it is an item that does not count.
        first, second = (np.where(one[:, -1:] > 0, one, np.nan) if tables else one for one in sides)
        people[name] = np.full((len(items), first.shape[1]), np.nan)
        people[name][rows[rows >= 0]] = first[rows >= 0]
        machine[name] = second
        lacking = np.isfinite(people[name][:, 0]) & np.isnan(second[:, 0])
        notes += _without_judge(name, [items[row] for row in np.flatnonzero(lacking)], policy)
        people[name][lacking] = np.nan
    fields = _fields(human.items_known, judge.items_known, rows)
    scored = np.any([np.isfinite(records[:, 0]) for records in people.values()], axis=0)
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
        _probability(human.items_known, rows, scored),
        fields,
        resampling,
        signature,
        list(dict.fromkeys([*human.notes, *judge.notes, *notes, *more])),
    )


def _rows(human: Sequence[str], judge: Sequence[str], policy: Policy) -> tuple[Ints, list[str]]:
    """Return the place of each human item among those of the judge, -1 for none."""
    place = {item: row for row, item in enumerate(judge)}
    rows = np.array([place.get(item, -1) for item in human], np.int64)
    lacking = [item for item, row in zip(human, rows.tolist(), strict=True) if row < 0]
    near = nearest(lacking[0], judge) if lacking else None
    if len(lacking) == len(human):
        raise TouchstoneError("the judge has none of the human items", value=human[0], near=near, kind="id")
    return rows, _without_judge("", lacking, policy, near)


def _without_judge(system: str, items: Sequence[str], policy: Policy, near: str | None = None) -> list[str]:
    """Return a note on human scores that the judge has no score beside, or refuse them, as the policy says."""
    of = f" of {system}" if system else ""
    if items and policy.unknown == "error":
        hint = f"{len(items):,} human items{of} have none; leave them out with --unknown ignore"
        faults = [Fault(f"the judge has no score{of} for this human item", value=item, kind="id") for item in items]
        raise TouchstoneError.of([replace(faults[0], near=near), *faults[1:]], hint)
    return [f"human items{of} that the judge has no score for, which are left out: {len(items):,}"] if items else []


def _shared_systems(human: Results, judge: Results) -> tuple[dict[str, tuple[SystemRecords, SystemRecords]], list[str]]:
    """Return the systems that people scored, and a note on others; the only one of each side, whatever its name."""
    people = {system.system: system for system in human.systems}
    machine = {system.system: system for system in judge.systems}
    if len(people) == len(machine) == 1:
        (name, own), other = next(iter(people.items())), next(iter(machine.values()))
        return {name: (own, other)}, []
    lacking = [name for name in people if name not in machine]
    if lacking:
        near = nearest(lacking[0], machine)
        hint = f"the judge has: {', '.join(machine)}"
        raise TouchstoneError("the judge has no scores of this system", value=lacking[0], near=near, hint=hint)
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
        near, hint = nearest(str(name), known), f"known: {', '.join(known)}"
        raise TouchstoneError("items have no such field", value=name, near=near, hint=hint)
    column = fields.column(name).combine_chunks().cast(pa.string()).dictionary_encode()
    codes = column.indices.fill_null(-1).to_numpy().astype(np.int64)
    alone = codes < 0
    codes[alone] = len(column.dictionary) + np.arange(np.count_nonzero(alone))
    if len(np.unique(codes)) == len(codes):
        return None, replace(resampling, cluster=None), []
    note = f"items whose {name} is not known, each taken by itself: {np.count_nonzero(alone):,}"
    return codes, resampling, [note] if alone.any() else []


def _check_probability(human: Inputs[Any, Any]) -> None:
    """Refuse a column of probabilities in which an item has several."""
    given = any(PROBABILITY in getattr(run, "columns", ()) for run in human.runs)
    if given and PROBABILITY not in human.gold.items.column_names:
        hint = "an item is given to people for all systems at once, so its probability is the same in all rows"
        raise TouchstoneError("an item has several inclusion probabilities", value=PROBABILITY, hint=hint)


def _probability(human: pa.Table, rows: Ints, scored: Bools) -> Floats | None:
    """Return the inclusion probabilities of the items that people scored; refuse what is no probability."""
    if PROBABILITY not in human.column_names:
        return None
    probability = np.full(len(scored), np.nan)
    texts = human.column(PROBABILITY).to_pylist()
    known = [plain_value(text) for text in texts]
    probability[rows[rows >= 0]] = np.array([one if isinstance(one, float) else np.nan for one in known])[rows >= 0]
    wrong = np.flatnonzero(scored & ~((probability > 0) & (probability <= 1)))
    if len(wrong):
        text = texts[int(np.flatnonzero(rows == wrong[0])[0])]
        hint = (
            "the column probability says how likely an item was to be given to people; leave it out for a plain sample"
        )
        raise TouchstoneError("no inclusion probability above 0 and at most 1", value=text or "", hint=hint)
    return probability
