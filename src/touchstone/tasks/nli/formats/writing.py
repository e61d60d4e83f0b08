"""Pairs and runs as text: JSONL, TSV or CSV."""

import json
from collections.abc import Mapping, Sequence

from touchstone.io.jsonl import Json, format_objects
from touchstone.io.writing import CELL_SUFFIXES, format_cells
from touchstone.tasks.nli.about import Spelling
from touchstone.tasks.nli.formats.pairs import NAMES
from touchstone.tasks.nli.model import DISCARDED, KEPT_OF, NO_MAJORITY, Pair, Run, Span

SUFFIXES = (".jsonl", *CELL_SUFFIXES)
"""The suffixes of the formats that are written."""

_NAMES: Mapping[Spelling, tuple[str, ...]] = {
    "touchstone": ("id", "premise", "hypothesis", "gold", "annotators"),
    "snli": ("pairID", "sentence1", "sentence2", "gold_label", "annotator_labels"),
}


def format_pairs(pairs: Sequence[Pair], spelling: Spelling, suffix: str = ".jsonl") -> str:
    """Return pairs as text.

    Parameters
    ----------
    pairs
        The pairs, in order.
    spelling
        Whose names the fields have: SNLI's or Touchstone's.
    suffix
        The suffix of the format. JSONL has all that a file said about a pair, a table only what fits into its cells.
    """
    if suffix == ".jsonl":
        return format_objects(pair_object(pair, spelling) for pair in pairs)
    columns = {
        **dict(zip(_NAMES[spelling], zip(*map(_cells, pairs), strict=True), strict=True)),
        "category": [pair.category or "" for pair in pairs],
        NAMES: [json.dumps(pair.rest[NAMES], ensure_ascii=False) if NAMES in pair.rest else "" for pair in pairs],
        **{name: [str(pair.rest.get(name, "")) for pair in pairs] for name in (KEPT_OF, DISCARDED)},
    }
    needless = {NAMES, KEPT_OF, DISCARDED, *(_NAMES[spelling][1:3] if not any(pair.premise for pair in pairs) else ())}
    filled = {name: cells for name, cells in columns.items() if name not in needless or any(cells)}
    return format_cells([tuple(filled), *zip(*filled.values(), strict=True)], suffix)


def _cells(pair: Pair) -> tuple[str, ...]:
    return pair.id, pair.premise, pair.hypothesis, pair.gold or NO_MAJORITY, " ".join(pair.annotators)


def format_run(run: Run, suffix: str = ".jsonl") -> str:
    """Return a run as text, in the format of *suffix*."""
    rows = list(zip(run.ids, run.labels, strict=True))
    if suffix == ".jsonl":
        return format_objects({"id": name, "label": label} for name, label in rows)
    return format_cells([("id", "label"), *rows], suffix)


def pair_object(pair: Pair, spelling: Spelling) -> dict[str, Json]:
    """Return a pair as JSON: unknown fields are left out; no majority is null, or ``-`` in SNLI's names."""
    gold: Json = pair.gold or (None if spelling == "touchstone" else NO_MAJORITY)
    values: list[Json] = [pair.id, pair.premise, pair.hypothesis, gold, list(pair.annotators)]
    optional: Mapping[str, Json] = {
        "category": pair.category,
        "replaced": _span_objects(pair.replaced),
        "replacement": _span_objects(pair.replacement),
        "relation": pair.relation,
        "provenance": None if pair.provenance is None else dict(pair.provenance),
    }
    present = {key: value for key, value in optional.items() if value is not None}
    named = dict(zip(_NAMES[spelling], values, strict=True))
    if not pair.premise and not pair.hypothesis:  # labels alone
        named = {name: value for name, value in named.items() if value != ""}
    return named | present | dict(pair.rest)


def _span_objects(spans: Sequence[Span]) -> Json:
    return [{"text": span.text, "start": span.start, "end": span.end} for span in spans] or None
