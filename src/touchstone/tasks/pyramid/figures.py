"""Figures of the pyramid analysis from plain data: levels with their groups, difficulty, power, two readers' scores."""

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from touchstone.base.ragged import Floats
from touchstone.show import panels
from touchstone.show.figures import Estimate, estimated_numbers
from touchstone.show.svg import (
    BETTER,
    FAINT,
    INK,
    MUTED,
    WORSE,
    Svg,
    drawing,
    elided,
    finished,
    fitting,
    is_narrow,
    sheet,
    width,
)
from touchstone.stats.power import PowerCurve

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LETTER = re.compile(r"[A-Za-z]\d*")
"""One letter of a compact display; a number follows when the alphabet has run out."""

COLUMN = 20.0
"""Units across for one letter."""


@drawing
def grouped_levels(levels: Sequence[Estimate], letters: Sequence[str], title: str = "", xlabel: str = "") -> Svg:
    """Return means with whiskers, and beside them a line for each letter through the levels that share it.

    >>> svg = grouped_levels([Estimate("x", 0.4, 0.3, 0.5), Estimate("y", 0.2, 0.1, 0.3)], ["a", "ab"], "Peers")
    >>> svg.startswith("<svg"), ">ab<" in svg
    (True, False)
    """
    names = [elided(level.name, 12 if is_narrow() else 24) for level in levels]
    given = [LETTER.findall(one) for one in letters]
    columns = sorted({letter for one in given for letter in one}, key=lambda letter: (letter[1:], letter.swapcase()))
    share = min(0.5, (len(columns) * COLUMN + 30) / width())
    figure = sheet(len(levels) * 20 + 66 + 34 * bool(title), title)
    means, groups = figure.subplots(1, 2, sharey=True, width_ratios=[1 - share, share])
    panels.dots(means, estimated_numbers(levels))
    means.set_yticks(range(len(names)), names)
    means.set_xlabel(elided(xlabel, fitting(60)))
    _draw_groups(groups, given, columns)
    return finished(figure, f"{title or 'levels'}: {len(levels)} levels in {len(columns)} overlapping groups")


def _draw_groups(axes: "Axes", given: Sequence[Sequence[str]], columns: Sequence[str]) -> None:
    for place, letter in enumerate(columns):
        rows = [row for row, one in enumerate(given) if letter in one]
        axes.vlines(place, rows[0] - 0.3, rows[-1] + 0.3, color=FAINT, linewidth=12, zorder=1)
        for row in rows:
            axes.text(place, row, letter, ha="center", va="center_baseline", size=11, color=INK)
    axes.set_xlim(-0.8, max(len(columns) - 0.2, 1))
    axes.set_xticks([])
    axes.set_xlabel("groups")
    axes.grid(visible=False)
    axes.tick_params(axis="y", labelleft=False)
    axes.spines[:].set_visible(False)


@drawing
def difficulty(
    scores: Mapping[str, Sequence[float]], means: Sequence[Estimate], title: str = "", xlabel: str = ""
) -> Svg:
    """Return document sets from hard to easy: a pale dot for the score of each peer, the mean with its whisker.

    >>> scores = {"D1": [0.1, 0.2], "D2": [0.3, 0.5]}
    >>> difficulty(scores, [Estimate("D1", 0.15, 0.1, 0.2), Estimate("D2", 0.4, 0.35, 0.45)])[:4]
    '<svg'
    """
    ordered = sorted(means, key=lambda mean: mean.value or 0.0)
    figure = sheet(len(ordered) * 22 + 66 + 34 * bool(title), title)
    axes = figure.subplots()
    for row, one in enumerate(ordered):
        peers = np.asarray(scores.get(one.name, ()), np.float64)
        axes.plot(peers, np.full(len(peers), row), "o", color=BETTER, alpha=0.22, markersize=5, markeredgewidth=0)
    panels.dots(axes, estimated_numbers(ordered))
    axes.set_yticks(range(len(ordered)), [elided(one.name, 12 if is_narrow() else 24) for one in ordered])
    axes.set_xlabel(elided(xlabel, fitting(120)))
    return finished(figure, f"{title or 'difficulty'}: {len(ordered)} document sets, the hardest first")


@drawing
def power_line(curve: PowerCurve, title: str) -> Svg:
    """Return the chance of a significant difference by the number of sets; beyond those that there are it is dashed."""
    sizes, power, available, enough = curve.sizes, curve.power, curve.n_items, curve.enough
    inside = sizes <= available
    figure = sheet(354, title)
    axes = figure.subplots()
    axes.plot(sizes[inside], power[inside], color=BETTER, linewidth=2.2, label="from the data")
    beyond = ~inside
    if beyond.any():
        beyond[max(int(inside.sum()) - 1, 0)] = True  # so that the two lines meet
        axes.plot(sizes[beyond], power[beyond], color=BETTER, linewidth=2, linestyle=(0, (3, 2)), label="extrapolated")
    axes.axhline(curve.target, color=MUTED, linewidth=0.9, linestyle=(0, (1, 2)))
    axes.axvline(available, color=MUTED, linewidth=0.9, linestyle=(0, (1, 2)))
    if enough is not None:
        axes.plot([enough], [power[int(np.flatnonzero(sizes == enough)[0])]], "o", color=WORSE, markersize=8)
        at = (enough, curve.target)
        axes.annotate(f"{enough} sets", at, (8, -14), textcoords="offset points", color=INK, size=12)
    axes.set_ylim(0, 1.02)
    axes.set_xlim(0, float(sizes[-1]))
    axes.set_xlabel(f"document sets; there are {available}")
    axes.set_ylabel("power")
    panels.legend_above(axes, columns=2)
    reached = f"{enough} sets for {curve.target:g}" if enough else f"{curve.target:g} is not reached"
    return finished(figure, f"{title}: {reached}")


@drawing
def two_scores(
    names: Sequence[str], first: Sequence[float], second: Sequence[float], readers: tuple[str, str], title: str = ""
) -> Svg:
    """Return a dot for each summary: the score that one reader gives it across, the other's upwards."""
    x, y = np.asarray(first, np.float64), np.asarray(second, np.float64)
    low, high = float(min(x.min(), y.min())), float(max(x.max(), y.max()))
    edge = max(0.06 * (high - low), 0.01)
    figure = sheet(400 + 24 * bool(title), title)
    axes = figure.subplots()
    axes.plot([low - edge, high + edge], [low - edge, high + edge], color=MUTED, linewidth=0.9, linestyle=(0, (1, 2)))
    axes.plot(x, y, "o", color=BETTER, alpha=0.75, markersize=6.5, markeredgewidth=0)
    if len(names) <= panels.FULL_BARS:
        for at, here in _by_place(names, x, y).items():
            axes.annotate(
                elided(here, 12 if is_narrow() else 24), at, (5, 3), textcoords="offset points", size=10, color=MUTED
            )
    axes.set_xlim(low - edge, high + edge)
    axes.set_ylim(low - edge, high + edge)
    axes.set_xlabel(elided(readers[0], 40))
    axes.set_ylabel(elided(readers[1], 40))
    return finished(figure, f"{title or 'scores of two readers'}: {len(names)} summaries")


def _by_place(names: Sequence[str], x: Floats, y: Floats) -> dict[tuple[float, float], str]:
    """Return the names at each place: names that would cover each other are joined in one line."""
    places: dict[tuple[float, float], list[str]] = {}
    for name, *place in zip(names, x.tolist(), y.tolist(), strict=True):
        places.setdefault((place[0], place[1]), []).append(name)
    return {place: ", ".join(here) for place, here in places.items()}
