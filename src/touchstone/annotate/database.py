"""The database: SQLite by default, PostgreSQL for teams.

An acknowledged write is on disk: SQLite runs with a write-ahead log and full synchronisation, PostgreSQL with
synchronous commits. Writers of SQLite wait for a lock here, since waiting for the file means polling. A database of an
earlier version is backed up and migrated to this one when it is opened.
"""

import logging
import shutil
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import Any, TypeVar

from alembic import op
from sqlalchemy import Column, Connection, Engine, Integer, Text, create_engine, event, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.orm import Session
from sqlalchemy.schema import SchemaItem

from touchstone.annotate.copying import keep_former
from touchstone.annotate.migrating import migrate
from touchstone.annotate.settings import CONNECTIONS, data_folder, password_in, private_folder, sqlite_file
from touchstone.annotate.tables import Attempt, Base
from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError

BUSY_MS = 30_000
"""How long a connection to SQLite waits for another process, such as a command run while the server is up."""

CONNECT_S = 10
"""How long to wait for a PostgreSQL server that does not answer."""

ROOM = 1_000_000
"""Bytes on the disk of a SQLite database with fewer than which it counts as full."""

FULL = "the disk is full"

_DISK_FULL = "53100"
"""PostgreSQL's code for it."""

log = logging.getLogger("touchstone.annotate")

_PRAGMAS = ("journal_mode = WAL", "synchronous = FULL", "foreign_keys = ON", f"busy_timeout = {BUSY_MS}")


class Store:
    """An open database; `reading` and `writing` give sessions."""

    def __init__(self, url: str, connections: int = CONNECTIONS) -> None:
        self.url = url
        self.is_sqlite = sqlite_file(url) is not None
        self.engine = _sqlite_engine(url, connections) if self.is_sqlite else _server_engine(url, connections)
        self._writer = self.engine.execution_options(immediate=True)
        # Beginning and ending a transaction takes PostgreSQL two round trips, and reading at its default level nothing.
        self._reader = self.engine if self.is_sqlite else self.engine.execution_options(isolation_level="AUTOCOMMIT")
        self._was_full = False
        self._turn: AbstractContextManager[object] = threading.Lock() if self.is_sqlite else nullcontext()

    @contextmanager
    def reading(self) -> Iterator[Session]:
        """Give a session that changes nothing; on SQLite it sees one state of the database.

        What reading has `later` to write is on disk when the block ends.
        """
        with Session(self._reader, autoflush=False, expire_on_commit=False) as session:
            yield session
            waiting = session.info.pop(_LATER, [])
        if waiting:
            with self.writing() as session:
                _write_later(session, waiting)

    @contextmanager
    def writing(self) -> Iterator[Session]:
        """Give a session whose changes are all on disk when the block ends, or none if it fails."""
        try:
            with self._turn, Session(self._writer, expire_on_commit=False) as session, session.begin():
                yield session
                _write_later(session, session.info.pop(_LATER, []))
        except DBAPIError as error:
            self._was_full = self._was_full or self.is_full(error)
            raise
        self._was_full = False

    def is_full(self, error: DBAPIError) -> bool:
        """Return whether the database said that its disk is full."""
        if not self.is_sqlite:
            return getattr(error.orig, "sqlstate", None) == _DISK_FULL
        code = getattr(error.orig, "sqlite_errorcode", 0) & 0xFF  # without what it was doing
        return code == sqlite3.SQLITE_FULL or (code == sqlite3.SQLITE_IOERR and self._has_no_room())

    def _has_no_room(self) -> bool:
        file = sqlite_file(self.url)
        return file is not None and shutil.disk_usage(file.parent).free < ROOM

    def unwritable_reason(self) -> str | None:
        """Return why nothing can be saved at present, or None; raise an error of SQLAlchemy if nothing can be read.

        After a write that found the disk full, another one is tried.
        """
        with self.reading() as session:
            session.execute(text("SELECT 1"))
        try:
            if not self._has_no_room() and self._was_full:
                with self.writing() as session:
                    row = stored(session, Attempt(address_hash="", email_hash="", success=True))
                    session.delete(row)
        except DBAPIError as error:
            if not self.is_full(error):
                raise
            return FULL
        return FULL if self._has_no_room() else None

    @contextmanager
    def alone(self, what: str) -> Iterator[bool]:
        """Say whether no other process does the same at present, and keep others from it until the block ends.

        Parameters
        ----------
        what
            What is done. A process that dies lets others do it; a SQLite database has only one process that serves it.
        """
        if self.is_sqlite:
            yield True
            return
        with self.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            lock = {"what": what}
            alone = bool(connection.scalar(text("SELECT pg_try_advisory_lock(hashtext(:what))"), lock))
            try:
                yield alone
            finally:
                if alone:
                    connection.execute(text("SELECT pg_advisory_unlock(hashtext(:what))"), lock)

    def close(self) -> None:
        """Close all connections."""
        self.engine.dispose()


