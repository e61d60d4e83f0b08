"""Every route, with every method, asked by everybody: what the router declares is what happens.

The routes come from the router, so that a new one cannot be forgotten; the expected outcomes come from the role that it
declares.
"""

import itertools
import re

import pytest
from fastapi.routing import APIRoute
from sqlalchemy import update
from starlette.routing import Mount

from touchstone.annotate.accounts import InvitedRole, invite
from touchstone.annotate.app import create_app
from touchstone.annotate.audit import COMMAND_LINE
from touchstone.annotate.resetting import make_reset
from touchstone.annotate.safety import COOKIE, SAFE_METHODS, roles_of_routes
from touchstone.annotate.sessions import Origin, start_session
from touchstone.annotate.tables import ROLES, Account, Assignment, LogIn, Qualification, SystemRun, now

METHODS = ("GET", "OPTIONS", "POST", "PUT", "PATCH", "DELETE", "TRACE")
PUBLIC = {
    ("GET", "/api/health"),
    ("POST", "/api/setup"),
    ("POST", "/api/session"),
    ("GET", "/api/invitations/{token}"),
    ("POST", "/api/invitations/{token}"),
    ("POST", "/api/resets/{token}"),
    ("GET", "/login"),
    ("GET", "/setup"),
    ("GET", "/invitation/{token}"),
    ("GET", "/reset/{token}"),
}
NUMBERS = itertools.count(1)


class World:
    """A project with something of everything in it, and the people who ask."""

    def __init__(self, site, pairs):
        self.site, self.asking = site, site.nobody()
        self.project, name = site.project("nli", {"p.jsonl": pairs})
        self.elsewhere, elsewhere = site.project("nli", {"p.jsonl": pairs})
        annotator = site.person("annotator", name)
        site.assigned(self.project, annotator)
        self.answer = annotator.next(self.project)
        self.people = {
            "nobody": None,
            "an annotator of another project": site.person("annotator", elsewhere),
            "a manager of another project": site.person("manager", elsewhere),
            "an annotator": annotator,
            "a reviewer": site.person("reviewer", name),
            "a manager": site.person("manager", name),
            "an administrator": site.person("admin"),
            "a disabled account": site.person("manager", name),
            "an expired session": site.person("manager", name),
        }
        with site.store.writing() as session:
            disabled = update(Account).where(Account.id == self.people["a disabled account"].id)
            session.execute(disabled.values(disabled_at=now()))

    def client(self, who):
        """Give a principal with a new session."""
        self.asking.cookies.clear()
        if self.people[who] is not None:
            self.asking.cookies.set(COOKIE, self.new_session(self.people[who])[1])
        return self.asking

    def new_session(self, person):
        with self.site.store.writing() as session:
            account = session.get(Account, person.id)
            token = start_session(session, self.site.running.settings.secret, account, Origin("test", "test"))
            newest = session.query(LogIn).filter_by(account_id=person.id).order_by(LogIn.id.desc()).first()
            if person is self.people["an expired session"]:
                newest.expires_at = "2001-01-01T00:00:00.000Z"
            return newest.id, token

    def filled(self, path, who):
        """Give a path with the ids of objects that are there, made anew where a request may remove them."""
        for name in re.findall(r"{(\w+)}", path):
            fill = getattr(self, f"fill_{name}", None)
            if fill is None:
                pytest.fail(f"the walk cannot fill {{{name}}} of {path}: give World a method fill_{name}")
            path = path.replace(f"{{{name}}}", str(fill(path, who)))
        return path

    def fill_project_id(self, path, who):
        return self.project

    def fill_item_id(self, path, who):
        return self.answer["item_id"]

    def fill_answer_id(self, path, who):
        return self.answer["id"]

    def fill_version(self, path, who):
        return 0

    def fill_session_id(self, path, who):
        return self.new_session(self.people[who])[0] if self.people[who] else 1

    def member(self):
        with self.site.store.writing() as session:
            number = next(NUMBERS)
            account = Account(email=f"member{number}@walk.example", name=f"Member {number}", password_hash="")
            session.add(account)
            session.flush()
            session.execute(
                Account.metadata.tables["members"].insert(),
                {"project_id": self.project, "account_id": account.id, "role": "annotator"},
            )
            session.add(Qualification(project_id=self.project, account_id=account.id, passed=False))
            return account.id

    def fill_account_id(self, path, who):
        return self.member()

    def fill_assignment_id(self, path, who):
        member = self.member()
        with self.site.store.writing() as session:
            assignment = Assignment(item_id=self.answer["item_id"], account_id=member)
            session.add(assignment)
            session.flush()
            return assignment.id

    def invitation(self, email=None, project=None):
        secret, email = self.site.running.settings.secret, email or f"invited{next(NUMBERS)}@walk.example"
        with self.site.store.writing() as session:
            return invite(session, COMMAND_LINE, secret, email, InvitedRole(project or self.project, "annotator"))

    def fill_invitation_id(self, path, who):
        return self.invitation()[0].id

    def fill_run_id(self, path, who):
        with self.site.store.writing() as session:
            file = {"file_name": "a.jsonl", "size": 0, "digest": "", "content": b""}
            whose = {"project_id": self.project, "account_id": self.people["an administrator"].id}
            run = SystemRun(name=f"run {next(NUMBERS)}", **whose, **file)
            session.add(run)
            session.flush()
            return run.id

    def fill_token(self, path, who):
        if "/membership" in path:
            return self.invitation(self.people[who] and self.people[who].email, self.elsewhere)[1]
        if "/reset" not in path:
            return self.invitation()[1]
        member = self.member()
        with self.site.store.writing() as session:
            return make_reset(session, COMMAND_LINE, self.site.running.settings.secret, member)[2]


