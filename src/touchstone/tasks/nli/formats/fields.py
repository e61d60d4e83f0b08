"""Fields of a pair as files write them: their names in both spellings, and checks of their values."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import cast

from touchstone.core.errors import Fault, nearest
from touchstone.io.jsonl import Json
from touchstone.tasks.nli.model import LABELS, NO_MAJORITY, OTHER, RELATIONS, Label, Pair, Span, Spelling, majority

NAMES: Mapping[str, tuple[str, ...]] = {
    "id": ("id", "pairID", "pair_ID"),
    "premise": ("premise", "sentence1", "sentence_A"),
    "hypothesis": ("hypothesis", "sentence2", "sentence_B"),
    "gold": ("gold", "gold_label", "label", "entailment_judgment"),
    "annotators": ("annotators", "annotator_labels"),
    "category": ("category",),
    "replaced": ("replaced",),
    "replacement": ("replacement",),
    "relation": ("relation",),
    "provenance": ("provenance",),
}
"""What each field is called: our own name, SNLI's, and those of other corpora."""

_READER_COLUMN = re.compile(r"label[1-9]")
"""The tables of SNLI and MultiNLI give each reader's label a column."""

KNOWN = tuple(name for names in NAMES.values() for name in names)


class Problem(Exception):  # noqa: N818 (it never leaves the readers: it becomes a Fault with its place)
    """A field that cannot be used: what is wrong, its value, and the nearest valid one."""

    def __init__(self, what: str, value: object = None, near: str | None = None, kind: str = "name") -> None:
        super().__init__(what)
        self.what, self.value, self.near, self.kind = what, value, near, kind

    def at(self, file: str, line: int) -> Fault:
        """Return the fault, with its place."""
        value = None if self.value is None else str(self.value)
        return Fault(self.what, file, line, value, self.near, self.kind)


def spelling_of(keys: Iterable[str]) -> Spelling:
    """Return whose names a record uses."""
    return "snli" if "sentence1" in set(keys) else "touchstone"


def read_pair(record: Mapping[str, Json], fallback_id: str) -> Pair:
    """Return the pair of a record, whatever names it uses; keys that are no field of ours are kept as they are."""
    found = {field: _first(record, names) for field, names in NAMES.items()}
    columns = [name for name in record if _READER_COLUMN.fullmatch(name)] if found["annotators"] is None else []
    labels = [record[name] for name in columns if record[name] not in (None, "")]
    annotators = _annotators(labels or found["annotators"])
    rest = {key: value for key, value in record.items() if key not in KNOWN and key not in columns}
    premise, hypothesis = (_sentence(found[side], side) for side in ("premise", "hypothesis"))
    return Pair(
        read_id(found["id"], fallback_id),
        premise,
        hypothesis,
        _gold(found["gold"], annotators, given=any(name in record for name in NAMES["gold"])),
        annotators,
        _text(found["category"], "category"),
        _spans(found["replaced"], premise, "replaced"),
        _spans(found["replacement"], hypothesis, "replacement"),
        _relation(found["relation"]),
        _provenance(found["provenance"]),
        rest,
    )


def read_id(value: Json, fallback: str | None = None) -> str:
    """Return an id; a whole number becomes its decimal string.

    >>> read_id(3107), read_id(None, "pairs:4")
    ('3107', 'pairs:4')
    """
    if value is None and fallback is not None:
        return fallback
    if isinstance(value, bool) or not isinstance(value, str | int) or not str(value).strip():
        raise Problem("an id must be a string that is not empty, or a whole number", value)
    return str(value)


def read_label(value: Json, *, other: bool = False) -> str:
    """Return a label, whatever its case; ``other`` is one only in predictions.

    >>> read_label("ENTAILMENT")
    'entailment'
    """
    known = (*LABELS, OTHER) if other else LABELS
    name = value.strip().lower() if isinstance(value, str) else ""
    if name not in known:
        near = nearest(name, known) or next((one for one in known if name and one.startswith(name[:3])), None)
        raise Problem(
            f"unknown label; the labels are {', '.join(known)}", "" if value is None else value, near, "label"
        )
    return name


def _first(record: Mapping[str, Json], names: Sequence[str]) -> Json:
    return next((record[name] for name in names if name in record), None)


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
    if value is None or value in RELATIONS:
        return value
    raise Problem(f"unknown relation; known: {', '.join(RELATIONS)}", value, nearest(str(value), RELATIONS), "relation")


def _provenance(value: Json) -> Mapping[str, Json] | None:
    if not isinstance(value, dict | None):
        raise Problem("the provenance must be an object", value)
    return value


def _spans(value: Json, sentence: str, name: str) -> tuple[Span, ...]:
    if value is None:
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
