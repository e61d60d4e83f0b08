"""Where an installation keeps its things: the database, and the secret that its tokens are hashed with.

Both lie in the user's data folder unless told otherwise, and only their owner may read them.
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
    """What the server is told: its *database* as a URL, and its *secret*.

    *hosts* are the names under which it may be asked, so that no other name can be made to point at it; None where it
    listens to more than this machine and cannot know them. *setup* is the word that lets somebody make the first
    account; None where there is one already.
    """

    database: str
    secret: bytes
    hosts: tuple[str, ...] | None = None
    setup: str | None = None


def data_folder() -> Path:
    """Return the folder for what is kept between runs: ``$XDG_DATA_HOME/touchstone/annotate``, or its usual place."""
    given = os.environ.get("XDG_DATA_HOME", "")
    base = Path(given) if Path(given).is_absolute() else Path.home() / ".local" / "share"
    return base / "touchstone" / "annotate"


def database_url(given: str | None) -> str:
    """Return the URL of a database: PostgreSQL's as it is given, else that of a SQLite file.

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
    raise TouchstoneError(
        "no such kind of database", value=scheme, hint="give a file name, or postgresql://user@host/name"
    )


def sqlite_file(url: str) -> Path | None:
    """Return the file of a SQLite database, None for another kind."""
    prefix = "sqlite:///"
    return Path(url.removeprefix(prefix)) if url.startswith(prefix) else None


def private_folder(path: Path) -> None:
    """Make a folder that only its owner may look into, where there is none yet."""
    if not path.is_dir():
        make_folder(path)
        path.chmod(0o700)


def installation_secret(folder: Path) -> bytes:
    """Return the secret of the installation; the first call makes it, readable by its owner alone."""
    private_folder(folder)
    path = folder / "secret"
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return _checked_secret(path)
    with os.fdopen(handle, "wb") as out:
        made = secrets.token_bytes(SECRET_BYTES)
        out.write(made)
    return made


def _checked_secret(path: Path) -> bytes:
    if path.stat().st_mode & 0o077:
        raise TouchstoneError("others may read the secret", file=str(path), hint=f"run: chmod 600 {path}")
    found = path.read_bytes()
    if len(found) < SECRET_BYTES:
        hint = "remove the file; everybody will have to log in again"
        raise TouchstoneError("the secret is cut short", file=str(path), hint=hint)
    return found


def is_local(host: str) -> bool:
    """Say whether a server bound to *host* can be reached from this machine alone.

    >>> is_local("127.0.0.1"), is_local("localhost"), is_local("0.0.0.0")
    (True, True, False)
    """
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False
