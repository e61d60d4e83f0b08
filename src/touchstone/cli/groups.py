"""Groups of commands: what is registered as ``module:function`` and imported when it is used."""

import ast
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache, partial
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import click

from touchstone.base.errors import closest
from touchstone.base.notes import TouchstoneWarning
from touchstone.base.spelling import as_flags
from touchstone.cli.calling import Call, calling
from touchstone.core.registry import describe_task, task_names

SETTINGS = {"help_option_names": ["-h", "--help"], "max_content_width": 100}

COMMANDS, SYSTEMS = "touchstone.commands", "touchstone.systems"
"""The groups of entry points that add commands, as ``GROUP.NAME = module:function``; systems are what makes runs."""

GROUPS = {
    "annotate": "The annotation application, in which people create the gold.",
    "annotate.project": "Projects: create them, fill them, assign their items.",
    "annotate.user": "People: invite them, list them, lock them out.",
    "lexicon": "Look up words in WordNet.",
    "text": "Analyse English: tokens, tags, lemmas, dependencies.",
}
"""The groups that are no tasks, with their help."""

TOP = {
    "make": "touchstone.cli.project:make",
    "recompute": "touchstone.cli.recompute:recompute",
    "status": "touchstone.cli.engines:status",
    "demo": "touchstone.cli.demo:demo",
}
"""The commands that belong to no group."""


@cache
def registered(kind: str, group: str) -> dict[str, EntryPoint]:
    """Return the commands of a *kind* that packages add to a group, by name."""
    points = (point for point in entry_points(group=kind) if point.name.rpartition(".")[0] == group)
    return {point.name.rpartition(".")[2]: point for point in points}


@contextmanager
def _as_command() -> Iterator[None]:
    """Let messages name flags, and leave warnings to the commands, which print them in their own way."""
    with as_flags(), warnings.catch_warnings():
        warnings.simplefilter("ignore", TouchstoneWarning)
        yield


