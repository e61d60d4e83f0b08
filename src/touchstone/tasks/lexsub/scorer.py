"""The scorer of lexical substitution: what each answer earns, and what each item scores."""

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from touchstone import __version__
from touchstone.gold import Earned, Golds
from touchstone.io import arrow
from touchstone.ragged import Interner, Ints
from touchstone.tasks.lexsub.keys import has_blank, key
from touchstone.tasks.lexsub.measures import MEASURES, Views


@dataclass(frozen=True)
class Scorer:
    """A picklable description of a scoring: maps a batch of paired items to a batch of records.

    The outcome has a row for each item: id, the facts of its gold (W, m, mode), the number of answers in each view,
    whether it was attempted, how many answers were repeated, and a record for each measure under its name.
    """

    measures: tuple[str, ...]
    name: str = "lexsub"
    version: str = __version__

    def __call__(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """Return the records of every item of *batch*, which has the columns that pairing gives it."""
        seen = Interner()
        keys = arrow.to_strings(batch.column("gold")).map(key).numbered(seen)
        golds = Golds.merged(keys, arrow.to_floats(batch.column("weight")))
        columns = {view: batch.column(view) for view in ("best", "ranked", "set")}
        best, repeated_best = _earned(columns["best"], golds, seen)
        ranked, repeated = _earned(columns["ranked"], golds, seen)
        whole = columns["set"].equals(columns["ranked"])
        behind = ranked if whole else _earned(columns["set"], golds, seen)[0]
        views = Views(best, ranked, behind, np.array([has_blank(word) for word in seen], np.bool_))
        words = [*seen, None]
        facts = {
            "id": batch.column("id"),
            "W": golds.optimum(),
            "m": golds.optimum(1),
            "mode": pa.array([words[code] for code in golds.mode.tolist()], pa.string()),
            "n_best": best.size,
            "n_ranked": ranked.size,
            "n_set": behind.size,
            "attempted": best.attempted | ranked.attempted,
            "repeated": np.maximum(repeated, repeated_best),
        }
        records = {m.name: arrow.from_records(m.record(views)) for m in MEASURES.find_all(self.measures)}
        return pa.RecordBatch.from_pydict({**facts, **records})


def _earned(column: pa.Array, golds: Golds, seen: Interner) -> tuple[Earned, Ints]:
    """Return what the answers of a view earn, each counted once, and how many were repetitions."""
    answers = arrow.to_strings(column).map(key).numbered(seen)
    distinct = answers.distinct()
    return Earned.by(golds, distinct), answers.sizes - distinct.sizes
