"""Saving answers: nothing that was acknowledged is lost or overwritten.

A save names the version that it started from and has a unique key. A save from an old version is refused, and the
refusal contains both versions. A repeated key is acknowledged again and changes nothing. Every version is kept.
"""

import hashlib
from collections.abc import Sequence
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field
from sqlalchemy import ColumnElement, Select, false, select, update
from sqlalchemy.orm import Session, aliased

from touchstone.annotate import adjudicating, audit, qualifying
from touchstone.annotate.access import (
    Held,
    answer_for,
    assignment_of,
    body_of,
    contents,
    item_for,
    review_of,
    subject_of,
)
from touchstone.annotate.accounts import Person
from touchstone.annotate.database import Store, stored
from touchstone.annotate.naming import give_pseudonym, name_for
from touchstone.annotate.refusals import Refusal, forbidden, invalid
from touchstone.annotate.showing import FINAL, edit_obstacle, is_adjudicated
from touchstone.annotate.tables import Account, Answer, Assignment, Item, Project, Revision, columns, dump, now
from touchstone.annotate.tasks import TASKS
from touchstone.annotate.tasks.base import Upload
from touchstone.io.jsonl import Json

OPENED = "opened"
"""The key of version 0, before anything was entered."""

Version = Annotated[int, Field(ge=0)]
Key = Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{8,64}$")]
Seconds = Annotated[float, Field(ge=0, le=3600, allow_inf_nan=False)]


class Save(BaseModel):
    """A new version of an answer, as a browser sends it: unknown keys are refused, and types are not converted.

    Parameters
    ----------
    version, key
        The version that it started from, and its unique key (see the module).
    body, unsure, comment, done
        The content.
    seconds
        The time spent since the last save.
    change
        A description for the history.
    restores
        The version that an undo or a redo restores; its violations are tolerated.
    """

    model_config = ConfigDict(extra="forbid", strict=True)

    version: Version
    key: Key
    body: Any  # any JSON; the task checks it
    unsure: bool = False
    comment: Annotated[str, Field(max_length=10_000)] = ""
    done: bool = False
    seconds: Seconds = 0.0
    change: Annotated[str, Field(max_length=2_000)] = ""
    restores: Version | None = None

    @property
    def digest(self) -> str:
        """A hash of the content, which tells saves with the same key apart."""
        content = dump([self.body, self.unsure, self.comment, self.done])
        return hashlib.sha256(content.encode()).hexdigest()


def open_answer(session: Session, person: Person, item_id: int) -> tuple[Answer, bool]:
    """Return the person's answer to an assigned item, and whether it is new."""
    item, project = item_for(session, person, item_id)
    query = select(Assignment).where(Assignment.item_id == item.id, Assignment.account_id == person.id)
    mine = session.scalar(query.where(Assignment.duty == "annotate").with_for_update())
    if mine is None:
        raise forbidden("this item was not assigned to you")
    present = session.scalar(
        select(Answer).where(Answer.item_id == item.id, Answer.account_id == person.id, Answer.kind == "annotation")
    )
    if present is not None:
        return present, False
    if project.archived_at:
        raise forbidden("the project is archived")
    if item.purpose == "work" and is_adjudicated(session, item.id):
        raise Refusal(409, "finished", "this item has been adjudicated")
    if item.waits_for:
        raise Refusal(409, "waiting", f"this item waits for {item.waits_for}", hint="come back when it is published")
    reason = qualifying.qualification_obstacle(session, person, project, item)
    if reason:
        raise Refusal(403, "not_qualified", reason)
    answer = new_answer(person, item, "annotation", attachment_digest=item.attachment_digest)
    begin(session, person, project, answer, _first_body(session, project, item))
    return answer, True


def new_answer(person: Person, item: Item, kind: str, **more: object) -> Answer:
    """Return an answer of the person to an item, with further columns; it is not yet stored."""
    return Answer(item_id=item.id, account_id=person.id, kind=kind, **{"author_name": person.name, **more})


def _first_body(session: Session, project: Project, item: Item) -> Json:
    if item.starts_imported:
        query = select(Answer).where(Answer.item_id == item.id, Answer.kind == "imported").order_by(Answer.id)
        imported = session.scalar(query.limit(1))
        if imported is not None:
            return body_of(session, imported)
    return TASKS[project.task].blank(subject_of(session, item))


