"""What is drawn inside the axes of each figure."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from touchstone.base.ragged import Bools, Floats
from touchstone.base.tables import number, true_minus
from touchstone.show.svg import BETTER, FAINT, INK, MUTED, WORSE

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.transforms import Transform

TRACK = "#d5dae0"
FULL_BARS = 20
"""Up to so many bars carry their value in figures; more would write over each other."""


def dots(axes: "Axes", numbers: Floats) -> None:
    """Draw a dot and a whisker in each row, and write the value beside the panel; *numbers* are value, low, high."""
    values, lows, highs = numbers
    rows = np.arange(len(values))
    axes.hlines(rows, lows, highs, color=BETTER, linewidth=1.8, alpha=0.55)
    axes.plot(values, rows, "o", color=BETTER, markersize=6.5)
    for row, value in enumerate(values):
        _remark(axes, number(value), (1, row), right=6, across=axes.get_yaxis_transform())
    axes.margins(x=0.06)
    axes.set_ylim(len(values) - 0.4, -0.6)
    axes.spines["left"].set_visible(False)


def bar_series(axes: "Axes", places: Floats, width: float, numbers: Floats, label: str, colour: str) -> None:
    """Draw a bar and a whisker at each of *places*; *numbers* are value, low, high."""
    values, lows, highs = numbers
    axes.bar(places, values, width * 0.92, color=colour, label=label)
    axes.vlines(places, lows, highs, color=INK, linewidth=1.1, alpha=0.75)


def write_values(axes: "Axes", places: Floats, numbers: Floats) -> None:
    """Write each value over its bar and whisker; *numbers* are value, low, high."""
    for place, value, top in zip(places, numbers[0], np.fmax(numbers[0], numbers[2]), strict=True):
        _remark(axes, number(value), (place, np.nan_to_num(max(top, 0.0))), up=9)


def waterfall(axes: "Axes", ordered: Floats, points: int) -> None:
    """Draw the *ordered* differences as two areas, at no more than so many *points*."""
    from matplotlib.ticker import MaxNLocator

    edges = np.linspace(0, len(ordered), min(len(ordered), points) + 1).round().astype(np.int64)
    heights = np.append(ordered[edges[:-1]], ordered[-1])
    for colour, side in ((BETTER, np.maximum(heights, 0)), (WORSE, np.minimum(heights, 0))):
        axes.fill_between(edges, side, step="post", color=colour, alpha=0.85, linewidth=0)
    axes.axhline(0, color=MUTED, linewidth=0.8)
    axes.set_xlim(0, len(ordered))
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.xaxis.set_major_formatter("{x:,.0f}")


def running_credit(axes: "Axes", best: Floats, credit: Floats) -> None:
    """Draw the credit so far in each row on the track of the optimum, and write both beside it."""
    rows = np.arange(len(best))
    before = np.concatenate([[0.0], credit[:-1]])
    axes.barh(rows, best, 0.72, color=FAINT, edgecolor=TRACK, linewidth=0.8, label="optimum")
    axes.barh(rows, before, 0.72, color=BETTER, alpha=0.45, linewidth=0, label="earned before")
    axes.barh(rows, credit - before, 0.72, left=before, color=BETTER, linewidth=0, label="earned by this answer")
    for row, (most, got) in enumerate(zip(best, credit, strict=True)):
        _remark(axes, f"{short(got)} / {short(most)}", (np.nanmax([most, got, 0.0]), row), right=6)
    axes.margins(x=0.08)
    axes.set_ylim(len(best) - 0.4, -0.6)


def heat(axes: "Axes", gaps: Floats, real: Bools) -> None:
    """Colour the cells by the sign and size of their gap, pale where it may be chance."""
    from matplotlib.colors import LinearSegmentedColormap, Normalize

    most = float(np.nanmax(np.abs(gaps), initial=0.0)) or 1.0
    colours = LinearSegmentedColormap.from_list("gap", [WORSE, "#f7b27a", "#ffffff", "#7cbbe0", BETTER])
    shades = colours(Normalize(-most, most)(np.nan_to_num(gaps)))
    shades[~real, :3] = 1 - 0.3 * (1 - shades[~real, :3])
    shades[np.isnan(gaps)] = (0.96, 0.965, 0.97, 1)
    size = len(gaps)
    axes.pcolormesh(np.arange(size + 1) - 0.5, np.arange(size + 1) - 0.5, shades, edgecolor="white", linewidth=1)
    axes.set_ylim(size - 0.5, -0.5)
    axes.grid(visible=False)
    axes.spines[:].set_visible(False)


def write_cells(axes: "Axes", gaps: Floats, real: Bools, texts: Sequence[Sequence[str]], size: float) -> None:
    """Write each cell's text, bold where the gap is real, white where its colour is dark."""
    most = float(np.nanmax(np.abs(gaps), initial=0.0))
    for (row, column), gap in np.ndenumerate(gaps):
        dark = real[row, column] and abs(gap) > 0.75 * most
        colour = "white" if dark else INK if real[row, column] else MUTED
        text = axes.text(column, row, texts[row][column], size=size, color=colour)
        text.set(ha="center", va="center_baseline", weight="bold" if real[row, column] else "normal")


def headings_above(axes: "Axes", names: Sequence[str], slanted: bool) -> None:
    """Set *names* as headings of the columns, *slanted* where they are too long to stand side by side."""
    slant: dict[str, Any] = {"rotation": 45, "ha": "left", "rotation_mode": "anchor"} if slanted else {}
    axes.set_xticks(range(len(names)), names, **slant)
    axes.tick_params(axis="x", top=False, bottom=False, labeltop=True, labelbottom=False, labelcolor=INK)


def legend_above(axes: "Axes", columns: int) -> None:
    """Explain the colours in a line over the panel."""
    axes.legend(
        loc="lower left", bbox_to_anchor=(0, 1), ncols=columns, borderpad=0, borderaxespad=0.8, handlelength=1.2
    )


def short(value: float) -> str:
    """Return *value* as a count where it is whole, and with one decimal where it is not."""
    return number(value, 0 if float(value).is_integer() else 1)


def _remark(
    axes: "Axes", text: str, at: tuple[float, float], *, right: int = 0, up: int = 0, across: "Transform | None" = None
) -> None:
    """Write *text* so many points to the *right* of a place, or centred *up* above it."""
    side = "left" if right else "center"
    where = axes.transData if across is None else across
    axes.annotate(true_minus(text), at, (right, up), where, "offset points", ha=side, va="center", size=11, color=MUTED)
