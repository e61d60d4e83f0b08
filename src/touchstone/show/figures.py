"""Figures from plain data, each as one SVG: scores, groups, items, a ranked list, all pairs of systems.

A number that is not there (None or nan) is drawn as nothing and written as '–'.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import cycle, zip_longest
from math import nan

import numpy as np

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.base.ragged import Bools, Floats
from touchstone.base.tables import number
from touchstone.show.colours import (
    ABSENT,
    BETTER,
    FAINT,
    GAPS,
    INK,
    LIKENESS,
    MUTED,
    PALETTE,
    TRACK,
    WHITE,
    blended,
)
from touchstone.show.plots import Axis
from touchstone.show.sheet import (
    FULL_BARS,
    UNDER_LABEL,
    UNDER_NUMBERS,
    Entry,
    Panel,
    Sheet,
    dot_rows,
    headings_above,
    room_left,
    row_axis,
    write_cells,
)
from touchstone.show.svg import Svg, elided, fitting, is_narrow, two_widths, width

ROW = 22.0
"""Units down for a row of dots."""
LINE, LETTER = 24.0, 7.0
SLANTED = LETTER * 0.71
"""Units down for a line of headings; across for a letter of a name, level and at 45 degrees."""
ABREAST = 3
MOST_GROUPS_OF_BARS, MOST_NARROW_BARS = 12, 6
SMALLEST_WRITTEN = 22.0
"""Units across a cell from which its difference is written in it."""
NUMBER = 44.0
"""Units across for a value beside a panel."""


@dataclass(frozen=True)
class Estimate:
    """The value of one system (*name*) on one measure or in one part of the items (*group*), with its interval."""

    name: str
    value: float | None
    low: float | None = None
    high: float | None = None
    group: str = ""


@two_widths
def intervals(estimates: Sequence[Estimate], title: str = "", xlabel: str = "", *, line: float | None = None) -> Svg:
    """Return dots with whiskers: the names down the side, a panel for each group, all in the order given.

    *line* is a value at which a line runs down every panel, such as no difference.

    >>> intervals([Estimate("bow", 0.5, 0.4, 0.6), Estimate("lm", None)], "best1")[:4]
    '<svg'
    """
    grid = _Grid(estimates)
    columns = 1 if is_narrow() else min(len(grid.groups), ABREAST)
    names = [elided(name, 16 if is_narrow() else 34 - 4 * columns) for name in grid.names]
    sheet = Sheet(title)
    below = UNDER_NUMBERS + UNDER_LABEL * bool(xlabel) + 8
    for start in range(0, len(grid.groups), columns):
        groups = grid.groups[start : start + columns]
        above = 26 * any(groups) + 2
        row = sheet.row(
            len(names) * ROW,
            columns=columns,
            y=row_axis(len(names)),
            left=room_left(names),
            gap=NUMBER + 14,
            right=NUMBER,
            above=above,
            below=below,
        )
        row[0].names_left(names)
        for panel, group in zip(row, groups, strict=False):
            numbers = grid.numbers(group=group)
            panel.x_axis = Axis.of([*numbers.ravel().tolist(), *([] if line is None else [line])], ticks=5)
            panel.numbers_below(label=elided(xlabel, fitting(120) // columns))
            if line is not None:
                panel.segments(([line], [panel.y_axis.low], [line], [panel.y_axis.high]), colour=MUTED, width=0.8)
            dot_rows(panel, numbers)
            panel.heading(elided(group, fitting(90) // columns))
    return sheet.finished(_label(title, f"{len(names)} rows with intervals"))


@two_widths
def bars(estimates: Sequence[Estimate], title: str = "") -> Svg:
    """Return a cluster of bars for each group, a colour for each name, with whiskers.

    Where colours would run out or bars grow thin, the same numbers come as `intervals`.
    """
    grid = _Grid(estimates)
    # More bars than colours could not be told apart.
    if len(grid.names) > len(PALETTE):
        return intervals(estimates, title)
    if len(grid.groups) > MOST_GROUPS_OF_BARS or (is_narrow() and len(grid.cells) > MOST_NARROW_BARS):
        # Too many groups for bars side by side: they become rows, and the names panels.
        turned = [Estimate(e.group, e.value, e.low, e.high, group=e.name) for e in estimates]
        return intervals(turned, title)
    sheet = Sheet(title)
    entries = [Entry(elided(name), colour) for name, colour in zip(grid.names, PALETTE, strict=False)]
    sheet.legend(entries, columns=1 if is_narrow() else 4)
    every = np.concatenate([grid.numbers(name=name).ravel() for name in grid.names])
    (panel,) = sheet.row(260, left=46, above=18, below=UNDER_NUMBERS + 6)
    panel.x_axis = Axis(-0.55, len(grid.groups) - 0.45)  # by the groups, not by the bars: all of a group may be absent
    panel.y_axis = _from_zero(every)
    panel.numbers_left()
    for name_index, name in enumerate(grid.names):
        _draw_bars(panel, grid, name_index, name)
    panel.segments(([panel.x_axis.low], [0], [panel.x_axis.high], [0]), colour=MUTED, width=0.8)
    for group_index, group in enumerate(grid.groups):
        at = float(panel.x(group_index)), panel.bottom + 14
        sheet.write(at, elided(group, fitting(108) // len(grid.groups)), size=12, colour=INK, side="middle")
    return sheet.finished(_label(title, f"bars of {len(grid.names)} in {len(grid.groups)} groups"))


def _from_zero(values: Floats) -> Axis:
    """Return the axis of bars, which begin at 0, with room for the values written over them."""
    finite = values[np.isfinite(values)]
    low, high = min(0.0, float(finite.min(initial=0.0))), max(0.0, float(finite.max(initial=0.0)))
    room = 0.12 * (high - low) or 1.0
    return Axis.between(low - room * (low < 0), high + room * (high > 0 or low == 0))


@dataclass(frozen=True)
class RankedList:
    """One ranked list: the *labels* of its answers, which may be fewer than its ranks, and two running sums by rank.

    *optimal* is the most credit that could have been earned so far, *earned* what was.
    """

    optimal: Sequence[float] | Floats
    earned: Sequence[float] | Floats
    labels: Sequence[str]
    title: str = ""


@two_widths
def cumulative_lists(lists: Sequence[RankedList], title: str = "") -> Svg:
    """Return ranked lists below each other: at each rank the answer, the credit so far, and the most there could be."""
    for each in lists:
        if len(each.optimal) != len(each.earned) or not len(each.optimal):
            sums = f"{len(each.earned)} sums of credit beside {len(each.optimal)} optima"
            raise TouchstoneError(f"{sums}: give one of each to a rank", code=Code.MISMATCH)
    sheet = Sheet(title)
    sheet.legend(
        [
            Entry("optimum", FAINT, edge=TRACK),
            Entry("earned before", BETTER, opacity=0.45),
            Entry("earned by this answer", BETTER),
        ],
        columns=1 if is_narrow() else 3,
    )
    # One axis for all lists, so that their lengths can be compared.
    most = max(float(np.nanmax(_finite([*each.optimal, *each.earned]), initial=0.0)) for each in lists)
    axis = Axis.between(0, 1.02 * most or 1.0)
    names = [_ranked_names(each) for each in lists]
    left = room_left(name for ranked in names for name in ranked)
    for each, ranked in zip(lists, names, strict=True):
        last = each is lists[-1]
        below = UNDER_NUMBERS + UNDER_LABEL + 8 if last else 10
        above = 26 if each.title else 6
        (panel,) = sheet.row(
            len(ranked) * 26, x=axis, y=row_axis(len(ranked)), left=left, right=76, above=above, below=below
        )
        panel.names_left(ranked)
        if last:
            panel.numbers_below(label="credit so far")
        if each.title:
            panel.heading(elided(each.title, 60), side="end")
        _draw_list(panel, _finite(each.optimal), _finite(each.earned))
    reached = [
        f"{f'{each.title}: ' * bool(each.title)}{short(float(each.earned[-1]))} of "
        f"{short(float(each.optimal[-1]))} at rank {len(each.optimal)}"
        for each in lists
    ]
    return sheet.finished(_label(title, f"cumulative credit: {'; '.join(reached)}"))


def _ranked_names(each: RankedList) -> list[str]:
    """Return the answers with their ranks; in spaces that SVG keeps, the second as wide as a digit."""
    labels = each.labels[: len(each.optimal)]
    answers = [elided(label, fitting(36)) for _, label in zip_longest(each.optimal, labels, fillvalue="–")]
    return [f"{answer}\N{NO-BREAK SPACE}{rank:\N{FIGURE SPACE}>3}" for rank, answer in enumerate(answers, 1)]


def _draw_list(panel: Panel, best: Floats, credit: Floats) -> None:
    """Draw the credit so far in each row on the track of the optimum, and write both beside it."""
    before = np.concatenate([[0.0], credit[:-1]])
    for row, (most, earlier, earned) in enumerate(zip(best.tolist(), before.tolist(), credit.tolist(), strict=True)):
        height = row - 0.36, row + 0.36
        panel.box((0, most), height, FAINT, edge=TRACK)
        panel.box((0, earlier), height, BETTER, opacity=0.45)
        panel.box((earlier, earned), height, BETTER)
        furthest = float(np.nanmax([most, earned, 0.0]))
        panel.write((furthest, row), f"{short(earned)} / {short(most)}", right=6)


def short(value: float) -> str:
    """Return *value* as a count where it is whole, and with one decimal where it is not."""
    return number(value, 0 if float(value).is_integer() else 1)


@two_widths
def matrix(
    names: Sequence[str],
    values: Sequence[Sequence[float]] | Floats,
    significant: Sequence[Sequence[bool]] | Bools,
    title: str = "",
    lower_is_better: bool = False,
) -> Svg:
    """Return the difference of every pair, row - column: strong colour and bold where it is *significant*."""
    gaps, real, size = _finite(values), np.asarray(significant, np.bool_), len(names)
    # A system beside itself is an empty cell.
    np.fill_diagonal(gaps, nan)
    most = 12 if is_narrow() else 28 if size < 16 else 20
    rows, heads = [elided(name, most) for name in names], [elided(name, min(most, 20)) for name in names]
    across, down, above = _cell_sizes(rows, heads)
    beside = LETTER * max(map(len, rows)) + (SLANTED * len(heads[-1]) if above > LINE else 0)
    sheet = Sheet(title, size * across + beside + 50)
    left = LETTER * max(map(len, rows)) + 10
    right = sheet.across - 2 * sheet.edge - left - size * across
    axis = Axis(-0.5, size - 0.5)
    (panel,) = sheet.row(
        size * down, x=axis, y=Axis(size - 0.5, -0.5), left=left, right=right, above=above, below=UNDER_LABEL + 6
    )
    strongest = float(np.nanmax(np.abs(gaps), initial=0.0))
    colours = _gap_colours(-gaps if lower_is_better else gaps, real, strongest)
    texts = _gap_texts(gaps, wide=across > 50) if across > SMALLEST_WRITTEN else [[""] * size] * size
    # Dark letters would be lost on the strongest colours.
    dark = real & (np.abs(gaps) > 0.75 * strongest)
    inks = np.where(dark, WHITE, np.where(real, INK, MUTED)).tolist()
    write_cells(panel, colours, texts, inks, size=min(12.0, across * 0.34), bold=real.tolist())
    panel.names_left(rows, size=min(12.0, down))
    headings_above(panel, heads, slanted=above > LINE, size=min(11.0, across))
    note = "row − column; strong colour: significant"
    sheet.write((panel.left, panel.bottom + 16), note, size=11.5)
    return sheet.finished(_label(title, f"differences between {size} systems, row minus column"))


def _gap_colours(gaps: Floats, real: Bools, most: float) -> list[list[str]]:
    """Return a colour for each cell by the sign and size of its gap, pale where it may be chance."""
    parts = 0.5 + 0.5 * gaps / (most or 1.0)
    return [
        [
            ABSENT if np.isnan(part) else _strong(part) if strong else blended((WHITE, _strong(part)), 0.3)
            for part, strong in zip(row, strengths, strict=True)
        ]
        for row, strengths in zip(parts.tolist(), real.tolist(), strict=True)
    ]


def _strong(part: float) -> str:
    return blended(GAPS, part)


@two_widths
def similarity(names: Sequence[str], values: Floats, title: str = "", least: float | None = None) -> Svg:
    """Return the correlation of each metric with each other one, in colour and figures.

    The colours begin below the *least* value; two maps side by side share it.

    >>> ">0.500<" in similarity(["bleu", "chrf"], np.array([[1.0, 0.5], [0.5, 1.0]]))
    True
    """
    size = len(names)
    if values.shape != (size, size) or not size:
        raise TouchstoneError(f"{size} names need a square of values, not {values.shape}", code=Code.MISMATCH)
    heads = [elided(name, 12 if is_narrow() else 30) for name in names]
    longest = 7.2 * max(map(len, heads))
    across = min(92.0, (width() - 60 - longest) / size)
    slanted = longest > across
    above = 0.71 * longest + 14 if slanted else 26.0
    sheet = Sheet(title, size * across + longest + 60 + 0.71 * longest * slanted)
    right = sheet.across - 2 * sheet.edge - longest - 10 - size * across
    axis = Axis(-0.5, size - 0.5)
    (panel,) = sheet.row(size * 36, x=axis, y=Axis(size - 0.5, -0.5), left=longest + 10, right=right, above=above)
    start = least_of(values) if least is None else least
    # Metrics are all alike: the colours begin below the least of them, so that differences show.
    start -= 0.1 * (1 - start) + 1e-9
    parts = ((values - start) / (1 - start)).tolist()
    colours = [[ABSENT if np.isnan(part) else blended(LIKENESS, part) for part in row] for row in parts]
    texts = [[number(value) for value in row] for row in values.tolist()]
    write_cells(panel, colours, texts, [[INK] * size] * size, size=min(11.5, across * 0.3))
    panel.names_left(heads)
    headings_above(panel, heads, slanted=slanted)
    return sheet.finished(f"{title or 'similarity'}: {size} metrics")


def least_of(values: Floats) -> float:
    """Return the least correlation that is known, at most 1."""
    return float(np.nanmin(values, initial=1.0))


@dataclass(frozen=True)
class Curve:
    """A line through places with a band around it; *ends* are further values at each place, as small dots."""

    name: str
    x: Sequence[float]
    values: Sequence[float]
    low: Sequence[float] = ()
    high: Sequence[float] = ()
    ends: Sequence[Sequence[float]] = ()


@two_widths
def curves(panels: Mapping[str, Sequence[Curve]], xlabel: str, ylabel: str, title: str = "") -> Svg:
    """Return a panel for each heading with a line for each name, over evenly spaced places across.

    >>> curves({"test": [Curve("bow", [100, 1000], [0.5, 0.6], [0.4, 0.5], [0.6, 0.7])]}, "pairs", "accuracy")[:4]
    '<svg'
    """
    every = [curve for drawn in panels.values() for curve in drawn]
    names = list(dict.fromkeys(curve.name for curve in every))
    colours = dict(zip(names, cycle(PALETTE), strict=False))
    sheet = Sheet(title)
    if len(names) > 1:
        sheet.legend([Entry(elided(name, 24), colours[name], line=True) for name in names])
    sizes = sorted({size for curve in every for size in curve.x})
    position_by_size = {size: float(position) for position, size in enumerate(sizes)}
    numbers = [
        value for curve in every for values in (curve.values, curve.low, curve.high, *curve.ends) for value in values
    ]
    columns = 1 if is_narrow() else min(2, len(panels))
    headings = list(panels)
    for start in range(0, len(headings), columns):
        row = sheet.row(
            160, columns=columns, left=56, gap=56, right=14, above=26, below=UNDER_NUMBERS + UNDER_LABEL + 8
        )
        for panel, heading in zip(row, headings[start : start + columns], strict=False):
            panel.x_axis = Axis(-0.3, len(sizes) - 0.7)
            panel.y_axis = Axis.of(numbers, ticks=5)
            panel.numbers_left(label=ylabel if panel is row[0] else "")
            panel.categories_below([f"{size:,}" for size in sizes], label=xlabel)
            panel.heading(elided(heading, 40))
            for curve in panels[heading]:
                _draw_curve(panel, curve, [position_by_size[size] for size in curve.x], colours[curve.name])
    return sheet.finished(_label(title, f"{ylabel} of {', '.join(names)} over {xlabel}"))


def _draw_curve(panel: Panel, curve: Curve, across: Sequence[float], colour: str) -> None:
    if curve.low:
        panel.area(across, curve.low, curve.high, colour=colour, opacity=0.15)
    panel.line(across, curve.values, colour=colour, width=1.5)
    panel.dots(across, curve.values, size=5, colour=colour)
    for values in curve.ends:
        panel.dots(across, values, size=3, colour=colour, opacity=0.7)


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
                what = f'two scores in group "{estimate.group}"'
                raise TouchstoneError(what, value=estimate.name, code=Code.DUPLICATE_NAME)
        if not self.cells:
            raise TouchstoneError("no scores to draw", code=Code.EMPTY, hint="give at least one estimate")
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


def _draw_bars(panel: Panel, grid: _Grid, name_index: int, name: str) -> None:
    """Draw the bars of *name* in all groups, with their whiskers and, where few, their values."""
    across = 0.8 / len(grid.names)
    middles = np.arange(len(grid.groups), dtype=np.float64) + (name_index - (len(grid.names) - 1) / 2) * across
    values, lows, highs = grid.numbers(name=name)
    for middle, value in zip(middles.tolist(), values.tolist(), strict=True):
        panel.box((middle - 0.46 * across, middle + 0.46 * across), (0, value), PALETTE[name_index])
    panel.segments((middles, lows, middles, highs), colour=INK, width=1.1, opacity=0.75)
    if len(grid.cells) <= FULL_BARS:
        tops = np.nan_to_num(np.fmax(np.fmax(values, highs), 0.0))
        for middle, value, top in zip(middles.tolist(), values.tolist(), tops.tolist(), strict=True):
            panel.write((middle, top), number(value), up=9, side="middle")


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


@dataclass(frozen=True)
class Bin:
    """Outputs that a model scores alike: its mean score, what people give them with its interval, and how many."""

    score: float
    value: float
    low: float = nan
    high: float = nan
    n: int = 1


@two_widths
def calibration(
    panels: Mapping[str, Sequence[Bin]], labels: tuple[str, str], title: str = "", *, shares: bool = True
) -> Svg:
    """Return a panel for each heading: what people give over what a model says, beside the diagonal.

    A dot is a bin, the larger the more outputs are in it. *labels* are those of the axes, across and up, which run from
    0 to 1 where both sides are *shares*.

    >>> calibration({"bow": [Bin(0.5, 0.4, 0.3, 0.5)]}, ("confidence", "accuracy"))[:4]
    '<svg'
    """
    sheet = Sheet(title)
    columns = 1 if is_narrow() else min(ABREAST, len(panels))
    headings = list(panels)
    for start in range(0, len(headings), columns):
        below = UNDER_NUMBERS + UNDER_LABEL + 10
        row = sheet.row(230, columns=columns, left=58, gap=58, right=12, above=8 + 20 * any(headings), below=below)
        for panel, heading in zip(row, headings[start : start + columns], strict=False):
            bins = panels[heading]
            ends = [end for each in bins for end in (each.score, each.value, each.low, each.high)]
            axis = Axis.between(0, 1.02) if shares else Axis.of(ends, ticks=5)
            panel.x_axis, panel.y_axis = axis, axis
            panel.numbers_left(label=labels[1] if panel is row[0] else "")
            panel.numbers_below(label=labels[0])
            panel.heading(elided(heading, 30))
            edge = [max(axis.low, 0.0) if shares else axis.low, 1.0 if shares else axis.high]
            panel.line(edge, edge, colour=MUTED, width=0.9, dashes="1 2")
            scores = [each.score for each in bins]
            panel.segments((scores, [each.low for each in bins], scores, [each.high for each in bins]), opacity=0.55)
            most = max((each.n for each in bins), default=1)
            for each in bins:
                panel.dots([each.score], [each.value], size=4 + 5 * (each.n / most) ** 0.5)
    return sheet.finished(_label(title, f"{labels[1]} by {labels[0]} of {', '.join(filter(None, headings)) or 'bins'}"))
