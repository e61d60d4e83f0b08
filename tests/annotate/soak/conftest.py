"""Servers as processes of their own over real databases, people who send them real requests, and what was promised.

Tests marked ``soak`` are the long ones; each has a short one beside it that runs with the others.
"""

import base64
import hashlib
import itertools
import json
import os
import signal
import socket
import ssl
import subprocess
import sys
import threading
import time
from collections import Counter, defaultdict
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import pytest
from sqlalchemy import select, text

from touchstone.annotate.accounts import add_account, hash_password
from touchstone.annotate.database import open_store
from touchstone.annotate.projects import add_member
from touchstone.annotate.safety import COOKIE
from touchstone.annotate.sessions import Origin, start_session
from touchstone.annotate.settings import database_url, installation_secret
from touchstone.annotate.tables import Answer, Entry, Project, Revision

COMMAND = (sys.executable, "-m", "touchstone")
PASSWORD = "correct horse battery"
NUMBERS = itertools.count(1)
TLS = ssl.create_default_context()
"""One for all clients: making one takes as long as a request."""

START_S = 600
"""How long a server may take to start on a busy machine."""


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


class Client(httpx.Client):
    """Somebody who is logged in."""

    id: int
    email: str
    name: str

    def next(self, project: int) -> dict | None:
        """Open the next thing to do: an answer, or None."""
        response = self.post(f"/api/projects/{project}/next")
        assert response.status_code in (200, 204), response.text
        return response.json() if response.status_code == 200 else None


@dataclass
class Installation:
    """A database and a data folder; over them a server that can be started, stopped and killed."""

    database: str
    home: Path
    stack: ExitStack
    port: int = field(default_factory=free_port)
    process: subprocess.Popen | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def secret(self) -> Path:
        return self.home / "touchstone" / "annotate" / "secret"

    @property
    def log(self) -> str:
        """What the server wrote."""
        return (self.home / "server.log").read_text()

    def arguments(self, *words: object) -> list[str]:
        return [*COMMAND, "annotate", *map(str, words), "--database", self.database]

    @property
    def environment(self) -> dict[str, str]:
        return {**os.environ, "XDG_DATA_HOME": str(self.home), "OPENBLAS_NUM_THREADS": "1"}

    def command(self, *words: object) -> subprocess.CompletedProcess:
        """Run ``touchstone annotate …`` on the database."""
        found = subprocess.run(
            self.arguments(*words), env=self.environment, capture_output=True, text=True, timeout=900, check=False
        )
        assert "Traceback" not in found.stderr, found.stderr
        return found

    def start(self) -> None:
        """Start the server and wait until it answers."""
        words = self.arguments("serve", "--port", self.port, "--no-browser")
        with (self.home / "server.log").open("ab") as log:
            self.process = subprocess.Popen(words, env=self.environment, stdout=log, stderr=log)
        self.stack.callback(_end, self.process)
        until = time.monotonic() + START_S
        while not self._answers():
            assert self.process.poll() is None, self.log
            assert time.monotonic() < until, "the server did not start in time"
            time.sleep(0.02)

    def _answers(self) -> bool:
        with suppress(httpx.TransportError):
            return httpx.get(f"{self.url}/api/health", verify=TLS).status_code == 200
        return False

    def kill(self) -> None:
        """End the server at once: it writes nothing more."""
        self.process.kill()
        self.process.wait()

    def stop(self) -> None:
        """Let the server finish what is under way."""
        self.process.send_signal(signal.SIGINT)
        self.process.wait(600)

    @contextmanager
    def store(self):
        """Give the database itself, from outside of the server."""
        found = open_store(database_url(self.database))
        try:
            yield found
        finally:
            found.close()

    def nobody(self, **headers: str) -> Client:
        """Give a client that is not logged in."""
        headers = {"Origin": self.url, **headers}
        limits = httpx.Limits(max_keepalive_connections=2)
        made = Client(base_url=self.url, headers=headers, timeout=300, verify=TLS, trust_env=False, limits=limits)
        return self.stack.enter_context(made)

    def people(self, count: int, role: str = "annotator", project: int | None = None, names=None) -> list[Client]:
        """Give *count* people who are logged in, and belong to a project where one is given."""
        secret, hashed = installation_secret(self.secret.parent), hash_password(PASSWORD)
        made = []
        with self.store() as store, store.writing() as session:
            for place in range(count):
                number = next(NUMBERS)
                name = names[place] if names else f"{role.title()} {number}"
                admin = role == "admin"
                email = f"{role}{number}@example.org"
                account = add_account(session, email, name, hashed, "made by a test", admin=admin)
                if project is not None:
                    add_member(session, (account.id, name), session.get_one(Project, project), account.id, role)
                client = self.nobody()
                client.cookies.set(COOKIE, start_session(session, secret, account, Origin("test", "test")))
                client.id, client.email, client.name = account.id, account.email, name
                made.append(client)
        return made

    def project(self, admin: Client, task: str, files: dict, name: str | None = None, **settings) -> int:
        """Make a project with files in it and give its id."""
        body = {"name": name or f"project {next(NUMBERS)}", "task": task, "settings": settings}
        made = admin.post("/api/projects", json=body)
        assert made.status_code == 201, made.text
        response = import_files(admin, made.json()["id"], files)
        assert response.status_code == 201, response.text
        return made.json()["id"]

    def assign(self, admin: Client, project: int, people: list[Client], per_item: int | None = None) -> None:
        """Give all items of a project to people, to all of them unless told otherwise."""
        body = {"accounts": [one.id for one in people], "per_item": per_item or len(people)}
        response = admin.post(f"/api/projects/{project}/assignments", json=body, timeout=120)
        assert response.status_code == 200, response.text


