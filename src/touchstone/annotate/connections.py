"""Connections on which requests must arrive and responses be taken in time, so that nobody can hold many open."""

import asyncio

from uvicorn.protocols.http.h11_impl import H11Protocol

HEAD_S = 20
"""Within how many seconds the head of a request must be complete, from the connection or from the last response."""

BODY_S, BODY_RATE = 30, 5_000
"""How many seconds the server waits for a body altogether, and for how many bytes it waits a second more."""

SEND_S = 60
"""Within how many seconds a client must take the 64 kB of a response that wait for it at most."""


class Connection(H11Protocol):
    """A connection that is closed if the head of the next request is not complete in time, or a response is not taken.

    Uvicorn itself only closes one on which nothing arrives between two requests.
    """

    _deadline: asyncio.TimerHandle | None = None
    _sending: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Wait for the first request."""
        super().connection_made(transport)
        self._expect_head()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait for nothing more."""
        self._forget_deadline()
        self.resume_writing()
        super().connection_lost(exc)

    def pause_writing(self) -> None:
        """Wait until the client has taken what was sent."""
        self._sending = self.loop.call_later(SEND_S, self.transport.abort)
        super().pause_writing()

    def resume_writing(self) -> None:
        """Send more."""
        if self._sending is not None:
            self._sending.cancel()
            self._sending = None
        super().resume_writing()

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
        self._deadline = self.loop.call_later(HEAD_S, self._close)

    def _close(self) -> None:
        """Close the connection when what was sent has been taken, or after a while without that."""
        self.timeout_keep_alive_handler()
        self._deadline = self.loop.call_later(SEND_S, self.transport.abort)

    def _forget_deadline(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None
