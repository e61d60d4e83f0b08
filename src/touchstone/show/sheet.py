"""The sheet that figures are drawn on: rows of panels with axes, in the house style, written as SVG.

A figure adds rows of panels from top to bottom and draws in them in the units of its data. The same drawing gives the
same bytes.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from math import ceil, isfinite
from textwrap import wrap
from typing import Literal

import numpy as np

from touchstone.base.errors import visible
from touchstone.base.ragged import Floats, Ints
from touchstone.base.tables import number, true_minus
from touchstone.show.colours import BETTER, EDGE, FAINT, INK, MUTED, WHITE
from touchstone.show.plots import Axis
from touchstone.show.svg import WIDTH, Svg, elided, framed, is_narrow, letters_across, width

NARROWEST = 300
"""Units that a title and a label below a small figure have room in."""

SMALL, LABEL, NAME, TITLE = 11, 11.5, 12, 14
"""Sizes of letters: numbers, labels of axes, names, the title."""

UNDER_NUMBERS, UNDER_LABEL = 20, 20
"""Units that the numbers below a panel take, and the label below these."""

FULL_BARS = 20
"""Up to so many bars or dots carry their value in figures or their name; more would write over each other."""

Values = Sequence[float] | Floats | Ints


@dataclass(frozen=True)
class Entry:
    """What a legend explains: a *text* beside a box of a colour; *edge* is the colour of its outline.

    A line stands in place of the box where *line* says so, dashed with *dashes*.
    """

    text: str
    colour: str
    opacity: float = 1.0
    edge: str = ""
    line: bool = False
    dashes: str = ""


class Sheet:
    """A figure with its *title*: as wide as the page, or narrower where so many units across are all that is *needed*.

    >>> sheet = Sheet("Scores")
    >>> (panel,) = sheet.row(40, x=Axis.between(0, 1), left=30)
    >>> panel.dots([0.5], [0.5])
    >>> panel.write((0.5, 0.5), "bow", right=6)
    >>> svg = sheet.finished("Scores of one system")
    >>> svg.startswith("<svg "), ">bow<" in svg
    (True, True)
    """

    def __init__(self, title: str = "", needed: float = WIDTH) -> None:
        self.across = min(width(), ceil(max(needed, NARROWEST)))
        self.edge = 4 if is_narrow() else 12
        self._down = 10.0
        self._drawn: list[str] = []
        for line in wrap(elided(title, 100), self.across // 9) if title else []:
            self._down += 18
            self.write((self.edge, self._down - 4), line, size=TITLE, colour=INK, bold=True)
        self._down += 8 * bool(title)

    def row(
        self,
        height: float,
        *,
        columns: int = 1,
        shares: Sequence[float] = (),
        x: Axis | None = None,
        y: Axis | None = None,
        left: float = 0,
        gap: float = 0,
        right: float = 0,
        above: float = 0,
        below: float = 0,
    ) -> "list[Panel]":
        """Return panels side by side in the next row.

        Parameters
        ----------
        height
            Units up each panel.
        columns, shares
            How many panels, and the part of the width that each has; by default all the same.
        x, y
            The axes of the panels; by default 0 to 1 without lines.
        left, gap, right, above, below
            Units left of the first panel, between two, right of the last, above and below.
        """
        shares = shares or [1 / columns] * columns
        room = self.across - 2 * self.edge - left - right - gap * (len(shares) - 1)
        top, start = self._down + above, self.edge + left
        self._down = top + height + below
        panels = []
        for share in shares:
            panels.append(Panel(self, start, top, room * share, height, x or Axis(0, 1), y or Axis(0, 1)))
            start += room * share + gap
        return panels

    def legend(self, entries: Sequence[Entry], columns: int = 4) -> None:
        """Explain colours in lines of so many *columns*, in the next row."""
        # 24 from the box to the text, and 10 to the next entry.
        widest = max(letters_across(entry.text, LABEL) for entry in entries) + 34
        columns = max(1, min(columns, len(entries), int((self.across - 2 * self.edge) // widest)))
        for entry_index, entry in enumerate(entries):
            x = self.edge + widest * (entry_index % columns)
            y = self._down + 18 * (entry_index // columns) + 9
            paint = f'opacity="{entry.opacity:g}" ' * (entry.opacity < 1)
            if entry.line:
                self.add(
                    f'<path d="M{x:.2f} {y:.2f}h18" stroke="{entry.colour}" stroke-width="2.2" '
                    f'stroke-dasharray="{entry.dashes or "none"}"/>'
                )
            else:
                edge = f'stroke="{entry.edge}" stroke-width=".8" ' * bool(entry.edge)
                box = f'x="{x:.2f}" y="{y - 4:.2f}" width="18" height="8"'
                self.add(f'<rect {box} {paint}{edge}fill="{entry.colour}"/>')
            self.write((x + 24, y), entry.text, size=LABEL, colour=INK)
        self._down += 18 * ceil(len(entries) / columns) + 6

    def add(self, element: str) -> None:
        """Add an element of SVG, in units of the sheet."""
        self._drawn.append(element)

    def write(
        self,
        at: tuple[float, float],
        text: str,
        *,
        size: float = SMALL,
        colour: str = MUTED,
        side: str = "start",
        bold: bool = False,
        turn: int = 0,
    ) -> None:
        """Write a text with its middle at this height; *at* is its "start", "middle" or "end", as *side* says."""
        # Letters are about 0.7 of their size high, so the baseline is half of that below the middle.
        x, y = at[0], at[1] + 0.35 * size
        look = f'font-size="{size:g}" fill="{colour}"'
        look += f' text-anchor="{side}"' * (side != "start") + ' font-weight="700"' * bold
        look += f' transform="rotate({turn} {x:.2f} {at[1]:.2f})"' * bool(turn)
        self.add(f'<text x="{x:.2f}" y="{y:.2f}" {look}>{escape(visible(true_minus(text)))}</text>')

    def finished(self, label: str) -> Svg:
        """Return the figure, with *label* for those who cannot see it."""
        return framed("".join(self._drawn), self.across, round(self._down + 6), label)


class Panel:
    """A rectangle of a sheet with an axis across and one up; positions are numbers of these axes."""

    def __init__(self, sheet: Sheet, left: float, top: float, across: float, height: float, x: Axis, y: Axis) -> None:
        self.sheet, self.left, self.top, self.across, self.height = sheet, left, top, across, height
        self.x_axis, self.y_axis = x, y

    @property
    def bottom(self) -> float:
        """Units from the top of the sheet to the lower edge."""
        return self.top + self.height

    def x(self, values: Values | float) -> Floats:
        """Return where values stand across the sheet; an axis from high to low runs to the left."""
        return self.left + self.across * (np.asarray(values, np.float64) - self.x_axis.low) / _span(self.x_axis)

    def y(self, values: Values | float) -> Floats:
        """Return where values stand down the sheet."""
        return self.bottom - self.height * (np.asarray(values, np.float64) - self.y_axis.low) / _span(self.y_axis)

    def numbers_below(self, *, label: str = "") -> None:
        """Write the ticks of the axis across and its label below, over lines up the panel; as many as have room."""
        axis, tick_positions = self.x_axis, self.x(self.x_axis.ticks)
        widest = max((letters_across(f"{text} ", SMALL) for text in axis.labels()), default=0.0)
        # As many labels as have room, evenly spaced: every second tick, or third, and so on.
        every = ceil(widest / abs(float(tick_positions[1] - tick_positions[0]))) if len(tick_positions) > 1 else 1
        written = Axis(axis.low, axis.high, axis.ticks[::every])
        for tick_x in tick_positions:
            self._path(f"M{tick_x:.2f} {self.top:.2f}V{self.bottom:.2f}", FAINT, 0.8)
        for tick, text in zip(written.ticks, written.labels(), strict=True):
            self.sheet.write((float(self.x(tick)), self.bottom + 13), text, side="middle")
        self._path(f"M{self.left:.2f} {self.bottom:.2f}h{self.across:.2f}", EDGE, 0.8)
        if label:
            label_centre = self.left + self.across / 2, self.bottom + UNDER_NUMBERS + 13
            self.sheet.write(label_centre, label, size=LABEL, side="middle")

    def categories_below(self, names: Sequence[str], *, label: str = "") -> None:
        """Write a name below each whole number of the axis across, from 0, and the label of the axis below these."""
        for position, name in enumerate(names):
            at = float(self.x(position)), self.bottom + 13
            self.sheet.write(at, name, size=SMALL, side="middle")
        self.x_axis = Axis(self.x_axis.low, self.x_axis.high)
        self.numbers_below(label=label)

    def numbers_left(self, *, label: str = "") -> None:
        """Write the ticks of the axis up and its label at the left, over lines across the panel."""
        for tick, text in zip(self.y_axis.ticks, self.y_axis.labels(), strict=True):
            at = float(self.y(tick))
            self._path(f"M{self.left:.2f} {at:.2f}h{self.across:.2f}", FAINT, 0.8)
            self.sheet.write((self.left - 6, at), text, side="end")
        self._path(f"M{self.left:.2f} {self.top:.2f}V{self.bottom:.2f}", EDGE, 0.8)
        if label:
            label_centre = self.sheet.edge + 6, self.top + self.height / 2
            self.sheet.write(label_centre, label, size=LABEL, side="middle", turn=-90)

    def names_left(self, names: Sequence[str], *, size: float = NAME) -> None:
        """Write names left of the panel, in its rows: 0 is the first."""
        for row, name in enumerate(names):
            self.sheet.write((self.left - 8, float(self.y(row))), name, size=size, colour=INK, side="end")

    def heading(self, text: str, *, side: Literal["start", "end"] = "start") -> None:
        """Write a text over the panel."""
        at = self.left + (self.across if side == "end" else 0.0)
        self.sheet.write((at, self.top - 11), text, size=NAME, colour=INK, side=side, bold=True)

    def dots(self, x: Values, y: Values, *, size: float = 6.5, colour: str = BETTER, opacity: float = 1.0) -> None:
        """Draw a dot at each point with finite coordinates."""
        paint = f'fill="{colour}"' + f' opacity="{opacity:g}"' * (opacity < 1)
        for across, down in _finite_points(self.x(x), self.y(y)):
            self.sheet.add(f'<circle cx="{across:.2f}" cy="{down:.2f}" r="{size / 2:g}" {paint}/>')

    def segments(
        self,
        ends: tuple[Values, Values, Values, Values],
        *,
        colour: str = BETTER,
        width: float = 1.8,
        opacity: float = 1.0,
    ) -> None:
        """Draw straight lines from (x, y) to (x, y), in one stroke of the pen; *ends* are x, y, x, y of all lines."""
        x1, y1, x2, y2 = np.broadcast_arrays(self.x(ends[0]), self.y(ends[1]), self.x(ends[2]), self.y(ends[3]))
        lines = _finite_points(x1, y1, x2, y2)
        strokes = "".join(f"M{a:.2f} {b:.2f}L{c:.2f} {d:.2f}" for a, b, c, d in lines)
        self._path(strokes, colour, width, opacity=opacity)

    def line(self, x: Values, y: Values, *, colour: str = BETTER, width: float = 2.2, dashes: str = "") -> None:
        """Draw a line through points in their order."""
        points = _finite_points(*np.broadcast_arrays(self.x(x), self.y(y)))
        stroke = "".join(f"{'ML'[point_index > 0]}{a:.2f} {b:.2f}" for point_index, (a, b) in enumerate(points))
        self._path(stroke, colour, width, dashes=dashes)

    def area(self, x: Values, lower: Values, upper: Values, *, colour: str, opacity: float = 1.0) -> None:
        """Fill between two lines over the same places."""
        across, below, above = np.broadcast_arrays(self.x(x), self.y(lower), self.y(upper))
        # There along the upper line, and back along the lower one.
        edge = [*_finite_points(across, above), *reversed(_finite_points(across, below))]
        if edge:
            path = "M" + "L".join(f"{a:.2f} {b:.2f}" for a, b in edge) + "Z"
            self.sheet.add(f'<path d="{path}" fill="{colour}"' + f' opacity="{opacity:g}"' * (opacity < 1) + "/>")

    def box(
        self,
        x: tuple[float, float],
        y: tuple[float, float],
        colour: str,
        *,
        opacity: float = 1.0,
        edge: str = "",
        width: float = 0.8,
    ) -> None:
        """Fill a rectangle between two places across and two up."""
        (left, right), (top, bottom) = sorted(self.x(x).tolist()), sorted(self.y(y).tolist())
        if not all(map(isfinite, (left, right, top, bottom))):
            return
        size = f'x="{left:.2f}" y="{top:.2f}" width="{right - left:.2f}" height="{bottom - top:.2f}"'
        look = f'fill="{colour}"' + f' opacity="{opacity:g}"' * (opacity < 1)
        look += f' stroke="{edge}" stroke-width="{width:g}"' * bool(edge)
        self.sheet.add(f"<rect {size} {look}/>")

    def write(
        self,
        at: tuple[float, float],
        text: str,
        *,
        right: float = 0,
        up: float = 0,
        side: str = "start",
        size: float = SMALL,
        colour: str = MUTED,
        bold: bool = False,
    ) -> None:
        """Write a text so many units to the *right* of a place and *up*."""
        position = float(self.x(at[0])) + right, float(self.y(at[1])) - up
        self.sheet.write(position, text, size=size, colour=colour, side=side, bold=bold)

    def _path(self, path: str, colour: str, width: float, *, dashes: str = "", opacity: float = 1.0) -> None:
        if not path:
            return
        look = f'fill="none" stroke="{colour}" stroke-width="{width:g}"' + f' opacity="{opacity:g}"' * (opacity < 1)
        look += f' stroke-dasharray="{dashes}"' * bool(dashes)
        self.sheet.add(f'<path d="{path}" {look}/>')


def row_axis(rows: int) -> Axis:
    """Return an axis that runs down so many rows; the middle of the first is 0."""
    return Axis(rows - 0.4, -0.6)


def dot_rows(panel: Panel, numbers: Floats) -> None:
    """Draw a dot and a whisker in each row, and write the value beside the panel; *numbers* are value, low, high."""
    values, lows, highs = numbers
    rows = np.arange(len(values), dtype=np.float64)
    panel.segments((lows, rows, highs, rows), opacity=0.55)
    panel.dots(values, rows)
    for row, value in enumerate(values.tolist()):
        panel.write((panel.x_axis.high, row), number(value), right=6)


def write_cells(
    panel: Panel,
    colours: Sequence[Sequence[str]],
    texts: Sequence[Sequence[str]],
    inks: Sequence[Sequence[str]],
    *,
    size: float,
    bold: Sequence[Sequence[bool]] = (),
) -> None:
    """Fill the cells of a square with their colours, and write their texts in their inks."""
    for row, cells in enumerate(colours):
        for column, colour in enumerate(cells):
            panel.box((column - 0.5, column + 0.5), (row - 0.5, row + 0.5), colour, edge=WHITE, width=1)
            strong = bool(bold) and bold[row][column]
            if text := texts[row][column]:
                ink = inks[row][column]
                panel.write((column, row), text, side="middle", size=size, colour=ink, bold=strong)


def headings_above(panel: Panel, names: Sequence[str], *, slanted: bool, size: float = SMALL) -> None:
    """Write *names* as headings of the columns, *slanted* where they are too long to stand side by side."""
    for column, name in enumerate(names):
        at = float(panel.x(column)), panel.top - 10
        side, turn = ("start", -45) if slanted else ("middle", 0)
        panel.sheet.write(at, name, size=size, colour=INK, side=side, turn=turn)


def room_left(names: Iterable[str]) -> float:
    """Return the units that names left of a panel need."""
    return max((letters_across(name, NAME) for name in names), default=0.0) + 10


def _span(axis: Axis) -> float:
    return axis.high - axis.low or 1.0


def _finite_points(*coordinates: "np.ndarray[tuple[int, ...], np.dtype[np.float64]]") -> list[tuple[float, ...]]:
    """Return the points whose coordinates are all finite."""
    return [
        point
        for point in zip(*(each.ravel().tolist() for each in coordinates), strict=True)
        if all(map(isfinite, point))
    ]
