"""What commands print: tables or JSON on standard output, notes and progress on standard error, files beside."""

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from touchstone.base.errors import visible
from touchstone.base.notes import is_warning, labelled
from touchstone.cli.calling import current_call
from touchstone.cli.options import Format, OutputOptions

if TYPE_CHECKING:
    from touchstone.base.tables import Table
    from touchstone.core.scoring import Progress
    from touchstone.show.finding import Finding, Statement
    from touchstone.show.page import Page

STDOUT = "-"


def show_finding(
    output: OutputOptions,
    finding: "Finding",
    *,
    report: Path | None = None,
    to_file: bool = True,
    command: Sequence[str] | None = None,
) -> None:
    """Print a finding where the options say, its report where one is asked for; exit with 1 if a verdict did not pass.

    Notes and verdicts are printed on standard error.

    Parameters
    ----------
    output
        The options of the command.
    finding
        What the command found.
    report
        The file of the report; its page replaces what is printed where that is standard output.
    to_file
        Whether ``--out`` is for this output; a command whose ``--out`` names another file says no.
    command
        The command that makes the same numbers again; by default the one that is running, where it can be repeated.
    """
    stated = finding.statement()
    if write_report(report, finding.page, output):
        remark(filter(is_warning, stated.notes), output)
    else:
        _show(stated, output, to_file=to_file, command=command)
        remark(stated.further_notes, output)
    remark([f"passed: {line}" for each in stated.verdicts if each.passed for line in each.sentences], output)
    for line in [line for each in stated.verdicts if not each.passed for line in each.sentences]:
        typer.echo(f"failed: {line}", err=True)
    if stated.verdict is not None and not stated.verdict.passed:
        raise typer.Exit(1)


FORMATS = {".txt": Format.TEXT, ".md": Format.MARKDOWN, ".tex": Format.LATEX}
"""The format of tables in files whose suffix decides; .json is the JSON object."""


def _show(stated: "Statement", output: OutputOptions, *, to_file: bool, command: Sequence[str] | None) -> None:
    """Print a statement where the options say, and in the files that the running command fills too."""
    signed = _signature_line(stated.signature, full=output.signature) if stated.signature else ""
    call = current_call()
    for path in call.tables if call else ():
        form = FORMATS.get(path.suffix, Format.TEXT)
        _write(_json_text(stated, command) if path.suffix == ".json" else _formatted(stated, form, signed), path)
    if output.json:
        _write(_json_text(stated, command), output.out if to_file else None)
    elif output.format is Format.TEXT and not (output.out and to_file):
        closing = "\n".join([*map(visible, stated.sentences), *([signed] if signed else [])])
        blocks: list[str | Table] = [stated.introduction, *stated.all_tables, closing]
        for block_index, block in enumerate(block for block in blocks if block):
            if block_index:
                typer.echo()
            typer.echo(block) if isinstance(block, str) else _print(block)
    else:
        _write(_formatted(stated, output.format, signed), output.out if to_file else None)


def _json_text(stated: "Statement", command: Sequence[str] | None) -> str:
    """Return a statement as one JSON object; with a signature it has the command that computes its numbers."""
    call = current_call()
    if command is None and call and stated.signature:
        command = call.repeatable
    return stated.to_json(command) + "\n"


def _formatted(stated: "Statement", form: Format, signed: str) -> str:
    """Return a statement in a format; the signature is the last line, in LaTeX a comment."""
    from touchstone.base.tables import markdown_text

    if form is Format.TEXT:
        gap = "\n" if stated.sentences else "\n\n"
        return stated.to_text() + (gap + signed if signed else "") + "\n"
    markdown = form is Format.MARKDOWN
    body = stated.to_markdown() if markdown else stated.to_latex()
    last = [markdown_text(signed) if markdown else f"% {visible(signed)}"] if signed else []
    return "\n\n".join([body, *last]) + "\n"


def _signature_line(signature: Mapping[str, str], *, full: bool) -> str:
    from touchstone.base.signature import short_signature

    return "|".join(f"{key}:{value}" for key, value in signature.items()) if full else short_signature(signature)


def remark(notes: Iterable[str], output: OutputOptions | None = None) -> None:
    """Print warnings and notes on standard error; with ``--quiet`` warnings only."""
    for line in labelled(notes):
        if is_warning(line) or output is None or not output.quiet:
            typer.echo(line, err=True)


def write_report(path: Path | None, page: Callable[[], "Page"], output: OutputOptions) -> bool:
    """Write the page that *page* makes, if a path is given; return whether it went to standard output instead."""
    if path is None:
        return False
    from touchstone.io.writing import write_text
    from touchstone.show.page import render

    with working("drawing the report", output):
        html = render(page())
    if str(path) == STDOUT:
        typer.echo(html, nl=False)
        return True
    write_text(path, html)
    remark([f"the report is in {path}"], output)
    return False


@contextmanager
def working(what: str, output: OutputOptions | None = None) -> Iterator["Progress"]:
    """Show on a terminal what is being done, and how many items are done where the work tells it."""
    if not sys.stderr.isatty() or (output is not None and output.quiet):
        yield lambda done, total: None  # noqa: ARG005
        return
    from rich.console import Console

    with Console(stderr=True).status(what) as status:
        yield lambda done, total: status.update(f"{what}: {done:,} of {total:,}")


def _write(text: str, path: Path | None) -> None:
    if path is None or str(path) == STDOUT:
        typer.echo(text, nl=False)
        return
    from touchstone.io.writing import write_text

    write_text(path, text)


def _print(table: "Table") -> None:
    """Print plain text, and colours where a terminal has room for them: a terminal wraps lines, rich would cut them."""
    text = table.to_text()
    if sys.stdout.isatty():
        from rich.console import Console

        console = Console()
        if max(map(len, text.split("\n"))) <= console.width:
            console.print(table.to_rich())
            return
    typer.echo(text)
