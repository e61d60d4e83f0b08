"""Tables of translations that contain sources or references: segments are recognised by these."""

from collections.abc import Container
from dataclasses import replace

import numpy as np

from touchstone.base.errors import TouchstoneError
from touchstone.io.tables import TableFile
from touchstone.io.texts import Texts, column_texts, contradictions, ids_by_text, text_columns
from touchstone.tasks.mt.about import Options
from touchstone.tasks.mt.formats.cleaning import clean
from touchstone.tasks.mt.formats.tables import FIELDS, HYPOTHESIS, RUN, Row, SegmentRows
from touchstone.tasks.mt.model import GoldSet


def row_id(row: Row, ids: Container[str]) -> str:
    """Return the id of a row among *ids*, which begin with the group where groups share ids."""
    id_with_group = f"{row.group}/{row.segment}"
    return id_with_group if row.group is not None and id_with_group in ids else row.segment


def joined_by_text(part: SegmentRows, gold: GoldSet, options: Options) -> SegmentRows:
    """Return the rows of a run, those without ids with the ids of the segments whose source or reference they repeat.

    Parameters
    ----------
    part
        The run; where its rows have ids, one with the source or reference of another segment is refused.
    gold
        The references.
    options
        How texts are read.
    """
    if part.table is None:
        return part
    texts = _gold_texts(gold)
    read = _run_texts(part.table, texts, options, ordered=part.ordered)
    if part.ordered:
        joined = ids_by_text(gold.ids, texts, read, part.table)
        if joined is None:
            return part
        rows = [row._replace(segment=name) for row, name in zip(part.rows, joined.ids, strict=True)]
        return replace(part, rows=rows, ordered=False, remarks=[*part.remarks, *joined.remarks])
    first = {row_id(row, gold.rows): index for index, row in reversed([*enumerate(part.rows)])}
    places = np.array([first.get(name, -1) for name in gold.ids], np.int64)
    faults, hints = contradictions(gold.ids, texts, read, places, part.source.name, part.table.lines)
    if faults:
        raise TouchstoneError.of(faults, "; ".join(hints))
    return part


def _gold_texts(gold: GoldSet) -> Texts:
    """Return the source and the references of the segments by role, as far as they are known."""
    source = {"source": gold.source.segments} if gold.source else {}
    return {**source, **{f"reference {n}" if n > 1 else "reference": t.segments for n, t in enumerate(gold.texts, 1)}}


def _run_texts(table: TableFile, gold: Texts, options: Options, *, ordered: bool) -> Texts:
    """Return the sources and references that a table of translations contains.

    Where rows have ids, a run may come with other references than those of the gold; else they must be the same.
    """
    roles = RUN.only(*(field.role for field in FIELDS)).bind(table, options.column).columns
    taken = [column for role, column in roles.items() if role not in ("source", "reference")]
    taken += [name for name in table.columns if HYPOTHESIS.number(name) is not None]
    named = {"source": roles["source"]} if "source" in roles else {}
    columns = text_columns(table, named, gold, taken)
    if ordered and "reference" in roles and not {"reference", roles["reference"]} & {*columns, *columns.values()}:
        columns["reference"] = roles["reference"]
    read = column_texts(table, columns)
    references = {role: clean([cell or "" for cell in read[role]], options, "")[0] for role in read if role != "source"}
    return {**read, **references}
