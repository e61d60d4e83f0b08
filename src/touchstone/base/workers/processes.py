"""Workers as processes of this machine: one piece at a time each; one that is killed is replaced."""

import os
import pickle
import signal
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from multiprocessing import get_all_start_methods, get_context, get_start_method
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.base.spelling import setting
from touchstone.base.workers.trying import TRIES, Failure, attempt, is_lost, killed, out_of_memory

PATIENCE = 1.0
"""Seconds after which an idle worker looks whether the process that started it is still there."""

WAITING = 16
"""Pieces of lost workers that wait at most, while others are started before them."""

Numbered = Iterator[tuple[int, Any]]
Tried = tuple[int, Any, int]
"""The number of a piece, the piece, and how often it was tried."""


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
    again: deque[Tried] = deque()
    try:
        while True:
            idle = [worker for worker in workers if worker.piece is None]
            while (idle or len(workers) < jobs) and (
                piece := next_piece(pieces, again, [worker.piece[2] for worker in workers if worker.piece])
            ):
                worker = _free_worker(work, idle, workers)
                if worker is None:
                    again.appendleft(piece)
                    jobs = len(workers)
                    break
                worker.give(piece)
            busy = {worker.pipe: worker for worker in workers if worker.piece is not None}
            if not busy:
                return
            for pipe in wait(list(busy)):
                worker = busy[pipe]  # type: ignore[index]
                number, content, tried = worker.piece  # type: ignore[misc]
                outcome = worker.take()
                if is_lost(outcome):
                    workers.remove(worker)
                    worker.stop()
                if is_lost(outcome) and tried < TRIES:
                    again.append((number, content, tried))
                else:
                    yield number, outcome
    finally:
        for worker in workers:
            worker.stop()


def next_piece(pieces: Numbered, again: deque[Tried], running: Sequence[int]) -> Tried | None:
    """Return the next piece with the times it was tried before; None if there is none to be started now.

    Parameters
    ----------
    pieces
        Pieces that were not tried.
    again
        Pieces whose worker was lost. They come last, so that one that ends every worker does not delay the others; but
        few of them wait at a time, since they are held in memory.
    running
        How often each piece that is worked on was tried, with this time. A piece has its last try alone: it may need
        the memory of all workers.
    """
    if TRIES in running:
        return None
    if len(again) < WAITING:
        for number, piece in pieces:
            return number, piece, 0
    if not again or (running and again[0][2] == TRIES - 1):
        return None
    return again.popleft()


def _free_worker(work: Callable[[Any], Any], idle: "list[_Worker]", workers: "list[_Worker]") -> "_Worker | None":
    """Return an idle worker, or a new one; None if the system refuses one and there are others."""
    while idle:
        worker = idle.pop()
        if worker.process.is_alive():
            return worker
        workers.remove(worker)  # killed while it had no piece
    try:
        workers.append(_Worker(work))
    except OSError as error:
        if workers:
            return None
        hint = f"end other programs, or work without other processes: {setting('engine', 'in-process')}"
        what = f"no worker can be started ({str(error.strerror).lower()})"
        raise TouchstoneError(what, code=Code.FAILED, hint=hint) from None
    return workers[-1]


class _Worker:
    """A process that works on the pieces that it is given, one after the other."""

    def __init__(self, work: Callable[[Any], Any]) -> None:
        context = get_context(start_method())
        self.pipe, theirs = context.Pipe()
        self.process = context.Process(target=_serve, args=(work, theirs), daemon=True)  # type: ignore[attr-defined]
        self.process.start()
        theirs.close()  # so that the end of the process is the end of the pipe
        self.piece: Tried | None = None

    def give(self, piece: Tried) -> None:
        """Let the process work on a numbered piece, which it is one more try for."""
        number, content, tried = piece
        self.piece = (number, content, tried + 1)
        with suppress(OSError):  # the process has ended, which the next look at its pipe tells
            self.pipe.send(content)

    def take(self) -> Any:  # noqa: ANN401 (what the work returns)
        """Return the outcome of the piece; a failure where the process was killed."""
        try:
            outcome = self.pipe.recv()
        except (EOFError, OSError):
            self.process.join()
            return killed(self._ending)
        self.piece = None
        return outcome

    @property
    def _ending(self) -> str:
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
    with suppress(OSError):  # where memory runs out, Linux ends a worker, whose piece is tried again, before others
        Path("/proc/self/oom_score_adj").write_text("1000")
    parent = os.getppid()
    torch: Any = sys.modules.get("torch")
    if torch is not None:
        torch.set_num_threads(1)  # its other threads did not survive the fork, and it would wait for them
    outcome: Any = None
    while not is_lost(outcome):  # a worker that ran out of memory ends, and frees what it holds
        while not pipe.poll(PATIENCE):
            if os.getppid() != parent:  # killed: other workers may hold the pipe open
                return
        try:
            outcome = attempt(work, pipe.recv())
        except (EOFError, OSError):
            return
        except MemoryError:  # the piece itself is too large
            outcome = out_of_memory()
        pipe.send_bytes(_pickled(outcome))


def _pickled(outcome: Any) -> bytes:  # noqa: ANN401 (what any work returns)
    """Return an outcome as bytes; an error that cannot be sent becomes its text."""
    try:
        return pickle.dumps(outcome)
    except Exception as error:  # whatever an error of another library holds
        cause = outcome.error if isinstance(outcome, Failure) else error
        return pickle.dumps(Failure(RuntimeError(f"{type(cause).__name__}: {cause}")))
