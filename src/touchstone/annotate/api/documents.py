"""The description of the API itself."""

from fastapi import Request, Response

from touchstone.annotate.api.parts import Reply, router
from touchstone.annotate.safety import Annotator

routes = router("description")


@routes.get("/openapi.json", include_in_schema=False)
def description(request: Request, person: Annotator) -> Response:  # noqa: ARG001 (the role is the check)
    """Return the API in OpenAPI's words."""
    return Reply(request.app.openapi())
