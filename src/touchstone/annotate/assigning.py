"""Assigning items to people: some to one person, some to several, so that agreement can be measured."""

import random
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from sqlalchemy import select
from sqlalchemy.orm import Session

from touchstone.annotate import audit, qualifying
from touchstone.annotate.access import answer_for
from touchstone.annotate.accounts import Person, open_invitations
from touchstone.annotate.audit import Actor
from touchstone.annotate.database import stored
from touchstone.annotate.refusals import Refusal, forbidden, invalid, not_found, required
from touchstone.annotate.tables import Account, Answer, Assignment, Item, Member, Project
from touchstone.base.codes import Code
from touchstone.base.errors import Fault, TouchstoneError, nearest
from touchstone.base.ids import Ids
from touchstone.io.jsonl import Json


@dataclass(frozen=True)
class Assigned:
    """The number of new assignments; *by* has the id, the name and the number of items of each person."""

    made: int
    by: tuple[tuple[int, str, int], ...]


def assign(
    session: Session,
    actor: Actor,
    project: Project,
    *,
    accounts: Sequence[int] | None,
    per_item: int,
    overlap: float = 1.0,
    seed: int = 0,
    kind: str | None = None,
    only: Collection[str] | None = None,
) -> Assigned:
    """Assign the items of a project to people with the fewest items first.

    Existing assignments are kept, so that this can be run again after adding items or people.

    Parameters
    ----------
    session
        A session to write with.
    actor
        Who assigns, for the log.
    project
        The project.
    accounts
        The accounts to assign items to; all annotators of the project if None.
    per_item
        The number of people for each shared item.
    overlap
        The share of the items that are shared; the others are assigned to one person each.
    seed
        The seed of the random choice of items and people.
    kind
        The kind of items to assign; all kinds if None.
    only
        The keys of the items to assign; all items if None.
    """
    people = _people(session, project, accounts)
    if not 1 <= per_item <= len(people):
        raise _too_few(session, project, accounts, len(people), per_item)
    if not 0 <= overlap <= 1:
        raise invalid("the overlap is a share from 0 to 1")
    items = _work_items(session, project, kind, only)
    assigned = _assigned(session, project)
    draw = random.Random(seed)
    shared = set(draw.sample(items, round(overlap * len(items))))
    load = Counter({account.id: 0 for account in people})
    load.update(account for accounts in assigned.values() for account in accounts if account in load)
    made: Counter[int] = Counter()
    for item in items:
        has = assigned.get(item, set())
        for chosen in _choose(load, has, (per_item if item in shared else 1) - len(has), draw):
            session.add(Assignment(item_id=item, account_id=chosen))
            load[chosen] += 1
            made[chosen] += 1
    session.flush()
    qualifying.assign_tests(session, project, {account.id for account in people})
    detail: Json = {"made": made.total(), "per_item": per_item, "overlap": overlap, "seed": seed}
    audit.record(session, actor, "assign", "project", project.id, project_id=project.id, detail=detail)
    return Assigned(made.total(), tuple((account.id, account.name, load[account.id]) for account in people))


def _too_few(session: Session, project: Project, accounts: Sequence[int] | None, people: int, per_item: int) -> Refusal:
    """Return the refusal to assign each item to more people than there are; it names those who may still come."""
    if accounts is not None and not people:
        return invalid("nobody is chosen", hint="tick somebody, or name annotators")
    invited = open_invitations(session, project.id) if accounts is None else []
    waiting = ", ".join(str(invitation["email"]) for invitation in invited)
    hint = "ask for fewer people per item, or invite more to the project"
    hint = f"invited, but have not accepted yet: {waiting}" if waiting else hint
    return invalid(f"{per_item} people per item, but there are only {people}", hint=hint)


def _people(session: Session, project: Project, accounts: Sequence[int] | None) -> list[Account]:
    query = select(Account, Member.role).join(Member).where(Member.project_id == project.id)
    members = session.execute(query.where(Account.disabled_at.is_(None)).order_by(Account.id)).all()
    if accounts is None:
        return [account for account, role in members if role == "annotator"]
    chosen = [account for account, _ in members if account.id in set(accounts)]
    if len(chosen) < len(set(accounts)):
        raise invalid("not all of these accounts are members of the project")
    return chosen


def _work_items(session: Session, project: Project, kind: str | None, only: Collection[str] | None) -> list[int]:
    query = select(Item.id, Item.key).where(Item.project_id == project.id, Item.purpose == "work")
    rows = session.execute((query if kind is None else query.where(Item.kind == kind)).order_by(Item.position))
    return [number for number, key in rows if only is None or key in only]


