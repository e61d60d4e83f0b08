"""Ratings from tables and Python objects: a row for each annotation, or a column for each annotator."""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import zip_longest
from math import isnan
from typing import Any, Literal

import numpy as np

from touchstone.base.errors import Fault, Faults, TouchstoneError, nearest
from touchstone.base.ids import Ids
from touchstone.base.notes import warning
from touchstone.base.spelling import setting
from touchstone.io.annotations import ANNOTATOR, ITEM, SYSTEM, repeated_annotations
from touchstone.io.cells import is_decimal, is_empty, listed, parse_number
from touchstone.io.reading import read_table
from touchstone.io.schema import Field, Rows, Schema
from touchstone.io.tables import TableFile, refuse_absent_columns
from touchstone.people.doubts import doubts_about_labels
from touchstone.people.ratings import Ratings

ITEMS = Field("item", (*ITEM.names, "pair", "pairID", "pair_id"))
LABEL = Field(
    "label",
    ("label", "value", "rating", "score", "answer", "annotation", "judgement", "judgment", "response", "category"),
)
SCHEMA = Schema(ITEMS, ANNOTATOR, LABEL, SYSTEM)

Label = str | float
"""A text, or a number where the distance of labels needs numbers."""

Distance = Literal["nominal", "ordinal", "interval"]
"""How far labels are apart: equal or not, by the labels between two, or as numbers."""


