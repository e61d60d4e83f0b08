"""Where systems fail on contradictions: by how alike the two words are, and by how often training showed them.

Paper, sections 5.2 and 5.3: pairs whose gold is contradiction and in which one word was replaced by one word.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from touchstone.base.signature import Signature
from touchstone.base.tables import Table
from touchstone.core.results import Results, SystemRecords
from touchstone.show.finding import Finding, Statement, kind_rows
from touchstone.tasks.nli.edits import Edit, find_edit, tokens
from touchstone.tasks.nli.model import GoldSet
from touchstone.text.vectors import Matrix, read_word_vectors

if TYPE_CHECKING:
    from touchstone.show.page import Page

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


def similarity_bins(pairs: GoldSet, vectors: str | Path) -> Bins:
    r"""Return the bin of each contradiction by the cosine of its two words: below .5, then by tenths.

    Parameters
    ----------
    pairs
        The pairs; only those whose gold is contradiction count.
    vectors
        A file of word vectors: see `touchstone.text.vectors`.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from touchstone import nli
    >>> gold = nli.read_gold([
    ...     {"id": "1", "premise": "A dog runs.", "hypothesis": "An animal runs.", "label": "entailment"},
    ...     {"id": "2", "premise": "A dog runs.", "hypothesis": "A cat runs.", "label": "contradiction"},
    ... ])
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "vectors.txt"
    ...     _ = path.write_text("dog 1 0\ncat 0.8 0.6\n")
    ...     nli.similarity_bins(gold, path).bins
    ['0.8–0.9']
    """
    words = _words(pairs)
    words_with_vectors, rows, origin = read_word_vectors(vectors, {word for both in words if both for word in both})
    vector = dict(zip(words_with_vectors, rows.astype(np.float32), strict=True))
    values = [
        _cosine(vector[both[0]], vector[both[1]]) if both and vector.keys() >= set(both) else None for both in words
    ]
    edges = [f"{edge:.1f}" for edge in (*SIMILARITIES, 1.0)]
    names = [f"< {edges[0]}", *(f"{low}–{high}" for low, high in pairwise(edges)), NO_VECTOR, SEVERAL]
    places = [names.index(NO_VECTOR) if value is None else _bin(SIMILARITIES, value) for value in values]
    bins = [names[index] if both else SEVERAL for both, index in zip(words, places, strict=True)]
    return Bins("similarity", names, bins, values, origin)


def frequency_bins(pairs: GoldSet, training: Sequence[GoldSet]) -> Bins:
    """Return the bin of each contradiction by how often its two words occur in training contradictions.

    Parameters
    ----------
    pairs
        The pairs; only those whose gold is contradiction count.
    training
        The training sets, whose counts are added.

    Examples
    --------
    >>> from touchstone import nli
    >>> gold = nli.read_gold([
    ...     {"id": "1", "premise": "A dog runs.", "hypothesis": "An animal runs.", "label": "entailment"},
    ...     {"id": "2", "premise": "A dog runs.", "hypothesis": "A cat runs.", "label": "contradiction"},
    ... ])
    >>> bins = nli.frequency_bins(gold, [gold])
    >>> bins.field, list(bins.bins)
    ('frequency', ['1–4'])
    """
    words = _words(pairs)
    counts = training_counts({both for both in words if both}, training)
    values = [counts[both] if both else None for both in words]
    names = ["0", *(f"{low}–{high - 1}" for low, high in pairwise(FREQUENCIES)), f"{FREQUENCIES[-1]}+", SEVERAL]
    bins = [SEVERAL if value is None else names[_bin(FREQUENCIES, value)] for value in values]
    return Bins("frequency", names, bins, values, " + ".join(str(gold.source) for gold in training))


def _bin(starts: Sequence[float], value: float) -> int:
    return int(np.searchsorted(starts, value, "right"))


def _cosine(a: Matrix, b: Matrix) -> float:
    """Return the cosine of two vectors; nan where one of them is all zeros."""
    sizes = float(np.linalg.norm(a)) * float(np.linalg.norm(b))
    return float(a @ b) / sizes if sizes else float("nan")


def training_counts(words: Iterable[WordPair], training: Iterable[GoldSet]) -> Mapping[WordPair, int]:
    """Return in how many training contradictions the first word is in the premise and the second in the hypothesis.

    Lower-cased tokens, no lemmas; a training pair counts once.
    """
    counts = dict.fromkeys(words, 0)
    partners: dict[str, set[str]] = {}
    for first, second in counts:
        partners.setdefault(first, set()).add(second)
    for pair in (pair for gold in training for pair in gold.pairs if pair.gold == "contradiction"):
        hypothesis = set(tokens(pair.hypothesis))
        for first in partners.keys() & set(tokens(pair.premise)):
            for second in partners[first] & hypothesis:
                counts[first, second] += 1
    return counts


def breakdown(results: Results, bins: Bins) -> Results:
    """Return accuracy on the contradictions of *results*, grouped by *bins*: the measure ``accuracy/FIELD``.

    Parameters
    ----------
    results
        The result of ``nli.score``.
    bins
        What `similarity_bins` or `frequency_bins` gave for the same pairs.

    Examples
    --------
    >>> from touchstone import nli
    >>> gold = nli.read_gold([
    ...     {"id": "1", "premise": "A dog runs.", "hypothesis": "An animal runs.", "label": "entailment"},
    ...     {"id": "2", "premise": "A dog runs.", "hypothesis": "A cat runs.", "label": "contradiction"},
    ... ])
    >>> results = nli.score(gold, {"bert": {"1": "neutral", "2": "contradiction"}}, ["accuracy"])
    >>> [row.value for row in nli.breakdown(results, nli.frequency_bins(gold, [gold])).rows if row.system == "bert"]
    [1.0, 1.0]
    """
    gold = results.items_known.column("gold").to_pylist()
    rows = np.flatnonzero([label == "contradiction" for label in gold])
    name = f"accuracy/{bins.field}"
    accuracy = results.measure("accuracy")
    contradictions = results.items_known.take(rows).append_column(bins.field, pa.array(bins.bins, pa.string()))
    value_name = {"similarity": "cosine", "frequency": "training_count"}[bins.field]
    return replace(
        results,
        measures=[replace(accuracy, name=name)],
        systems=[
            SystemRecords(system.system, {name: system.records[accuracy.name][rows]}, system.facts.take(rows))
            for system in results.systems
        ],
        items_known=contradictions.append_column(value_name, pa.array(bins.values)),
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


@dataclass(frozen=True, eq=False, repr=False)
class Breakdowns(Finding):
    """Breakdowns of the same *results* by several fields."""

    results: Results
    breakdowns: Sequence[Results]

    @property
    def items(self) -> pa.Table:
        """The items of all breakdowns as one table."""
        table, *others = (results.items.to_arrow() for results in self.breakdowns)
        for other in others:
            for name in (name for name in other.column_names if name not in table.column_names):
                table = table.append_column(name, other.column(name))
        return table

    @property
    def signature(self) -> Signature:
        """All that the numbers depend on."""
        merged = {key: value for results in self.breakdowns for key, value in results.signature.items()}
        return {**merged, "measures": ", ".join(results.signature["measures"] for results in self.breakdowns)}

    def statement(self) -> Statement:
        """Return the accuracy in each bin of each field."""
        return Statement(
            "Accuracy on contradictions",
            [breakdown_table(results) for results in self.breakdowns],
            kind_rows("value", (row.to_dict() for results in self.breakdowns for row in results.rows)),
            notes=self.results.notes,
            signature=self.signature,
        )

    def page(self) -> "Page":
        """Return the report of the scoring with a section for each breakdown."""
        from touchstone.tasks.nli.report import breakdown_page

        return breakdown_page(self.results, self.breakdowns)


def breakdown_table(breakdown: Results) -> Table:
    """Return the accuracy in each bin of a breakdown; a note names the bins that have no pair.

    Parameters
    ----------
    breakdown
        The result of `breakdown`.

    Examples
    --------
    >>> from touchstone import nli
    >>> gold = nli.read_gold([
    ...     {"id": "1", "premise": "A dog runs.", "hypothesis": "An animal runs.", "label": "entailment"},
    ...     {"id": "2", "premise": "A dog runs.", "hypothesis": "A cat runs.", "label": "contradiction"},
    ... ])
    >>> results = nli.score(gold, {"bert": {"1": "neutral", "2": "contradiction"}}, ["accuracy"])
    >>> len(nli.breakdown_table(nli.breakdown(results, nli.frequency_bins(gold, [gold]))).rows)
    2
    """
    table = breakdown.table()
    filled = {row.group for row in breakdown.rows}
    empty = [name for name in breakdown.group_names if name not in filled]
    return replace(table, notes=[*table.notes, f"no contradictions in: {', '.join(empty)}"]) if empty else table


def _words(pairs: GoldSet) -> list[WordPair | None]:
    """Return the two words of each contradiction, None if the edit is not one word for one."""
    edits: Iterable[Edit | None] = (find_edit(pair) for pair in pairs.pairs if pair.gold == "contradiction")
    return [edit.words if edit else None for edit in edits]
