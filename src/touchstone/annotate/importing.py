"""Importing files as items: nothing is written if any of the files has a fault."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from touchstone.annotate import audit, qualifying
from touchstone.annotate.access import body_of, subject_of
from touchstone.annotate.audit import Actor
from touchstone.annotate.database import Store, stored
from touchstone.annotate.projects import members
from touchstone.annotate.refusals import is_writable
from touchstone.annotate.tables import Answer, Attachment, Item, Project, columns, dump
from touchstone.annotate.tasks import TASKS
from touchstone.annotate.tasks.base import Imported, NewItem, Upload
from touchstone.core.errors import Fault, TouchstoneError
from touchstone.io.jsonl import Json

MOST_ITEMS = 200_000
IMPORTED = "imported"
"""The key of the only version of an imported answer."""


@dataclass(frozen=True)
class Added:
    """The numbers of imported items and answers, and *notes* on what is unusual in the files."""

    items: int
    answers: int
    notes: tuple[str, ...]


def read_files(store: Store, project: Project, files: Sequence[Upload], purpose: str) -> Imported:
    """Return the items in *files*, before anything is written.

    Parameters
    ----------
    store
        The database.
    project
        The project that the items are for.
    files
        The uploaded files.
    purpose
        What the items are for: work, qualification or training.
    """
    with store.reading() as session:
        present = _attachables(session, project)
    imported = TASKS[project.task].read(files, project.settings, purpose != "work", present)
    if not imported.items:
        raise TouchstoneError("no item in these files")
    _check_text(imported.items)
    if len(imported.items) > MOST_ITEMS:
        raise TouchstoneError(f"{len(imported.items):,} items; {MOST_ITEMS:,} are the most at once")
    return imported


def _check_text(items: Sequence[NewItem]) -> None:
    """Refuse items with characters that no export could contain; files can have them, forms cannot."""
    for item in items:
        answers: Json = [[answer.author, answer.body] for answer in item.answers]
        if not is_writable([item.key, item.payload, item.hidden, item.known, item.attachment, answers]):
            raise TouchstoneError(
                "a control character, which an export could not contain", value=item.key[:100], kind="id"
            )


def add_items(
    session: Session, actor: Actor, project: Project, imported: Imported, purpose: str, *, start: bool = False
) -> Added:
    """Store items with the answers in their files; answers to an existing item are added to it.

    Parameters
    ----------
    session
        A session to write with.
    actor
        Who imports, for the log.
    project
        The project.
    imported
        The result of `read_files`.
    purpose
        What the items are for: work, qualification or training.
    start
        Whether annotators begin with the imported answer, even if the task would give them an empty one.
    """
    query = select(Item).where(Item.project_id == project.id, Item.purpose == purpose)
    present = {(item.kind, item.key): item for item in session.scalars(query)}
    position = session.scalar(select(func.max(Item.position)).where(Item.project_id == project.id)) or 0
    added = answers = 0
    faults: list[Fault] = []
    for new in imported.items:
        item = present.get((new.kind, new.key))
        if item is None:
            position += 1
            item = present[new.kind, new.key] = _add(session, project, new, purpose, position, start)
            added += 1
        elif item.payload != new.payload or not new.answers:
            faults.append(Fault("duplicate item id", value=new.key, kind="id"))
            continue
        answers += _add_answers(session, item, new)
    if faults:
        raise TouchstoneError.of(faults, "give new items unique ids")
    session.flush()
    if purpose != "work":
        annotators = {account.id for account, role in members(session, project) if role == "annotator"}
        qualifying.assign_tests(session, project, annotators)
    detail: Json = {"items": added, "answers": answers, "purpose": purpose}
    audit.record(session, actor, "import", "project", project.id, project_id=project.id, detail=detail)
    return Added(added, answers, tuple(imported.notes))


def _attachables(session: Session, project: Project) -> dict[str, Json]:
    """Return the pyramids for new peers: of each set the adjudicated version, or the latest finished one."""
    attachables: dict[str, Json] = {}
    pyramids = select(Item).where(Item.project_id == project.id, Item.purpose == "work", Item.kind == "pyramid")
    for item in session.scalars(pyramids):
        query = select(Answer).where(Answer.item_id == item.id, Answer.done, Answer.kind != "review")
        best = session.scalar(query.order_by(Answer.kind != "adjudicated", Answer.updated_at.desc()).limit(1))
        task, subject = TASKS[project.task], subject_of(session, item)
        attachables[item.key] = task.attachment(subject, body_of(session, best) if best else task.blank(subject))
    return attachables


def _add(session: Session, project: Project, new: NewItem, purpose: str, position: int, start: bool) -> Item:
    item = Item(
        project_id=project.id,
        position=position,
        purpose=purpose,
        **columns(new, "key", "kind", "payload", "hidden", "known"),
        attachment_digest=attach(session, new.attachment),
        starts_imported=(new.start or start) and bool(new.answers),
    )
    return stored(session, item)


def attach(session: Session, body: Json) -> str | None:
    """Store an attachment unless it exists already, and return its digest."""
    if body is None:
        return None
    digest = hashlib.sha256(dump(body).encode()).hexdigest()
    if session.scalar(select(Attachment.digest).where(Attachment.digest == digest)) is None:
        stored(session, Attachment(digest=digest, body=body))
    return digest


def _add_answers(session: Session, item: Item, new: NewItem) -> int:
    """Store the answers to an item, with the attachment from the same file, and return how many."""
    taken = set(session.scalars(select(Answer.author_name).where(Answer.item_id == item.id)))
    digest = attach(session, new.attachment)
    for new_answer in new.answers:
        author = new_answer.author
        if author in taken:
            raise TouchstoneError(f"duplicate answer of {author or 'an unnamed author'}", value=item.key, kind="id")
        answer = Answer(item_id=item.id, author_name=author, kind="imported", done=True, attachment_digest=digest)
        session.add(stored(session, answer).revision(IMPORTED, new_answer.body))
    return len(new.answers)
