"""The matching behind a score as a picture: two rows of words, and between them a link for each pair that was matched.

After Figure 1 of Chan and Ng (2008). Each part of the score has a panel. A link has the colour and the dashes of its
stage, and its weight written on it where that is not 1; n-grams and relations are brackets over the words that they
cover; words without a link are grey. Sentences that are too long for two rows stand in two columns, and so do all on a
narrow window.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from itertools import accumulate
from textwrap import wrap

from touchstone.base.errors import visible
from touchstone.base.tables import number
from touchstone.core.matching import Link
from touchstone.show.colours import INK, MUTED, PALETTE, UNMATCHED, WHITE
from touchstone.show.svg import WIDTH, Svg, elided, framed, is_narrow, two_widths, width
from touchstone.tasks.mt.model import Explanation, Layer

LONGEST_DRAWN = 150
"""Words of a side; nobody reads an alignment of more, and a page must not drown in one."""

_SIZE, _LETTER, _GAP, _WIDEST_GAP = 15, 8.6, 14.0, 60.0
"""In pixels: size of letters, their mean width, the gap between words, the widest that a short row is stretched to."""
_EDGE, _NAME, _LINE, _BETWEEN, _LEVEL = 14.0, 84.0, 22.0, 84.0, 8.0
"""In pixels: margin, width of the names of the rows, a line of text, between the rows, between brackets."""
_CLEARANCE = 7.0
"""In pixels: between words and the brackets or links beside them."""
_FEWEST_LETTERS = 6
"""Letters of a word that are drawn however narrow the window is."""
_SYSTEM, _REFERENCE = "system", "reference"

_STYLES: Mapping[str, tuple[str, str]] = {
    "exact": (PALETTE[0], ""),
    "lemma": (PALETTE[2], "8 3"),
    "stem": (PALETTE[2], "8 3"),
    "similar": (PALETTE[5], "2 3"),
    "synonym": (PALETTE[5], "2 3"),
    "phrase": (PALETTE[3], "9 3 2 3"),
}
_OTHERS = ((PALETTE[0], ""), (PALETTE[2], "8 3"), (PALETTE[3], "9 3 2 3"), (PALETTE[1], "5 3"))

_HEIGHTS = (0.5, 0.34, 0.66, 0.2, 0.8)
"""Where on a link its weight may stand: shares of the way down."""

Places = Sequence[tuple[int, ...]]


@two_widths
def draw_alignments(explanations: Sequence[Explanation]) -> Svg:
    """Return explanations one under the other, a panel for each part of each, with a legend of the stages."""
    styles = _styles(explanations)
    upright = (
        is_narrow()
        or max(_row_width(explanation, layer) for explanation in explanations for layer in explanation.layers) > WIDTH
    )
    drawn: list[str] = []
    top, widest = _EDGE, 0.0
    for explanation in explanations:
        for line in wrap(_heading(explanation), width() // 10):
            drawn.append(_text(_EDGE, top + _SIZE, line, "font-weight='bold'"))
            top += _LINE
        top += 8
        for layer in explanation.layers:
            panel = _Panel(explanation, layer, top, styles, upright)
            drawn.extend(panel.drawn())
            top, widest = panel.bottom, max(widest, panel.width)
        top += 10
    top += 4
    legend = list(_legend(styles, top))
    headings = 9.5 * max(
        len(line) for explanation in explanations for line in wrap(_heading(explanation), width() // 10)
    )
    across = max(widest, _EDGE * 2 + headings, 340.0 if upright else 600.0)
    drawn.extend(text for text, _ in legend)
    return _sheet("".join(drawn), across, legend[-1][1] + 14, explanations)


def _row_width(explanation: Explanation, layer: Layer) -> float:
    """Return the width of a panel with its words in rows."""
    return _EDGE * 2 + _NAME + max(_Words.spread(words, 0).length for words in _sides(explanation, layer))


@dataclass(frozen=True)
class _Words:
    """The words of a side, where the middle of each stands along its row or column, and how long that is."""

    words: tuple[str, ...]
    middles: tuple[float, ...]
    length: float

    @classmethod
    def spread(cls, words: Sequence[str], length: float) -> "_Words":
        """Return *words* in a row, stretched towards *length*, that of the longer row."""
        drawn = tuple(visible(word) for word in words[:LONGEST_DRAWN])
        widths = [_LETTER * max(len(word), 1) for word in drawn]
        gap = _GAP
        if len(widths) > 1:
            gap = max(_GAP, min(_WIDEST_GAP, (length - sum(widths)) / (len(widths) - 1)))
        lefts = list(accumulate((size + gap for size in widths), initial=_EDGE + _NAME))
        middles = tuple(left + size / 2 for left, size in zip(lefts, widths, strict=False))
        return cls(drawn, middles, lefts[-1] - gap - _EDGE - _NAME if widths else 0.0)

    @classmethod
    def listed(cls, words: Sequence[str], top: float, letters: int) -> "_Words":
        """Return *words* in a column from *top* down, each of so many *letters* at most."""
        drawn = tuple(elided(word, letters) for word in words[:LONGEST_DRAWN])
        return cls(drawn, tuple(top + _LINE * (index + 0.5) for index in range(len(drawn))), _LINE * len(drawn))


@dataclass(frozen=True)
class _Node:
    """Where a link ends: the point, and the bracket over the words of an item that has several."""

    x: float
    y: float
    bracket: str = ""


class _Panel:
    """One part of a score, drawn from *top* down: the words in two rows, or *upright* in two columns."""

    def __init__(
        self, explanation: Explanation, layer: Layer, top: float, styles: Mapping[str, tuple[str, str]], upright: bool
    ) -> None:
        self.layer, self.top, self.styles, self.upright = layer, top, styles, upright
        sides = _sides(explanation, layer)
        self.places = _places(layer.left_places, sides[0]), _places(layer.right_places, sides[1])
        levels = [_levels(places) for places in self.places]
        bracket_sizes = [_LEVEL * (max(level, default=-1) + 1) for level in levels]
        if upright:
            self._lay_out_columns(sides, bracket_sizes)
        else:
            self._lay_out_rows(sides, bracket_sizes)
        # Brackets and links start at the words of the first side, and end at those of the second.
        second = self.edges[1] - (_CLEARANCE if upright else _SIZE + 2)
        ends = (self.edges[0] + _CLEARANCE, 1), (second, -1)
        self.nodes = tuple(
            _nodes(self.rows[side], self.places[side], levels[side], *ends[side], upright) for side in (0, 1)
        )

    def _lay_out_rows(self, sides: Sequence[Sequence[str]], bracket_heights: Sequence[float]) -> None:
        longest = max(_Words.spread(words, 0).length for words in sides)
        self.rows = _Words.spread(sides[0], longest), _Words.spread(sides[1], longest)
        upper = self.top + _LINE + _SIZE + 4
        self.edges = upper, upper + sum(bracket_heights) + _BETWEEN + _SIZE
        self.bottom, self.width = self.edges[1] + 22, _EDGE * 2 + _NAME + longest

    def _lay_out_columns(self, sides: Sequence[Sequence[str]], bracket_widths: Sequence[float]) -> None:
        between = sum(bracket_widths) + _BETWEEN + 2 * _CLEARANCE
        room = int((width() - 2 * _EDGE - between) / 2 / _LETTER)
        longest = [max((len(visible(word)) for word in words), default=0) for words in sides]
        letters = [max(_FEWEST_LETTERS, min(room, length)) for length in longest]
        top = self.top + 2 * _LINE
        self.rows = _Words.listed(sides[0], top, letters[0]), _Words.listed(sides[1], top, letters[1])
        first = _EDGE + _LETTER * max(letters[0], len(_SYSTEM))
        self.edges = first, first + between
        self.bottom = top + max(row.length for row in self.rows) + _EDGE
        self.width = self.edges[1] + _LETTER * max(letters[1], len(_REFERENCE)) + _EDGE

    def drawn(self) -> Iterator[str]:
        """Yield the heading, the links under the words, and the words."""
        layer = self.layer
        earned = f"P {number(layer.precision)} · R {number(layer.recall)} · F {number(layer.f)}"
        yield _text(_EDGE, self.top + _SIZE, f"{layer.name}: {earned}", f"fill='{MUTED}' font-size='13'")
        every = layer.matching.links
        links = [link for link in every if link.left in self.nodes[0] and link.right in self.nodes[1]]
        for side in (0, 1):
            yield from self._brackets(side, {(link.left, link.right)[side]: link for link in every})
        for link in links:
            yield self._link(link)
        yield from self._weights([link for link in links if link.weight != 1])
        yield from self._words(0, _SYSTEM, {link.left for link in every})
        yield from self._words(1, _REFERENCE, {link.right for link in every})

    def _brackets(self, side: int, linked: Mapping[int, Link]) -> Iterator[str]:
        for item, node in self.nodes[side].items():
            if node.bracket:
                colour = self.styles[linked[item].stage][0] if item in linked else UNMATCHED
                yield f"<path d='{node.bracket}' fill='none' stroke='{colour}' stroke-width='1.2'/>"

    def _link(self, link: Link) -> str:
        start, end = self.nodes[0][link.left], self.nodes[1][link.right]
        colour, dashes = self.styles[link.stage]
        dashed = f" stroke-dasharray='{dashes}'" if dashes else ""
        return (
            f"<path d='M{start.x:.1f} {start.y:.1f}L{end.x:.1f} {end.y:.1f}' fill='none' stroke='{colour}' "
            f"stroke-width='{1 + link.weight:.2f}'{dashed}/>"
        )

    def _weights(self, links: Sequence[Link]) -> Iterator[str]:
        """Yield the weights of links, written on them: each at the first height where it hides no other."""
        halo = f"stroke='{WHITE}' stroke-width='4' paint-order='stroke' text-anchor='middle' font-size='11'"
        taken: list[tuple[float, float]] = []
        for link in sorted(links, key=lambda link: link.left):
            start, end = self.nodes[0][link.left], self.nodes[1][link.right]
            ways = [(start.x + way * (end.x - start.x), start.y + way * (end.y - start.y) + 4) for way in _HEIGHTS]
            # A number is less than 26 pixels wide and 11 high.
            free = (at for at in ways if all(abs(at[0] - x) > 26 or abs(at[1] - y) > 11 for x, y in taken))
            taken.append(next(free, ways[0]))
            yield _text(*taken[-1], number(link.weight, 2), f"{halo} fill='{self.styles[link.stage][0]}'")

    def _words(self, side: int, name: str, linked: set[int]) -> Iterator[str]:
        row, places, edge = self.rows[side], self.places[side], self.edges[side]
        anchor = ("end", "start")[side] if self.upright else "middle"
        small = f"fill='{MUTED}' font-size='13'"
        if self.upright:
            yield _text(edge, self.top + _LINE + _SIZE, name, f"{small} text-anchor='{anchor}'")
        else:
            yield _text(_EDGE, edge, name, small)
        linked_words = {position for item in linked for position in places[item]}
        for position, (word, middle) in enumerate(zip(row.words, row.middles, strict=True)):
            x, y = (edge, middle + 5) if self.upright else (middle, edge)
            yield _text(x, y, word, f"text-anchor='{anchor}' fill='{INK if position in linked_words else UNMATCHED}'")


def _sides(explanation: Explanation, layer: Layer) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the words that a panel shows: those of the sentences, or the items where they cover no known words."""
    if layer.left_places or layer.right_places:
        return explanation.hypothesis, explanation.reference
    return layer.left, layer.right


