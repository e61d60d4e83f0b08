"""Reports of automatic pyramid scores: peers, units and their probabilities; and of how far they agree with people."""

from collections.abc import Sequence
from html import escape

import numpy as np

from touchstone.core.errors import visible
from touchstone.core.tables import counted, number
from touchstone.report.figures import Estimate, intervals
from touchstone.report.page import Block, Figure, Fold, Page, Paragraph, Passage, Section, TableBlock
from touchstone.report.pyramid import highlighted
from touchstone.report.svg import (
    BETTER,
    FONTS,
    INK,
    MUTED,
    Svg,
    drawing,
    elided,
    finished,
    fitting,
    sheet,
    two_widths,
    width,
)
from touchstone.tasks.pyramid.automatic import AutomaticScores, Evaluation
from touchstone.tasks.pyramid.explaining import explain_summary
from touchstone.tasks.pyramid.joining import unit_counts
from touchstone.tasks.pyramid.measures import SOFT, soft
from touchstone.tasks.pyramid.model import Annotation

SHOWN = 40
"""Units of a document set that the picture of probabilities shows: the heaviest."""

MARKED = 30
"""Summaries of a report that are shown with their units marked."""

WARNING = "A machine made these scores, and nobody has read the summaries: annotate some of them to see what the \
scores are worth on your data (touchstone pyramid estimate joins both)."


def scores_page(scores: AutomaticScores) -> Page:
    """Return the report of automatic scores."""
    sets: dict[str, list[Annotation]] = {}
    for one in scores.annotations:
        sets.setdefault(one.set, []).append(one)
    overview: list[Block] = [TableBlock(scores.table()), *map(Paragraph, scores.notes)]
    sections = [Section("Scores", "scores", overview)]
    for place, (name, own) in enumerate(sets.items()):
        caption = (
            f"The darker, the more probable; a dot marks what counts as expressed. The {SHOWN} heaviest units at most."
        )
        blocks: list[Block] = [Figure(probabilities_figure(own), caption)]
        blocks += [_summary(one) for one in own[:MARKED]]
        sections.append(Section(f"Set {name}", f"set-{place}", blocks))
    subtitle = f"{counted(len(scores.annotations), 'summary')}, {counted(len(sets), 'document set')}"
    verdict = [_highest(scores.annotations), WARNING]
    return Page("Automatic pyramid scores", sections, subtitle, scores.signature, verdict=verdict)


def _highest(annotations: Sequence[Annotation]) -> str:
    """Return which peer has the highest mean score, in a sentence."""
    given: dict[str, list[float]] = {}
    for one in annotations:
        given.setdefault(one.peer, []).append(soft(unit_counts(one)))
    means = {peer: sum(values) / len(values) for peer, values in given.items()}
    best = max(means, key=lambda peer: means[peer])
    if len(means) == 1:
        return f"Peer {best} scores {number(means[best])} of {SOFT}."
    return f"Peer {best} scores highest of {counted(len(means), 'peer')}: {number(means[best])} of {SOFT}."


def _summary(one: Annotation) -> Block:
    shown = explain_summary(one)
    passage = Passage(highlighted(shown), "The words that support each unit with p > .5, as the machine sees it.")
    return Fold(
        f"peer {visible(one.peer)}: {counted(len(one.counts), 'unit')} expressed",
        [passage, TableBlock(shown.units_table())],
    )


CELL, TOP = 18, 84


@two_widths
def probabilities_figure(annotations: Sequence[Annotation]) -> Svg:
    """Draw the probability of each unit in each peer: units in rows, the heaviest on top, peers in columns."""
    units = sorted(annotations[0].pyramid.units, key=lambda unit: -unit.weight)[:SHOWN]
    across = width()
    left = across * 0.4
    size = min(CELL * 2.0, (across - left - 30) / max(1, len(annotations)))
    height = TOP + CELL * len(units) + 12
    title = f"Set {annotations[0].set}: probability of each unit"
    short = escape(elided(title, fitting(100)))
    drawn = [f'<text x="12" y="22" font-size="14" font-weight="bold" fill="{INK}">{short}</text>']
    for column, one in enumerate(annotations):
        x = left + size * (column + 0.5)
        drawn.append(
            f'<text transform="translate({x:.1f},{TOP - 6}) rotate(-60)" font-size="11" fill="{MUTED}">'
            f"{escape(elided(visible(one.peer), 14))}</text>"
        )
    for row, unit in enumerate(units):
        y = TOP + CELL * row
        label = elided(f"({unit.weight}) {visible(unit.label)}", fitting(54))
        drawn.append(
            f'<text x="{left - 8:g}" y="{y + 13}" font-size="11" text-anchor="end" fill="{INK}">{escape(label)}</text>'
        )
        drawn += [
            _cell(left + size * column, y, size, one.probabilities.get(unit.uid, 0.0), f"peer {one.peer}: {unit.label}")
            for column, one in enumerate(annotations)
        ]
    style = f"max-width:100%;height:auto;background:#ffffff;font-family:{FONTS}"
    return Svg(
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {across} {height}" width="{across}" height="{height}" '
        f'role="img" aria-label="{escape(visible(title))}" style="{style}">{"".join(drawn)}</svg>'
    )


