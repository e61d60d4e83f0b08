"""What an analysis finds, and every way to show it: terminal, JSON, data frames, notebooks, Markdown, LaTeX, reports.

An analysis returns a `Finding`: typed numbers for Python users, which state themselves once, as a `Statement`. All that
shows a result knows statements, and nothing of the analyses behind them.
"""

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from html import escape
from itertools import chain, count
from math import isfinite
from typing import TYPE_CHECKING, Any

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError, check_installed, visible
from touchstone.base.notes import is_warning, labelled, warnings_of
from touchstone.base.signature import Signature
from touchstone.base.tables import Table, markdown_text

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

    from touchstone.show.page import Block, Page, Section


class Finding(ABC):
    """What an analysis returns: a subclass has the numbers as attributes, and states them in `statement`.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> from touchstone.base.tables import Column
    >>> @dataclass(frozen=True, repr=False)
    ... class Agreement(Finding):
    ...     alpha: float
    ...
    ...     def statement(self):
    ...         table = Table([Column("coefficient"), Column("value", "right")], [["alpha", self.alpha]])
    ...         rows = [{"kind": "coefficient", "measure": "alpha", "value": self.alpha, "low": float("nan")}]
    ...         return Statement("Agreement", [table], rows, [f"alpha is {self.alpha:.2f}"])
    >>> agreement = Agreement(0.5)
    >>> agreement
    coefficient  value
    ──────────────────
    alpha        0.500
    <BLANKLINE>
    alpha is 0.50
    >>> agreement.to_dict()["rows"]
    [{'kind': 'coefficient', 'measure': 'alpha', 'value': 0.5, 'low': None}]
    """

    @abstractmethod
    def statement(self) -> "Statement":
        """Return the result in words, in tables and as rows."""

    def to_dict(self, command: Sequence[str] | None = None) -> dict[str, object]:
        """Return title, signature, rows, sentences and notes, ready for JSON; nan and infinity are None.

        Parameters
        ----------
        command
            The command line that computes the same numbers again, where there is one.
        """
        stated = self.statement()
        verdict = {} if stated.verdict is None else {"verdict": stated.verdict.to_dict()}
        return {
            "title": stated.title,
            "signature": dict(stated.signature),
            **({} if command is None else {"command": list(command)}),
            **verdict,
            "rows": finite_numbers(stated.all_rows),
            "sentences": list(stated.sentences),
            "notes": [note for note in stated.notes if not is_warning(note)],
            "warnings": warnings_of(stated.notes),
        }

    def to_json(self, command: Sequence[str] | None = None) -> str:
        """Return title, signature, rows, sentences and notes as one JSON object.

        Parameters
        ----------
        command
            As in `to_dict`.
        """
        return json.dumps(self.to_dict(command), ensure_ascii=False, indent=2)

    def to_arrow(self, kind: str | None = None) -> "pa.Table":
        """Return the rows as an Arrow table; a row without a value has None there.

        Parameters
        ----------
        kind
            The kind of rows, such as "pair"; by default all.
        """
        import pyarrow as pa

        rows = [row for row in self.statement().all_rows if kind in (None, row["kind"])]
        names = dict.fromkeys(name for row in rows for name in row)
        cells = finite_numbers(rows)
        return pa.table({name: [row.get(name) for row in cells] for name in names})

    def to_pandas(self, kind: str | None = None) -> "pd.DataFrame":
        """Return the rows as a pandas data frame.

        Parameters
        ----------
        kind
            The kind of rows, such as "pair"; by default all.
        """
        check_installed("pandas")
        return self.to_arrow(kind).to_pandas()

    def to_text(self) -> str:
        """Return introduction, verdict, tables and sentences as plain text."""
        stated = self.statement()
        tables = [table.to_text() for table in stated.all_tables]
        verdict, sentences = "\n".join(stated.verdict_lines), "\n".join(map(visible, stated.sentences))
        return "\n\n".join(filter(None, [stated.introduction, verdict, *tables, sentences]))

    def to_markdown(self) -> str:
        """Return introduction, verdict, tables and sentences as Markdown."""
        stated = self.statement()
        tables = [table.to_markdown() for table in stated.all_tables]
        above = [*stated.introduction.splitlines(), *stated.verdict_lines]
        parts = [*map(markdown_text, above), *tables, *map(markdown_text, stated.sentences)]
        return "\n\n".join(filter(None, parts))

    def to_latex(self) -> str:
        """Return the tables as LaTeX."""
        return "\n\n".join(table.to_latex() for table in self.statement().all_tables)

    def page(self) -> "Page":
        """Return the report, which `touchstone.write_report` writes to a file."""
        return statement_page(self.statement())

    def joined(self, others: "Sequence[Finding]") -> "Finding":
        """Return this finding and others of its kind as one, which a report shows together.

        Parameters
        ----------
        others
            Findings about the same inputs, such as comparisons under other measures.
        """
        if not others:
            return self
        what = f"a {type(self).__name__} and other results have no report of their own"
        hint = "write one report for each, or give comparisons or estimates of the same results"
        raise TouchstoneError(what, code=Code.UNSUPPORTED, hint=hint)

    def __repr__(self) -> str:
        notes = labelled(self.statement().further_notes)
        return "\n\n".join(filter(None, [self.to_text(), "\n".join(notes)]))

    def _repr_html_(self) -> str:
        def paragraph(lines: Iterable[str]) -> str:
            markup = "<br>".join(escape(visible(line)) for line in lines)
            return f"<p>{markup}</p>" if markup else ""

        stated = self.statement()
        alerts = "".join(f"<p><strong>Warning:</strong> {escape(text)}</p>" for text in warnings_of(stated.notes))
        above = paragraph(stated.introduction.splitlines()) + paragraph(stated.verdict_lines)
        tables = "".join(table.to_html() for table in stated.all_tables)
        return alerts + above + tables + paragraph(stated.sentences)


