"""Saving: an answer is opened once and saved again and again; nothing that was acknowledged is lost or overwritten.

A save names the version that it started from and a key of its own. A stale version is refused with both versions; the
same key again is acknowledged again and changes nothing. Every version stays.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace

from sqlalchemy import ColumnElement, false, select, update
from sqlalchemy.orm import Session, aliased

from touchstone.annotate import audit, qualifying
from touchstone.annotate.access import Held, answer_for, assignment_of, body_of, item_for, subject_of
from touchstone.annotate.accounts import Person
from touchstone.annotate.database import Store
from touchstone.annotate.refusals import Refusal, forbidden, invalid, not_found
from touchstone.annotate.showing import is_adjudicated, why_not_editable
from touchstone.annotate.tables import Account, Answer, Assignment, Item, Project, Revision, dump, now
from touchstone.annotate.tasks import TASKS
from touchstone.annotate.tasks.protocol import Upload
from touchstone.io.jsonl import Json

OPENED = "opened"
"""The key of version 0: the answer before anybody did anything."""


@dataclass(frozen=True)
class Save:
    """What somebody wants to save: see the module."""

    version: int
    key: str
    body: Json
    unsure: bool = False
    comment: str = ""
    done: bool = False
    seconds: float = 0.0
    change: str = ""
    restores: int | None = None
    """The version that an undo or a redo goes back to: what it broke may be broken again."""

    @property
    def digest(self) -> str:
        """What tells one save from another under the same key."""
        whole = dump([self.body, self.unsure, self.comment, self.done])
        return hashlib.sha256(whole.encode()).hexdigest()


def open_answer(session: Session, person: Person, item_id: int) -> tuple[Answer, bool]:
    """Return the person's answer to an item that was assigned to them, and whether it was only now begun."""
    item, project = item_for(session, person, item_id)
    query = select(Assignment).where(Assignment.item_id == item.id, Assignment.account_id == person.id)
    mine = session.scalar(query.where(Assignment.duty == "annotate").with_for_update())
    if mine is None:
        raise forbidden("this item was not assigned to you")
    found = session.scalar(
        select(Answer).where(Answer.item_id == item.id, Answer.account_id == person.id, Answer.kind == "annotation")
    )
    if found is not None:
        return found, False
    _check_may_begin(session, person, project, item)
    made = Answer(
        item_id=item.id,
        account_id=person.id,
        author_name=person.name,
        kind="annotation",
        attachment_digest=item.attachment_digest,
    )
    begin(session, person, project, made, _first_body(session, project, item))
    return made, True


def _check_may_begin(session: Session, person: Person, project: Project, item: Item) -> None:
    if project.archived_at:
        raise forbidden("the project is archived")
    if item.purpose == "work" and is_adjudicated(session, item.id):
        raise Refusal(409, "finished", "this item has been adjudicated")
    why = qualifying.why_not(session, person, project, item)
    if why:
        raise Refusal(403, "not_qualified", why)


def _first_body(session: Session, project: Project, item: Item) -> Json:
    if item.starts_imported:
        query = select(Answer).where(Answer.item_id == item.id, Answer.kind == "imported").order_by(Answer.id)
        imported = session.scalar(query.limit(1))
        if imported is not None:
            return body_of(session, imported)
    return TASKS[project.task].blank(subject_of(session, item))


def begin(session: Session, person: Person, project: Project, answer: Answer, body: Json) -> None:
    """Add an answer with its version 0."""
    session.add(answer)
    session.flush()
    session.add(Revision(answer_id=answer.id, version=0, account_id=person.id, key=OPENED, digest="", body=body))
    detail: Json = {"kind": answer.kind, "item_id": answer.item_id}
    audit.record(session, person.actor, "open", "answer", answer.id, project_id=project.id, detail=detail)


