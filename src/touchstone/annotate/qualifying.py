"""Qualification tests: items with known answers, which annotators must pass before they annotate."""

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from touchstone.annotate import audit
from touchstone.annotate.access import body_of, subject_of
from touchstone.annotate.accounts import Person
from touchstone.annotate.audit import Actor
from touchstone.annotate.database import take_turn
from touchstone.annotate.refusals import required
from touchstone.annotate.tables import Answer, Assignment, Item, Member, Project, Qualification, columns, now
from touchstone.annotate.tasks import TASKS
from touchstone.io.jsonl import Json


def status(session: Session, project: Project, account_id: int) -> dict[str, Json]:
    """Return an account's progress and result in the test of a project."""
    items = _count(session, project)
    return {
        "required": items > 0,
        "pass_mark": project.settings["pass_mark"],
        "items": items,
        "done": sum(answer.done for answer, _ in _answers(session, project, account_id)),
        **columns(_result(session, project, account_id), "score", "passed", "attempt"),
    }


def _result(session: Session, project: Project, account_id: int) -> Qualification:
    """Return the result of an account, or a new one without a score."""
    result = session.get(Qualification, (project.id, account_id))
    return result or Qualification(project_id=project.id, account_id=account_id, attempt=1)


def _count(session: Session, project: Project) -> int:
    query = select(func.count(Item.id)).where(Item.project_id == project.id, Item.purpose == "qualification")
    return session.scalar(query) or 0


def _answers(session: Session, project: Project, account_id: int) -> list[tuple[Answer, Item]]:
    query = (
        select(Answer, Item)
        .join(Item, Answer.item_id == Item.id)
        .where(Item.project_id == project.id, Item.purpose == "qualification", Answer.account_id == account_id)
        .order_by(Item.position)
    )
    return [(answer, item) for answer, item in session.execute(query)]


def qualification_obstacle(session: Session, person: Person, project: Project, item: Item) -> str | None:
    """Return why the test prevents the person from annotating an item, or None."""
    if item.purpose == "training" or not _count(session, project):
        return None
    passed = _result(session, project, person.id).passed
    if item.purpose == "qualification":
        return None if passed is None else "the test is over"
    if passed is None:
        return "this project begins with a test"
    return None if passed else "the test of this project was not passed"


def decide(session: Session, actor: Actor, project: Project, account_id: int) -> None:
    """Store the result of the test, once all of its items are answered."""
    take_turn(session, f"test {project.id} {account_id}")
    answers = _answers(session, project, account_id)
    if sum(answer.done for answer, _ in answers) < _count(session, project):
        return
    task = TASKS[project.task]
    marks = [task.compare(subject_of(session, item), item.known, body_of(session, answer)) for answer, item in answers]
    score = sum(marks) / len(marks)
    result = _result(session, project, account_id)
    # A rounding error in a sum of tenths must not fail anybody.
    result.score, result.passed = score, score >= float(project.settings["pass_mark"]) - 1e-9  # type: ignore[arg-type]
    result.decided_at = now()
    session.add(result)
    detail: Json = {"score": score, "passed": result.passed, "attempt": result.attempt}
    audit.record(session, actor, "qualify", "account", account_id, project_id=project.id, detail=detail)


def reset(session: Session, actor: Actor, project: Project, account_id: int) -> None:
    """Let an account take the test again; the earlier answers stay in the history."""
    result = required(session.get(Qualification, (project.id, account_id)), "result")
    result.attempt += 1
    result.score = result.passed = result.decided_at = None
    task = TASKS[project.task]
    for answer, item in _answers(session, project, account_id):
        _reopen(session, answer, task.blank(subject_of(session, item)))
    audit.record(session, actor, "reset test", "account", account_id, project_id=project.id)


def _reopen(session: Session, answer: Answer, body: Json) -> None:
    answer.version += 1
    answer.done, answer.unsure, answer.comment, answer.updated_at = False, False, "", now()
    session.add(answer.revision(f"attempt-{answer.version}", body, change="new attempt"))
    assignment = session.scalar(
        select(Assignment).where(Assignment.item_id == answer.item_id, Assignment.account_id == answer.account_id)
    )
    if assignment is not None:
        assignment.finished_at = None


def assign_tests(session: Session, project: Project, account_ids: set[int]) -> None:
    """Assign the test and training items of a project to members who do not have them yet."""
    items = set(session.scalars(select(Item.id).where(Item.project_id == project.id, Item.purpose != "work")))
    members = set(session.scalars(select(Member.account_id).where(Member.project_id == project.id)))
    for account_id in account_ids & members:
        query = select(Assignment.item_id).where(Assignment.account_id == account_id)
        for item_id in sorted(items - set(session.scalars(query))):
            session.add(Assignment(item_id=item_id, account_id=account_id))
