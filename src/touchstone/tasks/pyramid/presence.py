"""Files and objects that hold presence: REALSumm's folders and votes, and tables.

REALSumm's tidy folder has ``ids.txt``, ``SCUs.txt`` (the units of an item in a line, tabs between) and
``labels/SYSTEM.label`` (0 or 1 in the same shape). Its raw votes are CSV with a row for each worker and summary. All
else is a table of `touchstone.tasks.pyramid.decision_tables`; as lines of JSON it is Touchstone's own form:
``{"item", "system", "scu", "label", "present", "votes"}``.
"""

import re
from collections import defaultdict
from functools import partial
from pathlib import Path

from touchstone.base.codes import Code
from touchstone.base.errors import Fault, TouchstoneError, refuse
from touchstone.base.files import Source, read_bytes
from touchstone.base.options import TableOptions
from touchstone.io.formats import binary_format, suffix_of, table_suffixes
from touchstone.io.jsonl import Json, format_objects
from touchstone.io.reading import read_rows
from touchstone.io.schema import Field, Rows, Schema
from touchstone.io.text import read_text
from touchstone.io.writing import write_text
from touchstone.tasks.pyramid.decision_tables import SCHEMA, parse_decisions, parse_name
from touchstone.tasks.pyramid.decisions import Decision, Presence, majority

BLANK = "BLANK"
"""The text of a statement that is absent; other statements may follow it."""

MISFILED = {"banditsumm_out": "ext", "neusumm_out": "ext"}
"""REALSumm keeps the votes on these extractive systems in its folder of abstractive ones."""

VOTES = "Input.eventId"
"""The column that only files of votes have."""

SUMMARY, STATEMENT = "Input.summaryId", "Input.statement"

VOTE_SCHEMA = Schema(
    *(Field(role, None, partial(parse_name, what=f"no {role}"), "", required=True) for role in (VOTES, SUMMARY)),
    Field(STATEMENT, columns="many"),
    chosen=False,
)
"""A file of votes; the vote on the statement in ``Input.statement_1`` is in ``Answer.S1Answer``."""


def read_presence(
    *inputs: object,
    options: TableOptions = TableOptions(),  # noqa: B008 (immutable)
    models: int | None = None,
) -> Presence:
    """Read decisions.

    Parameters
    ----------
    inputs
        Tidy folders, files of votes, tables in files of any format, or Python objects that are tables.
    options
        How tables are read.
    models
        The number of model summaries of every item; by default a column says it.

    Examples
    --------
    >>> table = {"unit": ["bridge closed", "flood"], "weight": [4, 3], "heron": [1, 1], "magpie": [1, 0]}
    >>> [(decision.system, decision.scu, decision.present) for decision in read_presence(table, models=4).decisions][2:]
    [('magpie', 'bridge closed', True), ('magpie', 'flood', False)]
    """
    read = [_read(source, options) for source in inputs]
    models_by_item: dict[str, int] = {}
    for presence in read:
        for item, number in presence.models.items():
            if models is None and models_by_item.setdefault(item, number) != number:
                what = f"item {item} has {models_by_item[item]} models in one table and {number} in another"
                raise TouchstoneError(what, file=presence.sources[0].name, code=Code.MISMATCH)
    decisions = [decision for presence in read for decision in presence.decisions]
    if models is not None:
        models_by_item = dict.fromkeys((decision.item for decision in decisions), models)
    sources = tuple(source for presence in read for source in presence.sources)
    remarks = tuple(remark for presence in read for remark in presence.remarks)
    unmatched = {summary: number for presence in read for summary, number in presence.unmatched.items()}
    return Presence(decisions, sources, models_by_item, remarks, unmatched)


def is_presence(path_or_table: object) -> bool:
    """Return whether a file, folder or Python object holds presence decisions rather than annotations."""
    if not isinstance(path_or_table, str | Path):
        return True
    path = Path(path_or_table)
    if path.is_dir():
        return (path / "SCUs.txt").is_file()
    suffix = suffix_of(path)
    if suffix in (".pan", ".pyr"):
        return False
    if suffix in table_suffixes() and suffix != ".json":  # which annotations have too
        return True
    try:
        return _is_table(read_bytes(path_or_table)[0].removeprefix(b"\xef\xbb\xbf").lstrip())
    except TouchstoneError:  # whoever reads it says why it cannot be read
        return False


def _is_table(raw: bytes) -> bool:
    """Return whether bytes are those of a table: Parquet, Arrow, JSON without a format, or text with columns."""
    if raw.startswith((b"{", b"[")):
        return b'"format"' not in raw
    first = raw.partition(b"\n")[0]
    return binary_format(raw, "") is not None or (
        not raw.startswith(b"<") and any(delimiter in first for delimiter in (b"\t", b",", b";"))
    )


def _read(path_or_table: object, options: TableOptions) -> Presence:
    path = Path(path_or_table) if isinstance(path_or_table, str | Path) else None
    if path and path.is_dir():
        return _clean(path)
    rows = read_rows(path_or_table, SCHEMA, options)
    if rows.table.name(VOTES, required=False):
        return _votes(VOTE_SCHEMA.bind(rows.table, faults=rows.faults), path.parent.name if path else "")
    return parse_decisions(rows)


