"""A stored result and the same result computed again: which parts of the signature and which values changed."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isclose
from typing import Any

from touchstone.base.signature import Signature, content_digest
from touchstone.base.tables import Cell, Column, Table
from touchstone.show.finding import Finding, Statement, Verdict, kind_rows

CLOSE = 1e-9
"""The relative difference below which two numbers are the same: far below what is printed, above what libraries of
linear algebra differ by."""

MAX_VALUES = 50
"""Values that differ and are listed in a table; ``--json`` lists all."""

NAMING = ("measure", "coefficient", "criterion", "among", "by", "system", "group", "field", "level", "a", "b")
"""The fields of a row that say what its numbers are about; of other rows the first two texts do."""

GATE_ROWS = ("gate", "loss")
"""Kinds of rows that are not compared: the command is run again without its gate."""


@dataclass(frozen=True)
class Changed:
    """Something that two results do not have in common: a part of the signature, or a value."""

    name: str
    old: object
    new: object

    @property
    def difference(self) -> float | None:
        """The difference of two numbers, None of anything else."""
        return self.new - self.old if _is_number(self.old) and _is_number(self.new) else None  # type: ignore[operator]


@dataclass(frozen=True, repr=False)
class Recomputed(Finding):
    """A stored result and the same result computed again: which parts of the signature and which values changed."""

    signature: Signature
    count: int
    parts: Sequence[Changed]
    values: Sequence[Changed]

    @property
    def same(self) -> bool:
        """Whether signature and values are the same; the version of touchstone may be another."""
        return not self.parts and not self.values

    @property
    def sentence(self) -> str:
        """The outcome."""
        digest = f"signature {content_digest(signature=[dict(self.signature)])}"
        if self.same:
            return f"the same: {self.count:,} values, {digest}"
        parts = ", ".join(part.name for part in self.parts) or "nothing of the signature"
        return f"not the same: {parts} changed, and {len(self.values):,} of {self.count:,} values; {digest} before"

    def _tables(self) -> list[Table]:
        """Return the parts of the signature that changed, then the values."""
        columns = [Column("signature"), Column("old"), Column("new")]
        parts = [[part.name, *_pair(part)] for part in self.parts]
        headings = [Column("value"), *(Column(name, "right") for name in ("old", "new", "difference"))]
        values = [[change.name, *_pair(change), _brief(change.difference)] for change in self.values[:MAX_VALUES]]
        more = len(self.values) - MAX_VALUES
        notes = [f"… and {more:,} more, which --json lists"] if more > 0 else []
        tables = [Table(columns, parts)] if parts else []
        return [*tables, Table(headings, values, notes=notes)] if values else tables

    def statement(self) -> Statement:
        """Return what changed, and how much of it."""
        rows = [
            {"kind": "result", "same": self.same, "count": self.count, "changed": len(self.values)},
            *kind_rows("part", map(_row, self.parts)),
            *kind_rows("value", map(_row, self.values)),
        ]
        return Statement("Recomputed result", self._tables(), rows, [self.sentence], verdict=Verdict(self.same))


def _row(changed: Changed) -> dict[str, object]:
    return {**vars(changed), "difference": changed.difference}


def compare_results(old: Mapping[str, Any], new: Mapping[str, Any], systems: Sequence[str] = ()) -> Recomputed:
    """Compare two results: signature part by part without the version, then every value; *systems* name the runs.

    >>> row = {"kind": "value", "system": "a", "measure": "f"}
    >>> before = {"title": "Scores", "signature": {"gold": "#1"}, "rows": [{**row, "value": 0.5}]}
    >>> after = {"title": "Scores", "signature": {"gold": "#2"}, "rows": [{**row, "value": 0.75}]}
    >>> found = compare_results(before, after)
    >>> [part.name for part in found.parts], [(value.name, value.difference) for value in found.values]
    (['gold'], [('f a, value', 0.25)])
    """
    signatures = [{k: v for k, v in result["signature"].items() if k != "touchstone"} for result in (old, new)]
    values = [dict(_numbered(_values(result["rows"]))) for result in (old, new)]
    counted = sum(value is not None for value in values[0].values())
    parts = [piece for part in _changes(*signatures) for piece in _pieces(part, systems)]
    return Recomputed(old["signature"], counted, parts, _changes(*values))


def _pieces(part: Changed, systems: Sequence[str]) -> list[Changed]:
    """Return what changed of a part that lists several things, such as one of the systems; else the part itself."""
    old, new = (re.split(r"[,;] (?![^(]*\))", str(text)) for text in (part.old, part.new))
    if part.name == "systems" and len(old) == len(new) == len(systems) == 1:
        return [Changed(f"system {systems[0]}", part.old, part.new)]
    if len(old) != len(new) or len(old) == 1:
        return [part]
    named = part.name == "systems" and len(systems) == len(old)
    names = systems if named else [f"{position} of {len(old)}" for position in range(1, len(old) + 1)]
    pieces = zip(names, old, new, strict=True)
    return [Changed(f"{part.name} ({name})", a, b) for name, a, b in pieces if a != b]


def _changes(old: Mapping[str, object], new: Mapping[str, object]) -> list[Changed]:
    both = {**old, **new}
    return [Changed(name, old.get(name), new.get(name)) for name in both if not _equal(old.get(name), new.get(name))]


def _equal(a: Any, b: Any) -> bool:  # noqa: ANN401 (any value of JSON)
    if isinstance(a, float) or isinstance(b, float):
        return _is_number(a) and _is_number(b) and isclose(a, b, rel_tol=CLOSE, abs_tol=CLOSE / 1000)
    return type(a) is type(b) and a == b


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _values(rows: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, object]]:
    """Yield every value of the rows with its name, such as ``accuracy mine, low``."""
    for row in rows:
        if row["kind"] in GATE_ROWS:
            continue
        texts = [name for name, value in row.items() if name != "kind" and isinstance(value, str) and value]
        naming = [name for name in NAMING if name in texts] or texts[:2]
        about = " ".join(row[name] for name in naming)
        about = about if row["kind"] == "value" else f"{row['kind']} {about}".strip()
        for name, value in row.items():
            if name != "kind" and name not in naming:
                yield from _leaves(value, f"{about}, {name}")


def _leaves(value: object, name: str) -> Iterator[tuple[str, object]]:
    """Yield a value with its name, or those inside it."""
    if isinstance(value, dict | list):
        inner = value.items() if isinstance(value, dict) else enumerate(value, 1)
        for key, each in inner:
            yield from _leaves(each, f"{name} {key}")
    else:
        yield name, value


def _numbered(values: Iterator[tuple[str, object]]) -> Iterator[tuple[str, object]]:
    """Yield each value under one name; the second of the same name has a number."""
    counts: dict[str, int] = {}
    for name, value in values:
        counts[name] = counts.get(name, 0) + 1
        yield name if counts[name] == 1 else f"{name} ({counts[name]})", value


def _pair(changed: Changed) -> list[Cell]:
    """Return old and new as a table shows them: in few digits, in all where few look the same."""
    old, new = _brief(changed.old), _brief(changed.new)
    return [old, new] if old != new else [repr(changed.old), repr(changed.new)]


def _brief(value: object) -> str:
    if value is None:
        return "–"
    return f"{value:.6g}" if isinstance(value, float) else str(value)
