"""Figures from plain data, each as one SVG: scores, groups, items, a ranked list, all pairs of systems.

A number that is not there (None or nan) is drawn as nothing and written as '–'.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from math import ceil, nan
from typing import TYPE_CHECKING

import numpy as np

from touchstone.base.errors import TouchstoneError
from touchstone.base.ragged import Bools, Floats
from touchstone.base.tables import number
from touchstone.show import panels
from touchstone.show.svg import INK, MUTED, PALETTE, Svg, drawing, elided, finished, fitting, is_narrow, sheet, width

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LINE = 24.0
LETTER = 7.0
SLANTED = LETTER * 0.71
"""Units across for a letter of a name, level and at 45 degrees."""
ABREAST = 3
MOST_GROUPS_OF_BARS, MOST_NARROW_BARS = 12, 6
SMALLEST_WRITTEN = 22.0
"""Units across a cell from which its difference is written in it."""
POINTS = 1_000
"""How many items a line shows at most: a page has fewer pixels across."""


@dataclass(frozen=True)
class Estimate:
    """The value of one system (*name*) on one measure or in one part of the items (*group*), with its interval."""

    name: str
    value: float | None
    low: float | None = None
    high: float | None = None
    group: str = ""


@drawing
def intervals(estimates: Sequence[Estimate], title: str = "", xlabel: str = "") -> Svg:
    """Return dots with whiskers: the names down the side, a panel for each group, all in the order given.

    >>> intervals([Estimate("bow", 0.5, 0.4, 0.6), Estimate("lm", None)], "best1")[:4]
    '<svg'
    """
    grid = _Grid(estimates)
    columns = 1 if is_narrow() else min(len(grid.groups), ABREAST)
    rows = ceil(len(grid.groups) / columns)
    names = [elided(name, 16 if is_narrow() else 34 - 4 * columns) for name in grid.names]
    figure = sheet(rows * (len(names) * 22 + 62) + 34 * bool(title), title)
    axes = figure.subplots(rows, columns, squeeze=False, sharey=True)
    axes[0, 0].set_yticks(range(len(names)), names)
    for panel, group in zip_longest(axes.flat, grid.groups):
        if group is None:
            panel.set_visible(False)
            continue
        panels.dots(panel, grid.numbers(group=group))
        panel.set_title(elided(group, fitting(90) // columns))
        panel.set_xlabel(elided(xlabel, fitting(120) // columns))
    return finished(figure, _label(title, f"{len(names)} rows with intervals"))


@drawing
def bars(estimates: Sequence[Estimate], title: str = "") -> Svg:
    """Return a cluster of bars for each group, a colour for each name, with whiskers.

    Where colours would run out or bars grow thin, the same numbers come as `intervals`.
    """
    grid = _Grid(estimates)
    if len(grid.names) > len(PALETTE):
        return intervals(estimates, title)
    if len(grid.groups) > MOST_GROUPS_OF_BARS or (is_narrow() and len(grid.cells) > MOST_NARROW_BARS):
        turned = [Estimate(e.group, e.value, e.low, e.high, group=e.name) for e in estimates]
        return intervals(turned, title)
    figure = sheet(360, title)
    axes = figure.subplots()
    _draw_bars(axes, grid)
    axes.set_xticks(range(len(grid.groups)), [elided(group, fitting(108) // len(grid.groups)) for group in grid.groups])
    axes.tick_params(axis="x", length=0, labelcolor=INK, labelsize=12)
    axes.grid(visible=False, axis="x")
    panels.legend_above(axes, columns=min(len(grid.names), 1 if is_narrow() else 4))
    return finished(figure, _label(title, f"bars of {len(grid.names)} in {len(grid.groups)} groups"))


@drawing
def differences(
    values: Sequence[float] | Floats, names: tuple[str, str], title: str = "", lower_is_better: bool = False
) -> Svg:
    """Return the differences first - second of all items, largest first, with wins, ties and losses counted.

    Where lower values are better, second - first is drawn: up is always better for the first.

    >>> "bow better: 2" in differences([0.5, 0.0, -0.1, 0.2], ("bow", "lm"))
    True
    """
    given = -_finite(values) if lower_is_better else _finite(values)
    ordered = np.sort(given[~np.isnan(given)])[::-1]
    first, second = (elided(name) for name in names)
    wins, losses = int((ordered > 0).sum()), int((ordered < 0).sum())
    counts = (f"{first} better: {wins:,}", f"ties: {len(ordered) - wins - losses:,}", f"{second} better: {losses:,}")
    absent = f"; {len(given) - len(ordered):,} without a score" if len(ordered) < len(given) else ""
    figure = sheet(310, title)
    axes = figure.subplots()
    panels.waterfall(axes, ordered, POINTS)
    axes.set_xlabel(f"{len(ordered):,} items, largest difference first{absent}")
    axes.set_ylabel(" − ".join(elided(name, 18) for name in ((second, first) if lower_is_better else (first, second))))
    if is_narrow():
        axes.set_title("\n".join(counts), loc="left", fontweight="normal", color=MUTED)
    else:
        for count, side in zip(counts, ("left", "center", "right"), strict=True):
            axes.set_title(count, loc=side, fontweight="normal", color=MUTED)  # type: ignore[arg-type]
    return finished(figure, _label(title, ", ".join(counts)))


@dataclass(frozen=True)
class RankedList:
    """One ranked list: the *labels* of its answers, which may be fewer than its ranks, and two running sums by rank.

    *optimal* is the most credit that could have been earned so far, *earned* what was.
    """

    optimal: Sequence[float] | Floats
    earned: Sequence[float] | Floats
    labels: Sequence[str]
    title: str = ""


def cumulative(
    optimal: Sequence[float] | Floats, earned: Sequence[float] | Floats, labels: Sequence[str], title: str = ""
) -> Svg:
    """Return one ranked list: at each rank the answer, the credit so far, and the most that could have been.

    *optimal* and *earned* are running sums, one for each rank; *labels* are the answers, which may be fewer.
    """
    return cumulative_lists([RankedList(optimal, earned, labels)], title)


@drawing
def cumulative_lists(lists: Sequence[RankedList], title: str = "") -> Svg:
    """Return ranked lists below each other: at each rank the answer, the credit so far, and the most there could be."""
    rows = [len(each.optimal) for each in lists]
    for each in lists:
        if len(each.optimal) != len(each.earned) or not len(each.optimal):
            sums = f"{len(each.earned)} sums of credit beside {len(each.optimal)} optima"
            raise TouchstoneError(f"{sums}: give one of each to a rank")
    headings = sum(bool(each.title) for each in lists)
    figure = sheet(sum(rows) * 26 + 62 * len(lists) + 24 * (bool(title) + 1) + 22 * headings, title)
    panels_of = figure.subplots(len(lists), 1, squeeze=False, sharex=True, height_ratios=rows)[:, 0]
    for each, axes in zip(lists, panels_of, strict=True):
        _draw_list(each, axes)
    panels.legend_above(panels_of[0], columns=1 if is_narrow() else 3)
    panels_of[-1].set_xlabel("credit so far")
    reached = [
        f"{f'{each.title}: ' * bool(each.title)}{panels.short(float(each.earned[-1]))} of "
        f"{panels.short(float(each.optimal[-1]))} at rank {len(each.optimal)}"
        for each in lists
    ]
    return finished(figure, _label(title, f"cumulative credit: {'; '.join(reached)}"))


def _draw_list(each: RankedList, axes: "Axes") -> None:
    best, credit = _finite(each.optimal), _finite(each.earned)
    answers = [elided(label, fitting(36)) for _, label in zip_longest(best, each.labels[: len(best)], fillvalue="–")]
    # Spaces that SVG keeps, the second as wide as a digit.
    ranked = [f"{answer}\N{NO-BREAK SPACE}{rank:\N{FIGURE SPACE}>3}" for rank, answer in enumerate(answers, 1)]
    panels.running_credit(axes, best, credit)
    axes.set_yticks(range(len(best)), ranked)
    axes.grid(visible=False, axis="y")
    if each.title:
        axes.set_title(elided(each.title, 60), loc="right", size=12)


@drawing
def matrix(
    names: Sequence[str],
    values: Sequence[Sequence[float]] | Floats,
    significant: Sequence[Sequence[bool]] | Bools,
    title: str = "",
    lower_is_better: bool = False,
) -> Svg:
    """Return the difference of every pair, row - column: strong colour and bold where it is *significant*."""
    gaps, real, size = _finite(values), np.asarray(significant, np.bool_), len(names)
    np.fill_diagonal(gaps, nan)
    most = 12 if is_narrow() else 28 if size < 16 else 20
    rows, heads = [elided(name, most) for name in names], [elided(name, min(most, 20)) for name in names]
    across, down, above = _cell_sizes(rows, heads)
    beside = LETTER * max(map(len, rows)) + (SLANTED * len(heads[-1]) if above > LINE else 0)
    figure = sheet(size * down + above + 52 + 34 * bool(title), title, size * across + beside + 50)
    axes = figure.subplots()
    axes.set_box_aspect(down / across)
    axes.set_anchor("NW")
    panels.heat(axes, -gaps if lower_is_better else gaps, real)
    if across > SMALLEST_WRITTEN:
        panels.write_cells(axes, gaps, real, _gap_texts(gaps, wide=across > 50), size=min(12.0, across * 0.34))
    axes.set_yticks(range(size), rows)
    panels.headings_above(axes, heads, slanted=above > LINE)
    axes.set_xlabel("row − column; strong colour: significant", loc="left")
    return finished(figure, _label(title, f"differences between {size} systems, row minus column"))


def _cell_sizes(rows: Sequence[str], heads: Sequence[str]) -> tuple[float, float, float]:
    """Return how wide and high a cell of a matrix is, and how high its headings are: slanted where too long."""
    longest = max(map(len, heads))
    level = (width() - 50 - LETTER * max(map(len, rows))) / len(rows)
    if LETTER * longest < min(level, 96.0):
        return min(level, 96.0), 36.0, LINE
    across = min(level - SLANTED * len(heads[-1]) / len(rows), 96.0)
    return across, min(across, 36.0), SLANTED * longest + LINE


class _Grid:
    """Estimates by name and group, both in the order of their first appearance."""

    def __init__(self, estimates: Iterable[Estimate]) -> None:
        self.cells: dict[tuple[str, str], Estimate] = {}
        for estimate in estimates:
            if self.cells.setdefault((estimate.name, estimate.group), estimate) is not estimate:
                raise TouchstoneError(f'two scores in group "{estimate.group}"', value=estimate.name)
        if not self.cells:
            raise TouchstoneError("no scores to draw", hint="give at least one estimate")
        self.names = list(dict.fromkeys(name for name, _ in self.cells))
        self.groups = list(dict.fromkeys(group for _, group in self.cells))

    def numbers(self, *, name: str | None = None, group: str | None = None) -> Floats:
        """Return value, low and high (a row each) down the names of a *group*, or across the groups of a *name*."""
        keys = [(n, group) for n in self.names] if name is None else [(name, g) for g in self.groups]
        return estimated_numbers([self.cells.get((n, g or "")) for n, g in keys])


def estimated_numbers(estimates: Sequence[Estimate | None]) -> Floats:
    """Return value, low and high, a row each, with nan for what is not there."""
    rows = [(e.value, e.low, e.high) if e else (None, None, None) for e in estimates]
    return _finite([[nan if x is None else x for x in row] for row in rows]).T


def _finite(values: Sequence[float] | Sequence[Sequence[float]] | Floats) -> Floats:
    """Return *values* as a new array, with nan for all that has no place on an axis."""
    array = np.array(values, np.float64)
    array[~np.isfinite(array)] = nan
    return array


def _draw_bars(axes: "Axes", grid: _Grid) -> None:
    width = 0.8 / len(grid.names)
    for place, name in enumerate(grid.names):
        numbers = grid.numbers(name=name)
        places = np.arange(len(grid.groups), dtype=np.float64) + (place - (len(grid.names) - 1) / 2) * width
        panels.bar_series(axes, places, width, numbers, elided(name), PALETTE[place])
        if len(grid.cells) <= panels.FULL_BARS:
            panels.write_values(axes, places, numbers)
    axes.axhline(0, color=MUTED, linewidth=0.8)
    axes.set_xlim(-0.55, len(grid.groups) - 0.45)  # by the groups, not by the bars: all of a group may be absent


def _gap_texts(gaps: Floats, wide: bool) -> list[list[str]]:
    """Return the gaps with a sign; where cells are narrow in few characters: -.12 and .12."""
    small = float(np.nanmax(np.abs(gaps), initial=0.0)) < 1
    decimals = (3 if wide else 2) if small else 1
    texts = [[_signed(gap, decimals) for gap in row] for row in gaps]
    return texts if wide else [[re.sub(r"\+|\b0(?=\.)", "", text) for text in row] for row in texts]


def _signed(gap: float, decimals: int) -> str:
    if np.isnan(gap):
        return ""
    size = number(abs(gap), decimals)
    return size if float(size) == 0 else f"{'−' if gap < 0 else '+'}{size}"


def _label(title: str, content: str) -> str:
    return f"{title}: {content}" if title else content
