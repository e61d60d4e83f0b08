"""The first account, invitations, sessions and limits, on a server as it is started by hand."""

import re

import pytest

from touchstone.annotate.safety import COOKIE, POLICY
from touchstone.annotate.sessions import PER_PAIR

PASSWORD = "correct horse battery"


@pytest.fixture(scope="module")
def fresh(installation):
    """Give a server in which there is no account yet."""
    site = installation("sqlite")
    site.start()
    return site


@pytest.fixture(scope="module")
def admin(fresh):
    """Give whoever made the first account, with the word that the server printed."""
    client = fresh.nobody()
    word = re.search(r"/setup\?token=(\S+)", fresh.log)[1]
    account = {"email": "Root@Example.org", "name": "Root", "password": PASSWORD}
    assert client.post("/api/setup", json={**account, "token": "guessed"}).status_code in (401, 403, 404)
    made = client.post("/api/setup", json={**account, "token": word})
    assert made.status_code == 201, made.text
    flags = made.headers["set-cookie"].lower()
    assert "httponly" in flags
    assert "samesite=lax" in flags
    assert "path=/" in flags
    assert client.post("/api/setup", json={**account, "token": word}).status_code == 409
    return client


def invited(site, admin, email, project=None, role="annotator"):
    """Bring somebody in the way that people come in: by an invitation and its address."""
    into = f"/api/projects/{project}/invitations" if project else "/api/invitations"
    made = admin.post(into, json={"email": email, **({"role": role} if project else {})})
    assert made.status_code == 201, made.text
    token = made.json()["url"].rpartition("/")[2]
    client = site.nobody()
    assert client.get(f"/invitation/{token}").status_code == 200
    path = f"/api/invitations/{token}"
    joined = client.post(path, json={"name": email, "password": PASSWORD})
    assert joined.status_code == 201, joined.text
    assert client.post(path, json={"name": email, "password": PASSWORD}).status_code == 404, "it is good for once"
    client.id = joined.json()["id"]
    return client


def test_a_server_without_accounts_does_not_listen_to_others(installation):
    site = installation("sqlite")
    done = site.command("serve", "--host", "0.0.0.0", "--name", "a.example", "--port", site.port, "--no-browser")
    assert (done.returncode, "no accounts yet" in done.stderr) == (2, True), done.stderr


def test_what_an_installation_keeps_is_for_its_owner_alone(fresh, admin):
    for path in (fresh.secret, fresh.home / "gold.sqlite"):
        assert path.stat().st_mode & 0o777 == 0o600, path
    assert fresh.secret.parent.stat().st_mode & 0o777 == 0o700
    assert fresh.secret.read_bytes() not in (fresh.home / "gold.sqlite").read_bytes()


def test_a_session_that_was_revoked_ends_at_once(fresh, admin):
    ann = invited(fresh, admin, "ann@example.org")
    other = fresh.nobody()
    login = {"email": "ann@example.org", "password": PASSWORD}
    assert other.post("/api/session", json=login).status_code == 200
    sessions = ann.get("/api/me/sessions").json()["sessions"]
    theirs = next(one["id"] for one in sessions if not one["current"])
    assert ann.delete(f"/api/me/sessions/{theirs}").status_code == 204
    assert other.get("/api/me").status_code == 401
    token = ann.cookies[COOKIE]
    assert ann.delete("/api/session").status_code == 204
    assert fresh.nobody(Cookie=f"{COOKIE}={token}").get("/api/me").status_code == 401
    assert ann.post("/api/session", json=login).status_code == 200
    assert admin.patch(f"/api/accounts/{ann.id}", json={"disabled": True}).status_code == 200
    assert ann.get("/api/me").status_code == 401
    assert fresh.nobody().post("/api/session", json=login).status_code == 401


def test_what_belongs_to_others_is_as_if_it_were_not_there(fresh, admin, pairs):
    project = fresh.project(admin, "nli", {"p.jsonl": pairs(2)})
    ben, cy = (invited(fresh, admin, f"{name}@example.org", project=project) for name in ("ben", "cy"))
    other = fresh.project(admin, "nli", {"p.jsonl": pairs(2)})
    manager = invited(fresh, admin, "manager@example.org", other, "manager")
    fresh.assign(admin, project, [ben])
    answer = ben.next(project)
    save = {"version": 0, "key": "not-mine", "body": answer["body"]}
    for person in (cy, manager):
        path = f"/api/answers/{answer['id']}"
        tries = [person.get(path), person.put(path, json=save), person.get(f"{path}/revisions")]
        tries += [person.get(f"{path}/revisions/0"), person.get(f"/answers/{answer['id']}")]
        tries += [person.post(f"/api/items/{answer['item_id']}/answer")]
        assert [one.status_code for one in tries] == [404] * len(tries)
    assert [manager.get(f"/api/projects/{project}{end}").status_code for end in ("", "/items", "/export")] == [404] * 3
    assert manager.get(f"/projects/{project}").status_code == 404
    session = ben.get("/api/me/sessions").json()["sessions"][0]["id"]
    assert cy.delete(f"/api/me/sessions/{session}").status_code == 404
    assert cy.get(f"/api/projects/{project}/items").status_code == 403


def test_a_request_without_an_origin_changes_nothing(fresh, admin):
    token = admin.cookies[COOKIE]
    plain = fresh.nobody(Cookie=f"{COOKIE}={token}")
    del plain.headers["Origin"]
    for method, path in (("POST", "/api/projects"), ("DELETE", "/api/session"), ("POST", "/api/invitations")):
        refused = plain.request(method, path, json={} if method == "POST" else None)
        assert (refused.status_code, refused.json()["error"]["code"]) == (403, "cross_origin")
    assert plain.get("/api/me").status_code == 200
    assert fresh.nobody(Host="elsewhere.example").get("/api/health").status_code == 403


def test_every_page_has_the_policy_and_is_not_kept(fresh, admin):
    paths = ("/", "/account", "/users", "/audit", "/projects/new", "/nowhere", "/api/me", "/static/client.js")
    for client, path in [*((admin, path) for path in paths), (fresh.nobody(), "/login"), (fresh.nobody(), "/api/me")]:
        response = client.get(path)
        assert response.headers["content-security-policy"] == POLICY, path
        assert response.headers["cache-control"] in ("no-store", "no-cache"), path
        assert "server" not in response.headers


def test_whoever_guesses_passwords_has_to_wait(fresh, admin):
    invited(fresh, admin, "dee@example.org")
    guess = {"email": "dee@example.org", "password": "wrong and wrong again"}
    client = fresh.nobody()
    tries = [client.post("/api/session", json=guess) for _ in range(PER_PAIR + 2)]
    assert [one.status_code for one in tries] == [401] * PER_PAIR + [429] * 2
    assert int(tries[-1].headers["retry-after"]) > 0
    right = client.post("/api/session", json={**guess, "password": PASSWORD})
    assert right.status_code == 429, "also with the right password"
    assert "traceback" not in fresh.log.lower()
