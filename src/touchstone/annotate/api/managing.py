"""API routes for reviewers and managers: adjudication, import, assignment, progress, export."""

from functools import partial
from typing import Literal

from fastapi import Request, Response
from fastapi.responses import StreamingResponse
from pydantic import Field, JsonValue
from sqlalchemy.orm import Session

from touchstone.annotate import (
    adjudicating,
    audit,
    background,
    estimating,
    exporting,
    partner,
    projects,
    qualifying,
    reviewing,
    showing,
    staging,
)
from touchstone.annotate.access import Held, item_for, project_for, subject_of, visible_answers
from touchstone.annotate.accounts import Person
from touchstone.annotate.api.parts import Body, FileBody, Limit, Reply, TheStore, router
from touchstone.annotate.api.work import as_attachment, opened
from touchstone.annotate.assigning import assign, assign_review, withdraw
from touchstone.annotate.refusals import required
from touchstone.annotate.safety import Admin, Manager, Reviewer
from touchstone.annotate.showing import answer_object
from touchstone.annotate.tables import Assignment, Item, columns
from touchstone.annotate.tasks import TASKS
from touchstone.annotate.tasks.base import file_names

routes = router("managing")

Purpose = Literal["work", "qualification", "training"]


class ProjectBody(Body):
    """A new project."""

    name: str
    task: str
    settings: dict[str, JsonValue] = Field(default_factory=dict)


class ChangeBody(Body):
    """Changes of a project, and the version that they are based on."""

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
    """How to assign items to people."""

    accounts: list[int] | None = None
    per_item: int = Field(1, ge=1, le=1_000)
    overlap: float = Field(1.0, ge=0, le=1, allow_inf_nan=False)
    seed: int = 0
    kind: str | None = None
    disputed: int | None = Field(None, ge=1, le=1_000_000)


class ReviewBody(Body):
    """An answer to review, and the reviewer."""

    answer_id: int
    account_id: int


class RoleBody(Body):
    """The new role of a member."""

    role: str


class AdjudicateBody(Body):
    """The answer that an adjudication starts from, and the answer that it is compared with."""

    from_answer_id: int | None = None
    against_answer_id: int | None = None


@routes.get("/projects/{project_id}/items")
def items(
    project_id: int,
    person: Reviewer,
    store: TheStore,
    offset: int = 0,
    limit: Limit = 100,
    purpose: Purpose | None = None,
) -> Response:
    """Return items of a project with their progress."""
    with store.reading() as session:
        project = project_for(session, person, project_id)
        total, rows = showing.item_rows(session, person, project, offset=max(0, offset), limit=limit, purpose=purpose)
        if person.may("manager", project.id):
            showing.add_assignments(session, project, rows)
        return Reply({"total": total, "items": rows})


@routes.get("/items/{item_id}")
def item(item_id: int, person: Reviewer, store: TheStore) -> Response:
    """Return an item with the answers to it."""
    with store.reading() as session:
        return Reply(item_object(session, person, item_id))


def item_object(session: Session, person: Person, item_id: int) -> dict[str, JsonValue]:
    """Return an item with the answers to it that the person may see; only managers see where it comes from."""
    row, project = item_for(session, person, item_id)
    answers = [Held(answer, row, project) for answer in visible_answers(session, person, row)]
    visible: dict[str, JsonValue] = {
        **columns(row, "id", "project_id", "key", "kind", "purpose"),
        "title": showing.title(row),
        "view": TASKS[project.task].view(subject_of(session, row)),
        "answers": [answer_object(session, person, held) for held in answers],
    }
    return {**visible, "hidden": row.hidden, "known": row.known} if person.may("manager", project.id) else visible


@routes.post("/items/{item_id}/adjudication")
def adjudicate(item_id: int, body: AdjudicateBody, person: Reviewer, store: TheStore) -> Response:
    """Open the adjudicated answer to an item."""
    return opened(store, person, reviewing.open_adjudication, item_id, body.from_answer_id, body.against_answer_id)


