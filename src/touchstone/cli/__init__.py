"""The command line: the verbs of every task from one place, each task's own commands beside them."""

import os
import sys
from typing import Annotated

import typer

from touchstone.base.errors import PartialError, TouchstoneError
from touchstone.cli.demo import demo
from touchstone.cli.groups import Commands
from touchstone.cli.project import make
from touchstone.cli.recompute import recompute
from touchstone.cli.sharding import status

PARTIAL = 3
"""The exit code where some parts of the work failed and the others are done."""

app = typer.Typer(
    name="touchstone",
    cls=Commands,
    help="Score text systems against human answers: which is better, by how much, and whether the difference is real.",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for command in (make, recompute, status, demo):
    app.command()(command)


def _version(show_version: bool) -> None:
    if show_version:
        from touchstone import __version__

        typer.echo(f"touchstone {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Declare the options that hold for every command."""


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
        sys.exit(PARTIAL if isinstance(error, PartialError) else 2)
    except MemoryError:
        hint = "use fewer workers (--jobs 1), or score large files in shards (--engine processes --out FOLDER)"
        typer.echo(f"error: there is not enough memory for this command\n   {hint}", err=True)
        sys.exit(2)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        typer.echo(f"error: the output cannot be written ({(error.strerror or str(error)).lower()})", err=True)
        sys.exit(2)
