"""Result files of other evaluation tools, read as tables of items.

Known are logs of inspect_ai (``.eval`` and ``.json``), sample files of lm-evaluation-harness
(``samples_TASK_DATE.jsonl``), segment scores of COMET (``comet-score --to_json``) and of sacrebleu
(``--sentence-level``). A file is recognised by what it holds. The system is the model that the file names, the item is
the sample, and every score of a sample is a column.
"""

import json
import math
import re
import struct
import zipfile
import zlib
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from io import BytesIO
from pathlib import Path
from statistics import fmean

import pyarrow as pa

from touchstone.base.errors import Fault, TouchstoneError, visible
from touchstone.base.files import PACKED, STDIN, Source, read_bytes, unpacked_name
from touchstone.base.options import TableOptions
from touchstone.base.spelling import setting
from touchstone.io.jsonl import Json, parse_json, parse_objects
from touchstone.io.reading import read_rows
from touchstone.io.runs import RunFiles
from touchstone.io.schema import Rows, Schema
from touchstone.io.tables import TableFile
from touchstone.io.text import decode, lines

FIELD_LENGTH = 300
"""Fields with a longer text are left out: they would flood a table, and no one groups by them."""

UNPACKED = 512 * 2**20
"""The largest member of a log that is read, in bytes; summaries of 100,000 samples take about 100 MB."""

SUSPICIOUS = 16 * 2**20, 200
"""A member larger than this that was packed by more than this factor is no log."""

ZSTANDARD = 93
"""The method of zip members that inspect_ai uses, which Python reads from 3.14 on, and pyarrow in all versions."""

BROKEN = (
    zipfile.BadZipFile, zlib.error, pa.ArrowException, struct.error, EOFError, OSError, RuntimeError,
    NotImplementedError, UnicodeDecodeError, OverflowError,
)  # fmt: skip
"""What reading a damaged zip file raises."""

LETTERS = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0, "yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}
"""Values of the letters and words of inspect_ai's scorers, as its function ``value_to_float`` has them."""

SACREBLEU = re.compile(r"(BLEU|chrF\d+\+*|TER)(?:\|(\S+))? = (\d+(?:\.\d+)?)(?: .*)?")
SAMPLES = re.compile(r"samples_(?P<task>.+)_(?P<date>\d{4}-\d{2}-\d{2}T[\d.-]+)")
"""A line of ``sacrebleu --sentence-level``, and the name of a sample file of lm_eval without its suffix."""

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


def read_files(given: Sequence[RunFiles], schema: Schema, options: TableOptions) -> list[tuple[str, Rows]]:
    """Return the table of each file with the name of its system; files of known tools become long tables.

    Parameters
    ----------
    given
        The files, with the names of their systems where the user gave them.
    schema, options
        The fields of tables, and which columns the user chose for them.
    """
    read: list[tuple[str, Rows | list[Log]]] = []
    for files in given:
        logs = [_read_logs(path, files, options.encoding) for path in files.paths]
        if None in logs:
            read.append((files.name, read_rows(files.path, schema, options)))
        else:
            read += [(files.name, own) for own in logs if own]
    if not read:
        what = "holds no values of samples, only of whole evaluations"
        hint = "give logs of inspect_ai, or the files samples_TASK_DATE.jsonl that lm_eval --log_samples writes"
        raise TouchstoneError(what, file=str(given[0].paths[0]), hint=hint)
    tables = iter(_tables([own for _, own in read if isinstance(own, list)]))
    return [(name, schema.bind(next(tables), options.column) if isinstance(own, list) else own) for name, own in read]


# --- which tool wrote a file -----------------------------------------------------------------------------------------


def _read_logs(path: str | Path, files: RunFiles, encoding: str) -> list[Log] | None:
    """Return what a file of a known tool holds; None for other files, an empty list for results without samples."""
    if not _may_be_log(path):
        return None
    raw, source = read_bytes(path)
    if raw.startswith(b"PK") or source.name.endswith(".eval"):
        logs = _parse_zip(raw, source)
    else:
        text = decode(raw, source.name, encoding)
        found = SACREBLEU.match(text)
        logs = [_parse_sacrebleu(text, source, files.name)] if found else _parse_json_file(text, source, files.name)
    if not files.named or not logs:
        return logs
    if len(logs) > 1:
        raise TouchstoneError("holds several systems, so that it cannot have one name", file=source.name)
    return [replace(log, system=files.name, named=True) for log in logs]


