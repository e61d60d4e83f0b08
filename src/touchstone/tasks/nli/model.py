"""Pairs of sentences with the labels of readers (`GoldSet`), and the labels that a system gives them (`Run`)."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal, cast

import numpy as np
import pyarrow as pa

from touchstone.core.errors import TouchstoneError, nearest
from touchstone.core.gold import Gold
from touchstone.core.joining import Ids
from touchstone.core.ragged import Ints
from touchstone.io import arrow
from touchstone.io.jsonl import Json
from touchstone.io.text import Source

Label = Literal["contradiction", "entailment", "neutral"]
LABELS: tuple[Label, ...] = ("contradiction", "entailment", "neutral")

OTHER = "other"
"""The prediction of a system that chooses none of the three labels. It is never right."""

NO_MAJORITY = "-"
"""SNLI's gold label of a pair for which no label has a majority."""

RELATIONS = ("synonym", "hypernym", "hyponym", "antonym", "co_hyponym")
"""What the new word may be to the replaced one in a generated pair."""

Spelling = Literal["snli", "touchstone"]


def majority(labels: Iterable[str]) -> Label | None:
    """Return the label that more than half of the readers gave, None where there is none.

    >>> majority(["neutral", "entailment", "neutral"]), majority(["neutral", "entailment"])
    ('neutral', None)
    """
    votes = Gold(Counter(labels))
    mode = votes.mode
    return cast("Label", mode) if mode is not None and 2 * votes.credit([mode]) > votes.optimum() else None


@dataclass(frozen=True)
class Span:
    """Part of a sentence: its text, and its place in characters from 0, the end not included."""

    text: str
    start: int
    end: int


@dataclass(frozen=True)
class Pair:
    """A premise and a hypothesis with the labels that people gave; *rest* holds further fields of the file."""

    id: str
    premise: str
    hypothesis: str
    gold: Label | None = None
    annotators: tuple[Label, ...] = ()
    category: str | None = None
    replaced: tuple[Span, ...] = ()
    replacement: tuple[Span, ...] = ()
    relation: str | None = None
    provenance: Mapping[str, Json] | None = None
    rest: Mapping[str, Json] = field(default_factory=dict)

    @property
    def votes(self) -> Gold:
        """The labels that readers gave, each with the number of readers who gave it."""
        return Gold(Counter(self.annotators))


LONGEST_GROUP = 80
"""The most characters that a value may have to name a group: longer ones are sentences."""


