"""Runs of systems, and their scores against the gold of a project.

The latest scores of each project are stored; they hold until the gold or the runs change.
"""

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import timedelta

from sqlalchemy import delete, func, select, update
from sqlalchemy.orm import Session, undefer

from touchstone import __version__
from touchstone.annotate import audit
from touchstone.annotate.accounts import Person
from touchstone.annotate.audit import Actor
from touchstone.annotate.database import stored
from touchstone.annotate.naming import name_for
from touchstone.annotate.refusals import Refusal, forbidden, invalid, required
from touchstone.annotate.tables import (
    Account,
    Assignment,
    Entry,
    Item,
    Project,
    Scores,
    SystemRun,
    Uploaded,
    columns,
    dump,
    now,
)
from touchstone.annotate.tasks.base import OutputFile, Upload
from touchstone.annotate.tasks.deciding import GoldExport
from touchstone.io.jsonl import Json

LARGEST_RUN = 16_000_000
"""Bytes of a run; with a megabyte for 10,000 answers, as many as an import has items."""

MOST_RUNS = 50
MOST_WAITING = 20
RETRY = timedelta(hours=1)
"""After how long something that failed is tried again: it may have been for lack of time or memory."""

LONGEST_NAME = 100

WITHOUT_RUNS = ("pyramid",)
"""Tasks whose gold carries the systems: people annotate the summaries of peers."""


def take_upload(session: Session, person: Person, project: Project, name: str, file: Upload, *, replace: bool) -> None:
    """Let the output of a system wait to be scored; refuse what no run can be.

    Parameters
    ----------
    session
        A session to write with.
    person
        Who uploads it; the reason why their last upload was refused is forgotten.
    project
        The project.
    name
        The name of the system.
    file
        The output of the system.
    replace
        Whether the run takes the place of an earlier one of the same name.
    """
    trimmed = " ".join(name.split())
    if project.task in WITHOUT_RUNS:
        raise invalid("the systems of this project are the peers that people annotate", hint="import their summaries")
    if not 1 <= len(trimmed) <= LONGEST_NAME:
        raise invalid(f"the name of a system has 1 to {LONGEST_NAME} characters")
    if len(file.content) > LARGEST_RUN:
        raise Refusal(413, "too_large", f"more than {LARGEST_RUN // 1_000_000} MB", hint="pack the file with gzip")
    if len(waiting_uploads(session, project.id)) >= MOST_WAITING:
        raise Refusal(429, "busy", "too many runs are waiting to be scored", hint="try again", retry_after=30)
    _replaced_run(session, project.id, trimmed, replace=replace)
    by_person = (Uploaded.project_id == project.id, Uploaded.account_id == person.id)
    session.execute(delete(Uploaded).where(*by_person, Uploaded.message.is_not(None)))
    row = Uploaded(project_id=project.id, account_id=person.id, name=trimmed, replace=replace, content=file.content)
    row.file_name = file.name.replace("\\", "/").split("/")[-1]
    stored(session, row)


def waiting_uploads(session: Session, project_id: int) -> list[Uploaded]:
    """Return the uploads that wait to be scored, the first one first."""
    query = select(Uploaded).where(Uploaded.project_id == project_id, Uploaded.message.is_(None))
    return list(session.scalars(query.order_by(Uploaded.id)))


def _replaced_run(session: Session, project_id: int, name: str, *, replace: bool) -> SystemRun | None:
    """Return the run that a new one replaces; refuse a name that is taken, and one run too many."""
    former = session.scalar(select(SystemRun).where(SystemRun.project_id == project_id, SystemRun.name == name))
    if former is not None and not replace:
        hint = "choose another name, or say that the run replaces the earlier one"
        raise Refusal(409, "taken", f"there is already a run of the system {name!r}", hint=hint)
    count = session.scalar(select(func.count()).where(SystemRun.project_id == project_id)) or 0
    if former is None and count >= MOST_RUNS:
        raise invalid(f"{MOST_RUNS} systems are the most", hint="delete one first")
    return former


def store_run(session: Session, upload: Uploaded, content: bytes) -> None:
    """Store an upload that can be scored as a run."""
    former = _replaced_run(session, upload.project_id, upload.name, replace=upload.replace)
    row = former or SystemRun(project_id=upload.project_id, name=upload.name)
    row.file_name, row.content, row.size = upload.file_name, content, len(content)
    row.digest, row.account_id, row.created_at = hashlib.sha256(content).hexdigest(), upload.account_id, now()
    stored(session, row)
    session.execute(delete(Uploaded).where(Uploaded.id == upload.id))
    detail: Json = {"name": row.name, "file": row.file_name, "digest": row.digest}
    actor = upload.account_id, session.get_one(Account, upload.account_id).name
    action = "upload" if former is None else "replace"
    audit.record(session, actor, action, "run", row.id, project_id=row.project_id, detail=detail)


def refuse_upload(session: Session, upload: Uploaded, message: str) -> None:
    """Keep only why an upload cannot be scored, for the person who sent it."""
    query = update(Uploaded).where(Uploaded.id == upload.id)
    session.execute(query.values(message=message, content=None))


def delete_run(session: Session, actor: Actor, project: Project, run_id: int) -> None:
    """Delete a run."""
    row = session.get(SystemRun, run_id)
    row = required(row if row is not None and row.project_id == project.id else None, "run")
    session.delete(row)
    audit.record(session, actor, "delete", "run", row.id, project_id=project.id, detail={"name": row.name})