def _may_be_log(path: str | Path) -> bool:
    """Return whether the first bytes of a file could be those of a log, so that tables are not read twice."""
    if str(path) == STDIN or str(path).endswith((".eval", PACKED)):
        return True
    try:
        if not Path(path).is_file():  # a pipe can be read but once
            return False
        with Path(path).open("rb") as stream:
            head = stream.read(1000).removeprefix(b"\xef\xbb\xbf").lstrip()
    except (OSError, ValueError):
        return False  # the reader of tables says why
    return head.startswith((b"PK", b"{", b"[")) or bool(SACREBLEU.match(head.decode("latin-1")))


def _parse_json_file(text: str, source: Source, name: str) -> list[Log] | None:
    numbered = lines(text)
    number, first = next(numbered)
    if next(numbered, None):  # several lines: an object on each, or one value that is laid out
        try:
            value = parse_json(first, file=source.name, line=number)
        except TouchstoneError:
            value = None
        if value is not None:
            return [_parse_samples(text, source, name)] if _is_sample(value) else None
    try:
        value = parse_json(text, file=source.name)
    except TouchstoneError:
        if re.match(r'\s*\{\s*"version"\s*:.{0,200}"eval"\s*:\s*\{', text, re.DOTALL):
            raise
        return None
    if _is_sample(value):
        return [_parse_samples(text, source, name)]
    if isinstance(value, dict) and {"eval", "status"} <= value.keys():
        return [_inspect_log(value, value.get("samples"), source)]
    if isinstance(value, dict) and _is_overview(value):
        return []
    if isinstance(value, dict) and any(isinstance(own, list) and any(map(_is_segment, own)) for own in value.values()):
        return _comet_logs(value, source)
    scores = value if isinstance(value, list) else [value]
    if scores and all(isinstance(score, dict) and {"name", "score", "signature"} <= score.keys() for score in scores):
        hint = "score every segment with sacrebleu --sentence-level, or compare translations with touchstone mt compare"
        raise TouchstoneError("holds scores of sacrebleu for whole systems", file=source.name, hint=hint)
    return None


def _is_overview(value: Object) -> bool:
    """Return whether a file lists evaluations: results_DATE.json of lm_eval; eval-set.json, logs.json of inspect_ai."""
    headers = [isinstance(header, dict) and {"eval", "status"} <= header.keys() for header in value.values()]
    return (
        {"results", "model_name"} <= value.keys()
        or {"eval_set_id", "tasks"} <= value.keys()
        or (bool(headers) and all(headers))
    )


# --- inspect_ai ------------------------------------------------------------------------------------------------------


def _parse_zip(raw: bytes, source: Source) -> list[Log] | None:
    """Return the log in a zip file; None if it is another kind of zip file."""
    try:
        with zipfile.ZipFile(BytesIO(raw)) as archive:
            names = {info.filename: info for info in archive.infolist()}
            if "_journal/start.json" in names and "header.json" not in names:
                raise _unfinished(source, "started")
            if "header.json" not in names and not source.name.endswith(".eval"):
                return None
            if "header.json" not in names:
                raise TouchstoneError("is a zip file, but no log of inspect_ai", file=source.name)
            header = _member(archive, names["header.json"], raw, source)
            samples = _member(archive, names["summaries.json"], raw, source) if "summaries.json" in names else None
    except BROKEN:
        if not source.name.endswith(".eval"):
            return None
        hint = "copy it again, or write it again with: inspect log convert --to eval"
        raise TouchstoneError(
            "is not a whole zip file, as logs of inspect_ai are", file=source.name, hint=hint
        ) from None
    if not isinstance(header, dict):
        raise TouchstoneError("is no log of inspect_ai", file=source.name, line="header.json")
    return [_inspect_log(header, samples, source)]


def _member(archive: zipfile.ZipFile, info: zipfile.ZipInfo, raw: bytes, source: Source) -> Json:
    """Return the JSON of one member; refuse what would fill the memory."""
    size, factor = SUSPICIOUS
    if info.file_size > UNPACKED or (info.file_size > size and info.file_size > factor * info.compress_size):
        what = f"unpacks to {info.file_size / 2**20:,.0f} MiB, which is too much for a log"
        raise TouchstoneError(what, file=source.name, line=info.filename)
    if info.compress_type == ZSTANDARD:
        data = _unpack_zstandard(info, raw)
    elif info.compress_type in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        data = archive.read(info)
    else:
        hint = "write it again with: inspect log convert --to eval"
        raise TouchstoneError(
            "is packed by a method that is not known", file=source.name, line=info.filename, hint=hint
        )
    place = f"{source.name}:{info.filename}"
    return parse_json(decode(data, place), file=place)


