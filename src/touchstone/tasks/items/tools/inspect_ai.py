"""Logs of inspect_ai, ``.eval`` and ``.json``: a row for each sample, with the mean of its epochs."""

import math
import re
import struct
import zipfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from io import BytesIO
from pathlib import Path
from statistics import fmean

import pyarrow as pa

from touchstone.base.codes import Code
from touchstone.base.errors import Fault, TouchstoneError, refuse, visible
from touchstone.base.files import Source
from touchstone.io.jsonl import Json, parse_json
from touchstone.io.text import decode
from touchstone.tasks.items.logs import Log, Object, Row, as_number, as_text, scored_rows, short_fields
from touchstone.tasks.items.tools import Tool, ToolFile

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

UNREADABLE = re.compile(r'\s*\{\s*"version"\s*:.{0,200}"eval"\s*:\s*\{', re.DOTALL)
"""The beginning of a log that is no JSON as a whole, since it was cut off."""


def recognise(file: ToolFile) -> bool:
    """Return whether a file is a log, or lists evaluations, as eval-set.json and logs.json do."""
    if file.source.name.endswith(".eval"):
        return True
    if file.raw.startswith(b"PK"):
        try:
            with zipfile.ZipFile(BytesIO(file.raw)) as archive:
                return not {"_journal/start.json", "header.json"}.isdisjoint(archive.namelist())
        except BROKEN:
            return False
    value = file.value
    cut_off = file.first is None and value is None and UNREADABLE.match(file.text) is not None
    return cut_off or _is_log(value) or _is_overview(value)


def read(file: ToolFile) -> list[Log]:
    """Return the log that a file holds; none where it lists evaluations."""
    if file.binary:
        return [_read_zip(file.raw, file.source)]
    value = file.value if file.value is not None else parse_json(file.text, file=file.source.name)
    assert isinstance(value, dict)
    return [_inspect_log(value, value.get("samples"), file.source)] if _is_log(value) else []


def _is_log(value: Json) -> bool:
    return isinstance(value, dict) and {"eval", "status"} <= value.keys()


def _is_overview(value: Json) -> bool:
    if not isinstance(value, dict):
        return False
    return {"eval_set_id", "tasks"} <= value.keys() or (bool(value) and all(map(_is_log, value.values())))


def _read_zip(raw: bytes, source: Source) -> Log:
    """Return the log in a zip file."""
    try:
        with zipfile.ZipFile(BytesIO(raw)) as archive:
            names = {info.filename: info for info in archive.infolist()}
            if "_journal/start.json" in names and "header.json" not in names:
                raise _unfinished(source, "started")
            if "header.json" not in names:
                what = "is a zip file, but no log of inspect_ai"
                raise TouchstoneError(what, file=source.name, code=Code.UNKNOWN_FORMAT)
            header = _member(archive, names["header.json"], raw, source)
            samples = _member(archive, names["summaries.json"], raw, source) if "summaries.json" in names else None
    except BROKEN:
        hint = "copy it again, or write it again with: inspect log convert --to eval"
        what = "is not a whole zip file, as logs of inspect_ai are"
        raise TouchstoneError(what, file=source.name, code=Code.UNREADABLE, hint=hint) from None
    if not isinstance(header, dict):
        raise TouchstoneError("is no log of inspect_ai", file=source.name, line="header.json", code=Code.UNREADABLE)
    return _inspect_log(header, samples, source)


def _member(archive: zipfile.ZipFile, info: zipfile.ZipInfo, raw: bytes, source: Source) -> Json:
    """Return the JSON of one member; refuse what would fill the memory."""
    size, factor = SUSPICIOUS
    if info.file_size > UNPACKED or (info.file_size > size and info.file_size > factor * info.compress_size):
        what = f"unpacks to {info.file_size / 2**20:,.0f} MiB, which is too much for a log"
        raise TouchstoneError(what, file=source.name, line=info.filename, code=Code.TOO_LARGE)
    if info.compress_type == ZSTANDARD:
        data = _unpack_zstandard(info, raw)
    elif info.compress_type in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        data = archive.read(info)
    else:
        hint = "write it again with: inspect log convert --to eval"
        what = "is packed by a method that is not known"
        raise TouchstoneError(what, file=source.name, line=info.filename, code=Code.UNKNOWN_FORMAT, hint=hint)
    member_name = f"{source.name}:{info.filename}"
    return parse_json(decode(data, member_name), file=member_name)


def _unpack_zstandard(info: zipfile.ZipInfo, raw: bytes) -> bytes:
    """Return the bytes of a member; the local header before it has 30 bytes and two texts of varying length."""
    # The local header may have another length than the entry of the directory (PKWARE APPNOTE, 4.3.7).
    names, extra = struct.unpack_from("<HH", raw, info.header_offset + 26)
    start = info.header_offset + 30 + names + extra
    stream = pa.CompressedInputStream(pa.BufferReader(raw[start : start + info.compress_size]), "zstd")
    data = bytearray()
    # One chunk beyond the declared size is enough to see that it is wrong; a bomb is not unpacked further.
    while len(data) <= info.file_size and (more := stream.read(2**20)):
        data += more
    if len(data) != info.file_size or zlib.crc32(data) != info.CRC:
        raise zipfile.BadZipFile
    return bytes(data)


