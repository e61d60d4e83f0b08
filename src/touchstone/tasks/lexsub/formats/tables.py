"""Gold and runs in tables of any format and in Python objects.

A table has one row for each substitute (``item, substitute, weight``), or one row for each item with a cell that holds
all its substitutes. Both become the records that `jsonl` reads.
"""

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal, TypeVar

from touchstone.base.errors import Fault, TouchstoneError
from touchstone.base.notes import warning
from touchstone.io.annotations import ANNOTATOR, repeated_annotations
from touchstone.io.cells import is_empty, parse_number
from touchstone.io.tables import Role, TableFile
from touchstone.tasks.lexsub.formats import jsonl
from touchstone.tasks.lexsub.formats.cells import (
    Problem,
    gold_cell,
    is_gold,
    is_packed,
    plain,
    read_answer,
    read_id,
    read_number,
    read_substitute,
    read_target,
    read_weight,
    run_cell,
    trimmed,
)
from touchstone.tasks.lexsub.formats.els07 import PROPER_NAME, parse_pos
from touchstone.tasks.lexsub.keys import key
from touchstone.tasks.lexsub.model import GoldSet, Run

T = TypeVar("T")

SUBSTITUTE = "substitute"

ITEM = Role("item", ("item", "id", "item_id", "instance", "instance_id", "target_id", "sentence_id", "target", "lemma"))
_WORD = (
    Role("target", ("target", "lemma", "target_word", "target_lemma", "word")),
    Role("pos", ("pos", "part_of_speech", "upos")),
)
GOLD_ROLES = (
    ITEM,
    Role(SUBSTITUTE, (SUBSTITUTE, "gold", "substitutes", "answer", "answers", "response", "responses", "word")),
    Role("weight", ("weight", "count", "freq", "frequency", "votes", "weights", "counts")),
    *_WORD,
    Role("sentence", ("sentence", "context", "text")),
    *(Role(name, (name,)) for name in ("left", "head", "right")),
    ANNOTATOR,
)
RUN_ROLES = (
    ITEM,
    Role(
        SUBSTITUTE,
        (
            SUBSTITUTE,
            "answers",
            "substitutes",
            "answer",
            "prediction",
            "predictions",
            "candidate",
            "candidates",
            "word",
        ),
    ),
    Role("rank", ("rank", "position")),
    Role(
        "score",
        ("score", "scores", "probability", "prob", "logprob", "log_prob", "logit", "confidence", "similarity"),
    ),
    *_WORD,
    *(Role(name, (name,)) for name in ("best", "cut", "system")),
)
_OWN = {"id", "gold", "answers", "substitutes"}
"""Names of columns that need no remark: those of our own files."""

_ELS07_ID = re.compile(r"(\S+)\s+(\S+)")

Row = dict[str, Any]
"""The cells of a row by role, with ``id`` in the place of ``item``."""

Rows = Sequence[tuple[int, Row]]
"""Rows with their lines."""


@dataclass(frozen=True)
class _Checked:
    """Calls the readers of cells; a problem becomes a fault of its line, and None."""

    file: str
    faults: list[Fault]

    def __call__(self, read: Callable[[Any], T], given: object, line: int) -> T | None:
        try:
            return read(given)
        except Problem as problem:
            for one in (problem, *problem.further):
                value = None if one.value is None else str(one.value)
                self.faults.append(Fault(one.what, self.file, line, value))
            return None


