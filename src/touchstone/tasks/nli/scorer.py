"""The scorer of inference: a record for each pair under each measure."""

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from touchstone import __version__
from touchstone.core.ragged import Ints
from touchstone.io import arrow
from touchstone.tasks.nli.measures import MEASURES, Judged
from touchstone.tasks.nli.model import LABELS


@dataclass(frozen=True)
class Scorer:
    """A picklable description of a scoring: maps a batch of paired labels to a batch of records.

    The outcome has a row for each pair: id, prediction, whether it is right, and a record for each measure.
    """

    measures: tuple[str, ...]
    name: str = "nli"
    version: str = __version__

    def __call__(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """Return the records of every pair of *batch*, which has the columns that pairing gives it."""
        counted = batch.column("counted").to_numpy(zero_copy_only=False)
        judged = Judged(_codes(batch.column("gold")), _codes(batch.column("prediction")), counted)
        facts = {
            "id": batch.column("id"),
            "prediction": batch.column("prediction"),
            "right": pa.array(judged.right, mask=~counted),
        }
        records = {m.name: arrow.from_records(m.record(judged)) for m in MEASURES.find_all(self.measures)}
        return pa.RecordBatch.from_pydict({**facts, **records})


def _codes(column: pa.Array) -> Ints:
    """Return the place of each label among `LABELS`, -1 for any other."""
    found = pc.index_in(column.cast(pa.string()), pa.array(LABELS))
    return np.asarray(found.fill_null(-1).to_numpy(zero_copy_only=False), np.int64)
