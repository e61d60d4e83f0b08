"""Segments row by row: tables of any tool, Python objects, and plain text with one segment per line.

A table of references may have a column of systems; then it holds their translations too, a row for each system and
segment.
"""

import os
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa

from touchstone.base.errors import Fault, TouchstoneError
from touchstone.base.files import Source, read_bytes
from touchstone.base.options import TableOptions
from touchstone.base.spelling import setting
from touchstone.io import formats
from touchstone.io.cells import is_empty, parse_list, unquoted
from touchstone.io.objects import table_of
from touchstone.io.reading import parse_table
from touchstone.io.schema import Field
from touchstone.io.tables import TableFile
from touchstone.tasks.mt.formats.lines import fits_a_line, parse_lines
from touchstone.tasks.mt.judges.judgements import Judgements
from touchstone.tasks.mt.judges.reading import holds_outputs, read_judgements

SEGMENT = Field("id", ("segment", "id", "seg_id", "segment_id", "segid"))
SYSTEM = Field("system", ("system", "system_name", "system_id"))
HYPOTHESIS = Field("hypothesis", ("hypothesis", "translation", "output", "mt", "prediction", "hyp"))
REFERENCE = Field("reference", ("reference", "references", "ref", "refs", "tgt"))
DOCUMENT = Field("document", ("document", "doc", "doc_id", "docid", "document_id"))
GROUP = Field("group", ("group",))
SOURCE = Field("source", ("source", "src"))
ROLES = (SEGMENT, SYSTEM, HYPOTHESIS, REFERENCE, DOCUMENT, GROUP, SOURCE)
"""The columns of translations, with the names that people give them."""

_NUMBERED_ROLE = Field(
    "reference", tuple(f"{stem}{n}" for stem in ("reference", "ref", "ref_", "tgt") for n in range(10))
)
GOLD_ROLES = (SEGMENT, SYSTEM, REFERENCE, DOCUMENT, GROUP, SOURCE, _NUMBERED_ROLE)
_KNOWN = (*ROLES, _NUMBERED_ROLE)
"""Names that tell a mapping of columns from one of ids."""

NUMBERED = re.compile(r"(?:references?|refs?|tgt)[ _-]?([0-9]*)", re.IGNORECASE)
_SEPARATORS = re.compile(r"[\t,;]")
_HINT = "a row has a segment and its texts; a text is not a number, and an empty one has an empty cell"


class Row(NamedTuple):
    """A segment as a file gives it: its references, or the one translation of a run; None if one is missing.

    *output* is the translation of *system* in a table that holds references too.
    """

    file: str
    line: int
    segment: str
    texts: tuple[str | None, ...]
    system: str | None = None
    output: str | None = None
    group: str | None = None
    document: str | None = None
    source: str | None = None

    @property
    def key(self) -> tuple[str | None, str]:
        """The group and the id of the segment: another group may use the same ids."""
        return self.group, self.segment


@dataclass(frozen=True, eq=False)
class Rows:
    """The rows of a file or object, how they were read, and notes on them.

    *plain* is plain text; *ordered* rows have no ids and are numbered from 1; *named* rows name their systems. Of the
    *further* columns of a *table*, which are not read, one may hold ids. *left_out* are the systems of which no rows
    are there, such as the reference.
    """

    source: Source
    rows: Sequence[Row]
    plain: bool = False
    ordered: bool = False
    named: bool = False
    further: Sequence[str] = ()
    table: TableFile | None = None
    notes: Sequence[str] = ()
    remarks: Sequence[str] = ()
    left_out: Sequence[str] = ()

    def __len__(self) -> int:
        return len(self.rows)


def read_rows(given: object, options: TableOptions, role: Field, name: str) -> Rows:
    """Read the segments of a file or a Python object; refuse them with every fault.

    Parameters
    ----------
    given
        A path (``-`` is standard input): plain text, or a table in any format; or an object that `table_of` takes.
    options
        Which columns the user chose, and the encoding of text files.
    role
        What the texts are: `REFERENCE` or `HYPOTHESIS`.
    name
        What messages call an object.
    """
    faults: list[Fault] = []
    if isinstance(given, Judgements) or (isinstance(given, str | Path) and holds_outputs(given)):
        return _judged_rows(given if isinstance(given, Judgements) else read_judgements(given)[0])
    if isinstance(given, str | Path):
        raw, source = read_bytes(given)
        if not is_table(source.name, raw, options.encoding):
            return _plain_rows(raw, source, options.encoding)
        table = parse_table(raw, source, options.encoding, value=role.role, roles=_KNOWN, faults=faults)
    else:
        table = table_of(_values(given), name=name, value=role.role, roles=_KNOWN)
    return _table_rows(table, options, role, faults)


