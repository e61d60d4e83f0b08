"""Tables of translations, written in another format: a row for each system and segment, with its references."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.base.options import TableOptions
from touchstone.io.jsonl import Json, format_objects
from touchstone.io.tables import refuse_absent_columns
from touchstone.io.writing import CELL_SUFFIXES, format_cells, write_text
from touchstone.tasks.mt.formats.tables import GOLD, Row, read_segments


def convert_table(source: str | Path, target: str | Path, options: TableOptions) -> str:
    """Write a table of translations in another format, by the suffix of *target*, and say what was written.

    Parameters
    ----------
    source
        A table in any format that names its systems.
    target
        A file with the suffix .tsv or .jsonl, which will be UTF-8.
    options
        Which columns of *source* were chosen, and its encoding.
    """
    suffix = Path(target).suffix
    if suffix not in (".jsonl", CELL_SUFFIXES[0]):
        hint = "tables of translations are .tsv or .jsonl"
        raise TouchstoneError("no table format has this suffix", file=str(target), code=Code.UNKNOWN_FORMAT, hint=hint)
    read = read_segments(source, options, GOLD, "the table")
    refuse_absent_columns(options.column, [read.source])
    if not read.named:
        hint = "a table to convert has the columns segment, system, hypothesis and reference"
        raise TouchstoneError("does not name its systems", file=read.source.name, code=Code.NO_COLUMN, hint=hint)
    if suffix == ".jsonl":
        write_text(target, format_objects(map(_object, read.rows)))
    else:
        write_text(target, format_cells(_cells(read.rows), suffix))
    return f"{len(read):,} translations"


def _object(row: Row) -> dict[str, Json]:
    fields: dict[str, Json] = {"segment": row.segment, "system": row.system, "hypothesis": row.output}
    further = {name: value for name in ("group", "document") if (value := getattr(row, name)) is not None}
    return {**fields, "references": list(row.texts), **further}


def _cells(rows: Sequence[Row]) -> Iterator[list[str]]:
    """Yield the header and the rows of a TSV file; refuse texts that would break a line."""
    width = max(1, *(len(row.texts) for row in rows))
    further = [name for name in ("group", "document") if getattr(rows[0], name) is not None]
    numbered = ["reference", *(f"reference{number}" for number in range(2, width + 1))]
    yield ["segment", "system", "hypothesis", *numbered, *further]
    for row in rows:
        references = [*row.texts, *[None] * (width - len(row.texts))]
        values = [row.segment, row.system, row.output, *references, *(getattr(row, name) for name in further)]
        cells = [text or "" for text in values]
        broken = next((text for text in cells if re.search(r"[\t\n\r]", text)), None)
        if broken is not None:
            hint = "write .jsonl, which can hold it"
            what = "a tab or line break in a text"
            raise TouchstoneError(what, file=row.file, line=row.line, value=broken, code=Code.CANNOT_WRITE, hint=hint)
        yield cells
