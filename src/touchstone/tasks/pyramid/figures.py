"""Figures of the pyramid analysis from plain data: levels with their groups, difficulty, power, two people's scores."""

import re
from collections.abc import Mapping, Sequence

import numpy as np

from touchstone.base.ragged import Floats
from touchstone.show.colours import BETTER, FAINT, INK, MUTED, WORSE
from touchstone.show.figures import Estimate, estimated_numbers
from touchstone.show.plots import Axis
from touchstone.show.sheet import (
    FULL_BARS,
    UNDER_LABEL,
    UNDER_NUMBERS,
    Entry,
    Panel,
    Sheet,
    dot_rows,
    room_left,
    row_axis,
)
from touchstone.show.svg import Svg, elided, fitting, is_narrow, two_widths, width
from touchstone.stats.power import PowerCurve

LETTER = re.compile(r"[A-Za-z]\d*")
"""One letter of a compact display; a number follows when the alphabet has run out."""

COLUMN = 20.0
"""Units across for one letter."""


@two_widths
def grouped_levels(levels: Sequence[Estimate], letters: Sequence[str], title: str = "", xlabel: str = "") -> Svg:
    """Return means with whiskers, and beside them a line for each letter through the levels that share it.

    >>> svg = grouped_levels([Estimate("x", 0.4, 0.3, 0.5), Estimate("y", 0.2, 0.1, 0.3)], ["a", "ab"], "Peers")
    >>> svg.startswith("<svg"), ">ab<" in svg
    (True, False)
    """
    names = [elided(level.name, 12 if is_narrow() else 24) for level in levels]
    shared = [LETTER.findall(each) for each in letters]
    columns = sorted({letter for each in shared for letter in each}, key=lambda letter: (letter[1:], letter.swapcase()))
    share = min(0.5, (len(columns) * COLUMN + 30) / width())
    numbers = estimated_numbers(levels)
    sheet = Sheet(title)
    below = UNDER_NUMBERS + UNDER_LABEL + 8
    means, groups = sheet.row(
        len(levels) * 20, shares=[1 - share, share], y=row_axis(len(levels)), left=room_left(names), gap=50, below=below
    )
    means.x_axis = Axis.of(numbers.ravel().tolist(), ticks=5)
    means.numbers_below(label=elided(xlabel, fitting(60)))
    means.names_left(names)
    dot_rows(means, numbers)
    groups.x_axis = Axis(-0.8, max(len(columns) - 0.2, 1))
    _draw_groups(groups, shared, columns)
    return sheet.finished(f"{title or 'levels'}: {len(levels)} levels in {len(columns)} overlapping groups")


def _draw_groups(panel: Panel, shared: Sequence[Sequence[str]], columns: Sequence[str]) -> None:
    for column, letter in enumerate(columns):
        rows = [row for row, letters in enumerate(shared) if letter in letters]
        ends = [float(column)], [rows[0] - 0.3], [float(column)], [rows[-1] + 0.3]
        panel.segments(ends, colour=FAINT, width=12)
        for row in rows:
            panel.write((column, row), letter, side="middle", colour=INK)
    at = panel.left + panel.across / 2, panel.bottom + UNDER_NUMBERS + 13
    panel.sheet.write(at, "groups", size=11.5, side="middle")


@two_widths
def difficulty(
    scores: Mapping[str, Sequence[float]], means: Sequence[Estimate], title: str = "", xlabel: str = ""
) -> Svg:
    """Return document sets from hard to easy: a pale dot for the score of each peer, the mean with its whisker.

    >>> scores = {"D1": [0.1, 0.2], "D2": [0.3, 0.5]}
    >>> difficulty(scores, [Estimate("D1", 0.15, 0.1, 0.2), Estimate("D2", 0.4, 0.35, 0.45)])[:4]
    '<svg'
    """
    ordered = sorted(means, key=lambda mean: mean.value or 0.0)
    names = [elided(mean.name, 12 if is_narrow() else 24) for mean in ordered]
    numbers = estimated_numbers(ordered)
    peers = [np.asarray(scores.get(mean.name, ()), np.float64) for mean in ordered]
    sheet = Sheet(title)
    (panel,) = sheet.row(
        len(ordered) * 22,
        x=Axis.of([*numbers.ravel().tolist(), *(value for each in peers for value in each.tolist())], ticks=5),
        y=row_axis(len(ordered)),
        left=room_left(names),
        right=44,
        below=UNDER_NUMBERS + UNDER_LABEL + 8,
    )
    panel.names_left(names)
    panel.numbers_below(label=elided(xlabel, fitting(120)))
    for row, each in enumerate(peers):
        panel.dots(each, np.full(len(each), float(row)), size=5, opacity=0.22)
    dot_rows(panel, numbers)
    return sheet.finished(f"{title or 'difficulty'}: {len(ordered)} document sets, the hardest first")


