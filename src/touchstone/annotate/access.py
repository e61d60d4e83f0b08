"""Authorisation: every object is fetched through this module, for the person who asks for it.

Annotators see their own answers. Reviewers and managers also see the answers of others in their projects, and
administrators in all projects, but not to an item that they still have to annotate themselves; once they have seen
them, their own answer is final. What a person may not see is reported as not found.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from sqlalchemy import ColumnElement, Select, bindparam, func, or_, select, true, update
from sqlalchemy.orm import Session

from touchstone.annotate.accounts import Person
from touchstone.annotate.database import in_parts, later
from touchstone.annotate.refusals import Refusal, forbidden, not_found, required
from touchstone.annotate.tables import Answer, Assignment, Attachment, Invitation, Item, Member, Project, Revision, now
from touchstone.annotate.tasks import TASKS
from touchstone.annotate.tasks.base import Subject, Task
from touchstone.io.jsonl import Json


@dataclass(frozen=True)
class Held:
    """An answer with its item and its project."""

    answer: Answer
    item: Item
    project: Project


def visible_projects(session: Session, person: Person) -> list[Project]:
    """Return the projects that the person is a member of; for an administrator, all projects."""
    query = select(Project).order_by(Project.archived_at.is_not(None), Project.name)
    return list(session.scalars(query.where(_belongs(person))))


def _belongs(person: Person) -> ColumnElement[bool]:
    if person.admin:
        return true()
    mine = select(Member.project_id).where(Member.account_id == person.id)
    return Project.id.in_(mine)


PROJECT_OF: Mapping[str, Select[Any]] = {
    "project_id": select(Project.id).where(Project.id == bindparam("id")),
    "item_id": select(Item.project_id).where(Item.id == bindparam("id")),
    "answer_id": select(Item.project_id).join(Answer, Answer.item_id == Item.id).where(Answer.id == bindparam("id")),
    "assignment_id": select(Item.project_id)
    .join(Assignment, Assignment.item_id == Item.id)
    .where(Assignment.id == bindparam("id")),
    "invitation_id": select(Invitation.project_id).where(Invitation.id == bindparam("id"), Invitation.admin.is_(False)),
}
"""How to find the project of the object that a parameter of a path names. Invitations of administrators have none."""


def check_role(session: Session, person: Person, role: str, parameter: str, number: int) -> None:
    """Refuse a person without *role* in the project of an object.

    Parameters
    ----------
    session
        A session to read with.
    person
        Who asks.
    role
        The role that is needed. Whoever is no member of the project is told that there is no such object.
    parameter, number
        What the object is called in the path (see `PROJECT_OF`), and its id.
    """
    if person.admin:
        return
    project_id: int | None = session.scalar(PROJECT_OF[parameter], {"id": number})
    held_role = None if project_id is None else person.role_in(project_id)
    if project_id is None or held_role is None:
        raise not_found(parameter.removesuffix("_id"))
    if not person.may(role, project_id):
        raise forbidden(f"this needs the role {role} in the project; your role is {held_role}")


def project_for(session: Session, person: Person, project_id: int) -> Project:
    """Return a project that the person is a member of."""
    query = select(Project).where(Project.id == project_id, _belongs(person))
    return required(session.scalar(query), "project")


def item_for(session: Session, person: Person, item_id: int) -> tuple[Item, Project]:
    """Return an item and its project, for reviewers of the project and for people whom the item is assigned to."""
    row = session.execute(select(Item, Project).join(Project).where(Item.id == item_id, _belongs(person))).first()
    if row is None or not (person.may("reviewer", row[1].id) or assignment_of(session, person, item_id)):
        raise not_found("item")
    return row[0], row[1]


def assignment_of(session: Session, person: Person, item_id: int) -> Assignment | None:
    """Return the person's assignment to annotate an item."""
    return session.scalar(
        select(Assignment).where(
            Assignment.item_id == item_id, Assignment.account_id == person.id, Assignment.duty == "annotate"
        )
    )


def answer_for(session: Session, person: Person, answer_id: int) -> Held:
    """Return an answer that the person may see."""
    query = select(Answer, Item, Project).join(Item, Answer.item_id == Item.id).join(Project)
    row = session.execute(query.where(Answer.id == answer_id, _belongs(person))).first()
    if row is None or not _may_see(session, person, Held(*row)):
        raise not_found("answer")
    held = Held(*row)
    if is_of_others(person, held.answer, held.item) and review_of(session, person, answer_id) is None:
        note_sight(session, person, [held.item])
    return held


def is_of_others(person: Person, answer: Answer, item: Item) -> bool:
    """Return whether an answer shows what others think of an item, which the person may have annotated too."""
    starting = answer.kind == "imported" and item.starts_imported
    return answer.kind == "adjudicated" or (answer.kind != "review" and answer.account_id != person.id and not starting)


def note_sight(session: Session, person: Person, items: Iterable[Item]) -> None:
    """Record that the person sees the answers of others to some items: their own finished answers are final from now.

    Whoever reviews an answer, as a manager asked, may change their own one; so may its author. Somebody who reopens
    their own answer at the same moment is refused.
    """
    ids = [item.id for item in items if item.purpose == "work"]
    for part in in_parts(ids):
        unseen = select(Assignment.id).where(Assignment.item_id.in_(part), *_unseen(person))
        assignment_ids = session.scalars(unseen).all()
        if assignment_ids:
            later(session, partial(_record_sight, assignments=assignment_ids))


