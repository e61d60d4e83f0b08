"""Operations on a peer: which units of the pyramid it expresses, and where.

Spans are matched here; contributors are moved, joined, commented and unassigned by the operations of `marking`.
"""

from collections.abc import Sequence

from touchstone.annotate.pyramid.document import PeerDocument
from touchstone.annotate.pyramid.editing import Span
from touchstone.annotate.pyramid.marking import add_contributor
from touchstone.tasks.pyramid.model import NO_UNIT


def match_span(document: PeerDocument, uid: str, spans: Sequence[Span]) -> PeerDocument:
    """Return *document* with *spans* as a contributor to the unit *uid*; uid 0 is content that matches no unit."""
    return add_contributor(document, uid, spans)


def repeat_note(document: PeerDocument, uid: str) -> str | None:
    """Return what to say before a unit is matched once more; None where it is not expressed yet.

    A repeat adds no credit, and lowers the original score. Content that matches no unit does not repeat anything.
    """
    expressed = any(unit.uid == uid and unit.contributors for unit in document.units)
    if uid == NO_UNIT or not expressed:
        return None
    return f"unit {uid} is expressed already: this counts as a repeat and earns nothing"
