"""The child process that scores a project: files in a folder of its own, a request and a result as JSON.

The request comes on standard input and the result goes to standard output. A fault in the files is a sentence on
standard error and exit code 2, as in the command line.
"""

import json
import sys
from collections.abc import Mapping
from pathlib import Path

from touchstone.annotate.children import FAULT, limit
from touchstone.base.errors import TouchstoneError
from touchstone.base.ids import STRICT, Policy
from touchstone.base.signature import short_signature
from touchstone.base.tables import Table, display_text
from touchstone.core.registry import find_task
from touchstone.core.report.results import compare_defaults, scores_page
from touchstone.io.jsonl import Json
from touchstone.show.page import render


def scored(task_name: str, gold: str, runs: Mapping[str, str], *, with_report: bool) -> dict[str, Json]:
    """Return the scores of runs, as ``touchstone TASK score`` and ``compare`` compute them.

    Parameters
    ----------
    task_name
        The name of the task.
    gold
        The file or the folder of the gold.
    runs
        The file of each system; none where the gold carries the systems. They may answer items that the gold does not
        have, since the gold of a project has only the items that are decided so far.
    with_report
        Whether to compare the systems and to draw the report, too.
    """
    task = find_task(task_name)
    inputs = task.read(Path(gold), {name: Path(path) for name, path in runs.items()})
    results = task.score(inputs, policy=Policy(unknown="ignore") if runs else STRICT, jobs=1)
    if not with_report:
        return {}
    comparisons, stated = compare_defaults(results), results.statement()
    return {
        **json.loads(stated.to_json()),
        "short": short_signature(results.signature),
        "tables": [_displayed(table) for table in stated.tables],
        "comparisons": [
            {"measure": comparison.measure, "table": _displayed(comparison.pairs_table())} for comparison in comparisons
        ],
        "notes": list(results.notes),
        "report": render(scores_page(results, comparisons), scripts=False),
    }


def _displayed(table: Table) -> dict[str, Json]:
    """Return a table as the command line prints it: texts under headings, and which columns hold numbers."""
    return {
        "columns": [column.header for column in table.columns],
        "numbers": [column.align == "right" for column in table.columns],
        "rows": [[display_text(cell) for cell in row] for row in table.rows],
        "notes": list(table.notes),
    }


def main() -> None:
    """Answer one request."""
    limit()
    try:
        result = scored(**json.load(sys.stdin))
    except TouchstoneError as error:
        sys.stderr.write(f"{error}\n")
        sys.exit(FAULT)
    json.dump(result, sys.stdout)


if __name__ == "__main__":
    main()
