"""Every route says who may use it (`test_walk` asks as everybody, and sees that it is so)."""

import pytest
from fastapi import APIRouter

from touchstone.annotate.app import create_app
from touchstone.annotate.safety import StrictRoute, roles_of_routes
from touchstone.annotate.tables import ROLES

A, R, M = ROLES
P, L, X = None, "account", "admin"

ROUTES = {
    ("GET", "/api/health"): P,
    ("GET", "/api/metrics"): "operator",
    ("POST", "/api/setup"): P,
    ("POST", "/api/session"): P,
    ("GET", "/api/invitations/{token}"): P,
    ("POST", "/api/invitations/{token}"): P,
    ("POST", "/api/invitations/{token}/membership"): L,
    ("POST", "/api/resets/{token}"): P,
    ("GET", "/reset/{token}"): P,
    ("POST", "/api/accounts/{account_id}/reset"): X,
    ("DELETE", "/api/session"): L,
    ("GET", "/api/me"): L,
    ("POST", "/api/me/password"): L,
    ("GET", "/api/me/sessions"): L,
    ("DELETE", "/api/me/sessions/{session_id}"): L,
    ("GET", "/api/projects"): L,
    ("GET", "/api/projects/{project_id}"): A,
    ("GET", "/api/projects/{project_id}/work"): A,
    ("POST", "/api/projects/{project_id}/next"): A,
    ("GET", "/api/projects/{project_id}/qualification"): A,
    ("POST", "/api/items/{item_id}/answer"): A,
    ("GET", "/api/answers/{answer_id}"): A,
    ("PUT", "/api/answers/{answer_id}"): A,
    ("GET", "/api/answers/{answer_id}/revisions"): A,
    ("GET", "/api/answers/{answer_id}/revisions/{version}"): A,
    ("POST", "/api/answers/{answer_id}/check"): A,
    ("POST", "/api/answers/{answer_id}/proposals"): A,
    ("GET", "/api/projects/{project_id}/annotators"): M,
    ("GET", "/api/projects/{project_id}/partner"): M,
    ("POST", "/api/answers/{answer_id}/read"): A,
    ("GET", "/api/answers/{answer_id}/file"): A,
    ("GET", "/api/answers/{answer_id}/changes"): A,
    ("POST", "/api/answers/{answer_id}/rebase"): A,
    ("GET", "/api/answers/{answer_id}/feedback"): A,
    ("POST", "/api/answers/{answer_id}/review"): A,
    ("GET", "/api/answers/{answer_id}/reviews"): A,
    ("GET", "/api/openapi.json"): L,
    ("GET", "/api/projects/{project_id}/items"): R,
    ("GET", "/api/items/{item_id}"): R,
    ("POST", "/api/items/{item_id}/adjudication"): R,
    ("GET", "/api/answers/{answer_id}/decisions"): R,
    ("GET", "/api/projects/{project_id}/disagreements"): R,
    ("POST", "/api/answers/{answer_id}/publish"): R,
    ("GET", "/api/projects/{project_id}/scores"): R,
    ("POST", "/api/projects/{project_id}/runs"): R,
    ("DELETE", "/api/projects/{project_id}/runs/{run_id}"): M,
    ("POST", "/api/projects"): X,
    ("PATCH", "/api/projects/{project_id}"): M,
    ("POST", "/api/projects/{project_id}/imports"): M,
    ("GET", "/api/projects/{project_id}/imports"): M,
    ("GET", "/api/projects/{project_id}/members"): M,
    ("PATCH", "/api/projects/{project_id}/members/{account_id}"): M,
    ("DELETE", "/api/projects/{project_id}/members/{account_id}"): M,
    ("POST", "/api/projects/{project_id}/assignments"): M,
    ("POST", "/api/projects/{project_id}/reviews"): M,
    ("DELETE", "/api/assignments/{assignment_id}"): M,
    ("GET", "/api/projects/{project_id}/progress"): M,
    ("GET", "/api/projects/{project_id}/agreement"): M,
    ("GET", "/api/projects/{project_id}/export"): M,
    ("POST", "/api/projects/{project_id}/qualifications/{account_id}/reset"): M,
    ("GET", "/api/projects/{project_id}/audit"): M,
    ("GET", "/api/projects/{project_id}/invitations"): M,
    ("POST", "/api/projects/{project_id}/invitations"): M,
    ("GET", "/api/accounts"): X,
    ("POST", "/api/invitations"): X,
    ("GET", "/api/invitations"): X,
    ("DELETE", "/api/invitations/{invitation_id}"): M,
    ("PATCH", "/api/accounts/{account_id}"): X,
    ("GET", "/api/audit"): X,
    ("GET", "/login"): P,
    ("GET", "/setup"): P,
    ("GET", "/invitation/{token}"): P,
    ("GET", "/"): L,
    ("GET", "/account"): L,
    ("GET", "/projects/{project_id}"): A,
    ("GET", "/projects/{project_id}/work"): A,
    ("GET", "/projects/{project_id}/guidelines"): A,
    ("GET", "/projects/{project_id}/mine"): A,
    ("GET", "/answers/{answer_id}"): A,
    ("GET", "/answers/{answer_id}/feedback"): A,
    ("GET", "/items/{item_id}/adjudicate"): R,
    ("GET", "/projects/{project_id}/report"): R,
    ("GET", "/projects/new"): X,
    ("GET", "/users"): X,
    ("GET", "/audit"): X,
}


def test_every_route_is_listed_here_with_its_role(sqlite_site):
    assert roles_of_routes(create_app(sqlite_site.running.settings, sqlite_site.store)) == ROUTES


def test_a_route_that_declares_no_role_keeps_the_application_from_starting(sqlite_site, monkeypatch):
    from touchstone.annotate.api import work

    stray = APIRouter(route_class=StrictRoute)
    stray.add_api_route("/api/stray", lambda: None)
    monkeypatch.setattr(work.routes, "routes", [*work.routes.routes, *stray.routes])
    with pytest.raises(RuntimeError, match="/api/stray must declare exactly one role"):
        create_app(sqlite_site.running.settings, sqlite_site.store)


def test_a_route_whose_path_names_no_project_cannot_ask_for_a_role_in_one(sqlite_site, monkeypatch):
    from touchstone.annotate.api import work
    from touchstone.annotate.safety import Reviewer

    def stray(person: Reviewer) -> None:
        pass

    lost = APIRouter(route_class=StrictRoute)
    lost.add_api_route("/api/stray", stray)
    monkeypatch.setattr(work.routes, "routes", [*work.routes.routes, *lost.routes])
    with pytest.raises(RuntimeError, match="/api/stray needs a role in a project; its path must name one object"):
        create_app(sqlite_site.running.settings, sqlite_site.store)


def test_somebody_who_logged_out_is_nobody(site):
    person = site.person("admin")
    assert person.delete("/api/session").status_code == 204
    assert person.get("/api/me").status_code == 401
