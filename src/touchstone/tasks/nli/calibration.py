"""Whether probabilities can be believed: accuracy in each bin of confidence, with its interval."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

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
    >>> [(round(one.confidence, 1), one.accuracy) for one in nli.reliability(results, bins=5) if one.system == "bert"]
    [(0.7, 0.0), (0.9, 1.0)]
    """
    known = [system for system in results.systems if "confidence" in system.facts.column_names]
    if not known:
        hint = "give runs with a column of probabilities"
        raise TouchstoneError("no system gives probabilities", hint=hint)
    accuracy: Measure[object] = Measure("accuracy", lambda joined: np.zeros((0, 2)), mean)  # noqa: ARG005 (records are known)
    found = []
    for system in known:
        confidence = system.facts.column("confidence").to_numpy(zero_copy_only=False).astype(np.float64)
        right = system.facts.column("right").cast(pa.float64()).to_numpy()
        places = confidence_bins(confidence, bins)
        for place in range(bins):
            inside = places == place
            records = mean_records(np.where(inside, right, np.nan))
            if not inside.any():
                continue
            (ends,) = intervals([(accuracy, records, None)], results.resampling, results.clusters)
            share, sure = float(right[inside].mean()), float(confidence[inside].mean())
            low, high = ends.low, ends.high
            found.append(
                Bin(system.system, place / bins, (place + 1) / bins, int(inside.sum()), sure, share, low, high)
            )
    return found


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
    for place, each in enumerate(found):
        first = place == 0 or found[place - 1].system != each.system
        rules |= {place} if first and place else set()
        name = each.system if first else ""
        span = f"{each.start:.2f}–{each.end:.2f}"
        rows.append([name, span, each.n, each.confidence, each.accuracy, interval_text(each.low, each.high)])
    heads = ("n", "mean confidence", "accuracy", "interval of accuracy")
    columns = [Column("system"), Column("confidence"), *(Column(head, "right") for head in heads)]
    return Table(columns, rows, rules=rules)
