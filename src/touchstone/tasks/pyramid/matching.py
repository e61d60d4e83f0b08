"""A peer summary as the measures see it: which units it expresses, how often, and against what gold.

Annotations and presence matrices both come to this; a list of them travels as a record batch.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import pyarrow as pa

from touchstone.core.errors import TouchstoneError
from touchstone.core.gold import Gold
from touchstone.tasks.pyramid.model import Annotation, average_units


@dataclass(frozen=True)
class Match:
    """What one reader found of a pyramid in one summary.

    *counts* says how many contributors each expressed unit has, *unmatched* how many match no unit.

    >>> gold = Gold({"a": 4, "b": 2, "c": 2, "d": 1, "e": 1})
    >>> peer = Match("S1", "P", "", gold, 4, {"b": 2, "d": 1}, unmatched=2)
    >>> peer.credit, peer.average, peer.repeats, peer.size
    (3, 3, 1, 5)
    """

    set: str
    system: str
    annotator: str
    gold: Gold
    models: int
    counts: Mapping[str, int]
    unmatched: int = 0

    @property
    def credit(self) -> float:
        """The summed weight of the distinct units that the peer expresses."""
        return self.gold.credit(self.counts)

    @cached_property
    def average(self) -> int:
        """X, the mean number of units in a model summary."""
        return average_units(int(self.gold.optimum()), self.models)

    @property
    def repeats(self) -> int:
        """r, the contributors beyond the first of each unit."""
        return sum(self.counts.values()) - len(self.counts)

    @property
    def size(self) -> int:
        """How many contributors the peer has, matched and unmatched."""
        return sum(self.counts.values()) + self.unmatched


def match_of(annotation: Annotation) -> Match:
    """Return an annotation as the measures see it, or say why it cannot be scored."""
    if not annotation.pyramid.units:
        file = annotation.source.name if annotation.source else None
        raise TouchstoneError("there is no unit to score against", file=file)
    strangers = annotation.counts.keys() - annotation.pyramid.by_uid
    if strangers:
        raise TouchstoneError("the peer expresses a unit that its pyramid does not have", value=min(strangers))
    match = Match(
        annotation.set,
        annotation.system,
        annotation.annotator,
        annotation.pyramid.gold,
        annotation.pyramid.n,
        annotation.counts,
        annotation.unmatched,
    )
    _ = match.average  # a pyramid that is too small is refused here, not in the middle of a batch
    return match


def to_batch(matches: Sequence[Match]) -> pa.RecordBatch:
    """Return *matches* as a record batch: a row for each, golds and counts as lists."""
    strings, numbers = pa.list_(pa.string()), pa.list_(pa.float64())
    return pa.RecordBatch.from_pydict(
        {
            "set": pa.array([m.set for m in matches], pa.string()),
            "system": pa.array([m.system for m in matches], pa.string()),
            "annotator": pa.array([m.annotator for m in matches], pa.string()),
            "gold": pa.array([list(m.gold.weights) for m in matches], strings),
            "weight": pa.array([list(m.gold.weights.values()) for m in matches], numbers),
            "models": pa.array([m.models for m in matches], pa.int64()),
            "found": pa.array([list(Counter(m.counts).elements()) for m in matches], strings),
            "unmatched": pa.array([m.unmatched for m in matches], pa.int64()),
        }
    )


def from_batch(batch: pa.RecordBatch) -> list[Match]:
    """Return the matches that `to_batch` put into *batch*."""
    return [
        Match(
            row["set"],
            row["system"],
            row["annotator"],
            Gold(dict(zip(row["gold"], row["weight"], strict=True))),
            row["models"],
            Counter(row["found"]),
            row["unmatched"],
        )
        for row in batch.to_pylist()
    ]
