"""Human judgements from entries that are written in a test."""

from collections.abc import Iterable
from typing import NamedTuple

from touchstone.base.files import Source
from touchstone.tasks.mt.judges.judgements import EntryColumns, Judgements, Scale


class Entry(NamedTuple):
    """One system on one ballot; *value* is nan where the judge left it blank."""

    ballot: tuple[str, ...]
    group: str | None
    segment: str
    judge: str
    system: str
    value: float
    line: int
    span: str = ""


def collect(criterion: str, scale: Scale, source: Source, entries: Iterable[Entry]) -> Judgements:
    """Return *entries* as judgements; names are in the order of their first entries."""
    columns = EntryColumns()
    for ballot, group, segment, judge, system, value, line, span in entries:
        columns.add(segment, system, judge, value, line, group=group, label=ballot, span=span)
    return columns.judgements(criterion, scale, source)
