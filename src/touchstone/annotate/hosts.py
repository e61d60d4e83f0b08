"""The host names that the server answers to: any other is refused, which prevents DNS rebinding."""

import ipaddress
import re
from collections.abc import Sequence

from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError

LOCAL_NAMES = ("localhost", "127.0.0.1", "::1")
_EVERYWHERE = ("0.0.0.0", "::")
_HOST = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[^\s:/@?#\[\]]+)(?::[0-9]{0,5})?")


def normalised_host(name: str) -> str:
    """Return a host name or address in the form in which they are compared.

    >>> normalised_host("Annotate.Example.ORG."), normalised_host("[0:0::1]")
    ('annotate.example.org', '::1')
    """
    lowered = name.strip("[]").lower().removesuffix(".")
    try:
        return str(ipaddress.ip_address(lowered))
    except ValueError:
        return lowered


def host_of(headers: Sequence[tuple[bytes, bytes]]) -> str | None:
    """Return the host that a request is for, without its port; None if its header is missing, repeated or malformed.

    >>> host_of([(b"host", b"[::1]:8000")]), host_of([(b"host", b"a.org"), (b"host", b"b.org")])
    ('::1', None)
    """
    host_headers = [value.decode("latin-1") for name, value in headers if name == b"host"]
    match = _HOST.fullmatch(host_headers[0]) if len(host_headers) == 1 else None
    return normalised_host(match[1]) if match else None


def is_local(host: str) -> bool:
    """Return whether a server bound to *host* is only reachable from this machine.

    >>> is_local("127.0.0.1"), is_local("localhost"), is_local("0.0.0.0")
    (True, True, False)
    """
    normalised = normalised_host(host)
    try:
        return normalised == "localhost" or ipaddress.ip_address(normalised).is_loopback
    except ValueError:
        return False


def allowed_hosts(host: str, names: Sequence[str]) -> tuple[str, ...]:
    """Return the hosts to answer to; raise `TouchstoneError` if a server beyond this machine has no name.

    Parameters
    ----------
    host
        Where the server listens.
    names
        The names given by ``--name``.
    """
    normalised = normalised_host(host)
    if normalised in _EVERYWHERE and not names:
        hint = "give the name that people type, such as --name annotate.example.org; repeat it for several"
        raise TouchstoneError(
            "a server for other machines needs its host name", value=host, code=Code.OPTION_NEEDED, hint=hint
        )
    local = LOCAL_NAMES if is_local(host) or normalised in _EVERYWHERE else ()
    return (*local, *([] if normalised in _EVERYWHERE else [normalised]), *map(normalised_host, names))