@routes.get("/answers/{answer_id}/decisions")
def see_decisions(answer_id: int, person: Reviewer, store: TheStore) -> Response:
    """Return what the two answers of an adjudication agree on, and what is left to decide."""
    with store.reading() as session:
        return Reply(adjudicating.decisions(session, person, answer_id))


@routes.get("/projects/{project_id}/disagreements")
def see_disagreements(project_id: int, person: Reviewer, store: TheStore, figures: bool = False) -> Response:
    """Return the items on which people differ, most disagreement first; with *figures*, how far people agree."""
    with store.reading() as session:
        project = project_for(session, person, project_id)
        disagreements = adjudicating.disagreements(session, person, project)
        hidden = disagreements["blind"] and not person.may("manager", project.id)
        agreement = exporting.agreement(session, project) if figures and not hidden else {"figures": []}
        return Reply({**disagreements, "figures": agreement["figures"]})


@routes.post("/answers/{answer_id}/publish")
def publish(answer_id: int, person: Reviewer, store: TheStore) -> Response:
    """Attach a finished pyramid to the peers of its set."""
    with store.writing() as session:
        return Reply(reviewing.publish(session, person, answer_id))


@routes.post("/projects", status_code=201)
def create(body: ProjectBody, person: Admin, store: TheStore) -> Response:
    """Create a project, with the administrator as its manager."""
    with store.writing() as session:
        project = projects.create_project(session, person.actor, body.name, body.task, body.settings)
        return Reply(showing.project_object(session, person, project), 201)


@routes.patch("/projects/{project_id}")
def change(project_id: int, body: ChangeBody, person: Manager, store: TheStore) -> Response:
    """Change a project."""
    with store.writing() as session:
        project = project_for(session, person, project_id)
        projects.change_project(session, person.actor, project, **dict(body))
        return Reply(showing.project_object(session, person, project))


@routes.post("/projects/{project_id}/imports", status_code=201)
def import_files(project_id: int, body: ImportBody, person: Manager, store: TheStore) -> Response:
    """Import files: small ones at once, with notes on what is unusual in them; large ones in the background (202)."""
    with store.reading() as session:
        project = project_for(session, person, project_id)
    files = [file.upload() for file in body.files]
    arguments = (store, person.actor, project, files, body.purpose, body.start)
    if background.is_large(files):
        return Reply({"id": background.import_later(*arguments)}, 202)
    return Reply(background.import_now(*arguments), 201)


@routes.get("/projects/{project_id}/imports")
def see_imports(project_id: int, person: Manager, store: TheStore) -> Response:
    """Return the latest imports of a project, and how far they are."""
    with store.reading() as session:
        return Reply({"imports": list(staging.recent(session, project_for(session, person, project_id)))})


@routes.get("/projects/{project_id}/members")
def list_members(project_id: int, person: Manager, store: TheStore) -> Response:
    """Return the members of a project."""
    with store.reading() as session:
        return Reply({"members": showing.member_objects(session, project_for(session, person, project_id))})


@routes.patch("/projects/{project_id}/members/{account_id}", status_code=204)
def change_member(project_id: int, account_id: int, body: RoleBody, person: Manager, store: TheStore) -> None:
    """Change the role of a member."""
    with store.writing() as session:
        project = project_for(session, person, project_id)
        projects.change_member(session, person.actor, project, account_id, body.role)


@routes.delete("/projects/{project_id}/members/{account_id}", status_code=204)
def remove_member(project_id: int, account_id: int, person: Manager, store: TheStore) -> None:
    """Remove an account from a project."""
    with store.writing() as session:
        projects.remove_member(session, person.actor, project_for(session, person, project_id), account_id)


