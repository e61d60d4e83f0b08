"""A command from a function: parameters become arguments and options, the docstring becomes the help.

What the function returns is printed: a finding with the options of every finding, texts as notes.
"""

import inspect
from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from math import isfinite
from pathlib import Path
from types import MappingProxyType, NoneType, UnionType
from typing import TYPE_CHECKING, Annotated, Any, Literal, Union, cast, get_args, get_origin

import click

from touchstone.base.console import quietly, remark
from touchstone.base.options import Printed, Range, Written, not_finite
from touchstone.cli import options
from touchstone.cli.groups import SETTINGS
from touchstone.cli.output import show_finding, write_report
from touchstone.cli.parameters import As, Parameter, group_parameters, marks_of, parameters_of, read_docstring

if TYPE_CHECKING:
    from touchstone.io.writing import Kind

KINDS_OF_FILES = ("figure", "report", "paper kit", "text")
"""The kinds of outputs whose suffix is checked."""

FINDING = "Finding"
"""How a function says that it returns a finding."""


def make_command(
    function: Callable[..., Any],
    name: str | None = None,
    *,
    bound: Mapping[str, Callable[[], Any]] = MappingProxyType({}),
    special: Mapping[str, As | None] = MappingProxyType({}),
    help: str | None = None,  # noqa: A002 (the word that every command line uses)
) -> click.Command:
    """Return the command of a function.

    Parameters
    ----------
    function
        The function; its annotations may name types that only the type checker imports.
    name
        The name of the command; by default that of the function.
    bound
        Functions that find the values which the user does not give, such as the task of a verb.
    special
        Parameters that depend on the task; None leaves one out.
    help
        The help of the command; by default the docstring before its parameters.
    """
    parameters, groups = parameters_of(function, {**special, **dict.fromkeys(bound)})
    returned = str(inspect.signature(function).return_annotation)
    printing = options.OutputOptions if FINDING in returned else options.QuietOptions if "str" in returned else None
    out = next((parameter for parameter in parameters if parameter.name == "out"), None)
    output_names: list[str] = []
    if printing is not None:
        members = [member for member in group_parameters(printing) if out is None or member.name != out.name]
        parameters += members
        output_names = [member.name for member in members]
    product = next((mark for mark in marks_of(out.kind) if isinstance(mark, Printed)), None) if out else None

    def invoke(**given: Any) -> None:  # noqa: ANN401 (what click gives)
        values: dict[str, Any] = {
            key: tuple(value) if isinstance(value, list) else value for key, value in given.items()
        }
        _check_finite(values)
        _check_files(parameters, values)
        output = options.OutputOptions(**{key: values.pop(key) for key in output_names})
        if product is not None:
            values["out"] = output.file_for(product.what, values["out"])
        arguments = {key: group.take(values) for key, group in groups.items()} | values
        chosen = next((value for value in arguments.values() if isinstance(value, options.QuietOptions)), output)
        with quietly(quiet=chosen.quiet):
            outcome = function(**{key: find() for key, find in bound.items()}, **arguments)
            if outcome is None:
                return
            if printing is not options.OutputOptions:
                remark(outcome)
            elif product is not None and arguments["out"] is None:  # the product is on standard output
                write_report(output.report, outcome.page)
            else:
                show_finding(output, outcome, to_file=out is None)

    about, _ = read_docstring(inspect.getdoc(function) or "")
    return Command(
        name or function.__name__,
        params=[_click(parameter) for parameter in parameters],
        callback=invoke,
        help=help or about,
        context_settings=SETTINGS,
    )


