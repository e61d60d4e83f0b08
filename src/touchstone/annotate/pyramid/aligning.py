"""Two documents over the same text, unit by unit: what both have is agreed, the rest is a list of decisions.

A document is taken apart into *pieces*: the units of a pyramid; in a peer the entries, and the contributors of each
entry. Pieces with the same content are agreed. Of the others, those whose words overlap form one decision, so that a
unit on one side and the two units that the other side made of it are decided together. A decision takes the pieces of
the left, of the right, or of both.

The result keeps the numbers and the order of the left document: a unit of the right takes the number of the left unit
that it is matched with, or a new one. If every decision takes the right, the result is the right document itself.
"""

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain

import numpy as np
from scipy.sparse import coo_array, csr_array
from scipy.sparse.csgraph import connected_components

from touchstone.annotate.pyramid.deciding import (
    LABEL,
    RIGHT,
    Decision,
    Document,
    Piece,
    Spans,
    assembled,
    decision_between,
)
from touchstone.annotate.pyramid.document import LARGEST, Entry, PeerDocument, PyramidDocument, shifted
from touchstone.annotate.pyramid.json_form import document_json
from touchstone.annotate.pyramid.review import unit_keys
from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.base.ragged import Bools, Floats, Ints
from touchstone.core.matching import match
from touchstone.io.jsonl import Json

AGREED = "agreed"

Group = tuple[tuple[int, ...], tuple[int, ...]]
"""Places of pieces of the left and of the right."""

LABEL_SHARE = 0.1
"""The share of the labels in the similarity of two pieces: they decide where spans do not. Our choice."""


@dataclass(frozen=True)
class Alignment:
    """Two documents, what they agree on (pieces of the left), and what is left to decide.

    The decisions are in the order of the text, those that no score depends on last.

    The contributors of the right document have other ids than those of the left, and both documents have the counters
    of the result.
    """

    left: Document
    right: Document
    agreed: tuple[Piece, ...]
    decisions: tuple[Decision, ...]

    @property
    def taken(self) -> int:
        """The number of agreed units; in a peer, of agreed contributors."""
        return sum(isinstance(self.left, PyramidDocument) or bool(piece.unit.contributors) for piece in self.agreed)

    def resolved(self, choices: Mapping[str, str]) -> Document:
        """Return the document with what is agreed and with what was chosen, by the keys of the decisions."""
        chosen = [choices.get(decision.key) for decision in self.decisions]
        if chosen and all(choice == RIGHT for choice in chosen):
            return self.right
        picked = [
            piece
            for decision, choice in zip(self.decisions, chosen, strict=True)
            if choice is not None
            for piece in decision.pieces(choice)
        ]
        return replace(self.left, units=assembled([*self.agreed, *picked]))

    def to_json(self) -> dict[str, Json]:
        """Return what a browser needs to show the decisions, and to make the document of any choices."""
        return {
            "taken": self.taken,
            "agreed": [piece.to_json() for piece in self.agreed],
            "decisions": [decision.to_json() for decision in self.decisions],
            "left": document_json(self.left),
            "right": document_json(self.right),
        }


def align(left: Document, right: Document) -> Alignment:
    """Return what two documents over the same text agree on, and the decisions that are left.

    Pieces with the same content are matched first, then those with the same words under other labels; the others are
    grouped by the words that they share, and matched within their groups by the greatest total similarity.

    Parameters
    ----------
    left, right
        Two pyramids of the same summaries, or two annotations of the same peer with the same pyramid.
    """
    if type(left) is not type(right) or left.text != right.text:
        raise TouchstoneError("only documents over the same text can be compared", code=Code.MISMATCH)
    if max(left.size, right.size) > LARGEST:
        hint = "adjudicate from one of them, without comparing"
        raise TouchstoneError(
            f"documents with more than {LARGEST:,} units or parts are not compared", code=Code.TOO_LARGE, hint=hint
        )
    left, right = _counted(left, right)
    peer = isinstance(left, PeerDocument)
    ours, theirs = _pieces(left), _pieces(right)
    ruler = Ruler.of([*ours, *theirs])
    stages = {AGREED: partial(_content, peer=peer), LABEL: partial(_words, peer=peer)}
    links = match(ours, theirs, stages=stages).links
    partners = {link.right: link.left for link in links}
    groups: list[Group] = [((link.left,), (link.right,)) for link in links if link.stage == LABEL]
    for group in _groups(ours, theirs, partners, ruler, peer=peer):
        partners |= _matched(ours, theirs, group, ruler)
        groups.append(group)
    laid = _laid_out(left, right, ours, theirs, partners)
    agreed = [ours[link.left] for link in links if link.stage == AGREED]
    decisions = []
    for some, others in groups:
        sides = [ours[i] for i in some], [laid[j] for j in others]
        if not peer or any(map(_says_something, chain(*sides))):
            name = f"{_names(sides[0])} / {_names([theirs[j] for j in others])}"
            decisions.append(decision_between(left, right, name, *sides))
        else:  # an empty entry, which only one side lists
            agreed += sides[0]
    decisions.sort(key=lambda decision: (decision.is_minor(peer=peer), decision.start, decision.key))
    return Alignment(left, right, tuple(agreed), tuple(decisions))


