"""What a running command says beside its result: notes and progress, on standard error."""

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from touchstone.base.errors import visible
from touchstone.base.notes import is_warning, labelled

Progress = Callable[[int, int], None]
"""Called with the number of items that are done, and of all."""

_QUIET: ContextVar[bool] = ContextVar("quiet", default=False)


@contextmanager
def quietly(*, quiet: bool = True) -> Iterator[None]:
    """Say warnings only, and show no progress, while a command runs that was asked to be *quiet*."""
    token = _QUIET.set(quiet)
    try:
        yield
    finally:
        _QUIET.reset(token)


def remark(notes: Iterable[str], *, always: bool = False) -> None:
    """Print warnings and notes on standard error; warnings only where a command is quiet, unless *always* is set."""
    for line in labelled(notes):
        if always or is_warning(line) or not _QUIET.get():
            print(visible(line), file=sys.stderr)  # noqa: T201 (this is where commands speak)


@contextmanager
def working(what: str) -> Iterator[Progress]:
    """Show on a terminal what is being done, and how many items are done where the work tells it."""
    if not sys.stderr.isatty() or _QUIET.get():
        yield lambda done, total: None  # noqa: ARG005
        return
    from rich.console import Console

    with Console(stderr=True).status(what) as status:
        yield lambda done, total: status.update(f"{what}: {done:,} of {total:,}")