@pytest.fixture
def world(sqlite_site, pairs):
    return World(sqlite_site, pairs)


@pytest.fixture
def app(sqlite_site):
    return create_app(sqlite_site.running.settings, sqlite_site.store)


OUTSIDE = ("nobody", "a disabled account", "an expired session")
ELSEWHERE = ("an annotator of another project", "a manager of another project")


def expected(role, who):
    """Give what happens to a principal on a route that declares a role."""
    if role in (None, "operator"):  # the tests run on the machine of the server
        return "passed"
    if who in OUTSIDE:
        return "log in"
    if role == "account" or who == "an administrator":
        return "passed"
    if role == "admin":
        return "not your role"
    if who in ELSEWHERE:
        return "not there"
    own = who.split()[-1]
    return "passed" if ROLES.index(own) >= ROLES.index(role) else "not your role"


def outcome(response):
    """Give what happened: a refusal for lack of the role, or anything that the route itself says."""
    said = response.text.lower()
    if response.status_code == 401 and "not_logged_in" in said:
        return "log in"
    if response.status_code == 303 and response.headers["location"].startswith("/login?next="):
        return "log in"
    if response.status_code == 403 and "this needs " in said:
        return "not your role"
    hidden = re.search(r"there is no such (project|item|answer|assignment|invitation)\b", said)
    return "not there" if response.status_code == 404 and hidden else "passed"


def test_every_route_does_for_everybody_what_its_role_says(app, world):
    for (method, path), role in roles_of_routes(app).items():
        for who in world.people:
            client = world.client(who)
            response = client.request(method, world.filled(path, who), json=None if method == "GET" else {})
            said = (method, path, who, response.status_code, response.text[:300])
            assert response.status_code < 500, said
            assert outcome(response) == expected(role, who), said


def test_no_route_answers_to_a_method_that_it_does_not_declare(app, world):
    declared = {(method, shape(path)) for method, path in roles_of_routes(app)}
    paths = {path: world.filled(path, "nobody") for _, path in roles_of_routes(app)}
    for who in world.people:
        client = world.client(who)
        for path, method in itertools.product(paths, METHODS):
            if (method, shape(path)) not in declared:
                response = client.request(method, paths[path])
                assert response.status_code == 405, (method, path, who, response.text[:200])


def test_head_is_answered_like_get_without_the_body(app, world):
    routes = roles_of_routes(app)
    paths = {path for method, path in routes if method == "GET"}
    for path in [*sorted({path for _, path in routes}), "/static/base.css"]:
        for who in ("nobody", "an administrator"):
            client, where = world.client(who), world.filled(path, who)
            head, got = client.head(where), client.get(where)
            assert (head.content, head.headers.get("content-type")) == (b"", got.headers.get("content-type")), path
            assert head.status_code == got.status_code, (path, who)
            assert head.status_code != 405 or path not in paths


def shape(path):
    """Give a path without the names of its parameters: two routes may call the same part differently."""
    return re.sub(r"{\w+}", "{}", path)


def test_what_anybody_may_ask_is_listed_and_nothing_else(app):
    assert {asked for asked, role in roles_of_routes(app).items() if role is None} == PUBLIC
    assert [route.path for route in app.routes if not isinstance(route, APIRoute)] == ["/static"]
    assert isinstance(app.routes[-1], Mount)


def test_no_route_changes_anything_for_another_site(app, world):
    for method, path in roles_of_routes(app):
        if method in SAFE_METHODS:
            continue
        client = world.client("an administrator")
        client.headers.pop("Origin", None)
        for headers in ({}, {"Origin": "https://elsewhere.example"}, {"Sec-Fetch-Site": "same-site"}):
            response = client.request(method, world.filled(path, "an administrator"), json={}, headers=headers)
            assert (response.status_code, response.json()["error"]["code"]) == (403, "cross_origin"), (method, path)


def test_a_route_with_a_parameter_that_the_walk_does_not_know_fails_it_with_a_sentence(world):
    with pytest.raises(pytest.fail.Exception, match=r"cannot fill {planet_id} of /api/planets/{planet_id}: give World"):
        world.filled("/api/planets/{planet_id}", "nobody")
