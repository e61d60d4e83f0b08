"""Rows of files as records: JSONL, tables with a header (TSV, CSV, Parquet), and parallel files.

Every format gives the same records, so pairs, runs and readers' answers are read in one way whatever the format.
"""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, TypeVar, cast

from touchstone.core.errors import Fault, TouchstoneError, nearest
from touchstone.io.jsonl import Json, parse_objects
from touchstone.io.tables import parse_table
from touchstone.io.text import Source, decode, lines, read_bytes, read_text
from touchstone.tasks.nli.model import LABELS, OTHER

T = TypeVar("T")

NAMES: Mapping[str, tuple[str, ...]] = {
    "id": ("id", "pairID", "pair_ID"),
    "premise": ("premise", "sentence1", "sentence_A"),
    "hypothesis": ("hypothesis", "sentence2", "sentence_B"),
    "gold": ("gold", "gold_label", "label", "entailment_judgment"),
    "annotators": ("annotators", "annotator_labels"),
    "category": ("category",),
    "replaced": ("replaced",),
    "replacement": ("replacement",),
    "relation": ("relation",),
    "provenance": ("provenance",),
}
"""The names of each field in files: Touchstone's own first, then SNLI's, then those of other corpora."""

KNOWN = {name.lower(): name for names in NAMES.values() for name in names}
"""All names of fields, by their lower-case form: headers of tables are read in any case."""

PARALLEL = ("s1", "s2", "labels")
"""The first parts of the names of parallel files: premises, hypotheses, labels."""

Kind = Literal["pairs", "predictions", "answers"]


class Problem(Exception):  # noqa: N818 (it never leaves the readers: it becomes a Fault with its place)
    """A field that cannot be used: what is wrong, its value, and the nearest valid one."""

    def __init__(self, what: str, value: object = None, near: str | None = None, kind: str = "name") -> None:
        super().__init__(what)
        self.what, self.value, self.near, self.kind = what, value, near, kind

    def at(self, file: str, line: int) -> Fault:
        """Return the fault, with its place."""
        value = None if self.value is None else str(self.value)
        return Fault(self.what, file, line, value, self.near, self.kind)


@dataclass(frozen=True, eq=False)
class Records:
    """The rows of a file with their lines, and the faults of rows that could not be read.

    *header* has the columns of a table; it is empty where every row names its own fields. *stem* names pairs without
    an id.
    """

    source: Source
    rows: Sequence[tuple[int, dict[str, Json]]]
    faults: Sequence[Fault]
    header: Sequence[str]
    stem: str

    @property
    def kind(self) -> Kind:
        """What the file holds, by the names of its fields."""
        names = set(self.header or (self.rows[0][1] if self.rows else ()))
        if names & {"q1", "q3"}:
            return "answers"
        return "pairs" if names & {*NAMES["premise"], *NAMES["hypothesis"]} else "predictions"

    def require(self, *fields: str) -> None:
        """Refuse a table that has no column for one of *fields*; name the column that may be meant."""
        for field in fields if self.header else ():
            names = NAMES.get(field, (field,))
            if not set(names) & set(self.header):
                others = [column for column in self.header if column.lower() not in KNOWN]
                near = next((column for name in names if (column := nearest(name, others))), None)
                hint = f"the header needs {' or '.join(names)}" + (f'; is it "{near}"?' if near else "")
                raise TouchstoneError(f"no column for the {field}", file=self.source.name, line=1, hint=hint)

    def parse(self, read: Callable[[int, dict[str, Json]], T], what: str) -> tuple[list[int], list[T]]:
        """Return the lines, and what *read* makes of line and record; refuse the file with all its faults.

        Parameters
        ----------
        read
            Raises `Problem` where a record cannot be used.
        what
            What a record is, for the message about a file that has none.
        """
        parsed: list[tuple[int, T]] = []
        faults = list(self.faults)
        for line, record in self.rows:
            try:
                parsed.append((line, read(line, record)))
            except Problem as problem:
                faults.append(problem.at(self.source.name, line))
        if faults:
            raise TouchstoneError.of(faults)
        if not parsed:
            raise TouchstoneError(f"no {what} in it", file=self.source.name)
        return [line for line, _ in parsed], [one for _, one in parsed]


def read_records(path: str | Path, encoding: str = "utf-8") -> Records:
    """Read the records of a file, or of three parallel files of which one is named."""
    name = Path(path).name
    if name.split(".")[0] in PARALLEL and Path(path).suffix not in (".jsonl", ".tsv", ".csv", ".parquet", ".gz"):
        return _read_parallel(Path(path), encoding)
    return parse_records(*read_bytes(path), encoding)


