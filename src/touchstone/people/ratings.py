"""The labels that annotators gave items: the one form that every coefficient of agreement is computed from."""

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError, nearest
from touchstone.base.ragged import Bools, Floats, Ints, add_up
from touchstone.base.tables import counted
from touchstone.stats.distances import DistanceName, is_missing, numbers

OTHERS = "any other label"
"""What all labels but one become where one is compared with all others."""


@dataclass(frozen=True, eq=False)
class Ratings:
    """Labels of annotators: ``labels[label[i]]`` is what ``annotator[i]`` gave ``item[i]``, in the order of giving.

    Parameters
    ----------
    item, annotator, label
        The numbers of the three, an entry for each label. Where nobody knows who gave which label, the labels of an
        item are numbered as if by annotators of their own.
    labels
        The labels that could be given.
    items
        The items, each with its name or number.
    annotators
        The names of the annotators; empty where they are unknown.
    clusters
        The cluster of each item; None where items are independent.
    distance
        How far labels are apart.
    unit
        What an item is called.
    mirrored
        Which labels depend on the order of two systems, such as better and worse.
    same_annotator
        Whether labels of one annotator are compared with each other, instead of those of different annotators.
    written
        The labels that numbers stand for, where the user gave their order.

    Examples
    --------
    >>> ratings = Ratings.of([["yes", "yes", None], ["no", "yes", "yes"]], ["ana", "ben", "eva"])
    >>> ratings.sizes.tolist(), ratings.pairs.tolist()
    ([2, 3], [[1.0, 1.0], [1.0, 3.0]])
    """

    item: Ints
    annotator: Ints
    label: Ints
    labels: Sequence[Hashable]
    items: Sequence[object]
    annotators: Sequence[str] = ()
    clusters: Ints | None = None
    distance: DistanceName = "nominal"
    unit: str = "unit"
    mirrored: Sequence[bool] = ()
    same_annotator: bool = False
    written: Mapping[Hashable, str] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        rows: Iterable[Iterable[object]],
        annotators: Sequence[str] = (),
        *,
        items: Sequence[object] | None = None,
        labels: Sequence[Hashable] | None = None,
        clusters: Ints | None = None,
        distance: DistanceName = "nominal",
        unit: str = "unit",
        written: Mapping[Hashable, str] | None = None,
    ) -> "Ratings":
        """Return the labels of each item; None and nan are missing.

        Parameters
        ----------
        rows
            The labels of each item: a column for each annotator, or in any order where they are unknown.
        annotators
            The names of the columns.
        items, clusters, distance, unit, written
            As in the class; by default items are numbered.
        labels
            The labels that could be given; by default those that were.
        """
        filled = [list(row) for row in _refuse_texts(rows)]
        numbered: dict[Hashable, int] = {label: number for number, label in enumerate(labels or ())}
        entries: list[tuple[int, int, int]] = []
        for number, row in enumerate(filled):
            if annotators and len(row) != len(annotators):
                what = f"{counted(len(row), 'label')} of {len(annotators):,} annotators"
                hint = "give each annotator a label, None for one left out"
                raise TouchstoneError(what, value=str(row), code=Code.MISMATCH, hint=hint)
            for column, answer in enumerate(row):
                if is_missing(answer):
                    continue
                label = _hashable(answer)
                if labels is not None and label not in numbered:
                    raise _unknown_label(str(label), list(map(str, labels)))
                entries.append((number, column, numbered.setdefault(label, len(numbered))))
        item, annotator, label_code = np.array(entries, np.int64).reshape(-1, 3).T
        return cls(
            item=item,
            annotator=annotator,
            label=label_code,
            labels=list(numbered),
            items=range(len(filled)) if items is None else items,
            annotators=annotators,
            clusters=None if clusters is None else np.asarray(clusters, np.int64),
            distance=distance,
            unit=unit,
            written=written or {},
        )

    @cached_property
    def sizes(self) -> Ints:
        """The number of labels of each item."""
        return np.bincount(self.item, minlength=len(self.items))

    @cached_property
    def counts(self) -> Floats:
        """How often each label was given to each item."""
        k = len(self.labels)
        cells = self.item * k + self.label
        return np.bincount(cells, minlength=len(self.items) * k).reshape(-1, k).astype(np.float64)

    @cached_property
    def rows(self) -> list[list[Hashable]]:
        """The labels of each item, in their order."""
        rows: list[list[Hashable]] = [[] for _ in self.items]
        for item, label in zip(self.item.tolist(), self.label.tolist(), strict=True):
            rows[item].append(self.labels[label])
        return rows

    @cached_property
    def columns(self) -> Ints:
        """The number of the first label that each annotator gave each item, a column for each; -1 for none."""
        if not self.annotators:
            hint = "choose one that takes labels in any order, such as alpha or fleiss"
            what = "this coefficient needs to know who gave which label"
            raise TouchstoneError(what, code=Code.UNSUPPORTED, hint=hint)
        columns = np.full((len(self.items), len(self.annotators)), -1, np.int64)
        columns[self.item[::-1], self.annotator[::-1]] = self.label[::-1]  # the first label is written last
        return columns

    @cached_property
    def pairs(self) -> Floats:
        """The number of pairs of equal labels of each item, and of all pairs: of two annotators or *same_annotator*."""
        # All pairs of an item, less those within an annotator, are the pairs of two annotators.
        inside = self._pairs_within(_joint(self.item, self.annotator))
        return inside if self.same_annotator else self._pairs_within(self.item) - inside

    def _pairs_within(self, block: Ints) -> Floats:
        """Return how many pairs of labels within each *block* of entries are equal, and how many there are, by item."""
        columns = []
        for part in (_joint(block, self.label), block):
            first, sizes = np.unique(part, return_index=True, return_counts=True)[1:]
            columns.append(add_up(self.item[first], sizes * (sizes - 1) / 2.0, len(self.items)))
        return np.stack(columns, axis=1)

    @cached_property
    def values(self) -> Floats:
        """The labels as numbers; refuses any other."""
        if self.distance in ("ordinal", "interval"):
            return numbers(self.labels, f"the {self.distance} distance needs finite numbers as answers")
        return numbers(self.labels, "name the order of the labels, or choose the interval distance for numbers")

    @cached_property
    def modal_size(self) -> int:
        """The most frequent number of labels among items with two or more; the larger one on a tie."""
        sizes = Counter(self.sizes[self.sizes > 1].tolist())
        return max(sizes, key=lambda size: (sizes[size], size), default=2)

    def label_name(self, label: Hashable) -> str:
        """Return a label as it is written.

        Parameters
        ----------
        label
            The label.
        """
        text = f"{label:g}" if isinstance(label, float) else str(label)
        return self.written.get(label, text)

    def where(self, chosen: Bools) -> "Ratings":
        """Return the same without the labels of the items that are not *chosen*.

        Parameters
        ----------
        chosen
            A flag for each item.
        """
        return self._entries(np.asarray(chosen)[self.item])

    def with_modal_size(self) -> "Ratings":
        """Return the same with the labels of those items alone that have the most frequent number of them."""
        return self.where(self.sizes == self.modal_size)

    def first_labels(self) -> "Ratings":
        """Return the same with the first label alone of each annotator for an item."""
        first = np.unique(_joint(self.item, self.annotator), return_index=True)[1]
        # Back in the order of giving.
        return self._entries(np.sort(first))

    def repeated(self) -> "Ratings":
        """Return the first and the second label that an annotator gave an item, each such pair as an item."""
        block = _joint(self.item, self.annotator)
        # Stable, so that the label given first stays the first.
        order = np.argsort(block, kind="stable")
        starts, sizes = np.unique(block[order], return_index=True, return_counts=True)[1:]
        twice = starts[sizes > 1]
        entries = np.stack([order[twice], order[twice + 1]], axis=1)
        number = np.repeat(np.arange(len(twice)), 2)
        return replace(
            self,
            item=number,
            annotator=np.tile([0, 1], len(twice)).astype(np.int64),
            label=self.label[entries.ravel()],
            items=range(len(twice)),
            annotators=("first", "second"),
            clusters=None if self.clusters is None else self.clusters[self.item[entries[:, 0]]],
            same_annotator=False,
        )

    def against_others(self, label: str) -> "Ratings":
        """Return the same with two labels: the chosen one, which comes first, and all others.

        Parameters
        ----------
        label
            The label, as it is written.
        """
        names = [self.label_name(each) for each in self.labels]
        if label not in names:
            raise _unknown_label(label, names)
        other = np.array([name != label for name in names], np.int64)
        return replace(self, label=other[self.label], labels=[label, OTHERS], distance="nominal", mirrored=())

    def _entries(self, chosen: Bools | Ints) -> "Ratings":
        return replace(self, item=self.item[chosen], annotator=self.annotator[chosen], label=self.label[chosen])


