"""What the tables of inference sets share: ids, labels, files without a header, parallel files."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from touchstone.base.errors import TouchstoneError
from touchstone.base.files import PACKED, Source
from touchstone.base.spelling import setting
from touchstone.io.cells import is_empty
from touchstone.io.formats import table_suffixes
from touchstone.io.schema import Field, Problem, Rows
from touchstone.io.tables import TableFile
from touchstone.io.text import read_text
from touchstone.tasks.nli.labels import OTHER, SPELLINGS, UNLABELLED, spelled

PARALLEL = ("s1", "s2", "labels")
"""The first parts of the names of parallel files: premises, hypotheses, labels."""


def read_id(cell: object) -> str:
    """Return an id; a whole number becomes its decimal string.

    >>> read_id(3107)
    '3107'
    """
    if isinstance(cell, float) and cell.is_integer():
        cell = int(cell)
    if isinstance(cell, bool) or not isinstance(cell, str | int) or not str(cell).strip():
        raise Problem("an id must be a string that is not empty, or a whole number", None if is_empty(cell) else cell)
    return str(cell).strip()


ID = Field("id", ("id", "pairID", "pair_ID", "uid", "guid", "pair", "item", "idx", "index"), parse=read_id)

CHOICES = (Field("gold", ()), Field("prediction", ()))
"""Roles of a column: gold chooses the label of the gold alone, prediction that of the runs alone."""


def settle_label(rows: Rows, choice: str) -> None:
    """Let the *choice*, gold or prediction, decide the column of the label."""
    if choice in rows.columns:
        rows.columns["label"] = rows.columns[choice]
    for field in CHOICES:
        rows.columns.pop(field.role, None)


def row_ids(rows: Rows) -> list[str]:
    """Return the ids of the rows, None for a faulty one; numbers from 1 where the table has no column of ids."""
    if ID.role in rows.columns:
        return rows.values(ID.role)
    rows.table.check_order()
    return [str(row) for row in range(1, len(rows) + 1)]


def headless(first: Sequence[str]) -> Sequence[str] | None:
    """Return the columns of a file that begins with data: one label per line, or SciTail's three columns."""
    label = spelled(first[-1])
    if len(first) > 1 and all(spelled(cell) in SPELLINGS for cell in first):
        return None  # a column of probabilities for each label
    if label not in SPELLINGS and label not in UNLABELLED - {""} and label != OTHER and not label.isdecimal():
        return None
    return {1: ("label",), 3: ("premise", "hypothesis", "label")}.get(len(first))


def number_remark(rows: Rows, numbers: Mapping[str, str], chosen: Mapping[str, str]) -> list[str]:
    """Return a sentence on what the *numbers* in a column of labels mean, in a list; none where the user said it."""
    if not numbers or chosen:
        return []
    meanings = ", ".join(f"{number} is {label}" for number, label in numbers.items())
    return [f"{rows.stem}: labels are numbers; {meanings} (choose with {setting('label')})"]


def parallel_files(path: Path, encoding: str) -> TableFile | None:
    """Read ``s1.X``, ``s2.X`` and ``labels.X``: the three lines of one number are a pair; None for another file."""
    part, _, shared_name = path.name.partition(".")
    if part not in PARALLEL or path.suffix in (*table_suffixes(), PACKED):
        return None
    if part == PARALLEL[-1] and not any(path.with_name(f"{side}.{shared_name}").exists() for side in PARALLEL[:-1]):
        return None  # labels alone are those of a run
    texts, _ = zip(*(read_text(path.with_name(f"{part}.{shared_name}"), encoding) for part in PARALLEL), strict=True)
    columns = [[line.rstrip() for line in text.removesuffix("\n").split("\n")] for text in texts]
    sizes = [len(column) for column in columns]
    if len(set(sizes)) > 1:
        counts = ", ".join(f"{part}.{shared_name} {size:,}" for part, size in zip(PARALLEL, sizes, strict=True))
        raise TouchstoneError(f"parallel files have different numbers of lines: {counts}", file=str(path))
    named = dict(zip(("sentence1", "sentence2", "gold_label"), columns, strict=True))
    return TableFile(Source(str(path.with_name(shared_name)), "", path), named, range(1, sizes[0] + 1))
