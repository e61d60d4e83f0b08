r"""Pyramid annotation without a database and without a web: documents, what may be done to them, and what they show.

A **document** is what a save carries, whole. All offsets are code points, end exclusive, into the lines joined by a
newline: those of the pyramid in a pyramid, those of the peer in a peer::

    {"format": "touchstone.annotate.pyramid/1",
     "units": [{"uid": "1", "label": "Cats sleep", "comment": null,
                "contributors": [{"id": "c1", "label": "Cats...sleep", "comment": null,
                                  "parts": [{"label": "Cats", "start": 21, "end": 25},
                                            {"label": "sleep", "start": 26, "end": 31}]}]}],
     "unassigned": [{"id": "c2", "label": "a lot", "comment": null, "parts": [...]}],
     "next": {"unit": 2, "contributor": 3}}

A peer has the format ``touchstone.annotate.peer/1`` and the same keys; its units are entries for the units of the
pyramid that its material carries, labelled "(weight) label", and uid "0" for content that matches none. Contributors
keep their ids when they move; ``next`` never goes back, so no number is given twice. What an imported file holds beyond
the format stands under ``extra`` in units, contributors and parts, and is carried along. The text itself is the
*material*, which no save can change.

Operations (`operations`, `marking`, `matching`) return a new document or raise `RefusalError`. `accept_save` is the
gate of the server. A **review** and a **change** are::

    {"proposals": [{"key": "p1", "about": "7", "verdict": "change", "comment": "two statements", "change": {...}}],
     "decisions": {"p1": {"taken": true, "reply": ""}}}
    {"name": "split", "said": "split unit 7",
     "units": {"items": {"7": [before, after], "9": [null, after]}, "order": [["7", "8"], ["7", "9", "8"]]},
     "unassigned": {"items": {}, "order": null}}
"""

from touchstone.annotate.pyramid.changes import Change, apply, change_between, change_json, invert, read_change
from touchstone.annotate.pyramid.constraints import Violation, new_violations, violations
from touchstone.annotate.pyramid.document import (
    Document,
    Entry,
    Mark,
    PeerDocument,
    PyramidDocument,
    blank_peer,
    blinded,
    peer_document,
    pyramid_document,
    restored,
    to_annotation,
    to_pyramid,
)
from touchstone.annotate.pyramid.exchange import (
    document_of,
    file_text,
    imported,
    imported_peer,
    pyramid_of_texts,
    read_file,
    text_lines,
)
from touchstone.annotate.pyramid.feedback import (
    PeerFeedback,
    PyramidFeedback,
    agreement_of,
    peer_feedback,
    pyramid_feedback,
)
from touchstone.annotate.pyramid.figures import PeerFigures, PyramidFigures, peer_figures, pyramid_figures
from touchstone.annotate.pyramid.json_form import as_json, document_json, read_peer_document, read_pyramid_document
from touchstone.annotate.pyramid.marking import (
    add_contributor,
    add_part,
    comment_contributor,
    comment_unit,
    discard,
    join_contributors,
    move_contributor,
    move_part_to_contributor,
    move_part_to_unit,
    unassign,
    unassign_part,
)
from touchstone.annotate.pyramid.matching import match_span, repeat_note
from touchstone.annotate.pyramid.offsets import code_point_offset, code_point_span, utf16_offset
from touchstone.annotate.pyramid.operations import (
    delete_unit,
    merge,
    merge_and_join,
    move_unit,
    new_unit,
    rename_unit,
    split,
)
from touchstone.annotate.pyramid.refusals import RefusalError
from touchstone.annotate.pyramid.review import (
    Decision,
    Proposal,
    Review,
    check_proposals,
    check_review,
    read_review,
    review_json,
    take,
    unreviewed,
)
from touchstone.annotate.pyramid.revising import UnitChange, pyramid_changes, rebased, touched_by
from touchstone.annotate.pyramid.saving import accept_save
from touchstone.annotate.pyramid.search import Hit, Hits, find_expression, find_words
from touchstone.annotate.pyramid.suggestions import (
    MergeCandidate,
    SplitCandidate,
    merge_candidates,
    split_candidates,
)

__all__ = [
    "Change",
    "Decision",
    "Document",
    "Entry",
    "Hit",
    "Hits",
    "Mark",
    "MergeCandidate",
    "PeerDocument",
    "PeerFeedback",
    "PeerFigures",
    "Proposal",
    "PyramidDocument",
    "PyramidFeedback",
    "PyramidFigures",
    "RefusalError",
    "Review",
    "SplitCandidate",
    "UnitChange",
    "Violation",
    "accept_save",
    "add_contributor",
    "add_part",
    "agreement_of",
    "apply",
    "as_json",
    "blank_peer",
    "blinded",
    "change_between",
    "change_json",
    "check_proposals",
    "check_review",
    "code_point_offset",
    "code_point_span",
    "comment_contributor",
    "comment_unit",
    "delete_unit",
    "discard",
    "document_json",
    "document_of",
    "file_text",
    "find_expression",
    "find_words",
    "imported",
    "imported_peer",
    "invert",
    "join_contributors",
    "match_span",
    "merge",
    "merge_and_join",
    "merge_candidates",
    "move_contributor",
    "move_part_to_contributor",
    "move_part_to_unit",
    "move_unit",
    "new_unit",
    "new_violations",
    "peer_document",
    "peer_feedback",
    "peer_figures",
    "pyramid_changes",
    "pyramid_document",
    "pyramid_feedback",
    "pyramid_figures",
    "pyramid_of_texts",
    "read_change",
    "read_file",
    "read_peer_document",
    "read_pyramid_document",
    "read_review",
    "rebased",
    "rename_unit",
    "repeat_note",
    "restored",
    "review_json",
    "split",
    "split_candidates",
    "take",
    "text_lines",
    "to_annotation",
    "to_pyramid",
    "touched_by",
    "unassign",
    "unassign_part",
    "unreviewed",
    "utf16_offset",
    "violations",
]
