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


def named_files(data: object) -> list[str]:
    """Return the files of a mapping from systems to files as ``NAME=FILE``; nothing for any other object.

    >>> named_files({"a": "a.csv", "b": Path("b.csv")}), named_files({"q1": "0.5", "q2": "good"})
    (['a=a.csv', 'b=b.csv'], [])
    """
    if not isinstance(data, Mapping):
        return []
    files = [
        f"{name}={file}"
        for name, file in data.items()
        if isinstance(file, Path) or (isinstance(file, str) and (FILE.fullmatch(file) or Path(file).is_dir()))
    ]
    return files if len(files) == len(data) else []


def rows_of(data: object, remarks: list[str]) -> object:
    """Return an object as a table: a mapping from systems to their values or tables becomes rows.

    Parameters
    ----------
    data
        The object.
    remarks
        Takes a sentence where nothing but the order of the rows tells which item a row is.
    """
    if not isinstance(data, Mapping) or {str(name).lower() for name in data} & {*SYSTEM.names, *ITEM.names}:
        return data
    if all(isinstance(values, Mapping) for values in data.values()):
        return [{"system": s, "item": i, VALUE: value} for s, values in data.items() for i, value in values.items()]
    if not all(isinstance(table, list | tuple) or hasattr(table, "__array__") for table in data.values()):
        return data
    tables = {
        str(name): table_of(table, name=str(name), value=VALUE, roles=SCHEMA.fields) for name, table in data.items()
    }
    without_ids = [table for table in tables.values() if not table.name(*KEYS, required=False)]
    if any(table.numbers_of_rows is None for table in tables.values()):
        for table in without_ids:
            table.check_order()
    framed = [name for name, table in data.items() if hasattr(table, "columns")]  # a plain list has but its order
    rows_identified = any(table.reordered for table in without_ids) or (
        all(table.columns.keys() == {VALUE} for table in without_ids) and not framed
    )
    ordered = bool(without_ids) and not rows_identified
    remarks += [warning("no ids, so the rows of the tables are joined in their order")] if ordered else []
    return [row for name, table in tables.items() for row in _rows_of(name, table)]


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
