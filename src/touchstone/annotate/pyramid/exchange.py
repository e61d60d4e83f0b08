"""Documents from files and as files: .pyr, .pan and JSON, and new material from plain texts.

The .pyr and .pan formats cannot hold unassigned contributors; in JSON they are under the key "unassigned".
"""

from collections.abc import Mapping
from dataclasses import replace

from touchstone.annotate.pyramid import json_form
from touchstone.annotate.pyramid.constraints import RefusalError, check_size
from touchstone.annotate.pyramid.document import (
    Doc,
    PeerDocument,
    PyramidDocument,
    numbered,
    shifted,
    to_annotation,
    to_pyramid,
    with_units,
)
from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.io.jsonl import Json
from touchstone.tasks.pyramid.formats.ducview import format_annotation, format_pyramid
from touchstone.tasks.pyramid.formats.neutral import format_json
from touchstone.tasks.pyramid.formats.plain import pyramid_from_texts
from touchstone.tasks.pyramid.model import NO_UNIT, Annotation, Pyramid

UNASSIGNED = "unassigned"


def document_of(thing: Pyramid | Annotation) -> PyramidDocument | PeerDocument:
    """Return a pyramid or an annotation as a document; raise `TouchstoneError` if it is too large to be saved."""
    keys = dict(thing.extra.keys)
    unassigned = keys.pop(UNASSIGNED, None)
    without_unassigned = replace(thing, extra=replace(thing.extra, keys=keys))
    document = with_units(without_unassigned)
    if unassigned is not None:
        marks = numbered(
            json_form.read_list(unassigned, UNASSIGNED, json_form.MAX_MARKS, json_form.read_mark), document.next_mark
        )
        document = replace(document, unassigned=marks, next_mark=document.next_mark + len(marks))
    document = json_form.read_document(json_form.document_json(document), document)
    check_size(document)
    return document


def imported(document: Doc, file: Pyramid | Annotation) -> Doc:
    """Return *document* with the units of *file* in place of its own.

    Contributors get ids that were never used in this document; violations in the file are kept. A file with another
    text is refused, and so is a peer that was annotated with units that the pyramid does not have.
    """
    if isinstance(document, PeerDocument):
        unknown = {unit.uid for unit in file.units} - document.pyramid.by_uid.keys() - {NO_UNIT}
        if unknown:
            hint = "the file was annotated with another pyramid"
            raise RefusalError("missing", f"there is no unit {min(unknown)}", hint)
    if file.lines != document.material.lines:
        hint = "import it as a document of its own instead"
        raise RefusalError("text", "the file has another text than this document", hint)
    read = document_of(file)
    shift = document.next_mark - 1
    return replace(
        document,
        units=tuple(replace(unit, contributors=shifted(unit.contributors, shift)) for unit in read.units),
        unassigned=shifted(read.unassigned, shift),
        next_unit=max(document.next_unit, read.next_unit),
        next_mark=read.next_mark + shift,
    )


def file_text(document: PyramidDocument | PeerDocument, form: str) -> str:
    """Return *document* as the text of a file.

    Parameters
    ----------
    document
        A pyramid or a peer.
    form
        ``pyr`` for a pyramid, ``pan`` for a peer, or ``json`` for either.
    """
    thing = to_pyramid(document) if isinstance(document, PyramidDocument) else to_annotation(document)
    if form == "json":
        marks: list[Json] = [json_form.mark_json(mark) for mark in document.unassigned]
        keys = {**thing.extra.keys, UNASSIGNED: marks} if marks else thing.extra.keys
        return format_json(replace(thing, extra=replace(thing.extra, keys=keys)))
    if form == "pyr" and isinstance(thing, Pyramid):
        return format_pyramid(thing)
    if form == "pan" and isinstance(thing, Annotation):
        return format_annotation(thing)
    fit = "pyr" if isinstance(thing, Pyramid) else "pan"
    what, hint = "this document cannot be written in this form", f"choose {fit} or json"
    raise TouchstoneError(what, value=form, code=Code.UNKNOWN_FORMAT, hint=hint)


def pyramid_of_texts(document_set: str, texts: Mapping[str, str]) -> PyramidDocument:
    """Return a document without units over model summaries given as plain texts (see `pyramid_from_texts`)."""
    return PyramidDocument(pyramid_from_texts(document_set, texts))