def _places(places: Places, words: Sequence[str]) -> Places:
    return places or [(position,) for position in range(len(words))]


def _levels(places: Places) -> list[int]:
    """Return how far from the words each bracket is drawn; -1 for an item of one word, which needs none.

    >>> _levels([(0, 1), (1, 2), (2, 3)]), _levels([(0,), (1,)])
    ([0, 1, 0], [-1, -1])
    """
    ends: list[int] = []
    levels = []
    for covered in places:
        if len(covered) < 2:
            levels.append(-1)
            continue
        level = next((n for n, end in enumerate(ends) if end < min(covered)), len(ends))
        ends[level : level + 1] = [max(covered)]
        levels.append(level)
    return levels


def _nodes(
    row: _Words, places: Places, levels: Sequence[int], edge: float, towards: int, upright: bool
) -> dict[int, _Node]:
    """Return the ends of links of all items whose words are drawn.

    *edge* is where links begin; *towards* is 1 where the other side is below or to the right, and -1 elsewhere.
    """
    nodes = {}
    for item, (covered, level) in enumerate(zip(places, levels, strict=True)):
        if not covered or max(covered) >= len(row.words):
            continue
        first, last = row.middles[min(covered)], row.middles[max(covered)]
        at = edge + towards * _LEVEL * max(level, 0)
        middle = (first + last) / 2
        x, y = (at, middle) if upright else (middle, at)
        tick, bracket = at - towards * 4, ""
        if level >= 0 and upright:
            bracket = f"M{tick:.1f} {first:.1f}H{at:.1f}V{last:.1f}H{tick:.1f}"
        elif level >= 0:
            bracket = f"M{first:.1f} {tick:.1f}V{at:.1f}H{last:.1f}V{tick:.1f}"
        nodes[item] = _Node(x, y, bracket)
    return nodes