@dataclass(frozen=True, eq=False)
class GoldSet:
    """The pairs of a file in order, each with its line; *spelling* tells whose names its fields have."""

    source: Source
    pairs: Sequence[Pair]
    lines: Sequence[int]
    spelling: Spelling = "touchstone"

    def __len__(self) -> int:
        return len(self.pairs)

    def __getitem__(self, id: str) -> Pair:  # noqa: A002 (the word for it)
        row = self.rows.get(id)
        if row is None:
            raise TouchstoneError(
                "no such pair", file=self.source.name, value=id, near=nearest(id, self.ids), kind="id"
            )
        return self.pairs[row]

    @cached_property
    def ids(self) -> list[str]:
        """The id of each pair."""
        return [pair.id for pair in self.pairs]

    @cached_property
    def rows(self) -> dict[str, int]:
        """The row of each id."""
        return Ids(self.source.name, self.ids, self.lines).rows()

    @cached_property
    def scored(self) -> Ints:
        """The rows of the pairs that have a gold label."""
        return np.array([row for row, pair in enumerate(self.pairs) if pair.gold], np.int64)

    @property
    def premises(self) -> int:
        """How many different premises there are: pairs that share one are not independent."""
        return len({pair.premise for pair in self.pairs})

    @cached_property
    def items(self) -> pa.Table:
        """The scored pairs: ids, labels, the premise, the replaced words, and further short fields of the file."""
        from touchstone.tasks.nli.edits import find_edit  # which needs this module

        pairs = [self.pairs[row] for row in self.scored.tolist()]
        edits = [find_edit(pair) for pair in pairs]
        columns = {
            "gold": [pair.gold for pair in pairs],
            "category": [pair.category for pair in pairs],
            "relation": [pair.relation for pair in pairs],
            "premise": [pair.premise for pair in pairs],
            "replaced": [" ".join(edit.replaced) if edit else None for edit in edits],
            "replacement": [" ".join(edit.replacement) if edit else None for edit in edits],
        }
        known = {name: arrow.strings(values) for name, values in columns.items() if any(values)}
        fields = _short_fields(pairs) | known
        return pa.table(fields | {"id": pa.array([pair.id for pair in pairs], pa.string())})

    @property
    def signature(self) -> dict[str, str]:
        """The file with its digest, and how many pairs it holds."""
        size = f"{len(self.scored)} of {len(self)} pairs have gold, {self.premises} premises"
        return {"gold": str(self.source), "items": size}

    @property
    def notes(self) -> list[str]:
        """Facts about the pairs that a reader of the scores should know, with counts; none of them stops a scoring."""
        golds: dict[tuple[str, str], set[str | None]] = {}
        for pair in self.pairs:
            golds.setdefault((pair.premise, pair.hypothesis), set()).add(pair.gold)
        voted = [pair for pair in self.pairs if pair.gold and pair.annotators]
        counts = {
            "pairs without a gold label, which are not scored": len(self) - len(self.scored),
            "pairs whose gold label is not the readers' majority": sum(p.gold != majority(p.annotators) for p in voted),
            "pairs whose premise and hypothesis are the same": sum(p.premise == p.hypothesis for p in self.pairs),
            "pairs that repeat an earlier one": len(self) - len(golds),
            "pairs of sentences with two gold labels": sum(len(labels) > 1 for labels in golds.values()),
        }
        return [f"{self.source.stem}: {what}: {count:,}" for what, count in counts.items() if count]

    def __str__(self) -> str:
        scored = f"{len(self.scored):,} with a gold label"
        return f"{self.source}: {len(self):,} pairs on {self.premises:,} premises, {scored}"

    def __repr__(self) -> str:
        return f"<GoldSet {self.source}: {len(self):,} pairs on {self.premises:,} premises>"


def _short_fields(pairs: Sequence[Pair]) -> dict[str, pa.Array]:
    """Return the further fields of a file that may group its pairs: those with short texts or whole numbers."""
    names = dict.fromkeys(name for pair in pairs for name in pair.rest)
    columns = {name: [pair.rest.get(name) for pair in pairs] for name in names}
    return {
        name: arrow.strings([None if value is None else str(value) for value in values])
        for name, values in columns.items()
        if all(value is None or (isinstance(value, str | int) and len(str(value)) <= LONGEST_GROUP) for value in values)
    }


def commonest_label(pairs: Iterable[Pair]) -> Label | None:
    """Return the commonest gold label of *pairs*, None where they have none."""
    counts = Counter(pair.gold for pair in pairs if pair.gold)
    return max((label for label in LABELS if counts[label]), key=lambda label: counts[label], default=None)


@dataclass(frozen=True, eq=False)
class Run:
    """The labels that a system gives: one of the three or `OTHER` for each id."""

    name: str
    source: Source
    ids: Sequence[str]
    labels: Sequence[str]
    lines: Sequence[int]

    def label(self, id: str) -> str | None:  # noqa: A002
        """Return the label of one pair, None where the system gave none."""
        return self._labels.get(id)

    @cached_property
    def _labels(self) -> dict[str, str]:
        return dict(zip(reversed(self.ids), reversed(self.labels), strict=True))

    @property
    def signature(self) -> str:
        """The file with its digest."""
        return str(self.source)

    def __str__(self) -> str:
        return f"{self.name}: predictions for {len(self.ids):,} pairs ({self.source})"

    def __repr__(self) -> str:
        return f"<Run {self.name}: {self.source}, {len(self.ids):,} labels>"
