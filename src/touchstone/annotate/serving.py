"""Running the server. Without accounts it is only reachable locally, and prints a setup token for the first one."""

import gc
import secrets
import socket
import sys
import threading
import webbrowser
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import replace

import uvicorn

from touchstone.annotate.accounts import has_accounts
from touchstone.annotate.app import create_app
from touchstone.annotate.database import open_store
from touchstone.annotate.settings import LOCAL_NAMES, Settings, is_local
from touchstone.core.errors import TouchstoneError

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
        config = uvicorn.Config(app, log_level="warning", server_header=False, timeout_graceful_shutdown=GRACE_S)
        _tune_interpreter()
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