def save_answer(
    store: Store, person: Person, answer_id: int, save: Save, brought: Sequence[Json] = ()
) -> dict[str, Json]:
    """Save a version of an answer and return the acknowledgement; it is on disk by then.

    What takes time, the task's rules, is looked at before the writer's turn; the version is looked at again within it.
    What a body that was *brought* by a file breaks is let through, as the file's.
    """
    with store.reading() as session:
        held = answer_for(session, person, answer_id)
        saved = _saved_before(session, held, save)
        if saved is None:
            _check(session, person, held, save, brought)
    if saved is None:
        with store.writing() as session:
            saved = _write(session, person, held, save)
    return {"id": answer_id, "version": saved.version, "saved_at": saved.at, "done": saved.done}


def _saved_before(session: Session, held: Held, save: Save) -> Revision | None:
    """Return the version that was saved under this key, if one was."""
    query = select(Revision).where(Revision.answer_id == held.answer.id, Revision.key == save.key)
    found = session.scalar(query)
    if found is not None and found.digest != save.digest:
        raise invalid("this key was used for another save", hint="give each save a key of its own")
    return found


def _check(session: Session, person: Person, held: Held, save: Save, brought: Sequence[Json]) -> None:
    _check_editable(session, person, held)
    if held.answer.version != save.version:
        raise conflict(session, held.answer, save)
    before = body_of(session, held.answer, save.version)
    task = TASKS[held.project.task]
    subject = subject_of(session, held.item, held.answer.attachment_digest)
    if held.answer.kind == "review":
        reviewed = body_of(session, session.get_one(Answer, held.answer.about_id))
        by_author = held.answer.account_id != person.id
        problems = task.review_problems(subject, reviewed, save.body, before, by_author=by_author)
    else:
        allowed = [] if save.restores is None else [body_of(session, held.answer, save.restores)]
        problems = task.problems(subject, save.body, before, done=save.done, allowed=[*allowed, *brought])
    if problems:
        raise invalid(problems[0].message, problems)


def _check_editable(session: Session, person: Person, held: Held) -> None:
    why = why_not_editable(session, person, held)
    if why is None:
        return
    finished = held.answer.account_id == person.id
    raise Refusal(409, "finished", why) if finished else forbidden(why)


def _write(session: Session, person: Person, held: Held, save: Save) -> Revision:
    """Write the next version, if the answer is still at the version that was looked at; refuse otherwise."""
    at, answer = now(), held.answer
    raised = session.execute(
        update(Answer)
        .where(Answer.id == answer.id, Answer.version == save.version, ~_settled(held))
        .values(
            version=save.version + 1,
            unsure=save.unsure,
            comment=save.comment,
            done=save.done or (answer.kind == "review" and answer.done),
            seconds=Answer.seconds + save.seconds,
            updated_at=at,
        )
        .execution_options(synchronize_session=False)
    )
    if raised.rowcount != 1:  # type: ignore[attr-defined]
        return _overtaken(session, person, answer.id, save)
    revision = _revision(person, answer.id, save, at)
    session.add(revision)
    _finish(session, person, held, save)
    return revision


def _settled(held: Held) -> ColumnElement[bool]:
    """Say, within the writing itself, whether the last word on the item was said meanwhile."""
    if held.answer.kind != "annotation" or held.item.purpose != "work":
        return false()
    last = aliased(Answer)
    return select(last.id).where(last.item_id == held.item.id, last.kind == "adjudicated", last.done).exists()


def _overtaken(session: Session, person: Person, answer_id: int, save: Save) -> Revision:
    """Return the same save, where it was sent twice at once; otherwise refuse it for what happened meanwhile."""
    held = answer_for(session, person, answer_id)
    saved = _saved_before(session, held, save)
    if saved is None:
        _check_editable(session, person, held)
        raise conflict(session, held.answer, save)
    return saved


def _revision(person: Person, answer_id: int, save: Save, at: str) -> Revision:
    return Revision(
        answer_id=answer_id,
        version=save.version + 1,
        account_id=person.id,
        key=save.key,
        digest=save.digest,
        at=at,
        body=save.body,
        unsure=save.unsure,
        comment=save.comment,
        done=save.done,
        seconds=save.seconds,
        change=save.change,
    )


