"""Pairs as files write them, column by column: labels in any spelling, the votes of readers, marked words."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, cast

from touchstone.base.errors import Fault, TouchstoneError, nearest
from touchstone.base.ids import Ids
from touchstone.base.options import TableOptions
from touchstone.io.annotations import empty_annotations, gather, is_long
from touchstone.io.cells import is_empty
from touchstone.io.jsonl import Json
from touchstone.io.objects import table_of
from touchstone.io.tables import TableFile
from touchstone.judge.probabilities import PROBABILITY
from touchstone.tasks.nli.formats.recognising import label_column, sentence_columns
from touchstone.tasks.nli.formats.records import (
    GOLD_ROLES,
    LABEL,
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
    SPELLINGS,
    TWO_LABEL_SPELLINGS,
    UNLABELLED,
    Label,
    numbered_labels,
    parse_labels,
    spelled,
)
from touchstone.tasks.nli.model import LONGEST_GROUP, RELATIONS, GoldSet, Pair, Row, Span, Spelling, majority

NAMES = "annotator_names"
"""The further field that has the names of the readers, in the order of their labels."""

_READER_COLUMN = re.compile(r"label[1-9]")
"""The tables of SNLI and MultiNLI have a column for the label of each reader."""


def parse_gold(
    table: TableFile,
    options: TableOptions,
    labels: Sequence[str] = (),
    *,
    whole: bool = False,
    faults: Sequence[Fault] = (),
) -> GoldSet:
    """Return the pairs of a table; refuse duplicate ids.

    Parameters
    ----------
    table
        Pairs under any of the names of `GOLD_ROLES`; labels alone where there are no sentences. A row for each pair, or
        for each label of a reader.
    options
        Which columns the user chose.
    labels
        What the user says labels mean, ``VALUE=LABEL``.
    whole
        Whether to keep all further fields; else only those that may group the pairs.
    faults
        Those of rows that could not be read.
    """
    columns = label_columns(table, GOLD_ROLES, options.column, "gold")
    if "premise" in columns or "hypothesis" in columns or not columns.keys() & {"label", "annotators"}:
        labelled = columns.keys() & {"label", "annotators"} or any(map(_READER_COLUMN.fullmatch, table.columns))
        columns |= sentence_columns(table, columns, ())
        own = None if labelled else label_column(table, columns.values())
        columns |= {LABEL.name: own} if own else {}
        missing = [role for role in SENTENCES if role.name not in columns]
        if missing:  # labels alone may be missing, since pairs are read for other ends than to be scored
            table.require(*missing, *([] if labelled or own else [LABEL]))
    chosen, cells = parse_labels(labels), table.columns.get(columns.get("label", ""), [])
    numbers = numbered_labels(cells, chosen, table.categories.get(columns.get("label", "")), table.source.name)
    meanings = {**numbers, **chosen}
    if _is_long(table, columns):
        remarks = table.remarks(columns, GOLD_ROLES)
        table, columns = _gathered(table, columns, meanings, list(faults))
    else:
        columns.pop("annotator", None)
        remarks = table.remarks(columns, GOLD_ROLES)
    readers = [] if "annotators" in columns else [name for name in table.columns if _READER_COLUMN.fullmatch(name)]
    used = {*columns.values(), *readers}
    kept = {name for name, cells in table.columns.items() if whole or name == PROBABILITY or _is_short(cells)}
    rest = {name: cells for name, cells in table.columns.items() if name in kept - used}
    wrong = list(faults)
    pairs = _pairs(table, columns, readers, rest, meanings, wrong)
    if wrong:
        error = TouchstoneError.of(wrong)
        error.readable = GoldSet(table.source, pairs, table.lines) if len(pairs) == len(table) else None
        raise error
    Ids(table.source.name, [pair.id for pair in pairs], table.lines).rows()
    spelling: Spelling = "snli" if columns.get("premise") == "sentence1" else "touchstone"
    remarks += number_remark(table, numbers, chosen)
    gold = GoldSet(table.source, pairs, table.lines, spelling, numbers=numbers, remarks=remarks)
    two = any(pair.gold == "not_entailment" for pair in pairs) or _has_two(cells)
    return gold.with_two_labels() if two else gold


def _is_long(table: TableFile, columns: Mapping[str, str]) -> bool:
    """Return whether a table has a row for each label of a reader."""
    alone = {"id", "label", "annotator"} <= columns.keys() and "annotators" not in columns
    return alone and is_long(table, [columns["id"]], columns["annotator"])


def _gathered(
    table: TableFile, columns: Mapping[str, str], meanings: Mapping[str, str], faults: list[Fault]
) -> tuple[TableFile, dict[str, str]]:
    """Return a table of single labels, and its columns, with a row for each pair, whose cell of labels is a list."""
    votes = columns["label"]
    if votes.lower().startswith("gold"):  # the gold label may stand beside the label of a reader
        votes = table.name("label", required=False) or votes
    parse_column(table, votes, _LabelParser(meanings).label, None, faults)  # for faults with their lines
    same = [columns[name] for name in ("premise", "hypothesis", "label") if columns.get(name, votes) != votes]
    found, wrong = gather(table, [columns["id"]], columns["annotator"], [votes, columns["annotator"]], same)
    check_faults([*faults, *wrong, *empty_annotations(table, votes)])
    kept = {name: column for name, column in columns.items() if name != "annotator" and column != votes}
    further = {NAMES if name == columns["annotator"] else name: cells for name, cells in found.columns.items()}
    return replace(found, columns=further), {**kept, "annotators": votes}


def parse_pair(record: Mapping[str, Json]) -> Pair:
    """Return the pair of one record."""
    return parse_gold(table_of([record], name="the pair"), TableOptions(), whole=True).pairs[0]


def _has_two(cells: Sequence[Any]) -> bool:
    distinct = {cell for cell in cells if isinstance(cell, str)}
    return any(spelled(cell) in TWO_LABEL_SPELLINGS for cell in distinct)


def _is_short(cells: Sequence[Any]) -> bool:
    return all(cell is None or (isinstance(cell, str | int) and len(str(cell)) <= LONGEST_GROUP) for cell in cells)


def _pairs(
    table: TableFile,
    columns: Mapping[str, str],
    readers: Sequence[str],
    rest: Mapping[str, list[Any]],
    meanings: Mapping[str, str],
    faults: list[Fault],
) -> list[Pair]:
    """Return the pairs of the rows, without what *faults* are about; none where an id cannot be read."""
    ids = read_ids(table, columns.get("id"), faults)
    premises, hypotheses = (
        parse_column(table, columns.get(side), partial(_sentence, side=side), "", faults)
        for side in ("premise", "hypothesis")
    )
    parse = _LabelParser(meanings)
    votes: list[tuple[Label, ...]] = parse_column(table, columns.get("annotators"), parse.votes, (), faults)
    if readers:
        given = [parse_column(table, column, parse.label, None, faults) for column in readers]
        votes = [tuple(label for label in row if label) for row in zip(*given, strict=True)]
    golds = (
        parse_column(table, columns["label"], parse.label, None, faults)
        if "label" in columns
        else [majority(labels) for labels in votes]
    )
    categories = parse_column(table, columns.get("category"), _category, None, faults)
    relations = parse_column(table, columns.get("relation"), _relation, None, faults)
    provenances = parse_column(table, columns.get("provenance"), _provenance, None, faults)
    marks = [_marks(table, columns.get(name), sentences, name, faults) for name, sentences in
             (("replaced", premises), ("replacement", hypotheses))]  # fmt: skip
    if len(ids) < len(table):
        return []
    if faults:
        faults += Ids(table.source.name, ids, table.lines).repeated()
    further: list[Mapping[str, Any]] = [Row(rest, place) for place in range(len(table))] if rest else [{}] * len(table)
    return list(map(Pair, ids, premises, hypotheses, golds, votes, categories, *marks, relations, provenances, further))


class _LabelParser:
    """Reads labels in any spelling; *meanings* are those of a file's own values."""

    def __init__(self, meanings: Mapping[str, str]) -> None:
        self.meanings = {**SPELLINGS, **meanings}

    def label(self, cell: object) -> Label | None:
        """Return the label of a cell, None if it has none."""
        if is_empty(cell):
            return None
        text = spelled(cell)
        label = self.meanings.get(text)
        if label in LABELS or label == "not_entailment":
            return cast("Label", label)
        if text in UNLABELLED or label == "":
            return None
        known = (*LABELS, *(name for name in self.meanings if name not in SPELLINGS))
        near = nearest(text, known) or next((one for one in known if one.startswith(text[:3])), None)
        what = f"unknown label; the labels are {', '.join(known)}"
        raise Problem(what, cell, near, "label")

    def votes(self, cell: object) -> tuple[Label, ...]:
        """Return the readers' labels in order; an empty string is no answer."""
        labels = cell.split() if isinstance(cell, str) else [] if is_empty(cell) else cell
        if not isinstance(labels, list | tuple):
            raise Problem("the annotators' labels must be a list of labels", cell)
        return tuple(label for label in map(self.label, labels) if label)


