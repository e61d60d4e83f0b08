"""Importing files as items: nothing is written if any of the files has a fault."""

import hashlib
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sqlalchemy import func, insert, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from touchstone.annotate import audit, qualifying, staging
from touchstone.annotate.access import body_of, subject_of
from touchstone.annotate.audit import Actor
from touchstone.annotate.database import Store, in_parts, stored, take_turn
from touchstone.annotate.projects import members
from touchstone.annotate.refusals import Refusal, as_refusal, is_writable
from touchstone.annotate.tables import Answer, Attachment, Item, Project, Revision, columns, dump, pack
from touchstone.annotate.tasks import TASKS
from touchstone.annotate.tasks.base import Imported, NewItem, Subject, Task, Upload
from touchstone.annotate.tasks.reading import data_files
from touchstone.base.codes import Code
from touchstone.base.errors import Fault, TouchstoneError
from touchstone.base.spelling import as_flags
from touchstone.core.scoring import Progress
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
    task = TASKS[project.task]
    try:
        with as_flags():  # the spelling that `_without_options` knows
            data, notes = data_files(task, files)
            imported = task.read(data, project.settings, purpose != "work", present) if data else Imported([])
    except TouchstoneError as error:
        error.hint = _without_options(error.hint)
        raise
    if not data:
        raise TouchstoneError("no data of this task in these files", code=Code.EMPTY, hint=f"the task is {task.name}")
    if not imported.items:
        raise TouchstoneError("no item in these files", code=Code.EMPTY)
    imported = Imported(imported.items, [*notes, *imported.notes])
    _check_text(imported.items)
    if len(imported.items) > MOST_ITEMS:
        raise TouchstoneError(
            f"{len(imported.items):,} items; {MOST_ITEMS:,} are the most at once", code=Code.TOO_LARGE
        )
    return imported


def _without_options(hint: str | None) -> str | None:
    """Return a way out without the options of the commands that score, which an import does not have.

    >>> _without_options("the columns are id, premise; choose one with --column hypothesis=NAME")
    'the columns are id, premise'
    >>> _without_options("give the file's encoding, for example --encoding utf-16, or convert it to UTF-8")
    'convert it to UTF-8'
    """
    if hint is None or "--" not in hint:
        return hint
    parts = [part for part in re.split("; |, or ", hint) if "--" not in part]
    return "; ".join(parts) or "correct the file and import it again"


def _check_text(items: Sequence[NewItem]) -> None:
    """Refuse items with characters that no export could contain; files can have them, forms cannot."""
    for item in items:
        answers: Json = [[answer.author, answer.body] for answer in item.answers]
        if not is_writable([item.key, item.payload, item.hidden, item.correct, item.attachment, answers]):
            what = "a control character, which an export could not contain"
            raise TouchstoneError(what, value=item.key[:100], kind="id", code=Code.BAD_CELL)


def import_files(
    store: Store,
    actor: Actor,
    project: Project,
    files: Sequence[Upload],
    purpose: str,
    *,
    start: bool = False,
    make: Callable[[Session], Project] | None = None,
    import_id: int | None = None,
    progress: Progress | None = None,
) -> Added:
    """Import files, all of them or nothing; answers to an existing item are added to it.

    Parameters
    ----------
    store
        The database.
    actor
        Who imports, for the log.
    project
        The project, or a sketch of the one that *make* creates.
    files
        The files.
    purpose
        What the items are for: work, qualification or training.
    start
        Whether annotators begin with the imported answer, even if the task would give them an empty one.
    make
        Creates the project, in the same transaction that makes the items visible; None for an existing one.
    import_id
        The import, if it has begun already.
    progress
        Called with the numbers of items that are written, and of all.
    """
    staging.clean_up(store)
    plan = _plan(store, project, read_files(store, project, files, purpose), purpose, start)
    if import_id is None:
        import_id = staging.begin(store, None if make else project.id, actor[0], purpose)
    try:
        staging.stage(store, import_id, plan.rows, progress)
        with store.writing() as session:
            target = make(session) if make else session.get_one(Project, project.id)
            added = _write(session, actor, target, plan, purpose, import_id)
    except (IntegrityError, TouchstoneError) as error:
        refusal = as_refusal(error) if isinstance(error, TouchstoneError) else _raced()
        staging.fail(store, import_id, refusal)
        raise refusal from error
    except BaseException:
        staging.fail(store, import_id, staging.interrupted())
        raise
    staging.clear(store, [import_id])
    return added


def _raced() -> Refusal:
    return Refusal(409, "taken", "somebody else imported the same items at the same time", hint="reload the page")


@dataclass(frozen=True)
class _Plan:
    """What an import writes: new items as rows, attachments by digest, the items with answers, and notes."""

    rows: list[dict[str, Json]]
    attachments: dict[str, bytes]
    answered: list[tuple[NewItem, list[tuple[str, bytes]]]]
    notes: tuple[str, ...]


