"""Tables of presence, long or wide: which content units each peer expresses, with the weights of the units.

A long table has a row for each document set, peer and unit; a wide one a row for each unit and a column for each peer.
"""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from touchstone.base.codes import Code
from touchstone.base.errors import Faults, TouchstoneError
from touchstone.base.spelling import setting
from touchstone.io.cells import is_empty, parse_number
from touchstone.io.schema import Field, Problem, Rows, Schema, text
from touchstone.io.tables import TableFile
from touchstone.io.texts import word_form
from touchstone.tasks.pyramid.decisions import Decision, Presence, majority
from touchstone.tasks.pyramid.model import unpadded

UNIT = Field("unit", ("unit", "scu", "content_unit", "unit_id", "scu_id", "uid"), required=True)
PEER = Field("peer", ("peer", "system", "summary", "peer_id", "peerid", "system_id"))
PRESENT = Field("present", ("present", "presence", "expressed", "matched"))
FIELDS_OF_DECISIONS = ("item", "system", "scu")
"""Columns of Touchstone's own lines of decisions, which need no remark."""

SCHEMA = Schema(
    Field("set", ("set", "docset", "topic", "document", "item", "set_id", "setid", "docset_id", "doc_id")),
    PEER,
    UNIT,
    Field("weight", ("weight", "unit_weight", "scu_weight")),
    PRESENT,
    Field("models", ("models", "n_models", "num_models")),
    Field("label", ("label", "unit_label", "scu_label", "statement")),
    Field("votes", ("votes",)),
    Field("unmatched", ("unmatched", "unsupported", "unmatched_units", "unsupported_units")),
    value="present",
    unremarked=FIELDS_OF_DECISIONS,
)

ONLY_SET = "1"
"""The document set of a table that names none."""

MOST = 1_000_000
"""The largest weight and number of models that is believed."""

SPELLINGS = {"1": True, "true": True, "1.0": True, "0": False, "false": False, "0.0": False}

MOST_PEERS_NAMED = 5

UnitRow = tuple[int, str, str, str, int]
"""The number of a row, and the document set, name, label and weight of its unit."""


def parse_decisions(rows: Rows) -> Presence:
    """Return the decisions of a table; refuse it with all the faults of its rows.

    Parameters
    ----------
    rows
        A long table where it has a column of peers or of presence, else a wide one.
    """
    table, columns = rows.table, rows.columns
    if UNIT.role not in columns and "label" in columns and not table.is_numeric(columns["label"]):
        columns[UNIT.role] = columns["label"]  # without ids, what a unit says tells which it is
    reading = _Reading(rows)
    _require(reading)
    choice = setting("column", "set=NAME")
    hints = [] if "set" in columns else [f"choose the column of document sets with {choice} if there are several"]
    if columns.keys() & {PEER.role, PRESENT.role}:
        decisions, remarks = reading.long(reading.units()), []
    else:
        if "unmatched" in columns:
            what = f"the column {columns['unmatched']} needs a table with a row for each set, peer and unit"
            hint = "the content that matches no unit is counted for each summary: give the columns peer and present"
            raise TouchstoneError(what, file=table.source.name, code=Code.NO_COLUMN, hint=hint)
        peers = _peer_columns(table, columns)
        decisions, remarks = reading.wide(reading.units(), peers), [_wide_remark(table, columns, peers)]
        hints.append("a column without a role that has a 0 or 1 is taken as a peer; leave other columns out")
    rows.check("; ".join(hints) or None)
    if "set" not in columns:
        remarks.append(f"{table.source.stem}: no column for the document set, so all rows are of one set")
    if "weight" not in columns:
        remarks.append(f"{table.source.stem}: no column of weights, so every unit weighs 1")
    return Presence(decisions, (table.source,), reading.models, (*rows.remarks(), *remarks), reading.unmatched)


