"""Files into items: read by Touchstone's own readers, what is odd in them listed, nothing written where one fails."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from touchstone.annotate import audit, qualifying
from touchstone.annotate.access import body_of, subject_of
from touchstone.annotate.accounts import Actor
from touchstone.annotate.database import Store
from touchstone.annotate.refusals import invalid
from touchstone.annotate.tables import PURPOSES, Account, Answer, Attachment, Item, Member, Project, Revision, dump
from touchstone.annotate.tasks import TASKS
from touchstone.annotate.tasks.protocol import Imported, NewItem, Upload
from touchstone.annotate.writable import is_writable
from touchstone.core.errors import Fault, TouchstoneError
from touchstone.io.jsonl import Json

MOST_ITEMS = 200_000
CAME = "imported"
"""The key of the one version of an imported answer."""


@dataclass(frozen=True)
class Added:
    """What an import brought; *notes* say what is odd in the files."""

    items: int
    answers: int
    notes: tuple[str, ...]


def read_files(store: Store, project: Project, files: Sequence[Upload], purpose: str) -> Imported:
    """Return what *files* hold for a project, before anything is written."""
    if purpose not in PURPOSES:
        raise invalid(f"there is no purpose {purpose[:40]!r}", hint=f"purposes are {', '.join(PURPOSES)}")
    if not files:
        raise invalid("no file was given")
    with store.reading() as session:
        beside = _attachables(session, project)
    found = TASKS[project.task].read(files, project.settings, known=purpose != "work", beside=beside)
    if not found.items:
        raise TouchstoneError("no item in these files")
    _check_text(found.items)
    if len(found.items) > MOST_ITEMS:
        raise TouchstoneError(f"{len(found.items):,} items; {MOST_ITEMS:,} are the most at once")
    return found


def _check_text(items: Sequence[NewItem]) -> None:
    """Refuse items with text that no export could carry: a file brings in what a form could not."""
    for item in items:
        answers: Json = [[one.author, one.body, one.comment] for one in item.answers]
        if not is_writable([item.key, item.payload, item.hidden, item.known, item.attachment, answers]):
            raise TouchstoneError("a control character, which no file could carry", value=item.key[:100], kind="id")


def add_items(
    session: Session, actor: Actor, project: Project, found: Imported, purpose: str, *, start: bool = False
) -> Added:
    """Add items with the answers that came with them; an answer to an item that is there already joins it.

    With *start*, annotators begin with the imported answer, also where the task would have them begin afresh.
    """
    there = {(item.kind, item.key): item for item in _items(session, project, purpose)}
    position = session.scalar(select(func.max(Item.position)).where(Item.project_id == project.id)) or 0
    added = answers = 0
    faults: list[Fault] = []
    for new in found.items:
        item = there.get((new.kind, new.key))
        if item is None:
            position += 1
            item = there[new.kind, new.key] = _add(session, project, new, purpose, position, start)
            added += 1
        elif item.payload != new.payload or not new.answers:
            faults.append(Fault("there is an item of this id already", value=new.key, kind="id"))
            continue
        answers += _add_answers(session, item, new)
    if faults:
        raise TouchstoneError.of(faults, "give new items ids of their own")
    session.flush()
    if purpose != "work":
        qualifying.assign_tests(session, project, _annotators(session, project))
    detail: Json = {"items": added, "answers": answers, "purpose": purpose}
    audit.record(session, actor, "import", "project", project.id, project_id=project.id, detail=detail)
    return Added(added, answers, tuple(found.notes))


def _attachables(session: Session, project: Project) -> dict[str, Json]:
    """Return what peers can be read against: of each pyramid its adjudicated version, else the latest finished one."""
    found: dict[str, Json] = {}
    pyramids = select(Item).where(Item.project_id == project.id, Item.purpose == "work", Item.kind == "pyramid")
    for item in session.scalars(pyramids):
        query = select(Answer).where(Answer.item_id == item.id, Answer.done, Answer.kind != "review")
        best = session.scalar(query.order_by(Answer.kind != "adjudicated", Answer.updated_at.desc()).limit(1))
        task, subject = TASKS[project.task], subject_of(session, item)
        found[item.key] = task.attachment(subject, body_of(session, best) if best else task.blank(subject))
    return found


def _items(session: Session, project: Project, purpose: str) -> list[Item]:
    return list(session.scalars(select(Item).where(Item.project_id == project.id, Item.purpose == purpose)))


def _annotators(session: Session, project: Project) -> set[int]:
    query = select(Account.id).join(Member).where(Member.project_id == project.id, Account.role == "annotator")
    return set(session.scalars(query))


def _add(session: Session, project: Project, new: NewItem, purpose: str, position: int, start: bool) -> Item:
    item = Item(
        project_id=project.id,
        key=new.key,
        kind=new.kind,
        position=position,
        purpose=purpose,
        payload=new.payload,
        hidden=new.hidden,
        known=new.known,
        attachment_digest=attach(session, new.attachment),
        starts_imported=(new.start or start) and bool(new.answers),
    )
    session.add(item)
    session.flush()
    return item


def attach(session: Session, body: Json) -> str | None:
    """Keep an attachment, unless it is there already, and return its digest."""
    if body is None:
        return None
    digest = hashlib.sha256(dump(body).encode()).hexdigest()
    if session.scalar(select(Attachment.digest).where(Attachment.digest == digest)) is None:
        session.add(Attachment(digest=digest, body=body))
        session.flush()
    return digest


def _add_answers(session: Session, item: Item, new: NewItem) -> int:
    """Add the answers that came with an item, each with the attachment that it came with."""
    taken = set(session.scalars(select(Answer.author_name).where(Answer.item_id == item.id)))
    digest = attach(session, new.attachment)
    for one in new.answers:
        if one.author in taken:
            what = f"{one.author or 'somebody'} has an answer to this item already"
            raise TouchstoneError(what, value=item.key, kind="id")
        answer = Answer(
            item_id=item.id,
            author_name=one.author,
            kind="imported",
            done=one.done,
            comment=one.comment,
            attachment_digest=digest,
        )
        session.add(answer)
        session.flush()
        session.add(Revision(answer_id=answer.id, version=0, key=CAME, digest="", body=one.body, done=one.done))
    return len(new.answers)