PASSED, FAILED = "PASSED", "FAILED"


@dataclass(frozen=True)
class Verdict:
    """Whether a result *passed* a gate; a command whose verdict did not pass exits with 1.

    >>> Verdict(False, ["new is significantly worse than old"]).lines
    ['FAILED: new is significantly worse than old']
    """

    passed: bool
    sentences: Sequence[str] = ()

    @property
    def word(self) -> str:
        """PASSED or FAILED, as tables and reports say it."""
        return PASSED if self.passed else FAILED

    @property
    def lines(self) -> list[str]:
        """The sentences, each after the word."""
        return [f"{self.word}: {sentence}" for sentence in self.sentences]

    def to_dict(self) -> dict[str, object]:
        """Return the verdict, ready for JSON."""
        return {"passed": self.passed, "sentences": list(self.sentences)}


@dataclass(frozen=True, eq=False, repr=False)
class Statement(Finding):
    """A result in words, in tables and as rows; itself a finding, for analyses without typed numbers of their own.

    Parameters
    ----------
    title
        What was analysed: the title of the report.
    tables
        The numbers as people read them.
    rows
        The same numbers for machines, each with its ``kind``, such as "pair", and with what it is about.
    sentences
        The result in words, the most important first.
    notes
        Facts about the inputs; warnings among them say that the numbers may not be what the user meant.
    signature
        All that the numbers depend on.
    verdict
        The verdict of a gate.
    parts
        Statements that this one is made of: their tables and rows follow its own.
    introduction
        Text above the tables, such as the texts of an item.
    subtitle
        A line below the title of the report.
    sections
        Makes the sections of the report; by default the tables, and a section for each part.
    """

    title: str
    tables: Sequence[Table] = ()
    rows: Sequence[Mapping[str, object]] = ()
    sentences: Sequence[str] = ()
    notes: Sequence[str] = ()
    signature: Signature = field(default_factory=dict)
    verdict: Verdict | None = None
    parts: Sequence["Statement"] = ()
    introduction: str = ""
    subtitle: str = ""
    sections: "Callable[[], Sequence[Section]] | None" = None

    def statement(self) -> "Statement":
        """Return the statement itself."""
        return self

    @cached_property
    def all_tables(self) -> list[Table]:
        """The tables, then those of the parts."""
        return [*self.tables, *(table for part in self.parts for table in part.all_tables)]

    @cached_property
    def all_rows(self) -> list[Mapping[str, object]]:
        """The rows, then those of the parts."""
        return [*self.rows, *(row for part in self.parts for row in part.all_rows)]

    @cached_property
    def verdicts(self) -> list[Verdict]:
        """The verdicts of the parts; where no part has one, that of the whole."""
        verdicts = [verdict for part in self.parts for verdict in part.verdicts]
        return verdicts or ([] if self.verdict is None else [self.verdict])

    @property
    def verdict_lines(self) -> list[str]:
        """The sentences of all verdicts, each after PASSED or FAILED."""
        return [line for verdict in self.verdicts for line in verdict.lines]

    @cached_property
    def further_notes(self) -> list[str]:
        """The notes that are no sentences, and do not stand below a table unless they are warnings."""
        below = {note for table in self.all_tables for note in table.notes}
        notes = [note for note in dict.fromkeys(self.notes) if is_warning(note) or note not in below]
        return [note for note in notes if note not in self.sentences]


