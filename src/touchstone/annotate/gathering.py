"""All answers of a project as its task sees them, for figures and for exports."""

from collections import Counter
from collections.abc import Sequence
from math import isfinite

from sqlalchemy import select
from sqlalchemy.orm import Session

from touchstone.annotate.tables import Account, Answer, Attachment, Item, Project, Revision
from touchstone.annotate.tasks import TASKS
from touchstone.annotate.tasks.protocol import Figure, Given, Subject
from touchstone.io.jsonl import Json


def gather(session: Session, project: Project) -> tuple[list[Subject], list[Given]]:
    """Return the items that are worked on, and the finished answers to them, items in their order."""
    attachments = _attachments(session, project)
    query = select(Item).where(Item.project_id == project.id, Item.purpose == "work").order_by(Item.position)
    items = {item.id: item for item in session.scalars(query)}
    rows = session.execute(
        select(Answer, Revision.body, Account.name, Account.email)
        .join(Revision, (Revision.answer_id == Answer.id) & (Revision.version == Answer.version))
        .outerjoin(Account, Answer.account_id == Account.id)
        .where(Answer.item_id.in_(select(Item.id).where(Item.project_id == project.id, Item.purpose == "work")))
        .where(Answer.kind != "review", Answer.done)
        .order_by(Answer.id)
    ).all()
    names = _names([(name, email) for answer, _, name, email in rows if answer.kind == "annotation"])
    given: dict[int, list[Given]] = {}
    for answer, body, name, email in rows:
        author = names[name, email] if answer.kind == "annotation" else answer.author_name
        subject = _subject(items[answer.item_id], attachments.get(answer.attachment_digest or ""))
        one = Given(subject, author, answer.kind, body, answer.unsure, answer.comment, answer.seconds)
        given.setdefault(answer.item_id, []).append(one)
    subjects = [_subject(item, attachments.get(item.attachment_digest or "")) for item in items.values()]
    return subjects, [one for item in items for one in given.get(item, [])]


def _attachments(session: Session, project: Project) -> dict[str, Json]:
    mine = select(Item.id).where(Item.project_id == project.id)
    ours = select(Item.attachment_digest).where(Item.project_id == project.id)
    theirs = select(Answer.attachment_digest).where(Answer.item_id.in_(mine))
    query = select(Attachment).where(Attachment.digest.in_(ours.union(theirs)))
    return {one.digest: one.body for one in session.scalars(query)}


def _subject(item: Item, attachment: Json) -> Subject:
    return Subject(item.key, item.kind, item.payload, item.hidden, attachment)


def _names(people: Sequence[tuple[str, str]]) -> dict[tuple[str, str], str]:
    """Return what each annotator is called in files: their name, with the address where two have the same."""
    distinct = list(dict.fromkeys(people))
    counts = Counter(name for name, _ in distinct)
    return {(name, email): name if counts[name] == 1 else f"{name} ({email})" for name, email in distinct}


def agreement(session: Session, project: Project) -> dict[str, Json]:
    """Return how far the annotators of a project agree at this moment."""
    _, answers = gather(session, project)
    found = TASKS[project.task].agreement(answers)
    return {"figures": [_figure(figure) for figure in found.figures], "notes": list(found.notes)}


def _figure(figure: Figure) -> dict[str, Json]:
    one = figure.agreement
    return {
        "about": figure.about,
        "name": one.name,
        "value": _number(one.value),
        "low": _number(one.interval.low),
        "high": _number(one.interval.high),
        "distance": one.distance,
        "unit": one.unit,
        "units": one.units,
        "answers": one.answers,
        "left_out": one.left_out,
        "reason": one.reason,
    }


def _number(value: float) -> float | None:
    return float(value) if isfinite(value) else None
