"""The FastAPI application: routes, middleware and error handlers."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TextIO

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from sqlalchemy.exc import DataError, IntegrityError, OperationalError
from starlette.exceptions import HTTPException

from touchstone import __version__
from touchstone.annotate import pages
from touchstone.annotate.api import accounts, managing, operating, scores, work
from touchstone.annotate.api.parts import Reply
from touchstone.annotate.archiving import Archiver
from touchstone.annotate.database import Store
from touchstone.annotate.observing import Metrics, Observer
from touchstone.annotate.refusals import Problem, Refusal, as_refusal
from touchstone.annotate.safety import SAFE_METHODS, Guard, roles_of_routes
from touchstone.annotate.safety import log as errors
from touchstone.annotate.scorer import Scorer
from touchstone.annotate.settings import Settings
from touchstone.base.errors import TouchstoneError

CODES = {400: "bad_json", 404: "not_found", 405: "not_found", 408: "too_slow", 413: "too_large", 422: "invalid"}
MOST_PROBLEMS = 20
"""How many problems of a request are listed."""
MESSAGES = {404: "page not found", 405: "method not allowed"}


def create_app(settings: Settings, store: Store, log: TextIO | None = None) -> FastAPI:
    """Return the application.

    Parameters
    ----------
    settings
        The settings of the server.
    store
        The open database.
    log
        The access log, if any.
    """
    app = FastAPI(title="Touchstone annotate", version=__version__, docs_url=None, redoc_url=None, openapi_url=None)
    app.router.lifespan_context = _lifespan
    app.state.settings = settings
    app.state.store = store
    app.state.metrics = Metrics()
    app.state.scorer = Scorer(store)
    app.state.archiver = Archiver(store)
    for module in (operating, accounts, work, managing, scores, pages):
        app.router.routes.extend(module.routes.routes)  # not included, so that `roles_of_routes` sees each route
    app.mount("/static", pages.PackageFiles(packages=[("touchstone.annotate", "static")]))
    app.add_middleware(Guard, hosts=settings.hosts, failed=_failed)
    app.add_middleware(Observer, metrics=app.state.metrics, log=log)
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
    assert isinstance(error, OperationalError)
    if request.app.state.store.is_full(error):
        errors.error("the disk of the database is full: %s", error)
        hint = "nothing was saved: tell whoever runs the server to make room"
        return _answer(request, Refusal(503, "disk_full", "the disk of the server is full", hint=hint, retry_after=30))
    errors.warning("the database did not respond in time: %s", error)
    return _answer(request, Refusal(503, "busy", "the database is busy", hint="try again", retry_after=1))


async def _raced(request: Request, error: Exception) -> Response:
    errors.warning("two requests created the same object: %s", error)
    message = "somebody else created the same object at the same time"
    return _answer(request, Refusal(409, "taken", message, hint="reload the page"))


async def _out_of_range(request: Request, error: Exception) -> Response:
    """Refuse a number that no column can hold: not found in a URL, invalid in a body."""
    errors.warning("a value is out of range: %s", error)
    if request.method in SAFE_METHODS:
        return _answer(request, Refusal(404, "not_found", MESSAGES[404]))
    return _answer(request, Refusal(422, "invalid", "a value is out of the range of the database"))


def _failed(request: Request) -> Response:
    return _answer(request, Refusal(500, "failed", "internal server error", hint="the server log contains the reason"))
