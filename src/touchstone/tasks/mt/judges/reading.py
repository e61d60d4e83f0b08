"""Files of human judgements: rows of ranks as WMT writes them, ranks in long form, and scores.

| form | columns |
|---|---|
| rows of ranks | ``srcIndex, judgeId, system1Id, system1rank, …`` and ``srclang, trglang`` or ``documentId`` |
| long form | ``segment, judge, system, rank``; with ``span`` they are rankings of constituents |
| scores | ``segment, system, judge`` and a column for each scale, such as ``adequacy`` and ``fluency`` |

Columns are separated by commas or tabs. The last two forms may have ``group`` (the language pair) and ``ballot`` (for a
judge who saw a segment twice). Rank 1 is best, -1 a blank; an empty score is one that was not given.
"""

import csv
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from math import isfinite, nan
from pathlib import Path

from touchstone.core.errors import Fault, TouchstoneError, nearest
from touchstone.io.text import UTF8, Source, read_text
from touchstone.tasks.mt.judges.judgements import Entry, Judgements, collect

BLANK = "-1"
LONG = ("segment", "judge", "system")
BESIDE = ("group", "ballot", "span")
_SYSTEM = re.compile(r"system(\d+)Id")
_PAIR = re.compile(r"[a-z]{2,3}-[a-z]{2,3}(?![a-z])")

Line = tuple[int, Mapping[str, str]]
Faults = list[Fault]

LANGUAGES: Mapping[str, tuple[str, ...]] = {
    "cs": ("czech", "cze", "ces"),
    "de": ("german", "ger", "deu"),
    "en": ("english", "eng"),
    "es": ("spanish", "spa", "esn"),
    "fi": ("finnish", "fin"),
    "fr": ("french", "fre", "fra"),
    "hi": ("hindi", "hin"),
    "hu": ("hungarian", "hun"),
    "ro": ("romanian", "rum", "ron"),
    "ru": ("russian", "rus"),
}
"""Names of languages in the rankings of WMT 2007-2015; other names are kept."""

_CODES = {name: code for code, names in LANGUAGES.items() for name in names}


def read_judgements(path: str | Path, encoding: str = UTF8) -> tuple[Judgements, ...]:
    """Read a file of judgements: one set for each criterion that it holds."""
    text, source = _read(path, encoding)
    faults: Faults = []
    header, rows = _table(text, source.name, faults)
    read = _form(header, source.name)
    found = read(header, rows, source, faults)
    if faults:
        raise TouchstoneError.of(faults)
    if not found:
        raise TouchstoneError("no judgements", file=source.name)
    return found


def _read(path: str | Path, encoding: str) -> tuple[str, Source]:
    """Return the text of a file; commands have no option for its encoding, so no hint names one."""
    try:
        return read_text(path, encoding)
    except TouchstoneError as error:
        if error.hint and "--encoding" in error.hint:
            error.hint = f"judgements are read as {encoding}: convert the file"
        raise


def _table(text: str, file: str, faults: Faults) -> tuple[list[str], list[Line]]:
    """Return the header and the rows under it, each with the number of its line."""
    tabs = "\t" in text.partition("\n")[0]
    try:
        lines = list(_lines(text, "\t" if tabs else ","))
    except csv.Error as error:
        raise TouchstoneError(f"is no table ({error})", file=file) from None
    header = [name.strip() for name in lines[0][1]]
    twice = next((name for name in header if header.count(name) > 1), None)
    if twice is not None:
        raise TouchstoneError("two columns with the same name", file=file, line=lines[0][0], value=twice)
    wrong = [(number, cells) for number, cells in lines[1:] if len(cells) != len(header)]
    faults.extend(Fault(f"{len(cells)} cells under {len(header)} columns", file, number) for number, cells in wrong)
    right = ((number, cells) for number, cells in lines[1:] if len(cells) == len(header))
    return header, [(number, dict(zip(header, map(str.strip, cells), strict=True))) for number, cells in right]


