"""Operations on the units of a pyramid: make, name, merge, split, delete, order.

Each returns the document after the step, or raises a `RefusalError` and leaves everything as it was. Those on
contributors and parts are in `marking`, those of a peer in `matching`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from touchstone.annotate.pyramid.constraints import touched
from touchstone.annotate.pyramid.document import Mark, PyramidDocument
from touchstone.annotate.pyramid.editing import (
    Span,
    checked_label,
    fresh_mark,
    fresh_unit,
    joined,
    joined_comments,
    part_of,
    place_of,
    put_aside,
    with_parts,
    with_unit,
    words,
)
from touchstone.annotate.pyramid.marking import guarded
from touchstone.annotate.pyramid.refusals import RefusalError

Chosen = Mapping[str, Sequence[int] | None]
"""What a split takes: contributors by their ids, whole (None) or some of their parts."""

JOIN_OR_CANCEL = "join the two into one contributor with several parts, or cancel"


def new_unit(document: PyramidDocument, spans: Sequence[Span], label: str | None = None) -> PyramidDocument:
    """Return *document* with a new last unit of one contributor; without a *label* it is called by its words.

    >>> from touchstone.tasks.pyramid.model import Pyramid, Summary
    >>> document = PyramidDocument(Pyramid("S1", ("Cats sleep.",), (Summary("A", 0, 11),), ()))
    >>> made = new_unit(document, [(0, 4), (5, 10)])
    >>> made.units[0].uid, made.units[0].label, made.units[0].contributors[0].id
    ('1', 'Cats...sleep', 'c1')
    """
    counted, mark = fresh_mark(document, words(document, spans))
    return guarded(document, fresh_unit(counted, [mark], label, len(document.units)))


def rename_unit(document: PyramidDocument, uid: str, label: str) -> PyramidDocument:
    """Return *document* with another *label* for a unit, as it was typed."""
    place = place_of(document, uid)
    return with_unit(document, place, replace(document.units[place], label=checked_label(label)))


def merge(document: PyramidDocument, uid: str, other: str) -> PyramidDocument:
    """Return *document* with the contributors of the unit *other* in *uid*, which keeps its label.

    Where both have a contributor from one summary the merge is refused, and the refusal offers the pairs to join.
    """
    pairs = _shared(document, uid, other)
    if pairs:
        names = {document.summaries[place].id: None for *_, place in pairs}
        said = f"units {uid} and {other} both have a contributor from the summary {', '.join(names)}"
        raise RefusalError("C2", said, JOIN_OR_CANCEL, offer=tuple((one, two) for one, two, _ in pairs))
    return guarded(document, _merged(document, uid, other, document.units[document.places[uid]].contributors))


def merge_and_join(document: PyramidDocument, uid: str, other: str) -> PyramidDocument:
    """Return *document* with two units as one, in which contributors from one summary are one with several parts."""
    pairs = {two: one for one, two, _ in reversed(_shared(document, uid, other))}
    marks = {mark.id: mark for mark in document.units[document.places[uid]].contributors}
    for mark in document.units[document.places[other]].contributors:
        if mark.id in pairs:
            marks[pairs[mark.id]] = joined(marks[pairs[mark.id]], mark)
    return guarded(document, _merged(document, uid, other, tuple(marks.values()), frozenset(pairs)))


def split(document: PyramidDocument, uid: str, chosen: Chosen, label: str | None = None) -> PyramidDocument:
    """Return *document* with what is *chosen* of a unit in a new one right after it.

    A contributor chosen whole moves; of one chosen in part, these parts become a new contributor.
    """
    place = place_of(document, uid)
    unit = document.units[place]
    strangers = chosen.keys() - {mark.id for mark in unit.contributors}
    if strangers:
        raise RefusalError("missing", f"there is no contributor {min(strangers)} in unit {uid}")
    after, kept, taken = document, list[Mark](), list[Mark]()
    for mark in unit.contributors:
        after, stays, goes = _parted(after, mark, chosen.get(mark.id, ()))
        kept += [stays] if stays else []
        taken += [goes] if goes else []
    if not taken:
        raise RefusalError("split", "choose what the new unit takes")
    if not kept:
        all_of_it = f"choose some of the contributors or parts, not all: nothing would be left in unit {uid}"
        raise RefusalError("split", all_of_it)
    after = with_unit(after, place, replace(unit, contributors=tuple(kept)))
    return guarded(document, fresh_unit(after, taken, label, place + 1))


def delete_unit(document: PyramidDocument, uid: str) -> PyramidDocument:
    """Return *document* without a unit; its contributors are unassigned, never deleted."""
    place = place_of(document, uid)
    units = (*document.units[:place], *document.units[place + 1 :])
    return guarded(document, put_aside(replace(document, units=units), document.units[place].contributors))


def move_unit(document: PyramidDocument, uid: str, place: int) -> PyramidDocument:
    """Return *document* with a unit at another *place* of the list."""
    unit = document.units[place_of(document, uid)]
    others = [one for one in document.units if one is not unit]
    if not 0 <= place <= len(others):
        raise RefusalError("same", f"the unit cannot stand at place {place}")
    return replace(document, units=(*others[:place], unit, *others[place:]))


def _shared(document: PyramidDocument, uid: str, other: str) -> list[tuple[str, str, int]]:
    """Return the pairs of contributors of two units that touch one summary, and its place."""
    here, there = (document.units[place_of(document, name)] for name in (uid, other))
    if uid == other:
        raise RefusalError("same", "a unit cannot be merged with itself")
    summaries = document.summaries
    touch = {mark.id: set(touched(mark.parts, summaries)) for mark in (*here.contributors, *there.contributors)}
    return [
        (one.id, two.id, min(both))
        for two in there.contributors
        for one in here.contributors
        if (both := touch[one.id] & touch[two.id])
    ]


def _merged(
    document: PyramidDocument, uid: str, other: str, marks: Sequence[Mark], gone: frozenset[str] = frozenset()
) -> PyramidDocument:
    here, there = (document.units[document.places[name]] for name in (uid, other))
    rest = [mark for mark in there.contributors if mark.id not in gone]
    comment = joined_comments(here.comment, there.comment)
    unit = replace(here, contributors=(*marks, *rest), comment=comment)
    return replace(document, units=tuple(unit if one is here else one for one in document.units if one is not there))


def _parted(
    document: PyramidDocument, mark: Mark, indexes: Sequence[int] | None
) -> tuple[PyramidDocument, Mark | None, Mark | None]:
    """Return what stays of a contributor and what goes with a split; the document counts a new contributor."""
    if indexes is not None and not indexes:
        return document, mark, None
    chosen = set(range(len(mark.parts)) if indexes is None else indexes)
    goes = [part_of(document, mark.id, index) for index in sorted(chosen)]
    stays = [part for index, part in enumerate(mark.parts) if index not in chosen]
    if not stays:
        return document, None, mark
    counted, new = fresh_mark(document, goes)
    return counted, with_parts(mark, stays), new
