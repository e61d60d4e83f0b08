"""Tables: a row for each system and segment, with its references; columns apart by tabs, or JSON objects by lines."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from touchstone.core.errors import Fault, TouchstoneError, nearest
from touchstone.io.jsonl import Json, parse_json
from touchstone.io.text import Source
from touchstone.tasks.mt.formats.lines import fits_a_line, read_lines

COLUMNS = ("segment", "system", "hypothesis", "reference", "group")
_KEYS = ("segment", "system", "hypothesis", "references", "group")
_REFERENCE = re.compile(r"reference([2-9]|[1-9][0-9]+)?")


@dataclass(frozen=True)
class Row:
    """One translation as a table gives it."""

    file: str
    line: int
    segment: str
    system: str
    hypothesis: str
    references: tuple[str, ...]
    group: str | None

    @property
    def key(self) -> tuple[str | None, str]:
        """What makes a segment itself: ids may be used again in another group."""
        return self.group, self.segment


@dataclass
class Rows:
    """The rows of some tables, where they came from, and the faults in them."""

    rows: list[Row] = field(default_factory=list)
    sources: list[Source] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)


def is_table(path: str | Path) -> bool:
    """Return whether a file is a table by its name."""
    return str(path).removesuffix(".gz").endswith((".tsv", ".jsonl"))


def read_rows(paths: Sequence[str | Path], encoding: str) -> Rows:
    """Return the rows of all tables together, or raise with every fault in them."""
    found = Rows()
    for path in paths:
        lines, source, notes = read_lines(path, encoding)
        found.sources.append(source)
        found.notes += notes
        numbered = [(number, line) for number, line in enumerate(lines, 1) if line.strip()]
        if not numbered:
            raise TouchstoneError("is empty", file=source.name)
        parse = _tsv if source.name.removesuffix(".gz").endswith(".tsv") else _jsonl
        found.rows += parse(numbered, source.name, found.faults)
    _check(found)
    if found.faults:
        raise TouchstoneError.of(found.faults, "a row has a segment, a system, its translation and the references")
    return found


def _tsv(lines: list[tuple[int, str]], file: str, faults: list[Fault]) -> Iterator[Row]:
    (first, header), *rest = lines
    names = [name.strip() for name in header.split("\t")]
    places = _places(names, file, first)
    for number, line in rest:
        cells = line.split("\t")
        if len(cells) != len(names):
            faults.append(Fault(f"{len(cells)} columns under {len(names)} headings", file, number))
            continue
        references = tuple(cells[place] for name, place in places.items() if _REFERENCE.fullmatch(name))
        segment, system, hypothesis = (cells[places[name]] for name in COLUMNS[:3])
        group = cells[places["group"]] if "group" in places else None
        yield Row(file, number, segment, system, hypothesis, references, group)


def _places(names: Sequence[str], file: str, line: int) -> dict[str, int]:
    """Return the place of each column; refuse a header that lacks one, has one twice, or has one of no meaning."""
    faults = [Fault("no column of this name", file, line, name) for name in COLUMNS[:4] if name not in names]
    faults += [Fault("this column stands twice", file, line, name) for name in {n for n in names if names.count(n) > 1}]
    strange = [name for name in names if name not in COLUMNS and not _REFERENCE.fullmatch(name)]
    faults += [Fault("unknown column", file, line, name, nearest(name, COLUMNS)) for name in strange]
    if faults:
        raise TouchstoneError.of(
            faults, f"the first line names the columns: {', '.join(COLUMNS)}; reference2 and so on"
        )
    ordered = sorted(names, key=lambda name: int((_REFERENCE.fullmatch(name) or [0, 0])[1] or 1))
    return {name: names.index(name) for name in ordered}


def _jsonl(lines: list[tuple[int, str]], file: str, faults: list[Fault]) -> Iterator[Row]:
    for number, line in lines:
        try:
            yield _object(parse_json(line, file=file, line=number), file, number)
        except TouchstoneError as error:
            faults.extend(error.faults)


def _object(value: Json, file: str, line: int) -> Row:
    if not isinstance(value, dict):
        raise TouchstoneError("not a JSON object", file=file, line=line)
    strange = next((key for key in value if key not in _KEYS), None)
    if strange is not None:
        raise TouchstoneError("unknown key", file=file, line=line, value=strange, near=nearest(strange, _KEYS))
    references = value.get("references")
    if not isinstance(references, list) or not all(one is None or isinstance(one, str) for one in references):
        raise TouchstoneError("'references' is not a list of texts", file=file, line=line)
    number, group = value.get("segment"), value.get("group")
    named = {**value, "segment": str(number)} if isinstance(number, int) and not isinstance(number, bool) else value
    segment, system, hypothesis = (_text(name, named.get(name), file, line) for name in COLUMNS[:3])
    models = tuple(str(one or "") for one in references)
    return Row(
        file, line, segment, system, hypothesis, models, None if group is None else _text("group", group, file, line)
    )


def _text(name: str, value: Json, file: str, line: int) -> str:
    if not isinstance(value, str):
        raise TouchstoneError(f"{name!r} is {'missing' if value is None else 'not a text'}", file=file, line=line)
    return value


def _check(found: Rows) -> None:
    """Note as faults what stands twice, lacks a name, or has other references than before."""
    seen: dict[tuple[str, str | None, str], Row] = {}
    first: dict[tuple[str | None, str], Row] = {}
    for row in found.rows:
        found.faults += _name_faults(row)
        before = seen.setdefault((row.system, *row.key), row)
        if before is not row:
            where = f"{row.system!r} translates this segment at {before.file}:{before.line} already"
            found.faults.append(Fault(where, row.file, row.line, row.segment))
        model = first.setdefault(row.key, row)
        if row.references != model.references:
            where = f"other references than at {model.file}:{model.line}"
            found.faults.append(Fault(where, row.file, row.line, row.segment))
    grouped = {row.group is None for row in found.rows}
    if len(grouped) > 1:
        row = next(row for row in found.rows if row.group is None)
        found.faults.append(Fault("no group where other rows have one", row.file, row.line, row.segment))


def _name_faults(row: Row) -> Iterator[Fault]:
    """Yield what is wrong with the names of a row: none where there must be one, or one that breaks lines."""
    for what, name in (("segment", row.segment), ("system", row.system), ("group", row.group)):
        if name is not None and not fits_a_line(name):
            yield Fault(f"the {what} has a name with a control character", row.file, row.line, name)
        elif name is not None and not name.strip() and what != "group":
            yield Fault(f"the {what} has no name", row.file, row.line)