def write_presence(path: str | Path, presence: Presence) -> None:
    """Write decisions as lines of JSON.

    Parameters
    ----------
    path
        The file to write.
    presence
        The decisions.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> presence = read_presence({"unit": ["bridge closed"], "weight": [4], "heron": [1]}, models=4)
    >>> with TemporaryDirectory() as folder:
    ...     write_presence(Path(folder) / "presence.jsonl", presence)
    ...     print(len(read_presence(Path(folder) / "presence.jsonl").decisions))
    1
    """
    write_text(path, format_objects(_object(decision, presence) for decision in presence.decisions))


def _object(decision: Decision, presence: Presence) -> dict[str, Json]:
    names: dict[str, Json] = {
        "item": decision.item,
        "system": decision.system,
        "scu": decision.scu,
        "label": decision.label,
    }
    counts: dict[str, Json] = {"models": presence.models[decision.item]} if decision.item in presence.models else {}
    if (decision.item, decision.system) in presence.unmatched:
        counts["unmatched"] = presence.unmatched[decision.item, decision.system]
    return {**names, "present": decision.present, "votes": list(decision.votes), "weight": decision.weight, **counts}


def _clean(folder: Path) -> Presence:
    ids, id_source = _cells(folder / "ids.txt")
    units, unit_source = _cells(folder / "SCUs.txt")
    _check_lines(unit_source, units, ids)
    files = sorted((folder / "labels").glob("*.label"))
    if not files:
        raise TouchstoneError("no labels/*.label beside the units", file=str(folder), code=Code.NO_FILE)
    decisions: list[Decision] = []
    sources = [id_source, unit_source]
    for file in files:
        labels, source = _cells(file)
        _check_lines(source, labels, ids)
        _check_labels(source, labels, units)
        sources.append(source)
        decisions += [
            Decision(item[0], file.stem, str(unit_number), statement, label == "1")
            for item, statements, row in zip(ids, units, labels, strict=True)
            for unit_number, (statement, label) in enumerate(zip(statements, row, strict=True), 1)
        ]
    return Presence(decisions, tuple(sources))


def _cells(path: Path) -> tuple[list[list[str]], Source]:
    text, source = read_text(path)
    return [line.removesuffix("\r").split("\t") for line in text.removesuffix("\n").split("\n")], source


def _check_lines(source: Source, rows: list[list[str]], ids: list[list[str]]) -> None:
    if len(rows) != len(ids):
        what = f"{len(rows):,} lines for {len(ids):,} ids"
        raise TouchstoneError(what, file=source.name, line=len(rows), code=Code.MISMATCH)


def _check_labels(source: Source, labels: list[list[str]], units: list[list[str]]) -> None:
    """Refuse labels that are not one for each unit, or are neither 0 nor 1."""
    faults = []
    for line, (row, statements) in enumerate(zip(labels, units, strict=True), 1):
        if len(row) != len(statements):
            what = f"{len(row):,} columns for {len(statements):,} units"
            faults.append(Fault(what, source.name, line, code=Code.MISMATCH))
        faults += [
            Fault(f"column {column_number} is neither 0 nor 1", source.name, line, cell, code=Code.BAD_CELL)
            for column_number, cell in enumerate(row, 1)
            if cell not in ("0", "1")
        ]
    refuse(faults)


def _votes(rows: Rows, folder: str) -> Presence:
    rows.require()
    columns, field = rows.several(STATEMENT), VOTE_SCHEMA[STATEMENT]
    if not columns:
        raise TouchstoneError("no column Input.statement_1, …, with the units", file=rows.file, code=Code.NO_COLUMN)
    cells, blank = rows.table.columns, [""] * len(rows)
    statements = list(zip(*(cells[name] for name in columns), strict=True))
    answers = zip(*(cells.get(f"Answer.S{field.number(name)}Answer", blank) for name in columns), strict=True)
    votes: defaultdict[tuple[str, str, str, str], list[int]] = defaultdict(list)
    summaries = zip(rows.values(VOTES), rows.values(SUMMARY), strict=True)
    for row, ((item, system), row_answers) in enumerate(zip(summaries, answers, strict=True)):
        answered = [pair for pair in zip(statements[row], row_answers, strict=True) if pair[0] != BLANK]
        for unit_number, (statement, vote) in enumerate(answered, 1):
            if vote not in ("p", "n"):
                rows.fault("an answer is neither p nor n", row, str(vote))
            votes[item, _system(folder, system), str(unit_number), str(statement)].append(int(vote == "p"))
    rows.check()
    return Presence([Decision(*key, majority(cast), tuple(cast)) for key, cast in votes.items()], (rows.table.source,))


def _system(folder: str, name: str) -> str:
    """Return the name of a system in the tidy folder: its own after its kind, which the folder of the votes tells."""
    kind = re.fullmatch(r"SCU_rating_results_(\w+)_systems", folder)
    return f"{MISFILED.get(name, kind[1])}_{name}" if kind else name
