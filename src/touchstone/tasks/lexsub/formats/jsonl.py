"""The neutral form: one JSON object per line for each item.

Gold: ``{"id", "target", "pos", "left", "head", "right", "gold": {answer: weight}}``.
Answers: ``{"id", "answers": [...]}``, optionally with ``"system"``, ``"target"``, ``"pos"``, ``"scores": [...]``,
``"cut": n`` (how many of the answers the system considers good) and ``"best": [...]``.
"""

from collections.abc import Callable, Sequence

import numpy as np

from touchstone.core.errors import Fault
from touchstone.core.ragged import Ragged, StringLists
from touchstone.io.jsonl import Json, parse_objects
from touchstone.io.text import Source
from touchstone.tasks.lexsub.formats.building import NO_CUT, checked_weight, gold_set
from touchstone.tasks.lexsub.keys import key
from touchstone.tasks.lexsub.model import POS_NAMES, Answers, Context, GoldSet, Run

POS = {"noun": "n", "verb": "v", "adj": "a", "adjective": "a", "adv": "r", "adverb": "r"}
"""Longer names of the parts of speech."""

Records = Sequence[tuple[int, dict[str, Json]]]
"""The records of a file or table, each with its line."""


def read_gold(text: str, source: Source, min_responses: float | None = None) -> GoldSet:
    """Read items with their human answers and, where given, their sentences."""
    faults: list[Fault] = []
    records = list(parse_objects(text, file=source.name, faults=faults))
    return gold_of(records, source, min_responses, faults)


def gold_of(
    given: Records,
    source: Source,
    min_responses: float | None,
    faults: list[Fault],
    *,
    form: str = "jsonl",
    remarks: Sequence[str] = (),
) -> GoldSet:
    """Return the gold set of records; `gold_set` explains the parameters."""
    records = _checked(given, source, faults, _gold_problem)
    faults += _targetless(records, source)
    golds = [record["gold"] for _, record in records if isinstance(record["gold"], dict)]
    return gold_set(
        source,
        ids=[str(record["id"]) for _, record in records],
        targets=[_text(record, "target") or "" for _, record in records],
        pos=[_text(record, "pos") for _, record in records],
        answers=StringLists.of(golds),
        weights=Ragged.of([[checked_weight(weight) for weight in gold.values()] for gold in golds]),
        lines=[number for number, _ in records],
        form=form,
        min_responses=min_responses,
        contexts=[_context(record) for _, record in records],
        faults=faults,
        remarks=remarks,
    )


def _targetless(records: Records, source: Source) -> list[Fault]:
    """Return the records without a target, where others have one."""
    missing = [(number, record) for number, record in records if not record.get("target")]
    if len(missing) == len(records):
        return []
    what = 'a gold record needs a "target" where others have one'
    return [Fault(f"item {record['id']!r}: {what}", source.name, number) for number, record in missing]


def read_run(text: str, source: Source) -> Run:
    """Read the ranked lists of a system, with its boundary and its best guesses where it gave them."""
    faults: list[Fault] = []
    return run_of(list(parse_objects(text, file=source.name, faults=faults)), source, faults)


def run_of(
    given: Records, source: Source, faults: list[Fault], *, form: str = "jsonl", remarks: Sequence[str] = ()
) -> Run:
    """Return the run of records; *remarks* say how a table was read."""
    records = _checked(given, source, faults, _answers_problem)
    systems = list(dict.fromkeys(str(record["system"]) for _, record in records if record.get("system")))
    if len(systems) > 1:
        faults.append(Fault("answers of more than one system", source.name, value=", ".join(systems)))
    ranked = _answers(source, records, [_strings(record["answers"]) for _, record in records], faults, form)
    best = None
    if any("best" in record for _, record in records):
        guesses = [
            _strings(record["best"]) if "best" in record else _strings(record["answers"])[:1] for _, record in records
        ]
        best = _answers(source, [(number, {**record, "cut": None}) for number, record in records], guesses, (), form)
    empties = sum(not key(answer) for _, record in records for answer in _strings(record["answers"]))
    return Run(systems[0] if systems else source.stem, (source,), best, ranked, empties, remarks)


def _answers(source: Source, records: Records, lists: list[list[str]], faults: Sequence[Fault], form: str) -> Answers:
    filled = [[answer for answer in answers if key(answer)] for answers in lists]
    cuts = []
    for (_, record), answers in zip(records, lists, strict=True):
        cut = record.get("cut")
        cuts.append(sum(bool(key(answer)) for answer in answers[:cut]) if isinstance(cut, int) else NO_CUT)
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
    )


def _checked(
    given: Records, source: Source, faults: list[Fault], problem: Callable[[dict[str, Json]], str | None]
) -> list[tuple[int, dict[str, Json]]]:
    """Return the records in which *problem* finds none; the others become faults."""
    records = []
    for number, one in given:
        record = {**one, "pos": _short_pos(one.get("pos"))}
        wrong = _identity_problem(record) or problem(record)
        if wrong:
            faults.append(Fault(f"item {record.get('id')!r}: {wrong}", source.name, number))
        else:
            records.append((number, record))
    return records


def _short_pos(value: Json) -> Json:
    lowered = value.strip().lower() if isinstance(value, str) else value
    return POS.get(lowered, lowered) or None if isinstance(lowered, str) else lowered


def _identity_problem(record: dict[str, Json]) -> str | None:
    name = record.get("id")
    if isinstance(name, bool) or not isinstance(name, str | int) or not str(name).strip():
        return 'a record needs an "id", a string that is not empty'
    for field in ("target", "pos", "left", "head", "right", "system"):
        if not isinstance(record.get(field), str | None):
            return f'"{field}" must be a string'
    if record.get("pos") not in (None, *POS_NAMES):
        return f'"pos" must be one of {", ".join(POS_NAMES)}, or null'
    return None


def _gold_problem(record: dict[str, Json]) -> str | None:
    gold = record.get("gold")
    if not isinstance(gold, dict):
        return 'a gold record needs "gold", an object of answers and weights'
    for answer, weight in gold.items():
        if not key(answer):
            return "an answer in the gold is empty"
        if checked_weight(weight) is None:
            return f'the weight of "{answer[:40]}" is not a positive number'
    return None


def _answers_problem(record: dict[str, Json]) -> str | None:
    for field in ("answers", "best"):
        value = record.get(field, [] if field == "best" else None)
        if not isinstance(value, list) or not all(isinstance(answer, str) for answer in value):
            return f'"{field}" must be a list of strings'
    answers, scores, cut = _strings(record["answers"]), record.get("scores"), record.get("cut")
    if scores is not None and not (isinstance(scores, list) and len(scores) == len(answers)):
        return '"scores" must be a list as long as "answers"'
    if cut is not None and (isinstance(cut, bool) or not isinstance(cut, int) or not 0 <= cut <= len(answers)):
        return f'"cut" must be a whole number from 0 to {len(answers)}'
    return None


def _context(record: dict[str, Json]) -> Context | None:
    if not isinstance(record.get("head"), str):
        return None
    return Context(*(str(record.get(part) or "") for part in ("left", "head", "right")))


def _text(record: dict[str, Json], field: str) -> str | None:
    return str(record[field]) if record.get(field) else None


def _strings(value: Json) -> list[str]:
    return [str(part) for part in value] if isinstance(value, list) else []
