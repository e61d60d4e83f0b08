"""Accounts come by invitation, passwords are hashed, sessions end when they should, guessing is slowed down."""

import threading
import time
from datetime import datetime, timedelta

import pytest
from sqlalchemy import select, text, update
from tests.annotate.conftest import SECRET

from touchstone.annotate import sessions
from touchstone.annotate.accounts import password_fits
from touchstone.annotate.refusals import Refusal
from touchstone.annotate.sessions import PER_ADDRESS, PER_EMAIL, PER_PAIR, Origin, log_in
from touchstone.annotate.settings import database_url
from touchstone.annotate.tables import Account, Attempt, Invitation, LogIn, Reset

NEW = "a new long password"


def invited(site, project=None, **body):
    where = "/api/invitations" if project is None else f"/api/projects/{project}/invitations"
    response = site.admin.post(where, json={"email": "new@example.org", **body})
    assert response.status_code == 201, response.text
    return response.json()


def token_of(invitation):
    return invitation["url"].rpartition("/")[2]


def test_the_first_account_needs_the_setup_token_of_the_server_and_is_made_once(empty_database, start_server):
    own = start_server(empty_database, setup="the-word")
    nobody = own.nobody()
    person = {"email": "Root@Example.org", "name": "Root", "password": NEW}
    for wrong in ("", "The-Word", "the-wor"):
        assert nobody.post("/api/setup", json={**person, "token": wrong}).status_code == 403
    assert "needs the setup token" in nobody.get("/login").text
    made = nobody.post("/api/setup", json={**person, "token": "the-word"})
    assert (made.status_code, made.json()["admin"], made.json()["email"]) == (201, True, "root@example.org")
    assert nobody.get("/api/me").json()["name"] == "Root"
    again = own.nobody().post("/api/setup", json={**person, "email": "x@y.z", "token": "the-word"})
    assert (again.status_code, again.json()["error"]["code"]) == (409, "taken")
    assert own.nobody().get("/setup").headers["location"] == "/login"


def test_a_server_without_a_setup_token_makes_no_first_account(empty_database, start_server):
    own = start_server(empty_database)
    person = {"email": "a@b.c", "name": "A", "password": NEW, "token": ""}
    assert own.nobody().post("/api/setup", json=person).status_code == 403


def test_an_invitation_makes_one_account_with_its_role_in_the_project(site):
    email = f"New.{id(site)}@Example.org"
    project, name = site.project("nli")
    made = invited(site, project, email=email, role="reviewer")
    nobody = site.nobody()
    assert nobody.get(f"/api/invitations/{token_of(made)}").json()["role"] == "reviewer"
    assert all(word in nobody.get(f"/invitation/{token_of(made)}").text for word in ("reviewer", name))
    joined = nobody.post(f"/api/invitations/{token_of(made)}", json={"name": "New", "password": NEW})
    assert (joined.status_code, joined.json()["admin"], joined.json()["email"]) == (201, False, email.casefold())
    assert nobody.get("/api/me").json()["email"] == email.casefold()
    assert [(one["id"], one["role"]) for one in nobody.get("/api/projects").json()["projects"]] == [
        (project, "reviewer")
    ]
    second = site.nobody().post(f"/api/invitations/{token_of(made)}", json={"name": "New", "password": NEW})
    assert second.status_code == 404


def test_an_invitation_of_an_administrator_makes_one(site):
    made = invited(site, email=f"root{id(site)}@example.org", admin=True)
    nobody = site.nobody()
    assert "administrator" in nobody.get(f"/invitation/{token_of(made)}").text
    nobody.post(f"/api/invitations/{token_of(made)}", json={"name": "New", "password": NEW})
    assert nobody.get("/api/accounts").status_code == 200


