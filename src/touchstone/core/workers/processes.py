"""Workers as processes of this machine: one piece at a time each; one that is killed is replaced."""

import os
import pickle
import signal
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import suppress
from multiprocessing import get_all_start_methods, get_context, get_start_method
from multiprocessing.connection import Connection, wait
from typing import Any

from touchstone.core.workers.trying import TRIES, Failure, attempt, killed

PATIENCE = 1.0
"""Seconds after which an idle worker looks whether the process that started it is still there."""

Numbered = Iterator[tuple[int, Any]]


def cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def start_method() -> str:
    """Return how processes start: as the user set it; else by fork where that exists and nothing running forbids it.

    Other threads do, and so does a GPU in use: neither survives a fork.
    """
    chosen = get_start_method(allow_none=True)
    # Starting any process by another method makes the platform's default, fork, look like a choice of the user.
    if chosen not in (None, "fork"):
        return chosen
    safe = "fork" in get_all_start_methods() and threading.active_count() == 1 and not _uses_gpu()
    return "fork" if safe else "spawn"


def _uses_gpu() -> bool:
    """Return whether this process has used a GPU through PyTorch."""
    torch: Any = sys.modules.get("torch")
    return torch is not None and bool(torch.cuda.is_initialized())


def in_processes(work: Callable[[Any], Any], pieces: Numbered, jobs: int) -> Iterator[tuple[int, Any]]:
    """Yield the number and the outcome of each piece as *jobs* processes finish them.

    Parameters
    ----------
    work
        The function of a piece.
    pieces
        Numbered pieces; one for each process is taken at a time.
    jobs
        The number of processes.
    """
    workers: list[_Worker] = []
    again: deque[tuple[int, Any, int]] = deque()  # pieces whose worker was killed, with the times it was tried
    try:
        while True:
            idle = [worker for worker in workers if worker.piece is None]
            while (idle or len(workers) < jobs) and (piece := next_piece(pieces, again)):
                worker = idle.pop() if idle else _Worker(work)
                if worker not in workers:
                    workers.append(worker)
                worker.give(piece)
            busy = {worker.pipe: worker for worker in workers if worker.piece is not None}
            if not busy:
                return
            for pipe in wait(list(busy)):
                worker = busy[pipe]  # type: ignore[index]
                number, piece_given, tried = worker.piece  # type: ignore[misc]
                outcome, alive = worker.take()
                if alive:
                    yield number, outcome
                    continue
                workers.remove(worker)
                if tried < TRIES:
                    again.append((number, piece_given, tried))
                else:
                    yield number, killed(worker.ending)
    finally:
        for worker in workers:
            worker.stop()


def next_piece(pieces: Numbered, again: deque[tuple[int, Any, int]]) -> tuple[int, Any, int] | None:
    """Return the next piece with the times it was tried before; those of killed workers come last."""
    for number, piece in pieces:
        return number, piece, 0
    return again.popleft() if again else None


class _Worker:
    """A process that works on the pieces that it is given, one after the other."""

    def __init__(self, work: Callable[[Any], Any]) -> None:
        context = get_context(start_method())
        self.pipe, theirs = context.Pipe()
        self.process = context.Process(target=_serve, args=(work, theirs), daemon=True)  # type: ignore[attr-defined]
        self.process.start()
        theirs.close()  # so that the end of the process is the end of the pipe
        self.piece: tuple[int, Any, int] | None = None

    def give(self, piece: tuple[int, Any, int]) -> None:
        """Let the process work on a numbered piece, which it is one more try for."""
        number, content, tried = piece
        self.piece = (number, content, tried + 1)
        with suppress(OSError):  # the process has ended, which the next look at its pipe tells
            self.pipe.send(content)

    def take(self) -> tuple[Any, bool]:
        """Return the outcome of the piece, and whether the process lives: where it was killed there is none."""
        try:
            outcome = self.pipe.recv()
        except (EOFError, OSError):
            self.process.join()
            return None, False
        self.piece = None
        return outcome, True

    @property
    def ending(self) -> str:
        """How the process ended, in words."""
        code = self.process.exitcode or 0
        return f"signal {-code}" if code < 0 else f"exit code {code}"

    def stop(self) -> None:
        """End the process, whatever it is doing."""
        self.process.terminate()
        self.process.join()
        self.pipe.close()


def _serve(work: Callable[[Any], Any], pipe: Connection) -> None:
    """Answer each piece that comes through the *pipe*, until the process that started this one is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the process that started this one decides
    parent = os.getppid()
    torch: Any = sys.modules.get("torch")
    if torch is not None:
        torch.set_num_threads(1)  # its other threads did not survive the fork, and it would wait for them
    while True:
        while not pipe.poll(PATIENCE):
            if os.getppid() != parent:  # killed: other workers may hold the pipe open
                return
        try:
            piece = pipe.recv()
        except (EOFError, OSError):
            return
        pipe.send_bytes(_pickled(attempt(work, piece)))


def _pickled(outcome: Any) -> bytes:  # noqa: ANN401 (what any work returns)
    """Return an outcome as bytes; an error that cannot be sent becomes its text."""
    try:
        return pickle.dumps(outcome)
    except Exception as error:  # whatever an error of another library holds
        told = outcome.error if isinstance(outcome, Failure) else error
        return pickle.dumps(Failure(RuntimeError(f"{type(told).__name__}: {told}")))
