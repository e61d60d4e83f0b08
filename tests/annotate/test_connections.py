"""Responses leave at once, and requests that are never finished do not hold connections open."""

import socket
import time

import httpx
import pytest

from touchstone.annotate import connections
from touchstone.annotate.serving import _listening
from touchstone.annotate.settings import database_url

PATIENCE_S = 300
"""Within what time something happens on a machine that is busy."""


@pytest.mark.parametrize("host", ["127.0.0.1", "::1"])
def test_a_response_does_not_wait_for_an_acknowledgement_of_its_head(host):
    with _listening(host, 0) as listening, socket.create_connection(listening.getsockname()[:2]):
        accepted, _ = listening.accept()
        with accepted:
            assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


@pytest.fixture
def impatient(monkeypatch, start_server, tmp_path):
    """Give a server that waits for a second only."""
    monkeypatch.setattr(connections, "HEAD_S", 1)
    monkeypatch.setattr(connections, "BODY_S", 1)
    monkeypatch.setattr(connections, "SEND_S", 1)
    return start_server(database_url(str(tmp_path / "own.sqlite")))


def connected(site, receive_buffer=None):
    address, connection = httpx.URL(site.url), socket.socket()
    if receive_buffer:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
    connection.settimeout(PATIENCE_S)
    connection.connect((address.host, address.port))
    return connection


def wait_until(condition):
    until = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.01)


def sent_slowly(sending, data):
    """Send byte after byte, and return what came back when the server has closed the connection, or None."""
    sending.settimeout(0.05)
    received, until = b"", time.monotonic() + PATIENCE_S
    remaining = iter(data)
    while time.monotonic() < until:
        try:
            if (byte := next(remaining, None)) is not None:
                sending.sendall(bytes([byte]))
            part = sending.recv(65_536)
        except TimeoutError:
            continue
        except ConnectionError:
            return received
        if not part:
            return received
        received += part
    return None


def head(site, *lines):
    return "\r\n".join([*lines, f"Host: {httpx.URL(site.url).netloc.decode()}", f"Origin: {site.url}"]).encode()


ENDLESS = b"x" * 10_000
"""More bytes than are sent while a test waits."""


def test_a_request_whose_head_does_not_end_is_given_up(impatient):
    with connected(impatient) as sending:
        assert sent_slowly(sending, head(impatient, "GET /api/health HTTP/1.1") + b"\r\nX: " + ENDLESS) == b""


def test_a_connection_on_which_nothing_comes_is_closed(impatient):
    with connected(impatient) as sending:
        assert sent_slowly(sending, b"") == b""


@pytest.mark.parametrize("size", ["Content-Length: 5000", "Transfer-Encoding: chunked"])
def test_a_request_whose_body_does_not_come_is_refused_and_its_connection_closed(impatient, size):
    lines = ["POST /api/session HTTP/1.1", size, "Content-Type: application/json"]
    with connected(impatient) as sending:
        sending.sendall(head(impatient, *lines) + b"\r\n\r\n")
        answer = sent_slowly(sending, b"1000\r\n" + ENDLESS)
    assert answer is not None, "the connection is still open"
    assert answer.startswith(b"HTTP/1.1 408 ")
    assert b"did not arrive in time" in answer


def test_a_request_that_is_answered_before_its_body_has_come_is_not_awaited_for_ever(impatient):
    lines = ["POST /api/projects HTTP/1.1", "Content-Length: 5000", "Content-Type: application/json"]
    with connected(impatient) as sending:
        sending.sendall(head(impatient, *lines) + b"\r\n\r\n")
        answer = sent_slowly(sending, ENDLESS)
    assert answer is not None, "the connection is still open"
    assert answer.startswith(b"HTTP/1.1 401 ")


@pytest.mark.parametrize("waiting", [64_000, 100_000_000])  # with the larger one, all responses wait to be sent
def test_a_client_that_takes_no_response_does_not_hold_its_connection_open(impatient, monkeypatch, waiting):
    accept = connections.Connection.connection_made

    def accepted(connection, transport):
        transport.set_write_buffer_limits(waiting)
        accept(connection, transport)

    monkeypatch.setattr(connections.Connection, "connection_made", accepted)
    with connected(impatient, receive_buffer=2_048) as sending:
        sending.sendall((head(impatient, "GET /static/base.css HTTP/1.1") + b"\r\n\r\n") * 1_000)
        wait_until(lambda: impatient.running.server.server_state.connections)
        wait_until(lambda: not impatient.running.server.server_state.connections)


def test_a_client_that_takes_a_response_slowly_gets_all_of_it(impatient):
    request = head(impatient, "GET /static/base.css HTTP/1.1") + b"\r\n\r\n"
    size = len(impatient.nobody().get("/static/base.css").content)
    taken = b""
    with connected(impatient, receive_buffer=2_048) as sending:
        sending.sendall(request * 40)
        while taken.count(b"HTTP/1.1 200") < 40 or len(taken) < 40 * size:
            taken += sending.recv(20_000)
            time.sleep(0.01)
    assert taken.count(b"HTTP/1.1 200") == 40


def test_a_body_that_comes_in_pieces_in_time_is_read_and_the_connection_used_again(sqlite_site):
    body = b'{"email": "a@example.org", "password": "wrong password"}'
    lines = ["POST /api/session HTTP/1.1", f"Content-Length: {len(body)}", "Content-Type: application/json"]
    request = head(sqlite_site, *lines) + b"\r\n\r\n" + body
    with connected(sqlite_site) as sending:
        for _ in range(2):
            for first in range(0, len(request), 40):
                sending.sendall(request[first : first + 40])
                time.sleep(0.002)
            answer = b""
            while b"wrong email" not in answer:
                answer += sending.recv(65_536)
            assert answer.startswith(b"HTTP/1.1 401 ")
