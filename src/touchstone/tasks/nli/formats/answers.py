"""What annotators answered to the three questions: ``{"pair", "annotator", "q1", "q2", "q3"}`` on each line.

q1: do both sentences describe the same event? q2: does the second add information to the first? q3: is the second
wrong or ungrammatical?
"""

from collections.abc import Sequence
from dataclasses import dataclass

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.base.files import Source
from touchstone.io.cells import is_empty
from touchstone.io.schema import Field, Problem, Rows, Schema
from touchstone.io.tables import TableFile
from touchstone.tasks.nli.formats.records import read_id
from touchstone.tasks.nli.labels import SPELLINGS, Label, spelled

QUESTIONS = ("q1", "q2", "q3")
SHEET = Schema(*map(Field, ("pair", "annotator", *QUESTIONS)))
_YES_NO = {"yes": True, "no": False, "true": True, "false": False}


@dataclass(frozen=True)
class Answer:
    """One annotator's answers about one pair; *adds* is None if the sentences are about different events."""

    pair: str
    annotator: str
    same_event: bool
    adds: bool | None
    ungrammatical: bool

    @property
    def label(self) -> Label:
        """The label that the answers amount to (Glockner et al. 2018, section 3.2).

        >>> Answer("1", "ann", True, False, False).label
        'entailment'
        """
        if not self.same_event:
            return "contradiction"
        return "neutral" if self.adds else "entailment"


@dataclass(frozen=True, eq=False)
class AnswerSheet:
    """The answers of a file in order, each with its line."""

    source: Source
    answers: Sequence[Answer]
    lines: Sequence[int]


def parse_answers(rows: Rows) -> AnswerSheet:
    """Return the answers that a table holds; refuse two answers of one person to one pair.

    A row whose three questions are all open is a line of a sheet that its annotator has not come to: it is no answer.
    """
    if not {"pair", *QUESTIONS} & rows.columns.keys() and _holds_labels(rows.table):
        hint = (
            "score runs against them with touchstone nli score GOLD RUN; touchstone nli agreement compares annotators"
        )
        raise TouchstoneError("these are labels, which need no verify", file=rows.file, code=Code.UNREADABLE, hint=hint)
    first: dict[tuple[str, str], int] = {}
    answers: list[Answer] = []
    lines: list[int] = []
    cells = {field.role: rows.cells(field.role) for field in SHEET.fields}
    for row, line in enumerate(rows.table.lines):
        open_questions = [question in rows.columns and is_empty(cells[question][row]) for question in QUESTIONS]
        answer = (
            None if all(open_questions) else rows.attempt(row, _answer, *(column[row] for column in cells.values()))
        )
        if answer is None:
            continue
        first_line = first.setdefault((answer.pair, answer.annotator), line)
        if first_line != line:
            rows.fault(f"{answer.annotator} has answered this pair already (line {first_line})", row, answer.pair)
        answers.append(answer)
        lines.append(line)
    rows.check()
    return AnswerSheet(rows.table.source, answers, lines)


def _holds_labels(table: TableFile) -> bool:
    """Return whether the first row of a table has a label in any column."""
    cells = [column[0] for column in table.columns.values() if len(column)]
    cells += [element for cell in cells if isinstance(cell, list) for element in cell]
    return any(spelled(cell) in SPELLINGS for cell in cells if isinstance(cell, str))


def _answer(pair: object, annotator: object, *answers: object) -> Answer:
    for key, name in (("pair", pair), ("annotator", annotator)):
        if name is None:
            raise Problem(f'an answer needs "{key}"')
    same, adds, ungrammatical = map(_yes_or_no, QUESTIONS, answers)
    for question, value in (("q1", same), ("q3", ungrammatical)):
        if value is None:
            raise Problem(f"{question} has no answer")
    if same and adds is None:
        raise Problem("q2 may be left open only where q1 is no", answers[1])
    return Answer(read_id(pair), read_id(annotator), bool(same), adds if same else None, bool(ungrammatical))


def _yes_or_no(question: str, value: object) -> bool | None:
    """Return the answer to a question, None if it was left open."""
    if is_empty(value):
        return None
    if isinstance(value, bool):
        return value
    answer = _YES_NO.get(value.strip().lower()) if isinstance(value, str) else None
    if answer is None:
        raise Problem(f"{question} must be yes or no", value)
    return answer
