"""Documents as JSON: written for a browser, and read back without trusting anything.

Reading checks types, sizes, ids and unknown keys; an error names the path to the value. The rules of the task are
checked in `constraints`.
"""

import json
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar, cast

from touchstone.annotate.pyramid.document import NUMBER, Doc, Document, Entry, Mark, PyramidDocument
from touchstone.annotate.pyramid.rules import LIMITS
from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError, nearest
from touchstone.base.files import Source
from touchstone.io.jsonl import Json
from touchstone.tasks.pyramid.formats.checking import FORBIDDEN
from touchstone.tasks.pyramid.formats.neutral import MAX_OFFSET, PYRAMID, pyramid_object, read_json
from touchstone.tasks.pyramid.model import NO_UNIT, Annotation, Extra, Part, Pyramid

PYRAMID_FORM, PEER_FORM = "touchstone.annotate.pyramid/1", "touchstone.annotate.peer/1"

MAX_UNITS, MAX_MARKS, MAX_PARTS, MAX_UID = 5_000, 20_000, 100_000, 200
"""What can be read: fifty times what the largest real pyramid has, and more than can be saved (see `check_size`)."""

MAX_TEXT = LIMITS["text"]
"""Code points in a label or a comment: as many as in a line of a file."""

MAX_NUMBER = 10**9

MARK_ID = re.compile(r"c[1-9][0-9]{0,8}")

Object = dict[str, Json]
Value = TypeVar("Value")

_RESERVED_KEYS = frozenset(["id", "uid", "label", "comment", "contributors", "parts", "start", "end", "extra"])
"""Keys of the format, which unknown keys of a file must not replace."""


def document_json(document: Document) -> Object:
    """Return *document* as a JSON value, without its material."""
    return {
        "format": _form(document),
        "units": [unit_json(unit) for unit in document.units],
        "unassigned": [mark_json(mark) for mark in document.unassigned],
        "next": {"unit": document.next_unit, "contributor": document.next_mark},
    }


def _form(document: Document) -> str:
    return PYRAMID_FORM if isinstance(document, PyramidDocument) else PEER_FORM


def unit_json(unit: Entry) -> Object:
    """Return a unit as a JSON value."""
    marks: list[Json] = [mark_json(mark) for mark in unit.contributors]
    fields: Object = {"uid": unit.uid, "label": unit.label, "comment": unit.comment, "contributors": marks}
    return fields | _extra_json(unit.extra)


def mark_json(mark: Mark) -> Object:
    """Return a contributor as a JSON value."""
    parts: list[Json] = [_part_json(part) for part in mark.parts]
    fields: Object = {"id": mark.id, "label": mark.label, "comment": mark.comment, "parts": parts}
    return fields | _extra_json(mark.extra)


def _part_json(part: Part) -> Object:
    return {"label": part.label, "start": part.start, "end": part.end, **_extra_json(part.extra)}


def read_document(value: Json, like: Doc, units: Callable[[Json, str], Entry] | None = None) -> Doc:
    """Return the document in the JSON *value*; raise `TouchstoneError` if it is malformed.

    Parameters
    ----------
    value
        JSON sent by a browser; nothing in it is trusted.
    like
        A document over the same material: its kind and its text are those of the result.
    units
        How units are read, if not each of them anew: see `reading_like`.
    """
    fields = read_object(value, ("format", "units", "unassigned", "next"), "document")
    if fields["format"] != _form(like):
        form = str(fields["format"])[:60]
        raise TouchstoneError(
            "not a document of this form", value=form, near=_form(like), kind="form", code=Code.UNKNOWN_FORMAT
        )
    numbers = read_object(fields["next"], ("unit", "contributor"), "next")
    next_unit, next_mark = (read_number(numbers[name], f"next {name}", 1) for name in ("unit", "contributor"))
    document = replace(
        like,
        units=read_list(fields["units"], "units", MAX_UNITS, units or read_unit),
        unassigned=read_list(fields["unassigned"], "unassigned", MAX_MARKS, read_mark),
        next_unit=next_unit,
        next_mark=next_mark,
    )
    _check_ids(document)
    _check_uids(document)
    return document


