"""``touchstone recompute``: make a result again from the command that it carries, and compare the two."""

import json
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from contextlib import chdir
from dataclasses import dataclass
from math import isclose
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from touchstone.base.errors import TouchstoneError
from touchstone.cli.calling import REPEATABLE, find_command, is_repeatable, run_command, without_outputs
from touchstone.cli.options import OutputOptions, with_options
from touchstone.cli.output import remark, show

if TYPE_CHECKING:
    from touchstone.base.tables import Cell, Table

CLOSE = 1e-9
"""The relative difference below which two numbers are the same: far below what is printed, above what libraries of
linear algebra differ by."""

SHOWN = 50
"""Values that differ and are listed in a table; ``--json`` lists all."""

NAMING = ("measure", "metric", "system", "group", "a", "b", "name")
"""The fields of a JSON object that say what its numbers are about."""


@with_options
def recompute(
    context: typer.Context,
    result: Annotated[Path, typer.Argument(metavar="RESULT.json", help="The output of a command with --json.")],
    *,
    output: OutputOptions,
) -> None:
    """Compute a result again and compare: the same numbers, or which input and which values changed (exit code 1).

    Example: touchstone recompute results.json
    """
    from touchstone import __version__
    from touchstone.io.writing import check_outputs

    check_outputs([result], output.out)
    old = _read(result)
    again = _run(context.find_root().command, old["command"], result)
    known = old["signature"].get("touchstone")
    if known not in (None, __version__):
        remark([f"the result was made by touchstone {known}; this is {__version__}"], output)
    try:
        found = compare_results(old, again, _systems(context.find_root().command, old["command"]))
    except (LookupError, TypeError, ArithmeticError, AttributeError, RecursionError):
        what, hint = "is not a result that touchstone printed", "give the output of a command with --json"
        raise TouchstoneError(what, file=str(result), hint=hint) from None
    show(output, found.tables(), found.to_dict, sentences=[found.sentence])
    if not found.same:
        raise typer.Exit(1)


@dataclass(frozen=True)
class Changed:
    """Something that two results do not have in common: a part of the signature, or a value."""

    name: str
    old: object
    new: object

    @property
    def difference(self) -> float | None:
        """The difference of two numbers, None of anything else."""
        return self.new - self.old if _is_number(self.old) and _is_number(self.new) else None  # type: ignore[operator]

    def to_dict(self) -> dict[str, object]:
        """Return what differs, ready for JSON."""
        return {"name": self.name, "old": self.old, "new": self.new, "difference": self.difference}


@dataclass(frozen=True)
class Recomputed:
    """A stored result and the same result computed again: which parts of the signature and which values changed."""

    signature: Mapping[str, str]
    count: int
    parts: Sequence[Changed]
    values: Sequence[Changed]

    @property
    def same(self) -> bool:
        """Whether signature and values are the same; the version of touchstone may be another."""
        return not self.parts and not self.values

    @property
    def sentence(self) -> str:
        """The outcome."""
        from touchstone.base.signature import content_digest

        digest = f"signature {content_digest(signature=[dict(self.signature)])}"
        if self.same:
            return f"the same: {self.count:,} values, {digest}"
        parts = ", ".join(part.name for part in self.parts) or "nothing of the signature"
        return f"not the same: {parts} changed, and {len(self.values):,} of {self.count:,} values; {digest} before"

    def tables(self) -> list["Table"]:
        """Return the parts of the signature that changed, then the values."""
        from touchstone.base.tables import Column, Table

        columns = [Column("signature"), Column("old"), Column("new")]
        parts = [[part.name, *_pair(part)] for part in self.parts]
        headings = [Column("value"), *(Column(name, "right") for name in ("old", "new", "difference"))]
        values = [[one.name, *_pair(one), _brief(one.difference)] for one in self.values[:SHOWN]]
        more = len(self.values) - SHOWN
        notes = [f"… and {more:,} more, which --json lists"] if more > 0 else []
        found = [Table(columns, parts)] if parts else []
        return [*found, Table(headings, values, notes=notes)] if values else found

    def to_dict(self) -> dict[str, object]:
        """Return the outcome, ready for JSON."""
        return {
            "same": self.same,
            "count": self.count,
            "parts": [part.to_dict() for part in self.parts],
            "values": [value.to_dict() for value in self.values],
        }


