"""The pages, rendered with the data that their JavaScript modules need; the templates escape all text."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from fastapi import APIRouter, Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse
from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape
from sqlalchemy.orm import Session
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

from touchstone.annotate import accounts, resetting, reviewing, scoreboard, sessions, showing
from touchstone.annotate.access import Held, answer_for, project_for, visible_projects
from touchstone.annotate.accounts import Person, account_object
from touchstone.annotate.api.managing import item_object
from touchstone.annotate.api.parts import TheSettings, TheStore
from touchstone.annotate.api.scores import scored_project
from touchstone.annotate.api.work import feedback_object, next_answer, work_object
from touchstone.annotate.database import Store
from touchstone.annotate.refusals import Refusal
from touchstone.annotate.safety import Admin, Annotator, LoggedIn, Public, Reviewer, asking
from touchstone.annotate.tables import Answer, Project
from touchstone.annotate.tasks import TASKS
from touchstone.io.jsonl import Json

routes = APIRouter(include_in_schema=False, default_response_class=HTMLResponse)

_ENVIRONMENT = Environment(
    loader=PackageLoader("touchstone.annotate"),
    autoescape=select_autoescape(default=True),
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
_ENVIRONMENT.globals["static"] = lambda name: f"/static/{name}"
_ENVIRONMENT.policies["json.dumps_kwargs"] = {"ensure_ascii": False, "separators": (",", ":")}


REPORT_HEADERS = {
    "Content-Security-Policy": "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "Cross-Origin-Opener-Policy": "unsafe-none",
}
"""A report is drawn from uploaded files: its styles and drawings are shown, but nothing in it can run or act as the
person who looks at it. Browsers do not show a sandboxed page with an opener policy."""


class PackageFiles(StaticFiles):
    """Files of the package, which browsers revalidate on each use."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        """Return a file."""
        response = await super().get_response(path, scope)
        response.headers["Cache-Control"] = "no-cache"
        return response


def page(
    template: str, person: Person | None, data: Mapping[str, Json] | None = None, status: int = 200, **more: object
) -> Response:
    """Return a page.

    Parameters
    ----------
    template
        The name of the template.
    person
        Who is logged in, if anybody.
    data
        Data for the JavaScript module of the page.
    status
        The HTTP status.
    more
        Further variables of the template.
    """
    account = account_object(person) if person else None
    name = template.removesuffix(".html")
    variables = {"account": account, "page": name, "data": dict(data or {}), **more}
    return HTMLResponse(_ENVIRONMENT.get_template(template).render(variables), status)


def refused(request: Request, refusal: Refusal) -> Response:
    """Return the error page of a refusal, or redirect to the login page if nobody is logged in."""
    if refusal.status == 401:
        return RedirectResponse(f"/login?next={quote(request.url.path)}", 303)
    person = getattr(request.state, "person", None)  # only if the route has asked: an error page needs no database
    return page("error.html", person, status=refusal.status, message=refusal.message, hint=refusal.hint)


@routes.get("/login", dependencies=[Public])
def login(request: Request, store: TheStore) -> Response:
    """Show the login form."""
    with store.reading() as session:
        nobody = not accounts.has_accounts(session)
    return RedirectResponse("/", 303) if asking(request) else page("login.html", None, nobody=nobody)


@routes.get("/setup", dependencies=[Public])
def setup(store: TheStore) -> Response:
    """Show the form for the first account."""
    with store.reading() as session:
        taken = accounts.has_accounts(session)
    return RedirectResponse("/login", 303) if taken else page("setup.html", None)


@routes.get("/invitation/{token}", dependencies=[Public])
def invitation(request: Request, token: str, store: TheStore, settings: TheSettings) -> Response:
    """Show the form for an invited person, who creates an account or joins a project with the one that there is."""
    with store.reading() as session:
        row = accounts.invitation_of(session, settings.secret, token)
        project = session.get(Project, row.project_id) if row.project_id else None
        has_account = accounts.account_with(session, row.email) is not None
    into = project.name if project else None
    person = asking(request)
    return page("invitation.html", person, invitation=row, project=into, token=token, has_account=has_account)


@routes.get("/reset/{token}", dependencies=[Public])
def reset(token: str, store: TheStore, settings: TheSettings) -> Response:
    """Show the form for a new password."""
    with store.reading() as session:
        row = resetting.account_of(session, settings.secret, token)
    return page("reset.html", None, email=row.email, name=row.name, token=token)


@routes.get("/")
def home(person: LoggedIn, store: TheStore) -> Response:
    """Show the projects of the person."""
    with store.reading() as session:
        rows = visible_projects(session, person)
        projects: list[Json] = [showing.project_object(session, person, row) for row in rows]
    return page("home.html", person, {"projects": projects}, projects=projects)


@routes.get("/account")
def account(person: LoggedIn, store: TheStore) -> Response:
    """Show the account of the person."""
    with store.reading() as session:
        rows = sessions.open_sessions(session, person)
    return page("account.html", person, {"sessions": list(rows)}, sessions=rows)


@routes.get("/projects/new")
def new_project(person: Admin) -> Response:
    """Show the form for a new project."""
    return page("project_new.html", person, {"tasks": list(TASKS)}, tasks=list(TASKS))


@routes.get("/projects/{project_id}")
def project(project_id: int, person: Annotator, store: TheStore) -> Response:
    """Show a project to reviewers and managers; redirect others to their work."""
    project_data = _project(store, person, project_id)
    if not person.may("reviewer", project_id):
        return RedirectResponse(f"/projects/{project_id}/work", 303)
    return page(
        "project.html", person, {"project": project_data, "account": account_object(person)}, project=project_data
    )


def _project(store: Store, person: Person, project_id: int) -> dict[str, Json]:
    with store.reading() as session:
        return showing.project_object(session, person, project_for(session, person, project_id))


@routes.get("/projects/{project_id}/report")
def report(project_id: int, person: Reviewer, store: TheStore) -> Response:
    """Show the report of the latest scores."""
    with store.reading() as session:
        scores = scoreboard.standing(session, scored_project(session, person, project_id)).scores
        if scores is None or scores.report is None:
            raise Refusal(409, "no_report", "nothing has been scored yet", hint="see the page Scores of the project")
        return HTMLResponse(scores.report, headers=REPORT_HEADERS)


@routes.get("/projects/{project_id}/work")
def work(project_id: int, person: Annotator, store: TheStore) -> Response:
    """Redirect to the next item to annotate, or show that there is none."""
    answer = next_answer(store, person, project_id)
    if answer is not None:
        return RedirectResponse(f"/answers/{answer.id}", 303)
    data = _work_data(store, person, project_id)
    project_data, work = data["project"], data["work"]
    unsure = sum(row["unsure"] for row in work["items"])
    return page(
        "qualification.html", person, data, project=project_data, qualification=work["qualification"], unsure=unsure
    )


def _work_data(store: Store, person: Person, project_id: int) -> dict[str, Any]:
    with store.reading() as session:
        work = work_object(session, person, project_id)
        return {
            "project": showing.project_object(session, person, project_for(session, person, project_id)),
            "work": work,
        }


@routes.get("/projects/{project_id}/mine")
def mine(project_id: int, person: Annotator, store: TheStore) -> Response:
    """Show the person's own items in a project."""
    data = _work_data(store, person, project_id)
    return page("mine.html", person, data, project=data["project"])