def _sentence(value: object, side: str) -> str:
    if value is None:
        raise Problem(f"a pair needs a {side}")
    if not isinstance(value, str):
        raise Problem(f"the {side} must be a string", value)
    if not value.strip():
        raise Problem(f"the {side} is empty")
    return value


def _category(value: object) -> str | None:
    if not isinstance(value, str | int) and not is_empty(value):
        raise Problem("the category must be a string", value)
    return None if is_empty(value) else str(value)


def _relation(value: object) -> str | None:
    if is_empty(value):
        return None
    if isinstance(value, str) and value in RELATIONS:
        return value
    raise Problem(f"unknown relation; known: {', '.join(RELATIONS)}", value, nearest(str(value), RELATIONS), "relation")


def _provenance(value: object) -> Mapping[str, Json] | None:
    if is_empty(value):
        return None
    if not isinstance(value, dict):
        raise Problem("the provenance must be an object", value)
    return value


def _marks(
    table: TableFile, column: str | None, sentences: Sequence[str], name: str, faults: list[Fault]
) -> list[tuple[Span, ...]]:
    """Return the marked parts of each sentence."""
    if column is None:
        return [()] * len(table)
    marks = []
    for cell, sentence, line in zip(table.columns[column], sentences, table.lines, strict=True):
        try:
            marks.append(_spans(cell, sentence, name))
        except Problem as problem:
            faults.append(problem.at(table.source.name, line))
            marks.append(())
    return marks


def _spans(value: object, sentence: str, name: str) -> tuple[Span, ...]:
    if is_empty(value):
        return ()
    if not isinstance(value, list):
        raise Problem(f'"{name}" must be a list of {{text, start, end}}', value)
    return tuple(_span(one, sentence, name) for one in value)


def _span(value: object, sentence: str, name: str) -> Span:
    if not isinstance(value, dict):
        raise Problem(f'"{name}" must be a list of {{text, start, end}}', value)
    text, start, end = (value.get(key) for key in ("text", "start", "end"))
    if not isinstance(text, str) or not isinstance(start, int) or not isinstance(end, int):
        raise Problem(f'"{name}" needs a text and whole numbers for start and end', value)
    if not 0 <= start <= end <= len(sentence) or sentence[start:end] != text:
        raise Problem(f'the sentence does not have this text at [{start}, {end}), as "{name}" says', text)
    return Span(text, start, end)