_VERBS = dict.fromkeys(verb for verbs in REPEATABLE.values() for verb in verbs)
_CARRY = f"these commands print results that can be recomputed, with --json: {', '.join(_VERBS)}"


def _read(path: Path) -> dict[str, Any]:
    """Return a result that carries its command; refuse anything else."""
    from touchstone.io.jsonl import parse_json
    from touchstone.io.text import read_text

    text, source = read_text(path)
    data = parse_json(text, file=source.name)
    if not isinstance(data, dict) or not isinstance(data.get("signature"), dict):
        raise TouchstoneError("is not a result that can be recomputed", file=source.name, hint=_CARRY)
    command = data.get("command")
    if not isinstance(command, list) or not all(isinstance(word, str) for word in command):
        raise TouchstoneError("this result does not say which command produced it", file=source.name, hint=_CARRY)
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
    own = next((text for text in measures if ":" in text), None)
    if own is not None:
        hint = f"if you trust that code, run it yourself: {written}"
        raise TouchstoneError("names Python code, which is not run from a file", file=name, value=own, hint=hint)
    inputs = [text for one in leaf.params if one.param_type_name == "argument" for text in _texts(values[one.name])]
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
        return [text for one in value for text in _texts(one)]
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

    return any(one and split_column(folder / one)[0].exists() for one in (text, text.partition("=")[2]))


def _systems(root: Any, command: list[str]) -> list[str]:  # noqa: ANN401 (the root of all commands)
    """Return the names of the systems that a command names as runs, in their order; none where the gold has them."""
    from touchstone.io.runs import run_files

    values = find_command(root, *command[:2]).make_context(command[1], command[2:]).params
    try:
        return [files.name for files in run_files(values.get("runs") or ())]
    except TouchstoneError:
        return []


def compare_results(old: Mapping[str, Any], new: Mapping[str, Any], systems: Sequence[str] = ()) -> Recomputed:
    """Compare two results: signature part by part without the version, then every value; *systems* name the runs.

    >>> row = {"kind": "value", "system": "a", "measure": "f"}
    >>> before = {"title": "Scores", "signature": {"gold": "#1"}, "rows": [{**row, "value": 0.5}]}
    >>> after = {"title": "Scores", "signature": {"gold": "#2"}, "rows": [{**row, "value": 0.75}]}
    >>> found = compare_results(before, after)
    >>> [part.name for part in found.parts], [(value.name, value.difference) for value in found.values]
    (['gold'], [('f a, value', 0.25)])
    """
    signatures = [{k: v for k, v in one["signature"].items() if k != "touchstone"} for one in (old, new)]
    values = [dict(_numbered(_leaves(_rows(one)))) for one in (old, new)]
    counted = sum(value is not None for value in values[0].values())
    parts = [piece for part in _changes(*signatures) for piece in _pieces(part, systems)]
    return Recomputed(old["signature"], counted, parts, _changes(*values))


GATE_ROWS = ("gate", "loss")
"""Kinds of rows that are not compared: the command is run again without its gate."""


def _rows(result: Mapping[str, Any]) -> Any:  # noqa: ANN401 (any value of JSON)
    """Return the rows of a result, without their kind: no other part has numbers of its own."""
    if "title" not in result:
        return _without_signature(result, result["signature"])
    rows = [row for row in result["rows"] if row["kind"] not in GATE_ROWS]
    return {"rows": [{name: value for name, value in row.items() if name != "kind"} for row in rows]}