def is_table(name: str, raw: bytes, encoding: str) -> bool:
    r"""Return whether a file is a table: by its ending, else by its first bytes.

    Parameters
    ----------
    name, raw, encoding
        The name, the bytes and the encoding of the file.

    Examples
    --------
    >>> is_table("a.csv.gz", b"", "utf-8"), is_table("stdin", b"id,mt\n1,Yes\n", "utf-8")
    (True, True)
    """
    if formats.is_table(name, raw):
        return True
    try:
        first = raw[:1000].decode(encoding, "ignore").lstrip("\ufeff").partition("\n")[0].strip()
    except (LookupError, ValueError):
        return False
    known = {name for role in ROLES for name in role.names}
    key = re.match(r'\[?\s*\{\s*"(\w+)"\s*:', first)
    cells = [unquoted(cell.strip()).lower() for cell in _SEPARATORS.split(first)]
    header = len(cells) > 1 and all(cell in known or NUMBERED.fullmatch(cell) for cell in cells)
    return header or (key is not None and key[1].lower() in known)


def _judged_rows(judged: Judgements) -> Rows:
    """Return the translations that a file of judgements holds, a row for each system and segment."""
    outputs, file = judged.outputs, judged.source.name
    if outputs is None:
        hint = "give a folder with the output of each system, or a table with references and outputs"
        raise TouchstoneError("these judgements contain no translations", file=file, hint=hint)
    documents = outputs.documents or [None] * len(outputs.segments)
    sources = outputs.sources or [None] * len(outputs.segments)
    rows = [
        Row(file, 0, segment, (), system, text, None, document, source)
        for system, texts in outputs.texts.items()
        for segment, text, document, source in zip(outputs.segments, texts, documents, sources, strict=True)
        if text is not None
    ]
    return Rows(judged.source, rows, named=True)


def _values(given: object) -> object:
    """Return a Python object; refuse texts that name files, and unpack an array of Arrow."""
    if isinstance(given, pa.Array | pa.ChunkedArray):
        return given.to_pylist()
    if isinstance(given, list | tuple) and given and all(map(_is_file, given)):
        hint = "give files as pathlib.Path, or one file by its name and further references with ref="
        raise TouchstoneError("a list of texts holds segments, and these name files", value=given[0], hint=hint)
    return given


def _is_file(text: object) -> bool:
    return isinstance(text, str) and os.path.isfile(text)  # noqa: PTH113 (a Path refuses long texts)


def _plain_rows(raw: bytes, source: Source, encoding: str) -> Rows:
    lines, notes = parse_lines(raw, source.name, encoding)
    rows = [Row(source.name, number, str(number), (line,)) for number, line in enumerate(lines, 1)]
    return Rows(source, rows, plain=True, ordered=True, notes=notes)


def _table_rows(table: TableFile, options: TableOptions, role: Field, faults: list[Fault]) -> Rows:
    columns = _roles(table, options, role)
    if "id" not in columns and role is REFERENCE:
        table.check_order()
    named = "system" in columns
    # Where a system is the reference, a table of outputs needs no column of references.
    inside = named and bool(getattr(options, "reference_system", ()))
    references = _reference_columns(table, options, required=not inside) if role is REFERENCE else []
    column = _hypothesis_column(table, options, references) if named or role is HYPOTHESIS else None
    outputs = [_text(cell, "hypothesis", table, line, faults) for cell, line in _cells(table, column)]
    texts: Sequence[tuple[str | None, ...]] = [(output,) for output in outputs]
    if role is REFERENCE:
        texts = _reference_texts(table, references, faults)
    segments = _names(table, columns.get("id"), "segment", faults)
    systems, groups, documents = (
        _names(table, columns.get(one.role), one.role, faults) for one in (SYSTEM, GROUP, DOCUMENT)
    )
    sources = [_text(cell, "source", table, line, faults) for cell, line in _cells(table, columns.get("source"))]
    if faults:
        raise TouchstoneError.of(faults, _HINT)
    ids = segments if "id" in columns else _numbers(systems)
    cells = zip(table.lines, ids, texts, systems, outputs, groups, documents, sources, strict=True)
    rows = [Row(table.source.name, line, str(segment), *rest) for line, segment, *rest in cells]
    used = {"id": columns.get("id"), "system": columns.get("system"), "hypothesis": column}
    used |= {"reference": references[0], "document": columns.get("document")} if references else {}
    remarks = table.remarks({name: one for name, one in used.items() if one is not None}, ROLES)
    remarks += _further_remark(table, references)
    known = {*used.values(), *columns.values(), *references}
    further = [name for name in table.columns if name not in known]
    ordered = "id" not in columns
    return Rows(table.source, rows, ordered=ordered, named=named, further=further, table=table, remarks=remarks)


def _roles(table: TableFile, options: TableOptions, role: Field) -> dict[str, str]:
    """Return the column of each role that the table has one for.

    A choice that names no column is refused where the role matters for what is read here; a choice of another role is
    one for another table.
    """
    needed = {"id", role.role, *(["document"] if role is REFERENCE else [])}
    kept = [
        text
        for text in options.column
        if (parts := text.partition("="))[0] in needed
        or parts[0] not in {one.role for one in ROLES}
        or table.name(parts[2], required=False)
    ]
    return table.roles(ROLES, kept)


