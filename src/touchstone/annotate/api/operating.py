"""API routes for whoever runs the server: whether it works, and how much it does."""

from fastapi import Request, Response
from sqlalchemy import func, select
from sqlalchemy.exc import SQLAlchemyError

from touchstone.annotate.api.parts import Reply, TheStore, router
from touchstone.annotate.safety import Operator, Public, log
from touchstone.annotate.tables import LogIn, now

routes = router("operating")


@routes.get("/health", dependencies=[Public])
def health(store: TheStore) -> Response:
    """Report whether the server and its database answer; 503 if the database does not, or cannot save anything."""
    try:
        reason = store.unwritable_reason()
    except SQLAlchemyError as error:
        log.warning("the database does not answer: %s", type(error).__name__)
        return Reply({"status": "failed", "database": "does not answer"}, 503)
    if reason is not None:
        return Reply({"status": "failed", "database": reason}, 503)
    return Reply({"status": "ok", "database": "answers"})


@routes.get("/metrics", dependencies=[Operator])
def metrics(request: Request, store: TheStore) -> Response:
    """Return figures in the text form of Prometheus, of the worker process that answers."""
    with store.reading() as session:
        query = select(func.count(LogIn.id)).where(LogIn.revoked_at.is_(None), LogIn.expires_at > now())
        sessions = session.scalar(query) or 0
    return Response(request.app.state.metrics.text(sessions), media_type="text/plain; version=0.0.4")
