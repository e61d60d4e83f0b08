"""Settings of an installation: the database, and the secret that tokens are hashed with.

Both are in the user's data folder by default, and only their owner may read them.
"""

import ipaddress
import os
import secrets
from dataclasses import dataclass
from pathlib import Path

from touchstone.core.errors import TouchstoneError
from touchstone.io.writing import make_folder

SECRET_BYTES = 32
LOCAL_NAMES = ("localhost", "127.0.0.1", "[::1]", "::1")


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
        The allowed host names, which prevents DNS rebinding; None (any) if the server listens beyond this machine.
    setup
        The setup token for the first account; None if there is an account.
    """

    database: str
    secret: bytes
    hosts: tuple[str, ...] | None = None
    setup: str | None = None


def data_folder() -> Path:
    """Return the data folder: ``touchstone/annotate`` in ``$XDG_DATA_HOME``, by default ``~/.local/share``."""
    home = Path(os.environ.get("XDG_DATA_HOME", ""))
    base = home if home.is_absolute() else Path.home() / ".local" / "share"
    return base / "touchstone" / "annotate"


def database_url(given: str | None) -> str:
    """Return the URL of a database given as a PostgreSQL URL or a SQLite file; the default file if None.

    >>> database_url("postgresql://ann@db/gold"), database_url("/tmp/gold.sqlite")
    ('postgresql+psycopg://ann@db/gold', 'sqlite:////tmp/gold.sqlite')
    """
    if given is None:
        return f"sqlite:///{data_folder() / 'annotate.sqlite'}"
    scheme, separator, rest = given.partition("://")
    if not separator:
        return f"sqlite:///{Path(given).absolute()}"
    if scheme in ("postgresql", "postgres", "postgresql+psycopg"):
        return f"postgresql+psycopg://{rest}"
    if scheme == "sqlite":
        return given
    hint = "give a file name, or postgresql://user@host/name"
    raise TouchstoneError("unsupported kind of database", value=scheme, hint=hint)


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
        raise TouchstoneError("the secret is incomplete", file=str(path), hint=hint)
    return secret


def is_local(host: str) -> bool:
    """Return whether a server bound to *host* is only reachable from this machine.

    >>> is_local("127.0.0.1"), is_local("localhost"), is_local("0.0.0.0")
    (True, True, False)
    """
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False
