"""Views of pyramids: a summary with its units highlighted, a pyramid drawn by tiers, and the report of a scoring.

Whatever comes from a file is shown as text: no label, comment or summary reaches the page as markup.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape
from math import ceil
from textwrap import wrap
from typing import cast

from touchstone.base.errors import visible
from touchstone.base.tables import Cell, Column, Table
from touchstone.core.comparison import Comparison
from touchstone.core.explanation import Explanation
from touchstone.core.inputs import Inputs
from touchstone.core.report.item_map import ItemTexts
from touchstone.core.results import Results
from touchstone.show.colours import EDGE, INK, MUTED, UNMATCHED_GROUND, WEIGHT_EDGE, WEIGHTS, WHITE, blended
from touchstone.show.page import Block, Figure, Fold, Paragraph, Passage, Section, TableBlock
from touchstone.show.svg import Markup, Svg, elided, fitting, framed, is_narrow, two_widths, width
from touchstone.tasks.pyramid.describing import describe, examples_table, tier_table
from touchstone.tasks.pyramid.explaining import ExplainedSet, Segment, SummaryExplanation, explain_summary
from touchstone.tasks.pyramid.joining import GoldSet, Run, unit_counts
from touchstone.tasks.pyramid.measures import MODIFIED, modified
from touchstone.tasks.pyramid.model import NO_UNIT, Annotation, Pyramid, Unit


def shade(weight: int, most: int) -> str:
    """Return the colour of a unit, deeper for heavier ones.

    >>> (shade(1, 4), shade(4, 4)) == WEIGHTS
    True
    """
    part = (weight - 1) / (most - 1) if most > 1 else 1.0
    return blended(WEIGHTS, part)


def highlighted(explanation: SummaryExplanation) -> Markup:
    """Return the peer's text as HTML, every unit marked in the colour of its weight and numbered where it ends."""
    segments = explanation.segments
    following = [segment.uids for segment in segments[1:]] + [()] * bool(segments)
    inner = "".join(_marked(explanation, segment, after) for segment, after in zip(segments, following, strict=True))
    style = f"color:{INK};white-space:pre-wrap;overflow-wrap:anywhere;line-height:1.9;padding:0.5rem 0.75rem"
    return Markup(f'<div class="summary" style="{style}">{inner}</div>{_legend(explanation.annotation.pyramid)}')


def _marked(explanation: SummaryExplanation, segment: Segment, after: Sequence[str]) -> str:
    text = _visible_html(segment.text)
    if not segment.uids:
        return text
    units = explanation.annotation.pyramid.by_uid
    heaviest = segment.uids[0]
    if heaviest == NO_UNIT:
        return f'<mark style="background:{UNMATCHED_GROUND};color:inherit" title="matches no unit">{text}</mark>'
    numbers = {expressed_unit.unit.uid: expressed_unit.number for expressed_unit in explanation.expressed}
    title = "; ".join(
        f"{numbers[uid]}: ({units[uid].weight}) {units[uid].label}" for uid in segment.uids if uid in units
    )
    ends = ", ".join(str(numbers[uid]) for uid in segment.uids if uid in numbers and uid not in after)
    colour = shade(units[heaviest].weight, _most(explanation.annotation.pyramid))
    mark = f'<mark style="background:{colour};color:inherit" title="{escape(visible(title))}">{text}</mark>'
    return f'{mark}<sup style="color:{MUTED};line-height:0">{ends}</sup>' if ends else mark


def _visible_html(text: str) -> str:
    return "\n".join(escape(visible(line)) for line in text.split("\n"))


def _legend(pyramid: Pyramid) -> str:
    weights = [weight for weight in pyramid.tiers if weight]
    boxes = [
        f'<mark style="background:{shade(weight, _most(pyramid))};color:inherit">&nbsp;{weight}&nbsp;</mark>'
        for weight in weights
    ]
    boxes.append(f'<mark style="background:{UNMATCHED_GROUND};color:inherit">&nbsp;no unit&nbsp;</mark>')
    style = f"color:{MUTED};font-size:0.875rem;padding:0 0.75rem 0.25rem"
    return f'<p class="legend" style="{style}">weight of the heaviest unit: {" ".join(boxes)}</p>'


def _most(pyramid: Pyramid) -> int:
    return max(pyramid.tiers, default=1)


GUTTER, NARROW_GUTTER, GAP, ROW_GAP, TOP = 110, 64, 4, 10, 46

LABELLED = 7
"""Units of the widest tier up to which boxes carry their labels."""