def runs_of(session: Session, project: Project, *, content: bool = False) -> list[SystemRun]:
    """Return the runs of a project, sorted by name; with their content if asked."""
    query = select(SystemRun).where(SystemRun.project_id == project.id).order_by(SystemRun.name)
    return list(session.scalars(query.options(undefer(SystemRun.content)) if content else query))


def run_objects(session: Session, person: Person, project: Project) -> list[dict[str, Json]]:
    """Return the runs of a project for the page of a person."""
    query = select(SystemRun, Account.name).join(Account).where(SystemRun.project_id == project.id)
    names = ("id", "name", "file_name", "size", "created_at")
    return [
        {**columns(run, *names), "by": name_for(session, person, project, run.account_id, by)}
        for run, by in session.execute(query.order_by(SystemRun.name))
    ]


def state_of(session: Session, project: Project) -> str:
    """Return a text that changes with the gold or the runs, much cheaper than the gold itself.

    Every change writes a line of the log in its own transaction and none is ever removed, so their number tells.
    """
    changes = select(func.count()).where(Entry.project_id == project.id, Entry.object != "run")
    runs: Json = [[run.name, run.digest] for run in runs_of(session, project)]
    return _digest([__version__, str(session.scalar(changes)), dump(runs)])


def digest_of(gold: Iterable[OutputFile], runs: Iterable[SystemRun]) -> str:
    """Return the digest of what the scores of a project depend on."""
    files: Json = [[file.path, hashlib.sha256(file.content).hexdigest()] for file in gold]
    return _digest([__version__, dump(files), dump([[run.name, run.file_name, run.digest] for run in runs])])


def _digest(parts: Sequence[str]) -> str:
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


@dataclass(frozen=True)
class Standing:
    """How far the scores of a project are: the stored ones, and whether they hold, failed, or have to be computed."""

    scores: Scores | None
    state: str
    current: bool
    failure: str | None
    due: bool


def standing(session: Session, project: Project) -> Standing:
    """Return how far the scores of a project are. What failed is tried again after a while."""
    state = state_of(session, project)
    if project.task not in WITHOUT_RUNS and not runs_of(session, project):
        return Standing(None, state, current=False, failure=None, due=False)
    scores = session.get(Scores, project.id)
    current = scores is not None and scores.checked == state
    recent = scores is not None and scores.failed == state and (scores.failed_at or "") > now(-RETRY)
    failure = scores.failure if scores is not None and recent else None
    return Standing(scores, state, current, failure, due=not current and failure is None)


def board(session: Session, person: Person, project: Project) -> dict[str, Json]:
    """Return what the page shows; *person* sees why their last upload was refused."""
    at = standing(session, project)
    by_person = (Uploaded.project_id == project.id, Uploaded.account_id == person.id)
    refused = session.scalar(
        select(Uploaded).where(*by_person, Uploaded.message.is_not(None)).order_by(Uploaded.id.desc())
    )
    waiting: list[Json] = [upload.name for upload in waiting_uploads(session, project.id)]
    return {
        "runs": [*run_objects(session, person, project)],
        "scores": {**at.scores.body, "at": at.scores.at} if at.scores and at.scores.body else None,
        "current": at.current,
        "failed": at.failure,
        "refused": columns(refused, "name", "file_name", "message") if refused else None,
        "uploads": waiting,
        "busy": at.due or bool(waiting),
    }


def keep_scores(session: Session, project: Project, digest: str, state: str, result: dict[str, Json] | None) -> None:
    """Store the scores of a project and replace the earlier ones.

    Parameters
    ----------
    session
        A session to write with.
    project
        The project.
    digest, state
        The gold and the runs that were scored: see `digest_of` and `state_of`.
    result
        The scores with their report; None if the earlier ones still hold.
    """
    row = session.get(Scores, project.id) or Scores(project_id=project.id)
    row.digest, row.checked = digest, state
    if result is not None:
        row.body = {name: part for name, part in result.items() if name != "report"}
        row.at, row.report = now(), str(result["report"]).encode()
    stored(session, row)


def keep_failure(session: Session, project_id: int, state: str, message: str) -> None:
    """Store why the gold and the runs cannot be scored as they are; earlier scores stay."""
    row = session.get(Scores, project_id) or Scores(project_id=project_id, body=None)
    row.failed, row.failed_at, row.failure = state, now(), message
    stored(session, row)


def gold_object(gold: GoldExport) -> dict[str, Json]:
    """Return how many items are in the gold, how they were decided, and why others are not in it."""
    return {"decided": dict(gold.decided), "left_out": dict(gold.left_out)}


def check_not_blind(session: Session, person: Person, project: Project) -> None:
    """Refuse a reviewer who still has items of the project to annotate: scores and report show the answers of others.

    Managers may export the answers anyway.
    """
    query = select(Assignment.id).join(Item, Assignment.item_id == Item.id).where(Item.project_id == project.id)
    mine = query.where(Assignment.account_id == person.id, Assignment.duty == "annotate")
    is_open = session.scalar(mine.where(Assignment.finished_at.is_(None)).limit(1)) is not None
    if is_open and not person.may("manager", project.id):
        raise forbidden("the scores show the answers of others", "finish the items that you have to annotate first")