def read_ratings(
    data: object,
    *,
    distance: Distance | None = None,
    order: Sequence[object] = (),
    cluster: str | None = None,
    column: Sequence[str] = (),
    annotators: Sequence[str] = (),
    encoding: str = "utf-8",
) -> tuple[Ratings, list[str], str | None]:
    """Read ratings, notes on how they were read, and the column of the clusters; refuse two labels of one annotator.

    Parameters
    ----------
    data
        A file, or one of the objects that `touchstone.agreement` accepts.
    distance
        How far labels are apart; by default their type decides: ordinal where there is an *order*, interval for
        numbers, else nominal.
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
    wrong = Faults()
    table = read_table(_tabular(data), encoding, roles=SCHEMA.fields, faults=wrong.faults)
    refuse_absent_columns(column, [table.source])
    rows = SCHEMA.bind(table, column)
    roles = rows.columns
    notes: list[str] = []
    long = "annotator" in roles and not annotators
    group = None if cluster in (None, "item") else table.name(str(cluster))
    if long:
        notes += rows.remarks(SYSTEM.role)
        rows = _with_label_column(rows, group, notes)
        table, roles = rows.table, rows.columns
    systems, item = _has_systems(table, roles), roles.get("item")
    keys = [roles["system"], roles["item"]] if systems else [item] if item else []
    people = [str(table.name(name)) for name in annotators]
    if not long and not people:
        people = [name for name in table.columns if name not in (*keys, group)]
        stem = f"{table.source.stem}: " if table.source.path else ""
        notes.append(f"{stem}no column of annotators, so each column is one: {', '.join(people)}")
    cells = [cell for name in ([roles["label"]] if long else people) for cell in table.columns[name]]
    chosen = distance or _default_distance(cells, order, notes)
    parse = _Parser(table, chosen != "nominal", {str(label): float(rank) for rank, label in enumerate(order)})
    if long:
        rows.require(ITEMS.role)
        if group:
            _check_groups(table, keys, group)
        with wrong.collect():
            items, people, labels, first = _long(table, keys, roles, parse)
    else:
        items, labels = _wide(table, keys, people, parse)
        if not annotators and (chosen == "nominal" or (distance is None and all(map(_is_integer, cells)))):
            _check_shared(table, people, labels)
        first = list(range(len(items)))
    group = group or (item if systems else None)
    wrong.add(parse.faults, parse.hint)
    wrong.check()
    notes += _spelling_warnings(people, labels) + _empty_labels(table, roles)
    notes += doubts_about_labels(items, people, labels, wide=not long and not annotators)
    alone = sum(len(row) - row.count(None) == 1 for row in labels)
    notes += [f"items with one label, which say nothing about agreement: {alone:,}"] if alone else []
    fields = [table.texts(group)[row] or name for row, name in zip(first, items, strict=True)] if group else None
    clusters = None if fields is None else np.unique(np.array(fields), return_inverse=True)[1].astype(np.int64)
    written: dict[Hashable, str] = {rank: name for name, rank in parse.order.items()}
    ratings = Ratings.of(labels, people, items=items, clusters=clusters, distance=chosen, unit="item", written=written)
    return ratings, notes, group


def _check_groups(table: TableFile, keys: Sequence[str], group: str) -> None:
    """Refuse clusters that part the labels of an item, such as its annotators."""
    first: dict[str, str | None] = {}
    for name, value, line in zip(_ids(table, keys).ids, table.texts(group), table.lines, strict=True):
        if first.setdefault(name, value) != value:
            what = f"item {name} has several values of {group}: {first[name]} and {value}"
            hint = "a cluster is a field of the items, such as their document"
            raise TouchstoneError(what, file=table.source.name, line=line, hint=hint)


def _default_distance(cells: Iterable[object], order: Sequence[object], notes: list[str]) -> Distance:
    """Return the distance that suits the type of labels; *notes* says where labels are taken for numbers.

    Two numbers are as far apart under any distance, so labels such as 0 and 1 are nominal and have kappas too.
    """
    if order:
        return "ordinal"
    filled = [cell for cell in cells if not is_empty(cell)]
    texts = [str(cell) for cell in filled if not _is_number(cell)]
    numbers = {parse_number(cell) for cell in filled if _is_number(cell)}
    if len(numbers) < 3:
        return "nominal"
    if texts:
        if 2 * len(texts) < len(filled):
            notes.append(warning(_among_numbers(texts, len(filled))))
        return "nominal"
    other = setting("distance", "nominal")
    notes.append(f"labels are numbers, so their distance is interval; for numbers that are codes, choose {other}")
    return "interval"


def _among_numbers(texts: Sequence[str], labels: int) -> str:
    """Return what is wrong with *texts* among labels that are mostly numbers."""
    different = list(dict.fromkeys(texts))
    examples = listed(list(map(repr, different[:3]))) + ", …" * (len(different) > 3)
    how = setting("distance", "nominal")
    return (
        f"{len(texts):,} of {labels:,} labels are not finite numbers ({examples}), so all labels count as names, "
        f"however close the numbers are; correct them or leave them empty, or choose {how} if the numbers are codes"
    )


def _is_number(cell: object) -> bool:
    """Return whether a label is a number, rather than a truth value or a word."""
    if isinstance(cell, str):
        return is_decimal(cell)
    return not isinstance(cell, bool) and parse_number(cell) is not None


def _is_integer(cell: object) -> bool:
    number = parse_number(cell)
    return number is not None and (isnan(number) or number.is_integer())


def _with_label_column(rows: Rows, group: str | None, notes: list[str]) -> Rows:
    """Return a long table whose column of labels is found.

    Several columns of numbers, none of which is called a label, are systems, as where their scores are compared.
    """
    table, roles = rows.table, rows.columns
    others = [name for name in table.columns if name not in (*roles.values(), group)]
    if "label" in roles or len(others) == 1:
        return replace(rows, columns={**roles, "label": roles.get("label") or others[0]})
    numeric = [name for name in others if table.is_numeric(name)]
    if len(numeric) == 1:
        notes.append(f"{table.source.stem}: the labels are the only column of numbers: {numeric[0]}")
        return replace(rows, columns={**roles, "label": numeric[0]})
    if len(numeric) < 2 or "system" in roles:
        rows.require(LABEL.role)
    choice = setting("column", f"label={numeric[0]}")
    notes.append(
        f"{table.source.stem}: no column of systems, so each column of numbers is a system: {', '.join(numeric)}; "
        f"for one of them, choose {choice}"
    )
    repeated_columns = {name: cells * len(numeric) for name, cells in table.columns.items() if name not in numeric}
    scores = [cell for name in numeric for cell in table.columns[name]]
    columns = {**repeated_columns, "system": [name for name in numeric for _ in table.lines], "label": scores}
    repeated = replace(table, columns=columns, lines=[*table.lines] * len(numeric))
    return replace(rows, table=repeated, columns={**roles, "system": "system", "label": "label"})


def _has_systems(table: TableFile, roles: Mapping[str, str]) -> bool:
    """Return whether an item has outputs of several systems, each of which was labelled."""
    if "system" not in roles or "item" not in roles:
        return False
    first: dict[str | None, str | None] = {}
    pairs = zip(table.texts(roles["item"]), table.texts(roles["system"]), strict=True)
    return any(first.setdefault(item, system) != system for item, system in pairs)


def _spelling_warnings(annotators: Sequence[str], labels: Sequence[Sequence[Label | None]]) -> list[str]:
    """Return a warning for annotators, and one for labels, whose names hardly differ."""
    texts = {label for row in labels for label in row if isinstance(label, str)}
    kinds = {"annotators": annotators, "labels": sorted(texts)}
    remarks = []
    for kind, names in kinds.items():
        forms: dict[str, list[str]] = {}
        for name in names:
            forms.setdefault(_folded_form(name), []).append(name)
        same = [" and ".join(map(repr, alike)) for alike in forms.values() if len(alike) > 1]
        if same:
            remarks.append(
                warning(f"{kind} differ only in capitals, blanks or points and count as different: {listed(same)}")
            )
    return remarks


def _folded_form(name: str) -> str:
    """Return a name without capitals, blanks at the ends, a full stop, and a decimal part of zero.

    >>> {_folded_form(name) for name in ("Yes", "yes ", "yes.")}, _folded_form("1.0")
    ({'yes'}, '1')
    """
    folded = " ".join(name.casefold().split()).strip("\"'`.,;:!")
    return folded.removesuffix(".0") if is_decimal(folded) else folded or name


def _empty_labels(table: TableFile, roles: Mapping[str, str]) -> list[str]:
    """Return a note that counts empty labels of a table with a row for each annotation."""
    if not {"annotator", "label"} <= roles.keys():
        return []
    empty = table.texts(roles["label"]).count(None)
    return [f"rows with an empty label, which are left out: {empty:,}"] if empty else []


def _tabular(data: Any) -> object:  # noqa: ANN401 (what the user gives)
    """Return an object that `read_table` takes: lists of labels, and mappings from annotators, become columns."""
    data = data.tolist() if isinstance(data, np.ndarray) else data
    if isinstance(data, list | tuple) and data and all(isinstance(row, list | tuple) for row in data):
        columns = enumerate(zip_longest(*data), 1)
        return {"item": [*range(1, len(data) + 1)], **{str(number): list(cells) for number, cells in columns}}
    if not isinstance(data, Mapping) or {str(name).lower() for name in data} & {*ANNOTATOR.names, *ITEMS.names}:
        return data
    tables = {
        str(who): read_table(labels, name=str(who), value="label", roles=SCHEMA.fields) for who, labels in data.items()
    }
    if not all("label" in table.columns for table in tables.values()):
        hint = "give a mapping from annotators to their labels: a list, or a mapping from items to labels"
        raise TouchstoneError("labels of annotators cannot be told", hint=hint)
    if any("id" in table.columns for table in tables.values()):
        return [
            {"annotator": who, "item": name, "label": label}
            for who, table in tables.items()
            for name, label in zip(table.ids("id").ids, table.columns["label"], strict=True)
        ]
    sizes = {who: len(table) for who, table in tables.items()}
    if len(set(sizes.values())) > 1:
        hint = "give each annotator a label for every item, None for one left out; or mappings from items to labels"
        what = f"annotators have different numbers of labels: {listed(f'{who} {n:,}' for who, n in sizes.items())}"
        raise TouchstoneError(what, hint=hint)
    numbers = [table.numbers_of_rows for table in tables.values()]
    if all(
        rows is not None and set(rows) == set(numbers[0] or ()) for rows in numbers
    ):  # series of pandas, in any order
        return [
            {"annotator": who, "item": number, "label": label}
            for who, table in tables.items()
            for number, label in zip(table.numbers_of_rows or (), table.columns["label"], strict=True)
        ]
    for table in tables.values():
        table.check_order()
    items = [*range(1, len(next(iter(tables.values()))) + 1)]
    return {"item": items, **{who: table.columns["label"] for who, table in tables.items()}}


class _Parser:
    """Reads the cells of labels; a cell that cannot be used becomes a fault of its line."""

    def __init__(self, table: TableFile, numeric: bool, order: Mapping[str, float]) -> None:
        self.table, self.numeric, self.order = table, numeric, order
        self.faults: list[Fault] = []
        self.hint = (
            f"the order is {' < '.join(order)}"
            if order
            else (f"name the labels from lowest to highest with {setting('order')}, or choose the nominal distance")
        )

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


def _long(
    table: TableFile, keys: Sequence[str], roles: Mapping[str, str], parse: _Parser
) -> tuple[list[str], list[str], list[list[Label | None]], list[int]]:
    """Return items, annotators, labels and the first row of each item of a table with a row for each annotation.

    Where an item has outputs of several systems, each output is an item of its own.
    """
    label_column, faults = parse.column(roles["label"]), Faults()
    faults.add(
        repeated_annotations(table, keys, roles["annotator"]), "keep one of two rows of an annotator for an item"
    )
    with faults.collect():
        names = _ids(table, keys).ids
    faults.check()
    people = [str(name) for name in table.texts(roles["annotator"])]
    columns = {name: column for column, name in enumerate(dict.fromkeys(people))}
    labels: dict[str, list[Label | None]] = {name: [None] * len(columns) for name in dict.fromkeys(names)}
    first: dict[str, int] = {}
    for row, (name, person, label) in enumerate(zip(names, people, label_column, strict=True)):
        labels[name][columns[person]] = label
        first.setdefault(name, row)
    return list(labels), list(columns), list(labels.values()), list(first.values())


def _ids(table: TableFile, keys: Sequence[str]) -> Ids:
    """Return the ids of the rows, made of the cells of one or two columns."""
    parts = [table.ids(key) for key in keys]
    return replace(parts[0], ids=[" ".join(names) for names in zip(*(part.ids for part in parts), strict=True)])


def _check_shared(table: TableFile, annotators: Sequence[str], labels: Sequence[Sequence[Label | None]]) -> None:
    """Refuse a column of which no label is in another one, such as the texts of the items."""
    used = [{label for label in column if label is not None} for column in zip(*labels, strict=True)]
    for position, (name, distinct) in enumerate(zip(annotators, used, strict=False)):
        others = set().union(*used[:position], *used[position + 1 :])
        if len(distinct) > 1 and not distinct & others:
            hint = f"choose the columns of annotators: {setting('annotator-column', 'NAME', 'NAME')}"
            what = "this column has no label that another one has, so it is hardly an annotator"
            raise TouchstoneError(what, file=table.source.name, value=name, hint=hint)


def _wide(
    table: TableFile, keys: Sequence[str], annotators: Sequence[str], parse: _Parser
) -> tuple[list[str], list[list[Label | None]]]:
    """Return items and labels of a table with a column for each annotator."""
    if len(annotators) < 2:
        hint = "give a column for each annotator, or the columns item, annotator and label"
        raise TouchstoneError("no two annotators", file=table.source.name, hint=hint)
    ids = _ids(table, keys) if keys else None
    if ids is not None and ids.repeated():
        hint = "a table with a row for each annotation needs a column annotator"
        raise TouchstoneError.of(ids.repeated(), hint)
    items = list(ids.ids) if ids else [str(row) for row in range(1, len(table) + 1)]
    return items, [list(row) for row in zip(*map(parse.column, annotators), strict=True)]
