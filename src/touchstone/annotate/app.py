"""The FastAPI application: routes, middleware and error handlers; and the server.

Without accounts the server is only reachable locally, and prints a setup token for the first one.
"""

import gc
import secrets
import socket
import sys
import threading
import webbrowser
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, closing
from dataclasses import replace

import uvicorn
from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from sqlalchemy.exc import DataError, IntegrityError, OperationalError
from starlette.exceptions import HTTPException

from touchstone import __version__
from touchstone.annotate import pages, staging
from touchstone.annotate.accounts import has_accounts
from touchstone.annotate.api import accounts, managing, scores, work
from touchstone.annotate.api.parts import Reply
from touchstone.annotate.database import Store, open_store
from touchstone.annotate.refusals import Problem, Refusal, as_refusal
from touchstone.annotate.safety import SAFE_METHODS, Guard, log, roles_of_routes
from touchstone.annotate.scorer import Scorer
from touchstone.annotate.settings import LOCAL_NAMES, Settings, is_local
from touchstone.core.errors import TouchstoneError

CODES = {400: "bad_json", 404: "not_found", 405: "not_found", 413: "too_large", 422: "invalid"}
MOST_PROBLEMS = 20
"""How many problems of a request are listed."""
MESSAGES = {404: "page not found", 405: "method not allowed"}


def create_app(settings: Settings, store: Store | None = None) -> FastAPI:
    """Return the application over a database with up-to-date tables.

    Parameters
    ----------
    settings
        The settings of the server.
    store
        The open database; opened from *settings* if None.
    """
    app = FastAPI(title="Touchstone annotate", version=__version__, docs_url=None, redoc_url=None, openapi_url=None)
    app.router.lifespan_context = _lifespan
    app.state.settings = settings
    app.state.store = store or open_store(settings.database)
    app.state.scorer = Scorer(app.state.store)
    for module in (accounts, work, managing, scores, pages):
        app.router.routes.extend(module.routes.routes)  # not included, so that `roles_of_routes` sees each route
    app.mount("/static", pages.PackageFiles(packages=[("touchstone.annotate", "static")]))
    app.add_middleware(Guard, hosts=settings.hosts, failed=_failed)
    app.add_exception_handler(TouchstoneError, _refused)
    app.add_exception_handler(RequestValidationError, _malformed)
    app.add_exception_handler(HTTPException, _http)
    app.add_exception_handler(OperationalError, _busy)
    app.add_exception_handler(IntegrityError, _raced)
    app.add_exception_handler(DataError, _out_of_range)
    app.add_exception_handler(OverflowError, _out_of_range)
    roles_of_routes(app)
    return app


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    """End what runs beside the requests when the server stops."""
    yield
    app.state.scorer.close()


def _answer(request: Request, refusal: Refusal) -> Response:
    if not request.url.path.startswith("/api"):
        return pages.refused(request, refusal)
    headers = {} if refusal.retry_after is None else {"Retry-After": str(refusal.retry_after)}
    return Reply(refusal.content(), refusal.status, headers)


async def _refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, TouchstoneError)
    return _answer(request, as_refusal(error))


async def _malformed(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    problems = [
        Problem(".".join(map(str, fault["loc"][1:])), str(fault["msg"]).lower(), fault["type"])
        for fault in error.errors()[:MOST_PROBLEMS]
    ]
    where = f": {problems[0].where}, {problems[0].message}" if problems else ""
    return _answer(request, Refusal(422, "invalid", f"invalid request{where}", problems=problems))


async def _http(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    message = MESSAGES.get(error.status_code, str(error.detail))
    return _answer(request, Refusal(error.status_code, CODES.get(error.status_code, "refused"), message))


async def _busy(request: Request, error: Exception) -> Response:
    log.warning("the database did not respond in time: %s", error)
    return _answer(request, Refusal(503, "busy", "the database is busy", hint="try again", retry_after=1))


async def _raced(request: Request, error: Exception) -> Response:
    log.warning("two requests created the same object: %s", error)
    message = "somebody else created the same object at the same time"
    return _answer(request, Refusal(409, "taken", message, hint="reload the page"))


async def _out_of_range(request: Request, error: Exception) -> Response:
    """Refuse a number that no column can hold: not found in a URL, invalid in a body."""
    log.warning("a value is out of range: %s", error)
    if request.method in SAFE_METHODS:
        return _answer(request, Refusal(404, "not_found", MESSAGES[404]))
    return _answer(request, Refusal(422, "invalid", "a value is out of the range of the database"))


def _failed(request: Request) -> Response:
    return _answer(request, Refusal(500, "failed", "internal server error", hint="the server log contains the reason"))


GRACE_S = 5
"""How long the server waits for open requests when it is stopped."""

SWITCH_S = 0.0005
"""How long a thread runs before another may: a tenth of Python's default."""


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
        app, log_level="warning", server_header=False, timeout_graceful_shutdown=GRACE_S, proxy_headers=behind_proxy
    )


def serve(
    settings: Settings, host: str, port: int, *, names: Sequence[str] = (), browser: bool, say: Callable[[str], None]
) -> None:
    """Serve until stopped.

    Parameters
    ----------
    settings
        The settings of the server.
    host, port
        Where to listen.
    names
        The host names that a proxy in front of the server forwards.
    browser
        Whether to open a browser.
    say
        Called with the address when the server is ready.
    """
    with closing(open_store(settings.database)) as store:
        with store.reading() as session:
            has_account = has_accounts(session)
        if not has_account and not is_local(host):
            hint = "start the server with --host 127.0.0.1 first, and create the first account"
            raise TouchstoneError(
                "there are no accounts yet, and other machines can reach this address", value=host, hint=hint
            )
        token = None if has_account else secrets.token_urlsafe(16)
        hosts = (*LOCAL_NAMES, host, *names) if is_local(host) else None
        app = create_app(replace(settings, hosts=hosts, setup=token), store)
        address = f"http://{f'[{host}]' if ':' in host else host}:{port}{f'/setup?token={token}' if token else '/'}"
        config = server_config(app, behind_proxy=bool(names))
        _tune_interpreter()
        threading.Thread(target=lambda: staging.clean_up(store, at_start=True), daemon=True).start()
        with _listening(host, port) as listening:
            _Server(config, lambda: _ready(address, browser, say)).run([listening])


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
        return socket.create_server(address[:2], family=family)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        hint = "choose another --port, or another --host"
        raise TouchstoneError(f"cannot listen on this address ({reason})", value=f"{host}:{port}", hint=hint) from None


def _ready(address: str, browser: bool, say: Callable[[str], None]) -> None:
    say(address)
    if browser:
        threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()