def test_an_invitation_used_twice_at_once_makes_one_account(site):
    made = invited(site, email=f"twice{id(site)}@example.org")
    barrier, statuses = threading.Barrier(2), []

    def accept(client):
        barrier.wait()
        body = {"name": "New", "password": NEW}
        statuses.append(client.post(f"/api/invitations/{token_of(made)}", json=body).status_code)

    threads = [threading.Thread(target=accept, args=(site.nobody(),)) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(statuses) == [201, 404]


def test_an_invitation_that_ran_out_or_was_taken_back_makes_none(site):
    late = invited(site, email=f"late{id(site)}@example.org")
    with site.store.writing() as session:
        session.execute(update(Invitation).where(Invitation.id == late["id"]).values(expires_at="2001-01-01T00:00:00Z"))
    back = invited(site, email=f"back{id(site)}@example.org")
    assert site.admin.delete(f"/api/invitations/{back['id']}").status_code == 204
    older = invited(site, email=f"older{id(site)}@example.org")
    invited(site, email=f"older{id(site)}@example.org")
    for one in (late, back, older):
        assert site.nobody().get(f"/api/invitations/{token_of(one)}").status_code == 404


def test_a_manager_invites_into_the_own_project_alone_and_makes_no_administrator(site):
    project, name = site.project("nli")
    other, _ = site.project("nli")
    manager = site.person("manager", name)
    for role, status in (("annotator", 201), ("reviewer", 201), ("manager", 201), ("admin", 422), ("boss", 422)):
        body = {"email": f"{role}.{manager.id}@example.org", "role": role}
        assert manager.post(f"/api/projects/{project}/invitations", json=body).status_code == status
    body = {"email": f"x{manager.id}@example.org", "role": "annotator"}
    assert manager.post(f"/api/projects/{other}/invitations", json=body).status_code == 404
    assert manager.post("/api/invitations", json={"email": f"x{manager.id}@example.org"}).status_code == 403


def test_a_manager_sees_the_people_and_the_invitations_of_the_project_alone(site):
    project, name = site.project("nli")
    other, other_name = site.project("nli")
    manager, member, stranger = site.person("manager", name), site.person("reviewer", name), site.person("x", None)
    site.person("annotator", other_name)
    ours = invited(site, project, email=f"ours{manager.id}@example.org", role="annotator")
    theirs = invited(site, other, email=f"theirs{manager.id}@example.org", role="annotator")
    of_admin = invited(site, email=f"of-admin{manager.id}@example.org", admin=True)
    people = manager.get(f"/api/projects/{project}/members").json()["members"]
    assert {one["id"] for one in people} == {manager.id, member.id, site.admin.id}
    open_ones = manager.get(f"/api/projects/{project}/invitations").json()["invitations"]
    assert [one["id"] for one in open_ones] == [ours["id"]]
    assert [manager.get(path).status_code for path in ("/api/accounts", "/api/invitations", "/users")] == [403] * 3
    for one in (theirs, of_admin):
        assert manager.delete(f"/api/invitations/{one['id']}").status_code == 404
        assert site.nobody().get(f"/api/invitations/{token_of(one)}").status_code == 200
    assert member.delete(f"/api/invitations/{ours['id']}").status_code == 403
    assert manager.delete(f"/api/invitations/{ours['id']}").status_code == 204
    assert manager.patch(f"/api/projects/{project}/members/{stranger.id}", json={"role": "reviewer"}).status_code == 404


def test_a_manager_leaves_the_invitation_of_an_administrator_alone_even_to_the_same_address(site):
    project, name = site.project("nli")
    manager, email = site.person("manager", name), f"both{id(site)}@example.org"
    of_admin = invited(site, email=email, admin=True)
    assert manager.post(f"/api/projects/{project}/invitations", json={"email": email, "role": "annotator"}).is_success
    assert site.nobody().get(f"/api/invitations/{token_of(of_admin)}").json()["admin"] is True
    with site.store.writing() as session:  # as a database of an earlier version may have it
        session.execute(update(Invitation).where(Invitation.id == of_admin["id"]).values(project_id=project))
    assert manager.delete(f"/api/invitations/{of_admin['id']}").status_code == 404
    open_ones = manager.get(f"/api/projects/{project}/invitations").json()["invitations"]
    assert of_admin["id"] not in [one["id"] for one in open_ones]


def test_somebody_who_has_an_account_joins_a_project_when_they_accept(site):
    project, name = site.project("nli")
    manager, person, stranger = site.person("manager", name), site.person(name="Ann"), site.person()
    path = f"/api/projects/{project}/invitations"
    made = manager.post(path, json={"email": f" {person.email.upper()}", "role": "reviewer"})
    assert (made.status_code, made.json()["email"]) == (201, person.email)
    assert person.get("/api/projects").json()["projects"] == [], "not before it is accepted"
    token = token_of(made.json())
    assert person.get(f"/api/invitations/{token}").json()["has_account"] is True
    accepting = f"/api/invitations/{token}/membership"
    for other, status in ((site.nobody(), 401), (stranger, 403), (manager, 403)):
        assert other.post(accepting).status_code == status
    taken = manager.post(f"/api/invitations/{token}", json={"name": "Ann", "password": NEW})
    assert taken.status_code == 409, "the manager cannot become that account"
    assert "Join the project" in person.get(f"/invitation/{token}").text
    for other in (site.nobody(), stranger):
        shown = other.get(f"/invitation/{token}").text
        assert "already an account" in shown
        assert "<form" not in shown
    assert person.post(accepting).json()["id"] == project
    assert person.get(f"/api/projects/{project}").json()["role"] == "reviewer"
    assert person.post(accepting).status_code == 404, "a link works once"
    latest = manager.get(f"/api/projects/{project}/audit").json()["entries"][0]
    assert (latest["action"], latest["actor"]) == ("add member", "Ann")
    again = manager.post(path, json={"email": person.email, "role": "annotator"})
    assert (again.status_code, again.json()["error"]["hint"]) == (409, "change the role in the list of members")
    gone = site.person()
    site.admin.patch(f"/api/accounts/{gone.id}", json={"disabled": True})
    refused = manager.post(path, json={"email": gone.email, "role": "annotator"})
    assert (refused.status_code, refused.json()["error"]["hint"]) == (403, "an administrator can enable it")


def test_a_claimed_address_gets_into_no_project_of_another_manager(site, password):
    theirs, theirs_name = site.project("nli")
    ours, ours_name = site.project("nli")
    claimer, manager = site.person("manager", theirs_name), site.person("manager", ours_name)
    email = f"victim{id(site)}@example.org"
    body = {"email": email, "role": "annotator"}
    own = claimer.post(f"/api/projects/{theirs}/invitations", json=body).json()
    false_victim = site.nobody()
    assert false_victim.post(f"/api/invitations/{token_of(own)}", json={"name": "V", "password": NEW}).is_success
    made = manager.post(f"/api/projects/{ours}/invitations", json=body)
    assert made.status_code == 201
    assert [one["id"] for one in false_victim.get("/api/projects").json()["projects"]] == [theirs]
    assert false_victim.get(f"/api/projects/{ours}").status_code == 404
    assert false_victim.get("/").text.count(ours_name) == 0
    # The link reached the owner of the address, who finds it taken; an administrator gives it back.
    victim = site.nobody()
    assert "claimed your address" in victim.get(f"/invitation/{token_of(made.json())}").text
    account = next(one for one in site.admin.get("/api/accounts").json()["accounts"] if one["email"] == email)
    reset = site.admin.post(f"/api/accounts/{account['id']}/reset").json()
    assert victim.post(f"/api/resets/{token_of(reset)}", json={"password": "a better password"}).is_success
    assert false_victim.get("/api/me").status_code == 401
    assert victim.post(f"/api/invitations/{token_of(made.json())}/membership").status_code == 200
    assert victim.get(f"/api/projects/{ours}").status_code == 200


def test_an_invitation_accepted_twice_at_once_makes_one_member(site):
    project, _ = site.project("nli")
    person = site.person()
    made = invited(site, project, email=person.email, role="annotator")
    barrier, statuses = threading.Barrier(2), []

    def accept():
        barrier.wait()
        statuses.append(person.post(f"/api/invitations/{token_of(made)}/membership").status_code)

    threads = [threading.Thread(target=accept) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(statuses) == [200, 404]


def test_the_last_manager_of_a_project_stays(site):
    project, name = site.project("nli")
    manager, other = site.person("manager", name), site.person("annotator", name)
    members = f"/api/projects/{project}/members"
    assert site.admin.delete(f"{members}/{site.admin.id}").status_code == 204, "there is another manager"
    own = f"{members}/{manager.id}"
    for refused in (
        manager.patch(own, json={"role": "annotator"}),
        manager.delete(own),
        site.admin.patch(own, json={"role": "reviewer"}),
    ):
        assert (refused.status_code, refused.json()["error"]["code"]) == (403, "forbidden")
        assert "last manager" in refused.json()["error"]["message"]
    assert manager.patch(own, json={"role": "manager"}).status_code == 204
    assert manager.patch(f"{members}/{other.id}", json={"role": "manager"}).status_code == 204
    assert site.admin.patch(f"/api/accounts/{other.id}", json={"disabled": True}).status_code == 200
    assert manager.patch(own, json={"role": "annotator"}).status_code == 403, "the other one cannot log in"
    assert site.admin.patch(f"/api/accounts/{other.id}", json={"disabled": False}).status_code == 200
    assert manager.patch(own, json={"role": "annotator"}).status_code == 204


def test_two_managers_who_leave_at_once_leave_one(site):
    project, name = site.project("nli")
    people = [site.person("manager", name) for _ in range(2)]
    assert site.admin.delete(f"/api/projects/{project}/members/{site.admin.id}").status_code == 204
    barrier, statuses = threading.Barrier(2), []

    def leave(person):
        barrier.wait()
        statuses.append(person.delete(f"/api/projects/{project}/members/{person.id}").status_code)

    threads = [threading.Thread(target=leave, args=(person,)) for person in people]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(statuses) == [204, 403]


@pytest.mark.parametrize("look", ["ann\u0435", "\uff41nn", "ann\u200b", "\u212aim", "änn"])
def test_an_address_that_looks_like_another_one_is_refused(sqlite_site, look):
    project, _ = sqlite_site.project("nli")
    for path, body in (("/api/invitations", {}), (f"/api/projects/{project}/invitations", {"role": "annotator"})):
        refused = sqlite_site.admin.post(path, json={"email": f"{look}@example.org", **body})
        assert (refused.status_code, refused.json()["error"]["code"]) == (422, "invalid"), path
        assert "ASCII" in refused.json()["error"]["message"]
    domain = sqlite_site.admin.post("/api/invitations", json={"email": f"x{id(look)}@{look}.org"})
    assert domain.status_code == 422


def test_an_account_with_other_letters_of_an_earlier_version_logs_in_and_can_be_added(sqlite_site, password):
    project, _ = sqlite_site.project("nli")
    person = sqlite_site.person()
    with sqlite_site.store.writing() as session:
        session.get_one(Account, person.id).email = person.email = "jörg@example.org"
    login = {"email": "Jörg@example.org", "password": password}
    assert sqlite_site.nobody().post("/api/session", json=login).status_code == 200
    sqlite_site.joined(project, person, "annotator")


@pytest.mark.parametrize("name", ["\u200b", "\u3164 \u2060", "\ufeff", "\x7f\x9f"])
def test_a_name_that_nobody_sees_is_refused(sqlite_site, name):
    made = invited(sqlite_site, email=f"seen{id(name)}@example.org")
    body = {"name": name, "password": NEW}
    assert sqlite_site.nobody().post(f"/api/invitations/{token_of(made)}", json=body).status_code == 422
    assert sqlite_site.admin.post("/api/projects", json={"name": name, "task": "nli"}).status_code == 422


def test_a_manager_changes_the_role_of_a_member_at_once_and_only_there(site):
    project, name = site.project("nli")
    _, other = site.project("nli")
    manager, person = site.person("manager", name), site.person("annotator", name)
    joined = site.person("manager", other)
    assert person.get(f"/api/projects/{project}/items").status_code == 403
    path = f"/api/projects/{project}/members/{person.id}"
    assert manager.patch(path, json={"role": "reviewer"}).status_code == 204
    assert person.get(f"/api/projects/{project}/items").status_code == 200
    assert manager.patch(path, json={"role": "admin"}).status_code == 422
    assert manager.patch(f"/api/projects/{project}/members/{joined.id}", json={"role": "annotator"}).status_code == 404
    assert person.patch(f"/api/projects/{project}/members/{person.id}", json={"admin": False}).status_code == 403


def test_only_administrators_create_projects_and_become_their_managers(site):
    project, name = site.project("nli")
    manager = site.person("manager", name)
    assert manager.post("/api/projects", json={"name": "mine", "task": "nli"}).status_code == 403
    people = site.admin.get(f"/api/projects/{project}/members").json()["members"]
    assert {one["id"]: one["role"] for one in people} == {site.admin.id: "manager", manager.id: "manager"}


def test_a_role_in_one_project_is_none_in_another(site, pairs):
    first, first_name = site.project("nli", {"p.jsonl": pairs})
    second, second_name = site.project("nli", {"p.jsonl": pairs})
    person, ann = site.person("reviewer", first_name), site.person("annotator", second_name)
    site.joined(second, person, "annotator")
    site.assigned(second, ann)
    answer = ann.next(second)
    assert person.get(f"/api/projects/{first}/items").status_code == 200
    assert person.get(f"/api/projects/{second}/items").status_code == 403
    assert person.get(f"/api/items/{answer['item_id']}").status_code == 403
    assert person.get(f"/api/answers/{answer['id']}").status_code == 404
    item = person.get(f"/api/projects/{first}/items").json()["items"][0]["id"]
    taken = person.post(f"/api/items/{item}/adjudication", json={"from_answer_id": answer["id"]})
    assert taken.status_code == 404


@pytest.mark.parametrize("password", ["short", "x" * 201])
def test_a_password_too_short_or_too_long_is_refused(site, password):
    made = invited(site, email=f"pw{len(password)}{id(site)}@example.org")
    response = site.nobody().post(f"/api/invitations/{token_of(made)}", json={"name": "N", "password": password})
    assert response.status_code == 422


def test_neither_passwords_nor_tokens_are_in_the_database(site, password):
    person = site.person()
    client = site.nobody()
    client.post("/api/session", json={"email": person.email, "password": password})
    made = invited(site, email=f"secret{id(site)}@example.org")
    with site.store.reading() as session:
        account = session.get(Account, person.id)
        hashes = [*session.scalars(select(LogIn.token_hash)), *session.scalars(select(Invitation.token_hash))]
    assert account.password_hash.startswith("$argon2id$")
    assert not {client.cookies["touchstone_session"], token_of(made)} & set(hashes)


def test_logging_in_needs_the_right_password_whatever_the_case_of_the_address(site, password):
    person = site.person()
    for email, given, status in (
        (person.email, "wrong password", 401),
        ("nobody@example.org", password, 401),
        (f" {person.email.upper()} ", password, 200),
    ):
        response = site.nobody().post("/api/session", json={"email": email, "password": given})
        assert response.status_code == status
    said = {
        site.nobody().post("/api/session", json={"email": email, "password": "wrong password"}).text
        for email in (person.email, "nobody@example.org")
    }
    assert len(said) == 1, "an address that has no account must not be told apart"


def test_the_cookie_is_for_this_site_and_not_for_scripts(site, password):
    person = site.person()
    response = site.nobody().post("/api/session", json={"email": person.email, "password": password})
    cookie = response.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=lax" in cookie
    assert "path=/" in cookie


def test_behind_a_proxy_that_speaks_https_the_cookie_is_for_https_alone(start_server, tmp_path, password):
    site = start_server(database_url(str(tmp_path / "site.sqlite")), behind_proxy=True)
    person = site.person()
    secure = site.url.replace("http:", "https:")
    headers = {"X-Forwarded-Proto": "https", "Origin": secure}
    response = site.nobody().post("/api/session", json={"email": person.email, "password": password}, headers=headers)
    assert response.status_code == 200
    assert "secure" in response.headers["set-cookie"].lower()


def test_whoever_guesses_has_to_wait_and_so_do_many_guesses_at_once(site, password):
    person = site.person()
    barrier, statuses = threading.Barrier(12), []

    def guess(client):
        barrier.wait()
        body = {"email": person.email, "password": "wrong password"}
        statuses.append(client.post("/api/session", json=body).status_code)

    threads = [threading.Thread(target=guess, args=(site.nobody(),)) for _ in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with site.store.writing() as session:
        session.execute(update(Attempt).values(at="2001-01-01T00:00:00.000Z"))
    assert (statuses.count(401), statuses.count(429)) == (PER_PAIR, 12 - PER_PAIR)


def test_even_the_right_password_waits_after_too_many_wrong_ones_and_is_told_how_long(site, password):
    person = site.person()
    body = {"email": person.email, "password": "wrong password"}
    for _ in range(PER_PAIR):
        assert site.nobody().post("/api/session", json=body).status_code == 401
    late = site.nobody().post("/api/session", json={**body, "password": password})
    assert (late.status_code, late.headers["retry-after"]) == (429, "900")
    with site.store.writing() as session:
        session.execute(update(Attempt).values(at="2001-01-01T00:00:00.000Z"))
    assert site.nobody().post("/api/session", json={**body, "password": password}).status_code == 200


def test_a_session_can_be_ended_from_another_one(site, password):
    person = site.person()
    other = site.nobody()
    other.post("/api/session", json={"email": person.email, "password": password})
    rows = person.get("/api/me/sessions").json()["sessions"]
    assert (len(rows), sum(row["current"] for row in rows)) == (2, 1)
    theirs = next(row["id"] for row in rows if not row["current"])
    stranger = site.person()
    assert stranger.delete(f"/api/me/sessions/{theirs}").status_code == 404
    assert person.delete(f"/api/me/sessions/{theirs}").status_code == 204
    assert (other.get("/api/me").status_code, person.get("/api/me").status_code) == (401, 200)


def test_a_new_password_ends_all_other_sessions(site, password):
    person = site.person()
    other = site.nobody()
    other.post("/api/session", json={"email": person.email, "password": password})
    assert person.post("/api/me/password", json={"current": "not this one", "new": NEW}).status_code == 401
    assert person.post("/api/me/password", json={"current": password, "new": NEW}).status_code == 204
    assert (other.get("/api/me").status_code, person.get("/api/me").status_code) == (401, 200)
    assert site.nobody().post("/api/session", json={"email": person.email, "password": NEW}).status_code == 200


def reset_link(site, person):
    made = site.admin.post(f"/api/accounts/{person.id}/reset")
    assert made.status_code == 201, made.text
    return token_of(made.json())


def test_a_reset_link_sets_a_new_password_once_and_ends_all_sessions(site, password):
    person = site.person(name="Ann Lee")
    token = reset_link(site, person)
    shown = site.nobody().get(f"/reset/{token}").text
    assert "Ann Lee" in shown
    assert person.email in shown
    client = site.nobody()
    assert client.post(f"/api/resets/{token}", json={"password": "short"}).status_code == 422
    assert person.get("/api/me").status_code == 200, "a refused password changes nothing"
    assert client.post(f"/api/resets/{token}", json={"password": NEW}).status_code == 200
    assert (person.get("/api/me").status_code, client.get("/api/me").json()["id"]) == (401, person.id)
    logins = [{"email": person.email, "password": one} for one in (password, NEW)]
    assert [site.nobody().post("/api/session", json=one).status_code for one in logins] == [401, 200]
    assert site.nobody().post(f"/api/resets/{token}", json={"password": NEW + "2"}).status_code == 404
    assert site.nobody().get(f"/reset/{token}").status_code == 404
    lines = site.admin.get("/api/audit?limit=20").json()["entries"]
    about = [(row["action"], row["actor"]) for row in lines if row["object_id"] == person.id]
    assert about[:2] == [("reset password", "Ann Lee"), ("make reset link", site.admin.name)]


def test_a_reset_link_used_twice_at_once_sets_one_password(site):
    token, barrier, statuses = reset_link(site, site.person()), threading.Barrier(2), []

    def use(client):
        barrier.wait()
        statuses.append(client.post(f"/api/resets/{token}", json={"password": NEW}).status_code)

    threads = [threading.Thread(target=use, args=(site.nobody(),)) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(statuses) == [200, 404]


def test_a_reset_link_that_was_replaced_ran_out_or_is_of_a_disabled_account_does_nothing(site):
    people = [site.person() for _ in range(3)]
    tokens = [reset_link(site, person) for person in people]
    newer = reset_link(site, people[0])
    with site.store.writing() as session:
        late = update(Reset).where(Reset.account_id == people[1].id)
        session.execute(late.values(expires_at="2001-01-01T00:00:00.000Z"))
    site.admin.patch(f"/api/accounts/{people[2].id}", json={"disabled": True})
    for token in tokens:
        assert site.nobody().post(f"/api/resets/{token}", json={"password": NEW}).status_code == 404
    assert site.admin.post(f"/api/accounts/{people[2].id}/reset").status_code == 403
    assert site.nobody().get(f"/reset/{newer}").status_code == 200


def test_a_reset_link_is_made_by_administrators_and_stored_as_a_hash(site):
    _, name = site.project("nli")
    manager, person = site.person("manager", name), site.person("annotator", name)
    assert manager.post(f"/api/accounts/{person.id}/reset").status_code == 403
    token = reset_link(site, person)
    with site.store.reading() as session:
        row = session.scalar(select(Reset).where(Reset.account_id == person.id))
        lasts = datetime.fromisoformat(row.expires_at) - datetime.fromisoformat(row.created_at)
    assert token not in row.token_hash
    assert timedelta(hours=23, minutes=59) < lasts < timedelta(hours=24, minutes=1)


def test_inviting_again_replaces_the_link_and_leaves_the_invitations_of_other_projects(site):
    project, _ = site.project("nli")
    other, _ = site.project("nli")
    email = f"lost{project}.{id(site)}@example.org"
    lost, elsewhere = (
        invited(site, project, email=email, role="annotator"),
        invited(site, other, email=email, role="reviewer"),
    )
    again = invited(site, project, email=email, role="manager")
    statuses = [site.nobody().get(f"/api/invitations/{token_of(one)}").status_code for one in (lost, elsewhere, again)]
    assert statuses == [404, 200, 200]
    open_ones = site.admin.get(f"/api/projects/{project}/invitations").json()["invitations"]
    assert [(one["id"], one["role"]) for one in open_ones] == [(again["id"], "manager")]


def test_inviting_somebody_who_has_an_account_says_the_way_out(site):
    person = site.person()
    refused = site.admin.post("/api/invitations", json={"email": person.email})
    hint = "add it to a project, or make it an administrator in the list of accounts"
    assert (refused.status_code, refused.json()["error"]["hint"]) == (409, hint)


def test_an_invitation_to_somebody_who_has_an_account_by_now_is_accepted_with_it(site):
    project, _ = site.project("nli")
    other, _ = site.project("nli")
    email = f"two{project}.{id(site)}@example.org"
    first, second = (
        invited(site, project, email=email, role="annotator"),
        invited(site, other, email=email, role="reviewer"),
    )
    taken, person = {"name": "Two", "password": NEW}, site.nobody()
    assert person.post(f"/api/invitations/{token_of(first)}", json=taken).status_code == 201
    late = site.nobody().post(f"/api/invitations/{token_of(second)}", json=taken)
    hint = "log in, and open the link of the invitation again"
    assert (late.status_code, late.json()["error"]["hint"]) == (409, hint)
    assert person.post(f"/api/invitations/{token_of(second)}/membership").status_code == 200
    assert person.get(f"/api/projects/{other}").json()["role"] == "reviewer"
    assert site.admin.get(f"/api/projects/{other}/invitations").json()["invitations"] == []


def test_a_session_runs_out(site):
    person = site.person()
    with site.store.writing() as session:
        session.execute(
            update(LogIn).where(LogIn.account_id == person.id).values(expires_at="2001-01-01T00:00:00.000Z")
        )
    assert person.get("/api/me").status_code == 401


def test_a_disabled_account_is_out_at_once_and_can_be_let_in_again(site, password):
    person = site.person("reviewer")
    assert site.admin.patch(f"/api/accounts/{person.id}", json={"disabled": True}).json()["disabled"] is True
    assert person.get("/api/me").status_code == 401
    body = {"email": person.email, "password": password}
    assert site.nobody().post("/api/session", json=body).status_code == 401
    site.admin.patch(f"/api/accounts/{person.id}", json={"disabled": False})
    assert site.nobody().post("/api/session", json=body).status_code == 200
    assert person.get("/api/me").status_code == 401, "an ended session stays ended"


def test_the_last_admin_stays(empty_database, start_server):
    own = start_server(empty_database)
    only = own.person("admin")
    for change in ({"admin": False}, {"disabled": True}):
        assert only.patch(f"/api/accounts/{only.id}", json=change).status_code == 403
    second = own.person("admin")
    assert second.patch(f"/api/accounts/{only.id}", json={"admin": False}).status_code == 200


def test_two_admins_who_lower_each_other_at_once_leave_one(empty_database, start_server):
    own = start_server(empty_database)
    first, second = own.person("admin"), own.person("admin")
    barrier, statuses = threading.Barrier(2), []

    def lower(who, whom):
        barrier.wait()
        statuses.append(who.patch(f"/api/accounts/{whom.id}", json={"admin": False}).status_code)

    threads = [threading.Thread(target=lower, args=pair) for pair in ((first, second), (second, first))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(statuses) == [200, 403]


def test_passwords_are_hashed_as_slowly_as_is_recommended(real_hasher):
    # OWASP's cheat sheet on password storage: Argon2id with at least 19 MiB and two passes.
    assert real_hasher.memory_cost >= 19 * 1024
    assert real_hasher.time_cost >= 2


def test_a_password_of_nobody_never_fits():
    assert password_fits(None, "anything at all") is False


def test_tries_to_log_in_hold_no_address_in_the_clear(site):
    site.nobody().post("/api/session", json={"email": "typed-my-password-here", "password": "x"})
    with site.store.reading() as session:
        rows = session.execute(text("SELECT address_hash, email_hash FROM login_attempts")).all()
    assert rows
    assert all("typed" not in str(row) and "127.0.0.1" not in str(row) for row in rows)


def forget_attempts(site):
    with site.store.writing() as session:
        session.execute(update(Attempt).values(at="2001-01-01T00:00:00.000Z"))


def test_wrong_tries_of_others_do_not_lock_the_owner_out(sqlite_site, password):
    owner, settings = sqlite_site.person("annotator"), sqlite_site.running.settings
    right = {"email": owner.email, "password": password}
    assert sqlite_site.nobody().post("/api/session", json=right).status_code == 200
    for n in range(PER_EMAIL):
        with pytest.raises(Refusal) as caught:
            log_in(sqlite_site.store, settings.secret, owner.email, "wrong", Origin(f"203.0.113.{n}", "their browser"))
        assert caught.value.kind == "wrong_login"
    with pytest.raises(Refusal) as caught:
        log_in(sqlite_site.store, settings.secret, owner.email, password, Origin("203.0.113.99", "an unknown place"))
    assert caught.value.kind == "too_many"
    assert sqlite_site.nobody().post("/api/session", json=right).status_code == 200
    forget_attempts(sqlite_site)


def guessed(site, origin, times):
    """Try a wrong password on as many accounts that there are not."""
    for n in range(times):
        with pytest.raises(Refusal) as caught:
            log_in(site.store, SECRET, f"guess{n}@example.org", "Spring2026!", origin)
        assert caught.value.kind == "wrong_login"


def test_a_class_behind_one_address_is_not_locked_out_by_the_mistakes_of_some(sqlite_site, password, monkeypatch):
    monkeypatch.setattr(sessions, "SLOW_S", 0.01)
    school, person = Origin("203.0.113.7", "a browser"), sqlite_site.person("annotator")
    guessed(sqlite_site, school, PER_ADDRESS + 5)
    account, _ = log_in(sqlite_site.store, SECRET, person.email, password, school)
    assert account.id == person.id
    forget_attempts(sqlite_site)


def test_guesses_on_many_accounts_from_one_address_become_slow(sqlite_site, password, monkeypatch):
    monkeypatch.setattr(sessions, "SLOW_S", 2)
    attacker, elsewhere = Origin("203.0.113.8", "a script"), Origin("203.0.113.9", "a browser")
    regular, person = sqlite_site.person("annotator"), sqlite_site.person("annotator")
    log_in(sqlite_site.store, SECRET, regular.email, password, attacker)
    guessed(sqlite_site, attacker, PER_ADDRESS)
    barrier, outcomes = threading.Barrier(12), []

    def guess(n):
        barrier.wait()
        began = time.monotonic()
        with pytest.raises(Refusal) as refused:
            log_in(sqlite_site.store, SECRET, f"more{n}@example.org", "Spring2026!", attacker)
        outcomes.append((refused.value.status, refused.value.retry_after, time.monotonic() - began >= 2))

    threads = [threading.Thread(target=guess, args=(n,)) for n in range(12)]
    for thread in threads:
        thread.start()
    began = time.monotonic()
    for origin, one in ((elsewhere, person), (attacker, regular)):
        assert log_in(sqlite_site.store, SECRET, one.email, password, origin)[0].id == one.id
    for thread in threads:
        thread.join()
    forget_attempts(sqlite_site)
    checked = [one for one in outcomes if one[0] == 401]
    assert all(slow for _, _, slow in checked)
    assert (429, 2, False) in outcomes
    assert len(checked) <= 3 * (1 + (time.monotonic() - began) // 2)


def test_nobody_escapes_the_limit_by_naming_another_address(sqlite_site):
    body = {"email": sqlite_site.person("annotator").email, "password": "wrong"}
    clients = [sqlite_site.nobody(**{"X-Forwarded-For": f"203.0.113.{n}"}) for n in range(PER_PAIR + 2)]
    statuses = [client.post("/api/session", json=body).status_code for client in clients]
    forget_attempts(sqlite_site)
    assert statuses == [401] * PER_PAIR + [429] * 2
