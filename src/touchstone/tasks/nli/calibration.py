"""Whether probabilities can be believed: accuracy in each bin of confidence, with its interval."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.base.tables import Cell, Column, Table
from touchstone.core.measures import Measure
from touchstone.core.resampling import interval_text, intervals
from touchstone.core.results import Results
from touchstone.stats.records import mean, mean_records
from touchstone.tasks.nli.measures import confidence_bins

BINS = 10


@dataclass(frozen=True)
class Bin:
    """The pairs of one system whose confidence is in (*start*, *end*]: how many, how confident, how often right."""

    system: str
    start: float
    end: float
    n: int
    confidence: float
    accuracy: float
    low: float
    high: float


def reliability(results: Results, bins: int = BINS) -> list[Bin]:
    """Return the bins of confidence of each system that gives probabilities, without the empty ones.

    Parameters
    ----------
    results
        The result of ``nli.score``. Intervals of accuracy are computed as those of the results.
    bins
        How many bins of equal width there are.

    Examples
    --------
    >>> from touchstone import nli
    >>> gold = nli.read_gold([
    ...     {"id": "1", "premise": "A dog runs.", "hypothesis": "An animal runs.", "label": "entailment"},
    ...     {"id": "2", "premise": "A dog runs.", "hypothesis": "A cat runs.", "label": "contradiction"},
    ... ])
    >>> shares = [{"entailment": 0.9, "neutral": 0.1, "contradiction": 0.0}, {"entailment": 0.7, "neutral": 0.3}]
    >>> rows = [{"id": str(n), "probabilities": each} for n, each in enumerate(shares, 1)]
    >>> results = nli.score(gold, {"bert": rows}, ["accuracy"])
    >>> [(round(b.confidence, 1), b.accuracy) for b in nli.reliability(results, bins=5) if b.system == "bert"]
    [(0.7, 0.0), (0.9, 1.0)]
    """
    with_probabilities = [system for system in results.systems if "confidence" in system.facts.column_names]
    if not with_probabilities:
        hint = "give runs with a column of probabilities"
        raise TouchstoneError("no system gives probabilities", code=Code.UNSUPPORTED, hint=hint)
    # The records are computed below, so the measure only says how they are folded.
    accuracy: Measure[object] = Measure("accuracy", lambda joined: np.zeros((0, 2)), mean)  # noqa: ARG005 (records are known)
    reliability_bins = []
    for system in with_probabilities:
        confidence = system.facts.column("confidence").to_numpy(zero_copy_only=False).astype(np.float64)
        right = system.facts.column("right").cast(pa.float64()).to_numpy()
        bin_of = confidence_bins(confidence, bins)
        for number in np.unique(bin_of[bin_of >= 0]).tolist():
            inside = bin_of == number
            (ends,) = intervals(
                [(accuracy, mean_records(np.where(inside, right, np.nan)), None)], results.resampling, results.clusters
            )
            edges, n = (number / bins, (number + 1) / bins), int(inside.sum())
            means = float(confidence[inside].mean()), float(right[inside].mean())
            reliability_bins.append(Bin(system.system, *edges, n, *means, ends.low, ends.high))
    return reliability_bins


def reliability_table(found: Sequence[Bin]) -> Table:
    """Return the bins as a table: a system that can be believed is as often right as it is confident.

    Parameters
    ----------
    found
        The result of `reliability`.

    Examples
    --------
    >>> from touchstone import nli
    >>> gold = nli.read_gold([
    ...     {"id": "1", "premise": "A dog runs.", "hypothesis": "An animal runs.", "label": "entailment"},
    ...     {"id": "2", "premise": "A dog runs.", "hypothesis": "A cat runs.", "label": "contradiction"},
    ... ])
    >>> shares = [{"entailment": 0.9, "neutral": 0.1, "contradiction": 0.0}, {"entailment": 0.7, "neutral": 0.3}]
    >>> rows = [{"id": str(n), "probabilities": each} for n, each in enumerate(shares, 1)]
    >>> results = nli.score(gold, {"bert": rows}, ["accuracy"])
    >>> len(nli.reliability_table(nli.reliability(results)).rows)
    3
    """
    rows: list[list[Cell]] = []
    rules = set()
    for row, each in enumerate(found):
        first = row == 0 or found[row - 1].system != each.system
        rules |= {row} if first and row else set()
        name = each.system if first else ""
        span = f"{each.start:.2f}–{each.end:.2f}"
        rows.append([name, span, each.n, each.confidence, each.accuracy, interval_text(each.low, each.high)])
    heads = ("n", "mean confidence", "accuracy", "interval of accuracy")
    columns = [Column("system"), Column("confidence"), *(Column(head, "right") for head in heads)]
    return Table(columns, rows, rules=rules)
