"""Command groups: imported when they are used, with help lines that are wrapped and never cut."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

import typer
from typer.core import TyperGroup

from touchstone.base.notes import TouchstoneWarning
from touchstone.base.spelling import as_flags
from touchstone.cli.calling import Call, calling
from touchstone.core.registry import find_task, task_names

GROUPS = {
    "lexsub": "Lexical substitution: which words could replace this one.",
    "mt": "Translation: MAXSIM and other metrics, and how well they agree with people.",
    "pyramid": "Summaries: content units, pyramid scores, and their analysis.",
    "nli": "Inference between two sentences: entailment, contradiction or neutral.",
    "items": "Any table of per-item scores, made by any tool.",
    "annotate": "The annotation application, in which people create the gold.",
    "lexicon": "Look up words in WordNet.",
    "text": "Analyse English: tokens, tags, lemmas, dependencies.",
}
"""The command groups with their help; each is the ``app`` of ``touchstone.cli.NAME``, imported when it is used."""


def _groups() -> list[str]:
    """Return the names of all groups: those of this package, then the tasks of others."""
    return [*GROUPS, *(name for name in task_names() if name not in GROUPS)]


def _group(name: str) -> typer.Typer:
    """Return the commands of a group; a task of another package has the verbs of every task."""
    if name in GROUPS:
        app: typer.Typer = import_module(f"touchstone.cli.{name}").app
        return app
    from touchstone.cli.verbs import task_app

    return task_app(find_task(name))


@contextmanager
def _as_command() -> Iterator[None]:
    """Let messages name flags, and leave warnings to the commands, which print them in their own way."""
    with as_flags(), warnings.catch_warnings():
        warnings.simplefilter("ignore", TouchstoneWarning)
        yield


class Commands(TyperGroup):
    """The command groups by name, imported when they are asked for; help lines are wrapped, never cut."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:  # noqa: ANN401 (typer's own click)
        """Keep the arguments as they are given, for a result to carry the command that made it."""
        ctx.meta[__name__] = tuple(args)
        return super().parse_args(ctx, args)

    def invoke(self, ctx: Any) -> Any:  # noqa: ANN401 (typer's own click)
        """Run a command; what it shows may ask for its arguments."""
        with calling(Call(self, ctx.meta[__name__], ctx.obj or ())), _as_command():
            return super().invoke(ctx)

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ANN401 (typer's own click)
        """Return the names of all commands."""
        return [*_groups(), *super().list_commands(ctx)]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:  # noqa: ANN401 (a command, of typer's own click)
        """Return a command by its name, None if there is none."""
        if cmd_name not in _groups():
            return super().get_command(ctx, cmd_name)
        return typer.main.get_command(_group(cmd_name))

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:  # noqa: ANN401 (typer's own click)
        """Return a command; for the command of a task without its task, say that the task comes first."""
        if self.get_command(ctx, args[0]) is None:
            tasks = [name for name in _groups() if args[0] in self.get_command(ctx, name).list_commands(ctx)]
            if tasks:
                begin = f"begin with the task, such as touchstone {tasks[0]} {args[0]}"
                ctx.fail(f"{args[0]!r} is a command of {', '.join(tasks)}: {begin}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: Any, formatter: Any) -> None:  # noqa: ANN401 (typer's own click)
        """Write the names of all commands with their help."""
        names = self.list_commands(ctx)
        rows = [(name, GROUPS.get(name) or _first_line(self.get_command(ctx, name))) for name in names]
        with formatter.section("Commands"):
            formatter.write_dl(rows)


class Verbs(TyperGroup):
    """The commands of one group; help lines are wrapped, never cut."""

    def invoke(self, ctx: Any) -> Any:  # noqa: ANN401 (typer's own click)
        """Run a command; its messages name flags."""
        with _as_command():
            return super().invoke(ctx)

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ANN401, ARG002 (typer's own click)
        """Return the names of the commands in the order in which they were added."""
        return list(self.commands)

    def format_commands(self, ctx: Any, formatter: Any) -> None:  # noqa: ANN401 (typer's own click)
        """Write the names of all commands with the first line of their help."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, _first_line(self.get_command(ctx, name))) for name in self.list_commands(ctx)])


def group_app(summary: str) -> typer.Typer:
    """Return a command group whose help is wrapped, never cut."""
    return typer.Typer(
        cls=Verbs,
        help=summary,
        no_args_is_help=True,
        add_completion=False,
        rich_markup_mode=None,
        context_settings={"help_option_names": ["-h", "--help"]},
    )


def _first_line(command: Any) -> str:  # noqa: ANN401 (a command, of typer's own click)
    text = command.help or "" if command else ""
    return " ".join(text.partition("\n\n")[0].split())