def begin(session: Session, person: Person, project: Project, answer: Answer, body: Json) -> None:
    """Store a new answer with its version 0."""
    stored(session, answer)
    give_pseudonym(session, project, person.id)
    session.add(answer.revision(OPENED, body, person.id))
    detail: Json = {"kind": answer.kind, "item_id": answer.item_id}
    audit.record(session, person.actor, "open", "answer", answer.id, project_id=project.id, detail=detail)


def save_answer(
    store: Store, person: Person, answer_id: int, save: Save, tolerated: Sequence[Json] = ()
) -> dict[str, Json]:
    """Save a version of an answer and return the acknowledgement, when the version is on disk.

    The rules of the task, which take time, are checked before the transaction that writes; the version is checked
    again within it.

    Parameters
    ----------
    store
        The database.
    person
        Who saves.
    answer_id
        The answer.
    save
        The new version.
    tolerated
        Bodies whose violations are tolerated, such as that of an imported file.
    """
    with store.reading() as session:
        held = answer_for(session, person, answer_id)
        saved = _saved_before(session, held, save)
        if saved is None:
            _check(session, person, held, save, tolerated)
    if saved is None:
        with store.writing() as session:
            saved = _write(session, person, held, save)
    return {"id": answer_id, "version": saved.version, "saved_at": saved.at, "done": saved.done}


def _saved_before(session: Session, held: Held, save: Save) -> Revision | None:
    """Return the version that was saved under this key, if any."""
    query = select(Revision).where(Revision.answer_id == held.answer.id, Revision.key == save.key)
    saved = session.scalar(query)
    if saved is not None and saved.digest != save.digest:
        raise invalid("this key was used for another save", hint="give each save a unique key")
    return saved


def _check(session: Session, person: Person, held: Held, save: Save, tolerated: Sequence[Json]) -> None:
    _check_editable(session, person, held)
    if held.answer.version != save.version:
        raise conflict(session, person, held, save)
    task, subject, before = contents(session, held)
    if held.answer.kind == "review":
        reviewed = body_of(session, session.get_one(Answer, held.answer.about_id))
        by_author = held.answer.account_id != person.id
        problems = task.review_problems(subject, reviewed, save.body, before, by_author)
    else:
        restored = [] if save.restores is None else [body_of(session, held.answer, save.restores)]
        restored += adjudicating.tolerated(session, held, save.body, [before, *restored])
        problems = task.problems(subject, save.body, save.done, [before, *restored, *tolerated])
    if problems:
        raise invalid(problems[0].message, problems)


def _check_editable(session: Session, person: Person, held: Held) -> None:
    reason = edit_obstacle(session, person, held)
    if reason is not None:
        raise Refusal(409, "finished", reason) if held.answer.account_id == person.id else forbidden(reason)


def _write(session: Session, person: Person, held: Held, save: Save) -> Revision:
    """Write the next version if the answer is still at the version that was checked; refuse otherwise."""
    at, answer = now(), held.answer
    updated = session.execute(
        update(Answer)
        .where(Answer.id == answer.id, Answer.version == save.version, ~_settled(held))
        .values(
            version=save.version + 1,
            **columns(save, "unsure", "comment"),
            done=save.done or (answer.kind == "review" and answer.done),
            seconds=Answer.seconds + save.seconds,
            updated_at=at,
        )
        .execution_options(synchronize_session=False)
    )
    if updated.rowcount != 1:  # type: ignore[attr-defined]
        return _overtaken(session, person, answer.id, save)
    revision = Revision(
        **columns(save, "key", "digest", "body", "unsure", "comment", "done", "seconds", "change"),
        answer_id=answer.id,
        version=save.version + 1,
        account_id=person.id,
        at=at,
    )
    session.add(revision)
    _finish(session, person, held, save)
    return revision


def _settled(held: Held) -> ColumnElement[bool]:
    """Return a condition, checked while writing, that the item has been adjudicated in the meantime."""
    if held.answer.kind != "annotation" or held.item.purpose != "work":
        return false()
    last = aliased(Answer)
    return select(last.id).where(last.item_id == held.item.id, last.kind == "adjudicated", last.done).exists()


def _overtaken(session: Session, person: Person, answer_id: int, save: Save) -> Revision:
    """Return the same save if it was sent twice at once; otherwise refuse it because of what happened meanwhile."""
    held = answer_for(session, person, answer_id)
    saved = _saved_before(session, held, save)
    if saved is None:
        _check_editable(session, person, held)
        raise conflict(session, person, held, save)
    return saved