def _unfinished(source: Source, status: str, message: str = "") -> TouchstoneError:
    what = f"the evaluation did not finish (status {status!r}{': ' + visible(message[:200]) if message else ''})"
    return TouchstoneError(
        what,
        file=source.name,
        code=Code.UNREADABLE,
        hint=f"finish it with: inspect eval-retry {Path(source.name).name}",
    )


def _inspect_log(header: Object, samples: Json, source: Source) -> Log:
    """Return a log of inspect_ai: a row for each sample, with the mean of its epochs."""
    spec, status, error = header.get("eval"), header.get("status"), header.get("error")
    if not isinstance(spec, dict) or not all(isinstance(spec.get(name), str) for name in ("model", "task")):
        raise TouchstoneError("does not say which model and task it is about", file=source.name, code=Code.UNREADABLE)
    if status != "success":
        raise _unfinished(source, as_text(status), as_text(error.get("message")) if isinstance(error, dict) else "")
    if not isinstance(samples, list) or not samples:
        hint = "run inspect eval without --no-log-samples"
        raise TouchstoneError("holds no samples", file=source.name, code=Code.EMPTY, hint=hint)
    epochs = _epochs(samples, source)
    notes = list(_epoch_notes(epochs, spec.get("config")))
    rows, left_out = [], dict[str, str]()
    for item, repeats in epochs.items():
        scores = [_scores(sample.get("scores"), left_out) for _, sample in repeats]
        names = dict.fromkeys(name for epoch_scores in scores for name in epoch_scores)
        values = {
            (name, ""): fmean(epoch_scores[name] for epoch_scores in scores if name in epoch_scores) for name in names
        }
        line, sample = repeats[0]
        content = (_message_text(sample.get("input"))[:1000], as_text(sample.get("target"))[:1000])
        rows.append(Row(item, line, values, _sample_fields(sample), content))
    notes += [f"{name} is left out: its values are no numbers (such as {v!r})" for name, v in left_out.items()]
    scored = scored_rows(rows, left_out, source, notes, "score the log with: inspect score")
    settings = _inspect_settings(spec, header.get("plan"))
    return Log(source, str(spec["model"]), scored, "input", str(spec["task"]), settings, notes=tuple(notes))


def _epochs(samples: Sequence[Json], source: Source) -> dict[str, list[tuple[int, Object]]]:
    """Return the samples with the same id, which are epochs of one; refuse an epoch that is there twice."""
    sample_by_epoch: dict[tuple[str, str], tuple[int, Object]] = {}
    faults = []
    for number, sample in enumerate(samples, 1):
        if not isinstance(sample, dict) or not isinstance(sample.get("id"), int | str) or not as_text(sample["id"]):
            faults.append(Fault(f"sample {number} has no id", source.name, code=Code.MISSING_ID))
            continue
        key = as_text(sample["id"]).strip(), as_text(sample.get("epoch"))
        if key in sample_by_epoch and not sample_by_epoch[key][1].get("error"):  # a sample that failed was run again
            what = f"sample {number} has the id and epoch of an earlier one"
            faults.append(Fault(what, source.name, value=key[0], code=Code.DUPLICATE_ID))
        sample_by_epoch[key] = number, sample
    refuse(faults, "every sample needs an id of its own")
    epochs: dict[str, list[tuple[int, Object]]] = {}
    for (item, _), numbered in sample_by_epoch.items():
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
        scorer_value = score.get("value") if isinstance(score, dict) else None
        parts = (
            {f"{scorer}.{key}": part for key, part in scorer_value.items()}
            if isinstance(scorer_value, dict)
            else {scorer: scorer_value}
        )
        for name, part in parts.items():
            value = _score_value(part)
            if value is None:
                left_out.setdefault(name, as_text(part)[:40])
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
        letter_value = LETTERS.get(value, LETTERS.get(value.lower()) if len(value) > 1 else None)
        if letter_value is not None:
            return letter_value
    number = as_number(value)
    return None if number is None or (isinstance(value, str) and math.isnan(number)) else number


def _sample_fields(sample: Object) -> dict[str, str]:
    metadata = sample.get("metadata")
    named = {name: sample.get(name) for name in ("input", "target")}
    return short_fields({**(metadata if isinstance(metadata, dict) else {}), **named})


def _message_text(value: Json) -> str:
    """Return the text of an input: a text, or messages whose contents are texts or parts with a text."""
    if not isinstance(value, list):
        return as_text(value)
    contents = [message.get("content") for message in value if isinstance(message, dict)]
    parts = [part for content in contents for part in (content if isinstance(content, list) else [content])]
    return "\n".join(as_text(part.get("text") if isinstance(part, dict) else part) for part in parts)


def _inspect_settings(spec: Object, plan: Json) -> dict[str, str]:
    """Return what may tell two evaluations of the same model and task apart."""
    steps = plan.get("steps") if isinstance(plan, dict) else None
    chain = [as_text(step.get("solver")) for step in steps if isinstance(step, dict)] if isinstance(steps, list) else []
    settings: dict[str, Json] = {"solver": spec.get("solver") or "+".join(chain)}
    for name in ("solver_args_passed", "task_args_passed", "model_args", "model_generate_config"):
        arguments = spec.get(name)
        settings |= arguments if isinstance(arguments, dict) else {}
    settings["version"] = spec.get("task_version")
    return {name: as_text(value)[:60] for name, value in settings.items()}


TOOL = Tool(recognise, read, (b"PK", b"{"))
