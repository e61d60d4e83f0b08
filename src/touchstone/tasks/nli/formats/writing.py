"""Pairs and predictions, written as JSONL or as tables."""

from collections.abc import Iterable, Mapping, Sequence

from touchstone.core.errors import Fault, TouchstoneError
from touchstone.io.jsonl import Json, format_objects
from touchstone.tasks.nli.model import NO_MAJORITY, Pair, Run, Span, Spelling

_OURS = ("id", "premise", "hypothesis", "gold", "annotators")
_SNLI = ("pairID", "sentence1", "sentence2", "gold_label", "annotator_labels")


def pairs_as_jsonl(pairs: Sequence[Pair], spelling: Spelling) -> str:
    """Return a pair to a line in the names of SNLI or ours, with whatever else its file said."""
    return format_objects(pair_object(pair, spelling) for pair in pairs)


def pairs_as_tsv(pairs: Sequence[Pair], spelling: Spelling) -> str:
    """Return a table of the fields that one line of text can hold."""
    columns = [*(_OURS if spelling == "touchstone" else _SNLI), "category"]
    rows = (
        (
            pair.id,
            pair.premise,
            pair.hypothesis,
            pair.gold or NO_MAJORITY,
            " ".join(pair.annotators),
            pair.category or "",
        )
        for pair in pairs
    )
    return _table(columns, rows)


def run_as_jsonl(run: Run) -> str:
    """Return a prediction to a line."""
    return format_objects({"id": name, "label": label} for name, label in zip(run.ids, run.labels, strict=True))


def run_as_tsv(run: Run) -> str:
    """Return a table with the columns id and label."""
    return _table(["id", "label"], zip(run.ids, run.labels, strict=True))


def pair_object(pair: Pair, spelling: Spelling) -> dict[str, Json]:
    """Return a pair as JSON; what is not known of it is left out, and no majority is null, or ``-`` in SNLI's names."""
    names = _OURS if spelling == "touchstone" else _SNLI
    gold: Json = pair.gold or (None if spelling == "touchstone" else NO_MAJORITY)
    values: list[Json] = [pair.id, pair.premise, pair.hypothesis, gold, list(pair.annotators)]
    known: Mapping[str, Json] = {
        "category": pair.category,
        "replaced": _spans(pair.replaced),
        "replacement": _spans(pair.replacement),
        "relation": pair.relation,
        "provenance": None if pair.provenance is None else dict(pair.provenance),
    }
    whole = dict(zip(names, values, strict=True)) | {key: value for key, value in known.items() if value is not None}
    return whole | dict(pair.rest)


def _spans(spans: Sequence[Span]) -> Json:
    return [{"text": span.text, "start": span.start, "end": span.end} for span in spans] or None


def _table(columns: Sequence[str], rows: Iterable[tuple[str, ...]]) -> str:
    faults, lines = [], ["\t".join(columns)]
    for row in rows:
        broken = next((cell for cell in row if any(c in cell for c in "\t\n\r")), None)
        if broken is not None:
            faults.append(Fault("a table of lines cannot hold this text", value=broken))
        lines.append("\t".join(map(_quoted, row)))
    if faults:
        raise TouchstoneError.of(faults, "write .jsonl instead")
    return "\n".join(lines) + "\n"


def _quoted(cell: str) -> str:
    """Return *cell* so that reading gives it back: only one that begins and ends with a quote needs quotes."""
    enclosed = len(cell) > 1 and cell.startswith('"') and cell.endswith('"')
    return '"' + cell.replace('"', '""') + '"' if enclosed else cell
