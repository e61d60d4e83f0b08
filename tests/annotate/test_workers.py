"""Several processes serve one database: any of them may answer, and one that is killed is replaced."""

import os
import re
import signal
import socket
import subprocess
import sys
import time
from contextlib import ExitStack, suppress

import httpx
import pytest

from touchstone.annotate.accounts import add_account, hash_password
from touchstone.annotate.configuring import Configuration
from touchstone.annotate.database import open_store
from touchstone.annotate.projects import add_member, create_project
from touchstone.annotate.serving import server_settings
from touchstone.annotate.settings import database_url
from touchstone.annotate.tables import Assignment, Item
from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError

PASSWORD = "correct horse battery"
PATIENCE_S = 600
YES = {"q1": True, "q2": False, "q3": False}


def until(found, what):
    """Give the first true value of *found*; fail after a long time."""
    end = time.monotonic() + PATIENCE_S
    while time.monotonic() < end:
        with suppress(httpx.TransportError):
            if value := found():
                return value
        time.sleep(0.05)
    return pytest.fail(f"{what} did not happen in {PATIENCE_S} s")


def filled(url):
    """Put somebody with work into a database."""
    store = open_store(database_url(url))
    with store.writing() as session:
        admin = add_account(session, "root@example.org", "Root", hash_password(PASSWORD), "test", admin=True)
        ann = add_account(session, "ann@example.org", "Ann", hash_password(PASSWORD), "test")
        project = create_project(session, (admin.id, "Root"), "P", "nli")
        add_member(session, (admin.id, "Root"), project, ann.id)
        pair = {"premise": "p", "hypothesis": "h"}
        item = Item(project_id=project.id, key="k", kind="pair", position=1, purpose="work", payload=pair, hidden={})
        session.add(item)
        session.flush()
        session.add(Assignment(item_id=item.id, account_id=ann.id))
    store.close()
    return item.id


@pytest.fixture
def served(postgres, tmp_path):
    """Give a server with two workers, as it is started by hand: its process, its address and an item of Ann's."""
    url = postgres()
    item = filled(url)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    words = [sys.executable, "-m", "touchstone", "annotate", "serve", "--workers", "2", "--port", str(port)]
    environment = {**os.environ, "XDG_DATA_HOME": str(tmp_path), "TOUCHSTONE_ANNOTATE_DATABASE": url}
    with (tmp_path / "log").open("wb") as log:
        process = subprocess.Popen([*words, "--no-browser"], env=environment, stdout=log, stderr=log)
    address = f"http://127.0.0.1:{port}"
    try:
        until(lambda: httpx.get(f"{address}/api/health").status_code == 200, "the start")
        yield process, address, item
    finally:
        process.terminate()
        process.wait(PATIENCE_S)
        assert "Traceback" not in (tmp_path / "log").read_text()


def worker_of(client):
    """Give the process at the other end of a connection."""
    return int(re.search(r'worker="(\d+)"', client.get("/api/metrics").text)[1])


def clients_of(stack, address, cookies, wanted):
    """Give clients by the process that answers them, for as many processes as *wanted* says."""
    clients = {}

    def found():
        # Each client has one connection, and so one worker.
        client = httpx.Client(base_url=address, headers={"Origin": address}, cookies=cookies, timeout=300)
        stack.enter_context(client)
        clients.setdefault(worker_of(client), client)
        return wanted(clients)

    until(found, "an answer of every worker")
    return clients


def saved(client, answer, version, key):
    body = {"version": version, "key": key, "body": YES}
    return client.put(f"/api/answers/{answer}", json=body)


def test_any_worker_answers_wrong_passwords_count_at_all_and_a_killed_one_is_replaced(served):
    process, address, item = served
    with ExitStack() as stack:
        first = stack.enter_context(httpx.Client(base_url=address, headers={"Origin": address}, timeout=300))
        login = {"email": "ann@example.org", "password": PASSWORD}
        assert first.post("/api/session", json=login).status_code == 200
        cookies = dict(first.cookies)
        clients = clients_of(stack, address, cookies, lambda found: len(found) == 2)
        answer = first.post(f"/api/items/{item}/answer").json()["id"]
        for version, client in enumerate([*clients.values()] * 3):
            assert saved(client, answer, version, f"key-{version:08d}").json()["version"] == version + 1
        repeated = saved(next(iter(clients.values())), answer, 5, "key-00000005")
        assert repeated.json()["version"] == 6, "a save repeated at the other worker is acknowledged again"
        killed = next(iter(clients))
        os.kill(killed, signal.SIGKILL)
        left = next(client for pid, client in clients.items() if pid != killed)
        assert saved(left, answer, 6, "key-00000006").json()["version"] == 7
        again = clients_of(stack, address, cookies, lambda found: len(found.keys() - {killed}) == 2)
        for version, client in enumerate(again.values(), 7):
            assert saved(client, answer, version, f"key-{version:08d}").status_code == 200
        pids = set(again)
        wrong = {"email": "ann@example.org", "password": "wrong password"}
        hearing = [again[pid] for pid in pids - {killed}] * 3
        tries = [client.post("/api/session", json=wrong).status_code for client in hearing]
        assert tries == [401] * 5 + [429], "wrong passwords count whichever worker hears them"
    process.terminate()
    assert process.wait(PATIENCE_S) == 0
    until(lambda: not any(alive(pid) for pid in pids), "the end of all workers")


def alive(pid):
    with suppress(ProcessLookupError):
        os.kill(pid, 0)
        return True
    return False


def test_workers_end_when_the_main_process_was_killed(served):
    process, address, _ = served
    with ExitStack() as stack:
        pids = set(clients_of(stack, address, {}, lambda found: len(found) == 2))
    process.kill()
    until(lambda: not any(alive(pid) for pid in pids), "the end of all workers")


def test_the_setup_token_is_the_same_for_every_worker(postgres, tmp_path):
    settings = server_settings(Configuration(database=postgres(), data=str(tmp_path), workers=3))
    assert settings.setup
    assert settings.connections == 13


def test_several_workers_on_sqlite_are_refused_with_a_sentence(tmp_path):
    with pytest.raises(TouchstoneError) as caught:
        server_settings(Configuration(database=str(tmp_path / "gold.sqlite"), data=str(tmp_path), workers=2))
    assert caught.value.code == Code.OPTION_UNUSED
    assert not (tmp_path / "gold.sqlite").exists()