def _unpack_zstandard(info: zipfile.ZipInfo, raw: bytes) -> bytes:
    """Return the bytes of a member; the local header before it has 30 bytes and two texts of varying length."""
    names, extra = struct.unpack_from("<HH", raw, info.header_offset + 26)
    start = info.header_offset + 30 + names + extra
    stream = pa.CompressedInputStream(pa.BufferReader(raw[start : start + info.compress_size]), "zstd")
    data = bytearray()
    while len(data) <= info.file_size and (more := stream.read(2**20)):
        data += more
    if len(data) != info.file_size or zlib.crc32(data) != info.CRC:
        raise zipfile.BadZipFile
    return bytes(data)


def _unfinished(source: Source, status: str, message: str = "") -> TouchstoneError:
    what = f"the evaluation did not finish (status {status!r}{': ' + visible(message[:200]) if message else ''})"
    return TouchstoneError(what, file=source.name, hint=f"finish it with: inspect eval-retry {Path(source.name).name}")


def _inspect_log(header: Object, samples: Json, source: Source) -> Log:
    """Return a log of inspect_ai: a row for each sample, with the mean of its epochs."""
    spec, status, error = header.get("eval"), header.get("status"), header.get("error")
    if not isinstance(spec, dict) or not all(isinstance(spec.get(name), str) for name in ("model", "task")):
        raise TouchstoneError("does not say which model and task it is about", file=source.name)
    if status != "success":
        raise _unfinished(source, _text(status), _text(error.get("message")) if isinstance(error, dict) else "")
    if not isinstance(samples, list) or not samples:
        hint = "run inspect eval without --no-log-samples"
        raise TouchstoneError("holds no samples", file=source.name, hint=hint)
    epochs = _epochs(samples, source)
    notes = list(_epoch_notes(epochs, spec.get("config")))
    rows, left_out = [], dict[str, str]()
    for item, repeats in epochs.items():
        scores = [_scores(sample.get("scores"), left_out) for _, sample in repeats]
        names = dict.fromkeys(name for own in scores for name in own)
        values = {(name, ""): fmean(own[name] for own in scores if name in own) for name in names}
        line, sample = repeats[0]
        content = (_message_text(sample.get("input"))[:1000], _text(sample.get("target"))[:1000])
        rows.append(Row(item, line, values, _sample_fields(sample), content))
    notes += [f"{name} is left out: its values are no numbers (such as {v!r})" for name, v in left_out.items()]
    scored = _scored(rows, left_out, source, notes, "score the log with: inspect score")
    settings = _inspect_settings(spec, header.get("plan"))
    return Log(source, str(spec["model"]), scored, "input", str(spec["task"]), settings, notes=tuple(notes))


def _epochs(samples: Sequence[Json], source: Source) -> dict[str, list[tuple[int, Object]]]:
    """Return the samples with the same id, which are epochs of one; refuse an epoch that is there twice."""
    found: dict[tuple[str, str], tuple[int, Object]] = {}
    faults = []
    for number, sample in enumerate(samples, 1):
        if not isinstance(sample, dict) or not isinstance(sample.get("id"), int | str) or not _text(sample["id"]):
            faults.append(Fault(f"sample {number} has no id", source.name))
            continue
        key = _text(sample["id"]).strip(), _text(sample.get("epoch"))
        if key in found and not found[key][1].get("error"):  # a sample that failed was run again
            faults.append(Fault(f"sample {number} has the id and epoch of an earlier one", source.name, value=key[0]))
        found[key] = number, sample
    if faults:
        raise TouchstoneError.of(faults, "every sample needs an id of its own")
    epochs: dict[str, list[tuple[int, Object]]] = {}
    for (item, _), numbered in found.items():
        epochs.setdefault(item, []).append(numbered)
    return epochs