def _finish(session: Session, person: Person, held: Held, save: Save) -> None:
    """Write down what a save brings with it: the log, the duty that is done, the test that is decided."""
    detail: Json = {"version": save.version + 1, "done": save.done, "change": save.change[:200]}
    audit.record(session, person.actor, "save", "answer", held.answer.id, project_id=held.project.id, detail=detail)
    duty = _duty(session, person, held) if save.done != held.answer.done else None
    if duty is not None:
        duty.finished_at = now() if save.done else None
    if held.item.purpose == "qualification" and held.answer.kind == "annotation" and save.done:
        session.flush()
        qualifying.decide(session, person.actor, held.project, person.id)


def _duty(session: Session, person: Person, held: Held) -> Assignment | None:
    if held.answer.kind == "annotation":
        return assignment_of(session, person, held.item.id)
    if held.answer.kind == "review" and held.answer.account_id == person.id:
        query = select(Assignment).where(
            Assignment.about_id == held.answer.about_id, Assignment.account_id == person.id
        )
        return session.scalar(query.where(Assignment.duty == "review"))
    return None


def conflict(session: Session, answer: Answer, save: Save) -> Refusal:
    """Return the refusal of a stale save: what it started from, what is there now, and what was to be saved."""
    yours: Json = {"body": save.body, "unsure": save.unsure, "comment": save.comment, "done": save.done}
    return Refusal(
        409,
        "conflict",
        "this was saved elsewhere since you opened it",
        hint="compare both versions, and save what you choose",
        beside={
            "base": revision_object(session, answer.id, save.version),
            "current": revision_object(session, answer.id, answer.version),
            "yours": yours,
        },
    )


def revision_object(session: Session, answer_id: int, version: int) -> Json:
    """Return one version of an answer, None where there is no such version."""
    query = (
        select(Revision, Account.name)
        .outerjoin(Account, Revision.account_id == Account.id)
        .where(Revision.answer_id == answer_id, Revision.version == version)
    )
    found = session.execute(query).first()
    return None if found is None else {**_history_row(found[0], found[1]), "body": found[0].body}


def revision_objects(session: Session, answer_id: int, *, before: int | None, limit: int) -> list[Json]:
    """Return the history of an answer without its bodies, the latest version first."""
    columns = (Revision.version, Revision.at, Revision.change, Revision.done, Revision.unsure, Revision.comment)
    query = (
        select(*columns, Account.name)
        .outerjoin(Account, Revision.account_id == Account.id)
        .where(Revision.answer_id == answer_id)
        .order_by(Revision.version.desc())
        .limit(limit)
    )
    rows = session.execute(query if before is None else query.where(Revision.version < before)).all()
    return [_history_row(row, row.name) for row in rows]


def _history_row(row: "Revision | object", by: str | None) -> dict[str, Json]:
    names = ("version", "change", "done", "unsure", "comment")
    return {name: getattr(row, name) for name in names} | {"saved_at": getattr(row, "at"), "by": by}  # noqa: B009


def one_revision(session: Session, answer_id: int, version: int) -> Json:
    """Return one version of an answer, or say that there is none."""
    found = revision_object(session, answer_id, version)
    if found is None:
        raise not_found("version")
    return found


def read_into(store: Store, person: Person, answer_id: int, save: Save, file: Upload) -> dict[str, Json]:
    """Save what a file holds as the next version of an answer; *save* says all but the body.

    What is wrong with the file is listed and does not keep it out.
    """
    with store.reading() as session:
        held = answer_for(session, person, answer_id)
        subject = subject_of(session, held.item, held.answer.attachment_digest)
        before = body_of(session, held.answer)
    body, notes = TASKS[held.project.task].read_body(subject, before, file)
    acknowledged = save_answer(store, person, answer_id, replace(save, body=body), [body])
    return {**acknowledged, "body": body, "notes": list(notes)}
