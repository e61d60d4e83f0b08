"""What a scoring gives: records of every item, and from them values, intervals, groups and tables.

Nothing here knows the task. A task hands over the records of each system on the same items; everything else is a
fold over them.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from touchstone.base.errors import check_installed, no_such_system, unknown_name
from touchstone.base.ragged import Floats, Ints
from touchstone.base.signature import Signature
from touchstone.base.tables import Cell, Column, Table
from touchstone.core.measures import Measure, parse_name
from touchstone.core.resampling import Resampling, Span, interval_text, intervals
from touchstone.core.result_tables import grouped_table, ungrouped_table
from touchstone.show.finding import Finding, Statement, kind_rows, table_rows
from touchstone.stats import WinTieLoss, folded, paired_effect, wins

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl

    from touchstone.core.task import Task
    from touchstone.show.page import Page

RECORD = "record:"
"""What the columns of records begin with in the table of items: ``record:TASK:MEASURE:0`` and so on."""

EDGE_ROWS = 5
"""Rows at each end of a long table of items that a notebook shows."""

LONGEST = 60
"""Characters of a text that a notebook shows of one item."""


@dataclass(frozen=True)
class Row:
    """A value with its interval: of a system, under a measure, over all items or over a group; n items counted."""

    system: str
    measure: str
    group: str | None
    value: float
    low: float
    high: float
    n: int
    note: str | None = None
    """Why there is no interval, or that it is only rough."""
    skipped: int = 0
    """Items without an answer, which the policy leaves out."""
    if_failed: float | None = None
    """The value if skipped items were failures; None where none was skipped, or where that is not known."""

    @property
    def interval(self) -> str:
        """The interval as tables show it; empty if there is none."""
        return interval_text(self.low, self.high)

    @property
    def ends(self) -> tuple[float, float, float]:
        """The value and both ends of its interval, as figures draw them."""
        return self.value, self.low, self.high

    def to_dict(self) -> dict[str, object]:
        """Return the value and its interval as names and values."""
        hidden = {"note"} if self.skipped else {"note", "skipped", "if_failed"}
        return {key: value for key, value in vars(self).items() if key not in hidden}

    @property
    def skipped_share(self) -> str:
        """The share of skipped items among those that count for the system or are skipped."""
        return f"{self.skipped / (self.n + self.skipped):.1%}" if self.skipped else "0%"


class CompactRecords(Mapping[str, Floats]):
    """The records of one system by measure; counts, which most records are, are held as bytes.

    A lookup gives the numbers as they were.

    >>> CompactRecords({"accuracy": np.array([[1.0, 1.0], [0.0, 1.0]])})["accuracy"].tolist()
    [[1.0, 1.0], [0.0, 1.0]]
    """

    def __init__(self, records: Mapping[str, Floats]) -> None:
        self._held = {name: _compact(each) for name, each in records.items()}

    def __getitem__(self, name: str) -> Floats:
        return np.asarray(self._held[name], np.float64)

    def __iter__(self) -> Iterator[str]:
        return iter(self._held)

    def __len__(self) -> int:
        return len(self._held)


def _compact(records: Floats) -> "np.ndarray[Any, Any]":
    if len(records) < LARGE:
        return records
    with np.errstate(invalid="ignore"):
        small = records.astype(np.uint8)
    return small if np.array_equal(small, records) else records


LARGE = 10_000
"""Items from which the memory of records matters."""

Tally = Callable[[str, str], tuple[WinTieLoss, float]]
"""Says of two systems on how many items each is better, and the size of the effect."""


@dataclass(frozen=True)
class SystemRecords:
    """One system's records under each measure, an item to a row, and what else is known of each item."""

    system: str
    records: Mapping[str, Floats]
    facts: pa.Table
    spans: Mapping[str, Span] = field(default_factory=dict)
    """The least and the greatest value of an item under each measure, where records are sums of several items."""

    def with_records(self, records: Mapping[str, Floats]) -> "SystemRecords":
        """Return the same with further records, or others of the same measures."""
        return replace(self, records=CompactRecords({**self.records, **records}))