def _finish(session: Session, person: Person, held: Held, save: Save) -> None:
    """Record what follows from a save: the log, the finished assignment, the result of a test."""
    detail: Json = {"version": save.version + 1, "done": save.done, "change": save.change[:200]}
    audit.record(session, person.actor, "save", "answer", held.answer.id, project_id=held.project.id, detail=detail)
    duty = _duty(session, person, held) if save.done != held.answer.done else None
    if duty is not None:
        if not save.done:
            _check_unseen(session, duty)
        duty.finished_at = now() if save.done else None
    if held.item.purpose == "qualification" and held.answer.kind == "annotation" and save.done:
        session.flush()
        qualifying.decide(session, person.actor, held.project, person.id)


def _check_unseen(session: Session, duty: Assignment) -> None:
    """Refuse to reopen an answer whose author has seen those of others since the save was checked."""
    session.refresh(duty, with_for_update=True)
    if duty.saw_others_at:
        raise Refusal(409, "finished", FINAL)


def _duty(session: Session, person: Person, held: Held) -> Assignment | None:
    if held.answer.kind == "annotation":
        return assignment_of(session, person, held.item.id)
    if held.answer.kind == "review" and held.answer.account_id == person.id:
        return review_of(session, person, held.answer.about_id)
    return None


def conflict(session: Session, person: Person, held: Held, save: Save) -> Refusal:
    """Return the refusal of a save from an old version: the version it started from, the present one, and the save."""
    return Refusal(
        409,
        "conflict",
        "this was saved elsewhere since you opened it",
        hint="compare both versions, and save what you choose",
        beside={
            "base": revision_for(session, person, held, save.version),
            "current": revision_for(session, person, held, held.answer.version),
            "yours": columns(save, "body", "unsure", "comment", "done"),
        },
    )


def revision_for(session: Session, person: Person, held: Held, version: int) -> Json:
    """Return one version of an answer as the person may see it, or None if there is no such version."""
    query = _history(held.answer.id).add_columns(Revision.body).where(Revision.version == version)
    row = session.execute(query).first()
    return None if row is None else {**_named_row(session, person, held, row), "body": row.body}


def revision_objects(session: Session, person: Person, held: Held, *, before: int | None, limit: int) -> list[Json]:
    """Return the history of an answer without the bodies, the latest version first.

    Parameters
    ----------
    session
        A session to read with.
    person
        Who asks; others may have pseudonyms.
    held
        The answer.
    before
        The version that the wanted versions precede; None for the latest.
    limit
        The largest number of versions.
    """
    query = _history(held.answer.id).order_by(Revision.version.desc()).limit(limit)
    rows = session.execute(query if before is None else query.where(Revision.version < before)).all()
    return [_named_row(session, person, held, row) for row in rows]


def _history(answer_id: int) -> Select[int, str, bool, bool, str, str, str, int | None]:
    """Return a query for the versions of an answer without their bodies."""
    state = (Revision.version, Revision.change, Revision.done, Revision.unsure, Revision.comment)
    query = select(*state, Revision.at.label("saved_at"), Account.name.label("by"), Revision.account_id)
    return query.outerjoin(Account, Revision.account_id == Account.id).where(Revision.answer_id == answer_id)


def _named_row(session: Session, person: Person, held: Held, row: Any) -> dict[str, Json]:  # noqa: ANN401 (a row of `_history`)
    history_row = _history_row(row)
    if history_row["by"] is None:
        return history_row
    return {**history_row, "by": name_for(session, person, held.project, row.account_id, row.by)}


def _history_row(row: object) -> dict[str, Json]:
    return columns(row, "version", "change", "done", "unsure", "comment", "saved_at", "by")


def read_into(store: Store, person: Person, answer_id: int, save: Save, file: Upload) -> dict[str, Json]:
    """Save the content of *file* as the next version of an answer; *save* has everything but the body.

    Violations in the file are listed in the result and do not prevent the import.
    """
    with store.reading() as session:
        held = answer_for(session, person, answer_id)
        task, subject, before = contents(session, held)
    body, notes = task.read_body(subject, before, file)
    acknowledgement = save_answer(store, person, answer_id, save.model_copy(update={"body": body}), [body])
    return {**acknowledgement, "body": body, "notes": list(notes)}