def _pieces(part: Changed, systems: Sequence[str]) -> list[Changed]:
    """Return what changed of a part that lists several things, such as one of the systems; else the part itself."""
    old, new = (re.split(r"[,;] (?![^(]*\))", str(text)) for text in (part.old, part.new))
    if part.name == "systems" and len(old) == len(new) == len(systems) == 1:
        return [Changed(f"system {systems[0]}", part.old, part.new)]
    if len(old) != len(new) or len(old) == 1:
        return [part]
    named = part.name == "systems" and len(systems) == len(old)
    names = systems if named else [f"{place} of {len(old)}" for place in range(1, len(old) + 1)]
    pieces = zip(names, old, new, strict=True)
    return [Changed(f"{part.name} ({name})", a, b) for name, a, b in pieces if a != b]


def _changes(old: Mapping[str, object], new: Mapping[str, object]) -> list[Changed]:
    both = {**old, **new}
    return [Changed(name, old.get(name), new.get(name)) for name in both if not _equal(old.get(name), new.get(name))]


def _equal(a: Any, b: Any) -> bool:  # noqa: ANN401 (any value of JSON)
    if isinstance(a, float) or isinstance(b, float):
        return _is_number(a) and _is_number(b) and isclose(a, b, rel_tol=CLOSE, abs_tol=CLOSE / 1000)
    return type(a) is type(b) and a == b


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _without_signature(data: Any, signature: Mapping[str, object]) -> Any:  # noqa: ANN401 (any value of JSON)
    """Return *data* without its command, gate and signature; of signatures further down what the first does not say."""
    if isinstance(data, list):
        return [_without_signature(one, signature) for one in data]
    if not isinstance(data, dict):
        return data
    kept = {key: _without_signature(value, signature) for key, value in data.items() if key not in _ASIDE}
    inner = data.get("signature")
    own = {key: value for key, value in inner.items() if key not in signature} if isinstance(inner, dict) else {}
    return kept | own


_ASIDE = ("signature", "command", "gate", "headline", "leader", "rank_ranges")
"""Parts without numbers of their own. A gate is not asked for again; headlines and ranks follow from the pairs."""


def _leaves(data: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], object]]:  # noqa: ANN401
    """Yield every value with the names that lead to it; rows of tables are named by their first cell."""
    if isinstance(data, dict) and isinstance(data.get("rows"), list) and isinstance(data.get("columns"), list):
        for place, row in enumerate(data["rows"], 1):
            name = next((cell for cell in row if isinstance(cell, str) and cell), str(place))
            for column, cell in zip(data["columns"], row, strict=False):
                yield (*path[:-1], str(data.get("title") or path[-1]), name, str(column)), cell
    elif isinstance(data, dict):
        for key, value in data.items():
            yield from _leaves(value, (*path, key))
    elif isinstance(data, list):
        for place, value in enumerate(data, 1):
            names = [key for key in NAMING if value.get(key)] if isinstance(value, dict) else []
            last = " ".join(str(value[key]) for key in names) or f"{path[-1]} {place}"
            others = {key: one for key, one in value.items() if key not in names} if names else value
            yield from _leaves(others, (*path[:-1], last))
    else:
        yield path, data


def _numbered(leaves: Iterator[tuple[tuple[str, ...], object]]) -> Iterator[tuple[str, object]]:
    """Yield each value under one text; the second of the same name has a number."""
    seen: dict[str, int] = {}
    for path, value in leaves:
        name = ", ".join(path)
        seen[name] = seen.get(name, 0) + 1
        yield name if seen[name] == 1 else f"{name} ({seen[name]})", value


def _pair(changed: Changed) -> "list[Cell]":
    """Return old and new as a table shows them: in few digits, in all where few look the same."""
    old, new = _brief(changed.old), _brief(changed.new)
    return [old, new] if old != new else [repr(changed.old), repr(changed.new)]


def _brief(value: object) -> str:
    if value is None:
        return "–"
    return f"{value:.6g}" if isinstance(value, float) else str(value)
