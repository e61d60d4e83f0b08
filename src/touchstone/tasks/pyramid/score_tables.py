"""Tables of scores: made from annotations or presence, read from files, and joined with ratings of the summaries."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from math import isnan
from pathlib import Path
from statistics import fmean

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.base.spelling import setting
from touchstone.io.schema import Rows
from touchstone.tasks.pyramid.decision_tables import UNIT
from touchstone.tasks.pyramid.formats.nist import read_nist
from touchstone.tasks.pyramid.joining import GoldSet, UnitCounts, natural
from touchstone.tasks.pyramid.measures import modified, original, precision
from touchstone.tasks.pyramid.presence import VOTES, is_presence, read_presence
from touchstone.tasks.pyramid.scores import ANNOTATOR, PEER, SCHEMA, SET, Annotators, ScoreTable

SCORE_COLUMNS = ("setid", "peerid", "annotator", "score", "original", "nscu", "nrep", "precision")
"""Columns of the table that come from the annotations; ``score`` is the modified one."""

Row = dict[str, object]
Rating = Mapping[str, str | None]
Ratings = Mapping[tuple[str, str], Mapping[str, Rating]]
"""Ratings by set and unpadded peer, and then by annotator."""


def read_scores(path: str | Path, *ratings: str | Path) -> ScoreTable:
    r"""Read a table of scores with the columns setid (or set) and peerid (or peer, system), or NIST's without a header.

    Parameters
    ----------
    path
        The table; a tidy folder or a table of presence is scored first.
    ratings
        Tables of ratings to join with it, as in `with_ratings`.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     written = (Path(folder) / "scores.csv").write_text("set,peer,score\nD1,01,0.2\nD1,02,0.3\n")
    ...     read_scores(Path(folder) / "scores.csv").columns["peer"]
    ['1', '2']
    """
    if Path(path).is_dir():
        if not is_presence(path):
            hint = f"make a table of annotations first: touchstone pyramid table {path} -o table.csv"
            what = "a folder without SCUs.txt is not a table of presence"
            raise TouchstoneError(what, file=str(path), code=Code.NO_FILE, hint=hint)
        return score_table(GoldSet(presence=read_presence(path)), *ratings)
    file = read_nist(path)
    if file.name(*UNIT.names, VOTES, required=False):
        return score_table(GoldSet(presence=read_presence(path)), *ratings)
    return with_ratings(ScoreTable.of(file.columns, file.source), *ratings)


def score_table(gold: GoldSet, *ratings: str | Path, annotators: Annotators = "mean") -> ScoreTable:
    """Return scores and ratings as one table, joined by set and peer whether their ids are padded or not.

    Parameters
    ----------
    gold
        The annotations.
    ratings
        Tables of ratings, as in `with_ratings`.
    annotators
        ``mean`` gives a row for each summary, ``each`` a row for each annotation.

    Examples
    --------
    >>> import touchstone
    >>> gold = touchstone.pyramid.read_gold(Path(touchstone.__file__).parent / "examples" / "pyramid")
    >>> table = score_table(gold)
    >>> table.columns["peerid"], table.columns["score"] == [24 / 26, 12 / 26, 3 / 26]
    (['heron', 'magpie', 'sparrow'], True)
    """
    rows = _scores(gold.counts, annotators)
    if gold.presence:  # which has no repeated contributors, and may not count what matches no unit
        unknown = {"original": None, "nrep": None}
        counted = gold.presence.unmatched
        rows = [
            {**row, **unknown, **({} if (row["setid"], row["peerid"]) in counted else {"precision": None})}
            for row in rows
        ]
    columns: dict[str, list[object]] = {name: [row[name] for row in rows] for name in SCORE_COLUMNS}
    if gold.topics:
        columns["topic"] = [gold.topics.get(str(name)) for name in columns["setid"]]
    return with_ratings(ScoreTable.of(columns, notes=tuple(gold.remarks)), *ratings)


def with_ratings(table: ScoreTable, *ratings: str | Path) -> ScoreTable:
    r"""Return a table of scores with the columns of tables of ratings, joined by set and peer.

    Parameters
    ----------
    table
        The scores.
    ratings
        Tables with the columns setid (or set) and peerid (or peer, system), and ratings in all others; a column of
        annotators is optional. Without a column of sets, such as one of groups of peers, a table is joined by peer
        alone; without one of peers, such as one of topics, by set. NIST's own tables are read as they are. Columns that
        the table of scores has itself are left out. A rating that is missing or empty is null, and counted in a note.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> table = ScoreTable.of({"set": ["D1", "D1"], "peer": ["1", "2"], "score": [0.2, 0.3]})
    >>> with TemporaryDirectory() as folder:
    ...     written = (Path(folder) / "content.csv").write_text("set,peer,content\nD1,1,4\nD1,2,5\n")
    ...     with_ratings(table, Path(folder) / "content.csv").columns["content"]
    ['4', '5']
    """
    for path in ratings:
        file = SCHEMA.bind(read_nist(path))
        others = [name for name in file.table.columns if not SCHEMA.has(name) and name.lower() not in SCORE_COLUMNS]
        names = [name for name in others if name not in table.columns]
        left = [name for name in others if name in table.columns]
        ratings_by_summary = _ratings(file, names)
        rows = _rows(table, file)
        rated = [_rated(row, ratings_by_summary, file.file) for row in rows]
        columns = {name: [rating.get(name) if rating else None for rating in rated] for name in names}
        notes = [f"{file.stem}: left out, as the table has them already: {', '.join(left)}"] if left else []
        notes += [
            f"{file.stem}: no column of {what}, so that a row holds for all {what}"
            for what, role in (("sets", SET), ("peers", PEER))
            if role not in file.columns
        ]
        notes += _notes(rows, rated, ratings_by_summary, file.stem)
        table = replace(table, columns={**table.columns, **columns}, notes=(*table.notes, *notes))
    return table


def _rows(table: ScoreTable, file: Rows) -> list[Row]:
    """Return set, peer and annotator of each row; empty where a file of ratings does not tell sets or peers apart."""
    blank = [""] * len(table.columns[table.sets])
    people = table.columns[table.annotators] if table.annotators else blank
    sets = table.columns[table.sets] if SET in file.columns else blank
    peers = table.columns[table.peers] if PEER in file.columns else blank
    cells = zip(sets, peers, people, strict=True)
    return [{"setid": document_set, "peerid": peer, "annotator": who} for document_set, peer, who in cells]


def _ratings(file: Rows, names: Sequence[str]) -> Ratings:
    """Return the ratings of a table; rows with the same content are one, other rows of the same summary are refused."""
    if not file.columns.keys() & {SET, PEER}:
        file.require()
    cells = {name: file.table.texts(name) for name in names}
    ratings: dict[tuple[str, str], dict[str, Rating]] = {}
    ids = zip(*map(file.values, (SET, PEER, ANNOTATOR)), strict=True)
    for row, (document_set, peer, annotator) in enumerate(ids):
        rating = {name: texts[row] for name, texts in cells.items()}
        if ratings.setdefault((document_set, peer), {}).setdefault(annotator, rating) != rating:
            summary = " ".join(filter(None, (document_set, peer)))
            file.fault("other ratings of the same set and peer stand above", row, summary)
    file.check("give each summary one row, or one for each annotator, named in a column")
    return ratings


def _scores(counts: Iterable[UnitCounts], annotators: Annotators) -> list[Row]:
    cells: dict[tuple[str, ...], list[UnitCounts]] = {}
    for peer in sorted(counts, key=lambda peer: (peer.set, natural(peer.system), natural(peer.annotator))):
        key = (peer.set, peer.system, peer.annotator if annotators == "each" else "")
        cells.setdefault(key, []).append(peer)
    return [
        {
            "setid": same[0].set,
            "peerid": same[0].system,
            "annotator": "+".join(peer.annotator for peer in same),
            "score": fmean(map(modified, same)),
            "original": fmean(map(original, same)),
            "precision": _mean([precision(peer) for peer in same]),
            "nscu": fmean(len(peer.counts) for peer in same),
            "nrep": fmean(peer.repeats for peer in same),
        }
        for same in cells.values()
    ]


def _mean(values: Sequence[float]) -> float | None:
    """Return the mean of the values that there are."""
    present = [value for value in values if not isnan(value)]
    return fmean(present) if present else None


def _rated(row: Row, ratings: Ratings, file: str) -> Rating | None:
    """Return the ratings of a row, those of its annotators if the table tells them apart; None if there are none."""
    summary = (str(row["setid"]), str(row["peerid"]))
    by_annotator = ratings.get(summary, {})
    applicable = [by_annotator[who] for who in str(row["annotator"]).split("+") if who in by_annotator] or list(
        by_annotator.values()
    )
    if any(rating != applicable[0] for rating in applicable):
        what = f"the ratings of set {summary[0]}, peer {summary[1]} differ between annotators"
        hint = f"make a row for each annotation with {setting('annotators', 'each')}"
        raise TouchstoneError(what, file=file, code=Code.MISMATCH, hint=hint)
    return applicable[0] if applicable else None


def _notes(rows: Sequence[Row], rated: Sequence[Rating | None], ratings: Ratings, file: str) -> list[str]:
    without = sum(rating is None for rating in rated)
    gaps = sum(rating is not None and None in rating.values() for rating in rated)
    left = len(ratings.keys() - {(row["setid"], row["peerid"]) for row in rows})
    counts = {
        f"{without:,} of {len(rows):,} rows have no ratings": without,
        f"{gaps:,} rows have ratings that are empty": gaps,
        f"{left:,} rated summaries have no annotation and are left out": left,
    }
    return [f"{file}: {sentence}" for sentence, count in counts.items() if count]
