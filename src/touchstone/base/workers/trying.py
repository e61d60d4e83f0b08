"""One piece of work, tried: its outcome, or what went wrong."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.base.spelling import setting

Piece = TypeVar("Piece")
Outcome = TypeVar("Outcome")

TRIES = 4
"""How often a piece is tried whose worker is killed or out of memory; the last time no other piece is worked on."""


@dataclass(frozen=True)
class Failure:
    """A piece that could not be done, and why; *lost* where another try may succeed."""

    error: Exception
    lost: bool = False

    def __str__(self) -> str:
        is_explained = isinstance(self.error, TouchstoneError | MemoryError)
        return str(self.error) if is_explained else f"{type(self.error).__name__}: {self.error}"


def attempt(work: Callable[[Piece], Outcome], piece: Piece) -> Outcome | Failure:
    """Return what *work* makes of a *piece*, or a failure."""
    try:
        return work(piece)
    except MemoryError:
        return out_of_memory()
    except Exception as error:  # whatever a measure of the user's own does
        return Failure(error)


def out_of_memory() -> Failure:
    """Return the failure of a piece that needs more memory than there is."""
    return Failure(MemoryError(f"a worker ran out of memory\n   {_saving()}"), lost=True)


def killed(how: str) -> Failure:
    """Return the failure of a piece whose workers were all killed; *how* says by what."""
    hint = f"there may be too little memory: {_saving()}"
    if how.startswith("exit code"):
        hint += "; or a script that starts processes lacks `if __name__ == '__main__':`"
    return Failure(
        TouchstoneError(f"a worker ended early, {TRIES} times in a row ({how})", code=Code.FAILED, hint=hint), lost=True
    )


def _saving() -> str:
    """Return how work needs less memory."""
    smaller = setting("engine", "FILE.toml with shard_rows = N", python="shard_rows=N")
    return f"use fewer workers ({setting('jobs', '1')}), or smaller shards ({smaller})"


def is_lost(outcome: object) -> bool:
    """Return whether an outcome is a failure after which another try may succeed."""
    return isinstance(outcome, Failure) and outcome.lost
