"""What is left to adjudicate: the items on which people differ, and the decisions between two answers to an item."""

from collections.abc import Sequence
from itertools import combinations
from statistics import fmean

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from touchstone.annotate.access import Held, answer_for, body_of, note_sight, subject_of, undecided, visible_answers
from touchstone.annotate.accounts import Person
from touchstone.annotate.pyramid.rounds import ADJUDICATION, Round, Source, round_of
from touchstone.annotate.refusals import Refusal, invalid, required
from touchstone.annotate.tables import Answer, Item, Project, Revision
from touchstone.annotate.tasks import TASKS
from touchstone.annotate.tasks.base import Object, Subject, Task, grouped
from touchstone.io.jsonl import Json

COMPARED = ("annotation", "imported")
"""The kinds of answers that people gave on their own."""


def first_body(session: Session, held: Held, first: Answer, second: Answer, before: Round | None) -> Object:
    """Return the body with which a round between two answers begins: what they agree on.

    Parameters
    ----------
    session
        A session to read with.
    held
        The adjudicated answer, its item and its project.
    first, second
        The answers that are compared: the left and the right one.
    before
        The round before, if *first* is its result.
    """
    if first.attachment_digest != second.attachment_digest:
        hint = "let the author of the older one take the new pyramid first"
        raise Refusal(409, "outdated", "the two answers were made with different versions of the pyramid", hint=hint)
    sources = (first.id, first.version), (second.id, second.version)
    this = before.followed_by(*sources) if before and first.kind == "adjudicated" else Round(*sources)
    return {**_aligned(session, held, this)["body"], ADJUDICATION: this.to_json()}  # type: ignore[dict-item]


def decisions(session: Session, person: Person, answer_id: int) -> Object:
    """Return the decisions of the current round of an adjudicated answer, and the answers not compared yet."""
    held = answer_for(session, person, answer_id)
    this = round_of(body_of(session, held.answer))
    if this is None:
        raise Refusal(409, "no_decisions", "this answer was not made from the decisions between two others")
    done = {*this.earlier, this.left[0], this.right[0]}
    kinds = COMPARED[:1] if held.item.starts_imported else COMPARED
    others = [answer for answer in visible_answers(session, person, held.item) if answer.kind in kinds and answer.done]
    uncompared: list[Json] = [answer.id for answer in others if answer.id not in done]
    return {**_aligned(session, held, this), "sources": [this.left[0], this.right[0]], "rest": uncompared}


def tolerated(session: Session, held: Held, body: Json, earlier: Sequence[Json]) -> list[Json]:
    """Return the documents of the round in *body*, whose violations the adjudicated document may have.

    Only `first_body` begins a round: one that none of the *earlier* bodies has is refused, since it may be about
    answers that the person may not see.
    """
    this = round_of(body)
    if this is None:
        return []
    earlier_pairs = [(before.left, before.right) for before in map(round_of, earlier) if before]
    if (this.left, this.right) not in earlier_pairs:
        raise invalid("an adjudication is begun by choosing two answers to compare")
    aligned = _aligned(session, held, this)
    return [aligned["left"], aligned["right"]]


def _aligned(session: Session, held: Held, this: Round) -> Object:
    subject = subject_of(session, held.item, held.answer.attachment_digest)
    bodies = [_source(session, held, source) for source in (this.left, this.right)]
    return TASKS[held.project.task].align(subject, *bodies)


def _source(session: Session, held: Held, source: Source) -> Json:
    """Return a version of an answer to the same item."""
    answer_id, version = source
    answer = session.get(Answer, answer_id)
    same = answer is not None and answer.item_id == held.item.id and answer.kind in (*COMPARED, "adjudicated")
    return body_of(session, required(answer if same else None, "answer"), version)


def disagreements(session: Session, person: Person, project: Project) -> Object:
    """Return the items that people answered differently and that are not adjudicated, most disagreement first.

    *several* counts the items that two or more people answered, *agreed* those that all of them answered the same way,
    *adjudicated* those that are decided. *blind* counts the items that the person still has to annotate, which are left
    out. A reviewer who sees whether others agree on an item cannot change the own answer to it any more.
    """
    task = TASKS[project.task]
    rows: list[Object] = []
    unfinished, _ = undecided(session, person, project)
    counts = {"several": 0, "agreed": 0, "adjudicated": 0, "blind": len(unfinished)}
    answered = [(item, answers) for item, answers in _answered(session, project) if item.id not in unfinished]
    if not person.may("manager", project.id):
        note_sight(session, person, [item for item, _ in answered])
    for item, answers in answered:
        bodies = [body for answer, body in answers if answer.kind in COMPARED]
        if len(bodies) < 2:
            continue
        counts["several"] += 1
        subject = subject_of(session, item, answers[0][0].attachment_digest)
        decided = any(answer.kind == "adjudicated" for answer, _ in answers)
        agreed = all(task.same(subject, bodies[0], other) for other in bodies[1:])
        counts["adjudicated"] += decided
        counts["agreed"] += agreed
        if not (decided or agreed):
            rows.append({"id": item.id, "title": f"item {item.position}", "distance": _distance(task, subject, bodies)})
    rows.sort(key=lambda row: -float(str(row["distance"])))
    return {"items": [*rows], **counts}


def _answered(session: Session, project: Project) -> list[tuple[Item, list[tuple[Answer, Json]]]]:
    """Return the work items with several finished answers, without imported ones that annotators began with."""
    finished = (Item.project_id == project.id, Item.purpose == "work", Answer.done, Answer.kind != "review")
    counted = (*finished, (Answer.kind != "imported") | ~Item.starts_imported)
    several = select(Item.id).join(Answer, Answer.item_id == Item.id).where(*counted).group_by(Item.id)
    rows = session.execute(
        select(Item, Answer, Revision.body)
        .join(Answer, Answer.item_id == Item.id)
        .join(Revision, (Revision.answer_id == Answer.id) & (Revision.version == Answer.version))
        .where(*counted, Item.id.in_(several.having(func.count() > 1)))
        .order_by(Item.position, Answer.id)
    ).all()
    groups = grouped(rows, lambda row: row[0].id).values()
    return [(group[0][0], [(answer, body) for _, answer, body in group]) for group in groups]


def _distance(task: Task, subject: Subject, bodies: Sequence[Json]) -> float:
    return fmean(task.distance(subject, body, other) for body, other in combinations(bodies, 2))
