"""Tables whose rows have a sentence: items without ids are told apart by it, and rows are joined by it."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from touchstone.io.tables import TableFile
from touchstone.io.texts import Texts, exact_form, ids_by_text
from touchstone.tasks.lexsub.formats.tables import GOLD, IDS, ITEM, PARTS, RUN, SENTENCES, has_row_for_each_item
from touchstone.tasks.lexsub.model import GoldSet, lemma_of

_MARKS = re.compile(r"</?head>")
_WORDS = ("target", "lemma")
"""Names of the column of items under which words are their own ids."""


def sentence_texts(table: TableFile, chosen: Sequence[str] = ()) -> Texts:
    """Return the sentence of each row of a table that has some, and its target where there is one."""
    columns = SENTENCES.bind(table, chosen).columns
    if "sentence" in columns:
        sentences = [_MARKS.sub("", text) if text else None for text in table.texts(columns["sentence"])]
    else:
        parts = zip(*(table.texts(columns[part]) for part in PARTS), strict=True)
        sentences = [" ".join(filter(None, row)) or None for row in parts]
    if "target" not in columns:
        return {"sentence": sentences}
    return {"sentence": sentences, "target": list(map(lemma_of, table.texts(columns["target"])))}


def numbered_gold(table: TableFile, chosen: Sequence[str]) -> tuple[TableFile, list[str]]:
    """Return a table of gold without ids whose items are numbered by sentence and target, and a sentence on it.

    A word that occurs in one sentence only may be its own id. Where each row is an item, rows with the same sentence
    and target are several items.
    """
    item = _item(table, chosen)
    if not _is_word(item, chosen):
        return table, []
    texts = sentence_texts(table, chosen)
    row_is_item = has_row_for_each_item(GOLD.bind(table, chosen))
    keys = _number_repeats(_keys(texts)) if row_is_item else _keys(texts)
    if item and len(set(keys)) == len(set(table.texts(item))):
        return table, []
    numbers = {key: str(number) for number, key in enumerate(dict.fromkeys(keys), 1)}
    remark = f"{table.source.stem}: no ids, so items are told apart by {' and '.join(texts)}: {len(numbers):,}"
    return _with_ids(table, [numbers[key] for key in keys]), [remark]


def joined_run(table: TableFile, chosen: Sequence[str], gold: GoldSet | None) -> tuple[TableFile, list[str]]:
    """Return a table of answers without ids with those of the items whose sentences it has, and sentences on it."""
    item = _item(table, chosen)
    if gold is None or not _is_word(item, chosen) or (item and set(table.texts(item)) <= {*gold.rows, None}):
        return table, []
    texts = sentence_texts(table, chosen)
    keys = _keys(texts)
    keys = _number_repeats(keys) if has_row_for_each_item(RUN.bind(table, chosen)) else keys
    first = {key: row for row, key in reversed([*enumerate(keys)])}
    rows = sorted(first.values())
    distinct = {role: [cells[row] for row in rows] for role, cells in texts.items()}
    joined = ids_by_text(gold.ids, gold.texts, distinct, table.take(rows))
    if joined is None:
        return table, []
    ids = {keys[row]: name for row, name in zip(rows, joined.ids, strict=True)}
    return _with_ids(table, [ids[key] for key in keys]), joined.remarks


def _keys(texts: Texts) -> list[tuple[str, ...]]:
    return list(zip(*([exact_form(text or "") for text in cells] for cells in texts.values()), strict=True))


def _number_repeats(keys: Iterable[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """Add to each key how often it occurred before."""
    counts: Counter[tuple[str, ...]] = Counter()
    numbered = []
    for key in keys:
        numbered.append((*key, str(counts[key])))
        counts[key] += 1
    return numbered


def _item(table: TableFile, chosen: Sequence[str]) -> str | None:
    return IDS.bind(table, chosen).columns.get(ITEM.role)


def _is_word(item: str | None, chosen: Sequence[str]) -> bool:
    """Return whether a column of items holds words that nobody chose as ids, or there is none."""
    return item is None or (item.lower() in _WORDS and f"{ITEM.role}={item}" not in chosen)


def _with_ids(table: TableFile, ids: Sequence[str]) -> TableFile:
    columns: Mapping[str, list[str]] = {ITEM.names[0]: list(ids)}
    return replace(table, columns={**columns, **table.columns})
