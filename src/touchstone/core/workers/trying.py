"""One piece of work, tried: its outcome, or what went wrong."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from touchstone.core.errors import TouchstoneError

Piece = TypeVar("Piece")
Outcome = TypeVar("Outcome")

TRIES = 4
"""How often a piece is tried whose worker is killed: a piece that needs too much memory kills every one of them."""


@dataclass(frozen=True)
class Failure:
    """A piece that could not be done, and why."""

    error: Exception

    def __str__(self) -> str:
        known = isinstance(self.error, TouchstoneError)
        return str(self.error) if known else f"{type(self.error).__name__}: {self.error}"


def attempt(work: Callable[[Piece], Outcome], piece: Piece) -> Outcome | Failure:
    """Return what *work* makes of a *piece*, or a failure."""
    try:
        return work(piece)
    except MemoryError:
        hint = "use fewer workers (--jobs), or a machine with more memory"
        return Failure(TouchstoneError("a worker ran out of memory", hint=hint))
    except Exception as error:  # whatever a measure of the user's own does
        return Failure(error)


def killed(how: str) -> Failure:
    """Return the failure of a piece whose workers were all killed; *how* says by what."""
    hint = (
        "there may be too little memory: use fewer workers (--jobs 1, jobs=1); or a script that starts processes lacks "
        "`if __name__ == '__main__':`"
    )
    return Failure(TouchstoneError(f"a worker ended early, {TRIES} times in a row ({how})", hint=hint))
