"""A run beside the gold: joined by id, checked, and what is missing settled.

The outcome is a record batch with a row for each pair that has a gold label: id, gold, prediction, counted.
"""

from dataclasses import dataclass
from typing import Literal

import pyarrow as pa

from touchstone.core.errors import Fault, TouchstoneError
from touchstone.core.joining import Duplicates, Ids, Unknown, align
from touchstone.io import arrow
from touchstone.tasks.nli.model import OTHER, PairSet, Run

Missing = Literal["error", "zero", "skip"]


@dataclass(frozen=True)
class Policy:
    """What to do with pairs that a system did not label, with ids the gold does not have, and with repeated ids."""

    missing: Missing = "error"
    unknown: Unknown = "error"
    duplicates: Duplicates = "error"


STRICT = Policy()


def pair_up(gold: PairSet, run: Run, policy: Policy = STRICT) -> tuple[pa.RecordBatch, list[str]]:
    """Join *run* with the pairs that have a gold label, and return the batch and remarks with counts."""
    ids = Ids(run.source.name, run.ids, run.lines)
    place = align(gold.ids, ids, unknown=policy.unknown, duplicates=policy.duplicates)[gold.scored]
    absent = [gold.ids[row] for row, found in zip(gold.scored.tolist(), place.tolist(), strict=True) if found < 0]
    if absent and policy.missing == "error":
        raise _missing(absent, run)
    labels = [run.labels[row] if row >= 0 else None for row in place.tolist()]
    columns = {
        "id": pa.array([gold.ids[row] for row in gold.scored.tolist()], pa.string()),
        "gold": arrow.strings([gold.pairs[row].gold for row in gold.scored.tolist()]),
        "prediction": arrow.strings(labels),
        "counted": pa.array((place >= 0) | (policy.missing == "zero")),
    }
    return pa.RecordBatch.from_pydict(columns), _remarks(run, labels, len(absent), policy)


def _missing(absent: list[str], run: Run) -> TouchstoneError:
    faults = [Fault("no prediction for this pair", run.source.name, value=name) for name in absent]
    hint = "count them as wrong with --missing zero, or leave them out with --missing skip"
    return TouchstoneError.of(faults, f"{len(absent):,} pairs have none; {hint}")


def _remarks(run: Run, labels: list[str | None], absent: int, policy: Policy) -> list[str]:
    settled = "count as wrong" if policy.missing == "zero" else "are left out"
    said = {
        f"pairs without a prediction, which {settled} (of {len(labels):,})": absent,
        f"predictions of {OTHER}, which are never right": labels.count(OTHER),
    }
    return [f"{run.system}: {what}: {count:,}" for what, count in said.items() if count]
