"""What reviewers and managers do: adjudicate, import, assign, watch, export."""

from dataclasses import asdict
from typing import Literal

from fastapi import Response
from pydantic import Field, JsonValue
from sqlalchemy.orm import Session

from touchstone.annotate import (
    audit,
    exporting,
    gathering,
    importing,
    progress,
    projects,
    qualifying,
    reviewing,
    showing,
)
from touchstone.annotate.access import Held, item_for, project_for, shown_answers, subject_of
from touchstone.annotate.accounts import Person
from touchstone.annotate.api.parts import Body, FileBody, Limit, Reply, TheStore, router
from touchstone.annotate.api.work import as_download, shown
from touchstone.annotate.assigning import assign, assign_review, withdraw
from touchstone.annotate.refusals import not_found
from touchstone.annotate.safety import Manager, Reviewer
from touchstone.annotate.showing import answer_object
from touchstone.annotate.tables import Assignment, Item
from touchstone.annotate.tasks import TASKS
from touchstone.annotate.tasks.common import file_names

routes = router("managing")

Purpose = Literal["work", "qualification", "training"]


class ProjectBody(Body):
    """A new project."""

    name: str
    task: str
    settings: dict[str, JsonValue] = Field(default_factory=dict)


class ChangeBody(Body):
    """What to change of a project, and the version that was looked at."""

    version: int
    name: str | None = None
    settings: dict[str, JsonValue] | None = None
    archived: bool | None = None


class ImportBody(Body):
    """Files to import."""

    files: list[FileBody] = Field(min_length=1, max_length=2_000)
    purpose: Purpose = "work"
    start: bool = False


class AssignBody(Body):
    """How to give items to people."""

    accounts: list[int] | None = None
    per_item: int = Field(1, ge=1, le=1_000)
    overlap: float = Field(1.0, ge=0, le=1, allow_inf_nan=False)
    seed: int = 0
    kind: str | None = None


class ReviewBody(Body):
    """Whom to ask to review what."""

    answer_id: int
    account_id: int


class AdjudicateBody(Body):
    """The answer that an adjudication begins with."""

    from_answer_id: int | None = None


@routes.get("/projects/{project_id}/items")
def items(
    project_id: int,
    person: Reviewer,
    store: TheStore,
    offset: int = 0,
    limit: Limit = 100,
    purpose: Purpose | None = None,
) -> Response:
    """Return items of a project, and how far each is."""
    with store.reading() as session:
        project = project_for(session, person, project_id)
        total, rows = showing.item_rows(session, project, offset=max(0, offset), limit=limit, purpose=purpose)
        return Reply({"total": total, "items": rows})


@routes.get("/items/{item_id}")
def item(item_id: int, person: Reviewer, store: TheStore) -> Response:
    """Return an item with the answers to it."""
    with store.reading() as session:
        return Reply(item_object(session, person, item_id))


def item_object(session: Session, person: Person, item_id: int) -> dict[str, JsonValue]:
    """Return an item with the answers to it that the person may see; where it comes from is the manager's to know."""
    found, project = item_for(session, person, item_id)
    answers = [Held(answer, found, project) for answer in shown_answers(session, person, found)]
    whole: dict[str, JsonValue] = {
        "id": found.id,
        "project_id": project.id,
        "key": found.key,
        "kind": found.kind,
        "title": showing.title(found),
        "purpose": found.purpose,
        "view": TASKS[project.task].view(subject_of(session, found)),
        "answers": [answer_object(session, person, held) for held in answers],
    }
    return {**whole, "hidden": found.hidden, "known": found.known} if person.may("manager") else whole


@routes.post("/items/{item_id}/adjudication")
def adjudicate(item_id: int, body: AdjudicateBody, person: Reviewer, store: TheStore) -> Response:
    """Open the adjudicated answer to an item."""
    with store.writing() as session:
        answer, made = reviewing.open_adjudication(session, person, item_id, body.from_answer_id)
    with store.reading() as session:
        return shown(session, person, answer, made)


@routes.post("/answers/{answer_id}/publish")
def publish(answer_id: int, person: Reviewer, store: TheStore) -> Response:
    """Make a pyramid the one that the peers of its set are read against."""
    with store.writing() as session:
        return Reply(reviewing.publish(session, person, answer_id))


@routes.post("/projects", status_code=201)
def create(body: ProjectBody, person: Manager, store: TheStore) -> Response:
    """Make a project."""
    with store.writing() as session:
        made = projects.create_project(session, person.actor, body.name, body.task, body.settings)
        session.flush()
        return Reply(showing.project_object(session, person, made), 201)