def _record_sight(session: Session, assignments: Sequence[int]) -> None:
    finished = update(Assignment).where(Assignment.id.in_(assignments), Assignment.finished_at.is_not(None))
    first = func.coalesce(Assignment.saw_others_at, now())
    recorded = session.execute(finished.values(saw_others_at=first).execution_options(synchronize_session=False))
    if recorded.rowcount != len(assignments):  # type: ignore[attr-defined]
        raise Refusal(409, "reopened", "you have reopened your own answer to this item", hint="finish it first")


def _unseen(person: Person) -> list[ColumnElement[bool]]:
    """Return conditions for the assignments of a person who has not seen the answers of others."""
    annotates = (Assignment.account_id == person.id, Assignment.duty == "annotate")
    return [*annotates, Assignment.saw_others_at.is_(None)]


def undecided(session: Session, person: Person, project: Project) -> tuple[set[int], set[int]]:
    """Return the items that the person has not finished, and those finished whose answer can still change."""
    assigned = (Item.project_id == project.id, Assignment.account_id == person.id, Assignment.duty == "annotate")
    query = select(Assignment.item_id).join(Item, Assignment.item_id == Item.id).where(*assigned)
    unfinished = session.scalars(query.where(Assignment.finished_at.is_(None)))
    finished = query.where(Item.purpose == "work", Assignment.finished_at.is_not(None))
    return set(unfinished), set(session.scalars(finished.where(*_unseen(person))))


def closed_items(session: Session, person: Person, project: Project) -> set[int]:
    """Return the items about which the person is not told what others answered.

    Their own answer to these can still change. Managers, who may export all answers anyway, are told it when they have
    finished.
    """
    unfinished, unseen = undecided(session, person, project)
    return unfinished if person.may("manager", project.id) else unfinished | unseen


def _may_see(session: Session, person: Person, held: Held) -> bool:
    answer = held.answer
    if answer.account_id == person.id and answer.kind != "adjudicated":
        return True
    if answer.kind == "review" and _is_author(session, person, answer.about_id):
        return answer.done
    if is_blind(session, person, answer.item_id):
        return False
    return person.may("reviewer", held.project.id) or review_of(session, person, answer.id) is not None


def is_blind(session: Session, person: Person, item_id: int) -> bool:
    """Return whether the person still has to annotate the item, and so must not see the answers of others."""
    assignment = assignment_of(session, person, item_id)
    return assignment is not None and assignment.finished_at is None


def review_of(session: Session, person: Person, answer_id: int | None) -> Assignment | None:
    """Return the person's assignment to review an answer."""
    return session.scalar(
        select(Assignment).where(
            Assignment.about_id == answer_id, Assignment.account_id == person.id, Assignment.duty == "review"
        )
    )


def _is_author(session: Session, person: Person, answer_id: int | None) -> bool:
    query = select(Answer.id).where(Answer.id == answer_id, Answer.account_id == person.id)
    return session.scalar(query) is not None


def visible_answers(session: Session, person: Person, item: Item) -> list[Answer]:
    """Return the answers to an item that the person may see, in the order in which they were begun."""
    query = select(Answer).where(Answer.item_id == item.id, Answer.kind != "review").order_by(Answer.id)
    if is_blind(session, person, item.id) or not person.may("reviewer", item.project_id):
        query = query.where(Answer.account_id == person.id, Answer.kind != "adjudicated")
    else:
        query = query.where(or_(Answer.done, Answer.kind == "adjudicated", Answer.account_id == person.id))
    answers = list(session.scalars(query))
    if any(is_of_others(person, answer, item) for answer in answers):
        note_sight(session, person, [item])
    return answers


def subject_of(session: Session, item: Item, digest: str | None = None) -> Subject:
    """Return an item as its task sees it.

    Parameters
    ----------
    session
        A session to read with.
    item
        The item.
    digest
        The digest of the attachment; the current one of the item if None.
    """
    chosen = digest or item.attachment_digest
    attachment = attachment_body(session, chosen)
    identity = f"{session.get_bind().engine.url} {item.id} {item.created_at} {chosen}"
    return Subject(item.key, item.kind, item.payload, item.hidden, attachment, identity, chosen)


def contents(session: Session, held: Held) -> tuple[Task, Subject, Json]:
    """Return the task of an answer, its item as the task sees it with the attachment of the answer, and its body."""
    subject = subject_of(session, held.item, held.answer.attachment_digest)
    return TASKS[held.project.task], subject, body_of(session, held.answer)


def attachment_body(session: Session, digest: str | None) -> Json:
    """Return the attachment with a digest."""
    body: Json = session.scalar(select(Attachment.body).where(Attachment.digest == digest)) if digest else None
    return body


def body_of(session: Session, answer: Answer, version: int | None = None) -> Json:
    """Return the body of an answer at a *version*; the current one if None."""
    at = answer.version if version is None else version
    body: Json = session.scalar(select(Revision.body).where(Revision.answer_id == answer.id, Revision.version == at))
    return body
