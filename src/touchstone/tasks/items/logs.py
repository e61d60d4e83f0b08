"""Logs of evaluation tools as tables: names of systems, ids of items and columns agree over all files.

A module of `touchstone.tasks.items.tools` reads the files of a tool as logs.
"""

import json
import math
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from touchstone.base.codes import Code
from touchstone.base.errors import Fault, TouchstoneError, refuse
from touchstone.base.files import Source
from touchstone.io.jsonl import Json
from touchstone.io.tables import TableFile

FIELD_LENGTH = 300
"""Fields with a longer text are left out: they would flood a table, and no one groups by them."""

Object = Mapping[str, Json]


@dataclass(frozen=True)
class Row:
    """One sample of a log: its scores by name and filter, its fields, and texts that tell whether two are the same."""

    item: str
    line: int
    values: Mapping[tuple[str, str], float]
    fields: Mapping[str, str] = field(default_factory=dict)
    content: tuple[str, ...] = ()


@dataclass(frozen=True)
class Log:
    """What a file says about one system in one task.

    *settings* tell apart logs of the same model and task; *content* is what the first text of a row's content is
    called; *named* says that the user named the system, *prefixed* that the ids of items begin with the task.
    """

    source: Source
    system: str
    rows: Sequence[Row]
    content: str
    task: str | None = None
    settings: Mapping[str, str] = field(default_factory=dict)
    named: bool = False
    prefixed: bool = False
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class ToolTable(TableFile):
    """A long table whose columns of numbers are known: a field such as the level of a question is not a measure."""

    measures: frozenset[str] = frozenset()
    notes: tuple[str, ...] = ()

    def is_numeric(self, name: str) -> bool:
        """Return whether a column holds scores."""
        return name in self.measures


def log_tables(groups: Sequence[Sequence[Log]]) -> list[ToolTable]:
    """Return a long table for each file: names of systems, ids of items and columns agree over all files."""
    logs = [log for group_logs in groups for log in group_logs]
    several = len({log.task for log in logs}) > 1
    logs = [_prefixed(log, several=several) for log in logs]
    notes = _check_contents(logs)
    names = iter(_system_names(logs))
    logs = [replace(log, system=next(names)) for log in logs]
    columns = _measure_names(logs)
    skipped = _long_fields(logs) | {"system", "item", "id", *columns.values()}
    measures = defaultdict[str, dict[str, None]](dict)  # of each system, in the order of the files
    for log in logs:
        measures[log.system] |= dict.fromkeys(columns[key] for row in log.rows for key in row.values)
    tables, places = [], iter(logs)
    for group in groups:
        group_logs = [next(places) for _ in group]
        tables.append(
            _table(group_logs, columns, [name for log in group_logs for name in measures[log.system]], skipped)
        )
    if notes:
        tables[0] = replace(tables[0], notes=(*tables[0].notes, *notes))
    return tables


def _file(log: Log) -> str:
    return Path(log.source.name).name


def _prefixed(log: Log, *, several: bool) -> Log:
    """Return the log with the task before the ids of its items, where ids alone would not tell them apart."""
    if log.task is None or not (several or log.prefixed):
        return log
    return replace(log, rows=[replace(row, item=f"{log.task}/{row.item}") for row in log.rows])


def _check_contents(logs: Iterable[Log]) -> list[str]:
    """Refuse items with the same id that are not the same sample; return a note where only the input differs."""
    first_rows: dict[str, tuple[Row, Log]] = {}
    faults: list[Fault] = []
    differing = Counter[str]()
    for log in logs:
        for row in log.rows:
            first, other = first_rows.setdefault(row.item, (row, log))
            pairs = list(zip(row.content, first.content, strict=False))
            # Inputs may differ in their prompts alone; only where targets differ too is it another item.
            if pairs and other.content == log.content and all(a != b for a, b in pairs):
                what = f"another {log.content} with this id than in {other.source.name}"
                faults.append(Fault(what, log.source.name, row.line, row.item, kind="id", code=Code.MISMATCH))
            elif pairs and pairs[0][0] != pairs[0][1]:
                differing[f"{_file(log)}: the {log.content} is another than in {_file(other)}"] += 1
    refuse(faults, "only values of the same items can be compared: give files of the same data")
    return [f"{what} in {count:,} item{'s' * (count != 1)}" for what, count in differing.items()]


