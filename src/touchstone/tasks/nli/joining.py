"""Gold labels and the labels of one run, joined by id: what the measures of inference take."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa

from touchstone.core.gold import Earned, Golds
from touchstone.core.joining import Ids, Policy, join_ids
from touchstone.core.options import option
from touchstone.core.ragged import Bools, Ints, Ragged
from touchstone.io import arrow
from touchstone.tasks.nli.model import LABELS, OTHER, GoldSet, Pair, Run


@dataclass(frozen=True)
class Options:
    """How files are read."""

    encoding: str = option("utf-8", "Encoding of the files.")


@dataclass(frozen=True, eq=False)
class Joined:
    """The pairs that have a gold label, and the label that one system gave each.

    *labels* are the system's, None where it gave none; *counted* says which pairs count, since a missing label may be
    left out.
    """

    pairs: Sequence[Pair]
    labels: Sequence[str | None]
    counted: Bools
    notes: Sequence[str] = ()

    @cached_property
    def gold(self) -> Ints:
        """The place of each gold label in `LABELS`."""
        return _codes([pair.gold for pair in self.pairs])

    @cached_property
    def predicted(self) -> Ints:
        """The place of each of the system's labels in `LABELS`; -1 for any other."""
        return _codes(self.labels)

    @cached_property
    def earned(self) -> Earned:
        """Credit by the majority label: it weighs 1, and no other weighs anything."""
        return self._earned([{place: 1.0} for place in self.gold.tolist()])

    @cached_property
    def earned_votes(self) -> Earned:
        """Credit by votes: each label weighs the readers who gave it; where only the gold is known, it weighs 1."""
        weights: list[dict[int, float]] = [
            {place: pair.annotators.count(label) for place, label in enumerate(LABELS) if label in pair.annotators}
            for pair in self.pairs
        ]
        return self._earned([own or {place: 1.0} for own, place in zip(weights, self.gold.tolist(), strict=True)])

    def _earned(self, weights: Sequence[dict[int, float]]) -> Earned:
        golds = Golds(Ragged.of(weights, np.int64), Ragged.of([own.values() for own in weights]))
        given = self.predicted >= 0
        return Earned.by(golds, Ragged.from_sizes(given.astype(np.int64), self.predicted[given]))

    @cached_property
    def facts(self) -> pa.Table:
        """The system's label of each pair, and whether it is right; null where the pair does not count."""
        right = pa.array(self.gold == self.predicted, mask=~self.counted)
        return pa.table({"prediction": arrow.strings(self.labels), "right": right})


def join(gold: GoldSet, run: Run, policy: Policy, options: Options) -> Joined:  # noqa: ARG001 (the form of all tasks)
    """Join a run with the pairs that have a gold label."""
    ids = join_ids(
        gold.ids,
        Ids(run.source.name, run.ids, run.lines),
        policy,
        scored=gold.scored,
        missing="no prediction for this pair",
    ).check()
    labels = [run.labels[row] if row >= 0 else None for row in ids.rows.tolist()]
    notes = ids.note(run.name, "pairs without a prediction")
    others = labels.count(OTHER)
    notes += [f"{run.name}: predictions of {OTHER}, which are never right: {others:,}"] if others else []
    return Joined([gold.pairs[row] for row in gold.scored.tolist()], labels, ids.counted, notes)


def _codes(labels: Sequence[str | None]) -> Ints:
    place: dict[str | None, int] = {label: code for code, label in enumerate(LABELS)}
    return np.array([place.get(label, -1) for label in labels], np.int64)
