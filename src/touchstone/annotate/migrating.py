"""Bringing a database from any earlier version of the tables to this one; the server does it when it starts."""

from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, Engine, text

from touchstone.core.errors import TouchstoneError

FOLDER = Path(__file__).parent / "migrations"

_LOCK = 7_205_759_403
"""Any number: those who migrate one PostgreSQL database wait for each other by it."""


def migrate(engine: Engine, to: str = "head") -> None:
    """Run the migrations that the database has not had, in one transaction; a database of a later version is refused.

    *to* stops at an earlier version: tests begin there.
    """
    with engine.execution_options(immediate=True).begin() as connection:
        migrate_connection(connection, to)


def migrate_connection(connection: Connection, to: str = "head") -> None:
    """Run the migrations within a transaction that is open already."""
    if connection.dialect.name == "postgresql":
        connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": _LOCK})
    present = version_of(connection)
    if present is not None and present not in versions():
        hint = "install the version of touchstone that made it, or a later one"
        raise TouchstoneError("the database belongs to a later version", value=present, hint=hint)
    command.upgrade(_config(connection), to)


def versions() -> list[str]:
    """Return every version of the tables, the first one first."""
    script = ScriptDirectory(str(FOLDER))
    return [revision.revision for revision in reversed(list(script.walk_revisions()))]


def version_of(connection: Connection) -> str | None:
    """Return the version of the tables that a database has, None where it has none."""
    return MigrationContext.configure(connection).get_current_revision()


def _config(connection: Connection) -> Config:
    config = Config()
    config.set_main_option("script_location", str(FOLDER).replace("%", "%%"))
    config.attributes["connection"] = connection
    return config