def reading_like(value: Json, document: Document) -> Callable[[Json, str], Entry]:
    """Return what reads units, and takes those of *document*, which was read from *value*, where they are the same.

    They are compared as JSON texts: the values 1, 1.0 and true are equal in Python.
    """
    earlier = cast("list[Json]", cast("Object", value)["units"])
    entry_by_json = {json.dumps(unit): entry for unit, entry in zip(earlier, document.units, strict=True)}

    def read(unit: Json, where: str) -> Entry:
        entry = entry_by_json.get(json.dumps(unit))
        return read_unit(unit, where) if entry is None else entry

    return read


def read_unit(value: Json, where: str) -> Entry:
    """Return the unit in the JSON *value*; *where* is its path for error messages."""
    fields = read_object(value, ("uid", "label", "comment", "contributors"), where, ("extra",))
    uid = read_string(fields["uid"], f"{where} uid", MAX_UID)
    marks = read_list(fields["contributors"], f"{where} contributors", MAX_MARKS, read_mark)
    label = read_string(fields["label"], f"{where} label")
    return Entry(uid, label, marks, _read_comment(fields, where), _read_extra(fields, where))


def read_mark(value: Json, where: str) -> Mark:
    """Return the contributor in the JSON *value*; *where* is its path for error messages."""
    fields = read_object(value, ("id", "label", "comment", "parts"), where, ("extra",))
    mark_id = read_string(fields["id"], f"{where} id", MAX_UID)
    if not MARK_ID.fullmatch(mark_id):
        raise malformed("the id of a contributor is c and a number", where, mark_id)
    parts = read_list(fields["parts"], f"{where} parts", MAX_PARTS, _read_part)
    label = read_string(fields["label"], f"{where} label")
    return Mark(label, parts, _read_comment(fields, where), _read_extra(fields, where), id=mark_id)


def _read_part(value: Json, where: str) -> Part:
    fields = read_object(value, ("label", "start", "end"), where, ("extra",))
    start, end = (read_number(fields[name], f"{where} {name}", 1 - MAX_OFFSET, MAX_OFFSET) for name in ("start", "end"))
    return Part(read_string(fields["label"], f"{where} label"), start, end, _read_extra(fields, where))


def _check_ids(document: Document) -> None:
    """Refuse duplicate contributors, ids that would be given again, and more than anybody can read."""
    ids: set[str] = set()
    for mark in document.marks:
        if mark.id in ids:
            raise TouchstoneError("duplicate contributor id", value=mark.id, code=Code.DUPLICATE_ID)
        ids.add(mark.id)
        if int(mark.id[1:]) >= document.next_mark:
            raise TouchstoneError(
                "the next contributor must have a higher number than this one", value=mark.id, code=Code.OUT_OF_RANGE
            )
    if len(ids) > MAX_MARKS or sum(len(mark.parts) for mark in document.marks) > MAX_PARTS:
        raise TouchstoneError(f"more than {MAX_MARKS:,} contributors or {MAX_PARTS:,} parts", code=Code.TOO_LARGE)


def _check_uids(document: Document) -> None:
    """Refuse unknown uids in a peer; in a pyramid reserved, duplicate and not yet counted ones."""
    if isinstance(document.material, Annotation):
        pyramid_units = document.material.pyramid.by_uid
        for unit in document.units:
            if unit.uid != NO_UNIT and unit.uid not in pyramid_units:
                near = nearest(unit.uid, pyramid_units)
                raise TouchstoneError(
                    "the pyramid has no unit with this uid", value=unit.uid, near=near, kind="uid", code=Code.UNKNOWN_ID
                )
        return
    taken_uids = {"", NO_UNIT}
    for unit in document.units:
        if unit.uid in ("", NO_UNIT):
            raise TouchstoneError("this uid cannot name a unit of a pyramid", value=unit.uid, code=Code.BAD_CELL)
        if unit.uid in taken_uids:
            raise TouchstoneError("duplicate uid in the pyramid", value=unit.uid, code=Code.DUPLICATE_ID)
        taken_uids.add(unit.uid)
        if NUMBER.fullmatch(unit.uid) and int(unit.uid) >= document.next_unit:
            raise TouchstoneError(
                "the next unit must have a higher number than this one", value=unit.uid, code=Code.OUT_OF_RANGE
            )


