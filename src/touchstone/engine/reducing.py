"""Results of very many items in little memory: their clusters are put into groups, whose sums are all that is kept.

An interval leaves out each group in turn (the delete-a-group jackknife; Kott 2001, Journal of Official Statistics 17),
and a test swaps or draws whole groups. Clusters are assigned to groups by a number that their value gives, so items of
a cluster stay together and the outcome depends neither on shards nor on workers. One pass over the records is enough,
whatever the number of draws. The width of an interval from g groups varies by about 1 / sqrt(2 g): 2 % for 1,000.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any

import numpy as np
import pyarrow as pa

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError, unknown_name
from touchstone.base.ragged import Floats, Ints
from touchstone.core.clustering import ITEM
from touchstone.core.measures import Measure
from touchstone.core.results import Items, Results, SystemRecords, Tally
from touchstone.engine.records import ShardFile, text_codes
from touchstone.stats import folded
from touchstone.stats.effects import RELATIVE, WinTieLoss, signed_differences

MANY = 200_000
"""Items from which on clusters are put into groups."""

GROUPS = 1000
"""Groups of clusters: enough that intervals are as wide as those of single clusters within 2 %."""

MOST_VALUES = 1000
"""Values of a field to group by: each has the sums of all groups."""


@dataclass(frozen=True, eq=False, repr=False)
class Reduced(Results):
    """Results whose rows are sums over groups of clusters; pairs of systems were counted item by item."""

    tallies: Callable[[Measure[Any]], Tally] | None = field(default=None, repr=False)

    @property
    def items(self) -> Items:
        """Refused: only sums of items are in memory."""
        hint = "the files in the folder shards have the records"
        raise TouchstoneError("too many items for one table", code=Code.TOO_LARGE, hint=hint)

    def pairing(self, measure: Measure[Any]) -> Tally:
        """Return a function of two systems: on how many items each is better, and the size of the effect."""
        assert self.tallies is not None
        return self.tallies(measure)


def reduced(results: Results, files: Sequence[ShardFile]) -> Reduced:
    """Return the results of shards with sums over groups instead of items.

    Parameters
    ----------
    results
        Task, measures, signature, field to group by and resampling; without records.
    files
        The files of the shards, in order.
    """
    cluster = results.resampling.cluster
    names = files[0].about["systems"]
    sums = {(system_index, m.name): _Sums() for system_index in range(len(names)) for m in results.measures}
    values: dict[str, int] = {}  # of the field to group by, each with the number of its cells
    at = 0
    for file in files:
        cells = _cells(file, cluster, results.by, values, at)
        at += len(file)
        for system_index in range(len(names)):
            for measure in results.measures:
                sums[system_index, measure.name].add(cells, file.records(system_index, measure.name), measure)
    n = GROUPS * max(1, len(values))
    systems = [
        SystemRecords(
            name,
            {m.name: sums[system_index, m.name].padded(n) for m in results.measures},
            pa.table({}),
            spans={m.name: sums[system_index, m.name].span for m in results.measures},
        )
        for system_index, name in enumerate(names)
    ]
    groups = np.tile(np.arange(GROUPS), n // GROUPS)
    item_columns = {"id": pa.array(map(str, range(n))), cluster or ITEM: pa.array(groups.astype(str))}
    if results.by is not None:
        item_columns[results.by] = pa.array(np.repeat(list(values), GROUPS))
    how = replace(results.resampling, cluster=cluster or ITEM, groups=GROUPS)
    result_fields = {name: getattr(results, name) for name in results.__dataclass_fields__}
    changed = {"systems": systems, "items_known": pa.table(item_columns), "resampling": how}
    return Reduced(**{**result_fields, **changed}, tallies=lambda measure: _pair_tallies(files, names, measure))


class _Sums:
    """Sums of records by cell, added item by item so that they do not depend on where shards end."""

    def __init__(self) -> None:
        self.sums: Floats = np.zeros((0, 0))
        self.span = (np.inf, -np.inf)

    def add(self, cells: Ints, records: Floats, measure: Measure[Any] | None = None) -> None:
        if len(records) == 0:
            return
        rows = max(len(self.sums), int(cells.max()) + 1)
        self.sums = self._resized(rows, records.shape[1])
        # add.at adds in the order of the items, so sums are the same bits however the items are cut into shards.
        for column_index, column in enumerate(records.T):
            np.add.at(self.sums[:, column_index], cells, column)
        if measure is not None:
            values = folded(measure.values, records)
            finite = values[np.isfinite(values)]
            if len(finite):
                self.span = min(self.span[0], float(finite.min())), max(self.span[1], float(finite.max()))

    def padded(self, rows: int) -> Floats:
        """Return the sums with rows of zeros for cells without an item."""
        return self._resized(rows, self.sums.shape[1])

    def _resized(self, rows: int, width: int) -> Floats:
        if len(self.sums) == rows:
            return self.sums
        larger = np.zeros((rows, width))
        larger[: len(self.sums), : self.sums.shape[1]] = self.sums
        return larger


def _cells(file: ShardFile, cluster: str | None, by: str | None, values: dict[str, int], at: int) -> Ints:
    """Return the cell of each item of a shard whose first item is number *at*: its group, for each value of *by*."""
    groups = item_groups(at, len(file)) if cluster is None else file.clusters(cluster) % GROUPS
    if by is None:
        return groups
    if by not in file.fields():
        raise unknown_name("items have no such field", by, file.fields())
    texts, codes = text_codes(file.items([by]).column(0))
    numbers = np.array([values.setdefault(text, len(values)) for text in texts], np.int64)
    if len(values) > MOST_VALUES:
        raise TouchstoneError(f"more than {MOST_VALUES:,} values, too many to group by", value=by, code=Code.TOO_LARGE)
    return np.asarray(groups + GROUPS * numbers[codes])


def item_groups(first: int, n: int) -> Ints:
    """Return the group of each of *n* items from number *first* on, as good as drawn at random (splitmix64).

    >>> item_groups(0, 4).tolist() == item_groups(0, 2).tolist() + item_groups(2, 2).tolist()
    True
    """
    with np.errstate(over="ignore"):
        mixed = (np.arange(first, first + n).astype(np.uint64) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
        mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        mixed ^= mixed >> np.uint64(31)
    return (mixed % np.uint64(GROUPS)).astype(np.int64)


def _pair_tallies(files: Sequence[ShardFile], names: Sequence[str], measure: Measure[Any]) -> Tally:
    """Count, for all pairs of systems in one pass, on how many items each is better, and sum their differences."""
    pairs = list(combinations(range(len(names)), 2))
    sums = {pair: _Sums() for pair in pairs}
    at = 0
    for file in files:
        values = [
            folded(measure.values, file.records(system_index, measure.name)) for system_index in range(len(names))
        ]
        cells = item_groups(at, len(file))
        at += len(file)
        for a, b in pairs:
            gaps = signed_differences(values[a], values[b])
            counted = np.isfinite(gaps)
            gaps = np.where(counted, gaps, 0.0)
            sums[a, b].add(cells, np.stack([gaps > 0, gaps < 0, counted, gaps, gaps**2], axis=1).astype(np.float64))
    totals = {pair: each.sums.sum(axis=0) for pair, each in sums.items()}

    def tally(a: str, b: str) -> tuple[WinTieLoss, float]:
        first, second = names.index(a), names.index(b)
        above, below, n, total, squares = totals[min(first, second), max(first, second)].tolist()
        if first > second:
            above, below, total = below, above, -total
        effect = _effect(n, total, squares)
        count = (below, above) if measure.lower_is_better else (above, below)
        return WinTieLoss(int(count[0]), int(n - above - below), int(count[1])), effect

    return tally


def _effect(n: float, total: float, squares: float) -> float:
    """Return Cohen's d of n differences from their sum and the sum of their squares, as `paired_effect` defines it."""
    if n < 2:
        return np.nan
    average = total / n
    spread = float(np.sqrt(max(0.0, squares - n * average**2) / (n - 1)))
    if spread > RELATIVE * abs(average):
        return average / spread
    return float(np.copysign(np.inf, average)) if average else 0.0
