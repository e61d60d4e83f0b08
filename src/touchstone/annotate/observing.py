"""What operators may know: metrics and an access log, which never contain a name, an address, an id or a query."""

import os
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from touchstone.annotate.safety import template
from touchstone.annotate.tables import now
from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError

BOUNDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
"""The upper bounds of the histogram of durations, in seconds: the defaults of the Prometheus clients."""

SAVE = ("PUT", "/api/answers/{answer_id}", 200)
METHODS = ("GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE")


class Metrics:
    """Counts of one process, in the text form of Prometheus; the label ``worker`` is the process."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._requests: Counter[tuple[str, str, int]] = Counter()
        self._buckets: Counter[tuple[str, float]] = Counter()
        self._seconds: Counter[str] = Counter()

    def add(self, method: str, route: str, status: int, seconds: float) -> None:
        """Count a request."""
        with self._lock:
            self._requests[method, route, status] += 1
            self._seconds[route] += seconds  # type: ignore[assignment]
            for bound in BOUNDS:
                self._buckets[route, bound] += seconds <= bound

    def text(self, sessions: int) -> str:
        """Return all figures, with the number of open *sessions*."""
        with self._lock:
            return "".join(f"{line}\n" for line in self._lines(sessions))

    def _lines(self, sessions: int) -> Iterator[str]:
        worker = f'worker="{os.getpid()}"'
        yield from _head("touchstone_requests_total", "counter", "Requests by method, route and status.")
        for (method, route, status), count in sorted(self._requests.items()):
            labels = f'{worker},method="{method}",route="{route}",status="{status}"'
            yield f"touchstone_requests_total{{{labels}}} {count}"
        yield from _head("touchstone_request_seconds", "histogram", "Durations of requests by route.")
        for route in sorted(self._seconds):
            yield from self._histogram(route, f'{worker},route="{route}"')
        yield from _head("touchstone_saves_total", "counter", "Acknowledged saves of answers.")
        yield f"touchstone_saves_total{{{worker}}} {self._requests[SAVE]}"
        yield from _head("touchstone_sessions", "gauge", "Open sessions in the database.")
        yield f"touchstone_sessions {sessions}"

    def _histogram(self, route: str, labels: str) -> Iterator[str]:
        count = sum(number for (_, where, _), number in self._requests.items() if where == route)
        for bound in BOUNDS:
            yield f'touchstone_request_seconds_bucket{{{labels},le="{bound}"}} {self._buckets[route, bound]}'
        yield f'touchstone_request_seconds_bucket{{{labels},le="+Inf"}} {count}'
        yield f"touchstone_request_seconds_sum{{{labels}}} {self._seconds[route]:.6f}"
        yield f"touchstone_request_seconds_count{{{labels}}} {count}"


def _head(name: str, kind: str, text: str) -> list[str]:
    return [f"# HELP {name} {text}", f"# TYPE {name} {kind}"]


class Observer:
    """ASGI middleware: counts requests, and writes a line for each to the access log if there is one.

    Each response says in ``Server-Timing`` how many milliseconds the server took until it began to answer.

    Parameters
    ----------
    app
        The application.
    metrics
        Where requests are counted.
    log
        Where lines are written; None for nowhere.
    """

    def __init__(self, app: ASGIApp, metrics: Metrics, log: TextIO | None) -> None:
        self.app, self.metrics, self.log = app, metrics, log

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on and observe it."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        began, status = time.perf_counter(), 500

        async def observed(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                spent = 1000 * (time.perf_counter() - began)
                MutableHeaders(scope=message)["Server-Timing"] = f"app;dur={spent:.1f}"
            await send(message)

        try:
            await self.app(scope, receive, observed)
        finally:
            self._note(scope, status, time.perf_counter() - began)

    def _note(self, scope: Scope, status: int, seconds: float) -> None:
        method = scope["method"] if scope["method"] in METHODS else "other"
        route = template(scope)
        self.metrics.add(method, route, status, seconds)
        if self.log is not None:
            self.log.write(f"{now()} {method} {route} {status} {1000 * seconds:.1f}\n")
            self.log.flush()  # a whole line, so that those of several processes do not mix


@contextmanager
def access_log(where: str | None) -> Iterator[TextIO | None]:
    """Give the access log: a file to add lines to, standard output for "-", or None for none."""
    if where is None or where == "-":
        yield None if where is None else sys.stdout
        return
    try:
        log = Path(where).open("a", encoding="utf-8")  # noqa: SIM115 (it is closed below)
    except OSError as error:
        reason = (error.strerror or "").lower()
        raise TouchstoneError(
            f"the access log cannot be written ({reason})", file=where, code=Code.CANNOT_WRITE
        ) from None
    with log:
        yield log
