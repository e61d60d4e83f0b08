"""Answers, items, projects and their progress as JSON for pages and for the API."""

from collections import Counter
from collections.abc import Sequence
from statistics import median

from sqlalchemy import ColumnElement, Row, case, func, select
from sqlalchemy.orm import Session

from touchstone.annotate import qualifying
from touchstone.annotate.access import (
    Held,
    assignment_of,
    body_of,
    closed_items,
    contents,
    is_blind,
    subject_of,
    undecided,
)
from touchstone.annotate.accounts import Person
from touchstone.annotate.naming import author_of, display_names, pseudonyms
from touchstone.annotate.partner import is_helped
from touchstone.annotate.projects import members
from touchstone.annotate.tables import Account, Answer, Assignment, Item, Project, Revision, columns
from touchstone.annotate.tasks import TASKS
from touchstone.annotate.tasks.base import grouped
from touchstone.io.jsonl import Json

Object = dict[str, Json]

DUTIES = select(func.count(Assignment.id), func.count(Assignment.finished_at)).join(Item, Assignment.item_id == Item.id)
"""The numbers of assignments and of finished ones."""

KEYS = 100
"""The number of latest versions whose keys a browser is told: more than one makes in a few minutes."""

FINAL = "you have seen the answers of others to this item, so yours is final"
"""Why somebody who has seen them cannot change their own answer."""

_ADJUDICATED = select(Answer.id).where(Answer.item_id == Item.id, Answer.kind == "adjudicated", Answer.done)
ADJUDICATED = _ADJUDICATED.correlate(Item).exists()
"""The condition that an item has been adjudicated, also in a query for other answers to it."""


def title(item: Item) -> str:
    """Return the title of an item for people who must not know where it comes from."""
    return f"item {item.position}"


def answer_object(session: Session, person: Person, held: Held) -> Object:
    """Return an answer with its item, as far as the person may see them."""
    answer, item, project = held.answer, held.item, held.project
    task, subject, body = contents(session, held)
    derived = {} if answer.kind == "review" else task.derived(subject, body)
    closed_reason = edit_obstacle(session, person, held)
    return {
        **columns(answer, "id", "item_id", "kind", "version", "unsure", "comment", "done", "seconds"),
        **columns(answer, "created_at", "updated_at", "about_id"),
        "project_id": project.id,
        "task": project.task,
        "purpose": item.purpose,
        "author": author_of(session, project, answer),
        "mine": answer.account_id == person.id,
        "body": body,
        "editable": closed_reason is None,
        "why_closed": closed_reason,
        "keys": _latest_keys(session, answer.id),
        "item": {"id": item.id, "kind": item.kind, "title": title(item), "view": task.view(subject)},
        "derived": derived,
        "outdated": is_outdated(held),
        "partner": answer.kind == "annotation" and is_helped(project, item),
    }


def _latest_keys(session: Session, answer_id: int) -> list[Json]:
    """Return the keys of the latest versions, newest first: a browser finds its own saves among them."""
    query = select(Revision.key).where(Revision.answer_id == answer_id).order_by(Revision.version.desc())
    return list(session.scalars(query.limit(KEYS)))


def is_outdated(held: Held) -> bool:
    """Return whether the attachment of the item has changed since the answer was begun."""
    return held.answer.kind != "review" and held.answer.attachment_digest != held.item.attachment_digest


def edit_obstacle(session: Session, person: Person, held: Held) -> str | None:
    """Return why the person may not change an answer now, or None if they may."""
    answer, item = held.answer, held.item
    if held.project.archived_at:
        return "the project is archived"
    if answer.kind == "imported":
        return "an imported answer cannot be changed"
    if answer.kind == "review":
        return _review_obstacle(session, person, answer)
    if answer.kind == "adjudicated":
        if not person.may("reviewer", held.project.id) or is_blind(session, person, item.id):
            return "adjudication needs the role reviewer, and your own answer first"
        return None
    if answer.account_id != person.id:
        return "this is somebody else's answer"
    if item.purpose == "work" and is_adjudicated(session, item.id):
        return "this item has been adjudicated"
    duty = assignment_of(session, person, item.id) if answer.done else None  # only those who finished see others
    if duty is not None and duty.saw_others_at:
        return FINAL
    return qualifying.qualification_obstacle(session, person, held.project, item)


def _review_obstacle(session: Session, person: Person, review: Answer) -> str | None:
    if review.account_id == person.id:
        return "this review was sent" if review.done else None
    reviewed = session.get(Answer, review.about_id)
    if reviewed is not None and reviewed.account_id == person.id and review.done:
        return None
    return "this is somebody else's review"


def is_adjudicated(session: Session, item_id: int) -> bool:
    """Return whether an item has been adjudicated."""
    query = select(Answer.id).where(Answer.item_id == item_id, Answer.kind == "adjudicated", Answer.done)
    return session.scalar(query) is not None


def project_object(session: Session, person: Person, project: Project) -> Object:
    """Return a project, and the person's role and progress in it."""
    return {
        **columns(project, "id", "name", "task", "version", "settings"),
        "archived": project.archived_at is not None,
        "role": person.role_in(project.id),
        "mine": _mine(session, person, project),
        "qualification": qualifying.status(session, project, person.id),
    }


