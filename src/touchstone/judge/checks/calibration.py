"""What people give the outputs that the judge scores alike."""

from collections.abc import Sequence
from dataclasses import dataclass

from touchstone.base.tables import Cell, Column, Table, number
from touchstone.core.resampling import Resampling, interval_heading, interval_text
from touchstone.judge.checks import estimate_row, interval_notes, judge_check, span
from touchstone.judge.paired import Paired
from touchstone.show.finding import Finding, Statement, kind_rows
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
        rows = kind_rows(
            "calibration",
            (
                {
                    "measure": self.measure,
                    "from": one.lowest,
                    "to": one.highest,
                    "n": one.n,
                    "judge": one.judge,
                    "people": estimate_row(one.human, one.interval),
                }
                for one in self.bins
            ),
        )
        return Statement("Calibration", [self.table()], rows, sections=self._sections)

    def table(self) -> Table:
        """Return the mean score by people of outputs that the judge scores alike."""
        rows: list[list[Cell]] = [
            [
                span(one.lowest, one.highest),
                one.n,
                one.judge,
                one.human,
                interval_text(one.interval.low, one.interval.high),
                number(one.human - one.judge),
            ]
            for one in self.bins
        ]
        heads = ["outputs", "judge", "people", interval_heading(self.resampling.level), "people − judge"]
        notes = interval_notes([one.interval.note for one in self.bins], self.resampling.over)
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

        points = [figures.Bin(one.judge, one.human, one.interval.low, one.interval.high, one.n) for one in self.bins]
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
