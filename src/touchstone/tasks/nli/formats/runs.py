"""What a system says: labels, probabilities, or both; with ids, or one label per line in the order of the gold."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.base.notes import count_notes, count_warnings
from touchstone.base.ragged import Floats
from touchstone.base.spelling import setting
from touchstone.io.cells import is_empty, parse_number
from touchstone.io.jsonl import parse_json
from touchstone.io.schema import Field, Problem, Rows, Schema
from touchstone.io.texts import Texts, column_texts, ids_by_text, text_columns
from touchstone.tasks.nli.formats.pairs import GOLD, SENTENCES
from touchstone.tasks.nli.formats.records import (
    CHOICES,
    ID,
    headless,
    label_column,
    number_remark,
    parallel_files,
    row_ids,
    settle_label,
    unknown_label,
)
from touchstone.tasks.nli.labels import LABELS, NUMBERED, OTHER, SPELLINGS, numbered_labels, parse_labels, spelled
from touchstone.tasks.nli.model import SHARES, GoldSet, Run, texts_of

RUN = Schema(
    ID,
    Field("label", ("prediction", "pred", "predicted", "predicted_label", "label", "output", "gold_label", "answer")),
    *CHOICES,
    Field("probabilities", ("probabilities", "probs")),
    value="label",
    headless=headless,
    layouts=(parallel_files,),
    elsewhere=[field.role for field in GOLD.fields],
)
"""The columns of predictions; HANS calls the label of a system ``gold_label``.

