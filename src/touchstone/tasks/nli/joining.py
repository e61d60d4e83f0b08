"""Gold labels and the labels of one run, joined by id: what the measures of inference take."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa

from touchstone.base.codes import Code
from touchstone.base.errors import Fault
from touchstone.base.ids import Ids, Policy, join_ids
from touchstone.base.notes import Note, count_notes, count_warnings
from touchstone.base.ragged import Bools, Floats, Ints, Ragged
from touchstone.base.spelling import setting
from touchstone.core import inputs
from touchstone.core.gold import Earned, Golds
from touchstone.io.tables import repeated_strings
from touchstone.io.texts import contradictions
from touchstone.tasks.nli.about import Options
from touchstone.tasks.nli.labels import LABELS, OTHER, TWO_LABELS, as_two
from touchstone.tasks.nli.model import SHARES, GoldSet, Pair, Run, texts_of

FEWEST, FREQUENT = 20, 0.05
"""Pairs from which a label that the gold never has is no chance, and the share from which a warning tells of it."""


@dataclass(frozen=True, eq=False)
class Joined(inputs.Joined):
    """The pairs that have a gold label, and the label that one system gave each.

    *given* are the system's labels, None if it gave none; *counted* says which pairs count, since a missing label
    may be left out. *shares* has the probability of each of *labels*, nan where there is none; None if the system
    gives no probabilities.
    """

    pairs: Sequence[Pair]
    given: Sequence[str | None]
    counted: Bools
    labels: tuple[str, ...] = LABELS
    shares: Floats | None = None
    system: str = ""
    notes: Sequence[str] = ()

    @cached_property
    def gold(self) -> Ints:
        """The place of each gold label in *labels*."""
        return _codes([pair.gold for pair in self.pairs], self.labels)

    @cached_property
    def predicted(self) -> Ints:
        """The place of each of the system's labels in *labels*; -1 for any other."""
        return _codes(self.given, self.labels)

    @property
    def earned(self) -> Earned:
        """Credit by the majority label: it weighs 1, and no other weighs anything."""
        return self._earned(Ragged.from_sizes(np.ones(len(self.gold), np.int64), self.gold), None)

    @property
    def earned_votes(self) -> Earned:
        """Credit by votes: each label weighs the annotators who gave it; where only the gold is known, it weighs 1."""
        weights: list[dict[int, float]] = [
            {code: pair.annotators.count(label) for code, label in enumerate(self.labels) if label in pair.annotators}
            for pair in self.pairs
        ]
        votes = [by_code or {gold: 1.0} for by_code, gold in zip(weights, self.gold.tolist(), strict=True)]
        return self._earned(Ragged.of(votes, np.int64), Ragged.of([by_code.values() for by_code in votes]))

    def _earned(self, answers: Ragged[Any], weights: Ragged[Any] | None) -> Earned:
        weights = weights or Ragged.from_sizes(np.ones(len(self.gold), np.int64), np.ones(len(self.gold)))
        labelled = self.predicted >= 0
        return Earned.by(
            Golds(answers, weights), Ragged.from_sizes(labelled.astype(np.int64), self.predicted[labelled])
        )

    @cached_property
    def facts(self) -> pa.Table:
        """The system's label of each pair, and whether it is right; null where the pair does not count."""
        right = pa.array(self.gold == self.predicted, mask=~self.counted)
        columns = {"prediction": repeated_strings(self.given), "right": right}
        if self.shares is not None:
            confidence = self.shares.max(axis=1)
            columns["confidence"] = pa.array(confidence, mask=np.isnan(confidence) | ~self.counted)
        return pa.table(columns)


