"""What a function says about its parameters: its signature and its docstring, as arguments and options.

A positional parameter is an argument, a keyword-only one an option. The docstring explains each once; what follows its
name there is what the command line needs besides: flags that are not the name, and a word for the value, such as
``measure : -m NAME``. A parameter whose type is a dataclass stands for one option per field.
"""

import inspect
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import MISSING, dataclass, fields, is_dataclass, replace
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin

from touchstone.base.options import Flag
from touchstone.cli import options

BUILT = {
    "Resampling": options.IntervalOptions,
    "Bootstrap": options.DrawOptions,
    "Policy": options.PolicyOptions,
    "Engine": options.EngineOptions,
}
"""Types of the library that are made from options: the name of the type and the dataclass of these options."""


@dataclass(frozen=True)
class Parameter:
    """A parameter of a function, as its signature and its docstring give it."""

    name: str
    kind: Any
    default: Any
    help: str
    flags: tuple[str, ...] = ()
    metavar: str | None = None
    minimum: float | None = None
    is_argument: bool = False
    section: str = "Options"
    """The heading under which the help lists it."""


@dataclass(frozen=True)
class As:
    """How a parameter of a verb is for one task: its type, its help, the word for its value, whether it is needed."""

    kind: Any
    help: str = ""
    metavar: str | None = None
    required: bool = False
    is_option: bool = False


@dataclass(frozen=True)
class Group:
    """A dataclass of options that is one argument of a function, with its fields; or what is built from it."""

    kind: Any
    members: tuple[str, ...]
    is_built: bool

    def take(self, values: dict[str, Any]) -> Any:  # noqa: ANN401 (a dataclass of options, or what it makes)
        """Return the argument, from the values of its options, which are taken out."""
        group = self.kind(**{member: values.pop(member) for member in self.members})
        return group.build() if self.is_built else group


def parameters_of(
    function: Callable[..., Any], special: Mapping[str, As | None]
) -> tuple[list[Parameter], dict[str, Group]]:
    """Return the parameters of a function, and which of them belong to a dataclass of options, by the function's names.

    Parameters
    ----------
    function
        The function; its annotations may name types that only the type checker imports.
    special
        Parameters that depend on the task; None leaves one out.
    """
    _, documented = read_docstring(inspect.getdoc(function) or "")
    parameters: list[Parameter] = []
    groups: dict[str, Group] = {}
    for key, declared in inspect.signature(function).parameters.items():
        if special.get(key, declared) is None:
            continue
        way = special.get(key)
        kind = way.kind if way else resolved(declared.annotation, function)
        group = BUILT[kind] if isinstance(kind, str) else kind
        if is_dataclass(group):
            members = list(group_parameters(group))
            groups[key] = Group(group, tuple(member.name for member in members), isinstance(kind, str))
            parameters += members
            continue
        spelt, text = documented.get(key, ("", ""))
        default, is_argument = declared.default, declared.kind is not inspect.Parameter.KEYWORD_ONLY
        if way:
            spelt, text = f"{spelt} {way.metavar or ''}".strip(), way.help or text
            is_argument = is_argument and not way.is_option
            if way.required or default is inspect.Parameter.empty:
                default = inspect.Parameter.empty if way.required else None
        parameters.append(_parameter(key, kind, default, text, spelt, is_argument=is_argument))
    return parameters, groups


def resolved(annotation: Any, function: Callable[..., Any]) -> Any:  # noqa: ANN401 (a type)
    """Return the type that an annotation stands for; a text that only names a type of the library stays a text.

    >>> resolved("Policy | None", resolved)
    'Policy'
    """
    if not isinstance(annotation, str):
        return annotation
    name = annotation.removesuffix(" | None")
    return name if name in BUILT else eval(annotation, vars(inspect.getmodule(function)))


_PARAMETERS = re.compile(r"\n\n?Parameters\n-{5,}\n")
_SECTION = re.compile(r"\n\n[A-Z][a-z]+\n-{4,}\n")


def read_docstring(text: str) -> tuple[str, dict[str, tuple[str, str]]]:
    r"""Return what a docstring says about the function, and of each parameter: what follows its name, and the text.

    >>> read_docstring("Do it.\n\nParameters\n----------\nword : -w WORD\n    The word.")
    ('Do it.', {'word': ('-w WORD', 'The word.')})
    """
    about, *after = _PARAMETERS.split(text, maxsplit=1)
    documented: dict[str, tuple[str, str]] = {}
    names: list[str] = []
    for line in (_SECTION.split(after[0])[0] if after else "").split("\n"):
        if line.startswith(" "):
            for name in names:
                spelt, words = documented[name]
                documented[name] = (spelt, f"{words} {line.strip()}".strip())
        elif line:
            listed, _, spelt = line.partition(" : ")
            names = [name.strip() for name in listed.split(",")]
            documented |= dict.fromkeys(names, (spelt, ""))
    return about.strip(), documented


def group_parameters(group: Any) -> Iterator[Parameter]:  # noqa: ANN401 (a dataclass)
    """Yield the options of a dataclass: each field explains itself in its metadata, or the docstring does."""
    documented: dict[str, tuple[str, str]] = {}
    section = ""
    for parent in reversed(group.__mro__):
        about, more = read_docstring(inspect.cleandoc(parent.__dict__.get("__doc__") or ""))
        section, documented = about.partition("\n")[0].rstrip("."), documented | more
    for field in fields(group):
        default = () if field.default is MISSING else field.default
        kind = resolved(field.type, group)
        flag: Flag | None = field.metadata.get("flag")
        spelt, text = documented.get(field.name, ("", ""))
        if flag is not None:
            spelt, text = f"{flag.name or ''} {flag.metavar or ''}".strip(), flag.help
        parameter = _parameter(field.name, kind, default, text, spelt, minimum=flag.minimum if flag else None)
        yield replace(parameter, section=section)


def _parameter(
    name: str,
    kind: Any,  # noqa: ANN401 (a type)
    default: Any,  # noqa: ANN401
    text: str,
    spelt: str,
    *,
    is_argument: bool = False,
    minimum: float | None = None,
) -> Parameter:
    words = [word.rstrip(",") for word in spelt.split()]
    flags = [word for word in words if word.startswith("-") and word != "-"]
    metavar = " ".join(word for word in words if word not in flags) or None
    if not any(flag.startswith("--") for flag in flags):
        flags.insert(0, f"--{name.replace('_', '-')}")
    return Parameter(name, kind, default, text, tuple(flags), metavar, minimum, is_argument)


def marks_of(kind: Any) -> Iterator[Any]:  # noqa: ANN401 (a type)
    """Yield what is noted of a type, such as a `Range` or what is `Written` to a file."""
    if get_origin(kind) is Annotated:
        inner, *marks = get_args(kind)
        yield from marks
        yield from marks_of(inner)
    elif get_origin(kind) in (Union, UnionType):
        for part in get_args(kind):
            yield from marks_of(part)
