"""Checks before every route: role, origin, host, content type and size; security headers on every response.

Deny by default: the application does not start if a route declares no role, or a role in a project that its path does
not name.
"""

import asyncio
import hmac
import json
import logging
import re
import time
from collections.abc import Callable, Iterable
from math import isfinite
from typing import Annotated, Any

from fastapi import Depends, FastAPI, Request, Response
from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse
from starlette.routing import BaseRoute, Mount
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from touchstone.annotate import connections
from touchstone.annotate.access import PROJECT_OF, check_role
from touchstone.annotate.accounts import Person
from touchstone.annotate.hosts import LOCAL_NAMES, host_of, is_local
from touchstone.annotate.refusals import Refusal, forbidden, is_writable, not_found
from touchstone.annotate.sessions import person_of
from touchstone.annotate.tables import ROLES

log = logging.getLogger("touchstone.annotate")

COOKIE = "touchstone_session"
SAFE_METHODS = ("GET", "HEAD", "OPTIONS")
MEGABYTE = 1_000_000
KILOBYTE = 1_000
LIMITS = (("/imports", 64 * MEGABYTE), ("/runs", 22 * MEGABYTE), ("", 4 * MEGABYTE))
"""The largest size of a request by the end of its path, larger where a child process reads the files.

The largest pyramid of DUC 2006 has 82 kB."""
PUBLIC = ("/api/session", "/api/setup", "/api/invitations/", "/api/resets/")
"""Where the paths begin that take requests from anybody."""
PUBLIC_LIMIT = 8 * KILOBYTE
"""The largest size of their requests: a name, an address, a password and a token."""
MOST_FIELDS = 100
"""Fields of a request; no form has a quarter of them. Each unknown one would be reported."""
LARGE = 100 * KILOBYTE
"""Bytes of JSON from which it is parsed beside the event loop, so that other requests do not wait."""

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "worker-src 'self'; manifest-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'; trusted-types touchstone-worker"
)
"""No inline scripts or styles, nothing from other sites, no strings as markup; one trusted type, for the worker."""

HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=(), payment=()",
}

_SUSPECT = re.compile(rb"\\u(?:00[01]|[dD][89abAB]|[fF]{3}[eEfF])|\\[bf]|\xef\xbf[\xbe\xbf]")
"""Bytes without which a JSON text contains nothing unwritable: escapes, and two characters themselves."""


class Needs:
    """A dependency that checks what a route needs.

    Parameters
    ----------
    role
        None for a public route, "account" for anybody who is logged in, "admin", a role in the project of the object
        that the path of the route names, or "operator" for requests from this machine or with the metrics token.
    """

    def __init__(self, role: str | None) -> None:
        self.role = role

    def __call__(self, request: Request) -> Person | None:
        """Return the person, or refuse the request."""
        if self.role is None:
            return None
        if self.role == "operator":
            _check_operator(request)
            return None
        person = asking(request)
        if person is None:
            raise Refusal(401, "not_logged_in", "you are not logged in", hint="log in and try again")
        if self.role == "admin" and not person.admin:
            raise forbidden("this needs an administrator")
        if self.role in ROLES:
            self._check_in_project(request, person)
        return person

    def _check_in_project(self, request: Request, person: Person) -> None:
        """Check the role, once for each request: a route with a body checks before it reads the body."""
        if getattr(request.state, "allowed", None) == self.role:
            return
        parameter = object_named(request.path_params)
        object_id = request.path_params[parameter]
        if not str(object_id).isdecimal():
            raise not_found(parameter.removesuffix("_id"))
        with request.app.state.store.reading() as session:
            check_role(session, person, str(self.role), parameter, int(object_id))
        request.state.allowed = self.role


def _check_operator(request: Request) -> None:
    """Refuse a request that comes neither from this machine, without a proxy, nor with the metrics token."""
    token = request.app.state.settings.metrics_token
    sent_token = request.headers.get("authorization", "").removeprefix("Bearer ")
    if token and hmac.compare_digest(token.encode(), sent_token.encode()):
        return
    forwarded = {"x-forwarded-for", "forwarded", "via"} & set(request.headers)
    near = request.client is not None and is_local(request.client.host)
    if not near or forwarded or host_of(request.scope["headers"]) not in LOCAL_NAMES:
        hint = "ask on the machine itself, or send the metrics_token of the settings (Authorization: Bearer TOKEN)"
        raise forbidden("this needs a request from the machine of the server", hint)