def _require(reading: "_Reading") -> None:
    """Refuse a table that lacks a column, with the faults of those that it has; a long one needs peers and presence."""
    rows, faults = reading.rows, Faults()
    with faults.collect():
        rows.require(*((PEER.role, PRESENT.role) if rows.columns.keys() & {PEER.role, PRESENT.role} else ()))
    if faults:
        for role in ("weight", "models"):
            reading.integers(role)
        if PRESENT.role in rows.columns:
            reading.present(rows.columns[PRESENT.role])
        faults.add(rows.faults)
        faults.check()


@dataclass
class _Reading:
    """Reads the rows of one table; what is wrong with them is noted there."""

    rows: Rows
    models: dict[str, int] = field(default_factory=dict)
    first: dict[tuple[str, str, str], int] = field(default_factory=dict)
    unmatched: dict[tuple[str, str], int] = field(default_factory=dict)

    def long(self, units: Sequence[UnitRow]) -> list[Decision]:
        """Return the decision of each row about its unit."""
        peers, present = self.names("peer"), self.present(self.rows.columns["present"])
        votes = self.votes(present)
        self.count_unmatched(peers)
        return [
            Decision(item, unpadded(peer), unit, label, here, cast, weight)
            for (row, item, unit, label, weight), peer, here, cast in zip(units, peers, present, votes, strict=True)
            if self.is_new((item, unpadded(peer), unit), row)
        ]

    def count_unmatched(self, peers: Sequence[str]) -> None:
        """Note the content units of each summary that match none; they must be the same in all its rows."""
        if "unmatched" not in self.rows.columns:
            return
        counts = zip(self.names("set", ONLY_SET), peers, self.integers("unmatched", least=0), strict=True)
        for row, (item, peer, number) in enumerate(counts):
            before = self.unmatched.setdefault((item, unpadded(peer)), number)
            if before != number:
                self.rows.fault(f"set {item}, peer {peer} has {number} unmatched units here and {before} above", row)

    def wide(self, units: Sequence[UnitRow], peers: Sequence[str]) -> list[Decision]:
        """Return the decisions of each row about its unit, one for each of the *peers*."""
        return [
            Decision(item, unpadded(peer), unit, label, here, (), weight)
            for peer in peers
            for (row, item, unit, label, weight), here in zip(units, self.present(peer), strict=True)
            if self.is_new((item, unpadded(peer), unit), row)
        ]

    def units(self) -> list[UnitRow]:
        """Return what each row says about its unit; note the number of models of each set."""
        sets, units = self.names("set", ONLY_SET), self.names("unit")
        labels = self.rows.values("label")
        weights = self.integers("weight")
        weights_above: dict[tuple[str, str], int] = {}
        self.check_labels(sets, units, labels)
        rows = zip(sets, units, weights, self.integers("models"), strict=True)
        for row, (item, unit, weight, models) in enumerate(rows):
            above = weights_above.setdefault((item, unit), weight)
            # 0 stands for a cell that could not be read, which is a fault already.
            if above and weight and above != weight:
                self.rows.fault(f"unit {unit} of set {item} has the weight {weight} here and {above} above", row)
            if "models" in self.rows.columns:
                above = self.models.setdefault(item, models)
                if above and models and above != models:
                    self.rows.fault(f"set {item} has {models} models here and {above} above", row)
        return [
            (row, item, unit, label or "", weight)
            for row, (item, unit, label, weight) in enumerate(zip(sets, units, labels, weights, strict=True))
        ]

    def check_labels(self, sets: Sequence[str], units: Sequence[str], labels: Sequence[str | None]) -> None:
        """Note the fault of a unit that says something else than in a row above: its id is that of another unit."""
        first: dict[tuple[str, str], str] = {}
        for row, (item, unit, label) in enumerate(zip(sets, units, labels, strict=True)):
            above = first.setdefault((item, unit), label) if label else None
            if label and above and above != label and word_form(above) != word_form(label):
                self.rows.fault(f"unit {unit} of set {item} has another label than above", row, label)

    def is_new(self, decision: tuple[str, str, str], row: int) -> bool:
        """Return whether a decision is the first of its document set, peer and unit; note the fault of another."""
        if all(decision) and decision in self.first:
            item, peer, unit = decision
            self.rows.fault(f"set {item}, peer {peer}, unit {unit}: also on line {self.first[decision]}", row)
            return False
        self.first[decision] = self.rows.table.lines[row]
        return True

    def names(self, role: str, default: str | None = None) -> list[str]:
        """Return the names in the column of a role; note the fault of an empty one."""
        column = self.rows.columns.get(role)
        if column is None:
            return [str(default)] * len(self.rows)
        return self.rows.column(column, partial(parse_name, what=f"no {role} in the column {column}"), "")

    def integers(self, role: str, least: int = 1) -> list[int]:
        """Return the whole numbers in the column of a role, 0 for the faults among them; 1 where there is no column."""
        column = self.rows.columns.get(role)
        if column is None:
            return [1] * len(self.rows)
        what = f"{column} is not a whole number from {least} to {MOST:,}"
        return self.rows.column(column, partial(_parse_integer, least=least, what=what), 0)

    def present(self, column: str) -> list[bool]:
        """Return the cells of a column as presence; note the faults of others."""
        what = f"{column} is neither 0 nor 1 (or true, false)"
        return self.rows.column(column, partial(_parse_present, what=what), False)

    def votes(self, present: Sequence[bool]) -> list[tuple[int, ...]]:
        """Return the votes of each row; note the faults of those that are not 0 and 1, or decide otherwise."""
        votes: list[tuple[int, ...]] = []
        for row, (cell, here) in enumerate(zip(self.rows.cells("votes"), present, strict=True)):
            cast = _listed(cell)
            if not isinstance(cast, list | tuple) or not all(type(vote) is int and vote in (0, 1) for vote in cast):
                self.rows.fault('"votes" must be a list of 0 and 1', row, _cell_text(cell))
                cast = []
            elif cast and here != majority(cast):
                self.rows.fault('"present" is not what the majority of the votes says', row)
            votes.append(tuple(cast))
        return votes


