"""Reviews of answers, adjudication, and new versions of a pyramid for peers that were annotated with an old one."""

from sqlalchemy import select
from sqlalchemy.orm import Session

from touchstone.annotate import access, audit
from touchstone.annotate.access import Held, answer_for, attachment_body, body_of, subject_of
from touchstone.annotate.accounts import Person
from touchstone.annotate.adjudicating import first_body
from touchstone.annotate.answers import begin, new_answer
from touchstone.annotate.importing import attach
from touchstone.annotate.naming import author_of
from touchstone.annotate.pyramid.rounds import raised, round_of
from touchstone.annotate.refusals import Refusal, forbidden, required
from touchstone.annotate.showing import edit_obstacle, is_outdated, title
from touchstone.annotate.tables import Answer, Item, now
from touchstone.annotate.tasks import TASKS
from touchstone.io.jsonl import Json


def open_adjudication(
    session: Session, person: Person, item_id: int, from_answer: int | None, against: int | None = None
) -> tuple[Answer, bool]:
    """Return the adjudicated answer to an item, and whether it is new.

    Parameters
    ----------
    session
        A session to write with.
    person
        Who adjudicates.
    item_id
        The item.
    from_answer
        The answer that a new adjudication starts from; None to start with an empty one.
    against
        The answer that it is compared with, decision by decision; the adjudicated answer then starts with what both
        agree on, even if there is one already (it is a new version). None to start with all of *from_answer*.
    """
    item, project = access.item_for(session, person, item_id)
    if access.is_blind(session, person, item.id):
        raise forbidden("annotate this item yourself before you adjudicate it")
    # Two people who open it at once must get the same answer.
    session.execute(select(Item.id).where(Item.id == item.id).with_for_update())
    present = session.scalar(select(Answer).where(Answer.item_id == item.id, Answer.kind == "adjudicated"))
    if present is not None and against is None:
        return present, False
    answers = {answer.id: answer for answer in access.visible_answers(session, person, item)}
    first = None if from_answer is None else required(answers.get(from_answer), "answer")
    digest = first.attachment_digest if first else item.attachment_digest
    answer = present or new_answer(person, item, "adjudicated", author_name="adjudicated", attachment_digest=digest)
    if against is not None:
        second = required(answers.get(against), "answer")
        _begin_round(session, person, Held(answer, item, project), required(first, "answer"), second)
        return answer, present is None
    body = body_of(session, first) if first else TASKS[project.task].blank(subject_of(session, item))
    begin(session, person, project, answer, body)
    return answer, True


def _begin_round(session: Session, person: Person, held: Held, first: Answer, second: Answer) -> None:
    """Store what two answers agree on as the first or the next version of the adjudicated answer."""
    answer, is_new = held.answer, held.answer.id is None
    if first is second or not all(source.done or source is answer for source in (first, second)):
        raise forbidden("two finished answers are compared")
    stored = None if is_new else body_of(session, answer)
    answer.attachment_digest = first.attachment_digest
    body = first_body(session, held, first, second, round_of(stored))
    if is_new:
        return begin(session, person, held.project, answer, body)
    reason = edit_obstacle(session, person, held)
    if reason is not None:
        raise forbidden(reason)
    answer.version += 1
    answer.done, answer.updated_at = False, now()
    authors = [author_of(session, held.project, source) for source in (first, second)]
    change = f"compare {authors[0]} and {authors[1]}"[:2_000]
    session.add(answer.revision(f"round-{answer.version}", raised(body, stored), person.id, change))
    detail: Json = {"version": answer.version, "change": change[:200]}
    audit.record(session, person.actor, "save", "answer", answer.id, project_id=held.project.id, detail=detail)
    session.flush()
    return None


def open_review(session: Session, person: Person, answer_id: int) -> tuple[Answer, bool]:
    """Return the person's review of somebody else's finished answer, and whether it is new."""
    held = answer_for(session, person, answer_id)
    answer = held.answer
    if answer.kind != "annotation" or not answer.done:
        raise forbidden("only a finished annotation can be reviewed")
    if answer.account_id == person.id:
        raise forbidden("you cannot review your own answer")
    if not (person.may("reviewer", held.project.id) or access.review_of(session, person, answer.id)):
        raise forbidden("this review was not assigned to you")
    # Somebody who opens it twice at once must get the same review.
    session.execute(select(Answer.id).where(Answer.id == answer.id).with_for_update())
    query = select(Answer).where(Answer.kind == "review", Answer.about_id == answer.id, Answer.account_id == person.id)
    present = session.scalar(query)
    if present is not None:
        return present, False
    digest = answer.attachment_digest
    review = new_answer(person, held.item, "review", about_id=answer.id, attachment_digest=digest)
    begin(session, person, held.project, review, {"proposals": [], "decisions": {}})
    return review, True


