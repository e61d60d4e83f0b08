"""A large import goes on in the background: all of it becomes visible, or nothing."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest
from sqlalchemy import func, select
from tests.annotate.conftest import as_base64

from touchstone.annotate import importing, staging
from touchstone.annotate.audit import COMMAND_LINE
from touchstone.annotate.tables import Import, Item, Project, StagedItem
from touchstone.annotate.tasks.base import Upload
from touchstone.core.errors import TouchstoneError

PATIENCE_S = 120


def pair_lines(count):
    rows = ({"id": f"p{n}", "premise": f"Cat {n} sleeps.", "hypothesis": f"Dog {n} barks."} for n in range(count))
    return "".join(json.dumps(row) + "\n" for row in rows)


def counted(store, table):
    with store.reading() as session:
        return session.scalar(select(func.count()).select_from(table))


def awaited(condition):
    """Wait until *condition* gives something true, and return it."""
    until = time.monotonic() + PATIENCE_S
    while time.monotonic() < until:
        if found := condition():
            return found
        time.sleep(0.02)
    raise AssertionError("it did not happen in time")


def latest(site, project):
    return site.admin.get(f"/api/projects/{project}/imports").json()["imports"][0]


def ended(site, project):
    """Wait for the end of the latest import of a project, and return it."""
    return awaited(lambda: (row := latest(site, project))["state"] in ("finished", "failed") and row)


@pytest.fixture
def large(monkeypatch):
    """Let every import be a large one."""
    monkeypatch.setattr(importing, "LARGE", 10)


def sent(site, project, files):
    """Begin an import, and return the response."""
    listed = [{"name": name, "content": as_base64(text)} for name, text in files.items()]
    return site.admin.post(f"/api/projects/{project}/imports", json={"files": listed})


@pytest.mark.usefixtures("large")
def test_a_large_import_returns_at_once_and_its_page_follows_it(site):
    project, _ = site.project("nli")
    response = sent(site, project, {"p.jsonl": pair_lines(1_200)})
    assert response.status_code == 202
    done = ended(site, project)
    assert (done["id"], done["state"]) == (response.json()["id"], "finished")
    assert (done["items"], done["staged"], done["total"]) == (1_200, 1_200, 1_200)
    listed = site.admin.get(f"/api/projects/{project}/items?limit=3").json()
    assert (listed["total"], [row["key"] for row in listed["items"]]) == (1_200, ["p0", "p1", "p2"])
    awaited(lambda: counted(site.store, StagedItem) == 0)
    (line,) = (e for e in site.admin.get(f"/api/projects/{project}/audit").json()["entries"] if e["action"] == "import")
    assert line["detail"] == {"items": 1_200, "answers": 0, "purpose": "work"}


@pytest.mark.usefixtures("large")
def test_a_large_import_with_a_fault_writes_nothing_and_says_where_it_is(site):
    project, _ = site.project("nli")
    assert sent(site, project, {"p.jsonl": pair_lines(3) + '{"id": "x"}\n'}).status_code == 202
    done = ended(site, project)
    assert done["state"] == "failed"
    assert done["error"]["problems"][0]["where"] == "4"
    assert site.admin.get(f"/api/projects/{project}/items").json()["total"] == 0
    assert counted(site.store, StagedItem) == 0


def test_items_of_an_unfinished_import_are_invisible_and_removed(site, monkeypatch):
    project, _ = site.project("nli")
    monkeypatch.setattr(staging, "reveal", lambda *_: 1 / 0)
    with site.store.reading() as session:
        row = session.get_one(Project, project)
    with pytest.raises(ZeroDivisionError):
        importing.import_files(site.store, COMMAND_LINE, row, [Upload("p.jsonl", pair_lines(9).encode())], "work")
    assert site.admin.get(f"/api/projects/{project}/items").json()["total"] == 0
    assert latest(site, project)["error"]["code"] == "interrupted"
    assert counted(site.store, StagedItem) == 0


def test_a_killed_import_leaves_nothing_to_see_and_the_rest_is_removed(fresh_store, tmp_path, monkeypatch):
    file = tmp_path / "p.jsonl"
    file.write_text(pair_lines(40_000))
    words = [sys.executable, "-m", "touchstone", "annotate", "project", "create", "Pairs", "--task", "nli"]
    words += ["--import", str(file), "--database", fresh_store.url]
    process = subprocess.Popen(words, env={**os.environ, "XDG_DATA_HOME": str(tmp_path)})
    awaited(lambda: counted(fresh_store, StagedItem))
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert (counted(fresh_store, Item), counted(fresh_store, Project)) == (0, 0)
    staging.clean_up(fresh_store)
    assert counted(fresh_store, StagedItem) > 0  # it might still be alive
    monkeypatch.setattr(staging, "SILENCE", -staging.SILENCE)
    staging.clean_up(fresh_store)
    assert counted(fresh_store, StagedItem) == 0
    with fresh_store.reading() as session:
        assert session.scalars(select(Import)).one().outcome["error"]["code"] == "interrupted"


def test_an_import_that_was_taken_to_be_dead_does_not_finish(fresh_store, monkeypatch):
    stage = staging.stage

    def slow(store, import_id, rows, progress):
        stage(store, import_id, rows, progress)
        staging.fail(store, import_id, staging.interrupted())

    monkeypatch.setattr(staging, "stage", slow)
    with fresh_store.writing() as session:
        row = importing.stored(session, Project(name="P", task="nli", settings={}))
    with pytest.raises(TouchstoneError, match="interrupted"):
        importing.import_files(fresh_store, COMMAND_LINE, row, [Upload("p.jsonl", pair_lines(3).encode())], "work")
    assert counted(fresh_store, Item) == 0


def test_items_that_exist_already_are_refused_before_anything_is_written(site, pairs):
    project, _ = site.project("nli", {"p.jsonl": pairs})
    response = sent(site, project, {"p.jsonl": pairs})
    assert (response.status_code, len(response.json()["error"]["problems"])) == (422, 4)
    with site.store.reading() as session:
        assert len(session.scalars(select(Import).where(Import.project_id == project)).all()) == 1
