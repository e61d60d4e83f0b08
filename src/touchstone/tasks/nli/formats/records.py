"""What the tables of inference sets share: ids, labels, columns told by their content, parallel files."""

import re
from collections.abc import Collection, Mapping, Sequence, Set
from pathlib import Path

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError, nearest
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


def unknown_label(cell: object, labels: Sequence[str]) -> Problem:
    """Return what is wrong with a cell that is none of the *labels*, with the nearest or the one that begins alike."""
    text = spelled(cell)
    near = nearest(text, labels) or next((name for name in labels if text and name.startswith(text[:3])), None)
    return Problem(f"unknown label; the labels are {', '.join(labels)}", cell, near, "label")


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
        what = f"parallel files have different numbers of lines: {counts}"
        raise TouchstoneError(what, file=str(path), code=Code.MISMATCH)
    named = dict(zip(("sentence1", "sentence2", "gold_label"), columns, strict=True))
    return TableFile(Source(str(path.with_name(shared_name)), "", path), named, range(1, sizes[0] + 1))


NUMBERS = {"0", "1", "2"}
_ORDERED = (("1", "2"), ("a", "b"), ("A", "B"), ("0", "1"))
"""Ends of the names of two columns that tell which is the first sentence."""


def label_column(table: TableFile, taken: Collection[str]) -> str | None:
    """Return the one column that holds labels and nothing else; words before numbers; None unless there is just one."""
    for vocabulary in ({*SPELLINGS, *UNLABELLED} - NUMBERS, NUMBERS):
        named = [name for name in table.columns if name not in taken and _holds(table.columns[name], vocabulary)]
        if named:
            return named[0] if len(named) == 1 else None
    return None


def _holds(cells: Sequence[object], vocabulary: Set[str]) -> bool:
    texts = {spelled(cell) for cell in cells if isinstance(cell, str | int) and not is_empty(cell)}
    filled = sum(not is_empty(cell) for cell in cells)
    return (
        bool(texts)
        and texts <= vocabulary
        and filled == sum(isinstance(cell, str | int) for cell in cells if cell != "")
    )


def sentence_columns(table: TableFile, columns: dict[str, str], taken: Collection[str]) -> dict[str, str]:
    """Return the columns of the sentences that *columns* lacks; none unless just one choice is possible.

    Parameters
    ----------
    table
        The pairs.
    columns
        The columns of roles that are known.
    taken
        Columns that hold something else.
    """
    missing_sides = [side for side in ("premise", "hypothesis") if side not in columns]
    texts = [name for name in table.columns if name not in {*columns.values(), *taken} and _is_prose(table, name)]
    if not missing_sides or len(texts) != len(missing_sides):
        return {}
    if len(missing_sides) == 1:
        return {missing_sides[0]: texts[0]}
    ordered = sorted(texts, key=lambda name: (bool(re.search("hyp", name, re.IGNORECASE)), name))
    first, second = ordered
    numbered = first[:-1] == second[:-1] and (first[-1:], second[-1:]) in _ORDERED
    called = re.search("prem", first, re.IGNORECASE) or re.search("hyp", second, re.IGNORECASE)
    return dict(zip(missing_sides, ordered, strict=True)) if numbered or called else {}


def _is_prose(table: TableFile, name: str) -> bool:
    """Return whether most cells of a column are several words."""
    cells = [cell for cell in table.columns[name] if isinstance(cell, str) and cell.strip()]
    return 2 * sum(" " in cell.strip() for cell in cells) > len(cells)
