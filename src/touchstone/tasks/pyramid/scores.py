"""Tables of scores to analyse: a row for each summary with its document set, its peer, its score, and ratings."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import isnan
from statistics import fmean
from typing import Literal

import numpy as np
import pyarrow as pa

from touchstone.base.codes import Code
from touchstone.base.errors import Fault, TouchstoneError, refuse
from touchstone.base.files import Source
from touchstone.base.ragged import Floats
from touchstone.base.spelling import setting
from touchstone.io.cells import parse_number
from touchstone.io.schema import Field, Schema, text
from touchstone.io.tables import TableFile
from touchstone.stats.factors import Columns
from touchstone.tasks.pyramid.model import unpadded

Annotators = Literal["mean", "each"]

SET, PEER, ANNOTATOR = "setid", "peerid", "annotator"
"""The fields of a table of scores or ratings that tell whose they are."""


def _name(cell: object) -> str:
    return text(cell) or ""


SCHEMA = Schema(
    Field(SET, (SET, "set"), _name, "", required=True),
    Field(PEER, (PEER, "peer", "system"), lambda cell: unpadded(_name(cell)), "", required=True),
    Field(ANNOTATOR, (ANNOTATOR, "annotatorid", "annot"), _name, ""),
    chosen=False,
)

UNNAMED = Source("table", "")


@dataclass(frozen=True, eq=False)
class ScoreTable:
    """Columns of one length; *sets*, *peers* and *annotators* name those that tell whose score a row has."""

    columns: Columns
    sets: str
    peers: str
    annotators: str | None
    source: Source = UNNAMED
    notes: tuple[str, ...] = ()

    @classmethod
    def of(cls, columns: Columns, source: Source = UNNAMED, notes: tuple[str, ...] = ()) -> "ScoreTable":
        """Return a table of *columns*; 01 and 1 are the same peer.

        Examples
        --------
        >>> table = ScoreTable.of({"setid": ["D1", "D1"], "peerid": ["01", "2"], "score": [0.2, 0.3]})
        >>> table.sets, table.peers, table.columns["peerid"]
        ('setid', 'peerid', ['1', '2'])
        """
        rows = SCHEMA.bind(TableFile(source, {name: list(cells) for name, cells in columns.items()}, ()))
        rows.require()
        sets, peers = rows.columns[SET], rows.columns[PEER]
        ids = {sets: rows.values(SET), peers: rows.values(PEER)}
        table = cls({**columns, **ids}, sets, peers, rows.columns.get(ANNOTATOR), source, notes)
        _check_ids(table)
        return table

    @property
    def cells(self) -> dict[tuple[str, str], list[int]]:
        """The rows of each set and peer; several where there are several annotators."""
        cells: dict[tuple[str, str], list[int]] = {}
        for row, cell in enumerate(zip(self.columns[self.sets], self.columns[self.peers], strict=True)):
            cells.setdefault((str(cell[0]), str(cell[1])), []).append(row)
        return cells

    def rows(self, chosen: Sequence[int]) -> "ScoreTable":
        """Return the *chosen* rows."""
        return replace(self, columns={name: [cells[row] for row in chosen] for name, cells in self.columns.items()})

    def numbers(self, name: str) -> Floats:
        """Return a column as numbers, nan where a cell is empty; refuse what is no finite number."""
        values = [parse_number(cell) for cell in self.columns[name]]
        faults = [
            Fault(f"{name} is not a finite number", self.source.name, value=str(cell), code=Code.NOT_FINITE)
            for cell, value in zip(self.columns[name], values, strict=True)
            if value is None
        ]
        refuse(faults, "leave a cell empty where a number is missing")
        return np.array(values, np.float64)

    def averaged(self, dependent: str, beside: Iterable[str] = ()) -> "ScoreTable":
        """Return a row for each set and peer, with the mean of its annotators.

        Parameters
        ----------
        dependent
            The column that is averaged; of the others the first row of each summary is kept.
        beside
            Columns that must be the same for all annotators of a summary.
        """
        several = {cell: rows for cell, rows in self.cells.items() if len(rows) > 1}
        if not several or dependent not in self.columns:
            return self
        for name in set(beside) & self.columns.keys() - {self.annotators}:
            _check_same(self, name, several)
        means, scores = list(self.columns[dependent]), self.numbers(dependent)
        for rows in several.values():
            present = [score for score in scores[rows].tolist() if not isnan(score)]
            means[rows[0]] = fmean(present) if present else None
        with_means = replace(self, columns={**self.columns, dependent: means})
        first = with_means.rows([rows[0] for rows in self.cells.values()])
        note = (
            f"{len(several):,} summaries have several annotators, whose scores are averaged: {len(self.cells):,} rows"
        )
        return replace(first, notes=(*self.notes, note))

    def to_arrow(self) -> pa.Table:
        """Return the table; a column of whole numbers in text becomes numbers, ids stay text."""
        return pa.table({name: _column(cells, name) for name, cells in self.columns.items()})


def _column(values: Sequence[object], name: str) -> pa.Array:
    """Return a column as numbers where all its values are, else as text; ids stay text."""
    if name in ("setid", "peerid", "annotator"):
        return pa.array(values, pa.string())
    if all(value is None or isinstance(value, int | float) for value in values):
        return pa.array(values, pa.float64())
    numbers = [None if value is None else _parse_integer(str(value)) for value in values]
    if all((number is None) == (value is None) for number, value in zip(numbers, values, strict=True)):
        return pa.array(numbers, pa.int64())
    return pa.array([None if value is None else str(value) for value in values], pa.string())


def _parse_integer(text: str) -> int | None:
    digits = text.removeprefix("-")
    # Floats, in which columns are computed, hold every integer of 15 digits exactly; longer ones stay text.
    return int(text) if digits.isascii() and digits.isdigit() and len(digits) < 16 else None


def _check_ids(table: ScoreTable) -> None:
    """Refuse rows without a set or a peer, and two rows of the same summary and annotator."""
    if not table.columns[table.sets]:
        raise TouchstoneError("no row in the table", file=table.source.name, code=Code.EMPTY)
    people = table.columns[table.annotators] if table.annotators else [""] * len(table.columns[table.sets])
    faults = []
    for (document_set, peer), rows in table.cells.items():
        if not (document_set and peer):
            absent = table.peers if document_set else table.sets
            faults.append(Fault(f"{len(rows):,} rows lack {absent}", table.source.name, code=Code.MISSING_ID))
        elif len({str(people[row]) for row in rows}) < len(rows):
            what = f"set {document_set}, peer {peer} occur in {len(rows)} rows"
            faults.append(Fault(what, table.source.name, code=Code.DUPLICATE_ID))
    refuse(faults, "give each summary one row, or one for each annotator, named in a column")


def _check_same(table: ScoreTable, name: str, several: Mapping[tuple[str, str], Sequence[int]]) -> None:
    for (document_set, peer), rows in several.items():
        if len({str(table.columns[name][row]) for row in rows}) > 1:
            what = f"the rows of set {document_set}, peer {peer} differ in {name}, and cannot be averaged"
            hint = f"keep a row for each annotator with {setting('annotators', 'each')}"
            raise TouchstoneError(what, file=table.source.name, code=Code.MISMATCH, hint=hint)