def read_gold(
    table: TableFile, chosen: Sequence[str] = (), min_responses: float | None = None, faults: Iterable[Fault] = ()
) -> GoldSet:
    """Return the gold of a table.

    Parameters
    ----------
    table
        One row for each substitute with its weight, or one row for each item. Without weights each mention of a
        substitute counts 1.
    chosen
        The user's own choices of columns, ``ROLE=NAME``.
    min_responses
        The least summed weight of an item that is scored; 1 by default.
    faults
        Those of rows that could not be read.
    """
    columns = _columns(table, GOLD_ROLES, chosen)
    checked = _Checked(table.source.name, list(faults))
    complete = not checked.faults
    annotator = columns.pop("annotator", None)
    if annotator and "weight" not in columns:
        checked.faults.extend(repeated_annotations(table, [columns["item"], columns[SUBSTITUTE]], annotator))
    rows = _split_ids(_rows(table, columns, checked))
    complete = complete and len(rows) == len(table)
    cells = [row[SUBSTITUTE] for _, row in rows if not is_empty(row[SUBSTITUTE])]
    whole = any(map(is_packed, cells)) or ("weight" not in columns and all(map(is_gold, cells)))
    records = []
    names = 0
    for number, members in _items(rows, whole, checked):
        gold = (checked(_whole_gold, members[0][1], number) or {}) if whole else _added(members, checked)
        kept = {answer: weight for answer, weight in gold.items() if key(answer) != PROPER_NAME}
        names += len(gold) > len(kept)
        records.append((number, {**_described(members[0][1]), **_context(members[0][1]), "gold": kept}))
    remarks = _remarks(table, columns, GOLD_ROLES)
    if not whole and "weight" not in columns:
        remarks.append(f"{table.source.stem}: no column of weights; each mention of a substitute counts 1")
    if names:
        remarks.append(
            f"{table.source.stem}: items with the response {PROPER_NAME} (a name), which is dropped: {names:,}"
        )
    return jsonl.gold_of(
        records, table.source, min_responses, checked.faults, form="table", remarks=remarks, complete=complete
    )


def read_run(
    table: TableFile, chosen: Sequence[str] = (), known: Collection[str] = (), faults: Iterable[Fault] = ()
) -> Run:
    """Return the run of a table.

    Parameters
    ----------
    table
        One row for each answer, best first or in the order of a rank or a score; or one row for each item.
    chosen, faults
        As in `read_gold`.
    known
        The ids of the gold, where it was read before: they tell whether ``bright.a 5`` is an id or has an id in it.
    """
    columns = _columns(table, RUN_ROLES, chosen)
    best_only = SUBSTITUTE not in columns
    if best_only:
        columns[SUBSTITUTE] = columns.pop("best")
    checked = _Checked(table.source.name, list(faults))
    rows = _split_ids(_rows(table, columns, checked), known)
    cells = [row[SUBSTITUTE] for _, row in rows if not is_empty(row[SUBSTITUTE])]
    if cells and all(map(is_gold, cells)):
        hint = "give the gold first and the systems after it"
        raise TouchstoneError("every answer ends in a count: this is gold", file=table.source.name, hint=hint)
    items = _items(rows, any(map(is_packed, cells)), checked)
    records = [(number, _run_record(members, checked)) for number, members in items]
    remarks = _remarks(table, columns, RUN_ROLES)
    if not {"rank", "score"} & columns.keys():
        remarks += _unordered(table, rows) + _distances(table, columns, rows)
    run = jsonl.run_of(records, table.source, checked.faults, form="table", remarks=remarks)
    return replace(run, best=run.ranked, ranked=None) if best_only else run


def table_kind(table: TableFile, chosen: Sequence[str] = ()) -> Literal["gold", "run"]:
    """Return what a table holds: gold has weights."""
    columns = _columns(table, GOLD_ROLES, chosen, required=False)
    cells = (plain(cell) for cell in table.columns.get(columns.get(SUBSTITUTE, ""), []))
    cell = next((cell for cell in cells if not is_empty(cell)), None)
    weighted = isinstance(cell, Mapping) or (isinstance(cell, str) and (cell.lstrip()[:1] == "{" or is_gold(cell)))
    return "gold" if "weight" in columns or columns.get(SUBSTITUTE) == "gold" or weighted else "run"


def has_columns(names: Iterable[str], roles: Sequence[Role], chosen: Sequence[str] = ()) -> bool:
    """Return whether the names of columns are those of a table of substitutes, or among those that the user chose."""
    lowered = {name.strip().strip('"').lower() for name in names}
    return all(lowered & set(role.names) for role in roles[:2]) or any(
        choice.partition("=")[2].lower() in lowered for choice in chosen
    )


