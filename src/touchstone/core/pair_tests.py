"""Pairs of systems under one measure: the one place where they are tested and where their intervals are made."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import Any, Literal, TypeVar

import numpy as np

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError, unknown_name
from touchstone.base.ragged import Floats
from touchstone.base.spelling import setting
from touchstone.core.measures import Measure
from touchstone.core.pairs import Pair
from touchstone.core.resampling import difference_intervals
from touchstone.core.results import Results, Tally
from touchstone.stats import PAIRED_TESTS, Interval, Test, benjamini_hochberg, draws_for, holm

Correction = Literal["holm", "bh"]

CORRECTIONS = {"holm": holm, "bh": benjamini_hochberg}
CORRECTION_NAMES = {"holm": "Holm", "bh": "Benjamini-Hochberg"}

T = TypeVar("T")


@dataclass(frozen=True)
class TestedPairs:
    """Pairs of systems in families, each with a correction of its own, and the tests and intervals behind them."""

    __test__ = False  # no test of pytest

    families: Sequence[Sequence[Pair]]
    tests: Sequence[Sequence[Test]]
    intervals: Sequence[Interval]


def compare_pairs(
    results: Results,
    measure: Measure[Any],
    families: Sequence[Sequence[tuple[str, str]]],
    *,
    test: str,
    correction: Correction,
    draws: int | None,
) -> TestedPairs:
    """Return the difference of each pair of systems, with its interval and its p.

    Parameters
    ----------
    results, measure
        The scores, and one of their measures.
    families
        The names of the systems of each pair; p is adjusted over each family by itself.
    test, correction, draws
        As in `touchstone.core.comparison.compare`.
    """
    # Records that systems share cannot be swapped between them.
    paired_test = _chosen(PAIRED_TESTS, "bootstrap" if measure.joint else test, "test")
    adjust = _chosen(CORRECTIONS, correction, "correction")
    names = [pair for family in families for pair in family]
    sides = _sides(results, measure, names)
    how, clusters = results.resampling, results.clusters
    # More pairs need more draws: the smallest p must be significant after the correction for all of them.
    draws = draws_for(len(names)) if draws is None else draws
    tests = paired_test.run(sides.records, sides.pairs, measure.fold, draws=draws, seed=how.seed, clusters=clusters)
    spans = [results.by_name[owner].spans.get(measure.name) for owner in sides.owners]
    intervals = difference_intervals(sides.records, sides.pairs, measure, how, clusters, spans)
    # A pair without an item that counts for both is not tested.
    p = [each.p if n else np.nan for each, n in zip(tests, sides.counts, strict=True)]
    adjusted = [value for part in _by_family(p, families) if part for value in adjust(part).tolist()]
    tally = results.pairing(measure)
    parts = zip(tests, intervals, zip(p, adjusted, strict=True), strict=True)
    pairs = [_pair(sides, number, *part, tally) for number, part in enumerate(parts)]
    return TestedPairs(_by_family(pairs, families), _by_family(tests, families), intervals)


def _by_family(values: Sequence[T], families: Sequence[Sequence[object]]) -> list[list[T]]:
    """Return a value for each pair in the families of the pairs."""
    ordered = iter(values)
    return [list(islice(ordered, len(family))) for family in families]


def _chosen(choices: Mapping[str, T], name: str, what: str) -> T:
    if name not in choices:
        raise unknown_name(f"unknown {what}", name, choices)
    return choices[name]


@dataclass(frozen=True)
class _Sides:
    """The records that are compared, the system that each belongs to, and the positions of both sides of each pair."""

    records: Sequence[Floats]
    owners: Sequence[str]
    pairs: Sequence[tuple[int, int]]

    @cached_property
    def counts(self) -> list[float]:
        """How many items count for both systems of each pair."""
        return [float(self.records[a][self.records[b][:, -1] > 0, -1].sum()) for a, b in self.pairs]


def _sides(results: Results, measure: Measure[Any], pairs: Sequence[tuple[str, str]]) -> _Sides:
    """Return records in which both systems of each pair have the same items, so that each is compared on these alone.

    Where a system's answers decide which items count, they are compared as they are. A record of zeros does not count.
    """
    owners = list(dict.fromkeys(name for pair in pairs for name in pair))
    records = [results.by_name[name].records[measure.name] for name in owners]
    position = {name: number for number, name in enumerate(owners)}
    placed = [(position[a], position[b]) for a, b in pairs]
    if measure.own_items:
        return _Sides(records, owners, placed)
    if results.resampling.groups is not None and any((record[:, -1] != records[0][:, -1]).any() for record in records):
        what = "systems are compared on the same items only, and some items count for one system alone"
        hint = f"groups of clusters hold sums of items: score missing ones 0 with {setting('missing', 'zero')}"
        raise TouchstoneError(what, code=Code.UNSUPPORTED, hint=hint)
    counted = [record[:, -1] > 0 for record in records]
    restricted: dict[tuple[int, bytes], int] = {}

    def shared(side: int, other: int) -> int:
        """Return where the records of a side are, cut to the items that also count for the other."""
        both = counted[side] & counted[other]
        if (both == counted[side]).all():
            return side
        key = side, both.tobytes()
        if key not in restricted:  # systems with the same gaps share one copy
            restricted[key] = len(records)
            records.append(np.where(both[:, None], records[side], 0.0))
            owners.append(owners[side])
        return restricted[key]

    return _Sides(records, owners, [(shared(a, b), shared(b, a)) for a, b in placed])


def _pair(
    sides: _Sides, number: int, outcome: Test, ends: Interval, chances: tuple[float, float], tally: Tally
) -> Pair:
    """Return a pair from its test, its interval, its p without and with correction, and how items are counted."""
    left, right = sides.pairs[number]
    a, b = sides.owners[left], sides.owners[right]
    count, effect = tally(a, b)
    n = int(sides.counts[number])
    differ = not n or count.wins or count.losses or not np.array_equal(sides.records[left], sides.records[right])
    return Pair(
        a=a,
        b=b,
        difference=outcome.difference,
        low=ends.low,
        high=ends.high,
        p=chances[0],
        p_adjusted=chances[1],
        effect=effect,
        wins=count.wins,
        ties=count.ties,
        losses=count.losses,
        n=n,
        equal=not differ,
    )
