"""Options that commands share, as dataclasses: each field becomes an option of the command that takes the dataclass.

The options of a task are declared in its package with `touchstone.base.options.option`; they become flags here.
"""

import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import MISSING, Field, dataclass, fields, is_dataclass
from enum import StrEnum
from functools import wraps
from math import isfinite
from pathlib import Path
from types import UnionType
from typing import TYPE_CHECKING, Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

import typer

if TYPE_CHECKING:
    from touchstone.base.ids import Policy
    from touchstone.core.resampling import Resampling
    from touchstone.io.writing import Kind


class Format(StrEnum):
    """The formats of printed tables."""

    TEXT = "text"
    MARKDOWN = "markdown"
    LATEX = "latex"


@dataclass(frozen=True)
class IntervalOptions:
    """How intervals and tests are computed."""

    intervals: Annotated[
        Literal["jackknife", "percentile", "bca", "none"], typer.Option(help="How intervals are computed.")
    ] = "jackknife"
    draws: Annotated[int, typer.Option(min=20, help="Number of draws of a bootstrap interval.")] = 1000
    seed: Annotated[int, typer.Option(min=0, help="Seed of the random draws.")] = 0
    cluster: Annotated[
        str | None,
        typer.Option(
            metavar="FIELD", help="Treat items with the same value of this field as one cluster; item: no clusters."
        ),
    ] = None

    def resampling(self) -> "Resampling":
        """Return the settings that the library takes."""
        from touchstone.core.resampling import Resampling

        return Resampling(self.intervals, self.draws, self.seed, cluster=self.cluster)


@dataclass(frozen=True)
class PolicyOptions:
    """What to do with ids that do not match one to one."""

    missing: Annotated[
        Literal["error", "zero", "skip"] | None,
        typer.Option(help="Items that a run lacks: report an error, score them 0, or skip them."),
    ] = None
    unknown: Annotated[
        Literal["error", "ignore"],
        typer.Option(help="Ids of a run that are not in the gold: report an error, or ignore them."),
    ] = "error"
    duplicates: Annotated[
        Literal["error", "first"],
        typer.Option(help="Ids that occur twice in a run: report an error, or keep the first."),
    ] = "error"

    def policy(self) -> "Policy":
        """Return the policy that the library takes."""
        from touchstone.base.ids import Policy

        return Policy(self.missing, self.unknown, self.duplicates)


def _named_as(kind: "Kind") -> Callable[[Path | None], Path | None]:
    """Return what refuses the name of an output that promises something else than its *kind*, before any work."""

    def check(path: Path | None) -> Path | None:
        if path is not None:
            from touchstone.io.writing import check_suffix

            check_suffix(path, kind)
        return path

    return check


@dataclass(frozen=True)
class OutputOptions:
    """Where results go, and in which format."""

    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False
    format: Annotated[Format, typer.Option(help="Format of the tables.")] = Format.TEXT
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            "-o",
            metavar="FILE",
            help="Write to a file instead of the terminal.",
            callback=_named_as("text"),
        ),
    ] = None
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print no notes and no progress.")] = False
    signature: Annotated[bool, typer.Option("--signature", help="Print the full signature.")] = False


Report = Annotated[
    Path | None,
    typer.Option(metavar="FILE.html", help="Write a one-file HTML report; - prints it.", callback=_named_as("report")),
]
Drawing = Annotated[
    Path | None, typer.Option("--svg", metavar="FILE.svg", help="Draw the item.", callback=_named_as("figure"))
]
PathDrawing = Annotated[
    Path | None, typer.Option("--svg", metavar="FILE.svg", help="Draw the path.", callback=_named_as("figure"))
]
Paper = Annotated[
    Path | None,
    typer.Option(
        metavar="FOLDER",
        help="Write the table, a methods paragraph and references for a paper.",
        callback=_named_as("paper kit"),
    ),
]
Items = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Write the values of every item: .jsonl .csv .parquet.")
]
MeasureNames = Annotated[
    list[str] | None, typer.Option("--measure", "-m", metavar="NAME", help="A measure. Repeatable.")
]
Jobs = Annotated[int | None, typer.Option(min=1, help="Number of processes; for large inputs one per core by default.")]


