"""The report on a judge: agreement, bias, calibration, pairs and ranks, each with its figure."""

from typing import TYPE_CHECKING

import numpy as np

from touchstone.judge.assessing import Judging
from touchstone.judge.assessing_tables import (
    NAMES,
    agreement_table,
    bias_table,
    calibration_table,
    pairs_table,
    ranking_table,
    sentences,
    swaps_table,
)
from touchstone.show import figures, panels
from touchstone.show.clouds import Cloud, Dot, clouds
from touchstone.show.figures import Estimate, estimated_numbers
from touchstone.show.page import Block, Figure, Page, Paragraph, Section, TableBlock
from touchstone.show.svg import BETTER, MUTED, Svg, drawing, elided, finished, is_narrow, sheet

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def judging_page(judging: Judging) -> Page:
    """Return the report: what was found in sentences, then each part with its figure and table."""
    said = [f"{one[:1].upper()}{one[1:]}." for one in sentences(judging)]
    sections = [
        *([Section("In short", "short", [Paragraph(one) for one in said[2:]])] if said[2:] else []),
        Section("Agreement", "agreement", _agreement(judging)),
        Section("Bias", "bias", _bias(judging)),
        Section("Calibration", "calibration", _calibration(judging)),
    ]
    if judging.pairs:
        sections.append(Section("Pairs that people score differently", "pairs", _pairs(judging)))
    if judging.by_people is not None and judging.by_judge is not None:
        sections.append(Section("Ranking", "ranking", _ranking(judging)))
    if judging.notes:
        sections.append(Section("Notes", "notes", [Paragraph(note) for note in judging.notes]))
    outputs = f"{judging.outputs:,} outputs of {judging.systems} system{'s' * (judging.systems > 1)}"
    version = judging.signature.get("touchstone", "")
    subtitle = f"{judging.measure} on {outputs} that people and the judge scored"
    return Page("The judge beside people", sections, subtitle, judging.signature, f"touchstone {version}", said[:2])


def _agreement(judging: Judging) -> list[Block]:
    estimates = []
    for one in judging.agreement:
        estimates.append(Estimate("judge", one.judge_value, one.judge.low, one.judge.high, NAMES[one.name]))
        if judging.annotators:
            estimates.append(Estimate("people", one.people_value, one.people.low, one.people.high, NAMES[one.name]))
    caption = "The judge with people" + "; one of the people with the others, on the same outputs" * judging.annotators
    drawn = figures.intervals(estimates, "Agreement with people")
    return [Figure(drawn, f"{caption}."), TableBlock(agreement_table(judging))]


def _bias(judging: Judging) -> list[Block]:
    table = TableBlock(bias_table(judging))
    if len(judging.biases) == 1:
        return [table]
    caption = (
        "Judge less people on each level, compared with the same on all other levels of the field: to the right of the "
        "line the judge favours it."
    )
    return [Figure(bias_figure(judging), caption), table]


@drawing
def bias_figure(judging: Judging) -> Svg:
    """Return how far the judge favours each level over the rest: dots with whiskers, a line at no bias."""
    levels = judging.biases[1:]
    figure = sheet(len(levels) * 22 + 96, "Bias against the rest")
    axes = figure.subplots()
    estimates = [Estimate(one.level, one.against_rest, one.low, one.high) for one in levels]
    axes.axvline(0, color=MUTED, linewidth=0.8)
    panels.dots(axes, estimated_numbers(estimates))
    axes.set_yticks(
        range(len(levels)), [elided(f"{one.field}: {one.level}", 16 if is_narrow() else 40) for one in levels]
    )
    axes.set_xlabel("judge − people, against the rest")
    return finished(figure, f"bias on {len(levels)} levels")


def _calibration(judging: Judging) -> list[Block]:
    caption = (
        "Outputs in bins of the judge's score: what the judge gives them on average, and what people give them, with "
        "intervals. On the line both give the same."
    )
    return [Figure(calibration_figure(judging), caption), TableBlock(calibration_table(judging))]


@drawing
def calibration_figure(judging: Judging) -> Svg:
    """Return the mean score by people over the mean score by the judge, bin by bin, beside the line of equality."""
    figure = sheet(430, "Calibration")
    axes = figure.subplots()
    across = np.array([one.judge for one in judging.calibration])
    up, low, high = np.array([(one.human, one.interval.low, one.interval.high) for one in judging.calibration]).T
    _diagonal(axes, np.concatenate([across, up, low, high]))
    axes.vlines(across, low, high, color=BETTER, linewidth=1.8, alpha=0.55)
    axes.plot(across, up, "o-", color=BETTER, markersize=6.5, linewidth=1.2)
    axes.set_xlabel("judge, mean of the bin")
    axes.set_ylabel("people, mean of the bin")
    axes.tick_params(axis="y", labelcolor=MUTED, labelsize=11)
    return finished(figure, f"calibration in {len(across)} bins")


def _diagonal(axes: "Axes", numbers: "np.ndarray[tuple[int], np.dtype[np.float64]]") -> None:
    ends = [float(np.nanmin(numbers)), float(np.nanmax(numbers))]
    axes.plot(ends, ends, color=MUTED, linewidth=0.9, linestyle=(0, (4, 3)))


def _pairs(judging: Judging) -> list[Block]:
    table = pairs_table(judging)
    estimates = [
        Estimate(str(row[0]), one.value, one.interval.low, one.interval.high)
        for row, one in zip(table.rows, judging.pairs, strict=True)
    ]
    drawn = figures.intervals(estimates, "Pairs in the order of people", "accuracy of the judge; 0.5 is chance")
    caption = "Rows: how far the scores of people for the two outputs differ."
    return [Figure(drawn, caption), TableBlock(table)]


def _ranking(judging: Judging) -> list[Block]:
    judged = {row.system: row.value for row in judging.by_judge.standings} if judging.by_judge else {}
    rows = judging.by_people.standings if judging.by_people else ()
    dots = [Dot(row.system, judged[row.system], row.value, row.low, row.high) for row in rows]
    drawn = clouds([Cloud(f"{len(dots)} systems", dots)], "judge", "people", "Systems by people and by the judge")
    tables = [ranking_table(judging), *([swaps_table(judging)] if judging.swaps else [])]
    caption = "A dot for each system; the line through it is the interval of people's value."
    return [Figure(drawn, caption), *map(TableBlock, tables)]
