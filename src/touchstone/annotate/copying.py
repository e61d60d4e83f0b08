"""Copying databases: a SQLite file as a whole, PostgreSQL row by row into a SQLite file."""

import os
import sqlite3
from contextlib import closing
from pathlib import Path

from sqlalchemy import Connection, Engine, MetaData, create_engine, insert, select, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import NullPool

from touchstone.annotate.migrating import migrate
from touchstone.annotate.settings import private_folder
from touchstone.annotate.tables import Base, now
from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.io.writing import replacing

ROWS = 500
"""Rows copied at once; a version of an answer may be large."""


def keep_former(engine: Engine, file: Path | None, version: str, folder: Path) -> Path:
    """Write a backup of a database of an earlier version, and return its path; raise `TouchstoneError` if that fails.

    Parameters
    ----------
    engine
        The database.
    file
        The file of a SQLite database, beside which the backup is written; None for PostgreSQL.
    version
        The version of the database.
    folder
        Where the backup of a PostgreSQL database is written.
    """
    beside = file or folder / f"{engine.url.database}.sqlite"
    backup = beside.with_name(f"{beside.stem}-{version}-{now()[:19].replace(':', '')}.sqlite")
    try:
        private_folder(backup.parent)
        with replacing(backup) as new:
            new.touch(0o600)
            copy_compact(file, new) if file else copy_out(engine, new, version)
            check_integrity(new, str(backup))
        backup.chmod(0o600)
    except (sqlite3.Error, DBAPIError, TouchstoneError) as error:
        reason = error.faults[0].what if isinstance(error, TouchstoneError) else str(getattr(error, "orig", error))
        hint = "nothing was changed; make room there and let it be written, then try again"
        what = f"the database must be migrated, but cannot be backed up first: {reason}"
        raise TouchstoneError(what, file=str(backup), code=Code.CANNOT_WRITE, hint=hint) from None
    return backup


def file_engine(file: Path) -> Engine:
    """Return an engine over a SQLite file that no connection keeps open after its use."""
    return create_engine(f"sqlite:///{file}", poolclass=NullPool)


def check_integrity(file: Path, name: str) -> None:
    """Refuse a file that is damaged or not an annotation database."""
    try:
        with closing(sqlite3.connect(file)) as connection:
            integrity = connection.execute("PRAGMA integrity_check").fetchone()[0]
            dangling = connection.execute("PRAGMA foreign_key_check").fetchone()
            connection.execute("SELECT version_num FROM alembic_version")
            connection.execute("SELECT count(*) FROM accounts")
    except sqlite3.DatabaseError:
        raise TouchstoneError("is not a backup of an annotation database", file=name, code=Code.UNREADABLE) from None
    if integrity != "ok" or dangling:
        reason = integrity if integrity != "ok" else "references to missing rows"
        raise TouchstoneError(f"is damaged ({reason})", file=name, code=Code.UNREADABLE)


def copy_compact(source: Path, target: Path) -> None:
    """Copy a SQLite database into an empty file, without its free pages, as others may write to it meanwhile."""
    with closing(sqlite3.connect(source, timeout=60)) as reading:
        reading.execute("VACUUM INTO ?", (str(target),))


def copy_file(source: Path, target: Path) -> None:
    """Copy a SQLite database page by page in one transaction into a file that others may have open."""
    with (
        closing(sqlite3.connect(source, timeout=60)) as reading,
        closing(sqlite3.connect(target, timeout=60)) as writing,
    ):
        reading.backup(writing)
    with closing(sqlite3.connect(target)) as copied:
        in_use = os.path.exists(f"{target}-wal")  # noqa: PTH110 (a name with a tail is no path of its own)
        if not in_use:
            copied.execute("PRAGMA journal_mode = DELETE")  # one file, without a log beside it


def copy_out(engine: Engine, target: Path, version: str = "head") -> None:
    """Copy a snapshot of a PostgreSQL database into a new SQLite file.

    Parameters
    ----------
    engine
        The database.
    target
        The file.
    version
        The version of the tables.
    """
    made = file_engine(target)
    migrate(made, version)
    with engine.connect().execution_options(isolation_level="REPEATABLE READ") as source:
        with made.begin() as connection:
            connection.execute(text("PRAGMA foreign_keys = OFF"))
            copy_rows(source, connection)
        source.rollback()


def copy_rows(source: Connection, target: Connection) -> None:
    """Copy all rows as they are stored, in the order of the references between tables."""
    old, new = MetaData(), MetaData()
    old.reflect(source)
    new.reflect(target)
    for table in (table for table in Base.metadata.sorted_tables if table.name in old.tables):
        rows = source.execution_options(yield_per=ROWS).execute(
            select(old.tables[table.name]).order_by(*old.tables[table.name].primary_key)
        )
        for batch in rows.mappings().partitions(ROWS):
            target.execute(insert(new.tables[table.name]), [dict(row) for row in batch])
