"""A full disk is called one, loses nothing that was confirmed, and lets everybody go on when there is room again."""

import shutil
import subprocess
from contextlib import closing, suppress
from pathlib import Path

import psycopg
import pytest
from sqlalchemy import make_url, select, text

from touchstone.annotate.settings import database_url
from touchstone.annotate.tables import Revision

YES = {"q1": True, "q2": True, "q3": False}


@pytest.fixture
def disk(tmp_path):
    """Give an empty folder, where a disk of some megabytes can be mounted."""
    folder = tmp_path / "disk"
    folder.mkdir()
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=False, capture_output=True)


def mounted(folder, *options):
    mount = ["mount", "-t", "tmpfs", "-o", ",".join(["size=24m", *options]), "tmpfs", str(folder)]
    if not shutil.which("mount") or subprocess.run(mount, check=False, capture_output=True).returncode:
        pytest.skip("no disk can be mounted here")


def on_sqlite(folder, _):
    mounted(folder)
    return database_url(str(folder / "own.sqlite"))


def on_postgresql(folder, request):
    """Return the URL of a database whose tables are on the disk; the log of PostgreSQL is elsewhere."""
    url = make_url(request.getfixturevalue("postgres")())
    with closing(psycopg.connect(url.render_as_string(hide_password=False), autocommit=True)) as connection:
        (data,) = connection.execute("SHOW data_directory").fetchone()
        owner = Path(data).stat()
        mounted(folder, f"uid={owner.st_uid}", f"gid={owner.st_gid}", "mode=700")
        for above in folder.parents:  # pytest's folders are closed to the user that PostgreSQL runs as
            if above not in Path("/tmp").parents and above != Path("/tmp"):
                above.chmod(above.stat().st_mode | 0o011)
        connection.execute(f"CREATE TABLESPACE small LOCATION '{folder}'")
        connection.execute("CREATE DATABASE small TABLESPACE small")
    request.addfinalizer(lambda: dropped(url))
    return database_url(url.set(database="small").render_as_string(hide_password=False))


def dropped(url):
    """Remove the database from the disk before it is unmounted, so that PostgreSQL writes nothing there any more."""
    with closing(psycopg.connect(url.render_as_string(hide_password=False), autocommit=True)) as connection:
        connection.execute("DROP DATABASE small WITH (FORCE)")
        connection.execute("DROP TABLESPACE small")


@pytest.mark.parametrize("made", [on_sqlite, on_postgresql])
def test_a_full_disk_is_called_one_and_work_goes_on_when_there_is_room(made, disk, request, start_server, pairs):
    site = start_server(made(disk, request))
    project, name = site.project("nli", {"p.jsonl": pairs})
    ann = site.person("annotator", name)
    site.assigned(project, ann)
    answer = ann.next(project)
    filling = disk / "filling"
    fill(filling)
    saved, response = 0, None
    for number in range(400):
        response = ann.save({**answer, "version": saved}, YES, comment=incompressible(number))
        if response.status_code != 200:
            break
        saved += 1
    error = response.json()["error"]
    assert (response.status_code, error["code"]) == (503, "disk_full"), response.text
    assert "disk of the server is full" in error["message"]
    assert response.headers["retry-after"]
    health = site.nobody().get("/api/health")
    assert (health.status_code, health.json()) == (503, {"status": "failed", "database": "the disk is full"})
    assert ann.get(f"/api/answers/{answer['id']}").json()["version"] == saved, "reading goes on"
    filling.unlink()
    assert site.nobody().get("/api/health").json() == {"status": "ok", "database": "answers"}
    assert ann.save({**answer, "version": saved}, YES, done=True).status_code == 200
    with site.store.reading() as session:
        versions = session.scalars(select(Revision.version).where(Revision.answer_id == answer["id"])).all()
        assert sorted(versions) == list(range(saved + 2))
        if site.store.is_sqlite:
            assert session.scalar(text("PRAGMA integrity_check")) == "ok"


def fill(file):
    """Write a file until the disk is full."""
    with suppress(OSError), file.open("wb", buffering=0) as out:
        while True:
            out.write(bytes(4_096))
    assert shutil.disk_usage(file.parent).free == 0


def incompressible(number):
    """Return a comment that does not compress."""
    return "".join(chr(0x4E00 + (number * 7_919 + n * n) % 20_000) for n in range(9_000))