def _epoch_notes(epochs: Mapping[str, Sequence[object]], config: Json) -> Iterator[str]:
    most, fewest = max(map(len, epochs.values())), min(map(len, epochs.values()))
    if most > 1:
        times = f"{most} times" if most == fewest else f"{fewest} to {most} times"
        yield f"each sample was run {times} (epochs); its value is the mean of them"
    reducers = config.get("epochs_reducer") if isinstance(config, dict) else None
    other = [str(name) for name in reducers if name != "mean"] if isinstance(reducers, list) else []
    if most > 1 and other:
        yield f"inspect_ai itself reduced the epochs by {', '.join(other)}, so its values differ"


def _scores(scores: Json, left_out: dict[str, str]) -> dict[str, float]:
    """Return the scores of a sample that are numbers; put into *left_out* an example of each that is none."""
    values: dict[str, float] = {}
    for scorer, score in scores.items() if isinstance(scores, dict) else ():
        whole = score.get("value") if isinstance(score, dict) else None
        parts = {f"{scorer}.{key}": part for key, part in whole.items()} if isinstance(whole, dict) else {scorer: whole}
        for name, part in parts.items():
            value = _score_value(part)
            if value is None:
                left_out.setdefault(name, _text(part)[:40])
            elif not math.isnan(value):
                values[name] = value
    return values


def _score_value(value: Json) -> float | None:
    """Return a score as inspect_ai's ``value_to_float`` does: nan where there is none, None if it is no number.

    >>> _score_value("C"), _score_value("P"), _score_value("0.25"), _score_value("B")
    (1.0, 0.5, 0.25, None)
    """
    if value is None:
        return math.nan
    if isinstance(value, str):
        known = LETTERS.get(value, LETTERS.get(value.lower()) if len(value) > 1 else None)
        if known is not None:
            return known
    number = _number(value)
    return None if number is None or (isinstance(value, str) and math.isnan(number)) else number


def _sample_fields(sample: Object) -> dict[str, str]:
    metadata = sample.get("metadata")
    named = {name: sample.get(name) for name in ("input", "target")}
    return _short_fields({**(metadata if isinstance(metadata, dict) else {}), **named})


def _message_text(value: Json) -> str:
    """Return the text of an input: a text, or messages whose contents are texts or parts with a text."""
    if not isinstance(value, list):
        return _text(value)
    contents = [message.get("content") for message in value if isinstance(message, dict)]
    parts = [part for content in contents for part in (content if isinstance(content, list) else [content])]
    return "\n".join(_text(part.get("text") if isinstance(part, dict) else part) for part in parts)


def _inspect_settings(spec: Object, plan: Json) -> dict[str, str]:
    """Return what may tell two evaluations of the same model and task apart."""
    steps = plan.get("steps") if isinstance(plan, dict) else None
    chain = [_text(step.get("solver")) for step in steps if isinstance(step, dict)] if isinstance(steps, list) else []
    settings: dict[str, Json] = {"solver": spec.get("solver") or "+".join(chain)}
    for name in ("solver_args_passed", "task_args_passed", "model_args", "model_generate_config"):
        own = spec.get(name)
        settings |= own if isinstance(own, dict) else {}
    settings["version"] = spec.get("task_version")
    return {name: _text(value)[:60] for name, value in settings.items()}


# --- lm_eval ---------------------------------------------------------------------------------------------------------


def _is_sample(value: Json) -> bool:
    return isinstance(value, dict) and {"doc_id", "doc", "filtered_resps"} <= value.keys()


def _parse_samples(text: str, source: Source, name: str) -> Log:
    """Return a file of samples: a row for each document, with the metrics of all filters."""
    faults: list[Fault] = []
    path = Path(unpacked_name(source.name))
    found = SAMPLES.fullmatch(path.stem)
    rows: dict[str, Row] = {}
    seen: dict[tuple[str, str], int] = {}
    skipped: set[str] = set()
    for line, sample in parse_objects(text, file=source.name, faults=faults):
        number, chosen = sample.get("doc_id"), _text(sample.get("filter") or "none")
        if not isinstance(number, int | str) or not _text(number).strip():
            faults.append(Fault("no doc_id", source.name, line))
            continue
        item = _text(number).strip()
        first = seen.setdefault((item, chosen), line)
        if first != line:
            faults.append(Fault(f"duplicate doc_id (first seen on line {first})", source.name, line, item, kind="id"))
            continue
        values = {(metric, chosen): value for metric, value in _metrics(sample, skipped).items()}
        known = rows.get(item)
        doc = sample.get("doc")
        fields = _short_fields({**(doc if isinstance(doc, dict) else {}), "target": sample.get("target")})
        content = (_text(sample.get("doc_hash") or doc),)
        rows[item] = (
            replace(known, values={**known.values, **values}) if known else Row(item, line, values, fields, content)
        )
    if faults:
        raise TouchstoneError.of(faults, "write the file anew with: lm_eval --log_samples")
    notes = [f"{metric} is left out: its values are no numbers" for metric in sorted(skipped)]
    scored = _scored(rows.values(), skipped, source, notes, "run lm_eval without --predict_only")
    if not found:  # a file that was renamed: its name is the system's
        return Log(source, name, scored, "document", notes=tuple(notes))
    settings = {"run": found["date"], "folder": path.absolute().parent.parent.name}
    model = _model(path, found["date"])
    return Log(source, model, scored, "document", found["task"], settings, prefixed=True, notes=tuple(notes))


