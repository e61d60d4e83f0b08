"""Documents as JSON: written for a browser, read back with nothing trusted.

Read strictly: types, sizes, ids and unknown keys; what is wrong is said in a sentence with the path to it. Rules of
the task are not looked at here but in `constraints`.
"""

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from typing import TYPE_CHECKING, TypeVar

from touchstone.annotate.pyramid.document import NUMBER, Doc, Document, Entry, Mark, PeerDocument, PyramidDocument
from touchstone.annotate.pyramid.editing import MAX_TEXT
from touchstone.core.errors import TouchstoneError, nearest
from touchstone.io.jsonl import Json
from touchstone.io.text import Source
from touchstone.tasks.pyramid.formats.checking import FORBIDDEN
from touchstone.tasks.pyramid.formats.neutral import pyramid_object
from touchstone.tasks.pyramid.formats.neutral_reading import MAX_OFFSET, PYRAMID, read_json
from touchstone.tasks.pyramid.model import NO_UNIT, Annotation, Extra, Part, Pyramid

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

PYRAMID_FORM, PEER_FORM = "touchstone.annotate.pyramid/1", "touchstone.annotate.peer/1"

MAX_UNITS, MAX_MARKS, MAX_PARTS, MAX_UID = 5_000, 20_000, 100_000, 200
"""Fifty times what the largest real pyramid has."""

MAX_NUMBER = 10**9

MARK_ID = re.compile(r"c[1-9][0-9]{0,8}")

Object = dict[str, Json]
Thing = TypeVar("Thing")

_KNOWN = frozenset(["id", "uid", "label", "comment", "contributors", "parts", "start", "end", "extra"])
"""Keys that unknown ones from a file must not stand in for."""


def document_json(document: Document) -> Object:
    """Return *document* as the value of a JSON text; its material is not in it."""
    form = PYRAMID_FORM if isinstance(document, PyramidDocument) else PEER_FORM
    return {
        "format": form,
        "units": [unit_json(unit) for unit in document.units],
        "unassigned": [mark_json(mark) for mark in document.unassigned],
        "next": {"unit": document.next_unit, "contributor": document.next_mark},
    }


def unit_json(unit: Entry) -> Object:
    """Return a unit as the value of a JSON text."""
    marks: list[Json] = [mark_json(mark) for mark in unit.contributors]
    inner: Object = {"uid": unit.uid, "label": unit.label, "comment": unit.comment, "contributors": marks}
    return inner | _extra_json(unit.extra)


def mark_json(mark: Mark) -> Object:
    """Return a contributor as the value of a JSON text."""
    parts: list[Json] = [_part_json(part) for part in mark.parts]
    inner: Object = {"id": mark.id, "label": mark.label, "comment": mark.comment, "parts": parts}
    return inner | _extra_json(mark.extra)


def _part_json(part: Part) -> Object:
    inner: Object = {"label": part.label, "start": part.start, "end": part.end}
    return inner | _extra_json(part.extra)


def as_json(record: "DataclassInstance") -> Object:
    """Return a record of figures, hits or feedback as the value of a JSON text; tuples become lists."""
    return {one.name: _value(getattr(record, one.name)) for one in fields(record)}


def _value(value: object) -> Json:
    if isinstance(value, tuple):
        return [_value(one) for one in value]
    if is_dataclass(value) and not isinstance(value, type):
        return as_json(value)
    return value if isinstance(value, str | int | float) else None


def read_pyramid_document(value: Json, material: Pyramid) -> PyramidDocument:
    """Return the pyramid document that *value* holds, over the text of *material*."""
    document = _document(value, PYRAMID_FORM, PyramidDocument(replace(material, units=())))
    _check_uids(document, frozenset({"", NO_UNIT}))
    return document


def read_peer_document(value: Json, material: Annotation) -> PeerDocument:
    """Return the peer document that *value* holds, over the text and the pyramid of *material*."""
    document = _document(value, PEER_FORM, PeerDocument(replace(material, units=())))
    known = material.pyramid.by_uid
    for unit in document.units:
        if unit.uid != NO_UNIT and unit.uid not in known:
            near = nearest(unit.uid, known)
            raise TouchstoneError("the pyramid has no unit of this uid", value=unit.uid, near=near, kind="uid")
    return document


def _document(value: Json, form: str, blank: Doc) -> Doc:
    whole = an_object(value, ("format", "units", "unassigned", "next"), "document")
    if whole["format"] != form:
        shown = str(whole["format"])[:60]
        raise TouchstoneError("not a document of this form", value=shown, near=form, kind="form")
    numbers = an_object(whole["next"], ("unit", "contributor"), "next")
    next_unit, next_mark = (whole_number(numbers[name], f"next {name}", 1) for name in ("unit", "contributor"))
    document = replace(
        blank,
        units=listed(whole["units"], "units", MAX_UNITS, read_unit),
        unassigned=listed(whole["unassigned"], "unassigned", MAX_MARKS, read_mark),
        next_unit=next_unit,
        next_mark=next_mark,
    )
    _check_ids(document)
    return document


def read_unit(value: Json, where: str) -> Entry:
    """Return the unit that *value* holds."""
    one = an_object(value, ("uid", "label", "comment", "contributors"), where, ("extra",))
    uid = a_string(one["uid"], f"{where} uid", MAX_UID)
    marks = listed(one["contributors"], f"{where} contributors", MAX_MARKS, read_mark)
    return Entry(uid, a_string(one["label"], f"{where} label"), marks, _comment(one, where), _extra(one, where))


