"""Decisions between two documents over the same text: a person takes the pieces of one side, or of both."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import cast

from touchstone.annotate.pyramid.constraints import new_violations, touched
from touchstone.annotate.pyramid.document import Entry, Mark, PeerDocument, PyramidDocument
from touchstone.annotate.pyramid.json_form import unit_json
from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.io.jsonl import Json
from touchstone.tasks.pyramid.model import Part

Document = PyramidDocument | PeerDocument
Spans = tuple[tuple[int, int], ...]

LEFT, RIGHT, BOTH = "left", "right", "both"
CHOICES = (LEFT, RIGHT, BOTH)

LABEL, MISSING, BOUNDS, CONTRIBUTORS, UNIT, SPLIT, MERGED, MOVED = (
    *("label", "missing", "bounds", "contributors", "unit", "split", "merged", "moved"),
)
"""The kinds of decisions: the same words under other labels or comments; only on one side; the same contributors with
other bounds; other contributors; the same words in other units (peers); 1 piece against several; several against 1;
several against several."""

OTHER_SIDE_EMPTY = "only one side has something here"
SINGLE_LABEL = "a unit has one label and one comment"
TWO_UNITS = "the same words would be in two units"
TWICE = "the same words would be in a unit twice"


@dataclass(frozen=True)
class Piece:
    """A unit, or in a peer an entry without contributors or with one, and its position in the result.

    Pieces with the same *key* are joined to one unit of the result.
    """

    position: tuple[int, int]
    key: str
    unit: Entry

    @property
    def spans(self) -> tuple[Spans, ...]:
        """The spans of each contributor, in the order of the text."""
        return tuple(sorted(tuple(sorted(mark.spans)) for mark in self.unit.contributors))

    def to_json(self) -> dict[str, Json]:
        """Return the piece for a browser."""
        return {"place": [*self.position], "key": self.key, "unit": unit_json(self.unit)}


@dataclass(frozen=True)
class Decision:
    """Pieces of which a person takes the *left*, the *right* or *both* sides.

    Parameters
    ----------
    key
        Identifies the decision by the pieces that it is about.
    kind
        How the sides differ (see `LABEL` and the others).
    left, right, both
        The pieces of each choice; *both* is None if it cannot be chosen.
    reason
        Why both cannot be chosen.
    """

    key: str
    kind: str
    left: tuple[Piece, ...]
    right: tuple[Piece, ...]
    both: tuple[Piece, ...] | None
    reason: str | None

    def pieces(self, choice: str) -> tuple[Piece, ...]:
        """Return the pieces of a choice; raise `TouchstoneError` if it cannot be chosen."""
        if choice not in CHOICES or (choice == BOTH and self.both is None):
            hint = self.reason or "take left or right"
            raise TouchstoneError("this cannot be chosen here", value=choice, code=Code.BAD_VALUE, hint=hint)
        return cast("tuple[Piece, ...]", getattr(self, choice))

    def to_json(self) -> dict[str, Json]:
        """Return the decision for a browser."""
        sides: dict[str, Json] = {
            side: None if pieces is None else [piece.to_json() for piece in pieces]
            for side, pieces in ((LEFT, self.left), (RIGHT, self.right), (BOTH, self.both))
        }
        return {"key": self.key, "kind": self.kind, **sides, "reason": self.reason}

    def is_minor(self, *, peer: bool) -> bool:
        """Return whether no score depends on the decision: on labels, and on the bounds of the words of a peer."""
        return self.kind == LABEL or (peer and self.kind == BOUNDS)

    @property
    def start(self) -> int:
        """Where the first words that it is about begin."""
        spans = [span for piece in (*self.left, *self.right) for mark in piece.spans for span in mark]
        return min((start for start, _ in spans), default=0)


def assembled(pieces: Sequence[Piece]) -> tuple[Entry, ...]:
    """Return the units that some pieces make."""
    units: dict[str, Entry] = {}
    for piece in sorted(pieces, key=lambda piece: piece.position):
        first = units.get(piece.key)
        marks = (*first.contributors, *piece.unit.contributors) if first else piece.unit.contributors
        units[piece.key] = replace(first or piece.unit, contributors=marks)
    return tuple(units.values())


def decision_between(
    left: Document, right: Document, name: str, ours: Sequence[Piece], theirs: Sequence[Piece]
) -> Decision:
    """Return the decision between some pieces of two documents.

    Parameters
    ----------
    left, right
        The documents.
    name
        Identifies the pieces; the key of the decision is made from it.
    ours, theirs
        The pieces of each side, with the places and numbers that they have in the result.
    """
    kind = _kind(left, ours, theirs)
    both, reason = None, {MISSING: OTHER_SIDE_EMPTY, LABEL: SINGLE_LABEL}.get(kind)
    if reason is None:
        both = _joined_sides(left, ours, theirs)
        reason = _reason_against_both(left, right, both)
    key = hashlib.sha256(name.encode()).hexdigest()[:16]
    return Decision(key, kind, tuple(ours), tuple(theirs), None if reason else both, reason)


def _kind(document: Document, ours: Sequence[Piece], theirs: Sequence[Piece]) -> str:
    if not (ours and theirs):
        return MISSING
    if len(ours) > 1 or len(theirs) > 1:
        return MOVED if len(ours) > 1 and len(theirs) > 1 else SPLIT if len(theirs) > 1 else MERGED
    if ours[0].key != theirs[0].key:
        return UNIT
    if ours[0].spans == theirs[0].spans:
        return LABEL
    places = [
        sorted(touched(mark.parts, document.summaries) for mark in side[0].unit.contributors) for side in (ours, theirs)
    ]
    return BOUNDS if places[0] == places[1] else CONTRIBUTORS


def _joined_sides(document: Document, ours: Sequence[Piece], theirs: Sequence[Piece]) -> tuple[Piece, ...]:
    """Return the pieces of both sides; those with the same number (in a peer: and common words) become one."""
    pieces = list(ours)
    for piece in theirs:
        for index, other in enumerate(pieces):
            if other.key == piece.key and (isinstance(document, PyramidDocument) or _overlap(other, piece)):
                pieces[index] = replace(other, unit=_joined(document, other.unit, piece.unit))
                break
        else:
            pieces.append(piece)
    return tuple(pieces)


def _joined(document: Document, unit: Entry, other: Entry) -> Entry:
    """Return *unit* with the contributors of *other*; those in the same summary become one."""
    marks = list(unit.contributors)
    for mark in other.contributors:
        here = touched(mark.parts, document.summaries)
        for index, existing_mark in enumerate(marks):
            if touched(existing_mark.parts, document.summaries) == here:
                marks[index] = _union(document.text, existing_mark, mark)
                break
        else:
            marks.append(mark)
    return replace(unit, contributors=tuple(marks))


def _union(text: str, mark: Mark, other: Mark) -> Mark:
    spans: list[tuple[int, int]] = []
    for start, end in sorted({*mark.spans, *other.spans}):
        if spans and start <= spans[-1][1]:
            spans[-1] = spans[-1][0], max(end, spans[-1][1])
        else:
            spans.append((start, end))
    if tuple(spans) == tuple(sorted(mark.spans)):
        return mark
    parts = tuple(Part(text[start:end], start, end) for start, end in spans)
    label = "...".join(part.label for part in parts)
    return replace(mark, parts=parts, label=label, comment=mark.comment or other.comment)


def _reason_against_both(left: Document, right: Document, pieces: Sequence[Piece]) -> str | None:
    peer = isinstance(left, PeerDocument)
    for first, second in combinations(pieces, 2):
        if (first.key == second.key) == peer and _overlap(first, second):
            return TWICE if peer else TWO_UNITS
    broken = new_violations(replace(left, units=assembled(pieces), unassigned=()), [left, right])
    return broken[0].reason if broken else None


def _overlap(first: Piece, second: Piece) -> bool:
    spans = [[span for mark in piece.spans for span in mark] for piece in (first, second)]
    return any(start < end and begin < stop for start, stop in spans[0] for begin, end in spans[1])