@dataclass(frozen=True)
class _Box:
    """The size of the boxes of a drawing, and how many stand side by side."""

    width: float
    height: float
    beside: int

    @classmethod
    def of(cls, pyramid: Pyramid) -> "_Box":
        widest = max((len(tier) for tier in pyramid.tiers.values()), default=1)
        area = width() - 2 * (NARROW_GUTTER if is_narrow() else GUTTER)
        if widest <= LABELLED and not is_narrow():
            return cls(min(150.0, area / widest - GAP), 46, widest)
        return cls(20, 20, int(area // (20 + GAP)))


@two_widths
def tiers_svg(pyramid: Pyramid, expressed: Mapping[str, int] | None = None, title: str = "") -> Svg:
    """Draw a pyramid by tiers, the heaviest on top, a box for each unit; its label shows under the pointer.

    Parameters
    ----------
    pyramid
        The pyramid.
    expressed
        How often each unit is expressed: only those are coloured, repeated ones with their number. All by default.
    title
        The heading; the document set by default.
    """
    box = _Box.of(pyramid)
    most = _most(pyramid)
    drawn: list[str] = []
    y = float(TOP)
    for weight in range(most, -1 if 0 in pyramid.tiers else 0, -1):
        units = pyramid.tiers.get(weight, ())
        drawn.append(_tier_name(weight, len(units), y, box))
        for row in _rows(units, box.beside):
            drawn += _row(row, y, box, shade(weight, most), expressed)
            y += box.height + GAP
        y += ROW_GAP
    label = title or f"Pyramid of {pyramid.set}"
    short = escape(elided(label, fitting(100)))
    heading = f'<text x="12" y="24" font-size="14" font-weight="bold" fill="{INK}">{short}</text>'
    return framed(heading + "".join(drawn), width(), y, label)


def _rows(units: Sequence[Unit], most: int) -> list[Sequence[Unit]]:
    """Return the units of a tier in as few rows as they need, all about as long."""
    size = ceil(len(units) / max(1, ceil(len(units) / most)))
    return [units[i : i + size] for i in range(0, len(units), size)] if units else [()]


def _tier_name(weight: int, units: int, y: float, box: _Box) -> str:
    middle = y + box.height / 2 + 4
    size = f"{units:,} unit{'' if units == 1 else 's'}"
    return (
        f'<text x="12" y="{middle:g}" font-size="12" fill="{INK}">weight {weight}</text>'
        f'<text x="{width() - 12}" y="{middle:g}" font-size="11" fill="{MUTED}" text-anchor="end">{size}</text>'
    )


def _row(units: Sequence[Unit], y: float, box: _Box, colour: str, expressed: Mapping[str, int] | None) -> Iterator[str]:
    across = len(units) * (box.width + GAP) - GAP
    for column, unit in enumerate(units):
        x = (width() - across) / 2 + column * (box.width + GAP)
        times = 1 if expressed is None else expressed.get(unit.uid, 0)
        yield _unit_box(unit, x, y, box, colour if times else WHITE, times)


def _unit_box(unit: Unit, x: float, y: float, box: _Box, colour: str, times: int) -> str:
    title = f"({unit.weight}) {unit.label}" + (f", {times} times" if times > 1 else "")
    stroke = WEIGHT_EDGE if times else EDGE
    return (
        f"<g><title>{escape(visible(title))}</title>"
        f'<rect x="{x:g}" y="{y:g}" width="{box.width:g}" height="{box.height:g}" rx="3" fill="{colour}" '
        f'stroke="{stroke}"/>{_written(unit, x, y, box, times)}</g>'
    )


def _written(unit: Unit, x: float, y: float, box: _Box, times: int) -> str:
    """Return the text of a box: its label if there is room, else how often it is expressed, if more than once."""
    if box.height > box.width or box.width < 60:
        lines = [f"{times}×"] if times > 1 else []
    else:
        again = f" ({times}×)" if times > 1 else ""
        # A character of this size is 5.6 wide on average.
        lines = _wrapped(visible(unit.label) + again, int(box.width / 5.6))
    # Lines are 13 apart and centred in the box: each further line moves the first up by half of that.
    first = y + box.height / 2 + 4 - (len(lines) - 1) * 6.5
    colour = INK if times else MUTED
    return "".join(
        f'<text x="{x + box.width / 2:g}" y="{first + 13 * line_index:g}" font-size="10.5" fill="{colour}" '
        f'text-anchor="middle">{escape(line)}</text>'
        for line_index, line in enumerate(lines)
    )


def _wrapped(label: str, width: int) -> list[str]:
    lines = wrap(label, width)
    return lines if len(lines) <= 3 else [*lines[:2], f"{lines[2][: width - 1]}…"]


SUMMARIES_AT_EACH_END = 3
"""Best and worst summaries shown in a report."""


def sections(inputs: Inputs[GoldSet, Run], results: Results, comparisons: Sequence[Comparison]) -> list[Section]:  # noqa: ARG001 (the form of all tasks)
    """Return what only pyramids have in their report: document sets, pyramids, units by weight, single summaries.

    A presence matrix has none of them.
    """
    annotations = inputs.gold.annotations
    if not annotations:
        return []
    pyramids = list({annotation.set: annotation.pyramid for annotation in annotations}.values())
    return [
        Section("Document sets", "sets", [TableBlock(sets_table(annotations))]),
        Section("Pyramids", "pyramids", _pyramids(pyramids)),
        Section("Units by weight", "weights", _weights(pyramids)),
        Section("Summaries", "summaries", _summaries(annotations)),
    ]


def item_texts(inputs: Inputs[GoldSet, Run], rows: Sequence[int]) -> ItemTexts:  # noqa: ARG001 (the form of all tasks)
    """Return no texts: those of a document set are too long for the map of items."""
    return ItemTexts(())


def draw(explained: ExplainedSet) -> Svg:
    """Return the drawing of one document set: its pyramid with the units that are expressed."""
    return tiers_svg(explained.pyramid, explained.expressed, explained.title)


def explanation_sections(explanation: Explanation) -> list[Section]:
    """Return the summaries of one document set, each with its text and its units; its pyramid if there are many."""
    explained = cast("ExplainedSet", explanation.drawing)
    if not explained.summaries:
        caption = "Coloured: the units that at least one summary expresses."
        return [Section("The pyramid", "pyramid", [Figure(draw(explained), caption)])]
    return [
        Section(
            summary.title if len(explained.summaries) > 1 else "",
            f"summary-{number}",
            [
                _passage(summary),
                TableBlock(summary.units_table()),
                _tiers_figure(summary),
                *map(TableBlock, summary.tables()[1:]),
            ],
        )
        for number, summary in enumerate(explained.summaries, 1)
    ]


def sets_table(annotations: Sequence[Annotation]) -> Table:
    """Return the document sets by difficulty: the mean modified score of all annotations of each."""
    scores: dict[str, list[float]] = {}
    pyramids = {annotation.set: annotation.pyramid for annotation in annotations}
    for annotation in annotations:
        scores.setdefault(annotation.set, []).append(modified(unit_counts(annotation)))
    rows: list[list[Cell]] = [
        [name, sum(values) / len(values), max(values), len(values), len(pyramids[name].units), pyramids[name].average]
        for name, values in sorted(scores.items(), key=lambda pair: sum(pair[1]) / len(pair[1]))
    ]
    heads = ("mean pyramid.modified", "best", "annotations", "units", "X")
    notes = ["hardest first; best: the highest score of a summary", X_MEANS]
    return Table([Column("set"), *(Column(head, "right") for head in heads)], rows, notes=notes)


X_MEANS = "X: units in a model summary, on average"


def _pyramids(pyramids: Sequence[Pyramid]) -> list[Block]:
    """Return the size of each pyramid and its drawing, folded where there are several."""
    described = describe(pyramids)
    optimum = "optimum(X): the most weight that X units can have; parts: pieces of text that contributors consist of"
    table = TableBlock(replace(described.tables[0], title="", notes=[*described.sentences, f"{X_MEANS}; {optimum}"]))
    if len(pyramids) == 1:
        return [table, Figure(tiers_svg(pyramids[0]))]
    drawn = [Fold(f"The pyramid of {pyramid.set}", [Figure(tiers_svg(pyramid))]) for pyramid in pyramids]
    return [
        Fold(f"The sizes of {len(pyramids):,} pyramids", [table]),
        Fold(f"Drawings of {len(pyramids):,} pyramids", drawn),
    ]


def _weights(pyramids: Sequence[Pyramid]) -> list[Block]:
    """Return what units of each weight are like, and examples, folded."""
    tiers, examples = tier_table(pyramids), examples_table(pyramids)
    either = "with either: with pronouns or pointing"
    return [
        TableBlock(replace(tiers, title="", notes=[*tiers.notes, either])),
        Fold(examples.title, [TableBlock(replace(examples, title=""))]),
    ]


def _summaries(annotations: Sequence[Annotation]) -> list[Block]:
    ranked = sorted(annotations, key=lambda annotation: -modified(unit_counts(annotation)))
    extremes = {
        id(annotation): annotation for annotation in (*ranked[:SUMMARIES_AT_EACH_END], *ranked[-SUMMARIES_AT_EACH_END:])
    }
    blocks: list[Block] = [Paragraph("The best and the worst summaries under pyramid.modified.")]
    for summary in map(explain_summary, extremes.values()):
        tables = [TableBlock(summary.units_table())] if summary.expressed else []
        title = f"{summary.title} ({summary.values[MODIFIED]:.3f})"
        blocks.append(Fold(title, [_passage(summary), *tables, _tiers_figure(summary)]))
    return blocks


def _passage(explanation: SummaryExplanation) -> Passage:
    return Passage(highlighted(explanation), "The text under the pointer names its units.")


def _tiers_figure(explanation: SummaryExplanation) -> Figure:
    pyramid = explanation.annotation.pyramid
    return Figure(tiers_svg(pyramid, explanation.counts.counts), "Coloured: the units that the summary expresses.")
