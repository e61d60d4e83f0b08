"""A cloud of named systems: two scores of each, one across and one up, with labels that cover nothing."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import cos, pi, sin
from typing import Literal

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.show.colours import INK, MUTED
from touchstone.show.plots import Axis
from touchstone.show.sheet import UNDER_LABEL, UNDER_NUMBERS, Panel, Sheet
from touchstone.show.svg import Svg, elided, fitting, is_narrow, two_widths

LETTER, LINE = 6.9, 13.0
"""Units across for a letter of a label and down for its line, at its size of 11, in the widest of the fonts."""

Box = tuple[float, float, float, float]
"""Left, bottom, right, top."""

Side = Literal["left", "center", "right"]


@dataclass(frozen=True)
class LabelOffset:
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


@two_widths
def clouds(groups: Sequence[Cloud], metric: str, human: str, title: str = "", *, lower_is_better: bool = False) -> Svg:
    """Return a panel for each language pair: a dot with its name for each system, the metric across, judges up.

    Labels cover neither each other nor the dots; one that had to move away keeps a line to its dot.

    >>> dots = [Dot("x", 0.2, 0.4, 0.3, 0.5), Dot("y", 0.3, 0.6, 0.5, 0.7), Dot("z", 0.25, 0.5, 0.4, 0.6)]
    >>> svg = clouds([Cloud("cs-en: 1.000", dots)], "bleu", "wins")
    >>> all(f">{name}<" in svg for name in "xyz")
    True
    """
    if not groups:
        raise TouchstoneError("no system to draw", code=Code.EMPTY)
    sheet = Sheet(title)
    for cloud in groups:
        height = max(190.0, 26.0 * len(cloud.dots) - 60)
        (panel,) = sheet.row(height, left=62, right=8, above=28, below=UNDER_NUMBERS + UNDER_LABEL + 12)
        across = Axis.of([dot.metric for dot in cloud.dots], ticks=6)
        edge = 2 * (across.high - across.low) / 27  # beside the 4 % that every axis has, room for names
        low, high = across.low - edge, across.high + edge
        panel.x_axis = Axis(*((high, low) if lower_is_better else (low, high)), across.ticks)
        panel.y_axis = Axis.of([end for dot in cloud.dots for end in (dot.human, dot.low, dot.high)], ticks=5)
        panel.heading(elided(cloud.heading, fitting(120)))
        panel.numbers_left(label=elided(human, 40))
        panel.numbers_below(label=f"{elided(metric, fitting(90))}{', lower is better' * lower_is_better}")
        _draw_dots(panel, cloud.dots)
        _name_dots(panel, cloud.dots)
    return sheet.finished(title or f"{metric} against judges in {len(groups)} groups")


def _draw_dots(panel: Panel, dots: Sequence[Dot]) -> None:
    across = [dot.metric for dot in dots]
    panel.segments((across, [dot.low for dot in dots], across, [dot.high for dot in dots]), width=1.4, opacity=0.35)
    panel.dots(across, [dot.human for dot in dots])


def _name_dots(panel: Panel, dots: Sequence[Dot]) -> None:
    """Write each name beside its dot, where it covers nothing; offsets of labels are measured upwards."""
    across = panel.x([dot.metric for dot in dots]).tolist()
    heights = (-panel.y([dot.human for dot in dots])).tolist()
    lows = (-panel.y([dot.low for dot in dots])).tolist()
    highs = (-panel.y([dot.high for dot in dots])).tolist()
    points = list(zip(across, heights, strict=True))
    whiskers = [(x - 1, low, x + 1, high) for x, low, high in zip(across, lows, highs, strict=True)]
    inside = panel.left, -panel.bottom, panel.left + panel.across, -panel.top
    names = [elided(dot.name, 16 if is_narrow() else 26) for dot in dots]
    for dot, name, offset in zip(dots, names, label_offsets(names, points, inside, whiskers), strict=True):
        x, y = float(panel.x(dot.metric)), float(panel.y(dot.human))
        if offset.right**2 + offset.up**2 > BESIDE**2:
            line = f"M{x:.2f} {y:.2f}L{x + offset.right:.2f} {y - offset.up:.2f}"
            panel.sheet.add(f'<path d="{line}" stroke="{MUTED}" stroke-width=".7" opacity=".8"/>')
        side = {"left": "start", "center": "middle", "right": "end"}[offset.side]
        panel.sheet.write((x + offset.right, y - offset.up), name, size=11, colour=INK, side=side)


def label_offsets(
    names: Sequence[str], points: Sequence[tuple[float, float]], inside: Box, others: Sequence[Box] = ()
) -> list[LabelOffset]:
    """Return the offset of each label from its point.

    Labels cover neither each other nor points, nor leave the panel. They keep off *others* too, whatever those are.
    Those with most neighbours choose first, the nearest free offset; if none is free, the one that covers least.

    >>> label_offsets(["aa", "bb"], [(50.0, 50.0), (52.0, 50.0)], (0.0, 0.0, 100.0, 100.0))
    [LabelOffset(right=8.0, up=0.0, side='left'), LabelOffset(right=-8.0, up=0.0, side='right')]
    """
    taken: list[Box] = [*others, *((x - 5, y - 5, x + 5, y + 5) for x, y in points)]
    offsets: dict[int, LabelOffset] = {}
    # A dot among many neighbours has the fewest free places.
    crowd = [sum(abs(x - a) < CROWD[0] and abs(y - b) < CROWD[1] for a, b in points) for x, y in points]
    for at in sorted(range(len(points)), key=lambda index: (-crowd[index], index)):
        width = LETTER * len(names[at])
        offsets[at] = min(LABEL_OFFSETS, key=lambda offset: _cost(offset.box(points[at], width), taken, inside))
        taken.append(offsets[at].box(points[at], width))
    return [offsets[at] for at in range(len(points))]


BESIDE = 13.5
"""How far from its dot a label may stand without a line to it."""

CROWD = 90.0, 24.0
"""Within so many units across and up, points are neighbours."""


def _label_offsets() -> Iterator[LabelOffset]:
    """Yield offsets for a label: right, left, above, below, then around in growing rings."""
    yield from (LabelOffset(8.0, 0.0, "left"), LabelOffset(-8.0, 0.0, "right"))
    yield from (LabelOffset(0.0, 13.0, "center"), LabelOffset(0.0, -13.0, "center"))
    for ring in range(1, 10):
        for step in range(16):
            right, up = cos(2 * pi * step / 16), sin(2 * pi * step / 16)
            side: Side = "left" if right > 0.3 else "right" if right < -0.3 else "center"
            yield LabelOffset((6 + 5 * ring) * right, (6 + 10 * ring) * up, side)


LABEL_OFFSETS = tuple(_label_offsets())


def _cost(box: Box, taken: Sequence[Box], inside: Box) -> float:
    """Return how much of what is drawn a label covers, and how far it sticks out of the panel."""
    covered = sum(
        max(0.0, min(box[2], other[2]) - max(box[0], other[0]))
        * max(0.0, min(box[3], other[3]) - max(box[1], other[1]))
        for other in taken
    )
    out = max(0.0, inside[0] - box[0], box[2] - inside[2]) + max(0.0, inside[1] - box[1], box[3] - inside[3])
    return covered + LINE * out
