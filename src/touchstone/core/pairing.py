"""Human and judge scores of the same systems, side by side: people scored some items, a judge scored all of them.

A judge is anything that scores every item: a model, a metric, a second gold that was made automatically. Both sides are
results of the same task, so every measure that a task can score can be paired.
"""

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
from touchstone.core.signature import Signature
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
    asked = [name.partition("=")[::2] for name in measures]
    missing = policy.missing or ("skip" if task.read_run is None else None)  # tables hold what was scored, and no more
    people = _scored(task, human, [own for own, _ in asked], Policy(missing, "ignore", policy.duplicates), jobs)
    machine = _scored(
        task, judge, [other or own for own, other in asked], Policy(missing, policy.unknown, policy.duplicates), jobs
    )
    cluster = resampling.cluster or task.cluster
    resampling = replace(resampling, cluster=None if cluster == ITEM else cluster)
    return [
        _paired(people, machine, pair, resampling, policy) for pair in _measure_pairs(people, machine, explicit=asked)
    ]


def _scored(
    task: Task[Any, Any, Any], inputs: Inputs[Any, Any], measures: Sequence[str], policy: Policy, jobs: int | None
) -> Results:
    """Return the results of one side, without baselines and without the column of probabilities."""
    runs = [run for run in inputs.runs if run.name != PROBABILITY]
    plain = Resampling("none", cluster=ITEM)
    results = task.score(replace(inputs, runs=runs), measures=measures, resampling=plain, policy=policy, jobs=jobs)
    names = {run.name for run in runs}
    kept = [measure for measure in results.measures if measure.name != PROBABILITY]
    return replace(results, systems=[system for system in results.systems if system.system in names], measures=kept)


def _measure_pairs(human: Results, judge: Results, *, explicit: object) -> list[tuple[Measure[Any], Measure[Any]]]:
    """Return the measures that belong together: by place where they were asked for, by name, or the only ones."""
    if explicit:
        return list(zip(human.measures, judge.measures, strict=True))
    known = {measure.name: measure for measure in judge.measures}
    shared = [(measure, known[measure.name]) for measure in human.measures if measure.name in known]
    if not shared and len(human.measures) == len(judge.measures) == 1:
        return [(human.measures[0], judge.measures[0])]
    if not shared:
        sides = [", ".join(measure.name for measure in side.measures) for side in (human, judge)]
        raise TouchstoneError(
            "people and judge have no measure in common",
            hint=f"choose one of each with --measure HUMAN=JUDGE; human: {sides[0]}; judge: {sides[1]}",
        )
    return shared


def _paired(
    human: Results,
    judge: Results,
    measures: tuple[Measure[Any], Measure[Any]],
    resampling: Resampling,
    policy: Policy,
) -> Paired:
    """Return the records of both sides in the order of the judge's items."""
    items = judge.items_known.column("id").to_pylist()
    rows, notes = _rows(human.items_known.column("id").to_pylist(), items, policy)
    systems = _shared_systems(human, judge)
    records = {name: _spread(own.records[measures[0].name], rows, len(items)) for name, (own, _) in systems.items()}
    judged = {name: _absent(own.records[measures[1].name]) for name, (_, own) in systems.items()}
    fields = _fields(human.items_known, judge.items_known, rows)
    clusters, resampling, more = _clusters(fields, resampling)
    signature = {**judge.signature, "human": human.signature["gold"], "human items": human.signature["items"]}
    return Paired(
        measures[0],
        tuple(systems),
        tuple(items),
        records,
        judged,
        clusters,
        _probability(fields),
        fields,
        resampling,
        signature,
        list(dict.fromkeys([*human.notes, *judge.notes, *notes, *more])),
    )


def _rows(human: Sequence[str], judge: Sequence[str], policy: Policy) -> tuple[Ints, list[str]]:
    """Return the place of each human item among those of the judge, -1 for none; refuse items that the judge lacks."""
    place = {item: row for row, item in enumerate(judge)}
    rows = np.array([place.get(item, -1) for item in human], np.int64)
    lacking = [item for item, row in zip(human, rows.tolist(), strict=True) if row < 0]
    if lacking and (policy.unknown == "error" or len(lacking) == len(human)):
        shown = [Fault("the judge has no score for this human item", value=i, near=nearest(i, judge)) for i in lacking]
        hint = f"{len(lacking):,} of {len(human):,} human items have none; leave them out with --unknown ignore"
        raise TouchstoneError.of([replace(fault, kind="id") for fault in shown], hint)
    note = f"human items that the judge has no score for, which are left out (of {len(human):,}): {len(lacking):,}"
    return rows, [note] if lacking else []


def _shared_systems(human: Results, judge: Results) -> dict[str, tuple[SystemRecords, SystemRecords]]:
    """Return the systems that both sides have; the only one of each side, whatever its name."""
    people = {system.system: system for system in human.systems}
    machine = {system.system: system for system in judge.systems}
    if len(people) == len(machine) == 1:
        (name, own), other = next(iter(people.items())), next(iter(machine.values()))
        return {name: (own, other)}
    lacking = [name for name in people if name not in machine]
    if lacking:
        near = nearest(lacking[0], machine)
        hint = f"the judge has: {', '.join(machine)}"
        raise TouchstoneError("the judge has no scores of this system", value=lacking[0], near=near, hint=hint)
    return {name: (own, machine[name]) for name, own in people.items()}


def _absent(records: Floats) -> Floats:
    """Return the records with nan for items that do not count."""
    return np.where(records[:, -1:] > 0, records, np.nan)


def _spread(records: Floats, rows: Ints, n: int) -> Floats:
    spread = np.full((n, records.shape[1]), np.nan)
    spread[rows[rows >= 0]] = _absent(records)[rows >= 0]
    return spread


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
    if name is not None and name not in fields.column_names:
        return None, replace(resampling, cluster=None), []
    if name is None:
        return None, resampling, []
    column = fields.column(name).combine_chunks().cast(pa.string()).dictionary_encode()
    codes = column.indices.fill_null(-1).to_numpy().astype(np.int64)
    alone = codes < 0
    codes[alone] = len(column.dictionary) + np.arange(np.count_nonzero(alone))
    if len(np.unique(codes)) == len(codes):
        return None, replace(resampling, cluster=None), []
    note = f"items whose {name} is not known, each taken by itself: {np.count_nonzero(alone):,}"
    return codes, resampling, [note] if alone.any() else []


def _probability(fields: pa.Table) -> Floats | None:
    """Return the inclusion probabilities of the items; refuse what is no probability."""
    if PROBABILITY not in fields.column_names:
        return None
    known = [np.nan if text is None else float(text) for text in fields.column(PROBABILITY).to_pylist()]
    probability = np.array(known)
    wrong = probability[np.isfinite(probability) & ~((probability > 0) & (probability <= 1))]
    if len(wrong):
        raise TouchstoneError(f"inclusion probability {wrong[0]:g} is not above 0 and at most 1")
    return probability