def import_files(admin: Client, project: int, files: dict, **more) -> httpx.Response:
    """Import files, given as names and texts or bytes."""
    listed = [{"name": name, "content": as_base64(content)} for name, content in files.items()]
    return admin.post(f"/api/projects/{project}/imports", json={"files": listed, **more}, timeout=300)


def refusal(admin: Client, project: int, response: httpx.Response) -> dict:
    """Return the error of an import that is refused, at once or after its response."""
    if response.status_code != 202:
        assert response.status_code == 422, response.text[:500]
        return response.json()["error"]
    until = time.monotonic() + START_S
    while time.monotonic() < until:
        rows = admin.get(f"/api/projects/{project}/imports").json()["imports"]
        row = next(row for row in rows if row["id"] == response.json()["id"])
        if row["state"] in ("finished", "failed"):
            assert row["state"] == "failed", row
            return row["error"]
        time.sleep(0.05)
    raise AssertionError("the import did not end in time")


def as_base64(content: str | bytes) -> str:
    return base64.b64encode(content.encode() if isinstance(content, str) else content).decode()


def _end(process: subprocess.Popen) -> None:
    if process.poll() is None:
        process.kill()
        process.wait()


@pytest.fixture(scope="session")
def installation(request, tmp_path_factory):
    """Give a function that makes an empty installation over a kind of database; its server is not yet started."""
    with ExitStack() as stack:

        def made(kind: str) -> Installation:
            home = tmp_path_factory.mktemp("home")
            file = home / "gold.sqlite"
            database = str(file) if kind == "sqlite" else request.getfixturevalue("postgres")()
            return Installation(database, home, stack)

        yield made


@pytest.fixture(scope="session")
def shared(installation):
    """Give a function that gives the one running server over a kind of database that tests share, with an admin."""
    found = {}

    def running(kind: str) -> tuple[Installation, Client]:
        if kind not in found:
            made = installation(kind)
            made.start()
            found[kind] = made, *made.people(1, "admin")
        return found[kind]

    return running


@pytest.fixture(params=["sqlite", "postgresql"])
def kind(request) -> str:
    """Give each kind of database."""
    return request.param


@pytest.fixture(scope="session")
def importing():
    """Give the function that imports files into a project and returns the response."""
    return import_files


