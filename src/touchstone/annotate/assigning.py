"""Who annotates what: some items by one person, some by several, so that their agreement can be measured."""

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import select
from sqlalchemy.orm import Session

from touchstone.annotate import audit, qualifying
from touchstone.annotate.access import answer_for
from touchstone.annotate.accounts import Actor, Person
from touchstone.annotate.refusals import Refusal, forbidden, invalid, not_found
from touchstone.annotate.tables import Account, Answer, Assignment, Item, Member, Project
from touchstone.io.jsonl import Json


@dataclass(frozen=True)
class Assigned:
    """How many duties were made; *by* has each person's id, name and number of items."""

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
) -> Assigned:
    """Give each item to people, the least busy first; a share *overlap* of the items to *per_item*, others to one.

    Adds what is missing and takes nothing away, so that it can be run again when items or people join. The same
    *seed* chooses the same items and people.
    """
    people = _people(session, project, accounts)
    if not 1 <= per_item <= len(people):
        raise invalid(f"{per_item} people for each item, but there are {len(people)}")
    if not 0 <= overlap <= 1:
        raise invalid("the overlap is a share from 0 to 1")
    items = _work_items(session, project, kind)
    given = _given(session, project)
    draw = random.Random(seed)
    shared = set(draw.sample(items, round(overlap * len(items))))
    load = Counter({account.id: 0 for account in people})
    load.update(one for who in given.values() for one in who if one in load)
    made: Counter[int] = Counter()
    for item in items:
        has = given.get(item, set())
        for chosen in _choose(load, has, (per_item if item in shared else 1) - len(has), draw):
            session.add(Assignment(item_id=item, account_id=chosen))
            load[chosen] += 1
            made[chosen] += 1
    session.flush()
    qualifying.assign_tests(session, project, {account.id for account in people})
    detail: Json = {"made": made.total(), "per_item": per_item, "overlap": overlap, "seed": seed}
    audit.record(session, actor, "assign", "project", project.id, project_id=project.id, detail=detail)
    return Assigned(made.total(), tuple((one.id, one.name, load[one.id]) for one in people))


def _people(session: Session, project: Project, accounts: Sequence[int] | None) -> list[Account]:
    query = select(Account).join(Member).where(Member.project_id == project.id, Account.disabled_at.is_(None))
    members = list(session.scalars(query.order_by(Account.id)))
    if accounts is None:
        return [account for account in members if account.role == "annotator"]
    chosen = [account for account in members if account.id in set(accounts)]
    if len(chosen) < len(set(accounts)):
        raise invalid("not all of these accounts are members of the project")
    return chosen


def _work_items(session: Session, project: Project, kind: str | None) -> list[int]:
    query = select(Item.id).where(Item.project_id == project.id, Item.purpose == "work").order_by(Item.position)
    return list(session.scalars(query if kind is None else query.where(Item.kind == kind)))


def _given(session: Session, project: Project) -> dict[int, set[int]]:
    """Return who has which item already."""
    query = select(Assignment.item_id, Assignment.account_id).join(Item, Assignment.item_id == Item.id)
    found: dict[int, set[int]] = {}
    for item, account in session.execute(
        query.where(Item.project_id == project.id, Item.purpose == "work", Assignment.duty == "annotate")
    ):
        found.setdefault(item, set()).add(account)
    return found


def _choose(load: Counter[int], has: set[int], number: int, draw: random.Random) -> list[int]:
    """Return those with the least to do, at random among equals."""
    free = sorted(account for account in load if account not in has)
    draw.shuffle(free)
    return sorted(free, key=lambda account: load[account])[: max(0, number)]


def assign_review(session: Session, manager: Person, project: Project, answer_id: int, account_id: int) -> int:
    """Ask somebody to review another's finished answer."""
    held = answer_for(session, manager, answer_id)
    if held.project.id != project.id:
        raise not_found("answer")
    if held.answer.kind != "annotation" or not held.answer.done:
        raise forbidden("a review is of a finished annotation")
    if held.answer.account_id == account_id:
        raise forbidden("nobody reviews their own answer")
    if session.get(Member, (project.id, account_id)) is None:
        raise not_found("member")
    query = select(Assignment.id).where(Assignment.about_id == answer_id, Assignment.account_id == account_id)
    if session.scalar(query) is not None:
        raise Refusal(409, "taken", "this review was assigned already")
    made = Assignment(item_id=held.item.id, account_id=account_id, duty="review", about_id=answer_id)
    session.add(made)
    session.flush()
    audit.record(session, manager.actor, "assign review", "answer", answer_id, project_id=project.id)
    return made.id


def withdraw(session: Session, manager: Person, assignment: Assignment, project: Project) -> None:
    """Take back a duty that nobody has begun."""
    query = select(Answer.id).where(Answer.item_id == assignment.item_id, Answer.account_id == assignment.account_id)
    if assignment.duty == "review":
        query = query.where(Answer.about_id == assignment.about_id)
    if session.scalar(query) is not None:
        raise Refusal(409, "finished", "this was begun already")
    session.delete(assignment)
    audit.record(session, manager.actor, "withdraw", "assignment", assignment.id, project_id=project.id)
