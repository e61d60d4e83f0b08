"""Documents: content units over a fixed text, with contributors that keep their ids.

The text is the *material*: a pyramid or an annotation of `touchstone.tasks.pyramid` without its units. A document adds
the units, and the contributors that belong to no unit at the moment.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

from touchstone.annotate.pyramid.rules import LABELS
from touchstone.tasks.pyramid.model import NO_UNIT, Annotation, Contributor, Pyramid, Summary, Unit

NUMBER = re.compile(r"[1-9][0-9]{0,8}")
"""A uid that is a number; new units are numbered after the highest."""

LARGEST = 2_000
"""The most units, contributors and parts of a new document: seven times what the largest real pyramid has.

Larger ones, which earlier versions could save, are read but not compared."""


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
    """Units and unassigned contributors over a fixed text; *next_unit* and *next_mark* are the next unused numbers."""

    material: Pyramid | Annotation
    units: tuple[Entry, ...] = ()
    unassigned: tuple[Mark, ...] = ()
    next_unit: int = 1
    next_mark: int = 1

    @property
    def text(self) -> str:
        """The text that the offsets of parts refer to, in code points."""
        return self.material.text

    @property
    def summaries(self) -> tuple[Summary, ...]:
        """The model summaries; none in a peer."""
        return ()

    @property
    def models(self) -> int | None:
        """The most contributors that a unit may have; None if there is no limit."""
        return None

    @property
    def size(self) -> int:
        """The number of units or that of parts, whichever is larger; at most `LARGEST` in a new document."""
        return max(len(self.units), self.parts)

    @property
    def parts(self) -> int:
        """The number of parts of all contributors; a contributor without parts counts as one."""
        return sum(max(1, len(mark.parts)) for mark in self.marks)

    @property
    def marks(self) -> Iterator[Mark]:
        """All contributors, assigned first."""
        for unit in self.units:
            yield from unit.contributors
        yield from self.unassigned


@dataclass(frozen=True)
class PyramidDocument(Document):
    """A pyramid under construction."""

    material: Pyramid

    @property
    def summaries(self) -> tuple[Summary, ...]:
        """The model summaries, which headers separate in the text."""
        return self.material.summaries

    @property
    def models(self) -> int | None:
        """The number of model summaries, if known."""
        return self.material.models or len(self.material.summaries) or None


@dataclass(frozen=True)
class PeerDocument(Document):
    """A peer summary under annotation; its units are entries for the units of the pyramid in its material."""

    material: Annotation

    @property
    def size(self) -> int:
        """The number of parts, or of the entries beyond those that the pyramid itself leads to."""
        return max(len(self.units) - len(self.pyramid.units) - 1, self.parts)

    @property
    def pyramid(self) -> Pyramid:
        """The pyramid that the peer is annotated with."""
        return self.material.pyramid


Doc = TypeVar("Doc", bound=Document)


def with_units(thing: Pyramid | Annotation) -> PyramidDocument | PeerDocument:
    """Return a pyramid or an annotation as a document, its units in their order; anything unusual in it is kept.

    >>> from touchstone.tasks.pyramid.model import Part, Summary
    >>> cats = Contributor("Cats", (Part("Cats", 0, 4),))
    >>> document = with_units(Pyramid("S1", ("Cats",), (Summary("A", 0, 4),), (Unit("7", "Cats", (cats,)),)))
    >>> document.units[0].contributors[0].id, document.next_unit, to_pyramid(document).units[0].contributors[0] == cats
    ('c1', 8, True)
    """
    material = replace(thing, units=())
    document = PyramidDocument(material) if isinstance(material, Pyramid) else PeerDocument(material)
    entries, number = [], 1
    for unit in thing.units:
        marks = numbered(unit.contributors, number)
        number += len(marks)
        entries.append(Entry(unit.uid, unit.label, marks, unit.comment, unit.extra))
    document = replace(document, units=tuple(entries), next_mark=number)
    return replace(document, next_unit=next_uid(document))


def blank_peer(annotation: Annotation) -> PeerDocument:
    """Return an empty document for the text and pyramid of *annotation*: heaviest units first, uid 0 last."""
    pyramid = annotation.pyramid
    units = [empty_entry(pyramid, unit.uid) for tier in pyramid.tiers.values() for unit in tier]
    blank = PeerDocument(replace(annotation, units=()), (*units, empty_entry(pyramid, NO_UNIT)))
    return replace(blank, next_unit=next_uid(blank))


def empty_entry(pyramid: Pyramid, uid: str) -> Entry:
    """Return an entry of a peer for the unit *uid*: its label carries the weight, as in the files."""
    if uid == NO_UNIT:
        return Entry(NO_UNIT, LABELS["unmatched"], ())
    unit = pyramid.by_uid[uid]
    return Entry(uid, LABELS["entry"].format(weight=unit.weight, label=unit.label), ())


def to_pyramid(document: PyramidDocument) -> Pyramid:
    """Return the pyramid in *document*, without its unassigned contributors."""
    return replace(document.material, units=_without_ids(document.units))


def to_annotation(document: PeerDocument) -> Annotation:
    """Return the annotation in *document*, without its unassigned contributors."""
    return replace(document.material, units=_without_ids(document.units))


def _without_ids(units: Sequence[Entry]) -> tuple[Unit, ...]:
    """Return *units* without the ids of their contributors, as files hold them."""

    def contributor(mark: Mark) -> Contributor:
        return Contributor(mark.label, mark.parts, mark.comment, mark.extra)

    return tuple(
        Unit(unit.uid, unit.label, tuple(map(contributor, unit.contributors)), unit.comment, unit.extra)
        for unit in units
    )


def numbered(contributors: Iterable[Contributor], first: int) -> tuple[Mark, ...]:
    """Return *contributors* with the ids ``c`` *first*, ``c`` *first* + 1 and so on."""
    return tuple(
        Mark(contributor.label, contributor.parts, contributor.comment, contributor.extra, id=f"c{number}")
        for number, contributor in enumerate(contributors, first)
    )


def shifted(marks: Iterable[Mark], by: int) -> tuple[Mark, ...]:
    """Return *marks* with ids whose numbers are higher *by* a number."""
    return tuple(replace(mark, id=f"c{int(mark.id[1:]) + by}") for mark in marks)


def next_uid(document: Document) -> int:
    """Return the number after the highest uid that is a number."""
    material = document.material.pyramid.units if isinstance(document.material, Annotation) else ()
    uids = [unit.uid for units in (document.units, material) for unit in units]
    return max((int(uid) for uid in uids if NUMBER.fullmatch(uid)), default=0) + 1


def blinded(annotation: Annotation) -> Annotation:
    """Return *annotation* without the names of the system and of an earlier annotator."""
    return replace(annotation, peer="", annotator="")
