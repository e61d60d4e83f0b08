"""The matching behind a score as a picture: two rows of words, and between them a link for each pair that was matched.

After Figure 1 of Chan and Ng (2008). Each part of the score has a panel. A link has the colour and the dashes of its
stage, and its weight written on it where that is not 1; n-grams and relations are brackets over the words that they
cover; words without a link are grey.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from itertools import accumulate

from touchstone.core.errors import visible
from touchstone.core.matching import Link
from touchstone.core.tables import number
from touchstone.report.svg import INK, MUTED, PALETTE, Svg
from touchstone.tasks.mt.model import Explanation, Layer

LONGEST_DRAWN = 150
"""Words of a side; nobody reads an alignment of more, and a page must not drown in one."""

UNMATCHED = "#a3abb5"

_SIZE, _LETTER, _GAP, _WIDEST_GAP = 15, 8.6, 14.0, 60.0
"""In pixels: size of letters, their mean width, the gap between words, the widest that a short row is stretched to."""
_EDGE, _NAME, _LINE, _BETWEEN, _LEVEL = 18.0, 84.0, 22.0, 84.0, 8.0
"""In pixels: margin, width of the names of the rows, a line of text, between the rows, between brackets."""

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


def draw_alignments(explanations: Sequence[Explanation]) -> Svg:
    """Return explanations one under the other, a panel for each part of each, with a legend of the stages."""
    styles = _styles(explanations)
    drawn: list[str] = []
    top, width = _EDGE, 0.0
    for one in explanations:
        drawn.append(_text(_EDGE, top + _SIZE, _heading(one), "font-weight='bold'"))
        top += _LINE + 8
        for layer in one.layers:
            panel = _Panel(one, layer, top, styles)
            drawn.extend(panel.drawn())
            top, width = panel.bottom, max(width, panel.width)
        top += 10
    drawn.append(_legend(styles, top + 4))
    width = max(width, _EDGE * 2 + 8.0 * max(len(_heading(one)) for one in explanations), 600.0)
    return _sheet("".join(drawn), width, top + _LINE + 10, explanations)


@dataclass(frozen=True)
class _Words:
    """A row of words, and where each of them stands."""

    words: tuple[str, ...]
    middles: tuple[float, ...]
    width: float

    @classmethod
    def spread(cls, words: Sequence[str], wanted: float) -> "_Words":
        """Return *words* in a row, stretched towards the *wanted* width, that of the longer row."""
        shown = tuple(visible(word) for word in words[:LONGEST_DRAWN])
        widths = [_LETTER * max(len(word), 1) for word in shown]
        gap = _GAP
        if len(widths) > 1:
            gap = max(_GAP, min(_WIDEST_GAP, (wanted - sum(widths)) / (len(widths) - 1)))
        lefts = list(accumulate((width + gap for width in widths), initial=_EDGE + _NAME))
        middles = tuple(left + width / 2 for left, width in zip(lefts, widths, strict=False))
        return cls(shown, middles, lefts[-1] - gap - _EDGE - _NAME if widths else 0.0)


@dataclass(frozen=True)
class _Node:
    """Where a link ends: the point, and the bracket over the words of an item that has several."""

    x: float
    y: float
    bracket: str = ""


class _Panel:
    """One part of a score, drawn from *top* down."""

    def __init__(
        self, explanation: Explanation, layer: Layer, top: float, styles: Mapping[str, tuple[str, str]]
    ) -> None:
        self.layer, self.top, self.styles = layer, top, styles
        left, right = _sides(explanation, layer)
        self.places = _places(layer.left_places, left), _places(layer.right_places, right)
        wanted = max(_Words.spread(words, 0).width for words in (left, right))
        self.rows = _Words.spread(left, wanted), _Words.spread(right, wanted)
        levels = [_levels(places) for places in self.places]
        deep = [_LEVEL * (max(level, default=-1) + 1) for level in levels]
        self.upper = top + _LINE + _SIZE + 4
        self.lower = self.upper + deep[0] + _BETWEEN + deep[1] + _SIZE
        self.nodes = (
            _nodes(self.rows[0], self.places[0], levels[0], self.upper + 7, 1),
            _nodes(self.rows[1], self.places[1], levels[1], self.lower - _SIZE - 2, -1),
        )
        self.bottom = self.lower + 22
        self.width = _EDGE * 2 + _NAME + wanted

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
        yield from self._words(0, "system", self.upper, {link.left for link in every})
        yield from self._words(1, "reference", self.lower, {link.right for link in every})

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
        halo = "stroke='#fff' stroke-width='4' paint-order='stroke' text-anchor='middle' font-size='11'"
        taken: list[tuple[float, float]] = []
        for link in sorted(links, key=lambda link: link.left):
            start, end = self.nodes[0][link.left], self.nodes[1][link.right]
            ways = [(start.x + way * (end.x - start.x), start.y + way * (end.y - start.y) + 4) for way in _HEIGHTS]
            free = (at for at in ways if all(abs(at[0] - x) > 26 or abs(at[1] - y) > 11 for x, y in taken))
            taken.append(next(free, ways[0]))
            yield _text(*taken[-1], number(link.weight, 2), f"{halo} fill='{self.styles[link.stage][0]}'")

    def _words(self, side: int, name: str, y: float, linked: set[int]) -> Iterator[str]:
        yield _text(_EDGE, y, name, f"fill='{MUTED}' font-size='13'")
        row, places = self.rows[side], self.places[side]
        met = {place for item in linked for place in places[item]}
        for place, (word, x) in enumerate(zip(row.words, row.middles, strict=True)):
            colour = INK if place in met else UNMATCHED
            yield _text(x, y, word, f"text-anchor='middle' fill='{colour}'")


def _sides(explanation: Explanation, layer: Layer) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the words that a panel shows: those of the sentences, or the items where they cover no known words."""
    if layer.left_places or layer.right_places:
        return explanation.hypothesis, explanation.reference
    return layer.left, layer.right


