"""What commands print: tables or JSON on standard output, notes and progress on standard error, files beside."""

import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from touchstone.base.errors import visible
from touchstone.base.notes import is_warning, labelled, warnings_of
from touchstone.cli.calling import current_call
from touchstone.cli.options import Format, OutputOptions

if TYPE_CHECKING:
    from touchstone.base.tables import Table
    from touchstone.core.scoring import Progress
    from touchstone.show.finding import Finding
    from touchstone.show.page import Page

STDOUT = "-"


def show(
    output: OutputOptions,
    tables: Iterable["Table"],
    data: Callable[[], Mapping[str, object]],
    *,
    heading: str = "",
    signature: Mapping[str, str] | None = None,
    sentences: Sequence[str] = (),
    notes: Iterable[str] = (),
    to_file: bool = True,
    command: Sequence[str] | None = None,
) -> None:
    """Print tables, or one JSON object, where the options say.

    Parameters
    ----------
    output
        The options of the command.
    tables
        What is printed as text, Markdown or LaTeX.
    data
        Makes the JSON object.
    heading
        Text above the tables.
    signature, sentences
        Printed below tables; sentences in text alone.
    notes
        Facts about the inputs, printed on standard error.
    to_file
        Whether ``--out`` is for this output; a command whose ``--out`` names another file says no.
    command
        The command that makes the same numbers again; by default the one that is running, where it can be repeated.
    """
    tables, notes = list(tables), list(notes)
    signed = _signature_line(signature, whole=output.signature) if signature else ""
    call = current_call()
    for path in call.tables if call else ():
        form = FORMATS.get(path.suffix, Format.TEXT)
        text = (
            _json_text(data(), notes, command)
            if path.suffix == ".json"
            else _tables_text(tables, form, heading, sentences, signed)
        )
        _write(text, path)
    if output.json:
        _write(_json_text(data(), notes, command), output.out if to_file else None)
    elif output.format is Format.TEXT and not (output.out and to_file):
        if heading:
            typer.echo(heading + "\n")
        for table in tables:
            _print(table)
            typer.echo()
        for line in _closing_lines(sentences, signed):
            typer.echo(line)
    else:
        text = _tables_text(tables, output.format, heading, sentences, signed)
        _write(text, output.out if to_file else None)
    remark(notes, output)


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
    to_file, command
        As in `show`.
    """
    stated = finding.statement()
    if write_report(report, finding.page, output):
        remark(filter(is_warning, stated.notes), output)
    else:
        show(
            output,
            stated.all_tables,
            stated.to_dict,
            heading=stated.introduction,
            signature=stated.signature,
            sentences=stated.sentences,
            notes=stated.further_notes,
            to_file=to_file,
            command=command,
        )
    remark([f"passed: {line}" for each in stated.verdicts if each.passed for line in each.sentences], output)
    for line in [line for each in stated.verdicts if not each.passed for line in each.sentences]:
        typer.echo(f"failed: {line}", err=True)
    if stated.verdict is not None and not stated.verdict.passed:
        raise typer.Exit(1)


FORMATS = {".txt": Format.TEXT, ".md": Format.MARKDOWN, ".tex": Format.LATEX}
"""The format of tables in files whose suffix decides; .json is the JSON object."""


def _json_text(data: Mapping[str, object], notes: Iterable[str], command: Sequence[str] | None) -> str:
    """Return a JSON object with its warnings; numbers with a signature contain the command that computes them."""
    if (warnings := warnings_of(notes)) and "warnings" not in data:
        data = {**data, "warnings": warnings}
    from touchstone.show.finding import finite_numbers

    call = current_call()
    if command is None and call and data.get("signature"):
        command = call.repeatable
    if command is not None:
        data = {"signature": data["signature"], "command": list(command), **data}
    return json.dumps(finite_numbers(data), ensure_ascii=False, indent=2) + "\n"


def _tables_text(tables: Sequence["Table"], form: Format, heading: str, sentences: Sequence[str], signed: str) -> str:
    """Return tables in a format; the signature is the last line, in LaTeX a comment."""
    from touchstone.base.tables import markdown_text

    shown = [_formatted(table, form) for table in tables]
    if form is Format.TEXT:
        closing = "".join(f"{line}\n" for line in _closing_lines(sentences, signed))
        return "".join(f"{part}\n\n" for part in ([heading] if heading else []) + shown) + closing
    last = [markdown_text(signed) if form is Format.MARKDOWN else f"% {visible(signed)}"] if signed else []
    return "\n\n".join([*shown, *last]) + "\n\n"


def _closing_lines(sentences: Sequence[str], signed: str) -> list[str]:
    return [*map(visible, sentences), *([signed] if signed else [])]


def _signature_line(signature: Mapping[str, str], *, whole: bool) -> str:
    from touchstone.base.signature import short_signature

    return "|".join(f"{key}:{value}" for key, value in signature.items()) if whole else short_signature(signature)


def tables_dict(tables: Iterable["Table"], signature: Mapping[str, str] | None = None) -> dict[str, object]:
    """Return tables under their signature, ready for JSON."""
    return {"signature": dict(signature or {}), "tables": [table.to_dict() for table in tables]}


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


def _formatted(table: "Table", form: Format) -> str:
    if form is Format.MARKDOWN:
        return table.to_markdown()
    return table.to_latex() if form is Format.LATEX else table.to_text()


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