What a label means depends on the labels of the file and of the gold, so `parse_run` reads them.
"""

TOLERANCE = 0.001 + 1e-9
"""How far from 1 the probabilities of a pair may sum: files are written with few decimals, sums are rounded."""

TIED = 0.1
"""The share of pairs without a single most probable label from which the labels of a run are hardly known."""


def parse_run(rows: Rows, labels: Sequence[str] = (), gold: GoldSet | None = None, name: str = "") -> Run:
    """Return the run of one system.

    Parameters
    ----------
    rows
        Rows of `RUN`; probabilities may have a column for each label instead.
    labels
        What the user says labels mean, ``VALUE=LABEL``.
    gold
        Gives the ids of rows that have none, by their sentences or in order, and the meaning of numbers.
    name
        The name of the system; the file's by default.
    """
    table, columns, complete = rows.table, rows.columns, not rows.faults
    settle_label(rows, "prediction")
    if not columns.keys() & {"label", "probabilities"} and sum(map(bool, map(_share_label, table.columns))) < 2:
        recognised = label_column(table, columns.values())
        columns |= {"label": recognised} if recognised else {}
    cells = table.columns.get(columns.get("label", ""), [])
    if "probabilities" not in columns and any(isinstance(cell, list | dict) for cell in cells):
        columns["probabilities"], cells = columns.pop("label"), []
    declared = {**(gold.numbers if gold else {}), **parse_labels(labels)}
    numbers = numbered_labels(cells, declared, table.categories.get(columns.get("label", "")), rows.file)
    meanings = {**SPELLINGS, OTHER: OTHER, **numbers, **declared}
    shares = _shares(rows, meanings)
    if "label" not in columns and shares is None:
        rows.require("label")
    predictions: list[str | None] = rows.values("label", lambda cell: _label(cell, meanings))
    texts = _sentences(rows, gold)
    ids, remarks, in_gold_order = _ids(rows, gold, texts)
    if shares is not None:
        # nan is no number equal to itself: such a row has no probabilities.
        best = [None if row[0] != row[0] else SHARES[int(row.argmax())] for row in shares]
        _note_contradictions(rows, predictions, shares)
        remarks = [*remarks, *_ties(name or rows.stem, predictions, shares)]
        predictions = [label or other for label, other in zip(predictions, best, strict=True)]
    if rows.faults and complete and None not in ids:
        raise _with_ids(rows, name, ids, cells)
    rows.check()
    # An empty cell is a missing prediction.
    labelled_rows = [row for row, label in enumerate(predictions) if label is not None]
    return Run(
        name or rows.stem,
        table.source,
        [ids[row] for row in labelled_rows] if len(labelled_rows) < len(ids) else ids,
        [str(predictions[row]) for row in labelled_rows],
        [table.lines[row] for row in labelled_rows] if len(labelled_rows) < len(ids) else table.lines,
        shares if shares is None else shares[labelled_rows],
        [*rows.remarks(), *remarks, *number_remark(rows, numbers, declared)],
        {role: [cells[row] for row in labelled_rows] for role, cells in texts.items()} if "id" in columns else {},
        in_gold_order,
    )


def _with_ids(rows: Rows, name: str, ids: Sequence[str], cells: Sequence[object]) -> TouchstoneError:
    """Return the error about labels with a run whose ids can be checked all the same; its labels mean nothing."""
    error = TouchstoneError.of(rows.faults)
    answered = [row for row in range(len(ids)) if not cells or not is_empty(cells[row])]
    places = [ids[row] for row in answered], [LABELS[0]] * len(answered), [rows.table.lines[row] for row in answered]
    error.readable = Run(name or rows.stem, rows.table.source, *places)
    return error


def _sentences(rows: Rows, gold: GoldSet | None) -> Texts:
    """Return the sentences that a run has beside its labels."""
    used = rows.columns.values()
    if not rows.further:
        return {}
    sides = GOLD.only(*SENTENCES).bind(rows.table, rows.chosen)
    named = {role: column for role, column in sides.columns.items() if column not in used}
    columns = text_columns(rows.table, named, texts_of(gold.pairs), used) if gold else named
    return column_texts(rows.table, columns)


def _ids(rows: Rows, gold: GoldSet | None, texts: Texts) -> tuple[list[str], list[str], bool]:
    """Return the ids of the rows, sentences on how they were found, and whether only the order of rows gives them.

    Sentences tell which pair a row is; without them rows are in the order of the gold. Where the gold has ids of its
    own, another column here may hold them under a name that we do not know.
    """
    if "id" in rows.columns:
        gold_ids = dict(zip(gold.ids, gold.ids, strict=True)) if gold else {}
        # The gold's own strings are taken, so that the ids of large files are in memory once.
        return [gold_ids.get(row_id, row_id) for row_id in row_ids(rows)], [], False
    joined = ids_by_text(gold.ids, texts_of(gold.pairs), texts, rows.table) if gold and texts else None
    if joined is not None:
        return joined.ids, joined.remarks, False
    further = [name for name in rows.further if not _share_label(name)]
    if gold is None or (further and gold.ids != [str(row) for row in range(1, len(gold) + 1)]):
        rows.require("id")
    assert gold is not None
    rows.table.check_order()
    if len(gold) != len(rows):
        listed = ", ".join(rows.table.columns)
        hint = f"give as many labels as there are pairs, in their order, or a column of ids; the columns are {listed}"
        what = f"no column 'id', and {len(rows):,} predictions for {len(gold):,} pairs"
        raise TouchstoneError(what, file=rows.file, code=Code.MISMATCH, hint=hint)
    remark = f"{rows.stem}: no ids, so predictions are joined in the order of the pairs"
    return list(gold.ids), [remark], True


def _label(cell: object, meanings: Mapping[str, str]) -> str | None:
    """Return the label of a cell, None if it is empty."""
    if is_empty(cell):
        return None
    label = meanings.get(spelled(cell))
    if label:
        return label
    raise unknown_label(cell, (*LABELS, OTHER))


def _shares(rows: Rows, meanings: Mapping[str, str]) -> Floats | None:
    """Return the probability of each of `SHARES` in each row, nan where a row has none; None if no row has any."""
    label_of_column = {name: label for name in rows.further if (label := _share_label(name))}
    if "probabilities" not in rows.columns and len(label_of_column) < 2:
        return None
    wide = zip(*(rows.table.columns[name] for name in label_of_column), strict=True)
    cells: Iterable[Any] = (
        rows.cells("probabilities")
        if "probabilities" in rows.columns
        else (None if all(map(is_empty, row)) else dict(zip(label_of_column, row, strict=True)) for row in wide)
    )
    shares = np.full((len(rows), len(SHARES)), np.nan)
    for row, cell in enumerate(cells):
        parsed = rows.attempt(row, _row_shares, cell, meanings, label_of_column)
        if parsed:
            shares[row] = [parsed.get(label, 0.0) for label in SHARES]
    return None if np.isnan(shares).all() and not rows.faults else shares


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


def _row_shares(cell: object, meanings: Mapping[str, str], label_of_column: Mapping[str, str]) -> dict[str, float]:
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
        default_labels = NUMBERED if len(cell) == len(NUMBERED) else ("",) * len(cell)
        order = [meanings.get(str(index), label) for index, label in enumerate(default_labels)]
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
        label = label_of_column.get(name) or _label(name, meanings) or ""
        shares[label] = shares.get(label, 0.0) + _probability(share)
    total = sum(shares.values())
    if abs(total - 1) > TOLERANCE:
        raise Problem(f"probabilities sum to {total:.6g}, not to 1", cell)
    return shares


def _is_absent(share: object) -> bool:
    """Return whether a label has no probability, as Parquet fills in; nan is what a broken system computes."""
    return is_empty(share) and not isinstance(share, float)


def _note_contradictions(rows: Rows, labels: Sequence[str | None], shares: Floats) -> None:
    """Note the fault of each row whose label is not the most probable one."""
    for row_index, (label, row) in enumerate(zip(labels, shares, strict=True)):
        if label is not None and row[SHARES.index(label)] < row.max():
            rows.fault(f"the label is {label}, but the most probable one is {SHARES[int(row.argmax())]}", row_index)


def _ties(name: str, labels: Sequence[str | None], shares: Floats) -> list[str]:
    """Return a note, or a warning where it is frequent, that equal probabilities leave the label open."""
    tied = (shares == shares.max(axis=1, keepdims=True)).sum(axis=1) > 1
    count = sum(label is None and bool(tie) for label, tie in zip(labels, tied, strict=True))
    what = "several labels are the most probable one, of which the first is taken"
    if count > 1 and count >= TIED * len(labels):
        return [*count_warnings(name, {f"{what} (give a column of labels)": count})]
    return [*count_notes(name, {what: count})]


def _probability(value: object) -> float:
    number = None if isinstance(value, bool) else parse_number(value)
    if number is None or not 0 <= number <= 1:
        raise Problem("a probability must be a number from 0 to 1", value)
    return number
