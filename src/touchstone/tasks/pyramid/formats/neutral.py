"""Touchstone's own form: a pyramid or an annotation as one JSON object.

``touchstone.pyramid/1`` has set, header, lines, summaries, scus and extra; ``touchstone.annotation/1`` has set, peer,
annotator, lines, pyramid, peerscus and extra. The summaries are what counts: no header is looked for. Keys that
this form does not know are kept. Reading checks every value; every fault names its path.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeVar

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError, nearest
from touchstone.base.files import Source
from touchstone.io.jsonl import Json
from touchstone.tasks.pyramid.formats.checking import FORBIDDEN, MAX_DEPTH, Reading
from touchstone.tasks.pyramid.model import Annotation, Contributor, Extra, Part, Pyramid, Stray, Summary, Unit

PYRAMID, ANNOTATION = "touchstone.pyramid/1", "touchstone.annotation/1"

MAX_OFFSET = 10**15

Object = dict[str, Json]
Thing = TypeVar("Thing")


def format_json(thing: Pyramid | Annotation) -> str:
    """Return a pyramid or an annotation as JSON text."""
    value = pyramid_object(thing) if isinstance(thing, Pyramid) else annotation_object(thing)
    return json.dumps(value, ensure_ascii=False, indent=1) + "\n"


def pyramid_object(pyramid: Pyramid) -> Object:
    """Return *pyramid* as the value of a JSON text."""
    models: Object = {} if pyramid.models is None else {"models": pyramid.models}
    return {
        "format": PYRAMID,
        "set": pyramid.set,
        "header": pyramid.header,
        **models,
        "lines": list(pyramid.lines),
        "summaries": [{"id": s.id, "start": s.start, "end": s.end} for s in pyramid.summaries],
        "scus": [_unit(unit) for unit in pyramid.units],
        "extra": _extra(pyramid.extra),
        **pyramid.extra.keys,
    }


def annotation_object(annotation: Annotation) -> Object:
    """Return *annotation* as the value of a JSON text, its pyramid inside."""
    return {
        "format": ANNOTATION,
        "set": annotation.set,
        "peer": annotation.peer,
        "annotator": annotation.annotator,
        "lines": list(annotation.lines),
        "pyramid": pyramid_object(annotation.pyramid),
        "peerscus": [_unit(unit) for unit in annotation.units],
        "extra": _extra(annotation.extra),
        "file_extra": _extra(annotation.file_extra),
        **annotation.extra.keys,
    }


def _unit(unit: Unit) -> Json:
    contributors: list[Json] = [_contributor(contributor) for contributor in unit.contributors]
    fields: Object = {"uid": unit.uid, "label": unit.label, "comment": unit.comment, "contributors": contributors}
    return fields | _beyond(unit.extra)


def _contributor(contributor: Contributor) -> Json:
    parts: list[Json] = [
        {"label": part.label, "start": part.start, "end": part.end, **_beyond(part.extra)} for part in contributor.parts
    ]
    fields: Object = {"label": contributor.label, "comment": contributor.comment, "parts": parts}
    return fields | _beyond(contributor.extra)


def _beyond(extra: Extra) -> Object:
    """Return what an object inside the file adds for *extra*: nothing, most of the time."""
    held = _extra(extra)
    return {**({"extra": held} if held else {}), **extra.keys}


def _extra(extra: Extra) -> Object:
    held: Object = {"attributes": {**extra.attributes}, "elements": [_stray(stray) for stray in extra.elements]}
    return {key: value for key, value in held.items() if value}


def _stray(stray: Stray) -> Json:
    return {
        "at": stray.at,
        "tag": stray.tag,
        "attributes": {**stray.attributes},
        "text": stray.text,
        "children": [_stray(child) for child in stray.children],
    }


def read_json(value: Json, source: Source) -> Pyramid | Annotation:
    """Return what the JSON *value* of a file holds; its ``format`` says which."""
    form = value.get("format") if isinstance(value, dict) else None
    formats = (PYRAMID, ANNOTATION)
    if not isinstance(value, dict) or form not in formats:
        format_name = form if isinstance(form, str) else None
        near = nearest(format_name, formats) if format_name is not None and len(format_name) < 40 else None
        hint = f'the "format" of a file is {" or ".join(formats)}'
        what = "not a pyramid or an annotation"
        raise TouchstoneError(what, file=source.name, value=format_name, near=near, code=Code.UNREADABLE, hint=hint)
    _check_strings(value, source.name)
    reading = _JsonReading(source)
    return reading.checked(reading.pyramid(value, "") if form == PYRAMID else reading.annotation(value))


@dataclass
class _JsonReading(Reading):
    """Builds the model of one JSON file; *where* is the path to a value."""

    def annotation(self, value: Object) -> Annotation:
        keys = ("format", "set", "peer", "annotator", "lines", "pyramid", "peerscus", "extra", "file_extra")
        inner = value.get("pyramid")
        if not isinstance(inner, dict):
            self.fault('"pyramid" must be an object', "annotation")
        document_set, peer, annotator = (self.text(value, key, "annotation") for key in ("set", "peer", "annotator"))
        return Annotation(
            document_set,
            peer,
            annotator,
            lines=self.strings(value, "lines", "annotation"),
            pyramid=self.pyramid(inner if isinstance(inner, dict) else {}, "pyramid"),
            units=self.objects(value, "peerscus", "annotation", self.unit),
            extra=self.extra(value, keys, "annotation"),
            file_extra=self.held(value.get("file_extra"), "annotation"),
        )

    def pyramid(self, value: Object, where: str) -> Pyramid:
        keys = ("format", "set", "header", "models", "lines", "summaries", "scus", "extra")
        models = self.integer(value, "models", where) if "models" in value else None
        if models is not None and models < 1:
            self.fault('"models" must be at least 1', where)
        return Pyramid(
            self.text(value, "set", where),
            self.strings(value, "lines", where),
            self.summaries(value, where),
            self.objects(value, "scus", where, self.unit),
            self.optional(value, "header", where),
            models,
            self.extra(value, keys, where),
        )

    def summaries(self, value: Object, where: str) -> tuple[Summary, ...]:
        summaries = self.objects(value, "summaries", where, self.summary)
        edges = [edge for summary in summaries for edge in (summary.start, summary.end)]
        if edges != sorted(edges):
            self.fault('"summaries" must follow each other', where)
        return summaries

    def summary(self, value: Object, where: str) -> Summary:
        start, end = (self.integer(value, name, where) for name in ("start", "end"))
        return Summary(self.text(value, "id", where), start, end)

    def unit(self, value: Object, where: str) -> Unit:
        return Unit(
            self.text(value, "uid", where),
            self.text(value, "label", where),
            self.objects(value, "contributors", where, self.contributor),
            self.optional(value, "comment", where),
            self.extra(value, ("uid", "label", "comment", "contributors", "extra"), where),
        )

    def contributor(self, value: Object, where: str) -> Contributor:
        return Contributor(
            self.text(value, "label", where),
            self.objects(value, "parts", where, self.part),
            self.optional(value, "comment", where),
            self.extra(value, ("label", "comment", "parts", "extra"), where),
        )

    def part(self, value: Object, where: str) -> Part:
        start, end = (self.integer(value, name, where) for name in ("start", "end"))
        extra = self.extra(value, ("label", "start", "end", "extra"), where)
        return Part(self.text(value, "label", where), start, end, extra)

    def extra(self, value: Object, format_keys: tuple[str, ...], where: str) -> Extra:
        held = self.held(value.get("extra"), where)
        return replace(held, keys={key: inner for key, inner in value.items() if key not in format_keys})

    def held(self, value: Json, where: str) -> Extra:
        if value is None:
            return Extra()
        if not isinstance(value, dict) or not set(value) <= {"attributes", "elements"}:
            self.fault('"extra" must be an object with attributes and elements', where)
            return Extra()
        # A key may be missing here; one with a wrong value is a fault.
        elements = self.objects({"elements": [], **value}, "elements", where, self.stray)
        return Extra(self.attributes(value, where), elements)

    def stray(self, value: Object, where: str) -> Stray:
        tag = self.text(value, "tag", where)
        self.check_names([tag], where, "not the name of an element or attribute")
        children = self.objects({"children": [], **value}, "children", where, self.stray)
        text = self.text({"text": "", **value}, "text", where)
        if children and text:
            self.fault("an unknown element mixes text and elements", where)
        return Stray(max(self.integer(value, "at", where), 0), tag, self.attributes(value, where), text, children)

    def attributes(self, value: Object, where: str) -> dict[str, str]:
        names = value.get("attributes", {})
        if not isinstance(names, dict) or not all(isinstance(text, str) for text in names.values()):
            self.fault('"attributes" must be an object of strings', where)
            return {}
        self.check_names(names, where, "not the name of an element or attribute")
        return {name: str(text) for name, text in names.items()}

    def objects(self, value: Object, key: str, where: str, make: Callable[[Object, str], Thing]) -> tuple[Thing, ...]:
        """Return what *make* makes of each object in the list under *key*."""
        inner = value.get(key)
        if not isinstance(inner, list) or not all(isinstance(entry, dict) for entry in inner):
            self.fault(f'"{key}" must be a list of objects', where)
            return ()
        return tuple(
            make(element, f"{where} {key} {n}".strip())
            for n, element in enumerate(inner, 1)
            if isinstance(element, dict)
        )

    def strings(self, value: Object, key: str, where: str) -> tuple[str, ...]:
        inner = value.get(key)
        if not isinstance(inner, list) or not all(isinstance(entry, str) for entry in inner):
            self.fault(f'"{key}" must be a list of strings', where)
            return ()
        return tuple(map(str, inner))

    def text(self, value: Object, key: str, where: str) -> str:
        inner = value.get(key)
        if not isinstance(inner, str):
            self.fault(f'"{key}" must be a string', where)
        return str(inner)

    def optional(self, value: Object, key: str, where: str) -> str | None:
        return None if value.get(key) is None else self.text(value, key, where)

    def integer(self, value: Object, key: str, where: str) -> int:
        inner = value.get(key)
        if isinstance(inner, bool) or not isinstance(inner, int) or abs(inner) >= MAX_OFFSET:
            self.fault(f'"{key}" must be a whole number', where)
            return 0
        return inner


def _check_strings(value: Json, file: str) -> None:
    """Refuse a string with a character that no XML file could hold, and values nested deeper than any of ours."""
    # A list of what is left instead of recursion, which deep nesting would exhaust.
    pending: list[tuple[Json, int]] = [(value, 0)]
    while pending:
        node, depth = pending.pop()
        if isinstance(node, str) and (character := FORBIDDEN.search(node)):
            what = f"a control character (U+{ord(character[0]):04X}) that XML cannot hold"
            raise TouchstoneError(what, file=file, value=node, code=Code.BAD_CELL)
        if depth > 4 * MAX_DEPTH:
            raise TouchstoneError("values are nested too deeply", file=file, code=Code.TOO_LARGE)
        inner = [*node, *node.values()] if isinstance(node, dict) else node if isinstance(node, list) else []
        pending += [(each, depth + 1) for each in inner]
