"""``touchstone annotate``: run the annotation server, export, back up and restore."""

from pathlib import Path
from typing import Annotated

import typer

from touchstone.cli import annotate_people, annotate_projects
from touchstone.cli.annotate_options import Database, check_existing, check_installed, open_database
from touchstone.cli.groups import GROUPS, group_app
from touchstone.cli.output import remark, working

app = group_app(GROUPS["annotate"])
app.add_typer(annotate_projects.app, name="project")
app.add_typer(annotate_people.app, name="user")


@app.command()
def serve(
    config: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE.toml", help="A file with settings: database, data, host, port, names, workers, log."
        ),
    ] = None,
    database: Database = None,
    host: Annotated[str | None, typer.Option(help="The address to listen on; 127.0.0.1 by default.")] = None,
    port: Annotated[int | None, typer.Option(min=1, max=65535, help="The port to listen on; 8000 by default.")] = None,
    name: Annotated[
        list[str] | None,
        typer.Option(
            help="A host name of the server. With it, X-Forwarded headers of a proxy on this machine are trusted. "
            "Repeatable."
        ),
    ] = None,
    workers: Annotated[
        int | None, typer.Option(min=1, max=64, help="The number of processes; PostgreSQL only.")
    ] = None,
    log: Annotated[
        str | None, typer.Option(metavar="FILE|-", help="Write an access log, without personal data.")
    ] = None,
    no_browser: Annotated[bool, typer.Option("--no-browser", help="Do not open a browser.")] = False,
) -> None:
    """Serve the application; on the first start it asks to create the first account.

    Each setting can also come from a variable, such as TOUCHSTONE_ANNOTATE_DATABASE, or from the file of --config. The
    command line has precedence over variables, and variables over the file.

    Example: touchstone annotate serve, or touchstone annotate serve --config annotate.toml --no-browser
    """
    check_installed()
    from touchstone.annotate.configuring import configured
    from touchstone.annotate.hosts import is_local
    from touchstone.annotate.serving import serve as run

    names = tuple(name) if name else None
    settings = {"database": database, "host": host, "port": port, "names": names, "workers": workers, "log": log}
    configuration = configured(settings, config)
    if not is_local(configuration.host):
        remark(["http is not encrypted: put an https proxy in front of the server"])
    run(configuration, browser=not no_browser, say=_print_address)


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
    with open_database(database, existing=True) as store:
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
    from touchstone.annotate.configuring import configured

    with working("copying"):
        back_up(check_existing(configured({"database": database}).url), file)
    typer.echo(f"{file}: {file.stat().st_size / 1e6:,.1f} MB")


@app.command()
def restore(
    file: Annotated[Path, typer.Argument(metavar="FILE.sqlite", help="A backup.")],
    replace: Annotated[
        bool, typer.Option("--replace", help="Replace a database that is not empty; it is backed up first.")
    ] = False,
    database: Database = None,
) -> None:
    """Replace the content of the database with a backup; everybody has to log in again.

    Example: touchstone annotate restore monday.sqlite --database postgresql://db/gold
    """
    check_installed()
    from touchstone.annotate.backup import restore as restore_backup
    from touchstone.annotate.configuring import configured

    with working("copying"):
        former = restore_backup(configured({"database": database}).url, file, replace=replace)
    typer.echo(f"restored from {file}")
    remark([f"the previous content is in {former}"] if former else [])
