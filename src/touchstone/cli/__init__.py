"""The command line: the verbs of every task from one place, and what tasks, systems and the application add to it."""

import os
import sys

import click

from touchstone.base.errors import PartialError, TouchstoneError
from touchstone.cli.groups import Root

PARTIAL = 3
"""The exit code where some parts of the work failed and the others are done."""


def _show_version(context: click.Context, _: click.Parameter, value: bool) -> None:
    if value:
        from touchstone import __version__

        click.echo(f"touchstone {__version__}")
        context.exit()


def _show_completion(context: click.Context, _: click.Parameter, shell: str | None) -> None:
    """Print what a shell runs to complete commands and options."""
    from click.shell_completion import get_completion_class

    completion = get_completion_class(shell) if shell else None
    if completion is not None:
        click.echo(completion(app, {}, "touchstone", "_TOUCHSTONE_COMPLETE").source())
        context.exit()


app = Root(
    params=[
        click.Option(
            ["--version"],
            is_flag=True,
            is_eager=True,
            expose_value=False,
            callback=_show_version,
            help="Show the version and exit.",
        ),
        click.Option(
            ["--completion"],
            type=click.Choice(["bash", "zsh", "fish"]),
            is_eager=True,
            expose_value=False,
            callback=_show_completion,
            help='Print what completes commands in a shell: eval "$(touchstone --completion bash)".',
        ),
    ]
)
"""All commands."""


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
        click.echo(f"error: {error}", err=True)
        sys.exit(PARTIAL if isinstance(error, PartialError) else 2)
    except MemoryError:
        hint = "use fewer workers (--jobs 1), or score large files in shards (--engine processes --out FOLDER)"
        click.echo(f"error: there is not enough memory for this command\n   {hint}", err=True)
        sys.exit(2)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        click.echo(f"error: the output cannot be written ({(error.strerror or str(error)).lower()})", err=True)
        sys.exit(2)
