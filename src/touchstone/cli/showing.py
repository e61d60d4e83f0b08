"""How commands show what they found: tables on standard output, remarks on standard error, files beside."""

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from touchstone.cli.options import OutputOptions
    from touchstone.core.results import Results
    from touchstone.core.tables import Table
    from touchstone.report.page import Page


class Format(StrEnum):
    """The looks that a table can have."""

    TEXT = "text"
    MARKDOWN = "markdown"
    LATEX = "latex"


def show_tables(tables: Iterable["Table"], form: Format = Format.TEXT) -> None:
    """Print tables in the asked form, a blank line after each; on a terminal they fit the width."""
    for table in tables:
        _show(table, form)
        typer.echo()


def _show(table: "Table", form: Format) -> None:
    if form is Format.MARKDOWN:
        typer.echo(table.to_markdown())
    elif form is Format.LATEX:
        typer.echo(table.to_latex())
    else:
        _print(table)


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


def remark(notes: Iterable[str]) -> None:
    """Print remarks, apart from the figures."""
    for note in notes:
        typer.echo(f"note: {note}", err=True)


def show_comparisons(parts: Iterable[Mapping[str, object]], **more: object) -> None:
    """Print comparisons, one for each measure, and what else is known of the systems, as one JSON object."""
    from json import dumps

    typer.echo(dumps({"comparisons": list(parts), **more}, ensure_ascii=False, indent=2))


def write_report(path: Path, page: Callable[[], "Page"]) -> None:
    """Write the page that *page* makes, which may take seconds."""
    from touchstone.io.writing import write_text
    from touchstone.report.page import render

    with working("drawing the report"):
        write_text(path, render(page()))


@contextmanager
def working(what: str) -> Iterator[None]:
    """Show what is being done while it is done, if somebody watches."""
    if not sys.stderr.isatty():
        yield
        return
    from rich.console import Console

    with Console(stderr=True).status(what):
        yield


def finish(results: "Results", out: "OutputOptions") -> None:
    """Print what belongs under the figures: the signature, remarks on the inputs, and where the report is."""
    if not out.json and out.form is Format.TEXT:
        typer.echo("|".join(f"{key}:{value}" for key, value in results.signature.items()))
    remark(results.notes)
    if out.report:
        remark([f"the report is in {out.report}"])