def _cell(x: float, y: float, width: float, p: float, label: str) -> str:
    """Return a cell, darker for a higher probability, with a dot where the unit counts as expressed."""
    blue = "#{:02x}{:02x}{:02x}".format(*(round(245 - p * (245 - dark)) for dark in (31, 119, 180)))
    title = f"<title>{escape(visible(label))}: p = {p:.2f}</title>"
    cell = f'<rect x="{x:.1f}" y="{y}" width="{width - 1:.1f}" height="{CELL - 1}" fill="{blue}">{title}</rect>'
    dot = f'<circle cx="{x + (width - 1) / 2:.1f}" cy="{y + (CELL - 1) / 2:.1f}" r="2.5" fill="#ffffff"/>'
    return cell + dot if p > 0.5 else cell


def evaluation_page(evaluation: Evaluation) -> Page:
    """Return the report of an evaluation: correlations with people, decisions, calibration."""
    correlations, decisions, _ = evaluation.tables()
    means = {name: evaluation.interval(values) for name, values in evaluation.summary_r.items()}
    bars = [Estimate(name, *value) for name, value in means.items()]
    drawn = intervals(bars, "Correlation with people over the summaries of a document set")
    agreement: list[Block] = [
        Figure(drawn, "Means over document sets; intervals resample sets."),
        TableBlock(correlations),
    ]
    curve = Figure(calibration_figure(evaluation.calibration), "On the line, probabilities are what they say.")
    sections = [
        Section("Scores of summaries", "scores", agreement),
        Section("Decisions about units", "decisions", [TableBlock(decisions), curve]),
    ]
    summaries = sum(len(one.peers) for one in evaluation.sets)
    subtitle = f"{counted(summaries, 'summary')}, {counted(len(evaluation.sets), 'document set')}"
    verdict = _evaluation_verdict(evaluation)
    return Page("Automatic pyramid scores and people", sections, subtitle, evaluation.signature, verdict=verdict)


def _evaluation_verdict(evaluation: Evaluation) -> list[str]:
    """Return how scores go with people's, beside the best baseline, and how well single units are found."""
    name, other = next(iter(evaluation.scores)), evaluation.best_baseline
    r, low, high = (number(one) for one in evaluation.interval(evaluation.summary_r[name]))
    beside = number(evaluation.interval(evaluation.summary_r[other])[0])
    return [
        f"Over the summaries of a document set, automatic scores go with people's at r = {r} "
        f"(95% interval {low} to {high}); the best baseline, {other}, at {beside}.",
        f"Units that people found are told from others with AUC {number(evaluation.auc)}, F1 {number(evaluation.f1)}.",
    ]


@drawing
def calibration_figure(bins: Sequence[tuple[float, float, int]]) -> Svg:
    """Draw the share of present units against their probability."""
    figure = sheet(320, "Calibration")
    axes = figure.subplots()
    axes.plot([0, 1], [0, 1], color=MUTED, linewidth=0.9, linestyle=(0, (1, 2)))
    sizes = np.sqrt([n for *_, n in bins])
    axes.scatter([p for p, *_ in bins], [share for _, share, _ in bins], s=15 + 90 * sizes / sizes.max(), color=BETTER)
    axes.set_xlabel("probability")
    axes.set_ylabel("share of units present")
    axes.set_xlim(0, 1)
    axes.set_ylim(0, 1)
    return finished(figure, "calibration: share of units that are present, by probability")
