"""Translations from files in the forms of ``touchstone mt score``: tables, and plain texts with one segment per line.

A plain text is a reference or the source if its name says so (``refA.en``, ``newstest-src.de``); any other is the
output of the system that it is named after.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from touchstone.annotate.tasks.base import Object, Upload, grouped
from touchstone.annotate.tasks.reading import left_out
from touchstone.base.codes import Code
from touchstone.base.errors import Fault, TouchstoneError
from touchstone.io.cells import is_empty, parse_list
from touchstone.io.formats import TEXT_SUFFIXES
from touchstone.io.jsonl import Json
from touchstone.io.reading import parse_rows
from touchstone.io.runs import RunFiles, run_files
from touchstone.io.schema import Field, Schema
from touchstone.tasks.mt.formats.lines import parse_lines
from touchstone.tasks.mt.formats.tables import FIELDS, REFERENCE, RUN, is_table

FURTHER = ("source", "adequacy", "fluency", "rank")
RATED = Schema(*FIELDS, *map(Field, FURTHER[1:]), value=RUN.value)

PART = re.compile(
    r"(?:^|[-_.])(?:(?P<reference>references?|refs?)|(?P<source>source|src))[A-Z0-9]?(?:$|[-_.])", re.IGNORECASE
)
"""What the name of a plain text says that it is."""

NOT_LANGUAGES = (".md", ".py", ".sh", ".js")
NOT_TEXTS = ("readme", "license", "licence", "notice", "copying", "makefile")

HINT = "columns: segment, system, hypothesis, reference, perhaps source; or texts: ref.en and a file for each system"


def is_text(name: PurePosixPath) -> bool:
    """Return whether a file may be plain text with one segment per line, by its name.

    >>> [is_text(PurePosixPath(name)) for name in ("refA.en", "de-en/kestrel", "letters.py", "README")]
    [True, True, False, False]
    """
    language = re.fullmatch(r"\.[a-z]{2}", name.suffix) and name.suffix not in NOT_LANGUAGES
    return bool(name.suffix in (*TEXT_SUFFIXES, ".out", ".hyp") or language) and name.stem.lower() not in NOT_TEXTS


@dataclass
class _FileContents:
    """What files say: translations; and the references and the source of each segment, by group and segment."""

    outputs: list[Object] = field(default_factory=list)
    references: dict[tuple[Json, Json], list[str]] = field(default_factory=dict)
    sources: dict[tuple[Json, Json], str] = field(default_factory=dict)
    faults: list[Fault] = field(default_factory=list)
    others: list[str] = field(default_factory=list)


def read_translations(files: Sequence[Upload]) -> tuple[list[Object], list[str]]:
    """Return the translations in *files*, one object each, and notes."""
    contents = _FileContents()
    text_files = []
    for file in files:
        if is_table(file.name, file.content, "utf-8"):
            _read_table(file, contents)
        else:
            text_files.append(file)
    _read_texts(text_files, contents)
    rows: dict[tuple[str, str], Object] = {}
    for row in contents.outputs:
        _join(row, contents)
        key, where = (segment_id(row), str(row["system"])), (str(row["file"]), row["line"])
        if wrong := _problem(row):
            contents.faults.append(Fault(wrong, *where, code=Code.BAD_CELL))  # type: ignore[arg-type]
        elif key in rows:
            what = "duplicate translation of this segment by this system"
            contents.faults.append(Fault(what, *where, code=Code.DUPLICATE_ID))  # type: ignore[arg-type]
        else:
            rows[key] = row
    if contents.faults:
        raise TouchstoneError.of(contents.faults, HINT)
    if not rows:
        raise TouchstoneError("no translation in these files", file=files[0].name, code=Code.EMPTY, hint=HINT)
    return list(rows.values()), left_out(contents.others, "no translations")


def segment_id(row: Object) -> str:
    """Return what identifies a segment: several languages (groups) may have segments with the same number."""
    return " ".join(str(part) for part in (row["group"], row["segment"]) if part)


def _read_table(file: Upload, contents: _FileContents) -> None:
    rows = parse_rows(file.content, file.source, RATED)
    table, columns = rows.table, rows.columns
    references = [name for name in table.columns if REFERENCE.number(name) is not None]
    if "hypothesis" not in columns and ("system" in columns or not references):
        contents.others.append(file.name)
        return
    contents.faults += rows.faults
    numbers: dict[Json, int] = {}
    for number, line in enumerate(table.lines):
        cells = {role: table.columns[column][number] for role, column in columns.items()}
        row = _row(cells, file.name, line, [table.columns[name][number] for name in references])
        if "hypothesis" in columns and "system" not in columns:
            row["system"] = _system(file.name)
        if "id" not in columns:
            numbers[row["system"]] = numbers.get(row["system"], 0) + 1
            row["segment"] = str(numbers[row["system"]])
        if "hypothesis" in columns:
            contents.outputs.append(row)
        else:
            contents.references[row["group"], row["segment"]] = row["references"]  # type: ignore[assignment]
            if row["source"]:
                contents.sources[row["group"], row["segment"]] = str(row["source"])


def _row(cells: dict[str, Json], file: str, line: int, references: Sequence[object]) -> Object:
    """Return a row of a table; what is missing or no text is None."""
    segment = cells.get("id")
    listed = [text for cell in references for text in _listed(cell)]
    row: Object = {name: cells.get(name) for name in ("system", "hypothesis", "group", *FURTHER)}
    row["hypothesis"] = "" if row["hypothesis"] is None and "hypothesis" in cells else row["hypothesis"]
    row["segment"] = str(segment) if isinstance(segment, int | str) and not isinstance(segment, bool) else None
    return row | {"references": list(listed), "file": file, "line": line}


def _listed(cell: object) -> Iterator[str]:
    """Yield the references in a cell, which may have a list of them."""
    texts = None if is_empty(cell) else parse_list(cell)
    for text in texts if isinstance(texts, list | tuple) else [texts]:
        if isinstance(text, str) and text.strip():
            yield text


def _read_texts(files: Sequence[Upload], contents: _FileContents) -> None:
    """Read plain texts: line n of each is segment n."""
    parts = grouped(files, _part)
    texts = {file.name: parse_lines(file.content, file.name, "utf-8")[0] for file in files}
    for file in parts.get("reference", []):
        for number, text in enumerate(texts[file.name], 1):
            contents.references.setdefault((None, str(number)), []).extend([text] if text.strip() else [])
    for file in parts.get("source", []):
        contents.sources |= {
            (None, str(number)): text for number, text in enumerate(texts[file.name], 1) if text.strip()
        }
    runs = parts.get("system", [])
    folders = {_folder(file.name) for file in runs}
    _check_lengths(parts, texts, contents)
    for file in runs:
        group = _folder(file.name).rpartition("/")[2] if len(folders) > 1 else None
        for number, text in enumerate(texts[file.name], 1):
            row: Object = {"system": _system(file.name), "hypothesis": text, "group": group, "segment": str(number)}
            contents.outputs.append(
                row | dict.fromkeys(FURTHER) | {"references": [], "file": file.name, "line": number}
            )


def _part(file: Upload) -> str:
    """Return what a plain text is, by its name."""
    match = PART.search(PurePosixPath(file.name).name)
    return match.lastgroup or "system" if match else "system"


def _check_lengths(parts: dict[str, list[Upload]], texts: dict[str, list[str]], contents: _FileContents) -> None:
    first = next((file.name for part in ("reference", "source") for file in parts.get(part, [])), None)
    for files in parts.values() if first else ():
        for file in files:
            length, expected = len(texts[file.name]), len(texts[str(first)])
            if length != expected:
                contents.faults.append(
                    Fault(f"{length:,} lines where {first} has {expected:,}", file.name, code=Code.MISMATCH)
                )


def _folder(name: str) -> str:
    return name.rpartition("/")[0]


def _system(name: str) -> str:
    """Return what the system of a file is called, as in ``touchstone mt score``."""
    file: RunFiles = run_files([PurePosixPath(name).name.replace("=", "-")])[0]
    return file.name


def _join(row: Object, contents: _FileContents) -> None:
    """Give a translation the references and the source of its segment that other files have."""
    for key in ((row["group"], row["segment"]), (None, row["segment"])):
        row["references"] = row["references"] or list(contents.references.get(key, []))
        row["source"] = row["source"] or contents.sources.get(key)


def _problem(row: Object) -> str | None:
    for name in ("segment", "system", "hypothesis"):
        if not isinstance(row[name], str) or not (str(row[name]).strip() or name == "hypothesis"):
            return f'a translation needs "{name}"'
    if not isinstance(row["source"], str | None) or not isinstance(row["group"], str | None):
        return "source and group must be strings"
    return None if row["references"] or row["source"] else "a translation needs a reference or a source"
