"""``touchstone annotate``: run the annotation server, export, back up and restore."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

from touchstone.annotate.opening import check_existing, check_installed, open_database
from touchstone.base.console import remark, working
from touchstone.base.options import NewFile, NewFolder, Range

Port = Annotated[int, Range(1, 65535)]
Processes = Annotated[int, Range(1, 64)]


def serve(
    *,
    config: Path | None = None,
    database: str | None = None,
    host: str | None = None,
    port: Port | None = None,
    name: Sequence[str] = (),
    workers: Processes | None = None,
    log: str | None = None,
    no_browser: bool = False,
) -> None:
    """Serve the application; on the first start it asks to create the first account.

    Each setting can also come from a variable, such as TOUCHSTONE_ANNOTATE_DATABASE, or from the file of --config. The
    command line has precedence over variables, and variables over the file.

    Example: touchstone annotate serve, or touchstone annotate serve --config annotate.toml --no-browser

    Parameters
    ----------
    config : FILE.toml
        A file with settings: database, data, host, port, names, workers, log.
    database : FILE|URL
        A SQLite file, or postgresql://…; by default the value of TOUCHSTONE_ANNOTATE_DATABASE, or a file in your data
        folder.
    host
        The address to listen on; 127.0.0.1 by default.
    port
        The port to listen on; 8000 by default.
    name
        A host name of the server. With it, X-Forwarded headers of a proxy on this machine are trusted. Repeatable.
    workers
        The number of processes; PostgreSQL only.
    log : FILE|-
        Write an access log, without personal data.
    no_browser
        Do not open a browser.
    """
    check_installed()
    from touchstone.annotate.configuring import configured
    from touchstone.annotate.hosts import is_local
    from touchstone.annotate.serving import serve as run

    names = name or None
    settings = {"database": database, "host": host, "port": port, "names": names, "workers": workers, "log": log}
    configuration = configured(settings, config)
    if not is_local(configuration.host):
        remark(["http is not encrypted: put an https proxy in front of the server"])
    run(configuration, browser=not no_browser, say=_print_address)


def _print_address(address: str) -> None:
    print(f"serving at {address}\nstop with ctrl-c")


def export(name: str, *, out: NewFolder, names: bool = False, database: str | None = None) -> None:
    """Write the gold of a project and the answers of each annotator, as files for the other commands.

    Example: touchstone annotate export "DUC sample" -o out/

    Parameters
    ----------
    name
        The project.
    out : -o FOLDER
        The folder to write to.
    names
        Write names instead of pseudonyms.
    database : FILE|URL
        A SQLite file, or postgresql://…; by default the value of TOUCHSTONE_ANNOTATE_DATABASE, or a file in your data
        folder.
    """
    with open_database(database, existing=True) as store:
        from touchstone.annotate.exporting import export_folder
        from touchstone.annotate.projects import project_named

        with working("writing"), store.reading() as session:
            written = export_folder(session, project_named(session, name), out, names=names)
    print(f"{len(written):,} files in {out}")


def backup(file: NewFile, *, database: str | None = None) -> None:
    """Write the whole database to one SQLite file; the server may be running.

    Example: touchstone annotate backup monday.sqlite

    Parameters
    ----------
    file : FILE.sqlite
        Where to write the backup.
    database : FILE|URL
        A SQLite file, or postgresql://…; by default the value of TOUCHSTONE_ANNOTATE_DATABASE, or a file in your data
        folder.
    """
    check_installed()
    from touchstone.annotate.backup import back_up
    from touchstone.annotate.configuring import configured

    with working("copying"):
        back_up(check_existing(configured({"database": database}).url), file)
    print(f"{file}: {file.stat().st_size / 1e6:,.1f} MB")


def restore(file: Path, *, replace: bool = False, database: str | None = None) -> None:
    """Replace the content of the database with a backup; everybody has to log in again.

    Example: touchstone annotate restore monday.sqlite --database postgresql://db/gold

    Parameters
    ----------
    file : FILE.sqlite
        A backup.
    replace
        Replace a database that is not empty; it is backed up first.
    database : FILE|URL
        A SQLite file, or postgresql://…; by default the value of TOUCHSTONE_ANNOTATE_DATABASE, or a file in your data
        folder.
    """
    check_installed()
    from touchstone.annotate.backup import restore as restore_backup
    from touchstone.annotate.configuring import configured

    with working("copying"):
        former = restore_backup(configured({"database": database}).url, file, replace=replace)
    print(f"restored from {file}")
    remark([f"the previous content is in {former}"] if former else [])