@routes.patch("/projects/{project_id}")
def change(project_id: int, body: ChangeBody, person: Manager, store: TheStore) -> Response:
    """Change a project."""
    with store.writing() as session:
        project = project_for(session, person, project_id)
        projects.change_project(
            session,
            person.actor,
            project,
            body.version,
            name=body.name,
            settings=body.settings,
            archived=body.archived,
        )
        return Reply(showing.project_object(session, person, project))


@routes.post("/projects/{project_id}/imports", status_code=201)
def import_files(project_id: int, body: ImportBody, person: Manager, store: TheStore) -> Response:
    """Import files; what is odd in them is listed."""
    with store.reading() as session:
        project = project_for(session, person, project_id)
    found = importing.read_files(store, project, [file.upload() for file in body.files], body.purpose)
    with store.writing() as session:
        project = project_for(session, person, project_id)
        said = importing.add_items(session, person.actor, project, found, body.purpose, start=body.start)
    return Reply(asdict(said), 201)


@routes.get("/projects/{project_id}/members")
def list_members(project_id: int, person: Manager, store: TheStore) -> Response:
    """Return who belongs to a project."""
    with store.reading() as session:
        return Reply({"members": progress.member_objects(session, project_for(session, person, project_id))})


@routes.put("/projects/{project_id}/members/{account_id}", status_code=204)
def add_member(project_id: int, account_id: int, person: Manager, store: TheStore) -> Response:
    """Let an account take part."""
    with store.writing() as session:
        projects.add_member(session, person.actor, project_for(session, person, project_id), account_id)
    return Response(status_code=204)


@routes.delete("/projects/{project_id}/members/{account_id}", status_code=204)
def remove_member(project_id: int, account_id: int, person: Manager, store: TheStore) -> Response:
    """Take an account out."""
    with store.writing() as session:
        projects.remove_member(session, person.actor, project_for(session, person, project_id), account_id)
    return Response(status_code=204)


@routes.post("/projects/{project_id}/assignments")
def assign_items(project_id: int, body: AssignBody, person: Manager, store: TheStore) -> Response:
    """Give items to people."""
    with store.writing() as session:
        project = project_for(session, person, project_id)
        said = assign(session, person.actor, project, **dict(body))
    by = [{"account_id": one, "name": name, "assigned": items} for one, name, items in said.by]
    return Reply({"made": said.made, "by": by})


@routes.post("/projects/{project_id}/reviews", status_code=201)
def ask_for_review(project_id: int, body: ReviewBody, person: Manager, store: TheStore) -> Response:
    """Ask somebody to review an answer."""
    with store.writing() as session:
        project = project_for(session, person, project_id)
        made = assign_review(session, person, project, body.answer_id, body.account_id)
    return Reply({"id": made}, 201)


@routes.delete("/assignments/{assignment_id}", status_code=204)
def take_back(assignment_id: int, person: Manager, store: TheStore) -> Response:
    """Take back a duty that nobody has begun."""
    with store.writing() as session:
        found = session.get(Assignment, assignment_id)
        owner = session.get(Item, found.item_id) if found else None
        if found is None or owner is None:
            raise not_found("assignment")
        withdraw(session, person, found, project_for(session, person, owner.project_id))
    return Response(status_code=204)


@routes.get("/projects/{project_id}/progress")
def see_progress(project_id: int, person: Manager, store: TheStore) -> Response:
    """Return how far a project is."""
    with store.reading() as session:
        return Reply(progress.progress(session, project_for(session, person, project_id)))


@routes.get("/projects/{project_id}/agreement")
def see_agreement(project_id: int, person: Manager, store: TheStore) -> Response:
    """Return how far the annotators agree at this moment."""
    with store.reading() as session:
        return Reply(gathering.agreement(session, project_for(session, person, project_id)))


@routes.get("/projects/{project_id}/export")
def export(project_id: int, person: Manager, store: TheStore) -> Response:
    """Return a project as an archive of files."""
    with store.reading() as session:
        project = project_for(session, person, project_id)
        content = exporting.export_zip(session, project)
    name = file_names([project.name])[project.name]
    return as_download(content, f"{name}.zip", "application/zip")


@routes.post("/projects/{project_id}/qualifications/{account_id}/reset", status_code=204)
def reset(project_id: int, account_id: int, person: Manager, store: TheStore) -> Response:
    """Let somebody take the test again."""
    with store.writing() as session:
        qualifying.reset(session, person.actor, project_for(session, person, project_id), account_id)
    return Response(status_code=204)


@routes.get("/projects/{project_id}/audit")
def log(project_id: int, person: Manager, store: TheStore, before: int | None = None, limit: Limit = 100) -> Response:
    """Return the latest lines of a project's log."""
    with store.reading() as session:
        project = project_for(session, person, project_id)
        return Reply({"entries": audit.entries(session, project_id=project.id, before=before, limit=limit)})
