"""Partner review: a second person accepts units, comments on them or proposes changes; the author decides.

A review is stored beside the version that it is about and never changes it. The browser applies a proposal that the
author takes; the server checks that every stored proposal could be applied.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from touchstone.annotate.pyramid.changes import Change, apply, read_change
from touchstone.annotate.pyramid.constraints import RefusalError, check_step
from touchstone.annotate.pyramid.document import PeerDocument, PyramidDocument
from touchstone.annotate.pyramid.json_form import document_json, read_document, read_list, read_object, read_string
from touchstone.core.errors import TouchstoneError
from touchstone.io.jsonl import Json

VERDICTS = ("accept", "comment", "change")
MAX_PROPOSALS = 10_000
_KEY = re.compile(r"p[1-9][0-9]{0,8}")


@dataclass(frozen=True)
class Proposal:
    """A reviewer's verdict *about* a unit (its uid), or about the document as a whole (the empty string)."""

    key: str
    about: str
    verdict: str
    comment: str = ""
    change: Change | None = None


@dataclass(frozen=True)
class Decision:
    """The author's reply to a proposal; *taken* is None if there was no change to take."""

    taken: bool | None
    reply: str = ""


@dataclass(frozen=True)
class Review:
    """The proposals of a reviewer, in the order in which they were made, and the author's decisions by key."""

    proposals: tuple[Proposal, ...] = ()
    decisions: Mapping[str, Decision] = field(default_factory=dict)


def check_review(review: Review, before: Review, *, by_author: bool) -> None:
    """Raise `RefusalError` if the reviewer decides, or the author changes what was proposed.

    Parameters
    ----------
    review
        The review to be saved.
    before
        The review as it is stored.
    by_author
        Whether the author of the reviewed document saves it, rather than the reviewer.
    """
    if by_author and review.proposals != before.proposals:
        raise RefusalError("review", "the author decides on proposals and cannot change them")
    if not by_author and dict(review.decisions) != dict(before.decisions):
        raise RefusalError("review", "the author decides, not the reviewer")
    for proposal in review.proposals:
        decision = review.decisions.get(proposal.key)
        if decision and (proposal.verdict == "change") != (decision.taken is not None):
            message = f"proposal {proposal.key}: only a change can be taken or declined; reply to anything else"
            raise RefusalError("review", message)


def check_proposals(document: PyramidDocument | PeerDocument, review: Review) -> None:
    """Raise `RefusalError` if a proposal is incomplete, about an unknown unit, or not applicable to *document*."""
    uids = {unit.uid for unit in document.units}
    accepted = {proposal.about for proposal in review.proposals if proposal.verdict == "accept"}
    for proposal in review.proposals:
        if proposal.about and proposal.about not in uids:
            raise RefusalError("missing", f"there is no unit {proposal.about[:40]}")
        if proposal.verdict == "comment" and not proposal.comment.strip():
            raise RefusalError("review", "a comment needs words")
        if (proposal.verdict == "change") != bool(proposal.change):
            raise RefusalError("review", "a proposal to change must contain a change, and no other proposal may")
        if proposal.about in accepted and proposal.verdict != "accept":
            raise RefusalError("review", f"unit {proposal.about} is accepted; it cannot have other proposals")
        if proposal.change is not None:
            after = document_json(apply(proposal.change, document))
            check_step(document, read_document(after, document))


def read_review(value: Json) -> Review:
    """Return the review in the JSON *value*, which is not trusted; raise `TouchstoneError` if it is malformed."""
    fields = read_object(value, ("proposals", "decisions"), "review")
    proposals = read_list(fields["proposals"], "proposals", MAX_PROPOSALS, _read_proposal)
    keys = [proposal.key for proposal in proposals]
    if len(set(keys)) < len(keys):
        raise TouchstoneError("duplicate proposal key", value=next(key for key in keys if keys.count(key) > 1))
    decisions = fields["decisions"]
    if not isinstance(decisions, dict) or not decisions.keys() <= set(keys):
        raise TouchstoneError('"decisions" must be an object with keys of proposals')
    return Review(proposals, {key: _read_decision(decision, f"decision {key}") for key, decision in decisions.items()})


def _read_proposal(value: Json, where: str) -> Proposal:
    fields = read_object(value, ("key", "about", "verdict", "comment", "change"), where)
    key, about, verdict = (read_string(fields[name], f"{where} {name}", 200) for name in ("key", "about", "verdict"))
    if not _KEY.fullmatch(key):
        raise TouchstoneError("a proposal key is p and a number", line=where, value=key)
    if verdict not in VERDICTS:
        raise TouchstoneError(f"a verdict is one of {', '.join(VERDICTS)}", line=where, value=verdict)
    comment = read_string(fields["comment"], f"{where} comment")
    change = None if fields["change"] is None else read_change(fields["change"], f"{where} change")
    return Proposal(key, about, verdict, comment, change)


def _read_decision(value: Json, where: str) -> Decision:
    fields = read_object(value, ("taken", "reply"), where)
    taken = fields["taken"]
    if taken is not None and not isinstance(taken, bool):
        raise TouchstoneError('"taken" must be true, false or null', line=where)
    return Decision(taken, read_string(fields["reply"], f"{where} reply"))
