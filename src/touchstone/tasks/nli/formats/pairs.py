"""Pairs as files write them: their fields under several names, and checks of their values."""

import re
from collections.abc import Mapping, Sequence
from typing import cast

from touchstone.core.errors import nearest
from touchstone.core.joining import Ids
from touchstone.io.jsonl import Json
from touchstone.tasks.nli.formats.records import KNOWN, NAMES, Problem, Records, first_field, read_id, read_label
from touchstone.tasks.nli.model import NO_MAJORITY, RELATIONS, GoldSet, Label, Pair, Span, majority

_READER_COLUMN = re.compile(r"label[1-9]")
"""The tables of SNLI and MultiNLI have a column for the label of each reader."""


def parse_gold(records: Records) -> GoldSet:
    """Return the pairs that *records* hold; refuse duplicate ids."""
    records.require("premise", "hypothesis")
    lines, pairs = records.parse(lambda line, record: read_pair(record, f"{records.stem}:{line}"), "pair")
    Ids(records.source.name, [pair.id for pair in pairs], lines).rows()
    return GoldSet(records.source, pairs, lines, "snli" if "sentence1" in records.rows[0][1] else "touchstone")


def read_pair(record: Mapping[str, Json], fallback_id: str) -> Pair:
    """Return the pair of a record; keys that are no field of a pair are kept as they are.

    Parameters
    ----------
    record
        A pair under any of the `NAMES` of its fields.
    fallback_id
        The id of a pair that has none.
    """
    values = {field: first_field(record, field) for field in NAMES}
    columns = [name for name in record if _READER_COLUMN.fullmatch(name)] if values["annotators"] is None else []
    labels = [record[name] for name in columns if record[name] not in (None, "")]
    annotators = _annotators(labels or values["annotators"])
    rest = {key: value for key, value in record.items() if key not in KNOWN.values() and key not in columns}
    premise, hypothesis = (_sentence(values[side], side) for side in ("premise", "hypothesis"))
    return Pair(
        read_id(values["id"], fallback_id),
        premise,
        hypothesis,
        _gold(values["gold"], annotators, given=any(name in record for name in NAMES["gold"])),
        annotators,
        _text(values["category"], "category"),
        _spans(values["replaced"], premise, "replaced"),
        _spans(values["replacement"], hypothesis, "replacement"),
        _relation(values["relation"]),
        _provenance(values["provenance"]),
        rest,
    )


def _sentence(value: Json, side: str) -> str:
    if value is None:
        raise Problem(f"a pair needs a {side}")
    if not isinstance(value, str):
        raise Problem(f"the {side} must be a string", value)
    if not value.strip():
        raise Problem(f"the {side} is empty")
    return value


def _annotators(value: Json) -> tuple[Label, ...]:
    """Return the readers' labels in order; an empty string is no answer."""
    labels = value.split() if isinstance(value, str) else [] if value is None else value
    if not isinstance(labels, list):
        raise Problem("the annotators' labels must be a list of labels", value)
    return tuple(cast("Label", read_label(label)) for label in labels if label not in ("", None))


def _gold(value: Json, annotators: Sequence[Label], *, given: bool) -> Label | None:
    if not given:
        return majority(annotators)
    if value is None or (isinstance(value, str) and value.strip() in ("", NO_MAJORITY)):
        return None
    return cast("Label", read_label(value))


def _text(value: Json, name: str) -> str | None:
    if not isinstance(value, str | None):
        raise Problem(f"the {name} must be a string", value)
    return value or None


def _relation(value: Json) -> str | None:
    if value in (None, ""):
        return None
    if isinstance(value, str) and value in RELATIONS:
        return value
    raise Problem(f"unknown relation; known: {', '.join(RELATIONS)}", value, nearest(str(value), RELATIONS), "relation")


def _provenance(value: Json) -> Mapping[str, Json] | None:
    if value in (None, ""):
        return None
    if not isinstance(value, dict):
        raise Problem("the provenance must be an object", value)
    return value


def _spans(value: Json, sentence: str, name: str) -> tuple[Span, ...]:
    if value in (None, ""):
        return ()
    if not isinstance(value, list):
        raise Problem(f'"{name}" must be a list of {{text, start, end}}', value)
    return tuple(_span(one, sentence, name) for one in value)


def _span(value: Json, sentence: str, name: str) -> Span:
    if not isinstance(value, dict):
        raise Problem(f'"{name}" must be a list of {{text, start, end}}', value)
    text, start, end = (value.get(key) for key in ("text", "start", "end"))
    if not isinstance(text, str) or not isinstance(start, int) or not isinstance(end, int):
        raise Problem(f'"{name}" needs a text and whole numbers for start and end', value)
    if not 0 <= start <= end <= len(sentence) or sentence[start:end] != text:
        raise Problem(f'the sentence does not have this text at [{start}, {end}), as "{name}" says', text)
    return Span(text, start, end)
