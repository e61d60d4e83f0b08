"""The report on a judge: agreement, bias, calibration, pairs and ranks, each with its figure."""

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
from touchstone.show import figures
from touchstone.show.clouds import Cloud, Dot, clouds
from touchstone.show.figures import Estimate
from touchstone.show.page import Block, Figure, Page, Paragraph, Section, TableBlock
from touchstone.show.svg import Svg


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


def bias_figure(judging: Judging) -> Svg:
    """Return how far the judge favours each level over the rest: dots with whiskers, a line at no bias."""
    estimates = [
        Estimate(f"{one.field}: {one.level}", one.against_rest, one.low, one.high) for one in judging.biases[1:]
    ]
    return figures.intervals(estimates, "Bias against the rest", "judge − people, against the rest", line=0.0)


def _calibration(judging: Judging) -> list[Block]:
    caption = (
        "Outputs in bins of the judge's score: what the judge gives them on average, and what people give them, with "
        "intervals. On the line both give the same."
    )
    return [Figure(calibration_figure(judging), caption), TableBlock(calibration_table(judging))]


def calibration_figure(judging: Judging) -> Svg:
    """Return the mean score by people over the mean score by the judge, bin by bin, beside the line of equality."""
    bins = [
        figures.Bin(one.judge, one.human, one.interval.low, one.interval.high, one.n) for one in judging.calibration
    ]
    labels = "judge, mean of the bin", "people, mean of the bin"
    return figures.calibration({"": bins}, labels, "Calibration", shares=False)


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
