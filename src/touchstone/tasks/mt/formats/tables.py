"""Segments row by row: tables of any tool, Python objects, and plain text with one segment per line.

A table of references may have a column of systems; then it holds their translations too, a row for each system and
segment.
"""

import os
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.base.files import Source, read_bytes
from touchstone.base.options import TableOptions
from touchstone.io import formats
from touchstone.io.cells import cell_text, is_empty, parse_list, unquoted
from touchstone.io.reading import parse_rows, read_rows
from touchstone.io.schema import Field, Problem, Rows, Schema
from touchstone.io.tables import TableFile
from touchstone.tasks.mt.formats.lines import fits_a_line, parse_lines
from touchstone.tasks.mt.judges.judgements import Judgements
from touchstone.tasks.mt.judges.reading import holds_outputs, read_judgements


def _text(role: str) -> Callable[[object], str | None]:
    """Return the reader of texts, which are kept as they are; a number is no text."""

    def read(cell: object) -> str | None:
        if not (isinstance(cell, str) or is_empty(cell)):
            raise Problem(f"the {role} is not a text", cell)
        return str(cell) if isinstance(cell, str) else None

    return read


def _name(role: str) -> Callable[[object], str | None]:
    """Return the reader of names, which are texts or whole numbers; None if there is none."""

    def read(cell: object) -> str | None:
        if is_empty(cell):
            return None
        is_name = isinstance(cell, str | int) or (isinstance(cell, float) and cell.is_integer())
        if isinstance(cell, bool) or not is_name:
            raise Problem(f"the {role} is neither a text nor a whole number", cell)
        name = cell_text(cell)
        if not fits_a_line(name):
            raise Problem(f"the {role} has a name with a control character", name)
        return name

    return read


SEGMENT = Field("id", ("segment", "id", "seg_id", "segment_id", "segid"), _name("segment"))
SYSTEM = Field("system", ("system", "system_name", "system_id"), _name("system"))
HYPOTHESIS = Field(
    "hypothesis", ("hypothesis", "translation", "output", "mt", "prediction", "hyp"), _text("hypothesis")
)
REFERENCE = Field("reference", ("reference", "references", "ref", "refs", "tgt"), _text("reference"), columns="many")
DOCUMENT = Field("document", ("document", "doc", "doc_id", "docid", "document_id"), _name("document"))
GROUP = Field("group", parse=_name("group"))
SOURCE = Field("source", ("source", "src"), _text("source"))
FIELDS = (SEGMENT, SYSTEM, HYPOTHESIS, REFERENCE, DOCUMENT, GROUP, SOURCE)
"""The columns of translations, with the names that people give them."""

GOLD = Schema(*FIELDS, value=REFERENCE.role, elsewhere=("system", "hypothesis", "group", "source"))
RUN = Schema(*FIELDS, value=HYPOTHESIS.role, elsewhere=("system", "reference", "document", "group", "source"))

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
class SegmentRows:
    """The rows of a file or object, how they were read, and notes on them.

    Rows *from_lines* are plain text, not a table; *ordered* rows have no ids and are numbered from 1; *named* rows name
    their systems. Of the *further* columns of a *table*, which are not read, one may hold ids. *left_out* are the
    systems of which no rows are there, such as the reference.
    """

    source: Source
    rows: Sequence[Row]
    from_lines: bool = False
    ordered: bool = False
    named: bool = False
    further: Sequence[str] = ()
    table: TableFile | None = None
    notes: Sequence[str] = ()
    remarks: Sequence[str] = ()
    left_out: Sequence[str] = ()

    def __len__(self) -> int:
        return len(self.rows)


def read_segments(file_or_object: object, options: TableOptions, schema: Schema, name: str) -> SegmentRows:
    """Read the segments of a file or a Python object; refuse them with every fault.

    Parameters
    ----------
    file_or_object
        A path (``-`` is standard input): plain text, or a table in any format; or an object that `table_of` takes.
    options
        Which columns the user chose, and the encoding of text files.
    schema
        What the texts are: `GOLD` or `RUN`.
    name
        What messages call an object.
    """
    if isinstance(file_or_object, Judgements):
        return _judged_rows(file_or_object)
    if isinstance(file_or_object, str | Path):
        if holds_outputs(file_or_object):
            return _judged_rows(read_judgements(file_or_object)[0])
        raw, source = read_bytes(file_or_object)
        if not is_table(source.name, raw, options.encoding):
            return _line_rows(raw, source, options.encoding)
        return _table_rows(parse_rows(raw, source, schema, options), options)
    return _table_rows(read_rows(_values(file_or_object), schema, options, name=name), options)


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
    key = re.match(r'\[?\s*\{\s*"(\w+)"\s*:', first)
    cells = [unquoted(cell.strip()).lower() for cell in _SEPARATORS.split(first)]
    header = len(cells) > 1 and all(map(GOLD.has, cells))
    return header or (key is not None and GOLD.has(key[1]))


def _judged_rows(judged: Judgements) -> SegmentRows:
    """Return the translations that a file of judgements holds, a row for each system and segment."""
    outputs, file = judged.outputs, judged.source.name
    if outputs is None:
        hint = "give a folder with the output of each system, or a table with references and outputs"
        raise TouchstoneError("these judgements contain no translations", file=file, code=Code.EMPTY, hint=hint)
    documents = outputs.documents or [None] * len(outputs.segments)
    sources = outputs.sources or [None] * len(outputs.segments)
    rows = [
        Row(file, 0, segment, (), system, text, None, document, source)
        for system, texts in outputs.texts.items()
        for segment, text, document, source in zip(outputs.segments, texts, documents, sources, strict=True)
        if text is not None
    ]
    return SegmentRows(judged.source, rows, named=True)


