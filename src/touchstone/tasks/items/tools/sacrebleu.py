"""Sentence scores that ``sacrebleu --sentence-level`` prints: a row for each segment."""

import re

from touchstone.base.codes import Code
from touchstone.base.errors import Fault, TouchstoneError, refuse
from touchstone.base.files import Source
from touchstone.base.spelling import setting
from touchstone.io.jsonl import Json
from touchstone.io.text import lines
from touchstone.tasks.items.logs import Log, Row
from touchstone.tasks.items.tools import Tool, ToolFile

SACREBLEU = re.compile(r"(BLEU|chrF\d+\+*|TER)(?:\|(\S+))? = (\d+(?:\.\d+)?)(?: .*)?")
"""A line that is printed."""


def recognise(file: ToolFile) -> bool:
    """Return whether a file has scores of sentences, or of whole systems."""
    return SACREBLEU.match(file.text) is not None or _scores_systems(file.value)


def read(file: ToolFile) -> list[Log]:
    """Return the system of a file; refuse scores of whole systems."""
    if _scores_systems(file.value):
        hint = "score every segment with sacrebleu --sentence-level, or compare translations with touchstone mt compare"
        what = "holds scores of sacrebleu for whole systems"
        raise TouchstoneError(what, file=file.source.name, code=Code.UNSUPPORTED, hint=hint)
    return [_parse_sacrebleu(file.text, file.source, file.system)]


def _scores_systems(value: Json) -> bool:
    scores = value if isinstance(value, list) else [value]
    return bool(scores) and all(
        isinstance(score, dict) and {"name", "score", "signature"} <= score.keys() for score in scores
    )


def _parse_sacrebleu(text: str, source: Source, system: str) -> Log:
    """Return the sentence scores that sacrebleu printed, a line for each segment."""
    rows: list[Row] = []
    faults: list[Fault] = []
    for line, printed in lines(text):
        score_match = SACREBLEU.fullmatch(printed)
        if not score_match:
            faults.append(Fault("no score of sacrebleu", source.name, line, printed, code=Code.BAD_CELL))
            continue
        name, signature, score = score_match.groups()
        measure = f"sentence_{name.lower()}"
        rows.append(Row(str(len(rows) + 1), line, {(measure, ""): float(score)}, {}, (f"{name}|{signature}",)))
    refuse(faults, "keep only what sacrebleu --sentence-level printed on standard output")
    note = f"{measure} is a mean over sentences; touchstone mt compares systems by the score of the whole text"
    less = f"; less is better: {setting('lower-is-better', measure)}" if measure == "sentence_ter" else ""
    return Log(source, system, rows, "signature", notes=(note + less,))


TOOL = Tool(recognise, read, (b"BLEU", b"chrF", b"TER", b"{", b"["))