def _mine(session: Session, person: Person, project: Project) -> Object:
    counted = DUTIES.where(Item.project_id == project.id, Assignment.account_id == person.id)
    spent = select(func.coalesce(func.sum(Answer.seconds), 0)).join(Item, Answer.item_id == Item.id)
    assigned, done = session.execute(counted).one()
    by_person = (Item.project_id == project.id, Answer.account_id == person.id)
    seconds = session.scalar(spent.where(*by_person))
    saved = select(Answer.id).join(Item, Answer.item_id == Item.id).where(*by_person, Answer.version > 0)
    begun = session.scalar(saved.where(Answer.kind != "adjudicated").limit(1)) is not None
    waiting = _waiting(session, person, project)
    return {
        "assigned": assigned,
        "done": done,
        "begun": begun,
        "seconds": float(seconds or 0),
        "waiting": waiting,
    }


def _waiting(session: Session, person: Person, project: Project) -> list[Json]:
    """Return what the person's items wait for, and how many wait for each."""
    query = (
        select(Item.waits_for, func.count())
        .join(Assignment, Assignment.item_id == Item.id)
        .where(Item.project_id == project.id, Item.waits_for.is_not(None))
        .where(Assignment.account_id == person.id, Assignment.duty == "annotate")
        .group_by(Item.waits_for)
        .order_by(Item.waits_for)
    )
    return [{"waits_for": reason, "items": count} for reason, count in session.execute(query)]


TURN = case((Item.purpose == "qualification", 0), (Item.purpose == "training", 1), else_=2)
"""The order of the purposes in a list of work."""


def work_list(session: Session, person: Person, project: Project) -> list[Json]:
    """Return the person's assignments in a project, in the order in which to do them."""
    duty = (Assignment.item_id, Assignment.duty, Assignment.about_id, Assignment.finished_at, Assignment.saw_others_at)
    answer = (Answer.id.label("answer_id"), Answer.unsure)
    query = (
        select(*duty, Item.position, Item.kind, Item.purpose, Item.waits_for, *answer, ADJUDICATED.label("decided"))
        .join(Item, Assignment.item_id == Item.id)
        .outerjoin(Answer, _answers_assignment(person))
        .where(Item.project_id == project.id, Assignment.account_id == person.id)
        .order_by(TURN, Item.position, Assignment.id)
    )
    return [
        {
            **columns(row, "item_id", "answer_id", "kind", "purpose", "duty", "about_id", "position"),
            "title": f"item {row.position}",
            "waits_for": None if row.answer_id else row.waits_for,
            "done": row.finished_at is not None,
            "closed": bool(row.decided or row.saw_others_at) and row.duty == "annotate" and row.purpose == "work",
            "unsure": bool(row.unsure),
        }
        for row in session.execute(query)
    ]


def _answers_assignment(person: Person) -> ColumnElement[bool]:
    """Return the condition that an answer belongs to an assignment: the person's own answer, or their review."""
    annotation = (Assignment.duty == "annotate") & (Answer.kind == "annotation")
    review = (Assignment.duty == "review") & (Answer.kind == "review") & (Answer.about_id == Assignment.about_id)
    return (Answer.item_id == Item.id) & (Answer.account_id == person.id) & (annotation | review)


def next_duty(session: Session, person: Person, project: Project) -> Assignment | None:
    """Return the person's first open assignment: test items first, then training, then work."""
    if project.archived_at:
        return None
    query = (
        select(Assignment)
        .join(Item, Assignment.item_id == Item.id)
        .where(Item.project_id == project.id, Assignment.account_id == person.id, Assignment.finished_at.is_(None))
        .where((Assignment.duty == "review") | (Item.purpose != "work") | ~ADJUDICATED)
        .where((Assignment.duty == "review") | Item.waits_for.is_(None))
        .order_by(TURN, Item.position, Assignment.id)
        .limit(1)
    )
    # Without a passed test there is no work; after a failed one no test either, until a manager resets it.
    status = qualifying.status(session, project, person.id)
    if status["required"] and not status["passed"]:
        query = query.where((Assignment.duty == "review") | (Item.purpose != "work"))
        if status["passed"] is False:
            query = query.where((Assignment.duty == "review") | (Item.purpose != "qualification"))
    return session.scalar(query)


