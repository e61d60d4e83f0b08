"""Partner review: a second person accepts units, comments on them or proposes changes; the author decides.

A review is stored beside the version that it is about and never changes it. A change holds the old and the new state of
what it replaces, by uid (units) and by id (unassigned contributors). It applies to any document in which the old state
is still present, even if other units have changed.

The browser applies a change that the author takes (``static/pyramid/changes.js``). The server only checks that every
stored proposal could be taken, for which it needs no order of units: no rule is about it.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from operator import attrgetter
from typing import Generic, TypeVar

from touchstone.annotate.pyramid import json_form
from touchstone.annotate.pyramid.constraints import RefusalError, check_step
from touchstone.annotate.pyramid.document import NUMBER, Doc, Entry, Mark, PeerDocument, PyramidDocument
from touchstone.annotate.pyramid.json_form import malformed, read_list, read_object, read_pair, read_string
from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.io.jsonl import Json

Item = TypeVar("Item", Entry, Mark)
Order = tuple[tuple[str, ...], tuple[str, ...]]

MAX_DESCRIPTION = 2_000


@dataclass(frozen=True)
class Delta(Generic[Item]):
    """Changed items of a list by key, as (before, after) with None for absent, and the order if it changes."""

    items: Mapping[str, tuple[Item | None, Item | None]]
    order: Order | None

    def __bool__(self) -> bool:
        return bool(self.items) or self.order is not None


@dataclass(frozen=True)
class Change:
    """A step from one state of a document to another; its name and its description are for the browser."""

    units: Delta[Entry]
    unassigned: Delta[Mark]

    def __bool__(self) -> bool:
        return bool(self.units) or bool(self.unassigned)


def outcome(change: Change, document: Doc) -> Doc:
    """Return *document* with what *change* replaces, adds and removes, in no particular order.

    Raise `RefusalError` if something that it replaces is no longer the same. An id that the change introduces and that
    the document has used in the meantime is replaced by a new one. The rules of a pyramid are not checked here.
    """
    (old_uids, old_ids), (uids, ids) = _names(change, 0), _names(change, 1)
    next_unit = max([document.next_unit, *(int(uid) + 1 for uid in uids if NUMBER.fullmatch(uid))])
    next_mark = max([document.next_mark, *(int(name[1:]) + 1 for name in ids)])
    used_uids = (uids - old_uids) & {unit.uid for unit in document.units}
    used_ids = (ids - old_ids) & {mark.id for mark in document.marks}
    new_uids = {uid: str(number) for number, uid in enumerate(sorted(used_uids), next_unit)}
    new_ids = {name: f"c{number}" for number, name in enumerate(sorted(used_ids), next_mark)}

    def renamed_mark(mark: Mark) -> Mark:
        return replace(mark, id=new_ids.get(mark.id, mark.id))

    def renamed_unit(unit: Entry) -> Entry:
        marks = tuple(map(renamed_mark, unit.contributors))
        return replace(unit, uid=new_uids.get(unit.uid, unit.uid), contributors=marks)

    mark_keys = tuple(mark.id for mark in document.unassigned)
    return replace(
        document,
        units=_replaced(change.units, unit_keys(document.units), document.units, "unit", renamed_unit),
        unassigned=_replaced(change.unassigned, mark_keys, document.unassigned, "contributor", renamed_mark),
        next_unit=next_unit + len(new_uids),
        next_mark=next_mark + len(new_ids),
    )


def unit_keys(units: Sequence[Entry]) -> tuple[str, ...]:
    """Return a key for each unit: its uid, followed by a number if a peer lists the uid again.

    >>> unit_keys([Entry("7", "", ()), Entry("8", "", ()), Entry("7", "", ())])
    ('7', '8', '7#2')
    """
    uids = {unit.uid for unit in units}
    keys: dict[str, None] = {}
    for unit in units:
        key, number = unit.uid, 1
        while key in keys or (number > 1 and key in uids):
            number += 1
            key = f"{unit.uid}#{number}"
        keys[key] = None
    return tuple(keys)


def _replaced(
    delta: Delta[Item], keys: Sequence[str], items: Sequence[Item], kind: str, rename: Callable[[Item], Item]
) -> tuple[Item, ...]:
    present = dict(zip(keys, items, strict=True))
    added: list[Item] = []
    for key, (before, after) in delta.items.items():
        if before is not None and present.pop(key, None) != before:
            raise RefusalError("stale", f"{kind} {key} has changed since")
        if after is not None:
            added.append(rename(after))
    return tuple(present.values()) + tuple(added)


def _names(change: Change, side: int) -> tuple[set[str], set[str]]:
    """Return the uids and the contributor ids on one side of a change (0 before, 1 after)."""
    units = [unit for pair in change.units.items.values() if (unit := pair[side])]
    marks = [mark for pair in change.unassigned.items.values() if (mark := pair[side])]
    marks += [mark for unit in units for mark in unit.contributors]
    return {unit.uid for unit in units}, {mark.id for mark in marks}


def read_change(value: Json, where: str = "change") -> Change:
    """Return the change in the JSON *value*; raise `TouchstoneError` if it is malformed.

    Parameters
    ----------
    value
        JSON sent by a browser; nothing in it is trusted.
    where
        The path of *value*, for error messages.
    """
    fields = read_object(value, ("name", "said", "units", "unassigned"), where)
    for key in ("name", "said"):
        read_string(fields[key], f"{where} {key}", MAX_DESCRIPTION)
    units = _read_delta(fields["units"], f"{where} units", json_form.read_unit, attrgetter("uid"))
    marks = _read_delta(fields["unassigned"], f"{where} unassigned", json_form.read_mark, attrgetter("id"))
    return Change(units, marks)


def _read_delta(
    value: Json, where: str, read: Callable[[Json, str], Item], name_of: Callable[[Item], str]
) -> Delta[Item]:
    fields = read_object(value, ("items", "order"), where)
    items = fields["items"]
    if not isinstance(items, dict) or len(items) > json_form.MAX_UNITS + json_form.MAX_MARKS:
        raise malformed("must be an object", f"{where} items")
    pairs = {}
    for key, pair in items.items():
        if not isinstance(pair, list) or len(pair) != 2:
            raise malformed("must hold the state before and after", f"{where} {key[:40]}")
        before, after = (None if side is None else read(side, where) for side in pair)
        for item in (before, after):
            if item and key != name_of(item) and not key.startswith(f"{name_of(item)}#"):
                raise TouchstoneError(
                    "does not match the key it is listed under", line=where, value=name_of(item), code=Code.MISMATCH
                )
        pairs[key] = before, after
    return Delta(pairs, _read_order(fields["order"], f"{where} order"))


def _read_order(value: Json, where: str) -> Order | None:
    return None if value is None else read_pair(value, where, _read_keys, "the order before and after")


def _read_keys(value: Json, where: str) -> tuple[str, ...]:
    return read_list(value, where, json_form.MAX_MARKS, lambda key, at: read_string(key, at, json_form.MAX_UID + 20))


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
            after = json_form.document_json(outcome(proposal.change, document))
            check_step(document, json_form.read_document(after, document))


def read_review(value: Json) -> Review:
    """Return the review in the JSON *value*, which is not trusted; raise `TouchstoneError` if it is malformed."""
    fields = read_object(value, ("proposals", "decisions"), "review")
    proposals = read_list(fields["proposals"], "proposals", MAX_PROPOSALS, _read_proposal)
    keys = [proposal.key for proposal in proposals]
    if len(set(keys)) < len(keys):
        raise TouchstoneError(
            "duplicate proposal key", value=next(key for key in keys if keys.count(key) > 1), code=Code.DUPLICATE_ID
        )
    decisions = fields["decisions"]
    if not isinstance(decisions, dict) or not decisions.keys() <= set(keys):
        raise TouchstoneError('"decisions" must be an object with keys of proposals', code=Code.BAD_CELL)
    return Review(proposals, {key: _read_decision(decision, f"decision {key}") for key, decision in decisions.items()})


def _read_proposal(value: Json, where: str) -> Proposal:
    fields = read_object(value, ("key", "about", "verdict", "comment", "change"), where)
    key, about, verdict = (read_string(fields[name], f"{where} {name}", 200) for name in ("key", "about", "verdict"))
    if not _KEY.fullmatch(key):
        raise malformed("a proposal key is p and a number", where, key)
    if verdict not in VERDICTS:
        raise malformed(f"a verdict is one of {', '.join(VERDICTS)}", where, verdict)
    comment = read_string(fields["comment"], f"{where} comment")
    change = None if fields["change"] is None else read_change(fields["change"], f"{where} change")
    return Proposal(key, about, verdict, comment, change)


def _read_decision(value: Json, where: str) -> Decision:
    fields = read_object(value, ("taken", "reply"), where)
    taken = fields["taken"]
    if taken is not None and not isinstance(taken, bool):
        raise malformed('"taken" must be true, false or null', where)
    return Decision(taken, read_string(fields["reply"], f"{where} reply"))