@routes.get("/projects/{project_id}/guidelines")
def guidelines(project_id: int, person: Annotator, store: TheStore) -> Response:
    """Show the guidelines of a project."""
    project_data = _project(store, person, project_id)
    return page("guidelines.html", person, {"project": project_data}, project=project_data)


@routes.get("/answers/{answer_id}")
def answer(answer_id: int, person: Annotator, store: TheStore) -> Response:
    """Show an answer for editing or reading."""
    with store.reading() as session:
        held = answer_for(session, person, answer_id)
        data = _answer_data(session, person, held)
    return page(f"work_{held.project.task}.html", person, data, project=data["project"], answer=data["answer"])


def _answer_data(session: Session, person: Person, held: Held) -> dict[str, Json]:
    reviewed = session.get(Answer, held.answer.about_id) if held.answer.about_id else None
    reviews = [] if reviewed else reviewing.reviews_of(session, person, held)

    def answer_data(answer: Answer) -> dict[str, Json]:
        return showing.answer_object(session, person, Held(answer, held.item, held.project))

    return {
        "answer": answer_data(held.answer),
        "project": showing.project_object(session, person, held.project),
        "work": work_object(session, person, held.project.id),
        "account": account_object(person),
        "reviewed": None if reviewed is None else answer_data(reviewed),
        "reviews": [answer_data(review.answer) for review in reviews],
    }


@routes.get("/answers/{answer_id}/feedback")
def feedback(answer_id: int, person: Annotator, store: TheStore) -> Response:
    """Show the prepared answer beside the person's own."""
    with store.reading() as session:
        held = answer_for(session, person, answer_id)
        data = {**_answer_data(session, person, held), **feedback_object(session, held)}
    return page("feedback.html", person, data, project=data["project"], answer=data["answer"])


@routes.get("/items/{item_id}/adjudicate")
def adjudicate(item_id: int, person: Reviewer, store: TheStore) -> Response:
    """Show the answers of several people, and the adjudicated answer."""
    with store.reading() as session:
        item = item_object(session, person, item_id)
        owner = project_for(session, person, int(str(item["project_id"])))
        project = showing.project_object(session, person, owner)
    data = {**item, "project": project, "account": account_object(person)}
    return page("adjudicate.html", person, data, project=project, item=item)


@routes.get("/users")
def users(person: Admin) -> Response:
    """Show accounts and invitations."""
    return page("users.html", person, {"account": account_object(person)})


@routes.get("/audit")
def audit(person: Admin) -> Response:
    """Show the log."""
    return page("audit.html", person)
