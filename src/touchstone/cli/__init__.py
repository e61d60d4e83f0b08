"""The command line: one thin module per command group, heavy imports late."""

import os
import sys
from typing import Annotated

import typer

from touchstone.cli import annotate, lexicon, lexsub, mt, nli, pyramid, text
from touchstone.cli.demo import demo
from touchstone.core.errors import TouchstoneError

app = typer.Typer(
    name="touchstone",
    help="Score text systems against what people said: which is better, by how much, and whether it is real.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)
app.add_typer(lexsub.app, name="lexsub")
app.add_typer(pyramid.app, name="pyramid")
app.add_typer(nli.app, name="nli")
app.add_typer(mt.app, name="mt")
app.add_typer(annotate.app, name="annotate")
app.add_typer(lexicon.app, name="lexicon")
app.add_typer(text.app, name="text")
app.command()(demo)


def _version(asked: bool) -> None:
    if asked:
        from touchstone import __version__

        typer.echo(f"touchstone {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Say what holds for every command."""


def main() -> None:
    """Run a command; bad input gets a sentence and exit code 2, never a traceback."""
    # Before numpy is imported: products of small matrices over several threads mostly wait for each other, and work
    # that is worth several cores is spread over processes.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    try:
        try:
            app()
        finally:
            sys.stdout.flush()
    except TouchstoneError as error:
        typer.echo(f"error: {error}", err=True)
        sys.exit(2)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        typer.echo(f"error: the output cannot be written ({(error.strerror or str(error)).lower()})", err=True)
        sys.exit(2)