@routes.post("/projects/{project_id}/assignments")
def assign_items(project_id: int, body: AssignBody, person: Manager, store: TheStore) -> Response:
    """Assign items to people."""
    options = dict(body)
    number = options.pop("disputed")
    # The model of annotators takes time, in which others must be able to save.
    with store.reading() as session:
        labels = exporting.labels(session, project_for(session, person, project_id)) if number else {}
    only = set(estimating.most_disputed(labels, number)) if number else None
    with store.writing() as session:
        project = project_for(session, person, project_id)
        result = assign(session, person.actor, project, only=only, **options)
    by = [{"account_id": account, "name": name, "assigned": count} for account, name, count in result.by]
    return Reply({"made": result.made, "by": by})


@routes.post("/projects/{project_id}/reviews", status_code=201)
def ask_for_review(project_id: int, body: ReviewBody, person: Manager, store: TheStore) -> Response:
    """Assign the review of an answer."""
    with store.writing() as session:
        project = project_for(session, person, project_id)
        made = assign_review(session, person, project, body.answer_id, body.account_id)
    return Reply({"id": made}, 201)


@routes.delete("/assignments/{assignment_id}", status_code=204)
def take_back(assignment_id: int, person: Manager, store: TheStore) -> None:
    """Take an assignment back from a person who has saved nothing yet."""
    with store.writing() as session:
        assignment = required(session.get(Assignment, assignment_id), "assignment")
        project_id = session.get_one(Item, assignment.item_id).project_id
        withdraw(session, person.actor, assignment, project_for(session, person, project_id))


@routes.get("/projects/{project_id}/progress")
def see_progress(project_id: int, person: Manager, store: TheStore) -> Response:
    """Return the progress of a project."""
    with store.reading() as session:
        return Reply(showing.progress(session, project_for(session, person, project_id)))


@routes.get("/projects/{project_id}/agreement")
def see_agreement(project_id: int, person: Manager, store: TheStore) -> Response:
    """Return how far the annotators agree."""
    with store.reading() as session:
        return Reply(exporting.agreement(session, project_for(session, person, project_id), names=True))


@routes.get("/projects/{project_id}/annotators")
def see_annotators(project_id: int, person: Manager, store: TheStore) -> Response:
    """Return how far the others confirm each annotator, and the items whose label is not sure."""
    with store.reading() as session:
        project = project_for(session, person, project_id)
        labels = partial(exporting.labels, session, project)
        return Reply(exporting.remembered(session, project, "annotators", lambda: estimating.report(labels())))


@routes.get("/projects/{project_id}/partner")
def see_partner(project_id: int, person: Manager, store: TheStore) -> Response:
    """Return time, scores and agreement with and without the help of the machine partner."""
    with store.reading() as session:
        project = project_for(session, person, project_id)
        compared = partial(partner.comparison, session, project)
        return Reply(exporting.remembered(session, project, "partner", compared))


@routes.get("/projects/{project_id}/export")
def export(project_id: int, person: Manager, store: TheStore, request: Request, names: bool = False) -> Response:
    """Return the export of a project as a zip archive, with the names of annotators or their pseudonyms."""
    with store.reading() as session:
        project = project_for(session, person, project_id)
        exporting.check_items(session, project)
    name = file_names([project.name])[project.name]
    archive = request.app.state.archiver.archive(project.id, names=names)
    return StreamingResponse(archive, media_type="application/zip", headers=as_attachment(f"{name}.zip"))


@routes.post("/projects/{project_id}/qualifications/{account_id}/reset", status_code=204)
def reset(project_id: int, account_id: int, person: Manager, store: TheStore) -> None:
    """Let an account take the test again."""
    with store.writing() as session:
        qualifying.reset(session, person.actor, project_for(session, person, project_id), account_id)


@routes.get("/projects/{project_id}/audit")
def log(project_id: int, person: Manager, store: TheStore, before: int | None = None, limit: Limit = 100) -> Response:
    """Return the latest lines of a project's log."""
    with store.reading() as session:
        project = project_for(session, person, project_id)
        return Reply({"entries": audit.entries(session, project_id=project.id, before=before, limit=limit)})
