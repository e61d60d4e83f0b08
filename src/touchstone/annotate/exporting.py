"""The finished answers of a project, for agreement figures and for files that Touchstone's commands read."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from fnmatch import fnmatch
from pathlib import Path
from typing import cast

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from touchstone.annotate import estimating
from touchstone.annotate.caching import Cache
from touchstone.annotate.naming import hides_names, pseudonyms, real_names
from touchstone.annotate.tables import Answer, Assignment, Attachment, Entry, Item, Project, Revision
from touchstone.annotate.tasks import TASKS
from touchstone.annotate.tasks.base import (
    FinishedAnswer,
    Labelled,
    OutputFile,
    Subject,
    grouped,
    independent,
)
from touchstone.annotate.tasks.deciding import GoldExport, Work
from touchstone.base.codes import Code
from touchstone.base.errors import TouchstoneError
from touchstone.io.jsonl import Json
from touchstone.io.writing import make_folder, replacing
from touchstone.show.finding import Finding, finite_numbers

_FIGURES: Cache[dict[str, Json]] = Cache(32)
"""Recent figures of agreement, by the state of their projects."""

SCORED = {
    "nli": "gold.jsonl SYSTEM.jsonl",
    "lexsub": "gold.jsonl SYSTEM.oot",
    "mt": "gold.jsonl SYSTEM.txt",
    "pyramid": "gold/*.pan",
}
"""What ``touchstone TASK score`` is given after each task's export: first the files of the gold."""

UNSCORED = "There is nothing to score yet: the gold has pyramids, but no annotated peers."


def gather(session: Session, project: Project, *, names: bool = False) -> tuple[list[Subject], list[FinishedAnswer]]:
    """Return the work items of a project and the finished answers to them, both in the order of the items.

    Parameters
    ----------
    session
        A session to read with.
    project
        The project.
    names
        Whether annotators have their names, even if the project has pseudonyms.
    """
    hidden = hides_names(project) and not names
    authors = pseudonyms(session, project) if hidden else real_names(session, project)
    attachments = _attachments(session, project)
    work = (Item.project_id == project.id, Item.purpose == "work")
    items = session.scalars(select(Item).where(*work).order_by(Item.position)).all()
    rows = session.execute(
        select(Answer, Item, Revision.body)
        .join(Item, Answer.item_id == Item.id)
        .join(Revision, (Revision.answer_id == Answer.id) & (Revision.version == Answer.version))
        .where(*work, Answer.kind != "review", Answer.done)
        .order_by(Item.position, Answer.id)
    ).all()
    answers = []
    for answer, item, body in rows:
        author = authors[answer.account_id] if answer.kind == "annotation" else answer.author_name
        subject = _subject(item, attachments, answer.attachment_digest)
        remarks = (answer.unsure, answer.comment, answer.seconds)
        starting = answer.kind == "imported" and item.starts_imported
        answers.append(FinishedAnswer(subject, author, answer.kind, body, *remarks, starting, answer.helped))
    return [_subject(item, attachments, item.attachment_digest) for item in items], answers


def labels(session: Session, project: Project) -> dict[str, list[Labelled]]:
    """Return the finished answers of the people of a project as labels, for each question of its task."""
    return TASKS[project.task].labels(independent(gather(session, project)[1]))


def _attachments(session: Session, project: Project) -> dict[str, Json]:
    """Return the attachments of the items of a project and of the answers to them, by digest."""
    items = select(Item.id).where(Item.project_id == project.id)
    of_items = select(Item.attachment_digest).where(Item.project_id == project.id)
    of_answers = select(Answer.attachment_digest).where(Answer.item_id.in_(items))
    query = select(Attachment).where(Attachment.digest.in_(of_items.union(of_answers)))
    return {attachment.digest: attachment.body for attachment in session.scalars(query)}


def _subject(item: Item, attachments: Mapping[str, Json], digest: str | None) -> Subject:
    attachment = None if digest is None else attachments.get(digest)
    return Subject(item.key, item.kind, item.payload, item.hidden, attachment, attachment_digest=digest)


def agreement(session: Session, project: Project, *, names: bool = False) -> dict[str, Json]:
    """Return how far the annotators of a project agree, as JSON (see `gather`)."""

    def made() -> dict[str, Json]:
        return agreement_object(TASKS[project.task].agreement(gather(session, project, names=names)[1]))

    return remembered(session, project, f"agreement {names}", made)


