"""The server: one process, or several worker processes that share a socket.

Without accounts the server is only reachable locally, and prints a setup token for the first one. Worker processes
share nothing but the database and the settings, so that it does not matter which one answers.
"""

import gc
import multiprocessing
import os
import secrets
import signal
import socket
import sys
import threading
import time
import webbrowser
from collections.abc import Callable
from contextlib import closing
from importlib import import_module
from multiprocessing import connection
from multiprocessing.context import SpawnProcess
from types import FrameType

import uvicorn
from fastapi import FastAPI

from touchstone.annotate import staging
from touchstone.annotate.accounts import has_accounts
from touchstone.annotate.app import create_app
from touchstone.annotate.configuring import Configuration
from touchstone.annotate.connections import Connection
from touchstone.annotate.database import Store, open_store
from touchstone.annotate.hosts import allowed_hosts, is_local
from touchstone.annotate.observing import access_log
from touchstone.annotate.settings import CONNECTIONS, Settings, installation_secret, sqlite_file
from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError

GRACE_S = 5
"""How long the server waits for open requests when it is stopped."""

PAUSE_S = 1
"""How long to wait before a worker is replaced, so that one that cannot start is not started all the time."""

SWITCH_S = 0.0005
"""How long a thread runs before another may: a tenth of Python's default."""


def serve(configuration: Configuration, *, browser: bool, say: Callable[[str], None]) -> None:
    """Serve until stopped.

    Parameters
    ----------
    configuration
        The settings of the server.
    browser
        Whether to open a browser.
    say
        Called with the address when the server is ready.
    """
    host, port = configuration.host, configuration.port
    settings = server_settings(configuration)
    address = f"http://{f'[{host}]' if ':' in host else host}:{port}"
    address += f"/setup?token={settings.setup}" if settings.setup else "/"
    behind_proxy = bool(configuration.names)
    with _listening(host, port) as listening:
        if configuration.workers > 1:
            _in_background(lambda: _clean_up(settings))
            workers = Workers(configuration.workers, settings, listening, behind_proxy)
            _ready(address, browser, say)
            workers.run()
        else:
            with _open(settings) as store:
                _in_background(lambda: staging.clean_up(store, at_start=True))
                _work(settings, store, listening, behind_proxy, lambda: _ready(address, browser, say))


