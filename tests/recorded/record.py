"""Records what commands print as JSON, so that a change of the code that should change no number can be shown to."""

import contextlib
import gzip
import io
import json
import os
import shlex
import sys
import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path

import touchstone

HERE = Path(__file__).parent
EXAMPLES = Path(touchstone.__file__).parent / "examples"
RECORDED = HERE / "recorded.json.gz"
"""The numbers of every command, and the names beside them, by path, as `scalars` gives them."""

TEMPORARY = "TEMPORARY"
"""Stands in a command for a folder of its own, for what it writes."""


def commands() -> list[tuple[str, str]]:
    """Return the folder and the words of every command."""
    lines = [line for line in (HERE / "commands.txt").read_text("utf-8").splitlines() if line[:1] not in ("", "#")]
    return [(folder, words) for folder, _, words in (line.partition(": ") for line in lines)]


def folder_of(name: str) -> Path | None:
    """Return the folder in which a command runs; None where it needs real data and there are none."""
    if not name.startswith("data/"):
        return EXAMPLES / name
    root = os.environ.get("TOUCHSTONE_DATA")
    return Path(root) / name.removeprefix("data/") if root else None


def printed(folder: Path, words: str) -> object:
    """Run a command in a folder, and return the JSON that it prints."""
    from touchstone.cli import main

    before, arguments = Path.cwd(), sys.argv
    out, err = io.StringIO(), io.StringIO()
    os.chdir(folder)
    try:
        with (
            tempfile.TemporaryDirectory() as temporary,
            contextlib.redirect_stdout(out),
            contextlib.redirect_stderr(err),
            warnings.catch_warnings(),
        ):
            given = [word.replace(TEMPORARY, temporary) for word in shlex.split(words)]
            sys.argv = ["touchstone", *given, "--json"]
            main()
    except SystemExit as left:
        if left.code not in (None, 0, 1):
            raise AssertionError(f"touchstone {words}: {err.getvalue()}") from left
    finally:
        os.chdir(before)
        sys.argv = arguments
    return json.loads(out.getvalue())


Scalar = float | str | bool | None

PROSE = ("signature", "command", "notes", "remark", "reason", "headline", "heading")
"""Keys of what is no number and names none."""


def scalars(value: object, path: str = "") -> Iterator[tuple[str, Scalar]]:
    """Yield every number, name and truth value of a JSON value with its path, such as ``results/0/value``."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if key not in PROSE:
                yield from scalars(inner, f"{path}/{key}" if path else key)
    elif isinstance(value, list):
        for position, inner in enumerate(value):
            yield from scalars(inner, f"{path}/{position}")
    elif value is None or isinstance(value, int | float | str):
        yield path, value


def is_number(value: Scalar) -> bool:
    """Say whether a scalar is a number: a truth value is none."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def record() -> None:
    """Run all commands and store their numbers and names."""
    recorded = {}
    for name, words in commands():
        folder = folder_of(name)
        assert folder is not None, "set TOUCHSTONE_DATA"
        recorded[f"{name}: {words}"] = dict(scalars(printed(folder, words)))
    text = json.dumps(recorded, indent=0, ensure_ascii=False)
    RECORDED.write_bytes(gzip.compress(text.encode(), mtime=0))


if __name__ == "__main__":
    record()
