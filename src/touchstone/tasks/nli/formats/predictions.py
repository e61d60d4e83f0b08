"""What a system says: ``{"id", "label", "probabilities"?}`` to a line, or a table with the columns id and label."""

from collections.abc import Mapping

from touchstone.core.errors import Fault, TouchstoneError
from touchstone.io.jsonl import Json, parse_objects
from touchstone.io.text import Source, lines
from touchstone.tasks.nli.formats.fields import NAMES, Problem, read_id, read_label
from touchstone.tasks.nli.formats.pairs import Record, missing_column, table_rows
from touchstone.tasks.nli.model import LABELS, OTHER, Run

ROUNDING = 1e-9
TOLERANCE = 0.001
"""How far from 1 the probabilities of a pair may sum: files are written with few decimals."""


def read_jsonl(text: str, source: Source, system: str | None) -> Run:
    """Read a prediction to a line."""
    faults: list[Fault] = []
    return _run(list(parse_objects(text, file=source.name, faults=faults)), source, system, faults)


def read_tsv(text: str, source: Source, system: str | None) -> Run:
    """Read a table with the columns id and label."""
    header = next(line for _, line in lines(text)).split("\t")
    for name in ("id", "label"):
        if not {name, *NAMES.get(name, ())} & set(header):
            raise missing_column(name, header, source.name)
    faults: list[Fault] = []
    return _run(list(table_rows(text, source.name, faults)), source, system, faults)


def _run(records: list[Record], source: Source, system: str | None, faults: list[Fault]) -> Run:
    found: list[tuple[int, str, str]] = []
    for line, record in records:
        try:
            found.append((line, *_prediction(record)))
        except Problem as problem:
            faults.append(problem.at(source.name, line))
    if faults:
        raise TouchstoneError.of(faults)
    if not found:
        raise TouchstoneError("no prediction in it", file=source.name)
    numbers, ids, labels = (list(column) for column in zip(*found, strict=True))
    return Run(system or source.stem, source, ids, labels, numbers)


def _prediction(record: Mapping[str, Json]) -> tuple[str, str]:
    name = read_id(next((record[key] for key in NAMES["id"] if key in record), None))
    if "label" not in record:
        raise Problem(f'a prediction needs a "label"; it has {", ".join(record)}', name)
    label = read_label(record["label"], other=True)
    if record.get("probabilities") is not None:
        _check_probabilities(record["probabilities"], label)
    return name, label


def _check_probabilities(value: Json, label: str) -> None:
    """Refuse probabilities that do not sum to 1, or of which another label has the most."""
    if not isinstance(value, dict):
        raise Problem("probabilities must be an object of labels and numbers", value)
    shares = {read_label(name, other=True): _share(share) for name, share in value.items()}
    total = sum(shares.values())
    if abs(total - 1) > TOLERANCE + ROUNDING:
        raise Problem(f"probabilities sum to {total:.6g}, not to 1", value)
    best = max((*LABELS, OTHER), key=lambda name: shares.get(name, 0.0))
    if shares.get(label, 0.0) < shares[best]:
        raise Problem(f"the label is {label}, but the most probable one is {best}", value)


def _share(value: Json) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise Problem("a probability must be a number from 0 to 1", value)
    return float(value)
