"""Comparisons of the same results under several measures and within groups, with the gates on them, as one finding."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.base.notes import warning
from touchstone.core.comparison import Comparison
from touchstone.core.gating import Gate, gates_table, gates_verdict
from touchstone.core.group_comparison import GroupComparison
from touchstone.show.finding import Finding, Statement, kind_rows, table_rows

if TYPE_CHECKING:
    from touchstone.show.page import Page


@dataclass(frozen=True, eq=False, repr=False)
class Comparisons(Finding):
    """*comparisons* of the same results, one for each measure; *groups* has those within groups of items.

    The verdict is that of all *gates*.
    """

    comparisons: Sequence[Comparison]
    groups: Sequence[GroupComparison] = ()
    gates: Sequence[Gate] = ()

    def statement(self) -> Statement:
        """Return all comparisons, those within groups, and the verdict of the gates."""
        results = self.comparisons[0].results
        compared = [comparison.measure for comparison in self.comparisons]
        parts = [
            Statement(
                measure, [comparison.table(), comparison.pairs_table()], comparison.rows(), notes=comparison.notes
            )
            for measure, comparison in zip(compared, self.comparisons, strict=True)
        ]
        tables = [table for comparison in self.comparisons for table in comparison.task_tables()]
        tables = [table for n, table in enumerate(tables) if table not in tables[:n]]
        rows = [row for table in tables for row in table_rows("table", table, title=table.title)]
        parts.append(Statement("", tables, rows))
        if self.groups:
            grouped = results.under(compared)
            values = kind_rows("value", (row.to_dict() for row in grouped.rows if row.group is not None))
            parts += [Statement("", [grouped.table()], values), *(group.statement() for group in self.groups)]
        warnings = [warning(text) for gate in self.gates for text in gate.warnings]
        if self.gates:
            verdicts = [Statement("", rows=gate.rows(), verdict=gates_verdict([gate])) for gate in self.gates]
            parts.append(Statement("", [gates_table(self.gates)], parts=verdicts))
        notes = [note for comparison in self.comparisons for note in comparison.notes]
        return Statement(
            results.title,
            notes=list(dict.fromkeys([*notes, *results.notes, *warnings])),
            signature=joint_signature(self.comparisons),
            verdict=gates_verdict(self.gates) if self.gates else None,
            parts=parts,
        )

    def page(self) -> "Page":
        """Return the report of the results and of all comparisons."""
        from touchstone.core.report.results import scores_page

        return scores_page(self.comparisons[0].results, self.comparisons, self.groups, self.gates)


def joined(first: Comparison, others: Sequence[Finding]) -> Comparisons:
    """Return comparisons of the same results and gates on them as one finding; refuse anything else.

    Parameters
    ----------
    first
        The comparison whose measure orders the systems.
    others
        Other comparisons, comparisons of groups, and gates.
    """
    comparisons = [first, *(finding for finding in others if isinstance(finding, Comparison))]
    groups = [finding for finding in others if isinstance(finding, GroupComparison)]
    gates = [finding for finding in others if isinstance(finding, Gate)]
    strange = next(
        (finding for finding in others if not isinstance(finding, Comparison | GroupComparison | Gate)), None
    )
    if strange is not None:
        hint = "give comparisons of the same results, and gates on them"
        raise TouchstoneError(f"a {type(strange).__name__} is no part of a comparison", code=Code.BAD_VALUE, hint=hint)
    return Comparisons(comparisons, groups, gates)


def joint_signature(comparisons: Sequence[Comparison]) -> dict[str, str]:
    """Return the signature of comparisons of the same results under several measures.

    Parameters
    ----------
    comparisons
        At least one; the tests of different measures may have made different draws.
    """
    tests = {
        comparison.test: [other.measure for other in comparisons if other.test == comparison.test]
        for comparison in comparisons
    }
    test_texts = [test if len(tests) == 1 else f"{', '.join(names)}: {test}" for test, names in tests.items()]
    return {**comparisons[0].signature, "test": "; ".join(test_texts)}