def table_rows(kind: str, table: Table, **about: object) -> list[dict[str, object]]:
    """Return the rows of a table for machines: its headings are the names.

    Parameters
    ----------
    kind
        What a row is, such as "pair".
    table
        The table.
    about
        What all of its rows are about, by name.

    Examples
    --------
    >>> from touchstone.base.tables import Column
    >>> table_rows("count", Table([Column("label"), Column("pairs")], [["neutral", 3]]), set="dev")
    [{'kind': 'count', 'set': 'dev', 'label': 'neutral', 'pairs': 3}]
    """
    names: list[str] = []
    for column in table.columns:  # the second of two equal headings has a number
        taken = ["kind", *about, *names]
        numbered = (f"{column.header} ({number})" for number in count(2))
        names.append(next(name for name in chain([column.header], numbered) if name not in taken))
    return [{"kind": kind, **about, **dict(zip(names, row, strict=True))} for row in table.rows]


def kind_rows(kind: str, rows: Iterable[Mapping[str, object]]) -> list[dict[str, object]]:
    """Return mappings as rows of one kind.

    Parameters
    ----------
    kind
        What a row is, such as "pair".
    rows
        The names and values of each row.

    Examples
    --------
    >>> kind_rows("pair", [{"a": "bow", "b": "lm", "difference": 0.5}])
    [{'kind': 'pair', 'a': 'bow', 'b': 'lm', 'difference': 0.5}]
    """
    return [{"kind": kind, **row} for row in rows]


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


def statement_page(stated: Statement) -> "Page":
    """Return the report of a statement: warnings, verdict and sentences on top, then its sections and its notes.

    Parameters
    ----------
    stated
        The statement.
    """
    from touchstone.show.page import Page, Paragraph, Section

    sections = list(stated.sections()) if stated.sections is not None else _default_sections(stated)
    remarks: list[Block] = [Paragraph(note) for note in stated.notes if not is_warning(note)]
    notes = [Section("Notes", "notes", remarks)] if remarks else []
    verdict = stated.verdict
    return Page(
        stated.title,
        [*sections, *notes],
        subtitle=stated.subtitle,
        signature=stated.signature,
        generated=f"touchstone {stated.signature['touchstone']}" if "touchstone" in stated.signature else "",
        verdict=stated.sentences,
        warnings=warnings_of(stated.notes),
        gate=verdict.sentences if verdict else (),
        passed=verdict.passed if verdict else True,
    )


def _default_sections(stated: Statement) -> "list[Section]":
    from touchstone.show.page import Section, TableBlock

    result_section = [Section("", "result", [TableBlock(table) for table in stated.tables])] if stated.tables else []
    part_sections = [
        section
        for number, part in enumerate(stated.parts, 1)
        for section in (part.sections() if part.sections is not None else [_part_section(part, number)])
    ]
    return [*result_section, *part_sections]


def _part_section(part: Statement, number: int) -> "Section":
    from touchstone.show.page import Paragraph, Section, TableBlock

    return Section(part.title, f"part-{number}", [*map(Paragraph, part.sentences), *map(TableBlock, part.all_tables)])