_LATER = "later"


def later(session: Session, write: Callable[[Session], None]) -> None:
    """Let a function write at the end of a session, also of one that only reads: it records that something was read.

    If the function refuses, the request is refused, and nobody is told what was read.
    """
    session.info.setdefault(_LATER, []).append(write)


def _write_later(session: Session, writes: Sequence[Callable[[Session], None]]) -> None:
    for write in writes:
        write(session)


Row = TypeVar("Row", bound=Base)
Value = TypeVar("Value")


def stored(session: Session, row: Row) -> Row:
    """Insert a row at once, so that it has an id and others can refer to it, and return it."""
    session.add(row)
    session.flush()
    return row


MOST_VALUES = 500
"""Values in one condition of a query."""


def in_parts(values: Sequence[Value]) -> Iterator[Sequence[Value]]:
    """Yield *values* in parts that a query can take."""
    return (values[first : first + MOST_VALUES] for first in range(0, len(values), MOST_VALUES))


def take_turn(session: Session, what: str) -> None:
    """Serialise transactions that do the same thing, so that what they count does not change before they act on it.

    Parameters
    ----------
    session
        The session of the transaction; the lock is released at its end. SQLite has only one writer anyway.
    what
        The name of the lock.
    """
    if session.get_bind().dialect.name == "postgresql":
        session.execute(text("SELECT pg_advisory_xact_lock(hashtext(:what))"), {"what": what})


def open_store(url: str, connections: int = CONNECTIONS, folder: Path | None = None) -> Store:
    """Return the store at *url*, with its tables migrated to this version; raise `TouchstoneError` if that fails.

    Parameters
    ----------
    url
        The URL of the database.
    connections
        The largest number of connections.
    folder
        Where a PostgreSQL database is backed up before it is migrated; the data folder if None.
    """
    file = sqlite_file(url)
    if file is not None:
        private_folder(file.parent)
        # SQLite itself would make a file that others can read.
        if not file.exists():
            file.touch(0o600)
    store = Store(url, connections)
    try:
        migrate(store.engine, before=lambda version: _keep(store, version, folder or data_folder()))
    except TouchstoneError:
        store.close()
        raise
    except DBAPIError as error:
        store.close()
        raise TouchstoneError(
            f"cannot use the database ({_reason(error, url)})", file=str(file) if file else None, code=Code.DATABASE
        ) from None
    return store


def _keep(store: Store, version: str, folder: Path) -> None:
    """Back up a database of an earlier version before it is migrated, and say where."""
    backup = keep_former(store.engine, sqlite_file(store.url), version, folder)
    log.warning(
        "the database had the earlier version %s; before it was migrated, it was backed up to %s", version, backup
    )


def _reason(error: DBAPIError, url: str) -> str:
    """Return what the database said, without the password."""
    message = str(error.orig).strip().split("\n")[0]
    password = password_in(url)
    return message.replace(password, "***") if password else message


def _set(connection: sqlite3.Connection, pragma: str) -> None:
    """Set a pragma; several processes that open a new database at once exclude each other, and SQLite does not wait."""
    until = time.monotonic() + BUSY_MS / 1000
    while True:
        try:
            connection.execute(f"PRAGMA {pragma}")
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > until:
                raise
            time.sleep(0.05)
        else:
            return


def _server_engine(url: str, connections: int) -> Engine:
    # Synchronous whatever the default of the server is.
    how = {"options": "-c synchronous_commit=on", "connect_timeout": CONNECT_S}
    return _engine(url, connections, how, pool_pre_ping=True)


def _engine(url: str, connections: int, how: dict[str, object], *, pool_pre_ping: bool = False) -> Engine:
    """Return an engine whose errors do not show the values of statements, which may be personal."""
    return create_engine(
        url,
        pool_size=connections,
        max_overflow=0,
        pool_pre_ping=pool_pre_ping,
        connect_args=how,
        hide_parameters=True,
    )


def _sqlite_engine(url: str, connections: int) -> Engine:
    engine = _engine(url, connections, {"timeout": BUSY_MS / 1000})

    @event.listens_for(engine, "connect")
    def _set_up(connection: sqlite3.Connection, record: Any) -> None:  # noqa: ANN401, ARG001 (SQLAlchemy's)
        connection.isolation_level = None  # transactions are begun below, not by the driver
        for pragma in _PRAGMAS:
            _set(connection, pragma)

    @event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        # A writer takes the lock at once: a reader cannot always be promoted to a writer later.
        writes = connection.get_execution_options().get("immediate")
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")

    return engine


def numbered_table(name: str, *parts: SchemaItem) -> None:
    """Create a table with an id and further columns and constraints."""
    op.create_table(name, Column("id", Integer, primary_key=True), *parts)


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