def check_items(session: Session, project: Project, listed: Ids) -> set[str]:
    """Return the listed items; refuse a file that names an item that the project does not have."""
    query = select(Item.key).where(Item.project_id == project.id, Item.purpose == "work")
    keys = set(session.scalars(query))
    faults = [
        Fault("the project has no such item", listed.file, line, item, nearest(item, keys), "id", Code.UNKNOWN_ID)
        for item, line in zip(listed.ids, listed.lines, strict=True)
        if item not in keys
    ]
    if faults:
        raise TouchstoneError.of(faults, "import the items first: touchstone annotate project import")
    return set(listed.ids)


def _assigned(session: Session, project: Project) -> dict[int, set[int]]:
    """Return the accounts that each item is assigned to."""
    query = select(Assignment.item_id, Assignment.account_id).join(Item, Assignment.item_id == Item.id)
    assigned: dict[int, set[int]] = {}
    for item, account in session.execute(
        query.where(Item.project_id == project.id, Item.purpose == "work", Assignment.duty == "annotate")
    ):
        assigned.setdefault(item, set()).add(account)
    return assigned


def _choose(load: Counter[int], has: set[int], number: int, draw: random.Random) -> list[int]:
    """Return the accounts with the smallest load, at random among equals."""
    # Sorted before they are shuffled, so that the same seed gives the same assignments.
    free = sorted(account for account in load if account not in has)
    draw.shuffle(free)
    return sorted(free, key=lambda account: load[account])[: max(0, number)]


def assign_review(session: Session, manager: Person, project: Project, answer_id: int, account_id: int) -> int:
    """Assign the review of a finished answer to another account, and return the id of the assignment."""
    held = answer_for(session, manager, answer_id)
    if held.project.id != project.id:
        raise not_found("answer")
    if held.answer.kind != "annotation" or not held.answer.done:
        raise forbidden("only a finished annotation can be reviewed")
    if held.answer.account_id == account_id:
        raise forbidden("nobody can review their own answer")
    required(session.get(Member, (project.id, account_id)), "member")
    query = select(Assignment.id).where(Assignment.about_id == answer_id, Assignment.account_id == account_id)
    if session.scalar(query) is not None:
        raise Refusal(409, "taken", "this review is already assigned")
    row = Assignment(item_id=held.item.id, account_id=account_id, duty="review", about_id=answer_id)
    assignment = stored(session, row)
    audit.record(session, manager.actor, "assign review", "answer", answer_id, project_id=project.id)
    return assignment.id


def withdraw(session: Session, actor: Actor, assignment: Assignment, project: Project) -> None:
    """Take an assignment back from a person who has saved nothing yet; an empty answer that they opened stays empty."""
    query = select(Answer).where(Answer.item_id == assignment.item_id, Answer.account_id == assignment.account_id)
    query = query.where(Answer.kind == ("review" if assignment.duty == "review" else "annotation"))
    if assignment.duty == "review":
        query = query.where(Answer.about_id == assignment.about_id)
    answer = session.scalar(query.with_for_update())
    if answer is not None and answer.version:
        hint = "what was saved is kept: adjudicate the item, or remove the person from the project"
        raise Refusal(409, "finished", "this person has already saved an answer to the item", hint=hint)
    session.delete(assignment)
    detail: Json = {"item_id": assignment.item_id, "account_id": assignment.account_id}
    audit.record(session, actor, "withdraw", "assignment", assignment.id, project_id=project.id, detail=detail)


def assignment_named(session: Session, project: Project, key: str, account_id: int) -> Assignment:
    """Return the assignment of a person to annotate the item with a key."""
    here = select(Item.key).where(Item.project_id == project.id)
    query = select(Assignment).join(Item, Assignment.item_id == Item.id)
    mine = query.where(
        Item.project_id == project.id, Assignment.account_id == account_id, Assignment.duty == "annotate"
    )
    assignment = session.scalar(mine.where(Item.key == key))
    if assignment is None:
        item_exists = session.scalar(here.where(Item.key == key).limit(1)) is not None
        keys = session.scalars(here.limit(1_000)).all()
        what = "this item is not assigned to this person" if item_exists else "no such item"
        raise TouchstoneError(
            what, value=key, near=None if item_exists else nearest(key, keys), kind="id", code=Code.UNKNOWN_ID
        )
    return assignment
