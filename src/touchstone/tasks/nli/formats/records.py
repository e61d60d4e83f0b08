"""Tables of inference sets: which columns hold what, in the names of the public sets, and files without a header."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

from touchstone.base.errors import Fault, TouchstoneError
from touchstone.base.files import Source
from touchstone.base.options import TableOptions
from touchstone.base.spelling import setting
from touchstone.io.annotations import ANNOTATOR
from touchstone.io.cells import is_empty
from touchstone.io.formats import table_suffixes
from touchstone.io.reading import read_table
from touchstone.io.tables import Role, TableFile
from touchstone.io.text import read_text
from touchstone.tasks.nli.labels import OTHER, SPELLINGS, UNLABELLED, spelled

T = TypeVar("T")

ID = Role("id", ("id", "pairID", "pair_ID", "uid", "guid", "pair", "item", "idx", "index"))
GOLD_ROLES = (
    ID,
    Role("premise", ("premise", "sentence1", "sentence_A", "context", "question")),
    Role("hypothesis", ("hypothesis", "sentence2", "sentence_B", "sentence")),
    Role("label", ("gold", "gold_label", "label", "entailment_judgment", "entailment_label", "answer")),
    Role("gold", ()),
    Role("prediction", ()),
    Role("annotators", ("annotators", "annotator_labels")),
    ANNOTATOR,
    *(Role(name, (name,)) for name in ("category", "replaced", "replacement", "relation", "provenance")),
)
"""The columns of pairs: Touchstone's own names first, then SNLI's, then those of SICK, ANLI, GLUE and SciTail."""

SENTENCES, LABEL = GOLD_ROLES[1:3], GOLD_ROLES[3]
"""The columns of the two sentences, which predictions may have too, and that of the label."""

RUN_ROLES = (
    ID,
    Role("label", ("prediction", "pred", "predicted", "predicted_label", "label", "output", "gold_label", "answer")),
    Role("gold", ()),
    Role("prediction", ()),
    Role("probabilities", ("probabilities", "probs")),
)
"""The columns of predictions; HANS calls the label of a system ``gold_label``.

``--column gold=NAME`` chooses the label of the gold alone, ``--column prediction=NAME`` that of the runs alone.
"""


def label_columns(table: TableFile, roles: Sequence[Role], chosen: Sequence[str], own: str) -> dict[str, str]:
    """Return the column of each role, where the role *own* (gold or prediction) decides the label.

    Choices for roles that only the other kind of table has are passed over.
    """
    others = {role.name for role in (*GOLD_ROLES, *RUN_ROLES)} - {role.name for role in roles}
    columns = table.roles(roles, [text for text in chosen if str(text).partition("=")[0] not in others])
    if own in columns:
        columns["label"] = columns[own]
    return {role: column for role, column in columns.items() if role not in ("gold", "prediction")}


PARALLEL = ("s1", "s2", "labels")
"""The first parts of the names of parallel files: premises, hypotheses, labels."""


class Problem(Exception):  # noqa: N818 (it never leaves the readers: it becomes a Fault with its place)
    """A field that cannot be used: what is wrong, its value, and the nearest valid one."""

    def __init__(self, what: str, value: object = None, near: str | None = None, kind: str = "name") -> None:
        super().__init__(what)
        self.what, self.value, self.near, self.kind = what, value, near, kind

    def at(self, file: str, line: int) -> Fault:
        """Return the fault, with its place."""
        value = None if self.value is None else str(self.value)
        return Fault(self.what, file, line, value, self.near, self.kind)


def headless(first: Sequence[str]) -> Sequence[str] | None:
    """Return the columns of a file that begins with data: one label per line, or SciTail's three columns."""
    label = spelled(first[-1])
    if len(first) > 1 and all(spelled(cell) in SPELLINGS for cell in first):
        return None  # a column of probabilities for each label
    if label not in SPELLINGS and label not in UNLABELLED - {""} and label != OTHER and not label.isdecimal():
        return None
    return {1: ("label",), 3: ("premise", "hypothesis", "label")}.get(len(first))


