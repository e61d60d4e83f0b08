"""Presence: content units of one reference, and for each system whether its summary has them.

Three formats are read: REALSumm's tidy folder has ``ids.txt``, ``SCUs.txt`` (the units of an item in a line, tabs
between) and ``labels/SYSTEM.label`` (0 or 1 in the same shape). Its raw votes are CSV with a row for each worker and
summary. In Touchstone's own lines of JSON each is one decision:
``{"item", "system", "scu", "label", "present", "votes"}``.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from touchstone.core.errors import Fault, TouchstoneError
from touchstone.io.jsonl import Json, format_objects, parse_objects
from touchstone.io.tables import read_table
from touchstone.io.text import Source, read_text
from touchstone.io.writing import write_text

BLANK = "BLANK"
"""The text of a statement that is absent; other statements may follow it."""

MISFILED = {"banditsumm_out": "ext", "neusumm_out": "ext"}
"""REALSumm keeps the votes on these extractive systems in its folder of abstractive ones."""


@dataclass(frozen=True)
class Decision:
    """Whether a system's summary of an item has a unit, and the votes that decided it, if they are known."""

    item: str
    system: str
    scu: str
    label: str
    present: bool
    votes: tuple[int, ...] = ()


@dataclass(frozen=True, eq=False)
class Presence:
    """All decisions of some files, in their order."""

    decisions: Sequence[Decision] = field(repr=False)
    sources: tuple[Source, ...] = ()

    def __post_init__(self) -> None:
        if not self.decisions:
            raise TouchstoneError("no decision in it", file=self.sources[0].name if self.sources else None)
        times = Counter((one.item, one.system, one.scu) for one in self.decisions)
        faults = [
            Fault(f"item {item}, system {system}, unit {scu} is decided {number} times")
            for (item, system, scu), number in times.items()
            if number > 1
        ]
        if faults:
            raise TouchstoneError.of(faults, "give each decision once")

    @cached_property
    def units(self) -> dict[str, dict[str, dict[str, bool]]]:
        """By item and system, whether each content unit is present; refuses items with different units."""
        units: dict[str, dict[str, dict[str, bool]]] = {}
        for one in self.decisions:
            units.setdefault(one.item, {}).setdefault(one.system, {})[one.scu] = one.present
        for item, systems in units.items():
            first, *others = systems
            for other in others:
                if systems[other].keys() != systems[first].keys():
                    what = f"the systems {first} and {other} are judged by different content units of the item {item}"
                    raise TouchstoneError(what)
        return units


def majority(votes: Sequence[int]) -> bool:
    """Return whether more than half of the *votes* are for presence; a tie is absence.

    >>> majority([1, 1, 0]), majority([1, 1, 0, 0])
    (True, False)
    """
    return 2 * sum(votes) > len(votes)


def read_presence(*paths: str | Path) -> Presence:
    """Read decisions: a tidy folder, or any number of CSV files of votes and JSONL files of decisions."""
    decisions: list[Decision] = []
    sources: list[Source] = []
    for path in map(Path, paths):
        presence = _clean(path) if path.is_dir() else _votes(path) if path.suffix == ".csv" else _jsonl(path)
        decisions += presence.decisions
        sources += presence.sources
    return Presence(decisions, tuple(sources))


def is_presence(path: str | Path) -> bool:
    """Return whether *path* holds presence decisions rather than annotations, by its suffix or its files."""
    return Path(path).suffix in (".csv", ".jsonl") or (Path(path) / "SCUs.txt").is_file()


def write_presence(path: str | Path, presence: Presence) -> None:
    """Write decisions as lines of JSON."""
    write_text(path, format_objects(_object(one) for one in presence.decisions))


def _object(one: Decision) -> dict[str, Json]:
    names: dict[str, Json] = {"item": one.item, "system": one.system, "scu": one.scu, "label": one.label}
    return {**names, "present": one.present, "votes": list(one.votes)}


def _clean(folder: Path) -> Presence:
    ids, id_source = _cells(folder / "ids.txt")
    units, unit_source = _cells(folder / "SCUs.txt")
    _check_lines(unit_source, units, ids)
    files = sorted((folder / "labels").glob("*.label"))
    if not files:
        raise TouchstoneError("no labels/*.label beside the units", file=str(folder))
    decisions: list[Decision] = []
    sources = [id_source, unit_source]
    for file in files:
        labels, source = _cells(file)
        _check_lines(source, labels, ids)
        _check_labels(source, labels, units)
        sources.append(source)
        decisions += [
            Decision(item[0], file.stem, str(place), statement, label == "1")
            for item, statements, row in zip(ids, units, labels, strict=True)
            for place, (statement, label) in enumerate(zip(statements, row, strict=True), 1)
        ]
    return Presence(decisions, tuple(sources))


