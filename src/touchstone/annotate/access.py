"""Whose eyes may rest on what: every object is fetched through here, by the person who asks for it.

An annotator sees their own answers. Reviewers and those above see the answers of others in their projects, but not
on an item that they have yet to annotate themselves. What may not be seen is reported as not there.
"""

from dataclasses import dataclass

from sqlalchemy import ColumnElement, or_, select, true
from sqlalchemy.orm import Session

from touchstone.annotate.accounts import Person
from touchstone.annotate.refusals import not_found
from touchstone.annotate.tables import Answer, Assignment, Attachment, Item, Member, Project, Revision
from touchstone.annotate.tasks.protocol import Subject
from touchstone.io.jsonl import Json


@dataclass(frozen=True)
class Held:
    """An answer with its item and its project."""

    answer: Answer
    item: Item
    project: Project


def visible_projects(session: Session, person: Person) -> list[Project]:
    """Return the projects that the person belongs to; an admin belongs to all."""
    query = select(Project).order_by(Project.archived_at.is_not(None), Project.name)
    return list(session.scalars(query.where(_belongs(person))))


def _belongs(person: Person) -> ColumnElement[bool]:
    if person.role == "admin":
        return true()
    mine = select(Member.project_id).where(Member.account_id == person.id)
    return Project.id.in_(mine)


def project_for(session: Session, person: Person, project_id: int) -> Project:
    """Return a project that the person belongs to."""
    found = session.scalar(select(Project).where(Project.id == project_id, _belongs(person)))
    if found is None:
        raise not_found("project")
    return found


def item_for(session: Session, person: Person, item_id: int) -> tuple[Item, Project]:
    """Return an item of a project that the person belongs to: to reviewers, and to those it was assigned to."""
    found = session.execute(select(Item, Project).join(Project).where(Item.id == item_id, _belongs(person))).first()
    if found is None or not (person.may("reviewer") or assignment_of(session, person, item_id)):
        raise not_found("item")
    return found[0], found[1]


def assignment_of(session: Session, person: Person, item_id: int) -> Assignment | None:
    """Return the person's own duty to annotate an item."""
    return session.scalar(
        select(Assignment).where(
            Assignment.item_id == item_id, Assignment.account_id == person.id, Assignment.duty == "annotate"
        )
    )


def answer_for(session: Session, person: Person, answer_id: int) -> Held:
    """Return an answer that the person may see."""
    query = select(Answer, Item, Project).join(Item, Answer.item_id == Item.id).join(Project)
    found = session.execute(query.where(Answer.id == answer_id, _belongs(person))).first()
    if found is None:
        raise not_found("answer")
    held = Held(*found)
    if not _may_see(session, person, held.answer):
        raise not_found("answer")
    return held


def _may_see(session: Session, person: Person, answer: Answer) -> bool:
    if answer.account_id == person.id and answer.kind != "adjudicated":
        return True
    if answer.kind == "review" and _is_author(session, person, answer.about_id):
        return answer.done
    if is_blind(session, person, answer.item_id):
        return False
    return person.may("reviewer") or is_to_review(session, person, answer.id)


def is_blind(session: Session, person: Person, item_id: int) -> bool:
    """Say whether the person has yet to annotate the item, and so must not see what others made of it."""
    own = assignment_of(session, person, item_id)
    return own is not None and own.finished_at is None


def is_to_review(session: Session, person: Person, answer_id: int) -> bool:
    """Say whether the person was asked to review an answer."""
    query = select(Assignment.id).where(
        Assignment.about_id == answer_id, Assignment.account_id == person.id, Assignment.duty == "review"
    )
    return session.scalar(query) is not None


def _is_author(session: Session, person: Person, answer_id: int | None) -> bool:
    query = select(Answer.id).where(Answer.id == answer_id, Answer.account_id == person.id)
    return session.scalar(query) is not None


def shown_answers(session: Session, person: Person, item: Item) -> list[Answer]:
    """Return the answers to an item that the person may see, in the order in which they were begun."""
    query = select(Answer).where(Answer.item_id == item.id, Answer.kind != "review").order_by(Answer.id)
    if is_blind(session, person, item.id) or not person.may("reviewer"):
        query = query.where(Answer.account_id == person.id, Answer.kind != "adjudicated")
    else:
        query = query.where(or_(Answer.done, Answer.kind == "adjudicated", Answer.account_id == person.id))
    return list(session.scalars(query))


def subject_of(session: Session, item: Item, digest: str | None = None) -> Subject:
    """Return an item as its task sees it, with the attachment of that *digest*, or its present one."""
    chosen = digest or item.attachment_digest
    attachment = attachment_body(session, chosen)
    identity = f"{session.get_bind().engine.url} {item.id} {item.created_at} {chosen}"
    return Subject(item.key, item.kind, item.payload, item.hidden, attachment, identity)


def attachment_body(session: Session, digest: str | None) -> Json:
    """Return the attachment of that digest."""
    body: Json = session.scalar(select(Attachment.body).where(Attachment.digest == digest)) if digest else None
    return body


def body_of(session: Session, answer: Answer, version: int | None = None) -> Json:
    """Return the body of an answer, as it is or as it was at a *version*."""
    at = answer.version if version is None else version
    body: Json = session.scalar(select(Revision.body).where(Revision.answer_id == answer.id, Revision.version == at))
    return body
