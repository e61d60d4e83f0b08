"""Partner review: a second person accepts, comments or proposes changes, item by item; the author decides.

A review stands beside the version that it is about and never changes it. A proposal that the author takes makes a new
version of the author's document; the reviewed one, the proposal and the result all stay.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal, cast

from touchstone.annotate.pyramid.changes import MAX_SAID, Change, apply, change_between, change_json, read_change
from touchstone.annotate.pyramid.constraints import guard
from touchstone.annotate.pyramid.document import Document, PeerDocument, PyramidDocument
from touchstone.annotate.pyramid.json_form import Object, a_string, an_object, document_json, listed
from touchstone.annotate.pyramid.refusals import RefusalError
from touchstone.annotate.pyramid.saving import read_like
from touchstone.core.errors import TouchstoneError
from touchstone.io.jsonl import Json

Verdict = Literal["accept", "comment", "change"]
VERDICTS = ("accept", "comment", "change")

MAX_PROPOSALS = 10_000
_KEY = re.compile(r"p[1-9][0-9]{0,8}")


@dataclass(frozen=True)
class Proposal:
    """What a reviewer says *about* a unit (its uid), or about the document as a whole ("")."""

    key: str
    about: str
    verdict: Verdict
    comment: str = ""
    change: Change | None = None


@dataclass(frozen=True)
class Decision:
    """What the author says to a proposal; *taken* is None where there was no change to take."""

    taken: bool | None
    reply: str = ""


@dataclass(frozen=True)
class Review:
    """The proposals of a reviewer, in the order in which they were made, and the author's decisions on them."""

    proposals: tuple[Proposal, ...] = ()
    decisions: Mapping[str, Decision] = field(default_factory=dict)

    @property
    def next_key(self) -> str:
        """A key that no proposal has had."""
        return f"p{max((int(one.key[1:]) for one in self.proposals), default=0) + 1}"


def accept(review: Review, document: Document, about: str) -> Review:
    """Return *review* with a unit accepted as it is, in place of whatever was said about it before."""
    others = tuple(one for one in review.proposals if one.about != about)
    return _with(replace(review, proposals=others), document, Proposal(review.next_key, about, "accept"))


def remark(review: Review, document: Document, about: str, comment: str) -> Review:
    """Return *review* with a comment on a unit."""
    return _with(_unaccepted(review, about), document, Proposal(review.next_key, about, "comment", comment))


def propose(review: Review, document: Document, after: Document, about: str, comment: str = "") -> Review:
    """Return *review* with the proposal to change *document* into *after*."""
    change = change_between(document, after, "proposal", comment[:MAX_SAID] or f"a change of {about or 'the document'}")
    proposal = Proposal(review.next_key, about, "change", comment, change)
    return _with(_unaccepted(review, about), document, proposal)


def withdraw(review: Review, key: str) -> Review:
    """Return *review* without a proposal."""
    _found(review, key)
    return replace(review, proposals=tuple(one for one in review.proposals if one.key != key))


def decide(review: Review, key: str, taken: bool | None, reply: str = "") -> Review:
    """Return *review* with the author's decision on a proposal; it may be changed later."""
    decided = replace(review, decisions={**review.decisions, key: Decision(taken, reply)})
    _check_decision(decided, key)
    return decided


def take(document: PyramidDocument | PeerDocument, proposal: Proposal) -> PyramidDocument | PeerDocument:
    """Return the author's *document* with the change of a *proposal*; refuse what is out of date or breaks a rule."""
    if proposal.change is None:
        raise RefusalError("review", f"proposal {proposal.key} has no change to take")
    after = read_like(document, document_json(apply(proposal.change, document)))
    guard(document, after)
    return after


def unreviewed(document: Document, review: Review) -> list[str]:
    """Return the units about which nothing was said yet; of a peer only those that it expresses."""
    seen = {proposal.about for proposal in review.proposals}
    silent = isinstance(document, PeerDocument)
    return [unit.uid for unit in document.units if unit.uid not in seen and (unit.contributors or not silent)]


def check_review(review: Review, before: Review, *, by_author: bool) -> None:
    """Refuse a saved review in which the reviewer decides, or the author changes what was proposed."""
    if by_author and review.proposals != before.proposals:
        raise RefusalError("review", "the author decides on proposals and cannot change them")
    if not by_author and dict(review.decisions) != dict(before.decisions):
        raise RefusalError("review", "the author decides, not the reviewer")
    for key in review.decisions:
        _check_decision(review, key)


