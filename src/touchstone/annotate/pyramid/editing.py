"""The small steps that every operation is made of: find, take out, put in, relabel; each refuses what is not there."""

from collections.abc import Sequence
from dataclasses import replace

from touchstone.annotate.pyramid.document import (
    Doc,
    Document,
    Entry,
    Mark,
    PeerDocument,
    empty_entry,
    label_of,
)
from touchstone.annotate.pyramid.refusals import RefusalError
from touchstone.tasks.pyramid.model import NO_UNIT, Part

Span = tuple[int, int]

MAX_TEXT = 100_000
"""Code points in a label or a comment: as many as in a line of a file."""


def place_of(document: Document, uid: str) -> int:
    """Return the place of the unit *uid*."""
    if uid not in document.places:
        raise RefusalError("missing", f"there is no unit {_shown(uid)}")
    return document.places[uid]


def mark_of(document: Document, mark_id: str) -> Mark:
    """Return the contributor with this id."""
    if mark_id not in document.by_id:
        raise RefusalError("missing", f"there is no contributor {_shown(mark_id)}")
    return document.by_id[mark_id]


def part_of(document: Document, mark_id: str, index: int) -> Part:
    """Return the part of a contributor at *index*, in the stored order."""
    mark = mark_of(document, mark_id)
    if not 0 <= index < len(mark.parts):
        raise RefusalError("missing", f"contributor {mark_id} has no part {index}")
    return mark.parts[index]


def listing(document: Doc, uid: str) -> Doc:
    """Return *document* with an entry for *uid*: a peer may lack one for a unit that its pyramid has."""
    if uid in document.places or not isinstance(document, PeerDocument):
        return document
    if uid != NO_UNIT and uid not in document.pyramid.by_uid:
        return document
    return replace(document, units=(*document.units, empty_entry(document.pyramid, uid)))


def words(document: Document, spans: Sequence[Span]) -> tuple[Part, ...]:
    """Return the parts that *spans* make, each once, with their words."""
    if not spans:
        raise RefusalError("parts", "a contributor needs at least one part")
    length = len(document.text)
    for start, end in spans:
        if not 0 <= start < end <= length:
            raise RefusalError("span", f"[{start}, {end}) is no span of this text of {length:,} characters")
    return tuple(Part(document.text[start:end], start, end) for start, end in dict.fromkeys(spans))


def fresh_mark(document: Doc, parts: Sequence[Part]) -> tuple[Doc, Mark]:
    """Return a new contributor of *parts*, in no unit yet, and the document that has counted it."""
    mark = with_parts(Mark("", (), id=f"c{document.next_mark}"), parts)
    return replace(document, next_mark=document.next_mark + 1), mark


def fresh_unit(document: Doc, marks: Sequence[Mark], label: str | None, place: int) -> Doc:
    """Return *document* with a new unit of *marks* at *place*; without a *label* it is called by its first words."""
    name = " ".join(marks[0].label.split()) if label is None else label
    entry = Entry(str(document.next_unit), checked_label(name), tuple(marks))
    units = (*document.units[:place], entry, *document.units[place:])
    return replace(document, units=units, next_unit=document.next_unit + 1)


def with_unit(document: Doc, place: int, unit: Entry) -> Doc:
    """Return *document* with *unit* at *place*, instead of the one there."""
    return replace(document, units=(*document.units[:place], unit, *document.units[place + 1 :]))


def with_mark(document: Doc, mark: Mark) -> Doc:
    """Return *document* with *mark* instead of the contributor of the same id, where it is."""
    home = document.homes[mark.id]
    if home is None:
        return replace(document, unassigned=_replaced(document.unassigned, mark))
    unit = document.units[home]
    return with_unit(document, home, replace(unit, contributors=_replaced(unit.contributors, mark)))


def without_mark(document: Doc, mark_id: str) -> Doc:
    """Return *document* without a contributor; the unit that it leaves stays."""
    home = document.homes[mark_id]
    if home is None:
        return replace(document, unassigned=_without(document.unassigned, mark_id))
    unit = document.units[home]
    return with_unit(document, home, replace(unit, contributors=_without(unit.contributors, mark_id)))


def put_in(document: Doc, marks: Sequence[Mark], uid: str) -> Doc:
    """Return *document* with *marks* at the end of the unit *uid*."""
    document = listing(document, uid)
    place = place_of(document, uid)
    unit = document.units[place]
    return with_unit(document, place, replace(unit, contributors=(*unit.contributors, *marks)))


def put_aside(document: Doc, marks: Sequence[Mark]) -> Doc:
    """Return *document* with *marks* at the end of the unassigned."""
    return replace(document, unassigned=(*document.unassigned, *marks))


def with_parts(mark: Mark, parts: Sequence[Part]) -> Mark:
    """Return *mark* with other *parts*, and the label that they make."""
    return replace(mark, parts=tuple(parts), label=checked_text(label_of(parts), "a contributor"))


def joined(mark: Mark, other: Mark) -> Mark:
    """Return *mark* with the parts of *other* behind its own, spans that it has already left out."""
    here = set(mark.spans)
    parts = [*mark.parts, *(part for part in other.parts if (part.start, part.end) not in here)]
    return replace(with_parts(mark, parts), comment=joined_comments(mark.comment, other.comment))


def joined_comments(one: str | None, other: str | None) -> str | None:
    r"""Return two comments as one, a line for each.

    >>> joined_comments("a", None), joined_comments("a", "b")
    ('a', 'a\nb')
    """
    return checked_text("\n".join(filter(None, (one, other))), "a comment") or one


def checked_label(label: str) -> str:
    """Return a unit's *label* as typed, unless it is blank or too long."""
    if not label.strip():
        raise RefusalError("label", "a unit needs a label")
    return checked_text(label, "a label")


def checked_text(text: str, what: str) -> str:
    """Return *text*, unless it is longer than anybody reads."""
    if len(text) > MAX_TEXT:
        raise RefusalError("label", f"{what} of {len(text):,} characters; {MAX_TEXT:,} are the most")
    return text


def _shown(name: str) -> str:
    return name if len(name) <= 40 else f"{name[:40]}…"


def _replaced(marks: Sequence[Mark], mark: Mark) -> tuple[Mark, ...]:
    return tuple(mark if one.id == mark.id else one for one in marks)


def _without(marks: Sequence[Mark], mark_id: str) -> tuple[Mark, ...]:
    return tuple(mark for mark in marks if mark.id != mark_id)
