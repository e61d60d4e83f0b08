"""What people and a judge scored, joined by id into one long table: systems, items, clusters and probabilities."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from touchstone.base.codes import Code
from touchstone.base.errors import Fault, TouchstoneError
from touchstone.base.ids import Ids, Policy
from touchstone.base.notes import warning
from touchstone.base.ragged import Floats, Ints
from touchstone.base.spelling import setting
from touchstone.core.clustering import ITEM
from touchstone.core.measures import Measure
from touchstone.core.resampling import Resampling
from touchstone.core.results import Results, SystemRecords
from touchstone.judge.paired import Paired, unknown_field
from touchstone.judge.probabilities import item_probabilities

SIDES = {"annotator", "gold", "human", "humans", "judge", "llm", "machine", "metric", "people", "score", "value"}
"""Columns of tables without systems: names of the side, not of what was scored."""

COPIED = 20
"""Items from which equal scores of people and of the judge are no chance, if the scores differ between items."""


@dataclass(frozen=True, eq=False)
class Sides:
    """What people and a judge scored, to be joined under one measure after the other.

    Parameters
    ----------
    human, judge
        What each side scored.
    resampling, policy
        The level and clusters of intervals, and what happens to human items that the judge lacks.
    chances
        The probability with which people got each item; None for a plain sample.
    lines
        By system, the items that people scored with their lines.
    tables
        Whether both sides are tables of scores, where a score may be missing.
    """

    human: Results
    judge: Results
    resampling: Resampling
    policy: Policy
    chances: Mapping[str, float] | None
    lines: Mapping[str, Ids]
    tables: bool

    @cached_property
    def items(self) -> list[str]:
        """The items of the judge, in whose order both sides are joined."""
        return list(self.judge.items_known.column("id").to_pylist())

    @cached_property
    def rows(self) -> Ints:
        """The row of each human item among those of the judge, -1 for none."""
        row_of = {item: row for row, item in enumerate(self.items)}
        return np.array([row_of.get(item, -1) for item in self.human.items_known.column("id").to_pylist()], np.int64)

    def joined(self, ours: Measure[Any], theirs: Measure[Any]) -> Paired:
        """Return the records of both sides as one table, each under its own measure."""
        human, judge = self.human, self.judge
        lacking = int((self.rows < 0).sum())
        notes = [f"human items without a score of the judge, which are left out: {lacking:,}"] if lacking else []
        people, machine, without_judge = [], [], 0
        systems, left_out = _shared_systems(human, judge)
        notes += left_out
        for name, (human_system, judge_system) in systems.items():
            first = counted_records(human_system.records[ours.name], tables=self.tables)
            second = counted_records(judge_system.records[theirs.name], tables=self.tables)
            beside, remarks, count = self._beside_judge(name, first, second)
            people.append(beside)
            machine.append(second)
            notes += remarks
            without_judge += count
        fields = _fields(human.items_known, judge.items_known, self.rows)
        scored = np.any([np.isfinite(records[:, 0]) for records in people], axis=0)
        chances = self.chances
        probability = None if chances is None else item_probabilities(chances, self.items, scored, self.lines)
        clusters, resampling, more = _clusters(fields, self.resampling, judge_fields=judge.items_known.column_names)
        signature = {**judge.signature, "measures": "=".join(dict.fromkeys((ours.name, theirs.name)))}
        about = ("gold", "items", *(["systems"] if self.tables else []))
        return long_table(
            ours,
            list(systems),
            np.concatenate(people),
            np.concatenate(machine),
            fields,
            resampling,
            clusters=None if clusters is None else np.tile(clusters, len(systems)),
            probability=None if probability is None else np.tile(probability, len(systems)),
            signature={**signature, **{f"human {key}": human.signature[key] for key in about}},
            notes=list(dict.fromkeys([*human.notes, *judge.notes, *notes, *more])),
            lines=self.lines,
            unjudged=without_judge,
        )

    def _beside_judge(self, system: str, human: Floats, judge: Floats) -> tuple[Floats, list[str], int]:
        """Return human records in the order of the judge's items, notes on those left out, and how many these are."""
        in_judge = self.rows >= 0
        beside = np.full((len(self.items), human.shape[1]), np.nan)
        beside[self.rows[in_judge]] = human[in_judge]
        unjudged = np.isfinite(beside[:, 0]) & np.isnan(judge[:, 0])
        items = [self.items[row] for row in np.flatnonzero(unjudged)]
        notes = _without_judge(system, items, self.policy, self.lines[system])
        beside[unjudged] = np.nan
        notes += _same_scores(system, beside, judge)
        return beside, notes, int(unjudged.sum() + np.isfinite(human[~in_judge, 0]).sum())


def _without_judge(system: str, items: Sequence[str], policy: Policy, lines: Ids) -> list[str]:
    """Return a note on human scores beside which the judge's is empty, or refuse them, as the policy says."""
    if items and policy.unknown == "error":
        hint = f"{len(items):,} human items of {system} have none; leave them out with {setting('unknown', 'ignore')}"
        what = f"the judge has no score of {system!r} for this item"
        places = [lines.lines[lines.first[item]] or None for item in items]
        rows = zip(items, places, strict=True)
        faults = [Fault(what, lines.file or None, line, item, code=Code.MISSING_ID) for item, line in rows]
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
    if name not in fields.column_names or name == "id":
        raise unknown_field(str(name), fields)
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
    # Clusters of one item each are no clusters.
    if len(np.unique(codes)) == len(codes):
        return None, replace(resampling, cluster=None), notes if name in judge_fields else []
    return codes, resampling, notes


def long_table(
    measure: Measure[Any],
    systems: Sequence[str],
    human: Floats,
    judge: Floats,
    fields: pa.Table,
    resampling: Resampling,
    **more: Any,  # noqa: ANN401 (the other columns)
) -> Paired:
    """Return the records of systems one after the other as a table, with the fields of their items in each row.

    Parameters
    ----------
    measure, systems, resampling
        As in `Paired`.
    human, judge
        The records of each side, the systems one after the other.
    fields
        A row for each item.
    more
        Other columns and facts of `Paired`.
    """
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


def counted_records(records: Floats, *, tables: bool) -> Floats:
    """Return records where a score that is not there is nan.

    Parameters
    ----------
    records
        A row for each output.
    tables
        Whether they are scores of a table, where a record of zeros is a score that is not there; under a gold it is an
        item that does not count.
    """
    return np.where(records[:, -1:] > 0, records, np.nan) if tables else records