def _metrics(sample: Object, skipped: set[str]) -> dict[str, float]:
    """Return the metrics of a sample that are numbers; add the names of others to *skipped*."""
    names = sample.get("metrics")
    own = ("doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "filter", "doc_hash", "prompt_hash",
           "target_hash")  # fmt: skip
    listed = [str(name) for name in names] if isinstance(names, list) else [name for name in sample if name not in own]
    values: dict[str, float] = {}
    for name in listed:
        value = sample.get(name)
        number = None if isinstance(value, str) else _number(value)
        if number is None:
            skipped.add(name)
        elif not math.isnan(number):
            values[name] = number
    return values


def _model(path: Path, date: str) -> str:
    """Return the model of a sample file: from the results of the same run beside it, else the name of the folder."""
    beside = [path.with_name(f"results_{date}.json")]
    for file in beside if beside[0].is_file() else sorted(path.parent.glob("results_*.json")):
        try:
            results = parse_json(file.read_text("utf-8"), file=str(file))
        except (OSError, ValueError):
            continue
        if isinstance(results, dict) and isinstance(results.get("model_name"), str) and results["model_name"]:
            return str(results["model_name"])
    return path.absolute().parent.name or path.stem


# --- COMET and sacrebleu ---------------------------------------------------------------------------------------------


def _is_segment(segment: Json) -> bool:
    return isinstance(segment, dict) and {"mt", "COMET"} <= segment.keys()


def _comet_logs(systems: Object, source: Source) -> list[Log]:
    """Return the systems of a file of COMET: a row for each segment."""
    stems = [Path(name).stem for name in systems]
    names = stems if len(set(stems)) == len(stems) and all(stems) else list(systems)
    logs = []
    for name, segments in zip(names, systems.values(), strict=True):
        rows: list[Row] = []
        if not isinstance(segments, list) or not segments:
            raise TouchstoneError("a system has no segments", file=source.name, value=name)
        for number, segment in enumerate(segments, 1):
            own = segment if isinstance(segment, dict) else {}
            value = _number(own.get("COMET"))
            if value is None or math.isnan(value):
                raise TouchstoneError(f"segment {number} has no score", file=source.name, value=name)
            fields = _short_fields({"src": own.get("src"), "ref": own.get("ref")})
            rows.append(Row(str(number), number, {("COMET", ""): value}, fields, (_text(own.get("src")),)))
        logs.append(Log(source, name, rows, "source"))
    return logs


def _parse_sacrebleu(text: str, source: Source, system: str) -> Log:
    """Return the sentence scores that sacrebleu printed, a line for each segment."""
    rows: list[Row] = []
    faults: list[Fault] = []
    for line, printed in lines(text):
        found = SACREBLEU.fullmatch(printed)
        if not found:
            faults.append(Fault("no score of sacrebleu", source.name, line, printed))
            continue
        name, signature, score = found.groups()
        measure = f"sentence_{name.lower()}"
        rows.append(Row(str(len(rows) + 1), line, {(measure, ""): float(score)}, {}, (f"{name}|{signature}",)))
    if faults:
        raise TouchstoneError.of(faults, "keep only what sacrebleu --sentence-level printed on standard output")
    note = f"{measure} is a mean over sentences; touchstone mt compares systems by the score of the whole text"
    less = f"; less is better: {setting('lower-is-better', measure)}" if measure == "sentence_ter" else ""
    return Log(source, system, rows, "signature", notes=(note + less,))


# --- from logs to tables ---------------------------------------------------------------------------------------------


