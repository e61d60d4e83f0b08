"""Pairs of sentences with the labels of annotators (`GoldSet`), and the labels that a system gives them (`Run`)."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, cast

import numpy as np
import pyarrow as pa

from touchstone.base.errors import no_such_item
from touchstone.base.files import Source
from touchstone.base.ids import Ids
from touchstone.base.notes import Note, count_notes, count_warnings
from touchstone.base.ragged import Floats, Ints
from touchstone.base.signature import content_digest, number_or_text
from touchstone.core import inputs
from touchstone.core.gold import Gold
from touchstone.io.jsonl import Json
from touchstone.io.tables import repeated_strings
from touchstone.io.texts import Texts
from touchstone.tasks.nli.about import Spelling
from touchstone.tasks.nli.labels import LABELS, NO_MAJORITY, OTHER, TWO_LABELS, Label, as_two

__all__ = ["LABELS", "NO_MAJORITY", "OTHER", "RELATIONS", "GoldSet", "Label", "Pair", "Run", "Span", "Spelling"]

RELATIONS = ("synonym", "hypernym", "hyponym", "antonym", "co_hyponym")
"""What the new word may be to the replaced one in a generated pair."""


KEPT_OF = "kept_of"
"""The field of a pair that verification kept: of how many pairs with an outcome, where others were discarded."""

DISCARDED = "discarded"
"""The field of a pair that verification discarded: why."""


def majority(labels: Iterable[str]) -> Label | None:
    """Return the label that more than half of the annotators gave, None if there is none.

    Examples
    --------
    >>> majority(["neutral", "entailment", "neutral"]), majority(["neutral", "entailment"])
    ('neutral', None)

    Parameters
    ----------
    labels
        The label of each annotator.
    """
    votes = Gold(Counter(labels))
    mode = votes.mode
    return cast("Label", mode) if mode is not None and 2 * votes.credit([mode]) > votes.optimum() else None


UNLABELLED = "pairs without a gold label, which are not scored"

FEWEST_UNLABELLED, MANY_UNLABELLED = 5, 0.2
"""Pairs without a gold label, and their share, from which labels may be lost: SNLI has 2 % of them."""


@dataclass(frozen=True)
class Span:
    """Part of a sentence: its text, and its place in characters from 0, the end not included."""

    text: str
    start: int
    end: int

    def moved(self, places: int) -> "Span":
        """Return the span so many *places* further to the right."""
        return Span(self.text, self.start + places, self.end + places) if places else self


class Row(Mapping[str, Any]):
    """One row of shared columns, as a mapping from the names of columns to the cells that are not None."""

    __slots__ = ("columns", "index")

    def __init__(self, columns: Mapping[str, Sequence[Any]], index: int) -> None:
        self.columns, self.index = columns, index

    def __getitem__(self, name: str) -> Any:  # noqa: ANN401 (a cell)
        cell = self.columns[name][self.index]
        if cell is None:
            raise KeyError(name)
        return cell

    def __iter__(self) -> Iterator[str]:
        return (name for name, cells in self.columns.items() if cells[self.index] is not None)

    def __len__(self) -> int:
        return sum(1 for _ in self)


@dataclass(frozen=True, slots=True)
class Pair:
    """A premise and a hypothesis with the labels that people gave; *rest* holds further fields of the file.

    The sentences are empty where a file has labels alone.
    """

    id: str
    premise: str = ""
    hypothesis: str = ""
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
        """The labels that annotators gave, each with the number of annotators who gave it."""
        return Gold(Counter(self.annotators))


LONGEST_GROUP = 100
"""The most characters that a value may have to name a group (MED's longest has 86): longer ones are sentences."""


@dataclass(frozen=True, eq=False)
class GoldSet(inputs.FileGold):
    """The pairs of a file in order, each with its line; *spelling* tells whose names its fields have.

    *labels* are those that are told apart: all three, or entailment against the rest. *numbers* says what whole numbers
    mean as labels, where the file has such; *remarks* say how the file was read.
    """

    source: Source
    pairs: Sequence[Pair]
    lines: Sequence[int]
    spelling: Spelling = "touchstone"
    labels: tuple[Label, ...] = LABELS
    numbers: Mapping[str, str] = field(default_factory=dict)
    remarks: Sequence[str] = ()

    def number_cells(self, name: str) -> Mapping[str, object] | None:
        """Return the cells of a further column, also where it has numbers, which are no field of the items."""
        if any(name in pair.rest for pair in self.pairs):
            return {pair.id: pair.rest.get(name) for pair in self.pairs}
        return super().number_cells(name)

    def __len__(self) -> int:
        return len(self.pairs)

    def __getitem__(self, id: str) -> Pair:  # noqa: A002 (the word for it)
        row = self.rows.get(id)
        if row is None:
            raise no_such_item(id, self.ids, what="no such pair", plural="pairs", file=self.source.name)
        return self.pairs[row]

    @property
    def ties(self) -> int:
        """How many pairs have annotators' labels and no gold label, since no label has a majority."""
        return sum(bool(pair.annotators) and pair.gold is None for pair in self.pairs)

    @cached_property
    def ids(self) -> list[str]:
        """The id of each pair."""
        return [pair.id for pair in self.pairs]

    @cached_property
    def rows(self) -> dict[str, int]:
        """The row of each id."""
        return Ids(self.source.name, self.ids, self.lines).rows()

    def with_two_labels(self) -> "GoldSet":
        """Return the same pairs with two labels: entailment against the rest."""
        if self.labels == TWO_LABELS:
            return self
        pairs = [
            replace(
                pair,
                gold=cast("Label | None", as_two(pair.gold)),
                annotators=tuple(cast("Label", as_two(label)) for label in pair.annotators),
            )
            for pair in self.pairs
        ]
        return replace(self, pairs=pairs, labels=TWO_LABELS)

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
        pairs = self.pairs if len(self.scored) == len(self) else [self.pairs[row] for row in self.scored.tolist()]
        columns = {
            "gold": [pair.gold for pair in pairs],
            "category": [pair.category for pair in pairs],
            "relation": [pair.relation for pair in pairs],
            "premise": [pair.premise or None for pair in pairs],
            **_replaced_words(pairs),
        }
        filled = {name: repeated_strings(values) for name, values in columns.items() if any(values)}
        fields = _short_fields(pairs) | filled
        table = pa.table(fields | {"id": pa.array([pair.id for pair in pairs], pa.string())})
        pa.default_memory_pool().release_unused()  # what encoding of many texts took
        return table

    @cached_property
    def digest(self) -> str:
        """The digest of all that numbers depend on, whatever file or object held it."""
        return content_digest(
            id=self.ids,
            premise=[pair.premise for pair in self.pairs],
            hypothesis=[pair.hypothesis for pair in self.pairs],
            gold=[pair.gold for pair in self.pairs],
            annotators=[pair.annotators or None for pair in self.pairs],
            category=[pair.category for pair in self.pairs],
            relation=[pair.relation for pair in self.pairs],
            **{
                f"field {name}": list(map(number_or_text, column.to_pylist()))
                for name, column in _short_fields(self.pairs).items()
            },
        )

    @property
    def signature(self) -> dict[str, str]:
        """The digest of the pairs, how many they are, and which labels are told apart where these are two."""
        premises = (
            f", {self.premises} premise{'s' * (self.premises != 1)}" if any(pair.premise for pair in self.pairs) else ""
        )
        size = f"{len(self.scored)} of {len(self)} pairs have gold{premises}"
        labels = {"labels": "two, entailment against the rest"} if self.labels == TWO_LABELS else {}
        return {"gold": self.digest, "items": size, **labels}

    @property
    def notes(self) -> Sequence[str]:
        """Facts about the pairs that a reader of the scores should know, with counts; none of them stops a scoring."""
        if not any(pair.premise for pair in self.pairs):
            return self._unlabelled
        golds: dict[tuple[str, str], str | None] = {}
        differing = set()
        for pair in self.pairs:
            sentences = (pair.premise, pair.hypothesis)
            if golds.setdefault(sentences, pair.gold) != pair.gold:
                differing.add(sentences)
        counts = {
            "pairs whose gold label is not the annotators' majority": sum(
                bool(p.gold and p.annotators) and p.gold != majority(p.annotators) for p in self.pairs
            ),
            "pairs whose premise and hypothesis are the same": sum(p.premise == p.hypothesis for p in self.pairs),
            "pairs that repeat an earlier one": len(self) - len(golds),
            "pairs of sentences with two gold labels": len(differing),
        }
        return [*self._unlabelled, *count_notes(self.source.stem, counts)]

    @property
    def _unlabelled(self) -> list[Note]:
        """A note on pairs without a gold label, or a warning where they are many."""
        count = len(self) - len(self.scored)
        if not count:
            return []
        many = count >= max(FEWEST_UNLABELLED, MANY_UNLABELLED * len(self))
        return (count_warnings if many else count_notes)(self.source.stem, {UNLABELLED: count})

    def __str__(self) -> str:
        scored = f"{len(self.scored):,} with a gold label"
        return f"{self.source}: {self._size}, {scored}"

    def __repr__(self) -> str:
        return f"<GoldSet {self.source}: {self._size}>"

    @property
    def _size(self) -> str:
        pairs, premises = len(self), self.premises
        return f"{pairs:,} pair{'s' * (pairs != 1)} on {premises:,} premise{'s' * (premises != 1)}"


def texts_of(pairs: Sequence[Pair]) -> Texts:
    """Return the sentences of pairs by role; nothing where a file has labels alone."""
    sides = {
        "premise": [pair.premise or None for pair in pairs],
        "hypothesis": [pair.hypothesis or None for pair in pairs],
    }
    return {role: texts for role, texts in sides.items() if any(texts)}


def _replaced_words(pairs: Sequence[Pair]) -> dict[str, list[str | None]]:
    """Return the words that went and came in each pair of a challenge set; nothing for pairs of unlike sentences."""
    from touchstone.tasks.nli.edits import find_edit  # which needs this module

    alike = [
        pair
        for pair in pairs[:SAMPLE]
        if pair.replaced or len({*pair.premise.split()} - {*pair.hypothesis.split()}) <= 2
    ]
    if 2 * len(alike) < len(pairs[:SAMPLE]) or not any(pair.premise for pair in pairs):
        return {}
    edits = [find_edit(pair) for pair in pairs]
    return {
        "replaced": [" ".join(edit.replaced) if edit else None for edit in edits],
        "replacement": [" ".join(edit.replacement) if edit else None for edit in edits],
    }


SAMPLE = 1000
"""Pairs that tell whether a set is one whose hypotheses differ from their premises by a word or two."""


def short_text(cell: object) -> str | None:
    """Return a cell that may name a group, as text; None for nothing, and for a sentence.

    >>> short_text(3), short_text(""), short_text("x" * 101)
    ('3', None, None)
    """
    text = str(cell).strip() if isinstance(cell, str | int) else ""
    return text if 0 < len(text) <= LONGEST_GROUP else None


def _short_fields(pairs: Sequence[Pair]) -> dict[str, pa.Array]:
    """Return the further fields of a file that may group its pairs: those with short texts or whole numbers."""
    names = dict.fromkeys(name for pair in pairs for name in pair.rest)
    columns = {name: [short_text(pair.rest.get(name)) for pair in pairs] for name in names}
    return {
        name: repeated_strings(values)
        for name, values in columns.items()
        if any(values)
        and all(value or pair.rest.get(name) in (None, "") for value, pair in zip(values, pairs, strict=True))
    }


def most_frequent_label(pairs: Iterable[Pair]) -> Label | None:
    """Return the most frequent gold label of *pairs*, None if they have none."""
    counts = Counter(pair.gold for pair in pairs if pair.gold)
    labels = (*LABELS, TWO_LABELS[1])
    return max((label for label in labels if counts[label]), key=lambda label: counts[label], default=None)


@dataclass(frozen=True, eq=False)
class Run(inputs.Run):
    """The labels that a system gives: one of the three, ``not_entailment`` or `OTHER` for each id.

    *probabilities* has a row for each id and a column for each of `SHARES`; None if the system gives none. *texts* are
    the sentences beside the labels, where the file has them: they must be those of the gold. *in_gold_order* says that
    there are neither ids nor sentences, so that only the order of rows tells which pair a label is for.
    """

    name: str
    source: Source
    ids: Sequence[str]
    labels: Sequence[str]
    lines: Sequence[int]
    probabilities: Floats | None = None
    remarks: Sequence[str] = ()
    texts: Texts = field(default_factory=dict)
    in_gold_order: bool = False

    @property
    def sources(self) -> Sequence[Source]:
        """The file or object that was read."""
        return (self.source,)

    def label(self, id: str) -> str | None:  # noqa: A002
        """Return the label of one pair, None if the system gave none."""
        return self._labels.get(id)

    @cached_property
    def _labels(self) -> dict[str, str]:
        return dict(zip(reversed(self.ids), reversed(self.labels), strict=True))

    @cached_property
    def signature(self) -> str:
        """The digest of ids, labels and probabilities."""
        shares = {} if self.probabilities is None else {"probabilities": self.probabilities}
        return content_digest(id=self.ids, label=self.labels, **shares)

    def __str__(self) -> str:
        return f"{self.name}: predictions for {len(self.ids):,} pair{'s' * (len(self.ids) != 1)} ({self.source})"

    def __repr__(self) -> str:
        return f"<Run {self.name}: {self.source}, {len(self.ids):,} labels>"


SHARES = (*LABELS, TWO_LABELS[1], OTHER)
"""The labels that probabilities are given for."""
