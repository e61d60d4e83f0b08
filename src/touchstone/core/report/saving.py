"""Reports from Python: files with the pages of results in memory."""

from collections.abc import Sequence
from pathlib import Path

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.core.gating import Gate
from touchstone.io.writing import check_suffix, write_text
from touchstone.show.finding import Finding
from touchstone.show.page import render


def write_report(finding: Finding | Sequence[Finding], path: str | Path, *, gates: Gate | Sequence[Gate] = ()) -> None:
    """Write a one-file HTML report.

    Parameters
    ----------
    finding
        What an analysis gave, such as `score`, `compare`, `explain` or `touchstone.estimate`; or several comparisons of
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
    first, *others = _findings(finding)
    joint_finding = first.joined([*others, *([gates] if isinstance(gates, Gate) else gates)])
    write_text(path, render(joint_finding.page()))


def _findings(findings: object) -> Sequence[Finding]:
    if isinstance(findings, Finding):
        return [findings]
    if isinstance(findings, list | tuple) and findings and all(isinstance(each, Finding) for each in findings):
        return findings
    hint = "give what score, compare, explain, touchstone.estimate or touchstone.assess returns"
    raise TouchstoneError(f"a {type(findings).__name__} of this kind has no report", code=Code.BAD_VALUE, hint=hint)
