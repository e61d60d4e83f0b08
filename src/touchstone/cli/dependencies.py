"""A dependency tree as a picture: the words in a row, their tags below, an arc from each head to its dependent."""

from collections.abc import Sequence
from html import escape
from itertools import accumulate

from touchstone.base.errors import visible
from touchstone.show.colours import INK, MUTED, PALETTE, WHITE
from touchstone.show.svg import Svg, framed
from touchstone.text import Sentence

_LETTER, _GAP, _RISE, _MARGIN, _FOOT = 8.5, 22, 26, 16, 44
"""In pixels: width of a letter at 14 px, between words, between levels of arcs, edge, words and tags."""

LONGEST_DRAWN = 200
"""Words; nobody reads a tree of more, and a page must not drown in one."""


def draw_dependencies(sentence: Sentence) -> Svg:
    """Return the tree of a parsed sentence, or its tagged words where it was not parsed, as an SVG.

    >>> birds = Sentence("Birds sing", ("Birds", "sing"), (0, 6), (5, 10), ("NNS", "VBP"), ("bird", "sing"),
    ...     (2, 0), ("nsubj", "root"))
    >>> drawing = draw_dependencies(birds)
    >>> drawing.count("<path"), "nsubj" in drawing
    (2, True)
    """
    forms = [visible(form) for form in sentence.forms[:LONGEST_DRAWN]]
    widths = [
        max(_LETTER * max(len(form), len(tag)), _LETTER * 4) for form, tag in zip(forms, sentence.tags, strict=False)
    ]
    rights = list(accumulate((width + _GAP for width in widths), initial=_MARGIN))
    middles = [left + width / 2 for left, width in zip(rights, widths, strict=False)]
    arcs = _arcs(sentence.heads[: len(forms)], len(forms))
    levels = _levels(arcs)
    ground = _MARGIN + _RISE * (max(levels, default=0) + 1.5)
    width, height = rights[-1] - _GAP + _MARGIN if forms else 2 * _MARGIN, ground + _FOOT
    drawn = [
        _drawn_arc(middles, arc, level, ground, sentence.relations[arc[1] - 1])
        for arc, level in zip(arcs, levels, strict=True)
    ]
    words = [_drawn_word(*word, ground) for word in zip(middles, forms, sentence.tags, strict=False)]
    label = f"dependencies of: {sentence.text[:300]}"
    return framed("".join([*drawn, *words]), width, height, label, shrinks=False)


def _arcs(heads: Sequence[int], size: int) -> list[tuple[int, int]]:
    """Return (head, dependent) of all arcs whose ends are drawn; the root is 0."""
    return [(head, word) for word, head in enumerate(heads, 1) if head <= size]


def _levels(arcs: Sequence[tuple[int, int]]) -> list[int]:
    """Return how high each arc is drawn: above every shorter one that it spans or crosses.

    >>> _levels([(2, 1), (0, 2), (2, 4), (4, 3)])
    [1, 0, 2, 1]
    """
    levels = [0] * len(arcs)
    done: list[int] = []
    for arc_index in sorted(range(len(arcs)), key=lambda n: abs(arcs[n][0] - arcs[n][1])):
        head, word = arcs[arc_index]
        if head:
            low, high = sorted((head, word))
            under = [levels[n] for n in done if min(arcs[n]) < high and max(arcs[n]) > low]
            levels[arc_index] = 1 + max(under, default=0)
            done.append(arc_index)
    return levels


def _drawn_arc(middles: Sequence[float], arc: tuple[int, int], level: int, ground: float, relation: str) -> str:
    head, word = arc
    aim = middles[word - 1]
    if not head:
        return (
            f'<path d="M{aim:g} {_MARGIN}V{ground:g}" fill="none" stroke="{MUTED}" stroke-dasharray="3 3"/>'
            f"{_label(aim, _MARGIN, relation)}"
        )
    # Two arcs on one word stand a little apart, each on the side that it goes to.
    start = middles[head - 1] + (5 if word > head else -5)
    end, top = aim + (-5 if word > head else 5), ground - _RISE * level
    return (
        f'<path d="M{start:g} {ground:g}C{start:g} {top:g} {end:g} {top:g} {end:g} {ground:g}" fill="none" '
        f'stroke="{PALETTE[0]}"/><circle cx="{end:g}" cy="{ground:g}" r="2.5" fill="{PALETTE[0]}"/>'
        f"{_label((start + end) / 2, ground - 0.75 * _RISE * level, relation)}"
    )


def _label(x: float, y: float, text: str) -> str:
    return (
        f'<text x="{x:g}" y="{y:g}" text-anchor="middle" dominant-baseline="middle" font-size="11" fill="{MUTED}" '
        f'stroke="{WHITE}" stroke-width="4" paint-order="stroke">{escape(visible(text))}</text>'
    )


def _drawn_word(x: float, form: str, tag: str, ground: float) -> str:
    return (
        f'<text x="{x:g}" y="{ground + 18:g}" text-anchor="middle" font-size="14" fill="{INK}">{escape(form)}</text>'
        f'<text x="{x:g}" y="{ground + 35:g}" text-anchor="middle" font-size="11" fill="{MUTED}">'
        f"{escape(visible(tag))}</text>"
    )
