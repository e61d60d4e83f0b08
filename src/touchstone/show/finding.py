"""What an analysis finds: the result in words, in tables and as rows, with its signature.

Terminal, JSON, notebooks, reports and the paper kit know findings and nothing of the analyses behind them: an analysis
is a function that returns one.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from touchstone.base.notes import is_warning, warnings_of
from touchstone.base.signature import Signature
from touchstone.base.tables import Table, markdown_text
from touchstone.show.page import Block, Figure, Page, Paragraph, Section, TableBlock

if TYPE_CHECKING:
    import pyarrow as pa

Result = TypeVar("Result", covariant=True)


@dataclass(frozen=True, eq=False, repr=False)
class Finding(Generic[Result]):
    """What an analysis returns.

    Parameters
    ----------
    title
        What was analysed.
    result
        The numbers, typed, for Python users.
    tables
        The numbers as people read them.
    rows
        The same numbers for machines: a mapping from names to values for each; nan and infinity become None.
    sentences
        The result in words, the most important first.
    notes
        Facts about the inputs; warnings among them say that the numbers may not be what the user meant.
    signature
        All that the numbers depend on.
    figures
        Drawings of the numbers.
    parts
        Findings that this one is made of.

    Examples
    --------
    >>> from touchstone.base.tables import Column
    >>> table = Table([Column("coefficient"), Column("value", "right")], [["alpha", 0.5]])
    >>> rows = [{"measure": "alpha", "value": 0.5, "low": float("nan")}]
    >>> finding = Finding("Agreement", 0.5, [table], rows, sentences=["alpha is 0.500"])
    >>> finding
    coefficient  value
    ──────────────────
    alpha        0.500
    <BLANKLINE>
    alpha is 0.500
    >>> finding.to_dict()["rows"]
    [{'measure': 'alpha', 'value': 0.5, 'low': None}]
    """

    title: str
    result: Result
    tables: Sequence[Table]
    rows: Sequence[Mapping[str, object]]
    sentences: Sequence[str] = ()
    notes: Sequence[str] = ()
    signature: Signature = field(default_factory=dict)
    figures: Sequence[Figure] = ()
    parts: Sequence["Finding[object]"] = ()

    def to_dict(self) -> dict[str, object]:
        """Return everything but tables and figures, ready for JSON."""
        everything: dict[str, object] = {
            "title": self.title,
            "signature": dict(self.signature),
            "rows": finite_numbers(self.rows),
            "sentences": list(self.sentences),
            "notes": [note for note in self.notes if not is_warning(note)],
            "warnings": warnings_of(self.notes),
        }
        return everything | ({"parts": [part.to_dict() for part in self.parts]} if self.parts else {})

    def to_json(self) -> str:
        """Return everything but tables and figures as one JSON object."""
        return json.dumps(self.to_dict(), ensure_ascii=False, indent=2)

    def to_arrow(self) -> "pa.Table":
        """Return the rows as an Arrow table, which pandas and polars read; a row without a value has None there."""
        import pyarrow as pa

        names = list(dict.fromkeys(name for row in self.rows for name in row))
        rows = finite_numbers(self.rows)
        return pa.table({name: [row.get(name) for row in rows] for name in names})

    def to_text(self) -> str:
        """Return the tables and sentences as plain text."""
        return "\n\n".join([*(table.to_text() for table in self.all_tables()), *self.sentences])

    def to_markdown(self) -> str:
        """Return the tables and sentences as Markdown."""
        return "\n\n".join([*(table.to_markdown() for table in self.all_tables()), *map(markdown_text, self.sentences)])

    def to_latex(self) -> str:
        """Return the tables as LaTeX."""
        return "\n\n".join(table.to_latex() for table in self.all_tables())

    def all_tables(self) -> list[Table]:
        """Return the tables, then those of the parts."""
        return [*self.tables, *(table for part in self.parts for table in part.all_tables())]

    def __repr__(self) -> str:
        return self.to_text()

    def _repr_html_(self) -> str:
        return "".join(table.to_html() for table in self.all_tables())


def finite_numbers(value: Any) -> Any:  # noqa: ANN401 (any value of JSON)
    """Return a value with None for the numbers that JSON does not have.

    Parameters
    ----------
    value
        Mappings, sequences, texts and numbers.

    Examples
    --------
    >>> finite_numbers({"value": float("nan"), "ends": (0.5, float("inf"))})
    {'value': None, 'ends': [0.5, None]}
    """
    if isinstance(value, Mapping):
        return {key: finite_numbers(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [finite_numbers(inner) for inner in value]
    return None if isinstance(value, float) and not isfinite(value) else value


def finding_blocks(finding: "Finding[object]") -> list[Block]:
    """Return the tables and figures of a finding as blocks of a page.

    Parameters
    ----------
    finding
        The finding.
    """
    return [*map(TableBlock, finding.tables), *finding.figures]


def finding_page(finding: "Finding[object]", *, subtitle: str = "") -> Page:
    """Return the report of a finding: its sentences on top, then its tables and figures, a section for each part.

    Parameters
    ----------
    finding
        The finding.
    subtitle
        A line below the title.
    """
    own = [Section("", "result", finding_blocks(finding))] if finding.tables or finding.figures else []
    parts = [
        Section(part.title, f"part-{number}", [*map(Paragraph, part.sentences), *finding_blocks(part)])
        for number, part in enumerate(finding.parts, 1)
    ]
    remarks = [Paragraph(note) for note in finding.notes if not is_warning(note)]
    notes = [Section("Notes", "notes", remarks)] if remarks else []
    return Page(
        finding.title,
        [*own, *parts, *notes],
        subtitle=subtitle,
        signature=finding.signature,
        generated=f"touchstone {finding.signature.get('touchstone', '')}".strip(),
        verdict=finding.sentences,
        warnings=warnings_of(finding.notes),
    )