@dataclass(frozen=True)
class Ruler:
    """The offsets at which a span begins or ends, so that texts of any length are compared quickly."""

    edges: Ints

    @classmethod
    def of(cls, pieces: Iterable[Piece]) -> "Ruler":
        """Return the ruler of some pieces."""
        return cls(np.unique([edge for piece in pieces for mark in piece.spans for span in mark for edge in span]))

    def shared(self, some: Sequence[Spans], others: Sequence[Spans]) -> tuple[Floats, Floats, Floats]:
        """Return how many characters each of some and each of others share, and have, as matrices."""
        widths = np.diff(self.edges).astype(np.float64)
        rows, columns = self._inside(some), self._inside(others)
        sizes = np.broadcast_arrays((rows @ widths)[:, None], (columns @ widths)[None, :])
        return (rows * widths) @ columns.T, sizes[0], sizes[1]

    def _inside(self, some: Sequence[Spans]) -> Floats:
        inside = np.zeros((len(some), max(0, len(self.edges) - 1)))
        for row, spans in enumerate(some):
            for start, end in spans:
                inside[row, slice(*np.searchsorted(self.edges, (start, end)))] = 1
        return inside


def _counted(left: Document, right: Document) -> tuple[Document, Document]:
    """Return both documents with the counters of the result, the right one with ids that the left one does not use."""
    shift, units = left.next_mark - 1, max(left.next_unit, right.next_unit) + len(right.units)
    moved = tuple(replace(unit, contributors=shifted(unit.contributors, shift)) for unit in right.units)
    right = replace(right, units=moved, unassigned=shifted(right.unassigned, shift))
    marks = right.next_mark + shift
    return replace(left, next_unit=units, next_mark=marks), replace(right, next_unit=units, next_mark=marks)


def _pieces(document: Document) -> list[Piece]:
    keys = unit_keys(document.units)
    if not isinstance(document, PeerDocument):
        return [Piece((index, 0), unit.uid, unit) for index, unit in enumerate(document.units)]
    pieces = []
    for index, (key, unit) in enumerate(zip(keys, document.units, strict=True)):
        pieces.append(Piece((index, 0), key, replace(unit, contributors=())))
        empty = Entry(unit.uid, unit.label, ())
        for number, mark in enumerate(unit.contributors, 1):
            pieces.append(Piece((index, number), key, replace(empty, contributors=(mark,))))
    return pieces


def _content(piece: Piece, *, peer: bool) -> Hashable:
    """Return what must be equal for two pieces to be agreed; the numbers of units count only in a peer."""
    unit = piece.unit
    marks = sorted((tuple(sorted(mark.spans)), mark.comment or "") for mark in unit.contributors)
    if peer:
        return piece.key, *([] if marks else [unit.label, unit.comment or ""]), *marks
    return unit.label, unit.comment or "", *marks


def _words(piece: Piece, *, peer: bool) -> Hashable:
    """Return what must be equal for two pieces to differ in nothing but labels and comments."""
    return (piece.key, piece.spans) if peer else piece.spans or piece.unit.label


def _says_something(piece: Piece) -> bool:
    return bool(piece.unit.contributors or piece.unit.comment or piece.unit.extra)


def _names(pieces: Sequence[Piece]) -> str:
    return " ".join(",".join([piece.key, *(mark.id for mark in piece.unit.contributors)]) for piece in pieces)


def _groups(
    ours: Sequence[Piece], theirs: Sequence[Piece], partners: Mapping[int, int], ruler: Ruler, *, peer: bool
) -> Iterator[Group]:
    """Yield the pieces without partners, those together whose contributors are linked (see `_linked`)."""
    matched = set(partners.values())
    some = [i for i in range(len(ours)) if i not in matched]
    others = [j for j in range(len(theirs)) if j not in partners]
    rows, columns = _linked([ours[i] for i in some], [theirs[j] for j in others], ruler, peer=peer)
    total = len(some) + len(others)
    if not total:
        return
    graph = coo_array((np.ones(len(rows)), (rows, columns + len(some))), shape=(total, total))
    names = connected_components(graph, directed=False)[1]
    for name in dict.fromkeys(names):
        members = np.flatnonzero(names == name)
        yield (
            tuple(some[node] for node in members if node < len(some)),
            tuple(others[node - len(some)] for node in members if node >= len(some)),
        )