def _columns(
    table: TableFile, roles: Sequence[Role], chosen: Sequence[str], *, required: bool = True
) -> dict[str, str]:
    """Return the column of each role; a column has one role, and choices for the other kind of file are passed over."""
    others = {role.name for role in (*GOLD_ROLES, *RUN_ROLES)} - {role.name for role in roles}
    own = [choice for choice in chosen if choice.partition("=")[0] not in others]
    here = [choice for choice in own if table.name(choice.partition("=")[2], required=False)]
    settled = {choice.partition("=")[0] for choice in here}  # gold and run may each have a choice for one role
    columns = table.roles(
        roles, [choice for choice in own if choice in here or choice.partition("=")[0] not in settled]
    )
    missing = [role for role in roles[:2] if role.name not in columns]
    missing = [role for role in missing if not (role.name == SUBSTITUTE and "best" in columns)]
    if required and missing:
        table.require(*missing)
    needed = [role.name for role in roles[:2]]
    taken = [columns.get(name) for name in needed]
    return {role: name for role, name in columns.items() if role in needed or name not in taken}


def _remarks(table: TableFile, columns: Mapping[str, str], roles: Sequence[Role]) -> list[str]:
    return table.remarks({role: name for role, name in columns.items() if name.lower() not in _OWN}, roles)


def _rows(table: TableFile, columns: Mapping[str, str], checked: _Checked) -> list[tuple[int, Row]]:
    """Return the rows with their ids, targets and parts of speech; those without an id become faults."""
    cells = zip(*(table.columns[name] for name in columns.values()), strict=True)
    rows = (
        (number, checked(_row, dict(zip(columns, map(plain, row), strict=True)), number))
        for number, row in zip(table.lines, cells, strict=True)
    )
    return [(number, row) for number, row in rows if row is not None]


def _row(cells: Row) -> Row:
    target, pos = read_target(cells.get("target"))
    return {**cells, "id": read_id(cells["item"]), "target": target, "pos": read_answer(cells.get("pos")) or pos}


def _split_ids(rows: list[tuple[int, Row]], known: Collection[str] = ()) -> list[tuple[int, Row]]:
    """Return rows whose ids have the form ``bright.a 5`` with the id ``5``, as ELS07 files have it.

    An id that is *known* stays. Where none is known, all ids must have that form, and must stay different.
    """
    parts = {row["id"]: _els07_id(row["id"]) for _, row in rows}
    if known:
        parts = {name: None if name in known else part for name, part in parts.items()}
    elif None in parts.values() or len({part["id"] for part in parts.values() if part}) < len(parts):
        return rows
    return [
        (number, {**row, **{name: row[name] or value for name, value in part.items()}, "id": part["id"]})
        if (part := parts[row["id"]])
        else (number, row)
        for number, row in rows
    ]


def _els07_id(name: str) -> Row | None:
    match = _ELS07_ID.fullmatch(name)
    pos = parse_pos(match[1]) if match and "." in match[1] else None
    return {"id": match[2], "target": match[1].split(".", 1)[0], "pos": pos} if match and pos else None


def _items(rows: Rows, whole: bool, checked: _Checked) -> list[tuple[int, list[tuple[int, Row]]]]:
    """Return the rows of each item, with the line of the first; refuse an item that has two targets."""
    if whole:
        return [(number, [(number, row)]) for number, row in rows]
    items: dict[str, list[tuple[int, Row]]] = {}
    for number, row in rows:
        members = items.setdefault(row["id"], [])
        members.append((number, row))
        first, known = members[0]
        if row["target"] != known["target"]:
            what = f"item {row['id']} has the target '{known['target'] or ''}' on line {first}, not this one"
            checked.faults.append(Fault(what, checked.file, number, row["target"]))
    return [(members[0][0], members) for members in items.values()]


def _unordered(table: TableFile, rows: Rows) -> list[str]:
    """Return a warning where the rows of items are mixed, so that their order is hardly that of the answers.

    Rows by item, and rows by place in the list (the first answer of every item, then the second), are in order.
    """
    places: dict[str, int] = {}
    numbers = [places.setdefault(row["id"], 0) for _, row in rows]
    split = set()
    before = None
    for place, (_, row) in enumerate(rows):
        numbers[place] = places[row["id"]]
        places[row["id"]] += 1
        if numbers[place] and row["id"] != before:
            split.add(row["id"])
        before = row["id"]
    if not split or numbers == sorted(numbers):
        return []
    what = (
        f"{table.source.stem}: the answers of {len(split):,} of {len(places):,} items are not in rows that follow each"
    )
    return [warning(f"{what} other, so their order may be lost: sort the rows, or give a column rank or score")]


