"""The scorer of lexical substitution: what each answer earns, and what each item scores."""

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from touchstone import __version__
from touchstone.core.gold import Earned, Golds
from touchstone.core.ragged import Interner, Ints, Ragged, StringLists
from touchstone.io import arrow
from touchstone.tasks.lexsub.answers import Pool, lemmatized, pooled
from touchstone.tasks.lexsub.keys import has_blank, key
from touchstone.tasks.lexsub.measures import MEASURES, Views


@dataclass(frozen=True)
class Scorer:
    """A picklable description of a scoring: maps a batch of paired items to a batch of records.

    The outcome has a row for each item: id, the facts of its gold (W, m, mode), the number of answers in each view,
    whether it was attempted, how many answers were repeated, and a record for each measure under its name.
    """

    measures: tuple[str, ...]
    lemmatize: bool = False
    pool: Pool | None = None
    name: str = "lexsub"
    version: str = __version__

    def prepared(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """Return the batch with its answers as they are scored: as base forms, or cut to the pool, where asked for."""
        batch = lemmatized(batch) if self.lemmatize else batch
        return pooled(batch, self.pool) if self.pool else batch

    def __call__(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """Return the records of every item of *batch*, which has the columns that pairing gives it."""
        batch = self.prepared(batch)
        seen = Interner()
        spellings = arrow.to_strings(batch.column("gold"))
        keys = spellings.map(key).numbered(seen)
        golds = Golds.merged(keys, arrow.to_floats(batch.column("weight")))
        columns = {view: batch.column(view) for view in ("best", "ranked", "set")}
        best, repeated_best = _earned(columns["best"], golds, seen)
        ranked, repeated = _earned(columns["ranked"], golds, seen)
        whole = columns["set"].equals(columns["ranked"])
        behind = ranked if whole else _earned(columns["set"], golds, seen)[0]
        views = Views(best, ranked, behind, np.array([has_blank(word) for word in seen], np.bool_))
        facts = {
            "id": batch.column("id"),
            "W": golds.optimum(),
            "m": golds.optimum(1),
            "mode": pa.array(_modes(golds, keys, spellings), pa.string()),
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


def _modes(golds: Golds, keys: Ragged[np.int64], spellings: StringLists) -> list[str | None]:
    """Return the mode of each item as it was first written there, None where it has none."""
    here = np.flatnonzero(keys.values == golds.mode[keys.row])[::-1]
    first = np.full(len(golds), -1)
    first[keys.row[here]] = spellings.codes.values[here]
    words = [*spellings.words, None]
    return [words[code] for code in first.tolist()]