def _linked(ours: Sequence[Piece], theirs: Sequence[Piece], ruler: Ruler, *, peer: bool) -> tuple[Ints, Ints]:
    """Return the places of the pieces that have contributors in common.

    Contributors are *close* if they have the same spans or share half of the smaller one's characters, so that a moved
    boundary does not link neighbours. A contributor with the same spans (in a peer: close, and in the same unit) is
    linked with nothing else.
    """
    sides = [[(i, spans) for i, piece in enumerate(side) for spans in piece.spans] for side in (ours, theirs)]
    same = _equal(*([spans for _, spans in side] for side in sides))
    shared, *sizes = ruler.shared(*([spans for _, spans in side] for side in sides))
    close = np.logical_or(same, (shared > 0) & (2 * shared >= np.minimum(*sizes)))
    keys = _equal([ours[i].key for i, _ in sides[0]], [theirs[j].key for j, _ in sides[1]])
    firm = np.logical_and(close, keys) if peer else same
    free = ~(firm.any(axis=1, keepdims=True) | firm.any(axis=0, keepdims=True))
    pairs = np.argwhere(firm | (free & close))
    piece_indices = [np.array([index for index, _ in side], np.int64) for side in sides]
    return piece_indices[0][pairs[:, 0]], piece_indices[1][pairs[:, 1]]


def _equal(some: Sequence[object], others: Sequence[object]) -> Bools:
    return np.array([[left == right for right in others] for left in some], np.bool_).reshape(len(some), len(others))


def _matched(ours: Sequence[Piece], theirs: Sequence[Piece], group: Group, ruler: Ruler) -> dict[int, int]:
    """Return the pieces of a group matched one to one, as left places by right places."""

    def similarity(some: Sequence[Piece], others: Sequence[Piece]) -> Floats:
        shared, *sizes = ruler.shared(*([tuple(chain(*piece.spans)) for piece in side] for side in (some, others)))
        dice = 2 * shared / np.maximum(sizes[0] + sizes[1], 1)
        words = [[{piece.key, *piece.unit.label.lower().split()} for piece in side] for side in (some, others)]
        alike = _overlap(*words)
        return np.where(shared > 0, (1 - LABEL_SHARE) * dice + LABEL_SHARE * alike, 0)

    some, others = group
    if not (some and others):
        return {}
    links = match([ours[i] for i in some], [theirs[j] for j in others], similarity=similarity).links
    return {others[link.right]: some[link.left] for link in links}


def _overlap(some: Sequence[set[str]], others: Sequence[set[str]]) -> Floats:
    """Return the Dice overlap of each of some sets of words with each of others, as a matrix.

    Long labels on many units would take minutes set by set.
    """
    columns = {word: column for column, word in enumerate(dict.fromkeys(chain(*some, *others)))}
    ours, theirs = (_incidence(side, columns) for side in (some, others))
    sizes = [np.array([len(words) for words in side], np.float64) for side in (some, others)]
    both: Floats = (ours @ theirs.T).toarray()
    return 2 * both / np.add.outer(*sizes)


def _incidence(sets: Sequence[set[str]], columns: Mapping[str, int]) -> csr_array:
    """Return a matrix with a row for each set and a 1 in the column of each of its words."""
    words = [columns[word] for word_set in sets for word in word_set]
    starts = np.cumsum([0, *map(len, sets)])
    return csr_array((np.ones(len(words)), words, starts), shape=(len(sets), len(columns)))


def _laid_out(
    left: Document, right: Document, ours: Sequence[Piece], theirs: Sequence[Piece], partners: Mapping[int, int]
) -> list[Piece]:
    """Return the pieces of the right with the places and the numbers that they have in the result."""
    if isinstance(left, PeerDocument):
        entries = {key: index for index, key in enumerate(unit_keys(left.units))}
        new = {key: len(entries) + index for index, key in enumerate(unit_keys(right.units))}
        later = len(ours)
        return [
            replace(piece, position=(entries.get(piece.key, new[piece.key]), number and later + number))
            for piece in theirs
            for number in (piece.position[1],)
        ]
    used, number = {unit.uid for unit in left.units}, right.next_unit - len(right.units)
    pieces, (after, count) = [], (-1, 0)
    for j, piece in enumerate(theirs):
        if j in partners:
            uid, (after, count) = ours[partners[j]].key, ours[partners[j]].position
        else:
            count += 1
            uid = str(number + j) if piece.key in used else piece.key
        pieces.append(Piece((after, count), uid, replace(piece.unit, uid=uid)))
    return pieces