class Writer:
    """Somebody who saves one answer again and again, and remembers what was acknowledged."""

    def __init__(self, client: Client, answer: dict, content) -> None:
        self.client, self.answer, self.content = client, answer, content
        self.version = answer["version"]
        self.pending: dict | None = None
        self.acknowledged: list[tuple[int, int, str, str]] = []

    def save(self) -> httpx.Response:
        """Send the next save, or again the one that was not answered."""
        if self.pending is None:
            key = f"save-{next(NUMBERS):08d}"
            self.pending = {"version": self.version, "key": key, **self.content(self.answer, self.version)}
        response = self.client.put(f"/api/answers/{self.answer['id']}", json=self.pending)
        if response.status_code == 200:
            sent, self.pending, self.version = self.pending, None, response.json()["version"]
            self.acknowledged.append((self.answer["id"], self.version, sent["key"], digest(sent["body"])))
        return response


def digest(body) -> str:
    return hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()


@pytest.fixture(scope="session")
def writer():
    """Give the maker of writers: a client, the answer it opened, and a function of answer and version to a save."""
    return Writer


def faults(store, writers: list[Writer]) -> list[str]:
    """Return what is wrong in a database after *writers* saved: an acknowledged save that is not there, or a version,
    a body and a line of the log that do not fit each other."""
    found = [] if not store.is_sqlite else _damage(store)
    with store.reading() as session:
        rows = session.execute(select(Revision.answer_id, Revision.version, Revision.key, Revision.body)).all()
        current = dict(session.execute(select(Answer.id, Answer.version)).all())
        logged = session.execute(select(Entry.object_id, Entry.detail).where(Entry.action == "save")).all()
    kept = {(answer, version, key): digest(body) for answer, version, key, body in rows}
    for writer in writers:
        found += [f"lost: {ack[:3]}" for ack in writer.acknowledged if kept.get(ack[:3]) != ack[3]]
    versions, lines = defaultdict(list), Counter((answer, detail["version"]) for answer, detail in logged)
    for answer, version, *_ in rows:
        versions[answer].append(version)
    for answer, version in current.items():
        if sorted(versions[answer]) != list(range(version + 1)):
            found.append(f"answer {answer} at version {version} has the versions {sorted(versions[answer])}")
        wrong = [number for number in range(1, version + 1) if lines.pop((answer, number), 0) != 1]
        found += [f"answer {answer}: the log has not one line for {wrong}"] if wrong else []
    return found + [f"logged, and not there: {one}" for one in lines]


def _damage(store) -> list[str]:
    with store.reading() as session:
        said = session.execute(text("PRAGMA integrity_check")).scalars().all()
        broken = session.execute(text("PRAGMA foreign_key_check")).all()
    return [one for one in said if one != "ok"] + [str(row) for row in broken]


@pytest.fixture(scope="session")
def faults_in():
    """Give the function that looks for lost and torn saves."""
    return faults


@contextmanager
def at_work(*jobs):
    """Run each job in a thread of its own, with an event that tells it to stop; what fails in one fails the test."""
    stop, errors = threading.Event(), []

    def run(job):
        try:
            job(stop)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=(job,)) for job in jobs]
    for thread in threads:
        thread.start()
    try:
        yield stop
    finally:
        stop.set()
        for thread in threads:
            thread.join()
    if errors:
        raise errors[0]


@pytest.fixture(scope="session")
def working():
    """Give the context in which jobs run at once."""
    return at_work


def pair_lines(count: int) -> str:
    """Return sentence pairs as JSONL."""
    rows = ({"id": f"p{n}", "premise": f"Cat {n} sleeps.", "hypothesis": f"Dog {n} barks."} for n in range(count))
    return "".join(json.dumps(row) + "\n" for row in rows)


@pytest.fixture(scope="session")
def pairs():
    """Give a function from a number to as many sentence pairs."""
    return pair_lines


def form(answer: dict, version: int) -> dict:
    """Return a save of the three questions that differs from the one before, with a comment of changing length."""
    body = {"q1": True, "q2": bool(version % 2), "q3": version % 3 == 0}
    return {"body": body, "comment": f"{version} " * (version % 50 * 20), "seconds": 1.5, "change": f"no. {version}"}


@pytest.fixture(scope="session")
def fill_in():
    """Give the function that fills in the three questions."""
    return form
