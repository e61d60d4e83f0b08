"""The audit log: one row for each change, written in the same transaction."""

from sqlalchemy import select
from sqlalchemy.orm import Session

from touchstone.annotate.tables import Entry, columns
from touchstone.io.jsonl import Json

Actor = tuple[int | None, str]
"""The id and the name of an account that acts."""

COMMAND_LINE: Actor = (None, "command line")
"""The actor of commands, which need access to the database but no login."""


def record(
    session: Session,
    actor: Actor,
    action: str,
    kind: str,
    object_id: int | None = None,
    *,
    project_id: int | None = None,
    detail: Json = None,
) -> None:
    """Add a line to the log.

    Parameters
    ----------
    session
        The session of the change itself.
    actor
        The id and the name of the account that acts.
    action
        What was done.
    kind, object_id
        What it was done to, such as "answer" and its id.
    project_id
        The project that it belongs to.
    detail
        What else is worth knowing.
    """
    account_id, name = actor
    where = {"object": kind, "object_id": object_id, "project_id": project_id}
    session.add(Entry(account_id=account_id, actor=name, action=action, detail=detail, **where))


def entries(
    session: Session, *, project_id: int | None = None, before: int | None, limit: int
) -> list[dict[str, Json]]:
    """Return the latest lines of the log.

    Parameters
    ----------
    session
        A session to read with.
    project_id
        The project whose lines are wanted; all projects if None.
    before
        The id of the line that the wanted lines precede; None for the latest.
    limit
        The largest number of lines.
    """
    query = select(Entry).order_by(Entry.id.desc()).limit(limit)
    if project_id is not None:
        query = query.where(Entry.project_id == project_id)
    if before is not None:
        query = query.where(Entry.id < before)
    names = ("id", "at", "actor", "action", "object", "object_id", "project_id", "detail")
    return [columns(entry, *names) for entry in session.scalars(query)]
