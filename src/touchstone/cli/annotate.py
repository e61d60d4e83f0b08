"""``touchstone annotate``: run the annotation server, export, back up and restore."""

from pathlib import Path
from typing import Annotated

import typer

from touchstone.cli import annotate_people, annotate_projects
from touchstone.cli.annotate_options import Database, check_installed, open_database
from touchstone.cli.groups import GROUPS, group_app
from touchstone.cli.output import remark, working
from touchstone.core.errors import TouchstoneError

app = group_app(GROUPS["annotate"])
app.add_typer(annotate_projects.app, name="project")
app.add_typer(annotate_people.app, name="user")


@app.command()
def serve(
    database: Database = None,
    host: Annotated[str, typer.Option(help="The address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=1, max=65535, help="The port to listen on.")] = 8000,
    name: Annotated[
        list[str] | None,
        typer.Option(help="A host name that a proxy forwards; its X-Forwarded headers are then believed. Repeatable."),
    ] = None,
    no_browser: Annotated[bool, typer.Option("--no-browser", help="Do not open a browser.")] = False,
) -> None:
    """Serve the application; on the first start it asks to create the first account.

    Example: touchstone annotate serve, or touchstone annotate serve --database postgresql://db/gold --host 0.0.0.0
    """
    check_installed()
    from touchstone.annotate.app import serve as run
    from touchstone.annotate.settings import Settings, data_folder, database_url, installation_secret, is_local

    settings = Settings(database_url(database), installation_secret(data_folder()))
    if not is_local(host):
        remark(["http is not encrypted: put an https proxy in front of the server"])
    run(settings, host, port, names=name or (), browser=not no_browser, say=_print_address)


def _print_address(address: str) -> None:
    typer.echo(f"serving at {address}\nstop with ctrl-c")


@app.command()
def export(
    name: Annotated[str, typer.Argument(help="The project.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="The folder to write to.")],
    names: Annotated[bool, typer.Option("--names", help="Write names instead of pseudonyms.")] = False,
    database: Database = None,
) -> None:
    """Write the gold of a project and the answers of each annotator, as files for the other commands.

    Example: touchstone annotate export "DUC sample" -o out/
    """
    with open_database(database) as store:
        from touchstone.annotate.exporting import export_folder
        from touchstone.annotate.projects import project_named

        with working("writing"), store.reading() as session:
            written = export_folder(session, project_named(session, name), out, names=names)
    typer.echo(f"{len(written):,} files in {out}")


@app.command()
def backup(
    file: Annotated[Path, typer.Argument(metavar="FILE.sqlite", help="Where to write the backup.")],
    database: Database = None,
) -> None:
    """Write the whole database to one SQLite file; the server may be running.

    Example: touchstone annotate backup monday.sqlite
    """
    check_installed()
    from touchstone.annotate.backup import back_up
    from touchstone.annotate.settings import database_url

    with working("copying"):
        back_up(_existing(database_url(database)), file)
    typer.echo(f"{file}: {file.stat().st_size / 1e6:,.1f} MB")


@app.command()
def restore(
    file: Annotated[Path, typer.Argument(metavar="FILE.sqlite", help="A backup.")],
    replace: Annotated[
        bool, typer.Option("--replace", help="Replace a database that is not empty; it is backed up first.")
    ] = False,
    database: Database = None,
) -> None:
    """Replace the content of the database by a backup; everybody has to log in again.

    Example: touchstone annotate restore monday.sqlite --database postgresql://db/gold
    """
    check_installed()
    from touchstone.annotate.backup import restore as restore_backup
    from touchstone.annotate.settings import database_url

    with working("copying"):
        former = restore_backup(database_url(database), file, replace=replace)
    typer.echo(f"restored from {file}")
    remark([f"the former content is in {former}"] if former else [])


def _existing(url: str) -> str:
    from touchstone.annotate.settings import sqlite_file

    file = sqlite_file(url)
    if file is not None and not file.is_file():
        raise TouchstoneError("no such database", file=str(file), hint="touchstone annotate serve creates one")
    return url
