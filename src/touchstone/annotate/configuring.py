"""Where the settings of a server come from: the command line, the environment, a file, and defaults, in this order.

The password of a database may stand in the environment or in the file, and not on the command line, which every user
of the machine can read.
"""

import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path

from touchstone.annotate.settings import data_folder, database_url, password_in
from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError, nearest

PREFIX = "TOUCHSTONE_ANNOTATE_"
MOST_WORKERS = 64


@dataclass(frozen=True)
class Configuration:
    """The settings of a server, as a file ``annotate.toml`` names them.

    Parameters
    ----------
    database
        A SQLite file or a PostgreSQL URL; a file in the data folder if None.
    data
        The folder of the secret, and of backups of PostgreSQL; the user's data folder if None.
    host, port
        Where to listen.
    names
        The host names of the server.
    workers
        The number of processes.
    log
        The file of the access log, "-" for standard output.
    metrics_token
        The token with which the metrics can be read from other machines.
    """

    database: str | None = None
    data: str | None = None
    host: str = "127.0.0.1"
    port: int = 8000
    names: tuple[str, ...] = ()
    workers: int = 1
    log: str | None = None
    metrics_token: str | None = None

    @property
    def folder(self) -> Path:
        """The data folder."""
        return Path(self.data) if self.data else data_folder()

    @property
    def url(self) -> str:
        """The URL of the database."""
        return database_url(self.database, self.folder)


NAMES = tuple(field.name for field in fields(Configuration))
LARGEST_INTEGERS = {"port": 65_535, "workers": MOST_WORKERS}
"""The settings that are whole numbers from 1, and the largest."""

Values = dict[str, object]


def configured(
    options: Mapping[str, object] | None = None, file: Path | None = None, environment: Mapping[str, str] | None = None
) -> Configuration:
    """Return the settings of a server.

    Parameters
    ----------
    options
        Settings of the command line; None if one is not given.
    file
        A TOML file, if any.
    environment
        The variables ``TOUCHSTONE_ANNOTATE_…``; those of this process if None.
    """
    stated = {name: value for name, value in (options or {}).items() if value is not None}
    if "database" in stated and password_in(database_url(str(stated["database"]))):
        hint = f"put it into the variable {PREFIX}DATABASE, or into the file of --config"
        raise TouchstoneError(
            "every user of this machine can read a password on the command line", code=Code.BAD_VALUE, hint=hint
        )
    variables = _from_environment(os.environ if environment is None else environment)
    merged = {**(_from_file(file) if file else {}), **variables, **stated}
    return Configuration(**merged)  # type: ignore[arg-type]


def _from_environment(environment: Mapping[str, str]) -> Values:
    settings: Values = {}
    for variable in sorted(name for name in environment if name.startswith(PREFIX)):
        name, text = variable.removeprefix(PREFIX).lower(), environment[variable]
        _check_setting_name(name, variable, "variable", [f"{PREFIX}{setting_name.upper()}" for setting_name in NAMES])
        value: object = text.split(",") if name == "names" else text
        settings[name] = _checked(name, int(text) if name in LARGEST_INTEGERS and text.isdecimal() else value, variable)
    return settings


def _from_file(file: Path) -> Values:
    try:
        values = tomllib.loads(file.read_text("utf-8"))
    except OSError as error:
        raise TouchstoneError(
            f"cannot be read ({(error.strerror or '').lower()})", file=str(file), code=Code.NO_FILE
        ) from None
    except UnicodeDecodeError:
        raise TouchstoneError("is not UTF-8", file=str(file), code=Code.ENCODING) from None
    except tomllib.TOMLDecodeError as error:
        hint = 'write each setting as in port = 8000 or host = "127.0.0.1"'
        raise TouchstoneError(
            f"is not TOML ({str(error).lower()})", file=str(file), code=Code.UNREADABLE, hint=hint
        ) from None
    for name in values:
        _check_setting_name(name, name, "setting", NAMES, str(file))
    return {name: _beside(file, name, _checked(name, value, str(file))) for name, value in values.items()}


def _check_setting_name(
    name: str, written: str, kind: str, choices: "list[str] | tuple[str, ...]", file: str | None = None
) -> None:
    if name not in NAMES:
        near = nearest(written, choices)
        hint = f"{kind}s are {', '.join(choices)}"
        raise TouchstoneError(
            f"unknown {kind}", file=file, value=written, near=near, kind=kind, code=Code.UNKNOWN_NAME, hint=hint
        )


def _checked(name: str, value: object, where: str) -> object:
    """Return a value of the right kind; an error names the setting and not the value, which may be a secret."""
    if name in LARGEST_INTEGERS:
        if isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= LARGEST_INTEGERS[name]:
            return value
        what = f"{name} must be a whole number from 1 to {LARGEST_INTEGERS[name]:,}"
    elif name == "names":
        if isinstance(value, list) and all(isinstance(host, str) and host.strip() for host in value):
            return tuple(host.strip() for host in value)
        what = 'names must be a list of host names, as ["annotate.example.org"]'
    else:
        if isinstance(value, str) and value:
            return value
        what = f"{name} must be a text that is not empty"
    raise TouchstoneError(what, file=where, code=Code.BAD_VALUE)


def _beside(file: Path, name: str, value: object) -> object:
    """Return a path in a file relative to the folder of the file."""
    is_path = name == "data" or (name == "log" and value != "-") or (name == "database" and "://" not in str(value))
    return str(file.absolute().parent / str(value)) if is_path else value
