"""Connections on which requests must arrive in time, so that nobody can hold many of them open with unfinished ones."""

import asyncio

from uvicorn.protocols.http.h11_impl import H11Protocol

HEAD_S = 20
"""Within how many seconds the head of a request must be complete, from the connection or from the last response."""

BODY_S, BODY_RATE = 30, 5_000
"""How many seconds the server waits for a body altogether, and for how many bytes it waits a second more."""


class Connection(H11Protocol):
    """A connection that is closed if the head of the next request is not complete in time.

    Uvicorn itself only closes one on which nothing arrives between two requests.
    """

    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Wait for the first request."""
        super().connection_made(transport)
        self._expect_head()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait for nothing more."""
        self._forget_deadline()
        super().connection_lost(exc)

    def handle_events(self) -> None:
        """Handle what has arrived; the head of a request begins a new cycle."""
        before = self.cycle
        super().handle_events()
        if self.cycle is not before:
            self._forget_deadline()

    def on_response_complete(self) -> None:
        """Wait for the next request; the rest of one that was answered early has as much time."""
        self._expect_head()
        super().on_response_complete()

    def _expect_head(self) -> None:
        self._forget_deadline()
        self._deadline = self.loop.call_later(HEAD_S, self.timeout_keep_alive_handler)

    def _forget_deadline(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None
