"""``touchstone recompute``: make a result again from the command that it carries, and compare the two."""

import json
import shlex
from collections.abc import Sequence
from contextlib import chdir
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from touchstone.base.console import remark
from touchstone.base.errors import TouchstoneError
from touchstone.cli.calling import find_command, is_repeatable, repeatable, run_command, without_outputs

if TYPE_CHECKING:
    from touchstone.show.finding import Finding


def recompute(result: Path) -> "Finding":
    """Compute a result again and compare: the same numbers, or which input and which values changed (exit code 1).

    Example: touchstone recompute results.json

    Parameters
    ----------
    result : RESULT.json
        The output of a command with --json.
    """
    from touchstone import __version__
    from touchstone.cli.recomputed import compare_results

    root = click.get_current_context().find_root().command
    old = _read(result)
    again = _run(root, old["command"], result)
    old_version = old["signature"].get("touchstone")
    if old_version not in (None, __version__):
        remark([f"the result was made by touchstone {old_version}; this is {__version__}"])
    try:
        return compare_results(old, again, _systems(root, old["command"]))
    except (LookupError, TypeError, ArithmeticError, AttributeError, RecursionError):
        what, hint = "is not a result that touchstone printed", "give the output of a command with --json"
        raise TouchstoneError(what, file=str(result), hint=hint) from None


def _hint() -> str:
    verbs = dict.fromkeys(verb for verbs in repeatable().values() for verb in verbs)
    return f"these commands print results that can be recomputed, with --json: {', '.join(verbs)}"


def _read(path: Path) -> dict[str, Any]:
    """Return a result that carries its command; refuse anything else."""
    from touchstone.io.jsonl import parse_json
    from touchstone.io.text import read_text

    text, source = read_text(path)
    data = parse_json(text, file=source.name)
    if not isinstance(data, dict) or not isinstance(data.get("signature"), dict):
        raise TouchstoneError("is not a result that can be recomputed", file=source.name, hint=_hint())
    command = data.get("command")
    if not isinstance(command, list) or not all(isinstance(word, str) for word in command):
        raise TouchstoneError("this result does not say which command produced it", file=source.name, hint=_hint())
    return data


def _run(root: Any, command: list[str], result: Path) -> dict[str, Any]:  # noqa: ANN401 (the root of all commands)
    """Return the result of a command that a file asks for; refuse all that would do more than print numbers."""
    name = str(result)
    written = f"touchstone {shlex.join(command)}"
    if not is_repeatable(command):
        hint = "only commands that print numbers with a signature are run again"
        raise TouchstoneError("asks for a command that is not run from a file", file=name, value=written, hint=hint)
    leaf = find_command(root, *command[:2])
    if without_outputs(leaf, command) != command:
        raise TouchstoneError("asks for a command that writes files", file=name, value=written)
    values = _values(leaf, command[2:], name)
    measures = [text for option in ("measure", "tuned") for text in _texts(values.get(option))]
    code_measure = next((text for text in measures if ":" in text), None)
    if code_measure is not None:
        hint = f"if you trust that code, run it yourself: {written}"
        raise TouchstoneError(
            "names Python code, which is not run from a file", file=name, value=code_measure, hint=hint
        )
    inputs = [
        text
        for parameter in leaf.params
        if parameter.param_type_name == "argument"
        for text in _texts(values[parameter.name])
    ]
    everything = [text for value in values.values() for text in _texts(value)]
    if any(text.partition("=")[2] == "-" or text in ("-", "/dev/stdin") for text in everything):
        hint = "save the input in a file, and compute the result from that file"
        raise TouchstoneError("was computed from standard input, which cannot be read again", file=name, hint=hint)
    with chdir(_folder(inputs, result)):
        printed = run_command(root, [*command[:2], *([] if {"--quiet", "-q"} & set(command) else ["-q"]), *command[2:]])
    try:
        again: dict[str, Any] = json.loads(printed)
    except ValueError:
        raise TouchstoneError("its command prints no JSON", file=name, value=written) from None
    return again


def _values(leaf: Any, arguments: Sequence[str], name: str) -> dict[str, Any]:  # noqa: ANN401 (a command)
    """Return the arguments and options of a command by name, without running it."""
    try:
        parsed: dict[str, Any] = leaf.make_context(leaf.name, list(arguments)).params
    except Exception as error:
        if not hasattr(error, "format_message"):
            raise TouchstoneError("its command cannot be read", file=name) from None
        raise TouchstoneError(f"its command cannot be read ({error.format_message().rstrip('.')})", file=name) from None
    return parsed


def _texts(value: object) -> list[str]:
    if isinstance(value, list | tuple):
        return [text for element in value for text in _texts(element)]
    return [str(value)] if isinstance(value, str | Path) else []


def _folder(inputs: Sequence[str], result: Path) -> Path:
    """Return the folder that has the inputs: the current one, or that of the result."""
    for folder in (Path(), result.parent):
        missing = [text for text in inputs if not _is_there(folder, text)]
        if not missing:
            return folder
    hint = "run this in the folder where the command was run, or keep the result in the folder of its inputs"
    raise TouchstoneError("an input of this result is missing", file=str(result), value=missing[0], hint=hint)


def _is_there(folder: Path, text: str) -> bool:
    from touchstone.io.runs import split_column

    return any(
        candidate and split_column(folder / candidate)[0].exists() for candidate in (text, text.partition("=")[2])
    )


def _systems(root: Any, command: list[str]) -> list[str]:  # noqa: ANN401 (the root of all commands)
    """Return the names of the systems that a command names as runs, in their order; none where the gold has them."""
    from touchstone.io.runs import run_files

    values = find_command(root, *command[:2]).make_context(command[1], command[2:]).params
    try:
        return [files.name for files in run_files(values.get("runs") or ())]
    except TouchstoneError:
        return []
