"""``touchstone annotate project``: create projects, import files, assign items."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, cast

from touchstone.annotate.opening import find_account, open_database
from touchstone.base.console import remark, working
from touchstone.base.options import Count, Range, Seed

if TYPE_CHECKING:
    from touchstone.annotate.tasks.base import Upload
    from touchstone.show.finding import Finding

TaskName = Literal["pyramid", "nli", "lexsub", "mt"]
Purpose = Literal["work", "qualification", "training"]
Share = Annotated[float, Range(0, 1)]


def create(
    name: str,
    *,
    task: TaskName,
    imported: Sequence[Path] = (),
    judgement: Literal["ratings", "ranking"] | None = None,
    database: str | None = None,
) -> None:
    """Create a project, and import files into it.

    Example: touchstone annotate project create "DUC sample" --task pyramid --import pyr/

    Parameters
    ----------
    name
        The name of the project.
    task
        The task.
    imported : --import PATH
        A file or folder to import. Repeatable.
    judgement
        For mt: the kind of judgement.
    database : FILE|URL
        A SQLite file, or postgresql://…; by default the value of TOUCHSTONE_ANNOTATE_DATABASE, or a file in your data
        folder.
    """
    with open_database(database) as store:
        from touchstone.annotate.audit import COMMAND_LINE
        from touchstone.annotate.importing import import_files as import_all
        from touchstone.annotate.projects import check_name, checked_settings, create_project
        from touchstone.annotate.tables import Project

        settings = {} if judgement is None else {"judgement": judgement}
        sketch = Project(id=0, name=name, task=task, settings=checked_settings(task, settings))
        with store.reading() as session:
            check_name(session, name)
        make = partial(create_project, actor=COMMAND_LINE, name=name, task=task, settings=settings)
        added, notes = None, list[str]()
        if imported:
            uploads, notes = _uploads(imported, task)
            with working("importing") as progress:
                added = import_all(store, COMMAND_LINE, sketch, uploads, "work", make=make, progress=progress)
        else:
            with store.writing() as session:
                make(session)
    counts = f": {added.items:,} items, {added.answers:,} answers" if added else ""
    print(f"created project {name!r}{counts}")
    remark([*notes, *(added.notes if added else ())])


def import_files(
    name: str, files: Sequence[Path], *, purpose: Purpose = "work", start: bool = False, database: str | None = None
) -> None:
    """Import files into a project: as work, as a qualification test, or for training.

    Example: touchstone annotate project import pairs known.jsonl --as qualification

    Parameters
    ----------
    name
        The project.
    files : FILES
        Files, or folders of them.
    purpose : --as
        The purpose of the items.
    start
        Annotators start from the answers in the files.
    database : FILE|URL
        A SQLite file, or postgresql://…; by default the value of TOUCHSTONE_ANNOTATE_DATABASE, or a file in your data
        folder.
    """
    with open_database(database) as store:
        from touchstone.annotate.audit import COMMAND_LINE
        from touchstone.annotate.importing import import_files as import_all
        from touchstone.annotate.projects import project_named

        with store.reading() as session:
            project = project_named(session, name)
        uploads, notes = _uploads(files, project.task)
        with working("importing") as progress:
            added = import_all(store, COMMAND_LINE, project, uploads, purpose, start=start, progress=progress)
    print(f"{added.items:,} items, {added.answers:,} answers")
    remark([*notes, *added.notes])


def list_projects(*, database: str | None = None) -> "Finding":
    """List the projects and their progress.

    Example: touchstone annotate project list

    Parameters
    ----------
    database : FILE|URL
        A SQLite file, or postgresql://…; by default the value of TOUCHSTONE_ANNOTATE_DATABASE, or a file in your data
        folder.
    """
    with open_database(database, existing=True) as store:
        from sqlalchemy import select

        from touchstone.annotate.showing import progress
        from touchstone.annotate.tables import Project
        from touchstone.base.tables import Cell, Column, Table
        from touchstone.show.finding import Statement, table_rows

        with store.reading() as session:
            projects = session.scalars(select(Project).order_by(Project.name)).all()
            numbers = [progress(session, project) for project in projects]
    heads = ("items", "assigned", "done", "adjudicated")
    rows: list[list[Cell]] = [
        [project.name, project.task, *(cast("int", row[head]) for head in heads)]
        for project, row in zip(projects, numbers, strict=True)
    ]
    table = Table([Column("project"), Column("task"), *(Column(head, "right") for head in heads)], rows)
    return Statement("Projects", [table], table_rows("project", table))


def assign(
    name: str,
    people: Sequence[str] = (),
    *,
    per_item: Count = 1,
    overlap: Share = 1.0,
    seed: Seed = 0,
    disputed: Count | None = None,
    asked: Path | None = None,
    database: str | None = None,
) -> "Finding":
    """Assign the items of a project to people; named people become members.

    Example: touchstone annotate project assign pairs --per-item 3

    Example: touchstone annotate project assign pairs --per-item 3 --disputed 50

    Example: touchstone annotate project assign pairs --asked ask.csv

    Parameters
    ----------
    name
        The project.
    people : [EMAILS]
        The annotators; by default all annotators in the project.
    per_item
        The number of people per shared item.
    overlap
        The share of items that are shared.
    seed
        The seed of the random assignment.
    disputed : N
        Only the N items on which people disagree most so far.
    asked : ask.csv
        Only the items in a file that estimate --next wrote.
    database : FILE|URL
        A SQLite file, or postgresql://…; by default the value of TOUCHSTONE_ANNOTATE_DATABASE, or a file in your data
        folder.
    """
    with open_database(database) as store:
        from touchstone.annotate.assigning import assign as assign_items
        from touchstone.annotate.assigning import check_items
        from touchstone.annotate.audit import COMMAND_LINE
        from touchstone.annotate.estimating import most_disputed
        from touchstone.annotate.exporting import labels
        from touchstone.annotate.projects import add_member, project_named
        from touchstone.base.errors import TouchstoneError
        from touchstone.base.tables import Cell, Column, Table
        from touchstone.judge.asking import drawn_items
        from touchstone.show.finding import Statement, table_rows

        if asked and disputed:
            raise TouchstoneError("the items are chosen twice", hint="give --asked or --disputed")
        with store.writing() as session:
            project = project_named(session, name)
            chosen = [find_account(session, email) for email in people] if people else None
            for account in chosen or ():
                add_member(session, COMMAND_LINE, project, account)
            only = set(most_disputed(labels(session, project), disputed)) if disputed else None
            if asked:
                only = check_items(session, project, drawn_items(asked))
            result = assign_items(
                session,
                COMMAND_LINE,
                project,
                accounts=chosen,
                per_item=per_item,
                overlap=overlap,
                seed=seed,
                only=only,
            )
    rows: list[list[Cell]] = [[annotator, items] for _, annotator, items in result.by]
    table = Table([Column("annotator"), Column("items", "right")], rows)
    return Statement("Assigned items", [table], table_rows("annotator", table))


def unassign(name: str, item: str, email: str, *, database: str | None = None) -> None:
    """Remove the assignment of an item to a person who has saved nothing yet.

    Example: touchstone annotate project unassign pairs p17 ann@example.org

    Parameters
    ----------
    name
        The project.
    item
        The id of the item in the files.
    email
        The person.
    database : FILE|URL
        A SQLite file, or postgresql://…; by default the value of TOUCHSTONE_ANNOTATE_DATABASE, or a file in your data
        folder.
    """
    with open_database(database) as store:
        from touchstone.annotate.assigning import assignment_named, withdraw
        from touchstone.annotate.audit import COMMAND_LINE
        from touchstone.annotate.projects import project_named

        with store.writing() as session:
            project = project_named(session, name)
            assignment = assignment_named(session, project, item, find_account(session, email))
            withdraw(session, COMMAND_LINE, assignment, project)
    print(f"{item} is no longer assigned to {email}")


def _uploads(paths: Sequence[Path], task: str) -> "tuple[list[Upload], list[str]]":
    """Return the data files among *paths* and in folders among them, and a note on what is left out."""
    from touchstone.annotate.tasks import TASKS
    from touchstone.annotate.tasks.base import Upload
    from touchstone.annotate.tasks.reading import is_data, left_out

    uploads: list[Upload] = []
    skipped: list[str] = []
    for path in paths:
        root = path.resolve().parent
        inside = sorted(file for file in path.rglob("*") if file.is_file()) if path.is_dir() else [path]
        for file in inside:
            name = str(file.resolve().relative_to(root))
            if file != path and not is_data(TASKS[task], name):
                skipped.append(name)
            else:
                uploads.append(Upload(name if file != path else path.name, _content(file)))
    return uploads, left_out(skipped, "no data of this task")


def _content(path: Path) -> bytes:
    """Return the bytes of a file as they are, packed or not."""
    from touchstone.base.files import read_bytes

    return path.read_bytes() if path.is_file() else read_bytes(path)[0]
