"""Records what commands print as JSON, so that a change of the code that should change no number can be shown to."""

import contextlib
import gzip
import io
import json
import os
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path

import touchstone

HERE = Path(__file__).parent
EXAMPLES = Path(touchstone.__file__).parent / "examples"
RECORDED = HERE / "recorded.json.gz"
"""The numbers of every command by path, as `numbers` gives them."""


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
    sys.argv = ["touchstone", *words.split(), "--json"]
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), warnings.catch_warnings():
            main()
    except SystemExit as left:
        if left.code not in (None, 0, 1):
            raise AssertionError(f"touchstone {words}: {err.getvalue()}") from left
    finally:
        os.chdir(before)
        sys.argv = arguments
    return json.loads(out.getvalue())


def numbers(value: object, path: str = "") -> Iterator[tuple[str, float]]:
    """Yield every number of a JSON value with its path, such as ``results/0/value``; the signature has none."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if key not in ("signature", "command"):
                yield from numbers(inner, f"{path}/{key}" if path else key)
    elif isinstance(value, list):
        for position, inner in enumerate(value):
            yield from numbers(inner, f"{path}/{position}")
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield path, value


def record() -> None:
    """Run all commands and store their numbers."""
    recorded = {}
    for name, words in commands():
        folder = folder_of(name)
        assert folder is not None, "set TOUCHSTONE_DATA"
        recorded[f"{name}: {words}"] = dict(numbers(printed(folder, words)))
    text = json.dumps(recorded, indent=0, ensure_ascii=False)
    RECORDED.write_bytes(gzip.compress(text.encode(), mtime=0))


if __name__ == "__main__":
    record()