def template(scope: Scope) -> str:
    """Return the path of the route of a request with the names of its parameters, which says nothing about anybody."""
    if scope["path"].startswith("/static/"):
        return "/static"
    return str(getattr(scope.get("route"), "path", "-"))


def object_named(parameters: Iterable[str]) -> str:
    """Return the parameter of a path that names the object, and so the project, that a request concerns."""
    return next(name for name in parameters if name in PROJECT_OF)


def asking(request: Request) -> Person | None:
    """Return the person who sends a request, or None if nobody is logged in; looked up once for each request."""
    if not hasattr(request.state, "person"):
        token, state = request.cookies.get(COOKIE), request.app.state
        request.state.person = person_of(state.store, state.settings.secret, token) if token else None
    person: Person | None = request.state.person
    return person


Public = Depends(Needs(None))
LoggedIn = Annotated[Person, Depends(Needs("account"))]
Annotator = Annotated[Person, Depends(Needs("annotator"))]
Reviewer = Annotated[Person, Depends(Needs("reviewer"))]
Manager = Annotated[Person, Depends(Needs("manager"))]
Admin = Annotated[Person, Depends(Needs("admin"))]
Operator = Depends(Needs("operator"))


def roles_of_routes(app: FastAPI) -> dict[tuple[str, str], str | None]:
    """Return the role that each method and path needs; raise an error if a route declares none."""
    roles: dict[tuple[str, str], str | None] = {}
    for route in app.routes:
        if isinstance(route, Mount) and route.path == "/static":
            continue
        for method in getattr(route, "methods", None) or ("GET",):
            if method != "HEAD":
                roles[method, getattr(route, "path", "?")] = _role(route)
    return roles


def _role(route: BaseRoute) -> str | None:
    needs = _needs(route.dependant) if isinstance(route, APIRoute) else []
    if not isinstance(route, APIRoute) or len(needs) != 1:
        raise RuntimeError(f"the route {getattr(route, 'path', route)} must declare exactly one role")
    role = needs[0].role
    if role in ROLES and len(set(PROJECT_OF) & set(route.param_convertors)) != 1:
        raise RuntimeError(f"the route {route.path} needs a role in a project; its path must name one object of it")
    return role


def _needs(dependant: Dependant) -> list[Needs]:
    direct_needs = [dependant.call] if isinstance(dependant.call, Needs) else []
    return direct_needs + [needs for inner in dependant.dependencies for needs in _needs(inner)]


class StrictRequest(Request):
    """A request whose JSON is read strictly: no NaN or infinity, no characters that an export could not contain."""

    async def json(self) -> Any:  # noqa: ANN401 (Starlette's)
        """Return the value of the body."""
        body = await self.body()
        value = await run_in_threadpool(strict_json, body) if len(body) > LARGE else strict_json(body)
        if isinstance(value, dict) and len(value) > MOST_FIELDS:
            raise HTTPException(422, f"{len(value):,} fields, which is more than any form has")
        return value


def strict_json(raw: bytes) -> Any:  # noqa: ANN401 (JSON of any shape)
    """Return the value of a JSON text; refuse invalid JSON, and numbers and characters that cannot be stored."""
    try:
        value = json.loads(raw.decode(), parse_constant=_no_number, parse_float=_number)
    except UnicodeDecodeError:
        raise HTTPException(400, "the request is not UTF-8") from None
    except (ValueError, RecursionError) as error:
        raise HTTPException(400, f"the request is not JSON ({str(error).split(':')[0].lower()})") from None
    if _SUSPECT.search(raw) and not is_writable(value):
        raise HTTPException(422, "a control character, which an export could not contain")
    return value


def _no_number(name: str) -> float:
    raise ValueError(f"{name} is not a number")


def _number(text: str) -> float:
    value = float(text)
    if not isfinite(value):
        raise ValueError("a number is too large")
    return value


