"""Backups: the whole database as one SQLite file, made while the server runs.

A backup contains everything that was acknowledged before it began. It can be restored into SQLite or PostgreSQL.
"""

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from sqlalchemy import Engine, func, select, text

from touchstone.annotate.copying import check_integrity, copy_compact, copy_file, copy_out, copy_rows, file_engine
from touchstone.annotate.database import Store, open_store
from touchstone.annotate.migrating import migrate, migrate_connection
from touchstone.annotate.settings import sqlite_file
from touchstone.annotate.tables import Base, now
from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.io.writing import replacing


def back_up(url: str, path: str | Path) -> None:
    """Write the database at *url* to the SQLite file *path*, readable only by its owner."""
    _check_not_itself(url, Path(path))
    with closing(open_store(url)) as store, replacing(path) as beside:
        beside.chmod(0o600)
        if file := sqlite_file(url):
            copy_compact(file, beside)
        else:
            copy_out(store.engine, beside)
        check_integrity(beside, str(path))
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
        former_backup = _keep(store, Path(path), replace)
        if file := sqlite_file(url):
            copy_file(copy, file)
        else:
            _copy_in(copy, store.engine)
    return former_backup


def _check_not_itself(url: str, path: Path) -> None:
    file = sqlite_file(url)
    if file is not None and file.resolve() == path.resolve():
        raise TouchstoneError(
            "this is the database itself", file=str(path), code=Code.CANNOT_WRITE, hint="give another file"
        )


def _keep(store: Store, path: Path, replace: bool) -> Path | None:
    with store.reading() as session:
        used = session.scalar(text("SELECT count(*) FROM accounts"))
    if not used:
        return None
    if not replace:
        hint = "restore into another --database, or use --replace, which makes a backup first"
        raise TouchstoneError(
            "the database is not empty", value=store.engine.url.render_as_string(), code=Code.DATABASE, hint=hint
        )
    former_backup = path.with_name(f"{path.stem}-before-restore-{now()[:19].replace(':', '')}.sqlite")
    back_up(store.url, former_backup)
    return former_backup


@contextmanager
def _prepared(path: Path) -> Iterator[Path]:
    """Give a checked copy of a backup, migrated to this version, with all sessions ended."""
    if not path.is_file():
        raise TouchstoneError("no such file", file=str(path), code=Code.NO_FILE)
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "backup.sqlite"
        shutil.copyfile(path, copy)
        copy.chmod(0o600)
        check_integrity(copy, str(path))
        engine = file_engine(copy)
        migrate(engine)
        with engine.begin() as connection:
            connection.execute(text("UPDATE sessions SET revoked_at = :at WHERE revoked_at IS NULL"), {"at": now()})
        yield copy


def _copy_in(copy: Path, engine: Engine) -> None:
    """Replace the content of a PostgreSQL database by the rows of a SQLite file, in one transaction."""
    with file_engine(copy).connect() as reading, engine.begin() as writing:
        Base.metadata.drop_all(writing)
        writing.execute(text("DROP TABLE IF EXISTS alembic_version"))
        migrate_connection(writing)
        copy_rows(reading, writing)
        for table in Base.metadata.sorted_tables:
            if "id" in table.columns:
                last = select(func.max(table.c.id)).scalar_subquery()
                sequence = func.pg_get_serial_sequence(table.name, "id")
                writing.execute(select(func.setval(sequence, func.coalesce(last, 1), last.is_not(None))))