def reviews_of(session: Session, person: Person, held: Held) -> list[Held]:
    """Return the reviews of an answer: its author sees those that were sent, reviewers see all."""
    query = select(Answer).where(Answer.kind == "review", Answer.about_id == held.answer.id).order_by(Answer.id)
    if not person.may("reviewer", held.project.id):
        query = query.where(Answer.done | (Answer.account_id == person.id))
    return [Held(review, held.item, held.project) for review in session.scalars(query)]


def publish(session: Session, person: Person, answer_id: int) -> dict[str, Json]:
    """Attach a finished pyramid to the peers of its set, and report which answers it affects.

    No answer is rewritten: each keeps the pyramid that it was made with until its author takes the new one. Answers to
    peers that the person may still annotate are not reported.
    """
    held = answer_for(session, person, answer_id)
    if held.item.kind != "pyramid" or not held.answer.done or held.answer.kind == "review":
        raise forbidden("only a finished pyramid can be published")
    task, subject, body = access.contents(session, held)
    new = task.attachment(subject, body)
    digest = attach(session, new)
    same_set = select(Item).where(Item.project_id == held.project.id, Item.kind == "peer").order_by(Item.position)
    peers = [item for item in session.scalars(same_set) if item.payload["set"] == held.item.payload["set"]]
    closed = access.closed_items(session, person, held.project)
    touched = [row for item in peers if item.id not in closed for row in _touched(session, held, item, new)]
    for item in peers:
        item.attachment_digest = digest
        item.waits_for = task.waits_for(subject_of(session, item))
    detail: Json = {"digest": digest, "items": len(peers)}
    audit.record(session, person.actor, "publish", "answer", answer_id, project_id=held.project.id, detail=detail)
    return {"items": len(peers), "touched": touched}


def _touched(session: Session, held: Held, item: Item, new: Json) -> list[Json]:
    rows: list[Json] = []
    for answer in session.scalars(select(Answer).where(Answer.item_id == item.id, Answer.kind != "review")):
        task, subject, body = access.contents(session, Held(answer, item, held.project))
        changes = task.changes(subject, new, body)
        if changes:
            author = author_of(session, held.project, answer)
            where: dict[str, Json] = {"answer_id": answer.id, "title": title(item), "author": author}
            rows.append({**where, "touched": list(changes)})
    return rows


def changes(session: Session, person: Person, answer_id: int) -> dict[str, Json]:
    """Return what the current attachment of its item would change in an answer."""
    held = answer_for(session, person, answer_id)
    if not is_outdated(held):
        return {"outdated": False, "touched": []}
    task, subject, body = access.contents(session, held)
    new = attachment_body(session, held.item.attachment_digest)
    return {"outdated": True, "touched": list(task.changes(subject, new, body))}


def rebase(session: Session, person: Person, answer_id: int) -> Held:
    """Convert an answer to the current attachment of its item, as a new version."""
    held = answer_for(session, person, answer_id)
    answer = held.answer
    if answer.account_id != person.id or answer.kind != "annotation":
        raise forbidden("only the author of an answer can do that")
    if not is_outdated(held):
        raise Refusal(409, "finished", "this answer is up to date")
    task, subject, body = access.contents(session, held)
    new = attachment_body(session, held.item.attachment_digest)
    rebased = task.rebased(subject, new, body)
    answer.version += 1
    answer.attachment_digest, answer.updated_at = held.item.attachment_digest, now()
    change = "take the new pyramid"
    session.add(answer.revision(f"rebase-{answer.version}", rebased, person.id, change))
    detail: Json = {"version": answer.version, "change": change}
    audit.record(session, person.actor, "rebase", "answer", answer.id, project_id=held.project.id, detail=detail)
    session.flush()
    return held
