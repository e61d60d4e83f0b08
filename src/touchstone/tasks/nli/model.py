"""What an inference set is about: pairs of sentences, what readers said of each, what systems say.

A file becomes a `PairSet` (pairs with the labels that people gave) or a `Run` (a system's label for each pair).
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal, cast

import numpy as np

from touchstone.core.errors import TouchstoneError, nearest
from touchstone.core.gold import Gold
from touchstone.core.joining import Ids
from touchstone.core.ragged import Ints
from touchstone.io.jsonl import Json
from touchstone.io.text import Source

Label = Literal["contradiction", "entailment", "neutral"]
LABELS: tuple[Label, ...] = ("contradiction", "entailment", "neutral")

OTHER = "other"
"""A system's way to say: none of the three. It is never right."""

NO_MAJORITY = "-"
"""How SNLI writes that no label has a majority."""

RELATIONS = ("synonym", "hypernym", "hyponym", "antonym", "co_hyponym")
"""What the new word may be, of the replaced one, in a generated pair."""

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
    """A stretch of a sentence: its text and where it stands, in characters from 0, the end not included."""

    text: str
    start: int
    end: int


@dataclass(frozen=True)
class Pair:
    """A premise and a hypothesis, with what people said of them; *rest* holds what a file says beyond that."""

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


@dataclass(frozen=True, eq=False)
class PairSet:
    """The pairs of a file in order, each with its line; *spelling* is how the file names its fields."""

    source: Source
    pairs: Sequence[Pair]
    lines: Sequence[int]
    spelling: Spelling = "touchstone"

    def __len__(self) -> int:
        return len(self.pairs)

    def __getitem__(self, id: str) -> Pair:  # noqa: A002 (an id is what people look a pair up by)
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

    def __repr__(self) -> str:
        return f"<PairSet {self.source}: {len(self):,} pairs on {self.premises:,} premises>"


@dataclass(frozen=True, eq=False)
class Run:
    """What a system said: a label for each id, one of the three or `OTHER`."""

    system: str
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

    def __repr__(self) -> str:
        return f"<Run {self.system}: {self.source}, {len(self.ids):,} labels>"
