"""Sample files of lm-evaluation-harness, ``samples_TASK_DATE.jsonl``: a row for each document."""

import math
import re
from dataclasses import replace
from pathlib import Path

from touchstone.base.codes import Code
from touchstone.base.errors import Fault, refuse
from touchstone.base.files import Source, unpacked_name
from touchstone.io.jsonl import Json, parse_json, parse_objects
from touchstone.tasks.items.logs import Log, Object, Row, as_number, as_text, scored_rows, short_fields
from touchstone.tasks.items.tools import Tool, ToolFile

SAMPLES = re.compile(r"samples_(?P<task>.+)_(?P<date>\d{4}-\d{2}-\d{2}T[\d.-]+)")
"""The name of a sample file without its suffix."""


def recognise(file: ToolFile) -> bool:
    """Return whether a file holds samples, or the results of whole evaluations."""
    return _holds_samples(file) or _is_overview(file.value)


def read(file: ToolFile) -> list[Log]:
    """Return the log of a file of samples; none for results of whole evaluations."""
    return [_parse_samples(file.text, file.source, file.system)] if _holds_samples(file) else []


def _holds_samples(file: ToolFile) -> bool:
    return _is_sample(file.first) or _is_sample(file.value)


def _is_overview(value: Json) -> bool:
    return isinstance(value, dict) and {"results", "model_name"} <= value.keys()


def _is_sample(value: Json) -> bool:
    return isinstance(value, dict) and {"doc_id", "doc", "filtered_resps"} <= value.keys()


def _parse_samples(text: str, source: Source, name: str) -> Log:
    """Return a file of samples: a row for each document, with the metrics of all filters."""
    faults: list[Fault] = []
    path = Path(unpacked_name(source.name))
    name_match = SAMPLES.fullmatch(path.stem)
    rows: dict[str, Row] = {}
    line_by_key: dict[tuple[str, str], int] = {}
    skipped: set[str] = set()
    # A sample has a line for each filter; their values become columns of one row.
    for line, sample in parse_objects(text, file=source.name, faults=faults):
        number, chosen = sample.get("doc_id"), as_text(sample.get("filter") or "none")
        if not isinstance(number, int | str) or not as_text(number).strip():
            faults.append(Fault("no doc_id", source.name, line, code=Code.MISSING_ID))
            continue
        item = as_text(number).strip()
        first = line_by_key.setdefault((item, chosen), line)
        if first != line:
            what = f"duplicate doc_id (first seen on line {first})"
            faults.append(Fault(what, source.name, line, item, kind="id", code=Code.DUPLICATE_ID))
            continue
        values = {(metric, chosen): value for metric, value in _metrics(sample, skipped).items()}
        doc = sample.get("doc")
        fields = short_fields({**(doc if isinstance(doc, dict) else {}), "target": sample.get("target")})
        content = (as_text(sample.get("doc_hash") or doc),)
        row = rows.get(item) or Row(item, line, {}, fields, content)
        rows[item] = replace(row, values={**row.values, **values})
    refuse(faults, "write the file anew with: lm_eval --log_samples")
    notes = [f"{metric} is left out: its values are no numbers" for metric in sorted(skipped)]
    scored = scored_rows(rows.values(), skipped, source, notes, "run lm_eval without --predict_only")
    if not name_match:  # a file that was renamed: its name is the system's
        return Log(source, name, scored, "document", notes=tuple(notes))
    settings = {"run": name_match["date"], "folder": path.absolute().parent.parent.name}
    model = _model(path, name_match["date"])
    return Log(source, model, scored, "document", name_match["task"], settings, prefixed=True, notes=tuple(notes))


def _metrics(sample: Object, skipped: set[str]) -> dict[str, float]:
    """Return the metrics of a sample that are numbers; add the names of others to *skipped*."""
    names = sample.get("metrics")
    sample_fields = ("doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "filter", "doc_hash",
                     "prompt_hash", "target_hash")  # fmt: skip
    listed = names if isinstance(names, list) else [name for name in sample if name not in sample_fields]
    values: dict[str, float] = {}
    for name in map(str, listed):
        value = sample.get(name)
        number = None if isinstance(value, str) else as_number(value)
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


TOOL = Tool(recognise, read)
