"""Migrating a database of an earlier version to this one."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, Engine, text

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError

FOLDER = Path(__file__).parent / "migrations"

_LOCK = 7_205_759_403
"""An arbitrary number for the lock that serialises migrations of a PostgreSQL database."""


def migrate(engine: Engine, to: str = "head", before: Callable[[str], None] | None = None) -> None:
    """Run the missing migrations in one transaction; refuse a database of a later version.

    Parameters
    ----------
    engine
        The database.
    to
        The version to stop at.
    before
        Called with the version of a database of an earlier version that is not empty, before it is changed. If this
        fails, nothing is migrated. Others who want to migrate the database wait meanwhile.
    """
    writer = engine.execution_options(immediate=True)
    with writer.connect() as connection, _rebuilding(connection), connection.begin():
        _take_turn(connection)
        present = version_of(connection)
        if before and present in versions()[:-1] and _has_content(connection):
            before(str(present))
        migrate_connection(connection, to)
        _check_references(connection)


def _take_turn(connection: Connection) -> None:
    if connection.dialect.name == "postgresql":
        connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": _LOCK})


def _has_content(connection: Connection) -> bool:
    return any(connection.scalar(text(f"SELECT count(*) FROM {table}")) for table in ("accounts", "projects"))


@contextmanager
def _rebuilding(connection: Connection) -> Iterator[None]:
    """Let SQLite replace a table that others refer to, which is how it changes columns (see its ALTER TABLE)."""
    if connection.dialect.name != "sqlite":
        yield
        return
    driver = connection.connection.driver_connection  # outside of a transaction, where the pragma has an effect
    assert isinstance(driver, sqlite3.Connection)
    enforced = driver.execute("PRAGMA foreign_keys").fetchone()[0]
    driver.execute("PRAGMA foreign_keys = OFF")
    try:
        yield
    finally:
        driver.execute(f"PRAGMA foreign_keys = {enforced}")


def _check_references(connection: Connection) -> None:
    if connection.dialect.name == "sqlite" and connection.exec_driver_sql("PRAGMA foreign_key_check").first():
        raise TouchstoneError(
            "the database has references to missing rows", code=Code.DATABASE, hint="restore a backup"
        )


def migrate_connection(connection: Connection, to: str = "head") -> None:
    """Run the missing migrations (see `migrate`) within an open transaction."""
    _take_turn(connection)
    present = version_of(connection)
    if present is not None and present not in versions():
        hint = "install the version of touchstone that created it, or a later one"
        raise TouchstoneError("the database has a later version", value=present, code=Code.DATABASE, hint=hint)
    command.upgrade(_config(connection), to)


def versions() -> list[str]:
    """Return all versions of the tables, oldest first."""
    script = ScriptDirectory(str(FOLDER))
    return [revision.revision for revision in reversed(list(script.walk_revisions()))]


def version_of(connection: Connection) -> str | None:
    """Return the version of the tables in a database, or None if it has no tables."""
    return MigrationContext.configure(connection).get_current_revision()


def _config(connection: Connection) -> Config:
    config = Config()
    config.set_main_option("script_location", str(FOLDER).replace("%", "%%"))
    config.attributes["connection"] = connection
    return config