def _unknown_label(label: str, names: Sequence[str]) -> TouchstoneError:
    hint = f"the labels are {', '.join(names)}"
    near = nearest(label, names)
    return TouchstoneError("unknown label", value=label, near=near, code=Code.UNKNOWN_NAME, hint=hint)


def _joint(first: Ints, second: Ints) -> Ints:
    """Return a number for each pair of numbers."""
    return first * (int(second.max(initial=0)) + 1) + second


def _refuse_texts(rows: Iterable[Iterable[object]]) -> Iterable[Iterable[object]]:
    """Return rows as they are; refuse data frames and texts, which would be taken for the letters of a name."""
    hint = "give the labels of each item as a list; touchstone.agreement takes data frames and tables"
    if hasattr(rows, "columns") or isinstance(rows, str):
        what = f"a {type(rows).__name__} is not a list of items"
        raise TouchstoneError(what, code=Code.UNKNOWN_FORMAT, hint=hint)
    listed = list(rows)
    text = next((row for row in listed if isinstance(row, str | bytes) or not isinstance(row, Iterable)), None)
    if text is not None:
        raise TouchstoneError("an item needs a list of labels", value=str(text), code=Code.BAD_CELL, hint=hint)
    return listed


def _hashable(answer: object) -> Hashable:
    if isinstance(answer, Set):
        return frozenset(answer)
    if isinstance(answer, Hashable):
        return answer
    hint = "give labels, numbers or sets"
    what = f"a {type(answer).__name__} is not a label"
    raise TouchstoneError(what, value=str(answer), code=Code.BAD_CELL, hint=hint)
