"""Who did what: a row in the transaction of each change, in a table to which rows are only added."""

from collections.abc import Sequence

from sqlalchemy import select
from sqlalchemy.orm import Session

from touchstone.annotate.tables import Entry
from touchstone.io.jsonl import Json

COMMAND_LINE = "command line"
"""Who acts where nobody logged in: whoever may use the database's files."""


def record(
    session: Session,
    actor: "tuple[int | None, str]",
    action: str,
    what: str,
    what_id: int | None = None,
    *,
    project_id: int | None = None,
    detail: Json = None,
) -> None:
    """Add a line to the log; *actor* is an account's id and name, *what* the kind of thing that was changed."""
    account_id, name = actor
    session.add(
        Entry(
            account_id=account_id,
            actor=name,
            action=action,
            object=what,
            object_id=what_id,
            project_id=project_id,
            detail=detail,
        )
    )


def entries(
    session: Session, *, project_id: int | None = None, before: int | None, limit: int
) -> list[dict[str, Json]]:
    """Return the latest lines of the log, those of one project or all, *before* the line of that id."""
    query = select(Entry).order_by(Entry.id.desc()).limit(limit)
    if project_id is not None:
        query = query.where(Entry.project_id == project_id)
    if before is not None:
        query = query.where(Entry.id < before)
    found: Sequence[Entry] = session.scalars(query).all()
    return [
        {
            "id": entry.id,
            "at": entry.at,
            "actor": entry.actor,
            "action": entry.action,
            "object": entry.object,
            "object_id": entry.object_id,
            "project_id": entry.project_id,
            "detail": entry.detail,
        }
        for entry in found
    ]