def check_proposals(document: PyramidDocument | PeerDocument, review: Review) -> None:
    """Refuse a proposal about a unit that is not there, without what its verdict needs, or that cannot be taken."""
    accepted = {one.about for one in review.proposals if one.verdict == "accept"}
    for one in review.proposals:
        _check_proposal(document, one)
        if one.about in accepted and one.verdict != "accept":
            raise RefusalError("review", f"unit {one.about} is accepted; nothing else can be said about it")
        if one.change is not None:
            take(document, one)


def review_json(review: Review) -> Object:
    """Return *review* as the value of a JSON text."""
    proposals: list[Json] = [
        {
            "key": one.key,
            "about": one.about,
            "verdict": one.verdict,
            "comment": one.comment,
            "change": None if one.change is None else change_json(one.change),
        }
        for one in review.proposals
    ]
    decisions: Object = {key: {"taken": one.taken, "reply": one.reply} for key, one in review.decisions.items()}
    return {"proposals": proposals, "decisions": decisions}


def read_review(value: Json) -> Review:
    """Return the review that *value* holds; nothing in it is trusted."""
    one = an_object(value, ("proposals", "decisions"), "review")
    proposals = listed(one["proposals"], "proposals", MAX_PROPOSALS, _proposal)
    keys = [proposal.key for proposal in proposals]
    if len(set(keys)) < len(keys):
        raise TouchstoneError("the key of a proposal stands twice", value=next(k for k in keys if keys.count(k) > 1))
    decisions = one["decisions"]
    if not isinstance(decisions, dict) or not decisions.keys() <= set(keys):
        raise TouchstoneError('"decisions" must be an object with keys of proposals')
    return Review(proposals, {key: _decision(decision, f"decision {key}") for key, decision in decisions.items()})


def _proposal(value: Json, where: str) -> Proposal:
    one = an_object(value, ("key", "about", "verdict", "comment", "change"), where)
    key, about, verdict = (a_string(one[name], f"{where} {name}", 200) for name in ("key", "about", "verdict"))
    if not _KEY.fullmatch(key):
        raise TouchstoneError("the key of a proposal is p and a number", line=where, value=key)
    if verdict not in VERDICTS:
        raise TouchstoneError(f"a verdict is one of {', '.join(VERDICTS)}", line=where, value=verdict)
    comment = a_string(one["comment"], f"{where} comment")
    change = None if one["change"] is None else read_change(one["change"], f"{where} change")
    return Proposal(key, about, cast("Verdict", verdict), comment, change)


def _decision(value: Json, where: str) -> Decision:
    one = an_object(value, ("taken", "reply"), where)
    taken = one["taken"]
    if taken is not None and not isinstance(taken, bool):
        raise TouchstoneError('"taken" must be true, false or null', line=where)
    return Decision(taken, a_string(one["reply"], f"{where} reply"))


def _with(review: Review, document: Document, proposal: Proposal) -> Review:
    _check_proposal(document, proposal)
    return replace(review, proposals=(*review.proposals, proposal))


def _unaccepted(review: Review, about: str) -> Review:
    """Return *review* without the acceptance of a unit about which something is said after all."""
    kept = tuple(one for one in review.proposals if one.about != about or one.verdict != "accept")
    return replace(review, proposals=kept)


def _check_proposal(document: Document, proposal: Proposal) -> None:
    if proposal.about and proposal.about not in document.places:
        raise RefusalError("missing", f"there is no unit {proposal.about[:40]}")
    if proposal.verdict == "comment" and not proposal.comment.strip():
        raise RefusalError("review", "a comment needs words")
    if (proposal.verdict == "change") != bool(proposal.change):
        raise RefusalError("review", "a change, and nothing else, must say what becomes of what")


def _check_decision(review: Review, key: str) -> None:
    if (_found(review, key).verdict == "change") != (review.decisions[key].taken is not None):
        raise RefusalError("review", f"proposal {key}: a change is taken or not, anything else is only replied to")


def _found(review: Review, key: str) -> Proposal:
    for proposal in review.proposals:
        if proposal.key == key:
            return proposal
    raise RefusalError("missing", f"there is no proposal {key[:40]}")
