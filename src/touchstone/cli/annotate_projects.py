"""``touchstone annotate project``: projects, the files that go into them, and who gets which items."""

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from touchstone.cli.annotate_options import Database, account_of, opened
from touchstone.cli.showing import remark, show_tables, working
from touchstone.core.errors import TouchstoneError

if TYPE_CHECKING:
    from touchstone.annotate.tasks.protocol import Upload

app = typer.Typer(help="Make projects, import files, assign items.", no_args_is_help=True)

Imports = Annotated[list[Path], typer.Argument(metavar="FILES", help="Files, or folders of them.")]


class TaskName(StrEnum):
    """The tasks that people annotate for."""

    PYRAMID = "pyramid"
    NLI = "nli"
    LEXSUB = "lexsub"
    MT = "mt"


class Purpose(StrEnum):
    """What items are for."""

    WORK = "work"
    QUALIFICATION = "qualification"
    TRAINING = "training"


class Judgement(StrEnum):
    """What is asked about translations."""

    RATINGS = "ratings"
    RANKING = "ranking"


SUFFIXES = {
    "pyramid": (".pyr", ".pan", ".json", ".txt"),
    "nli": (".jsonl", ".tsv"),
    "lexsub": (".xml", ".jsonl", ".gold"),
    "mt": (".jsonl", ".tsv"),
}


@app.command("create")
def create(
    name: Annotated[str, typer.Argument(help="What the project is called.")],
    task: Annotated[TaskName, typer.Option(help="What is annotated.")],
    imported: Annotated[
        list[Path] | None, typer.Option("--import", help="A file or folder to import. Repeatable.")
    ] = None,
    judgement: Annotated[Judgement | None, typer.Option(help="For mt: what is asked.")] = None,
    database: Database = None,
) -> None:
    """Make a project, and import files into it.

    Example: touchstone annotate project create "DUC sample" --task pyramid --import pyr/
    """
    with opened(database) as store:
        from touchstone.annotate.audit import COMMAND_LINE
        from touchstone.annotate.importing import add_items, read_files
        from touchstone.annotate.projects import checked_settings, create_project
        from touchstone.annotate.tables import Project

        given = {} if judgement is None else {"judgement": judgement.value}
        sketch = Project(id=0, name=name, task=task.value, settings=checked_settings(task.value, given))
        with working("reading"):
            found = read_files(store, sketch, _uploads(imported, task.value), "work") if imported else None
        with working("writing"), store.writing() as session:
            made = create_project(session, (None, COMMAND_LINE), name, task.value, given)
            said = add_items(session, (None, COMMAND_LINE), made, found, "work") if found else None
    typer.echo(f"project {name!r} made" + (f": {said.items:,} items, {said.answers:,} answers" if said else ""))
    remark(said.notes if said else [])


@app.command("import")
def import_files(
    name: Annotated[str, typer.Argument(help="The project.")],
    files: Imports,
    purpose: Annotated[Purpose, typer.Option("--as", help="What the items are for.")] = Purpose.WORK,
    start: Annotated[bool, typer.Option("--start", help="Annotators begin with the answers in the files.")] = False,
    database: Database = None,
) -> None:
    """Import files into a project: as work, as a test that decides who may annotate, or to learn from.

    Example: touchstone annotate project import pairs known.jsonl --as qualification
    """
    with opened(database) as store:
        from touchstone.annotate.audit import COMMAND_LINE
        from touchstone.annotate.importing import add_items, read_files
        from touchstone.annotate.projects import project_named

        with store.reading() as session:
            found = project_named(session, name)
        with working("reading"):
            read = read_files(store, found, _uploads(files, found.task), purpose.value)
        with working("writing"), store.writing() as session:
            here = project_named(session, name)
            said = add_items(session, (None, COMMAND_LINE), here, read, purpose.value, start=start)
    typer.echo(f"{said.items:,} items, {said.answers:,} answers")
    remark(said.notes)


@app.command("list")
def list_projects(database: Database = None) -> None:
    """List the projects and how far they are.

    Example: touchstone annotate project list
    """
    with opened(database) as store:
        from sqlalchemy import select

        from touchstone.annotate.progress import progress
        from touchstone.annotate.tables import Project
        from touchstone.core.tables import Cell, Column, Table

        with store.reading() as session:
            found = session.scalars(select(Project).order_by(Project.name)).all()
            numbers = [progress(session, one) for one in found]
    heads = ("items", "assigned", "done", "adjudicated")
    rows: list[list[Cell]] = [
        [one.name, one.task, *(cast("int", said[head]) for head in heads)]
        for one, said in zip(found, numbers, strict=True)
    ]
    columns = [Column("project"), Column("task"), *(Column(head, "right") for head in heads)]
    show_tables([Table(columns, rows)])


@app.command("assign")
def assign(
    name: Annotated[str, typer.Argument(help="The project.")],
    people: Annotated[
        list[str] | None, typer.Argument(metavar="[EMAILS]", help="To whom; by default to all annotators in it.")
    ] = None,
    per_item: Annotated[int, typer.Option(min=1, help="How many people annotate an item.")] = 1,
    overlap: Annotated[float, typer.Option(min=0, max=1, help="The share of items that several people get.")] = 1.0,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the draw.")] = 0,
    database: Database = None,
) -> None:
    """Give the items of a project to people; those who are named join it.

    Example: touchstone annotate project assign pairs --per-item 3
    """
    with opened(database) as store:
        from touchstone.annotate.assigning import assign as give
        from touchstone.annotate.audit import COMMAND_LINE
        from touchstone.annotate.projects import add_member, project_named
        from touchstone.core.tables import Cell, Column, Table

        actor = (None, COMMAND_LINE)
        with store.writing() as session:
            found = project_named(session, name)
            chosen = [account_of(session, email) for email in people] if people else None
            for account in chosen or ():
                add_member(session, actor, found, account)
            said = give(session, actor, found, accounts=chosen, per_item=per_item, overlap=overlap, seed=seed)
    rows: list[list[Cell]] = [[who, items] for _, who, items in said.by]
    show_tables([Table([Column("annotator"), Column("items", "right")], rows)])


def _uploads(paths: list[Path], task: str) -> "list[Upload]":
    from touchstone.annotate.tasks.protocol import Upload
    from touchstone.io.text import read_bytes

    found: list[Upload] = []
    for path in paths:
        inside = sorted(one for one in path.rglob("*") if one.is_file()) if path.is_dir() else [path]
        wanted = [one for one in inside if one == path or one.suffix in SUFFIXES[task]]
        if not wanted:
            raise TouchstoneError(f"no {', '.join(SUFFIXES[task])} file in this folder", file=str(path))
        root = path.resolve().parent
        found += [Upload(str(one.resolve().relative_to(root)), read_bytes(one)[0]) for one in wanted]
    return found