DISTANCES = {"cost", "dist", "distance", "distances", "loss", "nll", "perplexity"}
"""Names of columns by which the best answer has the least number; answers are not sorted by them."""


def _distances(table: TableFile, columns: Mapping[str, str], rows: Rows) -> list[str]:
    """Return a warning where a column of distances is not used, and the rows are not in its order."""
    unused = [name for name in table.columns if name.lower() in DISTANCES and name not in columns.values()]
    if not unused or len(rows) < len(table):
        return []
    least: dict[str, float] = {}
    for (_, row), cell in zip(rows, table.columns[unused[0]], strict=True):
        number = parse_number(cell)
        if number is not None and number < least.get(row["id"], number):
            what = f"{table.source.stem}: answers are taken in the order of rows, in which {unused[0]} falls"
            return [warning(f"{what}: sort the rows of each item, or give a column rank, 1 for the best answer")]
        least[row["id"]] = least.get(row["id"], number or 0.0) if number is None else number
    return []


def _whole_gold(row: Row) -> dict[str, float]:
    return gold_cell(row[SUBSTITUTE], row.get("weight"))


def _added(members: Rows, checked: _Checked) -> dict[str, float]:
    """Return the weights of an item that has a row for each substitute."""
    gold: dict[str, float] = {}
    first: dict[str, int] = {}
    for number, row in members:
        answer = checked(read_substitute, row[SUBSTITUTE], number)
        weight = checked(read_weight, row["weight"], number) if "weight" in row else 1.0
        if answer is None or weight is None:
            continue
        if "weight" in row and answer in first:
            what = f"item {row['id']} has this substitute already (line {first[answer]})"
            checked.faults.append(Fault(what, checked.file, number, answer))
        first.setdefault(answer, number)
        gold[answer] = gold.get(answer, 0) + weight
    return gold


def _run_record(members: Rows, checked: _Checked) -> Row:
    """Return the record of one item, its answers in order."""
    line, row = members[0]
    if len(members) > 1:
        rows = _ordered(members, checked)
        answers = trimmed([checked(read_answer, one[SUBSTITUTE], number) or "" for number, one in rows])
    else:
        answers = checked(run_cell, row[SUBSTITUTE], line) or []
    record = {**_described(row), "answers": answers}
    if not is_empty(row.get("system")):
        record["system"] = checked(read_answer, row["system"], line)
    if not is_empty(row.get("best")):
        record["best"] = checked(run_cell, row["best"], line) or []
    if not is_empty(row.get("cut")):
        cut = parse_number(row["cut"])
        record["cut"] = int(cut) if cut is not None and cut.is_integer() else row["cut"]
    return record


def _ordered(members: Rows, checked: _Checked) -> Rows:
    """Return the rows of an item by rising rank or falling score; equal ones in the order of the table."""
    role = next((role for role in ("rank", "score") if role in members[0][1]), None)
    if role is None:
        return members
    sign = 1 if role == "rank" else -1
    numbers = [checked(partial(read_number, what=f"a {role}"), row[role], line) for line, row in members]
    ranks = [sign * (number or 0.0) for number in numbers]
    return [members[place] for place in sorted(range(len(members)), key=ranks.__getitem__)]


def _described(row: Row) -> Row:
    return {name: row[name] for name in ("id", "target", "pos")}


def _context(row: Row) -> Row:
    """Return the sentence around its target, from its parts or from the whole where the target is found in it."""
    parts = {name: None if is_empty(row.get(name)) else str(row[name]) for name in ("left", "head", "right")}
    sentence, word = row.get("sentence"), re.escape(row["target"] or "")
    if parts["head"] or not isinstance(sentence, str):
        return parts
    patterns = [r"<head>\s*(.*?)\s*</head>", *([rf"\b({word})\b", rf"\b({word}\w*)"] if word else [])]
    match = next(filter(None, (re.search(one, sentence, re.IGNORECASE | re.DOTALL) for one in patterns)), None)
    if match is None:
        return parts
    return {"left": sentence[: match.start()].strip(), "head": match[1], "right": sentence[match.end() :].strip()}
