"""``touchstone make``: the tables and reports of a project file, written by the commands themselves."""

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import chdir, redirect_stderr
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import click

from touchstone.base.console import remark
from touchstone.base.errors import TouchstoneError, nearest
from touchstone.cli.calling import GATES, OUTPUTS, find_command, options_of, repeatable, run_command
from touchstone.cli.output import FORMATS
from touchstone.io.runs import run_path
from touchstone.io.writing import TABLE_SUFFIXES

KEYS = ("task", "verb", "gold", "systems", "measures", "options", "outputs")

TABLES = (*FORMATS, ".json")
FLAGS = {".html": "--report", **dict.fromkeys(TABLE_SUFFIXES, "--items"), ".svg": "--svg"}
"""The option that writes a file of a suffix; `TABLES` are what a command prints."""

ELSEWHERE = {
    **dict.fromkeys(("--json", "--format", *OUTPUTS), "name a file in outputs: its suffix is the format"),
    **dict.fromkeys(GATES, "give it to the command itself: touchstone TASK compare"),
    "--measure": "list them in measures",
    **dict.fromkeys(("--quiet", "--help"), "leave it out"),
}
"""Options that an entry does not take among its options, and what to do instead."""


PROJECT = Path("touchstone.toml")


def make(names: Sequence[str] = (), *, file: Path = PROJECT, check: bool = False) -> None:
    """Write all tables and reports of a project file, and list what changed.

    Example: touchstone make --check

    Parameters
    ----------
    names : NAME
        Entries to make; all by default.
    file : FILE
        The project file.
    check
        Write nothing; exit code 1 if an output would change.
    """
    entries = _read(file)
    strange = next((name for name in names if name not in entries), None)
    if strange is not None:
        hint = f"known: {', '.join(entries)}"
        raise TouchstoneError("no such entry", file=str(file), value=strange, near=nearest(strange, entries), hint=hint)
    chosen = list(dict.fromkeys(names or entries))
    root, failed, changed = click.get_current_context().find_root().command, False, False
    with chdir(file.resolve().parent):
        taken: dict[Path, str] = {}
        for name in chosen:
            try:
                entry = parse_entry(root, name, entries[name], str(file))
                _claim(entry, taken, str(file))
                for output, state in _made(root, entry, write=not check):
                    changed |= state != "unchanged"
                    click.echo(f"{output}: {f'would be {state}' if check and state != 'unchanged' else state}")
            except TouchstoneError as error:
                failed = True
                click.echo(f"error: {'' if error.faults[0].file == str(file) else f'{name}: '}{error}", err=True)
    if failed or (check and changed):
        raise click.exceptions.Exit(2 if failed else 1)


@dataclass(frozen=True)
class Entry:
    """One entry of a project file: the command that it stands for, and the files that it makes."""

    name: str
    arguments: tuple[str, ...]
    inputs: tuple[Path, ...]
    outputs: tuple[Path, ...]


def _read(path: Path) -> dict[str, dict[str, Any]]:
    """Return the entries of a project file by name, unchecked."""
    from touchstone.io.text import read_text

    if not path.exists():
        hint = "write one with an entry such as [scores.main], or name another with --file"
        raise TouchstoneError("there is no such project file", file=str(path), hint=hint)
    text, source = read_text(path)
    try:
        document = tomllib.loads(text)
    except RecursionError:
        raise TouchstoneError("is nested too deeply", file=str(path)) from None
    except ValueError as error:
        raise TouchstoneError(f"is not TOML ({error})", file=source.name) from None
    strange = next((key for key in document if key != "scores"), None)
    if strange is not None:
        near = nearest(strange, ["scores"])
        raise TouchstoneError("unknown key", file=source.name, value=strange, near=near, hint="known: [scores.NAME]")
    entries = document.get("scores")
    if not isinstance(entries, dict) or not entries or not all(isinstance(entry, dict) for entry in entries.values()):
        raise TouchstoneError("has no entry", file=source.name, hint="write one under a name: [scores.main]")
    return entries


