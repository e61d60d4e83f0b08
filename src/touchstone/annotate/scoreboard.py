"""Runs of systems, and their scores against the gold of a project.

The latest scores of each project are stored; they hold until the gold or the runs change.
"""

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sqlalchemy import func, select, update
from sqlalchemy.orm import Session, undefer

from touchstone import __version__
from touchstone.annotate import audit
from touchstone.annotate.accounts import Person
from touchstone.annotate.audit import Actor
from touchstone.annotate.database import stored
from touchstone.annotate.refusals import Refusal, forbidden, invalid, required
from touchstone.annotate.tables import Account, Assignment, Entry, Item, Project, Scores, SystemRun, columns, dump, now
from touchstone.annotate.tasks.base import OutputFile, Upload
from touchstone.annotate.tasks.deciding import GoldExport
from touchstone.io.jsonl import Json

LARGEST_RUN = 16_000_000
"""Bytes of a run; with a megabyte for 10,000 answers, as many as an import has items."""

MOST_RUNS = 50
LONGEST_NAME = 100

WITHOUT_RUNS = ("pyramid",)
"""Tasks whose gold carries the systems: people annotate the summaries of peers."""


@dataclass(frozen=True)
class NewRun:
    """The uploaded run of a system, which may *replace* the one of the same name."""

    name: str
    file: Upload
    replace: bool


def new_run(session: Session, project: Project, name: str, file: Upload, *, replace: bool) -> NewRun:
    """Return a run to be scored and stored; refuse one that cannot be.

    Parameters
    ----------
    session
        A session to read with.
    project
        The project.
    name
        The name of the system.
    file
        The output of the system.
    replace
        Whether the run takes the place of an earlier one of the same name.
    """
    plain = " ".join(name.split())
    if project.task in WITHOUT_RUNS:
        raise invalid("the systems of this project are the peers that people annotate", hint="import their summaries")
    if not 1 <= len(plain) <= LONGEST_NAME:
        raise invalid(f"the name of a system has 1 to {LONGEST_NAME} characters")
    if len(file.content) > LARGEST_RUN:
        raise Refusal(
            413, "too_large", f"the file is larger than {LARGEST_RUN // 1_000_000} MB", hint="pack it with gzip"
        )
    run = NewRun(plain, Upload(file.name.replace("\\", "/").split("/")[-1], file.content), replace)
    check_place(session, project, run)
    return run


def check_place(session: Session, project: Project, run: NewRun) -> SystemRun | None:
    """Return the run that a new one replaces; refuse a name that is taken, and one run too many."""
    former = session.scalar(select(SystemRun).where(SystemRun.project_id == project.id, SystemRun.name == run.name))
    if former is not None and not run.replace:
        hint = "choose another name, or say that the run replaces the earlier one"
        raise Refusal(409, "taken", f"there is already a run of the system {run.name!r}", hint=hint)
    count = session.scalar(select(func.count()).where(SystemRun.project_id == project.id)) or 0
    if former is None and count >= MOST_RUNS:
        raise invalid(f"{MOST_RUNS} systems are the most", hint="delete one first")
    return former


def store_run(session: Session, actor: Actor, project: Project, run: NewRun) -> None:
    """Store a run that has been scored."""
    former = check_place(session, project, run)
    row = former or SystemRun(project_id=project.id, name=run.name)
    row.file_name, row.content, row.size = run.file.name, run.file.content, len(run.file.content)
    row.digest, row.account_id, row.created_at = hashlib.sha256(run.file.content).hexdigest(), actor[0] or 0, now()
    stored(session, row)
    detail: Json = {"name": row.name, "file": row.file_name, "digest": row.digest}
    action = "upload" if former is None else "replace"
    audit.record(session, actor, action, "run", row.id, project_id=project.id, detail=detail)


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


def run_objects(session: Session, project: Project) -> list[dict[str, Json]]:
    """Return the runs of a project for its page."""
    query = select(SystemRun, Account.name).join(Account).where(SystemRun.project_id == project.id)
    names = ("id", "name", "file_name", "size", "created_at")
    return [{**columns(run, *names), "by": by} for run, by in session.execute(query.order_by(SystemRun.name))]


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


def can_score(session: Session, project: Project) -> bool:
    """Return whether there is a system to score."""
    return project.task in WITHOUT_RUNS or bool(runs_of(session, project))


def scores_of(session: Session, project: Project) -> Scores | None:
    """Return the latest scores of a project."""
    return session.get(Scores, project.id)


def keep_scores(session: Session, project: Project, digest: str, state: str, result: dict[str, Json] | None) -> None:
    """Store the scores of a project in the place of the earlier ones.

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
    if result is None:
        session.execute(update(Scores).where(Scores.project_id == project.id).values(checked=state))
        return
    report, body = str(result["report"]).encode(), {name: part for name, part in result.items() if name != "report"}
    session.merge(Scores(project_id=project.id, digest=digest, checked=state, at=now(), body=body, report=report))


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
