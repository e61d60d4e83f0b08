"""How well the judge agrees with people, beside how well people agree with each other."""

from collections.abc import Sequence
from dataclasses import dataclass

from touchstone.base.tables import Cell, Column, Table, number
from touchstone.core.resampling import Resampling, interval_heading, interval_text
from touchstone.judge.checks import estimate_row, judge_check
from touchstone.judge.paired import Paired
from touchstone.show.finding import Finding, Statement
from touchstone.show.page import Figure, Section, TableBlock
from touchstone.stats.intervals import Interval
from touchstone.stats.judge import Coefficient, judge_agreement

NAMES = {"alpha": "Krippendorff's alpha", "pearson": "Pearson's r", "spearman": "Spearman's rho"}


@dataclass(frozen=True, eq=False, repr=False)
class AgreementWithPeople(Finding):
    """Coefficients of the judge with people; also of people among themselves, if outputs have several *annotators*."""

    measure: str
    coefficients: Sequence[Coefficient]
    annotators: bool
    resampling: Resampling

    def statement(self) -> Statement:
        """Return the coefficients."""
        alpha = self.coefficients[0]
        sentence = f"the judge agrees with people with alpha {number(alpha.judge_value)}{_bracketed(alpha.judge)}"
        if self.annotators:
            sentence += f"; people with each other with {number(alpha.people_value)}{_bracketed(alpha.people)}"
        rows = [
            {
                "kind": "agreement",
                "measure": self.measure,
                "coefficient": coefficient.name,
                "judge": estimate_row(coefficient.judge_value, coefficient.judge),
                "people": estimate_row(coefficient.people_value, coefficient.people),
                "difference": estimate_row(coefficient.difference_value, coefficient.difference),
                "outputs": coefficient.outputs,
            }
            for coefficient in self.coefficients
        ]
        return Statement("Agreement", [self.table()], rows, [sentence], sections=self._sections)

    def table(self) -> Table:
        """Return the judge's agreement with people, beside that among people where it is known."""
        level = interval_heading(self.resampling.level)
        heads = ["judge", level, *(["people", level, "judge − people", level] if self.annotators else []), "outputs"]
        rows: list[list[Cell]] = []
        for coefficient in self.coefficients:
            row: list[Cell] = [NAMES[coefficient.name], coefficient.judge_value, _ends(coefficient.judge)]
            if self.annotators:
                row += [
                    coefficient.people_value,
                    _ends(coefficient.people),
                    number(coefficient.difference_value),
                    _ends(coefficient.difference),
                ]
            rows.append([*row, coefficient.outputs])
        with_people = "; people: agreement of one person with the others, on the same outputs" * self.annotators
        how = f"jackknife t over {self.resampling.over}, of coefficients on Fisher's scale"
        note = f"judge: agreement of the judge with people{with_people}; intervals: {how}"
        columns = [Column("agreement"), *(Column(head, "right") for head in heads)]
        return Table(columns, rows, f"{self.measure}: agreement", [note])

    def _sections(self) -> list[Section]:
        from touchstone.show.figures import Estimate, intervals

        estimates = []
        for coefficient in self.coefficients:
            judge, people, name = coefficient.judge, coefficient.people, NAMES[coefficient.name]
            estimates.append(Estimate("judge", coefficient.judge_value, judge.low, judge.high, name))
            if self.annotators:
                estimates.append(Estimate("people", coefficient.people_value, people.low, people.high, name))
        with_people = "; one of the people with the others, on the same outputs" * self.annotators
        figure = Figure(intervals(estimates, "Agreement with people"), f"The judge with people{with_people}.")
        return [Section("Agreement", "agreement", [figure, TableBlock(self.table())])]


@judge_check
def agreement(outputs: Paired) -> AgreementWithPeople:
    """Return three coefficients of agreement; of people too where several of them scored an output.

    Parameters
    ----------
    outputs
        The outputs that both scored.
    """
    how = outputs.resampling
    answers = outputs.single_answers
    coefficients = judge_agreement(answers, outputs.judge_values, outputs.units, level=how.level, over=how.over)
    several = any(len(output_answers) > 1 for output_answers in answers)
    return AgreementWithPeople(outputs.measure.name, coefficients, several, how)


def _ends(ends: Interval) -> str:
    return interval_text(ends.low, ends.high)


def _bracketed(ends: Interval) -> str:
    return f" ({_ends(ends)})" if _ends(ends) else ""