def _plan(store: Store, project: Project, imported: Imported, purpose: str, start: bool) -> _Plan:
    """Return what to write, with all that takes time already done; refuse items that exist already."""
    with store.reading() as session:
        present = _present(session, project, purpose, imported.items)
    rows, attachments = list[dict[str, Json]](), dict[str, bytes]()
    answered, faults = list[tuple[NewItem, list[tuple[str, bytes]]]](), list[Fault]()
    for new in imported.items:
        name, payload = (new.kind, new.key), dump(new.payload)
        if new.attachment is not None:
            attachments.setdefault(_digest(new.attachment), pack(new.attachment))
        if name not in present:
            present[name] = payload
            rows.append(_row(TASKS[project.task], new, len(rows) + 1, payload, start))
        elif not new.answers or present[name] != payload:
            faults.append(Fault("duplicate item id", value=new.key, kind="id", code=Code.DUPLICATE_ID))
        if new.answers:
            answered.append((new, [(answer.author, pack(answer.body)) for answer in new.answers]))
    if faults:
        raise TouchstoneError.of(faults, "give new items unique ids")
    return _Plan(rows, attachments, answered, tuple(imported.notes))


def _present(session: Session, project: Project, purpose: str, items: Sequence[NewItem]) -> dict[tuple[str, str], str]:
    """Return the payloads of the items that exist already, by kind and key; only those that get answers matter."""
    here = (Item.project_id == project.id, Item.purpose == purpose)
    names = {(kind, key) for kind, key in session.execute(select(Item.kind, Item.key).where(*here))}
    present = dict.fromkeys(names, "")
    for keys in in_parts(sorted({new.key for new in items if new.answers and (new.kind, new.key) in names})):
        for item in session.scalars(select(Item).where(*here, Item.key.in_(keys))):
            present[item.kind, item.key] = dump(item.payload)
    return present


def _row(task: Task, new: NewItem, number: int, payload: str, start: bool) -> dict[str, Json]:
    """Return an item as a row of `StagedItem`."""
    json_fields = {"hidden": new.hidden, "known": new.correct}
    return {
        "number": number,
        **columns(new, "key", "kind"),
        "payload": None if new.payload is None else payload,
        **{name: None if value is None else dump(value) for name, value in json_fields.items()},
        "attachment_digest": None if new.attachment is None else _digest(new.attachment),
        "waits_for": task.waits_for(Subject(new.key, new.kind, new.payload, new.hidden, new.attachment)),
        "starts_imported": (new.start or start) and bool(new.answers),
    }


def _write(session: Session, actor: Actor, project: Project, plan: _Plan, purpose: str, import_id: int) -> Added:
    """Make the items of an import visible, with their answers and the line of the log."""
    take_turn(session, f"import {project.id}")
    added = Added(len(plan.rows), sum(len(answers) for _, answers in plan.answered), plan.notes)
    staging.finish(session, import_id, project.id, {**columns(added, "items", "answers"), "notes": list(plan.notes)})
    for digests in in_parts(list(plan.attachments)):
        stored_digests = set(session.scalars(select(Attachment.digest).where(Attachment.digest.in_(digests))))
        rows = [
            {"digest": digest, "body": plan.attachments[digest]} for digest in digests if digest not in stored_digests
        ]
        if rows:
            session.execute(insert(Attachment), rows)
    last = session.scalar(select(func.max(Item.position)).where(Item.project_id == project.id)) or 0
    staging.reveal(session, import_id, project, purpose, last)
    _add_answers(session, project, purpose, plan)
    if purpose != "work":
        annotators = {account.id for account, role in members(session, project) if role == "annotator"}
        qualifying.assign_tests(session, project, annotators)
    detail: Json = {"items": added.items, "answers": added.answers, "purpose": purpose}
    audit.record(session, actor, "import", "project", project.id, project_id=project.id, detail=detail)
    return added


def _add_answers(session: Session, project: Project, purpose: str, plan: _Plan) -> None:
    """Store the answers to items, each with the attachment from the same file."""
    here = (Item.project_id == project.id, Item.purpose == purpose)
    rows, bodies = list[dict[str, Json]](), list[bytes]()
    for group in in_parts(plan.answered):
        items = select(Item).where(*here, Item.key.in_([new.key for new, _ in group]))
        ids = {(item.kind, item.key): item.id for item in session.scalars(items)}
        answered = select(Answer.item_id, Answer.author_name).where(Answer.item_id.in_(ids.values()))
        taken = {(item, author) for item, author in session.execute(answered)}
        taken |= {(row["item_id"], row["author_name"]) for row in rows}  # type: ignore[misc]
        for new, answers in group:
            digest = None if new.attachment is None else _digest(new.attachment)
            for author, body in answers:
                item = ids[new.kind, new.key]
                if (item, author) in taken:
                    what = f"duplicate answer of {author or 'an unnamed author'}"
                    raise TouchstoneError(what, value=new.key, kind="id", code=Code.DUPLICATE_ID)
                taken.add((item, author))
                row: dict[str, Json] = {"item_id": item, "author_name": author, "attachment_digest": digest}
                rows.append({**row, "kind": "imported", "done": True})
                bodies.append(body)
    if rows:
        made = session.scalars(insert(Answer).returning(Answer.id, sort_by_parameter_order=True), rows).all()
        same: dict[str, Json] = {"version": 0, "key": IMPORTED, "digest": "", "done": True}
        pairs = zip(made, bodies, strict=True)
        session.execute(insert(Revision), [{"answer_id": answer_id, "body": body, **same} for answer_id, body in pairs])


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


def attach(session: Session, body: Json) -> str | None:
    """Store an attachment unless it exists already, and return its digest."""
    if body is None:
        return None
    digest = _digest(body)
    if session.scalar(select(Attachment.digest).where(Attachment.digest == digest)) is None:
        stored(session, Attachment(digest=digest, body=body))
    return digest


def _digest(body: Json) -> str:
    return hashlib.sha256(dump(body).encode()).hexdigest()
