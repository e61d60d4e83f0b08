"""The database: SQLite by default, PostgreSQL for teams; one way to read, one way to write.

An acknowledged write is on disk: SQLite runs with a write-ahead log and full synchronisation, PostgreSQL with
synchronous commits. Writers of SQLite queue here rather than in the file, where waiting is by polling.
"""

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event, text
from sqlalchemy.exc import DBAPIError, OperationalError
from sqlalchemy.orm import Session

from touchstone.annotate.settings import private_folder, sqlite_file
from touchstone.core.errors import TouchstoneError

BUSY_MS = 30_000
"""How long a connection to SQLite waits for another process, such as a command beside the server."""

CONNECTIONS = 40
"""As many as the server has threads: none of them waits for a connection."""

_PRAGMAS = ("journal_mode = WAL", "synchronous = FULL", "foreign_keys = ON", f"busy_timeout = {BUSY_MS}")


class Store:
    """A database, opened: `reading` and `writing` give sessions on it."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.is_sqlite = sqlite_file(url) is not None
        self.engine = _sqlite_engine(url) if self.is_sqlite else _server_engine(url)
        self._writer = self.engine.execution_options(immediate=True)
        self._turn: AbstractContextManager[object] = threading.Lock() if self.is_sqlite else nullcontext()

    @contextmanager
    def reading(self) -> Iterator[Session]:
        """Give a session that sees one state of the database and changes nothing."""
        with Session(self.engine, autoflush=False, expire_on_commit=False) as session:
            yield session

    @contextmanager
    def writing(self) -> Iterator[Session]:
        """Give a session whose changes are on disk when the block ends, all of them, or none where it fails."""
        with self._turn, Session(self._writer, expire_on_commit=False) as session, session.begin():
            yield session

    def close(self) -> None:
        """Close all connections."""
        self.engine.dispose()


def take_turn(session: Session, what: str) -> None:
    """Let those who do the same thing go one after another until their transactions end.

    What is counted now must not change before it is acted upon. Writers of SQLite go one after another anyway.
    """
    if session.get_bind().dialect.name == "postgresql":
        session.execute(text("SELECT pg_advisory_xact_lock(hashtext(:what))"), {"what": what})


def open_store(url: str) -> Store:
    """Return the store at *url* with its tables as this version wants them, or say why there is none."""
    from touchstone.annotate.migrating import migrate

    file = sqlite_file(url)
    if file is not None:
        private_folder(file.parent)
        if not file.exists():
            file.touch(0o600)
    store = Store(url)
    try:
        migrate(store.engine)
    except TouchstoneError:
        store.close()
        raise
    except DBAPIError as error:
        store.close()
        raise TouchstoneError(
            f"the database cannot be used ({_reason(error)})", file=str(file) if file else None
        ) from None
    return store


def _reason(error: DBAPIError) -> str:
    return str(error.orig).strip().split("\n")[0]


def is_busy(error: Exception) -> bool:
    """Say whether trying again may help: another process holds the file, or the server dropped the connection."""
    return isinstance(error, OperationalError)


def _server_engine(url: str) -> Engine:
    on_disk = {"options": "-c synchronous_commit=on"}  # whatever the server's default is
    return create_engine(url, pool_size=CONNECTIONS, max_overflow=0, pool_pre_ping=True, connect_args=on_disk)


def _sqlite_engine(url: str) -> Engine:
    engine = create_engine(url, pool_size=CONNECTIONS, max_overflow=0, connect_args={"timeout": BUSY_MS / 1000})

    @event.listens_for(engine, "connect")
    def _set_up(connection: sqlite3.Connection, record: Any) -> None:  # noqa: ANN401, ARG001 (SQLAlchemy's)
        connection.isolation_level = None  # transactions are begun below, not by the driver's guess
        for pragma in _PRAGMAS:
            connection.execute(f"PRAGMA {pragma}")

    @event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        # A writer takes the lock at once: one that began by reading could not be let through later.
        writes = connection.get_execution_options().get("immediate")
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")

    return engine
