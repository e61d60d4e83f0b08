"""Files of human judgements, read as they are published, row by row.

| form | columns |
|---|---|
| rows of ranks | ``srcIndex, judgeId, system1Id, system1rank, …`` and ``srclang, trglang`` or ``documentId`` |
| ranks in long form | ``segment, judge, system, rank``; with ``span`` they are rankings of constituents |
| raw MQM | ``system, doc, seg_id, rater, source, target, category, severity`` |
| scores | ``segment, system``, a column for each scale, and ``judge`` where it is known |
| direct assessment | ``SYS SID RAW.SCR Z.SCR N``, separated by blanks |
| export of Appraise | no header: user, system, segment, type, languages, score, document, … (DA+SQM, ESA) |
| segment scores | no header: system and score, segment after segment (mt-metrics-eval) |
| ESA as JSON lines | ``doc_id, src_text, tgt_text, scores`` |

Rank 1 is best, -1 a blank; an empty score, or None, is one that was not given.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import isfinite, nan
from pathlib import Path

import numpy as np

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError, nearest
from touchstone.base.files import STDIN, UTF8, unpacked_name
from touchstone.io.schema import Field, Schema
from touchstone.tasks.mt.judges.appraise import is_appraise, language_pair, read_appraise, read_esa_lines
from touchstone.tasks.mt.judges.doubts import doubts_about_judgements
from touchstone.tasks.mt.judges.judgements import EntryColumns, Judgements
from touchstone.tasks.mt.judges.mqm import Scheme, TextColumns, read_mqm, read_scheme
from touchstone.tasks.mt.judges.rows import Row, RowStream, is_number, open_rows

BLANK = "-1"
UNJUDGED = ("", "None")

JUDGEMENTS = Schema(
    Field("segment", ("segment", "globalsegid", "seg_id", "segment_id", "segid", "sid")),
    Field("system", ("system", "sys", "system_id", "system_name")),
    Field("judge", ("judge", "rater", "annotator", "annotator_id")),
    Field("document", ("document", "doc")),
    Field("group", ("group", "lp")),
    Field("ballot"),
    Field("span"),
    Field("source", ("source", "src")),
    Field("target", ("target", "hypothesis", "mt", "hyp")),
    Field("category"),
    Field("severity"),
)
"""The columns of judgements, and what files call them, in any case."""

OTHERS = ("doc_id", "docsegid", "n", "reference", "ref", "comment", "metadata", "domain", "year", "annotators")
"""Columns that are neither roles nor scales."""

_SYSTEM = re.compile(r"system(\d+)Id")
_PAIR = re.compile(r"[a-z]{2,3}-[a-z]{2,3}(?![a-z])")


def read_judgements(path: object, encoding: str = UTF8, *, scheme: str | Path | None = None) -> tuple[Judgements, ...]:
    """Read a file of judgements: one set for each criterion that it holds.

    Parameters
    ----------
    path
        The file, text or a table in any format, or a Python object with the same columns, such as a data frame.
    encoding
        The encoding of the file.
    scheme
        What errors of raw MQM cost: the name of a scheme, ``wmt``, or a table of severity, category and weight.

    Examples
    --------
    >>> from pathlib import Path
    >>> import touchstone
    >>> from touchstone import mt
    >>> folder = Path(touchstone.__file__).parent / "examples" / "mt"
    >>> [(judged.criterion, judged.judges) for judged in mt.read_judgements(folder / "ratings.tsv")]
    [('adequacy', ('ann', 'ben')), ('fluency', ('ann', 'ben'))]
    """
    stream = open_rows(path, encoding)
    criteria = _read(stream, read_scheme(scheme))
    stream.check()
    if not criteria:
        raise TouchstoneError("no judgements", file=stream.source.name, code=Code.EMPTY)
    return tuple(
        replace(judged, source=stream.source, notes=(*judged.notes, *doubts_about_judgements(judged)))
        for judged in criteria
    )


def holds_outputs(path: str | Path) -> bool:
    """Return whether a file is raw MQM, or ESA as JSON lines, which hold the translations that were judged."""
    if str(path) == STDIN or not Path(path).is_file():
        return False
    try:
        with_header = RowStream(path)
    except (TouchstoneError, StopIteration):
        return False  # whoever reads the file will say what is wrong with it
    if with_header.json:
        begin = next(with_header.lines)[1]
        return '"tgt_text"' in begin and '"scores"' in begin
    return {"severity", "category", "target"} <= JUDGEMENTS.places(with_header.first).keys()


def _read(stream: RowStream, scheme: Scheme) -> Sequence[Judgements]:
    """Read the form that the first row shows."""
    first = stream.first
    if stream.json:
        return read_esa_lines(stream)
    if is_appraise(first):
        return read_appraise(stream)
    if len(first) == 2 and is_number(first[1]):
        return _read_blocks(stream)
    _check_header(stream)
    if any(map(_SYSTEM.fullmatch, first)):
        return _read_ranked_rows(stream)
    roles = JUDGEMENTS.places(first)
    if {"severity", "category"} <= roles.keys():
        _check_roles(("segment", "system", "judge"), roles, stream)
        judged = read_mqm(stream, roles, scheme)
        return [judged] if len(judged) else []
    return _read_ranks(stream, roles) if "rank" in first else _read_scores(stream, roles)


def _check_header(stream: RowStream) -> None:
    file, line = stream.source.name, stream.first_line
    twice = next((name for name, count in Counter(stream.first).items() if count > 1), None)
    if twice is not None:
        what = "two columns with the same name"
        raise TouchstoneError(what, file=file, line=line, value=twice, code=Code.DUPLICATE_COLUMN)


def _check_roles(required: Sequence[str], roles: Mapping[str, int], stream: RowStream) -> None:
    missing = next((role for role in required if role not in roles), None)
    if missing is not None:
        _refuse(missing, stream)


def _refuse(name: str, stream: RowStream) -> None:
    hint = "give srcIndex, judgeId, system1Id, system1rank …; or segment, judge, system and rank or scores; or raw MQM"
    near, header = nearest(name, stream.first), f"has no column {name!r}"
    raise TouchstoneError(
        header, file=stream.source.name, line=1, near=near, kind="column", code=Code.NO_COLUMN, hint=hint
    )


def _read_ranked_rows(stream: RowStream) -> Sequence[Judgements]:
    """Read a ballot from each row: any number of systems with their ranks."""
    header = stream.first
    numbers = [match[1] for name in header if (match := _SYSTEM.fullmatch(name))]
    for name in ("srcIndex", "judgeId", *(f"system{number}rank" for number in numbers)):
        if name not in header:
            _refuse(name, stream)
    columns = EntryColumns()
    for line, cells in stream.rows():
        row = dict(zip(header, cells, strict=True))
        segment, judge, group = row["srcIndex"], row["judgeId"], _group(row)
        _check_present({"srcIndex": segment, "judgeId": judge}, line, stream)
        placed = [(row[f"system{number}Id"], row[f"system{number}rank"]) for number in numbers]
        placed = [(system, rank) for system, rank in placed if system or rank]
        counts = Counter(system for system, _ in placed)
        twice = next((system for system, count in counts.items() if count > 1), None)
        if twice is not None:
            stream.fault("a system occurs twice in a row", line, twice, code=Code.DUPLICATE_ID)
        for system, rank in placed:
            _check_present({"system": system}, line, stream)
            columns.add(segment, system, judge, _rank(rank, line, stream), line, group=group, label=line)
    return [columns.judgements("rank", "rank", stream.source)] if len(columns) else []


def _group(row: Mapping[str, str]) -> str | None:
    """Return the language pair of a row in two letters each.

    >>> _group({"srclang": "Czech", "trglang": "English"}), _group({"documentId": "de-en.test"})
    ('cs-en', 'de-en')
    """
    source, target = (row.get(side, "") for side in ("srclang", "trglang"))
    if source and target:
        return language_pair(source, target)
    match = _PAIR.match(row.get("documentId", ""))
    return match[0] if match else None


@dataclass(frozen=True)
class _Columns:
    """The places of the roles in a table with a row per system."""

    roles: Mapping[str, int]

    def cell(self, role: str, cells: Sequence[str]) -> str:
        """Return the cell of a role, an empty one where the table has no such column."""
        column = self.roles.get(role)
        return "" if column is None else cells[column]

    def add(self, columns: EntryColumns, row: Row, value: float) -> None:
        """Add the entry of a row."""
        line, cells = row
        segment, system, judge, group, document, label, span = (
            self.cell(role, cells) for role in ("segment", "system", "judge", "group", "document", "ballot", "span")
        )
        names = {"group": group or None, "document": document}
        columns.add(segment, system, judge, value, line, label=label, span=span, **names)  # type: ignore[arg-type]


def _read_ranks(stream: RowStream, roles: Mapping[str, int]) -> Sequence[Judgements]:
    """Read one rank per row; with spans, rankings of constituents."""
    _check_roles(("segment", "judge", "system"), roles, stream)
    reader, columns = _Columns(roles), EntryColumns()
    rank = stream.first.index("rank")
    for line, cells in _checked(stream, reader):
        reader.add(columns, (line, cells), _rank(cells[rank], line, stream))
    _check_duplicates(columns, stream)
    criterion = "constituent" if "span" in roles else "rank"
    return [columns.judgements(criterion, "rank", stream.source)] if len(columns) else []


def _read_scores(stream: RowStream, roles: Mapping[str, int]) -> Sequence[Judgements]:
    """Read scores: every column that is not an id is a scale."""
    _check_roles(("segment", "system"), roles, stream)
    # A misspelt column of judges would be taken for a scale.
    if "judge" not in roles and nearest("judge", stream.first):
        _refuse("judge", stream)
    header, file = stream.first, stream.source.name
    id_columns = {*roles.values()}
    scales = [column for column, name in enumerate(header) if column not in id_columns and name.lower() not in OTHERS]
    if not scales:
        hint = "add the column rank, or a column for each scale, such as adequacy"
        raise TouchstoneError("has neither ranks nor scores", file=file, line=1, code=Code.NO_COLUMN, hint=hint)
    reader, columns = _Columns(roles), {column: EntryColumns() for column in scales}
    first = columns[scales[0]]
    texts = TextColumns(first.systems, first.segments)
    for line, cells in _checked(stream, reader):
        for column in scales:
            if cells[column] not in UNJUDGED:
                reader.add(columns[column], (line, cells), _score(cells[column], header[column], line, stream))
        if "target" in roles:
            key = reader.cell("document", cells), reader.cell("segment", cells)
            texts.add(key, reader.cell("system", cells), reader.cell("source", cells) or None, cells[roles["target"]])
    for entries in columns.values():
        _check_duplicates(entries, stream)
    outputs = texts.outputs(first.segment_names) if texts.targets else None
    scored = [(header[column], entries) for column, entries in columns.items() if len(entries)]
    return [replace(_scored(name, entries, stream), outputs=outputs) for name, entries in scored]


def _checked(stream: RowStream, reader: _Columns) -> Iterator[Row]:
    """Yield the rows of a table; find ids that are not there."""
    roles = [role for role in ("segment", "judge", "system") if role in reader.roles]
    for line, cells in stream.rows():
        if not all(cells[reader.roles[role]] for role in roles):
            _check_present({role: reader.cell(role, cells) for role in roles}, line, stream)
        yield line, cells


def _check_duplicates(columns: EntryColumns, stream: RowStream) -> None:
    """Find systems that are on a ballot twice."""
    of = columns
    key = of.key(of.group, of.segment, of.judge, of.span, of.label, of.system)
    _, first, code = np.unique(key, return_index=True, return_inverse=True)
    segments, systems = of.segment_names, list(of.systems)
    for row in np.flatnonzero(first[code] != np.arange(len(key))).tolist():
        before = of.line[int(first[code[row]])]
        what = f"duplicate judgement of segment {segments[of.segment[row]]} by the same judge (first on line {before})"
        stream.fault(what, of.line[row], systems[of.system[row]], code=Code.DUPLICATE_ID)


def _scored(name: str, columns: EntryColumns, stream: RowStream) -> Judgements:
    """Return scores under one scale; averages of MQM are penalties, or penalties with a minus sign."""
    judged = columns.judgements(name, "score", stream.source)
    if "mqm" not in name.lower():
        return judged
    # Files of WMT have averages of MQM as penalties or with a minus sign; the sign tells which.
    least, most = judged.value.min(), judged.value.max()
    if least < 0 < most:
        what = f"{name} has values on both sides of 0: neither penalties nor penalties with a minus sign"
        stream.fault(what, None, code=Code.OUT_OF_RANGE)
    return replace(judged, scale="penalty") if most > 0 else judged


def _read_blocks(stream: RowStream) -> Sequence[Judgements]:
    """Read scores without ids: those of a system are in the order of the segments, which are numbered from 1."""
    name, file = _criterion(stream.source.name), stream.source.name
    columns, counts = EntryColumns(), Counter[str]()
    for line, (system, score) in stream.rows(headless=True):
        counts[system] += 1
        if score not in UNJUDGED:
            value = _score(score, "the score", line, stream)
            columns.add(str(counts[system]), system, "", value, line)
    sizes = set(counts.values())
    if len(sizes) > 1:
        listed = ", ".join(f"{system} {count:,}" for system, count in counts.items())
        raise TouchstoneError(f"systems have different numbers of scores: {listed}", file=file, code=Code.MISMATCH)
    return [_scored(name, columns, stream)] if len(columns) else []


def _criterion(file: str) -> str:
    """Return the criterion in a file's name, such as en-de.mqm.seg.score.

    >>> _criterion("en-de.mqm.seg.score"), _criterion("human.txt")
    ('mqm', 'human')
    """
    parts = Path(unpacked_name(file)).name.split(".")
    return parts[1] if parts[-1] == "score" and len(parts) > 2 else parts[0]


def _check_present(names: Mapping[str, str], line: int, stream: RowStream) -> None:
    for name in (name for name, value in names.items() if not value):
        stream.fault(f"no {name} in this row", line, code=Code.MISSING_ID)


def _rank(text: str, line: int, stream: RowStream) -> float:
    if text == BLANK:
        return nan
    if re.fullmatch(r"[1-9]\d{0,5}", text, re.ASCII):
        return float(text)
    stream.fault("a rank must be a whole number from 1, or -1 for a blank", line, text)
    return nan


def _score(text: str, scale: str, line: int, stream: RowStream) -> float:
    try:
        value = float(text)
    except ValueError:
        value = nan
    if not isfinite(value):
        stream.fault(f"{scale} must be a number", line, text)
        return nan
    return value