def remembered(session: Session, project: Project, name: str, made: Callable[[], dict[str, Json]]) -> dict[str, Json]:
    """Return what *made* returns; the same again as long as nothing in the project has changed.

    Parameters
    ----------
    session
        A session to read with.
    project
        The project.
    name
        What *made* computes.
    made
        Computes figures from the answers of the project.
    """
    return _FIGURES.get((*_state(session, project), name), made)


def _state(session: Session, project: Project) -> tuple[object, ...]:
    """Return what changes with every change of a project: its version, the last line of its log, and names."""
    last = session.scalar(select(func.max(Entry.id)).where(Entry.project_id == project.id))
    names = tuple(sorted(real_names(session, project).items()))
    return str(session.get_bind().engine.url), project.id, project.created_at, project.version, last, names


def agreement_object(agreement: Finding) -> dict[str, Json]:
    """Return coefficients of agreement as JSON."""
    stated = agreement.statement()
    rows = [cast("dict[str, Json]", finite_numbers(row)) for row in stated.all_rows if row["kind"] == "coefficient"]
    return {"figures": [_figure(row) for row in rows], "notes": list(stated.notes)}


def _figure(row: Mapping[str, Json]) -> dict[str, Json]:
    return {
        "about": row["judgement"],
        "name": row["measure"],
        "distance": row.get("distance", "–"),
        "units": row["n"],
        "answers": row["compared"],
        **{name: row[name] for name in ("value", "low", "high", "unit", "left_out", "reason")},
    }


def gold_of(session: Session, project: Project) -> GoldExport:
    """Return the gold of a project: files that ``touchstone TASK score`` takes, and what is not in them."""
    return _gold(session, project, *gather(session, project))


def _gold(
    session: Session, project: Project, items: Sequence[Subject], answers: Sequence[FinishedAnswer]
) -> GoldExport:
    waiting = _open_assignments(session, project)
    answers_by_item = grouped(answers, lambda answer: (answer.item.kind, answer.item.key))
    works = []
    for item in items:
        name = (item.kind, item.key)
        works.append(Work(item, answers_by_item.get(name, ()), waiting.get(name, 0)))
    return TASKS[project.task].gold(works, project.settings)


def _open_assignments(session: Session, project: Project) -> dict[tuple[str, str], int]:
    """Return how many people have not finished each item that they were assigned, by the kind and key of the item."""
    query = (
        select(Item.kind, Item.key, func.count())
        .join(Assignment, Assignment.item_id == Item.id)
        .where(Item.project_id == project.id, Item.purpose == "work")
        .where(Assignment.duty == "annotate", Assignment.finished_at.is_(None))
        .group_by(Item.kind, Item.key)
    )
    return {(kind, key): count for kind, key, count in session.execute(query)}


def check_items(session: Session, project: Project) -> None:
    """Refuse to export a project without work items."""
    work = (Item.project_id == project.id, Item.purpose == "work")
    if session.scalar(select(Item.id).where(*work).limit(1)) is None:
        raise TouchstoneError("the project has no items yet", value=project.name, code=Code.EMPTY, hint="import some")


def export_files(session: Session, project: Project, *, names: bool = False) -> Iterator[OutputFile]:
    """Yield the files of a project: the gold, the answers of each annotator, and a text about them (see `gather`)."""
    check_items(session, project)
    items, answers = gather(session, project, names=names)
    gold = _gold(session, project, items, answers)
    yield OutputFile("README.txt", _read_me(project, gold).encode())
    yield from gold.files
    yield estimating.table(TASKS[project.task].labels(independent(answers)))
    yield from TASKS[project.task].export(items, answers, project.settings)


def _read_me(project: Project, gold: GoldExport) -> str:
    """Return what the gold holds, what is not in it and why, and the command that scores with it."""
    head = f"Export of the project {project.name!r} (task {project.task})\n\n"
    scored = SCORED[project.task]
    command = f"\nScore with it: touchstone {project.task} score {scored}\n"
    if not any(fnmatch(file.path, scored.split()[0]) for file in gold.files):
        command = f"\n{UNSCORED}\n" if gold.files else ""
    return f"{head}{gold.text()}{command}"


def export_folder(session: Session, project: Project, folder: Path, *, names: bool = False) -> list[Path]:
    """Write the files of a project under *folder* and return their paths (see `gather`)."""
    written = []
    for file in export_files(session, project, names=names):
        path = folder / file.path
        make_folder(path.parent)
        with replacing(path) as beside:
            beside.write_bytes(file.content)
        written.append(path)
    return written
