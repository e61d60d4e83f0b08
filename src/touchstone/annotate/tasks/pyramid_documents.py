"""Documents of pyramids and peers, read from what the tables hold and remembered for the next save."""

from dataclasses import replace
from typing import cast

from touchstone.annotate import pyramid as domain
from touchstone.annotate.pyramid.saving import read_like
from touchstone.annotate.tables import dump
from touchstone.annotate.tasks.protocol import Subject
from touchstone.annotate.tasks.remembering import Remembered
from touchstone.core.errors import TouchstoneError
from touchstone.io.jsonl import Json
from touchstone.io.text import Source
from touchstone.tasks.pyramid import Annotation, Pyramid
from touchstone.tasks.pyramid.formats.neutral_reading import read_json

PYRAMID, PEER = "pyramid", "peer"

Document = domain.PyramidDocument | domain.PeerDocument
Object = dict[str, Json]

_STORED = Source("stored", "")
_MATERIALS: Remembered[Pyramid | Annotation] = Remembered(256)
DOCUMENTS: Remembered[Document] = Remembered(128)
"""What was read lately: the body of one save is what the next one is compared with."""


def pyramid_of(value: Json) -> Pyramid:
    """Return the pyramid that a JSON value holds."""
    thing = read_json(value, _STORED)
    assert isinstance(thing, Pyramid)
    return replace(thing, source=None)


def material_of(item: Subject) -> Pyramid | Annotation:
    """Return the text that an item is about, and the pyramid for a peer: read once for the many saves of an answer."""
    return _MATERIALS.get(item.identity, lambda: _read_material(item))


def _read_material(item: Subject) -> Pyramid | Annotation:
    payload = cast("Object", item.payload)
    if item.kind == PYRAMID:
        return pyramid_of(payload)
    bare = {**cast("Object", item.hidden), "lines": payload["lines"], "pyramid": item.attachment, "peerscus": []}
    thing = read_json(bare, _STORED)
    assert isinstance(thing, Annotation)
    return replace(thing, source=None, pyramid=replace(thing.pyramid, source=None))


def blank_document(item: Subject) -> Document:
    """Return the document of an item before anybody marked anything."""
    material = material_of(item)
    return domain.PyramidDocument(material) if isinstance(material, Pyramid) else domain.blank_peer(material)


def document_of(item: Subject, body: Json) -> Document:
    """Return the document that a body holds over the text of its item."""
    return DOCUMENTS.get(key_of(item, body), lambda: read_like(blank_document(item), body))


def key_of(item: Subject, body: Json) -> tuple[str, str] | None:
    """Return what a document is remembered by; None where its item is not."""
    return None if item.identity is None else (item.identity, dump(body))


def peer_document_of(item: Subject, body: Json) -> domain.PeerDocument:
    """Return the document of a peer."""
    document = document_of(item, body)
    if not isinstance(document, domain.PeerDocument):
        raise TouchstoneError("a pyramid is read against no other")
    return document