def item_rows(
    session: Session, person: Person, project: Project, *, offset: int, limit: int, purpose: str | None
) -> tuple[int, list[Json]]:
    """Return the number of items in a project, and a page of them with their progress.

    Whether others agree is not told about some of them (see `closed_items`).

    Parameters
    ----------
    session
        A session to read with.
    person
        Who asks.
    project
        The project.
    offset, limit
        The first item of the page, and the largest number of items.
    purpose
        The purpose of the items; any if None.
    """
    conditions = [Item.project_id == project.id, *([Item.purpose == purpose] if purpose else [])]
    total = session.scalar(select(func.count(Item.id)).where(*conditions)) or 0
    query = select(Item, ADJUDICATED).where(*conditions).order_by(Item.position).offset(offset).limit(limit)
    rows = session.execute(query).all()
    ids = [item.id for item, _ in rows]
    assigned = Counter(session.scalars(select(Assignment.item_id).where(Assignment.item_id.in_(ids))))
    finished = select(Answer).where(Answer.item_id.in_(ids), Answer.kind.in_(("annotation", "imported")), Answer.done)
    finished_by_item = grouped(session.scalars(finished), lambda answer: answer.item_id)
    answers = {
        key: [answer for answer in group if answer.kind == "annotation"] for key, group in finished_by_item.items()
    }
    unfinished, _ = undecided(session, person, project)
    closed = closed_items(session, person, project)

    def agree(item: Item) -> bool | None:
        compared = answers if item.starts_imported else finished_by_item
        return None if item.id in closed else _agree(session, project, item, compared.get(item.id, []))

    return total, [
        {
            **columns(item, "id", "key", "kind", "purpose", "waits_for"),
            "title": title(item),
            "assigned": assigned[item.id],
            "done": len(answers.get(item.id, ())),
            "unsure": 0 if item.id in unfinished else sum(answer.unsure for answer in answers.get(item.id, ())),
            "adjudicated": bool(adjudicated),
            "agree": agree(item),
        }
        for item, adjudicated in rows
    ]


def add_assignments(session: Session, project: Project, rows: Sequence[Json]) -> None:
    """Add to rows of items of a project whom they are assigned to, for managers, under the names of all other pages."""
    names = display_names(session, project)
    items = {row["id"]: row for row in rows if isinstance(row, dict)}
    query = (
        select(Assignment.id, Assignment.item_id, Assignment.finished_at, Assignment.account_id, Account.name)
        .join(Account, Assignment.account_id == Account.id)
        .where(Assignment.item_id.in_(items), Assignment.duty == "annotate")
        .order_by(Account.name, Account.id)
    )
    assignments_by_item = grouped(session.execute(query), lambda row: row.item_id)
    for item, row in items.items():
        people = [
            (names.get(assignment.account_id, assignment.name), assignment)
            for assignment in assignments_by_item.get(item, [])
        ]
        people.sort(key=lambda pair: pair[0])
        row["people"] = [
            {"id": assignment.id, "name": name, "done": assignment.finished_at is not None}
            for name, assignment in people
        ]


def _agree(session: Session, project: Project, item: Item, answers: list[Answer]) -> bool | None:
    """Return whether all finished answers to an item are the same; None if there are fewer than two."""
    if len(answers) < 2:
        return None
    task, subject = TASKS[project.task], subject_of(session, item, answers[0].attachment_digest)
    first, *others = [body_of(session, answer) for answer in answers]
    return all(task.same(subject, first, other) for other in others)


Answers = Sequence[Row[int | None, str, str, bool, bool, float, str]]
"""The columns of answers that figures need (see `_answers`)."""


def progress(session: Session, project: Project) -> dict[str, Json]:
    """Return the numbers of assigned, finished and adjudicated items, by person and by day."""
    work = (Item.project_id == project.id, Item.purpose == "work")
    assigned, done = session.execute(DUTIES.where(*work, Assignment.duty == "annotate")).one()
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
    duties = DUTIES.add_columns(Assignment.account_id).where(Item.project_id == project.id)
    rows = session.execute(duties.group_by(Assignment.account_id))
    counts = {account: (assigned, done) for assigned, done, account in rows}
    work_answers = (answer for answer in answers if answer.kind in ("annotation", "review"))
    by_account = grouped(work_answers, lambda answer: answer.account_id)
    people = {account.id: account for account, _ in members(session, project)}
    former = select(Account).where(Account.id.in_(counts.keys() - people.keys()))
    people |= {account.id: account for account in session.scalars(former)}
    names = display_names(session, project)
    return [
        _person(
            account,
            names.get(account.id, account.name),
            *counts.get(account.id, (0, 0)),
            by_account.get(account.id, []),
        )
        for account in people.values()
    ]


def _person(account: Account, name: str, assigned: int, done: int, answers: Answers) -> dict[str, Json]:
    times = [answer.seconds for answer in answers if answer.done and answer.kind == "annotation"]
    return {
        "account_id": account.id,
        "name": name,
        "assigned": assigned,
        "done": done,
        "unsure": sum(answer.unsure for answer in answers),
        "seconds": sum(answer.seconds for answer in answers),
        "median_seconds": median(times) if times else None,
    }


def member_objects(session: Session, project: Project) -> list[Json]:
    """Return the members of a project with their roles, their progress and their test results."""
    rows = {row["account_id"]: row for row in _people(session, project, _answers(session, project))}
    others = pseudonyms(session, project)
    return [
        {
            **columns(account, "id", "email", "name"),
            "role": role,
            **{name: rows[account.id][name] for name in ("assigned", "done", "seconds")},
            "qualification": qualifying.status(session, project, account.id),
            "pseudonym": others.get(account.id),
        }
        for account, role in members(session, project)
    ]