def server_settings(configuration: Configuration) -> Settings:
    """Return the settings of a server; raise `TouchstoneError` if it must not be started with them."""
    host, workers, url = configuration.host, configuration.workers, configuration.url
    hosts = allowed_hosts(host, configuration.names)
    if workers > 1 and sqlite_file(url) is not None:
        hint = "use one process, which is enough for some dozens of people, or --database postgresql://…"
        raise TouchstoneError("several workers need PostgreSQL", code=Code.OPTION_UNUSED, hint=hint)
    with access_log(configuration.log):
        pass  # it can be written
    secret = installation_secret(configuration.folder)
    setup = None if _has_accounts(configuration) else secrets.token_urlsafe(16)
    connections = max(5, CONNECTIONS // workers)
    return Settings(url, secret, hosts, setup, configuration.metrics_token, configuration.log, connections)


def _has_accounts(configuration: Configuration) -> bool:
    """Return whether anybody can log in; refuse a server for other machines if nobody can."""
    host, folder = configuration.host, configuration.folder
    with closing(open_store(configuration.url, folder=folder)) as store, store.reading() as session:
        has_account = has_accounts(session)
    if not has_account and not is_local(host):
        hint = "start the server with --host 127.0.0.1 first, and create the first account"
        what = "there are no accounts yet, and other machines can reach this address"
        raise TouchstoneError(what, value=host, code=Code.DATABASE, hint=hint)
    return has_account


def _open(settings: Settings) -> closing[Store]:
    return closing(open_store(settings.database, settings.connections))


def _clean_up(settings: Settings) -> None:
    """Remove what imports left behind that the server ran before; a worker that is replaced must not do it."""
    with _open(settings) as store:
        staging.clean_up(store, at_start=True)


def _in_background(act: Callable[[], object]) -> None:
    threading.Thread(target=act, daemon=True).start()


def _work(
    settings: Settings, store: Store, listening: socket.socket, behind_proxy: bool, ready: Callable[[], None]
) -> None:
    """Serve in this process, and call *ready* when requests are accepted."""
    with access_log(settings.log) as log:
        app = create_app(settings, store, log)
        import_module("scipy.stats")  # half a second that the first figures of agreement would take
        _tune_interpreter()
        _Server(server_config(app, behind_proxy=behind_proxy), ready).run([listening])


class _Server(uvicorn.Server):
    """A server that calls *ready* when it accepts requests."""

    def __init__(self, config: uvicorn.Config, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self.ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start, then call `ready`."""
        await super().startup(sockets)
        if self.started:
            self.ready()


def server_config(app: FastAPI, *, behind_proxy: bool) -> uvicorn.Config:
    """Return the configuration of the server.

    Parameters
    ----------
    app
        The application.
    behind_proxy
        Whether a proxy on this machine says where requests come from (X-Forwarded-For, X-Forwarded-Proto). Otherwise
        these headers are ignored: anybody could write them.
    """
    return uvicorn.Config(
        app,
        http=Connection,
        log_level="warning",
        server_header=False,
        timeout_graceful_shutdown=GRACE_S,
        proxy_headers=behind_proxy,
    )


class Workers:
    """Processes that serve on one socket; one that ends is replaced until SIGTERM or SIGINT ends them all."""

    def __init__(self, count: int, settings: Settings, listening: socket.socket, behind_proxy: bool) -> None:
        self._spawn = multiprocessing.get_context("spawn")
        self._arguments = (settings, listening, behind_proxy)
        self._woken, self._wake = self._spawn.Pipe(duplex=False)
        self._stopping = False
        self._processes = [self._started() for _ in range(count)]

    def _started(self) -> SpawnProcess:
        process = self._spawn.Process(target=_worker, args=self._arguments)
        process.start()
        return process

    def run(self) -> None:
        """Keep the workers running until a signal."""
        for name in (signal.SIGTERM, signal.SIGINT):
            signal.signal(name, self._stop)
        while not self._stopping:
            connection.wait([self._woken, *(process.sentinel for process in self._processes)])
            self._replace()
        self._end()

    def _stop(self, number: int, frame: FrameType | None) -> None:  # noqa: ARG002 (Python's)
        self._stopping = True
        self._wake.send_bytes(b"")

    def _replace(self) -> None:
        for index, process in enumerate(self._processes):
            if not process.is_alive() and not self._stopping:
                print(f"worker {process.pid} ended ({process.exitcode}); starting another", file=sys.stderr)  # noqa: T201
                time.sleep(PAUSE_S)
                self._processes[index] = self._started()

    def _end(self) -> None:
        for process in self._processes:
            process.terminate()
        for process in self._processes:
            process.join(2 * GRACE_S)
            process.kill()
            process.join()


def _worker(settings: Settings, listening: socket.socket, behind_proxy: bool) -> None:
    """Serve as one of several processes, until told to stop or the main process has ended."""
    main = multiprocessing.parent_process()
    assert main is not None

    def follow() -> None:
        main.join()
        os.kill(os.getpid(), signal.SIGTERM)

    _in_background(follow)
    with _open(settings) as store:
        _work(settings, store, listening, behind_proxy, lambda: None)


def _tune_interpreter() -> None:
    """Configure the interpreter for many threads that wait for the disk and some that compute.

    Garbage collection skips what is loaded by now; scanning it takes a tenth of the time of each save. Threads switch
    more often, so that one that holds the write lock does not wait for the whole time slice of another.
    """
    gc.collect()
    gc.freeze()
    sys.setswitchinterval(SWITCH_S)


def _listening(host: str, port: int) -> socket.socket:
    """Return a listening socket; raise `TouchstoneError` if the address cannot be used."""
    try:
        family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listening = socket.create_server(address[:2], family=family)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        hint = "choose another --port, or another --host"
        raise TouchstoneError(
            f"cannot listen on this address ({reason})", value=f"{host}:{port}", code=Code.BAD_VALUE, hint=hint
        ) from None
    # Accepted connections inherit it; asyncio sets it only where the protocol of a socket is named. Without it, the
    # body of a response waits until the client acknowledges its head, which clients do after 40 ms.
    listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listening


def _ready(address: str, browser: bool, say: Callable[[str], None]) -> None:
    say(address)
    if browser:
        _in_background(lambda: webbrowser.open(address))
