"""What people give the outputs that the judge scores alike."""

from collections.abc import Sequence
from dataclasses import dataclass

from touchstone.base.tables import Cell, Column, Table, number
from touchstone.core.resampling import Resampling, interval_heading, interval_text
from touchstone.judge.checks import estimate_row, interval_notes, judge_check, span
from touchstone.judge.paired import Paired
from touchstone.show.finding import Finding, Statement
from touchstone.show.page import Figure, Section, TableBlock
from touchstone.show.svg import Svg
from touchstone.stats.judge import Bin
from touchstone.stats.judge import calibration as calibration_bins


@dataclass(frozen=True, eq=False, repr=False)
class Calibration(Finding):
    """Outputs in *bins* of the judge's score, with the mean score of people in each."""

    measure: str
    bins: Sequence[Bin]
    resampling: Resampling

    def statement(self) -> Statement:
        """Return the bins."""
        rows = [
            {
                "kind": "calibration",
                "measure": self.measure,
                "from": score_bin.lowest,
                "to": score_bin.highest,
                "n": score_bin.n,
                "judge": score_bin.judge,
                "people": estimate_row(score_bin.human, score_bin.interval),
            }
            for score_bin in self.bins
        ]
        return Statement("Calibration", [self.table()], rows, sections=self._sections)

    def table(self) -> Table:
        """Return the mean score by people of outputs that the judge scores alike."""
        rows: list[list[Cell]] = [
            [
                span(score_bin.lowest, score_bin.highest),
                score_bin.n,
                score_bin.judge,
                score_bin.human,
                interval_text(score_bin.interval.low, score_bin.interval.high),
                number(score_bin.human - score_bin.judge),
            ]
            for score_bin in self.bins
        ]
        heads = ["outputs", "judge", "people", interval_heading(self.resampling.level), "people − judge"]
        notes = interval_notes([score_bin.interval.note for score_bin in self.bins], self.resampling.over)
        columns = [Column("judge from – to"), *(Column(head, "right") for head in heads)]
        return Table(columns, rows, f"{self.measure}: calibration", notes)

    def _sections(self) -> list[Section]:
        caption = (
            "Outputs in bins of the judge's score: what the judge gives them on average, and what people give them, "
            "with intervals. On the line both give the same."
        )
        return [Section("Calibration", "calibration", [Figure(self.figure(), caption), TableBlock(self.table())])]

    def figure(self) -> Svg:
        """Return the mean score by people over the mean score by the judge, bin by bin, beside the line of equality."""
        from touchstone.show import figures

        points = [
            figures.Bin(score_bin.judge, score_bin.human, score_bin.interval.low, score_bin.interval.high, score_bin.n)
            for score_bin in self.bins
        ]
        labels = "judge, mean of the bin", "people, mean of the bin"
        return figures.calibration({"": points}, labels, "Calibration", shares=False)


@judge_check
def calibration(outputs: Paired) -> Calibration:
    """Return the mean score of people in bins of the judge's score.

    Parameters
    ----------
    outputs
        The outputs that both scored.
    """
    how, sides = outputs.resampling, (outputs.human_values, outputs.judge_values)
    bins = calibration_bins(*sides, outputs.units, level=how.level, over=how.over)
    return Calibration(outputs.measure.name, bins, how)
