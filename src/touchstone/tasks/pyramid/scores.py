"""A table of scores to analyse: a row for each summary, with its document set, its peer, and what else is known."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import isnan
from pathlib import Path
from statistics import fmean

import numpy as np
import pyarrow as pa

from touchstone.core.errors import Fault, TouchstoneError
from touchstone.core.ragged import Floats
from touchstone.io.jsonl import parse_objects
from touchstone.io.text import Source, read_bytes, read_text
from touchstone.stats.agreement import missing
from touchstone.stats.factors import Columns
from touchstone.tasks.pyramid.formats.tables import column, read_rows
from touchstone.tasks.pyramid.joining import ANNOTATORS, PEERS, SETS
from touchstone.tasks.pyramid.model import unpadded

UNNAMED = Source("table", "")


@dataclass(frozen=True, eq=False)
class ScoreTable:
    """Columns of one length; *sets*, *peers* and *annotators* are the names of those that say whose score it is."""

    columns: Columns
    sets: str
    peers: str
    annotators: str | None
    source: Source = UNNAMED
    notes: tuple[str, ...] = ()

    @classmethod
    def of(cls, columns: Columns, source: Source = UNNAMED) -> "ScoreTable":
        """Return a table of *columns*; 01 and 1 are one peer.

        >>> table = ScoreTable.of({"setid": ["D1", "D1"], "peerid": ["01", "2"], "score": [0.2, 0.3]})
        >>> table.sets, table.peers, table.columns["peerid"]
        ('setid', 'peerid', ['1', '2'])
        """
        names = list(columns)
        sets, peers = column(names, SETS, source), column(names, PEERS, source)
        annotators = next((name for name in names if name.lower() in ANNOTATORS), None)
        ids = {
            sets: [_id(cell) for cell in columns[sets]],
            peers: [unpadded(_id(cell)) for cell in columns[peers]],
        }
        table = cls({**columns, **ids}, sets, peers, annotators, source)
        _check_ids(table)
        return table

    @property
    def cells(self) -> dict[tuple[str, str], list[int]]:
        """The rows of each set and peer; several where there are several annotators."""
        found: dict[tuple[str, str], list[int]] = {}
        for row, cell in enumerate(zip(self.columns[self.sets], self.columns[self.peers], strict=True)):
            found.setdefault((str(cell[0]), str(cell[1])), []).append(row)
        return found

    def rows(self, chosen: Sequence[int]) -> "ScoreTable":
        """Return the *chosen* rows."""
        return replace(self, columns={name: [cells[row] for row in chosen] for name, cells in self.columns.items()})

    def numbers(self, name: str) -> Floats:
        """Return a column as numbers, nan where a cell is empty; what is no number is refused."""
        found, faults = np.full(len(self.columns[name]), np.nan), []
        for row, cell in enumerate(self.columns[name]):
            try:
                found[row] = np.nan if _id(cell) == "" else float(_id(cell))
            except ValueError:
                faults.append(Fault(f"{name} is not a number", self.source.name, value=str(cell)))
        if faults:
            raise TouchstoneError.of(faults, "leave a cell empty where a number is missing")
        return found

    def averaged(self, dependent: str, beside: Iterable[str] = ()) -> "ScoreTable":
        """Return a row for each set and peer, with the mean *dependent* of its annotators.

        The columns *beside* it must say the same of all of them; of the others the first row's are kept.
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
        first = replace(self, columns={**self.columns, dependent: means}).rows(
            [rows[0] for rows in self.cells.values()]
        )
        said = (
            f"{len(several):,} summaries have several annotators, whose scores are averaged: {len(self.cells):,} rows"
        )
        return replace(first, notes=(*self.notes, said))


def read_scores(path: str | Path) -> ScoreTable:
    """Read a table of scores with the columns setid (or set) and peerid (or peer, system): .csv, .jsonl or .parquet."""
    suffix = Path(path).suffix
    if suffix == ".parquet":
        return ScoreTable.of(*_parquet(path))
    if suffix == ".jsonl":
        return ScoreTable.of(*_jsonl(path))
    names, rows, source = read_rows(path)
    return ScoreTable.of({name: [row[name] for _, row in rows] for name in names}, source)


def _parquet(path: str | Path) -> tuple[Columns, Source]:
    from pyarrow import parquet

    raw, source = read_bytes(path)
    try:
        return parquet.read_table(pa.BufferReader(raw)).to_pydict(), source
    except (pa.ArrowException, OSError):
        raise TouchstoneError("not a Parquet file", file=source.name) from None


def _jsonl(path: str | Path) -> tuple[Columns, Source]:
    text, source = read_text(path)
    faults: list[Fault] = []
    rows = [row for _, row in parse_objects(text, file=source.name, faults=faults)]
    if faults:
        raise TouchstoneError.of(faults)
    names = dict.fromkeys(name for row in rows for name in row)
    return {name: [row.get(name) for row in rows] for name in names}, source


def _id(cell: object) -> str:
    return "" if missing(cell) else str(cell).strip()


def _check_ids(table: ScoreTable) -> None:
    """Refuse rows that do not say whose score they are, or say the same as another."""
    if not table.columns[table.sets]:
        raise TouchstoneError("no row in the table", file=table.source.name)
    who = table.columns[table.annotators] if table.annotators else [""] * len(table.columns[table.sets])
    faults = []
    for (one, peer), rows in table.cells.items():
        if not (one and peer):
            faults.append(Fault(f"{len(rows):,} rows lack {table.peers if one else table.sets}", table.source.name))
        elif len({str(who[row]) for row in rows}) < len(rows):
            faults.append(Fault(f"set {one}, peer {peer} stand in {len(rows)} rows", table.source.name))
    if faults:
        raise TouchstoneError.of(faults, "give each summary one row, or one for each annotator, named in a column")


def _check_same(table: ScoreTable, name: str, several: Mapping[tuple[str, str], Sequence[int]]) -> None:
    for (one, peer), rows in several.items():
        if len({str(table.columns[name][row]) for row in rows}) > 1:
            raise TouchstoneError(
                f"the rows of set {one}, peer {peer} differ in {name}, and cannot be averaged",
                file=table.source.name,
                hint="keep a row for each annotator with --annotators each",
            )
