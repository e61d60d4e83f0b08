"""Outputs: written beside their place and renamed, so that none is ever half there."""

import os
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

import pyarrow as pa

from touchstone.base.errors import TouchstoneError, nearest

TABLE_SUFFIXES = (".jsonl", ".csv", ".parquet")

DOCUMENTS = (".pdf", ".png", ".jpg", ".jpeg", ".svg", ".html", ".docx", ".odt", ".xlsx", ".zip", ".gz")
"""Suffixes of single files that hold no plain text."""

Kind = Literal["figure", "report", "paper kit", "text"]

KINDS: Mapping[Kind, tuple[Callable[[str], bool], str, str]] = {
    "figure": (
        lambda suffix: suffix == ".svg",
        "a figure is written as SVG only",
        "name it FILE.svg, then convert it: rsvg-convert -f pdf FILE.svg -o FILE.pdf (or Inkscape, or CairoSVG)",
    ),
    "report": (
        lambda suffix: suffix in ("", ".html", ".htm"),
        "a report is an HTML page",
        "name it FILE.html; to make a PDF, open the page in a browser and print it to a file",
    ),
    "paper kit": (
        lambda suffix: suffix not in (*DOCUMENTS, ".tex", ".md", ".txt", ".bib"),
        "a paper kit is a folder of files",
        "give the name of a folder",
    ),
    "text": (
        lambda suffix: suffix not in DOCUMENTS,
        "tables are written as text, Markdown, LaTeX or JSON",
        "name it FILE.txt, .md, .tex or .json and choose the format with --format or --json",
    ),
}
"""What is written under a name that the user chooses: the suffixes it takes, what it is, and what to do."""


@contextmanager
def replacing(path: str | Path) -> Iterator[Path]:
    """Give a path beside *path* to write to; it takes *path*'s place when all went well, else it is removed."""
    try:
        final = Path(path).resolve()
        device = final.is_char_device()  # such as /dev/null: there is nothing to replace
        if final.exists() and not final.is_file() and not device:
            raise TouchstoneError("cannot be written (not a file)", file=str(path), hint="name another output")
        handle, name = tempfile.mkstemp(prefix=f".{final.name}.", dir=None if device else final.parent)
        os.close(handle)
    except (OSError, RuntimeError, ValueError) as error:  # a link to itself, a name that no file can have
        if isinstance(error, TouchstoneError):
            raise
        raise TouchstoneError(f"cannot be written ({_reason(error)})", file=str(path)) from None
    beside = Path(name)
    try:
        yield beside
        if device:
            final.write_bytes(beside.read_bytes())
            return
        beside.chmod(0o666 & ~_umask())
        beside.replace(final)
    except OSError as error:
        raise TouchstoneError(f"cannot be written ({_reason(error)})", file=str(path)) from None
    finally:
        beside.unlink(missing_ok=True)


def check_outputs(inputs: Iterable[str | Path], *others: str | Path | None, table: str | Path | None = None) -> None:
    """Refuse, before work, outputs that are inputs or each other, without a folder, or a *table* of no known form."""
    if table is not None:
        check_table_suffix(table)
    given = [one for path in map(Path, inputs) for one in _members(path)]
    taken = {_resolved(path): "an input" for path in given}
    for path in (path for path in (table, *others) if path is not None):
        final = _resolved(Path(path))
        if final in taken:
            raise TouchstoneError(f"this output is also {taken[final]}", file=str(path), hint="name another output")
        if not final.parent.is_dir():
            raise TouchstoneError(
                "cannot be written (its folder does not exist)", file=str(path), hint="create the folder first"
            )
        taken[final] = "another output"


def _members(path: Path) -> list[Path]:
    try:
        return [path, *path.iterdir()] if path.is_dir() else [path]
    except (OSError, ValueError):
        return [path]


def _resolved(path: Path) -> Path:
    try:
        return path.resolve()
    except (OSError, RuntimeError, ValueError):  # a link to itself, a name that no file can have: reading will say it
        return path


def make_folder(path: str | Path) -> None:
    """Make a folder, with those above it, where there is none yet."""
    try:
        Path(path).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise TouchstoneError(f"cannot be created as a folder ({_reason(error)})", file=str(path)) from None


def write_text(path: str | Path, text: str) -> None:
    """Write *text* as UTF-8 with line feeds."""
    with replacing(path) as beside:
        beside.write_text(text, encoding="utf-8", newline="\n")


def write_table(path: str | Path, table: pa.Table) -> None:
    """Write an Arrow table in the form that the suffix of *path* names: .jsonl, .csv or .parquet."""
    suffix = check_table_suffix(path)
    with replacing(path) as beside:
        if suffix == ".parquet":
            from pyarrow import parquet

            parquet.write_table(table, beside)
        elif suffix == ".csv":
            from pyarrow import csv

            try:
                csv.write_csv(table, beside)
            except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
                lists = [one.name for one in table.schema if pa.types.is_nested(one.type)]
                hint = "write .jsonl or .parquet"
                raise TouchstoneError("CSV has no lists", file=str(path), value=", ".join(lists), hint=hint) from None
        else:
            _write_jsonl(table, beside)


def check_table_suffix(path: str | Path) -> str:
    """Return the suffix of *path*, or raise where no table can be written in that form: before work, not after."""
    suffix = Path(path).suffix
    if suffix not in TABLE_SUFFIXES:
        known = ", ".join(TABLE_SUFFIXES)
        raise TouchstoneError(
            "no table format has this suffix",
            value=str(path),
            near=nearest(suffix, TABLE_SUFFIXES),
            hint=f"use one of {known}",
        )
    return suffix


def check_suffix(path: str | Path, kind: Kind) -> None:
    """Refuse, before work, a file whose suffix promises something else than what is written to it.

    Parameters
    ----------
    path
        The file, or the folder of a paper kit.
    kind
        What is written to it.
    """
    accepts, what, hint = KINDS[kind]
    if not accepts(Path(path).suffix.lower()) and not is_device(path):
        raise TouchstoneError(what, file=str(path), hint=hint)


def is_device(path: str | Path) -> bool:
    """Return whether *path* is a device such as /dev/null, which holds nothing under its name."""
    try:
        return Path(path).is_char_device()
    except (OSError, ValueError):
        return False


def _write_jsonl(table: pa.Table, path: Path) -> None:
    import json

    with path.open("w", encoding="utf-8", newline="\n") as out:
        for batch in table.to_batches(max_chunksize=10_000):
            out.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in batch.to_pylist())


def _reason(error: Exception) -> str:
    number = getattr(error, "errno", None)  # libraries put words of their own around the text of the system
    return (os.strerror(number) if number else str(error)).lower()


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