def _tables(groups: Sequence[Sequence[Log]]) -> list[ToolTable]:
    """Return a long table for each file: names of systems, ids of items and columns agree over all files."""
    logs = [log for own in groups for log in own]
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
        own = [next(places) for _ in group]
        tables.append(_table(own, columns, [name for log in own for name in measures[log.system]], skipped))
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
    known: dict[str, tuple[Row, Log]] = {}
    faults: list[Fault] = []
    differing = Counter[str]()
    for log in logs:
        for row in log.rows:
            first, other = known.setdefault(row.item, (row, log))
            pairs = list(zip(row.content, first.content, strict=False))
            if pairs and other.content == log.content and all(a != b for a, b in pairs):
                what = f"another {log.content} with this id than in {other.source.name}"
                faults.append(Fault(what, log.source.name, row.line, row.item, kind="id"))
            elif pairs and pairs[0][0] != pairs[0][1]:
                differing[f"{_file(log)}: the {log.content} is another than in {_file(other)}"] += 1
    if faults:
        raise TouchstoneError.of(faults, "only values of the same items can be compared: give files of the same data")
    return [f"{what} in {count:,} item{'s' * (count != 1)}" for what, count in differing.items()]


def _system_names(logs: Sequence[Log]) -> list[str]:
    """Return the name of each log's system: the model, and the settings in which logs of one model and task differ."""
    groups = defaultdict[tuple[str, str | None], list[Log]](list)
    for log in logs:
        if not log.named:
            groups[log.system, log.task].append(log)
    telling = defaultdict[str, dict[str, None]](dict)
    for (system, _), own in groups.items():
        keys = dict.fromkeys(key for log in own for key in log.settings)
        telling[system] |= {key: None for key in keys if len({log.settings.get(key) for log in own}) > 1}
    names, seen = [], dict[tuple[str, str | None], Log]()
    for log in logs:
        label = ", ".join(f"{key}={log.settings.get(key) or 'none'}" for key in telling[log.system])
        name = f"{log.system} ({label})" if label and not log.named else log.system
        other = seen.setdefault((name, log.task), log)
        if other is not log:
            what = f"the same model and task as in {other.source.name}"
            raise TouchstoneError(what, file=log.source.name, value=name, hint="name each system: NAME=FILE")
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
    table: dict[str, list[object]] = {
        "system": [log.system for log, _ in rows],
        "item": [row.item for _, row in rows],
    }
    if any(log.task for log in logs) and "task" not in skipped:
        table["task"] = [log.task for log, _ in rows]
    names = dict.fromkeys(name for _, row in rows for name in row.fields)
    for name in [name for name in names if name not in skipped and name not in table]:
        table[name] = [row.fields.get(name) for _, row in rows]
    values = [{columns[key]: value for key, value in row.values.items()} for _, row in rows]
    kept = list(dict.fromkeys(measures))
    table |= {name: [own.get(name) for own in values] for name in kept}
    notes = tuple(f"{_file(log)}: {note}" for log in logs for note in log.notes)
    lines = [row.line for _, row in rows]
    return ToolTable(logs[0].source, table, lines, measures=frozenset(kept), notes=notes)


# --- cells -----------------------------------------------------------------------------------------------------------


def _scored(rows: Iterable[Row], left_out: Collection[str], source: Source, notes: list[str], hint: str) -> list[Row]:
    """Return the rows with scores, without those *left_out*; refuse a log without any, and note how many have none."""
    kept = [replace(row, values={key: v for key, v in row.values.items() if key[0] not in left_out}) for row in rows]
    scored = [row for row in kept if row.values]
    if not scored:
        raise TouchstoneError("no sample has a score that is a number", file=source.name, hint=hint)
    if absent := len(kept) - len(scored):
        notes.append(f"samples without a score, which are missing (of {len(kept):,}): {absent:,}")
    return scored


def _short_fields(values: Object) -> dict[str, str]:
    """Return the values that are single texts, numbers or truth values, as texts."""
    texts = {name: _text(value) for name, value in values.items() if isinstance(value, str | int | float)}
    return {name.strip(): text for name, text in texts.items() if name.strip() and text.strip()}


def _text(value: Json) -> str:
    """Return a value as text: a text as it is, nothing as an empty text, anything else as JSON."""
    return "" if value is None else value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _number(value: Json) -> float | None:
    """Return a value as a float, nan where it is infinite, as an infinite score has no mean; None if it is none."""
    if isinstance(value, list | dict) or value is None:
        return None
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return None
    return math.nan if math.isinf(number) else number
