"""Segment scores of COMET (``comet-score --to_json``): a row for each segment of each system."""

import math
from pathlib import Path

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.io.jsonl import Json
from touchstone.tasks.items.logs import Log, Row, as_number, as_text, short_fields
from touchstone.tasks.items.tools import Tool, ToolFile


def recognise(file: ToolFile) -> bool:
    """Return whether a file has the segments of systems."""
    systems = file.value.values() if isinstance(file.value, dict) else ()
    return any(isinstance(segments, list) and any(map(_is_segment, segments)) for segments in systems)


def read(file: ToolFile) -> list[Log]:
    """Return the systems of a file, with a row for each segment."""
    assert isinstance(file.value, dict)
    systems, source = file.value, file.source
    stems = [Path(name).stem for name in systems]
    names = stems if len(set(stems)) == len(stems) and all(stems) else list(systems)
    logs = []
    for name, segments in zip(names, systems.values(), strict=True):
        rows: list[Row] = []
        if not isinstance(segments, list) or not segments:
            raise TouchstoneError("a system has no segments", file=source.name, value=name, code=Code.EMPTY)
        for number, segment in enumerate(segments, 1):
            segment_fields = segment if isinstance(segment, dict) else {}
            value = as_number(segment_fields.get("COMET"))
            if value is None or math.isnan(value):
                what = f"segment {number} has no score"
                raise TouchstoneError(what, file=source.name, value=name, code=Code.BAD_CELL)
            fields = short_fields({"src": segment_fields.get("src"), "ref": segment_fields.get("ref")})
            rows.append(Row(str(number), number, {("COMET", ""): value}, fields, (as_text(segment_fields.get("src")),)))
        logs.append(Log(source, name, rows, "source"))
    return logs


def _is_segment(segment: Json) -> bool:
    return isinstance(segment, dict) and {"mt", "COMET"} <= segment.keys()


TOOL = Tool(recognise, read)
