"""What the routes share: dependencies, responses, and bodies of requests."""

import base64
import binascii
from collections.abc import Mapping
from typing import Annotated, Any, cast

from fastapi import APIRouter, Depends, Request
from fastapi.responses import JSONResponse
from pydantic import BaseModel, ConfigDict, Field

from touchstone.annotate.database import Store
from touchstone.annotate.refusals import invalid
from touchstone.annotate.safety import COOKIE, StrictRoute
from touchstone.annotate.scorer import Scorer
from touchstone.annotate.sessions import LASTS, Origin
from touchstone.annotate.settings import Settings
from touchstone.annotate.tables import dump
from touchstone.annotate.tasks.base import Upload
from touchstone.io.jsonl import Json

MOST_ROWS = 500


class Reply(JSONResponse):
    """JSON as the tables hold it, not converted through models, since an answer may be large."""

    def render(self, content: Any) -> bytes:  # noqa: ANN401 (Starlette's)
        """Return the bytes."""
        return dump(content).encode()


def router(*tags: str) -> APIRouter:
    """Return a router for API routes, which read JSON strictly; *tags* group them in the API description."""
    return APIRouter(prefix="/api", route_class=StrictRoute, default_response_class=Reply, tags=list(tags))


async def _store(request: Request) -> Store:
    return cast("Store", request.app.state.store)


async def _settings(request: Request) -> Settings:
    return cast("Settings", request.app.state.settings)


async def _scorer(request: Request) -> Scorer:
    return cast("Scorer", request.app.state.scorer)


async def _origin(request: Request) -> Origin:
    return Origin(request.client.host if request.client else "", request.headers.get("user-agent", ""))


TheStore = Annotated[Store, Depends(_store)]
TheSettings = Annotated[Settings, Depends(_settings)]
TheScorer = Annotated[Scorer, Depends(_scorer)]
TheOrigin = Annotated[Origin, Depends(_origin)]
Limit = Annotated[int, Field(ge=1, le=MOST_ROWS)]


class Body(BaseModel):
    """The body of a request: unknown keys are refused, and types are not converted."""

    model_config = ConfigDict(extra="forbid", strict=True)


class FileBody(Body):
    """A file, its content in base64."""

    name: str = Field(min_length=1, max_length=300)
    content: str

    def upload(self) -> Upload:
        """Return the file."""
        try:
            return Upload(self.name, base64.b64decode(self.content, validate=True))
        except binascii.Error:
            raise invalid("the content of a file must be in base64") from None


def logged_in(request: Request, content: Mapping[str, Json], token: str, status: int = 200) -> Reply:
    """Return a response with the cookie of a new session.

    Parameters
    ----------
    request
        The request; over https the cookie is marked secure.
    content
        The JSON of the response.
    token
        The token of the session.
    status
        The HTTP status.
    """
    reply = Reply(content, status)
    reply.set_cookie(
        COOKIE,
        token,
        max_age=int(LASTS.total_seconds()),
        httponly=True,
        samesite="lax",
        secure=request.url.scheme == "https",
        path="/",
    )
    return reply
