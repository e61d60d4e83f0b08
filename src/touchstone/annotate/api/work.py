"""API routes for annotators: their work, opening and saving answers, history."""

from collections.abc import Callable
from dataclasses import asdict
from typing import Literal
from urllib.parse import quote

from fastapi import Request, Response
from pydantic import JsonValue
from sqlalchemy.orm import Session

from touchstone.annotate import answers, partner, qualifying, reviewing, showing
from touchstone.annotate.access import Held, answer_for, contents, project_for, visible_projects
from touchstone.annotate.accounts import Person
from touchstone.annotate.answers import Key, Save, Seconds, Version
from touchstone.annotate.api.parts import Body, FileBody, Limit, Reply, TheStore, router
from touchstone.annotate.database import Store
from touchstone.annotate.naming import author_of
from touchstone.annotate.refusals import forbidden, required
from touchstone.annotate.safety import Annotator, LoggedIn
from touchstone.annotate.showing import answer_object
from touchstone.annotate.tables import Answer

routes = router("work")


class CheckBody(Body):
    """A body to check without saving it."""

    body: JsonValue
    done: bool = False


class ReadBody(FileBody):
    """A file that becomes the next version of an answer."""

    version: Version
    key: Key
    seconds: Seconds = 0.0


def opened(store: Store, person: Person, open_: Callable[..., tuple[Answer, bool]], *about: int | None) -> Reply:
    """Return the response with an answer that *open_* opens, with the status 201 if it is new.

    Parameters
    ----------
    store
        The database.
    person
        Who opens it.
    open_
        Returns the answer, and whether it is new.
    about
        What to open, after the session and the person.
    """
    with store.writing() as session:
        answer, made = open_(session, person, *about)
    return answer_reply(store, person, answer.id, 201 if made else 200)


def answer_reply(store: Store, person: Person, answer_id: int, status: int = 200) -> Reply:
    """Return the response with an answer that the person may see."""
    with store.reading() as session:
        return Reply(answer_object(session, person, answer_for(session, person, answer_id)), status)


@routes.get("/projects")
def projects(person: LoggedIn, store: TheStore) -> Response:
    """Return the projects that the person is a member of."""
    with store.reading() as session:
        rows = visible_projects(session, person)
        return Reply({"projects": [showing.project_object(session, person, row) for row in rows]})


@routes.get("/projects/{project_id}")
def project(project_id: int, person: Annotator, store: TheStore) -> Response:
    """Return a project."""
    with store.reading() as session:
        return Reply(showing.project_object(session, person, project_for(session, person, project_id)))


@routes.get("/projects/{project_id}/work")
def work(project_id: int, person: Annotator, store: TheStore) -> Response:
    """Return the assignments of the person."""
    with store.reading() as session:
        return Reply(work_object(session, person, project_id))


def work_object(session: Session, person: Person, project_id: int) -> dict[str, JsonValue]:
    """Return the person's assignments in a project, and their result in its test."""
    project = project_for(session, person, project_id)
    items = showing.work_list(session, person, project)
    return {"items": items, "qualification": qualifying.status(session, project, person.id)}


@routes.post("/projects/{project_id}/next")
def open_next(project_id: int, person: Annotator, store: TheStore) -> Response:
    """Open the next answer to work on; 204 if there is none."""
    answer = next_answer(store, person, project_id)
    return Response(status_code=204) if answer is None else answer_reply(store, person, answer.id)


def next_answer(store: Store, person: Person, project_id: int) -> Answer | None:
    """Open the next answer or review of the person in a project, and return it."""
    with store.reading() as session:
        duty = showing.next_duty(session, person, project_for(session, person, project_id))
    if duty is None:
        return None
    with store.writing() as session:
        if duty.about_id is not None:
            return reviewing.open_review(session, person, duty.about_id)[0]
        return answers.open_answer(session, person, duty.item_id)[0]


@routes.get("/projects/{project_id}/qualification")
def qualification(project_id: int, person: Annotator, store: TheStore) -> Response:
    """Return the person's result in the test of a project."""
    with store.reading() as session:
        return Reply(qualifying.status(session, project_for(session, person, project_id), person.id))


@routes.post("/items/{item_id}/answer")
def open_answer(item_id: int, person: Annotator, store: TheStore) -> Response:
    """Open the person's own answer to an item."""
    return opened(store, person, answers.open_answer, item_id)


@routes.get("/answers/{answer_id}")
def see_answer(answer_id: int, person: Annotator, store: TheStore) -> Response:
    """Return an answer."""
    return answer_reply(store, person, answer_id)


@routes.put("/answers/{answer_id}")
def save(answer_id: int, body: Save, person: Annotator, store: TheStore) -> Response:
    """Save a version of an answer; it is on disk when the response is sent."""
    return Reply(answers.save_answer(store, person, answer_id, body))