def read_records(
    given: object, options: TableOptions, roles: Sequence[Role], name: str, faults: list[Fault] | None = None
) -> TableFile:
    """Read the table of a file or object, or of three parallel files of which one is named."""
    if isinstance(given, str | Path) and _is_parallel(Path(given)):
        return _read_parallel(Path(given), options.encoding)
    return read_table(given, options.encoding, name=name, value="label", roles=roles, headless=headless, faults=faults)


def parse_column(
    table: TableFile, column: str | None, parse: Callable[[object], T], empty: T, faults: list[Fault]
) -> list[T]:
    """Return what *parse* makes of each cell of a column; each distinct text, or list of texts, is parsed once.

    Parameters
    ----------
    table, column
        The column; where it is None every value is *empty*.
    parse
        Raises `Problem` where a cell cannot be used.
    empty
        The value of a row that has none.
    faults
        Takes the problems, with their places.
    """
    if column is None:
        return [empty] * len(table)
    known: dict[object, T] = {}
    values: list[T] = []
    for cell, line in zip(table.columns[column], table.lines, strict=True):
        key = cell if type(cell) is str else tuple(map(str, cell)) if type(cell) is list else None
        if key is not None and key in known:
            values.append(known[key])
            continue
        try:
            value = parse(cell)
        except Problem as problem:
            faults.append(problem.at(table.source.name, line))
            value = empty
        else:
            if key is not None:
                known[key] = value
        values.append(value)
    return values


def check_faults(faults: Sequence[Fault]) -> None:
    """Refuse a file with all its faults."""
    if faults:
        raise TouchstoneError.of(faults)


def read_id(cell: object) -> str:
    """Return an id; a whole number becomes its decimal string.

    >>> read_id(3107)
    '3107'
    """
    if isinstance(cell, float) and cell.is_integer():
        cell = int(cell)
    if isinstance(cell, bool) or not isinstance(cell, str | int) or not str(cell).strip():
        raise Problem("an id must be a string that is not empty, or a whole number", cell)
    return str(cell).strip()


def read_ids(table: TableFile, column: str | None, faults: list[Fault]) -> list[str]:
    """Return the ids of the rows; their numbers from 1 where the table has no column of ids."""
    if column is None:
        table.check_order()
        return [str(row) for row in range(1, len(table) + 1)]
    cells = table.columns[column]
    if all(type(cell) is str for cell in cells):
        ids = [cell.strip() for cell in cells]
        if all(ids):
            return ids
    ids = []
    for cell, line in zip(cells, table.lines, strict=True):
        try:
            ids.append(read_id(None if is_empty(cell) else cell))
        except Problem as problem:
            faults.append(problem.at(table.source.name, line))
    return ids


def number_remark(table: TableFile, numbers: Mapping[str, str], chosen: Mapping[str, str]) -> list[str]:
    """Return a sentence on what the *numbers* in a column of labels mean, in a list; none where the user said it."""
    if not numbers or chosen:
        return []
    meanings = ", ".join(f"{number} is {label}" for number, label in numbers.items())
    return [f"{table.source.stem}: labels are numbers; {meanings} (choose with {setting('label')})"]


def _is_parallel(path: Path) -> bool:
    """Return whether a file is one of three parallel ones; labels alone are those of a run."""
    part, _, which = path.name.partition(".")
    if part not in PARALLEL or path.suffix in (*table_suffixes(), ".gz"):
        return False
    return part != PARALLEL[-1] or any(path.with_name(f"{side}.{which}").exists() for side in PARALLEL[:-1])


def _read_parallel(path: Path, encoding: str) -> TableFile:
    """Read ``s1.X``, ``s2.X`` and ``labels.X``: the three lines of one number are a pair."""
    which = path.name.partition(".")[2]
    texts, _ = zip(*(read_text(path.with_name(f"{part}.{which}"), encoding) for part in PARALLEL), strict=True)
    columns = [[line.rstrip() for line in text.removesuffix("\n").split("\n")] for text in texts]
    sizes = [len(column) for column in columns]
    if len(set(sizes)) > 1:
        counts = ", ".join(f"{part}.{which} {size:,}" for part, size in zip(PARALLEL, sizes, strict=True))
        raise TouchstoneError(f"parallel files have different numbers of lines: {counts}", file=str(path))
    named = dict(zip(("sentence1", "sentence2", "gold_label"), columns, strict=True))
    return TableFile(Source(str(path.with_name(which)), "", path), named, range(1, sizes[0] + 1))
