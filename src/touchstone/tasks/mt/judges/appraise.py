"""Scores of WMT's annotation tool Appraise, exported without a header, or published as JSON lines with their texts.

The first are DA+SQM since 2022 and ESA since 2024, the second ESA of 2024 and 2025. An export has 11 columns: user,
system, segment, type, source language, target language, score, document, whether the score is of a whole document,
start and end; ESA has the marked errors before the times. Controls are left out: rows of another type than ``TGT``,
documents with a mark such as ``#bad`` and tutorials.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from math import isfinite

from touchstone.base.errors import TouchstoneError
from touchstone.io.jsonl import Json, parse_json
from touchstone.tasks.mt.judges.judgements import EntryColumns, Judgements
from touchstone.tasks.mt.judges.mqm import TextColumns
from touchstone.tasks.mt.judges.rows import RowStream, is_number

USER, SYSTEM, SEGMENT, TYPE, FROM, TO, SCORE, DOCUMENT, OF_DOCUMENT = range(9)
FEWEST_COLUMNS = 11
"""The columns of an export of scores; one of ESA has more."""

TYPES = ("TGT", "BAD", "CHK", "REF", "SRC")
JUDGED = "TGT"
"""The type of a row with the output of a system; the others are controls."""

LINE = "_#_"
"""The separator of the parts of a document's id in the JSON lines: language pair, domain, document, segment."""

LANGUAGES: Mapping[str, tuple[str, ...]] = {
    "cs": ("czech", "cze", "ces"),
    "de": ("german", "ger", "deu"),
    "en": ("english", "eng"),
    "es": ("spanish", "spa", "esn"),
    "fi": ("finnish", "fin"),
    "fr": ("french", "fre", "fra"),
    "he": ("hebrew", "heb"),
    "hi": ("hindi", "hin"),
    "hr": ("croatian", "hrv"),
    "hu": ("hungarian", "hun"),
    "is": ("icelandic", "isl", "ice"),
    "ja": ("japanese", "jpn"),
    "ko": ("korean", "kor"),
    "ro": ("romanian", "rum", "ron"),
    "ru": ("russian", "rus"),
    "uk": ("ukrainian", "ukr"),
    "zh": ("chinese", "zho", "chi"),
}
"""Names of languages in WMT's files; other names are kept."""

_CODES = {name: code for code, names in LANGUAGES.items() for name in names}


def language_pair(source: str, target: str) -> str:
    """Return a language pair in two letters each.

    >>> language_pair("Czech", "eng"), language_pair("Klingon", "en")
    ('cs-en', 'klingon-en')
    """
    return "-".join(_CODES.get(name.lower(), name.lower()) for name in (source, target))


def is_appraise(first: Sequence[str]) -> bool:
    """Return whether the first row of a table is one of an export, which has no header."""
    return len(first) >= FEWEST_COLUMNS and first[TYPE] in TYPES and is_number(first[SCORE])


def read_appraise(stream: RowStream) -> Sequence[Judgements]:
    """Read an export: the mean of the scores that a user gave to a translation, where there are several."""
    columns = EntryColumns()
    controls = 0
    for line, cells in stream.rows(headless=True):
        document = cells[DOCUMENT]
        # Controls (damaged copies, tutorials) and scores of whole documents are no judgements of a segment.
        if cells[TYPE] != JUDGED or "#" in document or "tutorial" in document or cells[OF_DOCUMENT] == "True":
            controls += 1
        elif cells[SCORE] == "None" or not is_number(cells[SCORE]):
            stream.fault("a score must be a number", line, cells[SCORE])
        else:
            group, score = language_pair(cells[FROM], cells[TO]), float(cells[SCORE])
            columns.add(
                cells[SEGMENT], cells[SYSTEM], cells[USER], score, line, group=group, document=document, label=line
            )
    if not len(columns):
        return []
    judged = columns.judgements("score", "score", stream.source)
    notes = (f"rows of controls, tutorials and whole documents, which are left out: {controls:,}",)
    return [replace(judged, how="scores of Appraise", notes=notes if controls else ())]


def read_esa_lines(stream: RowStream) -> Sequence[Judgements]:
    """Read the JSON lines of 2024 and 2025: for each segment its texts, and the scores of each system.

    A system has a list of scores, each with its annotator, or the keys ``human1``, ``human2``, … of the waves.
    """
    columns = EntryColumns()
    texts = TextColumns(columns.systems, columns.segments)
    for line, item in _items(stream):
        document, _, segment = str(item.get("doc_id", line)).rpartition(LINE)
        group = document.partition(LINE)[0] if document.count(LINE) > 1 else None
        for system, text in _mapping(item, "tgt_text").items():
            texts.add((document, segment), system, str(item.get("src_text") or "") or None, str(text))
        for system, raw_scores in _mapping(item, "scores").items():
            try:
                scores = _scores(raw_scores)
            except (TypeError, ValueError, KeyError):
                stream.fault("neither a list of scores nor scores by wave", line, system)
                continue
            for ballot, (score, judge) in enumerate(scores):
                columns.add(segment, system, judge, score, line, group=group, document=document, label=ballot)
    if not len(columns):
        return []
    judged = columns.judgements("score", "score", stream.source)
    return [replace(judged, outputs=texts.outputs(columns.segment_names) if texts.targets else None, how="ESA")]


def _items(stream: RowStream) -> Iterator[tuple[int, dict[str, Json]]]:
    for number, line in stream.lines:
        if not line.strip():
            continue
        try:
            item = parse_json(line, file=stream.source.name, line=number)
        except TouchstoneError as error:
            stream.faults.extend(error.faults)
            continue
        if isinstance(item, dict) and "scores" in item:
            yield number, item
        else:
            stream.fault("no object with doc_id, tgt_text and scores", number, line)


def _mapping(item: dict[str, Json], name: str) -> dict[str, Json]:
    value = item.get(name)
    return value if isinstance(value, dict) else {}


def _scores(raw_scores: Json) -> list[tuple[float, str]]:
    """Return the scores of one translation, each with its annotator."""
    if isinstance(raw_scores, dict):
        waves = [key.removeprefix("human") for key in raw_scores if key.startswith("human")]
        each: list[dict[str, Json]] = [
            {"score": raw_scores[f"human{wave}"], "annotator": raw_scores.get(f"annotator{wave}")} for wave in waves
        ]
    else:
        listed = raw_scores if isinstance(raw_scores, list) else [raw_scores]
        each = [entry if isinstance(entry, dict) else {"score": entry} for entry in listed]
    scores = [
        (float(str(entry["score"])), str(entry.get("annotator") or "")) for entry in each if entry["score"] is not None
    ]
    if not all(isfinite(score) for score, _ in scores):
        raise ValueError("a score is not finite")
    return scores
