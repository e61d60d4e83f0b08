"""Reports and paper kits from Python: the files that ``--report`` and ``--paper`` write, from results in memory."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from touchstone.base.errors import TouchstoneError
from touchstone.core.comparison import Comparison
from touchstone.core.gating import Gate
from touchstone.core.registry import find_task
from touchstone.core.report.paper import write_paper as write_kit
from touchstone.core.report.results import explanation_page, task_page
from touchstone.core.results import Results
from touchstone.core.task import Explanation, Inputs
from touchstone.io.writing import check_suffix, write_text
from touchstone.judge.estimates import Estimates, estimates_statement
from touchstone.show.finding import Finding
from touchstone.show.page import Page, render

Reported = Results | Comparison | Explanation | Finding


def write_report(
    shown: Reported | Sequence[Comparison] | Sequence[Estimates], path: str | Path, *, gates: Gate | Sequence[Gate] = ()
) -> None:
    """Write a one-file HTML report, as ``--report`` does.

    Parameters
    ----------
    shown
        What `score`, `compare`, `explain`, `touchstone.estimate` or `touchstone.assess` gave; or several comparisons of
        the same results, or several estimates.
    path
        The file to write, an HTML page: its suffix is ``.html``.
    gates
        What `touchstone.gate` returned for these comparisons: the report opens with the verdict.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> import touchstone
    >>> results = touchstone.items.score({"a": {"q1": 1.0, "q2": 0.5}, "b": {"q1": 0.5, "q2": 0.0}})
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "report.html"
    ...     touchstone.write_report(results, path)
    ...     path.read_text("utf-8").startswith("<!DOCTYPE html>")
    True
    """
    check_suffix(path, "report")
    write_text(path, render(_page(shown, _listed(gates))))


def write_paper(
    comparisons: Comparison | Sequence[Comparison], folder: str | Path, *, gates: Gate | Sequence[Gate] = ()
) -> None:
    """Write the table, a methods paragraph and the references for a paper, as ``compare --paper`` does.

    Parameters
    ----------
    comparisons
        The result of `touchstone.compare`, or several of the same results under different measures.
    folder
        The folder to write to; it is created if it does not exist.
    gates
        What `touchstone.gate` returned for these comparisons: the sentence on the results begins with the verdict.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> import touchstone
    >>> results = touchstone.items.score({"a": {"q1": 1.0, "q2": 0.5}, "b": {"q1": 0.5, "q2": 0.0}})
    >>> with TemporaryDirectory() as folder:
    ...     touchstone.write_paper(touchstone.compare(results), folder)
    ...     sorted(path.name for path in Path(folder).glob("*.tex"))
    ['methods.tex', 'pairs.tex', 'results.tex', 'table.tex']
    """
    several = [comparisons] if isinstance(comparisons, Comparison) else comparisons
    if not _is_list_of(Comparison, several):
        kind = type(comparisons).__name__
        raise TouchstoneError(f"a {kind} has no paper kit", hint="give what touchstone.compare(results) returns")
    check_suffix(folder, "paper kit")
    write_kit(folder, several, _listed(gates))


def _is_list_of(kind: type, given: object) -> bool:
    return isinstance(given, list | tuple) and bool(given) and all(isinstance(one, kind) for one in given)


def _listed(gates: Gate | Sequence[Gate]) -> Sequence[Gate]:
    return [gates] if isinstance(gates, Gate) else gates


def _page(shown: Any, gates: Sequence[Gate]) -> Page:  # noqa: ANN401 (what the user gives)
    if isinstance(shown, Explanation) and shown.task:
        return explanation_page(find_task(shown.task), shown)
    if isinstance(shown, Finding):
        return shown.page()
    if _is_list_of(Estimates, shown):
        return estimates_statement(shown).page()
    several: Any = [shown] if isinstance(shown, Comparison) else shown
    if isinstance(shown, Results) or _is_list_of(Comparison, several):
        results, comparisons = (shown, []) if isinstance(shown, Results) else (several[0].results, several)
        if not isinstance(results.inputs, Inputs):
            hint = "score all systems in one call, or use the command with --report"
            raise TouchstoneError("a report shows the inputs, and these results hold records only", hint=hint)
        return task_page(find_task(results.task), results.inputs, results, comparisons, gates=gates)
    hint = "give what score, compare, explain, touchstone.estimate or touchstone.assess returns"
    raise TouchstoneError(f"a {type(shown).__name__} of this kind has no report", hint=hint)