def _cells(path: Path) -> tuple[list[list[str]], Source]:
    text, source = read_text(path)
    return [line.removesuffix("\r").split("\t") for line in text.removesuffix("\n").split("\n")], source


def _check_lines(source: Source, rows: list[list[str]], ids: list[list[str]]) -> None:
    if len(rows) != len(ids):
        raise TouchstoneError(f"{len(rows):,} lines for {len(ids):,} ids", file=source.name, line=len(rows))


def _check_labels(source: Source, labels: list[list[str]], units: list[list[str]]) -> None:
    """Refuse labels that are not one for each unit, or are neither 0 nor 1."""
    faults = []
    for line, (row, statements) in enumerate(zip(labels, units, strict=True), 1):
        if len(row) != len(statements):
            faults.append(Fault(f"{len(row):,} columns for {len(statements):,} units", source.name, line))
        faults += [
            Fault(f"column {place} is neither 0 nor 1", source.name, line, cell)
            for place, cell in enumerate(row, 1)
            if cell not in ("0", "1")
        ]
    if faults:
        raise TouchstoneError.of(faults)


def _votes(path: Path) -> Presence:
    table = read_table(path)
    items, systems = (table.columns[table.name(one) or ""] for one in ("Input.eventId", "Input.summaryId"))
    places = sorted(
        int(match[1]) for one in table.columns if (match := re.fullmatch(r"Input\.statement_([0-9]{1,4})", one))
    )
    blank = [""] * len(table)
    statements = list(zip(*(table.columns[f"Input.statement_{place}"] for place in places), strict=True))
    answers = list(zip(*(table.columns.get(f"Answer.S{place}Answer", blank) for place in places), strict=True))
    votes: defaultdict[tuple[str, str, str, str], list[int]] = defaultdict(list)
    faults = []
    for row, line in enumerate(table.lines):
        answered = [pair for pair in zip(statements[row], answers[row], strict=True) if pair[0] != BLANK]
        for place, (statement, vote) in enumerate(answered, 1):
            if vote not in ("p", "n"):
                faults.append(Fault("an answer is neither p nor n", table.source.name, line, str(vote)))
            summary = str(items[row]), _system(path, str(systems[row]))
            votes[*summary, str(place), str(statement)].append(int(vote == "p"))
    if faults:
        raise TouchstoneError.of(faults)
    return Presence([Decision(*key, majority(cast), tuple(cast)) for key, cast in votes.items()], (table.source,))


def _system(path: Path, name: str) -> str:
    """Return the name of a system in the tidy folder: its own after its kind, which the folder of the votes tells."""
    kind = re.fullmatch(r"SCU_rating_results_(\w+)_systems", path.parent.name)
    return f"{MISFILED.get(name, kind[1])}_{name}" if kind else name


def _jsonl(path: Path) -> Presence:
    text, source = read_text(path)
    faults: list[Fault] = []
    decisions = []
    for line, record in parse_objects(text, file=source.name, faults=faults):
        problem = _problem(record)
        if problem:
            faults.append(Fault(problem, source.name, line))
        else:
            decisions.append(_decision(record))
    if faults:
        raise TouchstoneError.of(faults)
    return Presence(decisions, (source,))


def _problem(record: dict[str, Json]) -> str | None:
    for key in ("item", "system", "scu"):
        if not isinstance(record.get(key), str) or not record[key]:
            return f'a decision needs "{key}", a string that is not empty'
    votes = record.get("votes", [])
    if not isinstance(votes, list) or not all(vote in (0, 1) and not isinstance(vote, bool) for vote in votes):
        return '"votes" must be a list of 0 and 1'
    if not isinstance(record.get("label", ""), str):
        return '"label" must be a string'
    present = record.get("present")
    if not isinstance(present, bool):
        return '"present" must be true or false'
    if votes and present != majority([int(vote == 1) for vote in votes]):
        return '"present" is not what the majority of the votes says'
    return None


def _decision(record: dict[str, Json]) -> Decision:
    item, system, scu, label = (str(record.get(key, "")) for key in ("item", "system", "scu", "label"))
    votes = record.get("votes", [])
    cast = tuple(int(vote == 1) for vote in votes) if isinstance(votes, list) else ()
    return Decision(item, system, scu, label, record["present"] is True, cast)
