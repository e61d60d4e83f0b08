"""Raw MQM: a row for each error that a rater marked in a translation, or one row that says there is none.

The penalty of a translation by one rater is the sum of the weights of its errors (Freitag et al. 2021, "Experts,
Errors, and Context"). Fields are separated by tabs and never quoted. The texts have ``<v>…</v>`` around the error, in
the target or in the source, and not always both marks.
"""

from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from pathlib import Path

import numpy as np

from touchstone.base.codes import Code
from touchstone.base.errors import Fault, TouchstoneError
from touchstone.base.ragged import add_up
from touchstone.io.reading import read_table
from touchstone.tasks.mt.judges.doubts import repeated_errors
from touchstone.tasks.mt.judges.judgements import Codes, EntryColumns, Judgements, Outputs
from touchstone.tasks.mt.judges.rows import RowStream

Weight = tuple[str, str, float]
"""A severity and a category in lower case, with * for any text, and what such an error costs."""

WMT: tuple[Weight, ...] = (
    ("no-error", "*", 0.0),
    ("neutral", "*", 0.0),
    ("*", "non-translation*", 25.0),
    ("major", "*", 5.0),
    ("minor", "fluency/punctuation", 0.1),
    ("minor", "*", 1.0),
)
"""The weights of WMT since 2020 (Freitag et al. 2021, table 2)."""


@dataclass(frozen=True)
class Scheme:
    """What errors cost: the first of the *weights* whose severity and category fit.

    >>> Scheme("wmt", WMT).cost("Minor", "Fluency/Punctuation"), Scheme("wmt", WMT).cost("Critical", "Style")
    (0.1, None)
    """

    name: str
    weights: tuple[Weight, ...]
    costs: dict[tuple[str, str], float | None] = field(default_factory=dict, compare=False, repr=False)

    def cost(self, severity: str, category: str) -> float | None:
        """Return what an error costs; None if the scheme does not say."""
        key = severity, category
        if key not in self.costs:
            severity, category = severity.strip().lower(), category.strip().lower()
            fits = (
                cost
                for severities, categories, cost in self.weights
                if fnmatchcase(severity, severities) and fnmatchcase(category, categories)
            )
            self.costs[key] = next(fits, None)
        return self.costs[key]

    def __str__(self) -> str:
        return f"MQM penalties, scheme {self.name}"


def read_scheme(scheme: str | Path | None) -> Scheme:
    """Return a scheme by its name, ``wmt``, or from a table with the columns severity, category and weight."""
    if scheme is None or str(scheme) == "wmt":
        return Scheme("wmt", WMT)
    table = read_table(scheme)
    severities, categories = (table.texts(str(table.name(name))) for name in ("severity", "category"))
    costs = table.numbers(str(table.name("weight")))
    rows = zip(table.lines, severities, categories, costs, strict=True)
    faults = [
        Fault("a weight is a number from 0 on", table.source.name, line, code=Code.BAD_CELL)
        for line, _, _, cost in rows
        if not cost >= 0
    ]
    if faults:
        raise TouchstoneError.of(faults, "a row has a severity, a category (* for any) and a weight")
    patterns = zip(severities, categories, costs, strict=True)
    weights = tuple(
        ((severity or "*").lower(), (category or "*").lower(), cost) for severity, category, cost in patterns
    )
    return Scheme(str(table.source), weights)


def without_marks(text: str) -> str:
    """Return a text without the marks around an error.

    >>> without_marks("a <v>bad</v> word <v>?")
    'a bad word ?'
    """
    return text.replace("<v>", "").replace("</v>", "") if "v>" in text else text


