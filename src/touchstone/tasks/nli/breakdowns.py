"""Where systems fail on contradictions: by how alike the two words are, and by how often training showed them.

Paper, sections 5.2 and 5.3: pairs whose gold is contradiction and in which one word was replaced by one word.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pyarrow as pa

from touchstone.core.results import Results, SystemRecords
from touchstone.tasks.nli.edits import Edit, find_edit, tokens
from touchstone.tasks.nli.model import PairSet
from touchstone.tasks.nli.vectors import cosine, read_vectors

SIMILARITIES = (0.5, 0.6, 0.7, 0.8, 0.9)
"""Where the bins of cosine begin (paper, section 5.2); the first holds everything below."""

FREQUENCIES = (1, 5, 10, 50, 100)
"""Where the bins of training counts begin (paper, section 5.3); the first holds 0."""

SEVERAL, NO_VECTOR = "several words", "no vector"

WordPair = tuple[str, str]


@dataclass(frozen=True)
class Bins:
    """A field that pairs are grouped by: the bin of each, the names of all in order, and the value behind it."""

    field: str
    names: Sequence[str]
    bins: Sequence[str]
    values: Sequence[float | int | None]
    origin: str


def similarity_bins(pairs: PairSet, vectors: str | Path) -> Bins:
    """Return the bin of each contradiction by the cosine of its two words: below .5, then by tenths."""
    words = _words(pairs)
    found, origin = read_vectors(vectors, {word for both in words if both for word in both})
    values = [cosine(found[w[0]], found[w[1]]) if w and w[0] in found and w[1] in found else None for w in words]
    edges = [f"{edge:.1f}" for edge in (*SIMILARITIES, 1.0)]
    names = [f"< {edges[0]}", *(f"{low}–{high}" for low, high in pairwise(edges)), NO_VECTOR, SEVERAL]
    bins = [
        SEVERAL
        if w is None
        else NO_VECTOR
        if value is None
        else names[int(np.searchsorted(SIMILARITIES, value, "right"))]
        for w, value in zip(words, values, strict=True)
    ]
    return Bins("similarity", names, bins, values, origin)


def frequency_bins(pairs: PairSet, training: Sequence[PairSet]) -> Bins:
    """Return the bin of each contradiction by how often its two words stand in training contradictions."""
    words = _words(pairs)
    counts = training_counts({both for both in words if both}, training)
    values = [counts[both] if both else None for both in words]
    names = ["0", *(f"{low}–{high - 1}" for low, high in pairwise(FREQUENCIES)), f"{FREQUENCIES[-1]}+", SEVERAL]
    bins = [SEVERAL if value is None else names[int(np.searchsorted(FREQUENCIES, value, "right"))] for value in values]
    return Bins("frequency", names, bins, values, " + ".join(str(one.source) for one in training))


def training_counts(words: Iterable[WordPair], training: Iterable[PairSet]) -> Mapping[WordPair, int]:
    """Return in how many training contradictions the first word is in the premise and the second in the hypothesis.

    Lower-cased tokens, no lemmas; a training pair counts once.
    """
    counts = dict.fromkeys(words, 0)
    partners: dict[str, set[str]] = {}
    for first, second in counts:
        partners.setdefault(first, set()).add(second)
    for pair in (pair for one in training for pair in one.pairs if pair.gold == "contradiction"):
        hypothesis = set(tokens(pair.hypothesis))
        for first in partners.keys() & set(tokens(pair.premise)):
            for second in partners[first] & hypothesis:
                counts[first, second] += 1
    return counts


def breakdown(results: Results, bins: Bins) -> Results:
    """Return accuracy on the contradictions of *results*, grouped by *bins*: the measure ``accuracy/FIELD``."""
    gold = results.items_known.column("gold").to_pylist()
    rows = np.flatnonzero([label == "contradiction" for label in gold])
    name = f"accuracy/{bins.field}"
    accuracy = results.measure("accuracy")
    known = results.items_known.take(rows).append_column(bins.field, pa.array(bins.bins, pa.string()))
    value_name = {"similarity": "cosine", "frequency": "training_count"}[bins.field]
    return replace(
        results,
        measures=[replace(accuracy, name=name)],
        systems=[
            SystemRecords(one.system, {name: one.records[accuracy.name][rows]}, one.facts.take(rows))
            for one in results.systems
        ],
        items_known=known.append_column(value_name, pa.array(bins.values)),
        signature={
            **results.signature,
            "measures": name,
            "items": f"{len(rows)} contradictions",
            bins.field: bins.origin,
        },
        by=bins.field,
        group_names={bin_: bin_ for bin_ in bins.names},
        notes=[],
    )


def joined_items(found: Sequence[Results]) -> pa.Table:
    """Return the items of several breakdowns of the same results as one table."""
    table, *others = (one.items.to_arrow() for one in found)
    for other in others:
        for name in (name for name in other.column_names if name not in table.column_names):
            table = table.append_column(name, other.column(name))
    return table


def joined_json(found: Sequence[Results]) -> str:
    """Return several breakdowns of the same results as one JSON object."""
    rows = [row for one in found for row in json.loads(one.to_json())["results"]]
    whole = {"signature": joined_signature(found), "results": rows}
    return json.dumps(whole, ensure_ascii=False, indent=2)


def joined_signature(found: Sequence[Results]) -> dict[str, str]:
    """Return what several breakdowns of the same results depend on."""
    whole = {key: value for one in found for key, value in one.signature.items()}
    return {**whole, "measures": ", ".join(one.signature["measures"] for one in found)}


def _words(pairs: PairSet) -> list[WordPair | None]:
    """Return the two words of each contradiction, None where the edit is not one word for one."""
    edits: Iterable[Edit | None] = (find_edit(pair) for pair in pairs.pairs if pair.gold == "contradiction")
    return [edit.words if edit else None for edit in edits]
