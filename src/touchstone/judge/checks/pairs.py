"""How often the judge orders two outputs for one item as people do."""

from collections.abc import Sequence
from dataclasses import dataclass

from touchstone.base.tables import Cell, Column, Table, number
from touchstone.core.resampling import Resampling, interval_heading, interval_text
from touchstone.judge.checks import estimate_row, interval_notes, judge_check, span
from touchstone.judge.paired import Paired
from touchstone.show.finding import Finding, Statement
from touchstone.show.page import Figure, Section, TableBlock
from touchstone.stats.judge import Accuracy, pair_accuracy


@dataclass(frozen=True, eq=False, repr=False)
class PairAccuracy(Finding):
    """The share of pairs that the judge orders as people do: of all pairs, then by how far people's scores differ."""

    measure: str
    accuracies: Sequence[Accuracy]
    resampling: Resampling

    def statement(self) -> Statement:
        """Return the accuracies."""
        every = self.accuracies[0]
        ends = interval_text(every.interval.low, every.interval.high)
        share = f"{number(every.value)}{f' ({ends})' if ends else ''}"
        sentence = f"of {every.pairs:,} pairs of outputs that people score differently, it orders {share} as they do"
        rows = [
            {
                "kind": "pair order",
                "measure": self.measure,
                "from": accuracy.least,
                "to": accuracy.most,
                "n": accuracy.pairs,
                "ties": accuracy.ties,
                **estimate_row(accuracy.value, accuracy.interval),
            }
            for accuracy in self.accuracies
        ]
        title = "Pairs that people score differently"
        return Statement(title, [self.table()], rows, [sentence], sections=self._sections)

    def table(self) -> Table:
        """Return how often the judge orders two outputs for one item as people do."""
        rows: list[list[Cell]] = [
            [
                "any" if index == 0 else span(accuracy.least, accuracy.most),
                accuracy.pairs,
                accuracy.ties,
                accuracy.value,
                interval_text(accuracy.interval.low, accuracy.interval.high),
            ]
            for index, accuracy in enumerate(self.accuracies)
        ]
        heads = ["pairs", "ties of the judge", "accuracy", interval_heading(self.resampling.level)]
        notes = ["pairs of outputs for one item that people score differently; a tie of the judge counts half"]
        notes += interval_notes([accuracy.interval.note for accuracy in self.accuracies], self.resampling.over)
        columns = [Column("difference for people"), *(Column(head, "right") for head in heads)]
        return Table(columns, rows, f"{self.measure}: pairs that people score differently", notes, rules={1})

    def _sections(self) -> list[Section]:
        from touchstone.show.figures import Estimate, intervals

        table = self.table()
        estimates = [
            Estimate(str(row[0]), accuracy.value, accuracy.interval.low, accuracy.interval.high)
            for row, accuracy in zip(table.rows, self.accuracies, strict=True)
        ]
        drawn = intervals(estimates, "Pairs in the order of people", "accuracy of the judge; 0.5 is chance")
        figure = Figure(drawn, "Rows: how far the scores of people for the two outputs differ.")
        return [Section("Pairs that people score differently", "pairs", [figure, TableBlock(table)])]


@judge_check
def pairs(outputs: Paired) -> PairAccuracy | None:
    """Return how often the judge has the order of people; None where people score all outputs of an item alike.

    Parameters
    ----------
    outputs
        The outputs that both scored.
    """
    how = outputs.resampling
    human, judge = outputs.grid(outputs.human_values), outputs.grid(outputs.judge_values)
    accuracies = pair_accuracy(human, judge, outputs.item_units, level=how.level, over=how.over)
    return PairAccuracy(outputs.measure.name, accuracies, how) if accuracies else None