def malformed(what: str, where: str, value: str | None = None) -> TouchstoneError:
    """Return the error of a value that is not *what* it must be; *where* is its path."""
    return TouchstoneError(what, line=where, value=value, code=Code.BAD_CELL)


def read_object(value: Json, keys: Sequence[str], where: str, optional: Collection[str] = ()) -> Object:
    """Return *value* if it is a JSON object with exactly the given keys.

    Parameters
    ----------
    value
        Any JSON value.
    keys
        The keys that must be there.
    where
        The path of *value*, for error messages.
    optional
        The keys that may be there as well.
    """
    if not isinstance(value, dict):
        raise malformed("must be an object", where)
    for key in value:
        if key not in keys and key not in optional:
            raise TouchstoneError(
                "unknown key", line=where, value=key, near=nearest(key[:40], keys), kind="key", code=Code.UNKNOWN_NAME
            )
    for key in keys:
        if key not in value:
            raise TouchstoneError(f'"{key}" is missing', line=where, code=Code.NO_COLUMN)
    return value


def read_list(value: Json, where: str, most: int, read: Callable[[Json, str], Value]) -> tuple[Value, ...]:
    """Return the members of a JSON list of at most *most* values, each converted by *read* with its path."""
    if not isinstance(value, list):
        raise malformed("must be a list", where)
    if len(value) > most:
        raise TouchstoneError(f"a list of {len(value):,}; {most:,} are the most", line=where, code=Code.TOO_LARGE)
    return tuple(read(member, f"{where} {number}") for number, member in enumerate(value, 1))


def read_pair(value: Json, where: str, read: Callable[[Json, str], Value], what: str) -> tuple[Value, Value]:
    """Return the two members of a JSON list, which hold *what*, each converted by *read* with its path."""
    pair = read_list(value, where, 2, read)
    if len(pair) != 2:
        raise malformed(f"must hold {what}", where)
    return pair[0], pair[1]


def read_string(value: Json, where: str, most: int = MAX_TEXT) -> str:
    """Return *value* if it is a string of at most *most* code points that an XML file can hold."""
    if not isinstance(value, str):
        raise malformed("must be a string", where)
    if len(value) > most:
        raise TouchstoneError(f"{len(value):,} characters; {most:,} are the most", line=where, code=Code.TOO_LARGE)
    if forbidden := FORBIDDEN.search(value):
        raise malformed(f"a control character (U+{ord(forbidden[0]):04X}) that XML cannot hold", where)
    return value


def read_number(value: Json, where: str, least: int, most: int = MAX_NUMBER) -> int:
    """Return *value* if it is a whole number from *least* to below *most*."""
    # In Python, true is a number too.
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value < most:
        raise malformed(f"must be a whole number from {least:,} to below {most:,}", where)
    return value


def _read_comment(fields: Object, where: str) -> str | None:
    return None if fields["comment"] is None else read_string(fields["comment"], f"{where} comment")


def _extra_json(extra: Extra) -> Object:
    """Return what a file holds beyond the format, under the key "extra"; nothing if there is none."""
    if not extra:
        return {}
    held = pyramid_object(Pyramid("", (), (), (), extra=replace(extra, keys={})))["extra"]
    return {"extra": {**(held if isinstance(held, dict) else {}), "keys": dict(extra.keys)}}


def _read_extra(fields: Mapping[str, Json], where: str) -> Extra:
    """Return what a file held beyond the format, checked by the reader of such files."""
    if "extra" not in fields:
        return Extra()
    held = dict(read_object(fields["extra"], (), f"{where} extra", ("attributes", "elements", "keys")))
    keys = held.pop("keys", {})
    if not isinstance(keys, dict) or keys.keys() & _RESERVED_KEYS:
        raise malformed('"keys" must be an object of unknown keys', f"{where} extra")
    empty_pyramid: Object = {"format": PYRAMID, "set": "", "lines": [], "summaries": [], "scus": [], "extra": held}
    return replace(read_json({**empty_pyramid, "keys": keys}, Source(f"{where} extra", "")).extra, keys=keys)
