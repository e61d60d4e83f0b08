"""Tables of presence, long or wide: which content units each peer expresses, with the weights of the units.

A long table has a row for each document set, peer and unit; a wide one a row for each unit and a column for each peer.
"""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from touchstone.base.errors import Fault, TouchstoneError
from touchstone.base.options import TableOptions
from touchstone.base.spelling import setting
from touchstone.io.cells import is_empty, parse_number
from touchstone.io.schema import Field
from touchstone.io.tables import TableFile
from touchstone.io.texts import word_form
from touchstone.tasks.pyramid.decisions import Decision, Presence, majority
from touchstone.tasks.pyramid.model import unpadded

UNIT = Field("unit", ("unit", "scu", "content_unit", "unit_id", "scu_id", "uid"))
PEER = Field("peer", ("peer", "system", "summary", "peer_id", "peerid", "system_id"))
PRESENT = Field("present", ("present", "presence", "expressed", "matched"))
ROLES = (
    Field("set", ("set", "docset", "topic", "document", "item", "set_id", "setid", "docset_id", "doc_id")),
    PEER,
    UNIT,
    Field("weight", ("weight", "unit_weight", "scu_weight")),
    PRESENT,
    Field("models", ("models", "n_models", "num_models")),
    Field("label", ("label", "unit_label", "scu_label", "statement")),
    Field("votes", ("votes",)),
    Field("unmatched", ("unmatched", "unsupported", "unmatched_units", "unsupported_units")),
)

OWN = ("item", "system", "scu")
"""Columns of Touchstone's own lines of decisions, which need no remark."""

ONLY_SET = "1"
"""The document set of a table that names none."""

MOST = 1_000_000
"""The largest weight and number of models that is believed."""

SPELLINGS = {"1": True, "true": True, "1.0": True, "0": False, "false": False, "0.0": False}

SHOWN_PEERS = 5


def parse_decisions(table: TableFile, options: TableOptions) -> Presence:
    """Return the decisions of a table; refuse it with all the faults of its rows.

    Parameters
    ----------
    table
        A long table where it has a column of peers or of presence, else a wide one.
    options
        Which columns the user chose.
    """
    columns = table.roles(ROLES, options.column)
    if UNIT.role not in columns and "label" in columns and not table.is_numeric(columns["label"]):
        columns[UNIT.role] = columns["label"]  # without ids, what a unit says tells which it is
    missing = [role for role in (UNIT, *_long_roles(columns)) if role.role not in columns]
    if missing:
        table.require(*missing)
    reading = _Reading(table, columns)
    choice = setting("column", "set=NAME")
    hints = [] if "set" in columns else [f"choose the column of document sets with {choice} if there are several"]
    if columns.keys() & {PEER.role, PRESENT.role}:
        decisions, remarks = reading.long(), []
    else:
        if "unmatched" in columns:
            what = f"the column {columns['unmatched']} needs a table with a row for each set, peer and unit"
            hint = "the content that matches no unit is counted for each summary: give the columns peer and present"
            raise TouchstoneError(what, file=table.source.name, hint=hint)
        peers = _peer_columns(table, columns)
        decisions, remarks = reading.wide(peers), [_wide_remark(table, columns, peers)]
        hints.append("a column without a role that has a 0 or 1 is taken as a peer; leave other columns out")
    if reading.faults:
        raise TouchstoneError.of(reading.faults, "; ".join(hints) or None)
    if "set" not in columns:
        remarks.append(f"{table.source.stem}: no column for the document set, so all rows are of one set")
    if "weight" not in columns:
        remarks.append(f"{table.source.stem}: no column of weights, so every unit weighs 1")
    strange = {role: name for role, name in columns.items() if name.lower() not in OWN}
    notes = (*table.remarks(strange, ROLES), *remarks)
    return Presence(decisions, (table.source,), reading.models, notes, reading.unmatched)


def _long_roles(columns: Mapping[str, str]) -> tuple[Field, ...]:
    """Return the roles that a long table needs beside units; none where a table is wide."""
    return (PEER, PRESENT) if columns.keys() & {PEER.role, PRESENT.role} else ()


