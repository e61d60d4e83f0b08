"""What commands print: tables or JSON on standard output, notes and progress on standard error, files beside."""

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from touchstone.base.console import remark, working
from touchstone.base.errors import visible
from touchstone.base.notes import is_warning
from touchstone.cli.calling import current_call
from touchstone.cli.options import Format, OutputOptions

if TYPE_CHECKING:
    from touchstone.base.tables import Table
    from touchstone.show.finding import Finding, Statement
    from touchstone.show.page import Page

STDOUT = "-"


def show_finding(
    output: OutputOptions,
    finding: "Finding",
    *,
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
    to_file
        Whether ``--out`` is for this output; a command whose ``--out`` names another file says no.
    command
        The command that makes the same numbers again; by default the one that is running, where it can be repeated.
    """
    stated = finding.statement()
    if write_report(output.report, finding.page):
        remark(filter(is_warning, stated.notes))
    else:
        _show(stated, output, to_file=to_file, command=command)
        remark(stated.further_notes)
    remark(f"passed: {line}" for each in stated.verdicts if each.passed for line in each.sentences)
    for line in [line for each in stated.verdicts if not each.passed for line in each.sentences]:
        click.echo(f"failed: {line}", err=True)
    if stated.verdict is not None and not stated.verdict.passed:
        raise click.exceptions.Exit(1)


FORMATS = {".txt": Format.TEXT, ".md": Format.MARKDOWN, ".tex": Format.LATEX}
"""The format of tables in files whose suffix decides; .json is the JSON object."""


def _show(stated: "Statement", output: OutputOptions, *, to_file: bool, command: Sequence[str] | None) -> None:
    """Print a statement where the options say, and in the files that the running command fills too."""
    from touchstone.base.signature import short_signature

    signed = short_signature(stated.signature) if stated.signature else ""
    call = current_call()
    for path in call.tables if call else ():
        form = FORMATS.get(path.suffix, Format.TEXT)
        _write(_json_text(stated, command) if path.suffix == ".json" else _formatted(stated, form, signed), path)
    if output.json:
        _write(_json_text(stated, command), output.out if to_file else None)
    elif output.format == Format.TEXT and not (output.out and to_file):
        closing = "\n".join([*map(visible, stated.sentences), *([signed] if signed else [])])
        blocks: list[str | Table] = [stated.introduction, *stated.all_tables, closing]
        for block_index, block in enumerate(block for block in blocks if block):
            if block_index:
                click.echo()
            click.echo(block) if isinstance(block, str) else _print(block)
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


def write_report(path: Path | None, page: Callable[[], "Page"]) -> bool:
    """Write the page that *page* makes, if a path is given; return whether it went to standard output instead."""
    if path is None:
        return False
    from touchstone.io.writing import write_text
    from touchstone.show.page import render

    with working("drawing the report"):
        html = render(page())
    if str(path) == STDOUT:
        click.echo(html, nl=False)
        return True
    write_text(path, html)
    remark([f"the report is in {path}"])
    return False


def _write(text: str, path: Path | None) -> None:
    if path is None or str(path) == STDOUT:
        click.echo(text, nl=False)
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
    click.echo(text)