def _chosen(table: TableFile, options: TableOptions, role: str) -> list[str]:
    """Return the columns of this table that the user chose for a role, in order."""
    named = [column for text in options.column for key, _, column in [text.partition("=")] if key == role]
    return [found for column in named if (found := table.name(column, required=False))]


def _reference_columns(table: TableFile, options: TableOptions, *, required: bool = True) -> list[str]:
    """Return the columns of references: those chosen, else all of a usual name in the order of their numbers."""
    chosen = _chosen(table, options, "reference")
    if chosen:
        return list(dict.fromkeys(chosen))
    numbered = {name: int(found[1] or 0) for name in table.columns if (found := NUMBERED.fullmatch(name.strip()))}
    if not numbered and not required:
        return []
    if not numbered:
        table.require(REFERENCE)
    number, times = Counter(numbered.values()).most_common(1)[0]
    if times > 1:
        _refuse_several(table, "reference", [name for name, one in numbered.items() if one == number])
    return sorted(numbered, key=lambda name: numbered[name])


def _hypothesis_column(table: TableFile, options: TableOptions, references: Sequence[str]) -> str:
    """Return the column of translations; refuse a table with several that may be it, unless one is ``hypothesis``."""
    chosen = _chosen(table, options, "hypothesis")
    if chosen:
        return chosen[-1]
    found = [name for name in table.columns if name.lower() in HYPOTHESIS.names and name not in references]
    if not found:
        return table.require(HYPOTHESIS)
    usual = [name for name in found if name.lower() == HYPOTHESIS.role]
    if len(found) > 1 and len(usual) != 1:
        _refuse_several(table, "hypothesis", found)
    return (usual or found)[0]


def _refuse_several(table: TableFile, role: str, names: Sequence[str]) -> None:
    what = f"several columns may be the {role}: {', '.join(names)}"
    raise TouchstoneError(what, file=table.source.name, hint=f"choose one with {setting('column', f'{role}=NAME')}")


def _further_remark(table: TableFile, references: Sequence[str]) -> list[str]:
    """Return a sentence on further columns of references that have other than the usual names, in a list."""
    further = [name for name in references[1:] if not re.fullmatch("reference[0-9]+", name)]
    return [f"{table.source.stem}: further references are the columns {', '.join(further)}"] if further else []


def _cells(table: TableFile, column: str | None) -> Iterator[tuple[object, int]]:
    cells = table.columns[column] if column is not None else [None] * len(table)
    return zip(cells, table.lines, strict=True)


def _reference_texts(table: TableFile, columns: Sequence[str], faults: list[Fault]) -> list[tuple[str | None, ...]]:
    """Return the references of each row; a cell may hold a list of them."""
    rows: list[list[str | None]] = [[] for _ in table.lines]
    for column in columns:
        cells = [_listed(parse_list(cell), table, line, faults) for cell, line in _cells(table, column)]
        width = max(1, *map(len, cells))
        for row, texts in zip(rows, cells, strict=True):
            row += [*texts, *[None] * (width - len(texts))]
    return [tuple(row) for row in rows]


def _listed(cell: object, table: TableFile, line: int, faults: list[Fault]) -> list[str | None]:
    """Return the references of a cell: one text, or a list of texts."""
    given = cell.tolist() if hasattr(cell, "tolist") else cell
    listed = given if isinstance(given, list | tuple) else [given]
    return [_text(one, "reference", table, line, faults) for one in listed]


def _text(cell: object, role: str, table: TableFile, line: int, faults: list[Fault]) -> str | None:
    """Return a cell as it is, None if there is nothing; a number is no text."""
    if isinstance(cell, str):
        return str(cell)
    if not is_empty(cell):
        faults.append(Fault(f"the {role} is not a text", table.source.name, line, str(cell)))
    return None


def _names(table: TableFile, column: str | None, role: str, faults: list[Fault]) -> list[str | None]:
    """Return the names in a column, which are texts or whole numbers; all rows have one, or none has."""
    names: list[str | None] = [None] * len(table)
    empty = []
    for place, (cell, line) in enumerate(_cells(table, column)):
        if is_empty(cell):
            empty.append(line)
        elif isinstance(cell, bool) or not (
            isinstance(cell, str | int) or (isinstance(cell, float) and cell.is_integer())
        ):
            faults.append(Fault(f"the {role} is neither a text nor a whole number", table.source.name, line, str(cell)))
        else:
            name = str(int(cell) if isinstance(cell, float) else cell).strip()
            if not fits_a_line(name):
                what = f"the {role} has a name with a control character"
                faults.append(Fault(what, table.source.name, line, name))
            names[place] = name
    if column is not None and (len(empty) < len(table) or role in ("segment", "system")):
        what = "has no name" if role in ("segment", "system") else "has no name where others have one"
        faults += [Fault(f"the {role} {what}", table.source.name, line) for line in empty]
    return names


def _numbers(systems: Sequence[str | None]) -> list[str | None]:
    """Return the number of each row from 1, among those of its system where rows name their systems."""
    counts: Counter[str | None] = Counter()
    numbers: list[str | None] = []
    for system in systems:
        counts[system] += 1
        numbers.append(str(counts[system]))
    return numbers
