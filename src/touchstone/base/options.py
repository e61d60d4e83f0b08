"""Options of a task, declared once: keywords in Python, flags on the command line."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from math import isfinite
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar, get_args, get_origin, get_type_hints

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError, nearest, unknown_name
from touchstone.base.files import read_bytes

T = TypeVar("T")


def sign_value(value: object) -> str:
    """Return a value as signatures show it: a file as its digest, which is the same on any machine.

    >>> sign_value(("ter", "seconds"))
    'ter, seconds'
    """
    from touchstone.base.signature import DIGEST_DIGITS  # which needs NumPy, and help shows options without it

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
    sign: Callable[[Any], str | None] | None = sign_value


def option(
    default: object,
    help: str,  # noqa: A002 (the word that every command line uses)
    *,
    flag: str | None = None,
    metavar: str | None = None,
    minimum: float | None = None,
    sign: Callable[[Any], str | None] | None = sign_value,
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
        How a signature shows a value that is not the default; it may return None for a value that changes no number.
        None if the signature of the gold or of the runs shows it already, or where no number depends on it.
    """
    metadata = {"flag": Flag(help, flag, metavar, minimum, sign)}
    if callable(default):
        return field(default_factory=default, metadata=metadata)
    return field(default=default, metadata=metadata)


@dataclass(frozen=True)
class Range:
    """The least and the greatest value of an option; None where there is no limit."""

    minimum: float | None = None
    maximum: float | None = None


@dataclass(frozen=True)
class Written:
    """What a command writes to the file that an option names; "folder" where it may be anything."""

    kind: Literal["figure", "report", "paper kit", "text", "table", "file", "folder"]


@dataclass(frozen=True)
class Printed:
    """What goes to standard output where an option names no file, in place of the tables of the finding."""

    what: str


Count = Annotated[int, Range(1)]
Seed = Annotated[int, Range(0)]
Draws = Annotated[int, Range(20)]
"""Fewer draws than 20 have no quantile of .05."""
Figure = Annotated[Path | None, Written("figure")]
ItemTable = Annotated[Path | None, Written("table")]
OutFile = Annotated[Path | None, Written("file")]
OutFolder = Annotated[Path | None, Written("folder")]
NewFile = Annotated[Path, Written("file")]
NewFolder = Annotated[Path, Written("folder")]
"""An output that must be named."""
PaperKit = Annotated[Path | None, Written("paper kit")]


@dataclass(frozen=True)
class TableOptions:
    """How tables are read."""

    column: tuple[str, ...] = option(
        (), "The column of a role, such as id. Repeatable.", metavar="ROLE=NAME", sign=None
    )
    encoding: str = option("utf-8", "Encoding of files that are not UTF-8.", sign=None)


@dataclass(frozen=True)
class NoOptions:
    """Options of the task."""


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
        near = nearest(strange, names)
        raise TouchstoneError("unknown option", value=strange, near=near, code=Code.UNKNOWN_NAME, hint=hint)
    types = get_type_hints(kind)
    values = {name: _repeated(value) if get_origin(types[name]) is tuple else value for name, value in values.items()}
    for name, value in values.items():
        value_type = get_args(types[name])[0] if get_origin(types[name]) is tuple else types[name]
        if isinstance(value, float) and not isfinite(value):
            raise not_finite(name, value)
        for each in value if isinstance(value, tuple) else (value,):
            if get_origin(value_type) is Literal and each not in get_args(value_type):
                raise unknown_name(f"unknown value of {name}", str(each), get_args(value_type))
    files = [name for name in names if Path in (types[name], *get_args(types[name]))]
    paths = {name: Path(value) for name, value in values.items() if name in files and isinstance(value, str)}
    return kind(**{**values, **paths})


def not_finite(name: str, value: float) -> TouchstoneError:
    """Return the error of an option that is nan or infinite: every comparison with nan is false.

    >>> print(not_finite("margin", float("nan")))
    margin must be a finite number: "nan"
    """
    return TouchstoneError(f"{name} must be a finite number", value=f"{value:g}", code=Code.NOT_FINITE)


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
        text = sign(value) if sign is not None and value != getattr(defaults, option_field.name) else None
        if text is not None:
            signs[option_field.name] = text
    return signs
