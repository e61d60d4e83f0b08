"""What a person works on: content units whose contributors can be pointed at, over a text that stays as it is.

The text is the *material*: a pyramid or an annotation of `touchstone.tasks.pyramid` without its units. A document adds
the units, and the contributors that belong to none at the moment; each contributor has an id that it keeps when it
moves. Documents are values: an operation returns a new one, so an earlier state is never lost to a later one.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TypeVar

from touchstone.tasks.pyramid.model import NO_UNIT, Annotation, Contributor, Part, Pyramid, Summary, Unit

NUMBER = re.compile(r"[1-9][0-9]{0,8}")
"""A uid that is counted on from."""

NON_MATCHING = "All non-matching SCUs go here"
"""What the files of 2006 call the place for content that matches no unit."""


@dataclass(frozen=True)
class Mark(Contributor):
    """A contributor with an id: ``c`` and a number, unique in its document."""

    id: str = field(kw_only=True)

    @property
    def spans(self) -> tuple[tuple[int, int], ...]:
        """The spans of the parts, in their stored order."""
        return tuple((part.start, part.end) for part in self.parts)


@dataclass(frozen=True)
class Entry(Unit):
    """A unit whose contributors are marks."""

    contributors: tuple[Mark, ...]


@dataclass(frozen=True)
class Document:
    """Units and unassigned contributors over a fixed text; *next_unit* and *next_mark* are numbers never given yet."""

    material: Pyramid | Annotation
    units: tuple[Entry, ...] = ()
    unassigned: tuple[Mark, ...] = ()
    next_unit: int = 1
    next_mark: int = 1

    @property
    def text(self) -> str:
        """The text that parts count in, in code points."""
        return self.material.text

    @property
    def summaries(self) -> tuple[Summary, ...]:
        """The model summaries that contributors must keep apart; none in a peer."""
        return ()

    @property
    def models(self) -> int | None:
        """The most contributors that a unit may have; None where nothing limits them."""
        return None

    @property
    def marks(self) -> Iterator[Mark]:
        """All contributors, assigned first."""
        for unit in self.units:
            yield from unit.contributors
        yield from self.unassigned

    @cached_property
    def homes(self) -> dict[str, int | None]:
        """The place of the unit that each contributor belongs to; None for the unassigned."""
        found: dict[str, int | None] = {mark.id: None for mark in self.unassigned}
        return found | {mark.id: place for place, unit in enumerate(self.units) for mark in unit.contributors}

    @cached_property
    def by_id(self) -> dict[str, Mark]:
        """The contributors by their ids."""
        return {mark.id: mark for mark in self.marks}

    @cached_property
    def places(self) -> dict[str, int]:
        """The place of each uid in the list of units, the first where one is listed twice."""
        return {unit.uid: place for place, unit in reversed(list(enumerate(self.units)))}


@dataclass(frozen=True)
class PyramidDocument(Document):
    """A pyramid under construction."""

    material: Pyramid

    @property
    def summaries(self) -> tuple[Summary, ...]:
        """The model summaries, which the headers in the text set apart."""
        return self.material.summaries

    @property
    def models(self) -> int | None:
        """The number of model summaries, where it is known."""
        return self.material.models or len(self.material.summaries) or None


@dataclass(frozen=True)
class PeerDocument(Document):
    """A peer summary under annotation; its units are entries for those of the pyramid that its material carries."""

    material: Annotation

    @property
    def pyramid(self) -> Pyramid:
        """The pyramid that the peer is read against."""
        return self.material.pyramid


Doc = TypeVar("Doc", bound=Document)


def pyramid_document(pyramid: Pyramid) -> PyramidDocument:
    """Return *pyramid* as a document; whatever is odd in it stays.

    >>> from touchstone.tasks.pyramid.model import Summary
    >>> cats = Contributor("Cats", (Part("Cats", 0, 4),))
    >>> document = pyramid_document(Pyramid("S1", ("Cats",), (Summary("A", 0, 4),), (Unit("7", "Cats", (cats,)),)))
    >>> document.units[0].contributors[0].id, document.next_unit, to_pyramid(document).units[0].contributors[0] == cats
    ('c1', 8, True)
    """
    return _numbered(PyramidDocument(replace(pyramid, units=())), pyramid.units)


def peer_document(annotation: Annotation) -> PeerDocument:
    """Return *annotation* as a document, its entries in their order."""
    return _numbered(PeerDocument(replace(annotation, units=())), annotation.units)


def blank_peer(annotation: Annotation) -> PeerDocument:
    """Return a document for the text and pyramid of *annotation* with nothing matched: heaviest units first, 0 last."""
    pyramid = annotation.pyramid
    units = [empty_entry(pyramid, unit.uid) for tier in pyramid.tiers.values() for unit in tier]
    blank = PeerDocument(replace(annotation, units=()), (*units, empty_entry(pyramid, NO_UNIT)))
    return replace(blank, next_unit=counted_on(blank))


def empty_entry(pyramid: Pyramid, uid: str) -> Entry:
    """Return an entry of a peer for the unit *uid*: its label carries the weight, as in the files."""
    if uid == NO_UNIT:
        return Entry(NO_UNIT, NON_MATCHING, ())
    unit = pyramid.by_uid[uid]
    return Entry(uid, f"({unit.weight}) {unit.label}", ())


def to_pyramid(document: PyramidDocument) -> Pyramid:
    """Return the pyramid that a document holds; unassigned contributors are no part of it."""
    return replace(document.material, units=plain(document.units))


def to_annotation(document: PeerDocument) -> Annotation:
    """Return the annotation that a document holds; unassigned contributors are no part of it."""
    return replace(document.material, units=plain(document.units))


def plain(units: Sequence[Entry]) -> tuple[Unit, ...]:
    """Return *units* without the ids of their contributors, as files hold them."""
    return tuple(
        Unit(unit.uid, unit.label, tuple(map(_contributor, unit.contributors)), unit.comment, unit.extra)
        for unit in units
    )


def _contributor(mark: Mark) -> Contributor:
    return Contributor(mark.label, mark.parts, mark.comment, mark.extra)


def numbered(contributors: Iterable[Contributor], first: int) -> tuple[Mark, ...]:
    """Return *contributors* with ids from ``c`` *first* on."""
    return tuple(
        Mark(one.label, one.parts, one.comment, one.extra, id=f"c{number}")
        for number, one in enumerate(contributors, first)
    )


def _numbered(document: Doc, units: Sequence[Unit]) -> Doc:
    entries, number = [], document.next_mark
    for unit in units:
        marks = numbered(unit.contributors, number)
        number += len(marks)
        entries.append(Entry(unit.uid, unit.label, marks, unit.comment, unit.extra))
    whole = replace(document, units=tuple(entries), next_mark=number)
    return replace(whole, next_unit=max(document.next_unit, counted_on(whole)))


def counted_on(document: Document) -> int:
    """Return the number after the highest uid that is one."""
    material = document.material.pyramid.units if isinstance(document.material, Annotation) else ()
    uids = [unit.uid for units in (document.units, material) for unit in units]
    return max((int(uid) for uid in uids if NUMBER.fullmatch(uid)), default=0) + 1


def restored(earlier: Doc, present: Document) -> Doc:
    """Return an *earlier* state to go back to: as it was, but no number is ever given twice."""
    return replace(
        earlier,
        next_unit=max(earlier.next_unit, present.next_unit),
        next_mark=max(earlier.next_mark, present.next_mark),
    )


def blinded(annotation: Annotation) -> Annotation:
    """Return the material of a peer without the names of the system and of an earlier annotator."""
    return replace(annotation, peer="", annotator="")


def label_of(parts: Sequence[Part]) -> str:
    """Return the label of a contributor of these *parts*: their words in the order of the text, joined by "...".

    >>> label_of([Part("sleep", 12, 17), Part("Cats", 0, 4)])
    'Cats...sleep'
    """
    return "...".join(part.label for part in sorted(parts, key=lambda part: (part.start, part.end)))
