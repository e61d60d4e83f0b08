"""Tables of translations: a row for each system and segment, with its references; TSV or JSONL."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from touchstone.core.errors import Fault, TouchstoneError, nearest
from touchstone.io.jsonl import Json, format_objects, parse_json
from touchstone.io.text import Source
from touchstone.io.writing import write_text
from touchstone.tasks.mt.formats.lines import fits_a_line, read_lines

REQUIRED = ("segment", "system", "hypothesis")
OPTIONAL = ("group", "document", "doc")
"""Names of columns in TSV and of keys in JSONL; ``doc`` is another name of ``document``."""

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
    document: str | None

    @property
    def key(self) -> tuple[str | None, str]:
        """The group and the id of the segment: another group may use the same ids."""
        return self.group, self.segment


@dataclass
class Rows:
    """The rows of some tables, their files, notes on them, and the faults in them."""

    rows: list[Row] = field(default_factory=list)
    sources: list[Source] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)


def is_table(path: str | Path) -> bool:
    """Return whether a file is a table, by its name."""
    return str(path).removesuffix(".gz").endswith((".tsv", ".jsonl"))


def read_rows(paths: Sequence[str | Path], encoding: str) -> Rows:
    """Read the rows of all tables together; refuse them with every fault.

    Parameters
    ----------
    paths
        Files with the suffix .tsv or .jsonl.
    encoding
        Their encoding.
    """
    table = Rows()
    for path in paths:
        lines, source, notes = read_lines(path, encoding)
        table.sources.append(source)
        table.notes += notes
        numbered = [(number, line) for number, line in enumerate(lines, 1) if line.strip()]
        if not numbered:
            raise TouchstoneError("is empty", file=source.name)
        parse = _parse_tsv if source.name.removesuffix(".gz").endswith(".tsv") else _parse_jsonl
        table.rows += parse(numbered, source.name, table.faults)
    table.faults += _inconsistencies(table.rows)
    if table.faults:
        raise TouchstoneError.of(table.faults, "a row has a segment, a system, its translation and the references")
    return table


def convert_table(source: str | Path, target: str | Path, encoding: str) -> str:
    """Write a table of translations in another format, by the suffix of *target*, and say what was written.

    Parameters
    ----------
    source, target
        Tables with the suffix .tsv or .jsonl.
    encoding
        The encoding of *source*; *target* is UTF-8.
    """
    suffix = Path(target).suffix
    if suffix not in (".tsv", ".jsonl"):
        hint = "tables of translations are .tsv or .jsonl"
        raise TouchstoneError("no table format has this suffix", file=str(target), hint=hint)
    rows = read_rows([source], encoding).rows
    if suffix == ".jsonl":
        write_text(target, format_objects(map(_object, rows)))
    else:
        write_text(target, "".join("\t".join(cells) + "\n" for cells in _cells(rows)))
    return f"{len(rows):,} translations"


def _object(row: Row) -> dict[str, Json]:
    known = {"segment": row.segment, "system": row.system, "hypothesis": row.hypothesis}
    further = {name: value for name in ("group", "document") if (value := getattr(row, name)) is not None}
    return {**known, "references": list(row.references), **further}


def _cells(rows: Sequence[Row]) -> Iterator[list[str]]:
    """Yield the header and the rows of a TSV file; refuse texts that would break a line."""
    width = max(1, *(len(row.references) for row in rows))
    further = [name for name in ("group", "document") if getattr(rows[0], name) is not None]
    numbered = ["reference", *(f"reference{number}" for number in range(2, width + 1))]
    yield [*REQUIRED, *numbered, *further]
    for row in rows:
        references = [*row.references, *[""] * (width - len(row.references))]
        known = [row.segment, row.system, row.hypothesis, *references, *(getattr(row, name) for name in further)]
        broken = next((text for text in known if re.search(r"[\t\n\r]", text)), None)
        if broken is not None:
            hint = "write .jsonl, which can hold it"
            raise TouchstoneError(
                "a tab or line break in a text", file=row.file, line=row.line, value=broken, hint=hint
            )
        yield known


def _parse_tsv(lines: list[tuple[int, str]], file: str, faults: list[Fault]) -> Iterator[Row]:
    (first, header), *rest = lines
    names = [name.strip() for name in header.split("\t")]
    _check_header(names, file, first)
    references = sorted(
        (int(match[1] or 1), place) for place, name in enumerate(names) if (match := _REFERENCE.fullmatch(name))
    )
    for number, line in rest:
        texts = line.split("\t")
        if len(texts) != len(names):
            faults.append(Fault(f"{len(texts)} columns under {len(names)} headings", file, number))
            continue
        cells = dict(zip(names, texts, strict=True))
        segment, system, hypothesis = (cells[name] for name in REQUIRED)
        models = tuple(texts[place] for _, place in references)
        document = cells.get("document", cells.get("doc"))
        yield Row(file, number, segment, system, hypothesis, models, cells.get("group"), document)


def _check_header(names: Sequence[str], file: str, line: int) -> None:
    """Refuse a header that lacks a column, or has one twice or one without a meaning."""
    known = (*REQUIRED, "reference", *OPTIONAL)
    faults = [Fault("no column of this name", file, line, name) for name in known[:4] if name not in names]
    faults += [Fault("two columns with the same name", file, line, n) for n in {n for n in names if names.count(n) > 1}]
    strange = [name for name in names if name not in known and not _REFERENCE.fullmatch(name)]
    faults += [Fault("unknown column", file, line, name, nearest(name, known)) for name in strange]
    if faults:
        raise TouchstoneError.of(faults, f"the first line names the columns: {', '.join(known)}; reference2 and so on")


def _parse_jsonl(lines: list[tuple[int, str]], file: str, faults: list[Fault]) -> Iterator[Row]:
    for number, line in lines:
        try:
            yield _parse_object(parse_json(line, file=file, line=number), file, number)
        except TouchstoneError as error:
            faults.extend(error.faults)


def _parse_object(value: Json, file: str, line: int) -> Row:
    if not isinstance(value, dict):
        raise TouchstoneError("not a JSON object", file=file, line=line)
    known = (*REQUIRED, "references", *OPTIONAL)
    strange = next((key for key in value if key not in known), None)
    if strange is not None:
        raise TouchstoneError("unknown key", file=file, line=line, value=strange, near=nearest(strange, known))
    references = value.get("references")
    if not isinstance(references, list) or not all(one is None or isinstance(one, str) for one in references):
        raise TouchstoneError("'references' is not a list of texts", file=file, line=line)
    number = value.get("segment")
    if isinstance(number, int) and not isinstance(number, bool):
        value = {**value, "segment": str(number)}
    texts = {name: _text(name, value.get(name), file, line) for name in REQUIRED}
    group, document = (
        None if given is None else _text(name, given, file, line)
        for name, given in (("group", value.get("group")), ("document", value.get("document", value.get("doc"))))
    )
    models = tuple(str(one or "") for one in references)
    return Row(file, line, **texts, references=models, group=group, document=document)


def _text(name: str, value: Json, file: str, line: int) -> str:
    if not isinstance(value, str):
        raise TouchstoneError(f"{name!r} is {'missing' if value is None else 'not a text'}", file=file, line=line)
    return value


def _inconsistencies(rows: Sequence[Row]) -> Iterator[Fault]:
    """Yield faults: duplicate translations, bad names, and references or documents that differ within a segment."""
    seen: dict[tuple[str, str | None, str], Row] = {}
    first: dict[tuple[str | None, str], Row] = {}
    for row in rows:
        yield from _name_faults(row)
        before = seen.setdefault((row.system, *row.key), row)
        if before is not row:
            what = f"duplicate translation by {row.system!r} (first at {before.file}:{before.line})"
            yield Fault(what, row.file, row.line, row.segment)
        model = first.setdefault(row.key, row)
        for what in ("references", "document"):
            if getattr(row, what) != getattr(model, what):
                yield Fault(f"other {what} than at {model.file}:{model.line}", row.file, row.line, row.segment)
    for what in ("group", "document"):
        if len({getattr(row, what) is None for row in rows}) > 1:
            row = next(row for row in rows if getattr(row, what) is None)
            yield Fault(f"no {what} where other rows have one", row.file, row.line, row.segment)


def _name_faults(row: Row) -> Iterator[Fault]:
    """Yield what is wrong with the names of a row: an empty one, or one that would break a line."""
    for what in ("segment", "system", "group", "document"):
        name = getattr(row, what)
        if name is not None and not fits_a_line(name):
            yield Fault(f"the {what} has a name with a control character", row.file, row.line, name)
        elif name is not None and not name.strip() and what in REQUIRED:
            yield Fault(f"the {what} has no name", row.file, row.line)
