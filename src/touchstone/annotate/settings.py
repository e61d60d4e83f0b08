"""Settings of an installation: the database, and the secret that tokens are hashed with.

Both are in the user's data folder by default, and only their owner may read them.
"""

import os
import secrets
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import make_url
from sqlalchemy.exc import ArgumentError

from touchstone.annotate.hosts import LOCAL_NAMES
from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.io.writing import make_folder

SECRET_BYTES = 32
CONNECTIONS = 40
"""As many as the server has threads, so that none waits for a connection."""


@dataclass(frozen=True)
class Settings:
    """Settings of the server.

    Parameters
    ----------
    database
        The URL of the database.
    secret
        The secret of the installation.
    hosts
        The host names to answer to, as `touchstone.annotate.hosts.normalised_host` writes them.
    setup
        The setup token for the first account; None if there is an account.
    metrics_token
        The token with which the metrics can be read from other machines; None for none.
    log
        Where the access log is written, "-" for standard output; None for none.
    connections
        The largest number of connections to the database.
    """

    database: str
    secret: bytes
    hosts: tuple[str, ...] = LOCAL_NAMES
    setup: str | None = None
    metrics_token: str | None = None
    log: str | None = None
    connections: int = CONNECTIONS


def data_folder() -> Path:
    """Return the data folder: ``touchstone/annotate`` in ``$XDG_DATA_HOME``, by default ``~/.local/share``."""
    home = Path(os.environ.get("XDG_DATA_HOME", ""))
    base = home if home.is_absolute() else Path.home() / ".local" / "share"
    return base / "touchstone" / "annotate"


def database_url(location: str | None, folder: Path | None = None) -> str:
    """Return the URL of a database given as a PostgreSQL URL or a SQLite file.

    Parameters
    ----------
    location
        The URL or file; the default file in *folder* if None.
    folder
        The data folder; the usual one if None.

    Examples
    --------
    >>> database_url("postgresql://ann@db/gold"), database_url("/tmp/gold.sqlite")
    ('postgresql+psycopg://ann@db/gold', 'sqlite:////tmp/gold.sqlite')
    """
    if location is None:
        return f"sqlite:///{(folder or data_folder()) / 'annotate.sqlite'}"
    scheme, separator, address = location.partition("://")
    if not separator:
        return f"sqlite:///{Path(location).absolute()}"
    if scheme in ("postgresql", "postgres", "postgresql+psycopg"):
        return _checked_url(f"postgresql+psycopg://{address}")
    if scheme == "sqlite":
        return location
    hint = "give a file name, or postgresql://user@host/name"
    raise TouchstoneError("unsupported kind of database", value=scheme, code=Code.BAD_VALUE, hint=hint)


def _checked_url(url: str) -> str:
    """Return a URL that can be read; an error never contains it, since it may contain a password."""
    try:
        make_url(url)
    except (ArgumentError, ValueError):
        hint = "write postgresql://user:password@host:port/name, and @ : / % in a password as %40 %3A %2F %25"
        raise TouchstoneError("the address of the database cannot be read", code=Code.BAD_VALUE, hint=hint) from None
    return url


def password_in(url: str) -> str | None:
    """Return the password in the URL of a database."""
    return make_url(url).password or None


def sqlite_file(url: str) -> Path | None:
    """Return the file of a SQLite database, or None for another kind."""
    prefix = "sqlite:///"
    return Path(url.removeprefix(prefix)) if url.startswith(prefix) else None


def private_folder(path: Path) -> None:
    """Create a folder that only its owner can read, unless it exists."""
    if not path.is_dir():
        make_folder(path)
        path.chmod(0o700)


def installation_secret(folder: Path) -> bytes:
    """Return the secret of the installation; the first call creates it, readable only by its owner."""
    private_folder(folder)
    path = folder / "secret"
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return _checked_secret(path)
    with os.fdopen(handle, "wb") as out:
        secret = secrets.token_bytes(SECRET_BYTES)
        out.write(secret)
    return secret


def _checked_secret(path: Path) -> bytes:
    if path.stat().st_mode & 0o077:
        raise TouchstoneError("other users can read the secret", file=str(path), hint=f"run: chmod 600 {path}")
    secret = path.read_bytes()
    if len(secret) < SECRET_BYTES:
        hint = "remove the file; everybody will have to log in again"
        raise TouchstoneError("the secret is incomplete", file=str(path), code=Code.UNREADABLE, hint=hint)
    return secret
