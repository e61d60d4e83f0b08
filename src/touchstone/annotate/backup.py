"""Backups: the whole database as one SQLite file, made while the server runs.

A backup contains everything that was acknowledged before it began. It can be restored into SQLite or PostgreSQL.
"""

import os
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from sqlalchemy import Connection, Engine, MetaData, create_engine, func, insert, select, text
from sqlalchemy.pool import NullPool

from touchstone.annotate.database import Store, migrate, migrate_connection, open_store
from touchstone.annotate.settings import sqlite_file
from touchstone.annotate.tables import Base, now
from touchstone.core.errors import TouchstoneError
from touchstone.io.writing import replacing

ROWS = 500
"""Rows copied at once; a version of an answer may be large."""


def back_up(url: str, path: str | Path) -> None:
    """Write the database at *url* to the SQLite file *path*, readable only by its owner."""
    _check_not_itself(url, Path(path))
    with closing(open_store(url)) as store, replacing(path) as beside:
        beside.chmod(0o600)
        if file := sqlite_file(url):
            _copy_file(file, beside)
        else:
            _copy_out(store, beside)
        _check_whole(beside, str(path))
    Path(path).chmod(0o600)


def restore(url: str, path: str | Path, *, replace: bool = False) -> Path | None:
    """Replace the content of a database by a backup; everybody has to log in again.

    Parameters
    ----------
    url
        The database.
    path
        The backup.
    replace
        Whether to replace a database that is not empty. It is backed up first, in the folder of the backup.

    Returns
    -------
    Path or None
        The backup of the former content, if there was any.
    """
    _check_not_itself(url, Path(path))
    with _prepared(Path(path)) as copy, closing(open_store(url)) as store:
        kept = _keep(store, Path(path), replace)
        if file := sqlite_file(url):
            _copy_file(copy, file)
        else:
            _copy_in(copy, store.engine)
    return kept


def _check_not_itself(url: str, path: Path) -> None:
    file = sqlite_file(url)
    if file is not None and file.resolve() == path.resolve():
        raise TouchstoneError("this is the database itself", file=str(path), hint="give another file")


def _keep(store: Store, path: Path, replace: bool) -> Path | None:
    with store.reading() as session:
        used = session.scalar(text("SELECT count(*) FROM accounts"))
    if not used:
        return None
    if not replace:
        hint = "restore into another --database, or use --replace, which makes a backup first"
        raise TouchstoneError("the database is not empty", value=store.engine.url.render_as_string(), hint=hint)
    kept = path.with_name(f"{path.stem}-before-restore-{now()[:19].replace(':', '')}.sqlite")
    back_up(store.url, kept)
    return kept


@contextmanager
def _prepared(path: Path) -> Iterator[Path]:
    """Give a checked copy of a backup, migrated to this version, with all sessions ended."""
    if not path.is_file():
        raise TouchstoneError("no such file", file=str(path))
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "backup.sqlite"
        shutil.copyfile(path, copy)
        copy.chmod(0o600)
        _check_whole(copy, str(path))
        engine = _file_engine(copy)
        migrate(engine)
        with engine.begin() as connection:
            connection.execute(text("UPDATE sessions SET revoked_at = :at WHERE revoked_at IS NULL"), {"at": now()})
        yield copy


def _file_engine(file: Path) -> Engine:
    """Return an engine over a SQLite file that no connection keeps open after its use."""
    return create_engine(f"sqlite:///{file}", poolclass=NullPool)


def _check_whole(file: Path, name: str) -> None:
    """Refuse a file that is damaged or not an annotation database."""
    try:
        with closing(sqlite3.connect(file)) as connection:
            integrity = connection.execute("PRAGMA integrity_check").fetchone()[0]
            dangling = connection.execute("PRAGMA foreign_key_check").fetchone()
            connection.execute("SELECT version_num FROM alembic_version")
            connection.execute("SELECT count(*) FROM accounts")
    except sqlite3.DatabaseError:
        raise TouchstoneError("is not a backup of an annotation database", file=name) from None
    if integrity != "ok" or dangling:
        reason = integrity if integrity != "ok" else "references to missing rows"
        raise TouchstoneError(f"is damaged ({reason})", file=name)


def _copy_file(source: Path, target: Path) -> None:
    """Copy a SQLite database page by page in one transaction, while others may write to it."""
    with (
        closing(sqlite3.connect(source, timeout=60)) as reading,
        closing(sqlite3.connect(target, timeout=60)) as writing,
    ):
        reading.backup(writing)
    with closing(sqlite3.connect(target)) as copied:
        in_use = os.path.exists(f"{target}-wal")  # noqa: PTH110 (a name with a tail is no path of its own)
        if not in_use:
            copied.execute("PRAGMA journal_mode = DELETE")  # one file, without a log beside it


def _copy_out(store: Store, target: Path) -> None:
    """Copy a snapshot of a PostgreSQL database into a new SQLite file."""
    engine = _file_engine(target)
    migrate(engine)
    with store.engine.connect().execution_options(isolation_level="REPEATABLE READ") as source:
        with engine.begin() as connection:
            connection.execute(text("PRAGMA foreign_keys = OFF"))
            _copy_rows(source, connection)
        source.rollback()


def _copy_in(copy: Path, engine: Engine) -> None:
    """Replace the content of a PostgreSQL database by the rows of a SQLite file, in one transaction."""
    with _file_engine(copy).connect() as reading, engine.begin() as writing:
        Base.metadata.drop_all(writing)
        writing.execute(text("DROP TABLE IF EXISTS alembic_version"))
        migrate_connection(writing)
        _copy_rows(reading, writing)
        for table in Base.metadata.sorted_tables:
            if "id" in table.columns:
                last = select(func.max(table.c.id)).scalar_subquery()
                sequence = func.pg_get_serial_sequence(table.name, "id")
                writing.execute(select(func.setval(sequence, func.coalesce(last, 1), last.is_not(None))))


def _copy_rows(source: Connection, target: Connection) -> None:
    """Copy all rows as they are stored, in the order of the references between tables."""
    old, new = MetaData(), MetaData()
    old.reflect(source)
    new.reflect(target)
    for table in Base.metadata.sorted_tables:
        rows = source.execution_options(yield_per=ROWS).execute(
            select(old.tables[table.name]).order_by(*old.tables[table.name].primary_key)
        )
        for batch in rows.mappings().partitions(ROWS):
            target.execute(insert(new.tables[table.name]), [dict(row) for row in batch])
