"""Figures of a meta-evaluation from plain data: metric against judges with named systems, metric against metric."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import cos, pi, sin
from typing import TYPE_CHECKING, Literal

import numpy as np

from touchstone.base.errors import TouchstoneError
from touchstone.base.ragged import Floats
from touchstone.base.tables import number
from touchstone.show import panels
from touchstone.show.svg import BETTER, INK, MUTED, Svg, drawing, elided, finished, fitting, is_narrow, sheet, width

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

LETTER, LINE = 6.9, 13.0
"""Units across for a letter of a label and down for its line, at its size of 11, in the widest of the fonts."""

Box = tuple[float, float, float, float]
"""Left, bottom, right, top."""

Side = Literal["left", "center", "right"]


@dataclass(frozen=True)
class Place:
    """Where a label begins, ends or has its middle, from its point: so much to the right and up."""

    right: float
    up: float
    side: Side

    def box(self, point: tuple[float, float], width: float) -> Box:
        """Return what a label of this *width* covers."""
        left = point[0] + self.right - width * {"left": 0.0, "center": 0.5, "right": 1.0}[self.side]
        middle = point[1] + self.up
        return left, middle - LINE / 2, left + width, middle + LINE / 2


@dataclass(frozen=True)
class Dot:
    """One system: what the metric gives it and what judges do, with the interval of theirs."""

    name: str
    metric: float
    human: float
    low: float
    high: float


@dataclass(frozen=True)
class Cloud:
    """The systems of one language pair, under a heading that says how well both sides go together."""

    heading: str
    dots: Sequence[Dot]


@drawing
def clouds(given: Sequence[Cloud], metric: str, human: str, title: str = "", *, lower_is_better: bool = False) -> Svg:
    """Return a panel for each language pair: a dot with its name for each system, the metric across, judges up.

    Labels cover neither each other nor the dots; one that had to move away keeps a line to its dot.

    >>> dots = [Dot("x", 0.2, 0.4, 0.3, 0.5), Dot("y", 0.3, 0.6, 0.5, 0.7), Dot("z", 0.25, 0.5, 0.4, 0.6)]
    >>> svg = clouds([Cloud("cs-en: 1.000", dots)], "bleu", "wins")
    >>> all(f">{name}<" in svg for name in "xyz")
    True
    """
    if not given:
        raise TouchstoneError("no system to draw")
    heights = [max(250.0, 26.0 * len(cloud.dots)) for cloud in given]
    figure = sheet(sum(heights) + 62 * len(given) + 34 * bool(title), title)
    axes = figure.subplots(len(given), 1, squeeze=False, height_ratios=heights)[:, 0]
    for panel, cloud in zip(axes, given, strict=True):
        _draw_dots(panel, cloud)
        panel.set_title(elided(cloud.heading, fitting(120)))
        panel.set_ylabel(elided(human, 40))
        panel.set_xlabel(f"{elided(metric, fitting(90))}{', lower is better' * lower_is_better}")
        if lower_is_better:
            panel.invert_xaxis()
    figure.draw_without_rendering()
    for panel, cloud in zip(axes, given, strict=True):
        _name_dots(figure, panel, cloud.dots)
    return finished(figure, title or f"{metric} against judges in {len(given)} groups")


def _draw_dots(axes: "Axes", cloud: Cloud) -> None:
    across, up, low, high = (
        np.array([getattr(dot, key) for dot in cloud.dots]) for key in ("metric", "human", "low", "high")
    )
    axes.vlines(across, low, high, color=BETTER, linewidth=1.4, alpha=0.35)
    axes.plot(across, up, "o", color=BETTER, markersize=6.5)
    axes.margins(x=0.12, y=0.1)
    axes.tick_params(axis="y", labelcolor=MUTED, labelsize=11)


def _name_dots(figure: "Figure", axes: "Axes", dots: Sequence[Dot]) -> None:
    """Write each name beside its dot, where it covers nothing."""
    scale = 72 / figure.dpi
    spots = [(dot.metric, height) for dot in dots for height in (dot.human, dot.low, dot.high)]
    drawn = (scale * axes.transData.transform(spots)).reshape(-1, 3, 2)
    points = [(float(x), float(y)) for x, y in drawn[:, 0]]
    whiskers = [(float(low[0]) - 1, float(low[1]), float(low[0]) + 1, float(high[1])) for _, low, high in drawn]
    frame = axes.get_window_extent()
    inside = scale * frame.x0, scale * frame.y0, scale * frame.x1, scale * frame.y1
    names = [elided(dot.name, 16 if is_narrow() else 26) for dot in dots]
    line = {"arrowstyle": "-", "color": MUTED, "linewidth": 0.7, "alpha": 0.8, "shrinkA": 0, "shrinkB": 4}
    for dot, name, place in zip(dots, names, label_places(names, points, inside, whiskers), strict=True):
        axes.annotate(
            name,
            (dot.metric, dot.human),
            (place.right, place.up),
            "data",
            "offset points",
            arrowprops=line if place.right**2 + place.up**2 > BESIDE**2 else None,
            size=11,
            color=INK,
            ha=place.side,
            va="center_baseline",
        )


def label_places(
    names: Sequence[str], points: Sequence[tuple[float, float]], inside: Box, others: Sequence[Box] = ()
) -> list[Place]:
    """Return a place for each label, so that labels cover neither each other nor points, nor leave the panel.

    They keep off *others* too, whatever those are. Those with most neighbours choose first, the nearest free place;
    if none is free, the one that covers least.

    >>> label_places(["aa", "bb"], [(50.0, 50.0), (52.0, 50.0)], (0.0, 0.0, 100.0, 100.0))
    [Place(right=8.0, up=0.0, side='left'), Place(right=-8.0, up=0.0, side='right')]
    """
    taken: list[Box] = [*others, *((x - 5, y - 5, x + 5, y + 5) for x, y in points)]
    found: dict[int, Place] = {}
    crowd = [sum(abs(x - a) < CROWD[0] and abs(y - b) < CROWD[1] for a, b in points) for x, y in points]
    for at in sorted(range(len(points)), key=lambda place: (-crowd[place], place)):
        width = LETTER * len(names[at])
        found[at] = min(PLACES, key=lambda place: _cost(place.box(points[at], width), taken, inside))
        taken.append(found[at].box(points[at], width))
    return [found[at] for at in range(len(points))]


BESIDE = 13.5
"""How far from its dot a label may stand without a line to it."""

CROWD = 90.0, 24.0
"""Within so many units across and up, points are neighbours."""


def _places() -> Iterator[Place]:
    """Yield places for a label: right, left, above, below, then around in growing rings."""
    yield from (Place(8.0, 0.0, "left"), Place(-8.0, 0.0, "right"))
    yield from (Place(0.0, 13.0, "center"), Place(0.0, -13.0, "center"))
    for ring in range(1, 10):
        for step in range(16):
            right, up = cos(2 * pi * step / 16), sin(2 * pi * step / 16)
            side: Side = "left" if right > 0.3 else "right" if right < -0.3 else "center"
            yield Place((6 + 5 * ring) * right, (6 + 10 * ring) * up, side)


PLACES = tuple(_places())


def _cost(box: Box, taken: Sequence[Box], inside: Box) -> float:
    """Return how much of what is drawn a label covers, and how far it sticks out of the panel."""
    covered = sum(
        max(0.0, min(box[2], other[2]) - max(box[0], other[0]))
        * max(0.0, min(box[3], other[3]) - max(box[1], other[1]))
        for other in taken
    )
    out = max(0.0, inside[0] - box[0], box[2] - inside[2]) + max(0.0, inside[1] - box[1], box[3] - inside[3])
    return covered + LINE * out


@drawing
def similarity(names: Sequence[str], values: Floats, title: str = "", least: float | None = None) -> Svg:
    """Return the correlation of each metric with each other one, in colour and figures.

    The colours begin below the *least* value; two maps side by side share it.

    >>> ">0.500<" in similarity(["bleu", "chrf"], np.array([[1.0, 0.5], [0.5, 1.0]]))
    True
    """
    size = len(names)
    if values.shape != (size, size) or not size:
        raise TouchstoneError(f"{size} names need a square of values, not {values.shape}")
    shown = [elided(name, 12 if is_narrow() else 30) for name in names]
    name = 7.2 * max(map(len, shown))
    across = min(92.0, (width() - 60 - name) / size)
    slanted = name > across
    above = 0.71 * name + 14 if slanted else 26.0
    needed = size * across + name + 60 + 0.71 * name * slanted
    figure = sheet(size * 36 + above + 24 + 34 * bool(title), title, needed)
    axes = figure.subplots()
    axes.set_box_aspect(36 / across)
    axes.set_anchor("NW")
    _shade(axes, values, min(11.5, across * 0.3), least_of(values) if least is None else least)
    axes.set_yticks(range(size), shown)
    panels.headings_above(axes, shown, slanted)
    return finished(figure, f"{title or 'similarity'}: {size} metrics")


def least_of(values: Floats) -> float:
    """Return the least correlation that is known, at most 1."""
    return float(np.nanmin(values, initial=1.0))


def _shade(axes: "Axes", values: Floats, letters: float, least: float) -> None:
    from matplotlib.colors import LinearSegmentedColormap, Normalize

    colours = LinearSegmentedColormap.from_list("similarity", ["#ffffff", "#cfe4f2", "#5aa5d6"])
    # Metrics are all alike: the colours begin below the least of them, so that differences show.
    shades = colours(Normalize(least - 0.1 * (1 - least) - 1e-9, 1)(np.nan_to_num(values)))
    shades[np.isnan(values)] = (0.96, 0.965, 0.97, 1)
    edges = np.arange(len(values) + 1) - 0.5
    axes.pcolormesh(edges, edges, shades, edgecolor="white", linewidth=1)
    for (row, column), value in np.ndenumerate(values):
        axes.text(column, row, number(value), size=letters, color=INK, ha="center", va="center_baseline")
    axes.set_ylim(len(values) - 0.5, -0.5)
    axes.grid(visible=False)
    axes.spines[:].set_visible(False)
