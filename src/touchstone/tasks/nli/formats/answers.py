"""What readers answered to the three questions: ``{"pair", "annotator", "q1", "q2", "q3"}`` to a line.

q1: do both sentences describe the same event? q2: does the second add information to the first? q3: is the second
wrong or ungrammatical?
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from touchstone.core.errors import Fault, TouchstoneError
from touchstone.io.jsonl import Json, parse_objects
from touchstone.io.text import Source
from touchstone.tasks.nli.formats.fields import Problem, read_id
from touchstone.tasks.nli.model import Label

_SAID = {"yes": True, "no": False, "true": True, "false": False}


@dataclass(frozen=True)
class Answer:
    """One reader's answers about one pair; *adds* is None where the sentences are about different events."""

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


def read_jsonl(text: str, source: Source) -> AnswerSheet:
    """Read an answer to a line; the same person twice on one pair is refused."""
    faults: list[Fault] = []
    found: dict[tuple[str, str], tuple[int, Answer]] = {}
    for line, record in parse_objects(text, file=source.name, faults=faults):
        try:
            answer = _answer(record)
        except Problem as problem:
            faults.append(problem.at(source.name, line))
            continue
        key = (answer.pair, answer.annotator)
        if key in found:
            said = f"{answer.annotator} answered this pair at {found[key][0]} already"
            faults.append(Fault(said, source.name, line, answer.pair))
        found.setdefault(key, (line, answer))
    if faults:
        raise TouchstoneError.of(faults)
    return AnswerSheet(source, [answer for _, answer in found.values()], [line for line, _ in found.values()])


def _answer(record: Mapping[str, Json]) -> Answer:
    for key in ("pair", "annotator"):
        if record.get(key) is None:
            raise Problem(f'an answer needs "{key}"')
    same, ungrammatical = _required(record, "q1"), _required(record, "q3")
    adds = _said(record, "q2")
    if same and adds is None:
        raise Problem("q2 may be left open only where q1 is no", record.get("q2"))
    return Answer(read_id(record["pair"]), read_id(record["annotator"]), same, adds if same else None, ungrammatical)


def _required(record: Mapping[str, Json], question: str) -> bool:
    said = _said(record, question)
    if said is None:
        raise Problem(f"{question} has no answer")
    return said


def _said(record: Mapping[str, Json], question: str) -> bool | None:
    """Return yes or no, None where the question was left open."""
    value = record.get(question)
    if value is None or value == "":
        return None
    if isinstance(value, bool):
        return value
    said = _SAID.get(value.strip().lower()) if isinstance(value, str) else None
    if said is None:
        raise Problem(f"{question} must be yes or no", value)
    return said
