"""Plots as plain HTML: rows of dots with whiskers on a shared axis, small tables, in the colours of the page.

They need no package beside this one, follow the theme of the page, and keep their letters at a readable size however
narrow the window is: positions are percentages, so only the distances shrink.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from html import escape
from math import ceil, floor, isfinite, log10

import numpy as np

from touchstone.base.errors import visible
from touchstone.base.ragged import Floats
from touchstone.base.tables import MISSING, number
from touchstone.show.svg import Markup, elided

ROW = 22
"""Pixels from one row of a plot to the next."""

POINTS = 60
"""Points of a curve in a cell: more than pixels would show."""

SHORTEST_NAME, LONGEST_NAME, LONGEST_PAIR = 7, 28, 48
"""Characters of the names beside a plot; longer names of systems lose their middle, longer pairs break."""

TICKS, MOST_LABELS = 3, 3
"""About how many lines the grid of a panel has; labels under it at most."""

MANY = 100
"""Items from which the curve of differences is cut at the 95th percentile of their sizes: few are far larger."""


@dataclass(frozen=True)
class Axis:
    """The values from *low* to *high*, with labels at *ticks*, all written with so many *decimals*."""

    low: float
    high: float
    ticks: Sequence[float] = ()
    decimals: int = 3

    @classmethod
    def of(
        cls, values: Iterable[float], *, zero: bool = False, decimals: int | None = None, ticks: int = TICKS
    ) -> "Axis":
        """Return the axis that shows all *values*, and 0 where *zero* says so, with about so many *ticks*.

        >>> Axis.of([0.12, 0.9]).ticks
        [0.25, 0.5, 0.75]
        """
        finite = [value for value in values if isfinite(value)] + [0.0] * zero or [0.0, 1.0]
        low, high = min(finite), max(finite)
        edge = (high - low) * 0.04 or abs(high) * 0.1 or 0.5
        low, high = low - edge, high + edge
        step = _step((high - low) / ticks)
        labelled = [round(multiple * step, 10) for multiple in range(ceil(low / step), floor(high / step) + 1)]
        return cls(low, high, labelled, decimals_for(finite) if decimals is None else decimals)

    @classmethod
    def between(cls, low: float, high: float) -> "Axis":
        """Return the axis from *low* to *high* with about five ticks.

        >>> Axis.between(0, 1).ticks
        [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]
        """
        step = _step((high - low) / 5)
        # Rounding errors of the division must not drop the first or the last tick.
        multiples = range(ceil(low / step - 1e-9), floor(high / step + 1e-9) + 1)
        return cls(low, high, [round(multiple * step, 10) for multiple in multiples], max(0, ceil(-log10(step) - 1e-9)))

    def labels(self) -> list[str]:
        """Return the text of each tick, in no more decimals than tell them apart."""
        exact = next((n for n in range(10) if all(round(tick, n) == tick for tick in self.ticks)), 10)
        return [f"{tick:,.{exact}f}" for tick in self.ticks]

    def at(self, value: float) -> str:
        """Return where a value stands, as a percentage."""
        return f"{100 * (value - self.low) / (self.high - self.low):.2f}%"

    def text(self, value: float | None, *, signed: bool = False) -> str:
        """Return a value as it is written beside this axis."""
        if value is None or not isfinite(value):
            return MISSING
        size = number(abs(value), self.decimals)
        minus = value < 0 and float(size) != 0
        return f"{'−' if minus else '+' if signed and float(size) else ''}{size}"

    def interval(self, low: float, high: float) -> str:
        """Return an interval as text; nothing where there is none."""
        return "" if not isfinite(low) else f"{self.text(low)} to {self.text(high)}"


def decimals_for(values: Iterable[float]) -> int:
    """Return how many decimals values of one measure are written with: one on a scale of 0 to 100, else three."""
    return 1 if max((abs(value) for value in values if isfinite(value)), default=0.0) > 10 else 3


LEAST_OF_SHARES, LEAST = 0.25, 0.5
"""The part of a shared axis that each of its panels uses at least, where values are shares (0 to 1) and elsewhere."""


def shared_axes(columns: Sequence[Sequence[float]]) -> list[Axis]:
    """Return the axis of each column of values; columns share one where each uses enough of it.

    >>> first, second, third = shared_axes([[0.2, 0.6], [0.1, 0.5], [40, 50]])
    >>> first is second, first is third
    (True, False)
    """
    groups: list[list[int]] = []
    for column, values in enumerate(columns):
        fitting = next((group for group in groups if _fits(columns, group, values)), None)
        if fitting is None:
            groups.append([column])
        else:
            fitting.append(column)
    axes = {column: axis for group in groups for axis in [_axis(columns, group)] for column in group}
    return [axes[column] for column in range(len(columns))]


def _axis(columns: Sequence[Sequence[float]], group: Sequence[int]) -> Axis:
    return Axis.of(value for column in group for value in columns[column])


def _fits(columns: Sequence[Sequence[float]], group: Sequence[int], values: Sequence[float]) -> bool:
    parts = [_range(columns[column]) for column in group] + [_range(values)]
    shares = [low >= 0 and high <= 1 for low, high in parts]
    if len(set(shares)) > 1:
        return False
    joint_range = max(high for _, high in parts) - min(low for low, _ in parts)
    return (LEAST_OF_SHARES if shares[0] else LEAST) * joint_range <= min(high - low for low, high in parts)


def _range(values: Sequence[float]) -> tuple[float, float]:
    finite = [value for value in values if isfinite(value)] or [0.0]
    return min(finite), max(finite)


def _step(rough: float) -> float:
    """Return the round number nearest to a rough distance between ticks."""
    scale = 10.0 ** floor(log10(rough))
    return scale * min((1, 2, 2.5, 5, 10), key=lambda size: abs(log10(size * scale / rough)))


@dataclass(frozen=True)
class Dot:
    """A row of a plot: *name*, value and interval, text cells behind it; *strong* dots are filled.

    *rule* draws a line above the row; *marks* are further cells of markup.
    """

    name: str
    value: float
    low: float = float("nan")
    high: float = float("nan")
    cells: Sequence[str] = ()
    strong: bool = True
    rule: bool = False
    marks: Sequence[Markup] = ()


@dataclass(frozen=True)
class Panel:
    """Rows of dots on one axis under a *title*; *heads* name the columns behind the values; *signed* have a sign."""

    title: str
    rows: Sequence[Dot]
    axis: Axis
    heads: Sequence[str] = ()
    note: str = ""
    signed: bool = False
    first: str = "system"


def panel_grid(panels: Sequence[Panel], *, wide: bool = False) -> Markup:
    """Return panels side by side, as many as the window has room for; *wide* ones take the whole width.

    Panels side by side have the same rows: only the first of a line shows their names.
    """
    signed = any(panel.signed for panel in panels)
    longest = max(len(name) for panel in panels for name in (f"{panel.first} ", *(row.name for row in panel.rows)))
    name = min(max(longest + 1, SHORTEST_NAME), LONGEST_PAIR if signed else LONGEST_NAME)
    kind = "wide" if wide else f"beside of-{min(len(panels), 4)}"
    headed = any(len(panel.heads) > 1 for panel in panels)
    drawn = "".join(_panel(panel, headed=headed) for panel in panels)
    return Markup(f'<div class="panels {kind}" style="--name:{name}ch">{drawn}</div>')


def _panel(panel: Panel, *, headed: bool) -> str:
    """Return a panel; all are *headed* where one is, so that the rows of panels side by side are level."""
    note = f' <span class="note">{_text(panel.note)}</span>' if panel.note else ""
    drawn = ' class="drawn"' if any(row.marks for row in panel.rows) else ""
    heads = "".join(
        f'<th scope="col"{drawn * (head_number == len(panel.heads))}>{_text(head)}</th>'
        for head_number, head in enumerate(panel.heads, 1)
    )
    value = "difference" if panel.signed else "value"
    kind = "quiet headed" if headed else "quiet"
    head = (
        f'<thead class="{kind}"><tr><th scope="col"><span>{_text(panel.first)}</span></th>'
        f'<th scope="col"><span class="aside">plot</span></th>'
        f'<th scope="col">{value}</th>{heads}</tr></thead>'
    )
    rows = "".join(_row(panel, row) for row in panel.rows)
    columns_after_plot = len(panel.heads) + 1
    axis_cells = f'<td></td><td class="plot">{_tick_labels(panel)}</td><td colspan="{columns_after_plot}"></td>'
    axis = f"<tfoot><tr>{axis_cells}</tr></tfoot>"
    return (
        f'<table class="panel"><caption>{_text(panel.title)}{note}</caption>{head}<tbody>{rows}</tbody>{axis}</table>'
    )


def _row(panel: Panel, row: Dot) -> str:
    ends = panel.axis.interval(row.low, row.high)
    cells = "".join(f"<td>{_text(cell)}</td>" for cell in row.cells) + "".join(f"<td>{mark}</td>" for mark in row.marks)
    rule = ' class="rule"' if row.rule else ""
    value = panel.axis.text(row.value, signed=panel.signed)
    title = f' title="{ends}"' if ends else ""
    name = _breakable(row.name if panel.signed else elided(row.name, LONGEST_NAME - 1))
    return (
        f'<tr{rule}><th scope="row" title="{_text(row.name)}"><span>{name}</span></th>'
        f'<td class="plot"{title}>{_dot(panel, row, ends)}</td><td class="num">{value}</td>{cells}</tr>'
    )


def _dot(panel: Panel, row: Dot, ends: str) -> str:
    """Return the drawing of a row: grid, whisker, dot."""
    axis = panel.axis
    middle = ROW / 2
    # Lines of the grid are longer than a row: its cell cuts them, so they have no gap where a name takes two lines.
    ends_of_lines = f'y1="-{2 * ROW}" y2="{3 * ROW}"'
    drawn = [f'<line class="grid" x1="{axis.at(tick)}" x2="{axis.at(tick)}" {ends_of_lines}/>' for tick in axis.ticks]
    if panel.signed and axis.low < 0 < axis.high:
        drawn.append(f'<line class="zero" x1="{axis.at(0)}" x2="{axis.at(0)}" {ends_of_lines}/>')
    if isfinite(row.low):
        drawn.append(
            f'<line class="whisker" x1="{axis.at(row.low)}" x2="{axis.at(row.high)}" y1="{middle}" y2="{middle}"/>'
        )
    if isfinite(row.value):
        kind = "dot" if row.strong else "dot open"
        drawn.append(f'<circle class="{kind}" cx="{axis.at(row.value)}" cy="{middle}" r="4.5"/>')
    label = f"{axis.text(row.value)}{f', interval {ends}' if ends else ''}"
    return f'<svg role="img" aria-label="{label}" width="100%" height="{ROW}">{"".join(drawn)}</svg>'


def _tick_labels(panel: Panel) -> str:
    """Return the labels of an axis; where they are many, panels and windows that are narrow show every other one."""
    axis = panel.axis
    every = 2 if len(axis.ticks) > MOST_LABELS else 1
    step = every * (axis.ticks[1] - axis.ticks[0]) if len(axis.ticks) > 1 else 1.0
    main = [tick for tick in axis.ticks if every == 1 or abs(tick / step - round(tick / step)) < 1e-6]
    ticks = axis.ticks if panel.signed else main
    decimals = next((n for n in range(4) if all(abs(round(tick, n) - tick) < 1e-9 for tick in ticks)), 3)
    other = ' class="between"'
    labels = "".join(
        f'<text x="{axis.at(tick)}" y="12"{other * (tick not in main)}>'
        f"{'−' * (tick < 0)}{abs(tick):.{decimals}f}</text>"
        for tick in ticks
    )
    return f'<svg class="ticks" aria-hidden="true" width="100%" height="16">{labels}</svg>'


def with_rules(rows: Sequence[Dot], starts: Iterable[int]) -> list[Dot]:
    """Return rows with a line above those at which a new cluster *starts*."""
    cluster_starts = set(starts)
    return [replace(row, rule=row_index in cluster_starts) for row_index, row in enumerate(rows)]


def sorted_curve(gaps: Floats) -> Markup:
    """Return the differences of items, largest first, as a small area above and below a line.

    >>> sorted_curve(np.array([0.5, -0.5])).count("<path")
    2
    """
    ordered = np.sort(gaps[np.isfinite(gaps)])[::-1]
    if not len(ordered):
        return Markup("")
    most = float(np.percentile(np.abs(ordered), 95 if len(ordered) >= MANY else 100)) or float(np.abs(ordered).max())
    edges = np.linspace(0, len(ordered), min(len(ordered), POINTS) + 1).round().astype(np.int64)
    heights = np.clip(ordered[np.minimum(edges[:-1], len(ordered) - 1)] / (most or 1.0), -1, 1)
    drawn = []
    for kind, side in (("up", np.maximum(heights, 0)), ("down", np.minimum(heights, 0))):
        places, levels = 100 * edges / len(ordered), 10 - 10 * side
        corners = zip(places[:-1].tolist(), places[1:].tolist(), levels.tolist(), strict=True)
        steps = "".join(f"L{start:.4g} {level:.3g}L{end:.4g} {level:.3g}" for start, end, level in corners)
        drawn.append(f'<path class="{kind}" d="M0 10{steps}L100 10Z"/>')
    wins, losses = int((ordered > 0).sum()), int((ordered < 0).sum())
    label = f"{wins:,} items better, {losses:,} worse, {len(ordered) - wins - losses:,} equal"
    return Markup(
        f'<svg class="curve" role="img" aria-label="{label}" viewBox="0 0 100 20" preserveAspectRatio="none">'
        f"<title>{label}</title>{''.join(drawn)}</svg>"
    )


@dataclass(frozen=True)
class Cross:
    """How often two systems are right: both, the first alone, the second alone, neither."""

    a: str
    b: str
    both: int
    only_a: int
    only_b: int
    neither: int


def cross_tables(crosses: Sequence[Cross]) -> Markup:
    """Return a table of two rows and two columns for each pair of systems, side by side."""
    return Markup(f'<div class="crosses">{"".join(map(_cross, crosses))}</div>')


def _cross(cross: Cross) -> str:
    cells = ((cross.both, cross.only_a), (cross.only_b, cross.neither))
    most = max(1, *(count for row in cells for count in row))
    body = ""
    for row_index, (side, row) in enumerate(zip(("right", "wrong"), cells, strict=True)):
        kinds = ("same", "first") if row_index == 0 else ("second", "same")
        tds = "".join(
            f'<td class="{kind}" style="--share:{count / most:.2f}">{count:,}</td>'
            for kind, count in zip(kinds, row, strict=True)
        )
        body += f'<tr><th scope="row">{_breakable(cross.a)} {side}</th>{tds}</tr>'
    head = "".join(f'<th scope="col">{_breakable(cross.b)}<br>{side}</th>' for side in ("right", "wrong"))
    title = f"{_text(cross.a)} and {_text(cross.b)}"
    table = f"<thead><tr><td></td>{head}</tr></thead><tbody>{body}</tbody>"
    return f'<table class="cross"><caption>{title}</caption>{table}</table>'


def _breakable(name: str) -> str:
    """Return a name that may be broken where its parts meet."""
    return _text(name).replace("_", "_<wbr>").replace("-", "-<wbr>").replace("/", "/<wbr>")


def _text(text: str) -> str:
    return escape(visible(text))
