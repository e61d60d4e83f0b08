"""Columns of unknown names that are recognised by what they hold, where only one choice is possible."""

import re
from collections.abc import Collection, Sequence, Set

from touchstone.io.cells import is_empty
from touchstone.io.tables import TableFile
from touchstone.tasks.nli.labels import SPELLINGS, UNLABELLED, spelled

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