def _styles(explanations: Sequence[Explanation]) -> dict[str, tuple[str, str]]:
    """Return colour and dashes of each stage, in the order in which stages appear."""
    stages = dict.fromkeys(
        link.stage for explanation in explanations for layer in explanation.layers for link in layer.matching.links
    )
    unknown = [stage for stage in stages if stage not in _STYLES]
    spare = {stage: _OTHERS[index % len(_OTHERS)] for index, stage in enumerate(unknown)}
    return {stage: _STYLES.get(stage) or spare[stage] for stage in stages}


def _legend(styles: Mapping[str, tuple[str, str]], y: float) -> Iterator[tuple[str, float]]:
    """Yield the entries of the legend, each with its height: as many in a line as there is room for."""
    x = _EDGE
    for stage, (colour, dashes) in styles.items():
        size = 34 + 7 * len(stage) + 22
        if x + size > width():
            x, y = _EDGE, y + _LINE
        dashed = f" stroke-dasharray='{dashes}'" if dashes else ""
        line = f"<path d='M{x:g} {y:g}h28' fill='none' stroke='{colour}' stroke-width='2'{dashed}/>"
        yield line + _text(x + 34, y + 4, stage, "font-size='12'"), y
        x += size
    note = "grey: unmatched; a link without a number weighs 1"
    if x + 7 * len(note) > width():
        x, y = _EDGE, y + _LINE
    yield _text(x, y + 4, note, f"fill='{MUTED}' font-size='12'"), y


def _heading(explanation: Explanation) -> str:
    longest = max((len(side) for layer in explanation.layers for side in _sides(explanation, layer)), default=0)
    cut = f" (the first {LONGEST_DRAWN} of {longest:,} words are drawn)" if longest > LONGEST_DRAWN else ""
    reference, count = explanation.reference_of
    value = explanation.value if explanation.segment_value is None else explanation.segment_value
    earned = f"{explanation.measure} {number(value)}"
    if count > 1:
        earned += f" over {count} references; with reference {reference}: {number(explanation.value)}"
    return f"segment {explanation.segment}, {explanation.system}: {earned}{cut}"


def _text(x: float, y: float, text: str, attributes: str = "") -> str:
    return f"<text x='{x:.1f}' y='{y:.1f}' {attributes}>{escape(visible(text))}</text>"


def _sheet(drawn: str, across: float, height: float, explanations: Sequence[Explanation]) -> Svg:
    label = "; ".join(f"alignment of {_heading(explanation)}" for explanation in explanations)[:1000]
    lettered = f'<g font-size="{_SIZE}" fill="{INK}">{drawn}</g>'
    return framed(lettered, round(across), round(height), label)
