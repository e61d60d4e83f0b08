"""The one gate of a save: what a browser sent, checked against what is stored, whatever the browser checked itself."""

from collections.abc import Sequence
from typing import overload

from touchstone.annotate.pyramid.constraints import new_violations, refuse
from touchstone.annotate.pyramid.document import Document, PeerDocument, PyramidDocument
from touchstone.annotate.pyramid.json_form import read_peer_document, read_pyramid_document
from touchstone.core.errors import TouchstoneError
from touchstone.io.jsonl import Json


@overload
def accept_save(stored: PyramidDocument, value: Json, allowed: Sequence[Document] = ()) -> PyramidDocument: ...
@overload
def accept_save(stored: PeerDocument, value: Json, allowed: Sequence[Document] = ()) -> PeerDocument: ...
def accept_save(
    stored: PyramidDocument | PeerDocument, value: Json, allowed: Sequence[Document] = ()
) -> PyramidDocument | PeerDocument:
    """Return the document that *value* holds, where it may follow the *stored* one.

    Refused are JSON that is no such document, numbers that could be given twice, and rules that neither the stored
    document nor any of the *allowed* ones broke: those that came from a file, or that an undo goes back to.
    """
    after = read_like(stored, value)
    if after.next_unit < stored.next_unit or after.next_mark < stored.next_mark:
        raise TouchstoneError("the next numbers are lower than those that were saved", hint="numbers are never reused")
    refuse(new_violations(after, [stored, *allowed]))
    return after


def read_like(stored: PyramidDocument | PeerDocument, value: Json) -> PyramidDocument | PeerDocument:
    """Return the document that *value* holds over the text of another."""
    if isinstance(stored, PyramidDocument):
        return read_pyramid_document(value, stored.material)
    return read_peer_document(value, stored.material)
