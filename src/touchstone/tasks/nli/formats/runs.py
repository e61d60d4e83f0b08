"""What a system says: labels, probabilities, or both; with ids, or one label per line in the order of the gold."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from touchstone.base.errors import Fault, TouchstoneError, nearest
from touchstone.base.options import TableOptions
from touchstone.base.ragged import Floats
from touchstone.base.spelling import setting
from touchstone.io.cells import is_empty, parse_number
from touchstone.io.jsonl import parse_json
from touchstone.io.tables import TableFile
from touchstone.io.texts import Texts, column_texts, ids_by_text, text_columns
from touchstone.tasks.nli.formats.recognising import label_column
from touchstone.tasks.nli.formats.records import (
    ID,
    RUN_ROLES,
    SENTENCES,
    Problem,
    check_faults,
    label_columns,
    number_remark,
    parse_column,
    read_ids,
)
from touchstone.tasks.nli.labels import (
    LABELS,
    NUMBERED,
    OTHER,
    SPELLINGS,
    numbered_labels,
    parse_labels,
    spelled,
)
from touchstone.tasks.nli.model import SHARES, GoldSet, Run, texts_of

TOLERANCE = 0.001 + 1e-9
"""How far from 1 the probabilities of a pair may sum: files are written with few decimals, sums are rounded."""


def parse_run(
    table: TableFile,
    options: TableOptions,
    labels: Sequence[str] = (),
    gold: GoldSet | None = None,
    name: str = "",
    *,
    faults: Sequence[Fault] = (),
) -> Run:
    """Return the run of one system.

    Parameters
    ----------
    table
        The columns of `RUN_ROLES`; probabilities may have a column for each label instead.
    options
        Which columns the user chose.
    labels
        What the user says labels mean, ``VALUE=LABEL``.
    gold
        Gives the ids of rows that have none, by their sentences or in order, and the meaning of numbers.
    name
        The name of the system; the file's by default.
    faults
        Those of rows that could not be read.
    """
    columns = label_columns(table, RUN_ROLES, options.column, "prediction")
    if not columns.keys() & {"label", "probabilities"} and sum(map(bool, map(_share_label, table.columns))) < 2:
        own = label_column(table, columns.values())
        columns |= {"label": own} if own else {}
    cells = table.columns.get(columns.get("label", ""), [])
    if "probabilities" not in columns and any(isinstance(cell, list | dict) for cell in cells):
        columns["probabilities"], cells = columns.pop("label"), []
    known = {**(gold.numbers if gold else {}), **parse_labels(labels)}
    numbers = numbered_labels(cells, known, table.categories.get(columns.get("label", "")), table.source.name)
    meanings = {**SPELLINGS, OTHER: OTHER, **numbers, **known}
    whole, faults = not faults, list(faults)
    shares = _shares(table, columns, meanings, faults)
    if "label" not in columns and shares is None:
        table.require(RUN_ROLES[1])
    given = parse_column(table, columns.get("label"), lambda cell: _label(cell, meanings), None, faults)
    texts = _sentences(table, columns, options, gold)
    ids, remarks, in_gold_order = _ids(table, columns, gold, texts, faults)
    if shares is not None:
        best = [None if row[0] != row[0] else SHARES[int(row.argmax())] for row in shares]
        faults += _contradictions(table, given, shares)
        given = [label or other for label, other in zip(given, best, strict=True)]
    if faults and whole and len(ids) == len(table):
        raise _with_ids(TouchstoneError.of(faults), table, name, ids, cells)
    check_faults(faults)
    kept = [row for row, label in enumerate(given) if label is not None]  # an empty cell is a missing prediction
    source = table.source
    return Run(
        name or source.stem,
        source,
        [ids[row] for row in kept] if len(kept) < len(ids) else ids,
        [str(given[row]) for row in kept],
        [table.lines[row] for row in kept] if len(kept) < len(ids) else table.lines,
        shares if shares is None else shares[kept],
        [*table.remarks(columns, RUN_ROLES), *remarks, *number_remark(table, numbers, known)],
        {role: [cells[row] for row in kept] for role, cells in texts.items()} if "id" in columns else {},
        in_gold_order,
    )


def _with_ids(
    error: TouchstoneError, table: TableFile, name: str, ids: Sequence[str], cells: Sequence[object]
) -> TouchstoneError:
    """Return an error about labels with a run whose ids can be checked all the same; its labels mean nothing."""
    answered = [row for row in range(len(ids)) if not cells or not is_empty(cells[row])]
    places = [ids[row] for row in answered], [LABELS[0]] * len(answered), [table.lines[row] for row in answered]
    error.readable = Run(name or table.source.stem, table.source, *places)
    return error


def _sentences(table: TableFile, columns: Mapping[str, str], options: TableOptions, gold: GoldSet | None) -> Texts:
    """Return the sentences that a run has beside its labels."""
    if table.columns.keys() == set(columns.values()):
        return {}
    sides = {role.name for role in SENTENCES}
    chosen = table.roles(SENTENCES, [text for text in options.column if str(text).partition("=")[0] in sides])
    named = {role: column for role, column in chosen.items() if column not in columns.values()}
    return column_texts(table, text_columns(table, named, texts_of(gold.pairs), columns.values()) if gold else named)


def _ids(
    table: TableFile, columns: Mapping[str, str], gold: GoldSet | None, texts: Texts, faults: list[Fault]
) -> tuple[list[str], list[str], bool]:
    """Return the ids of the rows, sentences on how they were found, and whether only the order of rows gives them.

    Sentences tell which pair a row is; without them rows are in the order of the gold. Where the gold has ids of its
    own, another column here may hold them under a name that we do not know.
    """
    if "id" in columns:
        return read_ids(table, columns["id"], faults), [], False
    joined = ids_by_text(gold.ids, texts_of(gold.pairs), texts, table) if gold and texts else None
    if joined is not None:
        return joined.ids, joined.remarks, False
    further = [name for name in table.columns if name not in columns.values() and not _share_label(name)]
    if gold is None or (further and gold.ids != [str(row) for row in range(1, len(gold) + 1)]):
        table.require(ID)
    assert gold is not None
    table.check_order()
    if len(gold) != len(table):
        listed = ", ".join(table.columns)
        hint = f"give as many labels as there are pairs, in their order, or a column of ids; the columns are {listed}"
        what = f"no column 'id', and {len(table):,} predictions for {len(gold):,} pairs"
        raise TouchstoneError(what, file=table.source.name, hint=hint)
    remark = f"{table.source.stem}: no ids, so predictions are joined in the order of the pairs"
    return list(gold.ids), [remark], True


def _label(cell: object, meanings: Mapping[str, str]) -> str | None:
    """Return the label of a cell, None if it is empty."""
    if is_empty(cell):
        return None
    text = spelled(cell)
    label = meanings.get(text)
    if label:
        return label
    known = (*LABELS, OTHER)
    near = nearest(text, known) or next((one for one in known if text and one.startswith(text[:3])), None)
    raise Problem(f"unknown label; the labels are {', '.join(known)}", cell, near, "label")


def _shares(
    table: TableFile, columns: Mapping[str, str], meanings: Mapping[str, str], faults: list[Fault]
) -> Floats | None:
    """Return the probability of each of `SHARES` in each row, nan where a row has none; None if no row has any."""
    column = columns.get("probabilities")
    own = {name: label for name in table.columns if (label := _share_label(name)) and name not in columns.values()}
    if column is None and len(own) < 2:
        return None
    rows = zip(*(table.columns[name] for name in own), strict=True)
    wide = (None if all(map(is_empty, row)) else dict(zip(own, row, strict=True)) for row in rows)
    cells: Iterable[Any] = table.columns[column] if column else wide
    shares = np.full((len(table), len(SHARES)), np.nan)
    for row, (cell, line) in enumerate(zip(cells, table.lines, strict=True)):
        try:
            parsed = _row_shares(cell, meanings, own)
        except Problem as problem:
            faults.append(problem.at(table.source.name, line))
            continue
        if parsed:
            shares[row] = [parsed.get(label, 0.0) for label in SHARES]
    return None if np.isnan(shares).all() and not faults else shares


def _share_label(name: str) -> str | None:
    """Return the label that a column of probabilities is for.

    >>> _share_label("p_entailment"), _share_label("neutral"), _share_label("sentence1")
    ('entailment', 'neutral', None)
    """
    text = spelled(name)
    for affix in ("p_", "prob_", "probability_"):
        text = text.removeprefix(affix)
    label = SPELLINGS.get(text.removesuffix("_prob").removesuffix("_probability"))
    return label if len(text) > 1 else None


def _row_shares(cell: object, meanings: Mapping[str, str], own: Mapping[str, str]) -> dict[str, float]:
    """Return the probability of each label in one cell: a mapping by label, or a list in the order of the numbers."""
    if isinstance(cell, str) and cell.strip()[:1] in ("{", "["):
        try:
            cell = parse_json(cell, file="")
        except TouchstoneError:
            raise Problem("probabilities must be an object or a list of numbers", cell) from None
    if hasattr(cell, "tolist"):
        cell = cell.tolist()
    if is_empty(cell) or (isinstance(cell, dict) and all(map(_is_absent, cell.values()))):
        return {}
    if isinstance(cell, list | tuple):
        usual = NUMBERED if len(cell) == len(NUMBERED) else ("",) * len(cell)
        order = [meanings.get(str(place), label) for place, label in enumerate(usual)]
        if not all(order):
            what = f"a list of probabilities needs an order; say {setting('label', '0=entailment')} and so on"
            raise Problem(what, cell)
        cell = dict(zip(order, cell, strict=True))
    if not isinstance(cell, dict):
        raise Problem("probabilities must be an object of labels and numbers", cell)
    shares: dict[str, float] = {}
    for name, share in cell.items():
        if _is_absent(share):
            continue
        label = own.get(name) or _label(name, meanings) or ""
        shares[label] = shares.get(label, 0.0) + _probability(share)
    total = sum(shares.values())
    if abs(total - 1) > TOLERANCE:
        raise Problem(f"probabilities sum to {total:.6g}, not to 1", cell)
    return shares


def _is_absent(share: object) -> bool:
    """Return whether a label has no probability, as Parquet fills in; nan is what a broken system computes."""
    return is_empty(share) and not isinstance(share, float)


def _contradictions(table: TableFile, labels: Sequence[str | None], shares: Floats) -> list[Fault]:
    """Return a fault for each row whose label is not the most probable one."""
    faults = []
    for label, row, line in zip(labels, shares, table.lines, strict=True):
        if label is not None and row[SHARES.index(label)] < row.max():
            best = SHARES[int(row.argmax())]
            faults.append(Fault(f"the label is {label}, but the most probable one is {best}", table.source.name, line))
    return faults


def _probability(value: object) -> float:
    number = None if isinstance(value, bool) else parse_number(value)
    if number is None or not 0 <= number <= 1:
        raise Problem("a probability must be a number from 0 to 1", value)
    return number