class Group(click.Group):
    """A group whose commands are made when they are used; help lines are wrapped, never cut.

    Parameters
    ----------
    name, summary
        The name, and the line of help.
    sections
        Names of commands with what makes each, under the headings of the help.
    """

    def __init__(self, name: str, summary: str, sections: Mapping[str, Mapping[str, "Maker"]], **more: Any) -> None:  # noqa: ANN401
        super().__init__(name, help=summary, no_args_is_help=True, context_settings=SETTINGS, **more)
        self.sections = sections
        self.makers = {command: maker for section in sections.values() for command, maker in section.items()}

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 (click's)
        """Return the names of all commands."""
        return list(self.makers)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 (click's)
        """Return a command by its name, None if there is none."""
        maker = self.makers.get(cmd_name)
        return maker.make(cmd_name) if maker else None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 (click's)
        """Write the names of all commands with the first line of their help."""
        for heading, section in self.sections.items():
            if section:
                with formatter.section(heading):
                    formatter.write_dl([(name, maker.summary) for name, maker in section.items()])

    def invoke(self, ctx: click.Context) -> Any:  # noqa: ANN401 (click's)
        """Run a command; its messages name flags."""
        with _as_command():
            return super().invoke(ctx)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return a command; for a misspelt name, say which one is near."""
        near = None if args[0] in self.makers else closest(args[0], self.makers)
        if near is not None:
            ctx.fail(f"No such command {args[0]!r}. Did you mean {near!r}?")
        return super().resolve_command(ctx, args)


class Maker:
    """Makes a command when it is used, and knows the first line of its help before."""

    def __init__(self, summary: str | Callable[[], str], make: Callable[[str], click.Command]) -> None:
        self._summary = summary
        self.make = cache(make)

    @property
    def summary(self) -> str:
        """The first line of help."""
        return self._summary if isinstance(self._summary, str) else self._summary()


def of_function(reference: str) -> Maker:
    """Return what makes the command of a ``module:function``, whose help is read without importing it."""
    module, _, function = reference.partition(":")

    def make(name: str) -> click.Command:
        from touchstone.cli.commands import make_command

        return make_command(getattr(import_module(module), function), name)

    return Maker(lambda: first_line(docstring_of(module, function)), make)


def first_line(text: str) -> str:
    """Return the first paragraph of a text on one line."""
    return " ".join(text.partition("\n\n")[0].split())


def docstring_of(module: str, function: str) -> str:
    """Return the docstring of a function from the source of its module, which is not imported.

    >>> first_line(docstring_of("touchstone.cli.groups", "first_line"))
    'Return the first paragraph of a text on one line.'
    """
    package, *below = module.split(".")
    spec = find_spec(package)
    folder = Path(spec.origin).parent if spec and spec.origin else Path()
    path = folder.joinpath(*below)
    source = path.with_suffix(".py") if below and path.with_suffix(".py").is_file() else path / "__init__.py"
    for node in ast.parse(source.read_text("utf-8")).body:
        if isinstance(node, ast.FunctionDef) and node.name == function:
            return ast.get_docstring(node) or ""
    return ""


def of_entry_points(kind: str, group: str) -> dict[str, Maker]:
    """Return the commands of a *kind* that packages add to a group."""
    return {name: of_function(point.value) for name, point in registered(kind, group).items()}


def task_group(name: str) -> click.Command:
    """Return the commands of a task: the verbs of every task, its own, and the systems that make runs for it."""
    from touchstone.cli.verbs import verbs_of

    about = describe_task(name)
    sections = {
        "Commands": verbs_of(about) | of_entry_points(COMMANDS, name),
        "Systems": of_entry_points(SYSTEMS, name),
    }
    return Group(name, about.summary, sections)


def plain_group(path: str) -> click.Command:
    """Return a group that is no task, with the groups below it."""
    below = {inner.rpartition(".")[2]: inner for inner in GROUPS if inner.rpartition(".")[0] == path}
    inner_groups = {name: Maker(GROUPS[inner], partial(_inner_group, inner)) for name, inner in below.items()}
    return Group(path.rpartition(".")[2], GROUPS[path], {"Commands": of_entry_points(COMMANDS, path) | inner_groups})


def _task_summary(name: str) -> str:
    return describe_task(name).summary


def _inner_group(path: str, _: str) -> click.Command:
    return plain_group(path)


class Root(Group):
    """All commands: the tasks, the other groups, and the commands that belong to none."""

    def __init__(self, **more: Any) -> None:  # noqa: ANN401 (click's)
        tasks = {name: Maker(partial(_task_summary, name), task_group) for name in task_names()}
        others = {name: Maker(GROUPS[name], plain_group) for name in GROUPS if "." not in name}
        top = {name: of_function(reference) for name, reference in TOP.items()}
        summary = "Score text systems against human answers: which is better, by how much, and whether it is real."
        super().__init__("touchstone", summary, {"Commands": tasks | others | top}, **more)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Keep the arguments as they are given, for a result to carry the command that made it."""
        ctx.meta[__name__] = tuple(args)
        return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:  # noqa: ANN401 (click's)
        """Run a command; what it shows may ask for its arguments."""
        with calling(Call(self, ctx.meta[__name__], ctx.obj or ())):
            return super().invoke(ctx)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return a command; for the command of a task without its task, say that the task comes first."""
        if args[0] not in self.makers:
            tasks = [name for name in task_names() if args[0] in _commands_of(self.get_command(ctx, name))]
            if tasks:
                begin = f"begin with the task, such as touchstone {tasks[0]} {args[0]}"
                ctx.fail(f"{args[0]!r} is a command of {', '.join(tasks)}: {begin}")
        return super().resolve_command(ctx, args)


def _commands_of(group: click.Command | None) -> Sequence[str]:
    return list(group.makers) if isinstance(group, Group) else ()