@dataclass
class _Reading:
    """Reads the rows of one table and gathers their faults."""

    table: TableFile
    columns: Mapping[str, str]
    faults: list[Fault] = field(default_factory=list)
    models: dict[str, int] = field(default_factory=dict)
    first: dict[tuple[str, str, str], int] = field(default_factory=dict)
    unmatched: dict[tuple[str, str], int] = field(default_factory=dict)

    def long(self) -> list[Decision]:
        """Return the decision of each row."""
        peers, present = self.names("peer"), self.present(self.columns["present"])
        votes = self.votes(present)
        self.count_unmatched(peers)
        return [
            Decision(item, unpadded(peer), unit, label, here, cast, weight)
            for (line, item, unit, label, weight), peer, here, cast in zip(
                self.units(), peers, present, votes, strict=True
            )
            if self.is_new((item, unpadded(peer), unit), line)
        ]

    def count_unmatched(self, peers: Sequence[str]) -> None:
        """Note the content units of each summary that match none; they must be the same in all its rows."""
        if "unmatched" not in self.columns:
            return
        rows = zip(self.table.lines, self.names("set", ONLY_SET), peers, self.whole("unmatched", least=0), strict=True)
        for line, item, peer, number in rows:
            before = self.unmatched.setdefault((item, unpadded(peer)), number)
            if before != number:
                self.fault(f"set {item}, peer {peer} has {number} unmatched units here and {before} above", line)

    def wide(self, peers: Sequence[str]) -> list[Decision]:
        """Return the decisions of each row, one for each of the *peers*."""
        units = list(self.units())
        return [
            Decision(item, unpadded(peer), unit, label, here, (), weight)
            for peer in peers
            for (line, item, unit, label, weight), here in zip(units, self.present(peer), strict=True)
            if self.is_new((item, unpadded(peer), unit), line)
        ]

    def units(self) -> list[tuple[int, str, str, str, int]]:
        """Return line, document set, unit, label and weight of each row; note the number of models of each set."""
        sets, units = self.names("set", ONLY_SET), self.names("unit")
        column = self.columns.get("label")
        labels = self.table.texts(column) if column else [None] * len(self.table)
        weights = self.whole("weight")
        known: dict[tuple[str, str], int] = {}
        self.check_labels(sets, units, labels)
        for line, item, unit, weight, models in zip(
            self.table.lines, sets, units, weights, self.whole("models"), strict=True
        ):
            before = known.setdefault((item, unit), weight)
            if before and weight and before != weight:
                self.fault(f"unit {unit} of set {item} has the weight {weight} here and {before} above", line)
            if "models" in self.columns:
                before = self.models.setdefault(item, models)
                if before and models and before != models:
                    self.fault(f"set {item} has {models} models here and {before} above", line)
        return [
            (line, item, unit, label or "", weight)
            for line, item, unit, label, weight in zip(self.table.lines, sets, units, labels, weights, strict=True)
        ]

    def check_labels(self, sets: Sequence[str], units: Sequence[str], labels: Sequence[str | None]) -> None:
        """Note the fault of a unit that says something else than in a row above: its id is that of another unit."""
        first: dict[tuple[str, str], str] = {}
        for line, item, unit, label in zip(self.table.lines, sets, units, labels, strict=True):
            above = first.setdefault((item, unit), label) if label else None
            if label and above and above != label and word_form(above) != word_form(label):
                self.fault(f"unit {unit} of set {item} has another label than above", line, label)

    def is_new(self, decision: tuple[str, str, str], line: int) -> bool:
        """Return whether a decision is the first of its document set, peer and unit; note the fault of another."""
        if all(decision) and decision in self.first:
            item, peer, unit = decision
            self.fault(f"set {item}, peer {peer}, unit {unit}: also on line {self.first[decision]}", line)
            return False
        self.first[decision] = line
        return True

    def names(self, role: str, default: str | None = None) -> list[str]:
        """Return the names in the column of a role; note the fault of an empty one."""
        column = self.columns.get(role)
        if column is None:
            return [str(default)] * len(self.table)
        texts = self.table.texts(column)
        for text, line in zip(texts, self.table.lines, strict=True):
            if text is None:
                self.fault(f"no {role} in the column {column}", line)
        return [text or "" for text in texts]

    def whole(self, role: str, least: int = 1) -> list[int]:
        """Return the whole numbers in the column of a role, 0 for the faults among them; 1 where there is no column."""
        column = self.columns.get(role)
        if column is None:
            return [1] * len(self.table)
        values = []
        for cell, line in zip(self.table.columns[column], self.table.lines, strict=True):
            value = parse_number(cell)
            right = value is not None and not math.isnan(value) and value.is_integer() and least <= value <= MOST
            if not right:
                self.fault(f"{column} is not a whole number from {least} to {MOST:,}", line, _shown(cell))
            values.append(int(value) if right and value is not None else 0)
        return values

    def present(self, column: str) -> list[bool]:
        """Return the cells of a column as presence; note the faults of others."""
        values = []
        for text, line in zip(self.table.texts(column), self.table.lines, strict=True):
            here = SPELLINGS.get((text or "").lower())
            if here is None:
                self.fault(f"{column} is neither 0 nor 1 (or true, false)", line, text or "")
            values.append(bool(here))
        return values

    def votes(self, present: Sequence[bool]) -> list[tuple[int, ...]]:
        """Return the votes of each row; note the faults of those that are not 0 and 1, or decide otherwise."""
        column = self.columns.get("votes")
        if column is None:
            return [()] * len(self.table)
        votes: list[tuple[int, ...]] = []
        for cell, here, line in zip(self.table.columns[column], present, self.table.lines, strict=True):
            cast = _listed(cell)
            if not isinstance(cast, list | tuple) or not all(type(vote) is int and vote in (0, 1) for vote in cast):
                self.fault('"votes" must be a list of 0 and 1', line, _shown(cell))
                cast = []
            elif cast and here != majority(cast):
                self.fault('"present" is not what the majority of the votes says', line)
            votes.append(tuple(cast))
        return votes

    def fault(self, what: str, line: int, value: str | None = None) -> None:
        """Note what is wrong with a row."""
        self.faults.append(Fault(what, self.table.source.name, line, value))


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


def _shown(cell: object) -> str:
    return "" if cell is None else str(cell)


def _peer_columns(table: TableFile, columns: Mapping[str, str]) -> list[str]:
    """Return the columns of peers in a wide table: those without a role that have 0 or 1 in any row."""
    rest = [name for name in table.columns if name not in columns.values()]
    peers = [name for name in rest if any((text or "").lower() in SPELLINGS for text in table.texts(name))]
    if not peers:
        what = "no column says which peers express the units"
        choice = setting("column", "peer=NAME")
        hint = f"give the columns peer and present, or for each peer a column of 0 and 1; or choose {choice}"
        raise TouchstoneError(what, file=table.source.name, hint=hint)
    return peers


def _wide_remark(table: TableFile, columns: Mapping[str, str], peers: Sequence[str]) -> str:
    more = ", …" if len(peers) > SHOWN_PEERS else ""
    left = [name for name in table.columns if name not in (*columns.values(), *peers)]
    unused = f"; not read: {', '.join(left)}" if left else ""
    return f"{table.source.stem}: {len(peers):,} columns are peers ({', '.join(peers[:SHOWN_PEERS])}{more}){unused}"