@two_widths
def power_line(curve: PowerCurve, title: str) -> Svg:
    """Return the chance of a significant difference by the number of sets; beyond those that there are it is dashed."""
    sizes, power, available, enough = curve.sizes, curve.power, curve.n_items, curve.enough
    inside = sizes <= available
    beyond = ~inside
    sheet = Sheet(title)
    entries = [Entry("from the data", BETTER, line=True)]
    sheet.legend([*entries, *([Entry("extrapolated", BETTER, line=True, dashes="6 4")] if beyond.any() else [])])
    below = UNDER_NUMBERS + UNDER_LABEL + 8
    axis = Axis.between(0, float(sizes[-1]))
    (panel,) = sheet.row(240, x=axis, y=Axis.between(0, 1.02), left=62, right=10, above=6, below=below)
    panel.numbers_left(label="power")
    panel.numbers_below(label=f"document sets; there are {available}")
    panel.line(sizes[inside], power[inside])
    if beyond.any():
        beyond[max(int(inside.sum()) - 1, 0)] = True  # so that the two lines meet
        panel.line(sizes[beyond], power[beyond], width=2, dashes="6 4")
    panel.line([0, axis.high], [curve.target] * 2, colour=MUTED, width=0.9, dashes="1 2")
    panel.line([available] * 2, [0, 1.02], colour=MUTED, width=0.9, dashes="1 2")
    if enough is not None:
        panel.dots([enough], [power[int(np.flatnonzero(sizes == enough)[0])]], size=8, colour=WORSE)
        panel.write((enough, curve.target), f"{enough} sets", right=8, up=-14, size=12, colour=INK)
    reached = f"{enough} sets for {curve.target:g}" if enough else f"{curve.target:g} is not reached"
    return sheet.finished(f"{title}: {reached}")


@two_widths
def two_scores(
    names: Sequence[str], first: Sequence[float], second: Sequence[float], annotators: tuple[str, str], title: str = ""
) -> Svg:
    """Return a dot for each summary: the score that one annotator gives it across, the other's upwards."""
    x, y = np.asarray(first, np.float64), np.asarray(second, np.float64)
    low, high = float(min(x.min(), y.min())), float(max(x.max(), y.max()))
    edge = max(0.06 * (high - low), 0.01)
    axis = Axis.between(low - edge, high + edge)
    sheet = Sheet(title)
    below = UNDER_NUMBERS + UNDER_LABEL + 8
    (panel,) = sheet.row(330, x=axis, y=axis, left=62, right=10, above=6, below=below)
    panel.numbers_left(label=elided(annotators[1], 40))
    panel.numbers_below(label=elided(annotators[0], 40))
    panel.line([axis.low, axis.high], [axis.low, axis.high], colour=MUTED, width=0.9, dashes="1 2")
    panel.dots(x, y, opacity=0.75)
    if len(names) <= FULL_BARS:
        for at, label in _names_by_point(names, x, y).items():
            panel.write(at, elided(label, 12 if is_narrow() else 24), right=5, up=6, size=10)
    return sheet.finished(f"{title or 'scores of two annotators'}: {len(names)} summaries")


def _names_by_point(names: Sequence[str], x: Floats, y: Floats) -> dict[tuple[float, float], str]:
    """Return the names at each point: names that would cover each other are joined in one line."""
    names_at: dict[tuple[float, float], list[str]] = {}
    for name, *point in zip(names, x.tolist(), y.tolist(), strict=True):
        names_at.setdefault((point[0], point[1]), []).append(name)
    return {point: ", ".join(here) for point, here in names_at.items()}
