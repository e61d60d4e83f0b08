"""Pairs as files write them, column by column: labels in any spelling, the votes of annotators, marked words."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

from touchstone.base.errors import TouchstoneError, nearest
from touchstone.base.ids import Ids
from touchstone.io.annotations import ANNOTATOR, empty_annotations, gather, is_long
from touchstone.io.cells import is_empty
from touchstone.io.jsonl import Json
from touchstone.io.reading import read_rows
from touchstone.io.schema import Field, Problem, Rows, Schema
from touchstone.judge.probabilities import PROBABILITY
from touchstone.tasks.nli.about import Spelling
from touchstone.tasks.nli.formats.records import (
    CHOICES,
    ID,
    headless,
    label_column,
    number_remark,
    parallel_files,
    row_ids,
    sentence_columns,
    settle_label,
    unknown_label,
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
from touchstone.tasks.nli.model import LONGEST_GROUP, RELATIONS, GoldSet, Pair, Row, Span, majority

NAMES = "annotator_names"
"""The further field that has the names of the annotators, in the order of their labels."""

SENTENCES = ("premise", "hypothesis")

_ANNOTATOR_COLUMN = re.compile(r"label[1-9]")
"""The tables of SNLI and MultiNLI have a column for the label of each annotator."""


def parse_gold(rows: Rows, labels: Sequence[str] = (), *, all_fields: bool = False) -> GoldSet:
    """Return the pairs of a table; refuse duplicate ids.

    Parameters
    ----------
    rows
        Rows of `GOLD`; labels alone where there are no sentences. A row for each pair, or for each annotator's label.
    labels
        What the user says labels mean, ``VALUE=LABEL``.
    all_fields
        Whether to keep all further fields; else only those that may group the pairs.
    """
    table, columns = rows.table, rows.columns
    settle_label(rows, "gold")
    if "premise" in columns or "hypothesis" in columns or not columns.keys() & {"label", "annotators"}:
        labelled = columns.keys() & {"label", "annotators"} or any(map(_ANNOTATOR_COLUMN.fullmatch, table.columns))
        columns |= sentence_columns(table, columns, ())
        recognised = None if labelled else label_column(table, columns.values())
        columns |= {"label": recognised} if recognised else {}
        if not columns.keys() >= {*SENTENCES}:
            # Labels alone may be missing, since pairs are read for other ends than to be scored.
            rows.require(*SENTENCES, *([] if labelled or recognised else ["label"]))
    chosen, cells = parse_labels(labels), table.columns.get(columns.get("label", ""), [])
    numbers = numbered_labels(cells, chosen, table.categories.get(columns.get("label", "")), rows.file)
    meanings = {**numbers, **chosen}
    if _is_long(rows):
        remarks = rows.remarks()
        rows = _gathered(rows, meanings)
        table = rows.table
    else:
        columns.pop("annotator", None)
        remarks = rows.remarks()
    single = [name for name in table.columns if _ANNOTATOR_COLUMN.fullmatch(name)]
    annotators = [] if "annotators" in rows.columns else single
    retained = {
        name for name, cells in table.columns.items() if all_fields or name in (PROBABILITY, NAMES) or _is_short(cells)
    }
    further = {name: table.columns[name] for name in rows.further if name in retained.difference(annotators)}
    pairs = _pairs(rows, annotators, further, meanings)
    if rows.faults:
        error = TouchstoneError.of(rows.faults)
        error.readable = GoldSet(table.source, pairs, table.lines) if len(pairs) == len(table) else None
        raise error
    Ids(rows.file, [pair.id for pair in pairs], table.lines).rows()
    spelling: Spelling = "snli" if rows.columns.get("premise") == "sentence1" else "touchstone"
    remarks += number_remark(rows, numbers, chosen)
    gold = GoldSet(table.source, pairs, table.lines, spelling, numbers=numbers, remarks=remarks)
    two = any(pair.gold == "not_entailment" for pair in pairs) or _has_two(cells)
    return gold.with_two_labels() if two else gold


def _is_long(rows: Rows) -> bool:
    """Return whether a table has a row for each label of an annotator."""
    alone = {"id", "label", "annotator"} <= rows.columns.keys() and "annotators" not in rows.columns
    return alone and is_long(rows.table, [rows.columns["id"]], rows.columns["annotator"])


def _gathered(rows: Rows, meanings: Mapping[str, str]) -> Rows:
    """Return a table of single labels with a row for each pair, whose cell of labels is a list."""
    table, columns = rows.table, rows.columns
    votes = columns["label"]
    if votes.lower().startswith("gold"):  # the gold label may stand beside the label of an annotator
        votes = table.name("label", required=False) or votes
    rows.column(votes, _LabelParser(meanings).label, None)  # for faults with their lines
    same = [columns[name] for name in ("premise", "hypothesis", "label") if columns.get(name, votes) != votes]
    gathered, wrong = gather(table, [columns["id"]], columns["annotator"], [votes, columns["annotator"]], same)
    rows.faults += [*wrong, *empty_annotations(table, votes)]
    rows.check()
    columns_by_role = {name: column for name, column in columns.items() if name != "annotator" and column != votes}
    further = {NAMES if name == columns["annotator"] else name: cells for name, cells in gathered.columns.items()}
    return replace(rows, table=replace(gathered, columns=further), columns={**columns_by_role, "annotators": votes})


def parse_pair(record: Mapping[str, Json]) -> Pair:
    """Return the pair of one record."""
    return parse_gold(read_rows([record], GOLD, name="the pair"), all_fields=True).pairs[0]


def _has_two(cells: Sequence[Any]) -> bool:
    distinct = {cell for cell in cells if isinstance(cell, str)}
    return any(spelled(cell) in TWO_LABEL_SPELLINGS for cell in distinct)


def _is_short(cells: Sequence[Any]) -> bool:
    return all(cell is None or (isinstance(cell, str | int) and len(str(cell)) <= LONGEST_GROUP) for cell in cells)


def _pairs(
    rows: Rows, annotators: Sequence[str], fields: Mapping[str, list[Any]], meanings: Mapping[str, str]
) -> list[Pair]:
    """Return the pairs of the rows, without what their faults are about; none where an id cannot be read."""
    ids = row_ids(rows)
    premises, hypotheses = map(rows.values, SENTENCES)
    parse = _LabelParser(meanings)
    votes: list[tuple[Label, ...]] = rows.values("annotators", parse.votes)
    if annotators:
        by_annotator = [rows.column(column, parse.label, None) for column in annotators]
        votes = [tuple(label for label in row if label) for row in zip(*by_annotator, strict=True)]
    golds = rows.values("label", parse.label) if "label" in rows.columns else [majority(labels) for labels in votes]
    categories, relations, provenances = map(rows.values, ("category", "relation", "provenance"))
    marks = [_marks(rows, *sides) for sides in (("replaced", premises), ("replacement", hypotheses))]
    if None in ids:
        return []
    if rows.faults:
        rows.faults += Ids(rows.file, ids, rows.table.lines).repeated()
    further: list[Mapping[str, Any]] = (
        [Row(fields, index) for index in range(len(rows))] if fields else [{}] * len(rows)
    )
    columns = ids, premises, hypotheses, golds, votes, categories, *marks, relations, provenances, further
    return list(map(Pair, *columns))


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
        labels = (*LABELS, *(name for name in self.meanings if name not in SPELLINGS))
        raise unknown_label(cell, labels)

    def votes(self, cell: object) -> tuple[Label, ...]:
        """Return the annotators' labels in order; an empty string is no answer."""
        labels = cell.split() if isinstance(cell, str) else [] if is_empty(cell) else cell
        if not isinstance(labels, list | tuple):
            raise Problem("the annotators' labels must be a list of labels", cell)
        return tuple(label for label in map(self.label, labels) if label)


