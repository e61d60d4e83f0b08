"""Migrations: bring a database from any earlier version of the tables to this one when it is opened."""

from pathlib import Path

from alembic import command, op
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Column, Connection, Engine, Text, text

from touchstone.core.errors import TouchstoneError

FOLDER = Path(__file__).parent / "migrations"

_LOCK = 7_205_759_403
"""An arbitrary number for the lock that serialises migrations of a PostgreSQL database."""


def migrate(engine: Engine, to: str = "head") -> None:
    """Run the missing migrations in one transaction; refuse a database of a later version.

    Parameters
    ----------
    engine
        The database.
    to
        The version to stop at, for tests.
    """
    with engine.execution_options(immediate=True).begin() as connection:
        migrate_connection(connection, to)


def migrate_connection(connection: Connection, to: str = "head") -> None:
    """Run the missing migrations (see `migrate`) within an open transaction."""
    if connection.dialect.name == "postgresql":
        connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": _LOCK})
    present = version_of(connection)
    if present is not None and present not in versions():
        hint = "install the version of touchstone that created it, or a later one"
        raise TouchstoneError("the database has a later version", value=present, hint=hint)
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


def texts(*names: str, nullable: bool = False) -> list[Column[str]]:
    """Return columns of text, for a migration."""
    return [Column(name, Text, nullable=nullable) for name in names]


def unique_where(name: str, table: str, columns: list[str], where: str) -> None:
    """Create an index that makes *columns* unique among the rows that satisfy *where*."""
    op.create_index(name, table, columns, unique=True, sqlite_where=text(where), postgresql_where=text(where))


def append_only(table: str) -> None:
    """Let the database itself refuse to change or remove rows of a table."""
    if op.get_bind().dialect.name == "sqlite":
        for change in ("UPDATE", "DELETE"):
            op.execute(
                f"CREATE TRIGGER {table}_no_{change.lower()} BEFORE {change} ON {table} "
                f"BEGIN SELECT RAISE(ABORT, '{table} is append-only'); END"
            )
        return
    op.execute(
        "CREATE OR REPLACE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS "
        "$$ BEGIN RAISE EXCEPTION '% is append-only', TG_TABLE_NAME; END $$"
    )
    op.execute(
        f"CREATE TRIGGER {table}_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON {table} "
        "FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()"
    )
