"""The path between two words in a lexicon as a picture: general above, specific below, one box per synset."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from itertools import accumulate, pairwise
from typing import Protocol

from touchstone.show.colours import BAND, INK, MUTED, WHITE
from touchstone.show.svg import Svg, framed

_SIZE, _LETTER, _PAD, _HEIGHT, _GAP, _RISE, _MARGIN = 13, 7.5, 12, 44, 110, 84, 20
"""In pixels: size of letters, width of one, space beside text, height of a box, between boxes, between levels, edge."""

_OVERLAP = 40
"""How far a box overlaps the one before it on another level, so that long paths stay readable."""


_Point = tuple[float, float]


class PathStep(Protocol):
    """What is drawn of a step: the name and the words of its box, the link to it, and how many levels it goes down."""

    @property
    def name(self) -> str:
        """The name of the synset."""
        ...

    @property
    def words(self) -> Sequence[str]:
        """Its words."""
        ...

    @property
    def link(self) -> str:
        """What led to it; empty at the start."""
        ...

    @property
    def descent(self) -> int:
        """1 where it is more specific than the step before, -1 where it is more general, 0 elsewhere."""
        ...


@dataclass(frozen=True)
class _Box:
    name: str
    words: str
    left: float
    top: float

    @property
    def width(self) -> float:
        return 2 * _PAD + _LETTER * max(len(self.name), len(self.words))

    @property
    def right(self) -> float:
        return self.left + self.width

    @property
    def middle(self) -> float:
        return self.top + _HEIGHT / 2


@dataclass(frozen=True)
class PathDrawing:
    """A path as elements of SVG, for a figure of its own or a part of another one."""

    elements: str
    across: float
    down: float
    label: str


def path_drawing(steps: Sequence[PathStep]) -> PathDrawing:
    """Return a path as a part of a figure, with the names of its synsets as its label."""
    boxes = _boxes(steps)
    links = [
        _link(step.link, source, target)
        for step, (source, target) in zip(steps[1:], pairwise(boxes), strict=True)
        if step.link
    ]
    across = _MARGIN + max((box.right for box in boxes), default=0)
    down = _MARGIN + max((box.top + _HEIGHT for box in boxes), default=0)
    label = " – ".join(box.name for box in boxes) or "no path"
    return PathDrawing("".join([*links, *map(_drawn, boxes)]), across, down, label)


def draw_path(steps: Sequence[PathStep]) -> Svg:
    """Return a path as a figure of its own.

    >>> from touchstone.lexicon import wordnet
    >>> draw_path(wordnet().path("wet", "dry")).count("<rect")
    2
    """
    path = path_drawing(steps)
    return framed(path.elements, path.across, path.down, path.label, shrinks=False)


def _boxes(steps: Sequence[PathStep]) -> list[_Box]:
    """Return a box for each step, on the level that it has: a hypernym is one higher, a hyponym one lower."""
    levels = list(accumulate(step.descent for step in steps))
    boxes: list[_Box] = []
    for step, level in zip(steps, levels, strict=True):
        top = _MARGIN + _RISE * (level - min(levels))
        gap = _GAP if not boxes or boxes[-1].top == top else -_OVERLAP
        left = boxes[-1].right + gap if boxes else _MARGIN
        words = ", ".join(step.words[:3]) + (", …" if len(step.words) > 3 else "")
        boxes.append(_Box(step.name, words, left, top))
    return boxes


def _drawn(box: _Box) -> str:
    middle = box.left + box.width / 2
    return (
        f'<rect x="{box.left:g}" y="{box.top:g}" width="{box.width:g}" height="{_HEIGHT}" rx="6" fill="{BAND}" '
        f'stroke="{MUTED}"/><text x="{middle:g}" y="{box.top + 18:g}" text-anchor="middle" font-size="{_SIZE}" '
        f'font-weight="bold" fill="{INK}">{escape(box.name)}</text><text x="{middle:g}" y="{box.top + 35:g}" '
        f'text-anchor="middle" font-size="{_SIZE}" fill="{INK}">{escape(box.words)}</text>'
    )


def _link(label: str, source: _Box, target: _Box) -> str:
    start, end, at, anchor = _ends(source, target)
    return (
        f'<path d="M{start[0]:g} {start[1]:g}L{end[0]:g} {end[1]:g}" stroke="{MUTED}"/>'
        f'<text x="{at[0]:g}" y="{at[1]:g}" text-anchor="{anchor}" font-size="{_SIZE}" font-style="italic" '
        f'fill="{MUTED}" stroke="{WHITE}" stroke-width="4" paint-order="stroke">{escape(label)}</text>'
    )


def _ends(source: _Box, target: _Box) -> tuple[_Point, _Point, _Point, str]:
    """Return where a link starts and ends and where its label stands: between sides, or upright between levels."""
    x = (source.right + target.left) / 2
    if source.top == target.top:
        return (source.right, source.middle), (target.left, target.middle), (x, source.middle - 6), "middle"
    ends = (source.top, target.top + _HEIGHT) if target.top < source.top else (source.top + _HEIGHT, target.top)
    return (x, ends[0]), (x, ends[1]), (x + 8, sum(ends) / 2 + 4), "start"