def _sentence(side: str) -> Callable[[object], str]:
    """Return the reader of the sentences of one side."""

    def read(value: object) -> str:
        if value is None:
            raise Problem(f"a pair needs a {side}")
        if not isinstance(value, str):
            raise Problem(f"the {side} must be a string", value)
        if not value.strip():
            raise Problem(f"the {side} is empty")
        return value

    return read


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


def _marks(rows: Rows, role: str, sentences: Sequence[str]) -> list[tuple[Span, ...]]:
    """Return the marked parts of each sentence."""
    if role not in rows.columns:
        return [()] * len(rows)
    cells = enumerate(zip(rows.cells(role), sentences, strict=True))
    return [rows.attempt(row, _spans, cell, sentence, role) or () for row, (cell, sentence) in cells]


def _spans(value: object, sentence: str, name: str) -> tuple[Span, ...]:
    if is_empty(value):
        return ()
    if not isinstance(value, list):
        raise Problem(f'"{name}" must be a list of {{text, start, end}}', value)
    return tuple(_span(entry, sentence, name) for entry in value)


def _span(value: object, sentence: str, name: str) -> Span:
    if not isinstance(value, dict):
        raise Problem(f'"{name}" must be a list of {{text, start, end}}', value)
    text, start, end = (value.get(key) for key in ("text", "start", "end"))
    if not isinstance(text, str) or not isinstance(start, int) or not isinstance(end, int):
        raise Problem(f'"{name}" needs a text and whole numbers for start and end', value)
    if not 0 <= start <= end <= len(sentence) or sentence[start:end] != text:
        raise Problem(f'the sentence does not have this text at [{start}, {end}), as "{name}" says', text)
    return Span(text, start, end)


GOLD = Schema(
    ID,
    Field("premise", ("premise", "sentence1", "sentence_A", "context", "question"), _sentence("premise"), empty=""),
    Field("hypothesis", ("hypothesis", "sentence2", "sentence_B", "sentence"), _sentence("hypothesis"), empty=""),
    Field("label", ("gold", "gold_label", "label", "entailment_judgment", "entailment_label", "answer")),
    *CHOICES,
    Field("annotators", ("annotators", "annotator_labels"), empty=()),
    ANNOTATOR,
    Field("category", parse=_category),
    Field("replaced"),
    Field("replacement"),
    Field("relation", parse=_relation),
    Field("provenance", parse=_provenance),
    value="label",
    headless=headless,
    layouts=(parallel_files,),
    elsewhere=("probabilities",),
)
"""The columns of pairs: Touchstone's own names first, then those of SNLI, SICK, ANLI, GLUE and SciTail.

What a label means depends on the labels of the file, so `parse_gold` reads them.
"""
