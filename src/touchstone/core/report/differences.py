"""Differences between systems, and the groups of items that they come from."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np

from touchstone.base.ragged import Floats, Ints
from touchstone.base.tables import counted, p_text
from touchstone.core.comparison import Comparison
from touchstone.core.measures import Measure
from touchstone.core.pairs import Pair
from touchstone.core.report.verdict import ordered_rows
from touchstone.core.resampling import difference_intervals
from touchstone.core.results import Results, SystemRecords
from touchstone.show.page import Block, Fold, Html, Paragraph, Section, TableBlock
from touchstone.show.plots import (
    MANY,
    TICKS,
    Axis,
    Cross,
    Dot,
    Panel,
    cross_tables,
    decimals_for,
    panel_grid,
    sorted_curve,
)
from touchstone.stats import folded, signed_differences

MOST_PAIRS = 10
"""Pairs that a figure of differences shows; of more, it shows each system beside the next one."""

MOST_CROSSES = 6
"""Pairs whose right and wrong items are counted in a table of two rows and two columns."""

MOST_GROUPS = 12
"""Groups that are drawn; the table has all."""


def differences_blocks(comparisons: Sequence[Comparison]) -> list[Block]:
    """Return the differences under the first measure in full, under the others folded."""
    first, *others = comparisons
    return [*_differences(first), *(Fold(f"Under {other.measure}", _differences(other)) for other in others)]


def _differences(comparison: Comparison) -> list[Block]:
    measure = comparison.scored
    values = comparison.results.item_values(measure)
    gaps = {
        (pair.a, pair.b): signed_differences(values[pair.a], values[pair.b]) for pair in _compared_pairs(comparison)
    }
    finite_gaps = np.concatenate([gap[np.isfinite(gap)] for gap in gaps.values()])
    right_or_wrong = bool(np.isin(finite_gaps, (-1, 0, 1)).all()) and _is_binary(values.values())
    sign = -1 if measure.lower_is_better else 1
    without_curves = right_or_wrong or len(comparison.results) == 1
    rows = [
        _pair_row(pair, None if without_curves else sign * gaps[pair.a, pair.b]) for pair in _compared_pairs(comparison)
    ]
    ends = [end for row in rows for end in (row.value, row.low, row.high)]
    axis = Axis.of(ends, zero=True, decimals=decimals_for(row.value for row in comparison.standings), ticks=TICKS + 1)
    heads = ["p", *([] if without_curves else ["items"])]
    note = "lower is better" if measure.lower_is_better else ""
    panel = Panel(f"Differences of {comparison.measure}", rows, axis, heads, note, signed=True, first="pair")
    blocks: list[Block] = [Html(panel_grid([panel], wide=True)), Paragraph(_caption(comparison, without_curves))]
    if right_or_wrong:
        crosses = [_cross(pair.a, pair.b, values) for pair in _compared_pairs(comparison)[:MOST_CROSSES]]
        blocks.append(Html(cross_tables(crosses)))
    return blocks


def _compared_pairs(comparison: Comparison) -> list[Pair]:
    """Return all pairs where they are few, else each system with the next one."""
    if len(comparison.pairs) <= MOST_PAIRS:
        return list(comparison.pairs)
    near = set(pairwise(row.system for row in comparison.standings))
    return [pair for pair in comparison.pairs if (pair.a, pair.b) in near]


def _pair_row(pair: Pair, gaps: Floats | None) -> Dot:
    marks = [] if gaps is None else [sorted_curve(gaps)]
    name = f"{pair.a} − {pair.b}"
    return Dot(name, pair.difference, pair.low, pair.high, [p_text(pair.p_adjusted)], pair.significant, marks=marks)


def _caption(comparison: Comparison, without_curves: bool) -> str:
    pairs_text = (
        "" if len(comparison.pairs) <= MOST_PAIRS else "Each system with the next one; the details have all pairs."
    )
    cut = ", cut at the 95th percentile of their sizes" if len(comparison.results) >= MANY else ""
    items = "" if without_curves else f"The curve has the differences of all items, largest first{cut}."
    sentences = [f"{text[:1].upper()}{text[1:]}." for text in (f"{comparison.test}; p adjusted", *comparison.notes)]
    return " ".join(filter(None, [pairs_text, "A filled dot: the difference is significant.", items, *sentences]))


def _is_binary(values: Iterable[Floats]) -> bool:
    return all(bool(np.isin(part[np.isfinite(part)], (0, 1)).all()) for part in values)


def _cross(a: str, b: str, values: "dict[str, Floats]") -> Cross:
    scored_by_both = np.isfinite(values[a]) & np.isfinite(values[b])
    left, right = values[a][scored_by_both] == 1, values[b][scored_by_both] == 1
    return Cross(a, b, *(int(cell.sum()) for cell in (left & right, left & ~right, ~left & right, ~left & ~right)))


def groups_section(results: Results, measure: str, pair: Sequence[str] = ()) -> Section:
    """Return the values of each group of items under a *measure*, and what each adds to the difference of a *pair*."""
    scored = results.measure(measure)
    order = [row.system for row in ordered_rows(results, measure)]
    rows = {(row.system, row.group): row for row in results.rows if row.measure == scored.name}
    groups = [group for group in dict.fromkeys(row.group for row in results.rows) if group is not None]
    blocks: list[Block] = []
    if len(pair) == 2:
        blocks, groups = _contributions(results, scored, pair, groups)
    axis = Axis.of(end for row in rows.values() for end in row.ends)
    panels = [
        Panel(
            results.group_names.get(group, group),
            [Dot(system, *rows[system, group].ends) for system in order],
            axis,
            note=counted(rows[order[0], group].n, "item"),
        )
        for group in groups[:MOST_GROUPS]
    ]
    blocks += [Html(panel_grid(panels))]
    return Section(
        f"By {results.by}", "groups", [*blocks, Fold("All groups and measures", [TableBlock(results.table())])]
    )


def _contributions(
    results: Results, measure: Measure[object], pair: Sequence[str], groups: Sequence[str]
) -> tuple[list[Block], list[str]]:
    """Return the difference of a *pair* in each group with what it adds to that over all items, and the order shown."""
    a, b = (results.by_name[name] for name in pair)
    members = dict(results._groups())
    by_group = {
        group: _group_row(results, measure, a, b, members[group], results.group_names.get(group, group))
        for group in groups
    }
    ordered = sorted(groups, key=lambda group: -_weight(*by_group[group]))
    rows = [by_group[group] for group in ordered]
    dots = [dot for dot, _ in rows[:MOST_GROUPS]]
    decimals = decimals_for(row.value for row in results.rows if row.measure == measure.name)
    axis = Axis.of(
        (end for dot in dots for end in (dot.value, dot.low, dot.high)), zero=True, decimals=decimals, ticks=TICKS + 1
    )
    added = [
        dot if share is None else replace(dot, cells=[*dot.cells, axis.text(share, signed=True)])
        for dot, share in rows[:MOST_GROUPS]
    ]
    heads = ["items", *(["adds"] if rows[0][1] is not None else [])]
    title = f"{pair[0]} − {pair[1]} by {results.by}"
    sums = " What the groups add sums up to the difference over all items." if rows[0][1] is not None else ""
    text = f"Groups are not tested here, so no dot is filled. Without a line: too few items for an interval.{sums}"
    panel = Panel(title, added, axis, heads, signed=True, first=str(results.by))
    return [Html(panel_grid([panel], wide=True)), Paragraph(text)], ordered


def _weight(dot: Dot, share: float | None) -> float:
    """Return how much a group matters: what it adds to the difference, or else its own difference."""
    size = abs(dot.value if share is None else share)
    return size if np.isfinite(size) else -1.0


def _group_row(
    results: Results, measure: Measure[object], a: SystemRecords, b: SystemRecords, items: Ints, name: str
) -> tuple[Dot, float | None]:
    records = [system.records[measure.name][items] for system in (a, b)]
    sums = [part.sum(axis=0) for part in records]
    values = [float(folded(measure.fold, part)) if part[-1] else float("nan") for part in sums]
    clusters = None if results.clusters is None else results.clusters[items]
    (ends,) = difference_intervals(records, [(0, 1)], measure, results.resampling, clusters)
    counts = [system.records[measure.name][:, -1] for system in (a, b)]
    share = None
    if measure.is_mean and np.array_equal(counts[0], counts[1]):
        share = float((sums[0] - sums[1])[0] / counts[0].sum())
    return Dot(name, values[0] - values[1], ends.low, ends.high, [f"{int(sums[0][-1]):,}"], strong=False), share
