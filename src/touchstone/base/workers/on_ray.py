"""Workers on a Ray cluster, or on Ray started here; the pieces of workers and nodes that are lost are tried again."""

import os
import socket
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout
from typing import Any, TextIO, cast

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError, needs
from touchstone.base.spelling import setting
from touchstone.base.workers.processes import Numbered, Tried, cores, next_piece
from touchstone.base.workers.trying import TRIES, Failure, attempt, is_lost, killed

PLACED = 45.0
"""Seconds within which Ray must run a first, empty piece: starting a worker takes some seconds."""

REACHED = 10.0
"""Seconds within which the address of a cluster must answer."""

AHEAD = 2
"""Pieces handed to Ray for each of its cores."""


def on_ray(
    work: Callable[[Any], Any], pieces: Numbered, jobs: int | None, address: str | None
) -> Iterator[tuple[int, Any]]:
    """Yield the number and the outcome of each piece as Ray finishes them.

    Parameters
    ----------
    work, pieces
        As in `touchstone.base.workers.run_pieces`.
    jobs
        The most workers at a time; by default all that the cluster has.
    address
        The address of a cluster; None starts Ray on this machine and stops it at the end.
    """
    with needs("ray"):
        import ray
    with _ray_messages_to_stderr(), _connected(ray, jobs, address):
        _check_placed(ray, address)
        work_there = ray.put(work)
        remote = ray.remote(attempt).options(max_retries=0)  # tried again below, after the other pieces
        width = AHEAD * int(jobs or max(1, ray.cluster_resources().get("CPU", 1)))
        running: dict[Any, Tried] = {}
        again: deque[Tried] = deque()
        while True:
            while len(running) < width and (
                piece := next_piece(pieces, again, [tried for _, _, tried in running.values()])
            ):
                number, content, tried = piece
                running[remote.remote(work_there, content)] = (number, content, tried + 1)
            if not running:
                return
            for reference in _finished(ray, list(running)):
                number, content, tried = running.pop(reference)
                outcome = _outcome(ray, reference)
                if is_lost(outcome) and tried < TRIES:
                    again.append((number, content, tried))
                else:
                    yield number, outcome


def _finished(ray: Any, running: list[Any]) -> list[Any]:  # noqa: ANN401 (the module)
    """Wait until pieces are finished, and return them; refuse a cluster without nodes."""
    done: list[Any] = []
    while not done:
        done, _ = ray.wait(running, num_returns=1, timeout=PLACED)
        if not done and not ray.cluster_resources().get("CPU", 0):
            what = "Ray has lost all its nodes"
            raise TouchstoneError(what, code=Code.FAILED, hint="run the same command again: finished parts are kept")
    return done


def _outcome(ray: Any, reference: Any) -> Any:  # noqa: ANN401 (the module, and what the work returns)
    """Return the outcome of a piece; a lost one where Ray lost its worker, node or outcome.

    `attempt` catches the errors of the work itself, so an error of a task means that the work cannot be loaded there.
    """
    try:
        return ray.get(reference)
    except ray.exceptions.RayTaskError as error:
        hint = "Touchstone, its extras and your own measures must be installed on every machine of the cluster"
        last = str(error).strip().split("\n")[-1]
        return Failure(TouchstoneError(f"a Ray worker cannot do this part ({last})", code=Code.FAILED, hint=hint))
    except ray.exceptions.RayError as error:
        return killed(type(error).__name__)


@contextmanager
def _connected(ray: Any, jobs: int | None, address: str | None) -> Iterator[None]:  # noqa: ANN401 (the module)
    """Connect to a cluster, or start Ray here; stop what was started. A connection that there is stays."""
    if ray.is_initialized():
        yield
        return
    _check_address(address)
    quiet = {"log_to_driver": False, "logging_level": "ERROR"}
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")  # else Ray warns of its next version
    try:
        if address is None:
            ray.init(num_cpus=jobs or cores(), include_dashboard=False, **quiet)
        else:
            ray.init(address=address, **quiet)
    except Exception as error:  # Ray raises bare exceptions too, such as where a busy machine starts it too slowly
        first = str(error).strip().split("\n")[0]
        if address is None:
            hint = f"try again when the machine is less busy, or use {setting('engine', 'processes')}"
            raise TouchstoneError(f"Ray cannot be started here ({first})", code=Code.FAILED, hint=hint) from None
        hint = "start one with `ray start --head`, or leave out the address to start Ray here"
        raise TouchstoneError(f"no Ray cluster ({first})", value=address, code=Code.FAILED, hint=hint) from None
    try:
        yield
    finally:
        with redirect_stdout(sys.stderr):  # where messages that Ray held back belong
            ray.shutdown()


@contextmanager
def _ray_messages_to_stderr() -> Iterator[None]:
    """Send to standard error what threads of Ray print: one of them names the workers that were lost."""
    stdout = sys.stdout
    sys.stdout = cast("TextIO", _OutputWithoutRay(stdout))
    try:
        yield
    finally:
        sys.stdout = stdout


class _OutputWithoutRay:
    """Standard output; what threads of Ray write goes to standard error."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        from_ray = threading.current_thread().name.startswith("ray_")
        return (sys.stderr if from_ray else self._stream).write(text)

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 (whatever the stream has)
        return getattr(self._stream, name)


def _check_address(address: str | None) -> None:
    """Refuse an address where nothing answers: Ray itself would wait for minutes."""
    host, colon, port = (address or "").removeprefix("ray://").rpartition(":")
    if not colon or not port.isdecimal():
        return
    try:
        socket.create_connection((host, int(port)), REACHED).close()
    except OSError as error:
        hint = "give the address that `ray start --head` printed, or leave out the address to start Ray here"
        reason = (error.strerror or str(error)).lower()
        what = f"no Ray cluster answers ({reason})"
        raise TouchstoneError(what, value=address, code=Code.FAILED, hint=hint) from None


def _check_placed(ray: Any, address: str | None) -> None:  # noqa: ANN401 (the module)
    """Refuse a cluster that gives no worker in good time."""
    began = time.monotonic()
    probe = ray.remote(num_cpus=1)(attempt).remote(abs, 1)
    done, _ = ray.wait([probe], timeout=PLACED)
    if done:
        return
    ray.cancel(probe, force=True)
    total, free = (resources.get("CPU", 0) for resources in (ray.cluster_resources(), ray.available_resources()))
    seconds = f"{time.monotonic() - began:.0f} seconds"
    what = f"Ray provided no worker within {seconds}: it has {total:g} cores, {free:g} of them free"
    hint = "add nodes to the cluster, or wait until it is less busy"
    raise TouchstoneError(what, value=address, code=Code.FAILED, hint=hint)
