"""The explanation of one item: what people and systems said about it, and each value as arithmetic with its numbers."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from touchstone.base.tables import Table
from touchstone.core.formulas import Formula, formulas_table
from touchstone.show.finding import Finding, Statement, kind_rows, table_rows

if TYPE_CHECKING:
    from touchstone.core.task import Task


@dataclass(frozen=True, eq=False, repr=False)
class Explanation(Finding):
    """One item in all runs: *heading* is plain text, *tables* show how the values are computed.

    *drawing* is what the task needs to draw the item; each task has its own kind.
    """

    item: str
    heading: str
    tables: Sequence[Table]
    drawing: object = None
    task: "Task[Any, Any, Any] | None" = None
    """The task, whose report draws it."""
    formulas: Sequence[Formula] = ()
    """The value of each system under each measure as arithmetic with the numbers of the item."""
    notes: Sequence[str] = ()
    """What a reader of the explanation should know about the runs."""

    def statement(self) -> Statement:
        """Return the text of the item, the tables, and the formulas."""
        from touchstone.core.report.results import explanation_sections

        name, *lines = filter(None, map(str.strip, self.heading.splitlines()))
        formulas = [formulas_table(self.formulas)] if self.formulas else []
        rows: list[dict[str, object]] = [
            {"kind": "item", "item": self.item, "text": self.heading},
            *kind_rows("formula", ({**vars(formula), "terms": dict(formula.terms)} for formula in self.formulas)),
            *(row for table in self.tables for row in table_rows("table", table, title=table.title)),
        ]
        return Statement(
            f"{self.task.title}: {name}" if self.task else name,
            [*self.tables, *formulas],
            rows,
            notes=self.notes,
            introduction=self.heading,
            subtitle=" ".join(lines) if len(lines) == 1 else "",
            sections=lambda: explanation_sections(self),
        )
