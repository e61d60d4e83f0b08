"""Running the server: on this machine alone unless there are accounts, with a way in for whoever makes the first."""

import gc
import secrets
import socket
import sys
import threading
import webbrowser
from collections.abc import Callable, Sequence
from dataclasses import replace

import uvicorn

from touchstone.annotate.accounts import has_accounts
from touchstone.annotate.app import create_app
from touchstone.annotate.database import open_store
from touchstone.annotate.settings import LOCAL_NAMES, Settings, is_local
from touchstone.core.errors import TouchstoneError

GRACE_S = 5
"""How long requests under way are waited for when the server is stopped."""


SWITCH_S = 0.0005
"""How long a thread computes before another may: a tenth of Python's own choice."""


class _Server(uvicorn.Server):
    """A server that says when it is ready."""

    def __init__(self, config: uvicorn.Config, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self.ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start, and say so."""
        await super().startup(sockets)
        if self.started:
            self.ready()


def serve(
    settings: Settings, host: str, port: int, *, names: Sequence[str] = (), browser: bool, say: Callable[[str], None]
) -> None:
    """Serve until stopped; *names* are those by which a proxy in front is asked for this server."""
    store = open_store(settings.database)
    try:
        with store.reading() as session:
            inhabited = has_accounts(session)
        if not inhabited and not is_local(host):
            hint = "start it here first, with --host 127.0.0.1, and create the first account"
            raise TouchstoneError("no account yet, and this address is open to others", value=host, hint=hint)
        word = None if inhabited else secrets.token_urlsafe(16)
        hosts = (*LOCAL_NAMES, host, *names) if is_local(host) else None
        app = create_app(replace(settings, hosts=hosts, setup=word), store)
        address = f"http://{f'[{host}]' if ':' in host else host}:{port}{f'/setup?token={word}' if word else '/'}"
        config = uvicorn.Config(
            app,
            log_level="warning",
            server_header=False,
            timeout_graceful_shutdown=GRACE_S,
        )
        _make_quick()
        with _listening(host, port) as listening:
            _Server(config, lambda: _ready(address, browser, say)).run([listening])
    finally:
        store.close()


def _make_quick() -> None:
    """Set the interpreter up for many threads that wait for the disk and some that compute.

    What is loaded by now stays; looking through it for garbage again and again costs a tenth of each save. And
    whoever comes back from the disk, holding the turn to write, must not wait for another's whole slice of time.
    """
    gc.collect()
    gc.freeze()
    sys.setswitchinterval(SWITCH_S)


def _listening(host: str, port: int) -> socket.socket:
    """Return a socket at the address, or say why it cannot be had."""
    try:
        family, _, _, _, place = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        return socket.create_server(place[:2], family=family)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        hint = "choose another --port, or another --host"
        raise TouchstoneError(f"cannot listen here ({reason})", value=f"{host}:{port}", hint=hint) from None


def _ready(address: str, browser: bool, say: Callable[[str], None]) -> None:
    say(address)
    if browser:
        threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()
