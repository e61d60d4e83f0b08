"""Reports of automatic pyramid scores: peers, units and their probabilities; and of how far they agree with people."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from html import escape

from touchstone.base.errors import visible
from touchstone.base.tables import counted
from touchstone.show.colours import INK, MUTED, PROBABILITIES, WHITE, blended
from touchstone.show.figures import Bin, Estimate, calibration, intervals
from touchstone.show.page import Block, Figure, Fold, Html, Paragraph, Passage, Section, TableBlock
from touchstone.show.plots import Axis, Dot, Panel, panel_grid
from touchstone.show.svg import Markup, Svg, elided, framed, is_narrow, two_widths, width
from touchstone.systems.pyramids import AutomaticScores, Evaluation
from touchstone.tasks.pyramid.explaining import explain_summary
from touchstone.tasks.pyramid.measures import MODIFIED, SOFT
from touchstone.tasks.pyramid.model import Annotation
from touchstone.tasks.pyramid.report import highlighted

MOST_UNITS = 40
"""Units of a document set that the picture of probabilities shows: the heaviest."""

MARKED, FEW = 30, 6
"""Summaries of a document set that are shown with their units marked; more than a few are folded together."""


def scores_sections(scores: AutomaticScores) -> list[Section]:
    """Return the sections of the report of automatic scores."""
    means = scores.means
    ordered = replace(scores, annotations=sorted(scores.annotations, key=lambda annotation: -means[annotation.peer][0]))
    sets: dict[str, list[Annotation]] = {annotation.set: [] for annotation in scores.annotations}
    for annotation in ordered.annotations:
        sets[annotation.set].append(annotation)
    overview: list[Block] = [
        Html(_peers(means)),
        Paragraph(f"Peers in the order of {SOFT}{', means over document sets' * (len(sets) > 1)}."),
        Fold("All scores", [TableBlock(ordered.table())]),
    ]
    sections = [Section("Scores", "scores", overview)]
    for number, (name, annotations) in enumerate(sets.items()):
        caption = (
            "The darker, the more probable; a dot marks what counts as expressed. "
            f"The {MOST_UNITS} heaviest units at most."
        )
        blocks: list[Block] = [Figure(probabilities_figure(annotations), caption)]
        summaries = [_summary(annotation) for annotation in annotations[:MARKED]]
        blocks += [Fold(f"{len(summaries)} summaries", summaries)] if len(summaries) > FEW else summaries
        sections.append(Section(f"Set {name}", f"set-{number}", blocks))
    return sections


def _peers(means: Mapping[str, tuple[float, float]]) -> Markup:
    """Return a dot for each peer under both scores, on one axis."""
    axis = Axis.of(value for both in means.values() for value in both)
    titles = (SOFT, f"{MODIFIED} (hard)")
    return panel_grid(
        [
            Panel(title, [Dot(visible(peer), both[index]) for peer, both in means.items()], axis, first="peer")
            for index, title in enumerate(titles)
        ]
    )


def _summary(annotation: Annotation) -> Block:
    explanation = explain_summary(annotation)
    passage = Passage(highlighted(explanation), "The words that support each unit with p > .5, as the machine sees it.")
    return Fold(
        f"peer {visible(annotation.peer)}: {counted(len(annotation.counts), 'unit')} expressed",
        [passage, TableBlock(explanation.units_table())],
    )


CELL, WIDEST, LETTER = 18, 54.0, 6.2
"""Units down a row, across the widest column, and across a letter of a label."""


@two_widths
def probabilities_figure(annotations: Sequence[Annotation]) -> Svg:
    """Draw the probability of each unit in each peer: units in rows, the heaviest on top, peers in columns.

    The figure is as wide as its labels and columns need.
    """
    units = sorted(annotations[0].pyramid.units, key=lambda unit: -unit.weight)[:MOST_UNITS]
    labels = [f"({unit.weight}) {visible(unit.label)}" for unit in units]
    peers = [elided(annotation.peer, 14) for annotation in annotations]
    longest = LETTER * max(map(len, peers))
    room = width() - 24.0
    size = min(WIDEST, room * (0.6 if is_narrow() else 0.45) / len(peers))
    level = longest + 4 <= size and not is_narrow()
    size = size if level else min(size, WIDEST / 2)
    # At 60 degrees a name is half as wide as it is long, and .87 of that high.
    after = 0.0 if level else longest / 2  # slanted names reach beyond the last column
    left = min(12 + LETTER * max(map(len, labels)) + 8, room - size * len(peers) - after)
    top = 34 + 18 if level else 34 + 0.87 * longest + 12
    title = f"Set {annotations[0].set}: probability of each unit"
    across = max(left + size * len(peers) + after + 12, min(width(), 24 + 8.0 * len(title)))
    drawn = [
        f'<text x="12" y="22" font-size="14" font-weight="bold" fill="{INK}">'
        f"{escape(elided(title, int((across - 24) / 8)))}</text>"
    ]
    for column, name in enumerate(peers):
        x, y = left + size * (column + 0.5), top - 6
        anchor = f'x="{x:.1f}" y="{y:.1f}" text-anchor="middle"'
        anchor = anchor if level else f'transform="translate({x:.1f},{y:.1f}) rotate(-60)"'
        drawn.append(f'<text {anchor} font-size="{min(11.0, 1.2 * size):.3g}" fill="{MUTED}">{escape(name)}</text>')
    for row, (unit, label) in enumerate(zip(units, labels, strict=True)):
        y = top + CELL * row
        label_text = escape(shorten(label, (left - 20) / LETTER))
        drawn.append(f'<text x="12" y="{y + 13:.1f}" font-size="11" fill="{INK}">{label_text}</text>')
        drawn += [
            _cell(
                left + size * column,
                y,
                size,
                annotation.probabilities.get(unit.uid, 0.0),
                f"peer {annotation.peer}: {unit.label}",
            )
            for column, annotation in enumerate(annotations)
        ]
    return framed("".join(drawn), round(across), round(top + CELL * len(units) + 12), title)


def shorten(label: str, letters: float) -> str:
    """Return the beginning of a *label*, as much as there is room for.

    >>> shorten("(4) The bridge is closed", 12.5)
    '(4) The bri…'
    """
    return label if len(label) <= letters else f"{label[: max(0, int(letters) - 1)].rstrip()}…"


def _cell(x: float, y: float, width: float, p: float, label: str) -> str:
    """Return a cell, darker for a higher probability, with a dot where the unit counts as expressed."""
    title = f"<title>{escape(visible(label))}: p = {p:.2f}</title>"
    colour = blended(PROBABILITIES, p)
    cell = f'<rect x="{x:.1f}" y="{y:.1f}" width="{width - 1:.1f}" height="{CELL - 1}" fill="{colour}">{title}</rect>'
    middle = f'cx="{x + (width - 1) / 2:.1f}" cy="{y + (CELL - 1) / 2:.1f}"'
    dot = f'<circle {middle} r="{min(2.5, width / 4):.3g}" fill="{WHITE}"/>'
    return cell + dot if p > 0.5 else cell


def evaluation_sections(evaluation: Evaluation) -> list[Section]:
    """Return the sections of the report of an evaluation: correlations with people, decisions, calibration."""
    correlations, decisions, _ = evaluation.tables()
    means = {name: evaluation.interval(values) for name, values in evaluation.summary_r.items()}
    bars = [Estimate(name, *value) for name, value in means.items()]
    drawn = intervals(bars, "Correlation with people over the summaries of a document set")
    agreement: list[Block] = [
        Figure(drawn, "Means over document sets; intervals resample sets."),
        TableBlock(correlations),
    ]
    curve = Figure(calibration_figure(evaluation.calibration), "On the line, probabilities are what they say.")
    return [
        Section("Scores of summaries", "scores", agreement),
        Section("Decisions about units", "decisions", [TableBlock(decisions), curve]),
    ]


def calibration_figure(bins: Sequence[tuple[float, float, int]]) -> Svg:
    """Draw the share of present units against their probability."""
    drawn = [Bin(probability, share, n=n) for probability, share, n in bins]
    return calibration({"": drawn}, ("probability", "share of units present"), "Calibration")
