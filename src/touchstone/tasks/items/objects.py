"""Python objects as tables: a mapping from systems to their values or tables becomes rows."""

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from touchstone.base.notes import warning
from touchstone.io.annotations import ITEM, SYSTEM
from touchstone.io.objects import table_of
from touchstone.io.tables import TableFile
from touchstone.tasks.items.model import SCHEMA, VALUE
from touchstone.tasks.items.prompts import PROMPT

FILE = re.compile(r".*\.[A-Za-z]\w*(:.+)?")
"""What the name of a file looks like, with a column behind it or without; no score is written in this way."""


def named_files(given: object) -> list[str]:
    """Return the files of a mapping from systems to files as ``NAME=FILE``; nothing for any other object.

    >>> named_files({"a": "a.csv", "b": Path("b.csv")}), named_files({"q1": "0.5", "q2": "good"})
    (['a=a.csv', 'b=b.csv'], [])
    """
    if not isinstance(given, Mapping):
        return []
    files = [
        f"{name}={file}"
        for name, file in given.items()
        if isinstance(file, Path) or (isinstance(file, str) and (FILE.fullmatch(file) or Path(file).is_dir()))
    ]
    return files if len(files) == len(given) else []


def rows_of(given: object, remarks: list[str]) -> object:
    """Return an object as a table: a mapping from systems to their values or tables becomes rows.

    Parameters
    ----------
    given
        The object.
    remarks
        Takes a sentence where nothing but the order of the rows tells which item a row is.
    """
    if not isinstance(given, Mapping) or {str(name).lower() for name in given} & {*SYSTEM.names, *ITEM.names}:
        return given
    if all(isinstance(values, Mapping) for values in given.values()):
        return [{"system": s, "item": i, VALUE: value} for s, values in given.items() for i, value in values.items()]
    if not all(isinstance(own, list | tuple) or hasattr(own, "__array__") for own in given.values()):
        return given
    tables = {str(name): table_of(own, name=str(name), value=VALUE, roles=SCHEMA.fields) for name, own in given.items()}
    bare = [own for own in tables.values() if not own.name(*KEYS, required=False)]
    if any(own.numbers_of_rows is None for own in tables.values()):
        for own in bare:
            own.check_order()
    framed = [name for name, own in given.items() if hasattr(own, "columns")]  # a plain list has but its order
    told = any(own.reordered for own in bare) or (all(own.columns.keys() == {VALUE} for own in bare) and not framed)
    ordered = bool(bare) and not told
    remarks += [warning("no ids, so the rows of the tables are joined in their order")] if ordered else []
    return [row for name, own in tables.items() for row in _rows_of(name, own)]


KEYS = (*ITEM.names, *PROMPT.names)
"""Columns that tell which item a row is."""


def _rows_of(system: str, table: TableFile) -> list[dict[str, Any]]:
    """Return the rows of the table of one system; without a column of items they are numbered."""
    item = table.name(*ITEM.names, required=False)
    if item is None and table.name(*PROMPT.names, required=False):
        table = replace(table, columns={**table.columns, SYSTEM.role: [system] * len(table)})
        return [dict(zip(table.columns, row, strict=True)) for row in zip(*table.columns.values(), strict=True)]
    ids = table.ids(item).ids if item else numbered(table)
    others = {name: cells for name, cells in table.columns.items() if name != item}
    return [{"system": system, "item": ids[row], **{name: cells[row] for name, cells in others.items()}}
            for row in range(len(table))]  # fmt: skip


def numbered(table: TableFile) -> list[str]:
    """Return the numbers of the rows of a table without ids; an index of pandas has those before rows were moved."""
    return list(map(str, table.numbers_of_rows or range(1, len(table) + 1)))
