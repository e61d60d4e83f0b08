"""The neutral form: one JSON object per line for each item.

Gold: ``{"id", "target", "pos", "left", "head", "right", "gold": {answer: weight}}``.
Answers: ``{"id", "answers": [...]}``, optionally with ``"system"``, ``"target"``, ``"pos"``, ``"scores": [...]``,
``"cut": n`` (how many of the answers the system considers good) and ``"best": [...]``.
"""

import re
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from touchstone.base.codes import Code
from touchstone.base.errors import Fault
from touchstone.base.files import Source
from touchstone.base.ragged import Ragged, StringLists
from touchstone.io.jsonl import Json, parse_objects
from touchstone.tasks.lexsub.formats.cells import checked_weight
from touchstone.tasks.lexsub.model import NO_CUT, POS_NAMES, Answers, Context, GoldSet, Run, key

POS = {"noun": "n", "verb": "v", "adj": "a", "adjective": "a", "adv": "r", "adverb": "r"}
"""Longer names of the parts of speech."""

Records = Sequence[tuple[int, dict[str, Json]]]
"""The records of a file or table, each with its line."""


def read_gold(text: str, source: Source, min_responses: float | None = None) -> GoldSet:
    """Read items with their human answers and, where given, their sentences."""
    faults: list[Fault] = []
    records = list(parse_objects(text, file=source.name, faults=faults))
    return gold_of(records, source, min_responses, faults, complete=not faults)


def gold_of(
    numbered_records: Records,
    source: Source,
    min_responses: float | None,
    faults: list[Fault],
    *,
    form: str = "jsonl",
    remarks: Sequence[str] = (),
    complete: bool = True,
) -> GoldSet:
    """Return the gold set of records; `gold_set` explains the parameters."""
    records = _checked(numbered_records, source, faults, _gold_problems)
    faults += _targetless(records, source)
    golds = [_weights(record.get("gold")) for _, record in records]
    gold = GoldSet(
        source,
        ids=[str(record["id"]) for _, record in records],
        targets=[_text(record, "target") or "" for _, record in records],
        pos=[_text(record, "pos") for _, record in records],
        answers=StringLists.of(golds),
        weights=Ragged.of([gold.values() for gold in golds], np.float64),
        lines=[number for number, _ in records],
        form=form,
        least=min_responses,
        contexts=[_context(record) for _, record in records],
        remarks=remarks,
        complete=complete and len(records) == len(numbered_records),
    )
    return gold.checked(faults)


def _weights(gold: Json) -> dict[str, float]:
    """Return the answers of an item whose weights can be used."""
    checked = {answer: checked_weight(weight) for answer, weight in gold.items()} if isinstance(gold, dict) else {}
    return {answer: weight for answer, weight in checked.items() if weight is not None}


def _targetless(records: Records, source: Source) -> list[Fault]:
    """Return the records without a target, where others have one."""
    missing = [(number, record) for number, record in records if not record.get("target")]
    if len(missing) == len(records):
        return []
    what = 'a gold record needs a "target" where others have one'
    return [
        Fault(f"item {record['id']!r}: {what}", source.name, number, code=Code.BAD_CELL) for number, record in missing
    ]


def read_run(text: str, source: Source) -> Run:
    """Read the ranked lists of a system, with its boundary and its best guesses where it gave them."""
    faults: list[Fault] = []
    return run_of(list(parse_objects(text, file=source.name, faults=faults)), source, faults)


def run_of(
    numbered_records: Records, source: Source, faults: list[Fault], *, form: str = "jsonl", remarks: Sequence[str] = ()
) -> Run:
    """Return the run of records; *remarks* say how a table was read."""
    records = _checked(numbered_records, source, faults, _answers_problems)
    systems = list(dict.fromkeys(str(record["system"]) for _, record in records if record.get("system")))
    if len(systems) > 1:
        what = "answers of more than one system"
        faults.append(Fault(what, source.name, value=", ".join(systems), code=Code.DUPLICATE_NAME))
    ranked = _answers(source, records, [_strings(record.get("answers")) for _, record in records], faults, form)
    best = None
    if any("best" in record for _, record in records):
        guesses = [
            _strings(record["best"]) if "best" in record else _strings(record.get("answers"))[:1]
            for _, record in records
        ]
        best = _answers(source, [(number, {**record, "cut": None}) for number, record in records], guesses, (), form)
    empties = sum(not key(answer) for _, record in records for answer in _strings(record.get("answers")))
    return Run(systems[0] if systems else source.stem, (source,), best, ranked, empties, remarks)


