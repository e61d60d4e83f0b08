"""Options that several commands share, as dataclasses: each field becomes an option of the command that takes it."""

import inspect
from collections.abc import Callable
from dataclasses import dataclass, fields, is_dataclass
from enum import StrEnum
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer

from touchstone.cli.showing import Format

if TYPE_CHECKING:
    from touchstone.core.resampling import Resampling


class Intervals(StrEnum):
    """How intervals are found."""

    PERCENTILE = "percentile"
    BCA = "bca"
    NONE = "none"


class Unknown(StrEnum):
    """What to do with answers to items that the gold does not have."""

    ERROR = "error"
    IGNORE = "ignore"


class Duplicates(StrEnum):
    """What to do with ids that stand twice in a file of answers."""

    ERROR = "error"
    FIRST = "first"


class PairedTest(StrEnum):
    """The paired tests."""

    PERMUTATION = "permutation"
    BOOTSTRAP = "bootstrap"


class Correction(StrEnum):
    """How p values are corrected for the number of pairs."""

    HOLM = "holm"
    BH = "bh"


@dataclass(frozen=True)
class IntervalOptions:
    """How sure a figure is."""

    intervals: Annotated[Intervals, typer.Option(help="How intervals are found.")] = Intervals.PERCENTILE
    draws: Annotated[int, typer.Option(min=20, help="Draws of the bootstrap.")] = 1000
    seed: Annotated[int, typer.Option(min=0, help="Seed of every draw.")] = 0
    cluster: Annotated[str | None, typer.Option(help="Resample this field of the items, such as target.")] = None

    def resampling(self) -> "Resampling":
        """Return the settings that the library takes."""
        from touchstone.core.resampling import Resampling

        return Resampling(self.intervals.value, self.draws, self.seed, cluster=self.cluster)


@dataclass(frozen=True)
class OutputOptions:
    """Where figures go, and what they look like."""

    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False
    form: Annotated[Format, typer.Option("--format", help="Form of the tables.")] = Format.TEXT
    report: Annotated[Path | None, typer.Option(help="Write a one-file HTML report here.")] = None


def with_options(command: Callable[..., None]) -> Callable[..., None]:
    """Let a command take dataclasses of options, such as `IntervalOptions`, as if it listed their fields."""
    hints = get_type_hints(command, include_extras=True)
    groups = {name: hint for name, hint in hints.items() if isinstance(hint, type) and is_dataclass(hint)}
    parameters: list[inspect.Parameter] = []
    for name in inspect.signature(command).parameters:
        if name in groups:
            parameters.extend(_parameters(groups[name]))
        else:
            default = inspect.signature(command).parameters[name].default
            parameters.append(_parameter(name, hints[name], default))

    @wraps(command)
    def unpacking(**values: object) -> None:
        for name, group in groups.items():
            values[name] = group(**{field.name: values.pop(field.name) for field in fields(group)})
        command(**values)

    unpacking.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    unpacking.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    del unpacking.__wrapped__
    return unpacking


def _parameters(group: Any) -> list[inspect.Parameter]:  # noqa: ANN401 (any dataclass of options)
    hints = get_type_hints(group, include_extras=True)
    return [_parameter(field.name, hints[field.name], field.default) for field in fields(group)]


def _parameter(name: str, annotation: object, default: object) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)
