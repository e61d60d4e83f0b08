"""What a system says: ``{"id", "label", "probabilities"?}`` on each line, or a table with the columns id and label."""

from collections.abc import Mapping

from touchstone.io.jsonl import Json
from touchstone.tasks.nli.formats.records import Problem, Records, first_field, read_id, read_label
from touchstone.tasks.nli.model import LABELS, OTHER, Run

TOLERANCE = 0.001 + 1e-9
"""How far from 1 the probabilities of a pair may sum: files are written with few decimals, sums are rounded."""


def parse_run(records: Records, name: str | None = None) -> Run:
    """Return the run that *records* hold, called *name* or as its file is."""
    records.require("id", "label")
    lines, predictions = records.parse(lambda _, record: _prediction(record), "prediction")
    ids, labels = (list(column) for column in zip(*predictions, strict=True))
    return Run(name or records.source.stem, records.source, ids, labels, lines)


def _prediction(record: Mapping[str, Json]) -> tuple[str, str]:
    name = read_id(first_field(record, "id"))
    if "label" not in record:
        raise Problem(f'a prediction needs a "label"; it has {", ".join(record)}', name)
    label = read_label(record["label"], other=True)
    if record.get("probabilities") not in (None, ""):
        _check_probabilities(record["probabilities"], label)
    return name, label


def _check_probabilities(value: Json, label: str) -> None:
    """Refuse probabilities that do not sum to 1, or of which another label has the most."""
    if not isinstance(value, dict):
        raise Problem("probabilities must be an object of labels and numbers", value)
    shares = {read_label(name, other=True): _probability(share) for name, share in value.items()}
    total = sum(shares.values())
    if abs(total - 1) > TOLERANCE:
        raise Problem(f"probabilities sum to {total:.6g}, not to 1", value)
    best = max((*LABELS, OTHER), key=lambda name: shares.get(name, 0.0))
    if shares.get(label, 0.0) < shares[best]:
        raise Problem(f"the label is {label}, but the most probable one is {best}", value)


def _probability(value: Json) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise Problem("a probability must be a number from 0 to 1", value)
    return float(value)
