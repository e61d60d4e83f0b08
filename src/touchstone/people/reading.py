"""Ratings from tables and Python objects: a row for each annotation, or a column for each annotator."""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import zip_longest
from math import isnan
from typing import Any, Literal

import numpy as np

from touchstone.base.codes import Code
from touchstone.base.errors import Fault, Faults, TouchstoneError, nearest
from touchstone.base.ids import Ids
from touchstone.base.notes import warning
from touchstone.base.ragged import Ints
from touchstone.base.spelling import setting
from touchstone.io.annotations import ANNOTATOR, ITEM, SYSTEM, repeated_annotations
from touchstone.io.cells import is_decimal, is_empty, listed, parse_number
from touchstone.io.reading import read_table
from touchstone.io.schema import Field, Rows, Schema
from touchstone.io.tables import TableFile, refuse_absent_columns
from touchstone.people.doubts import alike, doubts_about_labels
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


@dataclass(frozen=True)
class ReadRatings:
    """Ratings, notes on how they were read, and the column of the *cluster* that items belong to."""

    ratings: Ratings
    notes: Sequence[str]
    cluster: str | None


def read_ratings(
    data: object,
    distance: Distance | None = None,
    order: Sequence[object] = (),
    *,
    cluster: str | None = None,
    column: Sequence[str] = (),
    annotators: Sequence[str] = (),
    encoding: str = "utf-8",
) -> ReadRatings:
    """Read ratings; refuse two labels of one annotator for an item.

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
    wrong, notes = Faults(), list[str]()
    source = _annotations(_tabular(data), encoding, column, annotators, cluster, wrong, notes)
    cells = source.cells
    chosen = distance or _default_distance(cells, order, notes)
    parse = _Parser(source.table, chosen != "nominal", {str(label): float(rank) for rank, label in enumerate(order)})
    if source.is_long:
        _check_groups(source)
        with wrong.collect():
            read = _long(source, parse)
    else:
        read = _wide(source, parse)
        # Numbers that were rounded differ between all annotators, so only names and whole numbers tell that.
        if not annotators and (chosen == "nominal" or (distance is None and all(map(_is_integer, cells)))):
            _check_shared(source.table, read)
    wrong.add(parse.faults, parse.hint)
    wrong.check()
    notes += _notes_on(source, read, wide=not source.is_long and not annotators)
    group, clusters = _clusters(source, read)
    written: dict[Hashable, str] = {rank: name for name, rank in parse.order.items()}
    people = read.annotators
    ratings = Ratings.of(
        read.labels, people, items=read.items, clusters=clusters, distance=chosen, unit="item", written=written
    )
    return ReadRatings(ratings, notes, group)


@dataclass(frozen=True)
class _Annotations:
    """A table of annotations, its columns by role, and the column of clusters, *group*.

    A wide table has the columns *annotators*; a long one has a row for each label, and none of these.
    """

    table: TableFile
    roles: Mapping[str, str]
    group: str | None
    annotators: Sequence[str] = ()

    @property
    def is_long(self) -> bool:
        return not self.annotators

    @cached_property
    def has_systems(self) -> bool:
        """Whether an item has outputs of several systems, each of which was labelled."""
        if "system" not in self.roles or "item" not in self.roles:
            return False
        first: dict[str | None, str | None] = {}
        pairs = zip(self.table.texts(self.roles["item"]), self.table.texts(self.roles["system"]), strict=True)
        return any(first.setdefault(item, system) != system for item, system in pairs)

    @property
    def keys(self) -> list[str]:
        """The columns that name what was labelled: an item, or the output of a system for it."""
        if self.has_systems:
            return [self.roles["system"], self.roles["item"]]
        return [self.roles["item"]] if "item" in self.roles else []

    @property
    def cells(self) -> list[object]:
        columns = [self.roles["label"]] if self.is_long else self.annotators
        return [cell for name in columns for cell in self.table.columns[name]]

    def ids(self) -> Ids:
        """Return the ids of the rows, made of the cells of one or two columns."""
        parts = [self.table.ids(key) for key in self.keys]
        return replace(parts[0], ids=[" ".join(names) for names in zip(*(part.ids for part in parts), strict=True)])


def _annotations(
    data: object,
    encoding: str,
    column: Sequence[str],
    annotators: Sequence[str],
    cluster: str | None,
    wrong: Faults,
    notes: list[str],
) -> _Annotations:
    """Return the table with its columns; damaged cells go to *wrong*, what was chosen to *notes*."""
    table = read_table(data, encoding, roles=SCHEMA.fields, faults=wrong.faults)
    refuse_absent_columns(column, [table.source])
    rows = SCHEMA.bind(table, column)
    group = None if cluster in (None, "item") else table.name(str(cluster))
    if "annotator" in rows.columns and not annotators:
        notes += rows.remarks(SYSTEM.role)
        rows = _with_label_column(rows, group, notes)
        rows.require(ITEMS.role)
        return _Annotations(rows.table, rows.columns, group)
    people = [str(table.name(name)) for name in annotators]
    source = _Annotations(table, rows.columns, group, people)
    if not people:
        people = [name for name in table.columns if name not in (*source.keys, group)]
        stem = f"{table.source.stem}: " if table.source.path else ""
        notes.append(f"{stem}no column of annotators, so each column is one: {', '.join(people)}")
    if len(people) < 2:
        hint = "give a column for each annotator, or the columns item, annotator and label"
        raise TouchstoneError("no two annotators", file=table.source.name, code=Code.TOO_FEW, hint=hint)
    return replace(source, annotators=people)


@dataclass(frozen=True)
class _Labels:
    """The labels of each item, a column for each annotator, and the *first* row of each item in the table."""

    items: Sequence[str]
    annotators: Sequence[str]
    labels: list[list[Label | None]]
    first: Sequence[int]


def _notes_on(source: _Annotations, read: _Labels, *, wide: bool) -> list[str]:
    """Return what a reader should know of the labels; *wide* where each column is taken for an annotator."""
    notes = _spelling_warnings(read.annotators, read.labels) + _empty_labels(source)
    notes += doubts_about_labels(read.items, read.annotators, read.labels, wide=wide)
    alone = sum(len(row) - row.count(None) == 1 for row in read.labels)
    return notes + ([f"items with one label, which say nothing about agreement: {alone:,}"] if alone else [])


def _clusters(source: _Annotations, read: _Labels) -> tuple[str | None, Ints | None]:
    """Return the column of the clusters and the cluster of each item; the outputs for one item are a cluster."""
    group = source.group or (source.roles["item"] if source.has_systems else None)
    if group is None:
        return None, None
    fields = source.table.texts(group)
    names = [fields[row] or name for row, name in zip(read.first, read.items, strict=True)]
    return group, np.unique(np.array(names), return_inverse=True)[1].astype(np.int64)


def _check_groups(source: _Annotations) -> None:
    """Refuse clusters that part the labels of an item, such as its annotators."""
    if source.group is None:
        return
    table, group = source.table, source.group
    first: dict[str, str | None] = {}
    for name, value, line in zip(source.ids().ids, table.texts(group), table.lines, strict=True):
        if first.setdefault(name, value) != value:
            what = f"item {name} has several values of {group}: {first[name]} and {value}"
            hint = "a cluster is a field of the items, such as their document"
            raise TouchstoneError(what, file=table.source.name, line=line, code=Code.MISMATCH, hint=hint)


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
    # Nothing says which of the columns has the labels: refused.
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


def _spelling_warnings(annotators: Sequence[str], labels: Sequence[Sequence[Label | None]]) -> list[str]:
    """Return a warning for annotators, and one for labels, whose names hardly differ."""
    texts = sorted({label for row in labels for label in row if isinstance(label, str)})
    remarks = []
    for kind, names in (("annotators", annotators), ("labels", texts)):
        same = [" and ".join(repr(names[index]) for index in group) for group in alike(names, _folded_form)]
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


def _empty_labels(source: _Annotations) -> list[str]:
    """Return a note that counts empty labels of a table with a row for each annotation."""
    if not {"annotator", "label"} <= source.roles.keys():
        return []
    empty = source.table.texts(source.roles["label"]).count(None)
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
    return _joined_lists(tables)


def _joined_lists(tables: Mapping[str, TableFile]) -> object:
    """Return the lists of annotators as a table: by id where they have ids, by row number, or in their order."""
    if not all("label" in table.columns for table in tables.values()):
        hint = "give a mapping from annotators to their labels: a list, or a mapping from items to labels"
        raise TouchstoneError("labels of annotators cannot be told", code=Code.UNKNOWN_FORMAT, hint=hint)
    if any("id" in table.columns for table in tables.values()):
        return _long_rows(tables, {who: table.ids("id").ids for who, table in tables.items()})
    sizes = {who: len(table) for who, table in tables.items()}
    if len(set(sizes.values())) > 1:
        hint = "give each annotator a label for every item, None for one left out; or mappings from items to labels"
        what = f"annotators have different numbers of labels: {listed(f'{who} {n:,}' for who, n in sizes.items())}"
        raise TouchstoneError(what, code=Code.MISMATCH, hint=hint)
    numbers = {who: table.numbers_of_rows for who, table in tables.items()}
    first = set(numbers[next(iter(numbers))] or ())
    if all(rows is not None and set(rows) == first for rows in numbers.values()):  # series of pandas, in any order
        return _long_rows(tables, {who: rows or () for who, rows in numbers.items()})
    for table in tables.values():
        table.check_order()
    items = [*range(1, len(next(iter(tables.values()))) + 1)]
    return {"item": items, **{who: table.columns["label"] for who, table in tables.items()}}


def _long_rows(tables: Mapping[str, TableFile], items: Mapping[str, Sequence[object]]) -> list[dict[str, object]]:
    return [
        {"annotator": who, "item": item, "label": label}
        for who, table in tables.items()
        for item, label in zip(items[who], table.columns["label"], strict=True)
    ]


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
            what, code = (
                ("unknown label", Code.UNKNOWN_NAME) if self.order else ("the label is not a number", Code.BAD_CELL)
            )
            self.faults.append(Fault(what, self.table.source.name, line, text, near, "label", code))
        return None if number is None or isnan(number) else number


def _long(source: _Annotations, parse: _Parser) -> _Labels:
    """Return the labels of a table with a row for each annotation.

    Where an item has outputs of several systems, each output is an item of its own.
    """
    table, roles = source.table, source.roles
    label_column, faults = parse.column(roles["label"]), Faults()
    faults.add(
        repeated_annotations(table, source.keys, roles["annotator"]), "keep one of two rows of an annotator for an item"
    )
    with faults.collect():
        names = source.ids().ids
    faults.check()
    people = [str(name) for name in table.texts(roles["annotator"])]
    columns = {name: column for column, name in enumerate(dict.fromkeys(people))}
    labels: dict[str, list[Label | None]] = {name: [None] * len(columns) for name in dict.fromkeys(names)}
    first: dict[str, int] = {}
    for row, (name, person, label) in enumerate(zip(names, people, label_column, strict=True)):
        labels[name][columns[person]] = label
        first.setdefault(name, row)
    return _Labels(list(labels), list(columns), list(labels.values()), list(first.values()))


def _wide(source: _Annotations, parse: _Parser) -> _Labels:
    """Return the labels of a table with a column for each annotator."""
    ids = source.ids() if source.keys else None
    if ids is not None and ids.repeated():
        hint = "a table with a row for each annotation needs a column annotator"
        raise TouchstoneError.of(ids.repeated(), hint)
    rows = range(len(source.table))
    items = list(ids.ids) if ids else [str(row + 1) for row in rows]
    labels = [list(row) for row in zip(*map(parse.column, source.annotators), strict=True)]
    return _Labels(items, source.annotators, labels, rows)


def _check_shared(table: TableFile, read: _Labels) -> None:
    """Refuse a column of which no label is in another one, such as the texts of the items."""
    used = [{label for label in column if label is not None} for column in zip(*read.labels, strict=True)]
    for position, (name, distinct) in enumerate(zip(read.annotators, used, strict=False)):
        others = set().union(*used[:position], *used[position + 1 :])
        if len(distinct) > 1 and not distinct & others:
            hint = f"choose the columns of annotators: {setting('annotator-column', 'NAME', 'NAME')}"
            what = "this column has no label that another one has, so it is hardly an annotator"
            raise TouchstoneError(what, file=table.source.name, value=name, code=Code.AMBIGUOUS, hint=hint)