def parse_records(raw: bytes, source: Source, encoding: str = "utf-8") -> Records:
    """Return the records in the bytes of a file; its suffix and its first line tell the format.

    TSV is read line by line, because corpora have stray quotes in it; `unquoted` says which quotes count.
    """
    suffix = Path(source.name.removesuffix(".gz")).suffix
    text = "" if suffix == ".parquet" else decode(raw, source.name, encoding)
    source = replace(source, encoding=encoding)
    if text.lstrip().startswith("{"):
        faults: list[Fault] = []
        return Records(source, list(parse_objects(text, file=source.name, faults=faults)), faults, (), source.stem)
    if suffix not in (".parquet", ".csv") and (suffix == ".tsv" or "\t" in text.lstrip("\n").partition("\n")[0]):
        return _parse_tsv(text, source)
    table = parse_table(raw, source, encoding)
    header = [KNOWN.get(name.lower(), name) for name in table.columns]
    cells = cast("list[list[Json]]", list(table.columns.values()))
    rows = [dict(zip(header, row, strict=True)) for row in zip(*cells, strict=True)]
    return Records(source, list(zip(table.lines, rows, strict=True)), (), header, source.stem)


def unquoted(field: str) -> str:
    """Return a field without the quotes that enclose it; a stray quote is text.

    >>> unquoted('"a ""b"" c"'), unquoted('the "b"')
    ('a "b" c', 'the "b"')
    """
    enclosed = len(field) > 1 and field.startswith('"') and field.endswith('"')
    return field[1:-1].replace('""', '"') if enclosed else field


def read_id(value: Json, fallback: str | None = None) -> str:
    """Return an id; a whole number becomes its decimal string.

    >>> read_id(3107), read_id(None, "pairs:4")
    ('3107', 'pairs:4')
    """
    if value is None and fallback is not None:
        return fallback
    if isinstance(value, bool) or not isinstance(value, str | int) or not str(value).strip():
        raise Problem("an id must be a string that is not empty, or a whole number", value)
    return str(value)


def read_label(value: Json, *, other: bool = False) -> str:
    """Return a label in lower case; *other* says whether ``other`` is a label, as it is in runs.

    >>> read_label("ENTAILMENT")
    'entailment'
    """
    known = (*LABELS, OTHER) if other else LABELS
    name = value.strip().lower() if isinstance(value, str) else ""
    if name not in known:
        near = nearest(name, known) or next((one for one in known if name and one.startswith(name[:3])), None)
        what = f"unknown label; the labels are {', '.join(known)}"
        raise Problem(what, "" if value is None else value, near, "label")
    return name


def first_field(record: Mapping[str, Json], field: str) -> Json:
    """Return the value of a field under the first of its names that the record has; None where it has none."""
    return next((record[name] for name in NAMES[field] if name in record), None)


def _parse_tsv(text: str, source: Source) -> Records:
    (_, first), *others = lines(text)
    header = [KNOWN.get(name.strip().lower(), name.strip()) for name in first.split("\t")]
    rows, faults = [], []
    for number, line in others:
        cells = line.split("\t")
        if len(cells) == len(header):
            record: dict[str, Json] = dict(zip(header, map(unquoted, cells), strict=True))
            rows.append((number, record))
        else:
            faults.append(Fault(f"{len(cells)} cells under {len(header)} columns", source.name, number, line))
    return Records(source, rows, faults, header, source.stem)


def _read_parallel(path: Path, encoding: str) -> Records:
    """Read ``s1.X``, ``s2.X`` and ``labels.X``: the three lines of one number are a pair."""
    which = path.name.partition(".")[2]
    texts, sources = zip(*(read_text(path.with_name(f"{part}.{which}"), encoding) for part in PARALLEL), strict=True)
    columns = [[line.rstrip() for line in text.removesuffix("\n").split("\n")] for text in texts]
    sizes = [len(column) for column in columns]
    if len(set(sizes)) > 1:
        counts = ", ".join(f"{part}.{which} {size:,}" for part, size in zip(PARALLEL, sizes, strict=True))
        raise TouchstoneError(f"parallel files have different numbers of lines: {counts}", file=str(path))
    digest = hashlib.sha256("".join(source.digest for source in sources).encode()).hexdigest()
    names = ("sentence1", "sentence2", "gold_label")
    rows: list[dict[str, Json]] = [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]
    return Records(Source(str(path.with_name(which)), digest, path), list(enumerate(rows, 1)), (), names, which)
