"""What lexical substitution is about: sentences with a target word, what people would put there, what systems would.

A file becomes one of two columnar values: a `GoldSet` (items with weighted human answers) or a `Run` (a system's
answers). Both give single items to people: ``gold["301"]``.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from touchstone.core.errors import Fault, TouchstoneError, nearest
from touchstone.core.gold import Gold
from touchstone.core.joining import Ids
from touchstone.core.ragged import Bools, Ints, Ragged, StringLists
from touchstone.io.text import Source
from touchstone.tasks.lexsub.keys import key

POS_NAMES = {"n": "nouns", "a": "adj", "v": "verb", "r": "adv"}
"""Parts of speech in the order and under the names of the paper's tables."""


@dataclass(frozen=True)
class Context:
    """A sentence around its target: what stands left of the head, the head, what stands right."""

    left: str
    head: str
    right: str

    def __str__(self) -> str:
        return f"{self.left} [{self.head}] {self.right}".strip()


@dataclass(frozen=True)
class Sentence:
    """A sentence whose target awaits substitutes."""

    id: str
    target: str
    pos: str | None
    context: Context


@dataclass(frozen=True)
class Item:
    """One item as people read it."""

    id: str
    target: str
    pos: str | None
    context: Context | None
    gold: Gold


@dataclass(frozen=True, eq=False)
class GoldSet:
    """Items and their human answers, as read from a file.

    *kept* says which items have enough human answers to be scored; the others are listed, never silently lost.
    """

    source: Source
    ids: Sequence[str]
    targets: Sequence[str]
    pos: Sequence[str | None]
    answers: StringLists
    weights: Ragged[np.float64]
    kept: Bools
    lines: Sequence[int | str]
    contexts: Sequence[Context | None] = ()
    form: str = "els07"
    min_responses: float = 1
    min_weight: float = 1
    known: frozenset[str] = frozenset()
    """Ids of sentences that exist, with gold or without: a system may answer them."""

    def __len__(self) -> int:
        return int(self.kept.sum())

    def __getitem__(self, id: str) -> Item:  # noqa: A002 (an id is what people look an item up by)
        row = self.rows.get(id)
        if row is None:
            raise TouchstoneError(
                "no such item", file=self.source.name, value=id, near=nearest(id, self.ids), kind="id"
            )
        begin, end = self.weights.offsets[row : row + 2]
        spelt: dict[str, str] = {}
        weights: dict[str, float] = {}
        for answer, weight in zip(self.answers[row], self.weights.values[begin:end].tolist(), strict=True):
            first = spelt.setdefault(key(answer), answer)
            weights[first] = weights.get(first, 0) + weight
        context = self.contexts[row] if self.contexts else None
        return Item(self.ids[row], self.targets[row], self.pos[row], context, Gold(weights))

    @property
    def rows(self) -> dict[str, int]:
        """The row of each id."""
        return self.known_ids.first

    @cached_property
    def known_ids(self) -> Ids:
        """The ids with their places in the file."""
        return Ids(self.source.name, self.ids, self.lines)

    @property
    def excluded(self) -> list[str]:
        """The ids of items with too few human answers to be scored."""
        return [self.ids[row] for row in np.flatnonzero(~self.kept).tolist()]

    def __repr__(self) -> str:
        return f"<GoldSet {self.source}: {len(self):,} items, {len(self.excluded):,} excluded>"


@dataclass(frozen=True, eq=False)
class Answers:
    """The answers of one file under one view: a list for each id."""

    source: Source
    ids: Sequence[str]
    lines: Sequence[int | str]
    targets: Sequence[str | None]
    pos: Sequence[str | None]
    lists: StringLists
    cuts: Ints
    """How many of each list the system stands behind; -1 where it drew no boundary."""
    form: str = "els07"
    faults: tuple[Fault, ...] = ()
    """What could not be read; scoring refuses it, together with what the gold has against the ids."""

    @cached_property
    def known_ids(self) -> Ids:
        """The ids with their places in the file."""
        return Ids(self.source.name, self.ids, self.lines)


@dataclass(frozen=True, eq=False)
class Run:
    """What a system answered: a best guess, a ranked list, or both, each from its own file or record."""

    system: str
    sources: tuple[Source, ...]
    best: Answers | None = None
    ranked: Answers | None = None
    notes: tuple[str, ...] = field(default=())

    @property
    def derivation(self) -> dict[str, str]:
        """How each view was come by, for signatures."""
        ranked, best = self.ranked, self.best
        return {
            "best": "given" if best is not None else "first of ranked",
            "ranked": "given" if ranked is not None else "the best list",
            "set": _boundary(ranked or best),
        }

    @property
    def faults(self) -> list[Fault]:
        """What could not be read of the files."""
        return [fault for answers in (self.best, self.ranked) if answers for fault in answers.faults]

    def answers(self, id: str, view: str = "ranked") -> tuple[str, ...]:  # noqa: A002
        """Return the answers to one item, best first."""
        given = (self.best or self.ranked) if view == "best" else (self.ranked or self.best)
        assert given is not None
        row = given.known_ids.first.get(id)
        return () if row is None else given.lists[row]

    def __repr__(self) -> str:
        files = ", ".join(map(str, self.sources))
        return f"<Run {self.system}: {files}>"


def _boundary(answers: Answers | None) -> str:
    """Say how much of its lists a system stands behind."""
    if answers is None or not (answers.cuts >= 0).any():
        return "whole ranked list, no boundary"
    return (
        "cut of ranked" if (answers.cuts >= 0).all() else "cut of ranked, or the whole list where no boundary is given"
    )