def join(gold: GoldSet, run: Run, policy: Policy, options: Options) -> Joined:  # noqa: ARG001 (the form of all tasks)
    """Join a run with the pairs that have a gold label.

    Parameters
    ----------
    gold
        The pairs.
    run
        The labels of one system.
    policy
        What to do with missing, unknown and duplicate ids.
    options
        The options of the task.

    Examples
    --------
    >>> from touchstone import nli
    >>> gold = nli.read_gold([
    ...     {"id": "1", "premise": "A dog runs.", "hypothesis": "An animal runs.", "label": "entailment"},
    ...     {"id": "2", "premise": "A dog runs.", "hypothesis": "A cat runs.", "label": "contradiction"},
    ... ])
    >>> from touchstone import Policy
    >>> run = nli.read_run({"1": "entailment", "2": "neutral"}, name="bert")
    >>> joined = nli.join(gold, run, Policy(), nli.Options())
    >>> joined.given
    ['entailment', 'neutral']
    """
    two = gold.labels == TWO_LABELS
    faults, hints = [], []
    if not two and TWO_LABELS[1] in run.labels:
        line = run.lines[list(run.labels).index(TWO_LABELS[1])]
        faults.append(Fault(f"{TWO_LABELS[1]} is no label of this gold", run.source.name, line, code=Code.MISMATCH))
        hints.append(f"score entailment against the rest with {setting('labels', 'two')}")
    run_ids = Ids(run.source.name, run.ids, run.lines)
    ids = join_ids(gold.ids, run_ids, policy, scored=gold.scored, missing="no prediction for this pair")
    if run.texts:
        scored = [gold.pairs[row] for row in gold.scored.tolist()]
        names, texts = [pair.id for pair in scored], texts_of(scored)
        wrong, ways = contradictions(names, texts, run.texts, ids.rows, run.source.name, run.lines)
        faults, hints = [*faults, *wrong], [*hints, *ways]
    ids.check(faults, hints)
    labels: Sequence[str | None] = [run.labels[row] if row >= 0 else None for row in ids.rows.tolist()]
    notes = ids.note(run.name, "pairs without a prediction")
    others = labels.count(OTHER)
    notes += count_notes(run.name, {f"predictions of {OTHER}, which are never right": others})
    notes += [] if two else _label_beside_two(gold, run.name, labels)
    labels = list(map(as_two, labels)) if two else labels
    shares = None if run.probabilities is None else _joined_shares(run.probabilities, ids.rows, two=two)
    pairs = gold.pairs if len(gold.scored) == len(gold) else [gold.pairs[row] for row in gold.scored.tolist()]
    return Joined(pairs, labels, ids.counted, gold.labels, shares, run.name, notes)


def _label_beside_two(gold: GoldSet, system: str, labels: Sequence[str | None]) -> list[Note]:
    """Return a note, or a warning if it is frequent, that the gold has two labels and a run predicts the third one.

    In some sets, such as MED, neutral means all that is not entailment.
    """
    used = {gold.pairs[row].gold for row in gold.scored.tolist()}
    absent = [label for label in LABELS if label not in used]
    if len(absent) != 1 or len(gold.scored) < FEWEST or "entailment" not in used:
        return []
    other, remedy = next(label for label in used if label != "entailment"), setting("labels", "two")
    what = f"predictions of {absent[0]}, which the gold never has ({remedy} if {other} means all but entailment)"
    count = sum(label in absent for label in labels)
    return (count_warnings if count >= FREQUENT * len(labels) else count_notes)(system, {what: count})


def _joined_shares(shares: Floats, rows: Ints, *, two: bool) -> Floats:
    """Return the probabilities of the joined rows under the labels of the gold; nan where a row has none."""
    # The share of not_entailment is that of all other labels together.
    entailment, others = SHARES.index("entailment"), [SHARES.index(label) for label in SHARES if label != "entailment"]
    by_label = (
        np.column_stack([shares[:, entailment], shares[:, others].sum(axis=1)]) if two else shares[:, : len(LABELS)]
    )
    return np.where((rows >= 0)[:, None], by_label[rows], np.nan)


def _codes(labels: Sequence[str | None], vocabulary: Sequence[str]) -> Ints:
    code_of: dict[str | None, int] = {label: code for code, label in enumerate(vocabulary)}
    return np.array([code_of.get(label, -1) for label in labels], np.int64)