def _lines(text: str, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the cells of each line that is not blank; a tab-separated file quotes nothing."""
    lines = text.split("\n")
    tabbed = delimiter == "\t"
    reader = csv.reader(lines, csv.excel_tab, quoting=csv.QUOTE_NONE) if tabbed else csv.reader(lines, strict=True)
    for cells in reader:
        if any(cell.strip() for cell in cells):
            yield reader.line_num, cells


Read = Callable[[Sequence[str], Sequence[Line], Source, Faults], tuple[Judgements, ...]]


def _form(header: Sequence[str], file: str) -> Read:
    """Return the reader of the form that the columns show."""
    if any(_SYSTEM.fullmatch(name) for name in header):
        _check_columns(("srcIndex", "judgeId"), header, file)
        return _read_rows
    _check_columns(LONG, header, file)
    return _read_long if "rank" in header else _read_scores


def _check_columns(wanted: Sequence[str], header: Sequence[str], file: str) -> None:
    for name in wanted:
        if name not in header:
            hint = "give srcIndex, judgeId, system1Id, system1rank …; or segment, judge, system and rank or scores"
            what = f"has no column {name!r}"
            raise TouchstoneError(what, file=file, line=1, near=nearest(name, header), kind="column", hint=hint)


def _read_rows(header: Sequence[str], rows: Sequence[Line], source: Source, faults: Faults) -> tuple[Judgements, ...]:
    """Read a ballot from each row: any number of systems with their ranks."""
    numbers = [found[1] for name in header if (found := _SYSTEM.fullmatch(name))]
    _check_columns([f"system{number}rank" for number in numbers], header, source.name)
    entries: list[Entry] = []
    for line, row in rows:
        known = (str(line),), _language_pair(row), row["srcIndex"], row["judgeId"]
        _check_present({"srcIndex": row["srcIndex"], "judgeId": row["judgeId"]}, source.name, line, faults)
        placed = [(row[f"system{number}Id"], row[f"system{number}rank"]) for number in numbers]
        placed = [(system, rank) for system, rank in placed if system or rank]
        systems = [system for system, _ in placed]
        twice = next((system for system in systems if systems.count(system) > 1), None)
        if twice is not None:
            faults.append(Fault("a system occurs twice in a row", source.name, line, twice))
        for system, rank in placed:
            _check_present({"system": system}, source.name, line, faults)
            entries.append(Entry(*known, system, _rank(rank, source.name, line, faults), line))
    return (collect("rank", "rank", source, entries),) if entries else ()


def _language_pair(row: Mapping[str, str]) -> str | None:
    """Return the language pair of a row in two letters each.

    >>> _language_pair({"srclang": "Czech", "trglang": "English"}), _language_pair({"documentId": "de-en.test"})
    ('cs-en', 'de-en')
    """
    source, target = (row.get(side, "").lower() for side in ("srclang", "trglang"))
    if source and target:
        return f"{_CODES.get(source, source)}-{_CODES.get(target, target)}"
    found = _PAIR.match(row.get("documentId", ""))
    return found[0] if found else None


def _read_long(header: Sequence[str], rows: Sequence[Line], source: Source, faults: Faults) -> tuple[Judgements, ...]:
    """Read one rank per row; with spans, rankings of constituents."""
    criterion = "constituent" if "span" in header else "rank"
    entries = [_entry(row, line, _rank(row["rank"], source.name, line, faults)) for line, row in rows]
    _check_entries(entries, source.name, faults)
    return (collect(criterion, "rank", source, entries),) if entries else ()


def _read_scores(header: Sequence[str], rows: Sequence[Line], source: Source, faults: Faults) -> tuple[Judgements, ...]:
    """Read scores: every column that is not an id is a scale."""
    scales = [name for name in header if name not in (*LONG, *BESIDE)]
    if not scales:
        hint = "add the column rank, or a column for each scale, such as adequacy"
        raise TouchstoneError("has neither ranks nor scores", file=source.name, line=1, hint=hint)
    _check_entries([_entry(row, line, nan) for line, row in rows], source.name, faults)
    found = []
    for scale in scales:
        given = [(line, row) for line, row in rows if row[scale]]
        entries = [_entry(row, line, _score(row[scale], scale, source.name, line, faults)) for line, row in given]
        found += [collect(scale, "score", source, entries)] if entries else []
    return tuple(found)


def _entry(row: Mapping[str, str], line: int, value: float) -> Entry:
    ballot = tuple(row.get(name, "") for name in ("group", "segment", "judge", "span", "ballot"))
    return Entry(
        ballot, row.get("group") or None, row["segment"], row["judge"], row["system"], value, line, row.get("span", "")
    )


def _check_entries(entries: Sequence[Entry], file: str, faults: Faults) -> None:
    """Find ids that are not there, and systems that stand twice on a ballot."""
    first: dict[tuple[tuple[str, ...], str], int] = {}
    for entry in entries:
        names = {"segment": entry.segment, "judge": entry.judge, "system": entry.system}
        _check_present(names, file, entry.line, faults)
        before = first.setdefault((entry.ballot, entry.system), entry.line)
        if before != entry.line:
            what = f"duplicate judgement of segment {entry.segment} by the same judge (first on line {before})"
            faults.append(Fault(what, file, entry.line, entry.system))


def _check_present(names: Mapping[str, str], file: str, line: int, faults: Faults) -> None:
    faults.extend(Fault(f"no {name} in this row", file, line) for name, value in names.items() if not value)


def _rank(text: str, file: str, line: int, faults: Faults) -> float:
    if text == BLANK:
        return nan
    if re.fullmatch(r"[1-9]\d{0,5}", text, re.ASCII):
        return float(text)
    faults.append(Fault("a rank must be a whole number from 1, or -1 for a blank", file, line, text))
    return nan


def _score(text: str, scale: str, file: str, line: int, faults: Faults) -> float:
    try:
        value = float(text)
    except ValueError:
        value = nan
    if not isfinite(value):
        faults.append(Fault(f"{scale} must be a number", file, line, text))
    return value
