"""Writing an import in short steps: its items wait in a table of their own, and one transaction makes them visible.

Each step is one short transaction, after which others get their turn, so that nobody's save waits for an import. If the
process that imports is killed, nothing of the import is visible, and what waits is removed later.
"""

import time
from collections.abc import Iterable, Iterator, Sequence
from datetime import timedelta

from sqlalchemy import CursorResult, delete, insert, literal, or_, select, update
from sqlalchemy.orm import Session

from touchstone.annotate.database import Store, stored
from touchstone.annotate.refusals import Refusal
from touchstone.annotate.tables import Import, Item, Project, StagedItem, now
from touchstone.core.scoring import Progress
from touchstone.io.jsonl import Json

BATCH = 500
"""Items written at once: 5 to 10 ms on SQLite."""

PAUSE = 2.0
"""How long an import waits after each step, in the time that the step took."""

SILENCE = timedelta(minutes=2)
"""After how much silence an import that a command runs is taken to be dead."""


def interrupted() -> Refusal:
    """Return the refusal of an import whose process ended, or that was taken to be dead."""
    message = "the import was interrupted, and nothing was imported"
    return Refusal(409, "interrupted", message, hint="import the files again")


def begin(store: Store, project_id: int | None, account_id: int | None, purpose: str) -> int:
    """Record that an import begins, and return its id."""
    with store.writing() as session:
        row = Import(project_id=project_id, account_id=account_id, purpose=purpose)
        return stored(session, row).id


def stage(store: Store, import_id: int, rows: Sequence[dict[str, Json]], progress: Progress | None) -> None:
    """Write items, given as columns of `StagedItem`, to where nobody sees them yet.

    Parameters
    ----------
    store
        The database.
    import_id
        The import.
    rows
        The items.
    progress
        Called with the numbers of items that are written, and of all.
    """
    for first in range(0, len(rows), BATCH):
        began = time.monotonic()
        batch = rows[first : first + BATCH]
        with store.writing() as session:
            session.execute(insert(StagedItem), [{"import_id": import_id, **row} for row in batch])
            keep_alive(session, import_id, total=len(rows), staged=first + len(batch))
        if progress:
            progress(first + len(batch), len(rows))
        time.sleep(PAUSE * (time.monotonic() - began))


def keep_alive(session: Session, import_id: int, **columns: object) -> None:
    """Record that an import goes on; raise a refusal if it was taken to be dead meanwhile."""
    alive = update(Import).where(Import.id == import_id, Import.finished_at.is_(None))
    done = session.execute(alive.values(alive_at=now(), **columns).execution_options(synchronize_session=False))
    if done.rowcount != 1:  # type: ignore[attr-defined]
        raise interrupted()


def reveal(session: Session, import_id: int, project: Project, purpose: str, position: int) -> None:
    """Make the items of an import items of a project, after the one at *position*."""
    same = ("key", "kind", "payload", "hidden", "known", "attachment_digest", "waits_for", "starts_imported")
    column_values = {name: getattr(StagedItem, name) for name in same}
    column_values |= {"project_id": literal(project.id), "purpose": literal(purpose), "created_at": literal(now())}
    column_values["position"] = StagedItem.number + position
    chosen = select(*column_values.values()).where(StagedItem.import_id == import_id).order_by(StagedItem.number)
    session.execute(insert(Item.__table__).from_select(list(column_values), chosen))  # type: ignore[arg-type]


def finish(session: Session, import_id: int, project_id: int | None, outcome: Json) -> None:
    """Record the outcome of an import, unless it was taken to be dead meanwhile."""
    keep_alive(session, import_id, project_id=project_id, finished_at=now(), outcome=outcome)


def fail(store: Store, import_id: int, refusal: Refusal) -> None:
    """Record why an import failed, unless it has finished, and remove what it wrote."""
    with store.writing() as session:
        unfinished = update(Import).where(Import.id == import_id, Import.finished_at.is_(None))
        session.execute(unfinished.values(finished_at=now(), outcome=refusal.content()))
    clear(store, [import_id])


def clear(store: Store, import_ids: Iterable[int]) -> None:
    """Remove the waiting items of imports, in short steps."""
    for import_id in import_ids:
        while _clear_step(store, import_id):
            pass


def _clear_step(store: Store, import_id: int) -> int:
    began = time.monotonic()
    first = select(StagedItem.number).where(StagedItem.import_id == import_id).limit(BATCH)
    with store.writing() as session:
        query = delete(StagedItem).where(StagedItem.import_id == import_id, StagedItem.number.in_(first))
        done: CursorResult[object] = session.execute(query.execution_options(synchronize_session=False))  # type: ignore[assignment]
    time.sleep(PAUSE * (time.monotonic() - began))
    return done.rowcount


def clean_up(store: Store, *, at_start: bool = False) -> None:
    """Remove what dead imports left behind.

    Parameters
    ----------
    store
        The database.
    at_start
        Whether the server starts: no import that it ran before is alive.
    """
    with store.reading() as session:
        silent = Import.alive_at < now(-SILENCE)
        dead = or_(silent, Import.account_id.is_not(None)) if at_start else silent
        unfinished = session.scalars(select(Import.id).where(Import.finished_at.is_(None), dead)).all()
        waiting = select(StagedItem.import_id).join(Import, StagedItem.import_id == Import.id).distinct()
        left = session.scalars(waiting.where(Import.finished_at.is_not(None))).all()
    for import_id in unfinished:
        fail(store, import_id, interrupted())
    clear(store, left)


def import_object(row: Import) -> dict[str, Json]:
    """Return how far an import is, for its page: reading, writing, finished or failed."""
    if row.finished_at is None:
        state = "writing" if row.total else "reading"
    else:
        state = "failed" if "error" in row.outcome else "finished"
    counts: dict[str, Json] = {"total": row.total, "staged": row.staged}
    return {"id": row.id, "project_id": row.project_id, "state": state, **counts, **(row.outcome or {})}


def recent(session: Session, project: Project, most: int = 3) -> Iterator[dict[str, Json]]:
    """Yield the latest imports of a project."""
    query = select(Import).where(Import.project_id == project.id).order_by(Import.id.desc()).limit(most)
    return map(import_object, session.scalars(query))