def parse_name(cell: object, what: str) -> str:
    """Return a cell as text; *what* says what is wrong with an empty one.

    >>> parse_name(7, "no peer")
    '7'
    """
    name = text(cell)
    if name is None:
        raise Problem(what)
    return name


def _parse_integer(cell: object, least: int, what: str) -> int:
    value = parse_number(cell)
    if value is None or math.isnan(value) or not value.is_integer() or not least <= value <= MOST:
        raise Problem(what, _cell_text(cell))
    return int(value)


def _parse_present(cell: object, what: str) -> bool:
    here = SPELLINGS.get((text(cell) or "").lower())
    if here is None:
        raise Problem(what, text(cell) or "")
    return here


def _listed(cell: object) -> object:
    """Return a list as frames and text hold it; what is none stays as it is."""
    if is_empty(cell):
        return []
    if isinstance(cell, str):
        try:
            return json.loads(cell)
        except (ValueError, RecursionError):
            return cell
    return cell.tolist() if hasattr(cell, "tolist") else cell


def _cell_text(cell: object) -> str:
    return "" if cell is None else str(cell)


def _peer_columns(table: TableFile, columns: Mapping[str, str]) -> list[str]:
    """Return the columns of peers in a wide table: those without a role that have 0 or 1 in any row."""
    without_role = [name for name in table.columns if name not in columns.values()]
    peers = [name for name in without_role if any((text or "").lower() in SPELLINGS for text in table.texts(name))]
    if not peers:
        what = "no column says which peers express the units"
        choice = setting("column", "peer=NAME")
        hint = f"give the columns peer and present, or for each peer a column of 0 and 1; or choose {choice}"
        raise TouchstoneError(what, file=table.source.name, code=Code.NO_COLUMN, hint=hint)
    return peers


def _wide_remark(table: TableFile, columns: Mapping[str, str], peers: Sequence[str]) -> str:
    more = ", …" if len(peers) > MOST_PEERS_NAMED else ""
    left = [name for name in table.columns if name not in (*columns.values(), *peers)]
    unused = f"; not read: {', '.join(left)}" if left else ""
    return (
        f"{table.source.stem}: {len(peers):,} columns are peers ({', '.join(peers[:MOST_PEERS_NAMED])}{more}){unused}"
    )
