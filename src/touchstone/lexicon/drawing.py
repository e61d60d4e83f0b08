"""The path between two words as a picture: general above, specific below, one box per synset."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from itertools import accumulate, pairwise

from touchstone.lexicon.paths import Step
from touchstone.lexicon.relation import DOWNWARD, UPWARD

_LETTER, _PAD, _HEIGHT, _GAP, _RISE, _MARGIN = 7.5, 12, 44, 110, 84, 20
"""In pixels: width of a letter at 13 px, space beside text, height of a box, between boxes, between levels, edge."""

_OVERLAP = 40
"""How far a box overlaps the one before it on another level, so that long paths stay readable."""


_Point = tuple[float, float]


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


def draw_path(steps: Sequence[Step]) -> str:
    """Return a path as an SVG document.

    >>> from touchstone.lexicon import wordnet
    >>> draw_path(wordnet().path("wet", "dry")).count("<rect")
    2
    """
    boxes = _boxes(steps)
    links = [
        _link(step.relation.label, one, other)
        for step, (one, other) in zip(steps[1:], pairwise(boxes), strict=True)
        if step.relation
    ]
    width = _MARGIN + max((box.right for box in boxes), default=0)
    height = _MARGIN + max((box.top + _HEIGHT for box in boxes), default=0)
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:g}" height="{height:g}" '
            f'viewBox="0 0 {width:g} {height:g}" role="img" font-family="sans-serif" font-size="13">',
            f"<title>{escape(' – '.join(box.name for box in boxes))}</title>",
            *links,
            *map(_drawn, boxes),
            "</svg>\n",
        ]
    )


def _boxes(steps: Sequence[Step]) -> list[_Box]:
    """Return a box for each step, on the level that it has: a hypernym is one higher, a hyponym one lower."""
    moves = [-1 if step.relation in UPWARD else 1 if step.relation in DOWNWARD else 0 for step in steps]
    levels = list(accumulate(moves))
    boxes: list[_Box] = []
    for step, level in zip(steps, levels, strict=True):
        top = _MARGIN + _RISE * (level - min(levels))
        gap = _GAP if not boxes or boxes[-1].top == top else -_OVERLAP
        left = boxes[-1].right + gap if boxes else _MARGIN
        words = ", ".join(step.synset.words[:3]) + (", …" if len(step.synset.words) > 3 else "")
        boxes.append(_Box(step.synset.name, words, left, top))
    return boxes


def _drawn(box: _Box) -> str:
    middle = box.left + box.width / 2
    return (
        f'<rect x="{box.left:g}" y="{box.top:g}" width="{box.width:g}" height="{_HEIGHT}" rx="6" fill="#f4f1ea" '
        f'stroke="#57534e"/><text x="{middle:g}" y="{box.top + 18:g}" text-anchor="middle" font-weight="bold" '
        f'fill="#1c1917">{escape(box.name)}</text><text x="{middle:g}" y="{box.top + 35:g}" text-anchor="middle" '
        f'fill="#44403c">{escape(box.words)}</text>'
    )


def _link(label: str, one: _Box, other: _Box) -> str:
    start, end, at, anchor = _ends(one, other)
    return (
        f'<path d="M{start[0]:g} {start[1]:g}L{end[0]:g} {end[1]:g}" stroke="#57534e"/>'
        f'<text x="{at[0]:g}" y="{at[1]:g}" text-anchor="{anchor}" font-style="italic" fill="#57534e" stroke="#fff" '
        f'stroke-width="4" paint-order="stroke">{escape(label)}</text>'
    )


def _ends(one: _Box, other: _Box) -> tuple[_Point, _Point, _Point, str]:
    """Return where a link starts and ends and where its label stands: between sides, or upright between levels."""
    x = (one.right + other.left) / 2
    if one.top == other.top:
        return (one.right, one.middle), (other.left, other.middle), (x, one.middle - 6), "middle"
    ends = (one.top, other.top + _HEIGHT) if other.top < one.top else (one.top + _HEIGHT, other.top)
    return (x, ends[0]), (x, ends[1]), (x + 8, sum(ends) / 2 + 4), "start"
