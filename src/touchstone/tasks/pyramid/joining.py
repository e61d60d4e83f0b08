"""Scores beside ratings: one table for the analysis, joined by set and peer whether ids are padded or not."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Literal

import pyarrow as pa

from touchstone.core.errors import Fault, TouchstoneError
from touchstone.io.text import Source
from touchstone.tasks.pyramid.formats.tables import column, read_rows
from touchstone.tasks.pyramid.matching import Match
from touchstone.tasks.pyramid.measures import modified, original
from touchstone.tasks.pyramid.model import Annotation, unpadded
from touchstone.tasks.pyramid.scoring import matches_of, natural

Annotators = Literal["mean", "each"]

OWN = ("setid", "peerid", "annotator", "score", "original", "nscu", "nrep")
"""Columns of the table that come from the annotations; `score` is the modified one."""

SETS, PEERS, ANNOTATORS = ("setid", "set"), ("peerid", "peer", "system"), ("annotator", "annotatorid", "annot")
"""Names that the columns of ids have in tables, in any case."""


@dataclass(frozen=True, eq=False)
class Ratings:
    """Ratings of summaries, by set and unpadded peer, and then by annotator; *columns* names them."""

    source: Source
    columns: tuple[str, ...]
    rows: Mapping[tuple[str, str], Mapping[str, Mapping[str, str]]]


@dataclass(frozen=True, eq=False)
class Joined:
    """The table of an analysis, and what is worth knowing of the join."""

    table: pa.Table
    notes: tuple[str, ...]


def read_ratings(path: str | Path) -> Ratings:
    """Read a CSV of ratings with the columns setid (or set) and peerid (or peer, system); annotators are optional.

    Columns that the table of scores has itself are left out. Rows that say the same twice are one.
    """
    names, rows, source = read_rows(path)
    set_name, peer_name = column(names, SETS, source), column(names, PEERS, source)
    annotator = next((name for name in names if name.lower() in ANNOTATORS), None)
    columns = tuple(name for name in names if name.lower() not in {*SETS, *PEERS, *ANNOTATORS, *OWN})
    found: dict[tuple[str, str], dict[str, dict[str, str]]] = {}
    faults = []
    for line, row in rows:
        who = row[annotator].strip() if annotator else ""
        summary = (row[set_name].strip(), unpadded(row[peer_name].strip()))
        ratings = {name: row[name].strip() for name in columns}
        if found.setdefault(summary, {}).setdefault(who, ratings) != ratings:
            said = "other ratings of the same set and peer stand above"
            faults.append(Fault(said, source.name, line, " ".join(summary)))
    if faults:
        raise TouchstoneError.of(faults)
    return Ratings(source, columns, found)


def join(
    annotations: Sequence[Annotation], ratings: Ratings | None = None, *, annotators: Annotators = "mean"
) -> Joined:
    """Return scores and ratings as one table: a row for each set and peer, or for each annotation.

    The columns are those of `OWN`, then the ratings; a rating that is missing or empty is null, and counted aloud.
    """
    rows = _scores(matches_of(annotations), annotators)
    notes: list[str] = []
    if ratings is not None:
        rated = [_rated(row, ratings) for row in rows]
        notes = _notes(rows, rated, ratings)
        rows = [row | dict.fromkeys(ratings.columns) | (found or {}) for row, found in zip(rows, rated, strict=True)]
    names = [*OWN, *(ratings.columns if ratings else ())]
    return Joined(pa.table({name: _column([row[name] for row in rows], name) for name in names}), tuple(notes))


Scores = dict[str, object]


def _scores(matches: Sequence[Match], annotators: Annotators) -> list[Scores]:
    cells: dict[tuple[str, ...], list[Match]] = {}
    for match in sorted(matches, key=lambda m: (m.set, natural(m.system), natural(m.annotator))):
        key = (match.set, match.system, match.annotator if annotators == "each" else "")
        cells.setdefault(key, []).append(match)
    return [
        {
            "setid": found[0].set,
            "peerid": found[0].system,
            "annotator": "+".join(match.annotator for match in found),
            "score": fmean(map(modified, found)),
            "original": fmean(map(original, found)),
            "nscu": fmean(len(match.counts) for match in found),
            "nrep": fmean(match.repeats for match in found),
        }
        for found in cells.values()
    ]


def _rated(row: Scores, ratings: Ratings) -> dict[str, object] | None:
    """Return the ratings of a row, those of its annotators if the table tells them apart; None where there are none."""
    summary = (str(row["setid"]), str(row["peerid"]))
    known = ratings.rows.get(summary, {})
    own = [known[who] for who in str(row["annotator"]).split("+") if who in known] or list(known.values())
    if any(found != own[0] for found in own):
        what = f"the ratings of set {summary[0]}, peer {summary[1]} differ between annotators"
        hint = "make a row for each annotation with --annotators each"
        raise TouchstoneError(what, file=ratings.source.name, hint=hint)
    return {name: value or None for name, value in own[0].items()} if own else None


def _notes(rows: Sequence[Scores], rated: Sequence[dict[str, object] | None], ratings: Ratings) -> list[str]:
    without = sum(found is None for found in rated)
    gaps = sum(found is not None and None in found.values() for found in rated)
    left = len(ratings.rows.keys() - {(row["setid"], row["peerid"]) for row in rows})
    said = {
        f"{without:,} of {len(rows):,} rows have no ratings": without,
        f"{gaps:,} rows have ratings that are empty": gaps,
        f"{left:,} rated summaries have no annotation and are left out": left,
    }
    return [f"{ratings.source.stem}: {sentence}" for sentence, count in said.items() if count]


def _column(values: Sequence[object], name: str) -> pa.Array:
    """Return a column as numbers where all its values are, else as text; ids stay text."""
    if name in ("setid", "peerid", "annotator"):
        return pa.array(values, pa.string())
    if all(value is None or isinstance(value, int | float) for value in values):
        return pa.array(values, pa.float64())
    numbers = [None if value is None else _whole(str(value)) for value in values]
    if all((number is None) == (value is None) for number, value in zip(numbers, values, strict=True)):
        return pa.array(numbers, pa.int64())
    return pa.array([None if value is None else str(value) for value in values], pa.string())


def _whole(text: str) -> int | None:
    digits = text.removeprefix("-")
    return int(text) if digits.isascii() and digits.isdigit() and len(digits) < 16 else None