def _system_names(logs: Sequence[Log]) -> list[str]:
    """Return the name of each log's system: the model, and the settings in which logs of one model and task differ."""
    groups = defaultdict[tuple[str, str | None], list[Log]](list)
    for log in logs:
        if not log.named:
            groups[log.system, log.task].append(log)
    telling = defaultdict[str, dict[str, None]](dict)
    for (system, _), group_logs in groups.items():
        keys = dict.fromkeys(key for log in group_logs for key in log.settings)
        telling[system] |= {key: None for key in keys if len({log.settings.get(key) for log in group_logs}) > 1}
    names, log_by_name = [], dict[tuple[str, str | None], Log]()
    for log in logs:
        label = ", ".join(f"{key}={log.settings.get(key) or 'none'}" for key in telling[log.system])
        name = f"{log.system} ({label})" if label and not log.named else log.system
        other = log_by_name.setdefault((name, log.task), log)
        if other is not log:
            what = f"the same model and task as in {other.source.name}"
            hint = "name each system: NAME=FILE"
            raise TouchstoneError(what, file=log.source.name, value=name, code=Code.DUPLICATE_NAME, hint=hint)
        names.append(name)
    return names


def _measure_names(logs: Iterable[Log]) -> dict[tuple[str, str], str]:
    """Return the column of each score: its name, with the filter as lm_eval writes it where there are several."""
    keys = dict.fromkeys(key for log in logs for row in log.rows for key in row.values)
    filters = Counter(name for name, _ in keys)
    columns = {(name, chosen): f"{name},{chosen}" if filters[name] > 1 else name for name, chosen in keys}
    return {key: f"{name} score" if name.lower() in ("system", "item") else name for key, name in columns.items()}


def _long_fields(logs: Iterable[Log]) -> set[str]:
    rows = (row for log in logs for row in log.rows)
    return {name for row in rows for name, text in row.fields.items() if len(text) > FIELD_LENGTH}


def _table(
    logs: Sequence[Log], columns: Mapping[tuple[str, str], str], measures: Iterable[str], skipped: set[str]
) -> ToolTable:
    """Return the rows of the systems of one file."""
    rows = [(log, row) for log in logs for row in log.rows]
    table: dict[str, list[object]] = {"system": [log.system for log, _ in rows], "item": [row.item for _, row in rows]}
    if any(log.task for log in logs) and "task" not in skipped:
        table["task"] = [log.task for log, _ in rows]
    names = dict.fromkeys(name for _, row in rows for name in row.fields)
    for name in [name for name in names if name not in skipped and name not in table]:
        table[name] = [row.fields.get(name) for _, row in rows]
    values = [{columns[key]: value for key, value in row.values.items()} for _, row in rows]
    measure_names = list(dict.fromkeys(measures))
    table |= {name: [row_values.get(name) for row_values in values] for name in measure_names}
    notes = tuple(f"{_file(log)}: {note}" for log in logs for note in log.notes)
    lines = [row.line for _, row in rows]
    return ToolTable(logs[0].source, table, lines, measures=frozenset(measure_names), notes=notes)


def scored_rows(
    rows: Iterable[Row], left_out: Collection[str], source: Source, notes: list[str], hint: str
) -> list[Row]:
    """Return the rows with scores, without those *left_out*; note how many have none.

    Parameters
    ----------
    rows
        All rows of a log.
    left_out
        Scores that are left out, since their values are no numbers.
    source, hint
        The file, and what to do if no row has a score: then it is refused.
    notes
        Takes the note.
    """
    numeric_rows = [
        replace(row, values={key: v for key, v in row.values.items() if key[0] not in left_out}) for row in rows
    ]
    scored = [row for row in numeric_rows if row.values]
    if not scored:
        raise TouchstoneError("no sample has a score that is a number", file=source.name, code=Code.EMPTY, hint=hint)
    if absent := len(numeric_rows) - len(scored):
        notes.append(f"samples without a score, which are missing (of {len(numeric_rows):,}): {absent:,}")
    return scored


def short_fields(values: Object) -> dict[str, str]:
    """Return the values that are single texts, numbers or truth values, as texts."""
    texts = {name: as_text(value) for name, value in values.items() if isinstance(value, str | int | float)}
    return {name.strip(): text for name, text in texts.items() if name.strip() and text.strip()}


def as_text(value: Json) -> str:
    """Return a value as text: a text as it is, nothing as an empty text, anything else as JSON."""
    return "" if value is None else value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def as_number(value: Json) -> float | None:
    """Return a value as a float, nan where it is infinite, as an infinite score has no mean; None if it is none."""
    if isinstance(value, list | dict) or value is None:
        return None
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return None
    return math.nan if math.isinf(number) else number