def _places(places: Places, words: Sequence[str]) -> Places:
    return places or [(place,) for place in range(len(words))]


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


def _nodes(row: _Words, places: Places, levels: Sequence[int], y: float, down: int) -> dict[int, _Node]:
    """Return the ends of links of all items whose words are drawn; *down* is 1 under a row and -1 over it."""
    nodes = {}
    for item, (covered, level) in enumerate(zip(places, levels, strict=True)):
        if not covered or max(covered) >= len(row.words):
            continue
        first, last = row.middles[min(covered)], row.middles[max(covered)]
        if level < 0:
            nodes[item] = _Node(first, y)
            continue
        at = y + down * _LEVEL * level
        ticks = f"M{first:.1f} {at - down * 4:.1f}V{at:.1f}H{last:.1f}V{at - down * 4:.1f}"
        nodes[item] = _Node((first + last) / 2, at, ticks)
    return nodes


def _styles(explanations: Sequence[Explanation]) -> dict[str, tuple[str, str]]:
    """Return colour and dashes of each stage, in the order in which stages appear."""
    stages = dict.fromkeys(link.stage for one in explanations for layer in one.layers for link in layer.matching.links)
    unknown = [stage for stage in stages if stage not in _STYLES]
    spare = {stage: _OTHERS[place % len(_OTHERS)] for place, stage in enumerate(unknown)}
    return {stage: _STYLES.get(stage) or spare[stage] for stage in stages}


def _legend(styles: Mapping[str, tuple[str, str]], y: float) -> str:
    drawn, x = [], _EDGE
    for stage, (colour, dashes) in styles.items():
        dashed = f" stroke-dasharray='{dashes}'" if dashes else ""
        drawn.append(f"<path d='M{x:g} {y:g}h28' fill='none' stroke='{colour}' stroke-width='2'{dashed}/>")
        drawn.append(_text(x + 34, y + 4, stage, "font-size='12'"))
        x += 34 + 7 * len(stage) + 22
    drawn.append(_text(x, y + 4, "grey: unmatched; a link without a number weighs 1", f"fill='{MUTED}' font-size='12'"))
    return "".join(drawn)


def _heading(explanation: Explanation) -> str:
    longest = max((len(side) for layer in explanation.layers for side in _sides(explanation, layer)), default=0)
    cut = f" (the first {LONGEST_DRAWN} of {longest:,} words are drawn)" if longest > LONGEST_DRAWN else ""
    place, count = explanation.reference_of
    whole = explanation.value if explanation.whole is None else explanation.whole
    earned = f"{explanation.measure} {number(whole)}"
    if count > 1:
        earned += f" over {count} references; with reference {place}: {number(explanation.value)}"
    return f"segment {explanation.segment}, {explanation.system}: {earned}{cut}"


def _text(x: float, y: float, text: str, attributes: str = "") -> str:
    return f"<text x='{x:.1f}' y='{y:.1f}' {attributes}>{escape(visible(text))}</text>"


def _sheet(drawn: str, width: float, height: float, explanations: Sequence[Explanation]) -> Svg:
    label = escape("; ".join(f"alignment of {_heading(one)}" for one in explanations)[:1000], quote=True)
    # Its own white ground: the picture reads the same on a dark page.
    return Svg(
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
        f'viewBox="0 0 {width:.0f} {height:.0f}" role="img" aria-label="{label}" font-size="{_SIZE}" fill="{INK}" '
        f"font-family=\"system-ui, 'Segoe UI', Roboto, Arial, sans-serif\" "
        f'style="min-width:{width:.0f}px"><rect width="100%" height="100%" rx="6" fill="#ffffff"/>{drawn}</svg>'
    )