def read_mark(value: Json, where: str) -> Mark:
    """Return the contributor that *value* holds."""
    one = an_object(value, ("id", "label", "comment", "parts"), where, ("extra",))
    mark_id = a_string(one["id"], f"{where} id", MAX_UID)
    if not MARK_ID.fullmatch(mark_id):
        raise TouchstoneError("the id of a contributor is c and a number", line=where, value=mark_id)
    parts = listed(one["parts"], f"{where} parts", MAX_PARTS, _part)
    label = a_string(one["label"], f"{where} label")
    return Mark(label, parts, _comment(one, where), _extra(one, where), id=mark_id)


def _part(value: Json, where: str) -> Part:
    one = an_object(value, ("label", "start", "end"), where, ("extra",))
    start, end = (whole_number(one[name], f"{where} {name}", 1 - MAX_OFFSET, MAX_OFFSET) for name in ("start", "end"))
    return Part(a_string(one["label"], f"{where} label"), start, end, _extra(one, where))


def _check_ids(document: Document) -> None:
    """Refuse a contributor that stands twice, numbers that would be given again, and more than anybody can read."""
    seen: set[str] = set()
    for mark in document.marks:
        if mark.id in seen:
            raise TouchstoneError("the id of a contributor stands twice", value=mark.id)
        seen.add(mark.id)
        if int(mark.id[1:]) >= document.next_mark:
            raise TouchstoneError("the next contributor must have a higher number than this one", value=mark.id)
    if len(seen) > MAX_MARKS or sum(len(mark.parts) for mark in document.marks) > MAX_PARTS:
        raise TouchstoneError(f"more than {MAX_MARKS:,} contributors or {MAX_PARTS:,} parts")


def _check_uids(document: PyramidDocument, reserved: frozenset[str]) -> None:
    seen: set[str] = set()
    for unit in document.units:
        if unit.uid in reserved:
            raise TouchstoneError("this uid cannot name a unit of a pyramid", value=unit.uid)
        if unit.uid in seen:
            raise TouchstoneError("this uid stands twice in the pyramid", value=unit.uid)
        seen.add(unit.uid)
        if NUMBER.fullmatch(unit.uid) and int(unit.uid) >= document.next_unit:
            raise TouchstoneError("the next unit must have a higher number than this one", value=unit.uid)


def an_object(value: Json, keys: Sequence[str], where: str, optional: Collection[str] = ()) -> Object:
    """Return *value*, which must be an object with these *keys*, perhaps the *optional* ones, and no others."""
    if not isinstance(value, dict):
        raise TouchstoneError("must be an object", line=where)
    for key in value:
        if key not in keys and key not in optional:
            raise TouchstoneError("unknown key", line=where, value=key, near=nearest(key[:40], keys), kind="key")
    for key in keys:
        if key not in value:
            raise TouchstoneError(f'"{key}" is missing', line=where)
    return value


def listed(value: Json, where: str, most: int, read: Callable[[Json, str], Thing]) -> tuple[Thing, ...]:
    """Return what *read* makes of each value in a list of at most *most*."""
    if not isinstance(value, list):
        raise TouchstoneError("must be a list", line=where)
    if len(value) > most:
        raise TouchstoneError(f"a list of {len(value):,}; {most:,} are the most", line=where)
    return tuple(read(one, f"{where} {number}") for number, one in enumerate(value, 1))


def a_string(value: Json, where: str, most: int = MAX_TEXT) -> str:
    """Return *value*, which must be a string that an XML file can hold, of at most *most* code points."""
    if not isinstance(value, str):
        raise TouchstoneError("must be a string", line=where)
    if len(value) > most:
        raise TouchstoneError(f"{len(value):,} characters; {most:,} are the most", line=where)
    if found := FORBIDDEN.search(value):
        raise TouchstoneError(f"a control character (U+{ord(found[0]):04X}) that XML cannot hold", line=where)
    return value


def whole_number(value: Json, where: str, least: int, most: int = MAX_NUMBER) -> int:
    """Return *value*, which must be a whole number from *least* to below *most*."""
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value < most:
        raise TouchstoneError(f"must be a whole number from {least:,} to below {most:,}", line=where)
    return value


def _comment(one: Object, where: str) -> str | None:
    return None if one["comment"] is None else a_string(one["comment"], f"{where} comment")


def _extra_json(extra: Extra) -> Object:
    """Return the key under which an object carries what its file holds beyond the format; none where it is nothing."""
    if not extra:
        return {}
    held = pyramid_object(Pyramid("", (), (), (), extra=replace(extra, keys={})))["extra"]
    return {"extra": {**(held if isinstance(held, dict) else {}), "keys": dict(extra.keys)}}


def _extra(one: Mapping[str, Json], where: str) -> Extra:
    """Return what a file held beyond the format, checked by the reader of such files."""
    if "extra" not in one:
        return Extra()
    held = dict(an_object(one["extra"], (), f"{where} extra", ("attributes", "elements", "keys")))
    keys = held.pop("keys", {})
    if not isinstance(keys, dict) or keys.keys() & _KNOWN:
        raise TouchstoneError('"keys" must be an object of unknown keys', line=f"{where} extra")
    whole: Object = {"format": PYRAMID, "set": "", "lines": [], "summaries": [], "scus": [], "extra": held}
    read = read_json({**whole, "keys": keys}, Source(f"{where} extra", "")).extra
    return replace(read, keys=keys)