class Command(click.Command):
    """A command whose help lists the options under a heading for each dataclass of options."""

    def format_arguments(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Leave the arguments to `format_options`, as versions of click before 8.5 do."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the arguments, then the options of each section."""
        sections: dict[str, list[tuple[str, str]]] = {}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is not None:
                last = next(reversed(sections), "Options")
                sections.setdefault(getattr(parameter, "section", last), []).append(record)
        for heading, records in sections.items():
            with formatter.section(heading):
                formatter.write_dl(records)


def _click(parameter: Parameter) -> click.Parameter:
    """Return the argument or the option of a parameter."""
    kind, marks = parameter.kind, []
    while get_origin(kind) is Annotated:
        kind, *more = get_args(kind)
        marks += more
    if get_origin(kind) in (Union, UnionType):
        kind = next(part for part in get_args(kind) if part is not NoneType)
        while get_origin(kind) is Annotated:
            kind, *more = get_args(kind)
            marks += more
    origin, parts = get_origin(kind), get_args(kind)
    repeats = origin in (list, Sequence) or (origin is tuple and parts[1:] == (...,))
    pair = origin is tuple and not repeats
    required = parameter.default is inspect.Parameter.empty
    value_type = _value_type(parts[0] if repeats or pair else kind, parameter, marks)
    # A default of None counts as a value: what is required would never be missing.
    value = parameter.default.value if isinstance(parameter.default, StrEnum) else parameter.default
    default = {} if required or value in ((), [], None) else {"default": value}
    if parameter.is_argument:
        return _Argument(
            [parameter.name], type=value_type, nargs=-1 if repeats else 1, required=required,
            metavar=parameter.metavar, help=parameter.help, **default,
        )  # fmt: skip
    return _Option(
        [parameter.name, *sorted(parameter.flags, key=len)],
        type=value_type,
        is_flag=kind is bool,
        multiple=repeats,
        nargs=len(parts) if pair else 1,
        required=required,
        help=parameter.help,
        metavar=parameter.metavar or METAVARS.get(parts[0] if repeats else kind),
        show_default=kind is not bool and bool(default),
        section=parameter.section,
        **default,
    )


METAVARS: Mapping[Any, str] = {int: "N", float: "NUMBER", str: "TEXT", Path: "FILE"}
"""The word for a value that the docstring gives none."""


class _Option(click.Option):
    """An option that knows the heading of its section."""

    def __init__(self, *names: Any, section: str, **attributes: Any) -> None:  # noqa: ANN401 (click's)
        super().__init__(*names, **attributes)
        self.section = section


class _Argument(click.Argument):
    """An argument with a line of help."""

    section = "Arguments"

    def __init__(self, *names: Any, help: str = "", **attributes: Any) -> None:  # noqa: A002, ANN401 (click's)
        super().__init__(*names, **attributes)
        self.help = help

    def make_metavar(self, ctx: click.Context) -> str:
        """Return the word for the value, in brackets where none is needed, with dots where several may be given."""
        word = super().make_metavar(ctx)
        if self.metavar is None:
            return word
        return f"{word if self.required else f'[{word}]'}{'...' if self.nargs == -1 else ''}"

    def get_help_record(self, ctx: click.Context) -> tuple[str, str]:
        """Return the word for the value, and the line of help."""
        return self.metavar or self.make_metavar(ctx), self.help or ""


def _value_type(kind: Any, parameter: Parameter, marks: Sequence[Any]) -> Any:  # noqa: ANN401 (types)
    """Return click's type of one value."""
    if get_origin(kind) is Literal:
        return click.Choice([str(value) for value in get_args(kind)])
    if isinstance(kind, type) and issubclass(kind, StrEnum):
        return click.Choice([value.value for value in kind])
    limits = next((mark for mark in marks if isinstance(mark, Range)), Range(parameter.minimum))
    if kind is int and limits != Range():
        least, most = (None if limit is None else int(limit) for limit in (limits.minimum, limits.maximum))
        return click.IntRange(least, most)
    if kind is float and limits != Range():
        return click.FloatRange(limits.minimum, limits.maximum)
    if isinstance(kind, type) and issubclass(kind, Path):
        return click.Path(path_type=Path)
    return {bool: click.BOOL, str: click.STRING, int: click.INT, float: click.FLOAT}[kind]


def _check_finite(values: Mapping[str, object]) -> None:
    """Refuse options that are nan or infinite: nan is neither below a minimum nor above a maximum."""
    for name, value in values.items():
        if isinstance(value, float) and not isfinite(value):
            raise not_finite(f"--{name.replace('_', '-')}", value)


def _check_files(parameters: Sequence[Parameter], values: Mapping[str, Any]) -> None:
    """Refuse, before any work, outputs that are inputs or each other, or whose names promise another kind of file."""
    from touchstone.io.runs import run_path
    from touchstone.io.writing import check_outputs, check_suffix

    inputs: list[Path] = []
    outputs: dict[str, Path] = {}
    for parameter in parameters:
        value = values.get(parameter.name)
        written = next((mark for mark in marks_of(parameter.kind) if isinstance(mark, Written)), None)
        if written is not None and value is not None:
            if written.kind in KINDS_OF_FILES:
                check_suffix(value, cast("Kind", written.kind))
            if written.kind != "folder":  # it may be there already, or be made with those above it
                outputs[f"{written.kind} {parameter.name}"] = value
        elif written is None:
            several = value if isinstance(value, tuple) else () if value is None else (value,)
            named = parameter.is_argument or "FILE" in (parameter.metavar or "")
            inputs += [
                run_path(str(path)) for path in several if isinstance(path, Path) or (named and str(path) == path)
            ]
    if values.get("engine") and "text out" in outputs:  # a folder of shards, which may be there already
        del outputs["text out"]
    table = next((path for name, path in outputs.items() if name.startswith("table ")), None)
    check_outputs(inputs, *(path for path in outputs.values() if path is not table), table=table)
