"""API routes for the scores of a project, and for the runs that are scored."""

from fastapi import Response
from sqlalchemy import select
from sqlalchemy.orm import Session

from touchstone.annotate import scoreboard
from touchstone.annotate.access import note_sight, project_for, undecided
from touchstone.annotate.accounts import Person
from touchstone.annotate.api.parts import Body, FileBody, Reply, TheScorer, TheStore, router
from touchstone.annotate.database import Store
from touchstone.annotate.safety import Manager, Reviewer
from touchstone.annotate.scorer import Scorer
from touchstone.annotate.tables import Item, Project

routes = router("scores")


class RunBody(Body):
    """The output of a system, and whether it replaces an earlier one of the same name."""

    name: str
    file: FileBody
    replace: bool = False


def scored_project(session: Session, person: Person, project_id: int) -> Project:
    """Return a project whose scores the person may see; a reviewer's own answers are final from then."""
    project = project_for(session, person, project_id)
    scoreboard.check_not_blind(session, person, project)
    if not person.may("manager", project.id):
        items = select(Item).where(Item.id.in_(undecided(session, person, project)[1]))
        note_sight(session, person, session.scalars(items))
    return project


@routes.get("/projects/{project_id}/scores")
def scores(project_id: int, person: Reviewer, store: TheStore, scorer: TheScorer) -> Response:
    """Return the runs of a project and their scores, and whether they are being computed again."""
    return _board(project_id, person, store, scorer)


def _board(project_id: int, person: Person, store: Store, scorer: Scorer, status: int = 200) -> Response:
    """Return what the page shows; what is due is computed beside the requests."""
    with store.reading() as session:
        board = scoreboard.board(session, person, scored_project(session, person, project_id))
    if board["busy"]:
        scorer.ask(project_id)
    return Reply(board, status)


@routes.post("/projects/{project_id}/runs", status_code=202)
def upload(project_id: int, body: RunBody, person: Reviewer, store: TheStore, scorer: TheScorer) -> Response:
    """Take the output of a system; it is stored if it can be scored, which the scores tell."""
    with store.writing() as session:
        project = scored_project(session, person, project_id)
        scoreboard.take_upload(session, person, project, body.name, body.file.upload(), replace=body.replace)
    return _board(project_id, person, store, scorer, 202)


@routes.delete("/projects/{project_id}/runs/{run_id}", status_code=204)
def delete(project_id: int, run_id: int, person: Manager, store: TheStore) -> None:
    """Delete a run."""
    with store.writing() as session:
        scoreboard.delete_run(session, person.actor, project_for(session, person, project_id), run_id)
