"""Items recognised by what they say: runs that contain the texts of the gold are joined by them, never by row order.

Where a run has ids too, the texts beside them must be those of the gold.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from touchstone.base.codes import Code
from touchstone.base.errors import Fault, TouchstoneError
from touchstone.base.notes import count_note, warning
from touchstone.base.ragged import Ints
from touchstone.io.tables import TableFile

Texts = Mapping[str, Sequence[str | None]]
"""What items say: the texts of all items by role, such as premise and hypothesis; None if an item has none."""

Key = tuple[str, ...]

RECOGNISED = 0.5
"""The share of a column's cells that must be texts of the gold for a column that nobody named to hold them."""

AMBIGUOUS = 0.1
"""The largest share of items that may have the text of another item and still differ from it."""


def exact_form(text: str) -> str:
    """Return a text with single blanks, in one form of Unicode."""
    return " ".join(unicodedata.normalize("NFC", text).split())


def word_form(text: str) -> str:
    """Return only the letters and digits of a text, which tokenisers and truecasers leave as they are.

    >>> word_form("The dog's tail .") == word_form("the dog 's tail.")
    True
    """
    return "".join(re.findall(r"\w+", unicodedata.normalize("NFKC", text).casefold())) or exact_form(text)


@dataclass(frozen=True)
class TextJoin:
    """The id of each row of a run, found by the texts of the row, and sentences on how."""

    ids: list[str]
    remarks: list[str]


def text_columns(table: TableFile, named: Mapping[str, str], gold: Texts, taken: Iterable[str] = ()) -> dict[str, str]:
    """Return the column of a run that holds each kind of text of the gold, by name or else by content.

    Parameters
    ----------
    table
        The run.
    named
        By role, the columns that are called so.
    gold
        The texts of the gold.
    taken
        Columns that hold something else, such as the answers.
    """
    columns = {role: column for role, column in named.items() if role in gold and _has_texts(table, column)}
    free = [name for name in table.columns if name not in {*columns.values(), *taken} and _has_texts(table, name)]
    shares: list[tuple[float, str, str]] = []
    for role in gold.keys() - columns.keys() if free else ():
        gold_forms = {word_form(text) for text in gold[role] if text}
        for name in free:
            cells = [word_form(text) for text in table.texts(name) if text]
            shares.append((sum(cell in gold_forms for cell in cells) / len(cells), role, name))
    for share, role, name in sorted(shares, reverse=True):
        if share >= RECOGNISED and role not in columns and name not in columns.values():
            columns[role] = name
    return {role: columns[role] for role in gold if role in columns}


def _has_texts(table: TableFile, column: str) -> bool:
    present = any(isinstance(cell, str) and cell.strip() for cell in table.columns[column])
    return present and not table.is_numeric(column)


def column_texts(table: TableFile, columns: Mapping[str, str]) -> Texts:
    """Return the cells of the columns of some roles as text."""
    return {role: table.texts(column) for role, column in columns.items()}


def shared_roles(gold: Texts, run: Texts) -> list[str]:
    """Return the roles of the texts that both have; a column of few different cells holds no texts, such as a name."""
    return [role for role in gold if role in run and 2 * _variety(run[role]) >= _variety(gold[role]) > 0]


def _variety(cells: Sequence[str | None]) -> float:
    present = [cell for cell in cells if cell]
    return len(set(present)) / len(present) if present else 0.0