@routes.get("/answers/{answer_id}/revisions")
def revisions(
    answer_id: int, person: Annotator, store: TheStore, before: int | None = None, limit: Limit = 100
) -> Response:
    """Return the history of an answer."""
    with store.reading() as session:
        held = answer_for(session, person, answer_id)
        rows = answers.revision_objects(session, person, held, before=before, limit=limit)
        return Reply({"revisions": rows})


@routes.get("/answers/{answer_id}/revisions/{version}")
def revision(answer_id: int, version: int, person: Annotator, store: TheStore) -> Response:
    """Return one complete version of an answer."""
    with store.reading() as session:
        held = answer_for(session, person, answer_id)
        return Reply(required(answers.revision_for(session, person, held, version), "version"))


@routes.post("/answers/{answer_id}/proposals")
def propose(answer_id: int, person: Annotator, store: TheStore) -> Response:
    """Return what the machine partner proposes for the person's own answer, if it helps with the item."""
    with store.writing() as session:
        held = answer_for(session, person, answer_id)
        if held.answer.account_id != person.id or held.answer.kind != "annotation":
            raise forbidden("the machine partner helps with your own annotations")
        helped = partner.offer(session, held)
    return Reply({"proposals": helped() if helped else []})


@routes.post("/answers/{answer_id}/check")
def check(answer_id: int, body: CheckBody, person: Annotator, store: TheStore) -> Response:
    """Check a body without saving it, and return the values derived from it."""
    with store.reading() as session:
        task, subject, before = contents(session, answer_for(session, person, answer_id))
    problems = task.problems(subject, body.body, body.done, [before])
    derived = {} if problems else task.derived(subject, body.body)
    return Reply({"problems": list(map(asdict, problems)), "derived": derived})


@routes.post("/answers/{answer_id}/read")
def read(answer_id: int, body: ReadBody, person: Annotator, store: TheStore) -> Response:
    """Save the content of a file as the next version of an answer."""
    change = f"import {body.name}"[:2_000]
    save = Save(version=body.version, key=body.key, body=None, seconds=body.seconds, change=change)
    return Reply(answers.read_into(store, person, answer_id, save, body.upload()))


@routes.get("/answers/{answer_id}/file")
def download(
    answer_id: int, person: Annotator, store: TheStore, form: Literal["pyr", "pan", "json"] = "json"
) -> Response:
    """Return an answer as a file."""
    with store.reading() as session:
        held = answer_for(session, person, answer_id)
        task, subject, body = contents(session, held)
        author = author_of(session, held.project, held.answer)
    file = task.write_body(subject, body, form, author, blind=not person.may("manager", held.project.id))
    return Response(file.content, media_type="application/octet-stream", headers=as_attachment(file.path))


def as_attachment(name: str) -> dict[str, str]:
    """Return the header of a file called *name* that browsers download rather than show."""
    return {"Content-Disposition": f"attachment; filename*=UTF-8''{quote(name)}"}


@routes.get("/answers/{answer_id}/changes")
def changes(answer_id: int, person: Annotator, store: TheStore) -> Response:
    """Return what a new version of the pyramid changes for an answer."""
    with store.reading() as session:
        return Reply(reviewing.changes(session, person, answer_id))


@routes.post("/answers/{answer_id}/rebase")
def rebase(answer_id: int, person: Annotator, store: TheStore) -> Response:
    """Convert an answer to the current pyramid of its set."""
    with store.writing() as session:
        return Reply(answer_object(session, person, reviewing.rebase(session, person, answer_id)))


@routes.get("/answers/{answer_id}/feedback")
def feedback(answer_id: int, person: Annotator, store: TheStore) -> Response:
    """Return the prepared answer of a training item beside the person's own."""
    with store.reading() as session:
        return Reply(feedback_object(session, answer_for(session, person, answer_id)))


def feedback_object(session: Session, held: Held) -> dict[str, JsonValue]:
    """Return the feedback on a finished training answer."""
    if held.item.purpose != "training":
        raise forbidden("only training items have feedback")
    if not held.answer.done:
        raise forbidden("finish your answer first", "the prepared answer is shown afterwards")
    task, subject, body = contents(session, held)
    return {"known": held.item.known, "feedback": task.feedback(subject, held.item.known, body)}


@routes.post("/answers/{answer_id}/review")
def open_review(answer_id: int, person: Annotator, store: TheStore) -> Response:
    """Open the person's review of a finished answer."""
    return opened(store, person, reviewing.open_review, answer_id)


@routes.get("/answers/{answer_id}/reviews")
def reviews(answer_id: int, person: Annotator, store: TheStore) -> Response:
    """Return the reviews of an answer."""
    with store.reading() as session:
        held = answer_for(session, person, answer_id)
        rows = reviewing.reviews_of(session, person, held)
        return Reply({"reviews": [answer_object(session, person, row) for row in rows]})


@routes.get("/openapi.json", include_in_schema=False)
def description(request: Request, person: LoggedIn) -> Response:  # noqa: ARG001 (the role is the check)
    """Return the OpenAPI description of the API."""
    return Reply(request.app.openapi())