def with_options(command: Callable[..., None], **kinds: type) -> Callable[..., None]:
    """Let a command take dataclasses of options, such as `OutputOptions`, as if it listed their fields.

    Parameters
    ----------
    command
        A function whose parameters are typer's, or dataclasses of options.
    kinds
        The dataclasses of parameters whose kind is not known before, such as the options of a task.
    """
    hints = get_type_hints(command, include_extras=True) | kinds
    groups = {name: hint for name, hint in hints.items() if isinstance(hint, type) and is_dataclass(hint)}
    parameters: list[inspect.Parameter] = []
    for name, declared in inspect.signature(command).parameters.items():
        if name in groups:
            parameters.extend(_parameter(option_field, groups[name]) for option_field in fields(groups[name]))
        else:
            parameters.append(_keyword(name, _choices(hints[name]), declared.default))

    @wraps(command)
    def unpacking(**values: object) -> None:
        arguments = {name: _argument_value(value) for name, value in values.items()}
        _check_finite(arguments)
        for name, group in groups.items():
            group_values = {option_field.name: arguments.pop(option_field.name) for option_field in fields(group)}
            arguments[name] = group(
                **{key: () if value is None and _repeats(group, key) else value for key, value in group_values.items()}
            )
        command(**arguments)

    unpacking.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    unpacking.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    del unpacking.__wrapped__
    return unpacking


def _check_finite(values: Mapping[str, object]) -> None:
    """Refuse options that are nan or infinite: nan is neither below a minimum nor above a maximum."""
    for name, value in values.items():
        if isinstance(value, float) and not isfinite(value):
            from touchstone.base.options import not_finite

            raise not_finite(f"--{name.replace('_', '-')}", value)


def _parameter(option_field: "Field[Any]", group: type) -> inspect.Parameter:
    """Return the parameter of a field; a field of a task's options says in its metadata how it is shown."""
    hint = get_type_hints(group, include_extras=True)[option_field.name]
    default = option_field.default if option_field.default is not MISSING else None
    flag = option_field.metadata.get("flag")
    if flag is None:
        return _keyword(option_field.name, _choices(hint), default)
    if get_origin(hint) is tuple:
        hint, default = list[get_args(hint)[0]] | None, None  # type: ignore[misc]
    dashed = option_field.name.replace("_", "-")
    names = [flag.name or f"--{dashed}"]
    option = typer.Option(*names, help=flag.help, metavar=flag.metavar, min=flag.minimum)
    return _keyword(option_field.name, Annotated[_choices(hint), option], default)


def _keyword(name: str, annotation: object, default: object) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


def _repeats(group: type, name: str) -> bool:
    return get_origin(get_type_hints(group)[name]) is tuple


def _choices(hint: Any) -> Any:  # noqa: ANN401 (a type)
    """Return a type in which every `Literal` is an enumeration, which typer shows and checks."""
    if get_origin(hint) is Annotated:
        inner, *notes = get_args(hint)
        return Annotated[_choices(inner), *notes]
    if get_origin(hint) is Literal:
        return StrEnum("Choice", {str(value).upper(): value for value in get_args(hint)})
    if get_origin(hint) in (Union, UnionType):
        return Union[tuple(map(_choices, get_args(hint)))]  # noqa: UP007 (built from a tuple)
    return hint


def _argument_value(value: object) -> object:
    """Return the value of a choice as the text that it stands for, and a list as a tuple."""
    if isinstance(value, StrEnum) and not isinstance(value, Format):
        return value.value
    return tuple(_argument_value(element) for element in value) if isinstance(value, list) else value


def paths(*sources: "str | Path | Iterable[str | Path] | None") -> list[Path]:
    """Return all files that a command reads, as paths without the names of systems; what is not given is left out."""
    from touchstone.io.runs import run_path

    files: list[Path] = []
    for source in sources:
        if isinstance(source, str | Path):
            files.append(run_path(str(source)))
        elif source is not None:
            files.extend(run_path(str(text)) for text in source)
    return files