def ids_by_text(ids: Sequence[str], gold: Texts, run: Texts, table: TableFile) -> TextJoin | None:
    """Return the ids of the rows of a run without ids, by what they say; None if it has no texts of the gold.

    Rows with the same texts are joined in the order of their occurrence. A row whose texts the gold does not have gets
    these as its id, so that the policy for unknown ids decides.

    Parameters
    ----------
    ids, gold
        The ids of the items, and their texts.
    run, table
        The texts of the run, and the table that they are from.

    Examples
    --------
    >>> from touchstone.io.objects import table_of
    >>> table = table_of([{"source": "Ja ."}, {"source": "Nein."}])
    >>> ids_by_text(["1", "2"], {"source": ["Nein.", "Ja."]}, {"source": table.texts("source")}, table).ids
    ['2', '1']
    """
    shared = shared_roles(gold, run)
    if not shared:
        return None
    items, rows = _keys(gold, run, shared)
    name, roles = table.source.stem, " and ".join(shared)
    remarks = [f"{name}: no ids, so rows are joined by {roles}"]
    # The usual case: the same rows in the same order, whether or not texts repeat.
    if items == rows:
        return TextJoin(list(ids), remarks)
    item_rows: dict[Key, list[int]] = {}
    for item_row, key in enumerate(items):
        item_rows.setdefault(key, []).append(item_row)
    if not item_rows.keys() & set(rows):
        columns = ", ".join(shared)
        what = f"no ids, and none of its texts ({columns}) is in the gold"
        hint = "give the run of this gold, or a column of ids; leave the column out if it holds something else"
        raise TouchstoneError(what, file=table.source.name, code=Code.MISMATCH, hint=hint)
    unclear = _refuse_ambiguous(gold, shared, item_rows, table)
    counts: Counter[Key] = Counter()
    run_ids, repeated = [], 0
    written = zip(*(run[role] for role in shared), strict=True)
    for key, texts in zip(rows, written, strict=True):
        same = item_rows.get(key)
        unknown = " / ".join(filter(None, texts)) or "(empty)"
        run_ids.append(ids[same[min(counts[key], len(same) - 1)]] if same else unknown)
        repeated += bool(same and len(same) > 1)
        counts[key] += 1
    if unclear:
        what = (
            f"items that the column {' and '.join(shared)} does not tell apart, joined in the order of their occurrence"
        )
        remarks.append(warning(f"{name}: {what}: {unclear:,}; add the column {_listed_others(gold, shared)}"))
    elif repeated:
        what = "rows whose texts occur more than once in the gold, joined in the order of their occurrence"
        remarks.append(count_note(f"{name}: {what}", repeated))
    return TextJoin(run_ids, remarks)


def _keys(gold: Texts, run: Texts, shared: Sequence[str]) -> tuple[list[Key], list[Key]]:
    """Return the texts of items and rows in the strictest form in which the gold has all texts of the run."""
    items, rows = (_formed(texts, shared, exact_form) for texts in (gold, run))
    if set(rows) <= set(items):
        return items, rows
    words, row_words = (_formed(texts, shared, word_form) for texts in (gold, run))
    # Letters and digits alone are compared only where they tell the items apart as well as the whole texts do.
    return (words, row_words) if len(set(words)) == len(set(items)) else (items, rows)


def _formed(texts: Texts, roles: Sequence[str], form: Callable[[str], str]) -> list[Key]:
    return list(zip(*([form(text or "") for text in texts[role]] for role in roles), strict=True))


def _refuse_ambiguous(
    gold: Texts, shared: Sequence[str], item_rows: Mapping[Key, Sequence[int]], table: TableFile
) -> int:
    """Refuse a run whose texts are often those of several items that differ in another text, such as a premise alone.

    Return how many items there are with the texts of an item that differs from them.
    """
    others = [role for role in gold if role not in shared]
    unclear = sum(
        len(same)
        for same in item_rows.values()
        if len(same) > 1 and len({tuple(gold[role][item_row] for role in others) for item_row in same}) > 1
    )
    if unclear > AMBIGUOUS * sum(map(len, item_rows.values())):
        what = f"no ids, and the column {' and '.join(shared)} alone does not tell the items apart"
        hint = f"add the column {_listed_others(gold, shared)}, or a column of ids"
        raise TouchstoneError(what, file=table.source.name, code=Code.AMBIGUOUS, hint=hint)
    return unclear


def _listed_others(gold: Texts, shared: Sequence[str]) -> str:
    return " and ".join(role for role in gold if role not in shared)


def contradictions(
    ids: Sequence[str], gold: Texts, run: Texts, rows: Ints, file: str, lines: Sequence[int | str]
) -> tuple[list[Fault], list[str]]:
    """Return a fault for each row of a run whose text is not that of its item in the gold, and what to do.

    Parameters
    ----------
    ids, gold
        The ids of the items, and their texts.
    run
        The texts of the run.
    rows
        The row of the run for each item, -1 if there is none.
    file, lines
        Where the rows of the run are.
    """
    faults: list[Fault] = []
    for role in shared_roles(gold, run):
        for name, text, row in zip(ids, gold[role], rows.tolist(), strict=True):
            other = run[role][row] if row >= 0 else None
            if text and other and text != other and word_form(text) != word_form(other):
                faults.append(
                    Fault(f"item {name} has another {role} in the gold", file, lines[row], other, code=Code.MISMATCH)
                )
    hint = "ids and texts contradict each other: give the run of this gold, or leave out the column that is wrong"
    return faults, [hint] if faults else []
