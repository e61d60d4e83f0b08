"""The progress of a project: items, people, days, and time per answer."""

from collections import Counter
from collections.abc import Sequence
from statistics import median

from sqlalchemy import Row, func, select
from sqlalchemy.orm import Session

from touchstone.annotate import qualifying
from touchstone.annotate.accounts import account_object
from touchstone.annotate.projects import members
from touchstone.annotate.tables import Account, Answer, Assignment, Item, Project
from touchstone.io.jsonl import Json

Answers = Sequence[Row[int | None, str, str, bool, bool, float, str]]
"""The columns of answers that figures need (see `_answers`)."""


def progress(session: Session, project: Project) -> dict[str, Json]:
    """Return the numbers of assigned, finished and adjudicated items, by person and by day."""
    work = (Item.project_id == project.id, Item.purpose == "work")
    counted = select(func.count(Assignment.id), func.count(Assignment.finished_at)).join(
        Item, Assignment.item_id == Item.id
    )
    assigned, done = session.execute(counted.where(*work, Assignment.duty == "annotate")).one()
    answers = _answers(session, project)
    finished = [answer for answer in answers if answer.done and answer.purpose == "work"]
    days = Counter(answer.updated_at[:10] for answer in finished if answer.kind == "annotation")
    return {
        "items": session.scalar(select(func.count(Item.id)).where(*work)) or 0,
        "assigned": assigned,
        "done": done,
        "adjudicated": sum(answer.kind == "adjudicated" for answer in finished),
        "annotators": [dict(row) for row in _people(session, project, answers)],
        "days": [{"day": day, "done": count} for day, count in sorted(days.items())],
    }


def _answers(session: Session, project: Project) -> Answers:
    columns = (Answer.account_id, Answer.kind, Item.purpose, Answer.done, Answer.unsure, Answer.seconds)
    query = select(*columns, Answer.updated_at).join(Item, Answer.item_id == Item.id)
    return session.execute(query.where(Item.project_id == project.id)).all()


def _people(session: Session, project: Project, answers: Answers) -> list[dict[str, Json]]:
    """Return a row for each member, and for former members with assignments."""
    duties = (
        select(Assignment.account_id, func.count(Assignment.id), func.count(Assignment.finished_at))
        .join(Item, Assignment.item_id == Item.id)
        .where(Item.project_id == project.id)
        .group_by(Assignment.account_id)
    )
    counts = {account: (assigned, done) for account, assigned, done in session.execute(duties)}
    by_account: dict[int | None, list[Row[int | None, str, str, bool, bool, float, str]]] = {}
    for answer in answers:
        if answer.kind in ("annotation", "review"):
            by_account.setdefault(answer.account_id, []).append(answer)
    people = {account.id: account for account in members(session, project)}
    former = select(Account).where(Account.id.in_(counts.keys() - people.keys()))
    people |= {account.id: account for account in session.scalars(former)}
    return [
        _person(account, *counts.get(account.id, (0, 0)), by_account.get(account.id, [])) for account in people.values()
    ]


def _person(account: Account, assigned: int, done: int, answers: Answers) -> dict[str, Json]:
    times = [answer.seconds for answer in answers if answer.done and answer.kind == "annotation"]
    return {
        "account_id": account.id,
        "name": account.name,
        "assigned": assigned,
        "done": done,
        "unsure": sum(answer.unsure for answer in answers),
        "seconds": sum(answer.seconds for answer in answers),
        "median_seconds": median(times) if times else None,
    }


def member_objects(session: Session, project: Project) -> list[Json]:
    """Return the members of a project with their progress and their test results."""
    rows = {row["account_id"]: row for row in _people(session, project, _answers(session, project))}
    return [
        {
            **account_object(account),
            **{name: rows[account.id][name] for name in ("assigned", "done", "seconds")},
            "qualification": qualifying.status(session, project, account.id),
        }
        for account in members(session, project)
    ]