class StrictRoute(APIRoute):
    """A route that reads its request strictly, and only after the person who sends it is known."""

    def get_route_handler(self) -> Any:  # noqa: ANN401 (FastAPI's)
        """Return the handler of the route, given a strict request."""
        handle = super().get_route_handler()
        needs = _needs(self.dependant)

        async def strictly(request: Request) -> Any:  # noqa: ANN401
            strict = StrictRequest(request.scope, request.receive)
            if self.body_field is not None:  # FastAPI reads a body before it checks anything
                for need in needs:
                    await run_in_threadpool(need, strict)
            return await handle(strict)

        return strictly


class Guard:
    """ASGI middleware: checks host, origin, type and size of requests, and sets response headers.

    Parameters
    ----------
    app
        The application.
    hosts
        The host names to answer to.
    failed
        Makes the response to an unexpected error.
    """

    def __init__(self, app: ASGIApp, hosts: tuple[str, ...], failed: Callable[[Request], Response]) -> None:
        self.app, self.hosts, self.failed = app, hosts, failed

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        began = False

        async def with_headers(message: Message) -> None:
            nonlocal began
            began = True
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
                headers.setdefault("Cache-Control", "no-store")
            await send(message)

        refusal = self._refusal(scope)
        if refusal is not None:
            await JSONResponse(refusal.content(), refusal.status)(scope, receive, with_headers)
            return
        try:
            await self._answer(scope, _limited(receive, _limit(scope)), with_headers)
        except Exception:
            log.exception("%s %s failed", scope["method"], template(scope))
            if began:
                raise
            await self.failed(Request(scope))(scope, receive, with_headers)

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer HEAD as GET; the server leaves out the body, and routes declare one method only."""
        if scope["method"] != "HEAD":
            await self.app(scope, receive, send)
            return
        get_scope = {**scope, "method": "GET"}
        try:
            await self.app(get_scope, receive, send)
        finally:
            scope["route"] = get_scope.get("route")  # for logs and metrics

    def _refusal(self, scope: Scope) -> Refusal | None:
        headers = Headers(scope=scope)
        if host_of(scope["headers"]) not in self.hosts:
            hint = "open the server by its own name, or let its administrator add this one with --name"
            return Refusal(403, "forbidden", "unknown host name", hint=hint)
        if scope["method"] in SAFE_METHODS:
            return None
        if not _same_origin(headers, scope["scheme"]):
            return Refusal(403, "cross_origin", "this request comes from another site")
        length = int(headers.get("content-length") or 0)
        if length > _limit(scope):
            return Refusal(413, "too_large", _more_than(_limit(scope)))
        kind = headers.get("content-type", "").partition(";")[0].strip().lower()
        if (length or "transfer-encoding" in headers) and kind != "application/json":
            return Refusal(415, "not_json", "the request must be JSON")
        return None


def _same_origin(headers: Headers, scheme: str) -> bool:
    """Return whether a request comes from our own pages, by headers that scripts of other sites cannot forge."""
    origin = headers.get("origin")
    if origin is not None:
        return origin == f"{scheme}://{headers['host']}"
    return headers.get("sec-fetch-site") == "same-origin"


def _limit(scope: Scope) -> int:
    if scope["path"].startswith(PUBLIC):
        return PUBLIC_LIMIT
    return next(limit for end, limit in LIMITS if scope["path"].endswith(end))


def _more_than(limit: int) -> str:
    return f"more than {limit // MEGABYTE} MB" if limit >= MEGABYTE else f"more than {limit // KILOBYTE} kB"


def _limited(receive: Receive, limit: int) -> Receive:
    """Return *receive*, which fails when the body exceeds *limit* bytes, whatever its announced length, or is too slow.

    Only the time counts in which the server waits for the body.
    """
    taken, waited, more = 0, 0.0, True

    async def counted() -> Message:
        nonlocal taken, waited, more
        if not more:  # what comes now is the end of the connection
            return await receive()
        began = time.monotonic()
        try:
            async with asyncio.timeout(connections.BODY_S + taken / connections.BODY_RATE - waited):
                message = await receive()
        except TimeoutError:
            raise HTTPException(408, "the request did not arrive in time") from None
        waited += time.monotonic() - began
        more = message.get("more_body", False)
        taken += len(message.get("body", b""))
        if taken > limit:
            raise HTTPException(413, _more_than(limit))
        return message

    return counted