def parse_entry(root: Any, name: str, settings: Mapping[str, Any], file: str) -> Entry:  # noqa: ANN401
    """Return the command that an entry stands for; refuse what no command takes, with the nearest that one does.

    Parameters
    ----------
    root
        The root of all commands.
    name, settings
        The name of the entry, and what the file says about it.
    file
        The project file, for messages.
    """
    location = _Location(file, f"scores.{name}")
    for key in settings:
        location.check("key", key, KEYS, key)
    task, verb = location.text(settings, "task", None), location.text(settings, "verb", "score")
    verbs = repeatable()
    location.check("task", task, tuple(verbs), "task")
    location.check(f"verb of {task}", verb, (*verbs[task], "explain"), "verb")
    flags = options_of(find_command(root, task, verb))
    gold = location.texts(settings.get("gold"), "gold")
    systems = _systems(settings.get("systems", ()), location)
    options = list(_options(settings, flags, f"{task} {verb}", location))
    outputs = location.texts(settings.get("outputs"), "outputs")
    _check_outputs(outputs, flags, f"{task} {verb}", location)
    inputs = [text.partition("=")[2] or text for text in (*gold, *systems, *options)]
    if "-" in (*inputs, *outputs):
        raise location.error("outputs" if "-" in outputs else "gold", "is a pipe, but a project needs files")
    words = [f"./{argument}" if argument.startswith("-") else argument for argument in (*gold, *systems)]
    existing = tuple(path for path in map(run_path, inputs) if path.exists())
    return Entry(name, (task, verb, *words, *options), existing, tuple(map(Path, outputs)))


@dataclass(frozen=True)
class _Location:
    """An entry of a project file, as messages name it."""

    file: str
    path: str

    def error(
        self, key: str, what: str, value: str | None = None, near: str | None = None, hint: str | None = None
    ) -> TouchstoneError:
        return TouchstoneError(what, file=self.file, line=f"{self.path}.{key}", value=value, near=near, hint=hint)

    def check(self, what: str, value: str, choices: Sequence[str], key: str) -> None:
        if value not in choices:
            hint = f"known: {', '.join(choices)}"
            raise self.error(key, f"unknown {what}", value, nearest(value, choices), hint)

    def text(self, settings: Mapping[str, Any], key: str, default: str | None) -> str:
        value = settings.get(key, default)
        if not isinstance(value, str):
            raise self.error(key, "is not given" if value is None else "must be a text")
        return value

    def texts(self, value: Any, key: str) -> list[str]:  # noqa: ANN401 (any value of TOML)
        """Return the texts of a key that must have some: one, or a list of them."""
        listed = [value] if isinstance(value, str) else value
        if (
            not isinstance(listed, list)
            or not listed
            or not all(isinstance(element, str) and element for element in listed)
        ):
            raise self.error(key, "is not given" if value is None else "must be a text or a list of texts")
        return listed


def _systems(systems: Any, location: _Location) -> list[str]:  # noqa: ANN401 (any value of TOML)
    """Return runs as the command line takes them: ``NAME=FILE`` where they have names."""
    if not isinstance(systems, dict):
        return location.texts(systems, "systems") if systems else []
    unfit = next((name for name in systems if "=" in name or not name), None)
    if unfit is not None:
        raise location.error("systems", "the name of a system cannot be empty or contain an equals sign", unfit)
    return [f"{name}={path}" for name, files in systems.items() for path in location.texts(files, f"systems.{name}")]


