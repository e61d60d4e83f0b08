"""The command that is running: its arguments without its outputs, so that the same can be asked for again."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, redirect_stdout
from contextvars import ContextVar
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Any

import click

from touchstone.base.errors import TouchstoneError
from touchstone.core.registry import task_names

_VERBS = ("score", "compare", "estimate", "judge", "plan")
"""The verbs of every task that print numbers with a signature and, without output options, write nothing."""

_TASK_VERBS = {
    "mt": ("meta", "agreement", "tune"),
    "pyramid": ("analyse", "agreement", "power"),
    "nli": ("breakdown", "agreement", "verify", "baseline", "audit"),
    "items": ("agreement",),
}
"""The further commands of single tasks that do."""

OUTPUTS = ("--out", "--report", "--items", "--svg", "--kept", "--discards", "--predictions", "--paper")
"""The options that name a file to write, in all commands."""

GATES = ("--fail-if-worse", "--margin")
"""The options that set the exit code and change no number."""


@dataclass(frozen=True)
class Call:
    """A command line: the *root* of all commands, the *arguments* after ``touchstone``.

    *tables* are files that take what the command prints too, each in the format of its suffix.
    """

    root: Any
    arguments: tuple[str, ...]
    tables: tuple[Path, ...] = ()

    @property
    def repeatable(self) -> list[str] | None:
        """The arguments without outputs, with ``--json``; None for a command that cannot be done again."""
        if not is_repeatable(self.arguments):
            return None
        arguments = without_outputs(find_command(self.root, *self.arguments[:2]), self.arguments)
        if "--json" in arguments:
            return arguments
        return [*arguments[:2], "--json", *arguments[2:]] if "--" in arguments else [*arguments, "--json"]


_RUNNING: ContextVar[Call | None] = ContextVar("running", default=None)


@contextmanager
def calling(call: Call) -> Iterator[None]:
    """Let `current_call` give *call* while a command runs."""
    token = _RUNNING.set(call)
    try:
        yield
    finally:
        _RUNNING.reset(token)


def current_call() -> Call | None:
    """Return the command line that is running; None if a command is called without the root."""
    return _RUNNING.get()


def repeatable() -> dict[str, tuple[str, ...]]:
    """Return the commands of each installed task that print numbers and, without output options, write nothing."""
    return {name: (*_VERBS, *_TASK_VERBS.get(name, ())) for name in task_names()}


def is_repeatable(arguments: Sequence[str]) -> bool:
    """Say whether a command may be run again from a file: it prints numbers, and its task is installed."""
    return len(arguments) > 1 and arguments[1] in repeatable().get(arguments[0], ())


def find_command(root: Any, group: str, name: str) -> Any:  # noqa: ANN401 (commands, of click)
    """Return a command of a group."""
    members = root.get_command(click.Context(root), group)
    return members.get_command(click.Context(members), name)


def options_of(command: Any) -> dict[str, Any]:  # noqa: ANN401 (a command and its options, of click)
    """Return the options of a command by all their flags."""
    options = [parameter for parameter in command.params if parameter.param_type_name == "option"]
    return {flag: option for option in options for flag in option.opts}


def without_outputs(command: Any, arguments: Sequence[str]) -> list[str]:  # noqa: ANN401 (a command)
    """Return the arguments of a *command* without the options that name files to write or set the exit code."""
    options = options_of(command)
    written = {flag for name in (*OUTPUTS, *GATES) if name in options for flag in options[name].opts}
    remaining: list[str] = []
    words = iter(arguments)
    for word in words:
        if word == "--":
            return [*remaining, word, *words]
        before, flag, attached = _split(word, options)
        value = [] if attached or flag not in options or options[flag].is_flag else [next(words, "")]
        if flag not in written:
            remaining += [word, *value]
        elif before:
            remaining.append(before)
    return remaining


def _split(word: str, options: dict[str, Any]) -> tuple[str, str, bool]:
    """Return what stands before the last option of a word, that option, and whether its value is attached.

    Flags of one letter may share a word: in ``-qoFILE`` there is ``-q`` before ``-o``, and the value is attached.
    """
    if word.startswith("--") or not word.startswith("-"):
        flag, equals, _ = word.partition("=")
        return "", flag, bool(equals)
    for position, letter in enumerate(word[1:], 1):
        option = options.get(f"-{letter}")
        if option is not None and not option.is_flag:
            return word[:position] if position > 1 else "", f"-{letter}", position + 1 < len(word)
    return "", word, False


def run_command(root: Any, arguments: Sequence[str], tables: Sequence[Path] = ()) -> str:  # noqa: ANN401
    """Run a command in this process and return what it prints; its errors are raised as sentences.

    Parameters
    ----------
    root
        The root of all commands.
    arguments
        What stands after ``touchstone`` on the command line.
    tables
        Files that take the tables too, each in the format of its suffix.
    """
    printed = StringIO()
    try:
        with redirect_stdout(printed):
            code = root.main(list(arguments), prog_name="touchstone", standalone_mode=False, obj=tuple(tables))
    except Exception as error:
        if not hasattr(error, "format_message"):  # what click says of a command line that it cannot read
            raise
        message = " ".join(error.format_message().split()).rstrip(".")
        raise TouchstoneError(f"{message[:1].lower()}{message[1:]}") from None
    if code:
        raise TouchstoneError(f"the command ended with exit code {code}")
    return printed.getvalue()
