"""Workers on a Ray cluster, or on Ray started here; Ray replaces workers and nodes that are lost."""

import os
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from touchstone.core.errors import TouchstoneError, needs
from touchstone.core.workers.processes import Numbered, cores
from touchstone.core.workers.trying import TRIES, Failure, attempt, killed

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
        As in `touchstone.core.workers.run_pieces`.
    jobs
        The most workers at a time; by default all that the cluster has.
    address
        The address of a cluster; None starts Ray on this machine and stops it at the end.
    """
    with needs("ray"):
        import ray
    with _connected(ray, jobs, address):
        _check_placed(ray, address)
        work_there = ray.put(work)
        remote = ray.remote(attempt).options(max_retries=TRIES - 1)
        width = AHEAD * int(jobs or max(1, ray.cluster_resources().get("CPU", 1)))
        running: dict[Any, int] = {}
        for number, piece in pieces:
            running[remote.remote(work_there, piece)] = number
            while len(running) >= width:
                yield from _finished(ray, running)
        while running:
            yield from _finished(ray, running)


def _finished(ray: Any, running: dict[Any, int]) -> Iterator[tuple[int, Any]]:  # noqa: ANN401 (the module)
    """Wait for pieces and yield them; a piece that Ray gives up is a failure."""
    done: list[Any] = []
    while not done:
        done, _ = ray.wait(list(running), num_returns=1, timeout=PLACED)
        if not done and not ray.cluster_resources().get("CPU", 0):
            raise TouchstoneError("Ray has lost all its nodes", hint="start again: what is done stays done")
    for reference in done:
        number = running.pop(reference)
        try:
            outcome = ray.get(reference)
        except ray.exceptions.OutOfMemoryError:
            outcome = killed("Ray found too little memory")
        except ray.exceptions.WorkerCrashedError:
            outcome = killed("as Ray says")
        except ray.exceptions.RayError as error:
            hint = "Ray itself may have lost its node: start again, and only what is left is done"
            outcome = Failure(TouchstoneError(f"Ray gave up this part ({type(error).__name__})", hint=hint))
        yield number, outcome


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
            hint = "try again when the machine is less busy, or use --engine processes"
            raise TouchstoneError(f"Ray cannot be started here ({first})", hint=hint) from None
        hint = "start one with `ray start --head`, or leave out --ray-address to start Ray here"
        raise TouchstoneError(f"no Ray cluster ({first})", value=address, hint=hint) from None
    try:
        yield
    finally:
        ray.shutdown()


def _check_address(address: str | None) -> None:
    """Refuse an address where nothing answers: Ray itself would wait for minutes."""
    host, colon, port = (address or "").removeprefix("ray://").rpartition(":")
    if not colon or not port.isdecimal():
        return
    try:
        socket.create_connection((host, int(port)), REACHED).close()
    except OSError as error:
        hint = "give the address that `ray start --head` printed, or leave out --ray-address to start Ray here"
        reason = (error.strerror or str(error)).lower()
        raise TouchstoneError(f"no Ray cluster answers ({reason})", value=address, hint=hint) from None


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
    what = f"Ray gave no worker within {seconds}: it has {total:g} cores, {free:g} of them free"
    raise TouchstoneError(what, value=address, hint="add nodes to the cluster, or wait until it is less busy")