def _options(settings: Mapping[str, Any], flags: Mapping[str, Any], command: str, location: _Location) -> Iterator[str]:
    """Yield measures and options as the command line takes them."""
    measures = location.texts(settings["measures"], "measures") if "measures" in settings else []
    if measures and "--measure" not in flags:
        raise location.error("measures", f"touchstone {command} takes no measures")
    yield from (f"--measure={name}" for name in measures)
    options = settings.get("options", {})
    if not isinstance(options, dict):
        raise location.error("options", "must be a table", hint='write options = {by = "category"}')
    accepted_flags = [flag for flag in flags if flag.startswith("--") and flag not in ELSEWHERE]
    for key, value in options.items():
        flag = f"--{key.replace('_', '-')}"
        if flag in ELSEWHERE:
            raise location.error(f"options.{key}", "is not for options", hint=ELSEWHERE[flag])
        if flag not in accepted_flags:
            names = [accepted[2:] for accepted in accepted_flags]
            what = f"unknown option of touchstone {command}"
            raise location.error(f"options.{key}", what, key, nearest(flag[2:], names), f"known: {', '.join(names)}")
        yield from _option(flag, value, flags[flag], location.error(f"options.{key}", "does not take this value"))


def _option(flag: str, value: Any, option: Any, fault: TouchstoneError) -> Iterator[str]:  # noqa: ANN401
    values = value if isinstance(value, list) and option.multiple else [value]
    for element in values:
        if isinstance(element, bool) is not option.is_flag or not isinstance(element, str | int | float):
            raise fault
        if not option.is_flag:
            yield f"{flag}={element}"
        elif element:
            yield flag


def _check_outputs(outputs: Sequence[str], flags: Mapping[str, Any], command: str, location: _Location) -> None:
    """Refuse suffixes that the command cannot write, and two outputs that one option would have to name."""
    used: dict[str, str] = {}
    for output in outputs:
        suffix = Path(output).suffix
        location.check("suffix", suffix, (*TABLES, *FLAGS), "outputs")
        flag = FLAGS.get(suffix)
        if flag is not None and flag not in flags:
            raise location.error("outputs", f"touchstone {command} does not write {suffix}", output)
        if flag is not None and used.setdefault(flag, output) != output:
            raise location.error("outputs", f"two files for {flag}: {used[flag]} and {output}", hint="name one of them")


def _claim(entry: Entry, taken: dict[Path, str], file: str) -> None:
    """Refuse outputs that are inputs, or outputs of another entry."""
    from touchstone.io.writing import check_outputs

    check_outputs(entry.inputs, *entry.outputs)
    for output in entry.outputs:
        other = taken.setdefault(output.resolve(), entry.name)
        if other != entry.name:
            location = _Location(file, f"scores.{entry.name}")
            raise location.error("outputs", f"is also an output of {other}", str(output), hint="name another output")


def _made(root: Any, entry: Entry, *, write: bool) -> Iterator[tuple[Path, str]]:  # noqa: ANN401
    """Run the command of an entry once, and yield each output with its state: new, changed or unchanged."""
    with TemporaryDirectory() as scratch:
        drafts = {
            output: Path(scratch) / f"{output_index}{output.suffix}"
            for output_index, output in enumerate(entry.outputs)
        }
        flags = [f"{FLAGS[output.suffix]}={draft}" for output, draft in drafts.items() if output.suffix in FLAGS]
        tables = [draft for output, draft in drafts.items() if output.suffix in TABLES]
        with redirect_stderr(StringIO()) as stderr:
            run_command(root, [*entry.arguments, *flags], tables)
        notes = [line.removeprefix("note: ") for line in stderr.getvalue().splitlines() if scratch not in line]
        remark(f"{entry.name}: {note}" for note in notes)
        for output, draft in drafts.items():
            yield output, _put(draft.read_bytes(), output, write=write)


def _put(content: bytes, output: Path, *, write: bool) -> str:
    """Write an output where it is not the same already, and return its state."""
    from touchstone.io.writing import replacing

    state = "new" if not output.is_file() else "unchanged" if output.read_bytes() == content else "changed"
    if write and state != "unchanged":
        with replacing(output) as beside:
            beside.write_bytes(content)
    return state