@dataclass(frozen=True, repr=False)
class Items:
    """Scores item by item: a row for each system and item, a column for each measure.

    Data frames take it as it is: ``polars.DataFrame(items)``, ``pandas.DataFrame(items)``, ``pyarrow.table(items)``.
    """

    table: pa.Table

    def __len__(self) -> int:
        return int(self.table.num_rows)

    def __iter__(self) -> Iterator[dict[str, object]]:
        """Yield each row as a mapping from columns to values."""
        for batch in self.table.to_batches(max_chunksize=10_000):
            yield from batch.to_pylist()

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Return the scores as an Arrow stream, which libraries of data frames read without a copy."""
        return self.table.__arrow_c_stream__(requested_schema)

    def to_arrow(self) -> pa.Table:
        """Return the scores as an Arrow table."""
        return self.table

    def to_pandas(self) -> "pd.DataFrame":
        """Return the scores as a pandas data frame."""
        check_installed("pandas")
        return self.table.to_pandas()

    def to_polars(self) -> "pl.DataFrame":
        """Return the scores as a polars data frame."""
        check_installed("polars")
        import polars

        return polars.DataFrame(self.table)

    def __repr__(self) -> str:
        return self._short_table().to_text()

    def _repr_html_(self) -> str:
        return self._short_table().to_html()

    def _short_table(self) -> Table:
        """Return the first and last rows, without the records that only another scoring needs."""
        without_records = self.table.select([name for name in self.table.column_names if not name.startswith(RECORD)])
        gap = len(self) > 2 * EDGE_ROWS + 1
        parts = (
            [without_records.slice(0, EDGE_ROWS), without_records.slice(len(self) - EDGE_ROWS)]
            if gap
            else [without_records]
        )
        rows = [[_cell(value) for value in row.values()] for part in parts for row in part.to_pylist()]
        if gap:
            rows.insert(EDGE_ROWS, ["…"] * without_records.num_columns)
        numeric = {
            c.name for c in without_records.schema if pa.types.is_floating(c.type) or pa.types.is_integer(c.type)
        }
        columns = [Column(name, "right" if name in numeric else "left") for name in without_records.column_names]
        count = f"{len(self):,} row{'s' * (len(self) != 1)}, {self.table.num_columns} columns"
        hidden = self.table.num_columns - without_records.num_columns
        return Table(columns, rows, notes=[f"{count}, {hidden} of them records" if hidden else count])


@dataclass(frozen=True, eq=False, repr=False)
class Results(Finding):
    """The outcome of scoring systems on the same items.

    *items_known* has a row for each item with its ``id`` and the fields that it can be grouped by; *groups* names the
    groups of the field *by*, in the order in which they are shown.

    Examples
    --------
    >>> import touchstone
    >>> results = touchstone.items.score({"a": {"q1": 1.0, "q2": 0.5}})
    >>> results.to_pandas()[["system", "measure", "value", "n"]].to_numpy().tolist()
    [['a', 'value', 0.75, 2]]
    """

    task: str
    measures: Sequence[Measure[Any]]
    systems: Sequence[SystemRecords]
    items_known: pa.Table = field(repr=False)
    signature: Signature
    resampling: Resampling = field(default_factory=Resampling)
    by: str | None = None
    group_names: Mapping[str, str] = field(default_factory=dict, repr=False)
    notes: Sequence[str] = ()
    asked: Mapping[str, str] = field(default_factory=dict, repr=False)
    """The canonical name of each measure by the name that it was asked for."""
    baselines: Sequence[str] = ()
    """The systems that the task adds for comparison, such as the majority class."""
    compared: Sequence[str] = ()
    """The measures that the task compares where none is asked for; all by default."""
    inputs: object = field(default=None, repr=False)
    """The gold and the runs that were scored, for the report; None where only records are known."""
    as_failures: "Callable[[Results], Results | None] | None" = field(default=None, repr=False)
    """Scores the same again with skipped items as failures; None unless the policy leaves missing items out."""
    of_parts: "Mapping[str, Results]" = field(default_factory=dict, repr=False)
    """The results on the parts of items by the value of the field *by*, where it is one of parts and not of items."""
    scoring_task: "Task[Any, Any, Any] | None" = None
    """The task that scored, with tables and a report of its own; None where there is nothing but records."""
    task_options: object = None
    """The options that the task scored with."""

    def __len__(self) -> int:
        return int(self.items_known.num_rows)

    @cached_property
    def rows(self) -> tuple[Row, ...]:
        """Every value with its interval: for each system and measure the groups, then all items."""
        per_group = [[replace(row, group=value) for row in part.rows] for value, part in self.of_parts.items()]
        per_group += [list(self._of_group(group, rows)) for group, rows in self._groups()]
        return tuple(row for rows in zip(*per_group, strict=True) for row in rows)

    @cached_property
    def failed(self) -> "Results | None":
        """The same, with the items that systems skipped as failures; None where none was skipped or no run is known."""
        return self.as_failures(self) if self.as_failures is not None else None

    def row(self, system: str, measure: str, group: str | None = None) -> Row:
        """Return one value with its interval.

        Parameters
        ----------
        system, measure
            The names of the system and of the measure.
        group
            The group, where items were grouped; all items by default.
        """
        key = (system, self.measure(measure).name, group)
        for row in self.rows:
            if (row.system, row.measure, row.group) == key:
                return row
        names = [row.system for row in self.rows]
        if system not in names:
            raise no_such_system(system, names)
        groups = list(dict.fromkeys(str(row.group) for row in self.rows if row.group is not None))
        hint = f"the groups are {', '.join(groups)}" if groups else "the items are not grouped"
        raise unknown_name("no such group", str(group), groups, hint=hint)

    def measure(self, name: str) -> Measure[Any]:
        """Return a measure of these results by its name, by the name it was asked for, or by its family.

        ``F`` is ``F(k=1)`` where that is the only measure of its family; ``bleu`` is ``TASK:bleu`` of an export.

        Parameters
        ----------
        name
            The name of the measure.
        """
        names = [measure.name for measure in self.measures]
        forms = (name, f"{name}@")
        family = [measure for measure in self.measures if parse_name(measure.name)[0] in forms]
        family = family or [
            measure for measure in self.measures if parse_name(measure.name.partition(":")[2])[0] in forms
        ]
        canonical = self.asked.get(name, name)
        if canonical in names:
            return self.measures[names.index(canonical)]
        if len(family) == 1:
            return family[0]
        raise unknown_name("not scored under this measure", name, names)

    @property
    def items(self) -> Items:
        """The scores of each item; null if an item does not count under a measure."""
        tables = [self._items_of(system) for system in self.systems]
        return Items(pa.concat_tables(tables, promote_options="default"))

    @cached_property
    def by_name(self) -> dict[str, SystemRecords]:
        """The systems by their names, in order."""
        return {system.system: system for system in self.systems}

    @cached_property
    def clusters(self) -> Ints | None:
        """The cluster that each item belongs to; None if items are not clustered."""
        return None if self.resampling.cluster is None else self._codes(self.resampling.cluster)[1]

    @property
    def cluster_count(self) -> int:
        """How many clusters there are, or items where these are not clustered."""
        return len(self) if self.clusters is None else len(np.unique(self.clusters))

    @property
    def clusters_in_words(self) -> str:
        """How many clusters there are, with the word for them."""
        return self.resampling.counted(self.cluster_count)

    def item_values(self, measure: Measure[Any]) -> dict[str, Floats]:
        """Return the value of each item by system; nan where an item does not count.

        Parameters
        ----------
        measure
            One of the measures.
        """
        return {name: measure.values(system.records[measure.name]) for name, system in self.by_name.items()}

    def pairing(self, measure: Measure[Any]) -> Tally:
        """Return a function of two systems: on how many items each is better, and the size of the effect.

        Parameters
        ----------
        measure
            The measure whose values of items are compared.
        """
        values = self.item_values(measure)

        def paired(a: str, b: str) -> tuple[WinTieLoss, float]:
            first, second = (b, a) if measure.lower_is_better else (a, b)
            return wins(values[first], values[second]), paired_effect(values[a], values[b])

        return paired

    @property
    def compared_measures(self) -> list[str]:
        """The measures that are compared where the user names none: those of the task that were scored, else all."""
        names = [measure.name for measure in self.measures]
        return [name for name in self.compared if name in names] or names

    def overall(self) -> "Results":
        """Return the same without groups, whose values are known already."""
        return self._same(replace(self, by=None), [row for row in self.rows if row.group is None])

    def under(self, measures: Sequence[str]) -> "Results":
        """Return the same under some of the measures only; no value is computed again.

        Parameters
        ----------
        measures
            The names of the measures to keep.
        """
        selected = [self.measure(name) for name in measures]
        names = {measure.name for measure in selected}
        return self._same(replace(self, measures=selected), [row for row in self.rows if row.measure in names])

    def _same(self, part: "Results", rows: Sequence[Row]) -> "Results":
        """Return a part of these results with values that are known already."""
        part.__dict__.update(rows=tuple(rows), failed=self.failed)
        return part

    def by_group(self) -> dict[str, "Results"]:
        """Return the results on the items of each group, without groups of their own."""
        return dict(self.of_parts) or {group: self._part(rows) for group, rows in self._groups() if group is not None}

    def table(self) -> Table:
        """Return values and intervals as a table: a row for each system under each measure."""
        return grouped_table(self) if self.by else ungrouped_table(self)

    @property
    def title(self) -> str:
        """The title of reports: that of the task."""
        return self.scoring_task.title if self.scoring_task else "Scores"

    def statement(self) -> Statement:
        """Return every value with its interval, in the tables of the task."""
        values, *others = self._tables()
        rows = kind_rows("value", (row.to_dict() for row in self.rows))
        rows += [row for table in others for row in table_rows("table", table, title=table.title)]
        return Statement(self.title, [values, *others], rows, notes=self.notes, signature=self.signature)

    def _tables(self) -> Sequence[Table]:
        """Return the values as a table, then further tables of the task; sums over groups of clusters have none."""
        if self.scoring_task is None or self.resampling.groups:
            return [self.table()]
        return self.scoring_task.tables(self, self.task_options)

    def page(self) -> "Page":
        """Return the report, with the comparisons that are usual for the task."""
        from touchstone.core.report.results import scores_page

        return scores_page(self)

    def _of_group(self, group: str | None, items: Ints) -> Iterator[Row]:
        """Yield the rows of a group; every system and measure is resampled on the same items."""
        # Records of all items are taken as they are: an index would copy them.
        all_items = len(items) == len(self)
        clusters = None if self.clusters is None else self.clusters[items]
        columns = [(system, measure) for system in self.systems for measure in self.measures]

        def records(system: SystemRecords, measure: Measure[Any]) -> Floats:
            return system.records[measure.name] if all_items else system.records[measure.name][items]

        spans = [system.spans.get(measure.name) for system, measure in columns]
        parts = (
            (m, records(system, m), span) for (system, m), span in zip(columns, spans, strict=True)
        )  # one at a time: they are large
        for (system, measure), ends in zip(columns, intervals(parts, self.resampling, clusters), strict=True):
            sums = records(system, measure).sum(axis=0)
            value = float(folded(measure.fold, sums)) if sums[-1] else measure.empty
            yield Row(
                system.system, measure.name, group, value, ends.low, ends.high, int(sums[-1]), ends.note,
                *self._skipped(system.system, measure, items, int(sums[-1])),
            )  # fmt: skip

    def _skipped(self, system: str, measure: Measure[Any], items: Ints, n: int) -> tuple[int, float | None]:
        """Return how many items a system skipped, and the value if they were failures."""
        if self.failed is None or measure.own_items:
            return 0, None
        records = self.failed.by_name[system].records[measure.name]
        sums = (records if len(items) == len(self) else records[items]).sum(axis=0)
        has_failure_value = sums[-1] > n and measure.failure_known and not measure.supplied
        return int(sums[-1]) - n, float(folded(measure.fold, sums)) if has_failure_value else None

    def _part(self, items: Ints) -> "Results":
        systems = [
            replace(
                system,
                records=CompactRecords({name: records[items] for name, records in system.records.items()}),
                facts=system.facts.take(items),
            )
            for system in self.systems
        ]
        item_fields = self.items_known.take(items)
        part = replace(self, by=None, systems=systems, items_known=item_fields, as_failures=None)
        part.__dict__["failed"] = None if self.failed is None else self.failed._part(items)
        return part

    def _groups(self) -> Iterator[tuple[str | None, Ints]]:
        if self.by is not None and not self.of_parts:
            distinct, codes = self._codes(self.by)
            names = distinct.cast(pa.string()).to_pylist()
            members = np.split(
                np.argsort(codes, kind="stable"), np.cumsum(np.bincount(codes, minlength=len(names)))[:-1]
            )
            rows_by_group = dict(zip(names, members, strict=True))
            for name in [*self.group_names, *(name for name in names if name not in self.group_names)]:
                if name in rows_by_group:
                    yield name, rows_by_group[name]
        yield None, np.arange(len(self))

    def _codes(self, field_name: str) -> tuple[pa.Array, Ints]:
        """Return the distinct values of a field of the items in order, and which one each item has."""
        field_names = [name for name in self.items_known.column_names if name != "id"]
        if field_name not in field_names:
            raise unknown_name("items have no such field", field_name, field_names)
        column = self.items_known.column(field_name).combine_chunks()
        if column.null_count or not pa.types.is_dictionary(column.type):
            column = column.cast(pa.string()).fill_null("?").dictionary_encode()
        return column.dictionary, column.indices.to_numpy().astype(np.int64)

    def _items_of(self, system: SystemRecords) -> pa.Table:
        columns = {"system": pa.array([system.system] * len(self), pa.string())}
        columns |= {name: self.items_known.column(name) for name in self.items_known.column_names}
        columns |= {name: system.facts.column(name) for name in system.facts.column_names}
        for measure in self.measures:
            values = measure.values(system.records[measure.name])
            columns[measure.name] = pa.array(values, mask=np.isnan(values))
            parts = measure.parts(system.records[measure.name]) if measure.parts else {}
            columns |= {f"{measure.name}.{part}": pa.array(part_values) for part, part_values in parts.items()}
            if not measure.averages:
                numbers = enumerate(system.records[measure.name].T)
                columns |= {
                    f"{RECORD}{self.task}:{measure.name}:{position}": pa.array(column) for position, column in numbers
                }
        return pa.table(columns)


def _cell(value: object) -> Cell:
    """Return a value of an item as it is shown in a table: numbers as they are, of a long text its beginning."""
    if value is None or (isinstance(value, int | float) and not isinstance(value, bool)):
        return value
    text = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"
