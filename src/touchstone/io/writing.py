"""Outputs: written beside their place and renamed, so that none is ever half there."""

import csv
import os
import re
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from touchstone.base.codes import Code
from touchstone.base.errors import Fault, TouchstoneError, nearest

if TYPE_CHECKING:
    import pyarrow as pa

TABLE_SUFFIXES = (".jsonl", ".csv", ".parquet")
"""The suffixes of tables that are written."""

CELL_SUFFIXES = (".tsv", ".csv")
"""The suffixes of texts that `format_cells` makes."""

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
        "name it FILE.txt, .md, .tex or .json, and choose the same format",
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
            raise _unwritable(path, "cannot be written (not a file)", "name another output")
        # Beside the final file: from a temporary folder a rename across file systems would copy, and may stop half way.
        handle, name = tempfile.mkstemp(prefix=f".{final.name}.", dir=None if device else final.parent)
        os.close(handle)
    except (OSError, RuntimeError, ValueError) as error:  # a link to itself, a name that no file can have
        if isinstance(error, TouchstoneError):
            raise
        raise _unwritable(path, f"cannot be written ({_reason(error)})") from None
    beside = Path(name)
    try:
        yield beside
        if device:
            final.write_bytes(beside.read_bytes())
            return
        # mkstemp makes files that only their owner can read; an output has the permissions of any new file.
        beside.chmod(0o666 & ~_umask())
        beside.replace(final)
    except OSError as error:
        raise _unwritable(path, f"cannot be written ({_reason(error)})") from None
    finally:
        beside.unlink(missing_ok=True)


def check_outputs(inputs: Iterable[str | Path], *others: str | Path | None, table: str | Path | None = None) -> None:
    """Refuse, before work, outputs that are inputs or each other, without a folder, or a *table* of no known form."""
    if table is not None:
        check_table_suffix(table)
    input_files = [member for path in map(Path, inputs) for member in _members(path)]
    taken = {_resolved(path): "an input" for path in input_files}
    for path in (path for path in (table, *others) if path is not None):
        final = _resolved(Path(path))
        if final in taken:
            raise _unwritable(path, f"this output is also {taken[final]}", "name another output")
        if not final.parent.is_dir():
            raise _unwritable(path, "cannot be written (its folder does not exist)", "create the folder first")
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
        raise _unwritable(path, f"cannot be created as a folder ({_reason(error)})") from None


def write_text(path: str | Path, text: str) -> None:
    """Write *text* as UTF-8 with line feeds."""
    with replacing(path) as beside:
        beside.write_text(text, encoding="utf-8", newline="\n")


def write_table(path: str | Path, table: "pa.Table") -> None:
    """Write an Arrow table in the form that the suffix of *path* names: .jsonl, .csv or .parquet."""
    import pyarrow as pa  # which takes time that help does not need

    suffix = check_table_suffix(path)
    with replacing(path) as beside:
        if suffix == ".parquet":
            from pyarrow import parquet

            parquet.write_table(table, beside)
        elif suffix == ".csv":
            from pyarrow import csv as arrow_csv

            try:
                arrow_csv.write_csv(table, beside)
            except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
                lists = [column.name for column in table.schema if pa.types.is_nested(column.type)]
                value, hint = ", ".join(lists), "write .jsonl or .parquet"
                what = "CSV has no lists"
                raise TouchstoneError(what, file=str(path), value=value, code=Code.UNSUPPORTED, hint=hint) from None
        else:
            _write_jsonl(table, beside)


def format_cells(rows: Iterable[Sequence[str]], suffix: str) -> str:
    r"""Return rows of texts as CSV or TSV, which has neither tabs nor line ends in its cells.

    Parameters
    ----------
    rows
        The rows, of which the first has the names of the columns.
    suffix
        One of `CELL_SUFFIXES`.

    Examples
    --------
    >>> format_cells([["id", "text"], ["1", "a, b"]], ".csv"), format_cells([["1", "a, b"]], ".tsv")
    ('id,text\n1,"a, b"\n', '1\ta, b\n')
    """
    if suffix == ".csv":
        text = StringIO(newline="")
        csv.writer(text, lineterminator="\n").writerows(rows)
        return text.getvalue()
    every = list(rows)
    broken = [cell for row in every for cell in row if re.search(r"[\t\n\r]", cell)]
    if broken:
        faults = [
            Fault("a cell of TSV has neither tabs nor line ends", value=cell, code=Code.BAD_CELL) for cell in broken
        ]
        raise TouchstoneError.of(faults, "write .jsonl or .csv instead")
    return "".join("\t".join(map(_enclosed, row)) + "\n" for row in every)


def _enclosed(cell: str) -> str:
    """Return a cell so that reading gives it back: only one that begins and ends with a quote needs quotes."""
    enclosed = len(cell) > 1 and cell.startswith('"') and cell.endswith('"')
    return '"' + cell.replace('"', '""') + '"' if enclosed else cell


def check_table_suffix(path: str | Path) -> str:
    """Return the suffix of *path*, or raise where no table can be written in that form: before work, not after."""
    suffix = Path(path).suffix
    if suffix not in TABLE_SUFFIXES:
        near, hint = nearest(suffix, TABLE_SUFFIXES), f"use one of {', '.join(TABLE_SUFFIXES)}"
        what = "no table format has this suffix"
        raise TouchstoneError(what, value=str(path), near=near, code=Code.UNKNOWN_FORMAT, hint=hint)
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
        raise TouchstoneError(what, file=str(path), code=Code.UNKNOWN_FORMAT, hint=hint)


def is_device(path: str | Path) -> bool:
    """Return whether *path* is a device such as /dev/null, which holds nothing under its name."""
    try:
        return Path(path).is_char_device()
    except (OSError, ValueError):
        return False


def _write_jsonl(table: "pa.Table", path: Path) -> None:
    import json

    with path.open("w", encoding="utf-8", newline="\n") as out:
        for batch in table.to_batches(max_chunksize=10_000):
            out.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in batch.to_pylist())


def _unwritable(path: str | Path, what: str, hint: str | None = None) -> TouchstoneError:
    return TouchstoneError(what, file=str(path), code=Code.CANNOT_WRITE, hint=hint)


def _reason(error: Exception) -> str:
    number = getattr(error, "errno", None)  # libraries put words of their own around the text of the system
    return (os.strerror(number) if number else str(error)).lower()


def _umask() -> int:
    # The system tells the mask only in exchange for another one.
    mask = os.umask(0)
    os.umask(mask)
    return mask
