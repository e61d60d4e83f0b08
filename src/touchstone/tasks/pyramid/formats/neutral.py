"""Touchstone's own form: a pyramid or an annotation as one JSON object.

``touchstone.pyramid/1`` has set, header, lines, summaries, scus and extra; ``touchstone.annotation/1`` has set, peer,
annotator, lines, pyramid, peerscus and extra. The summaries are what counts: no header is looked for. Keys that
this form does not know are kept.
"""

import json
from collections.abc import Mapping

from touchstone.io.jsonl import Json
from touchstone.tasks.pyramid.formats.neutral_reading import ANNOTATION, PYRAMID
from touchstone.tasks.pyramid.model import Annotation, Contributor, Extra, Part, Pyramid, Stray, Unit

Object = dict[str, Json]


def format_json(thing: Pyramid | Annotation) -> str:
    """Return a pyramid or an annotation as JSON text."""
    value = pyramid_object(thing) if isinstance(thing, Pyramid) else annotation_object(thing)
    return json.dumps(value, ensure_ascii=False, indent=1) + "\n"


def pyramid_object(pyramid: Pyramid) -> Object:
    """Return *pyramid* as the value of a JSON text."""
    summaries: list[Json] = [{"id": s.id, "start": s.start, "end": s.end} for s in pyramid.summaries]
    models: Object = {} if pyramid.models is None else {"models": pyramid.models}
    return {
        "format": PYRAMID,
        "set": pyramid.set,
        "header": pyramid.header,
        **models,
        "lines": list(pyramid.lines),
        "summaries": summaries,
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
    inner: Object = {"uid": unit.uid, "label": unit.label, "comment": unit.comment, "contributors": contributors}
    return inner | _beyond(unit.extra)


def _contributor(contributor: Contributor) -> Json:
    parts: list[Json] = [_part(part) for part in contributor.parts]
    inner: Object = {"label": contributor.label, "comment": contributor.comment, "parts": parts}
    return inner | _beyond(contributor.extra)


def _part(part: Part) -> Json:
    inner: Object = {"label": part.label, "start": part.start, "end": part.end}
    return inner | _beyond(part.extra)


def _beyond(extra: Extra) -> Object:
    """Return what an object inside the file adds for *extra*: nothing, most of the time."""
    held = _extra(extra)
    return {**({"extra": held} if held else {}), **extra.keys}


def _extra(extra: Extra) -> Object:
    held: Object = {}
    if extra.attributes:
        held["attributes"] = _strings(extra.attributes)
    if extra.elements:
        held["elements"] = [_stray(stray) for stray in extra.elements]
    return held


def _stray(stray: Stray) -> Json:
    return {
        "at": stray.at,
        "tag": stray.tag,
        "attributes": _strings(stray.attributes),
        "text": stray.text,
        "children": [_stray(child) for child in stray.children],
    }


def _strings(mapping: Mapping[str, str]) -> Object:
    return dict(mapping)
