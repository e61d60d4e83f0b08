"""Gold and runs in tables of any format and in Python objects.

A table has one row for each substitute (``item, substitute, weight``), or one row for each item with a cell that holds
all its substitutes. Both become the records that `jsonl` reads.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.base.notes import warning
from touchstone.io.annotations import ANNOTATOR, repeated_annotations
from touchstone.io.cells import is_empty, parse_number
from touchstone.io.schema import Field, Rows, Schema
from touchstone.io.tables import TableFile
from touchstone.io.texts import Texts, exact_form, ids_by_text
from touchstone.tasks.lexsub.doubts import order_remarks, ranked_weights, unused_weights
from touchstone.tasks.lexsub.formats import jsonl
from touchstone.tasks.lexsub.formats.cells import (
    gold_cell,
    is_gold,
    is_packed,
    parse_pos,
    python_value,
    read_answer,
    read_id,
    read_number,
    read_substitute,
    read_target,
    read_weight,
    run_cell,
    trimmed,
)
from touchstone.tasks.lexsub.formats.els07 import PROPER_NAME
from touchstone.tasks.lexsub.model import GoldSet, Run, key, lemma_of

SUBSTITUTE = "substitute"

ITEM = Field(
    "item",
    ("item", "id", "item_id", "instance", "instance_id", "target_id", "sentence_id", "target", "lemma"),
    required=True,
)
_WORD = (
    Field("target", ("target", "lemma", "target_word", "target_lemma", "word")),
    Field("pos", ("pos", "part_of_speech", "upos")),
)
_SENTENCE = (Field("sentence", ("sentence", "context", "text")), *map(Field, ("left", "head", "right")))
_RANKED = (
    Field("rank", ("rank", "position")),
    Field(
        "score", ("score", "scores", "probability", "prob", "logprob", "log_prob", "logit", "confidence", "similarity")
    ),
)
_LIST = tuple(map(Field, ("best", "cut", "system")))
_WEIGHT = Field("weight", ("weight", "count", "freq", "frequency", "votes", "weights", "counts"))

_RECORD_FIELDS = ("id", "gold", "answers", "substitutes")

GOLD = Schema(
    ITEM,
    Field(
        SUBSTITUTE,
        (SUBSTITUTE, "gold", "substitutes", "answer", "answers", "response", "responses", "word"),
        required=True,
    ),
    _WEIGHT,
    *_WORD,
    *_SENTENCE,
    ANNOTATOR,
    value=SUBSTITUTE,
    elsewhere=[field.role for field in (*_RANKED, *_LIST)],
    unremarked=_RECORD_FIELDS,
)
RUN = Schema(
    ITEM,
    Field(
        SUBSTITUTE,
        (
            *(SUBSTITUTE, "answers", "substitutes", "answer", "prediction", "predictions"),
            *("candidate", "candidates", "word"),
        ),
        required=True,
    ),
    *_RANKED,
    *_WORD,
    *_LIST,
    value=SUBSTITUTE,
    elsewhere=[field.role for field in (_WEIGHT, *_SENTENCE, ANNOTATOR)],
    unremarked=_RECORD_FIELDS,
)

PARTS = ("left", "head", "right")
SENTENCES, IDS = GOLD.only("target", "sentence", *PARTS), GOLD.only(ITEM.role)
"""The fields that gold and runs may have beside their substitutes."""

_ELS07_ID = re.compile(r"(\S+)\s+(\S+)")

Row = dict[str, Any]
"""The cells of a row by role, with ``id`` in the place of ``item``."""

Members = Sequence[tuple[int, Row]]
"""Rows with their places in the table."""


def read_gold(rows: Rows, numbering: Sequence[str] = (), min_responses: float | None = None) -> GoldSet:
    """Return the gold of a table.

    Parameters
    ----------
    rows
        Rows of `GOLD`: one for each substitute with its weight, or one for each item. Without weights each mention of a
        substitute counts 1.
    numbering
        How items without ids were told apart.
    min_responses
        The least summed weight of an item that is scored; 1 by default.
    """
    rows.require()
    _settle(rows)
    complete = not rows.faults
    annotator = rows.columns.pop("annotator", None)
    if annotator and "weight" not in rows.columns:
        keys = [rows.columns["item"], rows.columns[SUBSTITUTE]]
        rows.faults += repeated_annotations(rows.table, keys, annotator)
    read = _split_ids(_read(rows))
    complete = complete and len(read) == len(rows)
    cells = [row[SUBSTITUTE] for _, row in read if not is_empty(row[SUBSTITUTE])]
    row_is_item = _rows_are_items(cells, rows)
    records = []
    names = 0
    items = _items(rows, read, row_is_item)
    for row_index, members in items:
        first = members[0][1]
        if row_is_item:
            gold = rows.attempt(row_index, gold_cell, first[SUBSTITUTE], first.get("weight")) or {}
        else:
            gold = _added(rows, members)
        without_names = {answer: weight for answer, weight in gold.items() if key(answer) != PROPER_NAME}
        names += len(gold) > len(without_names)
        record = {**_described(first), **_context(first), "gold": without_names}
        records.append((rows.table.lines[row_index], record))
    remarks = [*rows.remarks(), *ranked_weights(rows.stem, [list(record["gold"].values()) for _, record in records])]
    if not row_is_item and "weight" not in rows.columns:
        remarks += unused_weights(rows, [] if annotator else [members for _, members in items], SUBSTITUTE)
    if names:
        remarks.append(f"{rows.stem}: items with the response {PROPER_NAME} (a name), which is dropped: {names:,}")
    remarks += numbering
    return jsonl.gold_of(
        records, rows.table.source, min_responses, rows.faults, form="table", remarks=remarks, complete=complete
    )


def read_run(rows: Rows, gold_ids: Collection[str] = ()) -> Run:
    """Return the run of a table.

    Parameters
    ----------
    rows
        Rows of `RUN`: one for each answer, best first or in the order of a rank or a score; or one for each item.
    gold_ids
        The ids of the gold, where it was read before: they tell whether ``bright.a 5`` is an id or has an id in it.
    """
    best_only = SUBSTITUTE not in rows.columns and "best" in rows.columns
    # A table with guesses alone is read like one with lists, and becomes the other view at the end.
    if best_only:
        rows.columns[SUBSTITUTE] = rows.columns.pop("best")
    rows.require()
    _settle(rows)
    read = _split_ids(_read(rows), gold_ids)
    cells = [row[SUBSTITUTE] for _, row in read if not is_empty(row[SUBSTITUTE])]
    if cells and all(map(is_gold, cells)):
        hint = "give the gold first and the systems after it"
        what = "every answer ends in a count: this is gold"
        raise TouchstoneError(what, file=rows.file, code=Code.MISMATCH, hint=hint)
    items = _items(rows, read, any(map(is_packed, cells)))
    records = [(rows.table.lines[row_index], _run_record(rows, members)) for row_index, members in items]
    remarks = rows.remarks("best" if best_only else "")
    order = next((role for role in ("rank", "score") if role in rows.columns), None)
    if order is None:
        remarks += _unordered(rows, read) + _distances(rows, read)
    else:
        remarks += order_remarks(rows.stem, order, [members for _, members in items])
    run = jsonl.run_of(records, rows.table.source, rows.faults, form="table", remarks=remarks)
    return replace(run, best=run.ranked, ranked=None) if best_only else run


def has_row_for_each_item(rows: Rows) -> bool:
    """Return whether the cells of gold or a run hold all substitutes of an item, instead of one substitute each."""
    _settle(rows)
    cells = [cell for cell in map(python_value, rows.cells(SUBSTITUTE)) if not is_empty(cell)]
    return bool(cells) and _rows_are_items(cells, rows)


def _rows_are_items(cells: Sequence[object], rows: Rows) -> bool:
    return any(map(is_packed, cells)) or ("weight" not in rows.columns and all(map(is_gold, cells)))


def table_kind(rows: Rows) -> Literal["gold", "run"]:
    """Return what rows of `GOLD` hold: gold has weights."""
    _settle(rows)
    cell = next((cell for cell in map(python_value, rows.cells(SUBSTITUTE)) if not is_empty(cell)), None)
    weighted = isinstance(cell, Mapping) or (isinstance(cell, str) and (cell.lstrip()[:1] == "{" or is_gold(cell)))
    return "gold" if "weight" in rows.columns or rows.columns.get(SUBSTITUTE) == "gold" or weighted else "run"


def has_columns(names: Iterable[str], schema: Schema, chosen: Sequence[str] = ()) -> bool:
    """Return whether the names of columns are those of a table of substitutes, or among those that the user chose."""
    lowered = {name.strip().strip('"').lower() for name in names}
    return all(lowered & set(field.names) for field in schema.fields if field.required) or any(
        choice.partition("=")[2].lower() in lowered for choice in chosen
    )


def has_sentences(table: TableFile, chosen: Sequence[str] = ()) -> bool:
    """Return whether the rows of a table have a sentence, whole or in parts."""
    columns = SENTENCES.bind(table, chosen).columns
    return "sentence" in columns or all(part in columns for part in PARTS)


def _settle(rows: Rows) -> None:
    """Let the columns of items and substitutes have no other role."""
    needed = [field.role for field in rows.schema.fields if field.required]
    taken = [rows.columns.get(role) for role in needed]
    for role in [role for role, name in rows.columns.items() if role not in needed and name in taken]:
        del rows.columns[role]


def _read(rows: Rows) -> Members:
    """Return the rows with their ids, targets and parts of speech; those without an id become faults."""
    cells = zip(*map(rows.cells, rows.columns), strict=True)
    read = (
        (row_index, rows.attempt(row_index, _row, dict(zip(rows.columns, map(python_value, row), strict=True))))
        for row_index, row in enumerate(cells)
    )
    return [(row_index, row) for row_index, row in read if row is not None]


def _row(cells: Row) -> Row:
    target, pos = read_target(cells.get("target"))
    return {**cells, "id": read_id(cells["item"]), "target": target, "pos": read_answer(cells.get("pos")) or pos}


def _split_ids(read: Members, gold_ids: Collection[str] = ()) -> Members:
    """Return rows whose ids have the form ``bright.a 5`` with the id ``5``, as ELS07 files have it.

    An id in *gold_ids* stays. Without these, all ids must have that form, and must stay different.
    """
    parts = {row["id"]: _els07_id(row["id"]) for _, row in read}
    if gold_ids:
        parts = {name: None if name in gold_ids else part for name, part in parts.items()}
    elif None in parts.values() or len({part["id"] for part in parts.values() if part}) < len(parts):
        return read
    return [
        (row_index, {**row, **{name: row[name] or value for name, value in part.items()}, "id": part["id"]})
        if (part := parts[row["id"]])
        else (row_index, row)
        for row_index, row in read
    ]


def _els07_id(name: str) -> Row | None:
    match = _ELS07_ID.fullmatch(name)
    pos = parse_pos(match[1]) if match and "." in match[1] else None
    return {"id": match[2], "target": match[1].split(".", 1)[0], "pos": pos} if match and pos else None


def _items(rows: Rows, read: Members, row_is_item: bool) -> list[tuple[int, Members]]:
    """Return the rows of each item, with the index of the first; note the fault of an item that has two targets."""
    if row_is_item:
        return [(row_index, [(row_index, row)]) for row_index, row in read]
    items: dict[str, list[tuple[int, Row]]] = {}
    for row_index, row in read:
        members = items.setdefault(row["id"], [])
        members.append((row_index, row))
        first, first_row = members[0]
        if row["target"] != first_row["target"]:
            above = f"'{first_row['target'] or ''}' on line {rows.table.lines[first]}"
            rows.fault(f"item {row['id']} has the target {above}, not this one", row_index, row["target"])
    return [(members[0][0], members) for members in items.values()]


def _unordered(rows: Rows, read: Members) -> list[str]:
    """Return a warning where the rows of items are mixed, so that their order is hardly that of the answers.

    Rows by item, and rows by place in the list (the first answer of every item, then the second), are in order.
    """
    places: dict[str, int] = {}
    numbers = [places.setdefault(row["id"], 0) for _, row in read]
    split = set()
    before = None
    for row_index, (_, row) in enumerate(read):
        numbers[row_index] = places[row["id"]]
        places[row["id"]] += 1
        if numbers[row_index] and row["id"] != before:
            split.add(row["id"])
        before = row["id"]
    if not split or numbers == sorted(numbers):
        return []
    what = f"{rows.stem}: the answers of {len(split):,} of {len(places):,} items are not in rows that follow each"
    return [warning(f"{what} other, so their order may be lost: sort the rows, or give a column rank or score")]


DISTANCES = {"cost", "dist", "distance", "distances", "loss", "nll", "perplexity"}
"""Names of columns by which the best answer has the least number; answers are not sorted by them."""


def _distances(rows: Rows, read: Members) -> list[str]:
    """Return a warning where a column of distances is not used, and the rows are not in its order."""
    unused = [name for name in rows.further if name.lower() in DISTANCES]
    if not unused or len(read) < len(rows):
        return []
    least: dict[str, float] = {}
    for (_, row), cell in zip(read, rows.table.columns[unused[0]], strict=True):
        number = parse_number(cell)
        if number is not None and number < least.get(row["id"], number):
            what = f"{rows.stem}: answers are taken in the order of rows, in which {unused[0]} falls"
            return [warning(f"{what}: sort the rows of each item, or give a column rank, 1 for the best answer")]
        least[row["id"]] = least.get(row["id"], number or 0.0) if number is None else number
    return []


def _added(rows: Rows, members: Members) -> dict[str, float]:
    """Return the weights of an item that has a row for each substitute."""
    gold: dict[str, float] = {}
    first: dict[str, int] = {}
    for row_index, row in members:
        answer = rows.attempt(row_index, read_substitute, row[SUBSTITUTE])
        weight = rows.attempt(row_index, read_weight, row["weight"]) if "weight" in row else 1.0
        if answer is None or weight is None:
            continue
        if "weight" in row and answer in first:
            above = f"line {rows.table.lines[first[answer]]}"
            rows.fault(f"item {row['id']} has this substitute already ({above})", row_index, answer)
        first.setdefault(answer, row_index)
        gold[answer] = gold.get(answer, 0) + weight
    return gold


def _run_record(rows: Rows, members: Members) -> Row:
    """Return the record of one item, its answers in order."""
    row_index, row = members[0]
    if len(members) > 1:
        ordered = _ordered(rows, members)
        answers = trimmed([rows.attempt(at, read_answer, member[SUBSTITUTE]) or "" for at, member in ordered])
    else:
        answers = rows.attempt(row_index, run_cell, row[SUBSTITUTE]) or []
    record = {**_described(row), "answers": answers}
    if not is_empty(row.get("system")):
        record["system"] = rows.attempt(row_index, read_answer, row["system"])
    if not is_empty(row.get("best")):
        record["best"] = rows.attempt(row_index, run_cell, row["best"]) or []
    if not is_empty(row.get("cut")):
        cut = parse_number(row["cut"])
        record["cut"] = int(cut) if cut is not None and cut.is_integer() else row["cut"]
    return record


def _ordered(rows: Rows, members: Members) -> Members:
    """Return the rows of an item by rising rank or falling score; equal ones in the order of the table."""
    role = next((role for role in ("rank", "score") if role in members[0][1]), None)
    if role is None:
        return members
    sign = 1 if role == "rank" else -1
    numbers = [rows.attempt(row_index, read_number, row[role], f"a {role}") for row_index, row in members]
    ranks = [sign * (number or 0.0) for number in numbers]
    return [members[n] for n in sorted(range(len(members)), key=ranks.__getitem__)]


def _described(row: Row) -> Row:
    return {name: row[name] for name in ("id", "target", "pos")}


def _context(row: Row) -> Row:
    """Return the sentence around its target, from its parts or from the whole where the target is found in it."""
    parts = {name: None if is_empty(row.get(name)) else str(row[name]) for name in ("left", "head", "right")}
    sentence, word = row.get("sentence"), re.escape(row["target"] or "")
    if parts["head"] or not isinstance(sentence, str):
        return parts
    patterns = [r"<head>\s*(.*?)\s*</head>", *([rf"\b({word})\b", rf"\b({word}\w*)"] if word else [])]
    match = next(filter(None, (re.search(pattern, sentence, re.IGNORECASE | re.DOTALL) for pattern in patterns)), None)
    if match is None:
        return parts
    return {"left": sentence[: match.start()].strip(), "head": match[1], "right": sentence[match.end() :].strip()}


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
    for words in keys:
        numbered.append((*words, str(counts[words])))
        counts[words] += 1
    return numbered


def _item(table: TableFile, chosen: Sequence[str]) -> str | None:
    return IDS.bind(table, chosen).columns.get(ITEM.role)


def _is_word(item: str | None, chosen: Sequence[str]) -> bool:
    """Return whether a column of items holds words that nobody chose as ids, or there is none."""
    return item is None or (item.lower() in _WORDS and f"{ITEM.role}={item}" not in chosen)


def _with_ids(table: TableFile, ids: Sequence[str]) -> TableFile:
    columns: Mapping[str, list[str]] = {ITEM.names[0]: list(ids)}
    return replace(table, columns={**columns, **table.columns})