def _values(value: object) -> object:
    """Return a Python object; refuse texts that name files, and unpack an array of Arrow."""
    if isinstance(value, pa.Array | pa.ChunkedArray):
        return value.to_pylist()
    if isinstance(value, list | tuple) and value and all(map(_is_file, value)):
        hint = "give files as pathlib.Path, or one file by its name and further references with ref="
        what = "a list of texts holds segments, and these name files"
        raise TouchstoneError(what, value=value[0], code=Code.AMBIGUOUS, hint=hint)
    return value


def _is_file(text: object) -> bool:
    return isinstance(text, str) and os.path.isfile(text)  # noqa: PTH113 (a Path refuses long texts)


def _line_rows(raw: bytes, source: Source, encoding: str) -> SegmentRows:
    lines, notes = parse_lines(raw, source.name, encoding)
    rows = [Row(source.name, number, str(number), (line,)) for number, line in enumerate(lines, 1)]
    return SegmentRows(source, rows, from_lines=True, ordered=True, notes=notes)


def _table_rows(rows: Rows, options: TableOptions) -> SegmentRows:
    table, columns, gold = rows.table, rows.columns, rows.schema is GOLD
    if "id" not in columns and gold:
        table.check_order()
    named = "system" in columns
    # Where a system is the reference, a table of outputs needs no column of references.
    inside = named and bool(getattr(options, "reference_system", ()))
    references = rows.several("reference") if gold else []
    if gold and not references and not inside:
        rows.require("reference")
    column = _hypothesis_column(rows, references) if named or not gold else None
    outputs: list[str | None] = rows.column(column, HYPOTHESIS.parse, None) if column else [None] * len(rows)
    texts = _reference_texts(rows, references) if gold else [(output,) for output in outputs]
    segments = _names(rows, "id", "segment", always=True)
    systems = _names(rows, "system", "system", always=True)
    groups, documents = (_names(rows, role, role) for role in ("group", "document"))
    sources: list[str | None] = rows.values("source")
    rows.check(_HINT)
    ids = segments if "id" in columns else _numbers(systems)
    cells = zip(table.lines, ids, texts, systems, outputs, groups, documents, sources, strict=True)
    used = {"id": columns.get("id"), "system": columns.get("system"), "hypothesis": column}
    used |= {"reference": references[0], "document": columns.get("document")} if references else {}
    read_columns = {*used.values(), *columns.values(), *references}
    remarks = replace(rows, columns={role: name for role, name in used.items() if name is not None}).remarks()
    return SegmentRows(
        table.source,
        [Row(rows.file, line, str(segment), *fields) for line, segment, *fields in cells],
        ordered="id" not in columns,
        named=named,
        further=[name for name in table.columns if name not in read_columns],
        table=table,
        remarks=remarks + _further_remark(rows, references),
    )


def _hypothesis_column(rows: Rows, references: Sequence[str]) -> str:
    """Return the column of translations; refuse a table with several that may be it, unless one is ``hypothesis``."""
    chosen = rows.chosen_columns.get("hypothesis")
    if chosen:
        return chosen[-1]
    candidates = [name for name in rows.table.columns if HYPOTHESIS.number(name) is not None and name not in references]
    if not candidates:
        rows.columns.pop("hypothesis", None)
        rows.require("hypothesis")
    exact = [name for name in candidates if name.lower() == HYPOTHESIS.role]
    if len(candidates) > 1 and len(exact) != 1:
        rows.refuse_several("hypothesis", candidates)
    return (exact or candidates)[0]


def _further_remark(rows: Rows, references: Sequence[str]) -> list[str]:
    """Return a sentence on further columns of references that have other than the usual names, in a list."""
    further = [name for name in references[1:] if not re.fullmatch("reference[0-9]+", name)]
    return [f"{rows.stem}: further references are the columns {', '.join(further)}"] if further else []


def _reference_texts(rows: Rows, columns: Sequence[str]) -> list[tuple[str | None, ...]]:
    """Return the references of each row; a cell may hold a list of them."""
    texts: list[list[str | None]] = [[] for _ in range(len(rows))]
    for column in columns:
        cells = [
            [rows.attempt(index, REFERENCE.parse, text) for text in _listed(parse_list(cell))]
            for index, cell in enumerate(rows.table.columns[column])
        ]
        width = max(1, *map(len, cells))
        for row, references in zip(texts, cells, strict=True):
            row += [*references, *[None] * (width - len(references))]
    return list(map(tuple, texts))


def _listed(cell: object) -> Sequence[object]:
    """Return the references of a cell: one text, or a list of texts."""
    value = cell.tolist() if hasattr(cell, "tolist") else cell
    return value if isinstance(value, list | tuple) else [value]


def _names(rows: Rows, role: str, called: str, *, always: bool = False) -> list[str | None]:
    """Return the names in a column: all rows have one, or none has where a name need not *always* be there."""
    names: list[str | None] = rows.values(role)
    empty = [row for row, cell in enumerate(rows.cells(role)) if is_empty(cell)]
    if role in rows.columns and (len(empty) < len(rows) or always):
        what = "has no name" if always else "has no name where others have one"
        for row in empty:
            rows.fault(f"the {called} {what}", row)
    return names


def _numbers(systems: Sequence[str | None]) -> list[str | None]:
    """Return the number of each row from 1, among those of its system where rows name their systems."""
    counts: Counter[str | None] = Counter()
    numbers: list[str | None] = []
    for system in systems:
        counts[system] += 1
        numbers.append(str(counts[system]))
    return numbers
