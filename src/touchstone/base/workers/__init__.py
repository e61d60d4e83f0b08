"""Work in pieces: the one place where work is spread over processes or a cluster.

Work is a picklable function of one piece. It runs in this process, in several processes on this machine, or on Ray. A
worker that is killed is replaced, and its piece is tried again; a piece that cannot be done becomes a `Failure`, and
the other pieces go on.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Literal, TypeVar, get_args

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError, unknown_name
from touchstone.base.spelling import in_spelling, setting, uses_flags
from touchstone.base.workers.processes import cores, in_processes, start_method
from touchstone.base.workers.trying import TRIES, Failure, attempt

Piece = TypeVar("Piece")
Outcome = TypeVar("Outcome")

EngineName = Literal["in-process", "processes", "ray"]
ENGINES: tuple[str, ...] = get_args(EngineName)


@dataclass(frozen=True)
class Engine:
    """Where work runs.

    Parameters
    ----------
    name
        "in-process", "processes" or "ray".
    jobs
        The number of workers; by default one for each core, or what Ray's cluster has.
    address
        The address of a Ray cluster, "auto" for the one of this machine; by default Ray is started here for the work.
    """

    name: EngineName = "in-process"
    jobs: int | None = None
    address: str | None = None

    def __post_init__(self) -> None:
        if self.name not in ENGINES:
            raise unknown_name("unknown engine", self.name, ENGINES)
        if self.address is not None and self.name != "ray":
            hint = f"leave out the address, or choose {setting('engine', 'ray')}"
            what = "an address is that of a Ray cluster"
            raise TouchstoneError(what, value=self.address, code=Code.OPTION_UNUSED, hint=hint)


def engine_for(jobs: int | None) -> Engine | None:
    """Return the engine with this number of processes; None if the number is left to the work.

    >>> engine_for(1).name, engine_for(2).name, engine_for(None)
    ('in-process', 'processes', None)
    """
    return None if jobs is None else Engine("processes" if jobs > 1 else "in-process", jobs)


def run_pieces(
    work: Callable[[Piece], Outcome], pieces: Iterable[Piece], engine: Engine
) -> Iterator[tuple[int, Outcome | Failure]]:
    """Yield the number of each piece with what *work* makes of it, or its `Failure`, as the pieces are finished.

    Parameters
    ----------
    work
        A picklable function of a piece; what it loads stays with a worker for its next pieces.
    pieces
        Picklable pieces. Few are taken ahead of the work, so memory stays bounded where they are made on the way.
    engine
        Where the work runs.

    Examples
    --------
    >>> sorted(run_pieces(abs, [-1, -2], Engine()))
    [(0, 1), (1, 2)]
    """
    numbered = enumerate(pieces)
    spelt = partial(in_spelling, uses_flags(), partial(attempt, work))  # the sentences of failures too
    if engine.name == "ray":
        from touchstone.base.workers.on_ray import on_ray

        yield from on_ray(spelt, numbered, engine.jobs, engine.address)
    elif engine.name == "processes":
        yield from in_processes(spelt, numbered, engine.jobs or cores())
    else:
        yield from ((number, spelt(piece)) for number, piece in numbered)


def run_in_order(work: Callable[[Piece], Outcome], pieces: Iterable[Piece], engine: Engine) -> Iterator[Outcome]:
    """Yield what *work* makes of each piece, in the order of the pieces; raise the error of the first failure."""
    waiting: dict[int, Outcome] = {}
    next_number = 0
    for number, outcome in run_pieces(work, pieces, engine):
        waiting[number] = succeeded(outcome)
        while next_number in waiting:
            yield waiting.pop(next_number)
            next_number += 1


def succeeded(outcome: Outcome | Failure) -> Outcome:
    """Return an outcome; raise the error where it is a failure."""
    if isinstance(outcome, Failure):
        raise outcome.error
    return outcome


__all__ = [
    "ENGINES",
    "TRIES",
    "Engine",
    "EngineName",
    "Failure",
    "cores",
    "engine_for",
    "run_in_order",
    "run_pieces",
    "start_method",
    "succeeded",
]
