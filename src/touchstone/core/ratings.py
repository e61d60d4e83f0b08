"""What annotators said about items, from tables and Python objects: a row for each annotation, or a column for each."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from math import isnan
from typing import Any

import numpy as np

from touchstone.core.errors import Fault, TouchstoneError, nearest
from touchstone.core.ragged import Ints
from touchstone.io.annotations import ANNOTATOR, ITEM, repeated_annotations
from touchstone.io.tables import Role, TableFile, listed, parse_number, read_table

ITEMS = Role("item", (*ITEM.names, "pair", "pairID", "pair_id"))
LABEL = Role(
    "label",
    ("label", "value", "rating", "score", "answer", "annotation", "judgement", "judgment", "response", "category"),
)
ROLES = (ITEMS, ANNOTATOR, LABEL)

Label = str | float
"""A text, or a number where the distance of labels needs numbers."""


@dataclass(frozen=True, eq=False)
class Ratings:
    """The labels of each item, a column for each annotator and None where there is none.

    *clusters* has the cluster of each item; None where items are independent. *names* has the labels that numbers
    stand for, where the user gave their order.
    """

    items: Sequence[str]
    annotators: Sequence[str]
    labels: Sequence[Sequence[Label | None]]
    clusters: Ints | None
    names: Mapping[Label, str]
    notes: Sequence[str]

    def shown(self, label: Label | None) -> Label | None:
        """Return a label as the user wrote it."""
        return None if label is None else self.names.get(label, label)


def read_ratings(
    data: object,
    *,
    numeric: bool,
    order: Sequence[object] = (),
    cluster: str | None = None,
    column: Sequence[str] = (),
    annotators: Sequence[str] = (),
    encoding: str = "utf-8",
) -> Ratings:
    """Read what annotators said; refuse two labels of one annotator for an item.

    Parameters
    ----------
    data
        A file, or one of the objects that `touchstone.agreement` accepts.
    numeric
        Whether labels must be numbers, or among those of *order*.
    order
        Labels from lowest to highest, which become the numbers 0, 1, 2 and so on.
    cluster
        The column of items that belong together.
    column
        The user's own choices of columns, ``ROLE=NAME``.
    annotators
        The columns of annotators in a table with a column for each; by default all but that of items.
    encoding
        The encoding of text files.
    """
    table = read_table(_tabular(data), encoding, roles=ROLES)
    roles = table.roles(ROLES, column)
    group = None if cluster in (None, "item") else table.name(str(cluster))
    parse = _Parser(table, numeric, {str(label): float(place) for place, label in enumerate(order)})
    if "annotator" in roles and not annotators:
        items, people, labels, rows = _long(table, roles, group, parse)
        notes = table.remarks(roles, ROLES)
    else:
        item = roles.get("item")
        chosen = [str(table.name(name)) for name in annotators]
        people = chosen or [name for name in table.columns if name not in (item, group)]
        items, labels = _wide(table, item, people, parse)
        _check_shared(table, people, () if chosen or numeric else labels)
        rows = list(range(len(items)))
        stem = f"{table.source.stem}: " if table.source.path else ""
        notes = [f"{stem}no column of annotators, so each column is one: {', '.join(people)}"] if not chosen else []
    if parse.faults:
        raise TouchstoneError.of(parse.faults, parse.hint)
    alone = sum(len(row) - row.count(None) == 1 for row in labels)
    notes += [f"items with one label, which say nothing about agreement: {alone:,}"] if alone else []
    fields = [table.texts(group)[row] or name for row, name in zip(rows, items, strict=True)] if group else None
    clusters = None if fields is None else np.unique(np.array(fields), return_inverse=True)[1].astype(np.int64)
    return Ratings(items, people, labels, clusters, {place: name for name, place in parse.order.items()}, notes)


def _tabular(data: Any) -> object:  # noqa: ANN401 (what the user gives)
    """Return an object that `read_table` takes: lists of labels, and mappings from annotators, become columns."""
    data = data.tolist() if isinstance(data, np.ndarray) else data
    if isinstance(data, list | tuple) and data and all(isinstance(row, list | tuple) for row in data):
        columns = enumerate(zip_longest(*data), 1)
        return {"item": [*range(1, len(data) + 1)], **{str(number): list(cells) for number, cells in columns}}
    if not isinstance(data, Mapping) or {str(name).lower() for name in data} & {*ANNOTATOR.names, *ITEMS.names}:
        return data
    tables = {str(who): read_table(own, name=str(who), value="label", roles=ROLES) for who, own in data.items()}
    if not all("label" in own.columns for own in tables.values()):
        hint = "give a mapping from annotators to their labels: a list, or a mapping from items to labels"
        raise TouchstoneError("labels of annotators cannot be told", hint=hint)
    if any("id" in own.columns for own in tables.values()):
        return [
            {"annotator": who, "item": name, "label": label}
            for who, own in tables.items()
            for name, label in zip(own.ids("id").ids, own.columns["label"], strict=True)
        ]
    sizes = {who: len(own) for who, own in tables.items()}
    if len(set(sizes.values())) > 1:
        hint = "give each annotator a label for every item, None for one left out; or mappings from items to labels"
        what = f"annotators have different numbers of labels: {listed(f'{who} {n:,}' for who, n in sizes.items())}"
        raise TouchstoneError(what, hint=hint)
    for own in tables.values():
        own.check_order()
    items = [*range(1, len(next(iter(tables.values()))) + 1)]
    return {"item": items, **{who: own.columns["label"] for who, own in tables.items()}}


class _Parser:
    """Reads the cells of labels; a cell that cannot be used becomes a fault of its line."""

    def __init__(self, table: TableFile, numeric: bool, order: Mapping[str, float]) -> None:
        self.table, self.numeric, self.order = table, numeric, order
        self.faults: list[Fault] = []
        self.hint = f"the order is {' < '.join(order)}" if order else NUMBERS

    def column(self, name: str) -> list[Label | None]:
        """Return the labels of a column."""
        cells = zip(self.table.columns[name], self.table.texts(name), self.table.lines, strict=True)
        return [None if text is None else self._label(cell, text, line) for cell, text, line in cells]

    def _label(self, cell: object, text: str, line: int) -> Label | None:
        if not self.order and not self.numeric:
            return text
        number = self.order.get(text) if self.order else parse_number(cell)
        if number is None:
            near = nearest(text, self.order) if self.order else None
            what = "unknown label" if self.order else "the label is not a number"
            self.faults.append(Fault(what, self.table.source.name, line, text, near, "label"))
        return None if number is None or isnan(number) else number


NUMBERS = "name the labels from lowest to highest, order=[…] or --order, or choose the nominal distance"


def _long(
    table: TableFile, roles: Mapping[str, str], cluster: str | None, parse: _Parser
) -> tuple[list[str], list[str], list[list[Label | None]], list[int]]:
    """Return items, annotators, labels and the first row of each item of a table with a row for each annotation."""
    item = roles.get("item") or table.require(ITEMS)
    repeated = repeated_annotations(table, [item], roles["annotator"])
    if repeated:
        raise TouchstoneError.of(repeated, "keep one of two rows of an annotator for an item")
    others = [name for name in table.columns if name not in (item, roles["annotator"], cluster)]
    label = roles.get("label") or (others[0] if len(others) == 1 else table.require(LABEL))
    ids, people = table.ids(item), [str(name) for name in table.texts(roles["annotator"])]
    places = {name: place for place, name in enumerate(dict.fromkeys(people))}
    labels: dict[str, list[Label | None]] = {name: [None] * len(places) for name in dict.fromkeys(ids.ids)}
    for name, person, given in zip(ids.ids, people, parse.column(label), strict=True):
        labels[name][places[person]] = given
    return list(labels), list(places), list(labels.values()), [ids.first[name] for name in labels]


def _check_shared(table: TableFile, annotators: Sequence[str], labels: Sequence[Sequence[Label | None]]) -> None:
    """Refuse a column of which no label is in another one, such as the texts of the items."""
    used = [{label for label in column if label is not None} for column in zip(*labels, strict=True)]
    for place, (name, own) in enumerate(zip(annotators, used, strict=False)):
        others = set().union(*used[:place], *used[place + 1 :])
        if len(own) > 1 and not own & others:
            hint = "choose the columns of annotators: annotators=[…] in Python, or --annotator-column NAME, repeatable"
            what = "this column has no label that another one has, so it is hardly an annotator"
            raise TouchstoneError(what, file=table.source.name, value=name, hint=hint)


def _wide(
    table: TableFile, item: str | None, annotators: Sequence[str], parse: _Parser
) -> tuple[list[str], list[list[Label | None]]]:
    """Return items and labels of a table with a column for each annotator."""
    if len(annotators) < 2:
        hint = "give a column for each annotator, or the columns item, annotator and label"
        raise TouchstoneError("no two annotators", file=table.source.name, hint=hint)
    ids = table.ids(item) if item else None
    if ids is not None and ids.repeated():
        hint = "a table with a row for each annotation needs a column annotator"
        raise TouchstoneError.of(ids.repeated(), hint)
    items = list(ids.ids) if ids else [str(row) for row in range(1, len(table) + 1)]
    return items, [list(row) for row in zip(*map(parse.column, annotators), strict=True)]
