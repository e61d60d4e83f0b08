"""Options of a task, declared once: keywords in Python, flags on the command line."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from math import isfinite
from pathlib import Path
from typing import Any, Literal, TypeVar, get_args, get_origin, get_type_hints

from touchstone.base.errors import TouchstoneError, nearest
from touchstone.base.files import read_bytes
from touchstone.base.signature import DIGEST_DIGITS

T = TypeVar("T")


def sign_value(value: object) -> str:
    """Return a value as signatures show it: a file as its digest, which is the same on any machine.

    >>> sign_value(("ter", "seconds"))
    'ter, seconds'
    """
    if isinstance(value, tuple | list):
        return ", ".join(map(sign_value, value))
    return (
        f"#{read_bytes(value)[1].digest[:DIGEST_DIGITS]}" if isinstance(value, Path) and value.is_file() else str(value)
    )


@dataclass(frozen=True)
class Flag:
    """How the command line shows an option, and how signatures do; `option` explains the fields."""

    help: str
    name: str | None = None
    metavar: str | None = None
    minimum: float | None = None
    sign: Callable[[Any], str] | None = sign_value


def option(
    default: object,
    help: str,  # noqa: A002 (the word that every command line uses)
    *,
    flag: str | None = None,
    metavar: str | None = None,
    minimum: float | None = None,
    sign: Callable[[Any], str] | None = sign_value,
) -> Any:  # noqa: ANN401 (a field of any type)
    """Return a field of a dataclass of options.

    Parameters
    ----------
    default
        Its default; a callable is called for it, as lists need.
    help
        The line that ``--help`` shows.
    flag
        The flag on the command line, where it is not the field's name.
    metavar
        What stands for the value in ``--help``.
    minimum
        The least number that is accepted.
    sign
        How a signature shows a value that is not the default. None if the signature of
        the gold or of the runs shows it already, or where no number depends on it.
    """
    metadata = {"flag": Flag(help, flag, metavar, minimum, sign)}
    if callable(default):
        return field(default_factory=default, metadata=metadata)
    return field(default=default, metadata=metadata)


@dataclass(frozen=True)
class TableOptions:
    """How tables are read."""

    column: tuple[str, ...] = option(
        (), "The column of a role, such as id. Repeatable.", metavar="ROLE=NAME", sign=None
    )
    encoding: str = option("utf-8", "Encoding of files that are not UTF-8.", sign=None)


@dataclass(frozen=True)
class NoOptions:
    """The options of a task that has none of its own."""


def build_options(kind: type[T], values: Mapping[str, object]) -> T:
    """Return options of a *kind* with the given *values*; refuse unknown names, and values outside a ``Literal``.

    A text for an option that is a file becomes a path, so that signatures show the digest of the file.

    >>> build_options(NoOptions, {"lemmatise": True})
    Traceback (most recent call last):
    touchstone.base.errors.TouchstoneError: unknown option: "lemmatise"
       there are no options here
    """
    names = [option_field.name for option_field in fields(kind)]  # type: ignore[arg-type]
    strange = next((name for name in values if name not in names), None)
    if strange is not None:
        hint = f"known: {', '.join(names)}" if names else "there are no options here"
        hint = next((way.format(strange) for flags, way in ELSEWHERE.items() if strange in flags), hint)
        raise TouchstoneError("unknown option", value=strange, near=nearest(strange, names), hint=hint)
    types = get_type_hints(kind)
    values = {name: _repeated(value) if get_origin(types[name]) is tuple else value for name, value in values.items()}
    for name, value in values.items():
        choices = get_args(types[name]) if get_origin(types[name]) is Literal else (value,)
        if isinstance(value, float) and not isfinite(value):
            raise not_finite(name, value)
        if value not in choices:
            near, hint = nearest(str(value), choices), f"known: {', '.join(choices)}"
            raise TouchstoneError(f"unknown value of {name}", value=str(value), near=near, hint=hint)
    files = [name for name in names if Path in (types[name], *get_args(types[name]))]
    paths = {name: Path(value) for name, value in values.items() if name in files and isinstance(value, str)}
    return kind(**{**values, **paths})


def not_finite(name: str, value: float) -> TouchstoneError:
    """Return the error of an option that is nan or infinite: every comparison with nan is false.

    >>> print(not_finite("margin", float("nan")))
    margin must be a finite number: "nan"
    """
    return TouchstoneError(f"{name} must be a finite number", value=f"{value:g}")


ELSEWHERE = {
    ("missing", "unknown", "duplicates"): "give policy=touchstone.Policy({}=…)",
    ("cluster", "draws", "seed", "level", "intervals"): "give resampling=touchstone.Resampling({}=…)",
    ("measure",): "give measures=[…]",
}
"""Settings of the command line that are no options of a task, and the keyword that does the same."""


def _repeated(value: object) -> tuple[Any, ...]:
    """Return the values of an option that may be repeated: of one value, of several, or of a mapping (KEY=VALUE)."""
    if isinstance(value, Mapping):
        return tuple(f"{key}={each}" for key, each in value.items())
    return tuple(value) if isinstance(value, list | tuple) else () if value is None else (value,)


def changed_options(options: Any) -> dict[str, str]:  # noqa: ANN401 (any dataclass of options)
    """Return the options that differ from their defaults, as signatures show them."""
    defaults = type(options)()
    signs = {}
    for option_field in fields(options):
        value, sign = getattr(options, option_field.name), option_field.metadata["flag"].sign
        if sign is not None and value != getattr(defaults, option_field.name):
            signs[option_field.name] = sign(value)
    return signs