@dataclass(eq=False)
class TextColumns:
    """The texts of a file of judgements as they are read; each is held once."""

    systems: Codes[str]
    segments: Codes[tuple[str, str]]
    targets: dict[tuple[int, int], str] = field(default_factory=dict)
    sources: dict[int, str] = field(default_factory=dict)
    changed: int = 0
    """How many rows have another text than the first row of the same translation."""

    def add(self, segment: tuple[str, str], system: str, source: str | None, target: str) -> None:
        """Keep the texts of a translation, where they are new."""
        text, row = without_marks(target), self.segments[segment]
        self.changed += self.targets.setdefault((self.systems[system], row), text) != text
        if source is not None:
            self.sources.setdefault(row, without_marks(source))

    def outputs(self, names: Sequence[str]) -> Outputs:
        """Return the texts in the order of the segments, whose *names* are given."""
        texts: dict[str, list[str | None]] = {system: [None] * len(names) for system in self.systems}
        columns = list(texts.values())
        for (system, row), text in self.targets.items():
            columns[system][row] = text
        documents = tuple(document for document, _ in self.segments)
        sources = tuple(self.sources.get(row, "") for row in range(len(names))) if self.sources else None
        return Outputs(tuple(names), texts, documents if any(documents) else None, sources)


def read_mqm(stream: RowStream, roles: Mapping[str, int], scheme: Scheme) -> Judgements:
    """Read raw MQM: the sum of the costs of the errors of each translation, rater by rater.

    Parameters
    ----------
    stream
        The rows, which also take what is wrong with them.
    roles
        The place of each column: segment, system, judge, category, severity; document, source, target where known.
    scheme
        What errors cost.
    """
    columns = EntryColumns()
    texts = TextColumns(columns.systems, columns.segments)
    at = [roles[name] for name in ("segment", "system", "judge", "severity", "category")]
    document, source_at, target = (roles.get(name, -1) for name in ("document", "source", "target"))
    unknown: dict[tuple[str, str], int] = {}
    for line, cells in stream.rows():
        segment, system, judge, severity, category = (cells[column] for column in at)
        cost = scheme.cost(severity, category)
        if cost is None:
            unknown.setdefault((severity, category), line)
            continue
        if not (segment and system and judge):
            stream.fault("no segment, system or rater in this row", line, code=Code.MISSING_ID)
        name = cells[document] if document >= 0 else ""
        columns.add(segment, system, judge, cost, line, document=name)
        if target >= 0:
            texts.add((name, segment), system, cells[source_at] if source_at >= 0 else None, cells[target])
    for error, line in unknown.items():
        what = f"the scheme {scheme.name} does not say what this error costs"
        stream.fault(what, line, " / ".join(error), code=Code.UNKNOWN_NAME)
    repeated = repeated_errors(columns, stream.source.name)
    # Weights are added up only now: errors of one translation need not be in neighbouring rows.
    summed = _summed(columns)
    judged = summed.judgements("mqm", "penalty", stream.source)
    notes = [f"rows with another text than the first row of the same translation: {texts.changed:,}"]
    notes = [*repeated, *(notes if texts.changed else [])]
    outputs = texts.outputs(columns.segment_names) if texts.targets else None
    return replace(judged, outputs=outputs, how=str(scheme), notes=tuple(notes))


def _summed(columns: EntryColumns) -> EntryColumns:
    """Return one entry for each translation and rater, with the sum of their costs, at the line of the first."""
    if not len(columns):
        return columns
    key = columns.key(columns.segment, columns.system, columns.judge)
    _, first = np.unique(key, return_index=True)
    sums = add_up(key, np.frombuffer(columns.value, np.float64), len(first))
    order = np.argsort(first, kind="stable")
    first_rows = first[order]

    def taken(column: "array[int]") -> "array[int]":
        return array("q", np.frombuffer(column, np.int64)[first_rows].tobytes())

    return replace(
        columns,
        group=taken(columns.group),
        segment=taken(columns.segment),
        judge=taken(columns.judge),
        system=taken(columns.system),
        label=taken(columns.label),
        span=taken(columns.span),
        line=taken(columns.line),
        value=array("d", sums[order].tobytes()),
    )
