"""Small tables that stand beside pyramids: who annotated what, ratings, votes. CSV with a header line."""

import csv
import io
from collections.abc import Iterator, Sequence
from pathlib import Path

from touchstone.core.errors import Fault, TouchstoneError, nearest
from touchstone.io.text import Source, read_text


def read_rows(path: str | Path) -> tuple[list[str], list[tuple[int, dict[str, str]]], Source]:
    """Return the column names of a CSV file, its rows with their line numbers, and where they came from."""
    text, source = read_text(path)
    try:
        rows = list(_numbered(text))
    except csv.Error as error:
        raise TouchstoneError(f"not CSV ({error})", file=source.name) from None
    names = [name.strip() for name in rows[0][1]] if rows else []
    if not any(names) or len(set(names)) < len(names):
        raise TouchstoneError("a CSV file needs a first line with a name for each column", file=source.name)
    faults = [
        Fault(f"{len(row):,} cells under {len(names):,} columns", source.name, line)
        for line, row in rows[1:]
        if len(row) != len(names)
    ]
    if faults:
        raise TouchstoneError.of(faults)
    return names, [(line, dict(zip(names, row, strict=True))) for line, row in rows[1:]], source


def column(names: Sequence[str], known: Sequence[str], source: Source) -> str:
    """Return the one of the *known* names (in any case) that a column of the file has."""
    found = {name.lower(): name for name in names}
    for name in known:
        if name in found:
            return found[name]
    near = nearest(known[0], found)
    hint = f"the columns are {', '.join(names)}"
    raise TouchstoneError(f"no column {' or '.join(known)}", file=source.name, near=near, hint=hint)


def _numbered(text: str) -> Iterator[tuple[int, list[str]]]:
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    line = 1
    for row in reader:
        if row:
            yield line, row
        line = reader.line_num + 1
