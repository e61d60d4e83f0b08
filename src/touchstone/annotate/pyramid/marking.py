"""Operations on contributors and parts, the same in a pyramid and in a peer.

Each returns the document after the step, or raises a `RefusalError` and leaves everything as it was. Spans are never
lost: what leaves a unit is unassigned, and only `discard` takes an unassigned contributor away.
"""

from collections.abc import Sequence
from dataclasses import replace

from touchstone.annotate.pyramid.constraints import guard
from touchstone.annotate.pyramid.document import Doc, Mark
from touchstone.annotate.pyramid.editing import (
    Span,
    checked_text,
    fresh_mark,
    joined,
    listing,
    mark_of,
    part_of,
    place_of,
    put_aside,
    put_in,
    with_mark,
    with_parts,
    with_unit,
    without_mark,
    words,
)
from touchstone.annotate.pyramid.refusals import RefusalError


def guarded(before: Doc, after: Doc) -> Doc:
    """Return *after*, unless the step from *before* breaks a rule anew."""
    guard(before, after)
    return after


def add_contributor(document: Doc, uid: str, spans: Sequence[Span]) -> Doc:
    """Return *document* with a new contributor of *spans* in the unit *uid*."""
    counted, mark = fresh_mark(document, words(document, spans))
    return guarded(document, put_in(counted, [mark], uid))


def add_part(document: Doc, mark_id: str, span: Span) -> Doc:
    """Return *document* with one more part in a contributor, which need not touch the others."""
    mark = mark_of(document, mark_id)
    if span in mark.spans:
        raise RefusalError("same", "the span is there already")
    return guarded(document, with_mark(document, with_parts(mark, [*mark.parts, *words(document, [span])])))


def comment_unit(document: Doc, uid: str, comment: str | None) -> Doc:
    """Return *document* with a *comment* on a unit; none takes it away."""
    document = listing(document, uid)
    place = place_of(document, uid)
    said = checked_text(comment or "", "a comment") or None
    return with_unit(document, place, replace(document.units[place], comment=said))


def comment_contributor(document: Doc, mark_id: str, comment: str | None) -> Doc:
    """Return *document* with a *comment* on a contributor; none takes it away."""
    said = checked_text(comment or "", "a comment") or None
    return with_mark(document, replace(mark_of(document, mark_id), comment=said))


def move_contributor(document: Doc, mark_id: str, uid: str) -> Doc:
    """Return *document* with a contributor at the end of another unit; the unit that it leaves stays, even empty."""
    mark, home = mark_of(document, mark_id), document.homes[mark_id]
    if home is not None and document.units[home].uid == uid:
        raise RefusalError("same", "the contributor is there already")
    return guarded(document, put_in(without_mark(document, mark_id), [mark], uid))


def join_contributors(document: Doc, mark_id: str, other_id: str) -> Doc:
    """Return *document* with all parts of the contributor *other_id* in *mark_id*, which takes its place."""
    mark, other = mark_of(document, mark_id), mark_of(document, other_id)
    if mark_id == other_id:
        raise RefusalError("same", "a contributor cannot be joined with itself")
    return guarded(document, with_mark(without_mark(document, other_id), joined(mark, other)))


def move_part_to_unit(document: Doc, mark_id: str, index: int, uid: str) -> Doc:
    """Return *document* with a part as a contributor of its own in the unit *uid*."""
    part = part_of(document, mark_id, index)
    if len(document.by_id[mark_id].parts) == 1:
        return move_contributor(document, mark_id, uid)
    counted, mark = fresh_mark(_without_part(document, mark_id, index), [part])
    return guarded(document, put_in(counted, [mark], uid))


def move_part_to_contributor(document: Doc, mark_id: str, index: int, target_id: str) -> Doc:
    """Return *document* with a part behind the parts of another contributor."""
    part, target = part_of(document, mark_id, index), mark_of(document, target_id)
    if mark_id == target_id:
        raise RefusalError("same", "the span is there already")
    if len(document.by_id[mark_id].parts) == 1:
        return join_contributors(document, target_id, mark_id)
    moved = joined(target, Mark(part.label, (part,), id=mark_id))
    return guarded(document, with_mark(_without_part(document, mark_id, index), moved))


def unassign(document: Doc, mark_ids: Sequence[str]) -> Doc:
    """Return *document* with contributors in no unit; in a peer this takes a match back."""
    after = document
    for mark_id in dict.fromkeys(mark_ids):
        mark = mark_of(after, mark_id)
        if after.homes[mark_id] is not None:
            after = put_aside(without_mark(after, mark_id), [mark])
    return guarded(document, after)


def unassign_part(document: Doc, mark_id: str, index: int) -> Doc:
    """Return *document* with a part as a contributor of its own in no unit."""
    part = part_of(document, mark_id, index)
    if len(document.by_id[mark_id].parts) == 1:
        return unassign(document, [mark_id])
    counted, mark = fresh_mark(_without_part(document, mark_id, index), [part])
    return guarded(document, put_aside(counted, [mark]))


def discard(document: Doc, mark_id: str) -> Doc:
    """Return *document* without an unassigned contributor: the only step that takes a span away."""
    mark_of(document, mark_id)
    if document.homes[mark_id] is not None:
        raise RefusalError("assigned", f"contributor {mark_id} belongs to a unit", "unassign it before it is discarded")
    return without_mark(document, mark_id)


def _without_part(document: Doc, mark_id: str, index: int) -> Doc:
    mark = document.by_id[mark_id]
    return with_mark(document, with_parts(mark, [*mark.parts[:index], *mark.parts[index + 1 :]]))