def _answers(source: Source, records: Records, lists: list[list[str]], faults: Sequence[Fault], form: str) -> Answers:
    filled = [[answer for answer in answers if key(answer)] for answers in lists]
    cuts = []
    for (_, record), answers in zip(records, lists, strict=True):
        cut = record.get("cut")
        cuts.append(sum(bool(key(answer)) for answer in answers[:cut]) if isinstance(cut, int) else NO_CUT)
    sentences = [_sentence(record) for _, record in records]
    return Answers(
        source,
        ids=[str(record["id"]) for _, record in records],
        lines=[number for number, _ in records],
        targets=[_text(record, "target") for _, record in records],
        pos=[_text(record, "pos") for _, record in records],
        lists=StringLists.of(filled),
        cuts=np.array(cuts, np.int64),
        form=form,
        faults=tuple(faults),
        sentences=sentences if any(sentences) else (),
    )


def _sentence(record: dict[str, Json]) -> str | None:
    """Return the sentence of a record, whole or from its parts; None if it has none."""
    sentence = record.get("sentence") or " ".join(str(record.get(part) or "") for part in ("left", "head", "right"))
    return re.sub("</?head>", "", str(sentence)).strip() or None


def _checked(
    numbered_records: Records, source: Source, faults: list[Fault], problems: Callable[[dict[str, Json]], Iterator[str]]
) -> list[tuple[int, dict[str, Json]]]:
    """Return the records that have an id; all that is wrong with a record becomes faults."""
    records = []
    for number, fields in numbered_records:
        record = {**fields, "pos": _short_pos(fields.get("pos"))}
        named = _has_id(record)
        wrong = [] if named else ['a record needs an "id", a string that is not empty']
        wrong += [*_word_problems(record), *problems(record)]
        faults += [
            Fault(f"item {record.get('id')!r}: {what}", source.name, number, code=Code.BAD_CELL) for what in wrong
        ]
        if named:
            records.append((number, record))
    return records


def _short_pos(value: Json) -> Json:
    lowered = value.strip().lower() if isinstance(value, str) else value
    return POS.get(lowered, lowered) or None if isinstance(lowered, str) else lowered


def _has_id(record: dict[str, Json]) -> bool:
    name = record.get("id")
    return isinstance(name, str | int) and not isinstance(name, bool) and bool(str(name).strip())


def _word_problems(record: dict[str, Json]) -> Iterator[str]:
    for field in ("target", "pos", "left", "head", "right", "system"):
        if not isinstance(record.get(field), str | None):
            yield f'"{field}" must be a string'
    if isinstance(record.get("pos"), str) and record["pos"] not in POS_NAMES:
        yield f'"pos" must be one of {", ".join(POS_NAMES)}, or null'


def _gold_problems(record: dict[str, Json]) -> Iterator[str]:
    gold = record.get("gold")
    if not isinstance(gold, dict):
        yield 'a gold record needs "gold", an object of answers and weights'
        return
    for answer, weight in gold.items():
        if not key(answer):
            yield "an answer in the gold is empty"
        if checked_weight(weight) is None:
            yield f'the weight of "{answer[:40]}" is not a positive number'


def _answers_problems(record: dict[str, Json]) -> Iterator[str]:
    for field in ("answers", "best"):
        value = record.get(field, [] if field == "best" else None)
        if not isinstance(value, list) or not all(isinstance(answer, str) for answer in value):
            yield f'"{field}" must be a list of strings'
    answers, scores, cut = record.get("answers"), record.get("scores"), record.get("cut")
    if not isinstance(answers, list):
        return
    if scores is not None and not (isinstance(scores, list) and len(scores) == len(answers)):
        yield '"scores" must be a list as long as "answers"'
    if cut is not None and (isinstance(cut, bool) or not isinstance(cut, int) or not 0 <= cut <= len(answers)):
        yield f'"cut" must be a whole number from 0 to {len(answers)}'


def _context(record: dict[str, Json]) -> Context | None:
    if not isinstance(record.get("head"), str):
        return None
    return Context(*(str(record.get(part) or "") for part in ("left", "head", "right")))


def _text(record: dict[str, Json], field: str) -> str | None:
    return str(record[field]) if record.get(field) else None


def _strings(value: Json) -> list[str]:
    return [str(part) for part in value] if isinstance(value, list) else []
